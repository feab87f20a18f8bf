/* Heap profiles of valgrind's DHAT, and of Rust's dhat: what each stack allocated, and how much of
 * that was alive at the peak and at the end. They are a census with three snapshots: the start, at
 * which nothing is allocated, the peak, and the end.
 *
 * The stacks refer to a table of frames that follows them, so the stacks are kept until the table
 * is read.
 *
 * docs/formats/dhat.md describes the members and names the sources. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "input/json_cursor.h"
#include "model/census.h"
#include "readers/native_code.h"

enum { MOST_FRAMES = 1024 /* maximum number of frames kept of a stack, the innermost ones */ };

/* A stack, with its allocations. */
typedef struct dhat_point {
    mp_census_share made, peak, end;
    uint32_t first, depth; /* range of its frames in `stacks`, innermost first */
} dhat_point;

/* Sum over the points that have the same context. */
typedef struct dhat_row {
    uint32_t context;
    mp_census_share made, peak, end;
} dhat_row;

typedef struct dhat_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    native_code code;
    MP_LIST(dhat_point) points;
    MP_LIST(uint32_t) stacks;     /* frames of all points, as indices of `frames` */
    MP_LIST(native_frame) frames; /* frames of the table */
    MP_LIST(dhat_row) rows;       /* row 0 is reserved for none */
    mp_id_index row_index;        /* maps a context to its row */
    /* The current file: */
    mp_json_cursor json;
    const char *path;
    mp_session_id session;
    mp_census census;
    bool of_heap, lifetimes, timed, has_points, has_frames;
    uint64_t peak_time, end_time;
    uint64_t read, cut_stacks;
} dhat_state;

#define SAY(state, id, ...) mp_diagnose((state)->diagnostics, id, (state)->path, 0, __VA_ARGS__)

static bool is_member(const dhat_state *state, const char *name)
{
    return mp_text_buffer_is(&state->json.name, name);
}

/* --- program points --- */

