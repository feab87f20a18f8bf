#!/usr/bin/env python3
"""docs/memprof-report.schema.json, the JSON Schema of what --format json prints.

    tests/schema.py --tables PATH                        compare it with the program's tables
    tests/schema.py --tables PATH --record               write it again
    tests/schema.py --tables PATH --valid --memprof PATH validate answers
    tests/schema.py --self-test                          check that faults are detected

A line printed by memprof watch is not an answer; it is line.watch in $defs.

The schema is made from the columns of the program's tables. memprof-tables prints them for each answer that
this test requests, whether or not a row has a value. Members that are in no table (limits, diagnostics,
omissions of brief answers) are in FIXED below. The schema contains all names and their types, and allows no
others. docs/man/memprof-report.5.scd must describe each of them.

--valid validates the recorded answers of tests/cli, and those of all commands about the samples. It needs
python3-jsonschema; without it, the exit status is 77, "skipped".
"""
import argparse
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

from roots import skip

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SCHEMA = os.path.join(ROOT, "docs", "memprof-report.schema.json")
PAGE = os.path.join(ROOT, "docs", "man", "memprof-report.5.scd")

UNITS = {
    "text": {"type": "string"},
    "number": {"type": "integer"},
    "count": {"type": "integer", "title": "so many"},
    "bytes": {"type": "integer", "title": "bytes"},
    "time": {"type": "integer", "title": "microseconds"},
    "age": {"type": "integer", "title": "microseconds"},
    "seconds": {"type": "number", "title": "seconds"},
    "average": {"type": "number", "title": "seconds"},
    "byte-rate": {"type": "number", "title": "bytes for each"},
    "percent": {"type": "number", "title": "percent"},
    "flag": {"type": "boolean"},
    "list": {"type": "array", "items": {"type": "string"}},
}

TEXT, COUNT, BYTES, PERCENT, FLAG = (
    {"$ref": "#/$defs/" + unit} for unit in ("text", "count", "bytes", "percent", "flag"))

# Members of an answer that are not in tables. For an object of rows, the names of the rows.
FIXED = {
    "answer": {"file": TEXT, "label": TEXT, "text": TEXT},
    "limits": {"file": TEXT, "name": TEXT, "limit_bytes": BYTES, "actual_bytes": BYTES,
               "limit_percent": PERCENT, "actual_percent": PERCENT, "exceeded": FLAG,
               "note": TEXT, "warning": TEXT, "error": TEXT},
    "diagnostics": {"severity": {"enum": ["note", "warning", "error"]}, "code": TEXT, "path": TEXT,
                    "line": {"$ref": "#/$defs/number"}, "message": TEXT, "count": COUNT},
}

# A row of memprof sql has the columns of its statement.
OPEN = {"type": "object", "properties": {}}

# The object "verdict", and the worst leak in it.
VERDICT = {"leaks": {"enum": ["yes", "no", "unknown"]}, "reason": TEXT, "leaking_bytes": BYTES, "worst": {}}
WORST = {"file": TEXT, "type": TEXT, "name": TEXT, "site": TEXT, "kind": TEXT, "bytes": BYTES,
         "objects": COUNT, "leaking_bytes": BYTES, "confidence": {"$ref": "#/$defs/number"}}

# Lines of memprof watch, by table: members that are always present, and the existing events.
LINES = {"watch": ["sequence", "live_objects", "live_bytes", "delta_bytes", "path", "grown_bytes",
                   "leaked_objects", "leaked_bytes"],
         "events": ["event", "path", "message"]}
EVENTS = ["waiting", "renamed", "truncated", "replaced", "closed", "timeout", "limit", "worst-leak", "error"]
LINE_PAGE = os.path.join(ROOT, "docs", "man", "memprof-watch.1.scd")

# --- what is asked, so that each table of each command is seen ---

