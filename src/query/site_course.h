/* Courses: how the objects of an allocation site come and go during a session.
 *
 * Time is counted in places: the complete snapshots after the window's first one. Place 0 is the
 * state at the first snapshot; the clean-up that ends a session has a separate place after the
 * last. Snapshots of a pause, in which the whole program creates nothing for unusually long and
 * then goes on, share the place before it. If there are more than MP_COURSE_LENGTH snapshots,
 * neighbours share a place. */
#pragma once

#include "query/group.h"

enum { MP_COURSE_LENGTH = 240, MP_COURSE_PLACES = MP_COURSE_LENGTH + 2 };

/* Changes at one place of the course (`place`) to objects that were created at another place
 * (`born`): numbers of objects created and deleted, and the change of bytes. */
typedef struct mp_site_event {
    uint32_t born, place;
    int64_t come, gone, bytes;
} mp_site_event;

typedef struct mp_site_course {
    mp_site_event *events;
    uint32_t count;
    uint32_t length; /* last place; length + 1 is the clean-up */
    int64_t births[MP_COURSE_PLACES], deaths[MP_COURSE_PLACES]; /* number of objects by place */
    int64_t alive[MP_COURSE_PLACES], alive_bytes[MP_COURSE_PLACES];
    int64_t resized_bytes[MP_COURSE_PLACES]; /* change in size of objects that stayed alive */
} mp_site_course;

/* Places of a window's snapshots on the time axis of their session. */
typedef struct mp_course_clock {
    uint32_t *place;   /* place of each snapshot; UINT32_MAX: it is after `to` */
    uint32_t *moments; /* number of snapshots with creations in each session */
    uint32_t *length;  /* last place of each session */
} mp_course_clock;

/* Assign places to the snapshots of all sessions of the window. A selection has no effect. Release
 * with mp_course_clock_free. */
mp_course_clock mp_course_clock_of(const mp_window *window);
void mp_course_clock_free(mp_course_clock *clock);

/* Compute the course of a site in a session, with `length` places, from its `count` deltas.
 * `course->events` must have room for as many events. */
void mp_site_course_of(mp_site_course *course, const mp_window *window,
                       const mp_course_clock *clock, const uint32_t *deltas, size_t count,
                       uint32_t length);

/* Numbers of the objects in a course that are older than `age`. */
typedef struct mp_course_old {
    /* By place: number of objects that reached the age there, except those of place 0. */
    int64_t in[MP_COURSE_PLACES];
    int64_t out[MP_COURSE_PLACES]; /* by place, including the clean-up: number of older objects that
                                      were deleted there */
    int64_t level; /* number of older objects at place `age`; all of them were alive at place 0 */
    uint32_t age;  /* age in places */
} mp_course_old;
void mp_course_old_of(mp_course_old *old, const mp_site_course *course, uint32_t age);
