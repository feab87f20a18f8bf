#include "query/site_kind.h"

#include <math.h>

/* Thresholds. docs/verdict.md says what each is for. */
static const double MOST_DEATHS = 0.25, /* of those that reach the age of a leak, so many may go */
    MOST_HAZARD = 0.35, /* the share of old objects that goes in a whole recording */
    MOST_SHARE = 0.99,  /* of the young that go at a place */
    BY_LUCK = 1e-3,     /* that the old, who go as the young do, are spared */
    CLEAR = 3,          /* times the scatter of the young's level */
    PART = 0.3,         /* of the rise of what grew old, by which all that is alive rises */
    SAME_RATE = 0.02,   /* chance of so long a silence at the end of an even stream */
    FAIR_CHANCE = 0.22, /* of a silence that is longer than those before */
    LONGER = 1.75,      /* so many times */
    DECLINE = -1.3,     /* standard deviations */
    LESS = 0.5,         /* in the second half than in the first, so many times */
    BY_CHANCE = 4e-3,   /* that as many come as go */
    MOST_SHRUNK = 0.1,  /* of what objects grow, so much may go again */
    LEAST_RISE = 2.5,   /* standard deviations that a queue must rise */
    SMALL_SHARE = 0.7,  /* of those alive, that goes in a whole recording */
    LEAST = 1e-6,       /* share of the deaths that is told from none */
    SLOWER = 1.3,       /* times as long as in the first half an object waits in the second */
    EVEN = 0.1,         /* scatter of a service, of that of chance, below which it is even */
    BETTER = 0.5;       /* logarithm of the likelihoods' ratio */
enum { LEAST_BIRTHS = 3, LEAST_REPLACED = 6 };

/* --- streams: what arrives at the places of a region --- */

typedef struct stream {
    double total, first, second; /* of the region and its halves */
    double quarters[4];
    double places;  /* at which anything arrived */
    double length;  /* of the region */
    double silence; /* at its end */
    double gap;     /* the longest from one arrival to the next, in places */
    double middle;  /* mean place of arrivals, -1 to 1, each as often as it arrived */
    double span;    /* places from the first arrival to the last */
    double bursts;  /* how much more neighbours differ than by chance; 1: not more */
} stream;

static stream stream_of(const int64_t *at, uint32_t from, uint32_t to)
{
    stream result = {.length = to - from + 1};
    uint32_t first = from, last = from - 1;
    double before = 0, differences = 0;
    for (uint32_t i = from; i <= to; i++) {
        const double middle = (i - from + 0.5) / result.length;
        const double number = at[i] > 0 ? (double)at[i] : 0;
        differences += i > from ? (number - before) * (number - before) : 0;
        before = number;
        if (number <= 0)
            continue;
        result.total += number;
        *(middle < 0.5 ? &result.first : &result.second) += number;
        result.quarters[(int)(middle * 4)] += number;
        result.middle += (2 * middle - 1) * number;
        if (result.places > 0)
            result.gap = fmax(result.gap, i - last);
        else
            first = i;
        result.places++;
        last = i;
    }
    result.silence = to - last;
    result.span = last - first + 1;
    result.middle /= fmax(result.total, 1);
    const double ends = from <= to ? (double)(at[from] > 0 ? at[from] : 0) + before : 0;
    result.bursts = fmax(1, differences / fmax(2 * result.total - ends, 1));
    return result;
}

/* Return whether the stream goes on to the end of its region: the silence at its end is not longer
 * than others before, or may be chance. */
static bool goes_on(const stream *s)
{
    const double chance = pow(1 - s->silence / s->length, s->places);
    if (s->places < LEAST_BIRTHS || chance < SAME_RATE)
        return false;
    return s->silence < 2 || s->silence <= LONGER * s->gap ||
           (chance >= FAIR_CHANCE && s->silence < s->span);
}

/* Return whether the stream dries up, as births do while something fills: Laplace's test. */
static bool dries_up(const stream *s)
{
    return s->middle * sqrt(3 * s->total / s->bursts) < DECLINE && s->second < LESS * s->first &&
           s->quarters[3] < LESS * s->quarters[0];
}

/* --- levels: caches and pools that are full --- */

/* Return whether as many come as go, place by place, so that chance cannot explain it. */
static bool is_full(const mp_site_course *course)
{
    mp_course_old old;
    double chance = 1;
    mp_course_old_of(&old, course, 0);
    for (uint32_t i = course->length; i > 0 && old.in[i] == old.out[i]; i--)
        chance /= sqrt(1 + 4 * M_PI * (double)old.in[i]);
    return chance < BY_CHANCE;
}

/* --- leaks: objects that pass an age beyond which practically nothing goes --- */

static double percent_of(double margin)
{
    return fmin(99, fmax(50, 50 + 49 * (1 - exp(-margin))));
}

