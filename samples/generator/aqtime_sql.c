#include "aqtime_sql.h"

#define REFERENCE_COLUMNS                                                                          \
    "COL__ NUMERIC, COL_ADDRESS NUMERIC, COL_COUNT INTEGER, COL_ROOT INTEGER, COL_SIZE NUMERIC, "  \
    "COL_THREADRID INTEGER"
#define CLASS_COLUMNS "COL_MODULE_NAME TEXT, COL_NAMESPACE TEXT"

// All but INSTANCES and RELATIONS end in the four columns that tell rows apart.
static const struct {
    const char *name;
    const char *columns;
} tables[AQ_T_COUNT] = {
    {"INSTANCES", "CAPTION TEXT, COUNTER_DESCRIPTION TEXT, COUNTER_FREQUENCY NUMERIC, "
                  "COUNTER_NAME TEXT, INST_ID INTEGER"},
    {"ALLOCATION_PROFILER_CLASSES_DATA",
     "COL_LIVE_COUNT NUMERIC, COL_CLASS_NAME TEXT, COL_FINALIZABLE INTEGER, "
     "COL_LIVE_SIZE NUMERIC, " CLASS_COLUMNS ", COL_PEAK_CREATED NUMERIC, COL_PEAK_SIZE NUMERIC, "
     "COL_TOKEN INTEGER, COL_TOTAL_CREATED NUMERIC, COL_TOTAL_SIZE NUMERIC"},
    {"ALLOCATION_PROFILER_CREATION_CALL_STACK", "COL_HIT_COUNT INTEGER, COL_ROUTINERID INTEGER"},
    {"ALLOCATION_PROFILER_META_CLASSES_DATA",
     "COL_CLASS_NAME TEXT, COL_FINALIZABLE INTEGER, " CLASS_COLUMNS
     ", COL_SYMBOL_MONIKER TEXT, COL_TOKEN INTEGER"},
    {"ALLOCATION_PROFILER_META_LINES", "COL_SOURCE_LINE INTEGER"},
    {"ALLOCATION_PROFILER_META_ROUTINES",
     "COL_ADDRESS NUMERIC, COL_ANALISYS_RESULT TEXT, COL_CLASS_NAME TEXT, COL_CODE_TYPE TEXT, "
     "COL_COMPILER INTEGER, COL_HIT_COUNT INTEGER, " CLASS_COLUMNS
     ", COL_PROFILELINES INTEGER, COL_ROUTINE_NAME TEXT, COL_SOURCE_FILE TEXT, "
     "COL_SOURCE_LINE INTEGER, COL_SYMBOL_MONIKER TEXT, COL_TOKEN INTEGER, COL_UNIT_NAME TEXT"},
    {"ALLOCATION_PROFILER_OBJECTS",
     "COL__ NUMERIC, COL_ADDRESS NUMERIC, COL_CLASSRID INTEGER, COL_GET_ INTEGER, "
     "COL_REFERENCES_FROM INTEGER, COL_REFERENCES_TO INTEGER, COL_ROOT INTEGER, "
     "COL_SIZE NUMERIC, COL_THREADRID INTEGER"},
    {"ALLOCATION_PROFILER_REFERENCES_FROM", REFERENCE_COLUMNS},
    {"ALLOCATION_PROFILER_REFERENCES_TO", REFERENCE_COLUMNS},
    {"ALLOCATION_PROFILER_THREADS", "COL_NAME TEXT, COL_SIZE INTEGER, COL_WIN32THREADID INTEGER"},
    {"RELATIONS", "COL_CHILD_TABLE TEXT, COL_PARENT_TABLE TEXT, ID INTEGER, INST_ID INTEGER"},
};

const char *sql_table_name(AqTable table)
{
    return tables[table].name;
}

void sql_create(Sql *sql, AqTable table)
{
    writer_text(sql->writer, "CREATE TABLE ");
    writer_text(sql->writer, tables[table].name);
    writer_text(sql->writer, " (");
    writer_text(sql->writer, tables[table].columns);
    if (table != AQ_T_INSTANCES && table != AQ_T_RELATIONS) {
        writer_text(sql->writer,
                    ", ID INTEGER, INST_ID INTEGER, PARENT_ID INTEGER, REC_ID INTEGER");
    }
    writer_text(sql->writer, ");");
    writer_end_line(sql->writer);
}

void sql_begin(Sql *sql, AqTable table)
{
    writer_text(sql->writer, "INSERT INTO ");
    writer_text(sql->writer, tables[table].name);
    writer_text(sql->writer, " VALUES (");
    sql->comma = false;
}

static void separate(Sql *sql)
{
    if (sql->comma) {
        writer_text(sql->writer, ", ");
    }
    sql->comma = true;
}

void sql_number(Sql *sql, int64_t number)
{
    separate(sql);
    writer_signed(sql->writer, number);
}

void sql_text(Sql *sql, const char *text)
{
    separate(sql);
    writer_char(sql->writer, '\'');
    for (; *text; text++) {
        if (*text == '\'') {
            writer_char(sql->writer, '\'');
        }
        writer_char(sql->writer, *text);
    }
    writer_char(sql->writer, '\'');
}

void sql_null(Sql *sql)
{
    separate(sql);
    writer_text(sql->writer, "NULL");
}

void sql_end(Sql *sql)
{
    writer_text(sql->writer, ");");
    writer_end_line(sql->writer);
}
