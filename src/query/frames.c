/* Groups by frame: the objects that each function and its callees created.
 *
 * Costs are summed up the call tree once. A function has the cost of its outermost calls only, so
 * that recursion counts once. */
#include <assert.h>
#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/preorder.h"
#include "query/window_cache.h"

/* Cost of the objects that a tree node created. */
typedef struct node_cost {
    mp_balance balance;
    mp_peak_share at_peak;
    uint32_t example; /* an example generation */
} node_cost;

static void add(node_cost *sum, const node_cost *cost)
{
    sum->balance.end = mp_cost_add(sum->balance.end, cost->balance.end);
    sum->balance.from_objects += cost->balance.from_objects;
    sum->balance.from_bytes += cost->balance.from_bytes;
    sum->at_peak.objects += cost->at_peak.objects;
    sum->at_peak.bytes += cost->at_peak.bytes;
    if (!sum->example)
        sum->example = cost->example;
}

/* Return the cost of each tree node with its callees; [0] has only the cost of the session
 * itself. */
static node_cost *costs_of_nodes(const mp_window *window)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    node_cost *costs = mp_alloc_zero(model->tree.count, sizeof *costs);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        if (generation->reusable ||
            !mp_filter_has_generation(window->filter, (mp_generation_id){i}))
            continue;
        node_cost cost = {balances[i], mp_filter_at_peak(window->filter, (mp_generation_id){i}), i};
        add(&costs[model->tree_of[model->contexts.items[generation->context.i].node.i]], &cost);
    }
    for (uint32_t i = model->tree.count; i-- > 1;) /* parents precede their children */
        if (model->tree.items[i].parent)
            add(&costs[model->tree.items[i].parent], &costs[i]);
    return costs;
}

/* --- groups --- */

static void assign_groups(const mp_model *model, mp_grouping *grouping)
{
    mp_id_index by_name = {0};
    size_t capacity = 0;
    grouping->group_of = mp_alloc_zero(model->tree.count, sizeof *grouping->group_of);
    for (uint32_t i = 0; i < model->tree.count; i++) {
        uint32_t *group = mp_id_index_put(&by_name, mp_source_key(model, i));
        if (!*group) {
            *group = ++grouping->count;
            mp_grow(&grouping->groups, &capacity, *group, sizeof *grouping->groups);
            grouping->groups[*group - 1] = (mp_group){.node = i};
        }
        grouping->group_of[i] = *group;
    }
    mp_id_index_free(&by_name);
    assert(grouping->groups); /* node 0 also has a group */
}

static void add_to_group(mp_group *group, const node_cost *cost)
{
    group->end = mp_cost_add(group->end, cost->balance.end);
    group->from_objects += cost->balance.from_objects;
    group->from_bytes += cost->balance.from_bytes;
    group->at_peak.objects += cost->at_peak.objects;
    group->at_peak.bytes += cost->at_peak.bytes;
    if (!group->example.i)
        group->example.i = cost->example;
}

/* Add the cost of each outermost node to its group. Nodes of the same group below it are skipped,
 * up to the place `until` in preorder. */
static void add_outermost(const mp_model *model, const node_cost *costs, mp_grouping *grouping)
{
    mp_preorder nodes = mp_tree_preorder(model);
    uint32_t *until = mp_alloc_zero((size_t)grouping->count + 1, sizeof *until);
    for (uint32_t i = 1; i < model->tree.count; i++) {
        uint32_t group = grouping->group_of[nodes.order[i]];
        if (i < until[group])
            continue;
        until[group] = i + nodes.span[i];
        add_to_group(&grouping->groups[group - 1], &costs[nodes.order[i]]);
    }
    free(until);
    mp_preorder_free(&nodes);
}

mp_grouping mp_group_frames(const mp_window *window)
{
    mp_grouping grouping = {.of_frames = true, .private = mp_alloc_zero(1, sizeof(mp_arena))};
    node_cost *costs = costs_of_nodes(window);
    assign_groups(window->model, &grouping);
    add_to_group(&grouping.groups[grouping.group_of[0] - 1], &costs[0]);
    add_outermost(window->model, costs, &grouping);
    free(costs);
    return grouping;
}