/* Return the chance that of so many objects and places not more than `most` go, each by `share`. */
static double at_most(int64_t count, double share, int64_t most)
{
    double term = pow(1 - share, (double)count), sum = 0;
    for (int64_t k = 0; k <= most && k <= count; k++) {
        sum += term;
        term *= (double)(count - k) / (double)(k + 1) * share / (1 - share);
    }
    return sum;
}

/* Return whether what grew old lifts the level of all that is alive; where it would have to, but
 * does not, the old take the place of the young. */
static bool lifts(const mp_site_course *course, const mp_course_old *old)
{
    const uint32_t from = old->age + 1, length = course->length;
    const double half = (length - from + 1) / 2.0;
    double level = (double)old->level, rise = 0, old_rise = 0, sum = 0, squares = 0;
    for (uint32_t i = from; i <= length; i++) {
        const double side = i - from + 0.5 < half ? -1 / half : 1 / half;
        level += (double)(old->in[i] - old->out[i]);
        const double young = (double)course->alive[i] - level;
        rise += side * (double)course->alive[i];
        old_rise += side * level;
        sum += young;
        squares += young * young;
    }
    const double count = 2 * half, mean = sum / count;
    const double noise = sqrt(fmax(squares / count - mean * mean, 0) * 4 / count);
    return old_rise < CLEAR * noise || rise > PART * old_rise;
}

/* What is known of the objects that are older than an age. */
typedef enum old_state { OLD_GO, OLD_STAY, OLD_LEAK } old_state;

static old_state state_of(const mp_site_course *course, uint32_t age)
{
    mp_course_old old, seen; /* at a snapshot */
    const uint32_t length = course->length;
    mp_course_old_of(&seen, course, 0);
    mp_course_old_of(&old, course, age);
    const stream in = stream_of(old.in, age + 1, length), out = stream_of(old.out, age + 1, length);
    double level = (double)old.level, exposure = 0, all = 0, deaths = 0;
    for (uint32_t i = 1; i <= length; i++) {
        all += (double)course->alive[i - 1];
        deaths += (double)seen.out[i];
        if (i <= age)
            continue;
        exposure += level;
        level += (double)(old.in[i] - old.out[i]);
    }
    const double young = all > exposure ? (deaths - out.total) / (all - exposure) : 0;
    if (out.total > MOST_DEATHS * in.total || out.total * length > MOST_HAZARD * exposure ||
        (age > 0 &&
         at_most((int64_t)exposure, fmin(young, MOST_SHARE), (int64_t)out.total) > BY_LUCK))
        return OLD_GO;
    return goes_on(&in) && !dries_up(&in) && out.second <= MOST_DEATHS * in.second &&
                   (!age || lifts(course, &old))
               ? OLD_LEAK
               : OLD_STAY;
}

/* Find the age beyond which objects stay; from the least on, as only what was born so long before
 * the end can have reached it. */
static bool is_leak(const mp_site_course *course, mp_site_judgement *result)
{
    const uint32_t length = course->length;
    for (uint32_t age = 0; length - age >= LEAST_BIRTHS && age <= length * 2 / 3;
         age += 1 + age / 3) {
        const old_state state = state_of(course, age);
        if (state == OLD_GO)
            continue;
        result->kind = MP_SITE_LEAK;
        result->last_leaking = length - age;
        result->confidence = (uint8_t)percent_of((double)(length - age) / 4);
        return state == OLD_LEAK;
    }
    return false;
}

/* --- queues: deaths go on, but births are more --- */

/* Return how much likelier the deaths are, given what explains them, than as a share of those
 * alive, as in a pool that has not come to its size: the logarithm, of as much scatter as there is.
 */
static double likelier(const mp_site_course *course, const double *expected, double scatter)
{
    const uint32_t length = course->length;
    double alive = 0, sum = 0, better = 0;
    for (uint32_t i = 1; i <= length; i++) {
        alive += (double)course->alive[i - 1];
        sum += expected[i];
    }
    for (uint32_t i = 1; i <= length; i++) {
        const double share = (double)course->alive[i - 1] / alive, other = expected[i] / sum;
        if (course->deaths[i] > 0)
            better += (double)course->deaths[i] * log(fmax(other, LEAST) / fmax(share, LEAST));
    }
    return better / scatter;
}

/* Return whether a service explains the deaths: a steady one, or one that rests when nothing comes,
 * and what is alive rises by more than what comes; or whether so few go that nothing needs one. */
