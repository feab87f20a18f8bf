/* Several runs of one program: how far what is measured differs from run to run.
 *
 * The centre is the median: one run that went astray does not move it. The spread is half the range
 * of the runs without the lowest and the highest eighth, in whole runs: of up to seven runs that is
 * half of the whole range, of eight to fifteen one of each end is left out. So it is about one
 * standard deviation where runs differ by chance, whatever their number. The median of the
 * deviations from the median would be robuster, but of three runs it is the smaller of two gaps,
 * and it is 0 as soon as most runs agree, as those do that fill a cache in one of five: a limit
 * that the next such run exceeds. */
#ifndef MP_COMPARE_RUNS_H
#define MP_COMPARE_RUNS_H

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

/* One digest of runs of one kind: the run in the middle by what is alive (or by seconds), with the
 * others beside it; all tell what each of them tells. It owns them, and is the only one itself if
 * there is one. `runs` is copied. */
mp_digest *mp_digest_of_runs(mp_digest *const *runs, size_t count);

/* Return a digest with the maximum of each entry over all runs; entries missing from it are new.
 * Release with mp_digest_free. */
mp_digest *mp_digest_of_any_run(const mp_digest *digest);

#endif
