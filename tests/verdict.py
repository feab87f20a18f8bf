#!/usr/bin/env python3
"""Score the verdict of memprof on generated programs whose leaks are known (tests/verdict).

  tests/verdict.py --memprof PROGRAM [--count N] [--seed S] [--jobs J] [--keep DIR]
                   [--only BEHAVIOUR] [--show-wrong] [--floors a,b,c,d,e,f]
  tests/verdict.py --memprof PROGRAM --watch [--count N] [--seed S] [--jobs J]
  tests/verdict.py --self-test

Exit status 1 if a floor is missed. The six floors, in percent:
  a  of the worst leaks named where something leaks, those that leak         at least 99
  b  of the judged programs that leak, those whose named worst leak leaks    at least 98
  c  of the judged programs without a leak, those that "leak"                at most 2.5
  d  the same of programs of nothing but pools                               at most 5
  e  of the programs without a leak, those that fail --max-trend 0           at most 1
  f  of the programs that leak, those that pass --max-trend 0                at most 2
Answers "unknown" and exit status 3 are not judged: they are counted separately.

With --watch, print at which snapshot `watch --max-trend 0` stops. A program whose caches are still filling can
be stopped although it does not leak, so there is no floor; only the end must be judged as `growth` judges it.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from verdict import behaviours, program, reading

FLOORS = (99, 98, 2.5, 5, 1, 2)
UNFINISHED = "[unfinished-recording]"


def run(memprof, *words):
    """Run memprof; return its exit status, output and messages."""
    done = subprocess.run([memprof, *map(str, words)], capture_output=True, text=True, check=False,
                          timeout=120)
    return done.returncode, done.stdout, done.stderr


def frame(place, text):
    """Return true if a text names the site of a place."""
    return re.search(re.escape(place["site"]) + r"(?!\d)", text or "") is not None


def find(truth, text):
    """Return the place whose site a text names, or None."""
    return next((place for place in truth if frame(place, text)), None)


def named(analysis, truth):
    """Return (leaks, worst): yes, no or unknown; and the named place, None or "other"."""
    verdict = analysis.get("verdict")
    if verdict is None:  # an older memprof: use its first lines
        lines = [line["text"] for line in analysis.get("answer", []) if line["label"] == "Worst leak"]
        return ("yes", find(truth, lines[0]) or "other") if lines else ("no", None)
    worst = verdict.get("worst")
    if worst is None:
        return verdict["leaks"], None
    return verdict["leaks"], find(truth, worst.get("site")) or "other"


class Score:
    """memprof's answers about one program."""

    def __init__(self, seed, made, paths, answers):
        self.seed, self.paths, self.truth = seed, " ".join(map(str, paths)), made.truth()
        self.format, self.finished, self.pools = made.format, made.finished, made.pools
        self.snapshots = [span.n for span in made.spans]
        self.leaky = any(place["leaks"] for place in self.truth)
        self.messages, analysis, rows, trend, self.trend_text = answers
        self.verdict, self.worst = named(analysis, self.truth)
        self.confidence = ((analysis.get("verdict") or {}).get("worst") or {}).get("confidence")
        self.reason = (analysis.get("verdict") or {}).get("reason", "")
        self.trend = {0: "pass", 1: "grows", 3: "unknown"}.get(trend, f"status {trend}")
        self.kinds = {}
        for place in self.truth:
            row = next((row for row in rows if any(frame(place, text) for text in
                                                   row.get("stack", [])[:2])), None)
            self.kinds[place["site"]] = (row.get("kind", row.get("trend", "?")) if row else "-")

    def names_leak(self):
        return isinstance(self.worst, dict) and self.worst["leaks"]

    def names_largest(self):
        """Return true if the named leak is the one with most bytes at the end."""
        most = max(place["bytes"] for place in self.truth if place["leaks"])
        return self.names_leak() and self.worst["bytes"] == most

    def wrong(self):
        """Return what is wrong with the answer, in words."""
        words = []
        if self.messages:
            words.append("message: " + self.messages[0])
        if self.verdict == "yes" and not self.leaky:
            words.append("says that a program leaks that does not")
        if self.leaky and self.verdict != "unknown" and not self.names_leak():
            words.append("does not name a leak")
        if self.trend == "grows" and not self.leaky:
            words.append("--max-trend 0: false alarm")
        if self.leaky and self.trend == "pass":
            words.append("--max-trend 0: missed")
        if self.trend.startswith("status"):
            words.append("--max-trend 0: " + self.trend)
        return words


