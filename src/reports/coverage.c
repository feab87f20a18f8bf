/* The report coverage: executable and executed lines, by program, by method and by line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/source_name.h"
#include "base/text.h"
#include "base/units.h"
#include "document/document.h"
#include "query/coverage.h"
#include "reports/answers.h"
#include "reports/judging.h"
#include "reports/profile_sections.h"
#include "reports/sections.h"

/* --- the answer for exporters --- */

/* Return the start of the last run in microseconds since 1970. Recordings have no time zone, so
 * their clock is taken as UTC. */
static int64_t last_run_us(const mp_model *model)
{
    int64_t last = 0;
    for (uint32_t i = 1; i < model->sessions.count; i++) {
        struct tm tm = {0};
        const char *date = mp_model_text(model, model->sessions.items[i].date);
        if (sscanf(date, "%2d/%2d/%4d %2d:%2d:%2d", &tm.tm_mon, &tm.tm_mday, &tm.tm_year,
                   &tm.tm_hour, &tm.tm_min, &tm.tm_sec) != 6)
            continue;
        tm.tm_mon--;
        tm.tm_year -= 1900;
        int64_t position = (int64_t)timegm(&tm) * 1000000;
        last = position > last ? position : last;
    }
    return last;
}

/* Fill in the methods and lines of a file, and the index of its lines by method. */
static void fill_file(mp_arena *arena, const mp_model *model, const mp_coverage *coverage,
                      const mp_covered_source *source, mp_coverage_file *file)
{
    mp_coverage_method *methods = mp_arena_alloc(arena, source->method_count * sizeof *methods);
    mp_coverage_line *lines = mp_arena_alloc(arena, source->line_count * sizeof *lines);
    uint32_t *by_method = mp_arena_alloc(arena, source->line_count * sizeof *by_method);
    uint32_t *next = mp_alloc(source->method_count * sizeof *next), first = 0;
    for (uint32_t i = 0; i < source->method_count; i++) {
        const mp_covered_method *method = &coverage->methods[source->first_method + i];
        methods[i] =
            (mp_coverage_method){.name = mp_utf8_copy(arena, mp_model_text(model, method->name)),
                                 .lines = method->lines,
                                 .executed = method->executed,
                                 .first = first,
                                 .calls = method->calls};
        next[i] = first;
        first += method->lines;
    }
    for (uint32_t i = 0; i < source->line_count; i++) {
        const mp_covered_line *line = &coverage->lines[source->first_line + i];
        uint32_t method = line->method - source->first_method;
        lines[i] = (mp_coverage_line){
            .method = method, .line = line->line, .executions = line->executions};
        by_method[next[method]++] = i;
    }
    free(next);
    file->methods = methods;
    file->method_count = source->method_count;
    file->items = lines;
    file->count = source->line_count;
    file->by_method = by_method;
}

/* Return a path that several programs share; NULL if no path is shared. Different names of programs
 * may denote the same file: `a\\b.p` and `a/b.p`. */
static const char *shared_path(const mp_coverage_file *files, size_t count)
{
    const char *shared = NULL, **paths = mp_alloc(count * sizeof *paths + 1);
    for (size_t i = 0; i < count; i++)
        paths[i] = files[i].path;
    qsort(paths, count, sizeof *paths, mp_text_order);
    for (size_t i = 1; i < count && !shared; i++)
        shared = strcmp(paths[i - 1], paths[i]) == 0 ? paths[i] : NULL;
    free(paths);
    return shared;
}

/* Return the answer, which lives as long as the document. */
static const mp_coverage_answer *answer_of(mp_document *document, const mp_model *model,
                                           const mp_coverage *coverage)
{
    mp_arena *arena = document->arena;
    mp_coverage_answer *answer = mp_arena_alloc(arena, sizeof *answer);
    mp_coverage_file *files = mp_arena_alloc(arena, coverage->source_count * sizeof *files);
    *answer = (mp_coverage_answer){.files = files,
                                   .file_count = coverage->source_count,
                                   .lines = coverage->executable,
                                   .executed = coverage->executed,
                                   .time_us = last_run_us(model)};
    for (uint32_t i = 0; i < coverage->source_count; i++) {
        const mp_covered_source *source = &coverage->sources[i];
        const char *program = mp_utf8_copy(arena, mp_model_text(model, source->program));
        files[i] = (mp_coverage_file){
            .program = program,
            .path = source->listing_file.i
                        ? mp_utf8_copy(arena, mp_model_text(model, source->listing_file))
                        : mp_source_path(arena, program),
            .lines = source->lines,
            .executed = source->executed};
        fill_file(arena, model, coverage, source, &files[i]);
        if (source->versions)
            answer->versions = program;
    }
    answer->shared = shared_path(files, coverage->source_count);
    return answer;
}

