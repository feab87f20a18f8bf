/* Hash indexes that map numbers or bytes to 32-bit values.
 *
 * Values are numbered from 1 by the caller; 0 means "not found". Zero-initialise to start. An index
 * owns its table, but not the things that its values number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/memory.h"

typedef struct mp_id_entry {
    uint64_t key;
    uint32_t value;
} mp_id_entry;

/* A map from 64-bit keys, such as ids of a file, to values. Most files number things from 0 or 1.
 * As long as the largest keys are about as large as the number of keys, values are in an array. All
 * other keys are in a table with open addressing, whose size is a power of two. */
typedef struct mp_id_index {
    uint32_t *dense; /* values of the keys below `dense_room` */
    size_t dense_room, dense_count;
    mp_id_entry *entries;
    size_t mask, placed; /* number of entries, including those that moved to the array */
    size_t count;        /* number of keys */
} mp_id_index;

/* Return the value of the key; 0: it is not in the index. */
uint32_t mp_id_index_get(const mp_id_index *index, uint64_t key);
/* Return the place of the value of a key that may be new, or that is not in the array. */
uint32_t *mp_id_index_place(mp_id_index *index, uint64_t key);
/* Return the value of the key for reading and writing. For a new key it is 0, and the caller must
 * set it at once. The pointer is valid until the next call. */
static inline uint32_t *mp_id_index_put(mp_id_index *index, uint64_t key)
{
    return key < index->dense_room && index->dense[key] ? &index->dense[key]
                                                        : mp_id_index_place(index, key);
}
void mp_id_index_free(mp_id_index *index);

/* Return true if the entry with this value is the one that `opaque` describes. */
typedef bool mp_same(const void *opaque, uint32_t value);

typedef struct mp_hash_entry {
    uint32_t hash, value; /* value 0: the entry is empty */
} mp_hash_entry;

typedef struct mp_hash_index {
    mp_hash_entry *entries;
    size_t mask;
    size_t count;
} mp_hash_index;

/* Return the entry at which a lookup of this hash starts, for prefetching; NULL: the table is
 * empty. */
static inline const mp_hash_entry *mp_hash_index_home(const mp_hash_index *index, uint64_t hash)
{
    return index->entries ? &index->entries[(uint32_t)hash & index->mask] : NULL;
}

/* Return the entry of the thing, or the empty entry where it belongs. The table must exist. This
 * and the two functions below are inline so that the comparison is not a call. */
static inline mp_hash_entry *mp_hash_index_place(const mp_hash_index *index, uint64_t hash,
                                                 mp_same *same, const void *opaque)
{
    size_t position = (uint32_t)hash & index->mask;
    for (; index->entries[position].value; position = (position + 1) & index->mask)
        if (index->entries[position].hash == (uint32_t)hash &&
            same(opaque, index->entries[position].value))
            break;
    return &index->entries[position];
}

static inline uint32_t mp_hash_index_get(const mp_hash_index *index, uint64_t hash, mp_same *same,
                                         const void *opaque)
{
    return index->entries ? mp_hash_index_place(index, hash, same, opaque)->value : 0;
}

/* Double the places of the index. Pointers to entries become invalid. */
void mp_hash_index_grow(mp_hash_index *index);
/* Make an empty index large enough for `count` things. */
void mp_hash_index_reserve(mp_hash_index *index, size_t count);

/* Return the value of the thing for reading and writing. For a new thing it is 0, and the caller
 * must set it at once. */
static inline uint32_t *mp_hash_index_put(mp_hash_index *index, uint64_t hash, mp_same *same,
                                          const void *opaque)
{
    if (!index->entries || (index->count + 1) * 3 > (index->mask + 1) * 2)
        mp_hash_index_grow(index);
    mp_hash_entry *entry = mp_hash_index_place(index, hash, same, opaque);
    if (!entry->value) {
        entry->hash = (uint32_t)hash;
        index->count++;
    }
    return &entry->value;
}

/* Return a copy of the index, with its own table. */
mp_hash_index mp_hash_index_copy(const mp_hash_index *index);
void mp_hash_index_free(mp_hash_index *index);

struct mp_key_entry;

/* A map from keys of any bytes, which are texts or structs without padding, to values. It keeps a
 * copy of each key. */
typedef struct mp_key_index {
    mp_hash_index places; /* index of `entries` */
    struct mp_key_entry *entries;
    size_t capacity;
    mp_arena keys;
} mp_key_index;

/* Return the value of the key; 0: it is not in the index. */
uint32_t mp_key_index_get(const mp_key_index *index, const void *key, size_t length);
/* Return the value of the key for reading and writing. For a new key it is 0. The pointer is valid
 * until the next call. */
uint32_t *mp_key_index_put(mp_key_index *index, const void *key, size_t length);
/* Return the index's copy of the key, which is aligned for any type. A new key is added. */
const void *mp_key_index_copy(mp_key_index *index, const void *key, size_t length);
void mp_key_index_free(mp_key_index *index);
