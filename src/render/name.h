/* Shorten names of types, frames and paths. Their right ends are kept, because they are the most
 * specific. */
#pragma once

#include "base/memory.h"

#define MP_ELLIPSIS "\xe2\x80\xa6"

/* Remove the arguments of signatures and templates if the name is wider than `width`: "add(…)". */
const char *mp_collapse_name(mp_arena *arena, const char *name, size_t width);

/* Shorten a name to `width` columns if possible, otherwise to at most `lines` lines of that width.
 * First arguments are removed, then leading components of qualified names and paths ("placeOrder
 * …OrderService:155"). If it still does not fit, the left side of a name or the middle of other
 * text is removed. The result belongs to the arena, or is part of `name`. */
const char *mp_shorten_name(mp_arena *arena, const char *name, size_t width, size_t lines);

/* Return the last component of the word [cursor, end): "OrderService:155" for
 * "shop.OrderService:155", "placeOrder.p:51" for "shop/placeOrder.p:51". Returns `cursor` if it has
 * only one. */
const char *mp_last_component(const char *cursor, const char *end);

/* Return the end of the word at `p`; blanks within brackets are part of a word. */
const char *mp_word_end(const char *p);
