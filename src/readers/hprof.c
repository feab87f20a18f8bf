/* Java heap dumps (hprof), as HotSpot, OpenJ9 and Android write them: the records of a file.
 *
 * Sources: docs/formats/hprof.md. A file is a header and records; the records of the heap contain
 * further records: classes, objects and roots. A file is one dump; several files are dumps of one
 * program. If an object comes before its class, the file is read once more. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "readers/hprof.h"

/* Tags of records. */
enum {
    TEXT = 0x01,
    LOAD_CLASS = 0x02,
    FRAME = 0x04,
    TRACE = 0x05,
    HEAP_DUMP = 0x0c,
    CONTROL_SETTINGS = 0x0e,
    SEGMENT = 0x1c,
    HEAP_DUMP_END = 0x2c,
};

enum {
    VERSION = 19, /* bytes of the version, with its NUL */
    HEADER = 31,  /* bytes of the header: version, length of ids, milliseconds since 1970 */
};

/* --- names, and the code --- */

static bool read_text(hp_state *state)
{
    uint64_t id;
    if (!hp_take_id(state, &id))
        return false;
    const uint64_t length = state->cursor.room;
    const size_t kept = length < MP_LONGEST_NAME ? (size_t)length : MP_LONGEST_NAME;
    if (!mp_bytes_take(&state->cursor, kept))
        return false;
    uint32_t *place = mp_id_index_put(&state->texts_by_id, id);
    if (!*place) {
        *place = state->texts.count;
        const char *bytes = (const char *)state->cursor.next;
        *MP_ADD(&state->texts) = (mp_slice){mp_arena_copy(&state->arena, bytes, kept), kept};
    }
    state->cursor.next += kept;
    return true;
}

static bool read_load(hp_state *state)
{
    uint32_t serial, trace;
    uint64_t id, name;
    if (!mp_bytes_u32(&state->cursor, &serial) || !hp_take_id(state, &id) ||
        !mp_bytes_u32(&state->cursor, &trace) || !hp_take_id(state, &name))
        return false;
    const uint32_t number = hp_class_of(state, id);
    state->classes.items[number].name = name;
    *mp_id_index_put(&state->classes_by_serial, serial) = number;
    return true;
}

static bool read_frame(hp_state *state)
{
    hp_frame frame;
    uint64_t id, signature;
    uint32_t line;
    if (!hp_take_id(state, &id) || !hp_take_id(state, &frame.method) ||
        !hp_take_id(state, &signature) || !hp_take_id(state, &frame.source) ||
        !mp_bytes_u32(&state->cursor, &frame.class_serial) || !mp_bytes_u32(&state->cursor, &line))
        return false;
    frame.line = (int32_t)line;
    *mp_id_index_put(&state->frames_by_id, id) = state->frames.count;
    *MP_ADD(&state->frames) = frame;
    return true;
}

static bool read_trace(hp_state *state)
{
    uint32_t serial, thread, count;
    if (!mp_bytes_u32(&state->cursor, &serial) || !mp_bytes_u32(&state->cursor, &thread) ||
        !mp_bytes_u32(&state->cursor, &count))
        return false;
    hp_trace trace = {.first_frame = state->trace_frames.count};
    uint64_t id;
    for (; trace.frame_count < count && hp_take_id(state, &id); trace.frame_count++)
        *MP_ADD(&state->trace_frames) = id;
    *mp_id_index_put(&state->traces_by_serial, serial) = state->traces.count;
    if (thread)
        *mp_id_index_put(&state->traces_by_thread, thread) = state->traces.count;
    *MP_ADD(&state->traces) = trace;
    return trace.frame_count == count;
}

/* --- records --- */

/* Read the records that a record of the heap contains. */
static bool read_heap(hp_state *state, bool is_segment)
{
    if (state->dump_ended) {
        state->later_dumps += state->cursor.room > 0;
        return true;
    }
    state->begun = true;
    state->has_segments |= is_segment;
    state->dump_ended |= !is_segment;
    for (uint64_t tag; state->cursor.room && !state->too_large;)
        if (!mp_bytes_number(&state->cursor, 1, &tag) || !hp_read_heap_record(state, tag))
            return false;
    return true;
}

static bool read_record(hp_state *state, uint64_t tag)
{
    if (tag == SEGMENT || tag == HEAP_DUMP)
        return read_heap(state, tag == SEGMENT);
    state->dump_ended |= tag == HEAP_DUMP_END;
    if (state->again)
        return true;
    switch (tag) {
    case TEXT:
        return read_text(state);
    case LOAD_CLASS:
        return read_load(state);
    case FRAME:
        return read_frame(state);
    case TRACE:
        return read_trace(state);
    default:
        state->unknown_records += !tag || (tag > CONTROL_SETTINGS && tag != HEAP_DUMP_END);
        return true;
    }
}

