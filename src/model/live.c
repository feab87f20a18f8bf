#include "model/live.h"

#include <stdlib.h>

#include "base/memory.h"

enum { COLUMNS = 16, FIRST_ROWS = 8, STUCK = 15 };

/* Return the next number of rows, larger by half. The table then takes 32 to 48 bytes per object;
 * with doubling it would take up to 64. */
static size_t next_size(size_t rows)
{
    return rows ? rows + rows / 2 : FIRST_ROWS;
}

static bool is_full(const mp_live_set *set)
{
    return set->count * 2 >= set->rows * COLUMNS;
}

/* Return the row of the id's block, and set the id's column in it. The column also depends on the
 * hash of the block, because ids that end in the same bits, such as addresses, must not share a
 * column. Successive blocks are spread evenly over the rows. The key is random, so collisions
 * cannot be crafted. */
static inline size_t home_of(const mp_live_set *set, uint64_t id, unsigned *column)
{
    uint64_t hash = id / COLUMNS * mp_keys.even;
    *column = (unsigned)((id ^ hash >> 28) % COLUMNS);
    return (size_t)((hash >> 32) * set->rows >> 32);
}

static inline size_t next_row(const mp_live_set *set, size_t row)
{
    return row + 1 == set->rows ? 0 : row + 1;
}

/* Return how many ids have passed the place; 15: 15 or more. */
static inline unsigned passed_of(const mp_live_set *set, size_t row, unsigned column)
{
    return set->passed[row] >> column * 4 & STUCK;
}

static inline void count_passed(mp_live_set *set, size_t row, unsigned column, bool up)
{
    uint64_t one = UINT64_C(1) << column * 4;
    if (passed_of(set, row, column) < STUCK)
        set->passed[row] += up ? one : -one;
}

mp_live_object *mp_live_find(const mp_live_set *set, uint64_t id)
{
    unsigned column;
    if (!set->rows)
        return NULL;
    size_t row = home_of(set, id, &column);
    for (size_t tried = 0; tried < set->rows; tried++) {
        mp_live_object *object = &set->places[row * COLUMNS + column];
        if (object->id == id && object->generation)
            return object;
        if (!passed_of(set, row, column))
            return NULL;
        row = next_row(set, row);
    }
    return NULL;
}

void mp_live_prefetch(const mp_live_set *set, uint64_t id)
{
    unsigned column;
    size_t row = home_of(set, id, &column);
    if (set->rows)
        __builtin_prefetch(&set->places[row * COLUMNS + column], 1);
}

/* Return a free place for a new id; NULL: its column is full. */
static mp_live_object *enter(mp_live_set *set, uint64_t id)
{
    unsigned column;
    size_t row = home_of(set, id, &column);
    for (size_t tried = 0; tried < set->rows; tried++) {
        mp_live_object *object = &set->places[row * COLUMNS + column];
        if (!object->generation)
            return object;
        count_passed(set, row, column, true);
        row = next_row(set, row);
    }
    return NULL;
}

static void free_arrays(mp_live_set *set)
{
    free(set->places);
    free(set->times);
    free(set->passed);
}

/* Add all objects of another set. Return false if a column is full. */
static bool move_in(mp_live_set *set, const mp_live_set *other)
{
    for (size_t i = 0; i < other->rows * COLUMNS; i++) {
        const mp_live_object *object = &other->places[i];
        if (!object->generation)
            continue;
        mp_live_object *place = enter(set, object->id);
        if (!place)
            return false;
        *place = *object;
        if (set->times && other->times)
            set->times[place - set->places] = other->times[i];
    }
    return true;
}

static void grow(mp_live_set *set)
{
    mp_live_set old = *set;
    for (bool placed = false; !placed;) {
        set->rows = next_size(set->rows);
        set->places = mp_alloc_zero(set->rows * COLUMNS, sizeof *set->places);
        set->passed = mp_alloc_zero(set->rows, sizeof *set->passed);
        set->times = set->timed ? mp_alloc(set->rows * COLUMNS * sizeof *set->times) : NULL;
        placed = move_in(set, &old);
        if (!placed)
            free_arrays(set);
    }
    free_arrays(&old);
}

mp_live_object *mp_live_add(mp_live_set *set, uint64_t id, uint32_t generation)
{
    mp_live_object *object;
    if (!set->rows || is_full(set))
        grow(set);
    while (!(object = enter(set, id)))
        grow(set);
    *object = (mp_live_object){.id = id, .generation = generation & INT32_MAX};
    set->count++;
    if (id > set->largest)
        set->largest = id;
    return object;
}

void mp_live_remove(mp_live_set *set, mp_live_object *object)
{
    unsigned column;
    size_t found = (size_t)(object - set->places) / COLUMNS;
    for (size_t row = home_of(set, object->id, &column); row != found; row = next_row(set, row))
        count_passed(set, row, column, false);
    object->generation = 0;
    set->count--;
}

int64_t mp_live_bytes(const mp_live_set *set, const mp_live_object *object)
{
    if (object->size != UINT32_MAX)
        return object->size;
    return set->large[mp_id_index_get(&set->large_index, object->id) - 1];
}

void mp_live_set_bytes(mp_live_set *set, mp_live_object *object, int64_t bytes)
{
    object->size = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    if (object->size != UINT32_MAX)
        return;
    uint32_t *place = mp_id_index_put(&set->large_index, object->id);
    if (!*place) {
        mp_grow(&set->large, &set->large_capacity, set->large_count + 1, sizeof *set->large);
        *place = (uint32_t)++set->large_count;
    }
    set->large[*place - 1] = bytes;
}

void mp_live_free(mp_live_set *set)
{
    free_arrays(set);
    free(set->large);
    mp_id_index_free(&set->large_index);
    *set = (mp_live_set){0};
}
