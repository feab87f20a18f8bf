#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/format.h"
#include "base/text.h"

static const char *sign_of(int64_t number, bool with_sign)
{
    return number < 0 ? "-" : with_sign && number > 0 ? "+" : "";
}

/* Return the absolute value. INT64_MIN is allowed. */
static uint64_t magnitude(int64_t number)
{
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

void mp_format_bytes(char *text, int64_t bytes, bool exact, bool with_sign)
{
    static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    uint64_t size = magnitude(bytes);
    text = stpcpy(text, sign_of(bytes, with_sign));
    if (exact || size < 1024) {
        stpcpy(mp_format_digits(text, size), exact ? "" : *units);
        return;
    }
    size_t unit = 0;
    double scaled = (double)size;
    size = (uint64_t)scaled;
    /* 1023.95 KiB would round to 1024.0 KiB, so it is printed as 1.0 MiB. */
    while (scaled >= 1023.95 && unit + 1 < sizeof units / sizeof *units) {
        scaled /= 1024;
        unit++;
    }
    /* Round to tenths as printf does: the half goes to the even digit. */
    const uint64_t one = UINT64_C(1) << 10 * unit, tenths = size % one * 10, rest = tenths % one;
    uint64_t digit = tenths / one;
    digit += rest * 2 > one || (rest * 2 == one && digit % 2);
    text = mp_format_digits(text, size / one + digit / 10);
    *text++ = '.';
    stpcpy(mp_format_digits(text, digit % 10), units[unit]);
}

void mp_format_byte_rate(char *text, double bytes, bool exact, bool with_sign)
{
    double limit = 9e18; /* less than INT64_MAX */
    bytes = bytes > limit ? limit : bytes < -limit ? -limit : bytes;
    double tenths = round(bytes * 10);
    bool whole = fabs(fmod(tenths, 10)) < 1;
    if (!whole && (exact || fabs(tenths) < 10240)) {
        snprintf(text, MP_UNIT_TEXT, with_sign ? "%+.1f%s" : "%.1f%s", tenths / 10,
                 exact ? "" : " B");
        return;
    }
    mp_format_bytes(text, (int64_t)round(bytes), exact, with_sign);
}

void mp_format_count(char *text, int64_t count, bool with_sign)
{
    char digits[MP_DIGITS];
    const char *end = mp_format_digits(digits, magnitude(count));
    text = stpcpy(text, sign_of(count, with_sign));
    for (const char *digit = digits; digit < end; digit++) {
        if (digit > digits && (end - digit) % 3 == 0)
            *text++ = ',';
        *text++ = *digit;
    }
    *text = '\0';
}

void mp_format_time(char *text, int64_t us)
{
    uint64_t ms = magnitude(us) / 1000;
    snprintf(text, MP_UNIT_TEXT, "%s%" PRIu64 ":%02u:%02u.%03u", sign_of(us, false), ms / 3600000,
             (unsigned)(ms / 60000 % 60), (unsigned)(ms / 1000 % 60), (unsigned)(ms % 1000));
}

void mp_format_duration(char *text, int64_t us)
{
    uint64_t size = magnitude(us), hundredths;
    if (size < 1000) {
        snprintf(text, MP_UNIT_TEXT, "%s%" PRIu64 " us", sign_of(us, false), size);
    } else if ((hundredths = (size + 5) / 10) < 100000) {
        snprintf(text, MP_UNIT_TEXT, "%s%" PRIu64 ".%02" PRIu64 " ms", sign_of(us, false),
                 hundredths / 100, hundredths % 100);
    } else if ((hundredths = (size + 5000) / 10000) < 6000) {
        snprintf(text, MP_UNIT_TEXT, "%s%" PRIu64 ".%02" PRIu64 " s", sign_of(us, false),
                 hundredths / 100, hundredths % 100);
    } else {
        mp_format_time(text, us);
    }
}

void mp_format_seconds(char *text, int64_t us, bool with_sign)
{
    uint64_t size = magnitude(us);
    snprintf(text, MP_UNIT_TEXT, "%s%" PRIu64 ".%06" PRIu64, sign_of(us, with_sign), size / 1000000,
             size % 1000000);
}

static bool format_utc(char *text, int64_t us, int decimals)
{
    struct tm tm;
    const int over = (int)(us % 1000000), part = over < 0 ? over + 1000000 : over;
    const time_t seconds = (time_t)(us / 1000000 - (over < 0));
    if (!gmtime_r(&seconds, &tm) || tm.tm_year > 9999 - 1900 || tm.tm_year < -1900)
        return false;
    snprintf(text, MP_UNIT_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d.%0*dZ", tm.tm_year + 1900,
             tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, decimals,
             decimals == 3 ? part / 1000 : part);
    return true;
}

bool mp_format_utc(char *text, int64_t us)
{
    return format_utc(text, us, 3);
}

bool mp_format_utc_exact(char *text, int64_t us)
{
    return format_utc(text, us, 6);
}

void mp_format_percent(char *text, double percent, bool with_sign)
{
    const double tenfold = 900, most = 1e15;
    if (with_sign && percent >= tenfold && percent < most) {
        text = stpcpy(text, "x ");
        mp_format_count(text, (int64_t)(1.5 + percent / 100), false);
        return;
    }
    snprintf(text, MP_UNIT_TEXT, with_sign ? "%+.1f" : "%.1f", percent);
    if (strcmp(text, "-0.0") == 0 || strcmp(text, "+0.0") == 0)
        snprintf(text, MP_UNIT_TEXT, "0.0");
}

void mp_format_change(char *text, double percent)
{
    mp_format_percent(text, percent, true);
    if (*text != 'x')
        memcpy(text + strlen(text), " %", sizeof " %");
}

/* A decimal number, exact to 18 decimals; further decimals are dropped. */
enum { DECIMALS = 18 };
static const uint64_t decimal_one = UINT64_C(1000000000000000000);
typedef struct decimal {
    uint64_t whole;    /* whole part, at most INT64_MAX */
    uint64_t fraction; /* fraction, in units of 1 / decimal_one */
} decimal;

/* Multiply by `factor`, at most 18, to the power of `times`. Return false on overflow. */
static bool scale(decimal *number, unsigned factor, unsigned times)
{
    for (; times; times--) {
        uint64_t parts = number->fraction * factor, over = parts / decimal_one;
        if (number->whole > (INT64_MAX - over) / factor)
            return false;
        number->whole = number->whole * factor + over;
        number->fraction = parts % decimal_one;
    }
    return true;
}

/* Parse an exponent such as "e-2". Return its end; NULL: there is none. */
static const char *parse_exponent(const char *text, long *exponent)
{
    char *end;
    bool has = *text == 'e' || *text == 'E';
    const char *digits = text + has + (has && (text[1] == '-' || text[1] == '+'));
    if (!has || *digits < '0' || *digits > '9')
        return NULL;
    *exponent = strtol(text + 1, &end, 10);
    return end;
}

/* Parse "12", "1.5" or, with `exponents`, "1e3"; *rest is the end. Return false if the number is
 * malformed or too large. */
static bool parse_decimal(const char *text, bool exponents, decimal *number, const char **rest)
{
    enum { LARGEST_EXPONENT = 400 };
    size_t whole = strspn(text, "0123456789"), point = text[whole] == '.';
    size_t behind = point ? strspn(text + whole + 1, "0123456789") : 0;
    long exponent = 0;
    *number = (decimal){0, 0};
    *rest = text + whole + point + behind;
    const char *end = exponents ? parse_exponent(*rest, &exponent) : NULL;
    if (!whole || exponent > LARGEST_EXPONENT || exponent < -LARGEST_EXPONENT)
        return false;
    *rest = end ? end : *rest;
    long place = (long)whole + exponent; /* position of the point among the digits */
    const long last = place + DECIMALS;
    uint64_t weight = decimal_one / 10;
    for (long i = place < 0 ? place : 0; i < last; i++) {
        bool has = i >= 0 && (size_t)i < whole + behind;
        uint64_t digit = has ? (uint64_t)(text[(size_t)i + ((size_t)i >= whole)] - '0') : 0;
        if (i >= place) {
            number->fraction += digit * weight;
            weight /= 10;
        } else if (number->whole > (INT64_MAX - digit) / 10) {
            return false;
        } else {
            number->whole = number->whole * 10 + digit;
        }
    }
    return true;
}

bool mp_parse_bytes(const char *text, int64_t *bytes)
{
    static const char letters[] = "KMGTPE";
    decimal number;
    const char *rest;
    if (!parse_decimal(text, true, &number, &rest))
        return false;
    rest += strspn(rest, " ");
    const char *letter = *rest ? strchr(letters, *rest & ~0x20) : NULL;
    if (letter) {
        if (!scale(&number, 2, 10 * (unsigned)(letter + 1 - letters)))
            return false;
        rest++;
        rest += *rest == 'i' || *rest == 'I';
    }
    if (strcasecmp(rest, "") != 0 && strcasecmp(rest, "b") != 0)
        return false;
    *bytes = (int64_t)number.whole;
    return true;
}

static bool is_day(int year, int month, int day)
{
    static const int days[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return year > 0 && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month] + (leap && month == 2);
}

bool mp_parse_date(const char *text, int32_t *date)
{
    static const char shape[] = "0000-00-00";
    int32_t digits = 0;
    for (size_t i = 0; shape[i]; i++) {
        if (shape[i] == '-' ? text[i] != '-' : text[i] < '0' || text[i] > '9')
            return false;
        if (shape[i] == '0')
            digits = digits * 10 + (text[i] - '0');
    }
    *date = digits;
    return !text[sizeof shape - 1] && is_day(digits / 10000, digits / 100 % 100, digits % 100);
}

bool mp_parse_count(const char *text, int64_t *count)
{
    char *end;
    *count = strtoll(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && *count <= INT32_MAX;
}

bool mp_parse_percent(const char *text, int64_t *millionths)
{
    decimal number;
    const char *rest;
    if (!parse_decimal(text, true, &number, &rest) || !scale(&number, 10, 6) || number.fraction)
        return false;
    *millionths = (int64_t)number.whole;
    return strcmp(rest + strspn(rest, " "), "%") == 0;
}

/* Parse a number such as "12.345678", without exponent. Return its end; NULL: it is malformed. */
static const char *parse_plain(const char *text, decimal *number)
{
    const char *rest;
    return parse_decimal(text, false, number, &rest) && rest[-1] != '.' ? rest : NULL;
}

static bool take_us(decimal *seconds, int64_t *us)
{
    bool fits = scale(seconds, 10, 6);
    *us = fits ? (int64_t)seconds->whole : 0;
    return fits;
}

/* Parse "1:02:03.5" or "2:03.5": hours and minutes, or minutes, before the seconds. */
static bool parse_clock(const char *text, int64_t *us)
{
    decimal sum = {0, 0}, part;
    for (int parts = 0; parts < 3; parts++) {
        const char *end = parse_plain(text, &part);
        if (!end || sum.whole > INT64_MAX - part.whole)
            return false;
        sum = (decimal){sum.whole + part.whole, part.fraction};
        if (!*end)
            return parts > 0 && take_us(&sum, us);
        if (*end != ':' || part.fraction || !scale(&sum, 6, 1) || !scale(&sum, 10, 1))
            return false;
        text = end + 1;
    }
    return false;
}

bool mp_parse_time(const char *text, int64_t *us)
{
    static const struct {
        const char *unit;
        unsigned tens, sixties; /* powers of 10 and 60 that convert the number to microseconds */
    } units[] = {{"", 0, 0}, {"us", 0, 0}, {"ms", 3, 0}, {"s", 6, 0}, {"min", 6, 1}, {"h", 6, 2}};
    decimal value;
    if (parse_clock(text, us))
        return true;
    const char *end = parse_plain(text, &value);
    for (size_t i = 0; end && i < sizeof units / sizeof *units; i++)
        if (mp_text_is(end, units[i].unit)) {
            bool fits = scale(&value, 10, units[i].tens + units[i].sixties) &&
                        scale(&value, 6, units[i].sixties);
            *us = fits ? (int64_t)value.whole : 0;
            return fits;
        }
    return false;
}

/* Read `count` digits, followed by `sign` unless that is 0. */
static bool take_digits(const char **text, int count, char sign, int *value)
{
    *value = 0;
    for (; count; count--, (*text)++) {
        if (**text < '0' || **text > '9')
            return false;
        *value = *value * 10 + (**text - '0');
    }
    if (sign && **text != sign)
        return false;
    *text += sign != '\0';
    return true;
}

/* Parse a UTC offset, "+05:00" or "Z", to seconds. */
static bool take_offset(const char *text, int64_t *offset)
{
    int hours, minutes, sign = *text == '-' ? -1 : 1;
    *offset = 0;
    if (strcmp(text, "Z") == 0)
        return true;
    if ((*text != '+' && *text != '-') || !text++ || !take_digits(&text, 2, ':', &hours) ||
        !take_digits(&text, 2, '\0', &minutes) || *text || hours > 23 || minutes > 59)
        return false;
    *offset = sign * ((int64_t)hours * 3600 + (int64_t)minutes * 60);
    return true;
}

bool mp_parse_stamp(const char *text, int64_t *us)
{
    struct tm tm = {0};
    int64_t offset, fraction = 0;
    if (!take_digits(&text, 4, '-', &tm.tm_year) || !take_digits(&text, 2, '-', &tm.tm_mon) ||
        !take_digits(&text, 2, 'T', &tm.tm_mday) || !take_digits(&text, 2, ':', &tm.tm_hour) ||
        !take_digits(&text, 2, ':', &tm.tm_min) || !take_digits(&text, 2, '\0', &tm.tm_sec))
        return false;
    /* A leap second, 60, is read as the first second of the next minute. */
    if (!is_day(tm.tm_year, tm.tm_mon, tm.tm_mday) || tm.tm_hour > 23 || tm.tm_min > 59 ||
        tm.tm_sec > 60)
        return false;
    if (*text == '.') {
        const char *digit = ++text;
        for (int64_t weight = 100000; *text >= '0' && *text <= '9'; text++, weight /= 10)
            fraction += (*text - '0') * weight;
        if (text == digit || text - digit > 6)
            return false;
    }
    if (!take_offset(text, &offset))
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    *us = ((int64_t)timegm(&tm) - offset) * 1000000 + fraction;
    return true;
}

bool mp_parse_moment(const char *text, mp_moment *moment)
{
    *moment = (mp_moment){.given = true};
    if (mp_parse_time(text, &moment->us))
        return true;
    moment->absolute = true;
    return mp_parse_stamp(text, &moment->us);
}
