#!/usr/bin/env python3
"""HTML pages: their contents are compared with reports in JSON, and they are used in a browser.

The figures between two selected snapshots are those of `growth`, which other tests compare with independent
replays. Parts that need Chromium are skipped without it.
"""
import colorsys
import html.parser
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import claims
import browser
import names
from roots import skip

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
FILES = [["shop-v2.oemp"], ["shop-v1.oemp"], ["shop-reusable-v2.oemp"], ["shop-running-v2.oemp"],
         ["shop-requests-AS1.oemp"], ["shop.taligent"], ["shop-analysis.taligent"], ["shop-damaged.taligent"],
         ["shop-aqtime.sqlite"], ["shop-1.gclog", "shop-2.gclog", "shop-3.gclog"], ["shop-3.gclog"],
         ["shop-agent-AS1.oemp", "shop-agent-AS2.oemp"], ["shop-domains.gclog"], ["shop-v4.prf"], ["shop-old-modules-v1.prf"], ["shop-new.rpt"]]
NAMES = {2: "agents", 3: "dumps"}  # files that are read together
MOST_BYTES = 2_000_000
AXE = pathlib.Path(os.environ.get("MEMPROF_NODE_MODULES", "node_modules"), "axe-core", "axe.min.js")


class Page(html.parser.HTMLParser):
    """Contents of a page: its policy, its data, the texts of its body."""

    def __init__(self, text):
        super().__init__()
        self.policy, self.data, self.inside, self.texts = None, None, None, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.inside = attributes.get("id", tag) if tag == "script" else tag
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]

    def handle_data(self, text):
        if self.inside == "data":
            self.data = json.loads(text)
            self.inside = None
        elif self.inside not in ("script", "style"):
            self.texts.append(text)


