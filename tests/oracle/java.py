#!/usr/bin/env python3
"""A naive reading of Java heap dumps (hprof), to hold against the analyzer.

    java.py FILE...

Prints one JSON object a file: counts, and by type objects, bytes and what they retain together, which is found
by its definition: take them away, and see what the roots do not reach any more. All records are there, as the
file has them."""
import collections
import gzip
import json
import pathlib
import struct
import sys

WIDTH = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
NAMES = {4: "boolean", 5: "char", 6: "float", 7: "double", 8: "byte", 9: "short", 10: "int", 11: "long"}
DESCRIPTORS = {"Z": "boolean", "C": "char", "F": "float", "D": "double", "B": "byte", "S": "short", "I": "int",
               "J": "long"}
# Bytes of the header, of that of an array, and of a reference.
LAYOUTS = {8: [(16, 24, 8), (12, 16, 8), (12, 16, 4), (8, 12, 4)], 4: [(8, 12, 4)]}
WEAK = {f"java.lang.ref.{kind}Reference" for kind in ("Weak", "Soft", "Phantom")}
# Words of 4 bytes after the id of a root; of the first kind, an id.
ROOTS = {0x01: "i", 0x02: 2, 0x03: 2, 0x04: 1, 0x05: 0, 0x06: 1, 0x07: 0, 0x08: 2, 0x89: 0, 0x8a: 0, 0x8b: 0,
         0x8c: 0, 0x8d: 0, 0x8e: 2, 0x90: 0, 0xff: 0}
UNREACHABLE = 0x90


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def number(self, width):
        self.at += width
        return int.from_bytes(self.data[self.at - width:self.at], "big")


def readable(name):
    """The name of a class as in the language."""
    depth = len(name) - len(name.lstrip("["))
    base = name[depth:]
    if depth and base.startswith("L") and base.endswith(";"):
        base = base[1:-1]
    elif depth:
        base = DESCRIPTORS.get(base, base)
    text = ""
    for at, letter in enumerate(base):
        digit = base[at + 1:at + 2].isdigit()
        text += "." if letter == "/" and not digit else "/" if letter == "+" and digit else letter
    return text + "[]" * depth


