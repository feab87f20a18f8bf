/* The tables of an allocation database, and the walks over their rows. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/build.h"
#include "readers/aqtime.h"

enum { LONGEST_QUERY = 1024 };

typedef struct table_words {
    const char *name, *alias;
    /* kinds of the columns after the row number; n: number, s: text */
    const char *columns[AQ_COLUMNS];
    int second; /* column by which the rows of a set are sorted; 0: none */
} table_words;

#define PREFIX "ALLOCATION_PROFILER_"
#define CLASS_COLUMNS                                                                              \
    "nINST_ID", "nREC_ID", "sCOL_CLASS_NAME", "sCOL_NAMESPACE", "sCOL_MODULE_NAME",                \
        "sCOL_FINALIZABLE"
static const table_words words[AQ_TABLES] = {
    [AQ_INSTANCES] = {"INSTANCES", NULL, {"nINST_ID", "sCAPTION"}, 0},
    [AQ_OBJECTS] = {PREFIX "OBJECTS",
                    NULL,
                    {"nINST_ID", "nID", "nREC_ID", "nCOL_CLASSRID", "nCOL_SIZE", "nCOL__",
                     "nCOL_ADDRESS", "nCOL_GET_", "nCOL_ROOT", "nCOL_THREADRID"},
                    AQ_O_ID},
    [AQ_META_CLASSES] = {PREFIX "META_CLASSES_DATA", PREFIX "META_CLASSES", {CLASS_COLUMNS}, 0},
    [AQ_CLASSES] = {PREFIX "CLASSES_DATA",
                    NULL,
                    {CLASS_COLUMNS, "nCOL_LIVE_COUNT", "nCOL_LIVE_SIZE", "nCOL_PEAK_CREATED",
                     "nCOL_PEAK_SIZE", "nCOL_TOTAL_CREATED", "nCOL_TOTAL_SIZE"},
                    0},
    [AQ_STACKS] = {PREFIX "CREATION_CALL_STACK",
                   NULL,
                   {"nINST_ID", "nPARENT_ID", "nCOL_ROUTINERID"},
                   AQ_S_OBJECT},
    [AQ_ROUTINES] = {PREFIX "META_ROUTINES",
                     NULL,
                     {"nINST_ID", "nREC_ID", "nCOL_SOURCE_LINE", "sCOL_CLASS_NAME",
                      "sCOL_ROUTINE_NAME", "sCOL_SOURCE_FILE", "sCOL_UNIT_NAME", "sCOL_MODULE_NAME",
                      "sCOL_HIT_COUNT"},
                     0},
    [AQ_THREADS] = {PREFIX "THREADS",
                    NULL,
                    {"nINST_ID", "nREC_ID", "nCOL_WIN32THREADID", "sCOL_NAME"},
                    0},
    [AQ_REFERENCES_TO] = {PREFIX "REFERENCES_TO", NULL, {"nINST_ID", "nPARENT_ID", "nREC_ID"}, 0},
    [AQ_REFERENCES_FROM] = {PREFIX "REFERENCES_FROM",
                            NULL,
                            {"nINST_ID", "nPARENT_ID", "nREC_ID"},
                            0},
    [AQ_META_LINES] = {PREFIX "META_LINES", NULL, {NULL}, 0},
    [AQ_RELATIONS] = {"RELATIONS", NULL, {NULL}, 0},
};

const char *aq_table_name(aq_table table)
{
    return words[table].name;
}

void aq_say(aq_state *state, mp_diagnostic_id id, aq_table table, int64_t row, const char *format,
            ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mp_diagnose(state->diagnostics, id, state->path, 0, "%s, row %" PRId64 ": %s",
                words[table].name, row, text);
}

bool aq_is_table(const char *name)
{
    bool is = false;
    for (int i = 0; i < AQ_TABLES; i++)
        is |=
            mp_text_is(name, words[i].name) || (words[i].alias && mp_text_is(name, words[i].alias));
    return is;
}

bool aq_fail(aq_state *state, const char *doing)
{
    const char *why = state->steps_left < 0 ? "it takes too much work for its rows"
                                            : sqlite3_errmsg(state->database);
    if (!state->failed)
        mp_diagnose(state->diagnostics, MP_DIAG_CANNOT_READ, state->path, 0, "%s: %s", doing, why);
    state->failed = true;
    return false;
}

sqlite3_stmt *aq_prepare(aq_state *state, const char *query)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(state->database, query, -1, &statement, NULL) != SQLITE_OK)
        aq_fail(state, "cannot read the database");
    return statement;
}

/* --- tables and columns of the database --- */

/* A table of the database. */
typedef struct found_table {
    const char *name; /* NULL: there is none */
    int64_t root;     /* number of its first page */
} found_table;

