/* A filter: what of a model is looked at.
 *
 * The model is complete and never changes. What is asked of it is asked through a filter, which
 * tells what counts: objects of which contexts, born at which snapshots; which types of a graph;
 * which modules of a profile; and up to which snapshot of a session (FILE@SNAPSHOT), later ones
 * being not whole to whoever asks. The snapshots' own figures are those of what counts. */
#ifndef MP_QUERY_FILTER_H
#define MP_QUERY_FILTER_H

#include <assert.h>

#include "base/error.h"
#include "memprof/diagnostics.h"
#include "model/events.h"
#include "model/graph.h"
#include "model/model.h"
#include "query/selection.h"

/* The whole snapshots of each session in the order of time: those of session s are at[first[s]] to
 * at[first[s + 1] - 1]. */
typedef struct mp_session_snapshots {
    uint32_t *snapshots, *first;
} mp_session_snapshots;

typedef struct mp_filter {
    const mp_model *model;
    unsigned holds;         /* MP_HOLDS_...: what is left of the model's */
    const mp_graph *graph;  /* the model's; NULL: it has none, or of a later snapshot */
    mp_snapshot *snapshots; /* by id: the model's, `whole` and figures of what counts */
    mp_session_snapshots sessions;
    bool selects; /* anything is left out but later snapshots */
    /* By id, whether it counts; NULL: all do. Births are snapshots at which objects first appear:
     * in their request, or before it began. */
    bool *contexts, *births, *births_between, *generations, *types, *modules, *entities;
    /* By module of a profile: true if it belongs to the profiler and is left out. NULL: none is. */
    bool *profiler;
    bool knows_peak;      /* objects alive at the peak are known; see mp_filter_at_peak */
    int64_t peak_time_us; /* time of an event log's peak, up to the last snapshot */
} mp_filter;

/* The whole model but the profiler's own code, up to the snapshots that were named with its files,
 * and of that what is selected (NULL: all). The model must outlive it; release with mp_filter_free.
 * NULL with a message where recordings of this kind have no such subject. */
mp_filter *mp_filter_of(const mp_model *model, const mp_selection *selection, mp_error *error);
void mp_filter_free(mp_filter *filter);

/* Check that the snapshots named with files exist. False with a diagnostic for each that does
 * not exist, or that precedes a requested moment: such a session has no complete snapshots. */
bool mp_filter_check_ends(const mp_model *model, mp_diagnostics *diagnostics);

static inline bool mp_filter_has_context(const mp_filter *filter, mp_context_id context)
{
    return !filter->contexts || filter->contexts[context.i];
}

static inline bool mp_filter_has_generation(const mp_filter *filter, mp_generation_id generation)
{
    return !filter->generations || filter->generations[generation.i];
}

static inline bool mp_filter_has_type(const mp_filter *filter, uint32_t type)
{
    return !filter->types || filter->types[type];
}

static inline bool mp_filter_has_module(const mp_filter *filter, uint32_t module)
{
    return !filter->modules || filter->modules[module];
}

/* An entity of the coverage. */
static inline bool mp_filter_has_entity(const mp_filter *filter, uint32_t entity)
{
    return !filter->entities || filter->entities[entity];
}

/* How many whole snapshots a session has. */
static inline uint32_t mp_filter_snapshots(const mp_filter *filter, uint32_t session)
{
    assert(filter->sessions.first);
    return filter->sessions.first[session + 1] - filter->sessions.first[session];
}

/* Return the amount of a generation that was alive at the peak of all bytes; nothing if it is
 * unknown. */
mp_peak_share mp_filter_at_peak(const mp_filter *filter, mp_generation_id generation);

/* The session's snapshot with the most bytes alive, of equal ones the first; 0: it has none. */
uint32_t mp_filter_peak(const mp_filter *filter, uint32_t session);

/* Return true if a snapshot was named with the session's file, at which the session ends. */
static inline bool mp_filter_is_cut(const mp_filter *filter, uint32_t session)
{
    return filter->model->sessions.items[session].snapshot.i != 0;
}

/* The snapshot of a session that a user means: its sequence number, its tag (the first of that
 * name; or tag#k, the k-th), "first", "last", "peak" (most bytes alive). None: there is none, or
 * the session has no whole snapshots. */
mp_snapshot_id mp_filter_moment(const mp_filter *filter, uint32_t session, const char *text);
extern const char mp_expected_moment[];

#endif
