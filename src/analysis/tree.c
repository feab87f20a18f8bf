#include "memprof/analysis.h"
#include "support/memory.h"

mp_tree_cost *mp_tree_costs(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_tree_cost *costs = mp_alloc_zero(model->tree.count, sizeof *costs);
    for (uint32_t i = 1; i < model->flows.count; i++) {
        const mp_flow *flow = &model->flows.at[i];
        const mp_lot *lot = &model->lots.at[model->cohorts.at[flow->cohort.i].lot.i];
        if (lot->reusable || !mp_window_before_to(window, flow->mark))
            continue;
        mp_tree_cost *cost = &costs[model->tree_of[lot->node.i]];
        cost->own_objects += mp_cost_live(flow->cost);
        cost->own_bytes += flow->cost.bytes;
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
