/* Figures of a recording that is still being written, held to limits. */
#ifndef MP_SESSION_FIGURE_H
#define MP_SESSION_FIGURE_H

#include "base/memory.h"
#include "compare/policy.h"

typedef struct mp_figure {
    const char *path;      /* of the recording */
    int64_t number, start; /* start: bytes alive at the first snapshot */
    const char *most;      /* added to what is said of it, "; grew most: ..."; or "" */
    const char *note;      /* what it has in it; or "" */
    const char *dashes;    /* before the name of an argument */
} mp_figure;

/* Hold a figure to a limit, as mp_rule_of_limit makes it. Return what is said of one that exceeds
 * it, in the arena, and set what the limit allows; NULL: it does not. */
const char *mp_figure_judge(const mp_figure *figure, const mp_rule *limit, bool exact_bytes,
                            mp_arena *arena, int64_t *limit_bytes);

#endif
