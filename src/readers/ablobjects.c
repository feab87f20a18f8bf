/* Reports of the objects that OpenEdge sessions left behind: files, and snapshots in time. */
#include "readers/ablobjects.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"

/* --- detection --- */

/* Return true for an answer to a request for tracked objects. It may list no objects. */
static bool is_tracking(mp_slice head)
{
    static const char operation[] = "\"GET ABL OBJECTS REPORT\"", list[] = "\"ABLObjects\"";
    if (memmem(head.start, head.length, operation, sizeof operation - 1))
        return true;
    const char *found = memmem(head.start, head.length, list, sizeof list - 1);
    if (!found)
        return false;
    head.length -= (size_t)(found + sizeof list - 1 - head.start);
    head.start = found + sizeof list - 1;
    return mp_json_take(&head, ":") && mp_json_take(&head, "[");
}

/* Return true for a report of LeakCheck, with or without its sums. */
static bool is_leak_check(mp_slice head)
{
    if (mp_json_take(&head, "\"objects\""))
        return mp_json_take(&head, ":") && mp_json_take(&head, "[") && mp_json_take(&head, "{") &&
               mp_json_take(&head, "\"session\"") &&
               memmem(head.start, head.length, "\"action\"", 8);
    if (!mp_json_take(&head, "\"filter\"") || !mp_json_take(&head, ":"))
        return false;
    if (!mp_json_take(&head, "null")) {
        size_t end = 0;
        if (!mp_json_take(&head, "\""))
            return false;
        while (end < head.length && head.start[end] != '"')
            end += head.start[end] == '\\' ? 2 : 1;
        if (end >= head.length)
            return false;
        head = (mp_slice){head.start + end + 1, head.length - end - 1};
    }
    return mp_json_take(&head, ",") && mp_json_take(&head, "\"sessions\"") &&
           mp_json_take(&head, ":") && mp_json_take(&head, "{");
}

static mp_bid probe(mp_slice head)
{
    if (!mp_json_take(&head, "{"))
        return MP_NOT_MINE;
    return is_leak_check(head) || is_tracking(head) ? MP_MINE : MP_NOT_MINE;
}

/* Make a series of the reports of tracked objects that are in one folder. */
static bool place(mp_slice head, mp_place *place)
{
    if (mp_json_take(&head, "{") && is_tracking(head) && !is_leak_check(head))
        place->application = 1;
    return false;
}

/* --- one report --- */

static bool read_message(abl_state *state)
{
    const bool read = mp_scan_text(&state->json);
    const mp_slice text = mp_text_of(&state->json.text);
    state->message.length = 0;
    mp_text_put(&state->message, text.start, text.length);
    return read;
}

/* Read the members up to the first one that cannot be read. Enter objects that may contain the
 * list. Return true if the whole report was read. */
static bool read_members(abl_state *state)
{
    static const struct {
        const char *name;
        char opens;
        bool inside; /* the member may be in an object of the report */
        bool (*read)(abl_state *state);
    } parts[] = {{"ABLObjects", '[', true, abl_read_sessions},
                 {"objects", '[', false, abl_read_leaks},
                 {"groups", '{', false, abl_read_groups},
                 {"errmsg", '"', false, read_message}};
    enum { PARTS = sizeof parts / sizeof *parts };
    size_t depth = 0;
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    for (;;) {
        if (!mp_scan_member(&state->json)) {
            if (state->json.bad || !depth)
                return !state->json.bad && mp_scan_peek(&state->json) < 0;
            depth--;
            continue;
        }
        const int byte = mp_scan_peek(&state->json);
        size_t i = 0;
        while (i < PARTS && !(abl_is_member(state, parts[i].name) && byte == parts[i].opens &&
                              (parts[i].inside || !depth)))
            i++;
        if (i < PARTS && !(parts[i].opens == '[' && state->has_list)) {
            if (!parts[i].read(state))
                return false;
        } else if (byte == '{' && depth < ABL_DEPTH) {
            (void)mp_scan_enter(&state->json, '{');
            depth++;
        } else if (!mp_scan_skip(&state->json)) {
            return false;
        }
    }
}

