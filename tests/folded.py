#!/usr/bin/env python3
"""Folded stacks: reports agree with a naive reading of made-up ones, with the generator's plan, and with those of a
program of known content (../shared, skipped without it); what `memprof flame --format folded` writes reads back the
same. Samples are never called times, and no limit on times passes. Truncated, damaged and other files are refused or
reported."""
import collections
import csv
import io
import json
import pathlib
import random
import re
import sys

import claims

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
CORPUS = HERE.parent.parent / "shared" / "corpus" / "living" / "cpp"
DEEPEST = 4096


def code(frame):
    """Return the name, program and line of a frame."""
    frame = frame.replace("\\x3b", ";")
    marked = re.fullmatch(r"(.+)_\[([kwij01])\]", frame, re.S)
    if marked:
        name, program, line = marked.group(1), "", None
        if marked.group(2) == "k":
            return name, "[kernel]", None
        frame = name
    found = re.fullmatch(r"(.*?):(\d+)", frame)
    if found:
        return found.group(1), "", int(found.group(2))
    found = re.fullmatch(r"(.*) \(([^()]*):(\d+)\)", frame)
    if found:
        return found.group(1), found.group(2), int(found.group(3))
    return frame or "[unknown]", "", None


def naive(text):
    """Return the samples by stack, outermost frame first."""
    sums = collections.Counter()
    for line in text.replace("\r\n", "\n").split("\n"):
        if line and not line.startswith("# "):
            stack, count = re.fullmatch(r"(.*?)\s+(\d+)(?:\.0*)?", line).groups()
            sums[tuple(map(code, stack.split(";")[-DEEPEST:]))] += int(count)
    return +sums


def methods_of(sums):
    """Return the samples of each method: its own, and with those that it calls."""
    rows = collections.defaultdict(lambda: [0, 0])
    for stack, count in sums.items():
        rows[stack[-1][:2]][0] += count
        for method in {frame[:2] for frame in stack}:
            rows[method][1] += count
    return {method: tuple(row) for method, row in rows.items()}


def made_up(seed):
    rng = random.Random(seed)
    names = ["main", "f(int)", "std::map<A, B>::at(A const&)", "a b", "work (app.py:12)", "work (app.py:13)",
             "java/lang/Thread.run_[j]", "java/lang/Thread.run_[0]", "sys_read_[k]", "read_it", "inlined_[i]", "",
             "Ünï \"q\" \\ x", "block in <main> - a.rb:7", "semi\\x3bcolon", "x" * 300, "thread (0x7F12)", "[libc.so.6]"]
    lines = []
    for _ in range(rng.randint(1, 80)):
        stack = ";".join(rng.choice(names) for _ in range(rng.choice((1, 2, 3, 9, 40))))
        if stack.strip(";"):
            lines.append(f"{stack}{rng.choice((' ', '  '))}{rng.choice((0, 1, 3, 10**6, rng.randint(1, 999)))}"
                         f"{rng.choice(('', '', '.0'))}")
    lines.insert(0, "main;f(int) 3")
    if rng.random() < 0.3:
        lines.insert(rng.randrange(len(lines)), "# recorded by hand")
        lines.insert(rng.randrange(len(lines)), "")
    end = rng.choice(("\n", "\n", "\r\n"))
    return end.join(lines) + end


