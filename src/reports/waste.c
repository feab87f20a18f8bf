/* The report waste: memory that holds nothing, or the same as other memory. */
#include "query/waste.h"

#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "reports/graph_sections.h"

typedef struct waste_arguments {
    int64_t limit;
} waste_arguments;

static const waste_arguments waste_defaults = {.limit = MP_REPORT_ROWS};

static const mp_argument waste_table[] = {
    {"limit", offsetof(waste_arguments, limit), 1},
};

static const char *const kind_names[MP_WASTE_KINDS] = {
    [MP_WASTE_STRINGS] = "equal strings",     [MP_WASTE_COLLECTIONS] = "empty collections",
    [MP_WASTE_BOXED] = "equal boxed numbers", [MP_WASTE_NULLS] = "null elements",
    [MP_WASTE_ZEROS] = "arrays of zeros",
};

/* --- by kind --- */

typedef struct kind_row {
    size_t number;
    const char *kind;
    double percent;
    mp_waste_sum sum;
    int64_t unknown;
} kind_row;

static const mp_column total_columns[] = {
    MP_COLUMN_OF(kind_row, sum.bytes, "waste_bytes", "Could be saved", MP_BYTES, 0),
    MP_COLUMN_OF(kind_row, percent, "waste_percent", "  of the reachable, %", MP_PERCENT, 0),
    MP_COLUMN_OF(kind_row, unknown, "unknown_objects", "Without contents", MP_COUNT, 0),
};

