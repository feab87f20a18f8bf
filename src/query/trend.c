#include "query/trend.h"

#include <math.h>
#include <stdlib.h>

#include "query/slopes.h"

enum {
    MOST_BUILDS = 128
}; /* maximum number of compared builds; it is limited because each of many sites has a series */

enum {
    DOMINANCE = 2
}; /* a step is a jump if it exceeds the range of the other values by this factor */

/* --- steps --- */

/* Return true if a step is more than DOMINANCE times the range of the values. */
static bool outweighs(double step, const double *values, size_t count)
{
    double low = values[0], high = values[0];
    for (size_t i = 1; i < count; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
        if (DOMINANCE * (high - low) >= step)
            return false;
    }
    return true;
}

/* Return the place of the largest step, the first if several are equal. With `like`, return the
 * place of the next largest step in the same direction. 0: there is none. */
static size_t largest_step(const double *values, size_t count, size_t like)
{
    size_t found = 0;
    double most = 0, direction = like ? values[like] - values[like - 1] : 0;
    for (size_t i = 1; i < count; i++) {
        double step = values[i] - values[i - 1];
        if (i == like || fabs(step) <= most || (like && (step > 0) != (direction > 0)))
            continue;
        most = fabs(step);
        found = i;
    }
    return found;
}

/* Return true if each of the steps at these places (ascending) outweighs the values before and
 * after it. A step that does not may be part of their variation. */
static bool are_steps(const double *values, size_t count, const size_t *places, size_t steps)
{
    double smallest = INFINITY;
    for (size_t i = 0; i < steps; i++)
        smallest = fmin(smallest, fabs(values[places[i]] - values[places[i] - 1]));
    bool outweigh = outweighs(smallest, values + places[steps - 1], count - places[steps - 1]);
    for (size_t i = 0, from = 0; outweigh && i < steps; from = places[i++])
        outweigh = outweighs(smallest, values + from, places[i] - from);
    return outweigh;
}

/* Return the values without these steps: the values after a step are shifted by its height, and one
 * value per step is dropped. Release with free(). */
static double *without_steps(const double *values, size_t count, const size_t *places, size_t steps)
{
    double *rest = mp_alloc(count * sizeof *rest), shift = 0;
    for (size_t i = 0, piece = 0, used = 0; i < count; i++)
        if (piece < steps && i == places[piece]) {
            shift += values[i] - values[i - 1];
            piece++;
        } else {
            rest[used++] = values[i] - shift;
        }
    return rest;
}

static int64_t difference(int64_t to, int64_t from)
{
    int64_t result;
    if (__builtin_sub_overflow(to, from, &result))
        return to > from ? INT64_MAX : INT64_MIN;
    return result;
}

static mp_trend trend_of_slopes(const double *values, size_t count, size_t most)
{
    mp_slope_ranks slopes = mp_slope_ranks_of(values, count, most);
    return (mp_trend){.kind = slopes.low > 0    ? MP_TREND_GROWS
                              : slopes.high < 0 ? MP_TREND_SHRINKS
                                                : MP_TREND_FLAT,
                      .slope = slopes.middle,
                      .lower = slopes.lower,
                      .low = slopes.low,
                      .high = slopes.high};
}

/* Judge the values without one or two steps that are clearly larger than the variation of the other
 * values. Two steps are removed only if they hide that the other values go in the opposite
 * direction. Return false if all values must be judged. */
static bool judge_without(mp_trend *trend, const double *exact, size_t count, const size_t *places,
                          size_t steps, size_t most)
{
    bool swap = places[0] > places[steps - 1], up = exact[*places] > exact[*places - 1];
    const size_t ascending[] = {places[swap ? 1 : 0], places[swap ? 0 : steps - 1]};
    if (!are_steps(exact, count, ascending, steps))
        return false;
    double *rest = without_steps(exact, count, ascending, steps);
    mp_trend without = trend_of_slopes(rest, count - steps, most);
    bool hidden = without.kind == (up ? MP_TREND_SHRINKS : MP_TREND_GROWS);
    free(rest);
    /* Three remaining values are not enough to overrule the verdict on all four. */
    if (without.kind == MP_TREND_FLAT || (count - steps < MP_TREND_FEWEST &&
                                          without.kind != trend_of_slopes(exact, count, most).kind))
        without.kind = up ? MP_TREND_JUMP : MP_TREND_DROP;
    for (size_t i = 0; i < steps; i++)
        without.steps[i].place = places[i];
    if (steps > 1 && !hidden)
        return false;
    *trend = without;
    return true;
}

static void judge(mp_trend *trend, const double *exact, const int64_t *values, size_t count,
                  size_t most)
{
    size_t places[MP_TREND_STEPS] = {largest_step(exact, count, 0)};
    if (!places[0])
        return; /* all values are equal */
    if (!judge_without(trend, exact, count, places, 1, most))
        *trend = trend_of_slopes(exact, count, most);
    bool told =
        trend->steps[0].place && trend->kind != MP_TREND_JUMP && trend->kind != MP_TREND_DROP;
    if (!told && count >= MP_TREND_FEWEST + MP_TREND_STEPS &&
        (places[1] = largest_step(exact, count, places[0])))
        judge_without(trend, exact, count, places, 2, most);
    for (size_t i = 0; i < MP_TREND_STEPS && trend->steps[i].place; i++) {
        size_t place = trend->steps[i].place;
        trend->steps[i].size = difference(values[place], values[place - 1]);
    }
}

static mp_trend trend_within(const int64_t *values, size_t count, size_t most)
{
    mp_trend trend = {.kind = count < MP_TREND_FEWEST ? MP_TREND_TOO_SHORT : MP_TREND_FLAT};
    if (count < MP_TREND_FEWEST)
        return trend;
    double *exact = mp_alloc(count * sizeof *exact);
    for (size_t i = 0; i < count; i++)
        exact[i] = (double)values[i];
    judge(&trend, exact, values, count, most);
    free(exact);
    return trend;
}

mp_trend mp_trend_of(const int64_t *values, size_t count)
{
    return trend_within(values, count, MP_SLOPE_VALUES);
}

int64_t mp_trend_whole_slope(const int64_t *values, size_t count)
{
    double slope = trend_within(values, count, MOST_BUILDS).lower;
    if (count < MP_TREND_FEWEST) {
        double exact[MP_TREND_FEWEST];
        for (size_t i = 0; i < count; i++)
            exact[i] = (double)values[i];
        slope = mp_slope_ranks_of(exact, count, MOST_BUILDS).lower;
    }
    const double most = 0x1p62;
    return (int64_t)ceil(fmax(-most, fmin(slope, most)));
}

const char *mp_trend_words(mp_trend_kind kind)
{
    static const char *const words[] = {
        [MP_TREND_TOO_SHORT] = "too short to judge",
        [MP_TREND_FLAT] = "flat",
        [MP_TREND_GROWS] = "grows steadily",
        [MP_TREND_SHRINKS] = "shrinks steadily",
        [MP_TREND_JUMP] = "jumps once",
        [MP_TREND_DROP] = "drops once",
    };
    return words[kind];
}
