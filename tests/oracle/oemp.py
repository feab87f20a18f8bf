#!/usr/bin/env python3
"""A simple replay of OpenEdge memory-profiler recordings, to compare with the analyzer.

    oemp.py [--from N] [--to N] [--by DIMENSION] FILE...

Keep every live object, and copy the whole state at every snapshot. This is slow, but simple enough to be
checked by reading. Print one JSON object: totals, snapshots, leaks, top and growth as the report contract
defines them, and in addition each recording.
"""

import argparse
import datetime
import functools
import json
import re
import sys
from typing import NamedTuple

from rows import (births_of, fields_of, integer, is_end_of_section, lines_of, nil_or,
                  utf8)

SECTIONS = {
    1: ["header", "platform_types", "types", "builtins", "objects", "platform", "deleted",
        "nodes", "sources", "names", "trailer"],
    2: ["header", "platform_types", "types", "builtins", "platform", "sources", "names", "nodes",
        "objects", "changed", "deleted", "trailer"],
}
# Three plain words, then a quoted one: only headers look like this.
HEADER_ROW = re.compile(rb'\s*\d+\s+\S+\s+\d+\s+"')

NAMED_BY_SOURCE = {"procedure", "ooabl obj", "ooabl static obj", "reusable obj"}
DIMENSIONS = ["type", "site", "source", "line", "name", "node", "scope", "request", "api"]


class Object(NamedTuple):
    """The latest state of an object, the index of the snapshot that showed it first, and its time of creation."""
    id: int
    type: int
    bytes: int
    node: int
    line: int
    source: int
    owner: int
    name: int
    builtin: int
    first: int
    created: int


class Event(NamedTuple):
    """A creation or a deletion. `object` has its state at that moment."""
    snapshot: int
    kind: str
    object: Object
    time: int


class Snapshot:
    """A snapshot of the file: the values of its header, and the rows of all sections."""

    def __init__(self, header):
        fields = fields_of(header)
        if len(fields) < 15:
            raise ValueError("short header")
        self.version = 1 if integer(fields[0]) <= 1 else 2
        self.sequence = integer(fields[2])
        try:
            self.start = int(datetime.datetime.fromisoformat(fields[3]).timestamp() * 1000000)
        except ValueError:
            self.start = None
        self.tag = fields[5]
        self.request = nil_or(fields[6])
        self.request_start = integer(fields[8])
        self.uuid = fields[9]
        self.api = nil_or(fields[13])
        self.rows = {name: [] for name in SECTIONS[self.version]}

    def is_whole(self):
        """Return true if there is a trailer and, in version 2, it repeats the header's tag and number."""
        try:
            trailer = self.rows["trailer"][0]
            self.time = integer(trailer[0])
            self.platform_total = integer(trailer[3])
            return self.version == 1 or (trailer[9] == self.tag
                                         and integer(trailer[10]) == self.sequence)
        except (IndexError, ValueError):
            return False


# ---------------------------------------------------------------- reading

def read_snapshots(path):
    """Return the whole snapshots of a file in order, and whether nothing was left over or truncated.

    A line is a row: strings do not contain line ends. A snapshot counts if the `.` after its trailer exists. A
    header inside a snapshot means that the snapshot was truncated, and that another one begins.
    """
    snapshots, current, section, complete = [], None, 0, True
    for line in lines_of(path)[0]:
        if HEADER_ROW.match(line):
            complete = complete and current is None
            try:
                current, section = Snapshot(line), 0
            except ValueError:
                current, complete = None, False
        elif current is None:
            complete = complete and not line.strip()
        elif is_end_of_section(line):
            section += 1
            if section == len(SECTIONS[current.version]):
                if current.is_whole():
                    snapshots.append(current)
                else:
                    complete = False
                current = None
        elif section > 0 and line.strip():
            current.rows[SECTIONS[current.version][section]].append(fields_of(line))
    return snapshots, complete and current is None


def join_recordings(paths):
    """Return the snapshots of all files by UUID, in order of appearance, and those of each recording by
    sequence number. Of two snapshots with the same number, the first one read is kept."""
    recordings, complete = {}, True
    for path in paths:
        snapshots, whole = read_snapshots(path)
        complete = complete and whole
        for snapshot in snapshots:
            recordings.setdefault(snapshot.uuid, {}).setdefault(snapshot.sequence, snapshot)
    ordered = [[by_number[n] for n in sorted(by_number)] for by_number in recordings.values()]
    return ordered, complete


