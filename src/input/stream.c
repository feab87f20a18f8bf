#include "input/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/whole.h"

/* Maximum number of bytes of a pipe that are remembered. Detection reads fewer bytes than this
 * before the first line. */
enum { REMEMBERED = 4 * 1024 * 1024 };

/* --- all kinds --- */

size_t mp_stream_read(mp_stream *stream, char *buffer, size_t room)
{
    size_t got = stream->head_end - stream->head_start;
    if (got) {
        got = got < room ? got : room;
        memcpy(buffer, stream->head + stream->head_start, got);
        stream->head_start += got;
        return got;
    }
    if (stream->fault)
        return 0;
    got = stream->kind->read(stream, buffer, room);
    stream->given += got;
    return got;
}

mp_slice mp_stream_peek(mp_stream *stream)
{
    size_t got = 1;
    while (got && !stream->fault && stream->head_end < MP_PEEK) {
        got =
            stream->kind->read(stream, stream->head + stream->head_end, MP_PEEK - stream->head_end);
        stream->given += got;
        stream->head_end += got;
    }
    mp_slice head = {stream->head, stream->head_end};
    if (stream->kind->seek && stream->kind->seek(stream, 0, SEEK_SET) == 0)
        stream->given = 0; /* count from the start again, as if nothing had been peeked at */
    return head;
}

mp_stream *mp_stream_clone(const mp_stream *stream)
{
    errno = ESPIPE;
    return stream->kind->clone ? stream->kind->clone(stream) : NULL;
}

void mp_stream_close(mp_stream *stream)
{
    while (stream) {
        mp_stream *below = stream->below;
        stream->kind->close(stream);
        free(stream);
        stream = below;
    }
}

size_t mp_stream_fail(mp_stream *stream, mp_fault fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(stream->why, sizeof stream->why, format, arguments);
    va_end(arguments);
    stream->fault = fault;
    return 0;
}

size_t mp_stream_fail_below(mp_stream *stream)
{
    return mp_stream_fail(stream, stream->below->fault, "%s", stream->below->why);
}

/* --- files, pipes, memory --- */

/* A stream at the bottom. `position` is the offset in a kept file or in memory; for a pipe, the
 * number of bytes delivered. */
typedef struct file_stream {
    mp_stream stream;
    int file; /* -1: memory */
    bool kept;
    uint64_t position, size;
    const char *memory;
    char *copied; /* memory owned by the stream; NULL: borrowed */
    size_t step;
    char *remembered; /* first bytes of a pipe; NULL: too many to remember */
    size_t remembered_length, remembered_capacity;
} file_stream;

static size_t read_descriptor(file_stream *state, char *buffer, size_t room)
{
    for (;;) {
        ssize_t got = state->kept ? pread(state->file, buffer, room, (off_t)state->position)
                                  : read(state->file, buffer, room);
        if (got >= 0)
            return (size_t)got;
        if (errno != EINTR)
            return mp_stream_fail(&state->stream, MP_FAULT_READ, "%s", strerror(errno));
    }
}

static void remember(file_stream *stream, const char *bytes, size_t length)
{
    if (!stream->remembered)
        return;
    if (stream->remembered_length + length > REMEMBERED) {
        free(stream->remembered);
        stream->remembered = NULL;
        return;
    }
    mp_grow(&stream->remembered, &stream->remembered_capacity, stream->remembered_length + length,
            1);
    memcpy(stream->remembered + stream->remembered_length, bytes, length);
    stream->remembered_length += length;
}

static size_t read_file(mp_stream *stream, char *buffer, size_t room)
{
    file_stream *state = (file_stream *)stream;
    size_t got;
    if (state->file < 0) {
        uint64_t left = state->position < state->size ? state->size - state->position
                                                      : 0; /* the position may be beyond the end */
        got = room < state->step ? room : state->step;
        if (got > left)
            got = (size_t)left;
        if (got)
            memcpy(buffer, state->memory + state->position, got);
    } else if (!state->kept && state->position < state->remembered_length) {
        got = state->remembered_length - (size_t)state->position;
        got = got < room ? got : room;
        memcpy(buffer, state->remembered + state->position, got);
    } else {
        got = read_descriptor(state, buffer, room);
        if (got && !state->kept)
            remember(state, buffer, got);
    }
    state->position += got;
    return got;
}

static mp_stream *file_clone(const mp_stream *stream)
{
    const file_stream *state = (const file_stream *)stream;
    if (state->file < 0)
        return mp_stream_of_memory(state->memory, (size_t)state->size, state->step);
    if (!state->kept) {
        errno = ESPIPE;
        return NULL;
    }
    int file = fcntl(state->file, F_DUPFD_CLOEXEC, STDIN_FILENO + 1);
    return file < 0 ? NULL : mp_stream_of_file(file);
}

static void close_file(mp_stream *stream)
{
    file_stream *state = (file_stream *)stream;
    if (state->file > STDIN_FILENO)
        close(state->file);
    free(state->remembered);
    free(state->copied);
}

