"""What the oracles share: a file as lines, a line as fields, a number out of a field, what grew."""

import re

FIELD = re.compile(rb'"((?:[^"]|"")*)"|(\S+)')
NIL = ("", "?", "??:??")


def lines_of(path):
    """(the lines of a file without their ends, LF or CRLF; whether the last one had an end)"""
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    lines = data.split(b"\n")
    unfinished = lines.pop()
    ended = unfinished == b""
    if not ended:
        lines.append(unfinished)
    return [line.rstrip(b"\r") for line in lines], ended


def text_of(data):
    """A string is UTF-8; one that is not valid UTF-8 is ISO 8859-1."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def fields_of(line):
    """The fields of a row: separated by blanks, quoted strings with embedded quotes doubled."""
    fields = []
    for match in FIELD.finditer(line):
        quoted, bare = match.groups()
        fields.append(text_of(bare if quoted is None else quoted.replace(b'""', b'"')))
    return fields


def is_end_of_section(line):
    return line.strip() == b"."


def nil_or(text):
    """None for any of the spellings of "nil", else the text."""
    return None if text in NIL else text


def integer(text):
    """A nil number is 0. Anything else that is no integer is a ValueError: a bad row."""
    if text in NIL:
        return 0
    if not re.fullmatch(r"-?[0-9]+", text):
        raise ValueError(f"no integer: {text}")
    return int(text)


def utf8(text):
    """The key that orders texts byte by byte."""
    return text.encode("utf-8")


def growth_rows(before, after, name_of):
    """A row for each key of two {key: {"objects", "bytes"}} whose counts differ."""
    none = {"objects": 0, "bytes": 0}
    rows = []
    for key in before.keys() | after.keys():
        was, now = before.get(key, none), after.get(key, none)
        if was == now:
            continue
        row = {"key": name_of(key)}
        for name in ("objects", "bytes"):
            row |= {f"from_{name}": was[name], f"to_{name}": now[name],
                    f"delta_{name}": now[name] - was[name]}
        if was["bytes"]:
            row["delta_percent"] = row["delta_bytes"] * 100 / was["bytes"]
        rows.append(row)
    return sorted(rows, key=lambda r: (-abs(r["delta_bytes"]), utf8(r["key"])))


def births_of(born, moments):
    """How a leak came: `born` has the moments (session, snapshot) at which what leaks was born,
    `moments` those of the window at which anything was created. Of sessions where none was born,
    nothing counts; where each has but one, that tells no trend."""
    sessions = {session for session, _ in born}
    chances = {moment for moment in moments | born if moment[0] in sessions}
    trend = ("once" if len(born) == len(sessions) else
             "every" if born == chances else "repeated")
    told = {"trend": trend} if len(chances) > len(sessions) else {}
    return {"grew_snapshots": len(born), "window_snapshots": len(chances)} | told


def compare_figures(expected):
    """Of a self-test: (figure, what it should be) pairs; the exit status."""
    wrong = [pair for pair in expected if pair[0] != pair[1]]
    for got, wanted in wrong:
        print(f"self-test: got {got}, not {wanted}")
    print(f"self-test: {len(expected)} figures, {len(wrong)} wrong")
    return 1 if wrong else 0
