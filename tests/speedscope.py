#!/usr/bin/env python3
"""Files for speedscope, opened by speedscope itself: the page of its package, in a browser.

    tests/speedscope.py --memprof PATH               every sample by one cost; by every cost and as folded
                                                     stacks, the first one of each format
    tests/speedscope.py --memprof PATH --self-test   check that changed files are detected

The data that the page has imported, frame by frame and in total, is compared with the rows of `flame --format
json`. This needs Chromium, and speedscope below the folder MEMPROF_NODE_MODULES (`npm install speedscope`);
without them the test is skipped. On failure, print a line for each fault and exit with 1.
"""
import argparse
import base64
import collections
import json
import os
import pathlib
import sys
import tempfile

import browser
import flames
import viewers
from roots import skip

PAGE = pathlib.Path(os.environ.get("MEMPROF_NODE_MODULES", "node_modules"),
                    "speedscope", "dist", "release", "index.html")
# The page's application gets its data from Preact, which stores it in its tree of drawn elements. The script
# finds it at the element that Preact has replaced.
KEEP = """new MutationObserver(changes => changes.forEach(change => change.addedNodes.forEach(node => {
  if (node.localName === "script") (window.scripts = window.scripts || []).push(node);
}))).observe(document, {childList: true, subtree: true});
window.alert = text => { window.told = text; };"""
FOUND = """(async () => {
  const application = () => {
    const waiting = scripts.map(script => script.__k);
    while (waiting.length) {
      const node = waiting.pop();
      if (node && node.props && node.props.setProfileGroup) return node.props;
      waiting.push(...(node && node.__k || []));
    }
    return {};
  };
  const until = async (holds, what) => {
    for (let waited = 0; !holds(); waited += 5) {
      if (waited > 20000) throw new Error(`speedscope shows no ${what}`);
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  };
  await until(() => window.told || application().error || application().profileGroup, "profile");
  const {error, profileGroup} = application();
  if (window.told || error) return {told: window.told || "something went wrong"};
  const name = profileGroup.profiles[profileGroup.indexToView].profile.getName();
  await until(() => document.body.innerText.includes(name), name);
  return {title: document.title, name: profileGroup.name, profiles: profileGroup.profiles.map(({profile}) => {
    const frames = [];
    profile.forEachFrame(frame => frames.push(
      [frame.name, frame.file || null, frame.getSelfWeight(), frame.getTotalWeight()]));
    return {name: profile.getName(), unit: profile.getWeightUnit(), total: profile.getTotalWeight(), frames};
  })};
})()"""
IMPORTERS = {"speedscope": "speedscope json file", "folded": "collapsed stack format"}


class Viewer:
    """speedscope in a browser, which opens files like the command `speedscope FILE`."""

    def __init__(self, folder):
        self.page = browser.Browser(browser.find(), folder / "profile")
        self.script, self.count = folder / "file.js", 0
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source=KEEP)

    def open(self, path):
        """Return what speedscope has imported and by which importer; or `told`, its error message."""
        words = path.name, base64.b64encode(path.read_bytes()).decode("ascii")
        self.script.write_text("speedscope.loadFileFromBase64(%s, %s)" % tuple(map(json.dumps, words)))
        self.count += 1
        self.page.open(f"{PAGE.resolve()}?{self.count}#localProfilePath={self.script}")
        found = self.page.run(FOUND)
        said = [event["params"]["args"][0].get("value", "") for event in self.page.events
                if event["method"] == "Runtime.consoleAPICalled" and event["params"]["args"]]
        found["as"] = next((text[13:] for text in said if text.startswith("Importing as ")), None)
        found["asked"] = [fault for fault in self.page.faults()
                          if fault.startswith("asks for ") and not fault.startswith("asks for file:")]
        return found

    def close(self):
        self.page.close()


def frames_of(rows, unit, side=""):
    """Return the own weight of each frame, and the weight including callees, which counts once in a recursion."""
    path, sums = [], collections.defaultdict(lambda: [0, 0])
    for row in rows:
        del path[row["depth"]:]
        key, all_ = (row["frame"], row.get("source")), flames.in_units(row[f"{side}inclusive_{unit}"])
        if all_:
            sums[key][0] += flames.in_units(row[f"{side}own_{unit}"])
            sums[key][1] += all_ if key not in path else 0
        path.append(key)
    return {key: tuple(sum_) for key, sum_ in sums.items()}


def without_source(frames):
    """Return the sums by frame name. Weights including callees cannot be added up."""
    sums = collections.Counter()
    for (name, _), (own, _) in frames.items():
        sums[name] += own
    return dict(sums)


def imported(profile):
    return {(name, file): (own, all_) for name, file, own, all_ in profile["frames"]}


