/* Columns of tables, declared once beside the struct whose members they show.
 *
 * A column's name is for programs: JSON, CSV and SQL depend on it, and it includes the unit. Its
 * title is for people. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memprof/document.h"

enum {
    MP_FOR_PEOPLE = 1,   /* not in JSON or CSV */
    MP_FOR_PROGRAMS = 2, /* only in JSON and CSV */
    MP_SIGNED = 4,       /* a difference, printed with its sign */
    MP_SHORTEN = 8,      /* a name that may be shortened if the window is too narrow */
    MP_IF_KNOWN = 16,    /* hidden from people if no row has a value for it */
    MP_BELOW = 32,       /* a list that is printed on one line below its row */
    MP_NULL = 64,        /* an unknown value is null in JSON, not left out */
    MP_ADDS = 128,       /* summed if the records of several files are merged */
    MP_SUMMARY = 256,    /* shown for each file if records of several files are merged */
    MP_COMMON = 512,     /* a record that is equal for all files of a merge */
    MP_OF_CHECKS = 1024, /* a table with the results of the document's checks */
    MP_MINOR = 2048,     /* dropped first if the window is too narrow */
    MP_SENTENCE = 8192,  /* never cut: printed below the row if it is too wide */
    MP_WRAP = 16384,     /* wrapped within its column if the window is too narrow */
    MP_TONED = 4096, /* words that have a tone (better or worse), such as "new", "gone", "fail" */
};

/* Flags of columns that only some kinds of recordings have. */
enum {
    MP_OF_RECORDINGS = 1 << 16,
    MP_OF_EVENTS = 1 << 17,
    MP_OF_DUMPS = 1 << 18,
    MP_OF_DATABASES = 1 << 19, /* databases have the columns of recordings too */
    MP_OF_RELATIONS = 1 << 20, /* for SQL only, not for reports or NDJSON */
    MP_OF_PROFILES = 1 << 21,
    MP_OF_HEAPS = MP_OF_RECORDINGS | MP_OF_EVENTS | MP_OF_DUMPS | MP_OF_DATABASES,
};

typedef struct mp_column {
    const char *name; /* static string */
    const char *title;
    mp_unit unit;
    unsigned flags;
    size_t offset;       /* offset of the value in the row's struct */
    const char *meaning; /* description for SQL in one line; NULL if only reports show the column */
} mp_column;

/* A column that shows the struct member of the same name. */
#define MP_COLUMN(row, member, title, unit, flags)                                                 \
    {                                                                                              \
#member, title, unit, flags, offsetof(row, member), NULL                                   \
    }
/* A column whose name differs from the member's, for members that are shown in several ways. */
#define MP_COLUMN_OF(row, member, name, title, unit, flags)                                        \
    {                                                                                              \
        name, title, unit, flags, offsetof(row, member), NULL                                      \
    }

/* Columns of a relation (relation/relation.h), with a description. MP_FIELD is only for SQL,
 * MP_SHOWN also for reports. */
#define MP_FIELD(row, member, unit, meaning) MP_SHOWN(row, member, "", unit, 0, meaning)
#define MP_SHOWN(row, member, title, unit, flags, meaning)                                         \
    {                                                                                              \
#member, title, unit, flags, offsetof(row, member), meaning                                \
    }

/* The column of row numbers; it has no struct member. */
#define MP_RANK(flags)                                                                             \
    {                                                                                              \
        "rank", "#", MP_NUMBER, flags, MP_NO_MEMBER, NULL                                          \
    }
#define MP_NO_MEMBER SIZE_MAX

/* Value of an MP_LIST column: texts, the most important first. */
typedef struct mp_texts {
    const char *const *items; /* NULL: unknown */
    size_t count;
    const char *empty; /* shown to people if the list is empty, or NULL */
    size_t whole;      /* length of the full list if `items` is cut; 0: it is complete */
    bool kept;         /* the texts are UTF-8 and outlive the document, so they are not copied */
} mp_texts;

/* Value of an integer that is not known. Unknown real numbers are NAN, unknown texts NULL or "". */
#define MP_UNKNOWN INT64_MIN

/* Return true if values of the unit are real numbers. */
static inline bool mp_unit_is_real(mp_unit unit)
{
    return unit == MP_PERCENT || unit == MP_AVERAGE || unit == MP_BYTE_RATE;
}

/* Return true if the column is a number of objects. The names of all these columns say so:
 * "live_objects". */
bool mp_column_counts_objects(const mp_column *column);
/* Return true if the column is a number of calls. The names of all these columns say so:
 * "recursive_calls". */
bool mp_column_counts_calls(const mp_column *column);
/* Return true if the column is an amount of objects that were created, deleted or left behind. The
 * names of all these columns say so: "created_bytes". */
bool mp_column_counts_changes(const mp_column *column);
/* Set all members that the columns show to unknown. */
void mp_row_clear(const mp_column *columns, size_t count, void *row);
