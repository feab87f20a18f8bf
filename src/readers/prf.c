/* OpenEdge execution-profiler data, versions 1 to 4: the layout of the file.
 *
 * Source: recordings of OpenEdge 11 to 12; the format has no public specification. A profile
 * consists of a description line and sections of rows. A line with a dot ends each section. Columns
 * are separated by a blank, and are numbers or quoted strings. A file may have several profiles. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/pipeline.h"
#include "base/text.h"
#include "input/fields.h"
#include "input/numbers.h"
#include "model/build.h"
#include "readers/listing.h"
#include "readers/prf.h"

enum { MOST_COLUMNS = 8, MOST_SECTIONS = 12, CHILD_COUNT = 6, CHILD_SUM = 7 };

/* A section. Each column is a letter for its kind, then its name. Kinds: i id, l line, n count, t
 * seconds that can be added up, w moment in seconds, s string. */
typedef struct prf_section {
    const char *name;
    prf_part part;
    unsigned required, columns; /* columns after the required ones may be absent */
    void (*row)(prf_state *, const prf_value *, uint64_t);
    void (*end)(prf_state *);
    const char *column[MOST_COLUMNS];
} prf_section;

static const prf_section description = {"description", PRF_DESCRIPTION, 0, 0, NULL, NULL, {NULL}};
/* Start line and signature were added in 11.7.4, without a new version number. */
static const prf_section modules = {
    "modules",
    PRF_MODULES,
    4,
    6,
    prf_module,
    prf_modules_end,
    {"imodule id", "sname", "slisting file", "iCRC", "lstart line", "ssignature"}};
static const prf_section calls = {"call graph",
                                  PRF_CALLS,
                                  4,
                                  4,
                                  prf_call,
                                  NULL,
                                  {"icaller id", "lcaller line", "icallee id", "ncount"}};
static const prf_section lines = {
    "line summary",
    PRF_LINES,
    5,
    5,
    prf_line,
    NULL,
    {"imodule id", "lline", "nexecutions", "texclusive seconds", "tcumulative seconds"}};
static const prf_section trace = {"tracing",
                                  PRF_TRACE,
                                  4,
                                  4,
                                  prf_trace,
                                  NULL,
                                  {"imodule id", "lline", "texclusive seconds", "wstart seconds"}};
static const prf_section coverage = {
    "coverage", PRF_COVERAGE, 3, 3, prf_entity, NULL, {"imodule id", "sentity", "nlines"}};
/* Lines of a coverage entity. They follow its row, up to a line with a dot. */
static const prf_section entity = {"coverage",      PRF_COVERAGE,   1,        1,
                                   prf_entity_line, prf_entity_end, {"lline"}};
/* Statistics: rows are kept unchanged, and the columns with a known meaning are parsed. */
static const prf_section statistics[] = {
    [MP_STATISTICS_OPERATIONS] = {.name = "statistics (operations)", .part = PRF_STATISTICS},
    [MP_STATISTICS_MODULES] = {.name = "statistics (module details)", .part = PRF_STATISTICS},
    [MP_STATISTICS_WATERMARKS] = {.name = "statistics (session watermarks)",
                                  .part = PRF_STATISTICS},
    [MP_STATISTICS_PARAMETERS] = {.name = "statistics (parameters and databases)",
                                  .part = PRF_STATISTICS},
};
#define STATISTICS &statistics[0], &statistics[1], &statistics[2], &statistics[3]
static const prf_section nodes = {
    "call tree",
    PRF_NODES,
    6,
    6,
    prf_node,
    NULL,
    {"inode id", "iparent node", "imodule id", "lcaller line", "ncalls", "tcumulative seconds"}};
static const prf_section user_data = {"user data", PRF_USER_DATA,        2, 2, prf_user_data,
                                      NULL,        {"wseconds", "stext"}};

static const prf_section *const layouts[5][MOST_SECTIONS + 1] = {
    {NULL},
    {&description, &modules, &calls, &lines, &trace, &coverage, &user_data, NULL},
    {&description, &modules, &calls, &lines, &trace, &coverage, STATISTICS, &user_data, NULL},
    {&description, &modules, &calls, &lines, &trace, &coverage, &nodes, &user_data, NULL},
    {&description, &modules, &calls, &lines, &trace, &coverage, STATISTICS, &nodes, &user_data,
     NULL}};

