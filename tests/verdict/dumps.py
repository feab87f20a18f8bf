"""Generated series of heap dumps with known truth: which holders gain objects, and which one gains most.

`Series(seed)` has `texts`, one for each dump; `grows(dumps)` returns who grew over some of them. The same seed
makes the same bytes.
"""
import itertools
import random

KINDS = {"internal": 0, "local": 1, "handle": 3, "static": 4, "runtime": 5}  # roots that keep objects alive


class Heap:
    """A dump. It has its own ids of objects and types."""

    def __init__(self, chance):
        self.chance, self.objects, self.roots, self.types = chance, [], [], {}

    def add(self, type_, size, *held):
        """Add an object that refers to others, and return its number."""
        self.types.setdefault(type_, len(self.types) + 1)
        self.objects.append((type_, size, list(held)))
        return len(self.objects) - 1

    def root(self, kind, number):
        self.roots.append((KINDS[kind], number))

    def text(self, stamp):
        first = self.chance.randrange(1, 1 << 20) * 16
        ids = [first + 16 * place for place in self.chance.sample(range(len(self.objects)), len(self.objects))]
        types = dict(zip(self.types, self.chance.sample(range(1, 4 * len(self.types) + 1), len(self.types))))
        rows = [f"t {number:x} {name}" for name, number in types.items()]
        rows += [f"r {ids[number]:x} {kind:x} 0" for kind, number in self.roots]
        for number, (type_, size, held) in enumerate(self.objects):
            self.chance.shuffle(held)
            rows.append(" ".join([f"o {ids[number]:x} {types[type_]:x} {size:x}", *(f"{ids[one]:x}" for one in held)]))
        self.chance.shuffle(rows)
        return "\n".join([f"a 2 Shop.exe {stamp:x}", *rows, f"c Shop.exe {stamp:x}"]) + "\n"


