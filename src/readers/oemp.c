/* OpenEdge memory-profiler recordings, versions 1 and 2: the layout of the file.
 *
 * Source: "OpenEdge Memory Profiler Recording Format", Progress Software, April 2025. A snapshot
 * consists of 11 or 12 sections of rows. A line with a dot ends each section. Columns are separated
 * by a blank, and are numbers or quoted strings. */
#include "readers/oemp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "input/fields.h"
#include "input/numbers.h"
#include "model/build.h"

enum { MOST_COLUMNS = 18, MOST_SECTIONS = 12 };

typedef void row_function(oemp_state *, const oemp_value *, uint64_t);
typedef void rows_function(oemp_state *, const uint64_t *, size_t, uint64_t);

/* A section. Each column is a letter for its kind, then its name in the format document. Kinds: n
 * number, s string, p percentage with two decimals. */
typedef struct oemp_section {
    const char *name;
    unsigned columns,
        columns_v1;      /* number of columns, and number of columns in version 1 (0: the same) */
    row_function *row;   /* function for rows with columns of any kind */
    rows_function *rows; /* function for rows of numbers */
    size_t (*read)(mp_input *, uint64_t *); /* read rows of numbers, as many as fit */
    const char *column[MOST_COLUMNS];
} oemp_section;

/* Functions that read the long sections, many rows per call. Each section has its own function, so
 * that its columns are known at compile time. */
#define READ_ROWS(name, columns, wanted)                                                           \
    static size_t name(mp_input *input, uint64_t *rows)                                            \
    {                                                                                              \
        return mp_input_rows(input, columns, wanted, rows, OEMP_NUMBERS / (columns));              \
    }
READ_ROWS(read_objects, OEMP_ROW, OEMP_OBJECT_COLUMNS)
READ_ROWS(read_changed_objects, OEMP_CHANGED_ROW, OEMP_CHANGED_COLUMNS)
READ_ROWS(read_deleted_objects, OEMP_DELETED_ROW, OEMP_DELETED_COLUMNS)
#undef READ_ROWS

static const oemp_section header = {
    .name = "Header",
    .columns = 18,
    .columns_v1 = 15,
    .row = oemp_header,
    .column = {"nVersion", "nProcessId", "nSnapshotSeq", "sStartTime", "sSessionId", "sTag",
               "sRqId", "sRecordingType", "nRequestStartTime", "sUUID", "sPROPATH", "nOverheadMem",
               "sAppName", "sRequestAPI", "pCPU", "sOEVersion", "sPASOEInstanceAlias",
               "sDescription"},
};
static const oemp_section platform_catalogue = {
    .name = "PlatObjCatalog",
    .columns = 2,
    .row = oemp_platform_catalogue,
    .column = {"sPlatObjName", "nPlatObjId"},
};
static const oemp_section type_catalogue = {
    .name = "AppObjCatalog",
    .columns = 2,
    .row = oemp_type_catalogue,
    .column = {"sAppObjTypeName", "nAppObjTypeId"},
};
static const oemp_section built_in_catalogue = {
    .name = "BObjCatalog",
    .columns = 2,
    .row = oemp_built_in_catalogue,
    .column = {"sBObjTypeName", "nBObjTypeId"},
};
static const oemp_section platform_data = {
    .name = "PlatObjData",
    .columns = 4,
    .row = oemp_platform_data,
    .column = {"nPlatObjId", "nMem", "nAbk", "nPoolAllocs"},
};
static const oemp_section source_names = {
    .name = "ABLNameList",
    .columns = 3,
    .row = oemp_source_name,
    .column = {"nSrcNameId", "sSrcName", "nStartLine"},
};
static const oemp_section other_names = {
    .name = "OtherNameList",
    .columns = 2,
    .row = oemp_other_name,
    .column = {"nNameId", "sName"},
};
static const oemp_section nodes = {
    .name = "CallTreeNodes",
    .columns = 4,
    .row = oemp_node,
    .column = {"nNodeId", "nSrcId", "nParentNodeId", "nParentLine"},
};
static const oemp_section objects = {
    .name = "AppObjData",
    .columns = 16,
    .rows = oemp_objects,
    .read = read_objects,
    .column = {"nAppObjId", "nAppObjTyp", "nMem", "nAbk", "nPoolAllocs", "nCreationTime",
               "nAppObjNodeId", "nSrcLine", "nSrcId", "nunused", "nScopedTo", "nTempTableNum",
               "nNameId", "nunused", "nBioTypId", "nunused"},
};
static const oemp_section changed_objects = {
    .name = "ChangedAppObjData",
    .columns = 6,
    .rows = oemp_changed_objects,
    .read = read_changed_objects,
    .column = {"nAppObjId", "nAppObjTyp", "nMem", "nAbk", "nPoolAllocs", "nTempTableNum"},
};
static const oemp_section deleted_objects = {
    .name = "DeletedObjs",
    .columns = 2,
    .rows = oemp_deleted_objects,
    .read = read_deleted_objects,
    .column = {"nAppObjId", "nDelTime"},
};
static const oemp_section trailer = {
    .name = "Trailer",
    .columns = 11,
    .columns_v1 = 7,
    .row = oemp_trailer,
    .column = {"nRecordingTime", "nAppObjCnt", "nappMemTot", "nplatMemTot", "nMaxAppObjs",
               "nMaxHier", "nunused", "nreuseObjCnt", "nreuseMemTot", "sTag", "nSnapshotSeq"},
};

