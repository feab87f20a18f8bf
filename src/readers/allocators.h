/* Frames that do not name a site: an allocator's own say nothing about who wanted the memory. */
#ifndef MP_READERS_ALLOCATORS_H
#define MP_READERS_ALLOCATORS_H

#include "readers/reader.h"

/* Whether the function of this name is passed over. The user's globs stand in place of the usual
 * allocators. */
bool mp_is_allocator(const mp_load_options *options, const char *frame);

#endif
