/* Groups of a heap's objects: what is biggest, what grew. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "reports/trends.h"

typedef struct named_order {
    const char *name;
    mp_group_order *order;
    const char *column; /* by which the rows stand then */
} named_order;

const mp_dimension *mp_view_dimension(const mp_view *view, const mp_model *model, const char *own,
                                      mp_error *error)
{
    const mp_dimension *dimension = mp_dimension_find(view->by ? view->by : own);
    if (dimension && mp_dimension_fits(dimension, model))
        return dimension;
    const char *names[MP_DIMENSIONS];
    size_t count, fitting = 0;
    const mp_dimension *all = mp_dimensions(&count);
    for (size_t i = 0; i < count; i++)
        if (mp_dimension_fits(&all[i], model) && fitting < MP_DIMENSIONS)
            names[fitting++] = all[i].name;
    char list[512];
    mp_fail_argument(error, "by", view->by, "objects of %s are grouped by %s",
                     mp_kind_name(model->kind),
                     mp_text_list(names, fitting, "or", list, sizeof list));
    return NULL;
}

/* *column: by which the rows stand then. */
static bool sort_groups(mp_grouping *grouping, const mp_view *view, const named_order *orders,
                        size_t count, const char **column, mp_error *error)
{
    *column = orders[0].column;
    if (!view->sort) {
        mp_grouping_sort(grouping, orders[0].order);
        return true;
    }
    for (size_t i = 0; i < count; i++)
        if (mp_text_is(orders[i].name, view->sort)) {
            *column = orders[i].column;
            mp_grouping_sort(grouping, orders[i].order);
            return true;
        }
    const char *names[MP_DIMENSIONS];
    char list[512];
    for (size_t i = 0; i < count; i++)
        names[i] = orders[i].name;
    mp_fail_argument(error, "sort", view->sort, "groups are sorted by %s",
                     mp_text_list(names, count, "or", list, sizeof list));
    return false;
}

/* Sites of one line differ by their stack: programs get it too. */
static void set_group_stack(mp_document *document, mp_table *table, const mp_model *model,
                            const mp_group *group)
{
    const mp_context *context =
        &model->contexts.at[model->generations.at[group->example.i].context.i];
    mp_set_stack(document, table, model, (mp_frame){group->node, context->line});
}

/* --- top --- */

