/* Pictures of amounts over time. Lines of similar size share an axis and a panel; much smaller
 * lines have a separate panel. Marks are below the panels. If several moments fall into one column
 * of pixels, only the first, the last, the minimum and the maximum are drawn; the picture looks as
 * if all were drawn. A tooltip of each column has the values. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "render/svg_canvas.h"

enum { GAP = 30 }; /* pixels between panels */
enum { MOST_STRIPS = 300 };
enum { LONG_NAME = 32 }; /* maximum characters of a name in a tooltip */
enum { SPLIT = 8 };      /* ratio of amounts from which lines are drawn in separate panels */

const char *mp_canvas_moment(mp_canvas *canvas, int64_t position)
{
    char text[MP_UNIT_TEXT];
    if (canvas->figure_lines->moment_unit != MP_TIME)
        return mp_arena_format(canvas->arena, "%" PRId64, position);
    mp_format_time(text, position);
    return mp_arena_format(canvas->arena, "%s", text);
}

/* Return "249.2 KiB (255,180 bytes)". `exact` adds the part in brackets. */
const char *mp_canvas_amount(mp_canvas *canvas, const struct mp_line_of *line, int64_t amount,
                             bool exact)
{
    char text[MP_UNIT_TEXT], whole[MP_UNIT_TEXT];
    bool change = line->panel != NULL;
    mp_format_count(whole, amount, change);
    if (line->unit != MP_BYTES || canvas->svg->exact)
        return mp_arena_format(canvas->arena, "%s%s", whole, line->unit == MP_BYTES ? " B" : "");
    mp_format_bytes(text, amount, false, change);
    bool is_exact = amount > -1024 && amount < 1024;
    return exact && !is_exact ? mp_arena_format(canvas->arena, "%s (%s bytes)", text, whole)
                              : mp_arena_format(canvas->arena, "%s", text);
}

/* --- positions --- */

/* Return the position in tenths of a pixel. */
int64_t mp_canvas_x(const mp_canvas *canvas, int64_t position)
{
    if (canvas->figure_lines->moments &&
        canvas->figure_lines->times[0] ==
            canvas->figure_lines->times[canvas->figure_lines->moments - 1])
        return (MP_LINES_LEFT + MP_LINES_PLOT / 2) * 10;
    return MP_LINES_LEFT * 10 + mp_axis_place(&canvas->moments, position, MP_LINES_PLOT * 10);
}

int64_t mp_canvas_y(const mp_panel *in, int64_t amount)
{
    return (in->top + in->height) * 10 - mp_axis_place(&in->axis, amount, in->height * 10);
}

static void find_columns(mp_canvas *canvas)
{
    /* Maximum number of moments for which columns are one pixel wide; for more moments, they are
     * two pixels wide. */
    enum { FEW = 400 };
    int64_t last = -1, wide = canvas->figure_lines->moments > FEW ? 20 : 10;
    canvas->columns = mp_alloc((MP_LINES_PLOT + 2) * sizeof *canvas->columns);
    for (size_t i = 0; i < canvas->figure_lines->moments; i++)
        if (mp_canvas_x(canvas, canvas->figure_lines->times[i]) / wide != last) {
            last = mp_canvas_x(canvas, canvas->figure_lines->times[i]) / wide;
            canvas->columns[canvas->column_count++] = i;
        }
    canvas->columns[canvas->column_count] = canvas->figure_lines->moments;
}

static bool is_alike(const mp_panel *in, const struct mp_line_of *line, int64_t most)
{
    bool one = line->panel ? in->heading && strcmp(in->heading, line->panel) == 0 : !in->heading;
    int64_t larger = most > in->high ? most : in->high, smaller = most > in->high ? in->high : most;
    return one && in->unit == line->unit && (line->panel || larger / SPLIT < smaller || !larger);
}

static void find_panels(mp_canvas *canvas)
{
    canvas->panels = mp_alloc_zero(canvas->figure_lines->line_count + 1, sizeof *canvas->panels);
    canvas->panel_of =
        mp_alloc_zero(canvas->figure_lines->line_count + 1, sizeof *canvas->panel_of);
    for (size_t i = 0; i < canvas->figure_lines->line_count; i++) {
        const struct mp_line_of *line = &canvas->figure_lines->lines[i];
        int64_t low = 0, high = 0;
        for (size_t k = 0; k < canvas->figure_lines->moments; k++)
            if (line->values[k] != MP_UNKNOWN) {
                low = line->values[k] < low ? line->values[k] : low;
                high = line->values[k] > high ? line->values[k] : high;
            }
        size_t place = 0;
        while (place < canvas->panel_count && !is_alike(&canvas->panels[place], line, high))
            place++;
        mp_panel *in = &canvas->panels[place];
        canvas->panel_of[i] = place;
        if (place == canvas->panel_count) {
            canvas->panel_count++;
            in->heading = line->panel;
            in->unit = line->unit;
        }
        in->low = low < in->low ? low : in->low;
        in->high = high > in->high ? high : in->high;
        in->lines++;
    }
}