class Law(viewers.Law):
    def __init__(self, memprof, viewer, folder):
        super().__init__(memprof)
        self.viewer, self.folder = viewer, folder

    def write(self, format_, *words):
        """Write the same with `export`, if that supports the format."""
        target = self.folder / f"{self.count}.{format_}"
        done = self.run("flame", *words, "--format", format_, "--quiet", "-o", target)
        self.claim(done.returncode in (0, 3), f"{words}: {done.stderr}")
        if "--base" not in words:
            other = self.run("export", *words, "--to", format_, "--quiet", "-o", "-", text=False)
            self.claim(other.stdout == target.read_bytes(), f"{words}: export writes another {format_}")
        return target

    def opened(self, format_, *words):
        """Return the profiles that speedscope makes of the file; none if it reports an error."""
        target, what = self.write(format_, *words), f"{' '.join(map(str, words))} as {format_}"
        found = self.viewer.open(target)
        self.claim("profiles" in found, f"{what}: speedscope says {found.get('told')}")
        self.claim(found["as"] == IMPORTERS[format_], f"{what}: imported as {found['as']}")
        self.claim(not found["asked"], f"{what}: {found['asked']}")
        return found, what

    def sample(self, path, of, folded):
        rows = self.json("flame", path, "--of", of, "--limit", 0, "--min-percent", 0).get("frames", [])
        unit = of if of in ("seconds", "calls") else "bytes"
        wanted = frames_of(rows, unit)
        total = sum(own for own, _ in wanted.values())
        found, what = self.opened("speedscope", path, "--of", of)
        for profile in found.get("profiles", [{}])[:1]:
            self.claim(found["title"] == f"{found['name']} - speedscope" and path.name in profile["name"],
                      f"{what}: its title is {found['title']}, its profile {profile['name']}")
            self.claim(profile["total"] == total and imported(profile) == wanted,
                      f"{what}: {total} in {wanted}, speedscope has {profile}")
            self.claim(profile["unit"] == {"bytes": "bytes", "seconds": "microseconds", "calls": "none"}[unit],
                      f"{what}: in {profile['unit']}")
        if not folded:
            return
        found, what = self.opened("folded", path, "--of", of)
        for profile in found.get("profiles", [])[:1]:
            escaped = {name.replace(";", "\\x3b"): own for name, own in without_source(wanted).items()}
            self.claim(profile["total"] == total and without_source(imported(profile)) == escaped,
                      f"{what}: {total} in {escaped}, speedscope has {profile}")

    def pair(self, base, new, of):
        """A difference has two profiles, the new one first."""
        words = new, "--base", base, "--of", of
        rows = self.json("flame", *words, "--limit", 0, "--min-percent", 0).get("frames", [])
        unit = of if of in ("seconds", "calls") else "bytes"
        found, what = self.opened("speedscope", *words)
        profiles = found.get("profiles", [])
        self.claim([profile["name"] for profile in profiles] == ["new", "base"], f"{what}: {profiles}")
        for profile, side in zip(profiles, ("", "base_")):
            wanted = without_source(frames_of(rows, unit, side))
            self.claim(profile["total"] == sum(wanted.values()) and without_source(imported(profile)) == wanted,
                      f"{what}: {side} {wanted}, speedscope has {profile}")


def every_sample(law, folder):
    """Opening a file takes seconds, so all costs are opened only of the first sample of each format, and one of
    each other sample, in turn."""
    seen = collections.Counter()
    for path in sorted(flames.SAMPLES.iterdir()):
        told = law.json("analyze", path).get("totals", {}) if path.suffix in flames.KINDS else {}
        kinds = [of for of in flames.OF if of in flames.KINDS.get(path.suffix, ()) and flames.OF[of] in told]
        turn = seen[path.suffix]
        for of in kinds if not turn else kinds[turn % len(kinds):][:1]:
            law.sample(path, of, folded=not turn)
        seen[path.suffix] += bool(kinds)
    viewers.recording(folder / "hostile.oemp")
    law.sample(folder / "hostile.oemp", "alive", folded=False)
    for base, new in flames.PAIRS:
        law.pair(flames.SAMPLES / base, flames.SAMPLES / new,
                 {"prf": "seconds"}.get(new.rsplit(".", 1)[-1], "alive"))


def self_test(law):
    """For files that were changed by hand, speedscope reports an error or shows other figures."""
    sample = flames.SAMPLES / "shop-v2.oemp"
    files = {name: law.write(name, sample) for name in IMPORTERS}
    whole = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    right = {name: law.viewer.open(path)["profiles"] for name, path in files.items()}
    lines = whole["folded"].splitlines(keepends=True)

    def changed(change):
        file = json.loads(whole["speedscope"])
        change(file["profiles"][0]["events"], file)
        return json.dumps(file)

    def longer(events, file):
        file["profiles"][0]["endValue"] += 1
        events[-1]["at"] += 1

    refused = {"cut": whole["speedscope"][:len(whole["speedscope"]) // 2], "empty": "", "words": "a;b\nc\n",
               "open": changed(lambda events, file: events.pop()),
               "closed": changed(lambda events, file: events.insert(0, events.pop()))}
    other = {"longer.speedscope": changed(longer),
             "named.speedscope": changed(lambda events, file: file["shared"]["frames"][0].update(name="x")),
             "longer.folded": "".join([lines[0].replace("\n", "0\n"), *lines[1:]]),
             "shorter.folded": "".join(lines[1:])}
    for name, text in {**refused, **other}.items():
        path = law.folder / name
        path.write_text(text, encoding="utf-8")
        found = law.viewer.open(path)
        law.claim("told" in found if name in refused else found.get("profiles") != right[path.suffix[1:]],
                 f"{name}: is not found out, but imported as {found['as']}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memprof", type=pathlib.Path, required=True)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if not browser.find():
        skip("speedscope was not opened: chromium is not installed")
    if not PAGE.exists():
        skip("speedscope was not opened: it is not below MEMPROF_NODE_MODULES")
    with tempfile.TemporaryDirectory(prefix="memprof-speedscope-") as name:
        folder = pathlib.Path(name)
        viewer = Viewer(folder)
        law = Law(options.memprof.resolve(), viewer, folder)
        try:
            if options.self_test:
                self_test(law)
            else:
                every_sample(law, folder)
        finally:
            viewer.close()
    if law.end():
        sys.exit(1)


if __name__ == "__main__":
    main()
