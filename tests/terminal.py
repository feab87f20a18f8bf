#!/usr/bin/env python3
"""Behaviour on a terminal, and with a reader that stops reading.

Terminals are pseudo-terminals of 24 lines and 80 columns. A pager reads what would otherwise be printed, and
the program waits for it. Nothing that the pager does changes the exit status or the messages.
"""
import fcntl
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from claims import Claims, arguments
from roots import skip

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
LONG = ["analyze", str(SAMPLES / "shop-v2.oemp")]
SHORT = ["snapshots", str(SAMPLES / "shop-v2.oemp")]
SECONDS = 20


class Terminal:
    """A program on its own pseudo-terminal: its output, and the keys that are typed."""

    def __init__(self, words, **variables):
        environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8",
                       "MEMPROF_NO_CONFIG": "1", **variables}
        self.printed, self.status = b"", None
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
                os.execve(words[0], words, environment)
            finally:
                os._exit(126)

    def read(self, seconds):
        """Read available output. Return False at the end, or if nothing arrives for this many seconds."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.terminal, 1 << 16)
        except OSError:  # Linux reports in this way that the terminal is closed
            data = b""
        self.printed += data
        return bool(data)

    def waits_behind(self, text):
        """Return true if the program prints the text and then does nothing."""
        while text not in self.printed and self.read(SECONDS):
            pass
        return text in self.printed and not self.read(0.3) and self.is_there()

    def is_there(self):
        """Return true if the program has not ended."""
        return os.waitpid(self.process, os.WNOHANG)[0] == 0

    def type(self, keys):
        os.write(self.terminal, keys)

    def end(self):
        """Read to the end. Return the text, and set `status`."""
        while self.read(SECONDS):
            pass
        until = time.monotonic() + SECONDS
        while self.status is None and time.monotonic() < until:
            process, status = os.waitpid(self.process, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if process else None
            time.sleep(0 if process else 0.01)
        if self.status is None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.terminal)
        return self.printed.decode().replace("\r\n", "\n")


class Trials(Claims):
    def __init__(self, program):
        super().__init__()
        self.program = str(program)

    def on_terminal(self, *words, **variables):
        """Start the program on a terminal."""
        return Terminal([self.program, *words], **variables)

    def printed(self, *words, **variables):
        """Return the output on a terminal where nobody types, and the status."""
        terminal = self.on_terminal(*words, **variables)
        return terminal.end(), terminal.status

    # --- which pager ---

    def choice(self):
        plain, status = self.printed(*LONG, "--no-pager")
        self.claim(status == 0 and plain.count("\n") > 24, "--no-pager prints all of it", plain)
        mark = "sed s/^/1:/"
        marked = "".join(f"1:{line}" for line in plain.splitlines(keepends=True))
        other = "sed s/^/2:/"
        for how, variables in (
                ("MEMPROF_PAGER is the pager", {"MEMPROF_PAGER": mark}),
                ("MEMPROF_PAGER goes before PAGER", {"MEMPROF_PAGER": mark, "PAGER": other}),
                ("PAGER is the pager", {"PAGER": mark})):
            self.claim(self.printed(*LONG, **variables) == (marked, 0), how)
        for how, variables in (
                ("an empty MEMPROF_PAGER is none", {"MEMPROF_PAGER": "", "PAGER": mark}),
                ("cat is none", {"MEMPROF_PAGER": "cat", "PAGER": mark}),
                ("an empty PAGER is none", {"PAGER": ""}),
                ("a pager that is not there is passed over", {"PAGER": "/no/such/pager"}),
                ("so is one that PATH does not have", {"PAGER": "no-such-pager"}),
                ("a dumb terminal has none", {"PAGER": mark, "TERM": "dumb"})):
            printed, status = self.printed(*LONG, **variables)
            same = plain if "TERM" not in variables else self.printed(*LONG, "--no-pager",
                                                                      TERM="dumb")[0]
            self.claim((printed, status) == (same, 0), how, printed)
        printed, status = self.printed(*LONG, PAGER="no-such-pager --with words")
        self.claim(printed.endswith(plain) and status == 0, "what a shell does not find, too",
                   printed)
        self.claim(self.printed(*LONG, "--format", "json", PAGER=mark)[0].startswith("{"),
                   "other formats have none")
        self.claim(self.printed("--version", PAGER=mark)[0].startswith("memprof "),
                   "the version has none")
        for words in (["--help"], ["top", "--help"]):
            helped = self.printed(*words, "--no-pager")[0]
            self.claim(self.printed(*words, PAGER=mark) ==
                       ("".join(f"1:{line}" for line in helped.splitlines(keepends=True)), 0),
                       "help has one", words)
        told = "echo \"LESS is $LESS\"; cat"
        self.claim("LESS is FRX\n" in self.printed(*LONG, PAGER=told)[0], "LESS is FRX")
        self.claim("LESS is S\n" in self.printed(*LONG, PAGER=told, LESS="S")[0],
                   "LESS is the user's")

    def elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/report"
            printed, status = self.printed(*LONG, "--output", file, PAGER="echo paged")
            self.claim(not printed and status == 0, "a file has no pager", printed)
            report = pathlib.Path(file).read_text(encoding="utf-8")
            script = '"$0" "$@" | cat; echo "$?"'
            terminal = Terminal(["/bin/sh", "-c", script, self.program, *LONG], PAGER="echo paged")
            printed = terminal.end()
            self.claim("paged" not in printed and printed.count("\n") == report.count("\n") + 1,
                       "a pipe has no pager", printed)

    def around(self):
        """A message about the browser follows a table that was cut on a terminal. It is not printed elsewhere,
        nor if the user chose the number of rows, nor if the browser does not have the answer."""
        sample = str(SAMPLES / "shop-v2.oemp")
        told = "Interactive view: memprof browse"
        if "built without a screen" in self.printed("browse", sample)[0]:
            return
        for words, behind in ((["analyze"], ""), (["growth"], ""), (["top", "--by", "site", "--encoding", "CP1252"],
                                                                   "--encoding CP1252 ")):
            printed, _ = self.printed(*words, sample, "--width", "0", "--no-pager")
            self.claim(("(--limit 0 shows all)" in printed) == (told in printed), "where rows are left out", words)
            lines = [line for line in printed.splitlines() if not line.startswith("Next: ")]
            self.claim(told not in printed or lines[-1] == f"{told} {behind}{sample}", "the last line", printed[-300:])
        self.claim(told in self.printed("analyze", sample, "--width", "0", "--no-pager")[0], "of analyze")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(sample, folder)
            script = '"$0" "$@" < /dev/null'
            for what, printed in (
                    ("more rows were asked for", self.printed("analyze", sample, "--limit", "2", "--no-pager")[0]),
                    ("in short", self.printed("top", "--by", "site", sample, "--brief", "--no-pager")[0]),
                    ("all of a folder", self.printed("analyze", folder, "--no-pager")[0]),
                    ("two files", self.printed("analyze", sample, str(SAMPLES / "shop-v1.oemp"), "--no-pager")[0]),
                    ("no view of it", self.printed("treemap", str(SAMPLES / "shop-v4.prf"), "--no-pager")[0]),
                    ("markdown", self.printed("analyze", sample, "--format", "markdown", "--no-pager")[0]),
                    ("a dumb terminal", self.printed("analyze", sample, "--no-pager", TERM="dumb")[0]),
                    ("nobody types", Terminal(["/bin/sh", "-c", script, self.program, "analyze", sample,
                                               "--no-pager"]).end()),
                    ("a pipe", subprocess.run([self.program, "analyze", sample], capture_output=True, text=True,
                                              check=True, env={"MEMPROF_NO_CONFIG": "1"}).stdout)):
                self.claim("more" in printed and told not in printed, what, printed[-300:])

    # --- what becomes of the program ---

    def ends(self):
        printed, status = self.printed(*LONG, PAGER="exit 5;")
        self.claim(status == 0, "and not the pager's", status, printed)
        printed, status = self.printed(*LONG, "--max-leaked", "1", PAGER="true")
        self.claim(status == 1 and "leaked" in printed,
                   "the status is the answer's, and what is said behind it is seen", printed)
        printed, status = self.printed(*LONG, "--limit", "0", PAGER="head -1")
        self.claim(printed.count("\n") == 1 and status == 0, "a pager may end early", printed)
        printed, status = self.printed(*LONG, PAGER="cat >/dev/null; sleep 0.5; echo done")
        self.claim(printed == "done\n" and status == 0, "the pager is waited for", printed)
        printed, status = self.printed("/no/such/file", PAGER="echo paged")
        self.claim("paged" not in printed and status == 3, "no answer, no pager", printed)

    def less(self):
        printed, status = self.printed(*SHORT)
        self.claim(status == 0 and "oemp" in printed, "a short answer waits for no key", printed)
        plain = self.printed(*LONG, "--no-pager")[0]
        last = plain.splitlines()[-1].strip().encode()
        damaged = ["analyze", str(SAMPLES / "shop-damaged.taligent"), "--limit", "50"]
        for words, key, name in ((LONG, b"q", "q"), (LONG, b"\x03q", "Ctrl-C and q"),
                                 (damaged, b"q", "q")):
            terminal = self.on_terminal(*words)
            self.claim(terminal.waits_behind(b"\n:\x1b[K"), "a long answer waits", terminal.printed)
            self.claim(last not in terminal.printed, "its end is not there yet")
            self.claim(b"warning:" not in terminal.printed, "the answer is first", terminal.printed)
            terminal.type(key[:1])
            if len(key) > 1:
                time.sleep(0.3)
                self.claim(terminal.is_there(), "Ctrl-C does not end it")
                terminal.type(key[1:])
            printed = terminal.end()
            self.claim(terminal.status == 0 and "Broken" not in printed, f"{name} ends it", printed,
                       terminal.status)
            self.claim(("warning:" in printed) == (words is damaged), "notes stand below it", printed)

    # --- pipes that nobody reads ---

    def closed_pipes(self):
        """As cat does, the program ends by the signal without a message, however its parent treats the signal."""
        for ignored in (False, True):
            for form in ("text", "json", "csv", "markdown"):
                self.closed_pipe(ignored, *LONG, "--format", form)
            self.closed_pipe(ignored, "--help")
            self.closed_pipe(ignored, "gate", str(SAMPLES / "shop.policy"),
                             str(SAMPLES / "shop-v2.oemp"), "--format", "junit")
        with tempfile.TemporaryDirectory() as folder:
            script = '"$0" "$@" | head -1'
            for form in ("text", "json", "csv", "markdown"):
                done = subprocess.run(["bash", "-c", script, self.program, *LONG, "--format", form],
                                      cwd=folder, capture_output=True, check=False)
                self.claim(done.stdout.count(b"\n") == 1 and not done.stderr,
                           "| head -1 says nothing more", done)

    def closed_pipe(self, ignored, *words):
        ours, theirs = os.pipe()
        os.close(ours)
        with subprocess.Popen([self.program, *words], stdout=theirs, stderr=subprocess.PIPE,
                              restore_signals=not ignored) as process:
            os.close(theirs)
            said = process.communicate(timeout=SECONDS)[1]
        self.claim(process.returncode == -signal.SIGPIPE and not said,
                   "nobody reads it, and nothing is said of that", words, process.returncode, said)


def main():
    trials = Trials(arguments(__doc__).memprof)
    trials.choice()
    trials.elsewhere()
    trials.around()
    trials.ends()
    trials.closed_pipes()
    has_less = shutil.which("less")
    if has_less:
        trials.less()
    status = trials.end()
    if not has_less and not status:
        skip("less is not installed")
    return status


if __name__ == "__main__":
    sys.exit(main())
