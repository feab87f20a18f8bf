/* Logs of OpenEdge clients and agents that have entries of dynamic objects.
 *
 * Each entry is replayed at once into the heap of its session. A snapshot ends when a request ends
 * or, outside of requests, after a fixed time. The number of snapshots of a long log is limited:
 * after each RUN snapshots, the number of requests or moments per snapshot is doubled. */
#include "readers/dynobjects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/heap.h"
#include "readers/reader.h"

enum {
    RUN = 128,        /* number of snapshots of equal length */
    MOMENT_US = 10000 /* length of a snapshot outside of requests, in the first run */
};

/* Key of an allocation site: ids of type, call-tree node, name and widget pool, and the line. */
typedef struct dyn_origin {
    uint32_t type, node, line, name, pool;
} dyn_origin;

typedef struct dyn_session {
    mp_heap heap;
    /* Times of the first and of the last entry so far, in microseconds since 1970. */
    int64_t start_us, last_us;
    uint64_t last_line;
    uint32_t input;
    uint32_t snapshots, sequence, units,
        covered; /* units: number of requests or moments per snapshot; covered: number of them in
                    the open snapshot so far */
    mp_string_id request;                     /* request of the current unit */
    mp_string_id first_request, last_request; /* first and last request of the open snapshot */
    int64_t unit_us; /* start of the unit, microseconds since the session's start */
    uint64_t older;  /* number of deletions of objects that the log did not create */
    dyn_calls calls;
    mp_key_index origins; /* maps a dyn_origin to the heap's number of the origin */
} dyn_session;

typedef struct dyn_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    dyn_session **sessions;
    size_t session_count, session_capacity;
    mp_id_index session_index; /* maps a process and session to their index + 1 */
    dyn_names names;
    dyn_clock clock;
    const char *path;
    uint32_t summary;
    uint64_t records;
} dyn_state;

/* --- sessions and snapshots --- */

static void begin_snapshot(dyn_state *state, dyn_session *session, uint64_t line)
{
    mp_snapshot *snapshot = mp_heap_begin(&session->heap);
    snapshot->line = line;
    snapshot->input = state->summary;
    snapshot->sequence = session->sequence++;
    snapshot->request = session->request;
    snapshot->request_start_us = session->unit_us;
    session->first_request = session->last_request = session->request;
    session->covered = 0;
    mp_heap_in_request(&session->heap);
}

/* If a snapshot covers several requests, name the first and the last; otherwise mark it as the end
 * of its request. */
static void name_requests(dyn_state *state, const dyn_session *session, mp_snapshot *snapshot)
{
    mp_model *model = state->model;
    if (session->covered == 1 && session->units == 1 && session->request.i)
        snapshot->tag = mp_model_intern_text(model, "_EndOfRequest");
    snapshot->request = session->first_request;
    if (session->last_request.i == session->first_request.i)
        return;
    snapshot->request = mp_model_intern_format(model, "%.120s to %.120s",
                                               mp_model_text(model, session->first_request),
                                               mp_model_text(model, session->last_request));
}

static void end_snapshot(dyn_state *state, dyn_session *session)
{
    if (!session->heap.snapshot.i)
        return;
    const mp_snapshot_id id = session->heap.snapshot;
    mp_snapshot *snapshot = mp_heap_end(&session->heap);
    snapshot->time_us = session->last_us - session->start_us;
    name_requests(state, session, snapshot);
    if (++session->snapshots % RUN == 0)
        session->units *= 2;
    mp_model_tell_snapshot(state->model, id);
}

static void describe(dyn_state *state, mp_recorded_session *recorded, const dyn_entry *entry)
{
    /* stamp in the log of a client: "26/03/02@08:15:30.259+0100" */
    const char *stamp = entry->stamp.start;
    char start[40];
    if (stamp[2] == '/')
        snprintf(start, sizeof start, "20%.2s-%.2s-%.2sT%.17s", stamp, stamp + 3, stamp + 6,
                 stamp + 9);
    else
        snprintf(start, sizeof start, "%.*s", (int)entry->stamp.length, stamp);
    recorded->process_id = entry->process;
    recorded->has_process_id = true;
    recorded->session_id = dyn_intern(&state->names, entry->session);
    recorded->start_time = mp_model_intern_text(state->model, start);
    recorded->start_us = entry->time_us;
}

/* The first snapshot of a session is empty, because no object is known to be alive. */
static dyn_session *add_session(dyn_state *state, const dyn_entry *entry, uint64_t line)
{
    mp_grow(&state->sessions, &state->session_capacity, state->session_count + 1,
            sizeof *state->sessions);
    dyn_session *session = mp_alloc_zero(1, sizeof *session);
    state->sessions[state->session_count++] = session;
    const mp_session_id id = mp_model_add_session(state->model);
    mp_heap *heap = &session->heap;
    describe(state, &state->model->sessions.items[id.i], entry);
    mp_heap_open(heap, state->model, id, state->diagnostics);
    mp_heap_set_options(heap, state->options);
    session->start_us = session->last_us = entry->time_us;
    session->units = 1;
    begin_snapshot(state, session, line);
    mp_heap_begin(heap)->tag = mp_model_intern_text(state->model, "start");
    mp_heap_end(heap);
    return session;
}

