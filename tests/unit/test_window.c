/* Windows: names of snapshots, and the totals between two of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "query/query.h"
#include "support/memory_reader.h"
#include "unit/small_heap.h"

extern const mp_reader mp_reader_oemp;

/* Resolve a window. Compare the ends of session 1 with sequence numbers or, if there is an error,
 * compare its text. */
static void check_window(const mp_model *model, const char *from, const char *to, uint64_t first,
                         uint64_t last, const char *message)
{
    mp_window window;
    mp_error error = {0};
    bool ok = mp_window_resolve(model, from, to, &window, &error);
    if (message) {
        assert_false(ok);
        char line[2048];
        mp_error_line(&error, "--", line, sizeof line);
        if (!strstr(line, message))
            assert_string_equal(line, message);
        return;
    }
    assert_string_equal(error.text, "");
    assert_true(ok);
    assert_int_equal(model->snapshots.items[window.ranges[1].from.i].sequence, first);
    assert_int_equal(model->snapshots.items[window.ranges[1].to.i].sequence, last);
    mp_window_free(&window);
}

static void numbers_stand_for_snapshots_where_they_rise(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t before, number;
        bool rises;
    } cases[] = {{1, 2, true},
                 {2, 2, false},
                 {3, 2, false},
                 {1, INT32_MAX, true},
                 {1, (uint64_t)INT32_MAX + 1, false},
                 {1, UINT64_MAX, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mp_snapshot before = {.sequence = cases[i].before};
        const mp_snapshot snapshot = {.sequence = cases[i].number};
        assert_int_equal(mp_snapshot_number_rises(&before, &snapshot), cases[i].rises);
    }
    assert_true(mp_snapshot_number_rises(NULL, &(mp_snapshot){.sequence = 0}));
    assert_false(mp_snapshot_number_rises(NULL, &(mp_snapshot){.sequence = UINT64_MAX}));
}

static void moments_can_be_said_in_many_ways(void **unused)
{
    (void)unused;
    /* Tags are "Pre 1", "work", "work", "_PreCleanup", "_Exit". Most bytes are alive at 3. */
    static const struct {
        const char *from, *to;
        uint64_t first, last;
        const char *error;
    } cases[] = {
        {NULL, NULL, 1, 4, NULL},
        {NULL, "last", 1, 5, NULL},
        {"first", "first", 1, 1, NULL},
        {"2", "3", 2, 3, NULL},
        {"02", "5", 2, 5, NULL},
        {"Pre 1", NULL, 1, 4, NULL},
        {"work", "work#2", 2, 3, NULL},
        {"work#1", "work#1", 2, 2, NULL},
        {"work", "peak", 2, 3, NULL},
        {"_PreCleanUp", "_Exit", 4, 5, NULL},
        {"_PRECLEANUP#1", "_exit", 4, 5, NULL},
        {"work#3", NULL, 0, 0, "--from: no snapshot \"work#3\" in session AVM-Client"},
        {NULL, "work#0", 0, 0, "--to: no snapshot \"work#0\""},
        {NULL, "work#", 0, 0, "no snapshot \"work#\""},
        {NULL, "work#1x", 0, 0, "no snapshot \"work#1x\""},
        {NULL, "#1", 0, 0, "no snapshot \"#1\""},
        {NULL, "Work", 0, 0, "no snapshot \"Work\""},
        {NULL, "wor", 0, 0, "no snapshot \"wor\""},
        {NULL, "_Exit2", 0, 0, "no snapshot \"_Exit2\""},
        {"0", NULL, 0, 0, "no snapshot \"0\""},
        {"6", NULL, 0, 0, "no snapshot \"6\""},
        {"-1", NULL, 0, 0, "no snapshot \"-1\""},
        {"+1", NULL, 0, 0, "no snapshot \"+1\""},
        {" 1", NULL, 0, 0, "no snapshot \" 1\""},
        {"18446744073709551617", NULL, 0, 0, "no snapshot \"18446744073709551617\""},
        {"", NULL, 0, 0, "no snapshot \"\""},
        {"FIRST", NULL, 0, 0, "no snapshot \"FIRST\""},
        {"5", NULL, 0, 0, "--from is snapshot 5, which is later than --to, snapshot 4"},
        {"peak", "work", 0, 0, "--from is snapshot 3, which is later than --to, snapshot 2"},
    };
    reading r = read_text(&mp_reader_oemp, "a.oemp", HEAP, 4096);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_window(r.model, cases[i].from, cases[i].to, cases[i].first, cases[i].last,
                     cases[i].error);
    reading_free(&r);
}

