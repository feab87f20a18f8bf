/* Sampled heap profiles of V8: a tree of functions. For each function, it states the bytes that the
 * function allocated and that are still in use, but no numbers of objects.
 *
 * Source: HeapProfiler.SamplingHeapProfile of the Chrome DevTools Protocol.
 * docs/formats/heapprofile.md describes the members. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/diagnose.h"
#include "readers/profile_series.h"
#include "readers/v8_code.h"

enum { MOST_FRAMES = 4096 /* maximum depth of calls; V8 itself records at most 128 */ };

/* A node of the tree of which the end is not read yet. */
typedef struct hp_node {
    mp_stack_frame frame;
    bool named;       /* its call frame is read */
    bool sized;       /* its size is read */
    bool in_children; /* the cursor is in the array of the node's children */
    uint64_t bytes;
} hp_node;

typedef struct heapprofile_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    v8_code code;
    mp_profile_series series;
    hp_node *open; /* the nodes that contain the cursor, outermost first */
    /* The current file: */
    mp_json_cursor json;
    const char *path;
    uint64_t nodes;
    bool allocated; /* a function of this file has bytes */
    bool has_head;
} heapprofile_state;

#define SAY(state, id, ...) mp_diagnose((state)->diagnostics, id, (state)->path, 0, __VA_ARGS__)

/* Read the function of a node. It becomes a callee of its caller's function. The root of the tree
 * is not a function. */
static bool read_call_frame(heapprofile_state *state, hp_node *node)
{
    mp_symbol_id symbol;
    if (!v8_call_frame(&state->code, &state->json, &symbol))
        return false;
    node->named = true;
    if (node != state->open)
        mp_stack_call(&state->code.stacks, &node->frame, symbol,
                      MP_NO_LINE); /* the file does not state which line runs */
    return true;
}

/* --- the tree --- */

/* Begin the node at the cursor, whose caller is the innermost open node. */
static bool open_node(heapprofile_state *state, size_t *depth)
{
    if (*depth == MOST_FRAMES)
        return v8_refuse(&state->code, "more than 4096 functions in each other");
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    const mp_stack_frame caller =
        *depth ? state->open[*depth - 1].frame : (mp_stack_frame){.line = 0};
    state->open[(*depth)++] = (hp_node){.frame = caller};
    return true;
}

/* Add the bytes of a node at its end. */
static bool end_node(heapprofile_state *state, const hp_node *node)
{
    state->nodes++;
    if (!node->named || !node->sized)
        return v8_refuse(&state->code, "a node without callFrame or selfSize");
    if (node->bytes > INT64_MAX || !mp_census_affords(&state->series.census, (int64_t)node->bytes))
        return v8_refuse(&state->code, "an impossibly large size");
    const mp_context context = {.node = node->frame.node, .line = node->frame.line};
    const mp_census_share alive = {(int64_t)node->bytes, (int64_t)node->bytes};
    state->allocated |= node->bytes > 0;
    if (node->bytes)
        mp_profile_series_add(&state->series, &context, alive, alive);
    return true;
}

/* Read the members of a node, up to its end or its children. */
static bool read_members(heapprofile_state *state, hp_node *node, bool *ended)
{
    const mp_text_buffer *name = &state->json.name;
    while (mp_scan_member(&state->json)) {
        bool ok = true;
        if (mp_text_buffer_is(name, "children") && mp_scan_enter(&state->json, '[')) {
            node->in_children = true;
            return node->named || v8_refuse(&state->code, "children before their callFrame");
        }
        if (mp_text_buffer_is(name, "callFrame"))
            ok = node->named ? v8_refuse(&state->code, "two callFrames")
                             : read_call_frame(state, node);
        else if (mp_text_buffer_is(name, "selfSize"))
            ok = node->sized = mp_scan_unsigned(&state->json, &node->bytes);
        else
            ok = mp_scan_skip(&state->json);
        if (!ok)
            return false;
    }
    *ended = true;
    return !state->json.bad && end_node(state, node);
}