KINDS = [["shop-v2.oemp"], ["shop-requests-AS1.oemp", "shop-requests-AS2.oemp"],
         ["shop-reusable-v2.oemp"], ["shop-running-v2.oemp"], ["shop-v1.prf"], ["shop-v4.prf"],
         ["shop-v3.prf"], ["shop-v3.prf", "shop-v4.prf"], ["shop-new.rpt"], ["shop.taligent"],
         ["shop-damaged.taligent"], ["shop-analysis.taligent"], ["shop-1.gclog"],
         ["shop-1.gclog", "shop-2.gclog", "shop-3.gclog"], ["shop-domains.gclog"],
         ["shop-aqtime.sqlite"], ["shop.folded"], ["shop-cpu.pb"],
         ["shop-1.heapprofile", "shop-4.heapprofile"], ["shop-1.hprof"]]
WORDS = ["type", "site", "function", "class", "namespace", "line", "method", "module", "request",
         "api", "object", "dominators", "program"]
PAIRS = [("shop-v1.oemp", "shop-v2.oemp"), ("shop-v2.prf", "shop-v4.prf"),
         ("shop.taligent@8", "shop.taligent"), ("shop-1.gclog", "shop-3.gclog"),
         ("shop-aqtime.sqlite@2", "shop-aqtime.sqlite@3"), ("shop.folded", "shop.folded"),
         ("shop-cpu.pb", "shop-cpu.pb")]
LIMITS = ["--max-leaked", "1K", "--max-growth", "10%", "--max-live", "1K"]
SUPPRESSED = ["--suppress", "shop.suppressions", "--today", "2027-07-01"]


def questions(tables):
    """Return command lines for a folder that contains the samples, without watch, whose input has no end, and
    mcp, which reads its questions."""
    commands = [command for command in lines_of(tables, "commands") if command not in ("mcp", "watch")]
    options = {command: lines_of(tables, "options", command) for command in commands}
    asked = [["formats"], ["info", "packed.gz"]]
    for command in commands:
        for files in [*KINDS, ["folder"], ["folder", "--group", "agent"]]:
            whats = [[]]
            if "--by" in options[command]:
                whats += [["--by", word] for word in WORDS]
            if "--suppress" in options[command]:
                whats.append(SUPPRESSED)
            if "--max-leaked" in options[command]:
                whats.append(LIMITS)
            if "--uncovered" in options[command]:
                whats.append(["--uncovered"])
            if "--type" in options[command]:
                whats += [["--type", "*"], ["--source", "*Order*", "--since", "1s", "--until", "5:00"]]
            asked += [[command, *what, *files] for what in whats]
        for base, new in PAIRS:
            asked.append([command, base, new])
            asked += [[command, "--by", word, base, new] for word in WORDS
                      if "--by" in options[command]]
    for files in ["shop-1.gclog"], ["shop-aqtime.sqlite"]:
        asked += [["object", "1c1d8a", *files], ["object", "3", *files],
                  ["path", "1c22df", "--paths", "3", *files], ["path", "3", *files],
                  ["path", "1c1d8a", "--all-kinds", *files], ["path", "--type", "*", *files]]
    asked += [["calls", *files, name] for files in KINDS for name in ("*Order*", "countParts")]
    asked += [["annotate", *files, name, "--sources", "sources"] for files in KINDS
              for name in ("shop.OrderService", "Order.cls")]
    asked += [["sql", *files, *what] for files in KINDS for what in (["--schema"], ["select 1 as one"])]
    asked.append(["sql", "--schema"])
    for files in KINDS + [["folder"]]:
        asked += [["gate", "shop.policy", *files], ["gate", "profile.policy", *files],
                  ["gate", "shop.policy", *files, "--base", "shop-v1.oemp"],
                  ["baseline", "save", *files, "--store", "store"],
                  ["baseline", "check", *files, "--store", "store"],
                  ["export", "--to", "aqtime", "-o", "out.sqlite", *files]]
    asked.append(["check", "shop-v2.oemp", "--against", "store/shop-v2.baseline"])
    return asked


