/* The trace of an execution profile as a timeline: what ran when, and inside of what. */
#ifndef MP_QUERY_TIMELINE_H
#define MP_QUERY_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "query/filter.h"

/* One execution of a line; of line 0, of the whole module. */
typedef struct mp_timed {
    mp_module_id module;
    int32_t line;
    uint32_t depth;   /* executions that it ran inside of */
    int64_t start_us; /* as the file says */
    int64_t own_us;
    int64_t
        all_us; /* until it ended, with what ran inside; at least that, where not all is traced */
} mp_timed;

typedef struct mp_timeline {
    mp_timed *items; /* by session, start and depth */
    size_t count;
    int64_t own_us; /* sum of all entries */
} mp_timeline;

/* Return the timeline of the selection. A trace has neither ends nor depths: both follow from
 * the order of completion, because whatever starts later and ends sooner ran inside. Release
 * with free(timeline.at). */
mp_timeline mp_timeline_of(const mp_filter *filter);

#endif
