/* Hash indexes: numbers to numbers, and bytes to numbers.
 *
 * Both hand out 32-bit values that the caller counts from 1; 0 means "not there". Zero-initialise
 * to start; the index owns its table, never what the numbers stand for. */
#ifndef MP_BASE_INDEX_H
#define MP_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

uint64_t mp_hash64(uint64_t key);
uint64_t mp_hash_bytes(const void *bytes, size_t length);

/* 128 bits of hash, of a seed that is another in each run: texts whose hashes are equal may be
 * taken as equal, as no file can be made to have two that are not. */
typedef struct mp_fingerprint {
    uint64_t low, high;
} mp_fingerprint;
mp_fingerprint mp_fingerprint_of(const void *bytes, size_t length, uint64_t seed);
/* Another number in each run. */
uint64_t mp_random_seed(void);

uint32_t mp_id_index_get(const mp_id_index *index, uint64_t key);
/* The place of the key's value, made with value 0 if it is new: the caller must then set it to
 * something else at once. Valid until the next call. */
uint32_t *mp_id_index_put(mp_id_index *index, uint64_t key);
void mp_id_index_free(mp_id_index *index);

/* Values found by a hash and a comparison that the owner of the things does itself. A second find
 * or set makes `place` void. */
typedef struct mp_hash_entry {
    uint32_t hash, value; /* value 0: empty */
} mp_hash_entry;

typedef struct mp_hash_index {
    mp_hash_entry *entries;
    size_t mask;
    size_t count;
} mp_hash_index;

/* Find the place for `hash`, calling same(opaque, value) for each candidate. Returns the value
 * found, or 0 with *place set for mp_hash_index_set. */
uint32_t mp_hash_index_find(mp_hash_index *index, uint64_t hash,
                            bool (*same)(const void *opaque, uint32_t value), const void *opaque,
                            size_t *place);
void mp_hash_index_set(mp_hash_index *index, size_t place, uint64_t hash, uint32_t value);
void mp_hash_index_free(mp_hash_index *index);

#endif
