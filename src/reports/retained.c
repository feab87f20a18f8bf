/* Reports on retained sizes: objects and groups by retained size, and the dominator tree. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "reports/graph_sections.h"

/* --- retained --- */

typedef struct retained_arguments {
    const char *by, *sort, *only;
    int64_t min_size, min_count, limit;
    double min_percent;
} retained_arguments;

static const retained_arguments retained_defaults = {.limit = MP_REPORT_ROWS};

static const mp_argument retained_table[] = {
    {"by", offsetof(retained_arguments, by), 1},
    {"sort", offsetof(retained_arguments, sort), 1},
    {"only", offsetof(retained_arguments, only), 1},
    {"min-size", offsetof(retained_arguments, min_size), 1},
    {"min-count", offsetof(retained_arguments, min_count), 1},
    {"min-percent", offsetof(retained_arguments, min_percent), 1},
    {"limit", offsetof(retained_arguments, limit), 1},
    {"selection", MP_SHARED_ARGUMENT, 1},
    {"domain", MP_SHARED_ARGUMENT, 1},
};

/* Refuse selections by snapshot or stack, because objects of a graph have neither. */
static bool selects_by_type(const mp_selection *selection, mp_error *error)
{
    const char *other = selection->within.since.given   ? "since"
                        : selection->within.until.given ? "until"
                                                        : NULL;
    for (size_t i = 0; !other && i < selection->count; i++)
        if (selection->criteria[i].subject != MP_SUBJECT_TYPE)
            other = mp_subject_name(selection->criteria[i].subject);
    return !other || mp_fail_argument(error, other, NULL,
                                      "retained selects objects by " MP_DASHES "type alone");
}

/* Return the minimum of a row's retained bytes. */
static int64_t least_of(const retained_arguments *asked, const mp_graph_view *view)
{
    const double share = asked->min_percent * (double)mp_graph_reachable(view) / 100;
    const int64_t least = (int64_t)ceil(share);
    return least > asked->min_size ? least : asked->min_size;
}

static bool run_retained(const mp_request *request, mp_document *document, mp_error *error)
{
    const retained_arguments *asked = request->arguments;
    bool objects = !asked->by || mp_text_is(asked->by, "object"), ok = true;
    const char *of_groups = asked->sort        ? "sort"
                            : asked->only      ? "only"
                            : asked->min_count ? "min-count"
                                               : NULL;
    if (objects && of_groups)
        return mp_fail(error, MP_ERROR_ARGUMENT,
                       MP_DASHES "%s is for groups: " MP_DASHES "by type or " MP_DASHES
                                 "by namespace",
                       of_groups);
    if (!selects_by_type(&request->selection, error))
        return false;
    mp_graph_view *view = mp_request_graph(request);
    mp_section_dump_head(document, request, view);
    const int64_t least = least_of(asked, view);
    if (objects)
        mp_section_retained(document, view, least, (size_t)asked->limit);
    else
        ok = mp_section_histogram(document, view,
                                  &(mp_histogram_asked){.by = asked->by,
                                                        .sort = asked->sort,
                                                        .only = asked->only,
                                                        .min_bytes = least,
                                                        .min_count = asked->min_count,
                                                        .rows = (size_t)asked->limit},
                                  error);
    document->tables[document->table_count - 1].main = true;
    mp_section_roots(document, view, false);
    return ok;
}

static const mp_choice retained_choices[] = {
    {.argument = "by", .variants = 1, MP_WORDS(mp_graph_groups)},
    {.argument = "sort",
     .variants = 1,
     .where = "by type or namespace",
     MP_WORDS(mp_reached_orders)},
    {0},
};

const mp_report mp_report_retained = {
    .name = "retained",
    .summary = "show how much each object, type or namespace keeps alive",
    .example = "retained samples/shop-3.gclog --by type",
    .details = "The retained size of an object is the memory that freeing it would release: all "
               "objects that strong roots reach only through it. The retained size of a type or "
               "namespace is the memory that freeing all of its objects at once would release.",
    MP_ARGUMENTS(retained_table, retained_defaults),
    .choices = retained_choices,
    .program_rows = 1000,
    .variants = {{.needs = MP_HOLDS_GRAPH, .run = run_retained}},
};

