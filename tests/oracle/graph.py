#!/usr/bin/env python3
"""A simple reader of RPM dumps of a garbage-collected heap, to compare with the analyzer.

    graph.py [--by type|namespace] FILE...
    graph.py --self-test

Print one JSON object with totals, snapshots, top, growth, retained and roots. All but snapshots and growth are
about the last file. Retained sizes follow the definition: remove the object, and find what the roots no longer
reach.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import sys
import tempfile

from rows import compare_figures, lines_of, text_of, utf8

KINDS = ["internal", "local", "finalizer", "handle", "static", "runtime"]
WEAK = 2
HEX = re.compile(r"[0-9a-fA-F]{1,16}")
# Minimum number of words in a record.
LEAST = {"a": 3, "t": 3, "o": 4, "r": 4, "c": 2}


def number(word):
    """Return the number of a word; all words after a record's letter are hexadecimal."""
    if not HEX.fullmatch(word):
        raise ValueError(f"no hexadecimal number: {word}")
    return int(word, 16)


def kind_name(kind):
    return KINDS[kind] if kind < len(KINDS) else f"kind {kind:x}"


class Object:
    def __init__(self, section, id_, type_id, bytes_, words):
        self.section, self.id, self.type_id, self.bytes, self.words = section, id_, type_id, bytes_, words
        self.targets, self.roots, self.type = [], [], None


class Section:
    """An AppDomain. It has its own ids of types and objects."""

    def __init__(self):
        self.types, self.objects, self.closed = {}, {}, False


class Dump:
    """A file: `objects` in file order, with `targets` (objects) and `roots` (kind, flags)."""

    def __init__(self, path):
        raw, ended = lines_of(path)
        lines = [text_of(line) for line in raw]
        if not ended:
            lines.pop()
        self.sections, self.root_rows = [], []
        self.bad_rows = self.duplicates = 0
        for line in lines:
            if line.strip():
                try:
                    self.record(line)
                except ValueError:
                    self.bad_rows += 1
        self.complete = ended and all(s.closed for s in self.sections)
        self.objects = [o for s in self.sections for o in s.objects.values()]
        self.resolve()

    def section(self):
        """Return the open section. Records before an `a` are in a section without a name."""
        if not self.sections or self.sections[-1].closed:
            self.sections.append(Section())
        return self.sections[-1]

    def record(self, line):
        words = line.split()
        letter = words[0]
        if letter not in LEAST or len(words) < LEAST[letter]:
            raise ValueError(line)
        if letter == "a":
            number(words[1])
            self.sections.append(Section())
        elif letter == "c":
            self.section().closed = True
        elif letter == "t":
            name = line.split(None, 2)[2].strip()
            self.section().types.setdefault(number(words[1]), name)
        elif letter == "r":
            numbers = [number(word) for word in words[1:]]
            self.root_rows.append((self.section(), *numbers[:3], numbers[3] if len(numbers) > 3 else None))
        else:
            id_, type_id, bytes_, *references = [number(word) for word in words[1:]]
            objects = self.section().objects
            if id_ in objects:
                self.duplicates += 1
            else:
                objects[id_] = Object(self.section(), id_, type_id, bytes_, references)

    def find(self, section, id_):
        """Look for an id in its own section first, then in the others in file order."""
        for place in [section, *self.sections]:
            if id_ in place.objects:
                return place.objects[id_]
        return None

    def resolve(self):
        self.dangling = self.rootless = 0
        for thing in self.objects:
            thing.type = thing.section.types.get(thing.type_id, f"<type {thing.type_id:x}>")
            for word in thing.words:
                target = self.find(thing.section, word)
                if target is None:
                    self.dangling += 1
                else:
                    thing.targets.append(target)
        for section, id_, kind, flags, _ in self.root_rows:
            target = self.find(section, id_)
            if target is None:
                self.rootless += 1
            else:
                target.roots.append((kind, flags))


# ---------------------------------------------------------------- brute force

