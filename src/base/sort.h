/* Sorting of large structs: memory is needed for their numbers only, not for a copy of all. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef int mp_compare(const void *left, const void *right, void *opaque);

/* Sort `count` structs of `size` bytes. Structs that are equal keep their order. */
void mp_sort(void *items, size_t count, size_t size, mp_compare *compare, void *opaque);

/* Move struct order[i] to place i, for each i. Afterwards order[i] is i. */
void mp_permute(void *items, size_t count, size_t size, uint32_t *order);
