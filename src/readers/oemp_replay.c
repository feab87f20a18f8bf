#include "readers/oemp_replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <uuid/uuid.h>

#include "model/build.h"
#include "support/text.h"

bool oemp_is_nil(mp_slice text)
{
    return text.length == 0 || mp_slice_is(text, "?") || mp_slice_is(text, "??:??");
}

static mp_string_id intern(oemp_state *state, mp_slice text)
{
    return oemp_is_nil(text) ? (mp_string_id){0}
                             : mp_model_intern(state->model, text, &state->converted);
}

static uint32_t line_of(uint64_t number)
{
    return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

/* --- recordings and their headers --- */

/* "2022-02-01T08:01:39.967+05:00" in microseconds since 1970, UTC; 0 if it is not of that form. */
static int64_t parse_stamp(const char *text)
{
    struct tm tm = {0};
    int millis = 0, hours = 0, minutes = 0, used = 0;
    char sign = '+';
    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
               &tm.tm_min, &tm.tm_sec, &used) < 6)
        return 0;
    text += used;
    if (*text == '.') {
        sscanf(text, ".%3d%n", &millis, &used);
        text += used;
    }
    if (sscanf(text, "%c%2d:%2d", &sign, &hours, &minutes) < 3)
        hours = minutes = 0;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    int64_t offset = (int64_t)hours * 3600 + (int64_t)minutes * 60;
    int64_t seconds = timegm(&tm) - (sign == '-' ? -offset : offset);
    return seconds * 1000000 + (int64_t)millis * 1000;
}

/* The UUID in its usual form, or whatever the file has in its place. */
static mp_string_id parse_uuid(oemp_state *state, mp_slice text, uint64_t line)
{
    char given[40], canonical[UUID_STR_LEN];
    uuid_t uuid;
    snprintf(given, sizeof given, "%.*s", (int)(text.length < 39 ? text.length : 39), text.at);
    if (text.length < sizeof given && uuid_parse(given, uuid) == 0) {
        uuid_unparse_lower(uuid, canonical);
        return mp_model_intern_text(state->model, canonical);
    }
    mp_diagnose(state->diagnostics, MP_DIAG_BAD_UUID, state->path, line,
                "\"%s\" is not a UUID, expected 32 hexadecimal digits with dashes", given);
    return mp_model_intern(state->model, text, &state->converted);
}

static void fill_session(oemp_state *state, oemp_recording *recording, const oemp_value *row)
{
    mp_session *session = &state->model->sessions.at[recording->heap.session.i];
    session->uuid = recording->identity;
    session->process_id = row[1].number;
    session->has_process_id = true;
    session->start_time = intern(state, row[3].text);
    session->session_id = intern(state, row[4].text);
    session->propath = intern(state, row[10].text);
    session->application = intern(state, row[12].text);
    session->start_us = parse_stamp(mp_model_text(state->model, session->start_time));
    session->reusable_apart = recording->version >= 2;
    if (recording->version >= 2) {
        session->openedge_version = intern(state, row[15].text);
        session->instance = intern(state, row[16].text);
        session->description = intern(state, row[17].text);
    }
}

static oemp_recording *recording_of(oemp_state *state, const oemp_value *row, uint64_t line)
{
    mp_string_id identity = parse_uuid(state, row[9].text, line);
    oemp_recording **end = &state->recordings;
    for (; *end; end = &(*end)->next)
        if ((*end)->identity.i == identity.i)
            return *end;
    oemp_recording *recording = mp_alloc_zero(1, sizeof *recording);
    *end = recording;
    recording->identity = identity;
    recording->version = (unsigned)row[0].number;
    (void)MP_ADD(&state->model->sessions);
    mp_session_id session = {state->model->sessions.count - 1};
    mp_heap_open(&recording->heap, state->model, session, state->diagnostics);
    fill_session(state, recording, row);
    return recording;
}

