/* The kind of an allocation site, from its course. */
#ifndef MP_QUERY_SITE_KIND_H
#define MP_QUERY_SITE_KIND_H

#include "query/site_course.h"
#include "query/verdict.h"

typedef struct mp_site_judgement {
    mp_site_kind kind;
    uint8_t confidence; /* percent */
    /* Of a leak: objects born at this place or before it leak; younger ones may be in use. */
    uint32_t last_leaking;
} mp_site_judgement;

mp_site_judgement mp_site_kind_of(const mp_site_course *course);

#endif
