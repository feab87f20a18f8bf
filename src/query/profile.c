/* Lines, methods, programs, totals and coverage of execution profiles. */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/profile_groups.h"

static bool is_session(const mp_profile *profile, mp_module_id module)
{
    return profile->modules.at[module.i].number == 0;
}

/* --- lines --- */

static void line_add(mp_line_cost *row, const mp_profile_line *line)
{
    /* A report's own average is better than one of its rounded times; of several, it is not. */
    bool stated = line->rounded && !(line->unknown & MP_UNKNOWN_AVERAGE) && !row->rounded &&
                  row->executions == 0 && row->exclusive_us == 0;
    row->executions += line->executions;
    row->exclusive_us += line->exclusive_us;
    row->unknown |= line->unknown & ~(unsigned)MP_UNKNOWN_AVERAGE;
    row->rounded |= line->rounded;
    if (!row->code.i)
        row->code = line->code;
    bool known = !(row->unknown & (MP_UNKNOWN_EXECUTIONS | MP_UNKNOWN_EXCLUSIVE));
    row->unknown &= ~(unsigned)MP_UNKNOWN_AVERAGE;
    if (stated) {
        row->average_us = (double)line->average_us;
    } else if (known && row->executions > 0) {
        row->average_us = (double)row->exclusive_us / (double)row->executions;
    } else {
        row->average_us = 0;
        row->unknown |= MP_UNKNOWN_AVERAGE;
    }
}

static int compare_lines(const void *left, const void *right, void *opaque)
{
    const mp_line_cost *a = left, *b = right;
    const mp_model *model = opaque;
    int order;
    if (a->exclusive_us != b->exclusive_us)
        return a->exclusive_us < b->exclusive_us ? 1 : -1;
    if ((order = mp_profile_text_compare(model, a->program, b->program)) != 0 ||
        (order = mp_profile_text_compare(model, a->method, b->method)) != 0)
        return order;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->start_line != b->start_line)
        return a->start_line < b->start_line ? -1 : 1;
    if (a->overload != b->overload)
        return a->overload < b->overload ? -1 : 1;
    return a->executions > b->executions ? -1 : a->executions < b->executions;
}

mp_line_costs mp_profile_line_costs(const mp_model *model)
{
    mp_line_costs rows = {0};
    const mp_profile *profile = model->profile;
    if (!profile)
        return rows;
    mp_module_groups groups = mp_module_groups_make(model);
    mp_id_index index = {0};
    rows.at = mp_alloc_zero(profile->lines.count, sizeof *rows.at);
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.at[i];
        uint32_t method = groups.method_of[line->module.i];
        if (method == MP_NO_GROUP)
            continue;
        /* Lines that a report could not name are each on their own. */
        uint32_t none = 0, *place = &none;
        if (!(line->unknown & MP_UNKNOWN_LINE))
            place = mp_id_index_put(&index, (uint64_t)method << 32 | (uint32_t)line->line);
        if (!*place) {
            const mp_method_cost *of = &groups.methods[method];
            rows.at[rows.count++] = (mp_line_cost){.program = of->program,
                                                   .method = of->method,
                                                   .start_line = of->start_line,
                                                   .overload = of->overload,
                                                   .line = line->line};
            *place = (uint32_t)rows.count;
        }
        line_add(&rows.at[*place - 1], line);
    }
    if (rows.count)
        qsort_r(rows.at, rows.count, sizeof *rows.at, compare_lines, (void *)(uintptr_t)model);
    mp_id_index_free(&index);
    mp_module_groups_free(&groups);
    return rows;
}

/* --- methods and programs: exclusive times and calls --- */

/* What the lines and the call graph say of one module. */
typedef struct module_cost {
    int64_t exclusive_us, entry_us; /* entry: cumulative time of line 0 */
    int64_t entries;                /* executions of line 0 */
    int64_t called, from_outside;   /* by the call graph; from other programs */
    unsigned unknown;
    bool has_entry, rounded;
} module_cost;

/* What the sessions say as a whole. */
typedef struct session_cost {
    int64_t exclusive_us;
    bool has_nodes;
} session_cost;

static module_cost *sum_modules(const mp_profile *profile, const mp_module_groups *groups)
{
    module_cost *costs = mp_alloc_zero(profile->modules.count, sizeof *costs);
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.at[i];
        module_cost *cost = &costs[line->module.i];
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
        const mp_profile_call *call = &profile->calls.at[i];
        module_cost *cost = &costs[call->callee.i];
        cost->called += call->count;
        if (groups->program_of[call->caller.i] != groups->program_of[call->callee.i])
            cost->from_outside += call->count;
    }
    return costs;
}

static session_cost *sum_sessions(const mp_model *model)
{
    const mp_profile *profile = model->profile;
    session_cost *costs = mp_alloc_zero(model->sessions.count, sizeof *costs);
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.at[i];
        costs[profile->modules.at[line->module.i].session.i].exclusive_us += line->exclusive_us;
    }
    for (uint32_t i = 1; i < profile->nodes.count; i++)
        costs[profile->modules.at[profile->nodes.at[i].module.i].session.i].has_nodes = true;
    return costs;
}

