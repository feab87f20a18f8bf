#!/usr/bin/env python3
"""heaptrack recordings: reports agree with the generator's plan and with heaptrack_print. Truncated and
damaged recordings are reported."""
import gzip
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
import claims  # noqa: E402

SAMPLES = HERE.parent / "samples"
CORPUS = HERE.parent.parent / "shared" / "corpus" / "living" / "cpp"
SKIPPED = 77
MADE = [["--events", 300], ["--events", 3000, "--seed", 5], ["--events", 40000, "--frames", 20, "--seed", 2]]


def oracle(text):
    """Return the totals of a recording, by counting the blocks of each kind."""
    kinds, alive, last, sums = [], [], None, dict.fromkeys(("created", "bytes", "deleted", "temporary", "odd"), 0)
    live = peak = 0
    for line in text.splitlines():
        letter, words = line[:1], line[2:].split()
        if letter == "a":
            kinds.append(int(words[0], 16))
            alive.append(0)
        elif letter == "+":
            last = kind = int(words[0], 16)
            alive[kind] += 1
            live += kinds[kind]
            peak = max(peak, live)
            sums["created"] += 1
            sums["bytes"] += kinds[kind]
        elif letter == "-":
            kind = int(words[0], 16)
            alive[kind] -= 1
            live -= kinds[kind]
            sums["deleted"] += 1
            sums["temporary"] += last == kind
            sums["odd"] += last is None and kind == 0  # heaptrack counts these as temporary, too
            last = None
    return sums | {"live": sum(alive), "live_bytes": live, "peak": peak}


