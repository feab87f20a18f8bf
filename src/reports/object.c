/* One object of a heap dump: what it is, whom it refers to, who refers to it. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "reports/graph_sections.h"

/* --- the object --- */

static const mp_column object_columns[] = {
    {"object", "Object", MP_TEXT, 0, 0},
    {"type", "Type", MP_TEXT, 0, 0},
    {"domain", "Application domain", MP_TEXT, 0, 0},
    {"self_bytes", "Own size", MP_BYTES, 0, 0},
    {"retained_bytes", "Retained", MP_BYTES, 0, 0},
    {"retained_percent", "  of the reachable, %", MP_PERCENT, 0, 0},
    {"retained_objects", "  objects", MP_COUNT, 0, 0},
    {"reachable", "Reachable", MP_FLAG, 0, 0},
    {"root_kind", "Roots", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"root_text", "Roots", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"dominator", "Dominator", MP_TEXT, MP_FOR_PROGRAMS | MP_NULL, 0},
    {"dominator_type", "Dominator", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"dominator_text", "Dominator", MP_TEXT, MP_FOR_PEOPLE, 0},
};

/* "static in App.Cache, handle (pinned)" */
static const char *roots_text(mp_document *document, const mp_graph_view *view, uint32_t object)
{
    const mp_object_roots *roots = &view->roots;
    const char *text = "";
    uint32_t from = roots->first[object], end = roots->first[object + 1];
    for (uint32_t i = from; i < end; i++) {
        const mp_root *root = &view->graph->roots.at[roots->roots[i]];
        char flags[64];
        mp_root_flags_label(root->flags, flags, sizeof flags);
        if (i - from == 10)
            return mp_document_text(document, "%s and %u more", text, end - i);
        text = mp_document_text(
            document, "%s%s%s%s%s%s%s%s", text, i > from ? ", " : "",
            mp_root_kind_text(document, root->kind), root->container.i ? " in " : "",
            root->container.i ? mp_type_text(document, view->model, root->container.i) : "",
            *flags ? " (" : "", flags, *flags ? ")" : "");
    }
    return text;
}

static void put_object(mp_document *document, const mp_graph_view *view, uint32_t object)
{
    const mp_graph *graph = view->graph;
    const mp_dominators *dominators = &view->dominators;
    uint32_t domain = mp_domain_of(graph, object), place = mp_dominators_place(dominators, object);
    uint32_t above = place ? dominators->idom[object] : 0;
    int64_t retained = (int64_t)dominators->retained[object];
    mp_table *table = MP_TABLE(document, "object", NULL, MP_RECORD, object_columns);
    mp_table_row(table);
    mp_set_text(document, table, "object", mp_object_id_text(document, graph, object));
    mp_set_text(document, table, "type", mp_type_text(document, view->model, graph->types[object]));
    if (domain)
        mp_set_text(document, table, "domain",
                    mp_model_text(view->model, graph->domains.at[domain].name));
    mp_set_number(table, "self_bytes", (int64_t)graph->sizes[object]);
    mp_set_number(table, "reachable", place != 0);
    mp_set_text(document, table, "root_kind", mp_object_roots_text(document, view, object));
    mp_set_text(document, table, "root_text", roots_text(document, view, object));
    if (!place)
        return;
    mp_set_number(table, "retained_bytes", retained);
    mp_set_real(table, "retained_percent",
                mp_percent_of(retained, (int64_t)dominators->retained[0]));
    mp_set_number(table, "retained_objects", dominators->span[place]);
    mp_set_text(document, table, "dominator", mp_object_id_text(document, graph, above));
    if (above)
        mp_set_text(document, table, "dominator_type",
                    mp_type_text(document, view->model, graph->types[above]));
    mp_set_text(document, table, "dominator_text",
                above ? mp_object_text(document, view, above)
                      : "none: held by roots, or by several objects together");
}

/* --- references --- */

static const mp_column reference_columns[] = {
    {"references", "References", MP_COUNT, 0, 0}, {"object", "Object", MP_TEXT, 0, 0},
    {"self_bytes", "Own", MP_BYTES, 0, 0},        {"retained_bytes", "Retained", MP_BYTES, 0, 0},
    {"type", "Type", MP_TEXT, MP_SHORTEN, 0},     {"root_kind", "Root", MP_TEXT, 0, 0},
};

static const mp_column type_columns[] = {
    {"objects", "Objects", MP_COUNT, 0, 0},
    {"references", "References", MP_COUNT, 0, 0},
    {"self_bytes", "Own", MP_BYTES, 0, 0},
    {"type", "Type", MP_TEXT, MP_SHORTEN, 0},
};

/* An object at the other end of so many references; or a type. */
typedef struct other {
    uint32_t object, type;
    int64_t references, objects, bytes;
} other;

typedef struct others {
    other *at;
    size_t count, capacity;
} others;

static int by_object(const void *left, const void *right)
{
    const other *a = left, *b = right;
    return a->object < b->object ? -1 : a->object > b->object;
}

static int by_type(const void *left, const void *right)
{
    const other *a = left, *b = right;
    return a->type < b->type ? -1 : a->type > b->type;
}

static int most_first(const void *left, const void *right)
{
    const other *a = left, *b = right;
    if (a->objects != b->objects)
        return a->objects > b->objects ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return by_type(left, right);
}

