#!/usr/bin/env python3
"""Pictures of time and size: their tooltips agree with the reports.

  tests/pictures.py --memprof PATH --server PATH   check each sample, and hostile and large inputs
  tests/pictures.py --self-test                    wrong pictures must be detected

The amounts in the titles of a picture are compared with `--format json` of the same command, and the areas of a
map with their bytes. Every picture is well-formed XML of less than a million bytes.
"""
import collections
import json
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree

import growing
from claims import ClaimsOfRuns, arguments

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
MOST = 1_000_000  # maximum bytes of a picture
SVG = "{http://www.w3.org/2000/svg}"
KNOWN = {SVG + name for name in ("svg", "title", "desc", "style", "rect", "text", "tspan", "g", "path", "circle")}
EXACT = re.compile(r"([-+]?[\d,]+) (?:bytes|B)\b(?!.*bytes)")
ODD = "</title><script>alert('1')</script>&amp;\"'\\ \u202e]]>\x07{}"  # no name may have an effect
HEAPS = (".oemp", ".taligent", ".gclog", ".sqlite", ".pprof", ".heap", ".heaptrack", ".massif", ".dhat", ".memcheck", ".lsan")


def parsed(data):
    """Return the picture, or what is wrong with it."""
    if len(data) > MOST:
        return f"{len(data)} bytes"
    try:
        root = xml.etree.ElementTree.fromstring(data)
    except xml.etree.ElementTree.ParseError as error:
        return str(error)
    names = {element.tag for element in root.iter()}
    if names - KNOWN:
        return f"elements {names - KNOWN}"
    if any(name.startswith("on") or name.endswith("href") for element in root.iter() for name in element.keys()):
        return "attributes that do something"
    if root.get("role") != "img" or root[0].tag != SVG + "title" or root[1].tag != SVG + "desc":
        return "no text in its place"
    words = root[1].text
    seen = next((text.text for text in root.iter(SVG + "text") if text.get("class") == "summary"), words)
    if seen != words and not (seen.endswith("\u2026") and words.startswith(seen[:-1].rstrip("; "))):
        return f"says {seen}, not {words}"
    return root


def whole(text):
    """Return the exact bytes of "92.3 KiB (94,546 bytes)" and "512 B"."""
    found = EXACT.search(text)
    return int(found[1].replace(",", "")) if found else None


def titles_of(root, kind):
    return [element.find(SVG + "title").text for element in root.iter()
            if (element.get("class") or "").split(" ")[0] == kind]


def moments_of(root):
    """Return, by the name of each moment, its amounts by the names of lines."""
    moments = {}
    for title in titles_of(root, "moment"):
        first, *lines = title.split("\n")
        name, at = first.rsplit(" at ", 1)
        moments[name] = {line.rsplit(": ", 1)[0]: whole(line.rsplit(": ", 1)[1]) for line in lines}
    return moments


def expected_moments(snapshots):
    """Return the report's figures for each snapshot, and for the peak before it."""
    moments, last = {}, None
    for row in snapshots:
        name = str(row["sequence"]) + (f" ({row['tag']})" if row.get("tag") else "")
        moments[name] = {"alive": row["live_bytes"]}
        if "platform_bytes" in row:
            moments[name]["platform"] = row["platform_bytes"]
        last = row
    return moments if last else {}


def fault_of_moments(root, snapshots):
    drawn, peaks, expected = {}, {}, expected_moments(snapshots)
    for name, amounts in moments_of(root).items():
        several = re.match(r"\d+ from most before \d+ at \S+ to (.*)", name)
        if several:  # several in one column of pixels
            expected.pop(several[1])
        elif name.startswith("most before "):
            peaks[name[len("most before "):]] = amounts["alive"]
        else:
            drawn[name] = amounts
    told = {str(row["sequence"]): row.get("peak_bytes") for row in snapshots}
    if drawn != expected:
        return f"{drawn}, not {expected}"
    wrong = {name: bytes for name, bytes in peaks.items() if told.get(name) != bytes}
    return f"peaks {wrong}" if wrong else None


def shortened(name):
    """Return a pattern of the names that may have been shortened in the middle to this one."""
    return re.compile(re.escape(name).replace("\u2026", ".*"))


def fault_of_growth(root, rows, totals):
    """At the end the lines agree with the rows, and add up to the whole change."""
    end = {name: bytes for name, bytes in list(moments_of(root).values())[-1].items()
           if name not in ("alive", "platform")}
    told = [(row["key"], row["delta_bytes"]) for row in rows]
    wrong = {name: bytes for name, bytes in end.items() if not re.fullmatch(r"\d+ others?", name) and
             not any(shortened(name).fullmatch(key) and delta == bytes for key, delta in told)}
    change = sum(delta for _, delta in told)
    return (f"{wrong}" if wrong else
            f"{sum(end.values())}, not {change} of {totals}" if sum(end.values()) != change else None)


