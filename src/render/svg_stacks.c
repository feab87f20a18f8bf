/* Stacks as an icicle: callers above their callees, with widths proportional to costs.
 *
 * If there are too many frames, the widest are drawn. One frame below each of them represents the
 * frames left out, with their number and cost. In a comparison, the width of a stack is the larger
 * of both sides, so stacks that are gone are visible too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/units.h"
#include "render/frame_name.h"
#include "render/svg.h"
#include "render/xml.h"

enum {
    ROW = 18,
    TOP = MP_SVG_HEAD + 24, /* below the legend */
    BOTTOM = 26,
    DEEPEST = 250,       /* maximum number of levels */
    MOST_BYTES = 960000, /* bytes of all frames; the file with its script stays below a million */
    LABEL = 160,         /* maximum characters of a name in a tooltip */
    /* Maximum bytes of: a frame without its texts, the element of its name, and a frame that
     * represents the frames left out. */
    FRAME = 100,
    NAME = 36,
    REST = 230,
};

/* State of a drawing. Arrays are by place. */
typedef struct icicle {
    mp_svg *svg;
    const mp_tree_figure *tree;
    int64_t *width;           /* width with all places below */
    int64_t *left;            /* left edge */
    int64_t *next;            /* left edge of the next child */
    int64_t *small;           /* width of the children that are not drawn */
    uint32_t *depth, *hidden; /* hidden: number of places below this one that are not drawn */
    bool *drawn;
    double scale; /* pixels per byte, microsecond or call */
    uint32_t drawn_count, deepest;
    uint32_t too_deep, too_narrow;
    int64_t narrowest; /* width of the narrowest place that is drawn */
} icicle;

/* --- texts --- */

static double x_of(int64_t left, const icicle *chart)
{
    return MP_SVG_MARGIN + (double)left * chart->scale;
}

static double y_of(uint32_t depth)
{
    return TOP + (double)depth * ROW;
}

/* Return "12.5 %", the share of the whole. */
static const char *share_text(icicle *chart, int64_t amount, int64_t whole)
{
    char text[MP_UNIT_TEXT];
    mp_format_percent(text, mp_percent_of(amount, whole), false);
    return mp_arena_format(&chart->svg->arena, "%s %%", text);
}

/* Return "18.6 KiB in 27 objects". */
static const char *amount_text(icicle *chart, int64_t amount, int64_t count)
{
    const mp_tree_figure *tree = chart->tree;
    const char *text = mp_svg_amount(chart->svg, tree->unit, amount, false);
    if (!tree->count_of && tree->unit == MP_SECONDS)
        return text;
    if (!tree->count_of)
        return mp_arena_format(&chart->svg->arena, "%s %s", text, tree->measure);
    return mp_arena_format(&chart->svg->arena, "%s in %s", text,
                           mp_svg_counted(chart->svg, tree, count));
}

static const char *change_text(icicle *chart, const mp_place *place)
{
    char percent[MP_UNIT_TEXT];
    const char *now = amount_text(chart, place->total, place->all_count);
    const char *base = amount_text(chart, place->base_all, place->base_all_count);
    const char *by =
        mp_svg_amount(chart->svg, chart->tree->unit, place->total - place->base_all, true);
    if (place->total == place->base_all && place->all_count == place->base_all_count)
        return mp_arena_format(&chart->svg->arena, "unchanged: %s", now);
    if (!place->base_all && !place->base_all_count)
        return mp_arena_format(&chart->svg->arena, "new: %s", now);
    if (!place->total && !place->all_count)
        return mp_arena_format(&chart->svg->arena, "gone: %s before", base);
    if (place->total == place->base_all)
        return mp_arena_format(&chart->svg->arena, "%s, was %s", now, base);
    mp_format_change(percent, mp_percent_of(place->total - place->base_all, place->base_all));
    return mp_arena_format(&chart->svg->arena, "%s (%s): %s, was %s", by,
                           place->base_all ? percent : "more", now, base);
}

