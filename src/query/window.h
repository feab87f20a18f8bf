/* Windows: from one snapshot of a session to another, and what is known of the objects in between.
 *
 * All is arithmetic on the ledger of a complete model (see model.h), of what a filter lets count.
 * Objects that the runtime keeps for reuse are left out of everything but the totals' own fields
 * for them. A window remembers what it has worked out: whatever it hands out as const is its own
 * and lives as long as it does. */
#ifndef MP_QUERY_WINDOW_H
#define MP_QUERY_WINDOW_H

#include "base/error.h"
#include "model/model.h"
#include "query/filter.h"

/* From one snapshot to another of one session; none where the session has no whole snapshot. */
typedef struct mp_range {
    mp_snapshot_id from, to;
    bool all_new; /* a database with one moment alone: nothing tells what is older */
} mp_range;

struct mp_suppressions;

typedef enum mp_suppression_status {
    MP_SUPPRESSION_UNUSED, /* matches no leak, or none that an earlier one leaves */
    MP_SUPPRESSION_USED,
    MP_SUPPRESSION_EXPIRED,    /* suppresses nothing any more */
    MP_SUPPRESSION_OVER_LIMIT, /* suppresses nothing, as its leaks became too many */
} mp_suppression_status;

/* The leaks that a suppression matches and no earlier one suppresses, whether it suppresses them
 * or not. */
typedef struct mp_suppression_effect {
    mp_suppression_status status;
    uint32_t sites; /* a site may be in several suppressions, and leak besides */
    int64_t objects, bytes;
} mp_suppression_effect;

typedef struct mp_suppressed {
    const struct mp_suppressions *suppressions;
    mp_suppression_effect *effects; /* one for each of them */
    bool *contexts;                 /* by context: suppressed */
    int64_t objects, bytes;         /* that are; no part of what leaked */
} mp_suppressed;

/* One range for each session, by session id. */
typedef struct mp_window {
    const mp_model *model;
    const mp_filter *filter;
    mp_filter *own_filter; /* the same, where the window made it */
    mp_range *ranges;
    struct mp_suppressed *suppressed; /* leaks that are accepted; NULL: none, see suppression.h */
    struct mp_window_cache *cache;
} mp_window;

/* Find the snapshots that a user names (see mp_filter_moment) in each session that has any. If
 * `from` is NULL, the first. If `to` is NULL, the one named with the file (FILE@SNAPSHOT), else a
 * moment that was asked for, else the last _PreCleanUp, else the one before _Exit, else the last.
 * False with a message in `error` if there is no such snapshot or `from` is later than `to`; else
 * release with mp_window_free, before the filter. */
bool mp_window_of(const mp_filter *filter, const char *from, const char *to, mp_window *window,
                  mp_error *error);
/* The same of a whole model. */
bool mp_window_resolve(const mp_model *model, const char *from, const char *to, mp_window *window,
                       mp_error *error);
void mp_window_free(mp_window *window);

/* Return true if `from` and `to` differ in any session. */
bool mp_window_has_span(const mp_window *window);
/* Return whether each session has one snapshot, which cannot tell what leaked or grew. A database
 * of one moment can: all of it may leak. Dumps tell no leaks. */
bool mp_window_is_one(const mp_window *window);
/* Return the first session of which the window has one snapshot, where others have more; 0: none.
 */
uint32_t mp_window_lone_session(const mp_window *window);
#define MP_ONE_SNAPSHOT "one snapshot cannot show growth"
/* Return true if a session's process had not ended at `to`, by the tags _PreCleanUp and _Exit of
 * a memory recording: objects in use then count as leaked. */
bool mp_window_still_runs(const mp_window *window);
/* Why what is in use at `to` counts as leaked. */
typedef enum mp_in_use {
    MP_IN_USE_NOT,
    MP_IN_USE_RUNNING,   /* the recording ends before its process does */
    MP_IN_USE_EARLY,     /* the window ends before the clean-up, which the recording has */
    MP_IN_USE_EARLY_LOG, /* it ends before the log of events does */
    MP_IN_USE_LOG,       /* nothing tells whether a log ends with its program */
} mp_in_use;
mp_in_use mp_window_in_use(const mp_window *window);
#define MP_IN_USE "objects in use count as leaked"
/* Objects that leak and are deleted behind `to`, before the clean-up; 0 where nothing tells. */
int64_t mp_window_deleted_later(const mp_window *window);
/* Return true if a session's `to` is after its clean-up, when leaked objects are gone. */
bool mp_window_ends_late(const mp_window *window);
#define MP_ENDS_LATE "ends after the runtime's clean-up, which freed the leaks"
/* Return true if a snapshot is at or before the window's `from`, or `to`. */
bool mp_window_before_from(const mp_window *window, mp_snapshot_id snapshot);
bool mp_window_before_to(const mp_window *window, mp_snapshot_id snapshot);
/* Return true if objects of this context, born at this snapshot, leak if they are alive at `to`:
 * they are younger than `from` and not suppressed. */
bool mp_window_leaks(const mp_window *window, mp_context_id context, mp_snapshot_id born);
/* Return true if leaks of this context are accepted. */
bool mp_window_accepts(const mp_window *window, mp_context_id context);

/* Return true if objects of this context and generation are accepted: they would leak if they
 * were not suppressed. Limits on live objects leave them out. */
bool mp_window_is_accepted(const mp_window *window, mp_context_id context, mp_snapshot_id born);

/* The figures of a snapshot, of what counts. */
static inline const mp_snapshot *mp_window_snapshot(const mp_window *window, uint32_t snapshot)
{
    return &window->filter->snapshots[snapshot];
}

/* Figures of a generation: everything up to `end`, and the part that was alive at `from`. */
typedef struct mp_balance {
    mp_cost end;
    int64_t from_objects, from_bytes;
} mp_balance;

/* Return the balance of each generation; zero for generations that do not count. Totals, groups,
 * leaks and trees share this one pass over the ledger. */
const mp_balance *mp_window_balances(const mp_window *window);
/* The bytes of a generation at `to`, without what is accepted. */
int64_t mp_window_held_bytes(const mp_window *window, uint32_t generation);
/* Return the sum over all generations. */
int64_t mp_window_held(const mp_window *window);

typedef struct mp_totals {
    int64_t live_objects, live_bytes; /* at `to` */
    int64_t created_objects, created_bytes, deleted_objects;
    int64_t peak_objects, peak_bytes; /* see mp_peak */
    bool peak_of_one;                 /* likewise */
    bool has_stated_peak;             /* the file states it of the whole, up to `to` */
    int64_t stated_peak_objects;      /* most alive at any moment */
    int64_t reusable_objects, reusable_bytes;
    int64_t from_objects, from_bytes; /* alive at `from` */
    bool has_reusable;                /* the format tells reusable objects apart */
    /* Objects that ceased to be reusable less those that became so while they lived:
     * live = created - deleted + retyped. */
    int64_t retyped_objects;
    int64_t leaked_objects, leaked_bytes;       /* created after `from`, alive at `to` */
    int64_t temporary_objects, temporary_bytes; /* part of the deleted; known only with events */
} mp_totals;

/* Return the totals of all sessions together. */
mp_totals mp_totals_of(const mp_window *window);

#endif
