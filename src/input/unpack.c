#include "input/unpack.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/zlib.h"
#include "input/codec.h"
#include "input/libarchive.h"

enum { BLOCK = 64 * 1024 };

static const struct {
    const char *name, *bytes;
    uint16_t length, offset;
    mp_packing packing;
} signatures[] = {
#define SIGNATURE(packing, name, bytes, offset)                                                    \
    {                                                                                              \
        name, bytes, sizeof bytes - 1, offset, packing                                             \
    }
    SIGNATURE(MP_GZIP, "gzip", "\x1f\x8b\x08", 0),
    SIGNATURE(MP_BZIP2, "bzip2", "\x31\x41\x59\x26\x53\x59", 4),
    SIGNATURE(MP_BZIP2, "bzip2", "\x17\x72\x45\x38\x50\x90", 4), /* empty file */
    SIGNATURE(MP_XZ, "xz",
              "\xfd"
              "7zXZ\0",
              0),
    SIGNATURE(MP_ZSTD, "zstd", "\x28\xb5\x2f\xfd", 0),
    SIGNATURE(MP_LZ4, "lz4", "\x04\x22\x4d\x18", 0),
    SIGNATURE(MP_LZ4, "lz4", "\x02\x21\x4c\x18", 0),
    SIGNATURE(MP_ZIP, "zip", "PK\x03\x04", 0),
    SIGNATURE(MP_ZIP, "zip", "PK\x05\x06", 0), /* empty archive */
    SIGNATURE(MP_7ZIP, "7z", "7z\xbc\xaf\x27\x1c", 0),
    SIGNATURE(MP_TAR, "tar", "ustar", 257),
#undef SIGNATURE
};
enum { SIGNATURES = sizeof signatures / sizeof *signatures };

const char *mp_packing_name(mp_packing packing)
{
    for (size_t i = 0; i < SIGNATURES; i++)
        if (signatures[i].packing == packing)
            return signatures[i].name;
    return "";
}

/* Skip leading frames that zstd and lz4 ignore. Each has a magic number from 0x184d2a50 to
 * 0x184d2a5f, a length, and that number of bytes. */
static mp_slice past_skippable(mp_slice head)
{
    enum { HEAD = 8 };
    while (head.length >= HEAD && ((unsigned char)head.start[0] & 0xf0) == 0x50 &&
           memcmp(head.start + 1, "\x2a\x4d\x18", 3) == 0) {
        const unsigned char *cursor = (const unsigned char *)head.start + 4;
        uint64_t frame = HEAD + (cursor[0] | (uint64_t)cursor[1] << 8 | (uint64_t)cursor[2] << 16 |
                                 (uint64_t)cursor[3] << 24);
        if (frame > head.length)
            break;
        head.start += frame;
        head.length -= (size_t)frame;
    }
    return head;
}

mp_packing mp_packing_of(mp_slice head)
{
    head = past_skippable(head);
    for (size_t i = 0; i < SIGNATURES; i++) {
        size_t end = (size_t)signatures[i].offset + signatures[i].length;
        bool bzip2 = signatures[i].packing != MP_BZIP2 ||
                     (head.length > 3 && memcmp(head.start, "BZh", 3) == 0);
        if (head.length >= end && bzip2 &&
            memcmp(head.start + signatures[i].offset, signatures[i].bytes, signatures[i].length) ==
                0)
            return signatures[i].packing;
    }
    return MP_UNPACKED;
}

bool mp_unpack_check(mp_stream *stream, const mp_unpack_limits *limits, uint64_t out, uint64_t in)
{
    if (out > limits->most) {
        char most[MP_UNIT_TEXT];
        mp_format_bytes(most, (int64_t)limits->most, false, false);
        mp_stream_fail(
            stream, MP_FAULT_LIMIT,
            "is larger than %s when decompressed, the limit of " MP_DASHES "max-unpacked", most);
    } else if (out > MP_RATIO_FROM && out / limits->ratio > in) {
        mp_stream_fail(stream, MP_FAULT_LIMIT,
                       "is over %llu times as large when decompressed, the limit of " MP_DASHES
                       "max-ratio",
                       (unsigned long long)limits->ratio);
    }
    return stream->fault == MP_FAULT_NONE;
}

#ifndef MEMPROF_ARCHIVE

static const bool can_unpack = false;

static mp_stream *unpack(mp_stream *below, mp_packing packing, const mp_unpack_limits *limits)
{
    (void)below, (void)packing, (void)limits;
    return NULL;
}

#else

static const bool can_unpack = true;

typedef struct unpacker {
    mp_stream stream;
    mp_packing packing;
    mp_unpack_limits limits;
    const mp_codec *codec;
    void *state;           /* NULL: between two compressed streams, or before the first */
    size_t from, to;       /* range of `block` that is not consumed yet */
    size_t taken, made;    /* bytes of `plain` delivered, and bytes in it */
    mp_fault behind_plain; /* fault after the last byte of `plain` */
    char block[BLOCK], plain[BLOCK];
} unpacker;

/* Fill the block. Input and output blocks are always whole, because the way they are cut determines
 * how many bytes a decoder delivers before damage. */
static bool fill(unpacker *state)
{
    if (state->from == state->to) {
        state->from = state->to = 0;
        for (size_t got = 1; got && state->to < sizeof state->block; state->to += got)
            got = mp_stream_read(state->stream.below, state->block + state->to,
                                 sizeof state->block - state->to);
    }
    return state->from < state->to;
}

