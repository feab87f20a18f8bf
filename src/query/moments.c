#include "query/moments.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/largest.h"
#include "base/memory.h"

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

/* Return true if the delta counts for live objects; reusable objects do not. */
static bool counts(const mp_window *window, const mp_delta *delta)
{
    return !window->model->generations.at[delta->generation.i].reusable &&
           mp_filter_has_generation(window->filter, delta->generation);
}

typedef struct most_alive {
    int64_t now, most;
    bool is; /* anything ever changed */
} most_alive;

uint32_t *mp_groups_by_most(const mp_window *window, const mp_grouping *grouping, uint32_t session,
                            uint32_t *count)
{
    const mp_model *model = window->model;
    most_alive *alive = mp_alloc_zero((size_t)grouping->count + 1, sizeof *alive);
    uint32_t *order = mp_alloc(((size_t)grouping->count + 1) * sizeof *order);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        uint32_t group = grouping->group_of[delta->generation.i];
        if (!group || model->snapshots.at[delta->snapshot.i].session.i != session ||
            !counts(window, delta))
            continue;
        most_alive *of = &alive[group - 1];
        of->now += delta->cost.bytes;
        of->most = of->now > of->most ? of->now : of->most;
        of->is |= delta->cost.bytes || mp_cost_live(delta->cost);
    }
    *count = 0;
    for (uint32_t i = 0; i < grouping->count; i++)
        if (alive[i].is)
            order[(*count)++] = i;
    mp_sort_largest(order, *count, &alive[0].most, sizeof *alive);
    free(alive);
    return order;
}

/* By snapshot, the moment at which what happened there is first seen; `count`: at none. */
static uint32_t *moment_of(const mp_model *model, const uint32_t *moments, size_t count)
{
    uint32_t *of = mp_alloc_zero(model->snapshots.count, sizeof *of), at = 0;
    const uint32_t session = model->snapshots.at[moments[0]].session.i;
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        while (at < count && i > moments[at])
            at++;
        of[i] = model->snapshots.at[i].session.i == session ? at : (uint32_t)count;
    }
    return of;
}

/* Sums of changes on their way: of the last row, and where nobody asks who was born when of all
 * rows, each has its place; of others they are found. */
typedef struct sums {
    const mp_moment_rows *of;
    mp_moment_change *dense, *found;
    size_t dense_count, capacity;
    mp_id_index index;
} sums;

static mp_moment_change *sum_of(sums *all, uint32_t row, uint32_t moment, uint32_t born)
{
    const size_t count = all->of->count;
    if (!all->of->births)
        return &all->dense[row * count + moment];
    if (row + 1 == all->of->rows)
        return &all->dense[moment * count + born];
    uint32_t *place = mp_id_index_put(&all->index, (row * count + moment) * count + born);
    if (!*place) {
        *place = (uint32_t)all->index.count;
        mp_grow(&all->found, &all->capacity, all->index.count, sizeof *all->found);
        all->found[*place - 1] = (mp_moment_change){.row = row};
    }
    return &all->found[*place - 1];
}

static void add_deltas(const mp_window *window, sums *all)
{
    const mp_model *model = window->model;
    const mp_moment_rows *of = all->of;
    uint32_t *moments = moment_of(model, of->moments, of->count);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        const mp_generation *generation = &model->generations.at[delta->generation.i];
        const uint32_t group = of->grouping->group_of[delta->generation.i];
        const uint32_t moment = moments[delta->snapshot.i];
        if (!group || moment == of->count || !counts(window, delta))
            continue;
        const uint32_t row = of->row_of[group - 1];
        const bool accepted = of->accepted && of->accepted[generation->context.i];
        const uint32_t born = !of->births || accepted ? 0 : moments[generation->born.i];
        mp_moment_change *sum = sum_of(all, row, moment, born);
        *sum = (mp_moment_change){row, moment, born, sum->objects + mp_cost_live(delta->cost),
                                  sum->bytes + delta->cost.bytes};
    }
    free(moments);
}

static int by_place(const void *left, const void *right)
{
    const mp_moment_change *a = left, *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->moment != b->moment)
        return a->moment < b->moment ? -1 : 1;
    return a->born < b->born ? -1 : a->born > b->born;
}

/* Leave out what is nothing; gives how many are left. */
static size_t keep_changes(mp_moment_change *at, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (at[i].objects || at[i].bytes)
            at[kept++] = at[i];
    return kept;
}

mp_moment_change *mp_moment_changes(const mp_window *window, const mp_moment_rows *of,
                                    size_t *count)
{
    sums all = {.of = of, .dense_count = (of->births ? of->count : of->rows) * of->count};
    all.dense = mp_alloc_zero(all.dense_count + 1, sizeof *all.dense);
    add_deltas(window, &all);
    const size_t found = keep_changes(all.found, all.index.count);
    *count = keep_changes(all.dense, all.dense_count);
    mp_moment_change *changes = mp_alloc((found + *count + 1) * sizeof *changes);
    if (found)
        memcpy(changes, all.found, found * sizeof *changes);
    memcpy(changes + found, all.dense, *count * sizeof *changes);
    *count += found;
    qsort(changes, *count, sizeof *changes, by_place);
    mp_id_index_free(&all.index);
    free(all.found);
    free(all.dense);
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
