#!/usr/bin/env python3
"""All exporters: files written for other tools add up to the figures of the reports.

    tests/exporters.py --memprof PATH [--server PATH]  every exporter, every sample
    tests/exporters.py --memprof PATH --opened     open the files with the tools, and compare sums
    tests/exporters.py --memprof PATH --self-test  check that changed files are detected

Small readers, written from the descriptions of the formats, parse the files. Names with a special meaning in a
format must come out unchanged. If a tool is not installed, the test says so and exits with 77: node with
@memlab/core below the folder MEMPROF_NODE_MODULES, promtool, dot, jq. On failure it prints a line for each
fault and exits with 1.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import viewers
from claims import ClaimsOfRuns
from roots import skip

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
EVIL = '</script>"\\" {x="1"} -> n0; %n &lt; \u202e\u200b\x1b[31m\n# EOF'
# tests/exports.py, tests/flames.py, tests/fleetdb.py, tests/csvfolder.py and tests/clickhouse.py check these.
ELSEWHERE = {"aqtime", "clickhouse-tables", "csv", "folded", "speedscope", "sqlite"}


def fail(what):
    raise AssertionError(what)


def check(holds, what):
    if not holds:
        fail(what)


# --- what each file says ---

class Heapsnapshot:
    """Reader for the layout that `meta` states. Weak edges keep nothing alive."""
    binary, needs = False, "retained"

    def __init__(self, data):
        self.file = json.loads(data)
        meta, strings = self.file["snapshot"]["meta"], self.file["strings"]
        fields, edge_fields = meta["node_fields"], meta["edge_fields"]
        rows = self.rows(self.file["nodes"], fields)
        edges = self.rows(self.file["edges"], edge_fields)
        check(len(rows) == self.file["snapshot"]["node_count"], "node_count")
        check(len(edges) == self.file["snapshot"]["edge_count"], "edge_count")
        check(sum(row["edge_count"] for row in rows) == len(edges), "edges of nodes")
        check(len({row["id"] for row in rows}) == len(rows), "ids are not unique")
        self.nodes, self.edges, at = rows, [[] for _ in rows], 0
        for number, row in enumerate(rows):
            row["type"] = meta["node_types"][0][row["type"]]
            row["name"] = strings[row["name"]]
            for edge in edges[at:at + row["edge_count"]]:
                type_ = meta["edge_types"][0][edge["type"]]
                target, rest = divmod(edge["to_node"], len(fields))
                check(not rest and target < len(rows), "an edge leads to no node")
                check(type_ in ("element", "hidden") or edge["name_or_index"] < len(strings), "an edge's name")
                check(type_ != "shortcut" or number == 0, "a shortcut that is not the root's")
                if type_ != "weak":
                    self.edges[number].append(target)
            at += row["edge_count"]
        self.names = {row["name"] for row in rows}

    @staticmethod
    def rows(numbers, fields):
        check(len(numbers) % len(fields) == 0, "numbers are no rows")
        return [dict(zip(fields, numbers[i:i + len(fields)])) for i in range(0, len(numbers), len(fields))]

    def reached(self, without=None):
        seen, waiting = {0}, [0]
        while waiting:
            for target in self.edges[waiting.pop()]:
                if target not in seen and target != without:
                    seen.add(target)
                    waiting.append(target)
        return seen

    def hold(self, told):
        objects = [(i, row) for i, row in enumerate(self.nodes) if row["type"] == "object"]
        totals = told("snapshots")["totals"]
        size = lambda places: sum(self.nodes[i]["self_size"] for i in places)
        all_ = self.reached()
        check(len(objects) == totals_of_graph(totals)[0], "objects")
        check(sum(row["self_size"] for _, row in objects) == totals_of_graph(totals)[1], "bytes")
        check(size(all_) == totals["reachable_bytes"], "reachable bytes")
        retained = sorted((row["name"], row["self_size"], size(all_) - size(self.reached(i)))
                          for i, row in objects if i in all_)
        rows = told("retained", "--limit", "0")["retained"]
        check(retained == sorted((row["type"], row["self_bytes"], row["retained_bytes"]) for row in rows),
              "retained sizes by object")
        self.retained = {row["id"]: size(all_) - size(self.reached(i)) for i, row in objects if i in all_}


def totals_of_graph(totals):
    """for a database, the graph has fewer objects than the last set"""
    return tuple(totals[f"reachable_{unit}"] + totals[f"unreachable_{unit}"] + totals.get(f"untracked_{unit}", 0)
                 for unit in ("objects", "bytes"))


class Trace:
    """Reader for the Trace Event Format, with the phases M, C, i, X and B."""
    binary, needs = False, None
    OWN = {"M": {"args"}, "C": {"ts", "args"}, "i": {"ts", "s", "cat", "args"},
           "X": {"ts", "dur", "cat", "args"}, "B": {"ts", "cat", "args"}}

    def __init__(self, data):
        self.file = json.loads(data)
        self.events = self.file["traceEvents"]
        for event in self.events:
            check(set(event) == {"ph", "name", "pid", "tid"} | self.OWN[event["ph"]], f"members of {event}")
            check(all(isinstance(event[n], int) for n in ("pid", "tid", "ts", "dur") if n in event), "numbers")
            check(event.get("dur", 0) >= 0 and event.get("s", "p") in "gpt", f"{event}")
            if event["ph"] == "C":
                check(set(map(type, event["args"].values())) == {int}, "a counter is a number")
        ends = {}
        slices = sorted((e for e in self.events if e["ph"] == "X"), key=lambda e: (e["ts"], -e["dur"]))
        for event in slices:  # slices of a thread are nested or disjoint
            stack = ends.setdefault((event["pid"], event["tid"]), [])
            while stack and stack[-1] <= event["ts"]:
                stack.pop()
            check(not stack or event["ts"] + event["dur"] <= stack[-1], f"{event} lies across another")
            stack.append(event["ts"] + event["dur"])
        self.names = {event["name"] for event in self.events}

    def some(self, phase, **more):
        return [e for e in self.events if e["ph"] == phase and more.items() <= e.items()]

    def hold(self, told):
        if "seconds" in told("analyze")["totals"]:
            trace, rows = told("timeline")["trace"], self.some("X")
            check(len(rows) == trace["executions"], "executions")
            check(round(sum(e["args"]["seconds"] for e in rows), 6) == trace["seconds"], "seconds")
            return
        report = told("snapshots", "--limit", "0")
        rows = report["snapshots"]
        for name in ("live_bytes", "live_objects", "platform_bytes"):
            counted = [e["args"]["value"] for e in self.some("C", name=name)]
            listed = [row[name] for row in rows if name in row]
            if name == "live_bytes" and len(counted) > len(listed):  # peaks are between the snapshots
                check(max(counted) == report["totals"]["peak_bytes"], "the peak")
                pairs = zip(self.some("C"), self.some("C")[1:])
                counted = [e["args"]["value"] for e, next_ in pairs
                           if e["name"] == name and next_["name"] == "live_objects"]
            check(counted == listed, f"{name}: {counted} and {listed}")
        check([e["name"] for e in self.some("i")] == [row["tag"] for row in rows if "tag" in row], "tags")
        served = [e["args"] for e in self.events if e.get("cat") == "request"]
        if served:
            listed = told("requests", "--limit", "0")["requests"]
            for name in ("created_bytes", "left_bytes", "created_objects", "left_objects"):
                check(sum(e[name] for e in served) == sum(row.get(name, 0) for row in listed), f"requests: {name}")


class Openmetrics:
    """Reader for OpenMetrics 1.0: families with TYPE, UNIT and HELP, their samples, and # EOF."""
    binary, needs = False, None
    NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
    SAMPLE = re.compile(rf'({NAME})(?:\{{((?:{NAME}="(?:[^"\\\n]|\\["\\n])*",?)*)\}})? (-?[0-9.]+)$')

    def __init__(self, data):
        lines = data.decode().split("\n")
        check(lines[-2:] == ["# EOF", ""] and lines.count("# EOF") == 1, "the end")
        self.samples, self.families, family, self.names = collections.OrderedDict(), {}, None, set()
        for line in lines[:-2]:
            if line.startswith("# "):
                what, name, text = line[2:].split(" ", 2)
                if what == "TYPE":
                    check(name not in self.families and text == "gauge", f"{line}")
                    family = self.families[name] = {}
                check(name == list(self.families)[-1] and what not in family, f"{line} is out of its family")
                check(what != "UNIT" or name.endswith("_" + text), f"{line}")
                family[what] = text
                continue
            parts = self.SAMPLE.match(line)
            check(parts, f"no sample: {line}")
            check(parts[1] == list(self.families)[-1], f"{line} is out of its family")
            labels = tuple((k, re.sub(r"\\(.)", r"\1", v)) for k, v in
                           re.findall(rf'({self.NAME})="((?:[^"\\]|\\.)*)"', parts[2] or ""))
            check((parts[1], labels) not in self.samples, f"{line} is there twice")
            self.samples[parts[1], labels] = float(parts[3]) if "." in parts[3] else int(parts[3])
            self.names |= {value for _, value in labels}
        check(all({"TYPE", "HELP"} <= set(f) for f in self.families.values()), "TYPE and HELP")

    def sum(self, name):
        return sum(value for (of, _), value in self.samples.items() if of == "memprof_" + name)

    def hold(self, told):
        leaks = told("leaks", "--limit", "0")
        totals = told("analyze")["totals"] | leaks.get("totals", {})
        for (name, labels), value in self.samples.items():
            name = name.removeprefix("memprof_")
            if not labels and name != "platform_bytes":
                wanted = totals.get(name, totals.get(re.sub("_seconds$", "_us", name)))
                wanted = wanted / 1e6 if name not in totals else wanted
                check(value == wanted, f"{name} is {value}, not {wanted}")
        if "created_bytes" in totals:
            most = [(row["bytes"], row.get("objects", 0)) for row in leaks["leaks"][:10]]
            for name, listed in zip(("bytes", "objects"), zip(*most)):
                check(self.sum("leak_" + name) == sum(listed), f"leaks: {name}")
        elif "seconds" in totals:
            rows = told("top", "--by", "method", "--limit", "10")["top"]
            check(round(self.sum("method_seconds"), 6) == round(sum(r["seconds"] for r in rows), 6), "methods")
        elif "samples" in totals:
            rows = told("top", "--by", "method", "--limit", "10")["top"]
            check(self.sum("method_samples") == sum(r["samples"] for r in rows), "methods")
        else:
            rows = told("retained", "--by", "type", "--limit", "10")["retained"]
            check(self.sum("type_retained_bytes") == sum(r["retained_bytes"] for r in rows), "types")


