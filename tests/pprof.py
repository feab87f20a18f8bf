#!/usr/bin/env python3
"""Profiles of pprof, of heaps and of costs: reports agree with the generator's plan, with a naive sum, with an export
that is read back and, with --go, with `go tool pprof` (exit status 77 without it). Profiles that are truncated, damaged, unusual or
hostile are tested too."""
import gzip
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import claims

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
CORPUS = HERE.parent.parent / "shared" / "corpus" / "living" / "go"
SERIES = [SAMPLES / f"shop-{moment}.pprof" for moment in range(1, 7)]
HEAP = ["inuse_objects", "count", "inuse_space", "bytes"]
CPU = ["samples", "count", "cpu", "nanoseconds"]
MADE = ["alloc_objects", "count", "alloc_space", "bytes"]
SKIPPED = 77

# --- the wire format ---


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def packed(number, values):
    return field(number, b"".join(map(varint, values)))


def profile(samples, types=tuple(HEAP + MADE), locations=None, functions=None, texts=("",), time=0, more=b""):
    """A profile: samples are (locations, values); locations {id: [(function, line)]}; functions {id: name}."""
    table = list(texts)

    def text(name):
        if name not in table:
            table.append(name)
        return table.index(name)
    out = b"".join(field(1, field(1, text(types[i])) + field(2, text(types[i + 1]))) for i in range(0, len(types), 2))
    out += b"".join(field(2, packed(1, ids) + packed(2, values)) for ids, values in samples)
    locations = {1: [(1, 10)], 2: [(2, 20)]} if locations is None else locations
    for number, lines in locations.items():
        out += field(4, field(1, number) + b"".join(field(4, field(1, at) + field(2, line)) for at, line in lines))
    functions = {1: "work", 2: "main"} if functions is None else functions
    for number, name in functions.items():
        out += field(5, field(1, number) + field(2, text(name)))
    return out + more + b"".join(field(6, name) for name in table) + (field(9, time) if time else b"")


GOOD = [([1, 2], [3, 300, 5, 500])]


def limit_memory():
    """These profiles need up to 60 MiB. Without limits on stacks they would need gigabytes."""
    resource.setrlimit(resource.RLIMIT_DATA, (512 << 20, 512 << 20))


def made_up(seed):
    """A random profile of CPU time: the arguments of profile()."""
    choice = random.Random(seed)
    functions = {number: f"f{number}" for number in range(1, 9)}
    locations = {number: [(choice.randint(1, 8), choice.randint(1, 50)) for _ in range(choice.choice((1, 1, 1, 2, 3)))]
                 for number in range(1, 20)}
    samples = []
    for _ in range(choice.randint(1, 60)):
        count = choice.randint(1, 9)
        samples.append(([choice.randint(1, 19) for _ in range(choice.randint(1, 12))], [count, count * 10_000_000]))
    return {"samples": samples, "types": CPU, "locations": locations, "functions": functions}


def naive(made):
    """The own and the inclusive nanoseconds of each function."""
    own, inclusive = {}, {}
    for stack, (_, spent) in made["samples"]:
        frames = [made["functions"][function] for number in stack for function, _ in made["locations"][number]]
        own[frames[0]] = own.get(frames[0], 0) + spent
        for name in set(frames):
            inclusive[name] = inclusive.get(name, 0) + spent
    return {name: (own.get(name, 0), spent) for name, spent in inclusive.items()}


