/* Growth from dump to dump: types, and holders that accumulate objects. */
#pragma once

#include "query/graph_query.h"

/* Type of the window's first session whose bytes grew at every snapshot after `from`, up to
 * `to`. */
typedef struct mp_grower {
    mp_type_id type;
    int64_t from_objects, to_objects, from_bytes, to_bytes;
} mp_grower;

/* An accumulation: a holder holds more objects in each dump than in the one before.
 *
 * A holder is recognised in another dump by its place: its type and the types of all objects that
 * dominate it. The nodes of a linked list share the place of its head. A holder is either an
 * object, which holds the objects it refers to, except those that dominate it and the nodes of its
 * own list; or all roots of one kind. Holders at the same place count together, and more holders do
 * not count as growth. Gains of several types are added, unless one type makes up nine tenths.
 * Objects held further down are not listed again. */
typedef struct mp_accumulation {
    uint64_t key;
    uint32_t holder;  /* object at the place that holds most; 0: held by roots */
    uint32_t kind;    /* kind of these roots */
    uint32_t example; /* the holder; for roots, the root object that retains most */
    uint32_t type;    /* type of the held objects; if several types grew, the one with most bytes */
    uint32_t types;   /* number of gained types */
    int64_t holders;  /* number of holders at the place */
    int64_t objects, bytes;        /* objects held in the last dump, and the bytes they retain */
    int64_t least_step, most_step; /* smallest and largest growth between two dumps, in objects */
    int64_t steady_bytes;          /* bytes gained if every growth were the smallest one */
    /* First dump in which the held amount is known, and that amount. The amount in earlier dumps is
     * unknown if any of several holders there may be this one. */
    uint32_t first_dump;
    int64_t from_objects, from_bytes;
    uint64_t first_place; /* hash of the place in that dump; 0: nothing was held */
    uint32_t place;       /* number of the place; places below it have larger numbers */
    size_t counts; /* index in view->accumulated of the numbers of objects held in each dump */
} mp_accumulation;

/* Return the accumulations, sorted by steady bytes, largest first. There are none if the holdings
 * of earlier dumps were not kept (model->leave). */
const mp_accumulation *mp_graph_accumulations(mp_graph_view *view, size_t *count);
/* Return true if the amount held in the previous dump is unknown. */
static inline bool mp_accumulation_is_unknown(const mp_graph_view *view,
                                              const mp_accumulation *accumulation)
{
    return accumulation->first_dump + 1 == view->dump_count;
}

/* A holder that accumulates objects, and the bytes these retain. */
typedef struct mp_growing_holder {
    const char *text; /* text for people, "8 more closure held by Array in EventEmitter" */
    int64_t from_bytes, bytes;
} mp_growing_holder;

/* Return true if growing holders can be found for the window: it must cover all dumps up to the one
 * with the graph, and all types. */
bool mp_window_tells_holders(const mp_window *window);
/* Return at most `most` growing holders, in the order of mp_graph_accumulations. *count is their
 * number, 0 for windows without holders. They belong to the arena. */
mp_growing_holder *mp_growing_holders(mp_arena *arena, const mp_window *window, size_t most,
                                      size_t *count);

/* A type whose objects are mostly kept alive by one holder. */
typedef struct mp_kept_type {
    uint32_t type;
    int64_t objects, of_objects,
        bytes; /* number of objects that only the holder keeps alive; number of all objects; bytes
                  of the objects that it keeps alive */
} mp_kept_type;

/* Return the types that grow together with an accumulation. The holder reaches all objects of such
 * a type, and alone keeps at least nine tenths of them alive. There are at least as many of these
 * objects as the accumulation gained. The accumulated type itself is not returned. Types with most
 * bytes come first; *count is their number. O(references). Release with free(). */
mp_kept_type *mp_kept_with(const mp_graph_view *view, const mp_accumulation *accumulation,
                           size_t *count);

/* Return the types that grew at every snapshot, sorted by growth, largest first, then by name.
 * *count is their number, *steps the number of snapshots. Release with free(). */
mp_grower *mp_growers_of(const mp_window *window, size_t *count, uint32_t *steps);
