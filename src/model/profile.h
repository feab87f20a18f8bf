/* Execution profiles: costs without objects. Times are exact whole microseconds, as the files give
 * six decimals of a second.
 *
 * One file may hold several profiles: each is a session with modules of its own, number 0 among
 * them, which stands for the session itself. The readers see to it that whatever is added up of
 * these counts and times fits into 64 bits. */
#ifndef MP_MODEL_PROFILE_H
#define MP_MODEL_PROFILE_H

#include "model/model.h"

typedef struct mp_module_id {
    uint32_t i;
} mp_module_id;

/* A module of the profiler: a compiled unit or an entry (procedure, function, method) of one. */
typedef struct mp_module {
    mp_session_id session;
    uint64_t number; /* as in the file; 0 is the session itself */
    bool defined;
    mp_string_id name;         /* as in the file; none: used and never defined */
    mp_string_id program;      /* the unit; "<module 7>" of what was never defined */
    mp_string_id method;       /* the entry; none: the unit's main block */
    mp_string_id runtime;      /* class of the object, of an inherited method; none: of the unit */
    mp_string_id listing;      /* debug listing, as the file says */
    mp_string_id listing_file; /* that was found for the program; none: it was not looked for */
    mp_string_id signature;
    uint32_t start_line;
    uint64_t crc; /* CRC of the compiled unit; 0: an internal entry */
} mp_module;

/* Fields that a report could not print ("?"); they are omitted and not read as 0. */
enum {
    MP_UNKNOWN_LINE = 1,
    MP_UNKNOWN_EXECUTIONS = 2,
    MP_UNKNOWN_EXCLUSIVE = 4,
    MP_UNKNOWN_AVERAGE = 8,
    MP_UNKNOWN_CUMULATIVE = 16, /* reports never have it */
};

/* One line of one module. Line 0 is its prologue, -1 its cleanup, -2 garbage collection. */
typedef struct mp_profile_line {
    mp_module_id module;
    int32_t line;
    int64_t executions;
    int64_t exclusive_us, cumulative_us;
    unsigned unknown; /* MP_UNKNOWN_...: which of the numbers are 0 for want of a better one */
    bool rounded;     /* from a report: average_us is what it prints, times are rounded */
    int64_t average_us;
    mp_string_id code; /* source text, where the input or a debug listing has it */
} mp_profile_line;

/* So many calls from a line of one module to another. */
typedef struct mp_profile_call {
    mp_module_id caller;
    int32_t line;
    mp_module_id callee;
    int64_t count;
} mp_profile_call;

/* A node of the recorded call tree: `node` tells its parent, frame and line. The root is the
 * session. A line may be negative; in mp_node and mp_tree_node it stands as two's complement. */
typedef struct mp_profile_node {
    mp_node_id node;
    mp_module_id module;
    mp_node_id parent;
    int32_t line; /* in the parent */
    int64_t calls, cumulative_us;
} mp_profile_node;

/* A row of the tracing section: one execution of a line. Rows stand in the order in which they
 * were completed, so what runs inside of another stands before it. */
typedef struct mp_profile_execution {
    mp_module_id module;
    int32_t line;
    int64_t exclusive_us, start_us;
} mp_profile_execution;

/* All rows of the tracing section for one line, folded. */
typedef struct mp_profile_trace {
    mp_module_id module;
    int32_t line;
    int64_t executions, exclusive_us, first_start_us;
} mp_profile_trace;

/* The executable lines of an entity: coverage_lines[first, first + count). */
typedef struct mp_profile_coverage {
    mp_module_id module;
    mp_string_id entity;
    uint32_t first, count;
} mp_profile_coverage;

typedef struct mp_profile_text {
    mp_session_id session;
    int64_t time_us;
    mp_string_id text;
} mp_profile_text;

/* Fields of the description line of version 3, unchanged; -1: missing. */
typedef struct mp_profile_header {
    mp_session_id session;
    int64_t statements, data_points, writes, buffer_size;
} mp_profile_header;

/* The parts of the statistics. */
typedef enum mp_statistics_part {
    MP_STATISTICS_OPERATIONS,
    MP_STATISTICS_MODULES,
    MP_STATISTICS_WATERMARKS,
    MP_STATISTICS_PARAMETERS,
} mp_statistics_part;

/* A row of them. What it means is known of operations (so many of one operation of a module) and of
 * start-up parameters, whose text is `name`; of others `text` is all there is. */
typedef struct mp_profile_statistic {
    mp_session_id session;
    mp_statistics_part part;
    mp_string_id text;   /* the row */
    mp_module_id module; /* module in rows of operations and modules; none: an unexpected row */
    uint64_t operation;
    int64_t count; /* count in rows of operations */
    mp_string_id name;
} mp_profile_statistic;

typedef struct mp_profile {
    MP_LIST(mp_profile_header) headers;
    MP_LIST(mp_module) modules;
    MP_LIST(mp_profile_line) lines;
    MP_LIST(mp_profile_call) calls;
    MP_LIST(mp_profile_node) nodes;
    MP_LIST(mp_profile_trace) traces;
    MP_LIST(mp_profile_execution) executions; /* none with mp_load_options.traces_folded */
    MP_LIST(mp_profile_coverage) coverage;
    MP_LIST(int32_t) coverage_lines;
    MP_LIST(mp_string_id) coverage_codes; /* source text of each; empty: no listing was read */
    MP_LIST(mp_profile_statistic) statistics;
    MP_LIST(mp_profile_text) user_data;
    int64_t trace_rows;
    /* Summed over all sessions that say it; -1: none does. */
    int64_t stated_total_us; /* TotTime of the header, or the report's session total */
    int64_t elapsed_us;      /* wall clock, from a report */
    bool from_report;        /* at most 20 lines, rounded: not the whole profile */
} mp_profile;

/* The source text of an executable line, where a debug listing has it. */
static inline mp_string_id mp_profile_code(const mp_profile *profile, uint32_t coverage_line)
{
    return coverage_line < profile->coverage_codes.count
               ? profile->coverage_codes.items[coverage_line]
               : (mp_string_id){0};
}

#endif
