#!/usr/bin/env python3
"""Names with control, invisible or mark-up characters, in each output format.

  tests/names.py --memprof PATH --server PATH [--self-test]

Put these characters into names of samples and into names of files, and run each command with each output
format. The output must not contain control or invisible characters, by Python's Unicode categories. JSON and
CSV contain the exact name, XML is well formed, and no name becomes a link, a mention or HTML in Markdown.
"""
import csv
import html.parser
import io
import json
import os
import pathlib
import pty
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree

import claims
import runs

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
UNSEEN = "".join(map(chr, [
    0x1b, 0x07, 0x7f, 0x9b, 0x85,  # control characters that terminals obey
    0xad, 0x61c, 0x600, 0x180e, 0x200b, 0x200d, 0x200e, 0x202e, 0x2066, 0xfeff, 0xfff9, 0x110bd,
    0x13430, 0x1bca0, 0x1d173, 0xe0001, 0xe0041,  # format characters (Cf)
    0x2028, 0x2029,  # line ends
    0x34f, 0x115f, 0x17b4, 0x180b, 0x2800, 0x3164, 0xfe00, 0xfe0f, 0xffa0, 0xe0100]))  # characters that show nothing
MARKS = "".join(map(chr, [0x34f, 0x115f, 0x17b4, 0x180b, 0x2800, 0x3164, 0xfe00, 0xfe0f, 0xffa0, 0xe0100]))
MARKUP = ("<script>x</script>&lt;`|*_http://e.example/ www.e.example @admin #12 !3 %4 a:x:b ]]> "
          "%0A::error::x =cmd'!A0 [a](b) ~~s~~ $m$ ￾￿")
FILES = ["shop-v1.oemp", "shop-agent-AS1.oemp", "shop-v4.prf", "shop-old-modules-v1.prf", "shop-new.rpt",
         "shop-1.gclog",
         "shop.taligent", "shop-analysis.taligent", "shop-aqtime.sqlite"]
COMMANDS = [["analyze"], ["info"], ["snapshots"], ["leaks"], ["requests"], ["top"], ["growth"],
            ["tree"], ["flame"], ["coverage", "--uncovered"], ["timeline"], ["lifetimes"], ["retained"],
            ["dominators"], ["path", "--type", "*"], ["object", "--type", "*"], ["check"],
            ["top", "--by", "type"], ["diff", "FILE"], ["baseline", "save"]]
LIMITED = [["leaks", "--max-leaked", "0"], ["top", "--max-live", "0", "--by", "type"],
           ["diff", "FILE", "--max-growth", "0"], ["gate", "POLICY"]]
FORMATS = ["text", "json", "csv", "markdown", "pr", "suppressions", "rpt", "rpt-old", "cobertura",
           "lcov", "sonar-generic", "html", "svg", "folded", "speedscope"]
# HTML pages are long, so only test commands whose tables and pictures no other command has.
PAGES = {"analyze", "leaks", "growth", "diff", "retained"}
OF_LIMITS = ["junit", "github", "pr", "text", "json"]
XML = {"junit", "cobertura", "sonar-generic", "svg"}


def is_unseen(character):
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs") or character in MARKS


def unseen_in(text, allowed="\n"):
    """Return the numbers of characters that must not be printed."""
    return sorted({f"U+{ord(c):04X}" for c in text if c not in allowed and is_unseen(c)})


# Text that GitHub and GitLab turn into links after interpreting mark-up. A comment or backslash in between
# prevents it.
LINKS = re.compile(r"(https?|ftp)://\w|www\.\w|(?<![\w\\])[@#!%][A-Za-z0-9]|:(?=[0-9_+-]*[a-z])[a-z0-9_+-]+:|<script")


def links_in(text):
    """Return links outside of code blocks."""
    fenced, found = False, []
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            found += [match.group() for match in LINKS.finditer(line)]
    return sorted(set(found))


class Marks(html.parser.HTMLParser):
    """Collect the tags in a page that no page of memprof contains by itself."""
    ELEMENTS = set("html head meta title style link body header main section figure figcaption h1 h2 p dl dt dd "
                   "div table thead tbody tr th td details summary ol ul li small span code pre script "
                   "svg g rect text tspan path line polyline circle desc a".split())
    ATTRIBUTES = {"on", "srcdoc", "style", "action", "formaction"}

    def __init__(self, text):
        super().__init__()
        self.found = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag not in self.ELEMENTS:
            self.found.add(f"<{tag}>")
        for name, value in attributes:
            if name[:2] in self.ATTRIBUTES or name in self.ATTRIBUTES:
                self.found.add(name)
            if name in ("href", "src", "xlink:href") and not (value or "").startswith(("#", "data:,")):
                self.found.add(f"{name}={value}")


def strings_of(value):
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings_of(inner)


# --- inputs ---

