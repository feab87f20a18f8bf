#!/usr/bin/env python3
"""Logs of dynamic objects. For samples and generated logs, reports agree with the generator's plan and with the
vendor's rules (oracle/dynobjects.py). Logs that are truncated, damaged or rotated are tested too."""
import collections
import gzip
import json
import pathlib
import random
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "oracle"))
import claims  # noqa: E402
import dynobjects as oracle  # noqa: E402

SAMPLES = HERE.parent / "samples"
PARTS = ["shop.000001.agent.log", "shop.000002.agent.log"]
CORPUS = HERE.parent.parent / "shared" / "corpus" / "living" / "openedge"
LOGS = 60
TYPES = ["PROCEDURE", "Progress.Lang.Object", ".NET Object", "BUFFER", "QUERY", "TEMP-TABLE", "X-DOCUMENT", "SOCKET"]
PLACES = ["fill shop.Cache @ 12", "tt.p @ 16", "main shop/app.p @ 3", "a.p Line 7", "run b.w Line 9", " @ 0"]
NOISE = ["QRYINFO        Query Plan: x", "4GLMESSAGE     a message (12)", "4GLTRACE       Run a.p [x - b.p @ 3]"]


def made_up(seed):
    """Return a log with every kind of entry, with one to three sessions, and with handles that are reused."""
    rng = random.Random(seed)
    agent, lines, us = rng.random() < 0.5, [], 30_000_000
    sessions = rng.randint(1, 3) if agent else 1
    for _ in range(rng.randint(20, 400)):
        us += rng.randint(0, 40_000)
        clock = f"08:{us // 60_000_000:02}:{us // 1_000_000 % 60:02}.{us // 1000 % 1000:03}"
        number = rng.randint(1, sessions)
        request = rng.choice(["?:?:?", f"ROOT:w:{us // 200_000:08x}"])
        head = (f"2026-03-02T{clock}+0100 000{number % 2 + 41} 013326 2 AS-{number} {request} " if agent else
                f"[26/03/02@{clock}+0100] P-024712 T-002860 2 4GL ")
        kind, handle, place = rng.choice(TYPES), rng.randint(1, 12), rng.choice(PLACES)
        more = {"BUFFER": " Table:Order", "QUERY": " Name: q1"}.get(kind, "")
        if kind in TYPES[:3]:
            more = f" shop.C{handle % 3}"
        entry = f"Handle:{handle} ({place})"
        roll = rng.random()
        if roll < 0.3:
            pool = rng.choice(["", " Pool:<Session Pool>", " Pool:<unnamed> FROM shop.Cache"])
            implicit = " IMPLICIT" if rng.random() < 0.1 else ""
            text = f"DYNOBJECTS     Created        {kind:<23} {entry}{implicit}{more}{pool}"
        elif roll < 0.5:
            action = rng.choice(["Deleted", "Deleted-by-GC"])
            text = f"DYNOBJECTS     {action:<14} {kind:<23} {entry}{rng.choice(['', ' POOLDEL'])}"
        elif roll < 0.6:
            text = (f"DYNOBJECTS     Allocated   {rng.choice(['MEMPTR', 'LONGCHAR/MEMPTR'])} 0x7F{handle:06X} "
                    f"size: {rng.randint(0, 5000)} ({place})")
        elif roll < 0.7:
            text = f"DYNOBJECTS     Deallocated {rng.choice(['MEMPTR', 'LONGCHAR'])} 0x7F{handle:06X} size: 12"
        elif roll < 0.8:
            text = rng.choice([f"DYNOBJECTS     Cached         {kind:<23} {entry}",
                               f"DYNOBJECTS     Purged         {kind:<23} {entry}",
                               f"DYNOBJECTS     Delete Pending {kind:<23} {entry}",
                               "DYNOBJECTS     Creating pool  <unnamed> (a.p @ 3)",
                               "DYNOBJECTS     Deleting pool  p1 (a.p @ 3) FROM a.p",
                               f"DYNOBJECTS     Created        MEMPTR Handle:0 ({place})"])
        elif roll < 0.9:
            text = rng.choice(NOISE)
        else:
            lines.append("  a message goes on (x @ 1) Handle:3")
            continue
        lines.append(head + text)
    return ("\n".join(lines) + "\n").encode()


