/* Extended regular expressions that come from files and command lines, matched in time that grows
 * with the length of the text alone.
 *
 * POSIX 1003.2 as glibc reads it, with \w \W \s \S \b \B \< \> \` \', and without back-references:
 * nobody knows how to match those in such a time. A match is the leftmost, and the longest of
 * these. Characters and their classes are those of Unicode, in every locale. */
#ifndef MP_BASE_PATTERN_H
#define MP_BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

typedef struct mp_pattern mp_pattern;

/* Position of a match in a text, in bytes; `begin` is MP_NOWHERE if there is none. */
typedef struct mp_span {
    size_t begin, end;
} mp_span;
#define MP_NOWHERE ((size_t)-1)

/* NULL with a reason: it is none, or a very large one. Release with mp_pattern_free. */
mp_pattern *mp_pattern_new(const char *text, char *reason, size_t size);
void mp_pattern_free(mp_pattern *pattern);

/* A text that is part of each that has a match: one that stands in the expression as it is, outside
 * of groups, before any [ or {. May be empty. */
mp_slice mp_pattern_core(const char *text);

/* Return true if the text matches somewhere from byte `from` on; ^ and \b also see the text
 * before it. The pattern caches states, so only one thread may use it at a time. */
bool mp_pattern_fits(mp_pattern *pattern, const char *text, size_t from);

/* The same, and where: of the match, and of the groups \1 to \9. Up to where the text was looked at
 * is in `*looked`. */
enum { MP_PATTERN_GROUPS = 10 };
bool mp_pattern_find(mp_pattern *pattern, const char *text, size_t from,
                     mp_span groups[MP_PATTERN_GROUPS], size_t *looked);

#endif
