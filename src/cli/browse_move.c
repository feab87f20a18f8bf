/* Move on a page, and search in it. */
#include <string.h>

#include "cli/browse_page.h"

/* --- the visible part --- */

unsigned browse_page_height(const browse_page *page)
{
    return page->rows > 3 ? page->rows - 2 : page->rows > 1 ? page->rows - 1 : 1;
}

size_t browse_page_titles(const browse_page *page, size_t *first)
{
    size_t index = page->top, count = 0;
    *first = 0;
    if (index >= page->line_count || page->lines[index].table == SIZE_MAX)
        return 0;
    size_t table = page->lines[index].table;
    if (page->lines[index].row >= MP_ROW_NONE)
        return 0;
    while (index > 0 && page->lines[index - 1].table == table)
        index--;
    for (; index < page->top; index++)
        if (page->lines[index].row == MP_ROW_NAMES) {
            *first = count ? *first : index;
            count++;
        }
    return count < browse_page_height(page) / 2 ? count : 0;
}

const char *browse_page_text(const browse_page *page, size_t line, size_t *length)
{
    *length = page->lines[line].length;
    return page->text + page->lines[line].from;
}

void browse_page_follow(browse_page *page)
{
    size_t height = browse_page_height(page), first, last = page->cursor;
    size_t most = page->line_count > height ? page->line_count - height : 0;
    while (last + 1 < page->line_count && !page->lines[last + 1].begins &&
           page->lines[last + 1].row == page->lines[page->cursor].row &&
           last + 1 < page->cursor + height)
        last++; /* lines that belong to the row */
    if (page->top + height <= last)
        page->top = last + 1 - height;
    if (page->top > page->cursor)
        page->top = page->cursor;
    for (;;) { /* fixed titles may hide the line of the cursor */
        size_t titles = browse_page_titles(page, &first);
        if (!titles || page->cursor >= page->top + titles || !page->top)
            break;
        page->top--;
    }
    page->top = page->top > most ? most : page->top;
}

/* --- moving --- */

void browse_page_scroll(browse_page *page, long by)
{
    size_t height = browse_page_height(page);
    size_t most = page->line_count > height ? page->line_count - height : 0;
    if (by < 0)
        page->top -= (size_t)-by < page->top ? (size_t)-by : page->top;
    else
        page->top = page->top + (size_t)by < most ? page->top + (size_t)by : most;
    size_t first, from = page->top + browse_page_titles(page, &first);
    size_t until = page->top + height;
    /* Keep the cursor in the visible part. If there is a row in it, keep the cursor on a row. */
    if (page->cursor >= from && page->cursor < until)
        return;
    bool above = page->cursor < from;
    size_t index = above ? from : until - 1;
    for (size_t i = 0; i < height; i++) {
        size_t line = above ? from + i : until - 1 - i;
        if (line < page->line_count && line >= from && line < until && page->lines[line].begins) {
            index = line;
            break;
        }
    }
    page->cursor = index < page->line_count ? index : page->line_count ? page->line_count - 1 : 0;
}

/* Return the next line on which the cursor may be; SIZE_MAX if there is none. */
static size_t next_stop(const browse_page *page, size_t from, bool forward)
{
    for (size_t i = from; forward ? ++i < page->line_count : i-- > 0;)
        if (page->lines[i].begins)
            return i;
    return SIZE_MAX;
}

void browse_page_move(browse_page *page, long by)
{
    bool forward = by > 0;
    size_t height = browse_page_height(page);
    for (long i = 0; i != by && page->line_count; i += forward ? 1 : -1) {
        size_t next = next_stop(page, page->cursor, forward);
        bool far = next != SIZE_MAX &&
                   (forward ? next > page->top + 2 * height : next + height < page->top);
        if (next == SIZE_MAX ||
            far) { /* scroll instead, so that the lines in between are shown too */
            browse_page_scroll(page, forward ? 1 : -1);
            continue;
        }
        page->cursor = next;
    }
    if (next_stop(page, page->cursor, false) == SIZE_MAX && !forward && page->cursor < height)
        page->top = 0;
    if (page->line_count && page->lines[page->cursor].begins)
        browse_page_follow(page);
}

