/* Small files that are read beside recordings. */
#ifndef MP_BASE_FILE_H
#define MP_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A whole file in memory. The text is to be released with free() in each case; it is not
 * NUL-terminated. False with an error (MP_ERROR_INPUT). */
bool mp_file_read(const char *path, char **text, size_t *length, mp_error *error);

#endif