static int64_t seek_file(mp_stream *stream, int64_t offset, int whence)
{
    file_stream *state = (file_stream *)stream;
    uint64_t position = state->position - (stream->head_end - stream->head_start);
    int64_t from = whence == SEEK_SET ? 0 : (int64_t)(whence == SEEK_CUR ? position : state->size);
    if (!state->kept || offset < -from || offset > INT64_MAX - from)
        return -1;
    stream->head_start = stream->head_end = 0;
    state->position = (uint64_t)(from + offset);
    return from + offset;
}

static const mp_stream_kind file_kind = {read_file, file_clone, close_file, seek_file};

mp_stream *mp_stream_of_file(int file)
{
    struct stat status;
    file_stream *state = mp_alloc_zero(1, sizeof *state);
    bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    state->stream.kind = &file_kind;
    state->stream.bottom = &state->stream;
    state->file = file;
    state->kept = regular && file != STDIN_FILENO; /* other processes share the offset of standard
                                                    * input */
    state->size = regular ? (uint64_t)status.st_size : 0;
    if (!state->kept) {
        state->remembered_capacity = 64;
        state->remembered = mp_alloc(state->remembered_capacity);
    }
    return &state->stream;
}

mp_stream *mp_stream_of_memory(const char *bytes, size_t length, size_t step)
{
    file_stream *state = mp_alloc_zero(1, sizeof *state);
    state->stream.kind = &file_kind;
    state->stream.bottom = &state->stream;
    state->file = -1;
    state->kept = true;
    state->memory = bytes;
    state->size = length;
    state->step = step;
    return &state->stream;
}

bool mp_stream_is_kept(const mp_stream *file)
{
    return !file->grows && ((const file_stream *)file)->kept;
}

uint64_t mp_stream_size(const mp_stream *file)
{
    return file->grows ? 0 : ((const file_stream *)file)->size;
}

int mp_stream_descriptor(const mp_stream *file)
{
    return file->grows ? -1 : ((const file_stream *)file)->file;
}

bool mp_file_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int mp_stream_temporary(void)
{
    char folder[4096];
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s", place && *place ? place : "/tmp");
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* Write all remaining bytes to an unnamed file. Return its descriptor, or -1 with errno set. */
static int spool(mp_stream *stream)
{
    char block[64 * 1024];
    int file = mp_stream_temporary();
    for (size_t got; file >= 0 && (got = mp_stream_read(stream, block, sizeof block)) > 0;)
        if (!mp_write_all(file, block, got)) {
            int why = errno;
            close(file);
            errno = why;
            file = -1;
        }
    return file;
}

mp_stream *mp_stream_copy(mp_stream *stream)
{
    char *bytes = NULL;
    size_t length = 0, capacity = 0, got = 1;
    while (got) {
        mp_grow(&bytes, &capacity, length + 64 * 1024, 1);
        got = mp_stream_read(stream, bytes + length, capacity - length);
        length += got;
    }
    mp_stream *copy = mp_stream_of_memory(bytes, length, length + 1);
    ((file_stream *)copy)->copied = bytes;
    return copy;
}

bool mp_stream_restart(mp_stream *stream)
{
    file_stream *state = (file_stream *)stream;
    if (stream->grows || (!state->kept && !state->remembered)) {
        errno = ESPIPE;
        return false;
    }
    state->position = stream->given = 0;
    stream->head_start = stream->head_end = 0;
    stream->fault = MP_FAULT_NONE;
    return true;
}

bool mp_stream_keep(mp_stream *stream)
{
    file_stream *state = (file_stream *)stream;
    if (mp_stream_is_kept(stream))
        return true;
    if (!mp_stream_restart(stream))
        return false;
    int file = spool(stream);
    struct stat status;
    if (file < 0 || stream->fault || fstat(file, &status) != 0) {
        if (file >= 0)
            close(file);
        return false;
    }
    close_file(stream);
    state->remembered = NULL;
    state->file = file;
    state->kept = true;
    state->size = (uint64_t)status.st_size;
    return mp_stream_restart(stream);
}

size_t mp_stream_at(mp_stream *stream, uint64_t from, char *buffer, size_t size)
{
    const file_stream *state = (file_stream *)stream;
    size_t got = 0;
    if (stream->grows)
        return 0;
    if (state->file < 0) {
        got = from >= state->size ? 0 : (size_t)(state->size - from);
        got = got < size ? got : size;
        if (got)
            memcpy(buffer, state->memory + from, got);
        return got;
    }
    while (got < size) {
        ssize_t read = pread(state->file, buffer + got, size - got, (off_t)(from + got));
        if (read < 0 && errno == EINTR)
            continue;
        if (read < 0)
            mp_stream_fail(stream, MP_FAULT_READ, "%s", strerror(errno));
        if (read <= 0)
            break;
        got += (size_t)read;
    }
    return got;
}
