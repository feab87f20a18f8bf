#include "base/sort.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

typedef struct sorting {
    const char *items;
    size_t size;
    mp_compare *compare;
    void *opaque;
} sorting;

static int compare_places(const void *left, const void *right, void *opaque)
{
    const sorting *sort = opaque;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const int order =
        sort->compare(sort->items + a * sort->size, sort->items + b * sort->size, sort->opaque);
    return order ? order : MP_COMPARE(a, b);
}

void mp_sort(void *items, size_t count, size_t size, mp_compare *compare, void *opaque)
{
    if (count < 2)
        return;
    sorting sort = {items, size, compare, opaque};
    uint32_t *order = mp_alloc(count * sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, count, sizeof *order, compare_places, &sort);
    mp_permute(items, count, size, order);
    free(order);
}

void mp_permute(void *items, size_t count, size_t size, uint32_t *order)
{
    char *first = items, *held = mp_alloc(size + 1);
    for (size_t start = 0; start < count; start++) { /* each cycle of the permutation */
        if (order[start] == start)
            continue;
        size_t place = start;
        memcpy(held, first + start * size, size);
        for (size_t from = order[place]; from != start; from = order[place]) {
            memcpy(first + place * size, first + from * size, size);
            order[place] = (uint32_t)place;
            place = from;
        }
        memcpy(first + place * size, held, size);
        order[place] = (uint32_t)place;
    }
    free(held);
}

/* --- the largest sizes --- */

typedef struct ordering {
    const char *sizes;
    size_t stride;
} ordering;

static int64_t size_of(const ordering *by, uint32_t place)
{
    return *(const int64_t *)(const void *)(by->sizes + place * by->stride);
}

static int largest_first(const void *left, const void *right, void *by)
{
    const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    const int64_t a = size_of(by, one), b = size_of(by, other);
    const int order = MP_COMPARE(b, a);
    return order ? order : MP_COMPARE(one, other);
}

void mp_sort_largest(uint32_t *places, size_t count, const int64_t *sizes, size_t stride)
{
    ordering by = {(const char *)sizes, stride};
    qsort_r(places, count, sizeof *places, largest_first, &by);
}

void mp_keep_largest(bool *kept, uint32_t count, size_t most, const int64_t *sizes, size_t stride)
{
    uint32_t *order = mp_alloc((count + 1u) * sizeof *order);
    size_t are = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept[i])
            order[are++] = i;
    if (are > most)
        mp_sort_largest(order, are, sizes, stride);
    for (size_t i = most; i < are; i++)
        kept[order[i]] = false;
    free(order);
}
