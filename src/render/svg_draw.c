#include "render/svg_draw.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "render/name.h"
#include "render/svg.h"
#include "render/xml.h"

/* --- coordinates --- */

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

void mp_draw_at(FILE *out, const char *attribute, int64_t position)
{
    fprintf(out, " %s=\"", attribute);
    put(out, position);
    fputc('"', out);
}

void mp_draw_box(FILE *out, int64_t x, int64_t y, int64_t width, int64_t height)
{
    mp_draw_at(out, "x", x);
    mp_draw_at(out, "y", y);
    mp_draw_at(out, "width", width);
    mp_draw_at(out, "height", height);
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

/* --- text --- */

int64_t mp_letters_width(const char *text, int size)
{
    return (int64_t)(mp_svg_width(text, size) * 11.5 + 1);
}

/* Return true if a shortened name is still readable. */
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

enum { NARROW = 5 }; /* tenths of the font size */
const char *mp_fit_name(mp_arena *arena, const char *name, int size, int64_t room)
{
    int64_t columns = room / (size * NARROW / 10);
    enum { LONGEST = 300 }; /* maximum characters of a name that is shortened */
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

void mp_draw_label(FILE *out, const char *anchor, int64_t x, int64_t y, const char *text)
{
    mp_draw_text(out, &(mp_letters){.size = MP_SVG_TEXT, .colour = MP_SOFT, .anchor = anchor}, x, y,
                 text);
}

/* --- axes --- */

enum { SECOND = 1000000, LONGEST_AXIS = 1000000 };
static const int64_t minute = 60LL * SECOND, hour = 3600LL * SECOND, day = 86400LL * SECOND;

int64_t mp_share_of(int64_t part, int64_t whole, int64_t length)
{
    assert(part >= 0 && part <= whole && whole > 0 && length < LONGEST_AXIS);
    for (; whole > INT64_MAX / LONGEST_AXIS; whole /= 2)
        part /= 2;
    return part * length / whole;
}

/* Return the next step among 1, 2, 5, 10, ... */
static int64_t step_after(int64_t step)
{
    int64_t digit = step;
    while (digit % 10 == 0)
        digit /= 10;
    return digit == 2 ? step / 2 * 5 : step * 2;
}

/* Return the next step among 1, 2, 5, ... 200, and a quarter and half of the next unit. */
static int64_t bytes_after(int64_t step)
{
    int64_t unit = 1;
    while (step / unit >= 1024)
        unit *= 1024;
    int64_t of_unit = step / unit;
    return of_unit == 200 ? 256 * unit : of_unit >= 256 ? step * 2 : step_after(of_unit) * unit;
}

static int64_t time_after(int64_t step)
{
    const int64_t steps[] = {SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
                             minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
                             hour,   2 * hour,   3 * hour,   6 * hour,    12 * hour,   day};
    if (step < SECOND)
        return step_after(step);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] > step)
            return steps[i];
    return step_after(step / day) * day;
}

static int64_t capped(int64_t amount)
{
    return amount > MP_AXIS_MOST ? MP_AXIS_MOST : amount < -MP_AXIS_MOST ? -MP_AXIS_MOST : amount;
}

static bool is_time(mp_unit unit)
{
    return unit == MP_TIME || unit == MP_AGE || unit == MP_SECONDS;
}

/* Return the largest multiple of a step that does not exceed the amount. */
static int64_t floor_of(int64_t amount, int64_t step)
{
    int64_t rest = amount % step;
    return amount - (rest < 0 ? rest + step : rest);
}

mp_axis mp_axis_of(int64_t low, int64_t high, mp_unit unit, int64_t steps)
{
    bool ends = is_time(unit) || unit == MP_NUMBER;
    mp_axis axis = {capped(low), capped(high), 1, unit, low < 0 && !ends};
    while ((axis.high - axis.low) / axis.step >= steps)
        axis.step = unit == MP_BYTES ? bytes_after(axis.step)
                    : is_time(unit)  ? time_after(axis.step)
                                     : step_after(axis.step);
    if (!ends) {
        axis.low = floor_of(axis.low, axis.step);
        axis.high = -floor_of(-axis.high, axis.step);
    }
    axis.high += axis.high == axis.low;
    return axis;
}

int64_t mp_axis_first(const mp_axis *axis)
{
    return -floor_of(-axis->low, axis->step);
}

int64_t mp_axis_place(const mp_axis *axis, int64_t amount, int64_t length)
{
    amount = capped(amount);
    amount = amount < axis->low ? axis->low : amount > axis->high ? axis->high : amount;
    return mp_share_of(amount - axis->low, axis->high - axis->low, length);
}

/* Format a mark in the unit of the step, or in the next unit if the step is a quarter or half of
 * it, so that all marks have the same unit. */
static void bytes_text(const mp_axis *axis, int64_t mark, char *text)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    static const char *const quarters[] = {"", ".25", ".5", ".75"};
    char whole[MP_UNIT_TEXT];
    int64_t unit = 1, size = mark < 0 ? -mark : mark;
    size_t i = 0;
    for (; i < 6 && axis->step % (unit * 256) == 0; unit *= 1024)
        i++;
    mp_format_count(whole, size / unit, false);
    const int64_t quarter = unit >= 4 ? unit / 4 : 1;
    snprintf(text, MP_UNIT_TEXT, "%s%.24s%s %s",
             mark < 0          ? "-"
             : axis->is_signed ? "+"
                               : "",
             whole, quarters[size % unit / quarter % 4], units[i]);
}

/* Format a mark with as many decimals as the step has. */
static void time_text(const mp_axis *axis, int64_t mark, char *text)
{
    const char *sign = mark < 0 ? "-" : "";
    uint64_t us = (uint64_t)(mark < 0 ? -mark : mark);
    int decimals = 0;
    for (int64_t step = axis->step; step % SECOND; step *= 10)
        decimals++;
    char whole[MP_UNIT_TEXT];
    snprintf(whole, sizeof whole, "%s%" PRIu64 ":%02u:%02u.%06u", sign, us / (uint64_t)hour,
             (unsigned)(us / (uint64_t)minute % 60), (unsigned)(us / SECOND % 60),
             (unsigned)(us % SECOND));
    int length = (int)strlen(whole) - 6 + decimals - !decimals;
    snprintf(text, MP_UNIT_TEXT, "%.*s", length, whole);
}

void mp_axis_text(const mp_axis *axis, int64_t mark, char *text)
{
    if (!mark && !is_time(axis->unit))
        snprintf(text, MP_UNIT_TEXT, "0");
    else if (axis->unit == MP_BYTES)
        bytes_text(axis, mark, text);
    else if (is_time(axis->unit))
        time_text(axis, mark, text);
    else if (axis->unit == MP_NUMBER)
        snprintf(text, MP_UNIT_TEXT, "%" PRId64, mark);
    else
        mp_format_count(text, mark, axis->is_signed);
}