class Dot:
    """Reader for a digraph: a statement per line, attributes in brackets, quoted strings."""
    binary, needs = False, None
    VALUE = r'(?:"(?:[^"\\]|\\.)*"|[-0-9.a-z]+)'
    LIST = rf"\[((?:[a-z]+={VALUE}(?:, )?)+)\];"

    def __init__(self, data):
        lines = data.decode().splitlines()
        check(lines[0] == "digraph memprof {" and lines[-1] == "}", "a graph")
        self.nodes, self.edges, self.names = {}, [], set()
        for line in lines[1:-1]:
            parts = re.fullmatch(rf"  ([a-z]+[0-9]*)(?: -> ([a-z]+[0-9]+))? {self.LIST}", line)
            check(parts, f"no statement: {line}")
            given = dict(re.findall(rf"([a-z]+)=({self.VALUE})", parts[3]))
            if parts[2]:
                self.edges.append((parts[1], parts[2]))
            elif parts[1] == "graph":
                self.label = given["label"]
            elif parts[1] not in ("node", "edge"):
                self.nodes[parts[1]] = int(given["own"]), int(given["all"])
                self.names.add(re.sub(r"\\(.)", r"\1", given["tooltip"][1:-1]).replace("&amp;", "&"))
        check(all(a in self.nodes and b in self.nodes for a, b in self.edges), "edges of nodes")
        check("at most the" in self.label, "the label says what was left out")

    def hold(self, told):
        totals = told("analyze")["totals"] | told("leaks").get("totals", {})
        if "seconds" in totals:
            check(sum(own for own, _ in self.nodes.values()) == round(totals["seconds"] * 1e6), "seconds")
            return
        if "samples" in totals:
            check(sum(own for own, _ in self.nodes.values()) == totals["samples"], "samples")
            return
        below = collections.Counter()
        for caller, callee in self.edges:
            below[caller] += self.nodes[callee][1]
        for name, (own, all_) in self.nodes.items():
            check(all_ == own + below[name], f"{name}: {all_} is not {own} and {below[name]}")
        whole = totals.get("leaked_bytes") or totals["live_bytes"]
        check(self.nodes["n0"][1] == whole, f"all are {self.nodes['n0'][1]}, not {whole}")


