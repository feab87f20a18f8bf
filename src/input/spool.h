/* An unnamed temporary file with copies of streams, made while they are read. Each copy can be read
 * repeatedly, in any order and by several threads at once. */
#ifndef MP_INPUT_SPOOL_H
#define MP_INPUT_SPOOL_H

#include "input/stream.h"

typedef struct mp_spool {
    int file; /* -1: there can be none */
    uint64_t length;
    uint64_t most; /* bytes: of one stream, and behind which no other one is kept */
} mp_spool;

/* Bytes of one stream in the file, and the fault at their end. */
typedef struct mp_spooled {
    bool whole; /* all that the stream gave is there */
    uint64_t from, length;
    mp_fault fault;
    char *why; /* NULL: no fault. Release with free(). */
} mp_spooled;

/* Create the file. On failure, its `file` is -1 and nothing is kept. */
mp_spool mp_spool_new(uint64_t most);
/* Close it; copies that are open stay readable. */
void mp_spool_close(mp_spool *spool);
static inline bool mp_spool_is_full(const mp_spool *spool)
{
    return spool->length >= spool->most;
}

/* Return a stream that passes on the bytes of `below`, which it owns, and copies them. Closing it
 * reads it to its end first if *wanted is set, so that the copy is whole. Only one may be open at a
 * time. */
mp_stream *mp_spool_keep(mp_spool *spool, mp_stream *below, mp_spooled *spooled,
                         const bool *wanted);
/* Open a copy, as a stream with the same fault at its end. NULL with errno set. */
mp_stream *mp_spool_open(const mp_spool *spool, const mp_spooled *spooled);

#endif
