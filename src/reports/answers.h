/* Rows of answers as structs, in addition to the cells that renderers print. An exporter that
 * converts one kind of answer for another tool reads the structs. mp_table_attach adds them to a
 * table. The structs and their texts must live as long as the table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Row of MP_ANSWER_HOT_LINES: a line of an execution profile. */
typedef struct mp_hot_line {
    const char *program, *method, *code; /* "" = unknown */
    int64_t line, us, calls;             /* MP_UNKNOWN = unknown; us: time in microseconds */
    double average_seconds;              /* NAN = unknown */
} mp_hot_line;

/* Facts shared by all hot lines. */
typedef struct mp_hot_profile {
    const char *description; /* description of the session; "" = none */
    int64_t us;              /* microseconds of the whole profile, without the profiler itself */
    int64_t elapsed_us;      /* microseconds of wall-clock time; MP_UNKNOWN = unknown */
} mp_hot_profile;

/* Row of MP_ANSWER_LEAK_SITES: objects that leaked from an allocation site. */
typedef struct mp_leak_site {
    const char *type, *name; /* name of the objects; "" if they have several */
    bool inferred;           /* the type was inferred, not recorded */
    /* Innermost frame that is not an allocator, or a text that says that there is none. */
    const char *frame;
    size_t frames; /* number of frames from that one outwards; 0 = not created by code */
    int64_t bytes, objects;
} mp_leak_site;

/* Line of a file. MP_ANSWER_COVERAGE has no rows; the `about` of its table is an
 * mp_coverage_answer. */
typedef struct mp_coverage_line {
    uint32_t method; /* index in mp_coverage_file.methods */
    int64_t line, executions;
} mp_coverage_line;

typedef struct mp_coverage_method {
    const char *name;         /* "" = the main block */
    uint32_t lines, executed; /* number of executable lines, and of the executed ones among them */
    uint32_t first; /* index in mp_coverage_file.by_method of the first line of the method */
    int64_t calls;  /* number of known calls */
} mp_coverage_method;

typedef struct mp_coverage_file {
    const char *program;
    const char *path; /* path of the source, or of the debug listing that was read instead */
    /* Numbers of source lines. A line that belongs to two methods is counted once. */
    uint32_t lines, executed;
    const mp_coverage_method *methods; /* sorted by name */
    size_t method_count;
    const mp_coverage_line *items; /* sorted by line, then by method */
    size_t count;
    const uint32_t *by_method; /* indexes in `items`, sorted by method, then by line */
} mp_coverage_file;

typedef struct mp_coverage_answer {
    const mp_coverage_file *files; /* sorted by program */
    size_t file_count;
    uint64_t lines, executed;
    /* End of the last run by the recorder's clock, in microseconds since 1970; 0 = unknown. */
    int64_t time_us;
    /* name of a program that has several sources with different lines; NULL = none */
    const char *versions;
    const char *shared; /* path that several programs share; NULL = none */
} mp_coverage_answer;
