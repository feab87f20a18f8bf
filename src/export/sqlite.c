/* Export to a SQLite database of many recordings: the relations, a table each, with the recording
 * as the first column of every row.
 *
 * A recording is named by the checksum of its bytes, and is in the database once: to add it again
 * changes nothing. All recordings of an export are one transaction, so that a process that ends in
 * the middle of it leaves the database as it was. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "export/exporter.h"
#include "query/profile_costs.h"
#include "relation/relation.h"
#include "sql/values.h"
#include "sql/views.h"

/* "mprf", which tells databases of memprof from others: PRAGMA application_id. */
enum { APPLICATION = 0x6d707266, MOST_WAIT_MS = 60000 };

/* The database of an export. */
typedef struct fleet {
    sqlite3 *database; /* NULL: no recording was added yet */
    const char *path;
    mp_error *error;
    const char *recording;    /* name of the one that is being added */
    size_t added, known;      /* recordings added; those that were there already */
    int64_t *rows;            /* rows added, by relation; MP_UNKNOWN: no recording has it */
    mp_written_totals totals; /* sums of the recordings added */
} fleet;

static bool fail(const fleet *state)
{
    return mp_fail(state->error, MP_ERROR_OUTPUT, "%s: %s", state->path,
                   sqlite3_errmsg(state->database));
}

static bool run(const fleet *state, const char *statement)
{
    return sqlite3_exec(state->database, statement, NULL, NULL, NULL) == SQLITE_OK || fail(state);
}

/* Return the first number of the answer, -1 where there is none. */
static int64_t ask(const fleet *state, const char *question, const char *text)
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

/* Return the statement that makes the table of a relation; release with sqlite3_free. */
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

static bool make_table(const fleet *state, const mp_relation *relation)
{
    char *declaration = declaration_of(relation);
    char *index = sqlite3_mprintf("CREATE INDEX %s_by_recording ON %s (recording)", relation->name,
                                  relation->name);
    const bool ok = declaration && index && run(state, declaration) && run(state, index);
    sqlite3_free(declaration);
    sqlite3_free(index);
    return ok;
}

static bool make_tables(const fleet *state)
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

/* Return true if the database has the tables that are written; else fail. */
static bool has_tables(const fleet *state)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    bool same = true;
    if (ask(state, "PRAGMA application_id", NULL) != APPLICATION)
        return mp_fail(state->error, MP_ERROR_OUTPUT,
                       "%s: is another program's database, expected none, or one that memprof made",
                       state->path);
    for (size_t i = 0; i < count && same; i++) {
        char *declaration = declaration_of(relations[i]);
        same = declaration &&
               ask(state, "SELECT count(*) FROM sqlite_schema WHERE sql = ?", declaration) == 1;
        sqlite3_free(declaration);
    }
    return same || mp_fail(state->error, MP_ERROR_OUTPUT,
                           "%s: has the tables of another version of memprof, expected those of "
                           "this one: export to a new file",
                           state->path);
}

/* Open the database and begin to write; it is closed by the caller in any case. */
static bool open_fleet(fleet *state)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(state->path, &state->database, flags, NULL) != SQLITE_OK)
        return fail(state);
    sqlite3_busy_timeout(state->database, MOST_WAIT_MS);
    if (!run(state, "PRAGMA temp_store = MEMORY") || !run(state, "BEGIN IMMEDIATE"))
        return false;
    const int64_t tables = ask(state, "SELECT count(*) FROM sqlite_schema", NULL);
    return tables < 0 ? fail(state) : tables ? has_tables(state) : make_tables(state);
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

static sqlite3_stmt *prepare_rows(const fleet *state, const mp_relation *relation)
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
        sqlite3_bind_text(statement, 1, state->recording, -1, SQLITE_STATIC);
    sqlite3_free(insert);
    return statement;
}

static bool put_relation(const fleet *state, const mp_relation *relation,
                         mp_relation_source *source, int64_t *rows)
{
    sqlite3_stmt *statement = prepare_rows(state, relation);
    mp_cursor cursor = mp_cursor_open(relation, source);
    bool ok = statement != NULL;
    *rows = *rows == MP_UNKNOWN ? 0 : *rows;
    for (; ok && mp_cursor_next(&cursor, MP_ALL_COLUMNS); ++*rows)
        ok = put_row(statement, &cursor);
    mp_cursor_free(&cursor);
    if (!ok)
        fail(state);
    sqlite3_finalize(statement);
    return ok;
}

static bool put_relations(const fleet *state, mp_relation_source *source)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    for (size_t i = 0; i < count; i++)
        if (mp_relation_fits(relations[i], source) &&
            !put_relation(state, relations[i], source, &state->rows[i]))
            return false;
    return true;
}