def put_into(name, to, evil):
    """Insert the text into each "Shop" and "shop" of the sample."""
    if name.endswith(".sqlite"):
        shutil.copy(SAMPLES / name, to)
        with sqlite3.connect(to) as base:
            for table, in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})") if row[2] == "TEXT"]
                for column in columns:
                    base.execute(f"UPDATE {table} SET {column} = replace({column}, 'hop', ?)",
                                 (f"h{evil}op",))
        base.close()
        return
    text = (SAMPLES / name).read_bytes()
    to.write_bytes(text.replace(b"hop", f"h{evil}op".encode()))


# --- the law ---

class Law:
    def __init__(self, runner):
        self.runner, self.runs, self.wrong, self.whole = runner, 0, [], set()

    def fail(self, words, what):
        self.wrong.append(f"{' '.join(map(ascii, words))}: {what}")

    def hold(self, words, evil=""):
        """Run a command; the format is its last word."""
        done, format_ = self.runner.run(*words), words[-1]
        self.runs += 1
        texts = [("standard error", done.stderr)]
        if format_ != "csv":
            # in a page, only the part that differs between pages
            texts.append(("output", done.stdout.partition(b"<script>")[0]))
        for where, text in texts:
            try:
                if unseen := unseen_in(text.decode()):
                    self.fail(words, f"{where} has {' '.join(unseen)}")
            except UnicodeDecodeError as fault:
                self.fail(words, f"{where} is no UTF-8: {fault}")
        if done.returncode not in (0, 1, 2, 3):
            self.fail(words, f"exit status {done.returncode}")
        if done.returncode > 1 and not done.stderr:
            self.fail(words, f"exit status {done.returncode}, and no word")
        if done.stdout and done.returncode < 2:
            self.read(words, format_, done.stdout, evil)

    def read(self, words, format_, printed, evil):
        """Read the output as programs do."""
        if format_ == "json":
            if any(evil in text for text in strings_of(json.loads(printed))):
                self.whole.add((words[1], format_))
        elif format_ == "csv":
            if any(evil in field for row in csv.reader(io.StringIO(printed.decode(), newline=""))
                   for field in row):
                self.whole.add((words[1], format_))
        elif format_ in XML:
            try:
                xml.etree.ElementTree.fromstring(printed)
            except xml.etree.ElementTree.ParseError as fault:
                self.fail(words, f"no XML: {fault}")
        elif format_ in ("markdown", "pr") and (links := links_in(printed.decode())):
            self.fail(words, f"a name becomes {links}")
        elif format_ == "html":
            if marks := Marks(printed.decode().partition("<script>")[0]).found:
                self.fail(words, f"a name becomes {marks}")
        elif format_ == "github":
            for line in printed.decode().splitlines():
                if not re.match(r"::(error|warning|notice) ", line) or len(re.findall("::", line)) > 9:
                    self.fail(words, f"no annotation: {line[:80]}")


def command_line(command, path, policy):
    words = [str(policy) if word == "POLICY" else str(path) if word == "FILE" else word
             for word in command]
    at = 2 if words[0] in ("baseline", "gate") else 1
    return words[:at] + [str(path)] + words[at:] if words[0] != "gate" else words + [str(path)]


def hold_names(law, folder, evil):
    policy = folder / "p.policy"
    for name in FILES:
        path = folder / name
        put_into(name, path, evil)
        policy.write_text('live <= 0\nleaked of type "*h*op*" <= 0\n', encoding="utf-8")
        for command in COMMANDS:
            for format_ in FORMATS:
                if command[0] in ("check", "baseline") and format_ not in ("text", "json"):
                    continue
                if format_ == "html" and command[0] not in PAGES:
                    continue
                options = [] if command[0] == "baseline" else ["--format", format_]
                law.hold(command_line(command, path, policy) + options, evil)
        for command in LIMITED:
            for format_ in OF_LIMITS:
                law.hold(command_line(command, path, policy) + ["--format", format_], evil)
    for kind in ("json", "csv"):
        for command in ("top", "leaks"):
            if not any(format_ == kind for _, format_ in law.whole):
                law.fail([command, kind], "no row has the name as it is")


