#include "query/window.h"

#include <stdlib.h>

/* Return true if any session has no end at or before `to` or, with `later`, no end in the whole
 * recording. */
static bool has_no_end(const mp_window *window, bool later)
{
    const mp_model *model = window->model;
    bool runs = false, *ended = mp_alloc_zero(model->sessions.count + 1, sizeof *ended);
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        mp_string_id tag = model->snapshots.items[i].tag;
        if (later || mp_window_before_to(window, (mp_snapshot_id){i}))
            ended[model->snapshots.items[i].session.i] |=
                mp_model_is_clean_up(model, tag) || mp_model_is_exit(model, tag);
    }
    for (uint32_t i = 1; i < model->sessions.count && model->holds & MP_HOLDS_RUNTIME; i++)
        runs |= window->ranges[i].to.i && !ended[i];
    free(ended);
    return runs;
}

bool mp_window_still_runs(const mp_window *window)
{
    return has_no_end(window, false);
}

/* Return, for each session, the last snapshot up to which its program can have deleted objects.
 * Later deletions are made by the runtime at its end. */
static uint32_t *ends_of_program(const mp_model *model)
{
    uint32_t *ends = mp_alloc_zero(model->sessions.count + 1, sizeof *ends);
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        uint32_t *end = &ends[model->snapshots.items[i].session.i];
        bool cleaned = mp_model_is_clean_up(model, model->snapshots.items[*end].tag);
        if (mp_model_is_clean_up(model, model->snapshots.items[i].tag) ||
            (!cleaned && !mp_model_is_exit(model, model->snapshots.items[i].tag)))
            *end = i;
    }
    return ends;
}

mp_in_use mp_window_in_use(const mp_window *window)
{
    const mp_model *model = window->model;
    if (has_no_end(window, false))
        return has_no_end(window, true) ? MP_IN_USE_RUNNING : MP_IN_USE_EARLY;
    if (!model->events)
        return MP_IN_USE_NOT;
    uint32_t *ends = ends_of_program(model);
    mp_in_use in_use = MP_IN_USE_LOG;
    for (uint32_t i = 1; i < model->sessions.count; i++)
        if (window->ranges[i].to.i && window->ranges[i].to.i < ends[i])
            in_use = MP_IN_USE_EARLY_LOG;
    free(ends);
    return in_use;
}

int64_t mp_window_deleted_later(const mp_window *window)
{
    const mp_model *model = window->model;
    uint32_t *ends = ends_of_program(model);
    int64_t objects = 0;
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        const mp_generation *state = &model->generations.items[delta->generation.i];
        if (delta->cost.deleted && !state->reusable &&
            !mp_window_before_to(window, delta->snapshot) &&
            delta->snapshot.i <= ends[model->snapshots.items[delta->snapshot.i].session.i] &&
            mp_window_before_to(window, state->born) &&
            mp_window_leaks(window, state->context, state->born) &&
            mp_filter_has_generation(window->filter, delta->generation))
            objects += delta->cost.deleted;
    }
    free(ends);
    return objects;
}

bool mp_window_ends_late(const mp_window *window)
{
    const mp_model *model = window->model;
    bool late = false;
    uint32_t *cleaned = mp_alloc_zero(model->sessions.count + 1, sizeof *cleaned);
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        if (mp_model_is_clean_up(model, model->snapshots.items[i].tag))
            cleaned[model->snapshots.items[i].session.i] = i;
    for (uint32_t i = 1; i < model->sessions.count; i++) {
        uint32_t target = window->ranges[i].to.i;
        late |= target && ((cleaned[i] && target > cleaned[i]) ||
                           mp_model_is_exit(model, model->snapshots.items[target].tag));
    }
    free(cleaned);
    return late;
}

bool mp_window_has_span(const mp_window *window)
{
    for (uint32_t i = 1; i < window->model->sessions.count; i++)
        if (window->ranges[i].from.i != window->ranges[i].to.i)
            return true;
    return false;
}

bool mp_window_is_one(const mp_window *window)
{
    return !mp_window_has_span(window) && !window->ranges[1].all_new &&
           window->model->holds & MP_HOLDS_HISTORY;
}

uint32_t mp_window_lone_session(const mp_window *window)
{
    const mp_model *model = window->model;
    for (uint32_t i = 1;
         model->holds & MP_HOLDS_RUNTIME && mp_window_has_span(window) && i < model->sessions.count;
         i++) {
        const mp_range *range = &window->ranges[i];
        if (range->to.i && !range->all_new && range->from.i == range->to.i)
            return i;
    }
    return 0;
}

/* Compare ids: snapshots of a session are numbered in order of time. */
bool mp_window_before_from(const mp_window *window, mp_snapshot_id snapshot)
{
    return snapshot.i <=
           window->ranges[window->model->snapshots.items[snapshot.i].session.i].from.i;
}

bool mp_window_before_to(const mp_window *window, mp_snapshot_id snapshot)
{
    return snapshot.i <= window->ranges[window->model->snapshots.items[snapshot.i].session.i].to.i;
}

bool mp_window_accepts(const mp_window *window, mp_context_id context)
{
    return window->suppressed && window->suppressed->contexts[context.i];
}

static bool is_new(const mp_window *window, mp_snapshot_id born)
{
    return !mp_window_before_from(window, born) ||
           window->ranges[window->model->snapshots.items[born.i].session.i].all_new;
}

bool mp_window_leaks(const mp_window *window, mp_context_id context, mp_snapshot_id born)
{
    return is_new(window, born) && !mp_window_accepts(window, context);
}

bool mp_window_is_accepted(const mp_window *window, mp_context_id context, mp_snapshot_id born)
{
    return mp_window_accepts(window, context) && is_new(window, born);
}

/* --- figures --- */

int64_t mp_window_held_bytes(const mp_window *window, uint32_t generation)
{
    const mp_generation *state = &window->model->generations.items[generation];
    bool accepted = mp_window_is_accepted(window, state->context, state->born);
    return accepted ? 0 : mp_window_balances(window)[generation].end.bytes;
}
