/* The slope of a series from build to build, in whole numbers. */
#ifndef MP_COMPARE_MEDIAN_SLOPE_H
#define MP_COMPARE_MEDIAN_SLOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Of more values, an even choice of so many, the first and the last with them. */
    MP_SLOPE_VALUES = 128,
    MP_SLOPE_JUMPS = 4, /* a jump is told from a slope by so many values */
};

/* The median of the slopes between any two values (Theil and Sen), so that a build that went astray
 * is no slope. One step is taken out before, as a cache makes it that comes with a build: the
 * largest, if it is more than twice of all that happens before it, and behind it; what is behind it
 * moves to the level of what is before it. Of an even number of slopes the lower of the two in the
 * middle, rounded down. Of two values or more. Exact where the range of the values times their
 * number fits into 61 bits; beyond, values are taken in larger units, powers of two. */
int64_t mp_median_slope(const int64_t *values, size_t count);
/* Whether the same median, not rounded, is more than the limit. */
bool mp_median_slope_exceeds(const int64_t *values, size_t count, int64_t limit);

#endif
