#!/usr/bin/env python3
"""Waste in heap dumps of Java and V8: `memprof waste` agrees with a naive reading of dumps that are made up and, with
--corpus, of those of a program; dumps that are cut, damaged, changed, or made to exhaust memory."""
import collections
import json
import pathlib
import random
import sys
import tempfile

import claims
import hprof
import java as oracle
import names
import runs
import waste_v8

DUMPS = 60
KINDS = waste_v8.KINDS
SIZES = {"java.util.ArrayList": "size", "java.util.LinkedList": "size", "java.util.PriorityQueue": "size",
         "java.util.Vector": "elementCount", "java.util.Stack": "elementCount", "java.util.HashMap": "size",
         "java.util.LinkedHashMap": "size", "java.util.TreeMap": "size", "java.util.IdentityHashMap": "size",
         "java.util.WeakHashMap": "size", "java.util.Hashtable": "count"}
BOXES = {f"java.lang.{name}" for name in ("Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double")}


class Naive:
    """The waste of a dump by its definition (docs/man/memprof-waste.1.scd)."""

    lacks = set()

    def __init__(self, dump):
        self.wasted = collections.defaultdict(list)
        self.dump, self.sizes, self.alive = dump, dump.sizes(), dump.reached()
        self.order = [key for key in dump.objects if key in self.alive]
        self.bytes, self.objects, self.of = (collections.Counter() for _ in range(3))
        self.of_bytes, self.unknown, self.by_type = (collections.Counter() for _ in range(3))
        self.taken = set()
        self.groups = collections.defaultdict(list)
        self.strings = {}
        for take in (self.take_strings, self.take_collections, self.take_boxed, self.take_arrays):
            take()
        self.total = sum(self.bytes.values())
        self.reachable = sum(self.sizes[key] for key in self.alive)

    def of_type(self, names):
        return [key for key in self.order if self.dump.objects[key][0] == "instance"
                and self.dump.type_of(key) in names]

    def fields(self, key):
        """The fields of an instance that are no references, by name: the first class that has one counts."""
        _, kind, value = self.dump.objects[key]
        body, found = oracle.Reader(value), {}
        for _, facts in self.dump.chain(kind):
            for name, type_ in facts["fields"]:
                number = body.number(oracle.WIDTH.get(type_, self.dump.id))
                if type_ != 2:
                    found.setdefault(self.dump.texts[name], number)
        return found

    def form(self, key):
        return self.dump.objects[key][0] if key in self.dump.objects else None

    def add(self, kind, key, saved):
        self.bytes[kind] += saved
        self.objects[kind] += 1
        self.by_type[kind, self.dump.type_of(key)] += saved
        self.wasted[kind, self.dump.type_of(key)].append((key, saved))

    def count(self, kind, key):
        self.of[kind] += 1
        self.of_bytes[kind] += self.sizes[key]

    def take_strings(self):
        strings = self.of_type({"java.lang.String"})
        held = {to for key in self.order if key not in strings for to in self.dump.targets[key]}
        held |= {to for tag, to in self.dump.roots}
        for key in strings:
            array = next((to for to in self.dump.targets[key] if self.form(to) == "primitives"), None)
            if array not in self.dump.elements:
                self.unknown[KINDS[0]] += 1
                continue
            self.count(KINDS[0], key)
            facts = self.fields(key)
            same = tuple(facts.get(name, 0) for name in ("coder", "offset", "count"))
            group = self.groups[same, self.dump.objects[array][1], self.dump.elements[array]]
            own = 0 if array in self.taken | held else self.sizes[array]
            self.of_bytes[KINDS[0]] += 0 if array in self.taken else self.sizes[array]
            self.taken.add(array)
            group.append((key, self.sizes[key] + own if group else 0))
            if len(group) > 1:
                self.add(KINDS[0], key, group[-1][1])
        for group in self.groups.values():
            if len(group) > 1:
                self.strings[group[0][0]] = len(group), sum(saved for _, saved in group)

    def holder_of(self, key):
        """The type of the immediate dominator: of all dominators, the one that all others dominate."""
        above = [one for one in self.order if one != key and key not in self.dump.reached({one})]
        nearest = [one for one in above if all(other == one or one not in self.dump.reached({other}) for other in above)]
        return self.dump.type_of(nearest[0]) if nearest else None

    def most_held_by(self, first):
        return self.most_held([key for key, _ in
                               next(group for group in self.groups.values() if group[0][0] == first)])

    def most_held(self, members):
        holders = collections.Counter(self.holder_of(key) for key in members)
        holder, count = holders.most_common(1)[0]
        return (holder, count) if holder and count * 2 > len(members) else (None, None)

    def take_collections(self):
        for key in self.of_type(SIZES):
            facts, saved = self.fields(key), self.sizes[key]
            size = facts.get(SIZES[self.dump.type_of(key)])
            if size is None:
                continue
            self.count(KINDS[1], key)
            arrays = {to for to in self.dump.targets[key] if self.form(to) == "references"}
            if size or any(any(self.dump.objects[array][2]) for array in arrays):
                continue
            mine = {array for array in arrays - self.taken if array not in self.dump.reached({key})}
            self.taken |= mine
            self.add(KINDS[1], key, saved + sum(self.sizes[array] for array in mine))

    def take_boxed(self):
        seen = set()
        for key in self.of_type(BOXES):
            value = self.fields(key).get("value")
            if value is None:
                continue
            self.count(KINDS[2], key)
            if (self.dump.type_of(key), value) in seen:
                self.add(KINDS[2], key, self.sizes[key])
            seen.add((self.dump.type_of(key), value))

    def take_arrays(self):
        for key in self.order:
            form, _, value = self.dump.objects[key]
            if form == "references":
                self.count(KINDS[3], key)
                nulls = value.count(0)
                if key not in self.taken and len(value) > 1 and nulls * 2 > len(value):
                    self.add(KINDS[3], key, nulls * self.dump.reference)
            elif form == "primitives" and key not in self.taken:
                elements = self.dump.elements.get(key)
                if elements is None:
                    self.unknown[KINDS[4]] += 1
                    continue
                self.count(KINDS[4], key)
                if elements and not any(elements):
                    self.add(KINDS[4], key, self.sizes[key])


