/* The tables, with all columns of AQTime's description in its order, and functions that write
 * rows. */
#include "export/aqtime_writer.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (!out->failed) {
        mp_fail_file(out->error, out->path, 0, 0, "cannot write: %s",
                     mp_sqlite_failure(&out->file));
        out->error->code = MP_ERROR_OUTPUT;
    }
    out->failed = true;
    return false;
}

static bool run(aq_out *out, const char *query)
{
    return sqlite3_exec(out->file.database, query, NULL, NULL, NULL) == SQLITE_OK || fail(out);
}

/* Return the position of a column, from 1; 0 if the table has no such column. */
static int place_of(aq_out_table table, const char *column)
{
    size_t length = strlen(column);
    const char *cursor = tables[table].columns;
    for (int place = 1; cursor; place++) {
        if (strncmp(cursor, column, length) == 0 && cursor[length] == ' ')
            return place;
        cursor = strstr(cursor, ", ");
        cursor = cursor ? cursor + 2 : NULL;
    }
    return 0;
}

/* Return the position of the column for value `i` of a row. The positions are cached, because rows
 * of a table usually have the same columns in the same order. */
static int known_place(aq_out *out, aq_out_table table, size_t i, const char *column)
{
    struct aq_out_place *known = &out->places[table][i];
    if (known->column != column)
        *known = (struct aq_out_place){column, place_of(table, column)};
    return known->place;
}

static bool create(aq_out *out, aq_out_table table)
{
    static const char *const keys[AQ_OUT_KEYS] = {"ID", "INST_ID", "PARENT_ID", "REC_ID"};
    for (size_t i = 0; i < AQ_OUT_KEYS; i++)
        out->keys[table][i] = place_of(table, keys[i]);
    char query[1024], values[64] = "?";
    size_t used = 1;
    for (const char *p = tables[table].columns; *p; p++)
        if (*p == ',')
            used += (size_t)snprintf(values + used, sizeof values - used, ",?");
    snprintf(query, sizeof query, "CREATE TABLE %s (%s)", tables[table].name,
             tables[table].columns);
    if (!run(out, query))
        return false;
    snprintf(query, sizeof query, "INSERT INTO %s VALUES (%s)", tables[table].name, values);
    return sqlite3_prepare_v2(out->file.database, query, -1, &out->inserts[table], NULL) ==
               SQLITE_OK ||
           fail(out);
}

/* Rows per INSERT for stacks. Most rows of the database are frames of stacks, and starting a
 * statement takes longer than writing a row. */
enum { FRAMES = 16 };

static bool prepare_frames(aq_out *out)
{
    char query[1024];
    size_t used = (size_t)snprintf(query, sizeof query,
                                   "INSERT INTO %s (INST_ID, PARENT_ID, ID, REC_ID, COL_ROUTINERID)"
                                   " VALUES",
                                   tables[AQ_OUT_STACKS].name);
    for (int i = 0; i < FRAMES; i++)
        used += (size_t)snprintf(query + used, sizeof query - used,
                                 "%s (?1, ?2, ?3 + %d, ?4 + %d, ?%d)", i ? "," : "", i, i, i + 5);
    return sqlite3_prepare_v2(out->file.database, query, -1, &out->frames, NULL) == SQLITE_OK ||
           fail(out);
}

/* --- file access by descriptor --- */

static int descriptor_of(const void *opaque)
{
    return (int)(intptr_t)opaque;
}

static ssize_t read_file(void *opaque, void *buffer, size_t size, uint64_t offset)
{
    return pread(descriptor_of(opaque), buffer, size, (off_t)offset);
}

static ssize_t write_file(void *opaque, const void *from, size_t size, uint64_t offset)
{
    return pwrite(descriptor_of(opaque), from, size, (off_t)offset);
}

static int truncate_file(void *opaque, uint64_t size)
{
    return ftruncate(descriptor_of(opaque), (off_t)size);
}

static int64_t size_of_file(void *opaque)
{
    struct stat status;
    return fstat(descriptor_of(opaque), &status) == 0 ? (int64_t)status.st_size : -1;
}

static const mp_sqlite_calls calls = {read_file, write_file, truncate_file, size_of_file};

