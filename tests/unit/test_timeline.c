/* Executions of a trace are listed in the order in which they end. The timeline nests them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "query/timeline.h"
#include "support/memory_reader.h"
#include "support/small_profile.h"

extern const mp_reader mp_reader_prf;

static mp_timeline timeline_of(const reading *r)
{
    mp_error error = {0};
    mp_filter *filter = mp_filter_of(r->model, NULL, &error);
    mp_timeline timeline = mp_timeline_of(filter);
    mp_filter_free(filter);
    return timeline;
}

typedef struct expectation {
    uint32_t module, depth;
    int32_t line;
    int64_t start_us, own_us, all_us;
} expectation;

static void check(const char *trace, const expectation *expected, size_t count)
{
    char *text = replaced(VERSION_3, TRACE, trace);
    reading r = read_text(&mp_reader_prf, "test.prf", text, 64);
    mp_timeline timeline = timeline_of(&r);
    assert_int_equal(timeline.count, count);
    for (size_t i = 0; i < count; i++) {
        const mp_timed *timed = &timeline.items[i];
        assert_int_equal(r.model->profile->modules.items[timed->module.i].number,
                         expected[i].module);
        assert_int_equal(timed->line, expected[i].line);
        assert_int_equal(timed->depth, expected[i].depth);
        assert_int_equal(timed->start_us, expected[i].start_us);
        assert_int_equal(timed->own_us, expected[i].own_us);
        assert_int_equal(timed->all_us, expected[i].all_us);
    }
    free(timeline.items);
    reading_free(&r);
    free(text);
}
#define CHECK(trace, expected) check(trace, expected, sizeof(expected) / sizeof *(expected))

/* Line 3 of module 1 calls module 2, whose lines 1 and 2 take less than a microsecond. Therefore
 * all of them start in the same microsecond. */
static void test_the_same_microsecond(void **state)
{
    static const expectation expected[] = {
        {1, 0, 0, 999999, 1, 3},  {1, 1, 3, 1000000, 0, 2}, {2, 2, 0, 1000000, 2, 2},
        {2, 3, 1, 1000000, 0, 0}, {2, 3, 2, 1000000, 0, 0},
    };
    (void)state;
    CHECK("2 1 0.000000 1.000000\n2 2 0.000000 1.000000\n2 0 0.000002 1.000000\n"
          "1 3 0.000000 1.000000\n1 0 0.000001 0.999999\n.\n",
          expected);
}

/* The caller is not traced. Line 40 of module 2 runs in two calls. During the second call, module 3
 * runs. Untraced code takes time too, so a call ends with the last execution inside of it. */
static void test_a_part(void **state)
{
    static const expectation expected[] = {
        {2, 0, 40, 100, 20, 20},
        {2, 0, 40, 200, 30, 95},
        {3, 1, 11, 290, 5, 5},
    };
    (void)state;
    CHECK("2 40 0.000020 0.000100\n3 11 0.000005 0.000290\n2 40 0.000030 0.000200\n.\n", expected);
}

static void test_no_trace(void **state)
{
    (void)state;
    check(".\n", NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_microsecond),
        cmocka_unit_test(test_a_part),
        cmocka_unit_test(test_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
