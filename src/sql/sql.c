#include "sql/sql.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "query/labels.h"
#include "sql/tables.h"
#include "sql/views.h"

/* Steps are instructions of SQLite's machine: a walk with a sum takes ten a row. */
enum { STEPS_A_CALL = 100 * 1000, LONGEST_PATTERN = 1000 };
#define LEAST_STEPS INT64_C(200000000)
#define STEPS_A_ROW INT64_C(1000)

static const struct {
    int what, most;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, 1024 * 1024}, {SQLITE_LIMIT_SQL_LENGTH, 256 * 1024},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},     {SQLITE_LIMIT_COMPOUND_SELECT, 100},
    {SQLITE_LIMIT_VDBE_OP, 100 * 1000}, {SQLITE_LIMIT_FUNCTION_ARG, 32},
    {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LONGEST_PATTERN},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 0},  {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_WORKER_THREADS, 0},   {SQLITE_LIMIT_COLUMN, 200},
};

struct mp_sql {
    sqlite3 *database;
    sqlite3_stmt *statement;
    mp_sql_tables tables;
    int64_t steps_left;
    bool refused; /* the statement would do more than read */
};

/* --- functions --- */

/* bytes('64 KiB') */
static void parse_size(sqlite3_context *result, int count, sqlite3_value **values)
{
    (void)count;
    const char *text = (const char *)sqlite3_value_text(values[0]);
    int64_t bytes;
    if (text && mp_parse_bytes(text, &bytes))
        sqlite3_result_int64(result, bytes);
    else if (text)
        sqlite3_result_error(result, "bytes() takes a size such as '64K' or '1.5MiB'", -1);
}

/* human(65536) */
static void format_size(sqlite3_context *result, int count, sqlite3_value **values)
{
    (void)count;
    char text[MP_UNIT_TEXT];
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    mp_format_bytes(text, sqlite3_value_int64(values[0]), false, false);
    sqlite3_result_text(result, text, -1, SQLITE_TRANSIENT);
}

/* A pattern as options take it, in place of SQLite's: `x GLOB pattern` is glob(pattern, x). */
static void match_glob(sqlite3_context *result, int count, sqlite3_value **values)
{
    (void)count;
    const char *pattern = (const char *)sqlite3_value_text(values[0]);
    const char *text = (const char *)sqlite3_value_text(values[1]);
    if (pattern && strlen(pattern) > LONGEST_PATTERN)
        sqlite3_result_error(result, "the pattern is too long", -1);
    else if (pattern && text)
        sqlite3_result_int(result, mp_glob_fits(pattern, text, 0));
}

/* namespace('App.Orders.Order') */
static void cut_namespace(sqlite3_context *result, int count, sqlite3_value **values)
{
    (void)count;
    const char *name = (const char *)sqlite3_value_text(values[0]);
    const size_t length = name ? mp_namespace_length(name) : 0;
    if (name)
        sqlite3_result_text(result, name, (int)length, SQLITE_TRANSIENT);
}

static int add_functions(sqlite3 *database)
{
    static const struct {
        const char *name;
        int arguments;
        void (*run)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"bytes", 1, parse_size},
                     {"human", 1, format_size},
                     {"glob", 2, match_glob},
                     {"namespace", 1, cut_namespace}};
    const int how = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int result = SQLITE_OK;
    for (size_t i = 0; result == SQLITE_OK && i < sizeof functions / sizeof *functions; i++)
        result = sqlite3_create_function(database, functions[i].name, functions[i].arguments, how,
                                         NULL, functions[i].run, NULL, NULL);
    return result;
}

/* --- what a statement may do --- */

static int count_steps(void *opaque)
{
    mp_sql *sql = opaque;
    sql->steps_left -= STEPS_A_CALL;
    return sql->steps_left < 0;
}

/* Let it read and reckon. */
static int allow(void *opaque, int action, const char *first, const char *second,
                 const char *database, const char *through)
{
    (void)first, (void)database, (void)through;
    mp_sql *sql = opaque;
    bool may = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE ||
               (action == SQLITE_FUNCTION && sqlite3_stricmp(second, "load_extension") != 0);
    may |= sql->tables.declaring;
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
        result = add_functions(sql->database);
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
    if (result != SQLITE_OK && !sql->refused)
        return mp_fail(error, MP_ERROR_ARGUMENT, "the statement cannot be run: %s",
                       sqlite3_errmsg(sql->database));
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
    if (open_database(sql) != SQLITE_OK) {
        mp_fail(error, MP_ERROR_INPUT, "SQLite cannot be used: %s", sqlite3_errmsg(sql->database));
    } else if (prepare(sql, statement, error)) {
        /* As many as statements take that look at each row a thousand times. */
        sql->steps_left = LEAST_STEPS + sql->tables.rows * STEPS_A_ROW;
        sqlite3_progress_handler(sql->database, STEPS_A_CALL, count_steps, sql);
        return sql;
    }
    mp_sql_close(sql);
    return NULL;
}

void mp_sql_close(mp_sql *sql)
{
    if (!sql)
        return;
    sqlite3_finalize(sql->statement);
    sqlite3_close(sql->database);
    free(sql);
}

/* --- rows --- */

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
    if (result == SQLITE_INTERRUPT)
        mp_fail(error, MP_ERROR_INPUT,
                "the statement takes more steps than its recording explains: is a condition "
                "missing that joins its tables, or one that ends its recursion?");
    else if (result != SQLITE_ROW && result != SQLITE_DONE)
        mp_fail(error, MP_ERROR_INPUT, "the statement ends without an answer: %s",
                sqlite3_errmsg(sql->database));
    return result == SQLITE_ROW;
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
