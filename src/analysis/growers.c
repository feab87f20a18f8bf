/* Types that grew from each dump to the next. */
#include <stdlib.h>
#include <string.h>

#include "memprof/analysis_graph.h"
#include "support/memory.h"

/* A type while the flows are read, which are in the order of time. */
typedef struct course {
    mp_grower grower;
    int64_t change; /* of bytes at the mark that is read */
    uint32_t grew;  /* at so many marks */
} course;

static bool is_counted(const mp_window *window, mp_mark_id mark)
{
    return window->model->marks.at[mark.i].session.i == 1 && mp_window_before_to(window, mark);
}

static void end_mark(course *courses, uint32_t count, bool counts)
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
    uint32_t mark = 0;
    for (uint32_t i = 1; i < model->flows.count; i++) {
        const mp_flow *flow = &model->flows.at[i];
        if (!is_counted(window, flow->mark))
            continue;
        if (flow->mark.i != mark)
            end_mark(courses, model->types.count,
                     mark && !mp_window_before_from(window, (mp_mark_id){mark}));
        mark = flow->mark.i;
        course *at = &courses[model->lots.at[model->cohorts.at[flow->cohort.i].lot.i].type.i];
        int64_t objects = mp_cost_live(flow->cost);
        at->change += flow->cost.bytes;
        at->grower.to_objects += objects;
        at->grower.to_bytes += flow->cost.bytes;
        if (mp_window_before_from(window, flow->mark)) {
            at->grower.from_objects += objects;
            at->grower.from_bytes += flow->cost.bytes;
        }
    }
    end_mark(courses, model->types.count,
             mark && !mp_window_before_from(window, (mp_mark_id){mark}));
    return courses;
}

static uint32_t steps_of(const mp_window *window)
{
    uint32_t steps = 0;
    for (uint32_t i = 1; i < window->model->marks.count; i++)
        steps += window->model->marks.at[i].whole && is_counted(window, (mp_mark_id){i}) &&
                 !mp_window_before_from(window, (mp_mark_id){i});
    return steps;
}

static int most_first(const void *left, const void *right, void *model)
{
    const mp_grower *a = left, *b = right;
    int64_t grew_a = a->to_bytes - a->from_bytes, grew_b = b->to_bytes - b->from_bytes;
    char names[2][512];
    if (grew_a != grew_b)
        return grew_a > grew_b ? -1 : 1;
    mp_type_label(model, a->type, names[0], sizeof names[0]);
    mp_type_label(model, b->type, names[1], sizeof names[1]);
    int order = strcmp(names[0], names[1]);
    return order ? order : a->type.i < b->type.i ? -1 : a->type.i > b->type.i;
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
