/* Leak records in the XML output of valgrind's memcheck, which has one element per line.
 *
 * docs/formats/memcheck.md describes the elements and names the sources. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "readers/leak_report.h"

typedef struct memcheck_state {
    leak_report *report;
    mp_arena texts; /* texts of the current frame */
    /* The current file: */
    bool checked;   /* a program ended, so memcheck has searched for leaks */
    bool ended;     /* the output of each program is complete */
    bool hidden;    /* an option of valgrind excludes records of definitely lost blocks */
    bool off;       /* an option of valgrind (which valgrind 3.19 ignores) turns the records off */
    bool shows_all; /* an option of valgrind shows leaks of all kinds */
    bool repeats;   /* two programs wrote to one output */
    uint64_t others, early, suppressed;
    int64_t shown, stated; /* loss records after the end of the program; 0: not stated */
    enum { IN_NOTHING, IN_ERROR, IN_FRAME, IN_ARGUMENTS, IN_SUPPRESSIONS } where;
    /* The current error: */
    int kind;                        /* a leak_class; LEAK_CLASSES: not a leak; -1: not stated */
    int64_t bytes, indirect, blocks; /* -1: not stated */
    mp_slice name, file, module;
    int64_t line;
} memcheck_state;

/* Set `text` to the content of a line <NAME>TEXT</NAME>. Return false if the line has another
 * form. */
static bool content(mp_slice line, const char *name, mp_slice *text)
{
    const size_t length = strlen(name), tags = 2 * length + 5;
    if (line.length < tags || line.start[0] != '<' || memcmp(line.start + 1, name, length) != 0 ||
        line.start[length + 1] != '>')
        return false;
    const char *end = line.start + line.length - length - 3;
    if (memcmp(end, "</", 2) != 0 || memcmp(end + 2, name, length) != 0 ||
        line.start[line.length - 1] != '>')
        return false;
    *text = (mp_slice){line.start + length + 2, line.length - tags};
    return true;
}

/* Return true if a line is an element that ends with the tag of its name. */
static bool is_element(mp_slice line)
{
    const char *end = line.length ? memchr(line.start, '>', line.length) : NULL;
    const size_t length = end ? (size_t)(end - line.start) : 0; /* of "<NAME" */
    if (length < 2 || line.length < 2 * length + 3)
        return false;
    const char *last = line.start + line.length - length - 2; /* of "</NAME>" */
    return *line.start == '<' && memcmp(last, "</", 2) == 0 &&
           memcmp(last + 2, line.start + 1, length - 1) == 0 && line.start[line.length - 1] == '>';
}

