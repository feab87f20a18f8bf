#!/usr/bin/env bash
# Measure the time and memory that memprof needs for large recordings.
#
#   tests/bench/bench.sh BUILD [FOLDER [FORMAT...]]
#
# BUILD contains release builds of memprof and memprof-generate. The recordings, 2.5 GB, are made in FOLDER,
# or else in a temporary folder that is removed at the end. FORMAT is one of these (default: all):
#
#   oemp      5 million objects in 40 snapshots, about 400 MB
#   taligent  5 million events with crawls of 8 frames, about 1 GB
#   rpm       10 million objects with 40 million references, about 460 MB
#   shapes    unusual recordings of equal size, for which the program has no shortcuts (many threads,
#             large ids, objects far from each other); each may take 1.3 times as long as the first
#             of its group
#
# These commands run one after the other, in each of five rounds:
#   memprof      memprof analyze
#   floor        the minimum of work for reading the file; its source is $MEMPROF_FLOOR or
#                ../shared/bench/floor.c next to the checkout; skipped if there is none
#   awk          a one-liner that a user would write for an .oemp: bytes of all object rows by type
#   diff         memprof diff of two .oemp files, which may take 2.2 times as long as one analysis
#   graph_floor  a simple reader of a heap dump with one depth-first search (graph_floor.c)
#
# Environment, with defaults: MEMPROF_BENCH_RUNS (5); MEMPROF_BENCH_OBJECTS in the .oemp (5000000);
# MEMPROF_BENCH_SNAPSHOTS (40); MEMPROF_BENCH_EVENTS (5000000); MEMPROF_BENCH_DUMP, objects in the dump
# (10000000); MEMPROF_BENCH_SHAPE, events in each log of the shapes (600000).
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ $# -lt 1 ] || [ ! -x "$1/memprof" ] || [ ! -x "$1/memprof-generate" ]; then
    echo "usage: $0 BUILD [FOLDER [FORMAT...]]   (BUILD holds memprof and memprof-generate)" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
