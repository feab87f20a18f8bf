#!/usr/bin/env python3
"""A simple reader of AQTime Allocation profiler databases (SQLite), to compare with the analyzer.

    aqtime.py FILE
    aqtime.py --self-test

Prints one JSON object with totals, snapshots, leaks, top, growth and retained. Objects, sizes and types are
looked up row by row; retained sizes are found by graph.py.
"""

import argparse
import contextlib
import json
import pathlib
import random
import sqlite3
import sys
import tempfile
import types

import graph
from rows import compare_figures, growth_rows, utf8

PREFIX = "allocation_profiler_"
OVERWRITE = "Memory Overwrite Error"
TABLES = {
    "INSTANCES": ["CAPTION", "COUNTER_DESCRIPTION", "COUNTER_FREQUENCY", "COUNTER_NAME", "INST_ID"],
    "CLASSES_DATA": ["COL_LIVE_COUNT", "COL_CLASS_NAME", "COL_FINALIZABLE", "COL_LIVE_SIZE", "COL_MODULE_NAME",
                     "COL_NAMESPACE", "COL_PEAK_CREATED", "COL_PEAK_SIZE", "COL_TOTAL_CREATED",
                     "COL_TOTAL_SIZE"],
    "CREATION_CALL_STACK": ["COL_HIT_COUNT", "COL_ROUTINERID"],
    "META_CLASSES_DATA": ["COL_CLASS_NAME", "COL_FINALIZABLE", "COL_MODULE_NAME", "COL_NAMESPACE"],
    "META_ROUTINES": ["COL_CLASS_NAME", "COL_ROUTINE_NAME", "COL_SOURCE_FILE", "COL_SOURCE_LINE",
                      "COL_NAMESPACE"],
    "OBJECTS": ["COL__", "COL_ADDRESS", "COL_CLASSRID", "COL_GET_", "COL_ROOT", "COL_SIZE",
                "COL_THREADRID"],
    "REFERENCES_FROM": ["COL__", "COL_COUNT"],
    "REFERENCES_TO": ["COL__", "COL_COUNT"],
    "THREADS": ["COL_NAME", "COL_SIZE", "COL_WIN32THREADID"],
}
KEYS = ["ID", "INST_ID", "PARENT_ID", "REC_ID"]


def integer(value):
    """Return a number, however it is stored; None is 0."""
    return int(float(value)) if isinstance(value, str) and "." in value else int(value or 0)


