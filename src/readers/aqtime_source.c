/* The bytes of a database: the input and the log beside it, given to SQLite as a file system in
 * which there is nothing else. */
#include "readers/aqtime_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/index.h"
#include "base/memory.h"
#include "input/taken.h"

/* Of the database: its header, and where in it the size of pages and of their unused ends is. */
enum {
    HEADER = 100,
    PAGE_SIZE = 16,
    UNUSED = 20,
    SMALLEST = 512,
    LARGEST = 65536,
    LEAST_USED = 480
};
/* Of a log: its header, and that of each frame, which is a page as a change left it. */
enum { LOG_HEADER = 32, FRAME_HEADER = 24, LOG_VERSION = 3007000 };
static const uint32_t log_magic = 0x377f0682; /* the last bit: in which order words are summed up */

struct aq_source {
    mp_input *input;
    mp_diagnostics *diagnostics;
    const char *path; /* for messages */
    char *target;     /* what the path is a link to, beside which the log is; NULL: it is none */
    unsigned char header[HEADER];
    uint32_t page_size, usable, pages;
    bool whole;
    struct stat was; /* before anything was read; so it is with the log's */
    /* The log. */
    int log;
    struct stat log_was;
    unsigned char log_header[LOG_HEADER];
    mp_id_index frames; /* page to the last committed frame of it, from 1 */
    /* What SQLite sees. */
    sqlite3_vfs system;
    char name[40];
};

static uint32_t big32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

uint32_t aq_source_page_size(const aq_source *file)
{
    return file->page_size;
}

uint32_t aq_source_usable(const aq_source *file)
{
    return file->usable;
}

uint32_t aq_source_pages(const aq_source *file)
{
    return file->pages;
}

/* --- the log --- */

typedef struct log_sum {
    uint32_t low, high;
    bool big; /* words with their high byte first */
} log_sum;

static void add_up(log_sum *sum, const unsigned char *at, size_t length)
{
    for (size_t i = 0; i + 8 <= length; i += 8) {
        uint32_t words[2] = {big32(at + i), big32(at + i + 4)};
        if (!sum->big)
            words[0] = __builtin_bswap32(words[0]), words[1] = __builtin_bswap32(words[1]);
        sum->low += words[0] + sum->high;
        sum->high += words[1] + sum->low;
    }
}

static bool is_sum(const log_sum *sum, const unsigned char *at)
{
    return big32(at) == sum->low && big32(at + 4) == sum->high;
}

static size_t log_at(const aq_source *file, uint64_t offset, void *bytes, size_t size)
{
    size_t got = 0;
    while (got < size) {
        ssize_t read = pread(file->log, (char *)bytes + got, size - got, (off_t)(offset + got));
        if (read < 0 && errno == EINTR)
            continue;
        if (read <= 0)
            break;
        got += (size_t)read;
    }
    return got;
}

static void not_all(aq_source *file, const char *ending, const char *why)
{
    file->whole = false;
    mp_diagnose(file->diagnostics, MP_DIAG_UNREAD_LOG, file->path, 0, "%s%s %s",
                *ending && file->target ? file->target : file->path, ending, why);
}

/* Frames as long as their sums hold. Gives how many, and of how many pages the database was at the
 * end of each change; a frame that is of no ended change is no part of the database. */
static uint32_t read_frames(aq_source *file, log_sum sum, uint32_t **pages, uint32_t *ended)
{
    size_t capacity = 0, size = FRAME_HEADER + (size_t)file->page_size;
    unsigned char *frame = mp_alloc(size);
    uint32_t count = 0;
    for (; count < UINT32_MAX - 1; count++) {
        size_t got = log_at(file, LOG_HEADER + (uint64_t)count * size, frame, size);
        if (!got || (got >= 16 && memcmp(frame + 8, file->log_header + 16, 8) != 0))
            break; /* the end, or what is left of a log before */
        if (got == size) {
            add_up(&sum, frame, 8);
            add_up(&sum, frame + FRAME_HEADER, file->page_size);
        }
        if (got < size || !is_sum(&sum, frame + 16) || !big32(frame)) {
            not_all(file, "-wal", "is torn or damaged: changes from there on are left out");
            break;
        }
        mp_grow(pages, &capacity, count + 1u, sizeof **pages);
        (*pages)[count] = big32(frame);
        if (big32(frame + 4)) {
            *ended = count + 1;
            file->pages = big32(frame + 4);
        }
    }
    free(frame);
    return count;
}

