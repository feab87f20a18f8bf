/* Parser of baselines of all versions. */
#include "compare/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "compare/baseline_lines.h"
#include "compare/runs.h"

static const char first_words[] = "{\"" MP_BASELINE_HEAD "\":";

const char *const mp_baseline_kinds[MP_BASELINE_KINDS] = {"",       "recording", "profile",
                                                          "events", "dump",      "database"};

bool mp_is_baseline(const char *text, size_t length)
{
    size_t words = sizeof first_words - 1;
    return length >= words && memcmp(text, first_words, words) == 0;
}

bool mp_is_baseline_name(const char *path)
{
    const size_t length = strlen(path), ending = sizeof MP_BASELINE_ENDING - 1;
    return length > ending && strcmp(path + length - ending, MP_BASELINE_ENDING) == 0;
}

enum { NOT_KNOWN = 2 }; /* value of a flag that the line does not have */

/* Values of a line of any kind. */
typedef struct line_values {
    int64_t version, knows, complete, torn, late, in_use, partial, runs; /* members of the head */
    const char *kind, *measure, *options, *start_time;                   /* members of the head */
    int64_t entries; /* number of entries, in the totals; -1: missing */
    const char *subject, *type, *name,
        *program; /* members of an entry; every line except the head has `subject` */
    int64_t line, start, overload; /* members of an entry */
    json_t *stack;                 /* member of an entry; NULL: none */
    int64_t run, size;             /* members of a recording */
    const char *checksum;          /* member of a recording */
    int64_t caller;                /* member of a caller: number of its own caller; 0: none */
    json_t *frame;                 /* member of a caller: its frame */
} line_values;

/* State of reading a stack, from the outermost frame inwards. */
typedef struct stack_end {
    uint32_t frame, line;
    uint32_t named; /* name of the innermost frame that is not an allocator */
} stack_end;

/* Figures that a line has for one run. */
typedef struct run_values {
    mp_amounts amounts;
    int64_t peak_objects, peak_bytes, unreachable_bytes, modules; /* members of the totals */
} run_values;

static const struct {
    const char *name;
    json_type type; /* JSON_TRUE: any boolean */
    size_t offset;
} members[] = {
    {MP_BASELINE_HEAD, JSON_INTEGER, offsetof(line_values, version)},
    {"kind", JSON_STRING, offsetof(line_values, kind)},
    {"measure", JSON_STRING, offsetof(line_values, measure)},
    {"knows", JSON_INTEGER, offsetof(line_values, knows)},
    {"complete", JSON_TRUE, offsetof(line_values, complete)},
    {"torn", JSON_TRUE, offsetof(line_values, torn)},
    {"late", JSON_TRUE, offsetof(line_values, late)},
    {"in_use", JSON_TRUE, offsetof(line_values, in_use)},
    {"partial", JSON_TRUE, offsetof(line_values, partial)},
    {"options", JSON_STRING, offsetof(line_values, options)},
    {"of", JSON_STRING, offsetof(line_values, subject)},
    {"start_time", JSON_STRING, offsetof(line_values, start_time)},
    {"runs", JSON_INTEGER, offsetof(line_values, runs)},
    {"entries", JSON_INTEGER, offsetof(line_values, entries)},
    {"type", JSON_STRING, offsetof(line_values, type)},
    {"name", JSON_STRING, offsetof(line_values, name)},
    {"program", JSON_STRING, offsetof(line_values, program)},
    {"line", JSON_INTEGER, offsetof(line_values, line)},
    {"start", JSON_INTEGER, offsetof(line_values, start)},
    {"overload", JSON_INTEGER, offsetof(line_values, overload)},
    {"caller", JSON_INTEGER, offsetof(line_values, caller)},
    {"run", JSON_INTEGER, offsetof(line_values, run)},
    {"size", JSON_INTEGER, offsetof(line_values, size)},
    {"checksum", JSON_STRING, offsetof(line_values, checksum)},
};
enum { MEMBERS = sizeof members / sizeof *members };

typedef struct loader {
    const char *path;
    uint32_t line; /* current line number, from 1 */
    mp_dictionary *dictionary;
    mp_digest **runs; /* runs of the baseline; one until the head is read */
    size_t run_count;
    run_values *values;            /* values of the current line, by run */
    mp_amounts (*sums)[MP_LEVELS]; /* sums of all entries, by run */
    mp_entries seen[MP_LEVELS];    /* keys of all runs, to detect repeated lines */
    int64_t entries;               /* number of entries according to the totals; -1: missing */
    stack_end *callers;            /* callers that stacks share, numbered from 1 */
    size_t caller_count, caller_capacity;
    bool totalled;
    mp_error *error;
} loader;

