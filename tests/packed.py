#!/usr/bin/env python3
"""Packed recordings: whatever a sample is packed by, from a file and from standard input, the answers are
those about the sample itself.

  tests/packed.py --memprof PROGRAM --server PROGRAM [LAW...]

What packs is Python's own; zstd and lz4 are programs, and without them their part is skipped, but not
in CI.
"""
import argparse
import bz2
import gzip
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zlib

from runs import Runs

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
ENDINGS = {".oemp", ".prf", ".rpt", ".taligent", ".gclog", ".sqlite"}
os.environ["MEMPROF_NO_CONFIG"] = "1"


def by_program(name, *options):
    if not shutil.which(name):
        if os.environ.get("MEMPROF_SKIP_NOTHING"):
            sys.exit(f"{name} is not installed, expected it here")
        print(f"skipped: {name} is not installed")
        return None
    return lambda data: subprocess.run([name, "-c", *options], input=data, stdout=subprocess.PIPE,
                                       check=True).stdout


class Packed:
    def __init__(self, program, server, place):
        self.runs, self.place = Runs(program, server), place
        self.held = self.wrong = 0
        packers = {"gz": lambda data: gzip.compress(data, mtime=0), "bz2": bz2.compress,
                   "xz": lzma.compress, "zst": by_program("zstd", "-q"),
                   "lz4": by_program("lz4", "-q", "-z")}
        self.packers = {ending: pack for ending, pack in packers.items() if pack}
        self.samples = sorted(p for p in SAMPLES.iterdir() if p.suffix in ENDINGS)

    def hold(self, holds, *what):
        self.held += 1
        if not holds:
            self.wrong += 1
            print("wrong:", *what)

    def ask(self, *words, stdin=None, name=None):
        """Status, answer and messages; `name` stands for another name of the same."""
        done = self.runs.run(*words, "--width", 0, stdin=stdin)
        said = done.returncode, done.stdout.decode(), done.stderr.decode()
        return said if not name else tuple(
            part.replace(name, "NAME") if isinstance(part, str) else part for part in said)

    def write(self, name, data):
        path = self.place / name
        path.write_bytes(data)
        return path

    def same(self, command, sample, name, data):
        """The answers about packed data, in a file and on standard input."""
        expected = self.ask(*command, sample, name=str(sample))
        path = self.write(name, data)
        self.hold(expected == self.ask(*command, path, name=str(path)), *command, name)
        self.hold(expected == self.ask(*command, "-", stdin=data, name="(standard input)"),
                  *command, name, "on standard input")

    # --- laws ---

    def streams(self):
        """By each packer, in one and in two parts one behind the other, and twice."""
        for sample in self.samples:
            data, half = sample.read_bytes(), sample.stat().st_size // 2
            for ending, pack in self.packers.items():
                name = f"{sample.name}.{ending}"
                self.same(["analyze", "--format", "json"], sample, name, pack(data))
                if sample.suffix in (".oemp", ".taligent"):
                    self.same(["leaks"], sample, "parts-" + name, pack(data[:half]) + pack(data[half:]))
                    self.same(["leaks"], sample, "twice-" + name, gzip.compress(pack(data)))

    def torn(self):
        """What breaks off is read as far as it goes, is told, and is never complete."""
        sample = SAMPLES / "shop-v2.oemp"
        data = sample.read_bytes() + b"# nothing\n"
        for ending, pack in self.packers.items():
            packed = pack(data)
            for cut in range(1, 16):
                part = packed[:len(packed) * cut // 16]
                path = self.write(f"torn.{ending}", part)
                for stdin, words in (None, [path]), (part, ["-"]):
                    status, out, err = self.ask("info", *words, "--format", "json", stdin=stdin)
                    self.hold(status in (0, 3) and ("breaks off" in err or "no recording" in err
                                                    or "expected a recording" in err),
                              f"{ending} cut at {cut}/16: status {status}: {err}")
                    self.hold('"complete": true' not in out, f"{ending} cut at {cut}/16 is complete")
        # All that a torn gzip file holds is used: as much as zlib itself gives.
        packed = gzip.compress(data, mtime=0)
        part = packed[:len(packed) * 3 // 4]
        held = self.write("held.oemp", zlib.decompressobj(31).decompress(part))
        self.hold(self.ask("leaks", held)[1].replace("held.oemp", "torn.gz")
                  == self.ask("leaks", self.write("torn.gz", part))[1], "not all of a torn gzip file")

    def damaged(self):
        """A wrong byte is told: the packings' checksums are looked at."""
        data = (SAMPLES / "shop-v2.oemp").read_bytes()
        for ending, pack in self.packers.items():
            packed = pack(data)
            for at in range(1, 32):
                place = len(packed) * at // 32
                bad = packed[:place] + bytes([packed[place] ^ 4]) + packed[place + 1:]
                status, _, err = self.ask("leaks", self.write(f"bad.{ending}", bad))
                self.hold(status == 3 or "warning" in err, f"{ending} with a wrong byte at {place}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memprof", required=True)
    parser.add_argument("--server")
    parser.add_argument("laws", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        packed = Packed(options.memprof, options.server, pathlib.Path(place))
        for law in options.laws or ["streams", "torn", "damaged"]:
            getattr(packed, law)()
        packed.wrong += packed.runs.close()
    print(f"packed: {packed.held} held, {packed.wrong} wrong")
    return 1 if packed.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
