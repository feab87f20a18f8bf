/* Taligent heap-monitoring logs: an event a line, and snapshots cut from their time.
 *
 * Sources: "Heap monitoring file format", Taligent 1995, and the pages on the heap monitor of the
 * same book. Times are microseconds since 1970 and fit 64 bits. */
#include "readers/taligent.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "base/units.h"
#include "input/inside.h"

enum { DEFAULT_SLICES = 10, TAIL = 64 * 1024, SECOND = 1000000 };

/* --- slices of time --- */

/* When the k-th slice ends, since the first event. Without overflow: the rest of a division is
 * smaller than the number of slices. */
static int64_t slice_end(const taligent_pass *pass, uint32_t k)
{
    if (pass->slice_us)
        return k > INT64_MAX / pass->slice_us ? INT64_MAX : k * pass->slice_us;
    int64_t span = pass->last_us - pass->first_us, all = pass->slices;
    return span / all * k + span % all * k / all;
}

static void end_slice(taligent_pass *pass, int64_t end)
{
    mp_model *model = pass->model;
    mp_snapshot *snapshot = mp_blocks_end_snapshot(&pass->blocks, end);
    snapshot->sequence = pass->slice++;
    if (snapshot->sequence == 0)
        snapshot->tag = pass->start_tag;
    mp_model_tell_snapshot(model, (mp_snapshot_id){(uint32_t)(snapshot - model->snapshots.at)});
}

/* Of slices of a given length, those in which nothing happens are left out: an event opens its own.
 */
static void skip_empty(taligent_pass *pass, int64_t time_us)
{
    if (!pass->slice_us)
        return;
    int64_t number = time_us / pass->slice_us + (time_us % pass->slice_us != 0);
    if (number > pass->slice)
        pass->slice = number < pass->slices ? (uint32_t)number : pass->slices;
}

/* The moment that the user asked for. It has the number of the slice in which it lies. */
static void end_asked(taligent_pass *pass, int64_t time_us)
{
    mp_snapshot *snapshot = mp_blocks_end_snapshot(&pass->blocks, time_us);
    snapshot->asked = true;
    snapshot->sequence = pass->slice <= pass->slices ? pass->slice : pass->slices;
    snapshot->tag = pass->asked_tag;
    pass->asks_line = pass->asks_time = false;
}

/* All snapshots that end before an event at this time. */
static void advance(taligent_pass *pass, int64_t time_us)
{
    if (pass->slice == 0)
        end_slice(pass, 0);
    if (pass->asks_line && pass->asked_line == 0)
        end_asked(pass, 0);
    while (pass->slice < pass->slices && slice_end(pass, pass->slice) < time_us) {
        if (pass->asks_time && pass->asked_us < slice_end(pass, pass->slice))
            end_asked(pass, pass->asked_us);
        end_slice(pass, slice_end(pass, pass->slice));
        skip_empty(pass, time_us);
    }
    if (pass->asks_time && pass->asked_us < time_us)
        end_asked(pass, pass->asked_us);
}

void taligent_begin(taligent_pass *pass, int64_t first_us, int64_t last_us)
{
    pass->begun = true;
    pass->first_us = first_us;
    pass->last_us = last_us > first_us ? last_us : first_us;
}

static void replay_next(taligent_pass *pass, const mp_event *event);

/* What was asked of a moment that the log does not reach. */
static void tell_late(const taligent_pass *pass)
{
    char end[MP_UNIT_TEXT], asked[MP_UNIT_TEXT];
    const int64_t last_us = pass->last_us - pass->first_us;
    if (pass->asked_us <= last_us)
        return;
    mp_format_time(end, last_us);
    mp_format_time(asked, pass->asked_us);
    mp_diagnose(pass->diagnostics, MP_DIAG_LATE_MOMENT, pass->path, 0,
                "ends %s after its first event, so what was alive then stands for %s", end, asked);
}

