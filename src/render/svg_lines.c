/* Pictures of amounts over time: lines that share an axis in one panel, what is far smaller in one
 * of its own, marks below them. Moments that fall into one column of pixels are drawn by the first,
 * the last, the least and the most of them, which looks the same. Each column says by its title
 * what stands there. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "render/svg_canvas.h"

enum { GAP = 30 }; /* pixels between panels */
enum { MOST_STRIPS = 300 };
enum { LONG_NAME = 32 }; /* characters of a name in what is told where one points */
enum { SPLIT = 8 };      /* ratio of amounts from which lines are drawn in separate panels */

const char *mp_canvas_moment(mp_canvas *to, int64_t at)
{
    char text[MP_UNIT_TEXT];
    if (to->of->moment_unit != MP_TIME)
        return mp_arena_format(to->arena, "%" PRId64, at);
    mp_format_time(text, at);
    return mp_arena_format(to->arena, "%s", text);
}

/* "249.2 KiB (255,180 bytes)": `exact` adds what is in brackets. */
const char *mp_canvas_amount(mp_canvas *to, const struct mp_line_of *line, int64_t amount,
                             bool exact)
{
    char text[MP_UNIT_TEXT], whole[MP_UNIT_TEXT];
    bool change = line->panel != NULL;
    mp_format_count(whole, amount, change);
    if (line->unit != MP_BYTES || to->svg->exact)
        return mp_arena_format(to->arena, "%s%s", whole, line->unit == MP_BYTES ? " B" : "");
    mp_format_bytes(text, amount, false, change);
    bool is_exact = amount > -1024 && amount < 1024;
    return exact && !is_exact ? mp_arena_format(to->arena, "%s (%s bytes)", text, whole)
                              : mp_arena_format(to->arena, "%s", text);
}

/* --- where things stand --- */

/* In tenths of a pixel. */
int64_t mp_canvas_x(const mp_canvas *to, int64_t at)
{
    if (to->of->moments && to->of->at[0] == to->of->at[to->of->moments - 1])
        return (MP_LINES_LEFT + MP_LINES_PLOT / 2) * 10;
    return MP_LINES_LEFT * 10 + mp_axis_place(&to->moments, at, MP_LINES_PLOT * 10);
}

int64_t mp_canvas_y(const mp_panel *in, int64_t amount)
{
    return (in->top + in->height) * 10 - mp_axis_place(&in->axis, amount, in->height * 10);
}

static void find_columns(mp_canvas *to)
{
    enum { FEW = 400 }; /* moments; of more, columns are two pixels wide */
    int64_t last = -1, wide = to->of->moments > FEW ? 20 : 10;
    to->columns = mp_alloc((MP_LINES_PLOT + 2) * sizeof *to->columns);
    for (size_t i = 0; i < to->of->moments; i++)
        if (mp_canvas_x(to, to->of->at[i]) / wide != last) {
            last = mp_canvas_x(to, to->of->at[i]) / wide;
            to->columns[to->column_count++] = i;
        }
    to->columns[to->column_count] = to->of->moments;
}

static bool is_alike(const mp_panel *in, const struct mp_line_of *line, int64_t most)
{
    bool one = line->panel ? in->heading && strcmp(in->heading, line->panel) == 0 : !in->heading;
    int64_t larger = most > in->high ? most : in->high, smaller = most > in->high ? in->high : most;
    return one && in->unit == line->unit && (line->panel || larger / SPLIT < smaller || !larger);
}

static void find_panels(mp_canvas *to)
{
    to->panels = mp_alloc_zero(to->of->line_count + 1, sizeof *to->panels);
    to->panel_of = mp_alloc_zero(to->of->line_count + 1, sizeof *to->panel_of);
    for (size_t i = 0; i < to->of->line_count; i++) {
        const struct mp_line_of *line = &to->of->lines[i];
        int64_t low = 0, high = 0;
        for (size_t k = 0; k < to->of->moments; k++)
            if (line->values[k] != MP_UNKNOWN) {
                low = line->values[k] < low ? line->values[k] : low;
                high = line->values[k] > high ? line->values[k] : high;
            }
        size_t place = 0;
        while (place < to->panel_count && !is_alike(&to->panels[place], line, high))
            place++;
        mp_panel *in = &to->panels[place];
        to->panel_of[i] = place;
        if (place == to->panel_count) {
            to->panel_count++;
            in->heading = line->panel;
            in->unit = line->unit;
        }
        in->low = low < in->low ? low : in->low;
        in->high = high > in->high ? high : in->high;
        in->lines++;
    }
}