static dyn_session *session_of(dyn_state *state, const dyn_entry *entry, uint64_t line)
{
    const uint64_t key = entry->process << 32 | dyn_intern(&state->names, entry->session).i;
    uint32_t *place = mp_id_index_put(&state->session_index, key);
    if (!*place) {
        *place = (uint32_t)state->session_count + 1;
        add_session(state, entry, line);
    }
    return state->sessions[*place - 1];
}

/* Begin another unit (a request, or a moment outside of requests) if the entry belongs to another
 * unit. */
static void advance(dyn_state *state, dyn_session *session, const dyn_entry *entry, uint64_t line)
{
    const mp_string_id request = dyn_intern(&state->names, entry->request);
    int64_t now_us = entry->time_us - session->start_us;
    if (entry->time_us < session->last_us) {
        now_us = session->last_us - session->start_us;
        mp_diagnose(state->diagnostics, MP_DIAG_EVENT_ORDER, state->path, line,
                    "entry is %" PRId64 " us older than the one before it of its session",
                    session->last_us - entry->time_us);
    }
    const bool ends =
        request.i != session->request.i || (!request.i && now_us - session->unit_us >= MOMENT_US);
    if (ends) {
        session->calls.depth = request.i != session->request.i ? 0 : session->calls.depth;
        if (session->heap.snapshot.i && ++session->covered >= session->units)
            end_snapshot(state, session);
        session->request = request;
        session->unit_us = now_us;
    }
    session->last_us = session->start_us + now_us;
    session->last_line = line;
    session->input = state->summary;
    if (!session->heap.snapshot.i)
        begin_snapshot(state, session, line);
    if (!session->first_request.i)
        session->first_request = request;
    if (request.i)
        session->last_request = request;
}

/* --- objects --- */

/* handles are numbered separately for each kind of object */
static uint64_t id_of(dyn_state *state, const dyn_entry *entry)
{
    return (uint64_t)dyn_type(&state->names, entry->type).i << DYN_ID_BITS | entry->id;
}

/* Return the context for a widget pool. Only the pool's name is known. */
static mp_context_id pool_of(dyn_state *state, const dyn_session *session, mp_string_id name)
{
    if (!name.i)
        return (mp_context_id){0};
    const bool lasts = mp_text_is(mp_model_text(state->model, name), "<Session Pool>");
    mp_context pool = {.type = dyn_type(&state->names, mp_slice_of("Widget Pool")),
                       .session = session->heap.session};
    if (!lasts)
        pool.name = dyn_symbol(&state->names, name, name);
    return mp_model_context(state->model, &pool);
}

static uint32_t origin_of(dyn_state *state, dyn_session *session, const dyn_entry *entry)
{
    const mp_symbol_id routine = dyn_routine_symbol(&state->names, &entry->routine);
    const mp_string_id name = dyn_intern(&state->names, entry->name);
    const dyn_origin wanted = {.type = dyn_type(&state->names, entry->type).i,
                               .node = dyn_running_node(&state->names, &session->calls, routine).i,
                               .line = entry->line,
                               .name = dyn_symbol(&state->names, name, name).i,
                               .pool = dyn_intern(&state->names, entry->pool).i};
    uint32_t *place = mp_key_index_put(&session->origins, &wanted, sizeof wanted);
    if (!*place) {
        const mp_context_id pool = pool_of(state, session, (mp_string_id){wanted.pool});
        *place = mp_heap_origin(&session->heap, (mp_origin){.type = {wanted.type},
                                                            .node = {wanted.node},
                                                            .line = wanted.line,
                                                            .name = {wanted.name},
                                                            .owner = pool});
    }
    return *place;
}

static void give_birth(dyn_state *state, dyn_session *session, const dyn_entry *entry,
                       uint64_t line)
{
    const mp_birth birth = {.id = id_of(state, entry),
                            .bytes = entry->bytes,
                            .time_us = session->last_us - session->start_us,
                            .origin = origin_of(state, session, entry)};
    if (mp_heap_birth(&session->heap, &birth, line))
        return;
    mp_diagnose(state->diagnostics, MP_DIAG_OBJECT_EXISTS, state->path, line,
                "%.*s %" PRIu64 " is created but already alive; the earlier one counts as deleted",
                (int)entry->type.length, entry->type.start, entry->id);
    mp_heap_death(&session->heap, birth.id, birth.time_us);
    mp_heap_birth(&session->heap, &birth, line);
}

static void replay(dyn_state *state, const dyn_entry *entry, uint64_t line)
{
    dyn_session *session = session_of(state, entry, line);
    session->heap.path = state->path;
    advance(state, session, entry, line);
    const int64_t now_us = session->last_us - session->start_us;
    switch (entry->kind) {
    case DYN_BIRTH:
        give_birth(state, session, entry, line);
        break;
    case DYN_DEATH:
        session->older += !mp_heap_death(&session->heap, id_of(state, entry), now_us);
        break;
    case DYN_KEPT:
        mp_heap_death(&session->heap, id_of(state, entry), now_us);
        break;
    case DYN_CALL:
        dyn_enter_call(&state->names, &session->calls, entry);
        break;
    case DYN_RETURN:
        dyn_leave_call(&state->names, &session->calls, entry);
        break;
    default:
        break;
    }
}

