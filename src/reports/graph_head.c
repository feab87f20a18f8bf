/* What reports on object graphs have in common: texts, totals. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "reports/graph_sections.h"

mp_graph_view mp_graph_view_of(const mp_model *model)
{
    return (mp_graph_view){.model = model,
                           .graph = model->graph,
                           .dominators = mp_dominators_of(model->graph),
                           .roots = mp_roots_by_object(model->graph)};
}

void mp_graph_view_look(mp_graph_view *view)
{
    view->suspects =
        mp_suspects_of(view->model, view->graph, &view->dominators, &view->suspect_count);
    view->sharing = mp_sharing_of(view->model, view->graph, &view->dominators);
}

void mp_graph_view_free(mp_graph_view *view)
{
    free(view->suspects);
    mp_sharing_free(&view->sharing);
    mp_dominators_free(&view->dominators);
    mp_object_roots_free(&view->roots);
}

const char *mp_object_id_text(mp_document *document, const mp_graph *graph, uint32_t object)
{
    if (!object)
        return "";
    return graph->hexadecimal ? mp_document_text(document, "%" PRIx64, graph->ids[object])
                              : mp_document_text(document, "%" PRIu64, graph->ids[object]);
}

const char *mp_type_text(mp_document *document, const mp_model *model, uint32_t type)
{
    size_t size = (size_t)mp_type_label(model, (mp_type_id){type}, NULL, 0) + 1;
    char *text = mp_arena_alloc(document->arena, size);
    mp_type_label(model, (mp_type_id){type}, text, size);
    return text;
}

const char *mp_object_text(mp_document *document, const mp_graph_view *view, uint32_t object)
{
    return mp_document_text(document, "%s %s",
                            mp_type_text(document, view->model, view->graph->types[object]),
                            mp_object_id_text(document, view->graph, object));
}

const char *mp_object_roots_text(mp_document *document, const mp_graph_view *view, uint32_t object)
{
    size_t size = (size_t)mp_object_root_label(view->graph, &view->roots, object, NULL, 0) + 1;
    char *text = mp_arena_alloc(document->arena, size);
    mp_object_root_label(view->graph, &view->roots, object, text, size);
    return text;
}

const char *mp_root_kind_text(mp_document *document, uint32_t kind)
{
    char text[32];
    mp_root_kind_label(kind, text, sizeof text);
    return mp_document_text(document, "%s", text);
}

bool mp_request_object(const mp_request *request, const mp_graph *graph, uint32_t *object,
                       mp_error *error)
{
    const char *id = request->view.object;
    *object = id ? mp_graph_find(graph, id) : 0;
    if (*object)
        return true;
    mp_fail(error, MP_ERROR_ARGUMENT,
            "%s is no object of the dump: expected the id of one, %s, as memprof retained prints",
            id ? id : "nothing",
            graph->hexadecimal ? "hexadecimal without a prefix" : "a decimal number");
    return false;
}

/* --- totals --- */

static const mp_column total_columns[] = {
    {"live_objects", "Objects", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS | MP_SUMMARY, 0},
    {"live_bytes", "Alive", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS | MP_SUMMARY, 0},
    {"roots", "Roots", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"roots_without_object", "Roots without an object", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"references", "References", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"dangling_references", "Dangling", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"reachable_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"reachable_bytes", "", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"unreachable_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"unreachable_bytes", "Unreachable", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS | MP_SUMMARY, 0},
    {"types", "Types", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"duplicate_objects", "Duplicate objects", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"app_domains", "Application domains", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"alive", "Alive", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"reachable", "Reachable", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"unreachable", "Unreachable", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"root_text", "Roots", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"reference_text", "References", MP_TEXT, MP_FOR_PEOPLE, 0},
};

static void set_count(mp_document *document, mp_table *table, const char *column, int64_t all,
                      int64_t lost, const char *lost_text)
{
    mp_set_text(document, table, column,
                lost ? mp_document_text(document, "%s, %s %s", mp_count_text(document, all, false),
                                        mp_count_text(document, lost, false), lost_text)
                     : mp_count_text(document, all, false));
}

void mp_set_graph_totals(mp_table *table, const mp_model *model, const mp_graph_totals *totals)
{
    mp_set_number(table, "roots", totals->roots);
    mp_set_number(table, "roots_without_object", totals->roots_without_object);
    mp_set_number(table, "references", totals->references);
    mp_set_number(table, "dangling_references", totals->dangling_references);
    mp_set_number(table, "reachable_objects", totals->reachable_objects);
    mp_set_number(table, "reachable_bytes", totals->reachable_bytes);
    mp_set_number(table, "unreachable_objects", totals->unreachable_objects);
    mp_set_number(table, "unreachable_bytes", totals->unreachable_bytes);
    mp_set_number(table, "duplicate_objects", totals->duplicate_objects);
    if (model->kind != MP_KIND_DUMP)
        return; /* a database declares no types, and knows no domains */
    mp_set_number(table, "types", model->graph->declared_types);
    if (model->graph->domains.count > 1)
        mp_set_number(table, "app_domains", (int64_t)model->graph->domains.count - 1);
}

/* What is there of the types that are selected; the rest of the totals is of the whole graph. */
static mp_graph_totals selected_totals(const mp_graph_view *view)
{
    const mp_graph *graph = view->graph;
    mp_graph_totals totals = mp_graph_totals_of(graph, &view->dominators);
    for (uint32_t i = 1; i <= graph->count; i++)
        if (view->model->types.at[graph->types[i]].left_out) {
            totals.objects--;
            totals.bytes -= (int64_t)graph->sizes[i];
        }
    return totals;
}

void mp_section_dump_totals(mp_document *document, const mp_graph_view *view, bool shown)
{
    mp_graph_totals totals = selected_totals(view);
    mp_table *table = MP_TABLE(document, "totals", "Totals", MP_RECORD, total_columns);
    table->flags = shown ? 0 : MP_FOR_PROGRAMS;
    table->order = "live_bytes";
    mp_table_row(table);
    mp_set_number(table, "live_objects", totals.objects);
    mp_set_number(table, "live_bytes", totals.bytes);
    mp_set_graph_totals(table, view->model, &totals);
    mp_set_text(document, table, "alive", mp_amount_text(document, totals.objects, totals.bytes));
    mp_set_text(document, table, "reachable",
                mp_amount_text(document, totals.reachable_objects, totals.reachable_bytes));
    mp_set_text(document, table, "unreachable",
                mp_amount_text(document, totals.unreachable_objects, totals.unreachable_bytes));
    set_count(document, table, "root_text", totals.roots, totals.roots_without_object,
              "of objects that are not there");
    set_count(document, table, "reference_text", totals.references, totals.dangling_references,
              "to objects that are not there");
}

void mp_section_dump_head(mp_document *document, const mp_request *request,
                          const mp_graph_view *view)
{
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_dump_totals(document, view, false);
}
