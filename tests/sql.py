#!/usr/bin/env python3
"""The command memprof sql: it can only read, its limits end hostile statements, its tables have the sums of the
reports, and a search by key finds the same as a walk over all rows.

    tests/sql.py --memprof PATH [--server PATH]      test the program
    tests/sql.py --self-test                         check that faults are detected
"""
import argparse
import contextlib
import io
import json
import pathlib
import re
import sys

from claims import ClaimsOfRuns, arguments

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
ENDINGS = {".oemp", ".prf", ".rpt", ".taligent", ".gclog", ".sqlite", ".log", ".lg", ".pprof", ".pb", ".heapprofile", ".cpuprofile", ".heap", ".heaptrack", ".massif", ".dhat", ".folded", ".memcheck", ".lsan", ".json",
           ".heapsnapshot", ".hprof"}

# Statements that do more than read, or are invalid.
REFUSED = ["drop table sites", "attach 'x.db' as x", "pragma user_version = 3", "pragma table_info(sites)",
           "create table t(a)", "create temp table t(a)", "create view v as select 1", "delete from sites",
           "insert into sites(site) values (1)", "update sites set site = 2", "vacuum", "vacuum into 'x.db'",
           "begin", "commit", "reindex", "analyze", "explain select 1", "detach main", "", ";", "-- nothing",
           "select 1; select 2", "select 1; drop table sites", "selec", "select nothing from sites",
           "select load_extension('x')", "select * from no_such_table", "select ?1", "select 'open",
           "with x as (select 1) delete from sites", "savepoint s",
           "select * from pragma_database_list", "select json_array(1)", "select frame -> '$' from frames",
           "select * from json_each('[1]')", "select fts3_tokenizer('x')", "select sqlite_compileoption_get(1)",
           "select readfile('/etc/passwd')", "select writefile('x', 'y')", "select * from dbstat",
           "create trigger t after insert on sites begin select 1; end"]
# Statements that would need endless time, all memory or too deep a stack; and one that fails in the middle of
# a row.
HOSTILE = ["with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c",
           "with recursive c(x) as (select 1 union select x + 1 from c) select max(x) from c",
           "select count(*) from frames a, frames b, frames c, frames d, frames e, frames f",
           "select randomblob(1000000000)", "select zeroblob(2000000000)",
           "select group_concat(a.frame) from frames a, frames b, frames c",
           "select replace(hex(zeroblob(500000)), '00', hex(zeroblob(500000)))",
           "select bytes('much')", "select " + "(" * 5000 + "1" + ")" * 5000,
           "select " + "- " * 5000 + "1", " union all ".join(["select 1"] * 1500),
           "select 1" + " + 1" * 5000, "select " + ", ".join(["1"] * 5000),
           "select " + "abs(" * 3000 + "1" + ")" * 3000, "select 'a' glob '" + "*a" * 5000 + "'",
           "select 'a' like '" + "%a" * 5000 + "'", "select " + "1, " * 9000 + "1",
           "select printf('%.*c', 2000000000, 'x')", "select printf('%2000000000d', 1)",
           "select format('%.2000000000f', 1)", "select printf('%s', zeroblob(2000000000))",
           "with recursive c(x) as (select 'x' union all select x || x from c) select max(length(x)) from c",
           "select trim(hex(zeroblob(300000)), hex(zeroblob(300000)))",
           "select sum(length(hex(randomblob(500000)))) from frames a, frames b, frames c",
           "select a.frame from frames a, frames b, frames c, frames d order by random()",
           "with recursive f(n) as (select 1 union all select n + 1 from f) select * from f order by 1",
           "select max(x) over (order by x rows unbounded preceding) from (select a.depth + b.depth + c.depth + d.depth"
           " as x from frames a, frames b, frames c, frames d)"]
# Statements for which SQLite's own functions would take forever, and their results.
BOUNDED = [("select hex(zeroblob(500000)) like '%0%0%0%0%0%0%0%1'", 0),
           ("select instr(hex(zeroblob(500000)), hex(zeroblob(250000)) || '1')", 0),
           ("select length(replace(hex(zeroblob(500000)), hex(zeroblob(200000)) || '1', ''))", 1000000),
           ("select length(trim(hex(zeroblob(500000)), '0'))", 0),
           ("with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000) "
            "select count(*) from n join frames f on f.site = nullif(i, i)", 0)]
