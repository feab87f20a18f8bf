#!/usr/bin/env python3
"""Heap profiles in text: reports agree with a naive reading of made-up profiles, with the generator's plan and, with
--corpus, with profiles of known content and `go tool pprof` (exit status 77 without them). Cut, damaged, unusual and
hostile profiles are read too."""
import collections
import gzip
import json
import math
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import claims

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
CORPUS = HERE.parent.parent / "shared" / "corpus" / "living"
SERIES = [SAMPLES / f"shop-{moment}.heap" for moment in range(1, 5)]
SKIPPED = 77
COUNTS = r"\s*(\d+):\s*(\d+)\s*\[\s*(\d+):\s*(\d+)\]"
MAPS = ("\nMAPPED_LIBRARIES:\n00400000-00600000 r-xp 00001000 fe:00 12   /opt/shop/shop\n"
        "7f0000000000-7f0000010000 r-xp 00000000 fe:00 13   /usr/lib/libz.so (deleted)\n"
        "7f0000010000-7f0000020000 rw-p 00000000 00:00 0 \n")

# --- a naive reading ---


def estimate(objects, size, rate):
    if rate <= 1 or not objects or not size:
        return objects, size
    factor = 1 / (1 - math.exp(-(size / objects) / rate))
    return int(objects * factor), int(size * factor)


def called(address, maps):
    """The name of the call before a return address."""
    address -= 1
    for start, end, offset, name in maps:
        if start <= address < end and name:
            return f"{name}+{address - start + offset:#x}"
    return f"{address:#x}"


def reading(text):
    """Amounts by stack: (objects, bytes, allocated objects, allocated bytes), and whether allocations are known."""
    lines = text.splitlines()
    maps = []
    for found in re.finditer(r"^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ \d+ *(.*)$", text, re.M):
        name = found.group(4).replace(" (deleted)", "").rsplit("/", 1)[-1]
        maps.append((int(found.group(1), 16), int(found.group(2), 16), int(found.group(3), 16), name))
    kind, rate = re.search(r"(\w+)(?:/(\d+))?$", lines[0]).groups()
    rate = int(rate or 0) // (2 if kind == "heap" else 1) if kind != "heapprofile" else 0
    totals = list(map(int, re.search(COUNTS, lines[0] if "[" in lines[0] else lines[1]).groups()))
    threads = "[" not in lines[0]
    known = (kind in ("heapprofile", "heap") or
             any(totals[2:]) and (threads or totals[2:] != totals[:2]))
    rows, stack = [], None
    for line in lines[1:]:
        if line.startswith(("MAPPED_LIBRARIES", "# runtime")):
            break
        counts = re.match(r"  t\*:" + COUNTS if threads else COUNTS, line)
        if line.startswith("@") or counts and not threads:
            stack = [called(int(word, 16), maps) for word in line.split("@")[1].split()]
        if counts and stack is not None:
            rows.append([stack, list(map(int, counts.groups()))])
            named = False
        frame = re.match(r"#\t0x([0-9a-f]+)(?:\t+([^\t]+)\+0x[0-9a-f]+\t+([^\t]+):(\d+))?$", line)
        if frame and rows:
            rows[-1][0] = (rows[-1][0] if named else []) + [
                f"{frame.group(2)}:{frame.group(4)}" if frame.group(2) else f"{int(frame.group(1), 16):#x}"]
            named = True
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for stack, (objects, size, made, made_size) in rows:
        values = estimate(objects, size, rate) + (estimate(made, made_size, rate) if known else (0, 0))
        if objects or known and made:
            sums[tuple(stack)] = [a + b for a, b in zip(sums[tuple(stack)], values)]
    return sums, known


# --- made-up profiles ---


