#!/usr/bin/env python3
"""Coverage of src by the tests, in lines and branches, as clang counts them.

  tests/covered.py BUILD [--lines PERCENT] [--branches PERCENT] [--without FILE]

BUILD must have been configured with MEMPROF_COVERAGE=ON, and its tests must have been run. If coverage is less
than required, the exit status is 1.
"""
import argparse
import json
import pathlib
import subprocess
import sys

SHOWN = 10  # number of files to show, those with the least coverage


def summary(build):
    """Return llvm-cov's summary of all programs of a build."""
    merged = build / "profiles" / "all.profdata"
    counted = sorted((build / "profiles").glob("*.profraw"))
    if not counted:
        sys.exit(f"{build}: nothing was counted: run the tests of a build with MEMPROF_COVERAGE first")
    subprocess.run(["llvm-profdata", "merge", "-sparse", *counted, "-o", merged], check=True)
    programs = [build / "memprof", *sorted((build / "tests").glob("test_*")), build / "tests" / "memprof-server",
                build / "tests" / "fuzz" / "memprof-fuzz-replay"]
    objects = [word for path in programs if path.is_file() for word in ("-object", path)]
    told = subprocess.run(["llvm-cov", "export", "-summary-only", "-instr-profile", merged, *objects[1:]],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return json.loads(told)["data"][0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--lines", type=float, default=0)
    parser.add_argument("--branches", type=float, default=0)
    parser.add_argument("--without", type=pathlib.Path, action="append", default=[],
                        help="a file whose code such a build never reaches")
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    files = {pathlib.Path(one["filename"]).relative_to(root): one["summary"]
             for one in summary(arguments.build.resolve())["files"]
             if pathlib.Path(one["filename"]).is_relative_to(root / "src")}
    for name in arguments.without:
        del files[name]
        print(f"left out: {name}")
    missed = 0
    for what in ("lines", "branches"):
        least = sorted(files, key=lambda name: files[name][what]["covered"] - files[name][what]["count"])
        for name in least[:SHOWN]:
            one = files[name][what]
            print(f"{one['count'] - one['covered']:6} {what} of {one['count']:5} never run: {name}")
        count, covered = (sum(one[what][key] for one in files.values()) for key in ("count", "covered"))
        percent, asked = 100 * covered / max(count, 1), getattr(arguments, what)
        print(f"{what}: {percent:.2f} % of {count:,} in {len(files)} files; {asked} % are asked for")
        missed += percent < asked or not count
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
