/* Interpreted files of heaptrack 1.0 and later.
 *
 * A file defines strings, addresses, stacks and kinds of blocks, each before its first use. It has
 * a line for each allocation and each deletion, which names only the kind of the block. Blocks of
 * one kind cannot be distinguished, so a deletion is assumed to free the youngest one. So a block
 * that is deleted right after an allocation is the block just allocated.
 *
 * docs/formats/heaptrack.md describes the lines and names the sources. */
#include "readers/heaptrack.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "input/numbers.h"

enum { NEWEST_VERSION = 3, THREAD = 1, MS = 1000 };

static const char letters[] = "+-atiscX#RIASv"; /* first letters of lines */

void heaptrack_say(heaptrack_pass *pass, mp_diagnostic_id id, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    mp_replay_resolve(&pass->replay);
    mp_diagnose(pass->diagnostics, id, pass->path, mp_input_line_number(pass->input), "%s", text);
}

static mp_slice after(mp_slice line, size_t length)
{
    return length < line.length ? (mp_slice){line.start + length, line.length - length}
                                : (mp_slice){line.start + line.length, 0};
}

/* Read a line that consists of a letter and one number. */
static bool only_number(mp_slice line, uint64_t *value)
{
    const char *cursor = line.start + 2, *end = line.start + line.length;
    return line.length > 2 && line.start[1] == ' ' && mp_hex_word(&cursor, end, value) &&
           cursor == end;
}

/* --- events --- */

/* An allocation (+) or a deletion (-) of a block of this kind. */
static void take_event(heaptrack_pass *pass, char sign, uint64_t number)
{
    heaptrack_tables *tables = &pass->tables;
    const bool allocates = sign == '+';
    heaptrack_kind *kind = number < tables->kind_count ? &tables->kinds[number] : NULL;
    if (!kind || kind->bytes < 0) {
        heaptrack_say(pass, MP_DIAG_BAD_ROW,
                      "event refers to allocation %" PRIu64 ", which %s: line skipped", number,
                      kind ? "is damaged" : "is not defined before it");
        return;
    }
    if (!allocates && !kind->alive) {
        heaptrack_say(pass, MP_DIAG_DELETE_UNKNOWN,
                      "block of allocation %" PRIu64 " is deleted, but none is alive: line skipped",
                      number);
        return;
    }
    kind->alive += allocates;
    const heaptrack_stack *stack = kind->stack ? &tables->stacks[kind->stack - 1] : NULL;
    mp_event event = {
        .address = number << 32 | kind->alive,
        .bytes = kind->bytes,
        .thread = THREAD,
        .node = stack ? stack->node : (mp_node_id){0},
        .source_line = stack ? stack->line : MP_NO_LINE,
        .site = kind->stack + 1,
        .line = mp_input_line_number(pass->input),
        .kind = allocates ? MP_EVENT_ALLOCATION : MP_EVENT_DELETION,
    };
    kind->alive -= !allocates;
    mp_replay_event(&pass->replay, &event, pass->time_us);
}

static void read_event(heaptrack_pass *pass, mp_slice line)
{
    uint64_t number;
    if (only_number(line, &number))
        take_event(pass, *line.start, number);
    else
        heaptrack_say(pass, MP_DIAG_BAD_ROW,
                      "event is damaged, expected + or - and a hexadecimal number: line skipped");
}

/* --- other lines --- */

static bool time_of(mp_slice line, int64_t *time_us)
{
    uint64_t time;
    if (line.length < 3 || line.start[0] != 'c' || !only_number(line, &time) ||
        time > INT64_MAX / MS)
        return false;
    *time_us = (int64_t)time * MS;
    return true;
}

static void read_time(heaptrack_pass *pass, mp_slice line)
{
    int64_t time_us;
    if (!time_of(line, &time_us))
        heaptrack_say(pass, MP_DIAG_BAD_ROW,
                      "time is damaged, expected c and milliseconds in hexadecimal: line skipped");
    else if (time_us < pass->time_us)
        heaptrack_say(pass, MP_DIAG_BAD_ROW,
                      "time is %" PRId64 " ms before the previous one: line skipped",
                      (pass->time_us - time_us) / MS);
    else
        pass->time_us = time_us;
}

