/* Recordings and their snapshots: headers, trailers, and checks after all inputs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uuid/uuid.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "base/units.h"
#include "model/build.h"
#include "readers/oemp_replay.h"

/* --- recordings and their headers --- */

/* Return the UUID in canonical form. If it is invalid, report a diagnostic and return the file's
 * text. */
static mp_string_id parse_uuid(oemp_state *state, mp_slice text, uint64_t line)
{
    char given[40], canonical[UUID_STR_LEN];
    uuid_t uuid;
    snprintf(given, sizeof given, "%.*s", (int)(text.length < 39 ? text.length : 39), text.start);
    if (text.length < sizeof given && uuid_parse(given, uuid) == 0) {
        uuid_unparse_lower(uuid, canonical);
        return mp_model_intern_text(state->model, canonical);
    }
    mp_diagnose(state->diagnostics, MP_DIAG_BAD_UUID, state->path, line,
                "\"%s\" is not a UUID, expected 32 hexadecimal digits with dashes", given);
    return mp_model_intern(state->model, text);
}

static void fill_session(oemp_state *state, oemp_recording *recording, const oemp_value *row)
{
    mp_recorded_session *session = &state->model->sessions.items[recording->heap.session.i];
    session->uuid = oemp_intern(state, row[9].text).i ? recording->identity : (mp_string_id){0};
    session->process_id = row[1].number;
    session->has_process_id = true;
    session->start_time = oemp_intern(state, row[3].text);
    session->session_id = oemp_intern(state, row[4].text);
    session->propath = oemp_intern(state, row[10].text);
    session->application = oemp_intern(state, row[12].text);
    const char *started = mp_model_text(state->model, session->start_time);
    if (!mp_parse_stamp(started, &session->start_us))
        session->start_us = 0;
    session->reusable_apart = recording->version >= 2;
    if (recording->version >= 2) {
        session->openedge_version = oemp_intern(state, row[15].text);
        session->instance = oemp_intern(state, row[16].text);
        session->description = oemp_intern(state, row[17].text);
    }
}

/* Return the identity of the recording: its UUID or, without one, its process, session and
 * start. */
static mp_string_id identity_of(oemp_state *state, const oemp_value *row, uint64_t line)
{
    mp_string_id identity = parse_uuid(state, row[9].text, line);
    if (identity.i)
        return identity;
    return mp_model_intern_format(
        state->model, "%" PRIu64 " %.*s %.*s", row[1].number,
        (int)(row[4].text.length < 64 ? row[4].text.length : 64), row[4].text.start,
        (int)(row[3].text.length < 64 ? row[3].text.length : 64), row[3].text.start);
}

static oemp_recording *recording_of(oemp_state *state, const oemp_value *row, uint64_t line)
{
    mp_string_id identity = identity_of(state, row, line);
    uint32_t *place = mp_id_index_put(&state->recording_index, identity.i);
    if (*place)
        return state->recordings[*place - 1];
    mp_grow(&state->recordings, &state->recording_capacity, state->recording_count + 1,
            sizeof *state->recordings);
    oemp_recording *recording = mp_alloc_zero(1, sizeof *recording);
    state->recordings[state->recording_count++] = recording;
    *place = (uint32_t)state->recording_count;
    recording->identity = identity;
    recording->version = (unsigned)row[0].number;
    oemp_settle(state); /* the replay reads sessions */
    const mp_session_id session = mp_model_add_session(state->model);
    mp_heap_open(&recording->heap, state->model, session, state->diagnostics);
    fill_session(state, recording, row);
    mp_heap_set_options(&recording->heap, state->options);
    return recording;
}

/* Return a time or a size from a header or a trailer. If it is impossible, report a diagnostic and
 * return 0. */
static int64_t amount(oemp_state *state, uint64_t number, const char *what, uint64_t line)
{
    if (number <= (uint64_t)1 << 53)
        return (int64_t)number;
    mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, line,
                "snapshot %" PRIu64 " has %" PRId64 " as its %s, expected no more than 2^53: "
                "taken as 0",
                state->sequence, (int64_t)number, what);
    return 0;
}

