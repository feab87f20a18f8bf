#!/usr/bin/env python3
"""V8 heap snapshots: answers agree with a naive reader (oracle/heapsnapshot.py), for generated snapshots and,
with --corpus, for those of a Node program that leaks."""
import hashlib
import json
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "oracle"))
import claims  # noqa: E402
import held  # noqa: E402
import heapsnapshot as oracle  # noqa: E402

CORPUS = HERE.parent.parent / "shared" / "corpus" / "living" / "node"
# After each round: nodes, edges, bytes; bytes retained by all Session objects, and by all onPrice closures.
KNOWN = [(50144, 211000, 3401323, 368456, 410056), (60219, 242478, 3852356, 736336, 819536),
         (69837, 272166, 4269556, 1104176, 1228976)]
# Retained sizes of all objects in the engine of Chrome's DevTools (chrome-devtools-frontend 1.0.1705227 of npm,
# front_end/entrypoints/heap_snapshot_worker, run by Node 20): the number of objects, the sum, and the beginning of the
# SHA-256 of the lines "ID BYTES" in the order of ids. The step calculateShallowSizes was left out: it shows the size of an
# internal array at the object that alone refers to it, and no other size differs.
DEVTOOLS = [(50112, 16883988, "82fe77928a6e92d4"), (60187, 20401032, "efce0b2b87342104"), (69805, 23772584, "90efcf18f1760073")]
KINDS = ["hidden", "array", "string", "object", "code", "closure", "native", "synthetic", "object shape", "symbol"]
EDGES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]
SNAPSHOTS = 60


def made_up(seed):
    """Return a snapshot with every kind of node and edge, and a random layout of fields."""
    rng = random.Random(seed)
    fields = ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"]
    edge_fields = ["type", "name_or_index", "to_node"]
    if rng.random() < 0.5:
        rng.shuffle(fields)
        rng.shuffle(edge_fields)
    strings = ["", "(GC roots)", "(Stack roots)", "(Document DOM trees)", "global", "Session", "Cart\u00e4", "onPrice",
               '<div class="a">', "system / Map", "x \"y\"\n"]
    roots = rng.randint(1, 4)
    kinds = ["synthetic"] * roots + [rng.choice(KINDS) for _ in range(rng.randint(1, 40))]
    nodes = []
    for at, kind in enumerate(kinds):
        name = at if at < roots else rng.randrange(len(strings))
        size = 0 if kind == "synthetic" and rng.random() < 0.7 or at < roots else rng.choice([8, 16, 104])
        nodes.append({"type": KINDS.index(kind), "name": name, "id": at * 2 + 1, "self_size": size, "edge_count": 0,
                      "trace_node_id": 0, "detachedness": rng.choice([0, 0, 1, 2])})
    edges = []
    for at, node in enumerate(nodes):
        for _ in range(rng.choice([0, 1, 2, 6]) if at >= roots else rng.randint(1, 5)):
            kind, to = rng.choice(EDGES), rng.randrange(0 if rng.random() < 0.05 else 1, len(nodes))
            if not at and rng.random() < 0.5:
                kind = rng.choice(["element", "shortcut"])
            name = rng.randrange(len(strings))
            if kind == "internal" and rng.random() < 0.5:
                table = rng.choice([node["id"], 99])
                strings.append(f"{at} / part of key (K @3) -> value (V @5) pair in WeakMap (table @{table})")
                name = len(strings) - 1
            edges.append({"type": EDGES.index(kind), "name_or_index": name, "to_node": to * len(fields)})
            node["edge_count"] += 1
    others = {"trace_tree": [[]], "samples": [], "locations": [1, {"a": ["]"]}]}
    whole = {"snapshot": {"meta": {"node_fields": fields, "node_types": [KINDS, "string"], "edge_fields": edge_fields,
                                   "edge_types": [EDGES, "node"], "sample_fields": ["a"]},
                          "node_count": len(nodes), "edge_count": len(edges)},
             "nodes": [node[field] for node in nodes for field in fields],
             "edges": [edge[field] for edge in edges for field in edge_fields], **others, "strings": strings}
    return json.dumps(whole, indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5)


