#!/usr/bin/env python3
"""Measure how fast memprof reads large recordings, and its memory, in comparison with other programs.

  tests/bench/bench.py BUILD [WORK...]     the named works, or all that are not huge
  tests/bench/bench.py BUILD --grow WORK   a thirtieth, a tenth and a third of the input, and all of it
  tests/bench/bench.py --self-test         exceeded limits must be reported

BUILD has memprof and memprof-generate, built for release. The commands of a work run one after the other, in
each of several rounds. Other load distorts times: look at the spread, and measure on an idle machine.

The floor is a program that only turns digits into numbers: $MEMPROF_FLOOR, or ../shared/bench/floor.c beside
the checkout. A command whose program is missing is skipped, and listed.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import inputs

HERE = pathlib.Path(__file__).resolve().parent
FLOOR = pathlib.Path(os.environ.get("MEMPROF_FLOOR", HERE.parents[2] / "shared/bench/floor.c"))
MiB = 1 << 20
MORE_INSTRUCTIONS = 1.05  # than recorded; another patch release of a compiler or library stays below it

# Rows of 16 columns are objects: the second column is their type, the third their size.
AWK = 'NF == 16 && $1 + 0 > 0 { bytes[$2] += $3 } END { for (t in bytes) print t, bytes[t] }'
RIVALS = {
    "analyze": ["memprof", "analyze", "--quiet", "FILE"],
    "info": ["memprof", "info", "--quiet", "FILE"],
    "leaks": ["memprof", "leaks", "--quiet", "FILE"],
    "top": ["memprof", "top", "--quiet", "FILE"],
    "diff": ["memprof", "diff", "--quiet", "FILE", "FILE"],
    "check": ["memprof", "check", "--quiet", "FILE"],
    "static": ["memprof-static", "analyze", "--quiet", "FILE"],
    "floor": ["floor", "FILE"],
    "graph_floor": ["graph_floor", "FILE"],
    "awk": ["awk", AWK, "FILE"],
    "xz": ["xz", "-dc", "FILE"],
    "heaptrack_print": ["heaptrack_print", "FILE"],
    "import": ["sqlite3", ":memory:", ".mode tabs", ".import FILE log", "select count(*) from log"],
}


@dataclasses.dataclass
class Work:
    """An input, and the commands that are run on it. The first command is compared with the others."""

    maker: object
    suffix: str
    small: int  # sizes
    full: int
    rivals: tuple = ("floor",)
    huge: bool = False  # only if it is named
    like: str = ""  # the work whose time it is compared with, at most
    times: float = 0  # so many times of it
    needs: str = ""  # a program that makes the input, never the same twice: instructions are not counted
    memory: object = None  # how much of it is allowed for an input of size n


OEMP = ("oemp", "--version", "2", "--objects", "{n}", "--snapshots")
LOG = ("taligent", "--events", "{n}")
DUMP = ("rpm", "--objects", "{n}", "--references", "4")
made = inputs.generated
WORKS = {
    "oemp": Work(made(*OEMP, "40"), ".oemp", 40_000, 5_000_000,
                 ("floor", "awk", "info", "leaks", "top", "diff"), memory=lambda n: 4 * n + 64 * MiB),
    "oemp-owners": Work(inputs.owned, ".oemp", 40_000, 5_000_000),
    "oemp-huge": Work(made(*OEMP, "400"), ".oemp", 40_000, 50_000_000, huge=True),
    "snapshots-40": Work(made(*OEMP, "40"), ".oemp", 20_000, 500_000),
    "snapshots-400": Work(made(*OEMP, "400"), ".oemp", 20_000, 500_000, like="snapshots-40", times=1.3),
    "snapshots-2000": Work(made(*OEMP, "2000"), ".oemp", 20_000, 500_000, like="snapshots-40", times=1.3),
    "log": Work(made(*LOG, "--frames", "8"), ".taligent", 40_000, 4_600_000,
                ("floor", "info", "leaks", "top", "import")),
    "log-huge": Work(made(*LOG, "--frames", "8"), ".taligent", 40_000, 26_700_000, huge=True),
    "log-crawls": Work(inputs.crawls, ".taligent", 40_000, 1_000_000),
    "log-types": Work(inputs.types, ".taligent", 40_000, 1_000_000),
    "dump": Work(made(*DUMP), ".gclog", 40_000, 5_000_000, ("graph_floor",),
                 memory=lambda n: 48 * n + 12 * 4 * n),
    "dump-huge": Work(made(*DUMP), ".gclog", 40_000, 20_000_000, ("graph_floor",), huge=True,
                      memory=lambda n: 48 * n + 12 * 4 * n),
    "traced": Work(inputs.traced, ".prf", 40_000, 7_000_000),
    "call-tree": Work(inputs.call_tree, ".prf", 20_000, 2_000_000),
    "database": Work(inputs.database, ".aqtime", 2_000, 1_000_000, ()),
    "folder": Work(inputs.folder, "", 100, 20_000, ()),
    "start": Work(inputs.sample, ".log", 1, 1, ("static", "info")),
    "heaptrack": Work(inputs.heaptrack, ".zst", 1_000, 100_000, ("heaptrack_print",), needs="heaptrack"),
    "xz": Work(inputs.xz, ".oemp.xz", 40_000, 5_000_000, ("xz",)),

    # Inputs of equal size, but of shapes for which memprof's shortcuts do not work.
    **{f"threads-{n}": Work(made(*LOG, "--threads", str(n)), ".taligent", 20_000, 600_000, (),
                            like="threads-1" * (n > 1), times=1.3) for n in (1, 16, 64, 200, 2000)},
    "order-late": Work(inputs.derived(made(*LOG, "--threads", "16"), inputs.late), ".taligent", 20_000, 600_000,
                       (), like="threads-16", times=2),
    "types": Work(made(*DUMP), ".gclog", 20_000, 600_000, ()),
    "types-large": Work(inputs.derived(made(*DUMP), inputs.large_types), ".gclog", 20_000, 600_000, (),
                        like="types", times=1.3),
    "chain": Work(made("rpm", "--objects", "{n}", "--shape", "chain"), ".gclog", 20_000, 600_000, ()),
    # Each step along the chain misses the cache.
    "chain-mixed": Work(inputs.derived(made("rpm", "--objects", "{n}", "--shape", "chain"), inputs.shuffled),
                        ".gclog", 20_000, 600_000, (), like="chain", times=4),
    "star": Work(made("rpm", "--objects", "{n}", "--shape", "star"), ".gclog", 20_000, 600_000, (),
                 like="chain", times=1.3),
    "ids": Work(made(*OEMP, "40"), ".oemp", 4_000, 100_000, ()),
    # These ids are longer, too.
    "ids-random": Work(inputs.derived(made(*OEMP, "40"), inputs.other_ids), ".oemp", 4_000, 100_000, (),
                       like="ids", times=1.5),
}


def summary(runs):
    """Return the figures of several runs of a command."""
    seconds = [run[0] for run in runs]
    return {"seconds": statistics.median(seconds), "least_seconds": min(seconds), "most_seconds": max(seconds),
            "cpu_seconds": statistics.median(run[1] for run in runs), "peak_bytes": max(run[2] for run in runs)}


class Bench:
    def __init__(self, words, scratch):
        self.build, self.scratch, self.small = words.build.resolve(), scratch, words.small or words.count
        self.folder, self.rounds = (words.folder or scratch).resolve(), words.rounds
        self.folder.mkdir(parents=True, exist_ok=True)
        self.programs, self.results, self.failures = {}, {}, []
        for name, source in (("floor", FLOOR), ("graph_floor", HERE / "graph_floor.c"), ("usage", HERE / "usage.c")):
            if source.is_file():
                self.programs[name] = scratch / name
                subprocess.run([os.environ.get("CC", "cc"), "-O3", "-march=native", "-o", scratch / name, source],
                               check=True)

    def program(self, name):
        """Return the path of a program, or None."""
        if name in self.programs:
            return self.programs[name]
        if name.startswith("memprof"):
            return self.build / name if (self.build / name).is_file() else None
        return shutil.which(name)

    def size(self, work):
        return work.small if self.small else work.full

    def input(self, name, parts=1):
        """Return the path of a work's input, or of one that is `parts` times smaller."""
        work = WORKS[name]
        size = self.size(work) // parts
        path = self.folder / f"{name}-{size}{work.suffix}"
        if not path.exists():
            work.maker(path, size, self.build)
        return path

    def bytes(self, path):
        return sum(file.stat().st_size for file in path.iterdir()) if path.is_dir() else path.stat().st_size

    def commands(self, name):
        """Return (name, words) of each command of a work, and the names of commands that cannot run."""
        path, found, skipped = str(self.input(name)), [], []
        for rival in ("analyze", *WORKS[name].rivals):
            program, *words = RIVALS[rival]
            if self.program(program):
                found.append((rival, [self.program(program), *(word.replace("FILE", path) for word in words)]))
            else:
                skipped.append(rival)
        return found, skipped

    def run(self, words):
        """Return (seconds, CPU seconds, peak memory in bytes) of a run."""
        told = self.scratch / "told"
        done = subprocess.run([self.programs["usage"], told, *words], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False, env={**os.environ, "MEMPROF_NO_CONFIG": "1"})
        if done.returncode not in (0, 1):  # 1: findings
            sys.exit(f"{words}: status {done.returncode}: {done.stderr.decode(errors='replace')}")
        seconds, cpu, peak = told.read_text(encoding="ascii").split()
        return float(seconds), float(cpu), int(peak) * 1024

    def warm(self, path):
        """Read the file once, so that all programs read it from the page cache."""
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            with open(file, "rb") as opened:
                while opened.read(MiB):
                    pass

    def measure(self, name):
        commands, skipped = self.commands(name)
        path = self.input(name)
        self.warm(path)
        runs = {rival: [] for rival, _ in commands}
        for _ in range(self.rounds):
            for rival, words in commands:
                runs[rival].append(self.run(words))
        print(f"{name}: {self.size(WORKS[name]):,}, {self.bytes(path):,} bytes", flush=True)
        result = self.results[name] = {rival: summary(of) for rival, of in runs.items()}
        for rival, one in result.items():
            print(f"  {rival:<16} {one['seconds']:9.4f} s ({one['least_seconds']:.4f} to {one['most_seconds']:.4f})"
                  f"  CPU {one['cpu_seconds']:9.4f} s  {one['peak_bytes'] / MiB:8.1f} MiB"
                  f"  analyze / this {result['analyze']['seconds'] / one['seconds']:6.2f}")
        for rival in skipped:
            print(f"  {rival:<16} skipped: no {RIVALS[rival][0]}")
        if not self.small:
            self.judge(name, result["analyze"])

    def grow(self, name):
        """Measure `analyze` of ever larger inputs. In proportion, a byte costs the same in all of them."""
        print(f"{name}: {self.size(WORKS[name]):,}", flush=True)
        self.results[name] = {}
        for parts in (30, 10, 3, 1):
            path = self.input(name, parts)
            self.warm(path)
            program, *words = RIVALS["analyze"]
            words = [self.program(program), *(word.replace("FILE", str(path)) for word in words)]
            size, one = self.bytes(path), summary([self.run(words) for _ in range(self.rounds)])
            self.results[name][f"1/{parts}"] = one
            print(f"  1/{parts:<4}{size:15,} bytes  CPU {one['cpu_seconds']:9.4f} s,"
                  f" {1e9 * one['cpu_seconds'] / size:7.3f} ns for a byte"
                  f"  {one['peak_bytes'] / MiB:8.1f} MiB", flush=True)

    def judge(self, name, ours):
        work = WORKS[name]
        if work.like and work.like in self.results:
            ratio = ours["least_seconds"] / self.results[work.like]["analyze"]["least_seconds"]
            self.claim(ratio <= work.times, f"{name}: {ratio:.2f} times as long as {work.like}, "
                                            f"where {work.times} are allowed")
        if work.memory:
            allowed = work.memory(work.full)
            self.claim(ours["peak_bytes"] <= allowed, f"{name}: {ours['peak_bytes'] / MiB:.1f} MiB, "
                                                      f"where {allowed / MiB:.1f} are allowed")

    def claim(self, holds, text):
        print(f"  {'ok' if holds else 'MISSED'}  {text}", flush=True)
        if not holds:
            self.failures.append(text)

    def count(self, name):
        """Return the instructions that analysing an input takes, counted by callgrind."""
        words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *self.commands(name)[0][0][1]]
        done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                              env={**os.environ, "MEMPROF_NO_CONFIG": "1"}, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if not found:
            sys.exit(f"{words}: {done.stderr}")
        self.results[name] = {"instructions": int(found[1])}
        print(f"{name}: {int(found[1]) / 1e6:.1f} million instructions", flush=True)

    def compare(self, earlier):
        """Compare with the results of an earlier run."""
        for name, result in self.results.items():
            if name not in earlier:
                continue
            if "instructions" in result:
                ratio = result["instructions"] / earlier[name]["instructions"]
                self.claim(ratio <= MORE_INSTRUCTIONS, f"{name}: {ratio:.3f} times the instructions recorded, "
                                                       f"where {MORE_INSTRUCTIONS} are allowed")
            else:
                for rival in result.keys() & earlier[name].keys():
                    print(f"{name} {rival}: {result[rival]['seconds'] / earlier[name][rival]['seconds']:.2f} "
                          "times as long as before, "
                          f"{result[rival]['peak_bytes'] / earlier[name][rival]['peak_bytes']:.2f} times the memory")


