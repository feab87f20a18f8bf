#!/usr/bin/env python3
"""Check the coverage files that memprof writes for other tools: they conform to their formats, and their
numbers agree with the report.

  tests/coverage.py --memprof PATH            cobertura, lcov and sonar-generic; exit 1 and the faults
  tests/coverage.py --memprof PATH --genhtml  let genhtml (of lcov) read it; 77 where there is none
  tests/coverage.py --self-test               wrong documents must be found
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import claims
import xml_schema

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
SKIPPED = 77

# Names with characters that end a value in some of the formats, a control character, a line of two methods, a
# method whose calls were not counted, and a line number at the end of 32 bits.
HOSTILE = """1 03/02/2026 "a" 08:15:30 "u"
.
1 "d\u00e9p\u00f4t/a&<b>""c"",d.p" "" 11 0 ""
2 "x,y d\u00e9p\u00f4t/a&<b>""c"",d.p" "" 0 3 ""
3 "C" "" 12 0 ""
4 "b\x1b[1m C" "" 0 1 ""
.
.
1 0 1 0.000001 0.000001
1 2147483647 3 0.000001 0.000001
2 5 1 0.000001 0.000001
4 0 2 0.000001 0.000001
.
.
1 "" 2
1
2147483647
.
1 "x,y" 2
5
7
.
3 "a" 1
4
.
3 "b\x1b[1m" 1
4
.
.
.
"""


def export(memprof, form, files, *more):
    done = subprocess.run([memprof, "coverage", "--to", form, "--quiet", *more, *files],
                          capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"coverage --to {form} {files}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


def report(memprof, files):
    done = subprocess.run([memprof, "coverage", "--format", "json", "--quiet", *files],
                          capture_output=True, check=True)
    return json.loads(done.stdout)


# ---------------------------------------------------------------- cobertura, sonar-generic

def rate_of(lines):
    return len([line for line in lines if line.get("hits") != "0"]), len(lines)


def cobertura_faults(text):
    """Rates and sums agree with the lines. No rate is 1 if a line is missing."""
    found = xml_schema.faults_of(text, HERE / "cobertura.xsd", "coverage")
    if found:
        return found
    root = ElementTree.fromstring(text)
    of_all = [line for one in root.iter("class") for line in one.find("lines")]
    groups = [(root, of_all)]
    groups += [(one, list(one.find("lines"))) for one in (*root.iter("class"), *root.iter("method"))]
    groups += [(one, [line for part in one.iter("class") for line in part.find("lines")])
               for one in root.iter("package")]
    for element, lines in groups:
        hit, count = rate_of(lines)
        numbers = [int(line.get("number")) for line in lines]
        rate = float(element.get("line-rate"))
        if not 0 <= hit / count - rate < 0.0001 or (rate == 1 and hit < count):
            found.append(f"<{element.tag} line-rate={rate}> of {hit} of {count} lines")
        if element.tag in ("class", "method") and numbers != sorted(set(numbers)):
            found.append(f"<{element.tag}> has lines out of order, or one twice")
    if (int(root.get("lines-covered")), int(root.get("lines-valid"))) != rate_of(of_all):
        found.append("lines-covered and lines-valid are not those of the lines")
    return found


def sonar_faults(text):
    found = xml_schema.faults_of(text, HERE / "sonar-generic.xsd", "coverage")
    if found:
        return found
    root = ElementTree.fromstring(text)
    paths = [one.get("path") for one in root]
    if root.get("version") != "1":
        found.append("the version is not 1")
    if len(set(paths)) != len(paths):
        found.append("a file stands there twice")
    for one in root:
        numbers = [int(line.get("lineNumber")) for line in one]
        if numbers != sorted(set(numbers)):
            found.append(f"{one.get('path')} has lines out of order, or one twice")
    return found


# ---------------------------------------------------------------- lcov

RECORD = re.compile(r"TN:\nSF:(?P<path>[^\n]+)\n(?P<names>(?:FN:\d+,[^\n]+\nFNDA:\d+,[^\n]+\n)*)"
                    r"FNF:(?P<fnf>\d+)\nFNH:(?P<fnh>\d+)\n(?P<lines>(?:DA:\d+,\d+\n)*)"
                    r"LF:(?P<lf>\d+)\nLH:(?P<lh>\d+)\nend_of_record\n")


def lcov_records(text):
    return list(RECORD.finditer(text.decode()))


def lcov_faults(text):
    found, records = [], lcov_records(text)
    if "".join(record[0] for record in records) != text.decode():
        return ["there is something that is no record"]
    for record in records:
        lines = [tuple(map(int, row.split(","))) for row in re.findall(r"DA:(\S+)", record["lines"])]
        calls = [int(count) for count in re.findall(r"FNDA:(\d+)", record["names"])]
        numbers = [number for number, _ in lines]
        if numbers != sorted(set(numbers)) or 0 in numbers:
            found.append(f"{record['path']}: lines out of order, or one twice")
        if [int(record["lf"]), int(record["lh"])] != [len(lines), len([n for _, n in lines if n])]:
            found.append(f"{record['path']}: LF and LH are not those of its lines")
        if [int(record["fnf"]), int(record["fnh"])] != [len(calls), len([n for n in calls if n])]:
            found.append(f"{record['path']}: FNF and FNH are not those of its functions")
    return found


# ---------------------------------------------------------------- all of them

def figures(form, text):
    """Return {path: {line: true if it was executed}}."""
    if form == "lcov":
        return {record["path"]: {int(line): count != "0" for line, count in
                                 re.findall(r"DA:(\d+),(\d+)", record["lines"])}
                for record in lcov_records(text)}
    root = ElementTree.fromstring(text)
    if form == "cobertura":
        return {one.get("filename"): {int(line.get("number")): line.get("hits") != "0"
                                      for line in one.find("lines")} for one in root.iter("class")}
    return {one.get("path"): {int(line.get("lineNumber")): line.get("covered") == "true"
                              for line in one} for one in root}


FAULTS_OF = {"cobertura": cobertura_faults, "lcov": lcov_faults, "sonar-generic": sonar_faults}


def check_file(memprof, files):
    """Each format is well formed, and agrees about each line with the others and the report."""
    expected, said = report(memprof, files), {}
    for form, faults_of in FAULTS_OF.items():
        text = export(memprof, form, files)
        for fault in faults_of(text):
            yield f"{form}: {fault}"
        said[form] = figures(form, text)
    for form, files_of in said.items():
        lines = [executed for one in files_of.values() for executed in one.values()]
        totals = expected["coverage_totals"]
        if (len(lines), sum(lines)) != (totals["lines"], totals["executed_lines"]):
            yield f"{form}: {sum(lines)} of {len(lines)} lines, expected {totals}"
        clean = {re.sub(r"[^ -~\u00a0-\uffff]", "", path): one for path, one in files_of.items()}
        if form != "cobertura" and clean != said["cobertura"]:
            yield f"{form} says something else than cobertura"


def check(memprof):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        hostile = pathlib.Path(folder) / "hostile.prf"
        hostile.write_text(HOSTILE, encoding="utf-8")
        trials = [[hostile], [HERE / "cli/coverage-runs/run-1.prf"], [HERE / "cli/coverage-runs/run-2.prf"],
                  *([path] for path in sorted(SAMPLES.glob("*.prf"))), sorted(SAMPLES.glob("*v[1-4].prf"))]
        for files in trials:
            for fault in check_file(memprof, files):
                print(f"{files[0].name}: {fault}")
                wrong += 1
        paths = set(figures("sonar-generic", export(memprof, "sonar-generic", [hostile])))
        if paths != {'d\u00e9p\u00f4t/a&<b>"c",d.p', "C.cls"}:
            print(f"the names came back as {paths}")
            wrong += 1
    print(f"coverage.py: {len(trials)} recordings in {len(FAULTS_OF)} formats, {wrong} wrong")
    return 1 if wrong else 0


def genhtml(memprof):
    """genhtml counts the same lines. It needs sources, which are blank here."""
    if not shutil.which("genhtml"):
        print("skipped: no genhtml (Debian package lcov)")
        return SKIPPED
    files = [SAMPLES / "shop-v3.prf"]
    totals = report(memprof, files)["coverage_totals"]
    with tempfile.TemporaryDirectory() as folder:
        info = pathlib.Path(folder) / "cov.info"
        info.write_bytes(export(memprof, "lcov", files))
        for record in lcov_records(info.read_bytes()):
            source = pathlib.Path(folder) / record["path"]
            source.parent.mkdir(parents=True, exist_ok=True)
            source.write_text("\n" * 200)
        done = subprocess.run(["genhtml", "-o", "html", "cov.info"], cwd=folder, check=False,
                              capture_output=True, text=True)
        told = re.search(r"lines\.*: (\S+)% \((\d+) of (\d+) lines\)", done.stdout)
        ok = done.returncode == 0 and told and not done.stderr and \
            (int(told[2]), int(told[3])) == (totals["executed_lines"], totals["lines"])
        pages = list((pathlib.Path(folder) / "html").rglob("*.gcov.html"))
        if not ok or len(pages) != 2:
            print(f"genhtml: {done.stdout}{done.stderr}; expected {totals}; {len(pages)} pages")
            return 1
    print(f"coverage.py: genhtml counts {told[2]} of {told[3]} lines")
    return 0


GOOD = {
    "lcov": "TN:\nSF:a.p\nFN:2,f\nFNDA:1,f\nFNF:1\nFNH:1\nDA:2,1\nDA:3,0\nLF:2\nLH:1\nend_of_record\n",
    "sonar-generic": '<coverage version="1"><file path="a"><lineToCover lineNumber="2" covered="true"/>'
                     '<lineToCover lineNumber="3" covered="false"/></file><file path="b"/></coverage>',
    "cobertura": '<coverage line-rate="0.5" branch-rate="0" lines-covered="1" lines-valid="2" '
                 'branches-covered="0" branches-valid="0" complexity="0" version="1" timestamp="0">'
                 '<packages><package name="p" line-rate="0.5" branch-rate="0" complexity="0"><classes>'
                 '<class name="c" filename="c" line-rate="0.5" branch-rate="0" complexity="0"><methods/>'
                 '<lines><line number="1" hits="3"/><line number="2" hits="0"/></lines></class></classes>'
                 '</package></packages></coverage>',
}
WRONG = {
    "lcov": [("DA:3", "DA:2"), ("LF:2", "LF:3"), ("LH:1", "LH:2"), ("FNH:1", "FNH:0"), ("DA:2", "DA:0"),
             ("end_of_record\n", ""), ("SF:a.p", "SF:"), ("DA:2,1", "DA:2")],
    "sonar-generic": [('version="1"', 'version="2"'), ('"b"', '"a"'), ('Number="3"', 'Number="2"'),
                      ('Number="2"', 'Number="0"'), ('"true"', '"yes"'), ("path", "name")],
    "cobertura": [('line-rate="0.5"', 'line-rate="1"'), ('covered="1"', 'covered="2"'),
                  ('valid="2"', 'valid="3"'), ("<methods/>", ""), ('number="2"', 'number="1"'),
                  ('name="c" ', ""), ("classes>", "class>"), ('timestamp="0"', "")],
}


def self_test():
    wrong, count = [], 0
    for form, faults_of in FAULTS_OF.items():
        if faults_of(GOOD[form].encode()):
            wrong.append(f"{form}: a good document is refused: {faults_of(GOOD[form].encode())}")
        for old, new in WRONG[form]:
            count += 1
            if not faults_of(GOOD[form].replace(old, new, 1).encode()):
                wrong.append(f"{form}: {old!r} as {new!r} is not found")
    print("\n".join([*wrong, f"coverage.py: self-test, {count} cases, {len(wrong)} wrong"]))
    return 1 if wrong else 0


def main():
    options = claims.arguments(__doc__, self_test, genhtml=bool)
    return (genhtml if options.genhtml else check)(pathlib.Path(options.memprof))


if __name__ == "__main__":
    sys.exit(main())
