/* Tables of object graphs: totals, objects and groups. */
#include "reports/graph_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/text.h"

mp_object_cells mp_object_cells_of(mp_document *document, const mp_graph_view *view,
                                   uint32_t object)
{
    const mp_graph *graph = view->graph;
    bool reached = mp_is_reached(&view->dominators, object);
    int64_t retained = (int64_t)view->dominators.retained[object];
    return (mp_object_cells){
        .id = mp_object_id_text(document->arena, graph, object),
        .type = mp_type_text(document->arena, view->model, graph->types[object]),
        .root_kind = mp_object_roots_text(document->arena, view, object, false),
        .weak_root_kind = mp_object_roots_text(document->arena, view, object, true),
        .dominator =
            reached ? mp_object_id_text(document->arena, graph, view->dominators.idom[object]) : "",
        .self_bytes = (int64_t)graph->sizes[object],
        .retained_bytes = reached ? retained : MP_UNKNOWN,
        .percent = reached ? mp_percent_of(retained, mp_graph_reachable(view)) : NAN};
}

/* --- totals --- */

typedef struct totals_row {
    mp_graph_totals totals;
    int64_t types, app_domains;
    const char *alive, *reachable, *unreachable, *untracked, *root_text, *reference_text;
} totals_row;

#define TOTAL(member, name, title, unit, flags)                                                    \
    MP_COLUMN_OF(totals_row, totals.member, name, title, unit, MP_FOR_PROGRAMS | MP_ADDS | (flags))

