#!/usr/bin/env python3
"""Check the includes of src/ and include/: a layer includes only the layers that it may, and there are no
circles of any length. Only src/cli contains options of the command line in its texts. src/cli calls no layers
below the session.

  tests/layers.py [ROOT]       exit 1 and a line for each violation
  tests/layers.py --self-test  make violations in a copy; they must be detected
"""
import pathlib
import re
import shutil
import sys
import tempfile

MAY_INCLUDE = {
    "base": set(),
    "input": {"base"},
    "model": {"base"},
    "readers": {"input", "model", "base"},
    "query": {"model", "base"},
    "relation": {"query", "model", "base"},
    "sql": {"relation", "query", "base"},
    "compare": {"query", "model", "base"},
    "document": {"base"},
    "render": {"document", "base"},
    "reports": {"sql", "relation", "compare", "query", "model", "document", "base"},
    "export": {"reports", "render", "sql", "relation", "compare", "query", "model", "document", "base"},
    "session": {"base", "input", "model", "readers", "query", "compare", "document", "render",
                "reports", "export"},
    "cli": {"session"},
}
# Headers that the command line includes besides its own and the public ones: one internal header, and the
# table of options that it shares with the library.
CLI_INCLUDES = {"session/terminal.h", "session/options.def"}
# That header would allow calls to any layer, but these must not be called.
CLI_NEVER_CALLS = ("input", "model", "readers", "query", "relation", "sql", "compare")
# The layer of each public header. Public headers contain only declarations.
PUBLIC = {
    "diagnostics.h": "base", "diagnostics.def": "base", "document.h": "base", "memprof.h": "base",
}
DECLARED = re.compile(r"^[a-z][^(;={}]*\b(mp_\w+)\(", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def layer_of(path):
    """Return the layer of "model/heap.h" or "memprof/model.h"; None if it has none."""
    folder, _, name = path.partition("/")
    return PUBLIC.get(name) if folder == "memprof" else folder if folder in MAY_INCLUDE else None


def files_of(root):
    """Return (folder, file) of each source."""
    return [(top, p) for top in ("src", "include") for p in sorted((root / top).rglob("*"))
            if p.suffix in (".c", ".h", ".def")]


def unit_of(path):
    """Return "model/heap" for "model/heap.c" and for its header, wherever that is."""
    return f"{layer_of(path)}/{path.rpartition('/')[2].rpartition('.')[0]}"


def circles(root):
    """Return the circles of units that include each other, directly or indirectly. A unit is a .c and the .h of
    the same name: if either of them includes another unit, the code cannot be understood, tested or moved
    without it. Return the shortest circle of each unit, once, under the first of its names."""
    includes = {}
    for top, file in files_of(root):
        unit = unit_of(str(file.relative_to(root / top)))
        others = {unit_of(target) for target in INCLUDE.findall(file.read_text())
                  if target.endswith(".h")}
        includes.setdefault(unit, set()).update(others - {unit})
    for start in sorted(includes):
        ways, waiting = {}, [start]  # breadth-first search; maps a unit to the one from which it was reached
        for unit in waiting:
            for other in sorted(includes.get(unit, ())):
                if other not in ways:
                    ways[other] = unit
                    waiting.append(other)
        circle = [start]
        while start in ways and (len(circle) == 1 or circle[-1] != start):
            circle.append(ways[circle[-1]])
        if len(circle) > 1 and min(circle) == start:
            yield f"{' <- '.join(circle)}: included in a circle"


def violations(root):
    for top, file in files_of(root):
        layer = layer_of(str(file.relative_to(root / top)))
        if layer is None:
            yield f"{file.relative_to(root)}: belongs to no layer"
        for target in INCLUDE.findall(file.read_text()):
            other = layer_of(target)
            if other is None:
                yield f"{file.relative_to(root)}: includes {target}, which belongs to no layer"
            elif "static" in file.parts:  # replaces parts of the library in the static program
                continue
            elif layer == "cli" != other and target not in CLI_INCLUDES and not target.startswith("memprof/"):
                yield f"{file.relative_to(root)}: cli includes {target}, expected session/terminal.h"
            elif (layer not in (None, other) and other not in MAY_INCLUDE[layer] and
                  not target.startswith("memprof/")):
                yield f"{file.relative_to(root)}: {layer} includes {target}, which is {other}"


def calls(root):
    """Return functions of layers below the session that the command line calls directly."""
    below = {name: header for layer in CLI_NEVER_CALLS for header in sorted((root / "src" / layer).glob("*.h"))
             for name in DECLARED.findall(COMMENT.sub("", header.read_text()))}
    for file in sorted((root / "src/cli").glob("*.[ch]")):
        for name in sorted(set(re.findall(r"\bmp_\w+(?=\()", COMMENT.sub("", file.read_text()))) & set(below)):
            yield f"{file.relative_to(root)}: calls {name} of {below[name].relative_to(root)}, past the session"


TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"')
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
OPTION = re.compile(r'(?<!-)--(?:[a-z]|"$)')
# Lines that may contain an option anyway.
SPELL = [
    # Examples of reports are command lines as people type them; the help prints them, and tests run them.
    re.compile(r"\s*\.example = "),
    # Since version 1, a baseline contains the options of its creation as text.
    re.compile(r'\s*mp_text_put\(text, text->length \? " --" : "--"'),
]


def spelled(root):
    """Return texts outside src/cli that contain an option. Programs use names without dashes."""
    for top, file in files_of(root):
        if layer_of(str(file.relative_to(root / top))) == "cli":
            continue
        source = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), file.read_text())
        for number, line in enumerate(source.split("\n"), 1):
            if (any(OPTION.search(text) for text in TEXT.findall(line)) and
                    not any(may.match(line) for may in SPELL)):
                yield f"{file.relative_to(root)}:{number}: spells an option of the command line"


