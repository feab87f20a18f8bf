/* A file that was probably meant where there is none of this name. */
#ifndef MP_BASE_NEAR_H
#define MP_BASE_NEAR_H

#include <stddef.h>

/* ": is shop.oemp meant?" of the path of a file whose folder has one that is called nearly so, else
 * "": `text`, of `size` bytes, is where it is put. */
const char *mp_near_file(const char *path, char *text, size_t size);

#endif
