/* Export as one JSON object a line, for jq and databases: whatever the model tells, finer than any
 * report sums it up. "kind" says what a line is of; members are named as in reports.
 *
 * Rows are made some at a time, so that memory does not follow their number. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/exporter.h"
#include "export/written.h"
#include "query/calls.h"
#include "query/profile_costs.h"
#include "query/timeline.h"
#include "render/json_line.h"
#include "reports/graph_sections.h"
#include "reports/profile_sections.h"
#include "reports/stacks.h"

enum { BATCH = 256 };

/* Rows of one kind on their way. */
typedef struct lines_out {
    FILE *file;
    const mp_request *request;
    mp_document *written; /* the answer of the command, which says how many there are */
    mp_table *rows;
    mp_document *batch;
    const mp_column *columns;
    size_t column_count;
    const char *kind;
    int64_t count;
} lines_out;

/* --- lines --- */

static void put_table(lines_out *out, const mp_table *table, const char *kind)
{
    for (size_t i = 0; i < table->row_count; i++)
        mp_json_put_line(out->file, table, i, kind);
}

static void open_batch(lines_out *out)
{
    out->batch = mp_document_new("export");
    out->batch->frames = MP_PROGRAM_CALLERS + 1;
    mp_document_table(out->batch, out->kind, NULL, MP_ROWS, out->columns, out->column_count);
}

static void open_kind(lines_out *out, const char *kind, const mp_column *columns, size_t count)
{
    out->kind = kind;
    out->columns = columns;
    out->column_count = count;
    out->count = 0;
    open_batch(out);
}
#define OPEN_KIND(out, kind, columns)                                                              \
    open_kind(out, kind, columns, sizeof(columns) / sizeof *(columns))

static void put_line(lines_out *out, const void *row)
{
    mp_table_put(out->batch, &out->batch->tables[0], row);
    out->count++;
    if (out->batch->tables[0].row_count < BATCH)
        return;
    put_table(out, &out->batch->tables[0], out->kind);
    mp_document_free(out->batch);
    open_batch(out);
}

static void close_kind(lines_out *out)
{
    put_table(out, &out->batch->tables[0], out->kind);
    mp_document_free(out->batch);
    mp_written_rows(out->written, out->rows, out->kind, out->count);
}

/* The tables of an answer, each a kind by the name of one of its rows. */
static void put_answer(lines_out *out, const mp_document *answer)
{
    static const struct {
        const char *table, *kind;
    } kinds[] = {{"inputs", "input"},     {"session", "session"},     {"sessions", "session"},
                 {"totals", "totals"},    {"selection", "selection"}, {"snapshots", "snapshot"},
                 {"anomalies", "anomaly"}};
    for (size_t i = 0; i < answer->table_count; i++)
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
            if (strcmp(answer->tables[i].name, kinds[kind].table) == 0) {
                put_table(out, &answer->tables[i], kinds[kind].kind);
                mp_written_rows(out->written, out->rows, kinds[kind].kind,
                                (int64_t)answer->tables[i].row_count);
            }
}

/* --- what was created where, and when --- */

typedef struct site_row {
    int64_t site, line, created_objects, created_bytes, deleted_objects;
    int64_t live_objects, live_bytes, leaked_objects, leaked_bytes;
    const char *type, *name;
    mp_texts stack;
} site_row;

static const mp_column site_columns[] = {
    MP_COLUMN(site_row, site, "", MP_NUMBER, 0),
    MP_COLUMN(site_row, type, "", MP_TEXT, 0),
    MP_COLUMN(site_row, name, "", MP_TEXT, 0),
    MP_COLUMN(site_row, stack, "", MP_LIST, 0),
    MP_COLUMN(site_row, line, "", MP_NUMBER, 0),
    MP_COLUMN(site_row, created_objects, "", MP_COUNT, 0),
    MP_COLUMN(site_row, created_bytes, "", MP_BYTES, 0),
    MP_COLUMN(site_row, deleted_objects, "", MP_COUNT, 0),
    MP_COLUMN(site_row, live_objects, "", MP_COUNT, 0),
    MP_COLUMN(site_row, live_bytes, "", MP_BYTES, 0),
    MP_COLUMN(site_row, leaked_objects, "", MP_COUNT, 0),
    MP_COLUMN(site_row, leaked_bytes, "", MP_BYTES, 0),
};

