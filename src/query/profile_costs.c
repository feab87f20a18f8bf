#include "query/profile_costs.h"

#include <math.h>
#include <stdlib.h>

#include "base/index.h"
#include "base/share.h"
#include "query/profile_groups.h"

mp_profile_totals mp_profile_total(const mp_filter *filter)
{
    mp_profile_totals totals = {0};
    const mp_profile *profile = filter->model->profile;
    if (!profile)
        return totals;
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[i];
        const mp_module *module = &profile->modules.items[line->module.i];
        if (filter->profiler && filter->profiler[line->module.i]) {
            totals.instrumentation_us += line->exclusive_us;
            totals.instrumentation_lines++;
        }
        if (module->number == 0 || !mp_filter_has_module(filter, line->module.i))
            continue;
        totals.exclusive_us += line->exclusive_us;
        if (line->line == 0 && !(line->unknown & MP_UNKNOWN_LINE))
            totals.calls += line->executions;
    }
    mp_module_groups groups = mp_module_groups_of(filter);
    /* Groups are sorted by the ids of their texts, so code of unknown programs comes first. */
    totals.modules = groups.program_count - (groups.program_count && !groups.programs[0].program.i);
    mp_module_groups_free(&groups);
    totals.partial = profile->from_report;
    return totals;
}

static mp_code_cost row_named(const mp_code_name *name)
{
    return (mp_code_cost){.program = name->program,
                          .method = name->method,
                          .runtime = name->runtime,
                          .start_line = name->start_line,
                          .overload = name->overload,
                          .run_by_several = name->run_by_several};
}

static mp_code_costs rows_named(const mp_code_name *names, size_t count)
{
    mp_code_costs rows = {mp_alloc(count * sizeof *rows.items), count};
    for (size_t i = 0; i < count; i++) {
        rows.items[i] = row_named(&names[i]);
        rows.items[i].group = (uint32_t)i;
    }
    return rows;
}

/* --- lines --- */

static void line_add(mp_code_cost *row, const mp_profile_line *line)
{
    /* The average that a report prints is more exact than the quotient of the rounded times that it
     * prints. It cannot be used for a sum of rows. */
    bool stated = line->rounded && !(line->unknown & MP_UNKNOWN_AVERAGE) && !row->rounded &&
                  row->calls == 0 && row->exclusive_us == 0;
    row->calls += line->executions;
    row->exclusive_us += line->exclusive_us;
    row->unknown |= line->unknown & ~(unsigned)MP_UNKNOWN_AVERAGE;
    row->rounded |= line->rounded;
    if (!row->code.i)
        row->code = line->code;
    bool known = !(row->unknown & (MP_UNKNOWN_EXECUTIONS | MP_UNKNOWN_EXCLUSIVE));
    row->unknown &= ~(unsigned)MP_UNKNOWN_AVERAGE;
    if (stated) {
        row->average_us = (double)line->average_us;
        row->stated_us = line->average_us;
    } else if (known && row->calls > 0) {
        row->average_us = (double)row->exclusive_us / (double)row->calls;
    } else {
        row->average_us = 0;
        row->unknown |= MP_UNKNOWN_AVERAGE;
    }
}

static int compare(const void *left, const void *right, void *opaque)
{
    const mp_code_cost *a = left, *b = right;
    const mp_model *model = opaque;
    int order = MP_COMPARE(b->exclusive_us, a->exclusive_us);
    order = order ? order : mp_profile_text_compare(model, a->program, b->program);
    order = order ? order : mp_profile_text_compare(model, a->method, b->method);
    order = order ? order : MP_COMPARE(a->line, b->line);
    order = order ? order : MP_COMPARE(a->start_line, b->start_line);
    order = order ? order : mp_profile_text_compare(model, a->runtime, b->runtime);
    order = order ? order : MP_COMPARE(a->overload, b->overload);
    return order ? order : MP_COMPARE(b->calls, a->calls);
}

/* --- the order of averages --- */

typedef struct fraction {
    int64_t over, under; /* numerator and denominator; the latter is greater than 0 */
} fraction;

static int64_t floor_of(fraction f)
{
    return f.over / f.under - (f.over % f.under < 0);
}

