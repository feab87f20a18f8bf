/* The reader of AQTime allocation databases: opening them, and going from set to set. */
#include "readers/aqtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/build.h"

static const char signature[] = "SQLite format 3"; /* with its NUL */

/* The schema stands at the start of the file; its texts are as they were written. */
static bool names_table(mp_slice head)
{
    static const char name[] = "ALLOCATION_PROFILER_";
    const char *end = head.at + head.length;
    for (const char *at = head.at; at + sizeof name - 1 <= end; at++)
        if ((*at == 'A' || *at == 'a') && strncasecmp(at, name, sizeof name - 1) == 0)
            return true;
    return false;
}

static mp_bid probe(mp_slice head)
{
    bool database =
        head.length > sizeof signature && memcmp(head.at, signature, sizeof signature) == 0;
    return database && names_table(head) ? MP_MINE : MP_NOT_MINE;
}

/* --- opening --- */

/* Places in the header of a database. */
enum { WRITE_VERSION = 18, READ_VERSION = 19, HEADER = 100 };

/* Whether it is written by way of a log beside it. */
static bool is_logged(mp_slice head)
{
    return head.length >= HEADER && head.at[READ_VERSION] == 2;
}

static bool cannot_open(aq_state *state, const char *why)
{
    mp_diagnose(state->diagnostics, MP_DIAG_CANNOT_READ, state->path, 0,
                "cannot open the database: %s", why);
    return false;
}

/* "file:" and the path, with what means something in a URI escaped. */
static char *uri_of(aq_state *state, const char *path, const char *options)
{
    size_t size = strlen(path) * 3 + 64, used = 0;
    char *uri = mp_arena_alloc(&state->scratch, size);
    used += (size_t)snprintf(uri, size, "file:");
    for (; *path; path++)
        used += (size_t)snprintf(uri + used, size - used, strchr("%?#", *path) ? "%%%02X" : "%c",
                                 (unsigned char)*path);
    snprintf(uri + used, size - used, "?%s", options);
    return uri;
}

static int open_uri(aq_state *state, const char *path, const char *options)
{
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    sqlite3_close(state->database);
    state->database = NULL;
    int code = sqlite3_open_v2(uri_of(state, path, options), &state->database, flags, NULL);
    if (code == SQLITE_OK) /* reads the file's first page */
        code = sqlite3_exec(state->database, "SELECT 1 FROM sqlite_master", NULL, NULL, NULL);
    mp_arena_free(&state->scratch);
    return code;
}

static bool has_log(aq_state *state, const char *path)
{
    bool there = access(mp_arena_format(&state->scratch, "%s-wal", path), F_OK) == 0;
    mp_arena_free(&state->scratch);
    return there;
}

/* A database with a write-ahead log is opened as one that nobody writes to where there is no such
 * log, or the folder is read-only: SQLite would make files beside it. */
static bool open_path(aq_state *state, const char *path, bool logged)
{
    const char *const frozen = "mode=ro&immutable=1";
    int code = open_uri(state, path, logged && !has_log(state, path) ? frozen : "mode=ro");
    if (logged && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY))
        code = open_uri(state, path, frozen);
    return code == SQLITE_OK || cannot_open(state, sqlite3_errmsg(state->database));
}

