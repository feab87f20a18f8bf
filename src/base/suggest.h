/* Suggestion of a file where there is none of the name that was given. */
#ifndef MP_BASE_SUGGEST_H
#define MP_BASE_SUGGEST_H

#include <stddef.h>

/* Return ": is shop.oemp meant?" if the folder of the path has a file with a similar name, else "".
 * It is written to `text`, of `size` bytes. */
const char *mp_suggest_file(const char *path, char *text, size_t size);

#endif