#define FAIL(load, ...) mp_fail_file((load)->error, (load)->path, (load)->line, 0, __VA_ARGS__)

/* Largest figure in a baseline. Twice this figure still fits into 64 bits. */
#define MOST (INT64_MAX / 2)

#define NO_FIGURE "the line has an invalid figure, expected a whole number that is not negative"

static bool check_figure(loader *load, json_t *value, int64_t least)
{
    int64_t figure = json_integer_value(value);
    return (json_is_integer(value) && figure >= least && figure <= MOST) || FAIL(load, NO_FIGURE);
}

/* Read a figure, which is one number for all runs or a list with one number per run. `offset` is
 * that of the figure in run_values. */
static bool read_figure(loader *load, size_t offset, json_t *value, int64_t least)
{
    bool list = load->run_count > 1 && json_is_array(value);
    if (list && json_array_size(value) != load->run_count)
        return FAIL(
            load,
            "the line has a list whose length is not the number of runs, expected %zu figures",
            load->run_count);
    for (size_t i = 0; i < load->run_count; i++) {
        json_t *figure = list ? json_array_get(value, i) : value;
        if (!check_figure(load, figure, least))
            return false;
        *(int64_t *)((char *)&load->values[i] + offset) = json_integer_value(figure);
    }
    return true;
}

static bool read_member(loader *load, line_values *values, const char *name, json_t *value)
{
    static const struct {
        const char *name;
        size_t offset;
    } totals[] = {{"peak_objects", offsetof(run_values, peak_objects)},
                  {"peak_bytes", offsetof(run_values, peak_bytes)},
                  {"unreachable_bytes", offsetof(run_values, unreachable_bytes)},
                  {"modules", offsetof(run_values, modules)}};
    /* Times may be negative, because clocks can be set back while a program runs. */
    for (size_t i = 0; i < MP_AMOUNTS && mp_amount_fields[i].name; i++)
        if (strcmp(mp_amount_name(i, load->runs[0]->has), name) == 0)
            return read_figure(load, offsetof(run_values, amounts) + i * sizeof(int64_t), value,
                               strcmp(name, "exclusive_us") == 0 ? -MOST : 0);
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        if (strcmp(totals[i].name, name) == 0)
            return read_figure(load, totals[i].offset, value, 0);
    if (strcmp(name, "stack") == 0) {
        values->stack = value;
        return true; /* checked by read_stack */
    }
    if (strcmp(name, "frame") == 0) {
        values->frame = value;
        return true; /* checked by read_caller */
    }
    for (size_t i = 0; i < MEMBERS; i++) {
        void *place = (char *)values + members[i].offset;
        if (strcmp(members[i].name, name) != 0)
            continue;
        if (json_typeof(value) != members[i].type &&
            !(members[i].type == JSON_TRUE && json_is_boolean(value)))
            return FAIL(load,
                        "the line has a value of the wrong kind, expected one as it was saved");
        if (members[i].type == JSON_STRING)
            *(const char **)place = json_string_value(value);
        else
            *(int64_t *)place =
                members[i].type == JSON_TRUE ? json_is_true(value) : json_integer_value(value);
        bool line =
            strcmp(name, "line") == 0; /* source lines are 32-bit numbers and may be negative */
        return members[i].type != JSON_INTEGER || line || check_figure(load, value, 0);
    }
    return FAIL(load, "the line has an unknown name, expected those that were saved");
}

/* Read all members of a line. Unknown or wrong members are errors, so that a modified baseline is
 * not read as one with less data. All members are read even after an error. Return false with the
 * first error. */
static bool read_members(loader *load, json_t *object, line_values *values)
{
    bool ok = true;
    mp_error first;
    memset(load->values, 0, load->run_count * sizeof *load->values);
    *values = (line_values){.complete = NOT_KNOWN,
                            .partial = NOT_KNOWN,
                            .entries = -1,
                            .line = (int32_t)MP_NO_LINE,
                            .runs = 1,
                            .run = 1,
                            .checksum = "",
                            .kind = "",
                            .measure = "",
                            .options = "",
                            .start_time = "",
                            .subject = "",
                            .type = "",
                            .name = "",
                            .program = ""};
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (!read_member(load, values, name, value) && ok) {
            first = *load->error;
            ok = false;
        }
    }
    if (!ok)
        *load->error = first;
    return ok;
}

