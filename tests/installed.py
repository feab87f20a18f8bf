#!/usr/bin/env python3
"""Install memprof into an empty folder, and build a program against what lies there.

  tests/installed.py BUILD   exit 1 and what went wrong

The program is linked by pkg-config with each compiler at hand, since the archive must suit them all,
and by CMake's find_package. It must say the version of the library.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """#include <stdio.h>
#include <memprof/memprof.h>
int main(void)
{
    size_t count;
    mp_model *model = mp_model_new();
    mp_readers(&count);
    mp_model_free(model);
    puts(mp_version());
    return count == 0;
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(memprof 0.1 REQUIRED)
add_executable(user user.c)
target_link_libraries(user PRIVATE memprof::libmemprof)
"""


def run(*command, **others):
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **others)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout.strip()


def cached(build, name):
    """A value of the build's CMake cache."""
    for line in (build / "CMakeCache.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(name + ":"):
            return line.partition("=")[2]
    return ""


def main(build):
    sanitized = cached(build, "MEMPROF_SANITIZE") == "ON"
    extra = ["-fsanitize=address,undefined"] if sanitized else []
    own = cached(build, "CMAKE_C_COMPILER")
    # Sanitized code needs the runtime of its own compiler.
    compilers = [own] if sanitized else [c for c in ("gcc", "clang", "cc") if shutil.which(c)]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "user.c").write_text(PROGRAM, encoding="utf-8")
        (folder / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        root = folder / "installed"
        run("cmake", "--install", build, "--prefix", root)
        version = run(root / "bin/memprof", "--version").removeprefix("memprof ")
        files = [*root.rglob("memprof.pc")]
        if len(files) != 1:
            sys.exit(f"{files}: one memprof.pc is wanted")
        env = {**os.environ, "PKG_CONFIG_PATH": str(files[0].parent)}
        flags = run("pkg-config", "--static", "--cflags", "--libs", "memprof", env=env).split()
        for compiler in compilers:
            program = folder / "by-pkg-config"
            run(compiler, "-std=c11", folder / "user.c", *flags, *extra, "-o", program)
            if run(program) != version:
                sys.exit(f"linked by {compiler}, the library has another version")
        run("cmake", "-S", folder, "-B", folder / "built", f"-DCMAKE_PREFIX_PATH={root}",
            f"-DCMAKE_C_COMPILER={own}", f"-DCMAKE_C_FLAGS={' '.join(extra)}")
        run("cmake", "--build", folder / "built")
        if run(folder / "built/user") != version:
            sys.exit("linked by find_package, the library has another version")
    print(f"memprof {version} is installed, and linked by {', '.join(compilers)} and by find_package")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