class Graph:
    """Reached and retained objects, identified by their index in dump.objects."""

    def __init__(self, dump):
        self.objects = dump.objects
        place = {id(thing): at for at, thing in enumerate(self.objects)}
        self.targets = [[place[id(t)] for t in thing.targets] for thing in self.objects]
        self.strong = [at for at, thing in enumerate(self.objects)
                       if any(not flags & WEAK for _, flags in thing.roots)]
        self.reached = self.reach(self.strong)
        # objects that are released if this object is removed, including itself
        self.kept = {at: self.reached - self.reach(self.strong, [at]) for at in sorted(self.reached)}

    def reach(self, starts, without=()):
        without = set(without)
        reached, waiting = set(), [at for at in starts if at not in without]
        while waiting:
            at = waiting.pop()
            if at not in reached:
                reached.add(at)
                waiting += [t for t in self.targets[at] if t not in without]
        return reached

    def without(self, gone):
        """Return what roots no longer reach without these objects."""
        return self.reached - self.reach(self.strong, gone)

    def size(self, places):
        return sum(self.objects[at].bytes for at in places)

    def dominators(self, at):
        """Return all strict dominators."""
        return [other for other in self.kept if other != at and at in self.kept[other]]

    def dominator(self, at):
        return min(self.dominators(at), key=lambda other: len(self.kept[other]), default=None)

    def kept_by_roots(self, kind):
        """Return what is released if all strong roots of a kind are removed."""
        rest = [at for at, thing in enumerate(self.objects)
                if any(k != kind and not flags & WEAK for k, flags in thing.roots)]
        return self.reached - self.reach(rest)

    def distance(self, at, without=()):
        """Return the number of references on a shortest path from a strong root; None if there is no path.
        Paths do not lead through the objects that are left out."""
        reached, border, steps = set(self.strong), set(self.strong), 0
        while border:
            if at in border:
                return steps
            border = {t for one in border - set(without) for t in self.targets[one]} - reached
            reached |= border
            steps += 1
        return None


# ---------------------------------------------------------------- answers

def totals_of(dump, graph):
    everything = range(len(dump.objects))
    lost = set(everything) - graph.reached
    return {
        "live_objects": len(dump.objects), "live_bytes": graph.size(everything),
        "roots": len(dump.root_rows), "roots_without_object": dump.rootless,
        "references": sum(len(thing.words) for thing in dump.objects),
        "dangling_references": dump.dangling,
        "reachable_objects": len(graph.reached), "reachable_bytes": graph.size(graph.reached),
        "unreachable_objects": len(lost), "unreachable_bytes": graph.size(lost),
        "types": len({name for s in dump.sections for name in s.types.values()}),
        "duplicate_objects": dump.duplicates, "app_domains": len(dump.sections),
    }


def retained_of(graph):
    order = sorted(graph.reached, key=lambda at: (-graph.size(graph.kept[at]), graph.objects[at].id, at))
    rows = []
    for rank, at in enumerate(order, 1):
        thing, above = graph.objects[at], graph.dominator(at)
        row = {"rank": rank, "object": f"{thing.id:x}", "type": thing.type, "self_bytes": thing.bytes,
               "retained_bytes": graph.size(graph.kept[at]),
               "dominator": None if above is None else f"{graph.objects[above].id:x}"}
        for name, weak in (("root_kind", 0), ("weak_root_kind", WEAK)):
            kinds = sorted({kind for kind, flags in thing.roots if flags & WEAK == weak})
            if kinds:
                row[name] = "+".join(kind_name(kind) for kind in kinds)
        rows.append(row)
    return rows


def namespace(type_):
    """Return the name up to its last dot before any bracket or argument."""
    head, dot, _ = re.split(r"[<\[`,]", type_, maxsplit=1)[0].rpartition(".")
    return head if dot and head else "(none)"


def retained_by(graph, key_of):
    """Return what is released if all objects of a group are removed together."""
    groups = {}
    for at in graph.reached:
        groups.setdefault(key_of(graph.objects[at].type), []).append(at)
    rows = [{"key": key, "objects": len(members), "self_bytes": graph.size(members),
             "retained_bytes": graph.size(graph.without(members))}
            for key, members in groups.items()]
    rows.sort(key=lambda r: (-r["retained_bytes"], utf8(r["key"])))
    return [{"rank": rank} | row for rank, row in enumerate(rows, 1)]


def suspect_types(graph):
    """Return the types whose objects together retain over a tenth, but not alone. Roots refer to these objects,
    and nothing dominates them."""
    whole, groups = graph.size(graph.reached), {}
    for at in graph.strong:
        if not graph.dominators(at) and graph.size(graph.kept[at]) * 10 <= whole:
            groups.setdefault(graph.objects[at].type, []).append(at)
    rows = []
    for type_, members in groups.items():
        gone = graph.without(members)
        if graph.size(gone) * 10 > whole:
            rows.append({"type": type_, "holders": len(members), "objects": len(gone),
                         "bytes": graph.size(gone)})
    return sorted(rows, key=lambda r: utf8(r["type"]))


