/* SVG: what drawings of figures have in common, and the drawings.
 *
 * A drawing is written as a file of its own or into a page; it looks the same in both, says what it
 * shows as text, too, and needs no script: scripts only let people search and zoom. Names from
 * recordings go through mp_xml_text. How things look is said by classes, in src/render/svg/svg.css;
 * the same figure gives the same bytes. */
#ifndef MP_RENDER_SVG_H
#define MP_RENDER_SVG_H

#include <stdio.h>

#include "base/memory.h"
#include "document/figure.h"

typedef struct mp_svg {
    FILE *file;
    bool alone;  /* a file of its own, with its style and scripts; else a part of a page that has
                    them */
    bool exact;  /* sizes as bytes */
    size_t room; /* bytes that stacks may take, about, and maps likewise less; 0: as a file may */
    mp_arena arena; /* memory of one drawing */
} mp_svg;

/* Styles of all drawings, and the script of those of stacks; a page has them once. */
extern const char mp_embedded_svg_css[], mp_embedded_svg_css_hash[], mp_embedded_flame_js[];

enum {
    MP_SVG_WIDTH = 1200,
    MP_SVG_MARGIN = 12,
    MP_SVG_TEXT = 12, /* the size of text that says something, in pixels; a title's is 18 */
};

/* --- a drawing's frame --- */

/* Begin a drawing of so many pixels: its title, and what it shows in a sentence or two, for those
 * who do not see it and as its first lines. What follows may begin MP_SVG_HEAD from the top. */
void mp_svg_begin(mp_svg *svg, const mp_figure *figure, double height, const char *summary);
/* Write what is left out, in one line whose base is at `y`; "": nothing. */
void mp_svg_note(mp_svg *svg, double y, const char *note);
/* Join two notes, each "" for none. In the arena. */
const char *mp_svg_notes(mp_svg *svg, const char *first, const char *second);
/* End the drawing. `script`: NULL: none. */
void mp_svg_end(mp_svg *svg, const char *script);
/* How much of the height mp_svg_begin takes. */
enum { MP_SVG_HEAD = 62 };

/* --- parts --- */

/* ` name="12.5"`, with as many decimals, up to three, as tell something. */
void mp_svg_put(const mp_svg *svg, const char *name, double number);
/* A text, its baseline at `y`, cut to so many pixels; 0: not cut. `anchor`: NULL, or "middle",
 * "end". `classes` may say how it looks. */
void mp_svg_text(mp_svg *svg, const char *classes, const char *anchor, double x, double y,
                 double room, const char *text);
/* Add a tooltip to the element that is open. */
void mp_svg_tip(const mp_svg *svg, const char *text);

/* So wide is a text of this size, about: what shows it has letters of its own. */
double mp_svg_width(const char *text, double size);
/* As much of it as has room; "" where that would tell nothing. In the arena, or the text. */
const char *mp_svg_fitting(mp_arena *arena, const char *text, double size, double room);
/* The text's first and last characters, so many of each, where it has more. */
const char *mp_svg_ends(mp_arena *arena, const char *text, size_t head, size_t tail);
/* The same of both together: names differ at their ends. */
const char *mp_svg_short(mp_arena *arena, const char *text, size_t characters);
/* An amount with its unit, as people read it: "18.6 KiB", "0.125000 s", "1,234". In the arena. */
const char *mp_svg_amount(mp_svg *svg, mp_unit unit, int64_t amount, bool with_sign);
/* "27 objects", by what the tree counts, which is known. In the arena. */
const char *mp_svg_counted(mp_svg *svg, const mp_tree_figure *tree, int64_t count);
/* One of `count` colours, always the same for one text. */
unsigned mp_svg_colour(const char *text, unsigned count);

/* --- drawings, a file each --- */

/* The drawing of the figure's kind; false: there is none. */
bool mp_svg_figure(mp_svg *svg, const mp_figure *figure);
void mp_svg_stacks(mp_svg *svg, const mp_figure *figure);
void mp_svg_map(mp_svg *svg, const mp_figure *figure);
void mp_svg_lines(mp_svg *svg, const mp_figure *figure);
void mp_svg_spans(mp_svg *svg, const mp_figure *figure);

#endif
