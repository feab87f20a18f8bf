/* CPU profiles of V8: a tree of functions, and samples. A sample has the node that ran, and the
 * time since the previous sample. Nodes count how many of their samples were in each line.
 *
 * Source: Profiler.Profile of the Chrome DevTools Protocol. docs/formats/cpuprofile.md describes
 * the members. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/diagnose.h"
#include "base/share.h"
#include "readers/stack_profile.h"
#include "readers/v8_code.h"

enum { MOST_FRAMES = 4096 /* maximum depth of calls; V8 itself records at most 255 */ };
enum { MOST_US = 1000000000 }; /* maximum time between samples, so that no sum overflows */

typedef struct cp_node {
    uint64_t id;
    uint32_t parent; /* place of its caller; 0: none */
    mp_symbol_id symbol;
    bool defined, is_sampled;
    uint32_t first_tick, tick_count; /* range in `ticks`: the lines that ran */
    int64_t us;                      /* time of its samples */
    uint32_t depth;                  /* depth of its call, from 1; 0: its frame is not made yet */
    mp_stack_frame frame;
} cp_node;

/* Samples of a node in one line. */
typedef struct cp_tick {
    uint32_t line, samples;
} cp_tick;

/* A sample. Its node runs until the next sample. */
typedef struct cp_sample {
    int64_t time_us; /* time since the profile began */
    uint32_t node, order;
} cp_sample;

typedef struct cpuprofile_state {
    mp_diagnostics *diagnostics;
    v8_code code;
    mp_stack_profile profile;
    MP_LIST(cp_node) nodes; /* from 1 */
    MP_LIST(cp_sample) samples;
    MP_LIST(int64_t) deltas;
    MP_LIST(cp_tick) ticks;
    mp_id_index index; /* id to place in `nodes` */
    /* The current file: */
    mp_json_cursor json;
    const char *path;
    int64_t start_us, end_us; /* -1: not stated */
    bool has_nodes, has_samples, has_deltas;
} cpuprofile_state;

#define SAY(state, id, ...) mp_diagnose((state)->diagnostics, id, (state)->path, 0, __VA_ARGS__)

static bool is_member(const cpuprofile_state *state, const char *name)
{
    return mp_text_buffer_is(&state->json.name, name);
}

static bool read_array(cpuprofile_state *state, bool (*element)(cpuprofile_state *state),
                       bool *found)
{
    if (*found)
        return v8_refuse(&state->code, "two arrays of one name");
    if (!mp_scan_enter(&state->json, '['))
        return false;
    *found = true;
    while (mp_scan_more(&state->json, ']'))
        if (!element(state))
            return false;
    return !state->json.bad;
}

/* --- nodes --- */

/* Return the place of an id, which may be used before it is defined. */
static uint32_t place_of(cpuprofile_state *state, uint64_t id)
{
    uint32_t *place = mp_id_index_put(&state->index, id);
    if (!*place) {
        MP_ADD(&state->nodes)->id = id;
        *place = state->nodes.count - 1;
    }
    return *place;
}

/* Read the ids of the functions that a node calls. */
static bool read_children(cpuprofile_state *state, uint32_t parent)
{
    uint64_t id;
    if (!mp_scan_enter(&state->json, '['))
        return false;
    while (mp_scan_more(&state->json, ']')) {
        if (!mp_scan_unsigned(&state->json, &id))
            return false;
        const uint32_t place = place_of(state, id);
        cp_node *child = &state->nodes.items[place];
        if (child->parent)
            return v8_refuse(&state->code, "a node with two callers");
        child->parent = parent;
    }
    return !state->json.bad;
}

/* Read {"line":12,"ticks":3}. */
static bool read_tick(cpuprofile_state *state)
{
    uint64_t line = 0, samples = 0;
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    while (mp_scan_member(&state->json))
        if (!(is_member(state, "line")    ? mp_scan_unsigned(&state->json, &line)
              : is_member(state, "ticks") ? mp_scan_unsigned(&state->json, &samples)
                                          : mp_scan_skip(&state->json)))
            return false;
    if (line > INT32_MAX || samples > INT32_MAX)
        return v8_refuse(&state->code, "an impossible line or number of ticks");
    *MP_ADD(&state->ticks) = (cp_tick){line ? (uint32_t)line : MP_NO_LINE, (uint32_t)samples};
    return !state->json.bad;
}

