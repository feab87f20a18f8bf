#!/usr/bin/env python3
"""Detection of damage: make single transmission faults in each sample, and count those that change an answer
without a diagnostic.

  tests/damage.py --memprof PATH [--server PATH] [--count N] [--seed N] [--list] [SAMPLE...]
  tests/damage.py --memprof PATH --hold        fewer of them, against a bound a format
  tests/damage.py --self-test

A fault is a byte changed, lost or inserted, a digit changed, or a line lost, doubled or swapped with the next
one. A fault is silent if the figures of `analyze` differ from those of the undamaged recording, but there is no
new diagnostic, the recording counts as complete as before, and `check` finds nothing new. --list prints each
silent fault, with the line before and after; look there for data that a reader could still compare.
"""
import collections
import json
import pathlib
import random
import sys
import tempfile

import claims
import runs

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
# With --hold, maximum number of silent faults per 100. Only 140 faults are made, so the bounds leave room for
# chance.
BOUNDS = {
    "shop-v1.oemp": 5, "shop-v2.oemp": 5, "shop-v1.prf": 20, "shop-v4.prf": 10, "shop-old.rpt": 36,
    "shop-new.rpt": 36, "shop.taligent": 46, "shop-analysis.taligent": 46, "shop-1.gclog": 22,
    "shop-aqtime.sqlite": 6, "shop-2.hprof": 6, "shop-2.heapsnapshot": 24, "shop-2.pprof": 13, "shop-cpu.pb": 19,
    "shop.heaptrack": 24, "shop-1.heap": 8, "shop-jemalloc.heap": 10, "shop.massif": 20, "shop.dhat": 18,
    "shop.memcheck": 14, "shop.lsan": 15, "shop.agent.log": 21, "shop-objects-2.json": 42, "shop-1.heapprofile": 15,
    "shop.cpuprofile": 34, "shop.folded": 64,
}
HELD = 140


# --- damages ---

def byte_changed(text, chance):
    at = chance.randrange(len(text))
    return text[:at] + bytes([(text[at] + chance.randrange(1, 256)) % 256]) + text[at + 1:]


def byte_lost(text, chance):
    at = chance.randrange(len(text))
    return text[:at] + text[at + 1:]


def byte_put_in(text, chance):
    at = chance.randrange(len(text) + 1)
    return text[:at] + bytes([chance.randrange(256)]) + text[at:]


def digit_changed(text, chance):
    digits = [at for at, byte in enumerate(text) if 48 <= byte < 58]
    at = chance.choice(digits)
    return text[:at] + bytes([48 + (text[at] - 48 + chance.randrange(1, 10)) % 10]) + text[at + 1:]


def lines_changed(change):
    def damage(text, chance):
        lines = text.split(b"\n")
        change(lines, chance.randrange(max(len(lines) - 2, 1)))
        return b"\n".join(lines)
    return damage


def lose(lines, at):
    del lines[at]


def double(lines, at):
    lines.insert(at, lines[at])


def swap(lines, at):
    lines[at:at + 2] = lines[at + 1:at - 1:-1] if at else lines[1::-1]


KINDS = {
    "byte changed": byte_changed, "byte lost": byte_lost, "byte put in": byte_put_in,
    "digit changed": digit_changed, "line lost": lines_changed(lose),
    "line doubled": lines_changed(double), "lines swapped": lines_changed(swap),
}


# --- what is said ---

def figures(answer):
    """Return the numbers of each table, row by row, without names, orders and sizes of files."""
    found = {}
    for name, table in answer.items():
        rows = table if isinstance(table, list) else [table]
        if name not in ("diagnostics", "answer", "inputs", "brief") and isinstance(rows[:1], list):
            found[name] = sorted(
                tuple(sorted((key, value) for key, value in row.items()
                             if isinstance(value, (int, float)) and not isinstance(value, bool)))
                for row in rows if isinstance(row, dict))
    return found


