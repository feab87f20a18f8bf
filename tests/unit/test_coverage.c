/* Coverage: which lines count, and how several runs and sources are combined. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "query/coverage.h"
#include "support/memory_reader.h"

extern const mp_reader mp_reader_prf;

/* A run: its modules, the rows of executed lines, and the entities of the coverage section. */
#define RUN(modules, lines, entities)                                                              \
    "1 03/02/2026 \"a\" 08:15:30 \"u\"\n.\n" modules ".\n.\n" lines ".\n.\n" entities ".\n.\n"

/* Return "a.p 7 5/3 [:3/2 run:2/1] 3x2 4x0": program, CRC, lines/executed, methods with
 * lines/executed, and executions of each line. */
static char *dump(const char *text)
{
    char *shown = NULL;
    size_t length;
    FILE *out = open_memstream(&shown, &length);
    mp_error error = {0};
    reading r = read_text(&mp_reader_prf, "a.prf", text, 64);
    mp_filter *filter = mp_filter_of(r.model, NULL, &error);
    mp_coverage coverage = mp_coverage_of(filter);
    for (uint32_t i = 0; i < coverage.source_count; i++) {
        const mp_covered_source *source = &coverage.sources[i];
        fprintf(out, "%s %d%s %u/%u [", mp_model_text(r.model, source->program), (int)source->crc,
                source->versions ? "!" : "", source->lines, source->executed);
        for (uint32_t k = 0; k < source->method_count; k++) {
            const mp_covered_method *method = &coverage.methods[source->first_method + k];
            assert_int_equal(method->source, i);
            fprintf(out, "%s%s:%u/%u", k ? " " : "", mp_model_text(r.model, method->name),
                    method->lines, method->executed);
        }
        fputs("]", out);
        for (uint32_t k = 0; k < source->line_count; k++) {
            const mp_covered_line *line = &coverage.lines[source->first_line + k];
            assert_int_equal(line->source, i);
            fprintf(out, " %dx%d", line->line, (int)line->executions);
        }
        fputs("\n", out);
    }
    fprintf(out, "%d/%d %d", (int)coverage.executed, (int)coverage.executable,
            (int)coverage.untold);
    mp_coverage_free(&coverage);
    mp_filter_free(filter);
    reading_free(&r);
    fclose(out);
    return shown;
}

#define expect(text, expected)                                                                     \
    do {                                                                                           \
        char *shown = dump(text);                                                                  \
        assert_string_equal(shown, expected);                                                      \
        free(shown);                                                                               \
    } while (0)

#define UNIT "1 \"a.p\" \"\" 7\n2 \"run a.p\" \"\" 0\n"

/* A line is executed if it was executed in either run, and executable if either run lists it.
 * Executions are added up. */
static void runs_are_united(void **unused)
{
    (void)unused;
    expect(RUN(UNIT, "1 3 2 0.1 0.1\n2 9 1 0.1 0.1\n", "1 \"\" 2\n3\n4\n.\n1 \"run\" 1\n9\n.\n")
               RUN(UNIT, "1 3 1 0.1 0.1\n1 5 1 0.1 0.1\n", "1 \"\" 3\n3\n4\n5\n.\n"),
           "a.p 7 4/3 [:3/2 run:1/1] 3x3 4x0 5x1 9x1\n3/4 0");
    /* a line that was running when the profile was written has no count yet */
    expect(RUN(UNIT, "1 3 0 0.1 0.1\n1 4 0 0.0 0.0\n", "1 \"\" 2\n3\n4\n.\n"),
           "a.p 7 2/1 [:2/1] 3x1 4x0\n1/2 0");
    /* a run without coverage contributes its executed lines */
    expect(RUN(UNIT, "", "1 \"\" 2\n3\n4\n.\n") RUN(UNIT, "1 4 1 0.1 0.1\n", ""),
           "a.p 7 2/1 [:2/1] 3x0 4x1\n1/2 0");
}

