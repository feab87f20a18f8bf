/* Parts of pictures: axes, text, boxes, rules, dots. Coordinates are in tenths of a pixel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"
#include "memprof/document.h"

/* Greys that are distinguishable in print. */
#define MP_INK "#1f2328"
#define MP_SOFT "#57606a"
#define MP_RULE "#8c959f"
#define MP_GRID "#e4e7eb"

typedef struct mp_letters {
    int size; /* font size in pixels */
    const char *colour;
    const char *anchor; /* "middle", "end"; NULL = start */
    bool bold, halo;    /* halo: an outline that keeps text readable on top of lines */
    const char *tail;   /* text that follows, in the colour MP_INK; NULL = none */
} mp_letters;

/* Write "12.3,45". */
void mp_draw_point(FILE *out, int64_t x, int64_t y);
/* Write ` x="12.3"`. */
void mp_draw_at(FILE *out, const char *attribute, int64_t position);
/* Write ` x="12.3" y="45" width="6" height="7"`. */
void mp_draw_box(FILE *out, int64_t x, int64_t y, int64_t width, int64_t height);
void mp_draw_rule(FILE *out, int64_t x1, int64_t y1, int64_t x2, int64_t y2, const char *colour);
void mp_draw_dot(FILE *out, int64_t x, int64_t y, int64_t radius, const char *colour);
void mp_draw_ring(FILE *out, int64_t x, int64_t y, int64_t radius, const char *colour);
/* Write a text with its baseline at `y`. */
void mp_draw_text(FILE *out, const mp_letters *letters, int64_t x, int64_t y, const char *text);

/* Write a text in soft letters of the usual size, such as a label of an axis. */
void mp_draw_label(FILE *out, const char *anchor, int64_t x, int64_t y, const char *text);

/* Return the maximum width of a text in common fonts. */
int64_t mp_letters_width(const char *text, int size);
/* Return the name or, if it does not fit, as much of its most specific part as fits, which may be
 * "". It belongs to the arena, or is part of `name`. */
const char *mp_fit_name(mp_arena *arena, const char *name, int size, int64_t room);

/* --- axes: range, positions of marks, and their labels --- */

typedef struct mp_axis {
    int64_t low, high; /* range of the axis; low < high */
    int64_t step;      /* marks are at its multiples */
    mp_unit unit;
    bool is_signed; /* label positive amounts with a sign */
} mp_axis;

/* Largest amount of an axis; amounts beyond are drawn at its border. */
#define MP_AXIS_MOST ((int64_t)1 << 60)

/* Return an axis for amounts from `low` to `high`, with at most `steps` steps. An axis of times or
 * numbers ends at `high`; any other axis ends at a mark. */
mp_axis mp_axis_of(int64_t low, int64_t high, mp_unit unit, int64_t steps);
/* Return the first mark. The distance between marks is a step; the last one is not above `high`. */
int64_t mp_axis_first(const mp_axis *axis);
/* Format a mark: "0", "50 KiB", "0:01:30", "1,000". `text` has room for MP_UNIT_TEXT. */
void mp_axis_text(const mp_axis *axis, int64_t mark, char *text);
/* Return the distance of an amount from the start of an axis that has this length. */
int64_t mp_axis_place(const mp_axis *axis, int64_t amount, int64_t length);
/* Return `part` / `whole` of a length, rounded down. 0 <= part <= whole, 0 < whole <= 2 *
 * MP_AXIS_MOST, length < 1000000. */
int64_t mp_share_of(int64_t part, int64_t whole, int64_t length);
