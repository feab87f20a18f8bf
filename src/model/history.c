#include "model/history.h"

#include <assert.h>
#include <stdlib.h>

#include "model/build.h"
#include "model/live.h"

/* State of an object now, and its entry in model->objects as of the last snapshot. */
typedef struct record {
    uint64_t id;
    int64_t bytes;
    mp_generation_id generation;
    uint32_t object; /* index in model->objects; 0: it has no entry */
    bool alive, touched;
    bool apart; /* its id belongs to another record now */
} record;

struct mp_history {
    mp_model *model;
    mp_live_set places; /* maps an id to an index in `records`, which is stored as a generation */
    record *records;    /* records, numbered from 1 */
    size_t count, capacity;
    uint32_t *unused; /* free indexes of `records` */
    size_t unused_count, unused_capacity;
    uint32_t *touched; /* indexes of records changed since the last snapshot */
    size_t touched_count, touched_capacity;
    mp_snapshot_id last; /* last ended snapshot */
};

mp_history *mp_history_new(mp_model *model)
{
    mp_history *history = mp_alloc_zero(1, sizeof *history);
    history->model = model;
    return history;
}

void mp_history_free(mp_history *history)
{
    if (!history)
        return;
    mp_live_free(&history->places);
    MP_FREE(history->records, history->unused, history->touched, history);
}

static void push(uint32_t **list, size_t *count, size_t *capacity, uint32_t place)
{
    mp_grow(list, capacity, *count + 1, sizeof **list);
    (*list)[(*count)++] = place;
}

static uint32_t new_record(mp_history *history, uint64_t id)
{
    uint32_t place;
    if (history->unused_count) {
        place = history->unused[--history->unused_count];
    } else {
        place = (uint32_t)++history->count;
        mp_grow(&history->records, &history->capacity, place + 1u, sizeof *history->records);
    }
    history->records[place] = (record){.id = id};
    return place;
}

static record *record_of(mp_history *history, uint64_t id, bool make)
{
    const mp_live_object *found = mp_live_find(&history->places, id);
    if (found)
        return &history->records[found->generation];
    if (!make)
        return NULL;
    uint32_t place = new_record(history, id);
    mp_live_add(&history->places, id, place);
    return &history->records[place];
}

static void touch(mp_history *history, record *entry)
{
    if (!entry->touched)
        push(&history->touched, &history->touched_count, &history->touched_capacity,
             (uint32_t)(entry - history->records));
    entry->touched = true;
}

void mp_history_change(mp_history *history, uint64_t id, int64_t bytes, mp_generation_id generation)
{
    if (history->model->generations.items[generation.i].reusable) {
        mp_history_death(history, id);
        return;
    }
    record *entry = record_of(history, id, true);
    entry->alive = true;
    entry->bytes = bytes;
    entry->generation = generation;
    touch(history, entry);
}

void mp_history_birth(mp_history *history, uint64_t id, int64_t bytes, mp_generation_id generation)
{
    mp_history_change(history, id, bytes, generation);
}

/* Move the entry of the previous object with this id to a separate record. The next snapshot ends
 * it there. */
static void set_apart(mp_history *history, uint64_t id)
{
    const record *entry = record_of(history, id, false);
    if (!entry || !entry->object)
        return;
    uint32_t place = new_record(history, id);
    record *apart = &history->records[place];
    entry = record_of(history, id, false);
    assert(entry); /* a new record may move the others in memory, but removes none */
    apart->object = entry->object;
    apart->apart = true;
    touch(history, apart);
}

void mp_history_found(mp_history *history, uint64_t id, int64_t bytes, mp_generation_id generation,
                      mp_snapshot_id since)
{
    set_apart(history, id);
    mp_history_change(history, id, bytes, generation);
    record *entry = record_of(history, id, false);
    if (!entry || history->last.i < since.i)
        return;
    *MP_ADD(&history->model->objects) =
        (mp_object){.id = id, .bytes = bytes, .generation = generation, .from = since};
    entry->object = history->model->objects.count - 1;
}

void mp_history_was(mp_history *history, uint64_t id, mp_generation_id generation)
{
    record *entry = record_of(history, id, false);
    if (!entry)
        return;
    mp_object *written = &history->model->objects.items[entry->object];
    if (entry->object &&
        written->generation.i == entry->generation.i) /* the entry is this object's, not that of an
                                                       * earlier object with the same id */
        written->generation = generation;
    entry->generation = generation;
}

void mp_history_death(mp_history *history, uint64_t id)
{
    record *entry = record_of(history, id, false);
    if (!entry)
        return;
    entry->alive = false;
    touch(history, entry);
}

/* Write the state of an object, which it has from this snapshot on. */
static void write_down(mp_model *model, record *entry, mp_snapshot_id snapshot)
{
    if (entry->object) {
        mp_object *before = &model->objects.items[entry->object];
        if (entry->alive && before->bytes == entry->bytes &&
            before->generation.i == entry->generation.i)
            return;
        before->until = snapshot;
        entry->object = 0;
    }
    if (!entry->alive)
        return;
    *MP_ADD(&model->objects) = (mp_object){
        .id = entry->id, .bytes = entry->bytes, .generation = entry->generation, .from = snapshot};
    entry->object = model->objects.count - 1;
}

void mp_history_end_snapshot(mp_history *history, mp_snapshot_id snapshot)
{
    for (size_t i = 0; i < history->touched_count; i++) {
        uint32_t place = history->touched[i];
        record *entry = &history->records[place];
        write_down(history->model, entry, snapshot);
        entry->touched = false;
        if (entry->alive)
            continue;
        if (!entry->apart)
            mp_live_remove(&history->places, mp_live_find(&history->places, entry->id));
        push(&history->unused, &history->unused_count, &history->unused_capacity, place);
    }
    history->touched_count = 0;
    history->last = snapshot;
}
