/* A heap known by what is alive at its snapshots, not by births and deaths.
 *
 * At each snapshot the reader enters every living object with the moment at which it was born, then
 * ends the snapshot. What is more than at the snapshot before was created since, what is less was
 * deleted. Objects that came and went between two snapshots are known by number alone, see
 * mp_census_passed. */
#ifndef MP_MODEL_CENSUS_H
#define MP_MODEL_CENSUS_H

#include "model/build.h"

/* Live amounts of a generation. */
typedef struct mp_census_share {
    int64_t objects, bytes;
} mp_census_share;

typedef struct mp_census_entry {
    mp_census_share now, before; /* at the open snapshot, at the one before */
    bool listed;                 /* in `active` */
} mp_census_entry;

typedef struct mp_census {
    mp_model *model;
    mp_session_id session;
    mp_census_entry *entries; /* by generation */
    size_t entry_count, entry_capacity;
    uint32_t *active; /* generations with anything alive at one of the two snapshots */
    size_t active_count, active_capacity;
    mp_census_share *created; /* by type, so far */
    size_t type_count, type_capacity;
    mp_tally tally; /* since the snapshot before */
} mp_census;

/* Release with mp_census_close. */
void mp_census_open(mp_census *census, mp_model *model, mp_session_id session);
void mp_census_close(mp_census *census);

/* Return true if no sum would overflow by the bytes. Call it once for each object, before adding
 * it. */
bool mp_census_affords(mp_census *census, int64_t bytes);
/* An object alive at the open snapshot. `context` is all that is known of it; `born` is that
 * snapshot or an earlier one. Gives its generation. */
mp_generation_id mp_census_object(mp_census *census, const mp_context *context, mp_snapshot_id born,
                                  int64_t bytes);
/* All objects entered: what happened since the snapshot before goes into the ledger. */
void mp_census_count(mp_census *census, mp_snapshot_id snapshot);
/* After that: so many objects of the type were created up to the snapshot, and such bytes; those
 * that no snapshot ever showed came and went since the one before. */
void mp_census_passed(mp_census *census, mp_snapshot_id snapshot, mp_type_id type, int64_t total,
                      int64_t total_bytes);
/* The snapshot is whole. */
void mp_census_end(mp_census *census, mp_snapshot_id snapshot);

#endif
