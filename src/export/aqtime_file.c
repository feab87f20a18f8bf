/* What SQLite asks of a file system, for one file: its name is the number of its descriptor. Nobody
 * else sees the file, so locks are none. */
#include "export/aqtime_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, NAME = 32 };

typedef struct aq_file {
    sqlite3_file base;
    int file;
} aq_file;

static int descriptor_of(const sqlite3_file *file)
{
    aq_file own;
    memcpy(&own, file, sizeof own);
    return own.file;
}

/* Why the last call of this thread failed. */
static _Thread_local int last_error;

int aq_file_error(void)
{
    return last_error;
}

static int close_file(sqlite3_file *file)
{
    (void)file;
    return SQLITE_OK;
}

static int read_file(sqlite3_file *file, void *into, int length, sqlite3_int64 offset)
{
    size_t got = 0, wanted = (size_t)length;
    while (got < wanted) {
        ssize_t more = pread(descriptor_of(file), (char *)into + got, wanted - got,
                             (off_t)offset + (off_t)got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0) {
            last_error = errno;
            return SQLITE_IOERR_READ;
        }
        if (more == 0)
            break;
        got += (size_t)more;
    }
    memset((char *)into + got, 0, wanted - got);
    return got == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *file, const void *from, int length, sqlite3_int64 offset)
{
    for (size_t put = 0, wanted = (size_t)length; put < wanted;) {
        ssize_t more = pwrite(descriptor_of(file), (const char *)from + put, wanted - put,
                              (off_t)offset + (off_t)put);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0) {
            last_error = more < 0 ? errno : ENOSPC;
            return SQLITE_IOERR_WRITE;
        }
        put += (size_t)more;
    }
    return SQLITE_OK;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 length)
{
    if (ftruncate(descriptor_of(file), (off_t)length) == 0)
        return SQLITE_OK;
    last_error = errno;
    return SQLITE_IOERR_TRUNCATE;
}

static int size_of_file(sqlite3_file *file, sqlite3_int64 *length)
{
    struct stat status;
    if (fstat(descriptor_of(file), &status) != 0) {
        last_error = errno;
        return SQLITE_IOERR_FSTAT;
    }
    *length = status.st_size;
    return SQLITE_OK;
}

/* Also xSync: whoever has the file brings it to the disk. */
static int do_nothing(sqlite3_file *file, int how)
{
    (void)file, (void)how;
    return SQLITE_OK;
}

static int is_reserved(sqlite3_file *file, int *is)
{
    (void)file;
    *is = 0;
    return SQLITE_OK;
}

static int control(sqlite3_file *file, int operation, void *argument)
{
    (void)file, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *file)
{
    (void)file;
    return PAGE;
}

static int characteristics(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static const sqlite3_io_methods methods = {.iVersion = 1,
                                           .xClose = close_file,
                                           .xRead = read_file,
                                           .xWrite = write_file,
                                           .xTruncate = truncate_file,
                                           .xSync = do_nothing,
                                           .xFileSize = size_of_file,
                                           .xLock = do_nothing,
                                           .xUnlock = do_nothing,
                                           .xCheckReservedLock = is_reserved,
                                           .xFileControl = control,
                                           .xSectorSize = sector_size,
                                           .xDeviceCharacteristics = characteristics};

static int open_file(sqlite3_vfs *system, const char *name, sqlite3_file *file, int flags, int *out)
{
    (void)system;
    if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    const aq_file own = {{&methods}, (int)strtol(name, NULL, 10)};
    memcpy(file, &own, sizeof own);
    if (out)
        *out = flags;
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

/* Time, sleep and randomness are those of the usual one. */
static sqlite3_vfs vfs;

static void fill(void)
{
    const sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    if (!usual)
        return;
    vfs = *usual;
    vfs.iVersion = 1;
    vfs.szOsFile = sizeof(aq_file);
    vfs.mxPathname = NAME;
    vfs.pNext = NULL;
    vfs.zName = "memprof-descriptor";
    vfs.xOpen = open_file;
    vfs.xDelete = delete_file;
    vfs.xAccess = find_file;
    vfs.xFullPathname = full_name;
    sqlite3_vfs_register(&vfs, 0);
}

int aq_file_open(int file, sqlite3 **database)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    char name[NAME];
    *database = NULL;
    if (sqlite3_initialize() != SQLITE_OK)
        return SQLITE_NOMEM;
    pthread_once(&once, fill);
    snprintf(name, sizeof name, "%d", file);
    return sqlite3_open_v2(name, database, flags, "memprof-descriptor");
}
