/* The live set: all objects that are alive now, 8 bytes each, in blocks of three consecutive ids.
 *
 * Recorders assign ascending ids, and objects of the same age die together, so consecutive ids
 * should be adjacent in memory. The table consists of rows of 8 places, each for a block: the ids
 * [3k, 3k + 2]. Eight consecutive blocks hash to one row, and each has its own column there:
 *
 *                 column 0  1  2 ... 7
 *   row h(k / 8)         .  a  b     .      a block whose place is taken goes down its column to
 *   row h(k / 8) + 1     .  c  .     .      the next row, and the place is counted as passed
 *
 * A lookup goes down the column until it finds the block or a place that no block has passed. When
 * the last object of a block is removed, the place is empty and the counters are decremented, so no
 * tombstones are needed. There is a counter for each column, because with random ids, nearly every
 * row is passed by a block of some column. */
#pragma once

#include <stdbool.h>

#include "base/index.h"
#include "model/model.h"

enum {
    MP_LIVE_BLOCK = 3,
    MP_LIVE_COLUMNS = 8,
    MP_LIVE_OFFSETS = 64,
    MP_LIVE_LARGE = (1 << 28) - 1
};

typedef struct mp_live_object {
    uint32_t size : 28;  /* bytes; sizes that do not fit are in `large`, so use mp_live_bytes */
    uint32_t passed : 4; /* of the first object of a place: number of blocks that passed the place;
                          * it saturates at 15 */
    uint32_t generation : 31; /* 0: there is no object */
    uint32_t idle : 1;        /* a temp-table that is not instantiated yet */
} mp_live_object;

typedef struct mp_live_place {
    uint64_t block; /* number of the block, if it has objects */
    mp_live_object objects[MP_LIVE_BLOCK];
} mp_live_place;

typedef struct mp_live_set {
    mp_live_place *places; /* aligned to cache lines; part of `memory` */
    void *memory;
    bool timed;
    int64_t *times;    /* creation time of each object of each place; NULL unless `timed` */
    size_t rows, used; /* rows, and places that are not empty */
    size_t count;      /* objects */
    uint64_t largest;  /* the largest id that was ever added */
    uint64_t offsets[MP_LIVE_OFFSETS]; /* random numbers, chosen when the first row is added */
    /* Sizes of objects of 256 MiB and more; the index maps an id to its place in `large`. */
    mp_id_index large_index;
    int64_t *large;
    size_t large_count, large_capacity;
} mp_live_set;

/* Return the place where a lookup of the block begins. There must be a row.
 *
 * Successive rows are spread evenly, each group of 65,536 rows from a random offset: without it,
 * ids at equal distances could crowd around a few rows. The column also depends on the hash,
 * because ids that end in the same bits, such as addresses, must not share a column. The keys are
 * random, so collisions cannot be crafted. */
static inline mp_live_place *mp_live_home(const mp_live_set *set, uint64_t block)
{
    const uint64_t row = block / MP_LIVE_COLUMNS;
    const uint64_t hash = row * mp_keys.even + set->offsets[(row >> 16) * mp_keys.even >> 58];
    const unsigned column = (unsigned)((block ^ hash >> 28) % MP_LIVE_COLUMNS);
    return &set->places[((hash >> 32) * set->rows >> 32) * MP_LIVE_COLUMNS + column];
}

/* Return true if no block is at the place. */
static inline bool mp_live_is_empty(const mp_live_place *place)
{
    return !(place->objects[0].generation | place->objects[1].generation |
             place->objects[2].generation);
}

/* Continue a lookup of an id below the first place. */
mp_live_object *mp_live_find_below(const mp_live_set *set, uint64_t id, mp_live_place *place);
/* Return the object with this id; NULL: none. Pointers are valid until the next mp_live_add. */
static inline mp_live_object *mp_live_find(const mp_live_set *set, uint64_t id)
{
    if (!set->rows)
        return NULL;
    mp_live_place *place = mp_live_home(set, id / MP_LIVE_BLOCK);
    mp_live_object *object = &place->objects[id % MP_LIVE_BLOCK];
    return place->block == id / MP_LIVE_BLOCK && object->generation
               ? object
               : mp_live_find_below(set, id, place);
}
/* Return the place of a block that is not at the place where its lookup begins; take one if the set
 * does not have it. */
