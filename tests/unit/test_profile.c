/* Aggregated execution profiles: lines, methods, programs, call trees, totals and coverage. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/build.h"
#include "query/coverage.h"
#include "query/profile_costs.h"
#include "support/memory_reader.h"
#include "support/small_profile.h"

#define NAME "test.prf"
#define BEGIN(version) version " 09/10/2021 \"d\" 16:59:51 \"\"\n.\n"

extern const mp_reader mp_reader_prf, mp_reader_rpt;

static const char *text_of(const reading *r, mp_string_id id)
{
    return mp_model_text(r->model, id);
}

/* Print a row as "program|method:start+overload ...". */
static int print_names(FILE *out, const reading *r, mp_string_id program, mp_string_id method,
                       uint32_t start_line, uint32_t overload)
{
    return fprintf(out, "%s|%s:%" PRIu32 "+%" PRIu32, text_of(r, program), text_of(r, method),
                   start_line, overload);
}

/* Return the costs of all recordings that were read. */
static mp_profile_costs costs_of(const reading *r)
{
    mp_error error = {0};
    mp_filter *filter = mp_filter_of(r->model, NULL, &error);
    mp_profile_costs costs = mp_profile_costs_of(filter);
    mp_filter_free(filter);
    return costs;
}

static mp_profile_totals totals_of(const reading *r)
{
    mp_profile_costs costs = costs_of(r);
    mp_profile_totals totals = costs.totals;
    mp_profile_costs_free(&costs);
    return totals;
}

static mp_coverage coverage_of(const reading *r)
{
    mp_error error = {0};
    mp_filter *filter = mp_filter_of(r->model, NULL, &error);
    mp_coverage coverage = mp_coverage_of(filter);
    mp_filter_free(filter);
    return coverage;
}

static char *dump_lines(const reading *r)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    mp_profile_costs costs = costs_of(r);
    for (size_t i = 0; i < costs.lines.count; i++) {
        const mp_code_cost *row = &costs.lines.items[i];
        print_names(out, r, row->program, row->method, row->start_line, row->overload);
        fprintf(out, " line %d x%" PRId64 " %" PRId64 " avg %.2f ?%u %s%s\n", row->line, row->calls,
                row->exclusive_us, row->average_us, row->unknown, row->rounded ? "rounded " : "",
                text_of(r, row->code));
    }
    mp_profile_costs_free(&costs);
    fclose(out);
    return text;
}

static char *dump_methods(const reading *r, bool programs)
{
    static const char *const how[] = {"unknown", "exact", "estimated"};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    mp_profile_costs costs = costs_of(r);
    const mp_code_costs *rows = programs ? &costs.programs : &costs.methods;
    for (size_t i = 0; i < rows->count; i++) {
        const mp_code_cost *row = &rows->items[i];
        print_names(out, r, row->program, row->method, row->start_line, row->overload);
        fprintf(out, " excl %" PRId64 " incl %" PRId64 " %s calls %" PRId64 " ?%u\n",
                row->exclusive_us, row->inclusive_us, how[row->inclusive], row->calls,
                row->unknown);
    }
    mp_profile_costs_free(&costs);
    fclose(out);
    return text;
}

/* A path, and the key by which it is sorted among paths with the same caller. */
typedef struct path {
    mp_path_cost cost;
    const char *name;
    uint32_t start_line, node;
} path;

static int largest_last(const void *left, const void *right)
{
    const path *a = left, *b = right;
    if (a->cost.inclusive_us != b->cost.inclusive_us)
        return a->cost.inclusive_us < b->cost.inclusive_us ? -1 : 1;
    int names = strcmp(b->name, a->name);
    if (names)
        return names;
    if (a->start_line != b->start_line)
        return a->start_line > b->start_line ? -1 : 1;
    return a->node > b->node ? -1 : a->node < b->node;
}

static uint32_t depth_of(const mp_model *model, uint32_t node)
{
    uint32_t depth = 0;
    while ((node = model->tree.items[node].parent) != 0)
        depth++;
    return depth;
}

