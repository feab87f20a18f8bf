/* What pictures are drawn of: letters, rules, dots. All places are in tenths of a pixel. */
#ifndef MP_RENDER_SVG_DRAW_H
#define MP_RENDER_SVG_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"

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
void mp_draw_at(FILE *out, const char *attribute, int64_t at);
void mp_draw_rule(FILE *out, int64_t x1, int64_t y1, int64_t x2, int64_t y2, const char *colour);
void mp_draw_dot(FILE *out, int64_t x, int64_t y, int64_t radius, const char *colour);
void mp_draw_ring(FILE *out, int64_t x, int64_t y, int64_t radius, const char *colour);
/* The base line of the letters is at `y`. */
void mp_draw_text(FILE *out, const mp_letters *letters, int64_t x, int64_t y, const char *text);

/* How wide it is at most, in common faces. */
int64_t mp_letters_width(const char *text, int size);
/* A name, or what tells most of it and fits, perhaps nothing. Lives in the arena, or as `name`. */
const char *mp_fit_name(mp_arena *arena, const char *name, int size, int64_t room);

#endif
