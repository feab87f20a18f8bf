/* The bytes of a database: the input, with changes from the write-ahead log next to it. */
#include "readers/aqtime_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/memory.h"

/* Offsets in the database header, and limits of page sizes. */
enum { PAGE_SIZE = 16, UNUSED = 20, SMALLEST = 512, LARGEST = 65536, LEAST_USED = 480 };
/* Length of the header of a log frame. Each frame contains a page as it is after a change. */
enum { FRAME_HEADER = 24, LOG_VERSION = 3007000 };
static const uint32_t log_magic = 0x377f0682; /* the lowest bit is the byte order of checksums */

/* --- write-ahead log --- */

typedef struct log_sum {
    uint32_t low, high;
    bool big; /* words are big-endian */
} log_sum;

static void add_up(log_sum *sum, const unsigned char *cursor, size_t length)
{
    for (size_t i = 0; i + 8 <= length; i += 8) {
        uint32_t words[2] = {aq_big32(cursor + i), aq_big32(cursor + i + 4)};
        if (!sum->big)
            words[0] = __builtin_bswap32(words[0]), words[1] = __builtin_bswap32(words[1]);
        sum->low += words[0] + sum->high;
        sum->high += words[1] + sum->low;
    }
}

static bool is_sum(const log_sum *sum, const unsigned char *cursor)
{
    return aq_big32(cursor) == sum->low && aq_big32(cursor + 4) == sum->high;
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

/* Read frames as long as their checksums are valid, and return their number. Set *pages to the page
 * number of each frame, *ended to the number of committed frames, and file->pages to the size of
 * the database in pages after the last commit. */
static uint32_t read_frames(aq_source *file, log_sum sum, uint32_t **pages, uint32_t *ended)
{
    size_t capacity = 0, size = FRAME_HEADER + (size_t)file->page_size;
    unsigned char *frame = mp_alloc(size);
    uint32_t count = 0;
    for (; count < UINT32_MAX - 1; count++) {
        size_t got = log_at(file, AQ_LOG_HEADER + (uint64_t)count * size, frame, size);
        if (!got || (got >= 16 && memcmp(frame + 8, file->log_header + 16, 8) != 0))
            break; /* the end, or frames of an earlier log */
        if (got == size) {
            add_up(&sum, frame, 8);
            add_up(&sum, frame + FRAME_HEADER, file->page_size);
        }
        if (got < size || !is_sum(&sum, frame + 16) || !aq_big32(frame)) {
            not_all(file, "-wal", "is truncated or damaged; changes from there on are ignored");
            break;
        }
        mp_grow(pages, &capacity, count + 1u, sizeof **pages);
        (*pages)[count] = aq_big32(frame);
        if (aq_big32(frame + 4)) {
            *ended = count + 1;
            file->pages = aq_big32(frame + 4);
        }
    }
    free(frame);
    return count;
}

static void read_log(aq_source *file)
{
    const unsigned char *header = file->log_header;
    size_t got = log_at(file, 0, file->log_header, AQ_LOG_HEADER);
    log_sum sum = {.big = aq_big32(header) & 1};
    add_up(&sum, header, 24);
    if (!got)
        return;
    if (got < AQ_LOG_HEADER || (aq_big32(header) & ~1u) != log_magic ||
        !is_sum(&sum, header + 24) || aq_big32(header + 4) != LOG_VERSION ||
        aq_big32(header + 8) != file->page_size) {
        not_all(file, "-wal", "is not a log of this database; its contents are ignored");
        return;
    }
    uint32_t *pages = NULL, ended = 0, count = read_frames(file, sum, &pages, &ended);
    if (count > ended && file->whole)
        not_all(file, "-wal", "ends in an unfinished change, which is ignored");
    for (uint32_t i = 0; i < ended; i++)
        *mp_id_index_put(&file->frames, pages[i]) = i + 1;
    free(pages);
}

/* Open the file that has the name of the database with this suffix. Return its descriptor; -1:
 * there is no regular file with this name. */
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
        not_all(file, ending, "cannot be opened; its contents are ignored");
    if (opened >= 0 && (fstat(opened, &status) != 0 || !S_ISREG(status.st_mode))) {
        not_all(file, ending, "is not a file; its contents are ignored");
        close(opened);
        opened = -1;
    }
    if (opened >= 0)
        mp_input_note_read(file->input, &status, false);
    return opened;
}

