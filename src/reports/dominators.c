/* The dominator tree: who keeps whom alive. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "reports/graph_sections.h"

enum { DEFAULT_TREE_ROWS = 200, DEEPEST_INDENT = 40 };

static const mp_column columns[] = {
    {"retained_bytes", "Retained", MP_BYTES, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
    {"self_bytes", "Own", MP_BYTES, 0, 0},
    {"retained_objects", "Objects", MP_COUNT, 0, 0},
    {"depth", "Depth", MP_NUMBER, MP_FOR_PROGRAMS, 0},
    {"object", "Object", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"type", "Type", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"dominator", "Dominator", MP_TEXT, MP_FOR_PROGRAMS | MP_NULL, 0},
    {"node", "Dominator tree", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN, 0},
    {"root_kind", "Root", MP_TEXT, 0, 0},
};

/* Places of the tree that are still to be shown, the next one last. */
typedef struct waiting {
    uint32_t place, depth;
} waiting;

typedef struct tree_rows {
    mp_document *document;
    mp_table *table;
    const mp_graph_view *view;
    waiting *stack;
    size_t count, capacity;
    size_t rows, passed;
    uint32_t most_depth; /* 0: any */
    double least;        /* bytes */
} tree_rows;

static int next_last(const void *left, const void *right, void *opaque)
{
    const mp_graph_view *view = opaque;
    uint32_t a = view->dominators.order[((const waiting *)left)->place];
    uint32_t b = view->dominators.order[((const waiting *)right)->place];
    uint64_t bytes_a = view->dominators.retained[a], bytes_b = view->dominators.retained[b];
    if (bytes_a != bytes_b)
        return bytes_a < bytes_b ? -1 : 1;
    if (view->graph->ids[a] != view->graph->ids[b])
        return view->graph->ids[a] > view->graph->ids[b] ? -1 : 1;
    return a > b ? -1 : a < b;
}

static void push_children(tree_rows *walk, waiting at)
{
    const mp_dominators *dominators = &walk->view->dominators;
    uint32_t end = at.place + dominators->span[at.place];
    size_t before = walk->count;
    uint32_t depth = at.place ? at.depth + 1 : 0;
    if (walk->most_depth && depth >= walk->most_depth)
        return;
    for (uint32_t child = at.place + 1; child < end; child += dominators->span[child]) {
        if ((double)dominators->retained[dominators->order[child]] < walk->least)
            continue;
        mp_grow(&walk->stack, &walk->capacity, walk->count + 1, sizeof *walk->stack);
        walk->stack[walk->count++] = (waiting){child, depth};
    }
    if (walk->count > before)
        qsort_r(walk->stack + before, walk->count - before, sizeof *walk->stack, next_last,
                (void *)walk->view);
}

static void put_node(tree_rows *walk, waiting at)
{
    const mp_graph_view *view = walk->view;
    const mp_dominators *dominators = &view->dominators;
    uint32_t object = dominators->order[at.place];
    int indent = (int)(at.depth < DEEPEST_INDENT ? at.depth : DEEPEST_INDENT) * 2;
    int64_t retained = (int64_t)dominators->retained[object];
    mp_document *document = walk->document;
    mp_table *table = walk->table;
    mp_table_row(table);
    mp_set_number(table, "retained_bytes", retained);
    mp_set_real(table, "percent", mp_percent_of(retained, (int64_t)dominators->retained[0]));
    mp_set_number(table, "self_bytes", (int64_t)view->graph->sizes[object]);
    mp_set_number(table, "retained_objects", dominators->span[at.place]);
    mp_set_number(table, "depth", at.depth);
    mp_set_text(document, table, "object", mp_object_id_text(document, view->graph, object));
    mp_set_text(document, table, "type",
                mp_type_text(document, view->model, view->graph->types[object]));
    mp_set_text(document, table, "dominator",
                mp_object_id_text(document, view->graph, dominators->idom[object]));
    mp_set_text(
        document, table, "node",
        mp_document_text(document, "%*s%s", indent, "", mp_object_text(document, view, object)));
    mp_set_text(document, table, "root_kind", mp_object_roots_text(document, view, object));
}

/* Parents first, the largest child first. */
static void put_tree(tree_rows *walk)
{
    push_children(walk, (waiting){0, 0});
    while (walk->count) {
        waiting at = walk->stack[--walk->count];
        walk->passed++;
        if (!walk->rows || walk->table->row_count < walk->rows)
            put_node(walk, at);
        push_children(walk, at);
    }
    free(walk->stack);
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)error;
    const mp_view *asked = &request->view;
    mp_graph_view view = mp_graph_view_of(request->model);
    double percent = asked->min_percent < 0 ? 0.5 : asked->min_percent;
    mp_section_dump_head(document, request, &view);
    mp_table *table =
        MP_TABLE(document, "dominators", "Dominator tree: who keeps whom alive", MP_ROWS, columns);
    table->main = true;
    table->empty =
        view.dominators.reached ? "nothing alone keeps so much alive" : "no root reaches anything";
    if (percent > 0)
        mp_table_line(document, table, "without what is below %.12g %% of the whole", percent)
            ->argument = "min-percent";
    tree_rows walk = {.document = document,
                      .table = table,
                      .view = &view,
                      .rows = mp_view_rows(asked, DEFAULT_TREE_ROWS),
                      .most_depth = asked->depth > 0 ? (uint32_t)asked->depth : 0,
                      .least = percent / 100 * (double)view.dominators.retained[0]};
    put_tree(&walk);
    mp_table_left_out(document, table, walk.passed);
    mp_graph_view_free(&view);
    return true;
}

const mp_report mp_report_dominators = {
    .name = "dominators",
    .summary = "the dominator tree of a heap dump, largest first",
    .example = "dominators samples/shop-3.gclog --depth 3",
    .details = "An object stands below the one without which no strong root would reach it;\n"
               "what stands on the left is held by roots, or by several objects together.",
    .program_rows = 1000,
    .variants = {{.needs = MP_HOLDS_GRAPH,
                  .honours = MP_HONOURS_LIMIT | MP_HONOURS_TREE | MP_HONOURS_DOMAIN,
                  .run = run}},
};
