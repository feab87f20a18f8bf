/* Tables of an execution profile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "query/profile_query.h"
#include "reports/sections.h"

/* ProTop's profiling of itself: its reports leave it out, and so do the tables of lines here. */
static bool is_instrumentation(const mp_model *model, mp_string_id program)
{
    static const char prefix[] = "lib/zprofiler";
    return strncmp(mp_model_text(model, program), prefix, sizeof prefix - 1) == 0;
}

static int64_t instrumentation_us(const mp_model *model)
{
    mp_line_costs costs = mp_profile_line_costs(model);
    int64_t sum = 0;
    for (size_t i = 0; i < costs.count; i++)
        if (is_instrumentation(model, costs.at[i].program))
            sum += costs.at[i].exclusive_us;
    free(costs.at);
    return sum;
}

/* --- totals --- */

static const mp_column total_columns[] = {
    {"seconds", "Seconds", MP_SECONDS, MP_ADDS | MP_SUMMARY, 0},
    {"calls", "Calls", MP_COUNT, MP_ADDS | MP_SUMMARY, 0},
    {"modules", "Modules", MP_COUNT, 0, 0},
    {"stated_seconds", "Seconds, as stated", MP_SECONDS, MP_ADDS, 0},
    {"elapsed_us", "Elapsed", MP_TIME, MP_ADDS | MP_SUMMARY, 0},
    {"instrumentation_seconds", "lib/zprofiler", MP_SECONDS, MP_ADDS, 0},
    {"partial", "Not the whole profile", MP_FLAG, MP_FOR_PROGRAMS, 0},
};

void mp_section_profile_totals(mp_document *document, const mp_model *model, bool shown)
{
    mp_profile_totals totals = mp_profile_total(model);
    mp_table *table = MP_TABLE(document, "totals", "Totals", MP_RECORD, total_columns);
    table->flags = shown ? 0 : MP_FOR_PROGRAMS;
    table->order = "seconds";
    mp_table_row(table);
    mp_set_number(table, "seconds", totals.exclusive_us);
    mp_set_number(table, "calls", totals.calls);
    mp_set_number(table, "modules", (int64_t)totals.modules);
    if (model->profile && model->profile->stated_total_us >= 0)
        mp_set_number(table, "stated_seconds", model->profile->stated_total_us);
    if (model->profile && model->profile->elapsed_us >= 0)
        mp_set_number(table, "elapsed_us", model->profile->elapsed_us);
    if (instrumentation_us(model))
        mp_set_number(table, "instrumentation_seconds", instrumentation_us(model));
    if (totals.partial)
        mp_set_number(table, "partial", 1);
}

/* --- lines --- */