typedef struct coverage_arguments {
    const char *by, *sort; /* by: NULL = by program and by method; sort: NULL = by missing lines */
    int64_t limit;         /* maximum rows of a table; 0 = all */
    bool uncovered;
    mp_ceiling min_lines;
} coverage_arguments;

typedef struct code_row {
    const char *program, *method, *listing;
    int64_t lines, executed_lines, missing_lines, crc, version;
    double percent, shown_percent; /* shown_percent is rounded down */
} code_row;

#define LINE_COLUMNS                                                                               \
    MP_COLUMN(code_row, lines, "Lines", MP_COUNT, 0),                                              \
        MP_COLUMN(code_row, executed_lines, "Executed", MP_COUNT, 0),                              \
        MP_COLUMN(code_row, missing_lines, "Missing", MP_COUNT, 0),                                \
        MP_COLUMN(code_row, percent, "%", MP_PERCENT, MP_FOR_PROGRAMS),                            \
        MP_COLUMN(code_row, shown_percent, "%", MP_PERCENT, MP_FOR_PEOPLE),                        \
        MP_COLUMN(code_row, version, "CRC", MP_NUMBER, MP_FOR_PEOPLE | MP_IF_KNOWN),               \
        MP_COLUMN(code_row, crc, "", MP_NUMBER, MP_FOR_PROGRAMS)

static const mp_column program_columns[] = {
    MP_COLUMN(code_row, program, "Program", MP_TEXT, MP_SHORTEN),
    LINE_COLUMNS,
    MP_COLUMN(code_row, listing, "", MP_TEXT, MP_FOR_PROGRAMS),
};

