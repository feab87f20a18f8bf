#include "query/site_kind.h"

#include <math.h>

/* Thresholds, explained in docs/verdict.md. */
static const double MOST_DEATHS = 0.25, /* maximum share of old objects that are deleted later */
    MOST_HAZARD = 0.35, /* maximum share of old objects that are deleted during a recording */
    MOST_SHARE = 0.99,  /* maximum share of young objects that are deleted per place */
    BY_LUCK = 1e-3,     /* maximum probability that so few old objects are deleted by chance */
    DECLINE = -1.3,     /* limit of Laplace's test for a decline, in standard deviations */
    LESS = 0.4,         /* share of the first half below which the second half is a decline */
    BY_CHANCE = 4e-3,   /* maximum probability that births equal deaths so often by chance */
    LEAST_AT_CEILING =
        0.25, /* a site that is full is at its maximum at least at this share of the places */
    MOST_SHRUNK = 0.1, /* maximum share of its growth that a growing object loses again */
    LEAST_RISE = 2.5,  /* minimum rise of a growing queue, in standard deviations */
    SMALL_SHARE = 0.7; /* share of live objects below which deaths in a recording are few */
enum { LEAST_BIRTHS = 3, LEAST_PLACES = 4, LEAST_REPLACED = 5 };

/* --- streams: arrivals at the places of a region --- */

typedef struct stream {
    double total, first, second; /* sums over the region and its halves */
    double quarters[4];
    double places;  /* number of places at which anything arrived */
    double silence; /* number of places after the last arrival */
    double gap;     /* longest distance between two successive arrivals */
    double
        middle; /* mean place of arrivals, from -1 to 1; a place counts for each of its arrivals */
    double bursts; /* variance between neighbouring places, as a multiple of the variance by chance;
                      at least 1 */
} stream;

static stream stream_of(const int64_t *place, uint32_t from, uint32_t to)
{
    stream result = {0};
    uint32_t last = from - 1;
    double before = 0, differences = 0;
    for (uint32_t i = from; i <= to; i++) {
        const double number = place[i] > 0 ? (double)place[i] : 0;
        differences += i > from ? (number - before) * (number - before) : 0;
        before = number;
        if (number <= 0)
            continue;
        const double middle = (i - from + 0.5) / (to - from + 1);
        result.total += number;
        *(middle < 0.5 ? &result.first : &result.second) += number;
        result.quarters[(int)(middle * 4)] += number;
        result.middle += (2 * middle - 1) * number;
        if (result.places > 0)
            result.gap = result.gap > i - last ? result.gap : i - last;
        result.places++;
        last = i;
    }
    result.silence = to - last;
    result.middle /= fmax(result.total, 1);
    const double ends = from <= to ? (double)(place[from] > 0 ? place[from] : 0) + before : 0;
    result.bursts = fmax(1, differences / fmax(2 * result.total - ends, 1));
    return result;
}

/* Return true if the silence at the end of the region is not longer than an earlier one. */
static bool reaches_end(const stream *s)
{
    return s->silence < 2 || s->silence <= s->gap;
}

/* Return true if arrivals continue to the end of the region. */
static bool goes_on(const stream *s)
{
    return s->places >= LEAST_BIRTHS && reaches_end(s);
}

/* Return true if arrivals reach the end of the region, but are too few to show that they
 * continue. */
static bool is_seldom(const stream *s)
{
    return s->places > 0 && s->places < LEAST_BIRTHS && reaches_end(s);
}

/* Return true if arrivals become rare towards the end, as births do while a cache fills. Uses
 * Laplace's test. */
static bool dries_up(const stream *s)
{
    return s->middle * sqrt(3 * s->total / s->bursts) < DECLINE && s->second < LESS * s->first &&
           s->quarters[3] < LESS * s->quarters[0];
}

/* --- levels: full caches and pools --- */

/* Return the probability that births equal deaths by chance at a place with this number of
 * births. */
static double balance_by_chance(int64_t births)
{
    return 1 / sqrt(1 + 4 * M_PI * (double)births);
}

/* Return true if births equal deaths at so many of the last places that chance cannot explain
 * it. */
static bool is_balanced(const mp_site_course *course)
{
    mp_course_old old;
    double chance = 1;
    mp_course_old_of(&old, course, 0);
    for (uint32_t i = course->length; i > 0 && old.in[i] == old.out[i]; i--)
        chance *= balance_by_chance(old.in[i]);
    return chance < BY_CHANCE;
}

/* Return true if the site has a ceiling: the number of live objects reaches its maximum repeatedly,
 * and never exceeds it. It must do so more often than by chance, and still in the last quarter. */