/* What all objects of a site are called; of several names, none. */
typedef struct site_name {
    mp_symbol_id name;
    bool seen, several;
} site_name;

static site_name *names_of(const mp_window *window, const mp_grouping *sites)
{
    const mp_model *model = window->model;
    site_name *names = mp_alloc_zero((size_t)sites->count + 1, sizeof *names);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        mp_symbol_id name = model->contexts.at[model->generations.at[i].context.i].name;
        site_name *of = &names[sites->group_of[i]];
        of->several |= of->seen && of->name.i != name.i;
        of->seen = true;
        of->name = name;
    }
    return names;
}

static void put_sites(lines_out *out, const mp_window *window, const mp_grouping *sites)
{
    const mp_model *model = window->model;
    site_name *names = names_of(window, sites);
    OPEN_KIND(out, "site", site_columns);
    for (uint32_t i = 0; i < sites->count; i++) {
        const mp_group *group = &sites->groups[i];
        const mp_context *context =
            &model->contexts.at[model->generations.at[group->example.i].context.i];
        bool named = names[i + 1].name.i && !names[i + 1].several;
        site_row row = {
            .site = i + 1,
            .line = context->node.i && context->line != MP_NO_LINE ? (int32_t)context->line
                                                                   : MP_UNKNOWN,
            .created_objects = group->to.created,
            .created_bytes = group->to.created_bytes,
            .deleted_objects = group->to.deleted,
            .live_objects = mp_cost_live(group->to),
            .live_bytes = group->to.bytes,
            .leaked_objects = mp_cost_live(group->leaked),
            .leaked_bytes = group->leaked.bytes,
            .type = mp_type_label(out->batch->arena, model, mp_site_type(model, context)),
            .name = named ? mp_symbol_label(out->batch->arena, model, names[i + 1].name) : NULL,
            .stack = mp_stack_texts(out->batch, model,
                                    (mp_frame){model->tree_of[context->node.i], context->line})};
        put_line(out, &row);
    }
    close_kind(out);
    free(names);
}

typedef struct event_row {
    int64_t session, sequence, born_sequence, site, created_objects, created_bytes;
    int64_t deleted_objects, delta_objects, delta_bytes;
} event_row;

static const mp_column event_columns[] = {
    MP_COLUMN(event_row, session, "", MP_NUMBER, 0),
    MP_COLUMN(event_row, sequence, "", MP_NUMBER, 0),
    MP_COLUMN(event_row, site, "", MP_NUMBER, 0),
    MP_COLUMN(event_row, born_sequence, "", MP_NUMBER, 0),
    MP_COLUMN(event_row, created_objects, "", MP_COUNT, 0),
    MP_COLUMN(event_row, created_bytes, "", MP_BYTES, 0),
    MP_COLUMN(event_row, deleted_objects, "", MP_COUNT, 0),
    MP_COLUMN(event_row, delta_objects, "", MP_COUNT, 0),
    MP_COLUMN(event_row, delta_bytes, "", MP_BYTES, 0),
};

static int64_t sequence_of(const mp_model *model, mp_snapshot_id snapshot)
{
    return snapshot.i ? (int64_t)model->snapshots.at[snapshot.i].sequence : MP_UNKNOWN;
}

/* Told apart only where there are several. */
static int64_t session_of(const mp_model *model, mp_snapshot_id snapshot)
{
    return model->sessions.count > 2 ? (int64_t)model->snapshots.at[snapshot.i].session.i
                                     : MP_UNKNOWN;
}

static void put_events(lines_out *out, const mp_window *window, const mp_grouping *sites)
{
    const mp_model *model = window->model;
    OPEN_KIND(out, "event", event_columns);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        const mp_generation *generation = &model->generations.at[delta->generation.i];
        if (generation->reusable || !sites->group_of[delta->generation.i] ||
            !mp_filter_has_generation(window->filter, delta->generation) ||
            !mp_window_before_to(window, delta->snapshot))
            continue;
        put_line(out, &(event_row){.session = session_of(model, delta->snapshot),
                                   .sequence = sequence_of(model, delta->snapshot),
                                   .born_sequence = sequence_of(model, generation->born),
                                   .site = sites->group_of[delta->generation.i],
                                   .created_objects = delta->cost.created,
                                   .created_bytes = delta->cost.created_bytes,
                                   .deleted_objects = delta->cost.deleted,
                                   .delta_objects = mp_cost_live(delta->cost),
                                   .delta_bytes = delta->cost.bytes});
    }
    close_kind(out);
}

