/* Slopes between runs. All pairs of values from two runs of equal values that are equally far apart
 * have the same slope, so the slope is stored once with the number of its pairs. The result is like
 * a sorted list in which each slope occurs that often. */
#include "query/slopes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"

typedef struct run {
    double y;
    size_t from, end; /* range of dots */
} run;

/* Values chosen from a series. As doubles, their differences are exact up to 2^53 and never
 * overflow. */
typedef struct dots {
    size_t count;
    uint32_t x[MP_SLOPE_VALUES];       /* place of each dot in the series */
    uint64_t sum[MP_SLOPE_VALUES + 1]; /* sum of the x of all dots that precede each dot */
    run *runs;
    size_t run_count;
} dots;

/* Slopes with their numbers of occurrences. */
typedef struct slopes {
    double *items;
    uint32_t *weight;
    size_t count;
} slopes;

/* --- dots and runs --- */

static void take_dots(dots *points, const double *values, size_t length, size_t most)
{
    points->count = length > most ? most : length;
    points->runs = mp_alloc(points->count * sizeof *points->runs);
    points->run_count = 0;
    points->sum[0] = 0;
    for (size_t i = 0; i < points->count; i++) {
        const size_t x = i < length - 1 ? i * (length - 1) / (points->count - 1) : i;
        points->x[i] = (uint32_t)x;
        points->sum[i + 1] = points->sum[i] + x;
        run *last = i ? &points->runs[points->run_count - 1] : NULL;
        if (last && !(last->y < values[x]) && !(last->y > values[x]))
            last->end = i + 1;
        else
            points->runs[points->run_count++] = (run){values[x], i, i + 1};
    }
}

static int by_value(const void *left, const void *right)
{
    double a = ((const run *)left)->y, b = ((const run *)right)->y;
    return MP_COMPARE(a, b);
}

/* Return 18 times the variance of Kendall's S: n(n-1)(2n+5) minus t(t-1)(2t+5) for each group of t
 * equal values. Sorts the runs by value. */
static double variance18(dots *points)
{
    run *runs = points->runs;
    double n = (double)points->count, sum = n * (n - 1) * (2 * n + 5);
    qsort(runs, points->run_count, sizeof *runs, by_value);
    for (size_t i = 0; i < points->run_count;) {
        const double y = runs[i].y;
        double t = 0;
        for (; i < points->run_count && runs[i].y <= y; i++)
            t += (double)(runs[i].end - runs[i].from);
        sum -= t * (t - 1) * (2 * t + 5);
    }
    return sum;
}

/* Return n / n*, the factor by which correlation between neighbours increases the variance. It is
 * that of a first-order autoregression of the residuals. */
static double inflation(const dots *points, const double *values, double slope)
{
    const size_t n = points->count;
    double mean = 0, squares = 0, products = 0, before = 0;
    for (size_t i = 0; i < n; i++)
        mean += (values[points->x[i]] - slope * points->x[i]) / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double left = values[points->x[i]] - slope * points->x[i] - mean;
        squares += left * left;
        products += left * before;
        before = left;
    }
    const double r = squares > 0 ? products / squares : 0, count = (double)n;
    if (r <= 0)
        return 1;
    return 1 +
           2 * (pow(r, count + 1) - count * r * r + (count - 1) * r) / (count * (r - 1) * (r - 1));
}

/* --- slopes --- */

static void add(slopes *points, double rise, size_t distance, size_t weight)
{
    if (!weight)
        return;
    points->items[points->count] = rise / (double)distance;
    points->weight[points->count++] = (uint32_t)weight;
}

/* Add the slopes between two runs. The x values of two dots whose indexes differ by `apart` differ
 * by `least` or by least + 1. The sum of the distances tells how many pairs differ by least + 1. */
static void add_between(slopes *state, const dots *points, const run *a, const run *b)
{
    const uint64_t *sum = points->sum;
    const double rise = b->y - a->y;
    for (size_t apart = b->from - a->end + 1; apart < b->end - a->from; apart++) {
        size_t from = a->from + apart < b->from ? b->from - apart : a->from;
        size_t end = a->end + apart > b->end ? b->end - apart : a->end;
        size_t least = points->x[apart], pairs = end - from;
        size_t more =
            (size_t)(sum[end + apart] - sum[from + apart] - (sum[end] - sum[from])) - least * pairs;
        add(state, rise, least, pairs - more);
        add(state, rise, least + 1, more);
    }
}

