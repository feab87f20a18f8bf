#!/usr/bin/env python3
"""Folders of `memprof export --to csv`: they have a file for each table of `export --to sqlite`, with the same
columns and rows. A folder with anything else in it is not changed. After an error, or if the process is killed,
a folder never mixes tables of two exports.

    tests/csvfolder.py --memprof PATH [--kills N]
    tests/csvfolder.py --self-test
"""
import contextlib
import csv
import io
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

import fleetdb
from claims import arguments
from fleetdb import ENDINGS, SAMPLES, TABLES


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())} if folder.exists() else None


class Trials(fleetdb.Trials):
    def write(self, folder, *paths):
        return self.run("export", "--to", "csv", "-o", folder, *paths, "--quiet")

    @staticmethod
    def is_same(text, value, kind):
        """Return true if a CSV field equals a value of SQLite: NULL is empty, flags are words, seconds have six
        decimals."""
        if value is None:
            return text == ""
        if kind == "BOOLEAN":
            return text == ("true" if value else "false")
        if isinstance(value, float):
            return abs(float(text) - value) <= max(1e-6, abs(value) * 1e-11)
        return text == str(value)

    def tables(self, paths, folder):
        """Compare all rows of all tables of several recordings, one of which is named twice."""
        database, target = folder / "same.db", folder / "same"
        self.add(paths[0], database, *paths[1:])
        done = self.write(target, *paths, paths[0])
        self.claim(done.returncode in (0, 1) and b"1 was there already" in done.stdout, done.returncode, done.stderr)
        self.claim(target.is_dir() and {path.name for path in target.iterdir()} == {f"{name}.csv" for name in TABLES},
                   "files:", contents(target) and sorted(contents(target)))
        for table in TABLES if target.is_dir() else ():
            with contextlib.closing(sqlite3.connect(database)) as at:
                columns = at.execute(f"pragma table_info({table})").fetchall()
                rows = at.execute(f"select * from {table} order by rowid").fetchall()
            with (target / f"{table}.csv").open(encoding="utf-8", newline="") as file:
                names, *told = csv.reader(file)
            self.claim(names == [column[1] for column in columns], table, "has the columns", names)
            wrong = [(got, row) for got, row in zip(told, rows)
                     if not all(self.is_same(text, value, column[2]) for text, value, column in zip(got, row, columns))]
            self.claim(rows and len(told) == len(rows) and not wrong, table, len(told), "rows, not", len(rows), wrong[:1])

    def again(self, paths, folder):
        """Another export replaces the tables of an earlier one, but not files of another program."""
        target = folder / "again"
        target.mkdir()
        first = self.write(target, paths[0])
        before = contents(target)
        second = self.write(target, paths[1])
        self.claim(first.returncode == second.returncode == 0 and contents(target) != before, first.stderr, second.stderr)
        self.claim(self.write(target, paths[0]).returncode == 0 and contents(target) == before, "is not what it was")
        foreign = (("notes.txt", "mine\n"), ("sites.csv", "mine,too\n"), ("sites.csv", ""), ("others.csv", "recording,a\n"),
                   (".hidden", ""))
        for name, text in foreign:
            kept = folder / "kept"
            shutil.copytree(target, kept)
            (kept / name).write_text(text)
            state = contents(kept)
            done = self.write(kept, paths[1])
            self.claim(done.returncode == 3 and name in done.stderr.decode() and contents(kept) == state,
                       "a folder with", name, done.returncode, done.stderr)
            shutil.rmtree(kept)
        (target / "sites.csv").unlink()
        (target / "sites.csv").symlink_to(target / "types.csv")
        self.claim(self.write(target, paths[1]).returncode == 3, "a folder with a link is replaced")
        file = folder / "file"
        file.write_text("mine")
        for bad in (file, folder / "no" / "such"):
            done = self.write(bad, paths[0])
            self.claim(done.returncode == 3 and str(bad) in done.stderr.decode() and file.read_text() == "mine",
                       bad, done.returncode, done.stderr)
        done = self.run("export", "--to", "csv", paths[0])
        self.claim(done.returncode == 2 and b"--output" in done.stderr, "standard output:", done.returncode, done.stderr)

    def failures(self, paths, folder):
        """After an error the folder is unchanged: for a file that cannot be read, a part of a recording, a full
        disk."""
        target, empty = folder / "failed", folder / "empty.oemp"
        empty.write_text("")
        for before in (False, True):
            if before:
                self.claim(self.write(target, paths[0]).returncode == 0, "the first export fails")
            state = contents(target)
            for status, words in ((3, (paths[1], empty)), (3, (empty, paths[1])), (3, (f"{paths[1]}@3",)),
                                  (2, ("--type", "OOABL*", paths[1]))):
                done = self.write(target, *words)
                self.claim(done.returncode == status and done.stderr and contents(target) == state,
                           words, done.returncode, done.stderr)
            limited = subprocess.run(["sh", "-c", 'ulimit -f 8; trap "" XFSZ; exec "$@"', "sh", self.program, "export",
                                      "--to", "csv", "-o", target, paths[1], "--quiet"], capture_output=True, check=False)
            self.claim(limited.returncode == 3 and limited.stderr and contents(target) == state,
                       "no space:", limited.returncode, limited.stderr)

    def kills(self, paths, folder, count):
        """Killed or ended at any moment, a folder that contains recordings.csv has all tables of one export."""
        ways = []
        for some in paths:
            self.write(folder / "whole", *some)
            ways.append(contents(folder / "whole"))
        chance, target = random.Random(1), folder / "killed"
        for number in range(count):
            shutil.rmtree(target, ignore_errors=True)
            self.write(target, *paths[0])
            command = [self.program, "export", "--to", "csv", "-o", target, *paths[1], "--no-sandbox"]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(chance.random() * 0.2)
            process.send_signal((signal.SIGKILL, signal.SIGTERM)[number % 2])
            process.wait()
            state = contents(target)
            self.claim(state in ways or "recordings.csv" not in state, "killed:", sorted(state))
            if number % 2:
                self.claim(set(state) <= {f"{name}.csv" for name in TABLES}, "a signal leaves", sorted(state))


