/* Streams: sources of an input's bytes. They are stacked: a file, its decompression, the conversion
 * of its text to UTF-8.
 *
 * A stream that ends early has a fault; the bytes before that are good as far as is known. */
#ifndef MP_INPUT_STREAM_H
#define MP_INPUT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/slice.h"

typedef enum mp_fault {
    MP_FAULT_NONE,
    MP_FAULT_TORN,  /* packed data breaks off */
    MP_FAULT_READ,  /* it cannot be read on, or is damaged */
    MP_FAULT_LIMIT, /* a limit is met */
} mp_fault;

typedef struct mp_stream mp_stream;

typedef struct mp_stream_kind {
    /* Read up to `room` bytes; 0 at the end and at a fault. */
    size_t (*read)(mp_stream *stream, char *buffer, size_t room);
    /* Open another stream of the same bytes, at their start; NULL with errno set. A kind without
     * this function can be read only once. */
    mp_stream *(*clone)(const mp_stream *stream);
    /* Release its resources, but not the stream itself. */
    void (*close)(mp_stream *stream);
    /* Move to an offset, as lseek does. A kind without this function only goes ahead. */
    int64_t (*seek)(mp_stream *stream, int64_t offset, int whence);
} mp_stream_kind;

enum { MP_PEEK = 1024 };

struct mp_stream {
    const mp_stream_kind *kind;
    mp_stream *below;  /* the stream that it reads, and closes; NULL: none */
    mp_stream *bottom; /* the file, the pipe or the memory that all of it comes from */
    uint64_t given;    /* bytes, since its start */
    bool grows; /* it is still being written: at the end of what there is, it waits for more */
    bool looks; /* for now it does not wait, and gives 0 */
    mp_fault fault;
    char why[160];
    size_t head_start, head_end;
    char head[MP_PEEK]; /* looked at, and not yet given */
};

/* Read up to `room` bytes; 0 only at the end or a fault. */
size_t mp_stream_read(mp_stream *stream, char *buffer, size_t room);
/* Return the first bytes, up to MP_PEEK, without taking them. Nothing may have been read yet. */
mp_slice mp_stream_peek(mp_stream *stream);
/* Open another stream of the same bytes, at their start. NULL, with errno set, where what is at the
 * bottom is not kept. */
mp_stream *mp_stream_clone(const mp_stream *stream);
/* Close it and all streams below it. NULL: nothing happens. */
void mp_stream_close(mp_stream *stream);
/* Set the fault; returns 0, for `return mp_stream_fail(...)` of a read. */
size_t mp_stream_fail(mp_stream *stream, mp_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Set the fault of the stream below. */
size_t mp_stream_fail_below(mp_stream *stream);

/* Read a descriptor, which is closed with the stream unless it is standard input. The first bytes
 * of a pipe are remembered, so that it can still be kept a while later. */
mp_stream *mp_stream_of_file(int file);
/* Read memory (borrowed), at most `step` bytes at a time. */
mp_stream *mp_stream_of_memory(const char *bytes, size_t length, size_t step);

/* Return true if the stream at the bottom can be read repeatedly. One that grows cannot, and has no
 * size and no descriptor. */
bool mp_stream_is_kept(const mp_stream *file);
/* Return its size; 0 if it is not known. */
uint64_t mp_stream_size(const mp_stream *file);
/* Go back to the start, also of a pipe that is still remembered. False with errno set. */
bool mp_stream_restart(mp_stream *file);
/* Put the bytes of a pipe into an unnamed temporary file, and go back to the start. False with
 * errno set. */
bool mp_stream_keep(mp_stream *file);
/* Create an unnamed file in the folder for temporary files; -1 with errno set. */
int mp_stream_temporary(void);
/* Copy the bytes that a stream has left to memory. */
mp_stream *mp_stream_copy(mp_stream *stream);
/* Read up to `size` bytes of a kept file from `from` on; fewer at its end or at a fault. */
size_t mp_stream_at(mp_stream *file, uint64_t from, char *buffer, size_t size);
/* Return its descriptor; -1 for memory. */
int mp_stream_descriptor(const mp_stream *file);

/* Return whether both describe one file that was not changed in between. */
bool mp_file_is_same(const struct stat *a, const struct stat *b);

#endif