def ask(memprof, paths, finished):
    """Return the answers of memprof about a recording."""
    status, text, errors = run(memprof, "analyze", *paths, "--format", "json", "--limit", 0)
    messages = [line for line in errors.splitlines() if finished or UNFINISHED not in line]
    if status:
        messages.insert(0, f"analyze ends with status {status}")
    analysis = json.loads(text) if text else {}
    rows = json.loads(run(memprof, "leaks", *paths, "--format", "json", "--limit", 0)[1] or "{}")
    trend, _, why = run(memprof, "growth", *paths, "--max-trend", 0, "--brief")
    return messages, analysis, rows.get("leaks", []), trend, why


def score(task):
    """Make the recording of a seed and ask memprof about it."""
    memprof, seed, only, keep = task
    made = program.make(seed, only)
    with tempfile.TemporaryDirectory() as folder:
        if keep:
            folder = pathlib.Path(keep) / str(seed)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "truth.json").write_text(json.dumps(made.truth(), indent=1) + "\n")
        paths = []
        for name, text in made.files():
            paths.append(pathlib.Path(folder) / name)
            paths[-1].write_text(text)
        return Score(seed, made, paths, ask(memprof, paths, made.finished))


def percent(part, whole):
    return 100 * part / whole if whole else None


def measures(scores):
    """Return rows (name, part, whole, floor is a minimum, programs) in the order of the floors.

    `whole` is the number of programs that the row judges, and `part` the number of those that `name` describes.
    """
    leaky = [one for one in scores if one.leaky]
    sound = [one for one in scores if not one.leaky]
    judged = [one for one in leaky if one.verdict != "unknown"]
    naming = [one for one in leaky if one.worst and one.verdict == "yes"]
    clear = [one for one in sound if one.verdict != "unknown"]

    def row(name, judged, programs, least, part):
        return name, sum(map(part, judged)), len(judged), least, len(programs)

    def fails(one):
        return one.trend == "grows"

    def leaks(one):
        return one.verdict == "yes"
    return [
        row("a  named worst leak leaks", naming, leaky, True, Score.names_leak),
        row("b  leak is named", judged, leaky, True, lambda one: leaks(one) and one.names_leak()),
        row("c  leak named without one", clear, sound, False, leaks),
        row("d  the same, of pools alone", [one for one in clear if one.pools],
            [one for one in sound if one.pools], False, leaks),
        row("e  --max-trend 0 false alarms", [one for one in sound if one.trend != "unknown"], sound,
            False, fails),
        row("f  --max-trend 0 misses", [one for one in leaky if one.trend != "unknown"], leaky, False,
            lambda one: not fails(one)),
    ]


def breakdown(scores):
    """Print the measures by format, by end and by length."""
    groups = {
        "oemp-1": lambda one: one.format == "oemp-1", "oemp-2": lambda one: one.format == "oemp-2",
        "agent": lambda one: one.format == "agent", "taligent": lambda one: one.format == "taligent",
        "finished": lambda one: one.finished, "running": lambda one: not one.finished,
        "to 9 snapshots": lambda one: max(one.snapshots) <= 9,
        "10 to 30": lambda one: 10 <= max(one.snapshots) <= 30,
        "31 to 100": lambda one: 31 <= max(one.snapshots) <= 100,
        "over 100": lambda one: max(one.snapshots) > 100,
    }
    print(f"{'':16s}{'programs':>9s}" + "".join(f"{letter:>10s}" for letter in "abcdef") +
          "   unknown: verdict, --max-trend")
    for name, belongs in groups.items():
        some = [one for one in scores if belongs(one)]
        cells = [f"{part}/{whole}" if whole else "-" for _, part, whole, *_ in measures(some)]
        print(f"{name:16s}{len(some):9d}" + "".join(f"{cell:>10s}" for cell in cells) +
              f"{sum(one.verdict == 'unknown' for one in some):10d}"
              f"{sum(one.trend == 'unknown' for one in some):10d}")


