/* Documents: an answer as tables of typed values, independent of the output format.
 *
 * Names of tables and columns are those of the JSON output (see memprof-report(5)) and do not
 * change; titles are for people. Everything returned by a document belongs to it and lives as
 * long as it does. */
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
    MP_NUMBER = 1, /* id or line number: no unit, no digit grouping */
    MP_COUNT = 2,  /* number of things */
    MP_BYTES = 3,
    MP_TIME = 4,      /* microseconds; people see h:mm:ss.mmm */
    MP_AGE = 5,       /* microseconds; people see 5 us, 1.25 ms, 3.10 s */
    MP_SECONDS = 6,   /* microseconds; printed as seconds with six decimals */
    MP_AVERAGE = 7,   /* seconds, not rounded to microseconds */
    MP_BYTE_RATE = 8, /* bytes per something, such as a snapshot; may have a fraction */
    MP_PERCENT = 9,
    MP_FLAG = 10, /* true or false */
    MP_LIST = 11, /* several texts, the most important first */
} mp_unit;

/* Audience of a column. */
typedef enum mp_audience {
    MP_AUDIENCE_ALL = 0,
    MP_AUDIENCE_PEOPLE = 1,
    MP_AUDIENCE_PROGRAMS = 2,
} mp_audience;

/* A value. An unknown value is not 0: `known` is false, and everything else is 0 or NULL. */
typedef struct mp_value {
    bool known;
    int64_t number;          /* any whole number; 0 or 1 for a flag */
    double real;             /* value of MP_AVERAGE, MP_BYTE_RATE and MP_PERCENT */
    const char *text;        /* UTF-8 */
    const char *const *list; /* MP_LIST: `count` texts */
    size_t count;
} mp_value;

/* A rule of a policy or a limit of a request, with its result. Missing texts are "". */
typedef struct mp_check {
    mp_verdict verdict;
    const char *file;             /* checked file if there are several; NULL: all inputs */
    const char *name;             /* name of the rule, or of the limit's argument: "max-leaked" */
    uint32_t line;                /* line in the policy; 0: a limit */
    const char *measured, *limit; /* figures formatted for people */
    const char *message;          /* reason of a failure, such as the worst site */
    int64_t measured_bytes, limit_bytes; /* values, if the limit is in bytes */
    /* True if the percentage is a minimum, false if it is a maximum. */
    bool at_least;
    double measured_percent, limit_percent;
    /* Warning about a leak that exceeds the limit, but that the measured figure hides. It is set on
     * a check that passes, or that fails only for this reason because "strict" was given. */
    const char *warning;
    const char *note; /* remark on the measured figure, for any verdict */
} mp_check;

/* Tone of a summary line, for example to choose its colour. The text of the line says the same. */
typedef enum mp_tone {
    MP_TONE_PLAIN = 0,
    MP_TONE_WORSE = 1, /* a leak, growth, a failed rule */
    MP_TONE_BETTER = 2,
    MP_TONE_WARNING = 3,
} mp_tone;

/* A line of the summary at the beginning of a report. */
typedef struct mp_said {
    mp_tone tone;
    const char *label; /* label of the line, such as "Worst leak" */
    const char *text;
    const char *file; /* file that the line is about, if there are several; NULL: all inputs */
} mp_said;

/* Free the document. NULL is allowed. */
void mp_document_free(mp_document *document);

/* Return the report's title, its first line in formats for people; NULL: none. */
const char *mp_document_title(const mp_document *document);
size_t mp_document_table_count(const mp_document *document);
/* Return a table by its index, which must be less than the number of tables. */
const mp_table *mp_document_table_at(const mp_document *document, size_t place);
/* Return the table with this name; NULL: no such table. */
const mp_table *mp_document_find(const mp_document *document, const char *name);
/* Return the main table of the report; NULL: none. */
const mp_table *mp_document_main_table(const mp_document *document);
/* Return the lines of the report's summary, the most important first. Their wording may change. */
const mp_said *mp_document_said(const mp_document *document, size_t *count);
/* Return the checked rules and limits, in the order in which they were given. */
const mp_check *mp_document_checks(const mp_document *document, size_t *count);
/* Return the overall verdict. MP_VERDICT_FAIL: a limit, a rule or the format is violated;
 * MP_VERDICT_ERROR: nothing failed, but something could not be checked. */
mp_verdict mp_document_verdict(const mp_document *document);

/* Return the name of the table in JSON and CSV. It is stable. */
const char *mp_table_name(const mp_table *table);
/* Return the title for people; NULL: none. */
const char *mp_table_title(const mp_table *table);
/* Return true if the table is a single record, which JSON prints as an object, not an array. */
bool mp_table_is_record(const mp_table *table);
size_t mp_table_row_count(const mp_table *table);
/* Return the number of rows that the request's row limit left out. */
size_t mp_table_rows_left_out(const mp_table *table);
size_t mp_table_column_count(const mp_table *table);
/* Return the name (mp_table_column_name) or the unit (mp_table_column_unit) of a column by its
 * index. */
const char *mp_table_column_name(const mp_table *table, size_t column);
mp_unit mp_table_column_unit(const mp_table *table, size_t column);
/* Return the column's title for people; NULL: none. */
const char *mp_table_column_title(const mp_table *table, size_t column);
/* Return the audience of a column. JSON and CSV omit columns for people; text and HTML omit columns
 * for programs. */
mp_audience mp_table_column_audience(const mp_table *table, size_t column);
/* Return the index of the column with this name; the number of columns if there is none. */
size_t mp_table_column_find(const mp_table *table, const char *name);
/* Return the value of a cell. The row and the column must be less than their counts. */
mp_value mp_table_value(const mp_table *table, size_t row, size_t column);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
