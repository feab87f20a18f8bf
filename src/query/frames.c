/* Groups by every frame of a stack: what a function and all that it called have created.
 *
 * Costs are summed up the call tree once. A function's are those of its outermost calls, so that a
 * recursion counts once: the calls that no other call of it stands above. */
#include "query/frames.h"

#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"

typedef struct node_cost {
    mp_cost from, to;
    mp_peak_share at_peak;
    uint32_t example; /* generation */
} node_cost;

typedef struct builder {
    const mp_window *window;
    const mp_model *model;
    node_cost *costs;   /* by tree node; inclusive but for [0], the session itself */
    uint32_t *group_of; /* by tree node */
    mp_group *groups;   /* from 1 */
    size_t capacity;
    uint32_t count;
    mp_arena *labels;
} builder;

static uint32_t node_of(const builder *shop, mp_generation_id generation)
{
    const mp_model *model = shop->model;
    const mp_context *context = &model->contexts.at[model->generations.at[generation.i].context.i];
    return context->reusable ? UINT32_MAX : model->tree_of[context->node.i];
}

static void add_deltas(builder *shop)
{
    const mp_model *model = shop->model;
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        uint32_t node = node_of(shop, delta->generation);
        if (node == UINT32_MAX || !mp_window_before_to(shop->window, delta->snapshot))
            continue;
        node_cost *cost = &shop->costs[node];
        cost->to = mp_cost_add(cost->to, delta->cost);
        if (mp_window_before_from(shop->window, delta->snapshot))
            cost->from = mp_cost_add(cost->from, delta->cost);
        if (!cost->example)
            cost->example = delta->generation.i;
    }
    for (uint32_t i = 1; model->events && i < model->events->at_peak_count; i++) {
        uint32_t node = node_of(shop, (mp_generation_id){i});
        if (node == UINT32_MAX)
            continue;
        shop->costs[node].at_peak.objects += model->events->at_peak[i].objects;
        shop->costs[node].at_peak.bytes += model->events->at_peak[i].bytes;
    }
}

static void add(node_cost *sum, const node_cost *cost)
{
    sum->from = mp_cost_add(sum->from, cost->from);
    sum->to = mp_cost_add(sum->to, cost->to);
    sum->at_peak.objects += cost->at_peak.objects;
    sum->at_peak.bytes += cost->at_peak.bytes;
    if (!sum->example)
        sum->example = cost->example;
}

/* Parents stand before their children. */
static void add_callees(builder *shop)
{
    for (uint32_t i = shop->model->tree.count; i-- > 1;)
        if (shop->model->tree.at[i].parent)
            add(&shop->costs[shop->model->tree.at[i].parent], &shop->costs[i]);
}

/* --- groups --- */

static uint32_t new_group(builder *shop, uint32_t node)
{
    mp_grow(&shop->groups, &shop->capacity, ++shop->count + 1u, sizeof *shop->groups);
    size_t size = (size_t)mp_tree_label(shop->model, node, NULL, 0) + 1;
    char *label = mp_arena_alloc(shop->labels, size);
    mp_tree_label(shop->model, node, label, size);
    shop->groups[shop->count] = (mp_group){.label = label, .node = node};
    return shop->count;
}

static void assign_groups(builder *shop)
{
    const mp_model *model = shop->model;
    mp_id_index by_name = {0};
    for (uint32_t i = 0; i < model->tree.count; i++) {
        mp_symbol_id symbol = model->tree.at[i].symbol;
        uint32_t name = model->symbols.at[symbol.i].name.i;
        uint64_t key = name       ? name
                       : symbol.i ? (uint64_t)1 << 32 | symbol.i
                                  : (uint64_t)2 << 32 | i;
        uint32_t *group = mp_id_index_put(&by_name, key);
        if (!*group)
            *group = new_group(shop, i);
        shop->group_of[i] = *group;
    }
    mp_id_index_free(&by_name);
}

static void add_to_group(builder *shop, uint32_t node)
{
    const node_cost *cost = &shop->costs[node];
    mp_group *group = &shop->groups[shop->group_of[node]];
    group->to = mp_cost_add(group->to, cost->to);
    group->from = mp_cost_add(group->from, cost->from);
    group->at_peak.objects += cost->at_peak.objects;
    group->at_peak.bytes += cost->at_peak.bytes;
    if (!group->example.i)
        group->example.i = cost->example;
}

/* Down the tree and up again, with a count for each group of how often it is above. */
static void add_outermost(builder *shop)
{
    const mp_model *model = shop->model;
    uint32_t nodes = model->tree.count;
    uint32_t *first = mp_alloc_zero(nodes, sizeof *first);
    uint32_t *next = mp_alloc_zero(nodes, sizeof *next);
    uint32_t *above = mp_alloc_zero((size_t)shop->count + 1, sizeof *above);
    for (uint32_t i = nodes; i-- > 1;) {
        next[i] = first[model->tree.at[i].parent];
        first[model->tree.at[i].parent] = i;
    }
    uint32_t node = first[0];
    while (node) {
        if (above[shop->group_of[node]]++ == 0)
            add_to_group(shop, node);
        if (first[node]) {
            node = first[node];
            continue;
        }
        while (node && !next[node]) {
            above[shop->group_of[node]]--;
            node = model->tree.at[node].parent;
        }
        if (node) {
            above[shop->group_of[node]]--;
            node = next[node];
        }
    }
    free(first);
    free(next);
    free(above);
}

static bool has_anything(const mp_group *group)
{
    const mp_cost *cost = &group->to;
    return cost->created || cost->deleted || cost->retyped || cost->found || cost->bytes;
}

/* Close the gaps that empty groups leave. */
static mp_grouping keep_full_groups(builder *shop)
{
    mp_grouping grouping = {
        .groups = shop->groups, .group_of_node = shop->group_of, .private = shop->labels};
    uint32_t *kept = mp_alloc_zero((size_t)shop->count + 1, sizeof *kept);
    for (uint32_t i = 1; i <= shop->count; i++)
        if (has_anything(&shop->groups[i])) {
            shop->groups[grouping.count++] = shop->groups[i];
            kept[i] = grouping.count;
        }
    for (uint32_t i = 0; i < shop->model->tree.count; i++)
        shop->group_of[i] = kept[shop->group_of[i]];
    free(kept);
    return grouping;
}

mp_grouping mp_group_frames(const mp_window *window)
{
    builder shop = {.window = window, .model = window->model};
    shop.costs = mp_alloc_zero(shop.model->tree.count, sizeof *shop.costs);
    shop.group_of = mp_alloc_zero(shop.model->tree.count, sizeof *shop.group_of);
    shop.labels = mp_alloc_zero(1, sizeof *shop.labels);
    mp_grow(&shop.groups, &shop.capacity, 1, sizeof *shop.groups);
    add_deltas(&shop);
    add_callees(&shop);
    assign_groups(&shop);
    add_to_group(&shop, 0);
    add_outermost(&shop);
    mp_grouping grouping = keep_full_groups(&shop);
    free(shop.costs);
    return grouping;
}
