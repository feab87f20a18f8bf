/* SVG: parts that all drawings of figures share, and the drawings.
 *
 * A drawing is written as a file or into a page, and looks the same in both. It also says in text
 * what it shows, and needs no script: scripts only add searching and zooming. Names from recordings
 * are written by mp_xml_text. Appearance is defined by classes in src/render/svg/svg.css. The same
 * figure gives the same bytes. */
#pragma once

#include <stdio.h>

#include "base/memory.h"
#include "document/figure.h"

typedef struct mp_svg {
    FILE *file;
    /* Write a file with its own style and scripts. If false, write a part of a page, which has
     * style and scripts. */
    bool alone;
    bool exact;  /* sizes in bytes */
    size_t room; /* approximate maximum bytes of stacks, and of maps; 0 = the maximum of a file */
    mp_arena arena; /* memory of one drawing */
} mp_svg;

/* Styles of all drawings, and the script of stacks. A page contains each of them once. */
extern const char mp_embedded_svg_css[], mp_embedded_svg_css_hash[], mp_embedded_flame_js[];

enum {
    MP_SVG_WIDTH = 1200,
    MP_SVG_MARGIN = 12,
    MP_SVG_TEXT = 12, /* font size of ordinary text in pixels; titles have 18 */
};

/* --- title, notes and end of a drawing --- */

/* Begin a drawing that is `height` pixels high: its title and summary, which are also its
 * accessible name and description. Contents may begin MP_SVG_HEAD pixels from the top. */
void mp_svg_begin(mp_svg *svg, const mp_figure *figure, double height, const char *summary);
/* Write a note about omitted parts on one line with its baseline at `y`; "" = none. */
void mp_svg_note(mp_svg *svg, double y, const char *note);
/* Join two notes, which may be "". Allocated in the arena. */
const char *mp_svg_notes(mp_svg *svg, const char *first, const char *second);
/* End the drawing. `script`: NULL = none. */
void mp_svg_end(mp_svg *svg, const char *script);
/* Height of the title and the summary, in pixels. */
enum { MP_SVG_HEAD = 62 };

/* --- parts --- */

/* Write ` name="12.5"`, with up to three decimals, without trailing zeros. */
void mp_svg_put(const mp_svg *svg, const char *name, double number);
/* Write a text with its baseline at `y`, cut to `room` pixels (0 = not cut). `classes`: CSS
 * classes, or NULL. */
void mp_svg_text(mp_svg *svg, const char *classes, double x, double y, double room,
                 const char *text);
/* Add a tooltip to the element that is open. */
void mp_svg_tip(const mp_svg *svg, const char *text);

/* Return the approximate width of a text at this font size. Viewers may use other fonts. */
double mp_svg_width(const char *text, double size);
/* Return the text cut to `room`; "" if hardly anything would be left. The result belongs to the
 * arena, or is `text` itself. */
const char *mp_svg_fitting(mp_arena *arena, const char *text, double size, double room);
/* Return the text cut to its first `head` and last `tail` characters, if it is longer. */
const char *mp_svg_ends(mp_arena *arena, const char *text, size_t head, size_t tail);
/* Return the text cut to `characters`, without its middle, because names differ at their ends. */
const char *mp_svg_short(mp_arena *arena, const char *text, size_t characters);
/* Return an amount with its unit for people: "18.6 KiB", "0.125000 s", "1,234". It belongs to the
 * arena. */
const char *mp_svg_amount(mp_svg *svg, mp_unit unit, int64_t amount, bool with_sign);
/* Return "27 objects" with the noun of the tree's `count_of`, which must not be NULL. It belongs to
 * the arena. */
const char *mp_svg_counted(mp_svg *svg, const mp_tree_figure *tree, int64_t count);
/* Return a colour number below `count`; the same text always has the same colour. */
unsigned mp_svg_colour(const char *text, unsigned count);

/* --- drawings, each in a file of its own --- */

/* Write the drawing for the figure's kind; return false if the kind has none. */
bool mp_svg_figure(mp_svg *svg, const mp_figure *figure);
void mp_svg_stacks(mp_svg *svg, const mp_figure *figure);
void mp_svg_map(mp_svg *svg, const mp_figure *figure);
void mp_svg_lines(mp_svg *svg, const mp_figure *figure);
void mp_svg_spans(mp_svg *svg, const mp_figure *figure);
