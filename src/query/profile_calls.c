/* Calls in an execution profile, from its call tree or, before version 3, from its call graph. */
#include <assert.h>
#include <stdlib.h>

#include "base/index.h"
#include "query/calls.h"
#include "query/code_names.h"
#include "query/profile_costs.h"
#include "query/profile_groups.h"

/* --- methods --- */

/* The callables are the methods, then the session, then, if any modules are excluded, one for all
 * of these together (those of the profiler and those not selected). */
typedef struct builder {
    const mp_filter *filter;
    const mp_profile *profile;
    mp_module_groups groups;
    mp_calls *calls;
} builder;

static uint32_t callable_of(const builder *from, mp_module_id module)
{
    uint32_t group = from->groups.method_of[module.i],
             methods = (uint32_t)from->groups.method_count;
    bool session = from->profile->modules.items[module.i].number == 0;
    return group != MP_NO_GROUP ? group : session ? methods : methods + 1;
}

static void name_callables(const builder *from)
{
    const mp_model *model = from->filter->model;
    const char *rest = "lib/zprofiler, left out";
    for (uint32_t i = from->profile->modules.count; i-- > 1;) {
        const mp_module *module = &from->profile->modules.items[i];
        mp_callable *callable = &from->calls->items[callable_of(from, (mp_module_id){i})];
        callable->name = mp_model_text(model, module->name.i ? module->name : module->program);
        if (from->groups.method_of[i] == MP_NO_GROUP) {
            const bool *profiler = from->filter->profiler;
            bool is_selected_away = !profiler || !profiler[i];
            if (module->number != 0 && is_selected_away)
                rest = "not selected";
            if (module->number != 0)
                callable->name = rest;
            callable->shown = callable->name;
            continue;
        }
        callable->program = module->program;
        callable->method = module->method;
        callable->start_line = module->start_line;
        const mp_code_place place = mp_module_place(model, module);
        callable->shown = mp_code_label(&from->calls->names, &place);
    }
}

/* Set the costs of the methods, the same as in all reports. The session has the cost of its own
 * lines. */
static void fill_callables(const builder *from)
{
    mp_calls *calls = from->calls;
    mp_profile_costs costs = mp_profile_costs_of(from->filter);
    calls->count = (uint32_t)from->groups.method_count + (from->filter->modules ? 2 : 1);
    calls->items = mp_alloc_zero(calls->count, sizeof *calls->items);
    for (size_t i = 0; i < costs.methods.count; i++) {
        const mp_code_cost *cost = &costs.methods.items[i];
        mp_callable *callable = &calls->items[cost->group];
        callable->self.cost = callable->sites = cost->exclusive_us;
        callable->total.cost =
            cost->inclusive == MP_INCLUSIVE_UNKNOWN ? MP_UNTOLD : cost->inclusive_us;
        callable->estimated = cost->inclusive == MP_INCLUSIVE_ESTIMATED;
        callable->calls = cost->calls;
    }
    mp_profile_costs_free(&costs);
    mp_callable *session = &calls->items[from->groups.method_count];
    session->total.cost = MP_UNTOLD;
    for (uint32_t i = 1; i < from->profile->lines.count; i++) {
        const mp_profile_line *line = &from->profile->lines.items[i];
        if (from->profile->modules.items[line->module.i].number == 0) {
            session->self.cost += line->exclusive_us;
            session->calls += line->line == 0 ? line->executions : 0;
        }
    }
    name_callables(from);
}

static void add_line(const builder *from, int32_t wanted)
{
    for (uint32_t i = 0; i < from->calls->count; i++)
        from->calls->items[i].line_all = MP_UNTOLD;
    for (uint32_t i = 1; i < from->profile->lines.count; i++) {
        const mp_profile_line *line = &from->profile->lines.items[i];
        mp_callable *callable = &from->calls->items[callable_of(from, line->module)];
        bool left_out = from->filter->profiler && from->filter->profiler[line->module.i];
        if (line->line != wanted || left_out)
            continue;
        callable->at_line.cost += line->exclusive_us;
        callable->executions += line->executions;
        if (callable->line_all == MP_UNTOLD)
            callable->line_all = 0;
        callable->line_all += line->cumulative_us;
    }
}

/* --- call tree --- */

