"""All answers about a recording name the same culprit; see properties.py."""
import csv
import html
import io
import json
import os
import pathlib
import re
import shutil
import tempfile

import holders
from verdict import program

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
LEAKING = ("leak", "growing-queue", "growing-object")  # kinds of growing sites
HEAD = re.compile(rb'[12] \d+ \d+ "\d{4}-')  # the line that begins a snapshot of an .oemp recording
STATUS = {"yes": 1, "no": 0, "unknown": 3}  # status of limits and rules that allow no leak


def same_site(site, text):
    """Return true if a text names this site. A site whose line number merely begins with the same digits does
    not count."""
    return re.search(re.escape(site) + r"(?!\d)", text) is not None


def function_of(site):
    """Return a site without its line, because trends and rules on sites do not contain lines."""
    return re.sub(r":\d+$| \(from \d+\)$", "", site)


def first_snapshots(path, count, folder):
    """Write a recording of the first `count` snapshots of a recording, counted over all sessions in file order.
    Return its path."""
    lines = path.read_bytes().splitlines(keepends=True)
    heads = [at for at, line in enumerate(lines) if HEAD.match(line)]
    first = folder / f"first-{path.name}"
    first.write_bytes(b"".join(lines[:[*heads, len(lines)][count]]))
    return first


def without(seed, site):
    """Return a generated program without the objects of a site, or None if nothing is left."""
    made = program.make(seed)
    truth = made.truth()
    gone = [place for place, told in zip(made.places, truth) if same_site(told["site"], site)]
    made.places = [place for place in made.places if place not in gone and place.owner not in gone]
    return made if made.places else None


