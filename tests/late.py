#!/usr/bin/env python3
"""Libraries that are loaded when they are first needed. Without them, everything else works, and a message says
what is missing. In the sandbox, which denies their files, they are loaded before.

  tests/late.py --memprof PROGRAM
"""
import gzip
import lzma
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import zipfile

from claims import ClaimsOfProgram, arguments

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
SAMPLE, DATABASE = SAMPLES / "shop-v2.oemp", SAMPLES / "shop-aqtime.sqlite"


class Late(ClaimsOfProgram):
    def check(self, folder):
        archive, packed = folder / "a.zip", folder / "b.zip"
        for path, member in (archive, SAMPLE), (packed, DATABASE):
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
                made.write(member, member.name)
        compressed = {}
        for ending, module in ("gz", gzip), ("xz", lzma):
            compressed[ending] = folder / f"a.oemp.{ending}"
            with module.open(compressed[ending], "wb") as out:
                out.write(SAMPLE.read_bytes())
        written = "export", "--to"
        cases = [(None, "leaks", SAMPLE), (None, "check", SAMPLE),
                 ("libz.so.1", "check", compressed["gz"]),
                 ("libarchive.so.13", "check", archive),
                 ("libarchive.so.13", "check", compressed["xz"]),
                 ("libsqlite3.so.0", "leaks", DATABASE), ("libsqlite3.so.0", "leaks", packed),
                 ("libsqlite3.so.0", "sql", SAMPLE, "select count(*) from sites"),
                 ("libprotobuf-c.so.1", *written, "pprof", "-o", folder / "new.pb.gz", SAMPLE),
                 ("libsqlite3.so.0", *written, "sqlite", "-o", folder / "new.db", SAMPLE),
                 ("libsqlite3.so.0", *written, "aqtime", "-o", folder / "new.sqlite", SAMPLE)]
        policy = folder / "a.policy"
        policy.write_text("live <= base\n", encoding="utf-8")
        based = "gate", policy, DATABASE, "--base"
        for base in DATABASE, packed:
            for sandbox in [], ["--no-sandbox"]:
                done = self.run(*based, base, *sandbox)
                self.claim(done.returncode == 0, base, sandbox, done.stdout, done.stderr)
        for sandbox in [], ["--no-sandbox"]:
            for library, *words in cases:
                usual = self.run(*words, *sandbox)
                self.claim(usual.returncode == 0, words, sandbox, usual.stderr)
                for made in "new.db", "new.sqlite", "new.pb.gz":
                    (folder / made).unlink(missing_ok=True)
                self.without(folder, library, *words, *sandbox)
        self.browse(folder)

    def environment(self, folder, library):
        """Return an environment in which the library cannot be loaded."""
        broken = folder / str(library)
        broken.mkdir(exist_ok=True)
        (broken / str(library)).write_bytes(b"not a library")
        return os.environ | {"LD_LIBRARY_PATH": str(broken), "TERM": "xterm"}

    def without(self, folder, library, *words):
        done = self.run(*words, env=self.environment(folder, library))
        expected = 3 if library else 0
        told = f"needs {library}, which cannot be loaded" in done.stderr
        self.claim((done.returncode, told) == (expected, bool(library)), words, done)
        made = [path.name for path in folder.glob("new.*")]
        self.claim(not made, words, made)

    def browse(self, folder):
        screen, terminal = pty.openpty()
        library = "libncursesw.so.6"
        done = subprocess.run([self.program, "browse", SAMPLE], stdin=terminal, stdout=terminal, check=False,
                              stderr=subprocess.PIPE, text=True, env=self.environment(folder, library))
        told = f"browse needs {library}, which cannot be loaded" in done.stderr
        self.claim(done.returncode == 2 and (told or "without browse" in done.stderr), "browse", done)
        for end in screen, terminal:
            os.close(end)


def main():
    late = Late(arguments(__doc__, lambda: 0).memprof)
    if b"NEEDED" not in subprocess.run(["readelf", "-d", late.program], capture_output=True, check=True).stdout:
        print("skipped: the program loads no libraries")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        late.check(pathlib.Path(folder))
    sys.exit(late.end(least=30))


if __name__ == "__main__":
    main()
