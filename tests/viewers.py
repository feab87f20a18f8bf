#!/usr/bin/env python3
"""Files for other tools: each is opened by the tool itself, and has the totals of the reports.

    tests/viewers.py --memprof PATH FORMAT               every sample
    tests/viewers.py --memprof PATH FORMAT --self-test   check that a changed file is detected

The test also parses each file itself, by the description of its format and not by memprof's source. So totals
are compared even if the tool is not installed; the test then prints what it has skipped. On failure, print a
line for each fault and exit with 1.
"""
import argparse
import collections
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from claims import ClaimsOfProgram
from roots import skip

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
NAMES = {"alloc_objects": "created_objects", "alloc_space": "created_bytes",
         "inuse_objects": "live_objects", "inuse_space": "live_bytes",
         "leaked_objects": "leaked_objects", "leaked_space": "leaked_bytes",
         "samples": "calls", "cpu": "seconds"}
# Names of objects and of code that have an effect on careless programs.
HOSTILE = ['<script>alert(1)</script>', '"quotes" and \\', "a\tb\x1b[31mred\x07", "\u202egnp.exe",
           "fn=(1) x", "n0: 1 0x0: (root)", "{[(;:,)]}", "--- @@ %s %n ${x} `x`", "\u00e9\u4e2d\U0001f4a9"]

# Crawls begin with the innermost frame.
RECURSION = "".join(f"1-1 {time} 0x{time:x} 16 novtbl {crawl}\n" for time, crawl in enumerate(
    ["step|run", "step|step|run", "step|step|step|run", "write|step|step|step|run"], 1000000))
TWO = """\
1-1 1000000 0x10 16 novtbl first|main
1-1 1020000 0x20 16 novtbl second|main
1-1 1030000 0x10 del TFirst done|main
1-1 1100000 0x30 16 novtbl third|main
"""


def seconds_of(amount, unit="nanoseconds"):
    return round(amount / {"nanoseconds": 10**9, "microseconds": 10**6}[unit], 6)


# --- pprof ---

