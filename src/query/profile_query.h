/* Execution profiles in aggregate: by line, method, program and path of calls.
 *
 * All functions read a complete model with a profile (model->profile may be NULL: results are
 * empty) and return arrays of their own; strings are ids of the model. Times are whole
 * microseconds, counts exact to 64 bits. The session itself (module 0) is no module: no row is
 * about it, but it is the root of the call tree.
 *
 * Rows are added up over all sessions by their names. Two modules of one session with the same
 * program, method and start line are overloads all the same (recordings before 11.7.4 have no
 * start line): they stay apart by `overload`, which counts them from 0 in the order of the module
 * numbers. */
#ifndef MP_QUERY_PROFILE_QUERY_H
#define MP_QUERY_PROFILE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

/* A line of a method. */
typedef struct mp_line_cost {
    mp_string_id program, method; /* method: none for the unit's main block */
    uint32_t start_line;          /* of the method; 0: not known */
    uint32_t overload;
    int32_t line;
    unsigned unknown; /* MP_UNKNOWN_...: a summand of it was not known; 0 stands there */
    bool rounded;     /* from a report */
    int64_t executions, exclusive_us;
    double average_us; /* exclusive by executions, or what the report prints; 0: never executed */
    mp_string_id code;
} mp_line_cost;

typedef struct mp_line_costs {
    mp_line_cost *at;
    size_t count;
} mp_line_costs;

/* By exclusive_us descending, then program, method (byte-wise), line, start_line, overload.
 * Release with free(result.at). */
mp_line_costs mp_profile_line_costs(const mp_model *model);

/* How an inclusive time was come by. */
typedef enum mp_inclusive {
    MP_INCLUSIVE_UNKNOWN,  /* there is nothing to tell it by; 0 stands there */
    MP_INCLUSIVE_EXACT,    /* from the call tree: of nested occurrences the outermost counts */
    MP_INCLUSIVE_ESTIMATED /* (partly) from cumulative times of lines 0: recursion counts twice */
} mp_inclusive;

/* A method, or a program with all its methods (then method is none, start_line and overload 0). */
typedef struct mp_method_cost {
    mp_string_id program, method;
    uint32_t start_line;
    uint32_t overload;
    unsigned unknown; /* MP_UNKNOWN_EXCLUSIVE, MP_UNKNOWN_EXECUTIONS (of `calls`) */
    int64_t exclusive_us;
    int64_t inclusive_us;
    mp_inclusive inclusive;
    int64_t calls; /* executions of line 0; where there is none, what the call graph counts */
} mp_method_cost;

typedef struct mp_method_costs {
    mp_method_cost *at;
    size_t count;
} mp_method_costs;

/* By exclusive_us descending, then program, method (byte-wise), start_line, overload. An estimated
 * inclusive time of a program is the sum of its methods'. Release with free(result.at). */
mp_method_costs mp_profile_method_costs(const mp_model *model);
mp_method_costs mp_profile_program_costs(const mp_model *model);

/* A path of calls: `tree` says by its symbol, line and parent what it is. */
typedef struct mp_call_node {
    uint32_t parent;      /* 0: a root */
    uint32_t first_child; /* in mp_call_tree.children */
    uint32_t child_count;
    uint32_t depth; /* 0: a root */
    mp_symbol_id symbol;
    int32_t line; /* of the call, in the parent */
    int64_t calls, inclusive_us;
    int64_t own_us; /* inclusive less the children's inclusive, never below 0 */
} mp_call_node;

/* The call tree of all sessions as one: node i is model->tree.at[i], element 0 is none, parents
 * stand before their children. Each node's children are children[first_child, first_child +
 * child_count), and those of element 0 are the roots: inclusive_us descending, then name
 * (byte-wise), start line, line. Iterate; the tree may be a million nodes deep. */
typedef struct mp_call_tree {
    mp_call_node *nodes;
    uint32_t *children;
    uint32_t count; /* with element 0; 0: no recording has a call tree (versions 1 and 2) */
} mp_call_tree;

/* Release with mp_call_tree_free. A call graph (who calls whom) does not make a tree: where there
 * are no nodes, the result is empty. */
mp_call_tree mp_profile_call_tree(const mp_model *model);
void mp_call_tree_free(mp_call_tree *tree);

typedef struct mp_profile_totals {
    int64_t exclusive_us; /* of all lines */
    int64_t calls;        /* executions of all lines 0 */
    uint64_t modules;     /* defined ones */
    bool partial;         /* (also) from reports, which have 20 lines at most */
} mp_profile_totals;

/* Of all sessions together; nothing where the model has no profile. */
mp_profile_totals mp_profile_total(const mp_model *model);

/* Which of a program's lines were executed, where the recordings have coverage. */
typedef struct mp_program_coverage {
    mp_string_id program;
    uint64_t executable, executed; /* lines */
} mp_program_coverage;

typedef struct mp_program_coverages {
    mp_program_coverage *at;
    size_t count;
} mp_program_coverages;

/* By program, byte-wise. Release with free(result.at). */
mp_program_coverages mp_profile_coverage_of(const mp_model *model);

#endif
