#!/usr/bin/env python3
"""Reports of leak checkers, memcheck's XML and LeakSanitizer's text: answers agree with a naive reading of made-up
reports, with the generator's plan, with recordings of a program of known leaks (../shared, skipped without it), and,
with --live, with each other for a program that is built and run here. Reports that are truncated, damaged or hostile
are tested too; no limit passes for what a checker did not judge."""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from xml.sax.saxutils import escape

import claims

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
CORPUS = HERE.parent.parent / "shared" / "corpus" / "living" / "cpp"
SKIPPED = 77
KINDS = {"Leak_DefinitelyLost": "definitely lost", "Leak_IndirectlyLost": "indirectly lost",
         "Leak_PossiblyLost": "possibly lost", "Leak_StillReachable": "still reachable"}
PROGRAM = """#include <stdlib.h>
struct node { struct node *next; char text[40]; };
static struct node *kept;
__attribute__((noinline)) static struct node *list(int n)
{
    struct node *head = 0;
    while (n--) {
        struct node *one = malloc(sizeof *one);
        one->next = head;
        head = one;
    }
    return head;
}
__attribute__((noinline)) static void lose(void)
{
    volatile char *text = malloc(1000);
    text[0] = 1;
    list(10);
}
__attribute__((noinline)) static void clear(void)
{
    volatile char room[4096];
    for (int i = 0; i < 4096; i++)
        room[i] = 0;
}
int main(void)
{
    lose();
    clear();
    kept = list(3);
    return 0;
}
"""

# --- naive reading ---


def label(name, line, module=None):
    name = name if name and name != "???" else f"[{pathlib.Path(module or 'unknown').name}]"
    return f"{name}:{line}" if line else name


def add(found, key, size, blocks):
    before = found.get(key, (0, 0))
    found[key] = (before[0] + size, before[1] + blocks)


def read_memcheck(text):
    """Return bytes and blocks by class and stack, and the bytes lost with each that count elsewhere."""
    found, lost = {}, {}
    for error in xml.etree.ElementTree.fromstring(text).iter("error"):
        kind = KINDS.get(error.findtext("kind"))
        if not kind:
            continue
        size, blocks = int(error.findtext("xwhat/leakedbytes")), int(error.findtext("xwhat/leakedblocks"))
        parts = re.match(r"([\d,]+) \(([\d,]+) direct, ([\d,]+) indirect\)", error.findtext("xwhat/text"))
        others = int(parts.group(3).replace(",", "")) if parts else 0
        stack = [label(frame.findtext("fn"), frame.findtext("line") if frame.findtext("file") else None,
                       frame.findtext("obj")) for frame in error.find("stack").iter("frame")]
        add(found, (kind, tuple(stack)), size - others, blocks)
        add(lost, (kind, tuple(stack)), others, 0)
    if not any(kind == "indirectly lost" for kind, _ in found):
        for key, (size, _) in lost.items():
            add(found, key, size, 0)
        lost = {}
    return found, {key: size for key, (size, _) in lost.items()}


def read_lsan(text):
    found, key, stack, amounts = {}, None, [], ()
    for line in text.splitlines() + [""]:
        line = re.sub(r"\033\[\d*m", "", line)
        head = re.match(r"(Direct|Indirect) leak of (\d+) byte\(s\) in (\d+) object\(s\)", line)
        frame = re.match(r"    #\d+ 0x[0-9a-f]+ (?:in )?(.*)", line)
        if head:
            key, stack = ("definitely" if head.group(1) == "Direct" else "indirectly") + " lost", []
            amounts = int(head.group(2)), int(head.group(3))
        elif frame and key:
            rest = re.sub(r" \(BuildId: .*\)$", "", frame.group(1)).replace("__interceptor_", "")
            module = re.fullmatch(r"(.*?) ?\(([^()]*)\+0x[0-9a-f]+\)", rest)
            place = re.fullmatch(r"(.*?) ([./]\S.*?):(\d+)(?::\d+)?", rest)
            stack.append(label(module.group(1), None, module.group(2)) if module
                         else label(place.group(1), place.group(3)) if place else rest)
        elif key:
            add(found, (key, tuple(stack)), *amounts)
            key = None
    return found, {}


