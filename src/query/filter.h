/* Filters: the part of a model that a query is about.
 *
 * A model is complete and never changes. A filter determines which parts of it count: the contexts
 * and the snapshots of creation of the objects, the types of a graph, the modules of a profile, and
 * the last snapshot of a session (FILE@SNAPSHOT). Later snapshots are marked as not whole. The
 * figures of the snapshots in a filter include only what counts. */
#pragma once

#include <assert.h>

#include "base/error.h"
#include "memprof/diagnostics.h"
#include "model/events.h"
#include "model/graph.h"
#include "model/model.h"
#include "query/selection.h"

/* Complete snapshots of each session, in order of time: those of session s are snapshots[first[s]]
 * to snapshots[first[s + 1] - 1]. */
typedef struct mp_session_snapshots {
    uint32_t *snapshots, *first;
} mp_session_snapshots;

typedef struct mp_filter {
    const mp_model *model;
    unsigned holds; /* remaining capabilities of the model: MP_HOLDS_... */
    /* Graph of the model; NULL: none, or it belongs to an excluded snapshot. */
    const mp_graph *graph;
    mp_snapshot *snapshots; /* snapshots by id; `whole` and the figures are those of the filter */
    mp_session_snapshots sessions;
    mp_session_snapshots listed; /* also snapshots of which only the total is known */
    bool selects;                /* something besides later snapshots is excluded */
    mp_unmatched unmatched;      /* patterns of the selection that nothing in the model matches */
    /* Flags by id: true if the thing with this id is included; NULL: all are. The flags `births`
     * and `births_between` are those of snapshots. They tell if the objects that first appear in a
     * snapshot are included: `births` for objects that the snapshot's request created,
     * `births_between` for objects that were created before it began. */
    bool *contexts, *births, *births_between, *generations, *types, *modules, *entities;
    /* Flags by module of a profile: true if it belongs to the profiler and is excluded; NULL:
     * none. */
    bool *profiler;
    bool knows_peak; /* the objects alive at the peak are known; see mp_filter_at_peak */
    /* Time of the peak of an event log up to the last snapshot, microseconds. */
    int64_t peak_time_us;
} mp_filter;

/* Create a filter for a selection (NULL: everything). It excludes the profiler's own code, and
 * snapshots after the one named with a file (FILE@SNAPSHOT). The model must outlive the filter;
 * release it with mp_filter_free. Return NULL with an error if recordings of this kind lack a
 * subject of the selection. */
mp_filter *mp_filter_of(const mp_model *model, const mp_selection *selection, mp_error *error);
void mp_filter_free(mp_filter *filter);

/* Check that the snapshots named with files exist. Report a diagnostic for each that does not
 * exist, or that precedes a moment that the user requested; its session then has no complete
 * snapshots. Return false if any was reported. */
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

/* Return true if an entity of the coverage counts. */
static inline bool mp_filter_has_entity(const mp_filter *filter, uint32_t entity)
{
    return !filter->entities || filter->entities[entity];
}

/* Return the number of complete snapshots of a session. */
static inline uint32_t mp_filter_snapshots(const mp_filter *filter, uint32_t session)
{
    assert(filter->sessions.first);
    return filter->sessions.first[session + 1] - filter->sessions.first[session];
}

/* Return the number of snapshots of a session, including those of which only the total is known. */
static inline uint32_t mp_filter_listed(const mp_filter *filter, uint32_t session)
{
    assert(filter->listed.first);
    return filter->listed.first[session + 1] - filter->listed.first[session];
}

/* Return the part of a generation that was alive at the peak of all bytes; 0 if unknown. */
mp_peak_share mp_filter_at_peak(const mp_filter *filter, mp_generation_id generation);

/* Return the snapshot of a session with most live bytes, the first of equal ones; 0: no
 * snapshot. */
uint32_t mp_filter_peak(const mp_filter *filter, uint32_t session);

/* Return true if the session ends at a snapshot that was named with its file. */
static inline bool mp_filter_is_cut(const mp_filter *filter, uint32_t session)
{
    return filter->model->sessions.items[session].snapshot.i != 0;
}

/* Return the snapshot of a session that the user's text denotes: a sequence number, a tag (the
 * first snapshot with it; tag#k: the k-th), "first", "last" or "peak" (most live bytes). Return 0
 * if there is none. */
mp_snapshot_id mp_filter_moment(const mp_filter *filter, uint32_t session, const char *text);
extern const char mp_expected_moment[];
