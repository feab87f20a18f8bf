/* Declarations shared by the parts of a picture of amounts over time. */
#ifndef MP_RENDER_SVG_CANVAS_H
#define MP_RENDER_SVG_CANVAS_H

#include <stdio.h>

#include "base/memory.h"
#include "document/figure.h"
#include "render/svg.h"
#include "render/svg_draw.h"

/* Pixels. */
enum {
    MP_LINES_LEFT = 84,   /* amounts stand left of the plot */
    MP_LINES_RIGHT = 960, /* names of lines right of it */
    MP_LINES_PLOT = MP_LINES_RIGHT - MP_LINES_LEFT,
    MP_LINES_LANE = 24,
    MP_LETTERS = MP_SVG_TEXT,
};

/* Lines that share an axis. */
typedef struct mp_panel {
    const char *heading; /* NULL: none */
    mp_unit unit;
    int64_t low, high; /* range of its lines, with 0 */
    mp_axis axis;
    int64_t top, height; /* position of the plot */
    size_t lines;
} mp_panel;

typedef struct mp_canvas {
    mp_svg *svg;
    mp_arena *arena; /* the drawing's */
    const mp_figure *figure;
    const mp_line_figure *figure_lines;
    mp_axis moments;
    size_t *columns; /* the first moment of each column of pixels that has any; then the count */
    size_t column_count;
    mp_panel *panels;
    size_t panel_count;
    size_t *panel_of; /* by line */
    int64_t bottom;   /* lower edge of the panels */
    int64_t height;
} mp_canvas;

/* Return the position of a moment or an amount, in tenths of a pixel. */
int64_t mp_canvas_x(const mp_canvas *canvas, int64_t position);
int64_t mp_canvas_y(const mp_panel *in, int64_t amount);
/* "249.2 KiB (255,180 bytes)"; `exact`: with what is in brackets. Lives with the canvas. */
const char *mp_canvas_amount(mp_canvas *canvas, const struct mp_line_of *line, int64_t amount,
                             bool exact);
/* "0:01:30.250", "7" */
const char *mp_canvas_moment(mp_canvas *canvas, int64_t position);

/* A panel with its axis, lines, their names, and the peak in the first one. */
void mp_canvas_draw_panel(mp_canvas *canvas, size_t place);
/* Marks below the panels, a lane for each kind that there is. */
int64_t mp_canvas_lanes(const mp_canvas *canvas);
void mp_canvas_draw_lanes(mp_canvas *canvas, int64_t y);

#endif
