/* Slices of bytes and what is asked of them: comparison, UTF-8. A slice borrows; it owns nothing.
 */
#ifndef MP_BASE_TEXT_H
#define MP_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/slice.h"

mp_slice mp_slice_of(const char *text);
bool mp_slice_equal(mp_slice a, mp_slice b);
/* ASCII case ignored: format documents vary in the case of their own words. */
bool mp_slice_is(mp_slice a, const char *text);
bool mp_slice_starts(mp_slice a, const char *prefix);
/* Without blanks and tabs at both ends. */
mp_slice mp_slice_trim(mp_slice a);
bool mp_text_is(const char *a, const char *b);

/* Take the first line off the text, without its end (LF or CR LF). False: there is none left. */
bool mp_slice_take_line(mp_slice *text, mp_slice *line);
/* Without the byte order mark that some editors begin a text in UTF-8 with. */
mp_slice mp_slice_without_mark(mp_slice text);
/* The first control character other than a tab; NULL: there is none. */
const char *mp_slice_control(mp_slice text);
/* The column, from 1, of `cursor` in the line: in characters. */
uint32_t mp_slice_column(mp_slice line, const char *cursor);

/* A text in the making. Zero-initialise to start; release with free(buffer.at). */
typedef struct mp_text_buffer {
    char *text; /* NUL-terminated once anything was put */
    size_t length, capacity;
} mp_text_buffer;

void mp_text_put(mp_text_buffer *buffer, const char *text, size_t length);

/* Length of the valid UTF-8 sequence at `p` (1 to 4), or 0 where there is none. */
size_t mp_utf8_length(const char *p, const char *end);
bool mp_utf8_valid(mp_slice text);
/* The character at `p`, if it is one that people do not see, or that does something to a terminal;
 * else MP_SEEN. Its length in bytes, 0 where it is no UTF-8, is in `*length`. */
#define MP_SEEN UINT32_MAX
uint32_t mp_text_hidden(const char *p, const char *end, size_t *length);
/* Write the escape for the character at `p` and return the character's length in bytes; 0: it
 * needs none. Escaped are control characters ("\\x1b") and invisible characters, which could
 * make a name look like a different one ("\\u{202e}"). */
enum { MP_ESCAPE = 16 };
size_t mp_text_escape(const char *p, const char *end, char escape[MP_ESCAPE]);
/* The text in UTF-8: itself where it is valid, else its bytes read as ISO 8859-1, in the arena. */
mp_slice mp_utf8_from_bytes(mp_arena *arena, mp_slice text, bool *converted);

/* The text with its valid UTF-8 kept and every other byte read as ISO 8859-1: for messages that
 * quote a piece of a file, which may begin or end within a character. */
mp_slice mp_utf8_mend(mp_arena *arena, mp_slice text);
/* A copy in the arena, mended where it is no UTF-8. */
const char *mp_utf8_copy(mp_arena *arena, const char *text);

/* "a, b or c" of words and the last word between them; returns `text`. What does not fit is cut. */
const char *mp_text_list(const char *const *words, size_t count, const char *last, char *text,
                         size_t size);

/* The word that was probably meant: the one that takes the fewest letters added, left out, replaced
 * or swapped, few of them, or else the only one that begins so. NULL: it is like none of them. */
const char *mp_text_nearest(const char *text, const char *const *words, size_t count);

#endif
