"""Generated programs with known truth: their sites, and what each of them does.

`make(seed)` returns a Program; `Program.files()` is its recording. The same seed makes the same bytes.
"""
import bisect
import math
import random

from verdict import behaviours, oemp, taligent

NOUNS = ("Order", "Invoice", "Customer", "Price", "Event", "Session", "Report", "Token", "Cart", "Rule",
         "Page", "Batch", "Stock", "Route", "Mail", "Label")
BUDGET = 24000  # approximate number of objects of a program


class Place:
    """An allocation site of a program: its type, name and call stack, and its behaviour."""

    def __init__(self, chance, number, behaviour):
        noun = chance.choice(NOUNS)
        self.behaviour, self.number = behaviour, number
        self.class_ = f"{noun}{chance.choice([number, ''])}"  # some share a class
        self.owner = None  # a place whose objects own the objects of this one, one each
        self.type = chance.choice(oemp.TYPE_NAMES)
        self.line, self.depth = chance.randrange(10, 900), chance.randrange(1, 7)
        self.maker = f"{noun}Factory{number}"
        self.sites = []  # a Site for each session

    def leaks(self):
        return self.behaviour.leaks


class Program:
    """Sessions of a program; they share their places. `format` is oemp-1, oemp-2, agent or taligent."""

    def __init__(self, seed, only=None):
        self.chance = chance = random.Random(seed)
        self.seed, self.only = seed, only
        self.format = chance.choices(["oemp-1", "oemp-2", "agent", "taligent"], [6, 8, 3, 3])[0]
        if only == "one-session":
            self.format = "agent"
        sessions = chance.randint(2, 5) if self.format == "agent" else 1
        self.finished = chance.random() < 0.6
        self.spans = [behaviours.Span(chance, int(math.exp(chance.uniform(math.log(5), math.log(300.99)))),
                                      self.finished) for _ in range(sessions)]
        self.places = []
        chosen = self.mix()
        budget = BUDGET // (len(chosen) * sessions)
        for behaviour in chosen:
            self.places.append(self.place(behaviour, budget))
            if self.format != "taligent" and chance.random() < 0.08:
                self.places.append(self.owned(self.places[-1]))
        if chance.random() < 0.15:
            self.rest()
        for place in self.places:
            self.free_at_end(place)
        if self.format == "taligent" and self.last_event() < 0.9 * self.spans[0].stop:
            raise ValueError(f"seed {seed}: the log ends long before the program")
        self.start = chance.randrange(10**9)
        self.apart = sessions > 1 and chance.random() < 0.5  # a file for each session

    def mix(self):
        """Return the behaviours of the program: no leak, one, or two."""
        chance = self.chance
        leaks = chance.choices([0, 1, 2], [40, 45, 15])[0]
        count = chance.randint(max(1, leaks), 12)
        healthy, leaky = behaviours.HEALTHY, behaviours.LEAKS
        self.pools = leaks == 0 and chance.random() < 0.35  # only pools
        if self.pools:
            healthy = behaviours.POOLS
        alone = [behaviours.NAMED["one-session"]]
        if self.format == "agent":
            leaky = leaky + 2 * alone
        else:
            leaky = [one for one in leaky if one not in alone]
        chosen = chance.choices(leaky, k=leaks) + chance.choices(healthy, k=count - leaks)
        if self.only:
            wanted = behaviours.NAMED[self.only]
            chosen[0 if wanted.leaks else -1] = wanted
            self.pools = self.pools and wanted in behaviours.POOLS
        chance.shuffle(chosen)
        return chosen

    def place(self, behaviour, budget):
        """Return a place with a behaviour. If the result cannot be judged, try again."""
        for attempt in range(400):
            place = Place(self.chance, len(self.places) + 1, behaviour)
            alone = self.chance.randrange(len(self.spans))
            size, spread = 10 ** self.chance.uniform(1.3, 5.3), self.chance.choice([0, 0, 0.3, 1])
            for number, span in enumerate(self.spans):
                make = behaviour.make
                if behaviour.name == "one-session" and number != alone:
                    make = behaviours.transient
                for _ in range(30):
                    site = behaviours.Site(span, self.chance, budget)
                    site.bytes, site.spread = size, spread
                    if make(site) and site.objects and len(site.objects) <= 2 * budget:
                        break
                else:
                    break
                place.sites.append(site)
            if len(place.sites) == len(self.spans):
                return place
            if attempt > 20 and not self.only:
                return self.place(self.chance.choice(
                    behaviours.LEAKS[:5] if behaviour.leaks else behaviours.POOLS), budget)
        raise ValueError(f"seed {self.seed}: {behaviour.name} cannot be had")

    def owned(self, owner):
        """Return a place whose objects belong to those of another, and live as long."""
        place = Place(self.chance, len(self.places) + 1, owner.behaviour)
        place.owner, scale = owner, self.chance.uniform(0.1, 3)
        for site in owner.sites:
            own = behaviours.Site(site.span, self.chance, site.budget)
            for thing in site.objects:
                own.objects.append(copy := behaviours.Object(thing.birth, 1))
                copy.death = thing.death
                copy.sizes = [(time, max(1, round(size * scale))) for time, size in thing.sizes]
            own.frees, own.rule, own.events = site.frees, site.rule, site.events
            place.sites.append(own)
        return place

    def rest(self):
        """Let the program be idle sometimes, unless that breaks the rules of the truth."""
        for number, span in enumerate(self.spans):
            sites = [place.sites[number] for place in self.places]
            warp = idle(self.chance, span.stop)
            if span.n < 12 or not all(site.rule is None or not site.events or
                                      site.rule(span.stop, [warp(time) for time in site.events])
                                      for site in sites):
                continue
            for thing in (thing for site in sites for thing in site.objects):
                thing.birth = warp(thing.birth)
                if thing.death < behaviours.FOREVER:
                    thing.death = warp(thing.death)
                thing.sizes = [(warp(time), size) for time, size in thing.sizes]

    def free_at_end(self, place):
        """Decide whether the program frees what it does not leak before the session ends."""
        free = place.behaviour.name in behaviours.MAY_FREE and self.chance.random() < 0.6
        for number, site in enumerate(place.sites):
            if not self.finished or not (free or site.frees) or place.owner:
                continue
            for index, thing in enumerate(site.objects):
                if thing.death == behaviours.FOREVER:
                    thing.death = self.chance.uniform(site.stop, site.n)
                    for other in self.places:
                        if other.owner is place:
                            other.sites[number].objects[index].death = thing.death

    def last_event(self):
        """Return the time when the last block comes or goes; a log has no other end."""
        things = [thing for place in self.places for thing in place.sites[0].objects]
        return max(time for thing in things for time in (thing.sizes[-1][0], thing.death)
                   if time <= self.spans[0].n)

    def files(self):
        """Return the names and texts of the files of the recording."""
        if self.format == "taligent":
            return [("heap.taligent", taligent.text(self))]
        texts = [oemp.text(self, number) for number in range(len(self.spans))]
        if not self.apart:
            return [("memprof.3277.oemp", "".join(texts))]
        return [(f"memprof.3277.AS-{number}.oemp", text) for number, text in enumerate(texts, 1)]

    def truth(self):
        """Return the truth about the sites, a dict for each."""
        writer = taligent if self.format == "taligent" else oemp
        return [{"type": writer.type_of(place), "name": writer.name_of(place),
                 "site": writer.site_of(place), "leaks": place.leaks(),
                 "behaviour": place.behaviour.name, "kind": place.behaviour.kind,
                 "created": sum(len(site.objects) for site in place.sites),
                 **alive(place)} for place in self.places]


def alive(place):
    """Return the objects and bytes of a place that are alive when the sessions end."""
    sizes = [thing.sizes[-1][1] for site in place.sites for thing in site.objects
             if thing.death > site.n]
    return {"alive": len(sizes), "bytes": sum(sizes)}


def idle(chance, stop):
    """Return a function that moves times apart, so that there are stretches without events."""
    breaks = sorted(chance.uniform(2, stop) for _ in range(chance.randint(1, 3)))
    pause = (stop - 1) * chance.uniform(0.05, 0.4) / len(breaks)
    speed = (stop - 1 - pause * len(breaks)) / (stop - 1)

    def warp(time):
        if time <= 1:
            return time
        return 1 + (time - 1) * speed + pause * bisect.bisect(breaks, time)
    return warp


def make(seed, only=None):
    """Return the program of a seed. `only` names a behaviour that one of its sites must have."""
    for attempt in range(50):
        try:
            return Program(f"{seed}/{attempt}", only)
        except ValueError:
            continue
    raise ValueError(f"seed {seed}: no program with {only}")
