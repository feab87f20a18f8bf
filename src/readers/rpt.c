/* ProTop execution-profiler reports: the 20 most expensive lines of a profile.
 *
 * Source: the layout that ProTop documents for its zprofiler. Two frames are printed, each centred:
 *
 *   Profiler: Top 20 Results
 *   Description: <text> [hh:mm:ss]
 *   Session Total Execution Time hh:mm:ss
 *   ...
 *   Program/Class                  Line  Time          Avg Time      Calls      IP/Method ...
 *   ------------------------------ ----- ------------- ------------- ---------- ------------ ...
 *
 * The indentation of a frame depends on its width, so the positions of the columns are taken from
 * the row of dashes, in characters. The older layout ends with one column of 40 characters,
 * Internal Procedure/Method; the newer one has IP/Method (20) and Code (50). Text is cut to the
 * width of its column. A number that does not fit is printed as question marks; it is unknown, not
 * 0. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/budget.h"
#include "base/diagnose.h"
#include "base/index.h"
#include "base/text.h"
#include "input/fields.h"
#include "model/build.h"
#include "model/profile.h"
#include "readers/reader.h"

enum { PROGRAM, LINE, TIME, AVERAGE, CALLS, METHOD, CODE, MOST_COLUMNS };
enum { OLDER_COLUMNS = 6, NUMBER_CELL = 40, MOST_ROWS = 20 };

static const char ruler[] = "------------------------------ ----- -------------";
static const char title[] = "Profiler: Top";

typedef struct rpt_column {
    size_t from, to; /* in characters; `to` is the end, exclusive */
} rpt_column;

typedef struct rpt_state {
    mp_model *model;
    mp_profile *profile;
    mp_diagnostics *diagnostics;
    mp_budget spent; /* limits the sum of all counts and times */
    /* The current input: */
    const char *path;
    mp_session_id session;
    mp_id_index modules; /* program and method to module */
    uint64_t last_number;
    int64_t last_us; /* time of the previous row */
    bool has_last;
    rpt_column columns[MOST_COLUMNS];
    unsigned column_count; /* 0: the row of dashes was not read yet */
    bool titled, ruled;
    uint64_t records;
} rpt_state;

/* --- cells --- */

/* Return the bytes of a column's characters. Each byte of invalid UTF-8 counts as one character. */
static mp_slice cell_of(mp_slice line, rpt_column column)
{
    const char *end = line.start + line.length, *p = line.start, *start = end;
    for (size_t index = 0; p < end && index < column.to; index++) {
        if (index == column.from)
            start = p;
        size_t length = mp_utf8_length(p, end);
        p += length ? length : 1;
    }
    return start < p ? mp_slice_trim((mp_slice){start, (size_t)(p - start)}) : (mp_slice){end, 0};
}

/* Read the columns from the row of dashes, in which each run of dashes is a column. Return false
 * for other lines. */
static bool read_ruler(rpt_state *state, mp_slice line)
{
    rpt_column columns[MOST_COLUMNS];
    unsigned count = 0;
    if (!mp_slice_starts(mp_slice_trim(line), ruler))
        return false;
    for (size_t i = 0; i < line.length && count < MOST_COLUMNS;) {
        size_t from = i;
        while (i < line.length && line.start[i] == '-')
            i++;
        if (i > from)
            columns[count++] = (rpt_column){from, i};
        else
            i++;
    }
    if (count < OLDER_COLUMNS)
        return false;
    memcpy(state->columns, columns, count * sizeof *columns);
    state->column_count = count;
    state->ruled = true;
    return true;
}

static bool is_unknown(mp_slice cell)
{
    for (size_t i = 0; i < cell.length; i++)
        if (cell.start[i] != '?')
            return false;
    return cell.length > 0;
}

/* Return true if the character at `i` separates a group of three digits. */
static bool is_group_sign(mp_slice cell, size_t i)
{
    size_t digits = 0;
    while (i + 1 + digits < cell.length && cell.start[i + 1 + digits] >= '0' &&
           cell.start[i + 1 + digits] <= '9')
        digits++;
    return i > 0 && digits == 3;
}

/* Parse a number with `digits` decimals, after a point or a comma. If the decimals follow a comma,
 * points may separate groups of three digits; if they follow a point, commas may. In a number
 * without decimals, either may. An empty cell is 0. */
