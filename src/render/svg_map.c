/* Treemaps: nested areas proportional to amounts. Areas that are too small are merged, and a note
 * says so. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "render/squarify.h"
#include "render/svg.h"
#include "render/svg_draw.h"

/* Sizes in pixels; sizes of boxes are in tenths of a pixel. */
enum {
    LEFT = MP_SVG_MARGIN,
    WIDE = MP_SVG_WIDTH - 2 * MP_SVG_MARGIN,
    HIGH = 620,
    LEAST_AREA = 40, /* minimum area of a box, in square pixels */
    MOST_AREAS = 2200,
    COLOURS = 6,
    LINE = 15,
    PAD = 5,
    MOST_NAME = 160, /* maximum characters of a name in a tooltip */
};

typedef struct map {
    mp_svg *svg;
    const mp_tree_figure *figure;
    /* Children of place i: children[first[i]] to children[first[i + 1] - 1]. */
    uint32_t *first, *children;
    mp_box *boxes;  /* box of each place; width 0 = not drawn */
    uint32_t *tops; /* number of each place's ancestor below the root */
    int64_t least;  /* minimum area, in square tenths of a pixel */
    /* Number of areas drawn, number of places merged with others, and number of places with amount
     * 0. */
    size_t drawn, small, empty;
    bool counts; /* only count areas, write nothing */
    /* Parts of the place whose layout is being computed. */
    int64_t *amounts;
    uint32_t *parts; /* places; 0 = the merged small places and the place's own amount */
    mp_box *inside;
} map;

/* List the children of each place, in their order. */
static void find_children(map *state)
{
    uint32_t count = state->figure->count;
    state->first = mp_alloc_zero((size_t)count + 2, sizeof *state->first);
    state->children = mp_alloc_zero((size_t)count + 1, sizeof *state->children);
    for (uint32_t i = 1; i < count; i++)
        state->first[state->figure->items[i].parent + 2]++;
    for (uint32_t i = 2; i <= count + 1; i++)
        state->first[i] += state->first[i - 1];
    for (uint32_t i = 1; i < count; i++)
        state->children[state->first[state->figure->items[i].parent + 1]++] = i;
}

static const char *amount_text(map *state, int64_t amount)
{
    return mp_svg_amount(state->svg, state->figure->unit, amount, false);
}

/* Return "249.2 KiB (255,180 bytes) in 54 objects, 12.5 %". */
static const char *exact_text(map *state, int64_t amount, int64_t count)
{
    char text[MP_UNIT_TEXT];
    mp_arena *arena = &state->svg->arena;
    const char *whole = amount_text(state, amount);
    if (state->figure->unit == MP_BYTES && amount >= 1024) {
        mp_format_count(text, amount, false);
        whole = mp_arena_format(arena, "%s (%s bytes)", whole, text);
    }
    if (state->figure->count_of)
        whole = mp_arena_format(arena, "%s in %s", whole,
                                mp_svg_counted(state->svg, state->figure, count));
    mp_format_percent(text, mp_percent_of(amount, state->figure->items[0].total), false);
    return mp_arena_format(arena, "%s, %s %%", whole, text);
}

/* Return true if the place has parts, which are drawn in its box. */
static bool has_parts(const map *state, uint32_t place)
{
    return state->first[place + 1] > state->first[place];
}

/* --- drawing --- */

/* Draw a label in as many lines as there is room for: the heading, the name, the amount. */
static void draw_label(map *state, const mp_box *box, const char *heading, const char *name,
                       int64_t amount)
{
    int64_t x = box->x + PAD * 10, room = box->width - 2 * PAD * 10;
    int64_t lines = (box->height / 10 - 4) / LINE, line = 0;
    const struct {
        const char *text;
        bool bold;
    } texts[] = {{heading, true}, {name, false}, {amount_text(state, amount), false}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts && room >= 200; i++) {
        if (!texts[i].text || line >= lines)
            continue;
        const char *fits = mp_fit_name(&state->svg->arena, texts[i].text, MP_SVG_TEXT, room);
        bool whole = fits == texts[i].text;
        if (!*fits || (i == 2 && !whole))
            continue;
        mp_draw_text(state->svg->file,
                     &(mp_letters){.size = MP_SVG_TEXT,
                                   .colour = i == 2 ? MP_SOFT : MP_INK,
                                   .bold = texts[i].bold},
                     x, box->y + (line++ * LINE + 14) * 10, fits);
    }
}