static void a_tag_may_hold_a_hash(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_oemp, "a.oemp",
                          HEAP_1(UUID, "a#2") HEAP_2(UUID, "a") HEAP_3(UUID, "a")
                              HEAP_4(UUID, "a#2") HEAP_5(UUID, "peak"),
                          4096);
    check_window(r.model, "a#2", "a#2#2", 1, 4, NULL);
    check_window(r.model, "a", "a#2", 0, 0, "later than --to, snapshot 1");
    check_window(r.model, "a#1", "last", 2, 5, NULL);
    check_window(r.model, "peak", "peak#1", 3, 5, NULL); /* a keyword takes precedence over a tag */
    reading_free(&r);
}

static void the_end_is_the_last_clean_up(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint64_t last;
    } cases[] = {
        {HEAP_1(UUID, "a") HEAP_2(UUID, "b") HEAP_3(UUID, "c"), 3},
        {HEAP_1(UUID, "_PreCleanUp") HEAP_2(UUID, "_precleanup") HEAP_3(UUID, "c"), 2},
        {HEAP_1(UUID, "_Exit"), 1},
        /* the last snapshot is truncated */
        {HEAP_1(UUID, "a") HEAP_2(UUID, "b") HEADER_OF(UUID, "3", "_PreCleanUp", "?", "?"), 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reading r = read_text(&mp_reader_oemp, "a.oemp", cases[i].text, 4096);
        check_window(r.model, NULL, NULL, 1, cases[i].last, NULL);
        reading_free(&r);
    }
}

static void of_equal_peaks_the_first_counts(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_oemp, "a.oemp",
                          HEAP_1(UUID, "a") HEAP_2(UUID, "b")
                              SNAPSHOT("3", "c", "", "", "", "", "", "", "", "30", "7", "408", "7"),
                          4096);
    check_window(r.model, "peak", "3", 2, 3, NULL);
    reading_free(&r);
}

static void every_session_has_its_own_range(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_oemp, "a.oemp",
                          HEAP_1(UUID, "a") HEAP_2(UUID, "end") HEAP_1(OTHER_UUID, "a")
                              HEAP_2(OTHER_UUID, "b") HEAP_3(OTHER_UUID, "end"),
                          4096);
    const mp_model *model = r.model;
    mp_window window;
    mp_error error = {0};
    assert_true(mp_window_resolve(model, "a", "end", &window, &error));
    assert_int_equal(model->snapshots.items[window.ranges[1].to.i].sequence, 2);
    assert_int_equal(model->snapshots.items[window.ranges[2].to.i].sequence, 3);
    /* snapshots 1 and 2 belong to one session, 3 to 5 to the other */
    for (uint32_t i = 1; i <= 5; i++) {
        assert_int_equal(mp_window_before_from(&window, (mp_snapshot_id){i}), i == 1 || i == 3);
        assert_true(mp_window_before_to(&window, (mp_snapshot_id){i}));
    }
    mp_window_free(&window);
    /* a name that is missing in one of the sessions is an error */
    assert_false(mp_window_resolve(model, "a", "b", &window, &error));
    assert_false(mp_window_resolve(model, "3", NULL, &window, &error));
    reading_free(&r);
}

