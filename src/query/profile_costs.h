/* Execution profiles, summed by line, method, program and call path.
 *
 * All functions read a complete model; if it has no profile, their results are empty. Arrays belong
 * to the result, strings are ids of the model. Costs are in the unit of the profile, whole
 * microseconds or samples (model/profile.h); counts are exact to 64 bits. The session itself
 * (module 0) has no row, but it is the root of the call tree.
 *
 * Rows are summed over all sessions by name. Modules of one session with equal program, method and
 * start line are overloads (recordings before 11.7.4 have no start line); `overload` numbers them
 * from 0 in the order of the module numbers. A method that another class inherited counts as a
 * separate method, with the name of that class. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "query/filter.h"
#include "query/preorder.h"

typedef struct mp_profile_totals {
    int64_t exclusive_us;       /* sum over all lines */
    int64_t instrumentation_us; /* time of the profiler itself, excluded from all other sums */
    uint64_t instrumentation_lines;
    int64_t calls;    /* executions of line 0, over all modules */
    uint64_t modules; /* number of known programs, each with all its methods */
    bool partial;     /* some data comes from reports, which list at most 20 lines */
} mp_profile_totals;

/* Return the totals of all sessions together; zero if the model has no profile. */
mp_profile_totals mp_profile_total(const mp_filter *filter);

/* Origin of an inclusive time. */
typedef enum mp_inclusive {
    MP_INCLUSIVE_UNKNOWN,  /* not recorded; the time is 0 */
    MP_INCLUSIVE_EXACT,    /* from the call tree; if calls are nested, only the outermost counts */
    MP_INCLUSIVE_ESTIMATED /* partly from cumulative times of line 0, which count recursion twice */
} mp_inclusive;

/* A line of a method, a whole method, or a program with all its methods. */
typedef struct mp_code_cost {
    mp_string_id program, method; /* method: 0 for main blocks and for programs */
    mp_string_id runtime;         /* class of the object, for an inherited method; otherwise 0 */
    uint32_t start_line;          /* first line of the method; 0: unknown, or a program */
    uint32_t overload;
    uint32_t group;      /* number of the method's group (profile_groups.h) */
    bool run_by_several; /* several classes ran the inherited method, and have separate rows */
    bool repeats;        /* called more than once in a session, directly or through its callers */
    /* MP_UNKNOWN_...: figures of which a part is unknown; that part counts as 0 */
    unsigned unknown;
    int64_t exclusive_us;
    /* executions if the row is a line, otherwise calls, from line 0 or the call graph */
    int64_t calls;
    double average_us; /* exclusive time per call, or as the report prints it; 0: never executed */
    int64_t stated_us; /* average that the report prints, microseconds */
    int32_t line;      /* line number, if the row is a line */
    bool rounded;      /* times were rounded by the report that was read */
    mp_string_id code;
    mp_inclusive inclusive; /* origin of inclusive_us, for methods and programs */
    /* inclusive time; an estimate for a program is the sum over its methods */
    int64_t inclusive_us;
} mp_code_cost;

/* Rows sorted by exclusive_us, largest first, then by program, method (bytewise), line, start_line,
 * runtime, overload. */
typedef struct mp_code_costs {
    mp_code_cost *items;
    size_t count;
} mp_code_costs;

typedef struct mp_profile_costs {
    mp_code_costs lines, methods, programs;
    mp_profile_totals totals;
} mp_profile_costs;

/* Return all rows and totals, which are computed in the same passes. Release with
 * mp_profile_costs_free. */
mp_profile_costs mp_profile_costs_of(const mp_filter *filter);
void mp_profile_costs_free(mp_profile_costs *costs);
/* Sort the rows by average, largest first, comparing exact fractions. Rows without an average come
 * last; equal averages are in the usual order. */
void mp_code_costs_by_average(const mp_model *model, mp_code_costs *costs);

/* Cost of the call path to a node of the model's tree. */
typedef struct mp_path_cost {
    mp_module_id module; /* the node's code; 0 = never defined */
    int64_t calls, inclusive_us;
    int64_t own_us; /* inclusive time minus the children's inclusive times, at least 0 */
} mp_path_cost;

/* Return the costs of all sessions, by node of model->tree. NULL: no recording has a call tree, as
 * in versions 1 and 2 (a call graph is not sufficient). Release with free(). */
mp_path_cost *mp_profile_path_costs(const mp_filter *filter);

/* Return the nodes of the profile in preorder: `order` has indexes in profile->nodes. The profile
 * must have nodes, and the model a call tree. Release with mp_preorder_free. */
mp_preorder mp_profile_preorder(const mp_model *model);
/* Return the time of each node including its callees, by place in preorder. If the filter excludes
 * the profiler's own code, its time is left out. Release with free(). */
int64_t *mp_profile_node_times(const mp_filter *filter, const mp_preorder *nodes);