class Laws(claims.ClaimsOfProgram):
    def __init__(self, program, generate):
        super().__init__(program)
        self.generate = generate

    def left(self, report):
        """Return the remaining objects by type and place, as the oracle has them."""
        sums = collections.defaultdict(lambda: [0, 0])
        for row in report.get("leaks", []):
            key = row["type"], row["stack"][0] if row["stack"] else "(session)"
            sums[key][0] += row["objects"]
            sums[key][1] += row.get("bytes", 0)
        return sorted([*key, *sums[key]] for key in sums)

    def agrees(self, what, expected, *paths):
        report = self.json("leaks", *paths, "--limit", 0)
        totals = report.get("totals", {})
        self.claim(totals.get("created_objects", 0) == expected["created"], what, "created", totals, expected)
        self.claim(totals.get("deleted_objects", 0) == expected["deleted"], what, "deleted", totals, expected)
        self.claim(self.left(report) == expected["left"], what, "left", self.left(report), expected["left"])
        return report

    def plan(self, path, answer):
        """The report agrees with the generator's plan, and distinguishes leaks from caches."""
        report = self.json("leaks", path, "--limit", 0)
        for name, number in answer["totals"].items():
            self.claim(report["totals"].get(name) == number, path, name, report["totals"].get(name), number)
        rows = [{name: row.get(name) for name in planned} for row, planned in zip(report["leaks"], answer["leaks"])]
        self.claim(rows == answer["leaks"] and len(report["leaks"]) == len(rows), path, rows, answer["leaks"])

    def samples(self, folder):
        for name in ("shop.agent.log", "shop-client.lg"):
            self.plan(SAMPLES / name, json.loads((SAMPLES / "answers" / f"{name}.json").read_text()))
            self.agrees(name, oracle.report((SAMPLES / name).read_bytes()), SAMPLES / name)
        whole = self.json("analyze", SAMPLES / "shop.agent.log", "--limit", 0)
        for parts in (PARTS, PARTS[::-1]):
            report = self.json("analyze", *(SAMPLES / part for part in parts), "--limit", 0)
            for table in ("totals", "leaks", "top", "growth", "verdict"):
                self.claim(report[table] == whole[table], parts, "differ from the whole in", table)
        for options in (["--requests", 400, "--sessions", 7, "--trace"], ["--requests", 3000],
                        ["--layout", "client", "--requests", 500, "--trace"]):
            log, answer = folder / "made.agent.log", folder / "made.json"
            subprocess.run([self.generate, "dynobjects", *map(str, options), "--answer", answer, "-o", log],
                           check=True)
            self.plan(log, json.loads(answer.read_text()))

    def first_line(self):
        """The first line names the worst leak, its line and its request."""
        text = self.run("analyze", *(SAMPLES / part for part in PARTS), "--quiet").stdout
        line = next((line for line in text.splitlines() if "Worst leak" in line), "")
        for word in ("shop.OrderEvent", "placeOrder shop.OrderService:155", "in requests such as ROOT:w:0000"):
            self.claim(word in line, line, "does not say", word)

    def random(self, folder):
        for seed in range(LOGS):
            data, path = made_up(seed), folder / f"{seed}.log"
            path.write_bytes(data)
            self.agrees(f"log {seed}", oracle.report(data), path)
            cut = random.Random(seed).randrange(len(data))
            path.write_bytes(data[:cut])
            expected = oracle.report(data[:cut])
            if expected["created"] or expected["deleted"]:
                self.agrees(f"log {seed} cut at {cut}", expected, path)
            lines = data.splitlines(keepends=True)
            at = random.Random(-seed).randrange(1, len(lines))
            for number, part in enumerate((lines[at:], lines[:at])):
                (folder / f"{number}.agent.log").write_bytes(b"".join(part))
            if oracle.HEAD.match(lines[0].decode()) and oracle.HEAD.match(lines[at].decode()) and len(
                    {line.split()[1] for line in lines if oracle.HEAD.match(line.decode())}) == 1:
                self.agrees(f"log {seed} rotated at {at}", oracle.report(data), folder / "0.agent.log",
                            folder / "1.agent.log")

    def damaged(self, folder):
        """A damaged entry is reported with what was expected, and does not count."""
        head, path = "[26/03/02@08:15:30.250+0100] P-000001 T-000002 2 4GL DYNOBJECTS     ", folder / "bad.log"
        good = f"{head}Created        QUERY                   Handle:5 (a.p @ 1)\n"
        for text in ("Created        QUERY                   Handle:x (a.p @ 1)", "Created        QUERY",
                     "Created        QUERY                   Handle:6 (a.p", "Vanished       QUERY  Handle:6 (a.p @ 1)",
                     "Created        QUERY                   Handle:6 (a.p @ x)",
                     "Allocated   MEMPTR 0xZZ size: 12 (a.p @ 1)", "Allocated   MEMPTR 0x12 size: big (a.p @ 1)",
                     "Allocated   MEMPTR 0x1234567890123 size: 12 (a.p @ 1)", "Created", ""):
            path.write_text(good + head + text + "\n")
            done = self.run("check", path)
            self.claim(done.returncode == 1 and "bad.log:2" in done.stdout and "expected" in done.stdout, text,
                       done.stdout, done.stderr)
            self.claim(self.json("leaks", path)["totals"]["created_objects"] == 1, text, "counts")
        path.write_text(f"{good[8:]}{good}")
        self.claim("bad.log:1" in self.run("check", path).stdout, "a head that is cut off is not told")
        path.write_text(good.replace("DYNOBJECTS", "QRYINFO   "))
        done = self.run("leaks", path)
        self.claim(done.returncode == 3 and "DynObjects" in done.stderr, done.stderr)

    def bytes_limit_nothing(self, folder):
        """Without sizes, limits in bytes cannot pass; rules about objects are judged."""
        log, policy = folder / "leak.log", folder / "leak.policy"
        log.write_text("".join(
            f"[26/03/02@08:15:{at:02}.250+0100] P-000001 T-000002 2 4GL DYNOBJECTS     Created        QUERY  Handle:{at} "
            "(a.p @ 1)\n" for at in range(20)))
        self.claim(self.run("leaks", log, "--max-leaked", "1M").returncode == 3, "bytes limit objects without size")
        for limit, status in ((20, 0), (19, 1)):
            policy.write_text(f"leaked objects <= {limit}\n")
            self.claim(self.run("gate", policy, log).returncode == status, "leaked objects <=", limit)

    def memory(self, folder):
        """Memory use depends on live objects, not on the length of the log."""
        peaks = []
        for requests in (2500, 10000):
            log = folder / "long.agent.log"
            subprocess.run([self.generate, "dynobjects", "--requests", str(requests), "-o", log], check=True)
            with open(folder / "out", "wb") as out:
                process = subprocess.Popen([self.program, "top", log, "--quiet"], stdout=out)
                peaks.append(os_wait(process))
        self.claim(peaks[1] < 1.5 * peaks[0] + 4096, "memory grows from", peaks[0], "to", peaks[1], "KiB")

    def corpus(self):
        """The real logs agree with their README and with their LeakCheck report, if they are available."""
        truth = json.loads((CORPUS / "leakcheck.json").read_text())
        groups = collections.Counter(), collections.Counter()
        for name in ("agent-dynobjects.log.gz", "client-dynobjects.log.gz"):
            report = self.agrees(name, oracle.report((CORPUS / name).read_bytes()), CORPUS / name)
            totals = report["totals"]
            self.claim((totals["created_objects"], totals["deleted_objects"], totals["leaked_objects"],
                        totals["leaked_bytes"]) == (1320, 1020, 300, 51200), name, totals)
            self.claim(report["verdict"]["worst"]["name"] == "shop/price.p", name, report["verdict"])
        for row in report["leaks"]:
            group = {"MEMPTR": "BLOB", "X-DOCUMENT": "XML"}.get(row["type"], row["type"])
            groups[0][group] += row["objects"]
            groups[1][group] += row.get("bytes", 0)
        self.claim({name: {"cnt": groups[0][name], "size": groups[1][name]} for name in groups[0]} == truth["groups"],
                   groups, truth["groups"])
        parts = [CORPUS / f"agent-trace.00000{number}.log.gz" for number in (2, 1)]
        report = self.agrees("trace", oracle.report(*(gzip.decompress(part.read_bytes()) for part in parts)), *parts)
        self.claim(report["leaks"][0]["stack"] == ["placeOrder shop.OrderService:155", "shop/placeOrder.p:12",
                                                   "web/handler.p:40"], report["leaks"][0])


def os_wait(process):
    """Return the peak resident memory of a child in KiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    process.wait()
    return max(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, before)


STEPS = ["memory", "samples", "first_line", "random", "damaged", "bytes_limit_nothing"]

if __name__ == "__main__":
    sys.exit(claims.main_of(Laws, "Logs of dynamic objects against the vendor's rules.", STEPS, 200, CORPUS,
                            needs_corpus=False, programs=("memprof", "generate")))
