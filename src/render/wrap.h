/* Texts that go on in a next line. */
#ifndef MP_RENDER_WRAP_H
#define MP_RENDER_WRAP_H

#include <stdbool.h>

#include "base/memory.h"

/* The text in lines of `width` columns (0: any), the first behind `used` columns, each further one
 * behind `hang` blanks: it ends at a blank if there is one, else at the end of a part of a name,
 * else where there is no more room. Itself where it fits. */
const char *mp_wrap_text(mp_arena *arena, const char *text, size_t used, size_t hang, size_t width);

/* A line of what was wrapped, from 0; "" if there is none. `further`: others follow. */
const char *mp_line_of_text(mp_arena *arena, const char *text, size_t line, bool *further);

#endif
