#!/usr/bin/env python3
"""Compare memprof trend with a simple implementation: generated baselines, slopes as fractions.

    tests/builds.py --memprof build/memprof              compare on many folders of builds
    tests/builds.py --memprof build/memprof --large      500 builds of 5,000 sites: memory and time

A build is a list of sites, written as a baseline in the form that memprof-baseline(1) describes. The expected
answer is computed from the lists. A site is identified by its type, its name and the names on its stack. Its
slope is the median of all slopes since its first build (the lower of the two in the middle), without the steps
that tests/oracle/trend.py removes from a series.
"""
import fractions
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle"))
import trend  # noqa: E402

import claims

FEWEST = 4


def write(path, sites, start):
    """sites: [(type, name, [(function, line), ...], bytes)], each once."""
    head = {"memprof-baseline": 2, "kind": "recording", "knows": 3, "complete": True}
    if start is not None:
        head["start_time"] = f"2026-03-{1 + start // 24:02}T{start % 24:02}:00:00Z"
    lines = []
    for kind, name, stack, size in sites:
        line = {"of": "site", "type": kind}
        if name:
            line["name"] = name
        line.update(stack=[[function, at] for function, at in stack], objects=1, bytes=size)
        lines.append(line)
    totals = {"of": "totals", "peak_objects": 0, "peak_bytes": 0, "modules": 0,
              "entries": len(sites)}
    if sites:
        totals.update(objects=len(sites), bytes=sum(site[3] for site in sites))
    with open(path, "w", encoding="utf-8") as file:
        for line in [head, totals, *lines]:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")


def slope_of(values):
    told = trend.trend(values)
    left = trend.apart(values, sorted(place for place, _ in told[4])) if told and told[4] else values
    slopes = sorted(fractions.Fraction(b - a, j - i) for i, a in enumerate(left)
                    for j, b in enumerate(left) if j > i)
    return slopes[(len(slopes) - 1) // 2]


def expected(builds):
    """Return {(type, name, functions): (slope or None, first build, builds, bytes in the first, in the last)}, and
    for sites of too few builds, the growth per build since the first that has them."""
    series = {}
    for place, sites in enumerate(builds):
        for kind, name, stack, size in sites:
            key = (kind, name, tuple(function for function, _ in stack))
            series.setdefault(key, [0] * len(builds))[place] += size
    rows, young = {}, []
    for key, values in series.items():
        if not any(values):
            continue
        first = next(i for i, value in enumerate(values) if value)
        since = values[first:]
        told = len(since) >= 2 and (len(since) >= FEWEST or first == 0)
        rows[key] = (slope_of(since) if told else None, first + 1, sum(map(bool, values)), values[0],
                     values[-1])
        if 2 <= len(since) < FEWEST:
            young.append(fractions.Fraction(since[-1] - since[0], len(since) - 1))
    return rows, young


def made_up(draw, count):
    """Builds whose lines move, with sites that come, grow, jump, go."""
    shapes, builds = [], []
    for i in range(draw.randint(1, 12)):
        shapes.append((f"T{draw.randint(0, 2)}", draw.choice(["", "x", "y"]),
                       [f"f{draw.randint(0, 3)}" for _ in range(draw.randint(1, 3))],
                       draw.randint(0, count), draw.randint(0, 50), draw.choice([0, 0, 7, 100]),
                       draw.choice([0, 0, 5, 300]), draw.randint(0, count)))
    for build in range(count):
        sites = {}
        for kind, name, functions, begins, size, step, noise, jumps in shapes:
            amount = size + step * (build - begins) + draw.randint(0, noise)
            amount += 1000 if build >= jumps else 0
            stack = [(function, build * 3 + draw.randint(1, 2)) for function in functions]
            if build >= begins and draw.random() < 0.95:
                sites[(kind, name, tuple(stack))] = amount
        builds.append([(kind, name, list(stack), size) for (kind, name, stack), size
                       in sites.items()])
    return builds


def ask(memprof, *arguments):
    done = subprocess.run([memprof, "trend", "--limit", "0", "--format", "json", "--quiet", *arguments],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3) or not done.stdout:
        raise RuntimeError(f"{arguments}: {done.returncode} {done.stderr}")
    return json.loads(done.stdout), done.returncode


def compare(memprof, draw, work, problems):
    builds = made_up(draw, draw.randint(1, 9))
    by_time = draw.random() < 0.5
    names = list(range(len(builds)))
    if by_time:
        draw.shuffle(names)
    for place, (name, sites) in enumerate(zip(names, builds)):
        write(os.path.join(work, f"build-{name}.baseline"), sites, place if by_time else None)
    rows, young = expected(builds)
    found, _ = ask(memprof, work)
    told = {}
    for row in found.get("site_trends", []):
        key = (row["type"], row.get("name", ""), tuple(row.get("stack", [])))
        told[key] = (row.get("slope_bytes"), row["first_build"], row["builds"], row["first_bytes"],
                     row["latest_bytes"])
    wanted = {key: (None if row[0] is None else -(-row[0].numerator // row[0].denominator), *row[1:])
              for key, row in rows.items()}
    if told != wanted:
        problems.append((builds, told, wanted))
    ranks = [(-(row.get("slope_bytes") or 0), -row["delta_bytes"], -row["latest_bytes"])
             for row in found.get("site_trends", [])]
    if ranks != sorted(ranks):
        problems.append(("order", ranks))
    slopes = [row[0] for row in rows.values() if row[0] is not None and len(builds) - row[1] + 1 >= FEWEST]
    limit = draw.choice([0, 5, 50])
    _, status = ask(memprof, work, "--max-slope", str(limit))
    meant = 3 if len(builds) < FEWEST or (rows and not slopes) else \
        1 if any(slope > limit for slope in slopes) else 3 if any(growth > limit for growth in young) else 0
    if status != meant:
        problems.append((f"--max-slope {limit}", status, meant, builds))
    for name in os.listdir(work):
        os.remove(os.path.join(work, name))


def large(memprof):
    draw = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="memprof-builds-") as work:
        for build in range(500):
            write(os.path.join(work, f"build-{build}.baseline"),
                  [(f"T{i}", "", [("f", build + i), (f"g{i % 700}", 3 * build)],
                    1000 + draw.randint(0, 500) + build * (i % 50 == 0)) for i in range(5000)], None)
        begun = time.monotonic()
        subprocess.run([memprof, "trend", work, "--limit", "3"], check=True)
        print(f"{time.monotonic() - begun:.1f} s,",
              resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, "MiB")


def main():
    options = claims.arguments(__doc__, rounds=150, large=bool)
    if options.large:
        large(options.memprof)
        return 0
    draw, problems = random.Random(4711), []
    with tempfile.TemporaryDirectory(prefix="memprof-builds-") as work:
        for _ in range(options.rounds):
            compare(options.memprof, draw, work, problems)
    for problem in problems[:3]:
        print(*problem, sep="\n  ")
    print(f"builds.py: {options.rounds} folders, {len(problems)} wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
