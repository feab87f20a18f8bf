#include "render/layout.h"

#include <string.h>

#include "render/name.h"
#include "render/wrap.h"

enum { NAME_ALONE = 30, NAME_BESIDE = 24, NARROWEST = 8 };

static bool is_list(const mp_text_column *column)
{
    return column->as->unit == MP_LIST;
}

static bool is_name(const mp_text_column *column)
{
    return is_list(column) || column->as->flags & MP_SHORTEN;
}

static bool gives_room(const mp_text_column *column)
{
    return is_name(column) || column->as->flags & MP_WRAP;
}

static mp_layout all_columns(mp_arena *arena, const mp_table *table, bool any, bool exact_bytes)
{
    mp_layout layout = {
        .columns = mp_arena_alloc(arena, (table->column_count + 1) * sizeof *layout.columns)};
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *as = &table->columns[i];
        if (!mp_column_is_shown(table, i) || as->flags & MP_BELOW)
            continue;
        const bool objects = table->uncounted && mp_column_counts_objects(as);
        if (!mp_column_is_known(table, i) && (!any || objects || as->flags & MP_IF_KNOWN))
            continue;
        mp_text_column *column = &layout.columns[layout.count++];
        *column = (mp_text_column){
            .as = as,
            .width = mp_text_width(as->title),
            .title = as->title,
            .texts = mp_arena_alloc(arena, (table->row_count + 1) * sizeof *column->texts)};
        for (size_t row = 0; row < table->row_count; row++) {
            const mp_cell cell = mp_table_cell(table, row, i);
            column->texts[row] = mp_cell_for_people(arena, as, &cell, exact_bytes);
            size_t width = mp_text_width(column->texts[row]);
            column->width = width > column->width ? width : column->width;
        }
        column->whole = column->width;
    }
    return layout;
}

static size_t line_width(const mp_layout *layout)
{
    size_t line = 0;
    for (size_t i = 0; i < layout->count; i++)
        line += MP_GAP + layout->columns[i].width;
    return line;
}

/* Return the number of columns by which the line is too long. */
static size_t excess(const mp_layout *layout, size_t width)
{
    size_t line = line_width(layout);
    return line > width ? line - width : 0;
}

/* Narrow text columns that are wider than `least`, the widest first, until the line fits. `flags`:
 * only narrow columns with one of these flags (0 = all columns). `too_much`: number of columns that
 * the line is still too long. */
static void narrow(mp_layout *layout, unsigned flags, size_t least, size_t *too_much)
{
    for (; *too_much; --*too_much) {
        mp_text_column *widest = NULL;
        for (size_t i = 0; i < layout->count; i++) {
            mp_text_column *column = &layout->columns[i];
            bool asked = !flags || column->as->flags & flags || is_list(column);
            if (mp_unit_is_text(column->as->unit) && asked && column->width > least &&
                (!widest || column->width > widest->width))
                widest = column;
        }
        if (!widest)
            return;
        widest->width--;
    }
}

static void remove_column(mp_layout *layout, size_t place)
{
    layout->count--;
    memmove(layout->columns + place, layout->columns + place + 1,
            (layout->count - place) * sizeof *layout->columns);
}

static void move_below(mp_layout *layout)
{
    layout->below = true;
    for (size_t i = layout->count; i-- > 0;)
        if (is_list(&layout->columns[i]) || layout->columns[i].as->flags & MP_SENTENCE)
            remove_column(layout, i);
}

/* Order in which columns are removed. */
enum { NEVER, MINOR, RANK, NUMBER, LAST };

static int expendable(const mp_layout *layout, size_t place)
{
    const mp_text_column *column = &layout->columns[place];
    size_t first = 0; /* first number column that measures an amount */
    while (first < layout->count && (mp_unit_is_text(layout->columns[first].as->unit) ||
                                     layout->columns[first].as->unit == MP_NUMBER))
        first++;
    if (column->as->flags & MP_MINOR)
        return MINOR;
    if (column->as->offset == MP_NO_MEMBER)
        return RANK;
    if (place == 0 || place == first || gives_room(column))
        return NEVER;
    return mp_unit_is_text(column->as->unit) || column->as->unit == MP_NUMBER ? LAST : NUMBER;
}

/* Remove the next column, in the order above, up to `until`. Return false if none can be
 * removed. */
static bool drop(mp_layout *layout, int until)
{
    size_t next = layout->count;
    for (size_t i = layout->count; i-- > 0;) {
        int soon = expendable(layout, i);
        if (soon && soon <= until && (next == layout->count || soon < expendable(layout, next)))
            next = i;
    }
    if (next == layout->count)
        return false;
    remove_column(layout, next);
    return layout->cut = true;
}

