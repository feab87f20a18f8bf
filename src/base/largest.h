/* Selection of the largest sizes. The size of index i is i * `stride` bytes after `sizes`. If sizes
 * are equal, the lower index comes first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sort the indexes `places` by descending size. */
void mp_sort_largest(uint32_t *places, size_t count, const int64_t *sizes, size_t stride);

/* Keep the `most` largest of the `count` indexes whose `kept` is true; clear `kept` of the
 * others. */
void mp_keep_largest(bool *kept, uint32_t count, size_t most, const int64_t *sizes, size_t stride);
