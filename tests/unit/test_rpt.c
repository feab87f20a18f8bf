/* ProTop reports: both layouts, every column, every diagnostic. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/profile.h"
#include "support/memory_reader.h"

#define NAME "protop3.2026.05.05.14.31.15.rpt"

/* Widths: program 30, line 5, time 13, average time 13, calls 10, then one column of 40 characters,
 * or two of 20 and 50. */
#define RULER "------------------------------ ----- ------------- ------------- ---------- "
#define DASHES_20 "--------------------"
#define DASHES_50 "--------------------------------------------------"
#define TOP(description)                                                                           \
    "\n                    Profiler: Top 20 Results\n\n"                                           \
    "      Description: " description "\n"                                                         \
    "      Session Total Execution Time 01:00:12\n\n"                                              \
    "      Line 0 = initialization, line -1 = cleanup\n\n"
#define HEADINGS                                                                                   \
    "Program/Class                   Line          Time      Avg Time      Calls IP/Method\n"
#define NEWER                                                                                      \
    TOP("My run [x] [00:01:05]")                                                                   \
    "   " HEADINGS "   " RULER DASHES_20 " " DASHES_50 "\n"                                        \
    "   lib/foo.p                         12      5.123456      0.001000       5123 mon-update "   \
    "          FOR EACH customer NO-LOCK:\n"                                                       \
    "   lib/foo.p                          0      4.000000      2.000000          2\n"             \
    "   lib/foo.p                         13      3.000000      0.500000          6 mon-update\n"  \
    "   Z\xc3\xbcrich.cls                        -1       .250000       .125000          2 "       \
    "getColorNum          x = 1.\n"                                                                \
    "   big.p                          ????? ?             ????????????? ??????????\n"
#define OLDER                                                                                      \
    TOP("My run")                                                                                  \
    HEADINGS RULER DASHES_20 DASHES_20                                                             \
        "\n"                                                                                       \
        "lib/foo.p                          0      1.234,5                           1,234,567\n"  \
        "lib/foo.p                         12      5,123456      0,001000      5.123 "             \
        "a-very-long-name-of-an-internal-procedur\n"

extern const mp_reader mp_reader_rpt;

static char *dump(const mp_model *model)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const mp_profile *p = model->profile;
    for (uint32_t i = 1; i < model->sessions.count; i++)
        fprintf(out, "session %s\n", mp_model_text(model, model->sessions.items[i].description));
    fprintf(out, "total %" PRId64 " elapsed %" PRId64 " report %d\n", p->stated_total_us,
            p->elapsed_us, p->from_report);
    for (uint32_t i = 1; i < p->lines.count; i++) {
        const mp_profile_line *line = &p->lines.items[i];
        const mp_module *module = &p->modules.items[line->module.i];
        fprintf(out, "%u:%" PRIu64 " %s|%s %d %" PRId64 " %" PRId64 " x%" PRId64 " ?%u %s\n",
                module->session.i, module->number, mp_model_text(model, module->program),
                mp_model_text(model, module->method), line->line, line->exclusive_us,
                line->average_us, line->executions, line->unknown,
                mp_model_text(model, line->code));
        assert_true(line->rounded);
        assert_true(module->defined);
    }
    fclose(out);
    return text;
}

static void check_good(const char *text, const char *expected, unsigned version, uint64_t records)
{
    static const size_t windows[] = {1, 64 * 1024};
    for (size_t i = 0; i < 2; i++) {
        reading r = read_text(&mp_reader_rpt, NAME, text, windows[i]);
        char *dumped = dump(r.model);
        assert_true(r.ok);
        assert_string_equal(dumped, expected);
        assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_REPORT_ROUNDED), 1);
        assert_int_equal(count_diagnostics(r.diagnostics), 1);
        assert_int_equal(r.model->inputs.items[1].format_version, version);
        assert_int_equal(r.model->inputs.items[1].records, records);
        assert_true(r.model->inputs.items[1].complete);
        free(dumped);
        reading_free(&r);
    }
}

