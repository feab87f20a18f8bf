#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sql/functions.h"
#include "sql/tables.h"
#include "sql/views.h"

/* Steps are instructions of SQLite's virtual machine: a walk over rows with a sum needs ten per
 * row. */
enum { STEPS_A_CALL = 10 * 1000, NANOSECONDS_A_STEP = 100 };
#define LEAST_STEPS INT64_C(200000000)
#define STEPS_A_ROW INT64_C(1000)

static const struct {
    int what, most;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, 1024 * 1024}, {SQLITE_LIMIT_SQL_LENGTH, 256 * 1024},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},     {SQLITE_LIMIT_COMPOUND_SELECT, 100},
    {SQLITE_LIMIT_VDBE_OP, 100 * 1000}, {SQLITE_LIMIT_FUNCTION_ARG, 32},
    {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MP_SQL_LONGEST_PATTERN},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 0},  {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_WORKER_THREADS, 0},   {SQLITE_LIMIT_COLUMN, 200},
};

struct mp_sql {
    sqlite3 *database;
    sqlite3_stmt *statement;
    mp_sql_tables tables;
    int64_t steps_left;
    int64_t counted_ns;            /* processor time when steps were last counted */
    bool refused;                  /* the statement would do more than read */
    bool (*goes_on)(void *opaque); /* NULL = it is never cancelled */
    void *opaque;
    bool cancelled;
};

/* --- what a statement may do --- */

