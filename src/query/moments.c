#include "query/moments.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/sort.h"

uint32_t *mp_moments_of(const mp_window *window, uint32_t session, size_t most, size_t *count)
{
    const mp_session_snapshots *snapshots = &window->filter->sessions;
    const mp_range *range = &window->ranges[session];
    const uint32_t *place = snapshots->snapshots + snapshots->first[session];
    size_t there = mp_filter_snapshots(window->filter, session);
    size_t step = (there + most - 1) / most;
    uint32_t *moments = mp_alloc((there + 1) * sizeof *moments);
    *count = 0;
    for (size_t i = 0; i < there; i++)
        if (i % step == 0 || i + 1 == there || place[i] == range->from.i || place[i] == range->to.i)
            moments[(*count)++] = place[i];
    return moments;
}

/* Return true if the delta counts. Deltas of objects that the runtime keeps for reuse do not. */
static bool counts(const mp_window *window, const mp_delta *delta)
{
    return !window->model->generations.items[delta->generation.i].reusable &&
           mp_filter_has_generation(window->filter, delta->generation);
}

typedef struct most_alive {
    int64_t now, most;
    bool is; /* true if the session has objects of the group */
} most_alive;

uint32_t *mp_groups_by_most(const mp_window *window, const mp_members *members, uint32_t session,
                            uint32_t *count)
{
    const mp_model *model = window->model;
    most_alive *alive = mp_alloc_zero((size_t)members->count + 1, sizeof *alive);
    uint32_t *order = mp_alloc(((size_t)members->count + 1) * sizeof *order);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        uint32_t group = members->group_of[delta->generation.i];
        if (!group || model->snapshots.items[delta->snapshot.i].session.i != session ||
            !counts(window, delta))
            continue;
        most_alive *state = &alive[group - 1];
        state->now += delta->cost.bytes;
        state->most = state->now > state->most ? state->now : state->most;
        state->is |= delta->cost.bytes || mp_cost_live(delta->cost);
    }
    *count = 0;
    for (uint32_t i = 0; i < members->count; i++)
        if (alive[i].is)
            order[(*count)++] = i;
    mp_sort_largest(order, *count, &alive[0].most, sizeof *alive);
    free(alive);
    return order;
}

/* Return, for each snapshot, the moment at which its changes first appear, or `count` if they
 * appear at no moment. */
static uint32_t *moment_of(const mp_model *model, const uint32_t *moments, size_t count)
{
    uint32_t *map = mp_alloc_zero(model->snapshots.count, sizeof *map), index = 0;
    const uint32_t session = model->snapshots.items[moments[0]].session.i;
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        while (index < count && i > moments[index])
            index++;
        map[i] = model->snapshots.items[i].session.i == session ? index : (uint32_t)count;
    }
    return map;
}

/* Sums of changes. If births are not distinguished, each sum has a fixed place in `dense`, and so
 * do the sums of the last row. Other sums are found by an index. */
typedef struct sums {
    const mp_moment_rows *rows;
    mp_moment_change *dense, *found;
    size_t dense_count, capacity;
    mp_id_index index;
} sums;

static mp_moment_change *sum_of(sums *state, uint32_t row, uint32_t moment, uint32_t born)
{
    const size_t count = state->rows->count;
    if (!state->rows->births)
        return &state->dense[row * count + moment];
    if (row + 1 == state->rows->rows)
        return &state->dense[moment * count + born];
    uint32_t *place = mp_id_index_put(&state->index, (row * count + moment) * count + born);
    if (!*place) {
        *place = (uint32_t)state->index.count;
        mp_grow(&state->found, &state->capacity, state->index.count, sizeof *state->found);
        state->found[*place - 1] = (mp_moment_change){.row = row};
    }
    return &state->found[*place - 1];
}

static void add_deltas(const mp_window *window, sums *state)
{
    const mp_model *model = window->model;
    const mp_moment_rows *rows = state->rows;
    uint32_t *moments = moment_of(model, rows->moments, rows->count);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        const mp_generation *generation = &model->generations.items[delta->generation.i];
        const uint32_t group = rows->members->group_of[delta->generation.i];
        const uint32_t moment = moments[delta->snapshot.i];
        if (!group || moment == rows->count || !counts(window, delta))
            continue;
        const uint32_t row = rows->row_of[group - 1];
        const bool accepted = rows->accepted && rows->accepted[generation->context.i];
        const uint32_t born = !rows->births || accepted ? 0 : moments[generation->born.i];
        mp_moment_change *sum = sum_of(state, row, moment, born);
        *sum = (mp_moment_change){row, moment, born, sum->objects + mp_cost_live(delta->cost),
                                  sum->bytes + delta->cost.bytes};
    }
    free(moments);
}

static int by_place(const void *left, const void *right)
{
    const mp_moment_change *a = left, *b = right;
    int order = MP_COMPARE(a->row, b->row);
    order = order ? order : MP_COMPARE(a->moment, b->moment);
    return order ? order : MP_COMPARE(a->born, b->born);
}

/* Remove empty changes. Return the number of changes left. */
static size_t keep_changes(mp_moment_change *moment_change, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (moment_change[i].objects || moment_change[i].bytes)
            moment_change[kept++] = moment_change[i];
    return kept;
}

mp_moment_change *mp_moment_changes(const mp_window *window, const mp_moment_rows *self,
                                    size_t *count)
{
    sums state = {.rows = self,
                  .dense_count = (self->births ? self->count : self->rows) * self->count};
    state.dense = mp_alloc_zero(state.dense_count + 1, sizeof *state.dense);
    add_deltas(window, &state);
    const size_t found = keep_changes(state.found, state.index.count);
    *count = keep_changes(state.dense, state.dense_count);
    mp_moment_change *changes = mp_alloc((found + *count + 1) * sizeof *changes);
    if (found)
        memcpy(changes, state.found, found * sizeof *changes);
    memcpy(changes + found, state.dense, *count * sizeof *changes);
    *count += found;
    qsort(changes, *count, sizeof *changes, by_place);
    mp_id_index_free(&state.index);
    free(state.found);
    free(state.dense);
    return changes;
}

size_t mp_moment_changes_fold(mp_moment_change *changes, size_t count, uint32_t rows)
{
    size_t first = 0, kept;
    while (first < count && changes[first].row + 1 < rows)
        first++;
    for (size_t i = first; i < count; i++)
        changes[i].row = rows - 1;
    qsort(changes + first, count - first, sizeof *changes, by_place);
    kept = first;
    for (size_t i = first; i < count; i++)
        if (kept > first && by_place(&changes[kept - 1], &changes[i]) == 0) {
            changes[kept - 1].objects += changes[i].objects;
            changes[kept - 1].bytes += changes[i].bytes;
        } else {
            changes[kept++] = changes[i];
        }
    return first + keep_changes(changes + first, kept - first);
}
