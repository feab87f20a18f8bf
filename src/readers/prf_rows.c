#include "readers/prf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "input/fields.h"
#include "model/build.h"

static mp_string_id intern(prf_state *state, mp_slice text)
{
    return mp_model_intern(state->model, text);
}

static uint32_t start_line_of(int64_t line)
{
    return line < 0 ? 0 : (uint32_t)line; /* line numbers in rows fit into int32_t */
}

static prf_place *place_add(prf_places *places, uint64_t line)
{
    mp_grow(&places->items, &places->capacity, places->count + 1, sizeof *places->items);
    places->items[places->count] = (prf_place){.line = line};
    return &places->items[places->count++];
}

/* --- start of a profile --- */

static void places_begin(prf_places *places, uint32_t first)
{
    places->count = 0;
    places->first = first;
}

static void fill_session(prf_state *state, const prf_header *header)
{
    mp_recorded_session *session = &state->model->sessions.items[state->session.i];
    session->description = intern(state, header->description);
    session->user = intern(state, header->user);
    session->date =
        mp_model_intern_format(state->model, "%.10s %.8s", header->date.start, header->time.start);
    if (header->version < 3)
        return;
    session->directory = intern(state, prf_header_text(header->extra, "Directory"));
    session->propath = intern(state, prf_header_text(header->extra, "Propath"));
    session->session_id = intern(state, prf_header_text(header->extra, "ABLSessionID"));
    session->transport = intern(state, prf_header_text(header->extra, "transport"));
    int64_t process_id = prf_header_number(header->extra, "AgentPid");
    session->has_process_id = process_id >= 0;
    session->process_id = process_id >= 0 ? (uint64_t)process_id : 0;
    mp_profile_header said = {.session = state->session,
                              .statements = prf_header_number(header->extra, "StmtCnt"),
                              .data_points = prf_header_number(header->extra, "DataPts"),
                              .writes = prf_header_number(header->extra, "NumWrites"),
                              .buffer_size = prf_header_number(header->extra, "BufferSize")};
    if (said.statements >= 0 || said.data_points >= 0 || said.writes >= 0 || said.buffer_size >= 0)
        *MP_ADD(&state->profile->headers) = said;
    state->total_us = prf_header_total(header->extra);
    if (state->total_us >= 0 && mp_budget_take(&state->spent, state->total_us)) {
        state->profile->stated_total_us =
            (state->profile->stated_total_us < 0 ? 0 : state->profile->stated_total_us) +
            state->total_us;
    }
}

void prf_session_begin(prf_state *state, const prf_header *header, uint64_t line)
{
    mp_profile *profile = state->profile;
    state->session = mp_model_add_session(state->model);
    state->header_line = line;
    state->total_us = -1;
    state->unsound = 0;
    state->names_split = false;
    state->version = (unsigned)header->version;
    state->first_module = profile->modules.count;
    state->first_model_node = state->model->nodes.count;
    places_begin(&state->lines, profile->lines.count);
    places_begin(&state->calls, profile->calls.count);
    places_begin(&state->traces, profile->traces.count);
    places_begin(&state->tree, profile->nodes.count);
    fill_session(state, header);

    mp_string_id name = mp_model_intern_text(state->model, "session");
    *MP_ADD(&profile->modules) =
        (mp_module){.session = state->session, .defined = true, .name = name, .program = name};
    *mp_id_index_put(&state->modules, 0) = profile->modules.count - 1;
}

/* --- modules --- */

static void redefined(prf_state *state, const char *what, uint64_t number, uint64_t line)
{
    mp_diagnose(state->diagnostics, MP_DIAG_REDEFINED, state->path, line,
                "%s %" PRIu64 " is defined twice, expected one row for each; the first is used",
                what, number);
}

void prf_module(prf_state *state, const prf_value *row, uint64_t line)
{
    if (row[0].number == 0) {
        state->unsound |= PRF_MODULES;
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, line,
                    "module 0 is the session itself, expected a number from 1: row skipped");
        return;
    }
    uint32_t *place = mp_id_index_put(&state->modules, row[0].number);
    if (*place) {
        redefined(state, "module", row[0].number, line);
        return;
    }
    *MP_ADD(&state->profile->modules) = (mp_module){.session = state->session,
                                                    .number = row[0].number,
                                                    .defined = true,
                                                    .name = intern(state, row[1].text),
                                                    .listing = intern(state, row[2].text),
                                                    .crc = row[3].number,
                                                    .start_line = start_line_of(row[4].amount),
                                                    .signature = intern(state, row[5].text)};
    *place = state->profile->modules.count - 1;
}

void prf_modules_end(prf_state *state)
{
    if (!state->names_split)
        prf_split_names(state->model, state->first_module);
    state->names_split = true;
}

/* Return the module of a row; 0 is the session. If the module is undefined, report a diagnostic and
 * make up a name. */