static void add(others *all, const mp_graph *graph, uint32_t object)
{
    mp_grow(&all->at, &all->capacity, all->count + 1, sizeof *all->at);
    all->at[all->count++] =
        (other){object, graph->types[object], 1, 1, (int64_t)graph->sizes[object]};
}

/* One for each object, or type, with the sums. */
static void merge(others *all, bool types)
{
    size_t kept = 0;
    if (all->count)
        qsort(all->at, all->count, sizeof *all->at, types ? by_type : by_object);
    for (size_t i = 0; i < all->count; i++) {
        other *last = kept ? &all->at[kept - 1] : NULL;
        if (last && (types ? last->type == all->at[i].type : last->object == all->at[i].object)) {
            last->references += all->at[i].references;
            last->objects += types;
            last->bytes += types ? all->at[i].bytes : 0;
        } else {
            all->at[kept++] = all->at[i];
        }
    }
    all->count = kept;
    if (types && kept)
        qsort(all->at, kept, sizeof *all->at, most_first);
}

static others others_of(const mp_graph *graph, uint32_t object, bool referrers)
{
    others found = {0};
    for (uint32_t from = referrers ? 1 : object; from <= (referrers ? graph->count : object);
         from++)
        for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++)
            if (!referrers || graph->targets[i] == object)
                add(&found, graph, referrers ? from : graph->targets[i]);
    merge(&found, false);
    return found;
}

static int most_retained_first(const void *left, const void *right, void *opaque)
{
    const mp_graph_view *view = opaque;
    const other *a = left, *b = right;
    uint64_t bytes_a = view->dominators.retained[a->object];
    uint64_t bytes_b = view->dominators.retained[b->object];
    if (bytes_a != bytes_b)
        return bytes_a > bytes_b ? -1 : 1;
    return by_object(left, right);
}

/* What words a table of one direction needs. */
typedef struct direction {
    const char *name, *title, *type_name, *type_title, *empty;
} direction;

static void put_others(mp_document *document, const mp_graph_view *view, others *found,
                       const direction *words, size_t rows)
{
    mp_table *table = MP_TABLE(document, words->name, words->title, MP_ROWS, reference_columns);
    table->empty = words->empty;
    if (found->count)
        qsort_r(found->at, found->count, sizeof *found->at, most_retained_first, (void *)view);
    for (size_t i = 0; i < found->count && (!rows || i < rows); i++) {
        uint32_t object = found->at[i].object;
        mp_table_row(table);
        mp_set_number(table, "references", found->at[i].references);
        mp_set_text(document, table, "object", mp_object_id_text(document, view->graph, object));
        mp_set_number(table, "self_bytes", (int64_t)view->graph->sizes[object]);
        if (mp_is_reached(&view->dominators, object))
            mp_set_number(table, "retained_bytes", (int64_t)view->dominators.retained[object]);
        mp_set_text(document, table, "type",
                    mp_type_text(document, view->model, view->graph->types[object]));
        mp_set_text(document, table, "root_kind", mp_object_roots_text(document, view, object));
    }
    mp_table_left_out(document, table, found->count);
    if (found->count < 2)
        return;
    merge(found, true);
    table = MP_TABLE(document, words->type_name, words->type_title, MP_ROWS, type_columns);
    for (size_t i = 0; i < found->count && (!rows || i < rows); i++) {
        mp_table_row(table);
        mp_set_number(table, "objects", found->at[i].objects);
        mp_set_number(table, "references", found->at[i].references);
        mp_set_number(table, "self_bytes", found->at[i].bytes);
        mp_set_text(document, table, "type",
                    mp_type_text(document, view->model, found->at[i].type));
    }
    mp_table_left_out(document, table, found->count);
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    static const direction to = {"references", "Refers to", "reference_types", "Refers to, by type",
                                 "it refers to nothing"};
    static const direction from = {"referrers", "Referred to by", "referrer_types",
                                   "Referred to by, by type", "nothing refers to it"};
    const mp_graph *graph = request->model->graph;
    size_t rows = mp_view_rows(&request->view, MP_DEFAULT_ROWS);
    uint32_t object;
    if (!mp_request_object(request, graph, &object, error))
        return false;
    mp_graph_view view = mp_graph_view_of(request->model);
    mp_section_dump_head(document, request, &view);
    put_object(document, &view, object);
    document->tables[document->table_count - 1].main = true;
    others found = others_of(graph, object, true);
    put_others(document, &view, &found, &from, rows);
    free(found.at);
    found = others_of(graph, object, false);
    put_others(document, &view, &found, &to, rows);
    free(found.at);
    mp_graph_view_free(&view);
    return true;
}

const mp_report mp_report_object = {
    .name = "object",
    .summary = "one object of a heap dump: sizes, roots, who refers to it, whom it refers to",
    .example = "object 1c16e0 samples/shop-domains.gclog",
    .details = "OBJECT is an id, as memprof retained and top print them. Those that retain most\n"
               "stand first, with the number of references from or to each.",
    .single = true,
    .operand = MP_OPERAND_OBJECT,
    .program_rows = 1000,
    .variants = {{.needs = MP_HOLDS_GRAPH,
                  .honours = MP_HONOURS_OBJECT | MP_HONOURS_LIMIT | MP_HONOURS_DOMAIN,
                  .run = run}},
};
