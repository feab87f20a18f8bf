/* Export in the Trace Event Format, for chrome://tracing, Perfetto and DevTools' performance panel.
 * Memory over time becomes counters, tags become instants, requests become slices. In a profile
 * with tracing, each execution of a line becomes a slice.
 *
 * Each session is a process. If the start times of all sessions are known, the first session starts
 * at 0; otherwise each session starts at 0. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json_writer.h"
#include "base/memory.h"
#include "base/units.h"
#include "export/exporter.h"
#include "query/code_names.h"
#include "query/requests.h"
#include "query/timeline.h"

/* Threads of a process. Slices of one thread must be nested or disjoint. */
enum { MEMORY_TRACK = 0, FIRST_LANE = 1, LANES = 32 };
/* Assumed distance between snapshots without times, in microseconds. */
enum { SECOND_US = 1000000 };

typedef struct trace_out {
    mp_json json;
    const mp_filter *filter;
    const mp_model *model;
    mp_arena names;
    int64_t *starts; /* offset that is added to the times of each session */
    bool told;       /* true if the times of snapshots are known */
    int64_t counters, instants, slices;
} trace_out;

static void put_seconds_member(trace_out *out, const char *name, int64_t us)
{
    char text[MP_UNIT_TEXT];
    mp_format_seconds(text, us, false);
    mp_json_word(&out->json, name, text);
}

/* Print the members that every event has. The caller adds the arguments and closes the event. */
static void open_event(trace_out *out, const char *phase, const char *name, uint32_t session,
                       uint32_t thread, int64_t us)
{
    mp_json_next(&out->json);
    mp_json_open(&out->json, '{');
    mp_json_text(&out->json, "ph", phase);
    mp_json_text(&out->json, "name", name);
    mp_json_number(&out->json, "pid", session);
    mp_json_number(&out->json, "tid", thread);
    if (*phase != 'M')
        mp_json_number(&out->json, "ts", us);
}

static void close_event(trace_out *out)
{
    mp_json_close(&out->json, '}');
    mp_json_close(&out->json, '}');
}

/* --- processes and threads --- */

static void put_metadata(trace_out *out, const char *what, uint32_t session, uint32_t thread,
                         const char *name)
{
    open_event(out, "M", what, session, thread, 0);
    mp_json_open_member(&out->json, "args", '{');
    mp_json_text(&out->json, "name", name);
    close_event(out);
}

static void put_process(trace_out *out, uint32_t session)
{
    const mp_recorded_session *state = &out->model->sessions.items[session];
    const char *name = mp_model_text(out->model, state->application);
    if (!*name)
        name = mp_model_text(out->model, state->description);
    if (!*name)
        name = mp_model_name(out->model);
    if (state->session_id.i)
        name = mp_arena_format(&out->names, "%s, %s", name,
                               mp_model_text(out->model, state->session_id));
    if (state->has_process_id)
        name = mp_arena_format(&out->names, "%s, process %" PRIu64, name, state->process_id);
    put_metadata(out, "process_name", session, MEMORY_TRACK, name);
}

static void set_starts(trace_out *out)
{
    const mp_model *model = out->model;
    int64_t first = INT64_MAX;
    bool complete = true;
    out->starts = mp_alloc_zero(model->sessions.count, sizeof *out->starts);
    for (uint32_t i = 1; i < model->sessions.count; i++) {
        int64_t start = model->sessions.items[i].start_us;
        complete &= start != 0;
        first = start < first ? start : first;
    }
    for (uint32_t i = 1; complete && i < model->sessions.count; i++)
        out->starts[i] = model->sessions.items[i].start_us - first;
}

/* --- memory --- */

static void put_counter(trace_out *out, const char *name, uint32_t session, int64_t us,
                        int64_t value)
{
    open_event(out, "C", name, session, MEMORY_TRACK, us);
    mp_json_open_member(&out->json, "args", '{');
    mp_json_number(&out->json, "value", value);
    close_event(out);
    out->counters++;
}

/* Write a snapshot, the `number`th of its session, at its time. If times are unknown, write it at a
 * time computed from the number. */
static void put_snapshot(trace_out *out, const mp_snapshot *snapshot, uint32_t number)
{
    uint32_t session = snapshot->session.i;
    int64_t us =
        out->starts[session] + (out->told ? snapshot->time_us : (int64_t)number * SECOND_US);
    if (snapshot->has_peak && out->told && snapshot->peak_time_us < snapshot->time_us)
        put_counter(out, "live_bytes", session, out->starts[session] + snapshot->peak_time_us,
                    snapshot->peak_bytes);
    put_counter(out, "live_bytes", session, us, snapshot->live_bytes);
    if (!(out->model->holds & MP_HOLDS_UNCOUNTED))
        put_counter(out, "live_objects", session, us, snapshot->live_objects);
    if (snapshot->has_platform)
        put_counter(out, "platform_bytes", session, us, snapshot->platform_bytes);
    if (!snapshot->tag.i)
        return;
    open_event(out, "i", mp_model_text(out->model, snapshot->tag), session, MEMORY_TRACK, us);
    mp_json_text(&out->json, "cat", "tag");
    mp_json_text(&out->json, "s", "p");
    mp_json_open_member(&out->json, "args", '{');
    mp_json_number(&out->json, "sequence", (int64_t)snapshot->sequence);
    close_event(out);
    out->instants++;
}