/* Look for a rollback journal. It contains the pages that an unfinished change has overwritten. */
static void look_for_journal(aq_source *file)
{
    char first = 0;
    int journal = open_beside(file, "-journal");
    if (journal < 0)
        return;
    if (pread(journal, &first, 1, 0) == 1 && first)
        not_all(file, "-journal", "shows an unfinished change; the data may be incomplete");
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
    if (mp_input_at(file->input, 0, file->header, AQ_HEADER) < AQ_HEADER)
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

/* Get the status of a file; all zero if it is not open. */
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
        mp_input_note_read(input, &file->was, true);
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
    /* compare the headers too: time stamps of files are accurate only to some milliseconds */
    unsigned char header[AQ_HEADER], log_header[AQ_LOG_HEADER] = {0};
    bool same = is_as_it_was(mp_input_descriptor(file->input), &file->was) &&
                is_as_it_was(file->log, &file->log_was) &&
                mp_input_at(file->input, 0, header, AQ_HEADER) == AQ_HEADER &&
                memcmp(header, file->header, AQ_HEADER) == 0;
    if (file->log >= 0) {
        log_at(file, 0, log_header, AQ_LOG_HEADER);
        same &= memcmp(log_header, file->log_header, AQ_LOG_HEADER) == 0;
    }
    if (!same)
        not_all(file, "", "changed while it was read");
    return file->whole;
}

void aq_source_close(aq_source *file)
{
    if (!file)
        return;
    mp_sqlite_close(&file->seen);
    if (file->log >= 0)
        close(file->log);
    mp_id_index_free(&file->frames);
    free(file->target);
    free(file);
}

/* --- pages --- */

/* Read a part of a single page. */
static size_t read_part(const aq_source *file, uint64_t offset, void *bytes, size_t size)
{
    uint64_t page = offset / file->page_size + 1, within = offset % file->page_size;
    uint32_t frame = mp_id_index_get(&file->frames, page);
    if (page > file->pages)
        return 0;
    if (!frame)
        return mp_input_at(file->input, offset, bytes, size);
    uint64_t start = AQ_LOG_HEADER + (uint64_t)(frame - 1) * (FRAME_HEADER + file->page_size);
    return log_at(file, start + FRAME_HEADER + within, bytes, size);
}

/* Read up to the end of the page. */
static ssize_t read_seen(void *opaque, void *buffer, size_t size, uint64_t offset)
{
    const aq_source *file = opaque;
    size_t part = file->page_size - (size_t)(offset % file->page_size);
    return (ssize_t)read_part(file, offset, buffer, part < size ? part : size);
}

typedef struct seen_bytes {
    aq_source *file;
    uint64_t position;
} seen_bytes;

static size_t more_seen(void *opaque, char *buffer, size_t room)
{
    seen_bytes *seen = opaque;
    ssize_t got = read_seen(seen->file, buffer, room, seen->position);
    seen->position += (size_t)got;
    return (size_t)got;
}

void aq_source_sum_up(aq_source *file, mp_checksum *checksum)
{
    seen_bytes seen = {file, 0};
    if (!file->frames.count)
        return;
    *checksum = mp_checksum_of(more_seen, &seen);
    checksum->known = seen.position == (uint64_t)file->pages * file->page_size;
}

bool aq_source_page(const aq_source *file, uint32_t number, unsigned char *bytes, size_t size)
{
    return read_part(file, (uint64_t)(number - 1) * file->page_size, bytes, size) == size;
}

/* --- file for SQLite --- */

static int64_t size_seen(void *opaque)
{
    const aq_source *file = opaque;
    return (int64_t)file->pages * (int64_t)file->page_size;
}

sqlite3 *aq_source_connect(aq_source *file)
{
    static const mp_sqlite_calls calls = {.read = read_seen, .size = size_seen};
    if (mp_sqlite_open(&file->seen, &calls, file) == SQLITE_OK)
        return file->seen.database;
    if (!file->seen.database && !mp_sqlite_load())
        return mp_out_of_memory();
    refuse(file, mp_sqlite_failure(&file->seen));
    return NULL;
}
