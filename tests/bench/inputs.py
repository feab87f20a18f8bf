"""Large recordings for the benchmark. Each function writes one of size n at a path, a row at a time."""
import os
import pathlib
import random
import shutil
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "oracle")]

import growing
import moved


def generated(*words):
    """A recording that memprof-generate writes; {n} in its arguments is the size."""
    def write(path, n, build):
        subprocess.run([build / "memprof-generate", *(word.replace("{n}", str(n)) for word in words),
                        "-o", path], check=True)
    return write


def owned(path, n, _build):
    """An .oemp of 40 snapshots. Each object has a different owner, and half of the owners are unknown."""
    one, each = growing.Recording(), max(1, n // 40)
    one.live = {}
    with open(path, "w", encoding="utf-8") as file:
        for first in range(1, n + 1, each):
            for number in range(first, first + each):
                one.object(number, line=number % 1000, owner=number + 1 if number % 2 else 10 * n + number)
            one.snapshot()
            file.write("".join(line + "\n" for line in one.lines))
            one.lines = []
        file.write(one.done())


def crawls(path, n, _build):
    """A heap log in which each allocation has a different crawl."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(growing.LOG)
        file.writelines(f"1-1\t{1000 + i}\t{0xb0000000 + 64 * i:#x}\t16\tnovtbl\tf{i}()|g{i % 100}()|main\n"
                        for i in range(n))


def types(path, n, _build):
    """A heap log whose blocks have one of 100,000 types, in crawls of 8 frames."""
    rest = "|".join(f"g{i}()" for i in range(6)) + "|main"
    with open(path, "w", encoding="utf-8") as file:
        file.write(growing.LOG)
        for i in range(n):
            at = 0xb0000000 + 64 * i
            file.write(f"1-1\t{1000 + 2 * i}\t{at:#x}\t16\tnovtbl\tf()|{rest}\n")
            if i % 2:
                file.write(f"1-1\t{1001 + 2 * i}\t{at:#x}\tdel\tT{i % 100000}\tg()|{rest}\n")


def traced(path, n, _build):
    """An execution profile with n rows of tracing, of 200 methods with 10 lines each."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('4 03/02/2026 "d" 08:15:30 "u" {"StmtCnt": 1}\n.\n')
        file.writelines(f'{i} "m{i} shop.Class{i % 50}" "" 0 1 ""\n' for i in range(1, 201))
        file.write(".\n" + "".join(f"0 0 {i} 1\n" for i in range(1, 201)) + ".\n")
        each, seconds = n // 2000, 0.000002
        file.write(f"0 0 1 0.000000 {2000 * each * seconds:.6f}\n")
        for i in range(1, 201):
            file.write(f"{i} 0 1 0.000000 {10 * each * seconds:.6f}\n")
            file.writelines(f"{i} {line} {each} {each * seconds:.6f} {each * seconds:.6f}\n"
                            for line in range(1, 11))
        file.write(".\n")
        file.writelines(f"{i % 200 + 1} {i // 200 % 10 + 1} 0.000002 {i * seconds:.6f}\n"
                        for i in range(2000 * each))
        file.write(".\n.\n.\n.\n.\n.\n0 0 0 0 1 1.0 " + " ".join(str(i) for i in range(1, 201)) + "\n")
        file.writelines(f"{i} 0 {i} 0 1 {10 * each * seconds:.6f}\n" for i in range(1, 201))
        file.write(".\n.\n")


def call_tree(path, n, _build):
    """An execution profile with a call tree of n nodes: each of 1,000 methods calls three others."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('4 03/02/2026 "d" 08:15:30 "u" {"StmtCnt": 1}\n.\n')
        file.writelines(f'{i} "m{i} shop.Class{i % 50}" "" 0 1 ""\n' for i in range(1, 1001))
        file.write(".\n.\n0 0 1 0.000000 1.000000\n")
        file.writelines(f"{i} {line} 1 0.000500 0.000500\n" for i in range(1, 1001) for line in (0, 1))
        file.write(".\n.\n.\n.\n.\n.\n.\n0 0 0 0 1 1.0 1\n")
        for i in range(1, n):
            below = " ".join(str(j) for j in range(3 * i - 1, 3 * i + 2) if j < n)
            file.write(f"{i} {(i + 1) // 3} {i % 1000 + 1} 1 1 0.5 {below}".rstrip() + "\n")
        file.write(".\n.\n")


def database(path, n, _build):
    """An AQTime database of n objects with stacks of 12 frames."""
    growing.database(1, 1000, n, 12, 50)(path)


def folder(path, n, _build):
    """n recordings of 27 KB, each of a different session."""
    text = (growing.SAMPLES / "shop-v2.oemp").read_text(encoding="utf-8")
    uuid = moved.FIELD.findall(text)[9]
    path.mkdir()
    for i in range(n):
        (path / f"{i:05}.oemp").write_text(text.replace(uuid, f'{uuid[:-6]}{i:05x}"'), encoding="utf-8")


def sample(path, _n, _build):
    """A small file."""
    shutil.copyfile(growing.SAMPLES / "shop.000001.agent.log", path)


def xz(path, n, build):
    generated("oemp", "--version", "2", "--objects", "{n}", "--snapshots", "40")(path.with_suffix(""), n, build)
    subprocess.run(["xz", "-T0", "-1", path.with_suffix("")], check=True)


def heaptrack(path, n, _build):
    """A recording by heaptrack of a Python program that allocates each object separately."""
    program = f"import json\nfor i in range({n}):\n    json.loads(json.dumps({{'order': i, 'lines': [i, str(i)]}}))"
    subprocess.run(["heaptrack", "-o", path.with_suffix(""), "/usr/bin/python3", "-c", program], check=True,
                   env={**os.environ, "PYTHONMALLOC": "malloc"}, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def derived(maker, edit):
    """Another recording with changed text."""
    def write(path, n, build):
        maker(path, n, build)
        path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")
    return write


def late(text):
    """Lines of a log come up to 9,000 lines late, so nearly every one waits in a heap of that size."""
    chance = random.Random(5)
    head, *lines = text.splitlines(keepends=True)
    return head + "".join(line for _, line in sorted(enumerate(lines), key=lambda at: at[0] + chance.randrange(9000)))


def large_types(text):
    """Ids of types beyond a table of the first few thousand."""
    place = {"t": 1, "o": 2, "r": 4}
    lines = []
    for line in text.splitlines():
        words = line.split(" ")
        at = place.get(words[0], 99)
        if at < len(words) and (at < 4 or len(words) > 4):
            words[at] = "1000" + words[at]
        lines.append(" ".join(words) + "\n")
    return "".join(lines)


def other_ids(text):
    """Ids of objects with gaps between them."""
    return moved.Recording(text).again()


def shuffled(text):
    """Objects of a heap dump in another order; declarations come first, roots last."""
    first, objects, last = [], [], []
    for line in text.splitlines(keepends=True):
        (objects if line.startswith("o ") else last if objects and line[:2] not in ("t ", "a ") else
         first).append(line)
    random.Random(7).shuffle(objects)
    return "".join([*first, *objects, *last])
