/* Centre and spread of several runs, calculated by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "compare/runs.h"

enum { MOST = 16 };

static void centres(void **state)
{
    (void)state;
    static const struct {
        int64_t values[MOST];
        size_t count;
        int64_t median, spread;
    } cases[] = {
        {{7}, 1, 7, 0},
        {{10, 4}, 2, 7, 3},
        {{4, 7}, 2, 5, 2},    /* the centre is 5.5 rounded down, the spread 1.5 rounded up */
        {{-4, -7}, 2, -6, 2}, /* -5.5 rounded down */
        {{9, 1, 5}, 3, 5, 4}, /* the spread is half of the range, which is 8 */
        /* The spread is half of the range of 1, rounded up; the median of the deviations would be
         * 0. */
        {{5, 5, 6}, 3, 5, 1},
        {{3, 3, 3, 3, 90}, 5, 3, 44},
        {{1, 2, 3, 4, 5, 6, 100}, 7, 4, 50},
        /* eight values: the lowest and the highest are left out, and 2 to 8 stay */
        {{900, 3, 4, 2, 6, 7, 8, 1}, 8, 5, 3},
        {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 900}, 15, 8, 6},
        /* sixteen values: two at each end are left out, and 3 to 14 stay */
        {{-9, -9, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 900, 900}, 16, 8, 6},
        {{INT64_MAX / 2, -(INT64_MAX / 2)}, 2, 0, INT64_MAX / 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t values[MOST];
        memcpy(values, cases[i].values, sizeof values);
        mp_centre centre = mp_centre_of(values, cases[i].count);
        assert_int_equal(centre.median, cases[i].median);
        assert_int_equal(centre.spread, cases[i].spread);
    }
}

static mp_digest *run_of(int64_t bytes, uint32_t name)
{
    mp_digest *digest = mp_alloc_zero(1, sizeof *digest);
    digest->kind = MP_KIND_RECORDING;
    digest->has = name == 2 ? MP_HAS_LIVE : MP_HAS_LIVE | MP_HAS_SCOPED;
    digest->totals.bytes = bytes;
    mp_entry_for(&digest->lists[MP_LEVEL_SITE], (mp_entry_key){.name = name})->amounts.bytes =
        bytes;
    return digest;
}

/* The run with the median of bytes represents all runs. It has a list of all of them. */
static void runs_together(void **state)
{
    (void)state;
    mp_digest *runs[] = {run_of(30, 1), run_of(10, 2), run_of(20, 1), run_of(20, 2)};
    mp_digest *digest = mp_digest_of_runs(runs, 4);
    assert_ptr_equal(digest, runs[2]); /* the second of 10, 20, 20 and 30 in the given order */
    assert_int_equal(digest->run_count, 4);
    assert_int_equal(runs[0]->has, MP_HAS_LIVE);
    mp_digest *any = mp_digest_of_any_run(digest);
    assert_int_equal(any->lists[MP_LEVEL_SITE].count, 2);
    assert_int_equal(
        mp_entry_for(&any->lists[MP_LEVEL_SITE], (mp_entry_key){.name = 1})->amounts.bytes, 30);
    assert_int_equal(
        mp_entry_for(&any->lists[MP_LEVEL_SITE], (mp_entry_key){.name = 2})->amounts.bytes, 20);
    mp_digest_free(any);
    mp_digest_free(digest);
}

static void one_run_is_itself(void **state)
{
    (void)state;
    mp_digest *run = run_of(5, 1);
    assert_ptr_equal(mp_digest_of_runs(&run, 1), run);
    assert_int_equal(run->run_count, 0);
    mp_digest_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centres),
        cmocka_unit_test(runs_together),
        cmocka_unit_test(one_run_is_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
