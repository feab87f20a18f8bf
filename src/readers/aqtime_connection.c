/* The connection to a database: nothing in a file makes SQLite do more than read rows that are
 * there, each once. */
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "readers/aqtime.h"

enum {
    LARGEST_SCHEMA = 128 * 1024, /* some hundred times what the tables of the format take */
    LONGEST_ROW = 1024 * 1024,
    STEPS_A_CALL = 1000,
    STEPS_A_ROW = 400, /* of two walks over it, and its columns sorted */
    STEPS_BESIDE = 1000 * 1000,
};

static const struct {
    int what, most;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, LONGEST_ROW}, {SQLITE_LIMIT_SQL_LENGTH, LARGEST_SCHEMA},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},     {SQLITE_LIMIT_COMPOUND_SELECT, 100},
    {SQLITE_LIMIT_VDBE_OP, 10000},      {SQLITE_LIMIT_FUNCTION_ARG, 32},
    {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 0},  {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

/* More steps than all rows can take: what else the statement does is none of ours. */
static int count_steps(void *opaque)
{
    aq_state *state = opaque;
    state->steps_left -= STEPS_A_CALL;
    return state->steps_left < 0;
}

/* Rows of the tables that are read, and of the schema; no functions, views, triggers, recursion. */
static int allow(void *opaque, int action, const char *first, const char *second,
                 const char *database, const char *through)
{
    (void)opaque, (void)second, (void)database;
    bool may = false;
    if (action == SQLITE_SELECT)
        may = !through;
    else if (action == SQLITE_READ)
        may = !through && (aq_is_table(first) || mp_text_is(first, "sqlite_master"));
    else if (action == SQLITE_PRAGMA)
        may = mp_text_is(first, "table_xinfo");
    return may ? SQLITE_OK : SQLITE_DENY;
}

static bool damaged(aq_state *state, const char *why)
{
    mp_diagnose(state->diagnostics, MP_DIAG_CANNOT_READ, state->path, 0,
                "the database is damaged: %s", why);
    return false;
}

/* The schema is walked before SQLite sees it. */
static bool walk_schema(aq_state *state, aq_pages *pages)
{
    if (!aq_pages_walk(pages, 1))
        return damaged(state, pages->why);
    if (pages->bytes <= LARGEST_SCHEMA)
        return true;
    mp_diagnose(
        state->diagnostics, MP_DIAG_CANNOT_READ, state->path, 0,
        "has a schema of %zu bytes, expected at most %d: it is more than what AQTime exports",
        (size_t)pages->bytes, LARGEST_SCHEMA);
    return false;
}

static bool walk_tables(aq_state *state, aq_pages *pages)
{
    sqlite3_stmt *roots = aq_prepare(
        state, "SELECT rootpage FROM sqlite_master WHERE rootpage > 1 ORDER BY rootpage");
    bool ok = roots;
    int code = SQLITE_DONE;
    while (ok && (code = sqlite3_step(roots)) == SQLITE_ROW) {
        int64_t root = sqlite3_column_int64(roots, 0);
        ok = aq_pages_walk(pages, root <= UINT32_MAX ? (uint32_t)root : UINT32_MAX) ||
             damaged(state, pages->why);
    }
    if (ok && code != SQLITE_DONE)
        ok = aq_fail(state, "cannot read the database's tables");
    sqlite3_finalize(roots);
    return ok;
}

static bool confine(aq_state *state)
{
    sqlite3_db_config(state->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(state->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(state->database, limits[i].what, limits[i].most);
    state->steps_left = STEPS_BESIDE;
    sqlite3_progress_handler(state->database, STEPS_A_CALL, count_steps, state);
    /* A database may name a size of its own, as large as it likes. */
    if (sqlite3_exec(state->database, "PRAGMA cache_size = -2000; PRAGMA cell_size_check = ON",
                     NULL, NULL, NULL) != SQLITE_OK)
        return aq_fail(state, "cannot open the database");
    sqlite3_set_authorizer(state->database, allow, state);
    return true;
}

bool aq_connect(aq_state *state, aq_source *file)
{
    aq_pages pages;
    aq_pages_begin(&pages, file);
    bool ok = walk_schema(state, &pages) && (state->database = aq_source_connect(file)) != NULL &&
              confine(state) && walk_tables(state, &pages);
    if (ok)
        state->steps_left = STEPS_BESIDE + (int64_t)pages.rows * STEPS_A_ROW;
    aq_pages_free(&pages);
    return ok;
}
