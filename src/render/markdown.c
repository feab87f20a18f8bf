/* Markdown as GitHub and GitLab show it: the tables that people read, for a summary or a comment.
 *
 * An answer is written in pieces that are there whole or not at all: a heading, a row. Where there
 * is a limit, rows that do not fit are left out and counted. It is one of bytes, so it holds for
 * characters too.
 *
 * Source: the GitHub Flavored Markdown Spec: tables, backslash escapes, fenced code blocks, HTML
 * blocks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/text.h"
#include "document/checks.h"
#include "render/cell.h"
#include "render/renderer.h"

typedef struct markdown {
    FILE *file;
    const mp_style *style;
    bool exact_bytes;
    bool folds;           /* each table below its title, which opens it */
    bool parts;           /* an empty line comes before the next part */
    size_t room;          /* bytes that are left; SIZE_MAX: as many as there are */
    size_t rows_left_out; /* as there was no room */
    const char *command;  /* that ends it; NULL: none */
    bool command_left_out;
    mp_text_buffer piece; /* at hand */
    mp_arena arena;       /* its texts */
} markdown;

/* --- pieces --- */

static void put_raw(markdown *to, const char *text)
{
    mp_text_put(&to->piece, text, strlen(text));
}

#define PUT(to, ...) put_raw(to, mp_arena_format(&(to)->arena, __VA_ARGS__))

static bool is_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Return true if GitHub or GitLab would turn the text after the character at `p` into a link or
 * a picture: a mention, a reference to an issue, a request or a milestone, an address (http://,
 * www.), an emoji (:x:). They look for these after parsing mark-up, so a backslash does not
 * help. */
static bool is_made_of(const char *begin, const char *p)
{
    size_t word;
    switch (*p) {
    case '@':
    case '#':
    case '!':
    case '%':
        return is_name(p[1]);
    case ':':
        word = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz0123456789_+-");
        return (p[1] == '/' && p[2] == '/') ||
               (word > strspn(p + 1, "0123456789_+-") && p[1 + word] == ':') ||
               (p - begin >= 4 && (strncasecmp(p - 4, "xmpp", 4) == 0)) ||
               (p - begin >= 6 && (strncasecmp(p - 6, "mailto", 6) == 0));
    case '.':
        return p - begin >= 3 && strncasecmp(p - 3, "www", 3) == 0;
    default:
        return false;
    }
}

/* Escape these characters of mark-up, what is HTML, and what names would be made links of. */
static void put_escaped(markdown *to, const char *text, const char *marks)
{
    const char *begin = mp_safe_text(&to->arena, text);
    for (const char *p = begin; *p; p++) {
        char escaped[] = {'\\', *p, '\0'};
        if (*p == '&')
            put_raw(to, "&amp;");
        else if (*p == '<')
            put_raw(to, "&lt;");
        else if (*p == '>')
            put_raw(to, "&gt;");
        else
            put_raw(to, escaped + !strchr(marks, *p));
        if (is_made_of(begin, p))
            put_raw(to, "<!-- -->");
    }
}

static void put(markdown *to, const char *text)
{
    put_escaped(to, text, "\\`*_[]~|$");
}

static void drop(markdown *to)
{
    to->piece.length = 0;
    mp_arena_free(&to->arena);
}

/* Write the piece at hand, unless there is no room for it and `spare` bytes more. */
static bool flush(markdown *to, size_t spare)
{
    size_t length = to->piece.length;
    bool fits = length <= to->room && spare <= to->room - length;
    if (fits && length) {
        fwrite(to->piece.at, 1, length, to->file);
        to->room -= to->room == SIZE_MAX ? 0 : length;
    }
    drop(to);
    return fits;
}

static void put_heading(markdown *to, const char *marks, const char *text)
{
    PUT(to, "%s ", marks);
    put(to, text);
    put_raw(to, "\n\n");
}

/* --- verdicts --- */

