/* CSV for spreadsheets and scripts: the document's main table, as RFC 4180 with LF line ends. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "render/cell.h"
#include "render/csv.h"

void mp_csv_put_field(FILE *file, const char *text, bool first)
{
    if (!first)
        fputc(',', file);
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        fwrite(text, 1, (size_t)(quote + 1 - text), file);
        fputc('"', file);
    }
    fputs(text, file);
    fputc('"', file);
}

static const char *name_of(mp_arena *arena, const mp_column *column, const char *what)
{
    return mp_arena_format(arena, "%s_%s", column->name, what);
}

/* Print two columns for each stack: "true" if the stack was cut, and its length. They come after
 * all other columns, so that the positions of the others do not change. */
static void put_cuts(mp_arena *arena, const mp_table *table, const mp_cell *cells, FILE *file)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        if (column->flags & MP_FOR_PEOPLE || !mp_column_is_stack(column))
            continue;
        const bool cut = cells && cells[i].known && cells[i].whole;
        mp_csv_put_field(file, cells ? cut ? "true" : "" : name_of(arena, column, "truncated"),
                         false);
        mp_csv_put_field(file,
                         !cells ? name_of(arena, column, "frames")
                         : cut  ? mp_arena_format(arena, "%" PRIu32, (uint32_t)cells[i].whole)
                                : "",
                         false);
    }
}

static void put_row(const mp_document *document, size_t row, const mp_style *style, FILE *file)
{
    const mp_table *table = mp_document_main_table(document);
    mp_arena arena = {0};
    const mp_cell *cells = row == MP_ROW_NAMES ? NULL : mp_table_cells(&arena, table, row);
    bool first = true;
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        if (column->flags & MP_FOR_PEOPLE)
            continue;
        const char *text = cells ? mp_cell_for_programs(&arena, column, &cells[i]) : column->name;
        mp_csv_put_field(file, style->terminal ? mp_safe_text(&arena, text) : text, first);
        first = false;
    }
    put_cuts(&arena, table, cells, file);
    fputc('\n', file);
    mp_arena_free(&arena);
}

static bool render_csv(const mp_document *document, const mp_diagnostics *diagnostics,
                       const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    const mp_table *table = mp_document_main_table(document);
    if (!table)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "this report has no CSV table, expected %sformat text or json",
                       style->dashes);
    put_row(document, MP_ROW_NAMES, style, file);
    for (size_t row = 0; row < table->row_count; row++)
        put_row(document, row, style, file);
    return true;
}

const mp_renderer mp_renderer_csv = {.name = "csv",
                                     .ending = ".csv",
                                     .summary = "main table of the report, exact",
                                     .for_programs = true,
                                     .render = render_csv,
                                     .put_row = put_row};
