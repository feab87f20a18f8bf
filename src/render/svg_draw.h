/* Parts of pictures: axes, letters, boxes, rules, dots. All coordinates are in tenths of a pixel.
 */
#ifndef MP_RENDER_SVG_DRAW_H
#define MP_RENDER_SVG_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"
#include "memprof/document.h"

/* Greys, which also tell apart in print. */
#define MP_INK "#1f2328"
#define MP_SOFT "#57606a"
#define MP_RULE "#8c959f"
#define MP_GRID "#e4e7eb"

typedef struct mp_letters {
    int size; /* in pixels */
    const char *colour;
    const char *anchor; /* "middle", "end"; NULL: it begins there */
    bool bold, halo;    /* halo: readable on lines */
    const char *tail;   /* behind the text, in ink; NULL: nothing */
} mp_letters;

/* "12.3,45" */
void mp_draw_point(FILE *out, int64_t x, int64_t y);
/* ` x="12.3"` */
void mp_draw_at(FILE *out, const char *attribute, int64_t position);
/* ` x="12.3" y="45" width="6" height="7"` */
void mp_draw_box(FILE *out, int64_t x, int64_t y, int64_t width, int64_t height);
void mp_draw_rule(FILE *out, int64_t x1, int64_t y1, int64_t x2, int64_t y2, const char *colour);
void mp_draw_dot(FILE *out, int64_t x, int64_t y, int64_t radius, const char *colour);
void mp_draw_ring(FILE *out, int64_t x, int64_t y, int64_t radius, const char *colour);
/* The base line of the letters is at `y`. */
void mp_draw_text(FILE *out, const mp_letters *letters, int64_t x, int64_t y, const char *text);

/* The same in soft letters of the usual size, as beside an axis. */
void mp_draw_label(FILE *out, const char *anchor, int64_t x, int64_t y, const char *text);

/* How wide it is at most, in common faces. */
int64_t mp_letters_width(const char *text, int size);
/* A name, or what tells most of it and fits, perhaps nothing. Lives in the arena, or as `name`. */
const char *mp_fit_name(mp_arena *arena, const char *name, int size, int64_t room);

/* --- axes: from which to which amount, where marks stand, and what is written beside them --- */

typedef struct mp_axis {
    int64_t low, high; /* low < high */
    int64_t step;      /* marks stand at its multiples */
    mp_unit unit;
    bool is_signed; /* amounts above 0 are written with their sign */
} mp_axis;

/* Largest amount of an axis; amounts beyond are drawn at its border. */
#define MP_AXIS_MOST ((int64_t)1 << 60)

/* Return an axis for amounts from `low` to `high`, with at most `steps` steps. An axis of times or
 * numbers ends where they do, others end at a mark. */
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