def fields(data):
    """Yield the numbers of fields and their values: numbers or bytes, in the encoding of Protocol Buffers."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
        else:
            assert key & 7 == 2, key
            length = number()
            yield key >> 3, data[at:at + length]
            at += length


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def numbers(data):
    """Decode a packed list."""
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield signed(value)
            value = shift = 0


class Pprof:
    program, package = "go", "golang-go"
    kinds = None  # all kinds that have an answer

    def take_apart(self, path):
        """Return the totals under the names of reports. The numbers in the file must refer to something."""
        texts, types, samples, places, code, maps = [], [], [], {}, {}, {}
        for field, value in fields(gzip.decompress(path.read_bytes())):
            if field == 6:
                texts.append(value.decode("utf-8"))
            elif field == 1:
                types.append(dict(fields(value)))
            elif field == 2:
                samples.append(list(fields(value)))
            elif field in (3, 4, 5):
                message = dict(fields(value))
                {3: maps, 4: places, 5: code}[field][message[1]] = message
        assert texts[0] == "" and len(set(texts)) == len(texts), "the string table"
        sums, self.labels = [0] * len(types), collections.Counter()
        for sample in samples:
            stack = [n for field, value in sample if field == 1 for n in numbers(value)]
            values = [n for field, value in sample if field == 2 for n in numbers(value)]
            assert len(values) == len(types), "a sample has all values"
            assert stack and all(place in places for place in stack), "a stack leads to locations"
            for label in (dict(fields(value)) for field, value in sample if field == 3):
                assert texts[label[1]] in ("type", "name", "thread", "request") and texts[label[2]]
                self.labels[texts[label[1]], texts[label[2]]] += values[0]
            sums = [a + b for a, b in zip(sums, values)]
        for place in places.values():
            assert place.get(2, 0) in maps or 2 not in place, "a location's mapping"
            assert dict(fields(place[4]))[1] in code, "a location's function"
        for function in code.values():
            assert all(0 <= function.get(n, 0) < len(texts) for n in (2, 3, 4)), "a function's texts"
        assert not any(c < " " or 0x7f <= ord(c) < 0xa0 or c in "\u202e\u2066" for t in texts for c in t)
        found = {NAMES[texts[type_[1]]]: value for type_, value in zip(types, sums)}
        if "seconds" in found:
            found["seconds"] = seconds_of(found["seconds"], texts[types[-1][2]])
        return found

    def open(self, path):
        """Return what `go tool pprof` prints about the file."""
        done = subprocess.run(["go", "tool", "pprof", "-raw", path], capture_output=True, text=True,
                              check=False)
        lines = done.stdout.splitlines()
        if done.returncode or "Samples:" not in lines:
            return done.stderr
        at = lines.index("Samples:")
        types, units = zip(*(re.match(r"(.*)/([a-z]*)", word).groups() for word in lines[at + 1].split()))
        sums = [0] * len(types)
        for line in lines[at + 2:lines.index("Locations")]:
            row = re.match(r"\s+(-?[0-9].*): [0-9 ]*$", line)
            if row:
                sums = [a + int(b) for a, b in zip(sums, row[1].split())]
        found = {NAMES[name]: value for name, value in zip(types, sums)}
        if "seconds" in found:
            found["seconds"] = seconds_of(found["seconds"], units[-1])
        return found

    def labels_agree(self, law, folder, key, sample):
        """The amounts that each thread, request or type created agree with the report about them."""
        target = folder / f"{key}.pb.gz"
        law.run("export", "--to", "pprof", "-o", target, SAMPLES / sample)
        self.take_apart(target)
        rows = law.json("top", SAMPLES / sample, "--by", key, "--limit", 0).get("top", [])
        wanted = {row["key"]: row["created_objects"] for row in rows
                  if row["created_objects"] and row["key"] != "(none)"}  # groups with live objects
        found = {value: count for (label, value), count in self.labels.items() if label == key}
        law.claim(wanted and wanted.items() <= found.items(),
                 f"{key}: samples have {found}, {wanted} were created")

    def by_hand(self, law, folder):
        """Two profiles are compared: a method costs more, by a known amount."""
        self.labels_agree(law, folder, "thread", "shop.taligent")
        self.labels_agree(law, folder, "request", "shop-requests-AS1.oemp")
        self.labels_agree(law, folder, "type", "shop-v2.oemp")
        target = {}
        for version in ("v1", "v2"):
            target[version] = folder / f"{version}.pb.gz"
            law.run("export", "--to", "pprof", "-o", target[version], SAMPLES / f"shop-{version}.prf")
        done = subprocess.run(["go", "tool", "pprof", "-top", "-nodecount=0", "-nodefraction=0",
                               "-diff_base", target["v1"], target["v2"]], capture_output=True, text=True,
                              check=False)
        told = [self.total_seconds(law, SAMPLES / f"shop-{v}.prf") for v in ("v1", "v2")]
        said = re.search(r"accounting for (\S+),.* of (\S+) total", done.stdout)
        law.claim(said and abs(self.seconds(said[1]) - (told[1] - told[0])) < 0.006,
                 f"-diff_base tells {said and said[0]}, reports {told}: {done.stderr}")

    @staticmethod
    def seconds(text):
        return float(re.sub(r"[a-z]+$", "", text)) / (1000 if text.endswith("ms") else 1)

    @staticmethod
    def total_seconds(law, path):
        return law.json("analyze", path)["totals"]["seconds"]


# --- what Valgrind's programs read ---

def told(text):
    """Format a number like the tool's tables."""
    return int(text.replace(",", ""))