static mp_module_id module_of(prf_state *state, uint64_t number, uint64_t line)
{
    uint32_t *place = mp_id_index_put(&state->modules, number);
    if (!*place) {
        *MP_ADD(&state->profile->modules) = (mp_module){
            .session = state->session,
            .number = number,
            .program = mp_model_intern_format(state->model, "<module %" PRIu64 ">", number)};
        *place = state->profile->modules.count - 1;
        mp_diagnose(state->diagnostics, MP_DIAG_UNDEFINED_MODULE, state->path, line,
                    "module %" PRIu64 " is used here, expected it among the modules", number);
    }
    return (mp_module_id){*place};
}

/* --- call graph, lines, trace, coverage --- */

void prf_call(prf_state *state, const prf_value *row, uint64_t line)
{
    mp_module_id caller = module_of(state, row[0].number, line);
    mp_module_id callee = module_of(state, row[2].number, line);
    *MP_ADD(&state->profile->calls) = (mp_profile_call){
        .caller = caller, .line = (int32_t)row[1].amount, .callee = callee, .count = row[3].amount};
    place_add(&state->calls, line);
}

void prf_line(prf_state *state, const prf_value *row, uint64_t line)
{
    mp_module_id module = module_of(state, row[0].number, line);
    *MP_ADD(&state->profile->lines) = (mp_profile_line){.module = module,
                                                        .line = (int32_t)row[1].amount,
                                                        .executions = row[2].amount,
                                                        .exclusive_us = row[3].amount,
                                                        .cumulative_us = row[4].amount};
    place_add(&state->lines, line);
}

/* Key for the index of traces. */
typedef struct trace_probe {
    const mp_profile *profile;
    uint64_t module; /* its number in the file */
    int32_t line;
} trace_probe;

static bool same_trace(const void *opaque, uint32_t value)
{
    const trace_probe *probe = opaque;
    const mp_profile_trace *trace = &probe->profile->traces.items[value];
    return trace->line == probe->line &&
           probe->profile->modules.items[trace->module.i].number == probe->module;
}

uint32_t prf_traced(const prf_state *state, uint64_t module, int32_t line)
{
    trace_probe probe = {state->profile, module, line};
    return mp_hash_index_get(&state->traced, mp_hash_pair(module, (uint32_t)line), same_trace,
                             &probe);
}

void prf_trace(prf_state *state, const prf_value *row, uint64_t line)
{
    mp_profile *profile = state->profile;
    int32_t traced = (int32_t)row[1].amount;
    trace_probe probe = {profile, row[0].number, traced};
    uint32_t *place = mp_hash_index_put(
        &state->traced, mp_hash_pair(row[0].number, (uint32_t)traced), same_trace, &probe);
    if (!*place) {
        *MP_ADD(&profile->traces) =
            (mp_profile_trace){.module = module_of(state, row[0].number, line),
                               .line = traced,
                               .first_start_us = row[3].amount};
        *place = profile->traces.count - 1;
        place_add(&state->traces, line);
    }
    mp_profile_trace *trace = &profile->traces.items[*place];
    trace->executions++;
    trace->exclusive_us += row[2].amount;
    if (row[3].amount < trace->first_start_us)
        trace->first_start_us = row[3].amount;
    profile->trace_rows++;
    if (!state->options->traces_folded)
        *MP_ADD(&profile->executions) = (mp_profile_execution){.module = trace->module,
                                                               .line = traced,
                                                               .exclusive_us = row[2].amount,
                                                               .start_us = row[3].amount};
}

void prf_entity(prf_state *state, const prf_value *row, uint64_t line)
{
    mp_module_id module = module_of(state, row[0].number, line);
    *MP_ADD(&state->profile->coverage) =
        (mp_profile_coverage){.module = module,
                              .entity = intern(state, row[1].text),
                              .first = state->profile->coverage_lines.count};
    state->entity_line = line;
    state->entity_wants = (uint64_t)row[2].amount;
}

void prf_entity_line(prf_state *state, const prf_value *row, uint64_t line)
{
    (void)line;
    *MP_ADD(&state->profile->coverage_lines) = (int32_t)row[0].amount;
    state->profile->coverage.items[state->profile->coverage.count - 1].count++;
}

void prf_entity_end(prf_state *state)
{
    const mp_profile_coverage *entity =
        &state->profile->coverage.items[state->profile->coverage.count - 1];
    if (entity->count == state->entity_wants)
        return;
    state->unsound |= PRF_COVERAGE;
    mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, state->entity_line,
                "coverage of \"%s\" promises %" PRIu64 " lines, expected as many to follow, and "
                "there are %" PRIu32,
                mp_model_text(state->model, entity->entity), state->entity_wants, entity->count);
}

/* --- call-tree nodes --- */

static mp_node_id node_of(prf_state *state, uint64_t number)
{
    uint32_t *place = mp_id_index_put(&state->nodes, number);
    if (!*place) {
        *MP_ADD(&state->model->nodes) = (mp_node){.number = number};
        *place = state->model->nodes.count - 1;
    }
    return (mp_node_id){*place};
}

