/* The objects of a recording: births, changes and deaths, from rows of numbers. */
#include <inttypes.h>
#include <string.h>

#include "base/diagnose.h"
#include "model/build.h"
#include "readers/oemp.h"

/* --- objects --- */

/* Return the name of an object by the rules of the format document. Code is named after its source.
 * Other objects have their own name. An object without a name that is built in has the name of its
 * class. */
static mp_symbol_id name_of(oemp_state *state, mp_type_class class, const uint64_t *row,
                            uint64_t line)
{
    oemp_recording *recording = state->recording;
    bool code = class == MP_TYPE_CODE || class == MP_TYPE_REUSABLE;
    if (!code && row[OEMP_NAME])
        return oemp_symbol(state, &recording->names, row[OEMP_NAME], line);
    if (class == MP_TYPE_BUILT_IN && row[OEMP_BUILT_IN])
        return oemp_symbol(state, &recording->built_ins, row[OEMP_BUILT_IN], line);
    if (row[OEMP_SOURCE])
        return oemp_symbol(state, &recording->sources, row[OEMP_SOURCE], line);
    return (mp_symbol_id){0};
}

static bool good_size(oemp_state *state, uint64_t id, uint64_t bytes, uint64_t line)
{
    if ((int64_t)bytes >= 0)
        return true;
    mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, line,
                "object %" PRIu64 " has %" PRId64 " bytes, expected a size: row skipped", id,
                (int64_t)bytes);
    return false;
}

static bool same_origin(const void *opaque, uint32_t value)
{
    const oemp_origin *const *probe = opaque;
    const oemp_origin *a = &probe[0][value], *b = probe[1];
    return a->node == b->node && a->line == b->line && a->type == b->type &&
           a->source == b->source && a->name == b->name && a->built_in == b->built_in;
}

/* Add a new origin, and look up its ids. */
static void add_origin(oemp_state *state, const oemp_origin *found, const uint64_t *row,
                       uint64_t line)
{
    oemp_recording *recording = state->recording;
    mp_origin origin = {.type = oemp_type(state, row[OEMP_TYPE], line),
                        .node = oemp_node_id(state, row[OEMP_NODE], line),
                        .line = oemp_line(state, row[OEMP_LINE], "AppObjData", line)};
    mp_type_class class = state->model->types.items[origin.type.i].class;
    origin.name = name_of(state, class, row, line);
    uint32_t number = mp_heap_origin(&recording->heap, origin);
    mp_grow(&recording->origins, &recording->origin_capacity, number + 1u,
            sizeof *recording->origins);
    recording->origins[number] = *found;
    recording->origins[number].type_id = origin.type;
    recording->origins[number].class = class;
}

/* Return the number of the row's origin. */
static uint32_t origin_of(oemp_state *state, const uint64_t *row, uint64_t line)
{
    oemp_recording *recording = state->recording;
    oemp_origin wanted = {.type = row[OEMP_TYPE],
                          .node = row[OEMP_NODE],
                          .line = row[OEMP_LINE],
                          .source = row[OEMP_SOURCE],
                          .name = row[OEMP_NAME],
                          .built_in = row[OEMP_BUILT_IN]};
    const uint64_t words[] = {wanted.node,   wanted.line, wanted.type,
                              wanted.source, wanted.name, wanted.built_in};
    uint64_t hash = mp_hash_words(words, 6);
    const oemp_origin *probe[2] = {recording->origins, &wanted};
    uint32_t *found =
        mp_hash_index_put(&recording->origin_index, hash, same_origin, (const void *)probe);
    if (!*found) {
        add_origin(state, &wanted, row, line);
        *found = (uint32_t)recording->heap.origin_count;
    }
    return *found;
}

/* Return true if the row equals the previous one. No recorder writes a row twice, so this is a
 * transmission error. */
static bool stands_twice(const oemp_state *state, const uint64_t *row)
{
    if (!state->before)
        return false;
    for (unsigned i = 0; i < OEMP_ROW; i++)
        if (OEMP_OBJECT_COLUMNS & 1u << i && state->before[i] != row[i])
            return false;
    return true;
}

