/* Lanes of marks below the panels: requests, tags and others. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "render/svg_canvas.h"

static const struct lane {
    const char *kind, *title;
} lanes[] = {{"window", "compared"}, {"request", "requests"}, {"tag", "tags"}};
enum { LANES = sizeof lanes / sizeof *lanes };
/* Maximum number of wide spans. Sizes in pixels: the gap between labels, the minimum width of a
 * span with a label, and the minimum width of a span that is drawn separately. */
enum { MOST_SPANS = 200, GAP = 8, LEAST_LABEL = 40, THIN = 3 };

static size_t count_of(const mp_canvas *canvas, const char *kind)
{
    size_t count = 0;
    for (size_t i = 0; i < canvas->figure_lines->mark_count; i++)
        count += strcmp(canvas->figure_lines->marks[i].kind, kind) == 0;
    return count;
}

int64_t mp_canvas_lanes(const mp_canvas *canvas)
{
    int64_t height = 0;
    for (size_t i = 0; i < LANES; i++)
        height += count_of(canvas, lanes[i].kind) ? MP_LINES_LANE : 0;
    return height;
}

static const char *short_of(const mp_canvas *canvas, const struct mp_mark *mark)
{
    enum { LONG_NAME = 64 };
    return mp_svg_short(canvas->arena, mark->label, LONG_NAME);
}

/* --- spans --- */

static void draw_span(mp_canvas *canvas, int64_t y, int64_t from, int64_t until, const char *label,
                      const char *title)
{
    fprintf(canvas->svg->file, "<g class=\"span\">");
    mp_svg_tip(canvas->svg, title);
    fprintf(canvas->svg->file, "<rect");
    mp_draw_box(canvas->svg->file, from, (y + 4) * 10, until - from, (MP_LINES_LANE - 8) * 10);
    fprintf(canvas->svg->file, " rx=\"2\" fill=\"#dfe7ef\" stroke=\"%s\" stroke-width=\"0.5\"/>",
            MP_RULE);
    if (until - from >= LEAST_LABEL * 10)
        mp_draw_text(
            canvas->svg->file, &(mp_letters){.size = MP_LETTERS - 1, .colour = MP_INK}, from + 50,
            (y + 16) * 10,
            mp_svg_fitting(canvas->arena, label, MP_LETTERS - 1, (double)(until - from - 80) / 10));
    fprintf(canvas->svg->file, "</g>\n");
}

/* Adjacent spans that are thinner than a few pixels and are drawn as one. */
typedef struct pile {
    int64_t from, until;
    size_t count;
    const struct mp_mark *first, *last;
} pile;

static void draw_pile(mp_canvas *canvas, int64_t y, pile *state)
{
    const struct mp_mark *first = state->first, *last = state->last;
    if (state->count == 1)
        draw_span(canvas, y, state->from, state->until, "",
                  mp_arena_format(canvas->arena, "%s: %s to %s", short_of(canvas, first),
                                  mp_canvas_moment(canvas, first->start),
                                  mp_canvas_moment(canvas, first->until)));
    else if (state->count)
        draw_span(canvas, y, state->from, state->until, "",
                  mp_arena_format(canvas->arena, "%zu from %s to %s: %s ... %s", state->count,
                                  mp_canvas_moment(canvas, first->start),
                                  mp_canvas_moment(canvas, last->until), short_of(canvas, first),
                                  short_of(canvas, last)));
    state->count = 0;
}

/* Draw the spans of a lane. A span that overlaps a span drawn before begins at the right edge of
 * that span. */
static void draw_spans(mp_canvas *canvas, int64_t y, const char *kind)
{
    pile thin = {0};
    size_t drawn = 0;
    int64_t end = 0; /* right edges of the drawn spans and of the pile */
    for (size_t i = 0; i < canvas->figure_lines->mark_count; i++) {
        const struct mp_mark *mark = &canvas->figure_lines->marks[i];
        if (strcmp(mark->kind, kind) != 0 || mark->until == MP_UNKNOWN)
            continue;
        int64_t from = mp_canvas_x(canvas, mark->start), until = mp_canvas_x(canvas, mark->until);
        from = from < end ? end : from;
        if (until - from >= THIN * 10 && drawn < MOST_SPANS) {
            draw_pile(canvas, y, &thin);
            draw_span(canvas, y, from, until, mark->label,
                      mp_arena_format(canvas->arena, "%s: %s to %s", short_of(canvas, mark),
                                      mp_canvas_moment(canvas, mark->start),
                                      mp_canvas_moment(canvas, mark->until)));
            end = until;
            drawn++;
            continue;
        }
        if (thin.count && from > thin.until + 10)
            draw_pile(canvas, y, &thin);
        if (!thin.count)
            thin = (pile){from, from + 10, 0, mark, mark}; /* a span is at least a pixel wide */
        thin.until = until > thin.until ? until : thin.until;
        thin.last = mark;
        thin.count++;
        end = thin.until;
    }
    draw_pile(canvas, y, &thin);
}

