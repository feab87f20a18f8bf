#!/usr/bin/env python3
"""A simple replay of Taligent heap-monitoring logs and heap analysis files, to compare with the analyzer.

    taligent.py [--slices N] [--by type|site] [--at MICROSECONDS|peak] [--temporary N|Nus]
                [--reorder EVENTS] FILE
    taligent.py --self-test

Print one JSON object with totals, snapshots, leaks, top, growth, lifetimes, sizes, threads and anomalies. All
events are kept, and every figure is counted from the list of blocks, so only the rules themselves can be wrong.
"""

import argparse
import collections
import fractions
import json
import os
import pathlib
import random
import re
import sys
import tempfile

from rows import (births_of, compare_figures, growth_rows, lines_of, text_of,
                  utf8)

UNKNOWN = "(unknown)"
NO_TYPES = ("novtbl", "notype")
WAITING = 10000   # number of events to wait for before their order is settled
TAIL = 64 * 1024  # bytes at the end of the file in which the last time is searched
LARGEST = 2**64 - 1
NEVER = float("inf")

THREAD = re.compile(r"\d+-\d+")
WORDS = r"\s*(?P<star>\*?)\s*(?P<thread>\d+-\d+)\s+(?P<time>old|\d+)\s+(?P<address>(?:0[xX])?[0-9a-fA-F]+)" \
        r"\s+(?P<size>del|\d+)(?:\s+(?P<rest>.*))?$"
EVENT = re.compile(WORDS, re.DOTALL)
BLOCK = re.compile(r"\s*(?P<address>(?:0[xX])?[0-9a-fA-F]+)\s+(?P<size>\d+)\s+(?P<rest>\S.*)$", re.DOTALL)
OF_BLOCK = re.compile(r"(?P<age>\d+|old)\s+(?P<thread>\d+-\d+)\s+(?P<time>old|\d+)\s+(?:(?P<crawl>.*)\s)?"
                      r"\s*(?P<by>notask|\d+-\d+)(?:\s+(?P<end>.*))?$", re.DOTALL)
TITLE = re.compile(r"\s*(thread\s+time|address\s+size)\b", re.IGNORECASE)


class Event:
    """A parsed line: `kind` is allocation, deletion or old; `type` and `crawl` are as in the file."""

    def __init__(self, kind, line, **columns):
        self.kind, self.line, self.corrupt = kind, line, False
        self.thread = self.time = None
        self.size, self.type, self.crawl = 0, None, ""
        vars(self).update(columns)


class Block:
    """A piece of memory from event number `born` (-1: old) to event number `dead`."""

    def __init__(self, event, born):
        self.address, self.size, self.line = event.address, event.size, event.line
        self.old, self.born, self.dead = event.kind == "old", born, NEVER
        self.birth, self.deletion = event, None
        self.site = None if self.old else frames_of(event.crawl)
        self.displaced = self.temporary = False

    def alive(self, moment):
        """Return true right after the event with that number; -1 is the start."""
        return self.born <= moment < self.dead

    def age(self):
        return max(0, self.deletion.time - self.birth.time)


# ---------------------------------------------------------------- lines

def frames_of(crawl):
    """Return the frames of a crawl, innermost first. A `|` directly after `operator` belongs to the name. So
    does a `=` after that or, unless a name follows, another `|`."""
    frames, frame, at = [], "", 0
    while at < len(crawl):
        if crawl[at] != "|":
            frame, at = frame + crawl[at], at + 1
        elif re.search(r"(?<![\w$~])operator$", frame):
            after = crawl[at + 1:at + 3]
            taken = 2 if after[:1] == "=" or after in ("|", "|(", "||") else 1
            frame, at = frame + crawl[at:at + taken], at + taken
        else:
            frames.append(frame)
            frame, at = "", at + 1
    return tuple(f.strip() for f in [*frames, frame] if f.strip())


def split_type(text):
    """Return (the type, the rest). Blanks in a type are within brackets. If brackets are not balanced, the type
    is a word."""
    depth = 0
    for at, letter in enumerate(text):
        if letter in "<(":
            depth += 1
        elif letter in ">)":
            depth -= 1
        elif letter.isspace() and depth <= 0:
            return text[:at], text[at:].strip()
    if depth > 0:
        first, _, rest = text.partition(" ")
        return first, rest.strip()
    return text, ""


def number(text, base=10):
    value = int(text, base)
    if value > LARGEST:
        raise ValueError(text)
    return value


