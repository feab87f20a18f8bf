/* Taligent heap-monitoring logs, with one event per line.
 *
 * Sources: "Heap monitoring file format", Taligent 1995, and the chapter on the heap monitor in the
 * same book. Times are microseconds since 1970 and fit into 64 bits. */
#include "readers/taligent.h"

#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "base/units.h"
#include "input/private.h"

enum { DEFAULT_SLICES = 20, TAIL = 64 * 1024, MOST_TAIL = 32 * 1024 * 1024, SECOND = 1000000 };

/* --- lines --- */

/* Return the line without the star that marks events on a corrupt heap. */
static mp_slice without_star(mp_slice line, bool *starred)
{
    *starred = line.length && line.start[0] == '*';
    return *starred ? mp_slice_trim((mp_slice){line.start + 1, line.length - 1}) : line;
}

/* Return the latest time in up to `size` of the last bytes; 0: none. Set *whole if these are all
 * bytes of the input. */
static int64_t latest_time_in(mp_input *input, size_t size, bool *whole)
{
    char *tail = mp_alloc(size);
    size_t length = mp_input_tail(input, tail, size);
    int64_t latest = 0;
    *whole = length < size;
    const char *last = memrchr(tail, '\n', length); /* the text after it may be truncated */
    mp_slice left = {tail, last ? (size_t)(last + 1 - tail) : 0};
    for (mp_slice line; mp_slice_take_line(&left, &line);) {
        taligent_line event;
        bool starred;
        if (taligent_parse(without_star(mp_slice_trim(line), &starred), &event) &&
            event.kind != MP_EVENT_OLD && event.time_us > latest)
            latest = event.time_us;
    }
    free(tail);
    return latest;
}

/* Return the latest time in the last lines. Look further back while they have none, since without
 * an end the log would seem to last 0 s. */
static int64_t latest_time(taligent_pass *pass, mp_input *input)
{
    int64_t latest = 0;
    bool whole = false;
    for (size_t size = TAIL; !latest && !whole && size <= MOST_TAIL; size *= 8)
        latest = latest_time_in(input, size, &whole);
    if (!latest && !whole)
        mp_diagnose(pass->diagnostics, MP_DIAG_TORN, pass->path, 0,
                    "the last 32 MiB have no event with a time, expected one: it is unknown when "
                    "the recording ends");
    return latest;
}

static void bad_line(taligent_pass *pass, const taligent_line *event, uint64_t offset)
{
    taligent_resolve(pass);
    mp_diagnose(pass->diagnostics, MP_DIAG_BAD_ROW, pass->path, offset,
                "line is not a heap event, %s: line skipped", event->wrong);
}

/* Handle a line that is not an event: a banner, a title, or damage. */
static void other_line(taligent_pass *pass, mp_slice line, const taligent_line *event,
                       uint64_t offset)
{
    bool banner = mp_slice_starts(line, "***");
    if (banner && !pass->in_banner) {
        taligent_resolve(pass);
        mp_event_log_says(&pass->blocks.log, MP_ANOMALY_CORRUPTION, offset, line);
    }
    pass->in_banner = banner;
    if (!banner && line.length && !taligent_is_title(line))
        bad_line(pass, event, offset);
}

static void log_line(taligent_pass *pass, mp_input *input, mp_slice line)
{
    uint64_t offset = mp_input_line_number(input);
    taligent_line event;
    bool starred;
    if (!taligent_parse(without_star(line, &starred), &event)) {
        other_line(pass, line, &event, offset);
        return;
    }
    pass->in_banner = false;
    if (!pass->timed && event.kind != MP_EVENT_OLD) {
        pass->timed = true;
        pass->last_us = pass->slice_us ? event.time_us : latest_time(pass, input);
    }
    pass->corrupt_events += starred;
    taligent_event(pass, &event, offset);
}

/* Return true for a line of a heap analysis file. */
static bool is_analysis(mp_slice line)
{
    taligent_block block;
    return taligent_parse_block(line, &block);
}

/* --- one input --- */

typedef struct taligent_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    taligent_names names;
} taligent_state;

static void ask(taligent_pass *pass, const char *cursor)
{
    pass->asks_time = cursor && mp_parse_time(cursor, &pass->asked_us);
}