/* Return the first lane that is free at the start of a request, and reserve it until the request
 * ends. Requests of a session normally follow each other, so they share a lane. */
static uint32_t lane_of(int64_t lanes[LANES], int64_t from_us, int64_t to_us)
{
    uint32_t lane = 0;
    while (lane < LANES - 1 && lanes[lane] > from_us)
        lane++;
    lanes[lane] = to_us;
    return FIRST_LANE + lane;
}

/* Write a request. If the recording does not have its end, its slice has no end. */
static void put_request(trace_out *out, const mp_served *served, int64_t lanes[LANES])
{
    uint32_t session = served->session.i;
    int64_t from_us = out->starts[session] + served->start_us;
    bool ended = served->duration_us != MP_UNKNOWN;
    uint32_t lane = lane_of(lanes, from_us, ended ? from_us + served->duration_us : INT64_MAX);
    const char *api = mp_model_text(out->model, served->api);
    const char *request = mp_model_text(out->model, served->request);
    open_event(out, ended ? "X" : "B", *api ? api : request, session, lane, from_us);
    if (ended)
        mp_json_number(&out->json, "dur", served->duration_us);
    mp_json_text(&out->json, "cat", "request");
    mp_json_open_member(&out->json, "args", '{');
    mp_json_text(&out->json, "request", request);
    mp_json_number(&out->json, "created_objects", served->created_objects);
    mp_json_number(&out->json, "created_bytes", served->created_bytes);
    mp_json_number(&out->json, "left_objects", served->left_objects);
    mp_json_number(&out->json, "left_bytes", served->left_bytes);
    close_event(out);
    out->slices++;
}

static void put_requests(trace_out *out, const mp_window *window)
{
    mp_requests requests = mp_requests_of(window, false);
    int64_t lanes[LANES];
    for (size_t i = 0; i < requests.count; i++) {
        uint32_t session = requests.items[i].session.i;
        if (i == 0 || requests.items[i - 1].session.i != session) {
            for (size_t lane = 0; lane < LANES; lane++)
                lanes[lane] = INT64_MIN;
            put_metadata(out, "thread_name", session, FIRST_LANE, "requests");
        }
        put_request(out, &requests.items[i], lanes);
    }
    mp_requests_free(&requests);
}

/* --- tracing --- */

/* Return "method program:12"; for a whole method (line 0) there is no line. */
static const char *name_of(trace_out *out, const mp_timed *timed)
{
    const mp_module *module = &out->model->profile->modules.items[timed->module.i];
    mp_code_place place = mp_module_place(out->model, module);
    place.line = timed->line == 0 ? MP_UNKNOWN : timed->line;
    place.start_line = 0; /* slices are narrow */
    return mp_code_label(&out->names, &place);
}

static uint32_t session_of(const trace_out *out, const mp_timed *timed)
{
    return out->model->profile->modules.items[timed->module.i].session.i;
}

/* Return the length of each slice, in microseconds. Release with free().
 *
 * Times are rounded. A slice may therefore seem to end after the beginning of the next slice on its
 * level, or on the level of its caller. Slices must not overlap, so the first slice is cut at this
 * point. The loop goes backwards. `later` is a stack of slices that begin later; the nearest one
 * that is not deeper limits the length. */
static int64_t *lengths_of(const trace_out *out, const mp_timeline *timeline)
{
    int64_t *lengths = mp_alloc((timeline->count + 1) * sizeof *lengths);
    const mp_timed **later = mp_alloc((timeline->count + 1) * sizeof *later);
    size_t height = 0;
    for (size_t i = timeline->count; i-- > 0;) {
        const mp_timed *timed = &timeline->items[i];
        if (height && session_of(out, later[height - 1]) != session_of(out, timed))
            height = 0;
        while (height && later[height - 1]->depth > timed->depth)
            height--;
        lengths[i] = timed->all_us;
        if (height && later[height - 1]->start_us - timed->start_us < lengths[i])
            lengths[i] = later[height - 1]->start_us - timed->start_us;
        later[height++] = timed;
    }
    free(later);
    return lengths;
}

