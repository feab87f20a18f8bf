#!/usr/bin/env python3
"""Laws that every report must keep, on the samples, on generated recordings and on real ones.

  tests/properties.py --memprof PROGRAM --generate PROGRAM LAW

Expected figures come from the generator's plan (samples/answers), from the naive replay in
tests/oracle, or from another run that must agree. Exit 1 and a line for each breach; 77 where what
the law needs is not at hand.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
sys.path.insert(0, str(HERE / "oracle"))
import compare  # noqa: E402

DIMENSIONS = ["type", "site", "source", "line", "name", "node", "scope", "request", "api"]
SKIPPED = 77


class Laws:
    def __init__(self, memprof, generate):
        self.memprof, self.generate = memprof, generate
        self.breaches, self.checks = [], 0

    # --- tools ---

    def run(self, *arguments, stdin=None):
        return subprocess.run([self.memprof, *map(str, arguments)], input=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def json(self, command, *arguments, stdin=None):
        done = self.run(command, "--quiet", "--format", "json", *arguments, stdin=stdin)
        if done.returncode != 0:
            self.hold(False, f"{command} {arguments}: exit {done.returncode}: {done.stderr[-300:]}")
            return {}
        return json.loads(done.stdout)

    def hold(self, true, what):
        self.checks += 1
        if not true:
            self.breaches.append(what)

    def agree(self, expected, actual, sections, what):
        self.checks += 1
        sections = sections or [s for s in compare.SECTIONS if s in expected]
        for line in list(compare.compare(expected, actual, sections))[:5]:
            self.breaches.append(f"{what}: {line}")

    def oracle(self, name, *arguments):
        done = subprocess.run([sys.executable, "-B", str(HERE / "oracle" / name),
                               *map(str, arguments)], stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def recordings(self):
        return sorted(SAMPLES.glob("*.oemp"))

    def whole(self):
        """The recordings that stand alone; part 2 of one refers to ids of its part 1."""
        return [p for p in self.recordings() if p.name != "shop-part2.oemp"]

    # --- laws ---

    def samples(self):
        """Every sample is read without a warning, agrees with itself, and is found by its content."""
        for path in self.whole() + sorted(SAMPLES.glob("*.prf")) + sorted(SAMPLES.glob("*.rpt")):
            done = self.run("check", path)
            self.hold(done.returncode == 0, f"check {path.name}: {done.stdout[-500:]}")
            info = self.json("info", "-", stdin=path.read_bytes())
            self.hold(info.get("inputs", [{}])[0].get("format") == path.suffix[1:],
                      f"{path.name} is taken for {info.get('inputs')}")

    def groups(self):
        """The groups of every dimension add up to the totals."""
        for path in self.whole():
            for by in DIMENSIONS:
                top = self.json("top", path, "--by", by, "--limit", 0)
                totals = top["totals"]
                for column, total in (("objects", "live_objects"), ("bytes", "live_bytes")):
                    got = sum(row[column] for row in top["top"])
                    self.hold(got == totals[total], f"{path.name} by {by}: {column} {got} of {totals[total]}")
                growth = self.json("growth", path, "--by", by, "--limit", 0)
                got = sum(row["to_bytes"] for row in growth["growth"])
                self.hold(got == totals["live_bytes"], f"{path.name} growth by {by}: to {got}")
            leaks = self.json("leaks", path, "--limit", 0)
            got = sum(row["bytes"] for row in leaks["leaks"])
            self.hold(got == leaks["totals"]["leaked_bytes"], f"{path.name}: leaks add up to {got}")

    def versions(self):
        """Version 1 and 2 of one session give the same report."""
        with tempfile.TemporaryDirectory() as folder:
            for options in ([], ["--objects", "10000", "--snapshots", "20"], ["--session", "AS-3"]):
                reports, texts = [], []
                for version in ("1", "2"):
                    path = pathlib.Path(folder) / "session.oemp"
                    subprocess.run([self.generate, "oemp", "--version", version, *options,
                                    "-o", path], check=True)
                    report = self.json("analyze", path, "--limit", 0)
                    # What only version 2 tells, or what differs by the layout of the file.
                    for name in ("inputs", "diagnostics"):
                        report.pop(name)
                    for name in ("description", "instance", "openedge_version", "application"):
                        report["session"].pop(name, None)
                    for record in [report["totals"], *report["snapshots"]]:
                        record.pop("reusable_objects", None)
                        record.pop("reusable_bytes", None)
                    reports.append(report)
                    text = self.run("analyze", "--quiet", path).stdout.decode()
                    texts.append(text[:text.index("\nSession")])
                self.hold(reports[0] == reports[1], f"{options}: JSON of versions 1 and 2 differs")
                self.hold(texts[0] == texts[1], f"{options}: text of versions 1 and 2 differs")

    def windows(self):
        """From a snapshot to itself nothing leaks or changes; names of a snapshot agree."""
        path = SAMPLES / "shop-v2.oemp"
        for moment in ("1", "4", "last", "peak"):
            report = self.json("analyze", path, "--from", moment, "--to", moment, "--limit", 0)
            self.hold(report["leaks"] == [], f"leaks from {moment} to itself")
            self.hold(all(r["delta_bytes"] == 0 and r["delta_objects"] == 0 for r in report["growth"]),
                      f"growth from {moment} to itself")
        marks = self.json("snapshots", path)["snapshots"]
        by_number = {m["sequence"]: self.json("top", path, "--to", m["sequence"]) for m in marks}
        for mark in marks:
            same = [m["sequence"] for m in marks if m["tag"] == mark["tag"]]
            nth = same.index(mark["sequence"]) + 1
            named = self.json("top", path, "--to", f"{mark['tag']}#{nth}")
            self.hold(named == by_number[mark["sequence"]], f"{mark['tag']}#{nth} is another snapshot")
            self.hold(named["totals"]["live_bytes"] == mark["live_bytes"], f"live bytes at {mark}")
        peak = max(marks, key=lambda m: m["live_bytes"])["sequence"]
        self.hold(self.json("top", path, "--to", "peak") == by_number[peak], "peak")
        self.hold(self.json("top", path, "--to", "_precleanup") == by_number[7], "_precleanup")

    def answers(self):
        """The generator's plan holds, for the samples and at ten thousand objects."""
        for path in self.recordings():
            answer = SAMPLES / "answers" / (path.name + ".json")
            if answer.exists():
                self.agree(json.loads(answer.read_text()),
                           self.json("analyze", path, "--limit", 0), None, path.name)
        parts = [SAMPLES / "shop-part2.oemp", SAMPLES / "shop-part1.oemp"]
        whole = json.loads((SAMPLES / "answers" / "shop-v2.oemp.json").read_text())
        self.agree(whole, self.json("analyze", *parts, "--limit", 0), None, "parts, given backwards")
        for path in sorted(SAMPLES.glob("*.prf")):
            answer = json.loads((SAMPLES / "answers" / (path.name + ".json")).read_text())
            for row in answer["top"]:
                if row.get("method") == "":  # memprof leaves the key out
                    del row["method"]
            answer["totals"].pop("calls", None)  # the plan counts the call graph, memprof lines 0
            report = self.json("top", path, "--limit", 0)
            for planned, row in zip(answer["top"], report["top"]):  # the plan has nine decimals
                for name in ("average_seconds", "percent"):
                    if name in planned and abs(planned[name] - row.get(name, 0)) <= 1e-9:
                        row[name] = planned[name]
            self.agree(answer, report, None, path.name)
        self.generated(10000, 20)

    def generated(self, objects, snapshots):
        with tempfile.TemporaryDirectory() as folder:
            for version in ("1", "2"):
                path, answer = pathlib.Path(folder) / "g.oemp", pathlib.Path(folder) / "g.json"
                subprocess.run([self.generate, "oemp", "--version", version, "--objects", str(objects),
                                "--snapshots", str(snapshots), "--answer", answer, "-o", path], check=True)
                self.agree(json.loads(answer.read_text()), self.json("analyze", path, "--limit", 0),
                           None, f"{objects} objects, version {version}")

    def large(self):
        """The plan holds at a million objects."""
        self.generated(1000000, 40)

    def oracle_agrees(self):
        """A naive replay gives the same figures, for every dimension and several windows."""
        for path in self.whole():
            report = self.json("analyze", path, "--limit", 0)
            self.agree(self.oracle("oemp.py", path), self.changed(report), None, path.name)
            for by in DIMENSIONS:
                expected = self.oracle("oemp.py", "--by", by, path)
                if by in ("request", "api"):  # objects of one lot are in several groups
                    for row in expected["top"]:
                        row.pop("inclusive_bytes", None)
                self.agree(expected, self.json("top", path, "--by", by, "--limit", 0), ["top"],
                           f"{path.name} top by {by}")
                changed = self.changed(self.json("growth", path, "--by", by, "--limit", 0))
                self.agree(expected, changed, ["growth"], f"{path.name} growth by {by}")
        path = SAMPLES / "shop-reusable-v2.oemp"
        for start, end in ((1, 3), (2, 6), (3, 8), (5, 5)):
            self.agree(self.oracle("oemp.py", "--from", start, "--to", end, path),
                       self.json("leaks", path, "--from", start, "--to", end, "--limit", 0),
                       ["totals", "leaks"], f"{path.name} from {start} to {end}")
        agents = [SAMPLES / "shop-agent-AS1.oemp", SAMPLES / "shop-agent-AS2.oemp"]
        self.agree(self.oracle("oemp.py", *agents), self.json("analyze", *agents, "--limit", 0),
                   ["totals", "leaks", "top"], "two sessions")
        for path in sorted(SAMPLES.glob("*.prf")):
            self.profile_agrees(path)

    @staticmethod
    def changed(report):
        """The oracle lists what changed; memprof, asked for all rows, what did not change too."""
        report["growth"] = [r for r in report["growth"] if r["delta_bytes"] or r["delta_objects"]]
        return report

    def profile_agrees(self, path):
        self.agree(self.oracle("prf.py", path), self.json("top", path, "--limit", 0),
                   ["totals", "top"], path.name)

    def repeat(self):
        """Two runs print the same bytes; what is read from a pipe is the same."""
        for path in self.whole()[:4] + [SAMPLES / "shop-v4.prf", SAMPLES / "shop-new.rpt"]:
            for form in ("text", "json", "csv"):
                first = self.run("analyze", "--format", form, path)
                self.hold(first.stdout == self.run("analyze", "--format", form, path).stdout,
                          f"{path.name} {form}: two runs differ")
            piped = self.run("analyze", "-", stdin=path.read_bytes()).stdout.split(b"\n", 1)[1]
            self.hold(piped == self.run("analyze", path).stdout.split(b"\n", 1)[1],
                      f"{path.name}: from a pipe it differs")

    def torn(self):
        """A recording cut anywhere gives what its last whole snapshot gives."""
        for name in ("shop-v1.oemp", "shop-v2.oemp"):
            data = (SAMPLES / name).read_bytes()
            ends = self.snapshot_ends(data)
            cuts = sorted(set(range(1, len(data), 211)) | {e + d for e in ends for d in (-2, -1, 0, 1)})
            whole = {end: self.figures(data[:end]) for end in ends}
            for cut in cuts:
                if cut < len(data) - 1:
                    self.cut(name, data[:cut], [e for e in ends if e <= cut + 1], whole)

    @staticmethod
    def snapshot_ends(data):
        """Where each snapshot is over: behind the dot that follows its trailer, before a header."""
        ends = [m.start() + 2 for m in re.finditer(rb"\n\.\n[12] \d+ \d+ \"20", data)]
        return [e + 1 for e in ends] + [len(data)]

    def figures(self, data):
        report = self.json("analyze", "-", "--limit", 0, stdin=data)
        return {k: report.get(k) for k in ("totals", "leaks", "top", "growth", "snapshots")}

    def cut(self, name, data, whole_ends, whole):
        done = self.run("analyze", "--format", "json", "--limit", 0, "-", stdin=data)
        what = f"{name} cut at {len(data)}"
        if not whole_ends:
            self.hold(done.returncode == 3, f"{what}: exit {done.returncode} without a whole snapshot")
            return
        self.hold(done.returncode == 0, f"{what}: exit {done.returncode}")
        report = json.loads(done.stdout)
        self.hold(report["inputs"][0]["complete"] is False, f"{what}: complete")
        self.hold(re.search(rb":\d+: warning: ", done.stderr), f"{what}: no warning with a line")
        self.hold({k: report.get(k) for k in whole[whole_ends[-1]]} == whole[whole_ends[-1]],
                  f"{what}: other figures than its last whole snapshot's")

    def corpus(self):
        """Every real recording is read, agrees with itself and with the oracle."""
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memprof", required=True)
    parser.add_argument("--generate", required=True)
    parser.add_argument("law")
    arguments = parser.parse_args()
    laws = Laws(arguments.memprof, arguments.generate)
    name = "oracle_agrees" if arguments.law == "oracle" else arguments.law
    getattr(laws, name)()
    print("\n".join(laws.breaches[:40]))
    print(f"{laws.checks - len(laws.breaches)} of {laws.checks} checks hold")
    return 1 if laws.breaches or not laws.checks else 0


if __name__ == "__main__":
    sys.exit(main())
