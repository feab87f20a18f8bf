#!/usr/bin/env python3
"""Run the documentation: the examples of README.md and docs/, and the worked example of each --help.

    tests/examples.py --memprof PATH --root CHECKOUT            check them
    tests/examples.py --memprof PATH --root CHECKOUT --record   write the expected outputs anew
    tests/examples.py --self-test                               see that a wrong example fails

A fenced block marked `sh` is run with bash:

  * With lines that start with "$ ", it is a session. The lines after a command, up to the next one,
    must be exactly what the command prints (standard output and error together). A command must
    exit with 0, unless the next one is "echo $?", which then says its status.
  * Without such lines it is a script. It must exit with 0, or with N where the line above the
    fence is <!-- exit: N -->.

With <!-- ci: NAME --> above its fence, .ci/run runs the block instead. In blocks marked `yaml`, the steps under
`run:` and `script:` that call memprof are run, with the upper-case variables of the block.

Sessions are shown as in a window of 100 columns. All blocks run in a folder of links to the files of the
checkout, so relative paths work and nothing is written into the checkout.

Manual pages (docs/man/*.scd) have their examples in fences without a mark, where each backslash is doubled. A
block with lines that start with "$ " is a session; below a line "; sh" or "; exit: N" it is a script; otherwise
it is text.

Links between documents must be valid. Every diagnostic must be described, and the formats table of README.md
must agree with the program.
"""
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import claims

TIMEOUT = 120
MARK = "\x1e"


class Block:
    """A fenced block: its kind, its lines, and their position in the file."""

    def __init__(self, path, kind, directive, first, lines):
        self.path, self.kind, self.directive = path, kind, directive
        self.first, self.lines = first, lines  # first: index of the first line inside
        if path.endswith(".scd"):
            self.lines = [re.sub(r"\\(.)", r"\1", line) for line in lines]
            self.kind = "sh" if self.is_session() or directive else ""

    def written(self, lines):
        """Return lines as they are written in the file."""
        return ([line.replace("\\", "\\\\") for line in lines] if self.path.endswith(".scd")
                else lines)

    def where(self):
        return f"{self.path}:{self.first + 1}"

    def is_session(self):
        return any(line.startswith("$ ") for line in self.lines)


def blocks_of(path, text):
    blocks, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        opened = re.match(r"(`{3,})(\w*)", lines[i])
        if not opened:
            i += 1
            continue
        directive = re.match(r"(?:<!-- (ci|exit): (\S+) -->|; (sh|exit)(?:: (\d+))?)$",
                             lines[i - 1]) if i else None
        directive = directive and (directive.group(1) or directive.group(3),
                                   directive.group(2) or directive.group(4) or "0")
        first = i + 1
        end = first
        while end < len(lines) and lines[end] != opened.group(1):
            end += 1
        blocks.append(Block(path, opened.group(2), directive, first, lines[first:end]))
        i = end + 1
    return blocks


def commands_of(block):
    """Return [(lines of the command, expected lines)] of a session."""
    commands = []
    for line in block.lines:
        if line.startswith("$ "):
            commands.append(([line[2:]], []))
        elif commands and commands[-1][0][-1].endswith("\\") and not commands[-1][1]:
            commands[-1][0].append(line)
        elif commands:
            commands[-1][1].append(line)
    return commands