def counted(graph, places):
    groups = {}
    for at in places:
        many, much = groups.get(graph.objects[at].type, (0, 0))
        groups[graph.objects[at].type] = many + 1, much + graph.objects[at].bytes
    return groups


def objects_of(graph, type_, skip=None):
    """Return, for all objects of a type, what refers to them, what dominates them (apart from objects of the
    skipped type), and what they retain."""
    asked = [at for at, thing in enumerate(graph.objects) if thing.type == type_]
    gone = graph.without(asked)
    links = [(at, target) for at in range(len(graph.objects)) for target in graph.targets[at]
             if target in asked]
    referrers, holders = counted(graph, {at for at, _ in links}), {}
    for at in asked:
        if at in graph.reached:
            above = graph.dominator(at)
            while above is not None and graph.objects[above].type == skip:
                above = graph.dominator(above)
            holders.setdefault(above, []).append(at)
    kinds = {above: None if above is None else graph.objects[above].type for above in holders}
    return {
        "objects": {"objects": len(asked), "self_bytes": graph.size(asked),
                    "roots": sum(bool(graph.objects[at].roots) for at in asked),
                    "reachable_objects": len(graph.reached.intersection(asked)),
                    "retained_objects": len(gone), "retained_bytes": graph.size(gone)},
        "referrer_types": sorted(
            ({"type": kind, "objects": many, "self_bytes": much,
              "references": sum(graph.objects[at].type == kind for at, _ in links)}
             for kind, (many, much) in referrers.items()), key=lambda r: utf8(r["type"])),
        "dominator_types": sorted(
            ({"type": kind or "(roots, or several objects together)"}
             | {"dominated_objects": sum(len(held) for above, held in holders.items() if kinds[above] == kind),
                "dominated_bytes": sum(graph.size(held) for above, held in holders.items()
                                       if kinds[above] == kind)}
             | ({} if kind is None else {"objects": sum(one == kind for one in kinds.values())})
             for kind in set(kinds.values())), key=lambda r: utf8(r["type"])),
        "retained_types": sorted(
            ({"type": kind, "objects": many, "bytes": much}
             for kind, (many, much) in counted(graph, gone).items()), key=lambda r: utf8(r["type"])),
    }


def tree_by(graph, key_of):
    """Return the dominator tree by type or namespace, in preorder. Repeated equal nodes on a path become one."""
    sums = {(): [0, 0, 0, 0]}

    def path_of(at):
        above, key = graph.dominator(at), key_of(graph.objects[at].type)
        path = () if above is None else path_of(above)
        return path if path and path[-1] == key else (*path, key)

    for at in graph.reached:
        path = path_of(at)
        for end in range(1, len(path) + 1):
            of = sums.setdefault(path[:end], [0, 0, 0, 0])
            for place, value in enumerate((1, graph.objects[at].bytes)):
                of[2 + place] += value
                of[place] += value if end == len(path) else 0
    del sums[()]

    def rank(path):
        return [(-sums[path[:end]][3], utf8(path[end - 1])) for end in range(1, len(path) + 1)]

    return [{"depth": len(path) - 1, "key": path[-1]} | dict(zip(
        ("objects", "self_bytes", "retained_objects", "retained_bytes"), sums[path]))
        for path in sorted(sums, key=rank)]


def statics_of(dump, graph):
    """Return, for each type, the size released if its static fields referred to nothing."""
    place = {id(thing): at for at, thing in enumerate(dump.objects)}
    groups = {}
    for section, id_, kind, _, container in dump.root_rows:
        if kind == KINDS.index("static"):
            name = ("(not told)" if container is None
                    else section.types.get(container, f"<type {container:x}>"))
            groups.setdefault(name, []).append(dump.find(section, id_))
    return sorted(({"container": name, "roots": len(things),
                    "retained_bytes": graph.size(graph.without(place[id(t)] for t in things if t))}
                   for name, things in groups.items()),
                  key=lambda r: (-r["retained_bytes"], utf8(r["container"])))


def roots_of(dump, graph):
    rows = []
    for kind in sorted({row[2] for row in dump.root_rows}):
        held = [thing for thing in dump.objects if any(k == kind for k, _ in thing.roots)]
        rows.append({"kind": kind_name(kind), "roots": sum(row[2] == kind for row in dump.root_rows),
                     "objects": len(held), "retained_bytes": graph.size(graph.kept_by_roots(kind))})
    return sorted(rows, key=lambda r: -r["retained_bytes"])


