"""Behaviours of allocation sites: when a site creates, resizes and frees objects.

Time is counted in snapshots: snapshot k is taken at time k and sees what happened in interval k, which is (k -
1, k]. Start-up is in interval 1. A behaviour is a function that fills a Site. It returns False if the random
result could not be judged by anybody (see `observable` and `settled`); the caller then tries again.

Truth: a site leaks if the memory that it keeps grows for as long as the program works. Two rules keep the truth fair:
- Leaks are observable: at least three leak events in different intervals after start-up, over at
  least a quarter of the time, with no silence at the end that is longer than the longest gap between
  them (or than one and a half intervals).
- Sites that are merely filled are settled: the last change is followed by a silence of at least 30 % of the
  time, two intervals, and twice the longest gap between changes.
Growing queues and leaking pools grow by four standard deviations of their arrivals and departures; growing objects grow by a fifth. Pools are in equilibrium from the start. Sites that flush, breathe or follow a load do so at least twice.
"""
import bisect
import collections
import itertools
import math

FOREVER = math.inf


class Object:
    """An object: its birth and death in snapshots, and its sizes as (time, bytes)."""

    __slots__ = ("birth", "death", "sizes")

    def __init__(self, birth, size):
        self.birth, self.death, self.sizes = birth, FOREVER, [(birth, size)]

    def size(self, time):
        """Return the bytes of the object at a time."""
        return [size for when, size in self.sizes if when <= time][-1]


class Span:
    """The life of a session: n snapshots, work until `stop`, and the API of each interval."""

    def __init__(self, chance, snapshots, finished):
        self.n, self.finished = snapshots, finished
        self.stop = float(snapshots)
        if finished:  # the last interval ends with the shutdown
            self.stop = snapshots - 1 + chance.choice([0, chance.uniform(0, 0.95)])
        self.apis = [chance.choices(range(4), [8, 4, 2, 1])[0] for _ in range(snapshots + 1)]


class Site:
    """The objects of one site in one session."""

    def __init__(self, span, chance, budget):
        self.span, self.chance, self.budget = span, chance, budget
        self.n, self.stop, self.objects = span.n, span.stop, []
        self.bytes, self.spread = 10 ** chance.uniform(1.3, 5.3), chance.choice([0, 0, 0.3, 1])
        self.frees = False  # the program frees the objects at its end
        self.rule, self.events = None, []  # the rule that this behaviour must obey, and its events

    def log(self, low, high):
        """Return a random number between two bounds, uniform in its logarithm."""
        return math.exp(self.chance.uniform(math.log(low), math.log(max(low, high))))

    def count(self, low, high):
        """Return a random whole number within the budget, uniform in its logarithm."""
        return int(self.log(low, min(high, self.budget) + 0.999))

    def size(self):
        """Return the bytes of a new object."""
        return max(1, round(self.bytes * math.exp(self.chance.gauss(0, self.spread))))

    def put(self, time, life=FOREVER, size=None):
        """Create an object; it is freed after `life` if the program still works then."""
        thing = Object(max(time, 1e-6), size or self.size())
        self.objects.append(thing)
        if time + life < self.stop:
            thing.death = max(time, 1e-6) + max(life, 1e-6)
        return thing

    def fill(self, start, end, count):
        """Create `count` objects at random times between `start` and `end`."""
        for time in sorted(self.chance.uniform(start, end) for _ in range(count)):
            self.put(time)

    def intervals(self, first=2):
        """Return (k, start, end) of the intervals in which the program works."""
        return [(k, k - 1, min(k, self.stop)) for k in range(first, math.ceil(self.stop) + 1)
                if min(k, self.stop) - k + 1 > 0.2]

    def times(self, rate, start=0.0, end=None):
        """Return the times of a Poisson process."""
        end, time = self.stop if end is None else end, start
        while rate > 0:
            time += self.chance.expovariate(rate)
            if time >= end:
                return
            yield time

    def rate(self, low, high):
        """Return a random rate, in events per snapshot, that the budget allows."""
        return self.log(low, min(high, self.budget / self.stop))


def is_observable(stop, events):
    """Return true if sorted leak events can be distinguished from a site that is merely filled."""
    events = [time for time in events if time > 1]
    if len({math.ceil(time) for time in events}) < 3:
        return False
    gap = max(later - time for time, later in itertools.pairwise(events))
    return events[-1] - events[0] >= stop / 4 and stop - events[-1] <= max(gap, 1.5)


