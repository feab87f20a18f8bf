/* Peaks of types as databases state them; they include peaks between result sets. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "query/group.h"

/* Add the newest value that a session states. The sum is unknown (-1) if a value is unknown. */
static void add(int64_t *sum, bool first, int64_t stated)
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
        add(&peak->objects, !peak->snapshot.i, stated->objects);
        add(&peak->bytes, !peak->snapshot.i, stated->bytes);
        peak->snapshot = stated->snapshot;
    }
    /* A peak that a session does not state is unknown, not 0. */
    for (uint32_t session = 1; session < model->sessions.count; session++)
        for (uint32_t i = 0; !states[session] && i < model->types.count; i++)
            peaks[i].objects = peaks[i].bytes = -1;
    free(states);
    return peaks;
}
