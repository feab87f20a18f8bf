/* Reports of LeakSanitizer: text that may be among other output.
 *
 * docs/formats/lsan.md describes the lines and names the sources. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "readers/leak_report.h"

static const char title[] = "==ERROR: LeakSanitizer: detected memory leaks";

typedef struct lsan_state {
    leak_report *report;
    /* The current report in the file: */
    bool open;
    bool omits; /* the report says that it omits leaks */
    mp_census_share before;
    /* The current record: */
    bool in_record;
    leak_class class;
    mp_census_share left;
} lsan_state;

static mp_slice after(mp_slice text, size_t length)
{
    return (mp_slice){text.start + length, text.length - length};
}

/* Return a line without the blanks around it, and without the colour escapes at its start. */
static mp_slice plain(mp_slice line)
{
    line = mp_slice_trim(line);
    while (mp_slice_starts(line, "\033[")) {
        const char *end = memchr(line.start, 'm', line.length);
        if (!end)
            break;
        line = mp_slice_trim(after(line, (size_t)(end + 1 - line.start)));
    }
    return line;
}

/* --- frames --- */

/* Return the length of the name before the place in a frame, as in "operator new(unsigned long) /a
 * b.cc:9". The path begins after the first blank that precedes a slash or a dot, or after the last
 * blank. */
static size_t name_length(mp_slice text)
{
    for (size_t i = 0; i + 1 < text.length; i++)
        if (text.start[i] == ' ' && (text.start[i + 1] == '/' || text.start[i + 1] == '.'))
            return i;
    const char *blank = text.length ? memrchr(text.start, ' ', text.length) : NULL;
    return blank ? (size_t)(blank - text.start) : text.length;
}

/* Return the frame of "NAME FILE:LINE", "NAME (MODULE+0xOFFSET)" or "(MODULE+0xOFFSET)". */
static native_frame frame_of(leak_report *report, mp_slice text)
{
    const mp_slice none = {"", 0};
    const char *build = memmem(text.start, text.length, " (BuildId: ", strlen(" (BuildId: "));
    if (build)
        text.length = (size_t)(build - text.start);
    if (mp_slice_starts(text, "__interceptor_"))
        text = after(text, strlen("__interceptor_"));
    const char *offset = memmem(text.start, text.length, "+0x", 3);
    const char *open = offset ? memrchr(text.start, '(', (size_t)(offset - text.start)) : NULL;
    if (open && text.start[text.length - 1] == ')') {
        const mp_slice module = {open + 1, (size_t)(offset - open) - 1};
        const mp_slice name = mp_slice_trim((mp_slice){text.start, (size_t)(open - text.start)});
        return (native_frame){native_symbol(&report->code, name, none, module), MP_NO_LINE};
    }
    uint32_t line;
    mp_slice file;
    const size_t length = name_length(text);
    if (length < text.length && native_split_place(after(text, length + 1), &file, &line))
        return (native_frame){
            native_symbol(&report->code, (mp_slice){text.start, length}, file, none), line};
    return (native_frame){native_symbol(&report->code, text, none, none), MP_NO_LINE};
}

/* Read "#0 0x7f291f6b89cf in NAME ...". Return false if the line has another form. */
static bool read_frame(leak_report *report, mp_slice line)
{
    uint64_t number;
    if (!mp_slice_take(&line, "#") || !mp_slice_take_number(&line, 10, &number) ||
        !mp_slice_take(&line, "0x") || !mp_slice_take_number(&line, 16, &number))
        return false;
    mp_slice_take(&line, "in ");
    leak_add_frame(report, frame_of(report, mp_slice_trim(line)));
    return true;
}

/* --- records --- */

static void end_record(lsan_state *state)
{
    if (state->in_record)
        leak_end_record(state->report, state->class, state->left, 0);
    state->in_record = false;
}

/* Read "Direct leak of 204800 byte(s) in 50 object(s) allocated from:". Return false if the line
 * has another form. */
static bool begin_record(lsan_state *state, mp_slice line)
{
    const bool indirect = mp_slice_starts(line, "Indirect");
    if (!mp_slice_take(&line, "Indirect leak of ") && !mp_slice_take(&line, "Direct leak of "))
        return false;
    end_record(state);
    state->class = indirect ? LEAK_INDIRECT : LEAK_DEFINITE;
    state->in_record =
        native_take_number(&line, &state->left.bytes) && mp_slice_take(&line, "byte(s) in ") &&
        native_take_number(&line, &state->left.objects) && mp_slice_take(&line, "object(s)");
    if (!state->in_record)
        leak_say(state->report, MP_DIAG_BAD_ROW,
                 "record is damaged, expected Direct leak of BYTES byte(s) in NUMBER object(s): "
                 "record skipped");
    return true;
}