void taligent_end(taligent_pass *pass)
{
    for (const mp_event *event; (event = taligent_order_next(&pass->order, NULL));)
        replay_next(pass, event);
    taligent_resolve(pass);
    if (!pass->begun)
        taligent_begin(pass, 0, 0);
    advance(pass, 0);
    if (pass->slice_us) { /* the open one, as far as it goes */
        pass->slices = pass->slice;
        pass->last_us = pass->first_us + pass->highest_us;
    }
    for (; pass->slice <= pass->slices;) {
        int64_t until = pass->slice_us ? pass->highest_us : slice_end(pass, pass->slice);
        if (pass->asks_time && pass->asked_us < until)
            end_asked(pass, pass->asked_us);
        end_slice(pass, until);
    }
    if (pass->asks_time) { /* behind the last event nothing changes */
        tell_late(pass);
        end_asked(pass, pass->last_us - pass->first_us);
    }
    pass->model->snapshots.count--; /* the one that the last end began: it is of no use */
}

/* --- events: one thread takes lines apart, another replays what they say --- */

enum { AHEAD_PLACE = 24, AHEAD_GENERATION = 14, AHEAD_DELTAS = 6 };

static void note_order(taligent_pass *pass, const mp_event *event)
{
    if (event->time_us >= pass->highest_us) {
        pass->highest_us = event->time_us;
        return;
    }
    pass->late_events++;
    mp_diagnose(pass->diagnostics, MP_DIAG_EVENT_ORDER, pass->path, event->line,
                "event is %" PRId64 " us older than one before it, too late to be put in order",
                pass->highest_us - event->time_us);
}

static void replay_event(taligent_pass *pass, const mp_event *event)
{
    if (event->kind == MP_EVENT_OLD) {
        mp_blocks_old(&pass->blocks, event);
        return;
    }
    note_order(pass, event);
    advance(pass, event->time_us);
    if (event->kind == MP_EVENT_ALLOCATION)
        mp_blocks_allocate(&pass->blocks, event);
    else
        mp_blocks_delete(&pass->blocks, event);
    if (pass->asks_line && event->line == pass->asked_line)
        end_asked(pass, event->time_us);
}

static void replay_batch(void *opaque)
{
    const taligent_batch *batch = opaque;
    taligent_pass *pass = batch->pass;
    for (size_t i = 0; i < batch->count; i++) {
        if (i + AHEAD_PLACE < batch->count)
            mp_blocks_prefetch(&pass->blocks, &batch->events[i + AHEAD_PLACE]);
        if (i + AHEAD_GENERATION < batch->count)
            mp_blocks_prefetch_generation(&pass->blocks, &batch->events[i + AHEAD_GENERATION]);
        if (i + AHEAD_DELTAS < batch->count)
            mp_blocks_prefetch_deltas(&pass->blocks, &batch->events[i + AHEAD_DELTAS]);
        replay_event(pass, &batch->events[i]);
    }
}

static void submit(taligent_pass *pass)
{
    taligent_batch *batch = mp_pipeline_batch(pass->replay);
    batch->pass = pass;
    batch->count = pass->batched;
    pass->batched = 0;
    mp_pipeline_submit(pass->replay);
}

void taligent_resolve(taligent_pass *pass)
{
    if (pass->batched)
        submit(pass);
    mp_pipeline_drain(pass->replay);
}

/* The name as a number that no other name has: four bits a letter, which tell digits and the hyphen
 * apart, behind a 1. A name that is too long for that is one of the model's texts. */
static uint64_t thread_key(taligent_pass *pass, mp_slice name)
{
    if (name.length > 15)
        return UINT64_C(2) << 60 | mp_model_intern(pass->model, name, NULL).i;
    uint64_t key = 1;
    for (size_t i = 0; i < name.length; i++)
        key = key << 4 | (name.at[i] & 15);
    return key;
}

