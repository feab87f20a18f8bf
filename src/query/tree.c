#include "base/memory.h"
#include "query/query.h"

mp_tree_cost *mp_tree_costs(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_tree_cost *costs = mp_alloc_zero(model->tree.count, sizeof *costs);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        const mp_context *context =
            &model->contexts.at[model->generations.at[delta->generation.i].context.i];
        if (context->reusable || !mp_window_before_to(window, delta->snapshot))
            continue;
        mp_tree_cost *cost = &costs[model->tree_of[context->node.i]];
        cost->own_objects += mp_cost_live(delta->cost);
        cost->own_bytes += delta->cost.bytes;
    }
    for (uint32_t i = model->tree.count; i-- > 0;) { /* parents stand before their children */
        costs[i].inclusive_objects += costs[i].own_objects;
        costs[i].inclusive_bytes += costs[i].own_bytes;
        if (i == 0)
            break;
        mp_tree_cost *parent = &costs[model->tree.at[i].parent];
        parent->inclusive_objects += costs[i].inclusive_objects;
        parent->inclusive_bytes += costs[i].inclusive_bytes;
    }
    return costs;
}
