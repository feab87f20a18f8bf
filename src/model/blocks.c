#include "model/blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/build.h"

enum { FIRST_BLOCKS = 1024, FREED_KEPT = 1024 * 1024 };

void mp_blocks_open(mp_blocks *blocks, mp_model *model, mp_session_id session,
                    mp_diagnostics *diagnostics)
{
    *blocks = (mp_blocks){.model = model, .session = session, .epoch = 1};
    mp_event_log_open(&blocks->log, model, diagnostics);
    mp_model_begin_snapshot(model, session);
    blocks->start.i = blocks->snapshot.i = model->snapshots.count - 1;
    model->holds |= MP_HOLDS_LEDGER | MP_HOLDS_HISTORY;
}

void mp_blocks_close(mp_blocks *blocks)
{
    mp_events *events = blocks->log.events;
    mp_event_log_close(&blocks->log);
    uint32_t generations = blocks->model->generations.count;
    mp_peak_share *at_peak = mp_alloc_zero(generations, sizeof *at_peak);
    if (events->at_peak)
        memcpy(at_peak, events->at_peak, events->at_peak_count * sizeof *at_peak);
    for (uint32_t i = 0; i < blocks->share_count; i++) {
        const mp_generation_share *share = &blocks->shares[i];
        if (share->epoch)
            at_peak[i] = share->epoch == blocks->epoch ? share->at_peak : share->live;
    }
    free(events->at_peak);
    events->at_peak = at_peak;
    events->at_peak_count = generations;
    if (!events->peak_time_us)
        events->peak_time_us = blocks->peak_time_us;
    free(blocks->table);
    mp_id_index_free(&blocks->site_index);
    free(blocks->sites);
    free(blocks->shares);
    mp_history_free(blocks->history);
}

void mp_blocks_keep_objects(mp_blocks *blocks)
{
    blocks->history = mp_history_new(blocks->model);
}

/* --- the table of blocks --- */

static size_t home_of(const mp_blocks *blocks, uint64_t address)
{
    return (size_t)mp_hash64(address ^ blocks->log.seed) & blocks->mask;
}

static bool is_empty(const mp_block *block)
{
    return !block->generation && !block->line;
}

/* The place of the address, or the empty one where it would stand. */
static mp_block *find(const mp_blocks *blocks, uint64_t address)
{
    size_t at = home_of(blocks, address);
    while (!is_empty(&blocks->table[at]) && blocks->table[at].address != address)
        at = (at + 1) & blocks->mask;
    return &blocks->table[at];
}

/* Freed addresses that are forgotten when there are too many: the older half, by the mean of the
 * lines of their deletion. */
static uint64_t oldest_kept(const mp_blocks *blocks)
{
    double sum = 0;
    if (blocks->freed < FREED_KEPT || blocks->freed < blocks->used / 2)
        return 0;
    for (size_t i = 0; i <= blocks->mask; i++)
        if (!blocks->table[i].generation)
            sum += (double)blocks->table[i].line;
    return (uint64_t)(sum / (double)blocks->freed);
}

static void make_room(mp_blocks *blocks)
{
    mp_block *old = blocks->table;
    if (old && (blocks->used + 1) * 5 <= (blocks->mask + 1) * 3)
        return;
    size_t places = old ? blocks->mask + 1 : 0;
    uint64_t kept_from = old ? oldest_kept(blocks) : 0;
    size_t wanted = kept_from ? places : places ? places * 2 : FIRST_BLOCKS;
    blocks->table = mp_alloc_zero(wanted, sizeof *blocks->table);
    blocks->mask = wanted - 1;
    blocks->used = blocks->freed = 0;
    for (size_t i = 0; i < places; i++) {
        if (is_empty(&old[i]) || (!old[i].generation && old[i].line < kept_from))
            continue;
        *find(blocks, old[i].address) = old[i];
        blocks->used++;
        blocks->freed += !old[i].generation;
    }
    free(old);
}

void mp_blocks_prefetch(const mp_blocks *blocks, const mp_event *event)
{
    if (blocks->table)
        __builtin_prefetch(&blocks->table[home_of(blocks, event->address)], 1);
}

/* What an allocation of the site would be entered in, or the block at the address is in; whichever
 * it is, it has a share since it was first entered in. */
static uint32_t next_generation(const mp_blocks *blocks, const mp_event *event)
{
    if (event->kind == MP_EVENT_ALLOCATION)
        return event->site < blocks->sites_met ? blocks->sites[event->site].generation.i : 0;
    return blocks->table ? find(blocks, event->address)->generation : 0;
}