static void read_log(aq_source *file)
{
    const unsigned char *header = file->log_header;
    size_t got = log_at(file, 0, file->log_header, LOG_HEADER);
    log_sum sum = {.big = big32(header) & 1};
    add_up(&sum, header, 24);
    if (!got)
        return;
    if (got < LOG_HEADER || (big32(header) & ~1u) != log_magic || !is_sum(&sum, header + 24) ||
        big32(header + 4) != LOG_VERSION || big32(header + 8) != file->page_size) {
        not_all(file, "-wal", "is no log of this database: what it may hold is not read");
        return;
    }
    uint32_t *pages = NULL, ended = 0, count = read_frames(file, sum, &pages, &ended);
    if (count > ended && file->whole)
        not_all(file, "-wal", "ends in a change that was not finished: it is left out");
    for (uint32_t i = 0; i < ended; i++)
        *mp_id_index_put(&file->frames, pages[i]) = i + 1;
    free(pages);
}

/* A file of the database's name and an ending: -1 where there is none, or none that is a file. */
static int open_beside(aq_source *file, const char *ending)
{
    struct stat status;
    const char *path = file->target ? file->target : mp_input_path(file->input);
    size_t size = strlen(path) + strlen(ending) + 1;
    char *beside = mp_alloc(size);
    snprintf(beside, size, "%s%s", path, ending);
    int opened = open(beside, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    free(beside);
    if (opened < 0 && errno != ENOENT)
        not_all(file, ending, "cannot be opened: what it may hold is not read");
    if (opened >= 0 && (fstat(opened, &status) != 0 || !S_ISREG(status.st_mode))) {
        not_all(file, ending, "is no file: what it may hold is not read");
        close(opened);
        opened = -1;
    }
    mp_taken_add(opened, false);
    return opened;
}

/* What a change overwrote, kept until it is finished. */
static void look_for_journal(aq_source *file)
{
    char first = 0;
    int journal = open_beside(file, "-journal");
    if (journal < 0)
        return;
    if (pread(journal, &first, 1, 0) == 1 && first)
        not_all(file, "-journal",
                "shows a change that was not finished: what is read may be a part of it");
    close(journal);
}

/* --- opening --- */

static bool refuse(aq_source *file, const char *why)
{
    mp_diagnose(file->diagnostics, MP_DIAG_CANNOT_READ, file->path, 0,
                "cannot open the database: %s", why);
    return false;
}

static bool read_header(aq_source *file)
{
    if (mp_input_at(file->input, 0, file->header, HEADER) < HEADER)
        return refuse(file, "it ends in its header");
    uint32_t size = (uint32_t)file->header[PAGE_SIZE] << 8 | file->header[PAGE_SIZE + 1];
    file->page_size = size == 1 ? LARGEST : size;
    file->usable = file->page_size - file->header[UNUSED];
    if (file->page_size < SMALLEST || file->page_size & (file->page_size - 1) ||
        file->usable < LEAST_USED)
        return refuse(file, "it has no size of pages that SQLite knows");
    uint64_t pages = mp_input_length(file->input) / file->page_size;
    file->pages = pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX - 1;
    return true;
}

/* All is 0 of what is no file. */
static void look_at(int opened, struct stat *status)
{
    if (opened < 0 || fstat(opened, status) != 0)
        *status = (struct stat){0};
}

static bool is_as_it_was(int opened, const struct stat *was)
{
    struct stat is;
    look_at(opened, &is);
    return is.st_size == was->st_size && is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
           is.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

aq_source *aq_source_open(mp_input *input, const char *path, mp_diagnostics *diagnostics)
{
    aq_source *file = mp_alloc_zero(1, sizeof *file);
    bool has_path = mp_input_is_plain(input);
    *file = (aq_source){.input = input, .diagnostics = diagnostics, .path = path, .log = -1};
    file->whole = true;
    if (!mp_input_spread(input) || !read_header(file)) {
        aq_source_close(file);
        return NULL;
    }
    if (has_path) {
        look_at(mp_input_descriptor(input), &file->was);
        mp_taken_add(mp_input_descriptor(input), true);
    }
    char first;
    if (has_path && readlink(mp_input_path(input), &first, 1) > 0)
        file->target = realpath(mp_input_path(input), NULL);
    if (has_path) {
        look_for_journal(file);
        file->log = open_beside(file, "-wal");
    }
    look_at(file->log, &file->log_was);
    if (file->log >= 0)
        read_log(file);
    return file;
}

bool aq_source_is_whole(aq_source *file)
{
    /* The headers, too: times of files are no finer than a few milliseconds. */
    unsigned char header[HEADER], log_header[LOG_HEADER] = {0};
    bool same = is_as_it_was(mp_input_descriptor(file->input), &file->was) &&
                is_as_it_was(file->log, &file->log_was) &&
                mp_input_at(file->input, 0, header, HEADER) == HEADER &&
                memcmp(header, file->header, HEADER) == 0;
    if (file->log >= 0) {
        log_at(file, 0, log_header, LOG_HEADER);
        same &= memcmp(log_header, file->log_header, LOG_HEADER) == 0;
    }
    if (!same)
        not_all(file, "", "was written to while it was read");
    return file->whole;
}

void aq_source_close(aq_source *file)
{
    if (!file)
        return;
    if (file->log >= 0)
        close(file->log);
    if (file->system.zName)
        sqlite3_vfs_unregister(&file->system);
    mp_id_index_free(&file->frames);
    free(file->target);
    free(file);
}

/* --- pages --- */

/* Of one page. */
static size_t read_part(const aq_source *file, uint64_t offset, void *bytes, size_t size)
{
    uint64_t page = offset / file->page_size + 1, within = offset % file->page_size;
    uint32_t frame = mp_id_index_get(&file->frames, page);
    if (page > file->pages)
        return 0;
    if (!frame)
        return mp_input_at(file->input, offset, bytes, size);
    uint64_t start = LOG_HEADER + (uint64_t)(frame - 1) * (FRAME_HEADER + file->page_size);
    return log_at(file, start + FRAME_HEADER + within, bytes, size);
}

typedef struct seen_bytes {
    const aq_source *file;
    uint64_t at;
} seen_bytes;

static size_t more_seen(void *opaque, char *into, size_t room)
{
    seen_bytes *seen = opaque;
    size_t part = seen->file->page_size - (size_t)(seen->at % seen->file->page_size);
    size_t got = read_part(seen->file, seen->at, into, part < room ? part : room);
    seen->at += got;
    return got;
}

void aq_source_sum_up(const aq_source *file, mp_checksum *checksum)
{
    seen_bytes seen = {file, 0};
    if (!file->frames.count)
        return;
    *checksum = mp_checksum_of(more_seen, &seen);
    checksum->known = seen.at == (uint64_t)file->pages * file->page_size;
}

bool aq_source_page(const aq_source *file, uint32_t number, unsigned char *bytes, size_t size)
{
    return read_part(file, (uint64_t)(number - 1) * file->page_size, bytes, size) == size;
}

/* --- what SQLite sees --- */

typedef struct seen_file {
    sqlite3_file base;
    const aq_source *file;
} seen_file;

static int seen_close(sqlite3_file *seen)
{
    (void)seen;
    return SQLITE_OK;
}

static int seen_read(sqlite3_file *seen, void *bytes, int size, sqlite3_int64 offset)
{
    const aq_source *file = ((const seen_file *)seen)->file;
    size_t got = 0, wanted = (size_t)size;
    while (got < wanted) {
        uint64_t at = (uint64_t)offset + got;
        size_t part = file->page_size - (size_t)(at % file->page_size);
        part = part < wanted - got ? part : wanted - got;
        size_t read = read_part(file, at, (char *)bytes + got, part);
        got += read;
        if (read < part) {
            memset((char *)bytes + got, 0, wanted - got);
            return SQLITE_IOERR_SHORT_READ;
        }
    }
    return SQLITE_OK;
}

static int seen_write(sqlite3_file *seen, const void *bytes, int size, sqlite3_int64 offset)
{
    (void)seen, (void)bytes, (void)size, (void)offset;
    return SQLITE_READONLY;
}

static int seen_truncate(sqlite3_file *seen, sqlite3_int64 size)
{
    (void)seen, (void)size;
    return SQLITE_READONLY;
}

static int seen_size(sqlite3_file *seen, sqlite3_int64 *size)
{
    const aq_source *file = ((const seen_file *)seen)->file;
    *size = (sqlite3_int64)file->pages * (sqlite3_int64)file->page_size;
    return SQLITE_OK;
}

static int seen_flags(sqlite3_file *seen, int flags)
{
    (void)seen, (void)flags;
    return SQLITE_OK;
}

static int seen_reserved(sqlite3_file *seen, int *reserved)
{
    (void)seen;
    *reserved = 0;
    return SQLITE_OK;
}

static int seen_control(sqlite3_file *seen, int operation, void *argument)
{
    (void)seen, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int seen_sector(sqlite3_file *seen)
{
    return (int)((const seen_file *)seen)->file->page_size;
}

/* Nobody writes to it: SQLite takes no locks and looks for nothing beside it. */
static int seen_kind(sqlite3_file *seen)
{
    (void)seen;
    return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = seen_close,
    .xRead = seen_read,
    .xWrite = seen_write,
    .xTruncate = seen_truncate,
    .xSync = seen_flags,
    .xFileSize = seen_size,
    .xLock = seen_flags,
    .xUnlock = seen_flags,
    .xCheckReservedLock = seen_reserved,
    .xFileControl = seen_control,
    .xSectorSize = seen_sector,
    .xDeviceCharacteristics = seen_kind,
};

/* The database, and files without a name in which SQLite sorts what is large. */
static int system_open(sqlite3_vfs *system, const char *name, sqlite3_file *opened, int flags,
                       int *given)
{
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    aq_source *file = system->pAppData;
    opened->pMethods = NULL;
    if (!name && !(flags & SQLITE_OPEN_MAIN_DB))
        return usual->xOpen(usual, NULL, opened, flags, given);
    if (!(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    *(seen_file *)opened = (seen_file){{&methods}, file};
    if (given)
        *given = flags;
    return SQLITE_OK;
}

static int system_delete(sqlite3_vfs *system, const char *name, int sync)
{
    (void)system, (void)name, (void)sync;
    return SQLITE_IOERR_DELETE;
}

static int system_access(sqlite3_vfs *system, const char *name, int flags, int *result)
{
    (void)system, (void)name, (void)flags;
    *result = 0;
    return SQLITE_OK;
}

static int system_path(sqlite3_vfs *system, const char *name, int size, char *path)
{
    (void)system;
    snprintf(path, (size_t)size, "%s", name);
    return SQLITE_OK;
}

sqlite3 *aq_source_connect(aq_source *file)
{
    sqlite3 *database = NULL;
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    const sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    if (!usual) /* SQLite could not begin */
        return mp_out_of_memory();
    file->system = *usual; /* times, chance, messages of the system */
    snprintf(file->name, sizeof file->name, "memprof-%p", (void *)file);
    file->system.iVersion = 1;
    file->system.pNext = NULL;
    file->system.zName = file->name;
    file->system.pAppData = file;
    if (file->system.szOsFile < (int)sizeof(seen_file))
        file->system.szOsFile = (int)sizeof(seen_file);
    file->system.xOpen = system_open;
    file->system.xDelete = system_delete;
    file->system.xAccess = system_access;
    file->system.xFullPathname = system_path;
    sqlite3_vfs_register(&file->system, 0);
    if (sqlite3_open_v2("database", &database, flags, file->name) != SQLITE_OK) {
        refuse(file, sqlite3_errmsg(database));
        sqlite3_close(database);
        return NULL;
    }
    return database;
}
