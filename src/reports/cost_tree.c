/* The report tree: the call tree with the cost of each node, alone and with its callees. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "query/code_names.h"
#include "query/folding.h"
#include "reports/profile_sections.h"
#include "reports/sections.h"
#include "reports/stacks.h"

enum { DEEPEST_INDENT = 40 };

/* Row of the tree. Costs are bytes for heaps, microseconds for profiles. */
typedef struct tree_row {
    int64_t inclusive, self, inclusive_objects, own_objects, calls;
    double percent;
    int64_t depth, line, start_line;
    const char *key, *node;
} tree_row;

static const mp_column columns[] = {
    MP_COLUMN_OF(tree_row, inclusive, "inclusive_bytes", "With callees", MP_BYTES, MP_OF_HEAPS),
    MP_COLUMN_OF(tree_row, inclusive, "inclusive_seconds", "With callees", MP_SECONDS,
                 MP_OF_PROFILES),
    MP_COLUMN(tree_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(tree_row, self, "own_bytes", "Own", MP_BYTES, MP_OF_HEAPS),
    MP_COLUMN_OF(tree_row, self, "own_seconds", "Own", MP_SECONDS, MP_OF_PROFILES),
    MP_COLUMN(tree_row, inclusive_objects, "Objects", MP_COUNT, MP_OF_HEAPS),
    MP_COLUMN(tree_row, own_objects, "Own objects", MP_COUNT, MP_OF_HEAPS),
    MP_COLUMN(tree_row, calls, "Calls", MP_COUNT, MP_OF_PROFILES),
    MP_COLUMN(tree_row, depth, "Depth", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(tree_row, key, "Source", MP_TEXT, MP_OF_HEAPS | MP_FOR_PROGRAMS),
    MP_COLUMN(tree_row, key, "Module", MP_TEXT, MP_OF_PROFILES | MP_FOR_PROGRAMS),
    MP_COLUMN(tree_row, line, "Called from line", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(tree_row, start_line, "From line", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(tree_row, node, "Call tree", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
};

/* State of a walk over the tree. Either `bytes` or `times` is set. Node 0 is the parent of the
 * roots. */
typedef struct tree_walk {
    mp_document *document;
    const mp_model *model;
    mp_table *table;
    const mp_tree_cost *bytes;
    const mp_path_cost *times;
    uint32_t *first_child, *next_sibling; /* first child and next sibling of each node, the most
                                           * expensive first */
    uint32_t *indent;                     /* indentation of each node */
    int64_t total;
    size_t rows, passed;
    bool folds,
        folded; /* folds: leave out repeated recursion; folded: some recursion was left out */
    uint32_t most_depth; /* 0 = unlimited */
    double min_percent;
} tree_walk;

static int64_t inclusive_of(const tree_walk *walk, uint32_t node)
{
    return walk->bytes ? walk->bytes[node].inclusive_bytes : walk->times[node].inclusive_us;
}

typedef struct by_cost {
    int64_t cost;
    const char *name;
    uint32_t line, node;
} by_cost;

/* Order children by ascending cost, because each is pushed to the front of its siblings' list. */
static int smallest_first(const void *left, const void *right)
{
    const by_cost *a = left, *b = right;
    int order = MP_COMPARE(a->cost, b->cost);
    order = order ? order : strcmp(b->name, a->name);
    order = order ? order : MP_COMPARE(b->line, a->line);
    return order ? order : MP_COMPARE(b->node, a->node);
}

static void link_children(tree_walk *walk)
{
    const mp_tree_node *nodes = walk->model->tree.items;
    uint32_t count = walk->model->tree.count;
    mp_arena names = {0};
    by_cost *order = mp_alloc_zero(count, sizeof *order);
    walk->first_child = mp_alloc_zero(count, sizeof *walk->first_child);
    walk->next_sibling = mp_alloc_zero(count, sizeof *walk->next_sibling);
    for (uint32_t i = 1; i < count; i++) {
        order[i] = (by_cost){inclusive_of(walk, i), mp_tree_label(&names, walk->model, i),
                             nodes[i].line, i};
    }
    if (count > 1)
        qsort(order + 1, count - 1, sizeof *order, smallest_first);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t node = order[i].node, parent = nodes[node].parent;
        walk->next_sibling[node] = walk->first_child[parent];
        walk->first_child[parent] = node;
    }
    free(order);
    mp_arena_free(&names);
}

/* Add a node's own cost to a row. A row may represent several nodes. */
static void add_own(const tree_walk *walk, uint32_t node, tree_row *row)
{
    if (walk->bytes) {
        row->self += walk->bytes[node].own_bytes;
        row->own_objects += walk->bytes[node].own_objects;
    } else {
        row->self += walk->times[node].own_us;
        row->calls += walk->times[node].calls;
    }
}

/* Return the name of a node's code for people. */
static const char *name_of(const tree_walk *walk, uint32_t node)
{
    const mp_model *model = walk->model;
    const mp_module_id module = walk->times ? walk->times[node].module : (mp_module_id){0};
    if (!module.i)
        return mp_tree_told(walk->document->arena, model, node);
    const mp_code_place place = mp_module_place(model, &model->profile->modules.items[module.i]);
    return mp_code_label(walk->document->arena, &place);
}

static const char *node_text(const tree_walk *walk, uint32_t node)
{
    const mp_tree_node *tree_node = &walk->model->tree.items[node];
    int indent = (int)(walk->indent[node] < DEEPEST_INDENT ? walk->indent[node] : DEEPEST_INDENT);
    const char *line =
        tree_node->parent && tree_node->line != MP_NO_LINE && tree_node->line
            ? mp_document_text(walk->document, "  (line %" PRId32 ")", (int32_t)tree_node->line)
            : "";
    return mp_document_text(walk->document, "%*s%s%s", 2 * indent, "", name_of(walk, node), line);
}

/* Add the row of a node. `turn` is the recursion that is left out after the node; if none is, its
 * number of frames is 0. */
static void put_node(tree_walk *walk, uint32_t node, uint32_t depth, tree_row row, mp_turn turn)
{
    const mp_tree_node *tree_node = &walk->model->tree.items[node];
    walk->passed++;
    if (walk->rows && walk->table->row_count == walk->rows)
        return;
    uint32_t start = walk->model->symbols.items[tree_node->symbol.i].start_line;
    bool called = tree_node->parent && tree_node->line != MP_NO_LINE;
    row.inclusive = inclusive_of(walk, node);
    row.percent = mp_percent_of(inclusive_of(walk, node), walk->total);
    row.depth = depth;
    row.line = called ? (int32_t)tree_node->line : MP_UNKNOWN;
    row.key = mp_node_text(walk->document, walk->model, node);
    row.start_line = start ? start : MP_UNKNOWN;
    row.node = node_text(walk, node);
    if (turn.frames)
        row.node = mp_again_text(walk->document, row.node, turn);
    if (walk->bytes)
        row.inclusive_objects = walk->bytes[node].inclusive_objects;
    mp_table_put(walk->document, walk->table, &row);
}

static bool is_shown(const tree_walk *walk, uint32_t node, uint32_t depth)
{
    bool deep = walk->most_depth && depth >= walk->most_depth;
    return !deep &&
           (double)inclusive_of(walk, node) * 100 >= walk->min_percent * (double)walk->total;
}

/* Return the only callee of a node that is shown; 0 if no callee is shown, or more than one. */
static uint32_t only_callee(const void *opaque, uint32_t node)
{
    const tree_walk *walk = opaque;
    uint32_t callee = walk->first_child[node], depth = walk->model->tree.items[node].depth;
    uint32_t other = callee ? walk->next_sibling[callee] : 0;
    return callee && is_shown(walk, callee, depth) && !(other && is_shown(walk, other, depth))
               ? callee
               : 0;
}

/* Add the rows of a node. If recursion repeats below it, add only the rows of the first round, with
 * the costs of all rounds. Return the last node that these rows represent. */
static uint32_t put_nodes(tree_walk *walk, uint32_t node, uint32_t depth)
{
    mp_turn turn = {0};
    if (walk->folds)
        turn = mp_turn_below(walk->model, node, only_callee, walk);
    if (!turn.frames) {
        tree_row row = {.self = 0};
        add_own(walk, node, &row);
        put_node(walk, node, depth, row, turn);
        return node;
    }
    const mp_turn once = {0};
    tree_row rows[MP_LONGEST_TURN] = {{.self = 0}};
    uint32_t index = node;
    for (uint32_t i = 0; i < turn.frames + turn.again; i++) {
        add_own(walk, index, &rows[i % turn.frames]);
        index = only_callee(walk, index);
    }
    index = node;
    for (uint32_t i = 0; i < turn.frames; i++) {
        walk->indent[index] = walk->indent[node] + i;
        walk->indent[turn.end] = walk->indent[index];
        put_node(walk, index, depth + i, rows[i], i + 1 < turn.frames ? once : turn);
        index = only_callee(walk, index);
    }
    walk->folded = true;
    return turn.end;
}

/* Walk in pre-order, the most expensive child first. The walk is iterative, so the depth of the
 * tree is not limited. */
static void walk_tree(tree_walk *walk)
{
    const mp_tree_node *nodes = walk->model->tree.items;
    uint32_t node = walk->first_child[0];
    while (node) {
        uint32_t depth = nodes[node].depth - 1;
        bool shown = is_shown(walk, node, depth);
        walk->indent[node] = nodes[node].parent ? walk->indent[nodes[node].parent] + 1 : 0;
        if (shown)
            node = put_nodes(walk, node, depth);
        if (shown && walk->first_child[node]) {
            node = walk->first_child[node];
            continue;
        }
        while (node && !walk->next_sibling[node])
            node = nodes[node].parent;
        if (node)
            node = walk->next_sibling[node];
    }
}

static void put_rows(tree_walk *walk)
{
    walk->passed = 0;
    walk_tree(walk);
    mp_table_left_out(walk->table, walk->passed);
}

/* Print the tree. People see repeated recursion once; programs get a second table with every node.
 * If the tables of several files are merged, nothing is folded. */
static void put_tree(tree_walk *walk, const mp_request *request)
{
    const mp_heap_arguments *asked = request->arguments;
    walk->rows = (size_t)asked->limit;
    walk->most_depth = (uint32_t)asked->depth;
    walk->min_percent = asked->min_percent;
    if (walk->min_percent > 0)
        mp_table_line(walk->document, walk->table,
                      "entries below %.12g %% of the whole are omitted", walk->min_percent)
            ->argument = "min-percent";
    walk->indent = mp_alloc_zero(walk->model->tree.count, sizeof *walk->indent);
    walk->folds = !request->one_of_many;
    link_children(walk);
    put_rows(walk);
    if (walk->folded) {
        mp_table *shown = walk->table;
        shown->flags = MP_FOR_PEOPLE;
        shown->main = true;
        walk->table = mp_document_table(walk->document, shown->name, shown->title, shown->shape,
                                        shown->columns, shown->column_count);
        walk->table->flags = MP_FOR_PROGRAMS;
        walk->folds = false;
        put_rows(walk);
    }
    walk->table->main = true;
    MP_FREE(walk->indent, walk->first_child, walk->next_sibling);
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_window *window = mp_section_heap(document, request, false, error);
    if (!window)
        return false;
    mp_tree_cost *costs = mp_tree_costs(window);
    tree_walk walk = {.document = document,
                      .model = request->model,
                      .bytes = costs,
                      /* If nothing is alive, no node is large enough for a row. */
                      .total = costs[0].inclusive_bytes ? costs[0].inclusive_bytes : 1};
    walk.table = MP_KIND_TABLE(document, request->model, "tree", NULL, columns);
    walk.table->title = mp_document_text(document, "Call tree by bytes alive at %s",
                                         mp_moment_text(document, window, false));
    walk.table->empty = "no code has live objects";
    if (document->uncounted && costs[0].own_bytes)
        mp_table_line(document, walk.table, "outside the program's code: %s",
                      mp_bytes_text(document, costs[0].own_bytes));
    else if (costs[0].own_objects || costs[0].own_bytes)
        mp_table_line(document, walk.table, "outside the program's code: %s in %s",
                      mp_bytes_text(document, costs[0].own_bytes),
                      mp_counted_text(document, costs[0].own_objects, "object"));
    put_tree(&walk, request);
    free(costs);
    return true;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_path_cost *costs = mp_profile_path_costs(request->filter);
    if (!costs) {
        mp_fail(error, MP_ERROR_ARGUMENT,
                "tree needs a call tree, which only profiles of version 3 and 4 (OpenEdge 12) "
                "have; try top " MP_DASHES "by method");
        return false;
    }
    mp_section_profile(document, request);
    tree_walk walk = {.document = document, .model = request->model, .times = costs};
    walk.table =
        MP_KIND_TABLE(document, request->model, "tree",
                      document->sampled ? "Call tree by samples" : "Call tree by time", columns);
    for (uint32_t i = 1; i < request->model->tree.count; i++)
        walk.total += request->model->tree.items[i].parent ? 0 : costs[i].inclusive_us;
    put_tree(&walk, request);
    free(costs);
    return true;
}

/* Variants of the command: profiles, logs of heap events, other heaps. */
enum { PROFILES = 1, LOGS = 2, OTHERS = 4, ALL = PROFILES | LOGS | OTHERS };

static const mp_heap_arguments defaults = {.limit = 200, .min_percent = 0.5};

static const mp_argument arguments[] = {
    MP_ASKS_WINDOW(LOGS | OTHERS),
    MP_ASKS("limit", limit, ALL),
    MP_ASKS("depth", depth, ALL),
    MP_ASKS("min-percent", min_percent, ALL),
    MP_SHARES("selection", LOGS | OTHERS),
    MP_SHARES("keep-profiler", PROFILES),
    MP_SHARES_EVENTS(LOGS),
};

const mp_report mp_report_tree = {
    .name = "tree",
    .summary = "show the call tree with inclusive and own cost, largest first",
    .example = "tree samples/shop-v2.oemp --depth 4",
    .details =
        "The cost is bytes alive at the snapshot `to` for memory, by the call-tree node that "
        "created them, and seconds for execution profiles (versions 3 and 4 have a call tree).",
    MP_ARGUMENTS(arguments, defaults),
    .wants = MP_TELLS_TREE,
    .variants = {{.needs = MP_HOLDS_PROFILE, .run = run_profile},
                 {.needs = MP_HOLDS_EVENTS, .run = run_heap},
                 {.needs = MP_HOLDS_HISTORY, .run = run_heap}},
};