/* Return the processor time of this thread in nanoseconds. */
static int64_t processor_time(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Count the steps since the last call or, if functions made them long, the time that they took. */
static int count_steps(void *opaque)
{
    mp_sql *sql = opaque;
    const int64_t now = processor_time();
    const int64_t timed = (now - sql->counted_ns) / NANOSECONDS_A_STEP;
    sql->counted_ns = now;
    sql->steps_left -= timed > STEPS_A_CALL ? timed : STEPS_A_CALL;
    sql->cancelled = sql->goes_on && !sql->goes_on(sql->opaque);
    return sql->cancelled || sql->steps_left < 0;
}

/* Allow reading and computing, and nothing else. */
static int allow(void *opaque, int action, const char *first, const char *second,
                 const char *database, const char *through)
{
    (void)first, (void)database, (void)through;
    mp_sql *sql = opaque;
    if (action == SQLITE_FUNCTION) /* the message names the function */
        return mp_sql_may_call(second) ? SQLITE_OK : SQLITE_DENY;
    const bool may = action == SQLITE_SELECT || action == SQLITE_READ ||
                     action == SQLITE_RECURSIVE || sql->tables.declaring;
    sql->refused |= !may;
    return may ? SQLITE_OK : SQLITE_DENY;
}

/* --- opening --- */

static int open_database(mp_sql *sql)
{
    char views[MP_SQL_VIEWS];
    int result = sqlite3_open_v2(":memory:", &sql->database,
                                 SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL);
    if (result == SQLITE_OK)
        result = mp_sql_add_tables(sql->database, &sql->tables);
    if (result == SQLITE_OK)
        result = mp_sql_add_functions(sql->database, &sql->tables);
    if (result == SQLITE_OK)
        result =
            sqlite3_exec(sql->database, mp_sql_views(sql->tables.several, views), NULL, NULL, NULL);
    if (result != SQLITE_OK)
        return result;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(sql->database, limits[i].what, limits[i].most);
    sqlite3_db_config(sql->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_set_authorizer(sql->database, allow, sql);
    return SQLITE_OK;
}

static bool prepare(mp_sql *sql, const char *statement, mp_error *error)
{
    const char *rest;
    const int result = sqlite3_prepare_v2(sql->database, statement, -1, &sql->statement, &rest);
    if (result != SQLITE_OK && !sql->refused) {
        const char *why = sqlite3_errmsg(sql->database);
        const bool unknown = strncmp(why, "no ", 3) == 0;
        return mp_fail(error, MP_ERROR_ARGUMENT, "the statement cannot be run: %s%s", why,
                       unknown ? "; sql " MP_DASHES "schema lists what there is" : "");
    }
    if (result == SQLITE_OK && rest[strspn(rest, " \t\r\n;")])
        return mp_fail(error, MP_ERROR_ARGUMENT, "expected one statement, and got more");
    const bool reads = sql->statement && sqlite3_stmt_readonly(sql->statement) &&
                       sqlite3_column_count(sql->statement) &&
                       !sqlite3_stmt_isexplain(sql->statement);
    return reads ||
           mp_fail(error, MP_ERROR_ARGUMENT, "expected a SELECT: a statement can only read");
}

mp_sql *mp_sql_open(const mp_sql_recording *recordings, size_t count, bool several,
                    const char *statement, mp_error *error)
{
    mp_sql *sql = mp_alloc_zero(1, sizeof *sql);
    sql->tables.recordings = recordings;
    sql->tables.count = count;
    sql->tables.several = several;
    const char *missing = mp_sqlite_load();
    if (missing) {
        mp_fail(error, MP_ERROR_INPUT, "sql %s", missing);
    } else if (open_database(sql) != SQLITE_OK) {
        mp_fail(error, MP_ERROR_INPUT, "SQLite cannot be used: %s", sqlite3_errmsg(sql->database));
    } else if (prepare(sql, statement, error)) {
        /* as many as statements need that read each row a thousand times */
        sql->steps_left = LEAST_STEPS + sql->tables.rows * STEPS_A_ROW;
        sql->counted_ns = processor_time();
        sqlite3_progress_handler(sql->database, STEPS_A_CALL, count_steps, sql);
        return sql;
    }
    mp_sql_close(sql);
    return NULL;
}

void mp_sql_close(mp_sql *sql)
{
    if (sql && sql->database) {
        sqlite3_finalize(sql->statement);
        sqlite3_close(sql->database);
    }
    free(sql);
}

/* --- rows --- */

void mp_sql_watch(mp_sql *sql, bool (*goes_on)(void *opaque), void *opaque)
{
    sql->goes_on = goes_on;
    sql->opaque = opaque;
}

size_t mp_sql_column_count(const mp_sql *sql)
{
    return (size_t)sqlite3_column_count(sql->statement);
}

mp_sql_column mp_sql_column_at(const mp_sql *sql, size_t column)
{
    mp_sql_column made = {.name = sqlite3_column_name(sql->statement, (int)column)};
    made.is_plain = mp_sql_unit(sqlite3_column_decltype(sql->statement, (int)column), &made.unit);
    return made;
}

bool mp_sql_step(mp_sql *sql, mp_error *error)
{
    const int result = sqlite3_step(sql->statement);
    if (sql->cancelled)
        mp_fail(error, MP_ERROR_CANCELLED, "the statement was interrupted");
    else if (result == SQLITE_INTERRUPT)
        mp_fail(error, MP_ERROR_INPUT,
                "the statement takes more steps than its recording explains: is a condition "
                "missing that joins its tables, or one that ends its recursion?");
    else if (result != SQLITE_ROW && result != SQLITE_DONE)
        mp_fail(error, MP_ERROR_INPUT, "the statement ends without an answer: %s",
                sqlite3_errmsg(sql->database));
    return result == SQLITE_ROW;
}

int64_t mp_sql_rows_read(const mp_sql *sql)
{
    return sql->tables.read;
}

mp_sql_value mp_sql_value_at(mp_sql *sql, size_t column)
{
    const int place = (int)column;
    mp_sql_value value = {.kind = MP_SQL_TEXT};
    switch (sqlite3_column_type(sql->statement, place)) {
    case SQLITE_NULL:
        return (mp_sql_value){.kind = MP_SQL_NULL};
    case SQLITE_INTEGER:
        value.kind = MP_SQL_INTEGER;
        value.integer = sqlite3_column_int64(sql->statement, place);
        value.real = (double)value.integer;
        break;
    case SQLITE_FLOAT:
        value.kind = MP_SQL_REAL;
        value.real = sqlite3_column_double(sql->statement, place);
        break;
    default:
        break;
    }
    value.text = (const char *)sqlite3_column_text(sql->statement, place);
    return value;
}
