/* Unicode characters and bracket expressions such as "[a-z]", for globs and regular expressions.
 * The results do not depend on the locale. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { MP_NO_UTF8 = 0xdc00 }; /* base of the codes for bytes that are not valid UTF-8 */

/* Return the character at *p and advance *p past it. *p must not be at the end of the text. A byte
 * of invalid UTF-8 is returned as MP_NO_UTF8 plus the byte. */
uint32_t mp_character_take(const char **p);
uint32_t mp_character_lower(uint32_t code);
/* Return true for a letter, a digit or "_". */
bool mp_character_in_word(uint32_t code);
bool mp_character_is_space(uint32_t code);

enum {
    MP_SET_OF_GLOB = 1, /* "!" negates, like "^"; a range may be empty */
    MP_SET_ESCAPES = 2, /* a backslash quotes the next character */
    MP_SET_ANY_CASE = 4,
};

/* Parse the bracket expression at `cursor`, which points to "[". Return the position after its "]"
 * and set *in to true if the set contains the character `code`. Return NULL and set *reason
 * (static) if the expression is malformed. */
const char *mp_set_read(const char *cursor, uint32_t code, unsigned flags, bool *in,
                        const char **reason);
