/* Stacks as an icicle: callers above what they call, as wide as what they cost.
 *
 * What has more frames than one can look at is pruned: the widest are drawn, and below each frame
 * one more stands for those that are left out, which says how many and how much. A difference is as
 * wide as the larger of both sides, stack by stack, so what is gone has its place too. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/largest.h"
#include "base/units.h"
#include "render/frame_name.h"
#include "render/svg.h"
#include "render/xml.h"

enum {
    ROW = 18,
    TOP = MP_SVG_HEAD + 24, /* below the legend */
    BOTTOM = 26,
    DEEPEST = 250,       /* levels that are drawn */
    MOST_BYTES = 960000, /* bytes of all frames; the file with its script stays below a million */
    LABEL = 160,         /* characters of a name that are told */
    /* At most so many bytes a frame takes without its texts, its name takes without that, and a
     * frame takes that stands for those that are not drawn. */
    FRAME = 100,
    NAME = 36,
    REST = 230,
};

/* A figure on its way to paper. Arrays are by place. */
typedef struct icicle {
    mp_svg *svg;
    const mp_tree_figure *tree;
    int64_t *width;           /* with all that is below */
    int64_t *left;            /* left edge */
    int64_t *next;            /* left edge of its next child */
    int64_t *small;           /* width of the children that are not drawn */
    uint32_t *depth, *hidden; /* hidden: places below that are not drawn, of its children */
    bool *drawn;
    double scale; /* pixels of one byte, microsecond, call */
    uint32_t drawn_count, deepest;
    uint32_t too_deep, too_narrow;
    int64_t narrowest; /* width of the narrowest place that is drawn */
} icicle;

/* --- what is said of them --- */

static double x_of(int64_t left, const icicle *of)
{
    return MP_SVG_MARGIN + (double)left * of->scale;
}

static double y_of(uint32_t depth)
{
    return TOP + (double)depth * ROW;
}

/* "12.5 %", of the whole. */
static const char *share_text(icicle *of, int64_t amount, int64_t whole)
{
    char text[MP_UNIT_TEXT];
    mp_format_percent(text, mp_percent_of(amount, whole), false);
    return mp_arena_format(&of->svg->arena, "%s %%", text);
}

/* "18.6 KiB in 27 objects" */
static const char *amount_text(icicle *of, int64_t amount, int64_t count)
{
    const mp_tree_figure *tree = of->tree;
    const char *text = mp_svg_amount(of->svg, tree->unit, amount, false);
    if (!tree->count_of)
        return mp_arena_format(&of->svg->arena, "%s %s", text, tree->of);
    return mp_arena_format(&of->svg->arena, "%s in %s", text, mp_svg_counted(of->svg, tree, count));
}

static const char *change_text(icicle *of, const mp_place *place)
{
    char percent[MP_UNIT_TEXT];
    const char *now = amount_text(of, place->all, place->all_count);
    const char *base = amount_text(of, place->base_all, place->base_all_count);
    const char *by = mp_svg_amount(of->svg, of->tree->unit, place->all - place->base_all, true);
    if (place->all == place->base_all && place->all_count == place->base_all_count)
        return mp_arena_format(&of->svg->arena, "unchanged: %s", now);
    if (!place->base_all && !place->base_all_count)
        return mp_arena_format(&of->svg->arena, "new: %s", now);
    if (!place->all && !place->all_count)
        return mp_arena_format(&of->svg->arena, "gone: %s before", base);
    if (place->all == place->base_all)
        return mp_arena_format(&of->svg->arena, "%s, was %s", now, base);
    mp_format_change(percent, mp_percent_of(place->all - place->base_all, place->base_all));
    return mp_arena_format(&of->svg->arena, "%s (%s): %s, was %s", by,
                           place->base_all ? percent : "more", now, base);
}

static const char *tip_of(icicle *of, uint32_t i, const char *label)
{
    const mp_place *place = &of->tree->at[i], *whole = &of->tree->at[0];
    mp_arena *arena = &of->svg->arena;
    const char *source =
        place->source && !strstr(place->label, place->source)
            ? mp_arena_format(arena, "\n%s", mp_svg_short(arena, place->source, LABEL))
            : "";
    if (of->tree->has_base)
        return mp_arena_format(arena, "%s\n%s%s", label, change_text(of, place), source);
    const char *own =
        place->own && place->own != place->all
            ? mp_arena_format(arena, "\n%s itself",
                              mp_svg_amount(of->svg, of->tree->unit, place->own, false))
            : "";
    return mp_arena_format(arena, "%s\n%s, %s%s%s", label,
                           amount_text(of, place->all, place->all_count),
                           share_text(of, place->all, whole->all), own, source);
}