/* Return true if any column has more moments than are drawn. */
static bool is_thinned(const mp_canvas *canvas)
{
    enum { DRAWN = 4 };
    for (size_t i = 0; i < canvas->column_count; i++)
        if (canvas->columns[i + 1] - canvas->columns[i] > DRAWN)
            return true;
    return false;
}

/* Return a note on moments that are not drawn, followed by the figure's own note; "" if there are
 * none. */
static const char *note_of(mp_canvas *canvas)
{
    const char *thinned = "", *text = canvas->figure->note ? canvas->figure->note : "";
    char whole[MP_UNIT_TEXT];
    mp_format_count(whole, (int64_t)canvas->figure_lines->moments, false);
    if (is_thinned(canvas))
        thinned =
            mp_arena_format(canvas->arena,
                            "%s moments in %zu column%s: each shows its first, last, least "
                            "and most",
                            whole, canvas->column_count, canvas->column_count == 1 ? "" : "s");
    return mp_svg_notes(canvas->svg, thinned, text);
}

static void place_all(mp_canvas *canvas)
{
    const int64_t *place = canvas->figure_lines->times;
    size_t count = canvas->figure_lines->moments;
    int64_t y = MP_SVG_HEAD + 18;
    canvas->moments = mp_axis_of(count ? place[0] : 0, count ? place[count - 1] : 0,
                                 canvas->figure_lines->moment_unit, 8);
    find_columns(canvas);
    find_panels(canvas);
    for (size_t i = 0; i < canvas->panel_count; i++) {
        mp_panel *in = &canvas->panels[i];
        y += in->heading ? 22 : 0;
        in->top = y;
        in->height = canvas->panel_count == 1 ? 260 : in->heading ? 210 : i ? 110 : 180;
        in->axis = mp_axis_of(in->low, in->high, in->unit, in->height / 36);
        y += in->height + GAP;
    }
    canvas->bottom = y - GAP;
    canvas->height = canvas->bottom + 32 + mp_canvas_lanes(canvas) + (*note_of(canvas) ? 36 : 14);
}

/* --- the whole picture --- */

static void draw_moments(const mp_canvas *canvas)
{
    char text[MP_UNIT_TEXT];
    const mp_axis *axis = &canvas->moments;
    for (int64_t mark = mp_axis_first(axis); canvas->figure_lines->moments && mark <= axis->high;
         mark += axis->step) {
        if (mark > canvas->figure_lines->times[canvas->figure_lines->moments - 1])
            break;
        int64_t x = mp_canvas_x(canvas, mark);
        mp_draw_rule(canvas->svg->file, x, canvas->panels[0].top * 10, x, (canvas->bottom + 4) * 10,
                     MP_GRID);
        mp_axis_text(axis, mark, text);
        mp_draw_label(canvas->svg->file, "middle", x, (canvas->bottom + 18) * 10, text);
    }
    mp_draw_label(
        canvas->svg->file, "end", (MP_SVG_WIDTH - MP_SVG_MARGIN) * 10, (canvas->bottom + 18) * 10,
        canvas->figure_lines->moment_unit == MP_TIME ? "time" : canvas->figure_lines->moment_of);
}

static const char *moment_text(mp_canvas *canvas, size_t place)
{
    const char *name = canvas->figure_lines->names[place] ? canvas->figure_lines->names[place] : "";
    return mp_arena_format(canvas->arena, "%s at %s", mp_svg_short(canvas->arena, name, LONG_NAME),
                           mp_canvas_moment(canvas, canvas->figure_lines->times[place]));
}

/* Write the tooltip of a column: "7 (_PreCleanUp) at 0:06:12.416", then a line for each amount. If
 * the column has several moments, each line has a range. */
static void draw_column_title(mp_canvas *canvas, size_t from, size_t end)
{
    const mp_line_figure *figure = canvas->figure_lines;
    mp_arena *arena = canvas->arena;
    const char *title = moment_text(canvas, from);
    if (end - from > 1)
        title = mp_arena_format(arena, "%zu from %s to %s", end - from, title,
                                moment_text(canvas, end - 1));
    for (size_t i = 0; i < figure->line_count; i++) {
        int64_t least = INT64_MAX, most = MP_UNKNOWN;
        for (size_t k = from; k < end; k++)
            if (figure->lines[i].values[k] != MP_UNKNOWN) {
                least = figure->lines[i].values[k] < least ? figure->lines[i].values[k] : least;
                most = figure->lines[i].values[k] > most ? figure->lines[i].values[k] : most;
            }
        if (most == MP_UNKNOWN)
            continue;
        title = mp_arena_format(arena, "%s\n%s: %s", title,
                                mp_svg_short(arena, figure->lines[i].title, LONG_NAME),
                                mp_canvas_amount(canvas, &figure->lines[i], least, true));
        if (most > least)
            title = mp_arena_format(arena, "%s to %s", title,
                                    mp_canvas_amount(canvas, &figure->lines[i], most, true));
    }
    mp_svg_tip(canvas->svg, title);
}