static bool is_at_ceiling(const mp_site_course *course)
{
    const uint32_t length = course->length;
    int64_t most = 0;
    double chance = 1, times = 0;
    uint32_t first = 0, last = 0;
    for (uint32_t i = 0; i <= length; i++) {
        if (course->alive[i] > most) {
            most = course->alive[i];
            first = i;
            chance = 1;
            times = 0;
        } else if (course->alive[i] == most && course->births[i] > 0) {
            chance *= balance_by_chance(course->births[i]);
            times++;
            last = i;
        }
    }
    return chance < BY_CHANCE && times >= LEAST_AT_CEILING * (length - first) &&
           last > length * 3 / 4;
}

/* --- leaks: beyond some age practically no object is deleted --- */

static double percent_of(double margin)
{
    return fmin(99, fmax(50, 50 + 49 * (1 - exp(-margin))));
}

/* Return the probability that at most `most` of `count` objects are deleted if each is deleted with
 * probability `share`. */
static double at_most(int64_t count, double share, int64_t most)
{
    double term = (double)count * log1p(-share), sum = 0; /* logarithm, because it may be tiny */
    for (int64_t k = 0; k <= most && k <= count; k++) {
        sum += exp(term);
        term += log((double)(count - k) / (double)(k + 1) * share / (1 - share));
    }
    return sum;
}

/* State of the objects that are older than a given age. */
typedef enum old_state { OLD_GO, OLD_STAY, OLD_LEAK } old_state;

/* `seen`: the same of all objects that were alive at any snapshot. */
static old_state state_of(const mp_site_course *course, const mp_course_old *seen, uint32_t age)
{
    mp_course_old old;
    const uint32_t length = course->length;
    mp_course_old_of(&old, course, age);
    double level = (double)old.level, exposure = 0, sum = 0, deaths = 0;
    double came = 0, went = 0; /* beyond the age */
    for (uint32_t i = 1; i <= length; i++) {
        sum += (double)course->alive[i - 1];
        deaths += (double)seen->out[i];
        if (i <= age)
            continue;
        came += old.in[i] > 0 ? (double)old.in[i] : 0;
        went += old.out[i] > 0 ? (double)old.out[i] : 0;
        exposure += level;
        level += (double)(old.in[i] - old.out[i]);
    }
    const double young = sum > exposure ? (deaths - went) / (sum - exposure) : 0;
    if (2 * (double)old.out[length + 1] > level || went > MOST_DEATHS * came ||
        went * length > MOST_HAZARD * exposure ||
        (age > 0 && at_most((int64_t)exposure, fmin(young, MOST_SHARE), (int64_t)went) > BY_LUCK))
        return OLD_GO;
    const stream in = stream_of(old.in, age + 1, length), out = stream_of(old.out, age + 1, length);
    return goes_on(&in) && !dries_up(&in) && out.second <= MOST_DEATHS * in.second ? OLD_LEAK
                                                                                   : OLD_STAY;
}

/* Return true if the site leaks. Find the smallest age beyond which objects stay. Only objects that
 * were born at least that long before the end can be judged. */
static bool is_leak(const mp_site_course *course, mp_site_judgement *result)
{
    mp_course_old seen; /* all objects that were alive at a snapshot */
    const uint32_t length = course->length;
    mp_course_old_of(&seen, course, 0);
    for (uint32_t age = 0; length - age >= LEAST_BIRTHS && age <= length * 2 / 3;
         age += 1 + age / 3) {
        const old_state state = state_of(course, &seen, age);
        if (state == OLD_GO)
            continue;
        result->kind = MP_SITE_LEAK;
        result->last_leaking = length - age;
        result->confidence = (uint8_t)percent_of((double)(length - age) / 4);
        return state == OLD_LEAK;
    }
    return false;
}

/* --- queues: objects are removed, but more are added --- */

/* Return true if deletions are few, or occur at a steady rate, as in a queue that is served. In a
 * pool that is still filling, deletions are instead proportional to the number of live objects. The
 * likelihoods of both models are compared. */
static bool is_served(const mp_site_course *course)
{
    const uint32_t length = course->length;
    double deaths = 0, alive = 0, steadier = 0;
    for (uint32_t i = 1; i <= length; i++) {
        deaths += (double)course->deaths[i];
        alive += (double)course->alive[i - 1];
    }
    if (deaths * length <= SMALL_SHARE * alive)
        return true;
    for (uint32_t i = 1; i <= length; i++)
        if (course->deaths[i] > 0)
            steadier += (double)course->deaths[i] *
                        log(alive / length / fmax((double)course->alive[i - 1], 1));
    return steadier > 0;
}

/* Return true if more objects are created than deleted, in both halves, by far more than chance
 * explains. */