/* Read {"id":3,"callFrame":{...},"children":[4,11], ...}. */
static bool read_node(cpuprofile_state *state)
{
    bool has_ticks = false;
    const uint32_t first_tick = state->ticks.count;
    uint32_t place = 0;
    mp_symbol_id symbol = {0};
    uint64_t id;
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    while (mp_scan_member(&state->json)) {
        bool ok = true;
        if (is_member(state, "id")) {
            ok = mp_scan_unsigned(&state->json, &id);
            place = ok ? place_of(state, id) : 0;
        } else if (is_member(state, "callFrame")) {
            ok = v8_call_frame(&state->code, &state->json, &symbol);
        } else if (is_member(state, "children")) {
            ok = place ? read_children(state, place)
                       : v8_refuse(&state->code, "children before the id of their node");
        } else if (is_member(state, "positionTicks")) {
            ok = read_array(state, read_tick, &has_ticks);
        } else {
            ok = mp_scan_skip(&state->json);
        }
        if (!ok)
            return false;
    }
    if (state->json.bad)
        return false;
    if (!place || !symbol.i)
        return v8_refuse(&state->code, "a node without id or callFrame");
    cp_node *node = &state->nodes.items[place];
    if (node->defined)
        return v8_refuse(&state->code, "two nodes with one id");
    node->defined = true;
    node->symbol = symbol;
    node->first_tick = first_tick;
    node->tick_count = state->ticks.count - first_tick;
    return true;
}

/* --- arrays --- */

static bool read_sample(cpuprofile_state *state)
{
    uint64_t id;
    if (!mp_scan_unsigned(&state->json, &id))
        return false;
    const cp_sample sample = {.node = place_of(state, id), .order = state->samples.count};
    *MP_ADD(&state->samples) = sample;
    return true;
}

/* Read microseconds. They are negative if the clock of another CPU was behind. */
static bool read_delta(cpuprofile_state *state)
{
    uint64_t us;
    const bool negative = mp_scan_take(&state->json, '-');
    if (!mp_scan_unsigned(&state->json, &us))
        return false;
    if (us > MOST_US)
        return v8_refuse(&state->code, "an impossibly long time between samples");
    *MP_ADD(&state->deltas) = negative ? -(int64_t)us : (int64_t)us;
    return true;
}

/* Read a time in microseconds; it may have decimals. The clock may have started at any time. */
static bool read_time(cpuprofile_state *state, int64_t *us)
{
    uint64_t number = 0;
    if (mp_scan_unsigned(&state->json, &number))
        *us = number <= INT64_MAX / 4 ? (int64_t)number : -1;
    if (mp_scan_byte(&state->json) != '.')
        return *us >= 0 || v8_refuse(&state->code, "a time that is none");
    state->json.next++;
    return mp_scan_unsigned(&state->json, &number);
}

static bool read_file(cpuprofile_state *state)
{
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    while (mp_scan_member(&state->json)) {
        const bool ok =
            is_member(state, "nodes")        ? read_array(state, read_node, &state->has_nodes)
            : is_member(state, "samples")    ? read_array(state, read_sample, &state->has_samples)
            : is_member(state, "timeDeltas") ? read_array(state, read_delta, &state->has_deltas)
            : is_member(state, "startTime")  ? read_time(state, &state->start_us)
            : is_member(state, "endTime")    ? read_time(state, &state->end_us)
                                             : mp_scan_skip(&state->json);
        if (!ok)
            return false;
    }
    return !state->json.bad;
}

/* --- stacks --- */

/* Make the frames of a node and of all its callers that have none yet. Return false if nodes call
 * each other in a circle, or calls are too deep. */