class Culprits(holders.Holders):
    """Needs json(), run(), hold(), parsed() and at_once() of Laws. `programs`: number of programs to generate."""

    def culprit(self):
        """For samples and generated programs, all answers agree on what leaks, or on who holds more and more."""
        samples = [*self.whole(), *sorted(SAMPLES.glob("*.taligent")), SAMPLES / "shop-aqtime.sqlite"]
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            self.at_once(lambda path: self.culprit_of(path, place), [*samples, *self.real_heaps()])
            for name in ("shop.agent.log", "shop-client.lg"):
                self.culprit_without_sizes(SAMPLES / name, place)
            self.at_once(lambda seed: self.culprit_of_program(seed, place), range(self.programs))
            self.at_once(lambda seed: self.holders_agree(seed, place), range(self.programs))
            for number, members in enumerate(samples[at:at + 4] for at in range(0, len(samples), 4)):
                self.folder_agrees_on_culprit(members, place / f"samples-{number}")

    @staticmethod
    def real_heaps():
        """Return the real memory recordings, and print a note if there are none."""
        corpus = pathlib.Path(os.environ.get("MEMPROF_CORPUS", SAMPLES.parent.parent / "shared" / "corpus"))
        heaps = sorted(path for ending in ("oemp", "taligent") for path in corpus.rglob("*." + ending))
        if not heaps:
            print(f"skipped: no real recordings of memory in {corpus} (set MEMPROF_CORPUS)")
        return heaps

    def culprit_of_program(self, seed, place):
        own = place / f"made-{seed}"
        own.mkdir()
        paths = []
        for name, text in program.make(seed).files():
            paths.append(own / name)
            paths[-1].write_text(text, encoding="utf-8")
        for path in paths:
            worst = self.culprit_of(path, own)
            if worst and len(paths) == 1:
                self.builds_agree(seed, path, worst, own)
        self.folder_agrees_on_culprit(paths, own / "all")
        shutil.rmtree(own)

    def culprit_of(self, path, folder):
        """Compare all answers about a file. Return the culprit."""
        verdict = self.json("analyze", path).get("verdict", {"leaks": "?"})
        report = self.json("leaks", path, "--limit", 0)
        worst, rows = verdict.get("worst"), report.get("leaks", [])
        leaking = [row for row in rows if row["kind"] in LEAKING]
        self.hold(report.get("verdict") == verdict, f"{path.name}: {verdict}, {report.get('verdict')}")
        self.hold((verdict["leaks"] == "yes") == (worst is not None) == bool(leaking), f"{path.name}: {verdict}")
        self.hold(rows[:len(leaking)] == leaking == sorted(leaking, key=lambda row: -row["leaking_bytes"]) and
                  all("leaking_bytes" not in row for row in rows[len(leaking):]), f"{path.name}: {rows}")
        self.hold(not worst or worst["site"] in rows[0]["stack"] and
                  all(worst.get(name) == rows[0].get(name)
                      for name in ("type", "name", "kind", "confidence", "leaking_bytes")),
                  f"{path.name}: {worst}, but {rows[:1]}")
        self.hold(verdict.get("leaking_bytes", 0) == sum(row["leaking_bytes"] for row in leaking) and
                  report.get("totals", {}).get("leaking_bytes") == {"yes": verdict.get("leaking_bytes"), "no": 0}.get(
                      verdict["leaks"]), f"{path.name}: {verdict}, {report.get('totals')}, {rows}")
        self.texts_agree(path, worst)
        self.tables_agree(path, rows)
        self.growth_agrees(path, leaking)
        self.limits_agree(path, verdict)
        self.rules_agree(path, verdict, leaking, folder)
        self.accepted_are_gone(path, leaking, folder)
        if worst and path.suffix == ".oemp":
            self.watch_agrees(path, worst, report["totals"]["leaked_bytes"], folder)
        if worst:
            first = self.json("snapshots", path)["snapshots"][0]["sequence"]
            self.diff_agrees(f"{path}@{first}", path, worst)
        self.folder_agrees_on_culprit([path], folder / f"alone-{path.name}")
        return worst

    def culprit_without_sizes(self, path, folder):
        """Answers about a log without sizes of objects are ranked by the number of objects."""
        verdict = self.json("analyze", path)["verdict"]
        report = self.json("leaks", path, "--limit", 0)
        worst, first = verdict.get("worst"), report["leaks"][0]
        self.hold(report["verdict"] == verdict and verdict["leaks"] == "yes" and first["kind"] in LEAKING and
                  worst["site"] in first["stack"] and worst["type"] == first["type"] and
                  first["objects"] == max(row["objects"] for row in report["leaks"] if row["kind"] in LEAKING) and
                  "leaking_bytes" not in report["totals"] and report["totals"]["leaking_objects"] >= first["objects"],
                  f"{path.name}: {verdict}, {first}")
        self.texts_agree(path, worst)
        self.limits_agree(path, verdict)
        self.folder_agrees_on_culprit([path], folder / f"alone-{path.name}")
        other = {line["label"] for command in ("growth", "trend") for line in self.json(command, path)["answer"]}
        self.hold(not other & {"Worst leak", "Grows steadily"}, f"{path.name}: bytes name a culprit: {other}")

    def texts_agree(self, path, worst):
        """The first lines for people agree, in each format."""
        said = {line["label"]: line["text"] for line in self.json("analyze", path).get("answer", [])}
        line = said.get("Worst leak", "")
        self.hold(bool(line) == bool(worst) and (not worst or f" {worst['type']}" in line and
                                                 same_site(worst["site"], line)),
                  f"{path.name}: {worst}, but it says {line}")
        for form, blank in (("html", None), ("markdown", None), ("text", r"\s+")):
            page = self.run("analyze", path, "--format", form, "--quiet").stdout.decode()
            page = html.unescape(re.sub(r"\\(?=[_*<>`\[\]|~#])|<!-- -->", "", page) if form == "markdown" else page)
            text = re.sub(blank, "", line) if blank else line
            page = re.sub(blank, "", page) if blank else page
            self.hold(text in page if line else "Worst leak" not in page and "Worstleak" not in page,
                      f"{path.name}: {form} does not say {line}")

    def tables_agree(self, path, rows):
        """CSV, SQL, NDJSON and metrics state the same kinds in the same order."""
        names = ("kind", "confidence", "leaking_bytes")
        told = [tuple(str(row.get(name, "")) for name in names) for row in rows]
        table = self.run("leaks", path, "--limit", 0, "--format", "csv", "--quiet").stdout.decode()
        seen = [tuple(row[name] for name in names) for row in csv.DictReader(io.StringIO(table))]
        self.hold(seen == told, f"{path.name}: CSV has {seen}, not {told}")
        table = self.run("sql", path, "select kind, confidence, nullif(leaking_bytes, 0) as leaking_bytes "
                         "from leaks", "--format", "csv", "--quiet").stdout.decode()
        seen = [tuple(row[name] for name in names) for row in csv.DictReader(io.StringIO(table))]
        self.hold(seen[:1] == told[:1] and sorted(seen) == sorted(told), f"{path.name}: SQL {seen}, not {told}")
        lines = self.run("export", "--to", "ndjson", path, "--quiet").stdout.decode().splitlines()
        sites = [row for row in map(json.loads, lines) if row["kind"] == "site" or "site_kind" in row]
        seen = sorted(row["leaking_bytes"] for row in sites if row.get("leaking_bytes"))
        wanted = sorted(row["leaking_bytes"] for row in rows if "leaking_bytes" in row)
        self.hold(seen == wanted, f"{path.name}: ndjson {seen}, not {wanted}")
        lines = self.run("export", "--to", "openmetrics", path, "--quiet").stdout.decode().splitlines()
        metrics = [line.rsplit(" ", 1) for line in lines if line.startswith("memprof_leaking_bytes{")]
        most = max(metrics, key=lambda metric: int(metric[1]), default=None)
        self.hold(not wanted or most and int(most[1]) >= wanted[-1] and
                  f'stack="{rows[0]["stack"][0]}' in most[0].replace("\\\\", "\\"),
                  f"{path.name}: metrics {most}, not {rows[:1]}")

    def growth_agrees(self, path, leaking):
        growth = self.json("growth", path, "--by", "site", "--limit", 0)
        grows = [row["stack"][:1] for row in growth.get("growth", []) if row.get("trend") == "grows steadily"]
        said = any(line["label"] == "Grows steadily" for line in growth.get("answer", []))
        self.hold(sorted(grows) == sorted(row["stack"][:1] for row in leaking) and said == bool(leaking),
                  f"{path.name}: {grows} grow steadily")

    def limits_agree(self, path, verdict):
        worst, status = verdict.get("worst"), STATUS.get(verdict["leaks"])
        rest = ["--allow-torn"] if status != 3 else []  # judges only the sessions that are long enough
        for form in ("json", "junit", "github", "pr"):
            done = self.run("leaks", path, "--max-trend", 0, *rest, "--format", form, "--quiet")
            said = html.unescape(done.stdout.decode() + done.stderr.decode())
            self.hold(done.returncode == status, f"{path.name}: {verdict}, {form} {done.returncode}")
            named = re.search(r"worst leak: [^\n]*", said)
            self.hold(bool(named) == bool(worst) and (not worst or same_site(worst["site"], named[0])),
                      f"{path.name}: {worst}, but {form} says {named}")

    def rules_agree(self, path, verdict, leaking, folder):
        """Rules fail if something leaks, and name the culprit first."""
        worst, status = verdict.get("worst"), STATUS.get(verdict["leaks"])
        policy = folder / f"{path.name}.policy"
        for rule in ("trend <= 0 B", "trend of each site <= 0 B", "leaked <= 0 B", "leaked of each site <= 0 B"):
            policy.write_text(rule + "\n", encoding="utf-8")
            rest = ["--allow-torn"] if status != 3 else []
            done = self.run("gate", policy, path, *rest, "--format", "json", "--quiet")
            gate = self.parsed(done, f"{path.name}: {rule}")
            trend, by_site = rule.startswith("trend"), "each" in rule
            self.hold(not trend or done.returncode == status or by_site and not leaking,
                      f"{path.name}: {verdict}, {rule}: {done.returncode}")
            named = [row for row in leaking if trend or row["objects"]][:1]
            if not named:
                continue
            text, cause = gate["rules"][0].get("message", ""), gate["worse"][0]
            site = named[0]["stack"][0] if named[0] is not leaking[0] else worst["site"]
            said = by_site and function_of(site) in text or not by_site and same_site(worst["site"], text)
            self.hold(said and same_site(site, cause["what"] + " " + cause.get("site", "")),
                      f"{path.name}: {worst}, but {rule}: {text}, {cause}")

    def accepted_are_gone(self, path, leaking, folder):
        """When leaks are accepted one after the other, the next one is named, until none is left."""
        accepted, text = folder / f"{path.name}.suppressions", ""
        left = [(row["type"], row["stack"][0] if row["stack"] else "", row) for row in leaking]
        for number in range(1, 6):
            if not left:
                break
            worst = left[0]
            type_ = re.sub(r"([\[*?])", r"[\1]", worst[0])
            text += f"[leak {number}]\nreason = known\ntype = {type_}\nstack = ^{re.escape(worst[1])}$\n"
            accepted.write_text(text, encoding="utf-8")
            left = [one for one in left if one[1] != worst[1] or one[0] != worst[0]]
            verdict = self.json("leaks", path, "--suppress", accepted).get("verdict", {})
            found = verdict.get("worst")
            self.hold(found["leaking_bytes"] == left[0][2]["leaking_bytes"] and
                      found["site"] in left[0][2]["stack"] if found and left else not found and not left,
                      f"{path.name}: without {text} {found}, not {left[:1]}")

    def watch_agrees(self, path, worst, leaked, folder):
        """Watching names the culprit at the end and, if a limit is exceeded, the worst leak at that moment."""
        done = self.run("watch", path, "--timeout", "1ms", "--format", "json", "--quiet")
        events = [json.loads(line) for line in done.stdout.splitlines()]
        named = [event["message"] for event in events if event.get("event") == "worst-leak"]
        self.hold(len(named) == 1 and same_site(worst["site"], named[0]), f"{path.name}: {worst}, watched {named}")
        done = self.run("watch", path, "--timeout", "1ms", "--max-leaked", leaked // 2, "--format", "json", "--quiet")
        events = [json.loads(line) for line in done.stdout.splitlines()]
        sequence = sum("sequence" in event for event in events)
        by_then = self.json("analyze", first_snapshots(path, sequence, folder)).get("verdict", {}).get("worst")
        named = re.findall(r"worst leak: [^;]*", events[-1].get("message", ""))
        self.hold(done.returncode != 1 or bool(named) == bool(by_then) and
                  (not by_then or same_site(by_then["site"], named[0])),
                  f"{path}: {by_then} after {sequence} snapshots, watched {events[-1]}")

        self.watch_stops(path, worst.get("leaking_bytes", 0) // 2, folder)

    def watch_stops(self, path, limit, folder):
        """Watching stops at the first snapshot at which the recording, cut there, exceeds the limit of leaks.

        Only leaks that are almost certain count before the recording ends.
        """
        done = self.run("watch", path, "--timeout", "1ms", "--max-trend", limit, "--format", "json", "--quiet")
        events = [json.loads(line) for line in done.stdout.splitlines()]
        sequence = sum("sequence" in event for event in events)
        stopped = done.returncode == 1
        heads = [line for line in path.read_bytes().splitlines() if HEAD.match(line)]
        earlier = range(1, sequence) if sequence <= 8 else {sequence - 1, sequence * 3 // 4, sequence // 2}
        for count in [*earlier, sequence]:
            cut = first_snapshots(path, count, folder)
            found = self.json("leaks", cut, "--limit", 0)
            certain = sum(row.get("leaking_bytes", 0) for row in found["leaks"] if row["confidence"] >= 95)
            ends = count == len(heads) or b'"_PreCleanUp"' in heads[count - 1]
            status = self.run("leaks", cut, "--max-trend", limit, "--quiet").returncode
            judged = status if ends else int(certain > limit)
            self.hold((judged == 1) == (stopped and count == sequence),
                      f"{path}: --max-trend {limit} after {count} snapshots {judged}, watched to {sequence}")

    def diff_agrees(self, base, path, worst):
        """Compared with a base without leaks, the culprit leaks more, or changed most."""
        said = [line for line in self.json("diff", base, path).get("answer", [])
                if line["label"] not in ("Damaged", "Truncated")]
        named = [line["text"] for line in said if line["label"] == "Leaks more"] or [said[0]["text"]]
        self.hold(said[0]["label"] == "Not comparable" or same_site(worst["site"], named[0]),
                  f"{path.name}: {worst}, but against {base} {said}")
        same = self.json("diff", path, path).get("answer", [])
        self.hold(not any(line["label"] == "Leaks more" for line in same), f"{path.name}: leaks more than itself")

    def builds_agree(self, seed, path, worst, own):
        """Compared with a build without the culprit, comparisons and trends of both builds name it."""
        healthy = without(seed, worst["site"])
        if not healthy:
            return
        base = own / f"0-{path.name}"
        base.write_text(healthy.files()[0][1], encoding="utf-8")
        self.diff_agrees(base, path, worst)
        self.run("baseline", "save", base, "--store", own, "--as", "base", "--allow-torn", "--quiet")
        done = self.run("baseline", "check", path, "--store", own, "--as", "base", "--allow-torn",
                        "--format", "json", "--quiet")
        causes = [row for row in self.parsed(done, "baseline check").get("worse", [])
                  if row["rule"] == "no new leak site"]
        self.hold(worst["kind"] == "growing-object" or causes and same_site(worst["site"], causes[0]["site"]),
                  f"{path.name}: {worst}, but new are {causes[:2]}")
        said = self.json("trend", base, path, "--order", "name").get("answer", [])
        named = [line["text"] for line in said if line["label"] == "Worst leak"]
        self.hold(named and function_of(worst["site"]) in named[0], f"{path.name}: {worst}, but the trend {said}")

    def folder_agrees_on_culprit(self, members, folder):
        """The worst leak of a folder is the worst leak of its files."""
        folder.mkdir()
        for path in members:
            shutil.copy(path, folder)
        told = [self.json("analyze", folder / path.name).get("verdict") for path in members]
        worst = [one["worst"] for one in told if one and "worst" in one]
        for command in ("analyze", "leaks"):
            report = self.json(command, folder, "--group", "file", "--limit", 0)
            found, rows = report.get("verdict", {}).get("worst"), report.get("leaks", [])
            wanted = max(worst, key=lambda one: one.get("leaking_bytes", 0), default=None)
            self.hold({**(found or {}), "file": 0} == {**(wanted or {}), "file": 0},
                      f"{folder.name}: {wanted}, but {command} of the folder {found}")
            self.hold(not found or rows[0].get("leaking_bytes") == found.get("leaking_bytes") and
                      found["site"] in rows[0]["stack"], f"{folder.name}: {found}, but {rows[:1]}")
