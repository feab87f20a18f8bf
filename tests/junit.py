#!/usr/bin/env python3
"""Check JUnit XML written by memprof against tests/junit.xsd, and its counts against its test cases.

  tests/junit.py --memprof PATH   exit 1 and a line for each fault
  tests/junit.py --self-test      wrong documents must be detected
"""
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import claims
import xml_schema

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = HERE / "junit.xsd"

HOSTILE = ('"a<b> & \'c\' ]]> \u00e4": leaked <= 1\n'
           'leaked of type "]]><!--&\u2028" <= 1\n'
           "live <= 1 TiB\nno new type\n")


def wrong_counts(root):
    for group in [root, *root.findall("testsuite")]:
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            if int(group.get(name, -1)) != len(list(group.iter(tag))):
                yield f"<{group.tag}> says {group.get(name)} {name}"


def faults_of(text):
    return xml_schema.faults_of(text, SCHEMA, "testsuites") or list(
        wrong_counts(ElementTree.fromstring(text)))


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
    return check(pathlib.Path(claims.arguments(__doc__, self_test).memprof).resolve())


if __name__ == "__main__":
    sys.exit(main())
