/* Export of an object graph as V8's heap snapshot, for Chrome's DevTools, Node's tools and memlab:
 * nodes and edges as two arrays of numbers, and names in a table of strings.
 *
 * Below the root, "(GC roots)" has a category for each kind of roots. Weak roots become weak edges.
 * Objects that no strong root reaches get weak edges from a separate category, and their references
 * to reachable objects become weak edges too. Therefore no reader computes other retained sizes for
 * reachable objects. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/memory.h"
#include "base/sort.h"
#include "export/exporter.h"
#include "query/graph_query.h"

/* Indexes in the file's list of node types. */
enum { NODE_OBJECT = 3, NODE_SYNTHETIC = 9 };
enum { EDGE_ELEMENT = 1, EDGE_PROPERTY = 2, EDGE_SHORTCUT = 5, EDGE_WEAK = 6 };
enum { NODE_FIELDS = 7, EDGE_FIELDS = 3 };

static const char head[] =
    "{\"snapshot\":{\"meta\":{\n"
    "\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"trace_node_id\","
    "\"detachedness\"],\n"
    "\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\","
    "\"number\",\"native\",\"synthetic\",\"concatenated string\",\"sliced string\",\"symbol\","
    "\"bigint\",\"object shape\"],\"string\",\"number\",\"number\",\"number\",\"number\","
    "\"number\"],\n"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\n"
    "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\","
    "\"weak\"],\"string_or_number\",\"node\"],\n"
    "\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\",\"script_id\","
    "\"line\",\"column\"],\n"
    "\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\",\"children\"],\n"
    "\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],\n"
    "\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]},\n";

/* Fixed strings, and the nodes before those of the kinds of roots. */
enum { STRING_NONE, STRING_ROOTS, STRING_UNREACHED, STRING_UNTRACKED, STRING_REFERENCE, STRINGS };
static const char *const fixed_strings[] = {"", "(GC roots)", "(unreachable)",
                                            "(referrers not recorded)", "reference"};
enum { NODE_ROOT, NODE_ROOTS, NODE_UNREACHED, NODE_UNTRACKED, NODES };

typedef struct snapshot_out {
    mp_json json;
    mp_graph_view view;
    const mp_graph *graph;
    mp_arena names;
    bool begun;        /* the current array has an element already */
    uint32_t *by_kind; /* roots that refer to an object, sorted by kind; within a kind in the order
                          of the file */
    uint32_t root_count; /* number of elements of `by_kind` */
    /* Kinds of roots, ascending. first_of_kind: index, in `by_kind`, of the first root of each
     * kind. */
    uint32_t *kinds;
    uint32_t *first_of_kind;
    uint32_t kind_count;
    uint32_t *rooted; /* first strong root of each object, plus 1; 0 = the object has none */
    uint32_t shortcuts, unreached, untracked;
    uint32_t *string_of; /* string of each type; 0 = no string yet */
    mp_type_id *named;   /* types in the order of their strings */
    uint32_t named_count;
    uint32_t *synthetic; /* ids of nodes that are not objects */
    bool own_ids;        /* objects get new ids, because the ids of the file cannot be used */
} snapshot_out;

/* --- numbering --- */

static uint32_t node_of(const snapshot_out *out, uint32_t object)
{
    return NODES + out->kind_count + object - 1;
}

static int compare_roots(const void *left, const void *right, void *opaque)
{
    const mp_root *roots = ((const mp_graph *)opaque)->roots.items;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = MP_COMPARE(roots[a].kind, roots[b].kind);
    return order ? order : MP_COMPARE(a, b);
}

