/* Panels: lines of amounts that share an axis. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "render/svg_canvas.h"

enum { LINE = 16 }; /* pixels from one label to the next */

/* --- lines --- */

/* By its look too, where colours are not told apart. */
typedef struct look {
    const char *colour, *dashes, *width;
} look;

static look look_of(const mp_canvas *to, size_t line)
{
    static const look looks[] = {
        {"#0067a3", NULL, "2"},       {"#b84a00", "8 3", "2"}, {"#00735a", "2 2", "2"},
        {"#91306f", "10 3 2 3", "2"}, {"#806000", "5 2", "2"}, {"#3d4f63", "1 3", "2.5"},
    };
    static const look others = {"#6b6b6b", "4 4", "1.5"};
    size_t place = 0;
    if (strcmp(to->of->lines[line].name, "others") == 0)
        return others;
    if (!to->of->lines[line].panel)
        return looks[strcmp(to->of->lines[line].name, "live_bytes") == 0       ? 0
                     : strcmp(to->of->lines[line].name, "platform_bytes") == 0 ? 1
                                                                               : 5];
    for (size_t i = 0; i < line; i++)
        place += to->panel_of[i] == to->panel_of[line];
    return looks[place % (sizeof looks / sizeof *looks)];
}

typedef struct pen {
    const mp_canvas *to;
    bool down;
} pen;

static void draw_to(pen *with, const mp_panel *in, int64_t at, int64_t amount)
{
    fprintf(with->to->svg->file, with->down ? "L" : "M");
    mp_draw_point(with->to->svg->file, mp_canvas_x(with->to, at), mp_canvas_y(in, amount));
    with->down = true;
}

/* The first, the least, the most and the last of a column, in the order of time. */
static void draw_column(pen *with, const mp_panel *in, const int64_t *values, size_t from,
                        size_t end)
{
    const int64_t *at = with->to->of->at;
    size_t least = end, most = end, first = end, last = end;
    for (size_t i = from; i < end; i++) {
        if (values[i] == MP_UNKNOWN) /* the line goes on to the next that is known */
            continue;
        first = first == end ? i : first;
        last = i;
        least = least == end || values[i] < values[least] ? i : least;
        most = most == end || values[i] > values[most] ? i : most;
    }
    if (first == end)
        return;
    size_t near = least < most ? least : most, far = least < most ? most : least;
    draw_to(with, in, at[first], values[first]);
    if (near > first)
        draw_to(with, in, at[near], values[near]);
    if (far > near)
        draw_to(with, in, at[far], values[far]);
    if (last > far)
        draw_to(with, in, at[last], values[last]);
}

static void draw_path(mp_canvas *to, const mp_panel *in, const int64_t *values)
{
    pen with = {to, false};
    for (size_t i = 0; i < to->column_count; i++)
        draw_column(&with, in, values, to->columns[i], to->columns[i + 1]);
}

/* From what is known first to what is known last, down to 0. */
static void draw_area(mp_canvas *to, const mp_panel *in, const int64_t *values, const char *colour)
{
    size_t first = 0, last = to->of->moments;
    while (first < last && values[first] == MP_UNKNOWN)
        first++;
    while (last > first && values[last - 1] == MP_UNKNOWN)
        last--;
    if (first == last)
        return;
    fprintf(to->svg->file, "<path fill=\"%s\" fill-opacity=\"0.09\" d=\"", colour);
    draw_path(to, in, values);
    fputc('L', to->svg->file);
    mp_draw_point(to->svg->file, mp_canvas_x(to, to->of->at[last - 1]), mp_canvas_y(in, 0));
    fputc('L', to->svg->file);
    mp_draw_point(to->svg->file, mp_canvas_x(to, to->of->at[first]), mp_canvas_y(in, 0));
    fputs("Z\"/>\n", to->svg->file);
}

static void draw_line(mp_canvas *to, size_t place)
{
    const struct mp_line_of *line = &to->of->lines[place];
    const mp_panel *in = &to->panels[to->panel_of[place]];
    look as = look_of(to, place);
    enum { FEW = 60 };
    if (place == 0)
        draw_area(to, in, line->values, as.colour);
    fprintf(to->svg->file, "<path class=\"line\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"",
            as.colour, as.width);
    if (as.dashes)
        fprintf(to->svg->file, " stroke-dasharray=\"%s\"", as.dashes);
    fprintf(to->svg->file, " stroke-linejoin=\"round\" d=\"");
    draw_path(to, in, line->values);
    fprintf(to->svg->file, "\"/>\n");
    for (size_t i = 0; i < to->of->moments && to->of->moments <= FEW; i++)
        if (line->values[i] != MP_UNKNOWN)
            mp_draw_dot(to->svg->file, mp_canvas_x(to, to->of->at[i]),
                        mp_canvas_y(in, line->values[i]), 25, as.colour);
}

/* --- names of lines --- */

typedef struct label {
    size_t line;
    int64_t y, at; /* height of the line's end; of the label */
} label;

