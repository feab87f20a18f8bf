"""Recordings that grow in one way: deeper, wider, more names. Each function makes one of size n. It returns its
text, the texts of a folder's files by name, or a function that writes it to a path."""
import pathlib
import random
import sqlite3

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
STAMP = '"2022-02-01T08:01:39.967+05:00"'
UUID = '"3f2504e0-4f89-11d3-9a0c-0305e82c3301"'


class Recording:
    """An .oemp recording of version 2, built snapshot by snapshot."""

    TYPES = {34: "Procedure", 41: "Dynamic Query", 72: "Temp-table"}

    def __init__(self, session=1):
        self.lines, self.sequence, self.time, self.live, self.session = [], 0, 0, {}, session
        self.sections = {}
        self.source(10**9, "start.p")
        self.node(10**9, 10**9, 0, 0)
        self.snapshot("start")  # objects created after this snapshot can leak

    def add(self, section, row):
        self.sections.setdefault(section, []).append(row)

    def source(self, number, name):
        self.add("sources", f'{number} "{name}" 0')

    def node(self, number, source, parent, line):
        self.add("nodes", f"{number} {source} {parent} {line if parent else 0}")

    def object(self, number, node=10**9, line=1, size=100, owner=0, name=0, type_=41):
        self.live[number] = size
        self.add("objects", f"{number} {type_} {size} 0 0 {self.time + 1} {node} {line} 0 0 {owner} 0 "
                            f"{name} 0 0 0")

    def delete(self, number):
        del self.live[number]
        self.add("dead", f"{number} {self.time + 5}")

    def snapshot(self, tag="work", request='"r-1"'):
        self.sequence += 1
        first = self.sequence == 1
        if first:
            self.sections["platforms"] = ['"General" 2']
            self.sections["types"] = [f'"{name}" {id_}' for id_, name in self.TYPES.items()]
        uuid = UUID[:-5] + f"{self.session:04x}\""
        self.sections["header"] = [f'2 3277 {self.sequence} {STAMP} "AVM-Client" "{tag}" {request} "" 0 {uuid} '
                                   f'"" 0 "shop" ? 0.5 "12.8.9" "" ""']
        self.sections["platform"] = ["2 1500 1500 1500"]
        self.time += 1000
        size, many = sum(self.live.values()), len(self.live)
        self.sections["trailer"] = [f'{self.time} {many} {size} 1500 {many + 10**6} 1 0 0 0 "{tag}" '
                                    f'{self.sequence}']
        for section in ("header", "platforms", "types", "built-ins", "platform", "sources", "names",
                        "nodes", "objects", "changed", "dead", "trailer"):
            self.lines += self.sections.get(section, []) + ["."]
        self.sections = {}

    def done(self):
        self.snapshot("_PreCleanUp")
        self.snapshot("_Exit")
        return "\n".join(self.lines) + "\n"


def oemp_deeper(n, session=1):
    one = Recording(session)
    one.source(1, "deep shop.Recursion")
    for i in range(1, n + 1):
        one.node(i, 1, i - 1, 7)
        one.object(i, i, 3)
    return one.done()


def oemp_wider(n):
    one = Recording()
    one.source(1, "main.p")
    one.node(1, 1, 0, 0)
    for i in range(2, n + 2):
        one.node(i, 1, 1, i)
        one.object(i, i, i)
    return one.done()


def oemp_names(n):
    one = Recording()
    for i in range(1, n + 1):
        one.source(i, f"method{i} shop.Class{i}")
        one.node(i, i, 0, 0)
        one.add("names", f'{i} "table{i}"')
        one.object(i, i, 2, name=i)
    return one.done()


def oemp_types(n):
    one = Recording()
    for i in range(100, n + 100):
        one.add("types", f'"Type {i}" {i}')
        one.object(i, type_=i)
    return one.done()


def oemp_longer_names(n):
    one = Recording()
    for i in range(1, 9):
        one.source(i, f"m{i} shop." + "Long" * n + str(i))
        one.node(i, i, i - 1, 2)
        one.object(i, i, 3)
    return one.done()


def oemp_objects(n):
    one = Recording()
    one.source(1, "main.p")
    one.node(1, 1, 0, 0)
    for i in range(1, n + 1):
        one.object(i, 1, 2, size=i)
    return one.done()


def oemp_owner_chain(n):
    one = Recording()
    for i in range(1, n + 1):
        one.object(i, owner=i - 1)
    return one.done()


def oemp_owners(n):
    one = Recording()
    for i in range(1, n + 1):
        one.object(i, line=i)
        one.object(n + i, owner=i)
    return one.done()


def oemp_owners_unknown(n):
    one = Recording()
    for i in range(1, n + 1):
        one.object(i, owner=10 * n + i)
    return one.done()


def oemp_snapshots(n):
    one = Recording()
    for i in range(1, n + 1):
        for j in range(8):
            one.object(10 * i + j, line=j + 1)
            if i > 3:
                one.delete(10 * (i - 3) + j)
        one.snapshot(request=f'"r-{i}"')
    return one.done()