/* Return true if the value is a frame: [name], [name, line], or [name, line or null, true] for a
 * frame of an allocator. */
static bool is_frame(json_t *frame)
{
    if (!json_is_array(frame))
        return false;
    size_t length = json_array_size(frame);
    json_t *line = json_array_get(frame, 1);
    return length >= 1 && length <= 3 && json_is_string(json_array_get(frame, 0)) &&
           (!line || json_is_null(line) || json_is_integer(line)) &&
           (length < 3 || json_is_boolean(json_array_get(frame, 2)));
}

/* Read the next inner frame of a stack. Return false if the value is not a frame. */
static bool read_frame(mp_dictionary *dictionary, json_t *value, stack_end *end)
{
    if (!is_frame(value))
        return false;
    const char *name = json_string_value(json_array_get(value, 0));
    json_t *line = json_array_get(value, 1);
    mp_frame_key frame = {.caller = end->frame,
                          .name = mp_dictionary_id(dictionary, name),
                          .line = end->line,
                          .allocator = json_is_true(json_array_get(value, 2))};
    end->frame = mp_dictionary_frame(dictionary, frame);
    end->line = json_is_integer(line) ? (uint32_t)json_integer_value(line) : MP_NO_LINE;
    if (!frame.allocator)
        end->named = frame.name;
    return true;
}

/* Start a stack with the callers of this number, which an earlier line defined. Return false if
 * there is no such number. */
static bool take_callers(const loader *load, int64_t number, stack_end *end)
{
    if (number < 1 || (uint64_t)number > load->caller_count)
        return false;
    *end = load->callers[number];
    return true;
}

/* Read a stack and store it in the key. Return false if the value is not a stack. */
static bool read_stack(const loader *load, json_t *stack, mp_entry_key *key)
{
    if (!stack)
        return true;
    if (!json_is_array(stack))
        return false;
    stack_end end = {.line = MP_NO_LINE};
    for (size_t count = json_array_size(stack), i = count; i-- > 0;) {
        json_t *value = json_array_get(stack, i);
        bool shared = i && i + 1 == count && json_is_integer(value);
        if (!(shared ? take_callers(load, json_integer_value(value), &end)
                     : read_frame(load->dictionary, value, &end)))
            return false;
    }
    key->frame = end.frame;
    key->line = end.line;
    if (end.frame)
        key->program =
            end.named ? end.named : mp_dictionary_frame_at(load->dictionary, end.frame)->name;
    return true;
}

static bool read_caller(loader *load, const line_values *values)
{
    stack_end end = {.line = MP_NO_LINE};
    if ((values->caller && !take_callers(load, values->caller, &end)) ||
        !read_frame(load->dictionary, values->frame, &end))
        return FAIL(load, "the line has an invalid caller, expected \"frame\" with [name, line] "
                          "and the number of an earlier caller");
    mp_grow(&load->callers, &load->caller_capacity, load->caller_count + 2, sizeof *load->callers);
    load->callers[++load->caller_count] = end;
    return true;
}

/* Replace the runs with empty ones that have this head. */
static void make_runs(loader *load, size_t count, const mp_digest *head)
{
    for (size_t i = 0; i < load->run_count; i++)
        mp_digest_free(load->runs[i]);
    MP_FREE(load->runs, load->values, load->sums);
    load->run_count = count;
    load->runs = mp_alloc(count * sizeof(mp_digest *));
    load->values = mp_alloc_zero(count, sizeof *load->values);
    load->sums = mp_alloc_zero(count, sizeof *load->sums);
    for (size_t i = 0; i < count; i++) {
        load->runs[i] = mp_alloc(sizeof(mp_digest));
        *load->runs[i] = *head;
    }
}

static void free_lists(loader *load)
{
    for (int level = 0; level < MP_LEVELS; level++)
        mp_entries_free(&load->seen[level]);
    MP_FREE(load->runs, load->values, load->sums, load->callers);
}

