/* GC heap dumps of the Remote Performance Monitor for the .NET Compact Framework, version 2.
 *
 * Sources: "The GC log file format", S. Pratschner, and "Heap Dump File Information", XNA Game
 * Studio. Each line is a record: a letter, then hexadecimal numbers. A file is one dump; several
 * files are dumps of one session, in the order given. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/index.h"
#include "base/text.h"
#include "input/fields.h"
#include "input/hex.h"
#include "input/input.h"
#include "model/build.h"
#include "model/graph_builder.h"
#include "readers/dump_order.h"
#include "readers/reader.h"

enum { VERSION = 2, FEW_TYPES = 4096, MOST_NAMES = 20 };
#define NO_VERSION UINT64_MAX

/* Start and end of the dump of a section, in milliseconds of the device's clock; -1: unknown. */
typedef struct stamps {
    int64_t begin, end;
    mp_string_id name;
} stamps;

typedef struct rpm_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    const char *path;
    mp_session_id session;
    mp_type_counts counts;
    mp_id_index types_by_name; /* mp_string_id to the first type of that name */
    bool converted;
    int64_t first_stamp; /* of the first dump so far, milliseconds; -1: none */
    mp_dump_order order;

    /* state of one file: */
    mp_graph_builder *graph;
    int64_t stamp;
    uint32_t first_type;      /* the file's first type in the model */
    MP_LIST(stamps) sections; /* sections that are read, from 1 */
    uint64_t version, records, objects;
    /* A section is open; the open section is skipped; a section was not closed. */
    bool open, skipped, unclosed;
    bool chosen;                      /* the requested domain was found */
    mp_string_id domains[MOST_NAMES]; /* domains of the file, for a message */
    size_t domain_count;
    uint32_t first_of_section; /* first type of the current section in the model */
    uint32_t few[FEW_TYPES];   /* type id to type; smaller values are from earlier sections */
    mp_id_index many;
    bool oversized;       /* the current object has an impossible size */
    uint64_t *references; /* references of the current object */
    size_t reference_capacity;
} rpm_state;

/* --- words --- */

/* Read the next word as a 64-bit hexadecimal number. This is the hot path. */
static inline bool take_hex(mp_fields *words, uint64_t *value)
{
    mp_fields_skip(words);
    return mp_hex_word(&words->cursor, words->end, value);
}

static bool take_hex32(mp_fields *words, uint32_t *value)
{
    uint64_t wide = 0;
    bool ok = take_hex(words, &wide) && wide <= UINT32_MAX;
    *value = (uint32_t)wide;
    return ok;
}

/* Read a name, which may contain blanks, up to the end of the record. If its last word can be a
 * time stamp, set *stamp, and return the name without it. */
static mp_slice take_name(mp_fields *words, int64_t *stamp)
{
    mp_fields_skip(words);
    mp_slice name = mp_slice_trim((mp_slice){words->cursor, (size_t)(words->end - words->cursor)});
    size_t cut = name.length;
    while (cut > 0 && !mp_is_gap(name.start[cut - 1]))
        cut--;
    mp_fields last = mp_fields_of((mp_slice){name.start + cut, name.length - cut});
    uint64_t value = 0;
    if (cut == 0 || !take_hex(&last, &value) || value > UINT32_MAX)
        return name;
    *stamp = (int64_t)value;
    return mp_slice_trim((mp_slice){name.start, cut});
}

/* --- types --- */

/* Return the type with this id in the current section, and create it at its first use. Values in
 * `few` that are less than the section's first type are from earlier sections. */
static uint32_t type_of(rpm_state *state, uint64_t id)
{
    uint32_t *place = id < FEW_TYPES ? &state->few[id] : mp_id_index_put(&state->many, id);
    if (*place < state->first_of_section) {
        MP_ADD(&state->model->types)->number = id;
        *place = state->model->types.count - 1;
    }
    return *place;
}

static void name_by_number(rpm_state *state, mp_type *type)
{
    char name[40];
    snprintf(name, sizeof name, "<type %" PRIx64 ">", type->number);
    mp_diagnose(state->diagnostics, MP_DIAG_UNDEFINED_TYPE, state->path, 0,
                "type %" PRIx64 " is used but never defined by a t record", type->number);
    type->name = mp_model_intern_text(state->model, name);
}

