/* Suppressions: valid and invalid files, and how suppressions affect leaks. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "query/query.h"
#include "query/suppression.h"
#include "support/memory_reader.h"
#include "unit/small_heap.h"

extern const mp_reader mp_reader_oemp;

static mp_suppressions parse(const char *text)
{
    mp_suppressions list = {0};
    mp_error error = {0};
    if (!mp_suppressions_parse(&list, "a", (mp_slice){text, strlen(text)}, &error))
        fail_msg("%s", error.text);
    return list;
}

/* --- the format --- */

static void everything_that_a_file_may_say(void **unused)
{
    (void)unused;
    mp_suppressions list = parse("\xef\xbb\xbf# why this file exists\r\n"
                                 "[ query cache ]\r\n"
                                 "type = Dynamic Query\r\n"
                                 "\r\n"
                                 "  ; another note\n"
                                 "\tTYPE=Buffer = x\t \n"
                                 "stack = ^a:1$\n"
                                 "source = *s*\n"
                                 "name = n # no note\n"
                                 "thread = 2-1\n"
                                 "reason = filled once\n"
                                 "limit = 512 KiB\n"
                                 "expires = 2028-02-29\n"
                                 "[second]\n"
                                 "reason = r\n"
                                 "name = x");
    assert_int_equal(list.count, 2);
    const mp_suppression *first = &list.items[0];
    static const mp_criterion expected[] = {
        {MP_SUBJECT_TYPE, false, "Dynamic Query"}, {MP_SUBJECT_TYPE, false, "Buffer = x"},
        {MP_SUBJECT_STACK, false, "^a:1$"},        {MP_SUBJECT_SOURCE, false, "*s*"},
        {MP_SUBJECT_NAME, false, "n # no note"},   {MP_SUBJECT_THREAD, false, "2-1"}};
    assert_int_equal(first->criterion_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < first->criterion_count; i++) {
        assert_int_equal(first->criteria[i].subject, expected[i].subject);
        assert_false(first->criteria[i].negated);
        assert_string_equal(first->criteria[i].pattern, expected[i].pattern);
    }
    assert_string_equal(first->path, "a");
    assert_int_equal(first->line, 2);
    assert_string_equal(first->name, "query cache");
    assert_string_equal(first->reason, "filled once");
    assert_true(first->has_limit);
    assert_int_equal(first->limit_bytes, 524288);
    assert_int_equal(first->last_day, 20280229);
    assert_string_equal(first->expires, "2028-02-29");
    assert_int_equal(list.items[1].line, 14);
    assert_false(list.items[1].has_limit);
    assert_int_equal(list.items[1].last_day, 0);
    mp_suppressions_free(&list);
}

static void files_without_suppressions(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"", "\n", "# nothing yet\n\n", "\xef\xbb\xbf"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mp_suppressions list = parse(texts[i]);
        assert_int_equal(list.count, 0);
        mp_suppressions_free(&list);
    }
}

/* Text that is not UTF-8 is read as ISO 8859-1, as in recordings. */
static void latin_1_is_read(void **unused)
{
    (void)unused;
    mp_suppressions list = parse("[caf\xe9]\nname = \xe9*\nreason = r\n");
    assert_string_equal(list.items[0].name, "caf\xc3\xa9");
    assert_string_equal(list.items[0].criteria[0].pattern, "\xc3\xa9*");
    mp_suppressions_free(&list);
}

#define GOOD "[a]\ntype = x\nreason = r\n"