/* Report why a report is not used that has no list of objects, or no beginning. */
static void refuse(abl_state *state)
{
    const bool cut = mp_scan_peek(&state->json) < 0;
    const char *dashes = "expected objects under result, ABLOutput, ABLObjects; object tracking is "
                         "enabled by a PUT to ABLObjects/status";
    if (state->has_sums && cut)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "has sums but no list of objects, expected \"objects\", which LeakCheck writes "
                    "if PrintDetailData is true");
    else if (!cut)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "is malformed at byte %" PRIu64 ", before its first object",
                    mp_scan_offset(&state->json));
    else if (state->message.length)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "has no list of objects, but the message \"%.*s\", %s",
                    (int)(state->message.length < 200 ? state->message.length : 200),
                    state->message.text, dashes);
    else
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "has no list of objects, %s", dashes);
}

/* Report data that was read but contradicts other data, or could not be used. */
static void tell_rest(const abl_state *state, bool whole, bool empty)
{
    mp_diagnostics *diagnostics = state->diagnostics;
    if (state->nameless)
        mp_diagnose(diagnostics, MP_DIAG_BAD_ROW, state->path, 0,
                    "objects of sessions without a number: %" PRIu64
                    ", expected AgentSessionId; they count in a session without a name",
                    state->nameless);
    if (state->beyond)
        mp_diagnose(diagnostics, MP_DIAG_BAD_ROW, state->path, 0,
                    "objects that are skipped because there are more than %d sessions: %" PRIu64,
                    ABL_MOST_SESSIONS, state->beyond);
    if (state->older)
        mp_diagnose(diagnostics, MP_DIAG_OLDER_OBJECTS, state->path, 0,
                    "deletions of objects that are not listed as created: %" PRIu64
                    "; no figure has them",
                    state->older);
    if (whole && state->has_sums &&
        (state->stated_objects != state->listed_objects ||
         state->stated_bytes != state->listed_bytes))
        mp_diagnose(diagnostics, MP_DIAG_CLASS_FIGURES, state->path, 0,
                    "lists %" PRIu64 " objects of %" PRIu64 " bytes, but its groups have %" PRIu64
                    " of %" PRIu64,
                    state->listed_objects, state->listed_bytes, state->stated_objects,
                    state->stated_bytes);
    if (whole && empty && !state->of_leaks)
        mp_diagnose(diagnostics, MP_DIAG_EMPTY_PROFILE, state->path, 0,
                    "lists no session: objects are not tracked, or the agent has no session");
}

static void tell_cut(abl_state *state)
{
    if (mp_scan_peek(&state->json) < 0)
        mp_diagnose(state->diagnostics, MP_DIAG_TORN, state->path, 0,
                    "the report is truncated: only its first %" PRIu64 " objects are used",
                    state->objects);
    else
        mp_diagnose(state->diagnostics, MP_DIAG_DAMAGED_SNAPSHOT, state->path, 0,
                    "is malformed at byte %" PRIu64 ": only its first %" PRIu64 " objects are used",
                    mp_scan_offset(&state->json), state->objects);
}

static void begin_report(abl_state *state, mp_input *input, uint32_t summary)
{
    state->path = state->model->inputs.items[summary].path;
    state->json = mp_scan_open(input);
    state->objects = state->nameless = state->beyond = state->older = 0;
    state->listed_objects = state->listed_bytes = state->stated_objects = state->stated_bytes = 0;
    state->has_list = state->of_leaks = state->has_sums = false;
    state->message.length = state->creations.count = 0;
    (void)MP_ADD(&state->creations);
    MP_ADD(&state->reports)->input = summary;
}

static bool read_ablobjects(void *opaque, mp_input *input, uint32_t summary)
{
    abl_state *state = opaque;
    begin_report(state, input, summary);
    const uint32_t first = state->rows.count;
    const bool whole = read_members(state);
    mp_input_summary *sum = &state->model->inputs.items[summary];
    sum->records = state->objects;
    sum->complete = whole && state->has_list;
    const bool usable = state->has_list && (whole || state->objects);
    state->reports.items[state->reports.count - 1].of_leaks = state->of_leaks;
    if (!usable) {
        refuse(state);
    } else {
        const bool empty = state->rows.count == first;
        const uint32_t unnamed = empty ? abl_session_of(state, (mp_string_id){0}) : 0;
        if (unnamed) /* a snapshot without objects */
            (void)abl_row_of(state, unnamed, 0);
        tell_rest(state, whole, empty);
        if (!whole)
            tell_cut(state);
        mp_dump_order_check(&state->order, state->model, state->diagnostics, state->path, -1);
    }
    state->reports.count -= !usable;
    mp_scan_close(&state->json);
    mp_id_index_free(&state->row_index);
    mp_id_index_free(&state->creation_index);
    return usable;
}

