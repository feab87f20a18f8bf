/* Columns and members of relations in SQL: a type for each unit, and a value for each member. */
#pragma once

#include "base/column.h"
#include "base/memory.h"

/* Return true if the column is for programs, and therefore part of SQL tables. */
static inline bool mp_sql_is_column(const mp_column *column)
{
    return !(column->flags & MP_FOR_PEOPLE);
}

/* Return the type of a unit, such as "BYTES"; SQLite derives an affinity from it. Static. */
const char *mp_sql_type(mp_unit unit);
/* Find the unit of a type. Return false for other types. NULL stands for no type. */
bool mp_sql_unit(const char *type, mp_unit *unit);

typedef enum mp_sql_kind {
    MP_SQL_NULL,
    MP_SQL_INTEGER,
    MP_SQL_REAL,
    MP_SQL_TEXT,
} mp_sql_kind;

typedef struct mp_sql_value {
    mp_sql_kind kind;
    int64_t integer;
    double real;
    const char *text; /* may not be UTF-8 */
} mp_sql_value;

/* Return the value of a column in a row struct: NULL if it is unknown, seconds for a time in
 * microseconds, "a < b" for a list. The text belongs to the row or is in the arena. */
mp_sql_value mp_sql_value_of(const mp_column *column, const void *row, mp_arena *texts);
