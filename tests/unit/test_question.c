/* Questions that are set by names and texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "reports/sections.h"
#include "session/question.h"
#include "session/reading.h"

/* Set one argument of a report. Return a line of the error; "" if there is none. */
static const char *set(const char *report, const char *name, const char *text)
{
    static char line[1200];
    mp_question question;
    mp_error error = {0};
    *line = '\0';
    mp_question_begin(&question, mp_report_find(report));
    if (!mp_question_set(&question, name, text, &error))
        mp_error_line(&error, "--", line, sizeof line);
    mp_question_free(&question);
    return line;
}

static void texts_are_held_against_their_kind(void **unused)
{
    (void)unused;
    static const char *const good[][3] = {
        {"leaks", "limit", "0"},          {"leaks", "limit", "2147483647"},
        {"leaks", "min-size", "1.5K"},    {"leaks", "max-growth", "10%"},
        {"leaks", "max-growth", "64K"},   {"leaks", "max-leaked", "64K"},
        {"tree", "min-percent", "0.5"},   {"tree", "min-percent", "100%"},
        {"diff", "min-change", "5ms"},    {"diff", "normalize", "s/a/b/"},
        {"path", "type", "Order*"},       {"leaks", "type", "Order*"},
        {"leaks", "not-stack", "a|b"},    {"leaks", "since", "90s"},
        {"leaks", "today", "2027-06-30"}, {"gate", "policy", "shop.policy"},
        {"diff", "base", "shop.oemp"},
    };
    static const char *const bad[][3] = {
        {"leaks", "limit", "-1"},      {"leaks", "limit", "2147483648"},
        {"leaks", "limit", "3x"},      {"leaks", "from", ""},
        {"leaks", "min-size", "some"}, {"leaks", "max-leaked", "10%"},
        {"leaks", "max-growth", "5s"}, {"tree", "min-percent", "101"},
        {"tree", "min-percent", ""},   {"diff", "min-change", "5 miles"},
        {"diff", "normalize", "a/b"},  {"leaks", "not-stack", "("},
        {"leaks", "since", "soon"},    {"leaks", "today", "2027-02-29"},
        {"leaks", "type", ""},         {"gate", "policy", ""},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_string_equal(set(good[i][0], good[i][1], good[i][2]), "");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_string_not_equal(set(bad[i][0], bad[i][1], bad[i][2]), "");
}

static void what_a_report_does_not_have_is_refused(void **unused)
{
    (void)unused;
    assert_string_equal(set("leaks", "depth", "3"), "leaks does not use --depth");
    assert_string_equal(set("info", "type", "x"), "info does not use --type");
    assert_string_equal(set("leaks", "policy", "x"), "leaks does not use --policy");
    assert_string_equal(set("leaks", "no-such", "x"), "leaks does not use --no-such");
    /* arguments of reading do not belong to the question */
    assert_string_equal(set("leaks", "at", "5s"), "leaks does not use --at");
}

static void arguments_are_filled_over_defaults(void **unused)
{
    (void)unused;
    mp_question question;
    mp_error error = {0};
    mp_question_begin(&question, mp_report_find("leaks"));
    const mp_heap_arguments *asked = question.arguments;
    assert_int_equal(asked->limit, MP_REPORT_ROWS);
    assert_ptr_equal(mp_question_limit(&question), &asked->limit);
    assert_true(mp_question_set(&question, "limit", "7", &error));
    assert_true(mp_question_set(&question, "max-growth", "10%", &error));
    assert_true(mp_question_set(&question, "not-type", "Order*", &error));
    assert_true(mp_question_set(&question, "until", "1s", &error));
    assert_int_equal(asked->limit, 7);
    assert_true(asked->max_growth.set && asked->max_growth.bound.reference);
    assert_false(asked->max_leaked.set);
    assert_int_equal(question.selection.count, 1);
    assert_true(question.selection.criteria[0].negated);
    assert_int_equal(question.selection.within.until.us, 1000000);
    /* both belong to the selection, although their options have other names */
    assert_int_equal(question.given_count, 4);
    assert_string_equal(question.given[2].argument, "selection");
    assert_string_equal(question.given[3].argument, "selection");
    assert_string_equal(question.given[3].spelled, "until");
    mp_question_free(&question);
}

/* Each argument of a report has an offset; its variant, if stated, exists. */
static void rows_name_variants_that_there_are(void **unused)
{
    (void)unused;
    size_t count;
    const mp_report *const *reports = mp_reports(&count);
    for (size_t i = 0; i < count; i++) {
        unsigned total = 0;
        for (size_t j = 0; j < MP_VARIANTS && reports[i]->variants[j].run; j++)
            total |= 1u << j;
        for (size_t j = 0; j < reports[i]->arguments.count; j++) {
            const mp_argument *row = &reports[i]->arguments.items[j];
            assert_true(row->variants && !(row->variants & ~total));
            assert_true(row->offset == MP_SHARED_ARGUMENT ||
                        row->offset < reports[i]->arguments.size);
            assert_ptr_equal(mp_argument_find(&reports[i]->arguments, row->name), row);
        }
    }
}

/* A recording is read with the data that a statement may need, and with no other data. */
static void statements_need_what_they_name(void **unused)
{
    static const struct {
        const char *statement;
        bool objects, checksums;
    } cases[] = {
        {"select sum(live_bytes) from sites", false, false},
        {"select count(*) from Lives", true, false},
        {"select count(*) from \"lives\"", true, false},
        {"select Recording from sites", false, true},
        {NULL, true, false}, /* it is not known yet */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_question question;
        mp_error error = {0};
        mp_load_options load = {.keep_objects = false};
        mp_question_begin(&question, mp_report_find("sql"));
        if (cases[i].statement)
            assert_true(mp_question_set(&question, "statement", cases[i].statement, &error));
        mp_reading_suit(&load, &question);
        assert_int_equal(load.keep_objects, cases[i].objects);
        assert_int_equal(load.checksums, cases[i].checksums);
        mp_question_free(&question);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_held_against_their_kind),
        cmocka_unit_test(what_a_report_does_not_have_is_refused),
        cmocka_unit_test(arguments_are_filled_over_defaults),
        cmocka_unit_test(rows_name_variants_that_there_are),
        cmocka_unit_test(statements_need_what_they_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
