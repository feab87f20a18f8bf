#!/usr/bin/env python3
"""Properties of every report, on samples, on generated recordings and on real ones.

  tests/properties.py --memprof PROGRAM --generate PROGRAM [--server PROGRAM] LAW
  tests/properties.py --memprof PROGRAM --generate PROGRAM [--server PROGRAM] --self-test
                      with a program that sometimes errs, every law must be broken

Expected figures come from the generator's plan (samples/answers), from the simple replay in tests/oracle, or
from another run that must agree. On failure, print a line for each fault and exit with 1; exit with 77 if
something that the law needs is missing.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import json
import lzma
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
# Codes of diagnostics by which figures may miss a part of the recorded data.
UNSOUND = set(re.findall(r'MP_DIAGNOSTIC\(\w+, "([^"]+)", \w+, \d, 1\)',
                         (HERE.parent / "include" / "memprof" / "diagnostics.def").read_text()))
sys.path.insert(0, str(HERE / "oracle"))
import baselines  # noqa: E402
import compare  # noqa: E402
import culprits  # noqa: E402
import differences  # noqa: E402
import folders  # noqa: E402
import heaps  # noqa: E402
import oemp  # noqa: E402
import recordings  # noqa: E402
import runs  # noqa: E402
import selections  # noqa: E402

DIMENSIONS = ["type", "site", "source", "line", "name", "node", "scope", "request", "api"]
COMMANDS = ["analyze", "info", "snapshots", "leaks", "requests", "top", "growth", "tree",
            "coverage", "check"]
LAWS = ["samples", "groups", "versions", "windows", "answers", "oracle", "random", "repeat", "torn",
        "damaged", "large", "taligent", "graphs", "aqtime", "suppressions", "differences",
        "selections", "baselines", "folders", "culprit"]
# Bytes that may have an effect on a terminal.
CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
SKIPPED = 77


class Laws(heaps.OtherHeaps, differences.Differences, selections.Selections,
           baselines.Baselines, folders.Folders, culprits.Culprits):
    def __init__(self, program, generate, programs=8):
        self.program, self.generate, self.programs = program, generate, programs
        self.breaches, self.checks = [], 0

    # --- tools ---

    def run(self, *arguments, stdin=None):
        return self.program.run(*arguments, stdin=stdin)

    def alone(self, *arguments):
        return self.program.alone(*arguments)

    def json(self, command, *arguments, stdin=None):
        done = self.run(command, "--quiet", "--format", "json", *arguments, stdin=stdin)
        if done.returncode != 0:
            self.hold(False, f"{command} {arguments}: exit {done.returncode}: {done.stderr[-300:]}")
            return {}
        return self.parsed(done, command)

    def parsed(self, done, what):
        """Return the JSON output of a run, whatever its status is."""
        try:
            return json.loads(done.stdout)
        except ValueError:
            self.hold(False, f"{what}: exit {done.returncode}, no JSON: {done.stderr[-300:]}")
            return {}

    def hold(self, true, what):
        self.checks += 1
        if not true:
            self.breach(what)

    def breach(self, what):
        self.breaches.append(what)

    def by_size(self, rows, what):
        """Return leaks ordered by bytes; those that leak by the verdict must come first. Objects that are older
        than the window only grow, so they leave nothing behind."""
        leaking = [row.get("leaking_bytes", 0) for row in rows]
        self.hold(leaking == sorted(leaking, reverse=True), f"{what}: leaks are not in order")
        rows = sorted((row for row in rows if row["objects"]), key=lambda row: (
            -row["bytes"], -row["objects"], row["type"].encode(),
            [frame.encode() for frame in row["stack"]], row.get("line", 0)))
        return [{**row, "rank": rank} for rank, row in enumerate(rows, 1)]

    def agree(self, expected, actual, sections, what):
        self.checks += 1
        if any("kind" in row for row in actual.get("leaks", [])):
            actual = {**actual, "leaks": self.by_size(actual["leaks"], what)}
        sections = sections or [s for s in compare.SECTIONS if s in expected]
        for line in list(compare.compare(expected, actual, sections))[:5]:
            self.breach(f"{what}: {line}")

    def oracle(self, name, *arguments):
        done = subprocess.run([sys.executable, "-B", str(HERE / "oracle" / name),
                               *map(str, arguments)], stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def make(self, path, *options, answer=None):
        """Make a generated recording at this path."""
        subprocess.run([self.generate, "oemp", *map(str, options),
                        *(["--answer", answer] if answer else []), "-o", path], check=True)
        return path

    def at_once(self, work, items):
        """Return work(item) for all items; some of them run at the same time."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            try:
                return list(pool.map(work, items))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def recordings(self):
        return sorted(SAMPLES.glob("*.oemp"))

    def whole(self):
        """Return the recordings that are complete; part 2 of a recording refers to ids of its part 1."""
        return [p for p in self.recordings() if p.name != "shop-part2.oemp"]

    # --- laws ---

    def keep(self, law):
        getattr(self, {"oracle": "oracle_agrees", "random": "random_sessions"}.get(law, law))()

    def samples(self):
        """Every sample is read without a warning, is consistent, and is recognised by its content."""
        for path in self.whole() + sorted(SAMPLES.glob("*.prf")) + sorted(SAMPLES.glob("*.rpt")):
            done = self.run("check", path)
            self.hold(done.returncode == 0, f"check {path.name}: {done.stdout[-500:]}")
            info = self.json("info", "-", stdin=path.read_bytes())
            self.hold(info.get("inputs", [{}])[0].get("format") == path.suffix[1:],
                      f"{path.name} is taken for {info.get('inputs')}")
        # these samples contain faults, so the exit status is 1
        formats = {".taligent": "taligent", ".gclog": "rpm", ".sqlite": "aqtime"}
        for path in [p for suffix in formats for p in sorted(SAMPLES.glob("*" + suffix))]:
            done = self.run("check", path)
            self.hold(done.returncode in (0, 1), f"check {path.name}: {done.stdout[-500:]}")
            info = self.json("info", "-", stdin=path.read_bytes())
            self.hold(info.get("inputs", [{}])[0].get("format") == formats[path.suffix],
                      f"{path.name} is taken for {info.get('inputs')}")

    def groups(self):
        """The groups of every dimension add up to the totals."""
        for path in self.whole():
            self.groups_of(path)
        with tempfile.TemporaryDirectory() as folder:
            for options in (["--version", 1], ["--version", 2, "--reusable"]):
                self.groups_of(self.make(pathlib.Path(folder) / "g.oemp", *options, "--objects", 10000,
                                         "--snapshots", 20))
        for path in sorted(SAMPLES.glob("*.prf")) + sorted(SAMPLES.glob("*.rpt")):
            for by in ("line", "method", "module"):
                top = self.json("top", path, "--by", by, "--limit", 0)
                got = sum(row["seconds"] for row in top["top"])
                self.hold(abs(got - top["totals"]["seconds"]) < 5e-7, f"{path.name} by {by}: {got} s")

    def groups_of(self, path):
        name = path.name
        snapshots = {m["sequence"]: m for m in self.json("snapshots", path)["snapshots"]}
        for by in DIMENSIONS:
            top = self.json("top", path, "--by", by, "--limit", 0)
            totals = top["totals"]
            for column in ("objects", "bytes"):
                got = sum(row[column] for row in top["top"])
                self.hold(got == totals[f"live_{column}"], f"{name} by {by}: {column} {got}")
            self.hold(all(row["bytes"] <= row.get("inclusive_bytes", row["bytes"]) <= totals["live_bytes"]
                          for row in top["top"]), f"{name} by {by}: a group with all below is out of bounds")
            growth = self.json("growth", path, "--by", by, "--limit", 0)["growth"]
            for end in ("from", "to"):
                for column in ("objects", "bytes"):
                    got = sum(row[f"{end}_{column}"] for row in growth)
                    wanted = snapshots[totals[f"{end}_sequence"]][f"live_{column}"]
                    self.hold(got == wanted, f"{name} growth by {by}: {end} {got} {column}, not {wanted}")
            self.hold(all(row["to_bytes"] - row["from_bytes"] == row["delta_bytes"] and
                          row["to_objects"] - row["from_objects"] == row["delta_objects"]
                          for row in growth), f"{name} growth by {by}: a change is no difference")
        leaks = self.json("leaks", path, "--limit", 0)
        for column in ("objects", "bytes"):
            got = sum(row[column] for row in leaks["leaks"])
            self.hold(got == leaks["totals"][f"leaked_{column}"], f"{name}: leaked {column} {got}")
        before = 0
        for snapshot in snapshots.values():
            self.hold(snapshot["live_bytes"] - before == snapshot["delta_bytes"],
                      f"{name}: change at {snapshot}")
            before = snapshot["live_bytes"]

    def suppressions(self):
        """For any suppressions, suppressed and remaining leaks add up to the leaks without suppressions. The
        suppressions written for leaks suppress all of them."""
        with tempfile.TemporaryDirectory() as folder:
            files = self.whole() + sorted(SAMPLES.glob("*.taligent")) + [SAMPLES / "shop-aqtime.sqlite"]
            files.append(self.make(pathlib.Path(folder) / "g.oemp", "--version", 2, "--reusable",
                                   "--objects", 10000, "--snapshots", 20))
            for seed in range(6):
                path = pathlib.Path(folder) / f"{seed}.oemp"
                path.write_text(recordings.Session(seed).text(2), encoding="utf-8")
                files.append(path)
            self.at_once(lambda path: self.suppressions_of(path, pathlib.Path(folder)), files)

    def suppressions_of(self, path, folder):
        plain, name = self.json("leaks", path), path.name
        chance = random.Random(name)
        list_of = folder / (name + ".suppressions")
        for trial in range(5):
            list_of.write_text(self.some_suppressions(plain["leaks"], chance), encoding="utf-8")
            report = self.json("leaks", path, "--suppress", list_of, "--today", "2027-01-01")
            totals, used = report["totals"], [s for s in report["suppressions"] if s["status"] == "used"]
            for unit in ("objects", "bytes"):
                suppressed, leaked = totals[f"suppressed_{unit}"], totals[f"leaked_{unit}"]
                self.hold(suppressed + leaked == plain["totals"][f"leaked_{unit}"],
                          f"{name} {trial}: {suppressed} {unit} suppressed, {leaked} leaked")
                self.hold(suppressed == sum(s[unit] for s in used), f"{name} {trial}: {unit} of each")
                self.hold(leaked == sum(row[unit] for row in report["leaks"]),
                          f"{name} {trial}: {unit} of the leaks")
                self.hold(totals[f"live_{unit}"] == plain["totals"][f"live_{unit}"],
                          f"{name} {trial}: {unit} alive")
            self.limits_leave_out(path, ["--suppress", list_of, "--today", "2027-01-01"], plain, totals)
        list_of.write_bytes(self.run("leaks", path, "--quiet", "--format", "suppressions").stdout)
        report = self.json("leaks", path, "--suppress", list_of)
        used = [s for s in report["suppressions"] if s["status"] == "used"]
        self.hold(not report["leaks"] and len(report["suppressions"]) <= len(plain["leaks"]),
                  f"{name}: {len(report['leaks'])} leaks in spite of suppressions written for them")
        for unit in ("objects", "bytes"):
            self.hold(sum(s[unit] for s in used) == plain["totals"][f"leaked_{unit}"],
                      f"{name}: {unit} of the suppressions written for all")

    def limits_leave_out(self, path, accepted, plain, totals):
        """Limits on live bytes and on growth leave out what is accepted, and so do rules on the sum of all
        types."""
        limits = ["--max-live", 0, "--max-growth", 0, "--max-leaked", 0]
        def actual(*options):
            done = self.run("leaks", path, "--quiet", "--format", "json", *limits, *options)
            report = self.parsed(done, f"{path.name} {options}")
            return {row["name"]: row.get("actual_bytes") for row in report.get("limits", [])}
        before, after = actual(), actual(*accepted)
        judged = [limit for limit in before if before[limit] is not None]
        for limit in judged:  # a single snapshot has no growth
            self.hold(before[limit] - after[limit] == totals["suppressed_bytes"],
                      f"{path.name}: {limit} {before[limit]}, {after[limit]} with {totals}")
        policy = path.with_suffix(".policy") if path.parent != SAMPLES else None
        if policy:
            policy.write_text('live of type "*" == 0\nlive == 0\ngrowth of type "*" == 0\ngrowth == 0\n')
            done = self.run("gate", policy, path, "--quiet", "--format", "json", *accepted)
            rules = self.parsed(done, f"{path.name} gate").get("rules", [])
            expected = [after["max-live"]] * 2 + [after["max-growth"]] * 2  # or it is an error
            for rule, wanted in zip(rules, expected, strict=True):
                self.hold(rule["status"] == "error" or rule.get("measured_bytes", 0) == wanted,
                          f"{path.name}: {rule}, not {wanted}")

    @staticmethod
    def some_suppressions(leaks, chance):
        """Return up to six suppressions, some of which match, have expired or have a limit."""
        words = ["*", "?*", "no such", "*e*", *(row["type"].replace("[", "?") for row in leaks)]
        text = "# made up\n"
        for number in range(chance.randrange(7)):
            text += f"[{number}]\nreason = chance\n"
            text += chance.choice([f"type = {chance.choice(words)}\n", f"source = {chance.choice(words)}\n",
                                   "stack = :[0-9]*[05]$\n", "stack = .\nname = *\n"])
            text += chance.choice(["", "", f"limit = {chance.randrange(20000)}\n"])
            text += chance.choice(["", "", "expires = 2027-01-01\n", "expires = 2026-12-31\n"])
        return text

    def versions(self):
        """Version 1 and 2 of the same session give the same reports."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "session.oemp"
            for options in ([], ["--objects", 10000, "--snapshots", 20], ["--session", "AS-3"]):
                for command in COMMANDS:
                    # the contents of files differ by version, and heaps have no coverage
                    if command in ("info", "coverage"):
                        continue
                    reports, texts = [], []
                    for version in (1, 2):
                        self.make(path, "--version", version, *options)
                        limit = [] if command == "check" else ["--limit", 0]
                        reports.append(self.of_both(self.json(command, path, *limit)))
                        text = self.run(command, path, *limit).stdout.decode()
                        # labels are padded to the longest, and some are only in version 2
                        head, _, session = text.partition("\nSession\n")
                        texts.append((head, [line.split() for line in session.splitlines() if not
                                             line.startswith(("  Application ", "  Description ",
                                                              "  OpenEdge ", "  Instance "))]))
                    self.hold(reports[0] == reports[1], f"{command} {options}: JSON differs by version")
                    self.hold(texts[0] == texts[1], f"{command} {options}: text differs by version")

    @staticmethod
    def of_both(report):
        """Return the report without data that only version 2 has, and without the sizes of the file."""
        for source in report.get("inputs", []):
            source.pop("format_version", None)
            source.pop("bytes", None)
        for name in ("description", "instance", "openedge_version", "application"):
            report.get("session", {}).pop(name, None)
        for record in [report.get("totals", {}), *report.get("snapshots", [])]:
            record.pop("reusable_objects", None)
            record.pop("reusable_bytes", None)
        return report

    def windows(self):
        """From a snapshot to itself nothing leaks or changes. All names of a snapshot give the same answer."""
        for path in self.whole():
            numbers = [m["sequence"] for m in self.json("snapshots", path)["snapshots"]]
            for moment in [*numbers, "first", "last", "peak"]:
                report = self.json("analyze", path, "--from", moment, "--to", moment, "--limit", 0)
                self.hold(report["leaks"] == [], f"{path.name}: leaks from {moment} to itself")
                self.hold(not self.changed(report)["growth"], f"{path.name}: growth {moment} to itself")
        path = SAMPLES / "shop-v2.oemp"
        snapshots = self.json("snapshots", path)["snapshots"]
        by_number = {m["sequence"]: self.json("top", path, "--to", m["sequence"]) for m in snapshots}
        for snapshot in snapshots:
            same = [m["sequence"] for m in snapshots if m["tag"] == snapshot["tag"]]
            nth = same.index(snapshot["sequence"]) + 1
            named = self.json("top", path, "--to", f"{snapshot['tag']}#{nth}")
            self.hold(named == by_number[snapshot["sequence"]],
                      f"{snapshot['tag']}#{nth} is another snapshot")
            self.hold(named["totals"]["live_bytes"] == snapshot["live_bytes"], f"live bytes at {snapshot}")
        peak = max(snapshots, key=lambda m: m["live_bytes"])["sequence"]
        self.hold(self.json("top", path, "--to", "peak") == by_number[peak], "peak")
        self.hold(self.json("top", path, "--to", "_precleanup") == by_number[7], "_precleanup")

    def answers(self):
        """The generator's plan is correct for the samples, and for ten thousand objects."""
        for path in self.recordings():
            answer = SAMPLES / "answers" / (path.name + ".json")
            if answer.exists():
                report = self.json("analyze", path, "--limit", 0)
                self.agree(json.loads(answer.read_text()), report, None, path.name)
        parts = [SAMPLES / "shop-part2.oemp", SAMPLES / "shop-part1.oemp"]
        whole = json.loads((SAMPLES / "answers" / "shop-v2.oemp.json").read_text())
        self.agree(whole, self.json("analyze", *parts, "--limit", 0), None, "parts, given backwards")
        for path in sorted(SAMPLES.glob("*.prf")):
            answer = json.loads((SAMPLES / "answers" / (path.name + ".json")).read_text())
            for row in answer["top"]:
                if row.get("method") == "":  # memprof omits the key
                    del row["method"]
            answer["totals"].pop("calls", None)  # the plan counts calls by the call graph, memprof by line 0
            report = self.json("top", path, "--limit", 0)
            for planned, row in zip(answer["top"], report["top"]):  # the plan has nine decimals
                for name in ("average_seconds", "percent"):
                    if name in planned and abs(planned[name] - row.get(name, 0)) <= 1e-9:
                        row[name] = planned[name]
            self.agree(answer, report, None, path.name)
        self.generated(10000, 20)
        self.heap_answers()

    def generated(self, objects, snapshots):
        with tempfile.TemporaryDirectory() as folder:
            path, answer = pathlib.Path(folder) / "g.oemp", pathlib.Path(folder) / "g.json"
            for version in (1, 2):
                self.make(path, "--version", version, "--objects", objects, "--snapshots", snapshots,
                          answer=answer)
                self.agree(json.loads(answer.read_text()), self.json("analyze", path, "--limit", 0),
                           None, f"{objects} objects, version {version}")
            if objects >= 1000000:
                self.groups_of(path)

    def large(self):
        """The plan is correct for a million objects."""
        self.generated(1000000, 40)

    def oracle_agrees(self):
        """A simple replay gives the same figures, for every dimension and several windows."""
        with tempfile.TemporaryDirectory() as folder:
            generated = self.make(pathlib.Path(folder) / "generated.oemp", "--version", 2, "--reusable",
                                  "--objects", 3000, "--snapshots", 12)
            paths = [[path] for path in self.whole() + [generated]]
            paths.append([SAMPLES / "shop-agent-AS1.oemp", SAMPLES / "shop-agent-AS2.oemp"])
            paths.append([SAMPLES / "shop-requests-AS1.oemp", SAMPLES / "shop-requests-AS2.oemp"])
            trials = []
            for files in paths:
                last = self.json("snapshots", files[0])["snapshots"][-1]["sequence"]
                for window in ((None, None), (1, 3), (2, last - 1), (2, None), (None, last), (2, 2)):
                    every = window == (None, None) or files[0].name.endswith("v2.oemp")
                    trials.append((files, window, DIMENSIONS if every else ["type"]))
            self.at_once(self.heap_agrees, trials)
        for path in sorted(SAMPLES.glob("*.prf")):
            self.profile_agrees(path)
        self.annotations_agree()

    def heap_agrees(self, trial):
        files, (first, last), dimensions = trial
        replayed = [oemp.Recording(snapshots) for snapshots in oemp.join_recordings(files)[0]]
        for recording in replayed:
            recording.choose(first, last)
        window = [*(["--from", first] if first else []), *(["--to", last] if last else [])]
        what = f"{files[0].name} {window}"
        expected = oemp.report(replayed, "type")
        if len(files) == 1:
            report = self.changed(self.json("analyze", *files, *window, "--limit", 0))
            self.agree(expected, report, ["totals", "snapshots", "leaks", "top", "growth"], what)
        leaks = self.json("leaks", *files, *window, "--limit", 0)
        self.agree(expected, leaks, ["totals", "leaks"], f"leaks {what}")
        self.trend_agrees("leaks", [*files, *window], what)
        if first is None:
            self.agree(oemp.requests_report(replayed),
                       self.json("requests", *files, *window, "--limit", 0),
                       ["apis", "requests", "outside_requests"], f"requests {what}")
        if first is None:
            for by in ["type", "site"] if dimensions != DIMENSIONS else DIMENSIONS:
                self.lives_agree(replayed, files, by, ["--to", last] if last else [])
        for by in dimensions:
            top = oemp.top_of(replayed, by)
            if by in ("request", "api"):  # objects of one context are in several groups
                for row in top:
                    row.pop("inclusive_bytes", None)
            self.agree({"top": top}, self.json("top", *files, "--by", by, *window, "--limit", 0), ["top"],
                       f"top {what} by {by}")
            growth = self.json("growth", *files, "--by", by, *window, "--limit", 0)
            self.agree({"growth": oemp.growth_of(replayed, by)}, self.changed(growth), ["growth"],
                       f"growth {what} by {by}")

    def trend_agrees(self, command, arguments, what):
        """--max-trend 0 fails exactly if something leaks by the verdict or, for dumps, if anything grew from
        each dump to the next."""
        done = self.run(command, *arguments, "--max-trend", 0, "--format", "json", "--quiet")
        limit = self.parsed(done, f"trend {what}").get("limits", [{}])[0]
        leaks = self.json("leaks", *arguments).get("verdict", {}).get("leaks")
        actual = limit.get("actual_bytes")
        status = 3 if actual is None else int(actual > 0)
        self.hold(done.returncode == status, f"trend {what}: status {done.returncode}, not {status}")
        if leaks and actual is not None:
            self.hold((leaks == "yes") == (actual > 0), f"trend {what}: leaks {leaks}, but {limit}")

    def random_sessions(self):
        """For small random sessions in both versions, the simple replay gives the same figures, and the
        recording is consistent."""
        with tempfile.TemporaryDirectory() as folder:
            self.at_once(self.random_session, [(pathlib.Path(folder), seed, version)
                                               for seed in range(60) for version in (1, 2)])

    def random_session(self, trial):
        folder, seed, version = trial
        path = folder / f"{seed}-v{version}.oemp"
        path.write_text(recordings.Session(seed).text(version), encoding="utf-8")
        done = self.run("check", path)
        self.hold(done.returncode == 0, f"check {path.name}: {done.stdout[-300:]}")
        replayed = oemp.Recording(oemp.join_recordings([path])[0][0])
        self.random_window(path, replayed, [])
        ends = sorted(random.Random(seed).choices(range(1, len(replayed.snapshots) + 1), k=2))
        self.random_window(path, replayed, ends)

    def random_window(self, path, replayed, ends):
        window = ["--from", ends[0], "--to", ends[1]] if ends else []
        replayed.choose(*(ends or [None, None]))
        name = f"{path.name} {window}"
        snapshots = oemp.snapshots_of(replayed)
        for snapshot in snapshots:  # the oracle counts changes of reusable objects too
            del snapshot["changed_objects"]
        expected = {"totals": oemp.totals_of(replayed), "snapshots": snapshots,
                    "leaks": oemp.leaks_of([replayed])}
        self.agree(expected, self.json("analyze", path, *window, "--limit", 0), None, name)
        self.trend_agrees("leaks", [path, *window], name)
        if not ends:
            self.agree(oemp.requests_report([replayed]), self.json("requests", path, "--limit", 0),
                       ["apis", "requests", "outside_requests"], f"{name} requests")
            self.random_times(path, replayed, name)
        for by in DIMENSIONS:
            top = oemp.top_of([replayed], by)
            for row in top if by in ("request", "api") else []:
                del row["inclusive_bytes"]
            self.agree({"top": top}, self.json("top", path, "--by", by, *window, "--limit", 0), None,
                       f"{name} top by {by}")
            growth = self.changed(self.json("growth", path, "--by", by, *window, "--limit", 0))
            self.agree({"growth": oemp.growth_of([replayed], by)}, growth, None,
                       f"{name} growth by {by}")

    def lives_agree(self, replayed, files, by, window):
        """Sites with the same label are in the order of the call tree, which the oracle does not know."""
        actual = self.json("lifetimes", *files, "--by", by, *window, "--limit", 0)
        expected = oemp.lifetimes_of(replayed, by)
        for report in (actual, expected):
            for row in report.get("lifetimes", []):
                row.pop("rank")
            report.get("lifetimes", []).sort(key=lambda row: (
                -row["deaths"], oemp.utf8(row["key"]), row["bytes"], row["median_us"], row["max_us"],
                row["min_us"], row["p90_us"], row["live_objects"]))
        self.agree(expected, actual, ["overall", "lifetimes"],
                   f"lifetimes {files[0].name} {window} by {by}")

    def random_times(self, path, replayed, name):
        """Compare ages, and objects created between two microseconds, also by the clock."""
        for by in DIMENSIONS:
            self.lives_agree([replayed], [path], by, [])
        last = replayed.snapshots[-1].time
        chance = random.Random(name)
        since, until = sorted(chance.choices(range(last + 1), k=2))
        replayed.within = (since, until)
        expected = {"totals": oemp.totals_of(replayed), "leaks": oemp.leaks_of([replayed])}
        top = oemp.top_of([replayed], "type")
        replayed.within = (0, float("inf"))
        for row in expected["leaks"] + top:  # an owner may be outside of the time
            row.pop("inclusive_bytes")
            row.pop("window_snapshots", None)
            if row.get("trend") == "once":  # for one such snapshot it is unknown
                row.pop("trend")
        for name_ in ("reusable_objects", "reusable_bytes"):  # known by snapshot only
            expected["totals"].pop(name_, None)
        clock = f"2022-02-01T03:01:{39967000 + until:08d}"
        until_text = f"{clock[:19]}.{clock[19:]}Z" if chance.random() < 0.5 else f"{until}us"
        times = ["--since", f"{since}us", "--until", until_text, "--limit", 0]
        self.agree(expected, self.json("leaks", path, *times), None, f"{name} {times} leaks")
        self.agree({"top": top}, self.json("top", path, *times), None, f"{name} {times} top")

    @staticmethod
    def changed(report):
        """Return the report without unchanged rows: the oracle lists only changes, but memprof was asked for
        all rows."""
        report["growth"] = [r for r in report.get("growth", []) if r["delta_bytes"] or r["delta_objects"]]
        return report

    def profile_agrees(self, path):
        oracle = self.oracle("prf.py", path)
        self.agree(oracle, self.json("top", path, "--limit", 0), ["totals", "top"], path.name)
        self.coverage_agrees(oracle["coverage"], [path])
        self.calls_agree(oracle["calls"], path)
        self.timeline_agrees(oracle["timeline"], path)

    def annotations_agree(self):
        """The lines of a source have the figures of the oracle and of `top --by line`."""
        for path in sorted(SAMPLES.glob("shop-v[1-4].prf")):
            for program in ("shop.OrderService", "shop.Order", "shop/placeOrder.p"):
                told = collections.defaultdict(lambda: [0, 0])
                for row in self.oracle("prf.py", path)["top"]:
                    if row["program"] == program:
                        told[row["line"]][0] += round(row["seconds"] * 1e6)
                        told[row["line"]][1] += row["calls"]
                report = self.json("annotate", path, program, "--sources", SAMPLES / "sources")
                rows = {row["line"]: [round(row["seconds"] * 1e6), row["calls"]]
                        for row in report["annotate"] if "seconds" in row}
                self.hold(rows == told, f"annotate {path.name} {program}: {rows}, not {dict(told)}")
        for path in (SAMPLES / "shop-v1.oemp", SAMPLES / "shop-v2.oemp"):
            told = {}
            for row in self.json("top", path, "--by", "line", "--limit", 0)["top"]:
                name, _, line = row["key"].rpartition(":")
                if name.endswith(" shop.OrderService"):
                    was = told.get(int(line), (0, 0))
                    told[int(line)] = (was[0] + row["bytes"], was[1] + row["objects"])
            report = self.json("annotate", path, "OrderService", "--sources", SAMPLES / "sources")
            rows = {row["line"]: (row["bytes"], row["objects"]) for row in report["annotate"] if "bytes" in row}
            self.hold(told and rows == told, f"annotate {path.name}: {rows}, not {told}")
            self.hold([row["line"] for row in report["annotate"]] == list(range(1, 208)),
                      f"annotate {path.name}: not each line once")

    def coverage_agrees(self, expected, paths):
        """A recording without coverage is refused, and does not count as one without lines."""
        what = f"coverage of {paths[0].name} and {len(paths) - 1} more"
        if not expected["lines"]:
            self.hold(self.run("coverage", *paths).returncode == 2, f"{what}: there is none")
            return
        report = self.json("coverage", "--sort", "name", *paths)
        for name in ("lines", "executed_lines"):
            self.hold(report["coverage_totals"][name] == expected[name],
                      f"{what}: {name}: {report['coverage_totals'][name]}, not {expected[name]}")
        names = ("program", "method", "lines", "executed_lines")
        methods = sorted(tuple(row.get(name, "") for name in names) for row in report["coverage"])
        planned = sorted(tuple(row[name] for name in names) for row in expected["methods"])
        self.hold(methods == planned, f"{what}: {methods}, not {planned}")
        programs = sum(row["executed_lines"] for row in report["programs"])
        self.hold(programs == expected["executed_lines"], f"{what}: its programs have {programs}")
        gaps = sum(row["lines"] for row in self.json("coverage", "--uncovered", *paths)["uncovered"])
        self.hold(gaps == sum(lines - executed for _, _, lines, executed in methods),
                  f"{what}: {gaps} lines in ranges")

    def timeline_agrees(self, expected, path):
        """A profile without a trace is refused."""
        if not expected:
            self.hold(self.run("timeline", path).returncode == 2, f"{path.name}: there is no trace")
            return
        of = lambda row: sorted((k, round(v, 6) if k.endswith("seconds") else v) for k, v in row.items())
        rows = self.json("timeline", path).get("timeline", [])
        self.hold(sorted(map(of, expected), key=repr) == sorted(map(of, rows), key=repr),
                  f"{path.name}: timelines differ")
        order = [(row["start_seconds"], row["depth"]) for row in rows]
        self.hold(order == sorted(order), f"{path.name}: the timeline is not in order")

    def calls_agree(self, expected, path):
        """Callers and callees agree with the rows: callers add up, and so do own time and callees."""
        report = self.json("calls", path, "*")
        of = lambda row: sorted((k, round(v, 6) if k == "seconds" else v) for k, v in row.items()
                                if k != "percent")
        expected = sorted(map(of, expected), key=repr)
        actual = sorted(map(of, report.get("calls", [])), key=repr)
        self.hold(expected == actual, f"{path.name}: calls differ: "
                  f"{[r for r in expected if r not in actual][:3]} {[r for r in actual if r not in expected][:3]}")
        if report["inputs"][0]["format_version"] < 3:
            return
        for match in report["matches"]:
            named = {(d, end): [r["seconds"] for r in report["calls"] if r["direction"] == d and
                                r.get(end) == match["name"] and
                                r.get(f"{end}_start_line") == match.get("start_line")]
                     for d, end in (("caller", "callee"), ("callee", "caller"))}
            inclusive, rounding = match["inclusive_seconds"], 1e-6 * len(report["calls"])
            received, spent = sum(named["caller", "callee"]), sum(named["callee", "caller"])
            self.hold(abs(received - inclusive) < rounding, f"{path.name}: callers of {match}: {received}")
            # a profile that was switched on in the middle has frames whose lines it did not see
            self.hold(abs(match["seconds"] + spent - inclusive) < rounding + 1e-4,
                      f"{path.name}: callees of {match}: {spent}")

    def repeat(self):
        """Two runs print the same bytes, and reading from a pipe gives the same answer."""
        trials = [(command, form, path) for command in COMMANDS for form in ("text", "json", "csv")
                  for path in self.whole() + [SAMPLES / "shop-v4.prf", SAMPLES / "shop-new.rpt"]]
        self.at_once(self.same_twice, trials)

    def same_twice(self, trial):
        command, form, path = trial
        # the program is loaded at other addresses than the server; the name is short, because tables cut long
        # ones
        name = os.path.relpath(path)
        first = self.alone(command, "--format", form, name)
        second = self.run(command, "--format", form, name)
        self.hold((first.stdout, first.stderr, first.returncode) ==
                  (second.stdout, second.stderr, second.returncode), f"{trial}: two runs differ")
        piped = self.run(command, "--format", form, "-", stdin=path.read_bytes())
        # a column is as wide as the file's name in it, and the next command names a pipe as "-"
        unnamed = first.stdout.replace(os.fsencode(name), b"(standard input)").partition(b"\nNext: ")[0]
        self.hold(re.sub(b" +", b" ", piped.stdout.partition(b"\nNext: ")[0]) == re.sub(b" +", b" ", unnamed),
                  f"{trial}: from a pipe it differs")

    def torn(self):
        """Wherever a recording is cut, the answer is that of its last whole snapshot."""
        for name in ("shop-v1.oemp", "shop-v2.oemp"):
            data = (SAMPLES / name).read_bytes()
            ends = self.snapshot_ends(data)
            sections = {m.end() for m in re.finditer(rb"^\.\r?\n", data, re.MULTILINE)}
            cuts = set(range(1, len(data), 7)) | {e + d for e in sections for d in (-2, -1, 0, 1)}
            whole = {end: self.figures(data[:end]) for end in ends}
            self.hold(len(whole) == 8 and len(sections) > 80, f"{name}: {len(whole)} snapshots found")
            for number, end in enumerate(ends[:-1], 1):
                self.hold(self.figures_at(f"{SAMPLES / name}@{number}") == whole[end],
                          f"{name}@{number} is not what the recording was when it ended there")
            self.at_once(lambda cut: self.cut(name, data[:cut], [e for e in ends if e <= cut + 1], whole),
                         sorted(cut for cut in cuts if cut < len(data) - 1))

    @staticmethod
    def snapshot_ends(data):
        """Return the ends of snapshots: after the dot that follows the trailer, before a header."""
        ends = [m.start() + 2 for m in re.finditer(rb"\n\.\n[12] \d+ \d+ \"20", data)]
        return [e + 1 for e in ends] + [len(data)]

    def figures(self, data):
        return self.figures_at("-", data)

    def figures_at(self, path, data=None):
        report = self.json("analyze", path, "--limit", 0, stdin=data)
        return {k: report.get(k) for k in ("totals", "leaks", "top", "growth", "snapshots")}

    def cut(self, name, data, whole_ends, whole):
        done = self.run("analyze", "--format", "json", "--limit", 0, "-", stdin=data)
        what = f"{name} cut at {len(data)}"
        wanted = 0 if whole_ends else 3
        self.hold(done.returncode == wanted, f"{what}: exit {done.returncode}, not {wanted}")
        if wanted or done.returncode:
            return
        report = self.parsed(done, what)
        self.hold(report and report["inputs"][0]["complete"] is False, f"{what}: complete")
        told = re.search(rb":(\d+): warning: ", done.stderr)
        self.hold(told and 1 <= int(told[1]) <= data.count(b"\n") + 1, f"{what}: no warning with a line")
        self.hold({k: report.get(k) for k in whole[whole_ends[-1]]} == whole[whole_ends[-1]],
                  f"{what}: other figures than its last whole snapshot's")

    def damaged(self):
        """A damaged file of any format is read or refused, and never crashes the program."""
        files = [*self.recordings(), *SAMPLES.glob("*.prf"), *SAMPLES.glob("*.rpt")]
        self.at_once(self.damage, [(path, seed) for path in sorted(files) for seed in range(24)])

    def damage(self, trial):
        path, seed = trial
        chance, data = random.Random(f"{path.name} {seed}"), bytearray(path.read_bytes())
        for _ in range(chance.choice((1, 3, 30))):
            at = chance.randrange(len(data))
            kind = chance.randrange(4)
            if kind == 0:
                data[at] = chance.randrange(256)
            elif kind == 1:
                del data[at:at + chance.randrange(1, 400)]
            elif kind == 2:
                data[at:at] = chance.choice((b'"', b"\n", b".\n", b"\x1b[31m", b"\0", b"-1 ", b"9" * 25))
            else:
                start = chance.randrange(len(data))
                data[at:at] = data[start:start + chance.randrange(1, 400)]
            data = data or bytearray(b"\n")
        command = chance.choice(COMMANDS)
        form = chance.choice(("text", "json", "csv"))
        what = f"{path.name} damaged by {seed}, {command} as {form}"
        done = self.run(command, "--format", form, "-", stdin=bytes(data))
        self.hold(done.returncode in (0, 1 if command == "check" else 0, 2, 3),
                  f"{what}: exit {done.returncode}: {done.stderr[-300:]}")
        # JSON and CSV contain exact values; JSON's syntax escapes control characters
        shown = done.stderr + (done.stdout if form == "text" else b"")
        self.hold(not CONTROL.search(shown), f"{what}: a control character")
        if form == "json" and done.returncode in (0, 1):
            self.damage_is_said(what, command, self.parsed(done, what))

    def damage_is_said(self, what, command, report):
        """An answer from which a part is missing says so first, and its input is not complete."""
        missing = {row["code"] for row in report.get("diagnostics", [])} & UNSOUND
        said = [line["text"] for line in report.get("answer", []) if line["label"] in ("Damaged", "Truncated")]
        whole = [row.get("complete") for row in report.get("inputs", [])]
        self.hold(command == "check" or len(said) == bool(missing), f"{what}: {said} for {missing}")
        self.hold(not missing or False in whole, f"{what}: complete {whole} with {missing}")

    def dumps_tell_the_leak(self, folder):
        """For three dumps of a server, the first statement is the true one (README.md next to them): an array
        of an event emitter holds 400 more closures in each dump, which keep all sessions."""
        with tempfile.TemporaryDirectory() as unpacked:
            dumps = [pathlib.Path(unpacked) / path.stem for path in sorted(folder.glob("rpm/*.xz"))]
            for dump in dumps:
                dump.write_bytes(lzma.decompress((folder / "rpm" / f"{dump.name}.xz").read_bytes()))
            if not dumps:
                print(f"skipped: no heap dumps in {folder}/rpm")
            for command in ("analyze", "leaks") if dumps else ():
                report = self.parsed(self.run(command, "--format", "json", *dumps), command)
                first, text = report["accumulations"][0], report["answer"][0]["text"]
                told = {name: first[name] for name in ("holder_type", "owner_type", "type", "counts")}
                self.hold(told == {"holder_type": "Array", "owner_type": "EventEmitter", "type": "closure",
                                   "counts": ["400", "800", "1200"]}, f"{command}: {told}")
                self.hold({"Session", "CartLine"} <= set(first["keeps"]) and "Array" in text
                          and "400 -> 800 -> 1,200" in text and "1,200 Session" in text, f"{command}: {text}")

    def corpus(self):
        """Every real recording is read, is consistent, and agrees with the oracle."""
        folder = pathlib.Path(os.environ.get("MEMPROF_CORPUS", HERE.parent.parent / "shared" / "corpus"))
        files = sorted(folder.glob("prf/*"))
        if not files:
            print(f"skipped: no real recordings in {folder} (set MEMPROF_CORPUS)")
            sys.exit(SKIPPED)
        for path in files:
            for command in ("top", "check", "analyze", "info"):
                done = self.run(command, path)
                self.hold(done.returncode == 0, f"{command} {path.name}: {done.stdout[-500:]}")
            self.profile_agrees(path)
        with tempfile.NamedTemporaryFile() as joined:  # the same runs, one after the other
            joined.write(b"".join(path.read_bytes() for path in files))
            joined.flush()
            self.coverage_agrees(self.oracle("prf.py", joined.name)["coverage"], files)
        self.dumps_tell_the_leak(folder)