/* --- rows --- */

typedef struct prf_cursor {
    prf_state *state;
    mp_input *input;
    const prf_section *const *layout; /* NULL: between profiles */
    bool in_entity;                   /* reading the lines of a coverage entity */
    bool cut;                         /* the last line has no line end */
    bool foreign;                     /* skipping a profile of an unknown version */
    unsigned version;                 /* version of the first profile */
    uint64_t records, profiles, whole, skipped_from, skipped;
    uint64_t told; /* number of rows with times or executable lines; 0: the profile is not usable */
    mp_pipeline *adder; /* adds rows of the call tree on another thread; NULL: not needed yet */
} prf_cursor;

static bool parse_column(mp_fields *fields, mp_arena *scratch, char kind, prf_value *value)
{
    mp_fields before = *fields;
    bool ok;
    switch (kind) {
    case 's':
        return mp_field_text(fields, scratch, &value->text);
    case 'i':
        return mp_field_unsigned(fields, &value->number);
    case 'l':
        ok = mp_field_signed(fields, &value->amount) && value->amount >= INT32_MIN &&
             value->amount <= INT32_MAX;
        break;
    case 'n':
        ok = mp_field_signed(fields, &value->amount) && value->amount >= 0;
        break;
    case 't':
        ok = mp_field_decimal(fields, 6, &value->amount) && value->amount >= 0;
        break;
    default:
        ok = mp_field_decimal(fields, 6, &value->amount);
        break;
    }
    if (!ok)
        *fields = before; /* leave the cursor before the invalid field */
    return ok;
}

/* Parse the columns of a row. Return how many could be parsed. */
static unsigned parse_row(mp_fields *fields, mp_arena *scratch, const prf_section *section,
                          prf_value *row)
{
    for (unsigned i = 0; i < section->columns; i++) {
        if (i >= section->required && mp_fields_end(fields))
            return section->columns;
        if (!parse_column(fields, scratch, section->column[i][0], &row[i]))
            return i;
    }
    if (section != &nodes)
        return section->columns;
    while (!mp_fields_end(fields)) {
        uint64_t child;
        if (!mp_field_unsigned(fields, &child))
            break;
        row[CHILD_COUNT].number++;
        row[CHILD_SUM].number += child;
    }
    return section->columns;
}

/* Return true if the row's amounts can be added to the sums without overflow. */
static bool affords(prf_state *state, const prf_section *section, const prf_value *row)
{
    mp_budget spent = state->spent;
    for (unsigned i = 0; i < section->columns; i++) {
        bool is_amount = section->column[i][0] == 'n' || section->column[i][0] == 't';
        if (is_amount && !mp_budget_take(&spent, row[i].amount))
            return false;
    }
    state->spent = spent;
    return true;
}

static const char *kind_of(char kind)
{
    switch (kind) {
    case 's':
        return "a quoted string";
    case 'i':
        return "a number from 0";
    case 'l':
        return "a line number";
    case 'n':
        return "a count";
    case 't':
        return "seconds from 0";
    default:
        return "seconds";
    }
}

static const prf_section *section_of(const prf_cursor *cursor)
{
    return cursor->in_entity ? &entity : *cursor->layout;
}

static void bad_row(prf_cursor *cursor, unsigned column, const mp_fields *fields)
{
    prf_state *state = cursor->state;
    const prf_section *section = section_of(cursor);
    uint64_t offset = mp_input_line_number(cursor->input);
    mp_slice rest = mp_slice_trim(mp_fields_rest(fields));
    state->unsound |= section->part;
    if (section->columns == 0)
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                    "\"%.*s\" follows the description, expected a dot: row skipped",
                    (int)rest.length, rest.start);
    else if (column == section->columns)
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                    "%s row continues with \"%.*s\", expected %s: row skipped", section->name,
                    (int)rest.length, rest.start,
                    section == &nodes ? "ids of nodes only" : "no more columns");
    else if (rest.length == 0)
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                    "%s row ends after %u columns, expected at least %u: row skipped",
                    section->name, column, section->required);
    else
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                    "%s row has \"%.*s\" in column %u (%s), expected %s: row skipped",
                    section->name, (int)rest.length, rest.start, column + 1,
                    section->column[column] + 1, kind_of(section->column[column][0]));
}

