/* Streams: where the bytes of an input come from. They stand on each other: a file, what unpacks
 * it, what puts its text into UTF-8.
 *
 * A stream that ends before its time has a fault: what it gave until then is good as far as it is
 * known. */
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
    MP_FAULT_TORN,  /* what is packed breaks off */
    MP_FAULT_READ,  /* it cannot be read on, or is damaged */
    MP_FAULT_LIMIT, /* a limit is met */
} mp_fault;

typedef struct mp_stream mp_stream;

typedef struct mp_stream_kind {
    /* Up to `room` bytes; 0 at the end and at a fault. */
    size_t (*read)(mp_stream *stream, char *into, size_t room);
    /* Another one of the same bytes, at their start; NULL, with errno set: there can be none. A
     * kind without this function is read once. */
    mp_stream *(*clone)(const mp_stream *stream);
    /* Release what is its own, but not the stream itself. */
    void (*close)(mp_stream *stream);
    /* To a place, as by lseek; NULL: it only goes ahead. */
    int64_t (*seek)(mp_stream *stream, int64_t offset, int whence);
} mp_stream_kind;

enum { MP_PEEK = 1024 };

struct mp_stream {
    const mp_stream_kind *kind;
    mp_stream *below;  /* what it is made of, and closes; NULL: nothing */
    mp_stream *bottom; /* the file, the pipe or the memory that all of it comes from */
    uint64_t given;    /* bytes, since its start */
    bool grows; /* it is still being written: at the end of what there is, it waits for more */
    bool looks; /* for now it does not wait, and gives 0 */
    mp_fault fault;
    char why[160];
    size_t head_start, head_end;
    char head[MP_PEEK]; /* looked at, and not yet given */
};

/* Up to `room` bytes, 0 only at the end or a fault. */
size_t mp_stream_read(mp_stream *stream, char *into, size_t room);
/* The first bytes, up to MP_PEEK, which are still to be given. Nothing else may have been read. */
mp_slice mp_stream_peek(mp_stream *stream);
/* Open another stream of the same bytes, at their start. NULL, with errno set, where what is at the
 * bottom is not kept. */
mp_stream *mp_stream_clone(const mp_stream *stream);
/* With all that is below it. NULL: nothing happens. */
void mp_stream_close(mp_stream *stream);
/* Set the fault; returns 0, for `return mp_stream_fail(...)` of a read. */
size_t mp_stream_fail(mp_stream *stream, mp_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* As the stream below has it. */
size_t mp_stream_fail_below(mp_stream *stream);

/* Bytes from a descriptor, which is closed with it unless it is standard input; of a pipe the first
 * ones are remembered, so that it can be kept until it is well under way. */
mp_stream *mp_stream_of_file(int file);
/* From memory (borrowed), at most `step` at a time. */
mp_stream *mp_stream_of_memory(const char *bytes, size_t length, size_t step);

/* Of what is at the bottom: whether it can be read again and again. What grows is not kept, and
 * has no size and no descriptor. */
bool mp_stream_is_kept(const mp_stream *file);
/* Its size; 0: nobody knows. */
uint64_t mp_stream_size(const mp_stream *file);
/* Go to the start again, also of a pipe that is not well under way. False, with errno set. */
bool mp_stream_restart(mp_stream *file);
/* Put what comes through a pipe into a temporary file without a name; it is then at its start.
 * False, with errno set, where that is not possible. */
bool mp_stream_keep(mp_stream *file);
/* A new file without a name, in the folder for such; -1 with errno set. */
int mp_stream_temporary(void);
/* What a stream still has to give, in memory. */
mp_stream *mp_stream_copy(mp_stream *stream);
/* Up to `size` bytes from `from`, of a kept file; fewer at its end, or at a fault. */
size_t mp_stream_at(mp_stream *file, uint64_t from, char *into, size_t size);
/* Its descriptor; -1: memory. */
int mp_stream_descriptor(const mp_stream *file);

/* Return whether both describe one file that was not changed in between. */
bool mp_file_is_same(const struct stat *a, const struct stat *b);

#endif
