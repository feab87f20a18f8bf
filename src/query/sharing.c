/* Shared objects, which no single object keeps alive, and the objects that refer to them. */
#include <assert.h>
#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/graph_query.h"

/* Two objects that refer to a shared object and have different owners. */
typedef struct referrers {
    uint32_t objects[2];
} referrers;

/* Return the owner of each object: its ancestor directly below the virtual root. 0: unreachable. */
static uint32_t *owners_of(const mp_graph *graph, const mp_dominators *dominators)
{
    uint32_t *owner = mp_alloc_zero((size_t)graph->count + 1, sizeof *owner);
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], above = dominators->idom[object];
        owner[object] = above ? owner[above] : object;
        assert(owner[object]); /* in preorder, its dominator came first */
    }
    return owner;
}

/* Return the number of each shared object, from 1; 0: not shared. */
static uint32_t *number_shared(const mp_graph *graph, const mp_dominators *dominators,
                               uint32_t *count)
{
    uint32_t *number = mp_alloc_zero((size_t)graph->count + 1, sizeof *number);
    *count = 0;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (mp_root_is_strong(&graph->roots.items[i]))
            number[graph->roots.items[i].object] = UINT32_MAX;
    for (uint32_t i = 1; i <= dominators->reached; i += dominators->span[i])
        if (!number[dominators->order[i]])
            number[dominators->order[i]] = ++*count;
    for (uint32_t i = 1; i <= graph->count; i++)
        if (number[i] == UINT32_MAX)
            number[i] = 0;
    return number;
}

enum { AHEAD = 16 };

static referrers *find_referrers(const mp_graph *graph, const uint32_t *owner,
                                 const uint32_t *number, uint32_t count)
{
    referrers *found = mp_alloc_zero((size_t)count + 1, sizeof *found);
    uint32_t total = mp_graph_references(graph);
    for (uint32_t object = 1; object <= graph->count; object++) {
        for (uint32_t i = graph->first[object]; owner[object] && i < graph->first[object + 1];
             i++) {
            uint32_t target = graph->targets[i];
            if (total - i > 2 * AHEAD) {
                __builtin_prefetch(&number[graph->targets[i + 2 * AHEAD]]);
                __builtin_prefetch(&found[number[graph->targets[i + AHEAD]]], 1);
            }
            referrers *state = &found[number[target]];
            if (!number[target] || owner[object] == target || state->objects[1])
                continue;
            if (!state->objects[0])
                state->objects[0] = object;
            else if (owner[state->objects[0]] != owner[object])
                state->objects[1] = object;
        }
    }
    return found;
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
    uint32_t count, *number = number_shared(graph, dominators, &count);
    uint32_t *owner = owners_of(graph, dominators);
    referrers *by = find_referrers(graph, owner, number, count);
    for (uint32_t i = 1; i <= dominators->reached; i += dominators->span[i]) {
        uint32_t object = dominators->order[i];
        if (!number[object])
            continue;
        uint32_t a = graph->types[by[number[object]].objects[0]];
        uint32_t b = graph->types[by[number[object]].objects[1]], low = a < b ? a : b;
        uint32_t high = a < b ? b : a;
        uint32_t *place = mp_id_index_put(&pairs, (uint64_t)low << 32 | high);
        if (!*place) {
            mp_grow(&sharing->items, &capacity, sharing->count + 1, sizeof *sharing->items);
            sharing->items[sharing->count++] = (mp_shared){.types = {low, high}};
            *place = (uint32_t)sharing->count;
        }
        mp_shared *shared = &sharing->items[*place - 1];
        const mp_shared one = {.objects = 1,
                               .own_bytes = (int64_t)graph->sizes[object],
                               .retained_objects = dominators->span[i],
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
    free(by);
    free(owner);
    free(number);
}

const mp_sharing *mp_graph_sharing(mp_graph_view *view)
{
    if (!view->has_sharing)
        share(view);
    view->has_sharing = true;
    return &view->sharing;
}