# Functions that replace SQLite's, and their results by its documentation.
FUNCTIONS = [("instr('häuser', 'u')", 3), ("instr('abc', '')", 1), ("instr('abc', 'd')", 0),
             ("instr(x'0102', x'02')", 2), ("instr(null, 'a')", None),
             ("replace('a-b-c', '-', '+')", "a+b+c"), ("replace('abc', '', 'x')", "abc"),
             ("replace('aaa', 'aa', 'b')", "ba"), ("replace(null, 'a', 'b')", None),
             ("trim('  a b ')", "a b"), ("ltrim('xxaxx', 'x')", "axx"), ("rtrim('xxaxx', 'x')", "xxa"),
             ("trim('äöaä', 'ä')", "öa"), ("trim('abc', '')", "abc"),
             ("'Order.p' like 'order._'", 1), ("'a%b' like 'a!%b' escape '!'", 1),
             ("'axb' like 'a!%b' escape '!'", 0), ("'a*b' like 'a*b'", 1), ("'axb' like 'a*b'", 0),
             ("'[x]' like '[x]'", 1), ("null like 'a'", None), ("'' like '%'", 1),
             ("printf('%5.1f|%-4d|%s|%%', 2.25, 7, 'a')", "  2.3|7   |a|%"), ("format('%03d', 7)", "007"),
             ("printf('%s')", None), ("printf('%Q', 'it''s')", "'it''s'")]
# Each model has some of these tables; the sums of columns are those of the totals.
SUMS = [("sites", "live_bytes", "live_bytes"), ("sites", "live_objects", "live_objects"),
        ("types", "live_bytes", "live_bytes"), ("types", "live_objects", "live_objects"),
        ("sites", "created_bytes", "created_bytes"), ("sites", "created_objects", "created_objects"),
        ("sites", "deleted_objects", "deleted_objects"), ("sites", "leaked_bytes", "leaked_bytes"),
        ("types", "leaked_objects", "leaked_objects"), ("deltas", "delta_bytes", "live_bytes"),
        ("deltas", "delta_objects", "live_objects"), ("deltas", "created_objects", "created_objects"),
        ("objects", "self_bytes", "live_bytes"), ("objects", "1", "live_objects"),
        ("roots", "1", "roots"), ("lines", "seconds", "seconds"), ("lines", "samples", "samples")]
# the row of a recording has its totals
SUMS += [("recordings", name, name) for name in ("live_bytes", "live_objects", "created_bytes", "created_objects",
                                                 "deleted_objects", "leaked_bytes", "leaked_objects",
                                                 "peak_bytes", "seconds", "samples")]
# Rows of a report's list, and the statement that gives the same sums of the columns.
REPORTS = [("analyze", "inputs", "select count(*), sum(bytes), sum(records) from files", ("bytes", "records")),
           ("analyze", "diagnostics", "select count(*), sum(count) from diagnostics", ("count",)),
           ("snapshots", "snapshots", "select count(*), sum(live_bytes), sum(live_objects), sum(created_objects), "
                                      "sum(deleted_objects), sum(platform_bytes) from snapshots",
            ("live_bytes", "live_objects", "created_objects", "deleted_objects", "platform_bytes")),
           ("snapshots", "snapshots", "select (select count(*) from snapshots), sum(bytes) from platform",
            ("platform_bytes",)),
           ("leaks", "leaks", "select count(*), sum(leaked_bytes), sum(leaked_objects), sum(session_pool_objects) "
                              "from leaks", ("bytes", "objects", "session_pool_objects")),
           ("growth", "growth", "select count(*), sum(delta_bytes), sum(delta_objects) from growth",
            ("delta_bytes", "delta_objects")),
           ("top", "top", "select count(*), sum(live_bytes), sum(live_objects) from top_types", ("bytes", "objects")),
           ("top", "top", "select count(*), sum(seconds), sum(calls) from lines", ("seconds", "calls")),
           ("timeline", "timeline", "select count(*), sum(seconds) from executions", ("seconds",))]
# Key columns by which rows are found, and a column with such a value.
KEYS = [("sites", "site"), ("frames", "site"), ("objects", "object"), ("refs", "object")]


