/* Short names of frames that remain distinguishable from their neighbours. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

enum { MP_FRAME_NAMES = 6 };

/* Return the name and its shorter forms, the longest first, and their number. The name "placeOrder
 * shop.OrderService:97" first loses its folders, then its source, because the method is more
 * informative; a type keeps its last word. The shortest form, "placeOrder", may be cut at its end.
 * Texts live in the arena, or as long as `name`. src/render/svg/flame.js does the same. */
size_t mp_frame_names(mp_arena *arena, const char *name, bool is_type,
                      const char *names[MP_FRAME_NAMES]);