/* Return, for each type of this file, the first type of its name in all files. */
static uint32_t *types_by_name(rpm_state *state)
{
    mp_model *model = state->model;
    uint32_t count = model->types.count;
    uint32_t *canonical = mp_alloc_zero(count, sizeof *canonical);
    bool *seen = mp_alloc_zero(count, sizeof *seen); /* names declared in this file */
    for (uint32_t i = state->first_type; i < count; i++) {
        mp_type *type = &model->types.items[i];
        bool declared = type->name.i;
        if (!declared)
            name_by_number(state, type);
        uint32_t *place = mp_id_index_put(&state->types_by_name, type->name.i);
        if (!*place)
            *place = i;
        canonical[i] = *place;
        model->graph->declared_types += declared && !seen[*place];
        seen[*place] |= declared;
    }
    free(seen);
    return canonical;
}

static void unite_types(rpm_state *state)
{
    mp_graph *graph = state->model->graph;
    uint32_t *canonical = types_by_name(state);
    for (uint32_t i = 1; i <= graph->count; i++)
        graph->types[i] = canonical[graph->types[i]];
    for (uint32_t i = 1; i < graph->roots.count; i++)
        graph->roots.items[i].container.i = canonical[graph->roots.items[i].container.i];
    free(canonical);
}

/* --- records --- */

static void begin_section(rpm_state *state, mp_slice name, int64_t stamp)
{
    mp_model *model = state->model;
    mp_string_id id = mp_model_intern(model, name, &state->converted);
    const char *text = mp_model_text(model, id), *wanted = state->options->domain;
    state->unclosed |= state->open;
    state->open = true;
    state->skipped = wanted && strcmp(text, wanted) != 0;
    state->chosen |= wanted && !state->skipped;
    if (state->domain_count < MOST_NAMES)
        state->domains[state->domain_count] = id;
    state->domain_count++;
    state->first_of_section = model->types.count;
    mp_id_index_free(&state->many);
    if (state->skipped)
        return;
    mp_graph_domain(state->graph, id);
    *MP_ADD(&state->sections) = (stamps){stamp, -1, id};
    mp_recorded_session *session = &model->sessions.items[state->session.i];
    if (!session->application.i)
        session->application = id;
}

/* Open a section without a name for records outside of sections. */
static void need_section(rpm_state *state)
{
    if (!state->open)
        begin_section(state, (mp_slice){"", 0}, -1);
}

static bool read_domain(rpm_state *state, mp_fields *words)
{
    int64_t stamp = -1;
    uint64_t version;
    if (!take_hex(words, &version) || mp_fields_end(words))
        return false;
    if (state->version == NO_VERSION)
        state->version = version;
    mp_slice name = take_name(words, &stamp);
    begin_section(state, name, stamp);
    if (stamp >= 0 && state->stamp < 0)
        state->stamp = stamp;
    return true;
}

static bool read_end(rpm_state *state, mp_fields *words, uint64_t offset)
{
    if (mp_fields_end(words))
        return false;
    need_section(state);
    state->open = false;
    if (state->skipped)
        return true;
    /* If the end of the section's name looks like a stamp, compare the whole text too. */
    stamps *section = &state->sections.items[state->sections.count - 1];
    int64_t stamp = -1;
    mp_slice whole = mp_slice_trim((mp_slice){words->cursor, (size_t)(words->end - words->cursor)});
    mp_slice name = take_name(words, &stamp);
    if (mp_model_intern(state->model, name, &state->converted).i == section->name.i)
        section->end = stamp;
    else if (section->name.i &&
             mp_model_intern(state->model, whole, &state->converted).i != section->name.i)
        mp_diagnose(
            state->diagnostics, MP_DIAG_SECTION_END, state->path, offset,
            "closes \"%s\", expected \"%s\", which is open",
            mp_model_text(state->model, mp_model_intern(state->model, whole, &state->converted)),
            mp_model_text(state->model, section->name));
    return true;
}

static bool read_type(rpm_state *state, mp_fields *words)
{
    uint64_t id;
    if (!take_hex(words, &id) || mp_fields_end(words))
        return false;
    need_section(state);
    if (state->skipped)
        return true;
    mp_slice name = mp_slice_trim((mp_slice){words->cursor, (size_t)(words->end - words->cursor)});
    mp_string_id text = mp_model_intern(state->model, name, &state->converted);
    uint32_t number = type_of(state, id); /* may move the array of types */
    mp_type *type = &state->model->types.items[number];
    if (!type->name.i)
        type->name = text;
    return true;
}

