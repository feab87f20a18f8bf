#!/usr/bin/env python3
"""Objects that logs of OpenEdge agents and clients create and delete, by the rules of the vendor's class
OpenEdge.Core.Util.LeakCheck: which entries count, how objects are identified, and what leaks.

usage: dynobjects.py FILE... Prints JSON: created, deleted and older objects, and the remaining ones by type,
name and place."""
import collections
import gzip
import json
import pathlib
import re
import sys

HEAD = re.compile(
    r"(?:\[\d\d/\d\d/\d\d@\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}\]|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}) +"
    r"(?:P-)?(?P<process>\d+) +(?:T-)?\d+ +\d +(?P<system>\S+) +(?:(?!DYNOBJECTS )(?P<request>\S+) +)?DYNOBJECTS +"
    r"(?P<text>.*)")
MEMORY = re.compile(r"(?P<action>Allocated|Deallocated) +(?:LONGCHAR/MEMPTR|LONGCHAR|MEMPTR) +0x(?P<id>[0-9A-Fa-f]+) "
                    r"+size: +(?P<bytes>\d+)(?: +\((?P<place>[^)]*)\))?")
OBJECT = re.compile(r"(?P<action>Created|Deleted|Deleted-by-GC|Cached|Purged) +(?P<type>\.NET Object|\S+) +Handle:"
                    r"(?P<id>\d+)(?: +\((?P<place>[^)]*)\)(?P<rest>.*))?")


def place_of(text):
    """Convert "NAME UNIT @ LINE" to "NAME UNIT:LINE"; earlier releases write "Line" instead of the sign."""
    found = re.fullmatch(r"(.*?) *(?:@|Line) +(\d+)", text.strip())
    return f"{found[1].strip()}:{int(found[2])}" if found[1].strip() else "(session)"


class Objects:
    def __init__(self):
        self.alive = {}
        self.created = self.deleted = self.older = self.requests = 0

    def entry(self, head):
        session = (head["process"].lstrip("0"), head["system"] if head["system"].startswith("AS-") else "")
        text = head["text"]
        memory = MEMORY.match(text)
        if memory:
            self.change((session, "MEMPTR", int(memory["id"], 16)), memory["action"] == "Allocated",
                        ("MEMPTR", None, memory["place"], int(memory["bytes"])), False)
            return
        found = OBJECT.match(text)
        if not found or found["type"] == "MEMPTR":
            return
        kind, rest = found["type"], found["rest"] or ""
        if kind == "BUFFER" and " IMPLICIT" in rest:
            return
        if kind == "PROCEDURE" and found["action"] == "Created" and found["place"].strip() == "@ 0":
            return
        name = None
        if kind in ("PROCEDURE", "Progress.Lang.Object", ".NET Object"):
            name = rest.split("Pool:")[0].strip() or None
        elif re.search(r"(?:Table|Name): *(\S+)", rest.split("Pool:")[0]):
            name = re.search(r"(?:Table|Name): *(\S+)", rest.split("Pool:")[0])[1]
        quiet = found["action"] in ("Cached", "Purged")
        self.change((session, kind, int(found["id"])), found["action"] == "Created",
                    (kind, name, found["place"], 0), quiet)

    def change(self, key, born, what, quiet):
        before = self.alive.pop(key, None)
        if born:
            self.created += 1
            self.alive[key] = what
        self.deleted += before is not None
        self.older += not born and not quiet and before is None

    def read(self, data):
        lines = data.split(b"\n")
        for line in lines[:-1]:  # a last line without a line end is truncated
            found = HEAD.match(line.decode("latin-1").rstrip("\r"))
            if found:
                self.entry(found)

    def report(self):
        left = collections.Counter(), collections.Counter()
        for kind, name, place, size in self.alive.values():
            left[0][kind, place_of(place)] += 1
            left[1][kind, place_of(place)] += size
        return {"created": self.created, "deleted": self.deleted, "older": self.older,
                "left": sorted([*key, count, left[1][key]] for key, count in left[0].items())}


def report(*files):
    """Return the result of all logs together, in the order of their first entries."""
    objects = Objects()
    for data in sorted((gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data for data in files),
                       key=lambda data: data[1:28]):
        objects.read(data)
    return objects.report()


if __name__ == "__main__":
    print(json.dumps(report(*(pathlib.Path(name).read_bytes() for name in sys.argv[1:])), indent=2))
