/* Characters and sets of them, "[a-z]", as patterns mean them: of Unicode, in every locale. */
#ifndef MP_BASE_CHARACTERS_H
#define MP_BASE_CHARACTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { MP_NO_UTF8 = 0xdc00 }; /* and the byte: stands for a byte that is part of no character */

/* Take the character at *p, which is not the end of the text, off it. */
uint32_t mp_character_take(const char **p);
uint32_t mp_character_lower(uint32_t code);
/* A letter, a digit or "_". */
bool mp_character_in_word(uint32_t code);
bool mp_character_is_space(uint32_t code);

enum {
    MP_SET_OF_GLOB = 1, /* "!" negates it too; a range may be empty */
    MP_SET_ESCAPES = 2, /* a backslash makes what follows a character */
    MP_SET_ANY_CASE = 4,
};

/* Behind the set at `cursor`, which is "["; NULL: it does not end, or is none, for a reason.
 * Whether the character is in it is in `*in`. */
const char *mp_set_read(const char *cursor, uint32_t code, unsigned flags, bool *in,
                        const char **reason);

#endif
