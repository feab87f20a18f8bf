/* Columns: what the members of a row's struct are, declared once beside the struct.
 *
 * A name is what programs rely on, in JSON, CSV and SQL, with its unit in it; a title is for
 * people. */
#ifndef MP_BASE_COLUMN_H
#define MP_BASE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memprof/document.h"

enum {
    MP_FOR_PEOPLE = 1,   /* not in JSON or CSV */
    MP_FOR_PROGRAMS = 2, /* only in JSON and CSV */
    MP_SIGNED = 4,       /* a change: with its sign */
    MP_SHORTEN = 8,      /* a name: it gives room where a window is too narrow */
    MP_IF_KNOWN = 16,    /* people see the column only where a row has a value of it */
    MP_BELOW = 32,       /* a list that people read below its row, in one line */
    MP_NULL = 64,        /* without a value there is none: null in JSON, not left out */
    MP_ADDS = 128,       /* a record's column that adds up over several files */
    MP_SUMMARY = 256,    /* a record's column that people read for each of several files */
    MP_COMMON = 512,     /* a record that says the same of each of several files */
    MP_OF_CHECKS = 1024, /* a table that says what the document's checks say */
    MP_MINOR = 2048,     /* a column that is the first to go where a window is too narrow */
    MP_SENTENCE = 8192,  /* words that are never cut: below their row where they do not fit in it */
    MP_WRAP = 16384,     /* a text that gives room and then goes on in a next line of its column */
    MP_TONED = 4096,     /* words that tell worse from better: "new", "gone", "fail" */
};

/* Columns of some kinds of heaps alone. */
enum {
    MP_OF_RECORDINGS = 1 << 16,
    MP_OF_EVENTS = 1 << 17,
    MP_OF_DUMPS = 1 << 18,
    MP_OF_DATABASES = 1 << 19, /* which have what recordings have, too */
    MP_OF_RELATIONS = 1 << 20, /* columns of the relation, for SQL; in no report or line of JSON */
};

typedef struct mp_column {
    const char *name; /* static */
    const char *title;
    mp_unit unit;
    unsigned flags;
    size_t offset;       /* offset of the value in the row's struct */
    const char *meaning; /* a line on what the value is; NULL: a column of reports alone */
} mp_column;

/* A column of rows that are structs: the member of that name. */
#define MP_COLUMN(row, member, title, unit, flags)                                                 \
    {                                                                                              \
#member, title, unit, flags, offsetof(row, member), NULL                                   \
    }
/* The same under another name: the member is shown in several ways. */
#define MP_COLUMN_OF(row, member, name, title, unit, flags)                                        \
    {                                                                                              \
        name, title, unit, flags, offsetof(row, member), NULL                                      \
    }

/* A column of a relation (relation/relation.h), which says what its values mean; and one that
 * reports show too. */
#define MP_FIELD(row, member, unit, meaning) MP_SHOWN(row, member, "", unit, 0, meaning)
#define MP_SHOWN(row, member, title, unit, flags, meaning)                                         \
    {                                                                                              \
#member, title, unit, flags, offsetof(row, member), meaning                                \
    }

/* The column that numbers rows; no member of theirs. */
#define MP_RANK(flags)                                                                             \
    {                                                                                              \
        "rank", "#", MP_NUMBER, flags, MP_NO_MEMBER, NULL                                          \
    }
#define MP_NO_MEMBER SIZE_MAX

/* Texts of an MP_LIST column of a row struct, the most important first. */
typedef struct mp_texts {
    const char *const *items; /* NULL: not known */
    size_t count;
    const char *empty; /* text that people read for an empty list, or NULL */
    size_t whole;      /* how many there are, where `items` has but the first of them; 0: all */
    bool kept;         /* they live as long as the document, and are UTF-8: no copy is made */
} mp_texts;

/* A number of a row struct that is not known; a real number is then NAN, a text NULL or "". */
#define MP_UNKNOWN INT64_MIN

/* Return whether values of the unit are real numbers. */
static inline bool mp_unit_is_real(mp_unit unit)
{
    return unit == MP_PERCENT || unit == MP_AVERAGE || unit == MP_BYTE_RATE;
}

/* Make all that the columns show of a struct unknown: to fill some of it. */
void mp_row_clear(const mp_column *columns, size_t count, void *row);

#endif
