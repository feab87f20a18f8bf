/* Compression and archives: detected by content, and undone while reading. */
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
/* Return the kind of packing that begins with these bytes. */
mp_packing mp_packing_of(mp_slice head);

/* Packings inside each other, outermost first. */
enum { MP_MOST_NESTED = 16 };
typedef struct mp_layers {
    uint8_t layers[MP_MOST_NESTED];
    uint32_t count;
} mp_layers;

/* Limits of decompression. */
typedef struct mp_unpack_limits {
    uint64_t most;  /* bytes */
    uint64_t ratio; /* ratio of output to input, beyond MP_RATIO_FROM */
    uint64_t kept;  /* bytes of an archive's members, in a temporary file */
    uint32_t nesting, files;
} mp_unpack_limits;

/* No ratio is a fault below so many bytes: blank lines compress well. */
#define MP_RATIO_FROM ((uint64_t)64 * 1024 * 1024)

/* Check that `in` bytes may decompress to `out`; false with the fault set. */
bool mp_unpack_check(mp_stream *stream, const mp_unpack_limits *limits, uint64_t out, uint64_t in);

/* Stack decompression of each packing on the stream, down to an archive, which is then returned. If
 * one cannot be decompressed, the stream has a fault. */
mp_packing mp_unpack_all(mp_stream **stream, mp_layers *layers, const mp_unpack_limits *limits);

#endif
