#!/usr/bin/env python3
"""Install memprof into an empty folder, and build a program with the installed library.

  tests/installed.py BUILD   exit 1 and the faults

The program is that of docs/library.md. It is built as C by each installed compiler, and as C++, with the
archive and with the shared library, by pkg-config and by CMake's find_package. It walks an answer and prints
it, and both must agree with the command. The same applies to tests/library/example.py, which calls the shared
library from Python. Links in the installed pages lead to installed files.

The shared library's name agrees with its soname. It exports exactly the functions that the public headers
declare.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(memprof @VERSION@ REQUIRED)
foreach(library libmemprof libmemprof-shared)
  add_executable(by-${library} user.c)
  target_link_libraries(by-${library} PRIVATE memprof::${library})
endforeach()
"""


ROOT = pathlib.Path(__file__).resolve().parent.parent
GUIDE = ROOT / "docs/library.md"
SAMPLE = ROOT / "samples/shop-v2.oemp"


def run(*command, **others):
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **others)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout.strip()


def expected(memprof, sample):
    """Return the expected output of the example, made by the command."""
    version = run(memprof, "--version")
    title = run(memprof, "leaks", sample, "--quiet").splitlines()[0]
    leaks = json.loads(run(memprof, "leaks", sample, "--limit", 3, "--format", "json"))["leaks"]
    rows = [f"{leak['bytes']:8} bytes of {leak['type']} at {leak['stack'][0]}" for leak in leaks]
    table = run(memprof, "leaks", sample, "--limit", 3, "--format", "csv")
    return "\n".join([f"{version}: {title}", *rows, "at most 1K leaked: fail", table])


def by_python(memprof, libraries):
    """Run the example in Python. Its rows are those of the command, and it reports why it has none."""
    leaks = json.loads(run(memprof, "leaks", SAMPLE, "--limit", 0, "--format", "json"))["leaks"]
    rows = [f"{leak['bytes']} bytes of {leak['type']} at {leak['stack'][0]}" for leak in leaks]
    env = {**os.environ, "LD_LIBRARY_PATH": str(libraries)}
    example = ROOT / "tests/library/example.py"
    said = run(sys.executable, example, SAMPLE, env=env).splitlines()
    if said != rows[:len(said)] or not said:
        sys.exit(f"{example} says\n{said}\nand not\n{rows}")
    failed = subprocess.run([sys.executable, example, "/nowhere"], env=env, stderr=subprocess.PIPE,
                            text=True, check=False)
    if failed.returncode != 1 or failed.stderr != "/nowhere: error: cannot open: No such file or directory\n":
        sys.exit(f"{example} of no file says {failed.stderr}")