class Runner:
    def __init__(self, memprof, root, folder):
        self.root, self.folder = root, folder
        self.failures = []
        self.count = 0
        bin_folder = os.path.join(folder, "bin")
        self.place = os.path.join(folder, "checkout")
        os.makedirs(bin_folder)
        os.makedirs(self.place)
        os.symlink(os.path.abspath(memprof), os.path.join(bin_folder, "memprof"))
        for entry in os.listdir(root):
            if entry != ".git" and not entry.startswith("build"):
                os.symlink(os.path.join(os.path.abspath(root), entry),
                           os.path.join(self.place, entry))
        self.env = {key: value for key, value in os.environ.items()
                    if not key.startswith(("LC_", "GIT_")) and key != "CDPATH"}
        self.env.update(PATH=bin_folder + ":" + os.environ.get("PATH", "/usr/bin:/bin"),
                        LC_ALL="C.UTF-8", TERM="dumb", MEMPROF_NO_CONFIG="1")

    def fail(self, where, message):
        self.failures.append(f"{where}: {message}")

    def bash(self, script, env=None):
        done = subprocess.run(["bash", "-c", script], cwd=self.place, env={**self.env, **(env or {})},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def memprof(self, *arguments):
        done = subprocess.run(["memprof", *arguments], cwd=self.place, env=self.env,
                              executable=os.path.join(self.folder, "bin", "memprof"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=TIMEOUT, check=False)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    # --- examples ---

    def session(self, block):
        """Return the block's lines as they should be."""
        commands = commands_of(block)
        script = []
        for command, _ in commands:
            script += ["{ " + "\n".join(command) + "\n} 2>&1; memprof_status=$?",
                       f"printf '\\036%d\\036' $memprof_status; (exit $memprof_status)"]
        # as in a window of a typical reader
        _, printed = self.bash("\n".join(script) + "\n", {"COLUMNS": "100"})
        parts = printed.split(MARK)
        lines = []
        for i, (command, expected) in enumerate(commands):
            self.count += 1
            text = " ".join(command)
            if len(parts) <= 2 * i + 1:
                self.fail(block.where(), f"{text}: never ran")
                lines += ["$ " + command[0], *command[1:], *expected]
                continue
            output, status = parts[2 * i], int(parts[2 * i + 1])
            got = output[:-1].split("\n") if output else []
            told = i + 1 < len(commands) and commands[i + 1][0] == ["echo $?"]
            if status and not told:
                self.fail(block.where(), f"{text}: exit status {status}, and no \"$ echo $?\" says so")
            if got != expected:
                self.fail(block.where(), f"{text}: output differs\n" + difference(expected, got))
            lines += ["$ " + command[0], *command[1:], *got]
        return lines

    def script(self, block):
        self.count += 1
        wanted = int(block.directive[1]) if block.directive else 0
        status, output = self.bash("set -eu\n" + "\n".join(block.lines))
        if status != wanted:
            self.fail(block.where(), f"exit status {status}, expected {wanted}\n{output[-2000:]}")

    def steps(self, block):
        """Run the steps of a yaml block as a CI service would, as far as they call memprof."""
        env = {}
        for line in block.lines:
            variable = re.match(r"\s+([A-Z][A-Z_]*): (.*?)(\s+#.*)?$", line)
            if variable:
                env[variable.group(1)] = variable.group(2).strip("\"'")
        for where, step in yaml_steps(block):
            if not re.search(r"(^|\s)memprof\s", step) or "git clone" in step:
                continue
            self.count += 1
            status, output = self.bash("set -eu\n" + step, env)
            if status:
                self.fail(f"{block.path}:{where}", f"exit status {status}\n{output[-2000:]}")

    def stages(self, block):
        """Return the shell steps of a Jenkins pipeline, each with the environment that the pipeline declares."""
        env = {}
        for line in block.lines:
            variable = re.match(r"\s+([A-Z][A-Z_]*) = '([^']*)'", line)
            if variable:
                env[variable.group(1)] = variable.group(2)
        steps = [m.group(1) for line in block.lines for m in [re.match(r"\s+sh '([^']*)'$", line)] if m]
        if not steps:
            self.fail(block.where(), "a pipeline without a step that can be run")
        for step in steps:
            self.count += 1
            status, output = self.bash("set -eu\n" + step, env)
            if status:
                self.fail(block.where(), f"{step}: exit status {status}\n{output[-2000:]}")

    def document(self, path, record):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        for block in reversed(blocks_of(path, text)):
            if block.directive and block.directive[0] == "ci":
                continue
            if block.kind == "yaml":
                self.steps(block)
            elif block.kind == "groovy":
                self.stages(block)
            elif block.kind == "sh" and block.is_session():
                lines[block.first:block.first + len(block.lines)] = block.written(
                    self.session(block))
            elif block.kind == "sh":
                self.script(block)
        if record and "\n".join(lines) != text:
            with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
            print(f"recorded {path}")

    def links(self, path):
        """Check links to other files of the checkout, and to headings."""
        text = unfenced(self.root, path)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(os.path.join(self.root, to)):
                self.fail(path, f"link to {target}: there is no {to}")
            elif anchor and anchor not in anchors_of(unfenced(self.root, to)):
                self.fail(path, f"link to {target}: no such heading")

    # --- the program against its manual ---

    def text_of(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def help_of(self, *command):
        status, text = self.memprof(*command, "--help")
        if status:
            self.fail(" ".join(["memprof", *command, "--help"]), f"exit status {status}")
        return text

    def commands(self):
        """Return the commands that the program's help lists: first one per line with a summary, then others in
        groups."""
        text = self.help_of()
        main, more = (re.search(f"^{title} commands:\n((?:  .*\n)+)", text, re.M) for title in ("Main", "More"))
        names = re.findall(r"^  (\w+)  ", main.group(1), re.M) if main else []
        for names_of_group in re.findall(r"^  \S.*?  +(\w.*)$", more.group(1), re.M) if more else []:
            names += names_of_group.split(", ")
        pages = {match.group(1) for name in os.listdir(os.path.join(self.root, "docs/man"))
                 for match in [re.match(r"memprof-(\w+)\.1\.scd$", name)] if match}
        for name in pages.symmetric_difference(names):
            self.fail("memprof --help", f"{name} is either not listed or has no page")
        return names

    def worked_example(self, *command):
        where = " ".join(["memprof", *command, "--help"])
        text = self.help_of(*command)
        examples = re.findall(r"^  (memprof .*)$", text.partition("Example")[2], re.M)
        if not examples:
            self.fail(where, "no worked example")
        for example in examples:
            self.count += 1
            status, output = self.bash(example)
            if status == 2 and re.search("needs a terminal|built without a screen|spool/memprof is not a folder",
                                         output):  # tests/browse.py and tests/spool.py run these
                continue
            if status or not (output or example.endswith("</dev/null")):
                self.fail(where, f"{example}: exit status {status}, {len(output)} bytes\n{output}")

    def diagnostics(self, page):
        with open(os.path.join(self.root, "include/memprof/diagnostics.def"),
                  encoding="utf-8") as file:
            wanted = re.findall(r'^MP_DIAGNOSTIC\(\w+, "([a-z0-9-]+)", (\w+), ([01]), ([01])\)',
                                file.read(), re.M)
        wanted = [(code, severity.lower(), ", violation" * int(violation) + ", unsound" * int(unsound))
                  for code, severity, violation, unsound in wanted]
        rows = re.findall(r"^\*([a-z0-9-]+)\*, (\w+)((?:, violation)?(?:, unsound)?)\n\t\S",
                          section_of(self.text_of(page), "# DIAGNOSTICS"), re.M)
        for row in wanted:
            if row not in rows:
                self.fail(page, "DIAGNOSTICS lacks *%s*, %s%s" % row)
        if rows != wanted and set(rows) == set(wanted):
            self.fail(page, "diagnostics stand in another order than diagnostics.def")
        for row in rows:
            if row not in wanted:
                self.fail(page, f"there is no diagnostic {row}")

    def formats(self, readme):
        status, text = self.memprof("formats", "--format", "csv")
        rows = [line.split(",", 1)[0] for line in text.split("\n")[1:] if line]
        table = section_of(readme, "## Formats")
        if status or not rows:
            self.fail("memprof formats", f"exit status {status}, {len(rows)} formats")
        status, text = self.memprof("formats", "--format", "json")
        for format_ in json.loads(text)["formats"]:
            # A row may describe several related formats in its own words.
            row = next((line for line in table.split("\n")
                        if line.startswith("| `") and f"`{format_['name']}`" in line.split("|")[1]), "")
            summary = [] if "," in row.split(" | ")[0] else [format_["summary"]]
            for words in summary + format_["endings"].split():
                if words not in row:
                    self.fail("README.md", f"the formats table does not say \"{words}\" of "
                                           f"{format_['name']}")

    def contract(self):
        commands = self.commands()
        if not commands:
            self.fail("memprof --help", "lists no commands")
        self.worked_example()
        for command in commands:
            self.worked_example(command)
        readme = self.text_of("README.md")
        self.diagnostics("docs/man/memprof-check.1.scd")
        self.formats(readme)
        names = sorted(block.directive[1] for block in blocks_of("README.md", readme)
                       if block.directive and block.directive[0] == "ci")
        if names != ["build", "test"]:
            self.fail("README.md", f"marks {names} for .ci/run, expected build and test")


def unfenced(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return re.sub(r"^```.*?^```$", "", file.read(), flags=re.M | re.S)


def anchors_of(text):
    """Return the anchors of a page's headings in a web view."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", text, re.M)}


def section_of(text, heading):
    """Return the text from the heading to the next one of its level or above; "" if there is none."""
    level = len(heading) - len(heading.lstrip("#"))
    lines, inside, fenced = [], False, False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        if not fenced and inside and re.match("#{1,%d} " % level, line):
            break
        inside |= line == heading
        if inside:
            lines.append(line)
    return "\n".join(lines)


def yaml_steps(block):
    """Return (line, shell text) of each `run:` value and each item of `script:`."""
    steps, in_script, i = [], -1, 0
    lines = block.lines
    while i < len(lines):
        line, indent = lines[i], len(lines[i]) - len(lines[i].lstrip())
        if line.strip() and indent <= in_script and not line.lstrip().startswith("- "):
            in_script = -1
        run = re.match(r"\s*(?:- )?run: (.*)$", line)
        item = re.match(r"\s*- (.*)$", line) if in_script >= 0 else None
        value = run.group(1) if run else item.group(1) if item else None
        at = i
        if re.match(r"\s*script:$", line):
            in_script = indent
        if value == "|":
            text = []
            while i + 1 < len(lines) and (not lines[i + 1].strip() or
                                          len(lines[i + 1]) - len(lines[i + 1].lstrip()) > indent):
                i += 1
                text.append(lines[i].strip())
            value = "\n".join(text)
        if value:
            steps.append((block.first + at + 1, value))
        i += 1
    return steps


def difference(expected, got):
    return "\n".join("    " + line for line in
                     difflib.unified_diff(expected, got, "expected", "printed", lineterm=""))


def documents(root):
    paths = ["README.md"]
    for folder, _, names in sorted(os.walk(os.path.join(root, "docs"))):
        paths += [os.path.relpath(os.path.join(folder, name), root)
                  for name in sorted(names) if name.endswith((".md", ".scd"))]
    return paths


def run(memprof, root, record, contract=True):
    folder = tempfile.mkdtemp(prefix="memprof-examples-")
    try:
        runner = Runner(memprof, root, folder)
        for path in documents(root):
            runner.document(path, record)
            runner.links(path)
        if contract:
            runner.contract()
        return runner
    finally:
        shutil.rmtree(folder)


# --- self-test ---

FAKE = r"""#!/bin/sh
case "$*" in
--help) printf 'Main commands:\n  show  shows\n\nMore commands:\n  the file  check\n\nExample:\n  memprof show\n' ;;
"check --help") printf 'Example:\n  memprof check\n' ;;
"show --help") printf 'Options:\n  --deep N   so deep\n\nExample:\n  memprof show\n' ;;
"formats --format csv") printf 'name\nx\n' ;;
"formats --format json") echo '{"formats":[{"name":"x","summary":"an x","versions":"1","endings":".x"}]}' ;;
*json*) echo '{"schema":"s","rows":[{"a_bytes":1}]}' ;;
fail) exit 3 ;;
*) echo out; echo err >&2 ;;
esac
"""

README = """# x
[manual](docs/manual.md#all)
<!-- ci: build -->
```sh
false
```
<!-- ci: test -->
```sh
false
```
## Formats
| `x` | an x | 1 | `.x` |
"""

MANUAL = """# Manual
```sh
$ memprof show
out
err
$ memprof fail
$ echo $?
3
```
```sh
memprof show
```
<!-- exit: 3 -->
```sh
memprof fail
```
```yaml
variables:
  WHAT: show
job:
  script:
    - apt-get install memprof
    - memprof "$WHAT" | grep -q out
  steps:
    - run: |
        memprof $WHAT
        memprof show
```
## All
"""

CHECK = """# DIAGNOSTICS

*bad*, error, violation
	it is bad
"""

DEFINITION = 'MP_DIAGNOSTIC(BAD, "bad", ERROR, 1, 0)\n'

PAGE = """memprof-show(1)

# EXAMPLES

```
$ memprof show | sed 's/out/a\\\\\\\\b/'
err
a\\\\b
```

; exit: 3
```
memprof fail
```

```
no command
```
"""

# (fault, file, text, replacement, a word of the complaint)
FAULTS = [
    ("another output of a page", "docs/man/memprof-show.1.scd", "a\\\\b\n```", "a\\\\c\n```",
     "output differs"),
    ("a script of a page that fails", "docs/man/memprof-show.1.scd", "; exit: 3", "; sh",
     "exit status 3"),
    ("another output", "docs/manual.md", "out\nerr", "out\nerror", "output differs"),
    ("a missing line of output", "docs/manual.md", "out\nerr\n", "out\n", "output differs"),
    ("an undeclared exit status", "docs/manual.md", "$ echo $?\n3\n", "", "exit status 3"),
    ("another exit status", "docs/manual.md", "$?\n3", "$?\n2", "output differs"),
    ("a script that fails", "docs/manual.md", "```sh\nmemprof show", "```sh\nmemprof fail",
     "exit status 3, expected 0"),
    ("a script that should fail", "docs/manual.md", "exit: 3", "exit: 1", "expected 1"),
    ("a CI step that fails", "docs/manual.md", "grep -q out", "grep -q nothing", "exit status 1"),
    ("a CI block that fails", "docs/manual.md", "memprof $WHAT\n", "memprof fail\n",
     "exit status 3"),
    ("a diagnostic not described", "docs/man/memprof-check.1.scd", "*bad*", "*worse*", "lacks *bad*"),
    ("another severity", "docs/man/memprof-check.1.scd", "error,", "note,", "lacks *bad*"),
    ("a format not listed", "README.md", "| `x` |", "| `y` |", "formats table"),
    ("a format's ending not listed", "README.md", "`.x`", "`.z`", "formats table"),
    ("a link to no file", "README.md", "manual.md", "manuals.md", "there is no docs/manuals.md"),
    ("a link to no heading", "README.md", "#all", "#errors", "no such heading"),
    ("no test command", "README.md", "<!-- ci: test -->", "", "expected build and test"),
]


def self_test():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        memprof = os.path.join(folder, "fake-memprof")
        with open(memprof, "w", encoding="utf-8") as file:
            file.write(FAKE)
        os.chmod(memprof, 0o755)

        def checked(fault):
            root = tempfile.mkdtemp(dir=folder)
            files = {"README.md": README, "docs/manual.md": MANUAL,
                     "docs/man/memprof-show.1.scd": PAGE,
                     "docs/man/memprof-check.1.scd": CHECK,
                     "include/memprof/diagnostics.def": DEFINITION, "samples/a.oemp": ""}
            if fault:
                assert fault[2] in files[fault[1]], fault
                files[fault[1]] = files[fault[1]].replace(fault[2], fault[3], 1)
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return root, run(memprof, root, False).failures

        _, failures = checked(None)
        if failures:
            wrong += 1
            print("self-test: complains without a fault:", *failures, sep="\n  ")
        for fault in FAULTS:
            root, failures = checked(fault)
            if not any(fault[4] in failure for failure in failures):
                wrong += 1
                print(f"self-test: {fault[0]} is not found; found: {failures}")
        # recording corrects a wrong output
        root, _ = checked(FAULTS[0])
        run(memprof, root, True)
        if run(memprof, root, False).failures:
            wrong += 1
            print("self-test: recording does not mend an output")
    print(f"examples.py: self-test, {len(FAULTS) + 2} cases, {wrong} wrong")
    return 1 if wrong else 0


def main():
    options = claims.arguments(__doc__, self_test, root={"default": "."}, record=bool)
    if options.record:
        run(options.memprof, options.root, True, contract=False)
    result = run(options.memprof, options.root, False)
    for failure in result.failures:
        print(failure)
    print(f"examples.py: {result.count} examples run, {len(result.failures)} wrong")
    return 1 if result.failures or not result.count else 0


if __name__ == "__main__":
    sys.exit(main())
