/* The report timeline: the trace of an execution profile, with the gaps in which nothing ran. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "query/code_names.h"
#include "query/timeline.h"
#include "reports/figures.h"
#include "reports/profile_sections.h"
#include "reports/sections.h"

enum { BAR = 24, DEEPEST_INDENT = 20 };

typedef struct trace_row {
    int64_t executions, from_seconds, to_seconds, span_seconds, seconds;
    int64_t elsewhere_seconds, gaps;
} trace_row;

static const mp_column trace_columns[] = {
    MP_COLUMN(trace_row, executions, "Executions", MP_COUNT, 0),
    MP_COLUMN(trace_row, from_seconds, "From second", MP_SECONDS, 0),
    MP_COLUMN(trace_row, to_seconds, "To second", MP_SECONDS, 0),
    MP_COLUMN(trace_row, span_seconds, "Seconds in all", MP_SECONDS, 0),
    MP_COLUMN(trace_row, seconds, "  in traced lines", MP_SECONDS, 0),
    MP_COLUMN(trace_row, elsewhere_seconds, "  elsewhere", MP_SECONDS, 0),
    MP_COLUMN(trace_row, gaps, "Gaps", MP_COUNT, 0),
};

typedef struct timed_row {
    int64_t start_seconds, inclusive_seconds, seconds, line, depth, session;
    const char *bar, *what, *program, *method;
} timed_row;

static const mp_column timed_columns[] = {
    MP_COLUMN(timed_row, session, "Session", MP_NUMBER, MP_IF_KNOWN),
    MP_COLUMN(timed_row, start_seconds, "Start", MP_SECONDS, 0),
    MP_COLUMN(timed_row, inclusive_seconds, "Lasted", MP_SECONDS, 0),
    MP_COLUMN(timed_row, seconds, "Own", MP_SECONDS, 0),
    MP_COLUMN(timed_row, bar, "When", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(timed_row, what, "What", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(timed_row, program, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(timed_row, method, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(timed_row, line, "", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(timed_row, depth, "", MP_NUMBER, MP_FOR_PROGRAMS),
};

typedef struct gap_row {
    int64_t seconds, from_seconds, to_seconds, session;
    const char *after, *before;
} gap_row;

static const mp_column gap_columns[] = {
    MP_RANK(0),
    MP_COLUMN(gap_row, session, "Session", MP_NUMBER, MP_IF_KNOWN),
    MP_COLUMN(gap_row, seconds, "At least", MP_SECONDS, 0),
    MP_COLUMN(gap_row, from_seconds, "From", MP_SECONDS, 0),
    MP_COLUMN(gap_row, to_seconds, "To", MP_SECONDS, 0),
    MP_COLUMN(gap_row, after, "After", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(gap_row, before, "Before", MP_TEXT, MP_SHORTEN),
};

/* A gap between two executions that have the same caller. It lasts from the end of one, or from the
 * start of the caller, to the start of the next. */
typedef struct gap {
    int64_t from_us,
        us; /* us: length of the gap, without the time that the caller itself may have spent */
    const mp_timed *after, *before;
} gap;

typedef struct drawing {
    mp_document *document;
    const mp_model *model;
    mp_timeline timeline;
    int64_t from_us, to_us; /* range of the whole timeline */
    gap *gaps;              /* sorted by length, longest first */
    size_t gap_count;
    bool many_sessions;
} drawing;

static uint32_t session_of(const drawing *state, const mp_timed *timed)
{
    return state->model->profile->modules.items[timed->module.i].session.i;
}

static int64_t session_cell(const drawing *state, const mp_timed *timed)
{
    return state->many_sessions ? (int64_t)session_of(state, timed) : MP_UNKNOWN;
}

/* Return "method program:12"; a whole method (line 0) has no line. */
static const char *name_of(const drawing *state, const mp_timed *timed)
{
    const mp_module *module = &state->model->profile->modules.items[timed->module.i];
    const char *name = mp_model_text(state->model, module->name.i ? module->name : module->program);
    return timed->line == 0 ? name
                            : mp_document_text(state->document, "%s:%" PRId32, name, timed->line);
}

/* Return the same text for people. */
static const char *told(const drawing *state, const mp_timed *timed)
{
    const mp_module *module = &state->model->profile->modules.items[timed->module.i];
    mp_code_place place = mp_module_place(state->model, module);
    place.line = timed->line == 0 ? MP_UNKNOWN : timed->line;
    return mp_code_label(state->document->arena, &place);
}

/* --- gaps --- */

static int longest_gap_first(const void *left, const void *right)
{
    const gap *a = left, *b = right;
    int order = MP_COMPARE(b->us, a->us);
    return order ? order : MP_COMPARE(a->before, b->before);
}

static void add_gap(drawing *state, size_t *capacity, const gap *found)
{
    *MP_APPEND(state->gaps, state->gap_count, *capacity) = *found;
}

