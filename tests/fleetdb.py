#!/usr/bin/env python3
"""Databases of `memprof export --to sqlite`: they have the tables of `memprof sql`, for any number of
recordings. Adding a recording again changes nothing. If the process is killed, the database stays as it was. A
foreign database is not changed.

    tests/fleetdb.py --memprof PATH [--kills N]
    tests/fleetdb.py --self-test
"""
import contextlib
import io
import json
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

import hostile
from claims import ClaimsOfProgram, arguments

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
ENDINGS = {".oemp", ".prf", ".rpt", ".taligent", ".gclog", ".sqlite", ".hprof", ".heapsnapshot", ".heaptrack", ".massif", ".dhat", ".memcheck", ".lsan", ".heap", ".heapprofile", ".cpuprofile", ".folded", ".pprof", ".pb", ".json", ".log", ".lg"}
TABLES = ("recordings", "files", "snapshots", "requests", "platform", "types", "sites", "frames", "deltas", "lives", "objects",
          "refs", "roots", "lines", "calls", "executions", "diagnostics")
VIEWS = ("leaks", "growth", "top_types")


class Trials(ClaimsOfProgram):
    def run(self, *words):
        return super().run(*words, text=False)

    def add(self, path, database, *others):
        return self.run("export", "--to", "sqlite", "-o", database, path, *others, "--quiet")

    def told(self, path, table):
        """Return rows of memprof sql, with numbers as SQLite has them; None if the table does not exist."""
        done = self.run("sql", path, f"select * from {table}", "--format", "json", "--limit", "0", "--quiet")
        if done.returncode:
            return None
        return self.plain(json.loads(done.stdout)["rows"])

    @staticmethod
    def plain(rows):
        """Return rows of JSON, with numbers as SQLite has them."""
        return [{name: float(value) if isinstance(value, float) else int(value) if value is not None
                 and not isinstance(value, str) else value for name, value in row.items()} for row in rows]

    def written(self, database, table, recording):
        with contextlib.closing(sqlite3.connect(database)) as at:
            at.row_factory = sqlite3.Row
            rows = [dict(row) for row in at.execute(f"select * from {table} where recording = ?", (recording,))]
        for row in rows:
            del row["recording"]
        return rows

    def same(self, told, rows):
        """Return true if rows are equal. A member that JSON omits, or that is null, is NULL or an empty list.
        Seconds have six decimals in JSON."""
        def near(a, b):
            return abs(a - b) < 1e-6 if isinstance(a, float) and isinstance(b, float) else a == b
        return len(told) == len(rows) and all(
            set(a) <= set(b) and all(near(a.get(name), b[name] if b[name] != "" else None) for name in b) for a, b in zip(told, rows))

    def tables(self, path, database):
        """Compare all rows of all tables and views of a recording that is added to others."""
        before = self.recordings(database)
        done = self.add(path, database)
        self.claim(done.returncode in (0, 1), path.name, done.returncode, done.stderr)
        added = [name for name in self.recordings(database) if name not in before]
        self.claim(len(added) == 1, path.name, "is", added)
        for table in TABLES + VIEWS if added else ():
            told, rows = self.told(path, table), self.written(database, table, added[0])
            if table in VIEWS and told:
                told, rows = ([sorted(map(str, row.items())) for row in some if row] for some in (told, rows))
                self.claim(len(told) == len(rows), path.name, table, len(rows), "rows, not", len(told))
            else:
                self.claim(self.same(told or [], rows), path.name, table, rows[:2], "not", (told or [])[:2])

    @staticmethod
    def recordings(database):
        if not pathlib.Path(database).exists():
            return []
        with contextlib.closing(sqlite3.connect(database)) as at:
            return [row[0] for row in at.execute("select distinct recording from recordings")]

    def again(self, path, database):
        before = database.read_bytes()
        done = self.add(path, database)
        self.claim(done.returncode == 0 and database.read_bytes() == before, path.name, "again changes the file")

    def contents(self, database):
        """Return the rows of each table, sorted by text, so that the order of recordings does not matter."""
        if not pathlib.Path(database).exists():
            return {}
        with contextlib.closing(sqlite3.connect(database)) as at:
            return {table: sorted(map(repr, at.execute(f"select * from {table}"))) for table in TABLES}

    def several(self, folder):
        """Files, a folder and an archive in one call have the same result as one file after the other. Each
        recording is stored once, however often it is named. If a file cannot be read, the database stays as it
        was."""
        names = ["shop-v1.oemp", "shop-v2.oemp", "shop-v4.prf", "shop.taligent", "shop-3.gclog"]
        inputs = folder / "inputs"
        inputs.mkdir()
        paths = [pathlib.Path(shutil.copy(SAMPLES / name, inputs)) for name in names]
        single, together, found, packed = (folder / f"{name}.db" for name in ("single", "together", "found", "packed"))
        for path in paths:
            self.add(path, single)
        expected = self.contents(single)
        self.claim(len(set(self.recordings(single))) == len(names), "one by one:", self.recordings(single))
        self.claim(self.add(*paths[:1], together, *paths[1:], paths[0], inputs).returncode == 0
                   and self.contents(together) == expected, "files in one call are not the same")
        self.claim(self.add(inputs, found).returncode == 0 and self.contents(found) == expected, "a folder is not the same")
        archive = shutil.make_archive(str(folder / "packed"), "gztar", folder, "inputs")
        self.claim(self.add(archive, packed).returncode == 0, "an archive")
        def named(database):
            return sorted(set(self.recordings(database)))
        self.claim(named(packed) == named(single), "an archive has other recordings", named(packed))
        before = together.read_bytes()
        done = self.add(archive, together, inputs)
        self.claim(done.returncode == 0 and together.read_bytes() == before, "all of them again change the file")
        # A part, then the whole: new recordings are added, known ones are not.
        growing = folder / "growing.db"
        self.add(paths[1], growing)
        done = self.add(inputs, growing)
        self.claim(self.contents(growing) == expected and b"4 more recordings, one for each file, 1 was there" in done.stdout,
                   "a folder of which one is known", done.stdout)
        self.broken(paths, growing, folder)

    def sql(self, paths, folder):
        """memprof sql of several recordings has the same rows and names as their database."""
        database = folder / "sql.db"
        self.add(paths[0], database, *paths[1:])
        for table in TABLES + VIEWS:
            done = self.run("sql", *paths, f"select * from {table}", "--format", "json", "--limit", "0", "--quiet",
                            "--group", "file")
            with contextlib.closing(sqlite3.connect(database)) as at:
                at.row_factory = sqlite3.Row
                rows = [dict(row) for row in at.execute(f"select * from {table}")]
            told = self.plain(json.loads(done.stdout)["rows"]) if done.stdout and not done.returncode else []
            if table in VIEWS:
                told, rows = (sorted(some, key=lambda row: [str(row.get(name)) for name in sorted(rows[0])])
                              for some in (told, rows))
            self.claim(rows and self.same(told, rows), table, rows[:2], "not", told[:2], done.stderr)

    def broken(self, paths, database, folder):
        empty = folder / "empty.oemp"
        empty.write_text("")
        new = SAMPLES / "shop-v3.prf"
        before = database.read_bytes()
        for words in ((new, empty), (empty, new), (new, folder / "missing.oemp")):
            done = self.add(words[0], database, *words[1:])
            self.claim(done.returncode == 3 and done.stderr and database.read_bytes() == before,
                       "a part of what was asked for is added", words, done.returncode, done.stderr)

    def questions(self, database):
        """Each statement of docs/sql.md has an answer."""
        blocks = re.findall(r"```sql\n(.*?)```", (SAMPLES.parent / "docs/sql.md").read_text(), re.DOTALL)
        statements = [one for block in blocks for one in block.split(";") if one.strip()]
        self.claim(len(statements) >= 4, "docs/sql.md has statements:", len(statements))
        with contextlib.closing(sqlite3.connect(database)) as at:
            for one in statements:
                self.claim(at.execute(one).fetchall(), "no answer:", one)
            # the samples come from several builds, and each recording keeps its own sites
            everywhere = at.execute("select count(distinct recording) from sites").fetchone()[0]
            self.claim(everywhere > 5, "recordings with sites:", everywhere)

    def refusals(self, path, folder):
        foreign, text = folder / "foreign.db", folder / "text.db"
        with contextlib.closing(sqlite3.connect(foreign)) as at:
            at.execute("create table t (a)")
            at.commit()
        text.write_text("no database\n" * 1000)
        older = folder / "older.db"
        self.add(path, older)
        with contextlib.closing(sqlite3.connect(older)) as at:
            at.execute("alter table sites add column another")
            at.commit()
        for database in (foreign, text, older, folder / "no" / "such.db"):
            before = database.read_bytes() if database.exists() else None
            done = self.add(path, database)
            after = database.read_bytes() if database.exists() else None
            self.claim(done.returncode == 3 and str(database) in done.stderr.decode() and after == before,
                       database, done.returncode, done.stderr)

    def parts(self, path, folder):
        """A part of a recording is refused, because it has the checksum of the whole."""
        for status, words in ((2, ["--type", "OOABL*"]), (2, ["--source", "*Order*"]), (3, [])):
            name = path if words else f"{path}@3"
            done = self.run("export", "--to", "sqlite", "-o", folder / "part.db", *words, name)
            self.claim(done.returncode == status and done.stderr, "a part:", words, done.returncode, done.stderr)
        self.claim(not (folder / "part.db").exists(), "a part makes a database")

    def kills(self, paths, small, folder, count):
        """Killed at any moment, the database has all recordings of the call, or stays as it was."""
        whole = folder / "whole.db"
        self.add(small, whole)
        began = time.monotonic()
        shutil.copy(whole, folder / "timed.db")
        self.add(paths[0], folder / "timed.db", *paths[1:])
        took, states = time.monotonic() - began, set()
        names = self.recordings(folder / "timed.db")
        chance = random.Random(1)
        for _ in range(count):
            database = folder / "killed.db"
            for old in folder.glob("killed.db*"):
                old.unlink()
            shutil.copy(whole, database)
            process = subprocess.Popen([self.program, "export", "--to", "sqlite", "-o", database, *paths],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.random() * took * 1.1)
            process.kill()
            process.wait()
            with contextlib.closing(sqlite3.connect(database)) as at:
                sound = at.execute("pragma integrity_check").fetchone()[0]
                rows = at.execute("select count(*), count(distinct recording) from deltas").fetchone()
            states.add(rows)
            there = self.recordings(database)
            self.claim(sound == "ok" and there in (names, names[:1]), "killed:", sound, there)
        with contextlib.closing(sqlite3.connect(folder / "timed.db")) as at:
            rows = at.execute("select count(*), count(distinct recording) from deltas").fetchone()
        with contextlib.closing(sqlite3.connect(whole)) as at:
            before = at.execute("select count(*), count(distinct recording) from deltas").fetchone()
        self.claim(states <= {rows, before}, "killed: rows of a part", states, "not", before, rows)


