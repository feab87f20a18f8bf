/* jansson with memprof's allocator: if memory runs out, the out-of-memory handler is called.
 * jansson alone might silently drop a part of a text. */
#pragma once

#include <jansson.h>

/* Enclose every use of jansson, whose allocator is global to the process. The first begin installs
 * memprof's allocator unless the program has set its own; the last end restores the default. */
void mp_json_begin(void);
void mp_json_end(void);