class Laws(claims.ClaimsOfProgram):
    def totals(self, *paths):
        return self.json("leaks", *paths, "--limit", 0).get("totals", {})

    def has(self, what, found, **expected):
        self.claim({name: found.get(name) for name in expected} == expected, what, found, expected)

    def codes(self, report):
        return {one["code"] for one in report.get("diagnostics", [])}

    def plan(self):
        """Totals and leaks of each sample, as the last profile of its series."""
        for moment in range(1, 7):
            answer = json.loads((SAMPLES / "answers" / f"shop-{moment}.pprof.json").read_text())
            report = self.json("leaks", *SERIES[:moment], "--limit", 0)
            self.has(moment, report["totals"], **answer["totals"])
            top = self.json("top", SERIES[moment - 1], "--by", "site", "--limit", 0)["top"]
            rows = sorted((row["objects"], row["bytes"], row["stack"]) for row in top)
            plan = sorted((site["objects"], site["bytes"], site["stack"]) for site in answer["sites"])
            self.claim(rows == plan, moment, rows, plan)
            grown = [site for site in answer["sites"] if site["grown_objects"]]
            leaks = [(row["objects"], row["stack"], row.get("line")) for row in report["leaks"]]
            if moment > 1:
                self.claim(leaks == [(site["grown_objects"], site["stack"], site["line"]) for site in grown], leaks)
        self.claim(report["leaks"][0]["kind"] == "leak", report["leaks"])
        shuffled = self.json("leaks", *SERIES[::-1], "--limit", 0)
        self.claim(shuffled["leaks"] == report["leaks"] and "dump-order" in self.codes(shuffled), "order of names")
        for limit, status in (("60K", 0), ("1K", 1)):
            self.claim(self.run("leaks", *SERIES, "--max-leaked", limit).returncode == status, limit)
        self.claim(self.run("leaks", *SERIES[:3], "--max-trend", "0").returncode == 3, "three are too few to judge")

    def answers(self, folder):
        """All reports accept a series."""
        policy, store = folder / "a.policy", ["--store", folder / "store", "--as", "shop"]
        for limit, status in ((100, 0), (99, 1)):
            policy.write_text(f"leaked objects <= {limit}\n")
            self.claim(self.run("gate", policy, *SERIES).returncode == status, "gate", limit)
        done = self.run("baseline", "save", SERIES[0], *store)
        self.claim(done.returncode == 0, "baseline save", done.stderr)
        for moment, status in ((0, 0), (5, 1)):
            done = self.run("baseline", "check", SERIES[moment], *store)
            self.claim(done.returncode == status, "baseline check", moment, done.stdout, done.stderr)
        worse = self.json("diff", SERIES[0], SERIES[5]).get("answer", [{}])[0].get("text", "")
        self.claim("most by (unknown) at shop.placeOrder:155" in worse, "diff", worse)
        for words in (["growth", *SERIES], ["top", *SERIES], ["snapshots", *SERIES], ["tree", *SERIES],
                      ["calls", "shop.placeOrder", SERIES[5]], ["trend", *SERIES], ["info", *SERIES], ["check", *SERIES],
                      ["flame", SERIES[5], "-o", folder / "f.svg"], ["treemap", *SERIES],
                      ["sql", "select count(*) from sites", *SERIES]):
            done = self.run(*words)
            self.claim(done.returncode in (0, 1) and (done.stdout or "-o" in words), words, done.stderr)

    def exports(self, folder):
        """A profile that is exported and read back has the same sums."""
        whole = {*SAMPLES.glob("*.oemp"), *SAMPLES.glob("*.taligent")}
        for path in sorted(whole) + [SERIES[5]]:
            out = folder / "back.pb.gz"
            done = self.run("export", "--to", "pprof", "-o", out, path, "--quiet")
            if done.returncode:
                continue
            here, back = self.totals(path), self.totals(out)
            codes = {row["code"] for row in self.json("check", out).get("diagnostics", [])}
            self.claim("bad-row" not in codes, path, "read back with", codes)
            # What is alive counts as allocated, even if it is older than the recording.
            older = here.get("old_live_objects", 0)
            self.has(path, back, live_bytes=here["live_bytes"], live_objects=here["live_objects"],
                     created_objects=here["created_objects"] + older)
            sites = [sorted((row["bytes"], row["objects"]) for row in self.json(
                "top", one, "--by", "site", "--limit", 0)["top"] if row["objects"]) for one in (path, out)]
            self.claim(sites[0] == sites[1], path, "amounts by site", *sites)

    def read(self, folder, name, data):
        path = folder / name
        path.write_bytes(data)
        return self.json("leaks", path, "--limit", 0)

    def rules(self, folder):
        """Each peculiarity has its diagnostic, and the documented effect."""
        def check(what, data, code, **totals):
            report = self.read(folder, "odd.pprof", data)
            self.has(what, report.get("totals", {}), **totals)
            self.claim((code in self.codes(report)) if code else not self.codes(report), what, report.get("diagnostics"))
            return report
        check("good", profile(GOOD), None, live_objects=3, live_bytes=300, created_objects=5, created_bytes=500)
        check("packed by gzip", gzip.compress(profile(GOOD)), None, live_objects=3)
        check("unpacked numbers", profile([]).replace(
            field(4, b""), b"") + field(2, b"".join(field(1, at) for at in (1, 2)) + b"".join(
                field(2, value) for value in GOOD[0][1])), None, live_objects=3, live_bytes=300)
        for unit, factor in (("kilobytes", 1024), ("MB", 1 << 20), ("B", 1), ("byte", 1), ("gb", 1 << 30)):
            check(unit, profile([([1], [2, 3])], types=["inuse_objects", "count", "inuse_space", unit]), None,
                  live_objects=2, live_bytes=3 * factor)
        report = check("goroutines", profile([([1], [7])], types=["goroutine", "count"]), None, live_objects=7)
        self.claim("bytes" not in report["leaks"][0], "goroutines have no size", report["leaks"])
        check("negative", profile(GOOD + [([1], [-1, -100, 0, 0])]), "bad-row", live_objects=3)
        check("huge", profile(GOOD + [([1], [1, 1 << 62, 1, 1 << 62])]), "bad-row", live_bytes=300)
        check("overflow", profile([([1], [1, 1 << 62])], types=["inuse_objects", "count", "inuse_space", "gb"]),
              "bad-row", live_objects=0)
        check("bytes of nothing", profile(GOOD + [([1], [0, 5, 0, 0])]), "bad-row", live_bytes=300)
        check("too few values", profile(GOOD + [([1], [1, 5])]), "bad-row", live_bytes=300)
        check("fewer made than alive", profile([([1], [3, 300, 1, 100])]), "older-objects", live_objects=3, created_objects=3)
        check("two of a name", profile([([1], [3, 300, 9, 900])], types=HEAP + HEAP), "redefined-id", live_bytes=300)
        check("first text", profile(GOOD, texts=("x",)), "bad-row", live_bytes=300)
        check("no samples", profile([]), "empty-profile", live_objects=0)
        check("drop_frames", profile(GOOD, texts=("", "malloc"), more=field(7, 1)), "drop-frames", live_objects=3)
        check("function twice", profile(GOOD, more=field(5, field(1, 1) + field(2, 1))), "redefined-id", live_objects=3)
        check("location twice", profile(GOOD, more=field(4, field(1, 1))), "redefined-id", live_objects=3)
        check("id 0", profile(GOOD, more=field(5, field(2, 1))), "bad-row", live_objects=3)
        check("text 99", profile(GOOD, locations={1: [(3, 1)], 2: []}, more=field(5, field(1, 3) + field(2, 99))),
              "torn-recording", live_objects=3)
        for locations, functions, code, frame in (
                ({}, None, "undefined-node", "<location 1>"), (None, {}, "undefined-name", "<function 1>:10")):
            report = check(frame, profile(GOOD, locations=locations, functions=functions), code, live_objects=3)
            self.claim(report["leaks"][0]["stack"][0] == frame, report["leaks"])
        report = check("inlined", profile(GOOD, locations={1: [(1, 10), (2, 11)], 2: [(2, 20)]}), None)
        self.claim(report["leaks"][0]["stack"] == ["work:10", "main:11", "main:20"], report["leaks"])
        report = check("mapping", profile(GOOD, locations={}, texts=("", "/lib/libx.so"), more=field(
            3, field(1, 1) + field(2, 4096) + field(4, 512) + field(5, 1)) + field(
                4, field(1, 1) + field(2, 1) + field(3, 4100)) + field(4, field(1, 2) + field(3, 255))), None)
        self.claim(report["leaks"][0]["stack"] == ["libx.so+0x204", "0xff"], report["leaks"])
        check("damaged sample", profile(GOOD, more=field(2, b"\x0a\xff")), "bad-row", live_objects=3)
        check("group", profile(GOOD, more=field(4, b"\x0b")), "bad-row", live_objects=3)

    def refused(self, folder):
        path = folder / "refused.pprof"
        for what, data, word in (
                ("instructions", profile([([1], [9])], types=["retired", "instructions"]), "retired (instructions)"),
                ("unit", profile([([1], [1, 9])], types=["inuse_objects", "count", "inuse_space", "pages"]), "pages"),
                ("allocated only", profile([([1], [9])], types=["alloc_space", "bytes"]), "inuse_space"),
                ("many types", profile([], types=HEAP * 40), "64"),
                ("damaged", profile(GOOD) + b"\xff\xff", "ends within"),
                ("wire type", profile(GOOD) + b"\x07", "looks like"),
                ("cut", profile(GOOD)[:-3], "ends within")):
            path.write_bytes(data)
            done = self.run("leaks", path)
            self.claim(done.returncode == 3 and word in done.stderr, what, done.returncode, done.stderr)
        path.write_bytes(profile(GOOD))
        other = folder / "other.pprof"
        other.write_bytes(profile([([1], [7])], types=["goroutine", "count"]))
        third = folder / "third.pprof"
        third.write_bytes(profile([([1], [7])], types=["inuse_space", "bytes"]))
        for mixed in ((path, other), (path, third), (other, third), (third, path)):
            self.claim("mixed-inputs" in self.run("leaks", *mixed).stderr, "kinds that do not belong together", mixed)

    def sampling(self, folder):
        """Duration, interval and threads that a profile states."""
        texts = ("", "cpu", "nanoseconds", "space", "bytes", "thread id", "worker", "thread name", "tid")
        path = folder / "sampling.pb"
        for types, unit, period, member, value in ((CPU, 2, 10_000_000, "period_us", 10000), (HEAP, 4, 524288, "period_bytes", 524288),
                                                   (CPU, 2, 999, "period_us", None), (HEAP, 1, 7, "period_bytes", None)):
            path.write_bytes(profile([([1], [1, 100])], types=types, texts=texts,
                                     more=field(10, 1_500_000_000) + field(11, field(1, 1) + field(2, unit)) + field(12, period)))
            session = self.json("info", path)["session"]
            self.claim((session.get("duration_us"), session.get(member)) == (1_500_000, value), types, session)
        plan = profile([], types=HEAP, texts=texts)
        for labels, thread in (([(5, 0, 42)], "42"), ([(5, 0, 42), (7, 6, 0)], "worker"), ([(7, 6, 0), (5, 0, 42)], "worker"),
                               ([(8, 0, 7)], "7"), ([(3, 6, 0)], None)):
            sample = packed(1, [1]) + packed(2, [1, 100]) + b"".join(
                field(3, field(1, key) + (field(2, text) if text else field(3, number))) for key, text, number in labels)
            path.write_bytes(plan + field(2, sample))
            rows = self.json("top", path, "--by", "thread").get("top", [])
            self.claim((rows[0]["key"] if rows else None) in ((thread,) if thread else ("(none)",)), labels, rows)

    def bytes_only(self, folder):
        """Profiles that state no numbers of objects, as Parca, Pyroscope and our own exports of V8's profiles do."""
        path = folder / "bytes.pprof"
        for types, values, created in ((["inuse_space", "bytes"], [9000], 9000), (["space", "kilobytes"], [9], 9216),
                                       (["alloc_space", "bytes", "inuse_space", "bytes"], [20000, 9000], 20000),
                                       ([*MADE, "inuse_space", "bytes"], [3, 20000, 9000], 20000)):
            path.write_bytes(profile([([1], values), ([2, 1], [0] * len(values))], types=types))
            report = self.json("leaks", path)
            alive = 9216 if "kilobytes" in types else 9000
            self.has(str(types), report["totals"], live_bytes=alive, created_bytes=created)
            self.claim("live_objects" not in report["totals"] and "objects" not in report["leaks"][0], types, report)
            self.claim(not self.codes(report), types, report.get("diagnostics"))
        self.claim(self.run("leaks", path, "--max-live", "1M").returncode == 0, "bytes can be judged")
        exports = [folder / f"own-{moment}.pb.gz" for moment in range(1, 5)]
        series = [SAMPLES / f"shop-{moment}.heapprofile" for moment in range(1, 5)]
        for profile_, export in zip(series, exports):
            self.claim(self.run("export", "--to", "pprof", "-o", export, profile_).returncode == 0, export)
        own, first = self.json("leaks", *exports), self.json("leaks", *series)
        for name in ("live_bytes", "created_bytes", "leaked_bytes", "live_objects"):
            self.claim(own["totals"].get(name) == first["totals"].get(name), name, own["totals"], first["totals"])
        self.claim([(row["bytes"], row["stack"], row["kind"]) for row in own["leaks"]] ==
                   [(row["bytes"], row["stack"], row["kind"]) for row in first["leaks"]], own["leaks"])

    def methods(self, *words):
        """Own and inclusive nanoseconds of each function."""
        rows = self.json("top", *words, "--by", "method", "--limit", 0).get("top", [])
        return {row["method"]: (round(row["seconds"] * 1e9), round(row["inclusive_seconds"] * 1e9)) for row in rows}

    def costs(self, folder):
        """Profiles of time agree with the plan and with a naive sum."""
        path = SAMPLES / "shop-cpu.pb"
        answer = json.loads((SAMPLES / "answers" / "shop-cpu.pb.json").read_text())
        plan = {row["method"]: (row["nanoseconds"], row["inclusive_nanoseconds"]) for row in answer["methods"]}
        self.claim(self.methods(path) == plan, "plan", self.methods(path), plan)
        self.claim(self.methods(path, path) == {name: (2 * own, 2 * all) for name, (own, all) in plan.items()}, "twice")
        report = self.json("analyze", path)
        self.has("totals", report["totals"], seconds=1.0, calls=None)
        self.claim({row["program"] for row in report["methods"]} == {row["program"] for row in answer["methods"]}, report)
        text = self.run("analyze", path).stdout
        self.claim("ample" not in text.replace("sampled time", "").replace(str(path), "") and "all" not in re.sub(
            "callees|all-tables|all here|Call", "", text.split("Totals")[0]), "times are no samples, and have no calls", text)
        samples = self.json("top", path, "--input-format", "pprof-samples", "--by", "method")
        self.claim([row["samples"] for row in samples["top"]][:4] == [45, 25, 20, 10], samples["top"])
        self.claim("seconds" not in samples["totals"], samples["totals"])
        with open(path, "rb") as data:
            done = subprocess.run([self.program, "top", "-", "--format", "json"], stdin=data, capture_output=True, check=False)
        self.claim(json.loads(done.stdout)["top"] == self.json("top", path)["top"], "from a pipe")
        for seed in range(40):
            made = made_up(seed)
            path = folder / "made.pb.gz"
            path.write_bytes(gzip.compress(profile(**made)))
            self.claim(self.methods(path) == naive(made), seed, self.methods(path), naive(made))

    def cost_rules(self, folder):
        """Which value of a profile is its cost, and how it is rounded."""
        path = folder / "costs.pb"

        def check(what, data, seconds=None, samples=None, code=None):
            path.write_bytes(data)
            report = self.json("top", path)
            self.has(what, report.get("totals", {}), seconds=seconds, samples=samples)
            self.claim(({code} if code else set()) == self.codes(report), what, report.get("diagnostics"))
            return report
        check("node", profile([([1], [7, 2000])], types=["sample", "count", "wall", "microseconds"]), 0.002)
        waits = ["contentions", "count", "delay", "nanoseconds"]
        check("mutex", profile([([1], [7, 2000])], types=waits), 0.000002)
        check("allocated", profile([([1], [7, 2000])], types=["alloc_in_new_tlab_objects", "count",
                                                              "alloc_in_new_tlab_bytes", "bytes"]), samples=7, code="unread-values")
        other = folder / "wait.pb"
        for names, measure in ((("sync.(*Mutex).Unlock",), "mutex delay"), (("sync.(*Mutex).Lock", "runtime.chanrecv1"), "block delay"),
                               (("runtime.unlock2", "internal/sync.(*Mutex).Unlock"), "mutex delay"),
                               (("sync.(*Mutex).Unlock", "runtime.chanrecv1"), "delay"), (("main.f",), "delay")):
            functions = dict(enumerate(names, 1))
            samples = [([at], [1, 2000]) for at in functions] + [([1], [1, 0])]
            data = profile(samples, types=waits, functions=functions, locations={at: [(at, 3)] for at in functions})
            seconds = 0.000002 * len(names)
            told = check(measure, data, seconds)["session"]["description"]
            self.claim(told == measure, names, told)
            other.write_bytes(profile([([1], [1, 2000])], types=waits, functions={1: "runtime.selectgo"}, locations={1: [(1, 2)]}))
            both = self.run("top", path, other, "--format", "json")
            self.claim(("mixed-inputs" in both.stderr) == (measure != "block delay"), names, both.stderr)
            total = json.loads(both.stdout)["totals"]["seconds"]
            self.claim(abs(total - seconds - (0.000002 if measure == "block delay" else 0)) < 1e-9, names, total)
            other.write_bytes(profile([], types=waits))
            self.claim("mixed-inputs" not in self.run("top", path, other).stderr, "a profile without samples fits")
        check("times first", profile([([1], [2000000, 7])], types=["cpu", "nanoseconds", "samples", "count"]), 0.002)
        check("counts", profile([([1], [7])], types=["samples", "count"]), samples=7)
        check("the last of two", profile([([1], [1000, 3000])], types=["cpu", "nanoseconds", "wall", "nanoseconds"]), 0.000003)
        check("the usual one", profile([([1], [1000, 3000])], types=["cpu", "nanoseconds", "wall", "nanoseconds"],
                                       more=field(14, 1)), 0.000001)
        late = profile(GOOD[:0])
        late = b"".join(field(6, name) for name in ("", "cpu", "ms")) + field(2, packed(1, [1]) + packed(2, [5]))
        check("types last", late + field(1, field(1, 1) + field(2, 2)), 0.005, code="undefined-node")
        for unit, seconds in (("ns", 3e-06), ("us", 0.003), ("milliseconds", 3), ("seconds", 3000), ("minutes", 180000), ("hr", 10800000)):
            check(unit, profile([([1], [3000])], types=["cpu", unit]), seconds)
        check("rounding", profile([([1], [400])] * 10 + [([2], [300])] * 10, types=["cpu", "nanoseconds"]), 0.000007)
        check("no frames", profile([([], [3000]), ([1], [1000])], types=["cpu", "nanoseconds"]), 0.000004)
        self.claim("[unknown]" in self.methods(path), "no frames", self.methods(path))
        check("negative", profile([([1], [-3000]), ([1], [1000])], types=["cpu", "nanoseconds"]), 0.000001, code="bad-row")
        check("huge", profile([([1], [1 << 62]), ([1], [1])], types=["cpu", "seconds"]), 1, code="bad-row")
        check("overflow", profile([([1], [1 << 60])] * 9, types=["samples", "count"]), samples=1 << 60, code="bad-row")
        check("values", profile([([1], [1]), ([1], [1, 1000])], types=CPU), 0.000001, code="bad-row")
        check("drop", profile([([1], [1, 1000])], types=CPU, texts=("", "x"), more=field(7, 1)), 0.000001, code="drop-frames")
        path.write_bytes(profile([([1], [7])], types=["threadcreate", "count"]))
        self.has("threads", self.totals(path), live_objects=7)

        path.write_bytes(profile([], types=CPU))
        done = self.run("top", path)
        self.claim(done.returncode == 3 and "nothing ran" in done.stderr, "nothing", done.returncode, done.stderr)

        def refused(words, *told, status=3):
            done = self.run(*words)
            self.claim(done.returncode == status and all(one in done.stderr for one in told), words, done.stderr)
        cpu, other, heap = SAMPLES / "shop-cpu.pb", folder / "wall.pb", SERIES[0]
        other.write_bytes(profile([([1], [1000])], types=["wall", "nanoseconds"]))
        refused(["top", cpu, other], "measures wall", "mixed-inputs")
        refused(["diff", cpu, other], "(cpu)", "(wall)", "only recordings of one kind", status=2)
        refused(["trend", cpu, other], "(cpu)", "(wall)", status=2)
        refused(["baseline", "save", cpu, other, "--store", folder / "two", "--as", "two"], "(cpu)", "(wall)", status=2)
        refused(["top", cpu, heap], "mixed-inputs")
        refused(["top", cpu, SAMPLES / "shop-v3.prf"], "mixed-inputs")
        refused(["top", heap, "--input-format", "pprof-time"], "states no times")
        refused(["top", heap, "--input-format", "pprof-samples"], "states no samples")
        for command in ("leaks", "coverage", "timeline", "snapshots"):
            refused([command, cpu], "does not support a profile of sampled time", status=2)
        refused(["diff", SAMPLES / "shop-v3.prf", cpu], "only recordings of one kind", status=2)
        for words in (["--sort", "calls"], ["--sort", "average"], ["--sort", "samples"], ["--min-count", "1"]):
            refused(["top", cpu, *words], "a profile of sampled time has no", status=2)
        for words in (["tree", cpu], ["calls", "shop.placeOrder", cpu], ["trend", cpu, cpu], ["info", cpu], ["check", cpu],
                      ["flame", cpu, "-o", folder / "f.svg"], ["treemap", cpu], ["diff", cpu, cpu]):
            self.claim(self.run(*words).returncode == 0, words)

    def cost_limits(self, folder):
        """Limits on times are judged, others are not; baselines keep the kind."""
        cpu, policy, store = SAMPLES / "shop-cpu.pb", folder / "cpu.policy", ["--store", folder / "cpu-store", "--as", "cpu"]
        for rule, status in (("seconds <= 1s", 0), ("seconds <= 0.9s", 1), ("seconds of method \"shop.parse\" <= 0.1s", 1),
                             ("calls <= 1000", 3), ("samples <= 1000", 3), ("coverage >= 1 %", 3)):
            policy.write_text(rule + "\n")
            done = self.run("gate", policy, cpu)
            self.claim(done.returncode == status, rule, done.returncode, done.stdout, done.stderr)
        nameless = folder / "nameless.pb"
        for missing in {"locations": {2: [(2, 20)]}}, {"functions": {2: "main"}}:
            nameless.write_bytes(profile([([1], [1000]), ([2], [1000])], types=["cpu", "nanoseconds"], **missing))
            for rule in "seconds of method \"main*\" <= 1s", "seconds <= 1s":
                policy.write_text(rule + "\n")
                done = self.run("gate", policy, nameless)
                expected = 3 if "of" in rule.split() else 0
                self.claim(done.returncode == expected, "names that are missing may match", rule, done.stdout, done.stderr)
        self.claim(self.run("baseline", "save", cpu, *store).returncode == 0, "save")
        done = self.run("baseline", "check", cpu, *store)
        self.claim(done.returncode == 0 and "calls" not in done.stdout, "check", done.stdout, done.stderr)
        made = made_up(1)
        worse = folder / "worse.pb"
        worse.write_bytes(profile(**{**made, "samples": made["samples"] * 9}))
        self.claim(self.run("baseline", "check", worse, *store).returncode == 1, "worse")
        self.claim(self.run("baseline", "check", SAMPLES / "shop-v3.prf", *store).returncode != 0, "another kind")
        worse.write_bytes(profile([([1], [1000])], types=["wall", "nanoseconds"]))
        self.claim(self.run("baseline", "check", worse, *store).returncode == 3, "another measure")
        self.claim(self.run("baseline", "save", worse, *store).returncode == 3, "a baseline of another measure")
        policy.write_text("seconds <= base\n")
        done = self.run("gate", policy, worse, "--base", cpu)
        self.claim(done.returncode == 3 and "(wall)" in done.stdout, "another measure", done.stdout)
        back = folder / "back.pb.gz"
        self.run("export", worse, "--to", "pprof", "-o", back)
        self.claim(b"\x04wall" in gzip.decompress(back.read_bytes()), "the measure is exported")
        threads = folder / "threads.pb"
        threads.write_bytes(profile([([1], [7])], types=["threadcreate", "count"]))
        self.run("export", threads, "--to", "pprof", "-o", back)
        policy.write_text("live <= 1\n")
        self.claim(self.run("gate", policy, back).returncode == 3, "sizes that are not known stay so")
        policy.write_text("seconds <= 1s\n")
        cut = cpu.read_bytes()
        for length in range(1, len(cut), 17):
            worse.write_bytes(cut[:length])
            done = self.run("gate", policy, worse)
            self.claim(done.returncode == 3, "a cut profile is judged", length, done.stdout, done.stderr)

    def series(self, folder):
        """The newest objects are freed first. Allocated amounts show objects that lived between two
        profiles."""
        paths = []
        for moment, (alive, made) in enumerate(((10, 10), (30, 40), (20, 45), (25, 50))):
            paths.append(folder / f"{moment}.pprof")
            paths[-1].write_bytes(profile([([1], [alive, 8 * alive, made, 8 * made])], time=10**18 + moment * 10**9))
        self.has("series", self.totals(*paths), live_objects=25, created_objects=50, deleted_objects=25,
                 leaked_objects=15, leaked_bytes=120, peak_objects=30)
        rows = self.json("snapshots", *paths)["snapshots"]
        self.claim([row["live_objects"] for row in rows] == [10, 30, 20, 25], rows)
        self.claim([row["created_objects"] for row in rows] == [10, 30, 5, 5], rows)
        self.claim([row["deleted_objects"] for row in rows] == [0, 10, 15, 0], rows)
        paths[3].write_bytes(profile([([1], [25, 200, 26, 208])], time=2 * 10**18))
        done = self.run("leaks", *paths, "--max-leaked", "1G")
        self.claim(done.returncode == 3 and "other-process" in done.stderr, "another process is not told", done.stderr)

    def cut(self, folder):
        """A truncated profile is refused, wherever it ends. A damaged one causes no hang and no crash."""
        data, path = SERIES[2].read_bytes(), folder / "cut.pprof"
        whole = self.totals(SERIES[2])
        for length in range(1, len(data), 29):
            path.write_bytes(data[:length])
            done = self.run("leaks", path, "--max-leaked", "1G")
            self.claim(done.returncode == 3 or self.totals(path) == whole, length, done.stdout)
        for at in range(0, len(data), 31):
            path.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:])
            self.claim(self.run("leaks", path).returncode in (0, 3), at)
        path.write_bytes(gzip.compress(data)[:-20])
        self.claim(self.run("leaks", path, "--max-leaked", "1G").returncode == 3, "a cut gzip file passes")

    def hostile(self, folder, limit):
        """Small files that could exhaust memory are read with tens of megabytes."""
        path = folder / "hostile.pb.gz"
        deep, lines = [1] * 2_000_000, {1: [(1, 1)] * 100_000, 2: [(2, 2)]}
        for what, data, code in (
                ("deep", profile([(deep, GOOD[0][1])] * 8), "cut-stacks"),
                ("inlined", profile([([1] * 4, GOOD[0][1])] * 200_000, locations=lines), "cut-stacks"),
                ("roots differ", profile([([1] * 4000 + [at + 10], GOOD[0][1]) for at in range(3000)]), "cut-stacks"),
                ("types", profile([], more=field(1, b"\x08\x01") * 1_000_000), None),
                ("labels", profile([([1], GOOD[0][1])], more=field(2, field(3, b"") * 2_000_000)), "bad-row"),
                ("texts", profile(GOOD, more=field(6, b"") * 4_000_000), None)):
            path.write_bytes(gzip.compress(data))
            with open(folder / "out", "wb") as out:
                done = subprocess.run([self.program, "leaks", path, "--format", "json"], stdout=out, check=False,
                                      stderr=subprocess.PIPE, preexec_fn=limit)
            self.claim(done.returncode in (0, 3), what, path.stat().st_size, done.returncode, done.stderr)
            if code:
                self.claim(code in (folder / "out").read_text(), what, "does not say", code)

    def corpus(self):
        """Profiles written by Go, with known contents."""
        paths = [CORPUS / f"go-{number}.pb.gz" for number in (1, 2, 3)]
        truth = (2007, 2098584, 2001, 2097152, 40018, 30847872), (4008, 4203928, 4001, 4194304, 80307, 63031416), (
            6008, 6325656, 6001, 6316032, 121389, 95523600)
        for path, (objects, size, handled, handled_size, made, made_size) in zip(paths, truth):
            self.has(path, self.totals(path), live_objects=objects, live_bytes=size, created_objects=made,
                     created_bytes=made_size)
            row = next(row for row in self.json("top", path, "--by", "source")["top"] if row["key"] == "main.handle")
            self.has(path, row, objects=handled, bytes=handled_size)
        report = self.json("leaks", *paths)
        self.claim(report["leaks"][0]["stack"][0].startswith("main.handle"), report["leaks"][0])
        self.has("growth", report["leaks"][0], objects=4000, bytes=6316032 - 2097152)
        self.has("series", report["totals"], live_objects=6008, created_objects=121389, created_bytes=95523600)
        text = self.run("analyze", *paths, "--quiet").stdout
        first, leaks = text.splitlines()[2:4]
        self.claim("main.handle:15" in first and "too few snapshots" in leaks, first, leaks)
        self.claim(self.run("leaks", *paths, "--max-trend", "0").returncode == 3, "a gate passes what is not judged")

    def go(self, folder):
        """`go tool pprof -top` prints the same figures for each function."""
        own = folder / "own.pb.gz"
        self.claim(self.run("export", "--to", "pprof", "-o", own, SAMPLES / "shop-v2.oemp").returncode == 0, "export")
        paths = [*SERIES, own, *(CORPUS.glob("*.pb.gz") if CORPUS.exists() else [])]
        surroundings = {"PATH": os.environ["PATH"], "HOME": str(folder), "PPROF_TMPDIR": str(folder),
                        "GOCACHE": str(folder / "cache"), "GOTOOLCHAIN": "local"}
        self.go_costs(folder, surroundings)
        for path in paths:
            for index, member in (("inuse_space", "bytes"), ("inuse_objects", "objects")):
                done = subprocess.run(
                    ["go", "tool", "pprof", "-top", "-nodecount=0", "-nodefraction=0", "-edgefraction=0", "-unit=B",
                     "-symbolize=none", f"-sample_index={index}", path],
                    capture_output=True, text=True, env=surroundings, check=False)
                there = {}
                for line in done.stdout.splitlines():
                    words = re.match(r" *(\d+)B? +[\d.]+% +[\d.]+% +\d+B? +[\d.]+%  (.*?)( \(inline\))?$", line)
                    if words and int(words.group(1)):
                        there[words.group(2)] = int(words.group(1))
                here = {row["key"]: row[member] for row in self.json("top", path, "--by", "source", "--limit", 0)["top"]
                        if row[member]}
                here = {re.sub(r"^(.*\.so)\+0x.*", r"[\1]", name): value for name, value in here.items()}
                self.claim(there and sorted(there.values()) == sorted(here.values()), path, index, there, here, done.stderr)


    def go_costs(self, folder, surroundings):
        """So it does for profiles of CPU time and of waiting, which a program of Go writes."""
        (folder / "main.go").write_text(PROGRAM)
        done = subprocess.run(["go", "run", "main.go"], cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
        self.claim(done.returncode == 0, "the program of Go", done.stderr)
        for path in (folder / "cpu.pb.gz", folder / "mutex.pb.gz", folder / "block.pb.gz", SAMPLES / "shop-cpu.pb"):
            done = subprocess.run(
                ["go", "tool", "pprof", "-top", "-nodecount=0", "-nodefraction=0", "-edgefraction=0", "-unit=ns",
                 "-symbolize=none", path], capture_output=True, text=True, env=surroundings, check=False)
            there = {}
            for line in done.stdout.splitlines():
                words = re.match(r" *(\d+)(?:ns)? +[\d.]+% +[\d.]+% +(\d+)(?:ns)? +[\d.]+%  (.*?)( \(inline\))?$", line)
                if words:
                    there[words.group(3)] = int(words.group(1)), int(words.group(2))
            here = {re.sub(r"^(.*\.so)\+0x.*", r"[\1]", name): costs for name, costs in self.methods(path).items()}
            near = there and here.keys() == there.keys() and all(
                abs(mine - theirs) < 1000 * len(there) for name in there for mine, theirs in zip(here[name], there[name]))
            self.claim(near, path, there, here, done.stderr)
            self.claim("cpu" not in path.name or here == there, path, there, here)


PROGRAM = """package main

import (
	"crypto/sha256"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"sync"
	"time"
)

//go:noinline
func sortNumbers(n int) int {
	a := make([]int, n)
	for i := range a {
		a[i] = (i * 7919) % n
	}
	sort.Ints(a)
	return a[n/2]
}

//go:noinline
func hash(n int) byte {
	b := make([]byte, 4096)
	for i := 0; i < n; i++ {
		s := sha256.Sum256(b)
		copy(b, s[:])
	}
	return b[0]
}

func square(x int) int { return x * x }

//go:noinline
func fib(n int) int {
	if n < 2 {
		return square(n)
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	f, _ := os.Create("cpu.pb.gz")
	pprof.StartCPUProfile(f)
	end := time.Now().Add(time.Second)
	for time.Now().Before(end) {
		sortNumbers(100000)
		hash(500)
		fib(25)
	}
	pprof.StopCPUProfile()
	f.Close()
	var m sync.Mutex
	var w sync.WaitGroup
	for i := 0; i < 4; i++ {
		w.Add(1)
		go func() {
			for j := 0; j < 20; j++ {
				m.Lock()
				time.Sleep(time.Millisecond)
				m.Unlock()
			}
			w.Done()
		}()
	}
	w.Wait()
	for _, name := range []string{"mutex", "block"} {
		f, _ := os.Create(name + ".pb.gz")
		pprof.Lookup(name).WriteTo(f, 0)
		f.Close()
	}
}
"""


def main():
    arguments = claims.arguments(__doc__, go=bool, sanitized=bool)
    laws = Laws(arguments.memprof)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if arguments.go:
            if not shutil.which("go"):
                print("pprof.py: go is not installed: profiles are not compared with go tool pprof")
                return SKIPPED
            laws.go(folder)
            return laws.end(20)
        laws.plan()
        laws.answers(folder)
        laws.exports(folder)
        laws.rules(folder)
        laws.refused(folder)
        laws.bytes_only(folder)
        laws.sampling(folder)
        laws.costs(folder)
        laws.cost_rules(folder)
        laws.cost_limits(folder)
        laws.series(folder)
        laws.cut(folder)
        laws.hostile(folder, None if arguments.sanitized else limit_memory)
    if CORPUS.exists():
        laws.corpus()
    else:
        print(f"pprof.py: {CORPUS} is not here: its profiles are not compared")
    return laws.end(150)


if __name__ == "__main__":
    sys.exit(main())
