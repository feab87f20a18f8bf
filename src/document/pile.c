#include <stdlib.h>

#include "base/memory.h"
#include "document/merge.h"

enum { BATCH = 256 }; /* documents that come before rows are cut again */

static size_t rows_cut(const mp_document *document)
{
    size_t cut = 0;
    for (size_t i = 0; i < document->table_count; i++)
        cut += document->tables[i].cut;
    return cut;
}

static bool is_cuttable(const mp_document *document)
{
    for (size_t i = 0; i < document->table_count; i++)
        if (document->tables[i].order && document->tables[i].row_count)
            return true;
    return false;
}

/* Cut, and forget those of which nothing can be cut any more. */
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

/* Whether people read of the table, or of the totals of each file that it becomes a part of. */
static bool is_read(const mp_table *table)
{
    bool read = !(table->flags & MP_FOR_PROGRAMS);
    for (size_t i = 0; i < table->column_count; i++)
        read |= (table->columns[i].flags & MP_SUMMARY) != 0;
    return read;
}

void mp_pile_pack(mp_pile *pile, mp_document *document)
{
    for (size_t i = 0; pile->for_people && i < document->table_count; i++)
        if (!is_read(&document->tables[i]))
            document->tables[i].row_count = 0;
    mp_document_pack(document, &pile->shared);
}

void mp_pile_add(mp_pile *pile, const char *name, mp_document *document)
{
    mp_grow(&pile->parts, &pile->capacity, pile->count + 1, sizeof *pile->parts);
    mp_grow(&pile->documents, &pile->document_capacity, pile->count + 1, sizeof *pile->documents);
    pile->documents[pile->count] = document;
    pile->parts[pile->count++] = (mp_part){name, document};
    if (!pile->how.rows || !is_cuttable(document))
        return;
    mp_grow(&pile->cuttable, &pile->cuttable_capacity, pile->cuttable_count + 1,
            sizeof *pile->cuttable);
    pile->cuttable[pile->cuttable_count++] = document;
    if (pile->cuttable_count - pile->cut_count >= BATCH)
        cut(pile);
}

void mp_pile_free(mp_pile *pile)
{
    for (size_t i = 0; i < pile->count; i++)
        mp_document_free(pile->documents[i]);
    free(pile->documents);
    free(pile->parts);
    free(pile->cuttable);
    mp_shared_parts_free(&pile->shared);
    *pile = (mp_pile){.parts = NULL};
}
