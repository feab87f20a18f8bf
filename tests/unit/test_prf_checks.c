/* Execution profiles: every diagnostic, consistency checks, truncated files. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/profile.h"
#include "support/memory_reader.h"
#include "support/small_profile.h"

#define NAME "test.prf"

extern const mp_reader mp_reader_prf;

/* A change to a valid profile of version 4, and the only diagnostic that it causes. First lines:
 * description 1, modules 3, call graph 8, lines 12, trace 21, coverage 26, statistics 34, nodes 43,
 * user data 48. */
typedef struct bad_case {
    const char *what, *by;
    mp_diagnostic_id id;
    uint64_t line;
    const char *message; /* part of the message */
} bad_case;

static void check_bad(const bad_case *c)
{
    char *text = replaced(VERSION_4, c->what, c->by);
    reading r = read_text(&mp_reader_prf, NAME, text, 1);
    const mp_diagnostic *found = find_diagnostic(r.diagnostics, c->id);
    if (!found || found->line != c->line || !strstr(found->message, c->message) ||
        count_diagnostics(r.diagnostics) != 1) {
        const mp_diagnostic *kept;
        size_t count = mp_diagnostics_kept(r.diagnostics, &kept);
        for (size_t i = 0; i < count; i++)
            print_error("%" PRIu64 ": %s\n", kept[i].line, kept[i].message);
        fail_msg("replacing %s by %s: expected %s at line %" PRIu64 " with \"%s\"", c->what, c->by,
                 mp_diagnostic_code(c->id), c->line, c->message);
    }
    assert_string_equal(found->path, "test.prf");
    assert_true(r.ok);
    reading_free(&r);
    free(text);
}