static void check_sequence(oemp_state *state, const oemp_recording *recording, uint64_t line)
{
    uint64_t last = recording->last_sequence;
    if (state->sequence <= last) {
        state->skip = true;
        mp_diagnose(state->diagnostics, MP_DIAG_DUPLICATE_SNAPSHOT, state->path, line,
                    "snapshot %" PRIu64 " comes after snapshot %" PRIu64
                    ", expected a later one; ignored",
                    state->sequence, last);
    } else if (state->sequence != last + 1) {
        mp_diagnose(state->diagnostics, MP_DIAG_SEQUENCE_GAP, state->path, line,
                    "snapshot %" PRIu64 " comes after snapshot %" PRIu64 ", expected %" PRIu64
                    ": the changes between them are missing",
                    state->sequence, last, last + 1);
    }
}

/* Remove the platform rows of a truncated snapshot, because the next snapshot has its own. */
static void forget_platform(oemp_state *state)
{
    mp_model *model = state->model;
    mp_snapshot_id snapshot = state->recording->snapshot;
    while (model->platform_samples.count > 1 &&
           model->platform_samples.items[model->platform_samples.count - 1].snapshot.i ==
               snapshot.i)
        model->platform_samples.count--;
}

/* Begin a snapshot, or continue the one that was not ended. */
static mp_snapshot *begin(oemp_state *state)
{
    mp_model *model = state->model;
    oemp_recording *recording = state->recording;
    if (recording->snapshot.i) {
        oemp_settle(state); /* the replay still reads what the header before stated */
    } else {
        oemp_make_room(state, model->snapshots.count, model->snapshots.capacity);
        mp_model_begin_snapshot(model, recording->heap.session);
        recording->snapshot.i = model->snapshots.count - 1;
    }
    return &model->snapshots.items[recording->snapshot.i];
}

static void hand_over(oemp_state *state, oemp_replay *replay, uint64_t line)
{
    oemp_begin *item = oemp_add(state, replay, sizeof *item, line);
    *item = (oemp_begin){state->path, state->recording->snapshot};
}

void oemp_header(oemp_state *state, const oemp_value *row, uint64_t line)
{
    oemp_recording *recording = recording_of(state, row, line);
    if (state->recording != recording)
        memset(state->recent, 0, sizeof state->recent);
    state->recording = recording;
    state->skip = false;
    state->latest_us = 0;
    state->sequence = row[2].number;
    state->tag = oemp_intern(state, row[5].text);
    hand_over(state, oemp_replay_header, line);
    if (recording->started)
        check_sequence(state, recording, line);
    else if (state->sequence > 1)
        mp_diagnose(state->diagnostics, MP_DIAG_SEQUENCE_GAP, state->path, line,
                    "recording starts with snapshot %" PRIu64 ", expected 1; add the earlier files",
                    state->sequence);
    if (state->skip)
        return;

    mp_snapshot *snapshot = begin(state);
    snapshot->sequence = state->sequence;
    snapshot->tag = state->tag;
    snapshot->request = oemp_intern(state, row[6].text);
    snapshot->request_start_us = amount(state, row[8].number, "request start", line);
    snapshot->propath = oemp_intern(state, row[10].text);
    snapshot->overhead_bytes = amount(state, row[11].number, "overhead", line);
    snapshot->request_api = oemp_intern(state, row[13].text);
    snapshot->cpu_hundredths = (int64_t)row[14].number;
    snapshot->line = line;
    hand_over(state, oemp_replay_begin, line);
    forget_platform(state);
    recording->platform_bytes = 0;
    recording->platform_seen = false;
    recording->trailed = false;
}

/* --- trailers --- */

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

