/* Series: bytes alive at each snapshot for some groups, from one pass over the ledger. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/trend.h"
#include "query/verdict.h"

static mp_series new_series(const mp_window *window, uint32_t session, uint32_t groups)
{
    const mp_model *model = window->model;
    const uint32_t sessions = model->sessions.count;
    mp_series series = {.sessions = sessions,
                        .first = mp_alloc_zero((size_t)sessions + 1, sizeof *series.first),
                        .snapshots = mp_alloc(model->snapshots.count * sizeof *series.snapshots)};
    for (uint32_t s = 1; s < sessions; s++) {
        const mp_range range = window->ranges[s];
        series.first[s] = series.length;
        for (uint32_t i = range.from.i; range.to.i && i <= range.to.i; i++)
            if ((!session || s == session) && model->snapshots.items[i].session.i == s &&
                mp_window_snapshot(window, i)->whole)
                series.snapshots[series.length++] = i;
    }
    series.first[sessions] = series.length;
    series.items = mp_alloc_zero((size_t)groups * series.length + 1, sizeof *series.items);
    return series;
}

/* Return, for each snapshot, 1 + the place in the series at which its changes first appear; 0: the
 * session is left out. Changes before `from` appear at `from`, changes of an incomplete snapshot at
 * the next complete one. */
static size_t *places_of(const mp_window *window, const mp_series *series)
{
    const mp_model *model = window->model;
    size_t *places = mp_alloc_zero(model->snapshots.count, sizeof *places);
    size_t *place = mp_alloc(model->sessions.count * sizeof *place);
    memcpy(place, series->first, model->sessions.count * sizeof *place);
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        const uint32_t session = model->snapshots.items[i].session.i;
        const size_t end = series->first[session + 1];
        if (series->first[session] == end)
            continue;
        places[i] = place[session] + 1;
        if (place[session] + 1 < end && i >= series->snapshots[place[session]])
            place[session]++;
    }
    free(place);
    return places;
}

/* State of the series that are being built. */
typedef struct builder {
    const mp_model *model;
    const mp_grouping *grouping;
    const uint32_t *row_of;
    uint32_t *last_delta; /* last delta that was added to each row, so that a delta is never counted
                             twice */
} builder;

/* Add a delta to the row of its generation's group. For groups of frames, add it once to the row of
 * each node on its stack, and to the row of the session. */
static void add_delta(const builder *job, uint32_t delta_id, int64_t *place, size_t length)
{
    const mp_model *model = job->model;
    const mp_delta *delta = &model->deltas.items[delta_id];
    const mp_generation *generation = &model->generations.items[delta->generation.i];
    uint32_t node = model->tree_of[model->contexts.items[generation->context.i].node.i], parent;
    do {
        uint32_t member = job->grouping->of_frames ? node : delta->generation.i;
        uint32_t row = job->row_of[job->grouping->group_of[member]];
        if (row && job->last_delta[row] != delta_id) {
            job->last_delta[row] = delta_id;
            place[(row - 1) * length] += delta->cost.bytes;
        }
        parent = job->grouping->of_frames ? model->tree.items[node].parent : 0;
        node = parent;
    } while (parent);
}

static void add_up(int64_t *row, size_t from, size_t end)
{
    for (size_t place = from + 1; place < end; place++)
        row[place] += row[place - 1];
}

/* Add up the changes of each row. Rows without changes are not touched, so that they take no
 * memory. */
static void add_up_rows(const mp_series *series, int64_t *place, uint32_t rows,
                        const uint32_t *last_delta)
{
    for (size_t i = 0; i < rows; i++)
        for (uint32_t s = 1; s < series->sessions && last_delta[i + 1]; s++)
            add_up(place + i * series->length, series->first[s], series->first[s + 1]);
}

static mp_series series_of_groups(const mp_window *window, uint32_t session, bool held,
                                  const mp_grouping *grouping, const uint32_t *row_of,
                                  uint32_t rows)
{
    const mp_model *model = window->model;
    const bool *leaks = mp_window_verdict(window)->generations;
    mp_series series = new_series(window, session, 2 * rows);
    if (!series.length)
        return series;
    series.leaking = series.items + (size_t)rows * series.length;
    size_t *places = places_of(window, &series);
    builder job = {model, grouping, row_of, mp_alloc_zero((size_t)rows + 1, sizeof(uint32_t))};
    builder leaking = job;
    leaking.last_delta = mp_alloc_zero((size_t)rows + 1, sizeof(uint32_t));
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        const mp_generation *generation = &model->generations.items[delta->generation.i];
        if (!delta->cost.bytes || generation->reusable ||
            (held && mp_window_is_accepted(window, generation->context, generation->born)) ||
            !mp_filter_has_generation(window->filter, delta->generation) ||
            !places[delta->snapshot.i] || !mp_window_before_to(window, delta->snapshot))
            continue;
        const size_t place = places[delta->snapshot.i] - 1;
        add_delta(&job, i, series.items + place, series.length);
        if (leaks[delta->generation.i])
            add_delta(&leaking, i, series.leaking + place, series.length);
    }
    add_up_rows(&series, series.items, rows, job.last_delta);
    add_up_rows(&series, series.leaking, rows, leaking.last_delta);
    MP_FREE(job.last_delta, leaking.last_delta, places);
    return series;
}