class Callgrind:
    program, package = "callgrind_annotate", "valgrind"
    columns = {"Allocations": "created_objects", "Bytes": "created_bytes", "Alive": "live_bytes",
               "Leaked": "leaked_bytes", "Objects": "live_objects", "Microseconds": "seconds",
               "Calls": "calls"}

    def named(self, events, sums):
        found = {self.columns[event]: value for event, value in zip(events, sums)}
        if "seconds" in found:
            found["seconds"] = seconds_of(found["seconds"] * 1000)
        return found

    def take_apart(self, path):
        """Return the sum of the functions' own costs. Calls must refer to functions with a name."""
        names, events, sums, totals, called = {}, [], [], None, False
        below, spelled, at = collections.defaultdict(collections.Counter), {}, {}
        for line in path.read_text(encoding="utf-8").splitlines():
            name = re.match(r"c?(fn|fl|fi|ob)=\((\d+)\)( .+)?$", line)
            if name:
                key = ({"fi": "fl"}.get(name[1], name[1]), name[2])
                assert (key in names) == (name[3] is None), f"{line}: a name stands at its first use"
                names.setdefault(key, name[3])
                at[key[0]] = key
                if key[0] == "fn":  # readers only know the spelling of the name
                    callee = tuple(names[at[part]] for part in ("ob", "fl", "fn"))
                    other = spelled.setdefault(callee, key)
                    assert other == key, f"{other} and {key} are one function: {callee}"
            elif line.startswith("events:"):
                events = line.split()[1:]
                sums = [0] * len(events)
            elif line.startswith("totals:"):
                totals = [int(word) for word in line.split()[1:]]
            elif line.startswith("calls="):
                called = True
                assert re.fullmatch(r"calls=[1-9]\d* \d+", line), line
            elif re.match(r"\d", line):
                costs = [int(word) for word in line.split()[1:]]
                assert len(costs) == len(events), line
                if called:
                    below[callee].update(dict(enumerate(costs)))
                else:
                    sums = [a + b for a, b in zip(sums, costs)]
                called = False
        assert totals == sums, f"totals are {totals}, sums {sums}"
        assert all(cost[i] <= sums[i] for cost in below.values() for i in cost), (
            "no function costs more than all")
        return self.named(events, sums)

    def annotate(self, path, *options):
        """Return the events, the totals and each function's costs, as printed by the program; or None."""
        done = subprocess.run([self.program, "--threshold=100", "--show-percs=no", *options, path],
                              capture_output=True, text=True, check=False)
        events = re.search(r"^Events recorded:  (.*)$", done.stdout, re.M)
        sums = re.search(r"^(.*)  PROGRAM TOTALS$", done.stdout, re.M)
        self.said = done.stdout[-500:] + done.stderr[-500:]
        if not events or not sums or "WARNING" in done.stderr:
            return None
        columns = " ".join([r" *[\d,.]+"] * len(events[1].split()))
        rows = re.findall(rf"^({columns})  \S.*:.*\[.*\]$", done.stdout, re.M)
        sums, *rows = ([told(cost.replace(".", "0")) for cost in row.split()] for row in [sums[1], *rows])
        return events[1].split(), sums, rows

    def open(self, path):
        own, below = self.annotate(path), self.annotate(path, "--inclusive=yes")
        if not own or not below:
            return self.said
        events, sums, rows = own
        if sum(row[0] for row in rows) != sums[0]:
            return f"functions have {sum(row[0] for row in rows)} of {sums}"
        most = [max(costs) for costs in zip(*below[2])]
        if not most or any(cost > total for cost, total in zip(most, sums)):
            return f"a function has {most} with what it calls, all have {sums}"
        return self.named(events, sums)

    def by_hand(self, law, folder):
        """A recursion, calculated by hand. run calls step; step calls itself, and makes an object at each of
        its three levels, and one more in write. The cost of a call of step counts each object once."""
        log = folder / "recursion.taligent"
        log.write_text(RECURSION, encoding="ascii")
        target = folder / "recursion.callgrind"
        law.run("export", "--to", "callgrind", "--no-skip", "-o", target, log)
        done = subprocess.run([self.program, "--threshold=100", "--show-percs=no", "--inclusive=yes",
                               "--show=Allocations", target], capture_output=True, text=True, check=False)
        rows = dict(reversed(row) for row in
                    re.findall(r"^ *([\d.,]+)  .*:(\w+)[^\n]* \[.*\]$", done.stdout, re.M))
        law.claim({name: rows.get(name) for name in ("run", "step", "write")} ==
                 {"run": "4", "step": "4", "write": "1"}, f"of a recursion: {done.stdout}{done.stderr}")


