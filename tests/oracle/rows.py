"""Functions shared by the oracles: a file as lines, a line as fields, a field as a number, and growth."""

import re

FIELD = re.compile(rb'"((?:[^"]|"")*)"|(\S+)')
NIL = ("", "?", "??:??")


def lines_of(path):
    """Return (the lines of a file without LF or CRLF, whether the last one had a line end)."""
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
    """Decode a string: UTF-8 or, if it is invalid, ISO 8859-1."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def fields_of(line):
    """Split a row into fields. They are separated by blanks; quotes within quoted strings are doubled."""
    fields = []
    for match in FIELD.finditer(line):
        quoted, bare = match.groups()
        fields.append(text_of(bare if quoted is None else quoted.replace(b'""', b'"')))
    return fields


def is_end_of_section(line):
    return line.strip() == b"."


def nil_or(text):
    """Return None for any spelling of "nil", else the text."""
    return None if text in NIL else text


def integer(text):
    """Return an integer; "nil" is 0. Anything else raises ValueError, because the row is invalid."""
    if text in NIL:
        return 0
    if not re.fullmatch(r"-?[0-9]+", text):
        raise ValueError(f"no integer: {text}")
    return int(text)


def utf8(text):
    """Return a key that orders texts byte by byte."""
    return text.encode("utf-8")


def growth_rows(before, after, name_of):
    """Return a row for each key of two {key: {"objects", "bytes"}} whose counts differ."""
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
    """Return how the objects of a leak came. `born` has the moments (session, snapshot) of their births,
    `moments` those of the window at which anything was created. Sessions without births do not count. If each
    session has only one moment, there is no trend."""
    sessions = {session for session, _ in born}
    chances = {moment for moment in moments | born if moment[0] in sessions}
    trend = ("once" if len(born) == len(sessions) else
             "every" if born == chances else "repeated")
    told = {"trend": trend} if len(chances) > len(sessions) else {}
    return {"grew_snapshots": len(born), "window_snapshots": len(chances)} | told


def compare_figures(expected):
    """Compare (figure, expected value) pairs of a self-test; return the exit status."""
    wrong = [pair for pair in expected if pair[0] != pair[1]]
    for got, wanted in wrong:
        print(f"self-test: got {got}, not {wanted}")
    print(f"self-test: {len(expected)} figures, {len(wrong)} wrong")
    return 1 if wrong else 0
