/* Functions of libarchive and of the libraries that it decompresses with. They are loaded when they
 * are first needed (base/late.h): most recordings are neither archives nor compressed. */
#pragma once

#ifdef MEMPROF_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#include <bzlib.h>
#include <lz4.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/late.h"

#define MP_LIBARCHIVE(SYMBOL)                                                                      \
    SYMBOL(BZ2_bzDecompress)                                                                       \
    SYMBOL(BZ2_bzDecompressEnd)                                                                    \
    SYMBOL(BZ2_bzDecompressInit)                                                                   \
    SYMBOL(LZ4F_createDecompressionContext)                                                        \
    SYMBOL(LZ4F_decompress)                                                                        \
    SYMBOL(LZ4F_freeDecompressionContext)                                                          \
    SYMBOL(LZ4F_getErrorName)                                                                      \
    SYMBOL(LZ4F_isError)                                                                           \
    SYMBOL(LZ4_decompress_safe)                                                                    \
    SYMBOL(ZSTD_CCtx_setParameter)                                                                 \
    SYMBOL(ZSTD_compressStream2)                                                                   \
    SYMBOL(ZSTD_createCCtx)                                                                        \
    SYMBOL(ZSTD_createDStream)                                                                     \
    SYMBOL(ZSTD_decompressStream)                                                                  \
    SYMBOL(ZSTD_freeCCtx)                                                                          \
    SYMBOL(ZSTD_freeDStream)                                                                       \
    SYMBOL(ZSTD_getErrorCode)                                                                      \
    SYMBOL(ZSTD_getErrorName)                                                                      \
    SYMBOL(ZSTD_initDStream)                                                                       \
    SYMBOL(ZSTD_isError)                                                                           \
    SYMBOL(archive_entry_filetype)                                                                 \
    SYMBOL(archive_entry_free)                                                                     \
    SYMBOL(archive_entry_hardlink)                                                                 \
    SYMBOL(archive_entry_is_data_encrypted)                                                        \
    SYMBOL(archive_entry_new2)                                                                     \
    SYMBOL(archive_entry_pathname)                                                                 \
    SYMBOL(archive_entry_pathname_utf8)                                                            \
    SYMBOL(archive_entry_size)                                                                     \
    SYMBOL(archive_entry_symlink)                                                                  \
    SYMBOL(archive_entry_symlink_utf8)                                                             \
    SYMBOL(archive_errno)                                                                          \
    SYMBOL(archive_error_string)                                                                   \
    SYMBOL(archive_filter_bytes)                                                                   \
    SYMBOL(archive_read_data_block)                                                                \
    SYMBOL(archive_read_free)                                                                      \
    SYMBOL(archive_read_header_position)                                                           \
    SYMBOL(archive_read_new)                                                                       \
    SYMBOL(archive_read_next_header2)                                                              \
    SYMBOL(archive_read_open1)                                                                     \
    SYMBOL(archive_read_set_callback_data)                                                         \
    SYMBOL(archive_read_set_format_option)                                                         \
    SYMBOL(archive_read_set_read_callback)                                                         \
    SYMBOL(archive_read_set_seek_callback)                                                         \
    SYMBOL(archive_read_set_skip_callback)                                                         \
    SYMBOL(archive_read_support_format_7zip)                                                       \
    SYMBOL(archive_read_support_format_tar)                                                        \
    SYMBOL(archive_read_support_format_zip_seekable)                                               \
    SYMBOL(archive_read_support_format_zip_streamable)                                             \
    SYMBOL(lzma_code)                                                                              \
    SYMBOL(lzma_end)                                                                               \
    SYMBOL(lzma_stream_decoder)

typedef struct mp_libarchive {
    MP_LIBARCHIVE(MP_LATE_MEMBER)
} mp_libarchive;

/* Only valid after mp_libarchive_load has returned NULL. */
extern mp_libarchive mp_la;
#endif

/* Load these libraries and zlib, unless they are loaded already. Return NULL, or a static text with
 * the reason why it cannot be loaded. Thread-safe. */
const char *mp_libarchive_load(void);
