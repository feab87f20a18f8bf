/* One archive, read by libarchive in the format that its first bytes identify. */
#pragma once

#include "base/memory.h"
#include "input/unpack.h"

struct archive;
struct archive_entry;

typedef struct mp_archive {
    struct archive *archive;
    struct archive_entry *read;  /* buffer for libarchive's entries; it may be left empty */
    struct archive_entry *entry; /* the current entry, which is in `read`; NULL: none */
    mp_stream *from;
    mp_packing packing;
    bool seeks, lacks_directory;
    bool directory_failed; /* the directory is damaged: read the next entry without it */
    bool came_before;      /* the current entry was already returned when the directory was used */
    uint32_t before;       /* number of compressions and archives around this archive */
    char *block;
    size_t length;    /* length of the last block read that was not empty */
    uint64_t *begins; /* offsets of the entries found by the directory */
    size_t begin_count, begin_capacity;
} mp_archive;

/* Open the archive in stream `from`, which belongs to the archive from now on, even on failure. A
 * 7z archive needs a stream that can seek. */
bool mp_archive_open(mp_archive *archive, mp_stream *from, mp_packing packing);
void mp_archive_close(mp_archive *state);
/* Return libarchive's last message. */
const char *mp_archive_why(const mp_archive *state);

/* Advance to the next entry. Return false at the end. If a problem occurs on the way, set *fault,
 * and *why to a text that is valid until the next call. After a problem, `entry` may be NULL even
 * if true is returned. */
bool mp_archive_next(mp_archive *state, mp_fault *fault, const char **why);
/* Return the fault that ended the data of the entry, and set *why to libarchive's message. */
mp_fault mp_archive_fault(const mp_archive *state, const char **why);
/* Return true if libarchive decompresses an entry only to skip it. */
bool mp_archive_unpacks(const mp_archive *archive);

/* Return the path of the entry in the archive, in UTF-8; NULL if it has none. */
const char *mp_archive_name(const mp_archive *archive, mp_arena *arena);
typedef enum mp_entry_kind {
    MP_ENTRY_FILE,  /* a file that contains data */
    MP_ENTRY_LINK,  /* a link to another file, by name */
    MP_ENTRY_OTHER, /* a folder or a device */
    MP_ENTRY_ODD,   /* a damaged entry: it has data, although its kind should have none */
    MP_ENTRY_LOST,  /* a damaged entry of this kind whose data is lost */
} mp_entry_kind;
mp_entry_kind mp_archive_kind(const mp_archive *archive);
/* Return the path inside the archive to which the current entry, a link called `name`, leads; "."
 * and ".." are resolved. NULL: the link leads out of the archive. */
const char *mp_archive_target(const mp_archive *archive, const char *name, mp_arena *arena);

/* Data of an entry, read in libarchive's blocks. archive_read_data cannot be used, because it does
 * not report how many bytes precede an error. */
typedef struct mp_entry_data {
    const char *items;
    size_t length;          /* bytes of the block not yet delivered */
    uint64_t given, offset; /* bytes delivered; offset of the block (after a hole of zeros) */
    bool over, failed;
} mp_entry_data;

/* Read up to `room` bytes. Return 0 at the end, and with `failed` set after an error. */
size_t mp_entry_read(mp_entry_data *data, struct archive *archive, char *buffer, size_t room);
