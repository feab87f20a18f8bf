/* A heap known by what is alive at its marks, not by births and deaths.
 *
 * At each mark the reader enters every living object with the moment at which it was born, then
 * ends the mark. What is more than at the mark before was created since, what is less was deleted.
 * Objects that came and went between two marks are known by number alone, see mp_census_passed. */
#ifndef MP_MODEL_CENSUS_H
#define MP_MODEL_CENSUS_H

#include "memprof/model.h"

/* What is alive of a cohort. */
typedef struct mp_census_share {
    int64_t objects, bytes;
} mp_census_share;

typedef struct mp_census_entry {
    mp_census_share now, before; /* at the open mark, at the one before */
    bool listed;                 /* in `active` */
} mp_census_entry;

typedef struct mp_census {
    mp_model *model;
    mp_session_id session;
    mp_census_entry *entries; /* by cohort */
    size_t entry_count, entry_capacity;
    uint32_t *active; /* cohorts with anything alive at one of the two marks */
    size_t active_count, active_capacity;
    mp_census_share *created; /* by type, so far */
    size_t type_count, type_capacity;
    int64_t created_objects, deleted_objects; /* since the mark before */
    mp_census_share live;                     /* at the mark before */
} mp_census;

/* Release with mp_census_close. */
void mp_census_open(mp_census *census, mp_model *model, mp_session_id session);
void mp_census_close(mp_census *census);

/* Whether there is room for the bytes in every sum. Ask once for each object, before it is entered.
 */
bool mp_census_affords(mp_census *census, int64_t bytes);
/* An object alive at the open mark. `lot` is all that is known of it; `born` is that mark or an
 * earlier one. Gives its cohort. */
mp_cohort_id mp_census_object(mp_census *census, const mp_lot *lot, mp_mark_id born, int64_t bytes);
/* All objects entered: what happened since the mark before goes into the ledger. */
void mp_census_count(mp_census *census, mp_mark_id mark);
/* After that: so many objects of the type were created up to the mark, and such bytes; those that
 * no mark ever showed came and went since the one before. */
void mp_census_passed(mp_census *census, mp_mark_id mark, mp_type_id type, int64_t total,
                      int64_t total_bytes);
/* The mark is whole. */
void mp_census_end(mp_census *census, mp_mark_id mark);

#endif
