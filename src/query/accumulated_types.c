/* Objects that a holder keeps alive through the objects it accumulates. */
#include <stdlib.h>

#include "base/memory.h"
#include "query/accumulation.h"

static int most_kept_first(const void *left, const void *right, void *model)
{
    const mp_kept_type *a = left, *b = right;
    int order = MP_COMPARE(b->bytes, a->bytes);
    return order ? order : mp_type_compare(model, (mp_type_id){a->type}, (mp_type_id){b->type});
}

/* Return true if the accumulation includes the type. An accumulation of several types includes
 * every type. */
static bool holds(const mp_accumulation *accumulation, uint32_t type)
{
    return accumulation->types > 1 || type == accumulation->type;
}

/* Return the objects that the holder or the roots of an accumulation hold, and set *count to their
 * number. Release with free(). */
static uint32_t *objects_held(const mp_graph_view *view, const mp_accumulation *accumulation,
                              const uint32_t *order_of, uint32_t *count)
{
    const mp_graph *graph = view->graph;
    const mp_dominators *dominators = &view->dominators;
    uint32_t holder = accumulation->holder, index = order_of[holder];
    uint32_t from = graph->first[holder], end = holder ? graph->first[holder + 1] : from;
    uint32_t *objects = mp_alloc(((size_t)graph->roots.count + (end - from)) * sizeof *objects);
    *count = 0;
    for (uint32_t k = from; k < end; k++) {
        uint32_t object = graph->targets[k], above = order_of[object];
        bool is_above = above <= index && index - above < dominators->span[above];
        if (holds(accumulation, graph->types[object]) && !is_above)
            objects[(*count)++] = object;
    }
    for (uint32_t i = 1; !holder && i < graph->roots.count; i++) {
        const mp_root *root = &graph->roots.items[i];
        if (mp_root_is_strong(root) && root->kind == accumulation->kind &&
            holds(accumulation, graph->types[root->object]))
            objects[(*count)++] = root->object;
    }
    return objects;
}

/* Count, by type, the objects that are reachable from the given objects, including these. */
static void count_reached(const mp_graph *graph, const uint32_t *objects, uint32_t count,
                          int64_t *of_type)
{
    bool *seen = mp_alloc_zero((size_t)graph->count + 1, sizeof *seen);
    uint32_t *queue = mp_alloc(((size_t)graph->count + 1) * sizeof *queue), queued = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (!seen[objects[k]])
            queue[queued++] = objects[k];
        seen[objects[k]] = true;
    }
    for (uint32_t i = 0; i < queued; i++) {
        uint32_t object = queue[i];
        of_type[graph->types[object]]++;
        for (uint32_t k = graph->first[object]; k < graph->first[object + 1]; k++)
            if (!seen[graph->targets[k]]) {
                seen[graph->targets[k]] = true;
                queue[queued++] = graph->targets[k];
            }
    }
    free(queue);
    free(seen);
}

/* Return, by type, the objects that become unreachable when the holder is removed. For an
 * accumulation held by roots, return those that become unreachable when the held objects are
 * removed. */
static mp_type_links kept_by(const mp_graph_view *view, uint32_t holder, const uint32_t *objects,
                             uint32_t count)
{
    bool *without = mp_alloc_zero((size_t)view->graph->count + 1, sizeof *without);
    without[holder] = true;
    for (uint32_t k = 0; !holder && k < count; k++)
        without[objects[k]] = true;
    without[0] = false; /* 0 is not an object */
    mp_type_links kept = mp_retained_of(view, without);
    free(without);
    return kept;
}

mp_kept_type *mp_kept_with(const mp_graph_view *view, const mp_accumulation *accumulation,
                           size_t *count)
{
    const mp_graph *graph = view->graph;
    const mp_dominators *dominators = &view->dominators;
    uint32_t types = view->model->types.count, held_count;
    int64_t *by_it = mp_alloc_zero(types, sizeof *by_it),
            *totals = mp_alloc_zero(types, sizeof *totals);
    uint32_t *order_of = mp_alloc_zero((size_t)graph->count + 1, sizeof *order_of);
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        order_of[dominators->order[i]] = i;
        totals[graph->types[dominators->order[i]]]++;
    }
    uint32_t *objects = objects_held(view, accumulation, order_of, &held_count);
    count_reached(graph, objects, held_count, by_it);
    mp_type_links links = kept_by(view, accumulation->holder, objects, held_count);
    mp_kept_type *kept = mp_alloc_zero(types, sizeof *kept);
    for (uint32_t k = 0; k < held_count; k++)
        totals[graph->types[objects[k]]] = 0; /* types of held objects are not listed again */
    int64_t grew = accumulation->objects - accumulation->from_objects;
    *count = 0;
    for (size_t i = 0; i < links.count; i++) {
        const mp_type_link *link = &links.items[i];
        int64_t objects_of = totals[link->type];
        if (objects_of == by_it[link->type] && objects_of && objects_of >= grew &&
            link->objects * 10 >= objects_of * 9)
            kept[(*count)++] = (mp_kept_type){link->type, link->objects, objects_of, link->bytes};
    }
    if (*count)
        qsort_r(kept, *count, sizeof *kept, most_kept_first, (void *)(uintptr_t)view->model);
    mp_type_links_free(&links);
    free(objects);
    free(order_of);
    free(totals);
    free(by_it);
    return kept;
}
