/* Calls on the stacks of a heap's allocations. */
#include <stdlib.h>

#include "base/index.h"
#include "query/calls.h"
#include "query/preorder.h"
#include "query/query.h"

/* Create the callables, and return the callable of each tree node. A node without a symbol is its
 * own callable. Symbols of different recordings are equal if they have the same name and first
 * line. */
static uint32_t *make_callables(mp_calls *calls, const mp_model *model)
{
    uint32_t nodes = model->tree.count;
    uint32_t *map = mp_alloc_zero(nodes, sizeof *map);
    mp_id_index index = {0};
    calls->items = mp_alloc_zero(nodes, sizeof *calls->items);
    for (uint32_t i = 1; i < nodes; i++) {
        mp_symbol_id symbol = model->tree.items[i].symbol;
        const mp_symbol *state = &model->symbols.items[symbol.i];
        const uint64_t key = state->name.i ? mp_joined(state->name.i, state->start_line) : symbol.i;
        uint32_t none = 0;
        uint32_t *place = symbol.i ? mp_id_index_put(&index, key) : &none;
        if (!*place) {
            calls->items[calls->count] =
                (mp_callable){.name = mp_tree_label(&calls->names, model, i),
                              .shown = mp_tree_told(&calls->names, model, i),
                              .start_line = symbol.i ? state->start_line : 0,
                              .line_all = MP_UNTOLD};
            *place = ++calls->count;
        }
        map[i] = *place - 1;
    }
    mp_id_index_free(&index);
    return map;
}

/* Add the cost of a node to its allocation site. Objects that an allocator creates belong to its
 * first caller that is not an allocator. */
static void add_site(mp_calls *calls, const mp_model *model, const uint32_t *callable_of,
                     uint32_t node, const mp_tree_cost *cost)
{
    uint32_t site = mp_frame_naming(model, (mp_frame){node, 0}).node;
    if (!model->symbols.items[model->tree.items[site].symbol.i].allocator)
        calls->items[callable_of[site]].sites += cost->own_bytes;
}

static void add_line(mp_calls *calls, const mp_window *window, const uint32_t *callable_of,
                     uint32_t line)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_context *context = &model->contexts.items[model->generations.items[i].context.i];
        uint32_t node = model->tree_of[context->node.i];
        if (!node || context->line != line)
            continue;
        mp_call_amount *call_amount = &calls->items[callable_of[node]].at_line;
        call_amount->cost += balances[i].end.bytes;
        call_amount->objects += mp_cost_live(balances[i].end);
    }
}

mp_calls mp_calls_of_heap(const mp_window *window, const int32_t *line)
{
    const mp_model *model = window->model;
    uint32_t count = model->tree.count;
    mp_calls calls = {0};
    uint32_t *callable_of = make_callables(&calls, model);
    mp_tree_cost *costs = mp_tree_costs(window);
    mp_call_node *nodes = mp_alloc_zero(count, sizeof *nodes);
    mp_preorder preorder = mp_tree_preorder(model);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t node = preorder.order[i];
        const mp_tree_cost *cost = &costs[node];
        nodes[i] = (mp_call_node){.parent = preorder.parent[i],
                                  .span = preorder.span[i],
                                  .callable = callable_of[node],
                                  .line = (int32_t)model->tree.items[node].line,
                                  .has_line = preorder.parent[i] &&
                                              model->tree.items[node].line != MP_NO_LINE,
                                  .total = {cost->inclusive_bytes, cost->inclusive_objects}};
        mp_callable *callable = &calls.items[callable_of[node]];
        callable->self.cost += cost->own_bytes;
        callable->self.objects += cost->own_objects;
        add_site(&calls, model, callable_of, node, cost);
    }
    mp_calls_of_nodes(&calls, nodes, count);
    for (size_t i = 0; i < calls.edge_count; i++) {
        mp_callable *callee = &calls.items[calls.edges[i].callee];
        callee->total.cost += calls.edges[i].as_caller.cost;
        callee->total.objects += calls.edges[i].as_caller.objects;
    }
    if (line)
        add_line(&calls, window, callable_of, (uint32_t)*line);
    mp_preorder_free(&preorder);
    MP_FREE(nodes, costs, callable_of);
    return calls;
}
