#!/usr/bin/env python3
"""Reports of tracked objects and of LeakCheck: totals, sites, snapshots and diagnostics agree with a naive reading of
the same JSON, for made-up reports, truncated and damaged ones, and with the generator's plan."""
import collections
import json
import pathlib
import random
import subprocess
import sys

import claims

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
CORPUS = HERE.parent.parent / "shared" / "corpus" / "living" / "openedge"
SERIES = [SAMPLES / f"shop-objects-{moment}.json" for moment in (1, 2, 3)]
LEAKS = SAMPLES / "shop-leakcheck.json"
GROUPS = {"PROCEDURE": "PROCEDURE", "PLO": "Progress.Lang.Object", "BLOB": "MEMPTR", "WIDGET-POOL": "Widget Pool"}

# --- naive reading ---


def tracked(report):
    """Yield session, site and bytes of each object of a report of tracked objects."""
    for session in report["result"]["ABLOutput"]["ABLObjects"]:
        for one in session["Objects"]:
            yield f"AS-{session['AgentSessionId']}", (one["ObjType"], one.get("Name") or None, one.get("Source") or None,
                                                     one.get("Line") or 0), int(one.get("Size") or 0)


def leaked(report):
    """Yield the same of LeakCheck's report: each object that is created and not deleted later or by its entry `rel`."""
    alive = []
    for one in report["objects"]:
        related = one.get("rel") or []
        related = related if isinstance(related, list) else [related]
        key = one["session"], one["group"], one["type"], one["id"]
        if one["action"] == "CREATE" and not any(other["action"] == "DELETE" for other in related):
            alive.append((key, one))
        elif one["action"] == "DELETE":
            last = max((at for at, (other, _) in enumerate(alive) if other == key), default=None)
            if last is not None:
                del alive[last]
    for _, one in alive:
        group, kind = one["group"], one["type"]
        name = kind if group in ("PROCEDURE", "PLO") else one["pool"] if group == "WIDGET-POOL" else None
        source, _, line = (one["info"] or "").rpartition(" @ ")
        source, line = (source, int(line)) if line.isdigit() else (one["info"], 0)
        yield one["session"], (GROUPS.get(group, kind), name or None, source or None, line), int(one["size"] or 0)


def objects_of(report):
    return list(leaked(report) if "objects" in report else tracked(report))


def label(site):
    """Return the site as memprof names it."""
    kind, name, source, line = site
    return kind, name, f"{source}:{line}" if source and line else source


def sites_of(objects):
    count, size = collections.Counter(), collections.Counter()
    for _, site, number in objects:
        count[label(site)] += 1
        size[label(site)] += number
    return {site: (count[site], size[site]) for site in count}


# --- made-up reports ---

TYPES = ["Progress.Lang.Object", "BUFFER", "MEMPTR", "X-DOCUMENT", "PROCEDURE", "QUERY"]
NAMES = ["", "shop.Order", "Größe", 'a "b" \\ c', "shop/price.p"]
SOURCES = ["", "placeOrder shop.OrderService", "shop/main.p", "über shop.Straße"]


def made_up(chance, sessions):
    """Return a report of tracked objects, in one of the ways to write the same."""
    listed = []
    for session in sessions:
        objects = []
        for _ in range(chance.randrange(30)):
            kind, size = chance.choice(TYPES), chance.choice([0, 0, 816, 1 << 33])
            one = {"Name": chance.choice(NAMES), "ObjType": kind, "HandleId": chance.randrange(1 << 40),
                   "Source": chance.choice(SOURCES), "Line": chance.choice([0, 12, 12, 2147483647]),
                   "Size": chance.choice([size, str(size)]) if size else chance.choice([0, None]), "origRqId": 1}
            items = list(one.items())
            chance.shuffle(items)
            objects.append(dict(items))
        pair = [("AgentSessionId", session), ("Objects", objects)]
        listed.append(dict(pair[:: chance.choice([1, -1])]))
    return {"operation": "GET ABL OBJECTS REPORT", "more": {"x": [1, {"Objects": [1.5e3, True]}]},
            "result": {"ABLOutput": {"ABLObjects": listed}}, "errmsg": ""}


