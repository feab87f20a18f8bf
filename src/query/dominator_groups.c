/* The dominator tree summed by type or namespace. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/graph_query.h"

/* Node of the tree while it is being built. */
typedef struct grown {
    mp_dominator_group group_row;
    uint32_t up, group; /* parent node, 0: none; 1 + the row of the histogram */
} grown;

typedef struct growth {
    const mp_graph_view *view;
    const uint32_t *group_of; /* 1 + the histogram row of each type */
    grown *nodes;             /* numbered from 1; parents precede children */
    size_t count, capacity;
    mp_id_index places; /* node by parent and group */
} growth;

static uint32_t node_for(growth *state, uint32_t up, uint32_t group)
{
    uint32_t *place = mp_id_index_put(&state->places, (uint64_t)up << 32 | group);
    if (!*place) {
        *place = (uint32_t)++state->count;
        mp_grow(&state->nodes, &state->capacity, state->count + 1, sizeof *state->nodes);
        state->nodes[*place] = (grown){.up = up, .group = group};
    }
    return *place;
}

/* Build the tree. In preorder, the dominator of an object comes first, so its node exists. */
static void grow(growth *state)
{
    const mp_graph *graph = state->view->graph;
    const mp_dominators *dominators = &state->view->dominators;
    uint32_t *node_of = mp_alloc_zero((size_t)graph->count + 1, sizeof *node_of);
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], up = node_of[dominators->idom[object]];
        uint32_t group = state->group_of[graph->types[object]];
        assert(group); /* without a selection, every type has a group */
        assert(!up || state->nodes);
        bool again = up && state->nodes[up].group == group;
        uint32_t place = again ? up : node_for(state, up, group);
        mp_dominator_group *dominator_group = &state->nodes[place].group_row;
        node_of[object] = place;
        dominator_group->objects++;
        dominator_group->bytes += (int64_t)graph->sizes[object];
        if (!again) {
            dominator_group->retained_objects += dominators->span[i];
            dominator_group->retained_bytes += (int64_t)dominators->retained[object];
            if (dominators->retained[object] >= dominators->retained[dominator_group->largest] ||
                !dominator_group->largest)
                dominator_group->largest = object;
        }
    }
    free(node_of);
}

static int largest_first(const void *left, const void *right, void *nodes)
{
    const grown *a = &((const grown *)nodes)[*(const uint32_t *)left];
    const grown *b = &((const grown *)nodes)[*(const uint32_t *)right];
    int order = MP_COMPARE(a->up, b->up);
    order = order ? order : MP_COMPARE(b->group_row.retained_bytes, a->group_row.retained_bytes);
    return order ? order : strcmp(a->group_row.label, b->group_row.label);
}

/* Return the nodes in preorder, siblings by retained size. The sort puts siblings next to each
 * other, so the place of a node follows from its parent and from the siblings before it. */
static mp_dominator_group *in_preorder(grown *nodes, uint32_t count)
{
    uint32_t *order = mp_alloc((count + 1u) * sizeof *order);
    uint32_t *next = mp_alloc_zero(count + 1u, sizeof *next); /* next free place below each node */
    mp_dominator_group *result = mp_alloc((count + 1u) * sizeof *result);
    for (uint32_t i = count; i; i--) {
        nodes[i].group_row.span++;
        if (nodes[i].up)
            nodes[nodes[i].up].group_row.span += nodes[i].group_row.span;
        order[i] = i;
    }
    qsort_r(order + 1, count, sizeof *order, largest_first, nodes);
    for (uint32_t i = 1; i <= count; i++) {
        grown *node = &nodes[order[i]];
        uint32_t place = next[node->up];
        assert(place < count);
        if (node->up)
            node->group_row.depth = nodes[node->up].group_row.depth + 1;
        next[node->up] += node->group_row.span;
        next[order[i]] = place + 1;
        result[place] = node->group_row;
    }
    free(next);
    free(order);
    return result;
}

mp_dominator_groups mp_dominator_groups_of(const mp_graph_view *view, mp_histogram_kind kind)
{
    mp_dominator_groups result = {.histogram = mp_histogram_of(view, kind)};
    growth state = {.view = view, .group_of = result.histogram.groups.group_of};
    grow(&state);
    for (size_t i = 1; i <= state.count; i++)
        state.nodes[i].group_row.label = result.histogram.items[state.nodes[i].group - 1].label;
    result.count = (uint32_t)state.count;
    result.items = in_preorder(state.nodes, result.count);
    mp_id_index_free(&state.places);
    free(state.nodes);
    return result;
}

void mp_dominator_groups_free(mp_dominator_groups *groups)
{
    mp_histogram_free(&groups->histogram);
    free(groups->items);
    *groups = (mp_dominator_groups){0};
}
