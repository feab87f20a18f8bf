/* Text for people: tables by libsmartcols, a row a line, the same bytes each run. */
#include <inttypes.h>
#include <libsmartcols.h>
#include <stdlib.h>
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

typedef struct text_layout {
    size_t columns[64]; /* those that people see, by place in the table */
    size_t widths[64];
    size_t count;
    const char **texts; /* row after row */
    bool lists_below;   /* a list has no room in its row: it begins on a line of its own */
} text_layout;

static text_layout lay_out(text_out *out, const mp_table *table)
{
    text_layout layout = {.count = 0};
    for (size_t i = 0; i < table->column_count; i++) {
        bool any = false;
        for (size_t row = 0; row < table->row_count; row++)
            any |= table->cells[row * table->column_count + i].known;
        if (!(table->columns[i].flags & (MP_FOR_PROGRAMS | MP_BELOW)) && any)
            layout.columns[layout.count++] = i;
    }
    layout.texts =
        mp_arena_alloc(&out->arena, (table->row_count * layout.count + 1) * sizeof *layout.texts);
    for (size_t i = 0; i < layout.count; i++) {
        const mp_column *column = &table->columns[layout.columns[i]];
        layout.widths[i] = mp_text_width(column->title);
        for (size_t row = 0; row < table->row_count; row++) {
            const mp_cell *cell = &table->cells[row * table->column_count + layout.columns[i]];
            const char *text = mp_cell_for_people(&out->arena, column, cell, out->exact_bytes);
            size_t width = mp_text_width(text);
            layout.texts[row * layout.count + i] = text;
            layout.widths[i] = width > layout.widths[i] ? width : layout.widths[i];
        }
    }
    return layout;
}

/* Take from the columns with this flag, the widest first, until the line fits. */
static void narrow(text_layout *layout, const mp_table *table, unsigned flag, size_t *too_much)
{
    while (*too_much) {
        size_t widest = layout->count;
        for (size_t i = 0; i < layout->count; i++)
            if ((table->columns[layout->columns[i]].flags & flag) &&
                layout->widths[i] > NARROWEST &&
                (widest == layout->count || layout->widths[i] > layout->widths[widest]))
                widest = i;
        if (widest == layout->count)
            return;
        layout->widths[widest]--;
        (*too_much)--;
    }
}

static bool is_hidden(const text_layout *layout, const mp_table *table, size_t i)
{
    return layout->lists_below && table->columns[layout->columns[i]].unit == MP_LIST;
}

/* By how much the line is too long. */
static size_t excess(const text_out *out, const text_layout *layout, const mp_table *table)
{
    size_t line = 0;
    for (size_t i = 0; i < layout->count; i++)
        line += is_hidden(layout, table, i) ? 0 : GAP + layout->widths[i];
    return line > out->style->width ? line - out->style->width : 0;
}

static bool has_list(const text_layout *layout, const mp_table *table)
{
    for (size_t i = 0; i < layout->count; i++)
        if (table->columns[layout->columns[i]].unit == MP_LIST)
            return true;
    return false;
}

/* A site that is cut names no site: before that, it gets a line of its own. */
static void fit(text_out *out, text_layout *layout, const mp_table *table)
{
    text_layout natural = *layout;
    size_t too_much = excess(out, layout, table);
    narrow(layout, table, MP_SHRINKS, &too_much);
    if (too_much && has_list(layout, table)) {
        *layout = natural;
        layout->lists_below = true;
        too_much = excess(out, layout, table);
        narrow(layout, table, MP_SHRINKS, &too_much);
    }
    narrow(layout, table, MP_SHORTEN, &too_much);
    for (size_t row = 0; row < table->row_count; row++)
        for (size_t i = 0; i < layout->count; i++) {
            const char **text = &layout->texts[row * layout->count + i];
            *text = mp_shorten_middle(&out->arena, *text, layout->widths[i]);
        }
}

static bool is_text(const mp_column *column)
{
    return column->unit == MP_TEXT || column->unit == MP_LIST || column->unit == MP_FLAG;
}

/* The table as libsmartcols draws it; release with free(). NULL if it has no memory for it. */
static char *draw(const text_layout *layout, const mp_table *table)
{
    struct libscols_table *drawing = scols_new_table();
    char *text = NULL;
    if (!drawing)
        return NULL;
    scols_table_set_column_separator(drawing, "  ");
    scols_table_enable_noencoding(drawing, 1); /* every cell is safe text already */
    scols_table_set_termforce(drawing, SCOLS_TERMFORCE_ALWAYS);
    scols_table_set_termwidth(drawing, 100000); /* every cell is cut to its width already */
    for (size_t i = 0; i < layout->count; i++) {
        const mp_column *column = &table->columns[layout->columns[i]];
        if (is_hidden(layout, table, i))
            continue;
        scols_table_new_column(drawing, column->title, 0, is_text(column) ? 0 : SCOLS_FL_RIGHT);
    }
    for (size_t row = 0; row < table->row_count; row++) {
        struct libscols_line *line = scols_table_new_line(drawing, NULL);
        for (size_t i = 0, column = 0; line && i < layout->count; i++)
            if (!is_hidden(layout, table, i))
                scols_line_set_data(line, column++, layout->texts[row * layout->count + i]);
    }
    scols_print_table_to_string(drawing, &text);
    scols_unref_table(drawing);
    return text;
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

static size_t trimmed(const char *line, size_t length)
{
    while (length && line[length - 1] == ' ')
        length--;
    return length;
}

static void put_rows(text_out *out, const mp_table *table)
{
    text_layout layout = lay_out(out, table);
    fit(out, &layout, table);
    char *text = draw(&layout, table);
    size_t row = 0;
    for (char *line = text; line && *line; row++) {
        char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        bool bold = row == 0 && out->style->colour;
        fprintf(out->file, "%s  %.*s%s\n", bold ? "\033[4m" : "", (int)trimmed(line, length), line,
                bold ? "\033[0m" : "");
        if (row > 0 && row <= table->row_count)
            put_below(out, table, row - 1, layout.lists_below);
        line += length + (end ? 1 : 0);
    }
    free(text);
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
