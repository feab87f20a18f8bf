/* Wrap texts into lines. */
#pragma once

#include <stdbool.h>

#include "base/memory.h"

/* Return the text wrapped into lines of `width` columns (0 = unlimited). The first line begins
 * after `used` columns, all others after `hang` blanks. A line ends at a blank if possible,
 * otherwise after a part of a name, otherwise anywhere. Return `text` itself if it fits. */
const char *mp_wrap_text(mp_arena *arena, const char *text, size_t used, size_t hang, size_t width);

/* Return line number `line` (from 0) of a wrapped text; "" if there is none. `further`: set to true
 * if more lines follow. */
const char *mp_line_of_text(mp_arena *arena, const char *text, size_t line, bool *further);
