/* Sorting of large structs: memory is needed for their numbers only, not for a copy of all. Also
 * selection of the largest sizes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int mp_compare(const void *left, const void *right, void *opaque);

/* Sort `count` structs of `size` bytes. Structs that are equal keep their order. */
void mp_sort(void *items, size_t count, size_t size, mp_compare *compare, void *opaque);

/* Move struct order[i] to place i, for each i. Afterwards order[i] is i. */
void mp_permute(void *items, size_t count, size_t size, uint32_t *order);

/* Raise `place` to the first place below `end` at which `before`, a condition on the place
 * `middle`, is false; to `end` if there is none. It must be true up to some place, and false from
 * there on. */
#define MP_BISECT(place, end, before)                                                              \
    do {                                                                                           \
        __typeof__(place) last_ = (end);                                                           \
        while ((place) < last_) {                                                                  \
            const __typeof__(place) middle = (place) + (last_ - (place)) / 2;                      \
            if (before)                                                                            \
                (place) = middle + 1;                                                              \
            else                                                                                   \
                last_ = middle;                                                                    \
        }                                                                                          \
    } while (0)

/* --- the largest sizes ---
 *
 * The size of index i is i * `stride` bytes after `sizes`. If sizes are equal, the lower index
 * comes first. */

/* Sort the indexes `places` by descending size. */
void mp_sort_largest(uint32_t *places, size_t count, const int64_t *sizes, size_t stride);

/* Keep the `most` largest of the `count` indexes whose `kept` is true; clear `kept` of the
 * others. */
void mp_keep_largest(bool *kept, uint32_t count, size_t most, const int64_t *sizes, size_t stride);