/* Return a copy of a text in which references to characters are replaced. */
static mp_slice unescaped(memcheck_state *state, mp_slice text)
{
    static const struct {
        const char *escape;
        char sign;
    } escapes[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    char *copy = mp_arena_alloc(&state->texts, text.length + 1), *end = copy;
    for (size_t i = 0; i < text.length;) {
        const mp_slice rest = {text.start + i, text.length - i};
        size_t taken = 1;
        *end = text.start[i];
        for (size_t k = 0; *end == '&' && k < sizeof escapes / sizeof *escapes; k++)
            if (mp_slice_starts(rest, escapes[k].escape)) {
                taken = strlen(escapes[k].escape);
                *end = escapes[k].sign;
                break;
            }
        end++;
        i += taken;
    }
    return (mp_slice){copy, (size_t)(end - copy)};
}

/* Set a number; set it to -1, after a diagnostic, if the element has none. */
static void set_number(memcheck_state *state, mp_slice text, int64_t *number)
{
    if (!native_take_number(&text, number) || text.length) {
        *number = -1;
        leak_say(state->report, MP_DIAG_BAD_ROW, "element has no number, or it is too large");
    }
}

/* --- errors --- */

static void begin_error(memcheck_state *state)
{
    if (state->where == IN_ERROR || state->where == IN_FRAME) {
        leak_say(state->report, MP_DIAG_BAD_ROW,
                 "error begins inside another, expected </error> before it: the other is skipped");
        leak_drop_frames(state->report);
    }
    state->where = IN_ERROR;
    state->kind = -1;
    state->bytes = state->blocks = -1;
    state->indirect = 0;
}

static void end_frame(memcheck_state *state)
{
    const bool has_line = state->file.length && state->line > 0 && state->line <= INT32_MAX;
    if (state->kind != LEAK_CLASSES)
        leak_add_frame(state->report,
                       (native_frame){native_symbol(&state->report->code, state->name, state->file,
                                                    state->module),
                                      has_line ? (uint32_t)state->line : MP_NO_LINE});
    mp_arena_reset(&state->texts);
    state->where = IN_ERROR;
}

static void end_error(memcheck_state *state)
{
    const int64_t direct = state->bytes - state->indirect;
    state->where = IN_NOTHING;
    if (state->kind == LEAK_CLASSES && state->bytes < 0)
        state->others++;
    else if (state->kind == LEAK_CLASSES)
        leak_say(state->report, MP_DIAG_BAD_ROW,
                 "leak has an unknown kind, expected one such as Leak_DefinitelyLost: record "
                 "skipped");
    else if (state->kind < 0 || state->bytes < 0 || state->blocks < 0 || direct < 0)
        leak_say(state->report, MP_DIAG_BAD_ROW,
                 "leak lacks its bytes or blocks, expected kind, leakedbytes and leakedblocks: "
                 "record skipped");
    else if (!state->checked)
        state->early++;
    else {
        leak_end_record(state->report, (leak_class)state->kind,
                        (mp_census_share){.objects = state->blocks, .bytes = direct},
                        state->indirect);
        return;
    }
    leak_drop_frames(state->report);
}

static void read_kind(memcheck_state *state, mp_slice text)
{
    static const char *const kinds[LEAK_CLASSES] = {"Leak_DefinitelyLost", "Leak_IndirectlyLost",
                                                    "Leak_PossiblyLost", "Leak_StillReachable"};
    state->kind = 0;
    while (state->kind < LEAK_CLASSES && !mp_slice_is(text, kinds[state->kind]))
        state->kind++;
}

/* Read the indirect bytes and the number of records of "480 (48 direct, 432 indirect) bytes in 1
 * blocks are definitely lost in loss record 2 of 7". */
static void read_amounts(memcheck_state *state, mp_slice text)
{
    static const char record[] = "in loss record ";
    int64_t sum, direct, indirect, place, count;
    const char *found = memmem(text.start, text.length, record, strlen(record));
    if (found) {
        found += strlen(record);
        mp_slice rest = {found, text.length - (size_t)(found - text.start)};
        if (native_take_number(&rest, &place) && mp_slice_take(&rest, "of ") &&
            native_take_number(&rest, &count) && state->checked) {
            state->shown++;
            state->stated = count;
        }
    }
    if (native_take_number(&text, &sum) && mp_slice_take(&text, "(") &&
        native_take_number(&text, &direct) && mp_slice_take(&text, "direct, ") &&
        native_take_number(&text, &indirect) && mp_slice_take(&text, "indirect)"))
        state->indirect = indirect;
}

static void read_frame(memcheck_state *state, mp_slice line)
{
    mp_slice text;
    if (mp_slice_is(line, "</frame>"))
        end_frame(state);
    else if (content(line, "fn", &text))
        state->name = unescaped(state, text);
    else if (content(line, "file", &text))
        state->file = unescaped(state, text);
    else if (content(line, "obj", &text))
        state->module = unescaped(state, text);
    else if (content(line, "line", &text))
        set_number(state, text, &state->line);
    else if (line.length && !is_element(line))
        leak_say(state->report, MP_DIAG_BAD_ROW,
                 "frame is damaged, expected elements such as <fn>main</fn>, and </frame>");
}

static void read_error(memcheck_state *state, mp_slice line)
{
    mp_slice text;
    if (mp_slice_is(line, "<frame>")) {
        state->where = IN_FRAME;
        state->name = state->file = state->module = (mp_slice){"", 0};
        state->line = 0;
    } else if (mp_slice_is(line, "</error>"))
        end_error(state);
    else if (content(line, "kind", &text) && state->kind < 0)
        read_kind(state, text);
    else if (content(line, "text", &text))
        read_amounts(state, text);
    else if (content(line, "leakedbytes", &text))
        set_number(state, text, &state->bytes);
    else if (content(line, "leakedblocks", &text))
        set_number(state, text, &state->blocks);
}

/* --- the file --- */

/* Note if an option of valgrind excludes leaks. */
static void read_option(memcheck_state *state, mp_slice option)
{
    if (option.length < 2)
        return;
    option = (mp_slice){option.start + 2, option.length - 2}; /* remove its dashes */
    if (mp_slice_take(&option, "leak-check=")) {
        state->off = mp_slice_is(option, "no") || mp_slice_is(option, "summary");
    } else if (mp_slice_take(&option, "show-leak-kinds=")) {
        state->shows_all = mp_slice_is(option, "all");
        state->hidden = !state->shows_all &&
                        !memmem(option.start, option.length, "definite", strlen("definite"));
    } else if (mp_slice_take(&option, "show-reachable=")) {
        state->shows_all = mp_slice_is(option, "yes");
        state->hidden = false;
    } else if (mp_slice_is(option, "show-possibly-lost=no")) {
        state->shows_all = false;
    }
}

static void end_program(memcheck_state *state)
{
    if (state->checked && !state->ended && !state->repeats) {
        leak_say(state->report, MP_DIAG_BAD_ROW,
                 "several programs wrote to this file, expected one, as with %%p in the file name "
                 "of valgrind's option xml-file");
        state->repeats = true;
    }
    state->checked = true;
}

static void read_line(memcheck_state *state, mp_slice line)
{
    leak_report *report = state->report;
    mp_recorded_session *session = &report->model->sessions.items[report->session.i];
    mp_slice text;
    int64_t number = 0;
    if (mp_slice_is(line, "<error>"))
        begin_error(state);
    else if (state->where == IN_FRAME)
        read_frame(state, line);
    else if (state->where == IN_ERROR)
        read_error(state, line);
    else if (mp_slice_is(line, "</error>"))
        leak_say(report, MP_DIAG_BAD_ROW,
                 "error ends, but did not begin, expected <error> before it: record skipped");
    else if (mp_slice_is(line, "<argv>"))
        state->where = IN_ARGUMENTS;
    else if (mp_slice_is(line, "<suppcounts>"))
        state->where = IN_SUPPRESSIONS;
    else if (mp_slice_is(line, "</argv>") || mp_slice_is(line, "</suppcounts>"))
        state->where = IN_NOTHING;
    else if (state->where == IN_SUPPRESSIONS && content(line, "count", &text)) {
        set_number(state, text, &number);
        state->suppressed += number > 0 ? (uint64_t)number : 0;
    } else if (content(line, "arg", &text) && state->where == IN_NOTHING)
        read_option(state, text);
    else if (content(line, "exe", &text) && state->where == IN_ARGUMENTS) {
        session->application = mp_model_intern(report->model, unescaped(state, text));
        mp_arena_reset(&state->texts);
    } else if (content(line, "pid", &text)) {
        set_number(state, text, &number);
        session->process_id = number > 0 ? (uint64_t)number : 0;
        session->has_process_id = number > 0;
    } else if (mp_slice_is(line, "<state>FINISHED</state>"))
        end_program(state);
    else if (mp_slice_is(line, "<valgrindoutput>"))
        state->checked = state->ended = false;
    else if (mp_slice_is(line, "</valgrindoutput>"))
        state->ended = true;
}

/* Return true if the file states which blocks leak. If it does not, report that. */
static bool judge_file(memcheck_state *state)
{
    leak_report *report = state->report;
    if (state->hidden) {
        leak_say(report, MP_DIAG_NOTHING_USABLE,
                 "has no records of definitely lost blocks, expected definite or all in valgrind's "
                 "option show-leak-kinds");
        return false;
    }
    if (!report->records && state->off) {
        leak_say(report, MP_DIAG_NOTHING_USABLE,
                 "does not state what leaks, expected full in valgrind's option leak-check");
        return false;
    }
    if (!report->records && (!state->checked || !state->ended)) {
        leak_say(report, MP_DIAG_NOTHING_USABLE,
                 "ends before memcheck has checked for leaks, expected <state>FINISHED</state>, "
                 "the records, and </valgrindoutput>");
        return false;
    }
    if (!state->ended)
        leak_say(report, MP_DIAG_TORN, "the file is truncated, expected </valgrindoutput>");
    else if (state->shows_all && !state->early && !state->repeats &&
             state->shown + (int64_t)state->suppressed < state->stated)
        leak_say(report, MP_DIAG_TORN,
                 "has %" PRId64 " of %" PRId64 " loss records: some are missing", state->shown,
                 state->stated);
    if (state->suppressed && !report->records)
        leak_say(report, MP_DIAG_EMPTY_PROFILE,
                 "has no leaks, but errors that valgrind's suppressions hide may be some: %" PRIu64,
                 state->suppressed);
    else if (state->suppressed)
        leak_say(report, MP_DIAG_PASSED_OVER, "errors that valgrind's suppressions hide: %" PRIu64,
                 state->suppressed);
    if (state->others)
        leak_say(report, MP_DIAG_PASSED_OVER,
                 "errors that are no leaks, which are left out: %" PRIu64, state->others);
    if (state->early)
        leak_say(report, MP_DIAG_PASSED_OVER,
                 "leaks found before the end of the program, which are left out: %" PRIu64,
                 state->early);
    return true;
}

static bool read_memcheck(void *opaque, mp_input *input, uint32_t summary)
{
    memcheck_state *state = opaque;
    state->checked = state->ended = state->hidden = state->off = state->repeats = false;
    state->shows_all = false;
    state->shown = state->stated = 0;
    state->others = state->early = state->suppressed = 0;
    state->where = IN_NOTHING;
    leak_report_begin(state->report, input, summary);
    for (mp_slice line; mp_input_line(input, &line);)
        read_line(state, mp_slice_trim(line));
    mp_arena_reset(&state->texts);
    const bool usable = judge_file(state);
    leak_report_end(state->report, usable, state->ended);
    return usable;
}

/* --- the reader --- */

/* Claim XML output of valgrind's memcheck. Other tools write the same elements, so the tool's name
 * must be memcheck. */
static mp_bid probe(mp_slice head)
{
    static const char root[] = "<valgrindoutput>", tool[] = "<protocoltool>memcheck<";
    return mp_slice_starts(head, "<?xml") && memmem(head.start, head.length, root, strlen(root)) &&
                   memmem(head.start, head.length, tool, strlen(tool))
               ? MP_MINE
               : MP_NOT_MINE;
}

static void *open_memcheck(mp_model *model, mp_diagnostics *diagnostics,
                           const mp_load_options *options)
{
    memcheck_state *state = mp_alloc_zero(1, sizeof *state);
    state->report = leak_report_open(model, diagnostics, options);
    return state;
}

static void close_memcheck(void *opaque)
{
    memcheck_state *state = opaque;
    leak_report_close(state->report);
    mp_arena_free(&state->texts);
    free(state);
}

const mp_reader mp_reader_memcheck = {
    .name = "memcheck",
    .summary = "leaks in the XML output of valgrind's memcheck",
    .endings = ".memcheck .xml",
    .versions = "4",
    .noun = "a leak report",
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .open = open_memcheck,
    .read = read_memcheck,
    .close = close_memcheck,
};