class Ndjson:
    """Reader for an object per line: the sums of each kind."""
    binary, needs = False, None

    def __init__(self, data):
        self.rows = collections.defaultdict(list)
        check(data.endswith(b"\n"), "the last line")
        for line in data.decode().split("\n")[:-1]:
            pairs = json.loads(line, object_pairs_hook=list)
            row = json.loads(line)
            check(len(pairs) == len(row) and pairs[0][0] == "kind", f"members of {line}")
            self.rows[row["kind"]].append(row)
        self.names = {text for rows in self.rows.values() for row in rows for value in row.values()
                      for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)}

    def sum(self, kind, name):
        return sum(row.get(name, 0) for row in self.rows[kind])

    def hold(self, told):
        totals, rows = self.rows["totals"][0], self.rows
        cost = "samples" if "samples" in totals else "seconds"
        report = told("leaks" if rows["site"] else "analyze" if cost in totals else "snapshots", "--limit", "0")
        check(totals.items() - {("kind", "totals")} <= report["totals"].items(), "totals")
        if cost in totals:
            if not totals.get("partial"):
                check(round(self.sum("line", cost), 6) == totals[cost], f"{cost} of lines")
            return
        listed = told("snapshots", "--limit", "0")["snapshots"]
        check([dict(row, kind=0) for row in rows["snapshot"]] == [dict(row, kind=0) for row in listed], "snapshots")
        if not rows["site"]:
            check(self.sum("object", "self_bytes") == totals["live_bytes"], "objects")
            return
        for name in ("live_objects", "live_bytes", "created_objects", "created_bytes", "deleted_objects",
                     "leaked_objects", "leaked_bytes"):
            if name in totals:  # massif has no numbers of objects
                check(self.sum("site", name) == totals[name], f"{name} of sites")
        check(self.sum("event", "delta_bytes") == totals["live_bytes"], "bytes of events")
        if "created_objects" in totals:
            check(self.sum("event", "created_objects") == totals["created_objects"], "objects of events")
        census = rows["input"][0]["format"] in ("pprof", "gperftools", "ablobjects", "massif", "dhat", "memcheck", "lsan", "heapprofile")  # lists no objects
        for snapshot in [] if census else listed:
            alive = [o["bytes"] for o in rows["object"]
                     if o["from_sequence"] <= snapshot["sequence"] < o.get("until_sequence", 1 << 62)]
            check((len(alive), sum(alive)) == (snapshot["live_objects"], snapshot["live_bytes"]),
                  f"objects at {snapshot['sequence']}")


