/* Consistency checks of an execution profile. All times are rounded to microseconds. So a sum of n
 * rows may be off by half a microsecond per row, plus one microsecond for the figure with which it
 * is compared.
 *
 * Only whole sections are checked. Sections with skipped rows are not whole, and neither are those
 * after the end of a truncated file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diagnose.h"
#include "base/units.h"
#include "model/build.h"
#include "readers/prf.h"

typedef struct module_sum {
    int64_t exclusive_us, called_us; /* time in its own lines; time in nodes that its nodes call */
    int64_t entry_us;                /* cumulative time of its line 0 */
    int64_t summands;
    uint64_t entry_row; /* line in the file of the row for line 0; 0: there is no row */
} module_sum;

static bool sound(const prf_state *state, unsigned parts)
{
    return (state->unsound & parts) == 0;
}

static bool within(int64_t a, int64_t b, int64_t summands)
{
    int64_t off = a < b ? b - a : a - b;
    return off <= 1 + summands / 2;
}

/* A text of seconds, as in the file. */
typedef struct seconds_text {
    char text[MP_UNIT_TEXT];
} seconds_text;

static seconds_text seconds(int64_t us)
{
    seconds_text out = {""};
    mp_format_seconds(out.text, us, false);
    return out;
}

static const mp_module *module_at(const prf_state *state, mp_module_id id)
{
    return &state->profile->modules.items[id.i];
}

/* --- totals --- */

static void total_differs(prf_state *state, uint64_t line, const char *what, int64_t found,
                          const char *name, int64_t expected)
{
    mp_diagnose(state->diagnostics, MP_DIAG_PROFILE_TOTAL, state->path, line,
                "%s %s seconds, expected %s, which is %s", what, seconds(found).text, name,
                seconds(expected).text);
}

static void check_total(prf_state *state)
{
    const mp_profile *profile = state->profile;
    int64_t exclusive = 0, session_us = 0, rows = (int64_t)state->lines.count;
    uint64_t session_row = 0;
    for (size_t i = 0; i < state->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[state->lines.first + i];
        exclusive += line->exclusive_us;
        if (line->line == 0 && module_at(state, line->module)->number == 0) {
            session_us += line->cumulative_us;
            session_row = state->lines.items[i].line;
        }
    }
    if (session_row && !within(exclusive, session_us, rows))
        total_differs(state, session_row, "exclusive times add up to", exclusive,
                      "the cumulative time of row 0 0", session_us);
    if (state->total_us < 0)
        return;
    if (session_row && !within(session_us, state->total_us, 0))
        total_differs(state, state->header_line, "row 0 0 has a cumulative time of", session_us,
                      "TotTime", state->total_us);
    if (!session_row && rows && !within(exclusive, state->total_us, rows))
        total_differs(state, state->header_line, "exclusive times add up to", exclusive, "TotTime",
                      state->total_us);
}

/* --- nodes --- */

/* Return the caller of each row of the call tree, as an index in the profile's nodes; 0: the row is
 * the root, or its caller has no row. The array begins at the profile's first row; the caller frees
 * it. */
static uint32_t *callers_of(const prf_state *state)
{
    const mp_profile_node *rows = &state->profile->nodes.items[state->tree.first];
    const mp_node *nodes = &state->model->nodes.items[state->first_model_node];
    uint32_t *row_of =
        mp_alloc_zero(state->model->nodes.count - state->first_model_node, sizeof *row_of);
    uint32_t *callers = mp_alloc_zero(state->tree.count, sizeof *callers);
    for (uint32_t i = 0; i < state->tree.count; i++)
        row_of[rows[i].node.i - state->first_model_node] = state->tree.first + i;
    for (uint32_t i = 0; i < state->tree.count; i++) {
        const uint32_t parent = nodes[rows[i].node.i - state->first_model_node].parent.i;
        callers[i] = parent ? row_of[parent - state->first_model_node] : 0;
    }
    free(row_of);
    return callers;
}

static module_sum *sum_modules(const prf_state *state, const uint32_t *callers)
{
    const mp_profile *profile = state->profile;
    uint32_t first = state->first_module;
    module_sum *sums = mp_alloc_zero(profile->modules.count - first, sizeof *sums);
    for (size_t i = 0; i < state->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[state->lines.first + i];
        module_sum *sum = &sums[line->module.i - first];
        sum->exclusive_us += line->exclusive_us;
        sum->summands++;
        if (line->line == 0) {
            sum->entry_us += line->cumulative_us;
            sum->entry_row = state->lines.items[i].line;
        }
    }
    for (size_t i = 0; i < state->tree.count; i++) {
        if (!callers[i])
            continue;
        module_sum *sum = &sums[profile->nodes.items[callers[i]].module.i - first];
        sum->called_us += profile->nodes.items[state->tree.first + i].cumulative_us;
        sum->summands++;
    }
    return sums;
}

