#!/usr/bin/env python3
"""Output files: their permissions, the meaning of paths, and what is left if the program is killed while it
writes.

  tests/outputs.py --memprof PROGRAM --generate PROGRAM [--shim LIBRARY] [--kills N]

The program must behave like POSIX and a shell's `>`: an existing file keeps its mode, a new file gets the mode
of the umask, a link stays, and a descriptor is written to. A killed program leaves either the whole old file or
the whole new one, and nothing else in the folder. With the shim (tests/faults), everything is tested again as
on a file system without unnamed files.
"""
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time

from claims import Claims, PROGRAM, arguments

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
SHOP = str(SAMPLES / "shop-v2.oemp")
OLD = b"what was there before\n"
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL]
ACL = "system.posix_acl_access"


class Trials(Claims):
    def __init__(self, program, extra):
        super().__init__()
        self.program = str(program.resolve())
        self.usual = {**os.environ, "LC_ALL": "C", "MEMPROF_NO_CONFIG": "1"}
        self.environment = {**self.usual, **extra}
        # for use in a shell's line, so that the shim affects only the program
        self.by_shell = " ".join(["env", *(f"{k}={v}" for k, v in extra.items()), self.program])

    def start(self, words, **how):
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        return subprocess.Popen([self.program, *map(str, words)], env=self.environment, **how)

    def run(self, *words, **how):
        process = self.start(words, **how)
        printed = process.communicate()
        return process.returncode, *printed

    # --- what writes a file ---

    def writers(self, target):
        """Return the command lines that write `target`, whose name has the extension of a baseline."""
        return {
            "report": ["analyze", SHOP, "--format", "json", "--output", target],
            "chart": ["snapshots", SHOP, "--chart", target],
            "suppressions": ["leaks", SHOP, "--format", "suppressions", "--output", target],
            "baseline": ["baseline", "save", SHOP, "--store", target.parent, "--as", target.stem],
            "export": ["export", "--to", "aqtime", SHOP, "--output", target],
        }

    # --- modes ---

    def modes(self, folder):
        target = folder / "x.baseline"
        for kind, words in self.writers(target).items():
            for mask, mode in (0o022, 0o644), (0o027, 0o640), (0o077, 0o600):
                target.unlink(missing_ok=True)
                status, _, said = self.run(*words, umask=mask)
                self.claim(status == 0, f"{kind} is written", said)
                seen = stat.S_IMODE(target.stat().st_mode)
                self.claim(seen == mode, f"a new {kind} has the mode of umask {mask:o}", oct(seen))
            for mode in 0o600, 0o640, 0o666, 0o755:
                before = target.stat().st_ino
                target.chmod(mode)
                status, _, said = self.run(*words, umask=0o022)
                seen = target.stat()
                self.claim(status == 0 and stat.S_IMODE(seen.st_mode) == mode and
                           seen.st_ino != before, f"{kind} keeps mode {mode:o}", said, oct(seen.st_mode))
            self.claim(list(folder.iterdir()) == [target], f"{kind} leaves nothing else")

    def owners(self, folder):
        """For a superuser, the file keeps its owner. For everybody, a protected file is not changed."""
        target = folder / "x"
        words = self.writers(target)["report"]
        target.write_bytes(OLD)
        if os.geteuid() == 0:
            os.chown(target, 12345, 54321)
            target.chmod(0o640)
            self.run(*words)
            seen = target.stat()
            self.claim((seen.st_uid, seen.st_gid, stat.S_IMODE(seen.st_mode)) == (12345, 54321, 0o640),
                       "the owner is kept", seen)
        else:
            target.chmod(0o444)
            status, _, said = self.run(*words)
            self.claim(status == 3 and target.read_bytes() == OLD and b"Permission denied" in said,
                       "what must not be written is not replaced", said)

    def settings(self, folder):
        """For a superuser, who can give files away: another user's .memprof is used only if it is in a folder
        where not everybody can put one."""
        if os.geteuid() != 0:
            return
        own, environment = folder / ".memprof", {k: v for k, v in self.environment.items() if k != "MEMPROF_NO_CONFIG"}
        for mode, owner, heeded in (0o777, 12345, False), (0o1777, 12345, False), (0o755, 12345, True), (0o777, 0, True):
            own.write_text("format = csv\n")
            os.chown(own, owner, owner)
            folder.chmod(mode)
            done = subprocess.run([self.program, "leaks", SHOP], cwd=folder, env={**environment, "HOME": "/none"},
                                  capture_output=True, check=False)
            self.claim(done.stdout.startswith(b"rank,") == heeded and (b"ignored" in done.stderr) != heeded,
                       f"settings of {owner} in a folder of mode {mode:o}", done.stdout[:80], done.stderr)
        folder.chmod(0o700)

    def access_list(self, folder):
        """user::rw- user:12345:r-- group::--- mask::r-- other::---"""
        target = folder / "x"
        target.write_bytes(OLD)
        none = 0xffffffff
        entries = [(1, 6, none), (2, 4, 12345), (4, 0, none), (16, 4, none), (32, 0, none)]
        value = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *one) for one in entries)
        try:
            os.setxattr(target, ACL, value)
        except OSError as why:
            print(f"skipped: no access lists here ({why.strerror})")
            return
        self.run(*self.writers(target)["report"])
        self.claim(target.read_bytes() != OLD and os.getxattr(target, ACL) == value,
                   "the access list is kept")

    # --- what a path means ---

    def links(self, folder):
        (folder / "there").mkdir()
        (folder / "a").symlink_to("b")
        (folder / "b").symlink_to("there/c")
        (folder / "there" / "c").symlink_to("d")
        words = self.writers(folder / "a")["report"]
        end = folder / "there" / "d"
        for what in "made", "replaced":
            status, _, said = self.run(*words)
            self.claim(status == 0 and end.stat().st_size > 1000 and (folder / "a").is_symlink() and
                       (folder / "there" / "c").is_symlink(), f"the end of a chain is {what}", said)
            end.chmod(0o600)
        self.claim(stat.S_IMODE(end.stat().st_mode) == 0o600, "with its mode")
        self.claim(sorted(p.name for p in (folder / "there").iterdir()) == ["c", "d"],
                   "nothing else is there")
        (folder / "round").symlink_to("round")
        status, _, said = self.run(*self.writers(folder / "round")["report"])
        self.claim(status == 3 and b"symbolic links" in said, "links that go round are told", said)

    def descriptors(self, folder):
        direct = self.run("analyze", SHOP, "--format", "json")[1]
        (folder / "link").symlink_to("/dev/stdout")
        for path in "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", folder / "link", "-":
            with open(folder / "log", "wb") as log:
                log.write(OLD)
                log.flush()
                before = os.fstat(log.fileno()).st_ino
                status, _, said = self.run("analyze", SHOP, "--format", "json", "-o", path, stdout=log)
            seen = folder / "log"
            self.claim(status == 0 and seen.read_bytes() == OLD + direct and
                       seen.stat().st_ino == before, f"{path} is standard output", said)
        os.mkfifo(folder / "pipe")
        got = []
        reader = threading.Thread(target=lambda: got.append((folder / "pipe").read_bytes()))
        reader.start()
        self.run("analyze", SHOP, "--format", "json", "-o", folder / "pipe")
        reader.join()
        self.claim(got == [direct] and (folder / "pipe").is_fifo(), "a FIFO is written to")
        line = f"{self.by_shell} analyze {SHOP} --format json -o >(cat >{folder}/got; echo >{folder}/end)"
        subprocess.run(["bash", "-c", line], env=self.usual, check=True)
        until = time.monotonic() + 20
        while not (folder / "end").exists() and time.monotonic() < until:
            time.sleep(0.01)
        self.claim((folder / "got").read_bytes() == direct, ">(process) is written to")
        for path in "/dev/null", "/dev/stdout", folder / "pipe":
            status, _, said = self.run("export", "--to", "aqtime", SHOP, "-o", path)
            self.claim(status == 3 and b"is not a file" in said, f"a database is not written to {path}", said)
        status = self.run("analyze", SHOP, "-o", "/dev/full")
        self.claim(status[0] == 3 and b"No space left" in status[2], "/dev/full is told", status)

    def names(self, folder):
        long = folder / ("n" * 255)
        for what in "made", "replaced":
            status, _, said = self.run("analyze", SHOP, "-o", long)
            self.claim(status == 0 and long.stat().st_size > 1000, f"the longest name is {what}", said)
        status, _, said = self.run("analyze", SHOP, "-o", f"{folder}/none/")
        self.claim(status == 3 and b"cannot write" in said, "a folder that is not there", said)

    def limit(self, folder):
        """An output that is too large for the process causes an error and does not kill the program."""
        for kind, words in self.writers(folder / "x.baseline").items():
            target = folder / "x.baseline"
            target.write_bytes(OLD if kind != "baseline" else b"")
            before = target.read_bytes()
            line = f"ulimit -f 0; exec {self.by_shell} \"$@\" 2>&1 | cat; exit ${{PIPESTATUS[0]}}"
            done = subprocess.run(["bash", "-c", line, "sh", *map(str, words)], env=self.usual,
                                  stdout=subprocess.PIPE, check=False)
            self.claim(done.returncode == 3 and b": error: cannot write: File too large" in done.stdout and
                       target.read_bytes() == before and list(folder.iterdir()) == [target],
                       f"{kind} beyond ulimit -f", done.returncode, done.stdout)

    # --- what is read ---

    def taken(self, folder):
        """A file that is read in the same run is not replaced, however it is named, and no file is made next to
        it."""
        for name in "shop-v2.oemp", "shop-v4.prf", "shop-aqtime.sqlite", "sources", "src":
            copy = shutil.copytree if (SAMPLES / name).is_dir() else shutil.copy
            copy(SAMPLES / name, folder / name)
        oemp, prf, database, sources, listings = (str(folder / name) for name in (
            "shop-v2.oemp", "shop-v4.prf", "shop-aqtime.sqlite", "sources", "src"))
        shutil.copy(oemp, folder / "as-it-is.baseline")
        held = sqlite3.connect(database)
        held.execute("PRAGMA journal_mode = WAL")
        held.execute("PRAGMA wal_autocheckpoint = 0")
        held.execute("CREATE TABLE more (a)")
        held.commit()
        for ending in "", "-wal":
            shutil.copy(database + ending, folder / f"b.sqlite{ending}")
        held.close()
        b, listing = str(folder / "b.sqlite"), f"{listings}/shop/placeOrder.dbg"
        (folder / "link").symlink_to("b.sqlite-wal")
        source = f"{sources}/shop/OrderService.cls"
        annotate = ["annotate", prf, "shop.OrderService", "--sources", sources]
        refused = [
            (["leaks", b], b + "-wal"), (["leaks", b], b + "-journal"), (["leaks", b], b + "-shm"),
            (["leaks", b], folder / "link"), (["leaks", folder / "b.sqlite@1"], b + "-journal"),
            (["export", "--to", "dot", b], b + "-wal"), (["export", "--to", "aqtime", oemp], oemp),
            (annotate, source), ([*annotate, "-f", "html"], source),
            (["top", prf, "--listings", listings], listing),
            (["baseline", "save", oemp, "--store", folder / "store"], oemp),
        ]
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for words, target in refused:
            status, printed, said = self.run(*words, "-o", target)
            self.claim(status == 2 and not printed and os.fsencode(target) + b": error: " in said,
                       f"-o {target} is refused", words, status, said)
        for words in (["treemap", prf, "--listings", listings, "--chart", listing],
                      ["snapshots", b, "--chart", b + "-wal"],
                      ["baseline", "save", folder / "as-it-is.baseline", "--store", folder]):
            status, printed, said = self.run(*words)
            self.claim(status == 2 and not printed and b": error: " in said, f"{words} is refused", status, said)
        with open(oemp, "rb") as file:
            status, _, said = self.run("leaks", "-", "-o", oemp, stdin=file)
        self.claim(status == 2, "standard input is read, too", said)
        seen = {path: path.read_bytes() for path in folder.rglob("*")
                if path.is_file() and path.parent.name != "store"}
        self.claim(seen == before, "all is as it was", seen.keys() ^ before.keys())
        for words, target in ((["leaks", folder], folder / "report"), (["leaks", oemp], oemp + "-wal"),
                              (annotate, f"{sources}/report"), (annotate, f"{sources}/report")):
            status, _, said = self.run(*words, "-o", target)
            self.claim(status == 0 and pathlib.Path(target).stat().st_size, f"-o {target} is written", said)

    # --- ended ---

    def kills(self, folder, recording, count, kill):
        target = folder / "x.baseline"
        for kind, words in self.writers(target).items():
            words = [recording if word == SHOP else word for word in words]
            started = time.monotonic()
            self.run(*words)
            lasts, whole = time.monotonic() - started, target.read_bytes()
            signals = SIGNALS if kill else SIGNALS[:-1]
            for i in range(count):
                old = OLD if kind != "baseline" else whole[:-1]
                new = i % 2 == 0
                if new:
                    target.unlink(missing_ok=True)
                else:
                    target.write_bytes(old)
                number = signals[i // 2 % len(signals)]
                process = self.start(words)
                time.sleep(random.uniform(0, lasts * 1.1))
                process.send_signal(number)
                said = process.communicate()[1]
                seen = target.read_bytes() if target.exists() else None
                there = [path.name for path in folder.iterdir()]
                ends = (0, None, whole) if process.returncode == 0 else (-number, None if new else old, whole)
                self.claim(process.returncode == ends[0] and seen in ends[1:] and
                           not set(there) - {target.name},
                           f"{kind} ended by {number.name}", process.returncode, there, said)

    def ignored(self, folder, recording):
        """Below nohup, a hang-up has no effect."""
        process = self.start(["analyze", recording, "-o", folder / "x"],
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        process.communicate()
        self.claim(process.returncode == 0 and (folder / "x").exists(), "nohup is heeded")

    def all(self, base, recording, count, kill):
        for trial in (self.modes, self.owners, self.settings, self.access_list, self.links, self.descriptors, self.names, self.taken,
                      self.limit, lambda at: self.kills(at, recording, count, kill),
                      lambda at: self.ignored(at, recording)):
            with tempfile.TemporaryDirectory(dir=base) as folder:
                trial(pathlib.Path(folder))


def main():
    options = arguments(__doc__, generate=PROGRAM, shim=pathlib.Path, kills=10, seed=1)
    random.seed(options.seed)
    ways = [{}]
    if options.shim and options.shim.exists():
        unsupported = 95
        ways.append({"LD_PRELOAD": str(options.shim), "MEMPROF_FAULT": f"tmpfile:*:{unsupported}"})
    else:
        print("skipped: the shim was not built, so files without a name are always there")
    status = 0
    with tempfile.TemporaryDirectory() as base:
        recording = pathlib.Path(base) / "large.oemp"
        recording.write_bytes(subprocess.run(
            [options.generate, "oemp", "--snapshots", "12", "--objects", "4000"], stdout=subprocess.PIPE,
            check=True).stdout)
        for extra in ways:
            trials = Trials(pathlib.Path(options.memprof), extra)
            # A killed program cannot clean up, but an unnamed file needs no clean-up.
            trials.all(base, str(recording), options.kills, not extra)
            status |= trials.end()
    sys.exit(status)


if __name__ == "__main__":
    main()
