/* Recordings as SQL has them. */
#ifndef MP_SQL_RECORDING_H
#define MP_SQL_RECORDING_H

#include "relation/relation.h"

/* A recording that a statement reads. */
typedef struct mp_sql_recording {
    mp_relation_source *source;
    const char *name; /* value of the column "recording", by mp_recording_name; NULL: not known */
} mp_sql_recording;

#endif