def fault_of_spans(root, rows):
    spans = collections.Counter()
    for title in titles_of(root, "span"):
        found = re.search(r"\nfrom (\d+\.\d{6}) s, lasted (\d+\.\d{6}) s$", title)
        spans[found and (found[1], found[2])] += 1
    told = collections.Counter((f"{row['start_seconds']:.6f}", f"{row['inclusive_seconds']:.6f}") for row in rows)
    return f"{spans}, not {told}" if spans != told else None


def fault_of_map(root, rows, unit):
    """Each area is of one row or of several. Together they contain all rows, and the areas are proportional to
    the bytes."""
    told = [(row["group"], row["key"], round(row[unit] * (1 if unit == "bytes" else 1_000_000))) for row in rows]
    total, area, drawn, places = sum(row[-1] for row in told), 0, 0, []
    for element in root.iter(SVG + "g"):
        if not (element.get("class") or "").startswith("area "):
            continue
        *names, amount = element.find(SVG + "title").text.split("\n")
        exact = whole(amount) if unit == "bytes" else round(float(amount.split(" ")[0]) * 1_000_000)
        rect = element.find(SVG + "rect")
        box = [float(rect.get(name)) for name in ("x", "y", "width", "height")]
        if not re.fullmatch(r"\d+ more", names[-1]):
            if (*names, exact) not in told:
                return f"{names}: {exact}"
            told.remove((*names, exact))
        area += box[2] * box[3]
        drawn += exact
        places.append((exact, box))
    if drawn != total:
        return f"{drawn}, not {total}"
    for exact, (x, y, width, height) in places:
        if abs(width * height / area - exact / total) * area > (width + height) * 0.6 + 2:
            return f"{exact} of {total} is {width} by {height} of {area}"
    if any(a[0] + a[2] > b[0] + 0.01 and b[0] + b[2] > a[0] + 0.01 and a[1] + a[3] > b[1] + 0.01
           and b[1] + b[3] > a[1] + 0.01 for i, (_, a) in enumerate(places) for _, b in places[:i]):
        return "areas overlap"
    return None


def fault_of_looks(root):
    """The file scales with its window, is readable on a dark screen, and its legend uses only colours of the
    picture."""
    if "width" in root.attrib or "viewBox" not in root.attrib:
        return "has a size of its own"
    style = "".join(part.text or "" for part in root.iter() if part.tag.endswith("style"))
    dark = style.partition("prefers-color-scheme: dark")[2]
    for part in root.iter():
        for name in ("fill", "stroke"):
            colour = part.get(name, "")
            if colour.startswith("#") and part.get("fill-opacity") != "0" and f'[{name}="{colour}"]' not in dark:
                return f"{name} {colour} is the same on a dark screen"
    frames = [set(part.get("class", "").split()) for part in root.iter() if "f" in part.get("class", "").split()]
    swatches = [part.get("class") for part in root if part.tag.endswith("}g") and part.get("class") and
                not any(child.tag.endswith("title") for child in part)]
    for name in swatches if frames else []:
        if not any(name in frame for frame in frames):
            return f"the legend explains {name}, which no frame has"
    return None


