/* Individual objects with their state at each snapshot (model->objects), for callers that request
 * them.
 *
 * Births, changes and deaths are reported as they happen; the state is recorded when a snapshot
 * ends. Reusable objects, and objects that live only between two snapshots, are not recorded. */
#pragma once

#include "model/model.h"

typedef struct mp_history mp_history;

/* Make the history of a session. Release with mp_history_free; NULL is allowed. */
mp_history *mp_history_new(mp_model *model);
void mp_history_free(mp_history *history);

/* Add an object. No live object may have this id. */
void mp_history_birth(mp_history *history, uint64_t id, int64_t bytes, mp_generation_id generation);
/* Set the size and the generation of a live object. */
void mp_history_change(mp_history *history, uint64_t id, int64_t bytes,
                       mp_generation_id generation);
/* Add an object that is reported only now, but existed at snapshot `since` and at all later
 * snapshots that have ended. No live object may have this id. */
void mp_history_found(mp_history *history, uint64_t id, int64_t bytes, mp_generation_id generation,
                      mp_snapshot_id since);
/* Correct the generation of a live object, also in all snapshots recorded so far. */
void mp_history_was(mp_history *history, uint64_t id, mp_generation_id generation);
void mp_history_death(mp_history *history, uint64_t id);
/* Record the current state of all objects as that at the snapshot, which must be whole. */
void mp_history_end_snapshot(mp_history *history, mp_snapshot_id snapshot);
