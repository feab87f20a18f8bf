/* Ages of deleted objects. There is one row for each distinct age; if that would be too many, ages
 * are rounded to fewer leading bits. */
#pragma once

#include "base/index.h"
#include "model/model.h"

/* Objects of one context that were deleted at the same age. If births and deaths are assigned to
 * snapshots, the objects also have the same generation and were deleted at the same snapshot. */
typedef struct mp_age {
    mp_context_id context;
    mp_generation_id generation; /* none: all generations of the context together */
    mp_snapshot_id died;         /* snapshot of the deaths; none: the deaths of all snapshots
                                  * together */
    int64_t age_us;              /* the exact age or, with `bits`, the start of a range of ages */
    int64_t objects, bytes;
} mp_age;

enum { MP_AGES_WAITING = 16 };

typedef struct mp_ages {
    MP_LIST(mp_age) rows;
    unsigned bits; /* number of leading bits to which ages are rounded; 0: exact */
    /* Used while ages are added: */
    mp_hash_index index;             /* index of the rows */
    mp_age waiting[MP_AGES_WAITING]; /* ring of rows whose index entries are being prefetched */
    size_t waited;
} mp_ages;

/* Make an empty table. Release with mp_ages_free. */
mp_ages *mp_ages_new(void);
/* Add a death. */
void mp_ages_add(mp_ages *ages, const mp_age *death);
/* Write all waiting rows. Call it after a file is read. */
void mp_ages_settle(mp_ages *ages);
/* Release the table; NULL is allowed. */
void mp_ages_free(mp_ages *ages);
