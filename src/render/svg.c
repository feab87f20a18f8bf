#include "render/svg.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "render/cell.h"
#include "render/renderer.h"
#include "render/xml.h"

/* --- widths of texts --- */

/* Widths of the characters from blank to tilde, in thousandths of the font size: those of DejaVu
 * Sans, the fallback font, which is wider than Helvetica, Arial and Liberation Sans. */
static const unsigned short widths[] = {
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361,  318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531, 1000, 685, 687, 699, 771, 632,
    576, 775, 752, 295, 295, 656, 558, 863, 749, 788, 604, 788, 695, 635,  611, 732, 685, 989, 686,
    611, 686, 391, 337, 391, 838, 500, 500, 613, 635, 550, 635, 616, 353,  635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592,  525, 637, 337, 637, 838};

/* Return the width of the character at *p in thousandths and advance *p. Characters without a known
 * width are as wide as on a terminal. */
static double take_width(const char **p)
{
    unsigned char byte = (unsigned char)**p;
    if (byte >= ' ' && byte <= '~') {
        ++*p;
        return widths[byte - ' '];
    }
    return 650 * (double)mp_next_width(p);
}

double mp_svg_width(const char *text, double size)
{
    double width = 0;
    while (*text)
        width += take_width(&text);
    return width * size / 1000;
}

const char *mp_svg_fitting(mp_arena *arena, const char *text, double size, double room)
{
    static const char dots[] = "\u2026";
    const double dots_width = size; /* an ellipsis is as wide as the font size */
    const char *end = text, *kept = text;
    double width = 0;
    size_t count = 0;
    while (*end && width <= room) {
        width += take_width(&end) * size / 1000;
        if (width + dots_width <= room) {
            kept = end;
            count++;
        }
    }
    if (!*end && width <= room)
        return text;
    return count < 2 ? "" : mp_arena_format(arena, "%.*s%s", (int)(kept - text), text, dots);
}

const char *mp_svg_ends(mp_arena *arena, const char *text, size_t head, size_t tail)
{
    const char *first = text, *cursor = text;
    for (size_t count = 0; count < head + tail && *cursor; count++) {
        (void)mp_next_width(&cursor);
        first = count < head ? cursor : first;
    }
    if (!*cursor)
        return text;
    const char *last = cursor + strlen(cursor);
    for (; tail; tail--)
        do
            last--;
        while (last > first && ((unsigned char)*last & 0xc0) == 0x80); /* not within a character */
    return mp_arena_format(arena, "%.*s\u2026%s", (int)(first - text), text, last);
}

const char *mp_svg_short(mp_arena *arena, const char *text, size_t characters)
{
    return mp_svg_ends(arena, text, characters / 2, characters - characters / 2);
}

/* --- parts --- */

void mp_svg_put(const mp_svg *svg, const char *name, double number)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%.3f", fabs(number) < 0.0005 ? 0 : number);
    while (length > 1 && text[length - 1] == '0')
        length--;
    if (length > 1 && text[length - 1] == '.')
        length--;
    fprintf(svg->file, " %s=\"%.*s\"", name, length, text);
}

void mp_svg_text(mp_svg *svg, const char *classes, double x, double y, double room,
                 const char *text)
{
    if (room > 0)
        text = mp_svg_fitting(&svg->arena, text, MP_SVG_TEXT, room);
    if (!*text)
        return;
    fputs("<text", svg->file);
    if (classes)
        fprintf(svg->file, " class=\"%s\"", classes);
    mp_svg_put(svg, "x", x);
    mp_svg_put(svg, "y", y);
    fputc('>', svg->file);
    mp_xml_text(svg->file, text);
    fputs("</text>\n", svg->file);
}

void mp_svg_tip(const mp_svg *svg, const char *text)
{
    fputs("<title>", svg->file);
    mp_xml_text(svg->file, text);
    fputs("</title>", svg->file);
}

const char *mp_svg_amount(mp_svg *svg, mp_unit unit, int64_t amount, bool with_sign)
{
    const mp_column column = {.unit = unit, .flags = with_sign ? MP_SIGNED : 0};
    const mp_cell cell = {.known = true, .number = amount};
    const char *text = mp_cell_for_people(&svg->arena, &column, &cell, svg->exact);
    const char *behind = unit == MP_SECONDS ? " s" : unit == MP_BYTES && svg->exact ? " B" : "";
    return mp_arena_format(&svg->arena, "%s%s", text, behind);
}

const char *mp_svg_counted(mp_svg *svg, const mp_tree_figure *tree, int64_t count)
{
    return mp_arena_format(&svg->arena, "%s %.*s", mp_svg_amount(svg, MP_COUNT, count, false),
                           (int)strlen(tree->count_of) - (count == 1), tree->count_of);
}

/* Hash by FNV-1a, whose result is the same in every process. The program's own hashes use random
 * keys. */
unsigned mp_svg_colour(const char *text, unsigned count)
{
    uint32_t hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return (hash ^ hash >> 15) % count;
}