/* Find the tables. Ignore views and virtual tables, which could run arbitrary code. */
static void find_tables(aq_state *state, found_table found[AQ_TABLES])
{
    sqlite3_stmt *list = aq_prepare(state, "SELECT name, rootpage FROM sqlite_master WHERE type = "
                                           "'table' AND rootpage > 0 ORDER BY name");
    int code = SQLITE_DONE;
    while (list && (code = sqlite3_step(list)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(list, 0);
        for (int i = 0; name && i < AQ_TABLES; i++)
            if (mp_text_is(name, words[i].name))
                found[i] = (found_table){words[i].name, sqlite3_column_int64(list, 1)};
            else if (words[i].alias && !found[i].name && mp_text_is(name, words[i].alias))
                found[i] = (found_table){words[i].alias, sqlite3_column_int64(list, 1)};
    }
    if (list && code != SQLITE_DONE)
        aq_fail(state, "cannot read the database's tables");
    sqlite3_finalize(list);
}

/* Columns that a table of the database has. */
typedef struct table_shape {
    bool there[AQ_COLUMNS]; /* the columns of the format that exist */
    int place[AQ_COLUMNS];  /* their places in a row */
    bool computed;          /* some column is not stored, so the places are unknown */
    const char *row; /* SQLite's name of the row number that no column has; NULL: a column has each
                        of these names */
} table_shape;

/* Return true if the column's values are stored. A generated column is computed for each row, which
 * could take forever; a long default value is not stored in the row either. */
static bool is_recorded(sqlite3_stmt *column)
{
    enum { DEFAULT = 4, HIDDEN = 6, LONGEST_DEFAULT = 64 };
    return sqlite3_column_int(column, HIDDEN) == 0 &&
           sqlite3_column_bytes(column, DEFAULT) <= LONGEST_DEFAULT;
}

static void note_column(aq_state *state, aq_table table, sqlite3_stmt *column, table_shape *shape,
                        unsigned *taken)
{
    enum { PLACE = 0, NAME = 1, HIDDEN = 6 };
    static const char *const rows[] = {"rowid", "_rowid_", "oid"};
    const char *name = (const char *)sqlite3_column_text(column, NAME);
    for (unsigned i = 0; name && i < 3; i++)
        *taken |= mp_text_is(name, rows[i]) ? 1u << i : 0;
    shape->computed |= sqlite3_column_int(column, HIDDEN) != 0;
    for (int i = 0; name && words[table].columns[i]; i++) {
        if (!mp_text_is(name, words[table].columns[i] + 1))
            continue;
        shape->place[i] = sqlite3_column_int(column, PLACE);
        shape->there[i] = is_recorded(column);
        if (!shape->there[i])
            mp_diagnose(state->diagnostics, MP_DIAG_COMPUTED_COLUMN, state->path, 0,
                        "%s.%s is computed by the database, not stored; it is ignored",
                        words[table].name, words[table].columns[i] + 1);
    }
    shape->row = !(*taken & 1) ? rows[0] : !(*taken & 2) ? rows[1] : !(*taken & 4) ? rows[2] : NULL;
}

static bool find_columns(aq_state *state, aq_table table, const char *name, table_shape *shape)
{
    char query[128];
    unsigned taken = 0;
    snprintf(query, sizeof query, "PRAGMA table_xinfo(\"%s\")", name);
    sqlite3_stmt *list = aq_prepare(state, query);
    int code = SQLITE_DONE;
    while (list && (code = sqlite3_step(list)) == SQLITE_ROW)
        note_column(state, table, list, shape, &taken);
    if (!shape->row || code != SQLITE_DONE)
        aq_fail(state, "cannot read the database's columns");
    sqlite3_finalize(list);
    return !state->failed;
}

/* Return true if the rows are stored in the order in which they are read. */
static bool is_sorted(const aq_source *file, aq_table table, const found_table *found,
                      const table_shape *shape)
{
    const int keys[AQ_KEYS] = {AQ_SET, words[table].second};
    aq_order order = {.count = 0};
    for (int i = 0; i < AQ_KEYS; i++)
        if (keys[i] && shape->there[keys[i] - 1])
            order.columns[order.count++] = shape->place[keys[i] - 1];
    return !shape->computed && found->root <= UINT32_MAX &&
           aq_rows_in_order(file, (uint32_t)found->root, &order);
}

/* Start reading the table. Missing columns are read as NULL. Rows that are not in their order, or
 * whose numbers are stored as text, are sorted by numeric value. Indexes are not used, because
 * their contents were not checked. */
static void open_cursor(aq_state *state, const aq_source *file, aq_table table,
                        const found_table *found)
{
    char query[LONGEST_QUERY];
    table_shape shape = {.row = NULL};
    if (!find_columns(state, table, found->name, &shape))
        return;
    size_t used = (size_t)snprintf(query, sizeof query, "SELECT %s", shape.row);
    for (int i = 0; words[table].columns[i]; i++)
        used +=
            (size_t)snprintf(query + used, sizeof query - used,
                             shape.there[i] ? ", \"%s\"" : ", NULL", words[table].columns[i] + 1);
    used += (size_t)snprintf(query + used, sizeof query - used,
                             " FROM \"%s\" NOT INDEXED ORDER BY ", found->name);
    const bool sorted = is_sorted(file, table, found, &shape);
    const int keys[AQ_KEYS] = {AQ_SET, words[table].second};
    for (int i = 0; i < AQ_KEYS && !sorted; i++)
        if (keys[i] && shape.there[keys[i] - 1])
            used += (size_t)snprintf(query + used, sizeof query - used, "CAST(\"%s\" AS INTEGER), ",
                                     words[table].columns[keys[i] - 1] + 1);
    snprintf(query + used, sizeof query - used, "%s", shape.row);
    state->cursors[table].statement = aq_prepare(state, query);
    state->cursors[table].there = true;
    state->cursors[table].has_set = shape.there[AQ_SET - 1];
}

static void note_missing(aq_state *state, const found_table found[AQ_TABLES])
{
    char list[512] = "";
    size_t used = 0;
    for (int i = 0; i < AQ_TABLES; i++)
        if (!found[i].name && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     words[i].name);
    if (used)
        mp_diagnose(state->diagnostics, MP_DIAG_MISSING_TABLES, state->path, 0,
                    "has no table %s; reports lack its data", list);
}

bool aq_open_tables(aq_state *state, const aq_source *file)
{
    found_table found[AQ_TABLES] = {{.name = NULL}};
    find_tables(state, found);
    if (state->failed)
        return false;
    if (!found[AQ_OBJECTS].name) {
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "has no table %s, expected a database that AQTime exported",
                    words[AQ_OBJECTS].name);
        return false;
    }
    note_missing(state, found);
    for (int i = 0; i < AQ_META_LINES && !state->failed; i++)
        if (found[i].name)
            open_cursor(state, file, (aq_table)i, &found[i]);
    return !state->failed;
}

