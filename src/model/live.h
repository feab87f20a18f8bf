/* The live set: all objects that are alive now, 16 bytes each, in a table that is between a third
 * and half full.
 *
 * Recorders assign ascending ids, and objects of the same age die together, so consecutive ids
 * should be adjacent in memory. The table consists of rows of 16 places. The block of ids [16k, 16k
 * + 15] hashes to one row, and each of its ids has its own column there:
 *
 *              column 0  1  2 ... 15
 *   row h(k)          .  a  b      .      an id whose place is taken goes down its column to the
 *   row h(k) + 1      .  c  .      .      next row, and the place is counted as passed
 *
 * A lookup goes down the column until it finds the id or a place that no id has passed. A deletion
 * clears the place and decrements the counters, so no tombstones are needed. There is a counter for
 * each column, because with random ids, nearly every row is passed by an id of some column. */
#pragma once

#include <stdbool.h>

#include "base/index.h"
#include "model/model.h"

enum { MP_LIVE_COLUMNS = 16, MP_LIVE_LARGE = (1 << 28) - 1 };

typedef struct mp_live_object {
    uint64_t id;
    uint32_t size : 28;  /* bytes; sizes that do not fit are in `large`, so use mp_live_bytes */
    uint32_t passed : 4; /* number of ids that passed the place; it saturates at 15 */
    uint32_t generation : 31; /* 0: the place is empty */
    uint32_t idle : 1;        /* a temp-table that is not instantiated yet */
} mp_live_object;

typedef struct mp_live_set {
    mp_live_object *places;
    bool timed;
    int64_t *times; /* creation time of each place; NULL unless `timed` */
    size_t rows, count;
    uint64_t largest; /* the largest id that was ever added */
    /* Sizes of objects of 256 MiB and more; the index maps an id to its place in `large`. */
    mp_id_index large_index;
    int64_t *large;
    size_t large_count, large_capacity;
} mp_live_set;

/* Return the row of the id's block, and set the id's column in it. The column also depends on the
 * hash of the block, because ids that end in the same bits, such as addresses, must not share a
 * column. Successive blocks are spread evenly over the rows. The key is random, so collisions
 * cannot be crafted. */
static inline size_t mp_live_home(const mp_live_set *set, uint64_t id, unsigned *column)
{
    uint64_t hash = id / MP_LIVE_COLUMNS * mp_keys.even;
    *column = (unsigned)((id ^ hash >> 28) % MP_LIVE_COLUMNS);
    return (size_t)((hash >> 32) * set->rows >> 32);
}

/* Continue a lookup below the place of the id in its home row. */
mp_live_object *mp_live_find_below(const mp_live_set *set, uint64_t id, size_t row,
                                   unsigned column);
/* Return the object with this id; NULL: none. Pointers are valid until the next mp_live_add. */
static inline mp_live_object *mp_live_find(const mp_live_set *set, uint64_t id)
{
    unsigned column;
    if (!set->rows)
        return NULL;
    const size_t row = mp_live_home(set, id, &column);
    mp_live_object *object = &set->places[row * MP_LIVE_COLUMNS + column];
    return object->id == id && object->generation ? object
                                                  : mp_live_find_below(set, id, row, column);
}
/* Take a place for an id that is not in the set. The caller must fill it at once by mp_live_put. */
mp_live_object *mp_live_take(mp_live_set *set, uint64_t id);
/* Fill a place with an object, whose `generation` is not 0. The place keeps its own counter. */
static inline void mp_live_put(mp_live_object *place, mp_live_object object)
{
    object.passed = place->passed;
    *place = object;
}
/* Add an id that is not in the set. `generation` must not be 0. */
static inline mp_live_object *mp_live_add(mp_live_set *set, uint64_t id, uint32_t generation)
{
    mp_live_object *object = mp_live_take(set, id);
    mp_live_put(object, (mp_live_object){.id = id, .generation = generation & INT32_MAX});
    return object;
}
/* Return true if the id may be in the set; cheaper than a lookup. */
static inline bool mp_live_may_have(const mp_live_set *set, uint64_t id)
{
    return id <= set->largest;
}
/* Remove an object found by mp_live_find. */
void mp_live_remove(mp_live_set *set, mp_live_object *object);

/* Set the creation time of an object, if `timed` was set before the first mp_live_add. Creation
 * times take 8 more bytes per place. */
static inline void mp_live_set_time(mp_live_set *set, const mp_live_object *object, int64_t us)
{
    if (set->timed)
        set->times[object - set->places] = us;
}
static inline int64_t mp_live_time(const mp_live_set *set, const mp_live_object *object)
{
    return set->timed ? set->times[object - set->places] : 0;
}

/* Prefetch the place where a lookup of the id starts. */
static inline void mp_live_prefetch(const mp_live_set *set, uint64_t id)
{
    unsigned column;
    const size_t row = mp_live_home(set, id, &column);
    if (set->rows)
        __builtin_prefetch(&set->places[row * MP_LIVE_COLUMNS + column], 1);
}
/* Prefetch the place below, if a lookup may continue there. Call it when the first place was
 * fetched. */
static inline void mp_live_prefetch_below(const mp_live_set *set, uint64_t id)
{
    unsigned column;
    const size_t row = mp_live_home(set, id, &column);
    if (!set->rows)
        return;
    const mp_live_object *place = &set->places[row * MP_LIVE_COLUMNS + column];
    if (place->id != id && (place->generation || place->passed))
        __builtin_prefetch(place + MP_LIVE_COLUMNS, 1);
}

/* Return the size of an object of 256 MiB and more. */
int64_t mp_live_large_bytes(const mp_live_set *set, const mp_live_object *object);
static inline int64_t mp_live_bytes(const mp_live_set *set, const mp_live_object *object)
{
    return object->size != MP_LIVE_LARGE ? object->size : mp_live_large_bytes(set, object);
}
void mp_live_set_large_bytes(mp_live_set *set, const mp_live_object *object, int64_t bytes);
/* Return the `size` of an object of that many bytes. */
static inline uint32_t mp_live_size(int64_t bytes)
{
    return bytes < MP_LIVE_LARGE ? (uint32_t)bytes & MP_LIVE_LARGE : MP_LIVE_LARGE;
}
static inline void mp_live_set_bytes(mp_live_set *set, mp_live_object *object, int64_t bytes)
{
    object->size = mp_live_size(bytes) & MP_LIVE_LARGE;
    if (object->size == MP_LIVE_LARGE)
        mp_live_set_large_bytes(set, object, bytes);
}
void mp_live_free(mp_live_set *set);
