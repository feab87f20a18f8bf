/* Cached results of a window, for the files that compute them. */
#pragma once

#include "base/beside.h"
#include "query/group.h"

struct mp_leaks;
struct mp_leak_verdict;

enum { MP_MOST_DIMENSIONS = 16 };

/* Cached results; NULL: not computed yet. */
typedef struct mp_window_cache {
    mp_balance *balances;
    mp_totals *totals;
    mp_grouping groupings[MP_MOST_DIMENSIONS]; /* groupings by index of the dimension */
    mp_beside *ahead; /* makes the grouping `ahead_of` on another thread; NULL: nothing does */
    const mp_dimension *ahead_of;
    struct mp_leaks *leaks;
    struct mp_leak_verdict *verdict;
} mp_window_cache;

/* Drop all results that depend on leaks. */
void mp_window_cache_clear(mp_window_cache *cache);

/* Return the cached groups of a window. The groups may have no labels yet, and be in the order of
 * their first generations. A later mp_window_groups adds labels and sorts them, so pointers to
 * groups must not be kept. */
mp_grouping *mp_known_groups(const mp_window *window, const mp_dimension *dimension,
                             unsigned extras);
/* Return the groups of frames, including empty ones. */
mp_grouping mp_group_frames(const mp_window *window);
void mp_leaks_free(struct mp_leaks *leaks);
void mp_verdict_free(struct mp_leak_verdict *verdict);
