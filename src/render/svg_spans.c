/* Pictures of what ran when: spans below what they ran inside of. Those that are thinner than some
 * pixels and stand side by side are one, which says how many it is. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "render/svg.h"
#include "render/svg_draw.h"

/* Pixels; and how many spans and levels are drawn at most. */
enum {
    LEFT = MP_SVG_MARGIN,
    PLOT = MP_SVG_WIDTH - 2 * MP_SVG_MARGIN,
    ROW = 20,
    BAR = 18,
    LEAST_LABEL = 30,
    MOST_SPANS = 3500,
    MOST_LEVELS = 40,
    COLOURS = 6,
    LONG_NAME = 160, /* characters of a name in what is told where one points */
};

/* Thin spans of a level that are one, and the end of what was drawn there last. */
typedef struct level {
    int64_t from, until, us, first_us, last_us;
    size_t count;
    const struct mp_span *only;
    int64_t end;
} level;

typedef struct band {
    mp_svg *svg;
    const mp_span_figure *of;
    mp_axis axis;
    level levels[MOST_LEVELS];
    int64_t thin;  /* in tenths of a pixel */
    size_t drawn;  /* elements */
    size_t merged; /* spans that are in such as are several */
    bool counts;   /* nothing is written */
    uint32_t depth;
    size_t deeper; /* spans below the last level */
} band;

static const char *seconds_text(band *to, int64_t us)
{
    char text[MP_UNIT_TEXT];
    mp_format_seconds(text, us, false);
    return mp_arena_format(&to->svg->arena, "%s s", text);
}

static int64_t x_of(const band *to, int64_t at)
{
    return LEFT * 10 + mp_axis_place(&to->axis, at, PLOT * 10);
}

static void draw_bar(band *to, uint32_t depth, int64_t from, int64_t until, const char *colour,
                     const char *label, const char *title)
{
    FILE *file = to->svg->file;
    int64_t y = MP_SVG_HEAD + (int64_t)depth * ROW;
    fprintf(file, "<g class=\"span %s\">", colour);
    mp_svg_tip(to->svg, title);
    fputs("<rect stroke=\"#fff\" stroke-width=\"0.5\"", file);
    mp_draw_box(file, from, y * 10, until - from, BAR * 10);
    fputs("/>", file);
    if (label && until - from >= LEAST_LABEL * 10)
        mp_svg_text(to->svg, NULL, NULL, (double)from / 10 + 4, (double)y + 13,
                    (double)(until - from) / 10 - 8, label);
    fputs("</g>\n", file);
}

static void draw_span(band *to, const struct mp_span *span, int64_t from, int64_t until)
{
    char colour[8];
    to->drawn++;
    if (to->counts)
        return;
    snprintf(colour, sizeof colour, "c%u", mp_svg_colour(span->label, COLOURS));
    draw_bar(to, span->depth, from, until, colour, span->label,
             mp_arena_format(&to->svg->arena, "%s\nfrom %s, lasted %s",
                             mp_svg_short(&to->svg->arena, span->label, LONG_NAME),
                             seconds_text(to, span->from_us),
                             seconds_text(to, span->to_us - span->from_us)));
}

static void draw_thin(band *to, uint32_t depth)
{
    level *at = &to->levels[depth];
    if (at->count == 1) {
        draw_span(to, at->only, at->from, at->until);
    } else if (at->count) {
        to->drawn++;
        to->merged += at->count;
        if (!to->counts)
            draw_bar(to, depth, at->from, at->until, "n", NULL,
                     mp_arena_format(&to->svg->arena, "%zu, from %s to %s, together %s", at->count,
                                     seconds_text(to, at->first_us), seconds_text(to, at->last_us),
                                     seconds_text(to, at->us)));
    }
    at->end = at->count && at->until > at->end ? at->until : at->end;
    at->count = 0;
}

static void take_span(band *to, const struct mp_span *span)
{
    level *at = &to->levels[span->depth];
    int64_t from = x_of(to, span->from_us), until = x_of(to, span->to_us);
    if (until - from >= to->thin) {
        draw_thin(to, span->depth);
        from = from < at->end ? at->end : from;
        if (from < until)
            draw_span(to, span, from, until);
        at->end = until;
        return;
    }
    if (at->count && from > at->until + to->thin)
        draw_thin(to, span->depth);
    if (!at->count) {
        at->from = from < at->end ? at->end : from;
        at->until = at->from;
        at->first_us = span->from_us;
        at->us = 0;
    }
    until = until < from + 10 ? from + 10 : until; /* a span is at least a pixel wide */
    at->until = until > at->until ? until : at->until;
    at->last_us = span->to_us;
    at->us += span->to_us - span->from_us;
    at->only = span;
    at->count++;
}

