/* Several runs of one program: the variation of measured values between runs.
 *
 * The centre is the median, which is not affected by a single outlier. The spread is half the range
 * of the runs without the lowest and the highest eighth of them (rounded down to whole runs): up to
 * seven runs, half of the full range; with eight to fifteen, one run at each end is left out. For
 * random variation, this is about one standard deviation, whatever the number of runs. The median
 * absolute deviation would be more robust, but it is unsuitable: for three runs it is the smaller
 * of two gaps, and it is 0 as soon as most runs agree, for example if only one run in five fills a
 * cache. The next run that does would exceed such a limit. */
#pragma once

#include "compare/digest.h"

enum { MP_MOST_RUNS = 1000 };

/* Median and spread as whole numbers. The median of an even number of values is the mean of the
 * middle two, rounded down; the spread is rounded up. */
typedef struct mp_centre {
    int64_t median, spread;
} mp_centre;

/* Return the centre of at least one value, each at most half of the 64-bit range; the values are
 * sorted in place. */
mp_centre mp_centre_of(int64_t *values, size_t count);

/* Combine runs of one kind into one digest: the middle run by live bytes (or seconds), which then
 * owns the other runs. Properties such as `complete` and `has` are those common to all runs. A
 * single run is returned as it is. `runs` is copied. */
mp_digest *mp_digest_of_runs(mp_digest *const *runs, size_t count);

/* Return a digest with the maximum of each entry over all runs; entries missing from it are new.
 * Release with mp_digest_free. */
mp_digest *mp_digest_of_any_run(const mp_digest *digest);
