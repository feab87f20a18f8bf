/* Which of many are the largest. Sizes stand in rows `stride` bytes apart; `sizes` is that of place
 * 0. Of one size, the first place comes first. */
#ifndef MP_BASE_LARGEST_H
#define MP_BASE_LARGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Put the places in their order. */
void mp_sort_largest(uint32_t *places, size_t count, const int64_t *sizes, size_t stride);

/* Keep the `most` largest of the `count` places that are kept. */
void mp_keep_largest(bool *kept, uint32_t count, size_t most, const int64_t *sizes, size_t stride);

#endif