/* Compare two fractions. The result is negative if `a` is less. Whole parts are compared first,
 * then the inverted remainders, as in Euclid's algorithm, so that nothing is rounded and no product
 * overflows. */
static int compare_fractions(fraction a, fraction b)
{
    for (;;) {
        int64_t whole_a = floor_of(a), whole_b = floor_of(b);
        if (whole_a != whole_b)
            return whole_a < whole_b ? -1 : 1;
        a.over -= whole_a * a.under;
        b.over -= whole_b * b.under;
        if (!a.over || !b.over)
            return (a.over > 0) - (b.over > 0);
        fraction held = a;
        a = (fraction){b.under, b.over};
        b = (fraction){held.under, held.over};
    }
}

/* Return the average of a row. A report prints a rounded average; the quotient of its times is used
 * if it rounds to the same value. */
static fraction average_of(const mp_code_cost *cost)
{
    fraction exact = {cost->exclusive_us, cost->calls > 0 ? cost->calls : 1};
    fraction printed = {cost->stated_us, 1};
    bool differs = fabs(cost->average_us - (double)exact.over / (double)exact.under) > 1;
    bool unknown = cost->unknown & (MP_UNKNOWN_EXECUTIONS | MP_UNKNOWN_EXCLUSIVE);
    return cost->rounded && (differs || unknown) ? printed : exact;
}

static int by_average(const void *left, const void *right, void *model)
{
    const mp_code_cost *a = left, *b = right;
    bool known_a = !(a->unknown & MP_UNKNOWN_AVERAGE), known_b = !(b->unknown & MP_UNKNOWN_AVERAGE);
    int order = MP_COMPARE(known_b, known_a);
    if (!order && known_a)
        order = compare_fractions(average_of(b), average_of(a));
    return order ? order : compare(left, right, model);
}

void mp_code_costs_by_average(const mp_model *model, mp_code_costs *costs)
{
    if (costs->count)
        qsort_r(costs->items, costs->count, sizeof *costs->items, by_average,
                (void *)(uintptr_t)model);
}

static void sum_lines(const mp_model *model, const mp_module_groups *groups, mp_code_costs *lines)
{
    const mp_profile *profile = model->profile;
    mp_id_index index = {0};
    lines->items = mp_alloc(profile->lines.count * sizeof *lines->items);
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[i];
        uint32_t method = groups->method_of[line->module.i];
        if (method == MP_NO_GROUP)
            continue;
        /* Each line that a report could not identify has its own row. */
        uint32_t none = 0, *place = &none;
        if (!(line->unknown & MP_UNKNOWN_LINE))
            place = mp_id_index_put(&index, (uint64_t)method << 32 | (uint32_t)line->line);
        if (!*place) {
            mp_code_cost *row = &lines->items[lines->count++];
            *row = row_named(&groups->methods[method]);
            row->line = line->line;
            *place = (uint32_t)lines->count;
        }
        line_add(&lines->items[*place - 1], line);
    }
    mp_id_index_free(&index);
}

/* --- methods and programs: exclusive times and calls --- */

/* Figures of a module from its lines and the call graph. */
typedef struct module_cost {
    int64_t exclusive_us, entry_us; /* entry_us: cumulative time of line 0 */
    int64_t entries;                /* executions of line 0 */
    int64_t called, from_outside;   /* calls in the call graph, and the part of them that comes from
                                       other programs */
    uint32_t caller;                /* an example caller */
    unsigned unknown;
    bool has_entry, rounded;
    bool repeats, is_looked_at; /* meaning of `repeats`: see mp_code_cost; is_looked_at: `repeats`
                                   is known or being determined */
} module_cost;

/* Figures of a session. */
typedef struct session_cost {
    int64_t exclusive_us;
    bool has_nodes;
} session_cost;

static int64_t runs_of(const module_cost *cost)
{
    return cost->has_entry ? cost->entries : cost->called;
}

/* Mark modules that are called more than once, directly or through their callers. The session
 * itself is not marked. */
