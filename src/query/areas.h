/* Areas: amounts by group and, within each group, by key, for maps of memory. */
#pragma once

#include "query/graph_query.h"
#include "query/group.h"

typedef struct mp_area {
    const char *group, *key;
    int64_t amount; /* bytes */
    int64_t count;  /* objects */
} mp_area;

/* Areas with distinct names, sorted by group, then by key. Release with mp_areas_free. */
typedef struct mp_areas {
    mp_area *items;
    size_t count, capacity;
    mp_arena labels; /* labels made for the areas; all others are borrowed */
} mp_areas;

/* Return the objects alive at the end of the window, or the leaked ones. They are grouped by a
 * dimension whose groups add up, and within each group by type (by source, if the dimension is the
 * type). The sums are those of the window. */
mp_areas mp_areas_of_heap(const mp_window *window, const mp_dimension *dimension, bool leaked);
/* Return the objects of a dump by namespace or type, and by type within each group. With
 * `retained`, only reachable objects count, each in the area of the topmost object that dominates
 * it. */
mp_areas mp_areas_of_graph(mp_graph_view *view, bool by_namespace, bool retained);
void mp_areas_free(mp_areas *areas);
