/* Maps: areas in areas, as large as what they hold. What is too small to be seen is drawn together,
 * and the picture says so. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "render/squarify.h"
#include "render/svg.h"
#include "render/svg_draw.h"

/* Pixels, but for boxes, which are in tenths of them. */
enum {
    LEFT = MP_SVG_MARGIN,
    WIDE = MP_SVG_WIDTH - 2 * MP_SVG_MARGIN,
    HIGH = 620,
    LEAST_AREA = 40, /* in square pixels */
    MOST_AREAS = 2200,
    COLOURS = 6,
    LINE = 15,
    PAD = 5,
    MOST_NAME = 160, /* characters of a name in a title */
};

typedef struct map {
    mp_svg *svg;
    const mp_tree_figure *of;
    uint32_t *first, *children; /* start of each place's children in `children`; last, their end */
    mp_box *boxes;              /* by place; without a width: it is not drawn */
    uint32_t *tops;             /* by place: the place below the root that it is in */
    int64_t least;              /* area, in square tenths */
    size_t drawn, small, empty; /* areas; those that are in others; those without any */
    bool counts;                /* nothing is written */
    /* Parts of the place that is laid out. */
    int64_t *amounts;
    uint32_t *parts; /* places; 0: what is too small, or its own */
    mp_box *inside;
} map;

/* By parent, in their order. */
static void find_children(map *to)
{
    uint32_t count = to->of->count;
    to->first = mp_alloc_zero((size_t)count + 2, sizeof *to->first);
    to->children = mp_alloc_zero((size_t)count + 1, sizeof *to->children);
    for (uint32_t i = 1; i < count; i++)
        to->first[to->of->at[i].parent + 2]++;
    for (uint32_t i = 2; i <= count + 1; i++)
        to->first[i] += to->first[i - 1];
    for (uint32_t i = 1; i < count; i++)
        to->children[to->first[to->of->at[i].parent + 1]++] = i;
}

static const char *amount_text(map *to, int64_t amount)
{
    return mp_svg_amount(to->svg, to->of->unit, amount, false);
}

/* "249.2 KiB (255,180 bytes) in 54 objects, 12.5 %" */
static const char *exact_text(map *to, int64_t amount, int64_t count)
{
    char text[MP_UNIT_TEXT];
    mp_arena *arena = &to->svg->arena;
    const char *all = amount_text(to, amount);
    if (to->of->unit == MP_BYTES && amount >= 1024) {
        mp_format_count(text, amount, false);
        all = mp_arena_format(arena, "%s (%s bytes)", all, text);
    }
    if (to->of->count_of)
        all = mp_arena_format(arena, "%s in %s", all, mp_svg_counted(to->svg, to->of, count));
    mp_format_percent(text, mp_percent_of(amount, to->of->at[0].all), false);
    return mp_arena_format(arena, "%s, %s %%", all, text);
}

/* Return true if the place has parts: others are drawn themselves. */
static bool has_parts(const map *to, uint32_t place)
{
    return to->first[place + 1] > to->first[place];
}

/* --- drawing --- */

/* A label in as many lines as there is room for: what it is in, its name, its amount. */
static void draw_label(map *to, const mp_box *box, const char *heading, const char *name,
                       int64_t amount)
{
    int64_t x = box->x + PAD * 10, room = box->width - 2 * PAD * 10;
    int64_t lines = (box->height / 10 - 4) / LINE, line = 0;
    const struct {
        const char *text;
        bool bold;
    } texts[] = {{heading, true}, {name, false}, {amount_text(to, amount), false}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts && room >= 200; i++) {
        if (!texts[i].text || line >= lines)
            continue;
        const char *fits = mp_fit_name(&to->svg->arena, texts[i].text, MP_SVG_TEXT, room);
        bool whole = fits == texts[i].text;
        if (!*fits || (i == 2 && !whole))
            continue;
        mp_draw_text(to->svg->file,
                     &(mp_letters){.size = MP_SVG_TEXT,
                                   .colour = i == 2 ? MP_SOFT : MP_INK,
                                   .bold = texts[i].bold},
                     x, box->y + (line++ * LINE + 14) * 10, fits);
    }
}

