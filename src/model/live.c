#include "model/live.h"

#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_ROWS = 8, STUCK = 15 };

/* Return the next number of rows, larger by half. The table then takes 32 to 48 bytes per object;
 * with doubling it would take up to 64. */
static size_t next_size(size_t rows)
{
    return rows ? rows + rows / 2 : FIRST_ROWS;
}

static bool is_full(const mp_live_set *set)
{
    return set->count * 2 >= set->rows * MP_LIVE_COLUMNS;
}

static inline size_t next_row(const mp_live_set *set, size_t row)
{
    return row + 1 == set->rows ? 0 : row + 1;
}

static inline void count_passed(mp_live_object *place, bool up)
{
    if (place->passed < STUCK)
        place->passed = (place->passed + (up ? 1u : UINT32_MAX)) & STUCK;
}

mp_live_object *mp_live_find_below(const mp_live_set *set, uint64_t id, size_t row, unsigned column)
{
    const mp_live_object *place = &set->places[row * MP_LIVE_COLUMNS + column];
    for (size_t tried = 1; tried < set->rows && place->passed; tried++) {
        row = next_row(set, row);
        mp_live_object *object = &set->places[row * MP_LIVE_COLUMNS + column];
        if (object->id == id && object->generation)
            return object;
        place = object;
    }
    return NULL;
}

/* Return a free place for a new id; NULL: its column is full. */
static mp_live_object *enter(mp_live_set *set, uint64_t id)
{
    unsigned column;
    size_t row = mp_live_home(set, id, &column);
    for (size_t tried = 0; tried < set->rows; tried++) {
        mp_live_object *object = &set->places[row * MP_LIVE_COLUMNS + column];
        if (!object->generation)
            return object;
        count_passed(object, true);
        row = next_row(set, row);
    }
    return NULL;
}

static void free_arrays(mp_live_set *set)
{
    free(set->places);
    free(set->times);
}

/* Add all objects of another set. Return false if a column is full. */
static bool move_in(mp_live_set *set, const mp_live_set *other)
{
    for (size_t i = 0; i < other->rows * MP_LIVE_COLUMNS; i++) {
        const mp_live_object *object = &other->places[i];
        if (!object->generation)
            continue;
        mp_live_object *place = enter(set, object->id);
        if (!place)
            return false;
        mp_live_put(place, *object);
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
        set->places = mp_alloc_zero(set->rows * MP_LIVE_COLUMNS, sizeof *set->places);
        set->times = set->timed ? mp_alloc(set->rows * MP_LIVE_COLUMNS * sizeof *set->times) : NULL;
        placed = move_in(set, &old);
        if (!placed)
            free_arrays(set);
    }
    free_arrays(&old);
}

mp_live_object *mp_live_take(mp_live_set *set, uint64_t id)
{
    mp_live_object *object;
    if (!set->rows || is_full(set))
        grow(set);
    while (!(object = enter(set, id)))
        grow(set);
    set->count++;
    if (id > set->largest)
        set->largest = id;
    return object;
}

void mp_live_remove(mp_live_set *set, mp_live_object *object)
{
    unsigned column;
    size_t found = (size_t)(object - set->places) / MP_LIVE_COLUMNS;
    for (size_t row = mp_live_home(set, object->id, &column); row != found;
         row = next_row(set, row))
        count_passed(&set->places[row * MP_LIVE_COLUMNS + column], false);
    object->generation = 0;
    set->count--;
}

int64_t mp_live_large_bytes(const mp_live_set *set, const mp_live_object *object)
{
    return set->large[mp_id_index_get(&set->large_index, object->id) - 1];
}

void mp_live_set_large_bytes(mp_live_set *set, const mp_live_object *object, int64_t bytes)
{
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
