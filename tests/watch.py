#!/usr/bin/env python3
"""Recordings that are watched while they are being written.

    tests/watch.py --memprof PATH --generate PATH

Each row must agree with what memprof reports about the whole file: the figures of `snapshots`, the first row of
`growth --by site` and the total of `leaks`, each up to that snapshot. For files that are truncated, renamed or
replaced here, the expected events follow from these changes. No result depends on a fixed time: each step waits until
the output that it needs is printed.
"""
import csv
import fcntl
import json
import os
import pathlib
import pty
import random
import re
import select
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import time

from claims import Claims, PROGRAM, arguments

SECONDS = 60  # maximum seconds for a line on a busy machine
FIGURES = ("sequence", "tag", "time_us", "live_objects", "live_bytes", "delta_bytes")


class Watch:
    """A memprof that watches, and its lines as they come."""

    def __init__(self, program, *words, folder=None, standard_input=subprocess.DEVNULL, **how):
        self.process = subprocess.Popen([program, "watch", *words], cwd=folder,
                                        stdin=standard_input, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, **how)
        self.streams = {self.process.stdout: b"", self.process.stderr: b""}
        self.open = set(self.streams)

    def read(self, seconds=SECONDS):
        """Read available output. Return False at the end, or if nothing arrives for this many seconds."""
        ready = select.select(list(self.open), [], [], seconds)[0] if self.open else []
        for stream in ready:
            data = os.read(stream.fileno(), 1 << 16)
            self.streams[stream] += data
            if not data:
                self.open.discard(stream)
        return bool(ready)

    @property
    def out(self):
        return self.streams[self.process.stdout].decode()

    @property
    def err(self):
        return self.streams[self.process.stderr].decode()

    def wait_for(self, holds):
        """Read until the condition holds; return False if it never does."""
        while not holds():
            if not self.read():
                return False
        return True

    def rows(self):
        """Return the complete JSON lines that are snapshots."""
        lines = self.out.split("\n")[:-1]
        return [row for row in map(json.loads, lines) if "sequence" in row]

    def events(self):
        """Return the other lines, except for the worst leak, which culprits.py checks."""
        lines = self.out.split("\n")[:-1]
        return [row for row in map(json.loads, lines)
                if "sequence" not in row and row["event"] != "worst-leak"]

    def wait_for_rows(self, count):
        return self.wait_for(lambda: len(self.rows()) >= count)

    def end(self, by=None):
        """Return the exit status, after sending a signal if one is given."""
        if by:
            self.process.send_signal(by)
        while self.open and self.read():
            pass
        try:
            return self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None
        finally:
            self.process.stdout.close()
            self.process.stderr.close()