class Massif:
    program, package = "ms_print", "valgrind"

    def snapshots(self, path):
        """Return time, bytes and kind of each snapshot; trees must add up."""
        found, open_nodes = [], []
        for line in path.read_text(encoding="utf-8").splitlines():
            node = re.match(r"( *)n(\d+): (\d+) ", line)
            if node:
                depth, children, size = len(node[1]), int(node[2]), int(node[3])
                while len(open_nodes) > depth:
                    self.close(open_nodes)
                assert depth == len(open_nodes), line
                if depth:
                    open_nodes[-1][1] += 1
                    open_nodes[-1][3] += size
                else:
                    assert size == found[-1][1], f"a tree of {size} bytes at {found[-1]}"
                open_nodes.append([children, 0, size, 0])
                continue
            while open_nodes:
                self.close(open_nodes)
            field = re.match(r"(time|mem_heap_B|heap_tree)=(.*)$", line)
            if line.startswith("snapshot="):
                assert int(line.split("=")[1]) == len(found), line
            elif field and field[1] == "time":
                found.append([int(field[2]), 0, ""])
            elif field:
                found[-1][1 if field[1] == "mem_heap_B" else 2] = (
                    int(field[2]) if field[1] == "mem_heap_B" else field[2])
        while open_nodes:
            self.close(open_nodes)
        return found

    @staticmethod
    def close(open_nodes):
        children, seen, size, below = open_nodes.pop()
        assert children == seen and (below <= size if children else True), f"{children} of {seen} nodes"

    def take_apart(self, path):
        self.all = self.snapshots(path)
        times = [time for time, _, _ in self.all]
        assert times == sorted(times) and [kind for _, _, kind in self.all].count("peak") == 1
        peak = max(size for _, size, _ in self.all)
        assert all(size == peak for _, size, kind in self.all if kind == "peak"), "the peak is not one"
        return {"snapshots": len(self.all)}

    def agree(self, law, path, options, what):
        rows = law.json("snapshots", path, "--limit", 0, *options).get("snapshots", [])
        law.claim([row["live_bytes"] for row in rows] == [size for _, size, _ in self.all],
                 f"{what}: has {self.all}, the report {[row['live_bytes'] for row in rows]}")

    def open(self, path):
        done = subprocess.run([self.program, path], capture_output=True, text=True, check=False)
        rows = re.findall(r"^ +(\d+) +([\d,]+) +([\d,]+) +([\d,]+) +0 +0$", done.stdout, re.M)
        # a row above a tree is printed once, and so is each other row
        shown = [(told(time), told(size)) for _, time, size, _ in rows]
        if done.returncode or shown != [(time, size) for time, size, _ in self.all]:
            return f"{shown}{done.stdout[:500]}{done.stderr[-500:]}"
        count = re.search(r"^Number of snapshots: (\d+)$", done.stdout, re.M)
        return {"snapshots": int(count[1])}

    def by_hand(self, law, folder):
        pass


