#include "document/document.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

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
        free(document->tables[i].cells);
        free(document->tables[i].lines);
        free(document->tables[i].structs);
    }
    free(document->tables);
    free(document->checks);
    mp_arena_free(document->arena);
    free(document->arena);
    free(document);
}

mp_table *mp_document_table(mp_document *document, const char *name, const char *title,
                            mp_shape shape, const mp_column *columns, size_t column_count)
{
    mp_grow(&document->tables, &document->table_capacity, document->table_count + 1,
            sizeof *document->tables);
    mp_table *table = &document->tables[document->table_count++];
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

static const char *format_text(mp_document *document, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    size_t size = (size_t)(length < 0 ? 0 : length) + 1;
    char *text = mp_arena_alloc(document->arena, size);
    vsnprintf(text, size, format, again);
    va_end(again);
    mp_slice whole = {text, strlen(text)};
    return mp_utf8_valid(whole) ? text : mp_utf8_mend(document->arena, whole).at;
}

const char *mp_document_text(mp_document *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_text(document, format, arguments);
    va_end(arguments);
    return text;
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
    mp_grow(&document->checks, &document->check_capacity, document->check_count + 1,
            sizeof *document->checks);
    document->checks[document->check_count++] = check;
}

mp_cell *mp_table_row(mp_table *table)
{
    size_t used = table->row_count * table->column_count;
    mp_grow(&table->cells, &table->cell_capacity, used + table->column_count, sizeof *table->cells);
    memset(table->cells + used, 0, table->column_count * sizeof *table->cells);
    table->row_count++;
    return table->cells + used;
}

size_t mp_table_column(const mp_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return i;
    abort(); /* a report names a column that it did not declare: a fault of the program */
}

static mp_cell *last_cell(mp_table *table, const char *column)
{
    return &table->cells[(table->row_count - 1) * table->column_count +
                         mp_table_column(table, column)];
}

void mp_set_number(mp_table *table, const char *column, int64_t number)
{
    *last_cell(table, column) = (mp_cell){.known = true, .number = number};
}

void mp_set_real(mp_table *table, const char *column, double real)
{
    *last_cell(table, column) = (mp_cell){.known = true, .real = real};
}

void mp_set_text(mp_document *document, mp_table *table, const char *column, const char *text)
{
    if (text && *text)
        *last_cell(table, column) =
            (mp_cell){.known = true, .text = mp_utf8_copy(document->arena, text)};
}

void mp_set_list(mp_document *document, mp_table *table, const char *column,
                 const char *const *texts, size_t count)
{
    const char **list = mp_arena_alloc(document->arena, (count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = mp_utf8_copy(document->arena, texts[i]);
    *last_cell(table, column) = (mp_cell){.known = true, .number = (int64_t)count, .list = list};
}

void mp_set_empty_list(mp_document *document, mp_table *table, const char *column,
                       const char *instead)
{
    mp_set_list(document, table, column, NULL, 0);
    last_cell(table, column)->text = mp_utf8_copy(document->arena, instead);
}

/* --- rows that are structs --- */

static bool is_real(mp_unit unit)
{
    return unit == MP_PERCENT || unit == MP_AVERAGE || unit == MP_BYTE_RATE;
}

static mp_cell list_cell(mp_document *document, const mp_texts *texts)
{
    const char **list = mp_arena_alloc(document->arena, (texts->count + 1) * sizeof *list);
    for (size_t i = 0; i < texts->count; i++)
        list[i] = mp_utf8_copy(document->arena, texts->at[i]);
    return (mp_cell){.known = true,
                     .number = (int64_t)texts->count,
                     .list = list,
                     .text = texts->empty ? mp_utf8_copy(document->arena, texts->empty) : NULL};
}

static mp_cell member_cell(mp_document *document, const mp_column *column, const void *member)
{
    if (column->unit == MP_LIST) {
        const mp_texts *texts = member;
        return texts->at || texts->empty ? list_cell(document, texts) : (mp_cell){0};
    }
    if (column->unit == MP_TEXT) {
        const char *text = *(const char *const *)member;
        return text && *text ? (mp_cell){.known = true, .text = mp_utf8_copy(document->arena, text)}
                             : (mp_cell){0};
    }
    if (is_real(column->unit)) {
        double real = *(const double *)member;
        return isnan(real) ? (mp_cell){0} : (mp_cell){.known = true, .real = real};
    }
    int64_t number = *(const int64_t *)member;
    return number == MP_UNKNOWN ? (mp_cell){0} : (mp_cell){.known = true, .number = number};
}

void mp_table_put(mp_document *document, mp_table *table, const void *row)
{
    mp_cell *cells = mp_table_row(table);
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        cells[i] = column->offset == MP_NO_MEMBER
                       ? (mp_cell){.known = true, .number = (int64_t)table->row_count}
                       : member_cell(document, column, (const char *)row + column->offset);
    }
}

void mp_row_clear(const mp_column *columns, size_t count, void *row)
{
    for (size_t i = 0; i < count; i++) {
        void *member = (char *)row + columns[i].offset;
        if (columns[i].offset == MP_NO_MEMBER)
            continue;
        if (columns[i].unit == MP_LIST)
            *(mp_texts *)member = (mp_texts){.at = NULL};
        else if (columns[i].unit == MP_TEXT)
            *(const char **)member = NULL;
        else if (is_real(columns[i].unit))
            *(double *)member = NAN;
        else
            *(int64_t *)member = MP_UNKNOWN;
    }
}

void mp_table_attach(mp_table *table, const void *row)
{
    mp_grow(&table->structs, &table->struct_capacity, table->row_count, sizeof *table->structs);
    while (table->struct_count < table->row_count)
        table->structs[table->struct_count++] = (mp_struct_row){0};
    table->structs[table->row_count - 1].at = row;
}

/* What rows are sorted by, beside their places. */
typedef struct sorted_row {
    const char *row;
    size_t place;
} sorted_row;

static int compare_numbers(int64_t a, int64_t b, bool by_size)
{
    if ((a == MP_UNKNOWN) != (b == MP_UNKNOWN))
        return a == MP_UNKNOWN ? 1 : -1;
    int64_t left = by_size && a < 0 && a != MP_UNKNOWN ? -a : a;
    int64_t right = by_size && b < 0 && b != MP_UNKNOWN ? -b : b;
    return left > right ? -1 : left < right;
}

static int compare_reals(double a, double b, bool by_size)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    double left = by_size ? fabs(a) : a, right = by_size ? fabs(b) : b;
    return left > right ? -1 : left < right;
}

static int compare_texts(const char *a, const char *b)
{
    bool has_a = a && *a, has_b = b && *b;
    return has_a && has_b ? strcmp(a, b) : has_b - has_a;
}

static int compare_rows(const void *a, const void *b, void *opaque)
{
    const mp_column *column = opaque;
    const sorted_row *left = a, *right = b;
    const void *x = left->row + column->offset, *y = right->row + column->offset;
    bool by_size = column->flags & MP_SIGNED;
    int order = column->unit == MP_TEXT
                    ? compare_texts(*(const char *const *)x, *(const char *const *)y)
                : is_real(column->unit)
                    ? compare_reals(*(const double *)x, *(const double *)y, by_size)
                    : compare_numbers(*(const int64_t *)x, *(const int64_t *)y, by_size);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

void mp_rows_sort(void *rows, size_t count, size_t size, const mp_column *column)
{
    if (count < 2)
        return;
    sorted_row *order = mp_alloc(count * sizeof *order);
    char *copy = mp_alloc(count * size), *at = rows;
    memcpy(copy, rows, count * size);
    for (size_t i = 0; i < count; i++)
        order[i] = (sorted_row){copy + i * size, i};
    qsort_r(order, count, sizeof *order, compare_rows, (void *)(uintptr_t)column);
    for (size_t i = 0; i < count; i++)
        memcpy(at + i * size, order[i].row, size);
    free(order);
    free(copy);
}
