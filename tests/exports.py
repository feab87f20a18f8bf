#!/usr/bin/env python3
"""Export to AQTime databases: the file agrees with the reports, and reading it back gives the original.

    tests/exports.py --memprof PATH
    tests/exports.py --memprof PATH --self-test   check that a changed file is detected

Export every sample that contains objects, open the file with Python's sqlite3 and the sqlite3 program, and
compare rows and sums with the reports. Compare leaks, largest types and growth of both. A failed export leaves
no file. On failure, print a line for each fault and exit with 1.
"""
import argparse
import contextlib
import pathlib
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import growing
from claims import ClaimsOfProgram

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
PREFIX = "ALLOCATION_PROFILER_"
# The columns of each table in AQTime's description, in its order.
KEYS = ["ID", "INST_ID", "PARENT_ID", "REC_ID"]
OTHER = ["COL__", "COL_ADDRESS", "COL_COUNT", "COL_ROOT", "COL_SIZE", "COL_THREADRID"] + KEYS
COLUMNS = {
    "INSTANCES": ["CAPTION", "COUNTER_DESCRIPTION", "COUNTER_FREQUENCY", "COUNTER_NAME", "INST_ID"],
    PREFIX + "CLASSES_DATA": ["COL_LIVE_COUNT", "COL_CLASS_NAME", "COL_FINALIZABLE", "COL_LIVE_SIZE",
                              "COL_MODULE_NAME", "COL_NAMESPACE", "COL_PEAK_CREATED",
                              "COL_PEAK_SIZE", "COL_TOKEN", "COL_TOTAL_CREATED",
                              "COL_TOTAL_SIZE"] + KEYS,
    PREFIX + "CREATION_CALL_STACK": ["COL_HIT_COUNT", "COL_ROUTINERID"] + KEYS,
    PREFIX + "META_CLASSES_DATA": ["COL_CLASS_NAME", "COL_FINALIZABLE", "COL_MODULE_NAME",
                                   "COL_NAMESPACE", "COL_SYMBOL_MONIKER", "COL_TOKEN"] + KEYS,
    PREFIX + "META_LINES": ["COL_SOURCE_LINE"] + KEYS,
    PREFIX + "META_ROUTINES": ["COL_ADDRESS", "COL_ANALISYS_RESULT", "COL_CLASS_NAME",
                               "COL_CODE_TYPE", "COL_COMPILER", "COL_HIT_COUNT", "COL_MODULE_NAME",
                               "COL_NAMESPACE", "COL_PROFILELINES", "COL_ROUTINE_NAME",
                               "COL_SOURCE_FILE", "COL_SOURCE_LINE", "COL_SYMBOL_MONIKER",
                               "COL_TOKEN", "COL_UNIT_NAME"] + KEYS,
    PREFIX + "OBJECTS": ["COL__", "COL_ADDRESS", "COL_CLASSRID", "COL_GET_", "COL_REFERENCES_FROM",
                         "COL_REFERENCES_TO", "COL_ROOT", "COL_SIZE", "COL_THREADRID"] + KEYS,
    PREFIX + "REFERENCES_FROM": OTHER,
    PREFIX + "REFERENCES_TO": OTHER,
    PREFIX + "THREADS": ["COL_NAME", "COL_SIZE", "COL_WIN32THREADID"] + KEYS,
    "RELATIONS": ["COL_CHILD_TABLE", "COL_PARENT_TABLE", "ID", "INST_ID"],
}
# Every reference from a table to another, to find rows that refer to nothing.
LOST = {
    "class": "SELECT count(*) FROM {o} o WHERE NOT EXISTS (SELECT 1 FROM {p}META_CLASSES_DATA c"
             " WHERE c.INST_ID = o.INST_ID AND c.REC_ID = o.COL_CLASSRID)",
    "thread": "SELECT count(*) FROM {o} o WHERE COL_THREADRID IS NOT NULL AND NOT EXISTS (SELECT 1"
              " FROM {p}THREADS t WHERE t.INST_ID = o.INST_ID AND t.REC_ID = o.COL_THREADRID)",
    "stack": "SELECT count(*) FROM {p}CREATION_CALL_STACK s WHERE NOT EXISTS (SELECT 1 FROM {o} o"
             " WHERE o.INST_ID = s.INST_ID AND o.ID = s.PARENT_ID)",
    "routine": "SELECT count(*) FROM {p}CREATION_CALL_STACK s WHERE NOT EXISTS (SELECT 1 FROM"
               " {p}META_ROUTINES r WHERE r.INST_ID = s.INST_ID AND r.REC_ID = s.COL_ROUTINERID)",
    "line": "SELECT count(*) FROM {p}META_LINES l WHERE NOT EXISTS (SELECT 1 FROM {p}META_ROUTINES r"
            " WHERE r.INST_ID = l.INST_ID AND r.ID = l.PARENT_ID)",
    "reference": "SELECT count(*) FROM {p}REFERENCES_TO t WHERE NOT EXISTS (SELECT 1 FROM"
                 " {p}REFERENCES_FROM f JOIN {o} a ON a.INST_ID = f.INST_ID AND a.REC_ID = f.REC_ID"
                 " JOIN {o} b ON b.INST_ID = f.INST_ID AND b.ID = f.PARENT_ID WHERE f.INST_ID ="
                 " t.INST_ID AND a.ID = t.PARENT_ID AND b.REC_ID = t.REC_ID)",
    "figure": "SELECT count(*) FROM {p}CLASSES_DATA WHERE NOT (COL_LIVE_COUNT <= COL_PEAK_CREATED AND"
              " COL_PEAK_CREATED <= COL_TOTAL_CREATED AND COL_LIVE_SIZE <= COL_PEAK_SIZE AND"
              " COL_PEAK_SIZE <= COL_TOTAL_SIZE)",
}