static bool make_frames(cpuprofile_state *state, uint32_t place)
{
    static const char deep[] = "more than 4096 functions in each other, or a circle of them";
    uint32_t way[MOST_FRAMES], steps = 0;
    for (uint32_t current = place; current && !state->nodes.items[current].depth;
         current = state->nodes.items[current].parent) {
        if (steps == MOST_FRAMES)
            return v8_refuse(&state->code, deep);
        way[steps++] = current;
    }
    while (steps) {
        cp_node *node = &state->nodes.items[way[--steps]];
        const cp_node *parent = &state->nodes.items[node->parent];
        node->depth = parent->depth + 1;
        if (node->depth > MOST_FRAMES)
            return v8_refuse(&state->code, deep);
        node->frame = parent->frame;
        if (node->parent) /* the root is not a function */
            mp_stack_call(&state->code.stacks, &node->frame, node->symbol, MP_NO_LINE);
    }
    return true;
}

/* --- times --- */

static int by_time(const void *left, const void *right)
{
    const cp_sample *a = left, *b = right;
    const int order = MP_COMPARE(a->time_us, b->time_us);
    return order ? order : MP_COMPARE(a->order, b->order);
}

/* Set the times of the samples, and sort the samples. */
static void set_times(cpuprofile_state *state)
{
    int64_t time_us = 0;
    for (uint32_t i = 0; i < state->samples.count; i++)
        state->samples.items[i].time_us = time_us += state->deltas.items[i];
    if (state->samples.count)
        qsort(state->samples.items, state->samples.count, sizeof *state->samples.items, by_time);
}

/* Add the time of a node to its lines, in proportion to their samples. A node without lines has its
 * time in no line. Return false if the sum of all times would be too large. */
static bool add_lines(cpuprofile_state *state, const cp_node *node)
{
    const cp_tick none = {MP_NO_LINE, 1}, *ticks = state->ticks.items + node->first_tick;
    int64_t samples = 0, part = 0, given = 0;
    for (uint32_t i = 0; i < node->tick_count; i++)
        samples += ticks[i].samples;
    const uint32_t count = samples ? node->tick_count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const cp_tick *tick = samples ? &ticks[i] : &none;
        mp_stack_frame frame = state->nodes.items[node->parent].frame;
        mp_stack_call(&state->code.stacks, &frame, node->symbol, tick->line);
        part += tick->samples;
        const int64_t us = mp_share(node->us, part, samples ? samples : 1) - given;
        given += us;
        if (!mp_stack_profile_add(&state->profile, frame, us))
            return v8_refuse(&state->code, "impossibly long times");
    }
    return true;
}

/* Add the time of each sample to its node. It is the time up to the next sample; for the last
 * sample, up to the end of the profile. Return false if a time cannot be determined. */
static bool add_times(cpuprofile_state *state)
{
    set_times(state);
    for (uint32_t i = 0; i < state->samples.count; i++) {
        const cp_sample *sample = &state->samples.items[i];
        const int64_t next_us =
            i + 1 < state->samples.count ? sample[1].time_us : state->end_us - state->start_us;
        const int64_t us = next_us > sample->time_us ? next_us - sample->time_us : 0;
        cp_node *node = &state->nodes.items[sample->node];
        if (!node->defined)
            return v8_refuse(&state->code, "a sample of a node that is not defined");
        if (!make_frames(state, sample->node))
            return false;
        node->is_sampled = true;
        node->us += us;
    }
    for (uint32_t i = 1; i < state->nodes.count; i++)
        if (state->nodes.items[i].is_sampled && !add_lines(state, &state->nodes.items[i]))
            return false;
    return true;
}

/* --- the file --- */

