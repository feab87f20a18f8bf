#include "model/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_ROWS = 8, LARGE_ROWS = 1 << 16, STUCK = 15, LINE = 64 }; /* LARGE_ROWS: 16 MiB */

/* A block that waits for a place while the table grows. */
typedef struct waiting_block {
    mp_live_place place;
    int64_t times[MP_LIVE_BLOCK];
} waiting_block;

/* Return the next number of rows. Small tables grow by half, large ones by a quarter: growing takes
 * time, but a larger table takes more memory. */
static size_t next_size(size_t rows)
{
    return !rows ? FIRST_ROWS : rows + rows / (rows < LARGE_ROWS ? 2 : 4);
}

/* Return true if the table must grow: a small one if it is half full, a large one if two thirds are
 * full. */
static bool is_full(const mp_live_set *set)
{
    const size_t places = set->rows * MP_LIVE_COLUMNS;
    return set->used >= (set->rows < LARGE_ROWS ? places / 2 : places / 3 * 2);
}

static inline void count_passed(mp_live_place *place, bool up)
{
    mp_live_object *first = place->objects;
    if (first->passed < STUCK)
        first->passed = (first->passed + (up ? 1u : UINT32_MAX)) & STUCK;
}

static inline mp_live_place *below(const mp_live_set *set, mp_live_place *place)
{
    const size_t size = set->rows * MP_LIVE_COLUMNS;
    place += MP_LIVE_COLUMNS;
    return place < set->places + size ? place : place - size;
}

/* Return the place of the block at or below `place`; NULL: the set does not have it. */
static mp_live_place *place_of(const mp_live_set *set, uint64_t block, mp_live_place *place)
{
    for (size_t tried = 0; tried < set->rows; tried++) {
        if (place->block == block && !mp_live_is_empty(place))
            return place;
        if (!place->objects->passed)
            return NULL;
        place = below(set, place);
    }
    return NULL;
}

mp_live_object *mp_live_find_below(const mp_live_set *set, uint64_t id, mp_live_place *place)
{
    mp_live_place *found = place_of(set, id / MP_LIVE_BLOCK, place);
    mp_live_object *object = found ? &found->objects[id % MP_LIVE_BLOCK] : NULL;
    return object && object->generation ? object : NULL;
}

/* Take an empty place for a block that is not in the set. Return NULL if its column is full. */
static mp_live_place *new_place(mp_live_set *set, uint64_t block)
{
    mp_live_place *const home = mp_live_home(set, block), *place = home;
    for (size_t tried = 0; !mp_live_is_empty(place); place = below(set, place))
        if (++tried == set->rows)
            return NULL;
    for (mp_live_place *passed = home; passed != place; passed = below(set, passed))
        count_passed(passed, true);
    place->block = block;
    set->used++;
    return place;
}

/* --- growing --- */

static int64_t *times_of(const mp_live_set *set, const mp_live_place *place)
{
    return set->times + (place - set->places) * MP_LIVE_BLOCK;
}

static void put_block(mp_live_set *set, mp_live_place *place, const waiting_block *block)
{
    for (int i = 0; i < MP_LIVE_BLOCK; i++)
        mp_live_put(&place->objects[i], block->place.objects[i]);
    if (set->times)
        memcpy(times_of(set, place), block->times, sizeof block->times);
}

/* Return memory for `size` bytes that begins with the first `before` bytes of `memory`, which is
 * released. Small memory is copied, so that it consists of huge pages: pages that are moved stay
 * small. Large memory is moved, because a copy would need twice the memory. */
static void *enlarged(void *memory, size_t before, size_t size)
{
    enum { COPIED = 32 << 20 };
    if (size > COPIED || !before)
        return mp_resized(memory, size, 1);
    void *larger = memcpy(mp_alloc(size), memory, before);
    free(memory);
    return larger;
}

/* Extend the arrays to set->rows. New places are empty. */
static void extend(mp_live_set *set, size_t rows_before)
{
    const size_t before = rows_before * MP_LIVE_COLUMNS * sizeof *set->places;
    const size_t size = set->rows * MP_LIVE_COLUMNS * sizeof *set->places;
    const size_t offset = (size_t)((char *)set->places - (char *)set->memory);
    char *memory = enlarged(set->memory, before ? offset + before : 0, size + LINE);
    char *start = memory + (-(uintptr_t)memory & (LINE - 1));
    if (before && start != memory + offset)
        memmove(start, memory + offset, before);
    memset(start + before, 0, size - before);
    set->memory = memory;
    set->places = (mp_live_place *)(void *)start;
    if (set->timed)
        set->times =
            mp_resized(set->times, set->rows * MP_LIVE_COLUMNS, MP_LIVE_BLOCK * sizeof *set->times);
}

