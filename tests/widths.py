#!/usr/bin/env python3
"""Text in a pipe and on terminals: each command on each sample, and on inputs unlike any sample.

In a pipe no name is cut: the text contains each name that JSON has for a row. On a terminal of 60, 80 or 100
columns, no line is wider than the terminal, by Unicode widths as Python knows them. Names lose only arguments,
and the left sides of dotted names and paths; names in heap logs are signatures, and lose only arguments.
"""
import concurrent.futures
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import tempfile
import termios
import unicodedata

import claims
import runs

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
ENDINGS = {".oemp", ".prf", ".rpt", ".taligent", ".gclog", ".sqlite", ".hprof", ".heapsnapshot", ".heaptrack", ".massif", ".dhat", ".memcheck", ".lsan", ".heap", ".heapprofile", ".cpuprofile", ".folded", ".pprof", ".pb", ".json", ".log", ".lg"}
WIDTHS = (60, 80, 100)
AT_ONCE = 2
ROWS = ["--limit", "10"]
# In a folder where some files have no sizes, people and programs see other leaks first.
ALL_ROWS = ["--limit", "0"]
# Commands, and the words after the file (for gate, the policy before it).
COMMANDS = [
    ["analyze"], ["info"], ["snapshots"], ["leaks"], ["requests"], ["top"], ["growth"], ["tree"],
    ["coverage"], ["coverage", "--uncovered"], ["timeline"], ["lifetimes"], ["retained"],
    ["retained", "--by", "type"], ["dominators"], ["check"], ["path", "--type", "*"],
    ["object", "--type", "*"], ["gate", str(SAMPLES / "shop.policy")],
    ["gate", str(SAMPLES / "profile.policy")], ["top", "--by", "site"], ["top", "--by", "method"],
    ["growth", "--by", "site"], ["diff"], ["diff", "--by", "type"]]
# Names of the rows of a table; the text must contain each that JSON contains.
NAMES = {
    "leaks": ["type", "name", "stack"], "top": ["key", "program", "method"], "growth": ["key"],
    "diff": ["key", "type", "name", "stack", "program", "method"], "tree": ["key"],
    "coverage": ["program", "method"], "retained": ["type", "key"], "dominators": ["type"],
    "waste": ["kind"], "path": ["type"], "requests": ["request", "api"], "lifetimes": ["key"],
}
# Inputs with a name of thousands of columns, which fits no window.
ENDLESS = {"names.oemp", "wide.oemp", "accents.oemp"}
UNSEEN = "\N{RIGHT-TO-LEFT OVERRIDE}\N{ZERO WIDTH SPACE}\N{HEBREW LETTER ALEF}"
WITHIN = re.compile(r"[^\s(\[<,\"]\N{HORIZONTAL ELLIPSIS}|\N{HORIZONTAL ELLIPSIS}(?![\w)\]> <(\[.-])")
AT_ALL = re.compile(r"(?<![(<\[])\N{HORIZONTAL ELLIPSIS}(?!\S*\.taligent)")
INHERITED = re.compile(r"(\S+ \S+) \S+$")  # a method, its class, and the class of the object that ran it
TWICE = re.compile(r"(?<= )(\S+) \1$")  # a method's class, which is shown once to people
ESCAPE = re.compile(r"\033\[[0-9;]*m")


def width(line):
    """Return the columns that a line takes on a terminal."""
    columns = 0
    for character in line:
        if unicodedata.category(character) in ("Mn", "Me", "Cf"):
            continue
        columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def shown_name(text):
    """Return the name as people see it, with invisible characters as numbers."""
    return "".join(f"\\u{{{ord(c):x}}}" if unicodedata.category(c) == "Cf" else
                   f"\\x{ord(c):02x}" if c < " " else c for c in text)