static void check_sequence(oemp_state *state, const oemp_recording *recording, uint64_t line)
{
    uint64_t last = recording->last_sequence;
    if (state->sequence <= last) {
        state->skip = true;
        mp_diagnose(state->diagnostics, MP_DIAG_DUPLICATE_SNAPSHOT, state->path, line,
                    "snapshot %" PRIu64 " comes after snapshot %" PRIu64
                    ", expected a later one: left out",
                    state->sequence, last);
    } else if (state->sequence != last + 1) {
        mp_diagnose(state->diagnostics, MP_DIAG_SEQUENCE_GAP, state->path, line,
                    "snapshot %" PRIu64 " comes after snapshot %" PRIu64 ", expected %" PRIu64
                    ": the changes between them are missing",
                    state->sequence, last, last + 1);
    }
}

void oemp_header(oemp_state *state, const oemp_value *row, uint64_t line)
{
    oemp_recording *recording = recording_of(state, row, line);
    state->recording = recording;
    state->skip = false;
    state->latest_us = 0;
    state->sequence = row[2].number;
    state->tag = intern(state, row[5].text);
    recording->heap.path = state->path;
    if (recording->started)
        check_sequence(state, recording, line);
    else if (state->sequence > 1)
        mp_diagnose(state->diagnostics, MP_DIAG_SEQUENCE_GAP, state->path, line,
                    "recording starts with snapshot %" PRIu64
                    ", expected 1: give the files before it too",
                    state->sequence);
    if (state->skip)
        return;

    mp_mark *mark = mp_heap_begin(&recording->heap);
    mark->sequence = state->sequence;
    mark->tag = state->tag;
    mark->request = intern(state, row[6].text);
    mark->request_start_us = (int64_t)row[8].number;
    mark->propath = intern(state, row[10].text);
    mark->overhead_bytes = (int64_t)row[11].number;
    mark->request_api = intern(state, row[13].text);
    mark->cpu_hundredths = (int64_t)row[14].number;
    mark->line = line;
    recording->platform_bytes = 0;
    recording->platform_seen = false;
}

/* --- ids --- */

/* An id is used before it is defined: remember where, in case no definition comes. */
static void refer(oemp_state *state, mp_diagnostic_id kind, uint32_t target, uint64_t number,
                  uint64_t line)
{
    oemp_recording *recording = state->recording;
    mp_grow(&recording->references, &recording->reference_capacity, recording->reference_count + 1,
            sizeof *recording->references);
    recording->references[recording->reference_count++] =
        (oemp_reference){kind, target, number, line, state->path};
}

static mp_type_id type_of(oemp_state *state, uint64_t number, uint64_t line)
{
    oemp_recording *recording = state->recording;
    uint32_t found = mp_id_index_get(&recording->types, number);
    if (!found) {
        *MP_ADD(&state->model->types) = (mp_type){.number = number};
        found = state->model->types.count - 1;
        *mp_id_index_put(&recording->types, number) = found;
        refer(state, MP_DIAG_UNDEFINED_TYPE, found, number, line);
    }
    return (mp_type_id){found};
}

static mp_symbol_id symbol_of(oemp_state *state, mp_id_index *ids, uint64_t number, uint64_t line)
{
    uint32_t found = mp_id_index_get(ids, number);
    if (!found) {
        *MP_ADD(&state->model->symbols) = (mp_symbol){.number = number};
        found = state->model->symbols.count - 1;
        *mp_id_index_put(ids, number) = found;
        if (line)
            refer(state, MP_DIAG_UNDEFINED_NAME, found, number, line);
    }
    return (mp_symbol_id){found};
}

static mp_node_id node_of(oemp_state *state, uint64_t number, uint64_t line)
{
    oemp_recording *recording = state->recording;
    if (number == 0)
        return (mp_node_id){0};
    uint32_t found = mp_id_index_get(&recording->nodes, number);
    if (!found) {
        *MP_ADD(&state->model->nodes) = (mp_node){.number = number};
        found = state->model->nodes.count - 1;
        *mp_id_index_put(&recording->nodes, number) = found;
        if (line)
            refer(state, MP_DIAG_UNDEFINED_NODE, found, number, line);
    }
    return (mp_node_id){found};
}

