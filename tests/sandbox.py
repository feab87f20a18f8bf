#!/usr/bin/env python3
"""The sandbox: what the kernel denies the program while it reads.

  tests/sandbox.py --memprof PROGRAM --probe LIBRARY

A preloaded library tries at the end what a hijacked program would try (tests/faults/probe.c). Each operation
must be denied, and with --no-sandbox none. All other tests run inside the sandbox, and show that the program
itself lacks nothing.
"""
import contextlib
import errno
import json
import os
import pathlib
import pty
import select
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from claims import Claims, arguments
from roots import skip
from static import LIBC, forget_new_calls

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
OFTEN = {"input": 0, "thread": 0}
FILES = {"read": errno.EACCES, "write": errno.EACCES, "make": errno.EACCES, "unlink": errno.EACCES}
CALLS = {"chmod": errno.EPERM, "chmod2": errno.EPERM, "kill": errno.EPERM, "ptrace": errno.EPERM, "fork": errno.EPERM,
         "socket": errno.EPERM, "local": errno.EPERM, "pair": errno.EPERM, "exec": errno.EPERM}
CREATE_RULESET, ASK_VERSION = 444, 1


def has_landlock(version=1):
    return LIBC.syscall(CREATE_RULESET, None, 0, ASK_VERSION) >= version


