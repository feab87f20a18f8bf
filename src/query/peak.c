#include "query/peak.h"

#include <stdlib.h>

/* Amount that a session has alive from a given time on. */
typedef struct moment {
    int64_t clock_us, objects, bytes;
    uint32_t session, snapshot;
} moment;

typedef struct moments {
    moment *items;
    size_t count, capacity;
    bool timed;     /* the start times of all sessions are known */
    size_t several; /* number of sessions with snapshots */
} moments;

static int by_clock(const void *left, const void *right)
{
    const moment *a = left, *b = right;
    int order = MP_COMPARE(a->clock_us, b->clock_us);
    return order ? order : MP_COMPARE(a->snapshot, b->snapshot);
}

static void add(moments *found, moment here)
{
    *MP_APPEND(found->items, found->count, found->capacity) = here;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Return true if the snapshot counts: it is not after `to`. In an event log all snapshots count,
 * because the recorded peak is that of the whole log, even if `to` is a moment that the user
 * requested. */
static bool counts(const mp_window *window, uint32_t session, uint32_t snapshot)
{
    return window->model->events || snapshot <= window->ranges[session].to.i;
}

/* Add the snapshots of a session; set `peak` to the session's maximum. */
static void add_session(const mp_window *window, uint32_t session, moments *found, mp_peak *peak)
{
    const mp_filter *filter = window->filter;
    int64_t start_us = window->model->sessions.items[session].start_us;
    found->timed &= start_us != 0;
    for (uint32_t k = filter->listed.first[session]; k < filter->listed.first[session + 1]; k++) {
        uint32_t i = filter->listed.snapshots[k];
        const mp_snapshot *snapshot = &filter->snapshots[i];
        if (!counts(window, session, i))
            continue;
        moment here = {start_us + snapshot->time_us,
                       snapshot->has_peak ? snapshot->peak_objects : snapshot->live_objects,
                       snapshot->has_peak ? snapshot->peak_bytes : snapshot->live_bytes, session,
                       i};
        peak->objects = most(peak->objects, here.objects);
        peak->bytes = most(peak->bytes, here.bytes);
        add(found, here);
    }
}

/* Add the ends of processes, even if the window ends earlier. A process has no memory after its
 * end. */
static void add_ends(const mp_window *window, moments *found)
{
    const mp_model *model = window->model;
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        const mp_snapshot *snapshot = &model->snapshots.items[i];
        if (mp_model_is_exit(model, snapshot->tag))
            add(found, (moment){.clock_us = model->sessions.items[snapshot->session.i].start_us +
                                            snapshot->time_us,
                                .session = snapshot->session.i,
                                .snapshot = i});
    }
}

/* Return the maximum of all sessions together, by clock time. If several sessions change at the
 * same time, only the result counts. */
static mp_peak peak_by_clock(const mp_window *window, moments *found)
{
    mp_peak peak = {0}, now = {0}, *has = mp_alloc_zero(window->model->sessions.count, sizeof *has);
    qsort(found->items, found->count, sizeof *found->items, by_clock);
    for (size_t i = 0; i < found->count; i++) {
        const moment *state = &found->items[i];
        now.objects += state->objects - has[state->session].objects;
        now.bytes += state->bytes - has[state->session].bytes;
        has[state->session] = (mp_peak){.objects = state->objects, .bytes = state->bytes};
        if (i + 1 < found->count && state[1].clock_us == state->clock_us)
            continue;
        peak.objects = most(peak.objects, now.objects);
        peak.bytes = most(peak.bytes, now.bytes);
    }
    free(has);
    return peak;
}

mp_peak mp_window_peak(const mp_window *window)
{
    moments found = {.timed = true};
    mp_peak peak = {0};
    for (uint32_t session = 1; session < window->model->sessions.count; session++) {
        mp_peak state = {0};
        if (!window->ranges[session].to.i)
            continue;
        add_session(window, session, &found, &state);
        found.several++;
        peak.objects = most(peak.objects, state.objects);
        peak.bytes = most(peak.bytes, state.bytes);
    }
    peak.of_one = found.several > 1 && !found.timed;
    if (found.several > 1 && found.timed) {
        add_ends(window, &found);
        mp_peak self = peak_by_clock(window, &found);
        peak.objects = most(peak.objects, self.objects);
        peak.bytes = most(peak.bytes, self.bytes);
    }
    free(found.items);
    return peak;
}

/* --- peaks that databases state; these include peaks between result sets --- */

/* Add the newest value that a session states. The sum is unknown (-1) if a value is unknown. */
static void add_stated(int64_t *sum, bool first, int64_t stated)
{
    if (first)
        *sum = stated;
    else
        *sum = *sum < 0 || stated < 0 ? -1 : mp_sum_capped(*sum, stated);
}

mp_type_peak *mp_stated_peaks(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_type_peak *peaks = mp_alloc(model->types.count * sizeof *peaks);
    bool *states = mp_alloc_zero(model->sessions.count, sizeof *states);
    for (uint32_t i = 0; i < model->types.count; i++)
        peaks[i] = (mp_type_peak){.objects = -1, .bytes = -1};
    for (uint32_t i = model->type_peaks.count; i-- > 1;) {
        const mp_type_peak *stated = &model->type_peaks.items[i];
        mp_type_peak *peak = &peaks[stated->type.i];
        uint32_t session = model->snapshots.items[stated->snapshot.i].session.i;
        bool newer =
            peak->snapshot.i && model->snapshots.items[peak->snapshot.i].session.i == session;
        if (newer || !mp_window_before_to(window, stated->snapshot))
            continue;
        states[session] = true;
        add_stated(&peak->objects, !peak->snapshot.i, stated->objects);
        add_stated(&peak->bytes, !peak->snapshot.i, stated->bytes);
        peak->snapshot = stated->snapshot;
    }
    /* A peak that a session does not state is unknown, not 0. */
    for (uint32_t session = 1; session < model->sessions.count; session++)
        for (uint32_t i = 0; !states[session] && i < model->types.count; i++)
            peaks[i].objects = peaks[i].bytes = -1;
    free(states);
    return peaks;
}
