#!/usr/bin/env python3
"""Growth of cost: in whatever way an input grows, and for any question, doubling it may at most multiply the
work and the memory by 2.3.

  tests/cost.py --memprof PROGRAM [WAY...]               PROGRAM is memprof-counted, see cost/count.c
  tests/cost.py --memprof PROGRAM --valgrind [WAY...]    instructions, libraries and all, of any memprof
  tests/cost.py --self-test

A way is how an input grows: deeper, wider, more names. The input is made in three sizes, each twice the one
before, and once tiny; the cost of the tiny one is that of starting the program, and is subtracted. Work is
counted, never timed: basic blocks, and bytes that are moved, compared or filled. At these sizes, n log n grows
by a factor of 2.2.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import claims
import growing

ALLOWED = 2.3
NO_WORK, NO_MEMORY = 60_000, 16_384  # a cost of fewer steps, or KiB, does not count as growing


ALL = ["analyze", "info", "check", "gate POLICY", "baseline save", "diff FILE", "analyze -n 0 --format json",
       "check --format json"]
HEAP = [*ALL, "snapshots", "leaks", "leaks -n 0 --format json", "leaks -n 0 --format csv",
        "leaks --format suppressions", "leaks -n 0 --format markdown", "leaks --suppress known",
        "top --by type -n 0", "top --by site -n 0 --format json", "top --by source", "growth -n 0",
        "growth --by site -n 0 --format json", "tree", "tree -n 0", "tree -n 0 --format json", "calls",
        "diff -n 0 --format json FILE", "diff --by node FILE", "diff --by line FILE"]
OEMP = [*HEAP, "requests", "lifetimes", "top --by scope", "top --by request", "top --by node",
        "export --to aqtime", "leaks --max-growth 0 --max-trend 0 --format junit"]
LOGS = [*HEAP, "lifetimes", "top --by thread", "top --by class", "export --to aqtime"]
DATABASE = [*HEAP, "top --by module", "top --by class"]
COSTS = [*ALL, "top -n 0 --format json", "tree", "tree -n 0", "tree -n 0 --format json", "calls",
         "coverage -n 0", "coverage --to lcov", "timeline", "top --by method"]
REPORTS = ["analyze", "check", "top -n 0", "diff FILE", "baseline save"]
DUMPS = [*ALL, "leaks", "top -n 0", "retained -n 0", "retained --by type", "dominators",
         "dominators -n 0 --format json", "growth FILE", "path --type Shop.Node",
         "path --type * -n 0 --format json", "object --type Shop.Node",
         "diff --by dominators FILE"]
LADDERS = ["retained --by type", "retained --by type -n 0", "dominators", "leaks"]
FOLDERS = ["analyze", "info", "leaks", "leaks -n 0 --format json", "top --group file", "check", "top", "trend",
           "gate POLICY"]

# Ways to grow: the function, the first size, and the questions to ask.
WAYS = {
    "oemp-deeper": (growing.oemp_deeper, 500, OEMP),
    "oemp-wider": (growing.oemp_wider, 1000, OEMP),
    "oemp-names": (growing.oemp_names, 1000, OEMP),
    "oemp-types": (growing.oemp_types, 1000, OEMP),
    # Names longer than 64 KiB: a line that is longer than the window costs a quarter more, once.
    "oemp-longer-names": (growing.oemp_longer_names, 20000, [*OEMP, "leaks --width 60"]),
    "oemp-objects": (growing.oemp_objects, 4000, OEMP),
    "oemp-owner-chain": (growing.oemp_owner_chain, 1000, OEMP),
    "oemp-owners": (growing.oemp_owners, 1000, OEMP),
    "oemp-owners-unknown": (growing.oemp_owners_unknown, 1000, OEMP),
    "oemp-snapshots": (growing.oemp_snapshots, 800, OEMP),
    "oemp-colliding-ids": (growing.oemp_colliding_ids, 2000, OEMP),
    "oemp-files": (growing.oemp_many, 120, FOLDERS),
    "oemp-deeper-folder": (growing.oemp_deeper_folder, 4000, ["leaks -n 0 --format json", "top -n 0"]),
    "log-deeper": (growing.log_deeper, 4000, LOGS),
    "log-recursive": (growing.log_recursive, 2000, LOGS),
    "log-wider": (growing.log_wider, 1000, LOGS),
    "log-threads": (growing.log_threads, 1000, LOGS),
    "log-types": (growing.log_types, 1000, LOGS),
    "log-longer-names": (growing.log_longer_names, 20000, LOGS),
    "log-addresses": (growing.log_addresses, 2000, LOGS),
    "prf-deeper": (growing.prf_deeper, 500, COSTS),
    "prf-wider": (growing.prf_wider, 1000, COSTS),
    "rpt-rows": (growing.rpt_rows, 1000, REPORTS),
    "rpm-objects": (growing.rpm_objects, 2000, DUMPS),
    "rpm-chain": (growing.rpm_chain, 1000, DUMPS),
    "rpm-star": (growing.rpm_star, 2000, DUMPS),
    "rpm-types": (growing.rpm_types, 1000, DUMPS),
    "rpm-equal-types": (growing.rpm_equal_types, 1000, DUMPS),
    "rpm-ladder": (growing.rpm_ladder, 2000, LADDERS),
    "rpm-ladder-of-types": (growing.rpm_ladder_of_types, 2000, LADDERS),
    "rpm-equal-statics": (growing.rpm_equal_statics, 1000, DUMPS),
    "rpm-roots": (growing.rpm_roots, 1000, DUMPS),
    "rpm-longer-names": (growing.rpm_longer_names, 20000, DUMPS),
    "aqtime-sets": (lambda n: growing.database(n, 2, 2), 100, DATABASE),
    "aqtime-types": (lambda n: growing.database(1, n, n), 200, DATABASE),
    "aqtime-objects": (lambda n: growing.database(1, 3, n), 500, DATABASE),
    "aqtime-modules": (lambda n: growing.database(1, n, n, modules=n), 200, DATABASE),
    "aqtime-deeper": (lambda n: growing.database(1, 1, 2, n), 200, DATABASE),
}
POLICY = 'live <= 1G\nlive of type "*" <= 1G\nlive of each type <= 1G\n'
POLICIES = {"oemp": POLICY + "leaked <= 1G\ngrowth of each type <= 1G\n",
            "prf": "seconds of each method <= 1000\n"}
KNOWN = "".join(f"[{number}]\nreason = known\nstack = f{number}\n" for number in range(20))


class Law:
    def __init__(self, program, valgrind=False):
        self.program, self.valgrind, self.lines, self.wrong, self.checks = program, valgrind, [], 0, 0

    def cost(self, words, folder, name):
        """Return (status, work, peak memory in KiB) of a run."""
        told, heard = folder / f"{name}.cost", folder / f"{name}.err"
        environment = {**os.environ, "MEMPROF_NO_CONFIG": "1", "MEMPROF_COST": str(told)}
        before = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        with open(heard, "wb") as errors:
            done = subprocess.run([*before[:4 * self.valgrind], self.program, *words], cwd=folder,
                                  stdout=subprocess.DEVNULL, stderr=errors, env=environment, check=False)
        self.told = heard.read_text(errors="replace")
        if self.valgrind:
            return done.returncode, int(re.search(r"I\s+refs:\s+([\d,]+)", self.told)[1].replace(",", "")), 0
        return done.returncode, *map(int, told.read_text().split())

    @staticmethod
    def lay(folder, size, made):
        path = folder / str(size)
        if callable(made):
            made(path)
        elif isinstance(made, dict):
            path.mkdir()
            for name, text in made.items():
                (path / name).write_text(text)
        else:
            path.write_text(made)
        return path

    def way(self, name):
        make, size, commands = WAYS[name]
        sizes = [4, size, 2 * size, 4 * size]
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made)
            (folder / "policy").write_text(POLICIES.get(name.split("-")[0], POLICY))
            (folder / "known").write_text(KNOWN)
            paths = [self.lay(folder, at, make(at)) for at in sizes]
            for command in commands:
                self.grows(name, command, folder, paths)

    def ask(self, name, command, folder, path):
        """Return (work, KiB) of a command. If it ends wrongly, print that and return None."""
        words = [{"POLICY": "policy", "FILE": str(path)}.get(word, word) for word in command.split()]
        words += {"export": ["-o", "out"], "baseline": ["--store", "kept", "--allow-torn"],
                  "gate": ["--allow-torn"]}.get(words[0], [])
        if path.is_dir():  # one file at a time: how far the memory of two overlaps depends on the scheduler
            words += ["--jobs", "1"]
        status, *costs = self.cost([*words, str(path)], folder, name)
        if status in (0, 1):
            return costs
        self.say(False, f"{name}: {command}: status {status}: {self.told[-200:]}")
        return None

    def grows(self, name, command, folder, paths):
        """Hash tables use random keys, and a few keys are unlucky: the best of three runs counts."""
        best = None
        for _ in range(3):
            costs = [self.ask(name, command, folder, path) for path in paths]
            if None in costs:
                return
            best = [list(map(min, *pair)) for pair in zip(best or costs, costs)]
            work, memory = zip(*best)
            if all(holds for holds, _ in [*self.growth(work, NO_WORK), *self.growth(memory, NO_MEMORY)]):
                break
        self.judge(f"{name}: {command}: work", work, NO_WORK)
        self.judge(f"{name}: {command}: KiB", memory, NO_MEMORY)

    @staticmethod
    def growth(costs, nothing):
        """Return whether each doubling is within the limit, and the factors."""
        grown = [cost - costs[0] for cost in costs[1:]]
        return [(more <= ALLOWED * max(less, nothing / ALLOWED), more / max(less, 1))
                for less, more in zip(grown, grown[1:]) if more > nothing]

    def judge(self, what, costs, nothing):
        told = ", ".join(f"{cost:,}" for cost in costs)
        for holds, times in self.growth(costs, nothing):
            self.say(holds, f"{what}: {times:.2f} times ({told})")

    def say(self, holds, what):
        self.checks += 1
        if not holds:
            self.wrong += 1
            self.lines.append(what)


def self_test():
    law = Law("none")
    law.judge("linear", [1000, 101_000, 201_000, 401_000], NO_WORK)
    law.judge("n log n", [1000, 111_000, 231_000, 481_000], NO_WORK)
    assert law.checks == 4 and not law.wrong, law.lines
    law.judge("square", [1000, 101_000, 401_000, 1_601_000], NO_WORK)
    law.judge("square of little", [1000, 11_000, 41_000, 161_000], NO_WORK)
    assert law.wrong == 3, law.lines
    print("self-test: 2 ways that hold, 2 that do not: as they should be")
    return 0


def main():
    arguments = claims.arguments(__doc__, self_test, ("way", {"nargs": "*", "choices": [*WAYS, []]}), valgrind=bool)
    law = Law(arguments.memprof, arguments.valgrind)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(law.way, arguments.way or WAYS))
    print("\n".join(sorted(law.lines)))
    print(f"{law.checks - law.wrong} of {law.checks} hold")
    return 1 if law.wrong or not law.checks else 0


if __name__ == "__main__":
    sys.exit(main())
