/* Decompression libraries. If a stream is truncated, all bytes that were decompressed before its
 * end are used. */
#include "input/codec.h"

#ifdef MEMPROF_ARCHIVE
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/zlib.h"
#include "input/libarchive.h"

/* Limit a length for libraries with 32-bit counters. */
static unsigned clipped(size_t length)
{
    return length < 1u << 30 ? (unsigned)length : 1u << 30;
}

static void advance(mp_codec_bytes *bytes, size_t taken, size_t put)
{
    bytes->in += taken;
    bytes->length -= taken;
    if (put) /* `out` may be NULL while no output is wanted */
        bytes->out += put;
    bytes->room -= put;
}

static mp_codec_result damaged(const char *what, const char **why)
{
    *why = what ? what : "damaged";
    return MP_CODEC_DAMAGED;
}

/* --- gzip --- */

static bool gzip_begin(void *state)
{
    enum { WITH_HEADER = 16 };
    return mp_z.inflateInit2_(state, MAX_WBITS + WITH_HEADER, ZLIB_VERSION, sizeof(z_stream)) ==
           Z_OK;
}

static mp_codec_result gzip_step(void *state, mp_codec_bytes *bytes, const char **why)
{
    z_stream *zlib = state;
    uInt length = zlib->avail_in = clipped(bytes->length);
    uInt room = zlib->avail_out = clipped(bytes->room);
    zlib->next_in = (Bytef *)(uintptr_t)bytes->in;
    zlib->next_out = (Bytef *)bytes->out;
    int code = mp_z.inflate(zlib, Z_NO_FLUSH);
    advance(bytes, length - zlib->avail_in, room - zlib->avail_out);
    if (code == Z_MEM_ERROR)
        mp_out_of_memory();
    return code == Z_STREAM_END                  ? MP_CODEC_END
           : code == Z_OK || code == Z_BUF_ERROR ? MP_CODEC_MORE
                                                 : damaged(zlib->msg, why);
}

static void gzip_end(void *state)
{
    mp_z.inflateEnd(state);
}

const mp_codec mp_codec_gzip = {sizeof(z_stream), gzip_begin, gzip_step, gzip_end};

/* --- bzip2 --- */

static bool bzip2_begin(void *state)
{
    return mp_la.BZ2_bzDecompressInit(state, 0, 0) == BZ_OK;
}

static mp_codec_result bzip2_step(void *state, mp_codec_bytes *bytes, const char **why)
{
    bz_stream *bzip2 = state;
    unsigned length = bzip2->avail_in = clipped(bytes->length);
    unsigned room = bzip2->avail_out = clipped(bytes->room);
    bzip2->next_in = (char *)(uintptr_t)bytes->in;
    bzip2->next_out = bytes->out;
    int code = mp_la.BZ2_bzDecompress(bzip2);
    advance(bytes, length - bzip2->avail_in, room - bzip2->avail_out);
    if (code == BZ_MEM_ERROR)
        mp_out_of_memory();
    return code == BZ_STREAM_END ? MP_CODEC_END
           : code == BZ_OK       ? MP_CODEC_MORE
                                 : damaged(NULL, why);
}

static void bzip2_end(void *state)
{
    mp_la.BZ2_bzDecompressEnd(state);
}

const mp_codec mp_codec_bzip2 = {sizeof(bz_stream), bzip2_begin, bzip2_step, bzip2_end};

/* --- xz --- */

static bool xz_begin(void *state)
{
    const uint64_t most = (uint64_t)1 << 30; /* bytes of memory that a file may request */
    return mp_la.lzma_stream_decoder(state, most, 0) == LZMA_OK;
}