/* Return all slopes. There are at most as many slopes as pairs of dots. */
static slopes slopes_of(const dots *points)
{
    const run *runs = points->runs;
    const size_t pairs = points->count * (points->count - 1) / 2;
    const size_t lines = (points->run_count - 1) * 2 * points->count + 1;
    const size_t room = lines < pairs ? lines : pairs;
    slopes state = {mp_alloc(room * sizeof *state.items), mp_alloc(room * sizeof *state.weight), 0};
    size_t level = pairs;
    for (size_t i = 0; i < points->run_count; i++)
        for (size_t j = i + 1; j < points->run_count; j++)
            if (runs[i].y < runs[j].y || runs[i].y > runs[j].y) {
                level -= (runs[i].end - runs[i].from) * (runs[j].end - runs[j].from);
                add_between(&state, points, &runs[i], &runs[j]);
            }
    add(&state, 0, 1, level);
    return state;
}

/* --- ranks --- */

static void swap(slopes *points, size_t i, size_t j)
{
    double position = points->items[i];
    uint32_t weight = points->weight[i];
    points->items[i] = points->items[j];
    points->weight[i] = points->weight[j];
    points->items[j] = position;
    points->weight[j] = weight;
}

static double median_of_three(double first, double middle, double last)
{
    if (first < middle)
        return middle < last ? middle : first < last ? last : first;
    return first < last ? first : middle < last ? last : middle;
}

static uint64_t weight_of(const slopes *points, size_t from, size_t to)
{
    uint64_t sum = 0;
    for (size_t i = from; i < to; i++)
        sum += points->weight[i];
    return sum;
}

/* Move the slope with a rank, counted from 0 at `from`, to its place among [from, to), so that
 * smaller slopes are before it and larger ones after it. Return the place. *rank becomes the rank
 * among the occurrences that are stored at that place. Uses Hoare's selection with the median of
 * three, which neither steps nor equal values slow down. */
static size_t place_rank(slopes *points, size_t from, size_t to, uint64_t *rank)
{
    while (to - from > 1) {
        double pivot = median_of_three(points->items[from], points->items[from + (to - from) / 2],
                                       points->items[to - 1]);
        size_t i = from, j = to - 1;
        for (;;) {
            while (points->items[i] < pivot)
                i++;
            while (points->items[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap(points, i++, j--);
        }
        /* No value before i is larger than the pivot; none from i on is smaller. */
        size_t cut = i > from ? i : from + 1;
        uint64_t before = weight_of(points, from, cut);
        if (*rank < before) {
            to = cut;
        } else {
            *rank -= before;
            from = cut;
        }
    }
    return from;
}

static double largest_of(const double *values, size_t count)
{
    double largest = values[0];
    for (size_t i = 1; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
}

/* Find the median of `count` slopes. If the number is even, there are two middle slopes. The upper
 * middle slope is at `place`; its rank among the occurrences there is `left` (see place_rank). */
static void find_median(const slopes *points, uint64_t count, size_t place, uint64_t left,
                        mp_slope_ranks *ranks)
{
    ranks->middle = ranks->lower = points->items[place];
    if (count % 2 || left)
        return;
    /* the lower half has no occurrence of this slope, so it ends with the next smaller one */
    ranks->lower = largest_of(points->items, place);
    ranks->middle = ranks->lower + (ranks->middle - ranks->lower) / 2;
}

mp_slope_ranks mp_slope_ranks_of(const double *values, size_t count, size_t most)
{
    dots points;
    take_dots(&points, values, count, most);
    slopes state = slopes_of(&points);
    const uint64_t pairs = points.count * (points.count - 1) / 2;
    uint64_t left = pairs / 2;
    const size_t middle = place_rank(&state, 0, state.count, &left);
    const uint64_t before = pairs / 2 - left, with = before + state.weight[middle];
    mp_slope_ranks result;
    find_median(&state, pairs, middle, left, &result);
    const double variance = variance18(&points) / 18 * inflation(&points, values, result.middle);
    const double rank = floor(((double)pairs - 1.959963984540054 * sqrt(variance)) / 2 + 0.5);
    const uint64_t half = (pairs + 1) / 2, asked = rank < 1 ? 1 : (uint64_t)rank;
    const uint64_t cut = asked > half ? half : asked;
    uint64_t low = cut - 1, high = pairs - cut;
    result.low = result.high = state.items[middle]; /* unless an end of the interval is outside the
                                                       occurrences of the median */
    if (low < before)
        result.low = state.items[place_rank(&state, 0, middle, &low)];
    if (high >= with) {
        high -= with;
        result.high = state.items[place_rank(&state, middle + 1, state.count, &high)];
    }
    MP_FREE(state.items, state.weight, points.runs);
    return result;
}
