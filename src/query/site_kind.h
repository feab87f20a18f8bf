/* Kinds of allocation sites, determined from their courses. */
#pragma once

#include "query/site_course.h"

enum { MP_VERDICT_MOMENTS = 3 }; /* minimum number of places for a judgement */

/* Behaviour of a site's objects. Kinds before MP_SITE_UNKNOWN leak. */
typedef enum mp_site_kind {
    MP_SITE_LEAK,           /* keeps objects that outlive all others, up to the end */
    MP_SITE_GROWING_QUEUE,  /* objects are removed, but more are added */
    MP_SITE_GROWING_OBJECT, /* objects stay alive and keep growing */
    MP_SITE_LOST,           /* the recorder states that nothing refers to its objects */
    MP_SITE_UNKNOWN,        /* too few snapshots to judge */
    MP_SITE_FILLED,         /* created objects for a while, and then kept them */
    MP_SITE_BOUNDED, /* number of objects stays the same while objects come and go: a cache, a pool,
                        a queue */
    MP_SITE_IN_USE,  /* its objects are no older than other objects were when they were freed */
    MP_SITE_FREED,   /* mostly freed by the clean-up */
    MP_SITE_REACHABLE, /* the recorder states that something refers to its objects */
    MP_SITE_KINDS,
} mp_site_kind;
/* Return the name of a kind, such as "growing-queue"; static. */
const char *mp_site_kind_name(mp_site_kind kind);
static inline bool mp_site_kind_leaks(mp_site_kind kind)
{
    return kind < MP_SITE_UNKNOWN;
}

typedef struct mp_site_judgement {
    mp_site_kind kind;
    uint8_t confidence; /* percent */
    /* For a leak: last place at which leaking objects were born; younger objects may be in use. */
    uint32_t last_leaking;
    /* For MP_SITE_FILLED: it grew to the end, but too rarely to tell a leak from a cache. */
    bool seldom;
} mp_site_judgement;

/* Return the kind of a site by its course, as docs/verdict.md describes. */
mp_site_judgement mp_site_kind_of(const mp_site_course *course);