class Clickhouse:
    """The table of recordings; tests/clickhouse.py checks all tables."""
    binary, needs = False, None

    def __init__(self, data):
        self.rows, self.names = [json.loads(line) for line in data.decode().splitlines()], set()
        check(len(self.rows) == 1 and data.endswith(b"}\n"), "one row")

    def hold(self, told):
        row, totals = self.rows[0], told("analyze", "--limit", "0").get("totals", {})
        shared = set(row) & set(totals) - {"snapshots"}
        check((len(shared) > 1 or shared & {"samples", "seconds"}) and all(row[name] == totals[name] for name in shared), f"totals of {row}")


def up_to_a_snapshot(law):
    """FILE@SNAPSHOT exports exactly the objects of the whole file that were known by then."""
    for name in ("shop-v2.oemp", "shop.taligent"):
        def objects(moment):
            rows = Ndjson(law.run("export", "--to", "ndjson", "-o", "-", "--quiet", f"{SAMPLES / name}{moment}").stdout)
            return rows, [[row.get(key) for key in ("object", "type", "bytes", "born_sequence", "from_sequence",
                                                    "until_sequence")] for row in rows.rows["object"]]
        whole, all_ = objects("")
        for last in [row["sequence"] for row in whole.rows["snapshot"]]:
            wanted = [[*row[:5], row[5] if row[5] is not None and row[5] <= last else None]
                      for row in all_ if row[4] <= last]
            rows, found = objects(f"@{last}")
            law.claim(found == wanted, f"{name}@{last}: {len(found)} objects, expected {len(wanted)}")
            law.claim(rows.rows["snapshot"][-1]["live_objects"] == sum(row[5] is None for row in found),
                     f"{name}@{last}: objects that nothing ends are alive")


