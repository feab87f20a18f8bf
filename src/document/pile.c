#include <stdlib.h>

#include "base/memory.h"
#include "document/merge.h"

/* Number of new documents before rows are cut again, in addition to the number that remained after
 * the last cut. Each document is thus cut only a few times. */
enum { BATCH = 256 };

static size_t rows_cut(const mp_document *document)
{
    size_t cut = 0;
    for (size_t i = 0; i < document->table_count; i++)
        cut += document->tables[i].cut;
    return cut;
}

/* Return true if the document has a table whose rows can be cut. Records are kept, although they
 * have an order. */
static bool is_cuttable(const mp_document *document)
{
    for (size_t i = 0; i < document->table_count; i++) {
        const mp_table *table = &document->tables[i];
        if (table->shape == MP_ROWS && table->order && table->row_count)
            return true;
    }
    return false;
}

/* Cut rows, and remove documents from the list that cannot be cut any more. */
static void cut(mp_pile *pile)
{
    size_t kept = 0, count = pile->cuttable_count;
    size_t *before = mp_alloc(count * sizeof *before);
    for (size_t i = 0; i < count; i++)
        before[i] = rows_cut(pile->cuttable[i]);
    mp_documents_cut(pile->cuttable, count, &pile->how);
    for (size_t i = 0; i < count; i++) {
        mp_document *document = pile->cuttable[i];
        if (rows_cut(document) > before[i])
            mp_document_pack(document, &pile->shared);
        if (is_cuttable(document))
            pile->cuttable[kept++] = document;
    }
    pile->cuttable_count = pile->cut_count = kept;
    free(before);
}

/* Return true if people see the table, or the totals per file that it becomes part of. */
static bool is_read(const mp_table *table)
{
    bool read = !(table->flags & MP_FOR_PROGRAMS);
    for (size_t i = 0; i < table->column_count; i++)
        read |= (table->columns[i].flags & MP_SUMMARY) != 0;
    return read;
}

/* --- columns for people --- */

/* Columns without those for people. */
typedef struct mp_slim_columns {
    const mp_column *items;
    size_t count;
} slim_columns;

/* Return true if a column of a record is kept. The columns of records decide how the records are
 * merged. */
static bool is_kept(const mp_column *column)
{
    return !(column->flags & MP_FOR_PEOPLE) || column->flags & (MP_ADDS | MP_SUMMARY);
}

/* Return the kept columns of a table. Tables with the same columns share the result. */
static slim_columns slim_columns_of(mp_pile *pile, const mp_table *table)
{
    uint32_t *place = mp_id_index_put(&pile->slim_index, (uintptr_t)table->columns);
    if (!*place) {
        *place = (uint32_t)pile->slim_index.count;
        mp_grow(&pile->slim, &pile->slim_capacity, *place + 1u, sizeof *pile->slim);
        mp_column *columns =
            mp_arena_alloc(&pile->shared.arena, (table->column_count + 1) * sizeof *columns);
        size_t count = 0;
        for (size_t i = 0; i < table->column_count; i++)
            if (is_kept(&table->columns[i]))
                columns[count++] = table->columns[i];
        pile->slim[*place] = (slim_columns){columns, count};
    }
    return pile->slim[*place];
}

static void drop_columns(mp_pile *pile, mp_table *table)
{
    slim_columns slim = slim_columns_of(pile, table);
    bool stands =
        !table->order || mp_column_find(slim.items, slim.count, table->order) < slim.count;
    size_t kept = 0;
    if (slim.count == table->column_count || !stands)
        return;
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        if (is_kept(&table->columns[i % table->column_count]))
            table->cells[kept++] = table->cells[i];
    table->columns = slim.items;
    table->column_count = slim.count;
    table->cell_capacity = kept;
    table->cells = mp_fitted(table->cells, kept, sizeof *table->cells);
}

/* --- the pile --- */

void mp_pile_pack(mp_pile *pile, mp_document *document)
{
    for (size_t i = 0; i < document->table_count; i++) {
        mp_table *table = &document->tables[i];
        if (pile->how.for_people ? !is_read(table) : table->flags & MP_FOR_PEOPLE)
            table->row_count = 0;
    }
    if (pile->how.for_people)
        document->said_count = 0;
    mp_document_pack(document, &pile->shared);
    for (size_t i = 0; i < document->table_count && !pile->how.for_people; i++)
        drop_columns(pile, &document->tables[i]);
}

void mp_pile_add(mp_pile *pile, const char *name, mp_document *document)
{
    mp_grow(&pile->parts, &pile->capacity, pile->count + 1, sizeof *pile->parts);
    mp_grow(&pile->documents, &pile->document_capacity, pile->count + 1, sizeof *pile->documents);
    pile->documents[pile->count] = document;
    pile->parts[pile->count++] = (mp_part){name, document};
    if (!pile->how.rows || !is_cuttable(document))
        return;
    *MP_APPEND(pile->cuttable, pile->cuttable_count, pile->cuttable_capacity) = document;
    if (pile->cuttable_count >= 2 * pile->cut_count + BATCH)
        cut(pile);
}

void mp_pile_free(mp_pile *pile)
{
    for (size_t i = 0; i < pile->count; i++)
        mp_document_free(pile->documents[i]);
    MP_FREE(pile->documents, pile->parts, pile->cuttable);
    mp_id_index_free(&pile->slim_index);
    free(pile->slim);
    mp_shared_parts_free(&pile->shared);
    *pile = (mp_pile){.parts = NULL};
}