static void find_repeated(const mp_profile *profile, module_cost *modules)
{
    uint32_t *way = mp_alloc(profile->modules.count * sizeof *way);
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        uint32_t index = i, length = 0;
        for (; index && !modules[index].is_looked_at; index = modules[index].caller) {
            modules[index].is_looked_at = true;
            modules[index].repeats =
                profile->modules.items[index].number &&
                (runs_of(&modules[index]) > 1 || modules[index].unknown & MP_UNKNOWN_EXECUTIONS);
            way[length++] = index;
        }
        while (length--) {
            modules[way[length]].repeats |= modules[index].repeats;
            index = way[length];
        }
    }
    free(way);
}

static void sum_modules(const mp_filter *filter, const mp_module_groups *groups,
                        module_cost *modules, session_cost *sessions)
{
    const mp_profile *profile = filter->model->profile;
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[i];
        module_cost *cost = &modules[line->module.i];
        if (!mp_filter_has_module(filter, line->module.i))
            continue;
        sessions[profile->modules.items[line->module.i].session.i].exclusive_us +=
            line->exclusive_us;
        cost->exclusive_us += line->exclusive_us;
        cost->rounded |= line->rounded;
        cost->unknown |= line->unknown & MP_UNKNOWN_EXCLUSIVE;
        if (line->line != 0 || line->unknown & MP_UNKNOWN_LINE)
            continue;
        cost->entries += line->executions;
        cost->entry_us += line->cumulative_us;
        cost->unknown |= line->unknown & (MP_UNKNOWN_EXECUTIONS | MP_UNKNOWN_CUMULATIVE);
        cost->has_entry = true;
    }
    for (uint32_t i = 1; i < profile->calls.count; i++) {
        const mp_profile_call *call = &profile->calls.items[i];
        modules[call->callee.i].called += call->count;
        modules[call->callee.i].caller = call->caller.i;
        if (groups->program_of[call->caller.i] != groups->program_of[call->callee.i])
            modules[call->callee.i].from_outside += call->count;
    }
    for (uint32_t i = 1; i < profile->nodes.count; i++)
        sessions[profile->modules.items[profile->nodes.items[i].module.i].session.i].has_nodes =
            true;
    find_repeated(profile, modules);
}

/* Add a module to its row. `inclusive_us` is the cumulative time of its line 0, for sessions
 * without a call tree. The total time limits it, because a larger value can only come from
 * recursion that is counted twice. */
static void add_module(mp_code_cost *row, const module_cost *cost, const session_cost *session,
                       int64_t inclusive_us)
{
    row->exclusive_us += cost->exclusive_us;
    row->calls += runs_of(cost);
    row->repeats |= cost->repeats;
    row->average_us = row->calls ? (double)row->exclusive_us / (double)row->calls : 0;
    row->unknown |= cost->unknown & (MP_UNKNOWN_EXCLUSIVE | MP_UNKNOWN_EXECUTIONS);
    if (cost->rounded && !cost->has_entry)
        row->unknown |= MP_UNKNOWN_EXECUTIONS; /* the report does not include line 0 */
    row->unknown &= ~(unsigned)MP_UNKNOWN_AVERAGE;
    if (!row->calls || row->unknown)
        row->unknown |= MP_UNKNOWN_AVERAGE;
    if (session->has_nodes) {
        if (row->inclusive == MP_INCLUSIVE_UNKNOWN)
            row->inclusive = MP_INCLUSIVE_EXACT;
    } else if (cost->has_entry && !(cost->unknown & MP_UNKNOWN_CUMULATIVE)) {
        row->inclusive_us +=
            inclusive_us < session->exclusive_us ? inclusive_us : session->exclusive_us;
        row->inclusive = MP_INCLUSIVE_ESTIMATED;
    }
}

/* Return the part of a module's time that the time of its callers from the same program does not
 * include. */
static int64_t outside_us(const module_cost *cost)
{
    return cost->called ? mp_share(cost->entry_us, cost->from_outside, cost->called)
                        : cost->entry_us;
}

/* --- methods and programs: inclusive times --- */

/* Return the nodes sorted as in the model's tree, in which parents precede their children; NULL:
 * they are already sorted, as in most files. */
