/* Reading: how recordings are found, grouped and read. */
#ifndef MP_SESSION_READING_H
#define MP_SESSION_READING_H

#include "base/encoding.h"
#include "memprof/memprof.h"
#include "reports/arguments.h"

/* Which files are read together. */
typedef enum mp_file_grouping {
    MP_GROUP_DEFAULT, /* each on its own where a folder is named, else all */
    MP_GROUP_FILE,
    MP_GROUP_AGENT,
    MP_GROUP_ALL,
} mp_file_grouping;

typedef struct mp_reading {
    mp_load_options load;
    mp_argument_texts listings, skips; /* what `load` points to */
    mp_encoding *encoding; /* the one that `load` names; open, as its tables are read but once */
    mp_file_grouping grouping;
    bool recursive; /* folders in folders are searched, too */
    bool strict;    /* what is not whole has no answer; a limit or a rule that hides a leak fails */
    bool allow_torn; /* what breaks off is judged by what is there */
} mp_reading;

#endif