static void the_newer_layout_is_read(void **unused)
{
    (void)unused;
    check_good(NEWER,
               "session My run [x]\n"
               "total 3612000000 elapsed 65000000 report 1\n"
               "1:1 lib/foo.p|mon-update 12 5123456 1000 x5123 ?16 FOR EACH customer NO-LOCK:\n"
               "1:2 lib/foo.p| 0 4000000 2000000 x2 ?16 \n"
               "1:1 lib/foo.p|mon-update 13 3000000 500000 x6 ?16 \n"
               "1:3 Z\xc3\xbcrich.cls|getColorNum -1 250000 125000 x2 ?16 x = 1.\n"
               "1:4 big.p| 0 0 0 x0 ?31 \n",
               2, 5);
}

static void the_older_layout_is_read(void **unused)
{
    (void)unused;
    char *crlf = replaced(OLDER, "Profiler: Top 20 Results\n", "Profiler: Top 20 Results\r\n");
    check_good(crlf,
               "session My run\n"
               "total 3612000000 elapsed -1 report 1\n"
               "1:1 lib/foo.p|1,234,567 0 1234500000 0 x0 ?16 \n"
               "1:2 lib/foo.p|a-very-long-name-of-an-internal-procedur 12 5123456 1000 x5123 ?16 "
               "\n",
               1, 2);
    free(crlf);
}

static void reports_in_one_file_are_sessions(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_rpt, NAME, OLDER NEWER, 64);
    assert_true(r.ok);
    assert_int_equal(r.model->sessions.count, 3);
    assert_int_equal(r.model->profile->stated_total_us, 2 * INT64_C(3612000000));
    assert_int_equal(r.model->profile->lines.count, 1 + 7);
    assert_int_equal(count_diagnostics(r.diagnostics), 1);
    reading_free(&r);
}

static void headings_may_come_again(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_rpt, NAME, NEWER HEADINGS RULER DASHES_20 "\n", 64);
    assert_int_equal(r.model->profile->lines.count, 1 + 5);
    assert_int_equal(count_diagnostics(r.diagnostics), 1);
    reading_free(&r);
}

static void numbers_are_read_as_they_are_printed(void **unused)
{
    (void)unused;
    static const struct {
        const char *cells; /* cells of line, time, average time and calls, with 5, 13, 13 and 10
                              characters */
        bool good;
        int64_t us, calls;
    } cases[] = {
        {"   12      5.123456      0.001000       5123", true, 5123456, 5123},
        {"   12         5.123             1     12,345", true, 5123000, 12345},
        {"   12                                      ", true, 0, 0},
        {"   12  1,005.123456      0,001000      1.005", true, 1005123456, 1005},
        {"   12     -0.000001      0.001000          1", true, -1, 1},
        {"   12      5.123456      0.001000       12.5", false, 0, 0},
        {"   12      5.123456      0.001000      ,500 ", false, 0, 0},
        {"   12      5.1x3456      0.001000       5123", false, 0, 0},
        {"   12      5.123456      0.001000         -1", false, 0, 0},
        {"   12      5.123456      x.001000          1", false, 0, 0},
        {"  1.2      5.123456      0.001000          1", false, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char row[200];
        snprintf(row, sizeof row, "%-30s %s m\n", "a.p", cases[i].cells);
        char *text = replaced(TOP("d") RULER DASHES_20 "\nROW", "ROW", row);
        reading r = read_text(&mp_reader_rpt, NAME, text, 1);
        const mp_profile *profile = r.model->profile;
        assert_int_equal(profile->lines.count, cases[i].good ? 2 : 1);
        assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_BAD_ROW), !cases[i].good);
        if (cases[i].good) {
            assert_int_equal(profile->lines.items[1].exclusive_us, cases[i].us);
            assert_int_equal(profile->lines.items[1].executions, cases[i].calls);
        }
        reading_free(&r);
        free(text);
    }
}

