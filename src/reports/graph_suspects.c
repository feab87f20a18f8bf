/* Leak suspects of a dump: the summary in words, and the table. */
#include "reports/graph_sections.h"

#include <string.h>

#include "base/units.h"

/* --- the summary --- */

static const char *share_text(mp_document *document, const mp_graph_view *view, int64_t bytes)
{
    char percent[MP_UNIT_TEXT];
    int64_t total = mp_graph_reachable(view);
    mp_format_percent(percent, mp_percent_of(bytes, total), false);
    return mp_document_text(document, "%s, %s %% of %s reachable", mp_bytes_text(document, bytes),
                            percent, mp_bytes_text(document, total));
}

/* Return "10,000 x App.Order (11.9 MiB) are held by App.Order[] 12 in App.Cache 11". */
static const char *held_text(mp_document *document, mp_graph_view *view, const mp_suspect *suspect)
{
    const char *holder = mp_held_in_text(document, view, suspect->accumulation, suspect->object);
    return suspect->held_objects
               ? mp_document_text(document, "%s x %s (%s) %s held by %s",
                                  mp_count_text(document, suspect->held_objects),
                                  mp_type_text(document->arena, view->model, suspect->held_type),
                                  mp_bytes_text(document, suspect->held_bytes),
                                  suspect->held_objects == 1 ? "is" : "are", holder)
               : holder;
}

/* Return "10,000 x App.Order (11.9 MiB) are held by App.Cache 11, which retains 12.0 MiB, 80 % of
 * ...". */
static const char *suspect_text(mp_document *document, mp_graph_view *view,
                                const mp_suspect *suspect)
{
    return mp_document_text(document, "%s%s retains %s", held_text(document, view, suspect),
                            suspect->held_objects ? ", which" : "",
                            share_text(document, view, suspect->bytes));
}

/* Say the shortest path from a root to the holder, on the line after the holder. */
static void say_way_to(mp_document *document, mp_graph_view *view, uint32_t object)
{
    const char *way = mp_way_to(document, view, object).text;
    if (way)
        mp_document_say(document, MP_TONE_PLAIN, "from", "%s", way);
}

static const char *biggest_text(mp_document *document, mp_graph_view *view)
{
    const mp_histogram *types = mp_graph_types(view);
    const mp_histogram_row *first = NULL;
    for (uint32_t i = 0; i < types->count; i++) {
        const mp_histogram_row *histogram_row = &types->items[i];
        if (!first || histogram_row->bytes > first->bytes ||
            (histogram_row->bytes == first->bytes &&
             strcmp(histogram_row->label, first->label) < 0))
            first = histogram_row;
    }
    return first ? mp_biggest_text(document, first->label,
                                   (mp_amount){first->objects, first->bytes}, view->totals.bytes)
                 : NULL;
}

/* Name the first suspect, unless it is `grows`, which the summary already names. If there is no
 * suspect, name the largest type, and say that a second dump would show more. */
static void say_suspect(mp_document *document, mp_graph_view *view, uint32_t grows)
{
    size_t count;
    const mp_suspect *suspect = mp_graph_suspects(view, &count);
    if (!count) {
        const char *biggest = biggest_text(document, view);
        mp_document_say(
            document, MP_TONE_PLAIN, "Suspect",
            "none: no object and no kind of root retains over a tenth of the heap%s%s%s",
            biggest ? "; largest is " : "", biggest ? biggest : "",
            view->model->snapshots.count > 2
                ? ""
                : "; a later dump of the same program shows what grows");
        return;
    }
    if (suspect->rule == MP_SUSPECT_OBJECT) {
        if (suspect->accumulation == grows)
            return;
        mp_document_say(document, MP_TONE_PLAIN, "Suspect", "%s",
                        suspect_text(document, view, suspect));
        say_way_to(document, view, suspect->accumulation);
        return;
    }
    const char *share = share_text(document, view, suspect->bytes);
    const bool one = suspect->holders == 1;
    if (suspect->rule == MP_SUSPECT_TYPE)
        mp_document_say(document, MP_TONE_PLAIN, "Suspect", "%s x %s, held by roots, retain %s",
                        mp_count_text(document, suspect->holders),
                        mp_type_text(document->arena, view->model, suspect->type), share);
    else
        mp_document_say(
            document, MP_TONE_PLAIN, "Suspect", "%s %s%s%s alone retain%s %s; the largest is %s",
            mp_count_text(document, suspect->holders),
            suspect->rule == MP_SUSPECT_FINALIZER ? "object" : "handle", one ? "" : "s",
            suspect->rule == MP_SUSPECT_FINALIZER ? " in the finalizer queue" : "", one ? "s" : "",
            share, mp_object_text(document->arena, view, suspect->object));
}