static void redefined(oemp_state *state, const char *what, uint64_t number, uint64_t line)
{
    mp_diagnose(state->diagnostics, MP_DIAG_REDEFINED, state->path, line,
                "%s %" PRIu64 " is defined again as something else, expected it never to change: "
                "the first definition stays",
                what, number);
}

/* --- catalogues, names and nodes --- */

/* The types that the document or the vendor's catalogue gives a meaning, by name. */
static mp_type_class class_of(mp_slice name)
{
    static const struct {
        const char *name;
        mp_type_class class;
    } known[] = {
        {"Procedure", MP_TYPE_CODE},
        {"OOABL Obj", MP_TYPE_CODE},
        {"OOABL Static Obj", MP_TYPE_CODE},
        {"Reusable Obj", MP_TYPE_REUSABLE},
        {"OO Builtin", MP_TYPE_BUILT_IN},
        {"Widget Pool", MP_TYPE_WIDGET_POOL},
        {"Named Widget Pool", MP_TYPE_WIDGET_POOL},
        {"Temp-table", MP_TYPE_TEMP_TABLE},
        {"Dynamic Temp-table", MP_TYPE_TEMP_TABLE},
        {"Auto Dynamic Temp-table", MP_TYPE_TEMP_TABLE},
        {"Global Shared Temp-Table", MP_TYPE_TEMP_TABLE},
        {"OO Static Temp-table", MP_TYPE_TEMP_TABLE},
        {"MEMPTR", MP_TYPE_RAW_MEMORY},
        {"Large Object", MP_TYPE_RAW_MEMORY},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (mp_slice_is(name, known[i].name))
            return known[i].class;
    return MP_TYPE_ORDINARY;
}

void oemp_type_catalogue(oemp_state *state, const oemp_value *row, uint64_t line)
{
    uint32_t *place = mp_id_index_put(&state->recording->types, row[1].number);
    mp_string_id name = intern(state, row[0].text);
    if (*place && state->model->types.at[*place].name.i) {
        if (state->model->types.at[*place].name.i != name.i)
            redefined(state, "type", row[1].number, line);
        return;
    }
    if (!*place) {
        (void)MP_ADD(&state->model->types);
        *place = state->model->types.count - 1;
    }
    state->model->types.at[*place] =
        (mp_type){.name = name, .number = row[1].number, .class = class_of(row[0].text)};
}

static void define_symbol(oemp_state *state, mp_id_index *ids, const char *what, uint64_t number,
                          mp_slice text, uint32_t start_line, uint64_t line)
{
    mp_symbol_id id = symbol_of(state, ids, number, 0);
    mp_symbol *symbol = &state->model->symbols.at[id.i];
    mp_string_id name = intern(state, text);
    if (symbol->name.i && (symbol->name.i != name.i || symbol->start_line != start_line)) {
        redefined(state, what, number, line);
        return;
    }
    symbol->name = name;
    symbol->start_line = start_line;
}

void oemp_built_in_catalogue(oemp_state *state, const oemp_value *row, uint64_t line)
{
    define_symbol(state, &state->recording->built_ins, "built-in class", row[1].number, row[0].text,
                  0, line);
}

void oemp_source_name(oemp_state *state, const oemp_value *row, uint64_t line)
{
    define_symbol(state, &state->recording->sources, "source", row[0].number, row[1].text,
                  line_of(row[2].number), line);
}

void oemp_other_name(oemp_state *state, const oemp_value *row, uint64_t line)
{
    define_symbol(state, &state->recording->names, "name", row[0].number, row[1].text, 0, line);
}

void oemp_node(oemp_state *state, const oemp_value *row, uint64_t line)
{
    if (row[0].number == 0) {
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, line,
                    "call-tree node 0 is the session itself, expected a number from 1: row "
                    "skipped");
        return;
    }
    mp_node_id parent = node_of(state, row[2].number, line);
    if (parent.i && !state->model->nodes.at[parent.i].defined)
        mp_diagnose(state->diagnostics, MP_DIAG_PARENT_ORDER, state->path, line,
                    "call-tree node %" PRIu64 " comes before its caller, node %" PRIu64
                    ", expected callers first",
                    row[0].number, row[2].number);
    mp_symbol_id symbol = symbol_of(state, &state->recording->sources, row[1].number, line);
    mp_node_id id = node_of(state, row[0].number, 0);
    mp_node *node = &state->model->nodes.at[id.i];
    mp_node defined = {.parent = parent,
                       .symbol = symbol,
                       .line = line_of(row[3].number),
                       .defined = true,
                       .number = row[0].number};
    if (node->defined &&
        (node->parent.i != parent.i || node->symbol.i != symbol.i || node->line != defined.line))
        redefined(state, "call-tree node", row[0].number, line);
    else
        *node = defined;
}

