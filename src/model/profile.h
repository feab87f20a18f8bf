/* Execution profiles: costs without objects. Costs are whole microseconds. This is exact, because
 * files state seconds with six decimals. With MP_HOLDS_SAMPLES, costs are numbers of samples, also
 * in members named ..._us. With MP_HOLDS_UNCALLED, executions and calls are unknown. All inputs of
 * a model have the same unit.
 *
 * A file may contain several profiles. Each is a session with its own modules; its module number 0
 * is the session itself. Readers ensure that sums of these counts and times fit into 64 bits. */
#pragma once

#include "model/model.h"

typedef struct mp_module_id {
    uint32_t i;
} mp_module_id;

/* A module as the profiler defines it: a compiled unit, or a procedure, function or method of a
 * unit. */
typedef struct mp_module {
    mp_session_id session;
    uint64_t number; /* number in the file; 0 is the session */
    bool defined;
    mp_string_id name; /* name in the file; none: the file uses the module, but never defines it */
    mp_string_id program;      /* compiled unit; "<module 7>" if the module was never defined */
    mp_string_id method;       /* procedure, function or method; none: the main block of the unit */
    mp_string_id runtime;      /* class of the object, if it inherited the method; none: the unit */
    mp_string_id listing;      /* debug listing stated by the file */
    mp_string_id listing_file; /* debug listing found for the program; none: not looked for */
    mp_string_id signature;
    bool run_by_several; /* other modules are the same method, run by objects of other classes; set
                            by mp_model_build_tree */
    uint32_t start_line;
    uint64_t crc; /* checksum of the compiled unit; 0: an internal entry */
} mp_module;

/* Fields for which a report prints "?" instead of a number. They are unknown, not 0. */
enum {
    MP_UNKNOWN_LINE = 1,
    MP_UNKNOWN_EXECUTIONS = 2,
    MP_UNKNOWN_EXCLUSIVE = 4,
    MP_UNKNOWN_AVERAGE = 8,
    MP_UNKNOWN_CUMULATIVE =
        16, /* set for all lines of reports, because no report has cumulative times */
};

/* One line of a module. Line 0 is its prologue, -1 its cleanup, -2 garbage collection; MP_NO_LINE:
 * all costs of the module, if lines are not recorded. */
typedef struct mp_profile_line {
    mp_module_id module;
    int32_t line;
    int64_t executions;
    int64_t exclusive_us, cumulative_us;
    unsigned unknown; /* MP_UNKNOWN_...: fields that are unknown */
    /* read from a report, so times are rounded, and average_us is the printed value */
    bool rounded;
    int64_t average_us;
    mp_string_id code; /* source text from the input or a debug listing; or none */
} mp_profile_line;

/* Calls from a line of one module to another module. */
typedef struct mp_profile_call {
    mp_module_id caller;
    int32_t line;
    mp_module_id callee;
    int64_t count;
} mp_profile_call;

/* A node of the recorded call tree; `node` has its parent, symbol and line in the parent
 * (MP_NO_LINE: not recorded). The root is the session. Negative lines are stored in mp_node and
 * mp_tree_node as two's complement. */
typedef struct mp_profile_node {
    mp_node_id node;
    mp_module_id module;
    int64_t calls, cumulative_us;
} mp_profile_node;

/* A row of the tracing section: one execution of a line. Rows are ordered by completion, so a
 * nested execution precedes the one that contains it. */
typedef struct mp_profile_execution {
    mp_module_id module;
    int32_t line;
    int64_t exclusive_us, start_us;
} mp_profile_execution;

/* The sums of all rows of the tracing section for one line. */
typedef struct mp_profile_trace {
    mp_module_id module;
    int32_t line;
    int64_t executions, exclusive_us, first_start_us;
} mp_profile_trace;

/* The executable lines of a procedure or method: coverage_lines[first, first + count). */
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

/* Fields of the description line of version 3, as the file has them; -1: missing. */
typedef struct mp_profile_header {
    mp_session_id session;
    int64_t statements, data_points, writes, buffer_size;
} mp_profile_header;

/* Parts of the statistics section. */
typedef enum mp_statistics_part {
    MP_STATISTICS_OPERATIONS,
    MP_STATISTICS_MODULES,
    MP_STATISTICS_WATERMARKS,
    MP_STATISTICS_PARAMETERS,
} mp_statistics_part;

/* A row of the statistics section. For operations (the count of one operation in a module) and
 * start-up parameters (`name`) the meaning is known; of all other rows, only the text is kept. */
typedef struct mp_profile_statistic {
    mp_session_id session;
    mp_statistics_part part;
    mp_string_id text;   /* the whole row */
    mp_module_id module; /* number of times that the operation ran; only for operations */
    uint64_t operation;
    int64_t count; /* number of times that the operation ran; only for operations */
    mp_string_id name;
} mp_profile_statistic;

typedef struct mp_profile {
    MP_LIST(mp_profile_header) headers;
    MP_LIST(mp_module) modules;
    MP_LIST(mp_profile_line) lines;
    MP_LIST(mp_profile_call) calls;
    MP_LIST(mp_profile_node) nodes;
    MP_LIST(mp_profile_trace) traces;
    MP_LIST(mp_profile_execution) executions; /* empty with mp_load_options.traces_folded */
    MP_LIST(mp_profile_coverage) coverage;
    MP_LIST(int32_t) coverage_lines;
    MP_LIST(mp_string_id)
    coverage_codes; /* source text of each of these lines; empty: no listing
                     * was read */
    MP_LIST(mp_profile_statistic) statistics;
    MP_LIST(mp_profile_text) user_data;
    int64_t trace_rows;
    /* Values stated by sessions, summed up over all sessions that state them; -1: no session
     * does. */
    int64_t stated_total_us; /* TotTime of the header, or the report's session total */
    int64_t elapsed_us;      /* wall-clock time, from a report */
    bool from_report;        /* read from a report, which has at most 20 lines and rounded times */
    /* Name of what is measured, such as "cpu" or "delay"; none: what recordings of this kind
     * usually measure. */
    mp_string_id measure;
} mp_profile;

/* Return the source text of an executable line; none if there is no debug listing. */
static inline mp_string_id mp_profile_code(const mp_profile *profile, uint32_t coverage_line)
{
    return coverage_line < profile->coverage_codes.count
               ? profile->coverage_codes.items[coverage_line]
               : (mp_string_id){0};
}