static void sort_roots(snapshot_out *out)
{
    const mp_graph *graph = out->graph;
    out->by_kind = mp_alloc(((size_t)graph->roots.count + 1) * sizeof *out->by_kind);
    out->kinds = mp_alloc(((size_t)graph->roots.count + 1) * sizeof *out->kinds);
    out->first_of_kind = mp_alloc(((size_t)graph->roots.count + 1) * sizeof *out->first_of_kind);
    out->rooted = mp_alloc_zero((size_t)graph->count + 1, sizeof *out->rooted);
    for (uint32_t i = 1; i < graph->roots.count; i++) {
        const mp_root *root = &graph->roots.items[i];
        if (!root->object)
            continue;
        out->by_kind[out->root_count++] = i;
        if (mp_root_is_strong(root) && !out->rooted[root->object]) {
            out->rooted[root->object] = i + 1;
            out->shortcuts++;
        }
    }
    if (out->root_count)
        qsort_r(out->by_kind, out->root_count, sizeof *out->by_kind, compare_roots,
                (void *)(uintptr_t)graph);
    for (uint32_t i = 0; i < out->root_count; i++) {
        uint32_t kind = graph->roots.items[out->by_kind[i]].kind;
        if (out->kind_count && out->kinds[out->kind_count - 1] == kind)
            continue;
        out->first_of_kind[out->kind_count] = i;
        out->kinds[out->kind_count++] = kind;
    }
    out->first_of_kind[out->kind_count] = out->root_count;
}

static int compare_ids(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return MP_COMPARE(a, b);
}

/* Choose the ids. Readers store ids in 32 bits, and compare snapshots by id. The ids of the file
 * are therefore kept if they fit and are unique. Nodes that are not objects get unused ids. */
static void choose_ids(snapshot_out *out)
{
    const mp_graph *graph = out->graph;
    uint64_t *ids = mp_alloc(((size_t)graph->count + 1) * sizeof *ids);
    for (uint32_t i = 0; i < graph->count; i++)
        ids[i] = graph->ids[i + 1];
    qsort(ids, graph->count, sizeof *ids, compare_ids);
    uint32_t count = NODES + out->kind_count, place = 0;
    out->own_ids = graph->count && (ids[0] == 0 || ids[graph->count - 1] > UINT32_MAX - count);
    for (uint32_t i = 1; i < graph->count; i++)
        out->own_ids |= ids[i] == ids[i - 1];
    out->synthetic = mp_alloc(count * sizeof *out->synthetic);
    uint32_t id = 0;
    for (uint32_t i = 0; i < count; i++) {
        id++;
        for (; !out->own_ids && place < graph->count && ids[place] <= id; place++)
            id += ids[place] == id;
        out->synthetic[i] = id;
    }
    free(ids);
}

static uint32_t string_of_type(snapshot_out *out, mp_type_id type)
{
    if (!out->string_of[type.i]) {
        out->named[out->named_count++] = type;
        out->string_of[type.i] = STRINGS + out->kind_count + out->named_count - 1;
    }
    return out->string_of[type.i];
}

static snapshot_out open_out(const mp_request *request)
{
    size_t types = request->model->types.count;
    snapshot_out out = {.json = {.file = request->file},
                        .view = mp_graph_view_of(request->filter),
                        .graph = request->filter->graph,
                        .string_of = mp_alloc_zero(types, sizeof(uint32_t)),
                        .named = mp_alloc(types * sizeof(mp_type_id))};
    sort_roots(&out);
    choose_ids(&out);
    for (uint32_t i = 1; i <= out.graph->count; i++) {
        bool reached = mp_is_reached(&out.view.dominators, i);
        bool tracked = mp_graph_tracks(out.graph, i);
        out.unreached += !reached && tracked;
        out.untracked += !reached && !tracked;
    }
    return out;
}

static void close_out(snapshot_out *out)
{
    MP_FREE(out->by_kind, out->kinds, out->first_of_kind, out->rooted, out->string_of, out->named,
            out->synthetic);
    mp_arena_free(&out->names);
    mp_graph_view_free(&out->view);
}

/* --- arrays of numbers --- */

static void put_row(snapshot_out *out, const uint64_t *fields, size_t count)
{
    char text[NODE_FIELDS * 21 + 2], *end = text;
    *end++ = out->begun ? ',' : '[';
    for (size_t i = 0; i < count; i++) {
        char digits[20];
        size_t length = 0;
        uint64_t left = fields[i];
        if (i)
            *end++ = ',';
        do
            digits[length++] = (char)('0' + left % 10);
        while (left /= 10);
        while (length)
            *end++ = digits[--length];
    }
    *end++ = '\n';
    fwrite(text, 1, (size_t)(end - text), out->json.file);
    out->begun = true;
}

static void put_node(snapshot_out *out, uint64_t type, uint64_t name, uint64_t id, uint64_t size,
                     uint64_t edges)
{
    put_row(out, (uint64_t[NODE_FIELDS]){type, name, id, size, edges, 0, 0}, NODE_FIELDS);
}

