/* Panels: lines of amounts that share an axis. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "render/svg_canvas.h"

enum { LINE = 16 }; /* pixels from one label to the next */

/* --- lines --- */

/* Style of a line. Lines also differ by dashes and width, for people who cannot distinguish the
 * colours. */
typedef struct look {
    const char *colour, *dashes, *width;
} look;

static look look_of(const mp_canvas *canvas, size_t line)
{
    static const look looks[] = {
        {"#0067a3", NULL, "2"},       {"#b84a00", "8 3", "2"}, {"#00735a", "2 2", "2"},
        {"#91306f", "10 3 2 3", "2"}, {"#806000", "5 2", "2"}, {"#3d4f63", "1 3", "2.5"},
    };
    static const look others = {"#6b6b6b", "4 4", "1.5"};
    size_t place = 0;
    if (strcmp(canvas->figure_lines->lines[line].name, "others") == 0)
        return others;
    if (!canvas->figure_lines->lines[line].panel)
        return looks[strcmp(canvas->figure_lines->lines[line].name, "live_bytes") == 0       ? 0
                     : strcmp(canvas->figure_lines->lines[line].name, "platform_bytes") == 0 ? 1
                                                                                             : 5];
    for (size_t i = 0; i < line; i++)
        place += canvas->panel_of[i] == canvas->panel_of[line];
    return looks[place % (sizeof looks / sizeof *looks)];
}

typedef struct pen {
    const mp_canvas *canvas;
    bool down;
} pen;

static void draw_to(pen *with, const mp_panel *in, int64_t position, int64_t amount)
{
    fprintf(with->canvas->svg->file, with->down ? "L" : "M");
    mp_draw_point(with->canvas->svg->file, mp_canvas_x(with->canvas, position),
                  mp_canvas_y(in, amount));
    with->down = true;
}

/* Draw the first, the minimum, the maximum and the last value of a column, in the order of time. */
static void draw_column(pen *with, const mp_panel *in, const int64_t *values, size_t from,
                        size_t end)
{
    const int64_t *place = with->canvas->figure_lines->times;
    size_t least = end, most = end, first = end, last = end;
    for (size_t i = from; i < end; i++) {
        if (values[i] == MP_UNKNOWN) /* the line continues at the next known value */
            continue;
        first = first == end ? i : first;
        last = i;
        least = least == end || values[i] < values[least] ? i : least;
        most = most == end || values[i] > values[most] ? i : most;
    }
    if (first == end)
        return;
    size_t near = least < most ? least : most, far = least < most ? most : least;
    draw_to(with, in, place[first], values[first]);
    if (near > first)
        draw_to(with, in, place[near], values[near]);
    if (far > near)
        draw_to(with, in, place[far], values[far]);
    if (last > far)
        draw_to(with, in, place[last], values[last]);
}

static void draw_path(mp_canvas *canvas, const mp_panel *in, const int64_t *values)
{
    pen with = {canvas, false};
    for (size_t i = 0; i < canvas->column_count; i++)
        draw_column(&with, in, values, canvas->columns[i], canvas->columns[i + 1]);
}

/* Fill the area below the line, from its first known value to its last. */
static void draw_area(mp_canvas *canvas, const mp_panel *in, const int64_t *values,
                      const char *colour)
{
    size_t first = 0, last = canvas->figure_lines->moments;
    while (first < last && values[first] == MP_UNKNOWN)
        first++;
    while (last > first && values[last - 1] == MP_UNKNOWN)
        last--;
    if (first == last)
        return;
    fprintf(canvas->svg->file, "<path fill=\"%s\" fill-opacity=\"0.09\" d=\"", colour);
    draw_path(canvas, in, values);
    fputc('L', canvas->svg->file);
    mp_draw_point(canvas->svg->file, mp_canvas_x(canvas, canvas->figure_lines->times[last - 1]),
                  mp_canvas_y(in, 0));
    fputc('L', canvas->svg->file);
    mp_draw_point(canvas->svg->file, mp_canvas_x(canvas, canvas->figure_lines->times[first]),
                  mp_canvas_y(in, 0));
    fputs("Z\"/>\n", canvas->svg->file);
}

static void draw_line(mp_canvas *canvas, size_t place)
{
    const struct mp_line_of *line = &canvas->figure_lines->lines[place];
    const mp_panel *in = &canvas->panels[canvas->panel_of[place]];
    look as = look_of(canvas, place);
    enum { FEW = 60 };
    if (place == 0)
        draw_area(canvas, in, line->values, as.colour);
    fprintf(canvas->svg->file,
            "<path class=\"line\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"", as.colour,
            as.width);
    if (as.dashes)
        fprintf(canvas->svg->file, " stroke-dasharray=\"%s\"", as.dashes);
    fprintf(canvas->svg->file, " stroke-linejoin=\"round\" d=\"");
    draw_path(canvas, in, line->values);
    fprintf(canvas->svg->file, "\"/>\n");
    for (size_t i = 0; i < canvas->figure_lines->moments && canvas->figure_lines->moments <= FEW;
         i++)
        if (line->values[i] != MP_UNKNOWN)
            mp_draw_dot(canvas->svg->file, mp_canvas_x(canvas, canvas->figure_lines->times[i]),
                        mp_canvas_y(in, line->values[i]), 25, as.colour);
}

/* --- names of lines --- */

typedef struct label {
    size_t line;
    int64_t y, value; /* y: height of the line's end; value: height of the label */
} label;