def good_rows(rows, convert):
    """Yield convert(row) of each row. A row that is too short or contains an invalid number is skipped."""
    for row in rows:
        try:
            yield convert(row)
        except (IndexError, ValueError):
            pass


# ---------------------------------------------------------------- replay

class Recording:
    """The replay of a recording. `states[i]` has the live objects at snapshot i, `seen[i]` the last known state
    of every object that existed up to then."""

    def __init__(self, snapshots):
        self.snapshots = snapshots
        self.version = snapshots[0].version
        self.types, self.builtins, self.sources, self.names, self.nodes = {}, {}, {}, {}, {}
        self.starts = {}
        self.live, self.ever = {}, {}
        self.within = (0, float("inf"))  # consider only objects that were created in this time
        self.states, self.seen, self.events, self.changed = [], [], [], []
        for snapshot in snapshots:
            self.read_tables(snapshot)
        for index, snapshot in enumerate(snapshots):
            self.replay(index, snapshot)

    def read_tables(self, snapshot):
        rows = snapshot.rows
        self.types.update(good_rows(rows["types"], lambda r: (integer(r[1]), r[0])))
        self.builtins.update(good_rows(rows["builtins"], lambda r: (integer(r[1]), r[0])))
        self.sources.update(good_rows(rows["sources"], lambda r: (integer(r[0]), r[1])))
        self.starts.update(good_rows(rows["sources"], lambda r: (integer(r[0]), integer(r[2]))))
        self.names.update(good_rows(rows["names"], lambda r: (integer(r[0]), r[1])))
        self.nodes.update(good_rows(rows["nodes"], lambda r: (integer(r[0]), (
            integer(r[1]), integer(r[2]), integer(r[3])))))

    def replay(self, index, snapshot):
        changed = set()
        for new in good_rows(snapshot.rows["objects"], lambda r: object_of(r, index)):
            old = self.live.get(new.id)
            if old is None:
                self.put(new)
                self.note(index, "created", new, new.created)
            else:
                self.put(new._replace(first=old.first, created=old.created))
                changed.add(new.id)
        for id_, type_, bytes_ in good_rows(snapshot.rows.get("changed", []), change_of):
            if id_ in self.live:
                self.put(self.live[id_]._replace(type=type_, bytes=bytes_))
                changed.add(id_)
        for id_, time in good_rows(snapshot.rows["deleted"],
                                   lambda r: (integer(r[0]), integer(r[1]))):
            if id_ in self.live:
                self.note(index, "deleted", self.live.pop(id_), time)
        self.changed.append(len(changed))
        self.states.append(dict(self.live))
        self.seen.append(dict(self.ever))

    def put(self, thing):
        self.live[thing.id] = self.ever[thing.id] = thing

    def note(self, index, kind, thing, time):
        """reusable objects are neither created nor deleted: the AVM keeps them on purpose"""
        if not self.is_reusable(thing):
            self.events.append(Event(index, kind, thing, time))

    # ------------------------------------------------------------ meaning

    def type_name(self, thing):
        return self.types.get(thing.type, f"<type {thing.type}>")

    def is_reusable(self, thing):
        """Version 1 does not distinguish them: there they are ordinary objects."""
        return self.version > 1 and self.type_name(thing).lower() == "reusable obj"

    def object_name(self, thing):
        """Return the name of an object. Procedures and ABL classes are named after their source, others have
        their own name. A built-in object without a name has that of its class."""
        kind = self.type_name(thing).lower()
        if kind in NAMED_BY_SOURCE:
            return nil_or(self.sources.get(thing.source, ""))
        if thing.name != 0:
            return nil_or(self.names.get(thing.name, ""))
        if kind == "oo builtin":
            return nil_or(self.builtins.get(thing.builtin, ""))
        return None

    def source_name(self, source):
        return self.sources.get(source, "(session)" if source == 0 else f"<source {source}>")

    def creator(self, thing):
        """Return the ABL source whose code created the object."""
        node = self.nodes.get(thing.node)
        return "(session)" if node is None else self.source_name(node[0])

    def overload(self, thing):
        """Return the creator. If code of the same name begins at several lines, add the line where it begins."""
        node = self.nodes.get(thing.node)
        name, start = self.creator(thing), self.starts.get(node[0], 0) if node else 0
        same = {self.starts[id_] for id_, other in self.sources.items() if other == name}
        return f"{name} (from {start})" if start and len(same) > 1 else name

    def node_key(self, thing):
        """Return the call-tree node: the stack without the line of creation."""
        stack = self.stack(thing)
        return " < ".join([self.overload(thing), *stack[1:]]) if stack else "(session)"

    def stack(self, thing):
        """Return "name:line", innermost first: the creating source with the line of creation, then each caller
        with the line of its call. Empty without a node."""
        frames, node, line, passed = [], thing.node, thing.line, set()
        while node in self.nodes and node not in passed:
            passed.add(node)
            source, parent, parent_line = self.nodes[node]
            frames.append(f"{self.source_name(source)}:{line}")
            node, line = parent, parent_line
        return tuple(frames)

    def site(self, thing):
        """Return the site. Sites are compared by their texts, so equal sites of several recordings are the
        same."""
        return (self.type_name(thing), self.stack(thing), thing.line)

    def owner_key(self, thing, index):
        if thing.owner == 0:
            return "(none)"
        owner = self.seen[index].get(thing.owner)
        if owner is None:
            return "(unknown)"
        return f"{self.type_name(owner)} {self.object_name(owner) or '(unnamed)'}"

    def is_of_request(self, thing):
        """Return true if the object was created during the request of its first snapshot, not before the
        request."""
        born = self.snapshots[thing.first]
        return born.request is not None and thing.created >= born.request_start

    def group(self, thing, by, index):
        """Return (identity of the group, its key). Only for sites, the identity is more than the key."""
        born = self.snapshots[thing.first]
        creator = self.creator(thing)
        line = creator if creator == "(session)" and not thing.line else f"{creator}:{thing.line}"
        if by == "site":
            return self.site(thing), f"{self.type_name(thing)} at {line}"
        key = {
            "type": lambda: self.type_name(thing),
            "source": lambda: self.overload(thing),
            "line": lambda: line,
            "name": lambda: self.object_name(thing) or "(unnamed)",
            "node": lambda: self.node_key(thing),
            "scope": lambda: self.owner_key(thing, index),
            "request": lambda: (self.is_of_request(thing) and born.request) or "(none)",
            "api": lambda: (self.is_of_request(thing) and born.api) or "(none)",
        }[by]()
        return key, key

    # ------------------------------------------------------------ moments

    def index_of(self, sequence):
        for index, snapshot in enumerate(self.snapshots):
            if snapshot.sequence == sequence:
                return index
        raise LookupError(f"no snapshot {sequence} in recording {self.snapshots[0].uuid}")

    def choose(self, first, last):
        """Choose the window. from: the first snapshot; to: the last _PreCleanUp or, if there is none, the one
        before _Exit, otherwise the last."""
        self.start = 0 if first is None else self.index_of(first)
        clean = [i for i, s in enumerate(self.snapshots) if s.tag.lower() == "_precleanup"]
        end = len(self.snapshots) - 1
        end -= bool(end and self.snapshots[end].tag.lower() == "_exit")
        self.end = (clean or [end])[-1]
        if last is not None:
            self.end = self.index_of(last)

    def clock_of(self, index):
        return self.snapshots[0].start + self.snapshots[index].time

    def has_ended(self):
        """Return true if the process was about to end at the window's end. Otherwise live objects are in use."""
        return any(s.tag.lower() in ("_precleanup", "_exit") for s in self.snapshots[:self.end + 1])

    def ends_late(self):
        """Return true if the window ends after the clean-up."""
        clean = [i for i, s in enumerate(self.snapshots) if s.tag.lower() == "_precleanup"]
        return self.snapshots[self.end].tag.lower() == "_exit" or self.end > max(clean, default=self.end)

    def is_within(self, thing):
        return self.within[0] <= thing.created <= self.within[1]

    def ordinary(self, index):
        return [o for o in self.states[index].values()
                if not self.is_reusable(o) and self.is_within(o)]

    def reusable(self, index):
        return [o for o in self.states[index].values() if self.is_reusable(o)]

    @functools.cache
    def scoped(self, index):
        """Return {owner: objects that are, or were, scoped to it}."""
        scoped = {}
        for thing in self.seen[index].values():
            scoped.setdefault(thing.owner, []).append(thing.id)
        return scoped

    def events_of(self, kind, last):
        return [e.object for e in self.events if e.kind == kind and e.snapshot <= last
                and self.is_within(e.object)]

    def events_at(self, kind, index):
        return [e.object for e in self.events if e.kind == kind and e.snapshot == index]


