/* The object graph: objects, who refers to whom, and the roots that keep them alive, at one
 * snapshot.
 *
 * Objects are numbered from 1, the virtual root above all roots is 0. References are in compressed
 * rows: those of object i are targets[first[i]] to targets[first[i + 1] - 1]. Numbers of objects
 * are 32 bits wide, sizes 64; 24 bytes an object and 4 a reference.
 *
 *   first    [ . | 0 | 2 | 2 | 5 ]          object 1 refers to 3 and 4, object 2 to nothing,
 *                  |       |                object 3 to 1, 2 and itself
 *   targets      [ 3   4 | 1   2   3 ]
 *
 * A reference to an object that is not there is counted and left out. */
#ifndef MP_MODEL_GRAPH_H
#define MP_MODEL_GRAPH_H

#include "model/model.h"

/* Kinds of roots, as the CLR profiling interface and RPM number them. Others occur. */
enum {
    MP_ROOT_INTERNAL = 0,
    MP_ROOT_LOCAL = 1,
    MP_ROOT_FINALIZER = 2,
    MP_ROOT_HANDLE = 3,
    MP_ROOT_STATIC = 4,
    MP_ROOT_RUNTIME = 5,
};

/* The kind of roots in a format that tells none. */
#define MP_ROOT_UNSPECIFIED UINT32_MAX

/* Flags of roots. Others occur. */
enum {
    MP_ROOT_PINNED = 1,
    MP_ROOT_WEAK = 2, /* does not keep its object alive */
    MP_ROOT_INTERIOR = 4,
    MP_ROOT_REFCOUNTED = 8,
};

typedef struct mp_root {
    uint32_t object; /* 0: the file has no such object */
    uint32_t kind;
    uint32_t flags;
    mp_type_id container; /* type that a static is declared in; else none */
    uint64_t id;          /* id of the object, as in the file */
} mp_root;

/* A part of a dump that has identifiers of its own: an application domain. Its objects follow each
 * other. */
typedef struct mp_domain {
    mp_string_id name;
    uint32_t first_object; /* its objects are first_object to first_object + objects - 1 */
    uint32_t objects;
    /* When it was dumped, by the clock of the device, and how long that took; microseconds, -1: not
     * told. */
    int64_t clock_us, took_us;
} mp_domain;

typedef struct mp_graph {
    mp_snapshot_id snapshot;
    uint32_t count;             /* objects; the arrays have count + 1 elements, [0] is unused */
    uint64_t *ids;              /* as in the file; unique in their domain */
    uint64_t *sizes;            /* bytes */
    uint32_t *types;            /* mp_type_id; of equal names, the same */
    uint32_t *first;            /* count + 2 elements */
    uint32_t *targets;          /* first[count + 1] of them */
    MP_LIST(mp_root) roots;     /* in the order of the file; element 0 is reserved */
    MP_LIST(mp_domain) domains; /* likewise */
    uint64_t dangling;          /* references to objects that are not there */
    uint64_t duplicates;        /* objects that were there already: left out */
    uint32_t declared_types;    /* number of declared types of different names */
    /* By type: true if references to its objects were not recorded, so that nothing is known of
     * what keeps them alive. NULL: all were recorded. */
    bool *untracked;
    bool hexadecimal; /* how the format writes identifiers */
} mp_graph;

static inline uint32_t mp_graph_references(const mp_graph *graph)
{
    return graph->first[graph->count + 1];
}

static inline bool mp_graph_tracks(const mp_graph *graph, uint32_t object)
{
    return !graph->untracked || !graph->untracked[graph->types[object]];
}

/* NULL: nothing happens. */
void mp_graph_free(mp_graph *graph);

#endif
