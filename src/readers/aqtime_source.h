/* The file of a database as SQLite reads it: the pages of an input, where committed pages of its
 * write-ahead log replace older ones.
 *
 * Nothing is written, locked or created next to the input. Incomplete logs and signs of an
 * unfinished change are reported. */
#pragma once

#include <sys/stat.h>

#include "base/index.h"
#include "base/sqlite_file.h"
#include "input/input.h"

enum { AQ_HEADER = 100, AQ_LOG_HEADER = 32 };

typedef struct aq_source {
    mp_input *input;
    mp_diagnostics *diagnostics;
    const char *path; /* path for messages */
    char *target;     /* path to which a link leads, where the log is; NULL: `path` is not a link */
    unsigned char header[AQ_HEADER];
    uint32_t page_size, usable, pages; /* bytes per page, usable bytes per page, number of pages */
    bool whole;
    struct stat was; /* status of the file before anything was read */
    int log;         /* descriptor of the log; -1: there is none */
    struct stat log_was;
    unsigned char log_header[AQ_LOG_HEADER];
    mp_id_index frames;  /* page to its last committed frame, from 1 */
    mp_sqlite_file seen; /* the file for SQLite */
} aq_source;

/* Open the file of a database. The input must stay open as long as the file. Return NULL after a
 * diagnostic. */
aq_source *aq_source_open(mp_input *input, const char *path, mp_diagnostics *diagnostics);
/* Return true if the whole database was read, and did not change meanwhile. */
bool aq_source_is_whole(aq_source *file);
/* If the log has changes, replace the checksum of the file by the checksum that it would have after
 * a checkpoint. */
void aq_source_sum_up(aq_source *file, mp_checksum *checksum);
/* Close the file and its connection. All statements of the connection must be finalized. NULL is
 * allowed. */
void aq_source_close(aq_source *file);

/* Open a read-only connection to the file. Return NULL after a diagnostic. */
sqlite3 *aq_source_connect(aq_source *file);

static inline uint32_t aq_big32(const unsigned char *cursor)
{
    return (uint32_t)cursor[0] << 24 | (uint32_t)cursor[1] << 16 | (uint32_t)cursor[2] << 8 |
           cursor[3];
}

/* Read the first `size` bytes of a page; pages are numbered from 1. Return false if the page does
 * not have them. */
bool aq_source_page(const aq_source *file, uint32_t number, unsigned char *bytes, size_t size);