def object_of(row, index):
    return Object(id=integer(row[0]), type=integer(row[1]), bytes=integer(row[2]),
                  node=integer(row[6]), line=integer(row[7]), source=integer(row[8]),
                  owner=integer(row[10]), name=integer(row[12]), builtin=integer(row[14]),
                  first=index, created=integer(row[5]))


def change_of(row):
    return integer(row[0]), integer(row[1]), integer(row[2])


# ---------------------------------------------------------------- answers

def size(objects):
    return sum(o.bytes for o in objects)


def totals_of(recording):
    """Return live, created and deleted objects and peaks, up to the window's end."""
    live = recording.ordinary(recording.end)
    created = recording.events_of("created", recording.end)
    every = [recording.ordinary(i) for i in range(recording.end + 1)]
    totals = {
        "live_objects": len(live),
        "live_bytes": size(live),
        "created_objects": len(created),
        "created_bytes": size(created),
        "deleted_objects": len(recording.events_of("deleted", recording.end)),
        "peak_objects": max(len(objects) for objects in every),
        "peak_bytes": max(size(objects) for objects in every),
    }
    if recording.version > 1:
        kept = recording.reusable(recording.end)
        totals |= {"reusable_objects": len(kept), "reusable_bytes": size(kept)}
    return totals


def figure_at(recording, time, figure):
    """Return the figure of a session at a time by the clock, from its last snapshot before that time, up to its
    end."""
    found = 0
    for index, snapshot in enumerate(recording.snapshots):
        if recording.clock_of(index) > time:
            break
        if index <= recording.end:
            found = figure(recording.ordinary(index))
        if snapshot.tag.lower() == "_exit":
            return 0
    return found


