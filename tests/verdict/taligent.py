"""Write a program's session as a Taligent heap-monitoring log.

A block cannot be resized: a resize creates a new block of the same site, and frees the old one.
"""
import heapq
import random

ALIGN = 16


def type_of(place):
    return f"T{place.class_}"


def name_of(place):
    return f"T{place.class_}"


def site_of(place):
    return f"T{place.maker}::Create(T{place.class_}&)"


def crawl(place):
    """Return the functions of an allocation, innermost first."""
    callers = [f"TService{level % 3}::Handle{place.number}(TRequest&)" for level in range(place.depth - 1)]
    new = ["operator new(unsigned int)"] if place.line % 2 else []
    return "|".join([*new, site_of(place), *callers, "main"])


def blocks(program):
    """Return (birth, death, size, place) of all blocks; resized objects are several blocks."""
    for place in program.places:
        for thing in place.sites[0].objects:
            ends = [time for time, _ in thing.sizes[1:] if time < thing.death] + [thing.death]
            for (birth, size), death in zip(thing.sizes, ends):
                yield birth, death, size, place


def text(program):
    """Return the log."""
    chance = random.Random(f"{program.seed} taligent")
    unit, epoch = 10 ** chance.uniform(5, 8), 759537687555872
    span = program.spans[0]
    threads = [f"2-{22982 + 7 * number}" for number in range(chance.randint(1, 4))]
    events = []
    for number, (birth, death, size, place) in enumerate(blocks(program)):
        events.append((birth, 1, number, size, place))
        if death <= span.n:
            events.append((death, 0 if death > birth else 2, number, None, place))
    events.sort(key=lambda event: event[:3])
    lines = ["Thread\tTime of event\tAddress\tSize\tType\tStack crawl"]
    for old in range(chance.randrange(6)):
        lines.append(f"0-0\told\t0x{0xb1000000 + 4096 * old:x}\t{chance.randrange(8, 4000)}\tTState\t")
    top, free, address, clock = 0xb2000000, {}, {}, 0
    for time, _, number, size, place in events:
        clock = max(clock + 1, int(time * unit))
        start = f"{chance.choice(threads)}\t{epoch + clock}"
        if size is not None:
            room = (size + ALIGN) // ALIGN * ALIGN
            if free.get(room):
                where = heapq.heappop(free[room])
            else:
                where, top = top, top + room
            address[number] = (where, room)
            lines.append(f"{start}\t0x{where:x}\t{size}\tnovtbl\t{crawl(place)}")
        else:
            where, room = address.pop(number)
            heapq.heappush(free.setdefault(room, []), where)
            lines.append(f"{start}\t0x{where:x}\tdel\t{type_of(place)}\t"
                         f"{type_of(place)}::~{type_of(place)}()|main")
    return "".join(line + "\n" for line in lines)
