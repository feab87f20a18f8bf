/* Text for people: a row a line, in columns that fit the line, the same bytes each run. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "render/cell.h"

enum { NARROWEST = 16, GAP = 2 };

typedef struct text_out {
    FILE *file;
    const mp_style *style;
    bool exact_bytes;
    mp_arena arena; /* the cells of one table */
} text_out;

static void put_bold(text_out *out, const char *text)
{
    if (out->style->colour)
        fprintf(out->file, "\033[1m%s\033[0m\n", text);
    else
        fprintf(out->file, "%s\n", text);
}

/* --- records: a label and a value a line --- */

static void put_record(text_out *out, const mp_table *table)
{
    size_t widest = 0;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->cells[i].known && !(table->columns[i].flags & MP_FOR_PROGRAMS) &&
            strlen(table->columns[i].title) > widest)
            widest = strlen(table->columns[i].title);
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        if (!table->cells[i].known || (column->flags & MP_FOR_PROGRAMS))
            continue;
        const char *value =
            mp_cell_for_people(&out->arena, column, &table->cells[i], out->exact_bytes);
        size_t room =
            out->style->width > widest + 4 + NARROWEST ? out->style->width - widest - 4 : NARROWEST;
        if (column->flags & MP_SHORTEN)
            value = mp_shorten_middle(&out->arena, value, room);
        fprintf(out->file, "  %-*s  %s\n", (int)widest, column->title, value);
    }
}

/* --- rows --- */

/* A column that people see. */
typedef struct text_column {
    const mp_column *as;
    size_t width;       /* of the widest text, the title among them */
    const char **texts; /* by row */
} text_column;

typedef struct text_layout {
    text_column *columns;
    size_t count;
    bool lists_below; /* a list has no room in its row: it begins on a line of its own */
} text_layout;

static bool is_hidden(const text_layout *layout, const text_column *column)
{
    return layout->lists_below && column->as->unit == MP_LIST;
}

static text_layout lay_out(text_out *out, const mp_table *table)
{
    text_layout layout = {
        mp_arena_alloc(&out->arena, (table->column_count + 1) * sizeof *layout.columns), 0, false};
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *as = &table->columns[i];
        if (as->flags & MP_BELOW || !mp_column_is_shown(table, i))
            continue;
        text_column *column = &layout.columns[layout.count++];
        *column = (text_column){as, mp_text_width(as->title),
                                mp_arena_alloc(&out->arena, table->row_count * sizeof(char *))};
        for (size_t row = 0; row < table->row_count; row++) {
            const mp_cell *cell = &table->cells[row * table->column_count + i];
            column->texts[row] = mp_cell_for_people(&out->arena, as, cell, out->exact_bytes);
            size_t width = mp_text_width(column->texts[row]);
            column->width = width > column->width ? width : column->width;
        }
    }
    return layout;
}

/* By how much the line is too long. */
static size_t excess(const text_out *out, const text_layout *layout)
{
    size_t line = 0;
    for (size_t i = 0; i < layout->count; i++)
        line += is_hidden(layout, &layout->columns[i]) ? 0 : GAP + layout->columns[i].width;
    return line > out->style->width ? line - out->style->width : 0;
}

/* Take from the columns with this flag, the widest first, until the line fits. */
static void narrow(text_layout *layout, unsigned flag, size_t *too_much)
{
    for (; *too_much; --*too_much) {
        text_column *widest = NULL;
        for (size_t i = 0; i < layout->count; i++) {
            text_column *column = &layout->columns[i];
            if (column->as->flags & flag && column->width > NARROWEST &&
                (!widest || column->width > widest->width))
                widest = column;
        }
        if (!widest)
            return;
        widest->width--;
    }
}

/* Narrow the columns until the lines fit. A call stack that is cut names no site, so lists move to
 * lines of their own first. */
static void fit(text_out *out, text_layout *layout, const mp_table *table)
{
    size_t too_much = excess(out, layout), size = layout->count * sizeof *layout->columns;
    text_column *natural = mp_arena_alloc(&out->arena, size + 1);
    bool has_list = false;
    memcpy(natural, layout->columns, size);
    for (size_t i = 0; i < layout->count; i++)
        has_list |= layout->columns[i].as->unit == MP_LIST;
    narrow(layout, MP_SHRINKS, &too_much);
    if (too_much && has_list) {
        memcpy(layout->columns, natural, size);
        layout->lists_below = true;
        too_much = excess(out, layout);
        narrow(layout, MP_SHRINKS, &too_much);
    }
    narrow(layout, MP_SHORTEN, &too_much);
    for (size_t i = 0; i < layout->count; i++) {
        text_column *column = &layout->columns[i];
        size_t room = column->width;
        column->width = mp_text_width(column->as->title);
        for (size_t row = 0; row < table->row_count; row++) {
            const char **text = &column->texts[row];
            *text = mp_shorten_middle(&out->arena, *text, room);
            size_t width = mp_text_width(*text);
            column->width = width > column->width ? width : column->width;
        }
    }
}