def oemp_steps(snapshots, sites, times):
    """Each site creates an object at some of the snapshots, chosen at random."""
    one, chance, at = Recording(), random.Random(1), [[] for _ in range(snapshots)]
    for site in range(1, sites + 1):
        one.source(site, f"s{site}.p")
        one.node(site, site, 0, 3)
        for _ in range(times):
            at[chance.randrange(snapshots)].append(site)
    for born in at:
        for site in born:
            one.object(len(one.live) + 1, node=site)
        one.snapshot()
    return one.done()


def oemp_colliding_ids(n):
    one = Recording()
    for i in range(1, n + 1):
        one.object(i << 32, line=1)
    return one.done()


def oemp_many(n):
    """n recordings in a folder."""
    files = {}
    for i in range(1, n + 1):
        one = Recording(session=i)
        one.source(1, f"main{i % 50}.p")
        one.node(1, 1, 0, 0)
        one.object(1, 1, 5)
        files[f"{i}.oemp"] = one.done()
    return files


def oemp_deeper_folder(n):
    """Two recordings with deep stacks."""
    return {f"{i}.oemp": oemp_deeper(n, i) for i in (1, 2)}


LOG = "Thread\tTime of event\tAddress\tSize\tType\tStack crawl\n"


def log(events):
    return LOG + "".join("\t".join(map(str, event)) + "\n" for event in events)


def log_deeper(n):
    crawl = "|".join(f"f{i}()" for i in range(n))
    return log(("1-1", 1000 + i, hex(0xb0000000 + 64 * i), 16, "novtbl", f"g{i}()|{crawl}")
               for i in range(4))


def log_recursive(n):
    crawl = "f()|" * n + "main"
    return log(("1-1", 1000 + i, hex(0xb0000000 + 64 * i), 16, "novtbl", crawl) for i in range(4))


def log_wider(n):
    return log(("1-1", 1000 + i, hex(0xb0000000 + 64 * i), 16, "novtbl", f"f{i}()|main") for i in range(n))


def log_threads(n):
    return log((f"1-{i}", 1000 + i, hex(0xb0000000 + 64 * i), 16, "novtbl", "f()|main") for i in range(n))


def log_types(n):
    return log(event for i in range(n) for event in (
        ("1-1", 1000 + 2 * i, hex(0xb0000000 + 64 * i), 16, "novtbl", "f()|main"),
        ("1-1", 1001 + 2 * i, hex(0xb0000000 + 64 * i), "del", f"T{i}", "g()|main")))


def log_longer_names(n):
    return log(("1-1", 1000 + i, hex(0xb0000000 + 64 * i), 16, "novtbl", "T" * n + f"{i}::f()|main")
               for i in range(8))


def log_addresses(n):
    return log(("1-1", 1000 + i, hex(i << 24), 16, "novtbl", "f()|main") for i in range(1, n))


def profile(count, callers, children):
    """n methods with a node each. `callers` returns the caller of a node, `children` the nodes below it."""
    rows = [['4 03/02/2026 "d" 08:15:30 "u" {"StmtCnt": 1}'],
            [f'{i} "m{i} shop.Class{i % 50}" "" 0 1 ""' for i in count],
            [f"{callers(i)} {1 if callers(i) else 0} {i} 1" for i in count],
            [f"0 0 1 0.000000 {2 * len(count) / 1000:.6f}"]
            + [f"{i} {line} 1 0.001000 0.001000" for i in count for line in (0, 1)],
            [f"{i} 1 0.001000 {i / 1000:.6f}" for i in count],
            [line for i in count for line in (f'{i} "m{i}" 2', "1", "2", ".")], [], [], [], [],
            [f"0 0 0 0 1 1.0 {children(0)}".rstrip()]
            + [f"{i} {callers(i)} {i} {1 if callers(i) else 0} 1 0.5 {children(i)}".rstrip() for i in count],
            []]
    return "".join("".join(row + "\n" for row in part) + ".\n" for part in rows)


def prf_deeper(n):
    return profile(range(1, n + 1), lambda i: i - 1, lambda i: i + 1 if i < n else "")


def prf_wider(n):
    return profile(range(1, n + 1), lambda i: 0, lambda i: "" if i else " ".join(map(str, range(1, n + 1))))


def rpt_rows(n):
    lines = (SAMPLES / "shop-new.rpt").read_text().split("\n")
    first = next(i for i, line in enumerate(lines) if line.lstrip().startswith("-----")) + 1
    made = [f"      shop.Class{i:<20} {i % 9999:>5} {'0.884231':>13} {'0.007369':>13} {120:>10} m"
            for i in range(n)]
    return "\n".join(lines[:first] + made + lines[first + 20:])


def dump(types, root, objects):
    """Objects are pairs of a type and the numbers of the objects to which they refer."""
    return "".join(row + "\n" for row in [
        "a 2 Shop.exe 444e0b3f", *(f"t {i:x} {name}" for i, name in enumerate(types, 1)),
        *(f"r {address(i)} {i % 5} 0" for i in root),
        *(" ".join([f"o {address(i)} {type_:x} 10", *map(address, to)])
          for i, (type_, to) in enumerate(objects)),
        "c Shop.exe 444e0d5c"])


