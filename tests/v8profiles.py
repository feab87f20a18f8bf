#!/usr/bin/env python3
"""Sampled heap profiles and CPU profiles of V8: reports agree with the generator's plan, with a naive walk of made-up trees and, if it is
there, of a profile of Node. Profiles that are truncated, damaged, unusual or hostile are refused or read as documented."""
import collections
import json
import lzma
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import claims

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
CORPUS = HERE.parent.parent / "shared" / "corpus" / "living" / "node" / "leak.heapprofile.xz"
SERIES = [SAMPLES / f"shop-{moment}.heapprofile" for moment in range(1, 5)]


def node(name, size, *children, url="file:///a/app.js", line=0):
    return {"callFrame": {"functionName": name, "scriptId": "7", "url": url, "lineNumber": line, "columnNumber": 3},
            "selfSize": size, "id": 1, "children": list(children)}


def root(*children, size=0):
    return node("(root)", size, *children, url="", line=-1)


def name_of(frame):
    if frame["functionName"] or not frame["url"]:
        return frame["functionName"] or "(anonymous)"
    return f"(anonymous {frame['url'].split('/')[-1]})"


def naive(head):
    """Bytes by stack, innermost function first. Functions with one name and start line are one to memprof."""
    sums = collections.Counter()

    def walk(one, stack):
        for child in one.get("children", []):
            frame = child["callFrame"]
            here = ((name_of(frame), frame["lineNumber"] + 1),) + stack
            sums[here] += child["selfSize"]
            walk(child, here)
    walk(head, ())
    if head["selfSize"]:
        sums[()] += head["selfSize"]
    return +sums


def made_up(seed):
    choice = random.Random(seed)

    def some(depth):
        return [node(choice.choice(["", "serve", "push", "a.b", "é\u2028\"x\\"]), choice.choice([0, 16, 520, 99999]),
                     *(some(depth + 1) if depth < 6 else []), url=choice.choice(["", "file:///a/app.js", "node:fs"]),
                     line=choice.choice([-1, 0, 41]))
                for _ in range(choice.randint(0, 3))]
    return root(*some(0), size=choice.choice([0, 0, 64]))


def made_up_times(seed):
    choice = random.Random(seed)
    count = choice.randint(1, 30)
    nodes = [node(choice.choice(["", "serve", "push", "a.b"]), 0, url=choice.choice(["", "node:fs"]), line=choice.choice([4, 90]))
             for _ in range(count)]
    for at, one in enumerate(nodes):
        one["id"], one["children"] = at * 3 + 1, []
        if choice.random() < 0.7:
            one["positionTicks"] = [{"line": line, "ticks": choice.randint(0, 9)}
                                    for line in choice.sample(range(100), choice.randint(1, 4))]
    for at in range(1, count):
        nodes[choice.randrange(at)]["children"].append(nodes[at]["id"])
    samples = [choice.choice(nodes)["id"] for _ in range(choice.randint(1, 80))]
    deltas = [choice.choice([0, 17, 1000, 1250, -40]) for _ in samples]
    return {"nodes": nodes, "startTime": 10**9, "endTime": 10**9 + max(0, sum(deltas)) + choice.choice([0, 999]),
            "samples": samples, "timeDeltas": deltas}


def key_of(frame):
    return name_of(frame), frame["url"], max(0, frame["lineNumber"] + 1)


def naive_times(made):
    """Own and inclusive microseconds of each function: a sample lasts until the next one."""
    nodes = {one["id"]: one for one in made["nodes"]}
    caller = {child: one["id"] for one in made["nodes"] for child in one.get("children", [])}
    now, times = 0, []
    for sample, delta in zip(made["samples"], made["timeDeltas"]):
        now += delta
        times.append((now, sample))
    times.sort(key=lambda one: one[0])
    own, inclusive = collections.Counter(), collections.Counter()
    ends = [time for time, _ in times[1:]] + [made["endTime"] - made["startTime"]]
    for (time, sample), end in zip(times, ends):
        names, at = [], sample
        while at in caller:
            names.append(key_of(nodes[at]["callFrame"]))
            at = caller[at]
        names = names or [key_of(nodes[at]["callFrame"])]
        own[names[0]] += max(0, end - time)
        for name in set(names):
            inclusive[name] += max(0, end - time)
    return {name: (own[name], spent) for name, spent in inclusive.items()}


