/* Replay of what rows state about the heap, by a thread of its own if there is much of it. */
#include <inttypes.h>

#include "base/diagnose.h"
#include "readers/oemp_replay.h"

/* --- objects --- */

enum { AHEAD = 16 }; /* the memory for each item is prefetched this many items ahead */

/* Handle the birth of an object that is already alive. Version 1 lists changed objects among the
 * new ones. */
static void exists(oemp_recording *recording, const mp_birth *birth, uint64_t line)
{
    mp_heap *heap = &recording->heap;
    if (birth->repeated) {
        mp_diagnose(heap->diagnostics, MP_DIAG_OBJECT_EXISTS, heap->path, line,
                    "the row of object %" PRIu64 " occurs twice; counted once", birth->id);
        return;
    }
    if (recording->version >= 2)
        mp_diagnose(heap->diagnostics, MP_DIAG_OBJECT_EXISTS, heap->path, line,
                    "object %" PRIu64 " is created but already alive; taken as a change",
                    birth->id);
    mp_heap_change(heap, birth->id, heap->origins[birth->origin].origin.type, birth->bytes,
                   birth->idle, line);
}

void oemp_replay_births(oemp_recording *recording, const void *items, size_t count, uint64_t line)
{
    const mp_birth *births = items;
    for (size_t i = 0; i < count; i++) {
        i += mp_heap_births(&recording->heap, births + i, count - i, line + i);
        if (i < count)
            exists(recording, &births[i], line + i);
    }
}

void oemp_replay_changes(oemp_recording *recording, const void *items, size_t count, uint64_t line)
{
    mp_heap *heap = &recording->heap;
    const oemp_change *changes = items;
    for (size_t i = 0; i < count; i++) {
        const oemp_change *change = &changes[i];
        if (i + AHEAD < count)
            mp_live_prefetch(&heap->live, changes[i + AHEAD].id);
        if (!mp_heap_change(heap, change->id, change->type, change->bytes, change->idle, line + i))
            mp_diagnose(heap->diagnostics, MP_DIAG_CHANGE_UNKNOWN, heap->path, line + i,
                        "object %" PRIu64 " is changed but not alive: row skipped", change->id);
    }
}

void oemp_replay_deaths(oemp_recording *recording, const void *items, size_t count, uint64_t line)
{
    mp_heap *heap = &recording->heap;
    const mp_death *deaths = items;
    for (size_t i = 0; i < count; i++) {
        i += mp_heap_deaths(heap, deaths + i, count - i);
        if (i < count)
            mp_diagnose(heap->diagnostics, MP_DIAG_DELETE_UNKNOWN, heap->path, line + i,
                        "object %" PRIu64 " is deleted but not alive: row skipped", deaths[i].id);
    }
}

/* --- snapshots --- */

void oemp_replay_header(oemp_recording *recording, const void *items, size_t count, uint64_t line)
{
    const oemp_begin *begins = items;
    (void)line;
    /* births that wait for their owners belong to the previous file */
    mp_heap_resolve_owners(&recording->heap);
    recording->heap.path = begins[count - 1].path;
}

void oemp_replay_begin(oemp_recording *recording, const void *items, size_t count, uint64_t line)
{
    const oemp_begin *begins = items;
    (void)line;
    for (size_t i = 0; i < count; i++) {
        mp_heap_continue(&recording->heap, begins[i].snapshot);
        mp_heap_in_request(&recording->heap);
    }
}

/* Compare an amount of a trailer with the replay. */
static void hold(const mp_heap *heap, mp_diagnostic_id id, const oemp_stated *stated, uint64_t line,
                 const char *what, uint64_t amount, int64_t replayed)
{
    if ((int64_t)amount != replayed)
        mp_diagnose(heap->diagnostics, id, heap->path, line,
                    "trailer of snapshot %" PRIu64 " states %" PRId64 " %s, the rows give %" PRId64,
                    stated->sequence, (int64_t)amount, what, replayed);
}

