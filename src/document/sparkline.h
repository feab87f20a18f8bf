#pragma once

#include <stddef.h>
#include <stdint.h>

/* Write a sparkline of at most `width` characters, U+2581 (the lowest value) to U+2588 (the
 * highest). If all values are equal, they are shown as the lowest. If there are more values than
 * characters, each character is the mean of several values. Return like snprintf; text that does
 * not fit is cut between characters. */
int mp_sparkline(const int64_t *values, size_t count, size_t width, char *text, size_t size);