/* Line 3 of one source is not line 3 of another, even if both programs have the same name. */
static void versions_are_apart(void **unused)
{
    (void)unused;
    expect(RUN(UNIT, "1 3 1 0.1 0.1\n2 9 1 0.1 0.1\n", "1 \"\" 1\n3\n.\n")
               RUN("1 \"a.p\" \"\" 5\n2 \"run a.p\" \"\" 0\n", "1 4 1 0.1 0.1\n2 9 1 0.1 0.1\n",
                   "1 \"\" 2\n3\n4\n.\n1 \"run\" 1\n9\n.\n"),
           "a.p 5! 3/2 [:2/1 run:1/1] 3x0 4x1 9x1\na.p 7! 1/1 [:1/1] 3x1\n3/4 0");
    /* runs of another version of the source, which list no lines, do not affect this run */
    expect(RUN(UNIT, "", "1 \"\" 1\n3\n.\n") RUN("1 \"a.p\" \"\" 5\n", "1 3 1 0.1 0.1\n", ""),
           "a.p 7 1/0 [:1/0] 3x0\n0/1 1");
    /* an entry whose unit is not among the modules belongs to the only version that exists */
    expect(RUN(UNIT, "", "1 \"\" 1\n3\n.\n1 \"run\" 1\n9\n.\n")
               RUN("2 \"run a.p\" \"\" 0\n", "2 9 1 0.1 0.1\n", ""),
           "a.p 7 2/1 [:1/0 run:1/1] 3x0 9x1\n1/2 0");
}

/* Overloads are one method. A line of two methods counts once for the source, and once for each
 * method. */
static void methods_share_names_and_lines(void **unused)
{
    (void)unused;
    expect(RUN("1 \"C\" \"\" 7\n2 \"add C\" \"\" 0\n3 \"add C\" \"\" 0\n",
               "2 4 1 0.1 0.1\n3 9 2 0.1 0.1\n", "1 \"add\" 2\n4\n5\n.\n1 \"add\" 1\n9\n.\n"),
           "C 7 3/2 [add:3/2] 4x1 5x0 9x2\n2/3 0");
    expect(RUN("1 \"C\" \"\" 7\n2 \"b C\" \"\" 0\n", "2 4 3 0.1 0.1\n",
               "1 \"a\" 1\n4\n.\n1 \"b\" 1\n4\n.\n"),
           "C 7 1/1 [a:1/0 b:1/1] 4x0 4x3\n1/1 0");
    /* the line was executed under a name that is not listed; nevertheless it counts */
    expect(RUN("1 \"C\" \"\" 7\n2 \"c C\" \"\" 0\n", "2 4 3 0.1 0.1\n",
               "1 \"a\" 1\n4\n.\n1 \"b\" 1\n4\n.\n"),
           "C 7 1/1 [a:1/1 b:1/0] 4x3 4x0\n1/1 0");
}

/* The runtime's own work around a method has lines up to 0, which do not count as lines. A class
 * that has only such lines does not count as a source. */
static void lines_count_from_one(void **unused)
{
    (void)unused;
    expect(RUN(UNIT "3 \"C\" \"\" 8\n",
               "1 0 1 0.1 0.1\n1 -2 1 0.1 0.1\n1 3 0 0.0 0.0\n1 77 1 0.1 0.1\n3 0 1 0.1 0.1\n",
               "1 \"\" 2\n0\n3\n.\n3 \"C\" 1\n0\n.\n"),
           "a.p 7 1/0 [:1/0] 3x0\n0/1 1");
    expect(RUN(UNIT, "1 3 1 0.1 0.1\n", ""), "0/0 1");
}

static void percent_is_never_rounded_up(void **unused)
{
    (void)unused;
    assert_true(isnan(mp_coverage_percent(0, 0)));
    assert_true(fabs(mp_coverage_percent(1999, 2000) - 99.9) < 1e-9);
    assert_true(fabs(mp_coverage_percent(999999, 1000000) - 99.9) < 1e-9);
    assert_true(fabs(mp_coverage_percent(7, 7) - 100) < 1e-9);
    assert_true(fabs(mp_coverage_percent(2, 3) - 66.6) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_united),
        cmocka_unit_test(versions_are_apart),
        cmocka_unit_test(methods_share_names_and_lines),
        cmocka_unit_test(lines_count_from_one),
        cmocka_unit_test(percent_is_never_rounded_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