/* Restore the widths of all columns, then narrow the names. Return true if the line fits. */
static bool narrow_names(mp_layout *layout, size_t width)
{
    size_t names = 0;
    for (size_t i = 0; i < layout->count; i++) {
        layout->columns[i].width = layout->columns[i].whole;
        names += gives_room(&layout->columns[i]);
    }
    size_t too_much = excess(layout, width);
    narrow(layout, MP_SHORTEN | MP_WRAP, names > 1 ? NAME_BESIDE : NAME_ALONE, &too_much);
    return too_much == 0;
}

static void fit(mp_layout *layout, size_t width)
{
    bool fits = narrow_names(layout, width);
    if (!fits) {
        move_below(layout);
        fits = narrow_names(layout, width);
    }
    while (!fits && drop(layout, NUMBER))
        fits = narrow_names(layout, width);
    size_t too_much;
    do {
        too_much = excess(layout, width);
        narrow(layout, MP_SHORTEN | MP_WRAP, NARROWEST * 2, &too_much);
        narrow(layout, 0, NARROWEST, &too_much);
    } while (too_much && drop(layout, LAST));
}

/* Return a name of a tree with its indentation. If the tree is too deep for the column (`deep`),
 * each level is indented by one blank instead of two, and levels beyond half of the column become
 * an ellipsis. */
static const char *unindent(mp_arena *arena, const char *text, size_t room, bool deep)
{
    size_t blanks = strspn(text, " "), indent = deep ? blanks / 2 : blanks;
    if (!deep || !text[blanks])
        return text;
    if (indent <= room / 2)
        return text + blanks - indent;
    return mp_arena_format(arena, "%*s" MP_ELLIPSIS " %s", (int)(room / 2), "", text + blanks);
}

/* Fit a text into its column. A name is shortened. All other texts, and names that are still too
 * long, are wrapped. */
static const char *fit_text(mp_arena *arena, const char *text, size_t room, bool name)
{
    enum { LINES = 6, HANG = 2 };
    size_t blanks = strspn(text, " "), in = room > blanks ? room - blanks : 1;
    const char *shorter =
        mp_shorten_name(arena, text + blanks, name ? in : in * LINES, name ? LINES : 1);
    if (blanks)
        shorter = mp_arena_format(arena, "%*s%s", (int)blanks, "", shorter);
    return mp_wrap_text(arena, shorter, 0, blanks + HANG, room);
}

static size_t widest_line(mp_arena *arena, const char *text)
{
    bool further = true;
    size_t widest = 0;
    for (size_t line = 0; further; line++) {
        size_t width = mp_text_width(mp_line_of_text(arena, text, line, &further));
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Fit the texts of a column into `room`, and store them in `texts`. The column becomes as wide as
 * its widest line. */
static void fit_column(mp_arena *arena, mp_text_column *column, size_t rows, size_t room,
                       const char **texts)
{
    bool deep = false, name = is_name(column);
    for (size_t row = 0; row < rows; row++)
        deep |= strspn(column->texts[row], " ") > room / 2;
    column->width = widest_line(arena, fit_text(arena, column->title, room, false));
    for (size_t row = 0; row < rows; row++) {
        const char *text = unindent(arena, column->texts[row], room, deep);
        texts[row] = fit_text(arena, text, room, name);
        size_t width = widest_line(arena, texts[row]);
        column->width = width > column->width ? width : column->width;
    }
}

/* Fit the texts of narrowed columns. Names are shortened by whole components, so a column may need
 * less than its width; the next columns get the remaining width. */
static void fit_texts(mp_arena *arena, mp_layout *layout, size_t width, size_t rows)
{
    const char **texts = mp_arena_alloc(arena, (rows + 1) * sizeof *texts);
    for (size_t i = 0; i < layout->count; i++)
        if (layout->columns[i].width < layout->columns[i].whole)
            fit_column(arena, &layout->columns[i], rows, layout->columns[i].width, texts);
    for (size_t i = 0; i < layout->count; i++) {
        mp_text_column *column = &layout->columns[i];
        size_t line = line_width(layout), room = column->width + (line < width ? width - line : 0);
        if (column->width == column->whole)
            continue;
        fit_column(arena, column, rows, room, texts);
        memcpy(column->texts, texts, rows * sizeof *texts);
        column->title = fit_text(arena, column->title, room, false);
    }
}

mp_layout mp_layout_of(mp_arena *arena, const mp_table *table, size_t width, bool exact_bytes)
{
    mp_layout layout = all_columns(arena, table, width == 0, exact_bytes);
    if (width) {
        fit(&layout, width);
        fit_texts(arena, &layout, width, table->row_count);
    }
    return layout;
}