static void check_modules(prf_state *state, const module_sum *sums)
{
    for (uint32_t i = state->first_module; i < state->profile->modules.count; i++) {
        const module_sum *sum = &sums[i - state->first_module];
        int64_t found = sum->exclusive_us + sum->called_us;
        if (sum->entry_row && !within(found, sum->entry_us, sum->summands))
            mp_diagnose(state->diagnostics, MP_DIAG_PROFILE_MODULE_TIME, state->path,
                        sum->entry_row,
                        "module %" PRIu64
                        " spent %s seconds in its lines and %s in what it called, expected the "
                        "cumulative time of its line 0, which is %s",
                        state->profile->modules.items[i].number, seconds(sum->exclusive_us).text,
                        seconds(sum->called_us).text, seconds(sum->entry_us).text);
    }
}

/* Compare each node's list of children with the nodes that name it as their caller. Their numbers
 * are subtracted from the sum of those that are listed. */
static void check_children(prf_state *state, const uint32_t *callers)
{
    const mp_profile *profile = state->profile;
    uint32_t *children = mp_alloc_zero(state->tree.count, sizeof *children);
    for (size_t i = 0; i < state->tree.count; i++) {
        const mp_node_id node = profile->nodes.items[state->tree.first + i].node;
        const uint32_t place = callers[i] - state->tree.first;
        if (!callers[i])
            continue;
        children[place]++;
        state->tree.items[place].child_sum -= state->model->nodes.items[node.i].number;
    }
    for (size_t i = 0; i < state->tree.count; i++) {
        const prf_place *listed = &state->tree.items[i];
        mp_node_id node = profile->nodes.items[state->tree.first + i].node;
        if (listed->children != children[i] || listed->child_sum)
            mp_diagnose(state->diagnostics, MP_DIAG_PROFILE_CALL_GRAPH, state->path, listed->line,
                        "call-tree node %" PRIu64 " lists %" PRIu64
                        " children, expected the %" PRIu32 " nodes that name it as their caller",
                        state->model->nodes.items[node.i].number, listed->children, children[i]);
    }
    free(children);
}

/* --- lines --- */

/* Check that line 0 of each module (its entry) was executed as often as the module was called. The
 * session has no caller. If no call is recorded, check nothing. */
static void check_entries(prf_state *state)
{
    const mp_profile *profile = state->profile;
    uint32_t first = state->first_module, count = profile->modules.count - first;
    int64_t *called = mp_alloc_zero(count, sizeof *called);
    int64_t *executed = mp_alloc_zero(count, sizeof *executed);
    uint64_t *row = mp_alloc_zero(count, sizeof *row);
    for (size_t i = 0; i < state->calls.count; i++) {
        const mp_profile_call *call = &profile->calls.items[state->calls.first + i];
        called[call->callee.i - first] += call->count;
    }
    for (size_t i = 0; i < state->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[state->lines.first + i];
        if (line->line != 0)
            continue;
        executed[line->module.i - first] += line->executions;
        row[line->module.i - first] = state->lines.items[i].line;
    }
    for (uint32_t i = 0; state->calls.count && i < count; i++)
        if (row[i] && profile->modules.items[first + i].number != 0 && executed[i] != called[i])
            mp_diagnose(state->diagnostics, MP_DIAG_PROFILE_CALL_GRAPH, state->path, row[i],
                        "line 0 of module %" PRIu64 " was executed %" PRId64
                        " times, expected the %" PRId64 " calls of the call graph",
                        profile->modules.items[first + i].number, executed[i], called[i]);
    MP_FREE(called, executed, row);
}

typedef struct line_sum {
    int64_t exclusive_us, cumulative_us, called_us;
    int64_t summands;
    uint64_t row;
} line_sum;

/* Check that the cumulative time of each line is at least its own time plus, if there are nodes,
 * the time of the nodes that the line called. Line 0 has the time of its whole module. */
