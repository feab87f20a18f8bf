/* Several runs of one program: the variation of measured values between runs.
 *
 * The centre is the median, which a single outlier does not affect. For the spread, the lowest and
 * the highest eighth of the runs (rounded down to whole runs) are left out; the spread is half the
 * range of the other runs. With up to seven runs, none is left out; with eight to fifteen, one at
 * each end. For random variation, the spread is about one standard deviation, whatever the number
 * of runs.
 *
 * The median absolute deviation would be more robust, but it is unsuitable: for three runs it is
 * the smaller of two gaps, and it is 0 as soon as most runs are equal, for example if only one run
 * in five fills a cache. The next run that fills it would exceed a limit of 0. */
#pragma once

#include "compare/digest.h"

enum { MP_MOST_RUNS = 1000 };

/* Median and spread as whole numbers. The median of an even number of values is the mean of the two
 * in the middle, rounded down; the spread is rounded up. */
typedef struct mp_centre {
    int64_t median, spread;
} mp_centre;

/* Return the centre of the values. There must be at least one, and each is at most half of the
 * largest 64-bit number. The values are sorted in place. */
mp_centre mp_centre_of(int64_t *values, size_t count);

/* Combine runs of one kind into one digest. It is the middle run by live bytes (or seconds), which
 * then owns all other runs. Properties such as `complete` and `has` are those that all runs have. A
 * single run is returned unchanged. `runs` is copied. */
mp_digest *mp_digest_of_runs(mp_digest *const *runs, size_t count);

/* Return a digest with the maximum of each entry over all runs. An entry that is not in it is new.
 * Release with mp_digest_free. */
mp_digest *mp_digest_of_any_run(const mp_digest *digest);