static bool parse_number(mp_slice cell, int digits, int64_t *value)
{
    char text[NUMBER_CELL];
    size_t length = 0;
    const char *sign = NULL; /* the decimal sign */
    *value = 0;
    assert(cell.start || !cell.length);
    if (cell.length >= sizeof text)
        return false;
    for (size_t i = 0; digits > 0 && i < cell.length; i++)
        if (cell.start[i] == '.' || cell.start[i] == ',')
            sign = &cell.start[i];
    for (size_t i = 0; i < cell.length; i++)
        if (&cell.start[i] == sign || (cell.start[i] != '.' && cell.start[i] != ','))
            text[length++] = cell.start[i];
        else if (!is_group_sign(cell, i))
            return false;
    mp_fields fields = mp_fields_of((mp_slice){text, length});
    return cell.length == 0 || (mp_field_decimal(&fields, digits, value) && mp_fields_end(&fields));
}

/* Parse "hh:mm:ss" at the start of the text; hours may have any length. Return microseconds; -1:
 * malformed. */
static int64_t parse_clock(mp_slice text)
{
    int64_t parts[3] = {0};
    size_t index = 0;
    for (int i = 0; i < 3; i++) {
        size_t from = index;
        for (; index < text.length && text.start[index] >= '0' && text.start[index] <= '9'; index++)
            if ((parts[i] = parts[i] * 10 + (text.start[index] - '0')) > 1000000)
                return -1;
        if (index == from || (i < 2 && (index == text.length || text.start[index++] != ':')))
            return -1;
    }
    return ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000000;
}

/* --- frame at the top --- */

static void add_known(int64_t *sum, int64_t us)
{
    if (us >= 0)
        *sum = (*sum < 0 ? 0 : *sum) + us;
}

/* Return true if the line starts with `words`. Set *rest to the text after them and an optional
 * colon. */
static bool behind(mp_slice line, const char *words, mp_slice *rest)
{
    line = mp_slice_trim(line);
    if (!mp_slice_starts(line, words))
        return false;
    size_t length = strlen(words);
    *rest = (mp_slice){line.start + length, line.length - length};
    if (rest->length && rest->start[0] == ':')
        *rest = (mp_slice){rest->start + 1, rest->length - 1};
    *rest = mp_slice_trim(*rest);
    return true;
}

/* Parse "<text> [hh:mm:ss]". The time may be cut off, and the text may contain brackets. */
static void read_description(rpt_state *state, mp_slice text)
{
    size_t open = text.length;
    while (open > 0 && text.start[open - 1] != '[')
        open--;
    if (open > 0 && text.start[text.length - 1] == ']') {
        int64_t elapsed = parse_clock((mp_slice){text.start + open, text.length - open - 1});
        add_known(&state->profile->elapsed_us, elapsed);
        if (elapsed >= 0)
            text = mp_slice_trim((mp_slice){text.start, open - 1});
    }
    state->model->sessions.items[state->session.i].description =
        mp_model_intern(state->model, text);
}

static void top_line(rpt_state *state, mp_slice line, uint64_t offset)
{
    mp_slice rest;
    if (behind(line, "Description", &rest)) {
        read_description(state, rest);
    } else if (behind(line, "Session Total Execution Time", &rest)) {
        int64_t total = parse_clock(rest);
        add_known(&state->profile->stated_total_us, total);
        if (total < 0 && !is_unknown(rest))
            mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                        "session total is \"%.*s\", expected hh:mm:ss; ignored",
                        (int)(rest.length < 40 ? rest.length : 40), rest.start);
    }
}

/* --- rows --- */

static mp_module_id module_of(rpt_state *state, mp_slice program, mp_slice method)
{
    mp_string_id unit = mp_model_intern(state->model, program);
    mp_string_id entry = mp_model_intern(state->model, method);
    uint32_t *place = mp_id_index_put(&state->modules, (uint64_t)unit.i << 32 | entry.i);
    if (!*place) {
        *MP_ADD(&state->profile->modules) = (mp_module){.session = state->session,
                                                        .number = ++state->last_number,
                                                        .defined = true,
                                                        .name = unit,
                                                        .program = unit,
                                                        .method = entry};
        *place = state->profile->modules.count - 1;
    }
    return (mp_module_id){*place};
}

/* Read the number of a cell. Return false after a diagnostic. */
static bool number_cell(rpt_state *state, mp_slice line, unsigned column, int64_t *value,
                        unsigned *unknown, uint64_t offset)
{
    static const struct {
        const char *name, *kind;
        int digits;
        unsigned unknown;
        bool negative;
    } cells[] = {[LINE] = {"Line", "a line number", 0, MP_UNKNOWN_LINE, true},
                 [TIME] = {"Time", "seconds", 6, MP_UNKNOWN_EXCLUSIVE, true},
                 [AVERAGE] = {"Avg Time", "seconds", 6, MP_UNKNOWN_AVERAGE, true},
                 [CALLS] = {"Calls", "a count", 0, MP_UNKNOWN_EXECUTIONS, false}};
    mp_slice cell = cell_of(line, state->columns[column]);
    if (is_unknown(cell)) {
        *value = 0;
        *unknown |= cells[column].unknown;
        return true;
    }
    bool ok = parse_number(cell, cells[column].digits, value) &&
              (cells[column].negative || *value >= 0) &&
              (column != LINE || (*value >= INT32_MIN && *value <= INT32_MAX));
    if (!ok)
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                    "row has \"%.*s\" in column %s, expected %s: row skipped",
                    (int)(cell.length < 40 ? cell.length : 40), cell.start, cells[column].name,
                    cells[column].kind);
    return ok;
}