def samples(work):
    """Make a folder with the samples, and a folder in it whose files are read separately."""
    here = os.path.join(ROOT, "samples")
    for name in os.listdir(here):
        os.symlink(os.path.join(here, name), os.path.join(work, name))
    with open(os.path.join(here, "shop-v2.oemp"), "rb") as recording:
        with gzip.open(os.path.join(work, "packed.gz"), "wb") as packed:
            packed.write(recording.read().decode().encode("utf-16-le"))
    os.mkdir(os.path.join(work, "folder"))
    for name in ["shop-v2.oemp", "shop-v4.prf", "shop-v3.prf", "shop.taligent", "shop-1.gclog",
                 "shop-aqtime.sqlite"]:
        os.symlink(os.path.join(here, name), os.path.join(work, "folder", name))
    for session in "12":
        os.symlink(os.path.join(here, f"shop-agent-AS{session}.oemp"),
                   os.path.join(work, "folder", f"memprof.7096.AS-{session}.oemp"))


def lines_of(tables, *arguments):
    return subprocess.run([tables, *arguments], capture_output=True, text=True,
                          check=True).stdout.split()


def columns_of(tables, asked):
    """Return {(command, table, shape): {column: (unit, null)}} of all answers, and the names of tables and
    columns that only people see."""
    tables = os.path.abspath(tables)
    found, people = {}, set()
    with tempfile.TemporaryDirectory(prefix="memprof-schema-") as work:
        samples(work)
        done = subprocess.run([tables, "columns"], cwd=work, capture_output=True, text=True,
                              input="".join("\t".join(words) + "\n" for words in asked), check=True)
    for line in sorted(set(done.stdout.split("\n")) - {""}):
        command, table, shape, column, unit, null = line.split("\t")
        if null == "people":
            people |= {table, column}
        else:
            found.setdefault((command, table, shape), {})[column] = (unit, null)
    return found, people


# --- the schema ---

def row_of(columns):
    """Return the schema of a row, from [(column, unit, null)]."""
    properties = {}
    for column, unit, null in sorted(columns):
        value = {"$ref": "#/$defs/" + unit}
        if null:
            value = {"anyOf": [value, {"type": "null"}]}
        known = properties.setdefault(column, value)
        if known != value:
            properties[column] = {"anyOf": [*known.get("anyOf", [known]), value]}
        if unit == "list":
            properties[column + ("_frames" if column.endswith("stack") else "_count")] = COUNT
    return closed(dict(sorted(properties.items())))


def closed(properties):
    """Return the schema of an object with exactly these members; a brief answer also states what was cut."""
    return {"type": "object", "properties": properties,
            "patternProperties": {"^[a-z_]+_truncated$": FLAG}, "additionalProperties": False}


def lines_defined(found):
    """Return the schemas of a line of memprof watch, one for each of its tables."""
    lines = {}
    for table, always in LINES.items():
        line = row_of({(name, *what) for name, what in found["watch", table, "rows"].items()})
        del line["patternProperties"]  # nothing is cut
        lines["line.watch." + table] = {**line, "required": always}
    lines["line.watch.events"]["properties"]["event"] = {"enum": EVENTS}
    return {"line.watch": {"anyOf": [{"$ref": "#/$defs/" + name} for name in lines]}, **lines}


