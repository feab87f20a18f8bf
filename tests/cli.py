#!/usr/bin/env python3
"""Runs the command-line cases of tests/cli.

A case is a folder with these files:

    cmd      one line for the shell; the case's folder is the working directory
    out      expected standard output; missing: none
    err      expected standard error; missing: none
    status   expected exit status; missing: 0
    why      for people: how the true answer was worked out

Titles of columns are compared once per table, by the case that tests/cli/titles names before the row of titles.
All other rows that consist of such titles are left out. There, two blanks separate the cells of the table, because
titles affect the widths of columns. So a new title changes only the cases that show it, and those about the width
of a line (--width).

The line may use these variables. Only WORK is an absolute path, so it must not reach the output.

    MEMPROF  the program, by PATH
    SAMPLES  the sample recordings
    DECOYS   files that are no recordings
    WORK     an empty folder of the case's own, removed afterwards

--record writes out, err and status anew: read what it wrote before you keep it.
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE / "cli"
AT_ONCE = 2
SECONDS = 300  # a case that takes longer hangs, even on a loaded machine
EXPECTATIONS = ("out", "err", "status")
GAP = re.compile(rb" {2,}")


def read_titles():
    """Return the rows of titles, with the name of the case that shows each of them."""
    for line in (CASES / "titles").read_bytes().splitlines():
        case, row = line.split(maxsplit=1)
        yield row, case.decode()


TITLES = dict(read_titles())
KNOWN = {title for row in TITLES for title in row.split(b"  ")}


def without_titles(out, case=""):
    """Return the output without rows of titles, except those that the case is to show. In the indented rows below
    each of the others, cells are separated by two blanks. A line with one cell is a frame or a note, and stays as
    it is."""
    kept, in_table = [], False
    for line in out.split(b"\n"):
        cells = GAP.sub(b"  ", line.strip())
        if b"  " in cells and KNOWN.issuperset(cells.split(b"  ")):
            in_table = TITLES.get(cells) != case
            if in_table:
                continue
        in_table = in_table and line.startswith(b"  ")
        kept.append(b"  " + cells if in_table and b"  " in cells else line)
    return b"\n".join(kept)


def untold_titles(cases):
    """Yield a line for each row of titles that its case does not show."""
    outputs = {case.name: expected(case)["out"] for case in cases}
    for row, case in TITLES.items():
        if case in outputs and row not in GAP.sub(b"  ", outputs[case]):
            yield f"{case}: does not show the titles {row.decode()}\n"


def environment(case, program, here, work):
    """Return the environment of a case: of the caller's variables it has only the path of programs. Variables
    that a line uses contain no blanks, whatever the checkout's folder is called."""
    return {
        "PATH": f"{program.parent}:{os.environ.get('PATH', '/usr/bin:/bin')}",
        "PWD": here,
        "LC_ALL": "C",
        "TERM": "dumb",
        "TZ": "UTC",
        "MEMPROF_NO_CONFIG": "1",
        "MEMPROF": program.name,
        "SAMPLES": os.path.relpath(HERE.parent / "samples", case),
        "DECOYS": os.path.relpath(HERE / "decoys", case),
        "WORK": work,
    }


def run(case, program):
    """Run the case's line. Return its output, as it is compared, and its status, as bytes of the files."""
    line = (case / "cmd").read_text(encoding="utf-8").strip()
    if "\n" in line:
        raise ValueError("cmd has more than one line")
    with tempfile.TemporaryDirectory(prefix="memprof-cli-") as own:
        work, cases = f"{own}/work", f"{own}/cases"
        os.mkdir(work)
        os.symlink(case.parent.absolute(), cases)
        here = f"{cases}/{case.name}"
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=here,
            env=environment(case, program, here, work),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    out = done.stdout if "--width" in line else without_titles(done.stdout, case.name)
    return {"out": out, "err": done.stderr, "status": b"%d\n" % done.returncode}


def expected(case):
    """Return the contents of the case's files, with defaults for those that are missing."""
    found = {"out": b"", "err": b"", "status": b"0\n"}
    for name in EXPECTATIONS:
        if (case / name).exists():
            found[name] = (case / name).read_bytes()
    return found


def difference(case, name, want, got):
    """Return a unified diff, with escapes for control characters and those beyond ASCII."""
    def lines(data):
        return data.decode("latin-1").splitlines()

    shown = difflib.unified_diff(
        lines(want),
        lines(got),
        f"{case.name}/{name} (expected)",
        f"{case.name}/{name} (is)",
        lineterm="",
    )
    text = "".join(
        line.encode("unicode_escape").decode("ascii") + "\n" for line in shown
    )
    return text or f"{case.name}/{name}: line ends differ\n"


