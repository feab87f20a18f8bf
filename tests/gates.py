#!/usr/bin/env python3
"""A rule passes only if it was judged.

  tests/gates.py --memprof PROGRAM

No sample may exceed the limits of RULES, which are 0, except that the sessions whose objects are freed at the end
shrink, and that one sample does not leak (samples/README.md). So every other rule fails, or is an error because the
sample does not record the figure. With a selection that nothing matches, no rule may pass. The status, JSON, JUnit and
the annotations must agree. Small recordings are made for what no sample shows.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import claims
import growing

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
OTHERS = (".md", ".sh", ".policy", ".suppressions", ".sql")  # no recordings
GROWTH = ("growth", "growth of each type", "growth per snapshot", "growth of each type per snapshot", "platform growth")
HEAPS = ("leaked", "leaked objects", "leak sites", "live", "live objects", "peak", "peak objects", "created",
         "created objects", "deleted objects", "retained of each type", "platform memory", "leaked of each source",
         "leaked objects of each name", "live of each site", "live objects of each type", "created of each type", *GROWTH,
         "trend", "trend of each site")
PROFILES = ("calls", "samples", "calls of each module", "samples of each method", "seconds", "seconds of each method")
RULES = [f"{measure} <= 0{' s' if measure.startswith('seconds') else ''}" for measure in HEAPS + PROFILES]
RULES += ["coverage >= 100 %", "coverage of each module >= 100 %", "growth <= 0 %", "trend <= 0 %", "growth after snapshot 1 <= 0"]
SERIES = [[f"shop-{number}{ending}" for number in range(1, 4)] for ending in
          (".gclog", ".heap", ".hprof", ".heapsnapshot", ".pprof", ".heapprofile")] + \
    [["shop-objects-1.json", "shop-objects-2.json", "shop-objects-3.json"], ["shop-part1.oemp", "shop-part2.oemp"]]
# Sessions that end: less is alive at their clean-up than at their first snapshot.
SHRINKING = ("shop-agent-", "shop-fixed", "shop-latin1", "shop-requests-", "shop-reusable", "shop-v1.oemp", "shop-v2.oemp",
             "shop-part1.oemp+")
NOTHING = (["--type", "no such type"], ["--since", "9h"], ["--source", "no such source"])


def may_pass(name, rule):
    """Return true if what the sample records is within the rule."""
    total = rule in ("growth <= 0", "growth <= 0 %", "growth after snapshot 1 <= 0")
    return total and name.startswith(SHRINKING) or name == "shop-fixed.oemp" and ("trend" in rule or "per snapshot" in rule)


class Changing(growing.Recording):
    """A recording whose objects can change their size."""

    def change(self, number, size):
        self.live[number] = size
        self.add("changed", f"{number} 41 {size} 0 0 0")


def masked(snapshots=5, leaked=1000, freed=90_000):
    """Return a recording in which line 2 leaks an object per snapshot, line 1 has an object that grows and, at the
    end, frees one that is larger than all leaks."""
    one = Changing()
    one.object(1, size=100)
    one.object(2, size=freed)
    one.snapshot()
    for i in range(snapshots):
        one.change(1, 200 + 100 * i)
        one.object(10 + i, line=2, size=leaked)
        one.snapshot()
    one.delete(2)
    return one.done()


def grown(snapshots, session=1):
    """Return a recording that creates nothing after its first snapshot, but has an object that grows."""
    one = Changing(session)
    one.object(1, size=100)
    one.snapshot()
    for i in range(snapshots):
        one.change(1, 200 + 100 * i)
        one.snapshot()
    return one.done()


def made(snapshots, idle=0, size=100):
    """Return a recording in which each of some snapshots has a new object that stays."""
    one = Changing()
    one.object(1, size=size)
    one.snapshot()
    for i in range(snapshots + idle):
        if i < snapshots:
            one.object(10 + i, size=size)
        one.snapshot()
    return one.done()


def hold_made(laws, folder):
    """Claims about recordings that are made here."""
    def states(name, text, rules, *words):
        (folder / f"{name}.oemp").write_text(text)
        (folder / f"{name}.policy").write_text("\n".join(rules) + "\n")
        done = laws.run("gate", folder / f"{name}.policy", folder / f"{name}.oemp", *words, "--format", "json", "--quiet")
        return [(row["status"], row.get("measured_bytes")) for row in json.loads(done.stdout)["rules"]]

    # 5 x 1000 bytes leak, whatever another line frees
    found = states("masked", masked(), ["trend <= 4999", "trend <= 5000", 'trend of site "*start.p" <= 4999'], "--from", "2")
    laws.claim(found == [("fail", 5000), ("pass", 5000), ("fail", 5000)], "a leak beside a line that frees more", found)
    # objects without bytes are no loss: their site keeps what is known about it (all snapshots are of request r-1)
    (folder / "empty.oemp").write_text(made(8, size=0))
    found = laws.run("leaks", folder / "empty.oemp").stdout
    laws.claim("in request r-1" in found, "the request of objects of 0 bytes", found)
    # too few snapshots to tell whether an object keeps growing
    for snapshots, verdict in (1, "error"), (2, "error"), (3, "fail"):
        found = states("grown", grown(snapshots), ["trend <= 0"], "--from", "2")
        laws.claim(found[0][0] == verdict, snapshots, "snapshots at which an object grew", found)
    # growth over the limit at too few snapshots to tell a leak from a cache; then one that is a leak
    for snapshots, idle, verdict in (2, 0, "error"), (2, 1, "error"), (3, 0, "fail"):
        rules = ["growth per snapshot <= 0", "growth of each type per snapshot <= 0", "growth per snapshot <= 100"]
        found = states("made", made(snapshots, idle), rules, "--from", "2")
        laws.claim([row[0] for row in found] == [verdict, verdict, "pass"], snapshots, "snapshots with an object", found)
    found = states("flat", grown(0), ["trend <= 0"], "--from", "2")
    laws.claim(found == [("pass", 0)], "nothing was created and nothing grew", found)
    (folder / "short.oemp").write_text(grown(2, session=2))
    found = states("part", masked(leaked=0), ["trend <= 0"], folder / "short.oemp", "--from", "2")
    laws.claim(found[0][0] == "error", "an object grew in one of two sessions", found)


def hold_filters(laws, folder):
    """Claims about filters of which one pattern is misspelled: nothing is judged."""
    recording, profile = SAMPLES / "shop-v2.oemp", SAMPLES / "shop-v3.prf"
    folders = {"one": ["shop-v2.oemp"], "many": ["shop-v2.oemp", "shop-fixed.oemp"], "other": ["shop-v2.oemp", "shop.taligent"]}
    for name, samples in folders.items():
        (folder / name).mkdir()
        for sample in samples:
            (folder / name / sample).write_bytes((SAMPLES / sample).read_bytes())
    (folder / "loose.policy").write_text("live <= 1 GiB\n")
    right, wrong = ["--type", "MEMPTR"], ["--type", "TOrderEvent"]
    for paths in ([recording], [folder / "one"], [folder / "many"]):
        for words in (["leaks", *paths, "--max-leaked", "1G"], ["gate", folder / "loose.policy", *paths]):
            for form in "text", "json", "junit", "github", "markdown", "csv":
                done = laws.run(*words, *right, *wrong, "--format", form)
                laws.claim(done.returncode == 3, words, form, "with a misspelled pattern", done.returncode)
            laws.claim(laws.run(*words, *right, "--not-type", "TOrderEvent").returncode == 0, words, "an excluding pattern")
    # in a folder, a pattern need not match in each file
    done = laws.run("leaks", folder / "other", *right, *wrong, "--max-live", "1G", "--quiet")
    laws.claim(done.returncode == 0, "patterns that match in different files", done.returncode)
    for option, good, bad in (("--name", "shop.OrderEvent", "Ordr"), ("--stack", "OrderService", "Ordr"), ("--tag", "Pre 1", "Pre 9"),
                              ("--source", "shop.OrderService", "shop.Ordr")):
        done = laws.run("leaks", recording, option, good, option, bad, "--max-leaked", "1G")
        laws.claim(done.returncode == 3, option, "misspelled", done.returncode)
    (folder / "lines.policy").write_text("coverage >= 1 %\n")
    answer = json.loads(laws.run("gate", folder / "lines.policy", profile, "--format", "json").stdout)["answer"]
    laws.claim({"label": "Not counted", "text": "9 programs without coverage"} in answer, "programs without coverage", answer)
    words = ["--source", "shop.Order", "--source"]
    for bad, status in ("shop.Ordr", 3), ("shop/placeOrder.p", 0):
        laws.claim(laws.run("coverage", profile, *words, bad, "--min-lines", "1%").returncode == status, bad, "coverage")
    builds = [f"{recording}@{number}" for number in (2, 3, 4, 5)]
    for bad, status in ("shop.Ordr", 3), ("OOABL Obj", 0):
        done = laws.run("trend", *builds, *right, "--type", bad, "--max-slope", "1G")
        laws.claim(done.returncode == status, bad, "trend", done.returncode)
        done = laws.run("baseline", "save", recording, *right, "--type", bad, "--store", folder / "store")
        laws.claim(done.returncode == status, bad, "baseline", done.returncode)


def hold_series(laws, folder):
    """Claims about a dump or profile that is named again, or a copy with the same stamp: nothing passes."""
    policy = folder / "series.policy"
    policy.write_text("growth <= 1 MiB\n")
    for ending in "gclog", "hprof", "heapsnapshot", "heap", "pprof", "heapprofile":
        first, second = (SAMPLES / f"shop-{number}.{ending}" for number in (1, 2))
        copy = folder / f"shop-1-copy.{ending}"
        copy.write_bytes(first.read_bytes())
        stamped = ending in ("gclog", "hprof", "pprof")
        for paths, status in (([first, second], 0), ([first, first, second], 3), ([first, copy, second], 3 if stamped else 0)):
            done = laws.run("gate", policy, *paths, "--quiet")
            laws.claim(done.returncode == status, paths, done.returncode)
    done = laws.run("gate", policy, *[SAMPLES / "shop-objects-1.json"] * 2, "--quiet")
    laws.claim(done.returncode == 3, "an object report twice", done.returncode)


def hold_runtimes(laws, folder):
    """Claims about heap dumps of different runtimes: one is no base for the other."""
    (folder / "runtime.policy").write_text("live <= base + 1 GiB\n")
    endings = "gclog", "hprof", "heapsnapshot"
    for now in endings:
        for base in endings:
            done = laws.run("gate", folder / "runtime.policy", SAMPLES / f"shop-2.{now}", "--base", SAMPLES / f"shop-1.{base}")
            laws.claim(done.returncode == (0 if now == base else 3), now, base, done.returncode)


def hold_order(laws, folder):
    """Claims about a base that is later than the recording: this is said."""
    (folder / "order.policy").write_text("live <= base\n")
    later = folder / "later.oemp"
    later.write_text((SAMPLES / "shop-v2.oemp").read_text().replace("2026-03-02T", "2026-03-03T"))
    for now, base, warns in ((SAMPLES / "shop-v2.oemp", later, True), (later, SAMPLES / "shop-v2.oemp", False)):
        done = laws.run("gate", folder / "order.policy", now, "--base", base, "--brief")
        laws.claim(("\n  Order" in done.stdout) == warns, now, base, done.stdout)


def hold_in_use(laws, folder):
    """Claims about a base that ends in the middle of its run: what was in use there is no allowance for leaks."""
    rules, recording = ["leaked <= base", "leaked sites <= base", "no new leak site"], SAMPLES / "shop-v2.oemp"
    laws.run("baseline", "save", f"{recording}@6", "--store", folder / "use", "--as", "six")
    for rule in rules:
        (folder / "use.policy").write_text(rule + "\n")
        for now, base, status in ((recording, f"{recording}@6", 3), (f"{recording}@5", f"{recording}@6", 0),
                                  (recording, folder / "use" / "six.baseline", 3),
                                  (recording, SAMPLES / "shop-v1.oemp", 0)):
            done = laws.run("gate", folder / "use.policy", now, "--base", base)
            laws.claim(done.returncode == status, rule, now, base, done.returncode)


def hold_pipes(laws):
    """Claims about a recording that ends in the middle of a snapshot, watched through a pipe."""
    text = (SAMPLES / "shop-v2.oemp").read_text()
    torn = "\n".join(text.split("\n")[:600])
    for given, limit, status in ((text, "1G", 0), (torn, "1G", 3), (torn, "1", 1)):
        done = subprocess.run([laws.program, "watch", "-", "--max-live", limit], input=given, capture_output=True,
                              text=True, check=False, timeout=60)
        laws.claim(done.returncode == status, "watch", limit, len(given), done.returncode)


def hold_builds(laws, folder):
    """Claims about a build that occurs twice in a trend: no slope passes, but one that is exceeded fails."""
    text, builds = (SAMPLES / "shop-v2.oemp").read_text(), []
    for minute in range(10, 15):
        builds.append(folder / f"build{minute}.oemp")
        builds[-1].write_text(text.replace("08:15:30", f"08:{minute}:30"))
    copy = folder / "build-copy.oemp"
    copy.write_bytes(builds[0].read_bytes())
    for paths, status in ((builds, 0), (builds[:4] + [copy], 3), (builds[:4] + builds[:1], 3)):
        done = laws.run("trend", *paths, "--max-slope", "0")
        laws.claim(done.returncode == status, paths, done.returncode)
    other, copy = folder / "build10-b.oemp", folder / "build10-a.oemp"  # another process, which started at the same time
    other.write_text((SAMPLES / "shop-fixed.oemp").read_text().replace("03-03T08:15:30", "03-02T08:10:30"))
    copy.write_bytes(builds[0].read_bytes())
    for paths, status in (builds + [other], 0), (builds + [other, copy], 3):
        done = laws.run("trend", *paths, "--max-slope", "1G")
        laws.claim(done.returncode == status, paths, done.returncode)
    moments = [f"{SAMPLES / 'shop-v2.oemp'}@{number}" for number in (2, 3, 3, 4, 5)]
    for limit, status in ("1G", 0), ("1", 1):  # snapshots of one run stand for builds
        laws.claim(laws.run("trend", *moments, "--max-slope", limit).returncode == status, "snapshots", limit)


def hold_names(laws, folder):
    """Claims about a name that is too long or damaged: a pattern that may match it does not pass."""
    one = growing.Recording()
    one.source(1, "a.Service")
    one.node(1, 1, 0, 0)
    one.object(1, node=1, size=10)
    for number, name in (2, "b" * 70 + ".Service"), (3, "c\u20ac.Service"):
        one.source(number, name)
        one.node(number, number, 0, 0)
        one.object(number, node=number, size=100_000)
    path, policy, spoilt = folder / "names.oemp", folder / "names.policy", folder / "utf16.oemp"
    path.write_text(one.done())
    spoilt.write_bytes(path.read_text().encode("utf-16").replace(b"\xac\x20", b"\x00\xd8"))  # half a surrogate
    policy.write_text('live of source "*.Service" <= 1 MiB\n')
    for words, status in (([path], 0), ([path, "--max-name", "64"], 3), ([path, "--encoding", "EUC-JP"], 3), ([spoilt], 3)):
        done = laws.run("gate", policy, *words)
        laws.claim(done.returncode == status, words, "gate", done.returncode)
        done = laws.run("leaks", *words, "--source", "*.Service", "--max-live", "1M")
        laws.claim(done.returncode == status, words, "limit", done.returncode)
        laws.claim(laws.run("leaks", *words, "--max-live", "1M").returncode == 0, words, "without a pattern")


def hold_bases(laws, folder):
    """Claims about recordings that are compared with themselves: this is said, and with --strict nothing passes."""
    (folder / "base.policy").write_text("live <= base\n")
    laws.run("baseline", "save", SAMPLES / "shop-v2.oemp", "--store", folder / "own")
    copy = folder / "copy.oemp"
    copy.write_bytes((SAMPLES / "shop-v2.oemp").read_bytes())
    for base, same in ((SAMPLES / "shop-v2.oemp", True), (copy, True), (folder / "own" / "shop-v2.baseline", True),
                       (SAMPLES / "shop-v1.oemp", True), (f"{copy}@3", False)):  # shop-v1 is the same run in version 1
        words = ["gate", folder / "base.policy", SAMPLES / "shop-v2.oemp", "--base", base, "--quiet", "--format", "json"]
        done = laws.run(*words)
        laws.claim(any(line["label"] == "Same run" for line in json.loads(done.stdout)["answer"]) == same, base, "says it")
        laws.claim(done.returncode == 0 and laws.run(*words, "--strict").returncode == 3 * same, base, "strict")


def main():
    asked = claims.arguments(__doc__)
    laws = claims.ClaimsOfProgram(asked.memprof)
    with tempfile.TemporaryDirectory() as folder:
        policy = pathlib.Path(folder) / "zero.policy"
        policy.write_text("\n".join(RULES) + "\n")

        def gate(paths, *words, form="json"):
            return laws.run("gate", policy, *paths, *words, "--format", form, "--quiet")

        paths = [[path] for path in sorted(SAMPLES.iterdir()) if path.is_file() and path.suffix not in OTHERS]
        for group in paths + [[SAMPLES / name for name in names] for names in SERIES]:
            name = "+".join(path.name for path in group)
            for words in ([], *NOTHING):
                done = gate(group, *words)
                if done.returncode == 2 and words:
                    continue  # the option is not for this kind of recording
                answer = json.loads(done.stdout)
                passed = [row["rule"] for row in answer["rules"] if row["status"] == "pass"]
                wrong = [rule for rule in passed if words or not may_pass(name, rule)]
                laws.claim(not wrong, name, words, "passes", wrong)
                counts = answer["gate"]
                failed, unjudged = counts["failed"], counts["unjudged"]
                verdict = "fail" if failed else "error" if unjudged else "pass"
                laws.claim(len(passed) == counts["passed"] and counts["verdict"] == verdict, name, words, counts)
                # what could not be read takes precedence over what fails
                laws.claim(done.returncode == {"fail": 1, "error": 3, "pass": 0}[verdict], name, words, done.returncode, verdict)
                suite = re.search(r'failures="(\d+)" errors="(\d+)"', gate(group, *words, form="junit").stdout)
                laws.claim(suite and [int(count) for count in suite.groups()] == [failed, unjudged], name, words, "JUnit")
                notes = gate(group, *words, form="github").stdout.count("::error ")
                laws.claim(notes == failed + unjudged, name, words, "annotations", notes)
        hold_made(laws, pathlib.Path(folder))
        hold_filters(laws, pathlib.Path(folder))
        hold_bases(laws, pathlib.Path(folder))
        hold_names(laws, pathlib.Path(folder))
        hold_series(laws, pathlib.Path(folder))
        hold_runtimes(laws, pathlib.Path(folder))
        hold_builds(laws, pathlib.Path(folder))
        hold_order(laws, pathlib.Path(folder))
        hold_in_use(laws, pathlib.Path(folder))
        hold_pipes(laws)
    return laws.end(800)


if __name__ == "__main__":
    sys.exit(main())
