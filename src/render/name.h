/* Names in little room: of types, frames, paths. What tells one name from another is at its right
 * end, so that is what stays. */
#ifndef MP_RENDER_NAME_H
#define MP_RENDER_NAME_H

#include "base/memory.h"

/* The name in at most `width` columns; itself where it fits. What goes first: arguments of
 * signatures and templates ("add(…)"), then the left side of qualified names and paths, at a dot,
 * slash or "::" ("placeOrder …OrderService:155"), then the left side of all, or the middle of a
 * text that has no such parts. Lives in the arena or as long as `name`. */
const char *mp_shorten_name(mp_arena *arena, const char *name, size_t width);

/* The part of the word [at, end) that matters most, its last component: "OrderService:155" of
 * "shop.OrderService:155", "placeOrder.p:51" of "shop/placeOrder.p:51". `at` if it has but one. */
const char *mp_last_component(const char *at, const char *end);

#endif