static void add_row(prf_cursor *cursor, const prf_section *section, const prf_value *row)
{
    cursor->records++;
    cursor->told += section == &lines || section == &coverage;
    section->row(cursor->state, row, mp_input_line_number(cursor->input));
}

/* Parse a row of numbers in the window. Return its length; 0: the row is of another kind or form.
 */
static inline size_t parse_numbers(const mp_input *input, const prf_section *section,
                                   prf_value *row)
{
    mp_row_scan scan = mp_scan_of(input);
#pragma GCC unroll 8
    for (unsigned i = 0; i < section->columns; i++) {
        const char kind = section->column[i][0];
        if (kind == 's' ||
            !(kind == 't' || kind == 'w' ? mp_scan_decimal(&scan, &row[i].number)
                                         : mp_scan_whole(&scan, true, &row[i].number)))
            return 0;
        row[i].amount = (int64_t)row[i].number;
        if (kind == 'l' && row[i].amount > INT32_MAX)
            return 0;
    }
    if (section == &nodes)
        for (row[CHILD_COUNT].number = row[CHILD_SUM].number = 0; mp_scan_more(&scan);) {
            uint64_t child;
            if (!mp_scan_whole(&scan, true, &child))
                return 0;
            row[CHILD_COUNT].number++;
            row[CHILD_SUM].number += child;
        }
    const size_t length = section->columns ? mp_scan_length(&scan) : 0;
    return length <= input->longest_line ? length : 0; /* too long: mp_input_line skips it */
}

__attribute__((always_inline)) static inline void read_rows(prf_cursor *cursor,
                                                            const prf_section *section)
{
    prf_value row[MOST_COLUMNS] = {{0}};
    size_t length;
    while ((length = parse_numbers(cursor->input, section, row)) > 0 &&
           affords(cursor->state, section, row)) {
        mp_window_take_line(cursor->input, length);
        add_row(cursor, section, row);
    }
}

enum { ROWS_OF_BATCH = 512 };

/* Rows of the call tree. */
typedef struct node_batch {
    prf_state *state;
    size_t count;
    struct {
        uint64_t line, columns[MOST_COLUMNS];
    } rows[ROWS_OF_BATCH];
} node_batch;

static void add_nodes(void *opaque)
{
    const node_batch *batch = opaque;
    for (size_t i = 0; i < batch->count; i++) {
        prf_value row[MOST_COLUMNS];
        for (size_t k = 0; k < MOST_COLUMNS; k++)
            row[k] = (prf_value){.number = batch->rows[i].columns[k],
                                 .amount = (int64_t)batch->rows[i].columns[k]};
        prf_node(batch->state, row, batch->rows[i].line);
    }
}

/* Read rows of the call tree. Another thread adds them to the model, which this one does not use
 * until all are added. */
static void read_nodes(prf_cursor *cursor)
{
    prf_value row[MOST_COLUMNS] = {{0}};
    node_batch *batch;
    bool more = true;
    if (!cursor->adder)
        cursor->adder = mp_pipeline_new(sizeof *batch, add_nodes);
    do {
        size_t length, count = 0;
        batch = mp_pipeline_batch(cursor->adder);
        while (count < ROWS_OF_BATCH && (length = parse_numbers(cursor->input, &nodes, row)) > 0 &&
               affords(cursor->state, &nodes, row)) {
            mp_window_take_line(cursor->input, length);
            batch->rows[count].line = mp_input_line_number(cursor->input);
            for (size_t k = 0; k < MOST_COLUMNS; k++)
                batch->rows[count].columns[k] = row[k].number;
            count++;
        }
        batch->state = cursor->state;
        batch->count = count;
        cursor->records += count;
        more = count == ROWS_OF_BATCH;
        if (count)
            (more ? mp_pipeline_submit : mp_pipeline_submit_last)(cursor->adder);
    } while (more);
    mp_pipeline_drain(cursor->adder);
}

