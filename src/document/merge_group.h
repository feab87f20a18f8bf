/* Groups of tables that become one table: their columns are united, their rows sorted together.
 * Used only by merging. */
#pragma once

#include "document/document.h"

/* A table of one part. */
typedef struct mp_merge_source {
    size_t part;
    const mp_document *document;
    const char *file;  /* name of the part */
    const char *shown; /* name for people, without the folder that all parts have in common */
    const mp_table *table;
    const size_t *places; /* index of each column in the merged table */
} mp_merge_source;

/* How a table is merged. */
typedef enum mp_merge_mode {
    MP_MERGE_ROWS,   /* a row for each row of each file */
    MP_MERGE_SUM,    /* one record of sums */
    MP_MERGE_COMMON, /* one record, which is the same in all files */
    MP_MERGE_NONE,
} mp_merge_mode;

/* Tables that are merged into one, in the order of the documents. */
typedef struct mp_merge_group {
    const char *name;
    mp_merge_mode mode;
    mp_merge_source *items;
    size_t count, capacity;
    mp_column *columns; /* columns of the merged table, in the document's arena */
    bool by_objects;    /* rows that precede all others are sorted by objects, because not all
                         * sources have sizes */
} mp_merge_group;

/* A row of a source, and the cell by which it is sorted. */
typedef struct mp_merge_row {
    const mp_cell *key;
    uint32_t source, row;
    bool ahead; /* see mp_table */
} mp_merge_row;

/* Return a title made from a table's name, for tables whose titles differ: "objects" becomes
 * "Objects". */
const char *mp_merge_plain_title(mp_document *document, const char *name);

/* Add a table with the columns of all sources of a group, after `first` file columns. Sets the
 * places of the sources. */
mp_table *mp_merge_unite(mp_document *document, mp_merge_group *group, mp_shape shape,
                         size_t first);

/* Add a row with the sums of columns that add up, over their known cells. */
mp_cell *mp_merge_put_sum(mp_table *table, const mp_merge_group *group);
/* Let a new table borrow the rows of all sources, sorted by the column named `order`, and at most
 * `most` of them (0 = all). Return the number of all rows. `stand`: see mp_merge_order. */
size_t mp_merge_put_rows(mp_document *document, mp_table *table, const mp_merge_group *group,
                         const char *order, bool stand, size_t most);

/* Return the first column of this name in any source; NULL if there is none. */
const mp_column *mp_merge_column(const mp_merge_group *group, const char *name);
/* Return the rows of all sources, sorted by the column of this name (NULL = not sorted). `stand`:
 * rows of the same source keep their order. Release with free(). */
mp_merge_row *mp_merge_order(const mp_merge_group *group, const char *order, bool stand,
                             size_t *count);

/* Merge the stacks of all files by name. */
void mp_merge_figures(mp_document *document, const mp_merge_source *files, size_t count);