# --- made-up reports ---

NAMES = ("shop::fill(int)", "operator<(A const&, B&&)", "std::vector<int, std::allocator<int> >::push_back(int&&)", "f",
         "main", "Ünïcode()", "run(void (*)(int))", "???")


class Made:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.frames = [(name, f"file {i}.cpp" if i % 3 == 0 else f"f{i}.cpp", i * 7 + 1) if self.random.random() < 0.8
                       and name != "???" else (name, None, None) for i, name in enumerate(NAMES)]
        self.records = [(self.random.choice(list(KINDS)), self.random.randint(1, 10**6), self.random.randint(1, 5000),
                         [self.random.choice(self.frames) for _ in range(self.random.randint(1, 8))])
                        for _ in range(self.random.randint(1, 40))]
        self.shows_indirect = seed % 2

    def memcheck(self, tail="</valgrindoutput>\n", options="<arg>--leak-check=full</arg>", early=""):
        out = ["<?xml version=\"1.0\"?>\n\n<valgrindoutput>\n\n<protocolversion>4</protocolversion>\n"
               "<protocoltool>memcheck</protocoltool>\n<pid>12</pid>\n<args>\n  <vargv>\n    <exe>valgrind</exe>\n    "
               f"{options}\n  </vargv>\n  <argv>\n    <exe>./a&amp;b</exe>\n    <arg>--show-leak-kinds=none</arg>\n"
               f"  </argv>\n</args>\n{early}\n<status>\n  <state>FINISHED</state>\n</status>\n"]
        for kind, size, blocks, stack in self.records:
            if kind == "Leak_IndirectlyLost" and not self.shows_indirect:
                continue
            others = size // 3 if kind == "Leak_DefinitelyLost" and size % 2 else 0
            text = f"{size:,} ({size - others:,} direct, {others:,} indirect)" if others else f"{size:,}"
            out.append(f"<error>\n  <unique>0x1</unique>\n  <kind>{kind}</kind>\n  <xwhat>\n    <text>{text} bytes in "
                       f"{blocks:,} blocks are lost</text>\n    <leakedbytes>{size}</leakedbytes>\n    "
                       f"<leakedblocks>{blocks}</leakedblocks>\n  </xwhat>\n  <stack>\n")
            for name, source, line in [("malloc", None, None)] + stack:
                out.append("    <frame>\n      <ip>0x1</ip>\n      <obj>/lib/a b.so</obj>\n")
                out += [f"      <fn>{escape(name)}</fn>\n"] if name != "???" else []
                out += [f"      <dir>/src</dir>\n      <file>{source}</file>\n      <line>{line}</line>\n"] if source else []
                out.append("    </frame>\n")
            out.append("  </stack>\n</error>\n\n")
        return "".join(out) + tail

    def lsan(self, summary=True, colour=False):
        on, off = ("\033[1m\033[34m", "\033[1m\033[0m") if colour else ("", "")
        out = [f"output of the program\n{'=' * 65}\n{on}==77==ERROR: LeakSanitizer: detected memory leaks\n{off}\n"]
        sums = [0, 0]
        for kind, size, blocks, stack in self.records:
            direct = "Direct" if kind != "Leak_IndirectlyLost" else "Indirect"
            out.append(f"{on}{direct} leak of {size} byte(s) in {blocks} object(s) allocated from:\n{off}")
            for i, (name, source, line) in enumerate([("__interceptor_malloc", "../a.cpp", 69)] + stack):
                code = f"in {name} /src/{source}:{line}" + (":5" if i % 2 else "") if source else \
                       (f"in {name} " if name != "???" else "") + "(/lib/a b.so+0x12) (BuildId: 00ff)"
                out.append(f"    #{i} 0x7f00{i:x} {code}\n")
            out.append("\n")
            sums = [sums[0] + size, sums[1] + blocks]
        if summary:
            out.append(f"SUMMARY: AddressSanitizer: {sums[0]} byte(s) leaked in {sums[1]} allocation(s).\n")
        return "".join(out)