static const mp_column kind_columns[] = {
    MP_COLUMN_OF(kind_row, sum.bytes, "bytes", "Could save", MP_BYTES, 0),
    MP_COLUMN(kind_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(kind_row, sum.objects, "objects", "Objects", MP_COUNT, 0),
    MP_COLUMN(kind_row, kind, "Waste", MP_TEXT, 0),
    MP_COLUMN_OF(kind_row, sum.of_objects, "of_objects", "Of", MP_COUNT, 0),
    MP_COLUMN_OF(kind_row, sum.of_bytes, "of_bytes", "Their size", MP_BYTES, 0),
    MP_COLUMN_OF(kind_row, unknown, "unknown_objects", "Unknown", MP_COUNT, MP_IF_KNOWN),
};

/* Kinds of which nothing is known come last. */
static int by_bytes(const void *left, const void *right)
{
    const kind_row *a = left, *b = right;
    int order = MP_COMPARE(b->sum.bytes, a->sum.bytes);
    return order ? order : MP_COMPARE(a->number, b->number);
}

/* Add the kinds, and their sum before them. */
static void put_kinds(mp_document *document, const mp_graph_view *view, const mp_waste *waste,
                      bool known)
{
    kind_row rows[MP_WASTE_KINDS], total = {.kind = NULL};
    const int64_t reachable = mp_graph_reachable(view);
    bool is_least = false, lacks = false;
    for (size_t i = 0; i < MP_WASTE_KINDS; i++) {
        const mp_waste_sum *sum = &waste->kinds[i];
        rows[i] = (kind_row){i, kind_names[i], mp_percent_of(sum->bytes, reachable), *sum,
                             sum->unknown ? sum->unknown : MP_UNKNOWN};
        total.sum.bytes += sum->bytes;
        total.unknown += sum->unknown;
        lacks |= waste->lacks[i];
        is_least |= waste->lacks[i] || sum->unknown;
        if (!waste->lacks[i])
            continue;
        rows[i].percent = NAN;
        rows[i].sum = (mp_waste_sum){MP_UNKNOWN, MP_UNKNOWN, MP_UNKNOWN, MP_UNKNOWN, 0};
    }
    total.percent = known ? mp_percent_of(total.sum.bytes, reachable) : NAN;
    if (!known)
        total.sum.bytes = MP_UNKNOWN;
    if (!total.unknown)
        total.unknown = MP_UNKNOWN;
    mp_table *table = MP_TABLE(document, "waste_totals", NULL, MP_RECORD, total_columns);
    table->flags = MP_FOR_PROGRAMS;
    mp_table_put(document, table, &total);
    table = MP_TABLE(document, "waste", "Waste by kind", MP_ROWS, kind_columns);
    table->main = true;
    table->order = "bytes";
    table->empty = "unknown: what keeps objects alive is not in the dump";
    if (lacks)
        mp_table_line(document, table,
                      "rows without figures are unknown: the format does not have what they need");
    qsort(rows, MP_WASTE_KINDS, sizeof *rows, by_bytes);
    for (size_t i = 0; known && i < MP_WASTE_KINDS; i++)
        mp_table_put(document, table, &rows[i]);
    if (!known)
        return;
    char percent[MP_UNIT_TEXT];
    mp_format_percent(percent, total.percent, false);
    mp_document_say(
        document, MP_TONE_PLAIN, "Wasted", "%s%s, %s %% of %s reachable, could be saved%s",
        is_least ? "at least " : "", mp_bytes_text(document, total.sum.bytes), percent,
        mp_bytes_text(document, reachable),
        rows[0].sum.bytes ? mp_document_text(document, ", most of it by %s (%s)", rows[0].kind,
                                             mp_bytes_text(document, rows[0].sum.bytes))
                          : "");
}

/* --- equal strings --- */

typedef struct string_row {
    mp_equal_strings strings;
    const char *text, *object, *holder;
    double percent;
    int64_t held;
} string_row;

static const mp_column string_columns[] = {
    MP_RANK(MP_FOR_PROGRAMS),
    MP_COLUMN_OF(string_row, strings.bytes, "bytes", "Could save", MP_BYTES, 0),
    MP_COLUMN(string_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(string_row, strings.objects, "objects", "Strings", MP_COUNT, 0),
    MP_COLUMN(string_row, object, "Example", MP_TEXT, 0),
    MP_COLUMN_OF(string_row, text, "string", "Text", MP_TEXT, MP_SHORTEN),
    MP_COLUMN_OF(string_row, holder, "holder_type", "Most held by", MP_TEXT,
                 MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN_OF(string_row, held, "held_objects", "Held", MP_COUNT, MP_FOR_PROGRAMS),
};

/* Add the equal strings. Return false, with the reason in `why`, if their texts cannot be read. */
static bool put_strings(mp_document *document, const mp_graph_view *view,
                        const mp_contents *contents, const mp_waste *waste, size_t rows,
                        const char **why)
{
    const size_t shown = mp_shown_of(waste->string_count, rows);
    const char **texts = mp_alloc_zero(shown + 1, sizeof *texts);
    mp_table *table = MP_TABLE(document, "equal_strings", "Equal strings", MP_ROWS, string_columns);
    table->order = "bytes";
    table->empty = "no two strings are equal";
    const bool ok = mp_waste_texts(contents, waste->strings, shown, document->arena, texts, why);
    for (size_t i = 0; i < shown; i++) {
        const mp_equal_strings *strings = &waste->strings[i];
        string_row row = {.strings = *strings,
                          .text = texts[i],
                          .object = mp_object_id_text(document->arena, view->graph, strings->first),
                          .percent = mp_percent_of(strings->bytes, mp_graph_reachable(view)),
                          .held = MP_UNKNOWN};
        if (strings->holder_type) {
            row.holder = mp_type_text(document->arena, view->model, strings->holder_type);
            row.held = strings->held;
        }
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, waste->string_count);
    free(texts);
    return ok;
}

/* --- by type --- */

typedef struct type_row {
    const char *kind, *type, *object, *holder;
    int64_t objects, bytes, largest_bytes, held;
    double percent;
} type_row;

static const mp_column type_columns[] = {
    MP_RANK(MP_FOR_PROGRAMS),
    MP_COLUMN(type_row, bytes, "Could save", MP_BYTES, 0),
    MP_COLUMN(type_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN(type_row, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(type_row, kind, "Waste", MP_TEXT, 0),
    MP_COLUMN(type_row, type, "Type", MP_TEXT, MP_SHORTEN),
    MP_COLUMN_OF(type_row, object, "largest", "Largest", MP_TEXT, 0),
    MP_COLUMN(type_row, largest_bytes, "Saves", MP_BYTES, 0),
    MP_COLUMN_OF(type_row, holder, "holder_type", "Most held by", MP_TEXT,
                 MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN_OF(type_row, held, "held_objects", "Held", MP_COUNT, MP_FOR_PROGRAMS),
};

static void put_types(mp_document *document, const mp_graph_view *view, const mp_waste *waste,
                      size_t rows)
{
    mp_table *table = MP_TABLE(document, "waste_types", "Waste by type", MP_ROWS, type_columns);
    table->order = "bytes";
    table->empty = "nothing is wasted";
    for (size_t i = 0; i < mp_shown_of(waste->type_count, rows); i++) {
        const mp_waste_type *type = &waste->types[i];
        type_row row = {.kind = kind_names[type->kind],
                        .type = mp_type_text(document->arena, view->model, type->type),
                        .object = mp_object_id_text(document->arena, view->graph, type->largest),
                        .objects = type->objects,
                        .bytes = type->bytes,
                        .largest_bytes = type->largest_bytes,
                        .percent = mp_percent_of(type->bytes, mp_graph_reachable(view)),
                        .held = MP_UNKNOWN};
        if (type->holder_type) {
            row.holder = mp_type_text(document->arena, view->model, type->holder_type);
            row.held = type->held;
        }
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, waste->type_count);
}

static bool put_waste(const mp_request *request, mp_document *document, const mp_contents *contents,
                      const char **why)
{
    const waste_arguments *asked = request->arguments;
    const size_t rows = (size_t)asked->limit;
    mp_graph_view *view = mp_request_graph(request);
    mp_waste waste = mp_waste_of(view, contents);
    const bool known = !view->graph->untracked;
    mp_section_dump_head(document, request, view);
    put_kinds(document, view, &waste, known);
    const bool ok = !known || put_strings(document, view, contents, &waste, rows, why);
    if (known)
        put_types(document, view, &waste, rows);
    if (known && waste.type_count) { /* who holds the object that wastes most? */
        document->next = "path";
        document->next_operand =
            mp_object_id_text(document->arena, view->graph, waste.types[0].largest);
    }
    mp_waste_free(&waste);
    return ok;
}

static bool run_waste(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_graph *graph = request->filter->graph;
    const char *why = "the last dump does not have them";
    mp_contents contents = {.graph = graph};
    const bool ok = graph->names.read_contents && mp_contents_read(graph, &contents, &why) &&
                    put_waste(request, document, &contents, &why);
    mp_contents_free(&contents);
    return ok || mp_fail(error, MP_ERROR_NO_ANSWER, "waste needs the contents of objects: %s", why);
}

const mp_report mp_report_waste = {
    .name = "waste",
    .summary = "show memory that holds nothing, or the same as other memory",
    .example = "waste samples/shop-3.hprof",
    .details =
        "For heap dumps with the contents of objects, which are those of Java and V8. Counts "
        "equal strings, empty collections, equal boxed numbers, the null elements of arrays "
        "that are mostly null, and arrays of zeros, of objects that strong roots reach. No "
        "byte counts twice. Dumps of V8 have texts, but no numbers.",
    MP_ARGUMENTS(waste_table, waste_defaults),
    .program_rows = 1000,
    .variants = {{.needs = MP_HOLDS_GRAPH | MP_HOLDS_CONTENTS, .run = run_waste}},
};
