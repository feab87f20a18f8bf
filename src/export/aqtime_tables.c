/* The tables with all columns of AQTime's description, in its order, and rows for them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "export/aqtime.h"

#define PREFIX "ALLOCATION_PROFILER_"
#define KEYS "ID INTEGER, INST_ID INTEGER, PARENT_ID INTEGER, REC_ID INTEGER"
#define OTHER_END                                                                                  \
    "COL__ NUMERIC, COL_ADDRESS NUMERIC, COL_COUNT INTEGER, COL_ROOT INTEGER, COL_SIZE NUMERIC, "  \
    "COL_THREADRID INTEGER, " KEYS

static const struct {
    const char *name, *columns;
} tables[AQ_OUT_TABLES] = {
    [AQ_OUT_INSTANCES] = {"INSTANCES",
                          "CAPTION TEXT, COUNTER_DESCRIPTION TEXT, COUNTER_FREQUENCY NUMERIC, "
                          "COUNTER_NAME TEXT, INST_ID INTEGER"},
    [AQ_OUT_CLASSES] = {PREFIX "CLASSES_DATA",
                        "COL_LIVE_COUNT NUMERIC, COL_CLASS_NAME TEXT, COL_FINALIZABLE INTEGER, "
                        "COL_LIVE_SIZE NUMERIC, COL_MODULE_NAME TEXT, COL_NAMESPACE TEXT, "
                        "COL_PEAK_CREATED NUMERIC, COL_PEAK_SIZE NUMERIC, COL_TOKEN INTEGER, "
                        "COL_TOTAL_CREATED NUMERIC, COL_TOTAL_SIZE NUMERIC, " KEYS},
    [AQ_OUT_STACKS] = {PREFIX "CREATION_CALL_STACK",
                       "COL_HIT_COUNT INTEGER, COL_ROUTINERID INTEGER, " KEYS},
    [AQ_OUT_META_CLASSES] =
        {PREFIX "META_CLASSES_DATA",
         "COL_CLASS_NAME TEXT, COL_FINALIZABLE INTEGER, COL_MODULE_NAME TEXT, "
         "COL_NAMESPACE TEXT, COL_SYMBOL_MONIKER TEXT, COL_TOKEN INTEGER, " KEYS},
    [AQ_OUT_META_LINES] = {PREFIX "META_LINES", "COL_SOURCE_LINE INTEGER, " KEYS},
    [AQ_OUT_ROUTINES] = {PREFIX "META_ROUTINES",
                         "COL_ADDRESS NUMERIC, COL_ANALISYS_RESULT TEXT, COL_CLASS_NAME TEXT, "
                         "COL_CODE_TYPE TEXT, COL_COMPILER INTEGER, COL_HIT_COUNT INTEGER, "
                         "COL_MODULE_NAME TEXT, COL_NAMESPACE TEXT, COL_PROFILELINES INTEGER, "
                         "COL_ROUTINE_NAME TEXT, COL_SOURCE_FILE TEXT, COL_SOURCE_LINE INTEGER, "
                         "COL_SYMBOL_MONIKER TEXT, COL_TOKEN INTEGER, COL_UNIT_NAME TEXT, " KEYS},
    [AQ_OUT_OBJECTS] = {PREFIX "OBJECTS",
                        "COL__ NUMERIC, COL_ADDRESS NUMERIC, COL_CLASSRID INTEGER, COL_GET_ "
                        "INTEGER, COL_REFERENCES_FROM INTEGER, COL_REFERENCES_TO INTEGER, COL_ROOT "
                        "INTEGER, COL_SIZE NUMERIC, COL_THREADRID INTEGER, " KEYS},
    [AQ_OUT_FROM] = {PREFIX "REFERENCES_FROM", OTHER_END},
    [AQ_OUT_TO] = {PREFIX "REFERENCES_TO", OTHER_END},
    [AQ_OUT_THREADS] = {PREFIX "THREADS",
                        "COL_NAME TEXT, COL_SIZE INTEGER, COL_WIN32THREADID INTEGER, " KEYS},
    [AQ_OUT_RELATIONS] = {"RELATIONS", "COL_CHILD_TABLE TEXT, COL_PARENT_TABLE TEXT, ID INTEGER, "
                                       "INST_ID INTEGER"},
};

const char *aq_out_table_name(aq_out_table table)
{
    return tables[table].name;
}

static bool fail(aq_out *out)
{
    if (!out->failed)
        mp_fail(out->error, MP_ERROR_OUTPUT, "cannot write the database: %s",
                out->database ? sqlite3_errmsg(out->database) : "out of memory");
    out->failed = true;
    return false;
}

static bool run(aq_out *out, const char *query)
{
    return sqlite3_exec(out->database, query, NULL, NULL, NULL) == SQLITE_OK || fail(out);
}

/* Each column is a parameter of its own name. */
static bool prepare_insert(aq_out *out, aq_out_table table)
{
    mp_arena scratch = {0};
    const char *columns = tables[table].columns;
    size_t length = strlen(columns), used = 0;
    char *values = mp_arena_alloc(&scratch, 2 * length + 1);
    bool name = true; /* before the column's type */
    for (size_t i = 0; i < length; i++) {
        if (columns[i] == ' ' && i && columns[i - 1] != ',') {
            name = false;
        } else if (columns[i] == ',') {
            values[used++] = ',';
            name = true;
        } else if (name && columns[i] != ' ') {
            if (!used || values[used - 1] == ',')
                values[used++] = ':';
            values[used++] = columns[i];
        }
    }
    values[used] = '\0';
    bool ok =
        run(out, mp_arena_format(&scratch, "CREATE TABLE %s (%s)", tables[table].name, columns));
    const char *query =
        mp_arena_format(&scratch, "INSERT INTO %s VALUES (%s)", tables[table].name, values);
    ok = ok &&
         (sqlite3_prepare_v2(out->database, query, -1, &out->inserts[table], NULL) == SQLITE_OK ||
          fail(out));
    mp_arena_free(&scratch);
    return ok;
}