def plan(random_, stacks, moments):
    """Amounts of each stack at each moment; allocations never fall."""
    grown = {stack: [0, 0] for stack in stacks}
    for _ in range(moments):
        amounts = {}
        for stack in stacks:
            size, made = random_.choice((8, 24, 512, 4000, 300000)), random_.randrange(40)
            grown[stack][0] += made
            grown[stack][1] += made * size
            alive = random_.randint(0, grown[stack][0])
            size = grown[stack][1] * alive // grown[stack][0] if alive else 0
            amounts[stack] = (alive, size, *grown[stack])
        yield amounts


def written(random_, amounts, layout, kind):
    """A profile in a layout of gperftools, jemalloc or Go."""
    totals = [sum(row[i] for row in amounts.values()) for i in range(4)]

    def counts(row):
        pad = 6 if layout == "gperftools" else 0
        return f"{row[0]:{pad}}: {row[1]:{pad}} [{row[2]:{pad}}: {row[3]:{pad}}]"
    out = f"{kind}\n  t*: {counts(totals)}\n" if layout == "jemalloc" else f"heap profile: {counts(totals)} @ {kind}\n"
    for stack, row in amounts.items():
        addresses = "@ " + " ".join(f"{address:#x}" for address in stack)
        if layout == "jemalloc":
            out += f"{addresses}\n  t*: {counts(row)}\n  t0: {counts(row)} worker\n"
        else:
            out += f"{counts(row)} {addresses}\n"
        if layout == "go":
            out += "".join(f"#\t{address - 1:#x}\tmain.(*T).f{address % 7}+0x{address % 99:x}\t\t/a b/m.go:{address % 90 + 1}\n"
                           if address % 5 else f"#\t{address - 1:#x}\n" for address in stack) + "\n"
    if layout == "go":
        return out + "\n# runtime.MemStats\n# Alloc = 1\n"
    return out + MAPS


