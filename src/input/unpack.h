/* What is packed: found out by content, and undone while it is read. */
#ifndef MP_INPUT_UNPACK_H
#define MP_INPUT_UNPACK_H

#include "input/stream.h"

typedef enum mp_packing {
    MP_UNPACKED,
    MP_GZIP, /* one stream of bytes */
    MP_BZIP2,
    MP_XZ,
    MP_ZSTD,
    MP_LZ4,
    MP_ZIP, /* archives of members */
    MP_7ZIP,
    MP_TAR,
    MP_PACKINGS,
} mp_packing;

/* "gzip"; static. */
const char *mp_packing_name(mp_packing packing);
static inline bool mp_packing_is_archive(mp_packing packing)
{
    return packing >= MP_ZIP;
}
/* What begins so. */
mp_packing mp_packing_of(mp_slice head);

/* How much may come of what is packed. */
typedef struct mp_unpack_limits {
    uint64_t most;  /* bytes */
    uint64_t ratio; /* of what comes out to what goes in, where it is much */
} mp_unpack_limits;

/* Whether so much may come of so much; false with the fault. */
bool mp_unpack_check(mp_stream *stream, const mp_unpack_limits *limits, uint64_t out, uint64_t in);

/* The bytes of a packed stream, no archive, that `below` gives, which it owns from now on. NULL,
 * with *why (static) and `below` as it was: there is no way to unpack it. */
mp_stream *mp_unpack(mp_stream *below, mp_packing packing, const mp_unpack_limits *limits,
                     const char **why);

#endif