bool aq_out_open(aq_out *out, const char *file)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(file, &out->database, flags, NULL) != SQLITE_OK)
        return fail(out);
    /* The file is nobody's until it is whole: it needs no journal. */
    if (!run(out, "PRAGMA journal_mode = OFF") || !run(out, "PRAGMA synchronous = OFF") ||
        !run(out, "PRAGMA locking_mode = EXCLUSIVE") || !run(out, "BEGIN"))
        return false;
    for (int i = 0; i < AQ_OUT_TABLES; i++)
        if (!prepare_insert(out, (aq_out_table)i))
            return false;
    return true;
}

bool aq_out_close(aq_out *out)
{
    if (!out->failed)
        run(out, "COMMIT");
    for (int i = 0; i < AQ_OUT_TABLES; i++)
        sqlite3_finalize(out->inserts[i]);
    if (sqlite3_close(out->database) != SQLITE_OK)
        fail(out);
    out->database = NULL;
    return !out->failed;
}

static int place_of(const aq_out *out, aq_out_table table, const char *column)
{
    char name[40];
    snprintf(name, sizeof name, ":%s", column);
    return sqlite3_bind_parameter_index(out->inserts[table], name);
}

void aq_out_number(aq_out *out, aq_out_table table, const char *column, int64_t number)
{
    if (!out->failed &&
        sqlite3_bind_int64(out->inserts[table], place_of(out, table, column), number) != SQLITE_OK)
        fail(out);
}

void aq_out_text(aq_out *out, aq_out_table table, const char *column, const char *text)
{
    if (!out->failed && *text &&
        sqlite3_bind_text(out->inserts[table], place_of(out, table, column), text, -1,
                          SQLITE_STATIC) != SQLITE_OK)
        fail(out);
}

void aq_out_put(aq_out *out, aq_out_table table)
{
    if (out->failed)
        return;
    sqlite3_stmt *insert = out->inserts[table];
    aq_out_number(out, table, "INST_ID", out->set);
    if (sqlite3_step(insert) != SQLITE_DONE)
        fail(out);
    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
    out->rows[table]++;
}
