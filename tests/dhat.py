#!/usr/bin/env python3
"""Profiles of DHAT: reports agree with a naive reading of made-up profiles, with the generator's plan, with a profile
of known content (../shared, skipped without it), and with recordings that are exported and read back. Truncated,
damaged and hostile profiles are tested too."""
import collections
import json
import pathlib
import random
import re
import sys

import claims

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
CORPUS = HERE.parent.parent / "shared" / "corpus" / "living" / "cpp"
NUMBERS = ("tb", "tbk", "gb", "gbk", "eb", "ebk")


def label(frame):
    """Return a frame as reports print it."""
    name, place = re.fullmatch(r"(?:0x[0-9A-Fa-f]+: )?(.*?)(?: \(([^()]*)\))?", frame).groups()
    if place and place.startswith("in "):
        return f"[{place[3:].rsplit('/', 1)[-1]}]" if name == "???" else name
    line = re.fullmatch(r".*?:(\d+)(?::\d+)?", place or "")
    return f"{name}:{line.group(1)}" if line else frame


def reading(profile):
    """Return the numbers of each stack."""
    sums = collections.defaultdict(lambda: [0] * len(NUMBERS))
    for point in profile["pps"]:
        stack = tuple(label(profile["ftbl"][frame]) for frame in point["fs"])
        for i, name in enumerate(NUMBERS):
            sums[stack][i] += point[name]
    return sums


def made_up(seed):
    """Return a profile in which blocks of one point have one size, as far as that matters."""
    rng = random.Random(seed)
    names = ["f(int)", "std::map<A, B>::at(A const&)", "???", "Ünï \"q\" \\ x", "main", "core::fmt<T>", "a b"]
    places = ["(in /lib/a b.so)", "(f.c:12)", "(src/x.rs:40:13)", "(in /usr/lib/libz.so.1)", "(m.cpp:7)"]
    table = ["[root]"] + [f"0x{address:X}: {rng.choice(names)} {rng.choice(places)}" for address in range(1, 40)]
    table = [frame.replace("??? (f.c", "g (f.c").replace("??? (src", "g (src").replace("??? (m", "g (m") for frame in table]
    points = []
    for _ in range(rng.randint(1, 60)):
        size, made = rng.choice((0, 1, 24, 4096, 10**6)), rng.randint(1, 3000)
        peak, end = rng.randint(0, made), rng.randint(0, made)
        if peak + end > made and end > peak:
            made = peak + end
        points.append({"tb": made * size, "tbk": made, "tl": rng.randint(0, 10**9), "mb": made * size, "mbk": made,
                       "gb": peak * size, "gbk": peak, "eb": end * size, "ebk": end, "rb": 1, "wb": 2, "acc": [-8, 3],
                       "fs": [rng.randrange(1, 40) for _ in range(rng.randint(1, 9))]})
    return {"dhatFileVersion": 2, "mode": "heap", "verb": "Allocated", "bklt": True, "bkacc": True,
            "tu": rng.choice(("instrs", "µs")), "Mtu": "s", "tuth": 500, "cmd": "./a b", "pid": 7, "te": 9000000,
            "tg": 4000000, "pps": points, "ftbl": table}


