/* Formatted texts. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

enum { MP_DIGITS = 20 }; /* of the largest 64-bit number */

/* Format as vsnprintf does: write at most `size` bytes with the NUL, and return the length of the
 * whole text, or 0 on failure. Faster than the C library if all conversions are %s, %.*s, %d, %u,
 * %%, or %d and %u with l or z. */
size_t mp_format_list(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Write the decimal digits of a number, without a NUL. Return their end. */
char *mp_format_digits(char *text, uint64_t number);
