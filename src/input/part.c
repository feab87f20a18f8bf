#include "input/part.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/memory.h"

typedef struct part_stream {
    mp_stream stream;
    uint64_t from, length, at;
} part_stream;

static mp_stream *part_of(mp_stream *file, uint64_t from, uint64_t length);

static size_t part_read(mp_stream *stream, char *into, size_t room)
{
    part_stream *own = (part_stream *)stream;
    uint64_t left = own->length - own->at;
    size_t got =
        mp_stream_at(stream->below, own->from + own->at, into, room < left ? room : (size_t)left);
    if (stream->below->fault)
        mp_stream_fail_below(stream);
    own->at += got;
    stream->below->given = own->from + own->at;
    return got;
}

static mp_stream *part_again(const mp_stream *stream)
{
    const part_stream *own = (const part_stream *)stream;
    mp_stream *file = mp_stream_again(stream->below);
    return file ? part_of(file, own->from, own->length) : NULL;
}

static void part_close(mp_stream *stream)
{
    (void)stream;
}

static const mp_stream_kind part_kind = {part_read, part_again, part_close, NULL};

static mp_stream *part_of(mp_stream *file, uint64_t from, uint64_t length)
{
    part_stream *own = mp_alloc_zero(1, sizeof *own);
    own->stream.kind = &part_kind;
    own->stream.below = own->stream.bottom = file;
    own->from = from;
    own->length = length;
    return &own->stream;
}

mp_stream *mp_part_new(int file, uint64_t from, uint64_t length)
{
    int own = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return own < 0 ? NULL : part_of(mp_stream_of_file(own), from, length);
}