READERS = {"heapsnapshot": Heapsnapshot, "trace": Trace, "openmetrics": Openmetrics, "dot": Dot,
           "ndjson": Ndjson, "clickhouse": Clickhouse}
# Samples, by file extension, of which each exporter must write something.
GRAPHS, PROFILES, MEMORY = {".gclog", ".sqlite"}, {".prf", ".folded", ".pb", ".cpuprofile"}, {".oemp", ".taligent", ".sqlite", ".pprof", ".heap", ".heaptrack", ".massif", ".dhat", ".memcheck", ".lsan", ".heapprofile"}
WRITES = {"heapsnapshot": GRAPHS, "trace": MEMORY | GRAPHS | {".prf"},
          "openmetrics": MEMORY | GRAPHS | PROFILES | {".rpt"}, "dot": MEMORY | GRAPHS | PROFILES | {".rpt"},
          "ndjson": MEMORY | GRAPHS | PROFILES | {".rpt"}, "clickhouse": MEMORY | GRAPHS | PROFILES | {".rpt"}}
# Formats whose readers see names unchanged. In others, invisible characters are written like "\\u{202e}".
AS_THEY_ARE = {"heapsnapshot", "trace", "ndjson"}
WITHOUT_NAMES = {"clickhouse"}


# A dump. Roots hold 10 and 30; both hold 40, so neither holds it alone. Nothing holds 50 and 60, although 50
# refers to a held object. 70 has a weak root. Numbers are hexadecimal.
GRAPH = """\
a 2 T.exe 1
t 1 T.Node
t 2 T.Leaf
o 10 1 64 20 30
o 20 1 10 40
o 30 1 20 40
o 40 2 5
o 50 1 7 40 60
o 60 2 3
o 70 2 9
r 10 4 0
r 30 1 0
r 70 3 2
c T.exe 2
"""
RETAINED = {0x10: 100 + 16, 0x20: 16, 0x30: 32, 0x40: 5}


# --- the law ---

class Law(ClaimsOfRuns):
    def __init__(self, program, server):
        super().__init__(program, server)
        self.reports = {}

    def told(self, path):
        def ask(command, *options):
            key = command, path, options
            if key not in self.reports:
                self.reports[key] = self.json(command, path, *options)
            return self.reports[key]
        return ask

    def known(self):
        """Return the exporters that the program lists in its error message."""
        said = self.run("export", "--to", "?", "-o", "-", "x").stderr.decode()
        return set(re.split(", | or ", re.search("expected (.*)", said)[1]))

    def sample(self, format_, path, evil=None):
        what = f"{path.name} as {format_}"
        done = self.run("export", "--to", format_, "-o", "-", "--quiet", path)
        if path.suffix not in WRITES[format_]:
            self.claim(done.returncode == 2 and not done.stdout and
                      re.search(b"cannot be written from|needs a trace", done.stderr),
                      f"{what}: exit {done.returncode}, {done.stderr}")
            return None
        self.claim(done.returncode == 0 and not done.stderr, f"{what}: {done.stderr}")
        try:
            file = READERS[format_](done.stdout)
            file.hold(self.told(path))
        except (AssertionError, KeyError, IndexError, ValueError, TypeError) as why:
            self.claim(False, f"{what}: {type(why).__name__} {why}")
            return None
        self.claim(True, what)
        if evil and format_ not in WITHOUT_NAMES and (format_ != "trace" or path.suffix == ".prf"):  # which has few names from memory
            shown = evil if format_ in AS_THEY_ARE else evil[:evil.index("&")]
            self.claim(any(shown in name for name in file.names), f"{what}: a name is not there")
            unseen = [c for c in "\u202e\u200b\x1b" if c in done.stdout.decode()]
            self.claim(not unseen, f"{what}: {unseen!r} stands there as it is")
        return done.stdout