/* Read all records, and skip what is damaged. Return true if the input ended after a record. */
static bool read_records(hp_state *state)
{
    mp_byte_cursor *cursor = &state->cursor;
    for (;;) {
        uint64_t tag, time, length = 0;
        cursor->room = UINT64_MAX;
        if (!mp_bytes_take(cursor, 1))
            return cursor->next == cursor->end;
        cursor->room = UINT64_MAX;
        const uint64_t offset = mp_bytes_offset(cursor);
        if (!mp_bytes_number(cursor, 1, &tag) || !mp_bytes_number(cursor, 4, &time) ||
            !mp_bytes_number(cursor, 4, &length))
            return false;
        cursor->room = length;
        const bool whole = read_record(state, tag);
        if (state->too_large)
            return true;
        if (!whole && !cursor->torn && !state->again && !state->bad_records++)
            state->bad_offset = offset;
        if (cursor->torn || !mp_bytes_skip(cursor, cursor->room))
            return false;
    }
}

/* Read the header. Return false if it is not a header, or names an unknown version. */
static bool read_header(hp_state *state)
{
    uint64_t bytes, stamp;
    state->cursor.room = UINT64_MAX;
    if (!mp_bytes_take(&state->cursor, HEADER))
        return false;
    state->cursor.room = HEADER;
    state->android = state->cursor.next[VERSION - 2] == '3';
    if (!mp_bytes_skip(&state->cursor, VERSION) || !mp_bytes_number(&state->cursor, 4, &bytes) ||
        !mp_bytes_number(&state->cursor, 8, &stamp))
        return false;
    state->id_bytes = bytes <= 8 ? (unsigned)bytes : 0;
    state->stamp = stamp <= INT64_MAX / 1000 ? (int64_t)stamp : -1;
    return true;
}

bool hp_read(hp_state *state)
{
    return read_header(state) && (state->id_bytes == 4 || state->id_bytes == 8) &&
           read_records(state);
}

/* --- one file --- */

static void begin_graph(hp_state *state)
{
    const mp_snapshot_id snapshot = {state->model->snapshots.count - 1};
    state->graph = mp_graph_begin(state->model, snapshot);
    mp_graph_domain(state->graph, (mp_string_id){0});
}

void hp_begin(hp_state *state, mp_dumps *dumps, mp_input *input)
{
    *state = (hp_state){.dumps = dumps, .model = dumps->model, .cursor.input = input, .stamp = -1};
    (void)MP_ADD(&state->texts);
    (void)MP_ADD(&state->classes);
    (void)MP_ADD(&state->frames);
    (void)MP_ADD(&state->traces);
    for (unsigned type = 4; type <= 11; type++) {
        state->primitives[type] = state->classes.count;
        MP_ADD(&state->classes)->element = "ZCFDBSIJ"[type - 4];
    }
}

void hp_end(hp_state *state)
{
    MP_FREE(state->texts.items, state->classes.items, state->places.items, state->place_names.items,
            state->numbers.items, state->links.items, state->statics.items, state->frames.items,
            state->traces.items, state->trace_frames.items, state->chain.items);
    mp_id_index_free(&state->texts_by_id);
    mp_id_index_free(&state->classes_by_id);
    mp_id_index_free(&state->classes_by_serial);
    mp_id_index_free(&state->frames_by_id);
    mp_id_index_free(&state->traces_by_serial);
    mp_id_index_free(&state->traces_by_thread);
    mp_arena_free(&state->arena);
}

bool hp_read_again(hp_state *state)
{
    if (state->graph) {
        mp_graph_drop(state->graph);
        begin_graph(state);
    }
    state->again = true;
    state->late = state->dump_ended = false;
    state->objects = state->later_dumps = state->weak_references = state->bad_instances = 0;
    state->cursor = (mp_byte_cursor){.input = state->cursor.input};
    return mp_input_rewind(state->cursor.input) && hp_read(state);
}