static void faults_are_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *what, *by;
        mp_diagnostic_id id;
        uint64_t line;
        const char *message;
        bool complete;
    } cases[] = {
        {"   lib/foo.p                         13", "                                     13",
         MP_DIAG_BAD_ROW, 13, "row has no program", true},
        {"      3.000000      0.500000", "      3.00x000      0.500000", MP_DIAG_BAD_ROW, 13,
         "\"3.00x000\" in column Time, expected seconds", true},
        {"01:00:12", "soon", MP_DIAG_BAD_ROW, 5, "session total is \"soon\", expected hh:mm:ss",
         true},
        {"FOR EACH", "F\xdcR EACH", MP_DIAG_NOT_UTF8, 0, "ISO 8859-1", true},
        {"??????????\n", "??????????", MP_DIAG_TORN, 15, "the last line is truncated", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replaced(NEWER, cases[i].what, cases[i].by);
        assert_non_null(text);
        reading r = read_text(&mp_reader_rpt, NAME, text, 64 * 1024);
        const mp_diagnostic *found = find_diagnostic(r.diagnostics, cases[i].id);
        assert_non_null(found);
        assert_int_equal(found->line, cases[i].line);
        assert_non_null(strstr(found->message, cases[i].message));
        assert_int_equal(count_diagnostics(r.diagnostics), 2); /* including the note on reports */
        assert_int_equal(r.model->inputs.items[1].complete, cases[i].complete);
        assert_true(r.ok);
        reading_free(&r);
        free(text);
    }
}

static void amounts_never_overflow(void **unused)
{
    (void)unused;
    char text[4000], *out = text;
    out += sprintf(out, "%s%s\n", TOP("d"),
                   "------------------------------ ----- ------------- ------------- "
                   "-------------------- ----");
    for (int i = 0; i < 3; i++)
        out += sprintf(out, "%-30s %5d %13s %13s %20s m\n", "a.p", i, "1.0", "1.0",
                       "900000000000000000");
    reading r = read_text(&mp_reader_rpt, NAME, text, 64);
    const mp_diagnostic *found = find_diagnostic(r.diagnostics, MP_DIAG_BAD_ROW);
    assert_non_null(found);
    assert_non_null(strstr(found->message, "64 bits cannot add up"));
    assert_int_equal(r.model->profile->lines.count, 3);
    reading_free(&r);
}

static void a_file_without_rows_of_dashes_is_of_no_use(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_rpt, NAME, TOP("d") "------ -----\n", 64);
    assert_false(r.ok);
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_NOTHING_USABLE));
    assert_int_equal(count_diagnostics(r.diagnostics), 1);
    assert_false(r.model->inputs.items[1].complete);
    reading_free(&r);
}

static void the_profile_beside_is_noted(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/memprof-rpt-XXXXXX", report[64], profile[64];
    assert_non_null(mkdtemp(folder));
    snprintf(report, sizeof report, "%s/run.rpt", folder);
    snprintf(profile, sizeof profile, "%s/run.prf", folder);
    for (int there = 0; there < 2; there++) {
        FILE *file = there ? fopen(profile, "w") : NULL;
        reading r = read_text(&mp_reader_rpt, report, NEWER, 64);
        const mp_diagnostic *found = find_diagnostic(r.diagnostics, MP_DIAG_PROFILE_BESIDE);
        assert_int_equal(found != NULL, there);
        if (found)
            assert_non_null(strstr(found->message, profile));
        reading_free(&r);
        if (file)
            fclose(file);
    }
    unlink(profile);
    rmdir(folder);
}

static void the_probe_knows_its_own(void **unused)
{
    (void)unused;
    static const struct {
        const char *head;
        mp_bid bid;
    } cases[] = {
        {NEWER, MP_MINE},
        {OLDER, MP_MINE},
        {"Profiler: Top 20 Results\r\n" RULER "\r\n", MP_MINE},
        {"Profiler: Top 20 Results\n", MP_NOT_MINE},
        {"Report: what a report looks like\n" NEWER, MP_NOT_MINE},
        {RULER "\n", MP_NOT_MINE},
        {"", MP_NOT_MINE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mp_reader_rpt.probe((mp_slice){cases[i].head, strlen(cases[i].head)}),
                         cases[i].bid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newer_layout_is_read),
        cmocka_unit_test(the_older_layout_is_read),
        cmocka_unit_test(reports_in_one_file_are_sessions),
        cmocka_unit_test(headings_may_come_again),
        cmocka_unit_test(numbers_are_read_as_they_are_printed),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(amounts_never_overflow),
        cmocka_unit_test(a_file_without_rows_of_dashes_is_of_no_use),
        cmocka_unit_test(the_profile_beside_is_noted),
        cmocka_unit_test(the_probe_knows_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
