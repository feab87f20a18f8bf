#include "base/format.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct output {
    char *text;
    size_t size, length; /* length: of the whole text, even if it is longer than `size` */
} output;

static void put(output *out, const char *bytes, size_t count)
{
    const size_t left = out->length < out->size ? out->size - out->length : 0;
    if (left)
        memcpy(out->text + out->length, bytes, count < left ? count : left);
    out->length += count;
}

char *mp_format_digits(char *text, uint64_t number)
{
    char digits[MP_DIGITS], *end = digits + sizeof digits, *start = end;
    do
        *--start = (char)('0' + number % 10);
    while (number /= 10);
    return (char *)mempcpy(text, start, (size_t)(end - start));
}

static void put_number(output *out, uint64_t number, bool negative)
{
    char text[1 + MP_DIGITS] = "-";
    const char *end = mp_format_digits(text + negative, negative ? 0 - number : number);
    put(out, text, (size_t)(end - text));
}

/* Write an argument, whose conversion begins at `next`, behind the percent sign. Return the end of
 * the conversion; NULL: it is not one of those that are written here. */
static const char *put_argument(output *out, const char *next, va_list *arguments)
{
    const bool wide = *next == 'l' || *next == 'z', cut = !wide && strncmp(next, ".*s", 3) == 0;
    next += cut ? 2 : wide;
    if (*next == 's' && !wide) {
        const int most = cut ? va_arg(*arguments, int) : -1;
        const char *text = va_arg(*arguments, const char *);
        if (!text)
            return NULL;
        put(out, text, most < 0 ? strlen(text) : strnlen(text, (size_t)most));
    } else if (*next == 'u') {
        put_number(out, wide ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned),
                   false);
    } else if (*next == 'd') {
        const long number = wide ? va_arg(*arguments, long) : va_arg(*arguments, int);
        put_number(out, (uint64_t)number, number < 0);
    } else if (*next == '%' && !wide) {
        put(out, next, 1);
    } else {
        return NULL;
    }
    return next + 1;
}

size_t mp_format_list(char *text, size_t size, const char *format, va_list arguments)
{
    output out = {.text = text, .size = size};
    va_list copy;
    va_copy(copy, arguments);
    const char *next = format;
    while (next && *next) {
        const size_t plain = (size_t)(strchrnul(next, '%') - next);
        put(&out, next, plain);
        next += plain;
        next = *next ? put_argument(&out, next + 1, &copy) : next;
    }
    va_end(copy);
    if (!next) {
        const int printed = vsnprintf(text, size, format, arguments);
        return printed < 0 ? 0 : (size_t)printed;
    }
    if (size)
        text[out.length < size ? out.length : size - 1] = '\0';
    return out.length;
}