def log_event(line, at):
    """Return the event of a line, or None."""
    match = EVENT.match(line)
    if match is None:
        return None
    try:
        address = number(match["address"], 16)
        size = 0 if match["size"] == "del" else number(match["size"])
        time = None if match["time"] == "old" else number(match["time"])
    except ValueError:
        return None
    type_, crawl = split_type((match["rest"] or "").strip())
    kind = "old" if time is None else "deletion" if match["size"] == "del" else "allocation"
    if kind == "old" and match["size"] == "del" or kind != "old" and not type_:
        return None
    return Event(kind, at, thread=match["thread"], time=time, address=address, size=size,
                 type=type_ or None, crawl=crawl, corrupt=bool(match["star"]))


def block_columns(line):
    """Return the nine columns of a line of a heap analysis file, or None."""
    if "\t" in line:
        columns = [c.strip() for c in line.split("\t")]
        return columns if len(columns) == 9 else None
    match = BLOCK.match(line)
    if match is None:
        return None
    type_, rest = split_type(match["rest"].strip())
    found = OF_BLOCK.match(rest)
    if found is None:
        return None
    return [match["address"], match["size"], type_, found["age"], found["thread"], found["time"],
            (found["crawl"] or "").strip(), found["by"], (found["end"] or "").strip()]


def analysis_events(line, at):
    """Return the events of a block of a heap analysis file: an old block or an allocation, and perhaps a
    deletion. For an old block, the deletion's time is an age. None if the line is not a block."""
    columns = block_columns(line)
    if columns is None:
        return None
    address, size, type_, age, thread, time, crawl, by, end = columns
    try:
        address, size = number(re.sub("^0[xX]", "", address), 16), number(size)
        old = time == "old" or thread == "0-0"
        born = None if old else number(time)
        if not THREAD.fullmatch(thread) or by != "notask" and not THREAD.fullmatch(by):
            return None
        lived = number(age) if by != "notask" else 0
        began = number(time) if time != "old" else None
    except ValueError:
        return None
    first = Event("old" if old else "allocation", at, thread=thread, time=born, address=address,
                  size=size, type=type_ if old else "novtbl", crawl="" if old else crawl)
    if by == "notask":
        return [first]
    last = Event("deletion", at, thread=by, address=address, type=type_,
                 crawl="" if end == "nochain" else end, time=None if began is None else began + lived)
    last.age = lived
    return [first, last]


class Log:
    """Contents of a file: events in the order of their replay."""

    def __init__(self, path, reorder=WAITING):
        raw, ended = lines_of(path)
        lines = [text_of(line) for line in raw]
        self.complete = ended
        if not ended:  # truncated, perhaps within a number: it does not count
            lines.pop()
        self.events, self.corruptions, self.bad_rows = [], [], 0
        self.kind = self.kind_of(lines)
        banner = started = False
        for at, line in enumerate(lines, 1):
            starred = line.lstrip().startswith("***")
            if starred and not banner:
                self.corruptions.append((at, line.strip()))
            banner = starred
            if starred or not line.strip() or TITLE.match(line):
                continue
            found = self.read(line, at)
            started = started or found is not None
            if found is not None:
                self.events += found
            elif started or self.kind == "log":
                self.bad_rows += 1
        self.moved = 0
        if self.kind == "analysis":
            self.order()
        else:
            self.wait(reorder)
        times = [e.time for e in self.events if e.time is not None]
        self.first = times[0] if times else 0
        self.last = max([self.first, *(times if self.kind == "analysis" else self.tail(path))])

    @staticmethod
    def kind_of(lines):
        """Return the kind of a file by its first line with an event or a block."""
        for at, line in enumerate(lines, 1):
            if log_event(line, at):
                return "log"
            if analysis_events(line, at):
                return "analysis"
        return "log"

    def read(self, line, at):
        if self.kind == "analysis":
            return analysis_events(line, at)
        event = log_event(line, at)
        return None if event is None else [event]

    def order(self):
        """Sort by time. Old blocks come first, and their ages are counted from the first time."""
        first = min((e.time for e in self.events if e.time is not None), default=0)
        for event in self.events:
            if event.kind == "deletion" and event.time is None:
                event.time = first + event.age
        self.events.sort(key=lambda e: (e.time is not None, e.time or 0))

    def wait(self, reorder):
        """Sort by time with a limited number of waiting events: when one more comes, the earliest one leaves.
        Events of equal times stay in the order of lines. Old blocks have no time, and stay after the event
        before them."""
        highest, waiting, ordered = 0, [], []
        for event in self.events:
            if event.time is not None:
                self.moved += event.time < highest
                highest = max(highest, event.time)
            time = highest if event.time is None else event.time
            waiting.append((time, event.line, event))
            if len(waiting) > reorder:
                earliest = min(waiting, key=lambda w: w[:2])
                waiting.remove(earliest)
                ordered.append(earliest[2])
        self.events = ordered + [w[2] for w in sorted(waiting, key=lambda w: w[:2])]

    def tail(self, path):
        """Return the times in the whole lines of the last 64 KiB."""
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            file.seek(max(0, size - TAIL))
            lines = file.read().split(b"\n")
        found = [log_event(text_of(line.rstrip(b"\r")), 0) for line in lines[1 if size > TAIL else 0:-1]]
        return [e.time for e in found if e is not None and e.time is not None]


