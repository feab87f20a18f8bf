#include "base/sort.h"

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