/* Return true if the first lines are those of a heap analysis file. */
static bool head_is_analysis(mp_slice head)
{
    for (mp_slice line; mp_slice_take_line(&head, &line);) {
        taligent_line event;
        bool starred;
        line = without_star(mp_slice_trim(line), &starred);
        if (taligent_parse(line, &event) || taligent_is_title(line))
            return false;
        if (is_analysis(line))
            return true;
    }
    return false;
}

/* Finish a log: sort its anomalies and diagnostics by line, and report how many events had to be
 * reordered. */
static void end_log(taligent_pass *pass, uint32_t first_anomaly, size_t first_diagnostic)
{
    mp_event_log_order(&pass->blocks.log, first_anomaly);
    mp_diagnostics_order(pass->diagnostics, first_diagnostic);
    pass->blocks.log.events->reordered_events += pass->order.moved - pass->late_events;
}

static void open_pass(taligent_pass *pass)
{
    mp_recorded_session *session = MP_ADD(&pass->model->sessions);
    (void)session;
    mp_blocks_open(&pass->blocks, pass->model, (mp_session_id){pass->model->sessions.count - 1},
                   pass->diagnostics);
    if (pass->options->keep_objects)
        mp_blocks_keep_objects(&pass->blocks);
    pass->blocks.log.path = pass->path;
    pass->blocks.log.input = pass->model->inputs.count - 1;
    pass->blocks.threads_as_one = pass->options->threads_as_one;
    pass->replay = mp_pipeline_new(sizeof(taligent_batch), taligent_replay);
    if (pass->model->tell) /* call the listener in this thread, between events */
        mp_pipeline_alone(pass->replay);
    taligent_order_open(&pass->order, pass->options->reorder);
    pass->slice_us = pass->options->slice_us;
    pass->order.within_us = pass->slice_us ? SECOND : 0;
    pass->start_tag = mp_model_intern_text(pass->model, "start");
    pass->asked_tag = mp_model_intern_text(pass->model, pass->asks_line ? "peak" : "at");
    pass->slices = pass->slice_us          ? UINT32_MAX - 1
                   : pass->options->slices ? pass->options->slices
                                           : DEFAULT_SLICES;
}

/* Read all lines. Return false if the last one is truncated. */
static bool read_lines(taligent_pass *pass, mp_input *input, bool analysis)
{
    bool whole = true;
    mp_slice line;
    for (;;) {
        if (!mp_window_has_line(input)) /* report faults of the input in file order */
            taligent_resolve(pass);
        if (!mp_input_line(input, &line))
            break;
        if (analysis)
            return taligent_read_analysis(pass, input, line);
        line = mp_slice_trim(line);
        whole = mp_input_line_closed(input) || !line.length;
        if (whole)
            log_line(pass, input, line);
    }
    return whole;
}

static void close_pass(taligent_pass *pass)
{
    taligent_order_close(&pass->order);
    mp_pipeline_free(pass->replay);
    mp_id_index_free(&pass->threads.index);
    free(pass->threads.names);
    pass->blocks.log.events->corrupt_events += pass->corrupt_events;
    pass->blocks.log.events->late_events += pass->late_events;
}

/* Read the whole input into the model. Return false if its last line is truncated. */
static bool run_pass(taligent_pass *pass, mp_input *input)
{
    bool analysis = head_is_analysis(mp_input_look_ahead(input));
    const mp_diagnostic *kept;
    open_pass(pass);
    size_t first_diagnostic = mp_diagnostics_kept(pass->diagnostics, &kept);
    uint32_t first_anomaly = pass->blocks.log.events->anomalies.count;
    bool whole = read_lines(pass, input, analysis);
    taligent_end(pass);
    if (!analysis) /* blocks of an analysis are already sorted */
        end_log(pass, first_anomaly, first_diagnostic);
    close_pass(pass);
    return whole;
}

/* Return the line of the peak, found by reading the input once into a model that is discarded
 * together with its diagnostics. */