static int by_height(const void *left, const void *right)
{
    const label *a = left, *b = right;
    int order = MP_COMPARE(a->y, b->y);
    return order ? order : MP_COMPARE(a->line, b->line);
}

/* Move labels down if they overlap, and up again from the bottom. */
static void spread(label *labels, size_t count, int64_t top, int64_t bottom)
{
    for (size_t i = 0; i < count; i++) {
        int64_t least = i ? labels[i - 1].value + LINE * 10 : top;
        labels[i].value = labels[i].y < least ? least : labels[i].y;
    }
    for (size_t i = count; i--;) {
        int64_t most = i + 1 < count ? labels[i + 1].value - LINE * 10 : bottom;
        labels[i].value = labels[i].value > most ? most : labels[i].value;
    }
}

static void draw_label(mp_canvas *canvas, const label *state)
{
    const struct mp_line_of *line = &canvas->figure_lines->lines[state->line];
    look as = look_of(canvas, state->line);
    int64_t last = MP_UNKNOWN;
    for (size_t i = canvas->figure_lines->moments; i-- && last == MP_UNKNOWN;)
        last = line->values[i];
    const char *amount = mp_canvas_amount(canvas, line, last, false);
    int64_t room = (MP_SVG_WIDTH - MP_LINES_RIGHT - 18 - 8 - MP_SVG_MARGIN) * 10 -
                   mp_letters_width(amount, MP_LETTERS);
    const char *name = mp_fit_name(canvas->arena, line->title, MP_LETTERS, room);
    fprintf(canvas->svg->file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1\" d=\"M",
            as.colour);
    mp_draw_point(canvas->svg->file, MP_LINES_RIGHT * 10 + 30, state->y);
    fprintf(canvas->svg->file, "L");
    mp_draw_point(canvas->svg->file, MP_LINES_RIGHT * 10 + 140, state->value);
    fprintf(canvas->svg->file, "\"/>\n");
    mp_draw_text(
        canvas->svg->file,
        &(mp_letters){.size = MP_LETTERS, .colour = as.colour, .bold = true, .tail = amount},
        (MP_LINES_RIGHT + 18) * 10, state->value + 40, name);
}

static void draw_labels(mp_canvas *canvas, size_t place)
{
    const mp_panel *in = &canvas->panels[place];
    label *labels = mp_alloc((in->lines + 1) * sizeof *labels);
    size_t count = 0;
    for (size_t i = 0; i < canvas->figure_lines->line_count; i++) {
        int64_t last = MP_UNKNOWN;
        for (size_t k = canvas->figure_lines->moments; k-- && last == MP_UNKNOWN;)
            last = canvas->figure_lines->lines[i].values[k];
        if (canvas->panel_of[i] == place && last != MP_UNKNOWN)
            labels[count++] = (label){i, mp_canvas_y(in, last), 0};
    }
    qsort(labels, count, sizeof *labels, by_height);
    spread(labels, count, in->top * 10, (in->top + in->height) * 10);
    for (size_t i = 0; i < count; i++)
        draw_label(canvas, &labels[i]);
    free(labels);
}

/* --- panels --- */

static void draw_amounts(const mp_canvas *canvas, const mp_panel *in)
{
    char text[MP_UNIT_TEXT];
    for (int64_t mark = mp_axis_first(&in->axis); mark <= in->axis.high; mark += in->axis.step) {
        int64_t y = mp_canvas_y(in, mark);
        mp_draw_rule(canvas->svg->file, MP_LINES_LEFT * 10, y, MP_LINES_RIGHT * 10, y,
                     mark ? MP_GRID : MP_RULE);
        mp_axis_text(&in->axis, mark, text);
        mp_draw_label(canvas->svg->file, "end", (MP_LINES_LEFT - 8) * 10, y + 40, text);
    }
}

static void draw_peak(mp_canvas *canvas, const struct mp_mark *mark)
{
    const mp_panel *in = &canvas->panels[0];
    int64_t x = mp_canvas_x(canvas, mark->start), y = mp_canvas_y(in, mark->amount);
    int64_t half = mp_letters_width(mark->label, MP_LETTERS) / 2;
    int64_t middle = x - half < MP_LINES_LEFT * 10 ? MP_LINES_LEFT * 10 + half : x;
    middle = middle + half > MP_LINES_RIGHT * 10 ? MP_LINES_RIGHT * 10 - half : middle;
    mp_draw_ring(canvas->svg->file, x, y, 50, MP_INK);
    mp_draw_text(
        canvas->svg->file,
        &(mp_letters){.size = MP_LETTERS, .colour = MP_INK, .anchor = "middle", .halo = true},
        middle, y - 90, mark->label);
}

void mp_canvas_draw_panel(mp_canvas *canvas, size_t place)
{
    const mp_panel *in = &canvas->panels[place];
    if (in->heading)
        mp_draw_text(canvas->svg->file,
                     &(mp_letters){.size = MP_LETTERS, .colour = MP_INK, .bold = true},
                     MP_LINES_LEFT * 10, (in->top - 10) * 10,
                     mp_fit_name(canvas->arena, in->heading, MP_LETTERS, MP_LINES_PLOT * 10));
    draw_amounts(canvas, in);
    for (size_t i = canvas->figure_lines->line_count; i--;)
        if (canvas->panel_of[i] == place)
            draw_line(canvas, i);
    draw_labels(canvas, place);
    for (size_t i = 0; i < canvas->figure_lines->mark_count && place == 0; i++)
        if (canvas->figure_lines->marks[i].amount != MP_UNKNOWN)
            draw_peak(canvas, &canvas->figure_lines->marks[i]);
}
