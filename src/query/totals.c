/* Totals of a window. */
#include "base/memory.h"
#include "query/peak.h"
#include "query/window_cache.h"

/* Add the figures of a session at both ends of the window. */
static void add_session(const mp_window *window, uint32_t session, mp_totals *totals)
{
    const mp_model *model = window->model;
    const mp_filter *filter = window->filter;
    const mp_range *range = &window->ranges[session];
    const mp_snapshot *from = &filter->snapshots[range->from.i],
                      *to = &filter->snapshots[range->to.i];
    if (!range->to.i)
        return;
    totals->live_objects += to->live_objects;
    totals->live_bytes += to->live_bytes;
    totals->from_objects += from->live_objects;
    totals->from_bytes += from->live_bytes;
    totals->reusable_objects += to->reusable_objects;
    totals->reusable_bytes += to->reusable_bytes;
    totals->has_reusable |= model->sessions.items[session].reusable_apart;
}

/* Set the stated peak. It is known for a single session only, because peaks of several sessions
 * need not be simultaneous. */
static void set_stated_peak(const mp_window *window, mp_totals *totals)
{
    const mp_model *model = window->model;
    totals->has_stated_peak = model->holds & MP_HOLDS_RUNTIME && model->sessions.count == 2 &&
                              window->ranges[1].to.i && !window->filter->selects;
    for (uint32_t i = 1; totals->has_stated_peak && i <= window->ranges[1].to.i; i++)
        if (window->filter->snapshots[i].stated_peak_objects > totals->stated_peak_objects)
            totals->stated_peak_objects = window->filter->snapshots[i].stated_peak_objects;
}

mp_totals mp_totals_of(const mp_window *window)
{
    const mp_model *model = window->model;
    if (window->cache->totals)
        return *window->cache->totals;
    const mp_balance *balances = mp_window_balances(window);
    mp_totals *totals = mp_alloc_zero(1, sizeof *totals);
    for (uint32_t session = 1; session < model->sessions.count; session++)
        add_session(window, session, totals);
    mp_peak peak = mp_window_peak(window);
    totals->peak_objects = peak.objects;
    totals->peak_bytes = peak.bytes;
    totals->peak_of_one = peak.of_one;
    set_stated_peak(window, totals);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        const mp_cost *cost = &balances[i].end;
        totals->created_objects += cost->created;
        totals->created_bytes += cost->created_bytes;
        totals->deleted_objects += cost->deleted;
        totals->retyped_objects += cost->retyped;
        totals->temporary_objects += cost->temporary;
        totals->temporary_bytes += cost->temporary_bytes;
        if (mp_window_leaks(window, generation->context, generation->born)) {
            totals->leaked_objects += mp_cost_live(*cost);
            totals->leaked_bytes += cost->bytes;
        }
    }
    window->cache->totals = totals;
    return *totals;
}

int64_t mp_window_held(const mp_window *window)
{
    int64_t accepted = window->suppressed ? window->suppressed->bytes : 0;
    return mp_totals_of(window).live_bytes - accepted;
}