static void add_own(mp_method_cost *row, const module_cost *cost)
{
    row->exclusive_us += cost->exclusive_us;
    row->calls += cost->has_entry ? cost->entries : cost->called;
    row->unknown |= cost->unknown & (MP_UNKNOWN_EXCLUSIVE | MP_UNKNOWN_EXECUTIONS);
    if (cost->rounded && !cost->has_entry)
        row->unknown |= MP_UNKNOWN_EXECUTIONS; /* line 0 is not among the report's lines */
}

/* An inclusive time from a line 0, where there is no tree. More than all time there was can only be
 * recursion counted twice. */
static void add_estimate(mp_method_cost *row, const module_cost *cost, int64_t us, int64_t most)
{
    if (!cost->has_entry || cost->unknown & MP_UNKNOWN_CUMULATIVE)
        return;
    row->inclusive_us += us < most ? us : most;
    row->inclusive = MP_INCLUSIVE_ESTIMATED;
}

/* Of a module's time, the part that is not already in that of a caller of the same program. */
static int64_t outside_us(const module_cost *cost)
{
    if (cost->called == cost->from_outside)
        return cost->entry_us;
    return (int64_t)((double)cost->entry_us * (double)cost->from_outside / (double)cost->called);
}

/* --- methods and programs: inclusive times --- */

/* The nodes of all sessions as a forest, cycles cut; 0 stands above all roots. */
typedef struct node_forest {
    uint32_t *parent, *first_child, *next_sibling;
} node_forest;

/* Where the walk up from a node comes back to its own way, the last step is undone, as the complete
 * tree does it. */
static void cut_cycles(uint32_t *parent, uint32_t count)
{
    uint32_t *seen = mp_alloc_zero(count, sizeof *seen);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t at = i, last = 0;
        while (at && !seen[at]) {
            seen[at] = i;
            last = at;
            at = parent[at];
        }
        if (at && seen[at] == i)
            parent[last] = 0;
    }
    free(seen);
}

static node_forest forest_make(const mp_model *model)
{
    const mp_profile *profile = model->profile;
    uint32_t count = profile->nodes.count;
    uint32_t *place = mp_alloc_zero(model->nodes.count, sizeof *place);
    node_forest forest = {mp_alloc_zero(count, sizeof(uint32_t)),
                          mp_alloc_zero(count, sizeof(uint32_t)),
                          mp_alloc_zero(count, sizeof(uint32_t))};
    for (uint32_t i = 1; i < count; i++)
        place[profile->nodes.at[i].node.i] = i;
    for (uint32_t i = 1; i < count; i++)
        forest.parent[i] = place[profile->nodes.at[i].parent.i];
    free(place);
    cut_cycles(forest.parent, count);
    for (uint32_t i = count; i-- > 1;) {
        forest.next_sibling[i] = forest.first_child[forest.parent[i]];
        forest.first_child[forest.parent[i]] = i;
    }
    return forest;
}

static void forest_free(node_forest *forest)
{
    free(forest->parent);
    free(forest->first_child);
    free(forest->next_sibling);
}

/* Rows that are summed over nodes, and how often each is on the path from the root. */
typedef struct path_rows {
    mp_method_cost *rows;
    const uint32_t *row_of; /* of each module */
    uint32_t *on_path;
} path_rows;

static void path_enter(path_rows *path, const mp_profile_node *node)
{
    uint32_t row = path->row_of[node->module.i];
    if (row != MP_NO_GROUP && path->on_path[row]++ == 0)
        path->rows[row].inclusive_us += node->cumulative_us;
}

static void path_leave(path_rows *path, const mp_profile_node *node)
{
    uint32_t row = path->row_of[node->module.i];
    if (row != MP_NO_GROUP)
        path->on_path[row]--;
}

/* Add each node's cumulative time to its row, unless a caller of it belongs to the same row. */
static void add_outermost(const mp_model *model, path_rows *path)
{
    const mp_profile_node *nodes = model->profile->nodes.at;
    node_forest forest = forest_make(model);
    uint32_t at = forest.first_child[0];
    while (at) {
        path_enter(path, &nodes[at]);
        if (forest.first_child[at]) {
            at = forest.first_child[at];
            continue;
        }
        path_leave(path, &nodes[at]);
        while (at && !forest.next_sibling[at]) {
            at = forest.parent[at];
            if (at)
                path_leave(path, &nodes[at]);
        }
        at = forest.next_sibling[at];
    }
    forest_free(&forest);
}

