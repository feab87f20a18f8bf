/* What only the model layer knows of the model. */
#ifndef MP_MODEL_PRIVATE_H
#define MP_MODEL_PRIVATE_H

#include "base/budget.h"
#include "base/index.h"
#include "base/memory.h"
#include "model/model.h"

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

/* The generation of (context, born, owner_born), made if it is new. */
mp_generation_id mp_model_generation(mp_model *model, mp_context_id context, mp_snapshot_id born,
                                     mp_snapshot_id owner_born);
/* The context that equals `key` in all but its depth, made if it is new. */
mp_context_id mp_model_context(mp_model *model, const mp_context *key);
/* The cost of the generation's delta at `snapshot`, which is not older than its newest. Valid until
 * the next call. */
mp_cost *mp_model_delta(mp_model *model, mp_generation_id generation, mp_snapshot_id snapshot);

#endif
