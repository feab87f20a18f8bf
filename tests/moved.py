"""Recordings of the same run with changed sources: lines are inserted, and ids are different."""
import random
import re
import sqlite3

import oemp

FIELD = re.compile(r'"(?:[^"]|"")*"|\S+')
INSERTED = 40


class Numbers:
    """Replace ids by other unique ids; 0 stays."""

    def __init__(self, seed):
        self.chance, self.new, self.used = random.Random(seed), {"0": "0"}, set()

    def of(self, id_):
        if id_ not in self.new:
            number = self.chance.randrange(1, 1 << 30)
            while number in self.used:
                number = self.chance.randrange(1, 1 << 30)
            self.used.add(number)
            self.new[id_] = str(number)
        return self.new[id_]


def below(line, moves=True):
    """Return a line after the inserted ones. 0 and negative numbers are not lines of a source, and stay."""
    return str(int(line) + INSERTED) if moves and line != "?" and int(line) > 0 else line


class Recording:
    """A changed .oemp. Lines are inserted in `source` (None: in each source), the object `twin` is duplicated
    (None: none), and each object is larger by a number of bytes."""

    # Columns of each section that contain ids, and the kind of the ids.
    IDS = {"types": {1: "type"}, "builtins": {1: "builtin"}, "sources": {0: "source"},
           "names": {0: "name"}, "nodes": {0: "node", 1: "source", 2: "node"},
           "objects": {0: "object", 1: "type", 6: "node", 8: "source", 10: "object", 12: "name",
                       14: "builtin"},
           "changed": {0: "object", 1: "type"}, "deleted": {0: "object"}}

    def __init__(self, text, seed=0, source=None, twin=None, larger=0):
        self.text, self.source, self.twin, self.larger = text, source, twin, larger
        self.numbers = {what: Numbers(f"{seed} {what}") for what in
                        ("type", "builtin", "source", "name", "node", "object")}
        self.names, self.source_of = {}, {}

    def rows(self):
        """Return (section, fields) of each line. The section is None for a dot and for a header."""
        section, version = 0, 0
        for line in self.text.splitlines():
            fields = FIELD.findall(line)
            if oemp.HEADER_ROW.match(line.encode()):
                section, version = 0, int(fields[0])
                yield None, fields
            elif line.strip() == ".":
                section += 1
                yield None, fields
            else:
                yield oemp.SECTIONS[version][section], fields

    def learn(self):
        """rows of version 1 come before the names and nodes to which they refer"""
        for section, fields in self.rows():
            if section == "sources":
                self.names[fields[0]] = fields[1]
            elif section == "nodes":
                self.source_of[fields[0]] = fields[1]

    def moves(self, node):
        """Return true if lines were inserted before the code that this node calls or creates."""
        return self.source is None or self.names.get(self.source_of.get(node)) == self.source

    def again(self):
        self.learn()
        lines = []
        for section, fields in self.rows():
            is_twin = section == "objects" and self.twin is not None and fields[0] == str(self.twin)
            lines.append(" ".join(self.row(section, list(fields))))
            if is_twin:  # the first row of an object creates it
                lines.append(" ".join(self.row(section, ["the twin", *fields[1:]])))
                self.twin = None
        return "\n".join(lines) + "\n"

    def row(self, section, fields):
        if section == "objects":
            fields[7] = below(fields[7], self.moves(fields[6]))
        elif section == "nodes":
            fields[3] = below(fields[3], self.moves(fields[2]))
        elif section == "sources":
            fields[2] = below(fields[2], self.source is None)
        if section in ("objects", "changed"):
            fields[2] = str(int(fields[2]) + self.larger)
        for column, what in self.IDS.get(section, {}).items():
            fields[column] = self.numbers[what].of(fields[column])
        return fields


class Edited(Recording):
    """An .oemp of an edited program. All lines after a line of a source have moved up or down, some creations
    are on other lines, and a caller was renamed."""

    def __init__(self, text, seed):
        super().__init__(text, seed, source="no source")
        self.chance, self.lines = random.Random(f"edited {seed}"), {}
        self.behind, self.by = self.chance.randrange(9), self.chance.choice([1, 2, 3, -1])
        self.others = self.chance.choice([0, 0, 0.2, 0.6])
        self.renames = not self.chance.randrange(3)

    def line(self, line):
        if line not in self.lines:
            new = line + self.by if line > self.behind else line
            self.lines[line] = (self.chance.randrange(1, 9) if self.chance.random() < self.others
                                else max(new, 1))
        return self.lines[line]

    def row(self, section, fields):
        column = {"objects": 7, "nodes": 3}.get(section)
        if column and fields[column].isdigit() and int(fields[column]):
            fields[column] = str(self.line(int(fields[column])))
        if section == "sources" and self.renames:
            fields[1] = fields[1].replace("Caller", "Agent")
        return super().row(section, fields)


class Profile:
    """A changed .prf. Lines are inserted in `program` (None: in each program)."""

    BASE = ["header", "modules", "calls", "lines", "trace", "coverage"]

    def __init__(self, text, seed=0, program=None):
        self.text, self.program, self.modules = text, program, Numbers(seed)
        self.program_of = {}

    def again(self):
        lines, result = self.text.splitlines(), []
        version = int(lines[0].split()[0])
        names = self.BASE + (["statistics"] * 4 if version in (2, 4) else [])
        names += (["nodes"] if version >= 3 else []) + ["user"]
        for line in lines:  # modules come first
            fields = FIELD.findall(line)
            if line == "." and self.program_of:
                break
            if len(fields) >= 4 and line != lines[0]:
                self.program_of[fields[0]] = fields[1].strip('"').split(" ")[-1]
        section, inner = 0, False
        for line in lines:
            if line.strip() == ".":
                if inner:
                    inner = False
                else:
                    section += 1
                result.append(line)
                continue
            fields = FIELD.findall(line)
            name = names[section]
            if name == "coverage" and not inner:
                inner = True
                fields[0] = self.modules.of(fields[0])
                result.append(" ".join(fields))
            elif name == "coverage":
                result.append(below(line.strip()))
            elif name in ("modules", "calls", "lines", "trace", "nodes"):
                result.append(" ".join(self.row(name, fields)))
            else:
                result.append(line)
        return "\n".join(result) + "\n"

    def moves(self, module):
        return self.program is None or self.program_of.get(module) == self.program

    def row(self, name, fields):
        if name == "modules":
            if len(fields) > 4:
                fields[4] = below(fields[4], self.moves(fields[0]))
        elif name == "nodes":
            fields[3] = below(fields[3], self.program is None)
            fields[2] = self.modules.of(fields[2])
            return fields  # ids of nodes stay, because they show which node came first
        else:
            fields[1] = below(fields[1], self.moves(fields[0]))
            if name == "calls":
                fields[2] = self.modules.of(fields[2])
        fields[0] = self.modules.of(fields[0])
        return fields


def database(source, path):
    """A changed AQTime database, with lines inserted in each source and other addresses."""
    path.write_bytes(source.read_bytes())
    with sqlite3.connect(path) as base:
        base.execute("UPDATE ALLOCATION_PROFILER_META_ROUTINES SET COL_SOURCE_LINE = "
                     f"COL_SOURCE_LINE + {INSERTED} WHERE COL_SOURCE_LINE > 0")
        base.execute("UPDATE ALLOCATION_PROFILER_OBJECTS SET COL_ADDRESS = COL_ADDRESS + 65536")
    base.close()
    return path
