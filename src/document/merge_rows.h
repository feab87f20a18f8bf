/* Rows of several files in one table. */
#ifndef MP_DOCUMENT_MERGE_ROWS_H
#define MP_DOCUMENT_MERGE_ROWS_H

#include "document/merge.h"

/* A table of one file. */
typedef struct mp_source {
    const char *file;  /* NULL: the table tells the files itself */
    const char *shown; /* the same for people: without the folder that is common to all */
    const mp_table *table;
} mp_source;

typedef struct mp_columns {
    mp_column *at; /* in the document's arena */
    size_t count;
} mp_columns;

/* What stands in front of each row: the file for programs, and for people. */
enum { MP_FILE_COLUMNS = 2 };
extern const mp_column mp_file_columns[MP_FILE_COLUMNS];

/* `first`, then the columns of all sources: each behind the one that it stands behind in its own
 * table. */
mp_columns mp_columns_of(mp_document *document, const mp_source *sources, size_t count,
                         const mp_column *first, size_t first_count);

/* A new row that tells its file. */
void mp_put_file(mp_table *table, const mp_source *source);
/* The last row gets what this one knows, in columns of the same names. */
void mp_copy_row(mp_table *table, const mp_table *from, size_t row);
/* A new row: the sums of columns that add up, over what is known of them. */
void mp_add_up(mp_table *table, const mp_source *sources, size_t count);

/* The last row gets the texts in which all sources' first rows agree, but none for people. */
void mp_keep_common(mp_table *table, const mp_source *sources, size_t count);

/* Copy the rows of one source whose columns are the table's own, by this column (NULL: as they
 * are), at most `rows` (0: all); what did not fit is left_out. */
void mp_sort_rows(mp_table *table, const mp_source *source, const char *order, size_t rows);

/* The table `name` of all rows of the sources, merged. */
void mp_merge_rows(mp_document *document, const char *name, const mp_source *sources, size_t count,
                   const mp_merging *how);

#endif