/* --- snapshots --- */

/* Sort by session, then by time. The row that lists the session comes first. */
static int by_session(const void *left, const void *right)
{
    const abl_row *a = left, *b = right;
    int order = MP_COMPARE(a->session, b->session);
    order = order ? order : MP_COMPARE(a->report, b->report);
    return order ? order : MP_COMPARE(a->context, b->context);
}

/* Add the snapshot of a report with these rows of one session. */
static void add_snapshot(abl_state *state, uint32_t report, uint32_t first, uint32_t end)
{
    mp_model *model = state->model;
    const uint32_t input = state->reports.items[report ? report : 1].input;
    const char *path = model->inputs.items[input].path, *slash = strrchr(path, '/');
    mp_snapshot *snapshot = mp_model_begin_snapshot(model, state->census.session);
    const mp_snapshot_id id = {model->snapshots.count - 1};
    snapshot->sequence = report;
    snapshot->input = input;
    snapshot->tag = mp_model_intern_text(model, first == end && !report ? "start"
                                                : slash                 ? slash + 1
                                                                        : path);
    for (uint32_t i = first; i < end; i++) {
        const abl_row *row = &state->rows.items[i];
        const mp_context context = model->contexts.items[row->context];
        if (row->context)
            mp_census_stock(&state->census, &context, id, row->alive, NULL);
    }
    mp_census_count(&state->census, id);
    mp_census_end(&state->census, id);
}

/* Add the snapshots of a session, whose rows begin at `first`. The first snapshot is empty, because
 * no object is known to be older than the tracking. If a later report does not list the session,
 * the session has ended. Return the index of the next session's first row. */
static uint32_t add_session(abl_state *state, uint32_t first)
{
    const abl_row *rows = state->rows.items;
    const uint32_t session = rows[first].session, count = state->rows.count;
    uint32_t next = first;
    mp_census_turn(&state->census, (mp_session_id){session});
    add_snapshot(state, rows[first].report - 1, first, first);
    while (next < count && rows[next].session == session) {
        const uint32_t begin = next, report = rows[next].report;
        while (next < count && rows[next].session == session && rows[next].report == report)
            next++;
        add_snapshot(state, report, begin, next);
        const bool again = next < count && rows[next].session == session;
        if (report + 1 < state->reports.count && !state->reports.items[report + 1].of_leaks &&
            !(again && rows[next].report == report + 1))
            add_snapshot(state, report + 1, next, next);
    }
    return next;
}

/* --- the reader --- */

static void *open_ablobjects(mp_model *model, mp_diagnostics *diagnostics,
                             const mp_load_options *options)
{
    (void)options;
    abl_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = state->names.model = model;
    state->diagnostics = diagnostics;
    state->order.stamp = -1;
    mp_census_open(&state->census, model, (mp_session_id){0});
    model->holds |= MP_HOLDS_UNSIZED;
    (void)MP_ADD(&state->rows);
    (void)MP_ADD(&state->reports);
    return state;
}

static void close_ablobjects(void *opaque)
{
    abl_state *state = opaque;
    qsort(state->rows.items + 1, state->rows.count - 1, sizeof *state->rows.items, by_session);
    for (uint32_t next = 1; next < state->rows.count;)
        next = add_session(state, next);
    mp_census_close(&state->census);
    dyn_names_free(&state->names);
    mp_id_index_free(&state->sessions);
    MP_FREE(state->rows.items, state->reports.items, state->pending.items, state->creations.items,
            state->message.text, state);
}

const mp_reader mp_reader_ablobjects = {
    .name = "ablobjects",
    .summary = "OpenEdge object report (PASOE, LeakCheck)",
    .endings = ".json",
    .versions = "11.7 to 13",
    .noun = "an object report",
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .place = place,
    .open = open_ablobjects,
    .read = read_ablobjects,
    .close = close_ablobjects,
};
