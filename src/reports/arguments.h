/* Arguments: what can be asked of a report in particular, as a table of rows for a struct of its
 * own. Whoever asks gives names and texts. */
#ifndef MP_REPORTS_ARGUMENTS_H
#define MP_REPORTS_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/policy.h"

/* A limit, as a rule of a policy has it; its number is in bytes, or microseconds where it
 * `is_time`. */
typedef struct mp_ceiling {
    bool set, is_time;
    mp_bound bound;
} mp_ceiling;

/* Texts of an argument that may be repeated; what they are is borrowed. */
typedef struct mp_argument_texts {
    const char **items;
    size_t count, capacity;
} mp_argument_texts;
void mp_argument_texts_add(mp_argument_texts *texts, const char *text);

/* Kinds of texts, and the members that they become. */
typedef enum mp_argument_kind {
    MP_ARGUMENT_TEXT,          /* const char *, borrowed */
    MP_ARGUMENT_NAME,          /* the same, not "" */
    MP_ARGUMENT_COUNT,         /* int64_t, from 0 */
    MP_ARGUMENT_SIZE,          /* int64_t, bytes */
    MP_ARGUMENT_PERCENT,       /* double, 0 to 100 */
    MP_ARGUMENT_FLAG,          /* bool; its text does not matter */
    MP_ARGUMENT_CEILING,       /* mp_ceiling: a size */
    MP_ARGUMENT_GROWTH,        /* mp_ceiling: a size or a percentage */
    MP_ARGUMENT_FLOOR,         /* mp_ceiling: a percentage of at most 100 that must be reached */
    MP_ARGUMENT_CHANGE,        /* mp_ceiling: a size, a time or a percentage */
    MP_ARGUMENT_NAMES,         /* mp_argument_texts: none is "", all that are given */
    MP_ARGUMENT_SUBSTITUTIONS, /* the same, each s/REGEX/TEXT/ */
} mp_argument_kind;

/* An argument of a report: the member of the report's own struct that it sets, and the variants
 * that honour it. Its kind and its texts for people are its row in session/options.def. What is not
 * a report's own (how inputs are read, what is selected, which suppressions and base there are) has
 * no member: it is only allowed or refused. */
typedef struct mp_argument {
    const char *name;  /* "limit" */
    uint32_t offset;   /* in the report's struct, or MP_SHARED_ARGUMENT */
    unsigned variants; /* a bit for each variant, by its place, that honours it */
} mp_argument;
#define MP_SHARED_ARGUMENT UINT32_MAX

/* All of a report's: its rows, and the struct that they are of. */
typedef struct mp_argument_table {
    const mp_argument *items;
    size_t count;
    size_t size;          /* size of the struct */
    const void *defaults; /* a struct of that size */
} mp_argument_table;

/* A report's table from an array of rows and the struct with the defaults. */
#define MP_ARGUMENTS(rows, default_values)                                                         \
    .arguments = {(rows), sizeof(rows) / sizeof *(rows), sizeof(default_values), &(default_values)}

/* An argument that was given: its row's name, and how the user spelled it. Several options may be
 * one argument: "type" and "since" are both of the "selection". */
typedef struct mp_given {
    const char *argument, *spelled;
    const char *text; /* NULL: how inputs are read, which the report does not look at */
    bool by_default;  /* nobody asked for it here: where it means nothing, it is passed over */
} mp_given;

/* The row of this name; NULL: there is none. */
const mp_argument *mp_argument_find(const mp_argument_table *table, const char *name);

/* Set the member at a place from a text, which must outlive it. False if the text is not of the
 * kind; the member is then undefined. */
bool mp_argument_parse(mp_argument_kind kind, const char *text, void *place);

#endif
