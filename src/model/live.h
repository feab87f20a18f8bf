/* The live set: what is alive now, 32 bytes an object and about 10 for its place in the index.
 *
 * The index is made of buckets of 16 places. The block of ids [16k, 16k + 15] hashes to one bucket,
 * each id to its own place in it, so ids that follow each other, as a recorder hands them out, lie
 * in one cache line. An id whose bucket is full goes to the next one, and the bucket counts it as
 * overflow: a search ends at the first bucket without any, and a deletion leaves no grave behind.
 */
#ifndef MP_MODEL_LIVE_H
#define MP_MODEL_LIVE_H

#include <stdbool.h>

#include "memprof/model.h"

typedef struct mp_live_object {
    uint64_t id; /* as in the file */
    int64_t born_us;
    int64_t bytes;
    uint32_t cohort : 31; /* 0: not known yet */
    uint32_t idle : 1;    /* a temp-table that is not instantiated */
    uint32_t next_free;
} mp_live_object;

typedef struct mp_live_set {
    mp_live_object *objects;
    size_t used, capacity, count;
    uint32_t first_free; /* place + 1 */
    uint32_t *places;    /* of objects, + 1 */
    uint8_t *tags;       /* of places; 0: empty */
    uint8_t *overflows;  /* of buckets; 255 sticks */
    size_t mask;         /* buckets - 1 */
} mp_live_set;

/* NULL where there is none. Pointers are valid until the next mp_live_put. */
mp_live_object *mp_live_find(const mp_live_set *set, uint64_t id);
/* The object of this id, cleared and *is_new set if it was not there. */
mp_live_object *mp_live_put(mp_live_set *set, uint64_t id, bool *is_new);
/* Remove it; what it was goes to *object. False where there is none. */
bool mp_live_take(mp_live_set *set, uint64_t id, mp_live_object *object);
void mp_live_free(mp_live_set *set);

#endif