def cached(build, name):
    """Return a value of the build's CMake cache."""
    for line in (build / "CMakeCache.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(name + ":"):
            return line.partition("=")[2]
    return ""


def exports(library):
    """Return what is wrong with the symbols or the name of the shared library."""
    declared = set()
    for header in (ROOT / "include/memprof").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
        declared |= set(re.findall(r"\b(mp_\w+)\([^;{]*\)(?: __attribute__\(.*\))?;", text))
    symbols = run("nm", "--dynamic", "--defined-only", "--format=posix", library).splitlines()
    counting = re.compile(r"(__start_|__stop_)?__llvm_|lprof")  # symbols of clang in a build that counts coverage
    exported = {symbol.split()[0] for symbol in symbols if not counting.match(symbol)}
    if declared != exported:
        sys.exit(f"exported and not declared: {exported - declared}\n"
                 f"declared and not exported: {declared - exported}")
    soname = re.search(r"SONAME.*\[(.*)\]", run("readelf", "--dynamic", library)).group(1)
    if not re.fullmatch(r"libmemprof\.so\.\d+", soname) or not (library.parent / soname).exists():
        sys.exit(f"{library}: its soname is {soname}")


def links(root):
    """Check that the links of the installed pages lead to installed files, and that other lines are unchanged."""
    pages = [*root.rglob("doc/memprof/*.md"), *root.rglob("doc/memprof/formats/*.md")]
    if len(pages) < 20:
        sys.exit(f"only {len(pages)} pages are installed")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\[[^]]*\]\(([^)#]+)[^)]*\)", text):
            if not target.startswith(("http:", "https:")) and not (page.parent / target).exists():
                sys.exit(f"{page}: no file {target}")
        source = ROOT / "docs" / page.relative_to(next(root.rglob("doc/memprof")))
        lost = [line for line in source.read_text(encoding="utf-8").splitlines()
                if "](" not in line and line not in text.splitlines()]
        if lost:
            sys.exit(f"{page} lacks {lost[0]}")


def main(build):
    sanitized = cached(build, "MEMPROF_SANITIZE") == "ON"
    extra = ["-fsanitize=address,undefined"] if sanitized else []
    own = cached(build, "CMAKE_C_COMPILER")
    # sanitized code needs the runtime of its own compiler
    compilers = [own] if sanitized else [c for c in ("gcc", "clang") if shutil.which(c)]
    ways = [(c, ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror")) for c in compilers]
    ways += [(c, ("-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-Werror"))
             for c in (["g++", "clang++"] if not sanitized else []) if shutil.which(c)]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = re.search(r"^```c\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.S | re.M).group(1)
        (folder / "user.c").write_text(program, encoding="utf-8")
        root = folder / "installed"
        run("cmake", "--install", build, "--prefix", root)
        links(root)
        wanted = expected(root / "bin/memprof", SAMPLE)
        version = wanted.split(":")[0].removeprefix("memprof ")
        (folder / "CMakeLists.txt").write_text(PROJECT.replace("@VERSION@", version), encoding="utf-8")
        files = [*root.rglob("memprof.pc")]
        if len(files) != 1:
            sys.exit(f"{files}: one memprof.pc is wanted")
        libraries = files[0].parent.parent
        exports(libraries / "libmemprof.so")
        env = {**os.environ, "PKG_CONFIG_PATH": str(files[0].parent)}
        includes = run("pkg-config", "--cflags", "memprof", env=env).split()
        shared = run("pkg-config", "--libs", "memprof", env=env).split()
        # the linker prefers the shared library, so name the archive
        archive = [flag.replace("-lmemprof", "-l:libmemprof.a")
                   for flag in run("pkg-config", "--static", "--libs", "memprof", env=env).split()]
        if not sanitized:  # its runtime would have to be loaded first
            by_python(root / "bin/memprof", libraries)
        env = {**os.environ, "LD_LIBRARY_PATH": str(libraries)}
        for compiler, options in ways:
            program = folder / "by-pkg-config"
            run(compiler, *options, "-c", folder / "user.c", *includes, *extra, "-o", folder / "user.o")
            for flags in archive, shared:
                run(compiler, folder / "user.o", *flags, *extra, "-o", program)
                if ("libmemprof.so" in run("readelf", "--dynamic", program)) != (flags is shared):
                    sys.exit(f"{compiler} {flags}: linked with the other library")
                said = run(program, SAMPLE, env=env)
                if said != wanted:
                    sys.exit(f"linked by {compiler} {flags}, the example says\n{said}\nand not\n{wanted}")
        run("cmake", "-S", folder, "-B", folder / "built", f"-DCMAKE_PREFIX_PATH={root}",
            f"-DCMAKE_C_COMPILER={own}", f"-DCMAKE_C_FLAGS={' '.join(extra)}")
        run("cmake", "--build", folder / "built")
        for library in "libmemprof", "libmemprof-shared":
            if run(folder / f"built/by-{library}", SAMPLE) != wanted:
                sys.exit(f"linked by find_package with {library}, the example says something else")
    print(f"the example is linked by {', '.join(c for c, _ in ways)} and by find_package")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