/* State at each depth of calls: the caller, and the last execution that it called. */
typedef struct level {
    const mp_timed *outer, *last;
    int64_t end_us; /* latest end of the executions that it called so far */
} level;

static int64_t end_of(const mp_timed *timed)
{
    return timed->start_us + timed->all_us;
}

static void find_gaps(drawing *state)
{
    size_t capacity = 0;
    level *levels = mp_alloc_zero(state->timeline.count + 1, sizeof *levels);
    state->from_us = INT64_MAX;
    state->to_us = INT64_MIN;
    for (size_t i = 0; i < state->timeline.count; i++) {
        const mp_timed *timed = &state->timeline.items[i];
        level *entry = &levels[timed->depth];
        state->from_us = timed->start_us < state->from_us ? timed->start_us : state->from_us;
        state->to_us = end_of(timed) > state->to_us ? end_of(timed) : state->to_us;
        if (timed->depth == 0 && entry->last &&
            session_of(state, entry->last) != session_of(state, timed))
            *entry = (level){NULL, NULL, 0};
        const mp_timed *after = entry->last ? entry->last : entry->outer;
        int64_t own_us = entry->outer ? entry->outer->own_us : 0;
        if (after && timed->start_us - entry->end_us > own_us)
            add_gap(state, &capacity,
                    &(gap){entry->end_us, timed->start_us - entry->end_us - own_us, after, timed});
        entry->end_us =
            entry->last && entry->end_us > end_of(timed) ? entry->end_us : end_of(timed);
        entry->last = timed;
        levels[timed->depth + 1] = (level){timed, NULL, timed->start_us};
    }
    free(levels);
    if (state->gap_count)
        qsort(state->gaps, state->gap_count, sizeof *state->gaps, longest_gap_first);
}

static void put_gaps(const drawing *state, size_t rows)
{
    mp_table *table = MP_TABLE(state->document, "gaps", "Longest gaps", MP_ROWS, gap_columns);
    table->empty = state->timeline.count ? "none: each started when the one before ended" : "none";
    for (size_t i = 0; i < state->gap_count && (!rows || i < rows); i++) {
        const gap *self = &state->gaps[i];
        gap_row row = {.seconds = self->us,
                       .from_seconds = self->from_us,
                       .to_seconds = self->before->start_us,
                       .session = session_cell(state, self->before),
                       .after = name_of(state, self->after),
                       .before = name_of(state, self->before)};
        mp_table_put(state->document, table, &row);
    }
    mp_table_left_out(table, state->gap_count);
}

/* --- what ran --- */

static void put_trace(const drawing *state)
{
    bool one = !state->many_sessions; /* each session has its own clock */
    int64_t elsewhere_us = state->to_us - state->from_us - state->timeline.own_us;
    trace_row row = {.executions = (int64_t)state->timeline.count,
                     .from_seconds = one ? state->from_us : MP_UNKNOWN,
                     .to_seconds = one ? state->to_us : MP_UNKNOWN,
                     .span_seconds = one ? state->to_us - state->from_us : MP_UNKNOWN,
                     .seconds = state->timeline.own_us,
                     /* It can be below 0 because times are rounded. */
                     .elsewhere_seconds = !one               ? MP_UNKNOWN
                                          : elsewhere_us > 0 ? elsewhere_us
                                                             : 0,
                     .gaps = (int64_t)state->gap_count};
    mp_table *table = MP_TABLE(state->document, "trace", "Trace", MP_RECORD, trace_columns);
    mp_table_put(state->document, table, &row);
}

/* Return a bar that shows at what time of the timeline it ran: "   ###    ". */
static const char *bar_of(const drawing *state, const mp_timed *timed)
{
    char *bar = mp_arena_alloc(state->document->arena, BAR + 1);
    double span = (double)(state->to_us - state->from_us);
    double scale = span > 0 ? BAR / span : 0;
    int from = (int)((double)(timed->start_us - state->from_us) * scale);
    int to = (int)((double)(timed->start_us + timed->all_us - state->from_us) * scale);
    from = from < BAR ? from : BAR - 1;
    to = to > from ? to : from + 1;
    to = to < BAR ? to : BAR;
    memset(bar, '.', BAR);
    memset(bar + from, '#', (size_t)(to - from));
    bar[BAR] = '\0';
    return bar;
}

static void put_timed(const drawing *state, mp_table *table, const mp_timed *timed)
{
    const mp_module *module = &state->model->profile->modules.items[timed->module.i];
    int indent = 2 * (int)(timed->depth < DEEPEST_INDENT ? timed->depth : DEEPEST_INDENT);
    timed_row row = {.session = session_cell(state, timed),
                     .start_seconds = timed->start_us,
                     .inclusive_seconds = timed->all_us,
                     .seconds = timed->own_us,
                     .bar = state->many_sessions ? NULL : bar_of(state, timed),
                     .what =
                         mp_document_text(state->document, "%*s%s", indent, "", told(state, timed)),
                     .program = mp_model_text(state->model, module->program),
                     .method = mp_model_text(state->model, module->method),
                     .line = timed->line,
                     .depth = timed->depth};
    mp_table_put(state->document, table, &row);
}