def graph_by_hand(law, folder):
    path = folder / "hand.gclog"
    path.write_text(GRAPH, encoding="utf-8")
    file = Heapsnapshot(law.sample("heapsnapshot", path) or b"{}")
    file.hold(law.told(path))
    law.claim(file.retained == RETAINED, f"retained by hand: {file.retained}")
    number = {row["id"]: i for i, row in enumerate(file.nodes)}
    law.claim(file.edges[number[0x50]] == [number[0x60]], "what is not held holds nothing that is")
    kinds = {row["name"] for row in file.nodes if row["type"] == "synthetic"}
    law.claim({"(GC roots)", "(local)", "(static)", "(handle)", "(unreachable)"} <= kinds, f"{kinds}")
    path.write_text(GRAPH.replace("o 70", "o 170000000").replace("r 70", "r 170000000"), encoding="utf-8")
    law.reports.clear()
    file = Heapsnapshot(law.sample("heapsnapshot", path) or b"{}")
    law.claim(max(row["id"] for row in file.nodes) == len(file.nodes), "long ids are numbers from 1")
    path.write_text(GRAPH.replace("o 60 2 3", "o 60 2 100000000"), encoding="utf-8")
    done = law.run("export", "--to", "heapsnapshot", path)
    law.claim(done.returncode == 2 and b"object 60 has 4294967296 bytes" in done.stderr and not done.stdout,
             f"an object of 4 GiB: exit {done.returncode}, {done.stderr}")
    path.write_text(GRAPH, encoding="utf-8")
    law.reports.clear()
    return path


def trace_by_hand(law, folder):
    """A line seems to last beyond the start of the next one: it starts at 2.589287 and takes 308 us, and the
    next starts at 2.589495."""
    path, row = folder / "hand.prf", "31 12 0.000208 2.589287"
    text = (SAMPLES / "shop-v4.prf").read_text(encoding="utf-8")
    check(row in text, "the sample has the row")
    path.write_text(text.replace(row, row.replace("208", "308")), encoding="utf-8")
    file = Trace(law.sample("trace", path) or b"{}")
    told = [(e["dur"], e["args"]["seconds"], e["args"]["inclusive_seconds"])
            for e in file.some("X") if e["ts"] == 2589287]
    law.claim(told == [(208, 0.000308, 0.000308)], f"what seems to last too long is cut: {told}")


def samples():
    for path in sorted(SAMPLES.glob("shop*")):
        if path.suffix in MEMORY | GRAPHS | PROFILES | {".rpt"}:
            yield path


def hostile(folder):
    """Return a sample of each format with a name that has a special meaning in some grammar, as far as the
    format allows it."""
    line = EVIL.replace("\n", " ")
    for sample, old, new in (("shop-3.gclog", "Shop.Price", line), ("shop-v4.prf", "placeOrder|compress", line),
                             ("shop-v2.oemp", "OrderService", line), ("shop.taligent", "TOrder", line)):
        if not sample.endswith(".gclog"):
            new = new.replace('"', "'")
        (folder / sample).write_text(re.sub(old, lambda _, name=new: name,
                                            (SAMPLES / sample).read_text(encoding="utf-8")), encoding="utf-8")
        yield folder / sample, new
    target = folder / "shop-aqtime.sqlite"
    shutil.copy(SAMPLES / target.name, target)
    with sqlite3.connect(target) as base:
        for table in ("CLASSES_DATA", "META_CLASSES_DATA"):
            base.execute(f"UPDATE ALLOCATION_PROFILER_{table} SET COL_CLASS_NAME = replace(COL_CLASS_NAME, 'Order', ?)",
                         (EVIL,))
    base.close()
    yield target, EVIL


# --- tools ---

MEMLAB = """
const core = require('@memlab/core'), out = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
(async () => { for (const path of process.argv.slice(1)) {
  const heap = await core.utils.getSnapshotFromFile(path, {buildNodeIdIndex: true, verbose: false}), found = [];
  core.analysis.preparePathFinder(heap);
  heap.nodes.forEach(n => { if (n.type === 'object') found.push([n.id, n.retainedSize]); });
  out(JSON.stringify(found) + '\\n'); } })();
"""

def open_heapsnapshots(law, files, left):
    """One run of node checks all files: the same objects retain the same bytes."""
    folder = pathlib.Path(os.environ.get("MEMPROF_NODE_MODULES", "node_modules"))
    if not (folder / "@memlab/core").is_dir() or not shutil.which("node"):
        left.append("heapsnapshot: node, and @memlab/core below MEMPROF_NODE_MODULES")
        return
    done = subprocess.run(["node", "-e", MEMLAB, *files], capture_output=True, text=True, check=False,
                          env=os.environ | {"NODE_PATH": str(folder.resolve())}, timeout=120)
    lines = done.stdout.splitlines()
    law.claim(len(lines) == len(files), f"memlab: {done.stderr}")
    for path, line in zip(files, lines):
        file = Heapsnapshot(path.read_bytes())
        reached = file.reached()
        wanted = sorted([row["id"], sum(file.nodes[j]["self_size"] for j in reached - file.reached(i))]
                        for i, row in enumerate(file.nodes) if row["type"] == "object" and i in reached)
        ids = {id_ for id_, _ in wanted}
        found = sorted(row for row in json.loads(line) if row[0] in ids)
        law.claim(found == wanted, f"memlab finds {found} in {path.name}, not {wanted}")