/* --- platform memory --- */

void oemp_platform_catalogue(oemp_state *state, const oemp_value *row, uint64_t line)
{
    mp_model *model = state->model;
    uint32_t *place = mp_id_index_put(&state->recording->platforms, row[1].number);
    mp_string_id name = intern(state, row[0].text);
    if (*place && model->platforms.at[*place].i != name.i)
        redefined(state, "platform object", row[1].number, line);
    for (uint32_t i = 1; !*place && i < model->platforms.count; i++)
        if (model->platforms.at[i].i == name.i)
            *place = i; /* another recording has it too */
    if (!*place) {
        *MP_ADD(&model->platforms) = name;
        *place = model->platforms.count - 1;
    }
}

void oemp_platform_data(oemp_state *state, const oemp_value *row, uint64_t line)
{
    oemp_recording *recording = state->recording;
    int64_t bytes = (int64_t)row[1].number;
    if (state->skip)
        return;
    if (bytes < 0 || bytes > INT64_MAX / 1024) {
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, line,
                    "platform object %" PRIu64 " has %" PRId64
                    " bytes, expected a size: row skipped",
                    row[0].number, bytes);
        return;
    }
    uint32_t platform = mp_id_index_get(&recording->platforms, row[0].number);
    if (!platform)
        mp_diagnose(state->diagnostics, MP_DIAG_UNDEFINED_PLATFORM, state->path, line,
                    "platform object %" PRIu64
                    " is not in the catalogue: its bytes count, without a name",
                    row[0].number);
    *MP_ADD(&state->model->platform_samples) =
        (mp_platform_sample){.mark = recording->heap.mark,
                             .platform = {platform},
                             .bytes = bytes,
                             .block_bytes = (int64_t)row[2].number,
                             .pool_bytes = (int64_t)row[3].number};
    recording->platform_bytes += bytes;
    recording->platform_seen = true;
}

/* --- objects --- */

/* The document's rule for an object's name: code by its source; anything else by its own name, if
 * it has one; a built-in without one by its class. */