static bool read_object(rpm_state *state, mp_fields *words)
{
    uint64_t id, type, bytes;
    size_t count = 0, most = (size_t)(words->end - words->cursor) / 2 + 1;
    mp_grow(&state->references, &state->reference_capacity, most, sizeof *state->references);
    if (!take_hex(words, &id) || !take_hex(words, &type) || !take_hex(words, &bytes))
        return false;
    for (; !mp_fields_end(words); count++)
        if (!take_hex(words, &state->references[count]))
            return false;
    need_section(state);
    if (state->skipped)
        return true;
    state->oversized =
        !mp_graph_object(state->graph, id, (mp_type_id){type_of(state, type)}, bytes);
    if (state->oversized)
        return false;
    mp_graph_refer(state->graph, state->references, count);
    state->objects++;
    return true;
}

static bool read_root(rpm_state *state, mp_fields *words)
{
    mp_root root = {.object = 0};
    uint64_t container = 0;
    if (!take_hex(words, &root.id) || !take_hex32(words, &root.kind) ||
        !take_hex32(words, &root.flags))
        return false;
    bool contained = !mp_fields_end(words);
    if (contained && !take_hex(words, &container))
        return false;
    for (uint64_t more; !mp_fields_end(words);) /* further numbers have no meaning */
        if (!take_hex(words, &more))
            return false;
    need_section(state);
    if (state->skipped)
        return true;
    if (contained)
        root.container.i = type_of(state, container);
    mp_graph_root(state->graph, &root);
    return true;
}

static const char *const expected[] = {
    ['a'] = "a VERSION NAME [STAMP]",
    ['t'] = "t TYPE NAME",
    ['o'] = "o OBJECT TYPE SIZE [OBJECT ...]",
    ['r'] = "r OBJECT KIND FLAGS [TYPE]",
    ['c'] = "c NAME [STAMP]",
};

static void say_bad_row(rpm_state *state, mp_slice line, uint64_t offset)
{
    unsigned letter = (unsigned char)line.start[0];
    const char *form = letter < sizeof expected / sizeof *expected ? expected[letter] : NULL;
    if (state->oversized)
        form = "sizes that 64 bits can add up";
    mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                "\"%.*s\" is not a record, expected %s in hexadecimal numbers: line skipped",
                (int)(line.length < 40 ? line.length : 40), line.start,
                form ? form : "one of a, t, o, r and c with its fields");
    state->oversized = false;
}

static void read_record(rpm_state *state, mp_slice line, uint64_t offset)
{
    mp_fields words = {line.start + 1, line.start + line.length};
    char letter = line.start[0];
    bool alone = line.length > 1 && mp_is_gap(line.start[1]);
    bool ok = alone && (letter == 'o'   ? read_object(state, &words)
                        : letter == 'r' ? read_root(state, &words)
                        : letter == 't' ? read_type(state, &words)
                        : letter == 'a' ? read_domain(state, &words)
                        : letter == 'c' ? read_end(state, &words, offset)
                                        : false);
    state->records += ok;
    if (!ok)
        say_bad_row(state, line, offset);
}

/* --- one file --- */

static void begin_file(rpm_state *state, uint32_t summary)
{
    mp_model *model = state->model;
    if (!state->session.i) {
        (void)MP_ADD(&model->sessions);
        state->session.i = model->sessions.count - 1;
    }
    mp_model_begin_snapshot(model, state->session);
    model->snapshots.items[model->snapshots.count - 1].input = summary;
    state->path = model->inputs.items[summary].path;
    state->graph = mp_graph_begin(model, (mp_snapshot_id){model->snapshots.count - 1});
    state->first_type = model->types.count;
    state->stamp = -1;
    state->version = NO_VERSION;
    state->records = state->objects = 0;
    state->open = state->skipped = state->unclosed = state->chosen = false;
    state->domain_count = 0;
    state->sections.count = 0;
    (void)MP_ADD(&state->sections);
    state->first_of_section = model->types.count;
    mp_id_index_free(&state->many);
}

static void say_what_was_odd(const rpm_state *state)
{
    const mp_graph *graph = state->model->graph;
    uint64_t missing = 0;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        missing += !graph->roots.items[i].object;
    if (graph->duplicates)
        mp_diagnose(state->diagnostics, MP_DIAG_DUPLICATE_OBJECT, state->path, 0,
                    "objects with the id of an earlier one, ignored: %" PRIu64, graph->duplicates);
    if (graph->dangling)
        mp_diagnose(state->diagnostics, MP_DIAG_DANGLING_REFERENCE, state->path, 0,
                    "references to objects that are not in the file: %" PRIu64, graph->dangling);
    if (missing)
        mp_diagnose(state->diagnostics, MP_DIAG_ROOT_WITHOUT_OBJECT, state->path, 0,
                    "roots of objects that are not in the file: %" PRIu64, missing);
}

