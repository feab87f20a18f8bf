#include "query/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    MOST = 1000,   /* values whose slopes are all looked at: half a million */
    DOMINANCE = 2, /* so many times the range of the rest makes a step a jump */
};

/* Values as doubles: differences of any two are exact up to 2^53 and never overflow. */
typedef struct dots {
    double *x, *y;
    size_t count;
} dots;

typedef struct quantiles {
    double middle, low, high;
} quantiles;

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Move the k-th smallest of [from, to) to its place, smaller ones before it, larger ones behind it;
 * by Hoare, with the median of three, which steps and ties do not make slow. */
static void place_rank(double *values, size_t from, size_t to, size_t k)
{
    while (to - from > 1) {
        double first = values[from], middle = values[from + (to - from) / 2], last = values[to - 1];
        double pivot = first < middle ? (middle < last  ? middle
                                         : first < last ? last
                                                        : first)
                                      : (first < last    ? first
                                         : middle < last ? last
                                                         : middle);
        size_t i = from, j = to - 1;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i >= j)
                break;
            double held = values[i];
            values[i++] = values[j];
            values[j--] = held;
        }
        /* Of what stands before i none is larger than the pivot, from i on none is smaller. */
        size_t cut = i > from ? i : from + 1;
        if (k < cut)
            to = cut;
        else
            from = cut;
    }
}

/* Variance of Kendall's S times 18: n(n-1)(2n+5) less t(t-1)(2t+5) for each t equal values. */
static double variance18(const dots *points)
{
    double *sorted = mp_alloc(points->count * sizeof *sorted);
    double n = (double)points->count, sum = n * (n - 1) * (2 * n + 5);
    memcpy(sorted, points->y, points->count * sizeof *sorted);
    qsort(sorted, points->count, sizeof *sorted, ascending);
    for (size_t i = 0, end; i < points->count; i = end) {
        for (end = i + 1; end < points->count && sorted[end] <= sorted[i]; end++)
            ;
        double t = (double)(end - i);
        sum -= t * (t - 1) * (2 * t + 5);
    }
    free(sorted);
    return sum;
}

static quantiles slopes_of(const dots *points)
{
    size_t count = points->count * (points->count - 1) / 2, used = 0;
    double *all = mp_alloc(count * sizeof *all);
    for (size_t i = 0; i < points->count; i++)
        for (size_t j = i + 1; j < points->count; j++)
            all[used++] = (points->y[j] - points->y[i]) / (points->x[j] - points->x[i]);
    double width = 1.959963984540054 * sqrt(variance18(points) / 18);
    double rank = floor(((double)count - width) / 2 + 0.5);
    size_t cut = rank < 1 ? 1 : (size_t)rank, half = count / 2;
    cut = cut > (count + 1) / 2 ? (count + 1) / 2 : cut;
    place_rank(all, 0, count, half);
    quantiles result = {.middle = all[half]};
    if (count % 2 == 0) { /* the largest of the lower half */
        double below = all[0];
        for (size_t i = 1; i < half; i++)
            below = all[i] > below ? all[i] : below;
        result.middle = below + (all[half] - below) / 2;
    }
    place_rank(all, 0, half + 1, cut - 1);
    result.low = all[cut - 1];
    place_rank(all, half, count, count - cut);
    result.high = all[count - cut];
    free(all);
    return result;
}

static quantiles thinned_slopes(const double *values, size_t count)
{
    size_t kept = count > MOST ? MOST : count;
    dots points = {mp_alloc(kept * sizeof(double)), mp_alloc(kept * sizeof(double)), kept};
    for (size_t i = 0; i < kept; i++) {
        size_t place = kept < count ? i * (count - 1) / (kept - 1) : i;
        points.x[i] = (double)place;
        points.y[i] = values[place];
    }
    quantiles result = slopes_of(&points);
    free(points.x);
    free(points.y);
    return result;
}

/* --- steps --- */