static void edges_of_tree(const builder *from)
{
    const mp_model *model = from->filter->model;
    mp_calls *calls = from->calls;
    uint32_t count = from->profile->nodes.count;
    mp_preorder preorder = mp_profile_preorder(model);
    int64_t *times = mp_profile_node_times(from->filter, &preorder);
    mp_call_node *nodes = mp_alloc_zero(count, sizeof *nodes);
    for (uint32_t i = 1; i < count; i++) {
        const mp_profile_node *node = &from->profile->nodes.items[preorder.order[i]];
        const uint32_t line = model->nodes.items[node->node.i].line;
        nodes[i] = (mp_call_node){.parent = preorder.parent[i],
                                  .span = preorder.span[i],
                                  .callable = callable_of(from, node->module),
                                  .line = (int32_t)line,
                                  .has_line = preorder.parent[i] != 0 && line != MP_NO_LINE,
                                  .calls = node->calls,
                                  .total = {times[i], 0}};
    }
    mp_calls_of_nodes(calls, nodes, count);
    int64_t *totals = mp_alloc_zero(calls->count, sizeof *totals);
    for (size_t i = 0; i < calls->edge_count; i++) {
        const mp_call_edge *edge = &calls->edges[i];
        totals[edge->callee] += edge->as_caller.cost;
        calls->items[edge->callee].nested += edge->nested;
    }
    for (uint32_t i = (uint32_t)from->groups.method_count; i < calls->count; i++)
        calls->items[i].total.cost = totals[i]; /* totals of methods are set already */
    MP_FREE(totals, nodes, times);
    mp_preorder_free(&preorder);
}

/* --- call graph --- */

/* The callees of each module: targets[first[m]] to targets[first[m + 1] - 1]. */
typedef struct call_lists {
    uint32_t *first, *targets;
} call_lists;

static call_lists list_calls(const mp_profile *profile)
{
    uint32_t modules = profile->modules.count;
    call_lists lists = {mp_alloc_zero((size_t)modules + 2, sizeof(uint32_t)),
                        mp_alloc_zero(profile->calls.count, sizeof(uint32_t))};
    for (uint32_t i = 1; i < profile->calls.count; i++)
        lists.first[profile->calls.items[i].caller.i + 2]++;
    for (uint32_t i = 2; i < modules + 2; i++)
        lists.first[i] += lists.first[i - 1];
    for (uint32_t i = 1; i < profile->calls.count; i++) {
        const mp_profile_call *call = &profile->calls.items[i];
        lists.targets[lists.first[call->caller.i + 1]++] = call->callee.i;
    }
    return lists;
}

/* Search for cycles of calls with Tarjan's algorithm. Arrays are by module. */
typedef struct ring_search {
    call_lists lists;
    uint32_t *number; /* number of each module, from 1, in the order of the first visits; 0: not
                         visited */
    uint32_t *lowest; /* lowest number of an open module that the module reaches */
    uint32_t *next;   /* next call of each module to follow */
    bool *closed, *recursive;
    uint32_t *way, *pending; /* modules on the path from the root to the current one; modules that
                                are still open */
    uint32_t visited, height, open;
} ring_search;

static void visit(ring_search *state, uint32_t index)
{
    state->number[index] = state->lowest[index] = ++state->visited;
    state->next[index] = state->lists.first[index];
    state->pending[state->open++] = index;
}

static void follow_call(ring_search *state, uint32_t index)
{
    const uint32_t target = state->lists.targets[state->next[index]++];
    state->recursive[index] |= target == index;
    if (!state->number[target])
        state->way[state->height++] = target;
    else if (!state->closed[target] && state->number[target] < state->lowest[index])
        state->lowest[index] = state->number[target];
}

/* Return to the caller. If the module reaches no module with a number lower than its own, it and
 * the pending modules after it are one component. */
static void leave(ring_search *state, uint32_t index)
{
    const uint32_t height = --state->height;
    if (height && state->lowest[index] < state->lowest[state->way[height - 1]])
        state->lowest[state->way[height - 1]] = state->lowest[index];
    const bool alone = state->pending[state->open - 1] == index;
    for (uint32_t last = 0; state->lowest[index] == state->number[index] && last != index;) {
        last = state->pending[--state->open];
        state->closed[last] = true;
        state->recursive[last] |= !alone;
    }
}