def check(claim, path, retained=None):
    """Compare the answers about a snapshot with the naive reading, and return the latter."""
    known = oracle.read(path).figures(retained)
    info = claim.json("info", path)
    totals = info.get("totals", {})
    claim.claim(info.get("inputs", [{}])[0].get("records") == known["nodes"], path, "nodes", info.get("inputs"))
    claim.claim(totals.get("references") == known["edges"], path, "edges", totals, known["edges"])
    claim.claim(totals.get("types") == len(known["types"]), path, "types", totals, known["types"])
    claim.claim(totals.get("live_bytes") == known["bytes"], path, "bytes", totals, known["bytes"])
    claim.claim(totals.get("reachable_bytes") == known["reachable"], path, "reachable", totals, known["reachable"])
    rows = claim.json("top", path, "--by", "type", "--limit", "0").get("top", [])
    claim.claim({row["key"]: (row["objects"], row["bytes"]) for row in rows} ==
                {name: (row["objects"], row["bytes"]) for name, row in known["types"].items()},
                path, "types", rows, known["types"])
    held = {row["key"]: row["retained_bytes"] for row in rows}
    for name, row in known["types"].items():
        if "retained" in row:
            claim.claim(held.get(name) == row["retained"], path, "retained", name, held.get(name), row)
    return known


def check_names(claim, path, ids):
    """Compare the names on paths, and those of an object's references, with those in the file."""
    known = oracle.read(path)
    places = {row["id"]: at for at, row in enumerate(known.rows)}
    named = 0
    for key in ids:
        steps = claim.json("path", key, path).get("path", [])
        for above, row in zip(steps, steps[1:]):
            name = known.name_of(places[int(above["object"])], places[int(row["object"])])
            claim.claim(row.get("via") == name, path, key, row, name)
            named += 1
        answer = claim.json("object", key, path, "--limit", "0")
        for row in answer.get("referrers", []) + answer.get("references", []):
            ends = (row["object"], key) if row in answer.get("referrers", []) else (key, row["object"])
            name = known.name_of(*(places[int(end)] for end in ends))
            claim.claim(row.get("via") == name, path, key, row, name)
            named += 1
    return named


def check_made_up(claim):
    named = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(SNAPSHOTS):
            path = pathlib.Path(folder) / f"{seed}.heapsnapshot"
            path.write_text(made_up(seed), encoding="utf-8")
            check(claim, path)
            rows = claim.json("retained", path).get("retained", [])
            named += check_names(claim, path, [row["object"] for row in rows[-3:]])
            named += held.check(claim, path, 8) if seed % 4 == 0 else 0
            held.check_alike(claim, path)
    claim.claim(named > SNAPSHOTS, "names of references were checked", named)


