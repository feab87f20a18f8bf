#!/usr/bin/env python3
"""Flame graphs: stacks add up to the figures of reports in each format, and pictures stay small.

  tests/flames.py --memprof PATH --server PATH   check each sample, and large generated inputs
  tests/flames.py --self-test                    stacks that do not add up must be detected

The sums are compared with `analyze --format json`, which does not use stacks. Lines of the format "folded" are
parsed by FlameGraph's grammar, files of speedscope by their schema.
"""
import collections
import fcntl
import json
import pathlib
import pty
import re
import struct
import sys
import tempfile
import termios
import xml.etree.ElementTree

import growing
from claims import ClaimsOfRuns, arguments

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
MOST = 1_000_000  # bytes of a picture
# Widths of stacks, and the total that they add up to.
OF = {"leaked": "leaked_bytes", "alive": "live_bytes", "created": "created_bytes",
      "temporary": "temporary_bytes", "seconds": "seconds", "calls": "calls", "retained": "live_bytes"}
KINDS = {".oemp": {"leaked", "alive", "created"}, ".prf": {"seconds", "calls"}, ".rpt": {"seconds", "calls"},
         ".taligent": {"leaked", "alive", "created", "temporary"}, ".gclog": {"retained", "alive"},
         ".sqlite": {"leaked", "alive", "created", "retained"}}
# Large inputs: many stacks, very deep stacks, and many types.
LARGE = {"wide.oemp": lambda: growing.oemp_wider(12_000), "deep.oemp": lambda: growing.oemp_deeper(64_000),
         "named.oemp": lambda: growing.oemp_names(12_000), "wide.prf": lambda: growing.prf_wider(12_000),
         "deep.prf": lambda: growing.prf_deeper(20_000), "types.gclog": lambda: growing.rpm_types(20_000),
         # characters that need more bytes in XML, and one that is written as another character
         "marks.oemp": lambda: growing.oemp_names(12_000).replace("method", "<&>" * 30),
         "unseen.oemp": lambda: growing.oemp_names(12_000).replace("table", "\u202e\u200b" * 20)}
FULL = {"wide.oemp", "named.oemp", "wide.prf", "deep.prf", "marks.oemp"}  # these pictures have as many frames as fit
FOLDED = re.compile(r"([^;\s][^;]*(?:;[^;]+)*) (\d+)")  # grammar of flamegraph.pl
CHANGED = re.compile(r"[^;\s][^;]*(?:;[^;]+)* (\d+) (\d+)")  # grammar of difffolded.pl
PAIRS = [("shop-v1.oemp", "shop-v2.oemp"), ("shop-v2.oemp@4", "shop-v2.oemp"), ("shop-v2.prf", "shop-v4.prf"),
         ("shop-v3.prf", "shop-v4.prf"), ("shop.taligent@8", "shop.taligent"), ("shop-1.gclog", "shop-3.gclog"),
         ("shop-aqtime.sqlite@2", "shop-aqtime.sqlite@3")]
BOUNDED = [("shop-v2.oemp", "alive"), ("shop.taligent", "created"), ("shop-v4.prf", "seconds"),
           ("shop-3.gclog", "retained"), ("shop-aqtime.sqlite", "alive")]
UNSEEN = 0.03  # percent of the whole: about a quarter of a pixel
SVG = "{http://www.w3.org/2000/svg}"


def in_units(total):
    """Convert seconds to whole microseconds."""
    return round(total * 1_000_000) if isinstance(total, float) else total


def sum_of_folded(text):
    """Return the sum of the lines; None if one of them is not a stack."""
    matches = [FOLDED.fullmatch(line) for line in text.splitlines()]
    return sum(int(match[2]) for match in matches) if all(matches) else None


def sums_of_changes(text):
    """Return the sums of both sides, the base first; None if a line is not a stack of a difference."""
    matches = [CHANGED.fullmatch(line) for line in text.splitlines()]
    return tuple(sum(int(match[i]) for match in matches) for i in (1, 2)) if all(matches) else None