# ---------------------------------------------------------------- replay

class Replay:
    """The blocks of a log. Moments are numbers of events; old lines are not events."""

    def __init__(self, log, temporary="1"):
        self.log, self.blocks, self.anomalies = log, [], []
        self.events = [e for e in log.events if e.kind != "old"]
        self.counts, self.per_thread = collections.Counter(), collections.Counter()
        self.temporary = temporary
        self.replay()
        self.types = self.inferred_types()

    def replay(self):
        alive, freed, highest, moment = {}, {}, 0, -1
        for event in self.log.events:
            self.counts["corrupt_events"] += event.corrupt
            if event.kind == "old":
                if event.address in alive:
                    self.anomaly("nonunique-allocation", event)
                else:
                    alive[event.address] = self.add(Block(event, -1))
                continue
            moment += 1
            event.moment = moment
            self.per_thread[event.thread] += 1
            event.nth = self.per_thread[event.thread]
            if event.time < highest:  # it came too late to be sorted
                self.anomaly("time-order", event)
            highest = max(highest, event.time)
            block = alive.pop(event.address, None)
            if event.kind == "allocation":
                if block is not None:
                    self.anomaly("nonunique-allocation", event, before=block.line)
                    block.dead, block.displaced = moment, True
                alive[event.address] = self.add(Block(event, moment))
                freed.pop(event.address, None)
            elif block is not None:
                block.dead, block.deletion = moment, event
                freed[event.address] = event
                if not block.old and block.birth.thread != event.thread:
                    self.anomaly("cross-thread-deletion", event, before=block.line)
            elif event.address in freed:
                self.anomaly("double-deletion", event, before=freed[event.address].line)
            else:
                self.anomaly("bad-address-deletion", event)
        for at, text in self.log.corruptions:
            self.anomalies.append({"kind": "corruption", "line": at, "text": text})
        for block in self.blocks:
            block.temporary = self.is_temporary(block)

    def add(self, block):
        self.blocks.append(block)
        return block

    def anomaly(self, kind, event, before=None):
        row = {"kind": kind, "line": event.line, "address": f"{event.address:x}"}
        if event.time is not None:
            row["time_us"] = max(0, event.time - self.log.first)
        if before is not None:
            row["before_line"] = before
        self.anomalies.append(row)

    def is_temporary(self, block):
        if block.old or block.deletion is None:
            return False
        if self.temporary.endswith("us"):
            return block.age() <= int(self.temporary[:-2])
        if block.deletion.thread != block.birth.thread:
            return False
        return block.deletion.nth - block.birth.nth <= int(self.temporary)

    def inferred_types(self):
        """Return {site: (type or None, percent of its deletions with this type)}."""
        seen = {}
        for block in self.blocks:
            if not block.old:
                seen.setdefault(block.site, [])
                if block.deletion is not None:
                    seen[block.site].append(block.deletion.type)
        types, self.sure = {}, {}
        for site, all_ in seen.items():
            known = collections.Counter(t for t in all_ if t not in NO_TYPES)
            best = min(known, key=lambda t: (-known[t], utf8(t)), default=None)
            types[site] = (best, known[best] * 100 / len(all_) if best is not None else None)
            self.sure[site] = (known[best], len(all_) or 1)
        return types

    def type_of(self, block):
        """Return the type of a block: the one that its deletion states, otherwise an inferred one."""
        if block.old:
            return block.birth.type or UNKNOWN
        if block.deletion is not None:
            return block.deletion.type
        return self.types[block.site][0] or UNKNOWN

    def last(self):
        return len(self.events) - 1

    def live(self, moment):
        return [b for b in self.blocks if b.alive(moment)]

    def moment_at(self, time):
        """Return the last event that is not later than a time; "peak" is a time too."""
        if time == "peak":
            return self.peak()[0]
        for event in self.events:
            if event.time - self.log.first > time:
                return event.moment - 1
        return self.last()

    def changes(self):
        """Yield (moment, objects, bytes) at the start and after each event."""
        objects, bytes_ = collections.Counter(), collections.Counter()
        for block in self.blocks:
            for at, sign in ((block.born, 1), (block.dead, -1)):
                objects[at] += sign
                bytes_[at] += sign * block.size
        many = much = 0
        for moment in range(-1, len(self.events)):
            many, much = many + objects[moment], much + bytes_[moment]
            yield moment, many, much

    def peak(self):
        """Return (moment of most bytes, most objects, most bytes)."""
        states = list(self.changes())
        moment, _, most = min(states, key=lambda s: (-s[2], s[0]))
        return moment, max(s[1] for s in states), most

    def time_of(self, moment):
        return max(0, self.events[moment].time - self.log.first) if moment >= 0 else 0


