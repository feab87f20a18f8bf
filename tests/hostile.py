#!/usr/bin/env python3
"""Inputs that somebody made to bring the program to its knees: what each of them may cost.

  tests/hostile.py --memprof PATH [--small] [NAME...]
                            each input, or those named, or those of an area; exit 1 and a line for
                            each fault. --small: smaller inputs and no budgets, for builds that are
                            not those that users have
  tests/hostile.py --keep FOLDER NAME...    make the inputs and leave them there
  tests/hostile.py --list                   areas and names
  tests/hostile.py --self-test              a program that costs too much must be told

An input is a function that writes files into the current folder; its decorator names its area and the
commands that must bear it. To add one, write such a function: the files are named as the commands
name them, nothing is random but by a seed, and its size is `scale` times what the fault needs.
"""
import argparse
import collections
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time

SECONDS, MEBIBYTES, PRINTED = 2, 300, 20 << 20
GUARD = 60  # seconds of a processor, after which a run is stopped in any build

Case = collections.namedtuple("Case", "area make runs")
CASES = {}


class Run:
    """One command line, and what it may cost: seconds of processor, MiB of memory, bytes printed.
    `status`: how it may end. `stdin`: the name of a file. `check`: a function of what was printed on
    standard output that gives what is wrong with it, or nothing."""

    def __init__(self, *words, status=(0,), seconds=SECONDS, mebibytes=MEBIBYTES, printed=PRINTED,
                 stdin=None, check=None):
        self.words, self.stdin, self.check = [str(word) for word in words], stdin, check
        self.status = (status,) if isinstance(status, int) else status
        self.seconds, self.mebibytes, self.printed = seconds, mebibytes, printed


Done = collections.namedtuple("Done", "status seconds mebibytes printed stderr elapsed")


def hostile(area, *runs):
    """The function makes the input of a case; a run may be words alone."""
    def note(make):
        CASES[make.__name__] = Case(area, make, [run if isinstance(run, Run) else Run(*run)
                                                 for run in runs])
        return make
    return note


# --- running ---

def start(program, run, folder):
    """Run it to its end. What is printed is kept up to a bit more than what may be."""
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


def faults_of(run, done, budgets):
    """What is wrong with how it ended and, where there are budgets, with what it took."""
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
    """In a process of its own: a run is charged with the memory that its parent had."""
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
    """How many runs of a case cost too much."""
    case, wrong = CASES[name], 0
    with tempfile.TemporaryDirectory(prefix="hostile.") as place:
        folder = pathlib.Path(place)
        if not make(case, folder, 0.05 if small else 1):
            print(f"{name}: its input cannot be made", file=out)
            return 1
        for run in case.runs:
            done = start(program, run, folder)
            faults = list(faults_of(run, done, not small))
            wrong += bool(faults)
            print(f"{'WRONG' if faults else 'ok   '} {done.seconds:6.2f} s {done.mebibytes:6.0f} MiB "
                  f"{done.printed[1]:9d} B  {name}: {' '.join(run.words)}", file=out)
            for fault in faults:
                print(f"      {fault}", file=out)
    return wrong


def self_test():
    """Python stands in for the program."""
    hog = "x = bytearray(400 << 20)"
    programs = [(Run("-c", "pass"), False), (Run("-c", "exit(3)"), True),
                (Run("-c", "exit(3)", status=3), False), (Run("-c", hog), True),
                (Run("-c", hog, mebibytes=600), False), (Run("-c", "while True: pass"), True),
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
    print(f"hostile.py: self-test, {len(programs)} cases, {wrong} wrong")
    return wrong != 0


# --- recordings ---

def oemp(name, types=('"Temp-table" 1',), sources=(), names=(), nodes=(), objects=(), deleted=()):
    """A recording of version 2 with one snapshot; rows as they stand in it. What its trailer says is
    not held against the rows: it says nothing of objects."""
    with open(name, "w", encoding="utf-8") as out:
        for rows in (['2 1 1 "2026-03-02T08:15:30.250+01:00" "AVM-Client" "_Exit" "" "" ? '
                      '"6f1d2c84-93b5-4e0a-8a57-000000000001" "" 0 "hostile.p" "" 0.00 "" "" ""'],
                     [], types, [], [], sources, names, nodes, objects, [], deleted,
                     ['900000000 0 0 0 0 0 0 0 0 "_Exit" 1']):
            out.writelines(row + "\n" for row in rows)
            out.write(".\n")


def oemp_object(number, node=0, line=0, owner=0, type_=1, name=0, size=100):
    return f"{number} {type_} {size} 0 0 {number} {node} {line} 0 0 {owner} 1 {name} 0 0 0"


@hostile("hash", ("top", "plain.oemp"), ("leaks", "plain.oemp", "--format", "json"))
def plain(scale):
    """Nothing is wrong with this one: it says what others may cost."""
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
    """An expression that starts anew at each character of a name takes minutes."""
    name = "7" * int(80_000 * scale)
    oemp("name.oemp", types=['"Temp-table" 1', f'"{name}" 2'], sources=[f'1 "{name}" 0'],
         nodes=["1 1 0 0"], objects=[oemp_object(1, node=1, line=5, type_=2)])


# --- colliding ids and names ---

BITS = (1 << 64) - 1


def unshift(value, bits):
    """The x of which value is x ^ x >> bits."""
    x = value
    for _ in range(64 // bits):
        x = value ^ x >> bits
    return x


def unmixed(value):
    """What the finaliser of SplitMix64, which has no key, makes the value of."""
    value = unshift(value, 31) * pow(0x94d049bb133111eb, -1, 1 << 64) & BITS
    value = unshift(value, 27) * pow(0xbf58476d1ce4e5b9, -1, 1 << 64) & BITS
    return unshift(value, 30)


def colliding(count):
    """Ids whose mixes end in the same 32 bits."""
    return [unmixed(i << 32 | 1) for i in range(1, count + 1)]


def xxh3_of_eight(text):
    """XXH3 without a seed, of eight bytes."""
    value = int.from_bytes(text[4:], "little") + (int.from_bytes(text[:4], "little") << 32)
    value ^= 0x1cad21f72c81017c ^ 0xdb979083e96dd4de
    turned = (value << 49 | value >> 15) ^ (value << 24 | value >> 40)
    value = (value ^ turned) * 0x9fb21c651e98df25 & BITS
    value = (value ^ (value >> 35) + 8) * 0x9fb21c651e98df25 & BITS
    return value ^ value >> 28


def crowded(count):
    """Names that lie in an eighth of any table with 2^18 places."""
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
    """Lines that differ where a shift by 40 loses them."""
    oemp("origins.oemp", objects=[oemp_object(i, line=i << 24) for i in
                                  range(1, int(60_000 * scale) + 1)])


@hostile("hash", ("top", "nodes.oemp"), ("leaks", "nodes.oemp"), ("calls", "nodes.oemp"))
def undefined_nodes(scale):
    """Call-tree nodes that nothing tells apart but their numbers."""
    oemp("nodes.oemp", objects=[oemp_object(i, node=i) for i in
                                range(1, int(60_000 * scale) + 1)])


@hostile("hash", ("top", "sources.oemp"), ("calls", "sources.oemp"))
def undefined_sources(scale):
    """The same of what the nodes call."""
    numbers = range(1, int(60_000 * scale) + 1)
    oemp("sources.oemp", nodes=[f"{i} {i} 0 0" for i in numbers],
         objects=[oemp_object(i, node=i) for i in numbers])


# --- the command line ---

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