static bool read_head(loader *load, const line_values *values)
{
    if (values->version < MP_BASELINE_OLDEST || values->version > MP_BASELINE_VERSION)
        return FAIL(load, "the line is of another version, expected a baseline of version 1 to 4: "
                          "save it again");
    if (values->runs < 1 || values->runs > MP_MOST_RUNS)
        return FAIL(load, "the line has an invalid number of runs, expected 1 to %d", MP_MOST_RUNS);
    mp_digest head = *load->runs[0];
    for (int i = 1; i < MP_BASELINE_KINDS; i++)
        if (strcmp(mp_baseline_kinds[i], values->kind) == 0)
            head.kind = (mp_kind)i;
    if (!head.kind)
        return FAIL(load, "the line does not name the kind of the recording");
    head.holds = mp_kind_holds(head.kind);
    if (*values->start_time && !mp_parse_stamp(values->start_time, &head.start_us))
        return FAIL(
            load, "the line has an invalid start time, expected one such as 2026-03-02T08:16:00Z");
    head.has = (unsigned)values->knows;
    head.holds |= head.has & MP_HAS_SAMPLES ? MP_HOLDS_SAMPLES : 0;
    head.holds |= head.has & (MP_HAS_SAMPLES | MP_HAS_TIMES) ? MP_HOLDS_UNCALLED : 0;
    head.holds |= head.has & MP_HAS_UNSIZED ? MP_HOLDS_UNSIZED : 0;
    head.holds |= head.has & MP_HAS_UNCOUNTED ? MP_HOLDS_UNCOUNTED : 0;
    mp_digest_name(&head, values->measure, load->dictionary);
    head.complete = values->complete != 0;
    head.open_ended = values->complete == NOT_KNOWN;
    head.torn = values->torn != 0;
    head.late = values->late != 0;
    head.in_use = values->in_use != 0;
    head.partial = values->partial == true;
    head.tells_no_part = values->partial == NOT_KNOWN && head.holds & MP_HOLDS_PROFILE;
    head.format = "baseline";
    head.kept = true;
    head.conditions =
        mp_dictionary_text(load->dictionary, mp_dictionary_id(load->dictionary, values->options));
    make_runs(load, (size_t)values->runs, &head);
    return true;
}

static bool read_totals(loader *load, const line_values *values)
{
    if (load->totalled)
        return FAIL(load, "the line has the totals a second time, expected them once");
    load->totalled = true;
    load->entries = values->entries;
    for (size_t i = 0; i < load->run_count; i++) {
        mp_digest *run = load->runs[i];
        run->totals = load->values[i].amounts;
        run->peak_objects = load->values[i].peak_objects;
        run->peak_bytes = load->values[i].peak_bytes;
        run->unreachable_bytes = load->values[i].unreachable_bytes;
        run->modules = (uint64_t)load->values[i].modules;
    }
    return true;
}

static bool read_recording(loader *load, const line_values *values)
{
    mp_checksum checksum = {.bytes = (uint64_t)values->size};
    if (values->run < 1 || (uint64_t)values->run > load->run_count ||
        !mp_checksum_parse(values->checksum, &checksum))
        return FAIL(load, "the line has an invalid checksum, expected \"xxh128:\" and 32 digits, "
                          "of an existing run");
    mp_digest_add_checksum(load->runs[values->run - 1], checksum);
    return true;
}

/* Add an entry to a run. Return false with an error if a sum would overflow. */
static bool add_entry(loader *load, size_t run, mp_level level, mp_entry_key key)
{
    mp_amounts amounts = load->values[run].amounts, *sums = &load->sums[run][level];
    mp_entry_for(&load->runs[run]->lists[level], key)->amounts = amounts;
    amounts.scoped_bytes = 0; /* scoped bytes cannot be summed */
    *sums = mp_amounts_add(*sums, amounts);
    for (size_t i = 0; i < MP_AMOUNTS; i++)
        if (sums->values[i] > MOST || sums->values[i] < -MOST)
            return FAIL(load,
                        "the line makes a sum overflow 63 bits, expected figures of a recording");
    return true;
}

static bool is_nothing(const mp_amounts *amounts)
{
    static const mp_amounts nothing;
    return memcmp(amounts, &nothing, sizeof nothing) == 0;
}

