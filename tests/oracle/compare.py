#!/usr/bin/env python3
"""Compare a report of the analyzer with the figures that an oracle expects.

    compare.py EXPECTED.json ACTUAL.json [--section top,leaks,...]

Every field of EXPECTED must be in ACTUAL and be equal; ACTUAL may have more fields. Lists must have equal
length. If one of two numbers is a floating-point number, they may differ by a factor of 1e-9. Print the first
differences with their paths; the exit status is 1 if there are any.
"""

import argparse
import json
import math
import sys

SECTIONS = ["totals", "snapshots", "leaks", "top", "growth"]
SHOWN = 20


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(expected, actual):
    if is_number(expected) and is_number(actual):
        if isinstance(expected, int) and isinstance(actual, int):
            return expected == actual
        return math.isclose(expected, actual, rel_tol=1e-9, abs_tol=1e-12)
    return type(expected) is type(actual) and expected == actual


def shown(value):
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 120 else text[:117] + "..."


def differences(expected, actual, path):
    """Yield all differences below a path, as lines to print."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name, value in expected.items():
            if name in actual:
                yield from differences(value, actual[name], f"{path}.{name}")
            else:
                yield f"{path}.{name}: expected {shown(value)}, is missing"
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{path}: expected {len(expected)} entries, got {len(actual)}"
        for index, (left, right) in enumerate(zip(expected, actual)):
            yield from differences(left, right, f"{path}[{index}]")
    elif not same(expected, actual):
        yield f"{path}: expected {shown(expected)}, got {shown(actual)}"


def compare(expected, actual, sections):
    for section in sections:
        if section not in expected:
            yield f"{section}: nothing is expected of this section"
        elif section not in actual:
            yield f"{section}: is missing"
        else:
            yield from differences(expected[section], actual[section], section)


def load(path):
    """Return a report. If it is not a JSON object, end the run with status 2."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except (OSError, ValueError) as problem:
        print(f"compare.py: {path}: {problem}", file=sys.stderr)
        sys.exit(2)
    if not isinstance(report, dict):
        print(f"compare.py: {path}: not a JSON object", file=sys.stderr)
        sys.exit(2)
    return report


def main():
    parser = argparse.ArgumentParser(description="compare a report with the expected one")
    parser.add_argument("expected")
    parser.add_argument("actual")
    parser.add_argument("--section", help="comma-separated; default: all that EXPECTED has")
    options = parser.parse_args()
    expected, actual = load(options.expected), load(options.actual)
    if options.section:
        sections = options.section.split(",")
    else:
        sections = [section for section in SECTIONS if section in expected]
    found = list(compare(expected, actual, sections))
    for line in found[:SHOWN]:
        print(line)
    if len(found) > SHOWN:
        print(f"and {len(found) - SHOWN} more")
    return 1 if found or not sections else 0


if __name__ == "__main__":
    sys.exit(main())
