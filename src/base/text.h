/* Slices of bytes, UTF-8, and small text functions. A slice borrows its bytes and owns nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/slice.h"

/* Return the slice of a text that ends with NUL. */
mp_slice mp_slice_of(const char *text);
bool mp_slice_equal(mp_slice a, mp_slice b);
/* Compare without regard to ASCII case, because descriptions of a format differ in the case of its
 * keywords. */
bool mp_slice_is(mp_slice a, const char *text);
bool mp_slice_starts(mp_slice a, const char *prefix);
/* Return the slice without leading and trailing blanks and tabs. */
static inline mp_slice mp_slice_trim(mp_slice a)
{
    while (a.length && (a.start[0] == ' ' || a.start[0] == '\t')) {
        a.start++;
        a.length--;
    }
    while (a.length && (a.start[a.length - 1] == ' ' || a.start[a.length - 1] == '\t'))
        a.length--;
    return a;
}
/* Remove a prefix from the slice, after blanks and tabs. Return false, and leave the slice
 * unchanged, if it begins with something else. */
bool mp_slice_take(mp_slice *a, const char *prefix);
/* Remove a number without a sign from the start of the slice, after blanks and tabs; `base` is 10
 * or 16. Return false, and leave the slice unchanged, if there is no number, or it has more than 64
 * bits. */
bool mp_slice_take_number(mp_slice *a, unsigned base, uint64_t *value);
bool mp_text_is(const char *a, const char *b);

/* Remove the first line from the text; `line` does not include its end (LF or CR LF). Return false
 * at the end of the text. */
bool mp_slice_take_line(mp_slice *text, mp_slice *line);
/* Return the text without the UTF-8 byte order mark that some editors write. */
mp_slice mp_slice_without_mark(mp_slice text);
/* Return the first control character other than a tab; NULL: none. */
const char *mp_slice_control(mp_slice text);
/* Return the column of `cursor` in the line, in characters from 1. */
uint32_t mp_slice_column(mp_slice line, const char *cursor);

/* Compare two texts by bytes, for qsort() and bsearch() of pointers to texts. */
int mp_text_order(const void *left, const void *right);

/* Return the texts of a list, such as the frames of a stack, as one: "a < b". Takes linear time,
 * because a stack may have a million frames. */
const char *mp_texts_join(mp_arena *arena, const char *const *texts, size_t count);

/* Bytes of the longest name that is kept whole. */
enum { MP_LONGEST_NAME = 64 * 1024 };

/* A growing text. Zero-initialise to start; release with free(buffer.text). */
typedef struct mp_text_buffer {
    char *text; /* NUL-terminated; NULL before the first mp_text_put */
    size_t length, capacity;
} mp_text_buffer;

/* Append `length` bytes. */
void mp_text_put(mp_text_buffer *buffer, const char *text, size_t length);
/* Return true if the buffer has this text. */
bool mp_text_buffer_is(const mp_text_buffer *buffer, const char *text);
/* Return the text in the buffer, valid until it changes. */
static inline mp_slice mp_text_of(const mp_text_buffer *buffer)
{
    return (mp_slice){buffer->length ? buffer->text : "", buffer->length};
}

/* Return the length of the valid UTF-8 sequence at `p`, 1 to 4 bytes; 0: it is invalid. */
size_t mp_utf8_length(const char *p, const char *end);
bool mp_utf8_valid(mp_slice text);
/* Return the character at `p` if it is invisible or may control a terminal; otherwise, and for
 * invalid UTF-8, MP_SEEN. *length is the length of the character in bytes; 0: invalid UTF-8. */
#define MP_SEEN UINT32_MAX
uint32_t mp_text_hidden(const char *p, const char *end, size_t *length);
/* Write the escape for the character at `p`. Return the length of the character in bytes; 0: it
 * needs no escape. Control characters are escaped ("\\x1b"), and invisible characters, which can
 * make two names look equal ("\\u{202e}"). */
enum { MP_ESCAPE = 16 };
size_t mp_text_escape(const char *p, const char *end, char escape[MP_ESCAPE]);
/* Return the text if it is valid UTF-8. Otherwise convert it from ISO 8859-1 into the arena and set
 * *converted. */
mp_slice mp_utf8_from_bytes(mp_arena *arena, mp_slice text, bool *converted);

/* Copy the text into the arena: valid UTF-8 is kept, every other byte is read as ISO 8859-1. For
 * messages that quote a part of a file, which may begin or end inside a character. */
mp_slice mp_utf8_mend(mp_arena *arena, mp_slice text);
/* Copy the text into the arena; invalid UTF-8 is replaced as by mp_utf8_mend. */
const char *mp_utf8_copy(mp_arena *arena, const char *text);

/* Join words to "a, b or c", with `last` ("or") before the last word. Return `text`; a list that
 * does not fit into `size` bytes is cut. */
const char *mp_text_list(const char *const *words, size_t count, const char *last, char *text,
                         size_t size);

/* Return the place, from 0, of the first of these endings, separated by blanks, that the text of
 * `length` bytes has in upper or lower case; -1: it has none, or consists of it. */
int mp_text_ending(const char *text, size_t length, const char *endings);

/* Return the word that the user probably meant. It is the word with the smallest edit distance, if
 * that is small; otherwise the only word that begins with `text`. NULL: no word is similar. */
const char *mp_text_nearest(const char *text, const char *const *words, size_t count);

/* Return the name of a file without its folders. */
const char *mp_file_name(const char *path);
