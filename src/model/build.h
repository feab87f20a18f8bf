/* Construction of a model, for readers. The model owns everything that is added. */
#pragma once

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

/* Return the id of a text: equal texts have the same id, "" has id 0. Text that is not valid UTF-8
 * is read as ISO 8859-1; mp_model_intern then sets model->converted. */
mp_string_id mp_model_intern(mp_model *model, mp_slice text);
mp_string_id mp_model_intern_text(mp_model *model, const char *text);
/* Return the id of a text that is formatted as by printf. */
mp_string_id mp_model_intern_format(mp_model *model, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Return the type with this name. Create it when it is first used. */
mp_type_id mp_model_type_named(mp_model *model, mp_string_id name);
/* Add a session. Return its id. */
mp_session_id mp_model_add_session(mp_model *model);

/* Return the model's profile. The first call creates it. */
mp_profile *mp_model_profile(mp_model *model);

/* Return the model's data of event logs. The first call creates it. */
mp_events *mp_model_events(mp_model *model);
/* Return the model's table of ages. The first call creates it. */
mp_ages *mp_model_ages(mp_model *model);
/* Infer the types of live blocks from those of deleted ones (events->inference). Call it after all
 * logs are read. */
void mp_events_infer(mp_model *model);

/* Build the call tree of all nodes (model->tree), in which equal stacks share one node. Cycles of
 * parents are cut with a diagnostic. Call it once, after all inputs are read. */
void mp_model_build_tree(mp_model *model, mp_diagnostics *diagnostics);
/* Discard the tree, so that it can be built again. This is for models that are queried while they
 * are read. */
void mp_model_drop_tree(mp_model *model);

/* --- for the parts that replay recordings --- */

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
    uint32_t *last_of_type; /* the context of each type that was asked for last */
    size_t types_known, types_capacity;
    mp_hash_index generations;
    mp_id_index types; /* by name, those of mp_model_type_named */
    mp_budget spent;   /* limits the sum of all bytes added */
};

/* Return the generation with the context, birth, owner and marks of `key`. Create it if it is
 * new. */
mp_generation_id mp_model_generation(mp_model *model, const mp_generation *key);
/* Return the context that equals `key` in everything but `depth`. Create it if it is new. */
mp_context_id mp_model_context(mp_model *model, const mp_context *key);
/* Add a delta of the generation. `snapshot` must be later than its newest delta. */
mp_cost *mp_model_new_delta(mp_model *model, mp_generation_id generation, mp_snapshot_id snapshot);
/* Return the cost of the generation's delta at `snapshot`. Create the delta if it is new.
 * `snapshot` must not be older than the newest delta. The cost is valid until the next call. */
static inline mp_cost *mp_model_delta(mp_model *model, mp_generation_id generation,
                                      mp_snapshot_id snapshot)
{
    const uint32_t last = model->generations.items[generation.i].last_delta;
    mp_delta *delta = &model->deltas.items[last];
    return last && delta->snapshot.i == snapshot.i
               ? &delta->cost
               : mp_model_new_delta(model, generation, snapshot);
}

/* Changes since the previous snapshot, and live amounts; reusable objects are not included. */
typedef struct mp_tally {
    int64_t created, deleted, changed; /* numbers of objects */
    int64_t live_objects, live_bytes;
} mp_tally;

/* Add a snapshot to the session; it is not whole yet. The pointer is valid until the next snapshot
 * is added. */
mp_snapshot *mp_model_begin_snapshot(mp_model *model, mp_session_id session);
/* Mark the snapshot as whole and as the next one of its session. Its figures are taken from
 * `tally`, whose changes are then reset for the next snapshot. Every snapshot is ended by this
 * function. */
mp_snapshot *mp_model_end_snapshot(mp_model *model, mp_snapshot_id snapshot, mp_tally *tally);
/* Call model->tell, if it is set, for an ended snapshot that the reader has completed. Until it
 * returns, no other thread may use the model. */
static inline void mp_model_tell_snapshot(const mp_model *model, mp_snapshot_id snapshot)
{
    if (model->tell)
        model->tell(model->tell_opaque, snapshot);
}
