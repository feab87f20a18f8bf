"""The law that all answers about one recording name the same culprit; see properties.py."""
import csv
import html
import io
import pathlib
import re
import shutil
import tempfile

from verdict import program

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"


class Culprits:
    """Needs json(), run(), hold(), parsed() and at_once() of Laws."""

    def culprit(self):
        """Of samples and made-up programs: reports, tables, limits and folders agree on what leaks."""
        samples = [*self.whole(), *sorted(SAMPLES.glob("*.taligent"))]
        with tempfile.TemporaryDirectory() as folder:
            made = [pathlib.Path(folder, f"made-{seed}") for seed in range(24)]
            for seed, path in enumerate(made):
                path.mkdir()
                for name, text in program.make(seed).files():
                    pathlib.Path(path, name).write_text(text, encoding="utf-8")
            alone = [path for one in made for path in one.iterdir()]
            self.at_once(lambda path: self.culprit_of(path, pathlib.Path(folder)), [*samples, *alone])

    @staticmethod
    def named(worst):
        """What tells one culprit from another."""
        return worst and (worst["type"], worst.get("name"), worst["site"], worst["bytes"])

    def culprit_of(self, path, folder):
        verdict = self.json("analyze", path).get("verdict", {"leaks": "?"})
        worst, leaks = verdict.get("worst"), verdict["leaks"]
        report = self.json("leaks", path, "--limit", 0)
        self.hold(report.get("verdict") == verdict, f"{path.name}: {verdict}, {report.get('verdict')}")
        self.hold((leaks == "yes") == (worst is not None), f"{path.name}: {verdict}")
        rows = report.get("leaks", [])
        if worst and rows and rows[0]["bytes"] == worst["bytes"]:
            self.hold((rows[0]["type"], rows[0].get("name"), rows[0]["kind"])
                      == (worst["type"], worst.get("name"), worst["kind"])
                      and worst["site"] in rows[0]["stack"], f"{path.name}: {worst}, but {rows[0]}")
        elif worst:  # objects that are older than the window, and grow
            self.hold(worst["kind"] == "growing-object", f"{path.name}: {worst} is in no row")
        self.texts_agree(path, worst, rows)
        self.limits_agree(path, worst, leaks)
        self.rules_agree(path, worst, leaks, folder)
        self.accepted_is_gone(path, worst, folder)
        alone = folder / f"alone-{path.parent.name}-{path.name}"
        alone.mkdir()
        shutil.copy(path, alone)
        found = self.json("analyze", alone).get("verdict", {"leaks": "?"})
        self.hold(found["leaks"] == leaks and self.named(found.get("worst")) == self.named(worst),
                  f"{path.name}: {worst}, in a folder {found}")

    def texts_agree(self, path, worst, rows):
        said = {line["label"]: line["text"] for line in self.json("analyze", path).get("answer", [])}
        line = said.get("Worst leak", "")
        self.hold(bool(line) == bool(worst) and (not worst or f" {worst['type']}" in line),
                  f"{path.name}: {worst}, but it says {line}")
        table = self.run("leaks", path, "--limit", 0, "--format", "csv", "--quiet").stdout.decode()
        kinds = [row["kind"] for row in csv.DictReader(io.StringIO(table))]
        self.hold(kinds == [row["kind"] for row in rows], f"{path.name}: CSV tells other kinds")
        growth = self.json("growth", path, "--by", "site", "--limit", 0)
        grows = [row for row in growth.get("growth", []) if row.get("trend") == "grows steadily"]
        self.hold(bool(grows) == bool(worst) and
                  (not worst or any(worst["site"] in row["stack"] for row in grows)),
                  f"{path.name}: {worst}, but {[row['key'] for row in grows]} grow steadily")
        page = self.run("analyze", path, "--format", "html", "--quiet").stdout.decode()
        self.hold((html.escape(line, quote=False) in page) if line else "<dt>Worst leak" not in page,
                  f"{path.name}: {worst}, but its page does not say {line}")

    def limits_agree(self, path, worst, leaks):
        done = self.run("leaks", path, "--max-trend", 0, "--allow-torn", "--format", "json", "--quiet")
        limit = self.parsed(done, f"{path.name} --max-trend 0").get("limits", [{}])[0]
        status = {"yes": 1, "no": 0, "unknown": 3}.get(leaks)
        self.hold(done.returncode == status, f"{path.name}: leaks {leaks}, status {done.returncode}")
        self.hold(not worst or worst["type"] in done.stderr.decode() + str(limit),
                  f"{path.name}: {worst}, but {limit}")

    def rules_agree(self, path, worst, leaks, folder):
        """A rule and a comment on a pull request fail for the same culprit."""
        policy = folder / f"{path.parent.name}-{path.name}.policy"
        policy.write_text("trend <= 0 B\n", encoding="utf-8")
        status = {"yes": 1, "no": 0, "unknown": 3}.get(leaks)
        for words in (("gate", policy, path), ("leaks", path, "--max-trend", 0)):
            done = self.run(*words, "--allow-torn", "--format", "pr", "--quiet")
            self.hold(done.returncode == status, f"{path.name}: {leaks}, {words[0]} {done.returncode}")
            said = html.unescape(done.stdout.decode())
            self.hold(not worst or worst["site"] in said, f"{path.name}: {worst}, but {said}")

    def accepted_is_gone(self, path, worst, folder):
        """A culprit that is accepted is none."""
        if not worst:
            return
        accepted = folder / f"{path.parent.name}-{path.name}.suppressions"
        accepted.write_text("[leak 1]\nreason = known\ntype = " + worst["type"] + "\nstack = ^" +
                            re.escape(worst["site"]) + "$\n", encoding="utf-8")
        other = self.json("leaks", path, "--suppress", accepted)["verdict"].get("worst")
        self.hold(not other or (other["type"], other["site"]) != (worst["type"], worst["site"]),
                  f"{path.name}: {worst} is accepted, and still {other}")