/* How it changed, in five steps each way. */
static const char *class_of_change(const mp_place *place)
{
    static const char *const more[] = {"more1", "more2", "more3", "more4"};
    static const char *const less[] = {"less1", "less2", "less3", "less4"};
    int64_t change = place->all - place->base_all;
    int64_t larger = place->all > place->base_all ? place->all : place->base_all;
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

static const char *class_of(icicle *of, const mp_place *place)
{
    mp_arena *arena = &of->svg->arena;
    if (place->kind == MP_PLACE_REST)
        return "rest";
    if (of->tree->has_base)
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

/* As much of the name as a frame of so many pixels has room for. */
static const char *name_in(icicle *of, const char *name, bool is_type, int64_t width)
{
    enum { LEAST = 10 };
    mp_arena *arena = &of->svg->arena;
    const char *names[MP_FRAME_NAMES];
    const double room = (double)width * of->scale - 6;
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

/* --- which places are drawn --- */

/* How many bytes a place takes, at most. */
static size_t bytes_of(icicle *of, uint32_t i)
{
    mp_arena *arena = &of->svg->arena;
    const char *label = mp_svg_short(arena, of->tree->at[i].label, LABEL);
    const bool is_type = of->tree->at[i].kind == MP_PLACE_TYPE;
    const char *name = name_in(of, label, is_type, of->width[i]);
    size_t bytes = FRAME + mp_xml_length(tip_of(of, i, label));
    bytes += *name ? NAME + mp_xml_length(name) : 0;
    mp_arena_free(arena);
    return bytes;
}

/* Return true if a frame stands for the parts below a place that are not drawn. */
static bool has_rest(const icicle *of, uint32_t i)
{
    const double least = 1.5; /* pixels */
    return of->drawn[i] && (double)of->small[i] * of->scale >= least;
}

/* Add up what is not drawn, at the place above it that is. Gives how many bytes it takes to say so.
 */
static size_t add_hidden(icicle *of)
{
    const uint32_t count = of->tree->count;
    const mp_place *at = of->tree->at;
    size_t bytes = 0;
    memset(of->hidden, 0, count * sizeof *of->hidden);
    memset(of->small, 0, count * sizeof *of->small);
    for (uint32_t i = count; i-- > 1;) {
        if (of->drawn[i])
            continue;
        of->hidden[at[i].parent] += of->hidden[i] + (at[i].kind != MP_PLACE_REST);
        if (of->drawn[at[i].parent])
            of->small[at[i].parent] += of->width[i];
    }
    for (uint32_t i = 0; i < count; i++)
        bytes += has_rest(of, i) ? REST : 0;
    return bytes;
}

/* Draw the first of these that have room in so many bytes; gives how many it takes, with what
 * stands for others. Who stands above a place is at least as wide, and comes before it. */
static size_t draw_first(icicle *of, const uint32_t *order, uint32_t count, size_t room)
{
    size_t bytes = 0;
    memset(of->drawn, 0, of->tree->count * sizeof *of->drawn);
    of->drawn[0] = true;
    of->drawn_count = of->deepest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const size_t more = bytes_of(of, order[i]);
        if (bytes + more > room)
            break;
        bytes += more;
        of->drawn[order[i]] = true;
        of->narrowest = of->width[order[i]];
        of->drawn_count++;
        of->deepest = of->depth[order[i]] > of->deepest ? of->depth[order[i]] : of->deepest;
    }
    return bytes + add_hidden(of);
}

/* The widest, as many as the file has room for. */
static void choose(icicle *of)
{
    /* In pixels: a file can be looked at more closely. */
    const double least = of->svg->alone ? 0.05 : 0.25;
    const mp_place *at = of->tree->at;
    uint32_t *order = mp_alloc((size_t)of->tree->count * sizeof *order), count = 0;
    for (uint32_t i = 1; i < of->tree->count; i++)
        if (of->depth[i] <= DEEPEST && (double)of->width[i] * of->scale >= least)
            order[count++] = i;
    mp_sort_largest(order, count, of->width, sizeof *of->width);
    const size_t most = of->svg->room ? of->svg->room : MOST_BYTES;
    size_t room = most, bytes;
    while ((bytes = draw_first(of, order, count, room)) > most && room)
        room = room > bytes - most ? room - (bytes - most) : room / 2;
    for (uint32_t i = 1; i < of->tree->count; i++) {
        of->too_deep += of->depth[i] > DEEPEST;
        of->too_narrow += of->depth[i] <= DEEPEST && !of->drawn[i] && at[i].kind != MP_PLACE_REST;
    }
    free(order);
}

/* --- drawing --- */

/* `name`: as much of it as has room. */
static void put_box(icicle *of, const char *class_name, int64_t left, int64_t width, uint32_t depth,
                    const char *tip, const char *name)
{
    mp_svg *svg = of->svg;
    const double x = x_of(left, of), w = (double)width * of->scale;
    const double gap = fmin(0.6, w * 0.2); /* that tells neighbours apart; flame.js knows it */
    fprintf(svg->file, "<g class=\"f %s\">", class_name);
    mp_svg_tip(svg, tip);
    fputs("<rect", svg->file);
    mp_svg_put(svg, "x", x);
    mp_svg_put(svg, "y", y_of(depth));
    mp_svg_put(svg, "width", w - gap);
    fprintf(svg->file, " height=\"%d\"/>", ROW - 1);
    mp_svg_text(svg, NULL, NULL, x + 3, y_of(depth) + 13, 0, name);
    fputs("</g>\n", svg->file);
}

static void put_rest(icicle *of, uint32_t i)
{
    char count[MP_UNIT_TEXT];
    if (!has_rest(of, i))
        return;
    mp_format_count(count, of->hidden[i], false);
    const char *label = mp_arena_format(&of->svg->arena, "%s %s", count,
                                        of->depth[i] == DEEPEST ? "deeper frames"
                                        : of->hidden[i] == 1    ? "narrow frame"
                                                                : "narrow frames");
    const char *tip = mp_arena_format(&of->svg->arena, "%s, not drawn\n%s", label,
                                      mp_svg_amount(of->svg, of->tree->unit, of->small[i], false));
    put_box(of, "rest", of->next[i], of->small[i], of->depth[i] + 1, tip,
            name_in(of, label, false, of->small[i]));
}

/* "all: 18.6 KiB in 27 objects" */
static const char *whole_text(icicle *of)
{
    const mp_place *whole = &of->tree->at[0];
    return mp_arena_format(&of->svg->arena, "%s: %s", whole->label,
                           amount_text(of, whole->all, whole->all_count));
}

static void put_places(icicle *of)
{
    const mp_place *at = of->tree->at;
    for (uint32_t i = 0; i < of->tree->count; i++) {
        if (!of->drawn[i])
            continue;
        if (i) {
            of->left[i] = of->next[at[i].parent];
            of->next[at[i].parent] += of->width[i];
        }
        of->next[i] = of->left[i];
    }
    for (uint32_t i = 0; i < of->tree->count; i++) {
        if (!of->drawn[i])
            continue;
        const char *label = i ? mp_svg_short(&of->svg->arena, at[i].label, LABEL) : whole_text(of);
        put_box(of, class_of(of, &at[i]), of->left[i], of->width[i], of->depth[i],
                tip_of(of, i, label),
                name_in(of, label, at[i].kind == MP_PLACE_TYPE, of->width[i]));
        put_rest(of, i);
        mp_arena_free(&of->svg->arena);
    }
}

/* --- above and below --- */

enum { MOST_CLASSES = 24 };

/* Classes of the frames that are drawn, each once. */
typedef struct class_set {
    const char *at[MOST_CLASSES];
    size_t count;
} class_set;

static bool has_class(const class_set *set, const char *name, size_t length)
{
    for (size_t i = 0; i < set->count; i++)
        if (strncmp(set->at[i], name, length) == 0 && set->at[i][length] == '\0')
            return true;
    return false;
}

static class_set classes_in_use(icicle *of)
{
    class_set set = {.count = 0};
    for (uint32_t i = of->tree->has_base ? 0 : 1; i < of->tree->count; i++) {
        const char *name = of->drawn[i] ? class_of(of, &of->tree->at[i]) : "";
        const size_t length = strcspn(name, " ");
        if (length && !has_class(&set, name, length) && set.count < MOST_CLASSES)
            set.at[set.count++] = mp_arena_copy(&of->svg->arena, name, length);
    }
    return set;
}

/* Explain the colours in use: an entry has a swatch for each class of frames that it stands for. */
static void put_legend(icicle *of)
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
    const bool base = of->tree->has_base;
    const struct legend_entry *entries = base ? changes : plain;
    const size_t count = base ? sizeof changes / sizeof *changes : sizeof plain / sizeof *plain;
    const class_set used = classes_in_use(of);
    double x = MP_SVG_MARGIN;
    for (size_t i = 0; i < count; i++) {
        bool shown = false;
        for (size_t j = 0; j < MOST_SWATCHES && entries[i].classes[j]; j++) {
            const char *name = entries[i].classes[j];
            if (!has_class(&used, name, strlen(name)))
                continue;
            fprintf(of->svg->file, "<g class=\"%s\"><rect", name);
            mp_svg_put(of->svg, "x", x);
            mp_svg_put(of->svg, "y", MP_SVG_HEAD - 3);
            fputs(" width=\"12\" height=\"12\"/></g>\n", of->svg->file);
            x += 12;
            shown = true;
        }
        if (!shown)
            continue;
        mp_svg_text(of->svg, "note", NULL, x + 5, MP_SVG_HEAD + 7, 0, entries[i].text);
        x += 5 + mp_svg_width(entries[i].text, 11) + 20;
    }
}

/* Return a note about the parts that the picture does not show. */
static const char *note_of(icicle *of, const mp_figure *figure)
{
    mp_arena *arena = &of->svg->arena;
    char narrow[MP_UNIT_TEXT], deep[MP_UNIT_TEXT];
    mp_format_count(narrow, of->too_narrow, false);
    mp_format_count(deep, of->too_deep, false);
    const char *note = figure->note ? figure->note : "";
    if (of->too_narrow)
        note = mp_arena_format(
            arena, "%s%s%s frame%s not drawn: %s%s.", note, *note ? " " : "", narrow,
            of->too_narrow == 1 ? " is" : "s are",
            of->drawn_count ? "none is larger than " : "none is large enough",
            of->drawn_count ? mp_svg_amount(of->svg, of->tree->unit, of->narrowest, false) : "");
    if (of->too_deep)
        note =
            mp_arena_format(arena, "%s%s%s frame%s not drawn: deeper than %d levels.", note,
                            *note ? " " : "", deep, of->too_deep == 1 ? " is" : "s are", DEEPEST);
    return note;
}

static const char *summary_of(icicle *of)
{
    const mp_place *whole = &of->tree->at[0];
    if (!of->tree->has_base)
        return amount_text(of, whole->all, whole->all_count);
    return mp_arena_format(&of->svg->arena,
                           "%s. A frame is as wide as the larger of both, stack by stack.",
                           change_text(of, whole));
}

void mp_svg_stacks(mp_svg *svg, const mp_figure *figure)
{
    const size_t count = figure->tree.count;
    icicle of = {.svg = svg,
                 .tree = &figure->tree,
                 .width = mp_tree_widths(&figure->tree),
                 .left = mp_alloc_zero(count, sizeof *of.left),
                 .next = mp_alloc_zero(count, sizeof *of.next),
                 .small = mp_alloc_zero(count, sizeof *of.small),
                 .depth = mp_alloc_zero(count, sizeof *of.depth),
                 .hidden = mp_alloc_zero(count, sizeof *of.hidden),
                 .drawn = mp_alloc_zero(count, sizeof *of.drawn)};
    for (uint32_t i = 1; i < count; i++)
        of.depth[i] = of.depth[figure->tree.at[i].parent] + 1;
    of.scale = of.width[0] ? (MP_SVG_WIDTH - 2 * MP_SVG_MARGIN) / (double)of.width[0] : 0;
    choose(&of);
    const double bottom = y_of(of.deepest + 2);
    mp_svg_begin(svg, figure, bottom + BOTTOM, summary_of(&of));
    put_legend(&of);
    if (of.width[0])
        put_places(&of);
    else
        mp_svg_text(svg, NULL, NULL, MP_SVG_MARGIN, TOP + 14, 0, "nothing");
    mp_svg_note(svg, bottom + 8, note_of(&of, figure));
    mp_svg_end(svg, mp_embedded_flame_js);
    free(of.width);
    free(of.left);
    free(of.next);
    free(of.small);
    free(of.depth);
    free(of.hidden);
    free(of.drawn);
}
