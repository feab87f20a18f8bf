/* ProTop's execution-profiler report, column for column, so that scripts which read .rpt files keep
 * working.
 *
 * Source: the description of ProTop's report: columns of 30, 5, 13, 13 and 10, then either 40 for
 * the internal procedure or method (older), or 20 for it and 50 for the source text (newer).
 * Numbers are right-aligned, text is cut to its column, a number that does not fit prints as "?".
 */
#include <inttypes.h>
#include <string.h>

#include "render/cell.h"
#include "support/units.h"

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

static void put_row(FILE *file, const mp_table *table, size_t row, bool older)
{
    put_cut(file, text_of(cell_of(table, row, "program")), 30, false);
    fputc(' ', file);
    put_number(file, cell_of(table, row, "line"), 5);
    put_seconds(file, cell_of(table, row, "seconds"));
    put_average(file, cell_of(table, row, "average_seconds"));
    put_number(file, cell_of(table, row, "calls"), 10);
    const char *method = text_of(cell_of(table, row, "method"));
    if (older) {
        put_cut(file, method, 40, true);
    } else {
        put_cut(file, method, 20, false);
        fputc(' ', file);
        put_cut(file, text_of(cell_of(table, row, "code")), 50, true);
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
    fprintf(file, "%-30s %5s %13s %13s %10s ", "Program/Class", "Line", "Time", "Avg Time",
            "Calls");
    if (older)
        fprintf(file, "%s\n", "Internal Procedure/Method");
    else
        fprintf(file, "%-20s %s\n", "IP/Method", "Code");
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

/* A line in the middle of a frame as wide as the body. */
static void put_centred(FILE *file, const char *text, bool older)
{
    int width = older ? 116 : 147, length = (int)mp_text_width(text);
    fprintf(file, "%*s%s\n", length < width ? (width - length) / 2 : 0, "", text);
}

static void put_header(FILE *file, const mp_document *document, bool older)
{
    const mp_table *session = mp_document_find(document, "session");
    const mp_table *totals = mp_document_find(document, "totals");
    const mp_cell *elapsed = cell_of(totals, 0, "elapsed_us");
    mp_arena arena = {0};
    put_centred(file, "Profiler: Top 20 Results", older);
    fprintf(file, "\nDescription: %s",
            mp_safe_text(&arena, session && session->row_count
                                     ? text_of(cell_of(session, 0, "description"))
                                     : ""));
    if (elapsed->known) {
        fputs(" [", file);
        put_clock(file, elapsed->number);
        fputc(']', file);
    }
    fputs("\nSession Total Execution Time ", file);
    put_clock(file, cell_of(totals, 0, "seconds")->number);
    fputs("\nLine 0 = initialization, line -1 = cleanup\n\n", file);
    put_centred(file, "Top 20 Lines: Total Execution Time", older);
    fputc('\n', file);
    mp_arena_free(&arena);
}

static bool render(const mp_document *document, FILE *file, const char **error, bool older)
{
    const mp_table *top = mp_document_find(document, "top");
    bool fits = top && mp_document_find(document, "totals");
    for (size_t i = 0; fits && i < top->column_count; i++)
        if (strcmp(top->columns[i].name, "code") == 0) {
            put_header(file, document, older);
            put_titles(file, older);
            for (size_t row = 0; row < top->row_count && row < ROWS; row++)
                put_row(file, top, row, older);
            return true;
        }
    *error =
        "ProTop's layout shows the hottest lines of an execution profile, expected the command "
        "top on one, by line";
    return false;
}

static bool render_newer(const mp_document *document, const mp_diagnostics *diagnostics,
                         const mp_style *style, FILE *file, const char **error)
{
    (void)diagnostics;
    (void)style;
    return render(document, file, error, false);
}

static bool render_older(const mp_document *document, const mp_diagnostics *diagnostics,
                         const mp_style *style, FILE *file, const char **error)
{
    (void)diagnostics;
    (void)style;
    return render(document, file, error, true);
}

const mp_renderer mp_renderer_rpt = {
    .name = "rpt", .summary = "ProTop's report with source text", .render = render_newer};
const mp_renderer mp_renderer_rpt_old = {.name = "rpt-old",
                                         .summary = "ProTop's older report, without source text",
                                         .render = render_older};
