/* Following of a file while it is being written. At the end of the file, the input waits for more
 * data. Readers need no code for this: when they see an end, no more data will come.
 *
 * Changes are reported by the kernel (inotify). The kernel does not report changes on network
 * shares, so the file is also polled. If the file is truncated, or another file takes its name, the
 * input ends, and the next input reads from the start of the new content. A renamed file is read on
 * until another file has its name and is not empty. No byte is read twice, except those at the
 * beginning by which a rewritten file is recognized. A pipe is read until its last writer closes
 * it.
 *
 * A follow belongs to one thread. Other threads may only make `stop` readable. */
#pragma once

#include "input/input.h"

typedef enum mp_follow_event {
    MP_FOLLOW_WAITS,     /* the file does not exist yet */
    MP_FOLLOW_RENAMED,   /* the file was renamed or deleted; it is still read */
    MP_FOLLOW_TRUNCATED, /* this event and those below end the input */
    MP_FOLLOW_REPLACED,
    MP_FOLLOW_CLOSED,  /* the last writer of the pipe closed it */
    MP_FOLLOW_QUIET,   /* no data came for `quiet_us` */
    MP_FOLLOW_STOPPED, /* the caller asked to stop */
    MP_FOLLOW_FAILED,  /* an error, reported as a diagnostic */
} mp_follow_event;

typedef struct mp_follow_how {
    const char *path;
    const char *encoding; /* as in mp_load_options */
    int64_t look_us;      /* longest time between two checks of the file, in microseconds */
    int64_t quiet_us;     /* give up after this many microseconds without data; 0: never */
    bool by_looking;      /* poll the file only, without inotify */
    int stop;             /* descriptor; the follow ends when it becomes readable */
    /* Called for every event except MP_FOLLOW_STOPPED and MP_FOLLOW_FAILED, on the thread of the
     * follow. */
    void (*tell)(void *opaque, mp_follow_event event);
    void *opaque;
} mp_follow_how;

typedef struct mp_follow mp_follow;

/* Start following; everything that `how` refers to must outlive it. */
mp_follow *mp_follow_new(const mp_follow_how *how);
/* Release the follow; NULL is allowed. */
void mp_follow_free(mp_follow *follow);

/* Wait for the file, or for the file that replaced the last input, and return an input for it.
 * Return NULL if no input will come; mp_follow_last returns the reason. Close the input before the
 * next call. */
mp_input *mp_follow_next(mp_follow *follow, mp_diagnostics *diagnostics);
/* Stop reading. Call it on the thread of the follow. */
void mp_follow_stop(mp_follow *follow);
/* Return the event that ended the last input. */
mp_follow_event mp_follow_last(const mp_follow *follow);
