/* Folded stacks: a stack in each line, outermost frame first, and a count: "main;work;parse 12".
 * The counts are samples or, in the format folded-bytes, live bytes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "input/fields.h"
#include "model/build.h"
#include "readers/native_code.h"
#include "readers/profile_series.h"
#include "readers/stack_profile.h"

enum { MOST_FRAMES = 4096 };

typedef struct folded_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    native_code code;
    bool of_bytes;
    mp_stack_profile profile; /* profile of samples */
    mp_profile_series series; /* series of files of bytes */
    mp_text_buffer name;
    /* The current file: */
    mp_input *input;
    uint64_t records, cut_stacks;
} folded_state;

#define SAY(state, id, ...)                                                                        \
    mp_diagnose((state)->diagnostics, id, mp_input_path((state)->input),                           \
                mp_input_line_number((state)->input), __VA_ARGS__)

/* --- lines of text --- */

/* Remove the count, and the blanks before it, from a line. A count may have decimals. Return false
 * if there is no count. */
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

/* Remove the outermost frame from the stack, which must not be empty. */
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
    bool changes; /* each line has a second count */
} folded_head;

/* Return true if a line at the start of a file may be a stack. Its frames do not begin with a
 * blank, as prose does after a semicolon. */
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

/* Examine the lines at the start of a file. The last line counts only if it is complete or the only
 * one. */
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

/* Remove an annotation such as "_[j]" from a name. It says that the code belongs to the kernel (k),
 * or how the code was compiled. Return true for the kernel. */
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

/* --- lines --- */

/* Parse a whole count. Return NULL, or a text that says what is wrong with it. */
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

/* Remove the frame that memprof writes for objects of an unknown type. */
static void cut_type(mp_slice *stack)
{
    static const char unknown[] = ";(unknown)";
    const size_t length = sizeof unknown - 1;
    if (stack->length > length &&
        memcmp(stack->start + stack->length - length, unknown, length) == 0)
        stack->length -= length;
}

/* Enter a stack. If it is very deep, only its innermost frames are kept. */
static mp_stack_frame enter(folded_state *state, mp_slice stack)
{
    mp_stack_frame frame = {0};
    size_t frames = count_frames(stack);
    state->cut_stacks += frames > MOST_FRAMES;
    for (; frames; frames--) {
        const mp_slice name = take_frame(&stack);
        if (frames > MOST_FRAMES)
            continue;
        const native_frame called = frame_of(state, name);
        mp_stack_call(&state->code.stacks, &frame, called.symbol, called.line);
    }
    return frame;
}

/* Add the count of a stack. Return false if it is too large. */
static bool add(folded_state *state, mp_slice stack, int64_t count)
{
    if (!count)
        return true;
    if (!state->of_bytes)
        return mp_stack_profile_add(&state->profile, enter(state, stack), count);
    if (!mp_census_affords(&state->series.census, count))
        return false;
    cut_type(&stack);
    const mp_stack_frame frame = enter(state, stack);
    const mp_context context = {.node = frame.node, .line = frame.line};
    const mp_census_share alive = {count, count};
    mp_profile_series_add(&state->series, &context, alive, alive);
    return true;
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
    if (!wrong && !add(state, line, count))
        wrong = "is impossibly large";
    if (wrong) {
        SAY(state, MP_DIAG_BAD_ROW, "count %.*s %s, expected a whole number: line skipped",
            (int)(text.length < 40 ? text.length : 40), text.start, wrong);
        return;
    }
    state->records++;
}

/* --- files --- */

/* Report data that was read, but could not be used as it is. */
static void tell_rest(folded_state *state)
{
    if (!mp_input_line_closed(state->input))
        SAY(state, MP_DIAG_TORN,
            "the file is truncated, expected the end of its last line: the count may be cut");
    if (state->cut_stacks)
        SAY(state, MP_DIAG_CUT_STACKS,
            "%" PRIu64 " stacks have more than %d frames: only their innermost frames are kept",
            state->cut_stacks, MOST_FRAMES);
}

static bool read_folded(void *opaque, mp_input *input, uint32_t summary)
{
    folded_state *state = opaque;
    mp_slice line;
    state->input = input;
    state->records = state->cut_stacks = 0;
    if (examine(mp_input_look_ahead(input)).changes) {
        SAY(state, MP_DIAG_NOTHING_USABLE,
            "each stack has two counts, as a comparison of two profiles has, expected one: memprof "
            "diff compares the two profiles");
        return false;
    }
    if (state->of_bytes)
        mp_profile_series_begin(&state->series);
    else
        mp_stack_profile_begin(&state->profile);
    while (mp_input_line(input, &line))
        read_line(state, line);
    if (!state->of_bytes)
        mp_stack_profile_end(&state->profile);
    tell_rest(state);
    mp_input_summary *told = &state->model->inputs.items[summary];
    told->records = state->records;
    told->open_ended = true;
    told->complete = mp_input_line_closed(input) && mp_input_is_whole(input);
    if (!state->records)
        SAY(state, MP_DIAG_NOTHING_USABLE, "has no stacks, expected lines such as main;work 12");
    else if (state->of_bytes)
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
    state->profile.stacks = &state->code.stacks;
    (void)mp_model_profile(model);
    return state;
}

static void *open_bytes(mp_model *model, mp_diagnostics *diagnostics,
                        const mp_load_options *options)
{
    folded_state *state = open_any(model, diagnostics, options);
    state->of_bytes = true;
    mp_profile_series_open(&state->series, model, diagnostics);
    model->holds |= MP_HOLDS_NATIVE | MP_HOLDS_UNCOUNTED;
    return state;
}

static void close_folded(void *opaque)
{
    folded_state *state = opaque;
    if (state->of_bytes)
        mp_profile_series_close(&state->series);
    mp_stack_profile_free(&state->profile);
    mp_stack_builder_free(&state->code.stacks);
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
