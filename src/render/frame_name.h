/* Names of frames in little room, where neighbours are to be told apart. */
#ifndef MP_RENDER_FRAME_NAME_H
#define MP_RENDER_FRAME_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

enum { MP_FRAME_NAMES = 6 };

/* The name, then shorter ones, each of which tells less; gives how many. Of "placeOrder
 * shop.OrderService:97" the source loses its folders, then all of it goes, as the method tells
 * most; of types their last word stays. The last one, "placeOrder", can be cut at its end. Texts
 * live in the arena, or as long as `name`. src/render/svg/flame.js does the same. */
size_t mp_frame_names(mp_arena *arena, const char *name, bool is_type,
                      const char *names[MP_FRAME_NAMES]);

#endif
