#include "document/merge_rows.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const mp_column mp_file_columns[MP_FILE_COLUMNS] = {
    {"file", "File", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"file_name", "File", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN, 0},
};

/* --- columns --- */

/* The place of a column of this name, or `count`. */
static size_t place_of(const mp_column *columns, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(columns[i].name, name) != 0)
        i++;
    return i;
}

/* Where one name has several titles, it is a title itself: "objects" becomes "Objects". */
static const char *plain_title(mp_document *document, const char *name)
{
    char *title = mp_arena_copy(document->arena, name, strlen(name));
    *title = (char)toupper((unsigned char)*title);
    for (char *p = title; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    return title;
}

/* Whether any of the table's columns is there: else it is another table's, and comes behind. */
static bool has_any(const mp_columns *columns, const mp_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (place_of(columns->at, columns->count, table->columns[i].name) < columns->count)
            return true;
    return false;
}

mp_columns mp_columns_of(mp_document *document, const mp_source *sources, size_t count,
                         const mp_column *first, size_t first_count)
{
    size_t most = first_count;
    for (size_t i = 0; i < count; i++)
        most += i && sources[i].table->columns == sources[i - 1].table->columns
                    ? 0
                    : sources[i].table->column_count;
    mp_columns columns = {mp_arena_alloc(document->arena, (most + 1) * sizeof *columns.at),
                          first_count};
    if (first_count)
        memcpy(columns.at, first, first_count * sizeof *first);
    for (size_t i = 0; i < count; i++) {
        const mp_table *table = sources[i].table;
        size_t behind = has_any(&columns, table) ? first_count : columns.count;
        for (size_t j = 0; j < table->column_count; j++) {
            size_t place = place_of(columns.at, columns.count, table->columns[j].name);
            if (place == columns.count) {
                place = behind;
                memmove(columns.at + place + 1, columns.at + place,
                        (columns.count++ - place) * sizeof *columns.at);
                columns.at[place] = table->columns[j];
            }
            if (strcmp(columns.at[place].title, table->columns[j].title) != 0)
                columns.at[place].title = plain_title(document, columns.at[place].name);
            behind = place + 1;
        }
    }
    return columns;
}

/* --- single rows --- */

static void set_borrowed(mp_table *table, size_t column, const char *text)
{
    table->cells[(table->row_count - 1) * table->column_count + column] =
        (mp_cell){.known = true, .text = text};
}

void mp_put_file(mp_table *table, const mp_source *source)
{
    mp_table_row(table);
    set_borrowed(table, 0, source->file);
    set_borrowed(table, 1, source->shown);
}

void mp_copy_row(mp_table *table, const mp_table *from, size_t row)
{
    mp_cell *into = &table->cells[(table->row_count - 1) * table->column_count];
    for (size_t i = 0; i < from->column_count; i++) {
        const mp_cell *cell = &from->cells[row * from->column_count + i];
        size_t place = place_of(table->columns, table->column_count, from->columns[i].name);
        if (cell->known && place < table->column_count)
            into[place] = *cell;
    }
}

void mp_add_up(mp_table *table, const mp_source *sources, size_t count)
{
    mp_cell *into = mp_table_row(table);
    for (size_t i = 0; i < count; i++) {
        const mp_table *from = sources[i].table;
        for (size_t j = 0; j < from->row_count * from->column_count; j++) {
            const mp_column *column = &from->columns[j % from->column_count];
            size_t place = place_of(table->columns, table->column_count, column->name);
            if (!(column->flags & MP_ADDS) || !from->cells[j].known)
                continue;
            into[place].known = true;
            into[place].number += from->cells[j].number;
            into[place].real += from->cells[j].real;
        }
    }
}

/* The text of a column in a source's first row; NULL where there is none. */
static const char *text_in(const mp_source *source, const mp_column *column)
{
    const mp_table *table = source->table;
    size_t place = place_of(table->columns, table->column_count, column->name);
    if (place == table->column_count || !table->row_count || !table->cells[place].known)
        return NULL;
    return table->cells[place].text;
}

void mp_keep_common(mp_table *table, const mp_source *sources, size_t count)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        if (column->unit != MP_TEXT || column->flags & MP_FOR_PEOPLE)
            continue;
        const char *text = text_in(&sources[0], column);
        for (size_t j = 1; text && j < count; j++) {
            const char *other = text_in(&sources[j], column);
            text = other && strcmp(text, other) == 0 ? text : NULL;
        }
        if (text)
            set_borrowed(table, i, text);
    }
}

/* --- order --- */

/* A row of a source. */
typedef struct row_ref {
    size_t source, row;
    const mp_cell *key;
} row_ref;