static void hold_times(const mp_heap *heap, const oemp_stated *stated, uint64_t line)
{
    if (stated->started && (int64_t)stated->time_us < stated->last_time_us)
        mp_diagnose(heap->diagnostics, MP_DIAG_TIME_ORDER, heap->path, line,
                    "snapshot %" PRIu64 " is at %" PRIu64 " us, expected a time after %" PRId64,
                    stated->sequence, stated->time_us, stated->last_time_us);
    if ((int64_t)stated->time_us < stated->latest_us)
        mp_diagnose(heap->diagnostics, MP_DIAG_TIME_ORDER, heap->path, line,
                    "snapshot %" PRIu64 " is at %" PRIu64
                    " us and has an object created or deleted later, at %" PRId64 " us",
                    stated->sequence, stated->time_us, stated->latest_us);
}

static void hold_trailer(oemp_recording *recording, const oemp_stated *stated, uint64_t line)
{
    mp_heap *heap = &recording->heap;
    mp_heap_resolve_owners(heap);
    hold(heap, MP_DIAG_TRAILER_OBJECTS, stated, line, "objects", stated->objects,
         heap->tally.live_objects);
    hold(heap, MP_DIAG_TRAILER_BYTES, stated, line, "bytes of objects", stated->bytes,
         heap->tally.live_bytes);
    if (stated->platform_seen)
        hold(heap, MP_DIAG_TRAILER_PLATFORM, stated, line, "bytes of platform memory",
             stated->platform, stated->platform_bytes);
    if (heap->tally.live_objects > recording->most_live)
        recording->most_live = heap->tally.live_objects;
    if ((int64_t)stated->peak < recording->most_live)
        mp_diagnose(heap->diagnostics, MP_DIAG_TRAILER_PEAK, heap->path, line,
                    "trailer of snapshot %" PRIu64 " states a peak of %" PRId64
                    " objects, the rows give at least %" PRId64,
                    stated->sequence, (int64_t)stated->peak, recording->most_live);
    hold_times(heap, stated, line);
    if (!stated->has_reusable)
        return;
    hold(heap, MP_DIAG_TRAILER_REUSABLE, stated, line, "reusable objects", stated->reusable_objects,
         heap->reusable_objects);
    hold(heap, MP_DIAG_TRAILER_REUSABLE, stated, line, "bytes of reusable objects",
         stated->reusable_bytes, heap->reusable_bytes);
}

void oemp_replay_trailer(oemp_recording *recording, const void *items, size_t count, uint64_t line)
{
    const oemp_stated *stated = items;
    for (size_t i = 0; i < count; i++)
        hold_trailer(recording, &stated[i], line + i);
}

void oemp_replay_end(oemp_recording *recording, const void *items, size_t count, uint64_t line)
{
    (void)items, (void)line;
    for (size_t i = 0; i < count; i++)
        mp_heap_end(&recording->heap);
}

/* --- batches --- */

static void replay_batch(void *opaque)
{
    const oemp_batch *batch = opaque;
    for (uint32_t i = 0; i < batch->runs; i++) {
        const oemp_run *run = &batch->run[i];
        run->replay(run->recording, batch->bytes + run->place, run->count, run->line);
    }
}

static void empty(oemp_state *state)
{
    state->batch = mp_pipeline_batch(state->pipeline);
    state->batch->runs = state->batch->used = 0;
}

void oemp_begin_replay(oemp_state *state)
{
    state->pipeline = mp_pipeline_new(sizeof(oemp_batch), replay_batch);
    state->batch_bytes = OEMP_BYTES;
    empty(state);
}

void oemp_submit(oemp_state *state, void (*hand_over)(mp_pipeline *pipeline))
{
    hand_over(state->pipeline);
    empty(state);
}

void oemp_settle(void *opaque)
{
    oemp_state *state = opaque;
    if (mp_pipeline_is_inside(state->pipeline))
        return;
    if (state->batch->runs)
        oemp_submit(state, mp_pipeline_submit_last);
    mp_pipeline_drain(state->pipeline);
}
