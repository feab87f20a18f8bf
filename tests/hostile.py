#!/usr/bin/env python3
"""Inputs that are made to exhaust time or memory, and limits on the cost of each.

  tests/hostile.py --memprof PATH [--small] [NAME...]
                            all inputs, or those of names or areas; exit 1 and a line for
                            each fault. --small: smaller inputs and no limits, for builds that
                            users do not have
  tests/hostile.py --keep FOLDER NAME...    make the inputs and keep them
  tests/hostile.py --list                   areas and names
  tests/hostile.py --self-test              a program that costs too much must be detected

An input is a function that writes files into the current folder. Its decorator names its area and the commands
that must handle it. Limits are in seconds of the processor on which they were set. On a slower or shared
processor they are scaled: after a run that takes longer, a fixed piece of work is timed. To add an input, write
a function like these. It names the files as the commands do, uses random numbers only with a seed, and makes an
input `scale` times as large as the fault needs.
"""
import argparse
import collections
import gzip
import io
import json
import os
import pathlib
import re
import resource
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
import zlib

import growing

SECONDS, MEBIBYTES, PRINTED = 2, 300, 20 << 20
GUARD = 60  # CPU seconds after which a run is stopped in any build
YARDSTICK = 0.2  # seconds that the fixed piece of work takes on the reference machine
TRIES = 3  # the best try counts, because other load on a machine only adds time

Case = collections.namedtuple("Case", "area make runs")
CASES = {}


class Run:
    """A command line and its limits: CPU seconds, MiB of memory, bytes of output. `status`: allowed exit
    statuses. `stdin`: the name of a file. `check`: a function that returns what is wrong with standard output,
    or nothing."""

    def __init__(self, *words, status=(0,), seconds=SECONDS, mebibytes=MEBIBYTES, printed=PRINTED,
                 stdin=None, check=None):
        self.words, self.stdin, self.check = [str(word) for word in words], stdin, check
        self.status = (status,) if isinstance(status, int) else status
        self.seconds, self.mebibytes, self.printed = seconds, mebibytes, printed


Done = collections.namedtuple("Done", "status seconds mebibytes printed stderr elapsed")


def hostile(area, *runs):
    """Decorate a function that makes the input of a case. A run may be given as words alone."""
    def note(make):
        CASES[make.__name__] = Case(area, make, [run if isinstance(run, Run) else Run(*run)
                                                 for run in runs])
        return make
    return note


# --- running ---

def start(program, run, folder):
    """Run the command to its end. Keep a little more of its output than is allowed."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (GUARD, GUARD + 1))
    begun = time.monotonic()
    with open(folder / run.stdin if run.stdin else os.devnull, "rb") as stdin, \
            tempfile.TemporaryFile() as stderr, \
            subprocess.Popen([program, *run.words], cwd=folder, stdin=stdin, stderr=stderr,
                             stdout=subprocess.PIPE, preexec_fn=limit) as process:
        parts, length = [], 0
        while part := process.stdout.read(1 << 20):
            if length <= run.printed:
                parts.append(part)
            length += len(part)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        stderr.seek(0)
        return Done(process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024,
                    (b"".join(parts), length), stderr.read(1 << 20), time.monotonic() - begun)


def slowness():
    """Return how much slower this machine is now than the reference machine; at least 1."""
    begun = time.process_time()
    texts = sorted(str(number * 7919 % 1_000_003) for number in range(400_000))
    json.loads(json.dumps(texts))
    return max(1, (time.process_time() - begun) / YARDSTICK)


def start_often(program, run, folder, slow=slowness):
    """Return the first of a few runs that is within its time, otherwise the last. The seconds of a slower run
    are converted to those of the reference machine."""
    for _ in range(TRIES):
        done = start(program, run, folder)
        if done.seconds > run.seconds:
            done = done._replace(seconds=done.seconds / slow())
        if done.seconds <= run.seconds:
            break
    return done


def faults_of(run, done, budgets):
    """Return what is wrong with the end of a run and, if there are limits, with its cost."""
    printed, length = done.printed
    if done.status not in run.status:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        yield f"exit status {done.status}, expected {run.status}: {' / '.join(told[-3:])[:300]}"
        return
    if length > run.printed:
        yield f"prints {length} bytes, {run.printed} are allowed"
    elif run.check and (wrong := run.check(printed)):
        yield wrong
    elif "json" in run.words[1:]:
        try:
            json.loads(printed)
        except ValueError as wrong:
            yield f"no JSON: {wrong}"
    if budgets and done.seconds > run.seconds:
        yield f"takes {done.seconds:.1f} s, {run.seconds} are allowed"
    if budgets and done.mebibytes > run.mebibytes:
        yield f"takes {done.mebibytes:.0f} MiB, {run.mebibytes} are allowed"


def make(case, folder, scale):
    """Make the input in a process of its own, because a run is charged with the memory of its parent."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.chdir(folder)
            case.make(scale)
            status = 0
        finally:
            sys.stdout.flush()
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def hold(program, name, small, out):
    """Return the number of runs of a case that cost too much."""
    case, wrong = CASES[name], 0
    with tempfile.TemporaryDirectory(prefix="hostile.") as place:
        folder = pathlib.Path(place)
        if not make(case, folder, 0.05 if small else 1):
            print(f"{name}: its input cannot be made", file=out)
            return 1
        for run in case.runs:
            done = start(program, run, folder) if small else start_often(program, run, folder)
            faults = list(faults_of(run, done, not small))
            wrong += bool(faults)
            print(f"{'WRONG' if faults else 'ok   '} {done.seconds:6.2f} s {done.mebibytes:6.0f} MiB "
                  f"{done.printed[1]:9d} B  {name}: {' '.join(run.words)}", file=out)
            for fault in faults:
                print(f"      {fault}", file=out)
    return wrong


def self_test():
    """Python takes the place of the program."""
    hog = "x = bytearray(100 << 20)"
    programs = [(Run("-c", "pass"), False), (Run("-c", "exit(3)"), True),
                (Run("-c", "exit(3)", status=3), False), (Run("-c", hog, mebibytes=80), True),
                (Run("-c", hog), False), (Run("-c", "while True: pass"), True),
                (Run("-c", "print('x' * 100)", printed=50), True),
                (Run("-c", "print('{}')", "json"), False), (Run("-c", "print('{')", "json"), True),
                (Run("-c", "print(input())", stdin="in", check=lambda text: text != b"5\n"), False),
                (Run("-c", "print(6)", check=lambda text: "another" * (text != b"5\n")), True),
                (Run("-c", "sum(range(40_000_000))", seconds=0.05), True),
                (Run("-c", "import os; os.kill(os.getpid(), 11)"), True)]
    wrong = 0
    global GUARD
    GUARD = 1
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "in").write_text("5\n")
        for run, expected in programs:
            faults = list(faults_of(run, start(sys.executable, run, folder), True))
            if bool(faults) != expected:
                wrong += 1
                print(f"{run.words}: {faults}")
        busy = Run("-c", "import time\nwhile time.process_time() < 0.5: pass", seconds=0.3)
        for slow, expected in ((1, True), (4, False)):
            done = start_often(sys.executable, busy, folder, lambda slow=slow: slow)
            if bool(list(faults_of(busy, done, True))) != expected:
                wrong += 1
                print(f"a machine that is {slow} times as slow: {done.seconds:.2f} s")
    print(f"hostile.py: self-test, {len(programs) + 2} cases, {wrong} wrong")
    return wrong != 0


