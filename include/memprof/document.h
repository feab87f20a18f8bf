/* Documents: an answer, as tables of typed values, before anybody decides how it looks.
 *
 * Names of tables and columns are those of the JSON output (memprof-report(5) lists them) and stay;
 * titles are for people. All that a document gives belongs to it and lives as long as it does. */
#ifndef MEMPROF_DOCUMENT_H
#define MEMPROF_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memprof/diagnostics.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mp_document mp_document;
typedef struct mp_table mp_table;

/* Units of the values in a column. */
typedef enum mp_unit {
    MP_TEXT = 0,
    MP_NUMBER = 1, /* an id, a line: no unit, no grouping */
    MP_COUNT = 2,  /* so many of something */
    MP_BYTES = 3,
    MP_TIME = 4,      /* microseconds; for people as h:mm:ss.mmm */
    MP_AGE = 5,       /* microseconds; for people as 5 us, 1.25 ms, 3.10 s */
    MP_SECONDS = 6,   /* microseconds; printed as seconds with six decimals */
    MP_AVERAGE = 7,   /* seconds, not whole microseconds */
    MP_BYTE_RATE = 8, /* bytes for each of something else, not whole bytes */
    MP_PERCENT = 9,
    MP_FLAG = 10, /* true or false */
    MP_LIST = 11, /* of texts, the most important first */
} mp_unit;

/* Who reads a column. */
typedef enum mp_audience {
    MP_AUDIENCE_ALL = 0,
    MP_AUDIENCE_PEOPLE = 1,
    MP_AUDIENCE_PROGRAMS = 2,
} mp_audience;

/* One value. What is not known is not 0: then `known` is false and all else 0 or NULL. */
typedef struct mp_value {
    bool known;
    int64_t number;          /* of whole numbers; a flag is 0 or 1 */
    double real;             /* of MP_AVERAGE, MP_BYTE_RATE and MP_PERCENT */
    const char *text;        /* UTF-8 */
    const char *const *list; /* of MP_LIST: `count` texts */
    size_t count;
} mp_value;

/* A rule of a policy or a limit of a request, and its result. Texts are "" if there is none. */
typedef struct mp_check {
    mp_verdict verdict;
    const char *file;             /* that was held to it, of several; NULL: all that was read */
    const char *name;             /* of the rule; of a limit, of the argument: "max-leaked" */
    uint32_t line;                /* in the policy; 0: it is a limit */
    const char *measured, *limit; /* for people */
    const char *message;          /* why it does not hold, such as the worst site */
    int64_t measured_bytes, limit_bytes; /* of a limit of bytes */
    /* True if the limit is a percentage that must be reached, not one that must not be exceeded. */
    bool at_least;
    double measured_percent, limit_percent;
    /* Warning of a leak that is larger than the limit but hidden by the measured figure; set on
     * a check that passes, or that fails for this reason because "strict" was given. */
    const char *warning;
    const char *note; /* what its figure has in it, whether it passes or not */
} mp_check;

/* Tone of a line of the summary. The words say the same. */
typedef enum mp_tone {
    MP_TONE_PLAIN = 0,
    MP_TONE_WORSE = 1, /* a leak, growth, a rule that does not hold */
    MP_TONE_BETTER = 2,
    MP_TONE_WARNING = 3,
} mp_tone;

/* A line of the answer that a report opens with, in words. */
typedef struct mp_said {
    mp_tone tone;
    const char *label; /* "Worst leak" */
    const char *text;
    const char *file; /* that it is about, of several; NULL: all that was read */
} mp_said;

/* NULL: nothing happens. */
void mp_document_free(mp_document *document);

/* The first line for people; NULL: there is none. */
const char *mp_document_title(const mp_document *document);
size_t mp_document_table_count(const mp_document *document);
/* In the order of the report; `place` is below the count. */
const mp_table *mp_document_table_at(const mp_document *document, size_t place);
/* The table of this name; NULL: the document has none. */
const mp_table *mp_document_find(const mp_document *document, const char *name);
/* The one that the report is about; NULL: no table is more so than others. */
const mp_table *mp_document_main_table(const mp_document *document);
/* Return the lines of the report's summary, the most important first. Their wording may change. */
const mp_said *mp_document_said(const mp_document *document, size_t *count);
/* The rules or limits that were asked for, in their order. */
const mp_check *mp_document_checks(const mp_document *document, size_t *count);
/* MP_VERDICT_FAIL: something that was asked does not hold (a limit, a rule, the format);
 * MP_VERDICT_ERROR: nothing failed, and something could not be judged. */
mp_verdict mp_document_verdict(const mp_document *document);

const char *mp_table_name(const mp_table *table);
/* For people; NULL: there is none. */
const char *mp_table_title(const mp_table *table);
/* Return true if the table is a single record: in JSON an object, not an array. */
bool mp_table_is_record(const mp_table *table);
size_t mp_table_row_count(const mp_table *table);
/* Rows behind those that are here: the request had a limit. */
size_t mp_table_rows_left_out(const mp_table *table);
size_t mp_table_column_count(const mp_table *table);
/* Return the name and the unit of a column, by its place from 0. */
const char *mp_table_column_name(const mp_table *table, size_t column);
mp_unit mp_table_column_unit(const mp_table *table, size_t column);
/* For people; NULL: there is none. */
const char *mp_table_column_title(const mp_table *table, size_t column);
/* Who reads it: JSON and CSV do not have what is for people alone, text and pages do not have what
 * is for programs alone. */
mp_audience mp_table_column_audience(const mp_table *table, size_t column);
/* The place of the column of this name; the count of columns: there is none. */
size_t mp_table_column_find(const mp_table *table, const char *name);
/* Row and column are below their counts. */
mp_value mp_table_value(const mp_table *table, size_t row, size_t column);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
