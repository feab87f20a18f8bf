/* Text encodings other than UTF-8: UTF-16, and encodings of the C library's iconv that contain
 * ASCII. A byte below 0x80 at the start of a character is always ASCII, even if iconv maps it to
 * another character (as Shift-JIS maps the backslash to a yen sign), so paths and quotes
 * survive. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/slice.h"

typedef struct mp_encoding mp_encoding;

/* Open an encoding by its name, such as "CP1252"; case and locale do not matter. Return NULL and
 * set *why (static) if it is unknown or does not contain ASCII. Use it in one thread only; release
 * with mp_encoding_close. */
mp_encoding *mp_encoding_open(const char *name, const char **why);
/* Release the encoding; NULL is allowed. */
void mp_encoding_close(mp_encoding *encoding);

/* Return the number of bytes of an ASCII character: 2 in UTF-16, otherwise 1. With 1, a text that
 * is all ASCII needs no conversion. */
size_t mp_encoding_unit(const mp_encoding *encoding);
/* Copy the leading ASCII characters of the input to `out`, at most `room`. Return their number. */
size_t mp_encoding_ascii(const mp_encoding *encoding, const char *cursor, size_t length, char *out,
                         size_t room);

/* Maximum bytes of one character, in UTF-8 and in its own encoding. */
enum { MP_MOST_OF_CHARACTER = 16 };

/* Convert the character at `cursor` to UTF-8: write *put bytes to `out` and return the number of
 * input bytes consumed. An invalid character becomes U+FFFD and sets *bad; it consumes one or two
 * bytes. Return 0 if the character continues beyond `length` and more input follows (not
 * `last`). */
size_t mp_encoding_take(mp_encoding *encoding, const char *cursor, size_t length, bool last,
                        char *out, size_t *put, bool *bad);
/* Convert a text to UTF-8. An ASCII text is returned unchanged; any other text is converted into
 * the arena. *bad is set if the text has invalid characters. */
mp_slice mp_encoding_text(mp_encoding *encoding, mp_arena *arena, mp_slice text, bool *bad);