def documented(root):
    """Return the table of docs/architecture.md: {layer: layers that it may include}."""
    text = (root / "docs/architecture.md").read_text(encoding="utf-8")
    for names in re.findall(r"^\| [^|]+ \| `src/(\w+)` \| ([^|]+) \|$", text, re.MULTILINE):
        yield names[0], set(names[1].split(", ")) - {names[0], "itself"}


def drifted(root):
    """Return differences between the documentation and this file."""
    said = dict(documented(root))
    for layer, allowed in MAY_INCLUDE.items():
        if said.get(layer) != allowed:
            yield f"docs/architecture.md: {layer} may include {', '.join(sorted(allowed)) or 'itself'}"


def self_test(root):
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for top in ("src", "include"):
            shutil.copytree(root / top, copy / top)
        (copy / "docs").mkdir()
        page = (root / "docs/architecture.md").read_text(encoding="utf-8")
        (copy / "docs/architecture.md").write_text(page.replace("`src/compare` | ", "`src/compare` | cli, "))
        if list(drifted(copy)) != ["docs/architecture.md: compare may include base, model, query"]:
            return "a planted slip of the documentation is not found"
        if list(violations(copy)):
            return "the copy has violations before one is planted"
        with open(copy / "src/render/json.c", "a", encoding="utf-8") as planted:
            planted.write('#include "model/heap.h"\n')
        if list(violations(copy)) != ["src/render/json.c: render includes model/heap.h, which is model"]:
            return "a planted violation is not found"
        with open(copy / "src/cli/main.c", "a", encoding="utf-8") as planted:
            planted.write('#include "model/heap.h"\n')
        if "src/cli/main.c: cli includes model/heap.h, expected session/terminal.h" not in violations(copy):
            return "a planted include of the command line is not found"
        if list(calls(copy)):
            return "the copy has calls past the session before one is planted"
        with open(copy / "src/cli/main.c", "a", encoding="utf-8") as planted:
            planted.write("void f(void) { mp_model_new(); }\n")
        if list(calls(copy)) != ["src/cli/main.c: calls mp_model_new of src/model/model.h, past the session"]:
            return "a planted call past the session is not found"
        known = set(circles(copy))
        for name, includes in (("one.h", ""), ("one.c", "one.h two.h"), ("two.h", "one.h"),
                               ("three.h", "four.h"), ("four.h", "three.h"), ("five.h", "six.h"),
                               ("six.c", "six.h five.h"), ("six.h", ""), ("seven.c", "five.h"),
                               ("able.c", "able.h"), ("able.h", "baker.h"), ("baker.c", "charlie.h"),
                               ("charlie.h", "able.h")):
            (copy / "src/render" / name).write_text(
                "".join(f'#include "render/{other}"\n' for other in includes.split()), encoding="utf-8")
        planted = ("five six", "four three", "one two", "able charlie baker")
        if set(circles(copy)) - known != {
                " <- ".join(f"render/{name}" for name in (names + " " + names.split()[0]).split()) +
                ": included in a circle" for names in planted}:
            return "a planted circle is not found"
        if list(spelled(copy)):
            return "the copy spells options before one is planted"
        (copy / "src/render/eight.c").write_text(
            '/* "--in-a-comment" */\n    .example = "top --by type",\nputs("a \\" --limit");\nx = y--z; puts("a--b" "--");\n')
        (copy / "src/cli/nine.c").write_text('puts("--limit");\n')
        if list(spelled(copy)) != [f"src/render/eight.c:{line}: spells an option of the command line"
                                   for line in (3, 4)]:
            return "a planted option is not found, or what is none"
    return None


def main(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent
    if arguments == ["--self-test"]:
        fault = self_test(root)
        print(fault or "planted violations are found")
        return 1 if fault else 0
    root = pathlib.Path(arguments[0]) if arguments else root
    found = [*violations(root), *calls(root), *circles(root), *drifted(root), *spelled(root)]
    print("\n".join(found) if found else
          "every include keeps to its layer, none leads back, and options are spelled in src/cli alone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
