/* V8 heap snapshots (.heapsnapshot), as Chrome, Node, Deno and Electron write them: the sections of
 * the file.
 *
 * Source: docs/formats/heapsnapshot.md. A file is one JSON object. "snapshot" describes the fields
 * of nodes and edges; "nodes" and "edges" are arrays of numbers, the edges in the order of their
 * nodes; "strings" has the names. A file is one dump; several files are dumps of one program, in
 * the order given. Names come last, so nodes are first counted by classes, and the names of the
 * classes are read at the end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "model/build.h"
#include "model/id_table.h"
#include "readers/heapsnapshot.h"

/* Sections that are used, in the required order. */
enum { SNAPSHOT = V8_SNAPSHOT, NODES = V8_NODES, EDGES = V8_EDGE_LIST, STRINGS = V8_STRINGS };

/* --- one file --- */

v8_state v8_begin(mp_dumps *dumps, mp_input *input)
{
    v8_state state = {.dumps = dumps,
                      .model = dumps->model,
                      .json = mp_scan_open(input),
                      .node_count = UINT64_MAX,
                      .edge_count = UINT64_MAX};
    for (uint32_t i = 0; i < V8_NODE_FIELDS; i++)
        state.node_fields.place[i] = state.edge_fields.place[i] = V8_NO_FIELD;
    return state;
}

mp_dumps v8_unseen(void)
{
    return mp_dumps_of(mp_model_new(), mp_diagnostics_new(1));
}

void v8_unseen_free(mp_dumps *dumps)
{
    mp_diagnostics_free(dumps->diagnostics);
    mp_model_free(dumps->model);
}

static v8_state begin_file(mp_dumps *dumps, mp_input *input, uint32_t summary)
{
    const mp_snapshot_id snapshot = mp_dumps_begin(dumps, summary);
    v8_state state = v8_begin(dumps, input);
    state.graph = mp_alloc_zero(1, sizeof *state.graph);
    state.graph->snapshot = snapshot;
    (void)MP_ADD(&state.graph->roots);
    (void)MP_ADD(&state.graph->domains);
    (void)MP_ADD(&state.classes);
    return state;
}

void v8_end(v8_state *state)
{
    mp_scan_close(&state->json);
    mp_graph_free(state->graph);
    MP_FREE(state->classes.items, state->array_names.items, state->entries.items);
    mp_id_index_free(&state->classes_by_key);
    mp_id_index_free(&state->classes_by_name);
    mp_id_index_free(&state->tables);
}

static const struct section {
    const char *name;
    unsigned bit, needs;
} sections[] = {
    {"snapshot", SNAPSHOT, 0},
    {"nodes", NODES, SNAPSHOT},
    {"edges", EDGES, SNAPSHOT | NODES},
    {"strings", STRINGS, SNAPSHOT | NODES | EDGES},
};

static const struct section *find_section(const v8_state *state)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (v8_is_member(state, sections[i].name))
            return &sections[i];
    return NULL;
}

static bool read_section(v8_state *state, const struct section *section,
                         const v8_section_readers *readers)
{
    switch (section->bit) {
    case SNAPSHOT:
        return v8_read_snapshot(state);
    case NODES:
        return readers->nodes(state);
    case EDGES:
        return readers->edges(state);
    default:
        return readers->strings(state);
    }
}

/* Return true if the section may be read next. Unused sections may come anywhere. A repeated
 * section is skipped. */
static bool may_read(const v8_state *state, const struct section *section)
{
    if (!section || !(state->seen & section->bit))
        return section;
    MP_TELL_DUMP(state->dumps, DAMAGED_SNAPSHOT, "has \"%s\" twice; the first is used",
                 section->name);
    return false;
}

bool v8_read_sections(v8_state *state, const v8_section_readers *readers)
{
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    while (mp_scan_member(&state->json)) {
        const struct section *section = find_section(state);
        if (!may_read(state, section)) {
            if (!mp_scan_skip(&state->json))
                return false;
            continue;
        }
        state->misplaced = (state->seen & section->needs) != section->needs ? section->name : NULL;
        if (state->misplaced || state->fields_missing || !read_section(state, section, readers))
            return false;
        state->seen |= section->bit;
        state->fields_missing = !v8_has_fields(&state->node_fields, V8_DETACHED) ||
                                !v8_has_fields(&state->edge_fields, V8_EDGE_FIELDS);
    }
    return !state->json.bad && mp_scan_peek(&state->json) < 0;
}

/* Refuse a file without complete nodes. */
static bool refuse(v8_state *state)
{
    const mp_dumps *dumps = state->dumps;
    const bool cut = mp_scan_peek(&state->json) < 0;
    const uint64_t offset = mp_scan_offset(&state->json);
    if (state->too_many)
        MP_TELL_DUMP(
            dumps, NOTHING_USABLE,
            "has more than two thousand million nodes, or four of edges: more than memprof "
            "can number");
    else if (state->too_large)
        MP_TELL_DUMP(dumps, NOTHING_USABLE, "has sizes that 64 bits cannot add up");
    else if (state->misplaced)
        MP_TELL_DUMP(dumps, NOTHING_USABLE,
                     "has \"%s\" too early, expected \"snapshot\", \"nodes\", \"edges\" and "
                     "\"strings\" in this order, as V8 writes them",
                     state->misplaced);
    else if (state->fields_missing)
        MP_TELL_DUMP(dumps, NOTHING_USABLE,
                     "does not describe its nodes and edges, expected node_fields with type, name, "
                     "id, self_size and edge_count, and edge_fields with type, name_or_index and "
                     "to_node, at most %d of each",
                     V8_MOST_FIELDS);
    else if (!(state->seen & NODES) && !cut)
        MP_TELL_DUMP(dumps, NOTHING_USABLE,
                     "is malformed at byte %" PRIu64 ", before the end of the nodes", offset);
    else if (!(state->seen & NODES))
        MP_TELL_DUMP(dumps, NOTHING_USABLE,
                     "ends before the end of its nodes; write the snapshot again");
    else if (!state->graph->count)
        MP_TELL_DUMP(dumps, NOTHING_USABLE, "has no nodes");
    else
        return false;
    return true;
}

