#include "base/sqlite_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SECTOR = 4096 };

typedef struct seen_file {
    sqlite3_file base;
    mp_sqlite_file *file;
} seen_file;

static mp_sqlite_file *file_of(sqlite3_file *seen)
{
    return ((seen_file *)seen)->file;
}

static int fail(mp_sqlite_file *file, int code)
{
    file->error = errno;
    return code;
}

static int read_bytes(sqlite3_file *seen, void *buffer, int length, sqlite3_int64 offset)
{
    mp_sqlite_file *file = file_of(seen);
    size_t got = 0, wanted = (size_t)length;
    while (got < wanted) {
        ssize_t more = file->calls->read(file->opaque, (char *)buffer + got, wanted - got,
                                         (uint64_t)offset + got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return fail(file, SQLITE_IOERR_READ);
        if (more == 0)
            break;
        got += (size_t)more;
    }
    memset((char *)buffer + got, 0, wanted - got);
    return got == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int write_bytes(sqlite3_file *seen, const void *from, int length, sqlite3_int64 offset)
{
    mp_sqlite_file *file = file_of(seen);
    for (size_t put = 0, wanted = (size_t)length; put < wanted;) {
        ssize_t more = file->calls->write(file->opaque, (const char *)from + put, wanted - put,
                                          (uint64_t)offset + put);
        if (more < 0 && errno == EINTR)
            continue;
        if (more == 0)
            errno = ENOSPC;
        if (more <= 0)
            return fail(file, SQLITE_IOERR_WRITE);
        put += (size_t)more;
    }
    return SQLITE_OK;
}

static int truncate_file(sqlite3_file *seen, sqlite3_int64 size)
{
    mp_sqlite_file *file = file_of(seen);
    if (file->calls->truncate(file->opaque, (uint64_t)size) == 0)
        return SQLITE_OK;
    return fail(file, SQLITE_IOERR_TRUNCATE);
}

static int size_of_file(sqlite3_file *seen, sqlite3_int64 *size)
{
    mp_sqlite_file *file = file_of(seen);
    *size = file->calls->size(file->opaque);
    return *size < 0 ? fail(file, SQLITE_IOERR_FSTAT) : SQLITE_OK;
}

/* Close the file. Its owner closes the descriptor and flushes it to disk. Locks do nothing, because
 * no other connection uses the file. */
static int close_file(sqlite3_file *seen)
{
    (void)seen;
    return SQLITE_OK;
}

static int do_nothing(sqlite3_file *seen, int how)
{
    (void)seen, (void)how;
    return SQLITE_OK;
}

static int is_reserved(sqlite3_file *seen, int *is)
{
    (void)seen;
    *is = 0;
    return SQLITE_OK;
}

static int control(sqlite3_file *seen, int operation, void *argument)
{
    (void)seen, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *seen)
{
    (void)seen;
    return SECTOR;
}

static int characteristics(sqlite3_file *seen)
{
    return file_of(seen)->calls->write ? 0 : SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods methods = {.iVersion = 1,
                                           .xClose = close_file,
                                           .xRead = read_bytes,
                                           .xWrite = write_bytes,
                                           .xTruncate = truncate_file,
                                           .xSync = do_nothing,
                                           .xFileSize = size_of_file,
                                           .xLock = do_nothing,
                                           .xUnlock = do_nothing,
                                           .xCheckReservedLock = is_reserved,
                                           .xFileControl = control,
                                           .xSectorSize = sector_size,
                                           .xDeviceCharacteristics = characteristics};

/* Open the file, or a temporary file without a name, which SQLite uses for large sorts. */
static int open_file(sqlite3_vfs *system, const char *name, sqlite3_file *opened, int flags,
                     int *given)
{
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    opened->pMethods = NULL;
    if (!name)
        return usual->xOpen(usual, NULL, opened, flags, given);
    if (!(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    *(seen_file *)opened = (seen_file){{&methods}, system->pAppData};
    if (given)
        *given = flags;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *system, const char *name, int sync)
{
    (void)system, (void)name, (void)sync;
    return SQLITE_OK;
}

static int find_file(sqlite3_vfs *system, const char *name, int flags, int *found)
{
    (void)system, (void)name, (void)flags;
    *found = 0;
    return SQLITE_OK;
}

static int full_name(sqlite3_vfs *system, const char *name, int size, char *full)
{
    (void)system;
    return snprintf(full, (size_t)size, "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

int mp_sqlite_open(mp_sqlite_file *file, const mp_sqlite_calls *calls, void *opaque)
{
    const int flags = calls->write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    *file = (mp_sqlite_file){.calls = calls, .opaque = opaque};
    const sqlite3_vfs *usual = mp_sqlite_load() ? NULL : sqlite3_vfs_find(NULL);
    if (!usual)
        return SQLITE_NOMEM;
    snprintf(file->name, sizeof file->name, "memprof-%p", (void *)file);
    file->system = *usual; /* clock, random numbers and error messages of the system */
    file->system.iVersion = 1;
    file->system.pNext = NULL;
    file->system.zName = file->name;
    file->system.pAppData = file;
    if (file->system.szOsFile < (int)sizeof(seen_file))
        file->system.szOsFile = (int)sizeof(seen_file);
    file->system.xOpen = open_file;
    file->system.xDelete = delete_file;
    file->system.xAccess = find_file;
    file->system.xFullPathname = full_name;
    sqlite3_vfs_register(&file->system, 0);
    return sqlite3_open_v2("database", &file->database, flags | SQLITE_OPEN_NOMUTEX, file->name);
}

const char *mp_sqlite_failure(const mp_sqlite_file *file)
{
    const char *missing = mp_sqlite_load();
    if (missing || !file->database)
        return missing ? missing : strerror(ENOMEM);
    const bool by_system = file->error && sqlite3_errcode(file->database) == SQLITE_IOERR;
    return by_system ? strerror(file->error) : sqlite3_errmsg(file->database);
}

void mp_sqlite_close(mp_sqlite_file *file)
{
    if (file->system.zName) {
        sqlite3_close(file->database);
        sqlite3_vfs_unregister(&file->system);
    }
    *file = (mp_sqlite_file){0};
}