uint32_t mp_say_growing(mp_document *document, mp_graph_view *view)
{
    uint32_t example;
    const char *grows = mp_accumulation_text(document, view, &example);
    if (grows)
        mp_document_say(document, example ? MP_TONE_WORSE : MP_TONE_PLAIN, "Grows", "%s", grows);
    if (example)
        say_way_to(document, view, example);
    return example;
}

void mp_say_dump_order(mp_document *document, const mp_model *model)
{
    const char *doubt = mp_dump_order_text(document->arena, model);
    if (doubt)
        mp_document_say(document, MP_TONE_WARNING, "Warning", "%s", doubt);
}

void mp_say_dump(mp_document *document, mp_graph_view *view)
{
    mp_say_dump_order(document, view->model);
    say_suspect(document, view, mp_say_growing(document, view));
}

void mp_say_dump_more(mp_document *document, mp_graph_view *view)
{
    size_t suspects;
    const mp_sharing *sharing = mp_graph_sharing(view);
    const char *biggest = biggest_text(document, view);
    if (biggest)
        mp_document_say(document, MP_TONE_PLAIN, "Biggest", "%s", biggest);
    if (view->totals.unreachable_bytes * 10 > view->totals.bytes)
        mp_document_say(document, MP_TONE_PLAIN, "Unreachable", "%s: garbage not yet collected",
                        mp_amount_text(document, view->totals.unreachable_objects,
                                       view->totals.unreachable_bytes));
    (void)mp_graph_suspects(view, &suspects);
    if (!suspects &&
        sharing->count) /* objects that are shared explain why no single object retains much */
        mp_document_say(document, MP_TONE_PLAIN, "Shared",
                        "%s is below objects with several owners, most between %s and %s",
                        share_text(document, view, sharing->total.retained_bytes),
                        mp_type_text(document->arena, view->model, sharing->items[0].types[0]),
                        mp_type_text(document->arena, view->model, sharing->items[0].types[1]));
}

/* --- suspects --- */

typedef struct suspect_row {
    int64_t bytes, objects, holders, held_objects, held_bytes;
    double percent;
    const char *rule, *type, *object, *what, *root_kind;
    const char *accumulation, *accumulation_type, *held_type;
    mp_texts path, via, where, way;
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
    MP_COLUMN(suspect_row, held_bytes, "Accumulated size", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, path, "Path", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, via, "Via", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(suspect_row, where, "Accumulated objects", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
    MP_COLUMN(suspect_row, way, "From", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
};

static suspect_row suspect_row_of(mp_document *document, mp_graph_view *view,
                                  const mp_suspect *suspect)
{
    static const char *const rules[] = {"object", "finalizer", "handle", "type"};
    const char *holders = mp_count_text(document, suspect->holders);
    suspect_row row = {.bytes = suspect->bytes,
                       .percent = mp_percent_of(suspect->bytes, mp_graph_reachable(view)),
                       .objects = suspect->objects,
                       .rule = rules[suspect->rule],
                       .type = mp_type_text(document->arena, view->model, suspect->type),
                       .holders = suspect->holders,
                       .object = mp_object_id_text(document->arena, view->graph, suspect->object),
                       .root_kind =
                           mp_object_roots_text(document->arena, view, suspect->object, false),
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
    mp_way way = mp_way_to(document, view, suspect->accumulation);
    row.path = way.types;
    row.via = way.via;
    row.way = mp_one_text(document, way.text);
    if (!suspect->held_objects)
        return row;
    row.held_type = mp_type_text(document->arena, view->model, suspect->held_type);
    row.held_objects = suspect->held_objects;
    row.held_bytes = suspect->held_bytes;
    row.where = mp_one_text(document, held_text(document, view, suspect));
    return row;
}

void mp_section_suspects(mp_document *document, mp_graph_view *view, size_t rows)
{
    size_t count;
    const mp_suspect *suspects = mp_graph_suspects(view, &count);
    mp_table *table =
        MP_TABLE(document, "leaks", "Leak suspects: objects that retain a large share of the heap",
                 MP_ROWS, suspect_columns);
    table->main = true;
    table->order = "bytes";
    table->empty = "none: no object retains over a tenth of the reachable bytes";
    for (size_t i = 0; i < mp_shown_of(count, rows); i++) {
        suspect_row row = suspect_row_of(document, view, &suspects[i]);
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, count);
}
