/* Watching: recordings are followed while they are written, each on a thread of its own. At the end
 * of a snapshot that thread makes its row, reports it, and judges the limits. */
#ifndef MP_SESSION_WATCH_H
#define MP_SESSION_WATCH_H

#include <pthread.h>

#include "session/session.h"
#include "session/watch_rows.h"

struct mp_watching;

/* Functions that receive what is seen, one call at a time, on any thread. */
typedef struct mp_watch_listener {
    /* A snapshot of the recording at this place among the session's paths. */
    void (*row)(struct mp_watching *watching, size_t place, const mp_watch_row *row);
    void (*event)(struct mp_watching *watching, const mp_watch_event *event);
    /* A line for people about anything but a snapshot. */
    void (*note)(struct mp_watching *watching, mp_severity severity, const char *text);
} mp_watch_listener;

typedef struct mp_watching {
    /* Set by the caller, and not changed until mp_watching_end. The session's options and paths
     * count; "slices" is a time. */
    const mp_session *session;
    const mp_question *question; /* to a gate, with a policy if there is one */
    const mp_watch_listener *listener;
    mp_ceiling max_growth, max_leaked;
    int64_t look_us, quiet_us; /* 0: not asked for */
    bool until_exit;
    /* Files that become readable: threads are to end; the caller has something to do. */
    int stop, wake;

    pthread_mutex_t lock; /* lock of all below; taken by mp_watching_enter */
    bool changed;         /* set by a listener that wants to wake the caller */
    bool failed;          /* set by a listener that can report no more: then all ends */
    mp_watch_limit limit; /* that was exceeded; then all ends */
    size_t running;       /* threads */
    bool over;            /* nothing is reported any more */
    struct mp_watched **files;
} mp_watching;

/* Start to watch the session's paths. */
void mp_watching_begin(mp_watching *watching);
/* End it, and wait for the threads. Return false if a recording could not be read to its end, or
 * not be judged. The limit's texts stay until they are freed by the caller. */
bool mp_watching_end(mp_watching *watching);

/* From here to mp_watching_leave, the shared members are the caller's. */
void mp_watching_enter(mp_watching *watching);
void mp_watching_leave(mp_watching *watching);

#endif
