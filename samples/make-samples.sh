#!/bin/sh
# Regenerate all samples: make-samples.sh GENERATOR [DIR]
# This is the only list of the commands that make them.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: $0 GENERATOR [DIR]" >&2
    exit 2
fi
generator=$1
dir=${2:-$(dirname "$0")}
mkdir -p "$dir/answers" "$dir/src/shop"

# name, then the generator's arguments: the recording and its known answer
make() {
    name=$1
    shift
    "$generator" "$@" --answer "$dir/answers/$name.json" -o "$dir/$name"
}

make shop-v1.oemp oemp --version 1
make shop-v2.oemp oemp --version 2
make shop-fixed.oemp oemp --version 2 --fixed --day 1
make shop-reusable-v2.oemp oemp --version 2 --reusable --crlf
make shop-latin1-v1.oemp oemp --version 1 --latin1 --objects 240 --snapshots 6
make shop-running-v2.oemp oemp --version 2 --no-exit
make shop-agent-AS1.oemp oemp --version 2 --session AS-1
make shop-agent-AS2.oemp oemp --version 2 --session AS-2
make shop-requests-AS1.oemp oemp --version 2 --session AS-1 --requests --snapshots 12
make shop-requests-AS2.oemp oemp --version 2 --session AS-2 --requests --snapshots 12

# One recording in two files. Together they are shop-v2.oemp, and have the same answer.
"$generator" oemp --version 2 --last-sequence 4 -o "$dir/shop-part1.oemp"
"$generator" oemp --version 2 --first-sequence 5 -o "$dir/shop-part2.oemp"

make shop-v1.prf prf --version 1
make shop-old-modules-v1.prf prf --version 1 --old-modules --crlf
make shop-v2.prf prf --version 2
make shop-v3.prf prf --version 3
make shop-v4.prf prf --version 4

# Reports of shop-v4.prf, and the debug listing with their source lines.
"$generator" rpt --layout old -o "$dir/shop-old.rpt"
"$generator" rpt --layout new -o "$dir/shop-new.rpt"
"$generator" rpt --layout new --decimal-comma -o "$dir/shop-comma.rpt"
"$generator" dbg -o "$dir/src/shop/placeOrder.dbg"

make shop.taligent taligent
make shop-damaged.taligent taligent --damaged --blanks --crlf
make shop-analysis.taligent taligent --analysis

make shop.heaptrack heaptrack
make shop.massif massif
make shop.dhat dhat
make shop.folded folded
make shop.memcheck memcheck
make shop.lsan lsan

# Three moments of one application, and a file with two application domains.
make shop-1.gclog rpm --dump 1
make shop-2.gclog rpm --dump 2
make shop-3.gclog rpm --dump 3
make shop-domains.gclog rpm --domains 2 --crlf --types-last --no-stamps

# Three moments of a program in JavaScript, and of one in Java.
for moment in 1 2 3; do
    make shop-$moment.hprof hprof --dump $moment
    make shop-$moment.heapsnapshot heapsnapshot --dump $moment
done

# The log of an agent that was rotated while objects were alive, with calls; and the log of a client.
make shop.agent.log dynobjects --trace
"$generator" dynobjects --trace --part 1 -o "$dir/shop.000001.agent.log"
"$generator" dynobjects --trace --part 2 -o "$dir/shop.000002.agent.log"
make shop-client.lg dynobjects --layout client --crlf

# Reports of the objects of one agent, in time, and the report of LeakCheck at the last of these moments.
for moment in 1 2 3; do
    make shop-objects-$moment.json ablobjects --dump $moment
done
make shop-leakcheck.json ablobjects --layout leakcheck --dump 3

# Heap profiles of one program, a minute apart.
for moment in 1 2 3 4 5 6; do
    make shop-$moment.pprof pprof --dump $moment
done
make shop-cpu.pb pprof --layout cpu

# Four moments of a Node server, and its CPU time.
make shop.cpuprofile cpuprofile
for moment in 1 2 3 4; do
    make shop-$moment.heapprofile heapprofile --dump $moment
done

# Heap profiles in text, of C++ and Go programs.
for moment in 1 2 3 4; do
    make shop-$moment.heap gperftools --dump $moment
done
make shop-jemalloc.heap gperftools --layout jemalloc --dump 4
make shop-go.heap gperftools --layout go --dump 4

# The SQL text is the sample. If sqlite3 is installed, it makes the database, whose header contains sqlite3's
# version.
make shop.aqtime.sql aqtime
if command -v sqlite3 >/dev/null; then
    rm -f "$dir/shop-aqtime.sqlite"
    sqlite3 "$dir/shop-aqtime.sqlite" <"$dir/shop.aqtime.sql"
    cp "$dir/answers/shop.aqtime.sql.json" "$dir/answers/shop-aqtime.sqlite.json"
else
    echo "$0: no sqlite3: shop-aqtime.sqlite is not made" >&2
fi