static void a_session_without_snapshots_has_no_range(void **unused)
{
    (void)unused;
    reading r =
        read_text(&mp_reader_oemp, "a.oemp", HEAP HEADER_OF(OTHER_UUID, "1", "a", "?", "?"), 4096);
    mp_window window;
    mp_error error = {0};
    assert_true(mp_window_resolve(r.model, "work", "_exit", &window, &error));
    assert_int_equal(r.model->sessions.count, 3);
    assert_int_equal(window.ranges[2].from.i, 0);
    assert_int_equal(window.ranges[2].to.i, 0);
    assert_int_equal(mp_totals_of(&window).live_objects, 1);
    mp_window_free(&window);
    reading_free(&r);
}

#define TOTALS(live, size, created, created_size, deleted, peak, peak_size, reusable,              \
               reusable_size, from, from_size, has)                                                \
    {                                                                                              \
        .live_objects = live, .live_bytes = size, .created_objects = created,                      \
        .created_bytes = created_size, .deleted_objects = deleted, .peak_objects = peak,           \
        .peak_bytes = peak_size, .reusable_objects = reusable, .reusable_bytes = reusable_size,    \
        .from_objects = from, .from_bytes = from_size, .has_reusable = has                         \
    }

static void totals_are_as_by_hand(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *from, *to;
        mp_totals expected;
    } cases[] = {
        {HEAP, "1", "4", TOTALS(6, 407, 8, 430, 2, 7, 428, 1, 999, 3, 130, true)},
        {HEAP, "2", "3", TOTALS(7, 428, 8, 430, 1, 7, 428, 1, 999, 7, 408, true)},
        {HEAP, "1", "1", TOTALS(3, 130, 3, 130, 0, 3, 130, 0, 0, 3, 130, true)},
        {HEAP, "first", "last", TOTALS(1, 10, 8, 430, 7, 7, 428, 1, 999, 3, 130, true)},
        {HEAP HEAP_OF(OTHER_UUID), "1", "4",
         TOTALS(12, 814, 16, 860, 4, 14, 856, 2, 1998, 6, 260, true)},
        /* version 1 does not separate reusable objects */
        {VERSION_1, "1", "2", TOTALS(6, 1849, 7, 1819, 1, 6, 1849, 0, 0, 6, 1720, false)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reading r = read_text(&mp_reader_oemp, "a.oemp", cases[i].text, 4096);
        const mp_totals *wanted = &cases[i].expected;
        mp_window window;
        mp_error error = {0};
        assert_true(mp_window_resolve(r.model, cases[i].from, cases[i].to, &window, &error));
        mp_totals found = mp_totals_of(&window);
        assert_int_equal(found.live_objects, wanted->live_objects);
        assert_int_equal(found.live_bytes, wanted->live_bytes);
        assert_int_equal(found.created_objects, wanted->created_objects);
        assert_int_equal(found.created_bytes, wanted->created_bytes);
        assert_int_equal(found.deleted_objects, wanted->deleted_objects);
        assert_int_equal(found.retyped_objects, 0);
        assert_int_equal(found.peak_objects, wanted->peak_objects);
        assert_int_equal(found.peak_bytes, wanted->peak_bytes);
        assert_int_equal(found.reusable_objects, wanted->reusable_objects);
        assert_int_equal(found.reusable_bytes, wanted->reusable_bytes);
        assert_int_equal(found.from_objects, wanted->from_objects);
        assert_int_equal(found.from_bytes, wanted->from_bytes);
        assert_int_equal(found.has_reusable, wanted->has_reusable);
        mp_window_free(&window);
        reading_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stand_for_snapshots_where_they_rise),
        cmocka_unit_test(moments_can_be_said_in_many_ways),
        cmocka_unit_test(a_tag_may_hold_a_hash),
        cmocka_unit_test(the_end_is_the_last_clean_up),
        cmocka_unit_test(of_equal_peaks_the_first_counts),
        cmocka_unit_test(every_session_has_its_own_range),
        cmocka_unit_test(a_session_without_snapshots_has_no_range),
        cmocka_unit_test(totals_are_as_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