/* Return the paths in depth-first order, the largest first, as a report prints them. */
static mp_path_cost *path_costs_of(const reading *r)
{
    mp_error error = {0};
    mp_filter *filter = mp_filter_of(r->model, NULL, &error);
    mp_path_cost *costs = mp_profile_path_costs(filter);
    mp_filter_free(filter);
    return costs;
}

static char *dump_tree(const reading *r)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    mp_path_cost *costs = path_costs_of(r);
    const mp_tree_node *tree = r->model->tree.items;
    uint32_t count = costs ? r->model->tree.count : 0;
    path *stack = calloc(count + 1u, sizeof *stack);
    size_t height = 0;
    if (count)
        stack[height++] = (path){0};
    while (height) {
        const path entry = stack[--height];
        size_t before = height;
        if (entry.node)
            fprintf(out, "%" PRIu32 " %s:%d x%" PRId64 " incl %" PRId64 " own %" PRId64 "\n",
                    depth_of(r->model, entry.node), entry.name, (int32_t)tree[entry.node].line,
                    entry.cost.calls, entry.cost.inclusive_us, entry.cost.own_us);
        for (uint32_t i = 1; i < count; i++) {
            const mp_symbol *symbol = &r->model->symbols.items[tree[i].symbol.i];
            if (tree[i].parent == entry.node)
                stack[height++] = (path){costs[i], text_of(r, symbol->name), symbol->start_line, i};
        }
        qsort(stack + before, height - before, sizeof *stack, largest_last);
    }
    free(stack);
    free(costs);
    fclose(out);
    return text;
}

static void expect(char *dumped, const char *expected)
{
    assert_string_equal(dumped, expected);
    free(dumped);
}

/* a.p calls b.p, whose method run calls itself twice: a(100) > b(90) > run(60) > run(40) > run(10);
 * a second call of run, run(5), is below b. The cumulative time of run's line 0 is 60 + 40 + 10 +
 * 5. */
#define RECURSION_MODULES "1 \"a.p\" \"\" 5\n2 \"b.p\" \"\" 6\n3 \"run b.p\" \"\" 0 7 \"\"\n.\n"
#define RECURSION_CALLS "0 0 1 1\n1 2 2 1\n2 3 3 2\n3 8 3 2\n.\n"
#define RECURSION_LINES                                                                            \
    "0 0 1 0.000000 0.000100\n1 0 1 0.000004 0.000100\n1 2 1 0.000006 0.000096\n"                  \
    "2 0 1 0.000025 0.000090\n3 0 4 0.000060 0.000115\n3 8 2 0.000005 0.000055\n.\n"
#define RECURSION_NODES                                                                            \
    "0 0 0 0 1 0.000100 1\n1 0 1 0 1 0.000100 2\n2 1 2 2 1 0.000090 3 6\n"                         \
    "3 2 3 3 1 0.000060 4\n4 3 3 8 1 0.000040 5\n5 4 3 8 1 0.000010\n6 2 3 3 1 0.000005\n.\n"
#define RECURSION_3                                                                                \
    BEGIN("3") RECURSION_MODULES RECURSION_CALLS RECURSION_LINES ".\n.\n" RECURSION_NODES ".\n"
#define RECURSION_1 BEGIN("1") RECURSION_MODULES RECURSION_CALLS RECURSION_LINES ".\n.\n.\n"

static void lines_are_added_up_and_ordered(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_prf, NAME, VERSION_3, 64);
    expect(dump_lines(&r), "main.p|proc:38+0 line 0 x2 300 avg 150.00 ?0 \n"
                           "Base|run:10+0 line 0 x1 250 avg 250.00 ?0 \n"
                           "main.p|:0+0 line 3 x2 200 avg 100.00 ?0 \n"
                           "main.p|:0+0 line 0 x1 100 avg 100.00 ?0 \n"
                           "Base|run:10+0 line 11 x1 50 avg 50.00 ?0 \n"
                           "main.p|proc:38+0 line -1 x2 50 avg 25.00 ?0 \n"
                           "main.p|proc:38+0 line 40 x1 50 avg 50.00 ?0 \n");
    reading_free(&r);
}