class Database:
    """tables[name without the prefix, in lower case]: rows as dicts with lower-case names, as stored."""

    def __init__(self, path):
        self.tables = {}
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            names = [name for name, in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for name in names:
                cursor = file.execute(f'SELECT * FROM "{name}" ORDER BY rowid')
                columns = [column[0].lower() for column in cursor.description]
                self.tables[name.lower().removeprefix(PREFIX)] = [dict(zip(columns, row)) for row in cursor]
        if "meta_classes_data" not in self.tables:
            self.tables["meta_classes_data"] = self.tables.get("meta_classes", [])

    def rows(self, table, instance):
        return [row for row in self.tables.get(table, []) if integer(row.get("inst_id")) == instance]


class Object:
    def __init__(self, row, type_, stack):
        self.id, self.record = integer(row["id"]), integer(row.get("rec_id"))
        self.bytes, self.get = integer(row.get("col_size")), integer(row.get("col_get_"))
        self.number, self.address = row.get("col__"), row.get("col_address")
        self.type, self.stack = type_, stack
        self.targets, self.roots = [], [(0, 0)] if integer(row.get("col_root")) else []
        self.born, self.referred = 0, False

    def identity(self):
        """Return what identifies an object in every result set: its creation number, or else its address."""
        return ("#", integer(self.number)) if self.number is not None else ("@", self.address, self.type)


class ResultSet:
    """Objects that were alive at one moment."""

    def __init__(self, database, instance, caption):
        self.sequence, self.tag, self.database = instance, caption, database
        self.classes = [row for table in ("meta_classes_data", "classes_data")
                        for row in database.rows(table, instance)]
        self.routines = database.rows("meta_routines", instance)
        self.frames = database.rows("creation_call_stack", instance)
        self.objects, self.overwrites = [], 0
        for row in database.rows("objects", instance):
            name, bare = self.type_name(row.get("col_classrid"))
            if bare == OVERWRITE:
                self.overwrites += 1
            else:
                self.objects.append(Object(row, name, self.stack(integer(row["id"]))))

    def type_name(self, id_):
        """Return (the name with its namespace, the name alone)."""
        for row in self.classes:
            if integer(row.get("rec_id")) == integer(id_) and row.get("col_class_name"):
                name, space = row["col_class_name"], row.get("col_namespace") or ""
                return name if not space or name.startswith(space) else f"{space}.{name}", name
        return f"<class {integer(id_)}>", None

    def stack(self, id_):
        """Return the routines, innermost first, as stored."""
        return tuple(self.frame(integer(row.get("col_routinerid"))) for row in self.frames
                     if integer(row.get("parent_id")) == id_)

    def frame(self, id_):
        for row in self.routines:
            if integer(row.get("rec_id")) == id_:
                class_, name = row.get("col_class_name") or "", row.get("col_routine_name") or ""
                line = integer(row.get("col_source_line"))
                if class_ and not name.startswith(class_):
                    name = f"{class_}.{name}"
                return f"{name} (from {line})" if line > 0 else name
        return f"<routine {id_}>"

    def link(self):
        """Set the targets of all objects. Return (references, dangling ones); each pair counts once."""
        by_id = {thing.id: thing for thing in self.objects}
        by_record = {thing.record: thing for thing in self.objects}
        found = set()
        for table, forward in (("references_to", True), ("references_from", False)):
            for row in self.database.rows(table, self.sequence):
                own, other = integer(row.get("parent_id")), integer(row.get("rec_id"))
                ends = (by_id.get(own), by_record.get(other))
                # an unlisted end of a reference is still distinguished from others
                marks = [("id", own) if ends[0] is None else ends[0].id,
                         ("record", other) if ends[1] is None else ends[1].id]
                if not forward:
                    ends, marks = ends[::-1], marks[::-1]
                if tuple(marks) not in found:
                    found.add(tuple(marks))
                    for end in ends:
                        if end is not None:
                            end.referred = True
                    if None not in ends:
                        ends[0].targets.append(ends[1])
        linked = sum(len(thing.targets) for thing in self.objects)
        return len(found), len(found) - linked


def result_sets(path):
    database = Database(path)
    captions = {integer(row["inst_id"]): row.get("caption")
                for row in database.tables.get("instances", [])}
    for row in database.tables.get("objects", []):
        captions.setdefault(integer(row["inst_id"]), None)
    sets = [ResultSet(database, id_, captions[id_]) for id_ in sorted(captions)]
    seen = {}
    for ordinal, one in enumerate(sets, 1):
        for thing in one.objects:
            listed = seen.setdefault(thing.identity(), ordinal)
            thing.born = thing.get if 1 <= thing.get <= ordinal else listed
    return sets


# ---------------------------------------------------------------- answers

def size(objects):
    return sum(thing.bytes for thing in objects)


def count(objects):
    return {"objects": len(objects), "bytes": size(objects)}


def totals_of(last, references, dangling):
    totals = {"live_objects": len(last.objects), "live_bytes": size(last.objects)}
    if references:
        found = graph.Graph(last)
        reached = [last.objects[at] for at in found.reached]
        # if no object of a type is a root or has a reference, its objects are native
        tracked = {thing.type for thing in last.objects if thing.roots or thing.referred}
        rest = [thing for at, thing in enumerate(last.objects) if at not in found.reached]
        lost = [thing for thing in rest if thing.type in tracked]
        unknown = [thing for thing in rest if thing.type not in tracked]
        totals |= {
            "roots": len([t for t in last.objects if t.roots]), "references": references,
            "dangling_references": dangling,
            "reachable_objects": len(reached), "reachable_bytes": size(reached),
            "unreachable_objects": len(lost), "unreachable_bytes": size(lost),
            "untracked_objects": len(unknown), "untracked_bytes": size(unknown)}
    return totals


def snapshots_of(sets):
    rows, before = [], 0
    for one in sets:
        row = {"sequence": one.sequence, "live_objects": len(one.objects),
               "live_bytes": size(one.objects), "delta_bytes": size(one.objects) - before}
        if one.tag:
            row["tag"] = one.tag
        rows.append(row)
        before = size(one.objects)
    return rows


def grouped(objects, key_of):
    groups = {}
    for thing in objects:
        groups.setdefault(key_of(thing), []).append(thing)
    return groups


def leaks_of(sets, last):
    """Return objects that are alive at the last set and were born after the first; with one set, all live
    objects."""
    leaked = [t for t in last.objects if len(sets) == 1 or t.born > 1]
    sites = grouped(leaked, lambda t: (t.type, t.stack))
    rows = [{"type": type_, **count(objects), "stack": list(stack),
             "grew_snapshots": len({t.born for t in objects})}
            for (type_, stack), objects in sites.items()]
    rows.sort(key=lambda r: (-r["bytes"], -r["objects"], utf8(r["type"]),
                             [utf8(frame) for frame in r["stack"]]))
    return [{"rank": rank} | row for rank, row in enumerate(rows, 1)]


def classes_of(sets):
    """Return the figures of the class tables for each type up to these sets: whether it is finalizable, and the
    peaks of the last set that states them, if a single row has the type."""
    told = {}
    for one in sets:
        stated = {}
        for row in one.classes:
            name = row.get("col_class_name")
            if not name:
                continue
            space = row.get("col_namespace") or ""
            name = name if not space or name.startswith(space) else f"{space}.{name}"
            facts = told.setdefault(name, {})
            if row.get("col_finalizable") is not None:
                facts["finalizable"] = integer(row["col_finalizable"]) != 0
            if "col_peak_size" in row:
                stated.setdefault(name, []).append((row["col_peak_created"], row["col_peak_size"]))
        for name, peaks in stated.items():
            if len(peaks) == 1 and peaks[0] != (None, None):
                for field, value in zip(("own_peak_objects", "own_peak_bytes"), peaks[0]):
                    told[name].pop(field, None)
                    if value is not None:
                        told[name][field] = integer(value)
    return told


def top_of(sets, last):
    groups = grouped(last.objects, lambda t: t.type)
    total = size(last.objects)
    told = classes_of(sets[:sets.index(last) + 1])
    for name, facts in classes_of(sets).items():  # every set describes its classes, but states peaks only for itself
        if "finalizable" in facts:
            told.setdefault(name, {})["finalizable"] = facts["finalizable"]
    return [{"rank": rank, "key": key, **count(groups[key]), **told.get(key, {}),
             "percent": size(groups[key]) * 100 / total if total else 0.0}
            for rank, key in enumerate(sorted(groups, key=lambda k: (-size(groups[k]), utf8(k))), 1)]


def growth_of(first, last):
    before, after = ({key: count(things) for key, things in
                      grouped(one.objects, lambda t: t.type).items()} for one in (first, last))
    return growth_rows(before, after, str)


def report(path):
    sets = result_sets(path)
    if not sets:
        raise ValueError("no result set")
    clean = [one for one in sets if (one.tag or "").lower() == "_precleanup"]
    to, last = (clean or sets)[-1], sets[-1]
    links = {one.sequence: one.link() for one in {to.sequence: to, last.sequence: last}.values()}
    retained = graph.retained_of(graph.Graph(to)) if links[to.sequence][0] else []
    for row in retained:
        row.pop("root_kind", None)  # the database has no kinds of roots
    return {
        "totals": totals_of(to, *links[to.sequence]),
        "memory_overwrites": last.overwrites,
        "snapshots": snapshots_of(sets),
        "leaks": leaks_of(sets, to),
        "top": top_of(sets, to),
        "growth": growth_of(sets[0], to),
        "retained": retained,
    }


# ---------------------------------------------------------------- making databases

class Writer:
    """A database with these tables; rows are dicts. `spell` changes the names."""

    def __init__(self, path, spell=str, without=(), alias=False):
        self.file, self.spell = sqlite3.connect(path), spell
        self.names = {}
        for table, columns in TABLES.items():
            if table in without:
                continue
            name = "META_CLASSES" if alias and table == "META_CLASSES_DATA" else table
            self.names[table] = spell(name if table == "INSTANCES" else PREFIX.upper() + name)
            keys = [] if table == "INSTANCES" else KEYS
            columns = ", ".join(spell(column) for column in columns + keys)
            self.file.execute(f"CREATE TABLE {self.names[table]} ({columns})")

    def add(self, table, **row):
        if table in self.names:
            row = {"PARENT_ID": -1, **row} if table != "INSTANCES" else row
            self.file.execute(f"INSERT INTO {self.names[table]} ({', '.join(map(self.spell, row))}) "
                              f"VALUES ({', '.join('?' * len(row))})", list(row.values()))

    def close(self):
        self.file.commit()
        self.file.close()


CLASSES = [("Order", "Shop"), ("Shop.Cart", "Shop"), ("TMemo", None), ("Order", "Crm"), ("TList", ""),
           ("C++ native memory", None), ("VCL native memory", None), (OVERWRITE, None)]
ROUTINES = [("Order", "Create", 12), ("", "main", 40), ("TMemo", "TMemo.Add", 0), (None, "WinMain", None),
            ("Shop.Cart", "Put", 7)]


def random_database(seed, path):
    """Write a database of one to four result sets that may have any peculiarity."""
    chance = random.Random(seed)
    spell = chance.choice((str.upper, str.lower, str.title, str))
    without = {"REFERENCES_FROM", "REFERENCES_TO"} if chance.random() < 0.2 else set()
    without |= {"CREATION_CALL_STACK"} if chance.random() < 0.1 else set()
    writer = Writer(path, spell, without, alias=chance.random() < 0.3)
    sequences = sorted(chance.sample(range(1, 20), chance.randrange(1, 5)))
    alive, number = {}, 0
    for ordinal, inst in enumerate(sequences, 1):
        tag = chance.choice(("Result set", "Before, close", "_PreCleanUp", None))
        writer.add("INSTANCES", CAPTION=tag, INST_ID=inst)
        for at, (name, space) in enumerate(CLASSES):
            table = chance.choice(("META_CLASSES_DATA", "META_CLASSES_DATA", "CLASSES_DATA"))
            more = {"COL_FINALIZABLE": at % 2} if at < 4 else {}
            if table == "CLASSES_DATA" and chance.random() < 0.7:
                more["COL_PEAK_CREATED"] = chance.choice((None, ordinal + at))
                more["COL_PEAK_SIZE"] = chance.choice((None, 100 * ordinal + at))
            writer.add(table, COL_CLASS_NAME=name, COL_NAMESPACE=space, ID=at, INST_ID=inst,
                       REC_ID=at + 10, **more)
        for at, (class_, name, line) in enumerate(ROUTINES):
            writer.add("META_ROUTINES", COL_CLASS_NAME=class_, COL_ROUTINE_NAME=name,
                       COL_SOURCE_LINE=line, ID=at, INST_ID=inst, REC_ID=at + 100)
        alive = {n: row for n, row in alive.items() if chance.random() < 0.7}
        for _ in range(chance.randrange(12)):
            number += chance.randrange(1, 4)
            class_ = chance.randrange(10, 10 + len(CLASSES) + (chance.random() < 0.1))
            stack = [chance.randrange(100, 106) for _ in range(chance.randrange(4))]
            get = chance.choice((ordinal, ordinal, ordinal, ordinal, None, 0, 99))
            alive[number] = (class_, chance.choice((0, 8, 16, chance.randrange(5000))), get, stack,
                             chance.random() < 0.25)
        write_objects(chance, writer, inst, alive)
    writer.close()


def write_objects(chance, writer, inst, alive):
    """Write the objects of a result set; their ids are new in each set."""
    ids = chance.sample(range(1, 200), len(alive))
    records = chance.sample(range(1, 200), len(alive))
    for id_, record, (number, (class_, bytes_, get, stack, root)) in zip(ids, records, alive.items()):
        stored = chance.choice((int, int, str, float))(bytes_)
        writer.add("OBJECTS", COL__=number, COL_ADDRESS=0x400000 + 16 * number, COL_CLASSRID=class_,
                   COL_GET_=get, COL_ROOT=int(root), COL_SIZE=stored, ID=id_, INST_ID=inst, REC_ID=record)
        for at, routine in enumerate(stack):
            writer.add("CREATION_CALL_STACK", COL_ROUTINERID=routine, ID=at, INST_ID=inst,
                       PARENT_ID=id_, REC_ID=at)
    for at in range(chance.randrange(2 * len(ids) + 1)):
        parent, child = chance.randrange(len(ids)), chance.randrange(len(ids))
        other = 777 if chance.random() < 0.05 else records[child]
        if chance.random() < 0.7:
            writer.add("REFERENCES_TO", ID=at, INST_ID=inst, PARENT_ID=ids[parent], REC_ID=other)
        if chance.random() < 0.7:
            writer.add("REFERENCES_FROM", ID=at, INST_ID=inst, PARENT_ID=ids[child],
                       REC_ID=records[parent])


# ---------------------------------------------------------------- self test

def small(path):
    """Set 3 has object 1 (Shop.Order, 100). Set 5 has it, 2 (TMemo, 20, refers to 3), 3 (8) and 4 (5)."""
    writer = Writer(path, str.lower, alias=True)
    for inst, tag in ((5, "After"), (3, "Before")):
        writer.add("INSTANCES", CAPTION=tag, INST_ID=inst)
        writer.add("META_CLASSES_DATA", COL_CLASS_NAME="Order", COL_NAMESPACE="Shop", INST_ID=inst, REC_ID=1)
        writer.add("CLASSES_DATA", COL_CLASS_NAME="TMemo", INST_ID=inst, REC_ID=2)
        writer.add("CLASSES_DATA", COL_CLASS_NAME=OVERWRITE, INST_ID=inst, REC_ID=3)
        writer.add("META_ROUTINES", COL_CLASS_NAME="TMemo", COL_ROUTINE_NAME="Add", COL_SOURCE_LINE=7,
                   INST_ID=inst, REC_ID=1)
        writer.add("META_ROUTINES", COL_CLASS_NAME="m", COL_ROUTINE_NAME="main", INST_ID=inst, REC_ID=2)
    for inst, id_, record, number, class_, get, bytes_, root in (
            (3, 1, 11, 1, 1, 1, 100, 1), (5, 9, 1, 1, 1, 1, "100", 0), (5, 2, 12, 2, 2, 2, 20.0, 1),
            (5, 3, 13, 3, 2, None, 8, 0), (5, 4, 14, 4, 8, 1, 5, 0), (5, 6, 16, 6, 3, 2, 50, 0)):
        writer.add("OBJECTS", ID=id_, REC_ID=record, INST_ID=inst, COL__=number, COL_CLASSRID=class_,
                   COL_GET_=get, COL_SIZE=bytes_, COL_ROOT=root)
    for routine in (1, 2, 3):
        writer.add("CREATION_CALL_STACK", INST_ID=5, PARENT_ID=2, COL_ROUTINERID=routine)
    writer.add("REFERENCES_TO", INST_ID=5, PARENT_ID=2, REC_ID=13)
    writer.add("REFERENCES_FROM", INST_ID=5, PARENT_ID=3, REC_ID=12)
    writer.add("REFERENCES_TO", INST_ID=5, PARENT_ID=2, REC_ID=77)
    writer.close()


def self_test():
    """Compare with figures calculated by hand."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "small.sqlite"
        small(path)
        found = types.SimpleNamespace(**report(path))
    expected = [
        (found.totals, {"live_objects": 4, "live_bytes": 133, "roots": 1, "references": 2,
                        "dangling_references": 1, "reachable_objects": 2, "reachable_bytes": 28,
                        "unreachable_objects": 0, "unreachable_bytes": 0,
                        # in this set, no Shop.Order and no <class 8> is a root or has a reference
                        "untracked_objects": 2, "untracked_bytes": 105}),
        (found.memory_overwrites, 1),
        ([tuple(row.values()) for row in found.snapshots],
         [(3, 1, 100, 100, "Before"), (5, 4, 133, 33, "After")]),
        ([(r["type"], r["bytes"], r["stack"]) for r in found.leaks],
         [("TMemo", 20, ["TMemo.Add (from 7)", "main", "<routine 3>"]), ("TMemo", 8, [])]),
        ([(r["key"], r["bytes"]) for r in found.top],
         [("Shop.Order", 100), ("TMemo", 28), ("<class 8>", 5)]),
        ([(r["key"], r["delta_bytes"]) for r in found.growth], [("TMemo", 28), ("<class 8>", 5)]),
        ([(r["object"], r["retained_bytes"], r["dominator"]) for r in found.retained],
         [("2", 28, None), ("3", 8, "2")]),
    ]
    return compare_figures(expected)


def main():
    parser = argparse.ArgumentParser(description="naive reading of AQTime databases")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("path", nargs="?", metavar="FILE")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if not options.path:
        parser.error("which file?")
    json.dump(report(options.path), sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
