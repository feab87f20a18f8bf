/* GC heap dumps of the Remote Performance Monitor for the .NET Compact Framework, version 2.
 *
 * Sources: "The GC log file format", S. Pratschner, and "Heap Dump File Information", XNA Game
 * Studio. A record a line, its letter first; every number behind it is hexadecimal. A file is one
 * moment: several files are moments of one session, in the order given. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/input.h"
#include "memprof/reader.h"
#include "model/build.h"
#include "model/graph.h"
#include "support/index.h"
#include "support/text.h"

enum { FEW_TYPES = 4096 };

typedef struct rpm_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    const char *path;
    mp_session_id session;
    mp_type_counts counts;
    mp_id_index types_by_name; /* mp_string_id to the first type of that name */
    bool converted;
    int64_t first_stamp; /* milliseconds; -1: none was seen */

    /* of one file */
    mp_graph_builder *graph;
    int64_t stamp;
    uint32_t first_type; /* of the model, of this file */
    uint64_t version, records, objects;
    bool open, skipped, unclosed; /* a section is open; it is not asked for; one was not closed */
    mp_arena domains;             /* names, for a message */
    const char *domain_names;
    bool chosen;             /* the domain asked for was there */
    uint32_t few[FEW_TYPES]; /* of the section: type id to type */
    mp_id_index many;
    uint64_t *references; /* of the object that is being read */
    size_t reference_capacity;
} rpm_state;

/* --- words --- */

typedef struct record_words {
    const char *at, *end;
} record_words;

static bool is_gap(char letter)
{
    return letter == ' ' || letter == '\t';
}

static void skip_gap(record_words *words)
{
    while (words->at < words->end && is_gap(*words->at))
        words->at++;
}

/* The value of a hexadecimal digit, more than 15 for other letters. */
static unsigned digit_of(char letter)
{
    unsigned digit = (unsigned)(unsigned char)letter - '0';
    if (digit <= 9)
        return digit;
    digit = ((unsigned)(unsigned char)letter | 32) - 'a';
    return digit <= 5 ? digit + 10 : 16;
}

/* The next word as a hexadecimal number of 64 bits; the hot path. */
static bool take_hex(record_words *words, uint64_t *value)
{
    skip_gap(words);
    const char *start = words->at, *at = start, *end = words->end;
    uint64_t sum = 0;
    for (unsigned digit; at < end && (digit = digit_of(*at)) < 16; at++)
        sum = sum << 4 | digit;
    words->at = at;
    *value = sum;
    return at > start && at - start <= 16 && (at == end || is_gap(*at));
}

static bool take_hex32(record_words *words, uint32_t *value)
{
    uint64_t wide = 0;
    bool ok = take_hex(words, &wide) && wide <= UINT32_MAX;
    *value = (uint32_t)wide;
    return ok;
}

static bool has_more(record_words *words)
{
    skip_gap(words);
    return words->at < words->end;
}

/* The rest of a record is a name, which may hold blanks, and perhaps a stamp behind it. */
static mp_slice take_name(record_words *words, int64_t *stamp)
{
    skip_gap(words);
    mp_slice name = mp_slice_trim((mp_slice){words->at, (size_t)(words->end - words->at)});
    size_t cut = name.length;
    while (cut > 0 && !is_gap(name.at[cut - 1]))
        cut--;
    record_words last = {name.at + cut, name.at + name.length};
    uint64_t value = 0;
    if (cut == 0 || !take_hex(&last, &value) || value > UINT32_MAX)
        return name;
    *stamp = (int64_t)value;
    return mp_slice_trim((mp_slice){name.at, cut});
}

/* --- types --- */

/* A type of the section, new when it is named for the first time, by an object or a declaration. */
static uint32_t type_of(rpm_state *state, uint64_t id)
{
    uint32_t *place = id < FEW_TYPES ? &state->few[id] : mp_id_index_put(&state->many, id);
    if (!*place) {
        MP_ADD(&state->model->types)->number = id;
        *place = state->model->types.count - 1;
    }
    return *place;
}

static void forget_types(rpm_state *state)
{
    memset(state->few, 0, sizeof state->few);
    mp_id_index_free(&state->many);
}

/* Of each type of this file, the first one of its name in all files. */
static uint32_t *types_by_name(rpm_state *state)
{
    mp_model *model = state->model;
    uint32_t *canonical = mp_alloc_zero(model->types.count, sizeof *canonical);
    for (uint32_t i = state->first_type; i < model->types.count; i++) {
        char name[40];
        bool declared = model->types.at[i].name.i;
        if (!declared) {
            snprintf(name, sizeof name, "<type %" PRIx64 ">", model->types.at[i].number);
            mp_diagnose(state->diagnostics, MP_DIAG_UNDEFINED_TYPE, state->path, 0,
                        "type %" PRIx64 " is used, and no t record says what it is",
                        model->types.at[i].number);
            model->types.at[i].name = mp_model_intern_text(model, name);
        }
        uint32_t *place = mp_id_index_put(&state->types_by_name, model->types.at[i].name.i);
        bool first = !*place || *place < state->first_type;
        if (!*place)
            *place = i;
        canonical[i] = *place;
        model->graph->declared_types += declared && first && canonical[i] == i;
    }
    return canonical;
}

