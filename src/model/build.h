/* Building a model: what readers call. Everything added is owned by the model. */
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

/* Append a cleared element to a list of the model and give its place, valid until the next one. */
#define MP_ADD(list)                                                                               \
    (mp_grow(&(list)->items, &(list)->capacity, (size_t)(list)->count + 1, sizeof *(list)->items), \
     memset(&(list)->items[(list)->count], 0, sizeof *(list)->items),                              \
     &(list)->items[(list)->count++])

/* Bytes that are not UTF-8 are read as ISO 8859-1; *converted (may be NULL) is then set. The empty
 * text is none. */
mp_string_id mp_model_intern(mp_model *model, mp_slice text, bool *converted);
mp_string_id mp_model_intern_text(mp_model *model, const char *text);

/* The profile of the model, made at the first call. */
mp_profile *mp_model_profile(mp_model *model);

/* Return the model's data about a log of events, created at the first call. */
mp_events *mp_model_events(mp_model *model);
/* How long objects lived, to be written down; made at the first call. */
mp_ages *mp_model_ages(mp_model *model);
/* All logs are read: infer the types of living blocks from those of dead ones (events->inference).
 */
void mp_events_infer(mp_model *model);

/* Make the call tree of all nodes (model->tree): equal stacks become one node. Cycles of parents
 * are cut with a diagnostic. Call once, when all inputs are read. */
void mp_model_build_tree(mp_model *model, mp_diagnostics *diagnostics);
/* Forget it again: of a model that was asked something before all of it is read. */
void mp_model_drop_tree(mp_model *model);

/* --- what engines that replay recordings build on --- */

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
    mp_budget spent; /* all bytes ever added */
};

/* The generation with the context, birth, owner and marks of `key`, made if it is new. */
mp_generation_id mp_model_generation(mp_model *model, const mp_generation *key);
/* The context that equals `key` in all but its depth, made if it is new. */
mp_context_id mp_model_context(mp_model *model, const mp_context *key);
/* The cost of the generation's delta at `snapshot`, which is not older than its newest. Valid until
 * the next call. */
mp_cost *mp_model_delta(mp_model *model, mp_generation_id generation, mp_snapshot_id snapshot);

/* Changes since the previous snapshot and live amounts, with reusable objects separate. */
typedef struct mp_tally {
    int64_t created, deleted, changed; /* objects */
    int64_t live_objects, live_bytes;
} mp_tally;

/* A new snapshot of the session, not whole; valid until the next one begins. */
mp_snapshot *mp_model_begin_snapshot(mp_model *model, mp_session_id session);
/* The snapshot is whole, and the next one of its session: give it the figures of the tally, in
 * which the next one is counted from now on. Every engine ends its snapshots here. */
mp_snapshot *mp_model_end_snapshot(mp_model *model, mp_snapshot_id snapshot, mp_tally *tally);
/* The reader has set all that it knows of a snapshot that was ended: whoever wants to hear of it
 * hears of it. No other thread touches the model now. */
static inline void mp_model_tell_snapshot(const mp_model *model, mp_snapshot_id snapshot)
{
    if (model->tell)
        model->tell(model->tell_opaque, snapshot);
}

#endif
