/* Pictures of executions over time: spans below the spans of their callers. Adjacent thin spans are
 * drawn as one, labelled with their number. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "render/svg.h"
#include "render/svg_draw.h"

/* Sizes in pixels; maximum numbers of spans and levels. */
enum {
    LEFT = MP_SVG_MARGIN,
    PLOT = MP_SVG_WIDTH - 2 * MP_SVG_MARGIN,
    ROW = 20,
    BAR = 18,
    LEAST_LABEL = 30,
    MOST_SPANS = 3500,
    MOST_LEVELS = 40,
    COLOURS = 6,
    LONG_NAME = 160, /* maximum characters of a name in a tooltip */
};

/* Adjacent thin spans of a level that will be drawn as one, and the end of the last span drawn. */
typedef struct level {
    int64_t from, until, us, first_us, last_us;
    size_t count;
    const struct mp_span *only;
    int64_t end;
} level;

typedef struct band {
    mp_svg *svg;
    const mp_span_figure *figure;
    mp_axis axis;
    level levels[MOST_LEVELS];
    int64_t thin;  /* minimum width of a span that is drawn separately, in tenths of a pixel */
    size_t drawn;  /* number of elements drawn */
    size_t merged; /* number of spans that were drawn together with others */
    bool counts;   /* only count elements, write nothing */
    uint32_t depth;
    size_t deeper; /* number of spans below the last level */
} band;

static const char *seconds_text(band *state, int64_t us)
{
    char text[MP_UNIT_TEXT];
    mp_format_seconds(text, us, false);
    return mp_arena_format(&state->svg->arena, "%s s", text);
}

static int64_t x_of(const band *state, int64_t position)
{
    return LEFT * 10 + mp_axis_place(&state->axis, position, PLOT * 10);
}

static void draw_bar(band *state, uint32_t depth, int64_t from, int64_t until, const char *colour,
                     const char *label, const char *title)
{
    FILE *file = state->svg->file;
    int64_t y = MP_SVG_HEAD + (int64_t)depth * ROW;
    fprintf(file, "<g class=\"span %s\">", colour);
    mp_svg_tip(state->svg, title);
    fputs("<rect stroke=\"#fff\" stroke-width=\"0.5\"", file);
    mp_draw_box(file, from, y * 10, until - from, BAR * 10);
    fputs("/>", file);
    if (label && until - from >= LEAST_LABEL * 10)
        mp_svg_text(state->svg, NULL, (double)from / 10 + 4, (double)y + 13,
                    (double)(until - from) / 10 - 8, label);
    fputs("</g>\n", file);
}

static void draw_span(band *state, const struct mp_span *span, int64_t from, int64_t until)
{
    char colour[8];
    state->drawn++;
    if (state->counts)
        return;
    snprintf(colour, sizeof colour, "c%u", mp_svg_colour(span->label, COLOURS));
    draw_bar(state, span->depth, from, until, colour, span->label,
             mp_arena_format(&state->svg->arena, "%s\nfrom %s, lasted %s",
                             mp_svg_short(&state->svg->arena, span->label, LONG_NAME),
                             seconds_text(state, span->from_us),
                             seconds_text(state, span->to_us - span->from_us)));
}

static void draw_thin(band *state, uint32_t depth)
{
    level *entry = &state->levels[depth];
    if (entry->count == 1) {
        draw_span(state, entry->only, entry->from, entry->until);
    } else if (entry->count) {
        state->drawn++;
        state->merged += entry->count;
        if (!state->counts)
            draw_bar(state, depth, entry->from, entry->until, "n", NULL,
                     mp_arena_format(&state->svg->arena, "%zu, from %s to %s, together %s",
                                     entry->count, seconds_text(state, entry->first_us),
                                     seconds_text(state, entry->last_us),
                                     seconds_text(state, entry->us)));
    }
    entry->end = entry->count && entry->until > entry->end ? entry->until : entry->end;
    entry->count = 0;
}

static void take_span(band *state, const struct mp_span *span)
{
    level *entry = &state->levels[span->depth];
    int64_t from = x_of(state, span->from_us), until = x_of(state, span->to_us);
    if (until - from >= state->thin) {
        draw_thin(state, span->depth);
        from = from < entry->end ? entry->end : from;
        if (from < until)
            draw_span(state, span, from, until);
        entry->end = until;
        return;
    }
    if (entry->count && from > entry->until + state->thin)
        draw_thin(state, span->depth);
    if (!entry->count) {
        entry->from = from < entry->end ? entry->end : from;
        entry->until = entry->from;
        entry->first_us = span->from_us;
        entry->us = 0;
    }
    until = until < from + 10 ? from + 10 : until; /* a span is at least a pixel wide */
    entry->until = until > entry->until ? until : entry->until;
    entry->last_us = span->to_us;
    entry->us += span->to_us - span->from_us;
    entry->only = span;
    entry->count++;
}