/* Threads take turns as they like, so that the one before says nothing. */
static uint32_t thread_of(taligent_pass *pass, mp_slice name)
{
    taligent_threads *threads = &pass->threads;
    uint32_t *found = mp_id_index_put(&threads->index, thread_key(pass, name));
    if (!*found) {
        *found = (uint32_t)++threads->count;
        mp_grow(&threads->names, &threads->capacity, threads->count + 1, sizeof *threads->names);
        threads->names[*found] = mp_model_intern(pass->model, name, NULL);
    }
    return *found;
}

static void replay_next(taligent_pass *pass, const mp_event *event)
{
    bool timed = event->kind != MP_EVENT_OLD;
    if (timed && !pass->begun)
        taligent_begin(pass, event->time_us, pass->last_us);
    taligent_batch *batch = mp_pipeline_batch(pass->replay);
    mp_event *place = &batch->events[pass->batched++];
    *place = *event;
    place->time_us = timed ? event->time_us - pass->first_us : 0;
    if (pass->batched == TALIGENT_BATCH || pass->model->tell) /* who hears of it does so at once */
        submit(pass);
}

void taligent_event(taligent_pass *pass, const taligent_line *line, uint64_t at)
{
    mp_event event = {
        .address = line->address, .bytes = line->bytes, .line = at, .kind = line->kind};
    pass->records++;
    if (line->kind != MP_EVENT_ALLOCATION)
        event.type = taligent_type(pass->names, line->type);
    if (line->kind != MP_EVENT_OLD) {
        event.time_us = line->time_us;
        event.thread = thread_of(pass, line->thread);
        event.thread_name = pass->threads.names[event.thread];
        bool allocates = line->kind == MP_EVENT_ALLOCATION;
        event.node = taligent_crawl(pass->names, line->crawl, allocates);
        if (allocates)
            event.site = mp_blocks_site(&pass->blocks, event.node, event.thread);
    }
    const mp_event *next = taligent_order_next(&pass->order, &event);
    if (next)
        replay_next(pass, next);
    while ((next = taligent_order_due(&pass->order)))
        replay_next(pass, next);
}

/* --- lines --- */

/* Without the star that stands in front of events on a corrupt heap. */
static mp_slice without_star(mp_slice line, bool *starred)
{
    *starred = line.length && line.at[0] == '*';
    return *starred ? mp_slice_trim((mp_slice){line.at + 1, line.length - 1}) : line;
}

