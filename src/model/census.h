/* A heap that is known only by its live objects at each snapshot, not by births and deaths.
 *
 * At each snapshot, the reader adds every live object with the snapshot of its birth, then ends the
 * snapshot. An increase since the previous snapshot counts as creations, a decrease as deletions.
 * Of objects that lived only between two snapshots, only the number is known (mp_census_passed).
 * Formats without objects set amounts by context instead (mp_census_stock). */
#pragma once

#include "model/build.h"

/* Live amounts of a generation, or total amounts of a type that were ever created. */
typedef struct mp_census_share {
    int64_t objects, bytes;
} mp_census_share;

typedef struct mp_census_entry {
    mp_census_share now, before; /* at the current and the previous snapshot */
    uint32_t younger;            /* next generation of a stock; 0: none */
    bool listed;                 /* member of `active` */
} mp_census_entry;

/* Objects of a context of which only the amounts are known (mp_census_stock). */
typedef struct mp_census_stock_entry {
    uint32_t oldest; /* oldest generation of the context with live objects; 0: none */
    mp_census_share made;
} mp_census_stock_entry;

typedef struct mp_census {
    mp_model *model;
    mp_session_id session;
    mp_census_entry *entries; /* indexed by generation */
    size_t entry_count, entry_capacity;
    uint32_t *active; /* generations with live objects at one of the two snapshots */
    size_t active_count, active_capacity;
    mp_census_share *created; /* amounts created so far, indexed by type */
    size_t type_count, type_capacity;
    mp_census_stock_entry *stocks; /* indexed by context */
    size_t stock_count, stock_capacity;
    mp_tally tally; /* changes since the previous snapshot */
} mp_census;

/* Start a census of a session. Release with mp_census_close. */
void mp_census_open(mp_census *census, mp_model *model, mp_session_id session);
void mp_census_close(mp_census *census);
/* Continue with a new session. Earlier sessions cannot be continued after that. */
void mp_census_turn(mp_census *census, mp_session_id session);

/* Reserve the bytes of an object. Return false if a sum could overflow; the caller must then not
 * add the object. */
bool mp_census_affords(mp_census *census, int64_t bytes);
/* Add an object that is alive at the current snapshot. `context` has what is known about the
 * object; `born` is the current snapshot or an earlier one. Return the object's generation. */
mp_generation_id mp_census_object(mp_census *census, const mp_context *context, mp_snapshot_id born,
                                  int64_t bytes);
/* Set the live objects of a context at the current snapshot, if only their number and bytes are
 * known. Objects of the previous snapshot are assumed to live on; if there are fewer objects now,
 * the newest ones are assumed to be gone. This makes the number of objects that count as born later
 * as small as possible. `made` is the number of objects created up to this snapshot, alive or not;
 * NULL: unknown. Call it once for each context and snapshot, with amounts that
 * mp_census_affords. */
void mp_census_stock(mp_census *census, const mp_context *context, mp_snapshot_id snapshot,
                     mp_census_share alive, const mp_census_share *made);
/* Write the changes since the previous snapshot to the ledger. Call it after all objects are
 * added. */
void mp_census_count(mp_census *census, mp_snapshot_id snapshot);
/* Count the objects of a type that lived only between two snapshots. `total` objects with
 * `total_bytes` were created up to this snapshot. If no snapshot listed an object, it counts as
 * created and deleted now. Call it after mp_census_count. */
void mp_census_passed(mp_census *census, mp_snapshot_id snapshot, mp_type_id type, int64_t total,
                      int64_t total_bytes);
/* End the snapshot, and mark it as whole. */
void mp_census_end(mp_census *census, mp_snapshot_id snapshot);