/* Draw invisible strips with tooltips over all panels. A strip extends halfway to its neighbours.
 * If there are many columns, each strip covers several of them. */
static void draw_strips(mp_canvas *canvas)
{
    const mp_line_figure *figure = canvas->figure_lines;
    int64_t from = MP_LINES_LEFT * 10, top = canvas->panels[0].top * 10;
    fputs("<g fill=\"#000\" fill-opacity=\"0\">\n", canvas->svg->file);
    const size_t count = canvas->column_count, width = count / MOST_STRIPS + 1;
    for (size_t i = 0, next; i < count; i = next) {
        next = i + width < count ? i + width : count;
        int64_t x = mp_canvas_x(canvas, figure->times[canvas->columns[next] - 1]);
        int64_t until = next < count
                            ? (x + mp_canvas_x(canvas, figure->times[canvas->columns[next]])) / 2
                            : MP_LINES_RIGHT * 10;
        fputs("<rect class=\"moment\"", canvas->svg->file);
        mp_draw_box(canvas->svg->file, from, top, until - from, canvas->bottom * 10 - top);
        fputc('>', canvas->svg->file);
        draw_column_title(canvas, canvas->columns[i], canvas->columns[next]);
        fputs("</rect>\n", canvas->svg->file);
        from = until;
    }
    fputs("</g>\n", canvas->svg->file);
}

/* Return "alive 108.5 KiB to 92.3 KiB, at most 249.2 KiB". */
static const char *line_words(mp_canvas *canvas, const struct mp_line_of *line)
{
    size_t total = canvas->figure_lines->moments, first = total, last = 0, least = 0, most = 0;
    for (size_t i = 0; i < total; i++) {
        if (line->values[i] == MP_UNKNOWN)
            continue;
        least = first == total || line->values[i] < line->values[least] ? i : least;
        most = first == total || line->values[i] > line->values[most] ? i : most;
        first = first == total ? i : first;
        last = i;
    }
    if (first == total)
        return "";
    const char *words =
        mp_arena_format(canvas->arena, "%s %s", mp_svg_short(canvas->arena, line->title, LONG_NAME),
                        mp_canvas_amount(canvas, line, line->values[first], false));
    if (line->values[last] != line->values[first])
        words = mp_arena_format(canvas->arena, "%s to %s", words,
                                mp_canvas_amount(canvas, line, line->values[last], false));
    if (line->values[least] < line->values[first] && line->values[least] < line->values[last])
        words = mp_arena_format(canvas->arena, "%s, at least %s", words,
                                mp_canvas_amount(canvas, line, line->values[least], false));
    if (line->values[most] > line->values[first] && line->values[most] > line->values[last])
        words = mp_arena_format(canvas->arena, "%s, at most %s", words,
                                mp_canvas_amount(canvas, line, line->values[most], false));
    return words;
}

static const char *summary_of(mp_canvas *canvas)
{
    mp_text_buffer text = {0};
    for (size_t i = 0; i < canvas->figure_lines->line_count; i++) {
        const char *words = line_words(canvas, &canvas->figure_lines->lines[i]);
        if (text.length && *words)
            mp_text_put(&text, "; ", 2);
        mp_text_put(&text, words, strlen(words));
    }
    const char *kept =
        text.text ? mp_arena_copy(canvas->arena, text.text, text.length) : "no amounts";
    free(text.text);
    return kept;
}

void mp_svg_lines(mp_svg *svg, const mp_figure *figure)
{
    mp_canvas canvas = {
        .svg = svg, .arena = &svg->arena, .figure = figure, .figure_lines = &figure->lines};
    place_all(&canvas);
    const char *note = note_of(&canvas);
    mp_svg_begin(svg, figure, (double)canvas.height, summary_of(&canvas));
    if (canvas.panel_count)
        draw_moments(&canvas);
    for (size_t i = 0; i < canvas.panel_count; i++)
        mp_canvas_draw_panel(&canvas, i);
    if (canvas.panel_count)
        mp_canvas_draw_lanes(&canvas, canvas.bottom + 30);
    mp_svg_note(svg, (double)canvas.height - 12, note);
    if (canvas.panel_count)
        draw_strips(&canvas);
    mp_svg_end(svg, NULL);
    MP_FREE(canvas.columns, canvas.panels, canvas.panel_of);
}
