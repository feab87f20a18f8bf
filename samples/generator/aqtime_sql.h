// SQL text: rows of AQTime's tables, one INSERT each.
#ifndef GENERATOR_AQTIME_SQL_H
#define GENERATOR_AQTIME_SQL_H

#include "writer.h"

typedef enum AqTable {
    AQ_T_INSTANCES,
    AQ_T_CLASSES,
    AQ_T_STACK,
    AQ_T_META_CLASSES,
    AQ_T_META_LINES,
    AQ_T_META_ROUTINES,
    AQ_T_OBJECTS,
    AQ_T_FROM,
    AQ_T_TO,
    AQ_T_THREADS,
    AQ_T_RELATIONS,
    AQ_T_COUNT,
} AqTable;

typedef struct Sql {
    Writer *writer;
    bool comma;
} Sql;

const char *sql_table_name(AqTable table);
void sql_create(Sql *sql, AqTable table);

// A row: begin, its values in the order of the columns, end.
void sql_begin(Sql *sql, AqTable table);
void sql_number(Sql *sql, int64_t number);
void sql_text(Sql *sql, const char *text);
void sql_null(Sql *sql);
void sql_end(Sql *sql);

#endif
