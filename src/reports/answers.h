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

/* Facts shared by all hot lines. */
typedef struct mp_hot_profile {
    const char *description; /* description of the session; "": none */
    int64_t us;              /* time of the whole profile without the profiler itself */
    int64_t elapsed_us;      /* MP_UNKNOWN: not told */
} mp_hot_profile;

/* MP_ANSWER_LEAK_SITES: what leaks at an allocation site. */
typedef struct mp_leak_site {
    const char *type, *name; /* "": objects of several */
    bool inferred;           /* the type is likely, not told */
    const char *frame; /* the innermost that names the site; what is said where there is none */
    size_t frames;     /* length of the stack from there; 0: no code made it */
    int64_t bytes, objects;
} mp_leak_site;

/* MP_ANSWER_COVERAGE has no rows: all of it is `about`, an mp_coverage_answer. */
typedef struct mp_coverage_line {
    uint32_t method; /* in mp_coverage_file: methods */
    int64_t line, executions;
} mp_coverage_line;

typedef struct mp_coverage_method {
    const char *name;         /* "": the main block */
    uint32_t lines, executed; /* how many */
    uint32_t first;           /* in mp_coverage_file: by_method */
    int64_t calls;            /* as far as they are known */
} mp_coverage_method;

typedef struct mp_coverage_file {
    const char *program;
    const char *path;                  /* path of the source, or of the debug listing read */
    uint32_t lines, executed;          /* how many lines of the source; one of two methods is one */
    const mp_coverage_method *methods; /* by name */
    size_t method_count;
    const mp_coverage_line *items; /* by line, then by method */
    size_t count;
    const uint32_t *by_method; /* places of the same lines by method, then by line */
} mp_coverage_file;

typedef struct mp_coverage_answer {
    const mp_coverage_file *files; /* by program */
    size_t file_count;
    uint64_t lines, executed;
    int64_t time_us; /* since 1970 by the clock of the recorder: of the last run; 0: not told */
    const char *versions; /* a program of several sources, whose lines are not one; NULL: none */
    const char *shared;   /* a path that several programs have; NULL: none */
} mp_coverage_answer;

#endif