static void bad_rows_are_skipped_and_told(void **unused)
{
    (void)unused;
    static const bad_case cases[] = {
        {"\n.\n1 \"main", "\nextra\n.\n1 \"main", MP_DIAG_BAD_ROW, 2, "expected a dot"},
        {"1 \"main.p\" \"main.dbg\" 48949 0 \"\"\n",
         "1 \"main.p\" \"main.dbg\" 48949 0 \"\"\n0 \"x\" \"\" 1 0 \"\"\n", MP_DIAG_BAD_ROW, 4,
         "module 0 is the session"},
        {"48949 0 \"\"\n", "48949 0 \"\"\n7 \"x.p\n", MP_DIAG_BAD_ROW, 4,
         "\"\"x.p\" in column 2 (name), expected a quoted string"},
        {"48949 0 \"\"\n", "48949 0 \"\"\n7 \"x.p\" \"\"\n", MP_DIAG_BAD_ROW, 4,
         "ends after 3 columns, expected at least 4"},
        {"48949 0 \"\"\n", "48949 0 \"\"\n-7 \"x.p\" \"\" 1\n", MP_DIAG_BAD_ROW, 4,
         "expected a number from 0"},
        {"1 3 2 2\n", "1 3 2 2\n1 3 2 -2\n", MP_DIAG_BAD_ROW, 10, "expected a count"},
        {"1 3 2 2\n", "1 3 2 2\n1 99999999999 2 2\n", MP_DIAG_BAD_ROW, 10,
         "\"99999999999 2 2\" in column 2 (caller line), expected a line number"},
        {"1 3 2 2\n", "1 3 2 2\n1 3 2 2 2\n", MP_DIAG_BAD_ROW, 10, "expected no more columns"},
        {"2 -1 2 0.000050 0.000050\n", "2 -1 2 0.000050 0.000050\n1 9 1 0.0x 0.1\n",
         MP_DIAG_BAD_ROW, 18, "in column 4 (exclusive seconds), expected seconds"},
        {"2 -1 2 0.000050 0.000050\n", "2 -1 2 0.000050 0.000050\n1 9 1 -0.000001 0.1\n",
         MP_DIAG_BAD_ROW, 18, "in column 4 (exclusive seconds), expected seconds from 0"},
        {"2 -1 2 0.000050 0.000050\n", "2 -1 2 0.000050 0.000050\n1 9 1 0 -0.1\n", MP_DIAG_BAD_ROW,
         18, "\"-0.1\" in column 5 (cumulative seconds), expected seconds from 0"},
        {"3 11 0.000050 0.400000\n", "3 11 0.000050 0.400000\n3 11 -0.000050 0.4\n",
         MP_DIAG_BAD_ROW, 23, "in column 3 (exclusive seconds), expected seconds from 0"},
        {"2 -1 2 0.000050 0.000050\n", "2 -1 2 0.000050 0.000050\n1 9 4611686018427387904 0 0\n",
         MP_DIAG_BAD_ROW, 18, "64 bits cannot add up"},
        {"3 11 0.000050 0.400000\n", "3 11 0.000050 0.400000\n3 11\n", MP_DIAG_BAD_ROW, 23,
         "ends after 2 columns"},
        {"1 \"proc\" 2\n40\n41\n", "1 \"proc\" 2\n40\n41\nx\n", MP_DIAG_BAD_ROW, 29,
         "expected a line number"},
        {"1 \"proc\" 2\n40\n41\n", "1 \"proc\" 3\n40\n41\n", MP_DIAG_BAD_ROW, 26,
         "promises 3 lines, expected as many to follow, and there are 2"},
        {"1 0 1 0 1 0.001000 2\n", "1 0 1 0 1 0.001000 2\n7 0 1 0 1 0.001000 x\n", MP_DIAG_BAD_ROW,
         45, "expected ids of nodes only"},
        {"0.749720 \"User", "later \"x\"\n0.749720 \"User", MP_DIAG_BAD_ROW, 48,
         "expected seconds"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_bad(&cases[i]);
}

static void contradictions_are_told(void **unused)
{
    (void)unused;
    static const bad_case cases[] = {
        {"2 \"proc main.p\"", "1 \"again.p\" \"\" 5 0 \"\"\n2 \"proc main.p\"", MP_DIAG_REDEFINED,
         4, "module 1 is defined twice"},
        {"3 11 1 0.000050 0.000050\n", "3 11 1 0.000050 0.000050\n77 1 1 0.000000 0.000000\n",
         MP_DIAG_UNDEFINED_MODULE, 20, "module 77 is used here"},
        {"\"TotTime\":0.001000", "\"TotTime\":0.001002", MP_DIAG_PROFILE_TOTAL, 1,
         "row 0 0 has a cumulative time of 0.001000 seconds, expected TotTime, which is 0.001002"},
        {"3 0 1 0.000250 0.000300", "3 0 1 0.000250 0.000303", MP_DIAG_PROFILE_MODULE_TIME, 18,
         "module 3 spent 0.000300 seconds in its lines and 0.000000 in what it called, expected "
         "the cumulative time of its line 0, which is 0.000303"},
        {"2 40 3 1\n", "2 40 3 2\n", MP_DIAG_PROFILE_CALL_GRAPH, 10,
         "module 2 line 40 calls module 3 2 times in the call graph, expected the 1"},
        {"2 40 3 1\n", "", MP_DIAG_PROFILE_CALL_GRAPH, 44, "module 2 line 40 calls module 3 0"},
        {"2 1 2 3 2 0.000700 3\n", "2 1 2 3 2 0.000700\n", MP_DIAG_PROFILE_CALL_GRAPH, 46,
         "node 2 lists 0 children, expected the 1"},
        {"2 1 2 3 2 0.000700 3\n", "2 1 2 3 2 0.000700 1\n", MP_DIAG_PROFILE_CALL_GRAPH, 46,
         "node 2 lists 1 children"},
        {"2 1 2 3 2 0.000700 3\n", "2 1 2 3 2 0.000700 3\n2 1 2 3 2 0.000700 3\n",
         MP_DIAG_REDEFINED, 47, "call-tree node 2 is defined twice"},
        {"3 2 3 40 1 0.000300\n", "3 2 3 40 1 0.000300\n5 4 3 40 1 0.000000\n",
         MP_DIAG_UNDEFINED_NODE, 46, "node 4 is the caller here"},
        {"0 0 0 0 1 0.001000 1\n", "0 3 0 0 1 0.001000 1\n", MP_DIAG_PARENT_ORDER, 43,
         "node 0 has node 3 as its caller"},
        {"3 11 0.000050", "3 12 0.000050", MP_DIAG_PROFILE_TRACE, 22,
         "module 3 line 12 is traced, expected it in the line summary"},
        {"2 40 0.000050 0.500000\n", "2 40 0.000050 0.500000\n2 40 0.000050 0.500000\n",
         MP_DIAG_PROFILE_TRACE, 21, "module 2 line 40 is traced 2 times, expected at most the 1"},
        {"User",
         "\xfc"
         "ser",
         MP_DIAG_NOT_UTF8, 0, "ISO 8859-1"},
        {"", "junk\nmore\n", MP_DIAG_SKIPPED_LINES, 1, "2 lines skipped"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_bad(&cases[i]);
}

/* The tolerance is half a microsecond per row, plus one microsecond. With two rows, a difference of
 * 2 is accepted, but not a difference of 3. */
static void the_total_is_right_within_the_rounding(void **unused)
{
    (void)unused;
#define TWO_ROWS(extra, session, line)                                                             \
    HEADER("3", extra) "1 \"a.p\" \"\" 5\n.\n.\n" session line ".\n.\n.\n.\n.\n"
    static const struct {
        const char *text, *message;
        uint64_t line;
    } cases[] = {
        {TWO_ROWS("", "0 0 1 0.000000 0.000010\n", "1 2 1 0.000012 0.000012\n"), NULL, 0},
        {TWO_ROWS("", "0 0 1 0.000000 0.000010\n", "1 2 1 0.000013 0.000013\n"),
         "exclusive times add up to 0.000013 seconds, expected the cumulative time of row 0 0, "
         "which is 0.000010",
         6},
        {TWO_ROWS(" {\"TotTime\":0.000011}", "0 0 1 0.000000 0.000010\n",
                  "1 2 1 0.000010 0.000010\n"),
         NULL, 0},
        {TWO_ROWS(" {\"TotTime\":0.000011}", "", "1 2 1 0.000012 0.000012\n"), NULL, 0},
        {TWO_ROWS(" {\"TotTime\":0.000011}", "", "1 2 1 0.000008 0.000012\n"),
         "exclusive times add up to 0.000008 seconds, expected TotTime, which is 0.000011", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reading r = read_text(&mp_reader_prf, NAME, cases[i].text, 64);
        const mp_diagnostic *total = find_diagnostic(r.diagnostics, MP_DIAG_PROFILE_TOTAL);
        assert_int_equal(total != NULL, cases[i].message != NULL);
        assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_PROFILE_TOTAL), total ? 1 : 0);
        if (total) {
            assert_string_equal(total->message, cases[i].message);
            assert_int_equal(total->line, cases[i].line);
        }
        reading_free(&r);
    }
}

/* A caller whose number is larger than that of its callee is reported, but the tree is used
 * unchanged. */
static void callers_come_first(void **unused)
{
    (void)unused;
    static const char text[] = HEADER("3", "") "1 \"a.p\" \"\" 5\n.\n.\n.\n.\n.\n"
                                               "0 0 0 0 1 0.000000 2\n2 0 1 0 1 0.000000 1\n"
                                               "1 2 1 3 1 0.000000\n.\n.\n";
    reading r = read_text(&mp_reader_prf, NAME, text, 1);
    const mp_diagnostic *found = find_diagnostic(r.diagnostics, MP_DIAG_PARENT_ORDER);
    assert_non_null(found);
    assert_int_equal(found->line, 11);
    assert_int_equal(r.model->tree.count, 1 + 3);
    reading_free(&r);
}

/* A profile that starts while modules 1 and 2 are on the stack. The nodes connect module 1 with 2,
 * but section 3 connects both with the session. If module 1 had a line 0, that would be a
 * contradiction. */
static void frames_from_before_hang_under_the_session(void **unused)
{
    (void)unused;
#define MID_RUN(entry)                                                                             \
    HEADER("3", "")                                                                                \
    "1 \"a.p\" \"\" 5\n2 \"b.p\" \"\" 6\n.\n0 0 1 1\n0 0 2 1\n.\n"                                 \
    "0 0 1 0.000000 0.000010\n2 7 1 0.000010 0.000010\n" entry ".\n.\n.\n"                         \
    "0 0 0 0 1 0.000010 1\n1 0 1 0 1 0.000010 2\n2 1 2 0 1 0.000010\n.\n.\n"
    static const char good[] = MID_RUN(""), bad[] = MID_RUN("1 0 1 0.000000 0.000010\n");
    reading r = read_text(&mp_reader_prf, NAME, good, 64);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    reading_free(&r);
    r = read_text(&mp_reader_prf, NAME, bad, 64);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_PROFILE_CALL_GRAPH), 2);
    assert_int_equal(count_diagnostics(r.diagnostics), 2);
    reading_free(&r);
}

/* --- files that end early --- */

static void a_torn_file_gives_what_is_whole(void **unused)
{
    (void)unused;
    static const char text[] = VERSION_4;
    size_t length = strlen(text), header = strlen(HEADER("4", EXTRA));
    uint64_t records = 0;
    for (size_t cut = 1; cut < length; cut++) {
        reading r = read_bytes(&mp_reader_prf, NAME, text, cut, 64 * 1024);
        const mp_input_summary *input = &r.model->inputs.items[1];
        bool whole = cut == length - 1; /* only the last line end is missing */
        assert_int_equal(input->complete, whole);
        assert_true(input->records >= records);
        records = input->records;
        assert_int_equal(r.ok, mp_diagnostics_count(r.diagnostics, MP_DIAG_NOTHING_USABLE) == 0);
        assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_TORN), !whole);
        assert_int_equal(count_diagnostics(r.diagnostics), whole ? 0 : r.ok ? 1 : 2);
        if (cut <= header)
            assert_false(r.ok);
        reading_free(&r);
    }
}