static const mp_column method_columns[] = {
    MP_COLUMN(code_row, program, "Program", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(code_row, method, "Method", MP_TEXT, MP_SHORTEN),
    LINE_COLUMNS,
};

static const mp_order orders[] = {
    {"missing", {"missing_lines"}},
    {"name", {"program", "method"}},
};

/* --- totals --- */

typedef struct total_row {
    int64_t programs, methods, lines, executed_lines, missing_lines, programs_without_coverage;
    double percent, shown_percent;
} total_row;

static const mp_column total_columns[] = {
    MP_COLUMN(total_row, programs, "Programs", MP_COUNT, 0),
    MP_COLUMN(total_row, methods, "Methods", MP_COUNT, 0),
    MP_COLUMN(total_row, lines, "Lines", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(total_row, executed_lines, "Executed", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(total_row, missing_lines, "Missing", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(total_row, percent, "Percent", MP_PERCENT, MP_FOR_PROGRAMS),
    MP_COLUMN(total_row, shown_percent, "Percent", MP_PERCENT, MP_FOR_PEOPLE | MP_SUMMARY),
    MP_COLUMN(total_row, programs_without_coverage, "Programs without coverage", MP_COUNT, 0),
};

static void section_totals(mp_document *document, const mp_model *model,
                           const mp_coverage *coverage)
{
    total_row row = {.programs = coverage->source_count,
                     .methods = coverage->method_count,
                     .lines = (int64_t)coverage->executable,
                     .executed_lines = (int64_t)coverage->executed,
                     .missing_lines = (int64_t)(coverage->executable - coverage->executed),
                     .percent =
                         mp_percent_of((int64_t)coverage->executed, (int64_t)coverage->executable),
                     .shown_percent = mp_coverage_percent(coverage->executed, coverage->executable),
                     .programs_without_coverage = coverage->untold ? coverage->untold : MP_UNKNOWN};
    mp_table *table = MP_TABLE(document, "coverage_totals", "Coverage", MP_RECORD, total_columns);
    mp_table_put(document, table, &row);
    table->answer = MP_ANSWER_COVERAGE;
    table->about = answer_of(document, model, coverage);
}

static const char *covered_text(mp_document *document, const mp_coverage *coverage)
{
    return mp_document_text(document, "%s of %s lines (%.1f %%)",
                            mp_count_text(document, (int64_t)coverage->executed),
                            mp_count_text(document, (int64_t)coverage->executable),
                            mp_coverage_percent(coverage->executed, coverage->executable));
}

static void say_covered(mp_document *document, const mp_model *model, const mp_coverage *coverage)
{
    const mp_covered_source *worst = mp_coverage_worst(coverage);
    const char *missing = "";
    if (worst->lines > worst->executed)
        missing = mp_document_text(document, ", most missing: %s of %s in %s",
                                   mp_count_text(document, worst->lines - worst->executed),
                                   mp_count_text(document, worst->lines),
                                   mp_model_text(model, worst->program));
    const char *without =
        coverage->untold ? mp_document_text(document, "; %s without coverage",
                                            mp_counted_text(document, coverage->untold, "program"))
                         : "";
    mp_document_say(document, MP_TONE_PLAIN, "Executed", "%s%s%s", covered_text(document, coverage),
                    missing, without);
}

/* --- programs and methods --- */

static code_row row_of(const mp_model *model, const mp_covered_source *source)
{
    return (code_row){
        .program = mp_model_text(model, source->program),
        .listing =
            mp_model_text(model, source->listing_file.i ? source->listing_file : source->listing),
        .crc = source->crc ? (int64_t)source->crc : MP_UNKNOWN,
        .version = source->versions && source->crc ? (int64_t)source->crc : MP_UNKNOWN};
}

static void count(code_row *row, uint32_t lines, uint32_t executed)
{
    row->lines = lines;
    row->executed_lines = executed;
    row->missing_lines = lines - executed;
    row->percent = mp_percent_of(executed, lines);
    row->shown_percent = mp_coverage_percent(executed, lines);
}

/* Add the rows to a table. `rows` must be sorted by name. */
static void put_rows(mp_document *document, mp_table *table, const mp_order *order, code_row *rows,
                     size_t total, int64_t limit)
{
    MP_ORDER_ROWS(order, method_columns, rows, total);
    for (size_t i = 0; i < mp_shown_of(total, (size_t)limit); i++)
        mp_table_put(document, table, &rows[i]);
    table->order = order->columns[0];
    mp_table_left_out(table, total);
}

static mp_table *section_programs(mp_document *document, const mp_model *model,
                                  const mp_coverage *coverage, const mp_order *order, int64_t limit)
{
    mp_table *table = MP_TABLE(document, "programs", "Programs", MP_ROWS, program_columns);
    code_row *rows = mp_alloc(coverage->source_count * sizeof *rows + 1);
    for (uint32_t i = 0; i < coverage->source_count; i++) {
        rows[i] = row_of(model, &coverage->sources[i]);
        count(&rows[i], coverage->sources[i].lines, coverage->sources[i].executed);
    }
    put_rows(document, table, order, rows, coverage->source_count, limit);
    free(rows);
    return table;
}

static mp_table *section_methods(mp_document *document, const mp_model *model,
                                 const mp_coverage *coverage, const mp_order *order, int64_t limit)
{
    mp_table *table =
        MP_TABLE(document, "coverage", "Procedures and methods", MP_ROWS, method_columns);
    code_row *rows = mp_alloc(coverage->method_count * sizeof *rows + 1);
    for (uint32_t i = 0; i < coverage->method_count; i++) {
        const mp_covered_method *method = &coverage->methods[i];
        rows[i] = row_of(model, &coverage->sources[method->source]);
        rows[i].method = mp_model_text(model, method->name);
        count(&rows[i], method->lines, method->executed);
    }
    put_rows(document, table, order, rows, coverage->method_count, limit);
    free(rows);
    return table;
}

/* --- lines that were never executed --- */

typedef struct range_row {
    const char *program, *method, *code;
    int64_t from_line, to_line, lines, version, crc;
    mp_texts text;
} range_row;

static const mp_column range_columns[] = {
    MP_COLUMN(range_row, program, "Program", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(range_row, method, "Method", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(range_row, from_line, "From", MP_NUMBER, 0),
    MP_COLUMN(range_row, to_line, "To", MP_NUMBER, 0),
    MP_COLUMN(range_row, lines, "Lines", MP_COUNT, 0),
    MP_COLUMN(range_row, version, "CRC", MP_NUMBER, MP_FOR_PEOPLE | MP_IF_KNOWN),
    MP_COLUMN(range_row, crc, "", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(range_row, code, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(range_row, text, "Code", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
};

/* List the ranges of lines that were never executed. A range consists of successive executable
 * lines of one method. */
static void section_uncovered(mp_document *document, const mp_model *model,
                              const mp_coverage *coverage, int64_t limit)
{
    mp_table *table = MP_TABLE(document, "uncovered", "Never executed", MP_ROWS, range_columns);
    size_t total = 0;
    table->main = true;
    table->empty = "each line was executed";
    for (uint32_t i = 0; i < coverage->line_count;) {
        const mp_covered_line *first = &coverage->lines[i], *last = first;
        if (first->executions > 0) {
            i++;
            continue;
        }
        int64_t lines = 0;
        for (; i < coverage->line_count && !coverage->lines[i].executions &&
               coverage->lines[i].source == first->source &&
               coverage->lines[i].method == first->method;
             i++, lines++)
            last = &coverage->lines[i];
        if (total++ >= (size_t)limit && limit)
            continue;
        code_row state = row_of(model, &coverage->sources[first->source]);
        range_row row = {
            .program = state.program,
            .method = mp_model_text(model, coverage->methods[first->method].name),
            .code = mp_model_text(model, first->code),
            .from_line = first->line,
            .to_line = last->line,
            .lines = lines,
            .version = state.version,
            .crc = state.crc,
        };
        if (*row.code)
            row.text = (mp_texts){.items = &row.code, .count = 1};
        mp_table_put(document, table, &row);
    }
    table->order = "program";
    mp_table_left_out(table, total);
}

/* --- the limit --- */

/* Return the reason why there are no executable lines. */
static const char *missing_lines(const mp_model *model)
{
    const mp_profile *profile = model->profile;
    return profile->coverage_lines.count > 1
               ? "nothing that matches the filters has executable lines"
           : profile->from_report ? "the execution profile does not record executable lines: a "
                                    "report never does; use its .prf"
                                  : "the execution profile does not record executable lines: it "
                                    "was recorded without PROFILER:COVERAGE";
}

static void section_limit(mp_document *document, const mp_request *request,
                          const mp_coverage *coverage, const mp_ceiling *floor)
{
    mp_rule limit = mp_rule_of_limit("min-lines", MP_MEASURE_COVERAGE, &floor->bound);
    if (!coverage->line_count) {
        mp_judge_figures(document, &limit, NULL, 0, missing_lines(request->model));
        return;
    }
    const mp_digest now = {.kind = MP_KIND_PROFILE, .holds = MP_HOLDS_PROFILE, .has = MP_HAS_COSTS};
    mp_rule_context context = {.now = &now, .model = request->model, .coverage = coverage};
    mp_judge_limits(document, request, &limit, 1, &context, NULL);
}

/* --- the report --- */

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const coverage_arguments *asked = request->arguments;
    const mp_order *order = MP_ORDER_FIND(orders, asked->sort, "programs and methods", error);
    bool programs = !asked->by || mp_text_is(asked->by, "program");
    bool methods = !asked->by || mp_text_is(asked->by, "method");
    if (!order)
        return false;
    mp_coverage coverage = mp_coverage_of(request->filter);
    const bool has_lines = coverage.line_count > 0;
    const bool ok = has_lines || asked->min_lines.set ||
                    mp_fail(error, MP_ERROR_NO_ANSWER, "%s", missing_lines(request->model));
    if (ok && !has_lines) {
        mp_section_head(document, request);
        section_limit(document, request, &coverage, &asked->min_lines);
    } else if (ok) {
        mp_section_profile(document, request);
        say_covered(document, request->model, &coverage);
        section_totals(document, request->model, &coverage);
        if (asked->uncovered)
            section_uncovered(document, request->model, &coverage, asked->limit);
        else if (programs)
            section_programs(document, request->model, &coverage, order, asked->limit)->main =
                !methods;
        if (asked->min_lines.set)
            section_limit(document, request, &coverage, &asked->min_lines);
        if (!asked->uncovered && methods)
            section_methods(document, request->model, &coverage, order, asked->limit)->main = true;
    }
    mp_coverage_free(&coverage);
    return ok;
}

enum { ALL = 1 };
static const coverage_arguments usual = {.limit = MP_REPORT_ROWS};
static const mp_argument arguments[] = {
    {"by", offsetof(coverage_arguments, by), ALL},
    {"sort", offsetof(coverage_arguments, sort), ALL},
    {"min-lines", offsetof(coverage_arguments, min_lines), ALL},
    {"limit", offsetof(coverage_arguments, limit), ALL},
    {"uncovered", offsetof(coverage_arguments, uncovered), ALL},
    MP_SHARES("format", ALL),
    MP_SHARES("listings", ALL),
    MP_SHARES("selection", ALL),
    MP_SHARES("keep-profiler", ALL),
};

static const char *const groups[] = {"program", "method"};

static const mp_choice choices[] = {
    {.argument = "by", .variants = ALL, MP_WORDS(groups)},
    {.argument = "sort", .variants = ALL, MP_WORDS(orders)},
    {0},
};

const mp_report mp_report_coverage = {
    .name = "coverage",
    .summary = "show which lines of the programs were executed",
    .example = "coverage samples/shop-v3.prf --uncovered",
    .details = "For execution profiles recorded with PROFILER:COVERAGE. Files and folders are runs "
               "of one application: a line counts as executed if any run executed it. The formats "
               "cobertura, lcov and sonar-generic are for Jenkins, GitLab, genhtml and SonarQube.",
    .unites = true,
    MP_ARGUMENTS(arguments, usual),
    .choices = choices,
    .wants = MP_TELLS_COVERAGE,
    .variants = {{.needs = MP_HOLDS_PROFILE, .lacks = MP_HOLDS_UNCALLED, .run = run}},
};