/* Write the result of the checks, and their table; `failed`: only those that fail or warn. */
static void put_checks(markdown *to, const mp_document *document, const mp_checks *checks,
                       bool failed)
{
    static const char *const shown[] = {"pass", "**fail**", "**error**"};
    const char *verdict = checks->counts[MP_VERDICT_FAIL]    ? "failed"
                          : checks->counts[MP_VERDICT_ERROR] ? "could not be judged"
                                                             : "passed";
    bool head = false, room = true;
    size_t spare = to->room == SIZE_MAX ? 0 : to->room / 2; /* room for the tables after it */
    PUT(to, "### memprof %s: %s\n\n%s", document->command, verdict,
        mp_checks_summary(checks, &to->arena));
    if (*checks->policy) {
        put_raw(to, ", by ");
        put(to, checks->policy);
    }
    put_raw(to, "\n");
    flush(to, 0);
    to->parts = true;
    for (size_t i = 0; i < checks->count; i++) {
        const mp_check *check = &checks->at[i];
        const char *why = *check->message ? check->message : check->warning;
        const char *const texts[] = {check->name, check->measured, check->limit, why};
        bool warns = check->verdict == MP_VERDICT_PASS && *check->warning;
        if (failed && check->verdict == MP_VERDICT_PASS && !warns)
            continue;
        if (!head)
            PUT(to,
                "\n| Status | %s | Measured | Limit | Why |\n| --- | --- | ---: | ---: | --- |\n",
                *checks->policy ? "Rule" : "Option");
        PUT(to, "| %s |", warns ? "pass, **warning**" : shown[check->verdict]);
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
            put_raw(to, " ");
            put(to, texts[j]);
            put_raw(to, " |");
        }
        put_raw(to, "\n");
        room = room && flush(to, spare);
        drop(to);
        head |= room;
        to->rows_left_out += !room;
    }
}

/* --- tables --- */

/* A stack as deep as people see it, notes whole: a line each. */
static void put_list(markdown *to, const mp_table *table, const mp_column *column,
                     const mp_cell *cell)
{
    int64_t shown = cell->count;
    if (!(column->flags & MP_BELOW) && shown > (int64_t)table->list_depth + 1)
        shown = (int64_t)table->list_depth + 1;
    if (!cell->count && cell->text)
        put(to, cell->text);
    for (int64_t i = 0; i < shown; i++) {
        put_raw(to, i ? "<br>" : "");
        put(to, cell->list[i]);
    }
    if (shown < mp_list_length(cell) && table->list_depth)
        PUT(to, "<br>and %" PRId64 " more", mp_list_length(cell) - shown);
}

static void put_cell(markdown *to, const mp_table *table, size_t row, size_t column)
{
    const mp_cell *cell = &table->cells[row * table->column_count + column];
    const mp_column *as = &table->columns[column];
    if (cell->known && as->unit == MP_LIST)
        put_list(to, table, as, cell);
    else
        put(to, mp_cell_for_people(&to->arena, as, cell, to->exact_bytes));
}

/* The columns that people see, by their places; release with free(). */
static size_t *shown_columns(const mp_table *table, size_t *count)
{
    size_t *columns = mp_alloc((table->column_count + 1) * sizeof *columns);
    *count = 0;
    for (size_t i = 0; i < table->column_count; i++)
        if (mp_column_is_shown(table, i) && mp_column_is_known(table, i))
            columns[(*count)++] = i;
    return columns;
}

static void put_record(markdown *to, const mp_table *table)
{
    size_t count, *columns = shown_columns(table, &count);
    put_raw(to, "| | |\n| --- | --- |\n");
    for (size_t i = 0; i < count; i++) {
        put_raw(to, "| ");
        put(to, table->columns[columns[i]].title);
        put_raw(to, " | ");
        put_cell(to, table, 0, columns[i]);
        put_raw(to, " |\n");
    }
    free(columns);
}

static void put_titles(markdown *to, const mp_table *table, const size_t *columns, size_t count)
{
    put_raw(to, "|");
    for (size_t i = 0; i < count; i++) {
        put_raw(to, " ");
        put(to, table->columns[columns[i]].title);
        put_raw(to, " |");
    }
    put_raw(to, "\n|");
    for (size_t i = 0; i < count; i++)
        put_raw(to, mp_unit_is_text(table->columns[columns[i]].unit) ? " --- |" : " ---: |");
    put_raw(to, "\n");
}

