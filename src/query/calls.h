/* Calls: who calls whom, and the cost that each caller causes.
 *
 * Recursion never counts twice. If a method is on a stack several times, its cost belongs to the
 * caller of its outermost call and to the callee of its innermost call. The costs of a method's
 * callers therefore add up to its total cost, and so do the costs of its callees with its own
 * cost. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "query/filter.h"
#include "query/window.h"

/* Caller of the outermost frame of a stack. */
#define MP_NO_CALLER UINT32_MAX
/* Value of an amount or a count that is not recorded; recorded ones are at least 0. */
#define MP_UNTOLD (-1)

/* Cost in microseconds for a profile; for a heap, bytes and objects alive at the end of the
 * window. */
typedef struct mp_call_amount {
    int64_t cost, objects;
} mp_call_amount;

/* A method, function or other frame of a stack. */
typedef struct mp_callable {
    const char *name;     /* name as recorded */
    const char *shown;    /* name for people, unique unless the recording is ambiguous */
    mp_string_id program; /* program in a profile; 0: unknown, or the session itself */
    mp_string_id method;  /* method in a profile; 0: main block */
    uint32_t start_line;  /* first line; 0: unknown */
    mp_call_amount self;  /* cost without callees */
    mp_call_amount total; /* cost with callees */
    int64_t sites; /* cost as an allocation site, including the allocators that it calls; 0 for
                      allocators */
    int64_t calls, nested;  /* profiles only: number of calls, and of calls while it was already
                               running (nested) */
    bool estimated;         /* `total` may count recursion twice */
    bool recursive;         /* calls itself, directly or indirectly */
    mp_call_amount at_line; /* part of `self` at the requested line */
    int64_t executions;     /* executions of that line */
    int64_t line_all;       /* cost of that line with callees; MP_UNTOLD: not recorded */
} mp_callable;

typedef struct mp_call_edge {
    uint32_t caller, callee; /* indexes of the callables */
    int32_t line;            /* line in the caller */
    bool has_line;           /* false: the stack has no line numbers */
    int64_t calls,
        nested; /* number of calls, and of calls while the callee was already running (nested) */
    mp_call_amount as_caller; /* part of the callee's cost that belongs to this caller */
    mp_call_amount as_callee; /* part of the caller's cost that was spent in this callee */
} mp_call_edge;

typedef struct mp_calls {
    mp_callable *items;
    uint32_t count;
    mp_call_edge *edges;
    size_t edge_count;
    mp_arena names;
} mp_calls;

/* Node of a call tree. Nodes are in preorder, from index 1. */
typedef struct mp_call_node {
    /* Index of the parent; number of nodes of the subtree, including this one (see mp_preorder). */
    uint32_t parent, span;
    uint32_t callable;
    int32_t line; /* line in the parent */
    bool has_line;
    int64_t calls;
    mp_call_amount total;
} mp_call_node;

/* Add the edges of a call tree to `calls`, which must have the callables. */
void mp_calls_of_nodes(mp_calls *calls, const mp_call_node *nodes, uint32_t count);

/* Return the calls of a profile with a call tree or a call graph (mp_calls_of_profile), or the
 * calls on the stacks of the objects alive at the end of a window (mp_calls_of_heap). `line`: line
 * whose figures are stored in the callables (at_line); NULL: none. Release with mp_calls_free. */
mp_calls mp_calls_of_profile(const mp_filter *filter, const int32_t *line);
mp_calls mp_calls_of_heap(const mp_window *window, const int32_t *line);
void mp_calls_free(mp_calls *calls);

/* Return the callables that a name denotes; if `wanted` is not NULL, only those with this flag.
 * Callables with exactly this name are preferred, then
 * those whose program or method has it, then those that it matches as a pattern, as a whole or
 * after a character that is not a letter, digit, `_` or `-`, and last those that it matches when
 * case is ignored. Return `count` indexes; release with free(). */
uint32_t *mp_calls_named(const mp_calls *calls, const mp_model *model, const char *name,
                         const bool *wanted, size_t *count);