def by_type(dump):
    groups = {}
    for thing in dump.objects:
        many, much = groups.get(thing.type, (0, 0))
        groups[thing.type] = many + 1, much + thing.bytes
    return groups


def top_of(dump):
    groups = by_type(dump)
    total = sum(much for _, much in groups.values())
    order = sorted(groups, key=lambda key: (-groups[key][1], utf8(key)))
    return [{"rank": rank, "key": key, "objects": groups[key][0], "bytes": groups[key][1],
             "percent": groups[key][1] * 100 / total if total else 0.0}
            for rank, key in enumerate(order, 1)]


def growth_of(first, last):
    """Return the types that differ between two dumps. Ids cannot be compared across dumps."""
    before, after = by_type(first), by_type(last)
    rows = []
    for key in before.keys() | after.keys():
        was, now = before.get(key, (0, 0)), after.get(key, (0, 0))
        if was == now:
            continue
        row = {"key": key}
        for at, name in enumerate(("objects", "bytes")):
            row |= {f"from_{name}": was[at], f"to_{name}": now[at], f"delta_{name}": now[at] - was[at]}
        if was[1]:
            row["delta_percent"] = row["delta_bytes"] * 100 / was[1]
        rows.append(row)
    return sorted(rows, key=lambda r: (-abs(r["delta_bytes"]), utf8(r["key"])))


def trend_of(dumps):
    """Return the growth of the types that grew from each dump to the next; None for fewer than three dumps."""
    bytes_at = [{type_: much for type_, (_, much) in by_type(dump).items()} for dump in dumps]
    grew = [type_ for type_ in bytes_at[-1]
            if all(new.get(type_, 0) > old.get(type_, 0) for old, new in zip(bytes_at, bytes_at[1:]))]
    return sum(bytes_at[-1][type_] - bytes_at[0].get(type_, 0)
               for type_ in grew) if len(dumps) > 2 else None


def snapshots_of(dumps):
    rows, before = [], 0
    for sequence, dump in enumerate(dumps, 1):
        live = sum(thing.bytes for thing in dump.objects)
        rows.append({"sequence": sequence, "live_objects": len(dump.objects), "live_bytes": live,
                     "delta_bytes": live - before})
        before = live
    return rows


# ---------------------------------------------------------------- what accumulates

ALL = None  # in place of a type: held objects of all types
UNKNOWN = "unknown"  # in place of a key or a count in an earlier dump

def places_of(graph):
    """Return, for each object, the types of its dominators from the root on, and its own. The nodes of a list,
    each of which is dominated by one of its type, all have the place of the list's head. Also return whether an
    object is such a node after the head."""
    places, linked = {}, {}
    for at in sorted(graph.reached, key=lambda at: len(graph.dominators(at))):
        above, type_ = graph.dominator(at), graph.objects[at].type
        place = places.get(above, ())
        linked[at] = bool(place) and place[-1] == type_
        places[at] = place if linked[at] else (*place, type_)
    return places, linked


def holdings_of(graph):
    """Return, by (place, kind of roots, type), the held objects, the bytes that they retain, and their holders;
    for each place also the sums of all types."""
    places, linked = places_of(graph)
    held = {}

    def hold(place, kind, at, retains=True):
        row = held.setdefault((place, kind, graph.objects[at].type), [0, 0])
        row[0] += 1
        row[1] += graph.size(graph.kept[at]) if retains else 0

    for at in graph.reached:
        above = graph.dominator(at)
        if linked[at]:
            place = places[at][:-1]
            hold(place, None, at, retains=not place and not linked[above])
        for target in set(graph.targets[at]):
            is_node = linked[target] and places[target][:-1] == places[at]
            if places[target] != places[at] and at not in graph.kept[target] and not is_node:
                hold(places[at], None, target)
    for at in graph.strong:
        for kind in {kind for kind, flags in graph.objects[at].roots if not flags & WEAK}:
            hold((), kind, at)
    holders = {}
    for place in places.values():
        holders[place] = holders.get(place, 0) + 1
    for (place, _, _), (many, much) in list(held.items()):
        if place:
            row = held.setdefault((place, None, ALL), [0, 0])
            row[:] = row[0] + many, row[1] + much
    return {key: (*row, holders.get(key[0], 1)) for key, row in held.items()}


def moved(old, new):
    """Return the length of the common part of two places, from the holder upwards, if the shorter place is the
    longer one with a part left out. 0: it is not."""
    tail = 0
    while tail < min(len(old), len(new)) and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    rest = sorted((old[:len(old) - tail], new[:len(new) - tail]), key=len)
    return tail if rest[1][:len(rest[0])] == rest[0] else 0


