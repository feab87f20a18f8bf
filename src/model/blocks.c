#include "model/blocks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/diagnose.h"

enum { FIRST_BLOCKS = 1024, FREED_KEPT = 1024 * 1024 };

static mp_block *new_table(size_t places)
{
    return mp_alloc_zero(places, sizeof(mp_block));
}

void mp_blocks_open(mp_blocks *blocks, mp_model *model, mp_session_id session,
                    mp_diagnostics *diagnostics)
{
    *blocks = (mp_blocks){.model = model,
                          .session = session,
                          .epoch = 1,
                          .table = new_table(FIRST_BLOCKS),
                          .mask = FIRST_BLOCKS - 1};
    mp_event_log_open(&blocks->log, model, diagnostics);
    mp_model_begin_snapshot(model, session);
    blocks->start.i = blocks->snapshot.i = model->snapshots.count - 1;
    blocks->first_delta = model->deltas.count;
    model->holds |=
        MP_HOLDS_LEDGER | MP_HOLDS_HISTORY | MP_HOLDS_SITES | MP_HOLDS_BIRTHS | MP_HOLDS_OBJECTS;
}

/* Sort the deltas by time; deltas of one snapshot keep their order. They may be out of order,
 * because a birth is added late, when a deletion states the type of its block. */
static void order_deltas(mp_blocks *blocks)
{
    mp_model *model = blocks->model;
    mp_delta *deltas = model->deltas.items + blocks->first_delta;
    uint32_t count = model->deltas.count - blocks->first_delta;
    uint32_t snapshots = model->snapshots.count - blocks->start.i;
    uint32_t *next = mp_alloc_zero(snapshots + 1, sizeof *next);
    uint32_t *place = mp_alloc_zero(count, sizeof *place);
    for (uint32_t i = 0; i < count; i++)
        next[deltas[i].snapshot.i - blocks->start.i + 1]++;
    for (uint32_t i = 0; i < snapshots; i++)
        next[i + 1] += next[i];
    for (uint32_t i = 0; i < count; i++)
        place[i] = next[deltas[i].snapshot.i - blocks->start.i]++;
    for (uint32_t i = 0; i < count; i++)
        while (place[i] != i) {
            uint32_t other = place[i];
            mp_delta delta = deltas[other];
            deltas[other] = deltas[i];
            deltas[i] = delta;
            place[i] = place[other];
            place[other] = other;
        }
    for (uint32_t i = count; i > 0; i--) /* backwards, so that the oldest delta remains */
        model->generations.items[deltas[i - 1].generation.i].first_delta =
            blocks->first_delta + i - 1;
    for (uint32_t i = 0; i < count; i++)
        model->generations.items[deltas[i].generation.i].last_delta = blocks->first_delta + i;
    free(next);
    free(place);
}

void mp_blocks_close(mp_blocks *blocks)
{
    order_deltas(blocks);
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
    free(blocks->freed);
    mp_id_index_free(&blocks->freed_at);
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
    return (size_t)mp_hash64(address) & blocks->mask;
}

/* Return the place of the address, or the empty place where it belongs. */
static mp_block *find(const mp_blocks *blocks, uint64_t address)
{
    size_t index = home_of(blocks, address);
    while (blocks->table[index].generation && blocks->table[index].address != address)
        index = (index + 1) & blocks->mask;
    return &blocks->table[index];
}

static void make_room(mp_blocks *blocks)
{
    const size_t places = blocks->mask + 1;
    mp_block *old = blocks->table;
    if ((blocks->used + 1) * 5 <= places * 3)
        return;
    blocks->table = new_table(places * 2);
    blocks->mask = places * 2 - 1;
    for (size_t i = 0; i < places; i++)
        if (old[i].generation)
            *find(blocks, old[i].address) = old[i];
    free(old);
}

/* Remove a block. Later blocks are moved up, so that no lookup finds a gap before its block. */
static void take_out(mp_blocks *blocks, mp_block *block)
{
    mp_block *table = blocks->table;
    size_t gap = (size_t)(block - table);
    for (size_t i = gap; i = (i + 1) & blocks->mask, table[i].generation;)
        if (((i - home_of(blocks, table[i].address)) & blocks->mask) >=
            ((i - gap) & blocks->mask)) {
            table[gap] = table[i];
            gap = i;
        }
    table[gap] = (mp_block){.address = 0};
    blocks->used--;
}

/* --- deletions --- */

static void remember(mp_blocks *blocks, const mp_event *event)
{
    const size_t index = blocks->freed_count++ % FREED_KEPT;
    mp_grow(&blocks->freed, &blocks->freed_capacity, index + 1, sizeof *blocks->freed);
    blocks->freed[index] = (mp_freed){.address = event->address,
                                      .line = event->line,
                                      .time_us = event->time_us,
                                      .thread = event->thread,
                                      .node = event->node.i};
}

