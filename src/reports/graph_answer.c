/* The answer of an object graph in words, and all of its tables. */
#include <stdlib.h>

#include "base/units.h"
#include "reports/graph_sections.h"

static const mp_column answer_columns[] = {
    {"suspect", "Suspect", MP_TEXT, 0, 0},     {"held", "  holds", MP_TEXT, 0, 0},
    {"biggest", "Biggest", MP_TEXT, 0, 0},     {"finalizer", "Finalizer queue", MP_TEXT, 0, 0},
    {"handle", "Handles", MP_TEXT, 0, 0},      {"shared", "Shared", MP_TEXT, 0, 0},
    {"garbage", "Unreachable", MP_TEXT, 0, 0},
};

static const char *share_text(mp_document *document, const mp_graph_view *view, int64_t bytes)
{
    char percent[MP_UNIT_TEXT];
    int64_t all = (int64_t)view->dominators.retained[0];
    mp_format_percent(percent, mp_percent_of(bytes, all), false);
    return mp_document_text(document, "%s, %s %% of %s reachable",
                            mp_bytes_text(document, bytes, false), percent,
                            mp_bytes_text(document, all, false));
}

/* "App.Cache 7f3a (static)" */
static const char *holder_text(mp_document *document, const mp_graph_view *view, uint32_t object)
{
    const char *roots = mp_object_roots_text(document, view, object);
    return mp_document_text(document, "%s%s%s%s", mp_object_text(document, view, object),
                            *roots ? " (" : "", roots, *roots ? ")" : "");
}

static void answer_suspect(mp_document *document, mp_table *table, const mp_graph_view *view,
                           const mp_suspect *suspect)
{
    const char *share = share_text(document, view, suspect->bytes);
    if (suspect->rule == MP_SUSPECT_TYPE) {
        mp_set_text(document, table, "suspect",
                    mp_document_text(document, "%s x %s together retain %s",
                                     mp_count_text(document, suspect->holders, false),
                                     mp_type_text(document, view->model, suspect->type), share));
        return;
    }
    mp_set_text(document, table, "suspect",
                mp_document_text(document, "%s retains %s",
                                 holder_text(document, view, suspect->object), share));
    if (!suspect->held_objects)
        return;
    mp_set_text(document, table, "held",
                mp_document_text(document, "%s x %s, %s, in %s",
                                 mp_count_text(document, suspect->held_objects, false),
                                 mp_type_text(document, view->model, suspect->held_type),
                                 mp_bytes_text(document, suspect->held_bytes, false),
                                 mp_object_text(document, view, suspect->accumulation)));
}

/* Object and type suspects: the first. Those that a kind of roots alone holds: a line each. */
static void answer_suspects(mp_document *document, mp_table *table, const mp_graph_view *view)
{
    bool told = false;
    for (size_t i = 0; i < view->suspect_count; i++) {
        const mp_suspect *suspect = &view->suspects[i];
        bool of_kind = suspect->rule == MP_SUSPECT_FINALIZER || suspect->rule == MP_SUSPECT_HANDLE;
        if (of_kind)
            mp_set_text(document, table,
                        suspect->rule == MP_SUSPECT_HANDLE ? "handle" : "finalizer",
                        mp_document_text(document, "alone keep%s alive %s, most by %s",
                                         suspect->rule == MP_SUSPECT_HANDLE ? "" : "s",
                                         share_text(document, view, suspect->bytes),
                                         mp_object_text(document, view, suspect->object)));
        else if (!told)
            answer_suspect(document, table, view, suspect);
        told |= !of_kind;
    }
    if (!told)
        mp_set_text(document, table, "suspect",
                    "none: no object and no type keeps over a tenth alive alone");
}

static void answer_sizes(mp_document *document, mp_table *table, const mp_graph_view *view)
{
    mp_graph_totals totals = mp_graph_totals_of(view->graph, &view->dominators);
    mp_histogram types =
        mp_histogram_of(view->model, view->graph, &view->dominators, MP_RETAINED_BY_TYPE);
    char percent[MP_UNIT_TEXT];
    mp_histogram_sort(&types, mp_histogram_by_bytes);
    if (types.count) {
        mp_format_percent(percent, mp_percent_of(types.at[0].bytes, totals.bytes), false);
        mp_set_text(document, table, "biggest",
                    mp_document_text(document, "%s: %s in %s object%s, %s %% of %s alive",
                                     types.at[0].label,
                                     mp_bytes_text(document, types.at[0].bytes, false),
                                     mp_count_text(document, types.at[0].objects, false),
                                     types.at[0].objects == 1 ? "" : "s", percent,
                                     mp_bytes_text(document, totals.bytes, false)));
    }
    if (totals.unreachable_objects)
        mp_set_text(document, table, "garbage",
                    mp_document_text(document, "%s: garbage that is not yet collected",
                                     mp_amount_text(document, totals.unreachable_objects,
                                                    totals.unreachable_bytes)));
    mp_histogram_free(&types);
}

/* Worth a word where it is why no single object retains much. */
static void answer_shared(mp_document *document, mp_table *table, const mp_graph_view *view)
{
    const mp_sharing *sharing = &view->sharing;
    if (sharing->count && sharing->bytes * 4 > (int64_t)view->dominators.retained[0])
        mp_set_text(document, table, "shared",
                    mp_document_text(document, "%s has several owners, most between %s and %s",
                                     share_text(document, view, sharing->bytes),
                                     mp_type_text(document, view->model, sharing->at[0].types[0]),
                                     mp_type_text(document, view->model, sharing->at[0].types[1])));
}

void mp_section_dump_answer(mp_document *document, const mp_graph_view *view)
{
    mp_table *table = MP_TABLE(document, "answer", NULL, MP_RECORD, answer_columns);
    table->flags = MP_FOR_PEOPLE;
    mp_table_row(table);
    answer_suspects(document, table, view);
    answer_sizes(document, table, view);
    answer_shared(document, table, view);
}

void mp_section_graph(mp_document *document, const mp_model *model, const mp_view *asked,
                      size_t rows)
{
    if (!model->graph)
        return;
    mp_graph_view view = mp_graph_view_of(model);
    mp_graph_view_look(&view);
    mp_section_retained(document, &view, asked, rows);
    mp_section_roots(document, &view, true);
    mp_section_shared(document, &view, rows);
    mp_graph_view_free(&view);
}