static uint32_t *sort_nodes(const mp_model *model)
{
    const mp_profile_node *nodes = model->profile->nodes.items;
    const uint32_t count = model->profile->nodes.count, *tree_of = model->tree_of;
    bool sorted_already = true;
    for (uint32_t i = 2; i < count; i++)
        sorted_already &= tree_of[nodes[i - 1].node.i] <= tree_of[nodes[i].node.i];
    if (sorted_already)
        return NULL;
    uint32_t *next = mp_alloc_zero((size_t)model->tree.count + 1, sizeof *next);
    uint32_t *sorted = mp_alloc_zero(count, sizeof *sorted);
    for (uint32_t i = 1; i < count; i++)
        next[tree_of[nodes[i].node.i] + 1]++;
    next[0] = 1;
    for (uint32_t i = 1; i <= model->tree.count; i++)
        next[i] += next[i - 1];
    for (uint32_t i = 1; i < count; i++)
        sorted[next[tree_of[nodes[i].node.i]]++] = i;
    free(next);
    return sorted;
}

mp_preorder mp_profile_preorder(const mp_model *model)
{
    const mp_profile_node *rows = model->profile->nodes.items;
    const uint32_t count = model->profile->nodes.count;
    uint32_t *place = mp_alloc_zero(model->nodes.count, sizeof *place);
    uint32_t *above = mp_alloc_zero(count, sizeof *above); /* 0: the link to the caller is cut */
    uint32_t *sorted = sort_nodes(model);
    for (uint32_t i = 1; i < count; i++)
        place[rows[sorted ? sorted[i] : i].node.i] = i;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t node = rows[sorted ? sorted[i] : i].node.i;
        const uint32_t stated = model->nodes.items[node].parent.i;
        const uint32_t parent = model->tree.items[model->tree_of[node]].parent;
        above[i] = parent == model->tree_of[stated] ? place[stated] : 0;
        assert(above[i] < i);
    }
    free(place);
    mp_preorder nodes = mp_preorder_of(above, count);
    for (uint32_t i = 1; sorted && i < count; i++)
        nodes.order[i] = sorted[nodes.order[i]];
    MP_FREE(above, sorted);
    return nodes;
}

int64_t *mp_profile_node_times(const mp_filter *filter, const mp_preorder *nodes)
{
    const mp_profile *profile = filter->model->profile;
    uint32_t count = profile->nodes.count;
    int64_t *times = mp_alloc_zero(count, sizeof *times);
    for (uint32_t i = 1; !filter->profiler && i < count; i++)
        times[i] = profile->nodes.items[nodes->order[i]].cumulative_us;
    if (!filter->profiler)
        return times;
    int64_t *self_times = mp_alloc_zero(count, sizeof *self_times);
    int64_t *less = mp_alloc_zero(count, sizeof *less);
    for (uint32_t i = count; i-- > 1;) {
        const mp_profile_node *node = &profile->nodes.items[nodes->order[i]];
        /* negative until here: minus the time of the callees */
        self_times[i] += node->cumulative_us;
        self_times[nodes->parent[i]] -= node->cumulative_us;
        if (filter->profiler[node->module.i] && self_times[i] > 0)
            less[i] += self_times[i];
        less[nodes->parent[i]] += less[i];
        times[i] = node->cumulative_us - less[i];
    }
    free(self_times);
    free(less);
    return times;
}

/* Rows by the row of each module, and the place up to which the callees of the row's last node
 * follow it. */
typedef struct outermost_rows {
    mp_code_cost *items;
    const uint32_t *row_of;
    uint32_t *until;
} outermost_rows;

/* Add the time of each node to its rows, unless one of its callers belongs to the same row. */
static void add_outermost(const mp_filter *filter, const mp_module_groups *groups,
                          mp_profile_costs *costs)
{
    const mp_profile *profile = filter->model->profile;
    mp_preorder nodes = mp_profile_preorder(filter->model);
    int64_t *times = filter->profiler ? mp_profile_node_times(filter, &nodes) : NULL;
    outermost_rows rows[] = {
        {costs->methods.items, groups->method_of,
         mp_alloc_zero(costs->methods.count, sizeof(uint32_t))},
        {costs->programs.items, groups->program_of,
         mp_alloc_zero(costs->programs.count, sizeof(uint32_t))},
    };
    for (uint32_t i = 1; i < profile->nodes.count; i++) {
        const mp_profile_node *node = &profile->nodes.items[nodes.order[i]];
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const uint32_t row = rows[k].row_of[node->module.i];
            if (row == MP_NO_GROUP || i < rows[k].until[row])
                continue;
            rows[k].until[row] = i + nodes.span[i];
            rows[k].items[row].inclusive_us += times ? times[i] : node->cumulative_us;
        }
    }
    MP_FREE(rows[0].until, rows[1].until, times);
    mp_preorder_free(&nodes);
}

