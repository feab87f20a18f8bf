/* Coverage: which lines of a profile's programs could be executed, and which were. */
#ifndef MP_QUERY_COVERAGE_H
#define MP_QUERY_COVERAGE_H

#include "model/profile.h"
#include "query/filter.h"

/* A line of a method. A line of the source that is one of several methods stands once for each. */
typedef struct mp_covered_line {
    uint32_t source, method; /* in mp_coverage: sources, methods */
    int32_t line;            /* from 1 */
    mp_string_id code;       /* code of the line, if a debug listing has it */
    int64_t executions;      /* sum of all runs; 0: never executed */
} mp_covered_line;

/* All overloads of a name are one method. */
typedef struct mp_covered_method {
    uint32_t source;
    mp_string_id name; /* "": the source's main block */
    uint32_t lines, executed;
    int64_t calls; /* 0: it was never entered, or before the recording began */
} mp_covered_method;

/* One version of a program. A program that was compiled from several sources has one for each:
 * their line numbers mean different things, and are never mixed. */
typedef struct mp_covered_source {
    mp_string_id program;
    mp_string_id listing;      /* its debug listing, as a recording names it; 0: none does */
    mp_string_id listing_file; /* the one that was found; 0: it was not looked for */
    uint64_t crc;              /* CRC of the compiled unit */
    bool versions;             /* the program has several */
    uint32_t lines, executed;
    uint32_t first_line, line_count;     /* in mp_coverage: lines */
    uint32_t first_method, method_count; /* likewise */
} mp_covered_source;

typedef struct mp_coverage {
    mp_covered_source *sources; /* by program, byte-wise, then by CRC */
    mp_covered_method *methods; /* by source, then by name, byte-wise */
    mp_covered_line *lines;     /* by source, then by line, then by method */
    uint32_t source_count, method_count, line_count;
    uint64_t executable, executed; /* lines of all sources */
    /* Programs that were executed and of which no recording tells what could have been. */
    uint32_t untold;
} mp_coverage;

/* Return the coverage of all runs together: a line is executed if it was executed in any run,
 * and executable if any run says so. Lines below 1 are omitted: they stand for the runtime's
 * work around a method and for generated methods. Release with mp_coverage_free. */
mp_coverage mp_coverage_of(const mp_filter *filter);
void mp_coverage_free(mp_coverage *coverage);

/* Return the source of which most lines were not executed; there is at least one. */
const mp_covered_source *mp_coverage_worst(const mp_coverage *coverage);

/* In percent, rounded down to one decimal: less than 100 where a line is missing. NAN of no line.
 */
double mp_coverage_percent(uint64_t executed, uint64_t lines);

#endif
