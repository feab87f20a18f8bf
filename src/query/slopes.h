/* The slopes between any two values of a series, by their ranks. */
#ifndef MP_QUERY_SLOPES_H
#define MP_QUERY_SLOPES_H

#include <stddef.h>

enum { MP_SLOPE_VALUES = 1000 }; /* most values whose slopes are compared: half a million */

typedef struct mp_slope_ranks {
    double middle, low, high;
    double lower; /* lower of the two middle values of an even number, else `middle` */
} mp_slope_ranks;

/* The median of the slopes and the ends of Sen's interval (query/trend.h), of two values or more,
 * 1 apart; of more than `most`, at most MP_SLOPE_VALUES, an even choice of that many with the first
 * and the last. The cost
 * is that of as many pairs as there are changes times values: a series that stays as it is costs
 * little, however long. */
mp_slope_ranks mp_slope_ranks_of(const double *values, size_t count, size_t most);

#endif
