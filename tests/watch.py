#!/usr/bin/env python3
"""Recordings that are watched while they are written.

    tests/watch.py --memprof PATH --generate PATH

What is expected of each row is what memprof says of the whole file: the figures of `snapshots`, the
first row of `growth --by site` and the total of `leaks`, each up to that snapshot. What becomes of
files (cut short, renamed, replaced) follows from what is done to them here. Nothing waits for time to
pass: what a step needs of the one before is waited for until it is printed.
"""
import argparse
import json
import os
import pathlib
import random
import select
import subprocess
import tempfile

SECONDS = 60  # that a line may take on a busy machine
FIGURES = ("sequence", "tag", "time_us", "live_objects", "live_bytes", "delta_bytes")


class Watch:
    """A memprof that watches: its lines as they come."""

    def __init__(self, program, *words, folder=None, standard_input=subprocess.DEVNULL):
        self.process = subprocess.Popen([program, "watch", *words], cwd=folder,
                                        stdin=standard_input, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.streams = {self.process.stdout: b"", self.process.stderr: b""}
        self.open = set(self.streams)

    def read(self, seconds=SECONDS):
        """Read what there is; False at the end, or after so many seconds without anything."""
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
        """Read until it holds; False where it never does."""
        while not holds():
            if not self.read():
                return False
        return True

    def rows(self):
        """Whole JSON lines that are snapshots."""
        lines = self.out.split("\n")[:-1]
        return [row for row in map(json.loads, lines) if "sequence" in row]

    def events(self):
        lines = self.out.split("\n")[:-1]
        return [row for row in map(json.loads, lines) if "sequence" not in row]

    def wait_for_rows(self, count):
        return self.wait_for(lambda: len(self.rows()) >= count)

    def end(self, by=None):
        """Its status when it has ended, after a signal if one is given."""
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


class Trials:
    """Claims, and how many of them do not hold."""

    def __init__(self, memprof, generate, folder):
        self.memprof, self.generate, self.folder = memprof, generate, pathlib.Path(folder)
        self.count, self.wrong, self.files = 0, 0, 0
        self.random = random.Random(7)

    def claim(self, holds, what, *seen):
        self.count += 1
        if not holds:
            self.wrong += 1
            print("wrong:", what, *(str(one)[:2000] for one in seen))

    def path(self):
        """A name that no file has yet."""
        self.files += 1
        return self.folder / f"rec{self.files}.oemp"

    def made(self, *words):
        """The bytes of a recording."""
        return subprocess.run([self.generate, *words], capture_output=True, check=True).stdout

    def ask(self, *words):
        answer = subprocess.run([self.memprof, *words, "--format", "json", "--quiet"],
                                capture_output=True, check=True)
        return json.loads(answer.stdout)

    def watch(self, *words, **more):
        return Watch(self.memprof, "--format", "json", *map(str, words), **more)

    def expected(self, data):
        """The figures of each snapshot, by what memprof says of the whole."""
        path = self.path()
        path.write_bytes(data)
        return [{name: row[name] for name in FIGURES if name in row}
                for row in self.ask("snapshots", str(path))["snapshots"]]

    def compare(self, what, rows, expected):
        shown = [{name: row[name] for name in FIGURES if name in row} for row in rows]
        self.claim(shown == expected, what, shown, expected)

    # --- a recording that grows ---

    def pieces(self, data, size):
        """Of `size` bytes, or of random sizes."""
        at = 0
        while at < len(data):
            step = size or self.random.choice((1, 2, 7, 50, 400, 5000))
            yield data[at:at + step]
            at += step

    def grows(self):
        """In pieces of any size, by a writer that is killed within a line and started again."""
        data = self.made("oemp")
        expected = self.expected(data)
        cut = data.index(b"\n.\n", len(data) // 2) - 5
        for size, looks in ((1, []), (13, ["--poll", "5ms"]), (0, []), (len(data), [])):
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
        """A process that appends, says so, and stays."""
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
        """A snapshot is told when its last line is there, and nothing of the next one."""
        data = self.made("oemp")
        expected, path, at = self.expected(data), self.path(), 0
        watch = self.watch("--until-exit", path)
        self.claim(watch.wait_for(lambda: watch.events()), "waits for what is not there", watch.err)
        for count, _ in enumerate(expected, 1):
            # Each of the twelve sections ends with such a line, the trailer is the last.
            for _ in range(12):
                end = data.index(b"\n.\n", max(at - 1, 0)) + 3
                with path.open("ab") as file:
                    file.write(data[at:end])
                at = end
            self.claim(watch.wait_for_rows(count), f"tells snapshot {count} at once", watch.out)
        self.claim(watch.end() == 0, "ends with 0 at _Exit", watch.err)
        self.compare("in time", watch.rows(), expected)

    def answers(self):
        """The site that grew most, and what leaked, against the reports of the same snapshot."""
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memprof", required=True, type=os.path.abspath)
    parser.add_argument("--generate", required=True, type=os.path.abspath)
    parser.add_argument("trials", nargs="*")
    options = parser.parse_args()
    names = options.trials or ["grows", "is_prompt", "answers"]
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(options.memprof, options.generate, folder)
        for name in names:
            getattr(trials, name)()
    print(f"watch.py: {trials.count} claims, {trials.wrong} wrong")
    raise SystemExit(trials.wrong > 0)


if __name__ == "__main__":
    main()