def self_test():
    """Return the number of limits that are reported wrongly, or not reported when they are exceeded."""
    bench = Bench.__new__(Bench)
    bench.small, bench.failures = False, []
    bench.results = {"star": {"instructions": 1060}, "chain": {"instructions": 1040}}
    bench.compare({"star": {"instructions": 1000}, "chain": {"instructions": 1000}, "dump": {"instructions": 1}})
    wrong = len(bench.failures) != 1
    bench.results, bench.failures = {"chain": {"analyze": {"least_seconds": 1}}}, []
    for seconds, peak in ((1.2, 1), (1.4, 1), (1.2, 1 << 60)):
        bench.judge("star", {"least_seconds": seconds, "peak_bytes": peak})
        bench.judge("dump", {"least_seconds": seconds, "peak_bytes": peak})
    wrong += len(bench.failures) != 2
    print(f"{2 - wrong} passed, {wrong} failed")
    return wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("works", nargs="*", metavar="WORK", help=", ".join(WORKS))
    parser.add_argument("--folder", type=pathlib.Path, help="keep inputs here, 4 GB of them")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="inputs of a few megabytes")
    parser.add_argument("--grow", action="store_true", help="measure 1/30, 1/10 and 1/3 of each input, too")
    parser.add_argument("--count", action="store_true", help="count instructions of small inputs with callgrind")
    parser.add_argument("--json", type=pathlib.Path, help="write the results to this file")
    parser.add_argument("--against", type=pathlib.Path, help="compare with such a file")
    words = parser.parse_intermixed_args()
    unknown = [name for name in words.works if name not in WORKS]
    if unknown:
        parser.error(f"no work {unknown[0]}: {', '.join(WORKS)}")
    if words.count and not shutil.which("valgrind"):
        print("skipped: no valgrind")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(words, pathlib.Path(scratch))
        for name in words.works or [name for name, work in WORKS.items() if not work.huge]:
            needs = WORKS[name].needs
            if needs and (words.count or not shutil.which(needs)):
                print(f"{name}: skipped: {'differs from run to run' if words.count else 'no ' + needs}")
            else:
                (bench.count if words.count else bench.grow if words.grow else bench.measure)(name)
        if words.against:
            bench.compare(json.loads(words.against.read_text(encoding="utf-8")))
        if words.json:
            words.json.write_text(json.dumps(bench.results, indent=1) + "\n", encoding="utf-8")
    print(f"{len(bench.results)} works, {len(bench.failures)} limits missed")
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
