#include "memprof/document.h"

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
    }
    free(document->tables);
    free(document->limits);
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

void mp_table_line(mp_document *document, mp_table *table, const char *format, ...)
{
    va_list arguments;
    mp_grow(&table->lines, &table->line_capacity, table->line_count + 1, sizeof *table->lines);
    va_start(arguments, format);
    table->lines[table->line_count++] = format_text(document, format, arguments);
    va_end(arguments);
}

void mp_document_limit(mp_document *document, mp_limit limit)
{
    mp_grow(&document->limits, &document->limit_capacity, document->limit_count + 1,
            sizeof *document->limits);
    document->limits[document->limit_count++] = limit;
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