/* More moments stand in a column than are drawn of it. */
static bool is_thinned(const mp_canvas *to)
{
    enum { DRAWN = 4 };
    for (size_t i = 0; i < to->column_count; i++)
        if (to->columns[i + 1] - to->columns[i] > DRAWN)
            return true;
    return false;
}

/* Return a note on moments that are not drawn, and the figure's own; "": none. */
static const char *note_of(mp_canvas *to)
{
    const char *thinned = "", *own = to->figure->note ? to->figure->note : "";
    char all[MP_UNIT_TEXT];
    mp_format_count(all, (int64_t)to->of->moments, false);
    if (is_thinned(to))
        thinned = mp_arena_format(to->arena,
                                  "%s moments in %zu column%s: each shows its first, last, least "
                                  "and most",
                                  all, to->column_count, to->column_count == 1 ? "" : "s");
    return mp_svg_notes(to->svg, thinned, own);
}

static void place_all(mp_canvas *to)
{
    const int64_t *at = to->of->at;
    size_t count = to->of->moments;
    int64_t y = MP_SVG_HEAD + 18;
    to->moments = mp_axis_of(count ? at[0] : 0, count ? at[count - 1] : 0, to->of->moment_unit, 8);
    find_columns(to);
    find_panels(to);
    for (size_t i = 0; i < to->panel_count; i++) {
        mp_panel *in = &to->panels[i];
        y += in->heading ? 22 : 0;
        in->top = y;
        in->height = to->panel_count == 1 ? 260 : in->heading ? 210 : i ? 110 : 180;
        in->axis = mp_axis_of(in->low, in->high, in->unit, in->height / 36);
        y += in->height + GAP;
    }
    to->bottom = y - GAP;
    to->height = to->bottom + 32 + mp_canvas_lanes(to) + (*note_of(to) ? 36 : 14);
}

/* --- all of it --- */

static void draw_moments(const mp_canvas *to)
{
    char text[MP_UNIT_TEXT];
    const mp_axis *axis = &to->moments;
    for (int64_t mark = mp_axis_first(axis); to->of->moments && mark <= axis->high;
         mark += axis->step) {
        if (mark > to->of->at[to->of->moments - 1])
            break;
        int64_t x = mp_canvas_x(to, mark);
        mp_draw_rule(to->svg->file, x, to->panels[0].top * 10, x, (to->bottom + 4) * 10, MP_GRID);
        mp_axis_text(axis, mark, text);
        mp_draw_label(to->svg->file, "middle", x, (to->bottom + 18) * 10, text);
    }
    mp_draw_label(to->svg->file, "end", (MP_SVG_WIDTH - MP_SVG_MARGIN) * 10, (to->bottom + 18) * 10,
                  to->of->moment_unit == MP_TIME ? "time" : to->of->moment_of);
}

static const char *moment_text(mp_canvas *to, size_t place)
{
    const char *name = to->of->names[place] ? to->of->names[place] : "";
    return mp_arena_format(to->arena, "%s at %s", mp_svg_short(to->arena, name, LONG_NAME),
                           mp_canvas_moment(to, to->of->at[place]));
}

/* "7 (_PreCleanUp) at 0:06:12.416", then a line for each amount; of several moments, from which to
 * which. */
static void draw_column_title(mp_canvas *to, size_t from, size_t end)
{
    const mp_line_figure *of = to->of;
    mp_arena *arena = to->arena;
    const char *title = moment_text(to, from);
    if (end - from > 1)
        title = mp_arena_format(arena, "%zu from %s to %s", end - from, title,
                                moment_text(to, end - 1));
    for (size_t i = 0; i < of->line_count; i++) {
        int64_t least = INT64_MAX, most = MP_UNKNOWN;
        for (size_t k = from; k < end; k++)
            if (of->lines[i].values[k] != MP_UNKNOWN) {
                least = of->lines[i].values[k] < least ? of->lines[i].values[k] : least;
                most = of->lines[i].values[k] > most ? of->lines[i].values[k] : most;
            }
        if (most == MP_UNKNOWN)
            continue;
        title = mp_arena_format(arena, "%s\n%s: %s", title,
                                mp_svg_short(arena, of->lines[i].title, LONG_NAME),
                                mp_canvas_amount(to, &of->lines[i], least, true));
        if (most > least)
            title = mp_arena_format(arena, "%s to %s", title,
                                    mp_canvas_amount(to, &of->lines[i], most, true));
    }
    mp_svg_tip(to->svg, title);
}