static void sessions_are_added_up_by_name(void **unused)
{
    (void)unused;
    /* the same program under other numbers, and a line that never ran */
    static const char text[] =
        BEGIN("1") "1 \"a.p\" \"\" 5\n.\n.\n1 3 2 0.000010 0.000010\n"
                   "1 4 0 0.000000 0.000000\n.\n.\n.\n.\n" BEGIN(
                       "1") "7 \"a.p\" \"\" 5\n8 \"b.p\" \"\" 6\n.\n.\n7 3 1 0.000005 0.000005\n"
                            "8 0 4 0.000020 0.000020\n.\n.\n.\n.\n";
    reading r = read_text(&mp_reader_prf, NAME, text, 64);
    mp_profile_totals totals = totals_of(&r);
    expect(dump_lines(&r), "b.p|:0+0 line 0 x4 20 avg 5.00 ?0 \n"
                           "a.p|:0+0 line 3 x3 15 avg 5.00 ?0 \n"
                           "a.p|:0+0 line 4 x0 0 avg 0.00 ?8 \n");
    assert_int_equal(totals.exclusive_us, 35);
    assert_int_equal(totals.calls, 4);
    assert_int_equal(totals.modules, 2); /* a.p counts once for both sessions */
    assert_false(totals.partial);
    reading_free(&r);
}

static void overloads_stay_apart(void **unused)
{
    (void)unused;
    /* they are distinguished by their start line; if there is none, by the order of their
     * numbers */
    static const char text[] =
        BEGIN("1") "9 \"m C\" \"\" 0\n4 \"m C\" \"\" 0\n5 \"n C\" \"\" 0 10 \"\"\n"
                   "6 \"n C\" \"\" 0 20 \"\"\n1 \"C\" \"\" 5\n.\n.\n"
                   "9 0 1 0.000001 0.000001\n4 0 1 0.000001 0.000001\n5 0 1 0.000001 0.000001\n"
                   "6 0 1 0.000001 0.000001\n.\n.\n.\n.\n";
    reading r = read_text(&mp_reader_prf, NAME, text, 64);
    expect(dump_lines(&r), "C|m:0+0 line 0 x1 1 avg 1.00 ?0 \n"
                           "C|m:0+1 line 0 x1 1 avg 1.00 ?0 \n"
                           "C|n:10+0 line 0 x1 1 avg 1.00 ?0 \n"
                           "C|n:20+0 line 0 x1 1 avg 1.00 ?0 \n");
    reading_free(&r);
}

static void recursion_counts_once(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_prf, NAME, RECURSION_3, 64);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    expect(dump_methods(&r, false), "b.p|run:7+0 excl 65 incl 65 exact calls 4 ?0\n"
                                    "b.p|:0+0 excl 25 incl 90 exact calls 1 ?0\n"
                                    "a.p|:0+0 excl 10 incl 100 exact calls 1 ?0\n");
    expect(dump_methods(&r, true), "b.p|:0+0 excl 90 incl 90 exact calls 5 ?0\n"
                                   "a.p|:0+0 excl 10 incl 100 exact calls 1 ?0\n");
    reading_free(&r);
}

static void without_nodes_inclusive_times_are_estimates(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_prf, NAME, RECURSION_1, 64);
    mp_path_cost *paths = path_costs_of(&r);
    /* run: 115 by its line 0, more than the whole session took */
    expect(dump_methods(&r, false), "b.p|run:7+0 excl 65 incl 100 estimated calls 4 ?0\n"
                                    "b.p|:0+0 excl 25 incl 90 estimated calls 1 ?0\n"
                                    "a.p|:0+0 excl 10 incl 100 estimated calls 1 ?0\n");
    /* all calls of run come from its own program, so its time is part of the time of b.p */
    expect(dump_methods(&r, true), "b.p|:0+0 excl 90 incl 90 estimated calls 5 ?0\n"
                                   "a.p|:0+0 excl 10 incl 100 estimated calls 1 ?0\n");
    assert_null(paths);
    reading_free(&r);
}

