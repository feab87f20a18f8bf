#!/usr/bin/env python3
"""A simple reader of OpenEdge execution profiles, to compare with the analyzer.

    prf.py FILE

Print one JSON object: version, totals and top as the report contract defines them (top has all lines), `calls`
(callers, lines and callees; each call is listed for its callee and for its caller), `timeline` (the trace, with
depths and durations), `coverage` by program and method, and `invariants` (consistency rules that this recording
breaks). Times are added as decimal numbers, so sums are exact.
"""

import json
import re
import sys
from decimal import Decimal

from rows import fields_of, integer, is_end_of_section, lines_of, text_of, utf8

SESSION = 0
PROFILER = re.compile(r"lib[/\\]zprofiler[./\\]")
HALF_MICROSECOND = Decimal("0.0000005")
# Four fields and a quoted user. The rest resembles JSON but is invalid, and may contain anything.
HEADER = re.compile(r'\s*(\d+)\s+(\S+)\s+("(?:[^"]|"")*"|\S+)\s+(\S+)\s+("(?:[^"]|"")*"|\S+)(.*)$')
TOTAL_TIME = re.compile(r'"TotTime"\s*:\s*"?(-?[0-9]*[.,]?[0-9]+)')


class Profile:
    """A recording. `rows[section]` are lists of fields."""

    def __init__(self, header):
        match = HEADER.match(text_of(header))
        if match is None or not 1 <= int(match[1]) <= 4:
            raise ValueError("not an execution profile")
        self.version = int(match[1])
        total = TOTAL_TIME.search(match[6])
        self.total_time = decimal(total[1]) if total and self.has_nodes() else None
        self.rows = {}

    def has_statistics(self):
        return self.version in (2, 4)

    def has_nodes(self):
        return self.version >= 3


def decimal(text):
    if not re.fullmatch(r"-?[0-9]*[.,]?[0-9]+", text):
        raise ValueError(f"no number: {text}")
    return Decimal(text.replace(",", "."))


# ---------------------------------------------------------------- reading

class Reader:
    """Lines of a file, section by section. The end of the file ends every section. A row without a line end may
    be truncated within a number, so it does not count."""

    def __init__(self, path):
        self.lines, ended = lines_of(path)
        self.at, self.torn = 0, False
        if not ended and not is_end_of_section(self.lines[-1]):
            self.lines.pop()
            self.torn = True

    def next(self):
        """Return the next line that is not blank; None at the end of a section or of the file."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if is_end_of_section(line):
                return None
            if line.strip():
                return line
        self.torn = True
        return None

    def section(self):
        rows = []
        while (line := self.next()) is not None:
            rows.append(fields_of(line))
        return rows

    def coverage(self):
        """Read entities: each is a row `module "entity" n`, then n lines up to a `.`. The section ends with a
        `.` in place of an entity's row."""
        rows = []
        while (line := self.next()) is not None:
            rows.append((fields_of(line), self.section()))
        return rows

    def at_end(self):
        return not any(line.strip() for line in self.lines[self.at:])


def read_profile(reader):
    profile = Profile(reader.next() or b"")
    reader.section()
    names = ["modules", "calls", "lines", "trace", "coverage"]
    names += ["operations", "counters", "tables", "startup"] if profile.has_statistics() else []
    names += ["nodes"] if profile.has_nodes() else []
    for name in names + ["user"]:
        profile.rows[name] = reader.coverage() if name == "coverage" else reader.section()
    return profile


def read_profiles(path):
    reader, profiles = Reader(path), []
    while not reader.at_end():
        profiles.append(read_profile(reader))
    return profiles, not reader.torn


def good_rows(rows, convert):
    """Yield convert(row) of each row. A row that is too short or contains an invalid number is skipped."""
    good = []
    for row in rows:
        try:
            good.append(convert(row))
        except (IndexError, ValueError, ArithmeticError):
            pass
    return good


