/* A single file for SQLite: a virtual file system that contains only this file, so SQLite creates
 * and locks no other file beside it.
 *
 * The file is never mapped into memory: if another process truncated it, SIGBUS would end this
 * one. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/sqlite.h"

/* Calls that access the file; `opaque` is given to mp_sqlite_open. On failure they return -1 and
 * set errno. */
typedef struct mp_sqlite_calls {
    /* Read at most `size` bytes. Return their number; 0 at the end of the file. */
    ssize_t (*read)(void *opaque, void *buffer, size_t size, uint64_t offset);
    /* Write at most `size` bytes. Return their number. NULL: the file is read-only. */
    ssize_t (*write)(void *opaque, const void *from, size_t size, uint64_t offset);
    int (*truncate)(void *opaque, uint64_t size); /* 0: success; used only with `write` */
    int64_t (*size)(void *opaque);
} mp_sqlite_calls;

/* An open file. Zero-initialise; it must stay in its place until mp_sqlite_close. */
typedef struct mp_sqlite_file {
    const mp_sqlite_calls *calls;
    void *opaque;
    sqlite3 *database; /* NULL: there is no SQLite, or memory ran out */
    int error;         /* errno of the last call that failed; 0: none */
    sqlite3_vfs system;
    char name[40];
} mp_sqlite_file;

/* Open a connection to the file, writable if `calls->write` is set, for use in one thread. Return
 * an SQLite result code. Call mp_sqlite_close in any case. */
int mp_sqlite_open(mp_sqlite_file *file, const mp_sqlite_calls *calls, void *opaque);
/* Return the reason why the last call failed; valid until the next call. */
const char *mp_sqlite_failure(const mp_sqlite_file *file);
/* Close the connection and unregister the file system. All statements must be finalized. */
void mp_sqlite_close(mp_sqlite_file *file);
