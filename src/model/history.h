/* The objects themselves, as they were at each snapshot: model->objects, for those who ask for
 * them.
 *
 * Births, changes and deaths are told as they happen, and what holds at a snapshot is written down
 * when it ends. Reusable objects, and those that live between two snapshots only, leave no trace.
 */
#ifndef MP_MODEL_HISTORY_H
#define MP_MODEL_HISTORY_H

#include "model/model.h"

typedef struct mp_history mp_history;

/* One a session. Release with mp_history_free, which takes NULL too. */
mp_history *mp_history_new(mp_model *model);
void mp_history_free(mp_history *history);

/* The id is not alive. */
void mp_history_birth(mp_history *history, uint64_t id, int64_t bytes, mp_generation_id generation);
/* The living object is of that size and generation now. */
void mp_history_change(mp_history *history, uint64_t id, int64_t bytes,
                       mp_generation_id generation);
/* An object that existed at snapshot `since` and at all later ones that have ended, but is reported
 * only now. The id is not alive. */
void mp_history_found(mp_history *history, uint64_t id, int64_t bytes, mp_generation_id generation,
                      mp_snapshot_id since);
/* The living object was of that generation at each snapshot so far: it is told only now. */
void mp_history_was(mp_history *history, uint64_t id, mp_generation_id generation);
void mp_history_death(mp_history *history, uint64_t id);
/* All that was told holds at this snapshot, which is whole. */
void mp_history_end_snapshot(mp_history *history, mp_snapshot_id snapshot);

#endif
