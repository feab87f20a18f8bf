/* A slice borrows a run of bytes from somebody who owns them; it is not NUL-terminated. */
#ifndef MP_BASE_SLICE_H
#define MP_BASE_SLICE_H

#include <stddef.h>

typedef struct mp_slice {
    const char *start;
    size_t length;
} mp_slice;

#endif