class Laws(claims.ClaimsOfProgram):
    def write(self, path, text):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def agrees(self, what, path, sums, *more):
        """Totals, methods, lines, calls and stacks are those of a naive reading."""
        total, methods = sum(sums.values()), methods_of(sums)
        report = self.json("top", path, "--by", "method", "--limit", 0, *more)
        self.claim(report["totals"]["samples"] == total, what, report["totals"], total)
        found = {(row["method"], row.get("program", "")): (row["samples"], row["inclusive_samples"])
                 for row in report["top"]}
        self.claim(found == methods, what, found, methods)
        self.claim([row["samples"] for row in report["top"]] == sorted((own for own, _ in methods.values()), reverse=True),
                   what, "order")
        lines = collections.Counter()
        for stack, count in sums.items():
            lines[stack[-1]] += count
        rows = json.loads(self.run("sql", "select * from lines", path, "--format", "json", "--quiet", "--limit", "0").stdout)["rows"]
        found = {(row["method"], row.get("program") or "", row.get("line")): row["samples"] for row in rows}
        self.claim(found == lines and not any(row.get("seconds") or row.get("calls") for row in rows), what, found, lines)
        tree = self.json("tree", path, "--limit", 0, "--min-percent", 0, "--depth", 0)["tree"]
        self.claim(sum(row["own_samples"] for row in tree) == total, what, "tree")
        stacks = collections.Counter()
        for stack, count in sums.items():
            stacks[tuple(f"{name} {program}".strip() for name, program, _ in stack)] += count
        folded = self.run("flame", path, "--format", "folded", "--quiet").stdout
        if max(map(len, sums)) < 500:
            found = collections.Counter()
            for line in folded.splitlines():
                stack, count = line.rsplit(" ", 1)
                found[tuple(frame.replace("\\x3b", ";") for frame in stack.split(";"))] += int(count)
            self.claim(found == stacks, what, found, stacks)

    def times(self, what, path):
        """No answer calls samples seconds, microseconds or calls."""
        for words in (["analyze"], ["top", "--by", "line"], ["top", "--by", "module"], ["tree"], ["flame"], ["treemap"],
                      ["calls"], ["info"], ["diff", path], ["trend", path]):
            report = self.run(*words, path, "--format", "json", "--quiet").stdout
            names = set(re.findall(r'"(\w*(?:seconds|_us|calls|average))": ?[\d.]', report))
            self.claim(not names, what, words, names)
            shown = self.run(*words, path, "--quiet").stdout
            self.claim(not re.search(r"\b(seconds|Time|Average|microseconds|\d+ calls?)\b", shown), what, words, shown)
        for form, word in (("callgrind", "events: Samples"), ("dot", "samples:"), ("openmetrics", "memprof_samples "),
                           ("ndjson", '"samples"')):
            text = self.run("export", "--to", form, path, "--quiet").stdout
            self.claim(word in text and not re.search("(?i)seconds", text), what, form, text)
        speedscope = json.loads(self.run("flame", path, "--format", "speedscope").stdout)
        self.claim(speedscope["profiles"][0]["unit"] == "none", what, speedscope["profiles"][0]["unit"])

    def limits(self, folder):
        """A rule about times is not judged; one about samples is."""
        path, policy = self.write(folder / "a.folded", "main;work 12\nmain;idle 3\n"), folder / "a.policy"
        for rule, status in (("seconds <= 100", 3), ("seconds >= 0", 3), ("calls <= 5", 3), ("coverage >= 0 %", 3),
                             ("samples <= 15", 0), ("samples <= 14", 1), ('samples of method "work" <= 11', 1),
                             ('samples of method "work" <= 12', 0), ("leaked <= 1", 3), ("live <= 1", 3)):
            policy.write_text(rule + "\n")
            done = self.run("gate", policy, path)
            self.claim(done.returncode == status, rule, done.returncode, done.stdout)
        policy.write_text("samples <= base\nno new method\n")
        self.claim(self.run("gate", policy, "--base", path, path).returncode == 0, "its own base")
        worse = self.write(folder / "b.folded", "main;work 13\nmain;idle 3\nmain;new 1\n")
        self.claim(self.run("gate", policy, "--base", path, worse).returncode == 1, "more samples")
        times = SAMPLES / "shop-v3.prf"
        self.claim(self.run("gate", policy, "--base", times, path).returncode == 3, "a base of times")
        self.claim(self.run("diff", times, path).returncode == 2, "times compared with samples")
        self.claim("mixed-inputs" in self.run("top", times, path).stderr, "times and samples together")
        store = folder / "store"
        self.claim(self.run("baseline", "save", "--store", store, path).returncode == 0, "saved")
        saved = (store / "a.baseline").read_text()
        self.claim('"samples":15' in saved and "_us" not in saved, saved)
        self.claim(self.run("baseline", "check", "--store", store, path).returncode == 0, "checked")
        back = self.json("diff", store / "a.baseline", worse)["totals"]
        self.claim((back["base"]["samples"], back["new"]["samples"]) == (15, 17), back)

    def made(self, folder):
        for seed in range(60):
            text = made_up(seed)
            path = self.write(folder / "made.folded", text)
            self.agrees(seed, path, naive(text))
            done = self.run("analyze", path)
            self.claim(not re.search("warning|error", done.stderr), seed, done.stderr)
        text = "main;" + ";".join(f"f{i % 9}" for i in range(6000)) + " 7\nmain 1\n"
        path = self.write(folder / "deep.folded", text)
        self.agrees("deep", path, naive(text))
        self.claim("cut-stacks" in self.run("top", path).stderr, "deep")
        first, second = made_up(100), made_up(101)
        one, other = self.write(folder / "1.folded", first), self.write(folder / "2.folded", second)
        report = self.json("top", one, other, "--by", "method", "--limit", 0)
        found = {(row["method"], row.get("program", "")): (row["samples"], row["inclusive_samples"])
                 for row in report["top"]}
        self.claim(found == methods_of(naive(first) + naive(second)), "two files add up", found)

    def plan(self):
        path = SAMPLES / "shop.folded"
        answer = json.loads((SAMPLES / "answers" / "shop.folded.json").read_text())
        self.agrees("plan", path, naive(path.read_text()))
        report = self.json("top", path, "--by", "method", "--limit", 0)
        self.claim(report["totals"]["samples"] == answer["totals"]["samples"], report["totals"])
        self.claim({(row["method"], row.get("program"), row["samples"], row["inclusive_samples"])
                    for row in report["top"]} ==
                   {(row["method"], row.get("program"), row["samples"], row["inclusive_samples"])
                    for row in answer["methods"]}, report["top"])
        self.times("plan", path)
        rows = list(csv.DictReader(io.StringIO(self.run("top", path, "--by", "method", "--format", "csv").stdout)))
        self.claim(sum(int(row["samples"]) for row in rows) == 850, rows)

    def bytes(self, what, path, sums):
        """As bytes, the stacks are a heap whose sites have them."""
        words = "--input-format", "folded-bytes", "--limit", 0
        report = self.json("top", path, "--by", "site", *words)
        self.claim(report["totals"]["live_bytes"] == sum(sums.values()), what, report["totals"])
        self.claim("live_objects" not in report["totals"], what, report["totals"])
        sites = collections.Counter()
        for stack, count in sums.items():
            sites[tuple(name if line is None else f"{name}:{line}" for name, _, line in reversed(stack))] += count
        found = collections.Counter()
        for row in report["top"]:
            found[tuple(row["stack"])] += row["bytes"]
        self.claim(found == sites, what, found, sites)

    def back(self, folder):
        """What is written as folded stacks reads back with the same stacks."""
        path = folder / "back.folded"
        for name in ("shop-v3.prf", "shop-v2.prf", "shop.folded"):
            text = self.run("flame", SAMPLES / name, "--format", "folded", "--quiet").stdout
            self.write(path, text)
            again = self.run("flame", path, "--format", "folded", "--quiet").stdout
            self.claim(naive(again) == naive(text), name, again, text)
        as_bytes = "--input-format", "folded-bytes", "--of", "alive", "--format", "folded", "--quiet"
        for name in ("shop.massif", "shop-4.heap", "shop-6.pprof", "shop.heaptrack"):
            text = self.run("flame", SAMPLES / name, "--of", "alive", "--format", "folded", "--quiet").stdout
            self.write(path, text)
            again = self.run("flame", path, *as_bytes).stdout
            self.claim(sorted(again.splitlines()) == sorted(text.splitlines()), name, again, text)
        for seed in range(20):
            text = re.sub(r"\.0*\b", "", made_up(seed).replace("_[", "["))
            self.bytes(seed, self.write(path, text), naive(text))
        one, other = self.write(folder / "1.folded", "main;keep 100\n"), self.write(folder / "2.folded", "main;keep 300\n")
        report = self.json("snapshots", one, other, "--input-format", "folded-bytes")["snapshots"]
        self.claim([row["live_bytes"] for row in report] == [100, 300], report)

    def refused(self, folder):
        path = folder / "other.txt"
        good = "main;work 12\nmain;idle 3\n"
        for what, text, code, status in (
                ("a fraction", good + "main;x 1.5\n", "bad-row", 0),
                ("no count", good * 4000 + "main;work\n", "bad-row", 0),
                ("no stack", good * 4000 + "17\n", "bad-row", 0),
                ("no count at the start", good + "main;work\n", "foreign-file", 3),
                ("negative", good + "main;x -4\n", "bad-row", 0),
                ("huge", good + f"main;x {2**70}\n", "bad-row", 0),
                ("too large together", good + f"main;x {2**61 - 1}\n" * 3, "bad-row", 0),
                ("no end", good + "main;x 4", "torn-recording", 0),
                ("no end of a line", "main;x 4", "torn-recording", 0),
                ("two counts", "main;work 12 14\nmain;idle 3 0\n", "nothing-usable", 3),
                ("other lines at the start", "Report\nmain;x 1\n", "foreign-file", 3),
                ("prose", "one; two 3\nand so; on 4\n", "foreign-file", 3),
                ("no semicolon", "one 1\ntwo 2\n", "foreign-file", 3),
                ("a table", "name;calls\nmain;3\nidle;4\n", "foreign-file", 3)):
            done = self.run("top", self.write(path, text))
            self.claim(code in done.stderr and done.returncode == status, what, done.returncode, done.stderr)
        self.write(path, good + "main;x 1.5\n")
        policy = self.write(folder / "all.policy", "samples <= 1000\n")
        self.claim(self.run("gate", policy, path).returncode == 3, "skipped lines, no verdict")
        self.write(path, "nothing here\n")
        self.claim(self.run("top", "--input-format", "folded", path).returncode == 3, "nothing usable")
        rng, text = random.Random(4), made_up(7).replace("\r", "").encode()
        for _ in range(60):
            damaged = bytearray(text)
            for _ in range(rng.randint(1, 4)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            done = self.run("analyze", self.write(path, bytes(damaged[:rng.randrange(20, len(damaged))])))
            self.claim(done.returncode in (0, 3), "damaged", done.returncode, done.stderr)

    def corpus(self):
        path = CORPUS / "jemalloc.folded"
        sums = naive(path.read_text())
        self.agrees("corpus", path, sums)
        self.bytes("corpus", path, sums)
        report = self.json("top", path, "--by", "site", "--input-format", "folded-bytes")
        self.claim(report["totals"]["live_bytes"] == 317696, report["totals"])
        first = self.run("analyze", path, "--input-format", "folded-bytes").stdout.split("\n")[2]
        self.claim("200.0 KiB at Cache::fill()" in first, first)


STEPS = ["made", "plan", "limits", "back", "refused"]

if __name__ == "__main__":
    sys.exit(claims.main_of(Laws, "Folded stacks.", STEPS, 500, CORPUS))
