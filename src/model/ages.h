/* How long objects lived that were deleted: as many rows as there are different ages, or fewer,
 * with less exact ones, when those are too many. */
#ifndef MP_MODEL_AGES_H
#define MP_MODEL_AGES_H

#include "base/index.h"
#include "model/model.h"

/* Objects of one context that were deleted at one age; where births and deaths belong to snapshots,
 * of one generation and one snapshot of death. */
typedef struct mp_age {
    mp_context_id context;
    mp_generation_id generation; /* none: any of the context */
    mp_snapshot_id died;         /* none: not told apart */
    int64_t age_us;              /* with bits: at least, and less than age_us + its step */
    int64_t objects, bytes;
} mp_age;

enum { MP_AGES_WAITING = 16 };

typedef struct mp_ages {
    MP_LIST(mp_age) rows;
    unsigned bits; /* 0: ages are exact; else this many leading bits of each are */
    /* While they are written down. */
    mp_hash_index index;             /* index of the rows */
    mp_age waiting[MP_AGES_WAITING]; /* a ring: their places in the table are being fetched */
    size_t waited;
} mp_ages;

/* Release with mp_ages_free. */
mp_ages *mp_ages_new(void);
/* One more death. */
void mp_ages_add(mp_ages *ages, const mp_age *death);
/* All that waits is written down: a file is read. */
void mp_ages_settle(mp_ages *ages);
/* NULL: nothing happens. */
void mp_ages_free(mp_ages *ages);

#endif
