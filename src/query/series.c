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

/* What series are made of, and how far they are. */
typedef struct builder {
    const mp_model *model;
    const mp_grouping *grouping;
    const uint32_t *row_of;
    uint32_t *last_delta; /* of each row, to add it once */
} builder;

/* To the row of its generation's group; or of those of all nodes of its stack, once to each, the
 * session itself at last. */
static void add_delta(const builder *job, uint32_t delta_id, int64_t *at, size_t length)
{
    const mp_model *model = job->model;
    const mp_delta *delta = &model->deltas.at[delta_id];
    const mp_generation *generation = &model->generations.at[delta->generation.i];
    uint32_t node = model->tree_of[model->contexts.at[generation->context.i].node.i], parent;
    do {
        uint32_t member = job->grouping->of_frames ? node : delta->generation.i;
        uint32_t row = job->row_of[job->grouping->group_of[member]];
        if (row && job->last_delta[row] != delta_id) {
            job->last_delta[row] = delta_id;
            at[(row - 1) * length] += delta->cost.bytes;
        }
        parent = job->grouping->of_frames ? model->tree.at[node].parent : 0;
        node = parent;
    } while (parent);
}

static mp_series series_of_groups(const mp_window *window, uint32_t session, bool held,
                                  const mp_grouping *grouping, const uint32_t *row_of,
                                  uint32_t rows)
{
    const mp_model *model = window->model;
    mp_series series = new_series(window, session, rows);
    if (!series.length)
        return series;
    uint32_t *places = places_of(window, &series);
    builder job = {model, grouping, row_of, mp_alloc_zero((size_t)rows + 1, sizeof(uint32_t))};
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        const mp_generation *generation = &model->generations.at[delta->generation.i];
        if (delta->cost.bytes && !generation->reusable &&
            !(held && mp_window_is_accepted(window, generation->context, generation->born)) &&
            mp_filter_has_generation(window->filter, delta->generation) &&
            model->snapshots.at[delta->snapshot.i].session.i == session &&
            mp_window_before_to(window, delta->snapshot))
            add_delta(&job, i, series.at + places[delta->snapshot.i], series.length);
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t place = 1; place < series.length; place++)
            series.at[i * series.length + place] += series.at[i * series.length + place - 1];
    free(job.last_delta);
    free(places);
    return series;
}

mp_series mp_series_held(const mp_window *window, uint32_t session, const mp_grouping *grouping,
                         const uint32_t *row_of, uint32_t rows)
{
    return series_of_groups(window, session, true, grouping, row_of, rows);
}

mp_series mp_series_of(const mp_window *window, const mp_grouping *grouping, const uint32_t *row_of,
                       uint32_t rows)
{
    return series_of_groups(window, session_of(window), false, grouping, row_of, rows);
}

mp_series mp_series_of_all(const mp_window *window)
{
    mp_series series = new_series(window, session_of(window), 1);
    for (size_t i = 0; i < series.length; i++)
        series.at[i] = mp_window_snapshot(window, series.snapshots[i])->live_bytes;
    return series;
}

mp_series mp_series_of_platform(const mp_window *window, uint32_t session, const uint32_t *row_of,
                                uint32_t rows)
{
    const mp_model *model = window->model;
    mp_series series = new_series(window, session, rows);
    for (size_t i = 0; !row_of && i < series.length; i++)
        series.at[i] = mp_window_snapshot(window, series.snapshots[i])->platform_bytes;
    size_t place = 0; /* samples of a session come in the order of its snapshots */
    for (uint32_t i = 1; row_of && i < model->platform_samples.count; i++) {
        const mp_platform_sample *sample = &model->platform_samples.at[i];
        uint32_t row = row_of[sample->platform.i];
        while (place < series.length && series.snapshots[place] < sample->snapshot.i &&
               model->snapshots.at[sample->snapshot.i].session.i == session)
            place++;
        if (row && place < series.length && series.snapshots[place] == sample->snapshot.i)
            series.at[(row - 1) * series.length + place] += sample->bytes;
    }
    return series;
}

void mp_series_free(mp_series *series)
{
    free(series->at);
    free(series->snapshots);
    *series = (mp_series){0};
}
