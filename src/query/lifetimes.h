/* Lifetimes: the ages of objects at their deletion. */
#pragma once

#include "model/ages.h"
#include "query/group.h"

/* Ages in microseconds of objects at their deletion, if their creation was recorded. If deletions
 * belong to snapshots, those after the window's `to` do not count. The median is the age at rank (n
 * + 1) / 2 of n sorted ages, the 90th percentile the age at the smallest rank that covers 90 %. */
typedef struct mp_lifetime {
    const char *label; /* belongs to the window */
    uint32_t group;    /* number among the window's groups, from 1 */
    int64_t deaths, bytes;
    int64_t alive; /* objects alive at `to` */
    int64_t least_us, median_us, p90_us, most_us;
} mp_lifetime;

/* Objects by age: class k has ages from 2^(k-1) to 2^k - 1 microseconds, class 0 has age 0. */
typedef struct mp_age_class {
    int64_t objects, bytes;
} mp_age_class;
enum { MP_AGE_CLASSES = 64 };

typedef struct mp_lifetimes {
    mp_lifetime total;
    mp_age_class classes[MP_AGE_CLASSES];
    int64_t created;     /* number of objects of these groups that were created up to `to` */
    mp_lifetime *groups; /* most deaths first, then by label */
    uint32_t count;
} mp_lifetimes;

/* Return the lifetimes of the groups of a dimension, and of all of them together. `only` is a glob
 * for the labels of the groups to include (NULL: all). Release with mp_lifetimes_free. */
mp_lifetimes mp_lifetimes_of(const mp_window *window, const mp_dimension *dimension,
                             const char *only);
void mp_lifetimes_free(mp_lifetimes *lifetimes);
