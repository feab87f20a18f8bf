#!/usr/bin/env python3
"""Failures of allocations and system calls, at any single place.

  tests/faults.py --memprof PROGRAM --shim LIBRARY [--sample N] [--case NAME] [--call NAME]

For each command line below and each kind of call, a run without a fault counts the calls. Then a run for each
call makes that call fail (tests/faults/shim.c). If there are more calls than --sample, the first, the last and
some in between are chosen; --sample 0: all.

Two command lines run on a terminal, where a key or a signal ends them. They must restore the terminal.

A run must end by itself. Either its output is the same as without the fault, or it prints an error and its
status is 3 (2 if an argument is at fault). The output file is the old one or, if the run succeeded, the new
one. Nothing else is left, and inputs are unchanged. On failure, print a line for each fault and exit with 1.
"""
import bz2
import concurrent.futures
import errno
import fcntl
import gzip
import lzma
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import termios
import time
import zipfile

import claims
from roots import skip

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
OLD = b"what was there before\n"
SECONDS = 60
TARGET = "target.baseline"
# Calls, and the ways in which they fail.
FAULTS = {
    "malloc": [errno.ENOMEM],
    "read": [errno.EIO, errno.EINTR, "short"],
    "pread64": [errno.EIO, errno.EINTR, "short"],
    "write": [errno.ENOSPC, errno.EIO, errno.EINTR, "short"],
    "pwrite64": [errno.ENOSPC, errno.EIO, errno.EINTR, "short"],
    "openat": [errno.EMFILE, errno.EACCES, errno.EINTR],
    "close": [errno.EIO, errno.EINTR],
    "fsync": [errno.EIO, errno.ENOSPC],
    "rename": [errno.EIO, errno.EXDEV],
    "linkat": [errno.EIO, errno.EPERM],
    "mmap": [errno.ENOMEM],
    "lseek": [errno.EIO],
    "newfstatat": [errno.EIO, errno.EACCES, errno.ESTALE],
    "fcntl": [errno.EMFILE],
    "fchmod": [errno.EPERM],
    "ftruncate": [errno.EIO],
    "getdents64": [errno.EIO],
    "eventfd2": [errno.EMFILE],
    "signalfd4": [errno.EMFILE],
    "inotify_init1": [errno.EMFILE],
    "inotify_add_watch": [errno.ENOSPC],
    "thread": [errno.EAGAIN],
}
# Command lines, run in a folder with copies of all samples.
CASES = {
    "oemp": ["analyze", "shop-v2.oemp"],
    "oemp-v1": ["leaks", "shop-v1.oemp"],
    "prf": ["analyze", "shop-v4.prf"],
    "rpt": ["top", "shop-new.rpt"],
    "taligent": ["analyze", "shop.taligent"],
    "analysis": ["analyze", "shop-analysis.taligent"],
    "dump": ["analyze", "shop-3.gclog"],
    "database": ["analyze", "shop-aqtime.sqlite"],
    "pipe": ["leaks", "-"],
    "pipe-database": ["top", "-"],
    "json": ["top", "shop-v2.oemp", "--format", "json", "-o", TARGET],
    "csv": ["leaks", "shop-v2.oemp", "--format", "csv"],
    "junit": ["gate", "shop.policy", "shop-v2.oemp", "--format", "junit", "-o", TARGET],
    "pr": ["gate", "shop.policy", "shop-v2.oemp", "--base", "shop-v1.oemp", "--format", "pr"],
    "chart": ["treemap", "shop-v2.oemp", "--chart", TARGET],
    "html": ["analyze", "shop-v2.oemp", "--format", "html", "-o", TARGET],
    "html-growth": ["growth", "shop-v2.oemp", "--format", "html", "-o", TARGET],
    "html-profile": ["analyze", "shop-v4.prf", "--format", "html"],
    "flame": ["flame", "shop-v2.oemp", "--format", "svg", "-o", TARGET],
    "flame-change": ["flame", "shop-v2.oemp", "--base", "shop-v2.oemp@4", "--of", "alive", "--format", "svg"],
    "speedscope": ["flame", "shop.taligent", "--format", "speedscope"],
    "snapshots": ["snapshots", "shop-v2.oemp", "--format", "svg"],
    "timeline": ["timeline", "shop-v3.prf", "--format", "svg"],
    "requests": ["requests", "shop-requests-AS1.oemp"],
    "packed": ["leaks", "shop.oemp.gz"],
    "packed-xz": ["leaks", "shop.oemp.xz"],
    "packed-bz2": ["leaks", "shop.oemp.bz2"],
    "packed-zip": ["top", "shop.zip"],
    "archive": ["analyze", "parts.tar"],
    "encoding": ["analyze", "shop-latin1-v1.oemp", "--encoding", "CP1252"],
    "wide": ["leaks", "wide.oemp"],
    "against": ["check", "shop-v2.oemp", "--against", "store/shop-v2.baseline"],
    "watch": ["watch", "--until-exit", "--format", "csv", "shop-v2.oemp"],
    "watch-limit": ["watch", "--until-exit", "--max-growth", "1", "shop-v2.oemp"],
    "markdown": ["growth", "shop-v2.oemp", "--format", "markdown"],
    "diff": ["diff", "shop-agent-AS1.oemp", "shop-agent-AS2.oemp"],
    "folder": ["top", "parts", "--jobs", "2"],
    "trend": ["trend", "parts"],
    "check": ["check", "shop-damaged.taligent"],
    "dominators": ["dominators", "shop-3.gclog"],
    "retained": ["retained", "shop-3.gclog"],
    "waste": ["waste", "shop-3.hprof"],
    "lifetimes": ["lifetimes", "shop.taligent"],
    "calls": ["calls", "shop-v4.prf", "--format", "json"],
    "coverage": ["coverage", "shop-v4.prf", "--to", "cobertura", "-o", TARGET],
    "annotate": ["annotate", "shop-v2.oemp", "shop.OrderService", "--sources", "sources"],
    "sql": ["sql", "shop-3.gclog", "select type, count(*) from objects group by type"],
    "suppressions": ["leaks", "shop-v2.oemp", "--suppress", "shop.suppressions", "--format", "suppressions",
                     "-o", TARGET],
    "save": ["baseline", "save", "shop-v2.oemp", "--store", ".", "--as", "target"],
    "judge": ["baseline", "check", "shop-v2.oemp", "--store", "store"],
    "export": ["export", "--to", "aqtime", "shop-v2.oemp", "-o", TARGET],
    "export-dump": ["export", "--to", "aqtime", "shop-3.gclog", "-o", TARGET],
    "pprof": ["export", "--to", "pprof", "shop-v2.oemp", "-o", TARGET],
    "heapsnapshot": ["export", "--to", "heapsnapshot", "shop-3.gclog", "-o", TARGET],
    "dhat": ["export", "--to", "dhat", "shop.taligent", "-o", TARGET],
    "ndjson": ["export", "--to", "ndjson", "shop-v2.oemp", "-o", TARGET],
    "clickhouse": ["export", "--to", "clickhouse", "--table", "sites", "shop-v2.oemp", "-o", TARGET],
    "trace": ["export", "--to", "trace", "shop-v4.prf", "-o", TARGET],
    "callgrind": ["export", "--to", "callgrind", "shop-v4.prf", "-o", TARGET],
    "openmetrics": ["export", "--to", "openmetrics", "shop-v2.oemp", "-o", TARGET],
    "dot": ["export", "--to", "dot", "shop-3.gclog", "-o", TARGET],
    "massif": ["export", "--to", "massif", "shop.taligent", "-o", TARGET],
    "matching": ["leaks", "shop-v2.oemp", "--stack", "~Price.*", "--format", "json"],
    "formats": ["formats"],
    "browse": ["browse", "shop-v2.oemp"],
    "browse-ended": ["browse", "shop-v2.oemp"],
    "help": ["top", "--help"],
}
ON_TERMINAL = {"browse": b"Q", "browse-ended": b""}  # the keys that end the command; none: SIGTERM
STDIN = {"pipe": "shop-v2.oemp", "pipe-database": "shop-aqtime.sqlite"}
ENTERED, LEFT = b"\x1b[?1049h", b"\x1b[?1049l"  # xterm's alternate screen
# Messages of libraries that load files: if they have no memory or are interrupted, they say that the file
# does not exist. The C library loads encodings, ncurses loads terminals.
LOADED = {"encoding": b"the name is unknown", **dict.fromkeys(ON_TERMINAL, b"this terminal cannot show it")}


