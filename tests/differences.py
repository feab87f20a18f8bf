"""`memprof diff`: a recording does not differ from itself, a diff in the other direction is the mirror image,
and changes add up to the difference of the totals. A part of properties.py."""
import collections
import json
import pathlib
import random
import tempfile

import aqtime
import graph
import matching
import moved
import oemp
import recordings
import taligent

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
RECORDING = ["site", "type", "source", "line", "name", "node", "scope", "request", "api"]
NATIVE = ["site", "type", "source", "line", "node", "class", "thread"]
PROFILE = ["line", "method", "module"]
DUMP = ["type", "dominators"]
MIRRORED = {"new": "gone", "gone": "new", "grown": "shrunk", "shrunk": "grown"}
SEEDS = 12
MATCHED = 120
TREES = 60


def samples(*names):
    return [f"{SAMPLES}/{name}" for name in names]


class Differences:
    """Needs json(), run(), make(), hold(), agree() and at_once() of Laws."""

    def differences(self):
        pairs = [(samples("shop-v2.oemp@1", "shop-v2.oemp@_PreCleanUp"), RECORDING),
                 (samples("shop-v1.oemp", "shop-v2.oemp@3"), RECORDING),
                 (samples("shop-reusable-v2.oemp", "shop-running-v2.oemp"), RECORDING),
                 (samples("shop-agent-AS1.oemp", "shop-agent-AS2.oemp"), RECORDING),
                 (samples("shop-latin1-v1.oemp", "shop-v1.oemp"), RECORDING),
                 (samples("shop-v2.prf", "shop-v4.prf"), PROFILE),
                 (samples("shop-old-modules-v1.prf", "shop-v3.prf"), PROFILE),
                 (samples("shop-old.rpt", "shop-new.rpt"), PROFILE),
                 (samples("shop-comma.rpt", "shop-v4.prf"), PROFILE),
                 (samples("shop.taligent", "shop-damaged.taligent"), NATIVE),
                 (samples("shop-analysis.taligent", "shop.taligent@3"), NATIVE),
                 (samples("shop-aqtime.sqlite@1", "shop-aqtime.sqlite@last"), NATIVE),
                 (samples("shop-aqtime.sqlite@2", "shop-aqtime.sqlite@1"), NATIVE),
                 (samples("shop-1.gclog", "shop-3.gclog"), DUMP),
                 (samples("shop-2.gclog", "shop-domains.gclog"), DUMP)]
        with tempfile.TemporaryDirectory() as folder:
            pairs += self.made_up(pathlib.Path(folder))
            self.at_once(self.pair_agrees, [(pair, by, lines) for pair, dimensions in pairs
                                            for by in dimensions for lines in ([], ["--ignore-lines"])])
            self.at_once(lambda pair: self.totals_agree(*pair[0]), pairs)
            self.made_again(pathlib.Path(folder))
            self.matched(pathlib.Path(folder))
            self.at_once(self.trees_agree, [(seed, pathlib.Path(folder)) for seed in range(TREES)])

    def made_up(self, folder):
        """Return pairs of small recordings from other seeds."""
        pairs, made = [], {kind: [] for kind in ("oemp", "taligent", "gclog", "sqlite")}
        for seed in range(SEEDS):
            paths = {kind: folder / f"{seed}.{kind}" for kind in made}
            paths["oemp"].write_text(recordings.Session(seed).text(1 + seed % 2), encoding="utf-8")
            paths["taligent"].write_text(taligent.random_log(seed), encoding="utf-8")
            paths["gclog"].write_bytes(graph.random_dump(seed).encode("utf-8"))
            aqtime.random_database(seed, paths["sqlite"])
            for kind, path in paths.items():
                made[kind].append(str(path))
        for kind, dimensions in (("oemp", RECORDING), ("taligent", NATIVE), ("sqlite", NATIVE),
                                 ("gclog", DUMP)):
            pairs += [(made[kind][at:at + 2], dimensions) for at in range(0, SEEDS, 2)]
        return pairs

    def pair_agrees(self, trial):
        (base, new), by, lines = trial
        options = ["--by", by, *lines]
        what = f"diff {pathlib.Path(base).name} {pathlib.Path(new).name} {options}"
        there = self.json("diff", base, new, *options)
        back = self.json("diff", new, base, *options)
        for path in (base, new):
            self.nothing_changed(self.json("diff", path, path, *options), f"{what}: {path} to itself")
        self.hold(self.sides(there, "base", "new") == self.sides(back, "new", "base"),
                  f"{what}: back is no mirror image")
        self.hold(there.get("totals", {}).get("base") == back.get("totals", {}).get("new", 0) and
                  there.get("totals", {}).get("new") == back.get("totals", {}).get("base", 0),
                  f"{what}: totals are no mirror image")
        self.changes_agree(there, what)
        for report in (there, back):
            self.answer_agrees(report, by, what)
        self.sums_agree(there, by, what)
        if ".oemp" in base and by in ("type", "source", "line", "name", "scope") and not lines:
            self.inclusive_agrees(there, trial[0], by, what)

    def inclusive_agrees(self, report, paths, by, what):
        """Including scoped objects, each side has the figures that top reports for its recording alone."""
        for side, path in zip(("base", "new"), paths):
            groups = collections.defaultdict(list)
            for row in self.json("top", path, "--by", by, "--limit", "0").get("top", []):
                groups[row["key"]].append(row.get("inclusive_bytes", row["bytes"]))
            for row in report.get("diff", []):
                wanted = groups.get(row["type" if by == "type" else "key"], [0])
                got = row.get(f"{side}_inclusive_bytes", row[f"{side}_bytes"])
                if len(wanted) == 1 and row.get("matched_by", "exact") == "exact":
                    self.hold(got == wanted[0], f"{what}: {side} {row}: {wanted}")

    def nothing_changed(self, report, what):
        self.hold(report.get("diff") == [], f"{what}: {str(report.get('diff'))[:300]}")
        for row in report.get("changes", []):
            figures = [value for name, value in row.items() if name.startswith("delta")]
            self.hold(not any(figures) and (row["status"] == "unchanged" or not row["groups"]),
                      f"{what}: {row}")

    @staticmethod
    def sides(report, first, second):
        """Return the amounts of the rows on the first and the second side, without their names."""
        rows = collections.Counter()
        for row in report.get("diff", []):
            amounts = tuple(sorted((name[len(side) + 1:], at, value) for at, side in
                                   enumerate((first, second)) for name, value in row.items()
                                   if name.startswith(side + "_") and "average" not in name))
            status = row["status"] if first == "base" else MIRRORED[row["status"]]
            rows[status, row.get("matched_by"), row.get("sites"), amounts] += 1
        return rows

    def changes_agree(self, report, what):
        """"changes" counts the rows of "diff"."""
        for change in report.get("changes", []):
            rows = [row for row in report["diff"] if row["status"] == change["status"]]
            if change["status"] == "unchanged":
                self.hold(not rows, f"{what}: rows that did not change")
                continue
            self.hold(len(rows) == change["groups"], f"{what}: {len(rows)} rows, {change}")
            for name in change:
                if name.startswith("delta"):
                    got = sum(self.whole_number(name, row[name]) for row in rows)
                    self.hold(got == self.whole_number(name, change[name]), f"{what}: {name} {got}")
        for row in report.get("diff", []):
            for name in [name[6:] for name in row if name.startswith("delta_") and not name.endswith("percent")]:
                base, new, delta = (self.whole_number(name, row[f"{side}_{name}"])
                                    for side in ("base", "new", "delta"))
                self.hold(new - base == delta, f"{what}: {name} of {row}")

    def answer_agrees(self, report, by, what):
        """The headline states the totals, and a side that has rows, unless one recording is truncated. Rows
        that got worse come first, the largest change first."""
        totals = report.get("totals", {})
        said = [line["label"] for line in report.get("answer", []) if line["label"] not in ("Damaged", "Truncated")]
        changes = [self.whole_number(name, totals["new"][name]) - self.whole_number(name, totals["base"][name])
                   for name in ("live_bytes", "leaked_bytes", "seconds")
                   if all(name in totals.get(side, {}) for side in ("base", "new"))]
        if all("unreachable_bytes" in totals.get(side, {}) for side in ("base", "new")):
            changes[0] -= totals["new"]["unreachable_bytes"] - totals["base"]["unreachable_bytes"]
        up, down = any(change > 0 for change in changes), any(change < 0 for change in changes)
        words = ("Slower", "Faster") if "seconds" in totals.get("base", {}) else ("Worse", "Better")
        wanted = "Mixed" if up and down else words[0] if up else words[1] if down else "Same"
        rows = report.get("diff", [])
        worse = [row["status"] in ("new", "grown") for row in rows]
        told = (any(worse), not all(worse))
        damaged = any(line["label"] == "Damaged" for line in report.get("answer", []))
        if not damaged and len({(row.get("complete"), row["format"] == "rpt") for row in report["inputs"]}) > 1:
            wanted, told = "Not comparable", (False, False)
        self.hold(said[:1] == [wanted], f"{what}: {said}, expected {wanted} of {changes}")
        self.hold(("More" in said, "Less" in said) == told, f"{what}: {said}")
        sizes = [abs(row.get("delta_bytes", row.get("delta_seconds"))) for row in rows]
        ranks = [(not grew, -size) for grew, size in zip(worse, sizes)]
        self.hold(by == "dominators" or ranks == sorted(ranks), f"{what}: rows in the order {ranks}")

    @staticmethod
    def whole_number(name, value):
        return round(value * 1000000) if name.endswith("seconds") else value

    def sums_agree(self, report, by, what):
        totals = report.get("totals", {"base": {}, "new": {}})
        units = {"objects": "live_objects", "bytes": "live_bytes"}
        if by in PROFILE and "seconds" in totals["base"]:
            # lines have executions, which are not calls of methods
            units = {"seconds": "seconds"}
        for unit, total in units.items():
            wanted = (self.whole_number(unit, totals["new"].get(total, 0)) -
                      self.whole_number(unit, totals["base"].get(total, 0)))
            got = sum(self.whole_number(unit, row[f"delta_{unit}"]) for row in report.get("diff", []))
            self.hold(got == wanted, f"{what}: {unit} changed by {wanted}, rows by {got}")
        for column in ("created_objects", "deleted_objects", "leaked_objects", "leaked_bytes"):
            if column not in totals["base"] or column not in totals["new"]:
                continue  # rows whose size did not change are not listed, so compare only the signs
            for side in ("base", "new"):
                got = sum(row[f"{side}_{column}"] for row in report["diff"])
                self.hold(got <= totals[side][column], f"{what}: {side} {column}: {got}")

    def totals_agree(self, base, new):
        """The totals are those that analyze reports."""
        report = self.json("diff", base, new)
        for side, path in (("base", base), ("new", new)):
            wanted, got = self.json("analyze", path).get("totals", {}), report.get("totals", {})
            shared = {name: value for name, value in got.get(side, {}).items() if name in wanted}
            self.hold(shared and shared == {name: wanted[name] for name in shared},
                      f"{path} in diff: {shared}")

    # --- which site is which ---

    def matched(self, folder):
        """Sites are matched as the oracle does by the rules of the manual. Unless lines were moved, sites with
        the same line of the same stack are matched with each other."""
        trials, seen = [(seed, folder) for seed in range(MATCHED)], collections.Counter()
        for rows in self.at_once(self.pair_matches, trials):
            seen.update((row.get("matched_by"), "sites" in row) for row in rows)
        for kind in ("exact", "stack", "type-and-function", None):
            self.hold(seen[kind, False], f"no pair that is matched by {kind}")
        for kind in ("stack", "type-and-function"):
            self.hold(seen[kind, True], f"no sum that is matched by {kind}")

    def pair_matches(self, trial):
        seed, folder = trial
        base, new = folder / f"matched-{seed}.oemp", folder / f"matched-{seed}-new.oemp"
        text = recordings.Crowded(seed).text(1 + seed % 2)
        other = recordings.Crowded(seed + MATCHED).text(1 + seed % 2)
        base.write_text(text, encoding="utf-8")
        new.write_text(moved.Edited(other if seed % 4 == 0 else text, seed).again(), encoding="utf-8")
        wanted = matching.changes(base, new)
        got = [{name: row[name] for name in row if self.is_of_match(name, row)}
               for row in self.json("diff", base, new, "--limit", "0").get("diff", [])]
        wanted, got = (collections.Counter(json.dumps(row, sort_keys=True) for row in rows)
                       for rows in (wanted, got))
        self.hold(wanted == got, f"{base.name}: expected {list(wanted - got)[:3]}, "
                  f"got {list(got - wanted)[:3]}")
        return [json.loads(row) for row in wanted]

    @staticmethod
    def is_of_match(name, row):
        """Return true if the row is of this match; a row for several sites names one of them."""
        if "sites" in row and name in ("type", "stack"):
            return False
        return (name in ("status", "matched_by", "sites", "type", "stack") or
                name.startswith(("base_", "new_")))

    # --- branches of dominator trees ---

    def trees_agree(self, trial):
        """Nodes of dominator trees are those of the oracle, compared by path. Nodes that grew come first."""
        seed, folder = trial
        base, new = folder / f"tree-{seed}.gclog", folder / f"tree-{seed}-new.gclog"
        text, chance = graph.random_dump(seed), random.Random(seed)
        base.write_bytes(text.encode("utf-8"))
        # For some seeds the same dump without some objects and roots, otherwise a different dump.
        new.write_bytes((graph.random_dump(seed + TREES) if seed % 3 == 0 else "".join(
            line for line in text.splitlines(keepends=True)
            if line.strip()[:1] not in ("o", "r") or chance.random() < 0.9)).encode("utf-8"))
        was, is_ = self.tree_of(base), self.tree_of(new)
        wanted = {path: (was.get(path), is_.get(path)) for path in was.keys() | is_.keys()
                  if was.get(path) != is_.get(path)}
        rows = self.json("diff", base, new, "--by", "dominators", "--limit", 0).get("diff", [])
        got = {tuple(row["stack"]): tuple(self.node(row, side) for side in ("base", "new")) for row in rows}
        self.hold(wanted == got and len(rows) == len(got), f"nodes of {base.name}: expected {wanted}, got {got}")
        changes = [[row.get(f"delta_{name}", 0) for name in ("retained_bytes", "bytes", "objects")] for row in rows]
        ranks = [(next(filter(None, change)) < 0, -abs(change[0])) for change in changes]
        self.hold(ranks == sorted(ranks), f"nodes of {base.name} in the order {ranks}")

    @staticmethod
    def tree_of(path):
        """Return objects, bytes and retained bytes by path, innermost type first; () is for unreachable
        objects."""
        report, tree, above = graph.report([path]), {}, []
        for row in report["tree_by_type"]:
            above = [row["key"], *above[len(above) - row["depth"]:]]
            tree[tuple(above)] = row["objects"], row["self_bytes"], row["retained_bytes"]
        totals = report["totals"]
        if totals["unreachable_objects"]:
            tree[()] = totals["unreachable_objects"], totals["unreachable_bytes"], None
        return tree

    @staticmethod
    def node(row, side):
        if not row[f"{side}_objects"]:
            return None
        return row[f"{side}_objects"], row[f"{side}_bytes"], row.get(f"{side}_retained_bytes")

    # --- a recording made again ---

    def made_again(self, folder):
        """If lines were inserted and ids changed, no row is new, gone or changed. One additional object makes
        one site grow."""
        trials = []
        for name in ("shop-v1.oemp", "shop-v2.oemp", "shop-reusable-v2.oemp", "shop-agent-AS1.oemp"):
            trials.append((SAMPLES / name, folder))
        for version in (1, 2):
            trials.append((self.make(folder / f"large-v{version}.oemp", "--version", version, "--objects",
                                     3000, "--snapshots", 12), folder))
        for seed in range(SEEDS * 2):
            path = folder / f"again-{seed}.oemp"
            path.write_text(recordings.Session(seed).text(1 + seed % 2), encoding="utf-8")
            trials.append((path, folder))
        self.at_once(self.recording_again, trials)
        self.at_once(self.profile_again, [(path, folder) for path in sorted(SAMPLES.glob("*.prf"))])
        path = moved.database(SAMPLES / "shop-aqtime.sqlite", folder / "again.sqlite")
        self.same_again(SAMPLES / "shop-aqtime.sqlite", path, "an allocation database made again")

    def same_again(self, base, new, what, *options):
        """The report has as many groups as the comparison of a recording with itself, and none of them changed."""
        report, itself = self.json("diff", base, new, *options), self.json("diff", base, base, *options)
        self.nothing_changed(report, what)
        self.hold(report.get("changes") == itself.get("changes"), f"{what}: {report.get('changes')}")
        return report

    def recording_again(self, trial):
        path, folder = trial
        text = path.read_text(encoding="utf-8")
        new, chance = folder / f"{path.stem}-new.oemp", random.Random(path.name)
        replayed = oemp.Recording(oemp.join_recordings([path])[0][0])
        replayed.choose(None, None)
        sources = [None, *sorted({fields[1] for section, fields in moved.Recording(text).rows()
                                  if section == "sources"})]
        for source in [None, *chance.sample(sources, min(2, len(sources)))]:
            new.write_text(moved.Recording(text, path.name, source).again(), encoding="utf-8")
            what = f"{path.name} made again, lines inserted in {source or 'each source'}"
            for options in ([], ["--ignore-lines"], ["--to", "first"], ["--by", "type"]):
                self.same_again(path, new, f"{what} {options}", *options)
            self.one_more(path, new, source, replayed, chance)
            new.write_text(moved.Recording(text, path.name, source, larger=3).again(), encoding="utf-8")
            rows = self.json("diff", path, new).get("diff", [])
            # If all lines moved, only objects that were created at no line are matched exactly.
            exact = sum(row["matched_by"] == "exact" for row in rows if row.get("line"))
            self.hold(source or not exact, f"{what}: {exact} sites on the same lines")
            self.hold(all(row["delta_bytes"] == 3 * row["base_objects"] == 3 * row["new_objects"] and
                          row["matched_by"] in ("exact", "stack") and "sites" not in row
                          for row in rows), f"{what}, each object larger: {str(rows)[:300]}")

    def one_more(self, path, new, source, replayed, chance):
        snapshots = self.json("snapshots", path).get("snapshots", [{}])
        window = self.json("leaks", path).get("totals", {}).get("to_sequence", snapshots[-1].get("sequence"))
        live = [object_ for object_ in self.alive(replayed, window)
                if replayed.types.get(object_.type, "").lower() != "reusable obj"]
        if not live:
            return
        twin = chance.choice(sorted(live))
        first = self.creation(path, twin.id)
        text = path.read_text(encoding="utf-8")
        new.write_text(moved.Recording(text, path.name, source, twin.id).again(), encoding="utf-8")
        rows = self.json("diff", path, new).get("diff", [])
        self.hold(len(rows) == 1 and rows[0]["status"] == "grown" and rows[0]["delta_objects"] == 1 and
                  rows[0]["delta_bytes"] == first, f"{path.name}, one object more: {str(rows)[:300]}")

    @staticmethod
    def alive(replayed, sequence):
        for snapshot, state in zip(replayed.snapshots, replayed.states):
            if snapshot.sequence == sequence:
                return list(state.values())
        return []

    @staticmethod
    def creation(path, id_):
        """Return the bytes of an object at its creation. A copy of the object does not have its later changes."""
        for section, fields in moved.Recording(path.read_text(encoding="utf-8")).rows():
            if section == "objects" and fields[0] == str(id_):
                return int(fields[2])
        return None

    def profile_again(self, trial):
        path, folder = trial
        text, new = path.read_text(encoding="utf-8"), folder / f"{path.stem}-new.prf"
        for program in (None, "shop.OrderService", "shop/main.p"):
            new.write_text(moved.Profile(text, path.name, program).again(), encoding="utf-8")
            for by in PROFILE:
                report = self.same_again(path, new, f"{path.name} made again, lines inserted in "
                                         f"{program or 'each program'}, by {by}", "--by", by)
                totals = report.get("totals", {})
                self.hold(totals.get("base") == totals.get("new"), f"{path.name} made again: {totals}")