/* --- objects --- */

typedef struct object_row {
    int64_t session, object, bytes, site, born_sequence, from_sequence, until_sequence;
    const char *type;
} object_row;

static const mp_column object_columns[] = {
    MP_COLUMN(object_row, session, "", MP_NUMBER, 0),
    MP_COLUMN(object_row, object, "", MP_NUMBER, 0),
    MP_COLUMN(object_row, type, "", MP_TEXT, 0),
    MP_COLUMN(object_row, bytes, "", MP_BYTES, 0),
    MP_COLUMN(object_row, site, "", MP_NUMBER, 0),
    MP_COLUMN(object_row, born_sequence, "", MP_NUMBER, 0),
    MP_COLUMN(object_row, from_sequence, "", MP_NUMBER, 0),
    MP_COLUMN(object_row, until_sequence, "", MP_NUMBER, 0),
};

/* Whether a snapshot is behind the last one of its session that is looked at. The window may end
 * before that: its rows of snapshots do not, and objects are theirs. */
static bool is_behind(const mp_filter *filter, mp_snapshot_id snapshot)
{
    uint32_t session = filter->model->snapshots.at[snapshot.i].session.i;
    uint32_t count = mp_filter_snapshots(filter, session);
    const uint32_t *at = filter->sessions.at + filter->sessions.first[session];
    return snapshot.i > (count ? at[count - 1] : 0);
}

/* Each as it was from one snapshot to another: one that changes has a line for each. */
static void put_objects(lines_out *out, const mp_window *window, const mp_grouping *sites)
{
    const mp_model *model = window->model;
    OPEN_KIND(out, "object", object_columns);
    for (uint32_t i = 1; i < model->objects.count; i++) {
        const mp_object *object = &model->objects.at[i];
        const mp_generation *generation = &model->generations.at[object->generation.i];
        uint32_t site = sites->group_of[object->generation.i];
        if (generation->reusable || !mp_filter_has_generation(window->filter, object->generation) ||
            is_behind(window->filter, object->from))
            continue;
        put_line(out, &(object_row){
                          .session = session_of(model, object->from),
                          .object = (int64_t)object->id,
                          .type = mp_type_label(
                              out->batch->arena, model,
                              mp_context_type(model, &model->contexts.at[generation->context.i])),
                          .bytes = object->bytes,
                          .site = site ? (int64_t)site : MP_UNKNOWN,
                          .born_sequence = sequence_of(model, generation->born),
                          .from_sequence = sequence_of(model, object->from),
                          .until_sequence = is_behind(window->filter, object->until)
                                                ? MP_UNKNOWN
                                                : sequence_of(model, object->until)});
    }
    close_kind(out);
}

typedef struct vertex_row {
    mp_object_cells of;
    mp_texts references;
} vertex_row;

static const mp_column vertex_columns[] = {
    MP_COLUMN_OF(vertex_row, of.id, "object", "", MP_TEXT, 0),
    MP_COLUMN_OF(vertex_row, of.type, "type", "", MP_TEXT, 0),
    MP_COLUMN_OF(vertex_row, of.self_bytes, "self_bytes", "", MP_BYTES, 0),
    MP_COLUMN_OF(vertex_row, of.retained_bytes, "retained_bytes", "", MP_BYTES, 0),
    MP_COLUMN_OF(vertex_row, of.dominator, "dominator", "", MP_TEXT, 0),
    MP_COLUMN_OF(vertex_row, of.root_kind, "root_kind", "", MP_TEXT, 0),
    MP_COLUMN_OF(vertex_row, of.weak_root_kind, "weak_root_kind", "", MP_TEXT, 0),
    MP_COLUMN(vertex_row, references, "", MP_LIST, 0),
};