def schema_of(found):
    rows, values, commands = {}, {}, {}
    for (command, table, shape), columns in sorted(found.items()):
        if command == "watch":
            continue
        outer, _, inner = table.partition(".")
        rows.setdefault(table, set()).update((name, *what) for name, what in columns.items())
        commands.setdefault(command, set()).add(outer)
        values.setdefault(outer, set()).add((inner, shape))
    properties = {"schema": {"const": "memprof-report/1"}, "command": {"enum": sorted(commands)}}
    for table, shapes in sorted(values.items()):
        of_rows = {"$ref": "#/$defs/row." + table}
        choices = []
        if ("", "record") in shapes:
            choices.append(of_rows)
        if ("", "rows") in shapes:
            choices.append({"type": "array", "items": of_rows})
        inner = {name: {"$ref": f"#/$defs/row.{table}.{name}"} for name, _ in sorted(shapes) if name}
        if inner:
            choices.append({"type": "object", "properties": inner, "additionalProperties": False})
        properties[table] = choices[0] if len(choices) == 1 else {"anyOf": choices}
    for name, names in FIXED.items():
        properties[name] = {"type": "array", "items": closed(names)}
    properties["verdict"] = closed({**VERDICT, "worst": closed(WORST)})
    properties["rows_left_out"] = {"type": "object", "additionalProperties": COUNT}
    always = ["schema", "command", *FIXED, "verdict", "rows_left_out"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:memprof:report:1",
        "title": "A report of memprof (--format json)",
        "description": "memprof-report(5) says what the names mean. Names are added, and stay.",
        "type": "object",
        "required": ["schema", "command", "diagnostics"],
        "properties": properties,
        "additionalProperties": False,
        "allOf": [{"if": {"properties": {"command": {"const": command}}},
                   "then": {"propertyNames": {"enum": [*always, *sorted(tables)]}}}
                  for command, tables in sorted(commands.items())],
        "$defs": {**UNITS, **{"row." + table: row_of(columns) if table != "rows" else OPEN
                              for table, columns in sorted(rows.items())}, **lines_defined(found)},
    }


def text_of(schema):
    """Return the schema as text, with a line for each name, so that a change affects one line."""
    text = json.dumps(schema, indent=2)
    text = re.sub(r"\{\s+(\"(?:\$ref|const|type)\": [^\n{}\[\]]*?)\s+\}", r"{\1}", text)
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + " ".join(m.group(1).split()) + "]", text)
    return text + "\n"


