#!/usr/bin/env python3
"""Brief answers: each command on each sample with --brief, and the first screen of analyze.

A brief answer agrees with the complete one. It has less than 5,000 bytes, the same names, some of the rows, and
the number of missing rows. The first screen has at most three tables, and names a command that works.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

from claims import ClaimsOfRuns, PROGRAM, arguments

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
ENDINGS = {".oemp", ".prf", ".rpt", ".taligent", ".gclog", ".sqlite", ".hprof"}
FILE = None  # in place of the file itself, which is then compared with itself
BYTES, ROWS, FRAMES, SCREEN = 5000, 5, 3, 24
# Arguments of commands that need more than a file: those before it, and those after it.
SHOP, PROFILE = str(SAMPLES / "shop.policy"), str(SAMPLES / "profile.policy")
ASKED = {"path": [(["--type", "*"], [])], "object": [(["--type", "*"], [])],
         "gate": [([SHOP], []), ([PROFILE], [])], "leaks": [([], []), (["--max-leaked", "1"], [])],
         "calls": [([], ["*"])], "diff": [([FILE], [])],
         "annotate": [(["--sources", str(SAMPLES / "sources")], ["shop.OrderService"])],
         "sql": [([], ["select * from sites"]), ([], ["select * from lines"])]}
# Commands without an answer about a single file.
OTHERS = {"baseline", "browse", "export", "formats", "mcp", "schema", "spool", "watch"}


class Trials(ClaimsOfRuns):
    def __init__(self, program, server):
        super().__init__(program, server)
        self.answers = 0

    def ask(self, *words):
        return self.runs.run(*words, "--quiet")

    def all_samples(self, commands):
        files = sorted(p for p in SAMPLES.iterdir() if p.suffix in ENDINGS)
        for command in set(commands) - OTHERS:
            answers = self.answers
            for path in files:
                for before, behind in ASKED.get(command, [([], [])]):
                    self.answer([command, *(path if word is FILE else word for word in before)],
                                path, *behind)
            self.claim(self.answers > answers, command, "answers about no sample")
        self.answer(["formats"])
        self.answer(["analyze"], SAMPLES)
        self.answer(["diff", SAMPLES / "shop-v1.oemp"], SAMPLES / "shop-v2.oemp")
        self.answer(["diff", SAMPLES / "shop-v3.prf"], SAMPLES / "shop-v4.prf")

    def answer(self, command, *files):
        words = [*command, *files, "--format", "json"]
        whole, small = self.ask(*words, "--limit", 1000000), self.ask(*words, "--brief")
        if whole.returncode == 2:
            whole = self.ask(*words)
        self.claim(whole.returncode == small.returncode, words, "ends otherwise")
        self.claim(bool(whole.stdout) == bool(small.stdout), words, "answers otherwise")
        if not small.stdout:
            return
        self.answers += 1
        size = len(small.stdout)
        self.claim(size <= BYTES, words, f"has {size} bytes")
        self.text(words[:-2])
        whole, small = json.loads(whole.stdout), json.loads(small.stdout)
        left_out = small.pop("rows_left_out", {})
        self.claim(set(whole) == set(small), words, "has other names:", set(whole) ^ set(small))
        self.part(words, "", whole, small, left_out)
        self.claim(not left_out, words, f"nothing is left out of {left_out}")

    def text(self, words):
        """The brief text contains only what the report says anyway, and fits on one screen."""
        whole, small = (self.ask(*words, *more).stdout.decode().splitlines()
                        for more in ((), ("--brief",)))
        self.claim(small and small[0] == whole[0], words, "has another title", small[:1])
        most = len(whole) if words[0] in ("gate", "info", "calls", "annotate") else SCREEN
        self.claim(len(small) <= most, words, f"has {len(small)} lines")

    def part(self, words, name, whole, small, left_out):
        """The brief object is a part of the complete answer."""
        for member, value in small.items():
            full = f"{name}.{member}" if name else member
            for cut in ("_truncated", "_frames", "_count"):
                if member.endswith(cut) and f"{member.removesuffix(cut)}_truncated" in small:
                    break
            else:
                self.claim(member in whole, words, f"{full} is new")
                if isinstance(value, dict):
                    self.part(words, full, whole[member], value, left_out)
                elif isinstance(value, list) and member == "diagnostics":
                    codes = {row["code"] for row in whole[member]}
                    self.claim(len(value) + left_out.pop(member, 0) == len(codes), words, "codes")
                elif isinstance(value, list) and all(isinstance(row, dict) for row in whole[member]):
                    self.rows(words, full, whole[member], value, left_out)
                else:
                    self.claim(self.is_value(whole[member], small, member), words, full, "is", value)

    def rows(self, words, name, whole, small, left_out):
        self.claim(len(small) <= ROWS, words, name, "has", len(small), "rows")
        self.claim(len(small) + left_out.pop(name, 0) == len(whole), words, name, "has", len(small),
                   "rows of", len(whole))
        of_whole = iter(whole)
        for row in small:
            self.claim(any(self.same(one, row) for one in of_whole), words, name, "has a row", row)

    def same(self, whole, row):
        """Return true if this is the same row; lists and texts may be cut."""
        return all(self.is_value(whole[name], row, name) for name in row if name in whole)

    @staticmethod
    def is_value(whole, small, member):
        value = small[member]
        if not small.get(f"{member}_truncated"):
            return value == whole
        if isinstance(value, str):
            return value != whole and whole.startswith(value)
        count = small.get(f"{member}_{'frames' if member.endswith('stack') else 'count'}")
        return (len(value) <= FRAMES and count == len(whole)
                and all(full.startswith(text) for full, text in zip(whole, value)))

    def shapes(self):
        """Inputs unlike any sample: a long path, long names, many files."""
        header = b"\n".join((SAMPLES / "shop-v2.oemp").read_bytes().splitlines()) + b"\n"
        with tempfile.TemporaryDirectory() as folder:
            deep = pathlib.Path(folder, *["d" * 200] * 10)
            deep.mkdir(parents=True)
            (deep / "long.oemp").write_bytes(header)
            self.answer(["analyze"], deep / "long.oemp")
            names = pathlib.Path(folder) / "names.oemp"
            names.write_bytes(header.replace(b"shop.", b"shop" + b"\xc3\xa4" * 1500 + b"."))
            self.answer(["analyze"], names)
            self.answer(["leaks"], names)
            many = pathlib.Path(folder) / "many"
            many.mkdir()
            for place in range(30):
                (many / f"{place}.oemp").symlink_to(SAMPLES / "shop-v2.oemp")
            self.answer(["analyze"], many)
            self.answer(["leaks", "--max-leaked", "1"], many)

    def first_screens(self):
        """The text of analyze begins like the text with all tables, and ends with a command that works."""
        files = sorted(p for p in SAMPLES.iterdir() if p.suffix in ENDINGS)
        more = [["--limit", "2"], ["--min-size", "64"], ["--type", "*"], ["--max-leaked", "1"],
                ["--suppress", SAMPLES / "shop.suppressions"], ["--from", "first", "--to", "last"]]
        asked = [[path] for path in files] + [[SAMPLES], [SAMPLES / f"shop-{i}.gclog" for i in "123"],
                                              [SAMPLES / f"shop-v{i}.prf" for i in "34"],
                                              [path for path in files if path.suffix == ".oemp"]]
        with tempfile.TemporaryDirectory() as folder:
            odd = pathlib.Path(folder, "-odd name.oemp")
            odd.symlink_to(SAMPLES / "shop-v2.oemp")
            for words in asked + [[*options, path] for options in more for path in files] + [["--", odd]]:
                self.first_screen(words)
            with open(SAMPLES / "shop-v2.oemp", "rb") as stdin:
                done = subprocess.run([self.runs.program, "analyze", "-", "--quiet"], stdin=stdin, check=True,
                                      stdout=subprocess.PIPE)
            self.claim(done.stdout.endswith(b"\nNext: memprof leaks -\n"), "standard input", done.stdout[-99:])

    def first_screen(self, words):
        done = self.ask("analyze", *words)
        if done.returncode == 2:
            return
        whole, shown = (self.ask("analyze", "--all-tables", *words).stdout.decode(), done.stdout.decode())
        head, _, tail = shown.rpartition("\n\n")
        head, following = (head.split("\n\n"), tail.splitlines()) if "Next: " in tail else ([], [])
        self.claim(head and head == whole.split("\n\n")[:len(head)], words, "begins otherwise")
        self.claim(len(head) <= 2 + 3, words, f"has {len(head)} parts")
        self.claim(following and following[-1].startswith("Next: memprof "), words, "ends with", following)
        rest = len(whole.split("\n\n")) - 1 - len(head)
        self.claim((rest > 0) == (len(following) > 1), words, f"leaves out {rest} tables")
        if not following or following[-1].endswith(" FILE..."):
            return
        command = shlex.split(following[-1].removeprefix("Next: memprof "))
        then = self.ask(*command)
        self.answers += 1
        self.claim(then.returncode == done.returncode and then.stdout, command, "gives", then.returncode)

    def refusals(self):
        for form in ("csv", "markdown", "junit", "rpt"):
            done = self.ask("analyze", SAMPLES / "shop-v2.oemp", "--format", form, "--brief")
            self.claim(done.returncode == 2 and not done.stdout, form, "can be brief")


def main():
    options = arguments(__doc__, server=str, tables=PROGRAM)
    os.environ["MEMPROF_NO_CONFIG"] = "1"
    commands = subprocess.run([options.tables, "commands"], stdout=subprocess.PIPE, check=True)
    trials = Trials(options.memprof, options.server)
    trials.all_samples(commands.stdout.decode().split())
    trials.shapes()
    trials.first_screens()
    trials.refusals()
    trials.claim(trials.answers >= 200, f"only {trials.answers} answers")
    return trials.end()


if __name__ == "__main__":
    sys.exit(main())