def open_with(law, program, format_, files, left):
    if not shutil.which(program):
        left.append(f"{format_}: {program}")
        return
    for path in files:
        command = {"openmetrics": ["promtool", "check", "metrics"], "dot": ["dot", "-Tsvg"],
                   "ndjson": ["jq", "-s", "map(select(.kind == \"totals\")) | length"]}[format_]
        with open(path, "rb") as file:
            done = subprocess.run(command, stdin=file, capture_output=True, check=False)
        law.claim(done.returncode == 0 and not done.stderr, f"{program} of {path.name}: {done.stderr}")
        if format_ == "ndjson":
            law.claim(done.stdout == b"1\n", f"jq of {path.name}: {done.stdout}")
        if format_ == "dot":
            boxes = len(re.findall(b'class="node"', done.stdout))
            law.claim(boxes == len(Dot(path.read_bytes()).nodes), f"dot of {path.name}: {boxes} nodes")


def opened(law, folder):
    left, inputs = [], [*samples(), graph_by_hand(law, folder), *(path for path, _ in hostile(folder))]
    for format_, program in (("heapsnapshot", "node"), ("openmetrics", "promtool"), ("dot", "dot"),
                             ("ndjson", "jq")):
        files = []
        for path in inputs:
            target = folder / f"{len(files)}-{path.name}.{format_}"
            if path.suffix in WRITES[format_]:
                law.run("export", "--to", format_, "-o", target, "--quiet", path)
                files.append(target)
        if format_ == "heapsnapshot":
            open_heapsnapshots(law, files, left)
        else:
            open_with(law, program, format_, files, left)
    return left


# --- what is found out ---

def self_test(law):
    path, found = SAMPLES / "shop-3.gclog", 0
    cases = [("heapsnapshot", b',3,22,1844783,212,', b',3,22,1844783,213,'), ("trace", b'"value":88', b'"value":87'),
             ("openmetrics", b"live_bytes 15268", b"live_bytes 15267"), ("dot", b"own=24, ", b"own=25, "),
             ("ndjson", b'"self_bytes":28', b'"self_bytes":29'), ("openmetrics", b"# EOF\n", b""),
             ("clickhouse", b'"live_bytes":15268', b'"live_bytes":15267'), ("dot", b'"];', b'];'), ("trace", b'"ph":"C"', b'"ph":"Q"')]
    for format_, old, new in cases:
        data = law.run("export", "--to", format_, "-o", "-", "--quiet", path).stdout
        check(old in data, f"{format_} has no {old}")
        try:
            READERS[format_](data.replace(old, new, 1)).hold(law.told(path))
            print(f"{format_}: {new} is not found out")
        except (AssertionError, KeyError, ValueError, IndexError):
            found += 1
    print(f"exporters.py: {found} of {len(cases)} changed files are found out")
    return found != len(cases)


def main():
    parser = argparse.ArgumentParser(description="the law of all exporters")
    parser.add_argument("--memprof", required=True)
    parser.add_argument("--server", help="runs command lines one after the other")
    parser.add_argument("--opened", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    law, left = Law(options.memprof, options.server), []
    if options.self_test:
        return self_test(law)
    with tempfile.TemporaryDirectory() as name:
        if options.opened:
            left = opened(law, pathlib.Path(name))
        else:
            held = set(READERS) | set(getattr(viewers, "FORMATS", ())) | ELSEWHERE
            law.claim(law.known() <= held, f"nothing holds {law.known() - held}")
            graph_by_hand(law, pathlib.Path(name))
            trace_by_hand(law, pathlib.Path(name))
            up_to_a_snapshot(law)
            for format_ in READERS:
                for path in samples():
                    law.sample(format_, path)
                for path, evil in hostile(pathlib.Path(name)):
                    law.sample(format_, path, evil)
    status = law.end()
    if left and not status:
        skip(f"not opened, as it is not installed: {'; '.join(left)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
