#!/usr/bin/env python3
"""Make the seeds of fuzzing: a folder for each target, and its words as TARGET.dict.

    tests/fuzz/seeds.py --memprof build/memprof --generate build/memprof-generate FOLDER

Recordings come from the generator and the samples. They are thinned, because a fuzzer is fast with small
inputs. Other inputs are the texts in the tests of their parser, and the recorded command lines. Words are the
short texts in the sources of the parser, so no separate list can become outdated."""
import argparse
import bz2
import gzip
import io
import lzma
import pathlib
import random
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
sys.path.insert(0, str(ROOT / "tests"))
import ablobjects  # noqa: E402
import heapsnapshot  # noqa: E402
import hprof  # noqa: E402
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')

# For each target: commands of the generator, samples, and the tests and sources of its parser.
GENERATED = {
    "oemp": ["oemp --version 1 --objects 20 --snapshots 4", "oemp --version 2 --objects 20 --snapshots 4",
             "oemp --version 2 --objects 20 --snapshots 4 --reusable --requests"],
    "prf": ["prf --version 1", "prf --version 2", "prf --version 3", "prf --version 4",
            "prf --version 1 --old-modules --crlf"],
    "rpt": ["rpt --layout old", "rpt --layout new", "rpt --layout new --decimal-comma"],
    "taligent": ["taligent --events 100", "taligent --events 100 --analysis",
                 "taligent --events 100 --damaged --blanks --threads 5 --crlf"],
    "heaptrack": ["heaptrack --events 100", "heaptrack --events 100 --frames 12"],
    "massif": ["massif"],
    "dhat": ["dhat"],
    "folded": ["folded"],
    "folded_bytes": ["folded"],
    "memcheck": ["memcheck"],
    "lsan": ["lsan"],
    "dynobjects": ["dynobjects --requests 2 --trace", "dynobjects --requests 1 --layout client --crlf"],
    "ablobjects": ["ablobjects --dump 1", "ablobjects --layout leakcheck --dump 1"],
    "pprof": ["pprof --dump 1", "pprof --dump 3"],
    "pprof_time": ["pprof --layout cpu"],
    "pprof_samples": ["pprof --layout cpu"],
    "heapprofile": ["heapprofile --dump 2"],
    "cpuprofile": ["cpuprofile"],
    "gperftools": ["gperftools", "gperftools --layout jemalloc", "gperftools --layout go"],
    "rpm": ["rpm --objects 8", "rpm --dump 1", "rpm --domains 2 --crlf --types-last --no-stamps"],
}
TEXTS = {"policy": "test_policy", "suppressions": "test_suppression"}
SOURCES = {
    "oemp": "src/readers/oemp*.c", "prf": "src/readers/prf*.c", "rpt": "src/readers/rpt.c",
    "taligent": "src/readers/taligent*.c", "rpm": "src/readers/rpm*.c",
    "dynobjects": "src/readers/dynobjects*.c", "ablobjects": "src/readers/ablobjects*.c", "aqtime": "src/readers/aqtime*.c",
    "heaptrack": "src/readers/heaptrack*.c", "massif": "src/readers/massif.c",
    "dhat": "src/readers/dhat.c", "folded": "src/readers/folded.c",
    "folded_bytes": "src/readers/folded.c", "memcheck": "src/readers/memcheck.c", "lsan": "src/readers/lsan.c",
    "pprof": "src/readers/pprof*.c", "pprof_time": "src/readers/pprof*.c", "pprof_samples": "src/readers/pprof*.c",
    "gperftools": "src/readers/gperftools*.c", "heapprofile": "src/readers/heapprofile.c",
    "cpuprofile": "src/readers/cpuprofile.c",
    "heapsnapshot": "src/readers/heapsnapshot*.c", "hprof": "src/readers/hprof*.c",
    "policy": "src/compare/policy*.c", "suppressions": "src/query/suppression.c",
    "baseline": "src/compare/baseline*.c", "substitution": "src/compare/substitution.c",
    "command": "src/*/options.[cd]*", "pattern": "src/base/characters.c",
}


def unescaped(literal):
    """Return the bytes of a C literal, with the escapes that these tests use."""
    def meant(found):
        letter = found.group(1)
        return chr(int(letter[1:], 16)) if letter[0] == "x" else {"n": "\n", "t": "\t", "r": "\r"}.get(letter, letter)
    return re.sub(r"\\(x[0-9a-fA-F]{2}|.)", meant, literal).encode("latin-1", "replace")


