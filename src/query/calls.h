/* Who calls whom, and what is spent or alive on whose behalf.
 *
 * Recursion never counts twice. What is spent while something runs several times on one stack
 * belongs to the caller of its outermost call, and goes where its innermost call goes. So what a
 * method's callers have adds up to what it costs with its callees, and so do its own cost and what
 * its callees have. */
#ifndef MP_QUERY_CALLS_H
#define MP_QUERY_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "query/filter.h"
#include "query/window.h"

/* Nobody calls: the stack starts there. */
#define MP_NO_CALLER UINT32_MAX
/* Value of an amount or count that is missing from the recording; all others are at least 0. */
#define MP_UNTOLD (-1)

/* Microseconds of a profile; of a heap, bytes alive at the end of the window, and their objects. */
typedef struct mp_call_amount {
    int64_t cost, objects;
} mp_call_amount;

/* A method, or what else a frame of a stack is. */
typedef struct mp_callable {
    const char *name;     /* as the recording says it */
    mp_string_id program; /* program of a profile; none: not known, or the session itself */
    mp_string_id method;  /* none: the main block */
    uint32_t start_line;  /* 0: not told */
    mp_call_amount self;  /* without what it called */
    mp_call_amount total; /* with that */
    int64_t sites; /* cost as a site: `self` and that of allocators it calls; 0: an allocator */
    int64_t calls, nested;  /* nested: of them, while it was running already; both of profiles */
    bool estimated;         /* `total`: recursion may count twice */
    bool recursive;         /* it calls itself, if by others */
    mp_call_amount at_line; /* part of `self` at the line that was asked for */
    int64_t executions;     /* number of executions of that line */
    int64_t line_all;       /* cost of that line with what it called, where the recording says it */
} mp_callable;

typedef struct mp_call_edge {
    uint32_t caller, callee;  /* places among the callables */
    int32_t line;             /* in the caller */
    bool has_line;            /* some stacks tell functions alone */
    int64_t calls, nested;    /* nested: of them, while the callee was running already */
    mp_call_amount as_caller; /* amount spent in the callee for this caller */
    mp_call_amount as_callee; /* amount spent for the caller in this callee */
} mp_call_edge;

typedef struct mp_calls {
    mp_callable *items;
    uint32_t count;
    mp_call_edge *edges;
    size_t edge_count;
    bool from_graph; /* costs are told where a line calls nothing else, or nobody else calls */
    mp_arena names;
} mp_calls;

/* One node of a call tree, in preorder from place 1. */
typedef struct mp_call_node {
    uint32_t parent, span; /* places; see mp_preorder */
    uint32_t callable;
    int32_t line; /* in the parent */
    bool has_line;
    int64_t calls;
    mp_call_amount total;
} mp_call_node;

/* The edges of a tree, into `calls`, whose callables are there. */
void mp_calls_of_nodes(mp_calls *calls, const mp_call_node *nodes, uint32_t count);

/* Return the calls of a profile with a call tree or a call graph, or of the objects alive at the
 * end of a window. `line`: the line whose figures are stored in the callables (at_line); NULL:
 * none. Release with mp_calls_free. */
mp_calls mp_calls_of_profile(const mp_filter *filter, const int32_t *line);
mp_calls mp_calls_of_heap(const mp_window *window, const int32_t *line);
void mp_calls_free(mp_calls *calls);

/* Which callables a name means: those of exactly that name; else those whose program or method it
 * is; else those that it fits as a pattern, whole or behind a sign that is no letter or digit; else
 * the same without regard to case. An array of their places, in no order; release with free(). */
uint32_t *mp_calls_named(const mp_calls *calls, const mp_model *model, const char *name,
                         size_t *count);

#endif
