#include "document/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "base/units.h"

mp_document *mp_document_new(const char *command)
{
    mp_document *document = mp_alloc_zero(1, sizeof *document);
    document->arena = mp_alloc_zero(1, sizeof *document->arena);
    document->command = command;
    return document;
}

void mp_document_free(mp_document *document)
{
    if (!document)
        return;
    for (size_t i = 0; i < document->table_count; i++) {
        MP_FREE(document->tables[i].cells, document->tables[i].lines, document->tables[i].structs);
    }
    MP_FREE(document->tables, document->figures, document->said, document->checks);
    mp_id_index_free(&document->kept_index);
    free(document->kept);
    mp_arena_free(document->arena);
    free(document->arena);
    free(document);
}

/* Return the text with "samples" in place of "seconds". */
static const char *samples_text(mp_document *document, const char *text)
{
    const char *found = text ? strstr(text, "econds") : NULL;
    if (!found)
        return text;
    return mp_arena_format(document->arena,
                           "%.*s"
                           "amples%s",
                           (int)(found - text), text, found + strlen("econds"));
}

/* Return the columns of a profile by sampling. People see only columns with values. If costs are
 * samples, columns of samples replace columns of seconds; a table that already has a column of
 * samples keeps both. */
static const mp_column *columns_by_sampling(mp_document *document, const mp_column *columns,
                                            size_t count)
{
    mp_column *samples = mp_arena_alloc(document->arena, count * sizeof *samples);
    for (size_t i = 0; i < count; i++) {
        samples[i] = columns[i];
        samples[i].flags |= columns[i].offset == MP_NO_MEMBER ? 0 : MP_IF_KNOWN;
        const char *name = samples_text(document, columns[i].name);
        if (!document->sampled || columns[i].unit != MP_SECONDS ||
            mp_column_find(columns, count, name) < count)
            continue;
        samples[i].name = name;
        samples[i].title = samples_text(document, columns[i].title);
        samples[i].unit = MP_COUNT;
    }
    return samples;
}

mp_table *mp_document_table(mp_document *document, const char *name, const char *title,
                            mp_shape shape, const mp_column *columns, size_t column_count)
{
    if (document->uncalled)
        columns = columns_by_sampling(document, columns, column_count);
    mp_table *table = MP_APPEND(document->tables, document->table_count, document->table_capacity);
    *table = (mp_table){.name = name,
                        .title = title,
                        .shape = shape,
                        .columns = columns,
                        .column_count = column_count};
    return table;
}

const mp_table *mp_document_answer(const mp_document *document, mp_answer answer)
{
    for (size_t i = 0; i < document->table_count; i++)
        if (document->tables[i].answer == answer)
            return &document->tables[i];
    return NULL;
}

const mp_table *mp_document_find(const mp_document *document, const char *name)
{
    for (size_t i = 0; i < document->table_count; i++)
        if (strcmp(document->tables[i].name, name) == 0)
            return &document->tables[i];
    return NULL;
}

size_t mp_column_find(const mp_column *columns, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(columns[i].name, name) != 0)
        i++;
    return i;
}

static const char *format_text(mp_document *document, const char *format, va_list arguments)
{
    mp_slice text = mp_slice_of(mp_arena_format_list(document->arena, format, arguments));
    return mp_utf8_valid(text) ? text.start : mp_utf8_mend(document->arena, text).start;
}

const char *mp_document_text(mp_document *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_text(document, format, arguments);
    va_end(arguments);
    return text;
}

const char **mp_document_kept(mp_document *document, uint64_t number)
{
    uint32_t *place = mp_id_index_put(&document->kept_index, number);
    size_t count = document->kept_index.count;
    if (!*place) {
        *place = (uint32_t)count;
        mp_grow(&document->kept, &document->kept_capacity, count + 1, sizeof *document->kept);
        document->kept[count] = NULL;
    }
    return &document->kept[*place];
}

void mp_document_say(mp_document *document, mp_tone tone, const char *label, const char *format,
                     ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_text(document, format, arguments);
    va_end(arguments);
    *MP_APPEND(document->said, document->said_count, document->said_capacity) =
        (mp_said){tone, label, text, NULL};
}

mp_line *mp_table_line(mp_document *document, mp_table *table, const char *format, ...)
{
    va_list arguments;
    mp_grow(&table->lines, &table->line_capacity, table->line_count + 1, sizeof *table->lines);
    va_start(arguments, format);
    mp_line *line = &table->lines[table->line_count++];
    *line = (mp_line){.text = format_text(document, format, arguments)};
    va_end(arguments);
    return line;
}

void mp_document_check(mp_document *document, mp_check check)
{
    if (!check.warning)
        check.warning = "";
    if (!check.note)
        check.note = "";
    *MP_APPEND(document->checks, document->check_count, document->check_capacity) = check;
}

mp_cell *mp_table_row(mp_table *table)
{
    const size_t borrowed = table->borrowed ? table->borrowed->count : 0;
    const size_t used = (table->row_count - borrowed) * table->column_count;
    mp_grow(&table->cells, &table->cell_capacity, used + table->column_count, sizeof *table->cells);
    memset(table->cells + used, 0, table->column_count * sizeof *table->cells);
    table->row_count++;
    return table->cells + used;
}

