#include "model/id_table.h"

#include <stdlib.h>

#include "support/memory.h"

enum {
    SPARSE = 32, /* bits for each object, from where on a hash table is better */
    AHEAD = 32,  /* objects whose places are fetched in advance */
};

/* Find the range of ids and what they are multiples of. Whether each is larger than the one before.
 */
static bool measure(mp_id_table *table)
{
    const uint64_t *ids = table->ids + table->first;
    uint64_t least = ids[0], most = ids[0], differences = 0;
    bool ascending = true;
    for (uint32_t i = 1; i < table->count; i++) {
        ascending &= ids[i] > ids[i - 1];
        least = ids[i] < least ? ids[i] : least;
        most = ids[i] > most ? ids[i] : most;
        differences |= ids[i] ^ ids[0]; /* low bits that are equal in all ids are 0 */
    }
    table->least = least;
    table->shift = differences ? (unsigned)__builtin_ctzll(differences) : 0;
    table->range = (most - least) >> table->shift;
    return ascending;
}

static uint32_t set_bits(mp_id_table *table)
{
    uint32_t duplicates = 0, count = 0;
    uint64_t words = table->range / 64 + 1;
    table->words = mp_alloc_zero(words, sizeof *table->words);
    for (uint32_t i = table->first; i < table->first + table->count; i++) {
        uint64_t bit = (table->ids[i] - table->least) >> table->shift;
        duplicates += (uint32_t)(table->words[bit / 64].bits >> bit % 64 & 1);
        table->words[bit / 64].bits |= (uint64_t)1 << bit % 64;
    }
    for (uint64_t i = 0; i < words; i++) {
        table->words[i].before = count;
        count += (uint32_t)__builtin_popcountll(table->words[i].bits);
    }
    return duplicates;
}

/* Backwards, so that the first object of an id stays. */
static void rank_objects(mp_id_table *table)
{
    table->by_rank = mp_alloc_zero(table->count, sizeof *table->by_rank);
    for (uint32_t i = table->first + table->count; i-- > table->first;) {
        uint64_t bit = (table->ids[i] - table->least) >> table->shift;
        table->by_rank[mp_id_rank(table, bit)] = i;
    }
}

static uint32_t fill_places(mp_id_table *table)
{
    uint32_t duplicates = 0, end = table->first + table->count;
    size_t places = 16;
    while (places < (size_t)table->count * 2)
        places *= 2;
    table->places = mp_alloc_zero(places, sizeof *table->places);
    table->mask = places - 1;
    for (uint32_t i = table->first; i < end; i++) {
        if (end - i > AHEAD)
            mp_id_fetch(table, table->ids[i + AHEAD]);
        size_t at = mp_id_home(table, table->ids[i]);
        while (table->places[at] && table->ids[table->places[at]] != table->ids[i])
            at = (at + 1) & table->mask;
        if (table->places[at])
            duplicates++;
        else
            table->places[at] = i;
    }
    return duplicates;
}

uint32_t mp_id_table_make(mp_id_table *table, const uint64_t *ids, uint32_t first, uint32_t count,
                          uint64_t seed)
{
    *table = (mp_id_table){.ids = ids, .first = first, .count = count, .seed = seed};
    if (!count)
        return 0;
    bool ascending = measure(table);
    if (table->range / SPARSE > count)
        return fill_places(table);
    uint32_t duplicates = set_bits(table);
    if (!ascending)
        rank_objects(table);
    return duplicates;
}

void mp_id_table_free(mp_id_table *table)
{
    free(table->words);
    free(table->by_rank);
    free(table->places);
    *table = (mp_id_table){0};
}