/* Strips over all panels, of many columns some in one, each from halfway to the one before to
 * halfway to the next, that nobody sees and that say what stands there. */
static void draw_strips(mp_canvas *to)
{
    const mp_line_figure *of = to->of;
    int64_t from = MP_LINES_LEFT * 10, top = to->panels[0].top * 10;
    fputs("<g fill=\"#000\" fill-opacity=\"0\">\n", to->svg->file);
    const size_t count = to->column_count, width = count / MOST_STRIPS + 1;
    for (size_t i = 0, next; i < count; i = next) {
        next = i + width < count ? i + width : count;
        int64_t x = mp_canvas_x(to, of->at[to->columns[next] - 1]);
        int64_t until = next < count ? (x + mp_canvas_x(to, of->at[to->columns[next]])) / 2
                                     : MP_LINES_RIGHT * 10;
        fputs("<rect class=\"moment\"", to->svg->file);
        mp_draw_box(to->svg->file, from, top, until - from, to->bottom * 10 - top);
        fputc('>', to->svg->file);
        draw_column_title(to, to->columns[i], to->columns[next]);
        fputs("</rect>\n", to->svg->file);
        from = until;
    }
    fputs("</g>\n", to->svg->file);
}

/* "alive 108.5 KiB to 92.3 KiB, at most 249.2 KiB" */
static const char *line_words(mp_canvas *to, const struct mp_line_of *line)
{
    size_t all = to->of->moments, first = all, last = 0, least = 0, most = 0;
    for (size_t i = 0; i < all; i++) {
        if (line->values[i] == MP_UNKNOWN)
            continue;
        least = first == all || line->values[i] < line->values[least] ? i : least;
        most = first == all || line->values[i] > line->values[most] ? i : most;
        first = first == all ? i : first;
        last = i;
    }
    if (first == all)
        return "";
    const char *words =
        mp_arena_format(to->arena, "%s %s", mp_svg_short(to->arena, line->title, LONG_NAME),
                        mp_canvas_amount(to, line, line->values[first], false));
    if (line->values[last] != line->values[first])
        words = mp_arena_format(to->arena, "%s to %s", words,
                                mp_canvas_amount(to, line, line->values[last], false));
    if (line->values[least] < line->values[first] && line->values[least] < line->values[last])
        words = mp_arena_format(to->arena, "%s, at least %s", words,
                                mp_canvas_amount(to, line, line->values[least], false));
    if (line->values[most] > line->values[first] && line->values[most] > line->values[last])
        words = mp_arena_format(to->arena, "%s, at most %s", words,
                                mp_canvas_amount(to, line, line->values[most], false));
    return words;
}

static const char *summary_of(mp_canvas *to)
{
    mp_text_buffer text = {0};
    for (size_t i = 0; i < to->of->line_count; i++) {
        const char *words = line_words(to, &to->of->lines[i]);
        if (text.length && *words)
            mp_text_put(&text, "; ", 2);
        mp_text_put(&text, words, strlen(words));
    }
    const char *kept = text.at ? mp_arena_copy(to->arena, text.at, text.length) : "no amounts";
    free(text.at);
    return kept;
}

void mp_svg_lines(mp_svg *svg, const mp_figure *figure)
{
    mp_canvas to = {.svg = svg, .arena = &svg->arena, .figure = figure, .of = &figure->lines};
    place_all(&to);
    const char *note = note_of(&to);
    mp_svg_begin(svg, figure, (double)to.height, summary_of(&to));
    if (to.panel_count)
        draw_moments(&to);
    for (size_t i = 0; i < to.panel_count; i++)
        mp_canvas_draw_panel(&to, i);
    if (to.panel_count)
        mp_canvas_draw_lanes(&to, to.bottom + 30);
    mp_svg_note(svg, (double)to.height - 12, note);
    if (to.panel_count)
        draw_strips(&to);
    mp_svg_end(svg, NULL);
    free(to.columns);
    free(to.panels);
    free(to.panel_of);
}
