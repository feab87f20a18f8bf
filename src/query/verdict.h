/* Verdicts: which allocation sites leak, and how the others behave.
 *
 * All answers use these verdicts: summaries, the order of leaks, trends, limits, rules and
 * comparisons. docs/verdict.md explains it, with its sources and its accuracy. */
#pragma once

#include "query/site_kind.h"

/* Verdict on a site; for dumps, on a type. */
typedef struct mp_site_verdict {
    mp_site_kind kind;
    uint8_t confidence; /* percent */
    bool seldom;        /* as in mp_site_judgement */
    /* session in which the site leaks most; if it does not leak, its last session */
    uint32_t session;
    uint32_t leaking_sessions; /* number of sessions in which the site leaks */
    uint32_t example;          /* an example generation of the site */
    int64_t bytes;             /* leaking bytes over all sessions */
    int64_t objects;
    int64_t weight; /* leaking bytes or leaking objects, the same choice as in mp_cost_weight */
    int64_t session_weight; /* largest part of `weight` in one session */
} mp_site_verdict;

/* Return the bytes that leak at a site; 0: it does not leak. */
static inline int64_t mp_site_leaking_bytes(const mp_site_verdict *site)
{
    return mp_site_kind_leaks(site->kind) ? site->bytes : 0;
}

/* Return the leaking weight of a site; 0: it does not leak. */
static inline int64_t mp_site_leaking_weight(const mp_site_verdict *site)
{
    return mp_site_kind_leaks(site->kind) ? site->weight : 0;
}

typedef struct mp_leak_verdict {
    uint32_t *site_of;      /* index in `sites` of each generation; 0: not counted */
    mp_site_verdict *sites; /* numbered from 1 */
    uint32_t site_count;
    bool *generations; /* flag of each generation: true if its growth from `from` to `to` is part of
                        * a leak */
    int64_t bytes;     /* leaking bytes */
    /* Largest number of moments in a session; a moment is a snapshot with creations. */
    uint32_t moments;
    uint32_t *of_session; /* number of moments by session */
    /* flag by session: true if it has no moments, but objects grew at fewer than MP_VERDICT_MOMENTS
     * snapshots, which is too few to tell whether they keep growing */
    bool *grew;
    bool changed; /* true if objects were created after `from`, or `grew` in some session */
} mp_leak_verdict;

/* Return the verdict on each site of the window, which is computed once. Accepted leaks do not
 * count. Dumps do not record births, so a type leaks if its bytes grew from each dump to the
 * next. */
const mp_leak_verdict *mp_window_verdict(const mp_window *window);

/* Percentages from which a leak is almost certain and very likely. */
enum { MP_ALMOST_CERTAIN = 95, MP_VERY_LIKELY = 80 };

/* Remove the leaks that are not almost certain from the verdict on the window. Call this before
 * other functions use the verdict. While a recording grows, it is judged again and again. A cache
 * that is filling looks like a leak, so one of many early judgements would be wrong. */
void mp_window_keep_certain_leaks(mp_window *window);

/* Return the leaking bytes of a generation. */
static inline int64_t mp_verdict_bytes(const mp_window *window, const mp_leak_verdict *verdict,
                                       uint32_t generation)
{
    const mp_balance *balance = &mp_window_balances(window)[generation];
    return verdict->generations[generation] ? balance->end.bytes - balance->from_bytes : 0;
}
/* Return the leaking objects of a generation. */
static inline int64_t mp_verdict_objects(const mp_window *window, const mp_leak_verdict *verdict,
                                         uint32_t generation)
{
    const mp_balance *balance = &mp_window_balances(window)[generation];
    return verdict->generations[generation] ? mp_cost_live(balance->end) - balance->from_objects
                                            : 0;
}
/* Return the leaking bytes of each group, by index. Release with free(). */
int64_t *mp_verdict_of_groups(const mp_window *window, const mp_grouping *grouping);

/* Return the verdict on each group of sites (for dumps, of types), by index. NULL: not judged,
 * because its objects are accepted, or kept by the runtime for reuse. Release with free(). */
const mp_site_verdict **mp_verdicts_of_sites(const mp_window *window, const mp_grouping *sites);

/* Return true if the window is too short to find leaks: objects were created or grew, but no
 * session has MP_VERDICT_MOMENTS moments; or there are fewer than three dumps. */
bool mp_verdict_is_unknown(const mp_window *window);
/* Return the reason why mp_verdict_is_unknown is true. The text belongs to the arena. */
const char *mp_verdict_refusal(mp_arena *arena, const mp_window *window);
/* Return a text about a session that cannot be judged although others can. It has only one snapshot
 * or, if `steady`, too few moments. NULL: there is no such session. The text belongs to the
 * arena. */
const char *mp_verdict_part_text(mp_arena *arena, const mp_window *window, bool steady);
