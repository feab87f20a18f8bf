/* Construction of a model, for readers. The model owns everything that is added. */
#ifndef MP_MODEL_BUILD_H
#define MP_MODEL_BUILD_H

#include <string.h>

#include "base/budget.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/slice.h"
#include "memprof/diagnostics.h"
#include "model/ages.h"
#include "model/events.h"
#include "model/model.h"
#include "model/profile.h"

/* Append a zeroed element to a list of the model. Return its address, valid until the next
 * MP_ADD. */
#define MP_ADD(list)                                                                               \
    (mp_grow(&(list)->items, &(list)->capacity, (size_t)(list)->count + 1, sizeof *(list)->items), \
     memset(&(list)->items[(list)->count], 0, sizeof *(list)->items),                              \
     &(list)->items[(list)->count++])

/* Return the id of a text; the same for equal texts, 0 for "". Text that is not valid UTF-8 is read
 * as ISO 8859-1, and *converted (may be NULL) is set. */
mp_string_id mp_model_intern(mp_model *model, mp_slice text, bool *converted);
mp_string_id mp_model_intern_text(mp_model *model, const char *text);

/* Return the model's profile, created at the first call. */
mp_profile *mp_model_profile(mp_model *model);

/* Return the model's data of event logs, created at the first call. */
mp_events *mp_model_events(mp_model *model);
/* Return the model's table of ages, created at the first call. */
mp_ages *mp_model_ages(mp_model *model);
/* Infer the types of live blocks from those of deleted ones (events->inference). Call it after all
 * logs are read. */
void mp_events_infer(mp_model *model);

/* Build the call tree of all nodes (model->tree), in which equal stacks are one node. Cycles of
 * parents are cut with a diagnostic. Call it once, after all inputs are read. */
void mp_model_build_tree(mp_model *model, mp_diagnostics *diagnostics);
/* Discard the tree, so that it can be built again. For models that are queried while they are
 * read. */
void mp_model_drop_tree(mp_model *model);

/* --- for the engines that replay recordings --- */

struct mp_strings {
    mp_arena arena, scratch;
    const char **texts;
    size_t *lengths;
    uint32_t count;
    size_t texts_capacity, lengths_capacity;
    mp_hash_index index;
};

struct mp_model_private {
    mp_hash_index contexts;
    mp_hash_index generations;
    mp_budget spent; /* limits the sum of all bytes added */
};

/* Return the generation with the context, birth, owner and marks of `key`, created if it is new. */
mp_generation_id mp_model_generation(mp_model *model, const mp_generation *key);
/* Return the context that equals `key` in all but `depth`, created if it is new. */
mp_context_id mp_model_context(mp_model *model, const mp_context *key);
/* Return the cost of the generation's delta at `snapshot`, created if it is new. `snapshot` must
 * not be older than the newest delta. Valid until the next call. */
mp_cost *mp_model_delta(mp_model *model, mp_generation_id generation, mp_snapshot_id snapshot);

/* Changes since the previous snapshot, and live amounts, without reusable objects. */
typedef struct mp_tally {
    int64_t created, deleted, changed; /* numbers of objects */
    int64_t live_objects, live_bytes;
} mp_tally;

/* Add a snapshot to the session, not yet whole. Valid until the next one is added. */
mp_snapshot *mp_model_begin_snapshot(mp_model *model, mp_session_id session);
/* Mark the snapshot as whole and as the next one of its session. Its figures are taken from
 * `tally`, whose changes are then reset for the next snapshot. Every engine ends its snapshots by
 * this function. */
mp_snapshot *mp_model_end_snapshot(mp_model *model, mp_snapshot_id snapshot, mp_tally *tally);
/* Call model->tell, if it is set, for an ended snapshot that the reader has completed. No other
 * thread may use the model meanwhile. */
static inline void mp_model_tell_snapshot(const mp_model *model, mp_snapshot_id snapshot)
{
    if (model->tell)
        model->tell(model->tell_opaque, snapshot);
}

#endif
