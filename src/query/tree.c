#include "base/memory.h"
#include "query/group.h"

mp_tree_cost *mp_tree_costs(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_tree_cost *costs = mp_alloc_zero(model->tree.count, sizeof *costs);
    const mp_balance *balances = mp_window_balances(window);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        uint32_t node = model->contexts.items[model->generations.items[i].context.i].node.i;
        costs[model->tree_of[node]].own_objects += mp_cost_live(balances[i].end);
        costs[model->tree_of[node]].own_bytes += balances[i].end.bytes;
    }
    for (uint32_t i = model->tree.count; i-- > 0;) { /* parents precede their children */
        costs[i].inclusive_objects += costs[i].own_objects;
        costs[i].inclusive_bytes += costs[i].own_bytes;
        if (i == 0)
            break;
        mp_tree_cost *parent = &costs[model->tree.items[i].parent];
        parent->inclusive_objects += costs[i].inclusive_objects;
        parent->inclusive_bytes += costs[i].inclusive_bytes;
    }
    return costs;
}