def made_up_leaks(chance, nested):
    """Return a report of LeakCheck with all objects: deletions are entries `rel`, or rows of their own."""
    rows, alive = [], []

    def row(one, action):
        return {**one, "action": action, "rel": None, "info": one["info"] if action == "CREATE" else "end x @ 9"}
    for number in range(chance.randrange(60)):
        if alive and chance.random() < 0.4:
            one = alive.pop(chance.randrange(len(alive)))
            pending, deleted = row(one, "DELETE-PENDING"), row(one, "DELETE")
            if nested:
                next(r for r in rows if r["id"] == one["id"])["rel"] = chance.choice([deleted, [pending, deleted]])
            else:
                rows += [pending, deleted]
            continue
        group = chance.choice(["PROCEDURE", "PLO", "DATA", "XML", "BLOB", "HANDLE", "WIDGET-POOL"])
        one = {"session": chance.choice(["013309 AS-1", "013309 AS-22", "P-024712"]), "group": group,
               "type": {"BLOB": "MEMPTR", "DATA": "BUFFER"}.get(group, "shop.Thing"), "id": str(1000 + number),
               "info": chance.choice(["go shop.X @ 12", "shop/a.p @ 3", "", "(odd)"]), "req": None, "line": number,
               "size": chance.choice([64, 1024]) if group == "BLOB" else None,
               "pool": chance.choice([None, "<Session Pool>", "mine"])}
        alive.append(one)
        rows.append(row(one, "CREATE"))
    sums = {}
    for one in rows:
        group = sums.setdefault(one["group"], {"cnt": 0, "size": 0})
        group["cnt"] += 1
        group["size"] += one["size"] or 0
    return {"filter": chance.choice([None, "Group EQ \"x\""]), "sessions": {}, "groups": sums, "objects": rows}


def text_of(chance, report):
    return json.dumps(report, ensure_ascii=chance.choice([True, False]), indent=chance.choice([None, 1])).encode()


