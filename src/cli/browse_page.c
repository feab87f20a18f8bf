#include "cli/browse_page.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of rows of a table on a page, even if the report has no limit. */
enum { MOST_ROWS = 10000 };
/* Minimum width of the text. A narrower window shows a part of it, so that long names are not
 * wrapped at each character. */
enum { NARROWEST = 20 };

/* --- order and visibility of rows --- */

/* Choose the rows to show. For a tree, choose all rows that are not below a folded row; otherwise
 * choose all. */
static void choose_rows(const mp_table *table, browse_table *as)
{
    int64_t folded = INT64_MAX;
    as->count = 0;
    for (size_t row = 0; row < table->row_count && as->count < MOST_ROWS; row++) {
        if (as->depth < table->column_count) {
            int64_t depth = mp_table_cell(table, row, as->depth).number;
            if (depth > folded)
                continue;
            folded = as->folded[row] ? depth : INT64_MAX;
        }
        as->order[as->count++] = row;
    }
}

typedef struct sorting {
    const mp_table *table;
    size_t column;
    bool turned;
} sorting;

static int by_column(const void *left, const void *right, void *opaque)
{
    const sorting *by = opaque;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const mp_cell x = mp_table_cell(by->table, a, by->column);
    const mp_cell y = mp_table_cell(by->table, b, by->column);
    int order = mp_cells_compare(&by->table->columns[by->column], &x, &y);
    if (by->turned && x.known && y.known)
        order = -order;
    return order ? order : MP_COMPARE(a, b);
}

static void order_rows(const mp_table *table, browse_table *as)
{
    sorting by = {table, as->sorted_by, as->turned};
    choose_rows(table, as);
    if (as->sorted_by < table->column_count)
        qsort_r(as->order, as->count, sizeof *as->order, by_column, &by);
}

/* --- from the document to lines --- */

/* State while the text is made. It has copies of the tables with the rows to show. */
typedef struct making {
    browse_page *page;
    mp_document shown;
    FILE *file;
} making;

static void mark(void *opaque, const mp_table *table, size_t row, size_t text)
{
    making *state = opaque;
    browse_page *page = state->page;
    size_t place = table ? (size_t)(table - state->shown.tables) : SIZE_MAX;
    bool real = table && row < MP_ROW_NONE;
    if (real && table->shape == MP_ROWS)
        row = page->tables[place].order[row];
    *MP_APPEND(page->lines, page->line_count, page->line_capacity) =
        (browse_line){.from = (size_t)ftello(state->file),
                      .table = place,
                      .row = row,
                      .frame = text,
                      .begins = real || !table};
}

static size_t depth_of(void *opaque, const mp_table *table, size_t row)
{
    const making *state = opaque;
    const browse_table *as = &state->page->tables[table - state->shown.tables];
    return as->open[as->order[row]] ? INT32_MAX : 0;
}

/* Return the document with the chosen rows of its tables, in their order. Allocated in the
 * arena. */
static mp_document arrange(mp_arena *arena, const browse_page *page)
{
    mp_document shown = *page->document;
    shown.tables = mp_arena_alloc(arena, (shown.table_count + 1) * sizeof *shown.tables);
    for (size_t i = 0; i < shown.table_count; i++) {
        const mp_table *table = &page->document->tables[i];
        const browse_table *as = &page->tables[i];
        size_t columns = table->column_count;
        shown.tables[i] = *table;
        if (table->shape != MP_ROWS)
            continue;
        mp_cell *cells = mp_arena_alloc(arena, (as->count * columns + 1) * sizeof *cells);
        for (size_t k = 0; k < as->count * columns; k++)
            cells[k] = mp_table_cell(table, as->order[k / columns], k % columns);
        shown.tables[i].cells = cells;
        shown.tables[i].borrowed = NULL;
        shown.tables[i].row_count = as->count;
        if (as->count == MOST_ROWS && table->row_count > MOST_ROWS)
            shown.tables[i].footer.rest = (mp_rest){table->row_count - MOST_ROWS, MP_REST_IN_JSON};
    }
    return shown;
}

/* Split the text into lines. Marks in the text show where a row or frame begins; each line gets the
 * last mark before it. Lines without indentation are titles; the cursor cannot be on them. */