static void say_no_domain(const rpm_state *state)
{
    mp_arena scratch = {0};
    const char *names = "none";
    for (size_t i = 0; i < state->domain_count && i < MOST_NAMES; i++)
        names = mp_arena_format(&scratch, "%s%s\"%s\"", i ? names : "", i ? ", " : "",
                                mp_model_text(state->model, state->domains[i]));
    mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                "has no application domain \"%s\", expected one of %s%s", state->options->domain,
                names, state->domain_count > MOST_NAMES ? ", ..." : "");
    mp_arena_free(&scratch);
}

static bool refuse(const rpm_state *state, mp_graph_builder *graph)
{
    if (state->version != NO_VERSION && state->version != VERSION)
        mp_diagnose(state->diagnostics, MP_DIAG_UNSUPPORTED_VERSION, state->path, 1,
                    "is of version %" PRIx64 ", expected %d", state->version, VERSION);
    else if (state->options->domain && !state->chosen)
        say_no_domain(state);
    else if (!state->objects)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "has no object in it, expected o records");
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
    if (state->first_stamp < 0)
        state->first_stamp = state->stamp;
    uint32_t later = (uint32_t)(state->stamp - state->first_stamp);
    return later <= INT32_MAX ? (int64_t)later * 1000 : 0;
}

/* Return the microseconds between two stamps; -1: unknown. */
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
        const stamps *section = &state->sections.items[i];
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
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "has more than two thousand million objects, or four of references: more than "
                    "memprof can number");
        return false;
    }
    unite_types(state);
    model->graph->hexadecimal = true;
    mp_snapshot *snapshot = mp_type_counts_enter(&state->counts);
    snapshot->sequence = snapshot->ordinal;
    tell_times(state, snapshot);
    snapshot->time_us = time_of(state);
    mp_dump_order_check(&state->order, model, state->diagnostics, state->path, state->stamp);
    say_what_was_odd(state);
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
            read_record(state, line, mp_input_line_number(input));
    }
    bool whole = !cut && !state->open && !state->unclosed;
    bool usable = end_file(state);
    if (usable && !whole)
        mp_diagnose(state->diagnostics, MP_DIAG_TORN, state->path, mp_input_line_number(input),
                    "the dump is truncated, expected a c record for each application domain; the "
                    "existing part is used");
    mp_input_summary *sum = &state->model->inputs.items[summary];
    sum->format_version = state->version == NO_VERSION ? 0 : (uint32_t)state->version;
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

/* Return the number of numbers at the start of a record, at most `most`. */
static size_t leading_numbers(mp_slice line, size_t most)
{
    char text[64 + MP_HEX_SLACK] = ""; /* the head may end without slack for mp_hex_word */
    size_t length = line.length < 64 ? line.length : 64, count = 0;
    if (length)
        memcpy(text, line.start, length);
    mp_fields words = {text + 1, text + length};
    for (uint64_t number; count < most && words.cursor < words.end && take_hex(&words, &number);)
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
    }; /* length of "a 2 "; bytes of the name's end that are enough for a stamp */
    const mp_slice line = next_line(&head);
    char end[ENOUGH + MP_HEX_SLACK] = {0}; /* the head may end without slack for mp_hex_word */
    int64_t stamp = -1;
    if (line.length > MARK) {
        const size_t length = line.length - MARK < ENOUGH ? line.length - MARK : ENOUGH;
        memcpy(end, line.start + line.length - length, length);
        mp_fields words = mp_fields_of((mp_slice){end, length});
        const size_t kept = take_name(&words, &stamp).length;
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
    state->model = model;
    state->diagnostics = diagnostics;
    state->options = options;
    state->counts.model = model;
    state->first_stamp = state->order.stamp = -1;
    return state;
}

static void close_rpm(void *opaque)
{
    rpm_state *state = opaque;
    if (state->converted)
        mp_reader_tell_converted(state->diagnostics, state->path);
    mp_type_counts_free(&state->counts);
    mp_id_index_free(&state->types_by_name);
    mp_id_index_free(&state->many);
    free(state->sections.items);
    free(state->references);
    free(state);
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
