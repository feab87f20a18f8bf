"""Small random memory recordings. Each is valid, in both versions of the format.

The same seed always makes the same recording. Rows are in any order that the format allows: objects before
their owners, changed ones among new ones in version 1, deletions in any order.
"""
import random

CODE, QUERY, BUILT_IN, POOL, TABLE, REUSABLE = 34, 41, 66, 68, 72, 80
TYPES = {CODE: "Procedure", QUERY: "Dynamic Query", BUILT_IN: "OO BuiltIn", POOL: "Widget Pool",
         TABLE: "Temp-table", REUSABLE: "Reusable Obj"}
STAMP = '"2022-02-01T08:01:39.967+05:00"'
UUID = '"3f2504e0-4f89-11d3-9a0c-0305e82c3301"'
END = ["."]


class Session:
    """A session with the given seed; text(version) is its recording."""

    def __init__(self, seed):
        self.chance, self.clock = random.Random(seed), random.Random(seed + 1000)
        self.made, self.start = {}, 0
        self.live, self.next_id, self.time, self.most = {}, self.chance.randrange(1, 99), 0, [0, 0]
        self.sources, self.names, self.nodes, self.snapshots = {}, {}, {}, []
        count = self.chance.randrange(2, 9)
        for sequence in range(1, count + 1):
            tags = ["work", "Pre 1", "Post, 1", "_Auto"]
            tag = self.chance.choice(tags)
            if sequence >= count - 1:
                tag = "_Exit" if sequence == count else "_PreCleanUp"
            self.snapshots.append(self.snapshot(sequence, tag))

    def some(self, things):
        return self.chance.choice(sorted(things)) if things else 0

    def tables(self):
        """Add sources, names and nodes. Some have the same meaning as others with another id."""
        new = {"sources": {}, "names": {}, "nodes": {}}
        for _ in range(self.chance.randrange(4)):
            id_ = len(self.sources) * 2 + 1
            # each has one start line: overloads are separate sources with the same name
            new["sources"][id_] = self.sources[id_] = self.chance.choice(
                ['"main.p" 0', '"order.p" 0', '"a\u00e4 b.p" 0', '"run shop.Order" 12'])
            id_ = len(self.names) * 3 + 5
            new["names"][id_] = self.names[id_] = self.chance.choice(
                ['"tt ""Order"""', '"pool, two"', '"Customer"', '"x"'])
        for _ in range(self.chance.randrange(5) if self.sources else 0):
            id_ = len(self.nodes) + 100
            parent = self.some([*self.nodes, 0])
            new["nodes"][id_] = self.nodes[id_] = "%d %d %d" % (
                self.some(self.sources), parent, self.chance.randrange(1, 4) if parent else 0)
        return new

    def birth(self):
        """Return [type, bytes, node, line, source, owner, table, name, built-in] of a new object."""
        type_ = self.chance.choice(list(TYPES))
        code = type_ in (CODE, REUSABLE)
        return [type_, self.chance.randrange(500), self.some([*self.nodes, 0]),
                self.chance.randrange(3), self.some(self.sources) if code else 0, 0,
                self.chance.randrange(2), 0 if code else self.some([*self.names, 0]),
                5 if type_ == BUILT_IN else 0]

    def snapshot(self, sequence, tag):
        before = dict(self.live)
        new = self.tables()
        born = {}
        for _ in range(self.chance.randrange(12)):
            self.next_id += self.chance.randrange(1, 4)
            born[self.next_id] = self.birth()
        everything = {**before, **born}
        ids = sorted(everything)
        for id_, row in born.items():  # owners are older, so no object owns itself
            older = [other for other in ids if other < id_]
            if older and self.chance.randrange(3):
                row[5] = self.chance.choice(older)
        changed = {id_: [before[id_][0], self.chance.randrange(500), *before[id_][2:]]
                   for id_ in sorted(before) if not self.chance.randrange(4)}
        everything.update(changed)
        dead = {id_ for id_ in ids if not self.chance.randrange(6)}
        for id_ in ids:  # objects that are scoped to it are deleted with it
            if everything[id_][5] in dead:
                dead.add(id_)
        self.live = {id_: row for id_, row in everything.items() if id_ not in dead}
        for version in (1, 2):
            both = len([r for r in [*before.values(), *born.values()] if self.counts(r, version)])
            self.most[version - 1] = max(self.most[version - 1], both)
        self.time += 1000
        self.made.update({id_: self.time - self.clock.randrange(2, 900) for id_ in born})
        gone = {id_: self.clock.randrange(max(self.made[id_], self.time - 1000), self.time)
                for id_ in sorted(dead)}
        # a request continues, has run since the snapshot before, or began among the creations
        self.start = self.clock.choice([self.start, 0, self.time - 1000, self.time - 450])
        return {"made": dict(self.made), "gone": gone, "start": self.start, "sequence": sequence, "tag": tag, "born": self.shuffled(born),
                "changed": self.shuffled(changed), "dead": self.shuffled(dict.fromkeys(dead)),
                "live": dict(self.live), "time": self.time, "most": list(self.most),
                "request": self.chance.choice(['""', '"r-1"', '"r-2"', '"??:??"']),
                "api": self.chance.choice(["?", '"GET /orders"']),
                "mixed": self.chance.random(), **new}

    def shuffled(self, things):
        rows = sorted(things.items())
        self.chance.shuffle(rows)
        return rows

    @staticmethod
    def counts(row, version):
        return version == 1 or row[0] != REUSABLE

    def text(self, version):
        return "".join(line + "\n" for one in self.snapshots for line in self.lines(one, version))

    def lines(self, one, version):
        first = one["sequence"] == 1
        own = [row for row in one["live"].values() if self.counts(row, version)]
        kept = [row for row in one["live"].values() if not self.counts(row, version)]
        header = (f'{version} 3277 {one["sequence"]} {STAMP} "AVM-Client" "{one["tag"]}" '
                  f'{one["request"]} "" {one["start"]} {UUID} "" 0 "shop" {one["api"]} 0.5')
        trailer = (f'{one["time"]} {len(own)} {sum(row[1] for row in own)} 1500 '
                   f'{one["most"][version - 1]} 1 0')
        if version == 2:
            header += ' "12.8.9" "" ""'
            trailer += f' {len(kept)} {sum(r[1] for r in kept)} "{one["tag"]}" {one["sequence"]}'
        objects = [self.object(*pair, one["made"]) for pair in one["born"]]
        if version == 1:
            objects += [self.object(*pair, one["made"]) for pair in one["changed"]]
            random.Random(one["mixed"]).shuffle(objects)
        rows = {
            "platforms": ['"General" 2'] if first else [],
            "types": [f'"{name}" {id_}' for id_, name in TYPES.items()] if first else [],
            "built-ins": ['"Progress.Lang.Object" 5'] if first else [],
            "platform": ["2 1500 1500 1500"],
            "objects": objects,
            "changed": [f"{id_} {row[0]} {row[1]} 0 0 {row[6]}" for id_, row in one["changed"]],
            "dead": [f'{id_} {one["gone"][id_]}' for id_, _ in one["dead"]],
            "header": [header], "trailer": [trailer],
            **{name: [f"{id_} {rest}" for id_, rest in one[name].items()]
               for name in ("sources", "names", "nodes")},
        }
        order = ["header", "platforms", "types", "built-ins"]
        order += (["objects", "platform", "dead", "nodes", "sources", "names"] if version == 1 else
                  ["platform", "sources", "names", "nodes", "objects", "changed", "dead"])
        return [line for name in [*order, "trailer"] for line in rows[name] + END]

    @staticmethod
    def object(id_, row, made):
        type_, bytes_, node, line, source, owner, table, name, built_in = row
        return (f"{id_} {type_} {bytes_} 0 0 {made[id_]} {node} {line} {source} 0 {owner} {table} "
                f"{name} 0 {built_in} 0")


class Crowded(Session):
    """A session with many sites of one type and few stacks, so that several recordings have common lines."""

    CALLS = {1: "1 0 0", 2: "3 1 1", 3: "3 1 2", 4: "3 1 4", 5: "5 1 4", 6: "3 5 1", 7: "7 1 6",
             8: "3 7 2"}

    def tables(self):
        new = {"sources": {}, "names": {}, "nodes": {}}
        if not self.sources:
            sources = ['"main.p" 0', '"run shop.Order" 12', '"first shop.Caller" 0',
                       '"second shop.Caller" 30']
            new["sources"] = self.sources = dict(zip((1, 3, 5, 7), sources))
            new["nodes"] = self.nodes = {100 + id_: self.shifted(row)
                                         for id_, row in self.CALLS.items()}
        return new

    @staticmethod
    def shifted(row):
        source, parent, line = row.split()
        return f"{source} {int(parent) and int(parent) + 100} {line}"

    def birth(self):
        return [QUERY, self.chance.randrange(1, 4), self.chance.choice([102] * 5 + [103, 104, 106, 108]),
                self.chance.randrange(1, 9), 0, 0, 0, 0, 0]
