/* gzip is zlib's own matter, for libarchive does not look at its checksums; the others are
 * libarchive's, which is told of nothing but the one filter that the first bytes name. */
#include "input/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#ifdef MEMPROF_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>
#endif

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
    SIGNATURE(MP_BZIP2, "bzip2", "\x17\x72\x45\x38\x50\x90", 4), /* of nothing */
    SIGNATURE(MP_XZ, "xz",
              "\xfd"
              "7zXZ\0",
              0),
    SIGNATURE(MP_ZSTD, "zstd", "\x28\xb5\x2f\xfd", 0),
    SIGNATURE(MP_LZ4, "lz4", "\x04\x22\x4d\x18", 0),
    SIGNATURE(MP_LZ4, "lz4", "\x02\x21\x4c\x18", 0),
    SIGNATURE(MP_ZIP, "zip", "PK\x03\x04", 0),
    SIGNATURE(MP_ZIP, "zip", "PK\x05\x06", 0), /* of nothing */
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

mp_packing mp_packing_of(mp_slice head)
{
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
    if (out > limits->most)
        mp_stream_fail(stream, MP_FAULT_LIMIT,
                       "is over %llu MiB when it is unpacked, the limit of " MP_DASHES
                       "max-unpacked",
                       (unsigned long long)(limits->most >> 20));
    else if (out > MP_RATIO_FROM && out / limits->ratio > in)
        mp_stream_fail(stream, MP_FAULT_LIMIT,
                       "is over %llu times as large when it is unpacked, the limit of " MP_DASHES
                       "max-ratio",
                       (unsigned long long)limits->ratio);
    return stream->fault == MP_FAULT_NONE;
}

#ifndef MEMPROF_ARCHIVE

static const bool can_unpack = false;

static mp_stream *unpack(mp_stream *below, mp_packing packing, const mp_unpack_limits *limits,
                         const char **why)
{
    (void)below, (void)packing, (void)limits;
    *why = "this memprof is built without what unpacks it";
    return NULL;
}

#else

static const bool can_unpack = true;

/* What both kinds have. */
typedef struct unpacker {
    mp_stream stream;
    mp_packing packing;
    mp_unpack_limits limits;
    char block[BLOCK]; /* of what is packed */
} unpacker;

/* --- gzip --- */

typedef struct gzip_stream {
    unpacker own;
    z_stream zlib;
    bool between; /* members, or in front of the first one */
} gzip_stream;

static bool gzip_fill(gzip_stream *gzip)
{
    if (gzip->zlib.avail_in == 0) {
        gzip->zlib.next_in = (Bytef *)gzip->own.block;
        gzip->zlib.avail_in =
            (uInt)mp_stream_read(gzip->own.stream.below, gzip->own.block, sizeof gzip->own.block);
    }
    return gzip->zlib.avail_in > 0;
}

/* Tapes and disks fill up with zeros; another member begins as the first one did. */
static bool gzip_begins(gzip_stream *gzip)
{
    while (gzip_fill(gzip) && *gzip->zlib.next_in == 0) {
        gzip->zlib.next_in++;
        gzip->zlib.avail_in--;
    }
    gzip->between = gzip->zlib.avail_in == 0; /* at the end, however often it is asked for more */
    return !gzip->between;
}

