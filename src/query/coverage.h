/* Coverage: executable and executed lines of the programs in a profile. */
#pragma once

#include "model/profile.h"
#include "query/filter.h"

/* Line of a method. A source line that is in several methods has an entry for each. */
typedef struct mp_covered_line {
    uint32_t source, method; /* indexes in mp_coverage.sources and .methods */
    int32_t line;            /* line number, from 1 */
    mp_string_id code;       /* text of the line, if a debug listing has it */
    int64_t executions;      /* sum over all runs; 0: never executed */
} mp_covered_line;

/* Method of a source; overloads, which have the same name, are one method. */
typedef struct mp_covered_method {
    uint32_t source;
    mp_string_id name; /* "": the main block of the source */
    uint32_t lines, executed;
    int64_t calls; /* 0: never entered, or entered before recording began */
} mp_covered_method;

/* One version of a program. A program that was compiled from several versions of its source has an
 * entry for each, because their line numbers do not correspond. */
typedef struct mp_covered_source {
    mp_string_id program;
    mp_string_id listing;      /* path of the debug listing as recorded; 0: not recorded */
    mp_string_id listing_file; /* path of the listing that was read; 0: none */
    uint64_t crc;              /* CRC of the compiled unit; 0: unknown */
    bool versions;             /* the program has several versions */
    uint32_t lines, executed;
    uint32_t first_line, line_count;     /* range in mp_coverage.lines */
    uint32_t first_method, method_count; /* range in mp_coverage.methods */
} mp_covered_source;

typedef struct mp_coverage {
    mp_covered_source *sources; /* sorted by program, bytewise, then by CRC */
    mp_covered_method *methods; /* sorted by source, then by name, bytewise */
    mp_covered_line *lines;     /* sorted by source, then by line, then by method */
    uint32_t source_count, method_count, line_count;
    uint64_t executable, executed; /* number of lines of all sources */
    /* Number of executed programs for which the recording does not list executable lines. */
    uint32_t untold;
} mp_coverage;

/* Return the coverage of all runs together: a line is executed if any run executed it, and
 * executable if any run lists it. Lines below 1, which stand for generated methods and the
 * runtime's work around a method, are left out. Release with mp_coverage_free. */
mp_coverage mp_coverage_of(const mp_filter *filter);
void mp_coverage_free(mp_coverage *coverage);

/* Return the source with the most lines that were never executed. There must be at least one
 * source. */
const mp_covered_source *mp_coverage_worst(const mp_coverage *coverage);

/* Return the percentage, rounded down to one decimal, so that 100 means every line; NAN if there
 * are no lines. */
double mp_coverage_percent(uint64_t executed, uint64_t lines);
