"""Selections: selected and excluded objects add up to the whole, and the groups of a selection are those of the
whole whose label matches. A part of properties.py."""
import fnmatch
import pathlib
import random
import re
import tempfile

import aqtime
import graph
import recordings
import taligent

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
HEAP = ["live_objects", "live_bytes", "created_objects", "created_bytes", "deleted_objects",
        "leaked_objects", "leaked_bytes"]
COSTS = ["seconds", "calls"]  # modules do not add up, because a module may have methods in both
# For each kind of recording, the subjects, and what memprof top lists for each of them by label.
SUBJECTS = {
    "oemp": {"type": "type", "name": "name", "source": "source", "stack": "site", "tag": None,
             "request": "request", "api": "api"},
    "taligent": {"type": "type", "source": "source", "stack": "site", "thread": "thread"},
    "sqlite": {"type": "type", "source": "source", "stack": "site", "thread": "thread", "tag": None},
    "gclog": {"type": "type"},
    "prf": {"name": "method", "source": "module"},
    "rpt": {"name": "method", "source": "module"},
}
REGEXES = [":1", ":[0-9]*[05]$", "^[a-m]", "shop", "[Oo]rder", "zzz", "."]
SEEDS = 5


class Selections:
    """Needs json(), run(), hold() and at_once() of Laws."""

    def selections(self):
        files = sorted(path for kind in SUBJECTS for path in SAMPLES.glob(f"*.{kind}"))
        files = [path for path in files if path.name != "shop-part2.oemp"]
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(SEEDS):
                paths = {kind: pathlib.Path(folder) / f"{seed}.{kind}" for kind in
                         ("oemp", "taligent", "sqlite", "gclog")}
                paths["oemp"].write_text(recordings.Session(seed).text(1 + seed % 2), encoding="utf-8")
                paths["taligent"].write_text(taligent.random_log(seed), encoding="utf-8")
                paths["gclog"].write_bytes(graph.random_dump(seed).encode("utf-8"))
                aqtime.random_database(seed, paths["sqlite"])
                files += paths.values()
            trials = [(path, subject) for path in files for subject in SUBJECTS[path.suffix[1:]]]
            self.at_once(self.selections_of, trials)
            self.at_once(self.moments_of, [path for path in files if path.suffix in (".oemp", ".taligent")])

    def selections_of(self, trial):
        path, subject = trial
        by = SUBJECTS[path.suffix[1:]][subject]
        whole = self.told(path)
        rows = self.json("top", path, "--by", by, "--limit", 0).get("top", []) if by else []
        chance = random.Random(f"{path.name} {subject}")
        for pattern in self.some_patterns(path, subject, rows, chance):
            what = f"{path.name} --{subject} {pattern}"
            part = self.told(path, f"--{subject}", pattern)
            rest = self.told(path, f"--not-{subject}", pattern)
            self.add_up(whole, part, rest, what)
            if by:
                selected = self.json("top", path, "--by", by, "--limit", 0, f"--{subject}", pattern)
                fitting = [self.figures_of(row) for row in rows if self.fits(subject, pattern, row)]
                got = [self.figures_of(row) for row in selected.get("top", [])]
                self.hold(sorted(fitting) == sorted(got), f"{what}: {got[:4]}, not {fitting[:4]}")
        rows = [row for row in rows if self.label(subject, row)]
        if len(rows) > 1 and subject != "stack":
            self.several(path, subject, rows, chance, whole)

    def several(self, path, subject, rows, chance, whole):
        """Among criteria on one subject, any may match, and no negated one may."""
        first, second = (self.literal(self.label(subject, row)) for row in chance.sample(rows, 2))
        both = self.told(path, f"--{subject}", first, f"--{subject}", second)
        rest = self.told(path, f"--not-{subject}", first, f"--not-{subject}", second)
        self.add_up(whole, both, rest, f"{path.name} --{subject} {first} or {second}")
        only = self.told(path, f"--{subject}", second, f"--not-{subject}", first)
        if first != second:
            alone = self.told(path, f"--{subject}", second)
            self.hold(alone and only and alone["totals"] == only["totals"],
                      f"{path.name} --{subject} {second} and not {first}")

    def told(self, path, *options):
        """Return the totals of a recording, or of a selection of it."""
        command = {".gclog": "top", ".prf": "top", ".rpt": "top"}.get(path.suffix, "leaks")
        report = self.json(command, path, *options)
        names = COSTS if path.suffix in (".prf", ".rpt") else HEAP
        pick = {section: {name: self.exact(name, value) for name, value in report.get(section, {}).items()
                          if name in names} for section in ("totals", "whole")}
        if path.suffix not in (".prf", ".rpt"):
            snapshots = self.json("snapshots", path, "--limit", 0, *options).get("snapshots", [])
            figures = ("live_objects", "live_bytes", "created_objects", "deleted_objects")
            pick["snapshots"] = [[snapshot.get(name, 0) for name in figures] for snapshot in snapshots]
        return pick

    @staticmethod
    def exact(name, value):
        return round(value * 1000000) if name == "seconds" else value

    def add_up(self, whole, part, rest, what):
        for name, value in whole["totals"].items():
            got = part["totals"].get(name, 0) + rest["totals"].get(name, 0)
            self.hold(got == value, f"{what}: {name} {got}, not {value}")
        for one in (part, rest):
            self.hold(one["whole"] == {name: value for name, value in whole["totals"].items()},
                      f"{what}: whole {one['whole']}, not {whole['totals']}")
            self.hold(all(0 <= value <= whole["totals"].get(name, value)
                          for name, value in one["totals"].items()), f"{what}: {one['totals']}")
        if "snapshots" in whole:
            sums = [[a + b for a, b in zip(one, other)] for one, other in
                    zip(part["snapshots"], rest["snapshots"])]
            self.hold(sums == whole["snapshots"], f"{what}: snapshots do not add up")

    def moments_of(self, path):
        """Each object first appears up to a moment, or after it."""
        whole = self.told(path)
        snapshots = self.json("snapshots", path, "--limit", 0).get("snapshots", [])
        for moment in sorted({snapshot["time_us"] for snapshot in snapshots})[:12]:
            until = self.told(path, "--until", f"{moment}us")
            since = self.told(path, "--since", f"{moment + 1}us")
            self.add_up(whole, until, since, f"{path.name} up to {moment} us, and since then")

    # --- patterns ---

    def some_patterns(self, path, subject, rows, chance):
        if subject == "stack":
            frames = sorted({frame for row in rows for frame in row.get("stack", [])})
            exact = ["^" + re.escape(frame).replace("\\ ", " ").replace("\\-", "-") + "$"
                     for frame in chance.sample(frames, min(3, len(frames)))
                     if re.fullmatch(r"[\w .:/-]+", frame, re.ASCII)]
            return exact + REGEXES
        if subject == "tag":
            snapshots = self.json("snapshots", path).get("snapshots", [])
            labels = sorted({snapshot["tag"] for snapshot in snapshots if snapshot.get("tag")})
        else:
            labels = sorted({self.label(subject, row) for row in rows} - {""})
        patterns = ["*", "no such", "*[a-m]*", "?*e*"]
        for label in chance.sample(labels, min(4, len(labels))):
            patterns += [self.literal(label), self.literal(label[:3]) + "*", "*" + self.literal(label[-4:])]
        return patterns

    @staticmethod
    def literal(label):
        return re.sub(r"([\\*?[])", r"\\\1", label)

    @staticmethod
    def label(subject, row):
        if "program" in row or "method" in row:
            return row.get("method" if subject == "name" else "program", "")
        # objects without one are listed in words
        nameless = subject in ("name", "thread", "request", "api") and row["key"] == "(none)"
        # an overload is also selected by its name alone
        key = re.sub(r" \(from \d+\)$", "", row["key"])
        return "" if nameless or key == "(unnamed)" else key

    def fits(self, subject, pattern, row):
        if subject == "stack":
            frames = row["stack"] or [row["key"].rpartition(" at ")[2]]
            return any(re.search(pattern, frame) for frame in frames)
        pattern = re.sub(r"\\([*?[])", r"[\1]", pattern).replace("\\\\", "\\")
        return fnmatch.fnmatchcase(self.label(subject, row), pattern)

    @staticmethod
    def figures_of(row):
        """Return a row without its rank and its share."""
        return sorted((name, str(value)) for name, value in row.items() if name in
                      ("key", "program", "method", "start_line", "objects", "bytes", "created_objects",
                       "deleted_objects", "seconds", "calls", "stack"))