void aq_close_tables(aq_state *state)
{
    for (int i = 0; i < AQ_TABLES; i++) {
        if (state->cursors[i].statement)
            sqlite3_finalize(state->cursors[i].statement);
        state->cursors[i] = (aq_cursor){0};
    }
}

/* --- values --- */

int64_t aq_row(const aq_state *state, aq_table table)
{
    return sqlite3_column_int64(state->cursors[table].statement, AQ_ROW);
}

const char *aq_text(const aq_state *state, aq_table table, int column)
{
    const unsigned char *text = sqlite3_column_text(state->cursors[table].statement, column);
    return text ? (const char *)text : "";
}

mp_string_id aq_intern(aq_state *state, const char *text)
{
    mp_arena arena = {0};
    mp_slice slice = mp_slice_of(text);
    if (!state->encoding || mp_utf8_valid(slice))
        return mp_model_intern(state->model, slice);
    mp_string_id id = mp_model_intern(
        state->model, mp_encoding_text(state->encoding, &arena, slice, &state->bad_text));
    mp_arena_free(&arena);
    return id;
}

/* Convert a real number if it is whole. */
static bool whole(double real, int64_t *value)
{
    bool fits = real > -9e18 && real < 9e18 && floor(real) == real;
    *value = fits ? (int64_t)real : 0;
    return fits;
}

static bool whole_text(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || errno)
        return false;
    if (*end == '.') /* text such as "20.0" */
        while (*++end == '0')
            ;
    return *end == '\0';
}

static bool number_at(sqlite3_stmt *statement, int column, aq_number *number)
{
    sqlite3_value *value = sqlite3_column_value(statement, column); /* used by this thread alone */
    *number = (aq_number){0, true};
    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        number->known = false;
        return true;
    case SQLITE_INTEGER:
        number->value = sqlite3_value_int64(value);
        return true;
    case SQLITE_FLOAT:
        return whole(sqlite3_value_double(value), &number->value);
    case SQLITE_TEXT:
        return whole_text((const char *)sqlite3_column_text(statement, column), &number->value);
    default:
        return false;
    }
}

/* Read the numeric columns of the current row, from column `from` on. Return false after a
 * diagnostic if one of them is not a number; the caller then skips the row. */
static bool read_numbers(aq_state *state, aq_table table, int from, int to, aq_number *numbers)
{
    sqlite3_stmt *statement = state->cursors[table].statement;
    for (int i = from; i < to && words[table].columns[i - 1]; i++) {
        const char *column = words[table].columns[i - 1];
        if (column[0] != 'n' || number_at(statement, i, &numbers[i]))
            continue;
        const char *text = aq_text(state, table, i);
        mp_slice shown = mp_utf8_mend(&state->scratch, (mp_slice){text, strnlen(text, 40)});
        aq_say(state, MP_DIAG_BAD_ROW, table, aq_row(state, table),
               "%s is \"%.*s\", expected a whole number: row skipped", column + 1,
               (int)shown.length, shown.start);
        mp_arena_free(&state->scratch);
        return false;
    }
    return true;
}