static mp_symbol_id name_of(oemp_state *state, mp_type_class class, const uint64_t *row,
                            uint64_t line)
{
    oemp_recording *recording = state->recording;
    bool code = class == MP_TYPE_CODE || class == MP_TYPE_REUSABLE;
    if (!code && row[OEMP_NAME])
        return symbol_of(state, &recording->names, row[OEMP_NAME], line);
    if (class == MP_TYPE_BUILT_IN && row[OEMP_BUILT_IN])
        return symbol_of(state, &recording->built_ins, row[OEMP_BUILT_IN], line);
    if (row[OEMP_SOURCE])
        return symbol_of(state, &recording->sources, row[OEMP_SOURCE], line);
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

static bool same_origin(const void *context, uint32_t value)
{
    const oemp_origin *const *probe = context;
    const oemp_origin *a = &probe[0][value], *b = probe[1];
    return a->node == b->node && a->line == b->line && a->type == b->type &&
           a->source == b->source && a->name == b->name && a->built_in == b->built_in;
}

/* An origin that was not met before: look its ids up. */
static void add_origin(oemp_state *state, const oemp_origin *found, const uint64_t *row,
                       uint64_t line)
{
    oemp_recording *recording = state->recording;
    mp_origin origin = {.type = type_of(state, row[OEMP_TYPE], line),
                        .node = node_of(state, row[OEMP_NODE], line),
                        .line = line_of(row[OEMP_LINE])};
    mp_type_class class = state->model->types.at[origin.type.i].class;
    origin.name = name_of(state, class, row, line);
    uint32_t number = mp_heap_origin(&recording->heap, origin);
    mp_grow(&recording->origins, &recording->origin_capacity, number + 1u,
            sizeof *recording->origins);
    recording->origins[number] = *found;
    recording->origins[number].type_id = origin.type;
    recording->origins[number].class = class;
}

/* The number of the row's origin. */
static uint32_t origin_of(oemp_state *state, const uint64_t *row, uint64_t line)
{
    oemp_recording *recording = state->recording;
    oemp_origin wanted = {.type = row[OEMP_TYPE],
                          .node = row[OEMP_NODE],
                          .line = row[OEMP_LINE],
                          .source = row[OEMP_SOURCE],
                          .name = row[OEMP_NAME],
                          .built_in = row[OEMP_BUILT_IN]};
    uint64_t hash = (wanted.node << 20 ^ wanted.line << 40 ^ wanted.type) * 0x9e3779b97f4a7c15u;
    hash ^= (wanted.source << 40 ^ wanted.name << 20 ^ wanted.built_in) * 0xc2b2ae3d27d4eb4fu;
    hash ^= hash >> 32;
    const oemp_origin *probe[2] = {recording->origins, &wanted};
    size_t place;
    uint32_t found = mp_hash_index_find(&recording->origin_index, hash, same_origin,
                                        (const void *)probe, &place);
    if (!found) {
        add_origin(state, &wanted, row, line);
        found = (uint32_t)recording->heap.origin_count;
        mp_hash_index_set(&recording->origin_index, place, hash, found);
    }
    return found;
}

static void object_row(oemp_state *state, const uint64_t *row, uint64_t line)
{
    oemp_recording *recording = state->recording;
    if (!good_size(state, row[OEMP_ID], row[OEMP_MEM], line))
        return;
    mp_birth birth = {.id = row[OEMP_ID],
                      .bytes = (int64_t)row[OEMP_MEM],
                      .owner = row[OEMP_SCOPE],
                      .origin = origin_of(state, row, line)};
    const oemp_origin *origin = &recording->origins[birth.origin];
    birth.idle = row[OEMP_TABLE] == 0 && origin->class == MP_TYPE_TEMP_TABLE;
    if ((int64_t)row[OEMP_CREATED] > state->latest_us)
        state->latest_us = (int64_t)row[OEMP_CREATED];
    if (mp_heap_birth(&recording->heap, &birth, line))
        return;
    /* Version 1 writes changed objects among the new ones. */
    if (recording->version >= 2)
        mp_diagnose(state->diagnostics, MP_DIAG_OBJECT_EXISTS, state->path, line,
                    "object %" PRIu64 " is created but alive already: taken as a change",
                    row[OEMP_ID]);
    mp_heap_change(&recording->heap, birth.id, origin->type_id, birth.bytes, birth.idle);
}

/* Walk a batch; what each row will touch is fetched some rows ahead of it. */
static void walk(const oemp_batch *batch,
                 void (*row)(oemp_state *state, const uint64_t *row, uint64_t line))
{
    enum { AHEAD = 16 };
    const uint64_t *at = batch->numbers;
    for (size_t i = 0; i < batch->count; i++, at += batch->columns) {
        if (i + AHEAD < batch->count)
            mp_heap_prefetch(&batch->state->recording->heap, at[AHEAD * batch->columns + OEMP_ID]);
        row(batch->state, at, batch->line + i);
    }
}

void oemp_objects(const oemp_batch *batch)
{
    if (!batch->state->skip)
        walk(batch, object_row);
}

static void changed_row(oemp_state *state, const uint64_t *row, uint64_t line)
{
    if (!good_size(state, row[OEMP_ID], row[OEMP_MEM], line))
        return;
    mp_type_id type = type_of(state, row[OEMP_TYPE], line);
    bool idle =
        row[OEMP_CHANGED_TABLE] == 0 && state->model->types.at[type.i].class == MP_TYPE_TEMP_TABLE;
    if (!mp_heap_change(&state->recording->heap, row[OEMP_ID], type, (int64_t)row[OEMP_MEM], idle))
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
    if (!mp_heap_death(&state->recording->heap, row[OEMP_ID]))
        mp_diagnose(state->diagnostics, MP_DIAG_DELETE_UNKNOWN, state->path, line,
                    "object %" PRIu64 " is deleted but not alive: row skipped", row[OEMP_ID]);
}

void oemp_deleted_objects(const oemp_batch *batch)
{
    if (!batch->state->skip)
        walk(batch, deleted_row);
}

/* --- trailer --- */

enum {
    TIME,
    COUNT,
    BYTES,
    PLATFORM,
    PEAK,
    HIERARCHY,
    UNUSED_G,
    REUSE_COUNT,
    REUSE_BYTES,
    TAG,
    SEQ
};

static void hold(oemp_state *state, mp_diagnostic_id id, uint64_t line, const char *what,
                 uint64_t stated, int64_t replayed)
{
    if ((int64_t)stated != replayed)
        mp_diagnose(state->diagnostics, id, state->path, line,
                    "trailer of snapshot %" PRIu64 " states %" PRId64 " %s, the rows give %" PRId64,
                    state->sequence, (int64_t)stated, what, replayed);
}

static void hold_trailer(oemp_state *state, const oemp_value *row, uint64_t line)
{
    oemp_recording *recording = state->recording;
    const mp_heap *heap = &recording->heap;
    hold(state, MP_DIAG_TRAILER_OBJECTS, line, "objects", row[COUNT].number, heap->live_objects);
    hold(state, MP_DIAG_TRAILER_BYTES, line, "bytes of objects", row[BYTES].number,
         heap->live_bytes);
    if (recording->platform_seen)
        hold(state, MP_DIAG_TRAILER_PLATFORM, line, "bytes of platform memory",
             row[PLATFORM].number, recording->platform_bytes);
    if (heap->live_objects > recording->most_live)
        recording->most_live = heap->live_objects;
    if ((int64_t)row[PEAK].number < recording->most_live)
        mp_diagnose(state->diagnostics, MP_DIAG_TRAILER_PEAK, state->path, line,
                    "trailer of snapshot %" PRIu64 " states a peak of %" PRId64
                    " objects, the rows give at least %" PRId64,
                    state->sequence, (int64_t)row[PEAK].number, recording->most_live);
    if (recording->started && (int64_t)row[TIME].number < recording->last_time_us)
        mp_diagnose(state->diagnostics, MP_DIAG_TIME_ORDER, state->path, line,
                    "snapshot %" PRIu64 " is of %" PRIu64 " us, expected a time after %" PRId64,
                    state->sequence, row[TIME].number, recording->last_time_us);
    if ((int64_t)row[TIME].number < state->latest_us)
        mp_diagnose(state->diagnostics, MP_DIAG_TIME_ORDER, state->path, line,
                    "snapshot %" PRIu64 " is of %" PRIu64
                    " us and has an object created or deleted at %" PRId64 " us, after it",
                    state->sequence, row[TIME].number, state->latest_us);
    if (recording->version < 2)
        return;
    hold(state, MP_DIAG_TRAILER_REUSABLE, line, "reusable objects", row[REUSE_COUNT].number,
         heap->reusable_objects);
    hold(state, MP_DIAG_TRAILER_REUSABLE, line, "bytes of reusable objects",
         row[REUSE_BYTES].number, heap->reusable_bytes);
    if (row[SEQ].number != state->sequence || intern(state, row[TAG].text).i != state->tag.i)
        mp_diagnose(state->diagnostics, MP_DIAG_TRAILER_HEADER, state->path, line,
                    "trailer is of snapshot %" PRIu64 " \"%.*s\", expected that of its header, "
                    "%" PRIu64 " \"%s\"",
                    row[SEQ].number, (int)row[TAG].text.length, row[TAG].text.at, state->sequence,
                    mp_model_text(state->model, state->tag));
}

void oemp_trailer(oemp_state *state, const oemp_value *row, uint64_t line)
{
    oemp_recording *recording = state->recording;
    if (state->skip)
        return;
    mp_heap_settle(&recording->heap);
    hold_trailer(state, row, line);
    mp_mark *mark = mp_heap_begin(&recording->heap);
    mark->time_us = (int64_t)row[TIME].number;
    mark->stated_peak_objects = (int64_t)row[PEAK].number;
    mark->class_depth = (int64_t)row[HIERARCHY].number;
    mark->has_platform = true;
    mark->platform_bytes =
        recording->platform_seen ? recording->platform_bytes : (int64_t)row[PLATFORM].number;
    recording->last_time_us = mark->time_us;
}

void oemp_snapshot_end(oemp_state *state, uint64_t line)
{
    oemp_recording *recording = state->recording;
    if (state->skip)
        return;
    mp_heap_end(&recording->heap);
    recording->started = true;
    recording->last_sequence = state->sequence;
    recording->last_tag = state->tag;
    recording->last_input = state->summary;
    recording->last_line = line;
}

/* --- the end of all inputs --- */

static bool is_defined(const mp_model *model, const oemp_reference *reference)
{
    switch (reference->kind) {
    case MP_DIAG_UNDEFINED_TYPE:
        return model->types.at[reference->target].name.i != 0;
    case MP_DIAG_UNDEFINED_NODE:
        return model->nodes.at[reference->target].defined;
    default:
        return model->symbols.at[reference->target].name.i != 0;
    }
}

static void report_undefined(oemp_state *state, const oemp_recording *recording)
{
    for (size_t i = 0; i < recording->reference_count; i++) {
        const oemp_reference *reference = &recording->references[i];
        const char *what = reference->kind == MP_DIAG_UNDEFINED_TYPE   ? "type"
                           : reference->kind == MP_DIAG_UNDEFINED_NODE ? "call-tree node"
                                                                       : "name";
        if (!is_defined(state->model, reference))
            mp_diagnose(state->diagnostics, reference->kind, reference->path, reference->line,
                        "%s %" PRIu64 " is used here and never defined", what, reference->number);
    }
}

static void recording_free(oemp_recording *recording)
{
    mp_heap_close(&recording->heap);
    mp_id_index_free(&recording->types);
    mp_id_index_free(&recording->sources);
    mp_id_index_free(&recording->names);
    mp_id_index_free(&recording->built_ins);
    mp_id_index_free(&recording->nodes);
    mp_id_index_free(&recording->platforms);
    mp_hash_index_free(&recording->origin_index);
    free(recording->origins);
    free(recording->references);
    free(recording);
}

void oemp_finish(oemp_state *state)
{
    while (state->recordings) {
        oemp_recording *recording = state->recordings;
        state->recordings = recording->next;
        mp_input_summary *input = &state->model->inputs.at[recording->last_input];
        const char *tag = mp_model_text(state->model, recording->last_tag);
        if (recording->started && input->complete && !mp_text_is(tag, "_Exit")) {
            input->complete = false;
            mp_diagnose(state->diagnostics, MP_DIAG_UNFINISHED, input->path, recording->last_line,
                        "recording ends with snapshot %" PRIu64
                        ", expected one tagged _Exit: the process was still running or was killed",
                        recording->last_sequence);
        }
        report_undefined(state, recording);
        recording_free(recording);
    }
}
