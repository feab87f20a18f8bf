/* ProTop's execution-profiler report, column for column, so that scripts which read .rpt files keep
 * working.
 *
 * Source: the description of ProTop's report: columns of 30, 5, 13, 13 and 10, then either 40 for
 * the internal procedure or method (older), or 20 for it and 50 for the source text (newer).
 * Numbers are right-aligned, text is cut to its column, a number that does not fit prints as "?".
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "render/cell.h"

enum { ROWS = 20 };

static void put_cut(FILE *file, const char *text, int width, bool last)
{
    mp_arena arena = {0};
    const char *safe = mp_safe_text(&arena, text);
    const char *end = safe;
    int used = 0;
    while (*end && used < width) {
        end++;
        while (((unsigned char)*end & 0xc0) == 0x80) /* the rest of a UTF-8 character */
            end++;
        used++;
    }
    fprintf(file, "%.*s%*s", (int)(end - safe), safe, last ? 0 : width - used, "");
    mp_arena_free(&arena);
}

static void put_right(FILE *file, const char *text, int width)
{
    fprintf(file, "%*s ", width, (int)strlen(text) <= width ? text : "?");
}

static void put_seconds(FILE *file, const mp_cell *cell)
{
    char text[MP_UNIT_TEXT] = "?";
    if (cell->known)
        mp_format_seconds(text, cell->number, false);
    put_right(file, text, 13);
}

static void put_average(FILE *file, const mp_cell *cell)
{
    char text[MP_UNIT_TEXT] = "?";
    if (cell->known)
        snprintf(text, sizeof text, "%.6f", cell->real);
    put_right(file, text, 13);
}

static void put_number(FILE *file, const mp_cell *cell, int width)
{
    char text[MP_UNIT_TEXT] = "?";
    if (cell->known)
        snprintf(text, sizeof text, "%" PRId64, cell->number);
    put_right(file, text, width);
}

static const mp_cell *cell_of(const mp_table *table, size_t row, const char *name)
{
    return &table->cells[row * table->column_count + mp_table_column(table, name)];
}

static const char *text_of(const mp_cell *cell)
{
    return cell->known ? cell->text : "";
}

/* Both frames are centred on the paper. */
static int indent_of(int width, bool older)
{
    return ((older ? 120 : 160) - width) / 2;
}

static void put_row(FILE *file, const mp_table *table, size_t row, bool older)
{
    fprintf(file, "%*s", indent_of(older ? 116 : 147, older), "");
    put_cut(file, text_of(cell_of(table, row, "program")), 30, false);
    fputc(' ', file);
    put_number(file, cell_of(table, row, "line"), 5);
    put_seconds(file, cell_of(table, row, "seconds"));
    put_average(file, cell_of(table, row, "average_seconds"));
    put_number(file, cell_of(table, row, "calls"), 10);
    const char *method = text_of(cell_of(table, row, "method"));
    const char *code = older ? "" : text_of(cell_of(table, row, "code"));
    put_cut(file, method, older ? 40 : 20, !*code);
    if (*code) {
        fputc(' ', file);
        put_cut(file, code, 50, true);
    }
    fputc('\n', file);
}

static void put_dashes(FILE *file, int count, char end)
{
    while (count--)
        fputc('-', file);
    fputc(end, file);
}

static void put_titles(FILE *file, bool older)
{
    int indent = indent_of(older ? 116 : 147, older);
    fprintf(file, "%*s%-30s %5s %13s %13s %10s ", indent, "", "Program/Class", "Line", "Time",
            "Avg Time", "Calls");
    if (older)
        fprintf(file, "%s\n", "Internal Procedure/Method");
    else
        fprintf(file, "%-20s %s\n", "IP/Method", "Code");
    fprintf(file, "%*s", indent, "");
    put_dashes(file, 30, ' ');
    put_dashes(file, 5, ' ');
    put_dashes(file, 13, ' ');
    put_dashes(file, 13, ' ');
    put_dashes(file, 10, ' ');
    put_dashes(file, older ? 40 : 20, older ? '\n' : ' ');
    if (!older)
        put_dashes(file, 50, '\n');
}

static void put_clock(FILE *file, int64_t us)
{
    int64_t seconds = (us + 500000) / 1000000;
    fprintf(file, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, seconds / 3600, seconds / 60 % 60,
            seconds % 60);
}

static void put_centred(FILE *file, const char *text, bool older)
{
    fprintf(file, "%*s%s\n", indent_of((int)strlen(text), older), "", text);
}

static void put_header(FILE *file, const mp_document *document, bool older)
{
    enum { HEADER_FRAME = 84 };
    const mp_table *session = mp_document_find(document, "session");
    const mp_table *totals = mp_document_find(document, "totals");
    const mp_cell *elapsed = cell_of(totals, 0, "elapsed_us");
    const mp_cell *own = cell_of(totals, 0, "instrumentation_seconds");
    int indent = indent_of(HEADER_FRAME, older);
    mp_arena arena = {0};
    put_centred(file, "Profiler: Top 20 Results", older);
    fprintf(file, "%*sDescription: %s", indent, "",
            mp_safe_text(&arena, session && session->row_count
                                     ? text_of(cell_of(session, 0, "description"))
                                     : ""));
    if (elapsed->known) {
        fputs(" [", file);
        put_clock(file, elapsed->number);
        fputc(']', file);
    }
    fprintf(file, "\n%*sSession Total Execution Time   ", indent, "");
    put_clock(file, cell_of(totals, 0, "seconds")->number - (own->known ? own->number : 0));
    fprintf(file, "\n%*sLine 0 = initialization, line -1 = cleanup\n\n", indent, "");
    put_centred(file, "Top 20 Lines: Total Execution Time", older);
    mp_arena_free(&arena);
}

static bool render(const mp_document *document, const mp_style *style, FILE *file, mp_error *error,
                   bool older)
{
    const mp_table *top = mp_document_find(document, "top");
    if (mp_document_find(document, "files")) {
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "ProTop's layout shows one profile, and these are read apart: name one, or "
                       "%sgroup all to read them as one",
                       style->dashes);
    }
    bool fits =
        strcmp(document->command, "top") == 0 && top && mp_document_find(document, "totals");
    for (size_t i = 0; fits && i < top->column_count; i++)
        if (strcmp(top->columns[i].name, "code") == 0) {
            put_header(file, document, older);
            put_titles(file, older);
            for (size_t row = 0; row < top->row_count && row < ROWS; row++)
                put_row(file, top, row, older);
            return true;
        }
    return mp_fail(
        error, MP_ERROR_NO_ANSWER,
        "ProTop's layout shows the hottest lines of an execution profile, expected the command "
        "top on one, by line");
}

static bool render_newer(const mp_document *document, const mp_diagnostics *diagnostics,
                         const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    return render(document, style, file, error, false);
}

static bool render_older(const mp_document *document, const mp_diagnostics *diagnostics,
                         const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    return render(document, style, file, error, true);
}

const mp_renderer mp_renderer_rpt = {.name = "rpt",
                                     .summary = "ProTop's report with source text",
                                     .command = "top",
                                     .render = render_newer};
const mp_renderer mp_renderer_rpt_old = {.name = "rpt-old",
                                         .summary = "ProTop's older report, without source text",
                                         .command = "top",
                                         .render = render_older};