class Dhat:
    program, package = "node", "nodejs"
    viewer = pathlib.Path("/usr/libexec/valgrind/dh_view.js")
    head = {"dhatFileVersion": int, "mode": str, "verb": str, "bklt": bool, "bkacc": bool, "tu": str,
            "Mtu": str, "tuth": int, "cmd": str, "pid": int, "te": int, "tg": int, "pps": list,
            "ftbl": list}
    point = ("tb", "tbk", "tl", "mb", "mbk", "gb", "gbk", "eb", "ebk")

    def take_apart(self, path):
        """Check the requirements of DHAT's viewer and of Firefox Profiler's importer; return the sums."""
        file = json.loads(path.read_text(encoding="utf-8"))
        for name, kind in self.head.items():
            assert isinstance(file[name], kind), name
        assert file["dhatFileVersion"] == 2 and file["bklt"] and not file["bkacc"]
        assert file["ftbl"][0] == "[root]" and 0 <= file["tg"] <= file["te"]
        for frame in file["ftbl"][1:]:
            assert re.fullmatch(r"0x[0-9A-F]+: .+ \((in .+|.*:\d+)\)", frame), frame
        stacks = [tuple(point["fs"]) for point in file["pps"]]
        assert len(set(stacks)) == len(stacks), "a stack stands once"
        sums = collections.Counter()
        for point in file["pps"]:
            assert all(isinstance(point[name], int) and point[name] >= 0 for name in self.point), point
            assert all(0 < frame < len(file["ftbl"]) for frame in point["fs"]) and point["fs"], point
            assert point["mb"] >= point["gb"] and point["mb"] >= point["eb"], point
            sums.update({name: point[name] for name in self.point})
        self.sums = sums
        return {"created_bytes": sums["tb"], "created_objects": sums["tbk"], "live_bytes": sums["eb"],
                "live_objects": sums["ebk"]}

    def agree(self, law, path, options, what):
        rows = law.json("snapshots", path, "--limit", 0, *options).get("snapshots", [])
        sizes = [row["live_bytes"] for row in rows]
        law.claim(self.sums["gb"] in sizes and self.sums["gb"] >= self.sums["eb"],
                 f"{what}: {self.sums['gb']} at the peak, snapshots have {sizes}")

    def open_all(self, paths):
        """Return what the program shows of each file, in one run."""
        done = subprocess.run([self.program, pathlib.Path(__file__).parent / "dh_view.js", self.viewer,
                               *paths], capture_output=True, text=True, check=False)
        for page in done.stdout.split("-" * 80)[:len(paths)]:
            total = re.search(r"Total: +([\d,]+) bytes .* in ([\d,]+) objects", page)
            end = re.search(r"At t-end: +([\d,]+) bytes .* in ([\d,]+) objects", page)
            yield total and end and {"created_bytes": told(total[1]), "created_objects": told(total[2]),
                                     "live_bytes": told(end[1]), "live_objects": told(end[2])}
        if done.returncode:
            yield done.stderr[:1000]

    def by_hand(self, law, folder):
        """A log made by hand: one block is deleted, after 30 ms."""
        log, target = folder / "two.taligent", folder / "two.dhat"
        log.write_text(TWO, encoding="ascii")
        law.run("export", "--to", "dhat", "--slices", 1, "-o", target, log)
        points = json.loads(target.read_text(encoding="utf-8"))["pps"] if target.exists() else []
        law.claim([point["tl"] for point in points if not point["eb"]] == [30000], f"lifetimes are {points}")


FORMATS = {"pprof": Pprof(), "callgrind": Callgrind(), "massif": Massif(), "dhat": Dhat()}


class Law(ClaimsOfProgram):
    def __init__(self, program):
        super().__init__(program)
        self.later = []

    def apart(self, kind, target, what):
        try:
            return kind.take_apart(target)
        except (AssertionError, KeyError, IndexError, ValueError) as why:
            self.claim(False, f"{what}: {type(why).__name__} {why}")
            return {}

    def shown(self, kind, pages):
        """The totals that the program shows of each file are those in the file."""
        pages = list(pages)
        self.claim(len(pages) == len(self.later), f"{kind.program} shows {pages} of {len(self.later)}")
        for (what, _, inside), page in zip(self.later, pages):
            self.claim(isinstance(page, dict) and page and page.items() <= inside.items(),
                      f"{what}: has {inside}, {kind.program} shows {page}")
        self.later = []

    def sample(self, name, path, folder, opens, *options):
        kind, target = FORMATS[name], folder / f"{len(options)}-{path.name}.{name}"
        report, told = self.json("export", "--to", name, "-o", target, path, *options), {}
        what = f"{path.name} {' '.join(options)} as {name}"
        if not report:
            self.claim(not target.exists(), f"{what}: left something behind")
            return False
        told = self.json("analyze", path, *options).get("totals", {})
        inside = self.apart(kind, target, what)
        self.claim(inside and all(told.get(key, value) == value for key, value in inside.items()),
                  f"{what}: has {inside}, the report {told}")
        said = {key: value for key, value in report["totals"].items() if key in inside}
        self.claim(said == inside, f"{what}: has {inside}, and said {said}")
        if hasattr(kind, "agree"):
            kind.agree(self, path, options, what)
        if opens:
            self.later.append((what, target, inside))
            if hasattr(kind, "open"):
                self.shown(kind, [kind.open(target)])
        piped = self.run("export", "--to", name, "-o", "-", "--quiet", path, *options, text=False)
        self.claim(piped.stdout == target.read_bytes(), f"{what}: to a pipe, {piped.stderr}")
        return True


