/* Rows of the report calls: callables that match a name, with the calls by and of each. */
#pragma once

#include "reports/called.h"

/* A callable that matches the name. */
typedef struct mp_callable_row {
    int64_t cost, inclusive, calls, recursive_calls, objects, inclusive_objects;
    int64_t line, start_line, inclusive_estimated;
    double percent;
    const char *name, *shown, *program, *method;
} mp_callable_row;

/* Calls of a callable by another callable, at one line. */
typedef struct mp_call_row {
    /* `shown` is the caller or callee, as people see it. */
    const char *direction, *caller, *callee, *shown;
    int64_t cost, objects, calls, recursive_calls, line, caller_start_line, callee_start_line;
    double percent;
} mp_call_row;

/* Edges of each callable. Those of callable p are edges[first[p]] to edges[first[p + 1] - 1]. */
typedef struct mp_edge_lists {
    uint32_t *first, *edges;
} mp_edge_lists;

/* The callables that match a name. Initialise `called` by mp_called_begin, and `total`. Release
 * with mp_call_rows_free. */
typedef struct mp_call_rows {
    mp_called called;
    mp_edge_lists callers, callees; /* edges of each callable */
    int64_t total;                  /* total cost of the whole recording */
    mp_callable_row *matches;       /* a row for each matching callable */
} mp_call_rows;

/* Find the callables, and make a row for each. Return false with an error if no callable
 * matches. */
bool mp_call_rows_find(mp_call_rows *rows, const mp_calls *calls, mp_error *error);
/* Return the calls of one match in one direction, sorted by cost. Release with free(). */
mp_call_row *mp_call_rows_of(const mp_call_rows *rows, size_t match, bool callers, size_t *count);
void mp_call_rows_free(mp_call_rows *rows);
