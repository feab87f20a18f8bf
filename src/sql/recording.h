/* Recordings for SQL. */
#pragma once

#include "relation/relation.h"

/* A recording that a statement reads. */
typedef struct mp_sql_recording {
    mp_relation_source *source;
    const char *name; /* value of the column "recording", from mp_recording_name; NULL: unknown */
} mp_sql_recording;