static bool is_served(const mp_site_course *course, const stream *in)
{
    const uint32_t length = course->length;
    double deaths = 0, squares = 0, first = 0, second = 0;
    double steady[MP_COURSE_PLACES], busy[MP_COURSE_PLACES];
    for (uint32_t i = 1; i <= length; i++) {
        deaths += (double)course->deaths[i];
        *(i - 0.5 < length / 2.0 ? &first : &second) += (double)course->alive[i - 1];
        steady[i] = 1;
        busy[i] = (double)course->births[i];
    }
    const double mean = deaths / length;
    if (deaths * length <= SMALL_SHARE * (first + second))
        return true;
    for (uint32_t i = 1; i <= length; i++)
        squares += ((double)course->deaths[i] - mean) * ((double)course->deaths[i] - mean);
    if (likelier(course, steady, fmax(EVEN, squares / length / mean)) >= BETTER)
        return true;
    return second * in->first > SLOWER * first * in->second && likelier(course, busy, 1) >= BETTER;
}

static bool is_growing_queue(const mp_site_course *course, mp_site_judgement *result)
{
    const uint32_t length = course->length;
    const stream in = stream_of(course->births, 1, length),
                 out = stream_of(course->deaths, 1, length);
    const double net = in.total - out.total, mean = net / length;
    double squares = 0;
    if (length < 4 || net <= 0 || !goes_on(&in) || dries_up(&in) || out.places < LEAST_BIRTHS)
        return false;
    for (uint32_t i = 1; i <= length; i++) {
        const double x = (double)(course->births[i] - course->deaths[i]) - mean;
        squares += x * x;
    }
    const double deviation = sqrt(squares / (length - 1) * length);
    const double rise = net / fmax(deviation, 1e-9);
    const double first = in.first - out.first, second = in.second - out.second;
    const double last = in.quarters[3] - out.quarters[3];
    if (rise < LEAST_RISE || second < 0.4 * first || last <= 0)
        return false;
    if (!is_served(course, &in))
        return false;
    result->kind = MP_SITE_GROWING_QUEUE;
    result->last_leaking = length;
    result->confidence = (uint8_t)percent_of(rise / 2);
    return true;
}

/* --- objects that grow --- */

/* Return by how much the objects of a place changed their size. A log tells a resized object as one
 * that goes and one that comes. */
static int64_t resized_at(const mp_site_course *course, uint32_t place)
{
    const bool same = course->births[place] == course->deaths[place];
    return same ? course->alive_bytes[place] - course->alive_bytes[place - 1]
                : course->resized_bytes[place];
}

static bool is_growing_object(const mp_site_course *course, mp_site_judgement *result)
{
    const uint32_t length = course->length;
    int64_t grew[MP_COURSE_PLACES] = {0}; /* at this place: by how much does not matter */
    double rise = 0, shrunk = 0;
    bool replaced = false;
    for (uint32_t i = 1; i <= length; i++) {
        const int64_t resized = resized_at(course, i);
        grew[i] = resized > 0;
        *(resized > 0 ? &rise : &shrunk) += fabs((double)resized);
        replaced |= resized != course->resized_bytes[i];
    }
    const stream in = stream_of(grew, 1, length);
    if (!goes_on(&in) || dries_up(&in) || shrunk > MOST_SHRUNK * rise)
        return false;
    if (replaced && (shrunk > 0 || in.places < LEAST_REPLACED)) /* other objects, of any size */
        return false;
    result->kind = MP_SITE_GROWING_OBJECT;
    result->last_leaking = length;
    result->confidence = (uint8_t)percent_of((in.places - 1) / 2);
    return true;
}

/* --- what does not leak --- */

static mp_site_kind healthy_kind(const mp_site_course *course)
{
    const uint32_t length = course->length;
    const stream in = stream_of(course->births, 1, length),
                 out = stream_of(course->deaths, 1, length);
    const double end = (double)course->alive[length + 1], before = (double)course->alive[length];
    if (before > 0 && end < 0.1 * before)
        return MP_SITE_FREED;
    if (out.total <= 0.1 * (in.total + (double)course->alive[0]))
        return MP_SITE_FILLED;
    double most = 0;
    for (uint32_t i = length / 2 + 1; i <= length; i++)
        most = fmax(most, (double)course->alive[i]);
    if (before >= 0.5 * most && in.second > 0)
        return MP_SITE_BOUNDED;
    return MP_SITE_IN_USE;
}

const char *mp_site_kind_name(mp_site_kind kind)
{
    static const char *const names[MP_SITE_KINDS] = {"leak",    "growing-queue", "growing-object",
                                                     "unknown", "filled",        "bounded",
                                                     "in-use",  "freed-at-end"};
    return names[kind];
}

mp_site_judgement mp_site_kind_of(const mp_site_course *course)
{
    mp_site_judgement result = {.kind = MP_SITE_UNKNOWN, .confidence = 50};
    const uint32_t length = course->length;
    if (length < MP_VERDICT_MOMENTS)
        return result;
    const bool freed = course->alive[length + 1] * 10 <= course->alive[length];
    const bool full = is_full(course);
    if (!freed &&
        ((!full && is_leak(course, &result)) || (!full && is_growing_queue(course, &result)) ||
         is_growing_object(course, &result)))
        return result;
    result.kind = healthy_kind(course);
    result.confidence = 80;
    return result;
}
