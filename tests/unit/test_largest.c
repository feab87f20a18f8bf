/* Selection of the largest elements. For comparison, the elements that precede each element are
 * counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sort.h"

enum { ROWS = 40, SIZES = 7 };

typedef struct row {
    char before[3];
    int64_t size;
    char behind;
} row;

/* Return the number of kept elements that precede this one: they are larger, or equal with a lower
 * index. */
static size_t rank_of(const row *rows, const bool *kept, uint32_t count, uint32_t place)
{
    size_t rank = 0;
    for (uint32_t i = 0; i < count; i++)
        rank += kept[i] && (rows[i].size > rows[place].size ||
                            (rows[i].size == rows[place].size && i < place));
    return rank;
}

static void fill(row *rows, bool *kept, unsigned seed)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        rows[i] = (row){.size = (int64_t)((i * 31 + seed * 17) % SIZES) - SIZES / 2};
        kept[i] = (i * 13 + seed) % 4 != 0;
    }
    rows[seed % ROWS].size = INT64_MIN;
    rows[(seed + 5) % ROWS].size = INT64_MAX;
}

static void keeps_the_largest(void **state)
{
    (void)state;
    row rows[ROWS];
    bool before[ROWS], kept[ROWS];
    for (unsigned seed = 0; seed < 10; seed++) {
        fill(rows, before, seed);
        for (size_t most = 0; most <= ROWS + 1; most++) {
            memcpy(kept, before, sizeof kept);
            mp_keep_largest(kept, ROWS, most, &rows[0].size, sizeof *rows);
            for (uint32_t i = 0; i < ROWS; i++)
                assert_int_equal(kept[i], before[i] && rank_of(rows, before, ROWS, i) < most);
        }
    }
    mp_keep_largest(kept, 0, 3, NULL, sizeof *rows);
}

static void sorts_some(void **state)
{
    (void)state;
    const int64_t sizes[] = {5, -1, 9, 5, INT64_MIN, 9, INT64_MAX};
    uint32_t places[] = {5, 4, 3, 2, 0, 6}, expected[] = {6, 2, 5, 0, 3, 4};
    mp_sort_largest(places, 6, sizes, sizeof *sizes);
    assert_memory_equal(places, expected, sizeof expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_the_largest),
                                       cmocka_unit_test(sorts_some)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
