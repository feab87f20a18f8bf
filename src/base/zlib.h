/* zlib, for gzip. It is loaded when it is first needed (base/late.h). */
#pragma once

#ifdef MEMPROF_ZLIB
#include <zlib.h>

#include "base/late.h"

#define MP_ZLIB(SYMBOL)                                                                            \
    SYMBOL(deflate)                                                                                \
    SYMBOL(deflateEnd)                                                                             \
    SYMBOL(deflateInit2_)                                                                          \
    SYMBOL(inflate)                                                                                \
    SYMBOL(inflateEnd)                                                                             \
    SYMBOL(inflateInit2_)

typedef struct mp_zlib {
    MP_ZLIB(MP_LATE_MEMBER)
} mp_zlib;

/* Only valid after mp_zlib_load has returned NULL. */
extern mp_zlib mp_z;
#endif

/* Load zlib, unless it is loaded already. Return NULL, or a static text with the reason why it
 * cannot be loaded. Thread-safe. */
const char *mp_zlib_load(void);
