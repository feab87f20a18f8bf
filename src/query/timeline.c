#include "query/timeline.h"

#include <stdlib.h>

/* Return true if `inner`, which completed before `outer`, ran inside it. Times are whole
 * microseconds, so two executions with the same start may be nested (a statement and its callee, a
 * module and its first line) or successive statements that took no time. */
static bool is_inside(const mp_profile *profile, const mp_timed *inner, const mp_timed *outer)
{
    const mp_module *modules = profile->modules.items;
    if (modules[inner->module.i].session.i != modules[outer->module.i].session.i)
        return false;
    if (inner->start_us != outer->start_us)
        return inner->start_us > outer->start_us;
    return outer->line == 0 ? inner->line != 0 && inner->module.i == outer->module.i
                            : inner->line == 0;
}

/* Add two times, capped so that invalid start times in a file cannot overflow. */
static int64_t add(int64_t a, int64_t b)
{
    const int64_t most = INT64_MAX / 4;
    return b > 0 && a > most - b ? most : a + b;
}

/* Nest the executions. A completed execution waits on a stack until the execution around it
 * completes. */
static void nest(const mp_profile *profile, mp_timeline *timeline)
{
    uint32_t *waiting = mp_alloc((timeline->count + 1) * sizeof *waiting);
    /* index of the enclosing execution of each execution; its own index: none */
    uint32_t *outer = mp_alloc((timeline->count + 1) * sizeof *outer);
    size_t height = 0;
    for (uint32_t i = 0; i < timeline->count; i++) {
        mp_timed *timed = &timeline->items[i];
        int64_t end_us = timed->start_us;
        outer[i] = i;
        timed->all_us = timed->own_us;
        while (height && is_inside(profile, &timeline->items[waiting[height - 1]], timed)) {
            const mp_timed *inner = &timeline->items[waiting[--height]];
            outer[waiting[height]] = i;
            timed->all_us = add(timed->all_us, inner->all_us);
            if (inner->start_us + inner->all_us > end_us)
                end_us = inner->start_us + inner->all_us;
        }
        if (end_us - timed->start_us > timed->all_us)
            timed->all_us = end_us - timed->start_us;
        waiting[height++] = i;
    }
    for (size_t i = timeline->count; i-- > 0;)
        if (outer[i] != i)
            timeline->items[i].depth = timeline->items[outer[i]].depth + 1;
    free(waiting);
    free(outer);
}

/* Compare executions by session, start and depth, so that an enclosing execution comes first; then
 * by module, line and time. */
static int by_start(const void *left, const void *right, void *opaque)
{
    const mp_timed *a = left, *b = right;
    const mp_module *modules = ((const mp_profile *)opaque)->modules.items;
    uint32_t x = modules[a->module.i].session.i, y = modules[b->module.i].session.i;
    int order = MP_COMPARE(x, y);
    order = order ? order : MP_COMPARE(a->start_us, b->start_us);
    order = order ? order : MP_COMPARE(a->depth, b->depth);
    order = order ? order : MP_COMPARE(a->module.i, b->module.i);
    order = order ? order : MP_COMPARE(a->line, b->line);
    return order ? order : MP_COMPARE(a->own_us, b->own_us);
}

mp_timeline mp_timeline_of(const mp_filter *filter)
{
    const mp_profile *profile = filter->model->profile;
    mp_timeline timeline = {mp_alloc_zero(profile->executions.count, sizeof(mp_timed)), 0, 0};
    for (uint32_t i = 1; i < profile->executions.count; i++) {
        const mp_profile_execution *row = &profile->executions.items[i];
        if (!mp_filter_has_module(filter, row->module.i))
            continue;
        timeline.items[timeline.count++] = (mp_timed){.module = row->module,
                                                      .line = row->line,
                                                      .start_us = row->start_us,
                                                      .own_us = row->exclusive_us};
        timeline.own_us += row->exclusive_us;
    }
    nest(profile, &timeline);
    if (timeline.count)
        qsort_r(timeline.items, timeline.count, sizeof *timeline.items, by_start,
                (void *)(uintptr_t)profile);
    return timeline;
}
