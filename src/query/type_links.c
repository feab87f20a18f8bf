/* Objects related to given objects, by type: those that refer to them, keep them alive, or are kept
 * alive by them. */
#include <stdlib.h>

#include "base/memory.h"
#include "query/paths.h"

typedef enum weight {
    BY_OBJECTS,
    BY_BYTES,
    BY_DOMINATED_BYTES,
} weight;

typedef struct ordering {
    const mp_model *model;
    weight by;
} ordering;

static int64_t weight_of(const mp_type_link *link, weight by)
{
    return by == BY_OBJECTS ? link->objects : by == BY_BYTES ? link->bytes : link->dominated_bytes;
}

static int most_first(const void *left, const void *right, void *opaque)
{
    const ordering *state = opaque;
    const mp_type_link *a = left, *b = right;
    int order = MP_COMPARE(weight_of(b, state->by), weight_of(a, state->by));
    order = order ? order : MP_COMPARE(b->objects, a->objects);
    order = order ? order : MP_COMPARE(b->bytes, a->bytes);
    return order ? order
                 : mp_type_compare(state->model, (mp_type_id){a->type}, (mp_type_id){b->type});
}

/* Return the non-empty rows of an array with one row per type. */
static mp_type_links links_of(const mp_graph_view *view, mp_type_link *of_type, weight by)
{
    mp_type_links links = {.items = of_type};
    for (uint32_t type = 0; type < view->model->types.count; type++)
        if (of_type[type].objects || of_type[type].dominated) {
            of_type[links.count] = of_type[type];
            of_type[links.count++].type = type;
        }
    qsort_r(links.items, links.count, sizeof *links.items, most_first,
            &(ordering){view->model, by});
    return links;
}

static void count_object(const mp_graph *graph, mp_type_link *of_type, uint32_t object)
{
    mp_type_link *link = &of_type[graph->types[object]];
    link->objects++;
    link->bytes += (int64_t)graph->sizes[object];
}

mp_type_links mp_referrers_of(const mp_graph_view *view, const bool *asked)
{
    const mp_graph *graph = view->graph;
    mp_type_link *of_type = mp_alloc_zero(view->model->types.count, sizeof *of_type);
    for (uint32_t object = 1; object <= graph->count; object++) {
        int64_t references = 0;
        for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++)
            references += asked[graph->targets[i]];
        if (references)
            count_object(graph, of_type, object);
        of_type[graph->types[object]].references += references;
    }
    return links_of(view, of_type, BY_OBJECTS);
}

/* Visit objects in preorder, in which the dominator of an object comes before it. */
mp_type_links mp_holders_of(const mp_graph_view *view, const bool *asked, const bool *skipped)
{
    const mp_graph *graph = view->graph;
    const mp_dominators *dominators = &view->dominators;
    size_t size = (size_t)graph->count + 1;
    mp_type_link *of_type = mp_alloc_zero(view->model->types.count, sizeof *of_type);
    /* nearest dominator that is not skipped */
    uint32_t *above = mp_alloc_zero(size, sizeof *above);
    bool *counted = mp_alloc_zero(size, sizeof *counted);
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], holder = dominators->idom[object];
        if (holder && skipped[holder])
            holder = above[holder];
        above[object] = holder;
        if (!asked[object])
            continue;
        mp_type_link *link = &of_type[holder ? graph->types[holder] : 0];
        link->dominated++;
        link->dominated_bytes += (int64_t)graph->sizes[object];
        if (holder && !counted[holder])
            count_object(graph, of_type, holder);
        counted[holder] = true;
    }
    free(counted);
    free(above);
    return links_of(view, of_type, BY_DOMINATED_BYTES);
}

mp_type_links mp_retained_of(const mp_graph_view *view, const bool *asked)
{
    const mp_graph *graph = view->graph;
    mp_type_link *of_type = mp_alloc_zero(view->model->types.count, sizeof *of_type);
    mp_distances rest = mp_distances_from(graph, MP_ANY_KIND, 0, asked);
    for (uint32_t object = 1; object <= graph->count; object++)
        if (mp_is_reached(&view->dominators, object) && (asked[object] || !rest.above[object]))
            count_object(graph, of_type, object);
    mp_distances_free(&rest);
    return links_of(view, of_type, BY_BYTES);
}

void mp_type_links_free(mp_type_links *links)
{
    free(links->items);
    *links = (mp_type_links){0};
}
