/* Peak: the maximum that was alive at once, up to the end of a window. */
#pragma once

#include "query/window.h"

typedef struct mp_peak {
    int64_t objects, bytes; /* maxima, each at its own time */
    /* True if the peak is that of the largest session only, because there are several sessions and
     * their times are unknown. */
    bool of_one;
} mp_peak;

/* Return the peak at snapshots or, in event logs, also between them. The amounts of several
 * sessions are added at equal clock times: each has the amount of its last snapshot until its
 * process ends. */
mp_peak mp_window_peak(const mp_window *window);

/* Return the peak of each type as databases state it: the most objects alive at once, up to the end
 * of the window. Peaks of several sessions are added; -1: a session does not state one. A selection
 * has no effect. Release with free(). */
mp_type_peak *mp_stated_peaks(const mp_window *window);
