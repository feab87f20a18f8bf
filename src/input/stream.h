/* Streams: sources of an input's bytes. They are stacked: a file, its decompression, the conversion
 * of its text to UTF-8.
 *
 * A stream that ends early has a fault. The bytes before the fault are good as far as known. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/slice.h"

typedef enum mp_fault {
    MP_FAULT_NONE,
    MP_FAULT_TORN,  /* compressed data is truncated */
    MP_FAULT_READ,  /* the data is damaged or unreadable */
    MP_FAULT_LIMIT, /* a limit is exceeded */
} mp_fault;

typedef struct mp_stream mp_stream;

typedef struct mp_stream_kind {
    /* Read up to `room` bytes. Return 0 at the end and at a fault. */
    size_t (*read)(mp_stream *stream, char *buffer, size_t room);
    /* Open another stream of the same bytes, from their start. Return NULL with errno set on
     * failure. The pointer is NULL if this kind of stream can be read only once. */
    mp_stream *(*clone)(const mp_stream *stream);
    /* Release the resources of the kind, but not the stream itself. */
    void (*close)(mp_stream *stream);
    /* Move to an offset, as lseek does. The pointer is NULL if this kind of stream can only be read
     * forward. */
    int64_t (*seek)(mp_stream *stream, int64_t offset, int whence);
} mp_stream_kind;

enum { MP_PEEK = 1024 };

struct mp_stream {
    const mp_stream_kind *kind;
    mp_stream *below;  /* stream that this one reads, and closes; NULL: none */
    mp_stream *bottom; /* the file, pipe or memory at the bottom of the stack */
    uint64_t given;    /* bytes delivered since the start */
    bool grows;        /* still being written: a read at its end waits for more */
    bool looks;        /* do not wait now; a read at the end returns 0 */
    mp_fault fault;
    char why[160];
    size_t head_start, head_end;
    char head[MP_PEEK]; /* bytes that were peeked at and not yet read */
};

/* Read up to `room` bytes. Return 0 only at the end or at a fault. */
size_t mp_stream_read(mp_stream *stream, char *buffer, size_t room);
/* Return the first bytes, up to MP_PEEK, without consuming them. Call it before the first read. */
mp_slice mp_stream_peek(mp_stream *stream);
/* Open another stream of the same bytes, from their start. Return NULL with errno set on failure,
 * such as for a pipe that is not kept. */
mp_stream *mp_stream_clone(const mp_stream *stream);
/* Close the stream and all streams below it; NULL is allowed. */
void mp_stream_close(mp_stream *stream);
/* Set the fault. Return 0, so that `read` functions can write `return mp_stream_fail(...)`. */
size_t mp_stream_fail(mp_stream *stream, mp_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Set the fault to that of the stream below. Return 0. */
size_t mp_stream_fail_below(mp_stream *stream);

/* Make a stream of a descriptor. Closing the stream closes the descriptor, unless it is standard
 * input. The first bytes of a pipe are remembered, so that mp_stream_keep is possible at first. */
mp_stream *mp_stream_of_file(int file);
/* Make a stream of memory (borrowed) that delivers at most `step` bytes at a time. */
mp_stream *mp_stream_of_memory(const char *bytes, size_t length, size_t step);

/* Return true if the bottom stream can be read repeatedly. A stream that grows cannot, and has
 * neither size nor descriptor. */
bool mp_stream_is_kept(const mp_stream *file);
/* Return the size in bytes; 0 if it is unknown. */
uint64_t mp_stream_size(const mp_stream *file);
/* Go back to the start. This also works for a pipe as long as its bytes are remembered. Return
 * false with errno set on failure. */
bool mp_stream_restart(mp_stream *file);
/* Read a pipe to its end into an unnamed temporary file, and go back to the start. Return false
 * with errno set on failure. */
bool mp_stream_keep(mp_stream *file);
/* Create an unnamed file in the folder for temporary files. Return -1 with errno set on failure. */
int mp_stream_temporary(void);
/* Copy all bytes that `stream` has left into memory, and return a stream of the copy. */
mp_stream *mp_stream_copy(mp_stream *stream);
/* Read up to `size` bytes of a kept file from offset `from` on; fewer at its end or at a fault. */
size_t mp_stream_at(mp_stream *file, uint64_t from, char *buffer, size_t size);
/* Return the descriptor; -1 for memory. */
int mp_stream_descriptor(const mp_stream *file);

/* Return true if both describe the same file, unchanged in between. */
bool mp_file_is_same(const struct stat *a, const struct stat *b);