def hold_files(law, folder, evil):
    """Check names of files and of other things on a command line."""
    evil = evil.replace("/", "")
    path, empty, none = folder / f"s{evil}.oemp", folder / f"e{evil}", folder / f"n{evil}"
    shutil.copy(SAMPLES / "shop-v1.oemp", path)
    empty.write_bytes(b"")
    policy = folder / f"p{evil}.policy"
    policy.write_text(f"live <= 0\nlive of type \"{MARKUP}\" <= 0\n", encoding="utf-8")
    wrong = folder / f"w{evil}.policy"
    wrong.write_text("nothing\n")
    for words in ([["analyze", str(path), "--format", f] for f in FORMATS] +
                  [["leaks", str(path), "--max-leaked", "0", "--format", f] for f in OF_LIMITS] +
                  [["gate", str(policy), str(path), "--format", f] for f in OF_LIMITS] +
                  [["diff", str(path), str(path), "--format", f] for f in ("text", "json", "pr")] +
                  [["info", str(path), str(path), "--format", f] for f in ("text", "markdown")] +
                  [["analyze", str(empty)], ["analyze", str(none)], ["gate", str(wrong), str(path)],
                   ["analyze", str(folder), "--format", "text"],
                   ["analyze", str(folder), "--format", "markdown"],
                   ["leaks", str(path), "--suppress", str(wrong)], ["top", str(path), "--by", evil],
                   ["top", str(path), f"--{evil}"], [evil], ["leaks", str(path), "--type", evil],
                   ["leaks", str(path), "--stack", f"({evil}"], ["top", str(path), "--format", evil],
                   ["diff", str(path), str(path), "--normalize", f"s/({evil}/x/"],
                   ["baseline", "save", str(none)], ["export", "--to", evil, str(path)],
                   ["leaks", str(path), "--from", evil], ["leaks", f"{path}@{evil}"]]):
        law.hold(words, evil)


def hold_reasons(law, folder):
    """Each status other than 0 and 1 comes with a message that says why, even with --quiet."""
    policy, nothing = folder / "p.policy", folder / "nothing"
    policy.write_text('live of type "no such" <= 0\n', encoding="utf-8")
    nothing.mkdir()
    for name in FILES:
        whole = (SAMPLES / name).read_bytes()
        lines = whole.split(b"\n")
        header = lines[:lines.index(b".") + 2] if b"." in lines else lines[:1]
        for label, text in (("whole", whole), ("torn", whole[:len(whole) * 2 // 3]), ("empty", b""),
                            ("header", b"\n".join(header) + b"\n"), ("other", b"other\n" * 99)):
            path = folder / f"{label}-{name}"
            path.write_bytes(text)
            for command in COMMANDS + LIMITED + [["top", "--type", "no such"], ["diff", str(nothing)],
                                                 ["calls", "--at", "no"], ["export", "--to", "aqtime"]]:
                words = command_line(command, path, policy) + ["--quiet"]
                law.hold(words if command[0] == "export" else words + ["--strict"])
                law.hold(words)
    for words in ([], [str(nothing)], ["top", str(nothing)], ["trend", str(nothing)], ["leaks"],
                  ["top", str(nothing / "not")], ["gate", str(policy)]):
        law.hold(words + ["--quiet"])


def hold_terminal(law, program, folder, evil):
    """CSV contains exact names, except on a person's terminal."""
    path = folder / "terminal.oemp"
    put_into("shop-v1.oemp", path, evil)
    for format_ in ("csv", "json", "text"):
        parent, child = pty.openpty()
        words = [program, "top", str(path), "--by", "source", "--no-pager", "--color", "never",
                 "--format", format_]
        with subprocess.Popen(words, stdout=child, stdin=subprocess.DEVNULL) as process:
            os.close(child)
            text = b""
            try:
                while part := os.read(parent, 1 << 16):
                    text += part
            except OSError:
                pass
        os.close(parent)
        law.runs += 1
        if process.returncode or not text:
            law.fail(words[1:], f"exit status {process.returncode}")
        if unseen := unseen_in(text.decode(), "\r\n"):
            law.fail(words[1:], f"on a terminal there is {' '.join(unseen)}")


def self_test():
    faults = [unseen_in("a\x1b"), unseen_in("a\u202e"), unseen_in("\u2028"), unseen_in("\ufe0f"),
              links_in("see http://x.example"), links_in("www.x.example"), links_in("by @admin"),
              links_in("a :x: b"), links_in("<script>")]
    fine = [unseen_in("\u00fcber \u5f00\n"), links_in("http<!-- -->://x"), links_in("a@b"),
            links_in("```\nwww.x.example\n```")]
    wrong = sum(not found for found in faults) + sum(map(bool, fine))
    print(f"names.py: self-test, {len(faults) + len(fine)} cases, {wrong} wrong")
    return wrong != 0


def main():
    options = claims.arguments(__doc__, self_test, server=str)
    law = Law(runs.Runs(options.memprof, options.server))
    with tempfile.TemporaryDirectory(prefix="names.") as place:
        for number, evil in enumerate([UNSEEN, MARKUP]):
            folder = pathlib.Path(place) / str(number)
            folder.mkdir()
            hold_names(law, folder, evil)
            files = folder / "files"
            files.mkdir()
            hold_files(law, files, evil)
        hold_reasons(law, folder)
        hold_terminal(law, options.memprof, folder, UNSEEN)
    ended = law.runner.close()
    for fault in law.wrong[:60]:
        print(fault)
    print(f"names.py: {law.runs} runs, {len(law.wrong)} wrong")
    return len(law.wrong) + ended > 0


if __name__ == "__main__":
    sys.exit(main())