/* Read rows of numbers, most of a large file, up to a row of another kind or form, or one to be
 * skipped. */
static void read_numbers(prf_cursor *cursor)
{
    const prf_section *section = cursor->layout ? section_of(cursor) : &description;
    if (section == &trace) /* the longest; its columns are then known at compile time */
        read_rows(cursor, &trace);
    else if (section == &nodes)
        read_nodes(cursor);
    else
        read_rows(cursor, section);
}

static void section_row(prf_cursor *cursor, mp_slice line)
{
    prf_state *state = cursor->state;
    const prf_section *section = section_of(cursor);
    mp_fields fields = mp_fields_of(line);
    if (section->part == PRF_STATISTICS) {
        cursor->records++;
        prf_statistic(state, (mp_statistics_part)(section - statistics), line);
        return;
    }
    prf_value row[MOST_COLUMNS] = {{0}};
    unsigned read = parse_row(&fields, &state->scratch, section, row);
    if (read < section->columns || section->columns == 0 || !mp_fields_end(&fields)) {
        bad_row(cursor, read, &fields);
    } else if (!affords(state, section, row)) {
        state->unsound |= section->part;
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path,
                    mp_input_line_number(cursor->input),
                    "%s row has amounts that 64 bits cannot add up, expected those of a "
                    "recording: row skipped",
                    section->name);
    } else {
        add_row(cursor, section, row);
        cursor->in_entity |= section == &coverage;
    }
    mp_arena_free(&state->scratch);
}

/* --- profiles --- */

/* Report the lines that were skipped outside of profiles, once per run of such lines. */
static void report_skipped(prf_cursor *cursor)
{
    if (cursor->skipped)
        mp_diagnose(cursor->state->diagnostics, MP_DIAG_SKIPPED_LINES, cursor->state->path,
                    cursor->skipped_from,
                    "%" PRIu64 " line%s skipped, expected the description of a profile",
                    cursor->skipped, cursor->skipped == 1 ? "" : "s");
    cursor->skipped = 0;
}

/* End a profile that is truncated in the current section. This section and later ones count as
 * damaged. */
static void abandon_profile(prf_cursor *cursor)
{
    prf_state *state = cursor->state;
    uint64_t offset = mp_input_line_number(cursor->input);
    const char *name = (*cursor->layout)->name;
    mp_diagnose(state->diagnostics, MP_DIAG_TORN, state->path, offset,
                "profile ends in section %s%s, expected the dots that close it; read up to here",
                name, cursor->cut ? " with a row that is cut off" : "");
    for (; *cursor->layout; cursor->layout++)
        state->unsound |= (*cursor->layout)->part;
    cursor->layout = NULL;
    cursor->in_entity = false;
    prf_session_end(state);
}

static void section_end(prf_cursor *cursor)
{
    const prf_section *section = section_of(cursor);
    if (section->end)
        section->end(cursor->state);
    if (cursor->in_entity) {
        cursor->in_entity = false;
        return;
    }
    if (*++cursor->layout)
        return;
    cursor->layout = NULL;
    cursor->whole++;
    prf_session_end(cursor->state);
}

/* Return true if the line may be a description. The check is cheap enough for every line. A
 * description inside a profile means that the profile is truncated, and that another one was
 * appended to it. */
static bool looks_like_header(mp_slice line)
{
    return line.length > 20 && line.start[1] == ' ' && line.start[4] == '/' && line.start[7] == '/';
}

/* Start the profile that the line describes. Return false if it is not a description. */
static bool begin_profile(prf_cursor *cursor, mp_slice line)
{
    prf_state *state = cursor->state;
    uint64_t offset = mp_input_line_number(cursor->input);
    prf_header header;
    if (!prf_header_parse(line, &state->scratch, &header))
        return false;
    if (cursor->layout)
        abandon_profile(cursor);
    report_skipped(cursor);
    cursor->profiles++;
    cursor->foreign = header.version < 1 || header.version > 4;
    if (cursor->foreign) {
        mp_diagnose(state->diagnostics, MP_DIAG_UNSUPPORTED_VERSION, state->path, offset,
                    "profile of version %" PRIu64 ", expected 1 to 4", header.version);
        return true;
    }
    cursor->records++;
    if (!cursor->version)
        cursor->version = (unsigned)header.version;
    cursor->layout = layouts[header.version];
    prf_session_begin(state, &header, offset);
    return true;
}

