/* The live set: what is alive now, 16 bytes an object in a table that is a third to half full.
 *
 * Recorders count ids up, and objects of one age die together; so ids that follow each other should
 * lie together. The table is made of rows of 16 places. The block of ids [16k, 16k + 15] hashes to
 * one row, and each id of it has a column of its own there:
 *
 *              column 0  1  2 ... 15
 *   row h(k)          .  a  b      .      an id whose place is taken goes down its column to the
 *   row h(k) + 1      .  c  .      .      next row, and the place is counted as passed
 *
 * A search goes down the column until it finds the id or a place that nobody passed. A deletion
 * clears the place and uncounts, so no graves are left behind. Each column counts for itself: of
 * ids at random, some id of another column has passed nearly every row. */
#ifndef MP_MODEL_LIVE_H
#define MP_MODEL_LIVE_H

#include <stdbool.h>

#include "base/index.h"
#include "model/model.h"

typedef struct mp_live_object {
    uint64_t id;              /* as in the file */
    uint32_t size;            /* bytes; larger ones are kept apart, see mp_live_bytes */
    uint32_t generation : 31; /* 0: the place is empty */
    uint32_t idle : 1;        /* a temp-table that is not instantiated */
} mp_live_object;

typedef struct mp_live_set {
    mp_live_object *places;
    uint64_t *passed; /* counters of the rows: four bits for each column; 15 sticks */
    bool timed;
    int64_t *times; /* times of the places, if `timed` */
    size_t rows, count;
    uint64_t largest; /* id ever entered */
    /* Objects of 4 GiB and more: id to place in `large`. */
    mp_id_index large_index;
    int64_t *large;
    size_t large_count, large_capacity;
} mp_live_set;

/* NULL where there is none. Pointers are valid until the next mp_live_add. */
mp_live_object *mp_live_find(const mp_live_set *set, uint64_t id);
/* Add an id that is not there. `generation` is not 0. */
mp_live_object *mp_live_add(mp_live_set *set, uint64_t id, uint32_t generation);
/* Return true if the id may be in the set; cheaper than a lookup. */
static inline bool mp_live_may_have(const mp_live_set *set, uint64_t id)
{
    return id <= set->largest;
}
/* Remove what mp_live_find found. */
void mp_live_remove(mp_live_set *set, mp_live_object *object);

/* The time of an object, 8 bytes more; kept where `timed` was set before the first was added. */
static inline void mp_live_set_time(mp_live_set *set, const mp_live_object *object, int64_t us)
{
    if (set->timed)
        set->times[object - set->places] = us;
}
static inline int64_t mp_live_time(const mp_live_set *set, const mp_live_object *object)
{
    return set->timed ? set->times[object - set->places] : 0;
}

void mp_live_prefetch(const mp_live_set *set, uint64_t id);

int64_t mp_live_bytes(const mp_live_set *set, const mp_live_object *object);
void mp_live_set_bytes(mp_live_set *set, mp_live_object *object, int64_t bytes);
void mp_live_free(mp_live_set *set);

#endif
