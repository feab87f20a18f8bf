"""Waste in V8 heap snapshots: a naive reading by docs/formats/heapsnapshot.md, and snapshots that are made up."""
import collections
import json
import random

import heapsnapshot as oracle

KINDS = ["equal strings", "empty collections", "equal boxed numbers", "null elements", "arrays of zeros"]
NODES = ["hidden", "array", "string", "object", "number", "synthetic", "concatenated string", "sliced string"]
EDGES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]


def units(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class Naive:
    """The waste of a snapshot by its definition."""


    def __init__(self, path):
        self.file = file = oracle.read(path)
        has_values = any(row["kind"] == "number" and self.value_of(row) is not None for row in file.rows)
        self.lacks = set(KINDS[2 + has_values:])
        self.values = set()
        self.alive = [at for at in sorted(file.reached()) if at not in file.root_nodes]
        self.bytes, self.objects, self.of, self.of_bytes, self.unknown = (collections.Counter() for _ in range(5))
        self.wasted = collections.defaultdict(list)
        strings = [row for row in file.rows if row["kind"] == "string" and row["self_size"]]
        self.longest = max((units(row["name"]) for row in strings), default=0)
        self.narrow = any(row["self_size"] % 8 for row in strings)
        self.groups, self.strings = collections.defaultdict(list), {}
        for at in self.alive:
            self.take(at, file.rows[at])
        for group in self.groups.values():
            if len(group) > 1:
                self.strings[file.rows[group[0]]["id"]] = len(group), sum(file.rows[at]["self_size"] for at in group[1:])
        self.by_type = {key: sum(saved for _, saved in rows) for key, rows in self.wasted.items()}
        self.total = sum(self.bytes.values())

    def is_whole(self, text, size):
        if any(unit == "\0" or "\ud800" <= unit < "\ue000" or unit == "\ufffd" for unit in text):
            return False
        length = units(text) * (2 if any(unit > "\xff" for unit in text) else 1)
        exact = (12 + length + 3) // 4 * 4 if self.narrow else (16 + length + 7) // 8 * 8
        return units(text) < self.longest or size == exact

    def is_full(self, row):
        """Elements, or an array that refers to more than its map."""
        return any(kind == "element" or kind not in ("weak", "shortcut") and self.file.rows[to]["kind"] == "array"
                   and len(self.file.rows[to]["edges"]) > 1 for kind, _, to in row["edges"])

    def value_of(self, row):
        """The first text of a number to which an internal reference of it leads, if it is named "value"."""
        for kind, name, to in row["edges"]:
            found = self.file.rows[to]
            if kind == "internal" and found["kind"] == "string" and not found["self_size"] and not found["edges"]:
                return found["name"] if name == "value" else None
        return None

    def add(self, kind, at):
        row = self.file.rows[at]
        self.objects[kind] += 1
        self.bytes[kind] += row["self_size"]
        self.wasted[kind, self.file.type_of(row)].append((at, row["self_size"]))

    def take(self, at, row):
        kind, name, size = row["kind"], row["name"], row["self_size"]
        if kind == "string" and size and self.is_whole(name, size):
            self.of[KINDS[0]] += 1
            self.of_bytes[KINDS[0]] += size
            self.groups[name].append(at)
            if len(self.groups[name]) > 1:
                self.add(KINDS[0], at)
        elif kind in ("concatenated string", "sliced string") or kind == "string" and size:
            self.unknown[KINDS[0]] += 1
        elif kind == "number" and size and self.value_of(row) is None:
            self.unknown[KINDS[2]] += 1
        elif kind == "number" and size:
            value = self.file.type_of(row), self.value_of(row)
            self.of[KINDS[2]] += 1
            self.of_bytes[KINDS[2]] += size
            if value in self.values:
                self.add(KINDS[2], at)
            self.values.add(value)
        elif kind == "object" and name in ("Array", "Map", "Set"):
            edges = sorted((kind, name) for kind, name, _ in row["edges"] if kind not in ("weak", "shortcut"))
            is_empty = name == "Array" and edges in ([("internal", "map"), ("property", "__proto__")],
                                                     [("context", "__proto__"), ("internal", "map")])
            if not is_empty and not self.is_full(row):
                self.unknown[KINDS[1]] += 1
                return
            self.of[KINDS[1]] += 1
            self.of_bytes[KINDS[1]] += size
            if is_empty and not self.is_full(row):
                self.add(KINDS[1], at)

    def most_held(self, members):
        """The type of the immediate dominators of most objects, and of how many."""
        file, holders = self.file, collections.Counter()
        for at in members:
            above = [one for one in self.alive if one != at and at not in file.reached({one})]
            nearest = [one for one in above if all(other == one or one not in file.reached({other}) for other in above)]
            holders[file.type_of(file.rows[nearest[0]]) if nearest else None] += 1
        holder, count = holders.most_common(1)[0]
        return (holder, count) if holder and count * 2 > len(members) else (None, None)

    def most_held_by(self, first):
        return self.most_held(next(group for group in self.groups.values() if self.file.rows[group[0]]["id"] == first))


def made_up(seed):
    """Return a snapshot of strings, arrays, maps and others that refer to each other at random."""
    rng = random.Random(seed)
    texts = ["", "map", "__proto__", "Array", "Map", "Set", "Cart", "elements", "table", "value", "1", "caf\xe9", "\u4f60\U0001f600",
             "x\ud800", "a\0b", "\ufffd", "y" * 60, "y" * 59 + "\u0101", "z" * 60, "z" * 1024]
    texts = rng.sample(texts[:-1], len(texts) - 1) + texts[-1:] * rng.randint(0, 1)
    at = {text: place for place, text in enumerate(texts)}
    header, unit = rng.choice([(12, 4), (16, 8)])
    rows = [("synthetic", "", 0, [])]
    count = rng.randint(5, 60)
    for _ in range(count):
        kind = rng.choice(["string"] * 5 + ["object"] * 4 + ["array", "number", *NODES])
        text = rng.choice(texts if kind == "string" else ["Array", "Array", "Map", "Set", "Cart"])
        length = units(text) * (2 if any(one > "\xff" for one in text) else 1)
        size = (header + length + unit - 1) // unit * unit
        if kind == "string" and rng.random() < 0.2:
            text, size = rng.choice(["1", "caf\xe9"]), 0
        elif kind == "synthetic" or rng.random() < 0.1:
            size = rng.choice([0, 24, 64, 160, 2 * size])
        edges = []
        if kind == "object" and rng.random() < 0.8:
            edges = [("internal", "map"), (rng.choice(["property", "property", "context"]), "__proto__")]
        more = rng.choice([0, 0, 0, 1, 3]) if kind in ("object", "array") else rng.choice([0, 0, 1])
        edges += [(rng.choice(EDGES), rng.choice(["elements", "table", "map", "1"])) for _ in range(more)]
        rng.shuffle(edges)
        if kind == "number":
            edges.append(("internal", rng.choice(["value", "value", "value", "map"])))
        if kind == "string" and not size:
            edges = []
        rows.append((kind, text, size if kind in ("string", "number") or size else 16, edges))
    rows[0][3].extend((rng.choice(["shortcut", "element"]), "1") for _ in range(rng.randint(2, count)))
    numbers, edges = [], []
    for number, (kind, text, size, own) in enumerate(rows):
        numbers += [NODES.index(kind), at[text], number * 2 + 1, size, len(own)]
        for edge, name in own:
            place = 7 if edge in ("element", "hidden") else at[name]
            texts_of = [other for other, row in enumerate(rows) if row[0] == "string" and not row[2]]
            to = rng.choice(texts_of) if name == "value" and texts_of and rng.random() < 0.9 else rng.randint(1, count)
            edges += [EDGES.index(edge), place, to * 5]
    meta = {"node_fields": ["type", "name", "id", "self_size", "edge_count"], "node_types": [NODES, "string"],
            "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [EDGES, "node"]}
    return json.dumps({"snapshot": {"meta": meta, "node_count": len(rows), "edge_count": len(edges) // 3},
                       "nodes": numbers, "edges": edges, "strings": texts}, indent=rng.choice([None, 1]))
