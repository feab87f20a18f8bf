#!/usr/bin/env python3
"""The script of flame graphs (src/render/svg/flame.js), in a browser: what mouse and keys do.

    tests/flame_script.py --memprof PATH

A picture is opened as a file, and as a part of a page together with another picture. The browser itself
produces clicks and keys, not a script. The expected positions of frames are calculated by hand. Without
Chromium the test is skipped.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import claims
import browser
import names
import webpages
from roots import skip

# 1,000 bytes: main has step with 600, write with 300, and WWW... with 100. Each has its type below it.
LEFT, WIDE, WIDTH = 12, "W" * 200, 1176
LOG = f"""\
1-1 1000000 0x10 600 novtbl step|main
1-1 1000001 0x400 300 novtbl write|main
1-1 1000002 0x800 100 novtbl {WIDE}|main
"""
FRAMES = ["all", "main", "step", "write", "WWW", "(step)", "(write)", "(WWW)"]  # in the order of the file
GAP = 0.6  # distance between neighbours
STATE = """[...document.querySelector('svg.memprof').querySelectorAll('g.f')].map(group => {
  const rect = group.querySelector('rect'), text = group.querySelector('text');
  return {x: +rect.getAttribute('x'), width: +rect.getAttribute('width'), text: text ? text.textContent : '',
          long: text && text.textContent ? text.getComputedTextLength() : 0,
          hidden: getComputedStyle(group).display === 'none', faded: group.classList.contains('faded'),
          found: group.classList.contains('found'), focused: document.activeElement === group};
})"""
PLACE = """(element => { element.scrollIntoView({block: 'center'}); const box = element.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2]; })(document.querySelector('svg.memprof').querySelectorAll(%s)[%d])"""
SEEN = {"\u202e\u0007\x1b[31m": "[31m"}  # the visible part of a name with invisible characters
TOLD = "document.querySelector('svg.memprof [aria-live]').textContent"
CODES = {"Enter": 13, "Escape": 27, "Backspace": 8, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
         "ArrowDown": 40}


class Law:
    def __init__(self, program, folder):
        self.program, self.folder, self.wrong, self.held = program, folder, [], 0
        self.page, self.about = browser.Browser(browser.find(), folder / "profile"), ""

    def hold(self, what, found, expected=True):
        self.held += 1
        if found != expected:
            self.wrong.append(f"{self.about}{what}: {found}, expected {expected}")

    def draw(self, name, *words):
        path = self.folder / f"{name}.svg"
        done = subprocess.run([self.program, "flame", *map(str, words), "--quiet", "-o", path], capture_output=True,
                              check=False)
        self.hold(f"status of {words}", done.returncode in (0, 3))
        return path

    def open(self, path):
        self.page.open(path)
        self.about = f"{path.name}: "

    def click(self, frame, of="g.f > rect"):
        x, y = self.page.run(PLACE % (json.dumps(of), frame))
        for kind in ("mousePressed", "mouseReleased"):
            self.page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, *keys, modifiers=0):
        for key in keys:
            text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
            code = CODES.get(key, ord(key.upper()[0]))
            self.page.call("Input.dispatchKeyEvent", type="keyDown" if text and not modifiers else "rawKeyDown", key=key,
                           windowsVirtualKeyCode=code, modifiers=modifiers, **({} if modifiers else text))
            self.page.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def state(self):
        return dict(zip(FRAMES, self.page.run(STATE)))

    def shown(self):
        """Return the left edge and the width of the visible frames, rounded to a tenth of a pixel."""
        return {name: (round(frame["x"], 1), round(frame["width"] + GAP, 1))
                for name, frame in self.state().items() if not frame["hidden"]}

    def focused(self):
        return [name for name, frame in self.state().items() if frame["focused"]]

    def faults(self):
        for fault in self.page.faults():
            self.hold(fault, False)

    def texts_fit(self, what):
        """No text is wider than its frame."""
        for frame in self.page.run(STATE):
            if not frame["hidden"]:
                self.hold(f"{what}: {frame}", frame["long"] <= max(frame["width"] + GAP - 6, 0) + 0.5)


ALL = {"all": (12, 1176), "main": (12, 1176), "step": (12, 705.6), "(step)": (12, 705.6),
       "write": (717.6, 352.8), "(write)": (717.6, 352.8), "WWW": (1070.4, 117.6), "(WWW)": (1070.4, 117.6)}
CALLERS = {"all": (12, 1176), "main": (12, 1176)}
BELOW = {name: {**CALLERS, name: (12, 1176), f"({name})": (12, 1176)} for name in ("step", "write", "WWW")}


def hold_zoom(law):
    """A click makes a frame, and those below it, as wide as the picture. Only its callers remain besides."""
    before = law.state()
    law.hold("at first", law.shown(), ALL)
    law.texts_fit("at first")
    for name in ("step", "write", "WWW"):
        law.click(FRAMES.index(name))
        law.hold(f"a click at {name}", law.shown(), BELOW[name])
        law.hold(f"{name}: what is faint", [name for name, frame in law.state().items() if frame["faded"]],
                 ["all", "main"])
        law.texts_fit(name)
        law.hold(f"{name}: keys go on there", law.focused(), [name])
        law.click(0)
        law.hold("a click at the whole", law.shown(), ALL)
    cut, letter = before["WWW"], 14  # width limit, in pixels
    law.hold("of a long name there is as much as there is room for", [
        cut["text"][-1], cut["width"] + GAP - 6 - cut["long"] < 2 * letter], ["\u2026", True])
    law.click(FRAMES.index("(write)"))
    law.hold("of the innermost", law.shown(), {**CALLERS, "write": (12, 1176), "(write)": (12, 1176)})
    law.press("Escape")
    after = law.state()
    law.hold("Escape shows all as it was", {name: {**frame, "focused": False} for name, frame in after.items()},
             {name: {**frame, "focused": False} for name, frame in before.items()})


def hold_keys(law):
    law.click(0)
    for key, there in (("ArrowUp", "all"), ("ArrowDown", "main"), ("ArrowDown", "step"), ("ArrowLeft", "step"),
                       ("ArrowRight", "write"), ("ArrowRight", "WWW"), ("ArrowRight", "WWW"), ("ArrowDown", "(WWW)"),
                       ("ArrowDown", "(WWW)"), ("ArrowUp", "WWW"), ("ArrowLeft", "write"), ("Home", "all")):
        law.press(key)
        law.hold(key, law.focused(), [there])
    law.press("ArrowDown", "ArrowDown", "ArrowRight", "Enter")
    law.hold("Enter", law.shown(), BELOW["write"])
    for key, there in (("ArrowRight", "write"), ("ArrowLeft", "write"), ("ArrowUp", "main"), ("ArrowDown", "write"),
                       ("ArrowDown", "(write)"), ("ArrowLeft", "(write)")):
        law.press(key)
        law.hold(f"{key} where others are hidden", law.focused(), [there])
    law.press(" ")
    law.hold("the space bar", law.shown(), {**CALLERS, "write": (12, 1176), "(write)": (12, 1176)})
    law.press("Backspace")
    law.hold("back", (law.shown(), law.focused()), (BELOW["write"], ["write"]))
    law.press("Backspace")
    law.hold("back again", (law.shown(), law.focused()), (ALL, ["main"]))
    law.press("ArrowDown", "Enter", "Escape")
    law.hold("Escape", (law.shown(), law.focused()), (ALL, ["step"]))
    law.press("Home", modifiers=2)
    law.hold("keys of the browser's are its own", law.focused(), ["step"])


def hold_search(law):
    """Search by a regular expression. Matches inside of matches count once in the sum."""
    def find(text):
        law.press("/")
        law.page.run("document.activeElement.select()")
        law.page.call("Input.insertText", text=text)
        found = [name for name, frame in law.state().items() if frame["found"]]
        return law.page.run(TOLD), found

    law.click(FRAMES.index("step"))
    law.hold("a word", find("step"), ("1 frame, 60.0 %", ["step"]))
    law.hold("of what is hidden, too", find("^w"), ("2 frames, 40.0 %", ["write", "WWW"]))
    law.press("Escape")
    law.hold("Escape ends it", (law.page.run(TOLD), law.focused()), ("", ["step"]))
    law.click(0)
    law.hold("in each other", find("a?i?n|step|write"), ("6 frames, 100.0 %", [name for name in FRAMES[1:] if name != "WWW"]))
    law.hold("capitals are small letters", find("WRITE"), ("1 frame, 30.0 %", ["write"]))
    law.hold("half-written", find("(st"), ("no regular expression", []))
    law.hold("nothing", find("nothing"), ("0 frames, 0.0 %", []))
    law.press("Home", "e", "d", "/")
    law.hold("keys are letters there", law.page.run("document.activeElement.value"), "ed/nothing")
    law.hold("types", find("unknown"), ("3 frames, 100.0 %", ["(step)", "(write)", "(WWW)"]))
    law.press("Enter")
    law.hold("Enter goes to the first", law.focused(), ["(step)"])
    law.hold("the whole is no frame", find("all"), ("0 frames, 0.0 %", []))
    law.press("Escape")


# Names get shorter and shorter, as tests/unit/test_pictures.c expects of drawn pictures. The last word of a
# type stays.
SHORTER = [
    ["c0", "placeOrder shop.OrderService:97", "placeOrder \u2026OrderService:97", "placeOrder\u2026", "placeOrder", "pla\u2026"],
    ["c0", "shop/main.p:52", "\u2026main.p:52", "main.p:52", "main.p:\u2026"],
    ["c0", "shop\\main.cls", "\u2026main.cls", "main.cls"],
    ["c0", "Shop::Cart<A::B, C>::add(D::E, int)", "\u2026add(D::E, int)", "add(D::E, int)", "add(D\u2026"],
    ["c0", "find.part.0 lib.cpp", "find.part.0\u2026", "find.part.0", "find\u2026"],
    ["t0", "OOABL Obj shop.OrderEvent", "OOABL Obj \u2026OrderEvent", "\u2026OrderEvent", "OrderEvent", "Order\u2026"],
    ["less2 t", "DB Connection shopdb", "\u2026shopdb", "shopdb"],
    ["t0", "System.Dictionary`2[[System.String, mscorlib]]", "\u2026Dictionary`2[[System.String, mscorlib]]",
     "Dictionary`2[[S\u2026"]]


def hold_shorter(law, drawn):
    """A frame exactly as wide as a name shows the whole name."""
    script = re.search(r"<script>.*</script>", drawn.read_text(encoding="utf-8"), re.DOTALL)[0]
    law.open(drawn)
    long = law.page.run("(texts => { const ruler = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas')"
                        ".getContext('2d'); ruler.font = getComputedStyle(document.querySelector('g.f')).font;"
                        " return texts.map(text => ruler.measureText(text).width); })"
                        f"({json.dumps([text for names in SHORTER for text in names[1:]])})")
    wanted = [text for names in SHORTER for text in names[1:]]
    frames = [f'<g class="f {names[0]}"><title>{names[1].replace("<", "&lt;")}\n1 B</title>'
              for names in SHORTER for _ in names[1:]]
    boxes = [f'<rect x="0" y="{18 * i}" width="{width + 6.1 - GAP}" height="17"/></g>' for i, width in enumerate(long)]
    path = law.folder / "shorter.svg"
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg" class="memprof" width="1200" height="900"><style>'
                    f"svg {{ font: 12px sans-serif; }}</style>{''.join(map(str.__add__, frames, boxes))}{script}</svg>",
                    encoding="utf-8")
    law.open(path)
    for frame, name in zip(law.page.run(STATE), wanted):
        law.hold("a name", frame["text"], name)


def hold_drawing(law, path):
    law.open(path)
    hold_zoom(law)
    hold_keys(law)
    hold_search(law)
    law.faults()


def page_of(law, name, *pictures):
    """Put pictures into a page, as people do."""
    path = law.folder / f"{name}.html"
    texts = [picture.read_text(encoding="utf-8") for picture in pictures]
    path.write_text("<!DOCTYPE html><title>pictures</title><meta charset=utf-8><p>above</p>" + "<p>between</p>".join(
        re.sub(r"<\?xml.*?\?>\n", "", text) for text in texts), encoding="utf-8")
    return path


OTHER = """[...document.querySelectorAll('svg.memprof')[1].querySelectorAll('g.f > rect')].map(
  rect => [rect.getAttribute('x'), rect.getAttribute('width')])"""


def hold_page(law, drawn, other):
    law.open(page_of(law, "two", drawn, other))
    before = law.page.run(OTHER)
    law.click(FRAMES.index("step"))
    law.hold("a click zooms", law.shown(), BELOW["step"])
    law.hold("the other picture stays", before and law.page.run(OTHER) == before)
    hold_drawing(law, page_of(law, "page", drawn, other))
    image = law.folder / "image.html"
    image.write_text(f"<!DOCTYPE html><title>image</title><img alt='' src='{drawn.name}'>", encoding="utf-8")
    law.open(image)
    law.hold("an image of it is as wide as its page", law.page.run(
        "document.images[0].decode().then(() => document.images[0].width === document.body.clientWidth)"), True)
    law.page.open(drawn, scripts=False)
    law.hold("without scripts all is there", law.page.run("document.querySelectorAll('g.f title').length"), len(FRAMES))
    law.hold("and nothing that does nothing", law.page.run("document.querySelectorAll('input').length"), 0)
    for path in (drawn, other):
        law.page.open(path, scripts=False)
        for frame in law.page.run(STATE):
            law.hold(f"{path.name}, without scripts: {frame}", frame["long"] <= frame["width"])


def hold_name(law, evil):
    labels = law.page.run("[...document.querySelectorAll('g.f title')].map(title => title.textContent.split('\\n')[0])")
    for frame in range(0, len(labels), 1 + len(labels) // 8):
        if not law.page.run(STATE)[frame]["hidden"]:
            law.click(frame)
            law.texts_fit(f"frame {frame}")
        law.press("Escape")
    named = [label for label in labels[1:] if evil in label]
    law.hold("frames have that name", len(named) > 0)
    law.press("/")
    law.page.call("Input.insertText", text=re.sub(r"([^\w ])", r"\\\1", max(named, default="")))
    law.hold("it is found", re.match(r"[1-9]", law.page.run(TOLD)) is not None)
    law.hold("nothing else came of it", law.page.run(
        "typeof pwned === 'undefined' && document.querySelectorAll('script').length === 1 && "
        "document.querySelectorAll('iframe, object, image, img, a').length === 0"))
    law.faults()


def hold_names(law):
    """Names with special characters are shown, listed and found, and have no other effect."""
    for i, evil in enumerate(webpages.EVIL):
        log = law.folder / f"evil{i}.oemp"
        if '"' in evil:  # the format writes this character as two
            log = log.with_suffix(".taligent")
            log.write_text(LOG.replace("step", evil), encoding="utf-8")
        else:
            names.put_into("shop-v1.oemp", log, evil)
        drawn = law.draw(f"evil{i}", log, "--of", "created")
        for path in (drawn, page_of(law, f"evil{i}", drawn)):
            law.open(path)
            hold_name(law, SEEN.get(evil, evil))


def main():
    asked = claims.arguments(__doc__)
    if not browser.find():
        skip("pictures were not opened: chromium is not installed")
    with tempfile.TemporaryDirectory(prefix="memprof-flame-") as folder:
        law = Law(asked.memprof, pathlib.Path(folder))
        try:
            log = law.folder / "log.taligent"
            log.write_text(LOG, encoding="ascii")
            drawn = law.draw("drawn", log, "--of", "created")
            other = law.draw("other", webpages.SAMPLES / "shop-v2.oemp")
            hold_drawing(law, drawn)
            hold_page(law, drawn, other)
            hold_shorter(law, drawn)
            hold_names(law)
            law.open(other)
            law.texts_fit("a sample")
            law.faults()
        finally:
            law.page.close()
        print(f"flame_script.py: {law.held} held, {len(law.wrong)} wrong", *law.wrong, sep="\n")
        if law.wrong:
            sys.exit(1)


if __name__ == "__main__":
    main()
