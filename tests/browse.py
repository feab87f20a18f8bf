#!/usr/bin/env python3
"""The full screen of `memprof browse`, as the terminal emulator python3-pyte shows it.

  tests/browse.py --memprof PROGRAM    exit 1 and the faults; 77: cannot be tested here

The screen must agree with other commands. On a terminal that is high enough, each view shows the lines of its
command's text with closed stacks, and nothing else.
"""
import fcntl
import gzip
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from claims import Claims, arguments
from roots import skip

try:
    import pyte
except ImportError:
    pyte = None

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
SECONDS = 20
ENTER, ESCAPE, TAB = "\r", "\x1b", "\t"
# The views of each kind of recording, with the options of their commands.
OVERVIEW, LIMIT = ["analyze", "--all-tables"], ["--limit", "500"]
HEAPS = {"overview": OVERVIEW, "leaks": ["leaks", "--stack-depth", "0", *LIMIT], "types": ["top", *LIMIT],
         "sites": ["top", "--by", "site", "--stack-depth", "0", *LIMIT], "tree": ["tree", *LIMIT],
         "snapshots": ["snapshots"], "growth": ["growth", *LIMIT], "stacks": ["flame", *LIMIT]}
DUMPS = {"overview": OVERVIEW, "leaks": ["leaks", *LIMIT], "types": ["top", *LIMIT],
         "snapshots": ["snapshots"], "dominators": ["dominators", *LIMIT], "retained": ["retained", *LIMIT],
         "stacks": ["flame", *LIMIT]}
PROFILES = {"overview": OVERVIEW, "lines": ["top", *LIMIT], "tree": ["tree", *LIMIT],
            "calls": ["calls", *LIMIT], "timeline": ["timeline", *LIMIT]}
FEW = {name: words for name, words in DUMPS.items() if name != "retained"}  # more rows than a screen here
SAMPLED = {name: words for name, words in PROFILES.items() if name != "timeline"}
VIEWS = {"shop-v2.oemp": {**HEAPS, "lifetimes": ["lifetimes", *LIMIT]}, "shop.taligent": HEAPS,
         "shop-aqtime.sqlite": HEAPS, "shop-1.gclog": DUMPS, "shop-v4.prf": PROFILES,
         "shop-2.hprof": FEW, "shop.heaptrack": HEAPS, "shop.agent.log": HEAPS, "shop-objects-2.json": HEAPS,
         "shop-2.pprof": HEAPS, "shop.memcheck": HEAPS, "shop-1.heap": HEAPS, "shop-1.heapprofile": HEAPS,
         "shop.lsan": HEAPS, "shop.cpuprofile": SAMPLED, "shop-cpu.pb": SAMPLED, "shop.folded": SAMPLED,
         "shop-old.rpt": {"overview": OVERVIEW, "lines": ["top", *LIMIT]}}

CALLER = re.compile(r" {6}(called from |and [\d,]+ more callers?$)")