static const mp_column total_columns[] = {
    TOTAL(objects, "live_objects", "Objects", MP_COUNT, MP_SUMMARY),
    TOTAL(bytes, "live_bytes", "Alive", MP_BYTES, MP_SUMMARY),
    TOTAL(roots, "roots", "Roots", MP_COUNT, 0),
    TOTAL(roots_without_object, "roots_without_object", "Roots without an object", MP_COUNT, 0),
    TOTAL(references, "references", "References", MP_COUNT, 0),
    TOTAL(dangling_references, "dangling_references", "Dangling", MP_COUNT, 0),
    TOTAL(reachable_objects, "reachable_objects", "", MP_COUNT, 0),
    TOTAL(reachable_bytes, "reachable_bytes", "", MP_BYTES, 0),
    TOTAL(unreachable_objects, "unreachable_objects", "", MP_COUNT, 0),
    TOTAL(unreachable_bytes, "unreachable_bytes", "Unreachable", MP_BYTES, MP_SUMMARY),
    TOTAL(untracked_objects, "untracked_objects", "", MP_COUNT, 0),
    TOTAL(untracked_bytes, "untracked_bytes", "", MP_BYTES, 0),
    MP_COLUMN(totals_row, types, "Types", MP_COUNT, MP_FOR_PROGRAMS),
    TOTAL(duplicate_objects, "duplicate_objects", "Duplicate objects", MP_COUNT, 0),
    MP_COLUMN(totals_row, app_domains, "Application domains", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(totals_row, alive, "Alive", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(totals_row, reachable, "Reachable", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(totals_row, unreachable, "Unreachable", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(totals_row, untracked, "Unknown", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(totals_row, root_text, "Roots", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(totals_row, reference_text, "References", MP_TEXT, MP_FOR_PEOPLE),
};

static const char *text_of_count(mp_document *document, int64_t total, int64_t lost,
                                 const char *lost_text)
{
    const char *count = mp_count_text(document, total);
    return lost ? mp_document_text(document, "%s, %s %s that are not there", count,
                                   mp_count_text(document, lost), lost_text)
                : count;
}

const char *mp_untracked_text(mp_document *document, const mp_graph_totals *totals)
{
    return mp_document_text(
        document, "%s: no references were recorded for their types",
        mp_amount_text(document, totals->untracked_objects, totals->untracked_bytes));
}

/* Add the totals. Live objects are those of the selected types; all other figures are for the whole
 * graph. */
void mp_section_dump_totals(mp_document *document, const mp_graph_view *view, bool shown)
{
    const mp_graph *graph = view->graph;
    mp_graph_totals totals = view->totals;
    for (uint32_t i = 1; i <= graph->count; i++)
        if (!mp_graph_selects(view, graph->types[i])) {
            totals.objects--;
            totals.bytes -= (int64_t)graph->sizes[i];
        }
    bool dump = mp_holds_dumps(view->model->holds); /* a database declares no types or domains */
    bool domains = dump && graph->domains.count > 1;
    totals_row row = {
        .totals = totals,
        .types = dump ? graph->declared_types : MP_UNKNOWN,
        .app_domains = domains ? (int64_t)graph->domains.count - 1 : MP_UNKNOWN,
        .alive = mp_amount_text(document, totals.objects, totals.bytes),
        .reachable = mp_amount_text(document, totals.reachable_objects, totals.reachable_bytes),
        .unreachable =
            mp_amount_text(document, totals.unreachable_objects, totals.unreachable_bytes),
        .root_text =
            text_of_count(document, totals.roots, totals.roots_without_object, "of objects"),
        .reference_text =
            text_of_count(document, totals.references, totals.dangling_references, "to objects")};
    if (totals.untracked_objects)
        row.untracked = mp_untracked_text(document, &totals);
    if (!graph->untracked)
        row.totals.untracked_objects = row.totals.untracked_bytes = MP_UNKNOWN;
    mp_table *table = MP_TABLE(document, "totals", "Totals", MP_RECORD, total_columns);
    table->flags = shown ? 0 : MP_FOR_PROGRAMS;
    table->order = "live_bytes";
    mp_table_put(document, table, &row);
}

void mp_section_dump_head(mp_document *document, const mp_request *request,
                          const mp_graph_view *view)
{
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_dump_totals(document, view, false);
}

/* --- objects --- */

static const mp_column retained_columns[] = {
    MP_RANK(MP_FOR_PROGRAMS),
    MP_COLUMN(mp_object_cells, retained_bytes, "Retained", MP_BYTES, 0),
    MP_COLUMN(mp_object_cells, percent, "%", MP_PERCENT, 0),
    MP_COLUMN(mp_object_cells, self_bytes, "Own", MP_BYTES, 0),
    MP_COLUMN_OF(mp_object_cells, id, "object", "Object", MP_TEXT, 0),
    MP_COLUMN(mp_object_cells, type, "Type", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(mp_object_cells, root_kind, "Root", MP_TEXT, 0),
    MP_COLUMN(mp_object_cells, dominator, "Dominator", MP_TEXT, MP_NULL),
    MP_COLUMN(mp_object_cells, weak_root_kind, "Weak root", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_object_cells, via, "Via", MP_TEXT, MP_SHORTEN | MP_IF_KNOWN),
};

void mp_say_retained_base(mp_document *document, mp_table *table, const mp_graph_view *view)
{
    if (view->dominators.reached < view->graph->count)
        mp_table_line(document, table, "retained: %% of the %s that roots reach",
                      mp_bytes_text(document, mp_graph_reachable(view)));
}

static void want_names(mp_graph_view *view, const uint32_t *objects, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mp_via_want(view, objects[i], view->dominators.idom[objects[i]]);
}

void mp_retained_want(mp_graph_view *view, int64_t min_bytes, size_t rows)
{
    size_t count, total;
    if (!view->graph->names.read)
        return;
    uint32_t *order = mp_retained_order(view, min_bytes, rows, &count, &total);
    want_names(view, order, count);
    free(order);
}

void mp_section_retained(mp_document *document, mp_graph_view *view, int64_t min_bytes, size_t rows)
{
    size_t count, total;
    uint32_t *order = mp_retained_order(view, min_bytes, rows, &count, &total);
    mp_table *table =
        MP_TABLE(document, "retained", "Largest retained sizes", MP_ROWS, retained_columns);
    mp_say_retained_base(document, table, view);
    table->order = "retained_bytes";
    table->empty = view->filter->types ? "no root reaches a matching object"
                   : min_bytes         ? "no object retains as much"
                                       : "no root reaches anything";
    want_names(view, order, count);
    mp_references_read(view, document->arena);
    for (size_t i = 0; i < count; i++) {
        mp_object_cells row = mp_object_cells_of(document, view, order[i]);
        row.via = mp_via_text(document, view, order[i], view->dominators.idom[order[i]]);
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, total);
    free(order);
}

/* --- types and namespaces --- */

typedef struct group_row {
    mp_histogram_row group;
    const char *largest;
    int64_t largest_retained_bytes;
    double percent, retained_percent;
} group_row;

static const mp_column top_columns[] = {
    MP_RANK(0),
    MP_COLUMN_OF(group_row, group.bytes, "bytes", "Size", MP_BYTES, 0),
    MP_COLUMN(group_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(group_row, group.objects, "objects", "Objects", MP_COUNT, 0),
    MP_COLUMN_OF(group_row, group.retained_bytes, "retained_bytes", "Retained", MP_BYTES, 0),
    MP_COLUMN(group_row, retained_percent, "Retained %", MP_PERCENT, 0),
    MP_COLUMN_OF(group_row, group.label, "key", "Group", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(group_row, largest, "Largest", MP_TEXT, 0),
};

static const mp_column histogram_columns[] = {
    MP_RANK(0),
    MP_COLUMN_OF(group_row, group.retained_bytes, "retained_bytes", "Retained", MP_BYTES, 0),
    MP_COLUMN_OF(group_row, retained_percent, "percent", "%", MP_PERCENT, 0),
    MP_COLUMN_OF(group_row, group.reached_bytes, "self_bytes", "Own", MP_BYTES, 0),
    MP_COLUMN_OF(group_row, group.reached_objects, "objects", "Objects", MP_COUNT, 0),
    MP_COLUMN_OF(group_row, group.label, "key", "Group", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(group_row, largest, "Largest", MP_TEXT, 0),
    MP_COLUMN(group_row, largest_retained_bytes, "Retains", MP_BYTES, 0),
};

/* Sort keys of groups. The report top sorts by live objects, other reports by reachable objects. */
static const mp_column alive_columns[] = {
    MP_COLUMN(mp_histogram_row, bytes, "", MP_BYTES, 0),
    MP_COLUMN(mp_histogram_row, objects, "", MP_COUNT, 0),
    MP_COLUMN(mp_histogram_row, retained_bytes, "", MP_BYTES, 0),
    MP_COLUMN_OF(mp_histogram_row, label, "key", "", MP_TEXT, 0),
};
static const mp_column reached_columns[] = {
    MP_COLUMN_OF(mp_histogram_row, reached_bytes, "self_bytes", "", MP_BYTES, 0),
    MP_COLUMN_OF(mp_histogram_row, reached_objects, "objects", "", MP_COUNT, 0),
    MP_COLUMN(mp_histogram_row, retained_bytes, "", MP_BYTES, 0),
    MP_COLUMN_OF(mp_histogram_row, label, "key", "", MP_TEXT, 0),
};
const char *const mp_graph_groups[] = {"object", "type", "namespace"};
const mp_order mp_alive_orders[] = {
    {"bytes", {"bytes", "key"}},
    {"objects", {"objects", "key"}},
    {"retained", {"retained_bytes", "key"}},
    {"key", {"key"}},
};
const mp_order mp_reached_orders[] = {
    {"retained", {"retained_bytes", "key"}},
    {"bytes", {"self_bytes", "key"}},
    {"objects", {"objects", "key"}},
    {"key", {"key"}},
};

static void order_groups(const mp_order *order, bool top, mp_histogram_row *rows, uint32_t count)
{
    if (top)
        MP_ORDER_ROWS(order, alive_columns, rows, count);
    else
        MP_ORDER_ROWS(order, reached_columns, rows, count);
}

/* Return the requested groups in their order. The retained sizes of the groups to be shown are
 * exact. With `top`, sizes are those of all objects, reachable or not; otherwise they are retained
 * sizes. Release with free(). */
static mp_histogram_row *groups_asked(mp_graph_view *view, mp_histogram *groups,
                                      const mp_histogram_asked *asked, const mp_order *order,
                                      bool top, uint32_t *count)
{
    mp_histogram_row *rows = mp_alloc((groups->count + 1u) * sizeof *rows);
    uint32_t asked_for = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        const mp_histogram_row *histogram_row = &groups->items[i];
        if ((top || histogram_row->reached_objects) &&
            (!asked->only || mp_glob_fits(asked->only, histogram_row->label, 0)) &&
            (!top || histogram_row->bytes >= asked->min_bytes) &&
            (top ? histogram_row->objects : histogram_row->reached_objects) >= asked->min_count)
            rows[asked_for++] = *histogram_row;
    }
    bool by_retained = strcmp(order->columns[0], "retained_bytes") == 0;
    int64_t least = top ? 0 : asked->min_bytes;
    if (by_retained || least) {
        /* The number of groups that reach the minimum is reported too, so it must be known for each
         * group if it does. */
        mp_histogram_settle(view, groups, rows, asked_for, least ? 0 : asked->rows, least);
        *count = 0;
        for (uint32_t i = 0; i < asked_for; i++)
            if (rows[i].retained_bytes >= least)
                rows[(*count)++] = rows[i];
        order_groups(order, top, rows, *count);
    } else {
        *count = asked_for;
        order_groups(order, top, rows, *count);
        mp_histogram_settle(view, groups, rows, (uint32_t)mp_shown_of(*count, asked->rows), 0, 0);
    }
    return rows;
}

static void put_groups(mp_document *document, mp_table *table, mp_graph_view *view,
                       mp_histogram *groups, const mp_histogram_asked *asked, const mp_order *order,
                       bool top)
{
    uint32_t count;
    int64_t total = 0;
    mp_histogram_row *rows = groups_asked(view, groups, asked, order, top, &count);
    for (uint32_t i = 0; i < groups->count; i++)
        total += groups->items[i].bytes;
    for (uint32_t i = 0; i < mp_shown_of(count, asked->rows); i++) {
        const mp_histogram_row *histogram_row = &rows[i];
        group_row row = {
            .group = *histogram_row,
            .largest = mp_object_id_text(document->arena, view->graph, histogram_row->largest),
            .largest_retained_bytes = (int64_t)view->dominators.retained[histogram_row->largest],
            .percent = mp_percent_of(histogram_row->bytes, total),
            .retained_percent =
                mp_percent_of(histogram_row->retained_bytes, mp_graph_reachable(view))};
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, count);
    free(rows);
}

static bool section_groups(mp_document *document, mp_graph_view *view,
                           const mp_histogram_asked *asked, bool top, mp_error *error)
{
    const char *by = asked->by ? asked->by : "type";
    bool types = mp_text_is(by, "type");
    const mp_order *order = top ? MP_ORDER_FIND(mp_alive_orders, asked->sort, "groups", error)
                                : MP_ORDER_FIND(mp_reached_orders, asked->sort, "groups", error);
    if (!order)
        return false;
    mp_histogram namespaces = {0};
    mp_histogram *groups = types ? &view->types : &namespaces;
    if (types)
        (void)mp_graph_types(view);
    else
        namespaces = mp_histogram_of(view, MP_HISTOGRAM_OF_NAMESPACES);
    mp_table *table = top ? MP_TABLE(document, "top", NULL, MP_ROWS, top_columns)
                          : MP_TABLE(document, "retained", NULL, MP_ROWS, histogram_columns);
    table->order = order->columns[0];
    table->title = mp_document_text(
        document, top ? "Largest by %s, with retained size" : "Largest retained sizes by %s", by);
    if (top)
        table->title_of_many = mp_document_text(document, "Largest by %s", by);
    table->empty = top ? "nothing is alive" : "no root reaches anything";
    mp_say_retained_base(document, table, view);
    put_groups(document, table, view, groups, asked, order, top);
    mp_histogram_free(&namespaces);
    return true;
}

bool mp_section_dump_top(mp_document *document, mp_graph_view *view,
                         const mp_histogram_asked *asked, mp_error *error)
{
    return section_groups(document, view, asked, true, error);
}

bool mp_section_histogram(mp_document *document, mp_graph_view *view,
                          const mp_histogram_asked *asked, mp_error *error)
{
    return section_groups(document, view, asked, false, error);
}

/* --- all tables --- */

void mp_section_graph(mp_document *document, const mp_request *request, int64_t min_bytes,
                      size_t rows)
{
    if (!request->filter->graph)
        return;
    mp_graph_view *view = mp_request_graph(request);
    mp_section_retained(document, view, min_bytes, rows);
    mp_section_roots(document, view, true);
    mp_section_shared(document, view, rows);
}
