/* Axes: from which to which amount, where marks stand on it, and what is written beside them. */
#ifndef MP_RENDER_SVG_AXIS_H
#define MP_RENDER_SVG_AXIS_H

#include "memprof/document.h"

typedef struct mp_axis {
    int64_t low, high; /* low < high */
    int64_t step;      /* marks stand at its multiples */
    mp_unit unit;
    bool is_signed; /* amounts above 0 are written with their sign */
} mp_axis;

/* What is beyond is drawn at its border. */
#define MP_AXIS_MOST ((int64_t)1 << 60)

/* Of amounts from `low` to `high`, with at most so many steps. Of times and numbers it ends where
 * they do, of others at a mark. */
mp_axis mp_axis_of(int64_t low, int64_t high, mp_unit unit, int64_t steps);
/* The first mark; the next ones are a step further each, up to `high`. */
int64_t mp_axis_first(const mp_axis *axis);
/* "0", "50 KiB", "0:01:30", "1,000": `text` has MP_UNIT_TEXT. */
void mp_axis_text(const mp_axis *axis, int64_t mark, char *text);
/* How far from the start an amount stands, where all of the axis is so long. */
int64_t mp_axis_place(const mp_axis *axis, int64_t amount, int64_t length);
/* `part` of `whole`, of a length: rounded down. 0 <= part <= whole, which is not 0, up to twice
 * MP_AXIS_MOST; length below a million. */
int64_t mp_share_of(int64_t part, int64_t whole, int64_t length);

#endif
