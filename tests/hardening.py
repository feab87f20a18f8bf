#!/usr/bin/env python3
"""How what was built is hardened, as checksec would ask.

  tests/hardening.py [--fortified] FILE...       programs, shared libraries (.so), archives (.a)
  tests/hardening.py --self-test --compiler CC

The words are those of ELF: a program that is a position-independent executable, tables that are read-only
before it starts (GNU_RELRO with BIND_NOW), no segment that is written to and executed, a stack that is not
code, canaries; with --fortified, calls that are checked. Objects of an archive are marked for IBT and SHSTK
on x86: whether a program is, is for the C library that it is linked with. 77 without readelf.
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
    """Of the objects, how many lack the marks of x86; of each, nothing else is asked."""
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


def self_test(compiler):
    """What is built without any of it is found out."""
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
    print("all that is missing is found out")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--fortified", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--compiler")
    options = parser.parse_args()
    if not shutil.which("readelf"):
        skip("there is no readelf (binutils)")
    if options.self_test:
        self_test(options.compiler)
        return
    wrong = [f"{path.name}: {one}" for path in options.files for one in examine(path, options.fortified)]
    for line in wrong:
        print(line)
    print(f"{len(options.files)} files, {len(wrong)} lacks")
    sys.exit(1 if wrong or not options.files else 0)


if __name__ == "__main__":
    main()