static void check_lines(prf_state *state, const uint32_t *callers)
{
    const mp_profile *profile = state->profile;
    mp_id_index index = {0};
    line_sum *sums = mp_alloc_zero(state->lines.count + 1, sizeof *sums);
    uint32_t count = 0;
    for (size_t i = 0; i < state->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[state->lines.first + i];
        uint32_t *place =
            mp_id_index_put(&index, (uint64_t)line->module.i << 32 | (uint32_t)line->line);
        if (!*place)
            *place = ++count;
        sums[*place].exclusive_us += line->exclusive_us;
        sums[*place].cumulative_us += line->cumulative_us;
        sums[*place].summands++;
        sums[*place].row = state->lines.items[i].line;
    }
    for (size_t i = 0; callers && i < state->tree.count; i++) {
        const mp_profile_node *node = &profile->nodes.items[state->tree.first + i];
        const uint32_t caller = profile->nodes.items[callers[i]].module.i;
        const uint32_t line = state->model->nodes.items[node->node.i].line;
        uint32_t position =
            callers[i] && line ? mp_id_index_get(&index, mp_joined(caller, line)) : 0;
        sums[position].called_us += node->cumulative_us;
        sums[position].summands++;
    }
    for (uint32_t i = 1; i <= count; i++) {
        int64_t least = sums[i].exclusive_us + sums[i].called_us;
        if (sums[i].cumulative_us < least &&
            !within(sums[i].cumulative_us, least, sums[i].summands))
            mp_diagnose(state->diagnostics, MP_DIAG_PROFILE_LINE_TIME, state->path, sums[i].row,
                        "line has a cumulative time of %s seconds, expected at least its own of %s "
                        "and %s of what it called",
                        seconds(sums[i].cumulative_us).text, seconds(sums[i].exclusive_us).text,
                        seconds(sums[i].called_us).text);
    }
    mp_id_index_free(&index);
    free(sums);
}

/* --- call graph against call tree --- */

typedef struct call_edge {
    mp_module_id caller, callee;
    int32_t line;
    int64_t graph, nodes; /* number of calls in the call graph, and in the call tree */
    uint64_t row;
} call_edge;

typedef struct call_edges {
    call_edge *items; /* from 1 */
    size_t count, capacity;
    mp_hash_index index;
    call_edge wanted;
} call_edges;

static bool same_edge(const void *opaque, uint32_t value)
{
    const call_edges *edges = opaque;
    const call_edge *a = &edges->items[value], *b = &edges->wanted;
    return a->caller.i == b->caller.i && a->callee.i == b->callee.i && a->line == b->line;
}

/* Return the edge. Create it if it is new. It is valid until the next call. */
static call_edge *edge_of(call_edges *edges, mp_module_id caller, int32_t line, mp_module_id callee)
{
    edges->wanted = (call_edge){.caller = caller, .callee = callee, .line = line};
    uint64_t hash = mp_hash_pair(mp_joined(caller.i, callee.i), (uint32_t)line);
    uint32_t *found = mp_hash_index_put(&edges->index, hash, same_edge, edges);
    if (!*found) {
        *found = edges->count ? (uint32_t)edges->count : 1;
        edges->count = *found + 1u;
        mp_grow(&edges->items, &edges->capacity, edges->count, sizeof *edges->items);
        edges->items[*found] = edges->wanted;
    }
    return &edges->items[*found];
}

static void collect_edges(const prf_state *state, const uint32_t *callers, call_edges *edges)
{
    const mp_profile *profile = state->profile;
    for (size_t i = 0; i < state->calls.count; i++) {
        const mp_profile_call *call = &profile->calls.items[state->calls.first + i];
        call_edge *edge = edge_of(edges, call->caller, call->line, call->callee);
        edge->graph += call->count;
        if (!edge->row)
            edge->row = state->calls.items[i].line;
    }
    for (size_t i = 0; i < state->tree.count; i++) {
        const mp_profile_node *node = &profile->nodes.items[state->tree.first + i];
        if (!callers[i])
            continue;
        const int32_t line = (int32_t)state->model->nodes.items[node->node.i].line;
        call_edge *edge =
            edge_of(edges, profile->nodes.items[callers[i]].module, line, node->module);
        edge->nodes += node->calls;
        if (!edge->row)
            edge->row = state->tree.items[i].line;
    }
}

/* Correct a difference that is legitimate. If a recording starts in the middle of a run, some
 * frames are already active, and their modules have no line 0. The call tree links these frames by
 * calls at line 0, but the call graph attributes the calls to the session. So the calls of these
 * edges are moved to edges of the session. */
