#!/usr/bin/env bash
# How fast memprof reads a large recording, and in how much memory.
#
#   tests/bench/bench.sh BUILD [FOLDER]
#
# BUILD holds memprof and memprof-generate, built for release. The recording (5 million objects in 40
# snapshots, about 400 MB) is made in FOLDER, or in a temporary folder that is removed at the end.
#
# Beside each other, one after the other in each of five runs:
#   memprof   memprof analyze
#   floor     the least work that reading such a file can be; its source is $MEMPROF_FLOOR, or
#             ../shared/bench/floor.c beside the checkout; skipped where there is none
#   awk       a one-liner that a user would write: bytes of all object rows by type
#
# Environment: MEMPROF_BENCH_RUNS (5), MEMPROF_BENCH_OBJECTS (5000000), MEMPROF_BENCH_SNAPSHOTS (40).
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ $# -lt 1 ] || [ $# -gt 2 ] || [ ! -x "$1/memprof" ] || [ ! -x "$1/memprof-generate" ]; then
    echo "usage: $0 BUILD [FOLDER]   (BUILD holds memprof and memprof-generate)" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
runs=${MEMPROF_BENCH_RUNS:-5}
objects=${MEMPROF_BENCH_OBJECTS:-5000000}
snapshots=${MEMPROF_BENCH_SNAPSHOTS:-40}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=${2:-$scratch}
mkdir -p "$folder"
recording=$folder/bench-$objects-$snapshots.oemp
answer=$recording.json

if [ ! -s "$recording" ] || [ ! -s "$answer" ]; then
    "$build/memprof-generate" oemp --version 2 --objects "$objects" --snapshots "$snapshots" \
        --answer "$answer" -o "$recording"
fi

floor_source=${MEMPROF_FLOOR:-$root/../shared/bench/floor.c}
floor=
if [ -f "$floor_source" ]; then
    floor=$scratch/floor
    "${CC:-cc}" -O3 -march=native -o "$floor" "$floor_source"
fi

# Rows of 16 columns are objects: their third column is the size, their second the type.
# shellcheck disable=SC2016
awk_program='NF == 16 && $1 + 0 > 0 { bytes[$2] += $3 } END { for (t in bytes) print t, bytes[t] }'

memprof_run() { "$build/memprof" analyze --quiet "$recording"; }
floor_run() { "$floor" "$recording"; }
awk_run() { awk "$awk_program" "$recording"; }

names=(memprof)
if [ -n "$floor" ]; then names+=(floor); fi
names+=(awk)

cat "$recording" >/dev/null # into the page cache: all read from memory
for ((run = 0; run < runs; run++)); do
    for name in "${names[@]}"; do
        begin=$(date +%s%N)
        "${name}_run" >/dev/null
        end=$(date +%s%N)
        echo $(((end - begin) / 1000)) >>"$scratch/$name.us"
    done
done

# The middle one of sorted microseconds, as seconds; of an even number, the lower middle.
nth() { sort -n "$scratch/$1.us" | sed -n "$2p" | awk '{ printf "%.3f", $1 / 1e6 }'; }

size=$(stat -c %s "$recording")
printf 'recording: %s objects, %s snapshots, %s bytes; %s runs; %s processors\n\n' \
    "$objects" "$snapshots" "$size" "$runs" "$(nproc)"
printf '%-8s  %10s  %10s  %10s  %10s  %14s\n' command 'median s' 'min s' 'max s' 'MB/s' 'memprof/this'
ours=$(nth memprof $(((runs + 1) / 2)))
for name in "${names[@]}"; do
    median=$(nth "$name" $(((runs + 1) / 2)))
    printf '%-8s  %10s  %10s  %10s  %10s  %14s\n' "$name" "$median" "$(nth "$name" 1)" \
        "$(nth "$name" "$runs")" \
        "$(awk -v size="$size" -v s="$median" 'BEGIN { printf "%.0f", size / s / 1e6 }')" \
        "$(awk -v a="$ours" -v b="$median" 'BEGIN { printf "%.2f", a / b }')"
done
if [ -z "$floor" ]; then
    echo "floor     skipped: no $floor_source (set MEMPROF_FLOOR to the path of floor.c)"
fi

# Peak memory, against what the objects alive at once may cost.
peak_bytes=$(python3 "$here/peak.py" "$build/memprof" analyze --quiet "$recording")
peak_objects=$(grep -o '"peak_objects": *[0-9]*' "$answer" | head -n 1 | grep -o '[0-9]*$')
allowed=$((64 * peak_objects + 64 * 1024 * 1024))
awk -v peak="$peak_bytes" -v allowed="$allowed" -v objects="$peak_objects" 'BEGIN {
    printf "\npeak memory: %.1f MiB; 64 bytes x %d objects alive at once + 64 MiB = %.1f MiB; %.0f %% of it\n",
           peak / 1048576, objects, allowed / 1048576, peak * 100 / allowed
    exit peak > allowed }'
