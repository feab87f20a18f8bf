"""Write a program's sessions as an OpenEdge memory recording, version 1 or 2."""
import math
import random

TYPES = {"Procedure": 34, "Dynamic Query": 41, "Dynamic Temp-table": 45, "XML Document": 47,
         "Dataset": 56, "OOABL Obj": 62, "MEMPTR": 64, "OO BuiltIn": 66, "Named Widget Pool": 69}
TYPE_NAMES = ["OOABL Obj"] * 6 + list(TYPES)
UNNAMED = ("MEMPTR", "Dynamic Query", "XML Document")
PLATFORM = {"Memory Profiler": 1, "General": 2, "Runtime Stack (-s)": 7}
APIS = ("GET /orders", "POST /orders", "GET /invoices/{id}", "DELETE /carts")


def type_of(place):
    return place.type


def name_of(place):
    """Return the name of the objects of a place; some types have none."""
    if place.type in UNNAMED:
        return ""
    return f"shop/{place.class_}.p" if place.type == "Procedure" else f"shop.{place.class_}"


def site_of(place):
    """Return the innermost frame of a place, as reports print it."""
    return f"create shop.{place.maker}:{place.line}"


def text(program, number):
    """Return the recording of one session."""
    return Writer(program, number).text()


class Writer:
    """Writer of one session."""

    def __init__(self, program, number):
        self.program, self.number, self.span = program, number, program.spans[number]
        # the writer's own random choices; those of the program must not depend on the format
        self.chance = random.Random(f"{program.seed} {number}")
        self.version = 1 if program.format == "oemp-1" else 2
        self.agent = program.format == "agent"
        even, base = self.chance.random() < 0.5, 10 ** self.chance.uniform(6, 9)
        self.clock = [0]
        for _ in range(self.span.n + 1):
            self.clock.append(self.clock[-1] +
                              round(base * (1 if even else math.exp(self.chance.gauss(0, 0.4)))))
        self.tag = self.chance.choice(["_Auto", "Post 1", "_EndOfRequest"])
        if self.agent:
            self.tag = "_EndOfRequest"

    def stamp(self, time):
        """Return a time in snapshots as microseconds."""
        k = min(int(time), self.span.n)
        return self.clock[k] + int((time - k) * (self.clock[k + 1] - self.clock[k]))

    def tables(self):
        """Return the rows of sources, names, built-in classes and nodes, with a stack for each place."""
        self.sources = ['1 "shop/main.p" 0', '2 "shop/run.p" 0', '3 "serve shop.Router" 40',
                        '4 "handle shop.Service" 77']
        self.nodes, self.names, self.built_in = ["1 1 0 0", "2 2 1 12"], [], []
        self.columns = {}  # by place: node, line, source, name, built-in
        node, sources, built_in_ids = 2, {}, {}
        for place in self.program.places:
            parent = 1
            for level in range(place.depth - 1):
                node += 1
                self.nodes.append(f"{node} {2 + level % 3} {parent} {20 + 7 * level + place.number}")
                parent = node
            node += 1
            maker, own = 100 + 3 * place.number, 101 + 3 * place.number
            self.sources.append(f'{maker} "create shop.{place.maker}" 5')
            self.nodes.append(f"{node} {maker} {parent} {50 + place.number}")
            source = name = built_in = 0
            if place.type in ("Procedure", "OOABL Obj"):
                source = sources.setdefault(name_of(place), own)
                if source == own:
                    self.sources.append(f'{own} "{name_of(place)}" 0')
            elif place.type == "OO BuiltIn":
                built_in = built_in_ids.setdefault(name_of(place), place.number)
                if built_in == place.number:
                    self.built_in.append(f'"{name_of(place)}" {built_in}')
            elif place.type not in UNNAMED:
                name = place.number
                self.names.append(f'{name} "{name_of(place)}"')
            self.columns[place.number] = (node, place.line, source, name, built_in)

    def objects(self):
        """Return (birth, place, object) of the session, ordered by birth."""
        return sorted(((thing.birth, place.number, place, index) for place in self.program.places
                       for index, thing in enumerate(place.sites[self.number].objects)),
                      key=lambda row: row[:2])

    def text(self):
        self.tables()
        self.owners = {}
        n = self.span.n
        last = n + 1 if self.program.finished else n
        born, changed, dead = ([{} for _ in range(last + 2)] for _ in range(3))
        short = self.chance.random() < 0.5  # whether objects that live only between two snapshots are written
        identity, moments = self.chance.randrange(1, 2000), []
        identities = {}  # by place and index
        for birth, _, place, index in self.objects():
            thing = place.sites[self.number].objects[index]
            first, end = math.ceil(birth), min(thing.death, last - 1e-3 if last > n else math.inf)
            gone = math.ceil(end) if end < math.inf else last + 1
            moments.append((self.stamp(birth), 1))
            if end < math.inf:
                moments.append((max(self.stamp(end), self.stamp(birth)), -1))
            if first == gone and not short:
                continue
            identity += self.chance.randrange(1, 3)
            identities[place, index] = identity
            if place.owner:
                self.owners[identity] = identities[place.owner, index]
            size = thing.sizes[0][1]
            for time, size_then in thing.sizes:
                k = math.ceil(time)
                if k <= first:
                    size = size_then
                elif k < gone:
                    changed[k][identity] = (place, size_then)
            born[first][identity] = (place, thing, size)
            if gone <= last:
                dead[gone][identity] = max(self.stamp(end), self.stamp(birth))
        self.high_water(moments)
        self.births = {id_: self.stamp(thing.birth) for rows in born
                       for id_, (_, thing, _) in rows.items()}
        lines, live = [], {}
        for k in range(1, last + 1):
            live.update({id_: size for id_, (_, _, size) in born[k].items()})
            live.update({id_: size for id_, (_, size) in changed[k].items()})
            for id_ in dead[k]:
                del live[id_]
            lines += self.snapshot(k, born[k], changed[k], dead[k], live)
        return "".join(line + "\n" for line in lines)

    def high_water(self, moments):
        """Return the highest number of objects at any moment up to each snapshot."""
        moments.sort(key=lambda moment: (moment[0], -moment[1]))
        self.most, count, most, at = {}, 0, 0, 0
        for k in range(1, self.span.n + 2):
            while at < len(moments) and moments[at][0] <= self.clock[k]:
                count += moments[at][1]
                most, at = max(most, count), at + 1
            self.most[k] = most

    def row(self, identity, place, size, birth):
        node, line, source, name, built_in = self.columns[place.number]
        table = 1 if "table" in place.type else 0
        return (f"{identity} {TYPES[place.type]} {size} 0 0 {birth} {node} {line} {source} 0 "
                f"{self.owners.get(identity, 0)} {table} {name} 0 {built_in} 0")

    def snapshot(self, k, born, changed, dead, live):
        span, tag = self.span, self.tag
        if self.program.finished:
            tag = {span.n: "_PreCleanUp", span.n + 1: "_Exit"}.get(k, tag)
        request, api = '""', '""'
        if self.agent and not tag.startswith(("_Pre", "_Exit")):
            request, api = f'"r-{k}"', f'"{APIS[span.apis[k]]}"'
        session = f"AS-{self.number + 1}" if self.agent else "AVM-Client"
        uuid = f"3f2504e0-4f89-11d3-9a0c-{self.program.start:09d}{self.number:03d}"
        header = (f'{self.version} 3277 {k} "2026-02-01T08:01:39.967+05:00" "{session}" "{tag}" {request} '
                  f'"" {self.clock[k - 1]} "{uuid}" "{"/shop" if k == 1 else ""}" 0 "shop" {api} 0.50')
        platform = [f"{id_} {size} {size} {size}" for id_, size in self.platform(k).items()]
        trailer = (f"{self.clock[k]} {len(live)} {sum(live.values())} {sum(self.platform(k).values())} "
                   f"{max(self.most[k], len(live))} 1 0")
        if self.version == 2:
            header += ' "12.8.9" "" ""'
            trailer += f' 0 0 "{tag}" {k}'
        rows = [self.row(id_, place, size, self.stamp(thing.birth))
                for id_, (place, thing, size) in born.items()]
        resized = [(id_, *what) for id_, what in changed.items() if id_ not in dead]
        if self.version == 1:
            rows += [self.row(id_, place, size, self.births[id_]) for id_, place, size in resized]
        first = k == 1
        deletions = [f"{id_} {time}" for id_, time in dead.items()]
        updates = [f"{id_} {TYPES[place.type]} {size} 0 0 {1 if 'table' in place.type else 0}"
                   for id_, place, size in resized]
        catalogues = [[header],
                      [f'"{name}" {id_}' for name, id_ in PLATFORM.items()] if first else [],
                      [f'"{name}" {id_}' for name, id_ in TYPES.items()] if first else [],
                      self.built_in if first else []]
        sources, names, nodes = ((self.sources, self.names, self.nodes) if first else ([], [], []))
        if self.version == 1:
            sections = [rows, platform, deletions, nodes, sources, names]
        else:
            sections = [platform, sources, names, nodes, rows, updates, deletions]
        return [line for section in [*catalogues, *sections, [trailer]] for line in [*section, "."]]

    def platform(self, k):
        """Return the bytes of each area of the runtime at a snapshot."""
        return {id_: 65536 * (id_ + min(k, 3)) for id_ in PLATFORM.values()}
