#include "input/unpack.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "input/codec.h"

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

/* Skip the frames that zstd and lz4 ignore: 0x184d2a50 to 5f, their length, that many bytes. */
static mp_slice past_skippable(mp_slice head)
{
    enum { HEAD = 8 };
    while (head.length >= HEAD && ((unsigned char)head.at[0] & 0xf0) == 0x50 &&
           memcmp(head.at + 1, "\x2a\x4d\x18", 3) == 0) {
        const unsigned char *at = (const unsigned char *)head.at + 4;
        uint64_t frame =
            HEAD + (at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24);
        if (frame > head.length)
            break;
        head.at += frame;
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
                     (head.length > 3 && memcmp(head.at, "BZh", 3) == 0);
        if (head.length >= end && bzip2 &&
            memcmp(head.at + signatures[i].offset, signatures[i].bytes, signatures[i].length) == 0)
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
    void *state;           /* NULL: between two packed streams, or in front of the first one */
    size_t from, to;       /* bytes of the block not taken yet */
    size_t taken, made;    /* bytes of `plain` */
    mp_fault behind_plain; /* fault that follows once all of that is taken */
    char block[BLOCK], plain[BLOCK];
} unpacker;

/* Fill the block. Blocks are whole on both sides: how much a decoder gives before damage depends on
 * how its bytes come and go. */
static bool fill(unpacker *own)
{
    if (own->from == own->to) {
        own->from = own->to = 0;
        for (size_t got = 1; got && own->to < sizeof own->block; own->to += got)
            got = mp_stream_read(own->stream.below, own->block + own->to,
                                 sizeof own->block - own->to);
    }
    return own->from < own->to;
}

static void leave(unpacker *own)
{
    if (own->state)
        own->codec->end(own->state);
    free(own->state);
    own->state = NULL;
}

/* Start the next stream, past the zeros that fill up tapes and disks. False if there is none. */
static bool enter(unpacker *own)
{
    while (fill(own) && own->block[own->from] == 0)
        own->from++;
    if (own->from == own->to)
        return false;
    own->state = mp_alloc_zero(1, own->codec->size);
    if (!own->codec->begin(own->state))
        mp_out_of_memory();
    return true;
}

/* Take one step, or read bytes for the next one; false at the end and at a fault. */
static bool step(unpacker *own, mp_codec_bytes *bytes)
{
    mp_stream *stream = &own->stream;
    const char *why = "damaged", *name = mp_packing_name(own->packing);
    if (!own->state && !enter(own))
        return false;
    bytes->in = own->block + own->from;
    bytes->length = own->to - own->from;
    const size_t length = bytes->length, room = bytes->room;
    mp_codec_result result = own->codec->step(own->state, bytes, &why);
    own->from = own->to - bytes->length;
    const bool stands = bytes->room == room && bytes->length == length;
    if (result == MP_CODEC_DAMAGED || (result != MP_CODEC_END && stands && length))
        mp_stream_fail(stream, MP_FAULT_READ, "%s: %s", name, why);
    else if (result == MP_CODEC_END || (result == MP_CODEC_MAY_END && !fill(own)))
        leave(own);
    else if (bytes->room == room && !fill(own))
        mp_stream_fail(stream, MP_FAULT_TORN, "%s", name);
    return !stream->fault;
}

/* Decompress the next block. */
static void make(unpacker *own)
{
    mp_stream *stream = &own->stream;
    mp_codec_bytes bytes = {.out = own->plain, .room = sizeof own->plain};
    while (bytes.room == sizeof own->plain && step(own, &bytes))
        ;
    own->taken = 0;
    own->made = sizeof own->plain - bytes.room;
    if (stream->below->fault && own->from == own->to && !own->made)
        mp_stream_fail_below(stream);
    else if (!stream->fault)
        mp_unpack_check(stream, &own->limits, stream->given + own->made, stream->bottom->given);
    own->behind_plain = stream->fault;
}

static size_t unpack_read(mp_stream *stream, char *into, size_t room)
{
    unpacker *own = (unpacker *)stream;
    if (own->taken == own->made)
        make(own);
    size_t left = own->made - own->taken, got = left < room ? left : room;
    memcpy(into, own->plain + own->taken, got);
    own->taken += got;
    stream->fault = own->taken == own->made ? own->behind_plain : MP_FAULT_NONE;
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
    unpacker *own = mp_alloc_zero(1, sizeof *own);
    own->stream.kind = &unpack_kind;
    own->stream.below = below;
    own->stream.bottom = below->bottom;
    own->packing = packing;
    own->limits = *limits;
    own->codec = codecs[packing];
    return &own->stream;
}

static mp_stream *unpack_clone(const mp_stream *stream)
{
    const unpacker *own = (const unpacker *)stream;
    mp_stream *below = mp_stream_clone(stream->below);
    return below ? unpack(below, own->packing, &own->limits) : NULL;
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
        layers->at[layers->count++] = (uint8_t)packing;
    }
}
