/* Turnover: leaks that are what a bounded cache has at the moment, of which nothing is lost.
 *
 * A cache that is full drops its oldest object for each new one. So its survivors were born in the
 * window, at one snapshot after the other, and look like a leak. Told apart, in each session in
 * which it leaks, is a site
 * - of which at least as many objects were deleted in the window as leak;
 * - of which nothing died that was born at a later snapshot than the oldest of what leaks;
 * - that had as many bytes as at the end at some snapshot of the window before that one was born,
 *   and no less than half of them from the last of these snapshots on;
 * - whose bytes do not grow steadily from snapshot to snapshot, of MP_TREND_FEWEST or more. */
#ifndef MP_QUERY_TURNOVER_H
#define MP_QUERY_TURNOVER_H

#include "query/leaks.h"

enum { MP_TURNOVER_SITES = 100 }; /* that are followed from snapshot to snapshot, the largest */

/* Of each leak, by its place, whether it is so; none that grew once only. Two passes over the
 * generations and, where there is such a site, one over the ledger. Release with free(). */
bool *mp_leaks_turned_over(const mp_window *window);

#endif
