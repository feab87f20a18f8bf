#!/usr/bin/env python3
"""Compressed recordings: however a sample is compressed, from a file or from standard input, the answers are
those about the sample itself.

  tests/packed.py --memprof PROGRAM --server PROGRAM [LAW...]

Python compresses the samples. zstd and lz4 are programs; without them, their part is skipped, except in CI.
"""
import bz2
import gzip
import io
import lzma
import os
import pathlib
import shutil
import subprocess
import struct
import sys
import tarfile
import tempfile
import unittest.mock
import zipfile
import zlib

import growing
from claims import ClaimsOfRuns, arguments

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


class Packed(ClaimsOfRuns):
    def __init__(self, program, server, place):
        super().__init__(program, server)
        self.place = place
        self.sanitized = False
        packers = {"gz": lambda data: gzip.compress(data, mtime=0), "bz2": bz2.compress,
                   "xz": lzma.compress, "zst": by_program("zstd", "-q"),
                   "lz4": by_program("lz4", "-q", "-z"), "old.lz4": by_program("lz4", "-q", "-z", "-l")}
        self.packers = {ending: pack for ending, pack in packers.items() if pack}
        self.samples = sorted(p for p in SAMPLES.iterdir() if p.suffix in ENDINGS)

    def ask(self, *words, stdin=None, name=None, alone=False):
        """Return the status, the answer without its next command, and the messages. `name` stands for another
        name of the same file."""
        run = self.runs.alone if alone else self.runs.run
        done = run(*words, "--width", 0, stdin=stdin)
        said = done.returncode, done.stdout.decode().partition("\nNext: ")[0], done.stderr.decode()
        return said if not name else tuple(
            part.replace(name, "NAME") if isinstance(part, str) else part for part in said)

    def write(self, name, data):
        path = self.place / name
        path.write_bytes(data)
        return path

    def same(self, command, sample, name, data):
        """Compare the answers about compressed data, in a file and on standard input."""
        expected = self.ask(*command, sample, name=str(sample))
        path = self.write(name, data)
        self.claim(expected == self.ask(*command, path, name=str(path)), *command, name)
        self.claim(expected == self.ask(*command, "-", stdin=data, name="(standard input)"),
                  *command, name, "on standard input")

    # --- laws ---

    def streams(self):
        """Each compressor, with one stream, with two streams one after the other, and twice."""
        for sample in self.samples:
            data, half = sample.read_bytes(), sample.stat().st_size // 2
            for ending, pack in self.packers.items():
                name = f"{sample.name}.{ending}"
                self.same(["analyze", "--format", "json"], sample, name, pack(data))
                if sample.suffix in (".oemp", ".taligent"):
                    self.same(["leaks"], sample, "parts-" + name, pack(data[:half]) + pack(data[half:]))
                    self.same(["leaks"], sample, "twice-" + name, gzip.compress(pack(data)))
                if ending in ("zst", "lz4") and sample.suffix == ".oemp":
                    for last in 0x50, 0x5f:  # skippable frames, as at the start of pzstd's output
                        skipped = bytes([last]) + b"\x2a\x4d\x18" + struct.pack("<I", 4) + b"skip"
                        self.same(["leaks"], sample, f"skip-{last}-{name}", 2 * skipped + pack(data) + skipped)

    def torn(self):
        """A truncated stream is read as far as possible, is reported, and is never complete."""
        sample = SAMPLES / "shop-v2.oemp"
        data = sample.read_bytes() + b"# nothing\n"
        for ending, pack in self.packers.items():
            packed = pack(data)
            for cut in range(1, 16):
                part = packed[:len(packed) * cut // 16]
                path = self.write(f"torn.{ending}", part)
                for stdin, words in (None, [path]), (part, ["-"]):
                    status, out, err = self.ask("info", *words, "--format", "json", stdin=stdin)
                    self.claim(status in (0, 3) and ("is truncated" in err or "no recording" in err
                                                    or "expected a recording" in err),
                              f"{ending} cut at {cut}/16: status {status}: {err}")
                    self.claim('"complete": true' not in out, f"{ending} cut at {cut}/16 is complete")
        # All data that the formats' own libraries and programs can decompress is used.
        data = growing.oemp_snapshots(3000).encode()
        for ending, unpack in (("gz", lambda part: zlib.decompressobj(31).decompress(part)),
                               ("bz2", lambda part: bz2.BZ2Decompressor().decompress(part)),
                               ("xz", lambda part: lzma.LZMADecompressor().decompress(part)),
                               ("zst", lambda part: subprocess.run(["zstd", "-dcq"], input=part, capture_output=True,
                                                                   check=False).stdout)):
            pack = self.packers.get(ending)
            for cut in (2, 5, 7, 9) if pack else []:
                part = pack(data)[:len(pack(data)) * cut // 10]
                whole = unpack(part)
                self.claim(len(whole) > 200_000 or ending == "bz2", f"{ending}: {len(whole)} bytes in front of {cut}/10")
                held = self.write("held.oemp", whole)
                torn = self.write(f"torn.{ending}", part)
                expected = self.ask("info", held, "--format", "csv", name=str(held))
                said = self.ask("info", torn, "--format", "csv", name=str(torn))
                self.claim(said[:2] == expected[:2], f"not all of a torn {ending}: {said}, expected {expected}")

    def damaged(self):
        """A changed byte is reported, because checksums are verified."""
        data = (SAMPLES / "shop-v2.oemp").read_bytes()
        for ending, pack in self.packers.items():
            packed = pack(data)
            if ending == "old.lz4":  # a format without checksums
                continue
            for at in range(1, 32):
                place = len(packed) * at // 32
                bad = packed[:place] + bytes([packed[place] ^ 4]) + packed[place + 1:]
                status, _, err = self.ask("leaks", self.write(f"bad.{ending}", bad))
                self.claim(status == 3 or "warning" in err, f"{ending} with a wrong byte at {place}")


    # --- archives ---

    def archives(self):
        """Members are read like the files of a folder. An archive of a single recording stands for that
        recording."""
        agent = [SAMPLES / "shop-agent-AS2.oemp", SAMPLES / "shop-agent-AS1.oemp"]
        parts = [SAMPLES / "shop-part2.oemp", SAMPLES / "shop-part1.oemp"]
        mixed = [SAMPLES / "README.md", SAMPLES / "shop-v2.oemp", SAMPLES / "shop-v4.prf"]
        for what, files in ("agent", agent), ("parts", parts), ("mixed", mixed):
            folder = self.place / what
            folder.mkdir()
            for file in files:
                shutil.copy(file, folder)
            for command in ["leaks", "--format", "csv"], ["analyze", "--format", "json"], ["info", "--format", "csv"]:
                if command[0] == "info" and what != "mixed":
                    command = [*command, "--group", "all"]
                as_folder = self.of_archive([*command, folder], str(folder))
                if what == "parts":  # a folder of one recording is a list of one
                    as_folder = self.of_archive([*command, *reversed(files)], str(SAMPLES))
                for ending, data in self.archived(files):
                    path = self.write(f"{what}{ending}", data)
                    for words, stdin, name in ([path], None, str(path)), (["-"], data, "(standard input)"):
                        said = self.of_archive([*command, *words], name, stdin)
                        self.claim(as_folder == said, *command, what + ending, words[0])
        for sample in self.samples:
            for ending, data in self.archived([sample]):
                expected = self.ask("analyze", sample, name=str(sample))
                path = self.write(sample.name + ending, data)
                name = f"{path}:a.zip:{sample.name}" if ".zip.tar" in ending else f"{path}:{sample.name}"
                self.claim(expected == self.ask("analyze", path, name=name), path.name)
                self.claim(expected == self.ask("analyze", name, name=name), path.name, "by its name")

    def orders(self):
        """Members whose order differs from that of their names are read as in a folder: from a temporary file
        or, if there can be none, by reading the archive again. One of the members is truncated."""
        folder = self.place / "orders"
        folder.mkdir()
        files = [path for path in self.samples if path.suffix in (".oemp", ".prf")]
        for file in files:
            shutil.copy(file, folder)
        (folder / "packed.oemp.gz").write_bytes(gzip.compress(files[0].read_bytes()))
        torn = folder / "m-torn.oemp.gz"
        torn.write_bytes(gzip.compress(files[-1].read_bytes())[:-500])
        backwards = sorted(folder.iterdir(), reverse=True)
        self.claim(len(backwards) > 10, "members to go back to")
        for command in ["leaks", "--format", "csv"], ["info", "--group", "file", "--format", "csv"]:
            expected = self.of_archive([*command, folder], str(folder))
            self.claim(expected[0] == 0 and torn.name in expected[2], "a folder", expected)
            for ending, data in self.archived(backwards):
                path = self.write(f"orders{ending}", data)
                said = self.of_archive([*command, path], str(path))
                self.claim(said == expected, *command, path.name, said, expected)
                with unittest.mock.patch.dict(os.environ, TMPDIR=str(self.place / "nowhere")):
                    said = self.of_archive([*command, path], str(path), alone=True)
                self.claim(said == expected, *command, path.name, "without temporary files", said)

    def crowd(self):
        """There are more archives than memprof keeps open, and each thread has its own copy. Threads that read
        members of the same archive out of order share temporary files."""
        (self.place / "crowd").mkdir()
        sample = (SAMPLES / "shop-v2.oemp").read_bytes()
        small = [self.write(f"crowd/{i}.tar", self.tar_of([("shop.oemp", sample)])) for i in range(300)]
        backwards = gzip.compress(self.tar_of([(f"{i:02}.oemp", sample) for i in reversed(range(24))]))
        large = [self.write(f"crowd/{i}.tar.gz", backwards) for i in range(3)]
        in_turns = [f"{archive}:{i:02}.oemp" for i in range(24) for archive in large]
        for what, inputs in ("archives", small), ("members", in_turns):
            command = ["info", "--group", "file", "--format", "csv", *inputs, "--jobs"]
            expected = self.ask(*command, "1", alone=True)
            self.claim((expected[0], expected[2]) == (0, "") and len(expected[1].splitlines()) == len(inputs) + 1,
                      f"{len(inputs)} {what}", expected[0], expected[2])
            for turn in range(5):
                said = self.ask(*command, "64", alone=True)
                self.claim(said == expected, f"{len(inputs)} {what} at once", said[0], said[2])

    def of_archive(self, words, name, stdin=None, alone=False):
        """Run a command, without the name of the archive or folder, its separator, and the compression in the
        output."""
        status, out, err = self.ask(*words, stdin=stdin, alone=alone)
        for mark in f"{name}/", f"{name}:a.zip:", f"{name}:", name:
            out, err = out.replace(mark, "X:"), err.replace(mark, "X:")
        for before in ", in ", '"':  # for people, only the differing part of names is shown
            out = out.replace(f"{before}a.zip:", before)
        out = "\n\n".join(part for part in out.split("\n\n") if not part.startswith("path,packed_by"))
        return status, out, err

    def archived(self, files):
        """Yield archives of each kind with the files in every order."""
        def tar(how):
            data = io.BytesIO()
            with tarfile.open(fileobj=data, mode=f"w:{how}") as archive:
                for file in files:
                    archive.add(file, file.name)
            return data.getvalue()
        yield ".tar", tar("")
        for how in "gz", "bz2", "xz":
            yield f".tar.{how}", tar(how)
        for how in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA:
            data = io.BytesIO()
            with zipfile.ZipFile(data, "w", how) as archive:
                for file in files:
                    archive.write(file, file.name)
            yield f".{how}.zip", data.getvalue()
        yield ".zip.tar.gz", self.packers["gz"](self.tar_of([("a.zip", data.getvalue())]))
        (self.place / "made.7z").unlink(missing_ok=True)
        path = self.seven("made.7z", *files)
        if path:
            yield ".7z", path.read_bytes()

    def told(self, name, data, words, members):
        """An incomplete archive is reported and passes no gate; these members are read."""
        path = self.write(name, data)
        status, out, err = self.ask("info", path, "--format", "csv", "--group", "file")
        self.claim(words in err, f"{name}: expected '{words}': {status} {err}")
        read = [line.split(",")[0].removeprefix(f"{path}:") for line in out.splitlines()[1:] if ".oemp" in line]
        self.claim(read == members, f"{name}: {read}, expected {members}")
        status, _, err = self.ask("gate", self.write("policy", b"live <= 1G\n"), path)
        self.claim(status == 3, f"gate {name}: {status} {err}")

    def broken(self):
        """No missing member goes unreported, and a damaged inner archive does not hide others."""
        sample = (SAMPLES / "shop-v2.oemp").read_bytes()
        size = 512 + (len(sample) + 511) // 512 * 512
        tar = self.tar_of([(f"{name}.oemp", sample) for name in "abc"])
        bad = tar[:size + 20] + b"?" + tar[size + 21:]
        self.told("header.tar", bad, "cannot read all", ["a.oemp", "c.oemp"])
        zero = tar[:size] + bytes(512) + tar[size + 512:]
        self.told("zero.tar", zero, "cannot read all", ["a.oemp", "c.oemp"])
        for pack in lambda data: data, gzip.compress:
            self.told("cut.tar", pack(tar[:2 * size]), "its end is missing", ["a.oemp", "b.oemp"])
            self.told("behind.tar", pack(tar + b"nothing of a tar archive" * 100), "cannot read all",
                      ["a.oemp", "b.oemp", "c.oemp"])
        self.told("end.tar", gzip.compress(tar)[:-8], "is truncated", ["a.oemp", "b.oemp", "c.oemp"])
        other = self.tar_of([("d.oemp", sample)])
        both = self.write("both.tar", tar + other)
        status, out, err = self.ask("info", both, "--format", "csv", "--group", "file")
        self.claim((status, err, out.count(".oemp,oemp")) == (0, "", 4), "one tar behind another", out, err)
        for inner in bad, tar[:2 * size]:
            outer = self.tar_of([("x.tar", inner), ("y.tar", other), ("z.tar", inner)])
            inside = ["a.oemp", "c.oemp" if inner is bad else "b.oemp"]
            self.told("outer.tar", outer, "outer.tar:x.tar: ", [*(f"x.tar:{name}" for name in inside), "y.tar:d.oemp",
                                                      *(f"z.tar:{name}" for name in inside)])
        for name, part, words in (("cut.tar", tar[:2 * size], "its end is missing"), ("bad.tar", bad, "cannot read all")):
            path = self.write(name, part)
            status, _, err = self.ask("info", f"{path}:d.oemp")
            self.claim(status == 3 and words in err and "did you mean" not in err, f"{name}:d.oemp: {status} {err}")
            status, out, err = self.ask("leaks", f"{path}:a.oemp")
            self.claim("8 snapshots" in out and not err, f"{name}:a.oemp: {status} {err}")
        path = self.write("many.tar", tar)
        status, _, err = self.ask("info", f"{path}:c.oemp", "--max-files", "2")
        self.claim(status == 3 and "--max-files" in err, f"many.tar:c.oemp: {status} {err}")
        outer = self.tar_of([("x.tar", tar[:257] + b"ustar" + bytes(9000)), ("y.tar", other)])
        self.told("unread.tar", outer, "unread.tar:x.tar: error: cannot read all", ["y.tar:d.oemp"])
        outer = gzip.compress(self.tar_of([("in/o.zip", self.zip_of([("x.tar", tar[:2 * size])]))]))
        self.told("deep.tgz", outer, "deep.tgz:in/o.zip:x.tar: ", [f"in/o.zip:x.tar:{name}.oemp" for name in "ab"])

    def directories(self):
        """Whatever is wrong with the directory of a zip archive, its members are read, each once."""
        sample = (SAMPLES / "shop-v2.oemp").read_bytes()
        names = ["a.oemp", "b.oemp", "c.oemp"]
        for how in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
            whole = self.zip_of([(name, sample) for name in names], how)
            end = whole.index(b"PK\5\6")
            heads = [place for place in range(end) if whole[place:place + 4] == b"PK\1\2"]
            self.claim(len(heads) == 3, "heads of three members")

            def bad(place, *values):
                return whole[:place] + bytes(values) + whole[place + len(values):]
            for number, head in enumerate(heads):
                for what, data in (("mark", bad(head, 0)), ("length", bad(head + 28, 0x77)), ("place", bad(head + 42, 9, 9))):
                    self.told(f"{what}{number}.zip", data, "cannot read all", names)
            for what, data in (("nothing", bad(heads[0], *bytes(end - heads[0]))), ("count", bad(end + 8, 1, 0, 1, 0)),
                               ("where", bad(end + 16, 9, 9))):
                self.told(f"{what}.zip", data, "cannot read all", names)
            self.told("end.zip", bad(end, 0), "its end is missing", names)
            local = whole.index(b"PK\3\4", 9)
            self.told("head.zip", bad(local, 0), "cannot read all", ["a.oemp", "c.oemp"])
            path = self.write("by-name.zip", bad(heads[1], 0))
            status, out, err = self.ask("leaks", f"{path}:c.oemp")
            self.claim(status == 0 and "8 snapshots" in out and not err, f"{path}:c.oemp: {status} {err}")

    def kinds(self):
        """If the kind of a member is damaged, so that its entry no longer says that it is a file, this is
        reported."""
        data = (SAMPLES / "shop-v2.oemp").read_bytes()
        whole = self.zip_of([("a.oemp", data), ("b.oemp", data)])
        kind = whole.index(b"PK\x01\x02") + 41  # the high byte of a.oemp's mode in the directory
        for other in 0x9, 0xc, 0xa, 0x4:  # nothing, a socket, a link, a folder
            damaged = bytearray(whole)
            damaged[kind] = other << 4 | whole[kind] & 0xf
            path = self.write("kind.zip", damaged)
            status, out, err = self.ask("leaks", f"{path}", "--group", "file", "--max-leaked", "1G")
            self.claim(status == 3 and "a member with data is not a regular file" in err
                      and "b.oemp" in out, f"kind {other:x}: {status} {out} {err}")

    def members(self):
        """Wherever an archive is truncated, everything that it contains of a member is read. Cut at 20,000
        bytes, the recording has five whole snapshots, and at 20,003 too."""
        data = (SAMPLES / "shop-v2.oemp").read_bytes()

        def answer(path, name):
            status, out, _ = self.ask("leaks", path, name=name)
            # the faults of an archive are told too
            lines = out.replace("NAME", "").split("\n")
            return status, [line.split() for line in lines if not line.startswith("  Truncated ")]
        for cut in 20000, 20003:
            raw = self.write("raw.oemp", data[:cut])
            expected = answer(raw, str(raw))
            self.claim("5 snapshots" in " ".join(expected[1][0]), f"cut at {cut}: {expected}")
            stored = self.zip_of([("a.oemp", data)], zipfile.ZIP_STORED)
            deflated = self.zip_of([("a.oemp", data[:cut] )])
            begins = deflated.index(b"PK\x01\x02")
            for name, part in (("a.tar", self.tar_of([("a.oemp", data)])[:512 + cut]),
                               ("a.tar.gz", gzip.compress(self.tar_of([("a.oemp", data)])[:512 + cut])),
                               ("stored.zip", stored[:stored.index(data[:99]) + cut]),
                               ("deflated.zip", deflated[:begins])):
                path = self.write(name, part)
                said = answer(path, f"{path}:a.oemp")
                self.claim(said == expected, f"{name} cut at {cut}: {said}, expected {expected}")
        # names as in the output of `tar cf x.tar ./folder`
        path = self.write("dots.tar", self.tar_of([("././in/a.oemp", data), (".hidden/a.oemp", data)]))
        for name in "in/a.oemp", ".hidden/a.oemp":
            status, out, err = self.ask("info", f"{path}:{name}")
            self.claim(status == 0 and out.startswith(f"{path}:{name}: "), f"{name}: {status} {out} {err}")
        # of a deflated member, as much as zlib itself returns
        deflated = self.zip_of([("a.oemp", data)])
        begin = deflated.index(b"a.oemp") + len("a.oemp")
        for part in 5, 6, 7:
            packed = deflated[:len(deflated) * part // 8]
            raw = self.write("raw.oemp", zlib.decompressobj(-15).decompress(packed[begin:]))
            path = self.write("deflated.zip", packed)
            self.claim(answer(path, f"{path}:a.oemp") == answer(raw, str(raw)), f"deflated, cut at {part}/8")

    def seven(self, name, *words):
        """Make an archive, or add members to it, by 7z; return None if 7z is not installed."""
        if not shutil.which("7z"):
            if os.environ.get("MEMPROF_SKIP_NOTHING"):
                sys.exit("7z is not installed, expected it here")
            return None
        subprocess.run(["7z", "a", "-bd", name, *words], cwd=self.place, stdout=subprocess.DEVNULL, check=True)
        return self.place / name

    def passwords(self):
        """Encrypted members are reported, and the others are read."""
        data = (SAMPLES / "shop-v2.oemp").read_bytes()
        for name in "ab":
            self.write(f"{name}.oemp", data)
        for name, how in (("old.zip", ["-tzip"]), ("aes.zip", ["-tzip", "-mem=AES256"]), ("some.7z", [])):
            path = self.seven(name, "a.oemp", "-psecret", *how)
            if not path:
                return
            self.seven(name, "b.oemp")
            self.told(name, path.read_bytes(), f"{name}:a.oemp: error: cannot read on: it is encrypted", ["b.oemp"])
            status, out, err = self.ask("leaks", f"{path}:b.oemp")
            self.claim(status == 0 and "8 snapshots" in out and not err, f"{name}:b.oemp: {status} {err}")
            status, _, err = self.ask("leaks", f"{path}:a.oemp")
            self.claim(status == 3 and "it is encrypted" in err, f"{name}:a.oemp: {status} {err}")
        path = self.seven("names.7z", "a.oemp", "-psecret", "-mhe=on")
        status, _, err = self.ask("leaks", path)
        self.claim(status == 3 and f"{path}: error: cannot read all" in err and "encrypted" in err, status, err)

    def dictionaries(self):
        """A small file that asks for 4 GiB of memory is refused, and the message says what to do."""
        if self.sanitized:
            return
        self.write("a.oemp", (SAMPLES / "shop-v2.oemp").read_bytes())
        path = self.seven("large.7z", "a.oemp", "-mhc=off", "-m0=lzma2")
        if path:
            data = path.read_bytes()
            offset, size = struct.unpack_from("<QQ", data, 12)
            head = bytearray(data[32 + offset:32 + offset + size])
            head[head.index(b"\x21\x21\x01") + 3] = 40  # LZMA2 and its one byte of properties
            start = struct.pack("<QQI", offset, size, zlib.crc32(head))
            path.write_bytes(data[:8] + struct.pack("<I", zlib.crc32(start)) + start + data[32:32 + offset] + head)
            done = self.runs.alone("info", path, "--max-memory", "300M")
            self.claim(done.returncode == 3 and b"large.7z:a.oemp: error: cannot be decompressed" in done.stderr
                      and b"--max-memory allows more" in done.stderr, "a 7z archive with a dictionary of 4 GiB", done)
        packed = lzma.compress(bytes(99), filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 8 << 20}])
        head = bytearray(packed[12:12 + 4 * packed[12] + 4])
        for size, words in (34, b"out of memory: the limit is 300.0 MiB"), (40, b"over 1 GiB of memory"):
            head[head.index(b"\x21\x01") + 2] = size  # half a GiB, 4 GiB
            head[-4:] = struct.pack("<I", zlib.crc32(head[:-4]))
            path = self.write("large.xz", packed[:12] + head + packed[12 + len(head):])
            done = self.runs.alone("info", path, "--max-memory", "300M")
            self.claim(done.returncode == 3 and words in done.stderr, "xz with a large dictionary", done)

    def limits(self):
        """Each limit works, is reported with the name of its option, and has its own status."""
        sample = SAMPLES / "shop-v2.oemp"
        data = sample.read_bytes()
        path = self.write("packed.oemp.gz", gzip.compress(data))
        lines = self.write("lines.gz", gzip.compress(data[:9000] + b"x" * (66 << 20), 9))
        members = self.write("members.zip", self.zip_of([(f"{i}.oemp", data) for i in range(5)]))
        folder = self.place / "many"
        folder.mkdir()
        for i in range(5):
            shutil.copy(sample, folder / f"{i}.oemp")
        nested = data
        for _ in range(5):
            nested = gzip.compress(nested)
        deep = self.write("deep.oemp", nested)
        for limit, value, file in (("unpacked", "20K", path), ("ratio", "100", lines),
                                   ("nesting", "4", deep), ("files", "4", members),
                                   ("files", "4", folder)):
            status, _, err = self.ask("check", file, f"--max-{limit}", value)
            self.claim(status == 3 and f"--max-{limit}" in err and "[limit]" in err,
                      f"--max-{limit} of {file.name}: {status} {err}")
        for limit, value, file in (("unpacked", "64K", path), ("ratio", "2000", lines),
                                   ("nesting", "5", deep), ("files", "5", members),
                                   ("files", "5", folder)):
            _, _, err = self.ask("info", file, f"--max-{limit}", value, "--group", "all")
            self.claim("[limit]" not in err, f"--max-{limit} {value} of {file.name}: {err}")
        packed = self.write("small.oemp.gz", gzip.compress(data))
        for most, told in ("1K", "larger than 1.0 KiB when"), ("20000", "larger than 19.5 KiB when"):
            err = self.ask("info", packed, "--max-unpacked", most)[2]
            self.claim(told in err, f"--max-unpacked {most}: {err}")
        # skipped bytes count if a zip archive has no directory in which to find the next member
        bomb = self.zip_of([("x.bin", bytes(8 << 20)), ("a.oemp", data)])
        status, _, err = self.ask("info", self.write("bomb.zip", bomb), "--max-unpacked", "1M")
        self.claim("[limit]" not in err and status == 0, f"a zip archive with a directory: {status} {err}")
        without = self.write("bomb.zip", bomb[:bomb.index(b"PK\x01\x02")])
        status, _, err = self.ask("info", without, "--max-unpacked", "1M")
        self.claim(status == 3 and "--max-unpacked" in err, f"a zip archive without its directory: {status} {err}")
        whole = self.zip_of([("a.oemp", data), ("b.oemp", data)])
        self.told("torn.zip", whole[:-9], "its end is missing", ["a.oemp", "b.oemp"])
        status, out, err = self.ask("info", sample, "--max-line", "200", "--format", "json")
        self.claim("long-line" in err, f"--max-line: {status} {err}")
        status, out, err = self.ask("top", "--by", "type", sample, "--max-name", "12", "--format", "csv")
        self.claim(status == 0 and "long-name" in err and out.count("…") > 3, f"--max-name: {err}")
        twice = self.ask("top", "--by", "type", sample, "--max-name", "12", "--format", "csv")[1]
        self.claim(out == twice, "--max-name: another answer")
        full = self.ask("top", "--by", "type", sample, "--format", "csv")[1]
        self.claim(len(out.splitlines()) == len(full.splitlines()), "--max-name joins types")
        done = self.runs.alone("info", sample, "--max-time", "1us")
        self.claim(done.returncode == 3 and b"--max-time" in done.stderr, "--max-time", done.stderr)
        done = self.runs.alone("info", sample, "--max-memory", "300K")
        if not self.sanitized:
            self.claim(done.returncode == 3 and b"--max-memory" in done.stderr, "--max-memory", done)
        for option, word in ("--max-memory", "much"), ("--max-ratio", "0"), ("--max-nesting", "17"):
            done = self.runs.alone("info", sample, option, word)
            self.claim(done.returncode == 2 and word.encode() in done.stderr, option, word, done.stderr)

    @staticmethod
    def tar_of(members):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as archive:
            for name, content in members:
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return data.getvalue()

    @staticmethod
    def zip_of(members, how=zipfile.ZIP_DEFLATED):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", how) as archive:
            for name, content in members:
                archive.writestr(zipfile.ZipInfo(name), content, how)
        return data.getvalue()


def main():
    options = arguments(__doc__, words=("laws", {"nargs": "*"}), server=str, sanitized=bool)
    with tempfile.TemporaryDirectory() as place:
        packed = Packed(options.memprof, options.server, pathlib.Path(place))
        packed.sanitized = options.sanitized
        for law in options.laws or ["streams", "torn", "damaged", "archives", "orders", "crowd", "broken", "directories", "passwords", "dictionaries", "members", "kinds", "limits"]:
            getattr(packed, law)()
        return packed.end()


if __name__ == "__main__":
    sys.exit(main())
