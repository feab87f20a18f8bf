/* Trends, sparklines and series, calculated by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "document/sparkline.h"
#include "query/query.h"
#include "query/trend.h"
#include "support/memory_reader.h"
#include "unit/small_heap.h"

extern const mp_reader mp_reader_oemp;

static void check_trend(const mp_trend *trend, mp_trend_kind kind, double slope, double low,
                        double high)
{
    assert_string_equal(mp_trend_words(trend->kind), mp_trend_words(kind));
    assert_float_equal(trend->slope, slope, 1e-9);
    assert_float_equal(trend->low, low, 1e-9);
    assert_float_equal(trend->high, high, 1e-9);
}

/* n values have N = n(n-1)/2 slopes. The rank of the interval's low end is (N - 1.96 s) / 2. For 18
 * s^2, subtract from n(n-1)(2n+5) the term t(t-1)(2t+5) of each group of t equal values. The high
 * end is at the same distance from the other end. If there are steps, the slopes are those of the
 * series without them. */
static const struct {
    size_t count;
    int64_t values[12];
    mp_trend_kind kind;
    double slope, low, high;
    mp_step steps[MP_TREND_STEPS];
} by_hand[] = {
    {0, {0}, MP_TREND_TOO_SHORT, 0, 0, 0, {{0, 0}}},
    {3, {0, 10, 20}, MP_TREND_TOO_SHORT, 0, 0, 0, {{0, 0}}},
    {4, {7, 7, 7, 7}, MP_TREND_FLAT, 0, 0, 0, {{0, 0}}},
    {4, {0, 10, 20, 30}, MP_TREND_GROWS, 10, 10, 10, {{0, 0}}},
    {4, {30, 20, 10, 0}, MP_TREND_SHRINKS, -10, -10, -10, {{0, 0}}},
    {4, {0, 0, 0, 100}, MP_TREND_JUMP, 0, 0, 0, {{3, 100}}},
    {4, {100, 100, 100, 0}, MP_TREND_DROP, 0, 0, 0, {{3, -100}}},
    {10, {10, 50, 50, 50, 50, 50, 50, 50, 50, 50}, MP_TREND_JUMP, 0, 0, 0, {{1, 40}}},
    {10, {10, 10, 10, 10, 10, 50, 50, 50, 50, 50}, MP_TREND_JUMP, 0, 0, 0, {{5, 40}}},
    /* Two steps. The step of 60 is less than twice the 40 of the other values. 9 of 36 slopes are
     * 0; the largest are 60, 40, 30 x2, 25, 20 x7, 16.7 x3, 15 x2, 14.3 x2, so the middle ones are
     * 100/7. 18 s^2 = 1656 - 198 = 1458; rank (36 - 17.6) / 2 = 9.2, so 9. */
    {9, {0, 0, 0, 60, 60, 60, 100, 100, 100}, MP_TREND_FLAT, 100 / 7., 0, 20, {{0, 0}}},
    /* A staircase. Slopes: 0 x4, 3.33 x3, 4 x2, 4.29, 5 x12, 6, 6.67 x2, 10 x3; the middle two
     * are 5. 18 s^2 = 1176 - 72 = 1104; rank (28 - 15.3) / 2 = 6.3, so 6. */
    {8, {0, 0, 10, 10, 20, 20, 30, 30}, MP_TREND_GROWS, 5, 10 / 3., 6, {{0, 0}}},
    /* A sawtooth: -4 x3, -1.33 x2, -0.8, 0 x6, 1.33, 4 x2. 18 s^2 = 510 - 132 = 378; rank
     * (15 - 8.98) / 2 = 3.01, so 3. */
    {6, {5, 1, 5, 1, 5, 1}, MP_TREND_FLAT, 0, -4, 4 / 3., {{0, 0}}},
    /* A step and a leak. Start-up memory is freed after the first value, in the middle, and at the
     * end. All slopes of the other values are 100. */
    {6, {7100, 200, 300, 400, 500, 600}, MP_TREND_GROWS, 100, 100, 100, {{1, -6900}}},
    {7, {7100, 7200, 7300, 400, 500, 600, 700}, MP_TREND_GROWS, 100, 100, 100, {{3, -6900}}},
    {5, {7100, 7200, 7300, 7400, 0}, MP_TREND_GROWS, 100, 100, 100, {{4, -7400}}},
    /* Four values. Without the step there are only three, and the four do not grow. */
    {4, {7100, 200, 300, 400}, MP_TREND_DROP, 100, 100, 100, {{1, -6900}}},
    /* 0 1 2 3 is left. It does not matter if the rise to the fifth value is larger. The mirror
     * image shrinks. */
    {5, {0, 1000, 1001, 1002, 1003}, MP_TREND_GROWS, 1, 1, 1, {{1, 1000}}},
    {5, {1003, 1002, 1001, 1000, 0}, MP_TREND_SHRINKS, -1, -1, -1, {{4, -1000}}},
    {6, {0, 1000, 998, 996, 994, 992}, MP_TREND_SHRINKS, -2, -2, -2, {{1, 1000}}},
    /* There are two steps. Each is more than twice as large as the steps around it. The larger step
     * comes first. */
    {7,
     {9000, 5000, 5100, 100, 200, 300, 400},
     MP_TREND_GROWS,
     100,
     100,
     100,
     {{3, -5000}, {1, -4000}}},
    {7,
     {0, 4000, 3900, 8900, 8800, 8700, 8600},
     MP_TREND_SHRINKS,
     -100,
     -100,
     -100,
     {{3, 5000}, {1, 4000}}},
    /* Noise in addition to the leak: 7000 7130 7180 7310 7400 7490 is left. The 15 slopes, by
     * distance: 130 50 130 90 90, 90 90 110 90, 103.3 90 103.3, 100 90, 98. 18 s^2 = 510; rank (15
     * - 10.4) / 2 = 2.3, so 2. In order: 50, 90 x7, 98, 100, 103.3 x2, 110, 130 x2. */
    {7, {7000, 7130, 180, 230, 360, 450, 540}, MP_TREND_GROWS, 90, 90, 130, {{2, -6950}}},
    /* Each fall of a sawtooth frees what grew before, but less than twice as much. -300, -100 x2,
     * -33.3 x3, 0 x4, 20 x3, 33.3 x2, 42.9, 100 x12. 18 s^2 = 1176 - 72; rank (28 - 15.3) / 2 =
     * 6.3, so 6. */
    {8, {0, 100, 200, 300, 0, 100, 200, 300}, MP_TREND_FLAT, 100 / 3., -100 / 3., 100, {{0, 0}}},
};