bool aq_out_open(aq_out *out, int file)
{
    /* the file replaces its target only when it is complete, so it needs no journal */
    static const char *const how[] = {"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF",
                                      "PRAGMA locking_mode = EXCLUSIVE", "BEGIN"};
    bool ok = mp_sqlite_open(&out->file, &calls, (void *)(intptr_t)file) == SQLITE_OK || fail(out);
    for (size_t i = 0; ok && i < sizeof how / sizeof *how; i++)
        ok = run(out, how[i]);
    for (int i = 0; ok && i < AQ_OUT_TABLES; i++)
        ok = create(out, (aq_out_table)i);
    return ok && prepare_frames(out);
}

bool aq_out_close(aq_out *out)
{
    if (!out->failed)
        run(out, "COMMIT");
    for (int i = 0; i < AQ_OUT_TABLES && out->file.database; i++)
        sqlite3_finalize(out->inserts[i]);
    if (out->file.database)
        sqlite3_finalize(out->frames);
    mp_sqlite_close(&out->file);
    return !out->failed;
}

/* --- rows --- */

void aq_out_begin(aq_out *out, int64_t set)
{
    out->set = set;
    memset(out->ids, 0, sizeof out->ids);
}

static void bind(aq_out *out, aq_out_table table, int place, const aq_out_value *value)
{
    sqlite3_stmt *insert = out->inserts[table];
    int status = SQLITE_OK;
    if (!place) /* the table does not have this key column */
        return;
    if (value->text && *value->text)
        status = sqlite3_bind_text(insert, place, value->text, -1, SQLITE_STATIC);
    else if (!value->text && value->number != MP_UNKNOWN)
        status = sqlite3_bind_int64(insert, place, value->number);
    if (status != SQLITE_OK)
        fail(out);
}

int64_t aq_out_put(aq_out *out, aq_out_table table, int64_t parent, int64_t record,
                   const aq_out_value *values)
{
    int64_t id = ++out->ids[table];
    const aq_out_value keys[AQ_OUT_KEYS] = {
        AQ_OUT_NUMBER("ID", id), AQ_OUT_NUMBER("INST_ID", out->set),
        AQ_OUT_NUMBER("PARENT_ID", parent), AQ_OUT_NUMBER("REC_ID", record)};
    if (out->failed)
        return id;
    for (size_t i = 0; i < AQ_OUT_KEYS; i++)
        bind(out, table, out->keys[table][i], &keys[i]);
    for (size_t i = 0; values[i].column; i++)
        bind(out, table, known_place(out, table, i, values[i].column), &values[i]);
    if (sqlite3_step(out->inserts[table]) != SQLITE_DONE)
        fail(out);
    sqlite3_reset(out->inserts[table]);
    sqlite3_clear_bindings(out->inserts[table]);
    out->rows[table]++;
    return id;
}

static void put_frames(aq_out *out, int64_t object, int64_t record, const uint32_t *routines)
{
    const int64_t keys[] = {out->set, object, out->ids[AQ_OUT_STACKS] + 1, record};
    const int count = sizeof keys / sizeof *keys;
    int status = SQLITE_OK;
    for (int i = 0; i < count; i++)
        status |= sqlite3_bind_int64(out->frames, i + 1, keys[i]);
    for (int i = 0; i < FRAMES; i++)
        status |= sqlite3_bind_int64(out->frames, count + i + 1, routines[i]);
    if (status != SQLITE_OK || sqlite3_step(out->frames) != SQLITE_DONE)
        fail(out);
    sqlite3_reset(out->frames);
    out->ids[AQ_OUT_STACKS] += FRAMES;
    out->rows[AQ_OUT_STACKS] += FRAMES;
}

void aq_out_put_stack(aq_out *out, int64_t object, const uint32_t *routines, size_t count)
{
    size_t i = 0;
    for (; i + FRAMES <= count && !out->failed; i += FRAMES)
        put_frames(out, object, (int64_t)i + 1, routines + i);
    for (; i < count && !out->failed; i++)
        AQ_OUT_PUT(out, AQ_OUT_STACKS, object, (int64_t)i + 1,
                   AQ_OUT_NUMBER("COL_ROUTINERID", routines[i]));
}