class Program:
    def __init__(self, program, server):
        self.runs = runs.Runs(program, server)

    def answer(self, command, path):
        done = self.runs.run(command, path, "--format", "json", "--limit", "0")
        answer = json.loads(done.stdout) if done.stdout else {}
        said = sorted((one["code"], one["count"], one["message"])
                      for one in answer.get("diagnostics", []))
        return (done.returncode, said, [row.get("complete") for row in answer.get("inputs", [])],
                len(answer.get("violations", []))), figures(answer)

    def of_whole(self, path):
        said, found = self.answer("analyze", path)
        return said, found, self.answer("check", path)[0]

    def compare(self, path, whole):
        """Return (true if the figures differ, true if no message is new), compared with the undamaged
        recording."""
        said, found = self.answer("analyze", path)
        other = found != whole[1]
        return other, other and said == whole[0] and self.answer("check", path)[0] == whole[2]


def first_difference(before, after):
    """Return the first lines that differ."""
    old, new = before.split(b"\n"), after.split(b"\n")
    at = next((at for at, pair in enumerate(zip(old, new)) if pair[0] != pair[1]), len(new) - 1)
    return at + 1, old[at][:150] if at < len(old) else b"", new[at][:150] if at < len(new) else b""


def measure(program, name, count, seed, listed):
    """Return, by kind of fault, the numbers of silent ones, of those that change the figures, and of all."""
    chance, text = random.Random(f"{name} {seed}"), (SAMPLES / name).read_bytes()
    silent, changed, tried = collections.Counter(), collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory(prefix="damage.") as place:
        path = pathlib.Path(place) / name
        path.write_bytes(text)
        whole = program.of_whole(path)
        if not any(whole[1].values()):
            raise SystemExit(f"{name}: its answer has no figures")
        for number in range(count):
            kind = list(KINDS)[number % len(KINDS)]
            damaged = KINDS[kind](text, chance)
            if damaged == text:
                continue
            tried[kind] += 1
            path.write_bytes(damaged)
            other, quiet = program.compare(path, whole)
            changed[kind] += other
            if quiet:
                silent[kind] += 1
                if listed:
                    line, before, after = first_difference(text, damaged)
                    print(f"{name}:{line}: {kind}\n  - {before!r}\n  + {after!r}")
    return silent, changed, tried


def self_test():
    """Each kind of fault makes one change; figures are only numbers."""
    chance, wrong, text = random.Random(1), 0, b"a 1\nb 2\nc 3\nd 4\n"
    for kind, damage in KINDS.items():
        for _ in range(200):
            made = damage(text, chance)
            lines, old = made.split(b"\n"), text.split(b"\n")
            right = {"byte changed": len(made) == len(text), "byte lost": len(made) == len(text) - 1,
                     "byte put in": len(made) == len(text) + 1,
                     "digit changed": sum(a != b for a, b in zip(made, text)) == 1,
                     "line lost": len(lines) == len(old) - 1, "line doubled": len(lines) == len(old) + 1,
                     "lines swapped": sorted(lines) == sorted(old) and lines != old}[kind]
            wrong += made == text or not right
    one, other = {"leaks": [{"type": "A", "bytes": 5}]}, {"leaks": [{"type": "B", "bytes": 5}]}
    third = {"leaks": [{"type": "A", "bytes": 6}]}
    wrong += figures(one) != figures(other) or figures(one) == figures(third)
    print(f"damage.py: self-test, {wrong} wrong")
    return wrong != 0


def main():
    options = claims.arguments(__doc__, self_test, ("samples", {"nargs": "*"}), server=str, count=2000, seed=1,
                               list=bool, hold=bool)
    program, wrong = Program(options.memprof, options.server), 0
    for name in options.samples or BOUNDS:
        silent, changed, tried = measure(program, name, HELD if options.hold else options.count, options.seed,
                                options.list)
        share = 100 * silent.total() / tried.total()
        kinds = ", ".join(f"{kind} {100 * silent[kind] / tried[kind]:.0f}" for kind in KINDS if tried[kind])
        over = options.hold and share > BOUNDS[name]
        wrong += over
        of_changed = 100 * silent.total() / max(changed.total(), 1)
        print(f"{'WRONG ' if over else ''}{name}: {share:.1f} % of {tried.total()} in silence ({kinds}), "
              f"{of_changed:.0f} % of those that change it"
              + (f", at most {BOUNDS[name]} are allowed" if over else ""))
    return wrong + program.runs.close() > 0


if __name__ == "__main__":
    sys.exit(main())