class Laws(claims.ClaimsOfProgram):
    def codes(self, report):
        return {one["code"] for one in report.get("diagnostics", [])}

    def agrees(self, what, path, objects, before=()):
        """Totals and sites of a series; `before` has the objects of earlier reports."""
        report = self.json("leaks", *before, path, "--limit", 0)
        totals = report.get("totals", {})
        size = sum(number for _, _, number in objects)
        self.claim((totals.get("live_objects"), totals.get("live_bytes") or 0) == (len(objects), size), what, totals,
                   len(objects), size)
        here = {}
        for row in self.json("top", *before, path, "--by", "site", "--limit", 0).get("top", []):
            if row["objects"]:
                here.setdefault((row.get("stack") or [None])[0], [0, 0])
                here[(row.get("stack") or [None])[0]][0] += row["objects"]
                here[(row.get("stack") or [None])[0]][1] += row.get("bytes") or 0
        there = {}
        for (_, _, place), (count, bytes_) in sites_of(objects).items():
            there.setdefault(place, [0, 0])
            there[place][0] += count
            there[place][1] += bytes_
        self.claim(here == there, what, "sites", here, there)
        return report

    def leaks_agree(self, what, report, objects):
        """The rows of `leaks` are all sites that were left behind. A row has a name if all of its objects have it."""
        sites = {}
        for _, site, number in objects:
            kind, name, place = label(site)
            row = sites.setdefault((kind, place), [0, 0, set()])
            row[0] += 1
            row[1] += number
            row[2].add(name)
        there = {key: (count, size, names.pop() if len(names) == 1 else None) for key, (count, size, names) in sites.items()}
        here = {(row.get("type"), (row.get("stack") or [None])[0]): (row["objects"], row.get("bytes") or 0, row.get("name"))
                for row in report.get("leaks", [])}
        self.claim(here == there, what, "leaks", {key: (here.get(key), there.get(key)) for key in here.keys() | there.keys()
                                                  if here.get(key) != there.get(key)})

    def random(self, folder):
        for seed in range(40):
            chance = random.Random(seed)
            report = made_up(chance, chance.sample(range(1, 9), chance.randrange(1, 4)))
            path = folder / "made-up.json"
            path.write_bytes(text_of(chance, report))
            answer = self.agrees(f"seed {seed}", path, objects_of(report))
            self.leaks_agree(f"seed {seed}", answer, objects_of(report))
            self.claim(not self.codes(answer), seed, answer.get("diagnostics"))
            report = made_up_leaks(chance, seed % 2)
            path.write_bytes(text_of(chance, report))
            objects = objects_of(report)
            answer = self.agrees(f"LeakCheck {seed}", path, objects)
            self.leaks_agree(f"LeakCheck {seed}", answer, objects)
            self.claim(not self.codes(answer), seed, answer.get("diagnostics"))
            del report["filter"], report["sessions"], report["groups"]
            path.write_bytes(text_of(chance, report))
            if report["objects"]:
                self.agrees(f"LeakCheck {seed}, without sums", path, objects)

    def series(self, folder):
        """Each report is a snapshot of the sessions that it lists. A session that is not in the next report has ended."""
        for seed in range(20):
            chance, paths, reports = random.Random(1000 + seed), [], []
            for moment in range(chance.randrange(2, 5)):
                reports.append(made_up(chance, chance.sample(range(1, 4), chance.randrange(1, 4))))
                paths.append(folder / f"moment-{moment}.json")
                paths[-1].write_bytes(text_of(chance, reports[-1]))
            self.agrees(f"series {seed}", paths[-1], objects_of(reports[-1]), paths[:-1])
            rows = self.json("snapshots", *paths, "--limit", 0)["snapshots"]
            here = {(row["session_id"] if "session_id" in row else None, row["sequence"]):
                    (row["live_objects"], row.get("live_bytes") or 0) for row in rows}
            sessions = {row[0] for row in here}
            for moment, report in enumerate(reports, 1):
                for session in sessions:
                    mine = [number for name, _, number in objects_of(report) if name == session or session is None]
                    found = here.get((session, moment))
                    self.claim(found is None and not mine or found == (len(mine), sum(mine)), seed, moment, session, found,
                               len(mine), sum(mine))

    def plan(self):
        """Totals and leaks of the samples, each as the last report of its series."""
        for paths in (SERIES[:1], SERIES[:2], SERIES, [LEAKS]):
            answer = json.loads((SAMPLES / "answers" / f"{paths[-1].name}.json").read_text(encoding="utf-8"))
            report = self.json("leaks", *paths, "--limit", 0)
            for name, value in answer["totals"].items():
                self.claim(report["totals"].get(name) == value, paths[-1].name, name, report["totals"], value)
            self.agrees(paths[-1].name, paths[-1], objects_of(json.loads(paths[-1].read_text(encoding="utf-8"))), paths[:-1])
            rows = sorted((row["kind"], row["type"], row.get("name") or "", row["objects"], row.get("bytes", 0), row["stack"],
                           row["line"]) for row in report["leaks"])
            plan = sorted((row["kind"], row["type"], row.get("name") or "", row["objects"], row.get("bytes", 0), row["stack"],
                           row["line"]) for row in answer["leaks"])
            self.claim(rows == plan, paths[-1].name, rows, plan)

    def answers(self, folder):
        """Limits judge objects; bytes limit nothing while sizes are unknown. A folder has one series."""
        policy = folder / "a.policy"
        for limit, status in ((70, 0), (69, 1)):
            policy.write_text(f"leaked objects <= {limit}\n")
            self.claim(self.run("gate", policy, *SERIES).returncode == status, "gate", limit)
        self.claim(self.run("leaks", *SERIES, "--max-leaked", "1G").returncode == 3, "a limit in bytes passes")
        self.claim(self.run("leaks", *SERIES[:2], "--max-trend", "0").returncode == 3, "two reports are too few to judge")
        place = folder / "series"
        place.mkdir()
        for number, path in enumerate(SERIES):
            (place / f"at-{number}.json").write_bytes(path.read_bytes())
        whole, alone = self.json("leaks", place, "--limit", 0), self.json("leaks", *SERIES, "--limit", 0)
        self.claim(whole["leaks"] == alone["leaks"], "folder", whole["leaks"], alone["leaks"])
        done = subprocess.run([self.program, "leaks", "-", "--format", "json"], input=SERIES[2].read_bytes(),
                              capture_output=True, check=False)
        self.claim(json.loads(done.stdout)["leaks"] == self.json("leaks", SERIES[2])["leaks"], "pipe", done.stderr)
        for words in (["growth", *SERIES], ["top", *SERIES], ["snapshots", *SERIES], ["tree", *SERIES], ["trend", *SERIES],
                      ["diff", SERIES[0], SERIES[2]], ["info", *SERIES], ["check", *SERIES], ["check", LEAKS],
                      ["flame", *SERIES, "-o", folder / "f.svg"],
                      ["sql", "select count(*) from sites", *SERIES]):
            done = self.run(*words)
            self.claim(done.returncode in (0, 1) and (done.stdout or "-o" in words), words, done.stderr)

    def odd(self, folder):
        """Each peculiarity has its diagnostic, and the documented effect."""
        path = folder / "odd.json"

        def check(what, report, code, objects, size=None):
            path.write_text(report if isinstance(report, str) else json.dumps(report), encoding="utf-8")
            answer = self.json("leaks", path, "--limit", 0)
            totals = answer.get("totals", {})
            self.claim(objects in (None, totals.get("live_objects")) and size in (None, totals.get("live_bytes") or 0), what, totals)
            self.claim(code in self.codes(answer) if code else not self.codes(answer), what, answer.get("diagnostics"))

        def sessions(*listed):
            return {"operation": "GET ABL OBJECTS REPORT", "result": {"ABLOutput": {"ABLObjects": list(listed)}}}

        def session(*objects, **more):
            return {"AgentSessionId": 4, "Objects": list(objects), **more}
        good = {"ObjType": "MEMPTR", "Source": "a b.p", "Line": 7, "Size": 64}
        check("good", sessions(session(good)), None, 1, 64)
        check("no objects", sessions(session()), None, 0, 0)
        check("no session", sessions(), "empty-profile", 0)
        check("no operation", {"result": sessions(session(good))["result"]}, None, 1, 64)
        check("names in lower case", sessions(session(
            {name.lower(): value for name, value in good.items()})), None, 1, 64)
        check("a session in two parts", sessions(session(good), session(good)), None, 2, 128)
        check("objects are null", sessions({"AgentSessionId": 4, "Objects": None}), None, 0)
        check("no id", sessions({"Objects": [good]}), "bad-row", 1, 64)
        check("other members", sessions(session({**good, "x": [{"y": "]"}]}, y={"z": 1})), None, 1, 64)
        for name, value in (("Line", -1), ("Line", 1 << 31), ("Line", "x"), ("Size", -5), ("Size", 1 << 63), ("Size", 1.5),
                            ("Size", 1 << 70), ("Size", True), ("ObjType", None), ("ObjType", "")):
            check(f"{name} {value}", sessions(session({**good, name: value}, good)), "bad-row", 1, 64)
        check("sum", sessions(session(*[{**good, "Size": 1 << 61}] * 9)), "bad-row", None)
        check("many sessions", sessions(*({"AgentSessionId": n, "Objects": [good]} for n in range(5000))), "bad-row", 4096)
        row = {"session": "1 AS-1", "group": "BLOB", "type": "MEMPTR", "id": "0x1", "info": "a b.p @ 7", "size": 64,
               "pool": None, "action": "CREATE", "rel": None}
        sums = {"BLOB": {"cnt": 1, "size": 64}}

        def leak(*rows, groups=sums):
            return {"filter": None, "sessions": {}, "groups": groups, "objects": list(rows)}
        check("leak", leak(row), None, 1, 64)
        check("other sums", leak(row, row), "class-figures", 2, 128)
        check("other bytes", leak({**row, "size": 63}), "class-figures", 1, 63)
        check("nothing left", leak({**row, "rel": {"action": "DELETE"}}), None, 0, 0)
        check("pending", leak({**row, "rel": {"action": "DELETE-PENDING"}}), None, 1, 64)
        check("an older object", leak({**row, "action": "DELETE"}), "older-objects", 0)
        check("action", leak({**row, "action": "DROP"}), "bad-row", 0)
        check("no leaks", leak(groups={}), None, 0, 0)

    def refused(self, folder):
        path = folder / "refused.json"
        head = '{"operation":"GET ABL OBJECTS REPORT",'
        for what, text, word in (
                ("failed", head + '"outcome":"FAILED","result":{"ABLReturnVal":false},"errmsg":"no such agent"}',
                 "no such agent"),
                ("off", head + '"result":{"ABLReturnVal":false},"errmsg":""}', "ABLObjects/status"),
                ("cut", head + '"result":{"ABLOutput":{"ABLObj', "list of objects"),
                ("malformed", head + '"result":]}', f"malformed at byte {len(head) + 9}"),
                ("NUL in what is skipped", head + '"a":[\0],"result":]}', f"malformed at byte {len(head) + 5}"),
                ("NUL in a string", head + '"a":"\0","result":[]}', f"malformed at byte {len(head) + 5}"),
                ("a string without its quote", head + '"a":"\n,"result":[]}', f"malformed at byte {len(head) + 6}"),
                ("sums only", '{"filter":null,"sessions":{"x":{"cnt":1}},"groups":{}}', "PrintDetailData"),
                ("deep", head + '"a":' + '{"a":' * 100000, "list of objects"),
                ("other", '{"objects":[{"name":"x"}]}', "looks like a JSON document"),
                ("array", '["GET ABL OBJECTS REPORT"]', "looks like a JSON document")):
            path.write_text(text, encoding="utf-8")
            done = self.run("leaks", path)
            self.claim(done.returncode == 3 and word in done.stderr, what, done.returncode, done.stderr)

    def cut(self, folder):
        """A truncated report uses the objects before its end and passes no limit. A damaged one causes no crash."""
        policy, path = folder / "cut.policy", folder / "cut.json"
        policy.write_text("leaked objects <= 1000\n")
        for source in (SERIES[0], LEAKS):
            data = source.read_bytes().rstrip()
            for length in list(range(1, len(data), 397)) + list(range(len(data) - 5, len(data))):
                path.write_bytes(data[:length])
                self.claim(self.run("gate", policy, path).returncode == 3, source.name, length, "passes")
                alive = self.json("leaks", path).get("totals", {}).get("live_objects", 0)
                lines = [line.strip() for line in data[:length].splitlines()]  # each object is on a line of its own
                complete = sum(line.startswith(b'{"') and line.endswith((b"}", b"},")) for line in lines)
                self.claim(alive == complete, source.name, length, alive, complete)
            for at in range(0, len(data), 401):
                path.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:])
                self.claim(self.run("leaks", path).returncode in (0, 3), source.name, at)

    def corpus(self):
        """Synthetic reports of known truth, one of them in the layout of the vendor's class."""
        paths = [CORPUS / f"tracking-{moment}.json" for moment in (1, 2, 3)]
        for moment, path in enumerate(paths, 1):
            report = self.agrees(path.name, path, objects_of(json.loads(path.read_text(encoding="utf-8"))), paths[:moment - 1])
            self.claim((report["totals"]["live_objects"], report["totals"]["live_bytes"]) ==
                       (60 + 26 * moment, 20480 * moment), path.name, report["totals"])
        self.claim(report["leaks"][0]["name"] == "shop.Session" and report["leaks"][0]["objects"] == 60 and
                   report["leaks"][0]["kind"] == "leak", report["leaks"][0])
        grown = [self.json("leaks", *paths[:moment])["leaks"] for moment in (1, 2, 3)]
        self.claim([next(row["objects"] for row in rows if row.get("name") == "shop.Session") for rows in grown] ==
                   [20, 40, 60], "shop.Session", grown)
        first = self.run("analyze", *paths, "--quiet").stdout.splitlines()[3]
        self.claim("Worst leak" in first and "shop.Session at placeOrder shop.OrderService:144, " in first,
                   first)
        path = CORPUS / "leakcheck.json"
        report = self.agrees(path.name, path, objects_of(json.loads(path.read_text(encoding="utf-8"))))
        self.claim((report["totals"]["live_objects"], report["totals"]["live_bytes"]) == (300, 51200), report["totals"])
        groups = {row["key"]: row["objects"] for row in self.json("top", path, "--by", "type")["top"]}
        self.claim(groups == {"PROCEDURE": 200, "MEMPTR": 50, "X-DOCUMENT": 50}, groups)
        log = self.json("leaks", CORPUS / "agent-dynobjects.log.gz", "--limit", 0)
        same = [[(row["type"], row.get("name"), row["stack"], row["objects"], row.get("bytes")) for row in one["leaks"]]
                for one in (report, log)]
        self.claim(sorted(map(str, same[0])) == sorted(map(str, same[1])), "the log itself", same)


STEPS = ["plan", "random", "series", "answers", "odd", "refused", "cut"]

if __name__ == "__main__":
    sys.exit(claims.main_of(Laws, "Reports of tracked objects and of LeakCheck.", STEPS, 700, CORPUS, needs_corpus=False))