static size_t gzip_read(mp_stream *stream, char *into, size_t room)
{
    gzip_stream *gzip = (gzip_stream *)stream;
    z_stream *zlib = &gzip->zlib;
    zlib->next_out = (Bytef *)into;
    zlib->avail_out = (uInt)(room < 1u << 30 ? room : 1u << 30);
    uInt wanted = zlib->avail_out;
    while (zlib->avail_out == wanted && !stream->fault) {
        if (gzip->between && !gzip_begins(gzip))
            return stream->below->fault ? mp_stream_fail_below(stream) : 0;
        if (!gzip_fill(gzip))
            return stream->below->fault ? mp_stream_fail_below(stream)
                                        : mp_stream_fail(stream, MP_FAULT_TORN, "gzip");
        int code = inflate(zlib, Z_NO_FLUSH);
        gzip->between = code == Z_STREAM_END;
        if (code == Z_STREAM_END)
            inflateReset(zlib);
        else if (code != Z_OK)
            mp_stream_fail(stream, MP_FAULT_READ, "gzip: %s", zlib->msg ? zlib->msg : "damaged");
    }
    size_t got = wanted - zlib->avail_out;
    if (!stream->fault)
        mp_unpack_check(stream, &gzip->own.limits, stream->given + got,
                        gzip->own.stream.bottom->given);
    return got;
}

static void gzip_close(mp_stream *stream)
{
    inflateEnd(&((gzip_stream *)stream)->zlib);
}

static mp_stream *unpack_again(const mp_stream *stream);

static const mp_stream_kind gzip_kind = {gzip_read, unpack_again, gzip_close, NULL};

static unpacker *gzip_new(void)
{
    enum { WITH_HEADER = 16 };
    gzip_stream *gzip = mp_alloc_zero(1, sizeof *gzip);
    gzip->own.stream.kind = &gzip_kind;
    if (inflateInit2(&gzip->zlib, MAX_WBITS + WITH_HEADER) == Z_OK)
        return &gzip->own;
    free(gzip);
    return NULL;
}

/* --- other streams --- */

/* A block that comes with a warning, of a wrong checksum, holds what was unpacked. */
static void next_block(mp_entry_data *data, struct archive *archive)
{
    const void *block = NULL;
    size_t length = 0;
    la_int64_t offset = (la_int64_t)data->given;
    int code = archive_read_data_block(archive, &block, &length, &offset);
    bool has_data = block && (code == ARCHIVE_OK || code == ARCHIVE_WARN);
    data->over = code != ARCHIVE_OK;
    data->failed = code < ARCHIVE_OK;
    data->at = block;
    data->length = has_data ? length : 0;
    data->offset = offset > 0 && !data->failed ? (uint64_t)offset : data->given;
}

size_t mp_entry_read(mp_entry_data *data, struct archive *archive, char *into, size_t room)
{
    while (!data->length && data->offset <= data->given && !data->over)
        next_block(data, archive);
    bool in_hole = data->offset > data->given;
    uint64_t left = in_hole ? data->offset - data->given : data->length;
    size_t got = left < room ? (size_t)left : room;
    if (in_hole) {
        memset(into, 0, got);
    } else if (got) {
        memcpy(into, data->at, got);
        data->at += got;
        data->length -= got;
    }
    data->given += got;
    return got;
}

typedef struct filter_stream {
    unpacker own;
    struct archive *archive;
    mp_entry_data data;
    bool begun;
} filter_stream;

static la_ssize_t filter_more(struct archive *archive, void *opaque, const void **block)
{
    filter_stream *filter = opaque;
    (void)archive;
    *block = filter->own.block;
    return (la_ssize_t)mp_stream_read(filter->own.stream.below, filter->own.block,
                                      sizeof filter->own.block);
}

static bool filter_begin(filter_stream *filter)
{
    static int (*const filters[MP_PACKINGS])(struct archive *) = {
        [MP_BZIP2] = archive_read_support_filter_bzip2,
        [MP_XZ] = archive_read_support_filter_xz,
        [MP_ZSTD] = archive_read_support_filter_zstd,
        [MP_LZ4] = archive_read_support_filter_lz4,
    };
    struct archive_entry *entry;
    filter->archive = archive_read_new();
    filter->begun = true;
    return filter->archive && filters[filter->own.packing](filter->archive) == ARCHIVE_OK &&
           archive_read_support_format_raw(filter->archive) == ARCHIVE_OK &&
           archive_read_open(filter->archive, filter, NULL, filter_more, NULL) == ARCHIVE_OK &&
           archive_read_next_header(filter->archive, &entry) == ARCHIVE_OK &&
           archive_filter_code(filter->archive, 0) != ARCHIVE_FILTER_NONE;
}

