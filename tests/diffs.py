#!/usr/bin/env python3
"""Check the diffs of docs/contributing.md: each applies to the current sources, and the sources that it touches
compile without a warning.

    tests/diffs.py --compiler CC        all diffs, one after the other
    tests/diffs.py --self-test          check that diffs which do not apply or compile are detected
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from roots import skip

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```diff\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Isrc", "-Iinclude"]


def touched_by(diff, folder):
    """Return the sources that a diff changes, and those that include a table that it changes."""
    for name in re.findall(r"^\+\+\+ b/(\S+)$", diff, re.MULTILINE):
        if name.endswith(".c"):
            yield name
        elif name.endswith(".def"):
            include = f'#include "{name.removeprefix("src/")}"'
            yield from (str(path.relative_to(folder)) for path in (folder / "src").rglob("*.c")
                        if include in path.read_text(encoding="utf-8"))


def faults_of(page, compiler):
    diffs = BLOCK.findall(page)
    with tempfile.TemporaryDirectory(prefix="diffs.") as name:
        folder = pathlib.Path(name)
        for part in "src", "include":
            shutil.copytree(ROOT / part, folder / part)
        for diff in diffs:
            about = diff.split("\n", 2)[1]
            done = subprocess.run(["git", "apply", "-"], input=diff, cwd=folder, text=True, check=False,
                                  capture_output=True)
            if done.returncode:
                yield f"{about}: {done.stderr}"
                continue
            for source in touched_by(diff, folder):
                done = subprocess.run([compiler, *FLAGS, source], cwd=folder, text=True, check=False,
                                      capture_output=True)
                if done.returncode:
                    yield f"{about}: {done.stderr}"
    if len(diffs) < 4:
        yield f"{len(diffs)} diffs, expected a reader, an option, a column and a relation"


def self_test(page, compiler):
    for wrong in (re.sub(r"(?m)^ MP_READER\(\w+\)$", " MP_READER(map)", page),
                  page.replace("+    MP_ASKS(", "+    MP_ASK("), page.replace("```diff", "```", 1)):
        if wrong == page or not list(faults_of(wrong, compiler)):
            sys.exit("a wrong page is not found out")
    print("diffs.py: wrong pages are found out")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if not shutil.which("git"):
        skip("git is not installed")
    page = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    if options.self_test:
        return self_test(page, options.compiler)
    faults = list(faults_of(page, options.compiler))
    print(*faults, f"diffs.py: {len(BLOCK.findall(page))} diffs, {len(faults)} wrong", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
