#define SQLITE_CORE 1 /* this file calls functions before there is a table of them */
#include "base/sqlite.h"

#include <pthread.h>

#include "base/sqlite_linked.h"

enum { OLDEST = 3028000 }; /* the first version with all functions that memprof calls */

const sqlite3_api_routines *mp_sqlite_api;

/* Defined only in the static program (src/cli/static), into which SQLite is linked. */
extern const mp_sqlite mp_sqlite_linked __attribute__((weak));

/* SQLite calls this as if it initialized an extension of a database. */
static int take_table(sqlite3 *database, char **message, const sqlite3_api_routines *table)
{
    (void)database, (void)message;
    mp_sqlite_api = table;
    return SQLITE_OK;
}

static mp_sqlite sqlite;

static const char *const names[] = {MP_SQLITE(MP_LATE_NAME)};
static mp_late library = MP_LATE(MEMPROF_SQLITE, names, sqlite, mp_sqlite_linked);

static void load(void)
{
    typedef void (*entry)(void);
    if (mp_late_load(&library) || sqlite.sqlite3_libversion_number() < OLDEST)
        return;
    sqlite3 *database = NULL;
    sqlite.sqlite3_auto_extension((entry)take_table);
    sqlite.sqlite3_open(":memory:", &database);
    sqlite.sqlite3_cancel_auto_extension((entry)take_table);
    sqlite.sqlite3_close(database);
}

const char *mp_sqlite_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return mp_sqlite_api ? NULL : library.failure;
}
