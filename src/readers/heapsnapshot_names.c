/* V8 heap snapshots: names of references, read by one more pass over the file.
 *
 * Nodes show which edges belong to the wanted references; all other edges are skipped. Of several
 * edges between two nodes, properties, variables and elements precede the references of V8 itself;
 * otherwise the first one names the reference. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/build.h"
#include "readers/heapsnapshot.h"

/* A node at an end of wanted references. */
typedef struct end_node {
    uint64_t id, number, first_edge, end_edge; /* number: its place in the file, from 0 */
} end_node;

/* The edge that names a reference. */
typedef struct naming_edge {
    uint64_t name; /* index in the strings, or of the element */
    v8_edge edge;
    bool is_found;
    uint32_t next; /* next reference, from 1, that is named by the same string; 0: none */
} naming_edge;

typedef struct naming {
    v8_state state; /* first, because it is all that the functions for rows get */
    mp_named_reference *references;
    size_t count;
    mp_arena *texts;
    mp_id_index ids;         /* ids of nodes to UNSEEN, or SEEN */
    MP_LIST(end_node) nodes; /* in the order of the file */
    mp_id_index by_number;   /* number of a node to its place in `nodes`, from 1 */
    uint64_t node, edge;     /* numbers of the next node and the next edge */
    uint64_t edges;          /* edges of the nodes so far */
    uint32_t owner;          /* place in `nodes` of the node whose edges are read */
    naming_edge *links;      /* one per reference */
    mp_id_index by_string;   /* index of a string to the first reference that it names, from 1 */
} naming;

enum { UNSEEN = 1, SEEN };

static int by_objects(const void *left, const void *right)
{
    const mp_named_reference *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

/* --- nodes --- */

static void note_node(v8_state *state, const uint64_t *values)
{
    naming *job = (naming *)state;
    const uint32_t *place = state->node_fields.place;
    const uint64_t id = values[place[V8_ID]], edges = values[place[V8_EDGES]];
    const uint64_t number = job->node++, first = job->edges;
    state->too_many |= edges >= UINT32_MAX - first;
    if (state->too_many)
        return;
    job->edges += edges;
    if (mp_id_index_get(&job->ids, id) != UNSEEN)
        return;
    *mp_id_index_put(&job->ids, id) = SEEN;
    *MP_ADD(&job->nodes) = (end_node){id, number, first, job->edges};
    *mp_id_index_put(&job->by_number, number) = job->nodes.count;
}

static bool read_nodes(v8_state *state)
{
    return v8_read_rows(state, state->node_fields.count, note_node);
}

/* --- edges --- */

/* Return the rank of a type of edges: the lowest one names a reference. */
static unsigned rank_of(v8_edge edge)
{
    return edge == V8_HIDDEN ? 2 : edge == V8_INTERNAL;
}

static void note_edge(v8_state *state, const uint64_t *values)
{
    naming *job = (naming *)state;
    const uint32_t *place = state->edge_fields.place;
    const uint64_t type = values[place[V8_EDGE_TYPE]], to = values[place[V8_TO_NODE]];
    const v8_edge edge = type < state->edge_kinds ? state->edges[type] : V8_STRONG;
    const uint64_t number = job->edge++;
    while (job->owner < job->nodes.count && number >= job->nodes.items[job->owner].end_edge)
        job->owner++;
    if (job->owner == job->nodes.count || number < job->nodes.items[job->owner].first_edge)
        return;
    const uint32_t target = to % state->node_fields.count
                                ? 0
                                : mp_id_index_get(&job->by_number, to / state->node_fields.count);
    if (!target || edge == V8_WEAK || edge == V8_SHORTCUT)
        return;
    const mp_named_reference wanted = {.from = job->nodes.items[job->owner].id,
                                       .to = job->nodes.items[target - 1].id};
    const mp_named_reference *found =
        bsearch(&wanted, job->references, job->count, sizeof wanted, by_objects);
    naming_edge *link = found ? &job->links[found - job->references] : NULL;
    if (link && (!link->is_found || rank_of(edge) < rank_of(link->edge)))
        *link = (naming_edge){.name = values[place[V8_EDGE_NAME]], .edge = edge, .is_found = true};
}

/* Set the names that are indexes, and those that no string of the file has, and note the strings
 * that are needed. */
static void note_strings(naming *job)
{
    for (size_t i = 0; i < job->count; i++) {
        naming_edge *link = &job->links[i];
        if (!link->is_found)
            continue;
        job->references[i].name = "";
        if (link->edge == V8_ELEMENT || link->edge == V8_HIDDEN) {
            job->references[i].name = mp_arena_format(
                job->texts, link->edge == V8_ELEMENT ? "[%" PRIu64 "]" : "{%" PRIu64 "}",
                link->name);
            continue;
        }
        uint32_t *first = mp_id_index_put(&job->by_string, link->name);
        link->next = *first;
        *first = (uint32_t)i + 1;
    }
}

static bool read_edges(v8_state *state)
{
    const bool whole = v8_read_rows(state, state->edge_fields.count, note_edge);
    note_strings((naming *)state);
    return whole;
}

/* --- strings --- */

static bool read_strings(v8_state *state)
{
    naming *job = (naming *)state;
    bool first = true, bad = false;
    size_t left = job->by_string.count;
    if (!mp_scan_take(&state->json, '['))
        return false;
    for (; left && mp_scan_more(&state->json, ']', &first, &bad); state->strings++) {
        uint32_t named = mp_id_index_get(&job->by_string, state->strings);
        if (!(named ? v8_take_text(state) : mp_scan_string(&state->json, NULL, 0)))
            return false;
        left -= named != 0;
        const mp_slice name = {state->text.text, state->text.length};
        for (; named; named = job->links[named - 1].next) {
            const bool is_internal = job->links[named - 1].edge == V8_INTERNAL;
            const bool is_word = name.length && !memchr(name.start, ' ', name.length);
            job->references[named - 1].name = mp_reference_text(job->texts,
                                                                is_internal ? "{"
                                                                : is_word   ? "."
                                                                            : "[\"",
                                                                name,
                                                                is_internal ? "}"
                                                                : is_word   ? ""
                                                                            : "\"]");
        }
    }
    return !bad && left;
}

void v8_name_references(mp_input *input, mp_named_reference *references, size_t count,
                        mp_arena *texts)
{
    static const v8_section_readers readers = {read_nodes, read_edges, read_strings};
    /* The labels of the header, and what it says about itself, are of no use here. */
    v8_reader unused = {.model = mp_model_new(), .diagnostics = mp_diagnostics_new(1)};
    naming job = {.state = v8_begin(&unused, input),
                  .references = references,
                  .count = count,
                  .texts = texts,
                  .links = mp_alloc_zero(count + 1, sizeof *job.links)};
    for (size_t i = 0; i < count; i++)
        *mp_id_index_put(&job.ids, references[i].from) =
            *mp_id_index_put(&job.ids, references[i].to) = UNSEEN;
    v8_read_sections(&job.state, &readers);
    v8_end(&job.state);
    mp_id_index_free(&job.ids);
    mp_id_index_free(&job.by_number);
    mp_id_index_free(&job.by_string);
    free(job.nodes.items);
    free(job.links);
    mp_diagnostics_free(unused.diagnostics);
    mp_model_free(unused.model);
}