static void calls_come_from_the_call_graph_without_a_line_0(void **unused)
{
    (void)unused;
    static const char text[] = BEGIN("1") "1 \"a.p\" \"\" 5\n.\n0 0 1 3\n.\n"
                                          "1 2 1 0.000010 0.000010\n.\n.\n.\n.\n";
    reading r = read_text(&mp_reader_prf, NAME, text, 64);
    expect(dump_methods(&r, false), "a.p|:0+0 excl 10 incl 0 unknown calls 3 ?0\n");
    reading_free(&r);
}

static void call_trees_merge_by_path(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_prf, NAME, RECURSION_3 RECURSION_1 RECURSION_3, 64);
    expect(dump_tree(&r), "0 session:0 x2 incl 200 own 0\n"
                          "1 a.p:0 x2 incl 200 own 20\n"
                          "2 b.p:2 x2 incl 180 own 50\n"
                          "3 run b.p:3 x4 incl 130 own 50\n"
                          "4 run b.p:8 x2 incl 80 own 60\n"
                          "5 run b.p:8 x2 incl 20 own 20\n");
    reading_free(&r);
}

static void children_are_ordered_and_costs_never_negative(void **unused)
{
    (void)unused;
    /* the children of module 1 take a microsecond more than module 1; node 9 was never defined */
    static const char text[] =
        BEGIN("3") "1 \"a.p\" \"\" 5\n2 \"b.p\" \"\" 6\n3 \"B.p\" \"\" 7\n.\n.\n.\n.\n.\n"
                   "0 0 0 0 1 0.000010\n1 0 1 0 1 0.000010\n2 1 2 4 1 0.000004\n"
                   "3 1 3 4 1 0.000004\n4 1 2 -2 1 0.000003\n10 9 2 5 6 0.000007\n.\n.\n";
    reading r = read_text(&mp_reader_prf, NAME, text, 64);
    expect(dump_tree(&r), "0 session:0 x1 incl 10 own 0\n"
                          "1 a.p:0 x1 incl 10 own 0\n"
                          "2 B.p:4 x1 incl 4 own 4\n"
                          "2 b.p:4 x1 incl 4 own 4\n"
                          "2 b.p:-2 x1 incl 3 own 3\n"
                          "0 :0 x0 incl 7 own 0\n"
                          "1 b.p:5 x6 incl 7 own 7\n");
    reading_free(&r);
}

/* Cycles of callers are cut at a node. Nodes that are attached to a cycle still count. */
static void cycles_are_cut(void **unused)
{
    (void)unused;
    static const char text[] =
        BEGIN("3") "1 \"a.p\" \"\" 5\n2 \"b.p\" \"\" 6\n.\n.\n.\n.\n.\n"
                   "0 0 0 0 1 0.000000\n1 2 1 0 1 0.000010\n2 1 2 0 1 0.000004\n"
                   "3 3 2 0 1 0.000001\n.\n.\n";
    reading r = read_text(&mp_reader_prf, NAME, text, 64);
    mp_path_cost *paths = path_costs_of(&r);
    mp_profile_costs costs = costs_of(&r);
    int64_t inclusive = 0;
    for (size_t i = 0; i < costs.methods.count; i++)
        inclusive += costs.methods.items[i].inclusive_us;
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_NODE_CYCLE), 2);
    assert_int_equal(inclusive, 15);
    assert_non_null(paths);
    /* Nodes 2 and 3 have become roots, and are equal. */
    assert_int_equal(r.model->tree.count, 1 + 3);
    mp_profile_costs_free(&costs);
    free(paths);
    reading_free(&r);
}