/* libarchive has no code for what breaks off; all that was packed has then been read. */
static size_t filter_fail(filter_stream *filter)
{
    mp_stream *stream = &filter->own.stream;
    const char *name = mp_packing_name(filter->own.packing);
    char rest;
    const char *why = filter->archive ? archive_error_string(filter->archive) : NULL;
    if (stream->below->fault)
        return mp_stream_fail_below(stream);
    bool torn = why && (strstr(why, "runcated") || strstr(why, "No progress"));
    if (torn && mp_stream_read(stream->below, &rest, 1) == 0)
        return mp_stream_fail(stream, MP_FAULT_TORN, "%s", name);
    return mp_stream_fail(stream, MP_FAULT_READ, "%s: %s", name, why ? why : "damaged");
}

static size_t filter_read(mp_stream *stream, char *into, size_t room)
{
    filter_stream *filter = (filter_stream *)stream;
    if (!filter->begun && !filter_begin(filter))
        return filter_fail(filter);
    size_t got = mp_entry_read(&filter->data, filter->archive, into, room);
    if (!got && filter->data.failed)
        return filter_fail(filter);
    mp_unpack_check(stream, &filter->own.limits, stream->given + got,
                    filter->own.stream.bottom->given);
    return got;
}

static void filter_close(mp_stream *stream)
{
    archive_read_free(((filter_stream *)stream)->archive);
}

static const mp_stream_kind filter_kind = {filter_read, unpack_again, filter_close, NULL};

static unpacker *filter_new(void)
{
    filter_stream *filter = mp_alloc_zero(1, sizeof *filter);
    filter->own.stream.kind = &filter_kind;
    return &filter->own;
}

static mp_stream *unpack(mp_stream *below, mp_packing packing, const mp_unpack_limits *limits,
                         const char **why)
{
    unpacker *made = packing == MP_GZIP ? gzip_new() : filter_new();
    if (!made) {
        *why = "there is no memory";
        return NULL;
    }
    made->stream.below = below;
    made->stream.bottom = below->bottom;
    made->limits = *limits;
    made->packing = packing;
    return &made->stream;
}

static mp_stream *unpack_again(const mp_stream *stream)
{
    const unpacker *own = (const unpacker *)stream;
    const char *why;
    mp_stream *below = mp_stream_again(stream->below);
    mp_stream *made = below ? unpack(below, own->packing, &own->limits, &why) : NULL;
    if (below && !made) {
        mp_stream_close(below);
        errno = ENOMEM;
    }
    return made;
}

#endif

mp_packing mp_unpack_all(mp_stream **stream, mp_layers *layers, const mp_unpack_limits *limits)
{
    for (;;) {
        const char *why;
        mp_packing packing = mp_packing_of(mp_stream_peek(*stream));
        if (packing == MP_UNPACKED)
            return packing;
        if (layers->count >= limits->nesting) {
            (*stream)->head_start = (*stream)->head_end = 0;
            mp_stream_fail(*stream, MP_FAULT_LIMIT,
                           "has more than %u packings in one another, the limit of " MP_DASHES
                           "max-nesting",
                           (unsigned)limits->nesting);
            return MP_UNPACKED;
        }
        if (mp_packing_is_archive(packing) && can_unpack)
            return packing;
        mp_stream *made = unpack(*stream, packing, limits, &why);
        if (!made) {
            (*stream)->head_start = (*stream)->head_end = 0;
            mp_stream_fail(*stream, MP_FAULT_READ, "it is packed by %s, and %s: unpack it first",
                           mp_packing_name(packing), why);
            return MP_UNPACKED;
        }
        *stream = made;
        layers->at[layers->count++] = (uint8_t)packing;
    }
}
