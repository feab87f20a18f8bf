/* Folded stacks: a stack in each line, outermost frame first, and a count: "main;work;parse 12".
 * The counts are samples or, as the format folded-bytes, live bytes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/diagnose.h"
#include "base/text.h"
#include "input/fields.h"
#include "model/build.h"
#include "readers/native_code.h"
#include "readers/profile_series.h"

enum { MOST_FRAMES = 4096 };

typedef struct folded_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    native_code code;
    mp_profile *profile;      /* NULL: counts are bytes */
    mp_profile_series series; /* of files of bytes */
    mp_budget spent;          /* limits the sum of all samples */
    mp_text_buffer name;
    /* The current file: */
    mp_input *input;
    mp_session_id session;
    mp_id_index modules;              /* symbol to module */
    mp_id_index lines;                /* module and line to line of the profile */
    uint32_t first_node, first_place; /* first node of the model, and its place in the profile */
    uint64_t records, cut_stacks;
} folded_state;

#define SAY(state, id, ...)                                                                        \
    mp_diagnose((state)->diagnostics, id, mp_input_path((state)->input),                           \
                mp_input_line_number((state)->input), __VA_ARGS__)

/* --- lines of text --- */

/* Cut the count and the blanks before it off a line. A count may have decimals. Return false if
 * there is none. */
static bool cut_count(mp_slice *line, mp_slice *count)
{
    size_t place = line->length, points = 0;
    while (place && ((line->start[place - 1] >= '0' && line->start[place - 1] <= '9') ||
                     (line->start[place - 1] == '.' && !points++)))
        place--;
    *count = (mp_slice){line->start + place, line->length - place};
    const bool negative = place && line->start[place - 1] == '-';
    const size_t end = place - negative;
    if (!count->length || *count->start == '.' || end < 2 || !mp_is_gap(line->start[end - 1]))
        return false;
    count->start -= negative;
    count->length += negative;
    *line = mp_slice_trim((mp_slice){line->start, end});
    return line->length > 0;
}

/* Return true for an empty line, or a comment. */
static bool is_nothing(mp_slice line)
{
    return !mp_slice_trim(line).length || mp_slice_starts(line, "# ");
}

/* Take the outermost frame off the stack, which is not empty. */
static mp_slice take_frame(mp_slice *stack)
{
    const char *end = memchr(stack->start, ';', stack->length);
    const size_t length = end ? (size_t)(end - stack->start) : stack->length;
    const mp_slice frame = {stack->start, length};
    *stack =
        (mp_slice){frame.start + length + (end != NULL), stack->length - length - (end != NULL)};
    return frame;
}

static size_t count_frames(mp_slice stack)
{
    size_t count = 1;
    for (size_t i = 0; i < stack.length; i++)
        count += stack.start[i] == ';';
    return count;
}

/* Facts about the lines at the start of a file. */
typedef struct folded_head {
    bool folded;  /* each line is a stack with a count, and some stack has several frames */
    bool changes; /* each has a second count */
} folded_head;

/* Return true if a line of a head may be a stack: its frames do not begin with a blank, as prose
 * does after a semicolon. */
static bool is_stack(mp_slice stack, bool *several)
{
    for (size_t i = 0; i < stack.length; i++) {
        const bool begins = !i || stack.start[i - 1] == ';';
        *several |= stack.start[i] == ';';
        if ((begins && mp_is_gap(stack.start[i])) || (unsigned char)stack.start[i] < ' ')
            return false;
    }
    return true;
}

/* Examine the lines of a head; the last one only if it is whole or the only one. */
static folded_head examine(mp_slice head)
{
    folded_head found = {.folded = true, .changes = true};
    bool several = false;
    size_t lines = 0;
    mp_slice line, count;
    for (mp_slice rest = head; found.folded && mp_slice_take_line(&rest, &line);) {
        const bool whole = rest.length || head.start[head.length - 1] == '\n' || !lines;
        if (is_nothing(line) || !whole)
            continue;
        found.folded = cut_count(&line, &count) && is_stack(line, &several);
        found.changes &= found.folded && cut_count(&line, &count);
        lines++;
    }
    found.folded &= several;
    found.changes &= found.folded;
    return found;
}

