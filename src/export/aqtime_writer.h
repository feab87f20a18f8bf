/* Write the tables of an AQTime allocation database, row by row. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sqlite_file.h"
#include "document/document.h"

typedef enum aq_out_table {
    AQ_OUT_INSTANCES,
    AQ_OUT_CLASSES,
    AQ_OUT_STACKS,
    AQ_OUT_META_CLASSES,
    AQ_OUT_META_LINES,
    AQ_OUT_ROUTINES,
    AQ_OUT_OBJECTS,
    AQ_OUT_FROM,
    AQ_OUT_TO,
    AQ_OUT_THREADS,
    AQ_OUT_RELATIONS,
    AQ_OUT_TABLES
} aq_out_table;

enum { AQ_OUT_NO_PARENT = -1, AQ_OUT_KEYS = 4, AQ_OUT_VALUES = 16 };

/* A database that is being written. */
typedef struct aq_out {
    mp_sqlite_file file;
    sqlite3_stmt *inserts[AQ_OUT_TABLES];
    sqlite3_stmt *frames;                 /* inserts many rows of stacks at once */
    int keys[AQ_OUT_TABLES][AQ_OUT_KEYS]; /* positions of ID, INST_ID, PARENT_ID, REC_ID */
    struct aq_out_place {
        const char *column;
        int place;
    } places[AQ_OUT_TABLES]
            [AQ_OUT_VALUES]; /* positions of the columns for the values of the last row */
    int64_t rows[AQ_OUT_TABLES];
    int64_t set;                /* INST_ID that new rows get */
    int64_t ids[AQ_OUT_TABLES]; /* last ID of each table in this set */
    bool failed;
    const char *path; /* for messages */
    mp_error *error;
} aq_out;

/* A value of a row: a text or a number. The text "" and the number MP_UNKNOWN both mean that there
 * is no value. Columns without a value are NULL. */
typedef struct aq_out_value {
    const char *column; /* NULL = end of the values */
    const char *text;   /* NULL = the value is `number` */
    int64_t number;
} aq_out_value;
#define AQ_OUT_TEXT(column, text)                                                                  \
    {                                                                                              \
        column, text, 0                                                                            \
    }
#define AQ_OUT_NUMBER(column, number)                                                              \
    {                                                                                              \
        column, NULL, number                                                                       \
    }

/* Return the name of a table in the database. The text is static. */
const char *aq_out_table_name(aq_out_table table);
/* Begin a database in an empty file. `file` is its descriptor, which is borrowed. Return false with
 * a message in out->error. */
bool aq_out_open(aq_out *out, int file);
/* Commit the transaction, which has everything, and close the database. Must always be called.
 * Return false with a message if the database is incomplete. */
bool aq_out_close(aq_out *out);

/* Begin a result set. New rows belong to it, and their IDs begin at 1 again. */
void aq_out_begin(aq_out *out, int64_t set);
/* Write a row with at most AQ_OUT_VALUES values, and return its ID: the next one of the table.
 * After an error, calls do nothing. */
int64_t aq_out_put(aq_out *out, aq_out_table table, int64_t parent, int64_t record,
                   const aq_out_value *values);
#define AQ_OUT_PUT(out, table, parent, record, ...)                                                \
    aq_out_put(out, table, parent, record, (const aq_out_value[]){__VA_ARGS__, {NULL, NULL, 0}})
/* Write the stack of an object, one row for each routine, innermost first. */
void aq_out_put_stack(aq_out *out, int64_t object, const uint32_t *routines, size_t count);