static void object_row(oemp_state *state, const uint64_t *row, uint64_t line)
{
    oemp_recording *recording = state->recording;
    if (!good_size(state, row[OEMP_ID], row[OEMP_MEM], line))
        return;
    mp_birth birth = {.id = row[OEMP_ID],
                      .bytes = (int64_t)row[OEMP_MEM],
                      .time_us = (int64_t)row[OEMP_CREATED],
                      .owner = row[OEMP_SCOPE],
                      .origin = origin_of(state, row, line)};
    const oemp_origin *origin = &recording->origins[birth.origin];
    birth.idle = row[OEMP_TABLE] == 0 && origin->class == MP_TYPE_TEMP_TABLE;
    if ((int64_t)row[OEMP_CREATED] > state->latest_us)
        state->latest_us = (int64_t)row[OEMP_CREATED];
    if (mp_heap_birth(&recording->heap, &birth, line))
        return;
    /* version 1 lists changed objects among the new ones */
    if (stands_twice(state, row)) {
        mp_diagnose(state->diagnostics, MP_DIAG_OBJECT_EXISTS, state->path, line,
                    "the row of object %" PRIu64 " occurs twice; counted once", row[OEMP_ID]);
        return;
    }
    if (recording->version >= 2)
        mp_diagnose(state->diagnostics, MP_DIAG_OBJECT_EXISTS, state->path, line,
                    "object %" PRIu64 " is created but already alive; taken as a change",
                    row[OEMP_ID]);
    mp_heap_change(&recording->heap, birth.id, origin->type_id, birth.bytes, birth.idle, line);
}

/* Replay a batch. The memory for each row is prefetched some rows ahead. */
static void walk(const oemp_batch *batch,
                 void (*row)(oemp_state *state, const uint64_t *row, uint64_t line))
{
    enum { AHEAD = 16 };
    const uint64_t *place = batch->numbers;
    const mp_heap *heap = &batch->state->recording->heap;
    const bool owned = batch->replay == oemp_objects;
    for (size_t i = 0; i < batch->count; i++, place += batch->columns) {
        if (i + AHEAD < batch->count) {
            const uint64_t *ahead = place + AHEAD * batch->columns;
            mp_heap_prefetch(heap, ahead[OEMP_ID]);
            if (owned && ahead[OEMP_SCOPE])
                mp_heap_prefetch(heap, ahead[OEMP_SCOPE]);
        }
        row(batch->state, place, batch->line + i);
        batch->state->before = place;
    }
}

void oemp_objects(const oemp_batch *batch)
{
    oemp_state *state = batch->state;
    const uint64_t *last = batch->numbers + (batch->count - 1) * batch->columns;
    state->before = state->last_line + 1 == batch->line ? state->last : NULL;
    if (!state->skip)
        walk(batch, object_row);
    memcpy(state->last, last, sizeof state->last);
    state->last_line = batch->line + batch->count - 1;
}

static void changed_row(oemp_state *state, const uint64_t *row, uint64_t line)
{
    if (!good_size(state, row[OEMP_ID], row[OEMP_MEM], line))
        return;
    mp_type_id type = oemp_type(state, row[OEMP_TYPE], line);
    bool idle = row[OEMP_CHANGED_TABLE] == 0 &&
                state->model->types.items[type.i].class == MP_TYPE_TEMP_TABLE;
    if (!mp_heap_change(&state->recording->heap, row[OEMP_ID], type, (int64_t)row[OEMP_MEM], idle,
                        line))
        mp_diagnose(state->diagnostics, MP_DIAG_CHANGE_UNKNOWN, state->path, line,
                    "object %" PRIu64 " is changed but not alive: row skipped", row[OEMP_ID]);
}

void oemp_changed_objects(const oemp_batch *batch)
{
    if (!batch->state->skip)
        walk(batch, changed_row);
}

static void deleted_row(oemp_state *state, const uint64_t *row, uint64_t line)
{
    if ((int64_t)row[OEMP_DELETED_TIME] > state->latest_us)
        state->latest_us = (int64_t)row[OEMP_DELETED_TIME];
    if (!mp_heap_death(&state->recording->heap, row[OEMP_ID], (int64_t)row[OEMP_DELETED_TIME]))
        mp_diagnose(state->diagnostics, MP_DIAG_DELETE_UNKNOWN, state->path, line,
                    "object %" PRIu64 " is deleted but not alive: row skipped", row[OEMP_ID]);
}

void oemp_deleted_objects(const oemp_batch *batch)
{
    if (!batch->state->skip)
        walk(batch, deleted_row);
}