static int larger_first(double a, double b)
{
    return a > b ? -1 : a < b;
}

static int compare(const mp_column *column, const mp_cell *a, const mp_cell *b)
{
    if (a->known != b->known)
        return a->known ? -1 : 1;
    if (!a->known)
        return 0;
    if (column->unit == MP_TEXT)
        return strcmp(a->text, b->text);
    if (column->flags & MP_SIGNED && llabs(a->number) != llabs(b->number))
        return llabs(a->number) > llabs(b->number) ? -1 : 1;
    if (!(column->flags & MP_SIGNED) && a->number != b->number)
        return a->number > b->number ? -1 : 1;
    return column->flags & MP_SIGNED ? larger_first(fabs(a->real), fabs(b->real))
                                     : larger_first(a->real, b->real);
}

/* Merge two runs that follow each other; each keeps its own order, equals those of the first. */
static void merge_runs(const mp_column *column, row_ref *at, size_t left, size_t right,
                       row_ref *scratch)
{
    size_t i = 0, j = 0;
    memcpy(scratch, at, left * sizeof *scratch);
    for (size_t out = 0; i < left; out++) {
        bool second = j < right && compare(column, at[left + j].key, scratch[i].key) < 0;
        at[out] = second ? at[left + j++] : scratch[i++];
    }
}

/* All rows, a run for each source, made one run in pairs. `starts` has the place of each run and
 * the end of all. */
static void merge_all(const mp_column *column, row_ref *rows, size_t *starts, size_t runs)
{
    row_ref *scratch = mp_alloc((starts[runs] + 1) * sizeof *scratch);
    while (runs > 1) {
        size_t kept = 0;
        for (size_t i = 0; i < runs; i += 2) {
            if (i + 1 < runs)
                merge_runs(column, rows + starts[i], starts[i + 1] - starts[i],
                           starts[i + 2] - starts[i + 1], scratch);
            starts[kept++] = starts[i];
        }
        starts[kept] = starts[runs];
        runs = kept;
    }
    free(scratch);
}

/* The rows of all sources, in the order of the column of this name; release with free(). Sources
 * that are one table are sorted: each row is a run. */
static row_ref *rows_of(const mp_source *sources, size_t count, const char *order, bool each_a_run,
                        size_t *all)
{
    const mp_column *column = NULL;
    static const mp_cell unknown = {0};
    *all = 0;
    for (size_t i = 0; i < count; i++)
        *all += sources[i].table->row_count;
    row_ref *rows = mp_alloc((*all + 1) * sizeof *rows);
    size_t *starts = mp_alloc((*all + count + 2) * sizeof *starts);
    size_t runs = 0, used = 0;
    for (size_t i = 0; i < count; i++) {
        const mp_table *table = sources[i].table;
        size_t place = order ? place_of(table->columns, table->column_count, order) : 0;
        bool has = order && place < table->column_count;
        column = has ? &table->columns[place] : column;
        starts[runs++] = used;
        for (size_t row = 0; row < table->row_count; row++) {
            if (each_a_run && row)
                starts[runs++] = used;
            rows[used++] = (row_ref){
                i, row, has ? &table->cells[row * table->column_count + place] : &unknown};
        }
    }
    starts[runs] = used;
    if (column)
        merge_all(column, rows, starts, runs);
    free(starts);
    return rows;
}

void mp_sort_rows(mp_table *table, const mp_source *source, const char *order, size_t rows)
{
    size_t all;
    row_ref *sorted = rows_of(source, 1, order, true, &all);
    for (size_t i = 0; i < all && (!rows || i < rows); i++) {
        mp_table_row(table);
        mp_copy_row(table, source->table, sorted[i].row);
    }
    table->footer.rest = (mp_rest){all - table->row_count, MP_REST_MORE};
    free(sorted);
}

/* --- tables of rows --- */

static void copy_cells(mp_table *table, const mp_source *source, size_t row, const size_t *places)
{
    const mp_table *from = source->table;
    mp_put_file(table, source);
    mp_cell *into = &table->cells[(table->row_count - 1) * table->column_count];
    if (row < from->struct_count) {
        mp_table_attach(table, from->structs[row].at);
        table->structs[table->row_count - 1].file = source->file;
    }
    for (size_t i = 0; i < from->column_count; i++)
        into[places[i]] = from->cells[row * from->column_count + i];
}

/* Where each column of each source stands in the table; release with free(). */
static size_t **places_of(const mp_table *table, const mp_source *sources, size_t count)
{
    size_t **places = mp_alloc((count + 1) * sizeof *places);
    for (size_t i = 0; i < count; i++) {
        const mp_table *from = sources[i].table;
        places[i] = mp_alloc((from->column_count + 1) * sizeof **places);
        for (size_t j = 0; j < from->column_count; j++)
            places[i][j] = place_of(table->columns, table->column_count, from->columns[j].name);
    }
    return places;
}