def is_settled(stop, events):
    """Return true if the last of the sorted changes is followed by a long enough silence."""
    gap = max((later - time for time, later in itertools.pairwise(events)), default=0)
    return stop - events[-1] >= max(0.3 * stop, 2, 2 * gap)


def obey(site, rule, events):
    """Set the rule that a site must obey. Return true if its events obey it."""
    site.rule, site.events = rule, sorted(events)
    return rule(site.stop, site.events)


def observable(site, times):
    return obey(site, is_observable, times)


def settled(site, times):
    return obey(site, is_settled, times)


def kept(site):
    """Return the creation times of the objects that are alive at the end."""
    return [thing.birth for thing in site.objects if thing.death == FOREVER]


# Leaks

def steady(site):
    """Keep something at each snapshot."""
    each = site.count(1, 60 if site.n < 50 else site.budget / site.n)
    poisson = site.chance.random() < 0.5
    for _, start, end in site.intervals(site.chance.choice([1, 2])):
        site.fill(start, end, 1 + len(list(site.times(each, 0, 1))) if poisson else each)
    return observable(site, kept(site))


def rare(site):
    """Keep something a few times, spread over the session."""
    start = 1.0
    events = site.chance.randint(3, max(3, min(30, int((site.stop - start) / 2))))
    each, part = site.count(1, 5), (site.stop - start) / events
    for event in range(events):
        time = start + part * (event + site.chance.random())
        for _ in range(each):
            site.put(min(time + site.chance.uniform(0, 0.01), site.stop))
    return observable(site, kept(site))


def late(site):
    """Begin to leak in the middle, and go on to the end."""
    begin, often = site.stop * site.chance.uniform(0.3, 0.7), site.chance.uniform(0.5, 1)
    each = site.count(1, 10)
    for _, start, end in site.intervals():
        if end > begin and site.chance.random() < often:
            site.fill(max(start, begin), end, each)
    return observable(site, kept(site))


def request(site):
    """Keep something only when one request runs."""
    each, api = site.count(1, 10), site.chance.randrange(4)
    for k, start, end in site.intervals():
        if site.span.apis[k] == api:
            site.fill(start, end, each)
    return observable(site, kept(site))


def hidden(site):
    """Keep a few of many objects; the others live for a short time."""
    rate, life, part = site.rate(2, 60), site.log(0.02, 2), site.log(0.004, 0.4)
    # only an object that has outlived hundreds of others can be distinguished from those in use
    old = site.stop - 7 * life
    lost = []
    for time in site.times(rate):
        leaks = site.chance.random() < part
        site.put(time, FOREVER if leaks else site.chance.expovariate(1 / life))
        if leaks:
            lost.append(time)
    return observable(site, lost) and len({math.ceil(time) for time in lost if 1 < time < old}) >= 3


def leaky_pool(site):
    """Keep some objects of a pool; the others live and die in equilibrium."""
    pool(exponential)(site)
    noise = sum(1 + (thing.death < FOREVER) for thing in site.objects if thing.birth > 1)
    lost = list(site.times(site.rate(0.1, 20), site.chance.uniform(0, 1)))
    for time in lost:
        site.put(time)
    return len(lost) >= 4 * math.sqrt(noise + len(lost)) and observable(site, lost)


def grow(site, start, end):
    """Enlarge a few objects again and again; return the times."""
    things = [site.put(site.chance.uniform(*start)) for _ in range(site.count(1, 4))]
    often, factor = site.log(0.08, 3), 1 + site.chance.choice([0, 0, 0.05, 0.2])
    step, times = max(1, site.bytes * site.log(0.02, 1)), []
    for thing in things:
        size = thing.sizes[0][1]
        for time in site.times(often, thing.birth, end):
            size = size * (factor if size < 3e8 else 1) + step * site.chance.uniform(0.5, 1.5)
            thing.sizes.append((time, round(size)))
            times.append(time)
    return times


def swollen(site):
    """Return true if the objects together have grown by a fifth."""
    return (sum(thing.sizes[-1][1] for thing in site.objects) >=
            1.2 * sum(thing.sizes[0][1] for thing in site.objects))


