/* Taligent heap-monitoring logs, with one event per line.
 *
 * Sources: "Heap monitoring file format", Taligent 1995, and the chapter on the heap monitor in the
 * same book. Times are microseconds since 1970 and fit into 64 bits. */
#include "readers/taligent.h"

#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "input/private.h"

enum { SECOND = 1000000 };

/* --- lines --- */

/* Return the line without the star that marks events on a corrupt heap. */
static mp_slice without_star(mp_slice line, bool *starred)
{
    *starred = line.length && line.start[0] == '*';
    return *starred ? mp_slice_trim((mp_slice){line.start + 1, line.length - 1}) : line;
}

static bool time_of(mp_slice line, int64_t *time_us)
{
    taligent_line event;
    bool starred;
    if (!taligent_parse(without_star(line, &starred), &event) || event.kind == MP_EVENT_OLD)
        return false;
    *time_us = event.time_us;
    return true;
}

static void bad_line(taligent_pass *pass, const taligent_line *event, uint64_t offset)
{
    mp_replay_resolve(&pass->replay);
    mp_diagnose(pass->diagnostics, MP_DIAG_BAD_ROW, pass->path, offset,
                "line is not a heap event, %s: line skipped", event->wrong);
}

/* Handle a line that is not an event: a banner, a title, or damage. */
static void other_line(taligent_pass *pass, mp_slice line, const taligent_line *event,
                       uint64_t offset)
{
    bool banner = mp_slice_starts(line, "***");
    if (banner && !pass->in_banner) {
        mp_replay_resolve(&pass->replay);
        mp_event_log_says(&pass->replay.blocks.log, MP_ANOMALY_CORRUPTION, offset, line);
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

/* Return true if the first lines are lines of a heap analysis file. */
static bool head_is_analysis(mp_slice head)
{
    enum { FIRST = 4096 };
    head.length = head.length < FIRST ? head.length : FIRST;
    for (mp_slice line; mp_slice_take_line(&head, &line);) {
        taligent_line event;
        bool starred;
        line = without_star(mp_slice_trim(line), &starred);
        /* Lines of other formats are rejected quickly: names of threads contain a hyphen. */
        const bool threaded = memchr(line.start, '-', line.length);
        if ((threaded && taligent_parse(line, &event)) || taligent_is_title(line))
            return false;
        if (threaded && is_analysis(line))
            return true;
    }
    return false;
}

/* Read lines in the usual form, most of a file, up to another line. Return true if there are any.
 */
static bool read_events(taligent_pass *pass, mp_input *input)
{
    const uint64_t before = mp_input_line_number(input);
    for (taligent_line event; taligent_take(input, &event);)
        taligent_event(pass, &event, mp_input_line_number(input));
    const bool any = mp_input_line_number(input) > before;
    pass->in_banner &= !any;
    return any;
}

/* Read all lines. Return false if the last one is truncated. */
static bool read_lines(taligent_pass *pass, mp_input *input, bool analysis)
{
    bool whole = true;
    mp_slice line;
    for (;;) {
        whole |= !analysis && read_events(pass, input);
        if (!mp_window_has_line(input)) /* report the problems of the input in file order */
            mp_replay_resolve(&pass->replay);
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

/* Read the whole input into the model of the pass. The events up to `peak_line` are before the
 * requested moment. Return false if the last line is truncated. */
static bool run_pass(taligent_pass *pass, mp_input *input, uint64_t peak_line)
{
    bool analysis = head_is_analysis(mp_input_look_ahead(input));
    mp_replay *replay = &pass->replay;
    mp_replay_open(replay, pass->model, pass->diagnostics, pass->options, pass->path, peak_line);
    taligent_order_open(&pass->order, pass->options->reorder);
    pass->order.within_us = replay->slice_us ? SECOND : 0;
    if (!analysis && !replay->slice_us)
        pass->last_us = mp_last_time(input, time_of);
    bool whole = read_lines(pass, input, analysis);
    taligent_end(pass);
    mp_events *events = replay->blocks.log.events;
    if (!analysis) { /* blocks of an analysis are already sorted */
        mp_replay_sort_findings(replay);
        events->reordered_events += pass->order.moved - replay->late_events;
    }
    events->corrupt_events += pass->corrupt_events;
    taligent_order_close(&pass->order);
    mp_id_index_free(&pass->threads.index);
    free(pass->threads.names);
    mp_replay_close(replay);
    return whole;
}

/* Return the line of the peak. It is found in a model that is then discarded. */
static uint64_t find_peak(const void *opaque, mp_model *model, mp_diagnostics *diagnostics,
                          mp_input *input)
{
    const mp_load_options *options = opaque;
    taligent_names names = {.model = model, .options = options};
    taligent_pass pass = {
        .model = model, .diagnostics = diagnostics, .options = options, .names = &names};
    run_pass(&pass, input, 0);
    taligent_names_free(&names);
    return pass.replay.blocks.peak_line;
}

static bool read_taligent(void *opaque, mp_input *input, uint32_t summary)
{
    taligent_state *state = opaque;
    taligent_pass pass = {.model = state->model,
                          .diagnostics = state->diagnostics,
                          .options = state->options,
                          .names = &state->names,
                          .path = state->model->inputs.items[summary].path};
    uint64_t peak_line;
    if (!mp_replay_prepare(input, state->options, find_peak, state->options, &peak_line))
        return false;
    bool whole = run_pass(&pass, input, peak_line);
    if (!whole)
        mp_diagnose(state->diagnostics, MP_DIAG_TORN, pass.path, mp_input_line_number(input),
                    "the last line is truncated, expected a line end; ignored");
    if (!pass.replay.events)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, pass.path, 0,
                    "has no heap event that could be read, expected thread, time, address, size, "
                    "type and stack crawl in each line");
    mp_input_summary *read = &state->model->inputs.items[summary];
    read->records = pass.replay.events;
    read->complete = whole && pass.replay.events > 0;
    read->open_ended = true;
    return pass.replay.events > 0;
}

/* --- the reader --- */

/* Claim a file if its first line, after any banners, is an event, a block, or the title of a list
 * of events or blocks. */
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
    mp_model_events(state->model)->crawls += state->names.allocating;
    mp_events_infer(state->model);
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