/* A chain of calls that is too deep for recursion in C. */
static void a_deep_chain_is_walked(void **unused)
{
    (void)unused;
    enum { DEPTH = 300000 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, BEGIN("3") "1 \"a.p\" \"\" 5\n.\n.\n.\n.\n.\n0 0 0 0 1 1.000000 1\n");
    for (int i = 1; i <= DEPTH; i++)
        fprintf(out, "%d %d 1 3 1 0.%06d %d\n", i, i - 1, DEPTH - i, i + 1);
    fprintf(out, ".\n.\n");
    fclose(out);
    reading r = read_text(&mp_reader_prf, NAME, text, 64 * 1024);
    mp_path_cost *paths = path_costs_of(&r);
    mp_profile_costs costs = costs_of(&r);
    assert_int_equal(r.model->tree.count, 2 + DEPTH);
    assert_int_equal(paths[DEPTH + 1].inclusive_us, 0);
    assert_int_equal(depth_of(r.model, DEPTH + 1), DEPTH);
    assert_int_equal(costs.methods.count, 1);
    assert_int_equal(costs.methods.items[0].inclusive_us, DEPTH - 1); /* the outermost call only */
    mp_profile_costs_free(&costs);
    free(paths);
    reading_free(&r);
    free(text);
}

/* Lines 3 and 4 of a program are executable. The first row says that line 3 was executed. It has
 * the same lines in two sessions, but they count only once. */
static void coverage_of_the_first_row(void **unused)
{
    (void)unused;
#define SESSION                                                                                    \
    BEGIN("1")                                                                                     \
    "1 \"a.p\" \"\" 5\n.\n.\n1 3 2 0.000010 0.000010\n.\n.\n1 \"\" 2\n3\n4\n.\n.\n.\n"
    static const char *const texts[] = {SESSION, SESSION SESSION};
    for (size_t i = 0; i < 2; i++) {
        reading r = read_text(&mp_reader_prf, NAME, texts[i], 64);
        mp_coverage rows = coverage_of(&r);
        assert_int_equal(rows.source_count, 1);
        assert_int_equal(rows.sources[0].lines, 2);
        assert_int_equal(rows.sources[0].executed, 1);
        mp_coverage_free(&rows);
        reading_free(&r);
    }
}

/* ProTop's own program is left out. A program whose name begins with the same letters is not. */
static void instrumentation_is_left_out(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_prf, NAME,
                          BEGIN("1") "1 \"lib/zprofiler.p\" \"\" 5\n2 \"lib/zprofile.p\" \"\" 5\n"
                                     ".\n.\n1 3 1 0.000010 0.000010\n2 3 1 0.000005 0.000005\n"
                                     ".\n.\n.\n.\n",
                          64);
    mp_profile_totals totals = totals_of(&r);
    assert_int_equal(totals.exclusive_us, 5);
    assert_int_equal(totals.modules, 1);
    assert_int_equal(totals.instrumentation_us, 10);
    assert_int_equal(totals.instrumentation_lines, 1);
    reading_free(&r);
}

static void coverage_is_counted_by_program(void **unused)
{
    (void)unused;
    /* main.p has executable lines 3, 40 and 41, and ran 3 and 40; idle.p was never called */
    char *text = replaced(VERSION_3, COVERAGE,
                          "1 \"proc\" 2\n40\n41\n.\n1 \"\" 1\n3\n.\n"
                          "1 \"\" 1\n3\n.\n4 \"\" 2\n1\n2\n.\n.\n");
    char *with_idle = replaced(text, "1 \"main.p\"", "4 \"idle.p\" \"\" 9\n1 \"main.p\"");
    reading r = read_text(&mp_reader_prf, NAME, with_idle, 64);
    mp_coverage rows = coverage_of(&r);
    assert_int_equal(rows.source_count, 2);
    assert_string_equal(text_of(&r, rows.sources[0].program), "idle.p");
    assert_int_equal(rows.sources[0].lines, 2);
    assert_int_equal(rows.sources[0].executed, 0);
    assert_string_equal(text_of(&r, rows.sources[1].program), "main.p");
    assert_int_equal(rows.sources[1].lines, 3);
    assert_int_equal(rows.sources[1].executed, 2);
    mp_coverage_free(&rows);
    reading_free(&r);
    free(with_idle);
    free(text);
}