static void draw_area(map *state, const mp_box *box, const char *colour, const char *heading,
                      const char *name, const char *title, int64_t amount)
{
    FILE *file = state->svg->file;
    fprintf(file, "<g class=\"area %s\">", colour);
    mp_svg_tip(state->svg, title);
    fputs("<rect stroke=\"#fff\"", file);
    mp_draw_box(file, box->x, box->y, box->width, box->height);
    fputs("/>\n", file);
    draw_label(state, box, heading, name, amount);
    fputs("</g>\n", file);
}

/* Return the names from the outermost place to this one. */
static const char *path_text(map *state, uint32_t place)
{
    const mp_place *self = &state->figure->items[place];
    mp_arena *arena = &state->svg->arena;
    const char *label = mp_svg_short(arena, self->label, MOST_NAME);
    return self->parent
               ? mp_arena_format(
                     arena, "%s\n%s",
                     mp_svg_short(arena, state->figure->items[self->parent].label, MOST_NAME),
                     label)
               : label;
}

/* Draw a place without parts. `heading`: name of its parent, if it is the parent's first part;
 * otherwise NULL. */
static void draw_place(map *state, uint32_t place, const char *heading)
{
    const mp_place *self = &state->figure->items[place];
    char colour[8];
    bool small = self->kind == MP_PLACE_NONE || self->kind == MP_PLACE_REST;
    if (state->counts) {
        state->drawn++;
        return;
    }
    snprintf(colour, sizeof colour, small ? "n" : "t%u", state->tops[place] % COLOURS);
    draw_area(state, &state->boxes[place], colour, heading, self->label,
              mp_arena_format(&state->svg->arena, "%s\n%s", path_text(state, place),
                              exact_text(state, self->total, self->all_count)),
              self->total);
}

/* The parts of a place that are too small to be shown separately. */
typedef struct rest {
    int64_t amount, count;
    size_t places;
} rest;

static void draw_rest(map *state, uint32_t place, const mp_box *box, const rest *self,
                      const char *heading)
{
    mp_arena *arena = &state->svg->arena;
    if (state->counts) {
        state->drawn++;
        return;
    }
    const char *name = self->places ? mp_arena_format(arena, "%zu more", self->places) : "(itself)";
    const char *in =
        place ? mp_arena_format(arena, "%s\n",
                                mp_svg_short(arena, state->figure->items[place].label, MOST_NAME))
              : "";
    draw_area(
        state, box, "rest", heading, name,
        mp_arena_format(arena, "%s%s\n%s", in, name, exact_text(state, self->amount, self->count)),
        self->amount);
}

static void draw_border(map *state, const mp_box *box)
{
    FILE *file = state->svg->file;
    if (state->counts)
        return;
    fprintf(file, "<rect class=\"border\" fill=\"none\" stroke=\"%s\"", MP_RULE);
    mp_draw_box(file, box->x, box->y, box->width, box->height);
    fputs("/>\n", file);
}

/* Return true if a part of this size would be visible. */
static bool is_large(const map *state, int64_t part, int64_t whole, int64_t area)
{
    for (; whole > INT32_MAX; whole /= 2)
        part /= 2;
    return part * area >= state->least * whole;
}

/* Choose the parts of a place that are large enough to be visible in its box. All other parts,
 * together with the place's own amount, become one part, `left`. Return the number of parts. */
static size_t choose_parts(map *state, uint32_t place, rest *left)
{
    const mp_place *self = &state->figure->items[place];
    const int64_t area = (int64_t)state->boxes[place].width * state->boxes[place].height;
    size_t count = 0;
    *left = (rest){self->self, self->own_count, 0};
    for (uint32_t i = state->first[place]; i < state->first[place + 1]; i++) {
        const mp_place *part = &state->figure->items[state->children[i]];
        state->empty += part->total <= 0;
        if (part->total <= 0 || self->total <= 0)
            continue;
        if (is_large(state, part->total, self->total, area)) {
            state->parts[count] = state->children[i];
            state->amounts[count++] = part->total;
        } else {
            left->amount += part->total;
            left->count += part->all_count;
            left->places++;
        }
    }
    if (left->amount <= 0)
        return count;
    state->small += left->places;
    size_t index = count;
    /* Keep the amounts descending. */
    for (; index && state->amounts[index - 1] < left->amount; index--) {
        state->amounts[index] = state->amounts[index - 1];
        state->parts[index] = state->parts[index - 1];
    }
    state->amounts[index] = left->amount;
    state->parts[index] = 0;
    return count + 1;
}