class Laws(claims.ClaimsOfProgram):
    def write(self, path, profile, **form):
        text = profile if isinstance(profile, str) else json.dumps(profile, ensure_ascii=False, **form)
        path.write_text(text, encoding="utf-8")
        return path

    def rows(self, path, *more):
        report = self.json("top", path, "--by", "site", "--limit", 0, *more)
        return report.get("totals"), {tuple(row["stack"]): (row["bytes"], row["objects"], row["created_objects"])
                                      for row in report.get("top", [])}

    def agrees(self, what, path, sums):
        """Totals and sites at the end and at the peak, and the times of both, are those of a naive reading."""
        total = dict(zip(NUMBERS, (sum(row[i] for row in sums.values()) for i in range(len(NUMBERS)))))
        totals, found = self.rows(path)
        self.claim((totals["live_bytes"], totals["live_objects"]) == (total["eb"], total["ebk"]), what, totals, total)
        self.claim((totals["created_bytes"], totals["created_objects"]) == (total["tb"], total["tbk"]), what, totals, total)
        expected = {stack: (row[4], row[5], row[1]) for stack, row in sums.items() if row[5]}
        self.claim(found == expected, what, found, expected)
        totals, found = self.rows(path, "--to", "2")
        self.claim((totals["live_bytes"], totals["live_objects"]) == (total["gb"], total["gbk"]), what, totals, total)
        found = {stack: row[:2] for stack, row in found.items() if row[1]}
        self.claim(found == {stack: (row[2], row[3]) for stack, row in sums.items() if row[3]}, what, "peak", found)
        said = [line["text"] for line in self.json("leaks", path, "--bytes")["answer"] if line["label"] == "Peak"]
        most = max((row[2] for row in sums.values()), default=0)
        expected = f"{total['gbk']:,} object{'s' * (total['gbk'] != 1)}, {total['gb']} at snapshot 2 (peak)"
        self.claim(not said if total["gb"] <= total["eb"] else
                   said[0].startswith(expected) and said[0].endswith(f"({most})"), what, said, expected, most)
        snapshots = self.json("snapshots", path)["snapshots"]
        self.claim([row["tag"] for row in snapshots] == ["start", "peak", "end"], what, snapshots)

    def status(self, path, *words):
        return self.run("leaks", path, "--quiet", *words).returncode

    def made(self, folder):
        for seed in range(40):
            profile = made_up(seed)
            path = self.write(folder / "made.dhat", profile, **({"indent": 1} if seed % 2 else {"separators": (",", ":")}))
            self.agrees(seed, path, reading(profile))
            done = self.run("analyze", path)
            self.claim(not re.search("warning|error", done.stderr), seed, done.stderr)

    def plan(self):
        path = SAMPLES / "shop.dhat"
        answer = json.loads((SAMPLES / "answers" / "shop.dhat.json").read_text())
        totals, found = self.rows(path)
        self.claim({name: totals[name] for name in answer["totals"]} == answer["totals"], totals)
        self.claim(found == {tuple(site["stack"]): (site["live_bytes"], site["live_objects"], site["created"])
                             for site in answer["sites"] if site["live_objects"]}, found)
        totals, found = self.rows(path, "--to", "2")
        self.claim({name: totals[name] for name in answer["peak"]} == answer["peak"], totals)
        self.claim({stack: row[:2] for stack, row in found.items() if row[1]} ==
                   {tuple(site["stack"]): (site["peak_bytes"], site["peak_objects"])
                    for site in answer["sites"] if site["peak_objects"]}, found)

    def exported(self, folder):
        """What is exported and read back has the same totals, and the same numbers by stack, to which the export adds
        the type."""
        path = folder / "back.dhat"
        for name in ("shop.heaptrack", "shop-v2.oemp"):
            self.claim(self.run("export", "--to", "dhat", "-o", path, SAMPLES / name).returncode == 0, name)
            (there, sites), (back, rows) = self.rows(SAMPLES / name), self.rows(path)
            for total in ("live_bytes", "live_objects", "created_objects"):
                self.claim(back[total] == there[total], name, total, back, there)
            if name == "shop.heaptrack":  # its objects do not grow
                self.agrees(name, path, reading(json.loads(path.read_text())))
                self.claim(back["created_bytes"] == there["created_bytes"], name, back, there)
                self.claim({stack[1:]: row for stack, row in rows.items()} == sites, name, rows, sites)

    def refused(self, folder):
        """Truncated, damaged and other files are refused or reported, and no limit passes."""
        profile, rng, path = made_up(3), random.Random(5), folder / "cut.dhat"
        text = json.dumps(profile)
        for _ in range(40):
            path.write_text(text[:rng.randrange(30, len(text) - 1)])
            done = self.run("leaks", path, "--max-leaked", "1T")
            self.claim(done.returncode == 3 and "nothing-usable" in done.stderr, path.stat().st_size, done.stderr)
        some = profile["pps"][0]
        for what, changed, code in (
                ("copies", profile | {"mode": "copy"}, "nothing-usable"),
                ("no lifetimes", profile | {"bklt": False}, "nothing-usable"),
                ("no points", {name: value for name, value in profile.items() if name != "pps"}, "nothing-usable"),
                ("no frames", {name: value for name, value in profile.items() if name != "ftbl"}, "nothing-usable"),
                ("points are no list", profile | {"pps": 5}, "nothing-usable"),
                ("a negative number", profile | {"pps": [some | {"gb": -1}]}, "nothing-usable"),
                ("a fraction", profile | {"pps": [some | {"tbk": 1.5}]}, "nothing-usable"),
                ("a missing number", profile | {"pps": [{n: v for n, v in some.items() if n != "ebk"}]}, "bad-row"),
                ("a missing stack", profile | {"pps": [{n: v for n, v in some.items() if n != "fs"}]}, "bad-row"),
                ("bytes in no blocks", profile | {"pps": [some | {"eb": 5, "ebk": 0}]}, "bad-row"),
                ("more alive", profile | {"pps": [some | {"ebk": some["tbk"] + 1}]}, "bad-row"),
                ("a large number", profile | {"pps": [some | {"tb": 2**63 - 1}] * 3}, "bad-row"),
                ("a huge number", profile | {"pps": [some | {"tb": 2**70}]}, "nothing-usable"),
                ("no such frame", profile | {"pps": [some | {"fs": [1, 2**40]}]}, "bad-row"),
                ("late peak", profile | {"tg": profile["te"] + 1}, "bad-row"),
                ("deep", profile | {"pps": [some | {"fs": [1, 2] * 3000}]}, "cut-stacks"),
                ("nesting", profile | {"extra": [[]]}, None),
                ("two profiles", json.dumps(profile) * 2, "nothing-usable")):
            done = self.run("leaks", self.write(path, changed), "--max-leaked", "1T")
            self.claim(code in done.stderr if code else not done.stderr, what, done.stderr)
            self.claim(done.returncode == (3 if code in ("nothing-usable", "bad-row") else 0), what, done.returncode)
            if code == "bad-row":  # what was skipped may leak
                told = self.json("leaks", path).get("verdict", {})
                self.claim(told.get("leaks") == "unknown", what, told)
        self.claim(self.status(self.write(path, profile), "--max-trend", "1T") == 3, "two moments are no trend")
        path.write_text('{"dhatFileVersion":2,"mode":"heap","bklt":true,"x":' + "[" * 100000)
        self.claim(self.status(path) == 3, "deep nesting")

    def corpus(self):
        path = CORPUS / "dhat.json"
        self.agrees("corpus", path, reading(json.loads(path.read_text())))
        numbers = {name: tuple(int(number.replace(",", "")) for number in found) for name, *found in
                   re.findall(r"(Total|t-gmax|t-end): +([\d,]+) bytes in ([\d,]+) blocks", (CORPUS / "dhat.txt").read_text())}
        end, peak = self.rows(path)[0], self.rows(path, "--to", "2")[0]
        self.claim((end["created_bytes"], end["created_objects"]) == numbers["Total"] == (1891192, 6260), end, numbers)
        self.claim((peak["live_bytes"], peak["live_objects"]) == numbers["t-gmax"] == (1338792, 114), peak, numbers)
        self.claim((end["live_bytes"], end["live_objects"]) == numbers["t-end"] == (228800, 170), end, numbers)
        first = self.run("analyze", path).stdout.split("\n")[2]
        self.claim("200.0 KiB in 50 objects at Cache::fill():8" in first, first)


STEPS = ["made", "plan", "exported", "refused"]

if __name__ == "__main__":
    sys.exit(claims.main_of(Laws, "Profiles of DHAT.", STEPS, 350, CORPUS))
