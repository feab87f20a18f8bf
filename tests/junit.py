#!/usr/bin/env python3
"""Hold the JUnit XML that memprof writes against tests/junit.xsd, and its numbers against its tests.

  tests/junit.py --memprof PATH   exit 1 and a line for each fault
  tests/junit.py --self-test      wrong documents must be found

The schema is read here, as far as it is used; where xmllint is installed, it must agree.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = HERE / "junit.xsd"
XS = "{http://www.w3.org/2001/XMLSchema}"
TYPES = {"xs:string": r"(?s).*", "xs:nonNegativeInteger": r"\+?\d+",
         "xs:decimal": r"[+-]?(\d+(\.\d*)?|\.\d+)"}

HOSTILE = ('"a<b> & \'c\' ]]> \u00e4": leaked <= 1\n'
           'leaked of type "]]><!--&\u2028" <= 1\n'
           "live <= 1 TiB\nno new type\n")


class Schema:
    """Elements with their attributes, children and whether they have text."""

    def __init__(self):
        root = ElementTree.parse(SCHEMA).getroot()
        self.named = {t.get("name"): t for t in root.findall(XS + "complexType")}
        self.elements = {e.get("name"): self.element(e) for e in root.findall(XS + "element")}

    def element(self, declared):
        kind = self.named.get(declared.get("type"))
        kind = declared.find(XS + "complexType") if kind is None else kind
        attributes = {a.get("name"): (TYPES[a.get("type")], a.get("use") == "required")
                      for a in kind.iter(XS + "attribute")}
        children = [(c.get("ref"), int(c.get("minOccurs")), c.get("maxOccurs"))
                    for c in kind.iter(XS + "element")]
        return attributes, children, kind.find(XS + "simpleContent") is not None

    def faults(self, node):
        if node.tag not in self.elements:
            yield f"<{node.tag}> is not in the schema"
            return
        attributes, children, has_text = self.elements[node.tag]
        for name, value in node.attrib.items():
            if name not in attributes:
                yield f"<{node.tag}> has the attribute {name}"
            elif not re.fullmatch(attributes[name][0], value):
                yield f"<{node.tag} {name}={value!r}>"
        for name, (_, required) in attributes.items():
            if required and name not in node.attrib:
                yield f"<{node.tag}> has no {name}"
        if not has_text and ((node.text or "") + "".join(c.tail or "" for c in node)).strip():
            yield f"<{node.tag}> has text"
        yield from self.order(node, children)
        for child in node:
            yield from self.faults(child)

    @staticmethod
    def order(node, children):
        left = [child.tag for child in node]
        for name, least, most in children:
            count = 0
            while left and left[0] == name and (most == "unbounded" or count < int(most)):
                left.pop(0)
                count += 1
            if count < least:
                yield f"<{node.tag}> has {count} <{name}>"
        if left:
            yield f"<{node.tag}> has a <{left[0]}> where none may be"


def wrong_counts(root):
    for group in [root, *root.findall("testsuite")]:
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            if int(group.get(name, -1)) != len(list(group.iter(tag))):
                yield f"<{group.tag}> says {group.get(name)} {name}"


def faults_of(text):
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as problem:
        return [f"no XML: {problem}"]
    found = list(Schema().faults(root))
    if root.tag != "testsuites":
        found.append(f"the root is <{root.tag}>")
    if shutil.which("xmllint"):
        done = subprocess.run(["xmllint", "--noout", "--schema", SCHEMA, "-"], input=text,
                              capture_output=True, check=False)
        if (done.returncode != 0) != bool(found):
            found.append("xmllint: " + done.stderr.decode("utf-8", "replace"))
    return found or list(wrong_counts(root))


def check(memprof):
    samples = HERE.parent / "samples"
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        hostile = pathlib.Path(folder) / "a&<b>.policy"
        hostile.write_text(HOSTILE, encoding="utf-8")
        runs = [(["gate", samples / "shop.policy", samples / "shop-v2.oemp"], 8, 0),
                (["gate", samples / "profile.policy", samples / "shop-v4.prf", "--base",
                  samples / "shop-v3.prf"], None, 0),
                (["gate", hostile, samples / "shop-v2.oemp"], 4, 1),
                (["leaks", samples / "shop-v2.oemp", "--max-leaked", "1K", "--max-live", "1M"], 2, 1)]
        for arguments, tests, status in runs:
            done = subprocess.run([memprof, *arguments, "--format", "junit"], capture_output=True,
                                  check=False)
            found = faults_of(done.stdout)
            if not found:
                root = ElementTree.fromstring(done.stdout)
                names = [case.get("name") for case in root.iter("testcase")]
                if tests is not None and len(names) != tests:
                    found.append(f"{len(names)} tests, expected {tests}")
                if arguments[1] == hostile and names[0] != "a<b> & 'c' ]]> \u00e4":
                    found.append(f"the name came back as {names[0]!r}")
            if done.returncode != status:
                found.append(f"exit status {done.returncode}, expected {status}")
            wrong += bool(found)
            for fault in found:
                print(f"{arguments[0]} {arguments[1]}: {fault}")
    print(f"junit.py: {len(runs)} documents, {wrong} wrong")
    return 1 if wrong else 0


GOOD = ('<testsuites name="m" tests="2" failures="1" errors="0"><testsuite name="s" tests="2" '
        'failures="1" errors="0"><testcase name="a" classname="c" time="0"/><testcase name="b" '
        'classname="c"><failure message="m" type="t">x</failure></testcase></testsuite>'
        '</testsuites>')
FAULTS = [("</testsuites>", ""), ('tests="2"', 'tests="3"'), ('failures="1"', 'failures="0"'),
          ('failures="1"', ""), ('errors="0"', 'errors="-1"'), ('time="0"', 'time="now"'),
          ('classname="c" time', 'class="c" time'), ("failure", "flaw"), (">x<", "><b/><"),
          ("<testcase", "text<testcase"), ('<failure message="m" type="t">x</failure>',
                                           '<error message="m" type="t"/><failure message="m" '
                                           'type="t">x</failure>'), ("testsuites", "suites")]


def self_test():
    wrong = [] if not faults_of(GOOD.encode()) else ["a good document is refused"]
    for old, new in FAULTS:
        count = -1 if old in ("failure", "testsuites") else 1
        if not faults_of(GOOD.replace(old, new, count).encode()):
            wrong.append(f"{old!r} as {new!r} is not found")
    print("\n".join(wrong + [f"junit.py: self-test, {len(FAULTS) + 1} cases, {len(wrong)} wrong"]))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description="Hold JUnit XML against its schema.")
    parser.add_argument("--memprof", type=pathlib.Path, help="the program")
    parser.add_argument("--self-test", action="store_true", help="see that wrong documents fail")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if not options.memprof:
        parser.error("--memprof says which program to run")
    return check(options.memprof.resolve())


if __name__ == "__main__":
    sys.exit(main())
