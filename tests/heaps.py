"""Taligent logs, RPM dumps and AQTime databases: reports agree with the oracles, for samples and for random
inputs. A part of properties.py."""

import json
import pathlib
import subprocess
import tempfile

import aqtime
import graph
import taligent

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
LOGS, ANALYSES, DUMPS, DATABASES = 200, 60, 1500, 150
CLOSER = 150  # number of random dumps on which every command is run


class OtherHeaps:
    """Needs json(), agree(), hold(), changed(), trend_agrees() and at_once() of Laws."""

    # --- what the generator planned ---

    def heap_answers(self):
        """The known answers are correct for the samples, and for larger recordings."""
        for path in [*sorted(SAMPLES.glob("*.taligent")), *sorted(SAMPLES.glob("*.gclog")),
                     *sorted(SAMPLES.glob("*.heapsnapshot")), *sorted(SAMPLES.glob("*.hprof")),
                     *sorted(SAMPLES.glob("*.sqlite"))]:
            self.plan_holds(path, json.loads((SAMPLES / "answers" / (path.name + ".json")).read_text()))
        with tempfile.TemporaryDirectory() as folder:
            for at, options in enumerate((["taligent", "--events", 20000],
                                          ["taligent", "--events", 5000, "--damaged", "--blanks"],
                                          ["taligent", "--events", 5000, "--analysis", "--seed", 7],
                                          ["rpm", "--objects", 2000, "--seed", 5],
                                          ["rpm", "--domains", 4, "--dump", 2, "--crlf"],
                                          ["rpm", "--shape", "chain", "--objects", 1500],
                                          ["rpm", "--shape", "star", "--objects", 1500])):
                path = pathlib.Path(folder) / f"{at}.{'gclog' if options[0] == 'rpm' else 'taligent'}"
                answer = path.with_suffix(".json")
                subprocess.run([self.generate, *map(str, options), "--answer", answer, "-o", path],
                               check=True)
                self.plan_holds(path, json.loads(answer.read_text()))

    def plan_holds(self, path, planned):
        report = self.json("analyze", path, "--limit", 0)
        if path.suffix == ".sqlite":  # the plan counts listed objects, memprof the figures of classes
            for name in ("created_objects", "created_bytes", "deleted_objects"):
                planned["totals"].pop(name)
            for row in planned["snapshots"]:
                row.pop("created_objects"), row.pop("deleted_objects")
        sections = [s for s in ("totals", "snapshots", "leaks", "top") if s in planned]
        self.agree(planned, report, sections, f"plan of {path.name}")
        if "growth" in planned:
            self.agree(planned, self.changed(self.json("growth", path, "--limit", 0)), ["growth"],
                       f"plan of {path.name}")
        if "roots" in planned:
            planned["roots"].sort(key=lambda row: row["kind"])
            report["roots"].sort(key=lambda row: row["kind"])
            self.agree(planned, report, ["roots"], f"roots of {path.name}")
        if path.suffix != ".sqlite" and "retained" in planned:
            self.agree(planned, self.json("retained", path, "--limit", 0), ["retained"],
                       f"retained of {path.name}")
        if "lifetimes" in planned:
            report = self.filled(self.json("lifetimes", path, "--limit", 0))
            self.agree(planned, report, ["lifetimes"], f"lifetimes of {path.name}")

    # --- Taligent ---

    def taligent(self):
        """A simple replay of logs gives the same figures, for several moments and options."""
        trials = [(path, True) for path in sorted(SAMPLES.glob("*.taligent"))]
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(LOGS):
                path = pathlib.Path(folder) / f"{seed}.taligent"
                path.write_text(taligent.random_log(seed), encoding="utf-8")
                trials.append((path, seed % 4 == 0))
            for seed in range(ANALYSES):
                path = pathlib.Path(folder) / f"{seed}-analysis.taligent"
                path.write_text(taligent.random_analysis(seed), encoding="utf-8")
                trials.append((path, seed % 4 == 0))
            self.at_once(self.log_agrees, trials)

    def log_agrees(self, trial):
        path, closely = trial
        name, expected = path.name, taligent.report(path)
        report = self.changed(self.json("analyze", path, "--limit", 0))
        self.agree(expected, report, ["totals", "snapshots", "leaks", "top", "growth"], name)
        for command in ("leaks", "top", "growth"):
            report = self.json(command, path, "--limit", 0)
            if command == "growth":
                report = self.changed(report)
            self.agree(expected, report, [command], f"{command} {name}")
        report = self.json("lifetimes", path, "--limit", 0)
        self.agree(expected, self.filled(report), ["lifetimes", "sizes", "threads"], f"lifetimes {name}")
        self.trend_agrees("leaks", [path], name)
        self.sites_agree(path, expected)
        if closely:
            self.moments_agree(path, expected)

    @staticmethod
    def filled(report):
        """Bring lifetimes and their histogram into the oracle's form, without the empty classes that memprof
        lists in between."""
        ages = [row for row in report.get("ages", []) if row["objects"]]
        report["lifetimes"] = {**report.get("overall", {}), "buckets": ages}
        return report

    def sites_agree(self, path, expected):
        """Sites are compared by their stacks; their names are up to the report."""
        top = taligent.report(path, by="site")["top"]
        report = self.json("top", path, "--by", "site", "--limit", 0)
        self.hold(self.by_stack(top) == self.by_stack(report.get("top", [])), f"top by site {path.name}")
        leaked = sum(row["bytes"] for row in expected["leaks"])
        self.hold(leaked == expected["totals"]["leaked_bytes"], f"leaks of {path.name} add up")

    @staticmethod
    def by_stack(rows):
        stacks = {}
        for row in rows:
            many, much = stacks.get(tuple(row["stack"]), (0, 0))
            stacks[tuple(row["stack"])] = many + row["objects"], much + row["bytes"]
        return stacks

    def moments_agree(self, path, expected):
        last = expected["snapshots"][-1]["time_us"]
        for at in ("peak", 0, last // 3, last // 2, last, last + 1):
            self.agree(taligent.report(path, at=at), self.json("top", path, "--at", at, "--limit", 0),
                       ["top"], f"top {path.name} --at {at}")
        for row in expected["snapshots"][1:-1:4]:
            self.agree(taligent.report(path, at=row["time_us"]),
                       self.json("top", f"{path}@{row['sequence']}", "--limit", 0), ["top"],
                       f"top {path.name}@{row['sequence']}")
            self.agree(taligent.report(path, at=row["time_us"]),
                       self.json("leaks", path, "--to", row["sequence"], "--limit", 0), ["leaks"],
                       f"leaks {path.name} --to {row['sequence']}")
        self.peak_agrees(path)
        for slices in (1, 3):
            self.agree(taligent.report(path, slices=slices),
                       self.json("snapshots", path, "--slices", slices, "--limit", 0), ["snapshots"],
                       f"{path.name} in {slices} slices")
        for reorder in (0, 1, 4):
            self.agree(taligent.report(path, reorder=reorder),
                       self.json("analyze", path, "--reorder", reorder, "--limit", 0),
                       ["totals", "snapshots", "leaks", "top"], f"{path.name} --reorder {reorder}")
        for rule in ("3", "0us", "500us"):
            self.agree(taligent.report(path, temporary=rule),
                       self.json("lifetimes", path, "--temporary", rule, "--limit", 0), ["totals"],
                       f"{path.name} --temporary {rule}")

    def peak_agrees(self, path):
        """The columns of the peak agree with a report of that moment."""
        at_peak = {row["key"]: (row["objects"], row["bytes"])
                   for row in taligent.report(path, at="peak")["top"]}
        for row in self.json("top", path, "--limit", 0).get("top", []):
            self.hold(at_peak.get(row["key"], (0, 0)) == (row["peak_objects"], row["peak_bytes"]),
                      f"top {path.name}: {row['key']} at the peak")

    # --- RPM ---

    def graphs(self):
        """Retained sizes equal the bytes that are released if the object is removed."""
        for path in sorted(SAMPLES.glob("*.gclog")):
            self.dump_agrees((path, True))
        with tempfile.TemporaryDirectory() as folder:
            trials = []
            for seed in range(DUMPS):
                path = pathlib.Path(folder) / f"{seed}.gclog"
                path.write_bytes(graph.random_dump(seed).encode("utf-8"))
                trials.append((path, seed < CLOSER))
            self.at_once(self.dump_agrees, trials)
            paths = [path for path, _ in trials]
            self.at_once(self.paths_agree, paths[:CLOSER])
            self.at_once(self.types_agree, paths[:CLOSER])
            self.at_once(self.dumps_agree, [paths[at:at + 3] for at in range(0, CLOSER, 3)])

    def dump_agrees(self, trial):
        path, closely = trial
        name, expected = path.name, graph.report([path])
        report = self.json("retained", path, "--limit", 0)
        self.agree(expected, report, ["totals", "retained", "roots"], f"retained {name}")
        if not closely:
            return
        report = self.json("analyze", path, "--limit", 0)
        report["suspect_types"] = sorted((row for row in report["leaks"] if row["rule"] == "type"),
                                         key=lambda row: row["type"].encode())
        report.setdefault("statics", [])
        self.agree(expected, report, ["totals", "top", "snapshots", "suspect_types", "statics"], name)
        self.agree(expected, self.json("top", path, "--limit", 0), ["top"], f"top {name}")
        for by in ("type", "namespace"):
            report = self.json("retained", path, "--by", by, "--limit", 0)
            self.agree({"retained": expected[f"retained_by_{by}"]}, report, ["retained"],
                       f"retained {name} by {by}")
            report = self.json("dominators", path, "--by", by, "--limit", 0, "--min-percent", 0)
            report.setdefault("dominators", [])
            self.agree({"dominators": expected[f"tree_by_{by}"]}, report, ["dominators"],
                       f"dominators {name} by {by}")

    def paths_agree(self, path):
        """Paths are as short as possible, with and without a type, and share only the objects that every path
        contains."""
        found = graph.Graph(graph.Dump(path))
        ids = [thing.id for thing in found.objects]
        for at, thing in [(at, thing) for at, thing in enumerate(found.objects) if ids.count(thing.id) == 1][-6:]:
            type_ = found.objects[at // 2].type
            gone = [other for other, one in enumerate(found.objects) if one.type == type_]
            for without, options in (((), ()), (gone, ("--exclude", self.plain(type_)))):
                rows = self.json("path", f"{thing.id:x}", path, *options).get("path", [])
                distance = found.distance(at, without)
                self.hold(len(rows) == (0 if distance is None else distance + 1),
                          f"path to {thing.id:x} in {path.name} {options}")
            self.several_agree(path, found, at)

    def several_agree(self, path, found, at):
        several, name = {}, f"{found.objects[at].id:x}"
        for row in self.json("path", name, path, "--paths", 4).get("path", []):
            several.setdefault(row["path"], []).append(row["object"])
        common = {f"{found.objects[one].id:x}" for one in found.dominators(at)} | {name}
        links = {(f"{one.id:x}", f"{found.objects[t].id:x}") for place, one in enumerate(found.objects)
                 for t in found.targets[place]}
        starts = {f"{found.objects[one].id:x}" for one in found.strong}
        for number, objects in several.items():
            self.hold(objects[0] in starts and objects[-1] == name
                      and links.issuperset(zip(objects, objects[1:])) and common.issubset(objects),
                      f"path {number} to {name} in {path.name}")
        passed = [one for objects in several.values() for one in set(objects) - common]
        self.hold(len(passed) == len(set(passed)), f"paths to {name} in {path.name} are apart")
        places = {f"{one.id:x}": place for place, one in enumerate(found.objects)}
        self.hold(not passed or len(several) == 4 or
                  found.distance(at, [places[one] for one in passed]) is None,
                  f"paths to {name} in {path.name} are all")
        lengths = [len(objects) for objects in several.values()]
        self.hold(lengths == sorted(lengths), f"paths to {name} in {path.name} are ordered")

    def types_agree(self, path):
        """`object --type` agrees with a search about the types of some objects."""
        found = graph.Graph(graph.Dump(path))
        for type_ in sorted({thing.type for thing in found.objects})[-3:]:
            skip = found.objects[len(found.objects) // 2].type
            expected = graph.objects_of(found, type_, skip)
            report = self.json("object", "--type", self.plain(type_), path, "--skip", self.plain(skip),
                               "--limit", 0)
            for name in ("referrer_types", "dominator_types", "retained_types"):
                report[name] = sorted(report.get(name, []), key=lambda row: row["type"].encode())
            self.agree(expected, report, list(expected), f"object --type {type_} {path.name}")

    @staticmethod
    def plain(name):
        """Return the name as a pattern that matches nothing else."""
        return name.replace("[", "\\[")

    def dumps_agree(self, paths):
        """In several dumps, types are compared by name."""
        expected, name = graph.report(paths), [path.name for path in paths]
        growth = self.changed(self.json("growth", *paths, "--limit", 0))
        self.agree(expected, growth, ["growth"], f"growth {name}")
        self.agree(expected, self.json("snapshots", *paths, "--limit", 0), ["snapshots"], f"snapshots {name}")
        self.trend_agrees("growth", paths, name)
        self.hold(self.grown(paths) == expected["trend"], f"trend {name}: not {expected['trend']}")
        found = self.json("leaks", *paths, "--limit", 0)["accumulations"]
        known = [row for row in found if "steady_bytes" in row]
        self.agree(expected, {"accumulations": self.accumulations(known)}, ["accumulations"],
                   f"accumulations {name}")
        self.hold(found[:len(known)] == known and all(row["counts"][:-1] == ["unknown"] * (len(paths) - 1)
                  for row in found[len(known):]), f"accumulations {name}: unknown ones are not the last")

    def grown(self, paths):
        """Return the bytes that --max-trend compares for dumps; None if it refuses to."""
        done = self.run("growth", *paths, "--max-trend", 0, "--format", "json", "--quiet")
        return self.parsed(done, f"trend {paths}").get("limits", [{}])[0].get("actual_bytes")

    @staticmethod
    def accumulations(rows):
        """Return rows as the simple reader has them: unordered, and without unknown figures of roots."""
        names = ["bytes", "steady_bytes", "objects", "least_step", "most_step", "counts", "type", "types",
                 "delta_objects", "from_objects", "holder_type", "holders"]
        return sorted(({name: row[name] for name in names if name in row} for row in rows), key=repr)

    # --- AQTime ---

    def aqtime(self):
        """Row-by-row look-ups give the same figures."""
        paths = sorted(SAMPLES.glob("*.sqlite"))
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(DATABASES):
                paths.append(pathlib.Path(folder) / f"{seed}.sqlite")
                aqtime.random_database(seed, paths[-1])
            self.at_once(self.database_agrees, paths)

    def database_agrees(self, path):
        name, expected = path.name, aqtime.report(path)
        report = self.changed(self.json("analyze", path, "--limit", 0))
        self.agree(expected, report, ["totals", "snapshots", "top", "growth"], name)
        for command in ("leaks", "top", "growth"):
            report = self.json(command, path, "--limit", 0)
            if command == "growth":
                report = self.changed(report)
            self.agree(expected, report, [command], f"{command} {name}")
            if command == "top":
                self.hold(self.of_classes(expected) == self.of_classes(report), f"classes {name}")
        if expected["totals"].get("references"):
            report = self.json("retained", path, "--limit", 0)
            self.hold(self.unnamed(expected) == self.unnamed(report), f"retained {name}")

    @staticmethod
    def of_classes(report):
        """Return the figures of classes that are recorded, and those that are not."""
        fields = ("finalizable", "own_peak_objects", "own_peak_bytes")
        return {row["key"]: [row.get(field) for field in fields] for row in report["top"]}

    @staticmethod
    def unnamed(report):
        """Return retained sizes without ids: a database has several for an object."""
        return sorted((row["retained_bytes"], row["self_bytes"], row["type"], row["dominator"] is None)
                      for row in report.get("retained", []))
