/* What the analyses of object graphs have in common. */
#ifndef MP_QUERY_GRAPH_WALKS_H
#define MP_QUERY_GRAPH_WALKS_H

#include "query/graph_query.h"

static inline bool mp_root_is_strong(const mp_root *root)
{
    return root->object && !(root->flags & MP_ROOT_WEAK);
}

/* A search by distance from strong roots. */
typedef struct mp_distances {
    uint32_t *order; /* objects, nearest first */
    uint32_t *above; /* of each object, the one before it; itself: it is a root; 0: not reached */
    uint32_t count;  /* of `order` */
} mp_distances;

/* From roots of one kind, or any. Until `target` is found (0: all). */
mp_distances mp_distances_from(const mp_graph *graph, bool any_kind, uint32_t kind,
                               uint32_t target);
void mp_distances_free(mp_distances *distances);

/* The first strong root of an object, of one kind or any: a place in graph->roots; 0: none. */
uint32_t mp_first_root(const mp_graph *graph, uint32_t object, bool any_kind, uint32_t kind);

#endif
