#!/usr/bin/env python3
"""Measure how many damaged recordings pass a limit that the undamaged recording exceeds.

  tests/passes.py --memprof PROGRAM [--places N] [--corpus DIR] [--most PERCENT]
  tests/passes.py --self-test

Damage each recording at N places (default 200): lose 512 bytes, zero 512 bytes, or lose 1 to 59 lines. Then run
a gate whose limit is less than the figure of the undamaged recording. The gate must fail, or end with 3 because
it cannot judge; if it passes, that is counted. Print the share by format and kind of damage. The exit status is
1 if more than --most percent (default 1) pass in a format that reveals what is lost (FORMATS below). A missing corpus
is skipped.
"""
import collections
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import claims

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
# By file extension: the measure to limit, and whether the format reveals what is lost, by totals or numbers.
FORMATS = {".oemp": ("live", True), ".prf": ("seconds", True), ".rpt": ("seconds", True),
           ".taligent": ("live", False), ".gclog": ("live", False), ".sqlite": ("live", True),
           ".heapsnapshot": ("live", True), ".hprof": ("live", True), ".heap": ("live", True),
           ".pprof": ("live", False), ".pb": ("seconds", False), ".cpuprofile": ("seconds", True),
           ".heapprofile": ("live", False), ".heaptrack": ("live", True), ".massif": ("live", True),
           ".dhat": ("live", False), ".memcheck": ("live", True), ".lsan": ("live", True),
           ".json": ("live objects", False), ".log": ("live objects", False), ".lg": ("live objects", False),
           ".folded": ("samples", False)}
LARGEST = 300_000  # bytes; each recording is read thousands of times


def zeroed(data, chance):
    at = chance.randrange(max(1, len(data) - 512))
    return data[:at] + bytes(512) + data[at + 512:]


def lost(data, chance):
    at = chance.randrange(max(1, len(data) - 512))
    return data[:at] + data[at + 512:]


def lines_lost(data, chance):
    lines = data.splitlines(keepends=True)
    count = chance.randint(1, min(59, max(1, len(lines) // 2)))
    at = chance.randrange(len(lines) - count + 1)
    return b"".join(lines[:at] + lines[at + count:])


DAMAGES = {"512 bytes zeroed": zeroed, "512 bytes lost": lost, "lines lost": lines_lost}


def gate(memprof, policy, path):
    return subprocess.run([memprof, "gate", policy, path, "--format", "json", "--quiet"],
                          capture_output=True, check=False, timeout=60)


def measure(memprof, path, folder):
    """Write the policy that the undamaged recording just exceeds; return None if there is nothing to measure."""
    measured = FORMATS[path.suffix][0]
    policy = folder / f"{path.name}.policy"
    policy.write_text(f"{measured} < 0{' s' if measured == 'seconds' else ''}\n")
    rules = json.loads(gate(memprof, policy, path).stdout or "{}").get("rules", [{}])
    unit = {"live": "bytes", "live objects": "objects"}.get(measured, measured)
    value = rules[0].get(f"measured_{unit}")
    if not value:
        return None
    policy.write_text(f"{measured} < {value}{' s' if measured == 'seconds' else ''}\n")
    return policy if gate(memprof, policy, path).returncode == 1 else None


def passes(memprof, policy, path, damage, seed, folder):
    """Return true if a damaged copy passes; None if the damage changed nothing."""
    data = path.read_bytes()
    spoilt = DAMAGES[damage](data, random.Random(f"{path.name} {damage} {seed}"))
    if spoilt == data:
        return None
    copy = folder / f"{seed}-{damage.replace(' ', '-')}-{path.name}"
    copy.write_bytes(spoilt)
    status = gate(memprof, policy, copy).returncode
    copy.unlink()
    return status == 0


def score(memprof, paths, places):
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor() as pool:
        folder, trials = pathlib.Path(name), []
        for path in paths:
            policy = measure(memprof, path, folder)
            if policy is None:
                print(f"skipped: {path.name}, no figure to hold")
                continue
            trials += [(path.suffix, damage, pool.submit(passes, memprof, policy, path, damage, seed,
                                                         folder))
                       for damage in DAMAGES for seed in range(places)]
        for suffix, damage, trial in trials:
            if trial.result() is not None:
                counts[suffix, damage, trial.result()] += 1
    return counts


def report(counts, most):
    """Print the table. Return the number of formats that reveal losses and pass too often."""
    wrong = 0
    print(f"{'format':10} " + " ".join(f"{damage:>24}" for damage in DAMAGES))
    for suffix in sorted({suffix for suffix, _, _ in counts}):
        cells, passed, all_ = [], 0, 0
        for damage in DAMAGES:
            some, none = counts[suffix, damage, True], counts[suffix, damage, False]
            passed, all_ = passed + some, all_ + some + none
            cells.append(f"{some * 100 / max(1, some + none):8.2f} % ({some} of {some + none})")
        print(f"{suffix:10} " + " ".join(f"{cell:>24}" for cell in cells))
        wrong += FORMATS[suffix][1] and passed * 100 > most * all_
    return wrong


def self_test():
    data, chance = b"".join(b"%d\n" % i for i in range(1000)), random.Random(1)
    wrong = sum(len(spoil(data, chance)) > len(data) or spoil(data, chance) == data
                for spoil in DAMAGES.values())
    wrong += report(collections.Counter({(".oemp", "lines lost", True): 2,
                                         (".oemp", "lines lost", False): 98}), 1) != 1
    return 1 if wrong else 0


def main():
    arguments = claims.arguments(__doc__, self_test, places=200, corpus=pathlib.Path, most=1.0)
    paths = [path for path in sorted(SAMPLES.iterdir()) if path.suffix in FORMATS]
    if arguments.corpus and not arguments.corpus.is_dir():
        print(f"skipped: {arguments.corpus} is not there")
    elif arguments.corpus:
        paths += sorted(path for path in arguments.corpus.rglob("*") if path.suffix in FORMATS)
    paths = [path for path in paths if path.stat().st_size <= LARGEST]
    return 1 if report(score(arguments.memprof, paths, arguments.places), arguments.most) else 0


if __name__ == "__main__":
    sys.exit(main())
