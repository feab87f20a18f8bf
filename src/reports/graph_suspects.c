/* Who is to blame for what is alive in a dump: the answer in words, and the suspects behind it. */
#include "reports/graph_sections.h"

#include <string.h>

#include "base/units.h"

/* --- the answer --- */

typedef struct answer {
    const char *suspect, *held, *biggest, *finalizer, *handle, *shared, *garbage;
} answer;

static const mp_column answer_columns[] = {
    MP_COLUMN(answer, suspect, "Suspect", MP_TEXT, 0),
    MP_COLUMN(answer, held, "  holds", MP_TEXT, 0),
    MP_COLUMN(answer, biggest, "Biggest", MP_TEXT, 0),
    MP_COLUMN(answer, finalizer, "Finalizer queue", MP_TEXT, 0),
    MP_COLUMN(answer, handle, "Handles", MP_TEXT, 0),
    MP_COLUMN(answer, shared, "Shared", MP_TEXT, 0),
    MP_COLUMN(answer, garbage, "Unreachable", MP_TEXT, 0),
};

static const char *share_text(mp_document *document, const mp_graph_view *view, int64_t bytes)
{
    char percent[MP_UNIT_TEXT];
    int64_t all = mp_graph_reachable(view);
    mp_format_percent(percent, mp_percent_of(bytes, all), false);
    return mp_document_text(document, "%s, %s %% of %s reachable",
                            mp_bytes_text(document, bytes, false), percent,
                            mp_bytes_text(document, all, false));
}

/* "10,000 x App.Order, 11.9 MiB" */
static const char *held_text(mp_document *document, const mp_graph_view *view,
                             const mp_suspect *suspect)
{
    return mp_document_text(document, "%s x %s, %s",
                            mp_count_text(document, suspect->held_objects, false),
                            mp_type_text(document->arena, view->model, suspect->held_type),
                            mp_bytes_text(document, suspect->held_bytes, false));
}

/* The first suspect object, or where there is none the first type: that many objects of a type
 * together keep much alive is common, that one does is rarely meant. A line each of what a kind of
 * roots alone holds. */
static void answer_suspects(mp_document *document, mp_graph_view *view, answer *row)
{
    size_t count, object_count = 0;
    const mp_suspect *suspects = mp_graph_suspects(view, &count);
    for (size_t i = 0; i < count; i++)
        object_count += suspects[i].rule == MP_SUSPECT_OBJECT;
    for (size_t i = 0; i < count; i++) {
        const mp_suspect *suspect = &suspects[i];
        const char *share = share_text(document, view, suspect->bytes);
        const char *object = mp_object_text(document->arena, view, suspect->object);
        if (suspect->rule == MP_SUSPECT_FINALIZER)
            row->finalizer =
                mp_document_text(document, "alone keeps alive %s, most by %s", share, object);
        else if (suspect->rule == MP_SUSPECT_HANDLE)
            row->handle =
                mp_document_text(document, "alone keep alive %s, most by %s", share, object);
        else if (row->suspect || (object_count && suspect->rule == MP_SUSPECT_TYPE))
            continue;
        else if (suspect->rule == MP_SUSPECT_TYPE)
            row->suspect =
                mp_document_text(document, "%s x %s together retain %s",
                                 mp_count_text(document, suspect->holders, false),
                                 mp_type_text(document->arena, view->model, suspect->type), share);
        else { /* "App.Cache 7f3a (static) retains ..." */
            const char *roots =
                mp_object_roots_text(document->arena, view->graph, &view->roots, suspect->object);
            row->suspect = mp_document_text(document, "%s%s%s%s retains %s", object,
                                            *roots ? " (" : "", roots, *roots ? ")" : "", share);
            if (suspect->held_objects)
                row->held =
                    mp_document_text(document, "%s, in %s", held_text(document, view, suspect),
                                     mp_object_text(document->arena, view, suspect->accumulation));
        }
    }
    if (!row->suspect)
        row->suspect = "none: no object and no type keeps over a tenth alive alone";
}

static const char *biggest_text(mp_document *document, mp_graph_view *view, int64_t all)
{
    const mp_histogram *types = mp_graph_types(view);
    const mp_histogram_row *first = NULL;
    for (uint32_t i = 0; i < types->count; i++) {
        const mp_histogram_row *at = &types->at[i];
        if (!first || at->bytes > first->bytes ||
            (at->bytes == first->bytes && strcmp(at->label, first->label) < 0))
            first = at;
    }
    return first ? mp_biggest_text(document, first->label,
                                   (mp_amount){first->objects, first->bytes}, all)
                 : NULL;
}