/* --- walks --- */

/* Advance to the next row. At the end, and after a failure, the walk is closed. */
static void step(aq_state *state, aq_table table)
{
    aq_cursor *cursor = &state->cursors[table];
    aq_number numbers[AQ_COLUMNS] = {{0}};
    cursor->ready = cursor->taken = false;
    while (cursor->statement && !cursor->ready) {
        int code = state->failed ? SQLITE_DONE : sqlite3_step(cursor->statement);
        if (code != SQLITE_ROW) {
            if (code != SQLITE_DONE)
                aq_fail(state, words[table].name);
            sqlite3_finalize(cursor->statement);
            cursor->statement = NULL;
            return;
        }
        state->records++;
        if (!read_numbers(state, table, AQ_SET, AQ_SET + 1, numbers))
            continue;
        cursor->set = numbers[AQ_SET];
        cursor->ready = true;
    }
}

static void stray(aq_state *state, aq_table table)
{
    aq_say(state, MP_DIAG_BAD_ROW, table, aq_row(state, table),
           "belongs to no result set: row skipped");
    state->cursors[table].ready = false;
}

bool aq_has(aq_state *state, aq_table table)
{
    aq_cursor *cursor = &state->cursors[table];
    int64_t set = state->sets[state->set].id;
    for (;;) {
        if (!cursor->ready || cursor->taken)
            step(state, table);
        if (!cursor->ready)
            return false;
        if (cursor->set.known && cursor->set.value >= set)
            return cursor->set.value == set;
        stray(state, table);
    }
}

void aq_pass(aq_state *state, aq_table table)
{
    while (aq_has(state, table))
        state->cursors[table].taken = true;
}

bool aq_next(aq_state *state, aq_table table, aq_number numbers[AQ_COLUMNS])
{
    while (aq_has(state, table)) {
        state->cursors[table].taken = true;
        if (read_numbers(state, table, AQ_SET + 1, AQ_COLUMNS, numbers))
            return true;
    }
    return false;
}

void aq_hold_back(aq_state *state, aq_table table)
{
    state->cursors[table].taken = false;
}

/* --- result sets --- */

static void add_set(aq_state *state, int64_t id, mp_string_id caption)
{
    *MP_APPEND(state->sets, state->set_count, state->set_capacity) =
        (aq_set){.id = id, .caption = caption};
}

/* Add the sets of all objects, because INSTANCES may not list them. */
static void add_sets_of_objects(aq_state *state)
{
    sqlite3_stmt *list =
        !state->cursors[AQ_OBJECTS].has_set
            ? NULL
            : aq_prepare(state, "SELECT DISTINCT INST_ID FROM " PREFIX "OBJECTS NOT INDEXED");
    int code = SQLITE_DONE;
    aq_number number;
    while (list && (code = sqlite3_step(list)) == SQLITE_ROW)
        if (number_at(list, 0, &number) && number.known)
            add_set(state, number.value, (mp_string_id){0});
    if (list && code != SQLITE_DONE)
        aq_fail(state, words[AQ_OBJECTS].name);
    sqlite3_finalize(list);
}

/* Sort by number. If numbers are equal, the set with a caption comes first. */
static int by_id(const void *left, const void *right)
{
    const aq_set *a = left, *b = right;
    const int order = MP_COMPARE(a->id, b->id);
    return order ? order : MP_COMPARE(b->caption.i, a->caption.i);
}

bool aq_read_sets(aq_state *state)
{
    size_t kept = 0;
    while (step(state, AQ_INSTANCES), state->cursors[AQ_INSTANCES].ready) {
        if (state->cursors[AQ_INSTANCES].set.known)
            add_set(state, state->cursors[AQ_INSTANCES].set.value,
                    aq_intern(state, aq_text(state, AQ_INSTANCES, AQ_CAPTION)));
        else
            stray(state, AQ_INSTANCES);
    }
    add_sets_of_objects(state);
    if (state->set_count)
        qsort(state->sets, state->set_count, sizeof *state->sets, by_id);
    for (size_t i = 0; i < state->set_count; i++)
        if (!kept || state->sets[kept - 1].id != state->sets[i].id)
            state->sets[kept++] = state->sets[i];
    state->set_count = kept;
    if (!kept && !state->failed)
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "has no result set, expected at least one in the table %s",
                    words[AQ_INSTANCES].name);
    return kept > 0 && !state->failed;
}
