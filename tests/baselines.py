"""Baselines: in every comparison, a saved baseline gives the same results as its recording."""
import json
import pathlib
import tempfile

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
NAMES = ["shop-v1.oemp", "shop-v2.oemp", "shop-v2.prf", "shop-v4.prf", "shop-new.rpt",
         "shop.taligent", "shop-1.gclog", "shop-3.gclog", "shop-aqtime.sqlite"]
# Another recording of the same program.
OTHERS = {"shop-v2.oemp": "shop-v2.oemp@2", "shop-v4.prf": "shop-v2.prf",
          "shop.taligent": "shop.taligent@3", "shop-3.gclog": "shop-1.gclog",
          "shop-aqtime.sqlite": "shop-aqtime.sqlite@1"}


class Baselines:
    def rows(self, base, new):
        report = self.json("diff", base, new)
        for row in report.get("diff", []):
            row.pop("rank", None)
        return report

    def baselines(self):
        for name in NAMES:
            with tempfile.TemporaryDirectory() as folder:
                self.one_baseline(pathlib.Path(folder), SAMPLES / name)
        with tempfile.TemporaryDirectory() as folder:
            nothing = pathlib.Path(folder) / "nothing.taligent"  # reads nothing except a block that does not exist
            nothing.write_text("1-1 1 0x1 del TText f\n")
            self.one_baseline(pathlib.Path(folder), nothing)

    def one_baseline(self, folder, path):
        saved = folder / "it.baseline"
        texts = []
        for _ in range(2):
            done = self.run("baseline", "save", path, "--store", folder, "--as", "it", "--quiet")
            self.hold(done.returncode == 0, f"{path.name}: save: {done.stderr[-300:]}")
            texts.append(saved.read_bytes() if saved.exists() else b"")
        self.hold(texts[0] == texts[1] and texts[0], f"{path.name}: another text in another run")
        for number, line in enumerate(texts[0].splitlines(), 1):
            try:
                self.hold(isinstance(json.loads(line), dict), f"{path.name}:{number}: no object")
            except ValueError:
                self.hold(False, f"{path.name}:{number}: no JSON")
        report = self.rows(saved, path)
        self.hold(report.get("diff") == [], f"{path.name}: differs from its own baseline")
        totals = report.get("totals", {})
        self.hold(totals and totals["base"] == totals["new"], f"{path.name}: other totals")
        other = OTHERS.get(path.name)
        if other:
            whole, kept = self.rows(path, SAMPLES / other), self.rows(saved, SAMPLES / other)
            self.hold(whole.get("diff") == kept.get("diff") and whole.get("diff"),
                      f"{path.name}: its baseline differs otherwise from {other}")
            self.hold(whole.get("changes") == kept.get("changes"), f"{path.name}: other changes")
        done = self.run("baseline", "check", path, "--store", folder, "--as", "it", "--quiet")
        expected = 3 if path.suffix == ".rpt" else 0  # a report has only the hottest lines: nothing passes
        self.hold(done.returncode == expected, f"{path.name}: worse than itself: {done.stdout[-300:]}")