static mp_codec_result xz_step(void *state, mp_codec_bytes *bytes, const char **why)
{
    lzma_stream *xz = state;
    size_t length = xz->avail_in = bytes->length, room = xz->avail_out = bytes->room;
    xz->next_in = (const uint8_t *)bytes->in;
    xz->next_out = (uint8_t *)bytes->out;
    lzma_ret code = mp_la.lzma_code(xz, LZMA_RUN);
    advance(bytes, length - xz->avail_in, room - xz->avail_out);
    if (code == LZMA_MEM_ERROR)
        mp_out_of_memory();
    return code == LZMA_STREAM_END                     ? MP_CODEC_END
           : code == LZMA_OK || code == LZMA_BUF_ERROR ? MP_CODEC_MORE
           : code == LZMA_MEMLIMIT_ERROR ? damaged("it asks for over 1 GiB of memory", why)
           : code == LZMA_OPTIONS_ERROR  ? damaged("liblzma does not support its compression", why)
                                         : damaged(NULL, why);
}

static void xz_end(void *state)
{
    mp_la.lzma_end(state);
}

const mp_codec mp_codec_xz = {sizeof(lzma_stream), xz_begin, xz_step, xz_end};

/* --- zstd --- */

typedef struct zstd_state {
    ZSTD_DStream *stream;
    size_t next; /* bytes up to the end of a block */
} zstd_state;

static bool zstd_begin(void *state)
{
    zstd_state *zstd = state;
    zstd->stream = mp_la.ZSTD_createDStream();
    zstd->next = zstd->stream ? mp_la.ZSTD_initDStream(zstd->stream) : 0;
    return zstd->stream != NULL;
}