/* Add the leaks that the report counts but does not list. They have no stack. */
static void add_rest(leak_report *report, mp_census_share rest)
{
    static const char name[] = "(leaks that the report omits)";
    const mp_slice none = {"", 0};
    leak_add_frame(
        report,
        (native_frame){native_symbol(&report->code, mp_slice_of(name), none, none), MP_NO_LINE});
    leak_end_record(report, LEAK_DEFINITE, rest, 0);
}

/* Compare the sums with "SUMMARY: LeakSanitizer: 228800 byte(s) leaked in 170 allocation(s).".
 * Return false if the line has another form. */
static bool read_summary(lsan_state *state, mp_slice line)
{
    leak_report *report = state->report;
    mp_census_share sum = {0, 0};
    if (!mp_slice_take(&line, "SUMMARY: "))
        return false;
    const char *colon = memmem(line.start, line.length, ": ", 2);
    line = colon ? after(line, (size_t)(colon + 2 - line.start)) : line;
    const bool whole =
        native_take_number(&line, &sum.bytes) && mp_slice_take(&line, "byte(s) leaked in ") &&
        native_take_number(&line, &sum.objects) && mp_slice_take(&line, "allocation(s)");
    const mp_census_share rest = {sum.objects - (report->sum.objects - state->before.objects),
                                  sum.bytes - (report->sum.bytes - state->before.bytes)};
    const bool more = whole && rest.objects > 0 && rest.bytes >= 0;
    if (more)
        add_rest(report, rest);
    if (!whole || (more ? !state->omits : rest.objects || rest.bytes))
        leak_say(report, MP_DIAG_BAD_ROW,
                 "summary is damaged, or its sums are not those of the records");
    return true;
}

static void begin_report(lsan_state *state, mp_slice line)
{
    mp_recorded_session *session = &state->report->model->sessions.items[state->report->session.i];
    uint64_t process;
    end_record(state);
    if (state->open)
        leak_say(state->report, MP_DIAG_TORN, "report before this one lacks its line SUMMARY:");
    if (mp_slice_take(&line, "==") && mp_slice_take_number(&line, 10, &process)) {
        session->process_id = process;
        session->has_process_id = true;
    }
    state->open = true;
    state->omits = false;
    state->before = state->report->sum;
}

static bool read_lsan(void *opaque, mp_input *input, uint32_t summary)
{
    lsan_state *state = opaque;
    leak_report *report = state->report;
    state->open = state->in_record = false;
    leak_report_begin(report, input, summary);
    for (mp_slice line; mp_input_line(input, &line);) {
        line = plain(line);
        if (memmem(line.start, line.length, title, strlen(title)))
            begin_report(state, line);
        else if (state->open && !begin_record(state, line) &&
                 !(state->in_record && read_frame(report, line))) {
            end_record(state);
            state->omits |= mp_slice_starts(line, "Omitting ");
            state->open = !read_summary(state, line);
        }
    }
    end_record(state);
    const bool usable = report->records > 0;
    if (!usable)
        leak_say(report, MP_DIAG_NOTHING_USABLE,
                 "has no record of a leak, expected Direct leak of BYTES byte(s) in NUMBER "
                 "object(s)");
    else if (state->open)
        leak_say(report, MP_DIAG_TORN, "the report is truncated, expected its line SUMMARY:");
    leak_report_end(report, usable, !state->open);
    return usable;
}

/* --- the reader --- */

static mp_bid probe(mp_slice head)
{
    return memmem(head.start, head.length, title, strlen(title)) ? MP_MINE : MP_NOT_MINE;
}

static void *open_lsan(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    lsan_state *state = mp_alloc_zero(1, sizeof *state);
    state->report = leak_report_open(model, diagnostics, options);
    return state;
}

static void close_lsan(void *opaque)
{
    lsan_state *state = opaque;
    leak_report_close(state->report);
    free(state);
}

const mp_reader mp_reader_lsan = {
    .name = "lsan",
    .summary = "leaks in the output of LeakSanitizer",
    .endings = ".lsan",
    .versions = "all",
    .noun = "a leak report",
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .open = open_lsan,
    .read = read_lsan,
    .close = close_lsan,
};