def growing_object(site):
    """Enlarge one or a few objects again and again, from some time on."""
    return observable(site, grow(site, (1, 1 + 0.3 * (site.stop - 1)), site.stop)) and swollen(site)


def growing_from_start(site):
    """Enlarge objects that exist from the start."""
    return observable(site, grow(site, (0, 0.05), site.stop)) and swollen(site)


def queue(site, rate_in, rate_out, bound, order):
    """Run a queue with random arrivals and departures. Arrivals at a full queue are refused."""
    waiting = []
    for time in site.times(rate_in + rate_out):
        if site.chance.random() * (rate_in + rate_out) < rate_in:
            if len(waiting) < bound:
                waiting.append((site.chance.random() if order == "priority" else time,
                                len(site.objects)))
                site.put(time)
        elif waiting:
            if order == "priority":
                waiting.sort()
            site.objects[waiting.pop(0 if order == "fifo" else -1)[1]].death = time


def growing_queue(order):
    """Return a behaviour: more objects enter a queue than leave it, by four standard deviations."""
    def behaviour(site):
        rate = site.rate(0.3, 60)
        out = rate * site.chance.uniform(0.05, 0.95)
        if (rate - out) * site.stop < 4 * math.sqrt((rate + out) * site.stop):
            return False
        queue(site, rate, out, math.inf, order)
        return observable(site, [thing.birth for thing in site.objects])
    return behaviour


# Healthy behaviours

def transient(site):
    """Free each object soon."""
    life = site.log(0.005, 1)
    for time in site.times(site.rate(0.3, 60)):
        site.put(time, site.chance.expovariate(1 / life))
    return True


def evict_oldest(chance, entries):
    del chance
    return next(iter(entries))


def evict_rarest(chance, entries):
    del chance
    return min(entries, key=lambda key: entries[key][1])


def evict_random(chance, entries):
    return chance.choice(list(entries))


def cache(evict, recent):
    """Return a behaviour: a bounded cache that is full before 60 % of the time."""
    def behaviour(site):
        capacity = site.count(3, 400)
        universe = max(capacity + 2, int(capacity * site.log(1.3, 20)))
        weights = list(itertools.accumulate((key + 1) ** -site.zipf for key in range(universe)))
        rate = min(capacity * site.log(1.5, 30), 5 * site.budget) / site.stop
        pinned = int(capacity * site.chance.choice([0, 0, 0.1, 0.5]))
        entries, fixed, full = collections.OrderedDict(), set(), None
        for time in site.times(rate):
            key = bisect.bisect(weights, site.chance.random() * weights[-1])
            if key in fixed:
                continue
            if key in entries:
                entries[key][1] += 1
                if recent:
                    entries.move_to_end(key)
                continue
            if len(site.objects) >= site.budget:
                return False
            if len(fixed) < pinned:
                fixed.add(key)
                site.put(time)
                continue
            if len(entries) + pinned == capacity:
                full = full or time
                entries.pop(evict(site.chance, entries))[0].death = time
            entries[key] = [site.put(time), 1]
        return full is not None and full < 0.6 * site.stop

    def with_keys(site):
        site.zipf = site.chance.choice([0, site.chance.uniform(0.3, 1.2)])
        return behaviour(site)
    return with_keys


def cache_of_all_keys(site):
    """Cache each key of a finite set and free none, so births slow down."""
    universe = site.count(8, 1000)
    zipf = site.chance.choice([0, 0, site.chance.uniform(0.2, 0.6)])
    weights = list(itertools.accumulate((key + 1) ** -zipf for key in range(universe)))
    seen = {}
    for time in site.times(universe * site.log(3, 30) / site.stop):
        seen.setdefault(bisect.bisect(weights, site.chance.random() * weights[-1]), time)
    for time in seen.values():
        site.put(time)
    early = [time for time in seen.values() if time < site.stop / 2]
    return len(early) >= 0.75 * len(seen) and len(seen) >= 0.9 * universe


def cache_filled_slowly(site):
    """Fill a cache over a large part of the session, and keep it."""
    site.fill(0, site.stop * site.chance.uniform(0.3, 0.68), site.count(8, 600))
    return settled(site, kept(site))


def warm_up(site):
    """Create objects at the first few snapshots, and keep them."""
    end = 1 + site.chance.uniform(0, max(1, min(5, site.stop / 4)))
    site.fill(0, end, site.count(2, 400))
    return settled(site, kept(site))


