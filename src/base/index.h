/* Hash indexes: numbers to numbers, and bytes to numbers.
 *
 * Both hand out 32-bit values that the caller counts from 1; 0 means "not there". Zero-initialise
 * to start; the index owns its table, never what the numbers stand for. */
#ifndef MP_BASE_INDEX_H
#define MP_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

typedef struct mp_id_entry {
    uint64_t key;
    uint32_t value;
} mp_id_entry;

/* 64-bit keys (the ids of a file) to 32-bit values; open addressing, a power of two of places. */
typedef struct mp_id_index {
    mp_id_entry *entries;
    size_t mask;
    size_t count;
} mp_id_index;

uint32_t mp_id_index_get(const mp_id_index *index, uint64_t key);
/* The place of the key's value, made with value 0 if it is new: the caller must then set it to
 * something else at once. Valid until the next call. */
uint32_t *mp_id_index_put(mp_id_index *index, uint64_t key);
void mp_id_index_free(mp_id_index *index);

/* Values found by hash and a callback: is this value's thing what `opaque` describes? */
typedef bool mp_same(const void *opaque, uint32_t value);

typedef struct mp_hash_entry {
    uint32_t hash, value; /* value 0: empty */
} mp_hash_entry;

typedef struct mp_hash_index {
    mp_hash_entry *entries;
    size_t mask;
    size_t count;
} mp_hash_index;

/* The place at which a look-up of this hash begins, to be fetched ahead of it; NULL: none yet. */
static inline const mp_hash_entry *mp_hash_index_home(const mp_hash_index *index, uint64_t hash)
{
    return index->entries ? &index->entries[(uint32_t)hash & index->mask] : NULL;
}

/* Return the entry for the thing, or the empty entry where it belongs; the table must exist.
 * Inline, like the two functions below, so that the comparison is not a call. */
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

void mp_hash_index_grow(mp_hash_index *index);

/* As mp_id_index_put: of a new thing the value is 0, and the caller must set it at once. */
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

void mp_hash_index_free(mp_hash_index *index);

#endif
