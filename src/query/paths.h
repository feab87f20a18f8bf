/* Shortest paths from roots to objects of a graph. */
#pragma once

#include "query/graph_query.h"

#define MP_ANY_KIND (-1) /* any kind of roots */

/* Breadth-first search from strong roots. */
typedef struct mp_distances {
    uint32_t *order; /* objects, nearest first */
    uint32_t *above; /* previous object on the path; the object itself: a root refers to it; 0: not
                        reached */
    uint32_t count;  /* number of objects in `order` */
} mp_distances;

/* Search from the roots of one kind, or of any kind, until `target` is found (0: search
 * everything). `excluded` has a flag for each object (NULL: none is excluded): a path may end at an
 * excluded object, but not continue from it. */
mp_distances mp_distances_from(const mp_graph *graph, int64_t kind, uint32_t target,
                               const bool *excluded);
void mp_distances_free(mp_distances *distances);

/* Shortest path from a root to an object, root first; `count` 0: not reached. */
typedef struct mp_path {
    uint32_t *objects;
    size_t count;
    uint32_t root; /* index in graph->roots */
} mp_path;

/* Return the search from all strong roots over the whole graph; it belongs to the view. */
const mp_distances *mp_graph_distances(mp_graph_view *view);
/* Return the path to an object according to a search from roots of this kind. */
mp_path mp_path_along(const mp_graph *graph, const mp_distances *distances, uint32_t object,
                      int64_t kind);
/* Return the shortest path from strong roots of one kind, or of any kind. Of equally short paths,
 * choose the one with the first root and the first references in file order. `excluded` is as for
 * mp_distances_from. */
mp_path mp_path_to(const mp_graph *graph, uint32_t object, int64_t kind, const bool *excluded);
void mp_path_free(mp_path *path);

/* Shortest paths to all objects of the types that match a glob. Paths through the same types are
 * merged; several objects of one type in a row, as in linked lists, count as one step. */
enum { MP_LISTED_STEPS = 65 };

typedef struct mp_type_step {
    uint32_t up; /* previous step towards the root; 0: none */
    uint32_t type;
    uint32_t root_kind;
    uint32_t length; /* number of steps from the root to this one; 0: only the kind of root */
    /* Last of the first MP_LISTED_STEPS steps of this path. If the path has no more steps, the step
     * itself. */
    uint32_t head;
    /* First object of the step in the order of the search, and the object that refers to it (0: a
     * root does). */
    uint32_t object, before;
    uint32_t path; /* 1 + the index in `items` of the path that ends here; 0: none */
} mp_type_step;

typedef struct mp_type_path {
    uint32_t last;          /* last step of the path */
    int64_t objects, bytes; /* number and bytes of the objects at which the path ends */
    uint32_t example;       /* first of these objects in the order of the search */
} mp_type_path;

typedef struct mp_type_paths {
    mp_type_path *items; /* most objects first, then most bytes, then by id of the example */
    size_t count;
    mp_type_step *steps; /* numbered from 1 */
    int64_t objects;     /* number of objects of the types */
    int64_t unreached;   /* number of them that no strong root reaches */
    int64_t untracked;   /* number of them whose reachability is unknown */
    int64_t excluded;    /* number of them that roots reach only through excluded objects */
} mp_type_paths;

/* Return the paths to the objects of the types that the glob fits. `excluded` is as for
 * mp_distances_from. Release with mp_type_paths_free. */
mp_type_paths mp_type_paths_of(const mp_graph_view *view, const char *glob, const bool *excluded);
void mp_type_paths_free(mp_type_paths *paths);
