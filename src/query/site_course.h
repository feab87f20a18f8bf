/* Courses: how the objects of one allocation site came and went during a session.
 *
 * Time is counted in places: the whole snapshots after the window's first. Place 0 is the state at
 * its first; the clean-up that ends a session has a place of its own after the last. Snapshots of a
 * pause, in which the whole program creates nothing for unusually long and then goes on, share the
 * place before it. Beyond MP_COURSE_LENGTH, neighbouring snapshots share a place. */
#ifndef MP_QUERY_SITE_COURSE_H
#define MP_QUERY_SITE_COURSE_H

#include "query/group.h"

enum { MP_COURSE_LENGTH = 240, MP_COURSE_PLACES = MP_COURSE_LENGTH + 2 };

/* Objects that were born at one place and came, went or changed at another. */
typedef struct mp_site_event {
    uint32_t born, place;
    int64_t come, gone, bytes;
} mp_site_event;

typedef struct mp_site_course {
    mp_site_event *events;
    uint32_t count;
    uint32_t length; /* the last place; length + 1: the clean-up */
    int64_t births[MP_COURSE_PLACES], deaths[MP_COURSE_PLACES]; /* objects, by place */
    int64_t alive[MP_COURSE_PLACES], alive_bytes[MP_COURSE_PLACES];
    int64_t resized_bytes[MP_COURSE_PLACES]; /* change of objects that stayed alive */
} mp_site_course;

/* The places of a window's snapshots. */
typedef struct mp_course_clock {
    uint32_t *place;   /* by snapshot; UINT32_MAX: after `to` */
    uint32_t *moments; /* by session, snapshots at which the program created anything */
    uint32_t *length;  /* by session: the last place */
} mp_course_clock;

/* Give the snapshots of every session of the window their places. A selection does not change them.
 * Release with mp_course_clock_free. */
mp_course_clock mp_course_clock_of(const mp_window *window);
void mp_course_clock_free(mp_course_clock *clock);

/* Set the figures of `length` places to 0 and add the events of these deltas, which are of one site
 * and session. `course->events` must have room for them. */
void mp_site_course_of(mp_site_course *course, const mp_window *window,
                       const mp_course_clock *clock, const uint32_t *deltas, size_t count,
                       uint32_t length);

/* The objects of a course that are older than an age, from that age on. */
typedef struct mp_course_old {
    int64_t in[MP_COURSE_PLACES];  /* reached the age, by place; 0 for those of place 0 */
    int64_t out[MP_COURSE_PLACES]; /* older ones that went, by place, with the clean-up */
    int64_t level;                 /* older at place `age`: those of place 0 */
    uint32_t age;                  /* in places */
} mp_course_old;
void mp_course_old_of(mp_course_old *old, const mp_site_course *course, uint32_t age);

#endif