def module_of(row):
    """Parse a module. Before 11.7.4 a row ends after the CRC, so the start line is unknown."""
    return integer(row[0]), (row[1], integer(row[3]), integer(row[4]) if len(row) > 4 else None)


def line_of(row):
    return integer(row[0]), integer(row[1]), integer(row[2]), decimal(row[3]), decimal(row[4])


def call_of(row):
    return (integer(row[0]), integer(row[1]), integer(row[2])), integer(row[3])


def trace_of(row):
    return integer(row[0]), integer(row[1]), decimal(row[2]), decimal(row[3])


def node_of(row):
    """Parse a node: (parent, module, caller's line, calls, cumulative seconds, child nodes)."""
    return integer(row[0]), (integer(row[1]), integer(row[2]), integer(row[3]), integer(row[4]),
                             decimal(row[5]), [integer(child) for child in row[6:]])


def entity_of(row):
    """Parse an entity: its compiled unit, its name, and its executable lines."""
    return integer(row[0][0]), row[0][1], good_rows(row[1], lambda line: integer(line[0]))


class Tables:
    """The rows of a profile as numbers."""

    def __init__(self, profile):
        self.total_time = profile.total_time
        self.modules = dict(good_rows(profile.rows["modules"], module_of))
        self.lines = good_rows(profile.rows["lines"], line_of)
        self.calls = good_rows(profile.rows["calls"], call_of)
        self.trace = good_rows(profile.rows["trace"], trace_of)
        self.node_rows = good_rows(profile.rows.get("nodes", []), node_of)
        self.nodes = dict(self.node_rows)
        self.has_nodes = profile.has_nodes()
        self.entities = good_rows(profile.rows["coverage"], entity_of)
        self.units = {name for name, crc, _ in self.modules.values() if crc != 0}

    def program_and_method(self, module):
        """Split a module's name. With a CRC the whole name is a compiled unit. Otherwise its first word is the
        entity, and the rest names the unit, which may contain blanks. Since 12.1 a method is followed by the
        class that defines it and by the class of the object; its lines are those of the defining class."""
        if module not in self.modules:
            return f"<module {module}>", ""
        name, crc, _ = self.modules[module]
        method, _, rest = name.partition(" ")
        if crc != 0 or rest == "":
            return name, ""
        return self.unit_in(rest), method

    def unit_in(self, rest):
        """Return the unit in `rest`. It is the whole text if that is a known unit. If the text may consist of
        two names, it is the first known one. Otherwise it is the first word if all words could be class names,
        or else the whole text."""
        words = rest.split(" ")
        pairs = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(len(words) - 1, 0, -1)]
        if rest in self.units:
            return rest
        for defining, _ in pairs:
            if defining in self.units:
                return defining
        for defining, running in pairs:
            if running in self.units:
                return defining
        is_path = re.search(r"[/\\:]|\.[pw]$", rest)
        return rest if is_path else words[0]


    def runtime_class(self, module):
        """Return the class of the object in `method Defining Runtime` if it differs from the defining class."""
        name, crc, _ = self.modules.get(module, ("", 0, None))
        defining, _ = self.program_and_method(module)
        rest = name.partition(" ")[2]
        running = rest[len(defining) + 1:] if crc == 0 and rest.startswith(defining + " ") else ""
        return running if running != defining else ""


# ---------------------------------------------------------------- answers

def is_counted(tables, module):
    """Return true if a module counts. The session (module 0) does not, and neither does ProTop's own profiling."""
    return module != SESSION and not PROFILER.match(tables.program_and_method(module)[0])


def totals_of(tables):
    lines = [row for row in tables.lines if is_counted(tables, row[0])]
    called = {end for (caller, _, callee), _ in tables.calls for end in (caller, callee)}
    listed = {*tables.modules, *called, *(row[0] for row in tables.lines),
              *(row[0] for row in tables.entities), *(node[1] for node in tables.nodes.values())}
    programs = {tables.program_and_method(module)[0] for module in listed
                if is_counted(tables, module)}
    return {"seconds": sum((row[3] for row in lines), Decimal(0)),
            "calls": sum(row[2] for row in lines if row[1] == 0),
            "modules": len(programs)}


