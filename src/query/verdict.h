/* Verdicts: which allocation sites leak, and what the others do.
 *
 * One definition for every answer: the first lines of a report, the order of leaks, trends, limits,
 * rules and comparisons. docs/verdict.md explains it, with its sources and how often it is right.
 */
#ifndef MP_QUERY_VERDICT_H
#define MP_QUERY_VERDICT_H

#include "query/site_kind.h"

/* Verdict on a site, or on a type of dumps. */
typedef struct mp_site_verdict {
    mp_site_kind kind;
    uint8_t confidence; /* percent */
    uint32_t session;   /* in which most of it leaks; else the last in which it was seen */
    uint32_t example;   /* a generation of the site, of that session */
    int64_t bytes;      /* that leak, in all sessions */
    int64_t objects;
    int64_t session_bytes; /* largest part of `bytes` in one session */
} mp_site_verdict;

/* Return the bytes that leak at a site; 0: it does not leak. */
static inline int64_t mp_site_leaking_bytes(const mp_site_verdict *site)
{
    return mp_site_kind_leaks(site->kind) ? site->bytes : 0;
}

typedef struct mp_leak_verdict {
    const uint32_t *site_of; /* by generation, the place in `sites`; 0: it does not count */
    mp_site_verdict *sites;  /* from 1 */
    uint32_t site_count;
    bool *generations;    /* by generation: its growth from `from` to `to` is part of a leak */
    int64_t bytes;        /* that leak */
    uint32_t moments;     /* number of moments of the session that has most */
    uint32_t *of_session; /* moments, by session */
    bool created;         /* anything was created behind `from` */
    void *private;
} mp_leak_verdict;

/* Judge each site of the window, once. Accepted leaks do not count. Dumps tell no births: there a
 * type leaks if its bytes grew from each dump to the next. */
const mp_leak_verdict *mp_window_verdict(const mp_window *window);

/* Return the bytes that a generation adds to what leaks. */
static inline int64_t mp_verdict_bytes(const mp_window *window, const mp_leak_verdict *verdict,
                                       uint32_t generation)
{
    const mp_balance *balance = &mp_window_balances(window)[generation];
    return verdict->generations[generation] ? balance->end.bytes - balance->from_bytes : 0;
}
/* Return what each group adds, by place. Release with free(). */
int64_t *mp_verdict_of_groups(const mp_window *window, const mp_grouping *grouping);

/* Return the verdict on each group of sites, by place (of dumps, of types); NULL: it is accepted or
 * kept for reuse, and is not judged. Release with free(). */
const mp_site_verdict **mp_verdicts_of_sites(const mp_window *window, const mp_grouping *sites);

/* Return whether the window is too short to tell what leaks: something was created, but no session
 * has MP_VERDICT_MOMENTS; of dumps, there are fewer than three. */
bool mp_verdict_is_unknown(const mp_window *window);
/* Say why. In the arena. */
const char *mp_verdict_refusal(mp_arena *arena, const mp_window *window);
/* Say which session cannot be judged while others can: it has one snapshot, or, where `steady`, too
 * few to tell what leaks. In the arena; NULL: there is none. */
const char *mp_verdict_part_text(mp_arena *arena, const mp_window *window, bool steady);

#endif
