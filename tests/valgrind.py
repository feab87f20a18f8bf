#!/usr/bin/env python3
"""Files of valgrind's tools: reports agree with a naive reading of made-up files, with the generator's plan and
with recordings of a program of known memory use (../shared, skipped without it). Files that are truncated,
damaged or hostile are tested too."""
import json
import pathlib
import random
import re
import sys

import claims

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
CORPUS = HERE.parent.parent / "shared" / "corpus" / "living" / "cpp"
HEAD = "desc: --time-unit=ms\ncmd: ./made\ntime_unit: ms\n"
RULE = "#-----------\n"
SMALL = "(sites below massif's threshold)"

# --- massif: naive reading ---


def frame(label):
    """Return a label of massif as memprof prints it."""
    label = re.sub(r"^0x[0-9A-F]+: ", "", label)
    found = re.fullmatch(r"(.*) \((?:in (.*)|[^()]*:(\d+))\)", label)
    if not found:
        return label
    name, module, line = found.groups()
    name = f"[{pathlib.Path(module).name}]" if name == "???" and module else name
    return f"{name}:{line}" if line and line != "0" else name


def sites(lines):
    """Return the own bytes of each stack of a tree, innermost frame first; combined places belong to the node
    above them."""
    own, path = {}, []
    for line in lines:
        depth, rest = len(line) - len(line.lstrip(" ")), line.lstrip(" ")
        _, size, label = re.fullmatch(r"n(\d+): (\d+) (.*)", rest).groups()
        if re.match(r"in \d+ places?", label):
            continue
        path[depth:] = [frame(label)]
        own[tuple(path[1:])] = own.get(tuple(path[1:]), 0) + int(size)
        if depth:
            own[tuple(path[1:-1])] -= int(size)
    return {stack or (SMALL,): size for stack, size in own.items() if size}


def read(text):
    """Return the snapshots: number, kind of tree, bytes, and own bytes by stack (None: only the total)."""
    found = []
    for part in text.split(RULE + "snapshot=")[1:]:
        lines = part.splitlines()
        values = dict(line.split("=", 1) for line in lines[2:] if re.match(r"\w+=", line))
        tree = [line for line in lines if re.match(r" *n\d+: ", line)]
        total = int(values["mem_heap_B"])
        found.append((int(lines[0]), values["heap_tree"], total, sites(tree) if tree else None if total else {}))
    return found


# --- massif: made-up files ---


class Made:
    """A program with sites that grow and shrink; trees combine what is below the threshold."""

    def __init__(self, seed, threshold):
        self.random, self.threshold = random.Random(seed), threshold
        names = [f"f{i}({'int' * (i % 3)}) (f{i % 4}.cpp:{i + 1})" for i in range(9)] + ["??? (in /usr/lib/libm.so.6)"]
        self.stacks = {}
        for _ in range(self.random.randint(2, 25)):
            depth = self.random.randint(1, 6)
            self.stacks[tuple(self.random.choice(names) for _ in range(depth))] = 0

    def step(self):
        for stack in self.stacks:
            if self.random.random() < 0.6:
                self.stacks[stack] = max(0, self.stacks[stack] + self.random.choice((-700, 0, 500, 3000, 64)))

    def total(self):
        return sum(self.stacks.values())

    def tree(self):
        out = []

        def put(prefix, label):
            depth = len(prefix)
            inside = {s: n for s, n in self.stacks.items() if s[:depth] == prefix and n}
            below = {}
            for stack, size in inside.items():
                if len(stack) > depth:
                    below[stack[depth]] = below.get(stack[depth], 0) + size
            least = self.total() * self.threshold / 100
            shown = sorted((name for name in below if below[name] >= least), key=lambda name: (-below[name], name))
            small = [below[name] for name in below if below[name] < least]
            out.append(f"{' ' * depth}n{len(shown) + bool(small)}: {sum(inside.values())} {label}")
            for name in shown:
                put(prefix + (name,), "0x40" + format(sum(map(ord, name)), "X") + ": " + name)
            if small:
                out.append(f"{' ' * (depth + 1)}n0: {sum(small)} in {len(small)} places, all below massif's "
                           f"threshold ({self.threshold:.2f}%)")

        put((), "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.")
        return out

    def text(self, snapshots):
        out, time = [HEAD], 0
        for number in range(snapshots):
            kind = self.random.choice(("empty", "empty", "detailed", "peak"))
            out.append(f"{RULE}snapshot={number}\n{RULE}time={time}\nmem_heap_B={self.total()}\nmem_heap_extra_B=8\n"
                       f"mem_stacks_B=0\nheap_tree={kind}\n")
            if kind != "empty":
                out += [line + "\n" for line in self.tree()]
            time += self.random.randint(0, 900)
            self.step()
        return "".join(out)


