/* The report object: one object of a heap dump, and its references. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/graph_sections.h"

/* --- the object --- */

typedef struct object_row {
    mp_object_cells cells;
    int64_t retained_objects, reachable;
    const char *unknown, *domain, *root_text, *dominator_type, *dominator_text;
} object_row;

static const mp_column object_columns[] = {
    MP_COLUMN_OF(object_row, cells.id, "object", "Object", MP_TEXT, 0),
    MP_COLUMN_OF(object_row, cells.type, "type", "Type", MP_TEXT, 0),
    MP_COLUMN(object_row, domain, "Application domain", MP_TEXT, 0),
    MP_COLUMN_OF(object_row, cells.self_bytes, "self_bytes", "Own size", MP_BYTES, 0),
    MP_COLUMN_OF(object_row, cells.retained_bytes, "retained_bytes", "Retained", MP_BYTES, 0),
    MP_COLUMN_OF(object_row, cells.percent, "retained_percent", "  of the reachable, %", MP_PERCENT,
                 0),
    MP_COLUMN(object_row, retained_objects, "  objects", MP_COUNT, 0),
    MP_COLUMN(object_row, reachable, "Reachable", MP_FLAG, 0),
    MP_COLUMN(object_row, unknown, "Reachable", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN_OF(object_row, cells.root_kind, "root_kind", "Roots", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(object_row, root_text, "Roots", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN_OF(object_row, cells.dominator, "dominator", "Dominator", MP_TEXT,
                 MP_FOR_PROGRAMS | MP_NULL),
    MP_COLUMN(object_row, dominator_type, "Dominator", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(object_row, dominator_text, "Dominator", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN_OF(object_row, cells.weak_root_kind, "weak_root_kind", "Weak roots", MP_TEXT,
                 MP_FOR_PROGRAMS),
};

/* Return "static in App.Cache, handle (pinned)". */
static const char *roots_text(mp_document *document, const mp_graph_view *view, uint32_t object)
{
    enum { MOST = 10 };
    const mp_root_list its_roots = mp_roots_of(&view->roots, object);
    const char *text = "";
    for (uint32_t i = 0; i < its_roots.count; i++) {
        const mp_root *root = &view->graph->roots.items[its_roots.items[i]];
        const char *flags = mp_root_flags_text(document->arena, root->flags);
        if (i == MOST)
            return mp_document_text(document, "%s and %u more", text, its_roots.count - i);
        text = mp_document_text(document, "%s%s%s%s%s%s", text, i ? ", " : "",
                                mp_root_text(document->arena, view->model, root),
                                *flags ? " (" : "", flags, *flags ? ")" : "");
    }
    return text;
}

static void put_object(mp_document *document, const mp_graph_view *view, uint32_t object)
{
    const mp_graph *graph = view->graph;
    uint32_t domain = mp_domain_of(graph, object);
    uint32_t place = mp_dominators_place(&view->dominators, object);
    uint32_t above = place ? view->dominators.idom[object] : 0;
    object_row row = {
        .cells = mp_object_cells_of(document, view, object),
        .retained_objects = place ? view->dominators.span[place] : MP_UNKNOWN,
        .reachable = place || mp_graph_tracks(graph, object) ? place != 0 : MP_UNKNOWN,
        .domain = domain ? mp_model_text(view->model, graph->domains.items[domain].name) : "",
        .root_text = roots_text(document, view, object),
        .dominator_text = place ? "none: held by roots, or by several objects together" : ""};
    if (row.reachable == MP_UNKNOWN)
        row.unknown = "unknown: no references were recorded for its type";
    if (above) {
        row.dominator_type = mp_type_text(document->arena, view->model, graph->types[above]);
        row.dominator_text = mp_object_text(document->arena, view, above);
    }
    mp_table *table = MP_TABLE(document, "object", NULL, MP_RECORD, object_columns);
    table->main = true;
    mp_table_put(document, table, &row);
}

/* --- references --- */

/* An object at the other end of one or more references. */
typedef struct other {
    uint32_t object;
    int64_t references, retained;
} other;

typedef struct reference_row {
    mp_object_cells cells;
    int64_t references;
    const char *via;
} reference_row;

static const mp_column reference_columns[] = {
    MP_COLUMN(reference_row, references, "References", MP_COUNT, 0),
    MP_COLUMN(reference_row, via, "Via", MP_TEXT, MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN_OF(reference_row, cells.id, "object", "Object", MP_TEXT, 0),
    MP_COLUMN_OF(reference_row, cells.self_bytes, "self_bytes", "Own", MP_BYTES, 0),
    MP_COLUMN_OF(reference_row, cells.retained_bytes, "retained_bytes", "Retained", MP_BYTES, 0),
    MP_COLUMN_OF(reference_row, cells.type, "type", "Type", MP_TEXT, MP_SHORTEN),
    MP_COLUMN_OF(reference_row, cells.root_kind, "root_kind", "Root", MP_TEXT, 0),
    MP_COLUMN_OF(reference_row, cells.weak_root_kind, "weak_root_kind", "Weak root", MP_TEXT,
                 MP_FOR_PROGRAMS),
};

typedef struct type_row {
    uint32_t number;
    const char *type;
    int64_t objects, references, self_bytes;
} type_row;

static const mp_column type_columns[] = {
    MP_COLUMN(type_row, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(type_row, references, "References", MP_COUNT, 0),
    MP_COLUMN(type_row, self_bytes, "Own", MP_BYTES, 0),
    MP_COLUMN(type_row, type, "Type", MP_TEXT, MP_SHORTEN),
};

/* Return the objects that refer to an object, or those to which it refers, sorted by number.
 * Release with free(). */
static other *others_of(const mp_graph_view *view, uint32_t object, bool referrers, size_t *count)
{
    const mp_graph *graph = view->graph;
    uint32_t last = referrers ? graph->count : object;
    other *found = NULL;
    size_t capacity = 0;
    *count = 0;
    for (uint32_t from = referrers ? 1 : object; from <= last; from++)
        for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
            if (referrers && graph->targets[i] != object)
                continue;
            uint32_t number = referrers ? from : graph->targets[i];
            mp_grow(&found, &capacity, *count + 1, sizeof *found);
            found[(*count)++] = (other){number, 1, (int64_t)view->dominators.retained[number]};
        }
    return found;
}

static int by_object(const void *left, const void *right)
{
    const other *a = left, *b = right;
    return MP_COMPARE(a->object, b->object);
}

/* Texts of the tables of one direction. */
typedef struct direction {
    const char *name, *title, *type_name, *type_title, *empty;
} direction;

static void put_types(mp_document *document, const mp_graph_view *view, const other *found,
                      size_t count, const direction *words, size_t rows)
{
    uint32_t used = 0, types = view->model->types.count;
    type_row *of_type = mp_alloc_zero(types, sizeof *of_type);
    for (size_t i = 0; i < count; i++) {
        type_row *row = &of_type[view->graph->types[found[i].object]];
        row->objects++;
        row->references += found[i].references;
        row->self_bytes += (int64_t)view->graph->sizes[found[i].object];
    }
    for (uint32_t i = 0; i < types; i++)
        if (of_type[i].objects) {
            of_type[used] = of_type[i];
            of_type[used++].number = i;
        }
    mp_rows_sort(of_type, used, sizeof *of_type,
                 (const mp_column *const[]){&type_columns[0], &type_columns[2], NULL});
    mp_table *table =
        MP_TABLE(document, words->type_name, words->type_title, MP_ROWS, type_columns);
    for (size_t i = 0; i < mp_shown_of(used, rows); i++) {
        of_type[i].type = mp_type_text(document->arena, view->model, of_type[i].number);
        mp_table_put(document, table, &of_type[i]);
    }
    mp_table_left_out(table, used);
    free(of_type);
}

/* The objects at the other ends of references in one direction. */
typedef struct other_list {
    other *items; /* sorted by retained size, largest first */
    size_t count;
    const direction *words;
    bool referrers;
} other_list;

/* Find the objects. Collect the references to the first `rows` of them, so that their names can be
 * read. */
static other_list find_others(mp_graph_view *view, uint32_t object, bool referrers,
                              const direction *words, size_t rows)
{
    static const mp_column by_retained = MP_COLUMN(other, retained, "", MP_BYTES, 0);
    size_t total, count = 0;
    other *found = others_of(view, object, referrers, &total);
    assert(found || !total);
    if (found)
        qsort(found, total, sizeof *found, by_object);
    for (size_t i = 0; i < total; i++)
        if (count && found[count - 1].object == found[i].object)
            found[count - 1].references++;
        else
            found[count++] = found[i];
    mp_rows_sort(found, count, sizeof *found, (const mp_column *const[]){&by_retained, NULL});
    for (size_t i = 0; i < mp_shown_of(count, rows); i++)
        mp_reference_want(view, referrers ? found[i].object : object,
                          referrers ? object : found[i].object);
    return (other_list){found, count, words, referrers};
}

/* Add a table of the objects, and release the list. */
static void put_others(mp_document *document, const mp_graph_view *view, uint32_t object,
                       other_list *list, size_t rows)
{
    const other *found = list->items;
    const direction *words = list->words;
    mp_table *table = MP_TABLE(document, words->name, words->title, MP_ROWS, reference_columns);
    table->empty = mp_graph_tracks(view->graph, object) ? words->empty
                                                        : "unknown: none was recorded for its type";
    for (size_t i = 0; i < mp_shown_of(list->count, rows); i++) {
        const uint32_t from = list->referrers ? found[i].object : object;
        const uint32_t to = list->referrers ? object : found[i].object;
        reference_row row = {mp_object_cells_of(document, view, found[i].object),
                             found[i].references, mp_reference_name(view, from, to)};
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, list->count);
    if (list->count > 1)
        put_types(document, view, found, list->count, words, rows);
    free(list->items);
}

typedef struct object_arguments {
    const char *object, *type;
    mp_argument_texts skip;
    int64_t limit;
} object_arguments;

static const object_arguments object_defaults = {.limit = MP_DEFAULT_ROWS};

static const mp_argument object_table[] = {
    {"object", offsetof(object_arguments, object), 1},
    {"type", offsetof(object_arguments, type), 1},
    {"skip", offsetof(object_arguments, skip), 1},
    {"limit", offsetof(object_arguments, limit), 1},
    {"domain", MP_SHARED_ARGUMENT, 1},
};

static void put_one(mp_document *document, mp_graph_view *view, uint32_t object, size_t rows)
{
    static const direction from = {"referrers", "Referred to by", "referrer_types",
                                   "Referred to by, by type", "nothing refers to it"};
    static const direction state = {"references", "Refers to", "reference_types",
                                    "Refers to, by type", "it refers to nothing"};
    put_object(document, view, object);
    other_list lists[] = {find_others(view, object, true, &from, rows),
                          find_others(view, object, false, &state, rows)};
    mp_references_read(view, document->arena);
    for (size_t i = 0; i < 2; i++)
        put_others(document, view, object, &lists[i], rows);
}

static bool run_object(const mp_request *request, mp_document *document, mp_error *error)
{
    const object_arguments *asked = request->arguments;
    const mp_graph *graph = request->filter->graph;
    uint32_t object = 0;
    if (asked->skip.count && !asked->type)
        return mp_fail(error, MP_ERROR_ARGUMENT,
                       MP_DASHES "skip is for objects of a type: " MP_DASHES "type");
    if (asked->type ? !mp_type_asked(request->model, graph, asked->type, error)
                    : !mp_object_asked(request->model, graph, asked->object, &object, error))
        return false;
    mp_graph_view *view = mp_request_graph(request);
    mp_section_dump_head(document, request, view);
    if (asked->type) {
        bool *skipped =
            mp_objects_matching(request->model, graph, asked->skip.items, asked->skip.count);
        mp_section_objects_of(document, view, asked->type, skipped, (size_t)asked->limit);
        free(skipped);
    } else {
        put_one(document, view, object, (size_t)asked->limit);
    }
    return true;
}

const mp_report mp_report_object = {
    .name = "object",
    .summary = "show one object or all of a type: sizes and references",
    .example = "object 1c16e0 samples/shop-domains.gclog",
    .details =
        "OBJECT is an id that memprof retained or top prints. Referring and referenced objects are "
        "listed with the number of references, those that retain most first. With `type` instead "
        "of OBJECT, shows all objects of matching types: by type, the objects that refer to them, "
        "that keep them alive (their dominators, without types to `skip`), and that they retain.",
    .single = true,
    .operand = MP_OPERAND_OBJECT,
    MP_ARGUMENTS(object_table, object_defaults),
    .program_rows = 1000,
    .variants = {{.needs = MP_HOLDS_GRAPH, .run = run_object}},
};
