#!/usr/bin/env python3
"""Surroundings: an answer depends only on the question and the input, not on hash keys, processors, threads,
locale, time zone, terminal, folder or umask.

COLUMNS is not tested, because it requests a width.

  tests/surroundings.py --memprof PROGRAM [--keys LIBRARY]
                       exit 1 and a line for each command line that prints or writes other bytes.
                       --keys: tests/keys, which fixes the keys; otherwise each run has random ones
  tests/surroundings.py --self-test    a program that depends on them must be detected
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import claims

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"

# Environment variables (None: not set) and other surroundings. The first value of each is the plain one.
VARIABLES = {
    "MEMPROF_TEST_KEYS": ["1", "2", "977", "0"],
    "LC_ALL": ["C.UTF-8", "C", None, "tr_TR.UTF-8", "xx_XX"],
    "LANG": ["C", "de_DE.UTF-8", None, "ja_JP.eucJP"],
    "LC_NUMERIC": [None, "de_DE.UTF-8"],
    "TZ": ["UTC", "Asia/Kathmandu", "America/St_Johns", None, ":nowhere"],
    "TERM": ["dumb", "xterm-256color", None, "linux"],
    "HOME": ["/nonexistent", "/", None],
    "TMPDIR": [None, "/var/tmp"],
}
UMASKS, FOLDERS, JOBS = [0o022, 0, 0o077], ["a", "b/ü d/e"], [1, 2, 7]
AROUND = {**VARIABLES, "umask": UMASKS, "folder": FOLDERS, "jobs": JOBS, "processors": [0, 1]}


def plain():
    return {name: values[0] for name, values in AROUND.items()}


def surroundings():
    """Yield the plain surroundings; then others, in which each value occurs at least once. The choice is the
    same in each run."""
    chance, rounds = random.Random(1), max(len(values) for values in AROUND.values()) - 1
    yield plain()
    drawn = {name: chance.sample(values[1:] or values, len(values[1:] or values))
             for name, values in AROUND.items()}
    for i in range(rounds):
        yield {name: values[i % len(values)] for name, values in drawn.items()}


def commands():
    """Yield command lines; words that begin with "new" are files to be written."""
    for path in sorted(SAMPLES.iterdir()):
        if path.suffix not in (".oemp", ".prf", ".rpt", ".taligent", ".gclog", ".sqlite", ".pprof", ".pb", ".heapprofile", ".cpuprofile", ".heap", ".heaptrack", ".massif", ".dhat", ".folded", ".memcheck", ".lsan", ".json"):
            continue
        yield ["analyze", path]
        yield ["top", path, "--format", "json"]
    for path in ("shop-v2.oemp", "shop.taligent", "shop-2.gclog", "shop-aqtime.sqlite"):
        path = SAMPLES / path
        yield ["leaks", path, "--format", "csv", "--output", "new.csv"]
        yield ["growth", path, "--format", "markdown"]
        yield ["baseline", "save", path, "--store", "new.store"]
        yield ["check", path]
        yield ["export", path, "--to", "aqtime", "--output", "new.sqlite"]
    for command in ("lifetimes", "calls", "tree", "snapshots", "info"):
        yield [command, SAMPLES / "shop.taligent", "--format", "json"]
    for command in ("retained", "dominators", "path"):
        yield [command, SAMPLES / "shop-2.gclog", "--format", "json"]
    yield ["waste", SAMPLES / "shop-3.hprof", "--format", "json"]
    yield ["retained", SAMPLES / "shop-1.gclog", SAMPLES / "shop-2.gclog", SAMPLES / "shop-3.gclog"]
    yield ["diff", SAMPLES / "shop-v1.oemp", SAMPLES / "shop-v2.oemp", "--format", "json"]
    yield ["trend", SAMPLES / "shop-v1.oemp", SAMPLES / "shop-v2.oemp"]
    yield ["requests", SAMPLES / "shop-requests-AS1.oemp"]
    yield ["gate", SAMPLES / "shop.policy", SAMPLES / "shop-v2.oemp", "--format", "junit"]
    yield ["leaks", SAMPLES / "shop-v2.oemp", "--format", "suppressions"]
    yield ["coverage", SAMPLES / "shop-v4.prf", "--format", "lcov"]
    for command in ("leaks", "top", "info", "check"):
        yield [command, SAMPLES]  # mixed: some files give no answer
    yield ["--help"]
    yield ["leaks", "--nonsense"]
    yield ["leaks", SAMPLES / "no.oemp"]


def run(program, words, around, keys, place):
    """Return what a run printed and wrote, and its status."""
    folder = place / around["folder"]
    folder.mkdir(parents=True, exist_ok=True)
    variables = {name: value for name in VARIABLES if (value := around[name]) is not None}
    variables["MEMPROF_NO_CONFIG"] = "1"
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE"):
        if name in os.environ:
            variables[name] = os.environ[name]
    if keys:
        variables["LD_PRELOAD"] = str(keys)

    def prepare():
        os.umask(around["umask"])
        if around["processors"]:
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    jobs = ["--jobs", around["jobs"]] if SAMPLES in words else []
    done = subprocess.run([program, *map(str, [*words, *jobs])], cwd=folder, env=variables,
                          capture_output=True, stdin=subprocess.DEVNULL, check=False,
                          preexec_fn=prepare)
    written = []
    for path in sorted(folder.rglob("new*")):
        if path.is_file():
            written.append((path.name, path.read_bytes()))
    for path in sorted(folder.rglob("new*"), reverse=True):
        if path.is_file():
            path.unlink()
    return done.returncode, done.stdout, done.stderr, written


def difference(expected, found):
    """Return in which of them two runs differ, and where."""
    for name, a, b in zip(("status", "standard output", "standard error"), expected, found):
        if a != b:
            if isinstance(a, int):
                return f"{name} {b}, expected {a}"
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            return f"{name} at byte {at}: {b[max(at - 20, 0):at + 40]!r}, " \
                   f"expected {a[max(at - 20, 0):at + 40]!r}"
    names = [[name for name, _ in files] for files in (expected[3], found[3])]
    if names[0] != names[1]:
        return f"wrote {names[1]}, expected {names[0]}"
    return next((f"wrote another {name}" for (name, a), (_, b) in zip(expected[3], found[3])
                 if a != b), None)


def hold(program, lines, keys):
    """Return the number of command lines that depend on their surroundings."""
    wrong, runs = 0, 0
    with tempfile.TemporaryDirectory() as place:
        for words in lines:
            expected = None
            for around in surroundings():
                found = run(program, words, around, keys, pathlib.Path(place))
                runs += 1
                if expected is None:
                    expected = found
                elif told := difference(expected, found):
                    wrong += 1
                    shown = " ".join(str(getattr(word, "name", word)) for word in words)
                    other = {name: value for name, value in around.items() if value != plain()[name]}
                    print(f"{shown}: {told}\n  around it: {other}")
                    break
    return wrong, runs


SELF_TEST = [("import sys; print(sys.argv[1:])", 0), ("import os; print(os.getcwd())", 1),
             ("import os; print(os.environ.get('TZ'))", 1),
             ("import os, sys; print(os.environ.get('LC_ALL'), file=sys.stderr)", 1),
             ("import os; exit(len(os.sched_getaffinity(0)) > 1)", os.cpu_count() > 1),
             ("import os; open('new.x', 'w').write(str(os.umask(0)))", 1),
             ("import os; open('new.' + os.environ.get('TERM', 'x'), 'w')", 1),
             ("open('new.x', 'w').write('x')", 0)]


def self_test():
    """Python takes the place of the program."""
    wrong = 0
    for text, expected in SELF_TEST:
        sys.stdout.flush()
        found = sum(hold(sys.executable, [["-c", text]], None)[:1])
        wrong += bool(found) != bool(expected)
        if bool(found) != bool(expected):
            print(f"{text!r}: told {found} times, expected {expected}")
    print(f"surroundings.py: self-test, {len(SELF_TEST)} cases, {wrong} wrong")
    return wrong != 0


def main():
    asked = claims.arguments(__doc__, self_test, keys={"type": pathlib.Path, "help": "the library that fixes the keys"})
    keys = asked.keys.resolve() if asked.keys and asked.keys.exists() else None
    wrong, runs = hold(pathlib.Path(asked.memprof).resolve(), list(commands()), keys)
    print(f"surroundings.py: {runs} runs, {wrong} command lines depend on what is around them"
          + ("" if keys else "; each run drew its own keys"))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