static bool is_growing_queue(const mp_site_course *course, const stream *in, const stream *out,
                             mp_site_judgement *result)
{
    const uint32_t length = course->length;
    const double net = in->total - out->total;
    double squares = 0;
    for (uint32_t i = 1; i <= length; i++)
        squares += pow((double)(course->births[i] - course->deaths[i]) - net / length, 2);
    const double deviation = sqrt(squares * length / (length - 1));
    if (length < LEAST_PLACES || net <= LEAST_RISE * deviation ||
        in->second - out->second < LESS * (in->first - out->first) || !goes_on(in) ||
        !is_served(course))
        return false;
    result->kind = MP_SITE_GROWING_QUEUE;
    result->last_leaking = length;
    result->confidence = (uint8_t)percent_of(net / fmax(deviation, 1) / 2);
    return true;
}

/* --- objects that grow --- */

/* Return the change in size of the objects at a place. In an event log, an object that is resized
 * is replaced by another one. */
static int64_t resized_at(const mp_site_course *course, uint32_t place)
{
    const bool same = course->births[place] == course->deaths[place];
    return same ? course->alive_bytes[place] - course->alive_bytes[place - 1]
                : course->resized_bytes[place];
}

static bool is_growing_object(const mp_site_course *course, mp_site_judgement *result)
{
    const uint32_t length = course->length;
    int64_t grew[MP_COURSE_PLACES] = {0}; /* 1 if objects grew at the place, by whatever amount */
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
    if (replaced && (shrunk > 0 || in.places < LEAST_REPLACED)) /* new objects may have any size */
        return false;
    result->kind = MP_SITE_GROWING_OBJECT;
    result->last_leaking = length;
    result->confidence = (uint8_t)percent_of((in.places - 1) / 2);
    return true;
}

/* --- sites that do not leak --- */

/* Return true if nothing is left after the clean-up, or less than half of what was alive before
 * it. */
static bool is_freed(const mp_site_course *course)
{
    const int64_t left = course->alive[course->length + 1];
    return !left || 2 * left < course->alive[course->length];
}

/* Return true if each object that is alive at the end is older than any deleted object ever was. */
static bool outlives_deleted(const mp_site_course *course)
{
    int64_t left[MP_COURSE_PLACES] = {0}; /* objects alive at the end, by place of birth */
    uint32_t oldest = 0, youngest = course->length;
    for (uint32_t i = 0; i < course->count; i++) {
        const mp_site_event *event = &course->events[i];
        if (event->place > course->length)
            continue;
        left[event->born] += event->come - event->gone;
        if (event->gone > 0 && event->place - event->born > oldest)
            oldest = event->place - event->born;
    }
    for (uint32_t born = 0; born <= course->length; born++)
        if (left[born] > 0)
            youngest = course->length - born;
    return youngest > oldest;
}

static mp_site_kind healthy_kind(const mp_site_course *course, const stream *in, const stream *out)
{
    const uint32_t length = course->length;
    const double before = (double)course->alive[length];
    if (is_freed(course))
        return MP_SITE_FREED;
    if (out->total <= 0.1 * (in->total + (double)course->alive[0]))
        return MP_SITE_FILLED;
    double most = 0;
    for (uint32_t i = length / 2 + 1; i <= length; i++)
        most = fmax(most, (double)course->alive[i]);
    if (before >= 0.5 * most && in->second > 0)
        return MP_SITE_BOUNDED;
    return outlives_deleted(course) ? MP_SITE_FILLED : MP_SITE_IN_USE;
}

const char *mp_site_kind_name(mp_site_kind kind)
{
    static const char *const names[MP_SITE_KINDS] = {
        "leak",   "growing-queue", "growing-object", "lost",         "unknown",
        "filled", "bounded",       "in-use",         "freed-at-end", "reachable"};
    return names[kind];
}

mp_site_judgement mp_site_kind_of(const mp_site_course *course)
{
    mp_site_judgement result = {.kind = MP_SITE_UNKNOWN, .confidence = 50};
    const uint32_t length = course->length;
    if (length < MP_VERDICT_MOMENTS)
        return result;
    const stream in = stream_of(course->births, 1, length),
                 out = stream_of(course->deaths, 1, length);
    if (course->count >=
        LEAST_BIRTHS) { /* each of these kinds needs events at a minimum number of places */
        const bool full = is_balanced(course) || is_at_ceiling(course), freed = is_freed(course);
        if ((!full && is_leak(course, &result)) ||
            (!full && !freed && is_growing_queue(course, &in, &out, &result)) ||
            (!freed && is_growing_object(course, &result)))
            return result;
    }
    result.kind = healthy_kind(course, &in, &out);
    result.seldom = result.kind == MP_SITE_FILLED && is_seldom(&in);
    result.confidence = 80;
    return result;
}