#define REPORT                                                                                     \
    "Profiler: Top 20 Results\n"                                                                   \
    "------------------------------ ----- ------------- ------------- ---------- ----------\n"     \
    "a.p                                3      0.003000      0.001100          3 run       \n"     \
    "a.p                                0      0.002000      0.001000          2\n"                \
    "a.p                            ????? ?                  0.000500 ??????????\n"

static void reports_keep_what_is_unknown(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_rpt, "x.rpt", REPORT, 64);
    mp_profile_totals totals = totals_of(&r);
    expect(dump_lines(&r), "a.p|run:0+0 line 3 x3 3000 avg 1100.00 ?16 rounded \n"
                           "a.p|:0+0 line 0 x2 2000 avg 1000.00 ?16 rounded \n"
                           "a.p|:0+0 line 0 x0 0 avg 500.00 ?23 rounded \n");
    expect(dump_methods(&r, false), "a.p|run:0+0 excl 3000 incl 0 unknown calls 0 ?10\n"
                                    "a.p|:0+0 excl 2000 incl 0 unknown calls 2 ?12\n");
    assert_int_equal(totals.exclusive_us, 5000);
    assert_int_equal(totals.calls, 2);
    assert_true(totals.partial);
    reading_free(&r);
}

static void two_reports_are_added_up(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_rpt, "x.rpt", REPORT REPORT, 64);
    mp_profile_costs costs = costs_of(&r);
    const mp_code_cost *rows = costs.lines.items;
    /* rows without a line number are separate lines */
    assert_int_equal(costs.lines.count, 4);
    assert_int_equal(rows[0].exclusive_us, 6000);
    assert_int_equal(rows[0].calls, 6);
    /* the average is computed from the sums, not from the printed averages */
    assert_int_equal((int64_t)rows[0].average_us, 1000);
    mp_profile_costs_free(&costs);
    reading_free(&r);
}

static void nothing_gives_nothing(void **unused)
{
    (void)unused;
    reading none = {.model = mp_model_new()}, empty = {.model = mp_model_new()};
    mp_model_profile(empty.model);
    for (int i = 0; i < 2; i++) {
        const reading *r = i ? &empty : &none;
        mp_coverage coverage = coverage_of(r);
        assert_int_equal(coverage.source_count, 0);
        mp_coverage_free(&coverage);
        expect(dump_lines(r), "");
        expect(dump_methods(r, false), "");
        expect(dump_methods(r, true), "");
        expect(dump_tree(r), "");
        assert_int_equal(totals_of(r).exclusive_us, 0);
    }
    mp_model_free(none.model);
    mp_model_free(empty.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_added_up_and_ordered),
        cmocka_unit_test(sessions_are_added_up_by_name),
        cmocka_unit_test(overloads_stay_apart),
        cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(without_nodes_inclusive_times_are_estimates),
        cmocka_unit_test(calls_come_from_the_call_graph_without_a_line_0),
        cmocka_unit_test(call_trees_merge_by_path),
        cmocka_unit_test(children_are_ordered_and_costs_never_negative),
        cmocka_unit_test(cycles_are_cut),
        cmocka_unit_test(a_deep_chain_is_walked),
        cmocka_unit_test(coverage_of_the_first_row),
        cmocka_unit_test(instrumentation_is_left_out),
        cmocka_unit_test(coverage_is_counted_by_program),
        cmocka_unit_test(reports_keep_what_is_unknown),
        cmocka_unit_test(two_reports_are_added_up),
        cmocka_unit_test(nothing_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
