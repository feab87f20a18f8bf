#!/usr/bin/env python3
"""A .memprof in the working folder must not change what is judged.

  tests/settings.py --memprof PROGRAM --tables PROGRAM

In every trial below, a .memprof sets each option of a judging command. If the command says that it ignores the
option, the answer must be the same byte by byte, and so must its status. Only the options of HEEDED may have an
effect, and the judgement must then stay the same: nothing more may pass. An option without a text in TEXTS is
an error, so that new options are not forgotten.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import claims

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"

# For each name an option with a text that changes the subject of an answer, if there is one.
TEXTS = {
    "from": "3", "to": {"": "2", "coverage": "lcov"}, "at": "1ms", "slices": "1", "temporary": "1", "reorder": "0", "skip": "*",
    "no-skip": None, "domain": "none", "listings": ".", "input-format": "rpt", "encoding": "KOI8-R",
    "group": "all", "recursive": None, "allow-torn": None, "max-name": "1", "base": "mild.oemp",
    "policy": "mild.policy", "suppress": "all.suppressions", "today": "2099-01-01", "normalize": "s/.*/x/", "keep-profiler": None, "order": "name", "by": {"coverage": "module", "growth": "type"},
   
    "since": "99999s", "until": "1", "min-size": "1T", "min-count": "1000000", "against": "mild.baseline",
    "until-exit": None, "timeout": "1ms", "poll": "1h",
    **{word + name: "*" if word else "none" for word in ("", "not-")
       for name in ("type", "name", "source", "thread", "tag", "request", "api")},
    "stack": "none", "not-stack": ".",
    # Options with an effect: they show an answer in another way, add to what is judged, or end in an error.
    "jobs": "1", "bytes": None, "strict": None, "quiet": None, "verbose": None, "color": "always", "width": "60",
    "no-pager": None, "all-tables": None, "format": "markdown", "brief": None, "limit": "1", "stack-depth": "0", "uncovered": None,
    "sort": {"leaks": "created", "growth": "key", "coverage": "name"},
    "max-memory": "1G", "max-time": "1min", "max-unpacked": "1K", "max-ratio": "1", "max-nesting": "1",
    "max-files": "1", "max-line": "64", "max-trend": "1T", "max-growth": "1T", "max-platform-growth": "1T",
    "max-leaked": "1T", "max-live": "1T", "max-slope": "1T", "min-lines": "0%",
}
HEEDED = set(list(TEXTS)[list(TEXTS).index("jobs"):])
ALSO_HEEDED = {"coverage.to = lcov", "watch.policy = mild.policy"}  # a text format; an additional limit
# Each run fails or cannot judge, whatever the file says.
TRIALS = [
    ["gate", "p.policy", "bad.oemp"],
    ["gate", "p.policy", "torn.oemp"],
    ["gate", "p.policy", "folder"],
    ["gate", "base.policy", "bad.oemp", "--base", "bad.oemp@1"],
    ["gate", "nobase.policy", "bad.oemp"],
    ["gate", "log.policy", "bad.taligent"],
    ["gate", "live.policy", "bad.gclog"],
    ["gate", "prf.policy", "bad.prf"],
    ["baseline", "check", "bad.oemp", "--store", "store"],
    ["leaks", "bad.oemp", "--max-leaked", "1K"],
    ["leaks", "bad.taligent", "--max-live", "1"],
    ["leaks", "folder", "--max-trend", "0"],
    ["growth", "bad.oemp", "--max-live", "1"],
    ["analyze", "bad.oemp", "--max-live", "1K"],
    ["coverage", "bad.prf", "--min-lines", "100%"],
    ["trend", "b1.oemp", "b2.oemp", "b3.oemp", "--max-slope", "1"],
    ["watch", "bad.oemp", "--max-leaked", "1K", "--timeout", "200ms"],
    ["check", "bad.oemp", "--against", "mild.baseline"],
    ["check", "torn.oemp"],
]


def make_inputs(memprof, folder):
    copies = {"bad.oemp": "shop-v2.oemp", "mild.oemp": "shop-agent-AS1.oemp", "bad.taligent": "shop.taligent",
              "bad.gclog": "shop-1.gclog", "bad.prf": "shop-v4.prf", "b1.oemp": "shop-agent-AS1.oemp",
              "b2.oemp": "shop-v1.oemp", "b3.oemp": "shop-v2.oemp"}
    for name, sample in copies.items():
        (folder / name).write_bytes((SAMPLES / sample).read_bytes())
    (folder / "torn.oemp").write_bytes((SAMPLES / "shop-v2.oemp").read_bytes()[:-2000])
    (folder / "folder/below").mkdir(parents=True)
    (folder / "folder/a.oemp").write_bytes((SAMPLES / "shop-v2.oemp").read_bytes())
    (folder / "folder/below/b.oemp").write_bytes((SAMPLES / "shop-agent-AS1.oemp").read_bytes())
    for name, text in {"p": "leaked <= 1K\ngrowth per snapshot <= 0\nlive of each type <= 1K\n",
                       "base": "leaked <= base\nno new leak site\n", "nobase": "leaked <= base\n",
                       "log": "live <= 1\npeak <= 1\n", "live": "live <= 1\n", "prf": "seconds <= 1ms\n",
                       "mild": "live <= 1T\n"}.items():
        (folder / f"{name}.policy").write_text(text, encoding="utf-8")
    (folder / "all.suppressions").write_text("[all]\ntype = *\nreason = none\n", encoding="utf-8")
    for sample, name in (("bad.oemp@1", "bad"), ("mild.oemp", "mild")):
        run(memprof, folder, ["baseline", "save", sample, "--store", "store", "--as", name], config=False)
    (folder / "mild.baseline").write_bytes((folder / "store/mild.baseline").read_bytes())


def run(memprof, folder, words, config=True):
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TERM": "dumb", "HOME": str(folder)}
    if not config:
        environment["MEMPROF_NO_CONFIG"] = "1"
    done = subprocess.run([memprof, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode()


def options_of(tables, command):
    listed = subprocess.run([tables, "options", command], capture_output=True, check=True, text=True)
    return sorted({line.split()[0].lstrip("-") for line in listed.stdout.splitlines()})


def judged(output, errors):
    """Return what was judged: rules with their measured numbers, and the exceeded limits."""
    answer = json.loads(output) if output[:1] == b"{" else {}
    rules = [[rule["status"]] + sorted(item for item in rule.items() if isinstance(item[1], int))
             for rule in answer.get("rules", [])]
    return rules, re.findall(r"--max-\S+ \S+ exceeded", errors)


class Law:
    def __init__(self, memprof, tables, folder):
        self.memprof, self.tables, self.folder = memprof, tables, folder
        self.wrong, self.tried, self.ignored, self.heeded = 0, 0, set(), set()

    def fault(self, trial, line, text):
        print(f"{' '.join(trial)}: with {line!r}: {text}")
        self.wrong += 1

    def hold(self, trial):
        watches = trial[0] == "watch"
        words = trial if watches else [*trial, "--format", "json"]
        plain = run(self.memprof, self.folder, words)
        if plain[0] not in (1, 3):
            self.fault(trial, "", f"status {plain[0]}, expected one that fails: {plain[2]}")
        for option in options_of(self.tables, trial[0]):
            if option not in TEXTS and not self.is_refused(option):
                self.fault(trial, option, "no text in TEXTS: may limits heed it?")
            elif option in TEXTS:
                self.hold_one(trial, words, option, plain)

    def is_refused(self, option):
        """Return true if no file may set the option, or if it is only a letter for another name."""
        (self.folder / ".memprof").write_text(f"{option}\n{option} = x\n", encoding="utf-8")
        status, _, errors = run(self.memprof, self.folder, ["info", "bad.oemp"])
        (self.folder / ".memprof").unlink()
        return status == 2 and "allowed only on the command line" in errors

    def hold_one(self, trial, words, option, plain):
        text = TEXTS[option]
        text = text.get(trial[0], text.get("")) if isinstance(text, dict) else text
        line = f"{trial[0]}.{option}" + (f" = {text}" if text is not None else "")
        (self.folder / ".memprof").write_text(line + "\n", encoding="utf-8")
        status, output, errors = run(self.memprof, self.folder, words)
        (self.folder / ".memprof").unlink()
        self.tried += 1
        if "command line" in errors and status == 2:
            return
        if re.search(rf"--{option} is ignored because it would change what is judged", errors):
            self.ignored.add(option)
            if (status, output) != plain[:2] and not (trial[0] == "watch" and status == plain[0]):
                self.fault(trial, line, f"ignored, and status {status}, not {plain[0]}, or another answer")
            return
        self.heeded.add(option)
        if option not in HEEDED and line not in ALSO_HEEDED:
            self.fault(trial, line, "heeded, expected that it is ignored")
        elif status != 3 and (status != plain[0] or judged(output, errors) != judged(*plain[1:])):
            self.fault(trial, line, f"status {status}, not {plain[0]}, or something else is judged: {errors}")


def main():
    arguments = claims.arguments(__doc__, tables=claims.PROGRAM)
    with tempfile.TemporaryDirectory(prefix="settings.") as name:
        law = Law(arguments.memprof, arguments.tables, pathlib.Path(name))
        make_inputs(arguments.memprof, law.folder)
        for trial in TRIALS:
            law.hold(trial)
    for option in sorted(set(TEXTS) - law.ignored - law.heeded):
        law.fault([], option, "no trial takes it")
    print(f"settings.py: {law.tried} settings, {len(law.ignored)} options ignored, {len(law.heeded)} heeded, "
          f"{law.wrong} wrong")
    return law.wrong != 0


if __name__ == "__main__":
    sys.exit(main())
