/* SQL over relations: SQLite with a read-only virtual table for each relation that a model has, and
 * nothing else. A statement is one SELECT: it reads no file, writes none, and ends by its limits.
 */
#ifndef MP_SQL_SQL_H
#define MP_SQL_SQL_H

#include "base/error.h"
#include "sql/recording.h"
#include "sql/values.h"

typedef struct mp_sql mp_sql;

/* Prepare a statement over recordings, one at least, which must outlive it. A table has the rows of
 * all recordings that have its relation. If `several`, the column "recording" is the first of every
 * table and view; else it is a hidden one of the tables. Return NULL with an error of the code
 * MP_ERROR_ARGUMENT if it is no SELECT that can be run. Release with mp_sql_close. */
mp_sql *mp_sql_open(const mp_sql_recording *recordings, size_t count, bool several,
                    const char *statement, mp_error *error);
/* NULL: nothing happens. */
void mp_sql_close(mp_sql *sql);

/* A column of the answer. Its name is valid as long as the statement. The unit is that of the
 * relation's column where it is one, else MP_TEXT. */
typedef struct mp_sql_column {
    const char *name;
    mp_unit unit;
    bool is_plain; /* a relation's column: its unit is known */
} mp_sql_column;
size_t mp_sql_column_count(const mp_sql *sql);
mp_sql_column mp_sql_column_at(const mp_sql *sql, size_t column);

/* Move to the next row. Return false at the end; `error` then has a code if the statement could not
 * be finished. */
bool mp_sql_step(mp_sql *sql, mp_error *error);
/* Return the number of rows that the statement has read from tables. */
int64_t mp_sql_rows_read(const mp_sql *sql);
/* Return a value of the current row. Its text is there for all kinds but NULL, until the next row.
 */
mp_sql_value mp_sql_value_at(mp_sql *sql, size_t column);

#endif
