/* Relations as virtual tables of SQLite. Private to src/sql. */
#pragma once

#include "base/sqlite.h"
#include "sql/recording.h"

/* Data shared by the tables of one connection. */
typedef struct mp_sql_tables {
    const mp_sql_recording *recordings;
    size_t count;
    bool several;   /* the column "recording" is not hidden */
    bool declaring; /* the columns of a table are being declared to SQLite, which asks the
                       authorizer */
    int64_t read;   /* rows that statements read */
    int64_t rows;   /* rows of all tables in a statement; a table counts as often as it occurs */
} mp_sql_tables;

/* Add a table for each relation to the connection, which `tables` must outlive. Return a result
 * code of SQLite. */
int mp_sql_add_tables(sqlite3 *database, mp_sql_tables *tables);
