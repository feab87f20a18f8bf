/* Slopes by hand, and against all slopes put in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/median_slope.h"

enum { MOST = 12 };

static void by_hand(void **state)
{
    (void)state;
    static const struct {
        int64_t values[MOST];
        size_t count;
        int64_t slope;
        int64_t limit; /* that it exceeds; one more it does not */
    } cases[] = {
        {{5, 5, 5, 5}, 4, 0, -1},
        {{1, 3, 5, 7}, 4, 2, 1},
        {{7, 5, 3, 1}, 4, -2, -3},
        {{0, 0, 0, 100, 100, 100}, 6, 0, -1}, /* a jump */
        /* What grows beside it: left are 0, 1, 2, 2, 3, 4, whose middle slope is 3/4. */
        {{0, 1, 2, 102, 103, 104}, 6, 0, 0},
        {{104, 103, 102, 2, 1, 0}, 6, -1, -1},
        /* 100 is twice of 50, not more: 0, 25, 50, 50, 50, 100. */
        {{0, 50, 50, 150}, 4, 50, 49},
        /* 101 is more than twice of 49, left are 0, 49, 49, 49: 0, 0, 0, 16.3, 24.5, 49. */
        {{0, 49, 49, 150}, 4, 0, -1},
        {{0, 3}, 2, 3, 2},
        {{0, 3, 3}, 3, 1, 1},              /* 0, 1.5, 3: 1.5 is more than 1 and not than 2 */
        {{3, 3, 0}, 3, -2, -2},            /* -1.5 is more than -2 and not than -1 */
        {{10, 20, 900, 40, 50}, 5, 10, 9}, /* one build that went astray */
        {{0, 1, 3, 6}, 4, 2, 1},           /* 1, 1.5, 2, 2, 2.5, 3: the lower of 2 and 2 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t *values = cases[i].values;
        size_t count = cases[i].count;
        assert_int_equal(mp_median_slope(values, count), cases[i].slope);
        assert_true(mp_median_slope_exceeds(values, count, cases[i].limit));
        assert_false(mp_median_slope_exceeds(values, count, cases[i].limit + 1));
    }
}

typedef struct fraction {
    int64_t up, over;
} fraction;

static int by_size(const void *left, const void *right)
{
    const fraction *a = left, *b = right;
    int64_t p = a->up * b->over, q = b->up * a->over;
    return p < q ? -1 : p > q;
}

/* Each step is tried, and the largest is the first of those as large. */
static void take_out(const int64_t *values, size_t count, int64_t *left)
{
    int64_t most = 0;
    size_t at = 0;
    memcpy(left, values, count * sizeof *left);
    for (size_t i = 1; i < count; i++)
        if (llabs(values[i] - values[i - 1]) > most) {
            most = llabs(values[i] - values[i - 1]);
            at = i;
        }
    bool alone = count >= 4;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if ((i < at) == (j < at) && 2 * (values[i] - values[j]) >= most)
                alone = false;
    for (size_t i = at; alone && i < count; i++)
        left[i] -= values[at] - values[at - 1];
}

/* A generator of its own, so that the values are the same everywhere. */
static void against_all_slopes(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 2000; round++) {
        int64_t values[MOST], left[MOST];
        fraction slopes[MOST * MOST];
        size_t count = 2 + (seed >> 16) % (MOST - 1), pairs = 0;
        for (size_t i = 0; i < count; i++) {
            seed = seed * 1103515245u + 12345u;
            values[i] = (int64_t)(seed >> 16) % (round % 3 ? 10 : 5000) - 3;
        }
        take_out(values, count, left);
        for (size_t i = 0; i < count; i++)
            for (size_t j = i + 1; j < count; j++)
                slopes[pairs++] = (fraction){left[j] - left[i], (int64_t)(j - i)};
        qsort(slopes, pairs, sizeof *slopes, by_size);
        fraction median = slopes[(pairs - 1) / 2];
        int64_t down = median.up / median.over - (median.up % median.over < 0);
        assert_int_equal(mp_median_slope(values, count), down);
        for (int64_t limit = down - 1; limit <= down + 1; limit++)
            assert_int_equal(mp_median_slope_exceeds(values, count, limit),
                             median.up > limit * median.over);
    }
}

/* Of 1,001 values the choice of 128 has the same slope where all lie on a line. */
static void of_many(void **state)
{
    (void)state;
    int64_t *values = calloc(1001, sizeof *values);
    for (int64_t i = 0; i < 1001; i++)
        values[i] = 17 * i - 4000;
    assert_int_equal(mp_median_slope(values, 1001), 17);
    assert_true(mp_median_slope_exceeds(values, 1001, 16));
    assert_false(mp_median_slope_exceeds(values, 1001, 17));
    free(values);
}

/* As large as a sum can be: in units of 16, as 4 builds of 62 bits need 2 more than 61, and in
 * whole units it is exact. */
static void as_large_as_can_be(void **state)
{
    (void)state;
    const int64_t large = INT64_C(1) << 61, rising[] = {0, large / 2, large, large / 2 * 3};
    assert_int_equal(mp_median_slope(rising, 4), large / 2);
    assert_true(mp_median_slope_exceeds(rising, 4, 4096));
    assert_false(mp_median_slope_exceeds(rising, 4, INT64_MAX));
    const int64_t ends[] = {INT64_MIN / 2, INT64_MAX / 2};
    assert_true(mp_median_slope(ends, 2) > INT64_MAX / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(against_all_slopes),
        cmocka_unit_test(of_many),
        cmocka_unit_test(as_large_as_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