class MadeUp:
    """A dump of strings, collections, boxed numbers and arrays that refer to each other at random."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        version = rng.choice(["1.0.2", "1.0.2", "1.0.3"])
        self.width = 4 if version == "1.0.3" else rng.choice([4, 8, 8])
        self.layout = rng.choice(oracle.LAYOUTS[self.width])
        self.out, self.at = hprof.Writer(version, self.width), 0x10000
        text = rng.choice([[("value", 2), ("coder", 8), ("hash", 10)], [("hash", 10), ("value", 2)],
                           [("count", 10), ("value", 2), ("offset", 10), ("hash", 10)]])
        self.classes = [  # name, class above, own fields
            ("java/lang/Object", None, []), ("java/lang/String", 0, text),
            ("java/util/AbstractList", 0, [("modCount", 10)]),
            ("java/util/ArrayList", 2, [("size", 10), ("elementData", 2)]),
            ("java/util/HashMap", 0, [("table", 2), ("entrySet", 2), ("size", 10), ("loadFactor", 6)]),
            ("java/util/LinkedHashMap", 4, [("head", 2), ("accessOrder", 4)]),
            ("java/util/Hashtable", 0, [("count", 10), ("table", 2)]),
            ("java/lang/Number", 0, []), ("java/lang/Integer", 7, [("value", 10)]),
            ("java/lang/Long", 7, [("value", 11)]), ("shop/Cart", 0, [("a", 2), ("size", 10), ("b", 2)]),
            ("[Ljava/lang/Object;", 0, [])]
        self.keys = [self.place(256) for _ in self.classes]
        self.forms = [self.form() for _ in range(rng.randint(10, 90))]
        self.objects = [self.place(size) for size, _, _ in self.forms]
        heap = []
        for number, (name, above, fields) in enumerate(self.classes):
            self.out.load(self.keys[number], name, number + 1)
            heap.append(lambda number=number, above=above, fields=fields: self.out.describe(
                self.keys[number], 0 if above is None else self.keys[above], fields,
                [("LIST", 2, self.any())] if number == 10 else (), size=self.size(number)))
        heap += [lambda key=key, form=form: self.add(key, *form[1:]) for key, form in zip(self.objects, self.forms)]
        heap += [lambda: self.out.root(rng.choice([0x05, 0x05, 0x90]), self.any() or self.keys[0])
                 for _ in range(rng.randint(5, 25))]
        if rng.random() < 0.4:
            rng.shuffle(heap)  # objects before their classes
        for write in heap:
            write()
        self.data = self.out.end(rng.randint(1, 4))

    def place(self, size):
        self.at += size
        return self.at - size

    def fields(self, number):
        while number is not None:
            _, above, own = self.classes[number]
            yield from own
            number = above

    def size(self, number):
        header, _, reference = self.layout
        return -(-(header + sum(oracle.WIDTH.get(kind, reference) for _, kind in self.fields(number))) // 8) * 8

    def form(self):
        """An object: its size; its class, or None, the type of an array; elements."""
        pick = self.rng.choice(["instance"] * 6 + ["references", "primitives", "primitives"])
        if pick == "instance":
            number = self.rng.choice([1] * 8 + [3, 4, 5, 6, 8, 8, 8, 8, 9, 10, 10])
            return self.size(number), number, None
        if pick == "references":
            count = self.rng.randint(0, 9)
            return -(-(self.layout[1] + count * self.layout[2]) // 8) * 8, 11, count
        kind = self.rng.choice([5, 8, 8, 8, 10])
        unit = oracle.WIDTH[kind]
        elements = self.rng.choice([b"", bytes(8), b"tax free", b"tax free", b"tax free", b"caf\xc3\xa9 au",
                                    bytes(40000), bytes(39999) + b"x", b"x" + bytes(39999)])
        elements = elements[:len(elements) // unit * unit]
        return -(-(self.layout[1] + len(elements)) // 8) * 8, None, (kind, elements)

    def any(self):
        pick = self.rng.random()
        return 0 if pick < 0.3 else 0xffff if pick < 0.33 else self.rng.choice(self.objects)

    def array(self, kinds):
        """An object of a form, if there is one."""
        return self.rng.choice([key for key, (_, number, what) in zip(self.objects, self.forms)
                                if number is None and what[0] in kinds or number == 11 and 2 in kinds] or [0])

    def value_of(self, name, kind):
        rng = self.rng
        if kind != 2:
            small = {"coder": [0, 0, 1], "offset": [0, 0, 1], "count": [0, 3], "size": [0, 0, 2], "value": [0, 7, 7]}
            return rng.choice(small.get(name, [0, 1]))
        kinds = {"value": (5, 8), "elementData": (2,), "table": (2,), "a": (5, 8)}.get(name)
        return self.array(kinds) if kinds and rng.random() < 0.9 else self.any()

    def add(self, key, number, what):
        out = self.out
        if number == 11:
            share = self.rng.choice([0, 0.3, 1])
            out.references(key, self.keys[11], [self.any() if self.rng.random() < share else 0 for _ in range(what)])
        elif number is not None:
            out.instance(key, self.keys[number], b"".join(
                out.value(kind, self.value_of(name, kind)) for name, kind in self.fields(number)))
        else:
            kind, elements = what
            has_data = self.rng.random() < 0.95
            out.heap.append((b"\x23" if has_data else b"\xc3") + out.id(key) + hprof.word(0) + hprof.word(
                len(elements) // oracle.WIDTH[kind]) + bytes([kind]) + (elements if has_data else b""))


def check(claim, path, holders=True):
    """Compare an answer with the naive reading. Return both."""
    v8, answer = ".heapsnapshot" in str(path), claim.json("waste", path, "--limit", "0")
    known = waste_v8.Naive(path) if v8 else Naive(oracle.read(path))
    number = (lambda text: int(text, 10 if v8 else 16))
    total = answer.get("waste_totals", {})
    claim.claim(total.get("waste_bytes") == known.total, path, "total", total, known.total)
    rows = {row["kind"]: row for row in answer.get("waste", [])}
    claim.claim(sorted(rows) == sorted(KINDS), path, rows)
    for kind, row in rows.items():
        for name, of in (("bytes", known.bytes), ("objects", known.objects), ("of_objects", known.of),
                         ("of_bytes", known.of_bytes)):
            claim.claim(row.get(name) == (None if kind in known.lacks else of[kind]), path, kind, name, row, of[kind])
        claim.claim((row.get("unknown_objects") or 0) == known.unknown[kind], path, kind, row, known.unknown[kind])
    types = {(row["kind"], row["type"]): row["bytes"] for row in answer.get("waste_types", [])}
    claim.claim(types == dict(known.by_type), path, "by type", types, known.by_type)
    strings = {number(row["object"]): (row["objects"], row["bytes"]) for row in answer.get("equal_strings", [])}
    claim.claim(strings == known.strings, path, "strings", strings, known.strings)
    for row in answer.get("equal_strings", []) if holders else []:
        holder = row.get("holder_type"), row.get("held_objects")
        claim.claim(holder == known.most_held_by(number(row["object"])), path, row, holder)
    for row in answer.get("waste_types", []) if holders else []:
        expected = known.most_held([key for key, _ in known.wasted[row["kind"], row["type"]]])
        claim.claim((row.get("holder_type"), row.get("held_objects")) == expected, path, row, expected)
    return known, answer


def check_made_up(claim):
    for ending, make, kinds in ((".hprof", lambda seed: MadeUp(seed).data, KINDS),
                                (".heapsnapshot", lambda seed: waste_v8.made_up(seed).encode(), KINDS[:3])):
        wasted, unknown = collections.Counter(), collections.Counter()
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(DUMPS):
                path = pathlib.Path(folder) / f"{seed}{ending}"
                path.write_bytes(make(seed))
                known, answer = check(claim, path)
                wasted += known.objects
                unknown += known.unknown
                if seed % 10 == 0:
                    piped = claim.run("waste", "-", "--format", "json", "--quiet", "--limit", "0",
                                      input=path.read_bytes(), text=False)
                    claim.claim(json.loads(piped.stdout).get("equal_strings") == answer.get("equal_strings"), path, "pipe")
        claim.claim(all(wasted[kind] > DUMPS / 4 for kind in kinds), "every kind of waste was there", wasted)
        claim.claim(all(unknown[kind] for kind in KINDS[:3]) or ending == ".hprof", "what is unknown was there", unknown)


def check_texts(claim):
    """Texts of strings: Latin-1, UTF-16 of both orders, halves of pairs, control characters, long ones."""
    cases = [(8, 0, "caf\xe9".encode("latin-1"), "caf\xe9"),
             (8, 1, "\u4f60\U0001f600".encode("utf-16-le"), "\u4f60\U0001f600"),
             (5, 0, "\u4f60\U0001f600".encode("utf-16-be"), "\u4f60\U0001f600"), (5, 0, b"\xd8\x00\x00a", "\ufffda"),
             (5, 0, b"\xdc\x00\xd8\x00", "\ufffd\ufffd"), (8, 0, b"", ""), (8, 0, b"x" * 200, "x" * 80 + "...")]
    out = hprof.Writer()
    out.load(16, "java/lang/String")
    out.describe(16, 0, [("value", 2), ("coder", 8)])
    for number, (kind, coder, elements, _) in enumerate(cases):
        for twin in (0, 1):
            key = 0x1000 * (number + 1) + 0x800 * twin
            out.heap.append(b"\x23" + out.id(key) + hprof.word(0) + hprof.word(len(elements) // oracle.WIDTH[kind])
                            + bytes([kind]) + elements)
            out.instance(key + 0x400, 16, out.id(key) + bytes([coder]))
            out.root(0x05, key + 0x400)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "texts.hprof"
        path.write_bytes(out.end())
        rows = claim.json("waste", path).get("equal_strings", [])
        texts = {int(row["object"], 16): row.get("string") for row in rows}
        for number, (_, _, _, text) in enumerate(cases):
            claim.claim(texts.get(0x1000 * (number + 1) + 0x400) == f'"{text}"', number, texts, text)


def check_formats(claim):
    """Each output format keeps control characters, invisible ones and mark-up in texts from having an effect."""
    program = runs.Runs(claim.program, None)
    law = names.Law(program)
    texts = ["\x1b[31mred\x07\r\n\x85", names.MARKS[:8] + "\u202e\u200b", names.MARKUP[:60], names.MARKUP[60:]]
    out = hprof.Writer()
    out.load(16, "java/lang/String")
    out.describe(16, 0, [("value", 2)])
    for number, text in enumerate(texts * 2):
        key, elements = 0x1000 * (number + 1), text.encode("utf-16-be")
        out.heap.append(b"\x23" + out.id(key) + hprof.word(0) + hprof.word(len(elements) // 2) + b"\5" + elements)
        out.instance(key + 0x400, 16, out.id(key))
        out.root(0x05, key + 0x400)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "names.hprof"
        path.write_bytes(out.end())
        for format_ in names.FORMATS:
            law.hold(["waste", str(path), "--format", format_], texts[2])
    claim.claim(any(kind == "json" for _, kind in law.whole), "JSON has the text as it is", law.whole)
    claim.claim(not law.wrong, *law.wrong)
    program.close()


def claim_sums(claim, seed, path):
    """A damaged dump is refused, or its waste is the sum of the kinds and at most what is reachable."""
    done = claim.run("waste", path, "--format", "json", "--quiet", "--limit", "0")
    claim.claim(done.returncode in (0, 3), seed, done.returncode, done.stderr)
    answer = json.loads(done.stdout) if done.returncode == 0 and done.stdout else {}
    if answer.get("waste"):
        total, reachable = answer["waste_totals"]["waste_bytes"], answer["totals"]["reachable_bytes"]
        claim.claim(sum(row.get("bytes", 0) for row in answer["waste"]) == total <= reachable, seed, answer)


def check_odd(claim):
    """A dump that is cut says nothing about waste; damage does not crash; circles of classes and long arrays end."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "odd.hprof"
        data = MadeUp(3).data
        for end in sorted(random.Random(1).sample(range(31, len(data)), 25)):
            path.write_bytes(data[:end])
            done = claim.run("waste", path, "--format", "json", "--quiet")
            answer = json.loads(done.stdout) if done.stdout else {}
            claim.claim(answer.get("waste_totals", {}).get("waste_bytes") is None and not answer.get("waste"), end, answer)
        for seed in range(60):
            rng = random.Random(seed)
            damaged = bytearray(MadeUp(seed % 12).data)
            for _ in range(rng.choice([1, 1, 3, 20])):
                damaged[rng.randrange(19, len(damaged))] = rng.choice([0, 1, 0x20, 0x21, 0x7f, 0xff, rng.randrange(256)])
            path.write_bytes(damaged)
            claim_sums(claim, seed, path)
        out = hprof.Writer()
        count = 20000
        for name, key in (("java/lang/String", 1), ("java/util/HashMap", 2)):
            out.load(key, name)
        for at in range(1, count + 1):  # each class is derived from the next one, and the last from the first
            out.heap.append(b"\x20" + out.id(at) + hprof.word(0) + out.id(at % count + 1) + out.id(0) * 5 + hprof.word(0)
                            + hprof.half(0) * 2 + hprof.half(1) + out.text("size") + b"\x0a")
        out.heap += [b"\x21" + out.id(1 << 20 | at) + hprof.word(0) + out.id(at % 2 + 1) + hprof.word(4 * count)
                     + bytes(4 * count) for at in range(20)]
        out.heap.append(b"\x23" + out.id(1 << 30) + hprof.word(0) + hprof.word(0xffffffff) + b"\x0b")
        path.write_bytes(out.end())
        done = claim.run("waste", path, "--max-memory", "128M", "--format", "json", "--quiet", timeout=60)
        claim.claim(done.returncode in (0, 3) and json.loads(done.stdout).get("waste_totals"), done.stdout, done.stderr)