class Work:
    """A folder of copies, used by one run at a time."""

    def __init__(self, folder, program, shim):
        self.folder, self.program, self.shim = folder, program, shim
        for path in SAMPLES.iterdir():
            if path.is_file():
                shutil.copy(path, folder)
        shutil.copytree(SAMPLES / "sources", folder / "sources")
        (folder / "parts").mkdir()
        for name in "shop-agent-AS1.oemp", "shop-agent-AS2.oemp", "shop-v2.oemp":
            shutil.copy(SAMPLES / name, folder / "parts")
        sample = (SAMPLES / "shop-v2.oemp").read_bytes()
        (folder / "shop.oemp.gz").write_bytes(gzip.compress(sample, mtime=0))
        (folder / "shop.oemp.bz2").write_bytes(bz2.compress(sample))
        (folder / "shop.oemp.xz").write_bytes(lzma.compress(sample))
        with zipfile.ZipFile(folder / "shop.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo("shop.oemp", (2026, 3, 2, 0, 0, 0)), sample)
        (folder / "wide.oemp").write_bytes(sample.decode().encode("utf-16"))
        with tarfile.open(folder / "parts.tar", "w") as archive:
            archive.add(folder / "parts", "parts")
        subprocess.run([program, "baseline", "save", "shop-v2.oemp", "--store", "store"], cwd=folder,
                       env=self.environment(), capture_output=True, check=True)
        self.before = self.content()

    @staticmethod
    def environment(**variables):
        return {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MEMPROF_NO_CONFIG": "1", "TZ": "UTC",
                **variables}

    def content(self):
        """Return the contents of all files but the target."""
        return {str(path.relative_to(self.folder)): path.read_bytes()
                for path in self.folder.rglob("*") if path.is_file() and path.name != TARGET}

    def run_on_terminal(self, words, keys, **how):
        """Like subprocess.run, except for standard output, which says what is wrong with the terminal."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        before, seen, began, ended = termios.tcgetattr(theirs), b"", time.monotonic(), bool(keys)
        os.write(ours, keys)
        with tempfile.TemporaryFile() as said, \
             subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=said, start_new_session=True, **how) as process:
            while process.poll() is None or select.select([ours], [], [], 0)[0]:
                if select.select([ours], [], [], 0.02)[0]:
                    seen += os.read(ours, 1 << 16)
                lasts = time.monotonic() - began
                if process.poll() is None and not ended and (ENTERED in seen or lasts > 2):
                    process.terminate()
                    ended = True
                if process.poll() is None and lasts > SECONDS:
                    process.kill()
            said.seek(0)
            after = termios.tcgetattr(theirs)
            os.close(ours)
            os.close(theirs)
            wrong = b"" if after == before else b"its settings are others"
            if seen.count(ENTERED) != seen.count(LEFT):
                wrong += b"its screen is not the usual one"
            status = 0 if not keys and process.returncode == -signal.SIGTERM else process.returncode
            return subprocess.CompletedProcess(words, status, wrong, said.read())

    def run(self, case, fault, count=None):
        """Return the status, standard output and error, and the contents of the target."""
        target, stdin = self.folder / TARGET, STDIN.get(case)
        if case == "save":
            target.unlink(missing_ok=True)
        else:
            target.write_bytes(OLD)
        variables = {"LD_PRELOAD": str(self.shim), "MEMPROF_FAULT": fault}
        if count is not None:
            variables["MEMPROF_FAULT_COUNT"] = str(count)
        how = {"cwd": self.folder, "env": self.environment(**variables),
               "pass_fds": [count] if count is not None else []}
        words = [self.program, *CASES[case]]
        with open(self.folder / stdin if stdin else os.devnull, "rb") as source:
            try:
                if case in ON_TERMINAL:
                    how["env"]["TERM"] = "xterm"
                    # a program that is ended by a signal reports no number of calls
                    done = self.run_on_terminal(words, ON_TERMINAL[case] if count is None else b"Q", **how)
                else:  # use a real pipe, which cannot be read twice
                    done = subprocess.run(words, capture_output=True, timeout=SECONDS, check=False, **how,
                                          **({"input": source.read()} if stdin else {"stdin": source}))
            except subprocess.TimeoutExpired:
                return None, b"", b"does not end", None
        seen = target.read_bytes() if target.exists() else None
        return done.returncode, done.stdout, done.stderr, seen

    def count(self, case, call):
        """Return the number of calls without a fault, and the output."""
        reading, writing = os.pipe()
        said = self.run(case, f"{call}:0:0", writing)
        os.close(writing)
        with os.fdopen(reading) as source:
            return int(source.read() or 0), said


def breach(case, call, how, usual, seen):
    """Return what is wrong with such a run, or None."""
    status, out, err, target = seen
    before = None if case == "save" else OLD
    if status is None or status < 0 or status > 3:
        return "does not end well"
    if case in ON_TERMINAL:
        if out and call != "write":  # output that cannot be written cannot be compared
            return f"leaves the terminal as it was not: {out.decode()}"
        out = usual[1]
    if case == "watch" and how == errno.ESTALE and status == 3:
        return "does not wait for the file that takes its place"
    if status == usual[0] and status != 3:
        doubted = b"figures may be incomplete" in out and b"warning: " in err  # the answer says so itself
        if not doubted and (out, target) != (usual[1], usual[3]):
            return "says something else, and no error"
        return None
    if case in LOADED and LOADED[case] in err:
        return None if status == 2 and target == before and how != "short" else "fails in another way"
    if how == "short" or (how == errno.EINTR and call in ("read", "pread64", "pwrite64")):
        return "is no fault, and an error"
    if status not in (2, 3):
        return "has another status than 2 or 3"
    # An answer about the readable inputs is allowed if it reports the others.
    if target not in (before, usual[3]) and b"cannot read" not in err:
        return "leaves half a file"
    if call == "write" or usual[0] == 3:
        return None  # the message itself may have failed
    told = b"error: " in err or b"memprof: " in err
    if call == "malloc":
        told = told and any(words in err for words in (b"out of memory", b": Cannot allocate memory",
                                                       b"there is no other thread"))
    return None if told else "tells no error"


def chosen(count, sample):
    """Choose some of the calls: the first, the last, and some in between."""
    if not sample or count <= sample:
        return range(1, count + 1)
    third = max(sample // 3, 1)
    step = max((count - 2 * third) // max(sample - 2 * third, 1), 1)
    return sorted({*range(1, third + 1), *range(third + 1, count - third + 1, step),
                   *range(count - third + 1, count + 1)})


def main():
    options = claims.arguments(__doc__, shim=pathlib.Path, sample=3, case=str, call=str)
    if not options.shim or not options.shim.exists():
        skip("the shim is for x86-64, and for builds without sanitizers")
    program, shim = pathlib.Path(options.memprof), options.shim.resolve()
    runs, calls, wrong = 0, 0, 0

    def breached(what):
        nonlocal wrong
        wrong += 1
        print(what, flush=True)

    def trial(case, base):
        nonlocal runs, calls
        with tempfile.TemporaryDirectory(dir=base) as folder:
            work = Work(pathlib.Path(folder), program, shim)
            for call, ways in FAULTS.items():
                if options.call not in (None, call):
                    continue
                count, usual = work.count(case, call)
                if case in ON_TERMINAL and b"built without a screen" in usual[2]:
                    return
                calls += count
                if usual[0] is None or usual[0] < 0 or (usual[0] > 1 and case != "check"):
                    breached(f"{case}: without a fault: {usual[0]} {usual[2].decode()}")
                    return
                for how in ways:
                    for number in chosen(count, options.sample):
                        seen = work.run(case, f"{call}:{number}:{how}")
                        runs += 1
                        why = breach(case, call, how, usual, seen)
                        if why:
                            name = errno.errorcode.get(how, how)
                            breached(f"{case}: {call} {number} of {count}, {name}: {why}: status {seen[0]}, "
                                         f"{seen[2].decode(errors='replace')[-300:]!r}")
                after = work.content()
                if after != work.before:
                    names = {n for n in {*after, *work.before} if after.get(n) != work.before.get(n)}
                    breached(f"{case}: {call}: made or changed {sorted(names)}")
                    work.before = after

    with tempfile.TemporaryDirectory() as base, concurrent.futures.ThreadPoolExecutor(2) as pool:
        cases = [options.case] if options.case else CASES
        for done in [pool.submit(trial, case, base) for case in cases]:
            done.result()
    if not calls:
        skip("nothing is loaded before a program without shared libraries")
    print(f"{len(cases)} command lines, {calls} calls, {runs} runs with a fault, {wrong} breaches")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