static bool read_entry(loader *load, const line_values *values)
{
    mp_dictionary *dictionary = load->dictionary;
    int level = 0;
    while (level < MP_LEVEL_GROUP && strcmp(mp_level_name((mp_level)level), values->subject) != 0)
        level++;
    if (level == MP_LEVEL_GROUP)
        return FAIL(load, "the line has no subject, expected \"of\" with totals, recording, site, "
                          "type, line, method or module");
    mp_entry_key key = {.type = mp_dictionary_id(dictionary, values->type),
                        .name = mp_dictionary_id(dictionary, values->name),
                        .program = mp_dictionary_id(dictionary, values->program),
                        .line = (uint32_t)values->line,
                        .start = (uint32_t)values->start,
                        .overload = (uint32_t)values->overload};
    if (!read_stack(load, values->stack, &key))
        return FAIL(load, "the line has an invalid stack, expected a list of [name, line]");
    size_t before = load->seen[level].count;
    bool ok = true, any = false;
    mp_entry_for(&load->seen[level], key);
    if (load->seen[level].count == before)
        return FAIL(load, "the line repeats the subject of an earlier line, expected each once");
    for (size_t i = 0; i < load->run_count; i++)
        any |= !is_nothing(&load->values[i].amounts);
    /* Add the entry to the runs that have it: runs in which an amount is not 0 or, if all amounts
     * are 0, all runs. */
    for (size_t i = 0; ok && i < load->run_count; i++)
        ok = (any && is_nothing(&load->values[i].amounts)) ||
             add_entry(load, i, (mp_level)level, key);
    return ok;
}

static bool read_line(loader *load, const char *line, size_t length)
{
    line_values values;
    if (!mp_utf8_valid((mp_slice){line, length}))
        return FAIL(load, "the line is not UTF-8");
    json_error_t error;
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(object)) {
        const bool too_large = !object && json_error_code(&error) == json_error_numeric_overflow;
        json_decref(object);
        return too_large ? FAIL(load, NO_FIGURE) : FAIL(load, "the line is not a JSON object");
    }
    bool ok = read_members(load, object, &values);
    if (load->line == 1) /* the version comes first, because members may differ in other versions */
        ok = read_head(load, &values) && ok;
    else if (ok)
        ok = strcmp(values.subject, "totals") == 0      ? read_totals(load, &values)
             : strcmp(values.subject, "caller") == 0    ? read_caller(load, &values)
             : strcmp(values.subject, "recording") == 0 ? read_recording(load, &values)
                                                        : read_entry(load, &values);
    json_decref(object);
    return ok;
}

/* Return true if the baseline is complete: the totals must state the number of entries that it has,
 * and for heaps the amounts of the sites must add up to the totals. */
static bool is_whole(loader *load)
{
    unsigned long long found = 0;
    for (int level = 0; level < MP_LEVELS; level++)
        found += load->seen[level].count;
    if (!load->totalled || load->entries < 0)
        return FAIL(load,
                    "the line ends a baseline without totals, expected them after the first line");
    if ((unsigned long long)load->entries != found)
        return FAIL(load,
                    "the line ends a baseline of %llu entries, expected %lld according to its "
                    "totals; save it again",
                    found, (long long)load->entries);
    for (size_t i = 0; i < load->run_count; i++)
        if (!(load->runs[i]->holds & MP_HOLDS_PROFILE) &&
            memcmp(&load->sums[i][MP_LEVEL_SITE], &load->runs[i]->totals,
                   sizeof load->runs[i]->totals) != 0)
            return FAIL(
                load,
                "the line ends a baseline whose sites do not add up to its totals; save it again");
    return true;
}

mp_digest *mp_baseline_parse(const char *path, const char *text, size_t length,
                             mp_dictionary *dictionary, mp_error *error)
{
    loader load = {.path = path, .dictionary = dictionary, .error = error};
    const char *cursor = text, *end = text + length;
    bool ok = length || FAIL(&load, "is empty, expected a baseline");
    const mp_digest head = {.path =
                                mp_dictionary_text(dictionary, mp_dictionary_id(dictionary, path)),
                            .bytes = length};
    mp_json_begin();
    make_runs(&load, 1, &head);
    while (cursor < end && ok) {
        const char *newline = memchr(cursor, '\n', (size_t)(end - cursor));
        const char *stop = newline ? newline : end;
        load.line++;
        ok = stop == cursor || read_line(&load, cursor, (size_t)(stop - cursor));
        cursor = newline ? newline + 1 : end;
    }
    mp_json_end();
    ok = ok && is_whole(&load);
    mp_digest *digest = ok ? mp_digest_of_runs(load.runs, load.run_count) : NULL;
    for (size_t i = 0; i < load.run_count; i++)
        if (ok)
            load.runs[i]->records = load.line;
        else
            mp_digest_free(load.runs[i]);
    free_lists(&load);
    return digest;
}
