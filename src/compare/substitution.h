/* Rewriting names: s/REGEX/TEXT/, as in sed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Check that the text is "s/REGEX/TEXT/" or "s/REGEX/TEXT/g" in UTF-8. REGEX is an extended regular
 * expression; TEXT may contain & and \1 to \9. The slash may be replaced by any ASCII character
 * except a backslash or a newline. Return false with an error. */
bool mp_substitution_check(const char *text, mp_error *error);

typedef struct mp_substitutions mp_substitutions;

/* Create substitutions from texts that passed mp_substitution_check; the texts are borrowed.
 * Release with mp_substitutions_free. */
mp_substitutions *mp_substitutions_new(const char *const *texts, size_t count);
void mp_substitutions_free(mp_substitutions *substitutions);

/* Apply all substitutions to a text, in order. Return the text itself if none applies, otherwise a
 * text that is valid until the next call. Return NULL with an error if a substitution takes far
 * more steps than the text is long, or makes it far longer. */
const char *mp_substitute(mp_substitutions *substitutions, const char *text, mp_error *error);