static double range_of(const double *values, size_t count)
{
    double low = values[0], high = values[0];
    for (size_t i = 1; i < count; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    return high - low;
}

/* The place of the largest step, the first of equal ones; with `like` the next one of the same
 * direction. 0: there is none. */
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

/* The values without the steps at these places, ascending: what is behind a step is shifted back by
 * its height, and one value is dropped. NULL if a step does not outweigh what is before and behind
 * it, so that it may be part of that. Release with free(). */
static double *without_steps(const double *values, size_t count, const size_t *places, size_t steps)
{
    double *rest = mp_alloc(count * sizeof *rest), shift = 0, largest = 0, smallest = INFINITY;
    for (size_t i = 0, piece = 0, used = 0; piece <= steps; piece++) {
        size_t end = piece < steps ? places[piece] : count;
        largest = fmax(largest, range_of(values + i, end - i));
        for (i += piece > 0; i < end; i++)
            rest[used++] = values[i] - shift;
        if (piece < steps) {
            double step = values[end] - values[end - 1];
            smallest = fmin(smallest, fabs(step));
            shift += step;
        }
    }
    if (smallest > DOMINANCE * largest)
        return rest;
    free(rest);
    return NULL;
}

static int64_t difference(int64_t to, int64_t from)
{
    int64_t result;
    if (__builtin_sub_overflow(to, from, &result))
        return to > from ? INT64_MAX : INT64_MIN;
    return result;
}

static mp_trend trend_of_slopes(const double *values, size_t count)
{
    quantiles slopes = thinned_slopes(values, count);
    return (mp_trend){.kind = slopes.low > 0    ? MP_TREND_GROWS
                              : slopes.high < 0 ? MP_TREND_SHRINKS
                                                : MP_TREND_FLAT,
                      .slope = slopes.middle,
                      .low = slopes.low,
                      .high = slopes.high};
}

/* Judge what is left without a step, or without two, in place of all, if they are no part of it.
 * Two are taken out only where they hide that the rest goes the other way. */
static void judge_without(mp_trend *trend, const double *exact, size_t count, const size_t *places,
                          size_t steps)
{
    bool swap = places[0] > places[steps - 1], up = exact[*places] > exact[*places - 1];
    double *rest = without_steps(
        exact, count, (const size_t[]){places[swap ? 1 : 0], places[swap ? 0 : steps - 1]}, steps);
    if (!rest)
        return;
    mp_trend without = trend_of_slopes(rest, count - steps);
    bool hidden = without.kind == (up ? MP_TREND_SHRINKS : MP_TREND_GROWS);
    free(rest);
    /* Three values are too few to say more than the four of which they are. */
    if (without.kind == MP_TREND_FLAT ||
        (count - steps < MP_TREND_FEWEST && without.kind != trend->kind))
        without.kind = up ? MP_TREND_JUMP : MP_TREND_DROP;
    for (size_t i = 0; i < steps; i++)
        without.steps[i].place = places[i];
    if (steps == 1 || hidden)
        *trend = without;
}

static void judge(mp_trend *trend, const double *exact, const int64_t *values, size_t count)
{
    *trend = trend_of_slopes(exact, count);
    size_t places[MP_TREND_STEPS] = {largest_step(exact, count, 0)};
    judge_without(trend, exact, count, places, 1);
    bool told =
        trend->steps[0].place && trend->kind != MP_TREND_JUMP && trend->kind != MP_TREND_DROP;
    places[1] = largest_step(exact, count, places[0]);
    if (!told && places[1] && count >= MP_TREND_FEWEST + MP_TREND_STEPS)
        judge_without(trend, exact, count, places, 2);
    for (size_t i = 0; i < MP_TREND_STEPS && trend->steps[i].place; i++) {
        size_t place = trend->steps[i].place;
        trend->steps[i].size = difference(values[place], values[place - 1]);
    }
}

mp_trend mp_trend_of(const int64_t *values, size_t count)
{
    mp_trend trend = {.kind = count < MP_TREND_FEWEST ? MP_TREND_TOO_SHORT : MP_TREND_FLAT};
    if (count < MP_TREND_FEWEST)
        return trend;
    double *exact = mp_alloc(count * sizeof *exact);
    for (size_t i = 0; i < count; i++)
        exact[i] = (double)values[i];
    if (range_of(exact, count) > 0)
        judge(&trend, exact, values, count);
    free(exact);
    return trend;
}

const char *mp_trend_words(mp_trend_kind kind)
{
    static const char *const words[] = {
        [MP_TREND_TOO_SHORT] = "too short to tell",
        [MP_TREND_FLAT] = "flat",
        [MP_TREND_GROWS] = "grows steadily",
        [MP_TREND_SHRINKS] = "shrinks steadily",
        [MP_TREND_JUMP] = "jumps once",
        [MP_TREND_DROP] = "drops once",
    };
    return words[kind];
}