/* A row, counted from 1, or the titles (0), without blanks at its end. */
static void put_line(text_out *out, const text_layout *layout, size_t row)
{
    bool under = row == 0 && out->style->colour;
    size_t blanks = 0; /* that are still to be written if anything follows */
    fprintf(out->file, "%s%*s", under ? "\033[4m" : "", GAP, "");
    for (size_t i = 0; i < layout->count; i++) {
        const text_column *column = &layout->columns[i];
        if (is_hidden(layout, column))
            continue;
        const char *text = row ? column->texts[row - 1] : column->as->title;
        size_t padding = column->width - mp_text_width(text), length = strlen(text), kept = length;
        bool left = mp_unit_is_text(column->as->unit);
        while (kept && text[kept - 1] == ' ')
            kept--;
        if (kept)
            fprintf(out->file, "%*s%.*s", (int)(blanks + (left ? 0 : padding)), "", (int)kept,
                    text);
        blanks =
            (kept ? 0 : blanks + (left ? 0 : padding)) + length - kept + (left ? padding : 0) + GAP;
    }
    fprintf(out->file, "%s\n", under ? "\033[0m" : "");
}

/* A stack behind its first frame, a line for each caller. */
static void put_callers(text_out *out, const mp_table *table, const mp_cell *cell, bool with_first)
{
    const char *first = cell->number ? cell->list[0] : cell->text;
    if (with_first && first)
        fprintf(out->file, "      at %s\n", mp_safe_text(&out->arena, first));
    int64_t shown = cell->number;
    if (shown > (int64_t)table->list_depth + 1)
        shown = (int64_t)table->list_depth + 1;
    for (int64_t i = 1; i < shown; i++)
        fprintf(out->file, "      called from %s\n", mp_safe_text(&out->arena, cell->list[i]));
    if (cell->number > shown && table->list_depth)
        fprintf(out->file, "      and %" PRId64 " more caller%s\n", cell->number - shown,
                cell->number - shown == 1 ? "" : "s");
}

/* Notes on one line where they fit, else each on its own. */
static void put_notes(text_out *out, const mp_cell *cell)
{
    enum { INDENT = 6 };
    size_t width = INDENT;
    for (int64_t i = 0; i < cell->number; i++)
        width += mp_text_width(cell->list[i]) + (i ? 2 : 0);
    bool joined = width <= out->style->width;
    for (int64_t i = 0; i < cell->number; i++) {
        const char *text = mp_safe_text(&out->arena, cell->list[i]);
        bool last = i + 1 == cell->number;
        fprintf(out->file, "%*s%s%s", joined && i ? 0 : INDENT, "", text,
                last || !joined ? "\n" : "; ");
    }
}

/* What belongs to a row and does not fit in it. */
static void put_below(text_out *out, const mp_table *table, size_t row, bool lists_below)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        const mp_cell *cell = &table->cells[row * table->column_count + i];
        if (column->unit != MP_LIST || !cell->known || (column->flags & MP_FOR_PROGRAMS))
            continue;
        if (!(column->flags & MP_BELOW)) {
            put_callers(out, table, cell, lists_below);
            continue;
        }
        put_notes(out, cell);
    }
}

static void put_rows(text_out *out, const mp_table *table)
{
    text_layout layout = lay_out(out, table);
    fit(out, &layout, table);
    for (size_t row = 0; layout.count && row <= table->row_count; row++) {
        put_line(out, &layout, row);
        if (row)
            put_below(out, table, row - 1, layout.lists_below);
    }
}

static void put_table(text_out *out, const mp_table *table, bool first)
{
    if (table->flags & MP_FOR_PROGRAMS)
        return;
    if (!first)
        fputc('\n', out->file);
    if (table->title)
        put_bold(out, mp_safe_text(&out->arena, table->title));
    for (size_t i = 0; i < table->line_count; i++)
        fprintf(out->file, "  %s\n", mp_line_for_people(&out->arena, &table->lines[i], out->style));
    if (table->shape == MP_RECORD && table->row_count)
        put_record(out, table);
    else if (table->row_count)
        put_rows(out, table);
    else if (table->empty)
        fprintf(out->file, "  %s\n", table->empty);
    const char *footer = mp_line_for_people(&out->arena, &table->footer, out->style);
    if (*footer)
        fprintf(out->file, "  %s\n", footer);
    mp_arena_free(&out->arena);
}

static bool render_text(const mp_document *document, const mp_diagnostics *diagnostics,
                        const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics; /* people read them on standard error */
    (void)error;
    text_out out = {.file = file, .style = style, .exact_bytes = document->exact_bytes};
    bool first = true;
    if (document->title) {
        put_bold(&out, mp_safe_text(&out.arena, document->title));
        first = false;
    }
    for (size_t i = 0; i < document->table_count; i++) {
        put_table(&out, &document->tables[i], first);
        first &= (document->tables[i].flags & MP_FOR_PROGRAMS) != 0;
    }
    mp_arena_free(&out.arena);
    return true;
}

const mp_renderer mp_renderer_text = {
    .name = "text", .summary = "tables for people, a row a line", .render = render_text};