# --- recordings ---

def oemp(name, types=('"Temp-table" 1',), sources=(), names=(), nodes=(), objects=(), deleted=()):
    """Write a recording of version 2 with an empty snapshot and one with these rows, so that its objects can
    leak. Its trailers state nothing about objects, so they do not contradict the rows."""
    with open(name, "w", encoding="utf-8") as out:
        for number, tag, filled in ((1, "start", False), (2, "work", True)):
            rows = [sources, names, nodes, objects, [], deleted] if filled else [[]] * 6
            for section in ([f'2 1 {number} "2026-03-02T08:15:30.250+01:00" "AVM-Client" "{tag}" "" "" ? '
                             '"6f1d2c84-93b5-4e0a-8a57-000000000001" "" 0 "hostile.p" "" 0.00 "" "" ""'],
                            [], [] if filled else types, [], [], *rows,
                            [f'{1 + 900000000 * filled} 0 0 0 0 0 0 0 0 "{tag}" {number}']):
                out.writelines(row + "\n" for row in section)
                out.write(".\n")


def oemp_object(number, node=0, line=0, owner=0, type_=1, name=0, size=100):
    return f"{number} {type_} {size} 0 0 {number} {node} {line} 0 0 {owner} 1 {name} 0 0 0"


@hostile("hash", ("top", "plain.oemp"), ("leaks", "plain.oemp", "--format", "json"))
def plain(scale):
    """A normal input, as a reference for the cost of others."""
    oemp("plain.oemp", objects=[oemp_object(i, line=i % 100 + 1) for i in
                                range(1, int(100_000 * scale) + 1)])


# --- names and patterns ---

@hostile("names",
         ("leaks", "name.oemp", "--stack", "[0-9a]+x", "--not-stack", "(([0-9a]+)+)+y"),
         ("leaks", "name.oemp", "--type", "*7*7*7*7*x"),
         ("diff", "name.oemp", "name.oemp", "--normalize", "s/(([0-9]*)*)*a?x/\\2/g"),
         Run("diff", "name.oemp", "name.oemp", "--normalize", "s/7|7.*x/y/g", status=2),
         Run("diff", "name.oemp", "name.oemp", *["--normalize", "s/.*/&&&&/"] * 20, status=2))
def long_names(scale):
    """Names on which an expression that restarts at each character takes minutes."""
    name = "7" * int(80_000 * scale)
    oemp("name.oemp", types=['"Temp-table" 1', f'"{name}" 2'], sources=[f'1 "{name}" 0'],
         nodes=["1 1 0 0"], objects=[oemp_object(1, node=1, line=5, type_=2)])


# --- deep stacks ---

def cut_as_told(key):
    """Each row of the table lists the innermost frame and 64 callers, and is marked if it has more."""
    def check(printed):
        for row in json.loads(printed)[key]:
            frames = row.get("stack_frames", len(row["stack"]))
            if len(row["stack"]) != min(frames, 65) or ("stack_truncated" in row) != (frames > 65):
                return f"a stack of {len(row['stack'])} frames, of {frames}: {row['stack'][:2]}"
        return None
    return check


DEEP = [("leaks", "a.oemp"), ("leaks", "a.oemp", "--limit", "0", "--format", "markdown"),
        ("leaks", "a.oemp", "--limit", "0", "--format", "suppressions"),
        ("analyze", "a.oemp", "--format", "json"), ("calls", "a.oemp"), ("tree", "a.oemp", "--limit", "0"),
        ("top", "a.oemp", "--by", "site", "--format", "csv"), ("growth", "a.oemp", "--by", "site"),
        ("top", "a.oemp", "--by", "node", "--format", "json"),
        ("diff", "a.oemp", "b.oemp"), ("diff", "a.oemp", "b.oemp", "--format", "csv"),
        ("trend", "a.oemp", "b.oemp", "--format", "json"),
        ("baseline", "save", "a.oemp", "--store", ".", "--allow-torn"), ("diff", "a.baseline", "b.oemp"),
        ("baseline", "check", "a.oemp", "--store", ".", "--allow-torn"),
        ("export", "a.oemp", "--to", "aqtime", "-o", "a.sqlite"), ("leaks", "a.sqlite"),
        *(("export", "a.oemp", "--to", name, "-o", "a.out")
          for name in ("pprof", "callgrind", "massif", "dhat")),
        Run("leaks", "a.oemp", "--format", "json", check=cut_as_told("leaks")),
        Run("diff", "a.oemp", "b.oemp", "--status", "unchanged", "--format", "json",
            check=cut_as_told("diff"))]


def deep_oemp(name, depth, turn=1, width=0, line=3):
    """A recursion of `turn` procedures that call each other in turn. There is an object on each level or, with
    a width, that number
    of objects at the innermost level, each called at a different line."""
    nodes = [f"{i} {i % turn + 1} {i - 1} {line if i > 1 else 0}" for i in range(1, depth + 1)]
    nodes += [f"{depth + i} {turn + 1} {depth} {i}" for i in range(1, width + 1)]
    made = range(depth + 1, depth + width + 1) if width else range(1, depth + 1)
    oemp(name, sources=[f'{i} "walk{i}.p" 0' for i in range(1, turn + 2)], nodes=nodes,
         objects=[oemp_object(number, node=node, line=5) for number, node in enumerate(made, 1)])


def one_section(printed):
    """The recursion is a single leak in the suppressions, with everything it created."""
    heads = [line for line in printed.splitlines() if line.startswith(b"[leak")]
    return None if len(heads) == 1 else f"{len(heads)} sections"


@hostile("deep", *DEEP, Run("leaks", "a.oemp", "--format", "suppressions", check=one_section))
def deep_recursion(scale):
    deep_oemp("a.oemp", int(8_000 * scale))
    deep_oemp("b.oemp", int(8_000 * scale), line=4)


@hostile("deep", *DEEP)
def deep_turns(scale):
    """a calls b calls c calls a."""
    deep_oemp("a.oemp", int(8_000 * scale), turn=3)
    deep_oemp("b.oemp", int(8_000 * scale) + 1, turn=3)


@hostile("deep", *DEEP)
def wide_and_deep(scale):
    deep_oemp("a.oemp", 2_000, turn=2, width=int(8_000 * scale))
    deep_oemp("b.oemp", 2_001, turn=2, width=int(8_000 * scale))


