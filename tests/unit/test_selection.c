/* Selections of a small recording, with all figures calculated by hand (small_heap.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "query/query.h"
#include "query/selection.h"
#include "support/memory_reader.h"
#include "unit/small_heap.h"

extern const mp_reader mp_reader_oemp;

static reading heap(void)
{
    reading r = read_text(&mp_reader_oemp, "a.oemp", HEAP, 4096);
    assert_true(r.ok);
    r.model->kind = MP_KIND_RECORDING; /* usually set when a file is loaded */
    return r;
}

/* Live, created and deleted objects, and live bytes, at snapshot 3. */
typedef struct figures {
    int64_t live, bytes, created, deleted;
} figures;

static figures figures_of(const mp_filter *filter)
{
    mp_error error = {0};
    mp_window window;
    assert_true(mp_window_of(filter, "1", "3", &window, &error));
    mp_totals totals = mp_totals_of(&window);
    mp_window_free(&window);
    return (figures){totals.live_objects, totals.live_bytes, totals.created_objects,
                     totals.deleted_objects};
}

static void expect(const mp_model *model, const mp_selection *selection, figures wanted,
                   const char *what)
{
    mp_error error = {0};
    mp_filter *selected = mp_filter_of(model, selection, &error);
    if (!selected)
        fail_msg("%s: %s", what, error.text);
    figures got = figures_of(selected);
    if (memcmp(&got, &wanted, sizeof got) != 0)
        fail_msg("%s: %d objects, %d bytes, %d created, %d deleted", what, (int)got.live,
                 (int)got.bytes, (int)got.created, (int)got.deleted);
    mp_filter_free(selected);
}

/* Alive at 3, with bytes: 1 (10), 2 (100), 3 (25), 4 (21), 5 (200), 6 (50), 9 (22). Object 7 was
 * deleted. */
static void each_subject(void **unused)
{
    (void)unused;
    static const struct {
        mp_subject subject;
        bool negated;
        const char *pattern;
        figures wanted;
    } cases[] = {
        {MP_SUBJECT_TYPE, false, "*", {7, 428, 8, 1}},
        {MP_SUBJECT_TYPE, true, "*", {0, 0, 0, 0}},
        {MP_SUBJECT_TYPE, false, "Dynamic Query", {3, 68, 4, 1}},
        {MP_SUBJECT_TYPE, true, "Dynamic Query", {4, 360, 4, 0}},
        {MP_SUBJECT_TYPE, false, "dynamic*", {0, 0, 0, 0}}, /* globs are case-sensitive */
        {MP_SUBJECT_TYPE, false, "[PT]*", {3, 350, 3, 0}},
        {MP_SUBJECT_NAME, false, "*.p", {2, 300, 2, 0}},
        {MP_SUBJECT_NAME, false, "tt", {1, 50, 1, 0}},
        {MP_SUBJECT_NAME, true, "?*", {4, 78, 5, 1}},
        {MP_SUBJECT_SOURCE, false, "main.p", {1, 100, 1, 0}},
        {MP_SUBJECT_SOURCE, false, "order.p", {5, 318, 6, 1}},
        {MP_SUBJECT_SOURCE, true, "*.p", {1, 10, 1, 0}},
        {MP_SUBJECT_STACK, false, "^order\\.p:5$", {3, 68, 4, 1}},
        {MP_SUBJECT_STACK, false, "^main\\.p:7$", {5, 318, 5, 0}},
        {MP_SUBJECT_STACK, false, "main", {6, 418, 7, 1}},
        {MP_SUBJECT_STACK, true, ":8$", {7, 428, 7, 0}},
        {MP_SUBJECT_STACK, false, "order.p:3|order.p:6", {2, 250, 2, 0}},
        {MP_SUBJECT_TAG, false, "Pre 1", {3, 135, 3, 0}},
        {MP_SUBJECT_TAG, false, "work", {4, 293, 5, 1}},
        {MP_SUBJECT_TAG, true, "work", {3, 135, 3, 0}},
        {MP_SUBJECT_REQUEST, false, "r3", {1, 22, 1, 0}},
        {MP_SUBJECT_REQUEST, true, "r[12]", {1, 22, 1, 0}},
    };
    reading r = heap();
    mp_model *model = r.model;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_criterion criterion = {cases[i].subject, cases[i].negated, cases[i].pattern};
        mp_selection selection = {.criteria = &criterion, .count = 1};
        assert_true(mp_selects(&selection));
        expect(model, &selection, cases[i].wanted, cases[i].pattern);
    }
    reading_free(&r);
}

/* Objects of unknown type can be selected by type: in dumps, type 0 may be the type of an
 * object. */
static void an_unknown_type_is_a_type(void **unused)
{
    (void)unused;
    static const struct {
        const char *pattern;
        bool negated, unknown, first;
    } cases[] = {{"(unknown)", false, true, false},
                 {"(unknown)", true, false, true},
                 {"Procedure", false, false, true},
                 {"Procedure", true, true, false}};
    reading r = heap();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_criterion criterion = {MP_SUBJECT_TYPE, cases[i].negated, cases[i].pattern};
        bool *kept = mp_matching(r.model, MP_THINGS_TYPES, &criterion, 1, NULL);
        assert_int_equal(kept[0], cases[i].unknown);
        assert_int_equal(kept[1], cases[i].first); /* Procedure is the first type of the file */
        free(kept);
    }
    reading_free(&r);
}