static void put_rows(mp_table *table, const mp_source *sources, size_t count, size_t rows)
{
    size_t all;
    size_t **places = places_of(table, sources, count);
    row_ref *order = rows_of(sources, count, table->order, false, &all);
    size_t rank = place_of(table->columns, table->column_count, "rank");
    for (size_t i = 0; i < all && (!table->order || !rows || i < rows); i++) {
        copy_cells(table, &sources[order[i].source], order[i].row, places[order[i].source]);
        if (table->order && rank < table->column_count)
            mp_set_number(table, "rank", (int64_t)table->row_count);
    }
    if (table->order)
        table->footer.rest.count += all - table->row_count;
    for (size_t i = 0; i < count; i++)
        free(places[i]);
    free(places);
    free(order);
}

/* People need not read twice what the column of the file says. */
static void hide_paths(const mp_table *table, mp_column *columns)
{
    for (size_t i = MP_FILE_COLUMNS; i < table->column_count; i++) {
        bool same = columns[i].unit == MP_TEXT && table->row_count;
        for (size_t row = 0; same && row < table->row_count; row++) {
            const mp_cell *cells = &table->cells[row * table->column_count];
            same = cells[i].known && strcmp(cells[i].text, cells[0].text) == 0;
        }
        if (same)
            columns[i].flags |= MP_FOR_PROGRAMS;
    }
}

/* What all titles say; else what all say of many files; else the table's name. */
static const char *title_of(mp_document *document, const char *name, const mp_source *sources,
                            size_t count)
{
    const mp_table *first = sources[0].table;
    bool same = true, alike = first->title_of_many != NULL;
    for (size_t i = 1; i < count && first->title; i++) {
        const mp_table *table = sources[i].table;
        same &= table->title && strcmp(table->title, first->title) == 0;
        alike = alike && table->title_of_many &&
                strcmp(table->title_of_many, first->title_of_many) == 0;
    }
    if (!first->title || same)
        return first->title;
    return alike ? first->title_of_many : plain_title(document, name);
}

static void put_line(mp_document *document, mp_table *table, const char *file, const mp_line *from)
{
    mp_line *line = mp_table_line(document, table, "%s%s%s", file ? file : "", file ? ": " : "",
                                  from->text ? from->text : "");
    line->rest = from->rest;
    line->argument = from->argument;
}

/* Lines above the rows, and below a table without an order, tell their file where they differ. */
static void put_lines(mp_document *document, mp_table *table, const mp_source *sources,
                      size_t count)
{
    const mp_table *first = sources[0].table;
    for (size_t i = 0; i < count; i++) {
        const mp_table *from = sources[i].table;
        for (size_t j = 0; j < from->line_count; j++) {
            bool same =
                j < first->line_count && strcmp(first->lines[j].text, from->lines[j].text) == 0;
            if (!i || !same)
                put_line(document, table, same && count > 1 ? NULL : sources[i].shown,
                         &from->lines[j]);
        }
        if (!table->order && (from->footer.text || from->footer.rest.count))
            put_line(document, table, sources[i].shown, &from->footer);
    }
}

void mp_merge_rows(mp_document *document, const char *name, const mp_source *sources, size_t count,
                   const mp_merging *how)
{
    mp_columns columns = mp_columns_of(document, sources, count, mp_file_columns, MP_FILE_COLUMNS);
    const char *title = title_of(document, name, sources, count);
    mp_table *table = mp_document_table(document, name, title, MP_ROWS, columns.at, columns.count);
    table->flags = MP_FOR_PEOPLE | MP_FOR_PROGRAMS | MP_OF_CHECKS;
    for (size_t i = 0; i < count; i++) {
        const mp_table *from = sources[i].table;
        table->flags &= from->flags; /* who reads any of them reads all */
        table->main |= from->main;
        table->order = table->order ? table->order : from->order;
        table->answer = table->answer ? table->answer : from->answer;
        table->empty = table->empty ? table->empty : from->empty;
        table->list_depth =
            from->list_depth > table->list_depth ? from->list_depth : table->list_depth;
    }
    for (size_t i = 0; i < count && table->order; i++) /* what a limit cut of each */
        if (sources[i].table->footer.rest.kind == MP_REST_MORE)
            table->footer.rest.count += sources[i].table->footer.rest.count;
    if (how->overview && !table->order && !table->main)
        table->flags |= MP_FOR_PROGRAMS;
    put_rows(table, sources, count, how->rows);
    hide_paths(table, columns.at);
    put_lines(document, table, sources, count);
}
