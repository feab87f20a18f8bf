#include "document/merge_group.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* Columns inserted before those of the sources: the name of the file for programs, and the one for
 * people. */
static const mp_column file_columns[MP_FILE_COLUMNS] = {
    {"file", "File", MP_TEXT, MP_FOR_PROGRAMS, 0, NULL},
    {"file_name", "File", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN, 0, NULL},
};

/* --- columns --- */

const char *mp_merge_plain_title(mp_document *document, const char *name)
{
    char *title = mp_arena_copy(document->arena, name, strlen(name));
    *title = (char)toupper((unsigned char)*title);
    for (char *p = title; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    return title;
}

/* Add the columns of one more table. A new column is inserted after the column that precedes it in
 * that table. If the table shares no column with the others, its columns are appended. */
static void add_columns(mp_document *document, mp_column **columns, size_t *count, size_t *capacity,
                        size_t first, const mp_table *table)
{
    size_t behind = *count;
    for (size_t i = 0; i < table->column_count && behind == *count; i++)
        if (mp_column_find(*columns, *count, table->columns[i].name) < *count)
            behind = first;
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        size_t place = mp_column_find(*columns, *count, column->name);
        if (place == *count) {
            mp_grow(columns, capacity, *count + 1, sizeof **columns);
            place = behind;
            memmove(*columns + place + 1, *columns + place,
                    ((*count)++ - place) * sizeof **columns);
            (*columns)[place] = *column;
        }
        if (strcmp((*columns)[place].title, column->title) != 0)
            (*columns)[place].title = mp_merge_plain_title(document, column->name);
        behind = place + 1;
    }
}

mp_table *mp_merge_unite(mp_document *document, mp_merge_group *group, mp_shape shape, size_t first)
{
    size_t count = first, capacity = 0;
    mp_column *columns = NULL;
    mp_grow(&columns, &capacity, count + 1, sizeof *columns);
    memcpy(columns, file_columns, first * sizeof *columns);
    for (size_t i = 0; i < group->count; i++)
        if (!i || group->items[i].table->columns != group->items[i - 1].table->columns)
            add_columns(document, &columns, &count, &capacity, first, group->items[i].table);
    mp_column *kept = mp_arena_alloc(document->arena, (count + 1) * sizeof *kept);
    memcpy(kept, columns, count * sizeof *kept);
    group->columns = kept;
    free(columns);
    for (size_t i = 0; i < group->count; i++) {
        const mp_table *table = group->items[i].table;
        if (i && table->columns == group->items[i - 1].table->columns) {
            group->items[i].places = group->items[i - 1].places;
            continue;
        }
        size_t *places =
            mp_arena_alloc(document->arena, (table->column_count + 1) * sizeof *places);
        for (size_t j = 0; j < table->column_count; j++)
            places[j] = mp_column_find(kept, count, table->columns[j].name);
        group->items[i].places = places;
    }
    mp_table *table = mp_document_table(document, group->name, NULL, shape, kept, count);
    table->command = group->items[0].table->command;
    return table;
}

/* --- rows --- */

/* Return true if adding `more` does not overflow. The sum of each single record is known not to
 * overflow. */
static bool fits_sum(int64_t sum, int64_t more)
{
    return more < 0 ? sum >= INT64_MIN - more : sum <= INT64_MAX - more;
}

mp_cell *mp_merge_put_sum(mp_table *table, const mp_merge_group *group)
{
    mp_cell *state = mp_table_row(table);
    bool *lost = mp_alloc_zero(table->column_count, sizeof *lost);
    for (size_t i = 0; i < group->count; i++) {
        const mp_table *from = group->items[i].table;
        for (size_t j = 0; j < from->row_count * from->column_count; j++) {
            size_t column = j % from->column_count, place = group->items[i].places[column];
            const mp_cell *cell = &from->cells[j];
            const bool real = mp_unit_is_real(from->columns[column].unit);
            if (!(from->columns[column].flags & MP_ADDS) || !cell->known)
                continue;
            lost[place] |= !real && !fits_sum(state[place].number, cell->number);
            state[place].known = !lost[place]; /* a sum that is out of range is unknown */
            if (real)
                state[place].real += cell->real;
            else
                state[place].number = lost[place] ? 0 : state[place].number + cell->number;
        }
    }
    free(lost);
    return state;
}

static int compare_refs(const void *a, const void *b, void *columns)
{
    const mp_merge_row *left = a, *right = b;
    if (left->ahead != right->ahead)
        return left->ahead ? -1 : 1;
    const mp_column *by = ((const mp_column **)columns)[left->ahead];
    int order = mp_cells_compare(by, left->key, right->key);
    order = order ? order : MP_COMPARE(left->source, right->source);
    return order ? order : MP_COMPARE(left->row, right->row);
}

