#include "readers/replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "base/units.h"
#include "input/hex.h"

enum {
    DEFAULT_SLICES = 20,
    TAIL = 64 * 1024,
    BATCH = 512,
    AHEAD_PLACE = 24,
    AHEAD_GENERATION = 14,
    AHEAD_DELTAS = 6,
};

/* Events that the reading thread passes to the replaying thread. */
typedef struct batch {
    mp_replay *replay;
    size_t count;
    mp_event events[BATCH];
} batch;

/* --- slices --- */

/* Return the end of slice k. The product cannot overflow, because the remainder is smaller than the
 * number of slices. */
static int64_t slice_end(const mp_replay *replay, uint32_t k)
{
    if (replay->slice_us)
        return k > INT64_MAX / replay->slice_us ? INT64_MAX : k * replay->slice_us;
    int64_t span = replay->last_us, total = replay->slices;
    return span / total * k + span % total * k / total;
}

static void end_slice(mp_replay *replay, int64_t end)
{
    mp_model *model = replay->blocks.model;
    mp_snapshot *snapshot = mp_blocks_end_snapshot(&replay->blocks, end);
    snapshot->sequence = replay->slice++;
    if (snapshot->sequence == 0)
        snapshot->tag = replay->start_tag;
    mp_model_tell_snapshot(model, (mp_snapshot_id){(uint32_t)(snapshot - model->snapshots.items)});
}

/* Skip slices of fixed length that have no events. */
static void skip_empty(mp_replay *replay, int64_t time_us)
{
    if (!replay->slice_us)
        return;
    int64_t number = time_us / replay->slice_us + (time_us % replay->slice_us != 0);
    if (number > replay->slice)
        replay->slice = number < replay->slices ? (uint32_t)number : replay->slices;
}

/* End a snapshot at the moment that the user requested. The snapshot gets the number of the slice
 * that contains the moment. */
static void end_asked(mp_replay *replay, int64_t time_us)
{
    mp_snapshot *snapshot = mp_blocks_end_snapshot(&replay->blocks, time_us);
    snapshot->asked = true;
    snapshot->sequence = replay->slice <= replay->slices ? replay->slice : replay->slices;
    snapshot->tag = replay->asked_tag;
    replay->asks_line = replay->asks_time = false;
}

/* End all snapshots that end before an event at this time. */
static void advance(mp_replay *replay, int64_t time_us)
{
    if (time_us <= replay->until_us && !replay->asks_line && !replay->asks_time)
        return;
    if (replay->slice == 0)
        end_slice(replay, 0);
    if (replay->asks_line && replay->asked_line == 0)
        end_asked(replay, 0);
    while (replay->slice < replay->slices && slice_end(replay, replay->slice) < time_us) {
        if (replay->asks_time && replay->asked_us < slice_end(replay, replay->slice))
            end_asked(replay, replay->asked_us);
        end_slice(replay, slice_end(replay, replay->slice));
        skip_empty(replay, time_us);
    }
    if (replay->asks_time && replay->asked_us < time_us)
        end_asked(replay, replay->asked_us);
    replay->until_us =
        replay->slice < replay->slices ? slice_end(replay, replay->slice) : INT64_MAX;
}

/* Report that the requested moment is later than the end of the log. */
static void tell_late(const mp_replay *replay)
{
    char end[MP_UNIT_TEXT], asked[MP_UNIT_TEXT];
    if (replay->asked_us <= replay->last_us)
        return;
    mp_format_time(end, replay->last_us);
    mp_format_time(asked, replay->asked_us);
    mp_diagnose(replay->blocks.log.diagnostics, MP_DIAG_LATE_MOMENT, replay->blocks.log.path, 0,
                "ends %s after its first event; the objects alive then are used for %s", end,
                asked);
}

static void end_slices(mp_replay *replay)
{
    advance(replay, 0);
    if (replay->slice_us) /* the last slice ends with the log */
        replay->slices = replay->slice;
    while (replay->slice <= replay->slices) {
        int64_t until = replay->slice_us ? replay->last_us : slice_end(replay, replay->slice);
        if (replay->asks_time && replay->asked_us < until)
            end_asked(replay, replay->asked_us);
        end_slice(replay, until);
    }
    if (replay->asks_time) { /* nothing changes after the last event */
        tell_late(replay);
        end_asked(replay, replay->last_us);
    }
    replay->blocks.model->snapshots
        .count--; /* drop the snapshot that began when the last one ended */
}