/* Read the last lines, "# strings: 48" and "# ips: 30". */
static void read_comment(heaptrack_pass *pass, mp_slice line)
{
    const bool strings = mp_slice_starts(line, "# strings: ");
    const size_t head = strlen(strings ? "# strings: " : "# ips: ");
    const size_t defined = strings ? pass->tables.string_count : pass->tables.address_count;
    int64_t stated;
    char number[32] = "";
    if (!strings && !mp_slice_starts(line, "# ips: "))
        return;
    pass->ended = !strings;
    line = after(line, head);
    memcpy(number, line.start, line.length < sizeof number ? line.length : sizeof number - 1);
    if (!mp_parse_count(number, &stated) || (uint64_t)stated != defined)
        heaptrack_say(pass, MP_DIAG_BAD_ROW, "states %s %s, but %zu are defined", number,
                      strings ? "strings" : "addresses", defined);
}

static void read_command(heaptrack_pass *pass, mp_slice line)
{
    mp_recorded_session *session = &pass->model->sessions.items[pass->replay.blocks.session.i];
    session->application = mp_model_intern(pass->model, after(line, 2));
}

static void read_line(heaptrack_pass *pass, mp_slice line)
{
    const mp_slice rest = after(line, line.length > 1 && line.start[1] == ' ' ? 2 : line.length);
    switch (line.length ? *line.start : '#') {
    case '+':
    case '-':
        read_event(pass, line);
        return;
    case 'a':
        heaptrack_add_kind(pass, rest);
        return;
    case 't':
        heaptrack_add_stack(pass, rest);
        return;
    case 'i':
        heaptrack_add_address(pass, rest);
        return;
    case 's':
        heaptrack_add_string(pass, rest);
        return;
    case 'c':
        read_time(pass, line);
        return;
    case 'X':
        read_command(pass, line);
        return;
    case '#':
        read_comment(pass, line);
        return;
    case 'v': /* lines that are not used: version, peak of resident memory, system, attached,
                 suppression */
    case 'R':
    case 'I':
    case 'A':
    case 'S':
        return;
    default:
        heaptrack_say(
            pass, MP_DIAG_BAD_ROW,
            "line does not begin with a letter of the format, expected one of + - a t i s c: line "
            "skipped");
    }
}

/* --- one file --- */

/* Read the version from the first line, "v 10400 3". The first files of version 1 do not have this
 * line. */
static bool read_version(mp_slice head, uint64_t *version)
{
    enum { LONGEST = 64 };
    char text[LONGEST + MP_HEX_SLACK] = ""; /* mp_hex_word may read beyond the end of the line */
    mp_slice line;
    uint64_t program;
    if (!mp_slice_take_line(&head, &line) || !mp_slice_starts(line, "v ") || line.length > LONGEST)
        return false;
    memcpy(text, line.start, line.length);
    const char *cursor = text + 2, *end = text + line.length;
    if (!mp_hex_word(&cursor, end, &program))
        return false;
    *version = program == 0x10200;
    if (cursor < end && *cursor == ' ')
        cursor++;
    return cursor == end || (mp_hex_word(&cursor, end, version) && cursor == end);
}

/* Return the number of distinct times in an input that is kept, but at most `most`. Rewind the
 * input. */
static uint32_t count_times(mp_input *input, uint32_t most)
{
    uint32_t count = 0;
    int64_t time_us, last_us = 0;
    mp_diagnostics *muted = mp_diagnostics_new(1);
    mp_diagnostics *usual = mp_input_diagnose_to(input, muted);
    for (mp_slice line; count < most && mp_input_line(input, &line);)
        if (time_of(line, &time_us) && time_us > last_us) {
            last_us = time_us;
            count++;
        }
    mp_input_diagnose_to(input, usual);
    mp_input_rewind(input);
    mp_diagnostics_free(muted);
    return count;
}

/* Set the number of slices, at most one per distinct time. A short recording then does not get many
 * slices in which nothing happens. */
static void set_slices(heaptrack_pass *pass)
{
    const uint32_t times = count_times(pass->input, pass->replay.slices);
    pass->replay.slices = times ? times : 1;
    pass->replay.last_us = mp_last_time(pass->input, time_of);
}

/* Read events, which are most of a file, up to a line of another kind. */
static void read_events(heaptrack_pass *pass)
{
    mp_input *input = pass->input;
    char sign;
    uint64_t number;
    for (;;) {
        const char next = input->start < input->end ? input->bytes[input->start] : '\0';
        if ((next != '+' && next != '-') || !mp_input_hex_row(input, &sign, &number))
            return;
        take_event(pass, sign, number);
    }
}

