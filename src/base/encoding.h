/* Encodings of text other than UTF-8: UTF-16, and what the C library's iconv knows, as long as
 * ASCII is itself in it. A byte below 0x80 that begins a character is ASCII, whatever iconv makes
 * of it (a yen sign of the backslash): paths and quotes stay what they are. */
#ifndef MP_BASE_ENCODING_H
#define MP_BASE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/slice.h"

typedef struct mp_encoding mp_encoding;

/* By its name, "CP1252", in any case and any locale. NULL: there is none, for a reason (static).
 * Belongs to one thread; release with mp_encoding_close. */
mp_encoding *mp_encoding_open(const char *name, const char **why);
/* NULL: nothing happens. */
void mp_encoding_close(mp_encoding *encoding);

/* How many bytes a character of ASCII has: 1, and a text of nothing else needs no conversion; 2 in
 * UTF-16. */
size_t mp_encoding_unit(const mp_encoding *encoding);
/* Copy the ASCII that stands at the beginning, as far as there is room: how many characters. */
size_t mp_encoding_ascii(const mp_encoding *encoding, const char *cursor, size_t length, char *out,
                         size_t room);

/* No character has more bytes of UTF-8, nor more of its own. */
enum { MP_MOST_OF_CHARACTER = 16 };

/* Write the character at `cursor` as UTF-8, `*put` bytes, and give how many bytes it has there.
 * What is none is one or two bytes of U+FFFD, and *bad is set. 0: it goes on behind `length`, which
 * is not the end of the text (`last`). */
size_t mp_encoding_take(mp_encoding *encoding, const char *cursor, size_t length, bool last,
                        char *out, size_t *put, bool *bad);
/* The text in UTF-8: itself where it is ASCII, else in the arena. */
mp_slice mp_encoding_text(mp_encoding *encoding, mp_arena *arena, mp_slice text, bool *bad);

#endif