/* --- the replaying thread --- */

static void note_order(mp_replay *replay, const mp_event *event)
{
    if (event->time_us >= replay->highest_us) {
        replay->highest_us = event->time_us;
        return;
    }
    replay->late_events++;
    mp_diagnose(replay->blocks.log.diagnostics, MP_DIAG_EVENT_ORDER, replay->blocks.log.path,
                event->line,
                "event is %" PRId64 " us older than the one before it, too late to be sorted",
                replay->highest_us - event->time_us);
}

static void replay_event(mp_replay *replay, const mp_event *event)
{
    if (event->kind == MP_EVENT_OLD) {
        mp_blocks_old(&replay->blocks, event);
        return;
    }
    note_order(replay, event);
    advance(replay, event->time_us);
    if (event->kind == MP_EVENT_ALLOCATION)
        mp_blocks_allocate(&replay->blocks, event);
    else
        mp_blocks_delete(&replay->blocks, event);
    if (replay->asks_line && event->line == replay->asked_line)
        end_asked(replay, event->time_us);
}

static void replay_batch(void *opaque)
{
    const batch *events = opaque;
    mp_replay *replay = events->replay;
    for (size_t i = 0; i < events->count; i++) {
        if (i + AHEAD_PLACE < events->count)
            mp_blocks_prefetch(&replay->blocks, &events->events[i + AHEAD_PLACE]);
        if (i + AHEAD_GENERATION < events->count)
            mp_blocks_prefetch_generation(&replay->blocks, &events->events[i + AHEAD_GENERATION]);
        if (i + AHEAD_DELTAS < events->count)
            mp_blocks_prefetch_deltas(&replay->blocks, &events->events[i + AHEAD_DELTAS]);
        replay_event(replay, &events->events[i]);
    }
}

/* --- the reading thread --- */

static void submit(mp_replay *replay, void (*hand_over)(mp_pipeline *pipeline))
{
    batch *events = mp_pipeline_batch(replay->pipeline);
    events->replay = replay;
    events->count = replay->batched;
    replay->batched = 0;
    hand_over(replay->pipeline);
}

void mp_replay_resolve(mp_replay *replay)
{
    if (replay->batched)
        submit(replay, mp_pipeline_submit_last);
    mp_pipeline_drain(replay->pipeline);
}

void mp_replay_event(mp_replay *replay, const mp_event *event, int64_t time_us)
{
    batch *events = mp_pipeline_batch(replay->pipeline);
    mp_event *place = &events->events[replay->batched++];
    *place = *event;
    place->time_us = time_us;
    replay->events++;
    if (replay->batched == BATCH ||
        replay->blocks.model->tell) /* a listener must get events at once */
        submit(replay, mp_pipeline_submit);
}

static bool asks_peak(const mp_load_options *options)
{
    int64_t time_us;
    return options->moment && !mp_parse_time(options->moment, &time_us);
}

bool mp_replay_prepare(mp_input *input, const mp_load_options *options, mp_peak_finder *find_peak,
                       const void *opaque, uint64_t *peak_line)
{
    *peak_line = 0;
    if ((!options->slice_us || options->moment) && !mp_input_keep(input))
        return false;
    if (!asks_peak(options))
        return true;
    mp_model *model = mp_model_new();
    mp_diagnostics *muted = mp_diagnostics_new(1);
    mp_diagnostics *usual = mp_input_diagnose_to(input, muted);
    *peak_line = find_peak(opaque, model, muted, input);
    mp_input_diagnose_to(input, usual);
    mp_model_free(model);
    mp_diagnostics_free(muted);
    return mp_input_rewind(input);
}