void browse_page_to_end(browse_page *page, bool last)
{
    size_t height = browse_page_height(page);
    size_t stop = next_stop(page, last ? page->line_count : 0, !last);
    if (!last && page->line_count && page->lines[0].begins)
        stop = 0;
    page->cursor = stop == SIZE_MAX ? 0 : stop;
    page->top = last && page->line_count > height ? page->line_count - height : 0;
    if (page->line_count && stop != SIZE_MAX && last)
        page->top = page->cursor < page->top ? page->cursor : page->top;
    else if (stop != SIZE_MAX)
        browse_page_follow(page);
}

bool browse_page_point(browse_page *page, unsigned line)
{
    size_t first, index = page->top + line;
    if (line < browse_page_titles(page, &first) || index >= page->line_count)
        return false;
    while (index > 0 && !page->lines[index].begins && page->lines[index].row < MP_ROW_NONE)
        index--;
    if (!page->lines[index].begins)
        return false;
    page->cursor = index;
    return true;
}

void browse_page_shift(browse_page *page, long by)
{
    if (!page->wide)
        return;
    size_t widest = 0;
    for (size_t i = 0; i < page->line_count; i++)
        widest = page->lines[i].length > widest ? page->lines[i].length : widest;
    if (by < 0)
        page->left -= (size_t)-by < page->left ? (size_t)-by : page->left;
    else if (page->left + (size_t)by < widest)
        page->left += (size_t)by;
}

/* --- searching --- */

/* Return the index of the first text of a list, from `first` on, that contains the text; SIZE_MAX
 * if there is none. Only the part that people see is searched. */
static size_t find_in_list(mp_arena *arena, const mp_cell *cell, const char *text, size_t first)
{
    for (size_t i = first; i < cell->count; i++)
        if (strcasestr(mp_safe_text(arena, cell->list[i]), text))
            return i;
    return SIZE_MAX;
}

/* Return the place of the text in the row: 0 for the row itself, otherwise the place of a text in
 * its stack. SIZE_MAX if it is not found. */
static size_t find_in_row(mp_arena *arena, const mp_document *document, const mp_table *table,
                          size_t row, const char *text)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < table->column_count && found != 0; i++) {
        const mp_column *column = &table->columns[i];
        const mp_cell cell = mp_table_cell(table, row, i);
        if (!cell.known || !mp_column_is_shown(table, i))
            continue;
        if (strcasestr(mp_cell_for_people(arena, column, &cell, document->exact_bytes), text))
            return 0;
        if (column->unit != MP_LIST)
            continue;
        size_t index = find_in_list(arena, &cell, text, 1);
        if (index != SIZE_MAX)
            found = column->flags & MP_BELOW ? 0 : index;
    }
    return found;
}

/* Return true if the frame, the field of a record or the sentence in this line contains the
 * text. */
static bool line_has(mp_arena *arena, const browse_page *page, const browse_line *line,
                     const char *text)
{
    const mp_table *table = line->table == SIZE_MAX ? NULL : &page->document->tables[line->table];
    size_t column = table ? browse_list_column(table) : 0;
    if (table && line->frame && column < table->column_count) {
        const mp_cell cell = mp_table_cell(table, line->row, column);
        return find_in_list(arena, &cell, text, line->frame) == line->frame;
    }
    return strcasestr(mp_arena_copy(arena, page->text + line->from, line->length), text) != NULL;
}

bool browse_page_find(browse_page *page, const char *text, bool forward)
{
    mp_arena arena = {0};
    size_t count = page->line_count, found = SIZE_MAX;
    bool hit = false;
    for (size_t i = 1; i <= count && !hit; i++) { /* wrap around at the end */
        size_t index = (forward ? page->cursor + i : page->cursor + count - i) % count;
        browse_line *line = &page->lines[index];
        if (!line->begins)
            continue;
        const mp_table *table =
            line->table == SIZE_MAX ? NULL : &page->document->tables[line->table];
        if (!table || line->frame || table->shape != MP_ROWS) {
            hit = line_has(&arena, page, line, text);
        } else {
            found = find_in_row(&arena, page->document, table, line->row, text);
            browse_table *as = &page->tables[line->table];
            hit = found == 0 || (found != SIZE_MAX && !as->open[line->row]);
            if (hit && found) { /* the text is in a part that is not open yet */
                as->open[line->row] = true;
                page->cursor = index;
                browse_page_make(page);
                browse_line there = page->lines[page->cursor];
                there.frame = found;
                index = browse_page_line_of(page, &there);
                index = index == SIZE_MAX ? page->cursor : index;
            }
        }
        if (hit)
            page->cursor = index;
    }
    if (hit)
        browse_page_follow(page);
    mp_arena_free(&arena);
    return hit;
}
