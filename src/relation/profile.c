/* Relations about execution profiles: lines, calls, and traced executions in order of time. */
#include "model/profile.h"
#include "relation/source.h"

/* --- lines --- */

typedef struct line_row {
    int64_t line, start_line, seconds, calls, samples;
    const char *program, *method, *runtime_class, *code;
} line_row;

static const mp_column line_columns[] = {
    MP_FIELD(line_row, program, MP_TEXT, "program of the line"),
    MP_FIELD(line_row, method, MP_TEXT, "procedure, function or method; none: the main block"),
    MP_FIELD(line_row, runtime_class, MP_TEXT, "class of the object, of an inherited method"),
    MP_FIELD(line_row, start_line, MP_NUMBER, "line at which the method begins"),
    MP_FIELD(line_row, line, MP_NUMBER, "the line; 0: the method itself"),
    MP_FIELD(line_row, seconds, MP_SECONDS, "time spent in the line itself"),
    MP_FIELD(line_row, calls, MP_COUNT, "executions of the line"),
    MP_FIELD(line_row, code, MP_TEXT, "source text of the line, where it was read"),
    MP_FIELD(line_row, samples, MP_COUNT, "samples taken in the line, of a profile of samples"),
};

static uint64_t count_lines(mp_relation_source *source)
{
    return mp_source_costs(source)->lines.count;
}

static bool line_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                    void *row)
{
    (void)wanted, (void)texts;
    const mp_model *model = source->model;
    const mp_code_cost *cost = &mp_source_costs(source)->lines.items[place];
    const bool sampled = model->holds & MP_HOLDS_SAMPLES;
    *(line_row *)row =
        (line_row){.program = mp_model_text(model, cost->program),
                   .method = mp_model_text(model, cost->method),
                   .runtime_class = mp_model_text(model, cost->runtime),
                   .start_line = cost->start_line ? cost->start_line : MP_UNKNOWN,
                   .line = (uint32_t)cost->line == MP_NO_LINE ? MP_UNKNOWN : cost->line,
                   .seconds = sampled || cost->unknown & MP_UNKNOWN_EXCLUSIVE ? MP_UNKNOWN
                                                                              : cost->exclusive_us,
                   .samples = sampled ? cost->exclusive_us : MP_UNKNOWN,
                   .calls = cost->unknown & MP_UNKNOWN_EXECUTIONS ? MP_UNKNOWN : cost->calls,
                   .code = mp_model_text(model, cost->code)};
    return true;
}

const mp_relation mp_relation_lines = {
    .name = "lines",
    .meaning = "each line of an execution profile that was executed",
    .needs = MP_HOLDS_PROFILE,
    MP_FIELDS(line_columns, line_row),
    .count = count_lines,
    .row = line_at,
    .key = MP_NO_KEY,
};

/* --- calls --- */

typedef struct call_row {
    int64_t line, calls, seconds, samples;
    const char *caller, *callee;
} call_row;

static const mp_column call_columns[] = {
    MP_FIELD(call_row, caller, MP_TEXT, "method that calls"),
    MP_FIELD(call_row, callee, MP_TEXT, "method that it calls"),
    MP_FIELD(call_row, line, MP_NUMBER, "line of the call, in the caller"),
    MP_FIELD(call_row, calls, MP_COUNT, "calls from that line"),
    MP_FIELD(call_row, seconds, MP_SECONDS, "time spent in the callee for this caller"),
    MP_FIELD(call_row, samples, MP_COUNT, "samples taken in the callee for this caller"),
};

static uint64_t count_calls(mp_relation_source *source)
{
    return mp_source_calls(source)->edge_count;
}

static bool call_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                    void *row)
{
    (void)wanted, (void)texts;
    const mp_calls *calls = mp_source_calls(source);
    const mp_call_edge *edge = &calls->edges[place];
    const int64_t cost = edge->as_caller.cost == MP_UNTOLD ? MP_UNKNOWN : edge->as_caller.cost;
    const bool sampled = source->model->holds & MP_HOLDS_SAMPLES;
    if (edge->caller == MP_NO_CALLER)
        return false;
    *(call_row *)row = (call_row){.caller = calls->items[edge->caller].name,
                                  .callee = calls->items[edge->callee].name,
                                  .line = edge->has_line ? edge->line : MP_UNKNOWN,
                                  .calls = edge->calls,
                                  .seconds = sampled ? MP_UNKNOWN : cost,
                                  .samples = sampled ? cost : MP_UNKNOWN};
    return true;
}

const mp_relation mp_relation_calls = {
    .name = "calls",
    .meaning = "who calls whom in an execution profile, from which line",
    .needs = MP_HOLDS_PROFILE,
    MP_FIELDS(call_columns, call_row),
    .count = count_calls,
    .row = call_at,
    .key = MP_NO_KEY,
};

/* --- executions --- */

typedef struct execution_row {
    int64_t session, start_seconds, inclusive_seconds, seconds, line, depth;
    const char *program, *method;
} execution_row;

enum { EXECUTION_START = 1 };

static const mp_column execution_columns[] = {
    MP_FIELD(execution_row, session, MP_NUMBER, "session, where there are several"),
    [EXECUTION_START] =
        MP_FIELD(execution_row, start_seconds, MP_SECONDS, "start, from the start of the profile"),
    MP_FIELD(execution_row, inclusive_seconds, MP_SECONDS, "time until it ended"),
    MP_FIELD(execution_row, seconds, MP_SECONDS, "time without what ran inside"),
    MP_FIELD(execution_row, program, MP_TEXT, "program of the line"),
    MP_FIELD(execution_row, method, MP_TEXT, "procedure, function or method; none: main block"),
    MP_FIELD(execution_row, line, MP_NUMBER, "the line; 0: the whole method"),
    MP_FIELD(execution_row, depth, MP_NUMBER, "executions that it ran inside of"),
};

static uint64_t count_executions(mp_relation_source *source)
{
    return mp_source_timeline(source)->count;
}

static bool execution_at(mp_relation_source *source, uint64_t place, uint64_t wanted,
                         mp_arena *texts, void *row)
{
    (void)wanted, (void)texts;
    const mp_model *model = source->model;
    const mp_timed *timed = &mp_source_timeline(source)->items[place];
    const mp_module *module = &model->profile->modules.items[timed->module.i];
    *(execution_row *)row = (execution_row){.session = mp_session_number(model, module->session),
                                            .start_seconds = timed->start_us,
                                            .inclusive_seconds = timed->all_us,
                                            .seconds = timed->own_us,
                                            .program = mp_model_text(model, module->program),
                                            .method = mp_model_text(model, module->method),
                                            .line = timed->line,
                                            .depth = timed->depth};
    return true;
}

static int64_t start_of_execution(mp_relation_source *source, uint64_t place)
{
    return mp_source_timeline(source)->items[place].start_us;
}

const mp_relation mp_relation_executions = {
    .name = "executions",
    .meaning = "each execution of a line that was traced, in the order of time",
    .needs = MP_HOLDS_PROFILE,
    MP_FIELDS(execution_columns, execution_row),
    .count = count_executions,
    .row = execution_at,
    .key = EXECUTION_START,
    .order = start_of_execution,
};