def large(folder, name="large.oemp", count=20000):
    """Make a recording that takes a while to add: `count` objects of as many generations."""
    path = folder / name
    hostile.oemp(path, objects=[hostile.oemp_object(i, line=i) for i in range(1, count + 1)])
    return path


def all_of(trials, kills):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shop = SAMPLES / "shop-v2.oemp"
        paths = sorted(p for p in SAMPLES.iterdir() if p.suffix in ENDINGS)
        for path in paths:
            trials.tables(path, folder / "fleet.db")
        trials.questions(folder / "fleet.db")
        for path in paths:
            trials.again(path, folder / "fleet.db")
        trials.refusals(shop, folder)
        trials.parts(shop, folder)
        trials.several(folder)
        trials.sql(paths, folder)
        trials.kills([large(folder), SAMPLES / "shop-v1.oemp", large(folder, "larger.oemp", 15000)], shop, folder, kills)


def self_test():
    """Wrong databases are detected."""
    class Wrong(Trials):
        """A program that adds rows without a recording, outside of a transaction."""
        def add(self, path, database, *others):
            with contextlib.suppress(sqlite3.DatabaseError), \
                    contextlib.closing(sqlite3.connect(database)) as at:
                for table in TABLES + VIEWS:
                    at.execute(f"create table if not exists {table} (recording, other)")
                at.execute("insert into recordings values ('x', 1)")
                at.execute("insert into recordings values (hex(randomblob(8)), 1)")
                at.commit()
            return subprocess.CompletedProcess([], 0, b"", b"")

        def told(self, path, table):
            return [{"other": 2}]

    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
        folder, shop, trials = pathlib.Path(name), SAMPLES / "shop-v2.oemp", Wrong("true")
        for check, words in ((trials.tables, (folder / "a.db",)), (trials.again, (folder / "a.db",)),
                             (trials.refusals, (folder,)), (trials.parts, (folder,))):
            before = trials.wrong
            check(shop, *words)
            if trials.wrong == before:
                sys.exit(f"{check.__name__} finds nothing wrong")
        for check, words in ((trials.several, (folder,)), (trials.sql, ([shop, shop], folder)), (trials.kills, ([shop], shop, folder, 1))):
            before = trials.wrong
            check(*words)
            if trials.wrong == before:
                sys.exit(f"{check.__name__} finds nothing wrong")
    print("each check finds what is wrong")


def main():
    asked = arguments(__doc__, self_test, kills={"type": int, "default": 20})
    trials = Trials(asked.memprof)
    all_of(trials, asked.kills)
    return trials.end(least=100)


if __name__ == "__main__":
    sys.exit(main())
