#include "base/largest.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"

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
