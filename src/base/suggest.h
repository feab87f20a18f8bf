/* Suggestion of a similar name for a file that does not exist. */
#pragma once

#include <stddef.h>

/* Return "; did you mean 'shop.oemp'?" if the path's folder has a file with a similar name,
 * otherwise "". The text is written to `text` of `size` bytes. */
const char *mp_suggest_file(const char *path, char *text, size_t size);