/* Return true if the file can be used; otherwise report why not. */
static bool judge_file(cpuprofile_state *state, bool whole)
{
    const bool there = state->has_nodes && state->has_samples && state->has_deltas &&
                       state->start_us >= 0 && state->end_us >= state->start_us;
    if (!whole)
        v8_tell_malformed(&state->code, &state->json, state->diagnostics, state->path);
    else if (!there)
        SAY(state, MP_DIAG_NOTHING_USABLE,
            "lacks times, expected nodes, samples, timeDeltas, startTime, and a later endTime");
    else if (state->samples.count != state->deltas.count)
        SAY(state, MP_DIAG_NOTHING_USABLE,
            "has %" PRIu32 " samples and %" PRIu32 " times between them, expected as many",
            state->samples.count, state->deltas.count);
    else if (mp_scan_peek(&state->json) >= 0)
        SAY(state, MP_DIAG_NOTHING_USABLE, "continues after its end, at byte %" PRIu64,
            mp_scan_offset(&state->json));
    else if (!add_times(state))
        SAY(state, MP_DIAG_NOTHING_USABLE, "has %s", state->code.wrong);
    else
        return true;
    return false;
}

static void begin_file(cpuprofile_state *state, mp_input *input, const char *path)
{
    state->path = path;
    state->code.wrong = NULL;
    state->has_nodes = state->has_samples = state->has_deltas = false;
    state->start_us = state->end_us = -1;
    state->nodes.count = state->samples.count = state->deltas.count = state->ticks.count = 0;
    *MP_ADD(&state->nodes) = (cp_node){.id = 0};
    mp_id_index_free(&state->index);
    state->json = mp_scan_open(input);
    mp_stack_profile_begin(&state->profile);
    mp_stack_profile_measures(&state->profile,
                              mp_model_intern_text(state->code.stacks.model, "cpu"));
}

static bool read_cpuprofile(void *opaque, mp_input *input, uint32_t summary)
{
    cpuprofile_state *state = opaque;
    mp_input_summary *told = &state->code.stacks.model->inputs.items[summary];
    begin_file(state, input, told->path);
    const bool usable = judge_file(state, read_file(state));
    mp_scan_close(&state->json);
    mp_stack_profile_end(&state->profile);
    if (usable)
        state->code.stacks.model->sessions.items[state->profile.session.i].duration_us =
            state->end_us - state->start_us;
    if (usable && !state->samples.count)
        SAY(state, MP_DIAG_EMPTY_PROFILE, "has no samples: nothing ran, or the profiler was off");
    told->records = state->samples.count;
    told->complete = usable && mp_input_is_whole(input);
    return usable;
}

/* --- the reader --- */

static mp_bid probe(mp_slice head)
{
    static const char *const id[] = {"{", "\"nodes\"", ":", "[", "{", "\"id\"", ":", NULL};
    static const char *const frame[] = {"{", "\"nodes\"",     ":", "[",
                                        "{", "\"callFrame\"", ":", NULL};
    return mp_json_begins(head, id) || mp_json_begins(head, frame) ? MP_MINE : MP_NOT_MINE;
}

static void *open_cpuprofile(mp_model *model, mp_diagnostics *diagnostics,
                             const mp_load_options *options)
{
    cpuprofile_state *state = mp_alloc_zero(1, sizeof *state);
    state->diagnostics = diagnostics;
    state->code = (v8_code){.stacks = {.model = model, .options = options}};
    state->profile.stacks = &state->code.stacks;
    (void)mp_model_profile(model);
    return state;
}

static void close_cpuprofile(void *opaque)
{
    cpuprofile_state *state = opaque;
    mp_stack_profile_free(&state->profile);
    mp_stack_builder_free(&state->code.stacks);
    mp_id_index_free(&state->index);
    MP_FREE(state->nodes.items, state->samples.items, state->deltas.items, state->ticks.items,
            state);
}

const mp_reader mp_reader_cpuprofile = {
    .name = "cpuprofile",
    .summary = "CPU profile of V8 (Chrome, Node, Deno)",
    .endings = ".cpuprofile",
    .versions = "all",
    .noun = "a profile of sampled time",
    .kind = MP_KIND_PROFILE,
    .holds = MP_HOLDS_UNCALLED,
    .probe = probe,
    .open = open_cpuprofile,
    .read = read_cpuprofile,
    .close = close_cpuprofile,
};