/* Report contradictions with the header or the format. */
static void say_what_was_odd(const v8_state *state, uint64_t nodes)
{
    const mp_graph *graph = state->graph;
    uint64_t unnamed = 0;
    for (uint32_t i = 1; i < state->classes.count; i++)
        unnamed += !state->classes.items[i].label.i &&
                   state->kinds[state->classes.items[i].kind].rule != V8_PLAIN;
    if (state->node_count != UINT64_MAX && state->node_count != nodes)
        MP_TELL_DUMP(state->dumps, DAMAGED_SNAPSHOT,
                     "has %" PRIu64 " nodes, but node_count is %" PRIu64, nodes, state->node_count);
    if (state->seen & EDGES && state->edge_count != UINT64_MAX &&
        state->edge_count != state->edges_read)
        MP_TELL_DUMP(state->dumps, DAMAGED_SNAPSHOT,
                     "has %" PRIu64 " edges, but edge_count is %" PRIu64, state->edges_read,
                     state->edge_count);
    if (state->seen & EDGES && state->edges_expected != state->edges_read)
        MP_TELL_DUMP(state->dumps, DAMAGED_SNAPSHOT,
                     "has %" PRIu64 " edges, but its nodes have %" PRIu64, state->edges_read,
                     state->edges_expected);
    if (graph->dangling)
        MP_TELL_DUMP(state->dumps, DAMAGED_SNAPSHOT,
                     "has %" PRIu64 " edges that lead to no node or belong to none",
                     graph->dangling);
    if (state->bad_types)
        MP_TELL_DUMP(state->dumps, DAMAGED_SNAPSHOT,
                     "has %" PRIu64 " nodes of types that node_types does not name",
                     state->bad_types);
    if (graph->duplicates)
        MP_TELL_DUMP(state->dumps, DUPLICATE_OBJECT,
                     "objects with the id of an earlier one: %" PRIu64, graph->duplicates);
    if (state->seen & STRINGS && unnamed)
        MP_TELL_DUMP(state->dumps, UNDEFINED_TYPE,
                     "names that are not among the %" PRIu64 " strings: %" PRIu64, state->strings,
                     unnamed);
}

/* Report a file that ends early or is malformed after its nodes. */
static void say_cut(v8_state *state)
{
    const char *used = !(state->seen & EDGES)
                           ? "references and names are missing; only its nodes are used"
                       : state->seen & STRINGS ? "all nodes, edges and strings are used"
                                               : "names of types are missing";
    if (mp_scan_peek(&state->json) < 0)
        MP_TELL_DUMP(state->dumps, TORN, "the snapshot is truncated: %s", used);
    else
        MP_TELL_DUMP(state->dumps, DAMAGED_SNAPSHOT, "is malformed at byte %" PRIu64 ": %s",
                     mp_scan_offset(&state->json), used);
}

/* Return the number of objects that have the id of an earlier object. */
static uint32_t count_duplicates(const mp_graph *graph)
{
    mp_id_table table = {0};
    const uint32_t count = mp_id_table_make(&table, graph->ids, 1, graph->count);
    mp_id_table_free(&table);
    return count;
}

static bool read_v8(void *opaque, mp_input *input, uint32_t summary)
{
    static const v8_section_readers readers = {v8_read_nodes, v8_read_edges, v8_read_strings};
    mp_dumps *dumps = opaque;
    /* a pipe is kept, so that names of references can be read later */
    const bool kept = mp_input_keep(input);
    v8_state state = begin_file(dumps, input, summary);
    bool whole = kept && v8_read_sections(&state, &readers);
    const bool usable = !refuse(&state);
    mp_input_summary *sum = &dumps->model->inputs.items[summary];
    sum->records = state.graph->count;
    if (usable) {
        whole &= state.seen == (SNAPSHOT | NODES | EDGES | STRINGS);
        v8_end_edges(&state, state.seen & EDGES);
        v8_finish_graph(&state);
        if (!(state.seen & EDGES))
            mp_dumps_untrack(dumps, state.graph);
        state.graph->duplicates = count_duplicates(state.graph);
        say_what_was_odd(&state, sum->records);
        if (!whole)
            say_cut(&state);
        mp_model_take_graph(dumps->model, state.graph);
        state.graph = NULL;
        (void)mp_dumps_end(dumps, -1);
    }
    v8_end(&state);
    sum->complete = usable && whole;
    return usable;
}

/* --- the reader --- */

static mp_bid probe(mp_slice head)
{
    static const char *const begin[] = {"{", "\"snapshot\"", ":", "{", NULL};
    return mp_json_begins(head, begin) ? MP_MINE : MP_NOT_MINE;
}

const mp_reader mp_reader_heapsnapshot = {
    .name = "heapsnapshot",
    .summary = "V8 heap snapshot (Chrome, Node, Deno, Electron)",
    .endings = ".heapsnapshot",
    .versions = "all",
    .kind = MP_KIND_DUMP,
    .probe = probe,
    .open = mp_dumps_open,
    .read = read_v8,
    .close = mp_dumps_close,
    .name_references = v8_name_references,
    .read_contents = v8_read_contents,
};
