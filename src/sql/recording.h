/* Recordings for SQL. */
#ifndef MP_SQL_RECORDING_H
#define MP_SQL_RECORDING_H

#include "relation/relation.h"

/* A recording that a statement reads. */
typedef struct mp_sql_recording {
    mp_relation_source *source;
    const char *name; /* value of the column "recording", from mp_recording_name; NULL: unknown */
} mp_sql_recording;

#endif