static const mp_column line_columns[] = {
    {"rank", "#", MP_NUMBER, 0, 0},
    {"seconds", "Seconds", MP_SECONDS, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
    {"average_seconds", "Average", MP_AVERAGE, 0, 0},
    {"calls", "Calls", MP_COUNT, 0, 0},
    {"program", "Program", MP_TEXT, MP_SHORTEN, 0},
    {"line", "Line", MP_NUMBER, 0, 0},
    {"method", "Method", MP_TEXT, MP_SHORTEN | MP_SHRINKS, 0},
    {"start_line", "Method from", MP_NUMBER, MP_FOR_PROGRAMS, 0},
    {"code", "Code", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"source", "Code", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
};

static void line_row(mp_document *document, mp_table *table, const mp_model *model,
                     const mp_line_cost *cost, int64_t all_us)
{
    mp_table_row(table);
    mp_set_number(table, "rank", (int64_t)table->row_count);
    mp_set_text(document, table, "program", mp_model_text(model, cost->program));
    mp_set_text(document, table, "method", mp_model_text(model, cost->method));
    mp_set_number(table, "line", cost->line);
    if (cost->start_line)
        mp_set_number(table, "start_line", cost->start_line);
    if (!(cost->unknown & MP_UNKNOWN_EXCLUSIVE)) {
        mp_set_number(table, "seconds", cost->exclusive_us);
        mp_set_real(table, "percent", mp_percent_of(cost->exclusive_us, all_us));
    }
    if (!(cost->unknown & MP_UNKNOWN_EXECUTIONS))
        mp_set_number(table, "calls", cost->executions);
    if (!(cost->unknown & MP_UNKNOWN_AVERAGE) && (cost->executions || cost->rounded))
        mp_set_real(table, "average_seconds", cost->average_us / 1e6);
    const char *code = mp_model_text(model, cost->code);
    mp_set_text(document, table, "code", code);
    if (*code)
        mp_set_list(document, table, "source", &code, 1);
}

static int64_t line_number(const void *item, const char *by)
{
    const mp_line_cost *cost = item;
    return strcmp(by, "calls") == 0     ? cost->executions
           : strcmp(by, "average") == 0 ? (int64_t)(cost->average_us * 1000)
                                        : cost->exclusive_us;
}

/* --- methods and programs --- */

static const mp_column method_columns[] = {
    {"rank", "#", MP_NUMBER, 0, 0},
    {"seconds", "Seconds", MP_SECONDS, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
    {"inclusive_seconds", "With callees", MP_SECONDS, 0, 0},
    {"average_seconds", "Average", MP_AVERAGE, 0, 0},
    {"calls", "Calls", MP_COUNT, 0, 0},
    {"program", "Program", MP_TEXT, MP_SHORTEN, 0},
    {"method", "Method", MP_TEXT, MP_SHORTEN, 0},
    {"start_line", "From line", MP_NUMBER, 0, 0},
    {"inclusive_estimated", "Estimate", MP_FLAG, MP_FOR_PROGRAMS, 0},
};

static void method_row(mp_document *document, mp_table *table, const mp_model *model,
                       const mp_method_cost *cost, int64_t all_us)
{
    mp_table_row(table);
    mp_set_number(table, "rank", (int64_t)table->row_count);
    mp_set_text(document, table, "program", mp_model_text(model, cost->program));
    mp_set_text(document, table, "method", mp_model_text(model, cost->method));
    if (cost->start_line)
        mp_set_number(table, "start_line", cost->start_line);
    if (!(cost->unknown & MP_UNKNOWN_EXCLUSIVE)) {
        mp_set_number(table, "seconds", cost->exclusive_us);
        mp_set_real(table, "percent", mp_percent_of(cost->exclusive_us, all_us));
    }
    if (cost->inclusive != MP_INCLUSIVE_UNKNOWN)
        mp_set_number(table, "inclusive_seconds", cost->inclusive_us);
    if (cost->inclusive == MP_INCLUSIVE_ESTIMATED)
        mp_set_number(table, "inclusive_estimated", 1);
    if (cost->unknown & MP_UNKNOWN_EXECUTIONS)
        return;
    mp_set_number(table, "calls", cost->calls);
    if (cost->calls)
        mp_set_real(table, "average_seconds",
                    (double)cost->exclusive_us / 1e6 / (double)cost->calls);
}

static int64_t method_number(const void *item, const char *by)
{
    const mp_method_cost *cost = item;
    if (strcmp(by, "calls") == 0)
        return cost->calls;
    if (strcmp(by, "inclusive") == 0)
        return cost->inclusive_us;
    if (strcmp(by, "average") == 0)
        return cost->calls ? cost->exclusive_us * 1000 / cost->calls : 0;
    return cost->exclusive_us;
}

/* --- orders --- */

/* The column by which rows are sorted. */
static const char *order_column(const char *by)
{
    return strcmp(by, "inclusive") == 0 ? "inclusive_seconds"
           : strcmp(by, "average") == 0 ? "average_seconds"
           : strcmp(by, "calls") == 0   ? "calls"
                                        : "seconds";
}

typedef struct row_sorting {
    const char *by;
    int64_t (*number)(const void *item, const char *by);
    const char *first; /* rows in their first order, which breaks ties */
    size_t size;
} row_sorting;

static int compare(const void *left, const void *right, void *opaque)
{
    const row_sorting *sorting = opaque;
    const size_t *a = left, *b = right;
    int64_t x = sorting->number(sorting->first + *a * sorting->size, sorting->by);
    int64_t y = sorting->number(sorting->first + *b * sorting->size, sorting->by);
    if (x != y)
        return x > y ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

/* The places of rows in the order asked for; release with free(). */
static size_t *sorted(const row_sorting *sorting, size_t count)
{
    size_t *order = mp_alloc((count + 1) * sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    if (count)
        qsort_r(order, count, sizeof *order, compare, (void *)(uintptr_t)sorting);
    return order;
}

static bool is_one_of(const char *text, const char *const *names)
{
    for (; *names; names++)
        if (mp_text_is(text, *names))
            return true;
    return false;
}

static bool has_estimates(const mp_method_costs *costs)
{
    for (size_t i = 0; i < costs->count; i++)
        if (costs->at[i].inclusive == MP_INCLUSIVE_ESTIMATED)
            return true;
    return false;
}

static void method_rows(mp_document *document, mp_table *table, const mp_model *model,
                        const mp_method_costs *costs, const char *by, const mp_view *view,
                        size_t rows)
{
    int64_t all_us = mp_profile_total(model).exclusive_us;
    row_sorting sorting = {by, method_number, (const char *)costs->at, sizeof *costs->at};
    size_t *order = sorted(&sorting, costs->count);
    size_t kept = 0;
    for (size_t i = 0; i < costs->count; i++)
        if (costs->at[order[i]].calls >= view->min_count && (kept++ < rows || !rows))
            method_row(document, table, model, &costs->at[order[i]], all_us);
    free(order);
    table->order = order_column(by);
    if (has_estimates(costs))
        mp_table_line(document, table,
                      "\"With callees\" is an estimate: this version has no call tree, so "
                      "recursion counts twice");
    mp_table_left_out(document, table, kept);
}

static bool top_methods(mp_document *document, const mp_model *model, const mp_view *view,
                        size_t rows, mp_error *error)
{
    static const char *const names[] = {"seconds", "inclusive", "average", "calls", NULL};
    bool by_method = mp_text_is(view->by, "method");
    if (view->sort && !is_one_of(view->sort, names)) {
        mp_fail(error, MP_ERROR_ARGUMENT,
                "--sort %s: methods are sorted by seconds, inclusive, average or calls",
                view->sort);
        return false;
    }
    mp_method_costs costs =
        by_method ? mp_profile_method_costs(model) : mp_profile_program_costs(model);
    mp_table *table = MP_TABLE(document, "top", NULL, MP_ROWS, method_columns);
    table->title = by_method ? "Hottest methods" : "Hottest programs";
    table->empty = "no line was executed";
    method_rows(document, table, model, &costs, view->sort ? view->sort : "seconds", view, rows);
    free(costs.at);
    return true;
}

/* Whether any inclusive time is known: a report of lines has none. */
static bool has_inclusive(const mp_method_costs *costs)
{
    for (size_t i = 0; i < costs->count; i++)
        if (costs->at[i].inclusive != MP_INCLUSIVE_UNKNOWN)
            return true;
    return false;
}

void mp_section_methods(mp_document *document, const mp_model *model, const mp_view *view,
                        size_t rows)
{
    mp_method_costs costs = mp_profile_method_costs(model);
    bool inclusive = has_inclusive(&costs);
    const char *title = inclusive ? "Methods, by time with callees" : "Hottest methods";
    mp_table *table = MP_TABLE(document, "methods", title, MP_ROWS, method_columns);
    method_rows(document, table, model, &costs, inclusive ? "inclusive" : "seconds", view, rows);
    free(costs.at);
}

static bool top_lines(mp_document *document, const mp_model *model, const mp_view *view,
                      size_t rows, mp_error *error)
{
    static const char *const names[] = {"seconds", "average", "calls", NULL};
    if (view->sort && !is_one_of(view->sort, names)) {
        mp_fail(error, MP_ERROR_ARGUMENT,
                "--sort %s: lines are sorted by seconds, average or calls", view->sort);
        return false;
    }
    mp_line_costs costs = mp_profile_line_costs(model);
    size_t kept = 0;
    size_t instrumentation = 0;
    for (size_t i = 0; i < costs.count; i++) {
        if (is_instrumentation(model, costs.at[i].program))
            instrumentation++;
        else if (costs.at[i].executions >= view->min_count)
            costs.at[kept++] = costs.at[i];
    }
    int64_t all_us = mp_profile_total(model).exclusive_us;
    mp_table *table = MP_TABLE(document, "top", "Hottest lines", MP_ROWS, line_columns);
    table->empty = "no line was executed";
    row_sorting sorting = {view->sort ? view->sort : "seconds", line_number, (const char *)costs.at,
                           sizeof *costs.at};
    size_t *order = sorted(&sorting, kept);
    if (instrumentation)
        mp_table_line(document, table, "without %zu lines of lib/zprofiler, the profiling itself",
                      instrumentation);
    for (size_t i = 0; i < kept && (!rows || i < rows); i++)
        line_row(document, table, model, &costs.at[order[i]], all_us);
    table->order = order_column(sorting.by);
    mp_table_left_out(document, table, kept);
    free(order);
    free(costs.at);
    return true;
}

bool mp_section_profile_top(mp_document *document, const mp_model *model, const mp_view *view,
                            size_t rows, mp_error *error)
{
    if (!view->by || mp_text_is(view->by, "line"))
        return top_lines(document, model, view, rows, error);
    if (mp_text_is(view->by, "method") || mp_text_is(view->by, "module"))
        return top_methods(document, model, view, rows, error);
    mp_fail(error, MP_ERROR_ARGUMENT,
            "--by %s: an execution profile is grouped by line, method or module", view->by);
    return false;
}