# A dump made by hand: object 10 refers to 12 twice and to itself; 12 refers to itself and to an object that
# does not exist. 11 has only a weak root, 12 a weak and a strong one. The second domain refers to the first.
GRAPH = """\
a 2 Shop.exe 1
t 1 Shop.Node
o 10 1 20 12 11 10 12
o 11 1 8 12
o 12 1 4 99 12 10
r 10 1 0
r 11 3 2
r 12 3 2
r 12 4 1
c Shop.exe 2
a 2 Other.exe 3
t 1 Other.Node
o 20 1 30 10 21
o 21 1 c
r 20 1 0
c Other.exe 4
"""
# A heap log that lists old blocks late: after others came and went, and at the end.
LATE = "Thread\tTime of event\tAddress\tSize\tType\tStack crawl\n" + "\n".join([
    "0-0\told\t0x10\t40\tTLock",
    *(f"1-1\t{1000 + 10 * i}\t0x{100 + i:x}\t8\tnovtbl\tA::f()|main" for i in range(40)),
    "0-0\told\t0x20\t16\tTOld",
    *(f"1-1\t{1400 + 10 * i}\t0x{100 + i:x}\tdel\tTText\tA::g()|main" for i in range(40)),
    "0-0\told\t0x30\t24\tTOlder"]) + "\n"
# By address: COL_ROOT, the number of objects that refer to it, the number that it refers to, and its size.
SHOP = {0x10: (1, 2, 3, 32), 0x11: (0, 1, 1, 8), 0x12: (1, 3, 2, 4)}
BOTH = SHOP | {0x10: (1, 3, 3, 32), 0x20: (1, 0, 2, 48), 0x21: (0, 1, 0, 12)}
# Number of references between pairs of objects.
SHOP_PAIRS = {(0x10, 0x10): 1, (0x10, 0x11): 1, (0x10, 0x12): 2, (0x11, 0x12): 1, (0x12, 0x12): 1,
              (0x12, 0x10): 1}
BOTH_PAIRS = SHOP_PAIRS | {(0x20, 0x10): 1, (0x20, 0x21): 1}


