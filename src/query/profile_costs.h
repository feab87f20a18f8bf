/* Execution profiles in aggregate: by line, method, program and path of calls.
 *
 * All functions read a complete model with a profile (which may be NULL: results are empty) and
 * return arrays of their own; strings are ids of the model. Times are whole microseconds, counts
 * exact to 64 bits. The session itself (module 0) is no module: no row is about it, but it is the
 * root of the call tree.
 *
 * Rows are added up over all sessions by their names. Two modules of one session with the same
 * program, method and start line are overloads all the same (recordings before 11.7.4 have no
 * start line): they stay apart by `overload`, which counts them from 0 in the order of the module
 * numbers. What objects of another class inherited is a method of its own, by the name of that
 * class. */
#ifndef MP_QUERY_PROFILE_COSTS_H
#define MP_QUERY_PROFILE_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "query/filter.h"
#include "query/preorder.h"

typedef struct mp_profile_totals {
    int64_t exclusive_us;       /* sum of all lines */
    int64_t instrumentation_us; /* time of the profiler, which all other sums leave out */
    uint64_t instrumentation_lines;
    int64_t calls;    /* executions of all lines 0 */
    uint64_t modules; /* programs, each with all its methods */
    bool partial;     /* (also) from reports, which have 20 lines at most */
} mp_profile_totals;

/* Return the totals of all sessions together; zero if the model has no profile. */
mp_profile_totals mp_profile_total(const mp_filter *filter);

/* How an inclusive time was come by. */
typedef enum mp_inclusive {
    MP_INCLUSIVE_UNKNOWN,  /* there is nothing to tell it by; 0 stands there */
    MP_INCLUSIVE_EXACT,    /* from the call tree: of nested occurrences the outermost counts */
    MP_INCLUSIVE_ESTIMATED /* (partly) from cumulative times of lines 0: recursion counts twice */
} mp_inclusive;

/* A line of a method, a method, or a program with all its methods. */
typedef struct mp_code_cost {
    mp_string_id program, method; /* method: none for the unit's main block, and of programs */
    mp_string_id runtime;         /* class of the object, for an inherited method; or none */
    uint32_t start_line;          /* first line of the method; 0: not known, or a program */
    uint32_t overload;
    uint32_t group;      /* number of the method among the groups (profile_groups.h) */
    bool run_by_several; /* objects of other classes inherited it, too: other rows */
    bool repeats;        /* in a session it, or what leads to it, is called more than once */
    unsigned unknown;    /* MP_UNKNOWN_...: a summand of it was not known; 0 stands there */
    int64_t exclusive_us;
    int64_t calls;     /* executions of a line; else calls of line 0, or of the call graph */
    double average_us; /* exclusive by calls, or what the report prints; 0: never executed */
    int64_t stated_us; /* average that the report prints */
    int32_t line;      /* number of the line, if the row is a line */
    bool rounded;      /* from a report */
    mp_string_id code;
    mp_inclusive inclusive; /* inclusive time of methods and programs */
    int64_t inclusive_us;   /* estimated of a program: the sum of its methods' */
} mp_code_cost;

/* By exclusive_us descending, then program, method (byte-wise), line, start_line, runtime,
 * overload. */
typedef struct mp_code_costs {
    mp_code_cost *items;
    size_t count;
} mp_code_costs;

typedef struct mp_profile_costs {
    mp_code_costs lines, methods, programs;
    mp_profile_totals totals;
} mp_profile_costs;

/* All of it at once: it is made by the same few passes. Release with mp_profile_costs_free. */
mp_profile_costs mp_profile_costs_of(const mp_filter *filter);
void mp_profile_costs_free(mp_profile_costs *costs);
/* Put them in the order of their averages, largest first, as exact fractions; those without one
 * last. Equal ones stand in the usual order. */
void mp_code_costs_by_average(const mp_model *model, mp_code_costs *costs);

/* Cost of the path of calls to a node of the model's complete tree. */
typedef struct mp_path_cost {
    int64_t calls, inclusive_us;
    int64_t own_us; /* inclusive less the children's inclusive, never below 0 */
} mp_path_cost;

/* Return the costs of all sessions, by node of model->tree. NULL: no recording has a call tree
 * (versions 1 and 2); a call graph (who calls whom) does not make a tree. Release with free(). */
mp_path_cost *mp_profile_path_costs(const mp_filter *filter);

/* The recorded nodes of a profile that has some and whose tree is made: `order` holds places in
 * profile->nodes. Release with mp_preorder_free. */
mp_preorder mp_profile_preorder(const mp_model *model);
/* Return the time of each node including its callees, by place, without the profiler's own code
 * if the filter leaves it out. Release with free(). */
int64_t *mp_profile_node_times(const mp_filter *filter, const mp_preorder *nodes);

#endif
