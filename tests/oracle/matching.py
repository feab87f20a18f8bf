#!/usr/bin/env python3
"""Match the sites of two memory recordings by the rules of the manual (`diff`).

    matching.py BASE NEW

Print what changed, with a row for each site or sum of sites, in the names of `memprof diff --format json`.
Everything is tried out and added up again, so it is slow and short.
"""

import json
import sys
from collections import Counter
from typing import NamedTuple

import oemp

AMOUNTS = ["objects", "bytes", "created_objects", "deleted_objects", "leaked_objects",
           "leaked_bytes"]
COUNTS = ["objects", "created_objects", "deleted_objects", "leaked_objects"]
SIZES = ["bytes", "leaked_bytes"]


class Site(NamedTuple):
    """A site. `frames` and `lines` begin with the innermost one; the first line is that of creation."""
    type: str
    name: str  # name, for sites without a stack
    frames: tuple
    lines: tuple

    def family(self):
        return self.type, self.name, self.frames

    def function(self):
        return self.type, self.name, self.frames[:1]

    def order(self):
        """the outermost line that differs decides"""
        return self.lines[::-1]


def site_of(recording, thing):
    frames, lines, node, line = [], [], thing.node, thing.line
    while node in recording.nodes:
        source, parent, parent_line = recording.nodes[node]
        frames.append(recording.source_name(source))
        lines.append(line)
        node, line = parent, parent_line
    name = "" if frames else recording.object_name(thing) or ""
    return Site(recording.type_name(thing), name, tuple(frames), tuple(lines) or (thing.line,))


def sites_of(path):
    """Return {site: its amounts at the end}."""
    recording = oemp.Recording(oemp.join_recordings([path])[0][0])
    recording.choose(None, None)
    sites, members = {}, {}

    def add(thing, **amounts):
        sites.setdefault(site_of(recording, thing), Counter()).update(amounts)

    for thing in recording.ordinary(recording.end):
        leaked = thing.first > recording.start
        members.setdefault(site_of(recording, thing), []).append(thing)
        add(thing, objects=1, bytes=thing.bytes, leaked_objects=int(leaked),
            leaked_bytes=thing.bytes * leaked)
    for kind in ("created", "deleted"):
        for thing in recording.events_of(kind, recording.end):
            add(thing, **{f"{kind}_objects": 1})
    for site, things in members.items():
        sites[site]["inclusive_bytes"] = oemp.size(oemp.with_scoped(recording, recording.end, things))
    return sites


# ---------------------------------------------------------------- sums and changes

def total(sites):
    """Return the sum of the sites. Missing amounts are 0."""
    return sum((amounts for _, amounts in sites), Counter())


def inclusive(sites):
    """Return the sum including scoped objects; None if an object may belong to several sites."""
    sites = [amounts for _, amounts in sites if amounts["inclusive_bytes"]]
    if len(sites) > 1 and any(a["inclusive_bytes"] != a["bytes"] for a in sites):
        return None
    return sum(a["inclusive_bytes"] for a in sites)


def change(base, new):
    """Return (change of numbers, change of sizes)."""
    return (sum(abs(new[name] - base[name]) for name in COUNTS),
            sum(abs(new[name] - base[name]) for name in SIZES))


def added(changes):
    changes = list(changes)
    return sum(c[0] for c in changes), sum(c[1] for c in changes)


# ---------------------------------------------------------------- steps

NOTHING = (None, Counter())


def by(key, base, new):
    """Return groups of sites with a common key: (base sites, new sites), in order."""
    keys = {key(site) for site, _ in [*base, *new]}
    for one in keys:
        yield ([s for s in base if key(s[0]) == one], [s for s in new if key(s[0]) == one])


def shifts(fewer, more):
    """Yield all ways to pair the sites of the shorter list with those of the longer one in order, if the
    unpaired ones are adjacent: (pairs, unpaired)."""
    extra = len(more) - len(fewer)
    for split in range(len(fewer), -1, -1):
        rest = more[:split] + more[split + extra:]
        yield list(zip(fewer, rest)), more[split:split + extra]
        if not extra:
            return


def moved_in_blocks(pairs):
    """Return true if each place where lines were inserted or deleted moves at least two sites by the same
    distance."""
    by_lines = [sum(b[0].lines) - sum(a[0].lines) for a, b in pairs]
    places = sum(one != before for before, one in zip([0, *by_lines], by_lines))
    return sum(one != 0 for one in by_lines) >= 2 * places