void mp_section_dump_answer(mp_document *document, mp_graph_view *view)
{
    mp_graph_totals totals = mp_graph_totals_of(view->graph, &view->dominators);
    const mp_sharing *sharing = mp_graph_sharing(view);
    answer row = {.biggest = biggest_text(document, view, totals.bytes)};
    answer_suspects(document, view, &row);
    if (totals.unreachable_objects)
        row.garbage = mp_document_text(
            document, "%s: garbage that is not yet collected",
            mp_amount_text(document, totals.unreachable_objects, totals.unreachable_bytes));
    /* Worth a word where it is why no single object retains much. */
    if (sharing->count && sharing->bytes * 4 > mp_graph_reachable(view))
        row.shared =
            mp_document_text(document, "%s has several owners, most between %s and %s",
                             share_text(document, view, sharing->bytes),
                             mp_type_text(document->arena, view->model, sharing->at[0].types[0]),
                             mp_type_text(document->arena, view->model, sharing->at[0].types[1]));
    mp_table *table = MP_TABLE(document, "answer", NULL, MP_RECORD, answer_columns);
    table->flags = MP_FOR_PEOPLE;
    mp_table_put(document, table, &row);
}

/* --- suspects --- */

typedef struct suspect_row {
    int64_t bytes, objects, holders, held_objects, held_bytes;
    double percent;
    const char *rule, *type, *object, *what, *root_kind;
    const char *accumulation, *accumulation_type, *held_type;
    mp_texts where;
} suspect_row;

static const mp_column suspect_columns[] = {
    MP_RANK(MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, bytes, "Retained", MP_BYTES, 0),
    MP_COLUMN(suspect_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN(suspect_row, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(suspect_row, rule, "Suspect", MP_TEXT, 0),
    MP_COLUMN(suspect_row, type, "Type", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, holders, "Holders", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, object, "Object", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, what, "Held by", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(suspect_row, root_kind, "Root", MP_TEXT, 0),
    MP_COLUMN(suspect_row, accumulation, "Accumulates at", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, accumulation_type, "Type", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, held_type, "Holds", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, held_objects, "Held", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, held_bytes, "Held size", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, where, "What piles up there", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
};

static suspect_row suspect_row_of(mp_document *document, const mp_graph_view *view,
                                  const mp_suspect *suspect)
{
    static const char *const rules[] = {"object", "type", "finalizer", "handle"};
    const char *holders = mp_count_text(document, suspect->holders, false);
    suspect_row row = {.bytes = suspect->bytes,
                       .percent = mp_percent_of(suspect->bytes, mp_graph_reachable(view)),
                       .objects = suspect->objects,
                       .rule = rules[suspect->rule],
                       .type = mp_type_text(document->arena, view->model, suspect->type),
                       .holders = suspect->holders,
                       .object = mp_object_id_text(document->arena, view->graph, suspect->object),
                       .root_kind = mp_object_roots_text(document->arena, view->graph, &view->roots,
                                                         suspect->object),
                       .held_objects = MP_UNKNOWN,
                       .held_bytes = MP_UNKNOWN};
    if (suspect->rule != MP_SUSPECT_OBJECT) {
        row.what =
            suspect->rule == MP_SUSPECT_TYPE
                ? mp_document_text(document, "%s x %s, largest %s", holders, row.type, row.object)
                : mp_document_text(document, "%s %s%s, largest %s %s", holders, row.rule,
                                   suspect->holders == 1 ? "" : "s", row.type, row.object);
        return row;
    }
    row.what = mp_object_text(document->arena, view, suspect->object);
    row.accumulation = mp_object_id_text(document->arena, view->graph, suspect->accumulation);
    row.accumulation_type =
        mp_type_text(document->arena, view->model, view->graph->types[suspect->accumulation]);
    if (!suspect->held_objects)
        return row;
    row.held_type = mp_type_text(document->arena, view->model, suspect->held_type);
    row.held_objects = suspect->held_objects;
    row.held_bytes = suspect->held_bytes;
    const char *held = held_text(document, view, suspect);
    if (suspect->accumulation != suspect->object)
        held = mp_document_text(document, "in %s: %s",
                                mp_object_text(document->arena, view, suspect->accumulation), held);
    row.where = mp_one_text(document, held);
    return row;
}

void mp_section_suspects(mp_document *document, mp_graph_view *view, size_t rows)
{
    size_t count;
    const mp_suspect *suspects = mp_graph_suspects(view, &count);
    mp_table *table = MP_TABLE(document, "leaks", "Suspects: what keeps much alive alone", MP_ROWS,
                               suspect_columns);
    table->main = true;
    table->order = "bytes";
    table->empty = "none: nothing keeps over a tenth of the reachable bytes alive alone";
    for (size_t i = 0; i < mp_shown_of(count, rows); i++) {
        suspect_row row = suspect_row_of(document, view, &suspects[i]);
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, count);
}