static void put_vertices(lines_out *out)
{
    const mp_filter *filter = out->request->filter;
    const mp_graph *graph = filter->graph;
    mp_graph_view view = mp_graph_view_of(filter);
    OPEN_KIND(out, "object", vertex_columns);
    for (uint32_t i = 1; i <= graph->count; i++) {
        if (!mp_filter_has_type(filter, graph->types[i]))
            continue;
        mp_arena *arena = out->batch->arena;
        size_t count = graph->first[i + 1] - graph->first[i];
        const char **references = mp_arena_alloc(arena, (count + 1) * sizeof *references);
        for (size_t at = 0; at < count; at++)
            references[at] = mp_object_id_text(arena, graph, graph->targets[graph->first[i] + at]);
        vertex_row row = {
            .of = mp_object_cells_of(out->batch, &view, i),
            .references = {.at = references, .count = count, .kept = true},
        };
        if (!mp_is_reached(&view.dominators, i)) /* what would go with it nobody asks */
            row.of.retained_bytes = MP_UNKNOWN;
        put_line(out, &row);
    }
    close_kind(out);
    mp_graph_view_free(&view);
}

/* --- profiles --- */

typedef struct cost_row {
    int64_t line, start_line, seconds, calls;
    const char *program, *method, *runtime_class, *code;
} cost_row;

static const mp_column cost_columns[] = {
    MP_COLUMN(cost_row, program, "", MP_TEXT, 0),
    MP_COLUMN(cost_row, method, "", MP_TEXT, 0),
    MP_COLUMN(cost_row, runtime_class, "", MP_TEXT, 0),
    MP_COLUMN(cost_row, start_line, "", MP_NUMBER, 0),
    MP_COLUMN(cost_row, line, "", MP_NUMBER, 0),
    MP_COLUMN(cost_row, seconds, "", MP_SECONDS, 0),
    MP_COLUMN(cost_row, calls, "", MP_COUNT, 0),
    MP_COLUMN(cost_row, code, "", MP_TEXT, 0),
};

static void put_costs(lines_out *out)
{
    const mp_model *model = out->request->model;
    mp_profile_costs costs = mp_profile_costs_of(out->request->filter);
    OPEN_KIND(out, "line", cost_columns);
    for (size_t i = 0; i < costs.lines.count; i++) {
        const mp_code_cost *cost = &costs.lines.at[i];
        put_line(out, &(cost_row){
                          .program = mp_model_text(model, cost->program),
                          .method = mp_model_text(model, cost->method),
                          .runtime_class = mp_model_text(model, cost->runtime),
                          .start_line = cost->start_line ? cost->start_line : MP_UNKNOWN,
                          .line = cost->line,
                          .seconds = cost->unknown & MP_UNKNOWN_EXCLUSIVE ? MP_UNKNOWN
                                                                          : cost->exclusive_us,
                          .calls = cost->unknown & MP_UNKNOWN_EXECUTIONS ? MP_UNKNOWN : cost->calls,
                          .code = mp_model_text(model, cost->code)});
    }
    close_kind(out);
    mp_profile_costs_free(&costs);
}

typedef struct call_row {
    int64_t line, calls, seconds;
    const char *caller, *callee;
} call_row;

static const mp_column call_columns[] = {
    MP_COLUMN(call_row, caller, "", MP_TEXT, 0),     MP_COLUMN(call_row, callee, "", MP_TEXT, 0),
    MP_COLUMN(call_row, line, "", MP_NUMBER, 0),     MP_COLUMN(call_row, calls, "", MP_COUNT, 0),
    MP_COLUMN(call_row, seconds, "", MP_SECONDS, 0),
};

static void put_calls(lines_out *out)
{
    mp_calls calls = mp_calls_of_profile(out->request->filter, NULL);
    OPEN_KIND(out, "call", call_columns);
    for (size_t i = 0; i < calls.edge_count; i++) {
        const mp_call_edge *edge = &calls.edges[i];
        int64_t us = edge->as_caller.cost;
        if (edge->caller == MP_NO_CALLER)
            continue;
        put_line(out, &(call_row){.caller = calls.at[edge->caller].name,
                                  .callee = calls.at[edge->callee].name,
                                  .line = edge->has_line ? edge->line : MP_UNKNOWN,
                                  .calls = edge->calls,
                                  .seconds = us == MP_UNTOLD ? MP_UNKNOWN : us});
    }
    close_kind(out);
    mp_calls_free(&calls);
}

typedef struct execution_row {
    int64_t session, start_seconds, inclusive_seconds, seconds, line, depth;
    const char *program, *method;
} execution_row;