static void any_of_a_subject_all_subjects_and_no_negated_one(void **unused)
{
    (void)unused;
    static const mp_criterion criteria[] = {{MP_SUBJECT_TYPE, false, "Dynamic Query"},
                                            {MP_SUBJECT_TYPE, false, "Procedure"},
                                            {MP_SUBJECT_SOURCE, false, "order.p"},
                                            {MP_SUBJECT_STACK, true, ":8$"},
                                            {MP_SUBJECT_REQUEST, true, "r3"}};
    static const figures wanted[] = {{7, 428, 8, 1}, {3, 68, 4, 1},  {5, 368, 6, 1},
                                     {4, 268, 5, 1}, {4, 268, 4, 0}, {3, 246, 3, 0}};
    reading r = heap();
    mp_model *model = r.model;
    for (size_t count = 0; count < 6; count++) {
        mp_selection selection = {.criteria = criteria, .count = count};
        expect(model, &selection, wanted[count], "of several");
    }
    bool *contexts = mp_matching(model, MP_THINGS_CONTEXTS, criteria, 0, NULL);
    for (uint32_t i = 1; i < model->contexts.count; i++)
        assert_true(contexts[i]);
    free(contexts);
    reading_free(&r);
}

/* Snapshots are at 10, 20 and 30 us. */
static void moments_are_those_of_snapshots_both_included(void **unused)
{
    (void)unused;
    static const struct {
        bool has_since, has_until;
        int64_t since, until;
        figures wanted;
    } cases[] = {
        {true, false, 0, 0, {7, 428, 8, 1}},  {true, false, 20, 0, {4, 293, 5, 1}},
        {true, false, 21, 0, {1, 22, 1, 0}},  {false, true, 0, 20, {6, 406, 7, 1}},
        {false, true, 0, 19, {3, 135, 3, 0}}, {true, true, 20, 20, {3, 271, 4, 1}},
        {true, true, 21, 29, {0, 0, 0, 0}},
    };
    reading r = heap();
    mp_model *model = r.model;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_selection selection = {.within = {.since = {cases[i].has_since, false, cases[i].since},
                                             .until = {cases[i].has_until, false, cases[i].until}}};
        assert_true(mp_selects(&selection));
        expect(model, &selection, cases[i].wanted, "moments");
    }
    mp_error error = {0};
    mp_selection inverted = {.within = {.since = {true, false, 30}, .until = {true, false, 10}}};
    assert_null(mp_filter_of(model, &inverted, &error));
    assert_non_null(strstr(error.text, "later"));
    reading_free(&r);
}

static void snapshots_of_a_selection_add_up(void **unused)
{
    (void)unused;
    reading r = heap();
    mp_model *model = r.model;
    mp_criterion criterion = {MP_SUBJECT_TYPE, false, "Dynamic Query"};
    mp_selection selection = {.criteria = &criterion, .count = 1};
    mp_filter *selected = mp_filter_of(model, &selection, NULL);
    static const figures wanted[] = {{0},           {1, 20, 1, 0}, {3, 48, 2, 0},
                                     {3, 68, 1, 1}, {2, 47, 0, 1}, {0, 0, 0, 2}};
    assert_int_equal(model->snapshots.count, 6);
    for (uint32_t i = 1; i < 6; i++) {
        assert_int_equal(selected->snapshots[i].live_objects, wanted[i].live);
        assert_int_equal(selected->snapshots[i].live_bytes, wanted[i].bytes);
        assert_int_equal(selected->snapshots[i].created_objects, wanted[i].created);
        assert_int_equal(selected->snapshots[i].deleted_objects, wanted[i].deleted);
    }
    mp_filter_free(selected);
    mp_filter_free(NULL);
    reading_free(&r);
}

static void what_cannot_be_selected(void **unused)
{
    (void)unused;
    mp_error error = {0};
    reading r = heap();
    mp_model *model = r.model;
    mp_criterion criterion = {MP_SUBJECT_THREAD, true, "1"};
    mp_selection selection = {.criteria = &criterion, .count = 1};
    assert_null(mp_filter_of(model, &selection, &error));
    char line[200];
    assert_string_equal(mp_error_line(&error, "--", line, sizeof line),
                        "--not-thread 1: a memory recording does not have that");
    criterion = (mp_criterion){MP_SUBJECT_STACK, false, "("};
    assert_false(mp_criterion_check(&criterion, &error));
    assert_memory_equal(error.text, "\"(\" is not an extended regular expression: ", 40);
    criterion.subject = MP_SUBJECT_TYPE; /* any text is a valid glob */
    assert_true(mp_criterion_check(&criterion, &error));
    selection.count = 0;
    assert_false(mp_selects(&selection));
    assert_string_equal(mp_subject_name(MP_SUBJECT_REQUEST), "request");
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_subject),
        cmocka_unit_test(an_unknown_type_is_a_type),
        cmocka_unit_test(any_of_a_subject_all_subjects_and_no_negated_one),
        cmocka_unit_test(moments_are_those_of_snapshots_both_included),
        cmocka_unit_test(snapshots_of_a_selection_add_up),
        cmocka_unit_test(what_cannot_be_selected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
