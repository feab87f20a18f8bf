/* The peak: the most that was alive at once, up to the end of a window. */
#ifndef MP_QUERY_PEAK_H
#define MP_QUERY_PEAK_H

#include "query/window.h"

typedef struct mp_peak {
    int64_t objects, bytes; /* each at its own moment */
    /* True for several sessions whose times are unknown; the peak is then that of the largest
     * session. */
    bool of_one;
} mp_peak;

/* At snapshots, where there are no events in between. What several sessions had at once is told by
 * the clock: each has what its last snapshot says until its process ends. */
mp_peak mp_window_peak(const mp_window *window);

#endif
