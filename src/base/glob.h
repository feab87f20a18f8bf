/* Patterns of whole names: * is any text, ? a character, [a-z] one of them, and a backslash makes
 * what follows a character. What shells do with slashes and leading dots is not done. */
#ifndef MP_BASE_GLOB_H
#define MP_BASE_GLOB_H

#include <stdbool.h>

#include "base/slice.h"

enum {
    MP_GLOB_ANY_CASE = 1,
    MP_GLOB_NO_ESCAPES = 2, /* backslashes are characters, as in paths */
};

/* Return true if the pattern matches the whole text. The number of steps is at most the product
 * of their lengths. */
bool mp_glob_fits(const char *glob, const char *text, unsigned flags);

/* A text that is part of each that the glob fits: the longest that stands in it as it is, before
 * any [. All of the glob: it fits that text alone. Not where case does not matter. */
mp_slice mp_glob_core(const char *glob);

#endif