class Trials(Claims):
    def __init__(self, memprof, generate, folder):
        super().__init__()
        self.memprof, self.generate, self.folder = memprof, generate, pathlib.Path(folder)
        self.files = 0
        self.random = random.Random(7)

    def path(self):
        """Return an unused file name."""
        self.files += 1
        return self.folder / f"rec{self.files}.oemp"

    def made(self, *words):
        """Return the bytes of a recording."""
        return subprocess.run([self.generate, *words], capture_output=True, check=True).stdout

    def ask(self, *words):
        answer = subprocess.run([self.memprof, *words, "--format", "json", "--quiet"],
                                capture_output=True, check=True)
        return json.loads(answer.stdout)

    def watch(self, *words, **more):
        return Watch(self.memprof, "--format", "json", *map(str, words), **more)

    def expected(self, data):
        """Return the figures of each snapshot, from reports about the whole file."""
        path = self.path()
        path.write_bytes(data)
        return [{name: row[name] for name in FIGURES if name in row}
                for row in self.ask("snapshots", str(path))["snapshots"]]

    def compare(self, what, rows, expected):
        shown = [{name: row[name] for name in FIGURES if name in row} for row in rows]
        self.claim(shown == expected, what, shown, expected)

    # --- a recording that grows ---

    def pieces(self, data, size):
        """Return pieces of `size` bytes, or of random sizes."""
        at = 0
        while at < len(data):
            step = size or self.random.choice((1, 2, 7, 50, 400, 5000))
            yield data[at:at + step]
            at += step

    def grows(self):
        """The file grows in pieces of any size. Its writer is killed within a line and started again."""
        data = self.made("oemp")
        expected = self.expected(data)
        cut = data.index(b"\n.\n", len(data) // 2) - 5
        wide = data.decode().encode("utf-16-le")
        for data, cut, size, looks in ((data, cut, 1, []), (data, cut, 13, ["--poll", "5ms"]), (data, cut, 0, []),
                                       (data, cut, len(data), []),
                                       # an incomplete unit must wait, and so must an incomplete mark
                                       (wide, 2 * cut + 1, 1, []), (b"\xff\xfe" + wide, 1, 13, [])):
            path = self.path()
            watch = self.watch("--until-exit", *looks, "--quiet", path)
            writer = self.writer(path, data[:cut], size)
            writer.stdout.read(1)
            writer.kill()
            writer.communicate()
            self.writer(path, data[cut:], size).communicate(b"")
            self.claim(watch.end() == 0, f"ends with 0 at _Exit, in pieces of {size}", watch.err)
            self.claim(watch.err == "", "says nothing else", watch.err)
            self.compare(f"pieces of {size} {looks}", watch.rows(), expected)

    def writer(self, path, data, size):
        """Start a process that appends data, reports that, and keeps running."""
        pieces = [piece.hex() for piece in self.pieces(data, size)]
        script = ("import sys\n"
                  "with open(sys.argv[1], 'ab', buffering=0) as file:\n"
                  "    for piece in sys.stdin.readline().split():\n"
                  "        file.write(bytes.fromhex(piece))\n"
                  "    print('.', flush=True)\n"
                  "    sys.stdin.read()\n")
        process = subprocess.Popen(["python3", "-c", script, str(path)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        process.stdin.write(" ".join(pieces).encode() + b"\n")
        process.stdin.flush()
        return process

    def is_prompt(self):
        """A snapshot is reported when its last line is there, before anything of the next one."""
        data = self.made("oemp")
        expected, path, at = self.expected(data), self.path(), 0
        watch = self.watch("--until-exit", path)
        self.claim(watch.wait_for(lambda: watch.events()), "waits for what is not there", watch.err)
        for count, _ in enumerate(expected, 1):
            # each of the twelve sections ends with such a line; the trailer is the last
            for _ in range(12):
                end = data.index(b"\n.\n", max(at - 1, 0)) + 3
                with path.open("ab") as file:
                    file.write(data[at:end])
                at = end
            self.claim(watch.wait_for_rows(count), f"tells snapshot {count} at once", watch.out)
        self.claim(watch.end() == 0, "ends with 0 at _Exit", watch.err)
        self.compare("in time", watch.rows(), expected)

    def answers(self):
        """The site that grew most, and the leaks, agree with the reports about the same snapshot."""
        path = self.path()
        path.write_bytes(self.made("oemp", "--objects", "3000", "--snapshots", "12"))
        watch = self.watch("--until-exit", path)
        watch.end()
        for row in watch.rows():
            to = str(row["sequence"])
            first = self.ask("growth", str(path), "--by", "site", "--to", to, "--limit", "0",
                             "--from", "first")["growth"]
            most = max((one["delta_bytes"] for one in first), default=0)
            groups = {one["key"] for one in first if one["delta_bytes"] == most}
            named = f"{row.get('grower_type')} at {row.get('grower_site')}"
            self.claim(row.get("grower_bytes", 0) == max(most, 0), "bytes of the grower", row, most)
            self.claim(most <= 0 or named in groups, "name of the grower", row, groups)
            totals = self.ask("leaks", str(path), "--to", to)["totals"]
            self.claim((row["leaked_objects"], row["leaked_bytes"]) ==
                       (totals["leaked_objects"], totals["leaked_bytes"]), "leaked", row, totals)

    def log(self):
        """A heap log, by slices of its time. Lines that are out of order within a second are sorted."""
        data, whole, path = self.made("taligent", "--events", "3000"), self.path(), self.path()
        lines = data.decode().splitlines(keepends=True)
        for at in range(100, len(lines) - 30, 50):
            lines.insert(at + self.random.randrange(20), lines.pop(at))
        data = "".join(lines).encode()
        whole.write_bytes(data)
        first = self.watch("--slices", "500ms", "--timeout", "20ms", whole)
        self.claim(first.end() == 0, "a log ends by --timeout", first.err)
        asked = ("--slices", "500ms")
        expected = [{name: row[name] for name in FIGURES if name in row}
                    for row in self.ask("snapshots", str(whole), *asked)["snapshots"]]
        self.compare("a whole log", first.rows(), expected)
        self.claim(len(expected) > 5, "some slices", expected)
        watch = self.watch(*asked, path)
        for piece in self.pieces(data, 0):
            self.append(path, piece)
        self.claim(watch.wait_for_rows(len(expected) - 3), "tells slices while it grows", watch.out)
        path.rename(str(path) + ".1")
        path.write_bytes(data[:0] + b"no log\n")
        watch.end()
        self.compare("a log in pieces", watch.rows(), expected)
        self.claim(watch.rows() == [{**row, "path": str(path)} for row in first.rows()],
                   "pieces change nothing", watch.out)
        for row in first.rows():
            to = ("--to", str(row["sequence"]), *asked)
            totals = self.ask("leaks", str(whole), *to)["totals"]
            self.claim((row["leaked_objects"], row["leaked_bytes"]) ==
                       (totals["leaked_objects"], totals["leaked_bytes"]), "leaked", row, totals)
            groups = self.ask("growth", str(whole), "--by", "node", "--limit", "0", *to)["growth"]
            most = max((one["delta_bytes"] for one in groups), default=0)
            self.claim(row.get("grower_bytes", 0) == max(most, 0), "grower of a log", row, most)
        watch = self.watch("--until-exit", whole)
        self.claim(watch.end() == 3, "a log has no _Exit", watch.err)

    # --- what becomes of files ---

    def other(self):
        """Return a recording of another process, with other figures."""
        return self.made("oemp", "--uuid", "11111111-2222-4333-8444-555555555555", "--objects",
                         "500", "--snapshots", "5")

    def append(self, path, data):
        with path.open("ab") as file:
            file.write(data)

    def replaced(self):
        """After truncation, renaming with replacement, or removal, the next recording is read once."""
        first, second = self.made("oemp", "--no-exit"), self.other()
        half = len(first) - 9
        expected, after = self.expected(first[:half]), self.expected(second)

        def cut(path):
            with path.open("r+b") as file:
                file.truncate(0)
                file.write(second)

        def rotate(path):
            path.rename(str(path) + ".1")
            path.write_bytes(second)

        def remove(path):
            path.unlink()
            path.write_bytes(second)

        def put_over(path):
            beside = self.path()
            beside.write_bytes(second)
            beside.rename(path)

        for how, event in ((cut, "truncated"), (rotate, "replaced"), (remove, "replaced"),
                           (put_over, "replaced")):
            for looks in ([], ["--poll", "5ms"]):
                path = self.path()
                path.write_bytes(first[:half])
                watch = self.watch("--until-exit", *looks, path)
                watch.wait_for_rows(len(expected))
                how(path)
                self.claim(watch.end() == 0, f"{how.__name__}: ends with 0", watch.err)
                self.compare(how.__name__, watch.rows(), expected + after)
                events = [row["event"] for row in watch.events() if row["event"] != "renamed"]
                self.claim(events == [event], f"{how.__name__}: tells it once", watch.events())
                self.claim("[torn-recording]" in watch.err, f"{how.__name__}: tells what is torn",
                           watch.err)

    def redirected(self):
        """If a file on standard input is truncated, it is read from its start, once."""
        first, second, path = self.made("oemp", "--no-exit"), self.other(), self.path()
        half = len(first) - 9
        expected = self.expected(first[:half])
        whole = expected + self.expected(second)
        path.write_bytes(first[:half])
        with path.open("rb") as file:
            watch = self.watch("--until-exit", "-", standard_input=file)
        watch.wait_for_rows(len(expected))
        os.truncate(path, 0)
        watch.wait_for(watch.events)
        self.append(path, second)
        watch.wait_for(lambda: len(watch.rows()) >= len(whole) or len(watch.events()) > 1)
        events = [row["event"] for row in watch.events()]
        self.claim(events == ["truncated"], "standard input: cut short once", events[:9])
        self.claim(watch.end(signal.SIGKILL if events[1:] else None) == 0, "standard input: ends with 0", watch.err)
        self.compare("standard input cut short", watch.rows(), whole)

    def renamed(self):
        """A renamed file is read on, until a new file of its name has content."""
        data, path = self.made("oemp"), self.path()
        expected, cut = self.expected(data), len(data) // 3
        path.write_bytes(data[:cut])
        moved = path.with_suffix(".old")
        watch = self.watch("--until-exit", path)
        watch.wait_for_rows(1)
        path.rename(moved)
        watch.wait_for(watch.events)
        path.write_bytes(b"")
        self.append(moved, data[cut:])
        self.claim(watch.end() == 0, "renamed: ends with 0", watch.err)
        self.compare("renamed", watch.rows(), expected)
        self.claim([row["event"] for row in watch.events()] == ["renamed"], "renamed: once")

    def parts(self):
        """Parts of one recording that replace each other are one recording."""
        expected, path = self.expected(self.made("oemp")), self.path()
        path.write_bytes(self.made("oemp", "--last-sequence", "3"))
        watch = self.watch("--until-exit", path)
        watch.wait_for_rows(3)
        path.rename(path.with_suffix(".1"))
        path.write_bytes(self.made("oemp", "--first-sequence", "4"))
        self.claim(watch.end() == 0, "parts: ends with 0", watch.err)
        self.compare("parts", watch.rows(), expected)

    def appended(self):
        """Another recording is appended to the file: each has its own start."""
        first, second, path = self.made("oemp", "--no-exit"), self.other(), self.path()
        path.write_bytes(first)
        watch = self.watch("--until-exit", path)
        watch.wait_for_rows(1)
        self.append(path, second)
        self.claim(watch.end() == 0, "appended: ends with 0", watch.err)
        expected = self.expected(first) + self.expected(second)
        self.compare("appended", watch.rows(), expected)
        begun = [row["grown_bytes"] for row in watch.rows() if row["sequence"] == 1]
        self.claim(begun == [0, 0], "appended: each has its start", watch.rows())

    def ten(self):
        """Ten files at once, written in turns; one of them is not a recording."""
        data = self.made("oemp")
        expected, paths = self.expected(data), [self.path() for _ in range(10)]
        foreign = self.folder / "notes.txt"
        foreign.write_text("no recording\n")
        watch = self.watch("--until-exit", *paths, foreign)
        for piece in self.pieces(data, 900):
            for path in paths:
                self.append(path, piece)
        self.claim(watch.end() == 3, "one of eleven cannot be read", watch.err)
        self.claim("[foreign-file]" in watch.err, "tells which", watch.err)
        for path in paths:
            rows = [row for row in watch.rows() if row["path"] == str(path)]
            self.compare(f"ten: {path.name}", rows, expected)

    def streams(self):
        """Standard input and a named pipe are read until nobody writes to them."""
        data, fifo = self.made("oemp"), self.folder / "pipe"
        expected = self.expected(data)
        watch = self.watch("-", standard_input=subprocess.PIPE)
        for piece in self.pieces(data, 700):
            watch.process.stdin.write(piece)
            watch.process.stdin.flush()
        watch.process.stdin.close()
        self.claim(watch.end() == 0, "standard input: ends with 0", watch.err)
        self.compare("standard input", watch.rows(), expected)
        os.mkfifo(fifo)
        watch = self.watch(fifo)
        with fifo.open("wb") as file:
            file.write(data)
        self.claim(watch.end() == 0, "named pipe: ends with 0", watch.err)
        self.compare("named pipe", watch.rows(), expected)

    # --- how it ends ---

    def limits(self):
        """The first snapshot over a limit ends the program with 1, and --exec is informed."""
        data, path = self.made("oemp"), self.path()
        path.write_bytes(data)
        whole = self.watch("--until-exit", path)
        whole.end()
        rows = whole.rows()
        for name, member in (("max-growth", "grown_bytes"), ("max-leaked", "leaked_bytes"), ("max-live", "live_bytes")):
            most = max(row[member] for row in rows)
            watch = self.watch("--until-exit", f"--{name}", most, path)
            self.claim(watch.end() == 0, f"{name}: as much as that is allowed", watch.err)
            first = next(row for row in rows if row[member] == most)
            told = self.path()
            command = (f'echo "$MEMPROF_LIMIT $MEMPROF_PATH $MEMPROF_SEQUENCE $MEMPROF_ACTUAL_BYTES '
                       f'$MEMPROF_LIMIT_BYTES $MEMPROF_TAG" >"{told}"; echo said; exit 7')
            watch = self.watch("--until-exit", f"--{name}", most - 1, "--exec", command, path)
            self.claim(watch.end() == 1, f"{name}: ends with 1", watch.err)
            self.claim(told.read_text() == f"{name} {path} {first['sequence']} {most} {most - 1} "
                       f"{first['tag']}\n", f"{name}: --exec", told.read_text())
            self.claim("said\n" in watch.err and "ended with status 7" in watch.err,
                       f"{name}: tells that --exec failed", watch.err)
            limit = [row for row in watch.events() if row["event"] == "limit"]
            self.claim([(row["name"], row["path"], row["actual_bytes"], row["limit_bytes"])
                        for row in limit] == [(name, str(path), most, most - 1)],
                       f"{name}: in JSON", watch.out)
            self.claim(watch.rows()[-1] == first, f"{name}: the last row", watch.out)
        start = self.path()  # no snapshot: nothing was judged
        start.write_bytes(data[:200])
        watch = self.watch("--max-live", "1T", "--timeout", "50ms", start)
        self.claim(watch.end() == 3, "max-live of no snapshot", watch.err)
        watch = self.watch("--max-growth", "1%", path)
        self.claim(watch.end() == 1, "a share of the start", watch.err)
        path.write_bytes(self.made("dynobjects"))  # a log without sizes: bytes limit nothing
        for name in ("max-growth", "max-leaked", "max-live"):
            judged = subprocess.run([self.memprof, "leaks", path, f"--{name}", "1T", "--quiet"], check=False,
                                    capture_output=True, text=True)
            watch = self.watch(f"--{name}", "1T", "--timeout", "50ms", path)
            self.claim(watch.end() == judged.returncode == 3 and "sizes" in watch.err, name, "of unknown sizes",
                       watch.err)
            self.claim("worst leak: 0 B" not in watch.err, "no size of a leak", watch.err)

    def policies(self):
        """A policy is judged as by gate, when the process cleans up or the file ends."""
        whole, torn, rules = self.path(), self.path(), self.path()
        data = self.made("oemp")
        whole.write_bytes(data)
        torn.write_bytes(self.made("oemp", "--last-sequence", "4"))
        for path in whole, torn:
            leaked = self.ask("leaks", str(path))["totals"]["leaked_bytes"]
            for rule, status in ((f"leaked <= {leaked}", 0), (f"leaked <= {leaked - 1}", 1),
                                 ('leaked of type "Nothing" <= 1', 3)):
                rules.write_text(rule + "\n")
                gate = subprocess.run([self.memprof, "gate", rules, path, "--quiet"], check=False,
                                      capture_output=True)
                self.claim(gate.returncode == status, "as by gate", rule, gate.returncode)
                watch = self.watch("--policy", rules, "--timeout", "20ms", path)
                self.claim(watch.end() == status, f"{rule}: ends with {status}", watch.err)
                watch = self.watch("--policy", rules, "--until-exit", "--timeout", "20ms", path)
                ends = status if path == whole or status == 1 else 3
                self.claim(watch.end() == ends, f"{rule}: ends with {ends}", watch.err)
        rules.write_text("leaked <= many\n")
        watch = self.watch("--policy", rules, whole)
        self.claim(watch.end() == 2, "a policy that is none", watch.err)

    def timeouts(self):
        """After its writer has died, the run ends with 3 under --until-exit, otherwise with 0 if anything was
        read."""
        data, path = self.made("oemp", "--no-exit"), self.path()
        path.write_bytes(data)
        for words, status in (([path], 0), (["--until-exit", path], 3), ([self.path()], 3)):
            watch = self.watch("--timeout", "20ms", *words)
            self.claim(watch.end() == status, f"--timeout of {words} ends with {status}", watch.err)
        # what was written since the last look is read before the time is up
        expected, second = self.expected(data), self.other()
        watch = self.watch("--timeout", "2s", "--poll", "1min", path)
        watch.wait_for_rows(len(expected))
        time.sleep(0.3)  # without this, its first look at the end of the file may see the new one
        path.unlink()
        path.write_bytes(second)
        self.claim(watch.end() == 0, "--timeout: a new file is read", watch.err)
        self.compare("--timeout", watch.rows(), expected + self.expected(second))

    def holes(self):
        """Zeros that nobody wrote do not stop it, and count as one line."""
        first, second, path = self.made("oemp", "--no-exit"), self.other(), self.path()
        path.write_bytes(first)
        os.truncate(path, 1 << 38)
        watch = self.watch("--timeout", "1s", path)
        self.claim(watch.end() == 0, "holes: --timeout ends it", watch.err)
        self.compare("holes: in front", watch.rows(), self.expected(first))
        self.append(path, b"\n" + second)
        watch = self.watch("--until-exit", path)
        self.claim(watch.end() == 0, "holes: is read on", watch.err)
        self.compare("holes: and behind", watch.rows(), self.expected(first) + self.expected(second))
        told = f"{path}:{first.count(b'%c' % 10) + 1}: warning: line of more than 16"
        self.claim(told in watch.err, "holes: told with its line", watch.err)

    def signals(self):
        """Signals end it like other programs, and so does an output that nobody reads."""
        path = self.path()
        path.write_bytes(self.made("oemp", "--no-exit"))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            watch = self.watch(path)
            watch.wait_for_rows(1)
            self.claim(watch.end(number) == -number, f"ended by {number}", watch.err)
        watch = self.watch(path)
        watch.wait_for_rows(1)
        watch.open.discard(watch.process.stdout)
        watch.process.stdout.close()
        self.claim(watch.end() == -signal.SIGPIPE, "nobody reads", watch.err)
        self.claim(watch.err == "", "and it says nothing", watch.err)

    def peer(self):
        """The output is a socket whose other end is closed."""
        path = self.path()
        path.write_bytes(self.made("oemp", "--no-exit"))
        here, there = socket.socketpair()
        process = subprocess.Popen([self.memprof, "watch", path], stdin=subprocess.DEVNULL, stdout=there)
        there.close()
        while select.select([here], [], [], 1)[0]:
            here.recv(1 << 16)
        here.close()  # nothing may be left unread, which would be an error
        try:
            self.claim(process.wait(SECONDS) == -signal.SIGPIPE, "the other end is gone")
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.claim(False, "it sees that the other end is gone")

    def ignored(self):
        """A signal that its parent ignores (nohup) does not end it."""
        data, path = self.made("oemp"), self.path()
        path.write_bytes(data[:len(data) // 2])
        watch = self.watch("--until-exit", path,
                           preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        watch.wait_for_rows(1)
        watch.process.send_signal(signal.SIGHUP)
        self.append(path, data[len(data) // 2:])
        self.claim(watch.end() == 0, "what is ignored does not end it", watch.process.returncode)

    def command(self):
        """It can be ended while the command of --exec runs."""
        path = self.path()
        path.write_bytes(self.made("oemp"))
        watch = self.watch("--max-growth", "1%", "--exec", 'echo "runs $$." >&2; exec sleep 100', path)
        watch.wait_for(lambda: re.search(r"runs \d+\.", watch.err))
        watch.process.send_signal(signal.SIGTERM)
        try:
            self.claim(watch.process.wait(10) == -signal.SIGTERM, "ended beside the command")
        except subprocess.TimeoutExpired:
            self.claim(False, "it can be ended while the command runs")
        os.kill(int(re.search(r"runs (\d+)\.", watch.err)[1]), signal.SIGKILL)
        watch.end()

    def unheld(self):
        """The limits of the program do not apply to the command of --exec."""
        path = self.path()
        path.write_bytes(self.made("oemp"))
        shown = "ulimit -d >&2; grep SigIgn /proc/$$/status >&2"
        own = subprocess.run(["/bin/sh", "-c", shown], stderr=subprocess.PIPE, check=True).stderr.decode()
        watch = self.watch("--max-growth", "1%", "--exec", shown, path)
        watch.end()
        self.claim(own in watch.err, "the limits of --exec are those of a shell", watch.err, own)

    def lines(self):
        """In text, each row is a line; in CSV, the column names come first."""
        data, path = self.made("oemp"), self.path()
        path.write_bytes(data)
        expected = self.expected(data)
        for form in "text", "csv":
            watch = Watch(self.memprof, "--until-exit", "--format", form, str(path))
            watch.end()
            self.claim(watch.out.count("\n") == len(expected) + 1, f"{form}: a row a line", watch.out)
            self.claim("\x1b" not in watch.out, f"{form}: nothing is drawn", watch.out)
            if form == "csv":
                rows = list(csv.DictReader(watch.out.splitlines()))
                self.claim([{name: row[name] for name in FIGURES} for row in rows] ==
                           [{name: str(row.get(name, "")) for name in FIGURES} for row in expected],
                           "csv", watch.out)

    # --- on a terminal ---

    def terminal(self):
        """A table that fits into 60 columns and 12 lines is redrawn in a window of another size; afterwards the
        terminal is restored."""
        data, path = self.made("oemp"), self.path()
        path.write_bytes(data[:len(data) // 2])
        for ending in (None, signal.SIGINT, signal.SIGTERM):
            process, terminal = pty.fork()
            if process == 0:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 60, 0, 0))
                os.execve(self.memprof, [self.memprof, "watch", "--until-exit", str(path)],
                          {"TERM": "xterm", "LC_ALL": "C.UTF-8", "MEMPROF_NO_CONFIG": "1"})
            before, seen = termios.tcgetattr(terminal), b""

            def read_to(text):
                nonlocal seen
                seen = b""
                while not re.search(text, seen, re.S):
                    if not select.select([terminal], [], [], SECONDS)[0]:
                        return False
                    try:
                        data = os.read(terminal, 1 << 16)
                    except OSError:
                        return False
                    seen += data
                    if not data:
                        return False
                return True

            self.claim(read_to(rb"\x1b\[\?1049h.*Post 1.*\x1b\[J"), "draws", seen)
            pictures = seen.split(b"\x1b[H")[1:]
            for picture in pictures:
                text = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", picture).decode()
                wide = [line for line in text.replace("\r", "").split("\n") if len(line) > 60]
                self.claim(not wide and text.count("\n") < 12, "fits 60 columns, 12 lines", text)
            os.kill(process, signal.SIGTSTP)
            stopped = os.waitpid(process, os.WUNTRACED)[1]
            self.claim(os.WIFSTOPPED(stopped), "stops when it is left", stopped)
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
            os.kill(process, signal.SIGCONT)
            os.kill(process, signal.SIGWINCH)
            self.claim(read_to(rb"Grew most so far.*\x1b\[J"), "draws anew in a wider window", seen)
            if ending:
                os.kill(process, ending)
            else:
                self.append(path, data[len(data) // 2:])
            read_to(b"never")
            status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            self.claim(status == (-ending if ending else 0), "status on a terminal", status)
            self.claim(b"\x1b[?7h\x1b[?25h\x1b[?1049l" in seen, "leaves the screen", seen)
            left = seen.split(b"\x1b[?1049l")[-1]
            self.claim(b"_Auto" in left and b"\x1b[H" not in left, "the last table stays", left)
            self.claim(termios.tcgetattr(terminal) == before, "the terminal is as it was")
            os.close(terminal)
            path.write_bytes(data[:len(data) // 2])


    def left(self):
        """After Ctrl-Z and bg, the terminal belongs to the shell, and nothing is drawn until fg."""
        data, path = self.made("oemp"), self.path()
        path.write_bytes(data[:len(data) // 4])
        shell, terminal = pty.fork()
        if shell == 0:
            os.execve("/bin/sh", ["sh", "-i"], {"TERM": "xterm", "MEMPROF_NO_CONFIG": "1", "PS1": "? "})

        def read_for(seconds, until=None):
            seen, end = b"", time.monotonic() + seconds
            while time.monotonic() < end and not (until and re.search(until, seen, re.S)):
                if select.select([terminal], [], [], 0.1)[0]:
                    seen += os.read(terminal, 1 << 16)
            return seen

        def type_in(text):
            os.write(terminal, text.encode())

        type_in(f"{self.memprof} watch {path}\n")
        self.claim(b"\x1b[J" in read_for(SECONDS, rb"_Auto.*\x1b\[J"), "draws")
        type_in("\x1a")
        self.claim(b"Stopped" in read_for(SECONDS, rb"Stopped.*\? "), "is stopped")
        type_in("bg\n")
        self.append(path, data[len(data) // 4:len(data) // 2])
        seen = read_for(3)
        self.claim(b"\x1b[H" not in seen and b"1049h" not in seen, "bg: draws nothing", seen)
        type_in("fg\n")
        seen = read_for(SECONDS, rb"1049h.*\x1b\[J")
        self.claim(b"\x1b[?1049h" in seen and b"\x1b[J" in seen, "fg: draws again", seen)
        type_in("\x03")
        read_for(SECONDS, rb"1049l.*\? ")
        os.kill(shell, signal.SIGKILL)
        os.waitpid(shell, 0)
        os.close(terminal)


def main():
    options = arguments(__doc__, words=("trials", {"nargs": "*"}), generate=PROGRAM)
    names = options.trials or ["grows", "is_prompt", "answers", "replaced", "redirected", "renamed", "parts",
                                "appended", "log", "ten", "streams", "limits", "policies", "timeouts", "holes",
                                "signals", "peer", "ignored", "command", "unheld", "lines", "terminal", "left"]
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(options.memprof, options.generate, folder)
        for name in names:
            getattr(trials, name)()
    raise SystemExit(trials.end())


if __name__ == "__main__":
    main()
