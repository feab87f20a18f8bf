/* Creation of windows, and their cached results. */
#include "query/window_cache.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- start and end --- */

static mp_snapshot_id default_to(const mp_filter *filter, uint32_t session)
{
    const mp_session_snapshots *state = &filter->sessions;
    uint32_t first = state->first[session], end = state->first[session + 1];
    for (uint32_t i = first; i < end; i++)
        if (filter->snapshots[state->snapshots[i]].asked)
            return (mp_snapshot_id){state->snapshots[i]};
    bool cut = mp_filter_is_cut(filter, session);
    for (uint32_t i = end; !cut && i-- > first;)
        if (mp_model_is_clean_up(filter->model, filter->snapshots[state->snapshots[i]].tag))
            return (mp_snapshot_id){state->snapshots[i]};
    mp_string_id last = filter->snapshots[state->snapshots[end - 1]].tag;
    bool before = !cut && end - first > 1 && mp_model_is_exit(filter->model, last);
    return (mp_snapshot_id){state->snapshots[end - 1 - before]};
}

static bool missing(const mp_model *model, uint32_t session, const char *argument, const char *text,
                    mp_error *error)
{
    const char *id = mp_model_text(model, model->sessions.items[session].session_id);
    return mp_fail_argument(error, argument, NULL, "no snapshot \"%s\" in session %s, %s", text,
                            *id ? id : "of the recording", mp_expected_moment);
}

/* Find the two snapshots in one session. Return false with an error. */
static bool resolve_session(const mp_filter *filter, uint32_t session, const char *from,
                            const char *to, mp_range *range, mp_error *error)
{
    const mp_model *model = filter->model;
    range->from = mp_filter_moment(filter, session, from ? from : "first");
    range->to = to ? mp_filter_moment(filter, session, to) : default_to(filter, session);
    range->all_new = !from && !(model->holds & MP_HOLDS_BIRTHS) &&
                     model->holds & MP_HOLDS_HISTORY && mp_filter_snapshots(filter, session) == 1 &&
                     !mp_filter_is_cut(filter, session);
    if (!range->from.i)
        return missing(model, session, "from", from, error);
    if (!range->to.i)
        return missing(model, session, "to", to, error);
    return range->from.i <= range->to.i ||
           mp_fail(error, MP_ERROR_ARGUMENT,
                   MP_DASHES "from is snapshot %" PRIu64 ", which is later than " MP_DASHES
                             "to, snapshot %" PRIu64,
                   filter->snapshots[range->from.i].sequence,
                   filter->snapshots[range->to.i].sequence);
}

bool mp_window_of(const mp_filter *filter, const char *from, const char *to, mp_window *window,
                  mp_error *error)
{
    const mp_model *model = filter->model;
    bool ok = true;
    *window = (mp_window){.model = model,
                          .filter = filter,
                          .ranges = mp_alloc_zero(model->sessions.count, sizeof(mp_range)),
                          .cache = mp_alloc_zero(1, sizeof(mp_window_cache))};
    for (uint32_t session = 1; ok && session < model->sessions.count; session++)
        if (mp_filter_snapshots(filter, session))
            ok = resolve_session(filter, session, from, to, &window->ranges[session], error);
    if (!ok)
        mp_window_free(window);
    return ok;
}

bool mp_window_resolve(const mp_model *model, const char *from, const char *to, mp_window *window,
                       mp_error *error)
{
    mp_filter *filter = mp_filter_of(model, NULL, error);
    bool ok = mp_window_of(filter, from, to, window, error);
    if (ok)
        window->own_filter = filter;
    else
        mp_filter_free(filter);
    return ok;
}

void mp_window_cache_clear(mp_window_cache *cache)
{
    mp_beside_end(&cache->ahead);
    free(cache->totals);
    cache->totals = NULL;
    for (size_t i = 0; i < MP_MOST_DIMENSIONS; i++)
        mp_grouping_free(&cache->groupings[i]);
    mp_leaks_free(cache->leaks);
    cache->leaks = NULL;
    mp_verdict_free(cache->verdict);
    cache->verdict = NULL;
}

void mp_window_free(mp_window *window)
{
    if (window->cache) {
        mp_window_cache_clear(window->cache);
        free(window->cache->balances);
    }
    free(window->cache);
    if (window->suppressed) {
        free(window->suppressed->effects);
        free(window->suppressed->contexts);
    }
    free(window->suppressed);
    free(window->ranges);
    mp_filter_free(window->own_filter);
    *window = (mp_window){0};
}

/* --- figures --- */

const mp_balance *mp_window_balances(const mp_window *window)
{
    const mp_model *model = window->model;
    if (window->cache->balances)
        return window->cache->balances;
    mp_balance *balances = mp_alloc_zero(model->generations.count, sizeof *balances);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        if (model->generations.items[delta->generation.i].reusable ||
            !mp_filter_has_generation(window->filter, delta->generation) ||
            !mp_window_before_to(window, delta->snapshot))
            continue;
        mp_balance *balance = &balances[delta->generation.i];
        balance->end = mp_cost_add(balance->end, delta->cost);
        if (mp_window_before_from(window, delta->snapshot)) {
            balance->from_objects += mp_cost_live(delta->cost);
            balance->from_bytes += delta->cost.bytes;
        }
    }
    return window->cache->balances = balances;
}
