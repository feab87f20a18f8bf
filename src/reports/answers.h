/* Rows of answers as structs, beside the cells that renderers print: for exporters, which write one
 * kind of answer in another tool's words. mp_table_attach puts them into a table; they and their
 * texts live as long as it does. */
#ifndef MP_REPORTS_ANSWERS_H
#define MP_REPORTS_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MP_ANSWER_HOT_LINES: a line of an execution profile. */
typedef struct mp_hot_line {
    const char *program, *method, *code; /* "": not told */
    int64_t line, us, calls;             /* MP_UNKNOWN: not told */
    double average_seconds;              /* NAN: not told */
} mp_hot_line;

/* What all of them are about. */
typedef struct mp_hot_profile {
    const char *description; /* of the session; "": none */
    int64_t us;              /* of the whole profile without the profiler itself */
    int64_t elapsed_us;      /* MP_UNKNOWN: not told */
} mp_hot_profile;

/* MP_ANSWER_LEAK_SITES: what leaks at an allocation site. */
typedef struct mp_leak_site {
    const char *type, *name; /* "": objects of several */
    bool inferred;           /* the type is likely, not told */
    const char *frame; /* the innermost that names the site; what is said where there is none */
    size_t frames;     /* of the stack from there; 0: no code made it */
    int64_t bytes, objects;
} mp_leak_site;

#endif