class Trials(ClaimsOfRuns):
    def ask(self, *words):
        done = self.runs.run(*words, "--format", "json", "--quiet")
        return done, json.loads(done.stdout) if done.stdout else {}

    def rows(self, path, statement, *options):
        """Return rows as lists of values; None if there is no answer."""
        done, answer = self.ask("sql", *options, path, statement)
        return [list(row.values()) for row in answer["rows"]] if done.returncode == 0 else None

    def refusals(self, path):
        for statement in REFUSED:
            done, _ = self.ask("sql", path, statement)
            self.claim(done.returncode == 2 and b"memprof:" in done.stderr and not done.stdout,
                       "not refused:", statement, done.returncode, done.stderr)

    def hostile(self, path):
        for statement in HOSTILE:
            done, _ = self.ask("sql", path, statement)
            self.claim(done.returncode in (2, 3) and done.stderr.startswith(b"memprof: ")
                       and not done.stdout, "not ended:", statement, done.returncode, done.stderr)

    def functions(self, path):
        for statement, expected in BOUNDED + [(f"select {text}", value) for text, value in FUNCTIONS]:
            rows = self.rows(path, statement)
            self.claim(rows == [[expected]], "not", expected, statement, rows)

    def unknown(self):
        """What a recording does not know is NULL, as it is left out of its reports."""
        for name, table, column in (("shop-objects-3.json", "types", "live_bytes"), ("shop-objects-3.json", "sites", "leaked_bytes"),
                                    ("shop-3.gclog", "types", "created_objects"), ("shop-3.gclog", "sites", "leaked_bytes"),
                                    ("shop-3.gclog", "snapshots", "deleted_objects")):
            rows = self.rows(SAMPLES / name, f"select {column} from {table} where {column} = 0")
            some = self.rows(SAMPLES / name, f"select count(*) from {table} where {column} is null")
            self.claim(rows == [] and some[0][0] > 0, name, table, column, rows, some)
        sizes = self.rows(SAMPLES / "shop-objects-3.json", "select sum(live_bytes) from types where type = 'MEMPTR'")
        self.claim(sizes == [[6144]], "sizes that are known", sizes)
        self.claim(self.rows(SAMPLES / "shop-v2.oemp", "select 1e308 * 10, -1e308 * 10") == [[None, None]], "infinity")
        self.claim(self.rows(SAMPLES / "shop-v2.oemp", "-- a comment\nselect 1") == [[1]], "a comment")

    def sums(self, path, part=()):
        kind = "analyze"
        done, answer = self.ask(kind, path, *part)
        if done.returncode:
            return
        totals, held = answer["totals"], 0
        for table, column, name in SUMS:
            rows = self.rows(path, f"select sum({column}) from {table}", *part)
            self.claim(rows is not None or table != "sites" or name not in totals, path.name, "has no", table)
            if rows is None or name not in totals:
                continue
            held += 1
            told = rows[0][0] or 0
            self.claim(abs(told - totals[name]) < 0.0000005, path.name, *part, table, column, told, "not",
                       totals[name])
        self.claim(held, path.name, *part, "has no sums")

    def reports(self, path):
        """Sums of relations and views are those of the reports."""
        for report, name, statement, columns in REPORTS:
            # these tables have types, and the reports on some formats have functions instead
            grouped = (["--by", "type"] if "from top_types" in statement or "from growth" in statement else
                       ["--by", "line"] if "from lines" in statement else [])
            done, answer = self.ask(report, path, *grouped, *([] if report == "analyze" else ["--limit", "0"]))
            # the report on growth lists unchanged types too; for a single dump, leaks lists objects that grew
            listed = [row for row in answer.get(name) or [] if report != "growth" or row.get("delta_bytes")
                      or row.get("delta_objects")]
            if report == "leaks" and "leaked_bytes" not in answer.get("totals", {}):
                continue
            if done.returncode or not any(column in row for row in listed for column in columns):
                continue
            rows = self.rows(path, statement)
            if rows is None:
                continue
            expected = [len(listed)] + [sum(row.get(column) or 0 for row in listed) for column in columns]
            self.claim(all(abs((told or 0) - sum_) < 0.00001 for told, sum_ in zip(rows[0], expected)),
                       path.name, report, statement, rows, "not", expected)

    def lives(self, path):
        """At each snapshot, the number of live objects is the one that the snapshot states. Heap profiles, leak and
        object reports have no single objects, so they have no such table."""
        if path.suffix in (".pprof", ".heapprofile", ".heap", ".json", ".massif", ".dhat", ".memcheck", ".lsan"):
            rows = self.rows(path, "select count(*) from lives")
            self.claim(rows is None, path.name, "lives", rows)
            return
        rows = self.rows(path, "select s.sequence, s.live_objects, s.live_bytes, count(l.object), "
                               "coalesce(sum(l.bytes), 0) from snapshots s left join lives l on "
                               "l.session is s.session and l.from_sequence <= s.sequence and "
                               "(l.until_sequence is null or l.until_sequence > s.sequence) group by s.session, 1")
        for sequence, objects, size, alive, their_bytes in rows or []:
            self.claim((objects, size or 0) == (alive, their_bytes), path.name, "lives at", sequence, alive, their_bytes,
                       "not", objects, size)

    def stacks(self, path):
        """The frames of leaking sites are those of the stacks in the report."""
        done, answer = self.ask("leaks", path, "--limit", "0", "--stack-depth", "1000")
        rows = self.rows(path, "select f.frame, count(*) from leaks join frames f using (site) group by 1")
        if done.returncode or rows is None:
            return
        told = {}
        for row in answer["leaks"]:
            for frame in row.get("stack") or []:
                told[frame] = told.get(frame, 0) + 1
        self.claim({frame: count for frame, count in rows} == told, path.name, "frames", rows[:5], "not", told)
        rows = self.rows(path, "select location, (select frame from frames f where f.site = l.site and depth = 0), "
                               "(select count(*) from frames f where f.site = l.site and f.frame = l.location) from leaks l")
        for location, first, count in rows or []:
            named = location == first or location and count and re.search("alloc|operator new|GetMem", first)
            self.claim(named, path.name, "location", location, "of", first)

    def holding(self, path):
        """The objects that an object dominates add up to its retained size. A path leads from a root to its
        object by references; there is none if the object is unreachable."""
        rows = self.rows(path, "select d.object, d.retained_bytes, sum(o.self_bytes) from objects d join objects o "
                               "on within(o.object, d.object) where d.retained_bytes is not null group by 1")
        for name, retained, size in rows or []:
            self.claim(retained == size, path.name, name, "dominates", size, "not", retained)
        rows = self.rows(path, "select object, retained_bytes, path(object) from objects")
        edges = {tuple(row) for row in self.rows(path, "select object, target from refs") or []}
        roots = {row[0] for row in self.rows(path, "select object from roots where not weak") or []}
        unique = len({row[0] for row in rows or []}) == len(rows or [])
        for name, retained, told in rows or []:
            steps = [step.rpartition(" ")[2] for step in told.split(" > ")] if told else []
            sound = steps[-1] == name and steps[0] in roots and set(zip(steps, steps[1:])) <= edges if told else True
            self.claim(sound and (told is None) == (retained is None or not unique), path.name, "path to", name, told, retained)

    def keys(self, path):
        for table, key in KEYS:
            found = self.rows(path, f"select {key}, count(*) from {table} group by 1 order by 2 desc limit 5")
            for value, count in found or []:
                text = f"'{value}'" if isinstance(value, str) else value
                one = self.rows(path, f"select count(*) from {table} where {key} = {text}")
                walk = self.rows(path, f"select count(*) from {table} where +{key} = {text}")
                self.claim(one == walk == [[count]], path.name, table, key, value, one, walk, count)
            if found:
                for value in ("1", "1.0", "'1'", "'01'", "1e0", "1.5"):
                    one = self.rows(path, f"select count(*) from {table} where {key} = {value}")
                    walk = self.rows(path, f"select count(*) from {table} where {key} >= {value} "
                                           f"and {key} <= {value}")
                    self.claim(one == walk, path.name, table, key, value, one, walk)
                for nothing in ("null", "'no such key'", "-1", "1e30", "''"):
                    rows = self.rows(path, f"select count(*) from {table} where {key} = {nothing}")
                    self.claim(rows == [[0]], path.name, table, key, nothing, rows)

    def requests(self, path):
        _, answer = self.ask("requests", path, "--limit", "0")
        told = sorted([row["request"], row["created_objects"], row["created_bytes"], row["left_objects"],
                       row["left_bytes"]] for row in answer["requests"])
        rows = sorted(self.rows(path, "select request, created_objects, created_bytes, left_objects, "
                                      "left_bytes from requests"))
        self.claim(told and rows == told, path.name, "requests:", rows, "not", told)

    def ways(self, path):
        """A statement given in a file, and on standard input; and the tables themselves."""
        statement = "select sum(live_bytes) from sites"
        expected = self.rows(path, statement)
        done = self.runs.run("sql", path, "-", "--format", "json", stdin=statement.encode())
        self.claim([list(row.values()) for row in json.loads(done.stdout)["rows"]] == expected, "-", done.stderr)
        for stdin in (b"", b"select 1\0", b"drop table sites"):
            done = self.runs.run("sql", path, "-", stdin=stdin)
            self.claim(done.returncode in (2, 3) and done.stderr, "standard input", stdin, done.returncode)
        _, answer = self.ask("sql", path, "--schema")
        told = {(row["table"], row["column"]) for row in answer["relations"]
                if row["available"] and "column" in row}
        for table in {table for table, _ in told}:
            _, answer = self.ask("sql", path, f"select * from {table} limit 1")
            names = {(table, name) for row in answer["rows"] for name in row}
            self.claim(not names or names == {pair for pair in told if pair[0] == table}, table, names)