static const oemp_section *const version_1[MOST_SECTIONS + 1] = {
    &header,       &platform_catalogue, &type_catalogue,  &built_in_catalogue,
    &objects,      &platform_data,      &deleted_objects, &nodes,
    &source_names, &other_names,        &trailer,         NULL};
static const oemp_section *const version_2[MOST_SECTIONS + 1] = {&header,
                                                                 &platform_catalogue,
                                                                 &type_catalogue,
                                                                 &built_in_catalogue,
                                                                 &platform_data,
                                                                 &source_names,
                                                                 &other_names,
                                                                 &nodes,
                                                                 &objects,
                                                                 &changed_objects,
                                                                 &deleted_objects,
                                                                 &trailer,
                                                                 NULL};

/* --- rows --- */

/* Parse the columns of a row. Return how many could be parsed, at most `columns`. */
static unsigned parse_row(mp_fields *fields, mp_arena *scratch, const oemp_section *section,
                          unsigned columns, oemp_value *row)
{
    for (unsigned i = 0; i < columns; i++) {
        int64_t decimal = 0;
        bool ok;
        switch (section->column[i][0]) {
        case 's':
            ok = mp_field_text(fields, scratch, &row[i].text);
            break;
        case 'p':
            ok = mp_field_decimal(fields, 2, &decimal);
            row[i].number = (uint64_t)decimal;
            break;
        default:
            ok = mp_fields_numbers(fields, &row[i].number, 1) == 1;
            break;
        }
        if (!ok)
            return i;
    }
    return columns;
}

static const char *kind_of(const char *column)
{
    return column[0] == 's' ? "a quoted string" : column[0] == 'p' ? "a percentage" : "a number";
}

static unsigned columns_of(const oemp_section *section, unsigned version)
{
    return version == 1 && section->columns_v1 ? section->columns_v1 : section->columns;
}

/* Parse a header row. Return false, without a diagnostic, if the line is not a header. */
static bool parse_header(mp_slice line, mp_arena *scratch, oemp_value *row)
{
    mp_fields fields = mp_fields_of(line);
    if (parse_row(&fields, scratch, &header, 4, row) < 4 || row[3].text.length < 10 ||
        row[3].text.start[4] != '-' || row[3].text.start[7] != '-')
        return false;
    unsigned wanted = columns_of(&header, row[0].number == 1 ? 1 : 2);
    fields = mp_fields_of(line);
    return parse_row(&fields, scratch, &header, wanted, row) == wanted && mp_fields_end(&fields);
}

/* --- one input --- */

typedef struct oemp_cursor {
    oemp_state *state;
    mp_input *input;
    const oemp_section *const *layout; /* NULL: between snapshots */
    unsigned position;                 /* index of the current section in the layout */
    unsigned version;
    uint64_t records, whole, skipped_from, skipped;
    bool header_cut; /* the input ends within the header line of a snapshot */
} oemp_cursor;

/* Report the lines that were skipped outside of snapshots, once per run of such lines. */
static void report_skipped(oemp_cursor *cursor)
{
    if (cursor->skipped)
        mp_diagnose(cursor->state->diagnostics, MP_DIAG_SKIPPED_LINES, cursor->state->path,
                    cursor->skipped_from,
                    "%" PRIu64 " line%s skipped, expected the header of a snapshot",
                    cursor->skipped, cursor->skipped == 1 ? "" : "s");
    cursor->skipped = 0;
}

static bool begin_snapshot(oemp_cursor *cursor, mp_slice line)
{
    oemp_value row[MOST_COLUMNS] = {{0}};
    uint64_t offset = mp_input_line_number(cursor->input);
    if (!parse_header(line, &cursor->state->scratch, row))
        return false;
    if (row[0].number != 1 && row[0].number != 2) {
        mp_diagnose(cursor->state->diagnostics, MP_DIAG_UNSUPPORTED_VERSION, cursor->state->path,
                    offset, "recording of version %" PRIu64 ", expected 1 or 2", row[0].number);
        return false;
    }
    report_skipped(cursor);
    cursor->version = (unsigned)row[0].number;
    cursor->layout = cursor->version == 1 ? version_1 : version_2;
    cursor->position = 0;
    cursor->records++;
    oemp_header(cursor->state, row, offset);
    return true;
}