def fault_of_speedscope(text, total):
    """Return what violates the schema, version 0.0.1 with profiles of events."""
    file = json.loads(text)
    frames, (profile,) = file["shared"]["frames"], file["profiles"]
    if file["$schema"] != "https://www.speedscope.app/file-format-schema.json":
        return "another schema"
    if not all(isinstance(frame["name"], str) and set(frame) <= {"name", "file", "line", "col"}
               for frame in frames):
        return "frames"
    if (profile["type"], profile["startValue"], profile["endValue"]) != ("evented", 0, total):
        return f"from {profile['startValue']} to {profile['endValue']}, not {total}"
    if profile["unit"] not in ("none", "bytes", "microseconds"):
        return f"unit {profile['unit']}"
    open_, at = [], 0
    for event in profile["events"]:
        if event["at"] < at or event["at"] > total or not 0 <= event["frame"] < len(frames):
            return f"event {event} behind {at}"
        at = event["at"]
        if event["type"] == "O":
            open_.append(event["frame"])
        elif event["type"] != "C" or not open_ or open_.pop() != event["frame"]:
            return f"event {event} closes another frame"
    return "frames stay open" if open_ else None


def fault_of_rows(rows, total, unit):
    """Own costs add up to the whole; own cost and children of a row add up to the row."""
    path, sums = [], {}
    for place, row in enumerate(rows):
        del path[row["depth"]:]
        sums[place] = in_units(row["own_" + unit])
        for above in path:
            sums[above] += in_units(row["own_" + unit])
        path.append(place)
        if len(path) != row["depth"] + 1:
            return f"row {place} is below nothing"
    wrong = [place for place, row in enumerate(rows) if in_units(row["inclusive_" + unit]) != sums[place]]
    whole = sum(in_units(row["own_" + unit]) for row in rows)
    return f"row {wrong[0]}" if wrong else f"{whole}, not {total}" if whole != total else None


def fault_of_svg(data, scripts=1):
    if len(data) > MOST:
        return f"{len(data)} bytes"
    try:
        root = xml.etree.ElementTree.fromstring(data)
    except xml.etree.ElementTree.ParseError as error:
        return str(error)
    names = {element.tag for element in root.iter()}
    known = {SVG + name for name in ("svg", "title", "desc", "style", "rect", "text", "g", "script")}
    if names - known:
        return f"elements {names - known}"
    if len(list(root.iter(SVG + "script"))) > scripts:
        return "scripts"
    if any(name.startswith("on") or name.endswith("href") for element in root.iter() for name in element.keys()):
        return "attributes that do something"
    return None


def fault_of_bounds(svg, rows, every):
    """The picture has the frames of the rows, and states how many others were left out."""
    root = xml.etree.ElementTree.fromstring(svg)
    frames = [group for group in root.iter(SVG + "g") if (group.get("class") or "").startswith("f ")]
    told = [group.find(SVG + "title").text.split("\n") for group in frames]
    drawn = collections.Counter(lines[0] for group, lines in zip(frames, told) if group.get("class") != "f rest")
    wanted = collections.Counter([told[0][0], *(row["frame"] for row in rows)])
    unseen = collections.Counter(row["frame"] for row in rows if row["percent"] < UNSEEN)
    if drawn - wanted or wanted - drawn - unseen:
        return f"has {drawn - wanted}, not {wanted - drawn}"
    rests = [int(lines[0][1:-len(" left out)")]) for group, lines in zip(frames, told)
             if group.get("class") == "f rest"]
    said = re.search(rf"{every - len(rows)} frames? (is|are) left out, as asked: ", svg.decode())
    return sum(rests) != every - len(rows) and f"{rests}" or bool(said) != (every > len(rows)) and f"said {said}"