static void a_cut_row_is_not_trusted(void **unused)
{
    (void)unused;
    static const char text[] = HEADER("1", "") "1 \"a.p\" \"\" 5\n.\n.\n"
                                               "1 0 1 0.000100 0.000100\n1 2 1 0.0001";
    reading r = read_text(&mp_reader_prf, NAME, text, 64 * 1024);
    const mp_diagnostic *torn = find_diagnostic(r.diagnostics, MP_DIAG_TORN);
    assert_true(r.ok);
    assert_int_equal(r.model->profile->lines.count, 1 + 1);
    assert_non_null(torn);
    assert_int_equal(torn->line, 7);
    assert_non_null(strstr(torn->message, "section line summary with a row that is cut off"));
    reading_free(&r);
}

static void a_profile_behind_a_torn_one_is_read(void **unused)
{
    (void)unused;
    static const char text[] = HEADER("1", "") "1 \"a.p\" \"\" 5\n.\n" VERSION_1;
    reading r = read_text(&mp_reader_prf, NAME, text, 64);
    const mp_diagnostic *torn = find_diagnostic(r.diagnostics, MP_DIAG_TORN);
    assert_true(r.ok);
    assert_non_null(torn);
    assert_int_equal(torn->line, 5);
    assert_int_equal(count_diagnostics(r.diagnostics), 1);
    assert_int_equal(r.model->sessions.count, 3);
    assert_int_equal(r.model->profile->lines.count, 1 + 8);
    assert_false(r.model->inputs.items[1].complete);
    reading_free(&r);
}

static void a_cut_line_behind_a_whole_profile_is_told(void **unused)
{
    (void)unused;
    static const char text[] = VERSION_1 "1 09/10/20";
    reading r = read_text(&mp_reader_prf, NAME, text, 64);
    assert_true(r.ok);
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_TORN));
    assert_false(r.model->inputs.items[1].complete);
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_rows_are_skipped_and_told),
        cmocka_unit_test(contradictions_are_told),
        cmocka_unit_test(the_total_is_right_within_the_rounding),
        cmocka_unit_test(callers_come_first),
        cmocka_unit_test(frames_from_before_hang_under_the_session),
        cmocka_unit_test(a_torn_file_gives_what_is_whole),
        cmocka_unit_test(a_cut_row_is_not_trusted),
        cmocka_unit_test(a_profile_behind_a_torn_one_is_read),
        cmocka_unit_test(a_cut_line_behind_a_whole_profile_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