class Laws(claims.ClaimsOfProgram):
    def __init__(self, program, generate):
        super().__init__(program)
        self.generate = generate

    def made(self, folder, options):
        path, answer = folder / "made.heaptrack", folder / "made.json"
        subprocess.run([self.generate, "heaptrack", *map(str, options), "--answer", answer, "-o", path], check=True)
        return path, json.loads(answer.read_text())

    def plan(self, path, answer):
        """Reports agree with the generator's plan."""
        report = self.json("leaks", path, "--limit", 0)
        for name, number in answer["totals"].items():
            self.claim(report["totals"].get(name) == number, path, name, report["totals"].get(name), number)
        rows = {tuple(row["stack"]): (row["objects"], row["bytes"]) for row in report["leaks"]}
        left = {tuple(row["stack"]): (row["objects"], row["bytes"]) for row in answer["left"]}
        self.claim(rows == left, path, rows, left)

    def agrees(self, what, path, text):
        """The totals agree with a count of the lines."""
        expected, report = oracle(text), self.json("analyze", path, "--limit", 0)
        totals = report["totals"]
        for name, key in (("created_objects", "created"), ("created_bytes", "bytes"), ("deleted_objects", "deleted"),
                          ("temporary_objects", "temporary"), ("live_objects", "live"), ("live_bytes", "live_bytes"),
                          ("peak_bytes", "peak")):
            self.claim(totals[name] == expected[key], what, name, totals[name], expected[key])
        return expected, report

    def referee(self, path, text):
        """heaptrack_print reports the same totals."""
        done = subprocess.run(["heaptrack_print", path], capture_output=True, text=True, check=True, errors="replace")
        expected, _ = self.agrees(path, path, text)

        def told(name):
            return re.search(name + r": ([\d.]+)([KMG]?)", done.stdout).groups()

        self.claim(int(told("calls to allocation functions")[0]) == expected["created"], path, done.stdout[-400:])
        self.claim(int(told("temporary memory allocations")[0]) == expected["temporary"] + expected["odd"], path,
                   done.stdout[-400:])
        for name, bytes in (("peak heap memory consumption", expected["peak"]),
                            ("total memory leaked", expected["live_bytes"])):
            number, unit = told(name)
            power = {"": 1, "K": 1000, "M": 1000**2, "G": 1000**3}[unit]
            self.claim(abs(float(number) * power - bytes) <= (0.0051 * power if unit else 0), path, name, number, bytes)

    def first_lines(self):
        """The first lines name the leak and its site, and the site that only fills a cache."""
        text = self.run("analyze", SAMPLES / "shop.heaptrack", "--quiet").stdout
        worst = next((line for line in text.splitlines() if "Worst leak" in line), "")
        self.claim("TOrderService::PlaceOrder(TOrder&):46" in worst, worst)
        other = next((line for line in text.splitlines() if "Largest other" in line), "")
        self.claim("TPriceCache::Fill" in other and "filled early" in other, other)

    def cut(self, folder):
        """A truncated recording has the figures of its complete lines, and is reported."""
        path, _ = self.made(folder, ["--events", 400])
        data, rng, cut = path.read_bytes(), random.Random(7), folder / "cut.heaptrack"
        for _ in range(40):
            at = rng.randrange(len(data) // 3, len(data))
            cut.write_bytes(data[:at])
            whole = data[:at][:data[:at].rfind(b"\n") + 1].decode()
            if "# ips" not in whole:
                self.agrees(f"cut at {at}", cut, whole)
                self.claim("torn-recording" in self.run("check", cut).stdout, "cut at", at, "is not reported")
                self.claim(self.run("analyze", cut, "--max-leaked", "1G").returncode == 3, "cut at", at, "passes")
        packed = folder / "cut.heaptrack.gz"
        packed.write_bytes(gzip.compress(data)[:-40])
        self.claim(self.run("analyze", packed, "--max-leaked", "1G").returncode == 3, "a cut gzip file passes")

    def damaged(self, folder):
        """A damaged line is reported with what was expected, and no limit passes."""
        path, answer = self.made(folder, ["--events", 300])
        good = path.read_text().splitlines()
        bad = folder / "bad.heaptrack"
        for line in ("+ ", "+ fffff", "+ xyz", "- fffff", "-", "t 1 ffff", "t x", "i zz", "i 1 ffff", "a 10 ffff", "a 10",
                     "a ffffffffffffffff 1", "s 5 abc", "s zz", "c", "c 0 0", "c xyz", "q 1", "\0", "+ 0\0"):
            at = len(good) // 2
            bad.write_text("\n".join(good[:at] + ["c ffff" if line == "c 0 0" else line, *good[at:]]) + "\n")
            done = self.run("check", bad)
            self.claim(done.returncode == 1 and f"bad.heaptrack:{at + 1}" in done.stdout + done.stderr or "c" in line,
                       repr(line), done.stdout[-700:], done.stderr)
            self.claim(self.run("check", bad).returncode == 1, repr(line), "is not reported")
        for at, line in enumerate(good):
            if not line.startswith("- ") or at % 7:
                continue
            bad.write_text("\n".join(good[:at] + good[at:at + 1] * 60 + good[at:]) + "\n")
            self.claim("deletion-of-unknown" in self.run("check", bad).stdout, line, "60 times is not reported")
            self.claim(self.run("analyze", bad, "--max-leaked", "1G").returncode == 3, line, "passes")

    def time_at_the_end(self, folder):
        """The last time is found even if 64 KiB of other lines follow it."""
        path, _ = self.made(folder, ["--events", 300])
        text = path.read_text()
        times = re.findall(r"^c (\w+)$", text, re.MULTILINE)
        end = text.index("# strings")
        path.write_text(text[:end] + "# nothing\n" * 20000 + text[end:])
        snapshots = self.json("snapshots", path)["snapshots"]
        self.claim(snapshots[-1]["time_us"] == int(times[-1], 16) * 1000, snapshots[-1])

    def baseline(self, folder):
        """A baseline states, like its recording, that nothing is missing at the end."""
        path, _ = self.made(folder, ["--events", 300])
        saved = folder / "saved.baseline"
        self.run("baseline", "save", path, "--store", folder, "--as", "saved")
        inputs = self.json("diff", saved, path)["inputs"]
        self.claim([row["complete"] for row in inputs] == [True, True], inputs)

    def raw(self, folder):
        """A raw recording is refused, and the message says how to convert it."""
        path = folder / "raw.heaptrack"
        path.write_text("v 10400 3\nx c /bin/program\nX program\nI 1000 5e298f\nm 1 -\nm 1 x 5628 0 930\n"
                        "t 7fa5bdcdfb9f 0\n+ 11c00 1 562897f26530\n")
        done = self.run("analyze", path)
        self.claim(done.returncode == 3 and "heaptrack --interpret" in done.stderr, done.stderr)
        path.write_text("v 10500 4\n+ 0\n")
        done = self.run("analyze", path)
        self.claim(done.returncode == 3 and "expected 1 to 3" in done.stderr, done.stderr)

    def corpus(self, policy):
        """The real recording has the figures of its README."""
        for ending in ("zst", "gz"):
            path = CORPUS / f"leak.heaptrack.{ending}"
            report = self.json("leaks", path, "--limit", 0)
            totals = report["totals"]
            self.claim((totals["created_objects"], totals["created_bytes"], totals["leaked_objects"],
                        totals["leaked_bytes"], totals["peak_bytes"], totals["temporary_objects"]) ==
                       (6260, 1891192, 171, 232896, 1338792, 6081), path, totals)
            self.claim([(next(frame for frame in row["stack"] if not frame.startswith("operator new")), row["objects"],
                         row["bytes"]) for row in report["leaks"]] ==
                       [("Cache::fill():8", 50, 204800), ("makeOrder:10", 120, 24000),
                        ("__GI__IO_file_doallocate:101", 1, 4096)], report["leaks"])
            done = self.run("analyze", path)
            self.claim("too few snapshots" in done.stdout and "Cache::fill():8" in done.stdout, done.stdout)
            policy.write_text("growth per snapshot <= 1 MiB\n")
            done = self.run("gate", policy, path)
            self.claim(done.returncode == 3 and "too few" in done.stdout + done.stderr, path, done.stdout, done.stderr)


def main():
    arguments = claims.arguments(__doc__, generate=claims.PROGRAM)
    laws = Laws(arguments.memprof, arguments.generate)
    referee = shutil.which("heaptrack_print")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        laws.plan(SAMPLES / "shop.heaptrack", json.loads((SAMPLES / "answers" / "shop.heaptrack.json").read_text()))
        for options in MADE:
            path, answer = laws.made(folder, options)
            laws.plan(path, answer)
            laws.agrees(options, path, path.read_text())
            if referee:
                laws.referee(path, path.read_text())
        laws.first_lines()
        laws.cut(folder)
        laws.damaged(folder)
        laws.time_at_the_end(folder)
        laws.baseline(folder)
        laws.raw(folder)
        if CORPUS.exists():
            laws.corpus(folder / "growth.policy")
        else:
            print(f"heaptrack.py: {CORPUS} is not here: its recording is not compared")
    status = laws.end(100)
    if not referee:
        print("heaptrack.py: heaptrack_print (Debian package heaptrack) is missing: not compared with it")
    return status or (0 if referee else SKIPPED)


if __name__ == "__main__":
    sys.exit(main())
