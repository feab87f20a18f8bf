/* Markdown for GitHub and GitLab: the tables for people, for a job summary or a comment.
 *
 * An answer is written in pieces, such as a heading or a row, each complete or not at all. If the
 * length is limited, rows that do not fit are left out and counted. The limit is in bytes, so it
 * holds for characters too.
 *
 * Source: the GitHub Flavored Markdown Spec: tables, backslash escapes, fenced code blocks, HTML
 * blocks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "document/checks.h"
#include "render/cell.h"
#include "render/renderer.h"

typedef struct markdown {
    FILE *file;
    const mp_style *style;
    bool exact_bytes;
    bool folds;           /* readers can fold each table under its title */
    bool parts;           /* the next part needs an empty line before it */
    size_t room;          /* bytes left; SIZE_MAX = unlimited */
    size_t rows_left_out; /* number of rows left out for lack of room */
    const char *command;  /* command line that ends the answer; NULL = none */
    bool command_left_out;
    mp_text_buffer piece; /* current piece */
    mp_arena arena;       /* texts of the current piece */
} markdown;

/* --- pieces --- */

static void put_raw(markdown *out, const char *text)
{
    mp_text_put(&out->piece, text, strlen(text));
}

#define PUT(out, ...) put_raw(out, mp_arena_format(&(out)->arena, __VA_ARGS__))

static bool is_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Return true if GitHub or GitLab would turn the text after the character at `p` into a link or a
 * picture: a mention, a reference to an issue, a merge request or a milestone, an address (http://,
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

/* Add text with these characters of mark-up escaped, and with HTML and automatic links disabled. */
static void put_escaped(markdown *out, const char *text, const char *marks)
{
    const char *begin = mp_safe_text(&out->arena, text);
    for (const char *p = begin; *p; p++) {
        char escaped[] = {'\\', *p, '\0'};
        if (*p == '&')
            put_raw(out, "&amp;");
        else if (*p == '<')
            put_raw(out, "&lt;");
        else if (*p == '>')
            put_raw(out, "&gt;");
        else
            put_raw(out, escaped + !strchr(marks, *p));
        if (is_made_of(begin, p))
            put_raw(out, "<!-- -->");
    }
}

static void put(markdown *out, const char *text)
{
    put_escaped(out, text, "\\`*_[]~|$");
}

static void drop(markdown *out)
{
    out->piece.length = 0;
    mp_arena_free(&out->arena);
}

/* Write the current piece, unless it and `spare` more bytes do not fit. Return true if it was
 * written. */
static bool flush(markdown *out, size_t spare)
{
    size_t length = out->piece.length;
    bool fits = length <= out->room && spare <= out->room - length;
    if (fits && length) {
        fwrite(out->piece.text, 1, length, out->file);
        out->room -= out->room == SIZE_MAX ? 0 : length;
    }
    drop(out);
    return fits;
}

static void put_heading(markdown *out, const char *marks, const char *text)
{
    PUT(out, "%s ", marks);
    put(out, text);
    put_raw(out, "\n\n");
}

/* --- verdicts --- */

/* Write the result of the checks, and their table; `failed`: only those that fail or warn. */
static void put_checks(markdown *out, const mp_document *document, const mp_checks *checks,
                       bool failed)
{
    static const char *const shown[] = {"pass", "**fail**", "**error**"};
    const char *verdict = checks->counts[MP_VERDICT_FAIL]    ? "failed"
                          : checks->counts[MP_VERDICT_ERROR] ? "could not be judged"
                                                             : "passed";
    bool head = false, room = true;
    /* room for the tables after this one */
    size_t spare = out->room == SIZE_MAX ? 0 : out->room / 2;
    PUT(out, "### memprof %s: %s\n\n%s", document->command, verdict,
        mp_checks_summary(checks, &out->arena));
    if (*checks->policy) {
        put_raw(out, ", by ");
        put(out, checks->policy);
    }
    put_raw(out, "\n");
    flush(out, 0);
    out->parts = true;
    for (size_t i = 0; i < checks->count; i++) {
        const mp_check *check = &checks->items[i];
        const char *why = *check->message ? check->message : check->warning;
        const char *const texts[] = {check->name, check->measured, check->limit, why};
        bool warns = check->verdict == MP_VERDICT_PASS && *check->warning;
        if (failed && check->verdict == MP_VERDICT_PASS && !warns)
            continue;
        if (!head)
            PUT(out,
                "\n| Status | %s | Measured | Limit | Why |\n| --- | --- | ---: | ---: | --- |\n",
                *checks->policy ? "Rule" : "Option");
        PUT(out, "| %s |", warns ? "pass, **warning**" : shown[check->verdict]);
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
            put_raw(out, " ");
            put(out, texts[j]);
            put_raw(out, " |");
        }
        put_raw(out, "\n");
        room = room && flush(out, spare);
        drop(out);
        head |= room;
        out->rows_left_out += !room;
    }
}

