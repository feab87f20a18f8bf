/* Limits: what stands behind a comparison, and what it comes to. */
#ifndef MP_COMPARE_BOUND_H
#define MP_COMPARE_BOUND_H

#include "compare/parser.h"

/* Parse the limit of parser->rule. False with a fault. */
bool mp_bound_parse(mp_parser *parser);

/* A limit that may lie between two whole numbers: `number` and, if `more`, a little. */
typedef struct mp_threshold {
    int64_t number;
    bool more;
} mp_threshold;

/* What the limit is where the reference is so much; at least INT64_MIN, at most INT64_MAX. */
mp_threshold mp_bound_of(const mp_bound *bound, int64_t reference);
/* Whether a number keeps to it. */
bool mp_threshold_holds(mp_threshold threshold, mp_comparison comparison, int64_t number);

#endif
