/* A borrowed run of bytes, not NUL-terminated. Its owner must outlive it. */
#ifndef MP_BASE_SLICE_H
#define MP_BASE_SLICE_H

#include <stddef.h>

typedef struct mp_slice {
    const char *start;
    size_t length;
} mp_slice;

#endif
