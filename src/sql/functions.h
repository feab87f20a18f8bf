/* Functions of statements: those of memprof, and those of SQLite that a statement may call. Private
 * to src/sql. */
#pragma once

#include "sql/tables.h"

enum { MP_SQL_LONGEST_PATTERN = 1000 };

/* Add the functions to the connection, which `tables` must outlive. Replace functions of SQLite
 * whose cost is not proportional to their arguments. Return a result code of SQLite. */
int mp_sql_add_functions(sqlite3 *database, mp_sql_tables *tables);
/* Return true if a statement may call the function of this name. */
bool mp_sql_may_call(const char *name);
/* Return the name of a function that a statement may call, by its index; NULL after the last. Names
 * occur once for each number of arguments. */
const char *mp_sql_function(size_t place);
