/* SQL over relations: SQLite with a read-only virtual table for each relation of a model, and
 * nothing else. A statement is one SELECT. It reads no file and writes none, and its limits end
 * it. */
#pragma once

#include "base/error.h"
#include "sql/recording.h"
#include "sql/values.h"

typedef struct mp_sql mp_sql;

/* Prepare a statement over one or more recordings, which must outlive it. A table has the rows of
 * all recordings that have its relation. If `several`, "recording" is the first column of every
 * table and view; otherwise it is a hidden column of the tables. Return NULL, with an error of the
 * code MP_ERROR_ARGUMENT, if the statement is not a SELECT that can be run. Release with
 * mp_sql_close. */
mp_sql *mp_sql_open(const mp_sql_recording *recordings, size_t count, bool several,
                    const char *statement, mp_error *error);
/* Close the statement. NULL is allowed. */
void mp_sql_close(mp_sql *sql);

/* A column of the answer. Its name is valid as long as the statement. If it is a relation's column,
 * it has that column's unit, otherwise MP_TEXT. */
typedef struct mp_sql_column {
    const char *name;
    mp_unit unit;
    bool is_plain; /* a relation's column: its unit is known */
} mp_sql_column;
size_t mp_sql_column_count(const mp_sql *sql);
mp_sql_column mp_sql_column_at(const mp_sql *sql, size_t column);

/* Set a function that is called from time to time while the statement runs; if it returns false,
 * the statement ends with MP_ERROR_CANCELLED. */
void mp_sql_watch(mp_sql *sql, bool (*goes_on)(void *opaque), void *opaque);

/* Move to the next row. Return false at the end; `error` then has a code if the statement
 * failed. */
bool mp_sql_step(mp_sql *sql, mp_error *error);
/* Return the number of rows that the statement has read from tables. */
int64_t mp_sql_rows_read(const mp_sql *sql);
/* Return a value of the current row. The text is set for all kinds except NULL, and is valid until
 * the next row. */
mp_sql_value mp_sql_value_at(mp_sql *sql, size_t column);

/* Return a word that statements may contain, by its index: functions, then keywords, each in lower
 * case, and not sorted. NULL after the last. Static. */
const char *mp_sql_word(size_t place);
