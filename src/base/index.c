#include "base/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_PLACES = 16, FIRST_DENSE = 32 };

static mp_id_entry *id_place(const mp_id_index *index, uint64_t key)
{
    size_t position = (size_t)mp_hash64(key) & index->mask;
    while (index->entries[position].value && index->entries[position].key != key)
        position = (position + 1) & index->mask;
    return &index->entries[position];
}

uint32_t mp_id_index_get(const mp_id_index *index, uint64_t key)
{
    if (key < index->dense_room)
        return index->dense[key];
    return index->entries ? id_place(index, key)->value : 0;
}

/* Double the array, and copy the values of keys for which it now has room. Their old entries in the
 * table are never found again. */
static void dense_grow(mp_id_index *index)
{
    const size_t room = index->dense_room;
    mp_grow(&index->dense, &index->dense_room, room ? 2 * room : FIRST_DENSE, sizeof *index->dense);
    memset(index->dense + room, 0, (index->dense_room - room) * sizeof *index->dense);
    for (size_t i = 0; index->entries && i <= index->mask; i++) {
        const mp_id_entry *entry = &index->entries[i];
        if (entry->value && entry->key >= room && entry->key < index->dense_room) {
            index->dense[entry->key] = entry->value;
            index->dense_count++;
        }
    }
}

/* Double the table. Entries that moved to the array are left out. */
static void table_grow(mp_id_index *index)
{
    const mp_id_index less = *index;
    const size_t places = less.entries ? (less.mask + 1) * 2 : FIRST_PLACES;
    index->entries = mp_alloc_zero(places, sizeof *index->entries);
    index->mask = places - 1;
    index->placed = 0;
    for (size_t i = 0; less.entries && i <= less.mask; i++)
        if (less.entries[i].value && less.entries[i].key >= index->dense_room) {
            *id_place(index, less.entries[i].key) = less.entries[i];
            index->placed++;
        }
    free(less.entries);
}

uint32_t *mp_id_index_place(mp_id_index *index, uint64_t key)
{
    while (key >= index->dense_room && key < 2 * index->dense_count + FIRST_DENSE)
        dense_grow(index);
    if (key < index->dense_room) {
        const bool is_new = !index->dense[key];
        index->dense_count += is_new;
        index->count += is_new;
        return &index->dense[key];
    }
    if (!index->entries || (index->placed + 1) * 3 > (index->mask + 1) * 2)
        table_grow(index);
    mp_id_entry *entry = id_place(index, key);
    if (!entry->value) {
        entry->key = key;
        index->placed++;
        index->count++;
    }
    return &entry->value;
}

void mp_id_index_free(mp_id_index *index)
{
    free(index->dense);
    free(index->entries);
    *index = (mp_id_index){0};
}

static mp_hash_index hash_index_of(size_t places)
{
    return (mp_hash_index){.entries = mp_alloc_zero(places, sizeof(mp_hash_entry)),
                           .mask = places - 1};
}

void mp_hash_index_reserve(mp_hash_index *index, size_t count)
{
    size_t places = FIRST_PLACES;
    while (count * 3 > places * 2)
        places *= 2;
    *index = hash_index_of(places);
}

void mp_hash_index_grow(mp_hash_index *index)
{
    mp_hash_index larger = hash_index_of(index->entries ? (index->mask + 1) * 2 : FIRST_PLACES);
    larger.count = index->count;
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

mp_hash_index mp_hash_index_copy(const mp_hash_index *index)
{
    mp_hash_index copy = *index;
    if (!index->entries)
        return copy;
    copy.entries = mp_alloc((index->mask + 1) * sizeof *copy.entries);
    memcpy(copy.entries, index->entries, (index->mask + 1) * sizeof *copy.entries);
    return copy;
}

void mp_hash_index_free(mp_hash_index *index)
{
    free(index->entries);
    *index = (mp_hash_index){0};
}

/* --- keys of any bytes --- */

typedef struct mp_key_entry {
    const void *key;
    size_t length;
    uint32_t value;
} mp_key_entry;

typedef struct key_probe {
    const mp_key_index *index;
    const void *key;
    size_t length;
} key_probe;

static bool same_key(const void *opaque, uint32_t place)
{
    const key_probe *probe = opaque;
    const mp_key_entry *entry = &probe->index->entries[place];
    return entry->length == probe->length && memcmp(entry->key, probe->key, entry->length) == 0;
}

uint32_t mp_key_index_get(const mp_key_index *index, const void *key, size_t length)
{
    const key_probe probe = {index, key, length};
    const uint32_t place =
        mp_hash_index_get(&index->places, mp_hash_bytes(key, length), same_key, &probe);
    return place ? index->entries[place].value : 0;
}

static mp_key_entry *entry_of(mp_key_index *index, const void *key, size_t length)
{
    const key_probe probe = {index, key, length};
    uint32_t *place =
        mp_hash_index_put(&index->places, mp_hash_bytes(key, length), same_key, &probe);
    if (!*place) {
        *place = (uint32_t)index->places.count;
        mp_grow(&index->entries, &index->capacity, *place + 1u, sizeof *index->entries);
        index->entries[*place] = (mp_key_entry){
            .key = memcpy(mp_arena_alloc(&index->keys, length + !length), key, length),
            .length = length};
    }
    return &index->entries[*place];
}

uint32_t *mp_key_index_put(mp_key_index *index, const void *key, size_t length)
{
    return &entry_of(index, key, length)->value;
}

const void *mp_key_index_copy(mp_key_index *index, const void *key, size_t length)
{
    return entry_of(index, key, length)->key;
}

void mp_key_index_free(mp_key_index *index)
{
    mp_hash_index_free(&index->places);
    free(index->entries);
    mp_arena_free(&index->keys);
    *index = (mp_key_index){0};
}
