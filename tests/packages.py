#!/usr/bin/env python3
"""Debian packages made from a build by cpack.

  tests/packages.py BUILD make           into BUILD/packages
  tests/packages.py BUILD lintian        lintian reports no error and no warning
  tests/packages.py BUILD bare-root      dpkg installs the program into a root that contains only the
                                         packages it depends on, where it reads a sample
  tests/packages.py BUILD reproducible   a copy of the sources, built in another folder and time zone,
                                         gives the same bytes: packages and static program

Exit status 1: faults were found; 77: cannot be tested here.
"""
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from roots import become_root, skip

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "samples/shop-v2.oemp"
TOOLS = {"dpkg": "dpkg", "dpkg-deb": "dpkg", "dpkg-shlibdeps": "dpkg-dev", "strip": "binutils",
         "lintian": "lintian"}


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            skip(f"{tool} (Debian: {TOOLS[tool]}) is not installed")


def run(*command, **others):
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, check=False, **others)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def cached(build, name):
    """Return a value of the build's CMake cache."""
    for line in (build / "CMakeCache.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(name + ":"):
            return line.partition("=")[2]
    return ""


def packages(folder):
    """Return the packages in the folder, by name."""
    return {path.name.partition("_")[0]: path for path in sorted(folder.glob("*.deb"))}


def field(package, name):
    return run("dpkg-deb", "--field", package, name).strip()


def make(build):
    if cached(build, "MEMPROF_SANITIZE") == "ON":
        skip("a build with sanitizers is not for packages")
    need("dpkg", "dpkg-deb", "dpkg-shlibdeps", "strip")
    shutil.rmtree(build / "packages", ignore_errors=True)
    run("cpack", "-B", build / "packages", cwd=build)
    made = packages(build / "packages")
    names = [name for name in made if re.fullmatch(r"memprof|libmemprof\d+|libmemprof-dev", name)]
    if len(names) != 3 or len(made) != 3:
        sys.exit(f"made: {', '.join(made)}")
    pages = "memprof.1.gz" in run("dpkg-deb", "--contents", made["memprof"])
    if cached(build, "SCDOC") and not cached(build, "SCDOC").endswith("NOTFOUND") and not pages:
        sys.exit("the package has no manual page")
    print(f"{', '.join(path.name for path in made.values())}")


def made_packages(build):
    made = packages(build / "packages")
    if not made:
        skip("there are no packages")
    return made


def lintian(build):
    made = made_packages(build)
    need("lintian")
    pages = [] if cached(build, "SCDOC").endswith("scdoc") else ["--suppress-tags", "no-manual-page"]
    run("lintian", "--allow-root", "--fail-on", "error,warning", *pages, *made.values())
    print(f"lintian says nothing against {len(made)} packages")


def installed(name):
    """Return true if this system has the package; otherwise tests that depend on it are skipped."""
    done = subprocess.run(["dpkg-query", "--show", "--showformat", "${db:Status-Status}", name],
                          capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout == "installed"


def closure(package):
    """Return the direct and indirect dependencies of a package file, in the versions of this system."""
    wanted, found = [field(package, "Depends")], set()
    while wanted:
        for choice in wanted.pop().split(","):
            names = [re.sub(r"[ (:].*", "", name.strip()) for name in choice.split("|")]
            here = [name for name in names if name and installed(name)]
            if not here and any(names):
                skip(f"this system has none of the packages {choice.strip()}")
            if here and here[0] not in found:
                found.add(here[0])
                wanted.append(run("dpkg-query", "--show", "--showformat", "${Depends},${Pre-Depends}",
                                  here[0]))
    return sorted(found)


def bare(root, names):
    """Make a root with the shared libraries of packages that its dpkg counts as installed."""
    for folder in "lib", "lib64":
        (root / "usr" / folder).mkdir(parents=True)
        (root / folder).symlink_to(f"usr/{folder}")
    database = root / "var/lib/dpkg"
    for folder in "info", "updates":
        (database / folder).mkdir(parents=True)
    (database / "status").write_text("\n".join(run("dpkg-query", "--status", name) for name in names),
                                     encoding="utf-8")
    for name in names:
        for path in run("dpkg-query", "--listfiles", name).splitlines():
            if re.search(r"\.so(\.|$)", path) and "/gconv/" not in path and os.path.isfile(path):
                to = root / path.lstrip("/")
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to, follow_symlinks=False)
        # dpkg needs the list of files of each package, but nothing reads it
        kind = run("dpkg-query", "--show", "--showformat", "${Multi-Arch} ${Architecture}", name).split()
        suffix = f":{kind[1]}" if kind[0] == "same" else ""
        (database / "info" / f"{name}{suffix}.list").write_text("", encoding="utf-8")


def bare_root(build):
    made = made_packages(build)
    become_root()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        root = folder / "root"
        names = closure(made["memprof"])
        bare(root, names)
        path = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        run("dpkg", f"--root={root}", f"--log={folder}/log", "--install", made["memprof"], env=path)
        shutil.copy(SAMPLE, root)
        said = run("/usr/bin/memprof", SAMPLE.name, env={}, preexec_fn=lambda: os.chroot(root) or os.chdir("/"))
        wanted = run(build / "memprof", SAMPLE.name, cwd=SAMPLE.parent, env={})
        if said != wanted:
            sys.exit(f"in a bare root the program says\n{said}\nand not\n{wanted}")
    print(f"installed with {', '.join(names)}, the program reads a sample")


def reproducible(build):
    made = made_packages(build)
    if cached(build, "CMAKE_BUILD_TYPE") not in ("", "Release"):
        skip("builds for debugging name their folders")
    with tempfile.TemporaryDirectory(prefix="a-folder-of-another-length-") as folder:
        copy = pathlib.Path(folder) / "sources/of/memprof"
        copy.mkdir(parents=True)
        for name in "CMakeLists.txt", "LICENSE":
            shutil.copy(ROOT / name, copy)
        # other folders, such as `tests`, are not needed to build the installed files
        for name in "cmake", "docs", "include", "samples", "src", "tools":
            shutil.copytree(ROOT / name, copy / name)
        other = pathlib.Path(folder) / "b"
        os.environ["TZ"] = "Asia/Tokyo"
        same = [f"-D{name}={cached(build, name)}" for name in
                ("CMAKE_BUILD_TYPE", "CMAKE_C_COMPILER", "CMAKE_C_FLAGS", "MEMPROF_STATIC",
                 "MEMPROF_MAINTAINER")]
        run("cmake", "-S", copy, "-B", other, "-G", cached(build, "CMAKE_GENERATOR"),
            "-DMEMPROF_TESTS=OFF", *same)
        jobs = f"-j{os.cpu_count()}"
        run("cmake", "--build", other, jobs)
        run("cpack", "-B", other / "packages", cwd=other)
        pairs = list(zip(made.values(), packages(other / "packages").values(), strict=True))
        if (build / "memprof-static").exists():
            run("cmake", "--build", other, "--target", "memprof-static", jobs)
            pairs.append((build / "memprof-static", other / "memprof-static"))
        for one, two in pairs:
            if not filecmp.cmp(one, two, shallow=False):
                kept = build / "packages/differs"
                kept.mkdir(exist_ok=True)
                shutil.copy(two, kept)
                sys.exit(f"{one} and {kept / two.name} differ")
    print(f"{len(pairs)} files have the same bytes when they are built in another folder")


ACTIONS = {"make": make, "lintian": lintian, "bare-root": bare_root, "reproducible": reproducible}

if __name__ == "__main__":
    ACTIONS[sys.argv[2]](pathlib.Path(sys.argv[1]).resolve())