def top_rows(tables):
    rows = []
    for module, line, calls, seconds, _ in tables.lines:
        if not is_counted(tables, module):
            continue
        program, method = tables.program_and_method(module)
        start_line = tables.modules.get(module, ("", 0, None))[2]
        running = tables.runtime_class(module)
        rows.append((seconds, program, method, line, start_line, running, calls))
    return rows


def top_order(row):
    seconds, program, method, line, start_line, running, calls = row
    return (-seconds, utf8(program), utf8(method), line, start_line or 0, utf8(running), -calls)


def top_of(rows, total):
    """Return rows, slowest line first, without unknown fields: the method of a unit's own code, the start line
    in old recordings and of whole units, the average of lines that were never called."""
    top = []
    for seconds, program, method, line, start_line, running, calls in sorted(rows, key=top_order):
        row = {"rank": len(top) + 1, "program": program, "line": line, "seconds": float(seconds),
               "calls": calls, "percent": float(seconds / total * 100) if total else 0.0}
        if method:
            row["method"] = method
            if start_line:  # a line of 0 does not exist: the entry was generated, or is the unit itself
                row["start_line"] = start_line
            if running:
                row["runtime_class"] = running
        if calls:
            row["average_seconds"] = float(seconds / calls)
        top.append(row)
    return top


def crc_of(tables, program):
    """Return the CRC of the compiled unit. Programs compiled from different sources have different CRCs."""
    return next((crc for name, crc, _ in tables.modules.values() if crc and name == program), 0)


def coverage_of(many):
    """Return, by program and method, the numbers of executable and of executed lines in all profiles. Line 0
    and negative lines are not in a source."""
    listed, counted = set(), set()
    for tables in many:
        for module, entity, lines in tables.entities:
            program, _ = tables.program_and_method(module)
            listed |= {(program, crc_of(tables, program), entity, line) for line in lines if line > 0}
        for module, line, calls, seconds, cumulative in tables.lines:
            program, method = tables.program_and_method(module)
            if calls > 0 or seconds > 0 or cumulative > 0:  # executed, or running at the end
                counted.add((program, crc_of(tables, program), method, line))
    methods = sorted({key[:3] for key in listed}, key=lambda key: (utf8(key[0]), key[1], utf8(key[2])))
    return {
        "lines": len({(program, crc, line) for program, crc, _, line in listed}),
        "executed_lines": len({(program, crc, line) for program, crc, _, line in listed & counted}),
        "methods": [{"program": key[0], "method": key[2],
                     "lines": len([line for line in listed if line[:3] == key]),
                     "executed_lines": len([line for line in listed & counted if line[:3] == key])}
                    for key in methods]}
# ---------------------------------------------------------------- who calls whom

