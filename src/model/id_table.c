#include "model/id_table.h"

#include <stdlib.h>

#include "base/memory.h"

_Static_assert(sizeof(mp_id_bucket) == 64, "a bucket is a cache line");

enum {
    SPARSE = 64, /* number of bits per object beyond which a hash table is smaller */
    AHEAD = 32,  /* number of objects whose buckets are prefetched */
    LINE = 64,   /* bytes of a cache line and of a bucket */
};

/* Find the range of the ids and their common factor, a power of two. Return true if the ids
 * ascend. */
static bool measure(mp_id_table *table, const uint64_t *ids)
{
    ids += table->first;
    uint64_t least = ids[0], most = ids[0], differences = 0;
    bool ascending = true;
    for (uint32_t i = 1; i < table->count; i++) {
        ascending &= ids[i] > ids[i - 1];
        least = ids[i] < least ? ids[i] : least;
        most = ids[i] > most ? ids[i] : most;
        differences |= ids[i] ^ ids[0]; /* low bits in which all ids agree stay 0 */
    }
    table->least = least;
    table->shift = differences ? (unsigned)__builtin_ctzll(differences) : 0;
    table->range = (most - least) >> table->shift;
    return ascending;
}

static uint32_t set_bits(mp_id_table *table, const uint64_t *ids)
{
    uint32_t duplicates = 0, count = 0;
    uint64_t words = table->range / 64 + 1;
    table->words = mp_alloc_zero(words, sizeof *table->words);
    for (uint32_t i = table->first; i < table->first + table->count; i++) {
        uint64_t bit = (ids[i] - table->least) >> table->shift;
        duplicates += (uint32_t)(table->words[bit / 64].bits >> bit % 64 & 1);
        table->words[bit / 64].bits |= (uint64_t)1 << bit % 64;
    }
    for (uint64_t i = 0; i < words; i++) {
        table->words[i].before = count;
        count += mp_bits_set(table->words[i].bits);
    }
    return duplicates;
}

/* Fill by_rank backwards, so that the first of several objects with the same id remains. */
static void rank_objects(mp_id_table *table, const uint64_t *ids)
{
    table->by_rank = mp_alloc_zero(table->count, sizeof *table->by_rank);
    for (uint32_t i = table->first + table->count; i-- > table->first;) {
        uint64_t bit = (ids[i] - table->least) >> table->shift;
        table->by_rank[mp_id_rank(table, bit)] = i;
    }
}

static void make_buckets(mp_id_table *table)
{
    table->bucket_count = table->count / 3 + 1;
    table->memory = mp_alloc_zero((size_t)table->bucket_count + 1, LINE);
    uintptr_t start = ((uintptr_t)table->memory + LINE - 1) / LINE * LINE;
    table->buckets = (mp_id_bucket *)start;
}

static uint32_t fill_buckets(mp_id_table *table, const uint64_t *ids)
{
    uint32_t duplicates = 0, end = table->first + table->count;
    make_buckets(table);
    for (uint32_t i = table->first; i < end; i++) {
        uint32_t bucket;
        unsigned place;
        if (end - i > AHEAD)
            mp_id_fetch(table, ids[i + AHEAD]);
        if (mp_id_seek(table, ids[i], &bucket, &place)) {
            duplicates++;
            continue;
        }
        table->buckets[bucket].ids[place] = ids[i];
        table->buckets[bucket].objects[place] = i;
    }
    return duplicates;
}

uint32_t mp_id_table_make(mp_id_table *table, const uint64_t *ids, uint32_t first, uint32_t count)
{
    *table = (mp_id_table){.first = first, .count = count};
    if (!count)
        return 0;
    bool ascending = measure(table, ids);
    if (table->range / SPARSE > count)
        return fill_buckets(table, ids);
    uint32_t duplicates = set_bits(table, ids);
    if (!ascending)
        rank_objects(table, ids);
    return duplicates;
}

void mp_id_table_free(mp_id_table *table)
{
    MP_FREE(table->words, table->by_rank, table->memory);
    *table = (mp_id_table){0};
}