void mp_blocks_prefetch_generation(const mp_blocks *blocks, const mp_event *event)
{
    uint32_t generation = next_generation(blocks, event);
    if (generation) {
        __builtin_prefetch(&blocks->shares[generation], 1);
        __builtin_prefetch(&blocks->model->generations.at[generation]);
    }
}

static void prefetch_delta(const mp_model *model, uint32_t generation)
{
    const mp_delta *delta = &model->deltas.at[model->generations.at[generation].last_delta];
    __builtin_prefetch(delta, 1);
    __builtin_prefetch((const char *)(delta + 1) - 1, 1);
}

void mp_blocks_prefetch_deltas(const mp_blocks *blocks, const mp_event *event)
{
    uint32_t generation = next_generation(blocks, event);
    if (!generation)
        return;
    prefetch_delta(blocks->model, generation);
    if (event->kind == MP_EVENT_DELETION)
        prefetch_delta(blocks->model, blocks->shares[generation].typed[0].i);
}

/* --- what is alive, and was at the peak --- */

static void count(mp_blocks *blocks, mp_generation_id generation, int64_t objects, int64_t bytes)
{
    if (generation.i >= blocks->share_count) {
        size_t before = blocks->share_count;
        blocks->share_count = generation.i + 1u;
        mp_grow(&blocks->shares, &blocks->share_capacity, blocks->share_count,
                sizeof *blocks->shares);
        memset(blocks->shares + before, 0, (blocks->share_count - before) * sizeof *blocks->shares);
    }
    mp_generation_share *share = &blocks->shares[generation.i];
    if (share->epoch != blocks->epoch) {
        share->at_peak = share->live;
        share->epoch = blocks->epoch;
    }
    share->live.objects += objects;
    share->live.bytes += bytes;
    blocks->tally.live_objects += objects;
    blocks->tally.live_bytes += bytes;
}

static void note_peak(mp_blocks *blocks, const mp_event *event)
{
    if (blocks->tally.live_objects > blocks->snapshot_peak.objects)
        blocks->snapshot_peak.objects = blocks->tally.live_objects;
    if (blocks->tally.live_bytes > blocks->snapshot_peak.bytes) {
        blocks->snapshot_peak.bytes = blocks->tally.live_bytes;
        blocks->snapshot_peak_time_us = event->time_us > 0 ? event->time_us : 0;
    }
    if (blocks->tally.live_bytes > blocks->peak_bytes) {
        blocks->peak_bytes = blocks->tally.live_bytes;
        blocks->peak_time_us = event->time_us > 0 ? event->time_us : 0;
        blocks->peak_line = event->line;
        blocks->epoch++;
    }
}

/* --- births --- */

uint32_t mp_blocks_site(mp_blocks *blocks, mp_node_id node, uint32_t thread)
{
    if (blocks->threads_as_one)
        return node.i + 1;
    uint32_t *place = mp_id_index_put(&blocks->site_index, (uint64_t)node.i << 32 | thread);
    if (!*place)
        *place = ++blocks->site_count;
    return *place;
}

static mp_generation_id generation_of(mp_blocks *blocks, const mp_event *event)
{
    if (event->site >= blocks->sites_met) {
        mp_grow(&blocks->sites, &blocks->site_capacity, event->site + 1u, sizeof *blocks->sites);
        memset(blocks->sites + blocks->sites_met, 0,
               (event->site + 1u - blocks->sites_met) * sizeof *blocks->sites);
        blocks->sites_met = event->site + 1u;
    }
    mp_block_site *site = &blocks->sites[event->site];
    if (!site->context.i) {
        mp_context key = {.node = event->node, .line = MP_NO_LINE, .session = blocks->session};
        if (!blocks->threads_as_one)
            key.thread = event->thread_name;
        site->context = mp_model_context(blocks->model, &key);
    }
    if (site->snapshot.i != blocks->snapshot.i) {
        site->snapshot = blocks->snapshot;
        site->generation = mp_model_generation(
            blocks->model, &(mp_generation){.context = site->context, .born = blocks->snapshot});
    }
    return site->generation;
}

static unsigned size_class(int64_t bytes)
{
    return bytes ? 64u - (unsigned)__builtin_clzll((uint64_t)bytes) : 0;
}

