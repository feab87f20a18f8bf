#!/usr/bin/env python3
"""Sampled heap profiles of V8: reports agree with the generator's plan, with a naive walk of made-up trees and, if it is
there, of a profile of Node. Profiles that are truncated, damaged, unusual or hostile are refused or read as documented."""
import argparse
import collections
import json
import lzma
import pathlib
import random
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

    def corpus(self, folder):
        data = lzma.decompress(CORPUS.read_bytes())
        self.agrees("node", CORPUS, json.loads(data)["head"])
        self.claim(self.sites(CORPUS)[0] == 404272, self.sites(CORPUS)[0])
        self.claim(self.sites(self.write(folder, data)) == self.sites(CORPUS), "packed")


def main():
    parser = argparse.ArgumentParser(description="Sampled heap profiles of V8.")
    parser.add_argument("--memprof", required=True)
    laws = Laws(parser.parse_args().memprof)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        laws.plan(folder)
        laws.made(folder)
        laws.refused(folder)
        if CORPUS.exists():
            laws.corpus(folder)
        else:
            print(f"heapprofile.py: {CORPUS} is not here: the profile of Node is not compared")
    return laws.end(150)


if __name__ == "__main__":
    sys.exit(main())