static bool read_stack(dhat_state *state, dhat_point *point)
{
    bool cut = false;
    point->first = state->stacks.count;
    point->depth = 0;
    if (!mp_scan_enter(&state->json, '['))
        return false;
    while (mp_scan_more(&state->json, ']')) {
        uint64_t frame;
        if (!mp_scan_unsigned(&state->json, &frame))
            return false;
        cut |= point->depth == MOST_FRAMES;
        if (point->depth == MOST_FRAMES)
            continue;
        *MP_ADD(&state->stacks) = frame < UINT32_MAX ? (uint32_t)frame : UINT32_MAX;
        point->depth++;
    }
    state->cut_stacks += cut;
    return !state->json.bad;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Check and enter a point. */
static void end_point(dhat_state *state, dhat_point point, bool complete)
{
    const mp_census_share read = point.made, *const shares[] = {&point.made, &point.peak,
                                                                &point.end};
    bool fits = complete;
    for (size_t i = 0; fits && i < sizeof shares / sizeof *shares; i++) {
        fits = (shares[i]->objects || !shares[i]->bytes) &&
               mp_census_affords(&state->census, shares[i]->objects) &&
               mp_census_affords(&state->census, shares[i]->bytes);
        point.made.objects = larger(point.made.objects, shares[i]->objects);
        point.made.bytes = larger(point.made.bytes, shares[i]->bytes);
    }
    if (!fits)
        SAY(state, MP_DIAG_BAD_ROW,
            "program point %" PRIu64 " lacks numbers, has bytes in no blocks, or impossibly large "
            "numbers, expected tb, tbk, gb, gbk, eb, ebk and fs: point skipped",
            state->read);
    else if (point.made.objects > read.objects || point.made.bytes > read.bytes)
        SAY(state, MP_DIAG_BAD_ROW,
            "program point %" PRIu64 " has more alive (gb, gbk, eb, ebk) than allocated (tb, tbk): "
            "what is alive counts as allocated",
            state->read);
    if (fits)
        *MP_ADD(&state->points) = point;
}

/* Read {"tb":1016,"tbk":7, ..., "fs":[9,10]}. Return false if it is malformed. */
static bool read_point(dhat_state *state)
{
    static const char *const names[] = {"tb", "tbk", "gb", "gbk", "eb", "ebk"};
    enum { NUMBERS = sizeof names / sizeof *names };
    dhat_point point = {.depth = 0};
    int64_t *const numbers[NUMBERS] = {&point.made.bytes, &point.made.objects,
                                       &point.peak.bytes, &point.peak.objects,
                                       &point.end.bytes,  &point.end.objects};
    unsigned found = 0;
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    while (mp_scan_member(&state->json)) {
        size_t i = 0;
        while (i < NUMBERS && !is_member(state, names[i]))
            i++;
        uint64_t number;
        if (i < NUMBERS) {
            if (!mp_scan_unsigned(&state->json, &number))
                return false;
            *numbers[i] = (int64_t)(number <= INT64_MAX ? number : INT64_MAX);
            found |= 1U << i;
        } else if (is_member(state, "fs")) {
            if (!read_stack(state, &point))
                return false;
            found |= 1U << NUMBERS;
        } else if (!mp_scan_skip(&state->json)) {
            return false;
        }
    }
    state->read++;
    if (!state->json.bad)
        end_point(state, point, found == (1U << (NUMBERS + 1)) - 1);
    return !state->json.bad;
}

static bool read_points(dhat_state *state)
{
    if (!mp_scan_enter(&state->json, '['))
        return false;
    while (mp_scan_more(&state->json, ']'))
        if (!read_point(state))
            return false;
    state->has_points = !state->json.bad;
    return !state->json.bad;
}

static bool read_frames(dhat_state *state)
{
    if (!mp_scan_enter(&state->json, '['))
        return false;
    while (mp_scan_more(&state->json, ']')) {
        if (!mp_scan_text(&state->json))
            return false;
        *MP_ADD(&state->frames) =
            native_frame_of_label(&state->code, mp_text_of(&state->json.text));
    }
    state->has_frames = !state->json.bad;
    return !state->json.bad;
}

/* --- the file --- */

/* Read the value of the member `name` of the file. Return false if it is malformed. */
static bool read_value(dhat_state *state)
{
    mp_recorded_session *session = &state->model->sessions.items[state->session.i];
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {
        {"pid", &session->process_id}, {"tg", &state->peak_time}, {"te", &state->end_time}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is_member(state, numbers[i].name)) {
            session->has_process_id |= numbers[i].number == &session->process_id;
            return mp_scan_unsigned(&state->json, numbers[i].number);
        }
    if (is_member(state, "pps") && !state->has_points)
        return read_points(state);
    if (is_member(state, "ftbl") && !state->has_frames)
        return read_frames(state);
    if (is_member(state, "bklt")) {
        state->lifetimes = mp_scan_peek(&state->json) == 't';
        return mp_scan_skip(&state->json);
    }
    const bool mode = is_member(state, "mode"), unit = is_member(state, "tu");
    const bool command = is_member(state, "cmd");
    if (!mode && !unit && !command)
        return mp_scan_skip(&state->json);
    if (!mp_scan_text(&state->json))
        return false;
    if (mode)
        state->of_heap = mp_text_buffer_is(&state->json.text, "heap");
    else if (unit)
        state->timed = mp_text_buffer_is(&state->json.text, "\xc2\xb5s");
    else
        session->application = mp_model_intern(state->model, mp_text_of(&state->json.text));
    return true;
}

/* Read the whole file. Return false if it is malformed or truncated. */
static bool read_members(dhat_state *state)
{
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    while (mp_scan_member(&state->json))
        if (!read_value(state))
            return false;
    return !state->json.bad;
}

/* Return true if the file can be used; otherwise report why not. */
static bool judge_file(dhat_state *state, bool whole)
{
    if (!whole && mp_scan_peek(&state->json) < 0)
        SAY(state, MP_DIAG_NOTHING_USABLE, "is truncated; the names of its stacks are at its end");
    else if (!whole)
        SAY(state, MP_DIAG_NOTHING_USABLE, "is malformed at byte %" PRIu64,
            mp_scan_offset(&state->json));
    else if (mp_scan_peek(&state->json) >= 0)
        SAY(state, MP_DIAG_NOTHING_USABLE, "continues after its end, at byte %" PRIu64,
            mp_scan_offset(&state->json));
    else if (!state->of_heap || !state->lifetimes)
        SAY(state, MP_DIAG_NOTHING_USABLE,
            "does not state what is alive, expected \"mode\":\"heap\" and \"bklt\":true");
    else if (!state->has_points || !state->has_frames)
        SAY(state, MP_DIAG_NOTHING_USABLE,
            "has no program points or no frames, expected \"pps\" and \"ftbl\"");
    else
        return true;
    return false;
}

/* --- the model --- */

/* Return the context of a point's stack. Its session is 0 if a frame is not in the table. */
static mp_context context_of(dhat_state *state, const dhat_point *point)
{
    mp_stack_frame stack = {{0}, MP_NO_LINE};
    for (uint32_t i = point->depth; i-- > 0;) {
        const uint32_t frame = state->stacks.items[point->first + i];
        if (frame >= state->frames.count)
            return (mp_context){.session = {0}};
        mp_stack_call(&state->code.stacks, &stack, state->frames.items[frame].symbol,
                      state->frames.items[frame].line);
    }
    return (mp_context){.node = stack.node, .line = stack.line, .session = state->session};
}

static void add_share(mp_census_share *sum, mp_census_share share)
{
    sum->objects += share.objects;
    sum->bytes += share.bytes;
}

/* Sum up the points by context. Several points have the same context if they differ only in
 * addresses. */
static void add_points(dhat_state *state)
{
    uint64_t skipped = 0;
    for (uint32_t i = 0; i < state->points.count; i++) {
        const dhat_point *point = &state->points.items[i];
        const mp_context context = context_of(state, point);
        if (!context.session.i) {
            skipped++;
            continue;
        }
        const uint32_t id = mp_model_context(state->model, &context).i;
        uint32_t *place = mp_id_index_put(&state->row_index, id);
        if (!*place) {
            MP_ADD(&state->rows)->context = id;
            *place = state->rows.count - 1;
        }
        dhat_row *row = &state->rows.items[*place];
        add_share(&row->made, point->made);
        add_share(&row->peak, point->peak);
        add_share(&row->end, point->end);
    }
    if (skipped)
        SAY(state, MP_DIAG_BAD_ROW,
            "program points that are skipped because their frames are not in the table: %" PRIu64,
            skipped);
}

static mp_snapshot_id begin_snapshot(dhat_state *state, uint64_t number, const char *tag,
                                     uint64_t time)
{
    enum { LONGEST_US = 62 };
    mp_snapshot *snapshot = mp_model_begin_snapshot(state->model, state->session);
    snapshot->sequence = number;
    snapshot->tag = mp_model_intern_text(state->model, tag);
    if (state->timed && time < UINT64_C(1) << LONGEST_US)
        snapshot->time_us = (int64_t)time;
    return (mp_snapshot_id){state->model->snapshots.count - 1};
}

/* Add the snapshots. The file does not state how much a stack allocated before the peak. Therefore
 * only the bytes alive at the peak count as allocated before it. */
static void add_snapshots(dhat_state *state)
{
    mp_model *model = state->model;
    mp_census_end(&state->census, begin_snapshot(state, 1, "start", 0));
    const char *const tags[] = {"peak", "end"};
    const uint64_t times[] = {state->peak_time, state->end_time};
    for (int moment = 0; moment < 2; moment++) {
        const mp_snapshot_id id =
            begin_snapshot(state, (uint64_t)moment + 2, tags[moment], times[moment]);
        for (uint32_t i = 1; i < state->rows.count; i++) {
            const dhat_row *row = &state->rows.items[i];
            const mp_context context = model->contexts.items[row->context];
            mp_census_stock(&state->census, &context, id, moment ? row->end : row->peak,
                            moment ? &row->made : &row->peak);
        }
        mp_census_count(&state->census, id);
        mp_census_end(&state->census, id);
    }
}

static void begin_file(dhat_state *state, mp_input *input, uint32_t summary)
{
    state->session = mp_model_add_session(state->model);
    state->json = mp_scan_open(input);
    state->path = state->model->inputs.items[summary].path;
    state->points.count = state->stacks.count = state->frames.count = state->rows.count = 0;
    (void)MP_ADD(&state->rows);
    state->of_heap = state->lifetimes = state->timed = state->has_points = state->has_frames =
        false;
    state->peak_time = state->end_time = state->read = state->cut_stacks = 0;
    mp_census_open(&state->census, state->model, state->session);
}

static bool read_dhat(void *opaque, mp_input *input, uint32_t summary)
{
    dhat_state *state = opaque;
    begin_file(state, input, summary);
    const bool usable = judge_file(state, read_members(state));
    if (usable) {
        add_points(state);
        add_snapshots(state);
        if (state->peak_time > state->end_time)
            SAY(state, MP_DIAG_BAD_ROW, "the peak (tg) is later than the end (te)");
        if (state->cut_stacks)
            SAY(state, MP_DIAG_CUT_STACKS,
                "%" PRIu64 " stacks have more than %d frames: only their innermost frames are kept",
                state->cut_stacks, MOST_FRAMES);
    }
    mp_census_close(&state->census);
    mp_id_index_free(&state->row_index);
    state->model->inputs.items[summary].records = state->read;
    state->model->inputs.items[summary].complete = usable && mp_input_is_whole(input);
    mp_scan_close(&state->json);
    return usable;
}

/* --- the reader --- */

static mp_bid probe(mp_slice head)
{
    static const char name[] = "\"dhatFileVersion\"";
    mp_slice rest = head;
    while (rest.length && rest.start[0] && strchr(" \t\r\n{", rest.start[0]))
        rest = (mp_slice){rest.start + 1, rest.length - 1};
    return mp_slice_starts(rest, name) ? MP_MINE : MP_NOT_MINE;
}

static void *open_dhat(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    dhat_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->diagnostics = diagnostics;
    state->code = (native_code){.stacks = {.model = model, .options = options}};
    model->holds |= MP_HOLDS_NATIVE;
    return state;
}

static void close_dhat(void *opaque)
{
    dhat_state *state = opaque;
    mp_stack_builder_free(&state->code.stacks);
    MP_FREE(state->points.items, state->stacks.items, state->frames.items, state->rows.items,
            state);
}

const mp_reader mp_reader_dhat = {
    .name = "dhat",
    .summary = "heap profile of valgrind's DHAT",
    .endings = ".dhat dhat.out",
    .versions = "2",
    .noun = "a DHAT profile",
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .open = open_dhat,
    .read = read_dhat,
    .close = close_dhat,
};