static bool affords(rpt_state *state, int64_t calls, int64_t exclusive, uint64_t offset)
{
    bool ok = mp_budget_take(&state->spent, exclusive) && mp_budget_take(&state->spent, calls);
    if (!ok)
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                    "row has amounts that 64 bits cannot add up, expected those of a recording: "
                    "row skipped");
    return ok;
}

/* Return true if at least one number of the row is not empty. A zero may be printed as an empty
 * cell, but each row has a number that is not 0. */
static bool has_number(const rpt_state *state, mp_slice line)
{
    return cell_of(line, state->columns[LINE]).length ||
           cell_of(line, state->columns[TIME]).length ||
           cell_of(line, state->columns[AVERAGE]).length ||
           cell_of(line, state->columns[CALLS]).length;
}

/* Return the precision of a time cell: the value of one unit of its last digit, in microseconds. */
static int64_t step_of(mp_slice cell)
{
    int64_t step = 1;
    size_t end = cell.length;
    while (end && cell.start[end - 1] != '.' && cell.start[end - 1] != ',')
        end--;
    for (size_t decimals = end ? cell.length - end : 0; decimals < 6; decimals++)
        step *= 10;
    return step;
}

/* Check a row: its time must match its average time multiplied by its calls, and must not exceed
 * the time of the previous row. */
static void hold_row(rpt_state *state, mp_slice line, const mp_profile_line *row, uint64_t offset)
{
    bool times =
        !(row->unknown & (MP_UNKNOWN_EXCLUSIVE | MP_UNKNOWN_AVERAGE | MP_UNKNOWN_EXECUTIONS));
    if (times && row->executions > 0) {
        mp_slice time = cell_of(line, state->columns[TIME]);
        mp_slice average = cell_of(line, state->columns[AVERAGE]);
        int64_t off = step_of(time), off_average = step_of(average);
        int64_t least = (row->exclusive_us - off) / row->executions - off_average;
        int64_t most = (row->exclusive_us + off) / row->executions + off_average;
        if (row->average_us < least || row->average_us > most)
            mp_diagnose(
                state->diagnostics, MP_DIAG_REPORT_FIGURES, state->path, offset,
                "row has an average of %.*s seconds, expected its time of %.*s by its %" PRId64
                " calls",
                (int)average.length, average.start, (int)time.length, time.start, row->executions);
    }
    if (row->unknown & MP_UNKNOWN_EXCLUSIVE)
        return;
    if (state->has_last && row->exclusive_us > state->last_us)
        mp_diagnose(state->diagnostics, MP_DIAG_REPORT_FIGURES, state->path, offset,
                    "row took longer than the one above it, expected them in the order of time");
    state->has_last = true;
    state->last_us = row->exclusive_us;
}

static void read_row(rpt_state *state, mp_slice line, uint64_t offset)
{
    mp_slice program = cell_of(line, state->columns[PROGRAM]), code = {"", 0};
    int64_t number, exclusive, average, calls;
    unsigned unknown = MP_UNKNOWN_CUMULATIVE;
    if (program.length == 0) {
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                    "row has no program, expected one below the first dashes: row skipped");
        return;
    }
    if (!has_number(state, line)) {
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, offset,
                    "row has no number in it, expected a line, times and calls: row skipped");
        return;
    }
    if (!number_cell(state, line, LINE, &number, &unknown, offset) ||
        !number_cell(state, line, TIME, &exclusive, &unknown, offset) ||
        !number_cell(state, line, AVERAGE, &average, &unknown, offset) ||
        !number_cell(state, line, CALLS, &calls, &unknown, offset) ||
        !affords(state, calls, exclusive, offset))
        return;
    if (state->column_count > CODE)
        code = cell_of(line, state->columns[CODE]);
    mp_module_id module = module_of(state, program, cell_of(line, state->columns[METHOD]));
    mp_profile_line row = {.module = module,
                           .line = (int32_t)number,
                           .executions = calls,
                           .exclusive_us = exclusive,
                           .unknown = unknown,
                           .rounded = true,
                           .average_us = average,
                           .code = mp_model_intern(state->model, code)};
    *MP_ADD(&state->profile->lines) = row;
    hold_row(state, line, &row, offset);
    state->records++;
}