def totals_of_all(recordings):
    """Return the totals of several recordings. Each is a session, so their figures are added up. The peak is
    determined by the clock. If one of the sessions has a higher peak, or if times are missing, it is the peak
    of that session."""
    total, each = {}, [totals_of(recording) for recording in recordings]
    for totals in each:
        for name, value in totals.items():
            total[name] = total.get(name, 0) + value
    for name, figure in (("peak_objects", len), ("peak_bytes", size)):
        total[name] = max(totals[name] for totals in each)
        if all(recording.snapshots[0].start is not None for recording in recordings):
            times = [r.clock_of(index) for r in recordings for index in range(len(r.snapshots))]
            total[name] = max(total[name], *(sum(figure_at(r, time, figure) for r in recordings)
                                             for time in times))
    return total


def snapshots_of(recording):
    rows, before = [], 0
    for index, snapshot in enumerate(recording.snapshots):
        live = recording.ordinary(index)
        platform = list(good_rows(snapshot.rows["platform"], lambda r: integer(r[1])))
        row = {
            "sequence": snapshot.sequence,
            "tag": snapshot.tag,
            "time_us": snapshot.time,
            "created_objects": len(recording.events_at("created", index)),
            "deleted_objects": len(recording.events_at("deleted", index)),
            "changed_objects": recording.changed[index],
            "live_objects": len(live),
            "live_bytes": size(live),
            "delta_bytes": size(live) - before,
            "platform_bytes": sum(platform) if platform else snapshot.platform_total,
        }
        if recording.version > 1:
            kept = recording.reusable(index)
            row |= {"reusable_objects": len(kept), "reusable_bytes": size(kept)}
        if snapshot.request is not None:
            row["request"] = snapshot.request
        rows.append(row)
        before = size(live)
    return rows