mp_live_place *mp_live_take_below(mp_live_set *set, uint64_t block);
/* Return the object with this id or, if its `generation` is 0, room for it. The caller must then
 * fill it by mp_live_put before the set changes. */
static inline mp_live_object *mp_live_take(mp_live_set *set, uint64_t id)
{
    const uint64_t block = id / MP_LIVE_BLOCK;
    mp_live_place *place = set->rows ? mp_live_home(set, block) : NULL;
    if (!place || place->block != block || mp_live_is_empty(place))
        place = mp_live_take_below(set, block);
    mp_live_object *object = &place->objects[id % MP_LIVE_BLOCK];
    set->count += !object->generation;
    if (id > set->largest)
        set->largest = id;
    return object;
}
/* Fill the room for an object, whose `generation` is not 0. The counter of the place stays. */
static inline void mp_live_put(mp_live_object *room, mp_live_object object)
{
    object.passed = room->passed;
    *room = object;
}
/* Add an id that is not in the set. `generation` must not be 0. */
static inline mp_live_object *mp_live_add(mp_live_set *set, uint64_t id, uint32_t generation)
{
    mp_live_object *object = mp_live_take(set, id);
    mp_live_put(object, (mp_live_object){.generation = generation & INT32_MAX});
    return object;
}
/* Return true if the id may be in the set; cheaper than a lookup. */
static inline bool mp_live_may_have(const mp_live_set *set, uint64_t id)
{
    return id <= set->largest;
}
/* Remove an object found by mp_live_find. */
void mp_live_remove(mp_live_set *set, mp_live_object *object);

/* Return the index of an object in `times`. */
static inline size_t mp_live_index(const mp_live_set *set, const mp_live_object *object)
{
    const size_t offset = (size_t)((const char *)object - (const char *)set->places);
    return offset / sizeof(mp_live_place) * MP_LIVE_BLOCK +
           offset % sizeof(mp_live_place) / sizeof(mp_live_object) - 1;
}
/* Set the creation time of an object, if `timed` was set before the first mp_live_add. Creation
 * times take 8 more bytes per object. */
static inline void mp_live_set_time(mp_live_set *set, const mp_live_object *object, int64_t us)
{
    if (set->timed)
        set->times[mp_live_index(set, object)] = us;
}
static inline int64_t mp_live_time(const mp_live_set *set, const mp_live_object *object)
{
    return set->timed ? set->times[mp_live_index(set, object)] : 0;
}

/* Prefetch the place where a lookup of the id begins. This is always inline, because GCC leaves out
 * calls of functions that do nothing but prefetch. */
__attribute__((always_inline)) static inline void mp_live_prefetch(const mp_live_set *set,
                                                                   uint64_t id)
{
    if (set->rows)
        __builtin_prefetch(mp_live_home(set, id / MP_LIVE_BLOCK), 1);
}

/* Return the `size` of an object of that many bytes. */
static inline uint32_t mp_live_size(int64_t bytes)
{
    return bytes < MP_LIVE_LARGE ? (uint32_t)bytes & MP_LIVE_LARGE : MP_LIVE_LARGE;
}
/* Return the bytes of the object with this id. */
int64_t mp_live_large_bytes(const mp_live_set *set, uint64_t id);
static inline int64_t mp_live_bytes(const mp_live_set *set, uint64_t id,
                                    const mp_live_object *object)
{
    return object->size != MP_LIVE_LARGE ? object->size : mp_live_large_bytes(set, id);
}
/* Set the bytes of the object with this id. */
void mp_live_set_large_bytes(mp_live_set *set, uint64_t id, int64_t bytes);
static inline void mp_live_set_bytes(mp_live_set *set, uint64_t id, mp_live_object *object,
                                     int64_t bytes)
{
    object->size = mp_live_size(bytes) & MP_LIVE_LARGE;
    if (object->size == MP_LIVE_LARGE)
        mp_live_set_large_bytes(set, id, bytes);
}
void mp_live_free(mp_live_set *set);
