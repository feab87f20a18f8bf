/* A database's file as SQLite is to see it: the pages of an input, and those of the write-ahead log
 * beside it that were committed.
 *
 * Nothing is written, locked or made beside the input. What cannot be read of a log, or shows that
 * a change was under way, is told. */
#ifndef MP_READERS_AQTIME_SOURCE_H
#define MP_READERS_AQTIME_SOURCE_H

#include <sys/stat.h>

#include "base/index.h"
#include "base/sqlite_file.h"
#include "input/input.h"

enum { AQ_HEADER = 100, AQ_LOG_HEADER = 32 };

typedef struct aq_source {
    mp_input *input;
    mp_diagnostics *diagnostics;
    const char *path; /* for messages */
    char *target;     /* target of a link, beside which the log is; NULL: it is no link */
    unsigned char header[AQ_HEADER];
    uint32_t page_size, usable, pages; /* how large a page is, how much of it is the database's own,
                                          and how many there are */
    bool whole;
    struct stat was; /* before anything was read; so it is with the log's */
    int log;         /* the log's descriptor; -1: there is none */
    struct stat log_was;
    unsigned char log_header[AQ_LOG_HEADER];
    mp_id_index frames;  /* page to the last committed frame of it, from 1 */
    mp_sqlite_file seen; /* file as SQLite sees it */
} aq_source;

/* The input must be open as long as the file is. NULL after a diagnostic. */
aq_source *aq_source_open(mp_input *input, const char *path, mp_diagnostics *diagnostics);
/* Return true if everything that belongs to the database was read and nobody wrote to it
 * meanwhile. */
bool aq_source_is_whole(aq_source *file);
/* If a write-ahead log has changes, replace the checksum of the file by the one that the file
 * will have after they are written back. */
void aq_source_sum_up(aq_source *file, mp_checksum *checksum);
/* Close its connection too, whose statements must be finalized. NULL: nothing happens. */
void aq_source_close(aq_source *file);

/* Open a connection that reads it and nothing else. NULL after a diagnostic. */
sqlite3 *aq_source_connect(aq_source *file);

static inline uint32_t aq_big32(const unsigned char *cursor)
{
    return (uint32_t)cursor[0] << 24 | (uint32_t)cursor[1] << 16 | (uint32_t)cursor[2] << 8 |
           cursor[3];
}

/* Read the first `size` bytes of a page, which are counted from 1. False where they are not there.
 */
bool aq_source_page(const aq_source *file, uint32_t number, unsigned char *bytes, size_t size);

#endif