/* Handle a row that does not fit its section: the header of the next snapshot, or damage. */
static void bad_row(oemp_cursor *cursor, mp_slice line, unsigned column, const mp_fields *fields)
{
    oemp_state *state = cursor->state;
    const oemp_section *section = cursor->layout[cursor->position];
    uint64_t offset = mp_input_line_number(cursor->input);
    uint64_t sequence = state->sequence;
    if (begin_snapshot(cursor, line)) {
        mp_diagnose(state->diagnostics, MP_DIAG_DAMAGED_SNAPSHOT, state->path, offset,
                    "snapshot %" PRIu64 " is truncated in section %s, expected its trailer; its "
                    "rows count for the next snapshot",
                    sequence, section->name);
        return;
    }
    if (!mp_input_line_closed(cursor->input))
        return; /* the input ends inside this row, which end_of_input reports */
    unsigned columns = columns_of(section, cursor->version);
    mp_slice rest = mp_fields_rest(fields);
    if (column == columns)
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                    "%s row continues with \"%.*s\", expected %u columns: row skipped",
                    section->name, (int)rest.length, rest.start, columns);
    else if (rest.length == 0)
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                    "%s row ends after %u columns, expected %u: row skipped", section->name, column,
                    columns);
    else
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                    "%s row has \"%.*s\" in column %u (%s), expected %s: row skipped",
                    section->name, (int)rest.length, rest.start, column + 1,
                    section->column[column] + 1, kind_of(section->column[column]));
}

static void section_row(oemp_cursor *cursor, mp_slice line)
{
    const oemp_section *section = cursor->layout[cursor->position];
    unsigned columns = columns_of(section, cursor->version), read;
    mp_fields fields = mp_fields_of(line);
    if (cursor->position == 0) { /* a second row in the header section */
        bad_row(cursor, line, columns, &fields);
        return;
    }
    if (section->rows) {
        uint64_t *row = cursor->state->rows;
        read = (unsigned)mp_fields_numbers(&fields, row, columns);
        if (read == columns && mp_fields_end(&fields)) {
            cursor->records++;
            section->rows(cursor->state, row, 1, mp_input_line_number(cursor->input));
            return;
        }
    } else {
        oemp_value row[MOST_COLUMNS] = {{0}};
        read = parse_row(&fields, &cursor->state->scratch, section, columns, row);
        if (read == columns && mp_fields_end(&fields)) {
            cursor->records++;
            section->row(cursor->state, row, mp_input_line_number(cursor->input));
            mp_arena_free(&cursor->state->scratch);
            return;
        }
    }
    bad_row(cursor, line, read, &fields);
}

/* Take the rows of a long section until a line of another kind comes. */
static void number_rows(oemp_cursor *cursor)
{
    const oemp_section *section = cursor->layout[cursor->position];
    uint64_t *rows = cursor->state->rows;
    size_t count;
    do {
        const uint64_t line = mp_input_line_number(cursor->input) + 1;
        mp_window_has_line(cursor->input);
        count = section->read(cursor->input, rows);
        cursor->records += count;
        if (count)
            section->rows(cursor->state, rows, count, line);
    } while (count);
}

static void section_end(oemp_cursor *cursor)
{
    cursor->position++;
    if (cursor->layout[cursor->position])
        return;
    cursor->layout = NULL;
    cursor->whole += oemp_snapshot_end(cursor->state, mp_input_line_number(cursor->input));
}

/* Return true if the line begins like a header and ends with the input, without a line end. */
static bool is_cut_header(const oemp_cursor *cursor, mp_slice line)
{
    return !mp_input_line_closed(cursor->input) && (*line.start == '1' || *line.start == '2') &&
           (line.length == 1 || line.start[1] == ' ');
}

static void between_snapshots(oemp_cursor *cursor, mp_slice line)
{
    if (line.length == 0)
        return;
    const bool begun = begin_snapshot(cursor, line);
    cursor->header_cut = !begun && is_cut_header(cursor, line);
    if (!begun && !cursor->header_cut && cursor->skipped++ == 0)
        cursor->skipped_from = mp_input_line_number(cursor->input);
    mp_arena_free(&cursor->state->scratch);
}