static void fill_rows(const mp_model *model, const mp_module_groups *groups, mp_method_cost *rows,
                      size_t count, const uint32_t *row_of)
{
    const mp_profile *profile = model->profile;
    module_cost *costs = sum_modules(profile, groups);
    session_cost *sessions = sum_sessions(model);
    path_rows path = {rows, row_of, mp_alloc_zero(count, sizeof *path.on_path)};
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        if (row_of[i] == MP_NO_GROUP)
            continue;
        mp_method_cost *row = &rows[row_of[i]];
        const session_cost *session = &sessions[profile->modules.at[i].session.i];
        add_own(row, &costs[i]);
        if (!session->has_nodes)
            add_estimate(row, &costs[i],
                         row_of == groups->program_of ? outside_us(&costs[i]) : costs[i].entry_us,
                         session->exclusive_us);
        else if (row->inclusive == MP_INCLUSIVE_UNKNOWN)
            row->inclusive = MP_INCLUSIVE_EXACT;
    }
    add_outermost(model, &path);
    free(path.on_path);
    free(sessions);
    free(costs);
}

/* Rows of methods or of programs, filled in and sorted; whoever asked owns them now. */
static mp_method_costs grouped_costs(const mp_model *model, bool by_program)
{
    mp_method_costs rows = {0};
    if (!model->profile)
        return rows;
    mp_module_groups groups = mp_module_groups_make(model);
    if (by_program) {
        fill_rows(model, &groups, groups.programs, groups.program_count, groups.program_of);
        rows = (mp_method_costs){groups.programs, groups.program_count};
        groups.programs = NULL;
    } else {
        fill_rows(model, &groups, groups.methods, groups.method_count, groups.method_of);
        rows = (mp_method_costs){groups.methods, groups.method_count};
        groups.methods = NULL;
    }
    if (rows.count)
        qsort_r(rows.at, rows.count, sizeof *rows.at, mp_method_cost_compare,
                (void *)(uintptr_t)model);
    mp_module_groups_free(&groups);
    return rows;
}

mp_method_costs mp_profile_method_costs(const mp_model *model)
{
    return grouped_costs(model, false);
}

mp_method_costs mp_profile_program_costs(const mp_model *model)
{
    return grouped_costs(model, true);
}

/* --- totals --- */

mp_profile_totals mp_profile_total(const mp_model *model)
{
    mp_profile_totals totals = {0};
    const mp_profile *profile = model->profile;
    if (!profile)
        return totals;
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.at[i];
        if (is_session(profile, line->module))
            continue;
        totals.exclusive_us += line->exclusive_us;
        if (line->line == 0 && !(line->unknown & MP_UNKNOWN_LINE))
            totals.calls += line->executions;
    }
    for (uint32_t i = 1; i < profile->modules.count; i++)
        totals.modules += profile->modules.at[i].defined && profile->modules.at[i].number != 0 &&
                          !profile->modules.at[i].left_out;
    totals.partial = profile->from_report;
    return totals;
}

/* --- coverage --- */

static int compare_coverage(const void *left, const void *right, void *opaque)
{
    const mp_program_coverage *a = left, *b = right;
    return mp_profile_text_compare(opaque, a->program, b->program);
}

/* Lines are numbered through a unit, its entities included: (program, line) tells them. */
static void count_executable(const mp_profile *profile, const mp_module_groups *groups,
                             mp_program_coverage *rows, mp_id_index *executable)
{
    for (uint32_t i = 1; i < profile->coverage.count; i++) {
        const mp_profile_coverage *entity = &profile->coverage.at[i];
        uint32_t program = groups->program_of[entity->module.i];
        for (uint32_t k = 0; program != MP_NO_GROUP && k < entity->count; k++) {
            uint32_t line = (uint32_t)profile->coverage_lines.at[entity->first + k];
            uint32_t *place = mp_id_index_put(executable, (uint64_t)program << 32 | line);
            rows[program].executable += *place == 0;
            *place = 1;
        }
    }
}

mp_program_coverages mp_profile_coverage_of(const mp_model *model)
{
    enum { EXECUTED = 2 };
    mp_program_coverages result = {0};
    const mp_profile *profile = model->profile;
    if (!profile)
        return result;
    mp_module_groups groups = mp_module_groups_make(model);
    mp_id_index executable = {0};
    mp_program_coverage *rows = mp_alloc_zero(groups.program_count, sizeof *rows);
    count_executable(profile, &groups, rows, &executable);
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.at[i];
        uint32_t program = groups.program_of[line->module.i];
        uint64_t key = (uint64_t)program << 32 | (uint32_t)line->line;
        if (program == MP_NO_GROUP || line->executions == 0 ||
            mp_id_index_get(&executable, key) != 1)
            continue;
        *mp_id_index_put(&executable, key) = EXECUTED;
        rows[program].executed++;
    }
    for (uint32_t i = 0; i < groups.program_count; i++) {
        rows[i].program = groups.programs[i].program;
        if (rows[i].executable)
            rows[result.count++] = rows[i];
    }
    result.at = rows;
    if (result.count)
        qsort_r(rows, result.count, sizeof *rows, compare_coverage, (void *)(uintptr_t)model);
    mp_id_index_free(&executable);
    mp_module_groups_free(&groups);
    return result;
}
