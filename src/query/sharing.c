/* Shared objects, which no single object keeps alive, and the objects that refer to them. */
#include <assert.h>
#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"
#include "model/build.h"
#include "query/graph_query.h"

enum { AHEAD = 16 };
#define ROOTED UINT32_MAX
#define ITSELF ((uint32_t)1 << 31) /* mark of an owner in the array of owners by object */

/* An object that only the virtual root dominates: it owns itself and all objects that it dominates.
 * It is shared unless a root refers to it. */
typedef struct owner {
    uint32_t referrers[2]; /* objects of different owners; [1] is ROOTED if it is not shared */
    uint32_t first_owner;  /* of referrers[0] */
} owner;

typedef MP_LIST(owner) owner_list; /* from 1, in preorder */

/* Make the list of owners. Return the number of the owner of each object, with the mark ITSELF for
 * owners; 0: not reached. */
static uint32_t *find_owners(const mp_graph *graph, const mp_dominators *dominators,
                             owner_list *owners)
{
    uint32_t *owner_of = mp_alloc_zero((size_t)graph->count + 1, sizeof *owner_of);
    (void)MP_ADD(owners);
    for (uint32_t i = 1; i <= dominators->reached;) {
        const uint32_t top = dominators->order[i], end = i + dominators->span[i];
        (void)MP_ADD(owners);
        for (; i < end; i++) {
            __builtin_prefetch(&owner_of[mp_object_ahead(dominators, i)], 1);
            owner_of[dominators->order[i]] = owners->count - 1;
        }
        owner_of[top] |= ITSELF;
    }
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (mp_root_is_strong(&graph->roots.items[i]))
            owners->items[owner_of[graph->roots.items[i].object] & ~ITSELF].referrers[1] = ROOTED;
    return owner_of;
}

static void find_referrers(const mp_graph *graph, const uint32_t *owner_of, owner *owners)
{
    uint32_t total = mp_graph_references(graph);
    for (uint32_t object = 1; object <= graph->count; object++) {
        const uint32_t from = owner_of[object] & ~ITSELF;
        for (uint32_t i = graph->first[object]; from && i < graph->first[object + 1]; i++) {
            if (total - i > 2 * AHEAD) {
                __builtin_prefetch(&owner_of[graph->targets[i + 2 * AHEAD]]);
                __builtin_prefetch(&owners[owner_of[graph->targets[i + AHEAD]] & ~ITSELF], 1);
            }
            const uint32_t target = owner_of[graph->targets[i]];
            owner *state = &owners[target & ~ITSELF];
            if (!(target & ITSELF) || from == (target & ~ITSELF) || state->referrers[1])
                continue;
            if (!state->referrers[0]) {
                state->referrers[0] = object;
                state->first_owner = from;
            } else if (state->first_owner != from) {
                state->referrers[1] = object;
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

static void share(mp_graph_view *view)
{
    const mp_graph *graph = view->graph;
    const mp_dominators *dominators = &view->dominators;
    mp_sharing *sharing = &view->sharing;
    mp_id_index pairs = {0}; /* 1 + the index in sharing->items, by pair of types */
    size_t capacity = 0;
    owner_list owners = {0};
    uint32_t *owner_of = find_owners(graph, dominators, &owners);
    find_referrers(graph, owner_of, owners.items);
    free(owner_of);
    for (uint32_t i = 1, place = 1; i < owners.count; place += dominators->span[place], i++) {
        const owner *self = &owners.items[i];
        if (owners.count - i > AHEAD) {
            const uint32_t later = mp_object_ahead(dominators, place);
            __builtin_prefetch(&graph->sizes[later]);
            __builtin_prefetch(&dominators->retained[later]);
            __builtin_prefetch(&graph->types[self[AHEAD].referrers[0]]);
        }
        if (self->referrers[1] == ROOTED)
            continue;
        const uint32_t object = dominators->order[place];
        uint32_t a = graph->types[self->referrers[0]], b = graph->types[self->referrers[1]];
        uint32_t low = a < b ? a : b, high = a < b ? b : a;
        uint32_t *pair = mp_id_index_put(&pairs, (uint64_t)low << 32 | high);
        if (!*pair) {
            *MP_APPEND(sharing->items, sharing->count, capacity) =
                (mp_shared){.types = {low, high}};
            *pair = (uint32_t)sharing->count;
        }
        mp_shared *shared = &sharing->items[*pair - 1];
        const mp_shared one = {.objects = 1,
                               .own_bytes = (int64_t)graph->sizes[object],
                               .retained_objects = dominators->span[place],
                               .retained_bytes = (int64_t)dominators->retained[object]};
        add_shared(shared, &one);
        add_shared(&sharing->total, &one);
        if (!shared->largest || one.retained_bytes > (int64_t)dominators->retained[shared->largest])
            shared->largest = object;
    }
    if (sharing->count)
        qsort_r(sharing->items, sharing->count, sizeof *sharing->items, by_bytes,
                (void *)(uintptr_t)view->model);
    mp_id_index_free(&pairs);
    free(owners.items);
}

const mp_sharing *mp_graph_sharing(mp_graph_view *view)
{
    if (!view->has_sharing)
        share(view);
    view->has_sharing = true;
    return &view->sharing;
}
