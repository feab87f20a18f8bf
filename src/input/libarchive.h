/* libarchive's functions. The library is loaded when it is first needed: most recordings are not
 * archives, and loading it, with the libraries that it uses itself, takes as long as everything
 * else in the analysis of a small recording. */
#ifndef MP_INPUT_LIBARCHIVE_H
#define MP_INPUT_LIBARCHIVE_H

#ifdef MEMPROF_ARCHIVE
#include <archive.h>
#include <archive_entry.h>

/* FUNCTION(name) for each function of libarchive that memprof calls. */
#define MP_LIBARCHIVE(FUNCTION)                                                                    \
    FUNCTION(archive_entry_filetype)                                                               \
    FUNCTION(archive_entry_free)                                                                   \
    FUNCTION(archive_entry_hardlink)                                                               \
    FUNCTION(archive_entry_is_data_encrypted)                                                      \
    FUNCTION(archive_entry_new2)                                                                   \
    FUNCTION(archive_entry_pathname)                                                               \
    FUNCTION(archive_entry_pathname_utf8)                                                          \
    FUNCTION(archive_entry_size)                                                                   \
    FUNCTION(archive_entry_symlink)                                                                \
    FUNCTION(archive_entry_symlink_utf8)                                                           \
    FUNCTION(archive_errno)                                                                        \
    FUNCTION(archive_error_string)                                                                 \
    FUNCTION(archive_filter_bytes)                                                                 \
    FUNCTION(archive_read_data_block)                                                              \
    FUNCTION(archive_read_free)                                                                    \
    FUNCTION(archive_read_header_position)                                                         \
    FUNCTION(archive_read_new)                                                                     \
    FUNCTION(archive_read_next_header2)                                                            \
    FUNCTION(archive_read_open1)                                                                   \
    FUNCTION(archive_read_set_callback_data)                                                       \
    FUNCTION(archive_read_set_format_option)                                                       \
    FUNCTION(archive_read_set_read_callback)                                                       \
    FUNCTION(archive_read_set_seek_callback)                                                       \
    FUNCTION(archive_read_set_skip_callback)                                                       \
    FUNCTION(archive_read_support_format_7zip)                                                     \
    FUNCTION(archive_read_support_format_tar)                                                      \
    FUNCTION(archive_read_support_format_zip_seekable)                                             \
    FUNCTION(archive_read_support_format_zip_streamable)

typedef struct mp_libarchive {
#define MP_MEMBER(name) __typeof__(name) *name;
    MP_LIBARCHIVE(MP_MEMBER)
#undef MP_MEMBER
} mp_libarchive;

/* Only valid after mp_libarchive_load has returned NULL. */
extern mp_libarchive mp_la;
#endif

/* Load libarchive, unless that was done before. Return NULL, or as static text why there is none.
 * Thread-safe. */
const char *mp_libarchive_load(void);

#endif