static const mp_column execution_columns[] = {
    MP_COLUMN(execution_row, session, "", MP_NUMBER, 0),
    MP_COLUMN(execution_row, start_seconds, "", MP_SECONDS, 0),
    MP_COLUMN(execution_row, inclusive_seconds, "", MP_SECONDS, 0),
    MP_COLUMN(execution_row, seconds, "", MP_SECONDS, 0),
    MP_COLUMN(execution_row, program, "", MP_TEXT, 0),
    MP_COLUMN(execution_row, method, "", MP_TEXT, 0),
    MP_COLUMN(execution_row, line, "", MP_NUMBER, 0),
    MP_COLUMN(execution_row, depth, "", MP_NUMBER, 0),
};

static void put_executions(lines_out *out)
{
    const mp_model *model = out->request->model;
    mp_timeline timeline = mp_timeline_of(out->request->filter);
    OPEN_KIND(out, "event", execution_columns);
    for (size_t i = 0; i < timeline.count; i++) {
        const mp_timed *timed = &timeline.at[i];
        const mp_module *module = &model->profile->modules.at[timed->module.i];
        put_line(out,
                 &(execution_row){.session = model->sessions.count > 2 ? (int64_t)module->session.i
                                                                       : MP_UNKNOWN,
                                  .start_seconds = timed->start_us,
                                  .inclusive_seconds = timed->all_us,
                                  .seconds = timed->own_us,
                                  .program = mp_model_text(model, module->program),
                                  .method = mp_model_text(model, module->method),
                                  .line = timed->line,
                                  .depth = timed->depth});
    }
    close_kind(out);
    free(timeline.at);
}

/* --- the file --- */

static lines_out open_lines(const mp_request *request, mp_document *document,
                            const mp_written_totals *sums)
{
    lines_out out = {.file = request->file, .request = request, .written = document};
    mp_written(document, request, "a JSON object a line", sums);
    out.rows = mp_written_table(document);
    return out;
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_window window;
    const mp_model *model = request->model;
    bool history = model->holds & MP_HOLDS_HISTORY;
    mp_document *answer = mp_document_new("export");
    if (!mp_section_heap(answer, request, history, &window, error)) {
        mp_document_free(answer);
        return false;
    }
    mp_totals totals = mp_totals_of(&window);
    mp_written_totals sums = mp_nothing_written;
    sums.live_objects = totals.live_objects;
    sums.live_bytes = totals.live_bytes;
    lines_out out = open_lines(request, document, &sums);
    mp_section_snapshots(answer, &window, 0);
    if (model->events)
        mp_section_anomalies(answer, model, 0);
    put_answer(&out, answer);
    mp_document_free(answer);
    if (history) {
        const mp_grouping *sites = mp_window_groups(&window, mp_dimension_find("site"), 0);
        put_sites(&out, &window, sites);
        put_events(&out, &window, sites);
        put_objects(&out, &window, sites);
    } else if (request->filter->graph) {
        put_vertices(&out);
    }
    mp_window_free(&window);
    return true;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)error;
    mp_profile_totals totals = mp_profile_total(request->filter);
    mp_written_totals sums = mp_nothing_written;
    sums.seconds = totals.exclusive_us;
    sums.calls = totals.calls;
    lines_out out = open_lines(request, document, &sums);
    mp_document *answer = mp_document_new("export");
    mp_section_head(answer, request);
    mp_section_session(answer, request, false);
    mp_section_profile_totals(answer, request->filter, false);
    put_answer(&out, answer);
    mp_document_free(answer);
    put_costs(&out);
    put_calls(&out);
    if (request->model->profile->trace_rows)
        put_executions(&out);
    return true;
}

static const mp_heap_arguments own;

static const mp_argument arguments[] = {
    MP_SHARES("selection", MP_HEAPS | MP_DUMP | MP_PROFILE),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES("keep-profiler", MP_PROFILE),
    MP_SHARES_EVENTS(MP_EVENTS),
    MP_SHARES("skip", MP_EVENTS | MP_NATIVE),
    MP_SHARES("domain", MP_DUMP),
};

const mp_exporter mp_exporter_ndjson = {
    .name = "ndjson",
    .endings = ".ndjson .jsonl",
    .report = {.name = MP_EXPORT_TO("ndjson"),
               .summary = "sites, snapshots, events and objects, a JSON object a line, for jq",
               .wants_traces = true,
               MP_ARGUMENTS(arguments, own),
               .variants = {MP_HEAP_VARIANTS(run_heap),
                            {.needs = MP_HOLDS_LEDGER, .run = run_heap},
                            {.needs = MP_HOLDS_PROFILE, .run = run_profile}}},
    .wants_objects = true,
};