def all_of(trials):
    shop = SAMPLES / "shop-v2.oemp"
    trials.refusals(shop)
    trials.functions(shop)
    trials.ways(shop)
    trials.unknown()
    for path in sorted(p for p in SAMPLES.iterdir() if p.suffix in ENDINGS):
        trials.sums(path)
        trials.reports(path)
        trials.lives(path)
        trials.stacks(path)
        trials.holding(path)
        trials.keys(path)
    for path, part in ((shop, ["--type", "OOABL*"]), (shop, ["--from", "2", "--to", "5"]),
                       (SAMPLES / "shop.taligent", ["--source", "*Order*"]),
                       (SAMPLES / "shop-v4.prf", ["--source", "*Order*"])):
        trials.sums(path, part)
    trials.requests(SAMPLES / "shop-requests-AS1.oemp")


def self_test():
    """Wrong answers are detected."""
    class Wrong(Trials):
        def __init__(self):
            super().__init__(None, None)
            self.status, self.told = 0, 1

        def ask(self, *words):
            answer = {"totals": {"live_bytes": 2, "seconds": 2}, "rows": [{"a": self.told}],
                      "inputs": [{"bytes": 1}, {"bytes": 1}], "leaks": [{"stack": ["y"]}],
                      "requests": [dict.fromkeys(("request", "created_objects", "created_bytes",
                                                  "left_objects", "left_bytes"), 1)]}
            done = argparse.Namespace(returncode=self.status, stdout=b"{}", stderr=b"")
            return done, answer

        def rows(self, path, statement, *options):
            wrong = {"select d.object": [["x", 1, 2]], "select object, retained": [["x", 1, "T y > T x"]],
                     "select object": [], "select s.sequence": [[1, 1, 1, 2, 2]], "select f.frame": [["x", 1]],
                     "select location": [["x", "y", 0]]}
            for begin, rows in wrong.items():
                if statement.startswith(begin):
                    return rows
            return [[1, 1]] if "group by" in statement else [[self.told]]

    trials = Wrong()
    for check in (trials.refusals, trials.hostile, trials.functions, trials.sums, trials.reports,
                  trials.lives, trials.stacks, trials.holding, trials.keys, trials.requests):
        before = trials.wrong
        with contextlib.redirect_stdout(io.StringIO()):
            check(SAMPLES / "shop-v2.oemp")
        if trials.wrong == before:
            sys.exit(f"{check.__name__} finds nothing wrong")
    print("each check finds what is wrong")


def main():
    asked = arguments(__doc__, self_test, server={},
                      hostile={"action": "store_true", "help": "only statements that would not end"})
    trials = Trials(asked.memprof, asked.server)
    if asked.hostile:
        trials.hostile(SAMPLES / "shop-v2.oemp")
    else:
        all_of(trials)
    sys.exit(trials.end(least=len(HOSTILE) if asked.hostile else 300))


if __name__ == "__main__":
    main()