/* Report where the input was truncated. */
static void end_of_input(oemp_cursor *cursor)
{
    oemp_state *state = cursor->state;
    uint64_t line = mp_input_line_number(cursor->input);
    report_skipped(cursor);
    if (cursor->layout)
        mp_diagnose(state->diagnostics, MP_DIAG_TORN, state->path, line,
                    "recording ends in section %s of snapshot %" PRIu64
                    ", expected its trailer; read up to the last complete snapshot",
                    cursor->layout[cursor->position]->name, state->sequence);
    if (cursor->header_cut)
        mp_diagnose(state->diagnostics, MP_DIAG_TORN, state->path, line,
                    "recording ends in the header of a snapshot, expected its trailer; read up to "
                    "the last complete snapshot");
    if (cursor->whole == 0)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, line,
                    "no complete snapshot, expected at least one");
}

static bool read_oemp(void *opaque, mp_input *input, uint32_t summary)
{
    oemp_state *state = opaque;
    oemp_cursor cursor = {.state = state, .input = input};
    mp_slice line;
    state->path = state->model->inputs.items[summary].path;
    state->summary = summary;
    state->last_line = 0;
    mp_diagnostics_settle(state->diagnostics, oemp_settle, state);
    for (;;) {
        if (cursor.layout && cursor.layout[cursor.position]->rows)
            number_rows(&cursor);
        if (!mp_input_line(input, &line))
            break;
        if (line.length == 1 && line.start[0] == '.' && cursor.layout)
            section_end(&cursor);
        else if (cursor.layout)
            section_row(&cursor, line);
        else
            between_snapshots(&cursor, line);
    }
    mp_input_summary *sum = &state->model->inputs.items[summary];
    sum->format_version = cursor.version;
    sum->records = cursor.records;
    sum->complete = !cursor.layout && !cursor.header_cut && cursor.whole > 0;
    end_of_input(&cursor);
    oemp_settle(state);
    mp_diagnostics_settle(state->diagnostics, NULL, NULL);
    return cursor.whole > 0;
}

/* --- the reader --- */

static mp_bid probe(mp_slice head)
{
    oemp_value row[MOST_COLUMNS] = {{0}};
    mp_arena scratch = {0};
    const char *newline = memchr(head.start, '\n', head.length);
    size_t length = newline ? (size_t)(newline - head.start) : head.length;
    mp_fields fields = mp_fields_of((mp_slice){head.start, length});
    bool mine = parse_row(&fields, &scratch, &header, 4, row) == 4 && row[3].text.length >= 19 &&
                row[3].text.start[4] == '-' && row[3].text.start[7] == '-' &&
                row[3].text.start[10] == 'T';
    mp_arena_free(&scratch);
    return mine ? MP_MINE : MP_NOT_MINE;
}

static bool place(mp_slice head, mp_place *place)
{
    oemp_value row[MOST_COLUMNS] = {{0}};
    mp_arena scratch = {0};
    const char *newline = memchr(head.start, '\n', head.length);
    size_t length = newline ? (size_t)(newline - head.start) : head.length;
    mp_fields fields = mp_fields_of((mp_slice){head.start, length});
    bool known = parse_row(&fields, &scratch, &header, 10, row) == 10 && row[9].text.length > 0;
    if (known) {
        snprintf(place->group, sizeof place->group, "%.*s", (int)row[9].text.length,
                 row[9].text.start);
        place->sequence = row[2].number;
    }
    mp_arena_free(&scratch);
    return known;
}

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9')
        text++;
    return text;
}

/* Return the length of "rec/memprof.4711" in "rec/memprof.4711.AS-2.oemp"; 0 for names of another
 * form. */
static size_t process(const char *path)
{
    static const char start[] = "memprof.", session[] = ".AS-";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, start, sizeof start - 1) != 0)
        return 0;
    const char *pid = name + sizeof start - 1, *end = skip_digits(pid);
    if (end == pid || strncmp(end, session, sizeof session - 1) != 0)
        return 0;
    const char *number = end + sizeof session - 1, *rest = skip_digits(number);
    return rest != number && strcmp(rest, ".oemp") == 0 ? (size_t)(end - path) : 0;
}

static bool grows(mp_slice head)
{
    (void)head;
    return true;
}

static void *open_oemp(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    oemp_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->options = options;
    state->diagnostics = diagnostics;
    oemp_begin_replay(state);
    return state;
}

static void close_oemp(void *opaque)
{
    oemp_state *state = opaque;
    mp_pipeline_free(state->pipeline);
    oemp_finish(state);
    mp_arena_free(&state->scratch);
    free(state);
}

const mp_reader mp_reader_oemp = {
    .name = "oemp",
    .summary = "OpenEdge memory-profiler recording",
    .endings = ".oemp",
    .versions = "1, 2",
    .kind = MP_KIND_RECORDING,
    .probe = probe,
    .place = place,
    .process = process,
    .grows = grows,
    .open = open_oemp,
    .read = read_oemp,
    .close = close_oemp,
};
