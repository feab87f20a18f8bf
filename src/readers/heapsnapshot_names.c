/* V8 heap snapshots: names of references, which one more pass over the file reads.
 *
 * Nodes show which edges belong to the wanted references; all other edges are skipped. If there are
 * several edges between two nodes, the first one names the reference. Properties, variables and
 * elements come before the references of V8 itself. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/build.h"
#include "readers/heapsnapshot.h"

/* A node at an end of wanted references. */
typedef struct end_node {
    uint64_t id, first_edge, end_edge;
    bool is_owner; /* wanted references begin at it, not only end at it */
} end_node;

/* The edge that names a reference. */
typedef struct naming_edge {
    uint64_t name; /* index of a string, or index of the element */
    v8_edge edge;
    bool is_found;
    uint32_t next; /* next reference, from 1, that is named by the same string; 0: none */
} naming_edge;

typedef struct naming {
    v8_state state; /* must be the first member, because the functions for rows get only a pointer
                       to it */
    mp_named_reference *references;
    size_t count;
    mp_arena *texts;
    mp_id_index ids;         /* ids of nodes to TARGET, OWNER or SEEN */
    size_t unseen;           /* number of ids that were not found yet */
    MP_LIST(end_node) nodes; /* sorted as in the file */
    mp_id_index
        by_number; /* maps the number of a node in the file to its place in `nodes`, from 1 */
    uint64_t number, edges; /* numbers of the nodes read so far, and of their edges */
    naming_edge *links;     /* one per reference */
    mp_id_index by_string;  /* index of a string to the first reference that it names, from 1 */
} naming;

enum { TARGET = 1, OWNER, SEEN };

/* --- nodes --- */

/* Note a node if it is wanted, and is the first one with its id. Return false after the last. */
static bool note_node(v8_state *state, const uint64_t *values)
{
    naming *job = (naming *)state;
    const uint32_t *place = state->node_fields.place;
    const uint64_t id = values[place[V8_ID]], first = job->edges, number = job->number++;
    const uint32_t kind = mp_id_index_get(&job->ids, id);
    job->edges += values[place[V8_EDGES]];
    if (!kind || kind == SEEN)
        return true;
    job->unseen--;
    *mp_id_index_put(&job->ids, id) = SEEN;
    *MP_ADD(&job->nodes) = (end_node){id, first, job->edges, kind == OWNER};
    *mp_id_index_put(&job->by_number, number) = job->nodes.count;
    return job->unseen;
}

static bool read_nodes(v8_state *state)
{
    return v8_read_rows(state, state->node_fields.count, note_node) ||
           (!((naming *)state)->unseen && mp_scan_skip_past(&state->json, ']'));
}

/* --- edges --- */

/* Return the rank of a type of edges. The edge with the lowest rank names the reference. */
static unsigned rank_of(v8_edge edge)
{
    return edge == V8_HIDDEN ? 2 : edge == V8_INTERNAL;
}

static void note_edge(naming *job, uint64_t from, const uint64_t *values)
{
    const v8_state *state = &job->state;
    const uint32_t *place = state->edge_fields.place;
    const uint64_t type = values[place[V8_EDGE_TYPE]], to = values[place[V8_TO_NODE]];
    const v8_edge edge = type < state->edge_kinds ? state->edges[type] : V8_STRONG;
    const uint32_t target = to % state->node_fields.count
                                ? 0
                                : mp_id_index_get(&job->by_number, to / state->node_fields.count);
    if (!target || edge == V8_WEAK || edge == V8_SHORTCUT)
        return;
    const mp_named_reference *found =
        mp_named_reference_find(job->references, job->count, from, job->nodes.items[target - 1].id);
    naming_edge *link = found ? &job->links[found - job->references] : NULL;
    if (link && (!link->is_found || rank_of(edge) < rank_of(link->edge)))
        *link = (naming_edge){.name = values[place[V8_EDGE_NAME]], .edge = edge, .is_found = true};
}