def tail_of(key):
    return key[0][-1], key[2]


def before_of(dumps, at):
    """Return {key at a dump: its key at the dump before}; None if it held nothing there, UNKNOWN if it may be
    one of several."""
    was, now = dumps[at - 1], dumps[at]
    fresh = collections.Counter(tail_of(key) for key in now if key[0] and key not in was)
    found = {}
    for key, row in now.items():
        place, kind, type_ = key
        found[key] = key if key in was else None
        if key in was or not place:
            continue
        ranked = sorted(((moved(old[0], place), *was[old][:2], old) for old in was
                         if old[0] and old not in now and old[0][-1] == place[-1] and old[2] == type_
                         and was[old][2] == row[2] and moved(old[0], place)),
                        key=lambda r: r[:3], reverse=True)
        gone = [old for old in was if old[0] and old not in now and tail_of(old) == tail_of(key)]
        if ranked and (len(ranked) == 1 or ranked[0][:3] != ranked[1][:3]):
            found[key] = ranked[0][3]
        elif len(gone) == 1 == fresh[tail_of(key)] and was[gone[0]][2] == row[2]:
            found[key] = gone[0]
        elif gone:
            found[key] = UNKNOWN
    return found


def grew_by(before, now):
    """Return the growth of a holder. If there are more of them than before, each new one is expected to hold as
    much as an old one, and that does not count as growth."""
    expected, times = before[0], max(now[2], before[2])
    return now[0] - -(-expected * times // before[2])


def courses(series):
    """Return what grew at each dump and is held in the last one: (its key at the first dump, if known, and the
    amounts at each dump). Keys that did not grow are not followed further."""
    alive = {key: (key, [row]) for key, row in series[0].items()}
    for at in range(1, len(series)):
        was, now = before_of([{key: course[-1] for key, (_, course) in alive.items()}, series[at]], 1), {}
        for key, row in series[at].items():
            if was[key] == UNKNOWN:
                now[key] = key, [UNKNOWN] * at + [row]
                continue
            first, course = alive[was[key]] if was[key] else (None, [(0, 0, 1)])
            if (was[key] or at == 1) and grew_by(course[-1], row) > 0:
                now[key] = first, [*course, row]
        alive = now
    return alive


def accumulations(graphs):
    """Return what is held more of in each dump than in the one before. If a holder gains several types, return
    their sum, unless one type makes up nine tenths of it."""
    series, rows = [holdings_of(graph) for graph in graphs], []
    if len(series) < 2:
        return []
    for key, (first, course) in courses(series).items():
        (place, kind, type_), (objects, retained, holders) = key, course[-1]
        unknown = course.count(UNKNOWN)
        course = course[unknown:]
        steps = [grew_by(before, now) for before, now in zip(course, course[1:])]
        if not steps:
            continue
        gained = [key] if type_ is not ALL else [
            one for one in series[-1] if one[0] == place and one[2] is not ALL and series[-1][one][0] >
            (series[unknown].get((first[0], *one[1:]), (0,))[0] if first else 0)]
        many, much = (objects - course[0][0], retained - course[0][1]) if type_ is ALL else (objects, retained)
        if much <= 0 and type_ is ALL:
            continue
        row = {"bytes": retained, "steady_bytes": much * min(min(steps) * len(steps), many) // many,
               "objects": objects, "least_step": min(steps), "most_step": max(steps),
               "counts": [UNKNOWN] * unknown + [str(held[0]) for held in course],
               "type": min((one for one in gained), key=lambda one: (-series[-1][one][1], utf8(one[2])))[2],
               "types": len(gained)}
        if not row["steady_bytes"] and type_ is ALL:
            continue
        if not unknown:
            row |= {"delta_objects": objects - course[0][0], "from_objects": course[0][0]}
        if place or kind is None:  # a list whose head nothing dominates is held by the head
            row |= {"holder_type": place[-1] if place else type_, "holders": holders}
        rows.append((key, gained, row))
    rows.sort(key=lambda r: (-r[2]["steady_bytes"], -r[2]["objects"],
                             utf8("" if r[0][2] is ALL else r[0][2]), len(r[0][0])))
    listed, result = set(), []
    for (place, _, type_), gained, row in rows:
        alone = [one[2]["steady_bytes"] for one in rows if one[0][0] == place and one[0][2] is not ALL]
        if type_ is ALL and max(alone, default=0) >= row["steady_bytes"] - row["steady_bytes"] // 10:
            continue
        outer = [place[:length] for length in range(1, len(place) + 1)]
        if not any(each in listed or (*each, type_) in listed for each in outer):
            listed.update((*place, one[2]) for one in gained)
            result.append(row)
    return sorted(result, key=repr)


def report(paths):
    dumps = [Dump(path) for path in paths]
    last = dumps[-1]
    graph = Graph(last)
    return {
        "complete": all(dump.complete for dump in dumps),
        "bad_rows": sum(dump.bad_rows for dump in dumps),
        "totals": totals_of(last, graph),
        "snapshots": snapshots_of(dumps),
        "top": top_of(last),
        "growth": growth_of(dumps[0], last),
        "trend": trend_of(dumps),
        "retained": retained_of(graph),
        "retained_by_type": retained_by(graph, lambda name: name),
        "retained_by_namespace": retained_by(graph, namespace),
        "roots": roots_of(last, graph),
        "suspect_types": suspect_types(graph),
        "accumulations": accumulations([Graph(dump) for dump in dumps[:-1]] + [graph]),
        "tree_by_type": tree_by(graph, lambda name: name),
        "tree_by_namespace": tree_by(graph, namespace),
        "statics": statics_of(last, graph),
    }


# ---------------------------------------------------------------- random dumps

NAMES = ["System.String", "Shop.Order", "Shop.Core.Cart", "Shop.Core.Cart", "Global",
         "System.Collections.Generic.List`1[[Shop.Order, Shop]]", "Shop.Map<Shop.Order, System.String>",
         "Shop.Order[]", "System.Object"]


class Maker:
    """The records of a random dump."""

    def __init__(self, seed):
        self.seed = seed
        self.chance = random.Random(seed)
        self.sections = [self.ids() for _ in range(self.chance.choice((1, 1, 2)))]

    def ids(self):
        chance = self.chance
        return chance.sample(range(0x1c0000, 0x1c0000 + 80), chance.randrange(1, 41))

    def word(self, value):
        return (f"{value:X}" if self.upper else f"{value:x}")

    def references(self, at, ids):
        """Return references, mostly to later objects, because otherwise all objects would form one cycle; then
        some unusual ones."""
        chance, later = self.chance, ids[at + 1:]
        found = chance.choices(later, k=chance.choice(self.widths)) if later else []
        for share, odd in ((0.10, lambda: chance.choice(ids)), (0.04, lambda: ids[at]),
                           (0.05, lambda: found[0] if found else ids[at]),
                           (0.04, lambda: chance.choice(self.sections[0])),
                           (0.03, lambda: 0xdead00 + chance.randrange(9))):
            if chance.random() < share:
                found.append(odd())
        chance.shuffle(found)
        return found

    def section(self, ids):
        chance, kinds = self.chance, (0, 1, 2, 3, 4, 5, 7)
        types = chance.sample(range(1, 40), chance.randrange(1, 9))
        objects = [["o", id_, chance.choice([*types, *types, 0x3f]),
                    chance.choice((0, 4, 12, 16, 64, chance.randrange(4096))),
                    *self.references(at, ids)] for at, id_ in enumerate(ids)]
        if chance.random() < 0.2:
            objects.append(["o", chance.choice(ids), types[0], 8, *chance.choices(ids, k=2)])
        roots = []
        for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 4, 6))):
            target = chance.choice([*ids, *ids[:3], *ids[:3], ids[0], ids[0], 0xbad000])
            for _ in range(chance.choice((1, 1, 1, 2))):
                kind, flags = chance.choice(kinds), chance.choice((0, 0, 0, 1, 4, 8, 2, 3, 0x10))
                roots.append(["r", target, kind, flags, *([chance.choice(types)] if kind == 4 else [])])
        named = [["t", id_, chance.choice(NAMES)] for id_ in types]
        records = [*named, *objects, *roots] if chance.random() < 0.5 else [*roots, *objects, *named]
        if chance.random() < 0.5:
            first = [r for r in records if r[0] == "o"]  # if two objects have the same id, the first is kept
            chance.shuffle(records)
            order = iter(first)
            records = [next(order) if r[0] == "o" else r for r in records]
        return records

    def text(self):
        chance, lines = self.chance, []
        self.upper = chance.random() < 0.2
        self.widths = chance.choice(((1, 1), (0, 1, 2), (1, 2, 3), (0, 1, 5)))
        for ids in self.sections:
            # dumps of later seeds have later times, by a clock that wraps around
            clock = (0xffff8000 + self.seed * 1000 + chance.randrange(1 << 32) % 1000) & 0xffffffff
            stamp = chance.choice(("", f" {clock:x}"))
            name = chance.choice(("shop.exe", "My Shop.exe") if stamp else ("shop.exe",))
            lines.append(f"a 2 {name}{stamp}")
            for letter, *fields in self.section(ids):
                lines.append(" ".join([letter, *(f if isinstance(f, str) else self.word(f)
                                                 for f in fields)]))
                if chance.random() < 0.02:
                    lines.append("")
            lines.append(f"c {name}{stamp}")
        end = chance.choice(("\n", "\n", "\r\n"))
        return "".join(line + end for line in lines)


