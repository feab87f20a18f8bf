#!/usr/bin/env python3
"""Check the hardening of built files, as checksec does.

  tests/hardening.py [--fortified] FILE...       programs, shared libraries (.so), archives (.a)
  tests/hardening.py --state FILE.a              check the global variables of an archive
  tests/hardening.py --self-test --compiler CC

In terms of ELF: a program is a position-independent executable, its tables are read-only before it starts
(GNU_RELRO with BIND_NOW), no segment is both writable and executable, the stack is not executable, and there
are stack canaries; with --fortified, calls are checked. On x86, objects of an archive are marked for IBT and
SHSTK; for a whole program, this depends on its C library. Without readelf the exit status is 77.
"""
import argparse
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

from roots import skip


def readelf(path, *options):
    return subprocess.run(["readelf", "--wide", *options, path], capture_output=True, text=True,
                          check=True).stdout


def of_archive(path):
    """Return the number of objects in an archive that lack the marks of x86. Nothing else is required of
    objects."""
    if platform.machine() != "x86_64":
        return []
    said = readelf(path, "--notes", "--file-header")
    objects, marked = len(re.findall(r"^ELF Header:", said, re.M)), len(re.findall(r"IBT, SHSTK", said))
    return [] if objects and marked == objects else [f"{objects - marked} of {objects} objects have no IBT, SHSTK"]


def of_program(path, library, fortified):
    wrong = []
    header, segments, dynamic = (readelf(path, one) for one in
                                 ("--file-header", "--program-headers", "--dynamic"))
    symbols = readelf(path, "--syms")
    static = "INTERP" not in segments and not library
    if not re.search(r"Type:\s+DYN", header):
        wrong.append("is not position-independent")
    if not library and not static and not re.search(r"FLAGS_1.*\bPIE\b", dynamic):
        wrong.append("is no PIE")
    if "GNU_RELRO" not in segments:
        wrong.append("has no GNU_RELRO")
    if not re.search(r"BIND_NOW|FLAGS_1.*\bNOW\b", dynamic):
        wrong.append("is not bound at its start")
    stack = re.search(r"GNU_STACK.*?\s([R ][W ][E ])\s+0x\w+$", segments, re.M)
    if not stack or "E" in stack.group(1):
        wrong.append("has a stack that is code")
    loads = re.findall(r"^\s*LOAD.*?\s([R ][W ][E ])\s+0x\w+$", segments, re.M)
    if not loads or any("W" in flags and "E" in flags for flags in loads):
        wrong.append("has code that can be written to")
    if not any(flags == "R  " for flags in loads):
        wrong.append("has constants among its code")
    if re.search(r"\b(RPATH|RUNPATH|TEXTREL)\b", dynamic):
        wrong.append("has a path of libraries, or text that is relocated")
    if "__stack_chk_fail" not in symbols and not static:
        wrong.append("has no canaries")
    if fortified and not static and not re.search(r"__(mem|str|sn?printf|vsnprintf|fprintf|printf|read)\w*_chk\b",
                                                  symbols):
        wrong.append("has no checked calls")
    return wrong


def examine(path, fortified):
    if path.suffix == ".a":
        return of_archive(path)
    return of_program(path, ".so" in path.name, fortified)


# Global state that the library leaves in a process, by object file. Everything else belongs to a session.
STATE = {
    "hash.c.o": {"mp_keys", "secret"},              # hash keys, chosen once at random
    "memory.c.o": {"out_of_memory"},                # the handler that the program sets
    "late.c.o": {"lock"},                           # for loading a library once
    "libarchive.c.o": {"mp_la", "library"},         # functions of the library
    "protobuf.c.o": {"mp_pb", "library"},
    "sqlite.c.o": {"mp_sqlite_api", "sqlite", "library", "once"},
    "zlib.c.o": {"mp_z", "library"},
    "json.c.o": {"is_ours", "lock", "users"},       # set while any session uses jansson with our allocator
    "output.c.o": {"named", "count"},               # unfinished files, which a signal handler removes
}


def state_of(path):
    """Return variables that are neither constant nor listed; objdump names the section of each."""
    said = subprocess.run(["objdump", "--syms", path], capture_output=True, text=True, check=True).stdout
    found, member = {}, None
    for line in said.splitlines():
        if "file format" in line:
            member = line.partition(":")[0]
        row = re.match(r"[0-9a-f]+ .{7} (\.t?(?:bss|data)\S*)\t\S+ +(?:\.hidden )?(\S+)$", line)
        if row and not row[1].startswith(".data.rel.ro") and not row[2].startswith("."):
            found.setdefault(member, set()).add(row[2].partition(".")[0])
    wrong = [f"{member}: {name} outlives the session" for member, names in found.items()
             for name in sorted(names - STATE.get(member, set()))]
    return wrong + [f"{member}: {name} is no variable any more" for member, names in STATE.items()
                    for name in sorted(names - found.get(member, set()))]


def self_test(compiler):
    """Files built without hardening are detected."""
    flags = ["-O2", "-no-pie", "-fno-stack-protector", "-fcf-protection=none", "-U_FORTIFY_SOURCE",
             "-Wl,-z,norelro,-z,lazy,-z,execstack,-z,noseparate-code"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "a.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
        subprocess.run([compiler, *flags, folder / "a.c", "-o", folder / "a"], check=True)
        subprocess.run([compiler, *flags[:-1], "-c", folder / "a.c", "-o", folder / "a.o"], check=True)
        subprocess.run(["ar", "rc", folder / "a.a", folder / "a.o"], check=True)
        found = examine(folder / "a", True)
        for what in ("position-independent", "no PIE", "GNU_RELRO", "bound", "stack that is code",
                     "constants among", "canaries", "checked calls"):
            if not any(what in one for one in found):
                sys.exit(f"not found out: {what}: {found}")
        if platform.machine() == "x86_64" and not examine(folder / "a.a", True):
            sys.exit("not found out: objects without marks")
        (folder / "b.c").write_text("static int hidden, once; const char *const name = \"\"; "
                                    "int *place(void) { return once ? &hidden : &once; }\n", encoding="utf-8")
        subprocess.run([compiler, "-fPIC", "-c", folder / "b.c", "-o", folder / "b.o"], check=True)
        subprocess.run(["ar", "rc", folder / "b.a", folder / "b.o"], check=True)
        if state_of(folder / "b.a")[:2] != ["b.o: hidden outlives the session", "b.o: once outlives the session"]:
            sys.exit("not found out: a variable that outlives the session")
    print("all that is missing is found out")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--fortified", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--compiler")
    parser.add_argument("--state", action="store_true")
    options = parser.parse_args()
    if not shutil.which("readelf"):
        skip("there is no readelf (binutils)")
    if options.self_test:
        self_test(options.compiler)
        return
    wrong = [f"{path.name}: {one}" for path in options.files for one in (state_of(path) if options.state else examine(path, options.fortified))]
    for line in wrong:
        print(line)
    print(f"{len(options.files)} files, {len(wrong)} lacks")
    sys.exit(1 if wrong or not options.files else 0)


if __name__ == "__main__":
    main()