static void unite_types(rpm_state *state)
{
    mp_graph *graph = state->model->graph;
    uint32_t *canonical = types_by_name(state);
    for (uint32_t i = 1; i <= graph->count; i++)
        graph->types[i] = canonical[graph->types[i]];
    for (uint32_t i = 1; i < graph->roots.count; i++)
        graph->roots.at[i].container.i = canonical[graph->roots.at[i].container.i];
    free(canonical);
}

/* --- records --- */

static void begin_section(rpm_state *state, mp_slice name)
{
    mp_model *model = state->model;
    mp_string_id id = mp_model_intern(model, name, &state->converted);
    const char *text = mp_model_text(model, id), *wanted = state->options->domain;
    state->unclosed |= state->open;
    state->open = true;
    state->skipped = wanted && strcmp(text, wanted) != 0;
    state->chosen |= wanted && !state->skipped;
    state->domain_names = mp_arena_format(&state->domains, "%s%s\"%s\"",
                                          state->domain_names ? state->domain_names : "",
                                          state->domain_names ? ", " : "", text);
    forget_types(state);
    if (state->skipped)
        return;
    mp_graph_domain(state->graph, id);
    mp_session *session = &model->sessions.at[state->session.i];
    if (!session->application.i)
        session->application = id;
}

/* Records outside of any section have one without a name. */
static void need_section(rpm_state *state)
{
    if (!state->open)
        begin_section(state, (mp_slice){"", 0});
}

static bool read_domain(rpm_state *state, record_words *words)
{
    int64_t stamp = -1;
    if (!take_hex(words, &state->version) || !has_more(words))
        return false;
    begin_section(state, take_name(words, &stamp));
    if (stamp >= 0 && state->stamp < 0)
        state->stamp = stamp;
    return true;
}

static bool read_end(rpm_state *state, record_words *words)
{
    if (!has_more(words))
        return false;
    need_section(state);
    state->open = false;
    return true;
}

static bool read_type(rpm_state *state, record_words *words)
{
    uint64_t id;
    if (!take_hex(words, &id) || !has_more(words))
        return false;
    need_section(state);
    if (state->skipped)
        return true;
    mp_slice name = mp_slice_trim((mp_slice){words->at, (size_t)(words->end - words->at)});
    mp_string_id text = mp_model_intern(state->model, name, &state->converted);
    uint32_t number = type_of(state, id); /* which may move the types */
    mp_type *type = &state->model->types.at[number];
    if (!type->name.i)
        type->name = text;
    return true;
}

static bool read_object(rpm_state *state, record_words *words)
{
    uint64_t id, type, bytes;
    size_t count = 0;
    if (!take_hex(words, &id) || !take_hex(words, &type) || !take_hex(words, &bytes))
        return false;
    for (; has_more(words); count++) {
        mp_grow(&state->references, &state->reference_capacity, count + 1,
                sizeof *state->references);
        if (!take_hex(words, &state->references[count]))
            return false;
    }
    need_section(state);
    if (state->skipped)
        return true;
    if (!mp_graph_object(state->graph, id, (mp_type_id){type_of(state, type)}, bytes))
        return false;
    mp_graph_refer(state->graph, state->references, count);
    state->objects++;
    return true;
}

static bool read_root(rpm_state *state, record_words *words)
{
    mp_root root = {.object = 0};
    uint64_t container;
    if (!take_hex(words, &root.id) || !take_hex32(words, &root.kind) ||
        !take_hex32(words, &root.flags))
        return false;
    bool contained = has_more(words);
    if (contained && !take_hex(words, &container))
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

static void read_record(rpm_state *state, mp_slice line, uint64_t at)
{
    record_words words = {line.at + 1, line.at + line.length};
    char letter = line.at[0];
    bool alone = line.length > 1 && is_gap(line.at[1]);
    bool ok = alone && (letter == 'o'   ? read_object(state, &words)
                        : letter == 'r' ? read_root(state, &words)
                        : letter == 't' ? read_type(state, &words)
                        : letter == 'a' ? read_domain(state, &words)
                        : letter == 'c' ? read_end(state, &words)
                                        : false);
    state->records += ok;
    if (ok)
        return;
    unsigned index = (unsigned char)letter;
    const char *form = index < sizeof expected / sizeof *expected ? expected[index] : NULL;
    mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, at,
                "\"%.*s\" is no record, expected %s in hexadecimal numbers: line skipped",
                (int)(line.length < 40 ? line.length : 40), line.at,
                form ? form : "one of a, t, o, r and c and what belongs to it");
}

/* --- one file --- */

