/* The tables of an AQTime allocation database, for writing. */
#ifndef MP_EXPORT_AQTIME_H
#define MP_EXPORT_AQTIME_H

#include "base/error.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* A database that is being written. */
typedef struct aq_out {
    sqlite3 *database;
    sqlite3_stmt *inserts[AQ_OUT_TABLES];
    int64_t rows[AQ_OUT_TABLES];
    int64_t set; /* INST_ID of the rows to come */
    bool failed;
    mp_error *error;
} aq_out;

const char *aq_out_table_name(aq_out_table table);
/* The file must be there, empty. False with a message in out->error. */
bool aq_out_open(aq_out *out, const char *file);
/* End the one transaction. Close in any case; false with a message if it is not all written. */
bool aq_out_close(aq_out *out);

/* A value of the row to come; columns that nothing is said of are NULL. */
void aq_out_number(aq_out *out, aq_out_table table, const char *column, int64_t number);
/* "" is NULL too. The text stays where it is until the row is put. */
void aq_out_text(aq_out *out, aq_out_table table, const char *column, const char *text);
/* Put the row, with the set's INST_ID. ID is its number in the set, counted by the caller. */
void aq_out_put(aq_out *out, aq_out_table table);

#endif