class Laws(claims.ClaimsOfProgram):
    def peak(self, what, path, bytes_at, sites_at, number):
        """The answer says the largest snapshot, if it is not the one of the tables, and a largest site then."""
        for command in ("leaks", "analyze", "top"):
            said = [line["text"] for line in self.json(command, path, "--bytes").get("answer", []) if line["label"] == "Peak"]
            if bytes_at is None:
                self.claim(not said, what, command, said)
                continue
            most = max((sites_at or {}).values(), default=0)
            first = [stack[0] for stack, size in (sites_at or {}).items() if size == most]
            text = said[0] if said else ""
            self.claim(text.startswith(f"{bytes_at} at snapshot {number} "), what, command, said, bytes_at, number)
            self.claim(not first or any(f"most by {one}" in text for one in first) and text.endswith(f"({most})"), what,
                       command, said, first, most)

    def codes(self, path):
        return {one["code"] for one in self.json("check", path).get("diagnostics", [])}

    def agrees(self, what, path, text, exact=True):
        """Snapshots, totals, peak and sites are those of a naive reading."""
        snapshots = read(text)
        rows = self.json("snapshots", path)["snapshots"]
        self.claim([(row["sequence"], row["tag"], row["live_bytes"]) for row in rows] ==
                   [snapshot[:3] for snapshot in snapshots], what, rows, snapshots)
        self.claim(not any(key.endswith("objects") for row in rows for key in row), what, "numbers of objects", rows)
        trees = [snapshot for snapshot in snapshots if snapshot[3] is not None]
        last = trees[-1]
        report = self.json("leaks", path, "--limit", 0)
        totals = report["totals"]
        upto = [snapshot[2] for snapshot in snapshots if snapshot[0] <= last[0]]
        self.claim((totals["live_bytes"], totals["peak_bytes"], totals["to_sequence"]) == (last[2], max(upto), last[0]),
                   what, totals, last)
        largest = max(snapshots, key=lambda snapshot: snapshot[2])
        known = largest[2] and largest[0] != last[0]
        self.peak(what, path, largest[2] if known else None, largest[3] if exact else None, largest[0])
        for number, _, total, expected in trees if exact else trees[-1:]:
            top = self.json("top", path, "--by", "site", "--limit", 0, "--to", number).get("top", [])
            found = {tuple(row["stack"]): row["bytes"] for row in top if row["bytes"]}
            self.claim(sum(found.values()) == total, what, "sum at", number, found, total)
            if exact:
                self.claim(found == expected, what, "sites at", number, found, expected)
            for stack, size in expected.items():  # a kept site is taken from what the tree combines
                children = any(len(other) > len(stack) and other[:len(stack)] == stack for other in found)
                self.claim(found.get(stack, 0) == size or children or stack == (SMALL,), what, number, stack, size)

    def made(self, folder):
        for seed in range(12):
            for threshold in (0, 1, 10):
                text = Made(seed, threshold).text(14)
                if not any(trees and total for _, _, total, trees in read(text)):
                    continue
                path = folder / "made.massif"
                path.write_text(text)
                self.agrees((seed, threshold), path, text, exact=threshold == 0)
                self.claim(not self.codes(path), seed, threshold, self.codes(path))

    def plan(self):
        """The sample has the totals, sites and snapshots of its plan, and the verdict names the leak."""
        path, answer = SAMPLES / "shop.massif", json.loads((SAMPLES / "answers" / "shop.massif.json").read_text())
        report = self.json("leaks", path, "--limit", 0)
        self.claim({name: report["totals"][name] for name in answer["totals"]} == answer["totals"], report["totals"])
        rows = {tuple(row["stack"]): (row["kind"], row["bytes"]) for row in report["leaks"]}
        plan = {tuple(site["stack"]): (site["kind"], site["bytes"]) for site in answer["sites"]}
        self.claim(rows == plan, rows, plan)
        rows = self.json("snapshots", path)["snapshots"]
        self.claim([{name: row.get(name, 0) for name in answer["snapshots"][0]} for row in rows] == answer["snapshots"],
                   rows)
        # The heap grows after the last tree, so no limit is met for certain.
        for limit, status in (("190K", 3), ("1K", 1)):
            self.claim(self.run("leaks", path, "--max-trend", limit).returncode == status, limit)

    def answers(self, folder):
        """All reports accept a profile, and none states a number of objects; rules about them are not judged."""
        path, policy = SAMPLES / "shop.massif", folder / "objects.policy"
        to_tree = folder / "to-tree.massif"
        to_tree.write_text(re.sub(r"(?s)#-+\nsnapshot=20\n.*", "", path.read_text()))
        for rule, status in (("leaked objects <= 1000000000", 3), ("leaked <= 1G", 0), ("leaked <= 1K", 1),
                             ("trend <= 190K", 0)):
            policy.write_text(rule + "\n")
            self.claim(self.run("gate", policy, to_tree).returncode == status, rule)
        for words in (["analyze"], ["growth"], ["top"], ["snapshots"], ["tree"], ["trend"], ["info"], ["leaks"],
                      ["calls", "main"], ["treemap"], ["flame"], ["diff", path], ["sql", "select * from sites"],
                      ["sql", "select * from types"], ["sql", "select * from snapshots"]):
            done = self.run(*words, path, "--format", "json")
            self.claim(done.returncode == 0 and done.stdout, words, done.stderr)

            def check(value, key=""):
                if isinstance(value, dict):
                    for name in value:
                        check(value[name], name)
                elif isinstance(value, list):
                    for one in value:
                        check(one, key)
                else:
                    self.claim(value is None or not key.endswith("objects") or isinstance(value, str), words, key, value)
            check(json.loads(done.stdout or "{}"))
        for name in ("openmetrics", "trace", "pprof", "callgrind", "dot", "folded"):
            done = self.run("export", "--to", name, "-o", folder / "out", path)
            data = (folder / "out").read_bytes() if done.returncode == 0 else b"objects"
            self.claim(b"objects" not in data and b"Allocations" not in data, name, done.stderr)
        done = self.run("export", "--to", "aqtime", "-o", folder / "out", path)
        self.claim(done.returncode == 3 and "numbers of objects" in done.stderr, done.returncode, done.stderr)
        for words in (["analyze"], ["growth"], ["top"], ["snapshots"], ["tree"], ["leaks"], ["trend"]):
            text = self.run(*words, path).stdout
            self.claim(not re.search(r"\d objects?\b|Objects", text), words, text)

    def exported(self, folder):
        """An export in massif's format has the totals and trees of its recording."""
        path, out = SAMPLES / "shop.massif", folder / "massif.out.1"
        for path in (SAMPLES / "shop.massif", SAMPLES / "shop-v2.oemp", SAMPLES / "shop.taligent"):
            done = self.run("export", "--to", "massif", "-o", out, path)
            self.claim(done.returncode == 0, done.stderr)
            here, there = (self.json("leaks", one)["totals"] for one in (path, out))
            if path.suffix == ".massif":
                self.claim(here["live_bytes"] == there["live_bytes"], here, there)
            self.claim(not self.codes(out), path, self.codes(out))
            self.agrees(path, out, out.read_text(), exact=False)

    def cut(self, folder):
        """A truncated profile has the figures of its whole snapshots, and is reported unless it ends after one."""
        text, rng, cut = Made(3, 0).text(20), random.Random(5), folder / "cut.massif"
        lines = text.splitlines(keepends=True)
        for _ in range(40):
            head = text[:rng.randrange(len(text) // 3, len(text))]
            cut.write_text(head)
            whole = head[:head.rfind("\n") + 1]
            done = self.run("analyze", cut, "--max-live", "1G")
            ends = re.search(r"heap_tree=empty\n\Z", head) or whole == head and self.closes(head)
            self.claim(done.returncode == (0 if ends else 3), "cut at", len(head), done.returncode, done.stderr[-300:])
            self.claim(bool(ends) != ("torn-recording" in self.codes(cut)), "cut at", len(head))
        self.claim(len(lines) > 20, "too few lines")

    def closes(self, head):
        """Return true if the last tree has all of its lines."""
        left = []
        for line in head[head.rfind("heap_tree="):].splitlines()[1:]:
            found = re.match(r"( *)n(\d+): ", line)
            if not found:
                break
            depth = len(found.group(1))
            left[depth:] = [int(found.group(2))]
            if depth:
                left[depth - 1] -= 1
        return bool(left) and not any(left)

    def damaged(self, folder):
        """A damaged line is reported with its place; the totals of its snapshot count, and no limit passes."""
        text, bad = (SAMPLES / "shop.massif").read_text(), folder / "bad.massif"
        good = text.splitlines()
        tree = next(i for i, line in enumerate(good) if line.startswith(" n2: "))
        for at, line in ((tree, " n2"), (tree, " n2: x y"), (tree, " n3: " + good[tree].split(": ", 1)[1]),
                         (tree, good[tree].replace("n2: ", "n2: 9")), (tree + 1, "      " + good[tree + 1]),
                         (tree + 1, good[tree + 1].replace("n1: ", "n1: 99999999")),
                         (tree, "garbage"), (tree - 1, "  " + good[tree - 1]), (tree - 1, good[tree].strip()),
                         (tree - 2, "mem_stacks_B=x"), (tree - 2, "hello"),
                         (tree - 3, "mem_heap_B=99999999999999999999"), (tree - 1, "heap_tree=full")):
            assert line != good[at]
            bad.write_text("\n".join(good[:at] + [line] + good[at + 1:]) + "\n")
            done = self.run("check", bad)
            self.claim(done.returncode == 1 and re.search(r"bad.massif:\d+", done.stdout + done.stderr), repr(line),
                       done.stdout[-500:], done.stderr[-500:])
            self.claim(self.run("analyze", bad, "--max-leaked", "1G").returncode == 3, repr(line), "passes")
        only = folder / "only.massif"
        only.write_text(re.sub(r"heap_tree=\w+\n(?: *n.*\n)*", "heap_tree=empty\n", text))
        done = self.run("analyze", only)
        self.claim(done.returncode == 3 and "no snapshot with a tree" in done.stderr, done.stderr)

    def hostile(self, folder):
        """Deep and wide trees, and large numbers, end soon and are refused or counted."""
        path = folder / "hostile.massif"

        def snapshot(number, tree, total=10):
            return (f"{RULE}snapshot={number}\n{RULE}time={number}\nmem_heap_B={total}\nmem_heap_extra_B=0\n"
                    f"mem_stacks_B=0\nheap_tree=detailed\n{tree}")
        usual = "n1: 10 (all)\n n0: 10 0x1: main (a.c:1)\n"
        deep = "n1: 10 (all)\n" + "".join(f"{' ' * i}n1: 10 0x1: f{i} (a.c:1)\n" for i in range(1, 3000))
        wide = "n20000: 20000 (all)\n" + "".join(f" n0: 1 0x1: f{i} (a.c:1)\n" for i in range(20000))
        rest = "n1: 20000 (all)\n n0: 20000 in 20000 places, all below massif's threshold (1.00%)\n"
        huge = f"n1: {2**62} (all)\n n0: {2**62} 0x1: main (a.c:1)\n"
        for what, text, status in (
                ("deep", snapshot(0, usual) + snapshot(1, deep + f"{' ' * 3000}n0: 10 0x1: g (a.c:1)\n"), 3),
                ("wide", snapshot(0, wide, 20000) + "".join(snapshot(i, rest, 20000) for i in range(1, 300)), 0),
                ("huge", snapshot(0, huge, 2**62) + snapshot(1, huge, 2**62) + snapshot(2, usual), 3)):
            path.write_text(HEAD + text)
            done = self.run("analyze", path, "--max-live", "1T", timeout=60)
            self.claim(done.returncode == status and "hostile.massif" in done.stdout + done.stderr, what, done.returncode,
                       done.stdout[-300:], done.stderr[-300:])

    def corpus(self):
        """The real profiles have the figures of their README."""
        for name, count, peak, last, to in (("massif.out", 77, 14, 232896, 71), ("massif-bytes.out", 91, 24, 228800, 90)):
            path = CORPUS / name
            rows = self.json("snapshots", path)["snapshots"]
            self.claim((len(rows), rows[peak]["live_bytes"], rows[-1]["live_bytes"]) == (count, 1338792, last), name, rows)
            totals = self.json("leaks", path)["totals"]
            self.claim((totals["peak_bytes"], totals["to_sequence"]) == (1338792, to), name, totals)
            top = self.json("top", path, "--by", "site", "--to", "peak")["top"]
            at = {row["stack"][0]: row["bytes"] for row in top}
            self.claim((at["peak():12"], at["Cache::fill():8"]) == (1048576, 204800), name, at)
            self.claim(not self.codes(path), name, self.codes(path))
            self.agrees(name, path, path.read_text(), exact=False)
        text = self.run("analyze", CORPUS / "massif.out").stdout
        self.claim("Peak          1.3 MiB at snapshot 14 (peak)" in text and "227.4 KiB at snapshot 76" in text, text)


STEPS = ["plan", "made", "answers", "exported", "cut", "damaged", "hostile"]

if __name__ == "__main__":
    sys.exit(claims.main_of(Laws, "Files of valgrind's tools.", STEPS, 600, CORPUS))