/* Check that the trailer repeats number and tag of its header. */
static void check_header(oemp_state *state, const oemp_value *row, uint64_t line)
{
    if (row[SEQ].number != state->sequence || oemp_intern(state, row[TAG].text).i != state->tag.i)
        mp_diagnose(state->diagnostics, MP_DIAG_TRAILER_HEADER, state->path, line,
                    "trailer is of snapshot %" PRIu64 " \"%.*s\", expected that of its header, "
                    "%" PRIu64 " \"%s\"",
                    row[SEQ].number, (int)row[TAG].text.length, row[TAG].text.start,
                    state->sequence, mp_model_text(state->model, state->tag));
}

void oemp_trailer(oemp_state *state, const oemp_value *row, uint64_t line)
{
    oemp_recording *recording = state->recording;
    if (state->skip)
        return;
    recording->trailed = true;
    oemp_stated *stated = oemp_add(state, oemp_replay_trailer, sizeof *stated, line);
    *stated = (oemp_stated){.sequence = state->sequence,
                            .time_us = row[TIME].number,
                            .objects = row[COUNT].number,
                            .bytes = row[BYTES].number,
                            .platform = row[PLATFORM].number,
                            .peak = row[PEAK].number,
                            .reusable_objects = row[REUSE_COUNT].number,
                            .reusable_bytes = row[REUSE_BYTES].number,
                            .platform_bytes = recording->platform_bytes,
                            .last_time_us = recording->last_time_us,
                            .latest_us = state->latest_us,
                            .platform_seen = recording->platform_seen,
                            .started = recording->started,
                            .has_reusable = recording->version >= 2};
    if (recording->version >= 2)
        check_header(state, row, line);
    mp_snapshot *snapshot = &state->model->snapshots.items[recording->snapshot.i];
    snapshot->time_us = amount(state, row[TIME].number, "time", line);
    snapshot->stated_peak_objects = amount(state, row[PEAK].number, "peak", line);
    snapshot->class_depth = (int64_t)row[HIERARCHY].number;
    snapshot->has_platform = true;
    snapshot->platform_bytes = recording->platform_seen
                                   ? recording->platform_bytes
                                   : amount(state, row[PLATFORM].number, "platform memory", line);
    recording->last_time_us = snapshot->time_us;
}

bool oemp_snapshot_end(oemp_state *state, uint64_t line)
{
    oemp_recording *recording = state->recording;
    if (state->skip)
        return true;
    if (!recording->trailed) {
        mp_diagnose(state->diagnostics, MP_DIAG_DAMAGED_SNAPSHOT, state->path, line,
                    "snapshot %" PRIu64
                    " has no trailer row, expected one; its rows count for the next snapshot",
                    state->sequence);
        return false;
    }
    const mp_snapshot_id snapshot = recording->snapshot;
    (void)oemp_add(state, oemp_replay_end, 0, line);
    recording->snapshot.i = 0;
    recording->started = true;
    recording->last_sequence = state->sequence;
    recording->last_tag = state->tag;
    recording->last_input = state->summary;
    recording->last_line = line;
    if (state->model->tell) {
        oemp_settle(state);
        mp_model_tell_snapshot(state->model, snapshot);
    }
    return true;
}

/* --- after all inputs --- */

static bool is_defined(const mp_model *model, const oemp_reference *reference)
{
    switch (reference->kind) {
    case MP_DIAG_UNDEFINED_TYPE:
        return model->types.items[reference->target].name.i != 0;
    case MP_DIAG_UNDEFINED_NODE:
        return model->nodes.items[reference->target].defined;
    default:
        return model->symbols.items[reference->target].name.i != 0;
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
    MP_FREE(recording->origins, recording->references, recording);
}

void oemp_finish(oemp_state *state)
{
    for (size_t i = 0; i < state->recording_count; i++) {
        oemp_recording *recording = state->recordings[i];
        mp_input_summary *input = &state->model->inputs.items[recording->last_input];
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
    free(state->recordings);
    mp_id_index_free(&state->recording_index);
    mp_id_index_free(&state->platform_names);
}