/* Return the last deletion at the address; NULL: none is remembered. Deletions are indexed only
 * when one is looked up. */
static const mp_freed *last_freed(mp_blocks *blocks, uint64_t address)
{
    const uint64_t count = blocks->freed_count;
    const uint64_t oldest = count > FREED_KEPT ? count - FREED_KEPT : 0;
    if (blocks->freed_at.count > 2 * FREED_KEPT) {
        mp_id_index_free(&blocks->freed_at);
        blocks->indexed = 0;
    }
    uint64_t next = blocks->indexed > oldest ? blocks->indexed : oldest;
    for (; next < count; next++)
        *mp_id_index_put(&blocks->freed_at, blocks->freed[next % FREED_KEPT].address) =
            (uint32_t)(next % FREED_KEPT) + 1;
    blocks->indexed = count;
    const uint32_t index = mp_id_index_get(&blocks->freed_at, address);
    return index && blocks->freed[index - 1].address == address ? &blocks->freed[index - 1] : NULL;
}

void mp_blocks_prefetch(const mp_blocks *blocks, const mp_event *event)
{
    __builtin_prefetch(&blocks->table[home_of(blocks, event->address)], 1);
}

/* Return the generation of the block at the address; for an allocation, the generation to which it
 * will be added. 0: unknown. The generation already has a share. */
static uint32_t next_generation(const mp_blocks *blocks, const mp_event *event)
{
    if (event->kind == MP_EVENT_ALLOCATION)
        return event->site < blocks->sites_met ? blocks->sites[event->site].generation.i : 0;
    return find(blocks, event->address)->generation;
}

void mp_blocks_prefetch_generation(const mp_blocks *blocks, const mp_event *event)
{
    uint32_t generation = next_generation(blocks, event);
    if (generation) {
        __builtin_prefetch(&blocks->shares[generation], 1);
        __builtin_prefetch(&blocks->model->generations.items[generation]);
    }
}

static void prefetch_delta(const mp_model *model, uint32_t index)
{
    const mp_delta *delta = &model->deltas.items[index];
    __builtin_prefetch(delta, 1);
    __builtin_prefetch((const char *)(delta + 1) - 1, 1);
}

void mp_blocks_prefetch_deltas(const mp_blocks *blocks, const mp_event *event)
{
    uint32_t generation = next_generation(blocks, event);
    if (!generation)
        return;
    const mp_generation *generations = blocks->model->generations.items;
    prefetch_delta(blocks->model, generations[generation].first_delta);
    if (event->kind != MP_EVENT_DELETION)
        return;
    const mp_generation *typed = &generations[blocks->shares[generation].typed[0].i];
    prefetch_delta(blocks->model, typed->first_delta);
    if (typed->last_delta != typed->first_delta)
        prefetch_delta(blocks->model, typed->last_delta);
}

/* --- live amounts, now and at the peak --- */

/* Return the share of a generation that is about to change, after saving its amounts at the peak.
 * Valid until the next call. */
static mp_generation_share *share_of(mp_blocks *blocks, mp_generation_id generation)
{
    MP_EXTEND(blocks->shares, blocks->share_count, blocks->share_capacity, generation.i + 1u);
    mp_generation_share *share = &blocks->shares[generation.i];
    if (share->epoch != blocks->epoch) {
        share->at_peak = share->live;
        share->epoch = blocks->epoch;
    }
    return share;
}