static void carry_to_session(const prf_state *state, const module_sum *sums, call_edges *edges)
{
    mp_module_id session = {mp_id_index_get(&state->modules, 0)};
    for (size_t i = 1; i < edges->count; i++) {
        call_edge edge = edges->items[i];
        if (edge.line != 0 || edge.caller.i == session.i || edge.nodes <= edge.graph ||
            sums[edge.caller.i - state->first_module].entry_row)
            continue;
        call_edge *carried = edge_of(edges, session, 0, edge.callee);
        int64_t missing = carried->graph - carried->nodes, over = edge.nodes - edge.graph;
        int64_t moved = missing < over ? missing : over;
        if (moved <= 0)
            continue;
        carried->nodes += moved;
        edges->items[i].nodes -= moved;
    }
}

/* Compare the call graph with the call tree. Return true if they agree. */
static bool check_call_graph(prf_state *state, const uint32_t *callers, const module_sum *sums)
{
    call_edges edges = {0};
    bool agree = true;
    collect_edges(state, callers, &edges);
    carry_to_session(state, sums, &edges);
    for (size_t i = 1; i < edges.count; i++) {
        const call_edge *edge = &edges.items[i];
        agree &= edge->graph == edge->nodes;
        if (edge->graph != edge->nodes)
            mp_diagnose(state->diagnostics, MP_DIAG_PROFILE_CALL_GRAPH, state->path, edge->row,
                        "module %" PRIu64 " line %" PRId32 " calls module %" PRIu64 " %" PRId64
                        " times in the call graph, expected the %" PRId64 " of the call tree",
                        module_at(state, edge->caller)->number, edge->line,
                        module_at(state, edge->callee)->number, edge->graph, edge->nodes);
    }
    mp_hash_index_free(&edges.index);
    free(edges.items);
    return agree;
}

/* --- trace against lines --- */

/* Check that no line has more executions in the trace than in its summary. It may have fewer,
 * because the trace may be partial. */
static void check_trace(prf_state *state)
{
    const mp_profile *profile = state->profile;
    int64_t *executions = mp_alloc_zero(state->traces.count, sizeof *executions);
    bool *summed = mp_alloc_zero(state->traces.count, sizeof *summed);
    for (size_t i = 0; i < state->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[state->lines.first + i];
        uint32_t trace = prf_traced(state, module_at(state, line->module)->number, line->line);
        if (trace) {
            executions[trace - state->traces.first] += line->executions;
            summed[trace - state->traces.first] = true;
        }
    }
    for (size_t i = 0; i < state->traces.count; i++) {
        const mp_profile_trace *trace = &profile->traces.items[state->traces.first + i];
        uint64_t number = module_at(state, trace->module)->number;
        if (!summed[i])
            mp_diagnose(
                state->diagnostics, MP_DIAG_PROFILE_TRACE, state->path, state->traces.items[i].line,
                "module %" PRIu64 " line %" PRId32 " is traced, expected it in the line summary",
                number, trace->line);
        else if (trace->executions > executions[i])
            mp_diagnose(state->diagnostics, MP_DIAG_PROFILE_TRACE, state->path,
                        state->traces.items[i].line,
                        "module %" PRIu64 " line %" PRId32 " is traced %" PRId64
                        " times, expected at most the %" PRId64 " executions of the line summary",
                        number, trace->line, trace->executions, executions[i]);
    }
    free(executions);
    free(summed);
}

void prf_verify(prf_state *state)
{
    if (sound(state, PRF_LINES))
        check_total(state);
    if (sound(state, PRF_LINES | PRF_TRACE))
        check_trace(state);
    if (state->version < 3 || !sound(state, PRF_NODES)) {
        if (sound(state, PRF_LINES))
            check_lines(state, NULL);
        if (sound(state, PRF_LINES | PRF_CALLS))
            check_entries(state);
        return;
    }
    uint32_t *callers = callers_of(state);
    module_sum *sums = sum_modules(state, callers);
    check_children(state, callers);
    if (sound(state, PRF_LINES)) {
        check_lines(state, callers);
        check_modules(state, sums);
    }
    /* if these differ, check_entries would report the same differences again */
    if (sound(state, PRF_LINES | PRF_CALLS) && check_call_graph(state, callers, sums))
        check_entries(state);
    free(sums);
    free(callers);
}