class Noticed(Exception):
    """A law was broken."""


class Erring(Laws):
    """The laws with a program that gives wrong figures, or ends badly, in one run of three."""

    def __init__(self, program, generate, spoil):
        super().__init__(program, generate)
        self.spoil, self.runs = spoil, 0

    def run(self, *arguments, stdin=None):
        done = super().run(*arguments, stdin=stdin)
        self.runs += 1
        if self.runs % 3 == 0:
            self.spoil(done)
        return done

    def breach(self, what):
        raise Noticed(what)


def wrong_figures(done):
    """Increase every number of bytes, objects and seconds of the report by one."""
    done.stdout = re.sub(rb'((?:bytes|objects|seconds)": )(\d+)',
                         lambda m: m[1] + b"%d" % (int(m[2]) + 1), done.stdout)


def bad_end(done):
    done.returncode, done.stdout = -11, b""


def self_test(program, generate):
    wrong, trials = 0, [(law, bad_end) for law in LAWS]
    trials += [(law, wrong_figures) for law in LAWS if law not in ("samples", "damaged")]
    for law, spoil in trials:
        with contextlib.suppress(Noticed):
            Erring(program, generate, spoil).keep(law)
            wrong += 1
            print(f"self-test: law '{law}' does not see {spoil.__name__}")
    print(f"self-test: {len(trials)} trials, {wrong} wrong")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memprof", required=True)
    parser.add_argument("--generate", required=True)
    parser.add_argument("--server", help="memprof-server, which spares the start of the program")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--programs", type=int, default=8, help="made-up programs of the law of culprits")
    parser.add_argument("law", nargs="?", choices=[*LAWS, "corpus"])
    arguments = parser.parse_args()
    if not arguments.law and not arguments.self_test:
        parser.error("which law?")
    program = runs.Runs(*(path and os.path.abspath(path) for path in (arguments.memprof, arguments.server)))
    generate = os.path.abspath(arguments.generate)
    os.chdir(SAMPLES)
    if arguments.self_test:
        return self_test(program, generate) or program.close()
    laws = Laws(program, generate, arguments.programs)
    laws.keep(arguments.law)
    print("\n".join(laws.breaches[:40]))
    print(f"{laws.checks - len(laws.breaches)} of {laws.checks} checks hold")
    return 1 if laws.breaches or not laws.checks or program.close() else 0


if __name__ == "__main__":
    sys.exit(main())
