/* Windows: two snapshots of each session, and the figures of the objects in between.
 *
 * Figures are computed from the ledger of a complete model (see model.h), for the objects that a
 * filter includes. Objects that the runtime keeps for reuse are excluded, except in the fields of
 * the
 * totals about them. Results are cached: everything returned as const belongs to the window and
 * lives
 * as long as it does. */
#pragma once

#include "base/error.h"
#include "model/model.h"
#include "query/filter.h"

/* Two snapshots of one session; both are 0 if the session has no complete snapshot. */
typedef struct mp_range {
    mp_snapshot_id from, to;
    bool all_new; /* all objects count as created in the window, as in a database with one moment */
} mp_range;

struct mp_suppressions;

typedef enum mp_suppression_status {
    MP_SUPPRESSION_UNUSED, /* matches no leak, or only leaks that an earlier suppression matched */
    MP_SUPPRESSION_USED,
    MP_SUPPRESSION_EXPIRED,    /* too old, so it suppresses nothing */
    MP_SUPPRESSION_OVER_LIMIT, /* matches more leaks than its limit, so it suppresses nothing */
} mp_suppression_status;

/* Leaks that a suppression matches and that no earlier suppression matched. They are counted even
 * if it does not suppress them. */
typedef struct mp_suppression_effect {
    mp_suppression_status status;
    uint32_t sites; /* number of sites; a site may also have other leaks */
    int64_t objects, bytes;
} mp_suppression_effect;

typedef struct mp_suppressed {
    const struct mp_suppressions *suppressions;
    mp_suppression_effect *effects; /* effect of each suppression */
    bool *contexts;                 /* flag of each context: true if its leaks are suppressed */
    int64_t objects, bytes;         /* suppressed leaks, which do not count as left behind */
} mp_suppressed;

/* A window: one range per session, by session id. */
typedef struct mp_window {
    const mp_model *model;
    const mp_filter *filter;
    mp_filter *own_filter; /* `filter` if the window created it; else NULL */
    mp_range *ranges;
    struct mp_suppressed *suppressed; /* accepted leaks, see suppression.h; NULL: none */
    struct mp_window_cache *cache;
} mp_window;

/* Create a window from the snapshots that a user names (see mp_filter_moment), for each session
 * that has any. If `from` is NULL, it is the first snapshot. If `to` is NULL, it is the first of
 * these that exists: the snapshot named with the file (FILE@SNAPSHOT), a moment that the user
 * requested, the last _PreCleanUp, the snapshot before _Exit, the last snapshot. Return false with
 * an error if a named snapshot does not exist, or `from` is later than `to`. Otherwise release the
 * window with mp_window_free before the filter is released. */
bool mp_window_of(const mp_filter *filter, const char *from, const char *to, mp_window *window,
                  mp_error *error);
/* Create a window in the same way for a whole model. */
bool mp_window_resolve(const mp_model *model, const char *from, const char *to, mp_window *window,
                       mp_error *error);
void mp_window_free(mp_window *window);

/* Return true if `from` and `to` differ in any session. */
bool mp_window_has_span(const mp_window *window);
/* Return true if each session has one snapshot only, which cannot show leaks or growth. Two kinds
 * are exceptions, for which this returns false: databases with one moment, because all their
 * objects may leak, and dumps, which do not record leaks. */
bool mp_window_is_one(const mp_window *window);
/* Return the first session with only one snapshot in the window, if others have more; 0: none. */
uint32_t mp_window_lone_session(const mp_window *window);
#define MP_ONE_SNAPSHOT "one snapshot cannot show growth"
/* Reason why limits in bytes are not judged by a model that MP_HOLDS_UNSIZED. */
#define MP_NO_SIZES                                                                                \
    "the sizes of most objects are not recorded, so bytes limit nothing; "                         \
    "use a rule about objects, such as \"leaked objects <= 0\""
/* Return true if a session's process had not ended at `to`, according to the tags _PreCleanUp and
 * _Exit of a memory recording. Objects in use then count as left behind. */
bool mp_window_still_runs(const mp_window *window);
/* Reason why objects in use at `to` count as left behind. */
typedef enum mp_in_use {
    MP_IN_USE_NOT,
    MP_IN_USE_RUNNING,   /* the recording ends before its process does */
    MP_IN_USE_EARLY,     /* the window ends before the clean-up in the recording */
    MP_IN_USE_EARLY_LOG, /* the window ends before the event log does */
    MP_IN_USE_LOG,       /* an event log does not record whether it ends with the program */
} mp_in_use;
mp_in_use mp_window_in_use(const mp_window *window);
#define MP_IN_USE "objects in use count as left behind"
/* Return the number of leaked objects that were deleted after `to` but before the clean-up; 0 if
 * the recording does not show that. */
int64_t mp_window_deleted_later(const mp_window *window);
/* Return true if the `to` of a session is after its clean-up. Leaked objects are gone by then. */
bool mp_window_ends_late(const mp_window *window);
#define MP_ENDS_LATE "ends after the runtime's clean-up, which freed the leaks"
/* Return true if a snapshot is at or before the window's `from` (mp_window_before_from), or at or
 * before its `to` (mp_window_before_to). */
bool mp_window_before_from(const mp_window *window, mp_snapshot_id snapshot);
bool mp_window_before_to(const mp_window *window, mp_snapshot_id snapshot);
/* Return true if objects of this context, born at this snapshot, leak if they are alive at `to`:
 * they were created after `from` and are not suppressed. */
bool mp_window_leaks(const mp_window *window, mp_context_id context, mp_snapshot_id born);
/* Return true if leaks of this context are accepted. */
bool mp_window_accepts(const mp_window *window, mp_context_id context);

/* Return true if objects of this context and generation are accepted: they would leak if they were
 * not suppressed. Limits on live objects do not count them. */
bool mp_window_is_accepted(const mp_window *window, mp_context_id context, mp_snapshot_id born);

/* Return the figures of a snapshot, for the objects that the filter includes. */
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
 * leaks and trees share this single pass over the ledger. */
const mp_balance *mp_window_balances(const mp_window *window);
/* Return the bytes of a generation at `to`, without accepted leaks. */
int64_t mp_window_held_bytes(const mp_window *window, uint32_t generation);
/* Return the bytes of all generations at `to`, without accepted leaks. */
int64_t mp_window_held(const mp_window *window);

typedef struct mp_totals {
    int64_t live_objects, live_bytes; /* alive at `to` */
    int64_t created_objects, created_bytes, deleted_objects;
    int64_t peak_objects, peak_bytes; /* peak, as in mp_peak */
    bool peak_of_one;                 /* as in mp_peak */
    bool has_stated_peak; /* the file states the peak of all objects up to `to`, and the selection
                             excludes no object */
    int64_t stated_peak_objects; /* stated maximum of live objects */
    int64_t reusable_objects, reusable_bytes;
    int64_t from_objects, from_bytes; /* alive at `from` */
    bool has_reusable;                /* the format distinguishes reusable objects */
    /* Number of live objects that ceased to be reusable, minus the number of live objects that
     * became reusable. live = created - deleted + retyped. */
    int64_t retyped_objects;
    int64_t leaked_objects, leaked_bytes; /* created after `from`, alive at `to` */
    int64_t temporary_objects,
        temporary_bytes; /* deleted objects that lived only briefly; event logs only */
} mp_totals;

/* Return the totals of all sessions together. */
mp_totals mp_totals_of(const mp_window *window);
