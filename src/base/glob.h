/* Globs that match whole names: * matches any text, ? one character, [a-z] one of a set, and a
 * backslash quotes the next character. Slashes and leading dots are not special, unlike in a
 * shell. */
#pragma once

#include <stdbool.h>

#include "base/slice.h"

enum {
    MP_GLOB_ANY_CASE = 1,
    MP_GLOB_NO_ESCAPES = 2, /* a backslash is an ordinary character, as in paths */
};

/* Return true if the glob matches the whole text. The number of steps is at most the product of
 * both lengths. */
bool mp_glob_fits(const char *glob, const char *text, unsigned flags);

/* Return the longest literal part of the glob before any "[". Every text that the glob matches
 * contains this part. If the part is the whole glob, only that text matches. Do not use it with
 * MP_GLOB_ANY_CASE. */
mp_slice mp_glob_core(const char *glob);