def literals(path):
    """Return the texts of a C source; adjacent literals are joined."""
    text = re.sub(r'"\s*\n?\s*"', "", path.read_text(encoding="utf-8"))
    return [unescaped(found) for found in LITERAL.findall(text)]


def thin(data, rows):
    """Keep the first rows of each section. A line with a dot, or an empty line, ends a section."""
    kept, count = [], 0
    for line in data.splitlines(keepends=True):
        count = 0 if line.strip() in (b".", b"") else count + 1
        if count <= rows:
            kept.append(line)
    return b"".join(kept)


def small_database(sql, rows):
    """Make a database from these statements, with at most `rows` rows per table, in small pages."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "small.sqlite"
        database = sqlite3.connect(path)
        database.execute("PRAGMA page_size = 512")
        database.executescript(sql)
        tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in tables:
            database.execute(f'DELETE FROM "{name}" WHERE rowid > {rows}')
        database.commit()
        database.execute("VACUUM")
        database.close()
        return path.read_bytes()


def archives(data):
    """Return archives in each format, and nested ones; small, truncated, with duplicate and with unusual names."""
    small, names = data[:300], ["a.gclog", "folder/b.oemp", "a.gclog", "C:\\x\u00e4\u202ey"]

    def tar(form, members):
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w", format=form) as made:
            for name, content in members:
                member = tarfile.TarInfo(name)
                member.size = len(content)
                made.addfile(member, io.BytesIO(content))
        used = file.getvalue().rstrip(b"\0")  # fill the block, and add two empty ones
        return used + bytes(-len(used) % 512 + 1024)

    def zipped(method, members):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as made:
            for number, (name, content) in enumerate(members):
                if name not in made.namelist():
                    made.writestr(zipfile.ZipInfo(name, (2026, 3, 2 + number, 0, 0, 0)), content)
        return file.getvalue()

    members = [(name, small[at * 40:]) for at, name in enumerate(names)]
    made = [tar(form, members) for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)]
    made += [zipped(method, members) for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)]
    made += [zipped(zipfile.ZIP_DEFLATED, [("in.tar", made[0]), ("in.gz", gzip.compress(small, mtime=0))]),
             tar(tarfile.USTAR_FORMAT, [("in.zip", made[3])]), gzip.compress(made[0], mtime=0)]
    if shutil.which("7z"):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in (("a.gclog", data), ("b.oemp", small)):
                (pathlib.Path(folder) / name).write_bytes(content)
            subprocess.run(["7z", "a", "-mtm=off", "-bso0", "-bsp0", "-m0=lzma2:d64k", "x.7z", "a.gclog", "b.oemp"],
                           cwd=folder, check=True)
            made.append((pathlib.Path(folder) / "x.7z").read_bytes())
    return [*made, *(one[:len(one) * 2 // 3] for one in made)]


def packed(data):
    """Return compressed texts: once, twice, truncated, and by programs if they are installed. Also UTF-16 and
    UTF-32."""
    made = [gzip.compress(data, mtime=0), bz2.compress(data), lzma.compress(data)]
    for program in ("zstd", "lz4"):
        if shutil.which(program):
            made.append(subprocess.run([program, "-c", "-q"], input=data, stdout=subprocess.PIPE, check=True).stdout)
    wide = data[:4000].decode().encode("utf-16-le")
    made += [wide, b"\xfe\xff" + wide, wide.replace(b"S\0h\0", b"\x3d\xd8"), gzip.compress(wide, mtime=0)]
    made += [data[:400].decode().encode("utf-32")]
    return [*made, gzip.compress(made[1], mtime=0), made[0] * 2, *(one[:len(one) * 2 // 3] for one in made)]


def decoded():
    """Return texts after the byte that chooses an encoding in decoded.c; then texts without a name, with and
    without a mark."""
    source = (ROOT / "tests" / "fuzz" / "decoded.c").read_text(encoding="utf-8")
    names = [name for name in re.search(r"encodings\[\] = {(.*?)}", source, re.DOTALL)[1].split('"')[1::2]
             if name != "CP1258"]
    text = "1|a\u00e9\u0416\u7a0b\u5e8f\uac00\U0001f600\"\r\n2|plain\n\u30bd\u30fc\u30c8\\\n"
    made = [bytes([number]) + text.encode(name, "ignore") for number, name in enumerate(names)]
    none = bytes([len(names) + 1])
    return made + [none + text.encode(name) for name in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")]


def make(program, generator):
    """Make the seeds of each target."""
    seeds = {target: [] for target in [*SOURCES, "rows", "document"]}

    def generate(command):
        return subprocess.run([generator, *command.split()], stdout=subprocess.PIPE, check=True).stdout

    for target, commands in GENERATED.items():
        for command in commands:
            whole = generate(command)
            lines = whole.splitlines(keepends=True)
            seeds[target] += [thin(whole, 2), thin(whole, 6), b"".join(lines[:40])]
            seeds[target] += [thin(whole, 1)[:2500].decode().encode("utf-16")]
    sql = generate("aqtime").decode()
    seeds["aqtime"] += [small_database(sql, rows) for rows in (1, 5)]
    for chance in map(random.Random, range(6)):
        seeds["ablobjects"] += [ablobjects.text_of(chance, ablobjects.made_up(chance, [4, 7])),
                                ablobjects.text_of(chance, ablobjects.made_up_leaks(chance, chance.random() < 0.5))]
    seeds["heapsnapshot"] = [heapsnapshot.made_up(seed).encode() for seed in range(12)]
    seeds["hprof"] = [hprof.MadeUp(seed).data for seed in range(12)]
    seeds["packed"] = packed(generate("rpm --objects 8")) + archives(generate("rpm --objects 8"))
    seeds["decoded"] = decoded()
    for target, test in TEXTS.items():
        texts = literals(ROOT / "tests" / "unit" / (test + ".c"))
        seeds[target] += [text for text in texts if len(text) > 3]
    for target in TEXTS:
        seeds[target] += [path.read_bytes() for path in sorted(SAMPLES.glob(f"*{target}"))]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("shop-v2.oemp", "shop-v4.prf", "shop-1.gclog", "shop-aqtime.sqlite"):
            subprocess.run([program, "baseline", "save", SAMPLES / name, "--store", folder, "--quiet"],
                           stdout=subprocess.DEVNULL, check=True)
        for path in sorted(pathlib.Path(folder).iterdir()):
            lines = path.read_bytes().splitlines(keepends=True)
            seeds["baseline"] += [b"".join(lines[:12]), b"".join(lines[:2] + lines[2::7])]
    for path in sorted((ROOT / "tests" / "cli").glob("*/cmd")):
        try:
            words = shlex.split(path.read_text(encoding="utf-8").split("|")[0])
        except ValueError:
            continue
        if words and words[0] == "$MEMPROF" and len(words) < 20:
            seeds["command"].append("\n".join(words[1:]).encode())
    texts = [text for text in literals(ROOT / "tests" / "unit" / "test_pattern.c") if 1 < len(text) < 30]
    seeds["pattern"] = [b"\n".join(texts[at:at + 4]) for at in range(len(texts) - 4)]
    rules = [b"s/[0-9]+/N/g", b"s/^(a)(.*)$/\\2\\1/", b"s,x*,&&,g", b"s/\xc3\xa4|b/-/"]
    names = [b"shop.Order12", b"a1b22c333", b"\xc3\xa4xx\xff"]
    seeds["command"] += [b"# limits\nlimit = 3\nleaks.stack-depth = 2\nnormalize = s/a/b/\n\nleaks\n-v\na.oemp"]
    seeds["substitution"] = [b"".join(bytes([len(text)]) + text for text in (rule, *names)) for rule in rules]
    noise = random.Random(1)
    for target in ("rows", "document"):
        seeds[target] = [noise.randbytes(size) for size in (50, 200, 400, 800, 1600)]
    return seeds


def words_of(target):
    words = set()
    for path in sorted(ROOT.glob(SOURCES.get(target, ""))) if target in SOURCES else []:
        words.update(word for word in literals(path) if 2 <= len(word) <= 24 and b"%" not in word)
    return sorted(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memprof", required=True)
    parser.add_argument("--generate", required=True)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    for target, seeds in make(arguments.memprof, arguments.generate).items():
        folder = arguments.folder / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(sorted(set(seeds))):
            (folder / f"{number:03}").write_bytes(seed)
        entries = ["".join(f"\\x{byte:02x}" for byte in word) for word in words_of(target)]
        (arguments.folder / f"{target}.dict").write_text("".join(f'"{entry}"\n' for entry in entries))


if __name__ == "__main__":
    main()