/* The piece at hand is what stands above the table: without a row of it, it says nothing. `spare`:
 * bytes that what stands below the rows has. Gives how many rows there was room for. */
static size_t put_rows(markdown *to, const mp_table *table, size_t spare)
{
    size_t count, row = 0, *columns = shown_columns(table, &count);
    put_titles(to, table, columns, count);
    do {
        put_raw(to, "|");
        for (size_t i = 0; i < count; i++) {
            put_raw(to, " ");
            put_cell(to, table, row, columns[i]);
            put_raw(to, " |");
        }
        put_raw(to, "\n");
    } while (flush(to, spare) && ++row < table->row_count);
    free(columns);
    return row;
}

/* Return the text below the rows; the caller releases it. */
static char *below_of(markdown *to, const mp_table *table)
{
    mp_text_buffer above = to->piece;
    to->piece = (mp_text_buffer){0};
    const char *footer = mp_line_for_people(&to->arena, &table->footer, to->style);
    if (*footer) {
        put_raw(to, "\n");
        put(to, footer);
        put_raw(to, "\n");
    }
    put_raw(to, to->folds && table->title ? "\n</details>\n" : "");
    char *below = to->piece.at;
    to->piece = above;
    return below;
}

static void put_above(markdown *to, const mp_table *table)
{
    if (table->title && to->folds) {
        put_raw(to, "<details><summary>"); /* a block of HTML, which knows no backslashes */
        put_escaped(to, table->title, "");
        put_raw(to, "</summary>\n\n");
    } else if (table->title) {
        put_heading(to, "####", table->title);
    }
    for (size_t i = 0; i < table->line_count; i++) {
        put(to, mp_line_for_people(&to->arena, &table->lines[i], to->style));
        put_raw(to, i + 1 < table->line_count ? "<br>\n" : "\n\n");
    }
}

static void put_table(markdown *to, const mp_table *whole)
{
    const mp_table shown = mp_table_for_people(whole, to->style), *table = &shown;
    char *below = below_of(to, table);
    size_t spare = strlen(below), rows = 0;
    bool written;
    put_raw(to, to->parts ? "\n" : "");
    to->parts = true;
    put_above(to, table);
    if (table->shape == MP_ROWS && table->row_count) {
        rows = put_rows(to, table, spare);
        written = rows > 0;
    } else {
        if (table->row_count)
            put_record(to, table);
        else if (table->empty)
            PUT(to, "%s\n", table->empty);
        written = flush(to, spare);
        rows = written ? table->row_count : 0;
    }
    to->rows_left_out += table->row_count - rows;
    put_raw(to, written ? below : "");
    flush(to, 0);
    free(below);
}

static void put_title(markdown *to, const char *title)
{
    put_raw(to, to->parts ? "\n" : "");
    to->parts = false; /* the heading ends with an empty line */
    put_heading(to, "###", title);
    flush(to, 0);
}

/* Write the report's summary, one item per line. */
static void put_answer(markdown *to, const mp_document *document)
{
    bool begun = false;
    for (size_t i = 0; i < document->said_count && !document->said[i].file; i++) {
        if (document->check_count && mp_text_is(document->said[i].label, MP_SAID_VERDICT))
            continue;
        put_raw(to, !begun && to->parts ? "\n- **" : "- **");
        begun = true;
        put(to, document->said[i].label);
        put_raw(to, "** ");
        put(to, document->said[i].text);
        put_raw(to, "\n");
        flush(to, 0);
        to->parts = true;
    }
}

/* Write the report's answer in words, and the tables for people but those of the checks. */
static void put_tables(markdown *to, const mp_document *document)
{
    put_answer(to, document);
    const size_t shown = mp_document_first_tables(document);
    for (size_t i = 0; i < shown; i++) {
        const mp_table *table = &document->tables[i];
        if (table->flags & (MP_FOR_PROGRAMS | MP_OF_CHECKS))
            continue;
        put_table(to, table);
    }
    const char *more = mp_more_tables(&to->arena, document, to->style);
    if (more) {
        put_raw(to, "\n");
        put(to, more);
        put_raw(to, "\n");
        flush(to, 0);
    }
}

