/* Watching: follow recordings while they are being written, each on its own thread. At the end of
 * each snapshot, the thread reports a row and checks the limits. */
#pragma once

#include <pthread.h>

#include "session/session.h"
#include "session/watch_rows.h"

struct mp_watching;

/* Callbacks for rows, events and messages. They are called on any thread, but one at a time. */
typedef struct mp_watch_listener {
    /* Receive a snapshot of the recording at this index in the session's paths. */
    void (*row)(struct mp_watching *watching, size_t place, const mp_watch_row *row);
    void (*event)(struct mp_watching *watching, const mp_watch_event *event);
    /* Receive a message for people. */
    void (*note)(struct mp_watching *watching, mp_severity severity, const char *text);
} mp_watch_listener;

typedef struct mp_watching {
    /* Set by the caller before mp_watching_begin and constant until mp_watching_end. The session's
     * options and paths are used; "slices" must be a time. */
    const mp_session *session;
    const mp_question *question; /* question to the report gate; its policy may be NULL */
    const mp_watch_listener *listener;
    mp_ceiling max_growth, max_leaked, max_live, max_trend;
    int64_t look_us, quiet_us; /* polling interval and timeout, in microseconds; 0: not set */
    bool until_exit;
    /* Event descriptors. `stop` becomes readable when the threads should end, and `wake` when the
     * caller should act. */
    int stop, wake;

    pthread_mutex_t lock; /* lock of the members below; taken by mp_watching_enter */
    bool changed;         /* set by a listener to wake the caller */
    bool failed;          /* set by a listener that cannot report any more; ends the watching */
    mp_watch_limit limit; /* the first limit that was exceeded, which ends the watching */
    size_t running;       /* number of running threads */
    bool over;            /* stop reporting */
    struct mp_watched **files;
} mp_watching;

/* Start to watch the session's paths, each on a thread. */
void mp_watching_begin(mp_watching *watching);
/* Stop watching and wait for the threads. Return false if a recording could not be read to its end,
 * or its limits could not be checked. The caller frees the arena of the limit. */
bool mp_watching_end(mp_watching *watching);

/* Lock the shared members until mp_watching_leave. */
void mp_watching_enter(mp_watching *watching);
void mp_watching_leave(mp_watching *watching);