/* Return a flag for each module: true if it can call itself, directly or through other modules.
 * This is true if it has a call to itself, or is in a component with more than one module. */
static bool *find_recursive(const mp_profile *profile)
{
    const uint32_t count = profile->modules.count;
    ring_search state = {.lists = list_calls(profile),
                         .number = mp_alloc_zero(count, sizeof *state.number),
                         .lowest = mp_alloc_zero(count, sizeof *state.lowest),
                         .next = mp_alloc_zero(count, sizeof *state.next),
                         .closed = mp_alloc_zero(count, sizeof *state.closed),
                         .recursive = mp_alloc_zero(count, sizeof *state.recursive),
                         .way = mp_alloc_zero(count, sizeof *state.way),
                         .pending = mp_alloc_zero(count, sizeof *state.pending)};
    for (uint32_t root = 1; root < count; root++) {
        if (!state.number[root])
            state.way[state.height++] = root;
        while (state.height) {
            const uint32_t index = state.way[state.height - 1];
            if (!state.number[index])
                visit(&state, index);
            if (state.next[index] < state.lists.first[index + 1])
                follow_call(&state, index);
            else
                leave(&state, index);
        }
    }
    MP_FREE(state.lists.first, state.lists.targets, state.number, state.lowest, state.next,
            state.closed, state.way, state.pending);
    return state.recursive;
}

/* Facts about a line that calls something. The time of a line's callees is its cumulative time
 * minus its own time; if there is only one callee, all of this time belongs to it. The cumulative
 * time of a module's line 0 belongs to its caller if there is only one. No time is counted twice,
 * unless recursion returns to the line or to the module. */
typedef struct line_facts {
    int64_t called_us; /* time of the callees, microseconds */
    uint32_t callees;  /* number of callees of the line */
    bool has_line;     /* the summary has a row for the line */
} line_facts;

typedef struct graph_facts {
    mp_id_index index; /* index in `lines` by (module, line) */
    line_facts *lines; /* numbered from 1 */
    size_t count, capacity;
    int64_t *entry_us; /* cumulative time of each module's line 0; MP_UNTOLD: no row */
    uint32_t *callers; /* number of lines that call each module */
    bool *recursive;   /* flag of each module: true if it can call itself */
} graph_facts;

static line_facts *facts_of(graph_facts *facts, mp_module_id module, int32_t line)
{
    uint32_t *place = mp_id_index_put(&facts->index, (uint64_t)module.i << 32 | (uint32_t)line);
    if (!*place) {
        *place = (uint32_t)++facts->count;
        mp_grow(&facts->lines, &facts->capacity, facts->count + 1, sizeof *facts->lines);
        facts->lines[*place] = (line_facts){0};
    }
    return &facts->lines[*place];
}

static graph_facts facts_of_graph(const mp_profile *profile)
{
    graph_facts facts = {.entry_us = mp_alloc(profile->modules.count * sizeof(int64_t)),
                         .callers = mp_alloc_zero(profile->modules.count, sizeof(uint32_t)),
                         .recursive = find_recursive(profile)};
    for (uint32_t i = 0; i < profile->modules.count; i++)
        facts.entry_us[i] = MP_UNTOLD;
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[i];
        line_facts *state = facts_of(&facts, line->module, line->line);
        state->called_us += line->cumulative_us - line->exclusive_us;
        state->has_line = true;
        if (line->line == 0)
            facts.entry_us[line->module.i] = line->cumulative_us;
    }
    for (uint32_t i = 1; i < profile->calls.count; i++) {
        const mp_profile_call *call = &profile->calls.items[i];
        facts_of(&facts, call->caller, call->line)->callees++;
        facts.callers[call->callee.i]++;
    }
    return facts;
}

static int64_t cost_of_call(graph_facts *facts, const mp_profile_call *call)
{
    const line_facts *line = facts_of(facts, call->caller, call->line);
    bool caller = facts->recursive[call->caller.i], callee = facts->recursive[call->callee.i];
    /* The cumulative time of line 0 is that of the whole module, so it cannot be used here. */
    if (call->line != 0 && line->has_line && line->callees == 1 && line->called_us >= 0 &&
        !(caller && callee))
        return line->called_us;
    if (facts->callers[call->callee.i] == 1 && !callee)
        return facts->entry_us[call->callee.i];
    return MP_UNTOLD;
}