/* The latest time in the last lines. */
static int64_t latest_time(mp_input *input)
{
    char *tail = mp_alloc(TAIL);
    size_t length = mp_input_tail(input, tail, TAIL);
    int64_t latest = 0;
    const char *last = memrchr(tail, '\n', length); /* what is behind it may be torn */
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

static void bad_line(taligent_pass *pass, const taligent_line *event, uint64_t at)
{
    taligent_resolve(pass);
    mp_diagnose(pass->diagnostics, MP_DIAG_BAD_ROW, pass->path, at,
                "line is no heap event, %s: line skipped", event->wrong);
}

/* A line that is no event: a banner, a title, or damage. */
static void other_line(taligent_pass *pass, mp_slice line, const taligent_line *event, uint64_t at)
{
    bool banner = mp_slice_starts(line, "***");
    if (banner && !pass->in_banner) {
        taligent_resolve(pass);
        mp_event_log_says(&pass->blocks.log, MP_ANOMALY_CORRUPTION, at, line);
    }
    pass->in_banner = banner;
    if (!banner && line.length && !taligent_is_title(line))
        bad_line(pass, event, at);
}

static void log_line(taligent_pass *pass, mp_input *input, mp_slice line)
{
    uint64_t at = mp_input_line_number(input);
    taligent_line event;
    bool starred;
    if (!taligent_parse(without_star(line, &starred), &event)) {
        other_line(pass, line, &event, at);
        return;
    }
    pass->in_banner = false;
    if (!pass->timed && event.kind != MP_EVENT_OLD) {
        pass->timed = true;
        pass->last_us = pass->slice_us ? event.time_us : latest_time(input);
    }
    pass->corrupt_events += starred;
    taligent_event(pass, &event, at);
}

/* Up to the first line that is an event or a block: which of the two kinds of file it is. */
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

static void ask(taligent_pass *pass, const char *at)
{
    pass->asks_time = at && mp_parse_time(at, &pass->asked_us);
}

/* Whether the first lines are those of a heap analysis file. */
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

/* What was told of the log, in the order of its lines; how many of them waited to be put in order.
 */
static void end_log(taligent_pass *pass, uint32_t first_anomaly, size_t first_diagnostic)
{
    mp_event_log_order(&pass->blocks.log, first_anomaly);
    mp_diagnostics_order(pass->diagnostics, first_diagnostic);
    pass->blocks.log.events->reordered_events += pass->order.moved - pass->late_events;
}

static void open_pass(taligent_pass *pass)
{
    mp_session *session = MP_ADD(&pass->model->sessions);
    (void)session;
    mp_blocks_open(&pass->blocks, pass->model, (mp_session_id){pass->model->sessions.count - 1},
                   pass->diagnostics);
    if (pass->options->keep_objects)
        mp_blocks_keep_objects(&pass->blocks);
    pass->blocks.log.path = pass->path;
    pass->blocks.log.input = pass->model->inputs.count - 1;
    pass->blocks.threads_as_one = pass->options->threads_as_one;
    pass->replay = mp_pipeline_new(sizeof(taligent_batch), replay_batch);
    if (pass->model->tell) /* which hears of snapshots while they are replayed */
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

/* All lines; false where the last one is cut off. */
static bool read_lines(taligent_pass *pass, mp_input *input, bool analysis)
{
    bool whole = true;
    mp_slice line;
    for (;;) {
        if (!mp_window_has_line(input)) /* what is wrong with the input is diagnosed in order */
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

/* Read the whole input into the model; false where its last line is cut off. */
static bool run_pass(taligent_pass *pass, mp_input *input)
{
    bool analysis = head_is_analysis(mp_input_look_ahead(input));
    const mp_diagnostic *kept;
    open_pass(pass);
    size_t first_diagnostic = mp_diagnostics_kept(pass->diagnostics, &kept);
    uint32_t first_anomaly = pass->blocks.log.events->anomalies.count;
    bool whole = read_lines(pass, input, analysis);
    taligent_end(pass);
    if (!analysis) /* whose blocks are told in the order of time */
        end_log(pass, first_anomaly, first_diagnostic);
    close_pass(pass);
    return whole;
}

/* Where the peak is, by a first reading that is thrown away, and all that was said in it. */
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

/* A log without events has no moments to speak of. */
static void forget(const taligent_pass *pass)
{
    for (uint32_t i = pass->blocks.start.i; i < pass->model->snapshots.count; i++)
        pass->model->snapshots.at[i].whole = false;
    pass->model->sessions.at[pass->blocks.session.i].snapshots = 0;
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
                          .path = state->model->inputs.at[summary].path};
    if ((!state->options->slice_us || state->options->at) && !mp_input_keep(input))
        return false;
    ask(&pass, state->options->at);
    if (state->options->at && !pass.asks_time) {
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
                    "the last line is cut off, expected a line end: left out");
    if (!pass.records)
        forget(&pass);
    if (!pass.records)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, pass.path, 0,
                    "has no heap event that could be read, expected thread, time, address, size, "
                    "type and stack crawl in each line");
    state->model->inputs.at[summary].records = pass.records;
    state->model->inputs.at[summary].complete = whole && pass.records > 0;
    state->model->inputs.at[summary].open_ended = true;
    return pass.records > 0;
}

/* --- the reader --- */

/* The first line that says anything is an event, a block or the title of either. */
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