/* --- frames --- */

/* Replace the escapes that memprof writes for semicolons in names. */
static mp_slice without_escapes(folded_state *state, mp_slice name)
{
    static const char escape[] = "\\x3b";
    const size_t length = sizeof escape - 1;
    const char *found;
    if (!memmem(name.start, name.length, escape, length))
        return name;
    state->name.length = 0;
    while ((found = memmem(name.start, name.length, escape, length))) {
        mp_text_put(&state->name, name.start, (size_t)(found - name.start));
        mp_text_put(&state->name, ";", 1);
        name.length -= (size_t)(found - name.start) + length;
        name.start = found + length;
    }
    mp_text_put(&state->name, name.start, name.length);
    return (mp_slice){state->name.text, state->name.length};
}

/* Cut off an annotation such as "_[j]": k for the kernel, and how code was compiled. Return true
 * for the kernel. */
static bool cut_annotation(mp_slice *name)
{
    enum { LENGTH = 4 };
    if (name->length <= LENGTH)
        return false;
    const char *mark = name->start + name->length - LENGTH;
    if (mark[0] != '_' || mark[1] != '[' || mark[3] != ']' || !mark[2] ||
        !strchr("kwij01", mark[2]))
        return false;
    name->length -= LENGTH;
    return mark[2] == 'k';
}

/* Return the symbol and line of a frame: "NAME", "NAME:LINE" or "NAME (FILE:LINE)". */
static native_frame frame_of(folded_state *state, mp_slice name)
{
    const mp_slice none = {"", 0};
    uint32_t line;
    mp_slice function;
    name = without_escapes(state, name);
    if (cut_annotation(&name))
        return (native_frame){native_symbol(&state->code, name, none, mp_slice_of("[kernel]")),
                              MP_NO_LINE};
    if (native_split_place(name, &function, &line))
        return (native_frame){native_symbol(&state->code, function, none, none), line};
    return native_frame_of_label(&state->code, name);
}

/* --- the profile --- */

/* Return the module of a symbol: a function, in its source or in the kernel. */
static mp_module_id module_of(folded_state *state, mp_symbol_id id)
{
    mp_profile *profile = state->profile;
    uint32_t *place = mp_id_index_put(&state->modules, id.i);
    if (!*place) {
        const mp_symbol *symbol = &state->model->symbols.items[id.i];
        *MP_ADD(&profile->modules) =
            (mp_module){.session = state->session,
                        .number = state->modules.count,
                        .defined = true,
                        .name = symbol->name,
                        .method = symbol->name,
                        .program = symbol->source.i ? symbol->source : symbol->module};
        *place = profile->modules.count - 1;
    }
    return (mp_module_id){*place};
}

/* Add a node of the profile for a new node of the model. */
static void add_node(folded_state *state, const mp_stack_frame *frame, mp_symbol_id symbol)
{
    const mp_node *node = &state->model->nodes.items[frame->node.i];
    *MP_ADD(&state->profile->nodes) = (mp_profile_node){.node = frame->node,
                                                        .module = module_of(state, symbol),
                                                        .parent = node->parent,
                                                        .line = (int32_t)node->line};
}

/* Return the node of the profile that belongs to a node of the model. */
static mp_profile_node *node_at(folded_state *state, mp_node_id node)
{
    return &state->profile->nodes.items[state->first_place + (node.i - state->first_node)];
}

/* Add samples to the innermost frame's line and node. */
static void add_samples(folded_state *state, mp_stack_frame frame, int64_t count)
{
    mp_profile *profile = state->profile;
    mp_profile_node *node = node_at(state, frame.node);
    const uint64_t key = (uint64_t)node->module.i << 32 | frame.line;
    uint32_t *place = mp_id_index_put(&state->lines, key);
    if (!*place) {
        *MP_ADD(&profile->lines) = (mp_profile_line){
            .module = node->module,
            .line = (int32_t)frame.line,
            .unknown = MP_UNKNOWN_EXECUTIONS | MP_UNKNOWN_AVERAGE | MP_UNKNOWN_CUMULATIVE};
        *place = profile->lines.count - 1;
    }
    profile->lines.items[*place].exclusive_us += count;
    node->cumulative_us += count;
}