class Terminal:
    """The program on a pseudo-terminal, and the screen that it draws. The program's end stays open here too;
    otherwise the system would restore the settings when the program ends, whatever it leaves."""

    def __init__(self, words, lines=24, columns=100, **variables):
        environment = {"PATH": os.environ["PATH"], "TERM": "linux", "MEMPROF_NO_CONFIG": "1", **variables}
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.printed, self.ended, self.status = b"", False, None
        self.terminal, self.inner = pty.openpty()
        fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.before = termios.tcgetattr(self.inner)
        self.process = os.fork()
        if self.process == 0:
            try:
                os.close(self.terminal)
                os.login_tty(self.inner)
                os.execve(words[0], words, environment)
            finally:
                os._exit(126)

    def has_status(self):
        if self.status is None:
            process, status = os.waitpid(self.process, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if process else None
        return self.status is not None

    def read(self, seconds):
        """Read available output. Return False if there is none, or if no more can come."""
        gone = self.has_status()
        if not select.select([self.terminal], [], [], 0 if gone else seconds)[0]:
            self.ended = gone
            return False
        data = os.read(self.terminal, 1 << 16)
        self.printed += data
        self.stream.feed(data)
        return True

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def text(self):
        return "\n".join(self.lines())

    def shows(self, pattern):
        """Wait until the screen shows the pattern; return False if it never does."""
        until = time.monotonic() + SECONDS
        while not re.search(pattern, self.text(), re.M):
            if time.monotonic() > until or self.ended:
                return False
            self.read(0.2)
        while self.read(0.01):  # read everything that is drawn at once
            pass
        return True

    def current(self):
        """Return the line with the cursor."""
        return next((line[1:].strip() for line in self.lines() if line.startswith(">")), None)

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def resize(self, lines, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)
        self.screen.reset()
        os.kill(self.process, signal.SIGWINCH)

    def end(self, keys="Q"):
        """Press keys that end the program, and return its exit status."""
        if keys:
            self.type(keys)
        until = time.monotonic() + SECONDS
        while not self.ended and time.monotonic() < until:
            self.read(0.05)
        if not self.ended:
            os.kill(self.process, signal.SIGKILL)
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        self.restored = termios.tcgetattr(self.inner) == self.before
        os.close(self.terminal)
        os.close(self.inner)
        return self.status


class Trials(Claims):
    def __init__(self, program, folder):
        super().__init__()
        self.program, self.folder = str(program), pathlib.Path(folder)

    def browse(self, *words, **how):
        return Terminal([self.program, "browse", *map(str, words)], **how)

    def printed(self, words, path, width=100):
        done = subprocess.run([self.program, words[0], str(path), "--width", str(width), *words[1:]],
                              capture_output=True, text=True, check=False,
                              env={"PATH": os.environ["PATH"], "MEMPROF_NO_CONFIG": "1"})
        # the browser names a key where the command names an option, and has no next command
        shown = done.stdout.partition("\nNext: ")[0].replace("--width 0 shows all", "w shows all")
        return shown.rstrip("\n").split("\n")

    # --- views ---

    def views(self):
        """Each line of each view is the same as in the command's text."""
        for name, views in VIEWS.items():
            path = SAMPLES / name
            terminal = self.browse(path, lines=110)
            seen = []
            for _ in range(16):
                if not terminal.shows(r"\[\d? ?\w+\]"):
                    self.claim(False, f"{name} is shown", terminal.text())
                    break
                view = re.search(r"\[\d? ?(\w+)\]", terminal.lines()[0]).group(1)
                if view in seen:
                    break
                seen.append(view)
                if view in views:
                    closed = [line for line in self.printed(views[view], path) if not CALLER.match(line)]
                    self.same(terminal, f"{name}: {view}", closed)
                terminal.type(TAB)
                head = terminal.lines()[0]
                until = time.monotonic() + SECONDS
                while terminal.lines()[0] == head and time.monotonic() < until:
                    terminal.read(0.2)
            self.claim(set(views) <= set(seen), f"{name} has its views", seen)
            self.claim(terminal.end() == 0 and terminal.restored, f"{name}: Q ends")

    def same(self, terminal, what, expected):
        """Wait until the page shows these lines, because a picture may arrive in pieces; return False if it
        never does."""
        until = time.monotonic() + SECONDS
        while True:
            shown = [" " + line[1:] if line.startswith(">") else line for line in terminal.lines()[1:-1]]
            while shown and not shown[-1].strip():
                shown.pop()
            wrong = [f"{a}\n{b}" for a, b in zip(shown, expected) if a.rstrip() != b.rstrip()]
            same = not wrong and len(shown) == len(expected)
            if same or time.monotonic() > until or not terminal.read(2):
                break
        self.claim(same, f"{what} is what the command prints", "\n".join(wrong[:3]), len(shown), len(expected))

    # --- keys ---

    def keys(self):
        path = SAMPLES / "shop-v2.oemp"
        terminal = self.browse(path, lines=40)
        self.claim(terminal.shows("^> +10.4 KiB"), "the worst leak is seen first", terminal.text())
        terminal.type("2")
        terminal.shows(r"\[2 leaks\]")
        deep = self.printed(["leaks", "--stack-depth", "64", *LIMIT], path)
        terminal.type("l")
        self.claim(terminal.shows("called from shop/main.p:52"), "l opens a stack", terminal.text())
        terminal.type("+")
        terminal.shows(r"(main\.p:52(.|\n)*){3}memory that")
        self.same(terminal, "all stacks, opened,", deep)
        terminal.type("-")
        terminal.shows("^ *4.1 KiB(.|\n)*^ *4.0 KiB")
        terminal.type("/PDF")
        self.claim(terminal.shows("^/PDF") and (terminal.screen.cursor.x, terminal.screen.cursor.y) ==
                   (4, len(terminal.lines()) - 1), "the cursor is where it is typed", terminal.screen.cursor)
        terminal.type("WRITER" + ENTER)
        self.claim(terminal.shows("^> *4.0 KiB"), "/ finds, in either case", terminal.text())
        terminal.type("/createInvoice" + ENTER)
        self.claim(terminal.shows('"createInvoice" not found'), "or says that there is none",
                   terminal.text())
        terminal.type("/InvoiceService:49" + ENTER)
        self.claim(terminal.shows("^> *called from create shop.InvoiceService:49"),
                   "what is found in a closed stack opens it", terminal.text())
        terminal.type("h")
        terminal.shows("^> *4.0 KiB")
        terminal.type("g")
        terminal.shows("^> +10.4 KiB")
        terminal.type("G")
        self.claim(terminal.shows("^> *4.0 KiB"), "g and G go to the ends", terminal.text())
        terminal.type("k")
        self.claim(terminal.shows("^> *4.1 KiB"), "k goes up", terminal.text())
        terminal.type("\x1b[B")
        self.claim(terminal.shows("^> *4.0 KiB"), "an arrow goes down", terminal.text())
        self.filters(terminal, path)
        self.links(terminal, path)
        self.sorts(terminal)
        self.sizes(terminal)
        self.claim(terminal.end("Q") == 0 and terminal.restored, "Q ends, the terminal is as it was")
        self.claim(b"\x1b[?1049l" in terminal.printed or b"\x1b[?25h" in terminal.printed or
                   b"\x1b[34h\x1b[?25h" in terminal.printed, "the screen is left", terminal.printed[-80:])

    def filters(self, terminal, path):
        terminal.type("f--typo x" + ENTER)
        self.claim(terminal.shows("unknown option '--typo'; did you mean '--type'"),
                   "a filter is parsed as the command line", terminal.text())
        terminal.type("f--slices 5" + ENTER)
        self.claim(terminal.shows("leaks does not accept --slices|how the recording is read"), "and what is read, refused",
                   terminal.text())
        terminal.type("f--base x" + ENTER)
        self.claim(terminal.shows("does not accept --base|command line"), "no other recording")
        terminal.type("f--type 'MEM*'" + ENTER)
        self.claim(terminal.shows("^.*2 of 29 objects"), "a filter selects", terminal.text())
        self.same(terminal, "with a filter",
                  self.printed(["leaks", "--type", "MEM*", "--stack-depth", "0", *LIMIT], path))
        terminal.type("f")
        self.claim(terminal.shows("^>--type 'MEM"), "it can be changed", terminal.text())
        terminal.type("\x15" + ENTER)
        self.claim(terminal.shows("^ *4.1 KiB"), "and taken away", terminal.text())

    def limits(self):
        """Limits given to the browser apply to later questions."""
        path = self.folder / "long.suppressions.gz"
        path.write_bytes(gzip.compress(b"# nothing\n" * 1000, mtime=0))
        for most, shown in ("1K", "of(.|\\n)--max-unpacked: the rest"), ("1M", r"\[2 leaks\](.|\n)*^> +10.4 KiB"):
            terminal = self.browse(SAMPLES / "shop-v2.oemp", "--max-unpacked", most)
            terminal.shows("^> +10.4 KiB")
            terminal.type(f"2f--suppress {path}" + ENTER)
            self.claim(terminal.shows(shown), f"--max-unpacked {most}", terminal.text())
            terminal.end()

    def links(self, terminal, path):
        terminal.type("G" + ENTER)
        self.claim(terminal.shows("^>1 +leaks of this type(.|\n)*sites of this type"), "Enter leads on",
                   terminal.text())
        terminal.type("2")
        self.claim(terminal.shows("^ leaks > top --by site --type MEMPTR"), "to another view",
                   terminal.text())
        self.same(terminal, "what a row leads to",
                  self.printed(["top", "--by", "site", "--type", "MEMPTR", "--stack-depth", "0", *LIMIT], path))
        terminal.type("G" + ENTER)
        self.claim(terminal.shows("^>1 +leaks at this site(.|\n)*call tree to this site(.|\n)*its callers"), "a site leads on",
                   terminal.text())
        terminal.type("2")
        self.claim(terminal.shows("^ leaks > top > tree --stack"), "to its stack", terminal.text())
        terminal.type("qq")
        self.claim(terminal.shows(r"\[2 leaks\]"), "q goes back", terminal.text())
        self.ways(terminal)
        terminal.type(":calls placeOrder" + ENTER)
        self.claim(terminal.shows("^ leaks > calls +placeOrder"), "a command is asked", terminal.text())
        terminal.type(":no such" + ENTER)
        self.claim(terminal.shows("unknown command 'no'"), "or not", terminal.text())
        terminal.type(":flam" + ENTER)
        self.claim(terminal.shows("unknown command 'flam'; did you mean 'flame'\\?"), "or nearly", terminal.text())
        terminal.type(":leaks /etc/passwd" + ENTER)
        self.claim(terminal.shows("too many words"), "no other file is read", terminal.text())
        terminal.type(ESCAPE)
        self.claim(terminal.shows(r"\[2 leaks\]"), "Escape goes back", terminal.text())
        terminal.type("?")
        self.claim(terminal.shows("Ctrl-D Ctrl-U +half a page"), "? helps", terminal.text())
        terminal.type("q")
        terminal.shows(r"\[2 leaks\]")

    def ways(self, terminal):
        """c leads from a leak, a type or a frame to the calls that lead there, and back."""
        self.claim(terminal.shows(r"c calls"), "the last line shows c", terminal.text())
        terminal.type("Gc")
        self.claim(terminal.shows(r"^ leaks > tree +--stack '\^write shop\\.PdfWriter:52\$'"),
                   "from a leak to its call tree", terminal.text())
        terminal.type("q3")
        terminal.shows(r"\[3 types\]")
        terminal.type("Gc")
        self.claim(terminal.shows("^ types > tree +--type "), "from a type", terminal.text())
        terminal.type("q2")
        terminal.shows(r"\[2 leaks\]")
        terminal.type("/InvoiceService:49" + ENTER + "c")
        self.claim(terminal.shows("^ leaks > calls +'?create shop.InvoiceService:49"), "from a frame to its callers",
                   terminal.text())
        terminal.type("qhG")
        terminal.shows("^> *4.0 KiB")

    def sorts(self, terminal):
        terminal.type("3")
        terminal.shows(r"\[3 types\]")
        terminal.type("s")
        self.claim(terminal.shows("Sort by"), "s asks by what", terminal.text())
        column = next(line for line in terminal.lines() if line.endswith("  Objects"))
        terminal.type(column[1])
        self.claim(terminal.shows(r"\? help") and not re.search("Sort by", terminal.text()), "and sorts")
        self.claim((terminal.current() or "").endswith("OOABL Obj"), "and is on its first row", terminal.text())
        rows = [line for line in terminal.lines() if re.match(r"^[ >]+\d+ .*iB|^[ >]+\d+ .* B ", line)]
        numbers = [int(re.split(r"  +", row[1:].strip())[4].replace(",", "")) for row in rows]
        self.claim(len(numbers) > 5 and numbers == sorted(numbers, reverse=True), "by that column", numbers)

    def sizes(self, terminal):
        for lines, columns in ((5, 20), (1, 1), (2, 200), (60, 132), (3, 10), (24, 100)):
            terminal.resize(lines, columns)
            for _ in range(20):
                if not terminal.read(0.1):
                    break
            terminal.type("jkG2lh3g")
            while terminal.read(0.05):
                pass
            self.claim(not terminal.ended, f"it lives in {columns}x{lines}")
        self.claim(terminal.shows(r"\[3 types\]"), "and is drawn anew", terminal.text())

    def narrow(self):
        """Text that does not fit is wrapped, or marked as continued."""
        terminal = Terminal([self.program, "browse", str(SAMPLES / "shop-v2.oemp")], 24, 40)
        self.claim(terminal.shows(r"^\[1 overview\].*>$"), "more views to the right", terminal.text())
        terminal.type("7")
        self.claim(terminal.shows(r"^<.*\[7 growth\]"), "and to the left", terminal.text())
        terminal.type("f--no-such-option-anywhere x" + ENTER)
        self.claim(terminal.shows("unknown option") and
                   "unknown option '--no-such-option-anywhere'" in " ".join(" ".join(terminal.lines()).split()),
                   "what is said is folded", terminal.text())
        terminal.type("2G")
        self.claim(terminal.shows(r"Columns were omitted to fit 40; w\s+shows\s+all"), "the key is named", terminal.text())
        self.claim(terminal.end() == 0 and terminal.restored, "and ends")
        for lines, headed in (3, False), (4, True):
            terminal = self.browse(SAMPLES / "shop-v2.oemp", lines=lines)
            self.claim(terminal.shows(r"^>? ?.*\? help"), f"{lines} lines: the foot", terminal.text())
            self.claim(terminal.lines()[0].startswith("[1 overview]") == headed,
                       f"{lines} lines have {'a' if headed else 'no'} head", terminal.text())
            terminal.end()

    # --- what a terminal is ---

    def terminals(self):
        path = SAMPLES / "shop-v2.oemp"
        colour = re.compile(rb"\x1b\[[0-9;]*3[156]m")
        for what, variables, coloured in (("16 colours", {}, True), ("NO_COLOR", {"NO_COLOR": "1"}, False),
                                          ("one colour", {"TERM": "vt100"}, False)):
            terminal = self.browse(path, **variables)
            terminal.shows("^> +10.4 KiB")
            terminal.type("7")
            self.claim(terminal.shows("^  +All live objects|^  Growth"), f"{what}: growth is seen")
            self.claim(bool(colour.search(terminal.printed)) == coloured, f"{what} is what is used")
            self.claim(terminal.end("q") == 0 and terminal.restored, f"{what}: q ends")
        for variables in {"TERM": "dumb"}, {"TERM": "no-such-terminal"}, {"TERM": ""}:
            terminal = self.browse(path, **variables)
            self.claim(terminal.end("") == 2 and b"terminal" in terminal.printed, f"{variables} is refused",
                       terminal.printed)
        done = subprocess.run([self.program, "browse", str(path)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        self.claim(done.returncode == 2 and "needs a terminal" in done.stderr and not done.stdout,
                   "a pipe is no terminal", done.stderr)
        for words, said in ((["-"], b"cannot be a recording"), ([SAMPLES], b"name one")):
            terminal = self.browse(*words)
            self.claim(terminal.end("") == 2 and said in terminal.printed, f"{words} is refused",
                       terminal.printed)
        terminal = self.browse(path, "--bytes")
        self.claim(terminal.shows("^> +10680 "), "sizes as bytes", terminal.text())
        terminal.end()
        terminal = self.browse("/no/such/file")
        self.claim(terminal.end("") == 3 and b"No such file" in terminal.printed, "a file that is not there")

    def mouse(self):
        terminal = self.browse(SAMPLES / "shop-v2.oemp", TERM="screen")
        terminal.shows("^> +10.4 KiB")
        row = next(i for i, line in enumerate(terminal.lines()) if line.lstrip().startswith("4.1 KiB"))
        click = "\x1b[M" + chr(32) + chr(40) + chr(33 + row)
        terminal.type(click)
        self.claim(terminal.shows("^> *4.1 KiB"), "a click selects", terminal.text())
        terminal.type("\x1b[M" + chr(96 + 1) + chr(40) + chr(40))
        self.claim(terminal.shows("^ \\? help  q leave .*  4-"), "the wheel scrolls", terminal.text())
        terminal.end()

    def signals(self):
        for number in signal.SIGTERM, signal.SIGHUP, signal.SIGINT:
            terminal = self.browse(SAMPLES / "shop-v2.oemp")
            terminal.shows("^> +10.4 KiB")
            os.kill(terminal.process, number)
            self.claim(terminal.end("") == -number and terminal.restored,
                       f"{number.name} ends it, the terminal is as it was")

    def stops(self):
        """Ctrl-Z gives the terminal back; when the program continues, it takes it again."""
        terminal = self.browse(SAMPLES / "shop-v2.oemp")
        terminal.shows("^> +10.4 KiB")
        terminal.type("\x1a")
        until = time.monotonic() + SECONDS
        status = 0
        while not status and time.monotonic() < until:
            terminal.read(0.05)
            status = os.waitpid(terminal.process, os.WUNTRACED | os.WNOHANG)[1]
        self.claim(os.WIFSTOPPED(status) and termios.tcgetattr(terminal.terminal) == terminal.before,
                   "Ctrl-Z stops it, the terminal is as it was", status)
        os.kill(terminal.process, signal.SIGCONT)
        terminal.type("2")
        self.claim(terminal.shows(r"\[2 leaks\]"), "it goes on", terminal.text())
        self.claim(terminal.end() == 0 and terminal.restored, "and ends")

    def editor(self):
        """The user's editor opens the line of the row. The program itself may not start programs."""
        editor, told = self.folder / "editor", self.folder / "told"
        editor.write_text(f"#!/bin/sh\necho \"$@\" > {told}.new\nmv {told}.new {told}\n"
                          f"[ \"$1\" = -x ] || exit 5\n")
        editor.chmod(0o755)
        path = SAMPLES / "shop-v2.oemp"
        terminal = self.browse(path)
        terminal.shows("^> +10.4 KiB")
        terminal.type("o")
        self.claim(terminal.shows("no source folder.*--sources"), "it has to know where", terminal.text())
        terminal.end()
        for command, works in (f"{editor} -x", True), (str(editor), False):
            told.unlink(missing_ok=True)
            terminal = self.browse(path, "--sources", SAMPLES / "sources", EDITOR="false", VISUAL=command)
            terminal.shows("^> +10.4 KiB")
            terminal.type("2o")
            until = time.monotonic() + SECONDS
            while not told.exists() and time.monotonic() < until:
                terminal.read(0.05)
            expected = f"{'-x ' * works}+155 {SAMPLES}/sources/shop/OrderService.cls\n"
            self.claim(told.exists() and told.read_text() == expected, "o opens the source line",
                       told.exists() and told.read_text(), expected)
            self.claim(terminal.shows(r"\[2 leaks\]" if works else "the editor failed"), "and comes back",
                       terminal.text())
            self.claim(terminal.end() == 0 and terminal.restored, "as it was")

    def editor_gone(self):
        """If the process that starts the editor has been killed, the browser says so and continues."""
        terminal = self.browse(SAMPLES / "shop-v2.oemp", "--sources", SAMPLES / "sources", EDITOR="true")
        terminal.shows("^> +10.4 KiB")
        process = terminal.process
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
        self.claim(len(children) == 1, "one process waits for the editor", children)
        os.kill(int(children[0]), signal.SIGKILL)
        terminal.type("2o")
        self.claim(terminal.shows("the editor failed"), "it is told", terminal.text())
        self.claim(terminal.end() == 0 and terminal.restored, "and nothing else")

    def suspended(self):
        """Ctrl-Z in an editor stops the whole job, and fg continues in the editor."""
        editor = self.folder / "stopping"
        editor.write_text("#!/bin/sh\necho edits\nkill -s TSTP 0\necho edits on\n")
        editor.chmod(0o755)
        terminal = Terminal(["/bin/sh", "-i"], PS1="? ", EDITOR=str(editor))
        terminal.type(f"{self.program} browse {SAMPLES}/shop-v2.oemp --sources {SAMPLES}/sources\n")
        terminal.shows("^> +10.4 KiB")
        terminal.type("2o")
        self.claim(terminal.shows("Stopped"), "the shell has the terminal", terminal.text())
        terminal.type("fg\n")
        self.claim(terminal.shows(r"\[2 leaks\]"), "the editor goes on, and comes back", terminal.text())
        terminal.type("Q")
        terminal.shows(r"^\? ")
        terminal.end("exit\n")

    def ended(self):
        """Signals during editing end the browser after the editor; keys typed in the editor do not."""
        editor, told = self.folder / "waiting", self.folder / "waits"
        editor.write_text(f"#!/bin/sh\ntrap '' INT\necho > {told}\nwhile [ -e {told} ]; do sleep 0.05; done\n")
        editor.chmod(0o755)
        for number in signal.SIGTERM, signal.SIGHUP, signal.SIGINT:
            terminal = self.browse(SAMPLES / "shop-v2.oemp", "--sources", SAMPLES / "sources", EDITOR=str(editor))
            terminal.shows("^> +10.4 KiB")
            terminal.type("2o")
            until = time.monotonic() + SECONDS
            while not told.exists() and time.monotonic() < until:
                terminal.read(0.05)
            os.kill(terminal.process, number)
            told.unlink(missing_ok=True)
            if number == signal.SIGINT:
                self.claim(terminal.shows(r"\[2 leaks\]") and terminal.end() == 0, "is the editor's", number)
            else:
                self.claim(terminal.end("") == -number, "ends it", number)

    def names(self):
        """Control characters in names have no effect on the terminal; wide characters stay in their columns."""
        data = (SAMPLES / "shop-v2.oemp").read_bytes()
        data = data.replace(b"OrderEvent", "倉庫の注文".encode())
        data = data.replace(b"PriceCache", "Pre\u0301is".encode())
        data = data.replace(b"shop.PriceEntry", b"shop.\x1b]0;own\x07ed")
        path = self.folder / "names.oemp"
        path.write_bytes(data)
        terminal = self.browse(path, lines=60)
        terminal.shows("^> +10.4 KiB")
        terminal.type("2")
        self.claim(terminal.shows("\\[2 leaks\\]") and terminal.shows(r"\\x1b\]0;own\\x07ed"),
                   "what would be obeyed is shown", terminal.text())
        self.claim("shop.倉庫の注文" in terminal.text().replace(" ", ""), "wide characters",
                   terminal.text())
        terminal.type("/倉庫" + ENTER)
        self.claim(terminal.shows("^> .*倉庫"), "are typed", terminal.text())
        terminal.type("w" + "l")
        self.claim(terminal.shows("^1 KiB      4.1 KiB"), "what is wide moves", terminal.text())
        terminal.type("hw")
        self.claim(terminal.shows("^. +10.4 KiB") and "Pr\u00e9is" in terminal.text(), "with its marks",
                   terminal.text())
        terminal.type("jf--type '*ed" + "\x1b]0;" + ESCAPE)
        terminal.end()
        self.claim(b"\x1b]0;" not in terminal.printed, "nothing is obeyed")


def main():
    program = pathlib.Path(arguments(__doc__).memprof)
    if not pyte:
        skip("python3-pyte is not installed")
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(program, folder)
        trials.views()
        trials.keys()
        trials.limits()
        trials.narrow()
        trials.terminals()
        trials.mouse()
        trials.signals()
        trials.stops()
        trials.editor()
        trials.editor_gone()
        trials.suspended()
        trials.ended()
        trials.names()
    return trials.end()


if __name__ == "__main__":
    sys.exit(main())