static int64_t put_executions(trace_out *out)
{
    const mp_profile *profile = out->model->profile;
    mp_timeline timeline = mp_timeline_of(out->filter);
    int64_t *lengths = lengths_of(out, &timeline);
    for (size_t i = 0; i < timeline.count; i++) {
        const mp_timed *timed = &timeline.items[i];
        uint32_t session = session_of(out, timed);
        open_event(out, "X", name_of(out, timed), session, FIRST_LANE,
                   out->starts[session] + timed->start_us);
        mp_json_number(&out->json, "dur", lengths[i]);
        mp_json_text(&out->json, "cat", timed->line ? "line" : "module");
        mp_json_open_member(&out->json, "args", '{');
        put_seconds_member(out, "seconds", timed->own_us);
        put_seconds_member(out, "inclusive_seconds", timed->all_us);
        close_event(out);
        out->slices++;
        mp_arena_free(&out->names);
    }
    for (uint32_t i = 1; i < profile->user_data.count; i++) {
        const mp_profile_text *text = &profile->user_data.items[i];
        open_event(out, "i", mp_model_text(out->model, text->text), text->session.i, FIRST_LANE,
                   out->starts[text->session.i] + text->time_us);
        mp_json_text(&out->json, "cat", "user data");
        mp_json_text(&out->json, "s", "p");
        mp_json_open_member(&out->json, "args", '{');
        close_event(out);
        out->instants++;
    }
    free(lengths);
    free(timeline.items);
    return timeline.own_us;
}

/* --- the file --- */

static trace_out open_trace(const mp_request *request)
{
    trace_out out = {.json = {.file = request->file, .lines = true},
                     .filter = request->filter,
                     .model = request->model};
    set_starts(&out);
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":", request->file);
    mp_json_open(&out.json, '[');
    for (uint32_t i = 1; i < out.model->sessions.count; i++)
        put_process(&out, i);
    return out;
}

static void close_trace(trace_out *out, mp_document *document, const mp_request *request,
                        mp_written_totals *sums)
{
    mp_json_close(&out->json, ']');
    fprintf(request->file, "\n,\"otherData\":{\"snapshots\":\"%s\"}}\n",
            out->told ? "at their times" : "a second apart: the recording has no times");
    mp_written(document, request, "a trace for Perfetto and chrome://tracing", sums);
    mp_table *rows = mp_written_table(document);
    mp_written_rows(document, rows, "counters", out->counters);
    mp_written_rows(document, rows, "instants", out->instants);
    mp_written_rows(document, rows, "slices", out->slices);
    mp_arena_free(&out->names);
    free(out->starts);
}

static bool run_memory(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_window *window = mp_request_window(request, error);
    if (!window)
        return false;
    const mp_model *model = request->model;
    const mp_session_snapshots *sessions = &request->filter->listed;
    uint32_t count = sessions->first[model->sessions.count];
    mp_written_totals sums = mp_nothing_written;
    sums.snapshots = count;
    trace_out out = open_trace(request);
    out.told = true;
    for (uint32_t i = 0; i < count; i++)
        out.told &=
            mp_snapshot_has_time(model, &request->filter->snapshots[sessions->snapshots[i]]);
    for (uint32_t i = 0; i < count; i++) {
        const mp_snapshot *snapshot = &request->filter->snapshots[sessions->snapshots[i]];
        put_snapshot(&out, snapshot, i - sessions->first[snapshot->session.i] + 1);
    }
    if (model->holds & MP_HOLDS_RUNTIME)
        put_requests(&out, window);
    close_trace(&out, document, request, &sums);
    return true;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    if (!request->model->profile->trace_rows)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "export " MP_DASHES
                       "to trace needs a trace, which this profile does not have; record one with "
                       "PROFILER:TRACE-FILTER = \"*\" (or patterns of programs), set before "
                       "PROFILER:PROFILING = TRUE");
    mp_written_totals sums = mp_nothing_written;
    trace_out out = open_trace(request);
    out.told = true;
    sums.seconds = put_executions(&out);
    close_trace(&out, document, request, &sums);
    return true;
}

static const mp_heap_arguments defaults = {.limit = 0};

static const mp_argument arguments[] = {
    MP_SHARES("selection", MP_HEAPS | MP_PROFILE),
    MP_SHARES("keep-profiler", MP_PROFILE),
    MP_SHARES_EVENTS(MP_EVENTS),
    MP_SHARES("domain", MP_DUMP),
};

const mp_exporter mp_exporter_trace = {
    .name = "trace",
    .endings = ".json",
    .report =
        {.name = MP_EXPORT_TO("trace"),
         .summary = "memory over time, or a traced profile, for Perfetto or chrome://tracing",
         .wants_traces = true,
         MP_ARGUMENTS(arguments, defaults),
         .variants = {MP_HEAP_VARIANTS(run_memory),
                      {.needs = MP_HOLDS_LEDGER, .run = run_memory},
                      {.needs = MP_HOLDS_PROFILE, .lacks = MP_HOLDS_UNCALLED, .run = run_profile}}},
};