def random_dump(seed):
    """Return the text of a dump with one or two AppDomains of 1 to 40 objects."""
    return Maker(seed).text()


# ---------------------------------------------------------------- self test

# 1 -> 2, 3; 2 -> 4; 3 -> 4, 5; 5 -> 3, 5; 6 (weak) -> 4, 7; 8 -> ff; types and roots come late.
SMALL = """\
a 2 My App.exe 444d20df
r 1 4 0 2
r 6 3 2
r 8 1 1
r 8 5 2
r 99 0 0

o 1 1 10 2 3 2
o 2 2 1 4
o 3 2 2 4 5
o 4 1d 20 
o 5 1 4 3 5
o 6 1 8 4 7
o 7 1 8
o 8 3 40 FF
o 8 3 40 1
t 1 Shop.Order
t 2 Shop.Map<System.String, Shop.Order>
t 3 Global
x 1
c My App.exe 444d20e0
"""


def of_text(*texts):
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / str(at) for at in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_bytes(text.encode("utf-8"))
        return report(paths)


def self_test():
    """Compare with figures calculated by hand."""
    small = of_text("a 2 x\no 1 1 4\nt 1 Global\nc x\n", SMALL)
    retained = {r["object"]: (r["retained_bytes"], r["dominator"], r.get("root_kind"))
                for r in small["retained"]}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "dump"
        path.write_text(SMALL, encoding="utf-8")
        graph = Graph(Dump(path))
    two = of_text("a 2 x\no 1 1 4 2\nr 2 1 0\nt 1 A\nc x\na 2 y\no 1 1 8\no 2 1 10 1\nt 1 B\nr 1 7 0\nc y\n")
    shared = of_text("a 2 x\nt 1 View\nt 2 Image\nt 3 Other\no 1 1 18 3\no 2 1 18 3\no 3 2 90\no 4 3 100\n"
                     "r 1 4 0 1\nr 2 4 0 1\nr 4 1 0\nc x\n")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "dump"
        path.write_text(SMALL, encoding="utf-8")
        typed = objects_of(Graph(Dump(path)), "<type 1d>", skip="Shop.Order")
    # Cache 1 holds list 2, which gets a node in each dump, and 4 items from the start. Handles hold 9 views,
    # two more at the second dump and one more at the third. The part of each view does not count as growth of
    # its own.
    grown = of_text(*("a 2 x\nt 1 Cache\nt 2 Node\nt 3 Item\nt 4 View\nt 5 Part\nr 1 4 0 1\n"
                      "o 1 1 8 10 20 21 22 23\no 20 3 1\no 21 3 1\no 22 3 1\no 23 3 1\n"
                      + "".join(f"o {0x10 + i:x} 2 4{f' {0x11 + i:x}' if i < dump else ''}\n"
                                for i in range(dump + 1))
                      + "".join(f"o {0x30 + i:x} 4 2 {0x40 + i:x}\nr {0x30 + i:x} 3 0\no {0x40 + i:x} 5 6\n"
                                for i in range((6, 8, 9)[dump])) + "c x\n"
                      for dump in range(3)))["accumulations"]
    expected = [
        # nine views of 2 bytes, each with a part of 6; steady growth is one view per dump, or two in two
        # dumps
        ([tuple(row.values()) for row in grown if row["type"] == "View"],
         [(72, 16, 9, 1, 2, ["6", "8", "9"], "View", 1, 3, 6)]),
        ([tuple(row.values()) for row in grown if row["type"] != "View"],
         [(12, 8, 3, 1, 1, ["1", "2", "3"], "Node", 1, 2, 1, "Cache", 1)]),
        # 2, 3 and 6 refer to object 4; 1 dominates it, and is skipped
        (typed["objects"], {"objects": 1, "self_bytes": 32, "roots": 0, "reachable_objects": 1,
                            "retained_objects": 1, "retained_bytes": 32}),
        (typed["referrer_types"], [
            {"type": "Shop.Map<System.String, Shop.Order>", "objects": 2, "self_bytes": 3, "references": 2},
            {"type": "Shop.Order", "objects": 1, "self_bytes": 8, "references": 1}]),
        (typed["dominator_types"], [{"type": "(roots, or several objects together)",
                                     "dominated_objects": 1, "dominated_bytes": 32}]),
        (small["totals"], {
            "live_objects": 8, "live_bytes": 0x10 + 1 + 2 + 0x20 + 4 + 8 + 8 + 0x40, "roots": 5,
            "roots_without_object": 1, "references": 11, "dangling_references": 1,
            "reachable_objects": 6, "reachable_bytes": 119, "unreachable_objects": 2,
            "unreachable_bytes": 16, "types": 3, "duplicate_objects": 1, "app_domains": 1}),
        (small["bad_rows"], 1), (small["complete"], True),
        (retained, {"8": (64, None, "local"), "1": (55, None, "static"), "4": (32, "1", None),
                    "3": (6, "1", None), "5": (4, "3", None), "2": (1, "1", None)}),
        ([r["object"] for r in small["retained"]], ["8", "1", "4", "3", "5", "2"]),
        ([(r["key"], r["retained_bytes"]) for r in small["retained_by_type"]],
         # 2 and 3 share 4, and 5 belongs to 3: 1 + 2 + 20 (hexadecimal) + 4
         [("Global", 64), ("Shop.Order", 55), ("Shop.Map<System.String, Shop.Order>", 39),
          ("<type 1d>", 32)]),
        ([(r["key"], r["retained_bytes"]) for r in small["retained_by_namespace"]],
         [("(none)", 96), ("Shop", 55)]),
        ([tuple(r.values()) for r in small["roots"]],
         [("local", 1, 1, 64), ("static", 1, 1, 55), ("internal", 1, 0, 0), ("handle", 1, 1, 0),
          ("runtime", 1, 1, 0)]),
        ([graph.distance(at) for at in range(8)], [0, 1, 1, 2, 2, None, None, 0]),
        ([(r["key"], r["delta_bytes"]) for r in small["growth"]],
         [("Global", 60), ("Shop.Order", 36), ("<type 1d>", 32),
          ("Shop.Map<System.String, Shop.Order>", 3)]),
        ([r["delta_bytes"] for r in small["snapshots"]], [4, 131]),
        # a reference and a root refer to the other section, because their own does not have the id
        ([(r["object"], r["retained_bytes"], r["type"]) for r in two["retained"]],
         [("2", 16, "B"), ("1", 8, "B")]),
        # 1 dominates 2, 3 and 4; 3 dominates 5
        ([tuple(r.values()) for r in small["tree_by_type"]],
         [(0, "Global", 1, 64, 1, 64), (0, "Shop.Order", 1, 16, 5, 55),
          (1, "<type 1d>", 1, 32, 1, 32), (1, "Shop.Map<System.String, Shop.Order>", 2, 3, 3, 7),
          (2, "Shop.Order", 1, 4, 1, 4)]),
        # nothing but 8 and 1, which are not dominated, reaches a tenth of 119
        (small["suspect_types"], []),
        (small["statics"], [{"container": "Shop.Map<System.String, Shop.Order>", "roots": 1,
                             "retained_bytes": 55}]),
        # Two views of 18 share an image of 90: together they retain 2 x 18 + 90 of 1c0, and so do the
        # statics.
        (shared["suspect_types"], [{"type": "View", "holders": 2, "objects": 3, "bytes": 0xc0}]),
        (shared["statics"], [{"container": "View", "roots": 2, "retained_bytes": 0xc0}]),
        (two["totals"]["unreachable_bytes"], 4), (two["totals"]["app_domains"], 2),
        ([r["kind"] for r in two["roots"]], ["local", "kind 7"]),
        (namespace("A.B`1[[C.D]]"), "A"), (namespace("A.B<C.D>"), "A"), (namespace("B<C.D>"), "(none)"),
        (namespace("<type 1d>"), "(none)"),
    ]
    return compare_figures(expected)


def main():
    parser = argparse.ArgumentParser(description="naive reading of RPM dumps")
    parser.add_argument("--by", choices=["type", "namespace"], help="of retained; none: each object")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if not options.files:
        parser.error("which files?")
    found = report(options.files)
    if options.by:
        found["retained"] = found[f"retained_by_{options.by}"]
    json.dump(found, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