static int by_edge(const void *left, const void *right)
{
    const mp_call_edge *a = left, *b = right;
    int order = MP_COMPARE(a->caller, b->caller);
    order = order ? order : a->has_line - b->has_line;
    order = order ? order : MP_COMPARE(a->line, b->line);
    return order ? order : MP_COMPARE(a->callee, b->callee);
}

/* Add up equal edges of several sessions. Within one session all edges are distinct. */
static void fold_edges(mp_calls *calls)
{
    size_t kept = 0;
    if (calls->edge_count)
        qsort(calls->edges, calls->edge_count, sizeof *calls->edges, by_edge);
    for (size_t i = 0; i < calls->edge_count; i++) {
        const mp_call_edge edge = calls->edges[i];
        mp_call_edge *last = kept ? &calls->edges[kept - 1] : NULL;
        if (!last || by_edge(last, &edge) != 0) {
            calls->edges[kept++] = edge;
            continue;
        }
        bool told = last->as_caller.cost >= 0 && edge.as_caller.cost >= 0;
        last->as_caller.cost = told ? last->as_caller.cost + edge.as_caller.cost : MP_UNTOLD;
        last->as_callee.cost = told ? last->as_callee.cost + edge.as_callee.cost : MP_UNTOLD;
        last->calls += edge.calls;
        bool counted = last->nested >= 0 && edge.nested >= 0;
        last->nested = counted ? last->nested + edge.nested : MP_UNTOLD;
    }
    calls->edge_count = kept;
}

static bool *sessions_with_nodes(const mp_model *model)
{
    const mp_profile *profile = model->profile;
    bool *has = mp_alloc_zero(model->sessions.count, sizeof *has);
    for (uint32_t i = 1; model->tree_of && i < profile->nodes.count; i++)
        has[profile->modules.items[profile->nodes.items[i].module.i].session.i] = true;
    return has;
}

/* Add the edges of sessions without a call tree. */
static void edges_of_graph(const builder *from, const bool *has_nodes)
{
    const mp_profile *profile = from->profile;
    mp_calls *calls = from->calls;
    size_t capacity = calls->edge_count;
    graph_facts facts = facts_of_graph(profile);
    for (uint32_t i = 1; i < profile->calls.count; i++) {
        const mp_profile_call *call = &profile->calls.items[i];
        bool left_out = from->filter->profiler && from->filter->profiler[call->callee.i];
        mp_call_amount cost = {left_out ? MP_UNTOLD : cost_of_call(&facts, call), 0};
        if (has_nodes[profile->modules.items[call->caller.i].session.i])
            continue;
        *MP_APPEND(calls->edges, calls->edge_count, capacity) =
            (mp_call_edge){.caller = callable_of(from, call->caller),
                           .callee = callable_of(from, call->callee),
                           .line = call->line,
                           .has_line = true,
                           .calls = call->count,
                           .nested = MP_UNTOLD,
                           .as_caller = cost,
                           .as_callee = cost};
    }
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        mp_callable *callable = &calls->items[callable_of(from, (mp_module_id){i})];
        if (has_nodes[profile->modules.items[i].session.i])
            continue;
        callable->recursive |= facts.recursive[i];
        callable->nested = MP_UNTOLD;
    }
    mp_id_index_free(&facts.index);
    MP_FREE(facts.lines, facts.entry_us, facts.callers, facts.recursive);
}

mp_calls mp_calls_of_profile(const mp_filter *filter, const int32_t *line)
{
    mp_calls calls = {0};
    builder from = {.filter = filter,
                    .profile = filter->model->profile,
                    .groups = mp_module_groups_of(filter),
                    .calls = &calls};
    assert(from.profile);
    fill_callables(&from);
    if (line)
        add_line(&from, *line);
    bool *has_nodes = sessions_with_nodes(filter->model);
    if (from.profile->nodes.count > 1 && filter->model->tree_of)
        edges_of_tree(&from);
    edges_of_graph(&from, has_nodes);
    fold_edges(&calls);
    free(has_nodes);
    mp_module_groups_free(&from.groups);
    return calls;
}
