/* Following a file that is being written, by its name: at the end of what there is, its input waits
 * for more. Readers do not notice: an end that they see is an end.
 *
 * The kernel tells of changes (inotify); as it does not for every file (network shares), the file
 * is also looked at now and then. One that is cut short, or whose name another file has got, ends
 * its input; the next input reads what is there from its start. One that is renamed is read on
 * until another file of its name has something. No byte is read twice, but for those of the
 * beginning that tell whether the file is still the same. A pipe is read until nobody writes into
 * it.
 *
 * A follow belongs to one thread; what another may do is to make `stop` readable. */
#ifndef MP_INPUT_FOLLOW_H
#define MP_INPUT_FOLLOW_H

#include "input/input.h"

typedef enum mp_follow_event {
    MP_FOLLOW_WAITS,     /* there is no such file yet */
    MP_FOLLOW_RENAMED,   /* no file has that name any more: it is read on */
    MP_FOLLOW_TRUNCATED, /* here and below, the input ends */
    MP_FOLLOW_REPLACED,
    MP_FOLLOW_CLOSED,  /* nobody writes into the pipe */
    MP_FOLLOW_QUIET,   /* nothing came for as long as was to be waited */
    MP_FOLLOW_STOPPED, /* somebody wanted it */
    MP_FOLLOW_FAILED,  /* after a diagnostic */
} mp_follow_event;

typedef struct mp_follow_how {
    const char *path;
    const char *encoding; /* as mp_load_options has it */
    int64_t look_us;      /* look at it so often at least */
    int64_t quiet_us;     /* give up where nothing came for so long; 0: never */
    bool by_looking;      /* do not ask the kernel to tell of changes */
    int stop;             /* a file that becomes readable when the following is to end */
    /* Called of all but the last two, on the thread of the follow. */
    void (*tell)(void *opaque, mp_follow_event event);
    void *opaque;
} mp_follow_how;

typedef struct mp_follow mp_follow;

/* Start following; everything that `how` refers to must outlive it. */
mp_follow *mp_follow_new(const mp_follow_how *how);
/* NULL: nothing happens. */
void mp_follow_free(mp_follow *follow);

/* The file of that name, as soon as there is one, or the one that came after the last input. NULL
 * where none will come: mp_follow_last says why. The input is closed before the next is asked for.
 */
mp_input *mp_follow_next(mp_follow *follow, mp_diagnostics *diagnostics);
/* Stop reading; called on its own thread. */
void mp_follow_stop(mp_follow *follow);
/* Return the event that ended the last input. */
mp_follow_event mp_follow_last(const mp_follow *follow);

#endif
