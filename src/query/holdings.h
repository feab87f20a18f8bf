/* Holdings: the objects that each holder keeps alive in a dump, and the corresponding objects in
 * the previous dump. */
#pragma once

#include "base/index.h"
#include "query/graph_query.h"

/* A holding: the objects of one type, or of all types, that are held by the objects at one place or
 * by the roots of one kind. */
typedef struct mp_held {
    uint64_t key, below; /* hash of the holding; hash of the place of the held objects */
    uint32_t position;   /* place of the holder; 0: roots */
    uint32_t type;       /* type of the held objects; 0: all types */
    uint32_t kind, objects;
    uint32_t next; /* next holding of the same place; 0: none */
    int64_t bytes; /* bytes that the held objects retain */
    /* Object that holds most, and object that is being examined, each with the bytes that it
     * holds. */
    uint32_t holder, looked_at;
    int64_t most_bytes, looked_bytes;
} mp_held;

typedef struct mp_holdings {
    const mp_graph *graph;
    const mp_dominators *dominators;
    mp_holder_places places; /* parents precede their children */
    uint32_t *place_of, *order_of,
        *seen;     /* by object: its place, its index in preorder, its last holder */
    mp_held *held; /* numbered from 1 */
    size_t held_count, held_capacity;
    mp_id_index fields;  /* for each object, its first root that names a static field */
    mp_id_index by_type; /* places by parent, or name of the static field, and type */
    mp_id_index by_key;  /* holdings by key */
} mp_holdings;

/* Find all holdings of a graph. O(references). The graph and its dominators must outlive the
 * result. Release with mp_holdings_free. */
mp_holdings mp_holdings_of(const mp_graph *graph, const mp_dominators *dominators);
void mp_holdings_free(mp_holdings *holdings);

/* Return what the model keeps of a holding for the next dump. `before` is its index in the previous
 * dump. */
mp_holding mp_holding_of(const mp_holdings *holdings, const mp_held *held, uint32_t before);
/* Return, for each holding by its number, the index in mp_model.holdings of the same holding in the
 * previous dump. 0: it did not exist, or had not grown until then; MP_HELD_UNKNOWN: several are
 * possible. If some dominators of a holder changed, it is recognised by the other types on its path
 * from the roots. It is also recognised by its type, if exactly one holder of the type vanished and
 * exactly one is new. Release with free(). */
uint32_t *mp_holdings_before(const mp_model *model, mp_snapshot_id dump,
                             const mp_holdings *holdings);
/* Return the index of a holding in a dump by its key; 0: not kept. */
uint32_t mp_holding_find(const mp_model *model, mp_snapshot_id dump, uint64_t key);
/* Return the growth of a holding in objects; `before` may be NULL. */
uint32_t mp_holding_step(const mp_holding *before, const mp_holding *now);
/* Return the dumps up to and including `last`; *count is their number. Release with free(). */
mp_snapshot_id *mp_dumps_to(const mp_model *model, mp_snapshot_id last, uint32_t *count);

/* Keep the holdings of the model's graph before the graph is replaced. For mp_model.leave. */
void mp_leave_holdings(mp_model *model);