/* --- one input --- */

static void read_line(dyn_state *state, mp_slice line, uint64_t number)
{
    dyn_entry entry;
    dyn_parse(&state->clock, line, &entry);
    if (entry.kind == DYN_OTHER)
        return;
    if (entry.kind == DYN_BAD) {
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, number,
                    "an entry of a dynamic object is skipped: %s", entry.wrong);
        return;
    }
    if (entry.type.length && dyn_type(&state->names, entry.type).i > DYN_MOST_TYPES) {
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, number,
                    "an entry of a dynamic object is skipped: the log has more than %d types",
                    DYN_MOST_TYPES);
        return;
    }
    state->records += entry.kind != DYN_CALL && entry.kind != DYN_RETURN;
    replay(state, &entry, number);
}

static bool read_dynobjects(void *opaque, mp_input *input, uint32_t summary)
{
    dyn_state *state = opaque;
    mp_input_summary *sum = &state->model->inputs.items[summary];
    mp_slice line;
    bool whole = true;
    state->path = sum->path;
    state->summary = summary;
    state->records = 0;
    while (mp_input_line(input, &line)) {
        whole = mp_input_line_closed(input);
        if (whole)
            read_line(state, line, mp_input_line_number(input));
    }
    if (!whole)
        mp_diagnose(state->diagnostics, MP_DIAG_TORN, state->path, mp_input_line_number(input),
                    "the last line is truncated, expected a line end; ignored");
    if (!state->records)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "is a log without entries of dynamic objects, expected DYNOBJECTS in some "
                    "lines (-logentrytypes DynObjects.*)");
    sum = &state->model->inputs.items[summary];
    sum->records = state->records;
    sum->complete = whole && state->records > 0;
    sum->open_ended = true;
    return state->records > 0;
}

/* --- the reader --- */

/* Find the first entry, which must be near the start. Other lines may be continuations of
 * messages. */
static bool find_entry(mp_slice head, dyn_entry *entry)
{
    enum { LINES = 100 };
    dyn_clock clock = {{0}, 0};
    mp_slice line;
    for (int i = 0; i < LINES && mp_slice_take_line(&head, &line); i++)
        if (dyn_parse_head(&clock, line, entry))
            return true;
    return false;
}

static mp_bid probe(mp_slice head)
{
    dyn_entry entry;
    return find_entry(head, &entry) ? MP_MINE : MP_NOT_MINE;
}

/* Set the group and the order. Logs of one process are parts of one recording, in the order of
 * their first entries. */
static bool place(mp_slice head, mp_place *place)
{
    dyn_entry entry;
    if (!find_entry(head, &entry))
        return false;
    snprintf(place->group, sizeof place->group, "process %" PRIu64, entry.process);
    place->sequence = (uint64_t)(entry.time_us < 0 ? 0 : entry.time_us);
    return true;
}

static bool grows(mp_slice head)
{
    (void)head;
    return true;
}

static void *open_dynobjects(mp_model *model, mp_diagnostics *diagnostics,
                             const mp_load_options *options)
{
    dyn_state *state = mp_alloc_zero(1, sizeof *state);
    *state = (dyn_state){
        .model = model, .names.model = model, .diagnostics = diagnostics, .options = options};
    model->holds |= MP_HOLDS_UNSIZED;
    return state;
}

static void close_session(dyn_state *state, dyn_session *session)
{
    end_snapshot(state, session);
    if (session->older)
        mp_diagnose(state->diagnostics, MP_DIAG_OLDER_OBJECTS,
                    state->model->inputs.items[session->input].path, 0,
                    "%" PRIu64 " object%s that the log deletes %s not created in it; no figure "
                    "has %s",
                    session->older, session->older == 1 ? "" : "s",
                    session->older == 1 ? "was" : "were", session->older == 1 ? "it" : "them");
    mp_heap_close(&session->heap);
    mp_key_index_free(&session->origins);
    free(session);
}

static void close_dynobjects(void *opaque)
{
    dyn_state *state = opaque;
    for (size_t i = 0; i < state->session_count; i++)
        close_session(state, state->sessions[i]);
    free(state->sessions);
    mp_id_index_free(&state->session_index);
    dyn_names_free(&state->names);
    free(state);
}

const mp_reader mp_reader_dynobjects = {
    .name = "dynobjects",
    .summary = "OpenEdge log of dynamic objects",
    .endings = ".agent.log .log .lg",
    .versions = "10.1 to 13",
    .kind = MP_KIND_RECORDING,
    .probe = probe,
    .place = place,
    .grows = grows,
    .open = open_dynobjects,
    .read = read_dynobjects,
    .close = close_dynobjects,
};