def report(scores, floors, show_wrong):
    """Print the tables; return true if every floor is met."""
    good = True
    print(f"{len(scores)} programs, {sum(one.leaky for one in scores)} that leak, "
          f"{sum(one.pools for one in scores)} of pools alone")
    for (name, part, whole, least, programs), floor in zip(measures(scores), floors):
        share = percent(part, whole)
        # a floor is judged by answers; without any, nothing is shown
        met = not programs if share is None else share >= floor if least else share <= floor
        good = good and met
        figure = "  none" if share is None else f"{share:6.2f} %"
        print(f"  {name:32s}{figure:>9s} {part:5d} of {whole:<5d} {'>=' if least else '<='} {floor:g} %"
              f"{'' if met else '  MISSED'}")
    for leaky, what in ((True, "that leak"), (False, "that do not leak")):
        some = [one for one in scores if one.leaky == leaky]
        print(f"  unknown of programs {what}: verdict {sum(one.verdict == 'unknown' for one in some)}, "
              f"--max-trend {sum(one.trend == 'unknown' for one in some)} of {len(some)}")
    naming = [one for one in scores if one.leaky and one.names_leak()]
    print(f"  named leak is the one with most bytes: {sum(one.names_largest() for one in naming)} "
          f"of {len(naming)}")
    noisy = [one for one in scores if one.messages]
    if noisy:
        good = False
        print(f"  recordings that memprof complains about: {len(noisy)}, first seed {noisy[0].seed}: "
              f"{noisy[0].messages[0]}")
    calibration(scores)
    breakdown(scores)
    confusion(scores)
    if show_wrong:
        for one in sorted(scores, key=lambda one: one.seed):
            show(one)
    return good


def calibration(scores):
    """Print, for each confidence, how many of the worst leaks with it are leaks."""
    table = collections.defaultdict(collections.Counter)
    for one in scores:
        if one.verdict == "yes" and one.confidence is not None:
            number = isinstance(one.confidence, (int, float))
            table[round(one.confidence, 1) if number else one.confidence][one.names_leak()] += 1
    for confidence, row in sorted(table.items(), key=lambda pair: str(pair[0])):
        print(f"  confidence {confidence}: {row[True]} of {row.total()} named leak")


def confusion(scores):
    """Print for each behaviour how often it got which kind, and was named the worst leak."""
    table, worst = collections.defaultdict(collections.Counter), collections.Counter()
    misses, alone = collections.Counter(), collections.Counter()
    for one in scores:
        leaking = [place for place in one.truth if place["leaks"]]
        for place in one.truth:
            table[place["behaviour"]][one.kinds[place["site"]]] += 1
            if one.verdict == "yes" and place is one.worst:
                worst[place["behaviour"]] += 1
        if len(leaking) == 1:
            alone[leaking[0]["behaviour"]] += 1
            misses[leaking[0]["behaviour"]] += one.trend == "pass"
        elif not leaking and isinstance(one.worst, dict) and one.trend == "grows":
            misses[one.worst["behaviour"]] += 1
    kinds = sorted({kind for row in table.values() for kind in row})
    width = [max(7, len(kind) + 1) for kind in kinds]
    print("behaviour            leaks  sites  worst  trend wrong" +
          "".join(f"{kind:>{wide}s}" for kind, wide in zip(kinds, width)))
    for one in behaviours.BEHAVIOURS:
        row = table.get(one.name)
        if row:
            wrong = misses[one.name]
            text = f"{wrong} of {alone[one.name]}" if one.leaks else str(wrong)
            print(f"{one.name:21s}{'yes' if one.leaks else 'no':5s}{sum(row.values()):7d}"
                  f"{worst[one.name]:7d}{text:>13s}" +
                  "".join(f"{row[kind] or '.':>{wide}}" for kind, wide in zip(kinds, width)))


def show(one):
    words = one.wrong()
    if words:
        worst = one.worst["behaviour"] if isinstance(one.worst, dict) else one.worst
        print(f"seed {one.seed}: {'; '.join(words)}\n  {one.paths}\n  {one.format} "
              f"{'finished' if one.finished else 'running'}, {one.snapshots} snapshots; "
              f"says {one.verdict}, worst {worst}, trend {one.trend}; {one.reason}")
        for place in one.truth:
            print(f"    {'LEAKS' if place['leaks'] else '     '} {place['behaviour']:20s}"
                  f"{place['created']:6d} created {place['alive']:6d} alive  "
                  f"{one.kinds[place['site']]:12s} {place['site']}")


