/* Steady leaks: what of a window was left behind again and again, whatever else came and went.
 *
 * A moment is a snapshot of the window at which anything was created. A site leaks steadily in a
 * session that has MP_STEADY_MOMENTS of them or more if something that leaks was born there at
 * MP_STEADY_BIRTHS of them, or at all where there are fewer, and if no stretch of a quarter of the
 * moments or longer, from the first of them to the last, is without such a birth. So it is neither
 * a cache that filled nor what is in use at the end, unless that lives for most of the window.
 * Where a site loses what was there at `from` as steadily, the new takes the place of the old, and
 * what it has more is what leaked. Of several sessions each is judged by itself. Dumps do not tell
 * births: there a type grows steadily if its bytes did from each dump to the next, of three dumps
 * or more. */
#ifndef MP_QUERY_STEADY_H
#define MP_QUERY_STEADY_H

#include "base/memory.h"
#include "query/leaks.h"

enum { MP_STEADY_MOMENTS = 2, MP_STEADY_BIRTHS = 3 };

typedef struct mp_steady {
    bool *generations; /* by generation: a part of it. What it adds is what it has at `to` more
                          than at `from`: of leaks that is all, of what they replace less than 0 */
    int64_t bytes;     /* of all of them */
    uint32_t moments;  /* of the session that has most; fewer than MP_STEADY_MOMENTS tell nothing */
    uint32_t *of_session; /* moments, by session */
} mp_steady;

/* What is suppressed is no part of it. */
const mp_steady *mp_window_steady(const mp_window *window);
/* What a generation adds to it. */
static inline int64_t mp_steady_bytes(const mp_window *window, const mp_steady *steady,
                                      uint32_t generation)
{
    const mp_balance *balance = &mp_window_balances(window)[generation];
    return steady->generations[generation] ? balance->to.bytes - balance->from_bytes : 0;
}
/* What each group adds, by place. Release with free(). */
int64_t *mp_steady_of_groups(const mp_window *window, const mp_grouping *grouping);
/* "OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155": the site that adds most, of
 * equal ones the first by name; of dumps, the type. In the arena; NULL: none does. */
const char *mp_steady_worst(mp_arena *arena, const mp_window *window, int64_t *bytes);
/* The leak that adds most but for those that are left out, by place, of equal ones the first; NULL:
 * none does. Not of dumps. */
const mp_leak *mp_steady_leak(const mp_window *window, const bool *left_out, int64_t *bytes);
/* "2 dumps are too few to tell a trend, ...": why it tells nothing. */
const char *mp_steady_refusal(mp_arena *arena, const mp_window *window);

#endif
