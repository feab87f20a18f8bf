/* In which order heap dumps were made, as far as their names tell. */
#ifndef MP_READERS_DUMP_ORDER_H
#define MP_READERS_DUMP_ORDER_H

#include <stdbool.h>

/* Whether two paths are the same but for numbers in them, and those of the first are higher: it is
 * a later dump than the second. */
bool mp_is_numbered_behind(const char *first, const char *second);

#endif