/* Report what contradicts the format. */
static void say_what_was_odd(const hp_state *state)
{
    const mp_dumps *dumps = state->dumps;
    if (state->bad_records)
        MP_TELL_DUMP(dumps, DAMAGED_SNAPSHOT,
                     "has %" PRIu64 " malformed records, the first at byte %" PRIu64
                     ": what they have up to there is used",
                     state->bad_records, state->bad_offset);
    if (state->unknown_records)
        MP_TELL_DUMP(dumps, DAMAGED_SNAPSHOT,
                     "has %" PRIu64 " records of unknown kinds, which are skipped",
                     state->unknown_records);
    if (state->later_dumps)
        MP_TELL_DUMP(dumps, DAMAGED_SNAPSHOT,
                     "has further heap dumps after the first; only the first is used");
    if (state->bad_instances)
        MP_TELL_DUMP(dumps, DAMAGED_SNAPSHOT,
                     "has %" PRIu64 " instances whose length is not that of the fields of their "
                     "class; their references are unknown",
                     state->bad_instances);
    if (state->classless)
        MP_TELL_DUMP(dumps, DAMAGED_SNAPSHOT,
                     "has %" PRIu64 " instances of classes that are not in the file; their "
                     "references are unknown",
                     state->classless);
    if (state->missing_supers)
        MP_TELL_DUMP(dumps, DAMAGED_SNAPSHOT,
                     "has %" PRIu64 " classes whose superclass is not in the file, or is derived "
                     "from them",
                     state->missing_supers);
    mp_dumps_tell_ids(dumps);
}

/* Refuse a file whose header is not known, or that has no objects. The graph is dropped. */
static bool refuse(hp_state *state)
{
    const mp_dumps *dumps = state->dumps;
    if (!state->id_bytes || (state->id_bytes != 4 && state->id_bytes != 8))
        MP_TELL_DUMP(dumps, NOTHING_USABLE,
                     "does not state the length of its ids, expected 4 or 8 bytes");
    else if (state->too_large)
        MP_TELL_DUMP(dumps, NOTHING_USABLE, "has sizes that 64 bits cannot add up");
    else if (!state->objects)
        MP_TELL_DUMP(dumps, NOTHING_USABLE,
                     state->begun ? "has no object in it; write the dump again"
                                  : "ends before its heap dump; write the dump again");
    else
        return false;
    mp_graph_drop(state->graph);
    return true;
}

/* Resolve the references, and enter the live objects into the model. */
static bool finish(hp_state *state, bool whole)
{
    mp_dumps *dumps = state->dumps;
    if (refuse(state))
        return false;
    hp_add_classes(state);
    if (!mp_graph_end(state->graph)) {
        mp_dumps_tell_too_many(dumps);
        return false;
    }
    hp_finish_graph(state, whole);
    mp_snapshot *snapshot = mp_dumps_end(dumps, state->stamp);
    if (state->stamp > dumps->first_stamp)
        snapshot->time_us = (state->stamp - dumps->first_stamp) * 1000;
    say_what_was_odd(state);
    return true;
}

static bool read_hprof(void *opaque, mp_input *input, uint32_t summary)
{
    mp_dumps *dumps = opaque;
    hp_state state;
    (void)mp_dumps_begin(dumps, summary);
    hp_begin(&state, dumps, input);
    begin_graph(&state);
    bool whole = mp_input_keep(input) && hp_read(&state);
    if (state.late)
        whole = hp_read_again(&state) && whole;
    whole = whole && mp_input_is_whole(input) && (state.dump_ended || !state.has_segments);
    mp_input_consume(input, (size_t)(state.cursor.next - state.cursor.start));
    const bool usable = finish(&state, whole);
    if (usable && !whole)
        MP_TELL_DUMP(
            dumps, TORN,
            "the dump is truncated: later objects and roots are missing; the existing part "
            "is used");
    mp_input_summary *sum = &dumps->model->inputs.items[summary];
    sum->records = state.objects;
    sum->complete = usable && whole;
    hp_end(&state);
    return usable;
}

/* --- the reader --- */

static mp_bid probe(mp_slice head)
{
    static const char *const begins[] = {"JAVA PROFILE 1.0.1", "JAVA PROFILE 1.0.2",
                                         "JAVA PROFILE 1.0.3"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) /* in text files, text follows */
        if (head.length >= VERSION && !head.start[VERSION - 1] && mp_slice_starts(head, begins[i]))
            return MP_MINE;
    return MP_NOT_MINE;
}

/* Set the stamp: milliseconds of the recorder's clock. */
static bool place_hprof(mp_slice head, mp_place *place)
{
    place->stamped = head.length >= HEADER;
    for (size_t i = HEADER - 4; place->stamped && i < HEADER; i++)
        place->stamp = place->stamp << 8 | (unsigned char)head.start[i];
    return false;
}

const mp_reader mp_reader_hprof = {
    .name = "hprof",
    .summary = "Java heap dump (HotSpot, OpenJ9, Android)",
    .endings = ".hprof",
    .versions = "1.0.1-1.0.3",
    .kind = MP_KIND_DUMP,
    .probe = probe,
    .place = place_hprof,
    .open = mp_dumps_open,
    .read = read_hprof,
    .close = mp_dumps_close,
    .name_references = hp_name_references,
    .read_contents = hp_read_contents,
};