class Law:
    def __init__(self, program, folder):
        self.program, self.folder, self.wrong, self.held = program, folder, [], 0

    def hold(self, what, is_so):
        self.held += 1
        if not is_so:
            self.wrong.append(what)

    def memprof(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, check=False,
                              env={**os.environ, "MEMPROF_NO_CONFIG": "1"})
        if done.returncode not in (0, 1, 3):
            self.wrong.append(f"{' '.join(map(str, words))}: status {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def page(self, words, name):
        path = self.folder / f"{name}.html"
        self.memprof(*words, "--quiet", "--format", "html", "-o", path)
        self.hold(f"{name}: {path.stat().st_size} bytes", path.stat().st_size < MOST_BYTES)
        return path

    def growth(self, paths, from_, to, by):
        """Return the rows that changed, by key; several sites may have the same key."""
        by = [] if str(paths[0]).endswith(".gclog") else ["--by", by]  # dumps have only types
        printed = self.memprof("growth", *paths, "--from", from_, "--to", to, *by, "--limit", "0", "--quiet",
                               "--format", "json")
        report = json.loads(printed or '{"growth": []}')
        return sorted((row["key"], row["delta_bytes"], row["from_bytes"], row["to_bytes"], row["delta_objects"],
                       row["from_objects"], row["to_objects"])
                      for row in report["growth"] if row["delta_bytes"] or row["delta_objects"])

    def leaks(self, paths, from_, to, names):
        """Return the leaks of a window: type, name, bytes, objects, stack."""
        printed = self.memprof("leaks", *paths, "--from", from_, "--to", to, "--limit", "0", "--quiet",
                               "--format", "json")
        return sorted((row["type"], row.get("name", "") if names else "", row["bytes"], row["objects"], tuple(row["stack"]))
                      for row in json.loads(printed)["leaks"])

    def top(self, paths, to):
        """Return the types that are alive: key, bytes, objects."""
        paths = [path for path in paths if isinstance(path, pathlib.Path)]
        asked = [paths[to - 1]] if str(paths[0]).endswith(".gclog") else [*paths, "--to", to]
        printed = self.memprof("top", *asked, "--limit", "0", "--quiet", "--format", "json")
        return sorted((row["key"], row["bytes"], row["objects"]) for row in json.loads(printed)["top"])


def changes_of(group):
    """Yield row, moment, birth (0 if unknown), objects, bytes."""
    size, row = 5 if group["births"] else 4, 0
    for change in zip(*[iter(group["changes"])] * size):
        row += change[0]
        yield row, change[1], change[2] if group["births"] else 0, *change[-2:]


def rows_of(data, group, from_, to):
    """Return the same from a page's data, read by a second implementation of its script."""
    sums = {}
    for row, moment, _, objects, bytes_ in changes_of(group):
        was = sums.setdefault(row, [0, 0, 0, 0])
        if moment <= to:
            was[1] += bytes_
            was[3] += objects
        if moment <= from_:
            was[0] += bytes_
            was[2] += objects
    return sorted((data["texts"][group["labels"][row]], b[1] - b[0], b[0], b[1], b[3] - b[2], b[2], b[3])
                  for row, b in sums.items() if b[1] != b[0] or b[3] != b[2])


def leaks_of(data, history, group, from_, to):
    """Return the leaks in a page's data."""
    sums, texts = {}, data["texts"]
    for row, moment, born, objects, bytes_ in changes_of(group):
        if from_ < born and moment <= to:
            leak = sums.setdefault(row, [0, 0])
            leak[0] += bytes_
            leak[1] += objects
    found = []
    for row, (bytes_, objects) in sums.items():
        stack, at = [], group["places"][row]
        while at:
            stack.append(texts[history["frames"][at]])
            at = history["parents"][at]
        if bytes_ or objects:
            found.append((texts[group["types"][row]], texts[group["names"][row]] if "names" in group else "", bytes_,
                          objects, tuple(stack)))
    return sorted(found)


def pairs_of(history):
    """Return some pairs of moments, including the first with the last."""
    last = len(history["numbers"]) - 1
    return [pair for pair in {(0, last), (0, 1), (last // 2, last), (history["from"], history["to"])}
            if pair[0] < pair[1]]


def sessions_of(data, paths):
    """Yield each history of a page with the recordings that contain only that session."""
    histories = data["histories"] if data else []
    return [(history, paths if len(histories) < 2 else [paths[i]]) for i, history in enumerate(histories)]


def hold_data(law, paths, page, name):
    for history, own in sessions_of(page.data, paths):
        for (from_, to), group in itertools.product(pairs_of(history), history["groups"]):
            ends = [history["numbers"][from_], history["numbers"][to]]
            if group["others"]:
                continue
            what = f"{name}, {history['session']}: by {group['name']} from {from_} to {to}: "
            law.hold(what + "growth", rows_of(page.data, group, from_, to) == law.growth(own, *ends, group["name"]))
            if group["births"]:
                law.hold(what + "leaks", leaks_of(page.data, history, group, from_, to) ==
                         law.leaks(own, *ends, "names" in group))


def tree_of(data, name):
    """Return the sums of a tree's places, by their labels below the first, and the sum of all."""
    tree = next(tree for tree in data["trees"] if tree["name"] == name)
    sums = list(zip(tree["own"], tree["counts"]))
    for i in range(len(sums) - 1, 0, -1):
        above = tree["parents"][i]
        sums[above] = tuple(map(sum, zip(sums[above], sums[i])))
    return sums[0], {data["texts"][tree["labels"][i]]: sums[i]
                     for i in range(1, len(sums)) if tree["parents"][i] == 0}


def hold_folder(law, folder, many):
    """The stacks of a folder are those of its files, each with the size in its own answer. Of more than 100
    files, the largest are shown separately."""
    folder.mkdir()
    for name in ("shop-v2.oemp", "shop-running-v2.oemp", "shop-agent-AS2.oemp"):
        shutil.copy(SAMPLES / name, folder)
    os.link(many, folder / "many.oemp")
    path = law.page(["analyze", folder], "folder")
    data = Page(path.read_text(encoding="utf-8")).data
    for tree, of in (("leaked_stacks", "leaked"), ("alive_stacks", "live")):
        all_, files = tree_of(data, tree)
        law.hold(f"folder: {tree} of each file", {file.name for file in folder.iterdir()} == set(files))
        for name, sums in files.items():
            totals = json.loads(law.memprof("analyze", folder / name, "--quiet", "--format", "json"))["totals"]
            law.hold(f"folder: {tree} of {name}", sums == (totals[f"{of}_bytes"], totals[f"{of}_objects"]))
        law.hold(f"folder: {tree} of all", all_ == tuple(map(sum, zip(*files.values()))))
    for i in range(120):
        os.link(folder / "shop-v2.oemp", folder / f"copy{i}.oemp")
    path = law.page(["analyze", folder], "files")
    _, files = tree_of(Page(path.read_text(encoding="utf-8")).data, "leaked_stacks")
    law.hold("folder: the largest of many files", len(files) == 100 and
             files["(25 more files)"][1] == 24 * files["shop-v2.oemp" if "shop-v2.oemp" in files else "copy0.oemp"][1] +
             19)
    return path


def many_sites(path, sites, snapshots=5, name="module"):
    """Write a recording with this number of sites. Each creates objects, and some delete them."""
    lines = 100
    with open(path, "w", encoding="utf-8") as out:
        def section(rows):
            out.writelines(f"{row}\n" for row in rows)
            out.write(".\n")
        alive, number, types = {}, 0, ['"Temp-table" 1', '"OOABL Obj" 2', '"MEMPTR" 3']
        for snapshot in range(1, snapshots + 1):
            tag = "_Exit" if snapshot == snapshots else "_PreCleanUp" if snapshot == snapshots - 1 else "_Auto"
            section([f'2 1 {snapshot} "2026-03-02T08:15:30.250+01:00" "AVM-Client" "{tag}" "" "" ? '
                     '"6f1d2c84-93b5-4e0a-8a57-000000000001" "" 0 "many.p" "" 0.00 "" "" ""'])
            section([])
            section(types if snapshot == 1 else [])
            section([])
            section([])
            count = (sites + lines - 1) // lines if snapshot == 1 else 0
            section(f'{i + 1} "{name}{i:05}.p" 0' for i in range(count))
            section([])
            section(f"{i + 1} {i + 1} {i // 2} {i % 7 + 1 if i // 2 else 0}" for i in range(count))
            born = []
            for site in range(sites):
                if (site + snapshot) % 3 == 0:
                    number += 1
                    size = 100 + site % 977
                    alive[number] = size
                    born.append(f"{number} {site % 3 + 1} {size} 0 0 {snapshot * 1000} {site // lines + 1} "
                                f"{site % lines + 1} 0 0 0 1 0 0 0 0")
            section(born)
            section([])
            dead = [one for one in alive if one % 5 == snapshot % 5]
            section(f"{one} {snapshot * 1000 + 500}" for one in dead)
            for one in dead:
                del alive[one]
            section([f'{snapshot * 1000000} {len(alive)} {sum(alive.values())} 0 {len(alive)} 0 0 0 0 "{tag}" {snapshot}'])


# --- in the browser ---

GROWTH = """Array.from(document.querySelectorAll('#growth-by-%s tbody tr'), row => {
  const cells = Array.from(row.cells), value = i => Number(cells[i].dataset.v);
  const name = cells[7].querySelector('summary') || cells[7];
  return [name.textContent, value(0), value(2), value(3), value(4), value(5), value(6)];
})"""
LEAKS = """Array.from(document.querySelectorAll('#leaks-picked tbody tr'), row => {
  const cells = Array.from(row.cells), value = i => Number(cells[i].dataset.v);
  return [cells[2].textContent, value(0), value(1)];
})"""
TOP = """Array.from(document.querySelectorAll('#top-picked tbody tr'), row => {
  const cells = Array.from(row.cells), value = i => Number(cells[i].dataset.v);
  return [cells[3].textContent, value(0), value(2)];
})"""
# For each button, the data of the whole flame graph, without its name.
FLAMES = """Array.from(document.querySelectorAll('#picked-trees .choice button'), button => {
  button.click();
  return document.querySelector('#picked-trees .told').textContent.replace(/^[^:]*: /, '');
})"""
# Visible tables and pictures below the graph that are not about the selected snapshots.
UNPICKED = """[...document.querySelectorAll('main > section, main > figure')].filter(one => one.offsetHeight > 0)
  .map(one => one.id).filter(id => !['', 'history', 'picked'].includes(id))"""
# Facts about a recording, which have their own heading.
FACTS = {"facts", "table-anomaly_counts", "table-snapshots", "table-totals", "table-session", "table-sessions",
         "diagnostics", "made"}
# While two snapshots are selected, the first line of the answer says that it is not about them.
ASIDE = """(() => { const size = name => parseFloat(getComputedStyle(document.querySelector(name)).fontSize);
  return document.getElementById('answer-whole').offsetHeight > 0 && size('.answer dd') < size('#picked h2'); })()"""
PICK = """(() => { const [from, to] = [...document.querySelectorAll('#history select')].slice(-2);
  from.value = %d; to.value = %d; to.dispatchEvent(new Event('change')); })()"""
CHOOSE = """(() => { const session = document.querySelector('#history select');
  session.value = %d; session.dispatchEvent(new Event('change')); })()"""
CONTRAST = ["color-contrast", "target-size"]


def hold_table(law, what, shown, expected, size):
    """A table has all rows, or the largest of many."""
    shown, expected = sorted(map(tuple, shown)), sorted(expected)
    if len(expected) <= 200:
        law.hold(what, shown == expected)
        return
    law.hold(f"{what}: the largest of many", len(shown) == 200 and set(shown) <= set(expected) and
             min(map(size, shown)) >= sorted(map(size, expected))[-200])


def hold_window(law, page, own, history, from_, to, name):
    """Everything shown is about the selected snapshots, and agrees with the commands."""
    ends = [history["numbers"][from_], history["numbers"][to]]
    what = f"{name}, {history['session']}: from {from_} to {to}: "
    law.hold(what + "it is shown", page.run("!document.getElementById('picked').hidden"))
    law.hold(what + "nothing else is, but facts", set(page.run(UNPICKED)) <= FACTS)
    law.hold(what + "these have a heading", page.run("document.getElementById('facts').offsetHeight > 0"))
    law.hold(what + "the answer of the whole is no headline", page.run(ASIDE))
    for group in history["groups"]:
        if group["others"]:
            continue
        hold_table(law, what + f"growth by {group['name']}", page.run(GROWTH % group["name"]),
                   law.growth(own, *ends, group["name"]), lambda row: abs(row[1]))
        if group["births"]:
            leaks = law.leaks(own, *ends, "names" in group)
            hold_table(law, what + "leaks", page.run(LEAKS),
                       [(f"{type_} {leaked}".strip(), bytes_, objects) for type_, leaked, bytes_, objects, _ in leaks],
                       lambda row: row[1])
            flames = page.run(FLAMES)
            law.hold(what + f"flame of what leaked: {flames[1]}", sum(leak[3] for leak in leaks) == int(
                flames[1].split(", ")[1].split()[0].replace(",", "")) if leaks else True)
    if not history["groups"][0]["others"]:
        hold_table(law, what + "biggest", page.run(TOP), law.top(own, ends[1]), lambda row: row[1])


def hold_picked(law, page, paths, data, name):
    sessions = sessions_of(data, paths)
    for i, (history, own) in enumerate(sessions):
        if len(sessions) > 1:
            page.run(CHOOSE % i)
            hold_window(law, page, own, history, history["from"], history["to"], name)
        for from_, to in pairs_of(history):
            if (from_, to) != (history["from"], history["to"]):
                page.run(PICK % (from_, to))
                hold_window(law, page, own, history, from_, to, name)
    page.run("[...document.querySelectorAll('#history button')].at(-1).click()")
    law.hold(f"{name}: the whole answer is back", page.run(
        "document.getElementById('picked').hidden && document.getElementById('facts').hidden && "
        "document.getElementById('answer-whole').hidden && !document.querySelector('.aside') && "
        "[...document.querySelectorAll('main > section:not(#picked):not(#facts)')].every(one => !one.hidden)"))


# Positions of the graph's moments on the screen.
PLACES = """(() => { const box = document.querySelector('svg.graph').getBoundingClientRect();
  const all = [...document.querySelectorAll('svg.graph g.panel')[0].querySelectorAll('circle')];
  return all.map(one => [box.left + Number(one.getAttribute('cx')), box.top + 60]); })()"""


def hold_drag(law, page, path):
    """A drag selects the snapshots at which it begins and ends. Over a snapshot, the graph shows its figures."""
    page.open(path)
    places = page.run(PLACES)
    law.hold("the graph has times, and names of its ends", page.run(
        "(() => { const all = [...document.querySelectorAll('svg.graph .axis text')].map(one => one.textContent),"
        " names = all.splice(-2); return all.includes('0:05:00') && all.every(one => /^0:0\\d:\\d\\d$/.test(one))"
        " && names.join() === '1 (_Auto),8 (_Exit)'; })()"))
    for kind, place in (("mouseMoved", 1), ("mousePressed", 1), ("mouseMoved", 4), ("mouseReleased", 4)):
        x, y = places[place]
        page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    law.hold("a drag picks", page.run(
        "[...document.querySelectorAll('#history select')].map(one => one.value).join()") == "1,4")
    law.hold("the graph says what is there", page.run(
        "document.querySelector('#history .told').textContent").startswith("5 (_Auto): alive "))
    law.hold("what was dragged over is told", not page.run("document.getElementById('picked').hidden"))


def hold_uses(law, page, name):
    """Stacks can be unfolded, tables sorted, and texts found."""
    page.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    law.hold(f"{name}: stacks unfold", page.run(
        "[...document.querySelectorAll('main details')].every(one => one.lastElementChild.offsetHeight > 0 "
        "|| one.closest('[hidden]') !== null)"))
    if page.run("document.querySelector('table.rows th button') !== null"):
        law.hold(f"{name}: sorts", page.run(
            "(() => { const button = document.querySelector('table.rows th.n button'); if (!button) return true;"
            " button.click(); button.click(); const table = button.closest('table'),"
            " column = button.closest('th').cellIndex;"
            " const all = [...table.tBodies[0].rows].map(row => valueOf(row, column)).filter(v => v !== null);"
            " return all.every((v, i) => !i || all[i - 1] <= v); })()"))
    law.hold(f"{name}: a search finds", page.run(
        "(() => { const input = document.querySelector('.tools input[aria-label^=\"Filter\"]');"
        " if (!input) return true; const body = input.closest('section').querySelector('tbody');"
        " const text = [...[...body.rows].at(-1).cells].map(c => c.textContent).find(t => t.length > 2);"
        " input.value = text; input.dispatchEvent(new Event('input'));"
        " const found = [...body.rows].filter(row => !row.hidden);"
        " const right = found.includes([...body.rows].at(-1)) && found.every(row => "
        "text.split(/\\s+/).every(word => row.textContent.toLowerCase().includes(word.toLowerCase())));"
        " input.value = ''; input.dispatchEvent(new Event('input')); return right; })()"))


def hold_access(law, page, name):
    if not AXE.exists():
        return
    page.call("Page.setBypassCSP", enabled=True)
    found = page.run(AXE.read_text(encoding="utf-8") +
                     "; axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', "
                     "'best-practice']}).then(r => r.violations.map(v => `${v.id}: ${v.nodes[0].html}`))")
    for violation in found:
        law.hold(f"{name}: {violation}", False)


def hold_layout(law, page, path, name):
    """No page is wider than its window."""
    for width in (320, 390, 2560):
        page.open(path, width=width)
        wide = page.run("document.documentElement.scrollWidth")
        law.hold(f"{name}: {wide} pixels wide in {width}", wide <= width)


def hold_paper(law, page, path, name):
    """On paper, all figures have their pictures, and no table is wider than the paper."""
    for scripts in (True, False):
        page.open(path, width=718, scripts=scripts)
        page.call("Emulation.setEmulatedMedia", media="print", features=[])
        what = f"{name} on paper{'' if scripts else ' without scripts'}: "
        law.hold(what + "its pictures", page.run(
            "[...document.querySelectorAll('figure[id^=figure-]')].every(one => one.offsetHeight > 100)"))
        law.hold(what + "as wide as it is", page.run(
            "[...document.querySelectorAll('main *')].every(one => one.getBoundingClientRect().right <= 720)"))
    page.call("Emulation.setEmulatedMedia", media="screen", features=[])


def hold_browser(law, pages, hostile):
    page = browser.Browser(browser.find(), law.folder / "profile")
    try:
        for name, (path, paths, data) in pages.items():
            page.open(path)
            if data and data["histories"]:
                hold_picked(law, page, paths, data, name)
            hold_uses(law, page, name)
            for fault in page.faults():
                law.hold(f"{name}: {fault}", False)
            if name in ("shop-v2.oemp", "agents", "dumps", "shop-3.gclog", "shop-v4.prf"):
                hold_layout(law, page, path, name)
                hold_paper(law, page, path, name)
                for dark in (False, True):
                    page.open(path, dark=dark)
                    if data["histories"]:
                        page.run(PICK % (0, 1))
                        hold_access(law, page, f"{name}, picked, {'dark' if dark else 'light'}")
                        page.open(path, dark=dark)
                    hold_access(law, page, f"{name}, {'dark' if dark else 'light'}")
        for path in hostile:
            page.open(path)
            law.hold(f"{path}: a name did something", page.run(
                "typeof pwned === 'undefined' && document.querySelectorAll('main script, main img, main iframe, "
                "main object, main a[href^=javascript]').length === 0 && document.title.length > 0"))
            for fault in page.faults():
                law.hold(f"{path}: {fault}", False)
        hold_drag(law, page, pages["shop-v2.oemp"][0])
        page.open(pages["shop-v2.oemp"][0])
        script = (HERE / "webpages" / "units.js").read_text(encoding="utf-8")
        for fault in page.run(script):
            law.hold(f"unit: {fault}", False)
        page.open(pages["shop-v2.oemp"][0], scripts=False)
        for fault in page.faults():
            law.hold(f"without scripts: {fault}", False)
    finally:
        page.close()


EVIL = ["</script><script>pwned=1</script>", "<img src=x onerror=pwned=1>", "\"'><svg/onload=pwned=1>",
        "javascript:pwned=1", "\u202e\u0007\x1b[31m", "<!--<script>", "]]>--!>", "&lt;b&gt;${pwned=1}`"]


def hold_gates(law):
    """The verdict is the headline, and each rule is listed once."""
    for policy, verdict, tone in (("nothing leaks more: leaked <= 1 MiB", "pass, 1 rule: 1 passes", "better"),
                                  ("nothing leaks more: leaked <= 1 KiB", "fail, 1 rule: 0 pass, 1 fails", "worse")):
        path = law.folder / f"{tone}.policy"
        path.write_text(policy + "\n", encoding="utf-8")
        text = law.page(["gate", path, SAMPLES / "shop-v2.oemp"], tone).read_text(encoding="utf-8")
        answer = text[text.index('<dl class="answer">'):]
        law.hold(f"gate: {verdict} first", answer.startswith(
            f'<dl class="answer">\n<div class="{tone}"><dt>Verdict</dt><dd>{verdict}</dd></div>'))
        law.hold(f"gate, {tone}: one row", text.count("<th scope=\"row\">nothing leaks more</th>") == 1 and
                 'id="table-rules"' not in text)


def hold_pictured(law):
    """If a picture is the answer, it comes first, followed by the tables of the text report."""
    for command, tables in (("treemap", ["table-groups", "table-treemap"]), ("flame", ["table-frames"])):
        text = law.page([command, SAMPLES / "shop-v2.oemp"], command).read_text(encoding="utf-8")
        ids = re.findall(r'<(?:figure|section) id="((?:figure|table)-[^"]*)"', text)
        law.hold(f"{command}: {ids}", ids[0].startswith("figure-") and ids[1:len(tables) + 1] == tables)


def hold_colours(law):
    """The words of a legend name the colours that the style has."""
    text = law.page(["diff", SAMPLES / "shop-v2.prf", SAMPLES / "shop-v4.prf"], "colours").read_text(encoding="utf-8")
    for name, word, least, most in (("warm", "Orange: more", 10, 45), ("cool", "Blue: less", 195, 225)):
        law.hold(f"colours: {word}", "makeTrees" not in text or word in text)  # without scripts, there is no legend
        for red, green, blue in re.findall(rf"--{name}: #(..)(..)(..)", text):
            hue = colorsys.rgb_to_hsv(int(red, 16), int(green, 16), int(blue, 16))[0] * 360
            law.hold(f"colours: {word} of {hue:.0f} degrees", least <= hue <= most)


def main():
    asked = claims.arguments(__doc__, keep=str)
    with tempfile.TemporaryDirectory(prefix="memprof-html-") as own:
        law = Law(asked.memprof, pathlib.Path(asked.keep or own))
        pages = {}
        for files in FILES:
            paths = [SAMPLES / file for file in files]
            path = law.page(["analyze", *paths], files[0] if len(files) == 1 else NAMES[len(files)])
            page = Page(path.read_text(encoding="utf-8"))
            law.hold(f"{path.name}: its policy", "default-src 'none'" in page.policy and
                     "unsafe" not in page.policy)
            hold_data(law, paths, page, path.stem)
            pages[path.stem] = (path, paths, page.data)
        paths = [SAMPLES / "shop-v2.oemp", f"--suppress={SAMPLES / 'shop.suppressions'}",
                 "--today=2026-06-01"]
        path = law.page(["analyze", *paths], "suppressed")
        page = Page(path.read_text(encoding="utf-8"))
        hold_data(law, paths, page, path.stem)
        law.hold("suppressed: it says so", "suppressed" in page.data["histories"][0]["leaksNote"])
        pages[path.stem] = (path, paths, page.data)
        many = law.folder / "many.oemp"
        many_sites(many, 10_000)
        path = law.page(["analyze", many], "many")
        pages["many"] = (path, [many], Page(path.read_text(encoding="utf-8")).data)
        long = law.folder / "long.oemp"
        many_sites(long, 10_000, name="a-very-long-name/" * 20)
        pages["long"] = (law.page(["analyze", long], "long"), [long], None)
        many_sites(law.folder / "often.oemp", 10_000, snapshots=30, name="a-folder-of-the-program/" * 3)
        law.page(["analyze", law.folder / "often.oemp"], "often")
        pages["files"] = (hold_folder(law, law.folder / "several", many), [], None)
        hostile = []
        for i, evil in enumerate(EVIL):
            names.put_into("shop-v1.oemp", law.folder / f"evil{i}.oemp", evil)
            hostile.append(law.page(["analyze", law.folder / f"evil{i}.oemp"], f"evil{i}"))
        for words, name in ((["diff", SAMPLES / "shop-agent-AS2.oemp", SAMPLES / "shop-agent-AS1.oemp"], "diff"),
                            (["diff", SAMPLES / "shop-1.gclog", SAMPLES / "shop-3.gclog"], "diff-dumps"),
                            (["diff", SAMPLES / "shop-v2.prf", SAMPLES / "shop-v4.prf"], "diff-prf"),
                            (["leaks", many, "--limit", "0"], "leaks"),
                            (["gate", SAMPLES / "shop.policy", SAMPLES / "shop-v2.oemp"], "gate"),
                            (["dominators", SAMPLES / "shop-3.gclog"], "dominators"),
                            (["info", SAMPLES / "shop-v2.oemp"], "info")):
            pages[name] = (law.page(words, name), [], None)
        hold_gates(law)
        hold_pictured(law)
        hold_colours(law)
        if browser.find() and pages["shop-v2.oemp"][2]:
            hold_browser(law, pages, hostile)
        print(f"webpages.py: {law.held} held, {len(law.wrong)} wrong", *law.wrong, sep="\n")
        if law.wrong:
            sys.exit(1)
        if not browser.find():
            skip("pages were not opened: chromium is not installed")
        if not pages["shop-v2.oemp"][2]:
            skip("pages were not opened: they have no scripts, as node-d3 was not installed")
        if not AXE.exists():
            skip("contrast and names were not looked at: axe-core is not below MEMPROF_NODE_MODULES")


if __name__ == "__main__":
    main()
