/* Tracker: state of a recording at each of its snapshots while it is being read, with live objects,
 * growth since the first snapshot, and the site that grew most.
 *
 * Each delta of the ledger is visited once, so a snapshot costs as much as its changes. As in
 * reports, the first snapshot of a session is its start. */
#pragma once

#include "base/memory.h"
#include "model/model.h"

typedef struct mp_tracker mp_tracker;

/* Create a tracker. The model must outlive it. Release with mp_tracker_free. */
mp_tracker *mp_tracker_new(const mp_model *model);
/* Free the tracker. NULL is allowed. */
void mp_tracker_free(mp_tracker *tracker);

typedef struct mp_tracked {
    int64_t first_bytes;                  /* alive at the first snapshot of the session */
    int64_t before_bytes;                 /* alive at the previous snapshot; 0 at the first */
    int64_t leaked_objects, leaked_bytes; /* created after the first snapshot and still alive */
    /* Site whose live bytes grew most since the first snapshot; if several grew equally, the first
     * of them. */
    mp_context_id grower; /* a context of the site; 0: nothing grew */
    int64_t grower_bytes;
} mp_tracked;

/* Update the tracker at the end of a snapshot, and return the state. Call it from mp_model.tell,
 * for each snapshot in order. */
mp_tracked mp_tracker_take(mp_tracker *tracker, mp_snapshot_id snapshot);

/* Return the place that creates the objects of a context, such as "shop/order.p:12", for a model
 * without a complete call tree. */
const char *mp_context_place(mp_arena *arena, const mp_model *model, mp_context_id context);
