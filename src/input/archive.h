/* One archive, as libarchive reads it, in the one format that its first bytes identify. */
#ifndef MP_INPUT_ARCHIVE_H
#define MP_INPUT_ARCHIVE_H

#include "base/memory.h"
#include "input/unpack.h"

struct archive;
struct archive_entry;

typedef struct mp_archive {
    struct archive *archive;
    struct archive_entry *read;  /* the entry that is read; libarchive may have none of its own */
    struct archive_entry *entry; /* that, of the one at which it stands; NULL: none */
    mp_stream *from;
    mp_packing packing;
    bool seeks, lacks_directory;
    bool directory_failed; /* it is damaged: the next entry is found without it */
    bool came_before;      /* the entry, by the directory */
    uint32_t before;       /* how many layers there are around what it gives */
    char *block;
    size_t length;    /* length of the last block that was not empty */
    uint64_t *begins; /* offsets of the entries that a directory led to */
    size_t begin_count, begin_capacity;
} mp_archive;

/* Open the archive that `from` gives, which it owns from now on, even on failure. A 7z archive
 * needs a stream that can seek. */
bool mp_archive_open(mp_archive *archive, mp_stream *from, mp_packing packing);
void mp_archive_close(mp_archive *state);
/* Return libarchive's last message. */
const char *mp_archive_why(const mp_archive *state);

/* Go on to the next entry; false at the end. Anything wrong on the way is a fault, with *why valid
 * until the next call; it may come in place of an entry. */
bool mp_archive_next(mp_archive *state, mp_fault *fault, const char **why);
/* Return the fault in the bytes of the entry, and libarchive's message. */
mp_fault mp_archive_fault(const mp_archive *state, const char **why);
/* Return true if libarchive decompresses an entry only to skip it. */
bool mp_archive_unpacks(const mp_archive *archive);

/* Return the path of the entry in the archive, in UTF-8; NULL if it has none. */
const char *mp_archive_name(const mp_archive *archive, mp_arena *arena);
typedef enum mp_entry_kind {
    MP_ENTRY_FILE,  /* with bytes of its own */
    MP_ENTRY_LINK,  /* to a file by its name */
    MP_ENTRY_OTHER, /* a folder, a device */
    MP_ENTRY_ODD,   /* entry with bytes of a kind that has none: its kind is damaged */
    MP_ENTRY_LOST,  /* the same, and its bytes are not to be had */
} mp_entry_kind;
mp_entry_kind mp_archive_kind(const mp_archive *archive);
/* Return the path in the archive that the link of this name leads to, without "." and "..";
 * NULL: it leads out of the archive. */
const char *mp_archive_target(const mp_archive *archive, const char *name, mp_arena *arena);

/* Bytes of an entry, a block of libarchive's at a time: its other interface does not report how
 * many bytes precede an error. */
typedef struct mp_entry_data {
    const char *items;
    size_t length;          /* still to be given of the block */
    uint64_t given, offset; /* bytes given; place of the block: a gap is a hole of zeros */
    bool over, failed;
} mp_entry_data;

/* Read up to `room` bytes; 0 at the end and, with `failed` set, at an error. */
size_t mp_entry_read(mp_entry_data *data, struct archive *archive, char *buffer, size_t room);

#endif