def recording(path):
    """A memory recording with hostile names; each has one object."""
    lines = (SAMPLES / "shop-v2.oemp").read_text(encoding="utf-8")
    for number, name in enumerate(HOSTILE):
        lines = lines.replace(["placeOrder", "OrderService", "PriceCache", "InvoiceService", "write",
                               "fill", "create", "startup.p", "main.p"][number],
                              name.replace('"', '""').replace(" ", "_"))
    path.write_text(lines, encoding="utf-8")


def long_profile(path):
    """A line takes 28,519 years, which are more nanoseconds than fit into 64 bits."""
    lines = (SAMPLES / "shop-v1.prf").read_text(encoding="utf-8")
    path.write_text(lines.replace("2 25 40 0.000412 ", "2 25 40 900000000000.0 "), encoding="utf-8")


def spoil(path):
    """Increase one number; for pprof, remove a sample."""
    if path.read_bytes()[:2] == b"\x1f\x8b":
        parts, left = [], False
        for field, value in fields(gzip.decompress(path.read_bytes())):
            if field == 2 and not left:
                left = True
            elif isinstance(value, bytes):
                size = len(value)
                parts += [bytes([field << 3 | 2]), bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14]),
                          value]
        path.write_bytes(gzip.compress(b"".join(parts)))
        return
    changed = re.sub(r'(?m)(^mem_heap_B=|"tb":|^totals: )(\d+)', lambda found: found[1] + str(int(found[2]) + 1),
                     path.read_text(encoding="utf-8"), count=1)
    path.write_text(changed, encoding="utf-8")


def self_test(law, name, folder):
    target, whole = folder / "whole", None
    law.run("export", "--to", name, "-o", target, SAMPLES / "shop-v2.oemp")
    whole = FORMATS[name].take_apart(target)
    spoil(target)
    try:
        found = FORMATS[name].take_apart(target) != whole
    except AssertionError as why:
        found = True
        print(f"found out: {why}")
    law.claim(found, "a file that was changed is not found out")


def every_sample(law, name, opens, folder):
    """Open the files of every sample; return how many were written."""
    kind, written = FORMATS[name], 0
    for path in sorted(SAMPLES.glob("shop*")):
        if path.suffix in (".oemp", ".taligent", ".gclog", ".prf", ".sqlite"):
            written += law.sample(name, path, folder, opens)
    law.claim(written >= 5, f"{written} samples were written")
    law.sample(name, SAMPLES / "shop-v2.oemp", folder, opens, "--source", "*Order*")
    recording(folder / "hostile.oemp")
    law.claim(law.sample(name, folder / "hostile.oemp", folder, opens), "hostile names")
    long_profile(folder / "long.prf")
    law.claim(law.sample(name, folder / "long.prf", folder, opens) == (name in ("pprof", "callgrind")),
             "a profile of millennia")
    if opens and law.later:
        law.shown(kind, kind.open_all([target for _, target, _ in law.later]))
    if opens:
        kind.by_hand(law, folder)
    return written


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memprof", type=pathlib.Path, required=True)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("format", choices=FORMATS)
    options = parser.parse_args()
    kind, law = FORMATS[options.format], Law(options.memprof.resolve())
    opens, written = options.self_test or shutil.which(kind.program) is not None, 0
    with tempfile.TemporaryDirectory() as name:
        if options.self_test:
            self_test(law, options.format, pathlib.Path(name))
        else:
            written = every_sample(law, options.format, opens, pathlib.Path(name))
    if law.end(more=f"; {written} samples"):
        sys.exit(1)
    if not opens:
        skip(f"{options.format} is not opened by {kind.program}: {kind.package} is not installed")


if __name__ == "__main__":
    main()
