#!/usr/bin/env python3
"""The command `memprof spool`. Each finished recording is stored once in the archive, and its rows once in the
database, however often the process is killed. Files that are not recordings stay. There is one process per
folder.

    tests/spool.py --memprof PATH --generate PATH [--recordings N] [--kills N]
    tests/spool.py --self-test
"""
import contextlib
import datetime
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from claims import ClaimsOfProgram, arguments
from fleet import Shard, free_ports
from xxh3 import xxh128

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
TABLES = "recordings", "snapshots", "sites", "types", "platform", "requests", "diagnostics"


def age(path, seconds=3600):
    then = time.time() - seconds
    os.utime(path, (then, then))


class Trials(ClaimsOfProgram):
    def __init__(self, program, folder):
        super().__init__(program)
        self.folder, self.number = folder, 0

    def place(self):
        """Make an empty folder for recordings, one for the archive and one for rows."""
        self.number += 1
        names = [self.folder / f"{self.number}-{name}" for name in ("in", "archive", "rows")]
        names[0].mkdir()
        return names

    def spool(self, source, archive, *words):
        return self.run("spool", source, "--archive", archive, "--once", *words)

    def add(self, source, sample, name=None, seconds=3600):
        target = source / (name or sample)
        shutil.copy(SAMPLES / sample, target)
        age(target, seconds)
        return target

    @staticmethod
    def left(source):
        return sorted(path.name for path in source.iterdir() if path.is_file())

    @staticmethod
    def archived(archive):
        return sorted(path.relative_to(archive) for path in archive.rglob("*.zst"))

    # --- one pass ---

    def steps(self):
        """Rows and baseline are those of the other commands, and the archived file has the recording's bytes."""
        source, archive, rows = self.place()
        samples = ["shop-v2.oemp", "shop-v4.prf", "shop-3.gclog", "shop.taligent", "shop-requests-AS1.oemp"]
        for sample in samples:
            self.add(source, sample, seconds=3 * 86400)
        done = self.spool(source, archive, "--rows", rows, "--label", "host=a7")
        self.claim(done.returncode == 0 and not self.left(source), "one pass", done.returncode, done.stderr, self.left(source))
        day = f"{datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=3):%Y-%m-%d}"
        for sample in samples:
            data = (SAMPLES / sample).read_bytes()
            name = f"{sample}.{xxh128(data)}"
            packed = archive / day / f"{name}.zst"
            self.claim(packed.exists(), "no archived file", packed)
            for table in TABLES:
                wanted = self.run("export", "--to", "clickhouse", "--table", table, "--label", "host=a7", SAMPLES / sample).stdout
                got = rows / table / f"{name}.jsonl"
                got = got.read_text() if got.exists() else ""
                self.claim(got.replace(str(source), str(SAMPLES)) == wanted, sample, table, got[:300], "not", wanted[:300])
            if not packed.exists():
                continue
            if shutil.which("zstd"):
                plain = subprocess.run(["zstd", "-dcq", packed], capture_output=True, check=False).stdout
                self.claim(plain == data, sample, "is archived with other bytes", len(plain), len(data))
            one, two = (self.json("analyze", path).get("totals") for path in (packed, SAMPLES / sample))
            self.claim(one == two and one, sample, "reads differently from the archive", one, two)
            baseline = archive / day / f"{name}.baseline"
            self.run("baseline", "save", SAMPLES / sample, "--store", self.folder / "store", "--as", sample)
            self.claim(baseline.exists() and baseline.read_text() == (self.folder / "store" / f"{sample}.baseline").read_text(), "baseline of", sample)
        again = self.spool(source, archive, "--rows", rows)
        self.claim(again.returncode == 0 and len(self.archived(archive)) == len(samples), "a pass without recordings", again.stderr)

    def reads(self, generate):
        """A recording is read as often as its steps need, and not once for each table: for the checksum that names
        it, for its rows and the checksum in them, for its baseline and the archive. The kernel adds what the
        processes read to the figures of the process that waits for them."""
        source, archive, rows = self.place()
        large = source / "large.oemp"
        subprocess.run([generate, "oemp", "--version", "2", "--objects", "50000", "--snapshots", "8", "-o", large], check=True)
        age(large)
        size = large.stat().st_size

        def read_bytes():
            with open("/proc/self/io", encoding="ascii") as file:
                return int(file.readline().split()[1])

        before = read_bytes()
        done = self.spool(source, archive, "--rows", rows)
        times = (read_bytes() - before) / size
        self.claim(done.returncode == 0 and size > 2 << 20 and not done.stderr and all(list((rows / table).glob("large.oemp.*.jsonl")) for table in TABLES),
                   "a large recording", size, done.stderr)
        self.claim(times < 7, "it is read", times, "times")

    def names(self):
        """Different recordings with the same name and day are both kept; a repeated one is stored once."""
        source, archive, rows = self.place()
        for sample in ("shop-v1.oemp", "shop-v2.oemp", "shop-v1.oemp"):
            self.add(source, sample, "agent one.oemp")
            done = self.spool(source, archive, "--rows", rows)
            self.claim(done.returncode == 0, "names", done.stderr)
        self.claim(len(self.archived(archive)) == 2, "archived", self.archived(archive))

    def others(self):
        """Files that are not recordings, unfinished or hidden files and folders stay. A damaged recording is
        archived."""
        source, archive, rows = self.place()
        (source / "notes.txt").write_text("no recording\n")
        age(source / "notes.txt")
        (source / "torn.oemp").write_bytes((SAMPLES / "shop-v2.oemp").read_bytes()[:12000])
        age(source / "torn.oemp")
        self.add(source, "shop-v2.oemp", "fresh.oemp", seconds=0)
        self.add(source, "shop-v2.oemp", ".hidden.oemp")
        (source / "folder").mkdir()
        done = self.spool(source, archive, "--rows", rows)
        self.claim(done.returncode == 3 and self.left(source) == [".hidden.oemp", "fresh.oemp", "notes.txt"] and
                   "notes.txt" in done.stderr, "others", done.returncode, self.left(source), done.stderr)
        self.claim(len(self.archived(archive)) == 1, "archived", self.archived(archive))

    def failures(self):
        """A recording stays while its rows or its archived file cannot be written, and is removed afterwards."""
        source, archive, rows = self.place()
        self.add(source, "shop-v2.oemp")
        got = self.folder / "got"
        command = f"cat > {got}.$MEMPROF_TABLE; echo \"$MEMPROF_INSERT\" > {got}.statement; test $MEMPROF_TABLE != sites"
        done = self.spool(source, archive, "--to", command)
        self.claim(done.returncode == 3 and self.left(source) and not self.archived(archive), "a command fails", done.returncode)
        blocked = self.folder / "blocked"
        blocked.write_text("a file\n")
        for words in (("--archive", blocked, "--rows", rows), ("--archive", archive, "--rows", blocked)):
            done = self.run("spool", source, "--once", *words)
            self.claim(done.returncode == 3 and self.left(source) and not self.archived(archive), words, done.returncode, done.stderr)
        done = self.spool(source, archive, "--to", command.replace("!= sites", "!= x"))
        self.claim(done.returncode == 0 and not self.left(source), "a command works again", done.stderr)
        for name in ("shop-v1.oemp", "shop-v2.oemp"):
            self.add(source, name)
        refuses = "! grep -q " + xxh128((SAMPLES / "shop-v1.oemp").read_bytes())[:8]
        done = self.spool(source, self.folder / "others", "--to", refuses)
        self.claim(done.returncode == 3 and self.left(source) == ["shop-v1.oemp"] and " of shop-v1.oemp." in done.stderr,
                   "a command refuses one recording", self.left(source), done.stderr)
        (source / "shop-v1.oemp").unlink()
        for table in TABLES:
            wanted = self.run("export", "--to", "clickhouse", "--table", table, SAMPLES / "shop-v2.oemp").stdout
            there = pathlib.Path(f"{got}.{table}")
            self.claim(there.exists() == (wanted != "\n") and
                       (not there.exists() or there.read_text().replace(str(source), str(SAMPLES)) == wanted), "rows of", table)
        statement = self.run("schema", "clickhouse", "--insert", "types").stdout
        self.claim("types" in statement and pathlib.Path(f"{got}.statement").read_text().startswith("INSERT INTO memprof."), "statement")

    def keep(self):
        """The oldest files are deleted first, by size and by days."""
        for words, wanted in ((("--keep", "3days"), {0, 1, 2}), (("--keep", "1d"), {0}), (("--keep", "1B"), set()), (("--keep", "1G"), set(range(6)))):
            source, archive, rows = self.place()
            for days in range(6):
                self.add(source, "shop-v2.oemp", f"{days}.oemp", seconds=days * 86400 + 60)
            others = [archive / "0-other" / f"a.{'0' * 32}.zst", archive / "2020-01-01" / "notes.txt"]
            for other in others:
                other.parent.mkdir(parents=True)
                other.write_text("not of the archive")
            done = self.spool(source, archive, "--rows", rows, *words)
            self.claim(all(other.is_file() for other in others), words, "removes files of others")
            for other in others:
                other.unlink(missing_ok=True)
                other.parent.rmdir()
            today = datetime.datetime.now(datetime.timezone.utc).date()
            kept = {int(path.name.split(".")[0]) for path in self.archived(archive)}
            days = {name: today - datetime.date.fromisoformat(path.parts[0]) for path in self.archived(archive) for name in [int(path.name[0])]}
            self.claim(done.returncode == 0 and kept in (wanted, wanted - {max(wanted, default=0)} if days else wanted), words, kept, "not", wanted)
            empty = [path for path in archive.iterdir() if not any(path.iterdir())]
            self.claim(not empty, "empty folders", empty)

    def refusals(self):
        source, archive, rows = self.place()
        for words in ((), (source,), (source, "--to", "true", "--rows", rows), (source, "--rows", rows, "--keep", "many"), (source, "--rows", rows, "--label", "a"),
                      (source, "--rows", rows, "--label", "a=1", "--label", "a=2"),
                      (self.folder / "missing", "--rows", rows), (source, "--rows", rows, "--settle", "10")):
            done = self.run("spool", *words, "--once")
            self.claim(done.returncode == 2 and done.stderr, words, done.returncode, done.stderr)
        with subprocess.Popen([self.program, "spool", source, "--rows", rows, "--archive", archive]) as first:
            for _ in range(100):
                if (source / ".spool/lock").exists():
                    break
                time.sleep(0.05)
            time.sleep(0.2)
            second = self.spool(source, archive, "--rows", rows)
            self.claim(second.returncode == 3 and "another" in second.stderr, "a second process", second.returncode, second.stderr)
            first.terminate()
        self.claim(self.spool(source, archive, "--rows", rows).returncode == 0, "the lock stays")

    def follow(self):
        """A new recording is noticed. If the database does not answer, it is tried again after growing pauses."""
        source, archive, rows = self.place()
        calls, open_ = self.folder / "calls", self.folder / "open"
        command = f"date +%s.%N >> {calls}; cat > /dev/null; test -e {open_}"
        with subprocess.Popen([self.program, "spool", source, "--archive", archive, "--to", command, "--settle", "100ms"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(0.5)
            shutil.copy(SAMPLES / "shop-v2.oemp", source / "a.oemp")
            for _ in range(100):
                if calls.exists() and len(calls.read_text().split()) >= 3:
                    break
                time.sleep(0.1)
            open_.touch()
            for _ in range(150):
                if not self.left(source):
                    break
                time.sleep(0.1)
            self.claim(not self.left(source) and len(self.archived(archive)) == 1, "not archived", self.left(source))
            shutil.copy(SAMPLES / "shop-v1.oemp", source / "b.oemp")
            for _ in range(100):
                if not self.left(source):
                    break
                time.sleep(0.1)
            self.claim(not self.left(source), "not noticed:", self.left(source))
            process.terminate()
        moments = [float(word) for word in calls.read_text().split()]
        gaps = [after - before for before, after in zip(moments, moments[1:3])]
        self.claim(len(gaps) == 2 and gaps[0] > 0.9 and gaps[1] > 1.9, "tried again after", gaps)

    # --- kills ---

    def arrive(self, generate, source, count, seconds):
        """Recordings are written next to the folder and moved into it, one after the other."""
        for number in range(count):
            path = source / f".{number}"
            subprocess.run([generate, "oemp", "--session", f"AS-{1 + number % 3}", "--requests", "--day", str(number % 90), "--uuid",
                            f"{number:08x}-93b5-4e0a-8a57-000000000001", "-o", path], check=True)
            path.rename(source / f"{number:05}.oemp")
            time.sleep(seconds / count)

    def kills(self, generate, count, kills, words, chance):
        """The process is killed at random moments while recordings arrive."""
        source, archive, _ = self.place()
        line = [self.program, "spool", source, "--archive", archive, "--settle", "100ms", *words]
        writer = threading.Thread(target=self.arrive, args=(generate, source, count, count * 0.1))
        writer.start()
        killed = busy = 0
        while killed < kills or writer.is_alive() or self.left(source):
            with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
                if killed < kills:
                    time.sleep(chance.uniform(0, 2.2 * count * 0.1 / kills))
                    busy += bool(self.left(source))
                    process.kill()
                    killed += 1
                else:
                    while (writer.is_alive() or self.left(source)) and process.poll() is None:
                        time.sleep(0.1)
                    process.terminate()
                said = process.stderr.read().decode()
            if "another" in said:
                time.sleep(0.5)
        writer.join()
        names = [path.name for path in self.archived(archive)]
        self.claim(len(names) == count and len({name.split(".")[0] for name in names}) == count, "archived", len(names), "of", count)
        self.claim(busy > kills // 2, "killed without work:", kills - busy, "of", kills)
        return {name.split(".")[2] for name in names}, busy

    def killed_with_folder(self, generate, count, kills):
        rows = self.folder / "killed-rows"
        names, busy = self.kills(generate, count, kills, ["--rows", rows], random.Random(1))
        for table in TABLES:
            files = list((rows / table).iterdir())
            self.claim(len(files) == count and {path.name.split(".")[2] for path in files} == names, table, len(files), "files")
            lines = [line for path in files for line in path.read_text().splitlines() if line]
            self.claim(all(line.endswith("}") and json.loads(line) for line in lines), table, "has a part of a row")
        print(f"  {count} recordings, {kills} kills, {busy} of them with recordings waiting: each is in the archive and has its rows once")

    def killed_with_engine(self, generate, count, kills):
        if not (shutil.which("clickhouse-server") and shutil.which("clickhouse-client")):
            print("  without clickhouse-server: rows in folders only")
            return
        port = free_ports(1)[0]
        shard = Shard(self.folder / "server", port, [port])
        shard.start()
        try:
            done = shard.client("--multiquery", input=self.run("schema", "clickhouse", text=False).stdout)
            self.claim(done.returncode == 0, "schema", done.stderr)
            names, busy = self.kills(generate, count, kills, ["--to", f'clickhouse-client --host 127.0.0.1 --port {port} --query "$MEMPROF_INSERT"'], random.Random(2))
            found = shard.client("--query", "select recording from memprof.recordings final", text=True).stdout.split()
            self.claim(sorted(one.replace("-", "") for one in found) == sorted(names), "recordings in the database", len(found), "of", count)
            sums = shard.client("--query", "select sum(created_objects) from memprof.recordings final", text=True).stdout
            sites = shard.client("--query", "select sum(created_objects) from memprof.sites final", text=True).stdout
            self.claim(sums == sites, "objects of sites", sites, "not", sums)
            twice = shard.client("--query", "select count() from memprof.recordings", text=True).stdout.strip()
            print(f"  {count} recordings, {kills} kills, {busy} of them with recordings waiting: each is in ClickHouse and in the archive once; "
                  f"{twice} rows of recordings were inserted")
        finally:
            shard.kill()


def everything(trials, asked):
    for check in (trials.steps, trials.names, trials.others, trials.failures, trials.keep, trials.refusals, trials.follow):
        check()
    trials.reads(asked.generate)
    trials.killed_with_folder(asked.generate, asked.recordings, asked.kills)
    trials.killed_with_engine(asked.generate, max(10, asked.recordings // 10), max(3, asked.kills // 10))


def self_test():
    """The checks detect a program that does nothing."""
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
        for check in (Trials.steps, Trials.names, Trials.others, Trials.failures, Trials.keep):
            trials = Trials("true", pathlib.Path(name))
            trials.number = hash(check.__name__) % 10 ** 9
            with contextlib.suppress(OSError):
                check(trials)
            if not trials.wrong:
                sys.exit(f"{check.__name__} finds nothing wrong")
    print("each check finds what is wrong")
    return 0


def main():
    asked = arguments(__doc__, self_test, generate={}, recordings={"type": int, "default": 500},
                      kills={"type": int, "default": 50})
    with tempfile.TemporaryDirectory() as name:
        trials = Trials(asked.memprof, pathlib.Path(name))
        everything(trials, asked)
        return trials.end(least=60)


if __name__ == "__main__":
    sys.exit(main())
