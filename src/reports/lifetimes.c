/* How long blocks lived, how large they were, and which threads passed them on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "query/lifetimes.h"
#include "reports/sections.h"

/* --- overall --- */

static const mp_column overall_columns[] = {
    {"deaths", "Deleted in the log", MP_COUNT, MP_ADDS | MP_SUMMARY, 0},
    {"median_us", "Median age", MP_AGE, MP_SUMMARY, 0},
    {"p90_us", "90th percentile", MP_AGE, 0, 0},
    {"min_us", "Youngest", MP_AGE, 0, 0},
    {"max_us", "Oldest", MP_AGE, 0, 0},
    {"precision_percent", "Ages are right within %", MP_PERCENT, 0, 0},
    {"allocations_per_second", "Allocations a second", MP_COUNT, 0, 0},
};

static int64_t span_us(const mp_window *window)
{
    int64_t span = 0;
    for (uint32_t i = 1; i < window->model->sessions.count; i++)
        span += window->model->snapshots.at[window->ranges[i].to.i].time_us;
    return span;
}

static void section_overall(mp_document *document, const mp_window *window,
                            const mp_lifetimes *lifetimes)
{
    const mp_events *events = window->model->events;
    const mp_lifetime *all = &lifetimes->all;
    int64_t span = span_us(window), created = mp_totals_of(window).created_objects;
    mp_table *table = MP_TABLE(document, "overall", "All of them", MP_RECORD, overall_columns);
    mp_table_row(table);
    mp_set_number(table, "deaths", all->deaths);
    if (all->deaths) {
        mp_set_number(table, "median_us", all->median_us);
        mp_set_number(table, "p90_us", all->p90_us);
        mp_set_number(table, "min_us", all->least_us);
        mp_set_number(table, "max_us", all->most_us);
    }
    if (events->age_bits)
        mp_set_real(table, "precision_percent", 100.0 / (double)(1u << (events->age_bits - 1)));
    if (span > 0)
        mp_set_number(table, "allocations_per_second",
                      (int64_t)((double)created * 1e6 / (double)span + 0.5));
}

/* --- histograms --- */

static const mp_column age_columns[] = {
    {"from_us", "From", MP_AGE, 0, 0},      {"to_us", "To before", MP_AGE, 0, 0},
    {"objects", "Objects", MP_COUNT, 0, 0}, {"percent", "%", MP_PERCENT, 0, 0},
    {"bytes", "Size", MP_BYTES, 0, 0},      {"bar", "", MP_TEXT, MP_FOR_PEOPLE, 0},
};

enum { BAR = 40 };

/* As many dashes as the share of the largest class. */
static const char *bar_text(mp_document *document, int64_t objects, int64_t most)
{
    int length = most ? (int)((double)objects * BAR / (double)most + 0.5) : 0;
    char bar[BAR + 1];
    memset(bar, '#', sizeof bar);
    bar[objects && !length ? 1 : length] = '\0';
    return mp_document_text(document, "%s", bar);
}

static void section_ages(mp_document *document, const mp_lifetimes *lifetimes)
{
    int64_t most = 0;
    int first = MP_AGE_CLASSES, last = -1;
    for (int i = 0; i < MP_AGE_CLASSES; i++) {
        if (!lifetimes->classes[i].objects)
            continue;
        first = first < i ? first : i;
        last = i;
        if (lifetimes->classes[i].objects > most)
            most = lifetimes->classes[i].objects;
    }
    mp_table *table = MP_TABLE(document, "ages", "Age at deletion", MP_ROWS, age_columns);
    table->empty = "nothing was deleted that the log saw allocated";
    for (int i = first; i <= last; i++) {
        const mp_age_class *class = &lifetimes->classes[i];
        mp_table_row(table);
        mp_set_number(table, "from_us", i ? (int64_t)(1ull << (i - 1)) : 0);
        mp_set_number(table, "to_us", (int64_t)(1ull << i));
        mp_set_number(table, "objects", class->objects);
        mp_set_real(table, "percent", mp_percent_of(class->objects, lifetimes->all.deaths));
        mp_set_number(table, "bytes", class->bytes);
        mp_set_text(document, table, "bar", bar_text(document, class->objects, most));
    }
}