/* --- tables --- */

/* Add a stack, as deep as people see it, or all notes, one per line. */
static void put_list(markdown *out, const mp_table *table, const mp_column *column,
                     const mp_cell *cell)
{
    int64_t shown = cell->count;
    if (!(column->flags & MP_BELOW) && shown > (int64_t)table->list_depth + 1)
        shown = (int64_t)table->list_depth + 1;
    if (!cell->count && cell->text)
        put(out, cell->text);
    for (int64_t i = 0; i < shown; i++) {
        put_raw(out, i ? "<br>" : "");
        put(out, cell->list[i]);
    }
    if (shown < mp_list_length(cell) && table->list_depth)
        PUT(out, "<br>and %" PRId64 " more", mp_list_length(cell) - shown);
}

static void put_cell(markdown *out, const mp_table *table, size_t row, size_t column)
{
    const mp_cell found = mp_table_cell(table, row, column), *cell = &found;
    const mp_column *as = &table->columns[column];
    if (cell->known && as->unit == MP_LIST)
        put_list(out, table, as, cell);
    else
        put(out, mp_cell_for_people(&out->arena, as, cell, out->exact_bytes));
}

/* Return the indexes of the columns for people. Release with free(). */
static size_t *shown_columns(const mp_table *table, size_t *count)
{
    size_t *columns = mp_alloc((table->column_count + 1) * sizeof *columns);
    *count = 0;
    for (size_t i = 0; i < table->column_count; i++)
        if (mp_column_is_shown(table, i) && mp_column_is_known(table, i))
            columns[(*count)++] = i;
    return columns;
}

static void put_record(markdown *out, const mp_table *table)
{
    size_t count, *columns = shown_columns(table, &count);
    put_raw(out, "| | |\n| --- | --- |\n");
    for (size_t i = 0; i < count; i++) {
        put_raw(out, "| ");
        put(out, table->columns[columns[i]].title);
        put_raw(out, " | ");
        put_cell(out, table, 0, columns[i]);
        put_raw(out, " |\n");
    }
    free(columns);
}

static void put_titles(markdown *out, const mp_table *table, const size_t *columns, size_t count)
{
    put_raw(out, "|");
    for (size_t i = 0; i < count; i++) {
        put_raw(out, " ");
        put(out, table->columns[columns[i]].title);
        put_raw(out, " |");
    }
    put_raw(out, "\n|");
    for (size_t i = 0; i < count; i++)
        put_raw(out, mp_unit_is_text(table->columns[columns[i]].unit) ? " --- |" : " ---: |");
    put_raw(out, "\n");
}

/* Write the rows. The current piece is the text above the table, and is dropped if no row fits.
 * `spare`: bytes that the text below the rows needs. Return the number of rows written. */