static void trends_are_as_by_hand(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
        mp_trend trend = mp_trend_of(by_hand[i].values, by_hand[i].count);
        check_trend(&trend, by_hand[i].kind, by_hand[i].slope, by_hand[i].low, by_hand[i].high);
        for (size_t step = 0; step < MP_TREND_STEPS; step++) {
            assert_int_equal(trend.steps[step].place, by_hand[i].steps[step].place);
            assert_int_equal(trend.steps[step].size, by_hand[i].steps[step].size);
        }
    }
}

static void a_kind_is_what_people_would_say(void **unused)
{
    (void)unused;
    static const struct {
        int64_t values[10];
        size_t count;
        mp_trend_kind kind;
    } cases[] = {
        /* a rise at every snapshot is growth, however large the first step is */
        {{0, 1000, 1001, 1002, 1003}, 5, MP_TREND_GROWS},
        {{0, 1000, 1001, 1002}, 4, MP_TREND_GROWS},
        /* a series that stops growing after the step is a jump */
        {{0, 1000, 1001, 1001, 1001, 1001}, 6, MP_TREND_JUMP},
        {{9000, 9001, 9000, 8, 9, 8, 9}, 7, MP_TREND_DROP},
        /* a peak goes up and down again */
        {{0, 0, 0, 100, 0, 0, 0}, 7, MP_TREND_FLAT},
        {{0, 0, 90, 100, 90, 0, 0}, 7, MP_TREND_FLAT},
        /* noise: the step from 2 to 9 is less than twice the range of the other values */
        {{5, 3, 6, 4, 2, 9, 5, 7, 3, 6}, 10, MP_TREND_FLAT},
        /* a sawtooth that ends above its start, and one on a rising line */
        {{0, 10, 20, 30, 0, 10, 20, 30, 10, 20}, 10, MP_TREND_FLAT},
        {{0, 10, 15, 25, 30, 40, 45, 55, 60, 70}, 10, MP_TREND_GROWS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(mp_trend_words(mp_trend_of(cases[i].values, cases[i].count).kind),
                            mp_trend_words(cases[i].kind));
}

static void the_largest_values_are_no_trouble(void **unused)
{
    (void)unused;
    static const int64_t jump[] = {INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX};
    static const int64_t saw[] = {INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX};
    mp_trend trend = mp_trend_of(jump, 4);
    assert_int_equal(trend.kind, MP_TREND_JUMP);
    assert_int_equal(trend.steps[0].place, 2);
    assert_true(trend.steps[0].size == INT64_MAX); /* the nearest value that is possible */
    assert_float_equal(trend.high, 0, 0);
    assert_int_equal(mp_trend_of(saw, 5).kind, MP_TREND_FLAT);
}

/* Slopes from build to build, calculated by hand. If there are two middle slopes, the lower of them
 * counts. It is rounded up. */
static void whole_slopes_are_exact(void **unused)
{
    (void)unused;
    static const struct {
        int64_t values[7];
        size_t count;
        int64_t slope;
    } cases[] = {
        {{5, 9}, 2, 4},
        {{0, 1, 3}, 3, 2},                             /* 1, 1.5, 2 */
        {{1, 2, 3, 4}, 4, 1},                          /* all 1 */
        {{0, 1, 1, 2}, 4, 1},                          /* 0, 1/2, 1/2, 2/3, 1, 1: 1/2 */
        {{0, -1, -1, -2}, 4, 0},                       /* the same below 0: -2/3 */
        {{0, 1, 101, 102, 103, 104}, 6, 1},            /* without the step of 100 */
        {{INT64_MIN, INT64_MAX}, 2, INT64_C(1) << 62}, /* the maximum */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mp_trend_whole_slope(cases[i].values, cases[i].count), cases[i].slope);
}

static void long_series_are_thinned_evenly(void **unused)
{
    (void)unused;
    enum { COUNT = 3001, PLACE = 1502 };
    int64_t values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = 3 * i;
    mp_trend trend = mp_trend_of(values, COUNT);
    check_trend(&trend, MP_TREND_GROWS, 3, 3, 3);
    for (int i = 0; i < COUNT; i++)
        values[i] = i >= PLACE;
    trend = mp_trend_of(values, COUNT);
    assert_int_equal(trend.kind, MP_TREND_JUMP);
    /* the step is also reported, although the slopes do not include it */
    assert_int_equal(trend.steps[0].place, PLACE);
}

static void sparklines_are_as_high_as_their_values(void **unused)
{
    (void)unused;
    static const struct {
        int64_t values[8];
        size_t count, width;
        const char *text;
    } cases[] = {
        {{0, 1, 2, 3, 4, 5, 6, 7}, 8, 16, "▁▂▃▄▅▆▇█"},
        {{-70, -60, 0}, 3, 16, "▁▂█"},
        {{9, 9, 9}, 3, 16, "▁▁▁"},
        {{0, 2, 6, 8}, 4, 2, "▁█"},      /* means 1, 7 */
        {{0, 4, 4, 10, 8}, 5, 3, "▁▄█"}, /* means 0, 4, 9: 4 of 9 is 3.1 of 7 */
        {{1, 2}, 2, 0, ""},
        {{0}, 0, 16, ""},
        {{INT64_MIN, 0, INT64_MAX}, 3, 16, "▁▅█"}, /* the middle is 3.5 of 7 */
    };
    char text[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int length =
            mp_sparkline(cases[i].values, cases[i].count, cases[i].width, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(length, strlen(text));
    }
    /* cut between characters; the return value is the length of the complete text */
    assert_int_equal(mp_sparkline(cases[0].values, 8, 8, text, 9), 24);
    assert_string_equal(text, "▁▂");
    assert_int_equal(mp_sparkline(cases[0].values, 8, 8, NULL, 0), 24);
}

/* --- series of the small heap --- */

static mp_window window_of(const reading *r, const char *from, const char *to)
{
    mp_window window;
    mp_error error = {0};
    assert_true(mp_window_resolve(r->model, from, to, &window, &error));
    return window;
}

static void check_series(mp_series series, const int64_t *expected, size_t groups, size_t length)
{
    assert_int_equal(series.length, length);
    for (size_t i = 0; i < groups * length; i++)
        assert_int_equal(series.items[i], expected[i]);
    mp_series_free(&series);
}

/* The numbers of queries are 3, 4, 7, 9, and of procedures 2, 5. The other objects are the pool and
 * the temp-table. */
static const int64_t queries[] = {20, 48, 68, 47, 0}, procedures[] = {100, 300, 300, 300, 0};

static void series_are_as_by_hand(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_oemp, "a.oemp", HEAP HEAP_OF(OTHER_UUID), 4096);
    mp_window window = window_of(&r, NULL, "last");
    const mp_grouping *grouping = mp_window_groups(&window, mp_dimension_find("type"), 0);
    static const uint32_t row_of[] = {0, 1, 2, 0, 0}, row_of_queries[] = {0, 1, 0, 0, 0};
    int64_t expected[10];
    assert_int_equal(grouping->count, 4);
    assert_string_equal(grouping->groups[0].label, "Dynamic Query");
    assert_string_equal(grouping->groups[1].label, "Procedure");
    memcpy(expected, queries, sizeof queries);
    memcpy(expected + 5, procedures, sizeof procedures);
    check_series(mp_series_of(&window, 1, grouping, row_of, 2), expected, 2, 5);
    check_series(mp_series_of_all(&window, 1), (int64_t[]){130, 408, 428, 407, 10}, 1, 5);
    mp_window_free(&window);
    window = window_of(&r, "2", "4");
    grouping = mp_window_groups(&window, mp_dimension_find("type"), 0);
    check_series(mp_series_of(&window, 1, grouping, row_of_queries, 1), queries + 1, 1, 3);
    check_series(mp_series_of_all(&window, 1), (int64_t[]){408, 428, 407}, 1, 3);
    mp_window_free(&window);
    reading_free(&r);
}

static void series_of_frames_have_all_that_a_function_called(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_oemp, "a.oemp", HEAP, 4096);
    mp_window window = window_of(&r, NULL, "last");
    uint32_t group_of_node[8] = {0};
    const mp_grouping frames = {.of_frames = true, .group_of = group_of_node, .count = 2};
    static const uint32_t row_of[] = {0, 1, 2};
    for (uint32_t i = 1; i < r.model->tree.count; i++) {
        mp_arena scratch = {0};
        const char *label = mp_tree_label(&scratch, r.model, i);
        group_of_node[i] = strcmp(label, "main.p") == 0 ? 1 : 2;
        mp_arena_free(&scratch);
    }
    /* All objects except the session's pool; then without procedure 2. The reusable object is in
     * neither. */
    static const int64_t expected[] = {120, 398, 418, 397, 0, 20, 298, 318, 297, 0};
    check_series(mp_series_of(&window, 1, &frames, row_of, 2), expected, 2, 5);
    /* a recursive function counts once */
    for (uint32_t i = 1; i < r.model->tree.count; i++)
        group_of_node[i] = 1;
    group_of_node[0] = 2;
    static const int64_t once[] = {120, 398, 418, 397, 0, 10, 10, 10, 10, 10};
    check_series(mp_series_of(&window, 1, &frames, row_of, 2), once, 2, 5);
    mp_window_free(&window);
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trends_are_as_by_hand),
        cmocka_unit_test(a_kind_is_what_people_would_say),
        cmocka_unit_test(the_largest_values_are_no_trouble),
        cmocka_unit_test(whole_slopes_are_exact),
        cmocka_unit_test(long_series_are_thinned_evenly),
        cmocka_unit_test(sparklines_are_as_high_as_their_values),
        cmocka_unit_test(series_are_as_by_hand),
        cmocka_unit_test(series_of_frames_have_all_that_a_function_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