/* Add the cost of each node to its callers, which precede it. */
static void sum_nodes(folded_state *state)
{
    for (uint32_t i = state->profile->nodes.count; i-- > state->first_place;) {
        const mp_profile_node *node = &state->profile->nodes.items[i];
        if (node->parent.i)
            node_at(state, node->parent)->cumulative_us += node->cumulative_us;
    }
}

/* --- lines --- */

/* Parse a whole count. Return NULL, or what is wrong with it. */
static const char *parse_count(mp_slice text, int64_t *count)
{
    if (*text.start == '-')
        return "is negative, as a difference of two profiles is";
    if (!native_take_number(&text, count))
        return "is impossibly large";
    for (size_t i = 0; i < text.length; i++)
        if (text.start[i] != '.' && text.start[i] != '0')
            return "has a fraction";
    return NULL;
}

/* Cut the frame off that memprof writes for objects of an unknown type. */
static void cut_type(mp_slice *stack)
{
    static const char unknown[] = ";(unknown)";
    const size_t length = sizeof unknown - 1;
    if (stack->length > length &&
        memcmp(stack->start + stack->length - length, unknown, length) == 0)
        stack->length -= length;
}

/* Enter a stack. Of a very deep one, only the innermost frames are kept. */
static mp_stack_frame enter(folded_state *state, mp_slice stack)
{
    mp_stack_frame frame = {0};
    size_t frames = count_frames(stack);
    state->cut_stacks += frames > MOST_FRAMES;
    for (; frames; frames--) {
        const mp_slice name = take_frame(&stack);
        if (frames > MOST_FRAMES)
            continue;
        const uint32_t nodes = state->model->nodes.count;
        const native_frame called = frame_of(state, name);
        mp_stack_call(&state->code.stacks, &frame, called.symbol, called.line);
        if (state->profile && frame.node.i == nodes)
            add_node(state, &frame, called.symbol);
    }
    return frame;
}

static void read_line(folded_state *state, mp_slice line)
{
    mp_slice text;
    int64_t count = 0;
    if (is_nothing(line))
        return;
    if (!cut_count(&line, &text)) {
        SAY(state, MP_DIAG_BAD_ROW,
            "line has no stack or no count, expected FRAME;FRAME COUNT: line skipped");
        return;
    }
    const char *wrong = parse_count(text, &count);
    if (!wrong && !(state->profile ? mp_budget_take(&state->spent, count)
                                   : mp_census_affords(&state->series.census, count)))
        wrong = "is impossibly large";
    if (wrong) {
        SAY(state, MP_DIAG_BAD_ROW, "count %.*s %s, expected a whole number: line skipped",
            (int)(text.length < 40 ? text.length : 40), text.start, wrong);
        return;
    }
    state->records++;
    if (!count)
        return;
    if (!state->profile)
        cut_type(&line);
    const mp_stack_frame frame = enter(state, line);
    const mp_context context = {.node = frame.node, .line = frame.line};
    const mp_census_share alive = {count, count};
    if (state->profile)
        add_samples(state, frame, count);
    else
        mp_profile_series_add(&state->series, &context, alive, alive);
}

/* --- files --- */

static void begin_profile(folded_state *state)
{
    (void)MP_ADD(&state->model->sessions);
    state->session.i = state->model->sessions.count - 1;
    mp_id_index_free(&state->modules);
    mp_id_index_free(&state->lines);
    mp_id_index_free(&state->code.stacks.nodes);
    state->first_node = state->model->nodes.count;
    state->first_place = state->profile->nodes.count;
    const mp_string_id name = mp_model_intern_text(state->model, "session");
    *MP_ADD(&state->profile->modules) =
        (mp_module){.session = state->session, .defined = true, .name = name, .program = name};
}