static size_t put_rows(markdown *out, const mp_table *table, size_t spare)
{
    size_t count, row = 0, *columns = shown_columns(table, &count);
    put_titles(out, table, columns, count);
    do {
        put_raw(out, "|");
        for (size_t i = 0; i < count; i++) {
            put_raw(out, " ");
            put_cell(out, table, row, columns[i]);
            put_raw(out, " |");
        }
        put_raw(out, "\n");
    } while (flush(out, spare) && ++row < table->row_count);
    free(columns);
    return row;
}

/* Return the text below the rows; the caller releases it. */
static char *below_of(markdown *out, const mp_table *table)
{
    mp_text_buffer above = out->piece;
    out->piece = (mp_text_buffer){0};
    const char *footer = mp_line_for_people(&out->arena, &table->footer, out->style);
    if (*footer) {
        put_raw(out, "\n");
        put(out, footer);
        put_raw(out, "\n");
    }
    put_raw(out, out->folds && table->title ? "\n</details>\n" : "");
    char *below = out->piece.text;
    out->piece = above;
    return below;
}

static void put_above(markdown *out, const mp_table *table)
{
    if (table->title && out->folds) {
        put_raw(out, "<details><summary>"); /* HTML blocks have no backslash escapes */
        put_escaped(out, table->title, "");
        put_raw(out, "</summary>\n\n");
    } else if (table->title) {
        put_heading(out, "####", table->title);
    }
    for (size_t i = 0; i < table->line_count; i++) {
        put(out, mp_line_for_people(&out->arena, &table->lines[i], out->style));
        put_raw(out, i + 1 < table->line_count ? "<br>\n" : "\n\n");
    }
}

static void put_table(markdown *out, const mp_table *whole)
{
    const mp_table shown = mp_table_for_people(whole, out->style), *table = &shown;
    char *below = below_of(out, table);
    size_t spare = strlen(below), rows = 0;
    bool written;
    put_raw(out, out->parts ? "\n" : "");
    out->parts = true;
    put_above(out, table);
    if (table->shape == MP_ROWS && table->row_count) {
        rows = put_rows(out, table, spare);
        written = rows > 0;
    } else {
        if (table->row_count)
            put_record(out, table);
        else if (table->empty)
            PUT(out, "%s\n", table->empty);
        written = flush(out, spare);
        rows = written ? table->row_count : 0;
    }
    out->rows_left_out += table->row_count - rows;
    put_raw(out, written ? below : "");
    flush(out, 0);
    free(below);
}

static void put_title(markdown *out, const char *title)
{
    put_raw(out, out->parts ? "\n" : "");
    out->parts = false; /* the heading ends with an empty line */
    put_heading(out, "###", title);
    flush(out, 0);
}

/* Write the report's summary, one item per line. */
static void put_answer(markdown *out, const mp_document *document)
{
    bool begun = false;
    for (size_t i = 0; i < document->said_count && !document->said[i].file; i++) {
        if (document->check_count && mp_text_is(document->said[i].label, MP_SAID_VERDICT))
            continue;
        put_raw(out, !begun && out->parts ? "\n- **" : "- **");
        begun = true;
        put(out, document->said[i].label);
        put_raw(out, "** ");
        put(out, document->said[i].text);
        put_raw(out, "\n");
        flush(out, 0);
        out->parts = true;
    }
}

/* Write the report's summary, and the tables for people except those of checks. */
static void put_tables(markdown *out, const mp_document *document)
{
    put_answer(out, document);
    const size_t shown = mp_document_first_tables(document);
    for (size_t i = 0; i < shown; i++) {
        const mp_table *table = &document->tables[i];
        if (table->flags & (MP_FOR_PROGRAMS | MP_OF_CHECKS))
            continue;
        put_table(out, table);
    }
    const char *more = mp_more_tables(&out->arena, document, out->style);
    if (more) {
        put_raw(out, "\n");
        put(out, more);
        put_raw(out, "\n");
        flush(out, 0);
    }
}

/* --- the end --- */

enum {
    /* Maximum bytes of a comment. Platforms allow a little more than 65,000 characters, and the
     * tool that posts the comment may add some. */
    COMMENT = 59000,
    NOTES = 200, /* bytes of COMMENT for notes about what was left out */
};