def record(case, got):
    """Write the expectations again; write no file that would equal the default."""
    defaults = {"out": b"", "err": b"", "status": b"0\n"}
    for name in EXPECTATIONS:
        if got[name] == defaults[name]:
            (case / name).unlink(missing_ok=True)
        else:
            (case / name).write_bytes(got[name])


def judge(case, program, recording):
    """Return None if the case passes, or the text to print."""
    try:
        got = run(case, program)
    except (OSError, ValueError, subprocess.TimeoutExpired) as problem:
        return f"{case.name}: {problem}\n"
    if recording:
        record(case, got)
        return None
    want = expected(case)
    differing = [name for name in EXPECTATIONS if want[name] != got[name]]
    if not differing:
        return None
    return "".join(difference(case, name, want[name], got[name]) for name in differing)


def run_all(cases, program, recording=False, first=False):
    """Run the cases, and print the failures and their number, which is returned. `first`: stop at the first
    failure."""
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for problem in pool.map(lambda case: judge(case, program, recording), cases):
            if problem:
                failed += 1
                sys.stdout.write(problem)
                if first:
                    pool.shutdown(cancel_futures=True)
                    return failed
    for problem in untold_titles(cases):
        failed += 1
        sys.stdout.write(problem)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return failed


def self_test(program):
    """A right case must pass, and each kind of wrong case must fail."""
    row = next(row for row in TITLES if b"%" not in row).decode()
    part = "  ".join(row.split("  ")[::2])  # a table does not show all columns if they are unknown
    trials = {
        "right": ("printf 'a\\n'; printf 'b\\n' >&2; exit 3", "a\n", "b\n", "3\n", False),
        "out": ("printf 'a\\n'", "b\n", "", "0\n", True),
        "err": ("printf 'a\\n' >&2", "", "b\n", "0\n", True),
        "status": ("exit 1", "", "", "0\n", True),
        "line-end": ("printf 'a\\n'", "a", "", "0\n", True),
        "no-lines": ("true\ntrue", "", "", "0\n", True),
        "program": ("$MEMPROF --version", "", "", "0\n", True),
        "titles": (f"printf 'A\\n  {row}\\n   a    b\\n      c\\n\\n   a    b\\n'",
                   "A\n  a  b\n      c\n\n   a    b\n", "", "0\n", False),
        "part": (f"printf 'A\\n  {part}\\n   a    b\\n'", "A\n  a  b\n", "", "0\n", False),
        "cells": (f"printf '{row}\\n   a    b\\n'", "  a  c\n", "", "0\n", True),
    }
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="memprof-cli-") as folder:
        for name, (line, out, err, status, must_fail) in trials.items():
            case = pathlib.Path(folder) / name
            case.mkdir()
            for file, text in (("cmd", line), ("out", out), ("err", err), ("status", status)):
                (case / file).write_text(text, encoding="utf-8")
            failed = judge(case, program, False) is not None
            if failed != must_fail:
                wrong += 1
                print(f"self-test: case '{name}' {'failed' if failed else 'passed'}")
            record(case, {"out": b"", "err": b"new\n", "status": b"0\n"})
            kept = sorted(path.name for path in case.iterdir())
            if kept != ["cmd", "err"]:
                wrong += 1
                print(f"self-test: recording '{name}' left {kept}")
    print(f"self-test: {len(trials)} trials, {wrong} wrong")
    return wrong


def main():
    parser = argparse.ArgumentParser(description="Run the command-line cases of tests/cli.")
    parser.add_argument("--memprof", required=True, metavar="PROGRAM", type=pathlib.Path)
    parser.add_argument("--record", action="store_true", help="write the expectations anew")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these cases")
    parser.add_argument("--first", action="store_true", help="stop at the first that fails")
    parser.add_argument("--self-test", action="store_true", help="see that wrong cases fail")
    options = parser.parse_args()

    program = options.memprof.resolve()
    if not os.access(program, os.X_OK):
        parser.error(f"{options.memprof} is not a program")
    if options.self_test:
        return 1 if self_test(program) else 0

    cases = sorted(path.parent for path in CASES.glob("*/cmd"))
    if options.only:
        unknown = set(options.only) - {case.name for case in cases}
        if unknown:
            parser.error(f"no such case: {', '.join(sorted(unknown))}")
        cases = [case for case in cases if case.name in options.only]
    if not cases:
        parser.error("no cases")
    return 1 if run_all(cases, program, options.record, options.first) else 0


if __name__ == "__main__":
    sys.exit(main())
