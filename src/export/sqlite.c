/* Export to a SQLite database of many recordings.
 *
 * The checksum of a recording is its name in the database. Each recording is stored once: adding it
 * again changes nothing. All recordings of an export are one transaction. If the process ends in
 * the middle, the database stays as it was. */
#include <stdlib.h>

#include "base/sqlite.h"
#include "export/fleet.h"
#include "sql/values.h"
#include "sql/views.h"

/* PRAGMA application_id of memprof's databases: "mprf". */
enum { APPLICATION = 0x6d707266, MOST_WAIT_MS = 60000 };

/* The database of an export. */
typedef struct fleet_database {
    mp_fleet fleet;
    sqlite3 *database; /* NULL: no recording was added yet */
} fleet_database;

static bool fail(const fleet_database *state)
{
    return mp_fail(state->fleet.error, MP_ERROR_OUTPUT, "%s: %s", state->fleet.path,
                   sqlite3_errmsg(state->database));
}

static bool run(const fleet_database *state, const char *statement)
{
    return sqlite3_exec(state->database, statement, NULL, NULL, NULL) == SQLITE_OK || fail(state);
}

/* Return the first number of the query's result; -1 if there is none. */
static int64_t ask(const fleet_database *state, const char *question, const char *text)
{
    sqlite3_stmt *statement;
    int64_t answer = -1;
    if (sqlite3_prepare_v2(state->database, question, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    if (text)
        sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW)
        answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

/* --- tables --- */

/* Return the statement that creates the table of a relation. Release with sqlite3_free. */
static char *declaration_of(const mp_relation *relation)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "CREATE TABLE %s (recording TEXT", relation->name);
    for (size_t i = 0; i < relation->column_count; i++)
        if (mp_sql_is_column(&relation->columns[i]))
            sqlite3_str_appendf(text, ", \"%w\" %s", relation->columns[i].name,
                                mp_sql_type(relation->columns[i].unit));
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

static bool make_table(const fleet_database *state, const mp_relation *relation)
{
    char *declaration = declaration_of(relation);
    char *index = sqlite3_mprintf("CREATE INDEX %s_by_recording ON %s (recording)", relation->name,
                                  relation->name);
    const bool ok = declaration && index && run(state, declaration) && run(state, index);
    sqlite3_free(declaration);
    sqlite3_free(index);
    return ok;
}

static bool make_tables(const fleet_database *state)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    char views[MP_SQL_VIEWS];
    for (size_t i = 0; i < count; i++)
        if (!make_table(state, relations[i]))
            return false;
    char *mark = sqlite3_mprintf("PRAGMA application_id = %d", APPLICATION);
    const bool ok = mark && run(state, mp_sql_views(true, views)) && run(state, mark);
    sqlite3_free(mark);
    return ok;
}

/* Return true if the database has the tables that will be written. Otherwise set an error, and
 * return false. */
static bool has_tables(const fleet_database *state)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    bool same = true;
    if (ask(state, "PRAGMA application_id", NULL) != APPLICATION)
        return mp_fail(state->fleet.error, MP_ERROR_OUTPUT,
                       "%s: is another program's database, expected none, or one that memprof made",
                       state->fleet.path);
    for (size_t i = 0; i < count && same; i++) {
        char *declaration = declaration_of(relations[i]);
        same = declaration &&
               ask(state, "SELECT count(*) FROM sqlite_schema WHERE sql = ?", declaration) == 1;
        sqlite3_free(declaration);
    }
    return same || mp_fail(state->fleet.error, MP_ERROR_OUTPUT,
                           "%s: has the tables of another version of memprof, expected those of "
                           "this one: export to a new file",
                           state->fleet.path);
}

/* Open the database and begin a transaction. end_database must close it, even if this fails. */
static bool open_database(mp_fleet *fleet)
{
    fleet_database *state = (fleet_database *)fleet;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const char *missing = mp_sqlite_load();
    if (missing)
        return mp_fail(fleet->error, MP_ERROR_OUTPUT, "%s: %s", fleet->path, missing);
    if (sqlite3_open_v2(fleet->path, &state->database, flags, NULL) != SQLITE_OK)
        return fail(state);
    sqlite3_busy_timeout(state->database, MOST_WAIT_MS);
    if (!run(state, "PRAGMA temp_store = MEMORY") || !run(state, "BEGIN IMMEDIATE"))
        return false;
    const int64_t tables = ask(state, "SELECT count(*) FROM sqlite_schema", NULL);
    return tables < 0 ? fail(state) : tables ? has_tables(state) : make_tables(state);
}