/* Add the longest executions, in the order of time. */
static void put_timeline(const drawing *state, size_t rows)
{
    mp_table *table = MP_TABLE(state->document, "timeline", NULL, MP_ROWS, timed_columns);
    size_t count = state->timeline.count;
    bool *put = mp_alloc((count + 1) * sizeof *put);
    table->title = "Timeline";
    table->empty = "nothing that matches the filters was traced";
    table->main = true;
    for (size_t i = 0; i < count; i++)
        put[i] = true;
    size_t shown = rows && rows < count ? rows : count;
    if (shown < count) {
        mp_keep_largest(put, (uint32_t)count, shown, &state->timeline.items[0].all_us,
                        sizeof *state->timeline.items);
        table->title = mp_document_text(state->document, "Timeline, the longest %s of %s",
                                        mp_count_text(state->document, (int64_t)shown),
                                        mp_count_text(state->document, (int64_t)count));
    }
    for (size_t i = 0; i < count; i++)
        if (put[i])
            put_timed(state, table, &state->timeline.items[i]);
    mp_table_left_out(table, count);
    free(put);
}

/* --- the picture --- */

/* Return the text for people. There is one copy for each line of code. */
static const char *kept_label(const drawing *state, const mp_timed *timed)
{
    uint64_t number = ((uint64_t)timed->module.i + 1) << 32 | (uint32_t)timed->line;
    const char **kept = mp_document_kept(state->document, number);
    if (!*kept)
        *kept = mp_document_text(state->document, "%s", told(state, timed));
    return *kept;
}

/* Draw the timeline of the first session only, because each session has its own clock. */
static void draw_timeline(const drawing *state)
{
    if (!state->document->draws)
        return;
    size_t count = 0;
    while (count < state->timeline.count && session_of(state, &state->timeline.items[count]) ==
                                                session_of(state, &state->timeline.items[0]))
        count++;
    mp_figure *figure = mp_document_figure(state->document, MP_FIGURE_SPANS, "timeline");
    const char *about = mp_figure_about(state->document, state->model);
    figure->title = mp_document_text(state->document, "Timeline: %s", about);
    figure->note = count < state->timeline.count ? "the first session alone" : NULL;
    figure->spans.count = count;
    figure->spans.items =
        mp_arena_alloc(state->document->arena, (count + 1) * sizeof *figure->spans.items);
    for (size_t i = 0; i < count; i++) {
        const mp_timed *timed = &state->timeline.items[i];
        figure->spans.items[i] = (struct mp_span){timed->start_us, end_of(timed), timed->depth,
                                                  kept_label(state, timed)};
    }
}

typedef struct timeline_arguments {
    int64_t limit;
} timeline_arguments;

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const timeline_arguments *asked = request->arguments;
    const mp_model *model = request->model;
    if (!model->profile->trace_rows)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "timeline needs a trace, which this profile does not have; record one with "
                       "PROFILER:TRACE-FILTER = \"*\" (or patterns of programs), or with "
                       "PROFILER:TRACING = \"program|line\", set before PROFILER:PROFILING = TRUE");
    drawing state = {.document = document,
                     .model = model,
                     .timeline = mp_timeline_of(request->filter),
                     .many_sessions = model->sessions.count > 2};
    mp_section_profile(document, request);
    if (state.timeline.count) {
        find_gaps(&state);
        put_trace(&state);
    }
    put_timeline(&state, (size_t)asked->limit);
    put_gaps(&state, (size_t)asked->limit);
    draw_timeline(&state);
    free(state.gaps);
    free(state.timeline.items);
    return true;
}

static const timeline_arguments timeline_defaults = {.limit = MP_REPORT_ROWS};

static const mp_argument timeline_table[] = {
    {"limit", offsetof(timeline_arguments, limit), 1},
    {"chart", MP_SHARED_ARGUMENT, 1},
    {"selection", MP_SHARED_ARGUMENT, 1},
    {"keep-profiler", MP_SHARED_ARGUMENT, 1},
};

const mp_report mp_report_timeline = {
    .name = "timeline",
    .summary = "show when each line of a traced profile ran, and when none did",
    .example = "timeline samples/shop-v3.prf",
    .details = "For profiles recorded with tracing. Each row is one execution of a line or, "
               "without a line number, of a whole program or method, indented below the one that "
               "called it. The longest executions are shown, in order of time.",
    .single = true,
    .wants_traces = true,
    MP_ARGUMENTS(timeline_table, timeline_defaults),
    .wants = MP_TELLS_TRACE,
    .variants = {{.needs = MP_HOLDS_PROFILE, .lacks = MP_HOLDS_UNCALLED, .run = run}},
};