runs=${MEMPROF_BENCH_RUNS:-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=${2:-$scratch}
mkdir -p "$folder"
formats=("${@:3}")
if [ ${#formats[@]} -eq 0 ]; then formats=(oemp taligent rpm shapes); fi

floor_source=${MEMPROF_FLOOR:-$root/../shared/bench/floor.c}
floor=
if [ -f "$floor_source" ]; then
    floor=$scratch/floor
    "${CC:-cc}" -O3 -march=native -o "$floor" "$floor_source"
fi
"${CC:-cc}" -O3 -march=native -o "$scratch/graph_floor" "$here/graph_floor.c"

# Rows of 16 columns are objects: the second column is the type, the third the size.
# shellcheck disable=SC2016
awk_program='NF == 16 && $1 + 0 > 0 { bytes[$2] += $3 } END { for (t in bytes) print t, bytes[t] }'

memprof_run() { "$build/memprof" analyze --quiet "$recording"; }
floor_run() { "$floor" "$recording"; }
awk_run() { awk "$awk_program" "$recording"; }
diff_run() { "$build/memprof" diff --quiet "$base" "$recording"; }
graph_floor_run() { "$scratch/graph_floor" "$recording"; }

# Make a recording and its known answer, unless they exist: make_recording NAME ARGUMENT...
make_recording() {
    recording=$folder/$1
    answer=$recording.json
    if [ ! -s "$recording" ] || [ ! -s "$answer" ]; then
        "$build/memprof-generate" "${@:2}" --answer "$answer" -o "$recording"
    fi
}

# Print the N-th of the sorted times of a command in seconds: nth NAME N
nth() { sort -n "$scratch/$1.us" | sed -n "$2p" | awk '{ printf "%.3f", $1 / 1e6 }'; }

# Time commands on the recording, memprof first: compare NAME...
compare() {
    local name begin end median ours size
    rm -f "$scratch"/*.us
    cat "$recording" >/dev/null # into the page cache: all read from memory
    for ((run = 0; run < runs; run++)); do
        for name in "$@"; do
            begin=$(date +%s%N)
            "${name}_run" >/dev/null
            end=$(date +%s%N)
            echo $(((end - begin) / 1000)) >>"$scratch/$name.us"
        done
    done
    size=$(stat -c %s "$recording")
    printf ', %s bytes; %s runs; %s processors\n\n' "$size" "$runs" "$(nproc)"
    printf '%-11s  %10s  %10s  %10s  %10s  %14s\n' command 'median s' 'min s' 'max s' 'MB/s' \
        'memprof/this'
    ours=$(nth "$1" $(((runs + 1) / 2)))
    for name in "$@"; do
        median=$(nth "$name" $(((runs + 1) / 2)))
        printf '%-11s  %10s  %10s  %10s  %10s  %14s\n' "$name" "$median" "$(nth "$name" 1)" \
            "$(nth "$name" "$runs")" \
            "$(awk -v size="$size" -v s="$median" 'BEGIN { printf "%.0f", size / s / 1e6 }')" \
            "$(awk -v a="$ours" -v b="$median" 'BEGIN { printf "%.2f", a / b }')"
    done
}

say_skipped() {
    if [ -z "$floor" ]; then
        echo "floor        skipped: no $floor_source (set MEMPROF_FLOOR to the path of floor.c)"
    fi
}

# Print the first number with that name in the known answer.
answer_of() { grep -o "\"$1\": *[0-9]*" "$answer" | head -n 1 | grep -o '[0-9]*$'; }

# Print the ratio of memprof's time to that of another command: times NAME ALLOWED
times() {
    local middle=$(((runs + 1) / 2))
    awk -v ours="$(nth memprof $middle)" -v theirs="$(nth "$1" $middle)" -v allowed="$2" -v name="$1" '
        BEGIN { printf "\n%s takes %.2f times as long as analyze; %.1f are allowed\n", name,
                       theirs / ours, allowed
                exit theirs / ours > allowed }'
}

# Compare the peak memory of an analysis with the limit: memory ALLOWED WHY
memory() {
    local peak
    peak=$(python3 "$here/peak.py" "$build/memprof" analyze --quiet "$recording")
    awk -v peak="$peak" -v allowed="$1" -v why="$2" 'BEGIN {
        printf "\npeak memory: %.1f MiB; %s = %.1f MiB; %.0f %% of it\n",
               peak / 1048576, why, allowed / 1048576, peak * 100 / allowed
        exit peak > allowed }'
}

bench_oemp() {
    local objects=${MEMPROF_BENCH_OBJECTS:-5000000} snapshots=${MEMPROF_BENCH_SNAPSHOTS:-40} peak
    make_recording "bench-$objects-$((snapshots + 1)).oemp" oemp --version 2 --objects "$objects" \
        --snapshots $((snapshots + 1))
    base=$recording
    cat "$base" >/dev/null
    make_recording "bench-$objects-$snapshots.oemp" oemp --version 2 --objects "$objects" \
        --snapshots "$snapshots"
    printf 'oemp: %s objects, %s snapshots' "$objects" "$snapshots"
    compare memprof diff ${floor:+floor} awk
    times diff 2.2
    say_skipped
    peak=$(answer_of peak_objects)
    memory $((64 * peak + 64 * 1024 * 1024)) "64 bytes x $peak objects alive at once + 64 MiB"
}

bench_taligent() {
    local events=${MEMPROF_BENCH_EVENTS:-5000000} peak
    make_recording "bench-$events.taligent" taligent --events "$events" --frames 8
    printf 'taligent: %s events' "$events"
    compare memprof ${floor:+floor}
    say_skipped
    peak=$(answer_of peak_objects)
    memory $((64 * peak + 128 * 1024 * 1024)) "64 bytes x $peak blocks alive at once + 128 MiB"
}

bench_rpm() {
    local objects=${MEMPROF_BENCH_DUMP:-10000000} references
    make_recording "bench-$objects.gclog" rpm --objects "$objects" --references 4
    references=$(answer_of references)
    printf 'rpm: %s objects, %s references' "$objects" "$references"
    compare memprof graph_floor
    memory $((48 * objects + 12 * references)) \
        "48 bytes x $objects objects + 12 bytes x $references references"
}

# --- shapes ---

# Time a recording (the best of all runs), and compare it with the first of its group: shape GROUP NAME
# ALLOWED RECORDING. The first of a group has no limit.
shape() {
    local begin end best=
    cat "$4" >/dev/null
    for ((run = 0; run < runs; run++)); do
        begin=$(date +%s%N)
        "$build/memprof" analyze --quiet "$4" >/dev/null
        end=$(date +%s%N)
        if [ -z "$best" ] || [ $((end - begin)) -lt "$best" ]; then best=$((end - begin)); fi
    done
    if [ "$1" != "$group" ]; then group=$1 first=$best; fi
    if ! awk -v a="$best" -v b="$first" -v most="$3" -v group="$1" -v name="$2" '
        BEGIN { printf "%-9s  %-28s  %8.3f  %14.2f  %8.1f  %s\n", group, name, a / 1e9, a / b, most,
                       (a / b > most ? "too slow" : "ok")
                exit a / b > most }'; then
        slow=$((slow + 1))
    fi
    shapes=$((shapes + 1))
}

# Make a recording from $recording, and set $derived to its path: derive NAME COMMAND...
derive() {
    if [ ! -s "$folder/$1" ]; then
        "${@:2}" <"$recording" >"$folder/$1.part"
        mv "$folder/$1.part" "$folder/$1"
    fi
    derived=$folder/$1
}

bench_shapes() {
    local events=${MEMPROF_BENCH_SHAPE:-600000} group='' first=0 slow=0 shapes=0 threads derived
    printf 'shapes: what nobody tried; best of %s runs\n\n' "$runs"
    printf '%-9s  %-28s  %8s  %14s  %8s\n' group shape 'min s' 'this/first' allowed
    for threads in 1 16 64 200 2000; do
        make_recording "shape-$events-$threads.taligent" taligent --events "$events" \
            --threads "$threads"
        shape threads "$threads threads" 1.3 "$recording"
    done
    # Lines come up to 9,000 events late, so nearly every event goes through the heap of late events.
    make_recording "shape-$events-16.taligent" taligent --events "$events" --threads 16
    shape order "lines in order" 1.3 "$recording"
    derive "shape-$events-late.taligent" python3 -B -c "import random, sys
chance, lines = random.Random(5), enumerate(sys.stdin)
sys.stdout.writelines(line for _, line in sorted(lines, key=lambda at: at[0] + chance.randrange(9000)))"
    shape order "lines up to 9,000 late" 2 "$derived"
    # Ids of types that are too large for a table of the first few thousand.
    make_recording "shape-$events.gclog" rpm --objects "$events" --references 4
    shape types "type ids from 1" 1.3 "$recording"
    # shellcheck disable=SC2016
    derive "shape-$events-types.gclog" awk '$1 == "t" { $2 = "1000" $2 }
        $1 == "o" { $3 = "1000" $3 } $1 == "r" && NF > 4 { $5 = "1000" $5 } 1'
    shape types "type ids from 65,536" 1.3 "$derived"
    # The references of an object lead anywhere in the heap, in random order.
    make_recording "shape-$events-chain.gclog" rpm --objects "$events" --shape chain
    shape graph "a chain, in order" 1.3 "$recording"
    derive "shape-$events-mixed.gclog" python3 -B "$here/shuffled.py"
    # Each step along the chain is a cache miss.
    shape graph "a chain, in no order" 4 "$derived"
    make_recording "shape-$events-star.gclog" rpm --objects "$events" --shape star
    shape graph "a star" 1.3 "$recording"
    # Ids of objects have gaps between them.
    make_recording "shape-$((events / 6)).oemp" oemp --version 2 --objects $((events / 6)) --snapshots 40
    shape ids "ids one after the other" 1.3 "$recording"
    derive "shape-$((events / 6))-ids.oemp" python3 -B -c "import sys
sys.path[:0] = ['$root/tests', '$root/tests/oracle']
import moved
sys.stdout.write(moved.Recording(sys.stdin.read()).again())"
    # These ids are longer, and each look-up misses the nearest cache: allow 1.3 times the time per byte.
    shape ids "ids at random" "$(awk -v a="$(stat -c %s "$derived")" -v b="$(stat -c %s "$recording")" \
        'BEGIN { printf "%.2f", 1.3 * a / b }')" "$derived"
    printf '\n%s of %s shapes take longer than allowed\n' "$slow" "$shapes"
    [ "$slow" -eq 0 ]
}

for format in "${formats[@]}"; do
    "bench_$format"
    echo
done