/* Read the tree without recursion, because the file determines its depth. */
static bool read_tree(heapprofile_state *state)
{
    size_t depth = 0;
    bool ok = open_node(state, &depth);
    while (ok && depth) {
        hp_node *node = &state->open[depth - 1];
        bool ended = false;
        if (node->in_children) {
            node->in_children = mp_scan_more(&state->json, ']');
            ok = node->in_children ? open_node(state, &depth) : !state->json.bad;
        } else {
            ok = read_members(state, node, &ended);
            depth -= ended;
        }
    }
    return ok;
}

/* --- the file --- */

static bool read_file(heapprofile_state *state)
{
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    while (mp_scan_member(&state->json)) {
        const bool head = mp_text_buffer_is(&state->json.name, "head");
        if (head && state->has_head)
            return v8_refuse(&state->code, "two trees");
        if (head ? !read_tree(state) : !mp_scan_skip(&state->json))
            return false;
        state->has_head |= head;
    }
    return !state->json.bad;
}

/* Return true if the file can be used; otherwise report why not. */
static bool judge_file(heapprofile_state *state, bool whole)
{
    if (!whole)
        v8_tell_malformed(&state->code, &state->json, state->diagnostics, state->path);
    else if (!state->has_head)
        SAY(state, MP_DIAG_NOTHING_USABLE, "has no tree, expected \"head\"");
    else if (mp_scan_peek(&state->json) >= 0)
        SAY(state, MP_DIAG_NOTHING_USABLE, "continues after its end, at byte %" PRIu64,
            mp_scan_offset(&state->json));
    else
        return true;
    return false;
}

static bool read_heapprofile(void *opaque, mp_input *input, uint32_t summary)
{
    heapprofile_state *state = opaque;
    mp_input_summary *told = &state->model->inputs.items[summary];
    state->path = told->path;
    state->code.wrong = NULL;
    state->nodes = 0;
    state->has_head = state->allocated = false;
    state->json = mp_scan_open(input);
    mp_profile_series_begin(&state->series);
    const bool usable = judge_file(state, read_file(state));
    mp_scan_close(&state->json);
    if (usable)
        mp_profile_series_end(&state->series, summary, 0, false);
    if (usable && !state->allocated)
        SAY(state, MP_DIAG_EMPTY_PROFILE,
            "has no bytes: less than the sampling interval is in use, or the profiler was off");
    told->records = state->nodes;
    told->complete = usable && mp_input_is_whole(input);
    return usable;
}

/* --- the reader --- */

/* Claim a tree that begins with its root. All writers give the root the same name. */
static mp_bid probe(mp_slice head)
{
    static const char *const words[] = {"{", "\"head\"",         ":", "{", "\"callFrame\"", ":",
                                        "{", "\"functionName\"", NULL};
    return mp_json_begins(head, words) ? MP_MINE : MP_NOT_MINE;
}

static void *open_heapprofile(mp_model *model, mp_diagnostics *diagnostics,
                              const mp_load_options *options)
{
    heapprofile_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->diagnostics = diagnostics;
    state->code = (v8_code){.stacks = {.model = model, .options = options}};
    state->open = mp_alloc(MOST_FRAMES * sizeof *state->open);
    mp_profile_series_open(&state->series, model, diagnostics);
    model->holds |= MP_HOLDS_NATIVE | MP_HOLDS_UNCOUNTED;
    return state;
}

static void close_heapprofile(void *opaque)
{
    heapprofile_state *state = opaque;
    mp_profile_series_close(&state->series);
    mp_stack_builder_free(&state->code.stacks);
    free(state->open);
    free(state);
}

const mp_reader mp_reader_heapprofile = {
    .name = "heapprofile",
    .summary = "sampled heap profile of V8 (Chrome, Node, Deno)",
    .endings = ".heapprofile",
    .versions = "all",
    .noun = "a heap profile",
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .open = open_heapprofile,
    .read = read_heapprofile,
    .close = close_heapprofile,
};