/* Lay out the parts of a place in its box, and draw those parts that have no parts themselves. */
static void lay_out(map *state, uint32_t place)
{
    rest left;
    size_t count = choose_parts(state, place, &left);
    mp_squarify(state->amounts, count, state->boxes[place], state->inside);
    for (size_t i = 0; i < count; i++) {
        uint32_t part = state->parts[i];
        const char *heading = i == 0 && place ? state->figure->items[place].label : NULL;
        if (!part) {
            draw_rest(state, place, &state->inside[i], &left, heading);
            continue;
        }
        state->boxes[part] = state->inside[i];
        state->tops[part] = place ? state->tops[place] : (uint32_t)i;
        if (!has_parts(state, part))
            draw_place(state, part, heading);
    }
    if (place)
        draw_border(state, &state->boxes[place]);
}

static void lay_out_all(map *state)
{
    state->drawn = state->small = state->empty = 0;
    memset(state->boxes, 0, state->figure->count * sizeof *state->boxes);
    if (!state->figure->count || state->figure->items[0].total <= 0)
        return;
    state->boxes[0] = (mp_box){LEFT * 10, MP_SVG_HEAD * 10, WIDE * 10, HIGH * 10};
    for (uint32_t i = 0; i < state->figure->count; i++)
        if (state->boxes[i].width && state->boxes[i].height && has_parts(state, i))
            lay_out(state, i);
}

/* --- texts --- */

/* Return "92.3 KiB in 54 objects: DB Connection 52.0 %, ...". */
static const char *summary_of(map *state)
{
    mp_arena *arena = &state->svg->arena;
    const mp_tree_figure *figure = state->figure;
    if (!figure->count || figure->items[0].total <= 0)
        return "nothing";
    enum { NAMED = 4 };
    uint32_t from = state->first[0], end = state->first[1];
    const char *text = amount_text(state, figure->items[0].total);
    char number[MP_UNIT_TEXT];
    if (figure->count_of)
        text = mp_arena_format(arena, "%s in %s", text,
                               mp_svg_counted(state->svg, figure, figure->items[0].all_count));
    for (uint32_t i = from; i < end && i < from + NAMED; i++) {
        const mp_place *place = &figure->items[state->children[i]];
        mp_format_percent(number, mp_percent_of(place->total, figure->items[0].total), false);
        text = mp_arena_format(arena, "%s%s %s %s %%", text, i == from ? ":" : ",",
                               mp_svg_short(arena, place->label, MOST_NAME / 4), number);
    }
    return text;
}

static const char *note_of(map *state, const char *text)
{
    mp_arena *arena = &state->svg->arena;
    const char *small = "", *empty = "";
    char number[MP_UNIT_TEXT];
    mp_format_count(number, (int64_t)state->small, false);
    if (state->small)
        small = mp_arena_format(arena,
                                "%s that would be smaller than %" PRId64
                                " square pixels are drawn together, as \"more\"",
                                number, state->least / 100);
    mp_format_count(number, (int64_t)state->empty, false);
    if (state->empty)
        empty = mp_arena_format(arena, "%s without a size are not drawn", number);
    return mp_svg_notes(state->svg, mp_svg_notes(state->svg, text ? text : "", small), empty);
}

void mp_svg_map(mp_svg *svg, const mp_figure *figure)
{
    map state = {.svg = svg, .figure = &figure->tree};
    size_t count = (size_t)state.figure->count + 2;
    find_children(&state);
    state.boxes = mp_alloc_zero(count, sizeof *state.boxes);
    state.tops = mp_alloc_zero(count, sizeof *state.tops);
    state.amounts = mp_alloc(count * sizeof *state.amounts);
    state.parts = mp_alloc(count * sizeof *state.parts);
    state.inside = mp_alloc(count * sizeof *state.inside);
    state.counts = true;
    const size_t most = svg->room ? MOST_AREAS / 4 : MOST_AREAS;
    for (state.least = LEAST_AREA * 100, lay_out_all(&state); state.drawn > most;
         lay_out_all(&state))
        state.least *= 2;
    state.counts = false;
    const char *note = note_of(&state, figure->note);
    mp_svg_begin(svg, figure, MP_SVG_HEAD + HIGH + (*note ? 30 : 12), summary_of(&state));
    lay_out_all(&state);
    mp_svg_note(svg, MP_SVG_HEAD + HIGH + 18, note);
    mp_svg_end(svg, NULL);
    MP_FREE(state.first, state.children, state.boxes, state.tops, state.amounts, state.parts,
            state.inside);
}