static void split_lines(browse_page *page, size_t length)
{
    browse_line *marks = page->lines;
    size_t mark_count = page->line_count, next = 0;
    browse_line now = {.table = SIZE_MAX, .row = MP_ROW_NONE};
    page->lines = NULL;
    page->line_count = page->line_capacity = 0;
    for (size_t from = 0; from < length;) {
        const char *end = memchr(page->text + from, '\n', length - from);
        size_t until = end ? (size_t)(end - page->text) : length;
        bool begins = false, indented = page->text[from] == ' ';
        for (; next < mark_count && marks[next].from <= from; next++) {
            now = marks[next];
            begins = now.begins;
        }
        *MP_APPEND(page->lines, page->line_count, page->line_capacity) =
            (browse_line){.from = from,
                          .length = until - from,
                          .table = now.table,
                          .row = now.row,
                          .frame = now.frame,
                          .begins = begins && indented};
        from = until + 1;
    }
    free(marks);
}

size_t browse_page_line_of(const browse_page *page, const browse_line *was)
{
    size_t near = SIZE_MAX;
    for (size_t i = 0; i < page->line_count; i++) {
        const browse_line *line = &page->lines[i];
        if (!line->begins || line->table != was->table || line->row != was->row)
            continue;
        if (line->frame == was->frame)
            return i;
        if (line->frame < was->frame || near == SIZE_MAX)
            near = i;
    }
    return near;
}

void browse_page_make(browse_page *page)
{
    mp_arena arena = {0};
    size_t length = 0;
    browse_line was = page->line_count ? page->lines[page->cursor]
                                       : (browse_line){.table = SIZE_MAX, .row = MP_ROW_NONE};
    size_t seen_at = page->cursor - page->top;
    const unsigned columns = page->columns < NARROWEST ? NARROWEST : page->columns;
    const mp_style style = {.width = page->wide ? 0 : columns,
                            .colour = page->colour,
                            .terminal = true,
                            .whole = true,
                            .dashes = "--"};
    free(page->text);
    page->text = NULL;
    page->line_count = 0;
    making state = {.page = page, .file = mp_memory_open(&page->text, &length)};
    state.shown = arrange(&arena, page);
    const mp_text_guide guide = {&state, mark, depth_of, "w"};
    mp_text_guided(&state.shown, &style, &guide, state.file);
    mp_memory_close(state.file);
    split_lines(page, length);
    mp_arena_free(&arena);
    size_t index = was.table == SIZE_MAX ? SIZE_MAX : browse_page_line_of(page, &was);
    page->cursor = index == SIZE_MAX ? 0 : index;
    page->top = page->cursor > seen_at ? page->cursor - seen_at : 0;
    if (index == SIZE_MAX && page->line_count)
        browse_page_to_end(page, false);
    else if (page->line_count)
        browse_page_follow(page);
}

/* Put the cursor on the first row of a list if it is visible; otherwise on the first line of the
 * summary. */
static void begin_at(browse_page *page)
{
    browse_page_to_end(page, false);
    for (size_t i = 0; i < page->line_count && i < browse_page_height(page); i++)
        if (page->lines[i].begins && page->lines[i].row < MP_ROW_NONE &&
            page->document->tables[page->lines[i].table].shape == MP_ROWS) {
            page->cursor = i;
            return;
        }
}

void browse_page_begin(browse_page *page, mp_document *document, unsigned rows, unsigned columns,
                       bool colour)
{
    *page = (browse_page){.document = document, .rows = rows, .columns = columns, .colour = colour};
    page->tables = mp_alloc_zero(document->table_count + 1, sizeof *page->tables);
    for (size_t i = 0; i < document->table_count; i++) {
        const mp_table *table = &document->tables[i];
        browse_table *as = &page->tables[i];
        as->order = mp_alloc_zero(table->row_count + 1, sizeof *as->order);
        as->open = mp_alloc_zero(table->row_count + 1, sizeof *as->open);
        as->folded = mp_alloc_zero(table->row_count + 1, sizeof *as->folded);
        as->depth = mp_column_find(table->columns, table->column_count, "depth");
        as->sorted_by = table->column_count;
        order_rows(table, as);
    }
    browse_page_make(page);
    begin_at(page);
}

void browse_page_free(browse_page *page)
{
    for (size_t i = 0; page->document && i < page->document->table_count; i++) {
        MP_FREE(page->tables[i].order, page->tables[i].open, page->tables[i].folded);
    }
    MP_FREE(page->tables, page->text, page->lines);
    mp_document_free(page->document);
    *page = (browse_page){.document = NULL};
}

void browse_page_resize(browse_page *page, unsigned rows, unsigned columns)
{
    bool other = columns != page->columns;
    page->rows = rows;
    page->columns = columns;
    if (other)
        browse_page_make(page);
    else if (page->line_count)
        browse_page_follow(page);
}

