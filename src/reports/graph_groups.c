/* Types and namespaces of a dump: what there is of them, and what they retain. */
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "reports/graph_sections.h"

static const mp_column top_columns[] = {
    {"rank", "#", MP_NUMBER, 0, 0},
    {"bytes", "Size", MP_BYTES, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
    {"objects", "Objects", MP_COUNT, 0, 0},
    {"retained_bytes", "Retained", MP_BYTES, 0, 0},
    {"retained_percent", "%", MP_PERCENT, 0, 0},
    {"key", "Group", MP_TEXT, MP_SHORTEN, 0},
    {"largest", "Largest", MP_TEXT, 0, 0},
};

static const mp_column retained_columns[] = {
    {"rank", "#", MP_NUMBER, 0, 0},         {"retained_bytes", "Retained", MP_BYTES, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},     {"self_bytes", "Own", MP_BYTES, 0, 0},
    {"objects", "Objects", MP_COUNT, 0, 0}, {"key", "Group", MP_TEXT, MP_SHORTEN, 0},
    {"largest", "Largest", MP_TEXT, 0, 0},  {"largest_retained_bytes", "Retains", MP_BYTES, 0, 0},
};

static bool find_order(const char *asked, mp_histogram_order *own, mp_histogram_order **order,
                       mp_error *error)
{
    static const struct {
        const char *name;
        mp_histogram_order *order;
    } orders[] = {
        {"bytes", mp_histogram_by_bytes},
        {"objects", mp_histogram_by_objects},
        {"retained", mp_histogram_by_retained},
        {"key", mp_histogram_by_label},
    };
    *order = own;
    for (size_t i = 0; asked && i < sizeof orders / sizeof *orders; i++)
        if (mp_text_is(orders[i].name, asked)) {
            *order = orders[i].order;
            return true;
        }
    if (asked)
        mp_fail(error, MP_ERROR_ARGUMENT,
                "--sort %s: groups are sorted by bytes, objects, retained or key", asked);
    return !asked;
}

/* The column by which rows stand where groups are sorted so. */
static const char *order_column(const char *sort, bool of_retained)
{
    return mp_text_is(sort, "retained")  ? "retained_bytes"
           : mp_text_is(sort, "key")     ? "key"
           : of_retained                 ? NULL /* by all objects, not by those that are shown */
           : mp_text_is(sort, "objects") ? "objects"
                                         : "bytes";
}

static bool find_kind(const char *asked, mp_histogram_kind *kind, mp_error *error)
{
    bool namespaces = asked && mp_text_is(asked, "namespace");
    *kind = namespaces ? MP_RETAINED_BY_NAMESPACE : MP_RETAINED_BY_TYPE;
    if (!asked || namespaces || mp_text_is(asked, "type"))
        return true;
    mp_fail(error, MP_ERROR_ARGUMENT, "--by %s: objects of a dump are grouped by type or namespace",
            asked);
    return false;
}

/* What both tables say of a group. */
static void group_row(mp_document *document, mp_table *table, const mp_graph_view *view,
                      const mp_histogram_row *group)
{
    mp_table_row(table);
    mp_set_number(table, "rank", (int64_t)table->row_count);
    mp_set_text(document, table, "key", group->label);
    mp_set_number(table, "retained_bytes", group->retained_bytes);
    mp_set_text(document, table, "largest",
                mp_object_id_text(document, view->graph, group->largest));
}

static void top_row(mp_document *document, mp_table *table, const mp_graph_view *view,
                    const mp_histogram_row *group, int64_t all)
{
    group_row(document, table, view, group);
    mp_set_number(table, "objects", group->objects);
    mp_set_number(table, "bytes", group->bytes);
    mp_set_real(table, "percent", mp_percent_of(group->bytes, all));
    mp_set_real(table, "retained_percent",
                mp_percent_of(group->retained_bytes, (int64_t)view->dominators.retained[0]));
}

static void retained_row(mp_document *document, mp_table *table, const mp_graph_view *view,
                         const mp_histogram_row *group)
{
    const uint64_t *retained = view->dominators.retained;
    group_row(document, table, view, group);
    mp_set_number(table, "objects", group->reached_objects);
    mp_set_number(table, "self_bytes", group->reached_bytes);
    mp_set_real(table, "percent", mp_percent_of(group->retained_bytes, (int64_t)retained[0]));
    mp_set_number(table, "largest_retained_bytes", (int64_t)retained[group->largest]);
}

static bool groups_of(const mp_graph_view *view, const mp_view *asked, mp_histogram_order *own,
                      mp_histogram *groups, mp_error *error)
{
    mp_histogram_kind kind;
    mp_histogram_order *order;
    if (!find_kind(asked->by, &kind, error) || !find_order(asked->sort, own, &order, error))
        return false;
    *groups = mp_histogram_of(view->model, view->graph, &view->dominators, kind);
    mp_histogram_sort(groups, order);
    return true;
}

bool mp_section_dump_top(mp_document *document, const mp_graph_view *view, const mp_view *asked,
                         size_t rows, mp_error *error)
{
    mp_histogram groups;
    if (!groups_of(view, asked, mp_histogram_by_bytes, &groups, error))
        return false;
    mp_table *table = MP_TABLE(document, "top", NULL, MP_ROWS, top_columns);
    table->order = asked->sort ? order_column(asked->sort, false) : "bytes";
    table->title = mp_document_text(document, "Biggest by %s, and what would go with them",
                                    asked->by ? asked->by : "type");
    table->title_of_many =
        mp_document_text(document, "Biggest by %s", asked->by ? asked->by : "type");
    table->empty = "nothing is alive";
    int64_t all = 0;
    size_t matching = 0;
    for (uint32_t i = 0; i < groups.count; i++)
        all += groups.at[i].bytes;
    for (uint32_t i = 0; i < groups.count; i++) {
        if (!mp_view_shows(asked, groups.at[i].label) ||
            !mp_view_keeps(asked, groups.at[i].bytes, groups.at[i].objects))
            continue;
        if (!rows || matching < rows)
            top_row(document, table, view, &groups.at[i], all);
        matching++;
    }
    mp_table_left_out(document, table, matching);
    mp_histogram_free(&groups);
    return true;
}

bool mp_section_histogram(mp_document *document, const mp_graph_view *view, const mp_view *asked,
                          size_t rows, mp_error *error)
{
    mp_histogram groups;
    if (!groups_of(view, asked, mp_histogram_by_retained, &groups, error))
        return false;
    mp_table *table = MP_TABLE(document, "retained", NULL, MP_ROWS, retained_columns);
    table->order = asked->sort ? order_column(asked->sort, true) : "retained_bytes";
    table->title =
        mp_document_text(document, "Biggest retainers by %s: what would go with them", asked->by);
    table->empty = "no root reaches anything";
    size_t matching = 0;
    for (uint32_t i = 0; i < groups.count; i++) {
        if (!groups.at[i].reached_objects || !mp_view_shows(asked, groups.at[i].label) ||
            !mp_view_keeps(asked, groups.at[i].retained_bytes, groups.at[i].objects))
            continue;
        if (!rows || matching < rows)
            retained_row(document, table, view, &groups.at[i]);
        matching++;
    }
    mp_table_left_out(document, table, matching);
    mp_histogram_free(&groups);
    return true;
}