/* --- the end --- */

enum {
    /* Bytes: a comment may have a little more than 65,000 characters, and whoever posts it adds
     * some. */
    COMMENT = 59000,
    NOTES = 200, /* bytes of COMMENT for notes about what was left out */
};

/* The command as a block of code, whose fence is longer than any in it. */
static void put_command(markdown *to, const char *command)
{
    size_t longest = 2;
    for (const char *at = command; *at;) {
        size_t ticks = strspn(at, "`");
        longest = ticks > longest ? ticks : longest;
        at += ticks + strcspn(at + ticks, "`");
    }
    char *fence = mp_arena_alloc(&to->arena, longest + 2);
    memset(fence, '`', longest + 1);
    fence[longest + 1] = '\0';
    put_raw(to, "\n"
                "To reproduce this report:\n"
                "\n");
    put_raw(to, fence);
    put_raw(to, "sh\n");
    put_raw(to, command);
    put_raw(to, "\n");
    put_raw(to, fence);
    put_raw(to, "\n");
}

/* `is_comment`: it has the limit of one. `with_command`: it ends with the command that gives the
 * same answer, for which room is kept. */
static markdown begin(FILE *file, const mp_document *document, const mp_style *style,
                      bool is_comment, bool with_command)
{
    markdown to = {.file = file,
                   .style = style,
                   .exact_bytes = document->exact_bytes,
                   .room = SIZE_MAX,
                   .command = with_command ? style->command : NULL};
    if (!is_comment)
        return to;
    to.room = COMMENT - NOTES;
    if (to.command)
        put_command(&to, to.command);
    to.command_left_out = to.piece.length > COMMENT / 4;
    to.room -= to.command_left_out ? 0 : to.piece.length;
    drop(&to);
    return to;
}

/* How much was left out, and the command. */
static void finish(markdown *to)
{
    to->room = SIZE_MAX; /* it was kept free */
    if (to->rows_left_out)
        PUT(to,
            "\n"
            "%zu more row%s than fit in a comment\n",
            to->rows_left_out, to->rows_left_out == 1 ? "" : "s");
    if (to->command_left_out)
        put_raw(to, "\n"
                    "The command that reproduces this report is too long for a comment.\n");
    else if (to->command)
        put_command(to, to->command);
    flush(to, 0);
    free(to->piece.at);
    mp_arena_free(&to->arena);
}

static bool render_markdown(const mp_document *document, const mp_diagnostics *diagnostics,
                            const mp_style *style, FILE *file, mp_error *error)
{
    (void)error;
    mp_arena arena = {0};
    mp_checks checks = mp_checks_of(document, diagnostics, style->dashes, &arena);
    bool judged = document->policy != NULL;
    markdown to = begin(file, document, style, judged, judged);
    if (checks.count)
        put_checks(&to, document, &checks, false);
    if (document->title)
        put_title(&to, document->title);
    put_tables(&to, document);
    finish(&to);
    mp_arena_free(&arena);
    return true;
}

const mp_renderer mp_renderer_markdown = {.name = "markdown",
                                          .ending = ".md",
                                          .summary = "tables for a pull request or a job's summary",
                                          .render = render_markdown};

/* A comment for a pull request: the verdict, the rules that do not hold, and, folded, the tables
 * behind them, with the command that shows the same. */
static bool render_pr(const mp_document *document, const mp_diagnostics *diagnostics,
                      const mp_style *style, FILE *file, mp_error *error)
{
    (void)error;
    mp_arena arena = {0};
    mp_checks checks = mp_checks_of(document, diagnostics, style->dashes, &arena);
    markdown to = begin(file, document, style, true, true);
    to.folds = true;
    if (checks.count)
        put_checks(&to, document, &checks, true);
    else if (document->title)
        put_title(&to, document->title);
    put_tables(&to, document);
    finish(&to);
    mp_arena_free(&arena);
    return true;
}

const mp_renderer mp_renderer_pr = {
    .name = "pr",
    .summary = "comment for a pull request: the verdict, with folded details",
    .render = render_pr};