/* --- tags --- */

typedef struct tag {
    int64_t x;
    size_t alike; /* number of tags with the same name */
    const char *label;
} tag;

static int by_label(const void *left, const void *right)
{
    const tag *a = left, *b = right;
    int order = strcmp(a->label, b->label);
    return order ? order : MP_COMPARE(a->x, b->x);
}

static int rarest_first(const void *left, const void *right)
{
    const tag *a = left, *b = right;
    int order = MP_COMPARE(a->alike, b->alike);
    order = order ? order : MP_COMPARE(a->x, b->x);
    return order ? order : strcmp(a->label, b->label);
}

/* Return the tags; tags with rare names come first. Release with free(). */
static tag *tags_of(const mp_canvas *canvas, size_t *count)
{
    tag *tags = mp_alloc((canvas->figure_lines->mark_count + 1) * sizeof *tags);
    *count = 0;
    for (size_t i = 0; i < canvas->figure_lines->mark_count; i++)
        if (strcmp(canvas->figure_lines->marks[i].kind, "tag") == 0)
            tags[(*count)++] = (tag){mp_canvas_x(canvas, canvas->figure_lines->marks[i].start), 0,
                                     short_of(canvas, &canvas->figure_lines->marks[i])};
    qsort(tags, *count, sizeof *tags, by_label);
    for (size_t i = 0, next; i < *count; i = next) {
        for (next = i; next < *count && strcmp(tags[next].label, tags[i].label) == 0;)
            next++;
        for (size_t k = i; k < next; k++)
            tags[k].alike = next - i;
    }
    qsort(tags, *count, sizeof *tags, rarest_first);
    return tags;
}

/* A part of the lane that is taken by a label. */
typedef struct room {
    int64_t from, until;
} room;

/* Find room for a label next to its tick. Return false if another label is there. */
static bool find_room(const tag *state, room *taken, size_t count, room *found)
{
    int64_t width = mp_letters_width(state->label, MP_LETTERS - 1);
    const room sides[] = {{state->x + 30, state->x + 30 + width},
                          {state->x - 30 - width, state->x - 30}};
    for (size_t side = 0; side < 2; side++) {
        bool is_free =
            sides[side].from >= MP_LINES_LEFT * 10 && sides[side].until <= (MP_SVG_WIDTH - 4) * 10;
        for (size_t i = 0; i < count && is_free; i++)
            is_free = sides[side].until + GAP * 10 <= taken[i].from ||
                      sides[side].from >= taken[i].until + GAP * 10;
        *found = sides[side];
        if (is_free)
            return true;
    }
    return false;
}

/* Draw a tick in each column of pixels that has tags, and names as far as there is room. */
static void draw_tags(mp_canvas *canvas, int64_t y)
{
    enum { MOST_LABELS = 100 };
    room taken[MOST_LABELS];
    size_t count, labels = 0;
    bool ticks[MP_SVG_WIDTH] = {false};
    tag *tags = tags_of(canvas, &count);
    for (size_t i = 0; i < count; i++) {
        if (!ticks[tags[i].x / 10])
            mp_draw_rule(canvas->svg->file, tags[i].x, (y - 1) * 10, tags[i].x, (y + 5) * 10,
                         MP_SOFT);
        ticks[tags[i].x / 10] = true;
        if (labels == MOST_LABELS || !find_room(&tags[i], taken, labels, &taken[labels]))
            continue;
        mp_draw_text(canvas->svg->file, &(mp_letters){.size = MP_LETTERS - 1, .colour = MP_INK},
                     taken[labels++].from, (y + 17) * 10, tags[i].label);
    }
    free(tags);
}

void mp_canvas_draw_lanes(mp_canvas *canvas, int64_t y)
{
    for (size_t i = 0; i < LANES; i++) {
        if (!count_of(canvas, lanes[i].kind))
            continue;
        mp_draw_label(canvas->svg->file, "end", (MP_LINES_LEFT - 8) * 10, (y + 16) * 10,
                      lanes[i].title);
        if (strcmp(lanes[i].kind, "tag") == 0)
            draw_tags(canvas, y);
        else
            draw_spans(canvas, y, lanes[i].kind);
        y += MP_LINES_LANE;
    }
}