static void put_edge(snapshot_out *out, uint64_t type, uint64_t name, uint32_t target)
{
    put_row(out, (uint64_t[EDGE_FIELDS]){type, name, (uint64_t)target * NODE_FIELDS}, EDGE_FIELDS);
}

static void put_name(snapshot_out *out, const char *name)
{
    fprintf(out->json.file, "%s\"%s\":", out->begun ? "],\n" : "", name);
    out->begun = false;
}

static void put_nodes(snapshot_out *out)
{
    const mp_graph *graph = out->graph;
    const uint64_t edges[NODES] = {3 + (uint64_t)out->shortcuts, out->kind_count, out->unreached,
                                   out->untracked};
    const uint64_t names[NODES] = {STRING_NONE, STRING_ROOTS, STRING_UNREACHED, STRING_UNTRACKED};
    for (uint32_t i = 0; i < NODES; i++)
        put_node(out, NODE_SYNTHETIC, names[i], out->synthetic[i], 0, edges[i]);
    for (uint32_t i = 0; i < out->kind_count; i++)
        put_node(out, NODE_SYNTHETIC, STRINGS + i, out->synthetic[NODES + i], 0,
                 out->first_of_kind[i + 1] - out->first_of_kind[i]);
    for (uint32_t i = 1; i <= graph->count; i++)
        put_node(out, NODE_OBJECT, string_of_type(out, (mp_type_id){graph->types[i]}),
                 out->own_ids ? NODES + out->kind_count + i : graph->ids[i], graph->sizes[i],
                 graph->first[i + 1] - graph->first[i]);
}

/* Return the string for a root's name: the declaring type of a static field, or the root's kind. */
static uint64_t name_of_root(snapshot_out *out, const mp_root *root, uint32_t kind)
{
    return root->container.i ? string_of_type(out, root->container) : STRINGS + kind;
}

static void put_edges_of_roots(snapshot_out *out)
{
    const mp_graph *graph = out->graph;
    for (uint32_t i = 0; i < out->kind_count; i++)
        put_edge(out, EDGE_ELEMENT, i + 1, NODES + i);
    for (uint32_t unknown = 0; unknown < 2; unknown++)
        for (uint32_t i = 1; i <= graph->count; i++)
            if (!mp_is_reached(&out->view.dominators, i) &&
                mp_graph_tracks(graph, i) == (unknown == 0))
                put_edge(out, EDGE_WEAK, STRING_UNREACHED + unknown, node_of(out, i));
    for (uint32_t kind = 0; kind < out->kind_count; kind++)
        for (uint32_t i = out->first_of_kind[kind]; i < out->first_of_kind[kind + 1]; i++) {
            const mp_root *root = &graph->roots.items[out->by_kind[i]];
            bool strong = mp_root_is_strong(root), named = root->container.i || !strong;
            put_edge(out,
                     !strong ? EDGE_WEAK
                     : named ? EDGE_PROPERTY
                             : EDGE_ELEMENT,
                     named ? name_of_root(out, root, kind) : i - out->first_of_kind[kind],
                     node_of(out, root->object));
        }
}

/* Write the edges, sorted by node. Objects of strong roots are also direct children of the root
 * node, because readers measure distances from the root node. */
static void put_edges(snapshot_out *out)
{
    const mp_graph *graph = out->graph;
    put_edge(out, EDGE_ELEMENT, 1, NODE_ROOTS);
    put_edge(out, EDGE_ELEMENT, 2, NODE_UNREACHED);
    put_edge(out, EDGE_ELEMENT, 3, NODE_UNTRACKED);
    for (uint32_t i = 1; i <= graph->count; i++) {
        if (!out->rooted[i])
            continue;
        const mp_root *root = &graph->roots.items[out->rooted[i] - 1];
        uint32_t after = 1; /* the kinds are sorted */
        MP_BISECT(after, out->kind_count, out->kinds[middle] <= root->kind);
        put_edge(out, EDGE_SHORTCUT, name_of_root(out, root, after - 1), node_of(out, i));
    }
    put_edges_of_roots(out);
    for (uint32_t i = 1; i <= graph->count; i++) {
        bool reached = mp_is_reached(&out->view.dominators, i);
        for (uint32_t place = graph->first[i]; place < graph->first[i + 1]; place++) {
            uint32_t target = graph->targets[place];
            if (reached || !mp_is_reached(&out->view.dominators, target))
                put_edge(out, EDGE_ELEMENT, place - graph->first[i], node_of(out, target));
            else
                put_edge(out, EDGE_WEAK, STRING_REFERENCE, node_of(out, target));
        }
    }
}