class Laws(claims.ClaimsOfProgram):
    def totals(self, *paths):
        return self.json("leaks", *paths, "--limit", 0).get("totals", {})

    def codes(self, report):
        return {one["code"] for one in report.get("diagnostics", [])}

    def agrees(self, what, path, text):
        """Totals, sites and the snapshot of one profile equal those of a naive reading."""
        sums, known = reading(text)
        total = [sum(row[i] for row in sums.values()) for i in range(4)]
        report = self.json("top", path, "--by", "site", "--limit", 0)
        found = report["totals"]
        self.claim((found["live_objects"], found["live_bytes"]) == tuple(total[:2]), what, found, total)
        self.claim(not known or found["created_objects"] == total[2], what, "created", found, total)
        rows = {tuple(row["stack"]): (row["objects"], row["bytes"]) for row in report["top"] if row["objects"]}
        expected = {stack: tuple(row[:2]) for stack, row in sums.items() if row[0]}
        self.claim(rows == expected, what, "sites", rows, expected)
        shot = self.json("snapshots", path)["snapshots"][-1]
        self.claim((shot["live_objects"], shot["live_bytes"]) == tuple(total[:2]), what, "snapshot", shot)
        self.claim(not self.codes(report), what, report.get("diagnostics"))

    def made_up(self, folder, seed, count):
        random_ = random.Random(seed)
        for number in range(count):
            stacks = [tuple(random_.choice((0x400001, 0x7f0000000000, 0x7f0000010000, 0x100)) + random_.randrange(0x2000)
                            for _ in range(random_.randint(1, 9))) for _ in range(random_.randint(1, 12))]
            layout, kind = random_.choice((
                ("gperftools", "heapprofile"), ("gperftools", "heap_v2/524288"), ("gperftools", "heapz_v2/1"),
                ("jemalloc", "heap_v2/1"), ("jemalloc", "heap_v2/4096"), ("go", "heap/2"), ("go", "heap/1048576")))
            paths, alive = [], []
            for moment, amounts in enumerate(plan(random_, stacks, random_.randint(1, 4))):
                text = written(random_, amounts, layout, kind)
                paths.append(folder / f"{number}-{moment}.heap")
                paths[-1].write_text(text)
                self.agrees((number, moment, kind), paths[-1], text)
                sums, _ = reading(text)
                alive.append(tuple(sum(row[i] for row in sums.values()) for i in (0, 1)))
            shots = [(shot["live_objects"], shot["live_bytes"]) for shot in self.json("snapshots", *paths)["snapshots"]]
            self.claim(shots == alive, number, "series", shots, alive)

    def planned(self):
        """Totals and leaks of each sample, as the last profile of its series."""
        for name in ("shop-1", "shop-2", "shop-3", "shop-4", "shop-jemalloc", "shop-go"):
            answer = json.loads((SAMPLES / "answers" / f"{name}.heap.json").read_text())
            series = SERIES[:int(name[-1])] if name[-1].isdigit() else [SAMPLES / f"{name}.heap"]
            report = self.json("leaks", *series, "--limit", 0)
            found = {key: report["totals"].get(key) for key in answer["totals"]}
            self.claim(found == answer["totals"], name, found, answer["totals"])
            top = self.json("top", series[-1], "--by", "site", "--limit", 0)["top"]
            rows = sorted((row["objects"], row["bytes"], [frame for frame in row["stack"] if "jemalloc" not in frame])
                          for row in top)
            expected = sorted((site["objects"], site["bytes"], site["stack"]) for site in answer["sites"])
            self.claim(rows == expected, name, rows, expected)
            self.claim(not self.codes(report), name, report.get("diagnostics"))
        leaks = [(row["objects"], row["kind"]) for row in self.json("leaks", *SERIES, "--limit", 0)["leaks"]]
        self.claim(leaks == [(60, "leak")], leaks)
        for limit, status in (("60K", 0), ("1K", 1)):
            self.claim(self.run("leaks", *SERIES, "--max-leaked", limit).returncode == status, limit)
        self.claim(self.run("leaks", *SERIES[:3], "--max-trend", "0").returncode == 3, "three are too few to judge")
        mixed = [*SERIES, SAMPLES / "shop-jemalloc.heap"]
        self.claim("other-process" in self.codes(self.json("leaks", *mixed)), "two kinds")
        self.claim(self.run("leaks", *mixed, "--max-trend", "0").returncode == 3, "two kinds are not judged")

    def read(self, folder, text, name="one.heap"):
        path = folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.json("leaks", path, "--limit", 0)

    def rules(self, folder):
        """Each peculiarity has its diagnostic, and the documented effect."""
        good = "heap profile: 3: 300 [5: 500] @ heapprofile\n3: 300 [5: 500] @ 0x400101\n"

        def check(what, text, code, objects=None):
            report = self.read(folder, text)
            self.claim(code is None and not self.codes(report) or code in self.codes(report), what, report)
            if objects is not None:
                self.claim(report["totals"]["live_objects"] == objects, what, report["totals"])
        check("good", good + MAPS, None, 3)
        check("CR LF", (good + MAPS).replace("\n", "\r\n"), None, 3)
        check("no mappings", good, "torn-recording", 3)
        check("cut in a line", (good + MAPS)[:-9], "torn-recording", 3)
        check("fewer records than the header states", good.replace("3: 300 [5: 500] @ h", "4: 400 [5: 500] @ h") + MAPS,
              "torn-recording", 3)
        check("more records", good.replace("3: 300 [5: 500] @ h", "2: 200 [5: 500] @ h") + MAPS, "trailer-objects", 3)
        check("fewer allocated than the header states", good.replace("[5: 500] @ h", "[6: 600] @ h") + MAPS, "torn-recording", 3)
        check("more allocated", good.replace("[5: 500] @ h", "[4: 400] @ h") + MAPS, "trailer-objects", 3)
        check("no records", "heap profile: 0: 0 [0: 0] @ heapprofile\n" + MAPS, "empty-profile", 0)
        check("no objects", good + "0: 10 [0: 0] @ 0x1\n" + MAPS, "bad-row", 3)
        check("fewer allocated", good.replace("[5: 500] @ 0x", "[1: 100] @ 0x") + MAPS, "bad-row", 3)
        check("negative", good + "-1: -8 [1: 8] @ 0x1\n" + MAPS, "bad-row", 3)
        check("a huge number", good + "9223372036854775807: 9223372036854775807 [0: 0] @ 0x1\n" + MAPS, "bad-row", 3)
        check("too many digits", good + "99999999999999999999: 1 [0: 0] @ 0x1\n" + MAPS, "bad-row", 3)
        check("a huge address", good + "1: 8 [1: 8] @ 0x11112222333344445\n" + MAPS, "bad-row", 3)
        check("no number", good + "1: 8 [1: 8]\n" + MAPS, "bad-row", 3)
        check("damaged mapping", good + MAPS + "zzz\n", "bad-row", 3)
        check("mapping that ends before it starts", good + MAPS + "20-10 r-xp 0 0:0 1 /x\n", "bad-row", 3)
        check("a deep stack", "heap profile: 1: 8 [1: 8] @ heapprofile\n1: 8 [1: 8] @" + " 0x400101" * 5000 + "\n" + MAPS,
              "cut-stacks", 1)
        threads = "heap_v2/1\n  t*: 1: 8 [0: 0]\n@ 0x400101\n"
        check("jemalloc", threads + "  t*: 1: 8 [0: 0]\n  t0: 1: 8 [0: 0]\n" + MAPS, None, 1)
        check("jemalloc without totals", "heap_v2/1\n@ 0x400101\n  t*: 1: 8 [0: 0]\n" + MAPS, "torn-recording", 1)
        check("stack without numbers", threads + "@ 0x1\n  t*: 1: 8 [0: 0]\n" + MAPS, "bad-row", 1)
        check("damaged thread", threads + "  t*: 1: 8 [0: 0]\n  tx: 1\n" + MAPS, "bad-row", 1)
        go = "heap profile: 1: 8 [1: 8] @ heap/2\n1: 8 [1: 8] @ 0x400101\n#\t0x400100\tmain.f+0x1\t{}\n\n# runtime.MemStats\n"
        check("Go", go.format("/x.go:7"), None, 1)
        check("damaged frame", go.format("nowhere"), "bad-row", 1)
        check("a line that is too large", go.format("/x.go:99999999999"), "bad-row", 1)
        check("bytes that are not UTF-8", go.format("/\xff.go:7").encode("latin-1"), "not-utf8", 1)
        for header in ("heap profile: 1: 8 [1: 8] @ growthz", "heap profile: 1: 8", "heap_v2/x", "heap profile: x"):
            done = self.run("leaks", "-", input=header + "\n", text=True)
            self.claim(done.returncode == 3 and "expected" in done.stderr, header, done.returncode, done.stderr)
        rate = "heap profile: 1: 8 [1: 8] @ heap_v2/{}\n1: 8 [1: 8] @ 0x400101\n" + MAPS
        check("the largest rate", rate.format(2 ** 64 - 1), "bad-row", 0)

    def cuts(self, folder):
        """A profile that is cut anywhere gives no figure silently, and a damaged byte never ends the program."""
        random_ = random.Random(3)
        for sample in ("shop-4.heap", "shop-jemalloc.heap", "shop-go.heap"):
            data = (SAMPLES / sample).read_bytes()
            end = max(data.find(b"MAPPED_LIBRARIES"), data.find(b"# runtime"))
            for length in range(1, end, 7):
                report = self.read(folder, data[:length])
                self.claim(not report or "torn-recording" in self.codes(report), sample, length, report)
            for _ in range(60):
                place, byte = random_.randrange(len(data)), random_.randrange(256)
                path = folder / "damaged.heap"
                path.write_bytes(data[:place] + bytes([byte]) + data[place + 1:])
                done = self.run("leaks", path, "--format", "json")
                self.claim(done.returncode in (0, 2, 3), sample, place, byte, done.returncode, done.stderr)

    def corpus(self, folder):
        cpp, go = CORPUS / "cpp", CORPUS / "go"
        series = [cpp / f"tcmalloc-{moment}.heap" for moment in range(1, 6)]
        truth = [(50, 201216), (113, 1266088), (172, 229376), (172, 229376), (171, 232896)]
        shots = [(shot["live_objects"], shot["live_bytes"]) for shot in self.json("snapshots", *series)["snapshots"]]
        self.claim(shots == truth, shots)
        found = self.totals(*series)
        self.claim((found["created_objects"], found["created_bytes"]) == (6259, 1818488), found)
        found = self.totals(cpp / "jemalloc.heap")
        self.claim([found[key] for key in ("live_objects", "live_bytes", "created_objects", "created_bytes")] ==
                   [172, 317696, 6260, 1929208], found)
        for path, sites in ((series[-1], {(50, 204800), (120, 24000), (1, 4096)}),
                            (cpp / "jemalloc.heap", {(50, 204800), (1, 81920), (120, 26880), (1, 4096)})):
            top = self.json("top", path, "--by", "site", "--limit", 0)["top"]
            self.claim({(row["objects"], row["bytes"]) for row in top if row["objects"]} == sites, path, top)
        text = gzip.decompress((go / "go-text.heap.gz").read_bytes()).decode()
        for path, data in [(path, path.read_text()) for path in (*series, cpp / "jemalloc.heap")] + [
                (go / "go-text.heap.gz", text)]:
            self.agrees(path.name, path, data)
        top = self.json("top", go / "go-text.heap.gz", "--by", "site", "--limit", 0)["top"]
        self.claim((top[0]["objects"], top[0]["bytes"], top[0]["stack"][0]) == (6001, 6316032, "main.handle:15"), top[0])
        for path, name in ((cpp / "jemalloc.heap", "leak-jemalloc+0x18d5"), (series[-1], "leak-tcmalloc+0x18d5"),
                           (go / "go-text.heap.gz", "main.handle")):
            first = self.run("analyze", path).stdout.splitlines()[2]
            self.claim(name in first, path, first)
        self.referee(folder, [*series, go / "go-text.heap.gz"])

    def referee(self, folder, paths):
        """`go tool pprof` sums up these profiles, and sampled ones, to the same totals."""
        if not shutil.which("go"):
            print("no go: profiles are not compared with go tool pprof")
            return
        random_, paths = random.Random(5), list(paths)
        for kind in ("heap_v2/524288", "heap/1048576"):
            amounts = next(plan(random_, [(0x400001 + i, 0x400100) for i in range(9)], 1))
            paths.append(folder / f"{kind.replace('/', '-')}.heap")
            paths[-1].write_text(written(random_, amounts, "gperftools", kind))
        for path in paths:
            raw = subprocess.run(["go", "tool", "pprof", "-raw", path], capture_output=True, text=True, check=False,
                                 env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "PPROF_TMPDIR": str(folder)}).stdout
            names = raw.split("Samples:\n")[1].splitlines()[0].split()
            samples = [line.split(":")[0].split() for line in raw.split("Samples:\n")[1].split("Locations")[0].splitlines()
                       if re.match(r"\s*\d+\s+\d+.*:", line)]
            sums = {name.split("/")[0]: sum(int(sample[i]) for sample in samples) for i, name in enumerate(names)}
            found = self.totals(path)
            here = (found["live_objects"], found["live_bytes"])
            there = tuple(sums.get(f"inuse_{name}", sums.get(name)) for name in ("objects", "space"))
            self.claim(here == there, path.name, here, there, names)
            if "alloc_objects" in sums:
                self.claim(found["created_objects"] == sums["alloc_objects"], path.name, found, sums)


def main():
    options = claims.arguments(__doc__, corpus=bool, seed=1, count=12)
    if options.corpus and not CORPUS.is_dir():
        print(f"{CORPUS} is not there: skipped")
        return SKIPPED
    law = Laws(options.memprof)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.corpus:
            law.corpus(folder)
        else:
            law.planned()
            law.made_up(folder, options.seed, options.count)
            law.rules(folder)
            law.cuts(folder)
    return law.end(20)


if __name__ == "__main__":
    sys.exit(main())
