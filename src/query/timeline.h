/* Timeline: the trace of an execution profile in order of time, with the nesting of executions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "query/filter.h"

/* Execution of a line; line 0: of the whole module. */
typedef struct mp_timed {
    mp_module_id module;
    int32_t line;
    uint32_t depth;   /* number of executions that enclose it */
    int64_t start_us; /* start as recorded, microseconds */
    int64_t own_us;
    /* Time until its end, including everything inside; a lower bound if a part is not traced. */
    int64_t all_us;
} mp_timed;

typedef struct mp_timeline {
    mp_timed *items; /* sorted by session, start and depth */
    size_t count;
    int64_t own_us; /* sum of own_us over all items */
} mp_timeline;

/* Return the timeline of the selected executions. A trace records neither ends nor depths. Both
 * follow from the order in which executions complete: one that starts later and completes earlier
 * ran inside the other. Release `items` with free(). */
mp_timeline mp_timeline_of(const mp_filter *filter);