static uint64_t find_peak(const taligent_state *state, mp_input *input)
{
    mp_model *model = mp_model_new();
    mp_diagnostics *diagnostics = mp_diagnostics_new(1);
    taligent_names names = {.model = model, .options = state->options};
    taligent_pass pass = {
        .model = model, .diagnostics = diagnostics, .options = state->options, .names = &names};
    mp_diagnostics *usual = mp_input_diagnose_to(input, diagnostics);
    run_pass(&pass, input);
    mp_input_diagnose_to(input, usual);
    uint64_t line = pass.blocks.peak_line;
    mp_blocks_close(&pass.blocks);
    taligent_names_free(&names);
    mp_model_free(model);
    mp_diagnostics_free(diagnostics);
    return line;
}

/* Mark the snapshots of a log without events as not whole. */
static void forget(const taligent_pass *pass)
{
    for (uint32_t i = pass->blocks.start.i; i < pass->model->snapshots.count; i++)
        pass->model->snapshots.items[i].whole = false;
    pass->model->sessions.items[pass->blocks.session.i].snapshots = 0;
}

static void set_temporary(const taligent_state *state)
{
    mp_events *events = mp_model_events(state->model);
    if (state->options->temporary || state->options->temporary_is_time) {
        events->temporary = state->options->temporary;
        events->temporary_is_time = state->options->temporary_is_time;
    }
}

static bool read_taligent(void *opaque, mp_input *input, uint32_t summary)
{
    taligent_state *state = opaque;
    taligent_pass pass = {.model = state->model,
                          .diagnostics = state->diagnostics,
                          .options = state->options,
                          .names = &state->names,
                          .path = state->model->inputs.items[summary].path};
    if ((!state->options->slice_us || state->options->moment) && !mp_input_keep(input))
        return false;
    ask(&pass, state->options->moment);
    if (state->options->moment && !pass.asks_time) {
        pass.asks_line = true;
        pass.asked_line = find_peak(state, input);
        if (!mp_input_rewind(input))
            return false;
    }
    set_temporary(state);
    bool whole = run_pass(&pass, input);
    mp_blocks_close(&pass.blocks);
    if (!whole)
        mp_diagnose(state->diagnostics, MP_DIAG_TORN, pass.path, mp_input_line_number(input),
                    "the last line is truncated, expected a line end; ignored");
    if (!pass.records)
        forget(&pass);
    if (!pass.records)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, pass.path, 0,
                    "has no heap event that could be read, expected thread, time, address, size, "
                    "type and stack crawl in each line");
    state->model->inputs.items[summary].records = pass.records;
    state->model->inputs.items[summary].complete = whole && pass.records > 0;
    state->model->inputs.items[summary].open_ended = true;
    return pass.records > 0;
}

/* --- the reader --- */

/* Claim a file whose first line, banners aside, is an event, a block or the title of one of
 * them. */
static mp_bid probe(mp_slice head)
{
    mp_slice left = head;
    for (mp_slice line; mp_slice_take_line(&left, &line);) {
        taligent_line event;
        bool starred;
        line = mp_slice_trim(line);
        if (!line.length || mp_slice_starts(line, "***"))
            continue;
        if (taligent_is_title(line))
            return MP_MINE;
        return taligent_parse(without_star(line, &starred), &event) || head_is_analysis(head)
                   ? MP_MINE
                   : MP_NOT_MINE;
    }
    return MP_NOT_MINE;
}

static bool grows(mp_slice head)
{
    return !head_is_analysis(head);
}

static void *open_taligent(mp_model *model, mp_diagnostics *diagnostics,
                           const mp_load_options *options)
{
    taligent_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->diagnostics = diagnostics;
    state->options = options;
    state->names = (taligent_names){.model = model, .options = options};
    model->holds |= MP_HOLDS_NATIVE;
    return state;
}

static void close_taligent(void *opaque)
{
    taligent_state *state = opaque;
    mp_model_events(state->model)->crawls = state->names.allocating;
    mp_events_infer(state->model);
    if (state->names.converted)
        mp_reader_tell_converted(state->diagnostics, NULL);
    taligent_names_free(&state->names);
    free(state);
}

const mp_reader mp_reader_taligent = {
    .name = "taligent",
    .summary = "Taligent heap-monitoring log or heap analysis file",
    .endings = ".taligent .log",
    .versions = "1995",
    .kind = MP_KIND_EVENTS,
    .probe = probe,
    .grows = grows,
    .open = open_taligent,
    .read = read_taligent,
    .close = close_taligent,
};
