/* Tables of many recordings in ClickHouse. Their columns are derived from the columns of relations.
 * They determine both the statements that create the tables and the rows. */
#pragma once

#include <stdio.h>

#include "relation/relation.h"
#include "reports/arguments.h"

/* A table: a relation of memprof, with the recording in every row. Texts are static. */
typedef struct mp_clickhouse_table {
    const char *name; /* the first member, because tables are also read as an array of words */
    const char *meaning;
    const mp_relation *relation;
    /* Columns that identify a row within its recording, separated by spaces. They are never
     * NULL. */
    const char *key;
    /* Columns of figures in the table's view by day, separated by spaces. They are never NULL. The
     * pointer is NULL if there is no view. */
    const char *measures;
    /* Rows with the same key are stored together, even if they belong to different recordings. This
     * requires that the key has the same meaning in all recordings. */
    bool key_first;
} mp_clickhouse_table;

/* All tables, in the order in which they are created. */
enum { MP_CLICKHOUSE_TABLES = 7 };
extern const mp_clickhouse_table mp_clickhouse_tables[MP_CLICKHOUSE_TABLES];
/* Return the table of this name; NULL if there is none. */
const mp_clickhouse_table *mp_clickhouse_table_find(const char *name);

/* Source of a column's values. */
typedef enum mp_clickhouse_source {
    MP_CLICKHOUSE_SHARED,   /* shared by all tables: mp_clickhouse_shared */
    MP_CLICKHOUSE_RELATION, /* a column of the relation */
    MP_CLICKHOUSE_SITE,     /* hash of the type and of the stack */
    MP_CLICKHOUSE_STACK,    /* hash of the stack */
    MP_CLICKHOUSE_FRAMES,   /* text of the stack */
} mp_clickhouse_source;

typedef struct mp_clickhouse_column {
    const char *name;
    const char *type; /* type without Nullable */
    const char *meaning;
    const mp_column *member; /* column of the relation; NULL = a shared column */
    mp_clickhouse_source source;
    bool is_key, has_null;
} mp_clickhouse_column;

/* Indexes of the columns that all tables have. They come before the columns of the relations. */
enum mp_clickhouse_shared {
    MP_CLICKHOUSE_RECORDING,
    MP_CLICKHOUSE_DAY,
    MP_CLICKHOUSE_TIME,
    MP_CLICKHOUSE_HOST,
    MP_CLICKHOUSE_BUILD,
    MP_CLICKHOUSE_LABEL_NAMES,
    MP_CLICKHOUSE_LABEL_VALUES,
    MP_CLICKHOUSE_VERSION,
    MP_CLICKHOUSE_PART,
    MP_CLICKHOUSE_SHARED_COLUMNS,
};

enum { MP_CLICKHOUSE_COLUMNS = 80 };

/* Write the columns of a table, in order, to the array `columns`. Return their number. */
size_t mp_clickhouse_columns(const mp_clickhouse_table *table,
                             mp_clickhouse_column columns[MP_CLICKHOUSE_COLUMNS]);
/* Return true if a list of names separated by spaces contains the name. NULL is an empty list. */
bool mp_clickhouse_lists(const char *list, const char *name);

/* Check that every label has the form NAME=VALUE, and that no name occurs twice. Return false with
 * an error. */
bool mp_clickhouse_check_labels(const mp_argument_texts *labels, mp_error *error);

/* Versions of ClickHouse whose statements differ. */
typedef enum mp_clickhouse_dialect {
    MP_CLICKHOUSE_18, /* version 18.16, which Debian 12 has */
    MP_CLICKHOUSE_CURRENT,
} mp_clickhouse_dialect;

/* Write the statements that create the database. `cluster`: name of the cluster to whose shards the
 * tables are distributed; NULL = a single server. */
void mp_clickhouse_put_schema(FILE *file, const char *cluster, mp_clickhouse_dialect dialect);
/* Write the beginning of the statement that inserts the rows of an export. The rows are not
 * written. */
void mp_clickhouse_put_insert(FILE *file, const mp_clickhouse_table *table);
