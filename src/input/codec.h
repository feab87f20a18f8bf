/* A common interface to the decompression libraries, for one stream each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The input not yet consumed and the output space not yet filled. A step advances both. */
typedef struct mp_codec_bytes {
    const char *in;
    char *out;
    size_t length, room;
} mp_codec_bytes;

typedef enum mp_codec_result {
    MP_CODEC_MORE,
    MP_CODEC_MAY_END, /* as MP_CODEC_MORE, but the stream is complete if the input ends here */
    MP_CODEC_END,     /* end of one stream; another one may follow */
    MP_CODEC_DAMAGED,
} mp_codec_result;

typedef struct mp_codec {
    size_t size;                /* size of the state, which must be zeroed before `begin` */
    bool (*begin)(void *state); /* return false if memory runs out */
    /* Decompress as much as input (which may be empty) and output space allow. *why is set if the
     * stream is damaged, and is valid as long as the state. */
    mp_codec_result (*step)(void *state, mp_codec_bytes *bytes, const char **why);
    void (*end)(void *state);
} mp_codec;

extern const mp_codec mp_codec_gzip, mp_codec_bzip2, mp_codec_xz, mp_codec_zstd, mp_codec_lz4;
