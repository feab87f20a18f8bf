/* Tables of object graphs: suspects, what retains most, roots, what is shared. */
#include <stdlib.h>

#include "base/units.h"
#include "reports/graph_sections.h"

/* --- suspects --- */

static const mp_column suspect_columns[] = {
    {"rank", "#", MP_NUMBER, MP_FOR_PROGRAMS, 0},
    {"bytes", "Retained", MP_BYTES, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
    {"objects", "Objects", MP_COUNT, 0, 0},
    {"rule", "Suspect", MP_TEXT, 0, 0},
    {"type", "Type", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"holders", "Holders", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"object", "Object", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"what", "Held by", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN, 0},
    {"root_kind", "Root", MP_TEXT, 0, 0},
    {"accumulation", "Accumulates at", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"accumulation_type", "Type", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"held_type", "Holds", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"held_objects", "Held", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"held_bytes", "Held size", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"where", "What piles up there", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
};

static const char *rule_name(mp_suspect_rule rule)
{
    static const char *const names[] = {"object", "type", "finalizer", "handle"};
    return names[rule];
}

/* "in Entry[] 7f40: 10,000 x App.Order, 11.9 MiB" */
static const char *where_text(mp_document *document, const mp_graph_view *view,
                              const mp_suspect *suspect)
{
    const char *held = mp_document_text(document, "%s x %s, %s",
                                        mp_count_text(document, suspect->held_objects, false),
                                        mp_type_text(document, view->model, suspect->held_type),
                                        mp_bytes_text(document, suspect->held_bytes, false));
    if (suspect->accumulation == suspect->object)
        return held;
    return mp_document_text(document, "in %s: %s",
                            mp_object_text(document, view, suspect->accumulation), held);
}

static const char *suspect_text(mp_document *document, const mp_graph_view *view,
                                const mp_suspect *suspect)
{
    const char *type = mp_type_text(document, view->model, suspect->type);
    const char *largest = mp_object_id_text(document, view->graph, suspect->object);
    const char *holders = mp_count_text(document, suspect->holders, false);
    switch (suspect->rule) {
    case MP_SUSPECT_OBJECT:
        return mp_object_text(document, view, suspect->object);
    case MP_SUSPECT_TYPE:
        return mp_document_text(document, "%s x %s, largest %s", holders, type, largest);
    default:
        return mp_document_text(document, "%s %s%s, largest %s %s", holders,
                                rule_name(suspect->rule), suspect->holders == 1 ? "" : "s", type,
                                largest);
    }
}

static void suspect_row(mp_document *document, mp_table *table, const mp_graph_view *view,
                        const mp_suspect *suspect)
{
    const mp_graph *graph = view->graph;
    mp_table_row(table);
    mp_set_number(table, "rank", (int64_t)table->row_count);
    mp_set_number(table, "bytes", suspect->bytes);
    mp_set_real(table, "percent",
                mp_percent_of(suspect->bytes, (int64_t)view->dominators.retained[0]));
    mp_set_number(table, "objects", suspect->objects);
    mp_set_text(document, table, "rule", rule_name(suspect->rule));
    mp_set_text(document, table, "type", mp_type_text(document, view->model, suspect->type));
    mp_set_number(table, "holders", suspect->holders);
    mp_set_text(document, table, "object", mp_object_id_text(document, graph, suspect->object));
    mp_set_text(document, table, "what", suspect_text(document, view, suspect));
    mp_set_text(document, table, "root_kind",
                mp_object_roots_text(document, view, suspect->object));
    if (suspect->rule != MP_SUSPECT_OBJECT)
        return;
    mp_set_text(document, table, "accumulation",
                mp_object_id_text(document, graph, suspect->accumulation));
    mp_set_text(document, table, "accumulation_type",
                mp_type_text(document, view->model, graph->types[suspect->accumulation]));
    if (!suspect->held_objects)
        return;
    const char *where = where_text(document, view, suspect);
    mp_set_text(document, table, "held_type",
                mp_type_text(document, view->model, suspect->held_type));
    mp_set_number(table, "held_objects", suspect->held_objects);
    mp_set_number(table, "held_bytes", suspect->held_bytes);
    mp_set_list(document, table, "where", &where, 1);
}

void mp_section_suspects(mp_document *document, const mp_graph_view *view, size_t rows)
{
    size_t count = view->suspect_count;
    mp_table *table = MP_TABLE(document, "leaks", "Suspects: what keeps much alive alone", MP_ROWS,
                               suspect_columns);
    table->main = true;
    table->order = "bytes";
    table->empty = "none: nothing keeps over a tenth of the reachable bytes alive alone";
    for (size_t i = 0; i < count && (!rows || i < rows); i++)
        suspect_row(document, table, view, &view->suspects[i]);
    mp_table_left_out(document, table, count);
}

/* --- objects --- */

static const mp_column retained_columns[] = {
    {"rank", "#", MP_NUMBER, MP_FOR_PROGRAMS, 0}, {"retained_bytes", "Retained", MP_BYTES, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},           {"self_bytes", "Own", MP_BYTES, 0, 0},
    {"object", "Object", MP_TEXT, 0, 0},          {"type", "Type", MP_TEXT, MP_SHORTEN, 0},
    {"root_kind", "Root", MP_TEXT, 0, 0},         {"dominator", "Dominator", MP_TEXT, MP_NULL, 0},
};

static void retained_row(mp_document *document, mp_table *table, const mp_graph_view *view,
                         uint32_t object)
{
    const mp_graph *graph = view->graph;
    const mp_dominators *dominators = &view->dominators;
    int64_t retained = (int64_t)dominators->retained[object];
    mp_table_row(table);
    mp_set_number(table, "rank", (int64_t)table->row_count);
    mp_set_text(document, table, "object", mp_object_id_text(document, graph, object));
    mp_set_text(document, table, "type", mp_type_text(document, view->model, graph->types[object]));
    mp_set_number(table, "self_bytes", (int64_t)graph->sizes[object]);
    mp_set_number(table, "retained_bytes", retained);
    mp_set_real(table, "percent", mp_percent_of(retained, (int64_t)dominators->retained[0]));
    mp_set_text(document, table, "dominator",
                mp_object_id_text(document, graph, dominators->idom[object]));
    mp_set_text(document, table, "root_kind", mp_object_roots_text(document, view, object));
}

/* Whether the selection leaves out some types: then all objects must be looked at. */
static bool selects_types(const mp_model *model)
{
    for (uint32_t i = 0; i < model->types.count; i++)
        if (model->types.at[i].left_out)
            return true;
    return false;
}

void mp_section_retained(mp_document *document, const mp_graph_view *view, const mp_view *asked,
                         size_t rows)
{
    const mp_graph *graph = view->graph;
    bool selects = selects_types(view->model) || asked->min_bytes;
    size_t count, selected = 0;
    uint32_t *order = mp_retained_order(graph, &view->dominators, selects ? 0 : rows, &count);
    mp_table *table = MP_TABLE(document, "retained", "Biggest retainers: what would go with them",
                               MP_ROWS, retained_columns);
    table->order = "retained_bytes";
    table->empty = selects ? "no such object is reached by a root" : "no root reaches anything";
    for (size_t i = 0; i < count; i++) {
        if (view->model->types.at[graph->types[order[i]]].left_out ||
            (int64_t)view->dominators.retained[order[i]] < asked->min_bytes)
            continue;
        if (!rows || selected < rows)
            retained_row(document, table, view, order[i]);
        selected++;
    }
    mp_table_left_out(document, table, selects ? selected : view->dominators.reached);
    free(order);
}