def watch(task):
    """Return (program leaks, snapshots before the exit, snapshot at which watch stops or None) of a seed, or
    None if its recording is not one session in a file that watch can follow."""
    memprof, seed, only, _ = task
    made = program.make(seed, only)
    files = list(made.files())
    if len(files) != 1 or len(made.spans) != 1 or not made.format.startswith("oemp"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / files[0][0]
        path.write_text(files[0][1])
        status, text, _ = run(memprof, "watch", path, "--timeout", "1ms", "--max-trend", 0, "--format", "json")
        rows = [row for row in map(json.loads, text.splitlines()) if "sequence" in row]
        shown = [row for row in rows if row["tag"] != "_Exit"]
        ends = run(memprof, "growth", path, "--max-trend", 0, "--brief")[0]
        whole = json.loads(run(memprof, "snapshots", path, "--format", "json")[1])["snapshots"]
    length = sum(row["tag"] != "_Exit" for row in whole)
    if status != 1 or len(shown) == length:
        assert status == ends, (seed, status, ends)
    return any(place["leaks"] for place in made.truth()), length, len(shown) if status == 1 else None


def report_watch(results):
    """Print how many programs watch stops, and when."""
    for leaks, what in ((True, "that leak"), (False, "that do not leak")):
        some = [one for one in results if one and one[0] == leaks]
        early = sorted(stop for _, length, stop in some if stop and stop < length)
        late = sum(stop == length for _, length, stop in some)
        at = f", half of them by snapshot {early[len(early) // 2]}, nine tenths by {early[len(early) * 9 // 10]}"
        print(f"  {len(some)} programs {what}: stopped before the end {len(early)}{at if early else ''}; "
              f"at the end {late}; not stopped {len(some) - len(early) - late}")


def check_recording(made):
    """Compare a recording, read back by a simple reader, with its truth."""
    sites = reading.replay("".join(text for _, text in made.files()))
    for place in made.truth():
        sessions = [snapshots for snapshots in sites.get(place["site"], []) if snapshots]
        assert sum(len(snapshots[-1]) for snapshots in sessions) == place["alive"], place
        assert sum(sum(snapshots[-1].values()) for snapshots in sessions) == place["bytes"], place
        if not place["leaks"]:
            continue
        # a leak has more at the end than after start-up, and grew at three snapshots or more
        longest = max(sessions, key=lambda snapshots: sum(snapshots[-1].values()))
        held = [sum(snapshot.values()) for snapshot in longest]
        assert held[-1] > held[0], place
        grew = sum(before < after for before, after in itertools.pairwise(held))
        assert grew >= (2 if made.format == "taligent" else 3), (place, held)
    assert set(sites) <= {place["site"] for place in made.truth()}


# Sites that are level on average, with the burstiness of their events.
LEVEL = {"transient": 1, "pool-exponential": 1, "pool-lognormal": 1, "pool-fixed": 1, "expiring": 1,
         "waves": 1, "bounded-queue": 1, "sawtooth": 10}
# Sites that have the same number of objects at the end as after 71 % of the time.
FULL = ("cache-fifo", "cache-lru", "cache-lfu", "cache-random", "cache-slow", "warm-up", "filled-once",
        "start-state", "registry")


def late_events(name, chance):
    """Return the births and the deaths of a site in the last 29 % of its time."""
    while True:
        span = behaviours.Span(chance, chance.choice([20, 60, 150]), False)
        site = behaviours.Site(span, chance, 1000)
        if behaviours.NAMED[name].make(site):
            since = 0.71 * site.stop
            return (sum(thing.birth > since for thing in site.objects),
                    sum(since < thing.death < site.stop for thing in site.objects))


def check_healthy():
    """Check that healthy sites do not grow: some on average, others never."""
    chance = random.Random("healthy")
    for name in FULL:
        for _ in range(40):
            births, deaths = late_events(name, chance)
            assert births == deaths, name
    for name, bunch in LEVEL.items():
        net = events = 0
        while events < 8000:
            births, deaths = late_events(name, chance)
            net, events = net + births - deaths, events + births + deaths
        assert abs(net) < 4 * math.sqrt(events * bunch), (name, net, events)


def fake(made, leaks, worst, trend):
    """Return the score of an invented answer."""
    verdict = {"leaks": leaks, **({"worst": {"site": worst}} if worst else {})}
    return Score(0, made, [], ([], {"verdict": verdict}, [], trend, ""))


def check_scorer():
    """Check that wrong answers are counted as wrong, right ones as right, and unknown ones not at all."""
    programs = [program.make(seed) for seed in range(40)]
    leaky = next(one for one in programs if sum(place.leaks() for place in one.places) == 1
                 and len(one.places) > 1 and one.places[0].leaks())
    sound = next(one for one in programs if not one.pools
                 and not any(place.leaks() for place in one.places))
    pools = next(one for one in programs if one.pools)
    leak = next(place["site"] for place in leaky.truth() if place["leaks"])
    other = next(place["site"] for place in leaky.truth() if not place["leaks"])
    healthy = sound.truth()[0]["site"]
    pool = pools.truth()[0]["site"]
    none, hit, miss = (0, 0), (1, 1), (0, 1)
    cases = [  # (an answer, whether it is wrong, the counts (part, whole) of the six measures)
        (leaky, ("yes", leak, 1), False, [hit, hit, none, none, none, miss]),
        (leaky, ("yes", other, 0), True, [miss, miss, none, none, none, hit]),
        (leaky, ("yes", leak + "0", 1), True, [miss, miss, none, none, none, miss]),
        (leaky, ("no", None, 1), True, [none, miss, none, none, none, miss]),
        (leaky, ("unknown", None, 3), False, [none] * 6),
        (sound, ("no", None, 0), False, [none, none, miss, none, miss, none]),
        (sound, ("yes", healthy, 1), True, [none, none, hit, none, hit, none]),
        (sound, ("unknown", None, 3), False, [none] * 6),
        (pools, ("yes", pool, 0), True, [none, none, hit, hit, miss, none]),
    ]
    for made, answer, wrong, expected in cases:
        one = fake(made, *answer)
        assert [row[1:3] for row in measures([one])] == expected, (answer, measures([one]))
        assert bool(one.wrong()) == wrong, (answer, one.wrong())
    old = {"answer": [{"label": "Worst leak", "text": f"1 B in 1 x A b at {leak}, grew only once"}]}
    assert named(old, leaky.truth())[1]["site"] == leak
    old["answer"][0]["text"] = old["answer"][0]["text"].replace(leak, leak + "0")
    assert named(old, leaky.truth()) == ("yes", "other")
    assert named({"answer": []}, leaky.truth()) == ("no", None)


def self_test():
    """Check the generator and the scorer; return the exit status."""
    seen = set()
    for seed in range(60):
        made, again = program.make(seed), program.make(seed)
        text = made.files()[0][1]
        assert made.files() == again.files() and made.truth() == again.truth(), seed
        assert text not in seen
        seen.add(text)
        check_recording(made)
    for behaviour in behaviours.NAMED:
        made = program.make(7, behaviour)
        assert behaviour in [place["behaviour"] for place in made.truth()], behaviour
        check_recording(made)
    check_healthy()
    check_scorer()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memprof")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="folder to keep the recordings in, each in a folder with its truth")
    parser.add_argument("--only", choices=sorted(behaviours.NAMED), metavar="BEHAVIOUR",
                        help="one site of each program has this behaviour")
    parser.add_argument("--show-wrong", action="store_true")
    parser.add_argument("--floors", default=",".join(map(str, FLOORS)))
    parser.add_argument("--watch", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if not arguments.memprof:
        parser.error("--memprof is needed")
    tasks = [(arguments.memprof, arguments.seed * 1000000 + number, arguments.only, arguments.keep)
             for number in range(arguments.count)]
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as workers:
        if arguments.watch:
            report_watch(list(workers.map(watch, tasks, chunksize=4)))
            return 0
        scores = list(workers.map(score, tasks, chunksize=4))
    floors = [float(floor) for floor in arguments.floors.split(",")]
    if len(floors) != len(FLOORS):
        parser.error(f"--floors needs {len(FLOORS)} numbers")
    return 0 if report(scores, floors, arguments.show_wrong) else 1


if __name__ == "__main__":
    sys.exit(main())
