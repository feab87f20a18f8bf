/* Names in little room: of types, frames, paths. What tells one name from another is at its right
 * end, so that is what stays. */
#ifndef MP_RENDER_NAME_H
#define MP_RENDER_NAME_H

#include "base/memory.h"

#define MP_ELLIPSIS "\xe2\x80\xa6"

/* Without the arguments of signatures and templates, where it is wider than that: "add(…)". */
const char *mp_collapse_name(mp_arena *arena, const char *name, size_t width);

/* The name in `width` columns if that can be, else in as many lines of them: itself where it fits;
 * else without arguments, then without the left side of qualified names and paths, at a dot or
 * slash ("placeOrder …OrderService:155"). The rest goes on in further lines; of what is too long
 * for those, the left side goes, or the middle of a text without parts. Lives in the arena or as
 * long as `name`. */
const char *mp_shorten_name(mp_arena *arena, const char *name, size_t width, size_t lines);

/* The part of the word [at, end) that matters most, its last component: "OrderService:155" of
 * "shop.OrderService:155", "placeOrder.p:51" of "shop/placeOrder.p:51". `cursor` if it has but one.
 */
const char *mp_last_component(const char *cursor, const char *end);

/* The end of the word at `p`: blanks within brackets are part of it. */
const char *mp_word_end(const char *p);

#endif