def naive_lines(made):
    """Own microseconds of each line: the time of a node is shared by its lines, in proportion to their ticks, and
    rounded so that the shares add up."""
    nodes, lines = {one["id"]: one for one in made["nodes"]}, collections.Counter()
    now, times, own = 0, [], collections.Counter()
    for sample, delta in zip(made["samples"], made["timeDeltas"]):
        now += delta
        times.append((now, sample))
    times.sort(key=lambda one: one[0])
    for (time, sample), end in zip(times, [time for time, _ in times[1:]] + [made["endTime"] - made["startTime"]]):
        own[sample] += max(0, end - time)
    for sample, spent in own.items():
        ticks = nodes[sample].get("positionTicks", [])
        whole = sum(one["ticks"] for one in ticks)
        part = given = 0
        for one in ticks if whole else [{"line": 0, "ticks": 1}]:
            part += one["ticks"]
            lines[key_of(nodes[sample]["callFrame"]), one["line"]] += spent * part // (whole or 1) - given
            given = spent * part // (whole or 1)
    return +lines


PROGRAM = """
const crypto = require('crypto');
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
const kept = [], end = Date.now() + 500;
while (Date.now() < end) { fib(22); kept.push(crypto.createHash('sha256').update('x').digest()); }
"""


class Laws(claims.ClaimsOfProgram):
    def sites(self, *words):
        report = self.json("top", *words, "--by", "site", "--limit", 0)
        return report.get("totals", {}).get("live_bytes"), sorted(
            (row["bytes"], tuple(frame.split(" (from ")[0] for frame in row["stack"])) for row in report.get("top", []))

    def agrees(self, what, path, head):
        sums = naive(head)
        total, found = self.sites(path)
        wanted = sorted((size, tuple(name for name, _ in stack)) for stack, size in sums.items())
        self.claim(total == sum(sums.values()), what, total, sum(sums.values()))
        self.claim(sorted(size for size, _ in found) == sorted(size for size, _ in wanted), what, found, wanted)
        if all(stack for stack in sums):
            self.claim(found == wanted, what, found, wanted)

    def plan(self, folder):
        for moment, path in enumerate(SERIES, 1):
            answer = json.loads((SAMPLES / "answers" / (path.name + ".json")).read_text())
            total, found = self.sites(path)
            self.claim(total == answer["live_bytes"], path, total)
            self.claim(found == sorted((site["bytes"], tuple(site["stack"])) for site in answer["sites"]), path, found)
            report = self.json("leaks", *SERIES[:moment], "--limit", 0)
            self.claim("live_objects" not in report["totals"], "objects are not counted", report["totals"])
            grown = sorted(site["grown_bytes"] for site in answer["sites"] if site["grown_bytes"])
            self.claim(moment == 1 or sorted(row["bytes"] for row in report["leaks"]) == grown, path, report["leaks"], grown)
        self.claim(self.run("leaks", *SERIES, "--max-leaked", "10K").returncode == 1, "a limit")
        self.claim(self.run("leaks", *SERIES, "--max-leaked", "1M").returncode == 0, "a limit that holds")
        self.claim(self.run("leaks", *SERIES[:3], "--max-trend", "0").returncode == 3, "three are too few to judge")
        policy = folder / "a.policy"
        policy.write_text("live objects <= 1\n")
        done = self.run("gate", policy, SERIES[3])
        self.claim(done.returncode == 3, "objects are unknown", done.stdout, done.stderr)

    def write(self, folder, text):
        path = folder / "made.heapprofile"
        path.write_bytes(text if isinstance(text, bytes) else json.dumps(text).encode())
        return path

    def made(self, folder):
        for seed in range(40):
            head = made_up(seed)
            self.agrees(seed, self.write(folder, {"head": head, "samples": []}), head)
        head = made_up(3)
        self.agrees("no samples, blanks", self.write(folder, json.dumps({"head": head}, indent=2).encode()), head)
        deep = node("f", 8)
        for _ in range(60):
            deep = node("f", 8, deep)
        self.agrees("deep", self.write(folder, {"head": root(deep)}), root(deep))

    def refused(self, folder):
        whole = SERIES[3].read_bytes()
        for length in range(1, len(whole), 13):
            done = self.run("leaks", self.write(folder, whole[:length]), "--max-live", "1G")
            self.claim(done.returncode == 3, "a cut profile is judged", length, done.stdout)
        for at in range(0, len(whole), 17):
            path = self.write(folder, whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
            self.claim(self.run("leaks", path).returncode in (0, 3), "damage", at)
        done = self.run("leaks", self.write(folder, {"head": root(node("f", 0)), "samples": []}), "--max-live", "1")
        self.claim(done.returncode == 3 and "empty-profile" in done.stderr, "nothing was sampled", done.stderr)
        start = b'{"head":{"callFrame":{"functionName":"(root)","lineNumber":-1},"selfSize":0,"children":['
        for what, text, word in (
                ("no size", root(node("f", 0)), "callFrame or selfSize"),
                ("size", root(node("f", -1)), "malformed"),
                ("line", root(node("f", 1, line=1 << 40)), "line number"),
                ("huge", root(node("f", 1 << 63)), "impossibly large"),
                ("sum", root(*[node("f", 1 << 61)] * 9), "impossibly large"),
                ("order", start + b'{"children":[],"callFrame":{},"selfSize":1}]}}', "children before"),
                ("two frames", start + b'{"callFrame":{},"callFrame":{},"selfSize":1}]}}', "two callFrames"),
                ("two trees", start + b']},"head":{}}', "two trees"),
                ("deep", start + b'{"callFrame":{},"selfSize":1,"children":[' * 100_000, "4096 functions"),
                ("more", start + b']}} x', "continues after its end")):
            if isinstance(text, dict):
                if what == "no size":
                    del text["children"][0]["selfSize"]
                text = {"head": text}
            done = self.run("top", self.write(folder, text))
            self.claim(done.returncode == 3 and word in done.stderr, what, done.returncode, done.stderr)
        for other in (b'{"head":{"name":"x"}}', b'{"nodes":[]}', b'{"head":1}'):
            self.claim("looks like" in self.run("top", self.write(folder, other)).stderr, other)

    def times(self, *words):
        rows = self.json("top", *words, "--by", "method", "--limit", 0).get("top", [])
        return {(row["method"], row.get("program", ""), row.get("start_line", 0)): (round(row["seconds"] * 1e6), round(row["inclusive_seconds"] * 1e6)) for row in rows}

    def line_times(self, *words):
        rows = self.json("top", *words, "--by", "line", "--limit", 0).get("top", [])
        return +collections.Counter({((row["method"], row.get("program", ""), row.get("start_line", 0)), row.get("line", 0)):
                                     round(row["seconds"] * 1e6) for row in rows})

    def costs(self, folder):
        """CPU profiles have the times of the plan, and of a naive sum."""
        path = SAMPLES / "shop.cpuprofile"
        answer = json.loads((SAMPLES / "answers" / "shop.cpuprofile.json").read_text())
        plan = {(row["method"], row.get("program", ""), row.get("start_line", 0)): (row["microseconds"], row["inclusive_microseconds"]) for row in answer["methods"]}
        self.claim(self.times(path) == plan, "plan", self.times(path), plan)
        lines = collections.Counter()
        for row in answer["lines"]:
            lines[row["method"], row["line"]] += row["microseconds"]
        self.claim({(key[0], line): spent for (key, line), spent in self.line_times(path).items() if line} == lines, lines)
        self.claim(self.json("top", path)["totals"] == {"seconds": 0.1, "modules": 4}, self.json("top", path)["totals"])
        self.claim(self.times(path, path) == {name: (2 * own, 2 * all) for name, (own, all) in plan.items()}, "two add up")
        self.claim("mixed-inputs" in self.run("top", path, SERIES[0]).stderr, "with a heap")
        for seed in range(40):
            made = made_up_times(seed)
            path = self.write(folder, made)
            self.claim(self.times(path) == naive_times(made), seed, self.times(path), naive_times(made))
            self.claim(self.line_times(path) == naive_lines(made), seed, self.line_times(path), naive_lines(made))
        made["nodes"].reverse()
        self.claim(self.times(self.write(folder, made)) == naive_times(made), "callers after callees")

    def refused_costs(self, folder):
        whole = (SAMPLES / "shop.cpuprofile").read_bytes()
        policy = folder / "cpu.policy"
        policy.write_text("seconds <= 1h\n")
        self.claim(self.run("gate", policy, SAMPLES / "shop.cpuprofile").returncode == 0, "a limit that holds")
        for length in range(1, len(whole), 23):
            done = self.run("gate", policy, self.write(folder, whole[:length]))
            self.claim(done.returncode == 3, "a cut profile is judged", length, done.stdout)
        for at in range(0, len(whole), 29):
            path = self.write(folder, whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
            self.claim(self.run("top", path).returncode in (0, 3), "damage", at)

        def changed(**members):
            made = {**json.loads(whole), **members}
            return {name: value for name, value in made.items() if value is not None}
        frame = {"functionName": "f", "lineNumber": 3}
        chain = [{"id": at, "callFrame": frame, "children": [at + 1]} for at in range(1, 6000)] + [{"id": 6000, "callFrame": frame}]
        circle = [{"id": 1, "callFrame": frame}, {"id": 2, "callFrame": frame, "children": [3]},
                  {"id": 3, "callFrame": frame, "children": [2]}]
        for what, text, word in (
                ("samples", changed(samples=[2, 3]), "2 samples and 100 times"),
                ("no deltas", changed(timeDeltas=None), "lacks times"),
                ("no end", changed(endTime=None), "lacks times"),
                ("ends before", changed(endTime=5), "lacks times"),
                ("unknown node", changed(samples=[77] * 100), "not defined"),
                ("long", changed(timeDeltas=[10**12] * 100), "impossibly long"),
                ("two of an id", changed(nodes=[{"id": 2, "callFrame": frame}] * 2), "two nodes with one id"),
                ("no frame", changed(nodes=[{"id": 2}]), "without id or callFrame"),
                ("order", whole.replace(b'"id":4,', b'"children":[9],"id":4,'), "children before the id"),
                ("tick", changed(nodes=[{"id": 2, "callFrame": frame, "positionTicks": [{"line": 1 << 40, "ticks": 1}]}]),
                 "impossible line"),
                ("two callers", changed(nodes=[{"id": at, "callFrame": frame, "children": [9]} for at in (1, 2)]), "two callers"),
                ("deep", changed(nodes=chain, samples=[6000] * 100), "4096 functions"),
                ("circle", changed(nodes=circle, samples=[3] * 100), "a circle"),
                ("more", whole + b"x", "continues after its end")):
            done = self.run("top", self.write(folder, text))
            self.claim(done.returncode == 3 and word in done.stderr, what, done.returncode, done.stderr)
        done = self.run("top", self.write(folder, changed(samples=[], timeDeltas=[])))
        self.claim(done.returncode == 3 and "empty-profile" in done.stderr, "nothing ran", done.stderr)

    def node(self, folder):
        """So have those that Node writes."""
        (folder / "a.js").write_text(PROGRAM)
        for words in (["--cpu-prof", "--cpu-prof-name=node.cpuprofile"], ["--heap-prof", "--heap-prof-interval=512",
                                                                        "--heap-prof-name=node.heapprofile"]):
            subprocess.run(["node", *words, "a.js"], cwd=folder, check=True, timeout=60)
        path = folder / "node.cpuprofile"
        made = json.loads(path.read_text())
        self.claim(self.times(path) == naive_times(made), "node", self.times(path), naive_times(made))
        self.claim(any(name == "fib" and own for (name, _, _), (own, _) in self.times(path).items()) and not self.run("top", path).stderr, "node", self.times(path))
        path = folder / "node.heapprofile"
        self.agrees("node", path, json.loads(path.read_text())["head"])

    def corpus(self, folder):
        data = lzma.decompress(CORPUS.read_bytes())
        self.agrees("node", CORPUS, json.loads(data)["head"])
        self.claim(self.sites(CORPUS)[0] == 404272, self.sites(CORPUS)[0])
        self.claim(self.sites(self.write(folder, data)) == self.sites(CORPUS), "packed")


def main():
    laws = Laws(claims.arguments(__doc__).memprof)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        laws.plan(folder)
        laws.made(folder)
        laws.refused(folder)
        laws.costs(folder)
        laws.refused_costs(folder)
        if shutil.which("node"):
            laws.node(folder)
        else:
            print("v8profiles.py: node is not installed: its profiles are not compared")
        if CORPUS.exists():
            laws.corpus(folder)
        else:
            print(f"v8profiles.py: {CORPUS} is not here: the profile of Node is not compared")
    return laws.end(150)


if __name__ == "__main__":
    sys.exit(main())
