/* Declarations shared by the parts of a picture of amounts over time. */
#pragma once

#include "base/memory.h"
#include "document/figure.h"
#include "render/svg.h"
#include "render/svg_draw.h"

/* Pixels. */
enum {
    MP_LINES_LEFT = 84,   /* left edge of the plot; amounts are to the left of it */
    MP_LINES_RIGHT = 960, /* right edge of the plot; names of lines are to the right of it */
    MP_LINES_PLOT = MP_LINES_RIGHT - MP_LINES_LEFT,
    MP_LINES_LANE = 24,
    MP_LETTERS = MP_SVG_TEXT,
};

/* Lines that share an axis. */
typedef struct mp_panel {
    const char *heading; /* NULL = none */
    mp_unit unit;
    int64_t low, high; /* range of its lines, including 0 */
    mp_axis axis;
    int64_t top, height; /* position of the plot */
    size_t lines;
} mp_panel;

typedef struct mp_canvas {
    mp_svg *svg;
    mp_arena *arena; /* memory of the drawing */
    const mp_figure *figure;
    const mp_line_figure *figure_lines;
    mp_axis moments;
    /* First moment of each column of pixels that has any, followed by the number of moments. */
    size_t *columns;
    size_t column_count;
    mp_panel *panels;
    size_t panel_count;
    size_t *panel_of; /* panel of each line */
    int64_t bottom;   /* lower edge of the panels */
    int64_t height;
} mp_canvas;

/* Return the position of a moment or an amount, in tenths of a pixel. */
int64_t mp_canvas_x(const mp_canvas *canvas, int64_t position);
int64_t mp_canvas_y(const mp_panel *in, int64_t amount);
/* Return "249.2 KiB (255,180 bytes)". `exact`: include the part in brackets. It lives as long as
 * the canvas. */
const char *mp_canvas_amount(mp_canvas *canvas, const struct mp_line_of *line, int64_t amount,
                             bool exact);
/* Return the text of a moment: "0:01:30.250", "7". */
const char *mp_canvas_moment(mp_canvas *canvas, int64_t position);

/* Draw a panel with its axis, its lines and their names. The first panel also has the peak. */
void mp_canvas_draw_panel(mp_canvas *canvas, size_t place);
/* Draw marks below the panels, with one lane for each kind. Return the height of the lanes. */
int64_t mp_canvas_lanes(const mp_canvas *canvas);
void mp_canvas_draw_lanes(mp_canvas *canvas, int64_t y);
