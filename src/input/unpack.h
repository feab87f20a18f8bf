/* Compression and archives: detected from the content, and decompressed while reading. */
#pragma once

#include "input/stream.h"

typedef enum mp_packing {
    MP_UNPACKED,
    MP_GZIP, /* compressed streams */
    MP_BZIP2,
    MP_XZ,
    MP_ZSTD,
    MP_LZ4,
    MP_ZIP, /* archives */
    MP_7ZIP,
    MP_TAR,
    MP_PACKINGS,
} mp_packing;

/* Return the name, such as "gzip"; static. */
const char *mp_packing_name(mp_packing packing);
static inline bool mp_packing_is_archive(mp_packing packing)
{
    return packing >= MP_ZIP;
}
/* Return the compression or archive format that starts with these bytes. */
mp_packing mp_packing_of(mp_slice head);

/* Nested compressions and archives, outermost first. */
enum { MP_MOST_NESTED = 16 };
typedef struct mp_layers {
    uint8_t layers[MP_MOST_NESTED];
    uint32_t count;
} mp_layers;

/* Limits of decompression. */
typedef struct mp_unpack_limits {
    uint64_t most;  /* decompressed bytes */
    uint64_t ratio; /* ratio of decompressed to compressed bytes, beyond MP_RATIO_FROM */
    uint64_t kept;  /* bytes of members kept in the temporary file of an archive */
    uint32_t nesting, files;
} mp_unpack_limits;

/* Number of decompressed bytes from which the ratio is checked: small files of blanks compress
 * extremely well. */
#define MP_RATIO_FROM ((uint64_t)64 * 1024 * 1024)

/* Check that `in` bytes may decompress to `out` bytes. Return false with the fault set. */
bool mp_unpack_check(mp_stream *stream, const mp_unpack_limits *limits, uint64_t out, uint64_t in);

/* Push a decompressor onto the stream for each compression around the content. Return the format of
 * an archive, or MP_UNPACKED for any other content. If the nesting limit is exceeded or a format is
 * not supported by this build, the stream has a fault. */
mp_packing mp_unpack_all(mp_stream **stream, mp_layers *layers, const mp_unpack_limits *limits);
