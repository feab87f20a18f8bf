/* A map from ids of objects to their numbers, built once for millions of lookups.
 *
 * Recorders that use addresses as ids produce dense ids that are multiples of a power of two. Such
 * ids are stored as a set of bits, with a count of the bits before each word; an object's number is
 * the rank of its bit. Other ids are stored in a hash table whose buckets are cache lines. If
 * several objects have the same id, the first one is found. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"

typedef struct mp_id_word {
    uint64_t bits;
    uint32_t before; /* number of bits set in all earlier words */
} mp_id_word;

enum { MP_ID_BUCKET = 5 };

/* A bucket, filled from the front. Entries that do not fit go to the next bucket. */
typedef struct mp_id_bucket {
    uint64_t ids[MP_ID_BUCKET];
    uint32_t objects[MP_ID_BUCKET]; /* 0: the entry is empty */
    uint32_t unused;
} mp_id_bucket;

typedef struct mp_id_table {
    uint32_t first, count;
    /* set of bits; the bit of an id is (id - least) >> shift */
    mp_id_word *words; /* NULL: a hash table is used */
    uint64_t least, range;
    unsigned shift;
    uint32_t *
        by_rank; /* object of the n-th bit that is set; NULL: it is first + n, because ids ascend */
    /* hash table: */
    mp_id_bucket *buckets;
    void *memory; /* allocation of `buckets`, which are aligned within it */
    uint32_t bucket_count;
} mp_id_table;

/* Build the table of `count` objects, numbered from `first`, with ids ids[first] and so on. Return
 * the number of objects that have the same id as an earlier one. */
uint32_t mp_id_table_make(mp_id_table *table, const uint64_t *ids, uint32_t first, uint32_t count);
void mp_id_table_free(mp_id_table *table);

static inline uint32_t mp_id_home(const mp_id_table *table, uint64_t id)
{
    return (uint32_t)((mp_hash64(id) >> 32) * table->bucket_count >> 32);
}

static inline uint32_t mp_bits_set(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return (uint32_t)(((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

/* Set *bit to the bit of an id. Return false if no bit belongs to the id. */
static inline bool mp_id_bit(const mp_id_table *table, uint64_t id, uint64_t *bit)
{
    uint64_t offset = id - table->least;
    *bit = offset >> table->shift;
    return *bit <= table->range && *bit << table->shift == offset;
}

static inline uint32_t mp_id_rank(const mp_id_table *table, uint64_t bit)
{
    const mp_id_word *word = &table->words[bit / 64];
    uint64_t below = word->bits & (((uint64_t)1 << bit % 64) - 1);
    return word->before + mp_bits_set(below);
}

/* Return the object of an id in the hash table. If there is none, return 0 and set the place where
 * it belongs. */
static inline uint32_t mp_id_seek(const mp_id_table *table, uint64_t id, uint32_t *bucket,
                                  unsigned *place)
{
    for (*bucket = mp_id_home(table, id);;) {
        const mp_id_bucket *state = &table->buckets[*bucket];
        for (*place = 0; *place < MP_ID_BUCKET; ++*place)
            if (state->ids[*place] == id || !state->objects[*place])
                return state->objects[*place];
        *bucket = *bucket + 1 < table->bucket_count ? *bucket + 1 : 0;
    }
}

/* Return the object of an id; 0: there is none. */
static inline uint32_t mp_id_find(const mp_id_table *table, uint64_t id)
{
    uint64_t bit;
    uint32_t bucket;
    unsigned place;
    if (table->buckets)
        return mp_id_seek(table, id, &bucket, &place);
    if (!table->words || !mp_id_bit(table, id, &bit) ||
        !(table->words[bit / 64].bits >> bit % 64 & 1))
        return 0;
    uint32_t rank = mp_id_rank(table, bit);
    return table->by_rank ? table->by_rank[rank] : table->first + rank;
}

/* Prefetch the memory that mp_id_find reads for an id. If many ids are prefetched before the first
 * one is looked up, their waiting times overlap. It is always inline, because a compiler may drop
 * calls of a function that only prefetches. */
__attribute__((always_inline)) static inline void mp_id_fetch(const mp_id_table *table, uint64_t id)
{
    uint64_t bit;
    if (table->buckets)
        __builtin_prefetch(&table->buckets[mp_id_home(table, id)]);
    else if (table->words && mp_id_bit(table, id, &bit))
        __builtin_prefetch(&table->words[bit / 64]);
}

__attribute__((always_inline)) static inline void mp_id_fetch_on(const mp_id_table *table,
                                                                 uint64_t id)
{
    uint64_t bit;
    if (table->by_rank && mp_id_bit(table, id, &bit))
        __builtin_prefetch(&table->by_rank[mp_id_rank(table, bit)]);
}
