/* SQLite, through the table of functions that it gives to its extensions. It is loaded when it is
 * first needed (base/late.h): for AQTime databases, the command sql and exports to databases. */
#pragma once

/* The name of the table in sqlite3ext.h, which another part of the program may use too. */
#define sqlite3_api mp_sqlite_api
#include <sqlite3ext.h>

extern const sqlite3_api_routines *mp_sqlite_api;

/* Load SQLite, unless it is loaded already. Its functions may be called only after that. Return
 * NULL, or a static text with the reason why SQLite cannot be loaded. Thread-safe. */
const char *mp_sqlite_load(void);
