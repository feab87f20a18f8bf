/* The objects themselves, as they were at each mark: model->objects, for those who ask for them.
 *
 * Births, changes and deaths are told as they happen, and what holds at a mark is written down when
 * it ends. Reusable objects, and those that live between two marks only, leave no trace. */
#ifndef MP_MODEL_CHRONICLE_H
#define MP_MODEL_CHRONICLE_H

#include "memprof/model.h"

typedef struct mp_chronicle mp_chronicle;

/* One a session. Release with mp_chronicle_free, which takes NULL too. */
mp_chronicle *mp_chronicle_new(mp_model *model);
void mp_chronicle_free(mp_chronicle *chronicle);

/* The id is not alive. */
void mp_chronicle_birth(mp_chronicle *chronicle, uint64_t id, int64_t bytes, mp_cohort_id cohort);
/* The living object is of that size and cohort now. */
void mp_chronicle_change(mp_chronicle *chronicle, uint64_t id, int64_t bytes, mp_cohort_id cohort);
/* An object that was there at this mark already, and at all later ones that ended, is told only
 * now. The id is not alive. */
void mp_chronicle_found(mp_chronicle *chronicle, uint64_t id, int64_t bytes, mp_cohort_id cohort,
                        mp_mark_id since);
void mp_chronicle_death(mp_chronicle *chronicle, uint64_t id);
/* All that was told holds at this mark, which is whole. */
void mp_chronicle_end_mark(mp_chronicle *chronicle, mp_mark_id mark);

#endif
