/* Blocks of memory being replayed event by event: allocations and deletions at addresses.
 *
 * One mp_blocks a log. Its first snapshot is the start, when only old blocks are alive; the reader
 * ends it and every later one. Addresses are used again: a block is an address from one allocation
 * to the next deletion. The last million deletions are remembered, so that a second one of a block
 * can show the first.
 *
 * A block has no type until its deletion tells it. It then moves, with its birth, to the generation
 * of that type, so that each moment of its life shows it; those that are never deleted stay. */
#ifndef MP_MODEL_BLOCKS_H
#define MP_MODEL_BLOCKS_H

#include "base/index.h"
#include "memprof/diagnostics.h"
#include "model/build.h"
#include "model/event_log.h"
#include "model/history.h"

/* Live amounts of a generation, now and at the peak. Exact without looking back: a generation
 * that was not touched since the peak still has the amounts it had then. */
typedef struct mp_generation_share {
    mp_peak_share live, at_peak;
    uint64_t epoch; /* number of the peak that at_peak is of; older: as live */
    /* The type that its blocks had at the last deletion, and their generation with that type. */
    mp_type_id type[2]; /* the last one first */
    mp_generation_id typed[2];
} mp_generation_share;

typedef struct mp_block_site {
    mp_context_id context;
    mp_snapshot_id snapshot; /* snapshot at the generation's birth */
    mp_generation_id generation;
} mp_block_site;

typedef struct mp_blocks {
    mp_model *model;
    mp_event_log log;
    mp_session_id session;
    mp_snapshot_id start, snapshot; /* the first, and the open one */
    uint32_t first_delta;           /* first delta of this log */
    uint32_t sequence;
    mp_tally tally; /* since the last snapshot */
    mp_peak_share snapshot_peak;
    int64_t peak_bytes, snapshot_peak_time_us, peak_time_us;
    uint64_t peak_line;
    uint64_t epoch;

    mp_block *table; /* those that are alive */
    size_t mask, used;
    mp_freed *freed; /* a ring: the deletion n is at n % FREED_KEPT */
    size_t freed_capacity;
    uint64_t freed_count, indexed; /* deletions so far; those of them that are indexed */
    mp_id_index freed_at;          /* places in the ring by address, + 1; others may be there now */

    bool threads_as_one;    /* who allocated what is not asked for; before the first event */
    mp_id_index site_index; /* (node, thread) to site: of the thread that reads */
    uint32_t site_count;
    mp_block_site *sites; /* from 1; those that were met in the replay */
    size_t sites_met, site_capacity;
    mp_generation_share *shares; /* by generation */
    size_t share_count, share_capacity;
    mp_history *history; /* NULL: objects are not kept */
} mp_blocks;

/* Open the blocks. The pointers must outlive them. Release with mp_blocks_close. */
void mp_blocks_open(mp_blocks *blocks, mp_model *model, mp_session_id session,
                    mp_diagnostics *diagnostics);
/* Also sums up what the log tells: model->events is then complete. */
void mp_blocks_close(mp_blocks *blocks);
/* Keep the blocks of each snapshot, in model->objects; before the first event. Ids are addresses.
 */
void mp_blocks_keep_objects(mp_blocks *blocks);

/* A number for a crawl and a thread, the same for each call; also while events are replayed on
 * another thread. Where threads are as one, they share that of the crawl. */
uint32_t mp_blocks_site(mp_blocks *blocks, mp_node_id node, uint32_t thread);

/* A block that was there before the log: alive from its start, wherever it is told. Where there is
 * a block at that address, an anomaly. */
void mp_blocks_old(mp_blocks *blocks, const mp_event *event);
/* A block that is still at that address is gone without a deletion. */
void mp_blocks_allocate(mp_blocks *blocks, const mp_event *event);
void mp_blocks_delete(mp_blocks *blocks, const mp_event *event);
/* End the open snapshot and begin the next. Gives the ended one, for the reader to name. */
mp_snapshot *mp_blocks_end_snapshot(mp_blocks *blocks, int64_t time_us);

/* Fetch what an event will touch: its place, then some work later what the block that is there, or
 * will be, belongs to, then where it is entered. */
void mp_blocks_prefetch(const mp_blocks *blocks, const mp_event *event);
void mp_blocks_prefetch_generation(const mp_blocks *blocks, const mp_event *event);
void mp_blocks_prefetch_deltas(const mp_blocks *blocks, const mp_event *event);

#endif
