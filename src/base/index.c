#include "base/index.h"

#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_PLACES = 16 };

static mp_id_entry *id_place(const mp_id_index *index, uint64_t key)
{
    size_t position = (size_t)mp_hash64(key) & index->mask;
    while (index->entries[position].value && index->entries[position].key != key)
        position = (position + 1) & index->mask;
    return &index->entries[position];
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
        size_t position = index->entries[i].hash & larger.mask;
        while (larger.entries[position].value)
            position = (position + 1) & larger.mask;
        larger.entries[position] = index->entries[i];
    }
    free(index->entries);
    *index = larger;
}

void mp_hash_index_free(mp_hash_index *index)
{
    free(index->entries);
    *index = (mp_hash_index){0};
}
