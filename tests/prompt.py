#!/usr/bin/env python3
"""The prompt of memprof sql, on a pseudo-terminal.

  tests/prompt.py --memprof PROGRAM [--edit]   --edit: the program was built with libedit

Answers are compared with those of single statements. A step waits for a text of the answer that the typed
line does not have, so nothing depends on time.
"""
import contextlib
import csv
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time

from claims import Claims, arguments
from roots import skip
from terminal import Terminal

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
SECONDS = 120  # after which an answer is missing
# A statement that only its limit ends: 20 s of processor time for slow functions.
ENDLESS = "with recursive a(x) as (select 1 union all select x + 1 from a) select max(length(hex(randomblob(99999)))) from a;"


class Prompt(Terminal):
    """A prompt. Text from `mark` on has not been read by any step."""

    def __init__(self, words, **variables):
        super().__init__(words, **{"MEMPROF_NO_CONFIG": "1", **variables})
        self.mark = 0

    def comes(self, *texts):
        """Return true if the program prints one of these texts."""
        until = time.monotonic() + SECONDS
        while True:
            ends = [end + len(text) for text in texts if (end := self.printed.find(text.encode(), self.mark)) >= 0]
            if ends:
                self.mark = min(ends)
                return True
            if time.monotonic() > until or not self.read(SECONDS):
                return False

    def enter(self, line, answer):
        """Type a line; return true if the answer comes."""
        self.type(f"{line}\n".encode())
        return self.comes(answer)

    def leave(self):
        """Type Ctrl-D until the program ends. libedit misses one that comes before it has changed the
        terminal."""
        until = time.monotonic() + SECONDS
        ended = False
        while not ended and time.monotonic() < until:
            with contextlib.suppress(OSError):  # it may have ended
                os.write(self.terminal, b"\x04")
            while not ended and select.select([self.terminal], [], [], 1)[0]:
                ended = not self.read(0)
        return self.end()

    def rest(self):
        return self.printed[-1000:]