static const mp_column top_columns[] = {
    {"rank", "#", MP_NUMBER, 0, 0},
    {"bytes", "Size", MP_BYTES, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
    {"inclusive_bytes", "With scoped", MP_BYTES, 0, 0},
    {"objects", "Objects", MP_COUNT, 0, 0},
    {"created_objects", "Created", MP_COUNT, 0, 0},
    {"deleted_objects", "Deleted", MP_COUNT, 0, 0},
    {"key", "Group", MP_TEXT, MP_SHORTEN, 0},
    {"stack", "Stack", MP_LIST, MP_FOR_PROGRAMS, 0},
};

/* Of a log of heap events. */
static const mp_column event_top_columns[] = {
    {"rank", "#", MP_NUMBER, 0, 0},
    {"bytes", "Size", MP_BYTES, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
    {"objects", "Objects", MP_COUNT, 0, 0},
    {"created_objects", "Created", MP_COUNT, 0, 0},
    {"deleted_objects", "Deleted", MP_COUNT, 0, 0},
    {"created_bytes", "Allocated", MP_BYTES, 0, 0},
    {"peak_bytes", "At peak", MP_BYTES, 0, 0},
    {"peak_objects", "At peak", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"temporary_bytes", "Temporary", MP_BYTES, 0, 0},
    {"temporary_objects", "Temporary", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"key", "Group", MP_TEXT, MP_SHORTEN, 0},
    {"stack", "Stack", MP_LIST, MP_FOR_PROGRAMS, 0},
};

static const named_order top_orders[] = {
    {"bytes", mp_order_by_bytes, "bytes"},
    {"objects", mp_order_by_objects, "objects"},
    {"inclusive", mp_order_by_inclusive, "inclusive_bytes"},
    {"created", mp_order_by_created, "created_objects"},
    {"deleted", mp_order_by_deleted, "deleted_objects"},
    {"key", mp_order_by_label, "key"},
    {"allocated", mp_order_by_allocated, "created_bytes"},
    {"peak", mp_order_by_peak, "peak_bytes"},
    {"temporary", mp_order_by_temporary, "temporary_bytes"},
};

static void set_event_cells(mp_table *table, const mp_events *events, const mp_group *group)
{
    mp_set_number(table, "created_bytes", group->to.created_bytes);
    if (events->at_peak_count) { /* not where the log is looked at up to an earlier snapshot */
        mp_set_number(table, "peak_bytes", group->at_peak.bytes);
        mp_set_number(table, "peak_objects", group->at_peak.objects);
    }
    mp_set_number(table, "temporary_bytes", group->to.temporary_bytes);
    mp_set_number(table, "temporary_objects", group->to.temporary);
}

static void top_row(mp_table *table, const mp_group *group, int64_t all_bytes, bool scope,
                    mp_document *document)
{
    mp_table_row(table);
    mp_set_number(table, "rank", (int64_t)table->row_count);
    mp_set_text(document, table, "key", group->label);
    mp_set_number(table, "objects", mp_cost_live(group->to));
    mp_set_number(table, "bytes", group->to.bytes);
    mp_set_real(table, "percent", mp_percent_of(group->to.bytes, all_bytes));
    if (scope)
        mp_set_number(table, "inclusive_bytes", group->inclusive_bytes);
    mp_set_number(table, "created_objects", group->to.created);
    mp_set_number(table, "deleted_objects", group->to.deleted);
}

static bool is_alive(const mp_group *group)
{
    return mp_cost_live(group->to) || group->to.bytes;
}

/* Whoever sorts by what was, and is no more, asks for that; else for what is alive. */
static bool is_asked(const mp_group *group, const char *sort)
{
    const struct {
        const char *sort;
        int64_t amount;
    } amounts[] = {{"created", group->to.created},
                   {"deleted", group->to.deleted},
                   {"allocated", group->to.created},
                   {"peak", group->at_peak.objects},
                   {"temporary", group->to.temporary}};
    for (size_t i = 0; sort && i < sizeof amounts / sizeof *amounts; i++)
        if (mp_text_is(amounts[i].sort, sort))
            return amounts[i].amount != 0;
    return is_alive(group);
}

static bool knows_peak(const mp_model *model, const mp_view *view, mp_error *error)
{
    bool asked = view->sort && mp_text_is(view->sort, "peak");
    if (!asked || !model->events || model->events->at_peak_count)
        return true;
    mp_fail(error, MP_ERROR_ARGUMENT,
            "--sort peak: what was alive at the peak is known of a whole log, not of one up to an "
            "earlier snapshot");
    return false;
}

bool mp_section_top(mp_document *document, const mp_window *window, const mp_view *view,
                    size_t rows, mp_error *error)
{
    const mp_dimension *dimension = mp_view_dimension(view, window->model, "type", error);
    if (!dimension || !knows_peak(window->model, view, error))
        return false;
    mp_grouping grouping = mp_group_by(window, dimension);
    const char *order;
    bool ok = sort_groups(&grouping, view, top_orders, sizeof top_orders / sizeof *top_orders,
                          &order, error);
    bool events = window->model->events != NULL;
    mp_table *table = events ? MP_TABLE(document, "top", NULL, MP_ROWS, event_top_columns)
                             : MP_TABLE(document, "top", NULL, MP_ROWS, top_columns);
    table->title = mp_document_text(document, "Biggest by %s, alive at %s", dimension->name,
                                    mp_moment_text(document, window, false));
    table->title_of_many = mp_document_text(document, "Biggest by %s", dimension->name);
    table->order = order;
    table->empty = "nothing is alive";
    int64_t all_bytes = 0;
    size_t alive = 0;
    all_bytes = mp_totals_of(window).live_bytes;
    for (uint32_t i = 0; ok && i < grouping.count; i++) {
        const mp_group *group = &grouping.groups[i];
        if (!is_asked(group, view->sort) ||
            !mp_view_keeps(view, group->to.bytes, mp_cost_live(group->to)))
            continue;
        alive++;
        if (rows && table->row_count == rows)
            continue;
        top_row(table, group, all_bytes, grouping.has_scope && !events, document);
        if (events)
            set_event_cells(table, window->model->events, group);
        if (strcmp(dimension->name, "site") == 0)
            set_group_stack(document, table, window->model, group);
    }
    mp_table_left_out(document, table, alive);
    mp_grouping_free(&grouping);
    return ok;
}

/* --- growth --- */

static const mp_column growth_columns[] = {
    MP_GROWTH_COLUMNS,
    {"history", "History", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"key", "Group", MP_TEXT, MP_SHORTEN, 0},
    {"course", "Trend", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
    {"stack", "Stack", MP_LIST, MP_FOR_PROGRAMS, 0},
    MP_TREND_COLUMNS,
};

static const named_order growth_orders[] = {
    {"bytes", mp_order_by_change, "delta_bytes"},
    {"objects", mp_order_by_change_objects, "delta_objects"},
    {"key", mp_order_by_label, "key"},
};

void mp_set_growth(mp_table *table, mp_amount from, mp_amount to)
{
    int64_t delta = to.bytes - from.bytes;
    mp_set_number(table, "from_objects", from.objects);
    mp_set_number(table, "to_objects", to.objects);
    mp_set_number(table, "delta_objects", to.objects - from.objects);
    mp_set_number(table, "from_bytes", from.bytes);
    mp_set_number(table, "to_bytes", to.bytes);
    mp_set_number(table, "delta_bytes", delta);
    if (from.bytes)
        mp_set_real(table, "delta_percent", mp_percent_of(delta, from.bytes));
}

static void growth_row(mp_document *document, mp_table *table, const mp_group *group)
{
    mp_table_row(table);
    mp_set_text(document, table, "key", group->label);
    mp_set_growth(table, (mp_amount){mp_cost_live(group->from), group->from.bytes},
                  (mp_amount){mp_cost_live(group->to), group->to.bytes});
}

static bool has_changed(const mp_group *group)
{
    return mp_cost_live(group->to) != mp_cost_live(group->from) ||
           group->to.bytes != group->from.bytes;
}

static bool was_alive(const mp_group *group)
{
    return mp_cost_live(group->from) || group->from.bytes;
}

/* Of a change, its size counts. */
static bool changed_enough(const mp_view *view, const mp_group *group)
{
    return mp_view_keeps(view, llabs(group->to.bytes - group->from.bytes),
                         llabs(mp_cost_live(group->to) - mp_cost_live(group->from)));
}

/* What people read of a trend that is one: a line below the row. */
static void set_course(mp_document *document, mp_table *table, const mp_model *model,
                       const mp_series *series, size_t i)
{
    mp_trend trend = mp_set_trend(document, table, model, series, i);
    if (trend.kind == MP_TREND_TOO_SHORT)
        return;
    mp_set_text(document, table, "history", mp_sparkline_text(document, series, i));
    if (trend.kind != MP_TREND_FLAT) {
        const char *text = mp_trend_text(document, model, series, &trend);
        mp_set_list(document, table, "course", &text, 1);
    }
}

/* So many rows at a time that their series have room in 32 MiB. */
static void growth_rows(mp_document *document, mp_table *table, const mp_window *window,
                        const mp_grouping *grouping, const mp_group *const *shown, size_t count,
                        bool trends, bool stacks)
{
    enum { MOST_VALUES = 1 << 22 };
    size_t batch = MOST_VALUES / window->model->snapshots.count + 1;
    for (size_t first = 0; first < count; first += batch) {
        size_t rows = count - first < batch ? count - first : batch;
        mp_series series = {0};
        if (trends)
            series = mp_series_of_groups(window, grouping, shown + first, rows);
        for (size_t i = 0; i < rows; i++) {
            growth_row(document, table, shown[first + i]);
            if (trends)
                set_course(document, table, window->model, &series, i);
            if (stacks)
                set_group_stack(document, table, window->model, shown[first + i]);
        }
        mp_series_free(&series);
    }
}

static mp_table *growth_table(mp_document *document, const mp_window *window,
                              const mp_dimension *dimension, const char *order, bool trends)
{
    const char *trend = trends ? mp_section_trend(document, window) : NULL;
    mp_table *table = MP_TABLE(document, "growth", NULL, MP_ROWS, growth_columns);
    if (trend)
        mp_table_line(document, table, "%s", trend);
    table->title = mp_document_text(document, "Growth by %s, from %s to %s", dimension->name,
                                    mp_moment_text(document, window, true),
                                    mp_moment_text(document, window, false));
    table->title_of_many = mp_document_text(document, "Growth by %s", dimension->name);
    table->order = order;
    table->empty = "nothing grew or shrank";
    return table;
}

bool mp_section_growth(mp_document *document, const mp_window *window, const mp_view *view,
                       size_t rows, bool trends, mp_error *error)
{
    const mp_dimension *dimension = mp_view_dimension(view, window->model, "type", error);
    if (!dimension)
        return false;
    mp_grouping grouping = mp_group_by(window, dimension);
    const char *order;
    bool ok = sort_groups(&grouping, view, growth_orders,
                          sizeof growth_orders / sizeof *growth_orders, &order, error);
    mp_table *table = growth_table(document, window, dimension, order, trends);
    const mp_group **shown = mp_alloc((grouping.count + 1u) * sizeof *shown);
    size_t count = 0, left_out = 0, unchanged = 0;
    for (uint32_t i = 0; ok && i < grouping.count; i++) {
        const mp_group *group = &grouping.groups[i];
        if ((!is_alive(group) && !was_alive(group)) || !changed_enough(view, group))
            continue;
        /* What did not change is no answer, but whoever asks for all rows gets it. */
        if (rows && !has_changed(group)) {
            unchanged++;
            continue;
        }
        if (rows && count == rows)
            left_out++;
        else
            shown[count++] = group;
    }
    growth_rows(document, table, window, &grouping, shown, count, trends,
                strcmp(dimension->name, "site") == 0);
    free(shown);
    if (left_out)
        mp_table_left_out(document, table, table->row_count + left_out);
    else if (unchanged)
        table->footer.rest = (mp_rest){unchanged, MP_REST_UNCHANGED};
    mp_grouping_free(&grouping);
    return ok;
}