class Trials:
    def __init__(self, program):
        self.program, self.runs, self.names, self.wrong = program, 0, 0, []

    def piped(self, words):
        return self.program.run(*words, "--quiet")

    def on_terminal(self, words, columns):
        """Return the output on a terminal with this number of columns."""
        ends = pty.openpty()
        fcntl.ioctl(ends[1], termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        done = self.program.run(*words, "--quiet", "--no-pager", output=ends)
        return done.stdout.decode("utf-8").replace("\r\n", "\n")

    def one(self, words):
        """Check everything about one command line; return the faults."""
        wrong, piped = [], self.piped(words)
        if piped.returncode in (2, 3) and not piped.stdout:
            return 0, 0, wrong
        text = piped.stdout.decode("utf-8")
        names = self.names_of(words)
        wrong += [f"{words}: {some} is cut" for some in names
                  if not any(name in text for name in some)]
        if "\N{HORIZONTAL ELLIPSIS}" in text:
            wrong.append(f"{words}: is shortened in a pipe")
        for columns in WIDTHS:
            shown = self.on_terminal(words, columns)
            mutilated = AT_ALL if words[1].endswith(".taligent") else WITHIN
            for line in ESCAPE.sub("", shown).split("\n"):
                if mutilated.search(line) and not ENDLESS & {pathlib.Path(w).name for w in words}:
                    wrong.append(f"{words}: cuts a name at {columns}: {line!r}")
                if width(line) > columns:
                    wrong.append(f"{words}: {width(line)} of {columns} columns: {line!r}")
        return len(WIDTHS) + 1, len(names), wrong

    def names_of(self, words):
        """Yield what names each row, as alternative texts, one of which must be there. Frames of an allocator
        in a stack may be omitted."""
        answer = self.piped([*words, "--format", "json"])
        if not answer.stdout:
            return []
        names = set()
        for table, rows in json.loads(answer.stdout).items():
            if table == words[0] or (words[0], table) == ("analyze", "leaks"):
                for row in rows if isinstance(rows, list) else []:
                    for member in NAMES.get(table, []):
                        value = row.get(member)
                        value = [value] if isinstance(value, str) else value
                        if table == "tree" and ".prf" in words[1]:  # people see the class that ran it only if needed
                            value = [*value, INHERITED.sub(r"\1", value[0])]
                        names |= {tuple(value[:3])} if value and value != ["(unknown)"] else set()
        return sorted(tuple(TWICE.sub(r"\1", shown_name(name)) for name in some) for some in names)

    def lines(self, folder):
        """Yield all command lines."""
        files = sorted(p for p in SAMPLES.iterdir() if p.suffix in ENDINGS)
        for path in map(str, [*files, *self.shapes(pathlib.Path(folder))]):
            for command, *options in COMMANDS:
                policy = options if command == "gate" else []
                base = [path] if command == "diff" else []
                behind = [] if command == "gate" else options
                limit = ROWS if command in NAMES else []
                yield [command, *policy, *base, path, *behind, *limit]
            yield ["calls", path, "*", *ROWS]
            yield ["annotate", path, "*"]
        one, two = str(SAMPLES / "shop-v1.oemp"), str(SAMPLES / "shop-requests-AS1.oemp")
        yield ["waste", str(SAMPLES / "shop-3.hprof"), *ROWS]
        yield ["diff", one, two, *ROWS]
        yield ["diff", one + "@1", one + "@last", *ROWS]
        yield ["diff", str(SAMPLES / "shop-v2.prf"), str(SAMPLES / "shop-v4.prf"), *ROWS]
        yield ["diff", str(SAMPLES / "shop-old.rpt"), str(SAMPLES / "shop-new.rpt"), *ROWS]
        yield ["diff", str(SAMPLES / "shop-1.gclog"), str(SAMPLES / "shop-3.gclog"), *ROWS]
        dumps = [str(SAMPLES / f"shop-{place}.gclog") for place in (1, 2, 3)]
        for command in ("analyze", "leaks", "growth", "snapshots"):
            yield [command, *dumps, *ROWS]
            yield [command, str(SAMPLES), *(ALL_ROWS if command in ("analyze", "leaks") else ROWS)]
        yield ["top", str(pathlib.Path(folder) / "threads.taligent"), "--by", "thread"]
        yield ["snapshots", str(SAMPLES / "shop.taligent"), "--slices", "10000"]
        yield ["formats"]

    @staticmethod
    def shapes(folder):
        """Make inputs with long paths, long names, names of wide, combining and invisible characters, and many
        threads."""
        whole = (SAMPLES / "shop-v2.oemp").read_bytes()
        deep = folder.joinpath(*["d" * 100] * 5)
        deep.mkdir(parents=True)
        (deep / "long.oemp").write_bytes(whole)
        (folder / "names.oemp").write_bytes(whole.replace(b"OrderEvent", b"Order" * 300 + b"Event"))
        wide = "\N{CJK UNIFIED IDEOGRAPH-6CE8}\N{CJK UNIFIED IDEOGRAPH-6587}" * 20
        accents = "e\N{COMBINING ACUTE ACCENT}" * 40
        for name, text in (("wide", wide), ("accents", accents)):
            (folder / f"{name}.oemp").write_bytes(
                whole.replace(b"shop.", b"shop." + text.encode() + b".")
                .replace(b"placeOrder", text.encode()))
        (folder / "unseen.oemp").write_bytes(
            whole.replace(b"shop.", b"shop." + UNSEEN.encode()).replace(b"placeOrder", b"place\tOrder"))
        log = (SAMPLES / "shop.taligent").read_bytes().split(b"\n")
        (folder / "threads.taligent").write_bytes(b"\n".join(
            re.sub(rb":2-\d+", b":2-%d" % (10 ** 9 + i % 200), line) for i, line in enumerate(log)))
        return [deep / "long.oemp", folder / "threads.taligent",
                *(folder / f"{n}.oemp" for n in ("names", "wide", "accents", "unseen"))]

    def all(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = list(self.lines(folder))
            with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
                for answers, names, wrong in pool.map(self.one, lines):
                    self.runs += answers
                    self.names += names
                    self.wrong += wrong


def main():
    options = claims.arguments(__doc__, server=str)
    os.environ.update(TERM="xterm", MEMPROF_NO_CONFIG="1")
    program = runs.Runs(options.memprof, options.server)
    trials = Trials(program)
    trials.all()
    trials.wrong += ["a server ended badly"] * program.close()
    for what in trials.wrong:
        print("wrong:", what)
    print(f"{trials.runs} answers, {trials.names} names, {len(trials.wrong)} claims wrong")
    return 1 if trials.wrong or trials.runs < 1000 or trials.names < 1000 else 0


if __name__ == "__main__":
    raise SystemExit(main())
