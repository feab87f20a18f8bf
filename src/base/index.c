#include "base/index.h"

#include <stdlib.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"

enum { FIRST_PLACES = 64 };

/* The finaliser of SplitMix64: consecutive ids must not share a run of places. */
uint64_t mp_hash64(uint64_t key)
{
    key ^= key >> 30;
    key *= 0xbf58476d1ce4e5b9u;
    key ^= key >> 27;
    key *= 0x94d049bb133111ebu;
    return key ^ key >> 31;
}

uint64_t mp_hash_bytes(const void *bytes, size_t length)
{
    return XXH3_64bits(bytes, length);
}

mp_fingerprint mp_fingerprint_of(const void *bytes, size_t length, uint64_t seed)
{
    XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, length, seed);
    return (mp_fingerprint){hash.low64, hash.high64};
}

uint64_t mp_random_seed(void)
{
    uint64_t seed;
    return getentropy(&seed, sizeof seed) == 0 ? seed : (uint64_t)getpid(); /* any number will do */
}

static mp_id_entry *id_place(const mp_id_index *index, uint64_t key)
{
    size_t at = (size_t)mp_hash64(key) & index->mask;
    while (index->entries[at].value && index->entries[at].key != key)
        at = (at + 1) & index->mask;
    return &index->entries[at];
}

uint32_t mp_id_index_get(const mp_id_index *index, uint64_t key)
{
    return index->entries ? id_place(index, key)->value : 0;
}

static void id_index_grow(mp_id_index *index)
{
    mp_id_index larger = {0};
    size_t places = index->entries ? (index->mask + 1) * 2 : FIRST_PLACES;
    larger.entries = mp_alloc_zero(places, sizeof *larger.entries);
    larger.mask = places - 1;
    for (size_t i = 0; index->entries && i <= index->mask; i++)
        if (index->entries[i].value) {
            *id_place(&larger, index->entries[i].key) = index->entries[i];
            larger.count++;
        }
    free(index->entries);
    *index = larger;
}

uint32_t *mp_id_index_put(mp_id_index *index, uint64_t key)
{
    if (!index->entries || (index->count + 1) * 3 > (index->mask + 1) * 2)
        id_index_grow(index);
    mp_id_entry *entry = id_place(index, key);
    if (!entry->value) {
        entry->key = key;
        index->count++;
    }
    return &entry->value;
}

void mp_id_index_free(mp_id_index *index)
{
    free(index->entries);
    *index = (mp_id_index){0};
}

void mp_hash_index_grow(mp_hash_index *index)
{
    mp_hash_index larger = {.count = index->count};
    size_t places = index->entries ? (index->mask + 1) * 2 : FIRST_PLACES;
    larger.entries = mp_alloc_zero(places, sizeof *larger.entries);
    larger.mask = places - 1;
    for (size_t i = 0; index->entries && i <= index->mask; i++) {
        if (!index->entries[i].value)
            continue;
        size_t at = index->entries[i].hash & larger.mask;
        while (larger.entries[at].value)
            at = (at + 1) & larger.mask;
        larger.entries[at] = index->entries[i];
    }
    free(index->entries);
    *index = larger;
}

void mp_hash_index_free(mp_hash_index *index)
{
    free(index->entries);
    *index = (mp_hash_index){0};
}