/* --- recordings --- */

static void add(int64_t *total, int64_t more)
{
    *total = *total == MP_UNKNOWN ? more : *total + more;
}

static void add_totals(mp_written_totals *sums, const mp_request *request, const mp_window *window)
{
    if (window) {
        const mp_totals totals = mp_totals_of(window);
        add(&sums->live_objects, totals.live_objects);
        add(&sums->live_bytes, totals.live_bytes);
    } else {
        const mp_profile_totals totals = mp_profile_total(request->filter);
        add(&sums->seconds, totals.exclusive_us);
        add(&sums->calls, totals.calls);
    }
}

static bool put_recording(fleet *state, const mp_request *request, const mp_window *window)
{
    if (!state->database && !open_fleet(state))
        return false;
    if (ask(state, "SELECT count(*) FROM recordings WHERE recording = ?", state->recording) > 0) {
        state->known++;
        return true;
    }
    mp_relation_source *source =
        mp_relation_source_new(request->filter, window, request->diagnostics);
    const bool ok = put_relations(state, source);
    mp_relation_source_free(source);
    add_totals(&state->totals, request, window);
    state->added++;
    return ok;
}

static bool add_recording(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)document;
    const bool heap = request->model->holds & MP_HOLDS_LEDGER;
    fleet *state = request->sink;
    mp_window window;
    mp_arena names = {0};
    if (!mp_export_is_whole(request, error) ||
        (heap && !mp_request_window(request, &window, error)))
        return false;
    state->error = error;
    state->recording = mp_recording_name(request->model, &names);
    const bool ok = put_recording(state, request, heap ? &window : NULL);
    mp_arena_free(&names);
    if (heap)
        mp_window_free(&window);
    return ok;
}

/* --- the export --- */

static void *begin_fleet(const char *path)
{
    fleet *state = mp_alloc_zero(1, sizeof *state);
    size_t count;
    (void)mp_relations(&count);
    state->path = path;
    state->totals = mp_nothing_written;
    state->rows = mp_alloc(count * sizeof *state->rows);
    for (size_t i = 0; i < count; i++)
        state->rows[i] = MP_UNKNOWN;
    return state;
}

/* Return what was added, "tables of 3 more recordings, 1 was there already". */
static const char *describe(mp_document *document, const fleet *state)
{
    if (!state->added)
        return state->known == 1 ? "not changed, it has this recording already"
                                 : "not changed, it has these recordings already";
    const char *added =
        state->added == 1
            ? "tables of one more recording"
            : mp_document_text(document, "tables of %zu more recordings", state->added);
    return state->known ? mp_document_text(document, "%s, %zu %s there already", added,
                                           state->known, state->known == 1 ? "was" : "were")
                        : added;
}

static void put_summary(const fleet *state, mp_document *document)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    mp_written(document, &(mp_request){.path = state->path}, describe(document, state),
               &state->totals);
    mp_table *written = mp_written_table(document);
    for (size_t i = 0; i < count; i++)
        if (state->rows[i] != MP_UNKNOWN)
            mp_written_rows(document, written, relations[i]->name, state->rows[i]);
    if (!state->added)
        mp_written_rows(document, written, "recordings", 0);
}

static bool end_fleet(void *sink, bool keep, mp_document *document, mp_error *error)
{
    fleet *state = sink;
    state->error = error;
    const bool ok = keep && state->database && run(state, state->added ? "COMMIT" : "ROLLBACK");
    if (ok)
        put_summary(state, document);
    sqlite3_close(state->database); /* rolls back if not committed */
    free(state->rows);
    free(state);
    return ok;
}

enum { OF_LOGS = 1 }; /* variants */

static const mp_heap_arguments defaults;

/* None that select: rows of a part would be taken for the whole recording. */
static const mp_argument arguments[] = {
    MP_SHARES("slices", OF_LOGS),
    MP_SHARES("reorder", OF_LOGS),
};

const mp_exporter mp_exporter_sqlite = {
    .name = "sqlite",
    .endings = ".db .sqlite3",
    .report = {.name = MP_EXPORT_TO("sqlite"),
               .summary = "SQLite database with the tables of SQL; adds to it",
               .separates = true,
               .separates_dumps = true,
               .wants_traces = true,
               .wants_objects = true,
               .wants_checksums = true,
               MP_ARGUMENTS(arguments, defaults),
               .variants = {MP_HEAP_VARIANTS(add_recording),
                            {.needs = MP_HOLDS_LEDGER, .run = add_recording},
                            {.needs = MP_HOLDS_PROFILE, .run = add_recording}}},
    .binary = true,
    .in_place = true,
    .many = true,
    .begin = begin_fleet,
    .end = end_fleet,
};