/* Report data that was read but could not be used as it is. */
static void tell_rest(folded_state *state)
{
    if (!mp_input_line_closed(state->input))
        SAY(state, MP_DIAG_TORN,
            "the file is truncated, expected the end of its last line: the count may be cut");
    if (state->cut_stacks)
        SAY(state, MP_DIAG_CUT_STACKS,
            "%" PRIu64 " stacks have more than %d frames: only their innermost frames are kept",
            state->cut_stacks, MOST_FRAMES);
    if (state->code.converted)
        mp_reader_tell_converted(state->diagnostics, mp_input_path(state->input));
}

static bool read_folded(void *opaque, mp_input *input, uint32_t summary)
{
    folded_state *state = opaque;
    mp_slice line;
    state->input = input;
    state->records = state->cut_stacks = 0;
    state->code.converted = false;
    if (examine(mp_input_look_ahead(input)).changes) {
        SAY(state, MP_DIAG_NOTHING_USABLE,
            "each stack has two counts, as a comparison of two profiles has, expected one: memprof "
            "diff compares the two profiles");
        return false;
    }
    if (state->profile)
        begin_profile(state);
    else
        mp_profile_series_begin(&state->series);
    while (mp_input_line(input, &line))
        read_line(state, line);
    if (state->profile)
        sum_nodes(state);
    tell_rest(state);
    mp_input_summary *told = &state->model->inputs.items[summary];
    told->records = state->records;
    told->open_ended = true;
    told->complete = mp_input_line_closed(input) && mp_input_is_whole(input);
    if (!state->records)
        SAY(state, MP_DIAG_NOTHING_USABLE, "has no stacks, expected lines such as main;work 12");
    else if (!state->profile)
        mp_profile_series_end(&state->series, summary, 0, false);
    return state->records;
}

/* --- the readers --- */

static mp_bid probe(mp_slice head)
{
    return head.length && examine(head).folded ? MP_PERHAPS_MINE : MP_NOT_MINE;
}

static mp_bid probe_bytes(mp_slice head)
{
    return probe(head) == MP_NOT_MINE ? MP_NOT_MINE : MP_IF_CHOSEN;
}

static folded_state *open_any(mp_model *model, mp_diagnostics *diagnostics,
                              const mp_load_options *options)
{
    folded_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->diagnostics = diagnostics;
    state->code = (native_code){.stacks = {.model = model, .options = options}};
    return state;
}

static void *open_folded(mp_model *model, mp_diagnostics *diagnostics,
                         const mp_load_options *options)
{
    folded_state *state = open_any(model, diagnostics, options);
    state->profile = mp_model_profile(model);
    return state;
}

static void *open_bytes(mp_model *model, mp_diagnostics *diagnostics,
                        const mp_load_options *options)
{
    folded_state *state = open_any(model, diagnostics, options);
    mp_profile_series_open(&state->series, model, diagnostics);
    model->holds |= MP_HOLDS_NATIVE | MP_HOLDS_UNCOUNTED;
    return state;
}

static void close_folded(void *opaque)
{
    folded_state *state = opaque;
    if (!state->profile)
        mp_profile_series_close(&state->series);
    mp_stack_builder_free(&state->code.stacks);
    mp_id_index_free(&state->modules);
    mp_id_index_free(&state->lines);
    free(state->name.text);
    free(state);
}

const mp_reader mp_reader_folded = {
    .name = "folded",
    .summary = "folded stacks of samples (perf, py-spy, async-profiler)",
    .endings = ".folded .collapsed",
    .versions = "all",
    .noun = "a profile of samples",
    .kind = MP_KIND_PROFILE,
    .holds = MP_HOLDS_SAMPLES | MP_HOLDS_UNCALLED,
    .probe = probe,
    .open = open_folded,
    .read = read_folded,
    .close = close_folded,
};

const mp_reader mp_reader_folded_bytes = {
    .name = "folded-bytes",
    .summary = "folded stacks of live bytes, if chosen as the format",
    .endings = ".folded",
    .versions = "all",
    .noun = "folded stacks of live bytes",
    .kind = MP_KIND_DATABASE,
    .probe = probe_bytes,
    .open = open_bytes,
    .read = read_folded,
    .close = close_folded,
};