/* The size that is counted: 0, with a diagnostic, for one that no sum could hold. */
static int64_t counted_bytes(mp_blocks *blocks, const mp_event *event)
{
    if (mp_budget_take(&blocks->model->private->spent, event->bytes))
        return event->bytes;
    mp_diagnose(blocks->log.diagnostics, MP_DIAG_BAD_ROW, blocks->log.path, event->line,
                "block of %" PRId64 " bytes: more than any memory holds, counted as 0",
                event->bytes);
    return 0;
}

static void place_block(mp_blocks *blocks, mp_block *block, const mp_event *event, int64_t bytes,
                        mp_generation_id generation)
{
    if (is_empty(block))
        blocks->used++;
    else if (!block->generation)
        blocks->freed--;
    *block = (mp_block){.address = event->address,
                        .time_us = event->time_us,
                        .bytes = bytes,
                        .generation = generation.i,
                        .serial = event->thread ? blocks->log.threads[event->thread].serial : 0,
                        .thread = event->thread,
                        .born_line = event->line};
}

/* The block at the address of an allocation is gone, though nobody deleted it. */
static void displace(mp_blocks *blocks, mp_block *block, const mp_event *event)
{
    mp_generation_id generation = {block->generation};
    mp_cost *cost = mp_model_delta(blocks->model, generation, blocks->snapshot);
    cost->found--;
    cost->bytes -= block->bytes;
    count(blocks, generation, -1, -block->bytes);
    blocks->log.events->displaced_objects++;
    mp_event_log_contradicted(&blocks->log, MP_ANOMALY_NONUNIQUE, event, block);
}

void mp_blocks_allocate(mp_blocks *blocks, const mp_event *event)
{
    make_room(blocks);
    mp_event_log_count(&blocks->log, event);
    mp_block *block = find(blocks, event->address);
    if (block->generation)
        displace(blocks, block, event);
    int64_t bytes = counted_bytes(blocks, event);
    mp_generation_id generation = generation_of(blocks, event);
    place_block(blocks, block, event, bytes, generation);
    mp_cost *cost = mp_model_delta(blocks->model, generation, blocks->snapshot);
    cost->created++;
    cost->created_bytes += bytes;
    cost->bytes += bytes;
    mp_size_class *class = &blocks->log.events->sizes[size_class(bytes)];
    class->created++;
    class->created_bytes += bytes;
    blocks->tally.created++;
    count(blocks, generation, 1, bytes);
    if (blocks->history)
        mp_history_birth(blocks->history, event->address, bytes, generation);
    note_peak(blocks, event);
}

/* Snapshots that were ended before the block was told of had it too. */
static void count_from_start(mp_blocks *blocks, int64_t bytes)
{
    for (uint32_t i = blocks->start.i; i < blocks->snapshot.i; i++) {
        mp_snapshot *snapshot = &blocks->model->snapshots.at[i];
        snapshot->live_objects++;
        snapshot->live_bytes += bytes;
        snapshot->peak_objects++;
        snapshot->peak_bytes += bytes;
    }
    blocks->snapshot_peak.objects++;
    blocks->snapshot_peak.bytes += bytes;
    blocks->peak_bytes += bytes;
}

void mp_blocks_old(mp_blocks *blocks, const mp_event *event)
{
    make_room(blocks);
    mp_block *block = find(blocks, event->address);
    if (block->generation) {
        mp_event_log_contradicted(&blocks->log, MP_ANOMALY_NONUNIQUE, event, block);
        return;
    }
    int64_t bytes = counted_bytes(blocks, event);
    mp_context key = {.type = event->type, .session = blocks->session, .old = true};
    mp_generation born = {.context = mp_model_context(blocks->model, &key), .born = blocks->start};
    mp_generation_id generation = mp_model_generation(blocks->model, &born);
    place_block(blocks, block, event, bytes, generation);
    mp_cost *cost = mp_model_delta(blocks->model, generation, blocks->start);
    cost->found++;
    cost->bytes += bytes;
    count(blocks, generation, 1, bytes);
    blocks->shares[generation.i].at_peak.objects++;
    blocks->shares[generation.i].at_peak.bytes += bytes;
    count_from_start(blocks, bytes);
    if (blocks->history)
        mp_history_found(blocks->history, event->address, bytes, generation, blocks->start);
    blocks->log.events->old_objects++;
    blocks->log.events->old_bytes += bytes;
}

/* --- deaths --- */

