/* Events of a heap log, and snapshots at the ends of time slices. One thread parses the lines,
 * another replays the events. */
#include "readers/taligent.h"

#include <inttypes.h>

#include "base/diagnose.h"
#include "base/units.h"

/* --- slices --- */

/* Return the end of slice k, in microseconds since the first event. The remainder is smaller than
 * the number of slices, so the product cannot overflow. */
static int64_t slice_end(const taligent_pass *pass, uint32_t k)
{
    if (pass->slice_us)
        return k > INT64_MAX / pass->slice_us ? INT64_MAX : k * pass->slice_us;
    int64_t span = pass->last_us - pass->first_us, total = pass->slices;
    return span / total * k + span % total * k / total;
}

static void end_slice(taligent_pass *pass, int64_t end)
{
    mp_model *model = pass->model;
    mp_snapshot *snapshot = mp_blocks_end_snapshot(&pass->blocks, end);
    snapshot->sequence = pass->slice++;
    if (snapshot->sequence == 0)
        snapshot->tag = pass->start_tag;
    mp_model_tell_snapshot(model, (mp_snapshot_id){(uint32_t)(snapshot - model->snapshots.items)});
}

/* Skip slices of fixed length that have no events. */
static void skip_empty(taligent_pass *pass, int64_t time_us)
{
    if (!pass->slice_us)
        return;
    int64_t number = time_us / pass->slice_us + (time_us % pass->slice_us != 0);
    if (number > pass->slice)
        pass->slice = number < pass->slices ? (uint32_t)number : pass->slices;
}

/* End a snapshot at the moment requested by the user. Its number is that of the slice that contains
 * it. */
static void end_asked(taligent_pass *pass, int64_t time_us)
{
    mp_snapshot *snapshot = mp_blocks_end_snapshot(&pass->blocks, time_us);
    snapshot->asked = true;
    snapshot->sequence = pass->slice <= pass->slices ? pass->slice : pass->slices;
    snapshot->tag = pass->asked_tag;
    pass->asks_line = pass->asks_time = false;
}

/* End all snapshots that end before an event at this time. */
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

/* Report that the requested moment is after the end of the log. */
static void tell_late(const taligent_pass *pass)
{
    char end[MP_UNIT_TEXT], asked[MP_UNIT_TEXT];
    const int64_t last_us = pass->last_us - pass->first_us;
    if (pass->asked_us <= last_us)
        return;
    mp_format_time(end, last_us);
    mp_format_time(asked, pass->asked_us);
    mp_diagnose(pass->diagnostics, MP_DIAG_LATE_MOMENT, pass->path, 0,
                "ends %s after its first event; the objects alive then are used for %s", end,
                asked);
}

void taligent_end(taligent_pass *pass)
{
    for (const mp_event *event; (event = taligent_order_next(&pass->order, NULL));)
        replay_next(pass, event);
    taligent_resolve(pass);
    if (!pass->begun)
        taligent_begin(pass, 0, 0);
    advance(pass, 0);
    if (pass->slice_us) { /* the last slice ends with the log */
        pass->slices = pass->slice;
        pass->last_us = pass->first_us + pass->highest_us;
    }
    for (; pass->slice <= pass->slices;) {
        int64_t until = pass->slice_us ? pass->highest_us : slice_end(pass, pass->slice);
        if (pass->asks_time && pass->asked_us < until)
            end_asked(pass, pass->asked_us);
        end_slice(pass, until);
    }
    if (pass->asks_time) { /* nothing changes after the last event */
        tell_late(pass);
        end_asked(pass, pass->last_us - pass->first_us);
    }
    pass->model->snapshots.count--; /* drop the snapshot begun by the last end */
}

/* --- events --- */

enum { AHEAD_PLACE = 24, AHEAD_GENERATION = 14, AHEAD_DELTAS = 6 };

static void note_order(taligent_pass *pass, const mp_event *event)
{
    if (event->time_us >= pass->highest_us) {
        pass->highest_us = event->time_us;
        return;
    }
    pass->late_events++;
    mp_diagnose(pass->diagnostics, MP_DIAG_EVENT_ORDER, pass->path, event->line,
                "event is %" PRId64 " us older than the one before it, too late to be sorted",
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

void taligent_replay(void *opaque)
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

static void submit(taligent_pass *pass, void (*hand_over)(mp_pipeline *pipeline))
{
    taligent_batch *batch = mp_pipeline_batch(pass->replay);
    batch->pass = pass;
    batch->count = pass->batched;
    pass->batched = 0;
    hand_over(pass->replay);
}

void taligent_resolve(taligent_pass *pass)
{
    if (pass->batched)
        submit(pass, mp_pipeline_submit_last);
    mp_pipeline_drain(pass->replay);
}

/* Return a key for the name of a thread: 1, followed by four bits per character, which distinguish
 * digits and the hyphen. Longer names get the number of their text in the model. */
static uint64_t thread_key(taligent_pass *pass, mp_slice name)
{
    if (name.length > 15)
        return UINT64_C(2) << 60 | mp_model_intern(pass->model, name, NULL).i;
    uint64_t key = 1;
    for (size_t i = 0; i < name.length; i++)
        key = key << 4 | (name.start[i] & 15);
    return key;
}

/* Return the number of the thread. There is no cache of the last thread, as threads alternate at
 * random. */
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
    if (pass->batched == TALIGENT_BATCH || pass->model->tell) /* no delay for a listener */
        submit(pass, mp_pipeline_submit);
}

void taligent_event(taligent_pass *pass, const taligent_line *line, uint64_t offset)
{
    mp_event event = {
        .address = line->address, .bytes = line->bytes, .line = offset, .kind = line->kind};
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