void prf_node(prf_state *state, const prf_value *row, uint64_t line)
{
    uint64_t number = row[0].number, parent_number = row[1].number;
    mp_node_id id = node_of(state, number), parent = {0};
    if (state->model->nodes.items[id.i].defined) {
        state->unsound |= PRF_NODES;
        redefined(state, "call-tree node", number, line);
        return;
    }
    if (number != 0) /* node 0 is the session; it is its own parent */
        parent = node_of(state, parent_number);
    if (number == 0 ? parent_number != 0 : parent_number >= number)
        mp_diagnose(state->diagnostics, MP_DIAG_PARENT_ORDER, state->path, line,
                    "call-tree node %" PRIu64 " has node %" PRIu64
                    " as its caller, expected one with a smaller number",
                    number, parent_number);
    mp_module_id module = module_of(state, row[2].number, line);
    mp_node *node = &state->model->nodes.items[id.i];
    node->parent = parent;
    node->line = (uint32_t)(int32_t)row[3].amount;
    node->defined = true;
    *MP_ADD(&state->profile->nodes) = (mp_profile_node){
        .node = id, .module = module, .calls = row[4].amount, .cumulative_us = row[5].amount};
    prf_place *place = place_add(&state->tree, line);
    place->children = row[6].number;
    place->child_sum = row[7].number;
}

/* --- texts --- */

void prf_user_data(prf_state *state, const prf_value *row, uint64_t line)
{
    (void)line;
    *MP_ADD(&state->profile->user_data) = (mp_profile_text){
        .session = state->session, .time_us = row[0].amount, .text = intern(state, row[1].text)};
}

/* Keep a row of the statistics. If its form is unexpected, keep it without interpreting it. */
void prf_statistic(prf_state *state, mp_statistics_part part, mp_slice line)
{
    mp_profile_statistic row = {
        .session = state->session, .part = part, .text = intern(state, mp_slice_trim(line))};
    mp_fields fields = mp_fields_of(line);
    uint64_t module, operation;
    mp_slice name = {0};
    bool ok = mp_field_unsigned(&fields, &module);
    if (ok && part == MP_STATISTICS_OPERATIONS)
        ok = mp_field_unsigned(&fields, &operation) && mp_field_signed(&fields, &row.count) &&
             row.count >= 0 && mp_field_text(&fields, &state->scratch, &name);
    if (ok && part == MP_STATISTICS_PARAMETERS)
        ok = module == 0 && mp_field_unsigned(&fields, &operation) && operation == 0 &&
             mp_field_text(&fields, &state->scratch, &name);
    if (ok && part == MP_STATISTICS_OPERATIONS)
        row.operation = operation;
    if (ok && (part == MP_STATISTICS_OPERATIONS || part == MP_STATISTICS_PARAMETERS))
        row.name = intern(state, mp_slice_trim(name));
    if (ok && (part == MP_STATISTICS_OPERATIONS || part == MP_STATISTICS_MODULES))
        row.module = (mp_module_id){mp_id_index_get(&state->modules, module)};
    *MP_ADD(&state->profile->statistics) = row;
}

/* --- end of a profile --- */

/* Make a symbol for each module that has a node in the tree, with the name in the file. */
static void name_frames(prf_state *state)
{
    mp_profile *profile = state->profile;
    uint32_t first = state->first_module;
    uint32_t *symbols = mp_alloc_zero(profile->modules.count - first, sizeof *symbols);
    for (uint32_t i = state->tree.first; i < profile->nodes.count; i++) {
        const mp_profile_node *node = &profile->nodes.items[i];
        const mp_module *module = &profile->modules.items[node->module.i];
        uint32_t *symbol = &symbols[node->module.i - first];
        if (!*symbol) {
            *MP_ADD(&state->model->symbols) =
                (mp_symbol){.name = module->name.i ? module->name : module->program,
                            .start_line = module->start_line,
                            .number = module->number};
            *symbol = state->model->symbols.count - 1;
        }
        state->model->nodes.items[node->node.i].symbol = (mp_symbol_id){*symbol};
    }
    free(symbols);
}

/* Report undefined parents, at the rows that use them. If rows are missing, these may have the
 * definitions, so report nothing. */
static void report_undefined(prf_state *state)
{
    if (state->unsound & PRF_NODES)
        return;
    for (size_t i = 0; i < state->tree.count; i++) {
        const mp_node *nodes = state->model->nodes.items;
        const mp_profile_node *row = &state->profile->nodes.items[state->tree.first + i];
        const mp_node *parent = &nodes[nodes[row->node.i].parent.i];
        if (parent == nodes || parent->defined)
            continue;
        state->unsound |= PRF_NODES;
        mp_diagnose(state->diagnostics, MP_DIAG_UNDEFINED_NODE, state->path,
                    state->tree.items[i].line,
                    "call-tree node %" PRIu64 " is the caller here, expected it among the nodes",
                    parent->number);
    }
}

void prf_session_end(prf_state *state)
{
    prf_modules_end(state); /* the file may end within the modules */
    name_frames(state);
    report_undefined(state);
    prf_verify(state);
    mp_id_index_free(&state->modules);
    mp_id_index_free(&state->nodes);
    mp_hash_index_free(&state->traced);
}