def check_odd_v8(claim):
    """A snapshot that is cut or damaged does not crash, and no sum is wrong; many forms and texts end."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "odd.heapsnapshot"
        for seed in range(80):
            rng, data = random.Random(seed), bytearray(waste_v8.made_up(seed % 12).encode())
            if seed % 2:
                data = data[:rng.randrange(len(data) // 2, len(data))]
            for _ in range(rng.choice([1, 3, 20]) if seed % 4 < 2 else 0):
                data[rng.randrange(len(data) // 4, len(data))] = rng.choice(b'0123456789,[]"\\')
            path.write_bytes(data)
            claim_sums(claim, seed, path)
        count = 50000  # each object has a form of its own, each string its text
        nodes = ["5,0,1,0,%d" % (2 * count)] + [f"{2 + at % 2},{at},{2 * at + 3},24,{1 + (at % 2)}" for at in range(2 * count)]
        edges = [f"1,0,{at * 5 + 5}" for at in range(2 * count)]
        edges += [f"2,{at},5,3,{at},5" if at % 2 else f"6,{at},5" for at in range(2 * count)]
        meta = {"node_fields": ["type", "name", "id", "self_size", "edge_count"], "node_types": [waste_v8.NODES, "string"],
                "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [waste_v8.EDGES, "node"]}
        path.write_text('{"snapshot":%s,"nodes":[%s],"edges":[%s],"strings":[%s]}' % (
            json.dumps({"meta": meta}), ",".join(nodes), ",".join(edges),
            ",".join(f'"{at}"' for at in range(2 * count))), encoding="utf-8")
        done = claim.run("waste", path, "--max-memory", "128M", "--format", "json", "--quiet", timeout=60)
        rows = {row["kind"]: row for row in json.loads(done.stdout or "{}").get("waste", [])}
        claim.claim(rows.get(KINDS[0], {}).get("of_objects") == count, done.stdout, done.stderr)


def check_others(claim):
    """Dumps without contents are refused, and say so."""
    samples = hprof.HERE.parent / "samples"
    done = claim.run("waste", samples / "shop-1.gclog", "--quiet")
    claim.claim(done.returncode == 2 and "without the contents of objects" in done.stderr, done.stderr)
    for number in (1, 2, 3):
        for ending in ("hprof", "heapsnapshot"):
            check(claim, samples / f"shop-{number}.{ending}", holders=False)


def check_corpus(claim):
    for number in (1, 3):
        check(claim, hprof.CORPUS / f"leak-{number}.hprof.gz", holders=False)
        path = hprof.CORPUS.parent / "node" / f"leak-{number}.heapsnapshot.xz"
        check(claim, path, holders=False)


def main():
    made = [check_made_up, check_texts, check_formats, check_odd, check_odd_v8, check_others]
    return claims.main_of_checks(__doc__, made, check_corpus, hprof.CORPUS)


if __name__ == "__main__":
    sys.exit(main())
