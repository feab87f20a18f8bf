/* Libraries that undo a packing of one stream, behind one face. */
#ifndef MP_INPUT_CODEC_H
#define MP_INPUT_CODEC_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes left on both sides: a step takes from `in` and puts into `out`. */
typedef struct mp_codec_bytes {
    const char *in;
    char *out;
    size_t length, room;
} mp_codec_bytes;

typedef enum mp_codec_result {
    MP_CODEC_MORE,
    MP_CODEC_MAY_END, /* likewise, but it is whole if nothing comes */
    MP_CODEC_END,     /* end of one stream; another one may follow */
    MP_CODEC_DAMAGED,
} mp_codec_result;

typedef struct mp_codec {
    size_t size;                /* size of a state, which is 0 at first */
    bool (*begin)(void *state); /* false: there is no memory */
    /* Decompress as far as there are bytes, of which there may be none, and room. *why is set if
     * the stream is damaged, and lives as long as the state. */
    mp_codec_result (*step)(void *state, mp_codec_bytes *bytes, const char **why);
    void (*end)(void *state);
} mp_codec;

extern const mp_codec mp_codec_gzip, mp_codec_bzip2, mp_codec_xz, mp_codec_zstd, mp_codec_lz4;

#endif