@hostile("deep", ("leaks", "a.oemp"), ("diff", "a.oemp", "b.oemp"),
         ("leaks", "a.oemp", "--limit", "0", "--format", "pr"),
         ("baseline", "save", "a.oemp", "--store", ".", "--allow-torn"), ("diff", "a.baseline", "b.oemp"),
         ("export", "a.oemp", "--to", "aqtime", "-o", "a.sqlite"),
         *(("export", "a.oemp", "--to", name, "-o", "a.out")
           for name in ("pprof", "callgrind", "massif", "dhat", "dot", "ndjson")),
         *(("flame", "a.oemp", "--format", name) for name in ("text", "json", "html", "svg")),
         ("treemap", "a.oemp", "--format", "svg"), ("tree", "a.oemp", "--limit", 0, "--min-percent", 0),
         Run("leaks", "a.oemp", "--format", "json", printed=150 << 20, check=cut_as_told("leaks")))
def deepest_recursion(scale):
    deep_oemp("a.oemp", int(64_000 * scale))
    deep_oemp("b.oemp", int(64_000 * scale), line=4)


@hostile("deep", *[(command, "a.taligent", "--quiet") for command in ("leaks", "analyze", "top")],
         ("leaks", "a.taligent", "--quiet", "--limit", "0", "--format", "csv"))
def deep_allocators(scale):
    """An allocator calls itself. Its frames do not name a site on any level."""
    with open("a.taligent", "w", encoding="utf-8") as out:
        for i in range(1, int(1_000 * scale) + 1):
            crawl = "|".join(["operator new(unsigned int)"] * i + ["main"])
            out.write(f"0-1\t{1000 + i}\t0x{i * 64:x}\t32\tTNode\t{crawl}\n")


def first_rows(most):
    def check(printed):
        lines = len(printed.splitlines())
        return f"{lines} lines, {most} are expected at most" if lines > most else None
    return check


@hostile("names", Run("analyze", "roots.gclog", check=first_rows(150)),
         Run("leaks", "roots.gclog", check=first_rows(120)),
         Run("info", "roots.gclog", check=first_rows(80)),
         Run("analyze", "roots.gclog", "--format", "markdown", check=first_rows(150)))
def root_kinds(scale):
    """Each root has a different kind. Ten rows are shown, not all of them."""
    with open("roots.gclog", "w", encoding="ascii") as out:
        out.write("a 2 Shop.exe 444e0b3f\nt a System.String\n")
        for i in range(1, int(100_000 * scale) + 1):
            out.write(f"o {i:x}0 a 10\nr {i:x}0 {i + 100:x} 0\n")


def names_64_kinds(printed):
    kind = json.loads(printed)["retained"][0]["root_kind"].split("+")
    return None if len(kind) == 65 and kind[-1].endswith(" more") else f"{len(kind)} kinds: {kind[-1]}"


@hostile("names", ("analyze", "root.gclog"), ("leaks", "root.gclog"), ("info", "root.gclog"),
         Run("retained", "root.gclog", "--format", "json", check=names_64_kinds))
def kinds_of_one_root(scale):
    """An object has roots of many kinds. A text of each listed object names its kinds of roots."""
    with open("root.gclog", "w", encoding="ascii") as out:
        out.write("a 2 Shop.exe 444e0b3f\nt a System.String\no 10 a 10\n")
        out.writelines(f"r 10 {i + 100:x} 0\n" for i in range(int(100_000 * scale)))


@hostile("dumps", *[(command, name, *more) for name in ("types.gclog", "statics.gclog")
                    for command, *more in (("analyze",), ("leaks",), ("retained", "--by", "type"),
                                           ("retained", "--by", "type", "--limit", 0, "--format", "csv"))])
def equal_groups(scale):
    """No type retains more than another, and neither do the objects that a type declares: the first ten must be
    found all the same."""
    count = int(40_000 * scale)
    pathlib.Path("types.gclog").write_text(growing.rpm_equal_types(count))
    pathlib.Path("statics.gclog").write_text(growing.rpm_equal_statics(count))


@hostile("dumps", *[(*words, name) for name in ("ladder.gclog", "types.gclog") for words in (
    ("retained", "--by", "type"), ("retained", "--by", "type", "--limit", 0, "--format", "csv"),
    ("dominators",), ("analyze",))])
def ladders(scale):
    """Paths meet again at each object, after as many steps as there are objects."""
    count = int(80_000 * scale)
    pathlib.Path("ladder.gclog").write_text(growing.rpm_ladder(count))
    pathlib.Path("types.gclog").write_text(growing.rpm_ladder_of_types(count))


@hostile("dumps", *[Run("path", "chain.gclog", "--type", "*", "--limit", 0, "--format", name, printed=60 << 20)
                    for name in ("text", "json")])
def chain_of_types(scale):
    """Each object has a different type and refers to the next one, so there are many types on each path."""
    pathlib.Path("chain.gclog").write_text(growing.rpm_types(int(32_000 * scale)))


def hprof_record(tag, *parts):
    """A record of an hprof file, or of its heap. Numbers have 4 bytes, tuples are ids of 8 bytes."""
    body = b"".join(part if isinstance(part, bytes) else struct.pack(">Q", part[0]) if isinstance(part, tuple)
                    else struct.pack(">I", part & 0xffffffff) for part in parts)
    return bytes([tag]) + (struct.pack(">II", 0, len(body)) if tag < 0x20 else b"") + body


@hostile("formats", *[(command, name) for name in ("classes.hprof", "traces.hprof")
                      for command in ("analyze", "waste", "leaks")])
def classes_of_classes(scale):
    """Each class is derived from the next one and has an instance before them, or each root has its own thread."""
    count, head = int(20_000 * scale), b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 1)
    name = b"".join(hprof_record(1, (at,), b"C%d" % at) + hprof_record(2, at, (at << 8,), 0, (at,))
                    for at in range(1, count + 1))

    def declared(at, above):
        return hprof_record(0x20, (at << 8,), 0, (above << 8,), *[(0,)] * 5, 16, bytes(4), b"\0\1", (1,), b"\2")
    heap = b"".join(hprof_record(0x21, (at << 32,), 0, (at << 8,), 8, (at + 1 << 32,)) for at in range(1, count + 1))
    heap += b"".join(declared(at, at % count + 1) for at in range(1, count + 1)) + hprof_record(0xff, (1 << 32,))
    pathlib.Path("classes.hprof").write_bytes(head + name + hprof_record(0x1c, heap) + hprof_record(0x2c)[:1] + bytes(8))
    stacks = hprof_record(4, (5,), (1,), (0,), (1,), 1, 7)
    stacks += b"".join(hprof_record(5, at, at, 1, (5,)) for at in range(1, 5 * count))
    heap = declared(1, 0) + hprof_record(0x21, (1 << 32,), 0, (1 << 8,), 8, (0,))
    heap += b"".join(b"\3" + hprof_record(0xff, (1 << 32,), at, 0)[1:] for at in range(1, 5 * count))
    pathlib.Path("traces.hprof").write_bytes(head + name + stacks + hprof_record(0x1c, heap)
                                             + hprof_record(0x2c)[:1] + bytes(8))


