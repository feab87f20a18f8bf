/* Cached results of a window; only for the files that compute them. */
#ifndef MP_QUERY_WINDOW_CACHE_H
#define MP_QUERY_WINDOW_CACHE_H

#include "query/group.h"

struct mp_leaks;
struct mp_leak_verdict;

enum { MP_MOST_DIMENSIONS = 16 };

/* NULL: not asked for yet. */
typedef struct mp_window_cache {
    mp_balance *balances;
    mp_totals *totals;
    mp_grouping groupings[MP_MOST_DIMENSIONS]; /* by place of the dimension */
    struct mp_leaks *leaks;
    struct mp_leak_verdict *verdict;
} mp_window_cache;

/* Forget all that depends on what leaks. */
void mp_window_cache_clear(mp_window_cache *cache);

/* The window's groups without labels, in the order of their first generations: mp_window_groups
 * gives them labels and another order, so nobody keeps what points to one. */
mp_grouping *mp_known_groups(const mp_window *window, const mp_dimension *dimension,
                             unsigned extras);
/* Groups of frames, empty ones with them. */
mp_grouping mp_group_frames(const mp_window *window);
void mp_leaks_free(struct mp_leaks *leaks);
void mp_verdict_free(struct mp_leak_verdict *verdict);
/* Add MP_GROUPS_GROWTH to groups of generations. */
void mp_groups_add_growth(const mp_window *window, mp_grouping *grouping);

#endif
