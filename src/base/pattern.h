/* Extended regular expressions from files and command lines. Matching takes time in proportion to
 * the length of the text.
 *
 * The syntax is POSIX 1003.2 as glibc reads it, with \w \W \s \S \b \B \< \> \` \', but without
 * back-references, which cannot be matched in linear time. The leftmost match is found; if there
 * are several, the longest of them. Characters and classes are those of Unicode in every locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

typedef struct mp_pattern mp_pattern;

/* Position of a match in a text, in bytes; `begin` is MP_NOWHERE if there is none. */
typedef struct mp_span {
    size_t begin, end;
} mp_span;
#define MP_NOWHERE ((size_t)-1)

/* Compile an expression. Return NULL and write a reason of at most `size` bytes if it is malformed
 * or too large. Release with mp_pattern_free. */
mp_pattern *mp_pattern_new(const char *text, char *reason, size_t size);
void mp_pattern_free(mp_pattern *pattern);

/* Return a text that every match contains: the longest literal part outside of groups and before
 * any "[" or "{". It may be empty. */
mp_slice mp_pattern_core(const char *text);

/* Return true if the text matches at or after byte `from`. The bytes before `from` count for ^ and
 * \b. The pattern caches states, so only one thread may use it at a time. */
bool mp_pattern_fits(mp_pattern *pattern, const char *text, size_t from);

/* Find a match in the same way as mp_pattern_fits. Set groups[0] to its position, groups[1] to
 * groups[9] to the positions of \1 to \9, and *looked to the end of the examined text. */
enum { MP_PATTERN_GROUPS = 10 };
bool mp_pattern_find(mp_pattern *pattern, const char *text, size_t from,
                     mp_span groups[MP_PATTERN_GROUPS], size_t *looked);
