/* Rewriting names: s/REGEX/TEXT/, as in sed. */
#ifndef MP_COMPARE_SUBSTITUTION_H
#define MP_COMPARE_SUBSTITUTION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct mp_substitutions mp_substitutions;

/* The texts were checked with mp_substitution_check. Release with mp_substitutions_free. */
mp_substitutions *mp_substitutions_new(const char *const *texts, size_t count);
void mp_substitutions_free(mp_substitutions *substitutions);

/* The text after all substitutions, in their order: the text itself where none applies, else room
 * of the substitutions, valid until the next call. */
const char *mp_substitute(mp_substitutions *substitutions, const char *text);

#endif