class Trials(Claims):
    def __init__(self, program, folder):
        super().__init__()
        self.program, self.folder = str(program), folder
        self.sample = folder / "shop.oemp"
        shutil.copy(SAMPLES / "shop-v2.oemp", self.sample)

    def prompt(self, *words, **variables):
        return Prompt([self.program, "sql", *map(str, words)], **variables)

    def value(self, statement, *files):
        """Return the value that the same statement gives on a command line."""
        done = subprocess.run([self.program, "sql", *map(str, files or [self.sample]), statement, "--format", "csv",
                               "--no-config"], capture_output=True, text=True, check=True)
        return list(csv.reader(done.stdout.splitlines()))[1][0]

    # --- on any terminal ---

    def statements(self, **variables):
        """Statements of several lines, several in a line, errors, and commands. The recording is read once."""
        total = self.value("select sum(live_bytes) from sites")
        name = self.value("select recording from sites limit 1")
        prompt = self.prompt(self.sample, **variables)
        self.claim(prompt.comes("memory recording of 8 snapshots") and prompt.comes(".quit leaves"), "the beginning",
                   prompt.rest())
        self.claim(prompt.comes("memprof> "), "the prompt", prompt.rest())
        self.sample.rename(self.folder / "gone")
        prompt.type(b"select 'total=' ||\n")
        self.claim(prompt.comes("...> "), "a statement goes on", prompt.rest())
        self.claim(prompt.enter("  sum(live_bytes) from sites;", f"total={total}"), "a statement over lines",
                   prompt.rest())
        self.claim(prompt.enter("select 'a' || (5 * 5); select 'b;' || (6 * 6);", "a25") and prompt.comes("b;36"),
                   "two statements", prompt.rest())
        self.claim(prompt.enter("selec 1;", "syntax error"), "an error", prompt.rest())
        for word in "drop table sites", "attach 'x' as y", "pragma user_version = 1":
            self.claim(prompt.enter(f"{word};", "a statement can only read"), word, prompt.rest())
        self.claim(prompt.enter("select 'name=' || recording from sites limit 1;", f"name={name}"),
                   "the recording has its checksum", prompt.rest())
        self.claim(prompt.enter("select value from generate_series(1, 2);", "no such table"), "goes on", prompt.rest())
        self.claim(prompt.enter(".schema", "what happened"), "the tables", prompt.rest())
        self.claim(prompt.enter(".nothing", "expected .schema or .quit"), "an unknown command", prompt.rest())
        prompt.type(b".quit\n")
        prompt.end()
        self.claim(prompt.status == 0, ".quit leaves", prompt.status)
        (self.folder / "gone").rename(self.sample)

    def several(self):
        """Several recordings are read once, too."""
        copies = [self.folder / f"{name}.oemp" for name in ("v2", "requests")]
        shutil.copy(SAMPLES / "shop-v2.oemp", copies[0])
        shutil.copy(SAMPLES / "shop-requests-AS1.oemp", copies[1])
        statement = "select 'sum=' || sum(leaked_bytes) from leaks"
        total = self.value(statement, *copies)
        prompt = self.prompt(*copies, TERM="dumb")
        self.claim(prompt.comes("memprof> "), "two recordings", prompt.rest())
        for copy in copies:
            copy.unlink()
        for _ in range(2):
            self.claim(prompt.enter(f"{statement};", total), "an answer about both", prompt.rest())
        prompt.leave()
        self.claim(prompt.status == 0, "Ctrl-D leaves", prompt.status)

    def limited(self):
        """Rows are limited. --max-time ends statements, and does not count the time in which nothing runs."""
        numbers = "with recursive a(x) as (select 1 union all select x + 1 from a where x < 2000) select x + 70000 from a;"
        prompt = self.prompt(self.sample, "--max-time", "4s", TERM="dumb")
        self.claim(prompt.comes("memprof> ") and prompt.enter(numbers, "71000") and prompt.comes("and 1,000 more"),
                   "1,000 rows", prompt.rest())
        self.claim(prompt.enter(ENDLESS, "after the time of --max-time"), "--max-time", prompt.rest())
        self.claim(prompt.enter("select 'a' || (5 * 5);", "a25"), "goes on", prompt.rest())
        prompt.leave()
        self.claim(prompt.status == 0, "it is no failure", prompt.status)
        prompt = self.prompt(self.sample, "--limit", "2000", "--format", "csv", TERM="dumb")
        self.claim(prompt.comes("memprof> ") and prompt.enter(numbers, "\n72000"), "--limit, --format", prompt.rest())
        prompt.type(b".q\n")
        self.claim("memory recording" not in prompt.end(), "no title for programs", prompt.rest())

    def interrupted(self, **variables):
        """Ctrl-C discards the typed text, and stops a statement, but not the program."""
        prompt = self.prompt(self.sample, **variables)
        self.claim(prompt.comes("memprof> "), "it begins", prompt.rest())
        prompt.type(b"select 'first'\n")
        self.claim(prompt.comes("...> "), "a statement goes on", prompt.rest())
        prompt.type(b"\x03")
        self.claim(prompt.comes("memprof> ") and prompt.enter("select 'k' || (5 * 5);", "k25"), "forgets the statement",
                   prompt.rest())
        stopped = False
        for wait in (0.2, 1, 2, 4, 8):  # if Ctrl-C comes before the second statement, that is not run
            self.claim(prompt.enter(f"select 'go' || (6 * 6); {ENDLESS}", "go36"), "before it", prompt.rest())
            time.sleep(wait)
            prompt.type(b"\x03")
            seen = prompt.mark
            self.claim(prompt.comes("memprof> "), "the prompt comes back", prompt.rest())
            stopped = b"the statement was interrupted" in prompt.printed[seen:]
            if stopped:
                break
        self.claim(stopped, "Ctrl-C stops a statement", prompt.rest())
        self.claim(prompt.enter("select 'm' || (7 * 7);", "m49"), "and the next one runs", prompt.rest())
        prompt.type(b"select 1\n")
        self.claim(prompt.comes("...> "), "a statement goes on", prompt.rest())
        text = prompt.leave()
        self.claim(prompt.status == 0 and "has no semicolon, and was not run" in text, "Ctrl-D leaves", prompt.status,
                   text[-300:])

    def statuses(self):
        torn = self.folder / "torn.oemp"
        torn.write_bytes(self.sample.read_bytes()[:-2000])
        prompt = self.prompt(torn, "--strict", TERM="dumb")
        self.claim(prompt.comes("memprof> ") and prompt.enter("select 'a' || (5 * 5);", "a25"), "a truncated recording",
                   prompt.rest())
        prompt.type(b".quit\n")
        prompt.end()
        self.claim(prompt.status == 3, "its status", prompt.status)
        for words, status in (([self.folder / "torn.oemp", self.folder / "none.oemp"], 2),
                              ([self.sample, "--from", "77"], 2), ([self.sample, "--output", self.folder / "x"], 2),
                              ([self.sample, "--file", self.folder / "none.sql"], 3)):
            prompt = self.prompt(*words, TERM="dumb")
            text = prompt.end()
            self.claim(prompt.status == status and "memprof> " not in text, words, prompt.status, text)
        done = subprocess.run([self.program, "sql", self.sample], input="select 1;\n", text=True, capture_output=True,
                              check=False)
        self.claim(done.returncode == 2 and "needs STATEMENT" in done.stderr, "a pipe has no prompt", done)

    # --- with libedit ---

    def completed(self):
        types = self.value("select count(*) from top_types")
        most = self.value("select max(leaking_bytes) from leaks")
        prompt = self.prompt(self.sample)
        self.claim(prompt.comes("memprof> "), "it begins", prompt.rest())
        self.claim(prompt.enter("sel\t'types=' || cou\t(*) from top_ty\t;", f"types={types}"), "names are completed",
                   prompt.rest())
        self.claim(prompt.enter("select 'most=' || max(l.leaking_\t) from leaks l;", f"most={most}"), "a column",
                   prompt.rest())
        prompt.type(b"select lea")
        self.claim(prompt.comes("select lea"), "echo", prompt.rest())
        prompt.type(b"\t\t")
        self.claim(prompt.comes("leaked_objects") and prompt.comes("leaks"), "names are listed", prompt.rest())
        prompt.type(b"\x15")  # Ctrl-U
        self.claim(prompt.enter("select 'ü' || (5 * 5);", "ü25"), "other characters", prompt.rest())
        prompt.leave()
        self.claim(prompt.status == 0, "Ctrl-D leaves", prompt.status)

    def remembered(self):
        """Lines are saved in a file that only the user can read, if there is a folder for it."""
        home, state = self.folder / "home", self.folder / "state"
        home.mkdir()
        for variables, file in (({"HOME": str(home)}, home / ".local/state/memprof/sql_history"),
                                ({"HOME": str(home), "XDG_STATE_HOME": str(state)}, state / "memprof/sql_history")):
            prompt = self.prompt(self.sample, **variables)
            self.claim(prompt.comes("memprof> ") and prompt.enter("select 'a' || (5 * 5);", "a25"), "first", prompt.rest())
            prompt.leave()
            self.claim(file.read_text(encoding="utf-8") == "select 'a' || (5 * 5);\n", "a line is kept", file)
            self.claim(file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700,
                       "nobody else reads it")
            prompt = self.prompt(self.sample, **variables)
            self.claim(prompt.comes("memprof> "), "again", prompt.rest())
            prompt.type(b"\x1b[A")  # up
            self.claim(prompt.comes("(5 * 5);"), "the line comes back", prompt.rest())
            prompt.type(b"\n")
            self.claim(prompt.comes("a25"), "and runs", prompt.rest())
            prompt.leave()
        file.write_text("".join(f"select {i};\n" for i in range(20000)), encoding="utf-8")
        prompt = self.prompt(self.sample, **variables)
        self.claim(prompt.comes("memprof> "), "a long history", prompt.rest())
        prompt.leave()
        self.claim(file.read_text(encoding="utf-8") == "".join(f"select {i};\n" for i in range(19000, 20000)),
                   "is cut to its last 1,000 lines", file.stat().st_size)

    def forgetful(self):
        """If the history cannot be saved, there is no message."""
        pipe = self.folder / "odd" / "memprof" / "sql_history"
        pipe.parent.mkdir(parents=True)
        os.mkfifo(pipe)
        for variables in ({}, {"HOME": "/proc/none"}, {"HOME": "relative"}, {"XDG_STATE_HOME": str(self.sample)},
                          {"XDG_STATE_HOME": str(self.folder / "odd")}):
            prompt = self.prompt(self.sample, **variables)
            self.claim(prompt.comes("memprof> ") and prompt.enter("select 'a' || (5 * 5);", "a25"), variables,
                       prompt.rest())
            prompt.type(b".quit\n")
            text = prompt.end()
            self.claim(prompt.status == 0 and "istory" not in text, "no history", prompt.status, text)

    def restored(self):
        """A signal that ends the program in the middle of a line leaves the terminal as it was."""
        prompt = self.prompt(self.sample)
        self.claim(prompt.comes("memprof> "), "it begins", prompt.rest())
        prompt.type(b"select 12")
        self.claim(prompt.comes("12"), "a line", prompt.rest())
        until = time.monotonic() + SECONDS
        while termios.tcgetattr(prompt.terminal)[3] & termios.ICANON and time.monotonic() < until:
            time.sleep(0.01)
        self.claim(not termios.tcgetattr(prompt.terminal)[3] & termios.ICANON, "is edited")
        kept = os.open(os.readlink(f"/proc/{prompt.process}/fd/0"), os.O_RDWR | os.O_NOCTTY)
        os.kill(prompt.process, signal.SIGTERM)
        while os.waitpid(prompt.process, os.WNOHANG)[0] == 0:
            time.sleep(0.01)
        lines = termios.tcgetattr(kept)[3]
        self.claim(lines & termios.ICANON and lines & termios.ECHO, "the terminal is restored", lines)
        os.close(kept)
        os.close(prompt.terminal)


def main():
    options = arguments(__doc__, edit=bool)
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(options.memprof, pathlib.Path(folder))
        for variables in {"TERM": "dumb"}, {"TERM": ""}, {}:
            trials.statements(**variables)
        trials.several()
        trials.limited()
        for variables in {"TERM": "dumb"}, {}:
            trials.interrupted(**variables)
        trials.statuses()
        if options.edit:
            trials.completed()
            trials.remembered()
            trials.forgetful()
            trials.restored()
    status = trials.end()
    if not options.edit and not status:
        skip("the program was built without libedit, so lines are plain")
    return status


if __name__ == "__main__":
    sys.exit(main())