static bool run_pass(heaptrack_pass *pass, uint64_t peak_line)
{
    bool whole = true;
    read_version(mp_input_look_ahead(pass->input), &pass->version);
    pass->tables.code = (mp_stack_builder){.model = pass->model, .options = pass->options};
    mp_replay_open(&pass->replay, pass->model, pass->diagnostics, pass->options, pass->path,
                   peak_line);
    if (!pass->replay.slice_us)
        set_slices(pass);
    for (mp_slice line;;) {
        read_events(pass);
        if (!mp_window_has_line(pass->input)) /* report the problems of the input in file order */
            mp_replay_resolve(&pass->replay);
        if (!mp_input_line(pass->input, &line))
            break;
        whole = mp_input_line_closed(pass->input);
        if (whole)
            read_line(pass, line);
    }
    mp_replay_end(&pass->replay, pass->time_us);
    mp_replay_sort_findings(&pass->replay);
    mp_model_events(pass->model)->crawls += pass->tables.allocating;
    mp_replay_close(&pass->replay);
    heaptrack_tables_free(&pass->tables);
    return whole && pass->ended;
}

static uint64_t find_peak(const void *opaque, mp_model *model, mp_diagnostics *diagnostics,
                          mp_input *input)
{
    heaptrack_pass pass = {
        .model = model, .diagnostics = diagnostics, .options = opaque, .input = input};
    run_pass(&pass, 0);
    return pass.replay.blocks.peak_line;
}

typedef struct heaptrack_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
} heaptrack_state;

static bool read_heaptrack(void *opaque, mp_input *input, uint32_t summary)
{
    heaptrack_state *state = opaque;
    heaptrack_pass pass = {.model = state->model,
                           .diagnostics = state->diagnostics,
                           .options = state->options,
                           .path = state->model->inputs.items[summary].path,
                           .input = input};
    uint64_t version, peak_line;
    if (!read_version(mp_input_look_ahead(input), &version) || !version ||
        version > NEWEST_VERSION) {
        mp_diagnose(state->diagnostics, MP_DIAG_UNSUPPORTED_VERSION, pass.path, 1,
                    "has an unknown version of the format, expected 1 to %d", NEWEST_VERSION);
        return false;
    }
    if (!mp_replay_prepare(input, state->options, find_peak, state->options, &peak_line))
        return false;
    const bool whole = run_pass(&pass, peak_line), usable = pass.replay.events > 0;
    if (!whole)
        mp_diagnose(state->diagnostics, MP_DIAG_TORN, pass.path, mp_input_line_number(input),
                    "the recording is truncated, expected a line # ips: NUMBER at its end");
    if (!usable)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, pass.path, 0,
                    "has no event that could be read, expected lines such as + 0");
    mp_input_summary *read = &state->model->inputs.items[summary];
    read->format_version = (uint32_t)version;
    read->records = pass.replay.events;
    read->complete = whole && usable;
    return usable;
}

/* --- the reader --- */

/* Claim an interpreted file. The second line of a raw file names its program (x); do not claim
 * it. */
static mp_bid probe(mp_slice head)
{
    uint64_t version;
    mp_slice line;
    const bool versioned = read_version(head, &version) && mp_slice_take_line(&head, &line);
    return versioned && head.length > 1 && head.start[1] == ' ' &&
                   memchr(letters, *head.start, sizeof letters - 1)
               ? MP_MINE
               : MP_NOT_MINE;
}

static void *open_heaptrack(mp_model *model, mp_diagnostics *diagnostics,
                            const mp_load_options *options)
{
    heaptrack_state *state = mp_alloc_zero(1, sizeof *state);
    *state = (heaptrack_state){model, diagnostics, options};
    model->holds |= MP_HOLDS_NATIVE;
    return state;
}

static void close_heaptrack(void *opaque)
{
    heaptrack_state *state = opaque;
    const mp_events *events = state->model->events;
    if (events &&
        events->inference) /* a log with types was read before; now there are more nodes */
        mp_events_infer(state->model);
    free(state);
}

const mp_reader mp_reader_heaptrack = {
    .name = "heaptrack",
    .summary = "heaptrack recording, interpreted",
    .endings = ".heaptrack",
    .versions = "1 to 3",
    .kind = MP_KIND_EVENTS,
    .probe = probe,
    .open = open_heaptrack,
    .read = read_heaptrack,
    .close = close_heaptrack,
};
