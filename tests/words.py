#!/usr/bin/env python3
"""Plain English in the program. Its texts use none of the phrases that pages.py lists for pages, few comments
begin with What, Whether, Of or Where, and no identifier is a preposition or a pronoun (except `to`, next to
`from`).

Texts are string literals that contain a blank, without names of options. Comments are those of C.
"""
import argparse
import pathlib
import re
import sys

import pages

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMENTED = ("src", "include", "tests", "tools", "samples/generator")
MOST_PERCENT = 2.0
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|((?:"(?:\\.|[^"\\\n])*"(?:\s|PRI\w+|MP_DASHES|MEMPROF_VERSION)*)+)"""
                   r"""|'(?:\\.|[^'\\\n])*'|^\s*\#\s*include[^\n]*""", re.S | re.M)
PIECE = re.compile(r'"((?:\\.|[^"\\\n])*)"')
NOT_NAMES = re.compile(r"\b(?:of|at|all|own|it|into)\b")
NOT_PLAIN = re.compile(r"(?:what|whether|of|where)\b", re.I)


def tokens_of(paths):
    """Yield (path, line, comment, text) of each comment, and of each string of adjacent literals."""
    for path in sorted(paths):
        source = path.read_text(encoding="utf-8")
        for match in TOKEN.finditer(source):
            line = source.count("\n", 0, match.start()) + 1
            if match[1]:
                yield path, line, None, "".join(PIECE.findall(match[1]))
            elif match[0].startswith("/"):
                yield path, line, match[0].strip("/* \n"), None


def names_of(source):
    """Return (line, name) of each identifier that is a preposition or pronoun, outside of comments and
    literals."""
    code = TOKEN.sub(lambda match: "\n" * match[0].count("\n"), source)
    return [(code.count("\n", 0, match.start()) + 1, match[0]) for match in NOT_NAMES.finditer(code)]


def sources(folder, *endings):
    return [path for ending in endings for path in (ROOT / folder).rglob(f"*{ending}")]


def faults_of_text(text):
    """Return what is wrong with a text of the program."""
    if " " not in text:
        return []
    text = text.replace("Left behind", "left behind")
    text = re.sub(r"(?:--|%s|`)[a-z]+(?:-[a-z]+)+|\b(?:allow|no)-[a-z]+\b", "", text)
    return [f"\"{match[0].strip()}\" (write: {instead})" for phrase, instead in pages.UNPLAIN
            for match in re.finditer(phrase, text)]


def self_test():
    wrong = [text for text in ("is leaks meant?", "of which 5 are alive", "a file that is torn", "Whether it leaks")
             if not faults_of_text(text)]
    wrong += [text for text in ("told", "%s (--allow-torn skips it)", "did you mean 'leaks'?", "left behind")
              if faults_of_text(text)]
    wrong += [text for text in ("What leaks.", "Of a dump.", "of its texts") if not NOT_PLAIN.match(text)]
    wrong += [text for text, lines in (("int of; /* at */\n'x';\nputs(\"all\");\nown++;", [1, 4]), ("int offset;", []))
              if [line for line, _ in names_of(text)] != lines]
    for text in wrong:
        print(f"self-test: {text!r} is judged wrongly")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", action="store_true")
    if parser.parse_args().self_test:
        return self_test()
    faults = [f"{path.relative_to(ROOT)}:{line}: {fault}"
              for path, line, _, text in tokens_of(sources("src", ".c", ".h", ".def") + sources("include", ".def"))
              if text for fault in faults_of_text(text)]
    faults += [f"{path.relative_to(ROOT)}:{line}: an identifier `{name}`" for folder in COMMENTED
               for path in sources(folder, ".c", ".h") for line, name in names_of(path.read_text(encoding="utf-8"))]
    comments, found = 0, []
    for folder in COMMENTED:
        for path, line, comment, _ in tokens_of(sources(folder, ".c", ".h")):
            comments += bool(comment)
            if comment and NOT_PLAIN.match(comment):
                found.append(f"{path.relative_to(ROOT)}:{line}: {comment.splitlines()[0]}")
    share = 100 * len(found) / comments
    if share >= MOST_PERCENT:
        faults += found + [f"{share:.1f} % of the comments begin with What, Whether, Of or Where"]
    print("\n".join(faults + [f"{comments} comments, {len(found)} begin badly; {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