def address(number):
    return f"{0x10000 + 16 * number:x}"


def rpm_objects(n):
    return dump(["Shop.Node"], [0], [(1, [(i * 7 + 1) % n]) for i in range(n)])


def rpm_chain(n):
    return dump(["Shop.Node"], [0], [(1, [i + 1] * (i + 1 < n)) for i in range(n)])


def rpm_star(n):
    return dump(["Shop.Node"], [0], [(1, range(1, n) if i == 0 else []) for i in range(n)])


def rpm_types(n):
    return dump(["Shop.Node", *(f"Shop.Type{i}" for i in range(1, n))], [0],
                [(i + 1, [i + 1] * (i + 1 < n)) for i in range(n)])


def rpm_equal_types(n):
    """Two objects of each type retain a third together. All types retain the same."""
    twos = [(3 + i // 2, [2 * n + 1 + i // 2]) for i in range(2 * n)]
    return dump(["Shop.Node", "Shop.Part", *(f"Shop.Type{i}" for i in range(n))], [0],
                [(1, range(1, 2 * n + 1)), *twos, *[(2, [])] * n])


def rpm_ladder(n):
    """Each of the two objects of a step refers to both of the next step. Steps alternate between pairs of
    types."""
    return dump(["Shop.Node", *(f"Shop.Type{i}" for i in range(1, n))], [0, 1],
                [(1 + i % n, [j for j in (i // 2 * 2 + 2, i // 2 * 2 + 3) if j < 2 * n]) for i in range(2 * n)])


def rpm_ladder_of_types(n):
    """The two objects of a step have the same type. Types are in reverse order: the last one belongs to the
    first step."""
    return dump(["Shop.Node", *(f"Shop.Type{i}" for i in range(n))], [0, 1],
                [(n + 1 - i // 2, [j for j in (i // 2 * 2 + 2, i // 2 * 2 + 3) if j < 2 * n]) for i in range(2 * n)])


def rpm_equal_statics(n):
    """The same with static fields, two for each type that declares them."""
    text = rpm_equal_types(n)
    roots = "".join(f"r {address(1 + i)} 4 0 {3 + i // 2:x}\n" for i in range(2 * n))
    return text.replace(f"r {address(0)} 0 0\n", roots)


def rpm_roots(n):
    return dump(["Shop.Node"], range(n), [(1, [])] * n)


def rpm_longer_names(n):
    return dump(["Shop.Node", *("Shop." + "Long" * n + str(i) for i in range(8))], [0],
                [(i + 1, [i + 1] * (i < 8)) for i in range(9)])


def database(sets, types, objects, frames=1, modules=1):
    """Return a function that writes a database. Each set has a number of types and objects, and each object a
    stack of `frames` frames. Objects are divided among types, and types among modules."""
    def write(path):
        made = sqlite3.connect(path)
        made.executescript((SAMPLES / "shop.aqtime.sql").read_text())
        for (name,) in made.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            made.execute(f"DELETE FROM {name}")
        for set_ in range(1, sets + 1):
            rows(made, "INSTANCES", [{"CAPTION": f"set {set_}", "INST_ID": set_}])
            for table, of_table in result_set(types, objects, frames, modules).items():
                rows(made, f"ALLOCATION_PROFILER_{table}",
                     ({"INST_ID": set_, "PARENT_ID": -1, "REC_ID": row["ID"], **row} for row in of_table))
        made.commit()
        made.close()
    return write


def rows(database_, table, of_table):
    for row in of_table:
        database_.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
                          list(row.values()))


def result_set(types, objects, frames, modules):
    classes = [0] * types
    for at in range(objects):
        classes[at % types] += 1
    name = [{"COL_CLASS_NAME": f"T{at}", "COL_MODULE_NAME": f"Shop{at % modules or '.exe'}", "ID": at + 1}
            for at in range(types)]
    return {
        "META_CLASSES_DATA": name,
        "CLASSES_DATA": [{**row, "COL_LIVE_COUNT": live, "COL_LIVE_SIZE": 16 * live, "COL_TOTAL_CREATED": live,
                          "COL_TOTAL_SIZE": 16 * live} for row, live in zip(name, classes)],
        "META_ROUTINES": [{"COL_CLASS_NAME": "TShop", "COL_ROUTINE_NAME": f"r{at}", "COL_SOURCE_LINE": 1,
                           "COL_MODULE_NAME": "Shop.exe", "ID": at + 1} for at in range(frames)],
        "OBJECTS": [{"COL_ADDRESS": 4096 + 32 * at, "COL_CLASSRID": at % types + 1, "COL_SIZE": 16,
                     "ID": at + 1} for at in range(objects)],
        "CREATION_CALL_STACK": [{"COL_ROUTINERID": at + 1, "PARENT_ID": of + 1, "ID": at + 1}
                                for of in range(objects) for at in range(frames)],
    }
