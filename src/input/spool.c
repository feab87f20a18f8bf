#include "input/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/whole.h"

mp_spool mp_spool_new(uint64_t most)
{
    return (mp_spool){.file = mp_stream_temporary(), .most = most};
}

void mp_spool_close(mp_spool *spool)
{
    if (spool->file >= 0)
        close(spool->file);
    spool->file = -1;
}

/* --- writing copies --- */

typedef struct keeping_stream {
    mp_stream stream;
    mp_spool *spool;
    mp_spooled *spooled;
    const bool *wanted;
    uint64_t length;
    bool lost; /* the copy did not fit into the spool */
} keeping_stream;

static void keep(keeping_stream *stream, const char *bytes, size_t length)
{
    mp_spool *spool = stream->spool;
    stream->lost = stream->lost || spool->file < 0 || length > spool->most - stream->length ||
                   lseek(spool->file, (off_t)(spool->length + stream->length), SEEK_SET) < 0 ||
                   !mp_write_all(spool->file, bytes, length);
    stream->length += length;
}

static void keep_end(keeping_stream *state)
{
    const mp_stream *below = state->stream.below;
    if (state->lost || state->spooled->whole)
        return;
    *state->spooled = (mp_spooled){
        .whole = true,
        .from = state->spool->length,
        .length = state->length,
        .fault = below->fault,
        .why = below->fault ? mp_copy(below->why, strlen(below->why)) : NULL,
    };
    state->spool->length += state->length;
}

static size_t keeping_read(mp_stream *stream, char *buffer, size_t room)
{
    keeping_stream *state = (keeping_stream *)stream;
    size_t got = mp_stream_read(stream->below, buffer, room);
    if (got)
        keep(state, buffer, got);
    else
        keep_end(state);
    return !got && stream->below->fault ? mp_stream_fail_below(stream) : got;
}

static void keeping_close(mp_stream *stream)
{
    const keeping_stream *state = (const keeping_stream *)stream;
    char block[64 * 1024];
    while (*state->wanted && !state->lost && mp_stream_read(stream, block, sizeof block) > 0)
        ;
}

static const mp_stream_kind keeping_kind = {keeping_read, NULL, keeping_close, NULL};

mp_stream *mp_spool_keep(mp_spool *spool, mp_stream *below, mp_spooled *spooled, const bool *wanted)
{
    keeping_stream *state = mp_alloc_zero(1, sizeof *state);
    state->stream.kind = &keeping_kind;
    state->stream.below = below;
    state->stream.bottom = below->bottom;
    state->spool = spool;
    state->spooled = spooled;
    state->wanted = wanted;
    return &state->stream;
}

/* --- reading copies --- */

typedef struct kept_stream {
    mp_stream stream;
    mp_spooled what;
    uint64_t position;
} kept_stream;

static size_t kept_read(mp_stream *stream, char *buffer, size_t room)
{
    kept_stream *state = (kept_stream *)stream;
    uint64_t left = state->what.length - state->position;
    size_t got = mp_stream_at(stream->below, state->what.from + state->position, buffer,
                              room < left ? room : (size_t)left);
    state->position += got;
    stream->below->given = state->what.from + state->position;
    if (stream->below->fault)
        return mp_stream_fail_below(stream);
    return !got && state->what.fault
               ? mp_stream_fail(stream, state->what.fault, "%s", state->what.why)
               : got;
}

static mp_stream *kept_of(mp_stream *file, const mp_spooled *what);

static mp_stream *kept_clone(const mp_stream *stream)
{
    mp_stream *file = mp_stream_clone(stream->below);
    return file ? kept_of(file, &((const kept_stream *)stream)->what) : NULL;
}

static void kept_close(mp_stream *stream)
{
    free(((kept_stream *)stream)->what.why);
}

static const mp_stream_kind kept_kind = {kept_read, kept_clone, kept_close, NULL};

static mp_stream *kept_of(mp_stream *file, const mp_spooled *what)
{
    kept_stream *state = mp_alloc_zero(1, sizeof *state);
    state->stream.kind = &kept_kind;
    state->stream.below = state->stream.bottom = file;
    state->what = *what;
    if (what->why)
        state->what.why = mp_copy(what->why, strlen(what->why));
    return &state->stream;
}

mp_stream *mp_spool_open(const mp_spool *spool, const mp_spooled *spooled)
{
    int file = fcntl(spool->file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return file < 0 ? NULL : kept_of(mp_stream_of_file(file), spooled);
}
