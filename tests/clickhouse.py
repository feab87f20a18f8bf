#!/usr/bin/env python3
"""The rows of `memprof export --to clickhouse` and the statements of `memprof schema clickhouse`, without a
server. For every row of every sample, the figures agree with `memprof sql` or a report, the hashes with a
second implementation, and the columns with the statements. Every key occurs once.

    tests/clickhouse.py --memprof PATH
    tests/clickhouse.py --self-test
"""
import collections
import contextlib
import datetime
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from claims import ClaimsOfProgram, arguments
from xxh3 import xxh128

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
ENDINGS = {".oemp", ".prf", ".rpt", ".taligent", ".gclog", ".sqlite", ".hprof", ".heapsnapshot", ".heaptrack", ".massif", ".dhat", ".memcheck", ".lsan", ".heap", ".heapprofile", ".cpuprofile", ".folded", ".pprof", ".pb", ".json", ".log", ".lg"}
TABLES = "recordings", "snapshots", "sites", "types", "platform", "requests", "diagnostics"
SHARED = ("recording", "day", "time", "host", "build", "labels.name", "labels.value", "version", "part")
KEYS = {"recordings": (), "snapshots": ("session", "sequence"), "sites": ("site",), "types": ("type",),
        "platform": ("session", "sequence", "area"), "requests": ("request_api", "session", "request"),
        "diagnostics": ("code", "line")}
WITH_VIEWS = {"sites", "types"}


def uuid(digits):
    return "-".join(digits[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))


def samples():
    return sorted(path for path in SAMPLES.iterdir() if path.suffix in ENDINGS)