/* Move the blocks of a row to their places in the larger table, at or below the row. Return how
 * many have no place there; they are put into `waiting`. */
static size_t move_row(mp_live_set *set, size_t row, waiting_block *waiting)
{
    mp_live_place *const first = set->places + row * MP_LIVE_COLUMNS;
    mp_live_place *const end = set->places + set->rows * MP_LIVE_COLUMNS;
    size_t found = 0, left = 0;
    for (mp_live_place *place = first; place < first + MP_LIVE_COLUMNS; place++) {
        place->objects->passed = 0;
        if (mp_live_is_empty(place))
            continue;
        waiting[found].place = *place;
        if (set->times)
            memcpy(waiting[found].times, times_of(set, place), sizeof waiting[found].times);
        found++;
        *place = (mp_live_place){0};
    }
    for (size_t i = 0; i < found; i++) {
        mp_live_place *place = mp_live_home(set, waiting[i].place.block);
        if (place >= first)
            while (place < end && !mp_live_is_empty(place))
                place += MP_LIVE_COLUMNS;
        set->used--;
        if (place >= first && place < end)
            put_block(set, new_place(set, waiting[i].place.block), &waiting[i]);
        else
            waiting[left++] = waiting[i];
    }
    return left;
}

/* Make the table larger, in place. Rows are moved from the last to the first. A block moves towards
 * the end; its new place is usually in a row that was already moved. The others, such as blocks
 * that had passed many rows, wait until all rows are moved. */
static void grow(mp_live_set *set)
{
    const size_t rows_before = set->rows;
    waiting_block *waiting = NULL;
    size_t count = 0, capacity = 0;
    for (unsigned i = 0; !rows_before && i < MP_LIVE_OFFSETS; i++)
        set->offsets[i] = mp_hash64(i);
    set->rows = next_size(rows_before);
    extend(set, rows_before);
    for (size_t row = rows_before; row-- > 0;) {
        mp_grow(&waiting, &capacity, count + MP_LIVE_COLUMNS, sizeof *waiting);
        count += move_row(set, row, waiting + count);
    }
    for (size_t i = 0; i < count; i++) {
        mp_live_place *place;
        while (!(place = new_place(set, waiting[i].place.block)))
            grow(set);
        put_block(set, place, &waiting[i]);
    }
    free(waiting);
}

mp_live_place *mp_live_take_below(mp_live_set *set, uint64_t block)
{
    if (!set->rows)
        grow(set);
    mp_live_place *place = place_of(set, block, mp_live_home(set, block));
    if (place)
        return place;
    if (is_full(set))
        grow(set);
    while (!(place = new_place(set, block)))
        grow(set);
    return place;
}

void mp_live_remove(mp_live_set *set, mp_live_object *object)
{
    const size_t offset = (size_t)((char *)object - (char *)set->places);
    mp_live_place *const found = set->places + offset / sizeof *found;
    object->generation = 0;
    set->count--;
    if (!mp_live_is_empty(found))
        return;
    set->used--;
    for (mp_live_place *place = mp_live_home(set, found->block); place != found;
         place = below(set, place))
        count_passed(place, false);
}

int64_t mp_live_large_bytes(const mp_live_set *set, uint64_t id)
{
    return set->large[mp_id_index_get(&set->large_index, id) - 1];
}

void mp_live_set_large_bytes(mp_live_set *set, uint64_t id, int64_t bytes)
{
    uint32_t *place = mp_id_index_put(&set->large_index, id);
    if (!*place) {
        mp_grow(&set->large, &set->large_capacity, set->large_count + 1, sizeof *set->large);
        *place = (uint32_t)++set->large_count;
    }
    set->large[*place - 1] = bytes;
}

void mp_live_free(mp_live_set *set)
{
    MP_FREE(set->memory, set->times, set->large);
    mp_id_index_free(&set->large_index);
    *set = (mp_live_set){0};
}