static mp_codec_result zstd_step(void *state, mp_codec_bytes *bytes, const char **why)
{
    enum { BLOCK_HEAD = 3 };
    zstd_state *zstd = state;
    /* A call that fails delivers nothing, not even the bytes before the damage. Feeding one block
     * at a time makes the result independent of how the bytes arrive. */
    ZSTD_inBuffer in = {bytes->in, bytes->length < zstd->next ? bytes->length : zstd->next, 0};
    ZSTD_outBuffer out = {bytes->out, bytes->room, 0};
    size_t code = mp_la.ZSTD_decompressStream(zstd->stream, &out, &in);
    advance(bytes, in.pos, out.pos);
    if (mp_la.ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        mp_out_of_memory();
    zstd->next = code > BLOCK_HEAD ? code - BLOCK_HEAD
                                   : code; /* the size without the header of the next block */
    return mp_la.ZSTD_isError(code) ? damaged(mp_la.ZSTD_getErrorName(code), why)
           : code                   ? MP_CODEC_MORE
                                    : MP_CODEC_END;
}

static void zstd_end(void *state)
{
    mp_la.ZSTD_freeDStream(((zstd_state *)state)->stream);
}

const mp_codec mp_codec_zstd = {sizeof(zstd_state), zstd_begin, zstd_step, zstd_end};

/* --- lz4 --- */

/* The legacy lz4 format, which liblz4 does not support: a magic number, then blocks, each after its
 * length, up to the end of the file or another magic number. */
enum { LZ4_OLD_MARK = 0x184c2102, LZ4_OLD_BLOCK = 8 * 1024 * 1024, LZ4_WORD = 4 };

typedef struct lz4_state {
    LZ4F_dctx *frames; /* state of the current format */
    bool is_new, is_old;
    char *block, *plain; /* buffers of the legacy format */
    size_t have, capacity;
    size_t wanted;   /* length of the current block; 0: a magic number or a length follows */
    size_t from, to; /* range of `plain` that is not delivered yet */
    size_t next;     /* bytes up to the end of the current block, in the current format */
} lz4_state;

static bool lz4_begin(void *state)
{
    return !mp_la.LZ4F_isError(
        mp_la.LZ4F_createDecompressionContext(&((lz4_state *)state)->frames, LZ4F_VERSION));
}

/* A call that fails delivers nothing of its output. So first fetch output that is ready, then feed
 * one block at a time. */
static mp_codec_result lz4_frame_step(lz4_state *lz4, mp_codec_bytes *bytes, const char **why)
{
    size_t taken = 0, put = bytes->room;
    size_t code = mp_la.LZ4F_decompress(lz4->frames, bytes->out, &put, bytes->in, &taken, NULL);
    if (!mp_la.LZ4F_isError(code) && !put) {
        taken = bytes->length < lz4->next ? bytes->length : lz4->next;
        put = bytes->room;
        code = mp_la.LZ4F_decompress(lz4->frames, bytes->out, &put, bytes->in, &taken, NULL);
    }
    if (mp_la.LZ4F_isError(code)) {
        const char *name = mp_la.LZ4F_getErrorName(code);
        if (strcmp(name, "ERROR_allocation_failed") == 0)
            mp_out_of_memory();
        return damaged(name, why);
    }
    lz4->next = code > LZ4_WORD ? code - LZ4_WORD
                                : code; /* the size without the header of the next block */
    advance(bytes, taken, put);
    return code ? MP_CODEC_MORE : MP_CODEC_END;
}

/* Collect bytes of the block. Return true once it has `length` bytes. */
static bool lz4_collect(lz4_state *lz4, mp_codec_bytes *bytes, size_t length)
{
    size_t got = length - lz4->have < bytes->length ? length - lz4->have : bytes->length;
    mp_grow(&lz4->block, &lz4->capacity, length, 1);
    if (got)
        memcpy(lz4->block + lz4->have, bytes->in, got);
    lz4->have += got;
    advance(bytes, got, 0);
    return lz4->have == length;
}

/* Interpret a word: a magic number or the length of a block. */
static mp_codec_result lz4_word(lz4_state *lz4, const char **why)
{
    const unsigned char *cursor = (unsigned char *)lz4->block;
    uint32_t word = cursor[0] | (uint32_t)cursor[1] << 8 | (uint32_t)cursor[2] << 16 |
                    (uint32_t)cursor[3] << 24;
    mp_codec_bytes mark = {.in = lz4->block, .length = LZ4_WORD};
    lz4->have = 0;
    if (word == LZ4_OLD_MARK) {
        lz4->is_old = true;
        return MP_CODEC_MAY_END;
    }
    if (lz4->is_old && word && word <= LZ4_COMPRESSBOUND(LZ4_OLD_BLOCK)) {
        lz4->wanted = word;
        return MP_CODEC_MORE;
    }
    lz4->is_new = true;
    lz4->next = LZ4_WORD;
    return lz4_frame_step(lz4, &mark, why);
}

/* Decompress a block of the legacy format. Return false if it is damaged. */
static bool lz4_old_block(lz4_state *lz4)
{
    if (!lz4->plain)
        lz4->plain = mp_alloc(LZ4_OLD_BLOCK);
    int got = mp_la.LZ4_decompress_safe(lz4->block, lz4->plain, (int)lz4->wanted, LZ4_OLD_BLOCK);
    lz4->have = lz4->wanted = lz4->from = 0;
    lz4->to = got < 0 ? 0 : (size_t)got;
    return got >= 0;
}

static mp_codec_result lz4_step(void *state, mp_codec_bytes *bytes, const char **why)
{
    lz4_state *lz4 = state;
    if (lz4->is_new)
        return lz4_frame_step(lz4, bytes, why);
    if (lz4->from == lz4->to && !lz4->wanted && lz4_collect(lz4, bytes, LZ4_WORD))
        return lz4_word(lz4, why);
    if (lz4->wanted && lz4_collect(lz4, bytes, lz4->wanted) && !lz4_old_block(lz4))
        return damaged(NULL, why);
    size_t left = lz4->to - lz4->from, got = left < bytes->room ? left : bytes->room;
    if (got)
        memcpy(bytes->out, lz4->plain + lz4->from, got);
    lz4->from += got;
    advance(bytes, 0, got);
    return lz4->is_old && got == left && !lz4->wanted && !lz4->have ? MP_CODEC_MAY_END
                                                                    : MP_CODEC_MORE;
}

static void lz4_end(void *state)
{
    lz4_state *lz4 = state;
    mp_la.LZ4F_freeDecompressionContext(lz4->frames);
    free(lz4->block);
    free(lz4->plain);
}

const mp_codec mp_codec_lz4 = {sizeof(lz4_state), lz4_begin, lz4_step, lz4_end};

#endif