def source_names():
    """Return the tables and columns that the sources of reports give to programs, for any question."""
    tables, columns = set(), set()
    for path in glob.glob(os.path.join(ROOT, "src", "reports", "*.[ch]")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        tables |= set(re.findall(r'MP_TABLE\(\s*document,\s*"([a-z_.]+)"', text))
        for member, rest in re.findall(r"MP_COLUMN\(\w+,\s*(\w+),((?:[^()\"]|\"[^\"]*\")*)\)", text):
            if "MP_FOR_PEOPLE" not in rest:
                columns.add(member)
    return tables, columns


def faults_of_names(schema, people):
    """Return names that are in the sources but not in the schema, and those that no page describes."""
    faults = []
    rows = {name[len("row."):]: value["properties"] for name, value in schema["$defs"].items()
            if name.startswith("row.")}
    tables, columns = source_names()
    known = {name for properties in rows.values() for name in properties}
    faults += [f"the table {table} of the sources is in no answer that is asked for here"
               for table in sorted(tables - set(rows) - people)]
    faults += [f"the column {column} of the sources is in no answer that is asked for here"
               for column in sorted(columns - known - people)]
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    sections = {m.group(1): m.group(2) for m in
                re.finditer(r"^## ([a-z_]+)$(.*?)(?=^##? |\Z)", page, re.M | re.S)}
    for table, properties in {**rows, **FIXED, "verdict": {**VERDICT, **WORST}}.items():
        name = table.split(".")[0]
        if name not in sections:
            faults.append(f"{os.path.basename(PAGE)}: no section \"## {name}\"")
            continue
        # totals of files have the names of several tables, and each row may have its file
        where = page if name == "files" else sections[name] + "".join(
            sections.get(other, "") for other in re.findall(r"names of \*([a-z_]+)\*", sections[name]))
        lists = {column for column, value in properties.items() if value == {"$ref": "#/$defs/list"}}
        for column in sorted(set(properties) - {"file"} - {f"{column}_{of}" for column in lists
                                                           for of in ("frames", "count")}):
            if not re.search(rf"^\*{column}\*", where, re.M):
                faults.append(f"{os.path.basename(PAGE)}: {column} of {name} is not described")
    with open(LINE_PAGE, encoding="utf-8") as file:
        output = file.read().split("# OUTPUT")[1].split("# EXIT STATUS")[0]
    names = {name for table in LINES for name in schema["$defs"]["line.watch." + table]["properties"]}
    faults += [f"{os.path.basename(LINE_PAGE)}: {name} is not described"
               for name in sorted({*names, *EVENTS}) if not re.search(rf"[*_]{name}[*_]", output)]
    return faults


# --- validation ---

def recorded():
    """Yield (origin, answer) of the recorded cases that are complete answers."""
    for path in sorted(glob.glob(os.path.join(HERE, "cli", "*", "out"))):
        with open(path, "rb") as file:
            text = file.read().decode("utf-8", "replace")
        if not text.startswith("{"):
            continue
        try:
            answer = json.loads(text)
        except ValueError:  # a part of an answer
            continue
        if "schema" in answer:
            yield os.path.basename(os.path.dirname(path)), answer


def asked_now(memprof, tables):
    """Yield the same for answers that are requested now."""
    memprof = os.path.abspath(memprof)
    few = [words for words in questions(tables)
           if not {"--by", "--type", "--source"} & set(words)]
    with tempfile.TemporaryDirectory(prefix="memprof-schema-") as work:
        samples(work)
        for number, words in enumerate(few):
            brief = ["--brief"] if number % 5 == 0 else []
            done = subprocess.run([memprof, *words, "--format", "json", "--quiet", *brief], cwd=work,
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False)
            if done.stdout:
                yield " ".join(words), json.loads(done.stdout)


def watched_now(memprof):
    """Yield (origin, line) of recordings that are watched to their end."""
    with tempfile.TemporaryDirectory(prefix="memprof-schema-") as work:
        samples(work)
        for words in (["--until-exit", "shop-v2.oemp", "shop-v1.oemp"], ["--timeout", "1ms", "shop.taligent"],
                      ["--timeout", "1ms", "nothing", "shop-running-v2.oemp"],
                      ["--max-growth", "10K", "shop-v2.oemp"], ["--until-exit", "--policy", "shop.policy", "shop-v2.oemp"]):
            done = subprocess.run([os.path.abspath(memprof), "watch", *words, "--format", "json"], cwd=work,
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
            for line in done.stdout.splitlines():
                yield f"watch {' '.join(words)}", json.loads(line)


def faults_of(validator, answer):
    return [f"{'/'.join(map(str, error.absolute_path)) or 'the answer'}: {error.message[:300]}"
            for error in validator.iter_errors(answer)]


def validator_of(schema, name=None):
    """Return a validator of answers; with a name, a validator of the definition in $defs that has it."""
    if name:
        schema = {"$ref": "#/$defs/" + name, "$defs": schema["$defs"]}
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        skip("python3-jsonschema is not installed")
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def kept_schema():
    with open(SCHEMA, encoding="utf-8") as file:
        return json.load(file)


def valid(memprof, tables):
    whole, of_line = validator_of(kept_schema()), validator_of(kept_schema(), "line.watch")
    lines = list(watched_now(memprof))
    answers = [*recorded(), *asked_now(memprof, tables)]
    wrong = 0
    for validator, where, answer in [*((whole, *one) for one in answers), *((of_line, *one) for one in lines)]:
        faults = faults_of(validator, answer)
        wrong += bool(faults)
        for fault in faults:
            print(f"{where}: {fault}")
    print(f"schema.py: {len(answers)} answers, {len(lines)} lines, {wrong} wrong")
    return 1 if wrong or len(answers) < 50 or len(lines) < 30 else 0


# (fault, how an answer of leaks is spoilt)
SPOILT = [
    ("another name in a row", lambda a: a["leaks"][0].update(byte=1)),
    ("a text for a number", lambda a: a["leaks"][0].update(bytes="1")),
    ("a fraction of a byte", lambda a: a["leaks"][0].update(bytes=1.5)),
    ("a number for a flag", lambda a: a["inputs"][0].update(complete=1)),
    ("a text for a list", lambda a: a["leaks"][0].update(stack="a")),
    ("null where nothing is left out so", lambda a: a["leaks"][0].update(line=None)),
    ("rows for a record", lambda a: a.update(session=[{}, {}])),
    ("a table of another command", lambda a: a.update(diff=[])),
    ("another table", lambda a: a.update(leak=[])),
    ("another schema", lambda a: a.update(schema="memprof-report/2")),
    ("another command", lambda a: a.update(command="leek")),
    ("no diagnostics", lambda a: a.pop("diagnostics")),
    ("another severity", lambda a: a.update(diagnostics=[{"severity": "bad"}])),
]

# The same for lines.
SNAPSHOT = {"sequence": 1, "tag": "_Auto", "time_us": 5, "live_objects": 2, "live_bytes": 30, "delta_bytes": -1,
            "grown_bytes": 0, "leaked_objects": 0, "leaked_bytes": 0, "path": "a.oemp"}
EVENT = {"event": "closed", "path": "a.oemp", "message": "is closed"}
SPOILT_LINES = [
    ("a line with another name", {**SNAPSHOT, "bytes": 1}), ("another event", {**EVENT, "event": "opened"}),
    ("a snapshot without its size", {**SNAPSHOT, "live_bytes": None}), ("an event of a number", {**EVENT, "path": 3}),
    ("a line of nothing", {}), ("both in one", {**SNAPSHOT, **EVENT}),
]


def self_test():
    validator = validator_of(kept_schema())
    of_line = validator_of(kept_schema(), "line.watch")
    wrong = 0
    for what, line in [("a sound line", SNAPSHOT), ("a sound line", EVENT), *SPOILT_LINES]:
        if bool(faults_of(of_line, line)) != (what != "a sound line"):
            wrong += 1
            print(f"self-test: {what} is taken for something else")
    sound = json.dumps(next(answer for name, answer in recorded() if name == "leaks-json"))
    if faults_of(validator, json.loads(sound)):
        wrong += 1
        print("self-test: complains of a sound answer")
    for what, spoil in SPOILT:
        answer = json.loads(sound)
        spoil(answer)
        if not faults_of(validator, answer):
            wrong += 1
            print(f"self-test: {what} is not found")
    print(f"schema.py: self-test, {len(SPOILT) + len(SPOILT_LINES) + 3} cases, {wrong} wrong")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description="The JSON Schema of reports.")
    parser.add_argument("--tables", help="the program memprof-tables of the build")
    parser.add_argument("--memprof", help="the program")
    parser.add_argument("--record", action="store_true", help="write the schema anew")
    parser.add_argument("--valid", action="store_true", help="validate answers")
    parser.add_argument("--self-test", action="store_true", help="see that it finds what is wrong")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if options.valid:
        return valid(options.memprof, options.tables)
    found, people = columns_of(options.tables, questions(options.tables))
    schema = schema_of(found)
    text = text_of(schema)
    assert json.loads(text) == schema
    if options.record:
        with open(SCHEMA, "w", encoding="utf-8") as file:
            file.write(text)
    faults = faults_of_names(schema, people)
    with open(SCHEMA, encoding="utf-8") as file:
        if file.read() != text:
            faults.append("docs/memprof-report.schema.json is not what the tables say: "
                          "tests/schema.py --tables build/memprof-tables --record")
    for fault in faults:
        print(fault)
    print(f"schema.py: {len(schema['properties'])} names, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