def snapshot_of(children):
    """Return a snapshot of a global object and others: a dictionary of names and the objects that they refer to.
    Objects of a class have its name and a number, and 100 bytes."""
    names = ["", *children, *sorted({to for held in children.values() for to in held} - set(children))]
    strings = sorted({name.split(" ")[0] for name in names})
    nodes, edges = [], []
    for at, name in enumerate(names):
        held = children.get(name, []) if at else [names[1]]
        nodes += [KINDS.index("object" if at else "synthetic"), strings.index(name.split(" ")[0]), at * 2 + 1,
                  100 if at else 0, len(held)]
        for to in held:
            edges += [EDGES.index("property" if at else "shortcut"), 0, names.index(to) * 5]
    meta = {"node_fields": ["type", "name", "id", "self_size", "edge_count"], "node_types": [KINDS, "string"],
            "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [EDGES, "node"]}
    return json.dumps({"snapshot": {"meta": meta, "node_count": len(names), "edge_count": len(edges) // 3},
                       "nodes": nodes, "edges": edges, "strings": strings})


def check_globals(claim):
    """A global object is suspect only if objects of one type retain most of what it keeps alive."""
    items = [f"Item {i}" for i in range(20)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.heapsnapshot"
        for children, expected in (({"global": ["Cache", "Config", "Other"], "Cache": items}, ["Cache"]),
                                   ({"global": ["Config", *items]}, ["global"]),
                                   ({"global": [f"{name} {i}" for name in "ABCDE" for i in range(4)]}, [])):
            path.write_text(snapshot_of(children), encoding="utf-8")
            suspects = claim.json("leaks", path).get("leaks", [])
            claim.claim([row["type"] for row in suspects if row["rule"] == "object"] == expected,
                        children, expected, suspects)


def check_ids(claim):
    """A reference whose objects do not have ids of their own has no name, and the reason is told."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.heapsnapshot"
        whole = json.loads(snapshot_of({"global": ["Cache"], "Cache": ["Item"]}))
        for at in range(2, len(whole["nodes"]), 5):
            whole["nodes"][at] = 3
        path.write_text(json.dumps(whole), encoding="utf-8")
        done = claim.run("analyze", path)
        claim.claim(done.returncode == 0 and "several objects have one id" in done.stderr, done.stderr)


def check_retained(claim, path, devtools):
    """All objects retain as much as in Chrome's DevTools."""
    rows = claim.json("retained", path, "--limit", "0").get("retained", [])
    sizes = sorted((int(row["object"]), row["retained_bytes"]) for row in rows)
    digest = hashlib.sha256("".join(f"{key} {size}\n" for key, size in sizes).encode()).hexdigest()[:16]
    claim.claim((len(sizes), sum(size for _, size in sizes), digest) == devtools, path, "DevTools", len(sizes), digest)


def check_corpus(claim):
    paths = [CORPUS / f"leak-{number}.heapsnapshot.xz" for number in (1, 2, 3)]
    for path, devtools in zip(paths, DEVTOOLS):
        check_retained(claim, path, devtools)
    for path, (nodes, edges, total, sessions, closures) in zip(paths, KNOWN):
        known = check(claim, path, {"Session", "(closure) onPrice", "CartLine", "(string)", "(array)"})
        claim.claim((known["nodes"], known["edges"], known["bytes"]) == (nodes, edges, total), path, known)
        claim.claim(known["types"]["Session"]["retained"] == sessions, path, known["types"]["Session"])
        claim.claim(known["types"]["(closure) onPrice"]["retained"] == closures, path)
        first = claim.run("analyze", path, "--quiet").stdout.splitlines()[2]
        claim.claim("(closure) onPrice" in first and "in ._events.price of EventEmitter" in first, path, first)
    rows = claim.json("path", "--type", "Session", paths[2]).get("paths", [])
    claim.claim(check_names(claim, paths[2], [rows[0]["object"]]) > 5, paths[2], "names of references", rows)
    claim.claim(held.check(claim, paths[2], 20) > 10, paths[2], "names of holders")
    claim.claim(held.check_diff(claim, paths[0], paths[2], "Array in ._events.price of EventEmitter holds 800 more "
                                "(closure) onPrice") > 100, "names in a diff")
    first = claim.run("analyze", *paths, "--quiet").stdout.splitlines()[2]
    claim.claim("in ._events.price of EventEmitter" in first, first)
    claim.claim("grew by 400 (closure) onPrice objects at each dump" in first, first)
    grown = claim.json("growth", *paths).get("accumulations", [{}])[0]
    claim.claim(grown.get("path") == ["Array", "Object", "EventEmitter"], grown)
    claim.claim(grown.get("via") == [".price", "._events", "Stack root"], grown)


def main():
    return claims.main_of_checks(__doc__, [check_made_up, check_globals, check_ids], check_corpus, CORPUS)


if __name__ == "__main__":
    sys.exit(main())
