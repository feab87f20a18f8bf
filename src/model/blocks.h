/* Replay of a heap log: blocks of memory that are allocated and deleted at addresses.
 *
 * There is one mp_blocks per log. The first snapshot is the start, when only old blocks are alive;
 * the reader ends it and each later one. Addresses are reused, so a block is an address together
 * with the time from an allocation to the next deletion. The last million deletions are remembered,
 * so that the report of a double deletion can show the first one.
 *
 * The type of a block becomes known when it is deleted. The block then moves, with its birth, to
 * the generation with this type, so its whole life shows the type. Blocks that are never deleted
 * keep a generation without a type. */
#pragma once

#include "base/index.h"
#include "memprof/diagnostics.h"
#include "model/build.h"
#include "model/event_log.h"
#include "model/history.h"

/* Live amounts of a generation, now and at the peak. `at_peak` is updated lazily: while a
 * generation is not touched after a peak, `live` is still its amount at the peak. */
typedef struct mp_generation_share {
    mp_peak_share live, at_peak;
    uint64_t
        epoch; /* number of the peak to which `at_peak` belongs; after a later peak, use `live` */
    /* The last two types that became known by deletions of blocks of this generation, most recent
     * first, and the generations of blocks with these types. */
    mp_type_id type[2];
    mp_generation_id typed[2];
} mp_generation_share;

typedef struct mp_block_site {
    mp_context_id context;
    mp_snapshot_id snapshot; /* snapshot at which the generation is born */
    mp_generation_id generation;
} mp_block_site;

typedef struct mp_blocks {
    mp_model *model;
    mp_event_log log;
    mp_session_id session;
    mp_snapshot_id start, snapshot; /* first snapshot of the log, and the current one */
    uint32_t first_delta;           /* index of the first delta of this log */
    uint32_t sequence;
    mp_tally tally; /* changes since the last snapshot */
    mp_peak_share snapshot_peak;
    int64_t peak_bytes, snapshot_peak_time_us, peak_time_us;
    uint64_t peak_line;
    uint64_t epoch;

    mp_block *table; /* open-addressing table of live blocks */
    size_t mask, used;
    mp_freed *freed; /* ring of the last deletions; deletion n is at n % FREED_KEPT */
    size_t freed_capacity;
    uint64_t freed_count, indexed; /* number of deletions; number of them that are indexed */
    mp_id_index freed_at; /* maps an address to 1 + the index in the ring of its last deletion; the
                             entry may be overwritten by now */

    bool threads_as_one;    /* do not distinguish threads; set before the first event */
    mp_id_index site_index; /* (node, thread) to site; used by the reader's thread */
    uint32_t site_count;
    mp_block_site *sites; /* sites seen in the replay, numbered from 1 */
    size_t sites_met, site_capacity;
    mp_generation_share *shares; /* indexed by generation */
    size_t share_count, share_capacity;
    mp_history *history; /* NULL: objects are not recorded */
} mp_blocks;

/* Start a log. `model` and `diagnostics` must outlive the blocks. Release with mp_blocks_close. */
void mp_blocks_open(mp_blocks *blocks, mp_model *model, mp_session_id session,
                    mp_diagnostics *diagnostics);
/* Finish the log and complete model->events. */
void mp_blocks_close(mp_blocks *blocks);
/* Record the blocks of each snapshot in model->objects, with addresses as ids. Call it before the
 * first event. */
void mp_blocks_keep_objects(mp_blocks *blocks);

/* Return the number of the site with this node and thread; each call returns the same number. It
 * may be called while another thread replays events. With `threads_as_one`, all threads share the
 * site of the node. A reader whose files number their sites need not call it. */
uint32_t mp_blocks_site(mp_blocks *blocks, mp_node_id node, uint32_t thread);

/* Add a block that existed before the log. It counts as alive from the start, even if its line
 * comes late in the log. If its address is in use, an anomaly is recorded. */
void mp_blocks_old(mp_blocks *blocks, const mp_event *event);
/* Add an allocation. A block that is still alive at its address is removed without a deletion. */
void mp_blocks_allocate(mp_blocks *blocks, const mp_event *event);
void mp_blocks_delete(mp_blocks *blocks, const mp_event *event);
/* End the current snapshot and begin the next one. Return the ended snapshot, so that the reader
 * can complete it. */
mp_snapshot *mp_blocks_end_snapshot(mp_blocks *blocks, int64_t time_us);

/* Prefetch the memory that an event will touch. There are three steps, with other work between
 * them: the place of its block in the table, the generation of the block, the deltas of the
 * generation. */
void mp_blocks_prefetch(const mp_blocks *blocks, const mp_event *event);
void mp_blocks_prefetch_generation(const mp_blocks *blocks, const mp_event *event);
void mp_blocks_prefetch_deltas(const mp_blocks *blocks, const mp_event *event);
