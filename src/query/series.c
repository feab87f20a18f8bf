/* Series: bytes alive at each snapshot, for a few groups; one pass over the ledger. */
#include <stdlib.h>

#include "base/memory.h"
#include "query/trend.h"

/* The session whose series it is; 0: none has snapshots. */
static uint32_t session_of(const mp_window *window)
{
    for (uint32_t i = 1; i < window->model->sessions.count; i++)
        if (window->ranges[i].to.i)
            return i;
    return 0;
}

static mp_series new_series(const mp_window *window, uint32_t session, uint32_t groups)
{
    const mp_model *model = window->model;
    mp_range range = window->ranges[session];
    mp_series series = {.length = 0};
    series.snapshots = mp_alloc(((size_t)range.to.i - range.from.i + 1) * sizeof *series.snapshots);
    for (uint32_t i = range.from.i; session && i <= range.to.i; i++)
        if (model->snapshots.at[i].session.i == session && mp_window_snapshot(window, i)->whole)
            series.snapshots[series.length++] = i;
    series.at = mp_alloc_zero((size_t)groups * series.length + 1, sizeof *series.at);
    return series;
}

/* The place at which what happened at a snapshot is first seen, by snapshot up to `to`: what was
 * before `from` is there at `from`, what came with a broken snapshot at the next whole one. */
static uint32_t *places_of(const mp_window *window, const mp_series *series)
{
    uint32_t *places = mp_alloc_zero(window->model->snapshots.count, sizeof *places);
    size_t place = 0;
    for (uint32_t i = 1; i < window->model->snapshots.count; i++) {
        places[i] = (uint32_t)place;
        if (place + 1 < series->length && i >= series->snapshots[place])
            place++;
    }
    return places;
}

/* Which groups a delta belongs to: that of its generation, or of the nodes of its stack. */
typedef struct members {
    const mp_model *model;
    const uint32_t *of_generation, *of_node; /* one of them */
    uint32_t *last_delta;                    /* of each group, to add it once */
} members;

/* Up the stack, the session itself at last. */
static void add_to_stack(const members *who, uint32_t delta_id, int64_t *at, size_t length)
{
    const mp_model *model = who->model;
    const mp_delta *delta = &model->deltas.at[delta_id];
    const mp_context *context =
        &model->contexts.at[model->generations.at[delta->generation.i].context.i];
    uint32_t node = model->tree_of[context->node.i];
    while (!context->reusable) {
        uint32_t group = who->of_node[node];
        if (group && who->last_delta[group] != delta_id) {
            who->last_delta[group] = delta_id;
            at[(group - 1) * length] += delta->cost.bytes;
        }
        if (!node || !model->tree.at[node].parent)
            return;
        node = model->tree.at[node].parent;
    }
}

static void add_delta(const members *who, uint32_t delta_id, int64_t *at, size_t length)
{
    const mp_delta *delta = &who->model->deltas.at[delta_id];
    if (!who->of_generation) {
        add_to_stack(who, delta_id, at, length);
        return;
    }
    uint32_t group = who->of_generation[delta->generation.i];
    if (group)
        at[(group - 1) * length] += delta->cost.bytes;
}

static mp_series fill(const mp_window *window, members who, uint32_t groups)
{
    const mp_model *model = window->model;
    uint32_t session = session_of(window);
    mp_series series = new_series(window, session, groups);
    if (!series.length)
        return series;
    uint32_t *places = places_of(window, &series);
    who.last_delta = mp_alloc_zero((size_t)groups + 1, sizeof *who.last_delta);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        mp_snapshot_id snapshot = model->deltas.at[i].snapshot;
        if (model->deltas.at[i].cost.bytes &&
            mp_filter_has_generation(window->filter, model->deltas.at[i].generation) &&
            model->snapshots.at[snapshot.i].session.i == session &&
            mp_window_before_to(window, snapshot))
            add_delta(&who, i, series.at + places[snapshot.i], series.length);
    }
    for (size_t i = 0; i < groups; i++)
        for (size_t place = 1; place < series.length; place++)
            series.at[i * series.length + place] += series.at[i * series.length + place - 1];
    free(who.last_delta);
    free(places);
    return series;
}

mp_series mp_series_of(const mp_window *window, const uint32_t *group_of, uint32_t groups)
{
    return fill(window, (members){.model = window->model, .of_generation = group_of}, groups);
}

mp_series mp_series_of_frames(const mp_window *window, const uint32_t *group_of_node,
                              uint32_t groups)
{
    return fill(window, (members){.model = window->model, .of_node = group_of_node}, groups);
}

mp_series mp_series_of_all(const mp_window *window)
{
    mp_series series = new_series(window, session_of(window), 1);
    for (size_t i = 0; i < series.length; i++)
        series.at[i] = mp_window_snapshot(window, series.snapshots[i])->live_bytes;
    return series;
}

void mp_series_free(mp_series *series)
{
    free(series->at);
    free(series->snapshots);
    *series = (mp_series){0};
}