static const mp_column size_columns[] = {
    {"from_bytes", "From", MP_BYTES, 0, 0},
    {"to_bytes", "To before", MP_BYTES, 0, 0},
    {"objects", "Allocated", MP_COUNT, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
    {"bytes", "Size", MP_BYTES, 0, 0},
    {"deleted_objects", "Deleted", MP_COUNT, 0, 0},
    {"temporary_objects", "Temporary", MP_COUNT, 0, 0},
};

static void section_sizes(mp_document *document, const mp_events *events)
{
    int64_t all = 0;
    mp_table *table = MP_TABLE(document, "sizes", "Allocations by size", MP_ROWS, size_columns);
    for (int i = 0; i < MP_SIZE_CLASSES; i++)
        all += events->sizes[i].created;
    for (int i = 0; i < MP_SIZE_CLASSES; i++) {
        const mp_size_class *class = &events->sizes[i];
        if (!class->created)
            continue;
        mp_table_row(table);
        mp_set_number(table, "from_bytes", i ? (int64_t)(1ull << (i - 1)) : 0);
        mp_set_number(table, "to_bytes", (int64_t)(1ull << i));
        mp_set_number(table, "objects", class->created);
        mp_set_real(table, "percent", mp_percent_of(class->created, all));
        mp_set_number(table, "bytes", class->created_bytes);
        mp_set_number(table, "deleted_objects", class->deleted);
        mp_set_number(table, "temporary_objects", class->temporary);
    }
}

/* --- threads --- */

static const mp_column thread_columns[] = {
    {"allocated_by", "Allocated by", MP_TEXT, 0, 0},
    {"deleted_by", "Deleted by", MP_TEXT, 0, 0},
    {"objects", "Objects", MP_COUNT, 0, 0},
    {"bytes", "Size", MP_BYTES, 0, 0},
};

static int descending(int64_t a, int64_t b)
{
    return a > b ? -1 : a < b;
}

static int most_first(const void *left, const void *right, void *opaque)
{
    const mp_handover *a = left, *b = right;
    if (a->bytes != b->bytes || a->objects != b->objects)
        return a->bytes != b->bytes ? descending(a->bytes, b->bytes)
                                    : descending(a->objects, b->objects);
    int order = strcmp(mp_model_text(opaque, a->from), mp_model_text(opaque, b->from));
    return order ? order : strcmp(mp_model_text(opaque, a->to), mp_model_text(opaque, b->to));
}

static void section_threads(mp_document *document, const mp_model *model)
{
    const mp_events *events = model->events;
    uint32_t count = events->handovers.count - 1;
    mp_handover *sorted = mp_alloc((count + 1u) * sizeof *sorted);
    memcpy(sorted, events->handovers.at + 1, count * sizeof *sorted);
    qsort_r(sorted, count, sizeof *sorted, most_first, (void *)(uintptr_t)model);
    mp_table *table = MP_TABLE(document, "threads", "Allocated by one thread, deleted by another",
                               MP_ROWS, thread_columns);
    table->empty = "none";
    for (uint32_t i = 0; i < count; i++) {
        mp_table_row(table);
        mp_set_text(document, table, "allocated_by", mp_model_text(model, sorted[i].from));
        mp_set_text(document, table, "deleted_by", mp_model_text(model, sorted[i].to));
        mp_set_number(table, "objects", sorted[i].objects);
        mp_set_number(table, "bytes", sorted[i].bytes);
    }
    free(sorted);
}

/* --- groups --- */

static const mp_column columns[] = {
    {"rank", "#", MP_NUMBER, 0, 0},     {"deaths", "Deleted", MP_COUNT, 0, 0},
    {"bytes", "Size", MP_BYTES, 0, 0},  {"median_us", "Median age", MP_AGE, MP_SUMMARY, 0},
    {"p90_us", "90 %", MP_AGE, 0, 0},   {"min_us", "Youngest", MP_AGE, 0, 0},
    {"max_us", "Oldest", MP_AGE, 0, 0}, {"key", "Group", MP_TEXT, MP_SHORTEN, 0},
};

static int by_deaths(const mp_lifetime *a, const mp_lifetime *b)
{
    return descending(a->deaths, b->deaths);
}

static int by_bytes(const mp_lifetime *a, const mp_lifetime *b)
{
    return descending(a->bytes, b->bytes);
}

static int by_median(const mp_lifetime *a, const mp_lifetime *b)
{
    return descending(a->median_us, b->median_us);
}

static int by_p90(const mp_lifetime *a, const mp_lifetime *b)
{
    return descending(a->p90_us, b->p90_us);
}

static int by_key(const mp_lifetime *a, const mp_lifetime *b)
{
    return strcmp(a->label, b->label);
}

/* *column: by which the rows stand then. */
static bool sort(mp_lifetimes *lifetimes, const char *name, const char **column, mp_error *error)
{
    static const struct {
        const char *name;
        mp_lifetime_order *order;
        const char *column;
    } orders[] = {{"deleted", by_deaths, "deaths"},
                  {"bytes", by_bytes, "bytes"},
                  {"median", by_median, "median_us"},
                  {"p90", by_p90, "p90_us"},
                  {"key", by_key, "key"}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (mp_text_is(orders[i].name, name)) {
            *column = orders[i].column;
            mp_lifetimes_sort(lifetimes, orders[i].order);
            return true;
        }
    mp_fail(error, MP_ERROR_ARGUMENT,
            "--sort %s: lifetimes are sorted by deleted, bytes, median, p90 or key", name);
    return false;
}

static void section_groups(mp_document *document, const mp_lifetimes *lifetimes, const char *by,
                           const char *order, size_t rows)
{
    mp_table *table = MP_TABLE(document, "lifetimes", NULL, MP_ROWS, columns);
    table->title = mp_document_text(document, "Age at deletion by %s", by);
    table->main = true;
    table->order = order;
    table->empty = "none";
    for (uint32_t i = 0; i < lifetimes->count && (!rows || i < rows); i++) {
        const mp_lifetime *group = &lifetimes->groups[i];
        mp_table_row(table);
        mp_set_number(table, "rank", i + 1);
        mp_set_number(table, "deaths", group->deaths);
        mp_set_number(table, "bytes", group->bytes);
        mp_set_number(table, "median_us", group->median_us);
        mp_set_number(table, "p90_us", group->p90_us);
        mp_set_number(table, "min_us", group->least_us);
        mp_set_number(table, "max_us", group->most_us);
        mp_set_text(document, table, "key", group->label);
    }
    mp_table_left_out(document, table, lifetimes->count);
}

static bool put(const mp_request *request, mp_document *document, const mp_window *window,
                mp_error *error)
{
    const mp_view *view = &request->view;
    const mp_dimension *dimension = mp_view_dimension(view, request->model, "type", error);
    if (!dimension)
        return false;
    if (dimension->of_frames) {
        mp_fail(error, MP_ERROR_ARGUMENT,
                "--by %s: the ages of such groups do not add up: try --by source", dimension->name);
        return false;
    }
    mp_lifetimes lifetimes = mp_lifetimes_of(window, dimension, view->only);
    const char *order = "deaths";
    bool ok = !view->sort || sort(&lifetimes, view->sort, &order, error);
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_heap_totals(document, window, NULL, false);
    section_overall(document, window, &lifetimes);
    section_ages(document, &lifetimes);
    section_groups(document, &lifetimes, dimension->name, order,
                   mp_view_rows(view, MP_REPORT_ROWS));
    if (!mp_selects(&request->selection)) { /* these are of the whole log alone */
        section_sizes(document, request->model->events);
        section_threads(document, request->model);
    }
    mp_lifetimes_free(&lifetimes);
    return ok;
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_window window;
    for (uint32_t i = 1; i < request->model->sessions.count; i++)
        if (request->model->sessions.at[i].snapshot.i) {
            mp_fail(error, MP_ERROR_ARGUMENT,
                    "lifetimes is about a whole log, not up to a snapshot: name no @%s",
                    mp_model_text(request->model, request->model->sessions.at[i].snapshot));
            return false;
        }
    if (!mp_request_window(request, &window, error))
        return false;
    bool ok = put(request, document, &window, error);
    mp_window_free(&window);
    return ok;
}

const mp_report mp_report_lifetimes = {
    .name = "lifetimes",
    .summary = "how long blocks lived: ages at deletion, sizes, threads (event logs)",
    .example = "lifetimes samples/shop.taligent",
    .details =
        "Ages are those of blocks that the log saw allocated and deleted. A histogram of all,\n"
        "the median and 90th percentile of each group, allocations by size, and what one\n"
        "thread allocated and another deleted. --only shows some groups and their ages\n"
        "alone. --sort: deleted, bytes, median, p90, key.",
    .variants = {{.needs = MP_HOLDS_EVENTS,
                  .honours = MP_HONOURS_SELECT | MP_HONOURS_BY | MP_HONOURS_LIMIT |
                             MP_HONOURS_SORT | MP_HONOURS_ONLY | MP_HONOURS_SLICES |
                             MP_HONOURS_TEMPORARY | MP_HONOURS_SKIP,
                  .run = run}},
};