class Laws(claims.ClaimsOfProgram):
    def codes(self, path):
        return set(re.findall(r"(?:error|warning): .*\[([a-z-]+)\]$", self.run("analyze", path).stderr, re.M))

    def limit(self, path, *more):
        return self.run("leaks", path, "--max-leaked", "1T", "--quiet", *more).returncode

    def agrees(self, what, path, expected, lost_with):
        """Totals, sites, their order and verdicts are those of a naive reading."""
        report = self.json("leaks", path, "--limit", 0)
        found = {(row["type"], tuple(row["stack"])): (row["bytes"], row["objects"])
                 for row in report.get("leaks", [])}
        self.claim(found == expected, what, found, expected)
        sums = [sum(amounts[i] for amounts in expected.values()) for i in (0, 1)]
        leaking = {key: amounts for key, amounts in expected.items() if key[0] != "still reachable"}
        sums += [sum(amounts[i] for amounts in leaking.values()) for i in (0, 1)]
        totals = [report["totals"][name]
                  for name in ("leaked_bytes", "leaked_objects", "leaking_bytes", "leaking_objects")]
        self.claim(totals == sums, what, totals, sums)
        kinds = {row["type"]: row["kind"] for row in report.get("leaks", [])}
        self.claim(all(kind == ("reachable" if name == "still reachable" else "lost") for name, kind in kinds.items()),
                   what, kinds)
        verdict = report["verdict"]
        self.claim(verdict["leaks"] == ("yes" if leaking else "no"), what, verdict)
        if leaking:
            order = sorted(((key[0] == "indirectly lost", -size - lost_with.get(key, 0), -size)
                            for key, (size, _) in leaking.items()))
            rows = report["leaks"][:len(leaking)]
            with_others = [row["inclusive_bytes"] if any(lost_with.values()) else row["bytes"] for row in rows]
            shown = [(row["type"] == "indirectly lost", -size, -row["bytes"]) for row, size in zip(rows, with_others)]
            self.claim(shown == order, what, shown, order)
            self.claim(verdict["worst"]["bytes"] == rows[0]["bytes"], what, verdict)
            total = sum(size for size, _ in leaking.values())
            for limit, status in ((total, 0), (total - 1, 1)):
                self.claim(self.run("leaks", path, "--max-trend", f"{limit}B", "--quiet").returncode == status, what, limit)

    def made(self, folder):
        for seed in range(14):
            made = Made(seed)
            for name, text, read in (("made.memcheck", made.memcheck(), read_memcheck),
                                     ("made.lsan", made.lsan(colour=seed % 3 == 0), read_lsan)):
                path = folder / name
                path.write_text(text)
                if read(text)[0]:
                    self.agrees((seed, name), path, *read(text))
                    self.claim(not self.codes(path), seed, name, self.codes(path))
                crlf = folder / ("crlf." + name)
                crlf.write_bytes(text.replace("\n", "\r\n").encode())
                here, there = (self.json("leaks", one, "--limit", 0).get("leaks") for one in (path, crlf))
                self.claim(here == there, seed, name, "CRLF")

    def plan(self):
        """The samples have the totals and sites of their plan."""
        for name in ("shop.memcheck", "shop.lsan"):
            path = SAMPLES / name
            answer = json.loads((SAMPLES / "answers" / (name + ".json")).read_text())
            report = self.json("leaks", path, "--limit", 0)
            self.claim({key: report["totals"][key] for key in answer["totals"]} == answer["totals"], name, report["totals"])
            rows = {(row["type"], tuple(row["stack"][1:])): (row["kind"], row["bytes"], row["objects"])
                    for row in report["leaks"]}
            plan = {(site["type"], tuple(site["stack"])): (site["kind"], site["bytes"], site["objects"])
                    for site in answer["sites"]}
            self.claim(rows == plan, name, rows, plan)
        done = self.run("diff", SAMPLES / "shop.memcheck", SAMPLES / "shop.lsan", "--format", "json")
        less = {row["type"] for row in json.loads(done.stdout)["diff"]}
        self.claim(less == {"possibly lost", "still reachable"}, "the checkers agree but for these", less)

    def unjudged(self, folder):
        """No limit passes, and no answer says that nothing leaks, if the checker did not say so."""
        made, path = Made(1), folder / "unjudged.memcheck"
        none = Made(1)
        none.records = []
        invalid = ("<error>\n  <kind>InvalidRead</kind>\n  <what>Invalid</what>\n  <stack>\n    <frame>\n"
                   "      <fn>f</fn>\n    </frame>\n  </stack>\n</error>\n")
        hidden = "<suppcounts>\n  <pair>\n    <count>3</count>\n    <name>x</name>\n  </pair>\n</suppcounts>\n"
        end = "</valgrindoutput>\n"
        only = "<arg>--show-leak-kinds={}</arg>"
        finished = "<status>\n  <state>FINISHED</state>\n</status>\n"
        running = none.memcheck(early=invalid).replace(finished, "")
        early = made.memcheck().replace(finished, "").replace(end, finished + end)
        fewer = re.sub(r"(?s)<error>(?:(?!<error>).)*?loss record 2 of 6.*?</error>\n", "",
                       (SAMPLES / "shop.memcheck").read_text())
        for what, text, status, code in (
                ("clean", none.memcheck(), 0, None),
                ("other errors", none.memcheck(early=invalid), 0, None),
                ("not ended", running, 3, "nothing-usable"),
                ("not ended, but closed", none.memcheck(early=invalid).replace(finished, ""), 3, "nothing-usable"),
                ("cut after the program", none.memcheck(tail=""), 3, "nothing-usable"),
                ("cut after leaks", made.memcheck(tail=""), 3, "torn-recording"),
                ("none shown", none.memcheck(options=only.format("none")), 3, "nothing-usable"),
                ("only reachable shown", none.memcheck(options=only.format("reachable")), 3, "nothing-usable"),
                ("no leak check", none.memcheck(options="<arg>--leak-check=no</arg>"), 3, "nothing-usable"),
                ("summary only", none.memcheck(options="<arg>--leak-check=summary</arg>"), 3, "nothing-usable"),
                ("leaks of a summary", made.memcheck(options="<arg>--leak-check=summary</arg>"), 0, None),
                ("reachable shown too", none.memcheck(options="<arg>--show-reachable=yes</arg>"), 0, None),
                ("all shown", none.memcheck(options=only.format("all")), 0, None),
                ("some shown", none.memcheck(options=only.format("definite,possible")), 0, None),
                ("all hidden", none.memcheck(tail=hidden + end), 3, "empty-profile"),
                ("some hidden", made.memcheck(tail=hidden + end), 0, None),
                ("checks of the program", early, 0, None),
                ("a record is missing", fewer, 3, "torn-recording"),
                ("a kind is not shown", fewer.replace("kinds=all", "kinds=definite,reachable"), 0, None),
                ("what is possibly lost is not shown", fewer.replace("kinds=all", "kinds=all</arg>\n<arg>--show-possibly-lost=no"), 0, None),
                ("what is reachable is not shown", fewer.replace("kinds=all", "kinds=all</arg>\n<arg>--show-reachable=no"), 0, None),
                ("what is reachable is shown", fewer.replace("kinds=all", "kinds=definite</arg>\n<arg>--show-reachable=yes"), 3, "torn-recording"),
                ("a record is hidden", fewer.replace("<suppcounts>\n</suppcounts>\n", hidden), 0, None),
                ("two programs", made.memcheck(tail=end + finished).replace(end, "") + end, 3, "bad-row"),
                ("files one after another", made.memcheck() + made.memcheck(), 0, None)):
            path.write_text(text)
            self.claim(self.limit(path) == status, what, self.limit(path), status)
            self.claim((code in self.codes(path)) if code else not self.codes(path), what, self.codes(path))
            shown = self.run("analyze", path).stdout
            if code in ("nothing-usable", "torn-recording"):
                self.claim("Leaks  none" not in shown and "Leaks          none" not in shown, what, shown)
        path.write_text(early)
        done = self.run("analyze", path)
        self.claim("Leaks  none" in done.stdout and "left out: " in done.stderr, done.stdout, done.stderr)
        path.write_text(made.memcheck() * 2)
        one, two = folder / "one.memcheck", path
        one.write_text(made.memcheck())
        sums = [self.json("leaks", each)["totals"]["leaked_bytes"] for each in (one, two)]
        self.claim(sums[1] == 2 * sums[0], "files one after another", sums)
        text, lsan = made.lsan(), folder / "unjudged.lsan"
        size, blocks = map(int, re.search(r"SUMMARY: \w+: (\d+) .* in (\d+)", text).groups())
        rest = text.replace(f"{size} byte(s) leaked in {blocks}", f"{size + 500} byte(s) leaked in {blocks + 5}")
        for what, text, status, code, total in (
                ("whole", text, 0, None, size),
                ("cut", made.lsan(summary=False), 3, "torn-recording", size),
                ("only the title", text[:text.index("Direct leak")], 3, "nothing-usable", None),
                ("more in the summary", rest, 3, "bad-row", size + 500),
                ("omitted", rest.replace("SUMMARY", "Omitting 2 more leak(s).\nSUMMARY"), 0, None, size + 500),
                ("less in the summary", text.replace(f"{size} byte(s) leaked", f"{size - 1} byte(s) leaked"), 3, "bad-row",
                 size),
                ("damaged", text.replace("Direct leak of ", "Direct leak of x", 1), 3, "bad-row", size),
                ("twice", text + text, 0, None, 2 * size),
                ("not whole, then whole", made.lsan(summary=False) + text, 3, "torn-recording", 2 * size)):
            lsan.write_text(text)
            self.claim(self.limit(lsan) == status, what, self.limit(lsan), status)
            self.claim((code in self.codes(lsan)) if code else not self.codes(lsan), what, self.codes(lsan))
            if total:
                sums = self.json("leaks", lsan)["totals"]
                self.claim(sums["leaked_bytes"] == total, what, sums, total)
        for text in ("==12== Memcheck, a memory error detector\n==12== LEAK SUMMARY:\n",
                     "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n"):
            path.write_text(text)
            done = self.run("analyze", path)
            self.claim(done.returncode == 3 and ("--xml=yes" in done.stderr or "without leaks" in done.stderr), done.stderr)

    def gates(self, folder):
        """Policies, baselines, diff and trend judge leaks as stated."""
        policy, more = folder / "leaks.policy", folder / "more.memcheck"
        base = folder / "store" / "app.baseline"
        sample = SAMPLES / "shop.memcheck"
        text = sample.read_text()
        more.write_text(text.replace("<leakedblocks>40<", "<leakedblocks>41<").replace("<leakedbytes>2560<",
                                                                                      "<leakedbytes>2624<"))
        self.claim(self.run("baseline", "save", sample, "--store", base.parent, "--as", "app").returncode == 0, "baseline")
        for rule, path, status in (("deleted objects <= 0", sample, 3), ("created <= 1G", sample, 3), ("leaked <= 70200", sample, 0), ("leaked <= 70199", sample, 1), ("trend <= 41400", sample, 0),
                                   ("trend <= 41399", sample, 1), ("leaked objects <= 600", sample, 0),
                                   ("no new leak site", sample, 0), ("leaked <= base", more, 1),
                                   ("no new leak site", more, 0)):
            policy.write_text(rule + "\n")
            done = self.run("gate", policy, path, "--base", base)
            self.claim(done.returncode == status, rule, done.returncode, done.stdout, done.stderr)
        changes = json.loads(self.run("diff", sample, more, "--format", "json").stdout)["diff"]
        self.claim([(row["stack"][1], row["delta_bytes"]) for row in changes] == [("shop::copy(char const*):7", 64)], changes)
        self.claim(self.run("trend", sample, more).returncode == 0, "trend")
        both = self.json("leaks", sample, SAMPLES / "shop.massif", "--limit", 0)
        kinds = {row["type"] for row in both["leaks"] if row["kind"] == "lost"}
        self.claim(kinds == {"definitely lost", "indirectly lost", "possibly lost"}, "with another format", kinds)

    def cut(self, folder):
        """A truncated report never passes a limit, unless only blanks are missing."""
        rng = random.Random(7)
        for name, text in (("cut.memcheck", Made(3).memcheck()), ("cut.lsan", Made(4).lsan())):
            path = folder / name
            for _ in range(25):
                path.write_text(text[:rng.randrange(1, len(text) - 1)])
                self.claim(self.limit(path) == 3, name, path.stat().st_size)

    def damaged(self, folder):
        """A damaged line is reported with its place, and no limit passes."""
        for name, text, damages in (
                ("damaged.memcheck", Made(5).memcheck(),
                 (("<leakedbytes>", "<leakedbytes>x"), ("<leakedblocks>", "<leakedblocks>9999999999999999999999"),
                  ("  <kind>Leak_DefinitelyLost</kind>\n", ""), ("<leakedblocks>", "<leakedblock>"),
                  ("<line>", "<line>x"), ("<error>\n", ""), ("</error>\n", ""), ("    </frame>\n", ""),
                  ("<kind>Leak_", "<kind>Leak"), ("</fn>", "</obj>"))),
                ("damaged.lsan", Made(6).lsan(),
                 ((" byte(s) in ", " bytes in "), ("Direct leak of ", "Direct leak of 99999999999999999999"),
                  (" object(s)", " objects"), (" leaked in ", " leaked by ")))):
            path = folder / name
            for old, new in damages:
                assert old in text, old
                path.write_text(text.replace(old, new, 1))
                done = self.run("check", path)
                self.claim(done.returncode == 1 and re.search(name + r":\d+", done.stdout + done.stderr), name, new,
                           done.stdout, done.stderr)
                self.claim(self.limit(path) == 3, name, new)

    def hostile(self, folder):
        """Deep stacks, many records and large numbers end soon, and are refused or counted."""
        path, deep = folder / "hostile.memcheck", Made(1)
        deep.records = [("Leak_DefinitelyLost", 10, 1, [(f"f{i}", "a.c", 1) for i in range(5000)])]
        many = Made(1)
        many.records = [("Leak_DefinitelyLost", 10, 1, [(f"f{i}", "a.c", 1)]) for i in range(20000)]
        huge = Made(1)
        huge.records = [("Leak_PossiblyLost", 2**62, 2**61, [("f", "a.c", 1)])] * 3
        odd = folder / "odd.lsan"
        frames = ("+0x)", "(+0x1)", "(", ")", ":", " :", "/:1", "f /a:99999999999999999999", "f /a:0", "x+0x1)", "in")
        odd.write_text(Made(1).lsan(summary=False) + "Direct leak of 1 byte(s) in 1 object(s) allocated from:\n" +
                       "".join(f"    #{i} 0x1 in {frame}\n    #{i} 0x1 {frame}\n" for i, frame in enumerate(frames)))
        self.claim(self.limit(odd) == 3, "odd frames")
        for what, made, status in (("deep", deep, 0), ("many", many, 0), ("huge", huge, 3)):
            for name, text in (("hostile.memcheck", made.memcheck()), ("hostile.lsan", made.lsan())):
                path = folder / name
                path.write_text(text)
                done = self.run("leaks", path, "--max-leaked", "1T", timeout=120)
                self.claim(done.returncode == status, what, name, done.returncode, done.stderr[-300:])
                self.claim(what != "deep" or "cut-stacks" in done.stderr, what, name, done.stderr[-300:])

    def corpus(self):
        """The real reports have the leaks of their README."""
        texts = {name: (CORPUS / name).read_text() for name in ("memcheck.xml", "lsan.txt", "lsan-alone.txt")}
        for name, text in texts.items():
            self.agrees(name, CORPUS / name, *(read_memcheck if name.endswith("xml") else read_lsan)(text))
            rows = self.json("leaks", CORPUS / name)["leaks"]
            found = {row["stack"][1].rsplit(":", 1)[1]: (row["bytes"], row["objects"]) for row in rows}
            self.claim(found == {"8": (204800, 50), "10": (24000, 120)}, name, rows)
            self.claim(not self.codes(CORPUS / name), name)
        done = self.run("analyze", CORPUS / "memcheck.txt")
        self.claim(done.returncode == 3 and "--xml=yes" in done.stderr, done.stderr)

    def live(self, folder):
        """Run a program under both checkers; return what is missing for that."""
        missing = [name for name in ("valgrind", "gcc") if not shutil.which(name)]
        if missing:
            return missing
        source, xml_file = folder / "lose.c", folder / "live.memcheck"
        source.write_text(PROGRAM)
        quiet = {"capture_output": True, "check": False, "cwd": folder}
        for more, name in (([], "plain"), (["-fsanitize=address"], "checked")):
            done = subprocess.run(["gcc", "-g", "-O0", *more, source, "-o", folder / name], **quiet)
            if done.returncode:
                return [f"gcc {' '.join(more)}"]
        subprocess.run(["valgrind", "--leak-check=full", "--show-leak-kinds=definite,indirect,possible", "--xml=yes",
                        f"--xml-file={xml_file}", folder / "plain"], **quiet)
        done = subprocess.run([folder / "checked"], env=os.environ | {"ASAN_OPTIONS": "detect_leaks=1"}, **quiet)
        if b"detected memory leaks" not in done.stderr:
            return ["LeakSanitizer, which cannot run here"]
        if not xml_file.exists():
            return ["valgrind, which cannot run here"]
        (folder / "live.lsan").write_bytes(done.stderr)
        found = []
        for path, read in ((xml_file, read_memcheck), (folder / "live.lsan", read_lsan)):
            self.agrees(path.name, path, *read(path.read_text()))
            rows = self.json("leaks", path, "--limit", 0)["leaks"]
            found.append({(row["type"], row["stack"][1]): (row["bytes"], row["objects"]) for row in rows})
        expected = {("definitely lost", "lose:16"): (1000, 1), ("definitely lost", "list:8"): (48, 1),
                    ("indirectly lost", "list:8"): (432, 9)}
        self.claim(found == [expected, expected], found, expected)
        return []


def main():
    asked = claims.arguments(__doc__, live=bool)
    laws = Laws(asked.memprof)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if asked.live:
            missing = laws.live(folder)
            for one in missing:
                print(f"live: skipped, without {one}")
            return laws.end(0) or (SKIPPED if missing else 0)
        laws.plan()
        laws.made(folder)
        laws.unjudged(folder)
        laws.gates(folder)
        laws.cut(folder)
        laws.damaged(folder)
        laws.hostile(folder)
        if CORPUS.exists():
            laws.corpus()
        else:
            print("recordings of ../shared: skipped, it does not exist")
    return laws.end(400) or (0 if CORPUS.exists() else SKIPPED)


if __name__ == "__main__":
    sys.exit(main())