static const char *tip_of(icicle *chart, uint32_t i, const char *label)
{
    const mp_place *place = &chart->tree->items[i], *whole = &chart->tree->items[0];
    mp_arena *arena = &chart->svg->arena;
    const char *source =
        place->source && !strstr(place->label, place->source)
            ? mp_arena_format(arena, "\n%s", mp_svg_short(arena, place->source, LABEL))
            : "";
    if (chart->tree->has_base)
        return mp_arena_format(arena, "%s\n%s%s", label, change_text(chart, place), source);
    const char *text =
        place->self && place->self != place->total
            ? mp_arena_format(arena, "\n%s itself",
                              mp_svg_amount(chart->svg, chart->tree->unit, place->self, false))
            : "";
    return mp_arena_format(arena, "%s\n%s, %s%s%s", label,
                           amount_text(chart, place->total, place->all_count),
                           share_text(chart, place->total, whole->total), text, source);
}

/* Return the class for a change. There are five steps for increases and five for decreases. */
static const char *class_of_change(const mp_place *place)
{
    static const char *const more[] = {"more1", "more2", "more3", "more4"};
    static const char *const less[] = {"less1", "less2", "less3", "less4"};
    int64_t change = place->total - place->base_all;
    int64_t larger = place->total > place->base_all ? place->total : place->base_all;
    double share = larger > 0 ? fabs((double)change) / (double)larger : 0;
    size_t step = share < 0.1 ? 0 : share < 0.35 ? 1 : share < 0.8 ? 2 : 3;
    return change == 0 ? "same" : change > 0 ? more[step] : less[step];
}

/* Return the class of "placeOrder shop.OrderService:155" or "shop.OrderService::place(int)", so
 * that code of one source has one colour. */
static const char *source_of(mp_arena *arena, const char *label)
{
    const char *bracket = strchr(label, '('), *end = bracket ? bracket : strrchr(label, ':');
    size_t length = end && end > label ? (size_t)(end - label) : strlen(label), from = 0;
    for (size_t i = 0; i + 1 < length; i++) {
        if (bracket && label[i] == ':' && label[i + 1] == ':')
            from = i; /* the class ends there */
        else if (!bracket && label[i] == ' ')
            from = i + 1;
    }
    return bracket ? mp_arena_copy(arena, label, from ? from : length)
                   : mp_arena_copy(arena, label + from, length - from);
}

static const char *class_of(icicle *chart, const mp_place *place)
{
    mp_arena *arena = &chart->svg->arena;
    if (place->kind == MP_PLACE_REST)
        return "rest";
    if (chart->tree->has_base)
        return mp_arena_format(arena, "%s%s", class_of_change(place),
                               place->kind == MP_PLACE_TYPE ? " t" : "");
    switch (place->kind) {
    case MP_PLACE_CODE:
        return mp_arena_format(
            arena, "c%u",
            mp_svg_colour(place->source ? place->source : source_of(arena, place->label), 6));
    case MP_PLACE_TYPE:
        return mp_arena_format(arena, "t%u", mp_svg_colour(place->label, 6));
    case MP_PLACE_GROUP:
        return "g";
    default:
        return "n";
    }
}

/* Return the longest form of the name that fits into a frame of this width. */
static const char *name_in(icicle *chart, const char *name, bool is_type, int64_t width)
{
    enum { LEAST = 10 };
    mp_arena *arena = &chart->svg->arena;
    const char *names[MP_FRAME_NAMES];
    const double room = (double)width * chart->scale - 6;
    if (room < LEAST)
        return "";
    if (mp_svg_width(name, MP_SVG_TEXT) <= room)
        return name;
    const size_t count = mp_frame_names(arena, name, is_type, names);
    for (size_t i = 1; i < count; i++)
        if (mp_svg_width(names[i], MP_SVG_TEXT) <= room)
            return names[i];
    return mp_svg_fitting(arena, names[count - 1], MP_SVG_TEXT, room);
}

/* --- choice of places --- */

/* Return the maximum number of bytes of a place. */
static size_t bytes_of(icicle *chart, uint32_t i)
{
    mp_arena *arena = &chart->svg->arena;
    const char *label = mp_svg_short(arena, chart->tree->items[i].label, LABEL);
    const bool is_type = chart->tree->items[i].kind == MP_PLACE_TYPE;
    const char *name = name_in(chart, label, is_type, chart->width[i]);
    size_t bytes = FRAME + mp_xml_length(tip_of(chart, i, label));
    bytes += *name ? NAME + mp_xml_length(name) : 0;
    mp_arena_free(arena);
    return bytes;
}