def filled_once(site):
    """Create objects in one burst or two, and keep them."""
    for _ in range(site.chance.choice([1, 1, 2])):
        start = site.chance.uniform(0, 0.6 * site.stop)
        site.fill(start, start + site.chance.choice([0.1, 1, 0.05 * site.stop]), site.count(2, 400))
    return settled(site, kept(site))


def singletons(site):
    """Create an object or two when they are first needed, and keep them."""
    for _ in range(site.chance.choice([1, 1, 2])):
        site.put(site.chance.uniform(0, site.stop))
    return True


def start_state(site):
    """Create objects at start-up, and keep them."""
    site.fill(0, 0.05, site.count(1, 500))
    return True


def registry(site):
    """Register a bounded number of objects, and free them when the program ends."""
    site.frees = True
    site.fill(0, site.stop * site.chance.uniform(0.05, 0.6), site.count(8, 300))
    return settled(site, kept(site))


def exponential(site, mean):
    return lambda: site.chance.expovariate(1 / mean)


def lognormal(site, mean):
    sigma = site.chance.uniform(0.2, 1.5)
    return lambda: mean * math.exp(site.chance.gauss(-sigma * sigma / 2, sigma))


def pool(lives):
    """Return a behaviour: an open pool in equilibrium, with lives of half a snapshot to 0.7 n."""
    def behaviour(site):
        mean = site.log(0.5, 0.7 * site.n)
        life = lives(site, mean)
        level = site.log(1, min(400, site.budget / (1 + site.stop / mean)))
        # a stationary renewal process: objects that are alive at the start were born before it
        back = [-site.chance.uniform(0, 40 * mean) for _ in
                range(len(list(site.times(level / mean, 0, 40 * mean))))]
        for time in back:
            end = time + life()
            if end > 0:
                site.put(site.chance.uniform(0, 0.05), end)
        for time in site.times(level / mean):
            site.put(time, life())
        return True
    return behaviour


def fixed_pool(site):
    """Keep a fixed number of objects; each is replaced when it is worn out."""
    mean = site.chance.choice([FOREVER, site.log(0.5, 2 * site.n)])
    most = site.budget / (1 + site.stop / mean)
    for _ in range(site.count(1, max(1, min(300, most)))):
        time = site.chance.uniform(0, 0.05)
        while time < site.stop:
            life = FOREVER if mean == FOREVER else site.chance.uniform(0.3, 1.7) * mean
            site.put(time, life)
            time += life
    return True


def expiring(site):
    """Keep each entry for a different time, like a cache or sessions with a timeout; start empty."""
    fixed = site.chance.random() < 0.7
    mean = site.log(0.5, max(0.6, site.stop * (0.45 if fixed else 0.12)))
    for time in site.times(site.rate(max(0.3, 3 / mean), 60)):
        site.put(time, mean if fixed else site.chance.expovariate(1 / mean))
    return True


def bounded_queue(site):
    """Run a queue with a bound, which it reaches early or hardly ever."""
    rate, bound = site.rate(0.5, 60), site.count(2, 300)
    out = rate * site.log(0.3, 3)
    drift = abs(rate - out)
    fill = min(bound / drift if drift else math.inf, bound * bound / (rate + out))
    if fill > 0.3 * site.stop:
        return False
    queue(site, rate, out, bound, site.chance.choice(["fifo", "fifo", "lifo", "priority"]))
    return True


def sawtooth(site):
    """Fill and flush, at least twice."""
    if site.stop < 4:
        return False
    period = site.log(1.3, site.stop / 2.2)
    rate, left = site.rate(1, 60), site.chance.choice([0, 0, 0.1])
    flush, held, flushes = site.chance.uniform(0.2, 1) * period, [], 0
    for time in site.times(rate):
        while time > flush:
            goes = [site.chance.random() >= left for _ in held]
            for thing in itertools.compress(held, goes):
                thing.death = flush
            held = [thing for thing, gone in zip(held, goes) if not gone]
            flush, flushes = flush + period, flushes + any(goes)
        held.append(site.put(time))
    return flushes >= 2


