/* A borrowed run of bytes, not NUL-terminated. Its owner must outlive it. */
#pragma once

#include <stddef.h>

typedef struct mp_slice {
    const char *start;
    size_t length;
} mp_slice;
