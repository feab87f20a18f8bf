/* How long objects lived that were deleted. */
#ifndef MP_QUERY_LIFETIMES_H
#define MP_QUERY_LIFETIMES_H

#include "model/ages.h"
#include "query/group.h"

/* Ages at deletion, in microseconds, of objects whose creation was seen, up to the window's `to`
 * where deaths belong to snapshots. The median is the age at
 * rank (n + 1) / 2 of n sorted ones, the 90th percentile that at the least rank of 90 %. */
typedef struct mp_lifetime {
    const char *label; /* the window's */
    uint32_t group;    /* its place among the window's groups, from 1 */
    int64_t deaths, bytes;
    int64_t alive; /* objects at `to` */
    int64_t least_us, median_us, p90_us, most_us;
} mp_lifetime;

/* Ages from 2^(k-1) to 2^k - 1; [0]: age 0. */
typedef struct mp_age_class {
    int64_t objects, bytes;
} mp_age_class;
enum { MP_AGE_CLASSES = 64 };

typedef struct mp_lifetimes {
    mp_lifetime total;
    mp_age_class classes[MP_AGE_CLASSES];
    int64_t created;     /* objects of these groups, up to the window's `to` */
    mp_lifetime *groups; /* most deaths first, then by label */
    uint32_t count;
} mp_lifetimes;

/* The lifetimes of the groups of a dimension, and of all of them together; `only`: of those whose
 * name matches the glob (NULL: all). */
mp_lifetimes mp_lifetimes_of(const mp_window *window, const mp_dimension *dimension,
                             const char *only);
void mp_lifetimes_free(mp_lifetimes *lifetimes);

#endif
