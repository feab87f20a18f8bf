#include "model/ages.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    MOST_ROWS = 128 * 1024
}; /* maximum number of rows; if there would be more, ages are rounded to fewer bits */

/* Append a copy of the row. The first row is reserved. */
static uint32_t new_row(mp_ages *ages, const mp_age *row)
{
    mp_grow(&ages->rows.items, &ages->rows.capacity, (size_t)ages->rows.count + 1,
            sizeof *ages->rows.items);
    ages->rows.items[ages->rows.count] = *row;
    return ages->rows.count++;
}

mp_ages *mp_ages_new(void)
{
    mp_ages *ages = mp_alloc_zero(1, sizeof *ages);
    new_row(ages, &(mp_age){.objects = 0});
    return ages;
}

/* Return the age with all bits but its leading ones cleared. */
static int64_t rounded(const mp_ages *ages, int64_t age)
{
    unsigned bits = 64u - (unsigned)__builtin_clzll((uint64_t)age | 1);
    if (!ages->bits || bits <= ages->bits)
        return age;
    unsigned dropped = bits - ages->bits;
    return age >> dropped << dropped;
}

typedef struct age_probe {
    const mp_ages *ages;
    const mp_age *key;
} age_probe;

static bool same_age(const void *opaque, uint32_t value)
{
    const age_probe *probe = opaque;
    const mp_age *a = &probe->ages->rows.items[value], *b = probe->key;
    return a->context.i == b->context.i && a->age_us == b->age_us &&
           a->generation.i == b->generation.i && a->died.i == b->died.i;
}

static uint64_t age_hash(const mp_age *key)
{
    const uint64_t words[] = {(uint64_t)key->age_us, key->context.i,
                              mp_joined(key->generation.i, key->died.i), 0};
    return mp_hash_words(words, 4);
}

static void add_row(mp_ages *ages, const mp_age *key)
{
    age_probe probe = {ages, key};
    uint32_t *place = mp_hash_index_put(&ages->index, age_hash(key), same_age, &probe);
    if (!*place) {
        *place = new_row(ages, key);
        ages->rows.items[*place].objects = ages->rows.items[*place].bytes = 0;
    }
    ages->rows.items[*place].objects += key->objects;
    ages->rows.items[*place].bytes += key->bytes;
}

/* Keep fewer leading bits of each age, because there are too many different ages, and merge rows
 * that become equal. */
static void coarsen(mp_ages *ages)
{
    uint32_t count = ages->rows.count;
    mp_age *old = mp_alloc(count * sizeof *old);
    memcpy(old, ages->rows.items, count * sizeof *old);
    ages->bits = ages->bits == 0 ? 7 : ages->bits - 2;
    ages->rows.count = 1;
    mp_hash_index_free(&ages->index);
    for (uint32_t i = 1; i < count; i++) {
        old[i].age_us = rounded(ages, old[i].age_us);
        add_row(ages, &old[i]);
    }
    free(old);
}

static void write_down(mp_ages *ages, const mp_age *death)
{
    mp_age row = *death;
    row.age_us = rounded(ages, row.age_us);
    add_row(ages, &row);
    while (ages->rows.count > MOST_ROWS && ages->bits != 1)
        coarsen(ages);
}

static const mp_hash_entry *home_place(const mp_ages *ages, const mp_age *death)
{
    mp_age row = *death;
    row.age_us = rounded(ages, row.age_us);
    return mp_hash_index_home(&ages->index, age_hash(&row));
}

/* Add a death to the ring of waiting rows. While it waits, its index entry and then its row are
 * prefetched. */
void mp_ages_add(mp_ages *ages, const mp_age *death)
{
    mp_age *slot = &ages->waiting[ages->waited++ % MP_AGES_WAITING];
    if (ages->waited > MP_AGES_WAITING)
        write_down(ages, slot);
    *slot = *death;
    slot->age_us = slot->age_us > 0 ? slot->age_us : 0;
    const mp_hash_entry *home = home_place(ages, slot);
    if (!home)
        return;
    __builtin_prefetch(home);
    home = home_place(ages, &ages->waiting[(ages->waited + MP_AGES_WAITING / 2) % MP_AGES_WAITING]);
    __builtin_prefetch(&ages->rows.items[home->value], 1);
}

void mp_ages_settle(mp_ages *ages)
{
    size_t waiting = ages->waited < MP_AGES_WAITING ? ages->waited : MP_AGES_WAITING;
    for (size_t i = 0; i < waiting; i++)
        write_down(ages, &ages->waiting[i]);
    ages->waited = 0;
    mp_hash_index_free(&ages->index);
}

void mp_ages_free(mp_ages *ages)
{
    if (!ages)
        return;
    free(ages->rows.items);
    mp_hash_index_free(&ages->index);
    free(ages);
}