def calls_of_tree(tables):
    """Return {(caller, line, callee): [calls, calls while the callee runs, seconds of the callee for the
    caller, seconds of the caller in the callee]} of a call tree.

    If a module is on a stack several times, its time belongs to the caller of its outermost frame, and its time
    in callees to the call made by its innermost frame. So each node's own time is evaluated with its whole
    stack."""
    edges = {}
    children = {}
    for id_, node in tables.nodes.items():
        if not is_root(id_, node):
            children.setdefault(node[0], []).append(node[4])
    for id_, node in tables.nodes.items():
        stack = [id_]  # innermost first
        while not is_root(stack[-1], tables.nodes[stack[-1]]) and \
                tables.nodes[stack[-1]][0] in tables.nodes:
            stack.append(tables.nodes[stack[-1]][0])
        own = node[4] - sum(children.get(id_, []), Decimal(0))
        nested = node[1] in [tables.nodes[frame][1] for frame in stack[1:]]
        edge = edges.setdefault(edge_into(tables, stack, 0), [0, 0, Decimal(0), Decimal(0)])
        edge[0] += node[3]
        edge[1] += node[3] if nested else 0
        edge[2] += Decimal(0) if nested else node[4]
        seen = {node[1]}
        if len(stack) == 1:
            edge[3] += own
        for depth in range(1, len(stack)):
            caller = tables.nodes[stack[depth]][1]
            if caller not in seen:
                seen.add(caller)
                inner = edges.setdefault(edge_into(tables, stack, depth - 1),
                                         [0, 0, Decimal(0), Decimal(0)])
                inner[3] += own
            if depth == len(stack) - 1:  # nobody calls the root, so all of the time is spent there
                edges.setdefault(edge_into(tables, stack, depth),
                                 [0, 0, Decimal(0), Decimal(0)])[3] += own
    return edges


def edge_into(tables, stack, depth):
    """Return the call that made the stack's frame at this depth; None for the first frame."""
    frame = tables.nodes[stack[depth]]
    if depth + 1 == len(stack):
        return None, None, frame[1]
    return tables.nodes[stack[depth + 1]][1], frame[2], frame[1]


def reaches(callees, module):
    """Return all modules that a module calls, directly or indirectly."""
    found, waiting = set(), list(callees.get(module, ()))
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            waiting.extend(callees.get(at, ()))
    return found


def calls_of_graph(tables):
    """Return the same for a call graph. Time that a line spent in calls was spent in the one module that it
    calls; time of a module was spent for the one line that calls it. Neither is known if recursion would count
    a moment twice; the number of recursive calls is unknown too."""
    callees, lines, callers, entries = {}, {}, {}, {}
    for (caller, line, callee), _ in tables.calls:
        callees.setdefault(caller, set()).add(callee)
        callers[callee] = callers.get(callee, 0) + 1
        lines.setdefault((caller, line), []).append(callee)
    spent = {}
    for module, line, _, exclusive, cumulative in tables.lines:
        spent[module, line] = spent.get((module, line), Decimal(0)) + cumulative - exclusive
        if line == 0:
            entries[module] = cumulative
    recursive = {module for module in callees if module in reaches(callees, module)}
    edges = {}
    for (caller, line, callee), count in tables.calls:
        seconds = None
        if callers[callee] == 1 and callee not in recursive:
            seconds = entries.get(callee)
        if line != 0 and len(lines[caller, line]) == 1 and (caller, line) in spent and \
                not {caller, callee} <= recursive and spent[caller, line] >= 0:
            seconds = spent[caller, line]
        edges[caller, line, callee] = [count, None, seconds, seconds]
    return edges


def call_rows(tables):
    """Return each call twice: as a caller of its callee, and as a callee of its caller."""
    edges = calls_of_tree(tables) if tables.nodes else calls_of_graph(tables)
    for (caller, line, callee), (calls, nested, received, spent) in edges.items():
        names = {"callee": name_of(tables, callee)}
        names |= {"caller": name_of(tables, caller), "line": line} if caller is not None else {}
        for direction, seconds in (("caller", received), ("callee", spent)):
            if direction == "callee" and caller is None:
                continue
            row = {"direction": direction, **names, "calls": calls}
            row |= {"recursive_calls": nested} if nested else {}
            row |= {"seconds": float(seconds)} if seconds is not None else {}
            for end, module in (("caller", caller), ("callee", callee)):
                start = tables.modules.get(module, ("", 0, None))[2]
                row |= {f"{end}_start_line": start} if start else {}
            yield row


def name_of(tables, module):
    if module == SESSION:
        return "session"
    return tables.modules[module][0] if module in tables.modules else f"<module {module}>"


# ---------------------------------------------------------------- timeline

