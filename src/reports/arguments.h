/* Arguments of reports. Each report has a struct, and a table with a row for each member of the
 * struct. Callers set arguments by name, from texts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/policy.h"

/* A limit, as in a rule of a policy. Its number is in bytes, or in microseconds if `is_time`. */
typedef struct mp_ceiling {
    bool set, is_time;
    mp_bound bound;
} mp_ceiling;

/* Texts of an argument that may be repeated, or the words of a command line. The texts are
 * borrowed; NULL follows the last. */
typedef struct mp_argument_texts {
    const char **items;
    size_t count, capacity;
} mp_argument_texts;
void mp_argument_texts_add(mp_argument_texts *texts, const char *text);

/* Kinds of texts of arguments and options, and the type of the variable that each kind sets. */
typedef enum mp_argument_kind {
    MP_ARGUMENT_TEXT,    /* const char *, borrowed */
    MP_ARGUMENT_NAME,    /* const char *, borrowed, not "" */
    MP_ARGUMENT_FILE,    /* const char *, borrowed, a name without a folder */
    MP_ARGUMENT_COUNT,   /* int64_t, at least 0 */
    MP_ARGUMENT_NUMBER,  /* int64_t, at least 1 */
    MP_ARGUMENT_SIZE,    /* int64_t, bytes */
    MP_ARGUMENT_ROOM,    /* int64_t, bytes, at least 1 */
    MP_ARGUMENT_SPAN,    /* int64_t, microseconds, above 0; the text must have a unit, because
                          * nobody intends microseconds */
    MP_ARGUMENT_TIME,    /* mp_moment */
    MP_ARGUMENT_DAY,     /* int32_t, as mp_parse_date returns it */
    MP_ARGUMENT_PERCENT, /* double, 0 to 100 */
    MP_ARGUMENT_FLAG,    /* bool; the text is ignored */
    MP_ARGUMENT_CEILING, /* mp_ceiling: a size */
    MP_ARGUMENT_GROWTH,  /* mp_ceiling: a size or a percentage */
    MP_ARGUMENT_FLOOR,   /* mp_ceiling: a percentage of at most 100 that must be reached */
    MP_ARGUMENT_CHANGE,  /* mp_ceiling: a size, a time or a percentage */
    MP_ARGUMENT_NAMES, /* mp_argument_texts: one text for each use of the option, none of them "" */
    MP_ARGUMENT_FOLDERS, /* mp_argument_texts: one folder that exists for each use of the option */
    MP_ARGUMENT_PATTERN, /* a criterion of the selection, which the session adds */
    MP_ARGUMENT_SUBSTITUTIONS, /* mp_argument_texts: one s/REGEX/TEXT/ for each use of the option */
    MP_ARGUMENT_KINDS,
} mp_argument_kind;

/* An argument of a report: the member of the report's struct that it sets, and the variants that
 * use it. Its kind and its help are in its row of session/options.def. Arguments that all reports
 * share (how to read inputs, selections, suppressions, the base) have no member; their rows only
 * say that the report accepts them. */
typedef struct mp_argument {
    const char *name;  /* name of the argument, such as "limit" */
    uint32_t offset;   /* offset in the report's struct, or MP_SHARED_ARGUMENT */
    unsigned variants; /* bit i: variant i of the report uses the argument */
} mp_argument;
#define MP_SHARED_ARGUMENT UINT32_MAX

/* The arguments of a report: its rows, and the defaults of its struct. */
typedef struct mp_argument_table {
    const mp_argument *items;
    size_t count;
    size_t size;          /* size of the struct in bytes */
    const void *defaults; /* a struct of this size that has the defaults */
} mp_argument_table;

/* Initialise a report's argument table from an array of rows and the struct with the defaults. */
#define MP_ARGUMENTS(rows, default_values)                                                         \
    .arguments = {(rows), sizeof(rows) / sizeof *(rows), sizeof(default_values), &(default_values)}

/* An argument given by the user: the name of its row, and the option as the user wrote it. Several
 * options may set one argument: --type and --since both belong to "selection". */
typedef struct mp_given {
    const char *argument, *spelled;
    const char *text; /* NULL: the argument is about reading inputs, so reports ignore it */
    /* True if a default of the user sets the argument, and this command does not. A report that
     * does not accept the argument then ignores it. */
    bool by_default;
} mp_given;

/* Return the row of this name; NULL if there is none. */
const mp_argument *mp_argument_find(const mp_argument_table *table, const char *name);

/* Parse a text of this kind into the member at `place`. The text is borrowed and must outlive the
 * member. Return false if the text is malformed; the member is then undefined. */
bool mp_argument_parse(mp_argument_kind kind, const char *text, void *place);

/* Return true if the path is a folder, or a link to one. */
bool mp_is_folder(const char *path);