/* What came through a pipe, or is in memory. */
static bool open_bytes(aq_state *state, mp_input *input)
{
    size_t length = 0;
    char *bytes = mp_input_keep(input) ? mp_input_map(input, &length) : NULL;
    if (!bytes)
        return false;
    /* A database with a write-ahead log: without the log, what is checkpointed. */
    if (is_logged((mp_slice){bytes, length}))
        bytes[READ_VERSION] = bytes[WRITE_VERSION] = 1;
    if (sqlite3_open_v2(":memory:", &state->database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_deserialize(state->database, "main", (unsigned char *)bytes, (sqlite3_int64)length,
                            (sqlite3_int64)length, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
        return cannot_open(state, sqlite3_errmsg(state->database));
    return true;
}

/* Nothing in a database may make the library do more than read its tables. */
static void confine(sqlite3 *database)
{
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_exec(database, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

/* --- one input --- */

static void begin_session(aq_state *state)
{
    (void)MP_ADD(&state->model->sessions);
    mp_session_id session = {state->model->sessions.count - 1};
    mp_census_open(&state->census, state->model, session);
    if (state->options->keep_objects)
        state->history = mp_history_new(state->model);
    for (size_t i = 0; i < state->set_count; i++) {
        mp_snapshot *snapshot = mp_model_begin_snapshot(state->model, session);
        snapshot->sequence = (uint64_t)state->sets[i].id;
        snapshot->tag = state->sets[i].caption;
        state->sets[i].snapshot.i = state->model->snapshots.count - 1;
    }
}

/* The set at which reports look by themselves, see mp_window_of. */
static size_t last_of_interest(const aq_state *state)
{
    for (size_t i = state->set_count; i-- > 0;)
        if (mp_model_is_clean_up(state->model, state->sets[i].caption))
            return i;
    return state->set_count - 1;
}

static void read_set(aq_state *state)
{
    mp_snapshot_id snapshot = state->sets[state->set].snapshot;
    aq_read_names(state);
    aq_read_objects(state);
    if (state->failed)
        return;
    mp_census_count(&state->census, snapshot);
    aq_check_figures(state);
    mp_census_end(&state->census, snapshot);
    if (state->history)
        mp_history_end_snapshot(state->history, snapshot);
    aq_read_references(state);
}

static bool read_database(aq_state *state)
{
    if (!aq_open_tables(state) || !aq_read_sets(state))
        return false;
    begin_session(state);
    state->graph_set = last_of_interest(state);
    for (state->set = 0; state->set < state->set_count && !state->failed; state->set++)
        read_set(state);
    return !state->failed;
}

static void end_input(aq_state *state)
{
    if (state->converted)
        mp_diagnose(state->diagnostics, MP_DIAG_NOT_UTF8, state->path, 0,
                    "has text that is not UTF-8: read as ISO 8859-1");
    aq_close_tables(state);
    sqlite3_close(state->database);
    mp_census_close(&state->census);
    mp_history_free(state->history);
    mp_id_index_free(&state->classes);
    mp_id_index_free(&state->routines);
    mp_id_index_free(&state->threads);
    mp_id_index_free(&state->identities);
    mp_id_index_free(&state->kept);
    mp_id_index_free(&state->vertex_of);
    state->database = NULL;
    state->history = NULL;
    state->set_count = state->ids_before = state->id_count = state->vertex_count =
        state->figure_count = 0;
}

static bool read_aqtime(void *opaque, mp_input *input, uint32_t summary)
{
    aq_state *state = opaque;
    state->path = state->model->inputs.at[summary].path;
    state->failed = state->converted = false;
    state->records = 0;
    state->next_id = (uint64_t)1 << 62;
    bool opened = mp_input_is_plain(input) ? open_path(state, mp_input_path(input),
                                                       is_logged(mp_input_look_ahead(input)))
                                           : open_bytes(state, input);
    bool ok = false;
    if (opened) {
        confine(state->database);
        ok = read_database(state);
    }
    mp_input_finish(input);
    end_input(state);
    state->model->inputs.at[summary].records = state->records;
    state->model->inputs.at[summary].complete = ok;
    return ok;
}

/* --- the reader --- */

static void *open_aqtime(mp_model *model, mp_diagnostics *diagnostics,
                         const mp_load_options *options)
{
    aq_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->diagnostics = diagnostics;
    state->options = options;
    model->holds |= MP_HOLDS_NATIVE;
    return state;
}

static void close_aqtime(void *opaque)
{
    aq_state *state = opaque;
    mp_id_index_free(&state->types);
    mp_id_index_free(&state->symbols);
    mp_id_index_free(&state->node_index);
    free(state->sets);
    free(state->ids);
    free(state->figures);
    free(state->stack);
    free(state->vertices);
    mp_arena_free(&state->scratch);
    free(state);
}

const mp_reader mp_reader_aqtime = {
    .name = "aqtime",
    .summary = "AQTime allocation profiler database (SQLite)",
    .endings = ".sqlite .db",
    .versions = "all",
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .open = open_aqtime,
    .read = read_aqtime,
    .close = close_aqtime,
};
