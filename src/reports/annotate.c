/* The report annotate: source text, with the recording's figures for each line. */
#include <stdlib.h>
#include <string.h>

#include "base/source_name.h"
#include "base/text.h"
#include "base/units.h"
#include "query/annotation.h"
#include "query/code_names.h"
#include "reports/profile_sections.h"
#include "reports/sections.h"

typedef struct annotate_arguments {
    /* Must be first, because the rows of arguments that all heap reports share have offsets in
     * it. */
    mp_heap_arguments heap;
    const char *program;
    int64_t context;
} annotate_arguments;

/* A source line with its text, its figures, or both. */
typedef struct line_row {
    int64_t line, bytes, objects, leaked_bytes, leaked_objects, seconds, calls;
    int64_t executed, beyond;
    double percent;
    const char *run; /* for people: "never" if the line is executable but was not executed */
    const char *text, *shown;
} line_row;

static const mp_column columns[] = {
    MP_COLUMN(line_row, bytes, "Alive", MP_BYTES, MP_OF_HEAPS),
    MP_COLUMN(line_row, objects, "Objects", MP_COUNT, MP_OF_HEAPS),
    MP_COLUMN(line_row, leaked_bytes, "Left behind", MP_BYTES, MP_OF_HEAPS),
    MP_COLUMN(line_row, leaked_objects, "Objects left behind", MP_COUNT,
              MP_OF_HEAPS | MP_FOR_PROGRAMS),
    MP_COLUMN(line_row, seconds, "Seconds", MP_SECONDS, MP_OF_PROFILES),
    MP_COLUMN(line_row, percent, "%", MP_PERCENT, MP_OF_PROFILES),
    MP_COLUMN(line_row, calls, "Calls", MP_COUNT, MP_OF_PROFILES),
    MP_COLUMN(line_row, run, "Executed", MP_TEXT, MP_OF_PROFILES | MP_FOR_PEOPLE),
    MP_COLUMN(line_row, executed, "", MP_FLAG, MP_OF_PROFILES | MP_FOR_PROGRAMS),
    MP_COLUMN(line_row, line, "Line", MP_NUMBER, 0),
    MP_COLUMN(line_row, beyond, "", MP_FLAG, MP_FOR_PROGRAMS),
    MP_COLUMN(line_row, text, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(line_row, shown, "Source", MP_TEXT, MP_FOR_PEOPLE | MP_WRAP),
};

typedef struct source_row {
    const char *program, *path;
    int64_t lines, annotated_lines, beyond_lines;
    int64_t bytes, objects, leaked_bytes, leaked_objects, seconds;
} source_row;

static const mp_column source_columns[] = {
    MP_COLUMN(source_row, program, "Source", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(source_row, path, "File", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(source_row, lines, "Lines", MP_COUNT, 0),
    MP_COLUMN(source_row, annotated_lines, "Lines of the recording", MP_COUNT, 0),
    MP_COLUMN(source_row, beyond_lines, "Beyond the file's end", MP_COUNT, 0),
    MP_COLUMN(source_row, bytes, "Alive", MP_BYTES, 0),
    MP_COLUMN(source_row, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(source_row, leaked_bytes, "Left behind", MP_BYTES, 0),
    MP_COLUMN(source_row, leaked_objects, "Objects left behind", MP_COUNT, 0),
    MP_COLUMN(source_row, seconds, "Seconds", MP_SECONDS, 0),
};

/* The source to annotate, and its figures. */
typedef struct annotating {
    mp_document *document;
    const mp_request *request;
    const mp_annotation *notes;
    const char *program;
    mp_source_text source;
    int64_t all_us; /* time of the whole profile, in microseconds */
    bool of_heap;
    line_row *rows; /* lines before line 1, then the lines of the text, then lines after its end */
    size_t count, lines;
    size_t beyond;
} annotating;

/* --- lines --- */

/* Expand tabs to blanks, with tab stops every 8 columns. */
static const char *without_tabs(mp_document *document, const char *text)
{
    enum { STOP = 8 };
    size_t tabs = 0, column = 0;
    for (const char *p = text; *p; p++)
        tabs += *p == '\t';
    if (!tabs)
        return text;
    char *out = mp_arena_alloc(document->arena, strlen(text) + tabs * STOP + 1), *end = out;
    for (; *text; text++) {
        if (*text != '\t') {
            column += ((unsigned char)*text & 0xc0) != 0x80;
            *end++ = *text;
            continue;
        }
        do
            *end++ = ' ';
        while (++column % STOP);
    }
    *end = '\0';
    return out;
}

static void set_note(const annotating *state, line_row *row, const mp_line_note *note)
{
    if (state->of_heap) {
        row->bytes = note->bytes;
        row->objects = note->objects;
        row->leaked_bytes = note->leaked_bytes;
        row->leaked_objects = note->leaked_objects;
        return;
    }
    if (note->executed) {
        row->seconds = note->exclusive_us;
        row->percent = mp_percent_of(note->exclusive_us, state->all_us);
        row->calls = note->executions;
    }
    if (note->executable || note->executed)
        row->executed = note->executed;
    row->run = note->executable && !note->executed ? "never" : NULL;
}

/* Return true if the note is shown. A note of a heap is not shown if all its objects have been
 * deleted. */
static bool is_told(const annotating *state, const mp_line_note *note)
{
    return state->of_heap ? note->objects != 0 || note->bytes != 0 : true;
}

static line_row *add_row(annotating *state, int64_t line, const char *text)
{
    line_row *row = &state->rows[state->count++];
    mp_row_clear(columns, sizeof columns / sizeof *columns, row);
    row->line = line;
    row->text = text;
    row->shown = text;
    return row;
}

static size_t count_lines(mp_slice text)
{
    size_t count = 0;
    for (mp_slice line; mp_slice_take_line(&text, &line);)
        count++;
    return count;
}

/* Merge the lines of the text with their notes; both are sorted by line. */
static void join(annotating *state)
{
    const mp_annotation *notes = state->notes;
    mp_slice left = state->source.text, line;
    size_t index = 0;
    state->lines = count_lines(left);
    state->rows = mp_alloc((state->lines + notes->count + 1) * sizeof *state->rows);
    for (; index < notes->count && notes->items[index].line < 1; index++)
        if (is_told(state, &notes->items[index])) {
            line_row *row = add_row(state, notes->items[index].line, NULL);
            set_note(state, row, &notes->items[index]);
            row->shown =
                mp_document_text(state->document, "(%s)", mp_line_name(notes->items[index].line));
        }
    for (int64_t number = 1; mp_slice_take_line(&left, &line); number++) {
        line_row *row =
            add_row(state, number, mp_arena_copy(state->document->arena, line.start, line.length));
        row->shown = without_tabs(state->document, row->text);
        if (index < notes->count && notes->items[index].line == number &&
            is_told(state, &notes->items[index]))
            set_note(state, row, &notes->items[index]);
        index += index < notes->count && notes->items[index].line == number;
    }
    for (; index < notes->count; index++)
        if (is_told(state, &notes->items[index])) {
            line_row *row = add_row(state, notes->items[index].line, NULL);
            set_note(state, row, &notes->items[index]);
            row->beyond = 1;
            row->shown = "(beyond the end of the file)";
            state->beyond++;
        }
}

/* --- tables --- */

static bool is_noted(const annotating *state, const line_row *row)
{
    return state->of_heap ? row->bytes != MP_UNKNOWN : row->executed != MP_UNKNOWN;
}

static void section_source(const annotating *state)
{
    source_row row = {
        .program = state->program, .path = state->source.path, .lines = (int64_t)state->lines};
    row.beyond_lines = state->beyond ? (int64_t)state->beyond : MP_UNKNOWN;
    for (size_t i = 0; i < state->count; i++) {
        const line_row *line = &state->rows[i];
        row.annotated_lines += is_noted(state, line);
        row.bytes += line->bytes == MP_UNKNOWN ? 0 : line->bytes;
        row.objects += line->objects == MP_UNKNOWN ? 0 : line->objects;
        row.leaked_bytes += line->leaked_bytes == MP_UNKNOWN ? 0 : line->leaked_bytes;
        row.leaked_objects += line->leaked_objects == MP_UNKNOWN ? 0 : line->leaked_objects;
        row.seconds += line->seconds == MP_UNKNOWN ? 0 : line->seconds;
    }
    if (state->of_heap)
        row.seconds = MP_UNKNOWN;
    else
        row.bytes = row.objects = row.leaked_bytes = row.leaked_objects = MP_UNKNOWN;
    mp_table *table = MP_TABLE(state->document, "source", NULL, MP_RECORD, source_columns);
    mp_table_put(state->document, table, &row);
}

static mp_table *lines_table(const annotating *state, const char *name)
{
    mp_table *table = MP_KIND_TABLE(state->document, state->request->model, name, NULL, columns);
    table->limited = true; /* no row limit applies, because all requested lines are shown */
    return table;
}

static void put_fold(const annotating *state, mp_table *table, size_t lines)
{
    line_row row;
    mp_row_clear(columns, sizeof columns / sizeof *columns, &row);
    row.shown = mp_document_text(state->document, "... %s lines ...",
                                 mp_count_text(state->document, (int64_t)lines));
    mp_table_put(state->document, table, &row);
}

/* Print the lines for people. Lines far from any line with figures are folded, if that saves more
 * than one line. */
static void put_people(const annotating *state, int64_t context)
{
    mp_table *table = lines_table(state, "annotated");
    table->flags = MP_FOR_PEOPLE;
    table->empty = "the file is empty";
    if (state->beyond)
        mp_table_line(state->document, table,
                      "%s of the recording %s beyond the end of the file: it is not the "
                      "source that was compiled",
                      mp_counted_text(state->document, (int64_t)state->beyond, "line"),
                      state->beyond == 1 ? "lies" : "lie");
    if (state->notes->versions)
        mp_table_line(
            state->document, table,
            "the recordings have several versions of this source (CRC) with different lines");
    bool *kept = mp_alloc_zero(state->count + 1, sizeof *kept);
    int64_t near = -1; /* last line of the text that has figures; -1 = none yet */
    for (size_t i = 0; i < state->count; i++) {
        near = is_noted(state, &state->rows[i]) && state->rows[i].line > 0 ? (int64_t)i : near;
        kept[i] = state->rows[i].line < 1 || (near >= 0 && (int64_t)i - near <= context);
    }
    near = -1;
    for (size_t i = state->count; i-- > 0;) {
        near = is_noted(state, &state->rows[i]) && state->rows[i].line > 0 ? (int64_t)i : near;
        kept[i] |= near >= 0 && near - (int64_t)i <= context;
    }
    for (size_t i = 0, next; i < state->count; i = next) {
        for (next = i; next < state->count && !kept[next];)
            next++;
        if (next - i > 1) {
            put_fold(state, table, next - i);
            continue;
        }
        next = i + 1;
        mp_table_put(state->document, table, &state->rows[i]);
    }
    free(kept);
}

static void put_programs(const annotating *state)
{
    mp_table *table = lines_table(state, "annotate");
    table->flags = MP_FOR_PROGRAMS;
    table->main = true;
    for (size_t i = 0; i < state->count; i++)
        mp_table_put(state->document, table, &state->rows[i]);
}

/* --- the report --- */

/* Replace the text of a debug listing, whose lines begin with their numbers, by the source. Lines
 * whose number does not follow are dropped. */
static void take_listing(annotating *state)
{
    mp_slice left = state->source.text, line;
    mp_text_buffer text = {0};
    for (uint64_t next = 1; mp_slice_take_line(&left, &line);) {
        char *end;
        const char *copy = mp_arena_copy(state->document->arena, line.start, line.length);
        if (strtoull(copy, &end, 10) != next)
            continue;
        end += *end == ' ';
        mp_text_put(&text, end, strlen(end));
        mp_text_put(&text, "\n", 1);
        next++;
    }
    state->source.text =
        (mp_slice){mp_arena_copy(state->document->arena, text.text ? text.text : "", text.length),
                   text.length};
    free(text.text);
}

static bool read_text(annotating *state, mp_error *error)
{
    const mp_request *request = state->request;
    mp_slice names[2 * MP_SOURCE_NAMES];
    mp_arena *arena = state->document->arena;
    if (!request->read_source)
        return mp_fail(error, MP_ERROR_ARGUMENT,
                       "annotate needs " MP_DASHES "sources, the folder that contains %s",
                       state->program);
    mp_source_names(arena, state->program, NULL, names);
    mp_source_names(arena, state->program, ".dbg", names + MP_SOURCE_NAMES);
    if (!request->read_source(request->sources, names, 2 * MP_SOURCE_NAMES, arena, &state->source,
                              error))
        return false;
    const char *ending = strrchr(state->source.path, '.');
    if (ending && strcmp(ending, ".dbg") == 0)
        take_listing(state);
    return true;
}

static const char *find_program(const mp_request *request, mp_document *document, mp_error *error)
{
    const annotate_arguments *asked = request->arguments;
    size_t count;
    if (!asked->program) {
        mp_fail(error, MP_ERROR_ARGUMENT, "annotate needs the name of a source");
        return NULL;
    }
    const char **sources = mp_annotation_sources(document->arena, request->filter, &count);
    const char *found =
        mp_annotation_source(document->arena, sources, count, asked->program, error);
    free(sources);
    return found;
}

static bool annotate(annotating *state, mp_error *error)
{
    const annotate_arguments *asked = state->request->arguments;
    if (!read_text(state, error))
        return false;
    join(state);
    section_source(state);
    put_people(state, asked->context);
    put_programs(state);
    free(state->rows);
    return true;
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    annotating state = {.document = document, .request = request, .of_heap = true};
    state.program = find_program(request, document, error);
    const mp_window *window =
        state.program ? mp_section_heap(document, request, false, error) : NULL;
    if (!window)
        return false;
    mp_annotation notes = mp_annotation_of(request->filter, window, state.program);
    state.notes = &notes;
    bool ok = annotate(&state, error);
    free(notes.items);
    return ok;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    annotating state = {.document = document, .request = request};
    if (request->model->profile->from_report)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "a report has only the few slowest lines; use its .prf");
    state.program = find_program(request, document, error);
    if (!state.program)
        return false;
    mp_annotation notes = mp_annotation_of(request->filter, NULL, state.program);
    state.notes = &notes;
    state.all_us = mp_profile_total(request->filter).exclusive_us;
    mp_section_profile(document, request);
    bool ok = annotate(&state, error);
    free(notes.items);
    return ok;
}

/* The variants: stacks of native code, other recordings of heaps, profiles. */
enum { NATIVE = 1, RECORDED = 2, HEAPS = NATIVE | RECORDED, PROFILE = 4, ALL = HEAPS | PROFILE };

static const annotate_arguments usual = {.context = 2};
static const mp_argument arguments[] = {
    {"program", offsetof(annotate_arguments, program), ALL},
    {"context", offsetof(annotate_arguments, context), ALL},
    MP_SHARES("sources", ALL),
    MP_ASKS_WINDOW(HEAPS),
    MP_SHARES("selection", ALL),
    MP_SHARES("suppress", HEAPS),
    MP_SHARES("skip", NATIVE),
    MP_SHARES("keep-profiler", PROFILE),
};

const mp_report mp_report_annotate = {
    .name = "annotate",
    .summary = "show a source file with the cost of each line",
    .example = "annotate shop.OrderService samples/shop-v2.oemp --sources samples/sources",
    .details = "SOURCE is the name of a program, class or file in the recording, or the end of the "
               "name. For memory, each line shows the objects it created that are alive at the "
               "snapshot `to`, and those that leaked. For execution profiles, it shows seconds and "
               "executions and, with coverage, lines that were never executed.",
    .operand = MP_OPERAND_PROGRAM,
    .unites = true,
    .single = true,
    MP_ARGUMENTS(arguments, usual),
    .wants = MP_TELLS_LINES,
    .variants = {{.needs = MP_HOLDS_HISTORY | MP_HOLDS_NATIVE, .run = run_heap},
                 {.needs = MP_HOLDS_HISTORY, .run = run_heap},
                 {.needs = MP_HOLDS_PROFILE, .run = run_profile}},
};
