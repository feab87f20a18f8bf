/* From the ids of objects to their numbers. Made once, then only asked, millions of times.
 *
 * Recorders that number objects by address leave ids that are dense and all multiples of some power
 * of two. Those are a set of bits with a count of the bits before each word: the number of an
 * object is the rank of its bit. Other ids are in a hash table. Either way, of several objects with
 * one id the first is found. */
#ifndef MP_MODEL_ID_TABLE_H
#define MP_MODEL_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/index.h"

typedef struct mp_id_word {
    uint64_t bits;
    uint32_t before; /* bits set in all words before this one */
} mp_id_word;

typedef struct mp_id_table {
    const uint64_t *ids; /* of all objects; the table refers to them */
    uint32_t first, count;
    /* of a set of bits; bit (id - least) >> shift */
    mp_id_word *words; /* NULL: a hash table */
    uint64_t least, range;
    unsigned shift;
    uint32_t *by_rank; /* object of the n-th bit; NULL: ids ascend, and it is first + n */
    /* of a hash table */
    uint32_t *places; /* objects; 0: empty */
    size_t mask;
    uint64_t seed;
} mp_id_table;

/* Objects first to first + count - 1, whose ids are ids[first] and so on. Returns how many of them
 * have the id of one before. */
uint32_t mp_id_table_make(mp_id_table *table, const uint64_t *ids, uint32_t first, uint32_t count,
                          uint64_t seed);
void mp_id_table_free(mp_id_table *table);

static inline size_t mp_id_home(const mp_id_table *table, uint64_t id)
{
    return (size_t)mp_hash64(id ^ table->seed) & table->mask;
}

/* The place of an id among the bits; false where it has none. */
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
    return word->before + (uint32_t)__builtin_popcountll(below);
}

/* The object of an id; 0: there is none. */
static inline uint32_t mp_id_find(const mp_id_table *table, uint64_t id)
{
    uint64_t bit;
    if (!table->count)
        return 0;
    if (table->words) {
        if (!mp_id_bit(table, id, &bit) || !(table->words[bit / 64].bits >> bit % 64 & 1))
            return 0;
        uint32_t rank = mp_id_rank(table, bit);
        return table->by_rank ? table->by_rank[rank] : table->first + rank;
    }
    size_t at = mp_id_home(table, id);
    while (table->places[at] && table->ids[table->places[at]] != id)
        at = (at + 1) & table->mask;
    return table->places[at];
}

/* What mp_id_find will look at first, and what it will look at then: fetched for many ids before
 * the first of them is asked for, they do not wait for each other. */
static inline void mp_id_fetch(const mp_id_table *table, uint64_t id)
{
    uint64_t bit;
    if (table->places)
        __builtin_prefetch(&table->places[mp_id_home(table, id)]);
    else if (table->words && mp_id_bit(table, id, &bit))
        __builtin_prefetch(&table->words[bit / 64]);
}

static inline void mp_id_fetch_on(const mp_id_table *table, uint64_t id)
{
    uint64_t bit;
    if (table->places)
        __builtin_prefetch(&table->ids[table->places[mp_id_home(table, id)]]);
    else if (table->by_rank && mp_id_bit(table, id, &bit))
        __builtin_prefetch(&table->by_rank[mp_id_rank(table, bit)]);
}

#endif