/* --- title, notes and end of a drawing --- */

/* Return as many parts of "alive 5 B; platform 7 B; ..." as there is room for. */
static const char *first_parts(mp_svg *svg, const char *text, double room)
{
    static const char more[] = "; \u2026";
    const char *end = text, *kept = NULL;
    double width = mp_svg_width(more, MP_SVG_TEXT);
    if (mp_svg_width(text, MP_SVG_TEXT) <= room)
        return text;
    while (*end && width <= room) {
        kept = *end == ';' ? end : kept;
        width += take_width(&end) * MP_SVG_TEXT / 1000;
    }
    return kept ? mp_arena_format(&svg->arena, "%.*s%s", (int)(kept - text), text, more) : text;
}

void mp_svg_begin(mp_svg *svg, const mp_figure *figure, double height, const char *summary)
{
    FILE *file = svg->file;
    const char *title = figure->title ? figure->title : figure->name;
    if (svg->alone)
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", file);
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"memprof %s\"", figure->name);
    if (svg->alone) { /* fill the window, aligned to the top */
        fputs(" preserveAspectRatio=\"xMidYMin\"", file);
    } else {
        mp_svg_put(svg, "width", MP_SVG_WIDTH);
        mp_svg_put(svg, "height", height);
    }
    fprintf(file,
            " viewBox=\"0 0 %d %.0f\" role=\"img\" aria-labelledby=\"%s-title %s-summary\">\n",
            MP_SVG_WIDTH, height, figure->name, figure->name);
    fprintf(file, "<title id=\"%s-title\">", figure->name);
    mp_xml_text(file, title);
    fprintf(file, "</title>\n<desc id=\"%s-summary\">", figure->name);
    mp_xml_text(file, summary);
    fputs("</desc>\n", file);
    if (svg->alone)
        fprintf(file, "<style>\n%s</style>\n", mp_embedded_svg_css);
    fputs("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", file);
    const double room = MP_SVG_WIDTH - 2 * MP_SVG_MARGIN;
    fprintf(file, "<text class=\"title\" x=\"%d\" y=\"28\">", MP_SVG_MARGIN);
    mp_xml_text(file, mp_svg_fitting(&svg->arena, title, 18 * 1.13, room)); /* bold text is wider */
    fputs("</text>\n", file);
    mp_svg_text(svg, "summary", MP_SVG_MARGIN, 48, room, first_parts(svg, summary, room));
}

void mp_svg_note(mp_svg *svg, double y, const char *note)
{
    mp_svg_text(svg, "note", MP_SVG_MARGIN, y, MP_SVG_WIDTH - 2 * MP_SVG_MARGIN, note);
}

const char *mp_svg_notes(mp_svg *svg, const char *first, const char *second)
{
    const char *between = *first && *second ? "; " : "";
    return mp_arena_format(&svg->arena, "%s%s%s", first, between, second);
}

void mp_svg_end(mp_svg *svg, const char *script)
{
    if (svg->alone && script) /* the script does not contain "]]>" */
        fprintf(svg->file, "<script><![CDATA[\n%s]]></script>\n", script);
    fputs("</svg>\n", svg->file);
    mp_arena_free(&svg->arena);
}

/* --- the first figure of a document as a file --- */

typedef void draw_figure(mp_svg *svg, const mp_figure *figure);

static draw_figure *const drawings[] = {
    [MP_FIGURE_STACKS] = mp_svg_stacks,
    [MP_FIGURE_MAP] = mp_svg_map,
    [MP_FIGURE_LINES] = mp_svg_lines,
    [MP_FIGURE_SPANS] = mp_svg_spans,
};

bool mp_svg_figure(mp_svg *svg, const mp_figure *figure)
{
    const size_t kinds = sizeof drawings / sizeof *drawings;
    if ((size_t)figure->kind >= kinds || !drawings[figure->kind])
        return false;
    drawings[figure->kind](svg, figure);
    return true;
}

static bool render_svg(const mp_document *document, const mp_diagnostics *diagnostics,
                       const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    mp_svg svg = {.file = file, .alone = true, .exact = document->exact_bytes};
    for (size_t i = 0; i < document->figure_count; i++)
        if (mp_svg_figure(&svg, &document->figures[i]))
            return true;
    if (document->files > 1)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "a picture shows one recording, not %zu separate ones", document->files);
    if (!document->draws)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "%s was asked for no figures, expected the setting draws",
                       document->command);
    return mp_fail(error, MP_ERROR_NO_ANSWER,
                   "%s has no picture of this recording, expected flame, treemap or %sformat html",
                   document->command, style->dashes);
}

const mp_renderer mp_renderer_svg = {.name = "svg",
                                     .ending = ".svg",
                                     .summary = "picture of the report",
                                     .command = "analyze, diff, growth, snapshots, timeline, "
                                                "treemap or flame",
                                     .for_programs = true,
                                     .draws = true,
                                     .render = render_svg};
