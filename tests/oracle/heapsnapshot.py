#!/usr/bin/env python3
"""A naive reader of V8 heap snapshots, to compare with the analyzer.

    heapsnapshot.py FILE...

Print one JSON object per file: counts, and by type the objects, bytes and retained size. The retained
size is found by its definition: remove the objects, and see what the root no longer reaches. All nodes
and edges are kept as in the file."""
import collections
import json
import lzma
import pathlib
import re
import sys

PAIR = re.compile(r"^\d+ / part of key \(.*? @\d+\) -> value \(.*? @\d+\) pair in WeakMap \(table @(\d+)\)$")


class Snapshot:
    def __init__(self, text):
        whole = json.loads(text)
        meta, self.strings = whole["snapshot"]["meta"], whole["strings"]
        fields, numbers = meta["node_fields"], whole["nodes"]
        rows = [dict(zip(fields, numbers[at:at + len(fields)])) for at in range(0, len(numbers), len(fields))]
        kinds, edge_kinds = meta["node_types"][0], meta["edge_types"][0]
        for row in rows:
            row["kind"], row["name"], row["edges"] = kinds[row["type"]], self.strings[row["name"]], []
        owners = [row for row in rows for _ in range(row["edge_count"])]
        fields, numbers = meta["edge_fields"], whole["edges"]
        self.edges = [dict(zip(fields, numbers[at:at + len(fields)])) for at in range(0, len(numbers), len(fields))]
        for row, edge in zip(owners, self.edges):
            kind, name = edge_kinds[edge["type"]], edge["name_or_index"]
            if kind not in ("element", "hidden"):
                name = self.strings[name]
            row["edges"].append((kind, name, edge["to_node"] // len(meta["node_fields"])))
        self.rows = rows
        self.find_root_nodes()
        self.mark_users()
        self.targets = [[to for kind, name, to in row["edges"] if self.keeps(at, kind, name, to)]
                        for at, row in enumerate(rows)]

    def find_root_nodes(self):
        """Find the nodes that stand for roots, to which no other node refers."""
        def may(at):
            return self.rows[at]["kind"] == "synthetic" and not self.rows[at]["self_size"]

        def refers(at):
            return [to for kind, _, to in self.rows[at]["edges"]
                    if kind != "weak" and (kind != "shortcut" or not at)]
        found, left = set(), [0] if may(0) else []
        while left:
            at = left.pop()
            found.add(at)
            left += [to for to in refers(at) if may(to) and to not in found]
        before = None
        while before != found:
            before = set(found)
            found -= {to for at in range(len(self.rows)) if at not in before for to in refers(at)}
        self.root_nodes = found

    def mark_users(self):
        """Mark the objects of the program: those that the root's shortcuts and the documents lead to."""
        first = [to for kind, _, to in self.rows[0]["edges"]
                 if kind == "shortcut" or (kind == "element" and self.rows[to]["name"] == "(Document DOM trees)"
                                           and to in self.root_nodes)]
        self.users, left = set(first), first
        while left:
            for kind, _, to in self.rows[left.pop()]["edges"]:
                if kind not in ("weak", "shortcut") and to not in self.users:
                    self.users.add(to)
                    left.append(to)

    def keeps(self, at, kind, name, to):
        pair = kind == "internal" and self.rows[at]["kind"] == "array" and PAIR.match(name)
        if kind == "weak" or (kind == "shortcut" and at) or (pair and int(pair[1]) == self.rows[at]["id"]):
            return False
        return at == 0 or at in self.users or to not in self.users

    def name_of(self, at, to):
        """Return the name of the reference between two nodes, as DevTools write it."""
        def shown(kind, name):
            if kind in ("element", "hidden"):
                return f"[{name}]" if kind == "element" else f"{{{name}}}"
            data = name.encode("utf-8", "surrogatepass")
            is_word = re.fullmatch(r"#?[A-Za-z_$\x80-\U0010ffff][A-Za-z0-9_$\x80-\U0010ffff]*", name)
            if kind != "internal" and not is_word:
                data = name.replace("\\", "\\\\").replace('"', '\\"').encode("utf-8", "surrogatepass")
            cut = data[:80].decode("utf-8", "ignore") + "..." if len(data) > 80 else data.decode("utf-8", "surrogatepass")
            if kind == "internal":
                return f"{{{cut}}}"
            return f".{cut}" if is_word else f'["{cut}"]'
        names = [(("internal", "hidden").index(kind) if kind in ("internal", "hidden") else -1, shown(kind, name))
                 for kind, name, target in self.rows[at]["edges"] if target == to and kind not in ("weak", "shortcut")]
        return min(names, key=lambda row: row[0])[1]

    def type_of(self, row):
        name = row["name"]
        if row["kind"] == "native" and name.startswith("<") and " " in name.split(">")[0]:
            name = name.split(" ")[0] + ">"
        if row["kind"] == "native" and row.get("detachedness") == 2 and name:
            name = f"Detached {name}"
        if row["kind"] == "closure":
            return f"(closure) {name}" if name else "(closure)"
        if row["kind"] in ("object", "native", "hidden", "object shape", "synthetic") and name:
            return name
        return "(compiled code)" if row["kind"] == "code" else f"({row['kind']})"

    def reached(self, without=frozenset()):
        seen = {0} - without
        left = list(seen)
        while left:
            for to in self.targets[left.pop()]:
                if to not in seen and to not in without:
                    seen.add(to)
                    left.append(to)
        return seen

    def size(self, which):
        return sum(self.rows[at]["self_size"] for at in which)

    def by_type(self):
        types = collections.defaultdict(list)
        for at, row in enumerate(self.rows):
            if at not in self.root_nodes:
                types[self.type_of(row)].append(at)
        return types

    def figures(self, retained=None):
        """Return counts by type, and the retained sizes of the types in `retained` (None: all)."""
        alive = self.reached()
        types = {}
        for name, which in self.by_type().items():
            types[name] = {"objects": len(which), "bytes": self.size(which)}
            if retained is None or name in retained:
                types[name]["retained"] = self.size(alive) - self.size(self.reached(frozenset(which)))
        return {"nodes": len(self.rows), "edges": len(self.edges), "bytes": self.size(range(len(self.rows))),
                "objects": len(self.rows) - len(self.root_nodes), "reachable": self.size(alive), "types": types}


def read(path):
    data = pathlib.Path(path).read_bytes()
    return Snapshot(lzma.decompress(data) if str(path).endswith(".xz") else data)


if __name__ == "__main__":
    for given in sys.argv[1:]:
        print(json.dumps(read(given).figures(), indent=1))