mp_cell mp_borrowed_cell(const mp_borrowed_rows *borrowed, size_t row, size_t column)
{
    const mp_row_place *place = &borrowed->rows[row];
    const mp_row_source *source = &borrowed->sources[place->source];
    if (column == borrowed->rank)
        return (mp_cell){.known = true, .number = (int64_t)row + 1};
    if (source->columns[column] != MP_NO_COLUMN)
        return mp_table_cell(source->table, place->row, source->columns[column]);
    if (column >= MP_FILE_COLUMNS)
        return (mp_cell){0};
    return (mp_cell){.known = true,
                     .text = column == MP_FILE_COLUMN ? source->file : source->shown};
}

const mp_cell *mp_table_cells(mp_arena *arena, const mp_table *table, size_t row)
{
    const size_t count = table->column_count;
    if (!table->borrowed)
        return &table->cells[row * count];
    mp_cell *cells = mp_arena_alloc(arena, count * sizeof *cells);
    for (size_t i = 0; i < count; i++)
        cells[i] = mp_table_cell(table, row, i);
    return cells;
}

/* --- rows that are structs --- */

/* Return the cell for a member of a row's struct; its texts belong to the row. */
static mp_cell member_cell(const mp_column *column, const void *member)
{
    mp_cell cell = {0};
    if (column->unit == MP_LIST) {
        const mp_texts *texts = member;
        cell = (mp_cell){.known = texts->items || texts->empty,
                         .count = (uint32_t)texts->count,
                         .whole = texts->whole & INT32_MAX};
        if (texts->count)
            cell.list = (const char **)(uintptr_t)texts->items;
        else
            cell.text = texts->empty;
    } else if (column->unit == MP_TEXT) {
        cell.text = *(const char *const *)member;
        cell.known = cell.text && *cell.text;
    } else if (mp_unit_is_real(column->unit)) {
        cell.real = *(const double *)member;
        cell.known = !isnan(cell.real);
    } else {
        cell.number = *(const int64_t *)member;
        cell.known = cell.number != MP_UNKNOWN;
    }
    return cell.known ? cell : (mp_cell){0};
}

static void copy_texts(mp_arena *arena, const mp_column *column, const void *member, mp_cell *cell)
{
    if (!mp_cell_is_list(column, cell)) {
        if (mp_cell_is_text(column, cell) && cell->text)
            cell->text = mp_utf8_copy(arena, cell->text);
        return;
    }
    const char *const *texts = cell->list;
    if (((const mp_texts *)member)->kept)
        return;
    cell->list = mp_arena_alloc(arena, cell->count * sizeof *texts);
    for (uint32_t i = 0; i < cell->count; i++)
        cell->list[i] = mp_utf8_copy(arena, texts[i]);
}

mp_cell mp_row_cell(mp_arena *arena, const mp_column *column, const void *row)
{
    const void *member = (const char *)row + column->offset;
    mp_cell cell = member_cell(column, member);
    copy_texts(arena, column, member, &cell);
    return cell;
}

void mp_table_put(mp_document *document, mp_table *table, const void *row)
{
    mp_cell *cells = mp_table_row(table);
    for (size_t i = 0; i < table->column_count; i++)
        cells[i] = table->columns[i].offset == MP_NO_MEMBER
                       ? (mp_cell){.known = true, .number = (int64_t)table->row_count}
                       : mp_row_cell(document->arena, &table->columns[i], row);
    for (size_t i = 0; document->unsized && i < table->column_count; i++)
        if (table->columns[i].unit == MP_BYTES && !cells[i].number)
            cells[i].known = false;
    table->uncounted |= document->uncounted;
    for (size_t i = 0; document->uncounted && i < table->column_count; i++)
        if (mp_column_counts_objects(&table->columns[i]))
            cells[i] = (mp_cell){0};
    for (size_t i = 0; document->uncalled && i < table->column_count; i++)
        if (mp_column_counts_calls(&table->columns[i]))
            cells[i] = (mp_cell){0};
}

void mp_table_attach(mp_table *table, const void *row)
{
    MP_EXTEND(table->structs, table->struct_count, table->struct_capacity, table->row_count);
    table->structs[table->row_count - 1].row = row;
}

/* --- orders --- */

int mp_cells_compare(const mp_column *column, const mp_cell *a, const mp_cell *b)
{
    if (!a->known || !b->known)
        return b->known - a->known;
    if (column->unit == MP_TEXT)
        return strcmp(a->text, b->text);
    bool by_size = column->flags & MP_SIGNED;
    if (mp_unit_is_real(column->unit)) {
        double left = by_size ? fabs(a->real) : a->real, right = by_size ? fabs(b->real) : b->real;
        return MP_COMPARE(right, left);
    }
    int64_t left = by_size ? llabs(a->number) : a->number;
    int64_t right = by_size ? llabs(b->number) : b->number;
    return MP_COMPARE(right, left);
}

int mp_rows_compare(const void *left, const void *right, const mp_column *const *by)
{
    for (; *by; by++) {
        mp_cell x = member_cell(*by, (const char *)left + (*by)->offset);
        mp_cell y = member_cell(*by, (const char *)right + (*by)->offset);
        int order = mp_cells_compare(*by, &x, &y);
        if (order)
            return order;
    }
    return 0;
}

static int compare_rows(const void *left, const void *right, void *by)
{
    return mp_rows_compare(left, right, by);
}

void mp_rows_sort(void *rows, size_t count, size_t size, const mp_column *const *by)
{
    mp_sort(rows, count, size, compare_rows, (void *)(uintptr_t)by);
}
