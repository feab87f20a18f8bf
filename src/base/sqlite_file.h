/* One file as SQLite sees it: a file system that has this file and nothing else, so that SQLite
 * makes, locks and looks for nothing beside it.
 *
 * A file is never mapped into memory: one that others cut short while it is mapped ends the
 * process. */
#ifndef MP_BASE_SQLITE_FILE_H
#define MP_BASE_SQLITE_FILE_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Calls on a file, by its owner's `opaque`. Those that fail give -1 and set errno. */
typedef struct mp_sqlite_calls {
    /* Read at most `size` bytes; return how many: 0 at the end. */
    ssize_t (*read)(void *opaque, void *buffer, size_t size, uint64_t offset);
    /* Write at most `size` bytes; return how many. NULL: nobody writes to the file. */
    ssize_t (*write)(void *opaque, const void *from, size_t size, uint64_t offset);
    int (*truncate)(void *opaque, uint64_t size); /* 0: it is done; used with `write` alone */
    int64_t (*size)(void *opaque);
} mp_sqlite_calls;

/* An open file. Zero-initialise; it must stay in its place until mp_sqlite_close. */
typedef struct mp_sqlite_file {
    const mp_sqlite_calls *calls;
    void *opaque;
    sqlite3 *database; /* NULL: there was no memory for one */
    int error;         /* errno of the last call that failed; 0: none did */
    sqlite3_vfs system;
    char name[40];
} mp_sqlite_file;

/* Open a connection to a file that `calls` reads and, if they can, writes; the connection is for
 * one thread. Return a code of SQLite, SQLITE_NOMEM where SQLite itself could not begin. Close in
 * any case. */
int mp_sqlite_open(mp_sqlite_file *file, const mp_sqlite_calls *calls, void *opaque);
/* Close the connection, whose statements must be finalized, and forget the file. */
void mp_sqlite_close(mp_sqlite_file *file);

#endif