static void one_line(prf_cursor *cursor, mp_slice line)
{
    mp_slice trimmed = mp_slice_trim(line);
    bool dot = trimmed.length == 1 && trimmed.start[0] == '.';
    if (trimmed.length == 0)
        return;
    if (!cursor->layout || looks_like_header(line)) {
        bool begun = begin_profile(cursor, line);
        mp_arena_free(&cursor->state->scratch);
        if (begun)
            return;
    }
    if (cursor->layout && dot)
        section_end(cursor);
    else if (cursor->layout)
        section_row(cursor, line);
    else if (!cursor->foreign && cursor->skipped++ == 0)
        cursor->skipped_from = mp_input_line_number(cursor->input);
}

/* Return true if the line may end in the middle of a number, because it has no line end. A single
 * dot is complete. */
static bool is_cut(const prf_cursor *cursor, mp_slice line)
{
    mp_slice trimmed = mp_slice_trim(line);
    return !mp_input_line_closed(cursor->input) && trimmed.length > 0 &&
           !(trimmed.length == 1 && trimmed.start[0] == '.');
}

/* Report where the input was truncated. */
static void end_of_input(prf_cursor *cursor)
{
    prf_state *state = cursor->state;
    uint64_t line = mp_input_line_number(cursor->input);
    report_skipped(cursor);
    if (cursor->layout)
        abandon_profile(cursor);
    else if (cursor->cut && !cursor->foreign)
        mp_diagnose(state->diagnostics, MP_DIAG_TORN, state->path, line,
                    "the last line is truncated, expected a line end; ignored");
}

static bool read_prf(void *opaque, mp_input *input, uint32_t summary)
{
    prf_state *state = opaque;
    prf_cursor cursor = {.state = state, .input = input};
    mp_slice line;
    state->path = state->model->inputs.items[summary].path;
    while (mp_input_line(input, &line)) {
        cursor.cut = is_cut(&cursor, line);
        if (!cursor.cut)
            one_line(&cursor, line);
        read_numbers(&cursor);
    }
    end_of_input(&cursor);
    mp_pipeline_free(cursor.adder);

    mp_input_summary *sum = &state->model->inputs.items[summary];
    sum->format_version = cursor.version;
    sum->records = cursor.records;
    sum->complete = !cursor.cut && cursor.whole > 0 && cursor.whole == cursor.profiles;
    bool usable = cursor.told > 0;
    if (!usable && !cursor.foreign)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path,
                    mp_input_line_number(input),
                    "no line of a program in it, expected at least one");
    return usable;
}

/* --- the reader --- */

static mp_bid probe(mp_slice head)
{
    const char *newline = memchr(head.start, '\n', head.length);
    size_t length = newline ? (size_t)(newline - head.start) : head.length;
    prf_header header;
    mp_arena scratch = {0};
    if (length && head.start[length - 1] == '\r')
        length--;
    bool mine = prf_header_parse((mp_slice){head.start, length}, &scratch, &header);
    mp_arena_free(&scratch);
    return mine ? MP_MINE : MP_NOT_MINE;
}

static void *open_prf(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    prf_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->profile = mp_model_profile(model);
    state->diagnostics = diagnostics;
    state->options = options;
    return state;
}

static void close_prf(void *opaque)
{
    prf_state *state = opaque;
    mp_listing_fill(state->model, state->diagnostics, state->options);
    MP_FREE(state->lines.items, state->calls.items, state->traces.items, state->tree.items);
    mp_arena_free(&state->scratch);
    free(state);
}

const mp_reader mp_reader_prf = {
    .name = "prf",
    .summary = "OpenEdge execution-profiler data",
    .endings = ".prf .prof .out",
    .versions = "1 to 4",
    .kind = MP_KIND_PROFILE,
    .probe = probe,
    .open = open_prf,
    .read = read_prf,
    .close = close_prf,
};