# ---------------------------------------------------------------- answers

def size(blocks):
    return sum(b.size for b in blocks)


def count(blocks):
    return {"objects": len(blocks), "bytes": size(blocks)}


def totals_of(replay):
    kinds = collections.Counter(a["kind"] for a in replay.anomalies)
    live = replay.live(replay.last())
    old = [b for b in replay.blocks if b.old]
    created = [b for b in replay.blocks if not b.old]
    leaked = [b for b in live if not b.old]
    temporary = [b for b in replay.blocks if b.temporary]
    moment, most, largest = replay.peak()
    return {
        "live_objects": len(live), "live_bytes": size(live),
        "created_objects": len(created), "created_bytes": size(created),
        "deleted_objects": len([b for b in replay.blocks if b.deletion is not None]),
        "peak_objects": most, "peak_bytes": largest, "peak_time_us": replay.time_of(moment),
        "old_objects": len(old), "old_bytes": size(old),
        "old_live_objects": len([b for b in live if b.old]),
        "old_live_bytes": size([b for b in live if b.old]),
        "leaked_objects": len(leaked), "leaked_bytes": size(leaked),
        "temporary_objects": len(temporary), "temporary_bytes": size(temporary),
        "unmatched_deletions": kinds["double-deletion"] + kinds["bad-address-deletion"],
        "double_deletions": kinds["double-deletion"],
        "bad_address_deletions": kinds["bad-address-deletion"],
        "nonunique_allocations": kinds["nonunique-allocation"],
        "displaced_objects": len([b for b in replay.blocks if b.displaced]),
        "corruptions": kinds["corruption"], "corrupt_events": replay.counts["corrupt_events"],
        "cross_thread_deletions": kinds["cross-thread-deletion"],
        "late_events": kinds["time-order"], "reordered_events": replay.log.moved - kinds["time-order"],
        "threads": len({e.thread for e in replay.events} - {"0-0"}),
        "crawls": len({b.site for b in created if b.site}),
    }