class Holding:
    """A holder with `counts` items in each dump. Each item has `size` bytes including its parts."""

    def __init__(self, number, chance, counts, size):
        self.number, self.counts, self.size, self.root = number, counts, size, chance.choice([*KINDS])
        self.owner, self.item = f"Shop.Owner{number}", f"Shop.Item{number}"
        self.part = chance.choice([0, size // 2, size - 16])  # bytes of another object that an item keeps alive

    def add_item(self, heap, type_=None, *held):
        parts = [heap.add(f"Shop.Part{self.number}", self.part)] if self.part else []
        return heap.add(type_ or self.item, self.size - self.part, *parts, *held)

    def gained(self, dumps):
        """Return the bytes gained over these dumps if each step were as small as the smallest one."""
        counts = [self.counts[dump] for dump in dumps]
        steps = [after - before for before, after in itertools.pairwise(counts)]
        return self.size * min(steps) * len(steps) if min(steps) > 0 else 0

    def grow_items(self):
        self.size += 256

    def sentence(self, dumps):
        more = self.counts[dumps[-1]] - self.counts[dumps[0]]
        return f"{more:,} more {self.what()} held by {self.holder()}"

    def what(self):
        return self.item

    def holder(self):
        return self.owner


class Table(Holding):
    """A table: an owner, the array of its list, and the items."""

    def build(self, heap, dump):
        heap.root(self.root, heap.add(self.owner, 16, self.table(heap, dump)))

    def table(self, heap, dump):
        return heap.add("System.Object[]", 16, *(self.add_item(heap) for _ in range(self.counts[dump])))

    def holder(self):
        return f"System.Object[] in {self.owner}"


class Deep(Table):
    """A table with further objects between a root and the owner, which hold other things too."""

    def build(self, heap, dump):
        owner = heap.add(self.owner, 16, self.table(heap, dump))
        services = heap.add("Shop.Services", 64 + self.size * max(self.counts), owner)
        heap.root(self.root, heap.add("Shop.Application", 16, heap.add("Shop.Settings", 4096), services))


class Moved(Table):
    """A list that a view also refers to in some dumps, so its owner does not dominate it there. In other dumps
    the view has its own empty list."""

    def __init__(self, number, chance, counts, size):
        super().__init__(number, chance, counts, size)
        self.shown = [chance.random() < 0.5 for _ in counts]
        self.list = f"Shop.List{number}"

    def build(self, heap, dump):
        listed = heap.add(self.list, 16, self.table(heap, dump))
        seen = listed if self.shown[dump] else heap.add(self.list, 16)
        heap.root(self.root, heap.add(self.owner, 16, listed))
        heap.root("local", heap.add(f"Shop.View{self.number}", 16, seen))

    def holder(self):
        return f"System.Object[] in {self.list if self.shown[-1] else self.owner}"


class Chain(Holding):
    """A linked list of nodes."""

    def build(self, heap, dump):
        first = []
        for _ in range(self.counts[dump]):
            first = [self.add_item(heap, None, *first)]
        heap.root(self.root, heap.add(self.owner, 16, *first))


class Rooted(Holding):
    """Items that roots hold directly."""

    def build(self, heap, dump):
        for _ in range(self.counts[dump]):
            heap.root(self.root, self.add_item(heap))

    def holder(self):
        return f"{self.root} roots"


class Mixed(Holding):
    """Items of several types in equal numbers. The first type is larger than the others."""

    def __init__(self, number, chance, counts, size):
        super().__init__(number, chance, [3 * count for count in counts], size)
        self.part = 0

    def build(self, heap, dump):
        items = [heap.add(f"{self.item}_{at % 3}", self.size + (32 if at % 3 == 0 else -16))
                 for at in range(self.counts[dump])]
        heap.root(self.root, heap.add(self.owner, 16, *items))

    def what(self):
        return f"objects of 3 types, most {self.item}_0,"


class Renewed(Holding):
    """A queue whose items have another type in each dump. Their number does not grow."""

    def __init__(self, number, chance, counts, size):
        super().__init__(number, chance, sorted(counts, reverse=True), size)

    def build(self, heap, dump):
        items = [self.add_item(heap, f"{self.item}_{dump}") for _ in range(self.counts[dump])]
        heap.root(self.root, heap.add(self.owner, 16, *items))

    def gained(self, dumps):
        return self.size * self.counts[dumps[-1]] if len(dumps) == 2 else 0

    def sentence(self, dumps):
        return f"{self.counts[dumps[-1]]:,} more {self.item}_{dumps[-1]} held by {self.owner}"


class Buffer(Holding):
    """A buffer that is replaced by a larger one: no objects are added to it."""

    def build(self, heap, dump):
        size = 64 + self.size * self.counts[dump]
        heap.root(self.root, heap.add(self.owner, 16, heap.add("System.Byte[]", size)))


class Sessions(Holding):
    """More and more holders at one place, each of which holds as much as the others."""

    def build(self, heap, dump):
        sessions = []
        for _ in range(self.counts[dump]):
            items = [heap.add(f"Shop.Entry{self.number}", 16) for _ in range(4)]
            sessions.append(heap.add(self.item, self.size - 64, *items))
        heap.root(self.root, heap.add(self.owner, 16, *sessions))


class Shared(Table):
    """A table whose items another object refers to as well: the table holds them, but does not keep them alive."""

    def build(self, heap, dump):
        items = [self.add_item(heap) for _ in range(self.counts[dump])]
        heap.root(self.root, heap.add(self.owner, 16, heap.add("System.Object[]", 16, *items)))
        for at in range(0, len(items), 2):
            heap.root("local", items[at])


class Series:
    """A series of two or three dumps. No other holder gains nearly as much as the one that gains most."""

    def __init__(self, seed):
        self.chance = chance = random.Random(seed)
        self.count = chance.choice([2, 3, 3])
        self.parts = []
        kinds = [Table, Deep, Moved, Chain, Rooted, Mixed, Renewed, Buffer, Sessions, Shared]
        leaks = chance.random() < 0.9
        if leaks:
            self.add(chance.choice([kind for kind in kinds if kind not in (Renewed, Buffer)]), "grows")
        for _ in range(chance.randint(1, 7)):
            self.add(chance.choice(kinds), chance.choice(["grows", "stays", "falls", "jumps"] if leaks else
                                                         ["stays", "falls"]))
        if not leaks:
            self.parts = [part for part in self.parts if not isinstance(part, Renewed)]
        while leaks and not all(self.is_plain(dumps) for dumps in self.spans()):
            self.parts[0].grow_items()
        self.texts = [self.text(dump) for dump in range(self.count)]

    def add(self, kind, what):
        chance, counts = self.chance, [self.chance.randrange(3, 30)]
        at = chance.randrange(1, self.count)  # the dump at which the holder jumps
        for dump in range(1, self.count):
            step = {"grows": chance.randrange(1, 20), "stays": 0, "falls": -chance.randrange(1, 20),
                    "jumps": 20 * (dump == at)}[what]
            counts.append(max(counts[-1] + step, 2))
        self.parts.append(kind(len(self.parts), chance, counts, 16 * chance.randrange(6, 40)))

    def spans(self):
        """Return the dumps that are analysed together: all of them, and the first with the last."""
        return sorted({tuple(range(self.count)), (0, self.count - 1)})

    def is_plain(self, dumps):
        """Return true if it is clear who gained most: a holder with more objects, and half as many bytes again
        as any other."""
        gains = sorted((part.gained(dumps), part.number) for part in self.parts)
        most = self.parts[gains[-1][1]]
        return not isinstance(most, Buffer) and (len(gains) < 2 or gains[-1][0] >= 1.5 * gains[-2][0])

    def grows(self, dumps):
        """Return the sentence about the holder that gained most over these dumps; None if none did."""
        most = max(self.parts, key=lambda part: part.gained(dumps) * (not isinstance(part, Buffer)), default=None)
        return most.sentence(dumps) if most and most.gained(dumps) and not isinstance(most, Buffer) else None

    def text(self, dump):
        heap = Heap(self.chance)
        for part in self.parts:
            part.build(heap, dump)
        for _ in range(self.chance.randrange(5)):  # garbage
            heap.add("Shop.Garbage", 64 * self.chance.randrange(1, 20))
        return heap.text(0x10000 + 0x1000 * dump)