static void count(mp_blocks *blocks, mp_generation_id generation, int64_t objects, int64_t bytes)
{
    mp_generation_share *share = share_of(blocks, generation);
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
    MP_EXTEND(blocks->sites, blocks->sites_met, blocks->site_capacity, event->site + 1u);
    mp_block_site *site = &blocks->sites[event->site];
    if (!site->context.i) {
        mp_context key = {
            .node = event->node, .line = event->source_line, .session = blocks->session};
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

/* Return the cost that has the births of a generation. It is in the generation's oldest delta,
 * because all its births belong to one snapshot. That snapshot may have ended already. */
static mp_cost *births_of(mp_blocks *blocks, mp_generation_id id)
{
    const mp_generation *generation = &blocks->model->generations.items[id.i];
    if (generation->first_delta)
        return &blocks->model->deltas.items[generation->first_delta].cost;
    return mp_model_delta(blocks->model, id, generation->born);
}

static unsigned size_class(int64_t bytes)
{
    return bytes ? 64u - (unsigned)__builtin_clzll((uint64_t)bytes) : 0;
}

/* Return the size to count. If it could overflow a sum, report a diagnostic and return 0. */
static int64_t counted_bytes(mp_blocks *blocks, const mp_event *event)
{
    if (mp_budget_take(&blocks->model->private->spent, event->bytes))
        return event->bytes;
    mp_diagnose(blocks->log.diagnostics, MP_DIAG_BAD_ROW, blocks->log.path, event->line,
                "block of %" PRId64 " bytes, more than any memory has; counted as 0", event->bytes);
    return 0;
}

static void place_block(mp_blocks *blocks, mp_block *block, const mp_event *event, int64_t bytes,
                        mp_generation_id generation)
{
    blocks->used += !block->generation;
    *block = (mp_block){.address = event->address,
                        .time_us = event->time_us,
                        .bytes = bytes,
                        .generation = generation.i,
                        .serial = event->thread ? blocks->log.threads[event->thread].serial : 0,
                        .thread = event->thread,
                        .epoch = (uint32_t)blocks->epoch,
                        .born_line = event->line};
}

/* Remove the block at the address of an allocation, although no deletion was logged. */
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
    mp_cost *cost = births_of(blocks, generation);
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

/* Add an old block to the snapshots that ended before its line was read. */
static void count_from_start(mp_blocks *blocks, int64_t bytes)
{
    for (uint32_t i = blocks->start.i; i < blocks->snapshot.i; i++) {
        mp_snapshot *snapshot = &blocks->model->snapshots.items[i];
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
    mp_cost *cost = births_of(blocks, generation);
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

/* Return the generation that has the same birth, and the type that the deletion states. */
static mp_generation_id typed_generation(mp_blocks *blocks, mp_generation_id generation,
                                         mp_type_id type)
{
    mp_model *model = blocks->model;
    mp_generation_share *share = &blocks->shares[generation.i];
    if (share->type[0].i == type.i)
        return share->typed[0];
    mp_generation_id other = share->typed[1];
    if (share->type[1].i != type.i) {
        mp_generation typed = model->generations.items[generation.i];
        mp_context key = model->contexts.items[typed.context.i];
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

/* Move the birth of a block, and its share of the peak, to another generation. */
static void move_birth(mp_blocks *blocks, const mp_block *block, mp_generation_id from,
                       mp_generation_id to)
{
    mp_cost *cost = births_of(blocks, from);
    cost->created--;
    cost->created_bytes -= block->bytes;
    cost->bytes -= block->bytes;
    cost = births_of(blocks, to);
    cost->created++;
    cost->created_bytes += block->bytes;
    cost->bytes += block->bytes;
    if (block->epoch != (uint32_t)blocks->epoch) { /* a peak was reached since its birth */
        mp_peak_share *at_peak = &share_of(blocks, from)->at_peak;
        at_peak->objects--;
        at_peak->bytes -= block->bytes;
        at_peak = &share_of(blocks, to)->at_peak;
        at_peak->objects++;
        at_peak->bytes += block->bytes;
    }
    if (blocks->history)
        mp_history_was(blocks->history, block->address, to);
}

/* Count the death of a block, and return the context in which it died. Old blocks have their type
 * from the start. */
static mp_context_id bury(mp_blocks *blocks, const mp_block *block, const mp_event *event,
                          bool temporary)
{
    mp_model *model = blocks->model;
    mp_generation_id from = {block->generation}, to = from;
    bool old = model->generations.items[from.i].born.i == blocks->start.i;
    if (event->type.i && !old) {
        to = typed_generation(blocks, from, event->type);
        move_birth(blocks, block, from, to);
    }
    mp_cost *cost = mp_model_delta(model, to, blocks->snapshot);
    cost->bytes -= block->bytes;
    cost->deleted++;
    cost->temporary += temporary;
    cost->temporary_bytes += temporary ? block->bytes : 0;
    count(blocks, from, -1, -block->bytes);
    return model->generations.items[to.i].context;
}

static void note_death(mp_blocks *blocks, const mp_block *block, const mp_event *event)
{
    bool temporary = is_temporary(blocks, block, event);
    mp_context_id context = bury(blocks, block, event, temporary);
    if (!block->thread) /* old block: age and thread are unknown */
        return;
    mp_size_class *class = &blocks->log.events->sizes[size_class(block->bytes)];
    class->deleted++;
    class->temporary += temporary;
    if (blocks->model->ages)
        mp_ages_add(blocks->model->ages, &(mp_age){.context = context,
                                                   .age_us = event->time_us - block->time_us,
                                                   .objects = 1,
                                                   .bytes = block->bytes});
    if (block->thread != event->thread)
        mp_event_log_handover(&blocks->log, block, event);
}

void mp_blocks_delete(mp_blocks *blocks, const mp_event *event)
{
    mp_event_log_count(&blocks->log, event);
    mp_block *block = find(blocks, event->address);
    if (!block->generation) {
        mp_event_log_unmatched(&blocks->log, event, last_freed(blocks, event->address));
        return;
    }
    note_death(blocks, block, event);
    if (blocks->history)
        mp_history_death(blocks->history, event->address);
    blocks->tally.deleted++;
    take_out(blocks, block);
    remember(blocks, event);
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
