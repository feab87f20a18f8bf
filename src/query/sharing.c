/* Shared objects, which no single object keeps alive, and the objects that refer to them. */
#include <assert.h>
#include <stdlib.h>

#include "base/beside.h"
#include "base/index.h"
#include "base/memory.h"
#include "query/graph_query.h"

enum { AHEAD = 16 };
#define OPEN ((uint32_t)1 << 31) /* mark of an owner in the array of owners by object */

/* An object that only the virtual root dominates: it owns itself and all objects that it dominates.
 * It is shared unless a root refers to it. */
typedef struct owner {
    /* Types of two objects of different owners that refer to it, plus 1; 0: none was found. As long
     * as it is OPEN, [1] is the owner of the first of them. */
    uint32_t types[2];
} owner;

typedef struct job {
    const mp_graph *graph;
    const mp_dominators *dominators;
    /* Number of the owner of each object, with the mark OPEN for owners whose referring objects are
     * not known yet; 0: not reached. */
    uint32_t *owner_of;
    owner *owners; /* from 1, in preorder */
    uint32_t count;
} job;

static void find_owners(job *state)
{
    const mp_graph *graph = state->graph;
    const mp_dominators *dominators = state->dominators;
    state->owner_of = mp_alloc_zero((size_t)graph->count + 1, sizeof *state->owner_of);
    for (uint32_t i = 1; i <= dominators->reached;) {
        const uint32_t top = dominators->order[i], end = i + dominators->span[i];
        state->count++;
        for (; i < end; i++) {
            __builtin_prefetch(&state->owner_of[mp_object_ahead(dominators, i)], 1);
            state->owner_of[dominators->order[i]] = state->count;
        }
        state->owner_of[top] |= OPEN;
    }
    state->owners = mp_alloc_zero((size_t)state->count + 1, sizeof *state->owners);
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (mp_root_is_strong(&graph->roots.items[i]))
            state->owner_of[graph->roots.items[i].object] &= ~OPEN;
}

static inline void ask_for(const job *state, const uint32_t *targets)
{
    const uint32_t later = state->owner_of[targets[AHEAD]];
    __builtin_prefetch(&state->owner_of[targets[2 * AHEAD]], 1);
    if (later & OPEN)
        __builtin_prefetch(&state->owners[later & ~OPEN], 1);
}

static void find_referrers(job *state)
{
    const mp_graph *graph = state->graph;
    uint32_t total = mp_graph_references(graph);
    for (uint32_t object = 1; object <= graph->count; object++) {
        const uint32_t from = state->owner_of[object] & ~OPEN, type = graph->types[object] + 1;
        for (uint32_t i = graph->first[object]; from && i < graph->first[object + 1]; i++) {
            uint32_t *target = &state->owner_of[graph->targets[i]];
            if (total - i > 2 * AHEAD)
                ask_for(state, graph->targets + i);
            if (*target == (from | OPEN) || !(*target & OPEN))
                continue;
            owner *found = &state->owners[*target & ~OPEN];
            if (!found->types[0]) {
                *found = (owner){{type, from}};
            } else if (found->types[1] != from) {
                found->types[1] = type;
                *target &= ~OPEN;
            }
        }
    }
}

static int by_bytes(const void *left, const void *right, void *model)
{
    const mp_shared *a = left, *b = right;
    int order = MP_COMPARE(b->retained_bytes, a->retained_bytes);
    for (int i = 0; i < 2 && !order; i++)
        order = mp_type_compare(model, (mp_type_id){a->types[i]}, (mp_type_id){b->types[i]});
    return order ? order : MP_COMPARE(a->largest, b->largest);
}

static void add_shared(mp_shared *sum, const mp_shared *shared)
{
    sum->objects += shared->objects;
    sum->own_bytes += shared->own_bytes;
    sum->retained_objects += shared->retained_objects;
    sum->retained_bytes += shared->retained_bytes;
}

/* Sum up the shared objects by the types of the objects that refer to them. */
static void sum_up(const job *state, mp_sharing *sharing)
{
    const mp_dominators *dominators = state->dominators;
    mp_id_index pairs = {0}; /* 1 + the index in sharing->items, by pair of types */
    size_t capacity = 0;
    for (uint32_t i = 1, place = 1; i <= state->count; place += dominators->span[place], i++) {
        const uint32_t later = mp_object_ahead(dominators, place);
        __builtin_prefetch(&state->graph->sizes[later]);
        __builtin_prefetch(&dominators->retained[later]);
        const uint32_t object = dominators->order[place];
        const owner *self = &state->owners[i];
        if (!self->types[0])
            continue;
        uint32_t a = self->types[0] - 1, b = self->types[1] - 1;
        uint32_t low = a < b ? a : b, high = a < b ? b : a;
        uint32_t *pair = mp_id_index_put(&pairs, (uint64_t)low << 32 | high);
        if (!*pair) {
            *MP_APPEND(sharing->items, sharing->count, capacity) =
                (mp_shared){.types = {low, high}};
            *pair = (uint32_t)sharing->count;
        }
        mp_shared *shared = &sharing->items[*pair - 1];
        const mp_shared one = {.objects = 1,
                               .own_bytes = (int64_t)state->graph->sizes[object],
                               .retained_objects = dominators->span[place],
                               .retained_bytes = (int64_t)dominators->retained[object]};
        add_shared(shared, &one);
        add_shared(&sharing->total, &one);
        if (!shared->largest || one.retained_bytes > (int64_t)dominators->retained[shared->largest])
            shared->largest = object;
    }
    mp_id_index_free(&pairs);
}

static void share(void *opaque)
{
    mp_graph_view *view = opaque;
    job state = {.graph = view->graph, .dominators = &view->dominators};
    find_owners(&state);
    find_referrers(&state);
    free(state.owner_of);
    sum_up(&state, &view->sharing);
    free(state.owners);
}

void mp_graph_share_ahead(mp_graph_view *view)
{
    enum { LARGE = 1 << 14 }; /* number of objects for which a thread is worth it */
    if (view->graph->count < LARGE || view->sharer || view->has_sharing)
        return;
    view->sharer = mp_beside_begin(share, view);
}

const mp_sharing *mp_graph_sharing(mp_graph_view *view)
{
    mp_sharing *sharing = &view->sharing;
    if (view->has_sharing)
        return sharing;
    if (view->sharer)
        mp_beside_end(&view->sharer);
    else
        share(view);
    if (sharing->count)
        qsort_r(sharing->items, sharing->count, sizeof *sharing->items, by_bytes,
                (void *)(uintptr_t)view->model);
    view->has_sharing = true;
    return sharing;
}