class Law(ClaimsOfRuns):
    def fault(self, fault, *what):
        """Claim that there is no fault."""
        self.claim(not fault, *what, fault)

    def ask(self, *words):
        done = self.runs.run(*words)
        return done.returncode, done.stdout

    def totals(self, path, *words):
        return json.loads(self.ask("analyze", path, *words, "--format", "json")[1])["totals"]

    def hold_sums(self, path, of, rows=True):
        about, total = f"{path.name} {of}:", in_units(self.totals(path)[OF[of]])
        status, folded = self.ask("flame", path, "--of", of, "--format", "folded")
        summed = sum_of_folded(folded.decode())
        self.fault(status not in (0, 3) or (summed != total and f"folded {summed}, not {total}"), about)
        status, text = self.ask("flame", path, "--of", of, "--format", "speedscope")
        self.fault(fault_of_speedscope(text, total), about, "speedscope")
        status, data = self.ask("flame", path, "--of", of, "--format", "svg")
        self.fault(fault_of_svg(data), about, "svg")
        if not rows:
            return data.decode()
        answer = self.ask("flame", path, "--of", of, "--format", "json", "--limit", 0, "--min-percent", 0)[1]
        unit = of if of in ("seconds", "calls") else "bytes"
        self.fault(fault_of_rows(json.loads(answer)["frames"], total, unit), about, "json")
        return data.decode()

    def told(self, path):
        """Return the totals of an analysis; that of a heap log has no lifetimes."""
        return {of for of, name in OF.items() if name in self.totals(path)}

    def hold_samples(self):
        for path in sorted(SAMPLES.iterdir()):
            for of in OF if path.suffix in KINDS else ():
                if of in KINDS[path.suffix] and of in self.told(path):
                    self.hold_sums(path, of)
                elif of not in KINDS[path.suffix]:
                    status, printed = self.ask("flame", path, "--of", of)
                    self.fault(status != 2 or printed, f"{path.name} has {of}:", status)

    def hold_pairs(self):
        """Differences add up to the figures of `diff` on both sides, and a reversed diff is the mirror image."""
        for base, new in PAIRS + [(new, base) for base, new in PAIRS]:
            pair = SAMPLES / base, SAMPLES / new
            answer = json.loads(self.ask("diff", *pair, "--format", "json")[1])["totals"]
            for of in KINDS[pathlib.Path(base.split("@")[0]).suffix] - {"temporary", "retained"}:
                total = tuple(in_units(answer[side][OF[of]]) for side in ("base", "new"))
                words = "flame", pair[1], "--base", pair[0], "--of", of
                sums = sums_of_changes(self.ask(*words, "--format", "folded")[1].decode())
                self.fault(sums != total and f"{sums}, not {total}", base, new, of)
                self.fault(fault_of_svg(self.ask(*words, "--format", "svg")[1]), base, new, of, "svg")
            if base.endswith(".gclog"):
                total = tuple(answer[side]["live_bytes"] for side in ("base", "new"))
                sums = sums_of_changes(self.ask("flame", pair[1], "--base", pair[0], "-f", "folded")[1].decode())
                self.fault(sums != total and f"{sums}, not {total}", base, new, "retained")

    def hold_bounds(self):
        """Limits on rows apply to pictures too: they have the same frames, and state the number left out."""
        for path, of in ((SAMPLES / name, of) for name, of in BOUNDED):
            every = self.frames_of(path, of, "--limit", 0, "--min-percent", 0)
            for bounds in ([], ["--depth", 2], ["--min-percent", 5], ["--limit", 7], ["--limit", 1, "--depth", 1],
                           ["--depth", 4, "--min-percent", 1.5, "--limit", 9]):
                rows = self.frames_of(path, of, *(bounds + ["--min-percent", 0] * ("--min-percent" not in bounds)))
                rows = rows if bounds else every
                svg = self.ask("flame", path, "--of", of, *bounds, "--format", "svg")[1]
                self.fault(fault_of_bounds(svg, rows, len(every)), path.name, of, *bounds)
                page = self.ask("flame", path, "--of", of, *bounds, "--format", "html")[1].decode()
                says = f"{len(every) - len(rows)} frame" in page and "left out, as asked: " in page
                self.fault(says != (len(rows) < len(every)), path.name, of, *bounds, "html")
            column = "inclusive_seconds" if of == "seconds" else "inclusive_bytes"
            seven = self.frames_of(path, of, "--limit", 7, "--min-percent", 0)
            sizes, largest = (sorted((row[column] for row in some), reverse=True) for some in (seven, every))
            self.fault(sizes != largest[:7], path.name, of, "not the largest")

    def frames_of(self, path, of, *bounds):
        return json.loads(self.ask("flame", path, "--of", of, *bounds, "--format", "json")[1])["frames"]

    def hold_terminal(self):
        """On a terminal a person gets a picture that fits the window, not rows."""
        for width in (60, 100):
            ends = pty.openpty()
            fcntl.ioctl(ends[1], termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
            done = self.runs.alone("flame", SAMPLES / "shop-v2.oemp", "--no-pager", output=ends)
            lines = re.sub("\x1b\\[[0-9;]*[mK]", "", done.stdout.decode()).splitlines()
            drawn = [line for line in lines if line.startswith("shop/main.p:52  18.6 KiB")]
            self.fault(max(map(len, lines)) > width or not drawn or "With callees" in "".join(lines),
                       f"a terminal of {width} columns")
        ends = pty.openpty()
        fcntl.ioctl(ends[1], termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        done = self.runs.alone("flame", SAMPLES / "shop-v2.oemp", "--no-pager", "--depth", 1, output=ends)
        self.fault(b"frames are left out, as asked: deeper than 1 level." not in done.stdout, "a bounded terminal")

    def hold_changes(self):
        """For a difference, the answer comes first, and each frame describes its colour in words."""
        ends = pty.openpty()
        fcntl.ioctl(ends[1], termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        done = self.runs.alone("flame", SAMPLES / "shop-v4.prf", "--base", SAMPLES / "shop-v2.prf", "--no-pager",
                               output=ends)
        parts = re.split("\x1b\\[[0-9;]*48;5;([0-9]+)m", done.stdout.decode().replace("\r", ""))
        colours = {"+": {"223", "216", "215", "208"}, "-": {"189", "153", "111", "75"}}
        frames = [(colour, re.sub("\x1b.*|\n.*", "", text, flags=re.S)) for colour, text in zip(parts[1::2], parts[2::2])]
        named = [(colour, text) for colour, text in frames if text.strip() and not set(text.strip()) <= set("\u258c\u2590")]
        told = [re.search(r"(?:^|  |new |gone )([+-])", text) for _, text in named]
        self.fault(not any(found for found in told), "a terminal: some frame changed")
        for (colour, text), found in zip(named, told):
            self.fault(found is None and colour in colours["+"] | colours["-"] or
                       found is not None and colour not in colours[found[1]], "a terminal", f"{colour}: {text}")
        self.fault("\n  Slower  " not in re.sub("\x1b\\[[0-9;]*m", "", parts[0]), "a terminal: the answer comes first")

    def hold_large(self):
        with tempfile.TemporaryDirectory(prefix="flames.") as folder:
            for name, make in LARGE.items():
                path = pathlib.Path(folder) / name
                path.write_text(make())
                of = {".oemp": "leaked", ".prf": "seconds", ".gclog": "retained"}[path.suffix]
                drawn = self.hold_sums(path, of, rows=False)
                self.fault(not re.search(r"[\d,]+ frames are not drawn: ", drawn), name, "says not what is left out")
                self.fault(name in FULL and len(drawn.encode()) < 0.85 * MOST, name, "has room for more frames")


def self_test():
    frames = [{"name": "a"}, {"name": "b"}]

    def speedscope(events, end=3):
        return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json",
                           "shared": {"frames": frames},
                           "profiles": [{"type": "evented", "name": "x", "unit": "bytes", "startValue": 0,
                                         "endValue": end, "events": [
                                             {"type": kind, "frame": frame, "at": at}
                                             for kind, frame, at in events]}]})
    good = [("O", 0, 0), ("O", 1, 0), ("C", 1, 2), ("C", 0, 3)]
    rows = [{"depth": 0, "own_bytes": 1, "inclusive_bytes": 3}, {"depth": 1, "own_bytes": 2, "inclusive_bytes": 2}]
    svg = "<svg xmlns='http://www.w3.org/2000/svg'>%s</svg>"
    faults = [
        sum_of_folded("a;b 2\na 1\n") != 3, sum_of_folded("a;;b 2\n") is not None,
        sum_of_folded("a;b\n") is not None, sums_of_changes("a;b 2 3\na 0 1\n") != (2, 4),
        sums_of_changes("a;b 2\n") is not None, fault_of_speedscope(speedscope(good), 3),
        not fault_of_speedscope(speedscope(good), 4), not fault_of_speedscope(speedscope(good[:3]), 3),
        not fault_of_speedscope(speedscope([good[0], good[1], ("C", 0, 2), ("C", 1, 3)]), 3),
        fault_of_rows(rows, 3, "bytes"), not fault_of_rows(rows, 4, "bytes"),
        not fault_of_rows([{**rows[0], "inclusive_bytes": 2}, rows[1]], 3, "bytes"),
        not fault_of_rows([rows[0], {**rows[1], "depth": 2}], 3, "bytes"),
        fault_of_svg(svg % "<g><title>a</title></g>"), not fault_of_svg(svg % "<script/><script/>"),
        not fault_of_svg(svg % "<a/>"), not fault_of_svg(svg % "<g onclick='x'/>"), not fault_of_svg(svg % "<g>"),
        not fault_of_svg(svg % (" " * MOST))]
    wrong = sum(map(bool, faults))
    print(f"flames.py: self-test, {len(faults)} cases, {wrong} wrong")
    return wrong > 0


def main():
    asked = arguments(__doc__, self_test, server={})
    law = Law(asked.memprof, asked.server)
    law.hold_samples()
    law.hold_pairs()
    law.hold_bounds()
    law.hold_terminal()
    law.hold_changes()
    law.hold_large()
    return law.end()


if __name__ == "__main__":
    sys.exit(main())