class Trials(Claims):
    def __init__(self, program, probe, folder):
        super().__init__()
        self.program, self.probe, self.folder = str(program), str(probe), folder

    def environment(self, **more):
        own = self.folder / "own"
        return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "MEMPROF_NO_CONFIG": "1", "HOME": "/nonexistent",
                "TMPDIR": str(self.folder / "temporary"), "MEMPROF_PROBE_READ": str(own / "secret"),
                "MEMPROF_PROBE_MAKE": str(own / "made"), "MEMPROF_PROBE_UNLINK": str(own / "old"),
                "MEMPROF_PROBE_INPUT": str(self.folder / "in" / "shop-v2.oemp"), **more}

    def run(self, *words, probe=True, more=None, **how):
        """Return the status, the messages, and the result of each attempt. `more`: variables of the
        environment."""
        for name in "secret", "old":
            (self.folder / "own" / name).write_text("mine\n", encoding="utf-8")
        (self.folder / "own" / "made").unlink(missing_ok=True)
        reading, writing = os.pipe()
        more = (more or {}) | ({"LD_PRELOAD": self.probe, "MEMPROF_PROBE": str(writing)} if probe else {})
        how = how if "input" in how else how | {"stdin": subprocess.DEVNULL}
        done = subprocess.run([self.program, *map(str, words)], env=self.environment(**more), check=False,
                              cwd=self.folder, capture_output=True, pass_fds=[writing], **how)
        os.close(writing)
        with os.fdopen(reading, encoding="ascii") as told:
            tried = {line.split()[0]: int(line.split()[1]) for line in told}
        return done, tried

    # --- what is denied ---

    def commands(self):
        recording = "in/shop-v2.oemp"
        return {
            "report": ["leaks", recording],
            "file": ["leaks", recording, "--output", "out/x"],
            "chart": ["growth", recording, "--chart", "out/x.svg"],
            "folder": ["top", "in"],
            "trend": ["trend", "in"],
            "export": ["export", "--to", "aqtime", recording, "--output", "out/x.sqlite"],
            "save": ["baseline", "save", recording, "--store", "out/store"],
            "check": ["baseline", "check", recording, "--store", "out/store"],
            "watch": ["watch", "--until-exit", recording],
        }

    def denied(self):
        expected = {**OFTEN, **(FILES if has_landlock() else {}), **CALLS,
                    **({"truncate": errno.EACCES} if has_landlock(3) else {})}
        for name, words in self.commands().items():
            done, tried = self.run(*words)
            self.claim(done.returncode == 0, f"{name} works inside", done)
            for what, error in expected.items():
                self.claim(tried.get(what) == error, f"{name}: {what} gives {error}", tried)
            own = sorted(path.name for path in (self.folder / "own").iterdir())
            if has_landlock():
                self.claim(own == ["old", "secret"], f"{name} leaves other files alone", own)

    def decoded(self):
        """Compressed data and archives are decoded inside the sandbox, however they are found."""
        packed = self.folder / "packed"
        packed.mkdir()
        with zipfile.ZipFile(packed / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(SAMPLES / "shop-v2.oemp", "shop-v2.oemp")
        with tarfile.open(packed / "a.tar.lzma", "w:xz") as archive:
            archive.add(SAMPLES / "shop-v2.oemp", "shop-v2.oemp")
        (self.folder / "all.policy").write_text("leaked <= 1 GiB\n", encoding="ascii")
        for kind in "zip", "lzma":
            path, = packed.glob(f"*.{kind}")
            for words in (["leaks", path], ["gate", "all.policy", path], ["top", packed, "--recursive"],
                          ["trend", packed, "--recursive"],
                          ["baseline", "save", path, "--store", "out/store"], ["info", path]):
                done, tried = self.run(*words)
                self.claim(done.returncode == 0 and (not has_landlock() or tried.get(kind) == errno.EACCES),
                           f"{words[0]} decodes {path.name} inside", done, tried)
        policy = ["gate", "all.policy", "in/shop-v2.oemp"]
        inside, outside = self.run(*policy)[0], self.run(*policy, "--no-sandbox", probe=False)[0]
        self.claim((inside.returncode, inside.stdout) == (0, outside.stdout), "a policy is read inside", inside)

    def free(self):
        done, tried = self.run("leaks", "in/shop-v2.oemp", "--no-sandbox")
        self.claim(done.returncode == 0 and tried and not any(tried.values()) and "exec" not in tried,
                   "with --no-sandbox nothing is denied", tried)

    def same(self):
        """An answer is the same inside and outside of the sandbox, and an old kernel is not an error."""
        for words in self.commands().values():
            inside = self.run(*words, probe=False)[0]
            outside = self.run(*words, "--no-sandbox", probe=False)[0]
            old = self.run(*words, probe=False, preexec_fn=forget_new_calls)[0]
            for other in outside, old:
                self.claim((inside.returncode, inside.stdout, inside.stderr) ==
                           (other.returncode, other.stdout, other.stderr), "inside and outside", inside, other)

    def told(self):
        done = self.run("--version", "--verbose", probe=False)[0]
        able = "denied" if has_landlock() else "allowed (the kernel has no Landlock)"
        self.claim(f"sandbox: other files {able}, network and programs denied\n" in done.stdout.decode(),
                   "--version --verbose tells it", done)
        self.claim(self.run("--version", probe=False)[0].stdout.count(b"\n") == 1, "else nobody is told")
        (self.folder / ".memprof").write_text("no-sandbox\n", encoding="utf-8")
        done = subprocess.run([self.program, "leaks", "in/shop-v2.oemp"], cwd=self.folder, check=False,
                              env={**self.environment(), "MEMPROF_NO_CONFIG": ""}, capture_output=True)
        self.claim(done.returncode == 2 and b"only on the command line" in done.stderr,
                   "what was checked out cannot switch it off", done)
        (self.folder / ".memprof").unlink()

    def links(self):
        """Links in a folder of recordings are followed, and so is a link to the output."""
        (self.folder / "elsewhere").mkdir()
        shutil.copy(SAMPLES / "shop-v1.oemp", self.folder / "elsewhere")
        (self.folder / "in" / "link.oemp").symlink_to(self.folder / "elsewhere" / "shop-v1.oemp")
        (self.folder / "out" / "link").symlink_to(self.folder / "elsewhere" / "report")
        done = self.run("top", "in", "-o", "out/link", probe=False)[0]
        self.claim(done.returncode == 0 and (self.folder / "elsewhere" / "report").exists() and
                   b"link.oemp" in (self.folder / "elsewhere" / "report").read_bytes(), "links are followed", done)

    def logs(self):
        """A database's log is read and its journal is detected, wherever the database is named. The change in
        the log removes objects from the first result set, which contains only objects."""
        (self.folder / "data").mkdir()
        for name in "work.sqlite", "hot.sqlite":
            shutil.copy(SAMPLES / "shop-aqtime.sqlite", self.folder / "data" / name)
        work, database = self.folder / "data" / "work.sqlite", self.folder / "data" / "a.sqlite"
        with contextlib.closing(sqlite3.connect(work, isolation_level=None)) as writer:
            before, = writer.execute("SELECT count(*) FROM ALLOCATION_PROFILER_OBJECTS WHERE INST_ID = 1").fetchone()
            writer.execute("PRAGMA journal_mode = WAL")
            writer.execute("PRAGMA wal_autocheckpoint = 0")
            writer.execute("DELETE FROM ALLOCATION_PROFILER_OBJECTS WHERE INST_ID = 1 AND COL_CLASSRID = "
                           "(SELECT min(COL_CLASSRID) FROM ALLOCATION_PROFILER_OBJECTS WHERE INST_ID = 1)")
            after, = writer.execute("SELECT count(*) FROM ALLOCATION_PROFILER_OBJECTS WHERE INST_ID = 1").fetchone()
            for ending in "", "-wal":
                shutil.copy(f"{work}{ending}", f"{database}{ending}")
        (self.folder / "data" / "hot.sqlite-journal").write_bytes(b"\1" * 512)
        for name in "a", "hot":
            (self.folder / "own" / f"{name}.sqlite").symlink_to(f"../data/{name}.sqlite")
        self.claim(0 < after < before, "the log has a change", before, after)
        for where in "data", "own":
            said = {}
            for name in "a.sqlite", "hot.sqlite":
                for more in [], ["--no-sandbox"]:
                    done = self.run("snapshots", f"{where}/{name}", "--format", "json", *more, probe=False)[0]
                    said[name, bool(more)] = done.stdout, done.stderr
                self.claim(said[name, False] == said[name, True], f"{where}/{name}: inside and outside", said)
            figures = json.loads(said["a.sqlite", False][0])["snapshots"][0]
            self.claim(figures["live_objects"] == after, f"{where}: the log is read", figures, after)
            self.claim(b"hot.sqlite-journal shows an unfinished change" in said["hot.sqlite", False][1],
                       f"{where}: the journal is seen", said)
        done = self.run("diff", "own/a.sqlite", "data/a.sqlite", "--format", "json", probe=False)[0]
        self.claim(json.loads(done.stdout)["diff"] == [] and b"-wal" not in done.stderr, "so is the base's", done)

    def served(self):
        """The server reads its folders only, and writes nowhere: neither elsewhere nor in its folders."""
        expected = {**OFTEN, **(FILES if has_landlock() else {}), **CALLS,
                    **({"truncate": errno.EACCES} if has_landlock(3) else {})}
        asked = [("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
                 ("tools/call", {"name": "leaks", "arguments": {"files": ["shop-v2.oemp"]}}),
                 ("tools/call", {"name": "sql", "arguments": {"files": ["shop-v2.oemp"], "statement": "select 5 * 5 as n from sites"}}),
                 ("tools/call", {"name": "top", "arguments": {"files": [str(self.folder / "own" / "secret")]}})]
        lines = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": params}) + "\n"
                        for i, (method, params) in enumerate(asked)).encode()
        done, tried = self.run("mcp", "in", "--no-sandbox", input=lines)
        self.claim(done.returncode == 0 and tried and not any(tried.values()), "mcp without the sandbox", done, tried)
        (self.folder / "in" / "old").write_text("mine\n", encoding="utf-8")
        before = sorted(path.name for path in (self.folder / "in").iterdir())
        for own in "own", "in":
            done, tried = self.run("mcp", "in", input=lines, more={
                "MEMPROF_PROBE_MAKE": str(self.folder / own / "made"), "MEMPROF_PROBE_UNLINK": str(self.folder / own / "old")})
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            wrong = [answer.get("result", {}).get("isError") for answer in answers]
            self.claim(done.returncode == 0 and wrong == [None, False, False, True] and not done.stderr, "mcp works inside", done)
            self.claim(expected.items() <= tried.items(), f"mcp: what it may not do, in {own}", tried)
            if has_landlock():
                self.claim(sorted(path.name for path in (self.folder / "in").iterdir()) == before, "mcp leaves its folder alone")
        (self.folder / "in" / "old").unlink(missing_ok=True)

    def watched(self):
        """Files that appear next to a link, or next to its target, are read. The command of --exec runs
        outside."""
        own, elsewhere = self.folder / "own", self.folder / "elsewhere"
        recording = (SAMPLES / "shop-v1.oemp").read_bytes()
        (self.folder / "names").mkdir()
        (self.folder / "names" / "link.oemp").symlink_to(elsewhere / "shop-v1.oemp")
        words = [self.program, "watch", "names/link.oemp", "--until-exit", "--format", "csv", "--max-leaked", "1K",
                 "--exec", f'cat {own}/secret; echo "$MEMPROF_TAG of $MEMPROF_PATH" >{own}/made']
        (elsewhere / "shop-v1.oemp").write_bytes(recording[:recording.index(b"\n.\n")])
        process = subprocess.Popen(words, cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdout.readline()
        (elsewhere / "next").write_bytes(recording)
        (elsewhere / "next").rename(elsewhere / "shop-v1.oemp")
        said, complaints = process.communicate(timeout=60)
        made = own / "made"
        self.claim(process.returncode == 1 and said and made.exists() and
                   made.read_text(encoding="utf-8").endswith(" of names/link.oemp\n") and b"mine\n" in complaints,
                   "a watched file is replaced, and --exec is outside", process.returncode, said, complaints)

    def pager(self):
        """The pager was started before the sandbox, so it is not restricted."""
        mark = self.folder / "own" / "made"
        words = [self.program, "leaks", "in/shop-v2.oemp"]
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(words[0], words, self.environment(TERM="xterm", MEMPROF_PAGER=f"sed s/^/1:/ && echo >{mark}"))
        said = b""
        while select.select([terminal], [], [], 20)[0]:
            try:
                data = os.read(terminal, 1 << 16)
            except OSError:
                break
            if not data:
                break
            said += data
        os.close(terminal)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        self.claim(status == 0 and said.startswith(b"1:") and mark.exists(), "the pager is outside", status, said)


    def prompt(self):
        """The prompt appends to the history that was opened before; other files of its folder are denied."""
        own = self.folder / "own" / "memprof"
        own.mkdir()
        (self.folder / "own" / "secret").write_text("mine\n", encoding="utf-8")
        (own / "old").write_text("mine\n", encoding="utf-8")
        reading, writing = os.pipe()
        os.set_inheritable(writing, True)
        words = [self.program, "sql", "in/shop-v2.oemp"]
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(words[0], words, self.environment(
                TERM="xterm", LD_PRELOAD=self.probe, MEMPROF_PROBE=str(writing), XDG_STATE_HOME=str(self.folder / "own"),
                MEMPROF_PROBE_MAKE=str(own / "made"), MEMPROF_PROBE_UNLINK=str(own / "old")))
        os.close(writing)
        said, typed = b"", [b"select 5 * 5;\n", b".quit\n"]
        while select.select([terminal], [], [], 60)[0]:
            try:
                data = os.read(terminal, 1 << 16)
            except OSError:
                break
            said += data
            if typed and said.endswith(b"memprof> "):
                os.write(terminal, typed.pop(0))
        os.close(terminal)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        with os.fdopen(reading, encoding="ascii") as told:
            tried = {line.split()[0]: int(line.split()[1]) for line in told}
        expected = {**OFTEN, **(FILES if has_landlock() else {}), **CALLS}
        self.claim(status == 0 and b"25" in said, "the prompt works inside", status, said)
        self.claim(tried and expected.items() <= tried.items(), "what it may not do", tried)
        kept = own / "sql_history"  # which a program without libedit does not have
        self.claim(not kept.exists() or kept.read_text(encoding="utf-8") == "select 5 * 5;\n.quit\n", "the history is kept")
        if has_landlock():
            self.claim({path.name for path in own.iterdir()} <= {"old", "sql_history"}, "and nothing else")


def main():
    options = arguments(__doc__, probe=pathlib.Path)
    if not options.probe or not options.probe.exists():
        skip("beside sanitizers there is no sandbox, and the probe is for x86-64")
    with tempfile.TemporaryDirectory() as base:
        folder = pathlib.Path(base)
        for name in "in", "out", "own", "temporary":
            (folder / name).mkdir()
        for name in "shop-v2.oemp", "shop-agent-AS1.oemp":
            shutil.copy(SAMPLES / name, folder / "in")
        trials = Trials(pathlib.Path(options.memprof), options.probe.resolve(), folder)
        for trial in (trials.denied, trials.decoded, trials.free, trials.same, trials.told, trials.links, trials.logs,
                      trials.served, trials.watched, trials.pager, trials.prompt):
            trial()
    sys.exit(trials.end(more="" if has_landlock() else "; this kernel has no Landlock"))


if __name__ == "__main__":
    main()