static void take_all(band *state)
{
    memset(state->levels, 0, sizeof state->levels);
    state->drawn = state->merged = state->deeper = 0;
    for (size_t i = 0; i < state->figure->count; i++)
        if (state->figure->items[i].depth < MOST_LEVELS)
            take_span(state, &state->figure->items[i]);
        else
            state->deeper++;
    for (uint32_t i = 0; i < MOST_LEVELS; i++)
        draw_thin(state, i);
}

/* Choose the minimum width of spans so that not too many are drawn. */
static void settle(band *state)
{
    state->counts = true;
    for (state->thin = 20, take_all(state); state->drawn > MOST_SPANS; take_all(state))
        state->thin *= 2;
    state->counts = false;
}

static const char *note_of(band *state, const char *text)
{
    mp_arena *arena = &state->svg->arena;
    const char *thin = "", *deep = "";
    char number[MP_UNIT_TEXT];
    mp_format_count(number, (int64_t)state->merged, false);
    if (state->merged)
        thin = mp_arena_format(arena,
                               "%s are drawn as one where they are thinner than %" PRId64 " pixels",
                               number, state->thin / 10);
    mp_format_count(number, (int64_t)state->deeper, false);
    if (state->deeper)
        deep = mp_arena_format(arena, "%s below level %d are not drawn", number, MOST_LEVELS);
    return mp_svg_notes(state->svg, mp_svg_notes(state->svg, text ? text : "", thin), deep);
}

static void draw_axis(const band *state, int64_t bottom)
{
    FILE *file = state->svg->file;
    char text[MP_UNIT_TEXT];
    for (int64_t mark = mp_axis_first(&state->axis); mark <= state->axis.high;
         mark += state->axis.step) {
        int64_t x = x_of(state, mark), half = 0;
        mp_draw_rule(file, x, (MP_SVG_HEAD - 4) * 10, x, bottom * 10, MP_GRID);
        mp_axis_text(&state->axis, mark, text);
        half = mp_letters_width(text, MP_SVG_TEXT) / 2;
        x = x < LEFT * 10 + half ? LEFT * 10 + half : x;
        x = x > (LEFT + PLOT) * 10 - half ? (LEFT + PLOT) * 10 - half : x;
        mp_draw_label(file, "middle", x, (bottom + 16) * 10, text);
    }
}

/* Return "309 executions on 12 levels, from 0.5 s to 3.2 s". */
static const char *summary_of(band *state)
{
    char count[MP_UNIT_TEXT];
    mp_format_count(count, (int64_t)state->figure->count, false);
    if (!state->figure->count)
        return "nothing ran";
    return mp_arena_format(
        &state->svg->arena, "%s execution%s on %" PRIu32 " level%s, from %s to %s", count,
        state->figure->count == 1 ? "" : "s", state->depth, state->depth == 1 ? "" : "s",
        seconds_text(state, state->axis.low), seconds_text(state, state->axis.high));
}

void mp_svg_spans(mp_svg *svg, const mp_figure *figure)
{
    band *state = mp_alloc_zero(1, sizeof *state);
    int64_t low = INT64_MAX, high = INT64_MIN;
    *state = (band){.svg = svg, .figure = &figure->spans};
    for (size_t i = 0; i < state->figure->count; i++) {
        const struct mp_span *span = &state->figure->items[i];
        low = span->from_us < low ? span->from_us : low;
        high = span->to_us > high ? span->to_us : high;
        state->depth = span->depth >= state->depth ? span->depth + 1 : state->depth;
    }
    state->axis =
        mp_axis_of(state->figure->count ? low : 0, state->figure->count ? high : 0, MP_TIME, 8);
    uint32_t rows = state->depth < MOST_LEVELS ? state->depth : MOST_LEVELS;
    int64_t bottom = MP_SVG_HEAD + (rows ? rows : 1) * ROW + 4;
    settle(state);
    const char *note = note_of(state, figure->note);
    mp_svg_begin(svg, figure, (double)(bottom + 26 + (*note ? 22 : 0)), summary_of(state));
    draw_axis(state, bottom);
    take_all(state);
    mp_svg_note(svg, (double)bottom + 38, note);
    mp_svg_end(svg, NULL);
    free(state);
}
