#!/usr/bin/env python3
"""Java heap dumps: answers agree with a naive reading (oracle/java.py), of dumps that are made up and, with
--corpus, of those of a program that leaks, whose sizes `jmap -histo` knows; dumps that are cut or damaged."""
import gzip
import json
import pathlib
import random
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "oracle"))
import claims  # noqa: E402
import held  # noqa: E402
import java as oracle  # noqa: E402

CORPUS = HERE.parent.parent / "shared" / "corpus" / "living" / "java"
ROUNDS = [(400, 36732), (800, 43478), (1200, 50279)]  # sessions; instances and arrays
CLASSES = 1571
# Objects a session, and bytes each.
LEAKED = {"Leak$Session": (1, 24), "Leak$CartLine": (6, 24), "Leak$CartLine[]": (1, 40)}
DUMPS = 40
WIDTH = oracle.WIDTH


class Writer:
    """Records of a dump."""

    def __init__(self, version="1.0.2", width=8, stamp=1_700_000_000_000):
        self.width, self.heap, self.texts = width, [], {}
        self.data = f"JAVA PROFILE {version}".encode() + b"\0" + width.to_bytes(4, "big") + stamp.to_bytes(8, "big")

    def id(self, number):
        return number.to_bytes(self.width, "big")

    def record(self, tag, *parts):
        body = b"".join(parts)
        self.data += bytes([tag]) + bytes(4) + len(body).to_bytes(4, "big") + body

    def text(self, text):
        if text not in self.texts:
            self.texts[text] = 0x70000 + len(self.texts) * 8
            self.record(1, self.id(self.texts[text]), text.encode())
        return self.id(self.texts[text])

    def load(self, key, name, serial=1):
        text = self.text(name)
        self.record(2, word(serial), self.id(key), word(0), text)

    def describe(self, key, above=0, fields=(), statics=(), constants=(), loader=0, size=0):
        """Add a class; fields are (name, type), statics (name, type, value), constants (type, value)."""
        out = [b"\x20", self.id(key), word(0), self.id(above), self.id(loader), self.id(0) * 4, word(size),
               half(len(constants))]
        out += [half(at) + bytes([kind]) + self.value(kind, value) for at, (kind, value) in enumerate(constants)]
        out += [half(len(statics))]
        out += [self.text(name) + bytes([kind]) + self.value(kind, value) for name, kind, value in statics]
        out += [half(len(fields))] + [self.text(name) + bytes([kind]) for name, kind in fields]
        self.heap.append(b"".join(out))

    def value(self, kind, value):
        return value.to_bytes(WIDTH.get(kind, self.width), "big")

    def instance(self, key, class_, values=b""):
        self.heap.append(b"\x21" + self.id(key) + word(0) + self.id(class_) + word(len(values)) + values)

    def references(self, key, class_, elements):
        self.heap.append(b"\x22" + self.id(key) + word(0) + word(len(elements)) + self.id(class_)
                         + b"".join(map(self.id, elements)))

    def primitives(self, key, kind, count, has_data=True):
        self.heap.append((b"\x23" if has_data else b"\xc3") + self.id(key) + word(0) + word(count) + bytes([kind])
                         + bytes(count * WIDTH[kind] if has_data else 0))

    def root(self, tag, key, *words):
        extra = self.id(7) if tag == 1 else b"".join(map(word, words or (1,) * (oracle.ROOTS[tag] or 0)))
        self.heap.append(bytes([tag]) + self.id(key) + extra)

    def end(self, segments=1):
        """Write the heap in so many segments; 0: as one heap dump."""
        if not segments:
            self.record(0x0c, *self.heap)
            return self.data
        step = -(-len(self.heap) // segments)
        for at in range(0, len(self.heap), step):
            self.record(0x1c, *self.heap[at:at + step])
        self.record(0x2c)
        return self.data


def word(number):
    return number.to_bytes(4, "big")


def half(number):
    return number.to_bytes(2, "big")


class MadeUp:
    """A dump with every kind of record, of objects that refer to each other at random."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        version = rng.choice(["1.0.1", "1.0.2", "1.0.2", "1.0.3"])
        self.width = 4 if version == "1.0.3" else rng.choice([4, 8, 8])
        self.layout = rng.choice(oracle.LAYOUTS[self.width])
        self.addressed = rng.random() < 0.8  # ids are addresses
        self.out, self.at = Writer(version, self.width), 0x10000
        slash = "." if version == "1.0.3" and rng.random() < 0.5 else "/"
        names = ["java/lang/Object", "java/lang/Class", "java/lang/ref/Reference", "java/lang/ref/WeakReference",
                 "Cache$Entry", "shop/Cart\u00e4", "[Lshop/Cart;", "[[B", "Leak$$Lambda$63+0x800000064", "a/B$1"]
        names = [name.replace("/", slash) if "+" not in name else name for name in names]
        self.gap = rng.choice([0, 0, 0.02, 0.5])  # share of objects with space after them
        self.hidden = [rng.choice([0, 0, 8, 256]) for _ in names]  # bytes of an instance that no dump lists
        parents = [0, 0, 0, 2, 3, 0, 0, 0, 0, 5]
        own = [[("referent", 2), ("queue", 2)] if number == 2 else self.fields() for number in range(len(names))]
        self.classes = []  # fields of a class and its superclasses
        for number, fields in enumerate(own):
            self.classes.append(fields + (self.classes[parents[number]] if number else []))
        statics = [self.fields() for _ in names]
        self.keys = [self.place(self.size(self.classes[1] + fields) + 96) for fields in statics]
        self.forms = [self.form() for _ in range(rng.randint(1, 60))]
        self.objects = [self.place(size) for _, _, _, size in self.forms]
        heap = []
        for number, (key, name) in enumerate(zip(self.keys, names)):
            if rng.random() < 0.95:
                self.out.load(key, name, number + 1)
            heap.append(lambda key=key, number=number: self.out.describe(
                key, self.keys[parents[number]] if number else 0, own[number],
                [(name, kind, self.any() if kind == 2 else 7) for name, kind in statics[number]],
                self.constants(), self.any(), self.layout[0] + 8 * len(own[number])))
        heap += [lambda key=key, form=form: self.add_object(key, *form) for key, form in zip(self.objects, self.forms)]
        heap += [self.add_root for _ in range(rng.randint(0, 12))]
        if rng.random() < 0.4:
            rng.shuffle(heap)  # objects before their classes
        for write in heap:
            write()
        if version == "1.0.3":
            self.out.heap.insert(0, b"\xfe" + word(1) + self.out.text("app"))
        self.data = self.out.end(0 if version == "1.0.1" else rng.randint(1, 4))

    def place(self, size):
        """Choose the address of an object."""
        key = self.at
        space = self.rng.choice([8, 40, 1000]) if self.rng.random() < self.gap else 0
        self.at += size + space if self.addressed else self.rng.choice([1, 3])
        return key

    def size(self, fields):
        """The bytes of an instance."""
        header, _, reference = self.layout
        return -(-(header + sum(WIDTH.get(kind, reference) for _, kind in fields)) // 8) * 8

    def form(self):
        """An object: its form, class or type, number of elements, bytes."""
        form = self.rng.choice(["instance"] * 3 + ["references", "primitives"])
        if form == "instance":
            number = self.rng.randrange(len(self.classes))
            return form, number, 0, self.size(self.classes[number]) + self.hidden[number]
        kind = 2 if form == "references" else self.rng.choice(list(WIDTH))
        width = WIDTH.get(kind, self.layout[2])
        count = self.rng.randint(0, 96 // width)
        return form, kind, count, -(-(self.layout[1] + count * width) // 8) * 8

    def any(self):
        """The id of an object, of none, or of one that is not there."""
        pick = self.rng.random()
        return 0 if pick < 0.2 else 0xffff if pick < 0.23 else self.rng.choice(self.objects + self.keys)

    def fields(self):
        return [(f"f{at}", self.rng.choice([2, 2, 4, 5, 6, 7, 8, 9, 10, 11])) for at in range(self.rng.randint(0, 4))]

    def constants(self):
        return [(kind, self.any() if kind == 2 else 7) for _, kind in self.fields()[:1]]

    def add_object(self, key, form, kind, count, _):
        if form == "instance":
            self.out.instance(key, self.keys[kind], b"".join(
                self.out.value(type_, self.any() if type_ == 2 else 1) for _, type_ in self.classes[kind]))
        elif form == "references":
            self.out.references(key, self.keys[6], [self.any() for _ in range(count)])
        else:
            self.out.primitives(key, kind, count, self.width == 8 or self.rng.random() < 0.5)

    def add_root(self):
        self.out.root(self.rng.choice(list(oracle.ROOTS)), self.any() or self.keys[0])


def check(claim, path, retained=None):
    """Compare the answers about a dump with the naive reading. Return that."""
    known = oracle.read(path).figures(retained)
    info = claim.json("info", path)
    totals = info.get("totals", {})
    for name, of in (("live_objects", "objects"), ("live_bytes", "bytes"), ("references", "references"),
                     ("reachable_bytes", "reachable"), ("dangling_references", "dangling")):
        claim.claim(totals.get(name) == known[of], path, name, totals, known[of])
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
    """Compare the names on paths, and those of an object's references, with those in the dump."""
    known, named = oracle.read(path), 0
    for key in ids:
        steps = claim.json("path", key, path).get("path", [])
        pairs = [(above["object"], row["object"], row) for above, row in zip(steps, steps[1:])]
        answer = claim.json("object", key, path, "--limit", "0")
        pairs += [(row["object"], key, row) for row in answer.get("referrers", [])]
        pairs += [(key, row["object"], row) for row in answer.get("references", [])]
        for above, below, row in pairs:
            name = known.name_of(int(above, 16), int(below, 16))
            claim.claim(row.get("via") == name, path, key, row, name)
            named += 1
    return named


def check_made_up(claim):
    named = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(DUMPS):
            path = pathlib.Path(folder) / f"{seed}.hprof"
            path.write_bytes(MadeUp(seed).data)
            check(claim, path)
            piped = claim.run("info", "-", "--format", "json", "--quiet", input=path.read_bytes(), text=False)
            known = claim.json("info", path)
            claim.claim(json.loads(piped.stdout).get("totals") == known.get("totals"), path, "from a pipe")
            rows = claim.json("retained", path).get("retained", [])
            named += check_names(claim, path, [row["object"] for row in rows[-3:]])
            named += held.check(claim, path, 8) if seed % 4 == 0 else 0
            held.check_alike(claim, path)
    claim.claim(named > DUMPS, "names of references were checked", named)


def check_cut(claim):
    """A dump that is cut anywhere is refused, or said to be cut, and no limit judges it."""
    data = MadeUp(3).data
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path, whole = pathlib.Path(folder) / "cut.hprof", pathlib.Path(folder) / "whole.hprof"
        whole.write_bytes(data)
        for end in sorted(rng.sample(range(31, len(data)), 40)):
            path.write_bytes(data[:end])
            done = claim.run("growth", whole, path, "--max-live", "1G")
            claim.claim(done.returncode == 3, end, done.returncode, done.stderr)
            claim.claim("truncated" in done.stderr or "write the dump again" in done.stderr, end, done.stderr)
        packed = gzip.compress(data)
        path.write_bytes(packed[:len(packed) // 2])
        done = claim.run("growth", whole, path, "--max-live", "1G")
        claim.claim(done.returncode == 3 and "error" in done.stderr, "half of a packed dump", done.stderr)


def check_damaged(claim):
    """Bytes that are changed at random: no crash, and the sums of the answer agree with each other."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "damaged.hprof"
        for seed in range(80):
            rng = random.Random(seed)
            data = bytearray(MadeUp(seed % 12).data)
            for _ in range(rng.choice([1, 1, 3, 20])):
                data[rng.randrange(19, len(data))] = rng.choice([0, 1, 0x20, 0x21, 0x7f, 0xff, rng.randrange(256)])
            path.write_bytes(data)
            done = claim.run("top", path, "--by", "type", "--limit", "0", "--format", "json", "--quiet")
            claim.claim(done.returncode in (0, 3), seed, done.returncode, done.stderr)
            if done.returncode == 0 and done.stdout:
                rows = json.loads(done.stdout).get("top", [])
                live = claim.json("info", path).get("totals", {}).get("live_bytes")
                claim.claim(sum(row["bytes"] for row in rows) == live, seed, live)


def check_hostile(claim):
    """Chains and circles of classes, and arrays that state more than there is, take no time and no memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "hostile.hprof"
        for circle in (False, True):
            out = Writer()
            count = 50000
            for at in range(1, count + 1):
                out.heap.append(b"\x20" + out.id(at) + word(0) + out.id(at + 1 if at < count else int(circle))
                                + out.id(0) * 5 + word(0) + half(0) * 3)
            out.heap += [b"\x21" + out.id(1 << 20 | at) + word(0) + out.id(1) + word(0) for at in range(count)]
            path.write_bytes(out.end())
            done = claim.run("info", path, "--max-memory", "256M", "--format", "json", timeout=60)
            claim.claim(json.loads(done.stdout)["totals"]["live_objects"] == 2 * count, done.stdout, done.stderr)
        out = Writer()
        out.primitives(8, 8, 3)
        out.heap.append(b"\x23" + out.id(16) + word(0) + word(0xffffffff) + b"\x0b")
        path.write_bytes(out.end())
        done = claim.run("info", path, "--max-memory", "64M", "--format", "json", timeout=60)
        claim.claim(json.loads(done.stdout)["totals"]["live_objects"] == 1 and "malformed" in done.stderr, done.stderr)


def histogram():
    """The objects and bytes of each class by jmap."""
    found = {}
    for line in (CORPUS / "jmap-histo-3.txt").read_text(encoding="utf-8").splitlines():
        row = re.match(r"\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)", line)
        if row:
            name = row[3] if "/" in row[3] else row[3].replace(".", "/")
            found[oracle.readable(name)] = int(row[1]), int(row[2])
    return found


def check_corpus(claim):
    paths = [CORPUS / f"leak-{number}.hprof.gz" for number in (1, 2, 3)]
    for path, (sessions, objects) in zip(paths, ROUNDS):
        known = check(claim, path, {"Leak$Session", "Leak$CartLine", "java.util.ArrayList", "java.lang.Class"})
        types = known["types"]
        claim.claim(known["objects"] - known["classes"] == objects and known["classes"] == CLASSES, path, known)
        for name, (each, size) in LEAKED.items():
            claim.claim((types[name]["objects"], types[name]["bytes"]) ==
                        (sessions * each, sessions * each * size), path, name, types[name])
        claim.claim((types["Leak$Price"]["objects"], types["Leak$Price"]["bytes"]) == (300, 7200), path)
        claim.claim("Leak$Temp" not in types, path)
    # jmap ran a little later: classes that did not change have the same sizes, and each instance of the others.
    by_jmap, same = histogram(), 0
    for name, (count, size) in by_jmap.items():
        row = types.get(name)
        if row and not name.endswith("]"):
            claim.claim(row["bytes"] * count == size * row["objects"], "jmap", name, row, count, size)
        same += row is not None and (row["objects"], row["bytes"]) == (count, size)
    claim.claim(same > 0.9 * len(by_jmap), "classes that jmap counts alike", same, len(by_jmap))
    first = claim.run("analyze", *paths, "--quiet").stdout.splitlines()[2]
    rows = claim.json("path", "--type", "Leak$Session", paths[2]).get("paths", [])
    claim.claim(check_names(claim, paths[2], [rows[0]["object"]]) > 3, paths[2], "names of references", rows)
    claim.claim(held.check(claim, paths[2], 20) > 10, paths[2], "names of holders")
    claim.claim(held.check_diff(claim, paths[0], paths[2], "java.lang.Object[] in .elementData of java.util.ArrayList in "
                                "static field LIST of Leak$Listeners holds 800 more Leak$$Lambda") > 20, "names in a diff")
    claim.claim(re.search(r" in \.elementData of java\.util\.ArrayList \S+ in static field LIST of Leak\$Listeners "
                          r"grew by 400 Leak\$\$Lambda\S+ objects at each dump", first), first)


def main():
    return claims.main_of_checks(__doc__, [check_made_up, check_cut, check_damaged, check_hostile], check_corpus, CORPUS)


if __name__ == "__main__":
    sys.exit(main())