static void draw_area(map *to, const mp_box *box, const char *colour, const char *heading,
                      const char *name, const char *title, int64_t amount)
{
    FILE *file = to->svg->file;
    fprintf(file, "<g class=\"area %s\">", colour);
    mp_svg_tip(to->svg, title);
    fputs("<rect stroke=\"#fff\"", file);
    mp_draw_box(file, box->x, box->y, box->width, box->height);
    fputs("/>\n", file);
    draw_label(to, box, heading, name, amount);
    fputs("</g>\n", file);
}

/* All names from the outermost on. */
static const char *path_text(map *to, uint32_t place)
{
    const mp_place *at = &to->of->at[place];
    mp_arena *arena = &to->svg->arena;
    const char *label = mp_svg_short(arena, at->label, MOST_NAME);
    return at->parent
               ? mp_arena_format(arena, "%s\n%s",
                                 mp_svg_short(arena, to->of->at[at->parent].label, MOST_NAME),
                                 label)
               : label;
}

/* `heading`: the name of what it is the first part of; NULL: none. */
static void draw_place(map *to, uint32_t place, const char *heading)
{
    const mp_place *at = &to->of->at[place];
    char colour[8];
    bool small = at->kind == MP_PLACE_NONE || at->kind == MP_PLACE_REST;
    if (to->counts) {
        to->drawn++;
        return;
    }
    snprintf(colour, sizeof colour, small ? "n" : "t%u", to->tops[place] % COLOURS);
    draw_area(to, &to->boxes[place], colour, heading, at->label,
              mp_arena_format(&to->svg->arena, "%s\n%s", path_text(to, place),
                              exact_text(to, at->all, at->all_count)),
              at->all);
}

/* The parts of a place that are too small to be shown separately. */
typedef struct rest {
    int64_t amount, count;
    size_t places;
} rest;

static void draw_rest(map *to, uint32_t place, const mp_box *box, const rest *of,
                      const char *heading)
{
    mp_arena *arena = &to->svg->arena;
    if (to->counts) {
        to->drawn++;
        return;
    }
    const char *name = of->places ? mp_arena_format(arena, "%zu more", of->places) : "(itself)";
    const char *in = place
                         ? mp_arena_format(arena, "%s\n",
                                           mp_svg_short(arena, to->of->at[place].label, MOST_NAME))
                         : "";
    draw_area(to, box, "rest", heading, name,
              mp_arena_format(arena, "%s%s\n%s", in, name, exact_text(to, of->amount, of->count)),
              of->amount);
}

static void draw_border(map *to, const mp_box *box)
{
    FILE *file = to->svg->file;
    if (to->counts)
        return;
    fprintf(file, "<rect class=\"border\" fill=\"none\" stroke=\"%s\"", MP_RULE);
    mp_draw_box(file, box->x, box->y, box->width, box->height);
    fputs("/>\n", file);
}

/* Return true if a part of this size would be visible. */
static bool is_large(const map *to, int64_t part, int64_t whole, int64_t area)
{
    for (; whole > INT32_MAX; whole /= 2)
        part /= 2;
    return part * area >= to->least * whole;
}

/* Choose the parts of a place that are large enough to be seen in its box; all others, and its own,
 * are one, `left`. Return how many there are. */
static size_t choose_parts(map *to, uint32_t place, rest *left)
{
    const mp_place *of = &to->of->at[place];
    const int64_t area = (int64_t)to->boxes[place].width * to->boxes[place].height;
    size_t count = 0;
    *left = (rest){of->own, of->own_count, 0};
    for (uint32_t i = to->first[place]; i < to->first[place + 1]; i++) {
        const mp_place *part = &to->of->at[to->children[i]];
        to->empty += part->all <= 0;
        if (part->all <= 0 || of->all <= 0)
            continue;
        if (is_large(to, part->all, of->all, area)) {
            to->parts[count] = to->children[i];
            to->amounts[count++] = part->all;
        } else {
            left->amount += part->all;
            left->count += part->all_count;
            left->places++;
        }
    }
    if (left->amount <= 0)
        return count;
    to->small += left->places;
    size_t at = count;
    for (; at && to->amounts[at - 1] < left->amount; at--) { /* amounts descend */
        to->amounts[at] = to->amounts[at - 1];
        to->parts[at] = to->parts[at - 1];
    }
    to->amounts[at] = left->amount;
    to->parts[at] = 0;
    return count + 1;
}

/* Give the parts of a place their boxes in its own, and draw those that have no parts themselves.
 */