def leaks_of(recordings):
    """Return objects that are alive at the end, were first seen after the start, and are not reusable; one row
    per site."""
    objects, names, created, deleted, born, moments = {}, {}, {}, {}, {}, set()
    for session, recording in enumerate(recordings):
        moments |= {(session, event.snapshot) for event in recording.events if event.kind == "created"
                    and recording.start < event.snapshot <= recording.end}
        for thing in recording.ordinary(recording.end):
            if thing.first > recording.start:
                site = recording.site(thing)
                objects.setdefault(site, []).append(thing)
                born.setdefault(site, set()).add((session, thing.first))
                names.setdefault(site, set()).add(recording.object_name(thing))
        for count, kind in ((created, "created"), (deleted, "deleted")):
            for thing in recording.events_of(kind, recording.end):
                site = recording.site(thing)
                count[site] = count.get(site, 0) + 1
    everywhere = moments.union(*born.values())
    rows = []
    for site in sorted(objects, key=lambda s: (0,
                                               *leak_order(s, objects[s]))):
        type_, stack, line = site
        row = {"rank": len(rows) + 1, "type": type_, "objects": len(objects[site]),
               "bytes": size(objects[site]), "created_objects": created.get(site, 0),
               "deleted_objects": deleted.get(site, 0), "stack": list(stack), "line": line}
        row |= births_of(born[site], everywhere)
        row["inclusive_bytes"] = sum(
            size(with_scoped(r, r.end, [o for o in r.ordinary(r.end)
                                        if o.first > r.start and r.site(o) == site]))
            for r in recordings)
        if len(names[site]) == 1 and None not in names[site]:
            row["name"] = next(iter(names[site]))
        rows.append(row)
    return rows


def leak_order(site, objects):
    type_, stack, line = site
    return (-size(objects), -len(objects), utf8(type_), [utf8(frame) for frame in stack], line)


def identity_order(identity):
    """Order groups with the same key, which only sites can have: by type, stack, line."""
    if isinstance(identity, str):
        return ()
    type_, stack, line = identity
    return (utf8(type_), [utf8(frame) for frame in stack], line)


def with_scoped(recording, index, members):
    """Return the members and everything scoped to them, directly or indirectly, once. Scopes may lead through
    reusable and dead objects, but their own bytes do not count."""
    live, scoped = recording.states[index], recording.scoped(index)
    reached, waiting = set(), [o.id for o in members]
    while waiting:
        id_ = waiting.pop()
        if id_ not in reached:
            reached.add(id_)
            waiting += scoped.get(id_, [])
    return [live[id_] for id_ in reached if id_ in live and not recording.is_reusable(live[id_])]


def grouped(recordings, by, moment):
    """Return {identity: (key, list of (recording, its objects))} at recording.start or recording.end."""
    groups = {}
    for recording in recordings:
        index = getattr(recording, moment)
        for thing in recording.ordinary(index):
            identity, key = recording.group(thing, by, index)
            _, members = groups.setdefault(identity, (key, {}))
            members.setdefault(id(recording), (recording, []))[1].append(thing)
    return {identity: (key, list(members.values())) for identity, (key, members) in groups.items()}


def count_of(groups, identity):
    """Return (objects, bytes) of a group, or zeros if it does not exist."""
    _, members = groups.get(identity, ("", []))
    return (sum(len(objects) for _, objects in members),
            sum(size(objects) for _, objects in members))


def top_of(recordings, by):
    groups = grouped(recordings, by, "end")
    total = sum(count_of(groups, identity)[1] for identity in groups)
    order = sorted(groups, key=lambda i: (-count_of(groups, i)[1], utf8(groups[i][0]),
                                          identity_order(i)))
    rows = []
    for identity in order:
        key, members = groups[identity]
        objects, bytes_ = count_of(groups, identity)
        rows.append({
            "rank": len(rows) + 1, "key": key, "objects": objects, "bytes": bytes_,
            "percent": bytes_ / total * 100 if total else 0.0,
            "inclusive_bytes": sum(size(with_scoped(r, r.end, o)) for r, o in members),
        })
    return rows


