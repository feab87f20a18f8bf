/* Slopes of series with equal values. memprof computes a slope once for all equal values. The test
 * compares this with all slopes, computed one by one and sorted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <math.h>

#include <cmocka.h>

#include "query/slopes.h"

enum { LONGEST = 1300, KEPT = 1000 };

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static uint32_t chance(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

/* Return n / n* of Yue and Wang by its definition: 1 + 2 times the sum of (1 - k / n) r^k, for a
 * positive r. */
static double likeness(const double *values, size_t count, size_t kept, double slope)
{
    double rest[KEPT], mean = 0, squares = 0, products = 0, result = 1;
    for (size_t i = 0; i < kept; i++) {
        const size_t x = i * (count - 1) / (kept - 1);
        rest[i] = values[x] - slope * (double)x;
        mean += rest[i] / (double)kept;
    }
    for (size_t i = 0; i < kept; i++) {
        squares += (rest[i] - mean) * (rest[i] - mean);
        products += i ? (rest[i] - mean) * (rest[i - 1] - mean) : 0;
    }
    const double r = squares > 0 ? products / squares : 0;
    double power = 1;
    for (size_t k = 1; r > 0 && k < kept; k++) {
        power *= r;
        result += 2 * (1 - (double)k / (double)kept) * power;
    }
    return result;
}

static mp_slope_ranks by_sorting(const double *values, size_t count)
{
    size_t kept = count > KEPT ? KEPT : count, pairs = kept * (kept - 1) / 2, used = 0;
    double *slopes = malloc(pairs * sizeof *slopes), y[KEPT], x[KEPT], n = (double)kept;
    for (size_t i = 0; i < kept; i++) {
        x[i] = (double)(i * (count - 1) / (kept - 1));
        y[i] = values[(size_t)x[i]];
    }
    for (size_t i = 0; i < kept; i++)
        for (size_t j = i + 1; j < kept; j++)
            slopes[used++] = (y[j] - y[i]) / (x[j] - x[i]);
    qsort(slopes, pairs, sizeof *slopes, ascending);
    qsort(y, kept, sizeof *y, ascending);
    double variance = n * (n - 1) * (2 * n + 5), t = 1;
    for (size_t i = 1; i <= kept; i++, t++)
        if (i == kept || y[i] > y[i - 1]) {
            variance -= t * (t - 1) * (2 * t + 5);
            t = 0;
        }
    const double below = slopes[(pairs - 1) / 2], above = slopes[pairs / 2];
    const double middle = below + (above - below) / 2;
    variance *= likeness(values, count, kept, middle) / 18;
    double rank = floor(((double)pairs - 1.959963984540054 * sqrt(variance)) / 2 + 0.5);
    size_t cut = rank < 1 ? 1 : (size_t)rank;
    cut = cut > (pairs + 1) / 2 ? (pairs + 1) / 2 : cut;
    mp_slope_ranks result = {middle, slopes[cut - 1], slopes[pairs - cut], below};
    free(slopes);
    return result;
}

/* Series that change seldom or often, by equal or by different amounts. */
static void ranks_are_those_of_all_slopes(void **unused)
{
    (void)unused;
    static const struct {
        size_t shortest, longest, series;
        uint32_t seldom; /* at most one of this many values changes */
    } cases[] = {{2, 3, 20, 2}, {4, 25, 400, 8}, {60, 200, 60, 60}, {999, LONGEST, 6, 300}};
    static const uint32_t sizes[] = {1, 2, 100, 100000};
    static double values[LONGEST];
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < cases[i].series; k++) {
            uint32_t size = sizes[k % 4], seldom = 1 + chance(&state, cases[i].seldom);
            uint32_t more = (uint32_t)(cases[i].longest - cases[i].shortest) + 1;
            size_t count = cases[i].shortest + chance(&state, more);
            for (size_t index = 0; index < count; index++) {
                bool same = index && chance(&state, seldom);
                double step = same ? 0 : size - 2.0 * chance(&state, size + 1);
                values[index] = (index ? values[index - 1] : 0) + step;
            }
            mp_slope_ranks found = mp_slope_ranks_of(values, count, MP_SLOPE_VALUES);
            mp_slope_ranks expected = by_sorting(values, count);
            assert_memory_equal(&found, &expected, sizeof found);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_are_those_of_all_slopes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