@hostile("formats", *[(command, name) for name in ("chain.heapsnapshot", "star.heapsnapshot")
                      for command in ("analyze", "waste")], ("analyze", "nested.heapsnapshot"))
def nodes_of_nodes(scale):
    """Objects are a chain, or all refer to one that refers to all; a value that is not used is nested deeply."""
    count = int(100_000 * scale)
    meta = {"node_fields": ["type", "name", "id", "self_size", "edge_count"], "node_types": [["object", "synthetic"]],
            "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [["property", "element", "shortcut"]]}

    def write(name, nodes, edges, more=""):
        pathlib.Path(name).write_text('{"snapshot":%s,"nodes":[%s],"edges":[%s]%s,"strings":["A","x"]}' % (
            json.dumps({"meta": meta}), ",".join(nodes), ",".join(edges), more))
    top = "1,0,1,0,1"
    chain = [top, *(f"0,0,{2 * at + 3},16,{1 if at < count - 1 else 0}" for at in range(count))]
    links = ["2,1,5", *(f"0,1,{5 * at + 10}" for at in range(count - 1))]
    write("chain.heapsnapshot", chain, links)
    write("nested.heapsnapshot", chain[:2], links[:1] + ["0,1,5"], ',"x":' + "[" * 10 * count + "]" * 10 * count)
    write("star.heapsnapshot", [top, f"0,0,3,16,{count}", *(f"0,0,{2 * at + 5},16,1" for at in range(count))],
          ["2,1,5", *(f"1,{at},{5 * at + 10}" for at in range(count)), *["0,1,5"] * count])


@hostile("formats", *[(command, name) for name in ("deep.memcheck", "threads.heap", "deep.folded", "moments.massif",
                                                   "deep.dhat") for command in ("analyze", "check")])
def long_records(scale):
    """A stack has very many frames, a record very many threads, a profile very many moments without a tree."""
    count = int(200_000 * scale)
    frame = "<frame>\n<ip>0x1</ip>\n<fn>f</fn>\n<file>a.c</file>\n<line>3</line>\n</frame>\n"
    pathlib.Path("deep.memcheck").write_text(
        '<?xml version="1.0"?>\n<valgrindoutput>\n<protocolversion>4</protocolversion>\n'
        "<protocoltool>memcheck</protocoltool>\n<pid>1</pid>\n<state>FINISHED</state>\n<error>\n<kind>Leak_DefinitelyLost"
        "</kind>\n<xwhat>\n<leakedbytes>9</leakedbytes>\n<leakedblocks>1</leakedblocks>\n</xwhat>\n<stack>\n"
        + frame * count + "</stack>\n</error>\n</valgrindoutput>\n")
    pathlib.Path("threads.heap").write_text(
        "heap_v2/524288\n  t*: 1: 100 [2: 200]\n@ 0x400100\n  t*: 1: 100 [2: 200]\n"
        + "".join(f"  t{at}: 1: 100 [2: 200]\n" for at in range(count)) + "\nMAPPED_LIBRARIES:\n")
    pathlib.Path("deep.folded").write_text("a;b 1\n" + ";".join(f"f{at}" for at in range(count)) + " 5\n")
    moment = "#-----------\nsnapshot=%d\n#-----------\ntime=%d\nmem_heap_B=%d\nmem_heap_extra_B=0\n" \
             "mem_stacks_B=0\nheap_tree=%s\n"
    pathlib.Path("moments.massif").write_text(
        "desc: x\ncmd: a\ntime_unit: i\n" + "".join(moment % (at, at, 9, "empty") for at in range(count // 4))
        + moment % (count // 4, count // 4, 9, "detailed") + "n0: 9 0x1: main (a.c:3)\n")
    point = {"tb": 9, "tbk": 1, "gb": 9, "gbk": 1, "eb": 9, "ebk": 1, "fs": [1] * count}
    pathlib.Path("deep.dhat").write_text(json.dumps(
        {"dhatFileVersion": 2, "mode": "heap", "bklt": True, "tu": "instrs", "pid": 1, "te": 9, "tg": 5,
         "pps": [point], "ftbl": ["[root]", "0x1: main (a.c:3)"]}))


@hostile("names", *[Run(command, "sessions", "--group", "all", check=first_rows(150))
                    for command in ("info", "analyze", "leaks", "growth")])
def sessions(scale):
    """Each file is a session."""
    os.mkdir("sessions")
    for i in range(int(2000 * scale)):
        oemp(f"sessions/{i}.oemp", objects=[oemp_object(1)])
        path = pathlib.Path(f"sessions/{i}.oemp")
        path.write_text(path.read_text().replace("000000000001", f"{i:012x}"))


@hostile("series", *[("growth", name, "--by", "site", "--limit", 0, "--format", "json")
                     for name in ("steps.oemp", "stairs.oemp", "waves.oemp")],
         ("growth", "steps.oemp", "--by", "site", "--limit", 0), ("gate", "policy", "steps.oemp"),
         ("gate", "percent", "steps.oemp"), ("growth", "folder", "--by", "site"))
def sites_of_snapshots(scale):
    """Each site has slopes between any two snapshots: sites that rise once, several times, or many times."""
    count = int(6_000 * scale)
    for name, snapshots, sites, times in (("steps", count, count, 1), ("stairs", 1_500, count, 3),
                                          ("waves", 1_500, int(200 * scale), 150)):
        pathlib.Path(f"{name}.oemp").write_text(growing.oemp_steps(snapshots, sites, times))
    pathlib.Path("policy").write_text("growth of each site per snapshot <= 1 GiB\n"
                                      "trend of each site <= 1 GiB\n")
    pathlib.Path("percent").write_text("growth of each site per snapshot <= 10 %\n")
    os.mkdir("folder")
    text = growing.oemp_steps(1_500, int(1_500 * scale), 3)
    for i in range(10):
        pathlib.Path(f"folder/{i}.oemp").write_text(text.replace("-9a0c-", f"-9a0{i}-"))


@hostile("series", *[("growth", "log.taligent", "--quiet", "--limit", 0, "--slices", 10_000, "--format", name,
                      "--by", by) for name, by in (("json", "thread"), ("html", "site"))])
def threads_of_slices(scale):
    """The same with threads and sites of a heap log."""
    pathlib.Path("log.taligent").write_text(growing.log(
        (f"1-{i % int(5_000 * scale)}", 1000 + i, hex(0xb0000000 + 64 * i), 16, "novtbl", f"f{i % 9_000}()|main")
        for i in range(int(40_000 * scale))))


# --- rules and sites ---

def many_sites(count, name="p.oemp"):
    """Each object has a different type and source."""
    one = growing.Recording()
    for i in range(1, count + 1):
        one.add("types", f'"T{i}" {i + 100}')
        one.source(i, f"s{i}.p")
        one.node(i, i, 0, 0)
        one.object(i, node=i, line=i, type_=i + 100)
    pathlib.Path(name).write_text(one.done())


RULES = {"new": (1_000, 'r{}: no new leak site of source "*{}*" if any'),
         "unknown": (1_000, 'r{}: no new site of source "*{}*" if any\nx{}: no new site'),
         "each": (1_000, 'live of each site "*{}*" <= 1 GiB if any'),
         "types": (20_000, 'live of type "T{}" <= 1 GiB'),
         "wild": (20_000, 'leaked of source "*{}*" <= 1 GiB'),
         "failing": (2_000, 'r{}: live of each site <= {}'),
         "growth": (2_000, 'growth of source "*{}*" <= 1 GiB')}
BASES = {"new": "p.oemp", "unknown": "empty.oemp"}


def judged_or_told(printed):
    """A rule that was not judged must say so, and must not pass."""
    rules = json.loads(printed)["rules"]
    odd = [rule for rule in rules if rule["status"] not in ("pass", "fail")
           and not ("use a separate policy" in rule["message"] and rule["status"] == "error")]
    return f"{len(odd)} of {len(rules)} are neither judged nor told, as {odd[0]}" if odd else None


def passed_or_told(printed):
    """With few sites, all rules are judged and the gate passes."""
    told, passes = b"use a separate policy" in printed, bool(re.search(rb"Verdict +pass", printed))
    return f"{'not ' if told else ''}all rules are judged, and it passes: {passes}" if told == passes else None


@hostile("rules", *[Run("gate", name, "p.oemp", *(["--base", BASES[name]] if name in BASES else []), "--format",
                        "json", status=(0, 1, 3), check=judged_or_told) for name in RULES],
         Run("gate", "wild", "p.oemp", status=(0, 3), check=passed_or_told))
def rules_of_sites(scale):
    many_sites(int(20_000 * scale))
    many_sites(0, "empty.oemp")
    for name, (count, rule) in RULES.items():
        pathlib.Path(name).write_text("".join(rule.format(i, i, i) + "\n"
                                              for i in range(1, int(count * scale) + 1)))


SUPPRESSIONS = {"types": "type = T{}", "sources": "source = *{}", "frames": "stack = ^s{}[.]p", "none": "stack = s{}x"}


@hostile("rules", *[("leaks", "p.oemp", "--suppress", name, "--limit", 5, "--format", "json")
                    for name in SUPPRESSIONS])
def suppressions_of_sites(scale):
    many_sites(int(20_000 * scale))
    for name, pattern in SUPPRESSIONS.items():
        pathlib.Path(name).write_text("".join(f"[s{i}]\n{pattern.format(i)}\nreason = r\n"
                                              for i in range(1, int(10_000 * scale) + 1)))


# --- colliding ids and names ---

BITS = (1 << 64) - 1


def unshift(value, bits):
    """Return the x for which x ^ x >> bits is the value."""
    x = value
    for _ in range(64 // bits):
        x = value ^ x >> bits
    return x


def unmixed(value):
    """Return the number that SplitMix64's finaliser, which has no key, turns into the value."""
    value = unshift(value, 31) * pow(0x94d049bb133111eb, -1, 1 << 64) & BITS
    value = unshift(value, 27) * pow(0xbf58476d1ce4e5b9, -1, 1 << 64) & BITS
    return unshift(value, 30)


def colliding(count):
    """Return ids whose hashes by SplitMix64 end in the same 32 bits."""
    return [unmixed(i << 32 | 1) for i in range(1, count + 1)]


def xxh3_of_eight(text):
    """Return XXH3 without a seed, of eight bytes."""
    value = int.from_bytes(text[4:], "little") + (int.from_bytes(text[:4], "little") << 32)
    value ^= 0x1cad21f72c81017c ^ 0xdb979083e96dd4de
    turned = (value << 49 | value >> 15) ^ (value << 24 | value >> 40)
    value = (value ^ turned) * 0x9fb21c651e98df25 & BITS
    value = (value ^ (value >> 35) + 8) * 0x9fb21c651e98df25 & BITS
    return value ^ value >> 28


def crowded(count):
    """Return names that share an eighth of any table with 2^18 slots."""
    number, names = 0, []
    while len(names) < count:
        number += 1
        if xxh3_of_eight(b"%08x" % number) & 0x38000 == 0:
            names.append("%08x" % number)
    return names


@hostile("hash", ("top", "ids.oemp"), ("info", "ids.oemp"))
def colliding_ids(scale):
    oemp("ids.oemp", names=[f'{number} "a"' for number in colliding(int(100_000 * scale))])


@hostile("hash", ("top", "names.oemp"), ("top", "names.gclog"), ("top", "names.taligent"))
def colliding_names(scale):
    names = crowded(int(120_000 * scale))
    oemp("names.oemp", names=[f'{i} "{name}"' for i, name in enumerate(names, 1)])
    with open("names.gclog", "w", encoding="utf-8") as out:
        out.write("a 2 a.exe 1\n")
        out.writelines(f"t {i:x} {name}\no {i:x} {i:x} 10\n" for i, name in enumerate(names, 1))
    with open("names.taligent", "w", encoding="utf-8") as out:
        out.write("Thread\tTime of event\tAddress\tSize\tType\tStack crawl\n")
        out.writelines(f"1-1\t{759537687556618 + i}\t0x{i * 16:x}\t16\tnovtbl\t{name}\n"
                       for i, name in enumerate(names, 1))


@hostile("hash", ("top", "origins.oemp"))
def colliding_origins(scale):
    """Lines whose differences are lost if they are shifted by 40."""
    oemp("origins.oemp", objects=[oemp_object(i, line=i << 24) for i in
                                  range(1, int(60_000 * scale) + 1)])


@hostile("hash", ("top", "nodes.oemp"), ("leaks", "nodes.oemp"), ("calls", "nodes.oemp"))
def undefined_nodes(scale):
    """Call-tree nodes that differ only in their numbers."""
    oemp("nodes.oemp", objects=[oemp_object(i, node=i) for i in
                                range(1, int(60_000 * scale) + 1)])


@hostile("hash", ("top", "sources.oemp"), ("calls", "sources.oemp"))
def undefined_sources(scale):
    """The same with the sources that the nodes call."""
    numbers = range(1, int(60_000 * scale) + 1)
    oemp("sources.oemp", nodes=[f"{i} {i} 0 0" for i in numbers],
         objects=[oemp_object(i, node=i) for i in numbers])


# --- databases ---

AQ = "ALLOCATION_PROFILER_"
AQ_OBJECTS = ("INST_ID, ID, REC_ID, COL_CLASSRID, COL_SIZE, COL__, COL_ADDRESS, COL_GET_, COL_ROOT,"
              " COL_THREADRID")
AQ_CLASSES = ("INST_ID, REC_ID, COL_CLASS_NAME, COL_NAMESPACE, COL_MODULE_NAME, COL_FINALIZABLE,"
              " COL_LIVE_COUNT, COL_LIVE_SIZE, COL_PEAK_CREATED, COL_PEAK_SIZE, COL_TOTAL_CREATED,"
              " COL_TOTAL_SIZE")


def database(statements="", name="a.sqlite", objects=AQ_OBJECTS, page=4096, rows=()):
    """Write a database. `rows`: pairs of a statement and its values."""
    made = sqlite3.connect(name, isolation_level=None)
    made.executescript(f"PRAGMA page_size = {page}; PRAGMA journal_mode = OFF; BEGIN;"
                       f"CREATE TABLE INSTANCES (INST_ID, CAPTION);"
                       f"CREATE TABLE {AQ}OBJECTS ({objects});"
                       f"CREATE TABLE {AQ}CLASSES_DATA ({AQ_CLASSES});" + statements)
    for statement, values in rows:
        made.executemany(statement, values)
    made.execute("COMMIT")
    made.close()


def change_schema(statement, *values, name="a.sqlite"):
    made = sqlite3.connect(name, isolation_level=None)
    made.executescript("PRAGMA journal_mode = OFF; PRAGMA writable_schema = ON;")
    made.execute(f"UPDATE sqlite_master SET {statement} WHERE name = '{AQ}OBJECTS'", values)
    made.close()


def objects_in(pages, page=4096, name="a.sqlite"):
    """Append pages, and make the first one the root of the table of objects. Functions make the pages; they get
    the number of the first one."""
    file = pathlib.Path(name)
    first = file.stat().st_size // page + 1
    with file.open("r+b") as out:
        out.seek(28)
        out.write((first + len(pages) - 1).to_bytes(4, "big"))
        out.seek(0, os.SEEK_END)
        for make_page in pages:
            out.write(make_page(first).ljust(page, b"\0"))
    change_schema(f"rootpage = {first}")


def varint(number):
    out = bytes([number & 0x7f])
    while number := number >> 7:
        out = bytes([number & 0x7f | 0x80]) + out
    return out


def page_of(cells, page=4096, last=None, same=False):
    """Return a page of rows or, if there is a last child, of children. `same`: put all cells at the same place."""
    out, at, places = b"", page, []
    for cell in cells:
        if not same or not places:
            at -= len(cell)
            out = cell + out
        places.append(at)
    header = (bytes([13 if last is None else 5]) + b"\0\0" + len(cells).to_bytes(2, "big") +
              (at % 65536).to_bytes(2, "big") + b"\0" +
              (b"" if last is None else last.to_bytes(4, "big")) +
              b"".join(place.to_bytes(2, "big") for place in places))
    return header.ljust(at, b"\0") + out


def child(page, row):
    return page.to_bytes(4, "big") + varint(row)


BAD_DATABASE = [Run("leaks", "a.sqlite", status=3), Run("leaks", "-", status=3, stdin="a.sqlite")]
GOOD_DATABASE = [Run("leaks", "a.sqlite"), Run("leaks", "-", stdin="a.sqlite")]


@hostile("sqlite", *GOOD_DATABASE)
def computed_columns(scale):
    """The database computes the columns. Each takes twice as long as the one before."""
    last = int(25 * scale ** 0.1)
    chain = ", ".join(f"g{i + 1} AS (g{i} || g{i})" for i in range(last))
    database(objects=f"INST_ID, ID, REC_ID, COL_CLASSRID, COL__, COL_GET_, g0, {chain}, "
                     f"COL_SIZE AS (length(g{last})), rowid AS (length(g{last}))",
             rows=[(f"INSERT INTO {AQ}OBJECTS (INST_ID, ID, g0) VALUES (1, ?, 'aaa')",
                    ([i] for i in range(20)))])


@hostile("sqlite", *BAD_DATABASE)
def view_as_table(_):
    """An object in the list of tables is an endless view."""
    database()
    change_schema("sql = ?", f"CREATE VIEW {AQ}OBJECTS ({AQ_OBJECTS}) AS WITH RECURSIVE n (i) AS "
                             f"(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1, i, i, 1, 1, i, i, "
                             f"1, 0, 0 FROM n")


@hostile("sqlite", *BAD_DATABASE)
def pages_twice(_):
    """Each page refers to the next one many times: 60^12 rows in 8 KB."""
    database(page=512)
    depth, row = 12, varint(3) + varint(1) + b"\x03\x09\x09"
    objects_in([lambda first, i=i: page_of([child(first + i + 1, k + 1) for k in range(60)], 512,
                                           last=first + i + 1) for i in range(depth)] +
               [lambda _: page_of([row], 512)], 512)


@hostile("sqlite", *BAD_DATABASE)
def rows_in_one_place(_):
    """All rows of a page are the same bytes, on many pages: 30,000 bytes, 600,000 times."""
    database(page=65536)
    payload = b"\x05" + varint(13 + 2 * 30_000) + b"\x09" + b"1" * 30_000
    row = varint(len(payload)) + varint(1) + payload
    pages = 60
    objects_in([lambda first: page_of([child(first + k + 1, k + 1) for k in range(pages)], 65536,
                                      last=first + pages + 1)] +
               [lambda _: page_of([row] * 10_000, 65536, same=True)] * (pages + 1), 65536)


@hostile("sqlite", *BAD_DATABASE)
def ends_shared(_):
    """Thousands of long rows share their overflow pages."""
    database()
    usable, pages, local = 4096, 220, (4096 - 12) * 32 // 255 - 23
    text = local + pages * (usable - 4) - 5
    whole = b"\x05\x09" + varint(13 + 2 * text) + b"a" * text

    def row(first, number):
        return varint(len(whole)) + varint(number) + whole[:local] + (first + 1).to_bytes(4, "big")

    def chain(i):
        return lambda first: ((first + i + 2 if i + 1 < pages else 0).to_bytes(4, "big") +
                              b"a" * (usable - 4))
    each, leaves = (usable - 16) // (local + 12), 400
    objects_in([lambda first: page_of([child(first + 1 + pages + k, (k + 1) * each)
                                       for k in range(leaves)], last=first + 1 + pages + leaves)] +
               [chain(i) for i in range(pages)] +
               [lambda first, k=k: page_of([row(first, k * each + i + 1) for i in range(each)])
                for k in range(leaves + 1)])


@hostile("sqlite", *GOOD_DATABASE)
def long_default(scale):
    """A column that was added later. Its default, which applies to each row, is stored once, in the schema."""
    database(rows=[(f"INSERT INTO {AQ}OBJECTS (INST_ID, ID) VALUES (1, ?)",
                    ([i] for i in range(int(200_000 * scale))))],
             objects="INST_ID, ID, REC_ID, COL_CLASSRID, COL_SIZE")
    change_schema("sql = ?", f"CREATE TABLE {AQ}OBJECTS (INST_ID, ID, REC_ID, COL_CLASSRID, COL_SIZE,"
                             f" COL__ DEFAULT '{'1' * 100_000}')")


@hostile("sqlite", *BAD_DATABASE)
def large_schema(scale):
    """Views that define tens of thousands of names each, and are never used."""
    database()
    names = ", ".join(f"{AQ}{i} AS (SELECT 1)" for i in range(int(24_000 * scale)))
    made = sqlite3.connect("a.sqlite", isolation_level=None)
    made.executescript("PRAGMA journal_mode = OFF; PRAGMA writable_schema = ON; BEGIN")
    made.executemany("INSERT INTO sqlite_master VALUES ('view', ?, ?, 0, ?)",
                     ([f"v{i}", f"v{i}", f"CREATE VIEW v{i} AS WITH {names} SELECT 1"]
                      for i in range(4)))
    made.execute("COMMIT")
    made.close()


@hostile("sqlite", *GOOD_DATABASE, ("growth", "a.sqlite"), ("snapshots", "a.sqlite"),
         ("check", "a.sqlite", "--quiet"))
def many_sets(scale):
    """As many result sets as classes; each set has a class that no other set has."""
    count = int(40_000 * scale)
    database(rows=[("INSERT INTO INSTANCES VALUES (?, NULL)", ([i + 1] for i in range(count))),
                   (f"INSERT INTO {AQ}CLASSES_DATA (INST_ID, REC_ID, COL_CLASS_NAME, COL_LIVE_COUNT)"
                    f" VALUES (?, ?, ?, 0)", ([i + 1, i, f"T{i}"] for i in range(count)))])


@hostile("sqlite", *GOOD_DATABASE, ("gate", "a.policy", "a.sqlite"),
         ("gate", "b.policy", "a.sqlite", "--base", "a.sqlite"),
         Run("gate", "all.policy", "a.sqlite", status=3))
def many_classes(scale):
    """Each object has a different class. A third of the objects refer to others; the references of the others
    are not recorded, so what the classes of these retain cannot be judged."""
    count = int(20_000 * scale)
    database(f"CREATE TABLE {AQ}REFERENCES_TO (INST_ID, PARENT_ID, REC_ID);",
             rows=[(f"INSERT INTO {AQ}CLASSES_DATA (INST_ID, REC_ID, COL_CLASS_NAME) VALUES (1, ?, ?)",
                    ([i, f"{'N' if i % 3 else 'T'}{i}"] for i in range(count))),
                   (f"INSERT INTO {AQ}OBJECTS VALUES (1, ?, ?, ?, 10, ?, ?, 1, ?, NULL)",
                    ([i, i, i, i, i, i % 3 == 0] for i in range(count))),
                   (f"INSERT INTO {AQ}REFERENCES_TO VALUES (1, ?, ?)",
                    ([i, i + 3] for i in range(0, count - 3, 3)))])
    pathlib.Path("a.policy").write_text('a: retained of each type "T*" <= 1000\n')
    pathlib.Path("all.policy").write_text("all: retained of each type <= 1000\n")
    pathlib.Path("b.policy").write_text('b: retained of each type "T*" <= base\n')


@hostile("hash", ("leaks", "owners.oemp"), ("top", "owners.oemp", "--by", "scope"))
def owners(scale):
    """Each object has a different owner, and every second owner is never recorded."""
    first, count = 10_000_000, int(400_000 * scale)
    oemp("owners.oemp", sources=['1 "main.p" 0'], nodes=[f"{i} 1 0 {i}" for i in range(1, 51)],
         objects=[oemp_object(first + i, node=1 + i % 50, line=1 + i % 20,
                              owner=first + i - 1 if i % 2 else 90_000_000 + i)
                  for i in range(count)])


# --- many files ---

def many_files(count, sequence=None):
    """Write many small recordings, or parts of one recording."""
    oemp("part", sources=['1 "main.p" 0', '2 "a.p" 0'], nodes=["1 1 0 0", "2 2 1 7"],
         objects=[oemp_object(k, node=2, line=10 + k % 5, size=123456789) for k in range(1, 21)])
    text = pathlib.Path("part").read_text(encoding="utf-8")
    os.remove("part")
    os.mkdir("folder")
    for i in range(1, count + 1):
        one = (text.replace("123456789", str(100 + i))
               .replace("000000000001", f"{sequence or i:012}"))
        with open(f"folder/m.{i:05}.oemp", "w", encoding="utf-8") as out:
            out.write(one.replace("2 1 1", f"2 1 {i}", 1) if sequence else one)


@hostile("folders", ("leaks", "folder"), ("snapshots", "folder"),
         Run("analyze", "folder", mebibytes=200),
         Run("analyze", "folder", "--format", "json", printed=250 << 20, mebibytes=180, seconds=3),
         Run("analyze", "folder", "--format", "json", "--limit", 0, printed=250 << 20, mebibytes=240, seconds=3),
         *(Run("leaks", "folder", "--format", how, printed=250 << 20) for how in ("csv", "json")),
         ("leaks", "folder", "--group", "all"), ("trend", "folder"))
def folder_of_recordings(scale):
    many_files(int(20_000 * scale))


@hostile("folders", ("leaks", "folder"), ("top", "folder"))
def folder_of_copies(scale):
    """Parts of one recording, each of which may be a copy of another."""
    many_files(int(8_000 * scale), sequence=1)


# --- numbers ---

@hostile("numbers", Run("leaks", "large.oemp", "--max-leaked", 2**53 + 3, status=1),
         ("leaks", "large.oemp", "--max-leaked", 2**53 + 4), ("gate", "holds", "large.oemp"),
         Run("gate", "exceeded", "large.oemp", status=1), Run("gate", "unequal", "large.oemp", status=1))
def limits_beyond_doubles(_):
    """Limits that are a byte above or below the leak, but would equal it as doubles."""
    oemp("large.oemp", objects=[oemp_object(1, size=2**53), oemp_object(2, size=4)])
    path = pathlib.Path("large.oemp")
    path.write_text(path.read_text(encoding="utf-8").replace('"_Exit"', '"end"'), encoding="utf-8")
    for name, rule in (("holds", f"== {2**53 + 4}"), ("exceeded", f"<= {2**53 + 3}"), ("unequal", f"== {2**53 + 5}")):
        pathlib.Path(name).write_text(f"leaked {rule}\n", encoding="utf-8")


def one_line_known(printed):
    """One of the four leaking sites has a line; the others are one site whose line is unknown."""
    sites = [(row.get("line"), row["objects"]) for row in json.loads(printed)["leaks"]]
    return sites != [(None, 3), (5, 1)] and f"sites {sites}"


@hostile("numbers", Run("leaks", "lines.oemp", "--format", "json", check=one_line_known))
def lines_beyond_integers(_):
    """Line numbers that would be different, or negative, if they were cut to 32 bits."""
    oemp("lines.oemp", sources=['1 "a.p" 0'], nodes=["1 1 0 0"],
         objects=[oemp_object(i, node=1, line=line) for i, line in enumerate((5, 2**31, 2**31 + 1, 2**40), 1)])
    path = pathlib.Path("lines.oemp")
    path.write_text(path.read_text(encoding="utf-8").replace('"_Exit"', '"end"'), encoding="utf-8")


# --- threads ---

def in_order(printed):
    """Duplicate rows are reported before the line after them, which is too long."""
    codes = [one["code"] for one in json.loads(printed)["diagnostics"]]
    seen = [code for code in codes if code in ("object-exists", "long-line")]
    return seen != ["object-exists"] * 3 + ["long-line"] and f"tells {seen}"


@hostile("threads", Run("info", "long.oemp", "--max-line", "1K", "--format", "json", check=in_order))
def long_line_behind_rows(scale):
    """Two threads read and replay. The reading thread is ahead, but must not report its faults before those of
    the replay."""
    rows = [oemp_object(i) for i in range(1, int(200_000 * scale) + 1)]
    oemp("long.oemp", objects=rows + rows[:3] + ["7" * 2000])


# --- the command line ---

# --- what is packed ---

ONE = 'shop.oemp'


def recording():
    """Return the bytes of a small recording."""
    oemp(ONE, objects=[oemp_object(number) for number in range(1, 4)])
    return pathlib.Path(ONE).read_bytes()


def zeros(write, size):
    """Write zeros piece by piece."""
    piece = bytes(1 << 20)
    while size > 0:
        write(piece[:min(size, len(piece))])
        size -= len(piece)


@hostile("packed", Run("leaks", "zeros.gz", status=3), Run("info", "-", stdin="zeros.gz", status=3),
         Run("check", "lines.gz", status=(1, 3)), Run("leaks", "zeros.zip", status=(0, 3)),
         Run("leaks", "zeros.tar.gz", status=3))
def bombs(scale):
    """Ten gigabytes of zeros, alone and after the head of a recording, as 10 MB of gzip: many members of one
    stream."""
    head = gzip.compress(recording()[:-20])
    piece = gzip.compress(bytes(64 << 20), 9)
    with open("zeros.gz", "wb") as file:
        for _ in range(int(160 * scale) or 1):
            file.write(piece)
    with open("lines.gz", "wb") as file:
        file.write(head + pathlib.Path("zeros.gz").read_bytes())
    with zipfile.ZipFile("zeros.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("zeros.oemp", "w", force_zip64=True) as member:
            member.write(recording()[:-20])
            zeros(member.write, int((128 << 20) * scale))
    with tarfile.open("zeros.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("zeros.txt")
        info.size = int((128 << 20) * scale)
        archive.addfile(info, Zeros(info.size))


class Zeros:
    """A file of zeros."""

    def __init__(self, size):
        self.left = size

    def read(self, size):
        size = min(size, self.left)
        self.left -= size
        return bytes(size)


@hostile("packed", Run("leaks", "overlap.zip", status=(0, 3)), Run("info", "-", stdin="overlap.zip", status=(0, 3)))
def overlapping_members(scale):
    """Many names in a zip's directory refer to the same bytes."""
    kernel = recording() + b"\n" * int(scale * (8 << 20))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(kernel) + packer.flush()
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 8, 0, 0, zlib.crc32(kernel), len(data),
                        len(kernel), 1, 0) + b"a" + data
    names = [b"%05d.oemp" % number for number in range(int(2000 * scale) or 1)]
    directory = b"".join(
        struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, 0, 8, 0, 0, zlib.crc32(kernel), len(data),
                    len(kernel), len(name), 0, 0, 0, 0, 0, 0) + name for name in names)
    end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, len(names), len(names), len(directory), len(local), 0)
    pathlib.Path("overlap.zip").write_bytes(local + directory + end)


@hostile("packed", Run("leaks", "deep.gz", status=3), Run("leaks", "deep.zip", status=3))
def nested_packings(scale):
    """A hundred nested compressions. A file that decompresses to itself would be endless."""
    data, archive = recording(), recording()
    for _ in range(int(100 * scale) or 10):
        data = gzip.compress(data)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as file:
            file.writestr("inner.zip", archive)
        archive = packed.getvalue()
    pathlib.Path("deep.gz").write_bytes(data)
    pathlib.Path("deep.zip").write_bytes(archive)


@hostile("packed", *(Run("leaks", name, *words, "--limit", 5)
                     for name in ("backwards.tar.gz", "backwards.zip", "inside.zip")
                     for words in ([], ["--group", "all"])),
         Run("info", "backwards.tar.gz:000000.oemp"))
def members_backwards(scale):
    """Members whose order in the archive differs from the order of their names: in one stream, after a
    directory, and in a nested archive."""
    data = recording()
    with tarfile.open("backwards.tar.gz", "w:gz", compresslevel=1) as archive, \
            zipfile.ZipFile("backwards.zip", "w", zipfile.ZIP_DEFLATED) as other:
        for number in range(int(3000 * scale) or 1)[::-1]:
            own = data.replace(b"-000000000000", b"-%012d" % number)
            info = tarfile.TarInfo(f"{number:06}.oemp")
            info.size = len(own)
            archive.addfile(info, io.BytesIO(own))
            other.writestr(info.name, own)
    with zipfile.ZipFile("inside.zip", "w") as outer:
        outer.write("backwards.tar.gz")


@hostile("packed", Run("leaks", "names.tar", "--limit", 5, status=(0, 3)),
         Run("leaks", "many.zip", status=3), Run("leaks", "sparse.tar"),
         Run("leaks", "sparse.tar", "--max-leaked", "1G", status=3))
def odd_members(scale):
    """Names that lead elsewhere, are not text or occur twice; very many members; wrong sizes."""
    data = recording()
    with tarfile.open("names.tar", "w") as archive:
        for name in ("../../etc/passwd", "/etc/shadow", "a\x1b[2Jb", "a\nb", "caf\udce9", "twice", "twice",
                     "x" * 5000, "a:b", "-", "./dot/./x"):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with zipfile.ZipFile("many.zip", "w") as archive:
        for number in range(int(20_000 * scale) or 1):
            archive.writestr(str(number), "")
    info = tarfile.TarInfo("sparse.oemp")
    info.size = 1 << 42
    pathlib.Path("sparse.tar").write_bytes(info.tobuf(tarfile.GNU_FORMAT) + data)


def main():
    parser = argparse.ArgumentParser(description="What hostile inputs may cost.")
    parser.add_argument("--memprof", type=pathlib.Path, help="the program")
    parser.add_argument("--small", action="store_true", help="smaller inputs, no budgets")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="only make the inputs")
    parser.add_argument("--list", action="store_true", help="what there is")
    parser.add_argument("--self-test", action="store_true", help="see that what costs is told")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of inputs or of areas")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    areas = {case.area for case in CASES.values()}
    unknown = [name for name in options.names if name not in CASES and name not in areas]
    if unknown:
        parser.error(f"there is no {unknown[0]}")
    names = [name for name, case in CASES.items()
             if not options.names or name in options.names or case.area in options.names]
    if options.list:
        print("\n".join(f"{CASES[name].area:8} {name}" for name in names))
        return 0
    if options.keep:
        for name in names:
            (options.keep / name).mkdir(parents=True, exist_ok=True)
            make(CASES[name], options.keep / name, 1)
        return 0
    if not options.memprof:
        parser.error("--memprof says which program to run")
    wrong = sum(hold(options.memprof.resolve(), name, options.small, sys.stdout) for name in names)
    print(f"hostile.py: {len(names)} inputs, {wrong} runs are wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