def timeline_of(tables):
    """Rows of the trace are in the order of completion. So the row that encloses a row is the first later one
    that started before it. If both started in the same microsecond, line 0 of a module encloses its other
    lines, and the calling line encloses line 0."""
    rows = tables.trace
    outer = [next((k for k in range(i + 1, len(rows)) if contains(rows[k], rows[i])), None)
             for i in range(len(rows))]
    ends, depths = [], [0] * len(rows)
    for i, (_, _, own, start) in enumerate(rows):
        inside = [k for k in range(i) if outer[k] == i]
        lasted = own + sum((ends[k] - rows[k][3] for k in inside), Decimal(0))
        ends.append(max([start + lasted] + [ends[k] for k in inside]))
    for i in reversed(range(len(rows))):
        depths[i] = 0 if outer[i] is None else depths[outer[i]] + 1
    for (module, line, own, start), end, depth in zip(rows, ends, depths):
        program, method = tables.program_and_method(module)
        yield {"start_seconds": float(start), "inclusive_seconds": float(end - start),
               "seconds": float(own), "program": program, "line": line, "depth": depth,
               **({"method": method} if method else {})}


def contains(outer, inner):
    if outer[3] != inner[3]:
        return outer[3] < inner[3]
    return inner[1] != 0 and inner[0] == outer[0] if outer[1] == 0 else inner[1] == 0


# ---------------------------------------------------------------- invariants

def violation(name, where, expected, found, tolerance=0):
    """Return None if both values agree, otherwise what to print."""
    if abs(expected - found) <= tolerance:
        return None
    if isinstance(expected, Decimal):
        return {"invariant": name, "where": where, "expected": float(expected),
                "found": float(found), "difference": float(found - expected),
                "tolerance": float(tolerance)}
    return {"invariant": name, "where": where, "expected": expected, "found": found}


def check_total(tables):
    """The sum of all exclusive times = the cumulative time of row `0 0` = TotTime; each row is rounded."""
    found = sum((row[3] for row in tables.lines), Decimal(0))
    slack = HALF_MICROSECOND * (len(tables.lines) + 1)
    for row in tables.lines:
        if row[:2] == (SESSION, 0):
            yield violation("exclusive times = cumulative time of 0 0", "0 0", row[4], found, slack)
    if tables.total_time is not None:
        yield violation("exclusive times = TotTime", "header", tables.total_time, found, slack)
        for row in tables.lines:
            if row[:2] == (SESSION, 0):
                yield violation("cumulative time of 0 0 = TotTime", "header", tables.total_time,
                                row[4], 2 * HALF_MICROSECOND)


def check_modules(tables):
    """A module's exclusive times and the cumulative times of the nodes that it calls add up to the cumulative
    time of its line 0. Without a line 0, nothing is checked."""
    for module in sorted({row[0] for row in tables.lines}):
        own = [row for row in tables.lines if row[0] == module]
        entry = [row[4] for row in own if row[1] == 0]
        called = [node[4] for id_, node in tables.nodes.items()
                  if id_ != node[0] and tables.nodes.get(node[0], (0, None))[1] == module
                  and not is_root(id_, node)]
        if entry:
            found = sum((row[3] for row in own), Decimal(0)) + sum(called, Decimal(0))
            yield violation("exclusive + called = cumulative", f"module {module}", sum(entry),
                            found, HALF_MICROSECOND * (len(own) + len(called) + 1))


def is_root(id_, node):
    """Return true for the session's node, whose parent is itself: 0."""
    return id_ == 0 and node[0] == 0


def check_entries(tables):
    """The nodes of a module have the calls and the cumulative time of its line 0."""
    for module, line, calls, _, cumulative in tables.lines:
        nodes = [node for node in tables.nodes.values() if node[1] == module]
        if line == 0:
            where = f"module {module}"
            yield violation("calls of nodes = executions of line 0", where, calls,
                            sum(node[3] for node in nodes))
            yield violation("cumulative of nodes = cumulative of line 0", where, cumulative,
                            sum((node[4] for node in nodes), Decimal(0)),
                            HALF_MICROSECOND * (len(nodes) + 1))