static void put_string(snapshot_out *out, const char *text)
{
    fputs(out->begun ? ",\n" : "[", out->json.file);
    mp_json_put_text(&out->json, text, strlen(text));
    out->begun = true;
}

static void put_strings(snapshot_out *out)
{
    for (size_t i = 0; i < STRINGS; i++)
        put_string(out, fixed_strings[i]);
    for (uint32_t i = 0; i < out->kind_count; i++)
        put_string(out,
                   mp_arena_format(&out->names, "(%s)",
                                   mp_root_kind_text(&out->names, out->view.model, out->kinds[i])));
    for (uint32_t i = 0; i < out->named_count; i++)
        put_string(out, mp_type_text(&out->names, out->view.model, out->named[i].i));
}

static void put_snapshot(snapshot_out *out, uint64_t nodes, uint64_t edges)
{
    fputs(head, out->json.file);
    fprintf(out->json.file,
            "\"node_count\":%" PRIu64 ",\"edge_count\":%" PRIu64 ",\"trace_function_count\":0},\n",
            nodes, edges);
    put_name(out, "nodes");
    put_nodes(out);
    put_name(out, "edges");
    put_edges(out);
    fputs("],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n"
          "\"locations\":[],\n",
          out->json.file);
    out->begun = false;
    put_name(out, "strings");
    put_strings(out);
    fputs("]}\n", out->json.file);
}

/* Return true if all sizes fit into 32 bits, as readers expect. Otherwise return false with a
 * message. */
static bool sizes_fit(const mp_graph *graph, mp_error *error)
{
    mp_arena arena = {0};
    uint32_t index = 1;
    while (index <= graph->count && graph->sizes[index] <= UINT32_MAX)
        index++;
    if (index <= graph->count)
        mp_fail(error, MP_ERROR_NO_ANSWER,
                "object %s has %" PRIu64 " bytes, and heap snapshots have sizes of 32 bits",
                mp_object_id_text(&arena, graph, index), graph->sizes[index]);
    mp_arena_free(&arena);
    return index > graph->count;
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_graph *graph = request->filter->graph;
    if (!sizes_fit(graph, error))
        return false;
    snapshot_out out = open_out(request);
    uint64_t nodes = (uint64_t)NODES + out.kind_count + graph->count;
    uint64_t edges = 3 + (uint64_t)out.shortcuts + out.kind_count + out.unreached + out.untracked +
                     out.root_count + mp_graph_references(graph);
    put_snapshot(&out, nodes, edges);
    mp_graph_totals totals = out.view.totals;
    mp_written_totals sums = mp_nothing_written;
    sums.live_objects = totals.objects;
    sums.live_bytes = totals.bytes;
    sums.retained_bytes = mp_graph_reachable(&out.view);
    sums.references = totals.references;
    sums.roots = out.root_count;
    mp_written(document, request, "a heap snapshot for Chrome's DevTools", &sums);
    mp_table *rows = mp_written_table(document);
    mp_written_rows(document, rows, "nodes", (int64_t)nodes);
    mp_written_rows(document, rows, "edges", (int64_t)edges);
    mp_written_rows(document, rows, "strings",
                    (int64_t)STRINGS + out.kind_count + (int64_t)out.named_count);
    close_out(&out);
    return true;
}

static const mp_heap_arguments defaults = {.limit = 0};

static const mp_argument arguments[] = {MP_SHARES("domain", 1)};

const mp_exporter mp_exporter_heapsnapshot = {
    .name = "heapsnapshot",
    .endings = ".heapsnapshot",
    .report = {.name = MP_EXPORT_TO("heapsnapshot"),
               .summary = "heap dump as a V8 heap snapshot, for Chrome DevTools and memlab",
               MP_ARGUMENTS(arguments, defaults),
               .variants = {{.needs = MP_HOLDS_GRAPH, .run = run}}},
};