class Law(ClaimsOfRuns):
    def fault(self, fault, *what):
        """Claim that there is no fault."""
        self.claim(not fault, *what, fault)

    def draw(self, command, path, *words):
        """Return the picture if it is well formed."""
        done = self.runs.run(command, path, *words, "--format", "svg")
        root = parsed(done.stdout) if done.returncode in (0, 3) else f"exit status {done.returncode}"
        good = isinstance(root, xml.etree.ElementTree.Element)
        self.fault(fault_of_looks(root) if good else root, path.name, command, *words)
        return root if good else None

    def ask(self, command, path, *words):
        return self.json(command, path, *words, "--limit", 0)

    def hold(self, fault, about, command, path, *words):
        root, answer = self.draw(command, path, *words), self.ask(command, path, *words)
        if root is not None:
            self.fault(fault(root, answer), path.name, command, *words, about)

    def hold_sample(self, path):
        done = self.runs.run("flame", path, "--format", "svg")
        self.fault(fault_of_looks(xml.etree.ElementTree.fromstring(done.stdout)) if done.returncode == 0 else None,
                   path.name, "flame")
        if path.suffix in HEAPS:
            self.hold(lambda root, answer: fault_of_moments(root, answer["snapshots"]), "amounts", "snapshots", path)
        if path.suffix in HEAPS and path.suffix != ".gclog":
            self.hold(lambda root, answer: fault_of_growth(root, answer["growth"], answer["totals"]), "changes",
                      "growth", path)
        for of in {".prf": ["seconds"], ".rpt": ["seconds"], ".gclog": ["alive", "retained"]}.get(
                path.suffix, ["alive", "leaked"] if path.suffix in HEAPS else []):
            unit = "seconds" if of == "seconds" else "bytes"
            self.hold(lambda root, answer, unit=unit: fault_of_map(root, answer["treemap"], unit), "areas",
                      "treemap", path, "--of", of)
        if path.suffix == ".prf" and "trace" in self.ask("timeline", path):
            self.hold(lambda root, answer: fault_of_spans(root, answer["timeline"]), "spans", "timeline", path)

    def hold_made(self, folder):
        """Check unusual names, and inputs too large to be seen."""
        odd = folder / "odd.oemp"
        odd.write_text((SAMPLES / "shop-v2.oemp").read_text().replace('"Pre 1"', json.dumps(ODD, ensure_ascii=False)
                       .replace('\\"', '""')).replace("shop.PriceCache", ODD.replace('"', "")))
        dump = folder / "odd.gclog"
        dump.write_text((SAMPLES / "shop-1.gclog").read_text().replace("Shop.Price", ODD))
        large = folder / "large.oemp"
        large.write_text(growing.oemp_snapshots(40_000))
        types = folder / "types.gclog"
        types.write_text(growing.rpm_types(64_000))
        deep = folder / "deep.oemp"
        deep.write_text(growing.oemp_names(12_000))
        for command, path in (("snapshots", odd), ("growth", odd), ("treemap", odd), ("snapshots", large),
                              ("growth", large), ("treemap", dump), ("treemap", types), ("treemap", deep)):
            root = self.draw(command, path)
            text = "".join(root.itertext()) if root is not None else ""
            self.fault(path == large and "columns: each shows" not in text, path.name, "does not say what it shows")
            self.fault(path == types and "are drawn together" not in text, path.name, "does not say what is left out")
            self.fault("\u202e" in text or "\x07" in text, path.name, "shows what is hidden")


def self_test():
    head = "<svg xmlns='http://www.w3.org/2000/svg' role='img'><title>t</title><desc>d</desc>%s</svg>"
    moment = "<rect class='moment'><title>%s</title></rect>"
    area = "<g class='area t0'><title>%s</title><rect x='%s' y='0' width='%s' height='10'/></g>"
    lines = parsed((head % (moment % "1 (a) at 0:01\nalive: 1.5 KiB (1,536 bytes)" + moment %
                            "2 at 0:02\nalive: 12 B\nT: -5 B\n2 others: +7 B")).encode())
    one = [{"sequence": 1, "tag": "a", "live_bytes": 1536}, {"sequence": 2, "live_bytes": 12}]
    spans = parsed((head % "<g class='span c0'><title>x\nfrom 0.000001 s, lasted 2.000000 s</title></g>").encode())
    areas = parsed((head % (area % ("g\nk\n30 B in 1", 0, 75) + area % ("g\nl\n10 B in 1", 75, 25))).encode())
    rows = [{"group": "g", "key": "k", "bytes": 30}, {"group": "g", "key": "l", "bytes": 10}]
    moments = {"1 (a)": {"alive": 1536}, "2": {"alive": 12, "T": -5, "2 others": 7}}
    faults = [
        not isinstance(parsed(b"<svg>"), str), not isinstance(parsed((head % "<script/>").encode()), str),
        not isinstance(parsed((head % "<g onclick='1'/>").encode()), str), moments_of(lines) != moments,
        not isinstance(parsed((head % (" " * MOST)).encode()), str),
        not fault_of_moments(lines, one), not fault_of_moments(lines, one[:1]),
        fault_of_growth(lines, [{"key": "T", "delta_bytes": -5}, {"key": "U", "delta_bytes": 7}], 0),
        not fault_of_growth(lines, [{"key": "T", "delta_bytes": -4}], 0),
        not fault_of_growth(lines, [{"key": "T", "delta_bytes": -5}], 0),
        fault_of_spans(spans, [{"start_seconds": 0.000001, "inclusive_seconds": 2.0}]),
        not fault_of_spans(spans, []), fault_of_map(areas, rows, "bytes"), not fault_of_map(areas, rows[:1], "bytes"),
        not fault_of_map(areas, [{**rows[0], "bytes": 31}, rows[1]], "bytes")]
    wrong = sum(map(bool, faults))
    print(f"pictures.py: self-test, {len(faults)} cases, {wrong} wrong")
    return wrong > 0


def main():
    asked = arguments(__doc__, self_test, server={})
    law = Law(asked.memprof, asked.server)
    for path in sorted(SAMPLES.iterdir()):
        if path.is_file():
            law.hold_sample(path)
    with tempfile.TemporaryDirectory(prefix="pictures.") as folder:
        law.hold_made(pathlib.Path(folder))
    return law.end()


if __name__ == "__main__":
    sys.exit(main())