static bool find_recording(mp_fleet *fleet, bool *known)
{
    const fleet_database *state = (fleet_database *)fleet;
    *known =
        ask(state, "SELECT count(*) FROM recordings WHERE recording = ?", fleet->recording) > 0;
    return true;
}

/* --- rows --- */

static bool bind(sqlite3_stmt *statement, int place, const mp_sql_value *value)
{
    switch (value->kind) {
    case MP_SQL_INTEGER:
        return sqlite3_bind_int64(statement, place, value->integer) == SQLITE_OK;
    case MP_SQL_REAL:
        return sqlite3_bind_double(statement, place, value->real) == SQLITE_OK;
    case MP_SQL_TEXT:
        return sqlite3_bind_text(statement, place, value->text, -1, SQLITE_STATIC) == SQLITE_OK;
    default:
        return sqlite3_bind_null(statement, place) == SQLITE_OK;
    }
}

static bool put_row(sqlite3_stmt *statement, mp_cursor *cursor)
{
    const mp_relation *relation = cursor->relation;
    int place = 2;
    bool ok = true;
    for (size_t i = 0; i < relation->column_count && ok; i++) {
        if (!mp_sql_is_column(&relation->columns[i]))
            continue;
        const mp_sql_value value =
            mp_sql_value_of(&relation->columns[i], cursor->row, &cursor->texts);
        ok = bind(statement, place++, &value);
    }
    ok = ok && sqlite3_step(statement) == SQLITE_DONE;
    return sqlite3_reset(statement) == SQLITE_OK && ok;
}

static sqlite3_stmt *prepare_rows(const fleet_database *state, const mp_relation *relation)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "INSERT INTO %s VALUES (?", relation->name);
    for (size_t i = 0; i < relation->column_count; i++)
        if (mp_sql_is_column(&relation->columns[i]))
            sqlite3_str_appendall(text, ", ?");
    sqlite3_str_appendall(text, ")");
    char *insert = sqlite3_str_finish(text);
    if (insert)
        sqlite3_prepare_v2(state->database, insert, -1, &statement, NULL);
    if (statement)
        sqlite3_bind_text(statement, 1, state->fleet.recording, -1, SQLITE_STATIC);
    sqlite3_free(insert);
    return statement;
}

static bool put_rows(mp_fleet *fleet, size_t table, mp_cursor *cursor, int64_t *count)
{
    (void)table;
    const fleet_database *state = (fleet_database *)fleet;
    sqlite3_stmt *statement = prepare_rows(state, cursor->relation);
    bool ok = statement != NULL;
    for (; ok && mp_cursor_next(cursor, MP_ALL_COLUMNS); ++*count)
        ok = put_row(statement, cursor);
    if (!ok)
        fail(state);
    sqlite3_finalize(statement);
    return ok;
}

/* --- the export --- */

static const mp_fleet_format format = {true, open_database, find_recording, put_rows};

static void *begin_database(const char *path)
{
    fleet_database *state = mp_alloc_zero(1, sizeof *state);
    mp_fleet_init(&state->fleet, &format, path);
    return state;
}

static bool end_database(void *sink, bool keep, mp_document *document, mp_error *error)
{
    fleet_database *state = sink;
    state->fleet.error = error;
    const bool ok =
        keep && state->database && run(state, state->fleet.added ? "COMMIT" : "ROLLBACK");
    if (ok)
        mp_fleet_describe(&state->fleet, document);
    if (state->database)
        sqlite3_close(state->database); /* rolls back changes that were not committed */
    mp_fleet_free(&state->fleet);
    free(state);
    return ok;
}

const mp_exporter mp_exporter_sqlite = {
    .name = "sqlite",
    .endings = ".db .sqlite .sqlite3",
    .report = {.name = MP_EXPORT_TO("sqlite"),
               .summary = "SQLite database with the tables of SQL; adds to it",
               .loads = mp_sqlite_load,
               MP_FLEET_REPORT},
    .binary = true,
    .in_place = true,
    .many = true,
    .begin = begin_database,
    .end = end_database,
};
