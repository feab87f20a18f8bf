#!/usr/bin/env python3
"""Trends computed by their definition, and random recordings on which the growth report must agree.

  tests/oracle/trend.py --self-test        series calculated by hand
  tests/oracle/trend.py --memprof PROGRAM  exit 1 and a line for each series that differs
  tests/oracle/trend.py NUMBER...          the trend of these values

All slopes are computed and sorted: P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau",
1968.
"""
import collections
import json
import math
import random
import statistics
import subprocess
import sys

STAMP = '"2022-02-01T08:01:39.967+05:00"'
UUID = '"3f2504e0-4f89-11d3-9a0c-0305e82c3301"'
NORMAL = statistics.NormalDist().inv_cdf(0.975)


def sen(values):
    """Return (median, low, high) of the slopes between any two values."""
    places = range(len(values))
    if len(values) > 1000:
        places = [i * (len(values) - 1) // 999 for i in range(1000)]
    slopes = sorted((values[j] - values[i]) / (j - i) for i in places for j in places if i < j)
    n, ties = len(places), collections.Counter(values[i] for i in places).values()
    variance = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)) / 18
    slope = statistics.median(slopes)
    rest = [values[i] - slope * i for i in places]
    rest = [value - sum(rest) / n for value in rest]
    squares = sum(value * value for value in rest)
    r = sum(a * b for a, b in zip(rest, rest[1:])) / squares if squares else 0
    if r > 0:  # neighbouring values are correlated: Yue and Wang, 2004
        variance *= 1 + 2 * (r ** (n + 1) - n * r * r + (n - 1) * r) / (n * (r - 1) ** 2)
    rank = max(math.floor((len(slopes) - NORMAL * math.sqrt(variance)) / 2 + 0.5), 1)
    rank = min(rank, (len(slopes) + 1) // 2)
    return slope, slopes[rank - 1], slopes[-rank]


def apart(values, places):
    """Return the values without the steps at these places; None if a step is not more than twice the range of
    the values on one side of it."""
    ends = [0, *places, len(values)]
    pieces = [values[a:b] for a, b in zip(ends, ends[1:])]
    ranges = [max(piece) - min(piece) for piece in pieces]
    if any(abs(values[p] - values[p - 1]) <= 2 * max(ranges) for p in places):
        return None
    rest = pieces[0]
    for piece in pieces[1:]:
        rest = rest + [value - piece[0] + rest[-1] for value in piece[1:]]
    return rest


def steady(slopes):
    return "grows steadily" if slopes[1] > 0 else "shrinks steadily" if slopes[2] < 0 else "flat"


def trend(values):
    """Return (words, slope, low, high, steps that are left out: (place, size)); None if the series is too
    short."""
    if len(values) < 4:
        return None
    slopes, taken = sen(values), ()
    words = steady(slopes)
    steps = sorted(((b - a, i + 1) for i, (a, b) in enumerate(zip(values, values[1:]))),
                   key=lambda step: (-abs(step[0]), step[1]))
    largest, place = steps[0]
    alike = [step for step in steps[1:] if step[0] * largest > 0]
    rest = apart(values, [place]) if largest else None
    if rest:
        taken, slopes = ((place, largest),), sen(rest)
        whole, words = words, steady(slopes)
        if words == "flat" or (len(rest) < 4 and words != whole):
            words = "jumps once" if largest > 0 else "drops once"
    if "once" in words or not taken:
        rest = apart(values, sorted([place, alike[0][1]])) if alike else None
        against = "shrinks steadily" if largest > 0 else "grows steadily"
        if rest and len(rest) >= 4 and steady(sen(rest)) == against:
            taken, slopes = ((place, largest), alike[0][::-1]), sen(rest)
            words = against
    return (words, *slopes, taken)


# --- recordings made up of series: an object of a type of its own for each, which changes its size ---

def recording(series):
    """Return a recording whose snapshot i has the i-th value of each series."""
    lines = []
    for i in range(len(series[0])):
        sizes = [values[i] for values in series]
        sections = [
            [f'2 3277 {i + 1} {STAMP} "AVM-Client" "work" "" "" 0 {UUID} "" 0 "shop" ? 0.5 "12.8.9" "" ""'],
            [], [f'"T{k}" {100 + k}' for k in range(len(series))] if i == 0 else [],
            [], [], [], [], [],
            [f"{k + 1} {100 + k} {size} 0 0 1 0 0 0 0 0 1 0 0 0 0" for k, size in enumerate(sizes)]
            if i == 0 else [],
            [f"{k + 1} {100 + k} {values[i]} 0 0 0" for k, values in enumerate(series)
             if i and values[i] != values[i - 1]],
            [],
            [f'{10 * (i + 1)} {len(series)} {sum(sizes)} 0 {len(series)} 1 0 0 0 "work" {i + 1}'],
        ]
        lines += [line for section in sections for line in [*section, "."]]
    return "".join(line + "\n" for line in lines).encode()


def made_up(chance, length):
    """Return a random series, of a common or of an extreme kind."""
    kind = chance.randrange(13)
    noise = chance.choice((0, 0, 1, 20, 300))
    rough = [chance.randint(0, noise) for _ in range(length)]
    turn, second = chance.randrange(length), chance.randrange(length)
    big = chance.choice((50, 1000, 10 ** 9))
    shapes = [
        lambda i: 0,
        lambda i: 30 * i,
        lambda i: 30 * (length - i),
        lambda i: big * (i >= turn),
        lambda i: big * (i < turn),
        lambda i: 100 * (i // chance_width),
        lambda i: 100 * (i % chance_width),
        lambda i: big * (i == turn),
        lambda i: big * (i >= turn) + 7 * i,
        lambda i: big * (i < turn) + 7 * i,
        lambda i: big * (i >= turn) + 7 * (length - i),
        lambda i: big * ((i < turn) + (i < second)) + 7 * i,
        lambda i: big * ((i >= turn) + (i >= second)) + 7 * (length - i),
    ]
    chance_width = chance.randrange(2, 6)
    return [5 + shapes[kind](i) + rough[i] for i in range(length)]


def close(wanted, got):
    return got is not None and math.isclose(wanted, got, rel_tol=1e-11, abs_tol=1e-11)


def differences(values, row, what):
    wanted = trend(values)
    names = ("slope_bytes_per_snapshot", "slope_low_bytes_per_snapshot",
             "slope_high_bytes_per_snapshot")
    if not wanted:
        if any(name in row for name in (*names, "trend")) and row["trend"] != "grows steadily":
            yield f"{what} {values}: too short, but {row}"
        return
    words, slope, low, high, steps = wanted
    if row.get("trend") == "grows steadily":
        return  # the trend depends on the verdict, which tests/verdict tests
    words = "flat" if words == "grows steadily" else words
    jumps = [row.get(name) for name in ("jump_bytes", "second_jump_bytes")]
    same = row.get("trend") == words and jumps == [*(size for _, size in steps), None, None][:2]
    same &= all(close(number, row.get(name)) for number, name in zip((slope, low, high), names))
    if not same:
        yield f"{what} {values[:60]}: wanted {wanted}, got {row}"


def agree(memprof, chance, length, count, first):
    """Compare the report on a recording whose window begins at snapshot `first`, from 1. Exactly what leaks by
    the verdict must grow steadily."""
    steady = False
    series = [made_up(chance, length) for _ in range(count)]
    done = subprocess.run([memprof, "growth", "--quiet", "--limit", "0", "--from", str(first),
                           "--format", "json", "-"],
                          input=recording(series), stdout=subprocess.PIPE, check=True)
    report = json.loads(done.stdout)
    rows = {row["key"]: row for row in report["growth"]}
    total = [sum(values) for values in zip(*series)]
    told = [(values, rows[f"T{k}"], f"T{k}") for k, values in enumerate(series)]
    for values, row, what in [*told, (total, report["trend"], "total")]:
        for line in differences(values[first - 1:], row, what):
            yield line
        if row.get("trend") == "grows steadily":
            steady = True
            continue
        for (place, _), name in zip((trend(values[first - 1:]) or [()])[-1],
                                    ("jump_sequence", "second_jump_sequence")):
            if row.get(name) != place + first:
                yield f"{what} {values}: {name} is {row.get(name)}, not {place + first}"

    done = subprocess.run([memprof, "leaks", "--quiet", "--from", str(first), "--format", "json", "-"],
                          input=recording(series), stdout=subprocess.PIPE, check=True)
    verdict = json.loads(done.stdout)["verdict"]
    if steady != (verdict["leaks"] == "yes"):
        yield f"grows steadily: {steady}, but the verdict is {verdict}"


def hold(memprof):
    chance = random.Random(3)
    kinds, lines, count = collections.Counter(), [], 0
    for length, series in [*((length, 40) for length in [*range(1, 41)] * 2), (1500, 3)]:
        first = chance.choice((1, 1, chance.randrange(1, length + 1)))
        lines += agree(memprof, chance, length, series, first)
        count += series + 1
    for _ in range(500):
        told = trend(made_up(chance, chance.randrange(4, 30)))
        kinds[told[0]] += 1
    if len(kinds) < 5:
        lines.append(f"the series are too much alike: {kinds}")
    print(*lines[:20], sep="\n", end="\n" if lines else "")
    print(f"trends of {count} series: {len(lines)} differ")
    return 1 if lines else 0


def self_test():
    """Wrong trends must be detected, and series calculated by hand must give the expected trend."""
    by_hand = [
        ([0, 10, 20, 30], ("grows steadily", 10, 10, 10, ())),
        ([7, 7, 7, 7], ("flat", 0, 0, 0, ())),
        # without the step, three zeros are left
        ([0, 0, 0, 100], ("jumps once", 0, 0, 0, ((3, 100),))),
        # -4 three times, -4/3 twice, -4/5, 0 six times, 4/3, 4 twice; the ranks are 3 and 13
        ([5, 1, 5, 1, 5, 1], ("flat", 0, -4, 4 / 3, ())),
        # memory is freed after the first snapshot, in the middle, at the end, and in two steps
        ([7100, 200, 300, 400, 500], ("grows steadily", 100, 100, 100, ((1, -6900),))),
        ([7000, 7100, 200, 300, 400], ("grows steadily", 100, 100, 100, ((2, -6900),))),
        ([7000, 7100, 7200, 7300, 0], ("grows steadily", 100, 100, 100, ((4, -7300),))),
        ([9000, 5000, 5100, 100, 200, 300],
         ("grows steadily", 100, 100, 100, ((3, -5000), (1, -4000)))),
        # three values are left, which are too few
        ([7000, 100, 200, 300], ("drops once", 100, 100, 100, ((1, -6900),))),
        ([0, 1000, 998, 996, 994], ("shrinks steadily", -2, -2, -2, ((1, 1000),))),
    ]
    failed = [(values, wanted, trend(values)) for values, wanted in by_hand
              if wanted != (got := trend(values)) and not (
                  got[0] == wanted[0] and got[4] == wanted[4] and
                  all(close(a, b) for a, b in zip(wanted[1:4], got[1:4])))]
    row = {"trend": "flat", "slope_bytes_per_snapshot": 0, "slope_low_bytes_per_snapshot": 0,
           "slope_high_bytes_per_snapshot": 0.1}
    if not list(differences([7, 7, 7, 7], row, "planted")):
        failed.append("a wrong interval was not found")
    print(*failed, sep="\n", end="\n" if failed else "")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    if len(sys.argv) == 3 and sys.argv[1] == "--memprof":
        sys.exit(hold(sys.argv[2]))
    print(trend([int(word) for word in sys.argv[1:]]))
