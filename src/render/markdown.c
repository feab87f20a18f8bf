/* Markdown as GitHub and GitLab show it: the tables that people read, for a summary or a comment.
 *
 * Source: the GitHub Flavored Markdown Spec, tables and backslash escapes. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "document/checks.h"
#include "render/cell.h"

typedef struct out {
    FILE *file;
    mp_arena arena; /* the cells of one table */
    const mp_style *style;
    bool exact_bytes;
} out;

static bool is_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Escape mark-up, @mentions and #issue references. */
static void put(out *to, const char *text)
{
    for (const char *p = mp_safe_text(&to->arena, text); *p; p++) {
        if (*p == '&')
            fputs("&amp;", to->file);
        else if (*p == '<')
            fputs("&lt;", to->file);
        else if (*p == '>')
            fputs("&gt;", to->file);
        else if (strchr("\\`*_[]~|$", *p))
            fprintf(to->file, "\\%c", *p);
        else if ((*p == '@' || *p == '#') && is_name(p[1]))
            fprintf(to->file, "%c<!-- -->", *p);
        else
            fputc(*p, to->file);
    }
}

static void put_heading(out *to, const char *marks, const char *text)
{
    fprintf(to->file, "%s ", marks);
    put(to, text);
    fputs("\n\n", to->file);
}

/* --- verdicts --- */

static void put_checks(out *to, const mp_document *document, const mp_checks *checks)
{
    static const char *const shown[] = {"pass", "**fail**", "**error**"};
    const char *verdict = checks->counts[MP_VERDICT_FAIL]    ? "failed"
                          : checks->counts[MP_VERDICT_ERROR] ? "could not be judged"
                                                             : "passed";
    fprintf(to->file, "### memprof %s: %s\n\n%s", document->command, verdict,
            mp_checks_summary(checks, &to->arena));
    if (*checks->policy) {
        fputs(", by ", to->file);
        put(to, checks->policy);
    }
    fprintf(to->file,
            "\n\n| Status | %s | Measured | Limit | Why |\n| --- | --- | ---: | ---: | --- |\n",
            *checks->policy ? "Rule" : "Option");
    for (size_t i = 0; i < checks->count; i++) {
        const mp_check *check = &checks->at[i];
        const char *const texts[] = {check->name, check->measured, check->limit, check->message};
        fprintf(to->file, "| %s |", shown[check->verdict]);
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
            fputc(' ', to->file);
            put(to, texts[j]);
            fputs(" |", to->file);
        }
        fputc('\n', to->file);
    }
    mp_arena_free(&to->arena);
}

/* --- tables --- */

/* A stack as deep as people see it, notes whole: a line each. */
static void put_list(out *to, const mp_table *table, const mp_column *column, const mp_cell *cell)
{
    int64_t shown = cell->number;
    if (!(column->flags & MP_BELOW) && shown > (int64_t)table->list_depth + 1)
        shown = (int64_t)table->list_depth + 1;
    if (!cell->number && cell->text)
        put(to, cell->text);
    for (int64_t i = 0; i < shown; i++) {
        fputs(i ? "<br>" : "", to->file);
        put(to, cell->list[i]);
    }
    if (shown < cell->number && table->list_depth)
        fprintf(to->file, "<br>and %" PRId64 " more", cell->number - shown);
}

static void put_cell(out *to, const mp_table *table, size_t row, size_t column)
{
    const mp_cell *cell = &table->cells[row * table->column_count + column];
    const mp_column *as = &table->columns[column];
    if (cell->known && as->unit == MP_LIST)
        put_list(to, table, as, cell);
    else
        put(to, mp_cell_for_people(&to->arena, as, cell, to->exact_bytes));
}

/* The places of the columns that people see. */
static size_t *shown_columns(out *to, const mp_table *table, size_t *count)
{
    size_t *columns = mp_arena_alloc(&to->arena, (table->column_count + 1) * sizeof *columns);
    *count = 0;
    for (size_t i = 0; i < table->column_count; i++)
        if (mp_column_is_shown(table, i))
            columns[(*count)++] = i;
    return columns;
}

static void put_record(out *to, const mp_table *table)
{
    size_t count, *columns = shown_columns(to, table, &count);
    fputs("| | |\n| --- | --- |\n", to->file);
    for (size_t i = 0; i < count; i++) {
        fputs("| ", to->file);
        put(to, table->columns[columns[i]].title);
        fputs(" | ", to->file);
        put_cell(to, table, 0, columns[i]);
        fputs(" |\n", to->file);
    }
}

static void put_rows(out *to, const mp_table *table)
{
    size_t count, *columns = shown_columns(to, table, &count);
    for (size_t row = 0; row <= table->row_count; row++) { /* 0: the titles */
        fputc('|', to->file);
        for (size_t i = 0; i < count; i++) {
            fputc(' ', to->file);
            if (row)
                put_cell(to, table, row - 1, columns[i]);
            else
                put(to, table->columns[columns[i]].title);
            fputs(" |", to->file);
        }
        for (size_t i = 0; row == 0 && i < count; i++) {
            bool is_text = mp_unit_is_text(table->columns[columns[i]].unit);
            fprintf(to->file, "%s %s |", i ? "" : "\n|", is_text ? "---" : "---:");
        }
        fputc('\n', to->file);
    }
}

static void put_table(out *to, const mp_table *table, bool first)
{
    if (!first)
        fputc('\n', to->file);
    if (table->title)
        put_heading(to, "####", table->title);
    for (size_t i = 0; i < table->line_count; i++) {
        put(to, mp_line_for_people(&to->arena, &table->lines[i], to->style));
        fputs(i + 1 < table->line_count ? "<br>\n" : "\n\n", to->file);
    }
    if (table->shape == MP_RECORD && table->row_count)
        put_record(to, table);
    else if (table->row_count)
        put_rows(to, table);
    else if (table->empty)
        fprintf(to->file, "%s\n", table->empty);
    const char *footer = mp_line_for_people(&to->arena, &table->footer, to->style);
    if (*footer) {
        fputc('\n', to->file);
        put(to, footer);
        fputc('\n', to->file);
    }
    mp_arena_free(&to->arena);
}

static bool render_markdown(const mp_document *document, const mp_diagnostics *diagnostics,
                            const mp_style *style, FILE *file, mp_error *error)
{
    (void)error;
    out to = {.file = file, .style = style, .exact_bytes = document->exact_bytes};
    mp_arena arena = {0};
    mp_checks checks = mp_checks_of(document, diagnostics, style->dashes, &arena);
    bool first = true;
    if (checks.count) {
        put_checks(&to, document, &checks);
        first = false;
    }
    if (document->title) {
        fputs(first ? "" : "\n", file);
        put_heading(&to, "###", document->title);
        first = true; /* the heading ends with an empty line */
    }
    for (size_t i = 0; i < document->table_count; i++) {
        const mp_table *table = &document->tables[i];
        if (table->flags & (MP_FOR_PROGRAMS | MP_OF_CHECKS))
            continue;
        put_table(&to, table, first);
        first = false;
    }
    mp_arena_free(&to.arena);
    mp_arena_free(&arena);
    return true;
}

const mp_renderer mp_renderer_markdown = {.name = "markdown",
                                          .summary = "tables for a pull request or a job's summary",
                                          .render = render_markdown};