static void sum_methods(const mp_filter *filter, const mp_module_groups *groups,
                        mp_profile_costs *costs)
{
    const mp_model *model = filter->model;
    const mp_profile *profile = model->profile;
    mp_code_costs *methods = &costs->methods, *programs = &costs->programs;
    *methods = rows_named(groups->methods, groups->method_count);
    *programs = rows_named(groups->programs, groups->program_count);
    module_cost *modules = mp_alloc_zero(profile->modules.count, sizeof *modules);
    session_cost *sessions = mp_alloc_zero(model->sessions.count, sizeof *sessions);
    sum_modules(filter, groups, modules, sessions);
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        const session_cost *session = &sessions[profile->modules.items[i].session.i];
        if (groups->method_of[i] == MP_NO_GROUP)
            continue;
        add_module(&methods->items[groups->method_of[i]], &modules[i], session,
                   modules[i].entry_us);
        add_module(&programs->items[groups->program_of[i]], &modules[i], session,
                   outside_us(&modules[i]));
    }
    if (profile->nodes.count > 1 && model->tree_of)
        add_outermost(filter, groups, costs);
    free(sessions);
    free(modules);
}

static void sort(mp_code_costs *costs, const mp_model *model)
{
    qsort_r(costs->items, costs->count, sizeof *costs->items, compare, (void *)(uintptr_t)model);
}

mp_profile_costs mp_profile_costs_of(const mp_filter *filter)
{
    const mp_model *model = filter->model;
    mp_profile_costs costs = {.totals = mp_profile_total(filter)};
    if (!model->profile)
        return costs;
    mp_module_groups groups = mp_module_groups_of(filter);
    sum_methods(filter, &groups, &costs);
    sum_lines(model, &groups, &costs.lines);
    sort(&costs.lines, model);
    sort(&costs.methods, model);
    sort(&costs.programs, model);
    mp_module_groups_free(&groups);
    return costs;
}

void mp_profile_costs_free(mp_profile_costs *costs)
{
    MP_FREE(costs->lines.items, costs->methods.items, costs->programs.items);
    *costs = (mp_profile_costs){0};
}

/* --- the call tree --- */

mp_path_cost *mp_profile_path_costs(const mp_filter *filter)
{
    const mp_model *model = filter->model;
    const mp_profile *profile = model->profile;
    if (!profile || !model->tree_of || profile->nodes.count <= 1)
        return NULL;
    mp_path_cost *costs = mp_alloc_zero(model->tree.count, sizeof *costs);
    mp_preorder nodes = mp_profile_preorder(model);
    int64_t *times = mp_profile_node_times(filter, &nodes);
    for (uint32_t i = 1; i < profile->nodes.count; i++) {
        const mp_profile_node *node = &profile->nodes.items[nodes.order[i]];
        mp_path_cost *cost = &costs[model->tree_of[node->node.i]];
        cost->module = node->module;
        cost->calls += node->calls;
        cost->inclusive_us += times[i];
    }
    free(times);
    mp_preorder_free(&nodes);
    for (uint32_t i = model->tree.count; i-- > 1;) {
        const mp_tree_node *node = &model->tree.items[i];
        assert(node->parent < i);
        /* A node that the file uses but never defines has the time of its children. */
        if (!model->nodes.items[node->node.i].defined)
            costs[i].inclusive_us = -costs[i].own_us;
        costs[i].own_us +=
            costs[i]
                .inclusive_us; /* negative until here: minus the inclusive times of the children */
        if (costs[i].own_us < 0)
            costs[i].own_us = 0;
        costs[node->parent].own_us -= costs[i].inclusive_us;
    }
    costs[0].own_us = 0;
    return costs;
}
