/* Rewriting names: s/REGEX/TEXT/, as in sed. */
#ifndef MP_COMPARE_SUBSTITUTION_H
#define MP_COMPARE_SUBSTITUTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Check that the text is "s/REGEX/TEXT/" or "s/REGEX/TEXT/g" in UTF-8. The slashes may be any
 * ASCII character except a backslash or a line end. It has extended regular expressions, and \1
 * to \9 and & in TEXT. False with a message. */
bool mp_substitution_check(const char *text, mp_error *error);

typedef struct mp_substitutions mp_substitutions;

/* The texts were checked with mp_substitution_check, and are borrowed. Release with
 * mp_substitutions_free. */
mp_substitutions *mp_substitutions_new(const char *const *texts, size_t count);
void mp_substitutions_free(mp_substitutions *substitutions);

/* The text after all substitutions, in their order: the text itself where none applies, else room
 * of the substitutions, valid until the next call. NULL with a message: one of them takes far more
 * steps than the text is long, or makes it far longer. */
const char *mp_substitute(mp_substitutions *substitutions, const char *text, mp_error *error);

#endif