/* --- the dominator tree --- */

typedef struct tree_row {
    mp_object_cells cells;
    int64_t retained_objects, alike_objects, depth;
    const char *node;
} tree_row;

static const mp_column tree_columns[] = {
    MP_COLUMN_OF(tree_row, cells.retained_bytes, "retained_bytes", "Retained", MP_BYTES, 0),
    MP_COLUMN_OF(tree_row, cells.percent, "percent", "%", MP_PERCENT, 0),
    MP_COLUMN_OF(tree_row, cells.self_bytes, "self_bytes", "Own", MP_BYTES, 0),
    MP_COLUMN(tree_row, retained_objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(tree_row, alike_objects, "Alike", MP_COUNT, MP_IF_KNOWN),
    MP_COLUMN(tree_row, depth, "Depth", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(tree_row, cells.id, "object", "Object", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(tree_row, cells.type, "type", "Type", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(tree_row, cells.dominator, "dominator", "Dominator", MP_TEXT,
                 MP_FOR_PROGRAMS | MP_NULL),
    MP_COLUMN(tree_row, node, "Dominator tree", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN_OF(tree_row, cells.root_kind, "root_kind", "Root", MP_TEXT, 0),
    MP_COLUMN_OF(tree_row, cells.weak_root_kind, "weak_root_kind", "Weak root", MP_TEXT,
                 MP_FOR_PROGRAMS),
    MP_COLUMN_OF(tree_row, cells.via, "via", "Via", MP_TEXT, MP_SHORTEN | MP_IF_KNOWN),
};

typedef struct tree_arguments {
    const char *by;
    int64_t limit, depth; /* 0 = unlimited */
    double min_percent;
} tree_arguments;

static const tree_arguments tree_defaults = {.limit = 200, .min_percent = 0.5};

static const mp_argument tree_table[] = {
    {"by", offsetof(tree_arguments, by), 1},
    {"limit", offsetof(tree_arguments, limit), 1},
    {"depth", offsetof(tree_arguments, depth), 1},
    {"min-percent", offsetof(tree_arguments, min_percent), 1},
    {"domain", MP_SHARED_ARGUMENT, 1},
};

/* A node of the tree that is on the stack of nodes still to be shown, and the number of siblings
 * that it stands for. */
typedef struct waiting {
    uint32_t place, depth, alike;
} waiting;

/* Return the kind of an object's first root; 0: it has none. */
static uint64_t root_of(const mp_graph_view *view, uint32_t object)
{
    const mp_root_list its_roots = mp_roots_of(&view->roots, object);
    return its_roots.count ? view->graph->roots.items[its_roots.items[0]].kind + UINT64_C(1) : 0;
}

/* Compare siblings by their figures, type and root. */
static int compare_figures(const mp_graph_view *view, uint32_t a, uint32_t b)
{
    const mp_dominators *dominators = &view->dominators;
    const uint32_t object_a = dominators->order[a], object_b = dominators->order[b];
    const mp_graph *graph = view->graph;
    int order = MP_COMPARE(dominators->retained[object_b], dominators->retained[object_a]);
    order = order ? order : MP_COMPARE(graph->types[object_a], graph->types[object_b]);
    order = order ? order : MP_COMPARE(graph->sizes[object_b], graph->sizes[object_a]);
    order = order ? order : MP_COMPARE(dominators->span[b], dominators->span[a]);
    return order ? order : MP_COMPARE(root_of(view, object_a), root_of(view, object_b));
}

/* Sort ascending by retained size, because the last node is shown first. */
static int largest_last(const void *left, const void *right, void *opaque)
{
    const mp_graph_view *view = opaque;
    const uint32_t *order = view->dominators.order;
    return mp_retained_compare(view, order[((const waiting *)right)->place],
                               order[((const waiting *)left)->place]);
}

/* Sort in the same way, with alike siblings next to each other. */
static int alike_together(const void *left, const void *right, void *opaque)
{
    const waiting *a = left, *b = right;
    const int order = compare_figures(opaque, b->place, a->place);
    return order ? order : largest_last(left, right, opaque);
}

/* Let one of several alike siblings stand for all of them. Return how many nodes remain. */
static size_t combine_alike(const mp_graph_view *view, waiting *nodes, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && compare_figures(view, nodes[i].place, nodes[i + 1].place) == 0)
            nodes[i + 1].alike += nodes[i].alike;
        else
            nodes[kept++] = nodes[i];
    }
    return kept;
}

static int indent_of(uint32_t depth)
{
    enum { DEEPEST = 40 };
    return (int)(depth < DEEPEST ? depth : DEEPEST) * 2;
}

static void put_node(mp_document *document, mp_table *table, mp_graph_view *view, waiting entry)
{
    uint32_t object = view->dominators.order[entry.place];
    tree_row row = {.cells = mp_object_cells_of(document, view, object),
                    .retained_objects = view->dominators.span[entry.place],
                    .alike_objects = entry.alike > 1 ? entry.alike : MP_UNKNOWN,
                    .depth = entry.depth};
    row.cells.via = mp_via_text(document, view, object, view->dominators.idom[object]);
    row.node = mp_document_text(document, "%*s%s %s", indent_of(entry.depth), "", row.cells.type,
                                row.cells.id);
    mp_table_put(document, table, &row);
}

/* Walk in pre-order, the largest child first. If there is a limit, combine alike siblings. Return
 * the first nodes, as many as are shown; *count is the number of all. Release with free(). */
static waiting *shown_nodes(const mp_graph_view *view, const tree_arguments *asked, size_t *count)
{
    const mp_dominators *dominators = &view->dominators;
    double least = asked->min_percent / 100 * (double)mp_graph_reachable(view);
    waiting *stack = NULL, entry = {0};
    waiting *shown = NULL;
    size_t capacity = 0, waits = 0, shown_capacity = 0;
    for (*count = 0;; ++*count) {
        uint32_t end = entry.place + dominators->span[entry.place],
                 depth = entry.place ? entry.depth + 1 : 0;
        size_t before = waits;
        for (uint32_t child = entry.place + 1;
             child < end && (!asked->depth || depth < asked->depth);
             child += dominators->span[child]) {
            if ((double)dominators->retained[dominators->order[child]] < least)
                continue;
            *MP_APPEND(stack, waits, capacity) = (waiting){child, depth, 1};
        }
        if (waits > before)
            qsort_r(stack + before, waits - before, sizeof *stack,
                    asked->limit ? alike_together : largest_last, (void *)(uintptr_t)view);
        if (waits > before && asked->limit)
            waits = before + combine_alike(view, stack + before, waits - before);
        if (!waits)
            break;
        entry = stack[--waits];
        if (asked->limit && *count >= (size_t)asked->limit)
            continue;
        mp_grow(&shown, &shown_capacity, *count + 1, sizeof *shown);
        shown[*count] = entry;
    }
    free(stack);
    return shown;
}

/* Explain rows that stand for several objects. */
static void say_alike(mp_document *document, mp_table *table)
{
    const size_t column = mp_table_column_find(table, "alike_objects");
    for (size_t row = 0; row < table->row_count; row++)
        if (mp_table_cell(table, row, column).known) {
            mp_table_line(document, table, "alike: siblings of the same type and sizes in one row")
                ->argument = "limit 0 shows each";
            return;
        }
}

static void put_tree(mp_document *document, mp_table *table, mp_graph_view *view,
                     const tree_arguments *asked)
{
    size_t count;
    waiting *nodes = shown_nodes(view, asked, &count);
    const size_t shown = mp_shown_of(count, (size_t)asked->limit);
    for (size_t i = 0; i < shown; i++) {
        const uint32_t object = view->dominators.order[nodes[i].place];
        mp_via_want(view, object, view->dominators.idom[object]);
    }
    mp_references_read(view, document->arena);
    for (size_t i = 0; i < shown; i++)
        put_node(document, table, view, nodes[i]);
    free(nodes);
    mp_table_left_out(table, count);
    say_alike(document, table);
}
/* --- the tree by type --- */

typedef struct group_row {
    mp_dominator_group group;
    const char *node;
    int64_t depth;
    double percent;
} group_row;

static const mp_column group_columns[] = {
    MP_COLUMN_OF(group_row, group.retained_bytes, "retained_bytes", "Retained", MP_BYTES, 0),
    MP_COLUMN(group_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(group_row, group.bytes, "self_bytes", "Own", MP_BYTES, 0),
    MP_COLUMN_OF(group_row, group.objects, "objects", "Objects", MP_COUNT, 0),
    MP_COLUMN_OF(group_row, group.retained_objects, "retained_objects", "With below", MP_COUNT, 0),
    MP_COLUMN(group_row, depth, "Depth", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(group_row, group.label, "key", "Group", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(group_row, node, "Dominator tree", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
};

static void put_groups(mp_document *document, mp_table *table, const mp_graph_view *view,
                       mp_histogram_kind kind, const tree_arguments *asked)
{
    double least = asked->min_percent / 100 * (double)mp_graph_reachable(view);
    mp_dominator_groups groups = mp_dominator_groups_of(view, kind);
    size_t passed = 0;
    for (uint32_t i = 0; i < groups.count;) {
        const mp_dominator_group *dominator_group = &groups.items[i];
        bool shown = (double)dominator_group->retained_bytes >= least &&
                     (!asked->depth || dominator_group->depth < asked->depth);
        i += shown ? 1 : dominator_group->span;
        if (!shown || (passed++ >= (size_t)asked->limit && asked->limit))
            continue;
        group_row row = {
            .group = *dominator_group,
            .node = mp_document_text(document, "%*s%s", indent_of(dominator_group->depth), "",
                                     dominator_group->label),
            .depth = dominator_group->depth,
            .percent = mp_percent_of(dominator_group->retained_bytes, mp_graph_reachable(view))};
        mp_table_put(document, table, &row);
    }
    mp_dominator_groups_free(&groups);
    mp_table_left_out(table, passed);
}

static bool run_tree(const mp_request *request, mp_document *document, mp_error *error)
{
    const tree_arguments *asked = request->arguments;
    (void)error;
    bool types = asked->by && mp_text_is(asked->by, "type");
    bool objects = !asked->by || mp_text_is(asked->by, "object");
    mp_graph_view *view = mp_request_graph(request);
    mp_section_dump_head(document, request, view);
    mp_table *table = objects ? MP_TABLE(document, "dominators", NULL, MP_ROWS, tree_columns)
                              : MP_TABLE(document, "dominators", NULL, MP_ROWS, group_columns);
    table->title = mp_document_text(document, "Dominator tree%s%s", objects ? "" : " by ",
                                    objects ? "" : asked->by);
    table->main = true;
    table->empty =
        view->dominators.reached ? "no object retains as much" : "no root reaches anything";
    mp_say_retained_base(document, table, view);
    if (asked->min_percent > 0)
        mp_table_line(document, table, "entries below %.12g %% of the whole are omitted",
                      asked->min_percent)
            ->argument = "min-percent";
    if (objects)
        put_tree(document, table, view, asked);
    else
        put_groups(document, table, view,
                   types ? MP_HISTOGRAM_OF_TYPES : MP_HISTOGRAM_OF_NAMESPACES, asked);
    return true;
}

static const mp_choice tree_choices[] = {
    {.argument = "by", .variants = 1, MP_WORDS(mp_graph_groups)},
    {0},
};

const mp_report mp_report_dominators = {
    .name = "dominators",
    .summary = "show the dominator tree of a heap dump, largest first",
    .example = "dominators samples/shop-3.gclog --depth 3",
    .details =
        "Each object is below its dominator, without which no strong root would reach it; "
        "objects at the left margin are held by roots, or by several objects together. Siblings "
        "of the same type and sizes share a row, unless `limit` is 0. `by` "
        "type or namespace combines objects below the same types into one row, and "
        "repetitions of one type, as in lists, into one level.",
    MP_ARGUMENTS(tree_table, tree_defaults),
    .choices = tree_choices,
    .program_rows = 1000,
    .variants = {{.needs = MP_HOLDS_GRAPH, .run = run_tree}},
};