mp_series mp_series_held(const mp_window *window, uint32_t session, const mp_grouping *grouping,
                         const uint32_t *row_of, uint32_t rows)
{
    return series_of_groups(window, session, true, grouping, row_of, rows);
}

mp_series mp_series_of(const mp_window *window, uint32_t session, const mp_grouping *grouping,
                       const uint32_t *row_of, uint32_t rows)
{
    return series_of_groups(window, session, false, grouping, row_of, rows);
}

mp_series mp_series_of_all(const mp_window *window, uint32_t session)
{
    const mp_grouping *types = mp_window_groups(window, mp_dimension_find("type"), 0);
    uint32_t *row_of = mp_alloc((types->count + 1u) * sizeof *row_of);
    for (uint32_t i = 0; i <= types->count; i++)
        row_of[i] = i > 0;
    mp_series series = mp_series_of(window, session, types, row_of, 1);
    free(row_of);
    for (size_t i = 0; i < series.length; i++)
        series.items[i] = mp_window_snapshot(window, series.snapshots[i])->live_bytes;
    return series;
}

mp_series mp_series_of_platform(const mp_window *window, uint32_t session, const uint32_t *row_of,
                                uint32_t rows)
{
    const mp_model *model = window->model;
    mp_series series = new_series(window, session, rows);
    for (size_t i = 0; !row_of && i < series.length; i++)
        series.items[i] = mp_window_snapshot(window, series.snapshots[i])->platform_bytes;
    size_t place = 0; /* samples are in the order of the session's snapshots */
    for (uint32_t i = 1; row_of && i < model->platform_samples.count; i++) {
        const mp_platform_sample *sample = &model->platform_samples.items[i];
        uint32_t row = row_of[sample->platform.i];
        while (place < series.length && series.snapshots[place] < sample->snapshot.i &&
               model->snapshots.items[sample->snapshot.i].session.i == session)
            place++;
        if (row && place < series.length && series.snapshots[place] == sample->snapshot.i)
            series.items[(row - 1) * series.length + place] += sample->bytes;
    }
    return series;
}

uint32_t mp_series_batch(const mp_window *window)
{
    enum {
        MOST_VALUES = 1 << 20
    }; /* 16 MiB; for blocks above 32 MiB, malloc would map new pages each time */
    return MOST_VALUES / window->model->snapshots.count + 1;
}

void mp_series_free(mp_series *series)
{
    MP_FREE(series->items, series->snapshots, series->first);
    *series = (mp_series){0};
}

/* Return the severity of a kind of trend in a search for leaks. A larger number is worse. */
static int badness(const mp_trend *trend)
{
    static const int of_kind[] = {
        [MP_TREND_GROWS] = 5, [MP_TREND_JUMP] = 4,    [MP_TREND_FLAT] = 3,
        [MP_TREND_DROP] = 2,  [MP_TREND_SHRINKS] = 1, [MP_TREND_TOO_SHORT] = 0,
    };
    return of_kind[trend->kind];
}

static bool is_worse(const mp_trend *trend, const mp_trend *than)
{
    if (trend->kind != than->kind)
        return badness(trend) > badness(than);
    return trend->kind == MP_TREND_JUMP ? trend->steps[0].size > than->steps[0].size
                                        : trend->slope > than->slope;
}

mp_trend mp_series_trend(const mp_series *series, size_t row, uint32_t session)
{
    const size_t first = series->first[session], length = series->first[session + 1] - first;
    const int64_t *place = series->items + row * series->length + first;
    const int64_t *leaking =
        series->leaking ? series->leaking + row * series->length + first : NULL;
    const int64_t leaked = leaking && length ? leaking[length - 1] - leaking[0] : 0;
    mp_trend trend = mp_trend_of(leaked > 0 ? leaking : place, length);
    if (leaked > 0 &&
        trend.kind != MP_TREND_GROWS) /* it leaks at irregular intervals, so use the average */
        trend = (mp_trend){.kind = MP_TREND_GROWS,
                           .slope = (double)leaked / (double)(length - 1),
                           .low = 0,
                           .high = (double)leaked / (double)(length - 1)};
    else if (leaking && leaked <= 0 && trend.kind == MP_TREND_GROWS)
        trend.kind = MP_TREND_FLAT;
    return trend;
}

mp_course mp_series_worst(const mp_series *series, size_t row)
{
    mp_course worst = {.session = 0};
    for (uint32_t s = 1; s < series->sessions; s++) {
        const size_t first = series->first[s], length = series->first[s + 1] - first;
        const int64_t *place = series->items + row * series->length + first;
        const mp_trend trend = mp_series_trend(series, row, s);
        if (length && (!worst.session || is_worse(&trend, &worst.trend)))
            worst = (mp_course){trend, s, place, series->snapshots + first, length};
    }
    return worst;
}
