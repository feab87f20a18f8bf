/* Replay of a recording by a second thread.
 *
 * The thread that parses looks up ids and hands over what happens to the heap, in batches. The
 * other thread does nothing but replay it: the live set, contexts, generations, deltas and the
 * figures of snapshots are its own. It reads types, origins, sessions and snapshots of the model;
 * before one of these lists is moved, and before the thread that parses reports a diagnostic, all
 * batches are replayed (oemp_settle). So diagnostics have the order of the file. */
#pragma once

#include "readers/oemp.h"

typedef struct oemp_change {
    uint64_t id;
    int64_t bytes;
    mp_type_id type;
    bool idle;
} oemp_change;

/* Begin of a snapshot in the file `path`. */
typedef struct oemp_begin {
    const char *path;
    mp_snapshot_id snapshot;
} oemp_begin;

/* What a trailer states, and what is known about its snapshot without the heap. */
typedef struct oemp_stated {
    uint64_t sequence, time_us, objects, bytes, platform, peak, reusable_objects, reusable_bytes;
    int64_t platform_bytes, last_time_us, latest_us;
    bool platform_seen, started, has_reusable;
} oemp_stated;

/* Replay `count` items of one kind, which are of consecutive lines. */
typedef void oemp_replay(oemp_recording *recording, const void *items, size_t count, uint64_t line);
oemp_replay oemp_replay_births;  /* mp_birth */
oemp_replay oemp_replay_changes; /* oemp_change */
oemp_replay oemp_replay_deaths;  /* mp_death */
oemp_replay oemp_replay_header;  /* oemp_begin, also of a snapshot that is skipped */
oemp_replay oemp_replay_begin;   /* oemp_begin */
oemp_replay oemp_replay_trailer; /* oemp_stated */
oemp_replay oemp_replay_end;     /* items without contents */

/* The ring of batches is smaller than 4 MiB, so it has no huge pages, and a small recording uses
 * little of it. */
enum { OEMP_RUNS = 128, OEMP_BYTES = 56 << 10 };
typedef struct oemp_run {
    oemp_replay *replay;
    oemp_recording *recording;
    uint64_t line;
    uint32_t count, place; /* place of the first item in `bytes` */
} oemp_run;
typedef struct oemp_batch {
    uint32_t runs, used; /* number of runs and of bytes */
    oemp_run run[OEMP_RUNS];
    _Alignas(uint64_t) char bytes[OEMP_BYTES];
} oemp_batch;

/* Submit the batch that is being filled, and begin the next one. */
void oemp_submit(oemp_state *state, void (*hand_over)(mp_pipeline *pipeline));
/* Settle if a list of `count` elements must be moved to add one. */
static inline void oemp_make_room(oemp_state *state, size_t count, size_t capacity)
{
    if (count >= capacity)
        oemp_settle(state);
}
/* Add an item of the current recording to the batch. Return it, to be filled at once; it has `size`
 * bytes, a multiple of 8. */
static inline void *oemp_add(oemp_state *state, oemp_replay *replay, size_t size, uint64_t line)
{
    if (state->batch->used + size > state->batch_bytes)
        oemp_submit(state, mp_pipeline_submit);
    oemp_run *run = state->batch->run + state->batch->runs - 1;
    if (!state->batch->runs || run->replay != replay || run->line + run->count != line ||
        run->recording != state->recording) {
        if (state->batch->runs == OEMP_RUNS)
            oemp_submit(state, mp_pipeline_submit);
        run = &state->batch->run[state->batch->runs++];
        *run = (oemp_run){replay, state->recording, line, 0, state->batch->used};
    }
    run->count++;
    void *item = state->batch->bytes + state->batch->used;
    state->batch->used += (uint32_t)size;
    return item;
}