static void leave(unpacker *self)
{
    if (self->state)
        self->codec->end(self->state);
    free(self->state);
    self->state = NULL;
}

/* Start the next stream, after skipping zeros that pad tapes and disks. Return false if there is
 * none, or if its library cannot be loaded. */
static bool enter(unpacker *self)
{
    while (fill(self) && self->block[self->from] == 0)
        self->from++;
    if (self->from == self->to)
        return false;
    const char *lacks = self->packing == MP_GZIP ? mp_zlib_load() : mp_libarchive_load();
    if (lacks) {
        mp_stream_fail(&self->stream, MP_FAULT_READ, "%s: %s", mp_packing_name(self->packing),
                       lacks);
        return false;
    }
    self->state = mp_alloc_zero(1, self->codec->size);
    if (!self->codec->begin(self->state))
        mp_out_of_memory();
    return true;
}

/* Decompress once. If there was not enough input for that, read more. Return false at the end and
 * at a fault. */
static bool step(unpacker *self, mp_codec_bytes *bytes)
{
    mp_stream *stream = &self->stream;
    const char *why = "damaged", *name = mp_packing_name(self->packing);
    if (!self->state && !enter(self))
        return false;
    bytes->in = self->block + self->from;
    bytes->length = self->to - self->from;
    const size_t length = bytes->length, room = bytes->room;
    mp_codec_result result = self->codec->step(self->state, bytes, &why);
    self->from = self->to - bytes->length;
    const bool stands = bytes->room == room && bytes->length == length;
    if (result == MP_CODEC_DAMAGED || (result != MP_CODEC_END && stands && length))
        mp_stream_fail(stream, MP_FAULT_READ, "%s: %s", name, why);
    else if (result == MP_CODEC_END || (result == MP_CODEC_MAY_END && !fill(self)))
        leave(self);
    else if (bytes->room == room && !fill(self))
        mp_stream_fail(stream, MP_FAULT_TORN, "%s", name);
    return !stream->fault;
}

/* Decompress the next block. */
static void make(unpacker *state)
{
    mp_stream *stream = &state->stream;
    mp_codec_bytes bytes = {.out = state->plain, .room = sizeof state->plain};
    while (bytes.room == sizeof state->plain && step(state, &bytes))
        ;
    state->taken = 0;
    state->made = sizeof state->plain - bytes.room;
    if (stream->below->fault && state->from == state->to && !state->made)
        mp_stream_fail_below(stream);
    else if (!stream->fault)
        mp_unpack_check(stream, &state->limits, stream->given + state->made, stream->bottom->given);
    state->behind_plain = stream->fault;
}

static size_t unpack_read(mp_stream *stream, char *buffer, size_t room)
{
    unpacker *state = (unpacker *)stream;
    if (state->taken == state->made)
        make(state);
    size_t left = state->made - state->taken, got = left < room ? left : room;
    memcpy(buffer, state->plain + state->taken, got);
    state->taken += got;
    stream->fault = state->taken == state->made ? state->behind_plain : MP_FAULT_NONE;
    return got;
}

static mp_stream *unpack_clone(const mp_stream *stream);

static void unpack_close(mp_stream *stream)
{
    leave((unpacker *)stream);
}

static const mp_stream_kind unpack_kind = {unpack_read, unpack_clone, unpack_close, NULL};

static mp_stream *unpack(mp_stream *below, mp_packing packing, const mp_unpack_limits *limits)
{
    static const mp_codec *const codecs[MP_PACKINGS] = {
        [MP_GZIP] = &mp_codec_gzip, [MP_BZIP2] = &mp_codec_bzip2, [MP_XZ] = &mp_codec_xz,
        [MP_ZSTD] = &mp_codec_zstd, [MP_LZ4] = &mp_codec_lz4,
    };
    unpacker *state = mp_alloc_zero(1, sizeof *state);
    state->stream.kind = &unpack_kind;
    state->stream.below = below;
    state->stream.bottom = below->bottom;
    state->packing = packing;
    state->limits = *limits;
    state->codec = codecs[packing];
    return &state->stream;
}

static mp_stream *unpack_clone(const mp_stream *stream)
{
    const unpacker *state = (const unpacker *)stream;
    mp_stream *below = mp_stream_clone(stream->below);
    return below ? unpack(below, state->packing, &state->limits) : NULL;
}

#endif

mp_packing mp_unpack_all(mp_stream **stream, mp_layers *layers, const mp_unpack_limits *limits)
{
    for (;;) {
        mp_packing packing = mp_packing_of(mp_stream_peek(*stream));
        if (packing == MP_UNPACKED)
            return packing;
        if (layers->count >= limits->nesting) {
            (*stream)->head_start = (*stream)->head_end = 0;
            mp_stream_fail(
                *stream, MP_FAULT_LIMIT,
                "has more than %u nested archives or compressions, the limit of " MP_DASHES
                "max-nesting",
                (unsigned)limits->nesting);
            return MP_UNPACKED;
        }
        if (mp_packing_is_archive(packing) && can_unpack)
            return packing;
        mp_stream *made = unpack(*stream, packing, limits);
        if (!made) {
            (*stream)->head_start = (*stream)->head_end = 0;
            mp_stream_fail(
                *stream, MP_FAULT_READ,
                "it is compressed by %s, which this memprof was built without; decompress it first",
                mp_packing_name(packing));
            return MP_UNPACKED;
        }
        *stream = made;
        layers->layers[layers->count++] = (uint8_t)packing;
    }
}