static int by_height(const void *left, const void *right)
{
    const label *a = left, *b = right;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Down where they would overlap, and up again at the bottom. */
static void spread(label *labels, size_t count, int64_t top, int64_t bottom)
{
    for (size_t i = 0; i < count; i++) {
        int64_t least = i ? labels[i - 1].at + LINE * 10 : top;
        labels[i].at = labels[i].y < least ? least : labels[i].y;
    }
    for (size_t i = count; i--;) {
        int64_t most = i + 1 < count ? labels[i + 1].at - LINE * 10 : bottom;
        labels[i].at = labels[i].at > most ? most : labels[i].at;
    }
}

static void draw_label(mp_canvas *to, const label *of)
{
    const struct mp_line_of *line = &to->of->lines[of->line];
    look as = look_of(to, of->line);
    int64_t last = MP_UNKNOWN;
    for (size_t i = to->of->moments; i-- && last == MP_UNKNOWN;)
        last = line->values[i];
    const char *amount = mp_canvas_amount(to, line, last, false);
    int64_t room = (MP_SVG_WIDTH - MP_LINES_RIGHT - 18 - 8 - MP_SVG_MARGIN) * 10 -
                   mp_letters_width(amount, MP_LETTERS);
    const char *name = mp_fit_name(to->arena, line->title, MP_LETTERS, room);
    fprintf(to->svg->file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1\" d=\"M", as.colour);
    mp_draw_point(to->svg->file, MP_LINES_RIGHT * 10 + 30, of->y);
    fprintf(to->svg->file, "L");
    mp_draw_point(to->svg->file, MP_LINES_RIGHT * 10 + 140, of->at);
    fprintf(to->svg->file, "\"/>\n");
    mp_draw_text(
        to->svg->file,
        &(mp_letters){.size = MP_LETTERS, .colour = as.colour, .bold = true, .tail = amount},
        (MP_LINES_RIGHT + 18) * 10, of->at + 40, name);
}

static void draw_labels(mp_canvas *to, size_t place)
{
    const mp_panel *in = &to->panels[place];
    label *labels = mp_alloc((in->lines + 1) * sizeof *labels);
    size_t count = 0;
    for (size_t i = 0; i < to->of->line_count; i++) {
        int64_t last = MP_UNKNOWN;
        for (size_t k = to->of->moments; k-- && last == MP_UNKNOWN;)
            last = to->of->lines[i].values[k];
        if (to->panel_of[i] == place && last != MP_UNKNOWN)
            labels[count++] = (label){i, mp_canvas_y(in, last), 0};
    }
    qsort(labels, count, sizeof *labels, by_height);
    spread(labels, count, in->top * 10, (in->top + in->height) * 10);
    for (size_t i = 0; i < count; i++)
        draw_label(to, &labels[i]);
    free(labels);
}

/* --- panels --- */

static void draw_amounts(const mp_canvas *to, const mp_panel *in)
{
    char text[MP_UNIT_TEXT];
    for (int64_t mark = mp_axis_first(&in->axis); mark <= in->axis.high; mark += in->axis.step) {
        int64_t y = mp_canvas_y(in, mark);
        mp_draw_rule(to->svg->file, MP_LINES_LEFT * 10, y, MP_LINES_RIGHT * 10, y,
                     mark ? MP_GRID : MP_RULE);
        mp_axis_text(&in->axis, mark, text);
        mp_draw_label(to->svg->file, "end", (MP_LINES_LEFT - 8) * 10, y + 40, text);
    }
}

static void draw_peak(mp_canvas *to, const struct mp_mark *mark)
{
    const mp_panel *in = &to->panels[0];
    int64_t x = mp_canvas_x(to, mark->at), y = mp_canvas_y(in, mark->amount);
    int64_t half = mp_letters_width(mark->label, MP_LETTERS) / 2;
    int64_t middle = x - half < MP_LINES_LEFT * 10 ? MP_LINES_LEFT * 10 + half : x;
    middle = middle + half > MP_LINES_RIGHT * 10 ? MP_LINES_RIGHT * 10 - half : middle;
    mp_draw_ring(to->svg->file, x, y, 50, MP_INK);
    mp_draw_text(
        to->svg->file,
        &(mp_letters){.size = MP_LETTERS, .colour = MP_INK, .anchor = "middle", .halo = true},
        middle, y - 90, mark->label);
}

void mp_canvas_draw_panel(mp_canvas *to, size_t place)
{
    const mp_panel *in = &to->panels[place];
    if (in->heading)
        mp_draw_text(to->svg->file,
                     &(mp_letters){.size = MP_LETTERS, .colour = MP_INK, .bold = true},
                     MP_LINES_LEFT * 10, (in->top - 10) * 10,
                     mp_fit_name(to->arena, in->heading, MP_LETTERS, MP_LINES_PLOT * 10));
    draw_amounts(to, in);
    for (size_t i = to->of->line_count; i--;)
        if (to->panel_of[i] == place)
            draw_line(to, i);
    draw_labels(to, place);
    for (size_t i = 0; i < to->of->mark_count && place == 0; i++)
        if (to->of->marks[i].amount != MP_UNKNOWN)
            draw_peak(to, &to->of->marks[i]);
}