/* Return true if a frame represents the parts below a place that are not drawn. */
static bool has_rest(const icicle *chart, uint32_t i)
{
    const double least = 1.5; /* pixels */
    return chart->drawn[i] && (double)chart->small[i] * chart->scale >= least;
}

/* Add the places that are not drawn to their nearest ancestor that is drawn. Return the number of
 * bytes of the frames that represent them. */
static size_t add_hidden(icicle *chart)
{
    const uint32_t count = chart->tree->count;
    const mp_place *place = chart->tree->items;
    size_t bytes = 0;
    memset(chart->hidden, 0, count * sizeof *chart->hidden);
    memset(chart->small, 0, count * sizeof *chart->small);
    for (uint32_t i = count; i-- > 1;) {
        if (chart->drawn[i])
            continue;
        chart->hidden[place[i].parent] += chart->hidden[i] + (place[i].kind != MP_PLACE_REST);
        if (chart->drawn[place[i].parent])
            chart->small[place[i].parent] += chart->width[i];
    }
    for (uint32_t i = 0; i < count; i++)
        bytes += has_rest(chart, i) ? REST : 0;
    return bytes;
}

/* Choose places in this order as long as they fit into `room` bytes. A parent is at least as wide
 * as its children and precedes them, so it is chosen first. Return the number of bytes, including
 * the frames that represent other places. */
static size_t draw_first(icicle *chart, const uint32_t *order, uint32_t count, size_t room)
{
    size_t bytes = 0;
    memset(chart->drawn, 0, chart->tree->count * sizeof *chart->drawn);
    chart->drawn[0] = true;
    chart->drawn_count = chart->deepest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const size_t more = bytes_of(chart, order[i]);
        if (bytes + more > room)
            break;
        bytes += more;
        chart->drawn[order[i]] = true;
        chart->narrowest = chart->width[order[i]];
        chart->drawn_count++;
        chart->deepest =
            chart->depth[order[i]] > chart->deepest ? chart->depth[order[i]] : chart->deepest;
    }
    return bytes + add_hidden(chart);
}

/* Choose the widest places, as many as the file has room for. */
static void choose(icicle *chart)
{
    /* Minimum width in pixels. It is smaller in a file, because a file can be zoomed. */
    const double least = chart->svg->alone ? 0.05 : 0.25;
    const mp_place *place = chart->tree->items;
    uint32_t *order = mp_alloc((size_t)chart->tree->count * sizeof *order), count = 0;
    for (uint32_t i = 1; i < chart->tree->count; i++)
        if (chart->depth[i] <= DEEPEST && (double)chart->width[i] * chart->scale >= least)
            order[count++] = i;
    mp_sort_largest(order, count, chart->width, sizeof *chart->width);
    const size_t most = chart->svg->room ? chart->svg->room : MOST_BYTES;
    size_t room = most, bytes;
    while ((bytes = draw_first(chart, order, count, room)) > most && room)
        room = room > bytes - most ? room - (bytes - most) : room / 2;
    for (uint32_t i = 1; i < chart->tree->count; i++) {
        chart->too_deep += chart->depth[i] > DEEPEST;
        chart->too_narrow +=
            chart->depth[i] <= DEEPEST && !chart->drawn[i] && place[i].kind != MP_PLACE_REST;
    }
    free(order);
}

/* --- drawing --- */

/* Draw a box. `name` is already cut to its width. */
static void put_box(icicle *chart, const char *class_name, int64_t left, int64_t width,
                    uint32_t depth, const char *tip, const char *name)
{
    mp_svg *svg = chart->svg;
    const double x = x_of(left, chart), w = (double)width * chart->scale;
    const double gap = fmin(0.6, w * 0.2); /* separates neighbours; flame.js assumes the same */
    fprintf(svg->file, "<g class=\"f %s\">", class_name);
    mp_svg_tip(svg, tip);
    fputs("<rect", svg->file);
    mp_svg_put(svg, "x", x);
    mp_svg_put(svg, "y", y_of(depth));
    mp_svg_put(svg, "width", w - gap);
    fprintf(svg->file, " height=\"%d\"/>", ROW - 1);
    mp_svg_text(svg, NULL, x + 3, y_of(depth) + 13, 0, name);
    fputs("</g>\n", svg->file);
}

