/* Slopes between all pairs of values in a series, by rank. */
#pragma once

#include <stddef.h>

enum { MP_SLOPE_VALUES = 1000 }; /* maximum number of compared values: half a million pairs */

typedef struct mp_slope_ranks {
    double middle, low, high;
    double lower; /* the lower of the two middle slopes if the number of slopes is even; otherwise
                     equal to `middle` */
} mp_slope_ranks;

/* Return the median slope and the ends of Sen's interval (query/trend.h) of at least two values
 * that are one place apart. If there are more than `most` values (at most MP_SLOPE_VALUES), `most`
 * of them are chosen evenly, including the first and the last. The cost grows with the number of
 * changes times the number of values, so long constant series are cheap. */
mp_slope_ranks mp_slope_ranks_of(const double *values, size_t count, size_t most);