static const struct {
    const char *text, *error;
} faults[] = {
    {"type = x\n", "f:1:1: error: \"type\" before the first section, expected [NAME]"},
    {"[a\n", "f:1:3: error: a section's name does not end, expected ]"},
    {"\n [ ] \n", "f:2:2: error: a section without a name, expected [NAME]"},
    {"[a] b\n", "f:1:4: error: text after ], expected the end of the line"},
    {GOOD "[b]\nreason = r\n[c]\n", "f:4:1: error: [b] has no pattern, expected one of type, "
                                    "source, name, stack or thread"},
    {"[b]\n\nname = x", "f:1:1: error: [b] has no reason, expected reason = TEXT"},
    {"[b]\nname = x\n[c]", "f:1:1: error: [b] has no reason, expected reason = TEXT"},
    {GOOD "\n[ a ]\n", "f:5:3: error: [a] is also at f:1, expected a unique name"},
    {"[a]\n  x\n", "f:2:3: error: \"x\" is not a setting, expected [NAME], KEY = VALUE or # NOTE"},
    {"[a]\n x y = z\n", "f:2:2: error: unknown key \"x y\", expected type, source, name, "
                        "stack, thread, reason, limit or expires"},
    {"[a]\n= z\n", "f:2:1: error: unknown key \"\", expected type, source, name, stack, "
                   "thread, reason, limit or expires"},
    {"[a]\ntype =  \n", "f:2:7: error: type without a value, expected type = VALUE"},
    {"[a]\nreason = r\nreason = s\n", "f:3:10: error: reason a second time, expected it once"},
    {"[a]\nlimit = 1\nlimit = 1\n", "f:3:9: error: limit a second time, expected it once"},
    {"[a]\nexpires = 2027-01-01\nexpires=2027-01-01\n",
     "f:3:9: error: expires a second time, expected it once"},
    {"[a]\nlimit = 12 x\n", "f:2:9: error: limit = 12 x, expected a size such as 64K or 1.5 MiB"},
    {"[a]\nexpires = 2027-02-29\n",
     "f:2:11: error: expires = 2027-02-29, expected a day such as 2027-06-30"},
    /* columns count characters: "\u00e9" is one */
    {"[a]\n# \xc3\xa9\n\xc3\xa9 = \xc3\xa9\n",
     "f:3:1: error: unknown key \"\xc3\xa9\", expected type, source, name, stack, thread, "
     "reason, limit or expires"},
    {"[\xc3\xa9] \xc3\xa9\n", "f:1:4: error: text after ], expected the end of the line"},
    {"[a]\nname = x\ay\n", "f:2:9: error: control character 0x07, expected text"},
    {"[a]\nname = x\r\r\n", "f:2:9: error: control character 0x0d, expected text"},
};

static void errors_tell_where_and_what_was_expected(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mp_suppressions list = {0};
        mp_error error = {0};
        mp_slice text = {faults[i].text, strlen(faults[i].text)};
        assert_false(mp_suppressions_parse(&list, "f", text, &error));
        char line[400];
        assert_string_equal(mp_error_line(&error, "", line, sizeof line), faults[i].error);
        mp_suppressions_free(&list);
    }
}

/* The C library's message about an invalid regular expression is passed on. */
static void a_wrong_regular_expression_is_told(void **unused)
{
    (void)unused;
    static const char text[] = "[a]\nstack = a(b\n";
    static const char start[] = "f:2:9: error: \"a(b\" is not an extended regular expression";
    mp_suppressions list = {0};
    mp_error error = {0};
    assert_false(mp_suppressions_parse(&list, "f", (mp_slice){text, sizeof text - 1}, &error));
    char line[400];
    assert_memory_equal(mp_error_line(&error, "", line, sizeof line), start, sizeof start - 1);
    mp_suppressions_free(&list);
}

static void placeholders_are_not_reasons(void **unused)
{
    static const struct {
        const char *reason;
        bool is;
    } cases[] = {
        {"TODO", true},
        {"todo: why is this accepted?", true},
        {"<TODO>", true},
        {"FIXME later", true},
        {"Tbd.", true},
        {"xxx", true},
        {"???", true},
        {"-", true},
        {"123", false},
        {"", true},
        {"todos of a session, kept on purpose", false},
        {"a cache (TODO: bound it)", false},
        {"#4711: fixed in 12.8", false},
        {"\xc3\x9c"
         "bergang bis 12.8",
         false}, /* Übergang */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mp_reason_is_placeholder(cases[i].reason), cases[i].is);
}

static void long_texts_are_cut_in_messages(void **unused)
{
    (void)unused;
    char text[400] = "[a]\n";
    mp_error error = {0};
    memset(text + 4, 'x', 300);
    mp_suppressions list = {0};
    assert_false(mp_suppressions_parse(&list, "f", (mp_slice){text, strlen(text)}, &error));
    assert_non_null(strstr(error.text, "xxx...\" is not a setting, expected [NAME]"));
    assert_true(strlen(error.text) < 160);
    mp_suppressions_free(&list);
}

