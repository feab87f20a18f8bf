"""What both oracles share: a file as lines, a line as fields, a number out of a field."""

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
