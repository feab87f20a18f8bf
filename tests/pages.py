#!/usr/bin/env python3
"""Checks of the manual pages, docs/man/*.scd, and the guide, docs/manual.md.

    tests/pages.py --tables PATH               compare them with the program's tables
    tests/pages.py --tables PATH --lint        let man and mandoc read them as formatted by scdoc
    tests/pages.py --tables PATH --self-test   check that a wrong page is detected

Each command has a page, with the usual sections and the options of the tables. No page names an option or a
page that does not exist. Each section of the guide is a question. The guide has links to the page of each
command, and at most 3,000 words. The prose of all pages contains none of the phrases of UNPLAIN. --lint needs
scdoc, man and mandoc; without one of them, the exit status is 77, "skipped".
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

from roots import skip

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = os.path.join(HERE, "..", "docs", "man")
SECTIONS = {"1": ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"],
            "5": ["NAME", "DESCRIPTION", "SEE ALSO"], "7": ["NAME", "DESCRIPTION", "SEE ALSO"]}
GUIDE_WORDS = 3000

# Phrases that pages must not use, as regular expressions, and what to write instead. They are searched in
# prose, without examples, names in `code` or *bold*, and quoted _words_.
UNPLAIN = [
    (r"\b(?:un)?told\b", "reported"),
    (r"\btold apart\b|\btells? apart\b", "distinguished"),
    (r"\bstands?\b(?! (?:for|in for|out)\b)", "is, comes"),
    (r"\b(?:no|only|where|of|all) such\b(?! as\b)", "name the thing"),
    (r"\bso many\b", "the number"),
    (r"\bof which\b|\bof whom\b", "a sentence of its own"),
    (r"\bpacked\b", "compressed"),
    (r"\btorn\b", "truncated"),
    (r"\bheld against\b|\bagainst itself\b|\bholds? (?:it|one|them|a recording) to\b", "check, compare"),
    (r"\basks? (?:nobody|no one|no other|no)\b", "self-contained"),
    (r"\b(?:is|are) to be\b", "must be"),
    (r"\bwhat was read\b|\bwhat is (?:read|written|told|looked at|weighed|asked)\b", "the input, the output"),
    (r"\bthat is looked at\b|\blooked at by\b", "the subject"),
    (r"\btells? more\b", "has more"),
    (r"(?<!left )(?<!memory )(?<!objects )(?<!something )(?<!more )\bbehind\b", "after"),
    (r"(?:^|(?<=[.:;] ))(?:Of|Whether) (?!course)", "subject, verb, object"),
    (r"(?:^|(?<=[.:;] ))What (?:is|are|was|were|a|the|no|it|its|has|comes|stands) [^?.]*(?:\.(?!\w)|$)", "name the subject"),
    (r"\bwould go\b|\bif it went\b", "freeing it would release"),
    (r"\bkeeps? much alive\b", "leak suspects"),
    (r"\bto be read\?", "no input file"),
    (r"\bis \S+ meant\?", "did you mean"),
    (r"\bonly such\b|\ball but such\b", "keep only matching objects"),
    (r"\bOf some recordings alone\b", "format-specific options"),
    (r"\bIn general \(", "common options"),
    (r"\bheld (?:to|against)\b|\bholds? (?:to|against)\b", "check, compare"),
    (r"\bas a list that unfolds\b|\bHeld, by what holds it\b", "show as a tree; retained size by owner"),
    (r"\bothers together\b", "others combined"),
]



def called(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def lines_of(tables, *arguments):
    return called(tables, *arguments).stdout.split()


def names_of(folder):
    """Return the names of the pages: memprof-leaks.1 for memprof-leaks.1.scd."""
    return sorted(name[:-len(".scd")] for name in os.listdir(folder) if name.endswith(".scd"))


def faults_of(tables, folder):
    """Return wrong statements of the pages."""
    faults, pages = [], names_of(folder)
    commands = lines_of(tables, "commands")
    known = {option for command in commands for option in lines_of(tables, "options", command)}
    for command in commands:
        if f"memprof-{command}.1" not in pages:
            faults.append(f"the command {command} has no page memprof-{command}.1.scd")
    for page in pages:
        path = os.path.join(folder, page + ".scd")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        name, section = page.rsplit(".", 1)
        prose = re.sub(r"^```$.*?^```$", "", text, flags=re.M | re.S)
        headings = re.findall(r"^# (.*)$", prose, re.M)
        if name.startswith("memprof-") and section == "1":
            if name[len("memprof-"):] not in commands:
                faults.append(f"{page}: there is no such command")
            if not re.search(r"^# DESCRIPTION\n\n(?:\S.*\n)+\n(?:; sh\n)?```\n", text, re.M):
                faults.append(f"{page}: does not begin with a paragraph and an example")
            if "\n; insert options\n" not in prose:
                faults.append(f"{page}: no line \"; insert options\"")
        if not text.startswith(f"{name}({section}) "):
            faults.append(f"{page}: does not begin with {name}({section})")
        faults += [f"{page}: no section {wanted}" for wanted in SECTIONS[section]
                   if wanted not in headings]
        faults += [f"{page}: {option} is not an option of any command"
                   for option in sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", prose)) - known)]
        faults += [f"{page}: there is no page {other}"
                   for other in sorted({f"{a}.{b}" for a, b in
                                        re.findall(r"\*(memprof[a-z-]*)\*\((\d)\)", prose)})
                   if other not in pages]
        made = called(tables, "page", path)
        if made.returncode:
            faults.append(f"{page}: {made.stderr.strip()}")
        elif "; insert" in made.stdout:
            faults.append(f"{page}: something was not inserted")
    return faults


def faults_of_guide(tables, text):
    """Return unknown options in the guide, commands without a link, and sections that are not questions."""
    commands = lines_of(tables, "commands")
    known = {option for command in commands for option in lines_of(tables, "options", command)}
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    faults = [f"guide: {option} is not an option of any command"
              for option in sorted(set(re.findall(r"`(--[a-z-]+)[ `]", text)) - known)]
    faults += [f"guide: no link to the page of {command}" for command in commands
               if f"](man/memprof-{command}.1.scd)" not in prose]
    faults += [f"guide: {title} is no question" for title in re.findall(r"^### (.*[^?\n])$", prose, re.M)]
    if len(text.split()) > GUIDE_WORDS:
        faults.append(f"guide: more than {GUIDE_WORDS} words")
    return faults


def prose_of(text):
    """Return [(number of the first line, paragraph)] without code, table rules and names of things."""
    text = re.sub(r"^(`{3,}).*?^\1$", lambda match: "\n" * match.group(0).count("\n"), text,
                  flags=re.M | re.S)
    text = re.sub(r"^## [a-z_]+$", "", text, flags=re.M)
    paragraphs, first = [], 1
    for block in re.split(r"(\n(?:\s*\n)+|\n(?=[-*|#] ?)|\n(?=\t))", text):
        if block.strip() and not block.startswith(("    ", "; ", "|-")):
            plain = re.sub(r"\]\([^)]*\)|`[^`]*`|(?<!\w)\*[^*\n]+\*(?!\w)|(?<!\w)_[^_\n]+_(?!\w)", "", block)
            for cell in plain.split("|"):
                paragraphs.append((first, " ".join(cell.strip(" \t\n#->").split())))
        first += block.count("\n")
    return paragraphs


def unplain(name, text):
    """Return the phrases of a page that are not plain English."""
    return [f"{name}:{line}: not plain: \"{match.group(0).strip()}\" (write: {instead})"
            for line, paragraph in prose_of(text) for phrase, instead in UNPLAIN
            for match in re.finditer(phrase, paragraph)]


def documents():
    """Yield [(name, text)] of everything that people read."""
    root = os.path.normpath(os.path.join(PAGES, "..", ".."))
    paths = ["README.md", "samples/README.md"] + [
        os.path.join(folder, name) for folder, _, names in sorted(os.walk(os.path.join(root, "docs")))
        for name in sorted(names) if name.endswith((".md", ".scd"))]
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            yield os.path.relpath(path, root) if os.path.isabs(path) else path, file.read()


def guide():
    with open(os.path.join(PAGES, "..", "manual.md"), encoding="utf-8") as file:
        return file.read()


def lint(tables, folder):
    """Return the complaints of scdoc, man and mandoc."""
    faults = []
    with tempfile.TemporaryDirectory(prefix="memprof-pages-") as work:
        for page in names_of(folder):
            text = called(tables, "page", os.path.join(folder, page + ".scd")).stdout
            made = called("scdoc", input=text)
            path = os.path.join(work, page)
            with open(path, "w", encoding="utf-8") as file:
                file.write(made.stdout)
            env = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANPAGER": "cat"}
            shown = called("man", "--warnings", "-l", path, env=env)
            checked = called("mandoc", "-T", "lint", "-W", "error", path)
            for told in (made.stderr, shown.stderr, checked.stdout, checked.stderr):
                if told.strip():
                    faults.append(f"{page}: {told.strip()}")
    return faults


# (fault, page, text, replacement, a word of the complaint)
SPOILT = [
    ("an option that does not exist", "memprof-leaks.1", "# DESCRIPTION\n",
     "# DESCRIPTION\n\nSee *--colour*.\n", "--colour is not an option"),
    ("a text about no option", "memprof-leaks.1", "; of --sort", "; of --depth", "no option of"),
    ("no example at the start", "memprof-leaks.1", "```\n", "Then\n\n```\n", "and an example"),
    ("no options", "memprof-leaks.1", "; insert options", "", "no line"),
    ("a missing section", "memprof-leaks.1", "# OPTIONS", "# MORE", "no section OPTIONS"),
    ("another name", "memprof-leaks.1", "memprof-leaks(1)", "memprof-leak(1)", "does not begin"),
    ("a page that does not exist", "memprof-leaks.1", "*memprof-growth*(1)", "*memprof-grow*(1)",
     "no page memprof-grow.1"),
    ("nothing to insert", "memprof-leaks.1", "; insert options", "; insert optionen", "to insert"),
]

# (text of the guide, replacement, words of the complaint)
SPOILT_GUIDE = [
    ("`--no-config`", "`--no-configs`", "--no-configs is not an option"),
    ("(man/memprof-info.1.scd)", "(man/memprof.1.scd)", "no link to the page of info"),
    ("### Which line leaks?", "### Leaks", "Leaks is no question"),
    ("## Memory\n", "## Memory\n" * 3000, "more than 3000 words"),
]

# Prose that is not plain, and prose that is.
NOT_PLAIN = ["A folder stands first.", "No limit is told.", "Of a dump, types are compared.",
             "Whether it leaks is unknown.", "| column | What is alive at the end. |",
             "- What a type has in it.", "\tA torn file.", "An id, of which\nthere are many."]
ALREADY_PLAIN = ["A folder stands for its files.", "### What is in it?", "`told`", "It is *torn*.",
                 "```\nOf such\n```", "Formats such as zip.", "What leaks depends on it."]


def self_test(tables):
    wrong = 0
    for text in NOT_PLAIN + ALREADY_PLAIN:
        if bool(unplain("", text)) != (text in NOT_PLAIN):
            wrong += 1
            print(f"self-test: {text!r} is judged wrongly")

    def found(name, text, instead):
        with tempfile.TemporaryDirectory(prefix="memprof-pages-") as work:
            folder = os.path.join(work, "man")
            shutil.copytree(PAGES, folder)
            path = os.path.join(folder, name + ".scd")
            if text is None:
                os.unlink(path)
            else:
                with open(path, encoding="utf-8") as file:
                    whole = file.read()
                assert text in whole, (name, text)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(whole.replace(text, instead, 1))
            return faults_of(tables, folder)

    for what, name, text, instead, word in SPOILT + [
            ("a missing page", "memprof-leaks.1", None, None, "leaks has no page")]:
        faults = found(name, text, instead)
        if not any(word in fault for fault in faults):
            wrong += 1
            print(f"self-test: {what} is not found; found: {faults}")
    for old, new, word in SPOILT_GUIDE:
        text = guide()
        assert old in text, old
        faults = faults_of_guide(tables, text.replace(old, new))
        if not any(word in fault for fault in faults):
            wrong += 1
            print(f"self-test: \"{word}\" of the guide is not found; found: {faults}")
    print(f"pages.py: self-test, {len(SPOILT) + 1 + len(SPOILT_GUIDE) + len(NOT_PLAIN + ALREADY_PLAIN)} cases, {wrong} wrong")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description="Hold the pages of the manual against the program.")
    parser.add_argument("--tables", required=True, help="the program memprof-tables of the build")
    parser.add_argument("--lint", action="store_true", help="let man and mandoc read them")
    parser.add_argument("--self-test", action="store_true", help="see that a wrong page is found")
    options = parser.parse_args()
    if options.self_test:
        return self_test(options.tables)
    missing = [tool for tool in ("scdoc", "man", "mandoc") if not shutil.which(tool)]
    if options.lint and missing:
        skip(f"not installed: {', '.join(missing)}")
    if options.lint:
        faults = lint(options.tables, PAGES)
    else:
        faults = faults_of(options.tables, PAGES) + faults_of_guide(options.tables, guide())
        faults += [fault for name, text in documents() for fault in unplain(name, text)]
    for fault in faults:
        print(fault)
    print(f"pages.py: {len(names_of(PAGES))} pages, {len(faults)} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