class Law(ClaimsOfProgram):
    # --- one sample ---

    def sample(self, path, folder):
        target = folder / (path.name + ".sqlite")
        report = self.json("export", "--to", "aqtime", "-o", target, path)
        if not report:
            self.claim(False, f"{path.name} is not exported")
            return
        self.rows_agree(path, target, report)
        self.joins_lead_somewhere(path, target)
        self.reads_back(path, target)
        self.opens_with_sqlite3(path, target, report)

    def rows_agree(self, path, target, report):
        snapshots = self.json("snapshots", path, "--limit", 0).get("snapshots", [])
        with contextlib.closing(sqlite3.connect(target)) as file:
            told = {row["table"]: row["rows"] for row in report["tables"]}
            for table, columns in COLUMNS.items():
                there = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
                self.claim(there == columns, f"{path.name}: columns of {table} are {there}")
                count, = file.execute(f"SELECT count(*) FROM {table}").fetchone()
                self.claim(told.get(table) == count, f"{path.name}: {table} has {count} rows, {told}")
            sets = file.execute("SELECT INST_ID, CAPTION FROM INSTANCES ORDER BY INST_ID").fetchall()
            if path.suffix == ".gclog":
                snapshots = snapshots[-1:]
            self.claim([(s["sequence"], s.get("tag")) for s in snapshots] == sets,
                      f"{path.name}: result sets are {sets}")
            for (inst, _), snapshot in zip(sets, snapshots):
                sums = [file.execute(query, (inst,)).fetchone() for query in (
                    f"SELECT count(*), coalesce(sum(COL_SIZE), 0) FROM {PREFIX}OBJECTS WHERE INST_ID = ?",
                    f"SELECT coalesce(sum(COL_LIVE_COUNT), 0), coalesce(sum(COL_LIVE_SIZE), 0)"
                    f" FROM {PREFIX}CLASSES_DATA WHERE INST_ID = ?")]
                wanted = (snapshot["live_objects"], snapshot["live_bytes"])
                self.claim(sums == [wanted, wanted], f"{path.name}: set {inst} has {sums}, not {wanted}")
        self.claim((report["totals"]["live_objects"], report["totals"]["live_bytes"]) == wanted,
                  f"{path.name}: totals are {report['totals']}")

    def joins_lead_somewhere(self, path, target):
        with contextlib.closing(sqlite3.connect(target)) as file:
            for what, query in LOST.items():
                lost, = file.execute(query.format(o=PREFIX + "OBJECTS", p=PREFIX)).fetchone()
                self.claim(lost == 0, f"{path.name}: {lost} rows without {what}")

    def reads_back(self, path, target):
        done = self.run("check", target)
        self.claim(done.returncode == 0, f"{path.name}: check of what was written: {done.stdout}")
        for command in ("leaks", "top", "growth"):
            if path.suffix == ".gclog" and command != "top":
                continue  # a single dump has no history
            before, after = (self.json(command, file, "--limit", 0) for file in (path, target))
            self.claim(self.told(before, command) == self.told(after, command),
                      f"{path.name}: {command} differs when read back: {self.told(before, command)[:2]}"
                      f" and {self.told(after, command)[:2]}")
        if path.suffix in (".gclog", ".sqlite"):
            before, after = (self.json("retained", file, "--limit", 0) for file in (path, target))
            self.claim(self.retained(before) == self.retained(after), f"{path.name}: retained differs")

    @staticmethod
    def told(report, command):
        """Return what survives the export: type, objects, bytes and stack. Line 0 is a line only in a
        recording; in a database, a line is that where a routine begins."""
        rows = []
        for row in report.get(command, []):
            names = ("type", "key", "objects", "bytes", "from_objects", "to_objects", "from_bytes",
                     "to_bytes")
            stack = [re.sub(r":(\d+)$", r" (from \1)", re.sub(":0$", "", frame)) for frame in row.get("stack", [])]
            rows.append(([row.get(name) for name in names], stack))
        return sorted(rows, key=repr)

    @staticmethod
    def retained(report):
        return sorted((row["type"], row["self_bytes"], row["retained_bytes"],
                       row.get("dominator") is None) for row in report.get("retained", []))

    def opens_with_sqlite3(self, path, target, report):
        program = shutil.which("sqlite3")
        if not program:
            return
        query = f"PRAGMA integrity_check; SELECT count(*) FROM {PREFIX}OBJECTS;"
        done = subprocess.run([program, target, query], capture_output=True, text=True, check=False)
        rows = {row["table"]: row["rows"] for row in report["tables"]}
        self.claim(done.stdout.split() == ["ok", str(rows[PREFIX + "OBJECTS"])],
                  f"{path.name}: the sqlite3 program says {done.stdout}{done.stderr}")

    # --- references ---

    def references(self, folder):
        """Compare the tables of references with each object and each pair."""
        source = folder / "a.gclog"
        source.write_text(GRAPH)
        for domains, objects, pairs in (([], BOTH, BOTH_PAIRS),
                                        (["--domain", "Shop.exe"], SHOP, SHOP_PAIRS)):
            target = folder / "a.sqlite"
            done = self.run("export", "--to", "aqtime", "-o", target, *domains, source)
            self.claim(done.returncode == 0, f"a dump is not exported: {done.stderr}")
            with contextlib.closing(sqlite3.connect(target)) as file:
                there = {address: tuple(row) for address, *row in file.execute(
                    f"SELECT COL_ADDRESS, COL_ROOT, COL_REFERENCES_FROM, COL_REFERENCES_TO, COL_SIZE"
                    f" FROM {PREFIX}OBJECTS")}
                self.claim(there == objects, f"objects of a graph {domains}: {there}")
                for table, own, other in (("REFERENCES_TO", 0, 1), ("REFERENCES_FROM", 1, 0)):
                    wanted = sorted((pair[own], pair[other], pair[other], pair[other], count,
                                     objects[pair[other]][0], objects[pair[other]][3])
                                    for pair, count in pairs.items())
                    rows = sorted(file.execute(
                        f"SELECT o.REC_ID, r.REC_ID, r.COL__, r.COL_ADDRESS, r.COL_COUNT, r.COL_ROOT,"
                        f" r.COL_SIZE FROM {PREFIX}{table} r JOIN {PREFIX}OBJECTS o"
                        f" ON o.INST_ID = r.INST_ID AND o.ID = r.PARENT_ID"))
                    self.claim(rows == wanted, f"{table} of a graph {domains}: {rows}")

    # --- errors ---

    def refused(self, folder, status, *arguments, **more):
        before = self.listing(folder)
        done = self.run("export", *arguments, **more)
        what = f"export {' '.join(map(str, arguments))}"
        self.claim(done.returncode == status, f"{what}: exit {done.returncode}, {done.stderr}")
        self.claim(done.stdout == "" and done.stderr != "", f"{what} says {done.stdout!r}")
        self.claim(self.listing(folder) == before, f"{what} leaves something behind")

    @staticmethod
    def listing(folder):
        return sorted((str(p), p.read_bytes() if p.is_file() else None) for p in folder.rglob("*"))

    def errors(self, folder):
        sample, profile = SAMPLES / "shop-v2.oemp", SAMPLES / "shop-v4.prf"
        (folder / "kept.sqlite").write_text("kept")
        (folder / "sub").mkdir()
        (folder / "torn.oemp").write_bytes(sample.read_bytes()[:9000])
        to = ("--to", "aqtime", "-o", folder / "kept.sqlite")
        self.refused(folder, 2, *to, profile)
        self.refused(folder, 2, "-o", folder / "kept.sqlite", sample)
        self.refused(folder, 2, "--to", "aqtime", sample)
        self.refused(folder, 2, "--to", "mdb", "-o", folder / "kept.sqlite", sample)
        self.refused(folder, 3, *to, folder / "missing.oemp")
        self.refused(folder, 3, *to, sample, folder / "missing.oemp")
        self.refused(folder, 3, *to, "--strict", folder / "torn.oemp")
        self.refused(folder, 3, *to, *sorted(SAMPLES.glob("shop-agent-AS*.oemp")))
        self.refused(folder, 3, "--to", "aqtime", "-o", folder / "none" / "a.sqlite", sample)
        self.refused(folder, 3, "--to", "aqtime", "-o", folder / "sub", sample)
        self.refused(folder, 3, "--to", "aqtime", "-o", "/dev/null", sample)
        self.refused(folder, 3, *to, sample, preexec_fn=self.small_disk)
        done = self.run("export", *to, folder / "torn.oemp")
        self.claim(done.returncode == 0 and (folder / "kept.sqlite").stat().st_size > 4096,
                  f"a torn recording is not exported: {done.stderr}")

    def many_snapshots(self, folder):
        """An object is added at each snapshot, and each result set lists all of them, up to two million rows."""
        recording, last = growing.Recording(), 1414
        for number in range(1, last + 1):
            recording.object(number)
            recording.snapshot()
        source, target = folder / "many.oemp", folder / "many.sqlite"
        source.write_text("\n".join(recording.lines) + "\n")
        # Rows of objects and of their stacks of one frame, and a row of the only class in each set but the
        # first.
        rows = [count * (count + 1) + count for count in (last, last - 1)]
        self.refused(folder, 2, "--to", "aqtime", "-o", target, source)
        said = self.run("export", "--to", "aqtime", "-o", target, source).stderr
        self.claim(f" make {rows[0]} rows " in said, f"{rows[0]} rows are refused: {said}")
        done = self.run("export", "--to", "aqtime", "-o", target, f"{source}@{last}")
        self.claim(done.returncode == 0, f"{rows[1]} rows are refused: {done.stderr}")
        with contextlib.closing(sqlite3.connect(target)) as database:
            found = sum(database.execute(f"SELECT count(*) FROM {PREFIX}{table}").fetchone()[0]
                        for table in ("OBJECTS", "CREATION_CALL_STACK", "CLASSES_DATA"))
        self.claim(found == rows[1], f"{found} rows of {rows[1]}")
        target.unlink()

    @staticmethod
    def small_disk():
        """Limit the size of files, so that a write fails as on a full disk."""
        import signal  # pylint: disable=import-outside-toplevel
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))

    def hostile_names(self, folder):
        """A file may have any name."""
        source = folder / "a.sqlite"
        self.run("export", "--to", "aqtime", "-o", source, SAMPLES / "shop-v2.oemp")
        for name in ("per%cent?mode=rwc#x.sqlite", ":memory:", "file:x", "new\nline.sqlite", "ä.sqlite"):
            target = folder / name
            done = self.run("export", "--to", "aqtime", "-o", target, SAMPLES / "shop-v2.oemp")
            self.claim(done.returncode == 0 and target.stat().st_size == source.stat().st_size,
                      f"{name!r} is not written: {done.stderr}")
            self.claim(self.run("check", target).returncode == 0, f"{name!r} is not read")

    def from_pipe(self, folder):
        target = folder / "a.sqlite"
        with open(target, "rb") as file:
            piped = subprocess.run(["sh", "-c", 'cat | "$0" leaks - --format csv', self.program],
                                   stdin=file, capture_output=True, check=False)
        direct = subprocess.run([self.program, "leaks", target, "--format", "csv"],
                                capture_output=True, check=False)
        self.claim(piped.stdout == direct.stdout and direct.stdout, "a pipe gives what the file gives")