class Trials(ClaimsOfProgram):
    def rows(self, table, *words):
        done = self.run("export", "--to", "clickhouse", "--table", table, *words, "--quiet")
        return [json.loads(line) for line in done.stdout.splitlines() if line], done

    # --- statements ---

    def columns(self, statement):
        """Return the names and types of the columns of a CREATE TABLE."""
        return dict(re.findall(r"^    `([\w.]+)` ([\w(), ']+?)(?: COMMENT '.*'| CODEC\(.*\))*,?$", statement, re.MULTILINE))

    def schema(self, *words):
        done = self.run("schema", "clickhouse", *words)
        self.claim(done.returncode == 0 and done.stdout and not done.stderr, "schema", words, done.stderr)
        return [one.strip() for one in re.sub(r"^--.*\n", "", done.stdout, flags=re.MULTILINE).split(";\n") if one.strip()]

    def statements(self):
        """Each variant of the tables has the columns of the insert statement."""
        for words in ((), ("--cluster", "fleet"), ("--for", "current"), ("--cluster", "f", "--for", "current")):
            local = "_local" if "--cluster" in words else ""
            statements = self.schema(*words)
            self.claim(not any(re.search("skip_unavailable|SummingMergeTree|sum(State)?\\(", one) for one in statements),
                       words, "a view adds up, or answers with a part")
            for table in TABLES:
                made = [one for one in statements if one.startswith(f"CREATE TABLE IF NOT EXISTS memprof.{table}{local}\n")]
                self.claim(len(made) == 1, words, table, "is made", len(made), "times")
                names = list(self.columns(made[0])) if made else []
                insert = self.run("schema", "clickhouse", "--insert", table).stdout
                listed = re.fullmatch(r"INSERT INTO memprof\.(\w+) \((.*)\) FORMAT JSONEachRow\n", insert)
                self.claim(listed and listed[1] == table and listed[2].replace("`", "").split(", ") == names,
                           table, "columns", names, "not those of", insert)
                self.claim(tuple(names[:len(SHARED)]) == SHARED, table, "begins with", names[:len(SHARED)])
                key = re.search(r"ORDER BY \((.*)\)", made[0] if made else "")
                self.claim(key and sorted(key[1].split(", ")) == sorted({*KEYS[table], "recording", "part"}), table, key)
                views = [one for one in statements if f"FROM memprof.{table}{local}\n" in one]
                self.claim(len(views) == (table in WITH_VIEWS) and all("maxState(" in one for one in views), table, views)
            distributed = [one for one in statements if "Distributed(" in one]
            self.claim(len(distributed) == (len(TABLES) + len(WITH_VIEWS) if local else 0) and
                       all("cityHash64(toString(recording))" in one for one in distributed), words, distributed)

    # --- rows ---

    def typed(self, table, rows):
        """Each member is a column and has the column's type. Columns without Nullable are in every row, except
        keys and columns with defaults; ClickHouse takes 0 for the figures of views."""
        made = next(one for one in self.schema() if one.startswith(f"CREATE TABLE IF NOT EXISTS memprof.{table}\n"))
        types = self.columns(made)
        kinds = {"UUID": r'"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}"', "String": r'".*"', "Int64": r"-?\d+", "UInt32": r"\d+",
                 "UInt8": "[01]", "Float64": r"-?\d+(\.\d+)?(e-?\d+)?", "Array(String)": r"\[.*\]", "Date": r'"\d{4}-\d\d-\d\d"',
                 "DateTime('UTC')": r'"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"'}
        defaults = set(KEYS[table]) | {"day", "time", "host", "build"}
        if table in WITH_VIEWS:
            defaults |= {"live_bytes", "live_objects", "leaked_bytes", "leaked_objects", "leaking_bytes"}
        for row in rows:
            for name, value in row.items():
                kind = re.sub(r"^Nullable\((.*)\)$", r"\1", types.get(name, ""))
                self.claim(kind in kinds and re.fullmatch(kinds[kind], json.dumps(value)), table, name, types.get(name), value)
            missing = [name for name, type_ in types.items() if name not in row and "Nullable" not in type_ and name not in defaults]
            self.claim(not missing, table, "rows without", missing)

    def told(self, path, table):
        """Return the rows of another command."""
        if table == "requests":
            told = self.json("requests", path, "--limit", 0, "--by", "request").get("requests", [])
            return [{("request_api" if name == "api" else name): value for name, value in row.items()} for row in told]
        if table == "recordings":
            answer = self.json("leaks" if path.suffix in {".oemp", ".taligent", ".sqlite"} else "analyze", path)
            inputs, totals = answer["inputs"], answer.get("totals", {})
            first = {name: inputs[0].get(name) for name in ("path", "format", "format_version", "complete")}
            return [first | totals | {name: sum(one[name] for one in inputs) for name in ("bytes", "records")}]
        done = self.run("sql", path, f"select * from {table}", "--format", "json", "--limit", "0", "--quiet")
        return json.loads(done.stdout)["rows"] if done.returncode in (0, 1) and done.stdout else []

    def same(self, path, table, rows):
        """Columns that both tables have are equal in each row; for stacks, their hashes are."""
        told = self.told(path, table)
        self.claim(len(told) == len(rows), path.name, table, len(rows), "rows, not", len(told))
        columns = {"site", "stack", *SHARED}
        if table == "requests":
            rows, told = (sorted(some, key=lambda row: (row["first_sequence"], row["request"])) for some in (rows, told))
        for row, other in zip(rows, told):
            for name in set(other) & (set(row) | set(self.nullable)) - columns:
                one, two = row.get(name), other[name]
                if name == "session" and table == "requests":
                    continue
                two = int(two) if isinstance(two, bool) else float(two) if isinstance(one, float) else two
                if isinstance(one, float) and isinstance(two, (int, float)):
                    self.claim(abs(one - two) < 1e-6, path.name, table, name, one, "not", two)
                else:
                    self.claim(one == (int(two) if isinstance(one, int) and two is not None else two),
                               path.name, table, name, one, "not", two)
            if "stack" in other and other["stack"]:
                self.claim(row["stack_text"] == other["stack"], path.name, "stack", row["stack_text"], other["stack"])

    def hashes(self, path, rows):
        """Sites and stacks are identified by their text, recordings by their bytes."""
        for row in rows:
            stack = row.get("stack_text", "")
            self.claim(row["stack"] == uuid(xxh128(stack.encode())), path.name, "stack", row)
            self.claim(row["site"] == uuid(xxh128(f"{row.get('type', '')}\n{stack}".encode())), path.name, "site", row)

    def times(self, path, rows):
        """Day and time are those of the session's start, in UTC."""
        session = self.json("info", path).get("session") or {}
        for row in rows:
            begun = session.get("start_time")
            if begun:
                utc = datetime.datetime.fromisoformat(begun).astimezone(datetime.timezone.utc)
                self.claim((row.get("day"), row.get("time")) == (f"{utc:%Y-%m-%d}", f"{utc:%Y-%m-%d %H:%M:%S}"), path.name, row)
            else:
                self.claim("day" not in row and "time" not in row, path.name, "has a day", row.get("day"))

    def sample(self, path):
        name = uuid(xxh128(path.read_bytes()))
        for table in TABLES:
            rows, done = self.rows(table, path, "--label", "host=a7", "--label", "build=12 \"3\"", "--label", "team=ä\t=b")
            self.claim(done.returncode == 0, path.name, table, done.returncode, done.stderr)
            self.claim(rows or done.stdout == "\n", path.name, table, "no empty line without rows:", done.stdout)
            self.typed(table, rows)
            self.same(path, table, rows)
            self.times(path, rows)
            keys = collections.Counter(tuple(row.get(name) for name in (*KEYS[table], "part")) for row in rows)
            self.claim(not keys or max(keys.values()) == 1, path.name, table, "has a key twice", keys.most_common(1))
            for row in rows:
                self.claim((row["recording"], row["host"], row["build"], row["labels.name"], row["labels.value"]) ==
                           (name, "a7", "12 \"3\"", ["team"], ["ä\t=b"]), path.name, table, row)
            if table == "sites":
                self.hashes(path, rows)

    nullable = ("complete", "format_version", "leaked_bytes", "left_bytes")

    # --- several recordings ---

    def several(self, folder):
        """The rows of several recordings are those of each one. A copy in another place has the same sites."""
        paths = [path for path in samples() if "part" not in path.name]
        one_by_one = [row for path in paths for row in self.rows("sites", path)[0]]
        together, done = self.rows("sites", *paths)
        self.claim(done.returncode == 0 and len(together) > 100 and
                   sorted(map(str, together)) == sorted(map(str, one_by_one)), "together", len(together), len(one_by_one))
        copy = folder / "copy.oemp"
        copy.write_bytes((SAMPLES / "shop-v2.oemp").read_bytes())
        self.claim(self.rows("sites", copy)[0] == self.rows("sites", SAMPLES / "shop-v2.oemp")[0], "a copy has other rows")
        parts = [SAMPLES / f"shop-part{i}.oemp" for i in (1, 2)]
        rows = self.rows("recordings", *parts)[0]
        sums = "".join("xxh128:" + xxh128(part.read_bytes()) for part in parts)
        self.claim(len(rows) == 1 and rows[0]["files"] == 2 and rows[0]["recording"] == uuid(xxh128(sums.encode())),
                   "parts of a recording", rows)

    def all_tables(self, folder):
        """A folder of all tables has the rows of each table. Another export replaces it, and an error leaves it as
        it was, as it leaves a folder with other files."""
        target, foreign, good = folder / "tables", folder / "foreign", SAMPLES / "shop-v2.oemp"
        words = ["--label", "host=a7", *(path for path in samples() if "part" not in path.name)]
        files = {f"{table}.jsonl" for table in TABLES}

        def contents(where):
            return {path.name: path.read_text() for path in where.iterdir()} if where.exists() else None

        def write(*more):
            return self.run("export", "--to", "clickhouse-tables", "-o", *more)

        done = write(target, *words)
        got = contents(target) or {}
        told = dict(re.findall(r"^  (\w+) +([\d,]+)$", done.stdout, re.MULTILINE))
        self.claim(done.returncode == 0 and set(got) == files, "files", sorted(got), done.stderr)
        for table in TABLES:
            wanted = self.run("export", "--to", "clickhouse", "--table", table, *words).stdout
            rows = [line for line in wanted.splitlines() if line]
            self.claim(rows and got.get(f"{table}.jsonl", "").splitlines() == rows, table, "has other rows")
            self.claim(told.get(table, "").replace(",", "") == str(len(rows)), table, told.get(table), "rows, not", len(rows))
        done, one = write(target, good), contents(target)
        self.claim(done.returncode == 0 and one and one != got and set(one) == files, "another export", done.stderr)
        for status, more in ((3, [good, folder / "missing.oemp"]), (3, [f"{good}@3"]), (2, [good, "--label", "host"]),
                             (2, [good, "--table", "sites"]), (2, [good, "--type", "OOABL*"])):
            done = write(target, *more)
            self.claim(done.returncode == status and done.stderr and contents(target) == one, more, done.returncode, done.stderr)
            done = write(folder / "none", *more)
            self.claim(done.returncode == status and contents(folder / "none") is None, more, "makes a folder", done.stderr)
        for name, text in ("notes.txt", "mine"), ("sites.jsonl", "mine"), ("sites.jsonl", ""), ("others.jsonl", "\n"), ("recordings.csv", "\n"):
            foreign.mkdir()
            (foreign / name).write_text(text)
            done = write(foreign, good)
            self.claim(done.returncode == 3 and name in done.stderr and contents(foreign) == {name: text}, name, done.stderr)
            (foreign / name).unlink()
            foreign.rmdir()
        done = self.run("export", "--to", "clickhouse-tables", good)
        self.claim(done.returncode == 2 and "--output" in done.stderr, "standard output", done.stderr)

    def failures(self, folder):
        """If a recording cannot be read, it is left out and the exit status is not 0; then no file is written."""
        good, missing, broken, text = (SAMPLES / "shop-v2.oemp", folder / "missing.oemp", folder / "broken.sqlite", folder / "a.txt")
        broken.write_bytes((SAMPLES / "shop-aqtime.sqlite").read_bytes()[:5000])
        text.write_text("no recording\n")
        rows = self.rows("sites", good)[0]
        for bad in (missing, broken, text):
            for words in ((good, bad), (bad, good)):
                got, done = self.rows("sites", *words)
                self.claim(done.returncode == 3 and got == rows and str(bad) in done.stderr, words, done.returncode, done.stderr)
                out = folder / "out.jsonl"
                done = self.run("export", "--to", "clickhouse", "--table", "sites", "-o", out, *words)
                self.claim(done.returncode == 3 and not out.exists(), "a file in spite of", bad, done.returncode)
        done = self.run("export", "--to", "clickhouse", "--table", "sites", "-o", folder / "out.jsonl", good, "--quiet")
        self.claim(done.returncode == 0 and [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()] == rows,
                   "-o", done.stderr)
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([self.program, "export", "--to", "clickhouse", "--table", "sites", good], check=False,
                                  stdout=full, stderr=subprocess.DEVNULL)
        self.claim(done.returncode == 3, "a full disk:", done.returncode)
        got, done = self.rows("sites", f"{good}@3")
        self.claim(done.returncode == 3 and not got, "a part:", done.returncode, got[:1])
        got, done = self.rows("sites", f"{good}@3", good, f"{good}@2", f"{good}@4")
        self.claim(done.returncode == 3 and got == rows and f"{good}: " in done.stderr and "2 more recordings" in done.stderr,
                   "three parts:", done.returncode, done.stderr)

    def refusals(self):
        good = SAMPLES / "shop-v2.oemp"
        for words in (("--table", "size"), ("--table", ""), ("--label", "host"), ("--label", "=a"), ("--type", "OOABL*"),
                      ("--label", "host=a", "--label", "host=b")):
            done = self.run("export", "--to", "clickhouse", *words, good)
            self.claim(done.returncode == 2 and done.stderr and not done.stdout, words, done.returncode, done.stderr)
        for words in ((), ("postgres",), ("clickhouse", "--for", "17"), ("clickhouse", "--insert", "size"), ("clickhouse", good)):
            done = self.run("schema", *words)
            self.claim(done.returncode == 2 and done.stderr and not done.stdout, words, done.returncode, done.stderr)