class Dump:
    def __init__(self, data):
        end = data.index(b"\0")
        self.version = data[:end].decode().split()[-1]
        head = Reader(data, end + 1)
        self.id = head.number(4)
        self.stamp = head.number(8)
        self.texts, self.names, self.classes, self.objects, self.roots = {}, {}, {}, {}, []
        self.elements = {}  # bytes of arrays of primitives
        heap = b""
        while head.at < len(data):
            tag, _, length = head.number(1), head.number(4), head.number(4)
            body = Reader(data, head.at)
            head.at += length
            if tag == 0x01:
                key = body.number(self.id)
                self.texts[key] = data[body.at:head.at].decode("utf-8", "replace")
            elif tag == 0x02:
                body.number(4)
                key = body.number(self.id)
                body.number(4)
                self.names[key] = body.number(self.id)
            elif tag in (0x0c, 0x1c):
                heap += data[body.at:head.at]
        self.read_heap(Reader(heap))
        self.resolve()

    def read_heap(self, heap):
        while heap.at < len(heap.data):
            tag = heap.number(1)
            if tag in ROOTS:
                self.roots.append((tag, heap.number(self.id)))
                heap.number(self.id if ROOTS[tag] == "i" else 4 * ROOTS[tag])
                continue
            if tag == 0xfe:
                heap.number(4 + self.id)
                continue
            key = heap.number(self.id)
            heap.number(4)
            if tag == 0x20:
                self.read_class(heap, key)
            elif tag == 0x21:
                kind, length = heap.number(self.id), heap.number(4)
                self.objects[key] = ("instance", kind, heap.data[heap.at:heap.at + length])
                heap.at += length
            elif tag == 0x22:
                count, kind = heap.number(4), heap.number(self.id)
                self.objects[key] = ("references", kind, [heap.number(self.id) for _ in range(count)])
            else:
                count, kind = heap.number(4), heap.number(1)
                self.objects[key] = ("primitives", kind, count)
                if tag == 0x23:
                    self.elements[key] = heap.data[heap.at:heap.at + count * WIDTH[kind]]
                    heap.at += count * WIDTH[kind]

    def value(self, heap):
        kind = heap.number(1)
        return kind, heap.number(WIDTH.get(kind, self.id))

    def read_class(self, heap, key):
        references = [heap.number(self.id) for _ in range(6)]
        size = heap.number(4)
        constants, statics, fields = [], [], []
        for _ in range(heap.number(2)):
            heap.number(2)
            constants.append(self.value(heap))
        for _ in range(heap.number(2)):
            name = heap.number(self.id)
            statics.append((name, *self.value(heap)))
        for _ in range(heap.number(2)):
            fields.append((heap.number(self.id), heap.number(1)))
        self.classes[key] = {"super": references[0], "references": references, "constants": constants,
                             "statics": statics, "fields": fields, "size": size}
        self.objects[key] = ("class", None, None)

    def name(self, key):
        return readable(self.texts.get(self.names.get(key), f"<class {key:x}>"))

    def chain(self, key):
        while key in self.classes:
            yield key, self.classes[key]
            key = self.classes[key]["super"]

    def resolve(self):
        self.class_class = next((key for key in self.classes if self.name(key) == "java.lang.Class"), 0)
        self.targets, self.left_out = {}, 0
        for key, (form, kind, value) in self.objects.items():
            if form == "instance":
                found = list(self.fields(kind, value))
            elif form == "references":
                found = value
            elif form == "class":
                facts = self.classes[key]
                found = facts["references"] + [to for type_, to in facts["constants"] if type_ == 2] + [
                    to for _, type_, to in facts["statics"] if type_ == 2]
            else:
                found = []
            self.targets[key] = [to for to in found if to]
        self.starts = [to for tag, to in self.roots if tag != UNREACHABLE] + [
            to for facts in self.classes.values() for _, type_, to in facts["statics"] if type_ == 2 and to]

    def fields(self, kind, value):
        return (to for _, to in self.named_fields(kind, value))

    def named_fields(self, kind, value):
        weak = any(self.name(key) in WEAK for key, _ in self.chain(kind))
        body = Reader(value)
        for key, facts in self.chain(kind):
            for name, type_ in facts["fields"]:
                to = body.number(WIDTH.get(type_, self.id))
                if type_ != 2:
                    continue
                if weak and self.name(key) == "java.lang.ref.Reference" and self.texts.get(name) == "referent":
                    self.left_out += to != 0
                else:
                    yield name, to

    def name_of(self, key, to):
        """Return the name of the first reference from an object to another."""
        form, kind, value = self.objects[key]
        if form == "references":
            return f"[{value.index(to)}]"
        facts = self.classes.get(key)
        if form == "class":
            names = [(f".{self.texts[name]}", target) for name, type_, target in facts["statics"] if type_ == 2]
            names += zip(["{superclass}", "{class loader}", "{signers}", "{protection domain}"], facts["references"])
            names += [("{constant}", target) for type_, target in facts["constants"] if type_ == 2]
        else:
            names = [(f".{self.texts[name]}", target) for name, target in self.named_fields(kind, value)]
        return next(name for name, target in names if target == to)

    def type_of(self, key):
        form, kind, _ = self.objects[key]
        if form == "primitives":
            return NAMES[kind] + "[]"
        return self.name(self.class_class) if form == "class" else self.name(kind)

    def least(self, key, layout):
        """The size of an object without the fields that a dump does not list."""
        header, array, reference = layout
        form, kind, value = self.objects[key]
        if form in ("references", "primitives"):
            size = array + (len(value) * reference if form == "references" else value * WIDTH[kind])
        else:
            kind = self.class_class if form == "class" else kind
            own = [type_ for _, facts in self.chain(kind) for _, type_ in facts["fields"]]
            size = header + sum(WIDTH.get(type_, reference) for type_ in own)
            if self.version == "1.0.3":
                size = self.classes[kind]["size"] if kind in self.classes else 0
            if form == "class":
                size += sum(WIDTH.get(type_, reference) for _, type_, _ in self.classes[key]["statics"])
        return -(-size // 8) * 8

    def sizes(self):
        order = sorted(self.objects)
        gaps = {at: after - at for at, after in zip(order, order[1:])}
        chosen = None
        for layout in LAYOUTS[self.id] if self.version != "1.0.3" else []:
            sizes = {key: self.least(key, layout) for key in order}
            wrong = sum(sizes[key] > gap for key, gap in gaps.items())
            if wrong <= len(order) // 1000:
                chosen = layout
                break
        if not chosen:
            layout = LAYOUTS[self.id][2 if self.id == 8 else 0]
            self.reference = layout[2]
            return {key: self.least(key, layout) for key in order}
        self.reference = chosen[2]
        arrays = [key for key in gaps if self.objects[key][0] in ("references", "primitives")]
        if not arrays or sum(gaps[key] == sizes[key] for key in arrays) * 10 < len(arrays) * 9:
            return sizes
        smallest = {}
        for key, gap in gaps.items():
            form, kind, _ = self.objects[key]
            if form == "instance":
                smallest[kind] = min(gap, smallest.get(kind, gap))
        for key in order:
            form, kind, _ = self.objects[key]
            gap = smallest.get(kind, 0) if form == "instance" else gaps.get(key, 0) if form == "class" else 0
            if sizes[key] < gap <= sizes[key] + 512:
                sizes[key] = gap // 8 * 8
        return sizes

    def reached(self, without=frozenset()):
        seen = {key for key in self.starts if key in self.objects and key not in without}
        left = list(seen)
        while left:
            for to in self.targets[left.pop()]:
                if to in self.objects and to not in seen and to not in without:
                    seen.add(to)
                    left.append(to)
        return seen

    def figures(self, retained=None):
        """Counts; of the types in `retained` (None: all) also what they retain together."""
        sizes, alive = self.sizes(), self.reached()
        by_type, types = collections.defaultdict(list), {}
        for key in self.objects:
            by_type[self.type_of(key)].append(key)
        total = sum(sizes[key] for key in alive)
        for name, which in by_type.items():
            types[name] = {"objects": len(which), "bytes": sum(sizes[key] for key in which)}
            if retained is None or name in retained:
                types[name]["retained"] = total - sum(sizes[key] for key in self.reached(frozenset(which)))
        forms = collections.Counter(form for form, _, _ in self.objects.values())
        return {"objects": len(self.objects), "classes": forms["class"], "bytes": sum(sizes.values()),
                "reachable": total, "left_out": self.left_out,
                "references": sum(map(len, self.targets.values())) + self.left_out,
                "dangling": sum(to not in self.objects for to_ in self.targets.values() for to in to_),
                "types": types}


def read(path):
    data = pathlib.Path(path).read_bytes()
    return Dump(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


if __name__ == "__main__":
    for given in sys.argv[1:]:
        print(json.dumps(read(given).figures([]), indent=1))
