/* Retained sizes of groups of objects or of roots: which groups are computed in which pass
 * (joint_pass.h). */
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "query/joint_pass.h"

/* --- choice of groups --- */

static void add_part(mp_joint_pass *state, mp_groups *groups, const uint32_t *order, uint32_t from,
                     uint32_t to)
{
    state->parts[state->used++] = (mp_joint_part){groups, order, from, to};
}

/* Add groups of other kinds that will be needed soon, if there is room for all groups of that
 * kind. */
static void fill(mp_joint_pass *state, mp_graph_view *view, const mp_groups *asked)
{
    mp_groups *others[] = {&view->kinds, &view->types.groups, &view->holders, &view->statics};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        uint32_t open = 0;
        for (uint32_t i = 0; i < others[k]->count; i++)
            open += !others[k]->items[i].exact;
        if (others[k] == asked || open > MP_JOINT_SLOTS - state->used)
            continue;
        for (uint32_t i = 0; i < others[k]->count; i++)
            if (!others[k]->items[i].exact)
                add_part(state, others[k], NULL, i, i + 1);
    }
}

/* Sort groups by their known retained sizes, largest first. */
static void sort_groups(const mp_groups *groups, uint32_t *which, size_t count)
{
    if (count)
        mp_sort_largest(which, count, &groups->items[0].bytes, sizeof *groups->items);
}

/* Groups that must be settled, in the form of mp_groups_settle. */
typedef struct question {
    mp_groups *groups;
    const uint32_t *which;
    uint32_t count;
    size_t most;
    int64_t least;
} question;

static uint32_t asked_group(const question *asked, uint32_t i)
{
    return asked->which ? asked->which[i] : i;
}

/* Return the retained size that a group must reach to be of interest: `least` or, if it is larger,
 * the known size of the `most`-th largest group. */
static int64_t bar_of(const question *asked)
{
    if (!asked->most || asked->most > asked->count)
        return asked->least;
    uint32_t *order = mp_alloc(asked->count * sizeof *order);
    for (uint32_t i = 0; i < asked->count; i++)
        order[i] = asked_group(asked, i);
    sort_groups(asked->groups, order, asked->count);
    int64_t bar = asked->groups->items[order[asked->most - 1]].bytes;
    free(order);
    return bar > asked->least ? bar : asked->least;
}

/* Choose the groups of a pass. If small groups may stay unsettled, half of the bits are for single
 * groups with the largest known sizes. Each bit of the other half is for many groups together. If
 * these together do not retain an object, none of them retains it. */
static void choose(mp_joint_pass *state, mp_groups *groups, const uint32_t *open, uint32_t count,
                   bool bounded)
{
    uint32_t alone = count <= MP_JOINT_SLOTS ? count
                     : bounded               ? MP_JOINT_SLOTS / 2
                                             : MP_JOINT_SLOTS;
    for (uint32_t i = 0; i < alone; i++)
        add_part(state, groups, open, i, i + 1);
    if (!bounded)
        return;
    uint64_t rest = count - alone,
             parts = MP_JOINT_SLOTS - alone < rest ? MP_JOINT_SLOTS - alone : rest;
    for (uint64_t i = 0; i < parts; i++)
        add_part(state, groups, open, alone + (uint32_t)(rest * i / parts),
                 alone + (uint32_t)(rest * (i + 1) / parts));
}

/* Run a pass over the open groups. Return how many of them stay open; they keep their order. */
static uint32_t settle_some(mp_graph_view *view, const question *asked, uint32_t *open,
                            uint32_t left)
{
    mp_groups *groups = asked->groups;
    mp_joint_pass state = {.used = 0};
    choose(&state, groups, open, left, bar_of(asked) > 0);
    uint32_t parts = state.used, kept = 0, seen = state.parts[parts - 1].to;
    fill(&state, view, groups);
    mp_joint_pass_run(&state, view);
    int64_t bar = bar_of(asked);
    for (uint32_t slot = 0; slot < parts; slot++)
        for (uint32_t i = state.parts[slot].from; i < state.parts[slot].to; i++)
            if (!groups->items[open[i]].exact && state.found[slot].bytes >= bar)
                open[kept++] = open[i];
    for (uint32_t i = seen; i < left; i++)
        open[kept++] = open[i];
    return kept;
}

/* Like settle_some, but with lower and upper bounds of all groups. */
static uint32_t settle_by_bounds(mp_graph_view *view, const question *asked, uint32_t *open,
                                 uint32_t left)
{
    mp_groups *groups = asked->groups;
    int64_t *highest = mp_alloc(groups->count * sizeof *highest);
    uint32_t kept = 0;
    mp_groups_bound(view, groups, highest);
    int64_t bar = bar_of(asked);
    for (uint32_t i = 0; i < left; i++)
        if (!groups->items[open[i]].exact && highest[open[i]] >= bar)
            open[kept++] = open[i];
    sort_groups(groups, open, kept);
    free(highest);
    return kept;
}

void mp_groups_settle(mp_graph_view *view, mp_groups *groups, const uint32_t *which, uint32_t count,
                      size_t most, int64_t least)
{
    /* If many groups retain equal amounts, passes exclude none of these groups, but bounds do. */
    enum { FEW_PASSES = 4 };
    const question asked = {groups, which, count, most, least};
    bool has_bounds = groups->kind == MP_GROUPS_OF_TYPES || groups->kind == MP_GROUPS_OF_ROOTED;
    uint32_t *open = mp_alloc((count + 1u) * sizeof *open), left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!groups->items[asked_group(&asked, i)].exact)
            open[left++] = asked_group(&asked, i);
    sort_groups(groups, open, left);
    for (uint32_t passes = 1; left; passes++) {
        left = settle_some(view, &asked, open, left);
        if (has_bounds && passes == FEW_PASSES && left > FEW_PASSES * MP_JOINT_SLOTS)
            left = settle_by_bounds(view, &asked, open, left);
    }
    free(open);
}

void mp_groups_free(mp_groups *groups)
{
    free(groups->group_of);
    free(groups->items);
    *groups = (mp_groups){0};
}