/* Read the edges of the nodes that have wanted references, and skip all other edges. */
static bool read_wanted_edges(naming *job)
{
    v8_state *state = &job->state;
    uint64_t values[V8_MOST_FIELDS], edge = 0;
    if (!mp_scan_take(&state->json, '['))
        return false;
    for (uint32_t i = 0; i < job->nodes.count; i++) {
        const end_node *node = &job->nodes.items[i];
        if (!node->is_owner || node->first_edge == node->end_edge)
            continue;
        if (!mp_scan_skip_commas(&state->json,
                                 (node->first_edge - edge) * state->edge_fields.count))
            return false;
        for (edge = node->first_edge; edge < node->end_edge; edge++) {
            if (!v8_read_row(state, state->edge_fields.count, values))
                return false;
            note_edge(job, node->id, values);
        }
    }
    return mp_scan_skip_past(&state->json, ']');
}

/* Set the names that are indexes, and those for which the file has no string. Note the strings that
 * are needed for all other names. */
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
    naming *job = (naming *)state;
    const bool whole = read_wanted_edges(job);
    note_strings(job);
    return whole;
}

/* --- strings --- */

/* Return true if the property can be written after a dot: an identifier, or a private name. */
static bool is_identifier(mp_slice name)
{
    for (size_t i = 0; i < name.length; i++) {
        const unsigned char byte = (unsigned char)name.start[i];
        const bool letter = isalpha(byte) || byte == '_' || byte == '$' || byte >= 0x80;
        if (!letter && !(i && isdigit(byte)) && (i || byte != '#'))
            return false;
    }
    return name.length > 0;
}

/* Return the name of a property: `.price`, `["unit price"]`. */
static const char *property_text(mp_arena *texts, mp_slice name)
{
    if (is_identifier(name))
        return mp_reference_text(texts, ".", name, "");
    enum { ENOUGH = 1000 }; /* names are cut much earlier */
    mp_text_buffer escaped = {0};
    for (size_t i = 0; i < name.length && escaped.length < ENOUGH; i++) {
        if (name.start[i] == '"' || name.start[i] == '\\')
            mp_text_put(&escaped, "\\", 1);
        mp_text_put(&escaped, &name.start[i], 1);
    }
    const char *text = mp_reference_text(
        texts, "[\"", (mp_slice){escaped.text ? escaped.text : "", escaped.length}, "\"]");
    free(escaped.text);
    return text;
}

static void take_string(v8_state *state, uint64_t index, uint32_t named)
{
    (void)index;
    naming *job = (naming *)state;
    const mp_slice name = mp_text_of(&state->json.text);
    for (; named; named = job->links[named - 1].next)
        job->references[named - 1].name = job->links[named - 1].edge == V8_INTERNAL
                                              ? mp_reference_text(job->texts, "{", name, "}")
                                              : property_text(job->texts, name);
}

static bool read_strings(v8_state *state)
{
    return v8_read_texts(state, &((naming *)state)->by_string, take_string);
}

void v8_name_references(mp_input *input, mp_named_reference *references, size_t count,
                        mp_arena *texts)
{
    static const v8_section_readers readers = {read_nodes, read_edges, read_strings};
    /* This pass needs neither the labels that the header sets, nor its diagnostics. */
    mp_dumps unseen = v8_unseen();
    naming job = {.state = v8_begin(&unseen, input),
                  .references = references,
                  .count = count,
                  .texts = texts,
                  .links = mp_alloc_zero(count + 1, sizeof *job.links)};
    for (size_t i = 0; i < count; i++)
        *mp_id_index_put(&job.ids, references[i].to) = TARGET;
    for (size_t i = 0; i < count; i++)
        *mp_id_index_put(&job.ids, references[i].from) = OWNER;
    job.unseen = job.ids.count;
    v8_read_sections(&job.state, &readers);
    v8_end(&job.state);
    mp_id_index_free(&job.ids);
    mp_id_index_free(&job.by_number);
    mp_id_index_free(&job.by_string);
    free(job.nodes.items);
    free(job.links);
    v8_unseen_free(&unseen);
}