static void put_rest(icicle *chart, uint32_t i)
{
    char count[MP_UNIT_TEXT];
    if (!has_rest(chart, i))
        return;
    mp_format_count(count, chart->hidden[i], false);
    const char *label = mp_arena_format(&chart->svg->arena, "%s %s", count,
                                        chart->depth[i] == DEEPEST ? "deeper frames"
                                        : chart->hidden[i] == 1    ? "narrow frame"
                                                                   : "narrow frames");
    const char *tip =
        mp_arena_format(&chart->svg->arena, "%s, not drawn\n%s", label,
                        mp_svg_amount(chart->svg, chart->tree->unit, chart->small[i], false));
    put_box(chart, "rest", chart->next[i], chart->small[i], chart->depth[i] + 1, tip,
            name_in(chart, label, false, chart->small[i]));
}

/* Return "all: 18.6 KiB in 27 objects". */
static const char *whole_text(icicle *chart)
{
    const mp_place *whole = &chart->tree->items[0];
    return mp_arena_format(&chart->svg->arena, "%s: %s", whole->label,
                           amount_text(chart, whole->total, whole->all_count));
}

static void put_places(icicle *chart)
{
    const mp_place *place = chart->tree->items;
    for (uint32_t i = 0; i < chart->tree->count; i++) {
        if (!chart->drawn[i])
            continue;
        if (i) {
            chart->left[i] = chart->next[place[i].parent];
            chart->next[place[i].parent] += chart->width[i];
        }
        chart->next[i] = chart->left[i];
    }
    for (uint32_t i = 0; i < chart->tree->count; i++) {
        if (!chart->drawn[i])
            continue;
        const char *label =
            i ? mp_svg_short(&chart->svg->arena, place[i].label, LABEL) : whole_text(chart);
        put_box(chart, class_of(chart, &place[i]), chart->left[i], chart->width[i], chart->depth[i],
                tip_of(chart, i, label),
                name_in(chart, label, place[i].kind == MP_PLACE_TYPE, chart->width[i]));
        put_rest(chart, i);
        mp_arena_free(&chart->svg->arena);
    }
}

/* --- legend and note --- */

enum { MOST_CLASSES = 24 };

/* Classes of the frames that are drawn, without duplicates. */
typedef struct class_set {
    const char *items[MOST_CLASSES];
    size_t count;
} class_set;

static bool has_class(const class_set *set, const char *name, size_t length)
{
    for (size_t i = 0; i < set->count; i++)
        if (strncmp(set->items[i], name, length) == 0 && set->items[i][length] == '\0')
            return true;
    return false;
}

static class_set classes_in_use(icicle *chart)
{
    class_set set = {.count = 0};
    for (uint32_t i = chart->tree->has_base ? 0 : 1; i < chart->tree->count; i++) {
        const char *name = chart->drawn[i] ? class_of(chart, &chart->tree->items[i]) : "";
        const size_t length = strcspn(name, " ");
        if (length && !has_class(&set, name, length) && set.count < MOST_CLASSES)
            set.items[set.count++] = mp_arena_copy(&chart->svg->arena, name, length);
    }
    return set;
}

/* Draw the legend of the colours in use: each entry has a swatch for each class of frames that it
 * explains. */