def shifted(base, new):
    """Return (pairs, unpaired base sites, unpaired new sites) if the lines of the family have shifted, else
    None."""
    there, here = dict(base), dict(new)
    both = there.keys() & here.keys()
    if there.keys() == here.keys() or not both and (len(base) == len(new) or not base or not new):
        return None
    rest = [[s for s in side if s[0] not in both] for side in (base, new)]
    still = added([change(there[site], here[site]) for site in both] +
                  [change(total(rest[0]), total(rest[1]))] * bool(rest[0] and rest[1]))
    swap = len(new) < len(base)
    fewer, more = (new, base) if swap else (base, new)

    def moved(way):
        return added(change(a[1], b[1]) for a, b in way[0])

    pairs, left = best = min(shifts(fewer, more), key=moved)
    much = moved(best)
    one = 0 if much[0] != still[0] else 1  # compare by numbers or, if they are equal, by sizes
    if not (much < still and 2 * much[one] <= still[one] and moved_in_blocks(pairs)):
        return None
    return ([(b, a) if swap else (a, b) for a, b in pairs], left if swap else [],
            [] if swap else left)


def match_family(base, new):
    """Return (rows, unpaired base sites, unpaired new sites)."""
    read = shifted(base, new)
    if read:
        rows = [("exact" if a[0] == b[0] else "stack", [a], [b]) for a, b in read[0]]
        return rows, read[1], read[2]
    there, here = dict(base), dict(new)
    rows = [("exact", [(s, there[s])], [(s, here[s])]) for s in there.keys() & here.keys()]
    base = [s for s in base if s[0] not in here]
    new = [s for s in new if s[0] not in there]
    if len(base) == len(new):
        return rows + [("stack", [a], [b]) for a, b in zip(base, new)], [], []
    if base and new:
        return rows + [("stack", base, new)], [], []
    return rows, base, new


def match(base, new):
    """Return rows of (matched by, base sites, new sites)."""
    base, new = ([*sorted(side.items(), key=lambda s: s[0].order())] for side in (base, new))
    rows = []
    for key in (Site.family, lambda s: (s.function(), s.lines[0]), Site.function):
        left = [], []
        for one, other in by(key, base, new):
            if key is Site.family:
                more, one, other = match_family(one, other)
                rows += more
            elif one and other:
                rows.append(("type-and-function", one, other))
                continue
            left[0].extend(one)
            left[1].extend(other)
        base, new = left
    return rows + [(None, [s], []) for s in base] + [(None, [], [s]) for s in new]


def status(base, new):
    for name in ("bytes", "objects"):
        if new[name] != base[name]:
            was, is_ = (s["bytes"] or s["objects"] for s in (base, new))
            if bool(was) != bool(is_):
                return "new" if is_ else "gone"
            return "grown" if new[name] > base[name] else "shrunk"
    return None


def changes(base, new):
    """Return the changes from one file to another."""
    rows, sides = [], (sites_of(base), sites_of(new))
    scoped = any(amounts["inclusive_bytes"] != amounts["bytes"]
                 for side in sides for amounts in side.values())
    for matched_by, there, here in match(*sides):
        before, after = total(there), total(here)
        row = {"status": status(before, after)}
        if not row["status"]:
            continue
        if matched_by:
            row["matched_by"] = matched_by
        count = max(len(there), len(here))
        if count > 1:
            row["sites"] = count
        else:
            told = there if row["status"] == "gone" else here or there
            site = told[0][0]
            row["type"] = site.type
            row["stack"] = [f"{name}:{line}" for name, line in zip(site.frames, site.lines)]
        for name in AMOUNTS:
            row[f"base_{name}"], row[f"new_{name}"] = before[name], after[name]
        for side, sites in (("base", there), ("new", here)):
            if scoped and inclusive(sites) is not None:
                row[f"{side}_inclusive_bytes"] = inclusive(sites)
        rows.append(row)
    return rows


def main():
    if len(sys.argv) != 3:
        print("usage: matching.py BASE NEW", file=sys.stderr)
        return 2
    for row in changes(*sys.argv[1:]):
        print(json.dumps(row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