static void names_are_their_own_among_files(void **unused)
{
    (void)unused;
    mp_suppressions list = parse(GOOD);
    mp_error error = {0};
    static const char text[] = "\n[a]\n";
    assert_false(mp_suppressions_parse(&list, "b", (mp_slice){text, sizeof text - 1}, &error));
    char line[400];
    assert_string_equal(mp_error_line(&error, "", line, sizeof line),
                        "b:2:2: error: [a] is also at a:1, expected a unique name");
    mp_suppressions_free(&list);
}

static void no_damage_does_harm(void **unused)
{
    (void)unused;
    static const char good[] = "# note\r\n[query cache]\ntype = Dynamic Query\nstack = ^a(b|c):1$\n"
                               "reason = filled \xc3\xa9\nlimit = 512 KiB\nexpires = 2027-06-30\n"
                               "[second]\nname = x*\nreason = r\n";
    static const char bits[] = "[]=#;\n\r\t \\(){}*+?^$|.0-9\xc3\xe9\xff\x01";
    uint32_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        /* allocated with its exact length, so that the sanitizer detects any access beyond its
         * end */
        size_t length = sizeof good - 1;
        char *text = malloc(length);
        mp_error error = {0};
        memcpy(text, good, length);
        for (int change = round % 8; change >= 0; change--) {
            seed = seed * 1664525 + 1013904223;
            size_t index = (seed >> 8) % length;
            text[index] = bits[(seed >> 24) % (sizeof bits - 1)];
            if ((seed >> 16 & 15) == 0)
                length = index + 1;
        }
        char *exact = malloc(length);
        memcpy(exact, text, length);
        free(text);
        mp_suppressions list = {0};
        bool ok = mp_suppressions_parse(&list, "f", (mp_slice){exact, length}, &error);
        assert_true(ok == (error.code == MP_ERROR_NONE));
        free(exact);
        for (size_t i = 0; ok && i < list.count; i++)
            assert_true(list.items[i].criterion_count && list.items[i].reason);
        mp_suppressions_free(&list);
    }
}

/* --- their effect --- */

/* Return one line per suppression, "name status sites objects/bytes", then the remaining leaks. */
static char *outcome(const mp_window *window, const mp_suppressions *list)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    mp_totals totals = mp_totals_of(window);
    const mp_leaks *leaks = mp_window_leak_sites(window);
    for (size_t i = 0; i < list->count; i++) {
        const mp_suppression_effect *effect = &window->suppressed->effects[i];
        fprintf(out, "%s %s %" PRIu32 " %" PRId64 "/%" PRId64 "\n", list->items[i].name,
                mp_suppression_status_name(effect->status), effect->sites, effect->objects,
                effect->bytes);
    }
    fprintf(out, "suppressed %" PRId64 "/%" PRId64, window->suppressed->objects,
            window->suppressed->bytes);
    fprintf(out, ", leaked %" PRId64 "/%" PRId64 " at %" PRIu32 ", alive %" PRId64 "/%" PRId64 "\n",
            totals.leaked_objects, totals.leaked_bytes, leaks->count, totals.live_objects,
            totals.live_bytes);
    assert_int_equal(leaks->objects, totals.leaked_objects);
    assert_int_equal(leaks->bytes, totals.leaked_bytes);
    fclose(out);
    return text;
}

