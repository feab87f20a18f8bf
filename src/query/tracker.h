/* State of a recording at each of its snapshots while it is read: live objects, growth since the
 * first snapshot, and the site that grew most.
 *
 * Each delta of the ledger is visited once, so a snapshot costs as much as its changes. The
 * first snapshot of a session is its start, as in reports. */
#ifndef MP_QUERY_TRACKER_H
#define MP_QUERY_TRACKER_H

#include "base/memory.h"
#include "model/model.h"

typedef struct mp_tracker mp_tracker;

/* The model must outlive it. Release with mp_tracker_free. */
mp_tracker *mp_tracker_new(const mp_model *model);
/* NULL: nothing happens. */
void mp_tracker_free(mp_tracker *tracker);

typedef struct mp_tracked {
    int64_t first_bytes;                  /* alive at the first snapshot of the session */
    int64_t before_bytes;                 /* alive at the snapshot before; 0: this is the first */
    int64_t leaked_objects, leaked_bytes; /* created after the first snapshot, and alive */
    /* The site whose bytes alive grew most since the first snapshot; of equal ones, the one that
     * was met first. */
    mp_context_id grower; /* one of its contexts; none: nothing grew */
    int64_t grower_bytes;
} mp_tracked;

/* A snapshot has just ended (mp_model.tell); of each one, in their order. */
mp_tracked mp_tracker_take(mp_tracker *tracker, mp_snapshot_id snapshot);

/* Return the place that creates the objects of a context, "shop/order.p:12", for a model without
 * a complete call tree. */
const char *mp_context_place(mp_arena *arena, const mp_model *model, mp_context_id context);

#endif
