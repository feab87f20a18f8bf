/* Tables that become one: their columns united, their rows in one order. Within merging alone. */
#ifndef MP_DOCUMENT_MERGE_GROUP_H
#define MP_DOCUMENT_MERGE_GROUP_H

#include "document/document.h"

/* A table of one part. */
typedef struct mp_merge_source {
    size_t part;
    const mp_document *document;
    const char *file;  /* the part's name */
    const char *shown; /* the same for people: without the folder that is common to all */
    const mp_table *table;
    const size_t *places; /* places of its columns in the merged table */
} mp_merge_source;

/* How a table is merged. */
typedef enum mp_merge_mode {
    MP_MERGE_ROWS,   /* a row for each row of each file */
    MP_MERGE_SUM,    /* one record */
    MP_MERGE_COMMON, /* statements that all of them share */
    MP_MERGE_NONE,
} mp_merge_mode;

/* All tables that become one, in the order of the parts. */
typedef struct mp_merge_group {
    const char *name;
    mp_merge_mode mode;
    mp_merge_source *items;
    size_t count, capacity;
    mp_column *columns; /* columns of the merged table, in the document's arena */
} mp_merge_group;

/* Number of columns before each row: the file, for programs and for people. */
enum { MP_MERGE_FILE_COLUMNS = 2 };

/* A row of a source, and what it stands by. */
typedef struct mp_merge_row {
    size_t source, row, place;
    const mp_cell *key;
    bool ahead; /* see mp_table */
} mp_merge_row;

/* Return a title made from a table's name, for tables whose titles differ: "objects" becomes
 * "Objects". */
const char *mp_merge_plain_title(mp_document *document, const char *name);

/* A table with the columns of all sources of a group, behind `first` file columns; the sources then
 * know their places. */
mp_table *mp_merge_unite(mp_document *document, mp_merge_group *group, mp_shape shape,
                         size_t first);

/* A new row that tells its file; the rest is not known. */
mp_cell *mp_merge_put_file(mp_table *table, const char *file, const char *shown);
/* A new row: the sums of columns that add up, over what is known of them. */
mp_cell *mp_merge_put_sum(mp_table *table, const mp_merge_group *group);
/* The rows of all sources, at most so many of them (0: all), in the order of the column of this
 * name; gives how many there are. `stand`: as mp_merge_order. */
size_t mp_merge_put_rows(mp_table *table, const mp_merge_group *group, const char *order,
                         bool stand, size_t most);

/* The first column of this name that any source has; NULL: none has it. */
const mp_column *mp_merge_column(const mp_merge_group *group, const char *name);
/* The rows of all sources, in the order of the column of this name (NULL: as they are). `stand`:
 * rows of one source stay as they stood, so that none comes before the one above it. Release with
 * free(). */
mp_merge_row *mp_merge_order(const mp_merge_group *group, const char *order, bool stand,
                             size_t *count);

/* The stacks of the documents of all files, by name. */
void mp_merge_figures(mp_document *document, const mp_merge_source *files, size_t count);

#endif