static void put_legend(icicle *chart)
{
    enum { MOST_SWATCHES = 6 };
    static const struct legend_entry {
        const char *classes[MOST_SWATCHES], *text;
    } plain[] = {{{"c0", "c1", "c2", "c3", "c4", "c5"}, "code, coloured by source"},
                 {{"g"}, "program"},
                 {{"t0", "t1", "t2", "t3", "t4", "t5"}, "type of objects"},
                 {{"n"}, "not code"}},
      changes[] = {{{"less4"}, "gone, or nearly"},
                   {{"less3", "less2", "less1"}, "less"},
                   {{"same"}, "unchanged"},
                   {{"more1", "more2", "more3"}, "more"},
                   {{"more4"}, "new, or nearly"}};
    const bool base = chart->tree->has_base;
    const struct legend_entry *entries = base ? changes : plain;
    const size_t count = base ? sizeof changes / sizeof *changes : sizeof plain / sizeof *plain;
    const class_set used = classes_in_use(chart);
    double x = MP_SVG_MARGIN;
    for (size_t i = 0; i < count; i++) {
        bool shown = false;
        for (size_t j = 0; j < MOST_SWATCHES && entries[i].classes[j]; j++) {
            const char *name = entries[i].classes[j];
            if (!has_class(&used, name, strlen(name)))
                continue;
            fprintf(chart->svg->file, "<g class=\"%s\"><rect", name);
            mp_svg_put(chart->svg, "x", x);
            mp_svg_put(chart->svg, "y", MP_SVG_HEAD - 3);
            fputs(" width=\"12\" height=\"12\"/></g>\n", chart->svg->file);
            x += 12;
            shown = true;
        }
        if (!shown)
            continue;
        mp_svg_text(chart->svg, "note", x + 5, MP_SVG_HEAD + 7, 0, entries[i].text);
        x += 5 + mp_svg_width(entries[i].text, 11) + 20;
    }
}

/* Return a note about the parts that the picture does not show. */
static const char *note_of(icicle *chart, const mp_figure *figure)
{
    mp_arena *arena = &chart->svg->arena;
    char narrow[MP_UNIT_TEXT], deep[MP_UNIT_TEXT];
    mp_format_count(narrow, chart->too_narrow, false);
    mp_format_count(deep, chart->too_deep, false);
    const char *note = figure->note ? figure->note : "";
    if (chart->too_narrow)
        note = mp_arena_format(arena, "%s%s%s frame%s not drawn: %s%s.", note, *note ? " " : "",
                               narrow, chart->too_narrow == 1 ? " is" : "s are",
                               chart->drawn_count ? "none is larger than " : "none is large enough",
                               chart->drawn_count ? mp_svg_amount(chart->svg, chart->tree->unit,
                                                                  chart->narrowest, false)
                                                  : "");
    if (chart->too_deep)
        note = mp_arena_format(arena, "%s%s%s frame%s not drawn: deeper than %d levels.", note,
                               *note ? " " : "", deep, chart->too_deep == 1 ? " is" : "s are",
                               DEEPEST);
    return note;
}

static const char *summary_of(icicle *chart)
{
    const mp_place *whole = &chart->tree->items[0];
    if (!chart->tree->has_base)
        return amount_text(chart, whole->total, whole->all_count);
    return mp_arena_format(&chart->svg->arena,
                           "%s. A frame is as wide as the larger of both, stack by stack.",
                           change_text(chart, whole));
}

void mp_svg_stacks(mp_svg *svg, const mp_figure *figure)
{
    const size_t count = figure->tree.count;
    icicle chart = {.svg = svg,
                    .tree = &figure->tree,
                    .width = mp_tree_widths(&figure->tree),
                    .left = mp_alloc_zero(count, sizeof *chart.left),
                    .next = mp_alloc_zero(count, sizeof *chart.next),
                    .small = mp_alloc_zero(count, sizeof *chart.small),
                    .depth = mp_alloc_zero(count, sizeof *chart.depth),
                    .hidden = mp_alloc_zero(count, sizeof *chart.hidden),
                    .drawn = mp_alloc_zero(count, sizeof *chart.drawn)};
    for (uint32_t i = 1; i < count; i++)
        chart.depth[i] = chart.depth[figure->tree.items[i].parent] + 1;
    chart.scale = chart.width[0] ? (MP_SVG_WIDTH - 2 * MP_SVG_MARGIN) / (double)chart.width[0] : 0;
    choose(&chart);
    const double bottom = y_of(chart.deepest + 2);
    mp_svg_begin(svg, figure, bottom + BOTTOM, summary_of(&chart));
    put_legend(&chart);
    if (chart.width[0])
        put_places(&chart);
    else
        mp_svg_text(svg, NULL, MP_SVG_MARGIN, TOP + 14, 0, "nothing");
    mp_svg_note(svg, bottom + 8, note_of(&chart, figure));
    mp_svg_end(svg, mp_embedded_flame_js);
    MP_FREE(chart.width, chart.left, chart.next, chart.small, chart.depth, chart.hidden,
            chart.drawn);
}