def bounds_of(replay, slices):
    """Return the ends of the slices in time, and the slice of each event."""
    first, last = replay.log.first, replay.log.last
    bounds = [first + (last - first) * k // slices for k in range(slices + 1)]
    slice_of, current = [], 1
    for event in replay.events:
        while current < slices and bounds[current] < event.time:
            current += 1
        slice_of.append(current)
    return bounds, slice_of


def snapshots_of(replay, slices):
    first = replay.log.first
    bounds, slice_of = bounds_of(replay, slices)
    rows, before = [], 0
    for k, bound in enumerate(bounds):
        inside = {m for m, s in enumerate(slice_of) if s == k}
        live = replay.live(max((m for m, s in enumerate(slice_of) if s <= k), default=-1))
        row = {
            "sequence": k, "time_us": bound - first,
            "created_objects": len([b for b in replay.blocks if b.born in inside]),
            "deleted_objects": len([b for b in replay.blocks if b.dead in inside and b.deletion]),
            "live_objects": len(live), "live_bytes": size(live), "delta_bytes": size(live) - before}
        if k == 0:
            row["tag"] = "start"
        rows.append(row)
        before = size(live)
    return rows


def judged(replay, site, blocks):
    """Return (type or None, percent) of the leaks at a site. Types of blocks that are deleted later are stated;
    others are inferred, with a percentage."""
    guess, sure = replay.types[site]
    weights = collections.Counter()
    for block in blocks:
        if block.deletion is None:
            if guess is not None:
                weights[guess] += fractions.Fraction(*replay.sure[site])
        elif block.deletion.type not in NO_TYPES:
            weights[block.deletion.type] += 1
    best = min(weights, key=lambda t: (-weights[t], utf8(t)), default=None)
    return best, float(weights[best] * 100 / len(blocks)) if best is not None else None


def leaks_of(replay, slices, moment):
    sites, slice_of = {}, bounds_of(replay, slices)[1]
    moments = {(0, slice_of[b.born]) for b in replay.blocks if not b.old and b.born <= moment}
    for block in replay.live(moment):
        if not block.old:
            sites.setdefault(block.site, []).append(block)
    rows = []
    for site, blocks in sites.items():
        type_, percent = judged(replay, site, blocks)
        same = [b for b in replay.blocks if b.site == site and b.born <= moment]
        row = {"type": type_ or UNKNOWN, **count(blocks), "created_objects": len(same),
               **births_of({(0, slice_of[b.born]) for b in blocks}, moments),
               "deleted_objects": len([b for b in same if b.deletion and b.dead <= moment]),
               "stack": list(site)}
        if type_ is not None:
            row |= {"inferred_type": type_, "inferred_type_percent": percent}
        rows.append(row)
    rows.sort(key=lambda r: (-r["bytes"], -r["objects"], utf8(r["type"]),
                             [utf8(frame) for frame in r["stack"]]))
    return [{"rank": rank} | row for rank, row in enumerate(rows, 1)]


def key_of(replay, block, by):
    """Return the group of a block: its type, its function, or its site with the site's type."""
    if by == "type":
        return (replay.type_of(block), ())
    if by == "source":
        return (block.site[0] if block.site and not block.old else "(session)", ())
    if block.old:
        return (f"{replay.type_of(block)} at (session)", ())
    type_ = replay.types[block.site][0] or UNKNOWN
    return (f"{type_} at {block.site[0] if block.site else '(session)'}", block.site)


def grouped(replay, moment, by):
    groups = {}
    for block in replay.live(moment):
        groups.setdefault(key_of(replay, block, by), []).append(block)
    return groups


def key_order(key):
    return utf8(key[0]), [utf8(frame) for frame in key[1]]


def top_of(replay, moment, by):
    groups = grouped(replay, moment, by)
    total = sum(map(size, groups.values()))
    order = sorted(groups, key=lambda key: (-size(groups[key]), key_order(key)))
    rows = []
    for rank, key in enumerate(order, 1):
        row = {"rank": rank, "key": key[0], **count(groups[key]),
               "percent": size(groups[key]) * 100 / total if total else 0.0}
        if by == "site":
            row["stack"] = list(key[1])
        rows.append(row)
    return rows


def usual(log):
    """Return the default grouping; a log without types is grouped by function."""
    named = any(event.type not in (None, "", "novtbl", "notype") for event in log.events)
    return "type" if named else "source"


def growth_of(replay, by):
    """Return the groups that differ between the start and the end, in objects or in bytes."""
    before, after = ({key: count(blocks) for key, blocks in
                      grouped(replay, moment, by).items()} for moment in (-1, replay.last()))
    return growth_rows(before, after, lambda key: key[0])


def powers(pairs, unit):
    """Divide (value, block) pairs into classes [0,1), [1,2), [2,4), [4,8) ..., without empty ones."""
    classes = {}
    for value, block in pairs:
        classes.setdefault(value.bit_length(), []).append(block)
    return [{f"from_{unit}": 1 << bits >> 1, f"to_{unit}": 1 << bits, **count(classes[bits])}
            for bits in sorted(classes)]


def lifetimes_of(replay):
    dead = [b for b in replay.blocks if b.deletion is not None and not b.old]
    ages = sorted(b.age() for b in dead)
    row = {"deaths": len(dead), "buckets": powers([(b.age(), b) for b in dead], "us")}
    if dead:
        row |= {"min_us": ages[0], "max_us": ages[-1], "median_us": ages[-(-len(ages) // 2) - 1],
                "p90_us": ages[-(-len(ages) * 9 // 10) - 1]}
    return row


def threads_of(replay):
    pairs = {}
    for block in replay.blocks:
        if block.deletion is not None and not block.old and \
                block.birth.thread != block.deletion.thread:
            pairs.setdefault((block.birth.thread, block.deletion.thread), []).append(block)
    rows = [{"allocated_by": by, "deleted_by": other, **count(blocks)}
            for (by, other), blocks in pairs.items()]
    return sorted(rows, key=lambda r: (-r["bytes"], -r["objects"], utf8(r["allocated_by"]),
                                       utf8(r["deleted_by"])))


def report(path, slices=20, by=None, at=None, temporary="1", reorder=WAITING):
    log = Log(path, reorder)
    replay = Replay(log, temporary)
    moment = replay.last() if at is None else replay.moment_at(at)
    return {
        "complete": log.complete,
        "kind": log.kind,
        "bad_rows": log.bad_rows,
        "totals": totals_of(replay),
        "snapshots": snapshots_of(replay, slices),
        "leaks": leaks_of(replay, slices, moment),
        "top": top_of(replay, moment, by or usual(log)),
        "growth": growth_of(replay, usual(log)),
        "lifetimes": lifetimes_of(replay),
        "sizes": powers([(b.size, b) for b in replay.blocks if not b.old], "bytes"),
        "threads": threads_of(replay),
        "anomalies": sorted(replay.anomalies, key=lambda a: (a["line"], a["kind"])),
    }


# ---------------------------------------------------------------- random logs

FRAMES = ["main", "TShop::Run()", "TShop::Order(const TText&,long)", "THeap::Grow(int)",
          "TOrder::operator|(const TFlags&)", "TOrder::operator||(bool)", "TFlags::operator|=(int)",
          "TText::operator<<(const long)", "TList<TText, int>::Add(TText *)", "operator new(unsigned)"]
NAMES = ["TOrder", "TText", "TList<TText, int>", "TPair<TMap<int, long>, (anonymous class)>", "TLock"]


class Maker:
    """Text of a random log. It knows the live blocks only roughly, which is enough for matching deletions."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        chance = self.chance
        self.blank = chance.choice(["\t", " ", "      "])
        self.threads = [f"{n}-{chance.randrange(99999)}" for n in range(1, chance.randrange(2, 6))]
        self.addresses = [0xb2360000 + 8 * n for n in range(chance.choice((3, 12, 200)))]
        self.crawls = ["|".join(chance.choices(FRAMES, k=chance.randrange(1, 5))) for _ in range(6)]
        self.time, self.alive, self.odd = chance.choice((0, 759537687555872)), {}, chance.random() / 5

    def address(self, value):
        return self.chance.choice(("0x%x", "0x%X", "%x", "%08x") if not self.odd else ("0x%x",)) % value

    def some(self, likely):
        """Return an address: usually a likely one, sometimes any."""
        if likely and self.chance.random() >= self.odd:
            return self.chance.choice(sorted(likely))
        return self.chance.choice(self.addresses)

    def type(self, *others):
        return self.chance.choice(NAMES + list(others))

    def event(self):
        chance = self.chance
        self.time += chance.choice((0, 1, 1, 2, 7, 300, 5000))
        time = max(0, self.time - chance.randrange(400)) if chance.random() < self.odd / 2 else self.time
        thread = chance.choice(self.threads)
        if chance.random() < 0.12:
            address = self.some(set(self.addresses) - set(self.alive))
            self.alive.setdefault(address, "0-0")
            type_ = self.type("novtbl", "notype", "")
            return ["0-0", "old", self.address(address), str(chance.randrange(100)), type_]
        crawl = chance.choice([*self.crawls, ""] if self.odd > 0.1 else self.crawls)
        if chance.random() < 0.55:
            address = self.some(set(self.addresses) - set(self.alive))
            self.alive[address] = thread
            return [thread, str(time), self.address(address),
                    str(chance.choice((0, 1, 8, 12, 64, 1000, chance.randrange(1 << 20)))), "novtbl", crawl]
        address = self.some(self.alive)
        by = self.alive.pop(address, thread)
        if by == "0-0" or chance.random() < 0.2:
            by = thread
        return [by, str(time), self.address(address), "del", self.type("novtbl", "notype"), crawl]

    def text(self):
        chance, lines = self.chance, []
        if chance.random() < 0.5:
            lines.append(self.blank.join(["Thread", "Time of event", "Address", "Size", "Type",
                                          "Stack crawl"]))
        star = False
        for _ in range(chance.randrange(2, 201)):
            if chance.random() < self.odd / 8:
                lines += [f"*** Tree heap corrupt with error {n}." for n in
                          range(chance.randrange(1, 4))]
                star = True
            if chance.random() < self.odd / 8:
                lines.append(chance.choice(("", "   ", "monitor paused")))
            mark = "*" if star and chance.random() < 0.5 else ""
            lines.append((mark + self.blank.join(self.event())).rstrip())
        return "".join(line + "\n" for line in lines)


def random_log(seed):
    """Return a log of 2 to 200 events that may have any peculiarity."""
    return Maker(seed).text()


def random_analysis(seed):
    """Return a heap analysis file. Its events are ordered by time. It is unusual because blocks at one address
    may overlap in time."""
    maker = Maker(seed)
    chance, lines = maker.chance, []
    if chance.random() < 0.5:
        lines += ["Heap analysis", "2 anomalies were found", ""]
    for _ in range(chance.randrange(1, 100)):
        old, dead = chance.random() < 0.1, chance.random() < 0.6
        maker.time += chance.randrange(50)
        crawl = chance.choice(maker.crawls)
        lines.append(maker.blank.join([
            maker.address(maker.some([])), str(chance.randrange(500)),
            maker.type("notype", "novtbl"), str(chance.randrange(100) if dead else 5),
            "0-0" if old else chance.choice(maker.threads), str(maker.time),
            crawl, chance.choice(maker.threads) if dead else "notask",
            chance.choice(maker.crawls) if dead else "nochain"]))
    return "".join(line + "\n" for line in lines)


# ---------------------------------------------------------------- self test

SMALL = """\
Thread  Time  Address  Size  Type  Stack crawl
0-0 old 0x10 48 TLock
1-1 1000 0x20 100 novtbl A::operator|(int)|main
1-1 1001 0x20 del TText B|main
1-1 1010 0x20 50 novtbl A::operator|(int)|main
2-1 1020 0x30 8 novtbl C
1-1 1030 0x30 del notype B|main
1-1 1030 0x30 del notype B|main
*** Tree heap corrupt with error 5.
*** Chunky heap corrupt with error 1.
*1-1 1040 0x20 60 novtbl TList<int, long>::Add(int)|main
1-1 1035 0x99 del TText B|main
0-0 old 0x40 2
1-1 1100 0x10 del TLock B|main
not a row
"""


# The block of 20 bytes lives from 1000 to 1010. The line of its allocation comes third, after two later
# events.
LATE = """\
1-1 1010 0x20 del TText B|main
2-1 1020 0x30 7 novtbl C
1-1 1000 0x20 20 novtbl A|main
"""


def of_text(text, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "log"
        path.write_text(text, encoding="utf-8")
        return report(path, **options)


def self_test():
    """Compare with figures calculated by hand."""
    small = of_text(SMALL, slices=2)
    totals = small["totals"]
    slices = [(r["time_us"], r["created_objects"], r["deleted_objects"], r["live_objects"],
               r["live_bytes"], r["delta_bytes"]) for r in small["snapshots"]]
    leaks = [(r["type"], r["objects"], r["bytes"], r["stack"]) for r in small["leaks"]]
    late, kept, strict = (of_text(LATE, reorder=n)["totals"] for n in (WAITING, 2, 1))
    dump = of_text("Anomalies: none\n0x20 9 TText 40 2-2 100 A|B 1-1 C|D\n"
                   "0x10 4 TLock 7 0-0 0 1-1 E\n0x20 7 novtbl 3 1-1 150 A x(int, long)|B notask nochain\n")
    expected = [
        (totals["live_objects"], 2), (totals["live_bytes"], 62), (totals["created_objects"], 4),
        (totals["created_bytes"], 218), (totals["deleted_objects"], 3), (totals["peak_objects"], 4),
        (totals["peak_bytes"], 150), (totals["peak_time_us"], 0), (totals["old_objects"], 2),
        (totals["old_bytes"], 50), (totals["old_live_objects"], 1), (totals["old_live_bytes"], 2),
        (totals["leaked_objects"], 1), (totals["leaked_bytes"], 60), (totals["temporary_objects"], 1),
        (totals["temporary_bytes"], 100), (totals["unmatched_deletions"], 2),
        (totals["double_deletions"], 1), (totals["bad_address_deletions"], 1),
        (totals["nonunique_allocations"], 1), (totals["displaced_objects"], 1),
        (totals["corruptions"], 1), (totals["corrupt_events"], 1), (totals["threads"], 2),
        (totals["cross_thread_deletions"], 1), (totals["crawls"], 3), (small["bad_rows"], 1),
        (slices, [(0, 0, 0, 2, 50, 50), (50, 4, 2, 3, 110, 60), (100, 0, 1, 2, 62, -48)]),
        (leaks, [(UNKNOWN, 1, 60, ["TList<int, long>::Add(int)", "main"])]),
        ([r["key"] for r in small["growth"]], [UNKNOWN, "TLock"]),
        (small["lifetimes"], {"deaths": 2, "min_us": 1, "max_us": 10, "median_us": 1, "p90_us": 10,
                              "buckets": [{"from_us": 1, "to_us": 2, "objects": 1, "bytes": 100},
                                          {"from_us": 8, "to_us": 16, "objects": 1, "bytes": 8}]}),
        (small["threads"], [{"allocated_by": "2-1", "deleted_by": "1-1", "objects": 1, "bytes": 8}]),
        ([r["from_bytes"] for r in small["sizes"]], [8, 32, 64]),
        ([(r["kind"], r["line"]) for r in small["anomalies"]],
         [("cross-thread-deletion", 7), ("double-deletion", 8), ("corruption", 9),
          ("nonunique-allocation", 11), ("bad-address-deletion", 12)]),
        ((totals["late_events"], totals["reordered_events"]), (0, 1)),
        ([(r["kind"], r["line"]) for r in of_text(SMALL, reorder=0)["anomalies"]][-1], ("time-order", 12)),
        *[((late[name], kept[name], strict[name]), figures) for name, figures in (
            ("live_bytes", (7, 7, 7 + 20)), ("leaked_objects", (1, 1, 2)), ("deleted_objects", (1, 1, 0)),
            ("bad_address_deletions", (0, 0, 1)), ("late_events", (0, 0, 1)),
            ("reordered_events", (1, 1, 0)), ("peak_bytes", (20, 20, 27)))],
        ([(r["key"], r["bytes"]) for r in of_text(SMALL, at=10)["top"]],
         [("TText", 50), ("TLock", 48), (UNKNOWN, 2)]),
        ([(r["key"], r["bytes"]) for r in of_text(SMALL, at="peak", by="site")["top"]],
         [("TText at A::operator|(int)", 100), ("TLock at (session)", 48), ("(unknown) at (session)", 2)]),
        (of_text(SMALL, temporary="10us")["totals"]["temporary_objects"], 2),
        (of_text(SMALL, temporary="0us")["totals"]["temporary_objects"], 0),
        (dump["kind"], "analysis"), (dump["bad_rows"], 0), (dump["totals"]["live_bytes"], 7),
        (dump["totals"]["peak_bytes"], 9), (dump["totals"]["cross_thread_deletions"], 1),
        (dump["totals"]["old_objects"], 1), (dump["lifetimes"]["max_us"], 40),
        (dump["leaks"][0]["stack"], ["A x(int, long)", "B"]), (dump["leaks"][0]["type"], UNKNOWN),
        (frames_of("operator|(a)|b|T::operator||(c)| d |operator|=(e)"),
         ("operator|(a)", "b", "T::operator||(c)", "d", "operator|=(e)")),
        (frames_of("my_operator|main"), ("my_operator", "main")),
        (split_type("A<b c>(d e) f g"), ("A<b c>(d e)", "f g")),
    ]
    return compare_figures(expected)


def moment(text):
    return text if text == "peak" else int(text)


def main():
    parser = argparse.ArgumentParser(description="naive replay of Taligent logs")
    parser.add_argument("--slices", type=int, default=20)
    parser.add_argument("--by", choices=["type", "site"], default="type")
    parser.add_argument("--at", type=moment, metavar="MICROSECONDS|peak")
    parser.add_argument("--temporary", default="1", metavar="N|Nus")
    parser.add_argument("--reorder", type=int, default=WAITING, metavar="EVENTS")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("path", nargs="?", metavar="FILE")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if not options.path:
        parser.error("which file?")
    json.dump(report(options.path, options.slices, options.by, options.at, options.temporary,
                     options.reorder),
              sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
