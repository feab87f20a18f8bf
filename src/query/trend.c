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

static size_t largest_step(const double *values, size_t count)
{
    size_t found = 1;
    for (size_t i = 2; i < count; i++)
        if (fabs(values[i] - values[i - 1]) > fabs(values[found] - values[found - 1]))
            found = i;
    return found;
}

/* Whether a step outweighs everything else; if so, also the slopes without it. To remove the step,
 * the values after it are shifted back by its height, and one value is dropped. */
static bool is_dominant(const double *values, size_t count, size_t place, quantiles *slopes)
{
    double step = values[place] - values[place - 1];
    double *rest = mp_alloc(count * sizeof *rest);
    memcpy(rest, values, place * sizeof *rest);
    for (size_t i = place + 1; i < count; i++)
        rest[i - 1] = values[i] - step;
    bool dominant = fabs(step) > DOMINANCE * range_of(rest, count - 1);
    if (dominant)
        *slopes = thinned_slopes(rest, count - 1);
    free(rest);
    return dominant;
}

static int64_t difference(int64_t to, int64_t from)
{
    int64_t result;
    if (__builtin_sub_overflow(to, from, &result))
        return to > from ? INT64_MAX : INT64_MIN;
    return result;
}

static void judge(mp_trend *trend, const double *exact, const int64_t *values, size_t count)
{
    quantiles whole = thinned_slopes(exact, count), rest;
    trend->slope = whole.middle;
    trend->low = whole.low;
    trend->high = whole.high;
    if (whole.low > 0)
        trend->kind = MP_TREND_GROWS;
    else if (whole.high < 0)
        trend->kind = MP_TREND_SHRINKS;
    size_t step = largest_step(exact, count);
    if (!is_dominant(exact, count, step, &rest))
        return;
    trend->step = step;
    trend->step_size = difference(values[step], values[step - 1]);
    if (trend->step_size > 0 && !(rest.low > 0))
        trend->kind = MP_TREND_JUMP;
    if (trend->step_size < 0 && !(rest.high < 0))
        trend->kind = MP_TREND_DROP;
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
