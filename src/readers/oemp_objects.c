/* The objects of a recording: births, changes and deaths, from rows of numbers. Their origins are
 * looked up here; oemp_replay.c replays them. */
#include <inttypes.h>
#include <string.h>

#include "base/diagnose.h"
#include "model/build.h"
#include "readers/oemp_replay.h"

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

static inline bool equal(const oemp_origin *a, const oemp_origin *b)
{
    return ((a->node ^ b->node) | (a->line ^ b->line) | (a->type ^ b->type) |
            (a->source ^ b->source) | (a->name ^ b->name) | (a->built_in ^ b->built_in)) == 0;
}

static bool same_origin(const void *opaque, uint32_t value)
{
    const oemp_origin *const *probe = opaque;
    return equal(&probe[0][value], probe[1]);
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
    oemp_make_room(state, recording->heap.origin_count + 1, recording->heap.origin_capacity);
    uint32_t number = mp_heap_origin(&recording->heap, origin);
    mp_grow(&recording->origins, &recording->origin_capacity, number + 1u,
            sizeof *recording->origins);
    recording->origins[number] = *found;
    recording->origins[number].class = class;
}

static __attribute__((noinline)) uint32_t find_origin(oemp_state *state, const oemp_origin *wanted,
                                                      const uint64_t *row, uint64_t line)
{
    oemp_recording *recording = state->recording;
    const uint64_t words[] = {wanted->node,   wanted->line, wanted->type,
                              wanted->source, wanted->name, wanted->built_in};
    const oemp_origin *probe[2] = {recording->origins, wanted};
    uint32_t *found = mp_hash_index_put(&recording->origin_index, mp_hash_words(words, 6),
                                        same_origin, (const void *)probe);
    if (!*found) {
        add_origin(state, wanted, row, line);
        *found = (uint32_t)recording->heap.origin_count;
    }
    return *found;
}

/* Return the number of the row's origin. */
static uint32_t origin_of(oemp_state *state, const uint64_t *row, uint64_t line)
{
    oemp_recording *recording = state->recording;
    const oemp_origin wanted = {.type = row[OEMP_TYPE],
                                .node = row[OEMP_NODE],
                                .line = row[OEMP_LINE],
                                .source = row[OEMP_SOURCE],
                                .name = row[OEMP_NAME],
                                .built_in = row[OEMP_BUILT_IN]};
    /* rows of one origin are rarely adjacent, but a few origins make up most rows */
    const uint64_t mixed = wanted.node + (wanted.line << 16) + (wanted.type << 24) +
                           (wanted.source << 32) + (wanted.name << 40) + (wanted.built_in << 48);
    uint32_t *recent = &state->recent[mixed * mp_keys.even >> (64 - OEMP_RECENT_BITS)];
    if (!*recent || !equal(&recording->origins[*recent], &wanted))
        *recent = find_origin(state, &wanted, row, line);
    return *recent;
}

/* Return true if the row equals the previous one. No recorder writes a row twice, so this is a
 * transmission error. */
static bool stands_twice(const uint64_t *row, const uint64_t *before)
{
    for (unsigned i = 0; i < OEMP_ROW; i++)
        if (OEMP_OBJECT_COLUMNS & 1u << i && before[i] != row[i])
            return false;
    return true;
}

static void object_row(oemp_state *state, const uint64_t *row, const uint64_t *before,
                       uint64_t line)
{
    if (!good_size(state, row[OEMP_ID], row[OEMP_MEM], line))
        return;
    const uint32_t number = origin_of(state, row, line);
    mp_birth *birth = oemp_add(state, oemp_replay_births, sizeof *birth, line);
    *birth = (mp_birth){
        .id = row[OEMP_ID],
        .bytes = (int64_t)row[OEMP_MEM],
        .time_us = (int64_t)row[OEMP_CREATED],
        .owner = row[OEMP_SCOPE],
        .origin = number,
        .idle =
            row[OEMP_TABLE] == 0 && state->recording->origins[number].class == MP_TYPE_TEMP_TABLE,
        .repeated = before && stands_twice(row, before),
    };
    if (birth->time_us > state->latest_us)
        state->latest_us = birth->time_us;
}

void oemp_objects(oemp_state *state, const uint64_t *rows, size_t count, uint64_t line)
{
    const uint64_t *before = state->last_line + 1 == line ? state->last : NULL;
    for (size_t i = 0; i < count && !state->skip; i++) {
        object_row(state, rows + i * OEMP_ROW, before, line + i);
        before = rows + i * OEMP_ROW;
    }
    memcpy(state->last, rows + (count - 1) * OEMP_ROW, sizeof state->last);
    state->last_line = line + count - 1;
}

static void changed_row(oemp_state *state, const uint64_t *row, uint64_t line)
{
    if (!good_size(state, row[OEMP_ID], row[OEMP_MEM], line))
        return;
    const mp_type_id type = oemp_type(state, row[OEMP_TYPE], line);
    oemp_change *change = oemp_add(state, oemp_replay_changes, sizeof *change, line);
    *change = (oemp_change){.id = row[OEMP_ID],
                            .bytes = (int64_t)row[OEMP_MEM],
                            .type = type,
                            .idle = row[OEMP_CHANGED_TABLE] == 0 &&
                                    state->model->types.items[type.i].class == MP_TYPE_TEMP_TABLE};
}

void oemp_changed_objects(oemp_state *state, const uint64_t *rows, size_t count, uint64_t line)
{
    for (size_t i = 0; i < count && !state->skip; i++)
        changed_row(state, rows + i * OEMP_CHANGED_ROW, line + i);
}

void oemp_deleted_objects(oemp_state *state, const uint64_t *rows, size_t count, uint64_t line)
{
    for (size_t i = 0; i < count && !state->skip; i++, rows += OEMP_DELETED_ROW) {
        mp_death *death = oemp_add(state, oemp_replay_deaths, sizeof *death, line + i);
        *death = (mp_death){rows[OEMP_ID], (int64_t)rows[OEMP_DELETED_TIME]};
        if (death->time_us > state->latest_us)
            state->latest_us = death->time_us;
    }
}
