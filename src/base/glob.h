/* Patterns of whole names: * is any text, ? a character, [a-z] one of them, and a backslash makes
 * what follows a character. What shells do with slashes and leading dots is not done. */
#ifndef MP_BASE_GLOB_H
#define MP_BASE_GLOB_H

#include <stdbool.h>

enum {
    MP_GLOB_ANY_CASE = 1,
    MP_GLOB_NO_ESCAPES = 2, /* backslashes are characters, as in paths */
};

/* Whether the pattern fits the whole text. It takes steps by their lengths multiplied, at most. */
bool mp_glob_fits(const char *glob, const char *text, unsigned flags);

#endif