void browse_page_set_wide(browse_page *page, bool wide)
{
    page->wide = wide;
    page->left = 0;
    browse_page_make(page);
}

/* --- the row under the cursor --- */

const browse_line *browse_page_at(const browse_page *page)
{
    const browse_line *line = page->line_count ? &page->lines[page->cursor] : NULL;
    return line && line->table != SIZE_MAX && line->row < MP_ROW_NONE ? line : NULL;
}

const char *browse_page_cell(mp_arena *arena, const browse_page *page, const char *column)
{
    const browse_line *line = browse_page_at(page);
    if (!line)
        return NULL;
    const mp_table *table = &page->document->tables[line->table];
    size_t place = mp_column_find(table->columns, table->column_count, column);
    if (place == table->column_count)
        return NULL;
    const mp_cell cell = mp_table_cell(table, line->row, place);
    return cell.known ? mp_cell_for_programs(arena, &table->columns[place], &cell) : NULL;
}

size_t browse_list_column(const mp_table *table)
{
    size_t i = 0;
    while (i < table->column_count && (table->columns[i].unit != MP_LIST ||
                                       table->columns[i].flags & (MP_FOR_PROGRAMS | MP_BELOW)))
        i++;
    return i;
}

mp_cell browse_page_stack(const browse_page *page)
{
    const browse_line *line = browse_page_at(page);
    if (!line)
        return (mp_cell){0};
    const mp_table *table = &page->document->tables[line->table];
    size_t column = browse_list_column(table);
    return column < table->column_count ? mp_table_cell(table, line->row, column) : (mp_cell){0};
}

/* --- opening and folding --- */

/* Return true if the rows below this one are deeper. */
static bool has_branch(const mp_table *table, const browse_table *as, size_t row)
{
    return as->depth < table->column_count && row + 1 < table->row_count &&
           mp_table_cell(table, row + 1, as->depth).number >
               mp_table_cell(table, row, as->depth).number;
}

/* Open or close the row. Return true if it can be opened or closed. */
static bool open_row(const mp_table *table, browse_table *as, size_t row, bool open)
{
    size_t column = browse_list_column(table);
    bool has_list = false, changed = false;
    if (column < table->column_count) {
        const mp_cell cell = mp_table_cell(table, row, column);
        has_list = cell.known && mp_list_length(&cell) > 1;
    }
    if (has_list && as->open[row] != open) {
        as->open[row] = open;
        changed = true;
    }
    if (has_branch(table, as, row) && as->folded[row] == open) {
        as->folded[row] = !open;
        changed = true;
    }
    return changed;
}

bool browse_page_open(browse_page *page, bool open)
{
    const browse_line *line = browse_page_at(page);
    if (!line)
        return false;
    const mp_table *table = &page->document->tables[line->table];
    browse_table *as = &page->tables[line->table];
    if (table->shape != MP_ROWS || !open_row(table, as, line->row, open))
        return false;
    order_rows(table, as);
    browse_page_make(page);
    return true;
}

bool browse_page_open_all(browse_page *page, bool open)
{
    const browse_line *line = browse_page_at(page);
    bool changed = false;
    if (!line || page->document->tables[line->table].shape != MP_ROWS)
        return false;
    const mp_table *table = &page->document->tables[line->table];
    browse_table *as = &page->tables[line->table];
    for (size_t row = 0; row < table->row_count; row++)
        changed |= open_row(table, as, row, open);
    if (changed) {
        order_rows(table, as);
        browse_page_make(page);
    }
    return changed;
}

bool browse_page_is_open(const browse_page *page)
{
    const browse_line *line = browse_page_at(page);
    if (!line || page->document->tables[line->table].shape != MP_ROWS)
        return false;
    const browse_table *as = &page->tables[line->table];
    bool branch = has_branch(&page->document->tables[line->table], as, line->row);
    return as->open[line->row] || (branch && !as->folded[line->row]);
}

bool browse_page_sort(browse_page *page, size_t column)
{
    const browse_line *line = browse_page_at(page);
    if (!line)
        return false;
    const mp_table *table = &page->document->tables[line->table];
    browse_table *as = &page->tables[line->table];
    if (table->shape != MP_ROWS || as->depth < table->column_count)
        return false;
    as->turned = column == as->sorted_by && column < table->column_count && !as->turned;
    as->sorted_by = column;
    order_rows(table, as);
    const browse_line first = {.table = line->table, .row = as->order[0]};
    browse_page_make(page);
    page->cursor = browse_page_line_of(page, &first);
    browse_page_follow(page);
    return true;
}
