/* Growing types: types whose bytes grew from each dump to the next. */
#include <stdlib.h>

#include "base/memory.h"
#include "query/accumulation.h"

/* A type, while the deltas are read in order of time. */
typedef struct course {
    mp_grower grower;
    int64_t change; /* change of bytes at the snapshot being read */
    uint32_t grew;  /* number of snapshots at which it grew */
} course;

static bool is_counted(const mp_window *window, mp_snapshot_id snapshot)
{
    return window->model->snapshots.items[snapshot.i].session.i == 1 &&
           mp_window_before_to(window, snapshot);
}

static void end_snapshot(course *courses, uint32_t count, bool counts)
{
    for (uint32_t i = 0; i < count; i++) {
        courses[i].grew += counts && courses[i].change > 0;
        courses[i].change = 0;
    }
}

static course *courses_of(const mp_window *window)
{
    const mp_model *model = window->model;
    course *courses = mp_alloc_zero(model->types.count, sizeof *courses);
    uint32_t snapshot = 0;
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        if (!is_counted(window, delta->snapshot) ||
            !mp_filter_has_generation(window->filter, delta->generation))
            continue;
        if (delta->snapshot.i != snapshot)
            end_snapshot(courses, model->types.count,
                         snapshot && !mp_window_before_from(window, (mp_snapshot_id){snapshot}));
        snapshot = delta->snapshot.i;
        course *state =
            &courses[model->contexts.items[model->generations.items[delta->generation.i].context.i]
                         .type.i];
        int64_t objects = mp_cost_live(delta->cost);
        state->change += delta->cost.bytes;
        state->grower.to_objects += objects;
        state->grower.to_bytes += delta->cost.bytes;
        if (mp_window_before_from(window, delta->snapshot)) {
            state->grower.from_objects += objects;
            state->grower.from_bytes += delta->cost.bytes;
        }
    }
    end_snapshot(courses, model->types.count,
                 snapshot && !mp_window_before_from(window, (mp_snapshot_id){snapshot}));
    return courses;
}

static uint32_t steps_of(const mp_window *window)
{
    uint32_t steps = 0;
    for (uint32_t i = 1; i < window->model->snapshots.count; i++)
        steps += mp_window_snapshot(window, i)->whole && is_counted(window, (mp_snapshot_id){i}) &&
                 !mp_window_before_from(window, (mp_snapshot_id){i});
    return steps;
}

static int most_first(const void *left, const void *right, void *model)
{
    const mp_grower *a = left, *b = right;
    int64_t grew_a = a->to_bytes - a->from_bytes, grew_b = b->to_bytes - b->from_bytes;
    int order = MP_COMPARE(grew_b, grew_a);
    order = order ? order : mp_type_compare(model, a->type, b->type);
    return order ? order : MP_COMPARE(a->type.i, b->type.i);
}

mp_grower *mp_growers_of(const mp_window *window, size_t *count, uint32_t *steps)
{
    const mp_model *model = window->model;
    course *courses = courses_of(window);
    mp_grower *growers = mp_alloc_zero(model->types.count, sizeof *growers);
    *count = 0;
    *steps = steps_of(window);
    for (uint32_t i = 0; i < model->types.count; i++)
        if (*steps && courses[i].grew == *steps) {
            growers[*count] = courses[i].grower;
            growers[(*count)++].type = (mp_type_id){i};
        }
    if (*count)
        qsort_r(growers, *count, sizeof *growers, most_first, (void *)model);
    free(courses);
    return growers;
}