def objects_samples():
    for pattern in ("*.oemp", "*.taligent", "*.gclog", "*.sqlite"):
        for path in sorted(SAMPLES.glob(pattern)):
            if path.name != "shop-part2.oemp":  # this file is only the end of a recording
                yield path


def self_test(law):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        target = folder / "a.sqlite"
        report = law.json("export", "--to", "aqtime", "-o", target, SAMPLES / "shop-v2.oemp")
        with contextlib.closing(sqlite3.connect(target)) as file:
            file.execute(f"UPDATE {PREFIX}OBJECTS SET COL_SIZE = COL_SIZE + 1 WHERE rowid = 1")
            file.commit()
        law.rows_agree(SAMPLES / "shop-v2.oemp", target, report)
        law.reads_back(SAMPLES / "shop-v2.oemp", target)
    print("a changed file is found out" if law.wrong >= 2 else f"only {law.wrong} of it")
    return 0 if law.wrong >= 2 else 1


def main():
    parser = argparse.ArgumentParser(description="the law of exports")
    parser.add_argument("--memprof", required=True)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    law = Law(options.memprof)
    if options.self_test:
        return self_test(law)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in objects_samples():
            law.sample(path, folder)
        late = folder / "late.taligent"
        late.write_text(LATE, encoding="ascii")
        law.sample(late, folder)
    for part in (law.references, law.errors, law.many_snapshots):
        with tempfile.TemporaryDirectory() as name:
            part(pathlib.Path(name))
    with tempfile.TemporaryDirectory() as name:
        law.hostile_names(pathlib.Path(name))
        law.from_pipe(pathlib.Path(name))
    return law.end()


if __name__ == "__main__":
    sys.exit(main())