/* The same birth with the type that the deletion tells. */
static mp_generation_id typed_generation(mp_blocks *blocks, mp_generation_id generation,
                                         mp_type_id type)
{
    mp_model *model = blocks->model;
    mp_generation_share *share = &blocks->shares[generation.i];
    if (share->type[0].i == type.i)
        return share->typed[0];
    mp_generation_id other = share->typed[1];
    if (share->type[1].i != type.i) {
        mp_generation typed = model->generations.at[generation.i];
        mp_context key = model->contexts.at[typed.context.i];
        key.type = type;
        typed.context = mp_model_context(model, &key);
        other = mp_model_generation(model, &typed);
    }
    share->type[1] = share->type[0];
    share->typed[1] = share->typed[0];
    share->type[0] = type;
    share->typed[0] = other;
    return other;
}

static bool is_temporary(const mp_blocks *blocks, const mp_block *block, const mp_event *event)
{
    const mp_events *events = blocks->log.events;
    if (!block->thread)
        return false;
    if (events->temporary_is_time)
        return event->time_us - block->time_us <= events->temporary;
    return block->thread == event->thread &&
           blocks->log.threads[event->thread].serial - block->serial <= events->temporary;
}

/* The block leaves the context of untyped blocks of its crawl, and is entered as created and
 * deleted in that of its type: what is alive has none. Old blocks have theirs from the start. */
static mp_context_id bury(mp_blocks *blocks, const mp_block *block, const mp_event *event,
                          bool temporary)
{
    mp_model *model = blocks->model;
    mp_generation_id from = {block->generation};
    bool old = model->generations.at[from.i].born.i == blocks->start.i;
    mp_generation_id to =
        event->type.i && !old ? typed_generation(blocks, from, event->type) : from;
    mp_cost *cost = mp_model_delta(model, from, blocks->snapshot);
    cost->bytes -= block->bytes;
    cost->found -= old;
    cost->created -= !old;
    cost->created_bytes -= old ? 0 : block->bytes;
    cost = mp_model_delta(model, to, blocks->snapshot);
    cost->found += old;
    cost->created += !old;
    cost->created_bytes += old ? 0 : block->bytes;
    cost->deleted++;
    cost->temporary += temporary;
    cost->temporary_bytes += temporary ? block->bytes : 0;
    count(blocks, from, -1, -block->bytes);
    return model->generations.at[to.i].context;
}

static void note_death(mp_blocks *blocks, const mp_block *block, const mp_event *event)
{
    bool temporary = is_temporary(blocks, block, event);
    mp_context_id context = bury(blocks, block, event, temporary);
    if (!block->thread) /* old: nobody knows its age, or whose it was */
        return;
    mp_size_class *class = &blocks->log.events->sizes[size_class(block->bytes)];
    class->deleted++;
    class->temporary += temporary;
    mp_event_log_age(&blocks->log, context, event->time_us - block->time_us, block->bytes);
    if (block->thread != event->thread)
        mp_event_log_handover(&blocks->log, block, event);
}

void mp_blocks_delete(mp_blocks *blocks, const mp_event *event)
{
    make_room(blocks);
    mp_event_log_count(&blocks->log, event);
    mp_block *block = find(blocks, event->address);
    if (!block->generation) {
        mp_event_log_unmatched(&blocks->log, event, is_empty(block) ? NULL : block);
        return;
    }
    note_death(blocks, block, event);
    if (blocks->history)
        mp_history_death(blocks->history, event->address);
    blocks->tally.deleted++;
    blocks->freed++;
    *block = (mp_block){.address = event->address,
                        .time_us = event->time_us,
                        .line = event->line,
                        .thread = event->thread,
                        .node = event->node.i};
}

/* --- snapshots --- */

mp_snapshot *mp_blocks_end_snapshot(mp_blocks *blocks, int64_t time_us)
{
    mp_model *model = blocks->model;
    mp_snapshot_id ended = blocks->snapshot;
    if (blocks->history)
        mp_history_end_snapshot(blocks->history, ended);
    mp_model_begin_snapshot(model, blocks->session);
    blocks->snapshot.i = model->snapshots.count - 1;
    mp_snapshot *snapshot = mp_model_end_snapshot(model, ended, &blocks->tally);
    snapshot->time_us = time_us;
    snapshot->has_peak = true;
    snapshot->peak_objects = blocks->snapshot_peak.objects;
    snapshot->peak_bytes = blocks->snapshot_peak.bytes;
    snapshot->peak_time_us = blocks->snapshot_peak_time_us;
    blocks->snapshot_peak = (mp_peak_share){blocks->tally.live_objects, blocks->tally.live_bytes};
    blocks->snapshot_peak_time_us = time_us;
    return snapshot;
}