const mp_column *mp_merge_column(const mp_merge_group *group, const char *name)
{
    for (size_t i = 0; name && i < group->count; i++) {
        const mp_table *table = group->items[i].table;
        size_t place = mp_column_find(table->columns, table->column_count, name);
        if (place < table->column_count)
            return &table->columns[place];
    }
    return NULL;
}

/* Return the column by which the rows that precede all others are sorted (mp_table.ahead); NULL if
 * there is none. */
static const mp_column *ahead_column(const mp_merge_group *group)
{
    const char *name = NULL;
    for (size_t i = 0; !name && i < group->count; i++)
        name = group->items[i].table->ahead_order;
    return mp_merge_column(group, name && group->by_objects ? "objects" : name);
}

/* Return the index of the column with the name of this one; the number of columns if there is
 * none. */
static size_t place_of(const mp_table *table, const mp_column *column)
{
    return column ? mp_column_find(table->columns, table->column_count, column->name)
                  : table->column_count;
}

mp_merge_row *mp_merge_order(const mp_merge_group *group, const char *order, bool stand,
                             size_t *count)
{
    static const mp_cell unknown = {0};
    const mp_column *by[] = {mp_merge_column(group, order), ahead_column(group)};
    size_t total = 0;
    by[1] = by[1] ? by[1] : by[0];
    for (size_t i = 0; i < group->count; i++)
        total += group->items[i].table->row_count;
    mp_merge_row *refs = mp_alloc((total + 1) * sizeof *refs);
    size_t place = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        const mp_table *from = group->items[i].table;
        const mp_cell *least = NULL;
        size_t values[] = {place_of(from, by[0]), place_of(from, by[1])};
        for (uint32_t row = 0; row < from->row_count; row++) {
            const bool ahead = row < from->ahead;
            const bool has = values[ahead] < from->column_count;
            const mp_cell *key =
                has ? &from->cells[row * from->column_count + values[ahead]] : &unknown;
            if (!stand || !least || row == from->ahead ||
                (has && mp_cells_compare(by[ahead], least, key) < 0))
                least = key;
            refs[place++] = (mp_merge_row){least, i, row, ahead};
        }
    }
    if (by[0] && total)
        qsort_r(refs, total, sizeof *refs, compare_refs, by);
    *count = total;
    return refs;
}

/* Return the column of the source for each column of the merged table. */
static const uint32_t *source_columns(mp_arena *arena, const mp_table *merged,
                                      const mp_merge_source *source)
{
    uint32_t *columns = mp_arena_alloc(arena, (merged->column_count + 1) * sizeof *columns);
    for (size_t i = 0; i < merged->column_count; i++)
        columns[i] = MP_NO_COLUMN;
    for (size_t i = 0; i < source->table->column_count; i++)
        columns[source->places[i]] = (uint32_t)i;
    return columns;
}

static mp_row_source *row_sources(mp_arena *arena, const mp_table *merged,
                                  const mp_merge_group *group)
{
    mp_row_source *sources = mp_arena_alloc(arena, group->count * sizeof *sources);
    for (size_t i = 0; i < group->count; i++) {
        const mp_merge_source *from = &group->items[i];
        const bool same = i && from->places == group->items[i - 1].places;
        sources[i] =
            (mp_row_source){from->table, from->file, from->shown,
                            same ? sources[i - 1].columns : source_columns(arena, merged, from)};
    }
    return sources;
}

/* Attach the struct of each row whose source has one. */
static void attach_structs(mp_table *table)
{
    const mp_borrowed_rows *borrowed = table->borrowed;
    for (table->row_count = 0; table->row_count < borrowed->count;) {
        const mp_row_place *place = &borrowed->rows[table->row_count++];
        const mp_row_source *source = &borrowed->sources[place->source];
        if (place->row >= source->table->struct_count)
            continue;
        mp_table_attach(table, source->table->structs[place->row].row);
        table->structs[table->row_count - 1].file = source->file;
    }
}

size_t mp_merge_put_rows(mp_document *document, mp_table *table, const mp_merge_group *group,
                         const char *order, bool stand, size_t most)
{
    size_t total;
    mp_merge_row *refs = mp_merge_order(group, order, stand, &total);
    const size_t count = most && most < total ? most : total;
    mp_row_place *rows = mp_arena_alloc(document->arena, (count + 1) * sizeof *rows);
    for (size_t i = 0; i < count; i++)
        rows[i] = (mp_row_place){refs[i].source, refs[i].row};
    free(refs);
    table->borrowed = mp_arena_alloc(document->arena, sizeof *table->borrowed);
    *table->borrowed =
        (mp_borrowed_rows){.sources = count ? row_sources(document->arena, table, group) : NULL,
                           .rows = rows,
                           .count = count,
                           .rank = MP_NO_COLUMN};
    attach_structs(table);
    return total;
}
