/* An unnamed temporary file with copies of streams, written while they are read. A copy can be read
 * repeatedly, in any order, and by several threads at once. */
#pragma once

#include "input/stream.h"

typedef struct mp_spool {
    int file; /* -1: the file could not be created */
    uint64_t length;
    uint64_t most; /* maximum bytes of a copy; a larger file accepts no further copies */
} mp_spool;

/* The place of a copy in the file, and the fault at the end of its stream. */
typedef struct mp_spooled {
    bool whole; /* the copy is complete */
    uint64_t from, length;
    mp_fault fault;
    char *why; /* message of the fault, or NULL; release with free() */
} mp_spooled;

/* Create the file. On failure, `file` is -1 and nothing is copied. */
mp_spool mp_spool_new(uint64_t most);
/* Close the file. Copies that are open stay readable. */
void mp_spool_close(mp_spool *spool);
static inline bool mp_spool_is_full(const mp_spool *spool)
{
    return spool->length >= spool->most;
}

/* Return a stream that copies the bytes of `below` as they are read. The stream owns `below`. If
 * *wanted is set when the stream is closed, the stream first reads to the end, so that the copy is
 * complete. Only one such stream may be open at a time. */
mp_stream *mp_spool_keep(mp_spool *spool, mp_stream *below, mp_spooled *spooled,
                         const bool *wanted);
/* Open a copy as a stream, with the original fault at its end. Return NULL with errno set on
 * failure. */
mp_stream *mp_spool_open(const mp_spool *spool, const mp_spooled *spooled);