def waves(site):
    """Follow a load of days and nights, at least two of each."""
    if site.stop < 4:
        return False
    period = site.log(1.5, site.stop / 2)
    life, rate = site.log(0.05, period / 3), site.rate(1, 60)
    depth, phase = site.chance.uniform(0.3, 1), site.chance.uniform(0, math.tau)
    for time in site.times(rate):
        load = 1 + depth * math.sin(math.tau * time / period + phase)
        if site.chance.random() * 2 < load:
            site.put(time, site.chance.expovariate(1 / life))
    return True


def breathing_buffers(site):
    """Resize buffers up and down, at least twice."""
    if site.stop < 4:
        return False
    period = site.log(1.5, site.stop / 2.2)
    for _ in range(site.count(1, 5)):
        thing = site.put(site.chance.uniform(0, 1))
        least, size = thing.sizes[0][1], thing.sizes[0][1]
        shrink = site.chance.uniform(1, 1 + period)
        for time in site.times(site.log(0.5, 4), thing.birth):
            if time > shrink:
                size, shrink = least, shrink + period
            else:
                size += site.bytes * site.chance.uniform(0.1, 1)
            thing.sizes.append((time, round(size)))
    return True


def buffers_to_capacity(site):
    """Enlarge buffers until they are large enough."""
    times = grow(site, (0, 0.5), site.stop * site.chance.uniform(0.15, 0.65))
    return bool(times) and settled(site, times)


Behaviour = collections.namedtuple("Behaviour", "name leaks kind make")

# Behaviours; the kind is what a report should call the site.
BEHAVIOURS = [
    Behaviour("steady", True, "leak", steady),
    Behaviour("rare", True, "leak", rare),
    Behaviour("late", True, "leak", late),
    Behaviour("request", True, "leak", request),
    Behaviour("hidden", True, "leak", hidden),
    Behaviour("leaky-pool", True, "leak", leaky_pool),
    Behaviour("one-session", True, "leak", steady),  # the leak is in one of several sessions
    Behaviour("growing-object", True, "growing-object", growing_object),
    Behaviour("growing-from-start", True, "growing-object", growing_from_start),
    Behaviour("queue-fifo", True, "growing-queue", growing_queue("fifo")),
    Behaviour("queue-lifo", True, "growing-queue", growing_queue("lifo")),
    Behaviour("queue-priority", True, "growing-queue", growing_queue("priority")),
    Behaviour("transient", False, "transient", transient),
    Behaviour("cache-fifo", False, "cache", cache(evict_oldest, False)),
    Behaviour("cache-lru", False, "cache", cache(evict_oldest, True)),
    Behaviour("cache-lfu", False, "cache", cache(evict_rarest, False)),
    Behaviour("cache-random", False, "cache", cache(evict_random, False)),
    Behaviour("cache-all-keys", False, "cache", cache_of_all_keys),
    Behaviour("cache-slow", False, "cache", cache_filled_slowly),
    Behaviour("warm-up", False, "cache", warm_up),
    Behaviour("filled-once", False, "cache", filled_once),
    Behaviour("singletons", False, "start-up", singletons),
    Behaviour("start-state", False, "start-up", start_state),
    Behaviour("registry", False, "freed-at-end", registry),
    Behaviour("pool-exponential", False, "pool", pool(exponential)),
    Behaviour("pool-lognormal", False, "pool", pool(lognormal)),
    Behaviour("pool-fixed", False, "pool", fixed_pool),
    Behaviour("expiring", False, "pool", expiring),
    Behaviour("bounded-queue", False, "queue", bounded_queue),
    Behaviour("sawtooth", False, "pool", sawtooth),
    Behaviour("waves", False, "pool", waves),
    Behaviour("buffers-up-down", False, "buffer", breathing_buffers),
    Behaviour("buffers-to-capacity", False, "buffer", buffers_to_capacity),
]
NAMED = {one.name: one for one in BEHAVIOURS}
LEAKS = [one for one in BEHAVIOURS if one.leaks]
HEALTHY = [one for one in BEHAVIOURS if not one.leaks]
POOLS = [NAMED[name] for name in ("pool-exponential", "pool-lognormal", "pool-fixed", "transient")]
# Sites whose objects the program may free at the end of a session, or leave to the runtime.
MAY_FREE = {"transient", "pool-exponential", "pool-lognormal", "pool-fixed", "expiring",
            "bounded-queue", "sawtooth", "waves", "start-state", "singletons", "buffers-up-down"}
