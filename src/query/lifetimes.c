#include "query/lifetimes.h"

#include <stdlib.h>

#include "base/glob.h"

/* Objects of one group and one age. */
typedef struct aged {
    uint32_t group; /* number of the group, from 1 */
    int64_t age_us, objects, bytes;
} aged;

static int by_group_then_age(const void *left, const void *right)
{
    const aged *a = left, *b = right;
    int order = MP_COMPARE(a->group, b->group);
    return order ? order : MP_COMPARE(a->age_us, b->age_us);
}

static int by_age(const void *left, const void *right)
{
    const aged *a = left, *b = right;
    return MP_COMPARE(a->age_us, b->age_us);
}

static uint32_t *groups_of_contexts(const mp_model *model, const mp_grouping *grouping)
{
    uint32_t *groups = mp_alloc_zero(model->contexts.count, sizeof *groups);
    for (uint32_t i = 1; i < model->generations.count; i++)
        if (grouping->group_of[i])
            groups[model->generations.items[i].context.i] = grouping->group_of[i];
    return groups;
}

static bool matches(const mp_grouping *grouping, uint32_t group, const char *only)
{
    return group && (!only || mp_glob_fits(only, grouping->groups[group - 1].label, 0));
}

static aged *collect(const mp_window *window, const mp_grouping *grouping, const char *only,
                     size_t *count)
{
    const mp_model *model = window->model;
    const mp_ages *kept = model->ages;
    uint32_t *groups = groups_of_contexts(model, grouping);
    bool *chosen = mp_alloc_zero((size_t)grouping->count + 1, sizeof *chosen);
    aged *ages = mp_alloc(kept->rows.count * sizeof *ages);
    *count = 0;
    for (uint32_t i = 1; i <= grouping->count; i++)
        chosen[i] = matches(grouping, i, only);
    for (uint32_t i = 1; i < kept->rows.count; i++) {
        const mp_age *age = &kept->rows.items[i];
        bool told = age->generation.i != 0;
        uint32_t group = told ? grouping->group_of[age->generation.i] : groups[age->context.i];
        bool counts = told ? mp_filter_has_generation(window->filter, age->generation) &&
                                 mp_window_before_to(window, age->died)
                           : mp_filter_has_context(window->filter, age->context);
        if (chosen[group] && counts)
            ages[(*count)++] = (aged){group, age->age_us, age->objects, age->bytes};
    }
    free(chosen);
    free(groups);
    return ages;
}

/* Return the summary of sorted ages. There must be at least one. */
static mp_lifetime summary(const aged *ages, size_t count)
{
    mp_lifetime life = {.least_us = ages[0].age_us,
                        .median_us = -1,
                        .p90_us = -1,
                        .most_us = ages[count - 1].age_us};
    for (size_t i = 0; i < count; i++) {
        life.deaths += ages[i].objects;
        life.bytes += ages[i].bytes;
    }
    int64_t seen = 0, half = life.deaths / 2 + life.deaths % 2;
    int64_t most = life.deaths - life.deaths / 10;
    for (size_t i = 0; i < count; i++) {
        seen += ages[i].objects;
        if (life.median_us < 0 && seen >= half)
            life.median_us = ages[i].age_us;
        if (life.p90_us < 0 && seen >= most)
            life.p90_us = ages[i].age_us;
    }
    return life;
}

static void classify(mp_lifetimes *lifetimes, const aged *ages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t age = (uint64_t)ages[i].age_us;
        mp_age_class *class = &lifetimes->classes[age ? 64 - __builtin_clzll(age) : 0];
        class->objects += ages[i].objects;
        class->bytes += ages[i].bytes;
    }
}

static int most_deaths(const void *left, const void *right)
{
    const mp_lifetime *a = left, *b = right;
    int order = MP_COMPARE(b->deaths, a->deaths);
    return order ? order : MP_COMPARE(a->group, b->group); /* in the order of their labels */
}

mp_lifetimes mp_lifetimes_of(const mp_window *window, const mp_dimension *dimension,
                             const char *only)
{
    mp_lifetimes lifetimes = {.count = 0};
    const mp_grouping *grouping = mp_window_groups(window, dimension, 0);
    size_t count;
    aged *ages = collect(window, grouping, only, &count);
    for (uint32_t i = 1; i <= grouping->count; i++)
        lifetimes.created += matches(grouping, i, only) ? grouping->groups[i - 1].end.created : 0;
    lifetimes.groups = mp_alloc_zero(grouping->count + 1u, sizeof *lifetimes.groups);
    if (count) {
        qsort(ages, count, sizeof *ages, by_group_then_age);
        for (size_t i = 0, from = 0; i < count; i++)
            if (i + 1 == count || ages[i + 1].group != ages[i].group) {
                mp_lifetime *group = &lifetimes.groups[lifetimes.count++];
                *group = summary(ages + from, i + 1 - from);
                group->group = ages[i].group;
                group->label = grouping->groups[ages[i].group - 1].label;
                group->alive = mp_cost_live(grouping->groups[ages[i].group - 1].end);
                from = i + 1;
            }
        qsort(ages, count, sizeof *ages, by_age);
        lifetimes.total = summary(ages, count);
    }
    classify(&lifetimes, ages, count);
    free(ages);
    qsort(lifetimes.groups, lifetimes.count, sizeof *lifetimes.groups, most_deaths);
    return lifetimes;
}

void mp_lifetimes_free(mp_lifetimes *lifetimes)
{
    free(lifetimes->groups);
    *lifetimes = (mp_lifetimes){.count = 0};
}