def growth_of(recordings, by):
    """Return the groups that differ between the two snapshots, in objects or in bytes."""
    before, after = grouped(recordings, by, "start"), grouped(recordings, by, "end")
    rows = []
    for identity in before.keys() | after.keys():
        key = (after.get(identity) or before.get(identity))[0]
        from_objects, from_bytes = count_of(before, identity)
        to_objects, to_bytes = count_of(after, identity)
        if (from_objects, from_bytes) == (to_objects, to_bytes):
            continue
        row = {"key": key, "from_objects": from_objects, "to_objects": to_objects,
               "delta_objects": to_objects - from_objects, "from_bytes": from_bytes,
               "to_bytes": to_bytes, "delta_bytes": to_bytes - from_bytes}
        if by not in ("request", "api"):  # objects of one context are in several groups
            kept = [sum(size(with_scoped(r, getattr(r, moment), o)) for r, o in
                        groups.get(identity, ("", []))[1])
                    for groups, moment in ((before, "start"), (after, "end"))]
            row |= {"from_inclusive_bytes": kept[0], "to_inclusive_bytes": kept[1],
                    "delta_inclusive_bytes": kept[1] - kept[0]}
        if from_bytes != 0:
            row["delta_percent"] = (to_bytes - from_bytes) / from_bytes * 100
        rows.append((-abs(to_bytes - from_bytes), utf8(key), identity_order(identity), row))
    return [row for *_, row in sorted(rows, key=lambda r: r[:3])]


# ---------------------------------------------------------------- lifetimes

def lifetimes_of(recordings, by):
    """Return the ages at which objects were deleted, up to the window's end: of all objects, and of each group."""
    ages, labels, alive = {}, {}, {}
    for recording in recordings:
        for event in recording.events:
            if event.kind == "deleted" and event.snapshot <= recording.end:
                identity, key = recording.group(event.object, by, recording.end)
                ages.setdefault(identity, []).append(
                    (max(event.time - event.object.created, 0), event.object.bytes))
                labels[identity] = key
        for thing in recording.ordinary(recording.end):
            identity = recording.group(thing, by, recording.end)[0]
            alive[identity] = alive.get(identity, 0) + 1
    order = sorted(ages, key=lambda i: (-len(ages[i]), utf8(labels[i]), identity_order(i)))
    every = [age for of_group in ages.values() for age in of_group]
    return {"overall": lifetime_of(every),
            "lifetimes": [{"rank": rank, "key": labels[identity], "live_objects":
                           alive.get(identity, 0), "bytes": size_of_ages(ages[identity]),
                           **lifetime_of(ages[identity])}
                          for rank, identity in enumerate(order, 1)]}


def size_of_ages(ages):
    return sum(bytes_ for _, bytes_ in ages)


