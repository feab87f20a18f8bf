/* Rewinding, reading the end, and random access. */
#include "input/input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "input/decode.h"
#include "input/private.h"

bool mp_input_keep(mp_input *input)
{
    if (mp_stream_is_kept(input->file))
        return true;
    if (!mp_stream_keep(input->file))
        return mp_input_failed(input, "cannot store piped input in a temporary file");
    input->total = mp_stream_size(input->file);
    return mp_input_rewind(input);
}

bool mp_input_rewind(mp_input *input)
{
    if (!mp_stream_is_kept(input->file))
        return false;
    mp_stream *clone = mp_stream_clone(input->stream);
    if (!clone)
        return mp_input_failed(input, "cannot read again");
    mp_stream_close(input->stream);
    input->stream = clone;
    input->file = clone->bottom;
    input->start = input->end = 0;
    input->consumed = input->line_number = 0;
    input->at_end = input->fault_told = input->damage_told = input->nul_told = false;
    mp_input_look_ahead(input); /* skips a byte-order mark */
    return true;
}

static size_t read_more(void *stream, char *buffer, size_t room)
{
    return mp_stream_read(stream, buffer, room);
}

mp_checksum mp_input_checksum(mp_input *input)
{
    mp_checksum checksum = {.known = false};
    if (!mp_input_keep(input))
        return checksum;
    mp_stream *clone = mp_stream_clone(mp_decode_below(input->stream));
    if (!clone) {
        mp_input_failed(input, "cannot read again");
        return checksum;
    }
    checksum = mp_checksum_of(read_more, clone);
    checksum.known = clone->fault == MP_FAULT_NONE;
    if (clone->fault == MP_FAULT_READ) /* other faults are reported when the input is read */
        mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, 0, "cannot read: %s",
                    clone->why);
    mp_stream_close(clone);
    return checksum;
}

/* Read the last bytes of a compressed input by decompressing it once more. */
static size_t tail_of_packed(const mp_input *input, char *bytes, size_t size)
{
    enum { BLOCK = 64 * 1024 };
    mp_stream *clone = mp_stream_clone(input->stream);
    char *block = mp_alloc(size + BLOCK);
    size_t length = 0, got;
    while (clone && (got = mp_stream_read(clone, block + length, BLOCK)) > 0) {
        length += got;
        if (length > size) {
            memmove(block, block + length - size, size);
            length = size;
        }
    }
    memcpy(bytes, block, length);
    mp_stream_close(clone);
    free(block);
    return length;
}

size_t mp_input_tail(mp_input *input, char *bytes, size_t size)
{
    if (!mp_stream_is_kept(input->file))
        return 0;
    if (input->stream != input->file)
        return tail_of_packed(input, bytes, size);
    uint64_t from = input->total < size ? 0 : input->total - size;
    return mp_stream_at(input->file, from, bytes, size);
}

bool mp_input_spread(mp_input *input)
{
    if (!mp_input_keep(input))
        return false;
    if (input->stream == input->file || input->places)
        return true;
    mp_stream *clone = mp_stream_clone(input->stream);
    if (!clone)
        return mp_input_failed(input, "cannot read again");
    input->places = mp_stream_copy(clone);
    mp_stream_close(input->stream); /* replaced by the clone, with its faults */
    input->stream = clone;
    input->file = clone->bottom;
    input->at_end = true;
    mp_input_tell_fault(input);
    return true;
}

size_t mp_input_at(mp_input *input, uint64_t offset, void *bytes, size_t size)
{
    mp_stream *places = input->places ? input->places : input->file;
    size_t got = mp_stream_at(places, offset, bytes, size);
    if (places->fault == MP_FAULT_READ && !input->fault_told) {
        input->fault_told = true;
        mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, 0, "cannot read on: %s",
                    places->why);
    }
    return got;
}

uint64_t mp_input_length(const mp_input *input)
{
    return mp_stream_size(input->places ? input->places : input->file);
}

void mp_input_finish(mp_input *input)
{
    struct stat status;
    int file = mp_stream_descriptor(input->file);
    if (input->stream == input->file && file >= 0 && fstat(file, &status) == 0)
        input->total = (uint64_t)status.st_size;
    input->consumed = input->stream == input->file ? input->total : mp_input_length(input);
}
