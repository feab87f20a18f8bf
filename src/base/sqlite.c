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

static void load(void)
{
    static const char *const names[] = {MP_SQLITE(MP_LATE_NAME)};
    typedef void (*entry)(void);
    mp_sqlite loaded = {0};
    const mp_sqlite *sqlite = &mp_sqlite_linked ? &mp_sqlite_linked : &loaded;
    if (sqlite == &loaded &&
        !mp_late_load(MEMPROF_SQLITE, names, sizeof names / sizeof *names, &loaded))
        return;
    if (sqlite->sqlite3_libversion_number() < OLDEST)
        return;
    sqlite3 *database = NULL;
    sqlite->sqlite3_auto_extension((entry)take_table);
    sqlite->sqlite3_open(":memory:", &database);
    sqlite->sqlite3_cancel_auto_extension((entry)take_table);
    sqlite->sqlite3_close(database);
}

const char *mp_sqlite_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return mp_sqlite_api ? NULL : MP_LATE_FAILURE(MEMPROF_SQLITE);
}
