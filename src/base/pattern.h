/* Regular expressions that come from files and command lines. */
#ifndef MP_BASE_PATTERN_H
#define MP_BASE_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* Compile an extended regular expression, with other flags of regcomp. Release with regfree.
 *
 * glibc writes each repetition out, so that (((a{255}){255}){255}) takes all memory, and calls
 * itself for each parenthesis: what would come to more than 20000 characters or 200 levels is
 * refused. False with a reason; then there is nothing to release. */
bool mp_pattern_compile(regex_t *regex, const char *pattern, int flags, char *reason, size_t size);

#endif