/* Write the command as a code block. The fence is longer than any sequence of backquotes in the
 * command. */
static void put_command(markdown *out, const char *command)
{
    size_t longest = 2;
    for (const char *cursor = command; *cursor;) {
        size_t ticks = strspn(cursor, "`");
        longest = ticks > longest ? ticks : longest;
        cursor += ticks + strcspn(cursor + ticks, "`");
    }
    char *fence = mp_arena_alloc(&out->arena, longest + 2);
    memset(fence, '`', longest + 1);
    fence[longest + 1] = '\0';
    put_raw(out, "\n"
                 "To reproduce this report:\n"
                 "\n");
    put_raw(out, fence);
    put_raw(out, "sh\n");
    put_raw(out, command);
    put_raw(out, "\n");
    put_raw(out, fence);
    put_raw(out, "\n");
}

/* Begin the output. `is_comment`: limit its length to that of a comment. `with_command`: reserve
 * room for the command that reproduces the answer. */
static markdown begin(FILE *file, const mp_document *document, const mp_style *style,
                      bool is_comment, bool with_command)
{
    markdown out = {.file = file,
                    .style = style,
                    .exact_bytes = document->exact_bytes,
                    .room = SIZE_MAX,
                    .command = with_command ? style->command : NULL};
    if (!is_comment)
        return out;
    out.room = COMMENT - NOTES;
    if (out.command)
        put_command(&out, out.command);
    out.command_left_out = out.piece.length > COMMENT / 4;
    out.room -= out.command_left_out ? 0 : out.piece.length;
    drop(&out);
    return out;
}

/* Write how many rows were left out, and the command. */
static void finish(markdown *out)
{
    out->room = SIZE_MAX; /* room for these lines was reserved */
    if (out->rows_left_out)
        PUT(out,
            "\n"
            "%zu more row%s than fit in a comment\n",
            out->rows_left_out, out->rows_left_out == 1 ? "" : "s");
    if (out->command_left_out)
        put_raw(out, "\n"
                     "The command that reproduces this report is too long for a comment.\n");
    else if (out->command)
        put_command(out, out->command);
    flush(out, 0);
    free(out->piece.text);
    mp_arena_free(&out->arena);
}

static bool render_markdown(const mp_document *document, const mp_diagnostics *diagnostics,
                            const mp_style *style, FILE *file, mp_error *error)
{
    (void)error;
    mp_arena arena = {0};
    mp_checks checks = mp_checks_of(document, diagnostics, style->dashes, &arena);
    bool judged = document->policy != NULL;
    markdown out = begin(file, document, style, judged, judged);
    if (checks.count)
        put_checks(&out, document, &checks, false);
    if (document->title)
        put_title(&out, document->title);
    put_tables(&out, document);
    finish(&out);
    mp_arena_free(&arena);
    return true;
}

const mp_renderer mp_renderer_markdown = {.name = "markdown",
                                          .ending = ".md",
                                          .summary = "tables for a pull request or a job's summary",
                                          .render = render_markdown};

/* Print a comment for a pull request: the verdict, the failed rules, the tables (folded), and the
 * command that reproduces the answer. */
static bool render_pr(const mp_document *document, const mp_diagnostics *diagnostics,
                      const mp_style *style, FILE *file, mp_error *error)
{
    (void)error;
    mp_arena arena = {0};
    mp_checks checks = mp_checks_of(document, diagnostics, style->dashes, &arena);
    markdown out = begin(file, document, style, true, true);
    out.folds = true;
    if (checks.count)
        put_checks(&out, document, &checks, true);
    else if (document->title)
        put_title(&out, document->title);
    put_tables(&out, document);
    finish(&out);
    mp_arena_free(&arena);
    return true;
}

const mp_renderer mp_renderer_pr = {
    .name = "pr",
    .summary = "comment for a pull request: the verdict, with folded details",
    .render = render_pr};