static const struct {
    const char *text, *expected;
} outcomes[] = {
    {"", "suppressed 0/0, leaked 3/272 at 3, alive 6/407\n"},
    {"[a]\ntype=Proc*\nreason=r\n",
     "a used 1 1/200\nsuppressed 1/200, leaked 2/72 at 2, alive 6/407\n"},
    /* all subjects must match; if a subject has several patterns, one of them is enough */
    {"[a]\ntype=Proc*\ntype=Temp*\nname=t?\nreason=r\n",
     "a used 1 1/50\nsuppressed 1/50, leaked 2/222 at 2, alive 6/407\n"},
    {"[a]\nstack=^order\\.p:[36]$\nreason=r\n",
     "a used 2 2/250\nsuppressed 2/250, leaked 1/22 at 1, alive 6/407\n"},
    {"[a]\nstack=^main\\.p:7$\nreason=r\n",
     "a used 3 3/272\nsuppressed 3/272, leaked 0/0 at 0, alive 6/407\n"},
    {"[a]\nsource=main*\nreason=r\n",
     "a unused 0 0/0\nsuppressed 0/0, leaked 3/272 at 3, alive 6/407\n"},
    /* live objects that do not leak are not suppressed: object 3 existed before */
    {"[a]\ntype=Dynamic Query\nreason=r\n",
     "a used 1 1/22\nsuppressed 1/22, leaked 2/250 at 2, alive 6/407\n"},
    /* the first suppression that matches applies */
    {"[a]\ntype=Proc*\nreason=r\n[b]\nsource=order.p\nreason=r\n[c]\ntype=*\nreason=r\n",
     "a used 1 1/200\nb used 2 2/72\nc unused 0 0/0\n"
     "suppressed 3/272, leaked 0/0 at 0, alive 6/407\n"},
    /* a leak up to the limit is accepted; a larger leak is not, but the next suppression may accept
     * it */
    {"[a]\ntype=Proc*\nlimit=200\nreason=r\n",
     "a used 1 1/200\nsuppressed 1/200, leaked 2/72 at 2, alive 6/407\n"},
    {"[a]\nsource=*\nlimit=271\nreason=r\n[b]\ntype=Temp*\nreason=r\n",
     "a over limit 3 3/272\nb used 1 1/50\nsuppressed 1/50, leaked 2/222 at 2, alive 6/407\n"},
    /* in this test, today is 2027-06-30 */
    {"[a]\ntype=Proc*\nexpires=2027-06-30\nreason=r\n",
     "a used 1 1/200\nsuppressed 1/200, leaked 2/72 at 2, alive 6/407\n"},
    {"[a]\ntype=Proc*\nexpires=2027-06-29\nreason=r\n[b]\ntype=x\nexpires=2026-12-31\n"
     "reason=r\n",
     "a expired 1 1/200\nb expired 0 0/0\nsuppressed 0/0, leaked 3/272 at 3, alive 6/407\n"},
};

/* Leaks up to _PreCleanUp, born after the first snapshot: Procedure 1/200 at order.p:3, Temp-table
 * 1/50 named tt at order.p:6, Dynamic Query 1/22 at order.p:5. 6/407 are alive. */
static void leaks_are_suppressed_as_by_hand(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_oemp, "a.oemp", HEAP, 4096);
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        mp_window window;
        mp_error error = {0};
        mp_suppressions list = parse(outcomes[i].text);
        list.today = 20270630;
        assert_true(mp_window_resolve(r.model, NULL, NULL, &window, &error));
        mp_window_suppress(&window, &list);
        char *told = outcome(&window, &list);
        assert_string_equal(told, outcomes[i].expected);
        free(told);
        mp_window_free(&window);
        mp_suppressions_free(&list);
    }
    reading_free(&r);
}

/* The temp-table is scoped to the procedure. If a suppression accepts the procedure, no leak owns
 * the table. */
static void what_is_suppressed_owns_no_leak(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_oemp, "a.oemp", HEAP, 4096);
    mp_suppressions list = parse("[a]\ntype=Proc*\nreason=r\n");
    for (int with = 0; with < 2; with++) {
        mp_window window;
        mp_error error = {0};
        assert_true(mp_window_resolve(r.model, NULL, NULL, &window, &error));
        mp_window_suppress(&window, with ? &list : NULL);
        const mp_leaks *leaks = mp_window_leak_sites(&window);
        assert_int_equal(leaks->count, with ? 2 : 3);
        assert_string_equal(leaks->items[1 - with].type, "Temp-table");
        assert_int_equal(mp_leak_scope(&leaks->items[1 - with]).owned_by_leak, !with);
        mp_window_free(&window);
    }
    mp_suppressions_free(&list);
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_that_a_file_may_say),
        cmocka_unit_test(files_without_suppressions),
        cmocka_unit_test(latin_1_is_read),
        cmocka_unit_test(errors_tell_where_and_what_was_expected),
        cmocka_unit_test(a_wrong_regular_expression_is_told),
        cmocka_unit_test(placeholders_are_not_reasons),
        cmocka_unit_test(long_texts_are_cut_in_messages),
        cmocka_unit_test(names_are_their_own_among_files),
        cmocka_unit_test(no_damage_does_harm),
        cmocka_unit_test(leaks_are_suppressed_as_by_hand),
        cmocka_unit_test(what_is_suppressed_owns_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
