#include "query/moments.h"

#include <stdlib.h>

#include "base/memory.h"

uint32_t mp_moments_session(const mp_window *window)
{
    uint32_t found = 0, sessions = 0;
    for (uint32_t i = 1; i < window->model->sessions.count; i++)
        if (mp_filter_snapshots(window->filter, i)) {
            found = i;
            sessions++;
        }
    return sessions == 1 ? found : 0;
}

uint32_t *mp_moments_of(const mp_window *window, uint32_t session, size_t most, size_t *count)
{
    const mp_session_snapshots *all = &window->filter->sessions;
    const mp_range *range = &window->ranges[session];
    const uint32_t *at = all->at + all->first[session];
    size_t there = mp_filter_snapshots(window->filter, session);
    size_t step = (there + most - 1) / most;
    uint32_t *moments = mp_alloc((there + 1) * sizeof *moments);
    *count = 0;
    for (size_t i = 0; i < there; i++)
        if (i % step == 0 || i + 1 == there || at[i] == range->from.i || at[i] == range->to.i)
            moments[(*count)++] = at[i];
    return moments;
}

/* Whether what happened counts for what is alive: as everywhere, without what is reusable. */
static bool counts(const mp_window *window, const mp_delta *delta)
{
    return !window->model->generations.at[delta->generation.i].reusable &&
           mp_filter_has_generation(window->filter, delta->generation);
}

typedef struct most_alive {
    int64_t now, most;
} most_alive;

static int by_most(const void *left, const void *right, void *opaque)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const most_alive *alive = opaque;
    if (alive[a].most != alive[b].most)
        return alive[a].most > alive[b].most ? -1 : 1;
    return a < b ? -1 : a > b;
}

uint32_t *mp_groups_by_most(const mp_window *window, const mp_grouping *grouping)
{
    const mp_model *model = window->model;
    most_alive *alive = mp_alloc_zero((size_t)grouping->count + 1, sizeof *alive);
    uint32_t *order = mp_alloc(((size_t)grouping->count + 1) * sizeof *order);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        uint32_t group = grouping->group_of[delta->generation.i];
        if (!group || !counts(window, delta))
            continue;
        alive[group - 1].now += delta->cost.bytes;
        if (alive[group - 1].now > alive[group - 1].most)
            alive[group - 1].most = alive[group - 1].now;
    }
    for (uint32_t i = 0; i < grouping->count; i++)
        order[i] = i;
    qsort_r(order, grouping->count, sizeof *order, by_most, alive);
    free(alive);
    return order;
}

/* By snapshot, the moment at which what happened there is first seen; `count`: at none. */
static uint32_t *moment_of(const mp_model *model, const uint32_t *moments, size_t count)
{
    uint32_t *of = mp_alloc_zero(model->snapshots.count, sizeof *of), at = 0;
    const mp_session_id session = model->snapshots.at[moments[0]].session;
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        while (at < count && i > moments[at])
            at++;
        of[i] = model->snapshots.at[i].session.i == session.i ? at : (uint32_t)count;
    }
    return of;
}

mp_moment_change *mp_moment_changes(const mp_window *window, const mp_grouping *grouping,
                                    const uint32_t *row_of, uint32_t rows, const uint32_t *moments,
                                    size_t count, size_t *change_count)
{
    const mp_model *model = window->model;
    uint32_t *of = moment_of(model, moments, count);
    mp_moment_change *all = mp_alloc_zero((size_t)rows * count + 1, sizeof *all);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        const uint32_t group = grouping->group_of[delta->generation.i];
        if (!group || of[delta->snapshot.i] == count || !counts(window, delta))
            continue;
        const uint32_t row = row_of[group - 1];
        mp_moment_change *change = &all[row * count + of[delta->snapshot.i]];
        change->objects += mp_cost_live(delta->cost);
        change->bytes += delta->cost.bytes;
    }
    *change_count = 0;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t at = 0; at < count; at++) {
            mp_moment_change change = all[row * count + at];
            change.row = row;
            change.moment = at;
            if (change.objects || change.bytes)
                all[(*change_count)++] = change;
        }
    free(of);
    return all;
}
