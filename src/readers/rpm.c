/* GC heap dumps of the Remote Performance Monitor for the .NET Compact Framework, version 2.
 *
 * Sources: "The GC log file format", S. Pratschner, and "Heap Dump File Information", XNA Game
 * Studio. Each line is a record: a letter, then hexadecimal numbers. A file is one dump; several
 * files are dumps of one session, in the order given. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/build.h"
#include "readers/rpm.h"

enum { VERSION = 2 };

/* --- one file --- */

static void begin_file(rpm_state *state, uint32_t summary)
{
    mp_model *model = state->model;
    state->graph = mp_graph_begin(model, mp_dumps_begin(&state->dumps, summary));
    state->first_type = model->types.count;
    state->stamp = -1;
    state->version = RPM_NO_VERSION;
    state->records = state->objects = 0;
    state->open = state->skipped = state->unclosed = state->chosen = false;
    state->domain_count = 0;
    state->sections.count = 0;
    (void)MP_ADD(&state->sections);
    state->first_of_section = model->types.count;
    mp_id_index_free(&state->many);
}

static void say_no_domain(const rpm_state *state)
{
    mp_arena scratch = {0};
    const char *names = "none";
    for (size_t i = 0; i < state->domain_count && i < RPM_MOST_NAMES; i++)
        names = mp_arena_format(&scratch, "%s%s\"%s\"", i ? names : "", i ? ", " : "",
                                mp_model_text(state->model, state->domains[i]));
    MP_TELL_DUMP(&state->dumps, NOTHING_USABLE,
                 "has no application domain \"%s\", expected one of %s%s", state->options->domain,
                 names, state->domain_count > RPM_MOST_NAMES ? ", ..." : "");
    mp_arena_free(&scratch);
}

static bool refuse(const rpm_state *state, mp_graph_builder *graph)
{
    if (state->version != RPM_NO_VERSION && state->version != VERSION)
        mp_diagnose(state->dumps.diagnostics, MP_DIAG_UNSUPPORTED_VERSION, state->dumps.path, 1,
                    "is of version %" PRIx64 ", expected %d", state->version, VERSION);
    else if (state->options->domain && !state->chosen)
        say_no_domain(state);
    else if (!state->objects)
        MP_TELL_DUMP(&state->dumps, NOTHING_USABLE, "has no object in it, expected o records");
    else
        return false;
    mp_graph_drop(graph);
    return true;
}

/* Return the time of the dump in microseconds since the first one. The 32-bit clock wraps around
 * every 49 days. If the dump seems to precede the first one, return 0: no time. */
static int64_t time_of(rpm_state *state)
{
    if (state->stamp < 0)
        return 0;
    uint32_t later = (uint32_t)(state->stamp - state->dumps.first_stamp);
    return later <= INT32_MAX ? (int64_t)later * 1000 : 0;
}

/* Return the microseconds between two rpm_stamps; -1: unknown. */
static int64_t between(int64_t begin, int64_t end)
{
    int64_t milliseconds = mp_dump_interval(begin, end);
    return milliseconds < 0 ? -1 : milliseconds * 1000;
}

static void tell_times(const rpm_state *state, mp_snapshot *snapshot)
{
    mp_graph *graph = state->model->graph;
    int64_t last = -1;
    for (uint32_t i = 1; i < state->sections.count; i++) {
        const rpm_stamps *section = &state->sections.items[i];
        graph->domains.items[i].clock_us = section->begin < 0 ? -1 : section->begin * 1000;
        graph->domains.items[i].took_us = between(section->begin, section->end);
        last = section->end < 0 ? last : section->end;
    }
    snapshot->has_clock = state->stamp >= 0;
    snapshot->clock_us = snapshot->has_clock ? state->stamp * 1000 : 0;
    snapshot->took_us = between(state->stamp, last);
    snapshot->has_took = snapshot->took_us >= 0;
}

/* Resolve the references and add the live objects to the model, after all lines were read. */
static bool end_file(rpm_state *state)
{
    mp_model *model = state->model;
    if (refuse(state, state->graph))
        return false;
    if (!mp_graph_end(state->graph)) {
        mp_dumps_tell_too_many(&state->dumps);
        return false;
    }
    rpm_unite_types(state);
    model->graph->hexadecimal = true;
    mp_snapshot *snapshot = mp_dumps_end(&state->dumps, state->stamp);
    tell_times(state, snapshot);
    snapshot->time_us = time_of(state);
    mp_dumps_tell_ids(&state->dumps);
    return true;
}