static void lay_out(map *to, uint32_t place)
{
    rest left;
    size_t count = choose_parts(to, place, &left);
    mp_squarify(to->amounts, count, to->boxes[place], to->inside);
    for (size_t i = 0; i < count; i++) {
        uint32_t part = to->parts[i];
        const char *heading = i == 0 && place ? to->of->at[place].label : NULL;
        if (!part) {
            draw_rest(to, place, &to->inside[i], &left, heading);
            continue;
        }
        to->boxes[part] = to->inside[i];
        to->tops[part] = place ? to->tops[place] : (uint32_t)i;
        if (!has_parts(to, part))
            draw_place(to, part, heading);
    }
    if (place)
        draw_border(to, &to->boxes[place]);
}

static void lay_out_all(map *to)
{
    to->drawn = to->small = to->empty = 0;
    memset(to->boxes, 0, to->of->count * sizeof *to->boxes);
    if (!to->of->count || to->of->at[0].all <= 0)
        return;
    to->boxes[0] = (mp_box){LEFT * 10, MP_SVG_HEAD * 10, WIDE * 10, HIGH * 10};
    for (uint32_t i = 0; i < to->of->count; i++)
        if (to->boxes[i].width && to->boxes[i].height && has_parts(to, i))
            lay_out(to, i);
}

/* --- words --- */

/* "92.3 KiB in 54 objects: DB Connection 52.0 %, ..." */
static const char *summary_of(map *to)
{
    mp_arena *arena = &to->svg->arena;
    const mp_tree_figure *of = to->of;
    if (!of->count || of->at[0].all <= 0)
        return "nothing";
    enum { NAMED = 4 };
    uint32_t from = to->first[0], end = to->first[1];
    const char *text = amount_text(to, of->at[0].all);
    char number[MP_UNIT_TEXT];
    if (of->count_of)
        text = mp_arena_format(arena, "%s in %s", text,
                               mp_svg_counted(to->svg, of, of->at[0].all_count));
    for (uint32_t i = from; i < end && i < from + NAMED; i++) {
        const mp_place *at = &of->at[to->children[i]];
        mp_format_percent(number, mp_percent_of(at->all, of->at[0].all), false);
        text = mp_arena_format(arena, "%s%s %s %s %%", text, i == from ? ":" : ",",
                               mp_svg_short(arena, at->label, MOST_NAME / 4), number);
    }
    return text;
}

static const char *note_of(map *to, const char *own)
{
    mp_arena *arena = &to->svg->arena;
    const char *small = "", *empty = "";
    char number[MP_UNIT_TEXT];
    mp_format_count(number, (int64_t)to->small, false);
    if (to->small)
        small = mp_arena_format(arena,
                                "%s that would be smaller than %" PRId64
                                " square pixels are drawn together, as \"more\"",
                                number, to->least / 100);
    mp_format_count(number, (int64_t)to->empty, false);
    if (to->empty)
        empty = mp_arena_format(arena, "%s without a size are not drawn", number);
    return mp_svg_notes(to->svg, mp_svg_notes(to->svg, own ? own : "", small), empty);
}

void mp_svg_map(mp_svg *svg, const mp_figure *figure)
{
    map to = {.svg = svg, .of = &figure->tree};
    size_t count = (size_t)to.of->count + 2;
    find_children(&to);
    to.boxes = mp_alloc_zero(count, sizeof *to.boxes);
    to.tops = mp_alloc_zero(count, sizeof *to.tops);
    to.amounts = mp_alloc(count * sizeof *to.amounts);
    to.parts = mp_alloc(count * sizeof *to.parts);
    to.inside = mp_alloc(count * sizeof *to.inside);
    to.counts = true;
    const size_t most = svg->room ? MOST_AREAS / 4 : MOST_AREAS;
    for (to.least = LEAST_AREA * 100, lay_out_all(&to); to.drawn > most; lay_out_all(&to))
        to.least *= 2;
    to.counts = false;
    const char *note = note_of(&to, figure->note);
    mp_svg_begin(svg, figure, MP_SVG_HEAD + HIGH + (*note ? 30 : 12), summary_of(&to));
    lay_out_all(&to);
    mp_svg_note(svg, MP_SVG_HEAD + HIGH + 18, note);
    mp_svg_end(svg, NULL);
    free(to.first);
    free(to.children);
    free(to.boxes);
    free(to.tops);
    free(to.amounts);
    free(to.parts);
    free(to.inside);
}
