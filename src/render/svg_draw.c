#include "render/svg_draw.h"

#include <inttypes.h>
#include <string.h>

#include "render/name.h"
#include "render/svg.h"
#include "render/xml.h"

/* --- places --- */

static void put(FILE *out, int64_t tenths)
{
    fprintf(out, "%s%" PRId64, tenths < 0 ? "-" : "", (tenths < 0 ? -tenths : tenths) / 10);
    if (tenths % 10)
        fprintf(out, ".%d", (int)(tenths < 0 ? -(tenths % 10) : tenths % 10));
}

void mp_draw_point(FILE *out, int64_t x, int64_t y)
{
    put(out, x);
    fputc(',', out);
    put(out, y);
}

void mp_draw_at(FILE *out, const char *attribute, int64_t at)
{
    fprintf(out, " %s=\"", attribute);
    put(out, at);
    fputc('"', out);
}

/* --- shapes --- */

void mp_draw_rule(FILE *out, int64_t x1, int64_t y1, int64_t x2, int64_t y2, const char *colour)
{
    fprintf(out, "<path stroke=\"%s\" d=\"M", colour);
    mp_draw_point(out, x1, y1);
    fputc('L', out);
    mp_draw_point(out, x2, y2);
    fputs("\"/>\n", out);
}

static void circle(FILE *out, int64_t x, int64_t y, int64_t radius)
{
    fputs("<circle", out);
    mp_draw_at(out, "cx", x);
    mp_draw_at(out, "cy", y);
    mp_draw_at(out, "r", radius);
}

void mp_draw_dot(FILE *out, int64_t x, int64_t y, int64_t radius, const char *colour)
{
    circle(out, x, y, radius);
    fprintf(out, " fill=\"%s\"/>\n", colour);
}

void mp_draw_ring(FILE *out, int64_t x, int64_t y, int64_t radius, const char *colour)
{
    circle(out, x, y, radius);
    fprintf(out, " fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", colour);
}

/* --- letters --- */

int64_t mp_letters_width(const char *text, int size)
{
    return (int64_t)(mp_svg_width(text, size) * 11.5 + 1);
}

/* Whether what was left out of a name has left something to be read. */
static bool tells(const char *text)
{
    enum { LEAST = 4 };
    size_t letters = 0;
    while (*text && letters < LEAST)
        if (strncmp(text, MP_ELLIPSIS, strlen(MP_ELLIPSIS)) == 0)
            text += strlen(MP_ELLIPSIS);
        else
            letters += !strchr(" .,()[]<>", *text++);
    return letters == LEAST;
}

enum { NARROW = 5 }; /* tenths of the size */
const char *mp_fit_name(mp_arena *arena, const char *name, int size, int64_t room)
{
    int64_t columns = room / (size * NARROW / 10);
    enum { LONGEST = 300 }; /* characters that are looked at */
    name = mp_svg_short(arena, name, LONGEST);
    const char *fits = name;
    while (*fits && mp_letters_width(fits, size) > room)
        fits = columns > 0 ? mp_shorten_name(arena, name, (size_t)columns--, 1) : "";
    return fits == name || tells(fits) ? fits : "";
}

void mp_draw_text(FILE *out, const mp_letters *letters, int64_t x, int64_t y, const char *text)
{
    fputs("<text", out);
    mp_draw_at(out, "x", x);
    mp_draw_at(out, "y", y);
    fprintf(out, " font-size=\"%d\" fill=\"%s\"", letters->size, letters->colour);
    if (letters->anchor)
        fprintf(out, " text-anchor=\"%s\"", letters->anchor);
    if (letters->bold)
        fputs(" font-weight=\"600\"", out);
    if (letters->halo)
        fputs(
            " stroke=\"#fff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
            out);
    fputc('>', out);
    mp_xml_text(out, text);
    if (letters->tail) {
        fprintf(out, "<tspan dx=\"6\" font-weight=\"400\" fill=\"%s\">", MP_INK);
        mp_xml_text(out, letters->tail);
        fputs("</tspan>", out);
    }
    fputs("</text>\n", out);
}