static bool read_rpm(void *opaque, mp_input *input, uint32_t summary)
{
    rpm_state *state = opaque;
    mp_slice line;
    bool cut = false;
    begin_file(state, summary);
    while (mp_input_line(input, &line)) {
        line = mp_slice_trim(line);
        cut = line.length && !mp_input_line_closed(input);
        if (line.length && !cut)
            rpm_read_record(state, line, mp_input_line_number(input));
    }
    bool whole = !cut && !state->open && !state->unclosed;
    bool usable = end_file(state);
    if (usable && !whole)
        mp_diagnose(state->dumps.diagnostics, MP_DIAG_TORN, state->dumps.path,
                    mp_input_line_number(input),
                    "the dump is truncated, expected a c record for each application domain; the "
                    "existing part is used");
    mp_input_summary *sum = &state->model->inputs.items[summary];
    sum->format_version = state->version == RPM_NO_VERSION ? 0 : (uint32_t)state->version;
    sum->records = state->records;
    sum->complete = usable && whole;
    return usable;
}

/* --- the reader --- */

/* Remove the first line that is not blank from the text, and return it; empty if there is none. */
static mp_slice next_line(mp_slice *head)
{
    mp_slice line = {"", 0};
    while (!line.length && mp_slice_take_line(head, &line))
        line = mp_slice_trim(line);
    return line;
}

/* Return how many numbers the start of a record has, but at most `most`. */
static size_t leading_numbers(mp_slice line, size_t most)
{
    char text[64 + MP_HEX_SLACK] =
        ""; /* the head may end without the slack that mp_hex_word needs */
    size_t length = line.length < 64 ? line.length : 64, count = 0;
    if (length)
        memcpy(text, line.start, length);
    mp_fields words = {text + 1, text + length};
    for (uint64_t number;
         count < most && words.cursor < words.end && rpm_take_hex(&words, &number);)
        count++;
    return count;
}

/* Claim a file whose first record is `a` with a version of one digit, followed by another valid
 * record. */
static mp_bid probe(mp_slice head)
{
    mp_slice first = next_line(&head), second = next_line(&head);
    bool starts = first.length > 4 && first.start[0] == 'a' && mp_is_gap(first.start[1]) &&
                  !mp_is_gap(first.start[2]) && mp_is_gap(first.start[3]) &&
                  leading_numbers(first, 1) == 1;
    if (!starts || !second.length)
        return starts ? MP_MINE : MP_NOT_MINE;
    char letter = second.length > 2 && mp_is_gap(second.start[1]) ? second.start[0] : 0;
    size_t wanted = letter == 'c' ? 0 : letter == 't' ? 1 : 3;
    return letter && strchr("torc", letter) && leading_numbers(second, wanted) == wanted
               ? MP_MINE
               : MP_NOT_MINE;
}

/* Set application and stamp from the first section. */
static bool place_rpm(mp_slice head, mp_place *place)
{
    enum {
        MARK = 4,
        ENOUGH = 64
    }; /* length of "a 2 ", and number of bytes at the end of the name that are enough for a stamp
        */
    const mp_slice line = next_line(&head);
    char end[ENOUGH + MP_HEX_SLACK] = {
        0}; /* the head may end without the slack that mp_hex_word needs */
    int64_t stamp = -1;
    if (line.length > MARK) {
        const size_t length = line.length - MARK < ENOUGH ? line.length - MARK : ENOUGH;
        memcpy(end, line.start + line.length - length, length);
        mp_fields words = mp_fields_of((mp_slice){end, length});
        const size_t kept = rpm_take_name(&words, &stamp).length;
        const size_t cut = length - kept; /* length of the stamp and the blanks before it */
        place->application = mp_hash_bytes(line.start + MARK, line.length - MARK - cut);
    }
    place->stamped = stamp >= 0;
    place->stamp = place->stamped ? (uint32_t)stamp : 0;
    return false;
}

static void *open_rpm(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    rpm_state *state = mp_alloc_zero(1, sizeof *state);
    state->dumps = mp_dumps_of(model, diagnostics);
    state->model = model;
    state->options = options;
    return state;
}

static void close_rpm(void *opaque)
{
    rpm_state *state = opaque;
    mp_dumps_free(&state->dumps);
    mp_id_index_free(&state->types_by_name);
    mp_id_index_free(&state->many);
    MP_FREE(state->sections.items, state->references, state);
}

const mp_reader mp_reader_rpm = {
    .name = "rpm",
    .summary = "RPM GC heap dump (.NET Compact Framework)",
    .endings = ".gclog .txt",
    .versions = "2",
    .kind = MP_KIND_DUMP,
    .probe = probe,
    .place = place_rpm,
    .open = open_rpm,
    .read = read_rpm,
    .close = close_rpm,
};