static void begin_file(rpm_state *state, uint32_t summary)
{
    mp_model *model = state->model;
    if (!state->session.i) {
        (void)MP_ADD(&model->sessions);
        state->session.i = model->sessions.count - 1;
    }
    mp_mark *mark = MP_ADD(&model->marks);
    mark->session = state->session;
    state->path = model->inputs.at[summary].path;
    state->graph = mp_graph_begin(model, (mp_mark_id){model->marks.count - 1});
    state->first_type = model->types.count;
    state->stamp = -1;
    state->version = state->records = state->objects = 0;
    state->open = state->skipped = state->unclosed = state->chosen = false;
    state->domain_names = NULL;
    forget_types(state);
}

static void say_what_was_odd(const rpm_state *state)
{
    const mp_graph *graph = state->model->graph;
    uint64_t missing = 0;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        missing += !graph->roots.at[i].object;
    if (graph->duplicates)
        mp_diagnose(state->diagnostics, MP_DIAG_DUPLICATE_OBJECT, state->path, 0,
                    "%" PRIu64 " objects have an id that one before has: left out",
                    graph->duplicates);
    if (graph->dangling)
        mp_diagnose(state->diagnostics, MP_DIAG_DANGLING_REFERENCE, state->path, 0,
                    "%" PRIu64 " references are to objects that are not in the file",
                    graph->dangling);
    if (missing)
        mp_diagnose(state->diagnostics, MP_DIAG_ROOT_WITHOUT_OBJECT, state->path, 0,
                    "%" PRIu64 " roots are of objects that are not in the file", missing);
}

static bool refuse(const rpm_state *state, mp_graph_builder *graph)
{
    const char *domain = state->options->domain;
    if (domain && !state->chosen)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "has no application domain \"%s\", expected one of %s", domain,
                    state->domain_names ? state->domain_names : "none");
    else if (!state->objects)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "has no object in it, expected o records");
    else
        return false;
    mp_graph_drop(graph);
    return true;
}

/* All lines are read: resolve them, and enter what is alive. */
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
    mp_type_counts_enter(&state->counts);
    mp_mark *mark = &model->marks.at[model->graph->mark.i];
    mark->whole = true;
    mark->ordinal = ++model->sessions.at[state->session.i].marks;
    mark->sequence = mark->ordinal;
    if (state->stamp >= 0 && state->first_stamp < 0)
        state->first_stamp = state->stamp;
    if (state->stamp > state->first_stamp)
        mark->time_us = (state->stamp - state->first_stamp) * 1000;
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
    if (!whole)
        mp_diagnose(state->diagnostics, MP_DIAG_TORN, state->path, mp_input_line_number(input),
                    "the dump is cut off, expected a c record for each application domain: what "
                    "is there is used");
    mp_input_summary *sum = &state->model->inputs.at[summary];
    sum->format_version = (uint32_t)state->version;
    sum->records = state->records;
    sum->complete = usable && whole;
    mp_arena_free(&state->domains);
    return usable;
}

/* --- the reader --- */

/* The first line that is not blank, and what is behind it. */
static mp_slice next_line(mp_slice *head)
{
    mp_slice line = {"", 0};
    while (head->length && !line.length) {
        const char *newline = memchr(head->at, '\n', head->length);
        size_t length = newline ? (size_t)(newline - head->at) : head->length;
        line = (mp_slice){head->at, length};
        if (line.length && line.at[line.length - 1] == '\r')
            line.length--;
        line = mp_slice_trim(line);
        head->at += length + (newline != NULL);
        head->length -= length + (newline != NULL);
    }
    return line;
}

/* An a record of a version of one digit, and another record of the format behind it. */
static mp_bid probe(mp_slice head)
{
    mp_slice first = next_line(&head), second = next_line(&head);
    record_words words = {first.at + 1, first.at + first.length};
    uint64_t version, number;
    if (!mp_slice_starts(first, "a ") || !take_hex(&words, &version) || version > 15 ||
        !has_more(&words))
        return MP_NOT_MINE;
    if (!second.length)
        return MP_MINE;
    words = (record_words){second.at + 1, second.at + second.length};
    bool named = second.length > 2 && is_gap(second.at[1]);
    if (named && second.at[0] == 'c')
        return MP_MINE;
    return named && strchr("tor", second.at[0]) && take_hex(&words, &number) && has_more(&words)
               ? MP_MINE
               : MP_NOT_MINE;
}

static void *open_rpm(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    rpm_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->diagnostics = diagnostics;
    state->options = options;
    state->counts.model = model;
    state->first_stamp = -1;
    return state;
}

static void close_rpm(void *opaque)
{
    rpm_state *state = opaque;
    if (state->converted)
        mp_diagnose(state->diagnostics, MP_DIAG_NOT_UTF8, state->path, 0,
                    "has text that is not UTF-8: read as ISO 8859-1");
    mp_type_counts_free(&state->counts);
    mp_id_index_free(&state->types_by_name);
    mp_id_index_free(&state->many);
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
    .place = NULL,
    .open = open_rpm,
    .read = read_rpm,
    .close = close_rpm,
};