def check_call_graph(tables):
    """Nodes added up by (caller, line, callee) equal the call graph, in both directions."""
    graph, unfolded = {}, {}
    for edge, count in tables.calls:
        graph[edge] = graph.get(edge, 0) + count
    for id_, (parent, module, line, calls, _, _) in tables.nodes.items():
        if not is_root(id_, tables.nodes[id_]):
            caller = tables.nodes[parent][1] if parent in tables.nodes else -1
            unfolded[caller, line, module] = unfolded.get((caller, line, module), 0) + calls
    for edge in sorted(graph.keys() | unfolded.keys()):
        yield violation("nodes = call graph", "caller %d line %d callee %d" % edge,
                        graph.get(edge, 0), unfolded.get(edge, 0))


def check_nodes(tables):
    """A parent has a lower number than its child, and each node lists its children correctly."""
    children = {}
    for id_, node in tables.nodes.items():
        if not is_root(id_, node):
            children.setdefault(node[0], []).append(id_)
            if node[0] not in tables.nodes:
                yield {"invariant": "parent exists", "where": f"node {id_}", "found": node[0]}
            elif node[0] >= id_:
                yield {"invariant": "parent < node", "where": f"node {id_}", "found": node[0]}
    for id_, node in tables.nodes.items():
        listed, real = sorted(node[5]), sorted(children.get(id_, []))
        if listed != real:
            yield {"invariant": "listed children = children", "where": f"node {id_}",
                   "expected": real, "found": listed}
    if len(tables.nodes) != len(tables.node_rows):
        yield {"invariant": "one row a node", "where": "nodes", "expected": len(tables.nodes),
               "found": len(tables.node_rows)}


def check_callees(tables):
    """The calls of a module in the call graph = the executions of its line 0."""
    entered = {row[0]: row[2] for row in tables.lines if row[1] == 0 and row[0] != SESSION}
    for module in sorted(entered.keys() | {edge[2] for edge, _ in tables.calls}):
        called = sum(count for edge, count in tables.calls if edge[2] == module)
        if module in entered:
            yield violation("calls in call graph = executions of line 0", f"module {module}",
                            entered[module], called)
        else:
            yield {"invariant": "a called module has a line 0", "where": f"module {module}",
                   "found": called}


def invariants_of(tables):
    """Return the rules that are broken. Rules about the call tree apply only if the format has one."""
    checks = [check_total, check_callees]
    if tables.has_nodes:
        checks += [check_modules, check_entries, check_call_graph, check_nodes]
    return [broken for check in checks for broken in check(tables) if broken is not None]


def main():
    if len(sys.argv) != 2:
        print("usage: prf.py FILE", file=sys.stderr)
        return 2
    try:
        profiles, complete = read_profiles(sys.argv[1])
    except (OSError, ValueError) as problem:
        print(f"prf.py: {sys.argv[1]}: {problem}", file=sys.stderr)
        return 3
    if not profiles:
        print(f"prf.py: {sys.argv[1]}: empty file (OpenEdge 12.2.3 writes such)", file=sys.stderr)
        return 3
    many = [Tables(profile) for profile in profiles]
    each = [totals_of(tables) for tables in many]
    total = {name: sum(totals[name] for totals in each) for name in each[0]}
    json.dump({
        "version": profiles[0].version,
        "complete": complete,
        "totals": total | {"seconds": float(total["seconds"])},
        "top": top_of([row for tables in many for row in top_rows(tables)], total["seconds"]),
        "timeline": [row for tables in many for row in timeline_of(tables)],
        "coverage": coverage_of(many),
        "calls": [row for tables in many for row in call_rows(tables)],
        "invariants": [broken for tables in many for broken in invariants_of(tables)],
    }, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