static void take_all(band *to)
{
    memset(to->levels, 0, sizeof to->levels);
    to->drawn = to->merged = to->deeper = 0;
    for (size_t i = 0; i < to->of->count; i++)
        if (to->of->at[i].depth < MOST_LEVELS)
            take_span(to, &to->of->at[i]);
        else
            to->deeper++;
    for (uint32_t i = 0; i < MOST_LEVELS; i++)
        draw_thin(to, i);
}

/* How thin is too thin, so that not too many are drawn. */
static void settle(band *to)
{
    to->counts = true;
    for (to->thin = 20, take_all(to); to->drawn > MOST_SPANS; take_all(to))
        to->thin *= 2;
    to->counts = false;
}

static const char *note_of(band *to, const char *own)
{
    mp_arena *arena = &to->svg->arena;
    const char *thin = "", *deep = "";
    char number[MP_UNIT_TEXT];
    mp_format_count(number, (int64_t)to->merged, false);
    if (to->merged)
        thin = mp_arena_format(arena,
                               "%s are drawn as one where they are thinner than %" PRId64 " pixels",
                               number, to->thin / 10);
    mp_format_count(number, (int64_t)to->deeper, false);
    if (to->deeper)
        deep = mp_arena_format(arena, "%s below level %d are not drawn", number, MOST_LEVELS);
    return mp_svg_notes(to->svg, mp_svg_notes(to->svg, own ? own : "", thin), deep);
}

static void draw_axis(const band *to, int64_t bottom)
{
    FILE *file = to->svg->file;
    char text[MP_UNIT_TEXT];
    for (int64_t mark = mp_axis_first(&to->axis); mark <= to->axis.high; mark += to->axis.step) {
        int64_t x = x_of(to, mark), half = 0;
        mp_draw_rule(file, x, (MP_SVG_HEAD - 4) * 10, x, bottom * 10, MP_GRID);
        mp_axis_text(&to->axis, mark, text);
        half = mp_letters_width(text, MP_SVG_TEXT) / 2;
        x = x < LEFT * 10 + half ? LEFT * 10 + half : x;
        x = x > (LEFT + PLOT) * 10 - half ? (LEFT + PLOT) * 10 - half : x;
        mp_draw_label(file, "middle", x, (bottom + 16) * 10, text);
    }
}

/* "309 executions on 12 levels, from 0.5 s to 3.2 s" */
static const char *summary_of(band *to)
{
    char count[MP_UNIT_TEXT];
    mp_format_count(count, (int64_t)to->of->count, false);
    if (!to->of->count)
        return "nothing ran";
    return mp_arena_format(&to->svg->arena, "%s execution%s on %" PRIu32 " level%s, from %s to %s",
                           count, to->of->count == 1 ? "" : "s", to->depth,
                           to->depth == 1 ? "" : "s", seconds_text(to, to->axis.low),
                           seconds_text(to, to->axis.high));
}

void mp_svg_spans(mp_svg *svg, const mp_figure *figure)
{
    band *to = mp_alloc_zero(1, sizeof *to);
    int64_t low = INT64_MAX, high = INT64_MIN;
    *to = (band){.svg = svg, .of = &figure->spans};
    for (size_t i = 0; i < to->of->count; i++) {
        const struct mp_span *span = &to->of->at[i];
        low = span->from_us < low ? span->from_us : low;
        high = span->to_us > high ? span->to_us : high;
        to->depth = span->depth >= to->depth ? span->depth + 1 : to->depth;
    }
    to->axis = mp_axis_of(to->of->count ? low : 0, to->of->count ? high : 0, MP_TIME, 8);
    uint32_t rows = to->depth < MOST_LEVELS ? to->depth : MOST_LEVELS;
    int64_t bottom = MP_SVG_HEAD + (rows ? rows : 1) * ROW + 4;
    settle(to);
    const char *note = note_of(to, figure->note);
    mp_svg_begin(svg, figure, (double)(bottom + 26 + (*note ? 22 : 0)), summary_of(to));
    draw_axis(to, bottom);
    take_all(to);
    mp_svg_note(svg, (double)bottom + 38, note);
    mp_svg_end(svg, NULL);
    free(to);
}
