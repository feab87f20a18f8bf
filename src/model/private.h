/* What only the model layer knows of the model. */
#ifndef MP_MODEL_PRIVATE_H
#define MP_MODEL_PRIVATE_H

#include "memprof/model.h"
#include "support/budget.h"
#include "support/index.h"
#include "support/memory.h"

struct mp_strings {
    mp_arena arena, scratch;
    const char **texts;
    size_t *lengths;
    uint32_t count;
    size_t texts_capacity, lengths_capacity;
    mp_hash_index index;
};

struct mp_model_private {
    mp_hash_index lots;
    mp_hash_index cohorts;
    mp_budget spent; /* all bytes ever added */
};

/* The cohort of (lot, born, owner_born), made if it is new. */
mp_cohort_id mp_model_cohort(mp_model *model, mp_lot_id lot, mp_mark_id born,
                             mp_mark_id owner_born);
/* The lot that equals `key` in all but its depth, made if it is new. */
mp_lot_id mp_model_lot(mp_model *model, const mp_lot *key);
/* The cost of the cohort's flow at `mark`, which is not older than its newest. Valid until the next
 * call. */
mp_cost *mp_model_flow(mp_model *model, mp_cohort_id cohort, mp_mark_id mark);

#endif