def everything(trials):
    with tempfile.TemporaryDirectory() as name:
        trials.statements()
        for path in samples():
            trials.sample(path)
        trials.several(pathlib.Path(name))
        trials.all_tables(pathlib.Path(name))
        trials.failures(pathlib.Path(name))
        trials.refusals()


def self_test():
    """Each check finds wrong rows and statements."""
    right = {"recording": "0", "part": 0, "site": uuid(xxh128(b"a\nb")), "stack": uuid(xxh128(b"b")), "type": "a", "stack_text": "b"}
    with contextlib.redirect_stdout(io.StringIO()):
        for wrong in (right | {"site": right["stack"]}, right | {"stack": right["site"]}, right | {"type": "c"}):
            trials = Trials("true")
            trials.hashes(SAMPLES, [right])
            before = trials.wrong
            trials.hashes(SAMPLES, [wrong])
            if before or not trials.wrong:
                sys.exit(f"the hashes of {wrong} pass")
        for check, words in ((Trials.statements, ()), (Trials.sample, (SAMPLES / "shop-v2.oemp",)), (Trials.refusals, ())):
            trials = Trials("true")
            with contextlib.suppress(StopIteration, KeyError):
                check(trials, *words)
            if not trials.wrong:
                sys.exit(f"{check.__name__} finds nothing wrong")
    print("each check finds what is wrong")
    return 0


def main():
    trials = Trials(arguments(__doc__, self_test).memprof)
    everything(trials)
    return trials.end(least=10000)


if __name__ == "__main__":
    sys.exit(main())
