/* Holders at a dump, and what they held at the previous dump. */
#ifndef MP_QUERY_HOLDINGS_H
#define MP_QUERY_HOLDINGS_H

#include "base/index.h"
#include "query/graph_query.h"

/* Objects of a type that objects at one place hold, or roots of one kind; or those of all types. */
typedef struct mp_held {
    uint64_t key, below; /* hash of the holding; hash of the place its objects would be */
    uint32_t position;   /* the place that holds it, 0: roots do */
    uint32_t type;       /* 0: all that is held at the place */
    uint32_t kind, objects;
    uint32_t next; /* held at the same place; 0: none */
    int64_t bytes; /* bytes that the objects retain */
    /* The object that holds most of it; while that is looked for, the one that is looked at. */
    uint32_t holder, looked_at;
    int64_t most_bytes, looked_bytes;
} mp_held;

typedef struct mp_holdings {
    const mp_graph *graph;
    const mp_dominators *dominators;
    mp_holder_places places;              /* each behind that above it */
    uint32_t *place_of, *order_of, *seen; /* by object */
    mp_held *held;                        /* from 1 */
    size_t held_count, held_capacity;
    mp_id_index by_type; /* places, by the one above and the type */
    mp_id_index by_key;  /* holdings, by key */
} mp_holdings;

/* O(references). Graph and dominators must outlive it. */
mp_holdings mp_holdings_of(const mp_graph *graph, const mp_dominators *dominators);
void mp_holdings_free(mp_holdings *holdings);

mp_holding mp_holding_of(const mp_holdings *holdings, const mp_held *held, uint32_t before);
/* Return, for each holding by its number, the number of the same holding in mp_model.holdings at
 * the previous dump; 0: it did not exist or had not grown so far; MP_HELD_UNKNOWN: several are
 * possible. A holder whose dominators changed is recognised by the rest of its way from the
 * roots, or, if exactly one of its type disappeared and one is new, by its type. Release with
 * free(). */
uint32_t *mp_holdings_before(const mp_model *model, mp_snapshot_id dump,
                             const mp_holdings *holdings);
/* By its key, at one dump; 0: not kept. */
uint32_t mp_holding_find(const mp_model *model, mp_snapshot_id dump, uint64_t key);
/* By how many objects it grew; `before` may be NULL. */
uint32_t mp_holding_step(const mp_holding *before, const mp_holding *now);
/* The dumps up to this one, which is the last of them; `count` of them. Release with free(). */
mp_snapshot_id *mp_dumps_to(const mp_model *model, mp_snapshot_id last, uint32_t *count);

#endif