def all_of(trials, kills):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        paths = [SAMPLES / "shop-v1.oemp", SAMPLES / "shop-v2.oemp"]
        trials.tables(sorted(p for p in SAMPLES.iterdir() if p.suffix in ENDINGS), folder)
        trials.again(paths, folder)
        trials.failures(paths, folder)
        trials.kills([paths[:1], [*paths, fleetdb.large(folder, count=5000)]], folder, kills)


def self_test():
    """Wrong folders are detected."""
    class Wrong(Trials):
        """A program that always writes a single table."""
        def write(self, folder, *paths):
            with contextlib.suppress(OSError):
                folder.mkdir(exist_ok=True)
                (folder / "recordings.csv").write_text(f"recording,path\nx,{len(list(folder.iterdir()))}\n")
            return subprocess.CompletedProcess([], 0, b"", b"")

    shop = [SAMPLES / "shop-v1.oemp", SAMPLES / "shop-v2.oemp"]
    for check, words in (("again", (shop,)), ("failures", (shop,)), ("tables", (shop,))):
        trials = Wrong("true")
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
            with contextlib.suppress(OSError, sqlite3.Error):
                getattr(trials, check)(*words, pathlib.Path(name))
        if not trials.wrong:
            sys.exit(f"{check} finds nothing wrong")
    print("each check finds what is wrong")


def main():
    asked = arguments(__doc__, self_test, kills={"type": int, "default": 20})
    trials = Trials(asked.memprof)
    all_of(trials, asked.kills)
    return trials.end(least=60)


if __name__ == "__main__":
    sys.exit(main())