void mp_replay_open(mp_replay *replay, mp_model *model, mp_diagnostics *diagnostics,
                    const mp_load_options *options, const char *path, uint64_t peak_line)
{
    const mp_diagnostic *kept;
    (void)MP_ADD(&model->sessions);
    *replay = (mp_replay){.slice_us = options->slice_us,
                          .until_us = INT64_MIN,
                          .asks_line = asks_peak(options),
                          .asked_line = peak_line,
                          .first_diagnostic = mp_diagnostics_kept(diagnostics, &kept)};
    mp_events *events = mp_model_events(model);
    if (options->temporary || options->temporary_is_time) {
        events->temporary = options->temporary;
        events->temporary_is_time = options->temporary_is_time;
    }
    replay->first_anomaly = events->anomalies.count;
    mp_blocks_open(&replay->blocks, model, (mp_session_id){model->sessions.count - 1}, diagnostics);
    if (options->keep_objects)
        mp_blocks_keep_objects(&replay->blocks);
    replay->blocks.log.path = path;
    replay->blocks.log.input = model->inputs.count - 1;
    replay->blocks.threads_as_one = options->threads_as_one;
    if (options->keep_ages)
        mp_model_ages(model);
    replay->pipeline = mp_pipeline_new(sizeof(batch), replay_batch);
    if (model->tell) /* call the listener in this thread, between events */
        mp_pipeline_alone(replay->pipeline);
    replay->asks_time = options->moment && mp_parse_time(options->moment, &replay->asked_us);
    replay->start_tag = mp_model_intern_text(model, "start");
    replay->asked_tag = mp_model_intern_text(model, replay->asks_line ? "peak" : "at");
    replay->slices = replay->slice_us  ? UINT32_MAX - 1
                     : options->slices ? options->slices
                                       : DEFAULT_SLICES;
}

void mp_replay_end(mp_replay *replay, int64_t time_us)
{
    mp_replay_resolve(replay);
    if (time_us > replay->highest_us)
        replay->highest_us = time_us;
    if (replay->slice_us || replay->highest_us > replay->last_us)
        replay->last_us = replay->highest_us;
    end_slices(replay);
}

void mp_replay_sort_findings(mp_replay *replay)
{
    mp_event_log_order(&replay->blocks.log, replay->first_anomaly);
    mp_diagnostics_order(replay->blocks.log.diagnostics, replay->first_diagnostic);
}

/* Mark the snapshots of a log without events as incomplete. */
static void forget(const mp_replay *replay)
{
    mp_model *model = replay->blocks.model;
    for (uint32_t i = replay->blocks.start.i; i < model->snapshots.count; i++)
        model->snapshots.items[i].whole = false;
    model->sessions.items[replay->blocks.session.i].snapshots = 0;
}

void mp_replay_close(mp_replay *replay)
{
    if (!replay->events)
        forget(replay);
    mp_pipeline_free(replay->pipeline);
    replay->blocks.log.events->late_events += replay->late_events;
    mp_blocks_close(&replay->blocks);
}

/* --- the last time --- */

/* Return the latest time in whole lines. The text after the last line end may be truncated. */
static int64_t latest(const char *text, size_t length,
                      bool (*time_of)(mp_slice line, int64_t *time_us))
{
    const char *last = memrchr(text, '\n', length);
    const char *first = length == TAIL ? memchr(text, '\n', length) : text;
    mp_slice left = {first, last ? (size_t)(last + 1 - first) : 0};
    int64_t time_us, highest_us = 0;
    for (mp_slice line; mp_slice_take_line(&left, &line);)
        if (time_of(mp_slice_trim(line), &time_us) && time_us > highest_us)
            highest_us = time_us;
    return highest_us;
}

int64_t mp_last_time(mp_input *input, bool (*time_of)(mp_slice line, int64_t *time_us))
{
    /* the buffer has slack, because time_of may use mp_hex_word */
    char *tail = mp_alloc_zero(1, TAIL + MP_HEX_SLACK);
    int64_t time_us, highest_us = latest(tail, mp_input_tail(input, tail, TAIL), time_of);
    free(tail);
    if (highest_us)
        return highest_us;
    mp_diagnostics *muted = mp_diagnostics_new(1);
    mp_diagnostics *usual = mp_input_diagnose_to(input, muted);
    for (mp_slice line; mp_input_line(input, &line);)
        if (mp_input_line_closed(input) && time_of(mp_slice_trim(line), &time_us) &&
            time_us > highest_us)
            highest_us = time_us;
    mp_input_diagnose_to(input, usual);
    mp_input_rewind(input);
    mp_diagnostics_free(muted);
    return highest_us;
}