static void begin_session(rpt_state *state)
{
    state->session = mp_model_add_session(state->model);
    state->last_number = 0;
    state->has_last = false;
    state->column_count = 0;
    mp_id_index_free(&state->modules);
}

static void one_line(rpt_state *state, mp_slice line, uint64_t offset)
{
    mp_slice trimmed = mp_slice_trim(line);
    if (trimmed.length == 0 || read_ruler(state, line))
        return;
    if (mp_slice_starts(trimmed, title)) {
        if (state->titled) /* another report follows in the same file */
            begin_session(state);
        state->titled = true;
    } else if (state->column_count == 0) {
        top_line(state, line, offset);
    } else if (!mp_slice_starts(trimmed,
                                "Program/Class ")) { /* the head is repeated on each page */
        read_row(state, line, offset);
    }
}

/* --- one input --- */

/* Report that the same folder has the profile from which the report was made. The report contains
 * only a part of it. */
static void note_profile_beside(rpt_state *state)
{
    size_t length = strlen(state->path);
    struct stat status;
    if (length < 4 || !mp_text_is(state->path + length - 4, ".rpt"))
        return;
    mp_arena arena = {0};
    char *beside = mp_arena_copy(&arena, state->path, length);
    memcpy(beside + length - 3, "prf", 3);
    if (stat(beside, &status) == 0 && S_ISREG(status.st_mode))
        mp_diagnose(state->diagnostics, MP_DIAG_PROFILE_BESIDE, state->path, 0,
                    "the profile that it was made from is in the same folder; read %s instead",
                    beside);
    mp_arena_free(&arena);
}

static void begin_input(rpt_state *state, uint32_t summary)
{
    state->path = state->model->inputs.items[summary].path;
    state->titled = state->ruled = false;
    state->records = 0;
    begin_session(state);
}

/* Report what is missing. Return true if the report is usable. */
static bool end_input(rpt_state *state, bool cut, uint64_t line)
{
    if (cut)
        mp_diagnose(state->diagnostics, MP_DIAG_TORN, state->path, line,
                    "the last line is truncated, expected a line end; ignored");
    if (!state->ruled) {
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, line,
                    "no row of dashes with at least %d columns in it, expected the one above the "
                    "report's lines",
                    OLDER_COLUMNS);
        return false;
    }
    state->profile->from_report = true;
    mp_diagnose(state->diagnostics, MP_DIAG_REPORT_ROUNDED, state->path, 0,
                "a report has at most 20 lines and rounded times; the .prf has everything");
    note_profile_beside(state);
    return true;
}

static bool read_rpt(void *opaque, mp_input *input, uint32_t summary)
{
    rpt_state *state = opaque;
    mp_slice line;
    bool cut = false;
    begin_input(state, summary);
    while (mp_input_line(input, &line)) {
        cut = !mp_input_line_closed(input) && mp_slice_trim(line).length > 0;
        if (!cut)
            one_line(state, line, mp_input_line_number(input));
    }
    bool usable = end_input(state, cut, mp_input_line_number(input));
    mp_input_summary *sum = &state->model->inputs.items[summary];
    sum->format_version = state->column_count > CODE ? 2 : 1;
    sum->records = state->records;
    sum->complete = usable && !cut;
    sum->open_ended = state->records < MOST_ROWS;
    mp_id_index_free(&state->modules);
    return usable;
}

/* --- the reader --- */

/* Claim a file that starts with the title and has a row of dashes further down. A text that only
 * quotes the title is not claimed. */
static mp_bid probe(mp_slice head)
{
    bool titled = false;
    for (mp_slice line; mp_slice_take_line(&head, &line);) {
        line = mp_slice_trim(line);
        if (line.length && !titled && !mp_slice_starts(line, title))
            return MP_NOT_MINE;
        titled |= line.length > 0;
        if (mp_slice_starts(line, ruler))
            return MP_MINE;
    }
    return MP_NOT_MINE;
}

static void *open_rpt(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    (void)options;
    rpt_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->profile = mp_model_profile(model);
    state->diagnostics = diagnostics;
    return state;
}

static void close_rpt(void *opaque)
{
    free(opaque);
}

const mp_reader mp_reader_rpt = {
    .name = "rpt",
    .summary = "ProTop execution-profiler report",
    .endings = ".rpt",
    .versions = "older, newer",
    .kind = MP_KIND_PROFILE,
    .probe = probe,
    .open = open_rpt,
    .read = read_rpt,
    .close = close_rpt,
};
