/* All objects of matching types: their number, their referrers, their dominators, and the objects
 * that they retain, each by type. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "reports/graph_sections.h"

typedef struct objects_row {
    const char *type;
    int64_t types, objects, self_bytes, roots, reachable_objects, untracked_objects;
    int64_t retained_objects, retained_bytes;
    double percent;
} objects_row;

static const mp_column objects_columns[] = {
    MP_COLUMN(objects_row, type, "Objects of", MP_TEXT, 0),
    MP_COLUMN(objects_row, types, "  types", MP_COUNT, 0),
    MP_COLUMN(objects_row, objects, "  objects", MP_COUNT, 0),
    MP_COLUMN(objects_row, self_bytes, "Own size", MP_BYTES, 0),
    MP_COLUMN(objects_row, roots, "Roots themselves", MP_COUNT, 0),
    MP_COLUMN(objects_row, reachable_objects, "Reachable", MP_COUNT, 0),
    MP_COLUMN(objects_row, retained_bytes, "Retained together", MP_BYTES, 0),
    MP_COLUMN_OF(objects_row, percent, "retained_percent", "  of the reachable, %", MP_PERCENT, 0),
    MP_COLUMN(objects_row, retained_objects, "  objects", MP_COUNT, 0),
    MP_COLUMN(objects_row, untracked_objects, "Unknown for", MP_COUNT, 0),
};

/* Add the totals of the objects. Return false if references were not recorded for any of them. */
static bool put_objects(mp_document *document, const mp_graph_view *view, const char *glob,
                        const bool *asked, const mp_type_links *retained)
{
    const mp_graph *graph = view->graph;
    objects_row row = {.type = mp_document_text(document, "%s", glob)};
    bool *types = mp_alloc_zero(view->model->types.count, sizeof *types);
    for (uint32_t object = 1; object <= graph->count; object++) {
        if (!asked[object])
            continue;
        row.types += !types[graph->types[object]];
        types[graph->types[object]] = true;
        row.objects++;
        row.self_bytes += (int64_t)graph->sizes[object];
        row.roots += mp_roots_of(&view->roots, object).count != 0;
        row.reachable_objects += mp_is_reached(&view->dominators, object);
        row.untracked_objects += !mp_graph_tracks(graph, object);
    }
    bool known = !row.objects || row.untracked_objects < row.objects;
    for (size_t i = 0; i < retained->count; i++) {
        row.retained_objects += retained->items[i].objects;
        row.retained_bytes += retained->items[i].bytes;
    }
    row.percent = mp_percent_of(row.retained_bytes, mp_graph_reachable(view));
    if (!row.untracked_objects)
        row.untracked_objects = MP_UNKNOWN;
    if (!known) {
        row.reachable_objects = row.retained_objects = row.retained_bytes = MP_UNKNOWN;
        row.percent = NAN;
    }
    mp_table *table = MP_TABLE(document, "objects", NULL, MP_RECORD, objects_columns);
    table->main = true;
    mp_table_put(document, table, &row);
    free(types);
    return known;
}

typedef struct link_row {
    mp_type_link link;
    const char *type;
    double percent;
} link_row;

static const mp_column referrer_columns[] = {
    MP_COLUMN_OF(link_row, link.objects, "objects", "Objects", MP_COUNT, 0),
    MP_COLUMN_OF(link_row, link.references, "references", "References", MP_COUNT, 0),
    MP_COLUMN_OF(link_row, link.bytes, "self_bytes", "Own", MP_BYTES, 0),
    MP_COLUMN(link_row, type, "Type", MP_TEXT, MP_SHORTEN),
};

static const mp_column holder_columns[] = {
    MP_COLUMN_OF(link_row, link.dominated_bytes, "dominated_bytes", "Held", MP_BYTES, 0),
    MP_COLUMN_OF(link_row, link.dominated, "dominated_objects", "Objects", MP_COUNT, 0),
    MP_COLUMN_OF(link_row, link.objects, "objects", "By", MP_COUNT, 0),
    MP_COLUMN_OF(link_row, link.bytes, "self_bytes", "Own", MP_BYTES, 0),
    MP_COLUMN(link_row, type, "Type", MP_TEXT, MP_SHORTEN),
};

static const mp_column retained_columns[] = {
    MP_COLUMN_OF(link_row, link.bytes, "bytes", "Size", MP_BYTES, 0),
    MP_COLUMN(link_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(link_row, link.objects, "objects", "Objects", MP_COUNT, 0),
    MP_COLUMN(link_row, type, "Type", MP_TEXT, MP_SHORTEN),
};

static void put_links(mp_document *document, mp_table *table, const mp_graph_view *view,
                      const mp_type_links *links, size_t rows)
{
    for (size_t i = 0; i < mp_shown_of(links->count, rows); i++) {
        const mp_type_link *type_link = &links->items[i];
        link_row row = {*type_link,
                        type_link->type
                            ? mp_type_text(document->arena, view->model, type_link->type)
                            : "(roots, or several objects together)",
                        mp_percent_of(type_link->bytes, mp_graph_reachable(view))};
        if (!type_link->type)
            row.link.objects = row.link.bytes = MP_UNKNOWN;
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, links->count);
}

void mp_section_objects_of(mp_document *document, const mp_graph_view *view, const char *glob,
                           const bool *skipped, size_t rows)
{
    bool *asked = mp_objects_of_types(view->model, view->graph, glob);
    mp_type_links referrers = mp_referrers_of(view, asked);
    mp_type_links holders = mp_holders_of(view, asked, skipped);
    mp_type_links retained = mp_retained_of(view, asked);
    bool known = put_objects(document, view, glob, asked, &retained);
    const char *nothing_known = "unknown: no references were recorded for these types";
    mp_table *table =
        MP_TABLE(document, "referrer_types", "Referred to by, by type", MP_ROWS, referrer_columns);
    table->empty = known ? "nothing refers to them" : nothing_known;
    put_links(document, table, view, &referrers, rows);
    table =
        MP_TABLE(document, "dominator_types", "Kept alive by, by type", MP_ROWS, holder_columns);
    table->empty = known ? "no root reaches any" : nothing_known;
    put_links(document, table, view, &holders, rows);
    table = MP_TABLE(document, "retained_types", "Retained together with them, by type", MP_ROWS,
                     retained_columns);
    table->empty = known ? "nothing" : nothing_known;
    put_links(document, table, view, &retained, rows);
    mp_type_links_free(&retained);
    mp_type_links_free(&holders);
    mp_type_links_free(&referrers);
    free(asked);
}