def lifetime_of(ages):
    """Return the figures of ages. The median has rank (n + 1) / 2, the 90th percentile the lowest rank that
    covers 90 %."""
    times, count = sorted(age for age, _ in ages), len(ages)
    if not count:
        return {"deaths": 0}
    return {"deaths": count, "median_us": times[(count + 1) // 2 - 1],
            "p90_us": times[-(-count * 9 // 10) - 1], "min_us": times[0], "max_us": times[-1]}


# ---------------------------------------------------------------- requests

def requests_of(recordings):
    """Return a row per request, ordered by recording and time. A request's own objects are those created after
    it began; those alive at the end are left behind."""
    rows = []
    for recording in recordings:
        found, shots = [], recording.snapshots
        for index, shot in enumerate(shots[:recording.end + 1]):
            goes_on = index > 0 and (shot.request, shot.request_start) == (
                shots[index - 1].request, shots[index - 1].request_start)
            if shot.request is not None and not goes_on:
                found.append([])
            if shot.request is not None:
                found[-1].append(index)
        rows += [request_row(recording, indexes) for indexes in found]
    return rows


def request_row(recording, indexes):
    shots = [recording.snapshots[i] for i in indexes]
    start, ends = shots[0].request_start, [s for s in shots if s.tag.lower() == "_endofrequest"]

    def own(things):
        return [o for o in things if o.first in indexes and o.created >= start]

    created = own(recording.events_of("created", recording.end))
    most = [peak_of(recording, index, own) for index in indexes]
    row = {"request": shots[0].request, "start_us": start,
           "first_sequence": shots[0].sequence, "last_sequence": shots[-1].sequence,
           "created_objects": len(created), "created_bytes": size(created),
           "peak_objects": max(m[0] for m in most), "peak_bytes": max(m[1] for m in most)}
    apis = [s.api for s in shots if s.api is not None]
    if apis:
        row["api"] = apis[-1]
    if ends or indexes[-1] < recording.end:
        left = own(recording.ordinary(recording.end))
        row |= {"left_objects": len(left), "left_bytes": size(left)}
    if ends and ends[-1].time >= start:
        row["duration_us"] = ends[-1].time - start
    return row


def peak_of(recording, index, own):
    """Return the most objects and the most bytes at once in the interval that ends with a snapshot. Each object
    has the size that it has at the interval's end, and creations come before deletions."""
    before = own(recording.ordinary(index - 1)) if index else []
    sizes = {o.id: o.bytes for o in recording.states[index].values()}
    events = [e for e in recording.events if e.snapshot == index and own([e.object])]
    sizes |= {e.object.id: e.object.bytes for e in events if e.kind == "deleted"}
    objects, bytes_ = len(before), sum(sizes[o.id] for o in before)
    most = [max(objects, 0), max(bytes_, size(before))]
    for event in sorted(events, key=lambda e: (e.time, e.kind)):
        sign = 1 if event.kind == "created" else -1
        objects, bytes_ = objects + sign, bytes_ + sign * sizes[event.object.id]
        most = [max(most[0], objects), max(most[1], bytes_)]
    return most


def apis_of(rows):
    """Group the requests by the API that they called, in the order of their first calls."""
    apis = {}
    for row in rows:
        api = apis.setdefault(row.get("api", "(none)"), {"calls": 0, "leaving_calls": 0,
                              "running_calls": 0, "created_objects": 0, "created_bytes": 0,
                              "left_objects": 0, "left_bytes": 0, "peak_objects": 0,
                              "peak_bytes": 0})
        api["calls"] += 1
        api["running_calls"] += "left_objects" not in row
        api["leaving_calls"] += row.get("left_objects", 0) > 0
        for name in ("created_objects", "created_bytes", "left_objects", "left_bytes"):
            api[name] += row.get(name, 0)
        for name in ("peak_objects", "peak_bytes"):
            api[name] = max(api[name], row[name])
        if "duration_us" in row:
            api.setdefault("durations", []).append(row["duration_us"])
    for api in apis.values():
        if "durations" in api:
            durations = api.pop("durations")
            api["average_duration_us"] = sum(durations) // len(durations)
            api["longest_duration_us"] = max(durations)
    return [{"api": name, **api} for name, api in apis.items()]


def requests_report(recordings):
    """Return both tables in the report's order: by what was left behind."""
    rows = requests_of(recordings)
    rows.sort(key=lambda r: (-r.get("left_bytes", -1), -r.get("left_objects", -1)))
    apis = sorted(apis_of(rows), key=lambda r: (-r["left_bytes"], -r["left_objects"],
                                                utf8(r["api"])))
    created = sum(row["created_objects"] for row in rows)
    total = sum(totals_of(r)["created_objects"] for r in recordings)
    return {"apis": apis, "requests": rows,
            "outside_requests": {"created_objects": total - created}}


def report(recordings, by):
    """Return all answers about recordings whose windows are chosen."""
    return {
        "recordings": [{"uuid": r.snapshots[0].uuid, "from": r.snapshots[r.start].sequence,
                        "to": r.snapshots[r.end].sequence, "totals": totals_of(r)}
                       for r in recordings],
        "totals": totals_of_all(recordings),
        "snapshots": [row for r in recordings for row in snapshots_of(r)],
        "leaks": leaks_of(recordings),
        "top": top_of(recordings, by),
        "growth": growth_of(recordings, by),
    }


def main():
    parser = argparse.ArgumentParser(description="naive replay of .oemp recordings")
    parser.add_argument("--from", type=int, dest="first", metavar="N", help="sequence number")
    parser.add_argument("--to", type=int, dest="last", metavar="N", help="sequence number")
    parser.add_argument("--by", choices=DIMENSIONS, default="type")
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args()

    try:
        joined, complete = join_recordings(options.files)
        if not joined:
            raise OSError("no whole snapshot")
        recordings = [Recording(snapshots) for snapshots in joined]
        for recording in recordings:
            recording.choose(options.first, options.last)
    except (LookupError, OSError) as problem:
        print(f"oemp.py: {problem}", file=sys.stderr)
        return 3 if isinstance(problem, OSError) else 2
    json.dump(report(recordings, options.by) | {"complete": complete}, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
