#include "input/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "input/decode.h"
#include "input/private.h"

void mp_input_close(mp_input *input)
{
    if (!input)
        return;
    mp_stream_close(input->places);
    mp_stream_close(input->stream);
    free(input->bytes);
    free(input);
}

mp_diagnostics *mp_input_diagnose_to(mp_input *input, mp_diagnostics *diagnostics)
{
    mp_diagnostics *before = input->diagnostics;
    input->diagnostics = diagnostics;
    return before;
}

/* --- faults --- */

bool mp_input_failed(mp_input *input, const char *doing)
{
    mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, 0, "%s: %s", doing,
                strerror(errno));
    return false;
}

void mp_input_tell_limit(mp_diagnostics *diagnostics, const char *path, uint64_t line,
                         const char *why)
{
    char text[256];
    mp_diagnose(diagnostics, MP_DIAG_LIMIT, path, line, "%s: the rest of the file is ignored",
                mp_spell(text, sizeof text, why, mp_diagnostics_dashes(diagnostics)));
}

void mp_input_tell_fault(mp_input *input)
{
    const mp_stream *stream = input->stream;
    if (!stream->fault || input->fault_told || !input->at_end)
        return;
    input->fault_told = true;
    if (stream->fault == MP_FAULT_TORN)
        mp_diagnose(input->diagnostics, MP_DIAG_TORN, input->path, input->line_number,
                    "the %s data is truncated; the part that could be decompressed is used",
                    stream->why);
    else if (stream->fault == MP_FAULT_LIMIT)
        mp_input_tell_limit(input->diagnostics, input->path, input->line_number, stream->why);
    else
        mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, input->line_number,
                    "cannot read on: %s", stream->why);
}

/* Report invalid characters, after all of the text was read. */
static void diagnose_damage(mp_input *input)
{
    uint64_t line, damage = mp_decode_damage(input->stream, &line);
    if (mp_decode_may_be_utf8(input->stream) && !input->damage_told) {
        mp_diagnose(input->diagnostics, MP_DIAG_IS_UTF8, input->path, 0,
                    "is valid UTF-8, but is read as %s because of %sencoding",
                    mp_decode_name(input->stream), mp_diagnostics_dashes(input->diagnostics));
        input->damage_told = true;
    }
    if (!damage || input->damage_told)
        return;
    input->damage_told = true;
    mp_diagnose(input->diagnostics, MP_DIAG_BAD_TEXT, input->path, line,
                "%llu character%s not valid in %s, the first in this line; read as U+FFFD",
                (unsigned long long)damage, damage == 1 ? "" : "s", mp_decode_name(input->stream));
}

/* --- the window --- */

void mp_input_advance(mp_input *input)
{
    if (!input->progress.advance || input->progress.advance(input->progress.opaque, input->path,
                                                            input->file->given, input->total))
        return;
    input->end = input->start;
    input->at_end = true;
    mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, 0, "reading was cancelled");
}

/* Read more into the window. Return false if nothing was read. */
static bool refill(mp_input *input)
{
    if (input->at_end)
        return false;
    if (input->start > 0) {
        memmove(input->bytes, input->bytes + input->start, input->end - input->start);
        input->end -= input->start;
        input->start = 0;
    }
    mp_grow(&input->bytes, &input->capacity, input->end + input->capacity / 4 + MP_WINDOW_SLACK, 1);
    size_t room = input->capacity - MP_WINDOW_SLACK - input->end;
    size_t got = mp_stream_read(input->stream, input->bytes + input->end, room);
    input->has_nul |= memchr(input->bytes + input->end, '\0', got) != NULL;
    input->end += got;
    memset(input->bytes + input->end, 0, MP_WINDOW_SLACK); /* vector code may load these bytes */
    input->at_end = got == 0 && !input->file->looks;
    mp_input_advance(input);
    return got > 0 && input->end > input->start;
}

/* Skip the byte-order mark that some editors put before UTF-8. */
static void skip_byte_order_mark(mp_input *input)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (input->consumed == 0 && input->end - input->start >= 3 &&
        memcmp(input->bytes + input->start, mark, 3) == 0)
        mp_input_consume(input, 3);
}

/* Return true if enough bytes are there to identify the format, although the file still grows. */
static bool has_beginning(const mp_input *input)
{
    const char *from = input->bytes + input->start;
    size_t length = input->end - input->start;
    return memchr(from, '\n', length) || memchr(from, '\0', length);
}

mp_slice mp_input_look_ahead(mp_input *input)
{
    do
        input->file->looks = input->file->grows && has_beginning(input);
    while (input->end - input->start < MP_LOOK_AHEAD && refill(input));
    input->file->looks = false;
    mp_input_tell_fault(input);
    skip_byte_order_mark(input);
    size_t length = input->end - input->start;
    return (mp_slice){input->bytes + input->start, length < MP_LOOK_AHEAD ? length : MP_LOOK_AHEAD};
}

/* --- bytes --- */

/* Read until the window has `least` bytes or the input ends. Return the bytes in the window. */
static mp_slice at_hand(mp_input *input, size_t least)
{
    while (input->end - input->start < least && refill(input))
        ;
    return (mp_slice){input->bytes + input->start, input->end - input->start};
}

mp_slice mp_input_at_hand(mp_input *input, size_t least)
{
    if (input->consumed == 0)
        mp_input_look_ahead(input); /* skips a byte-order mark */
    mp_slice bytes = at_hand(input, least);
    if (!bytes.length) {
        mp_input_tell_fault(input);
        diagnose_damage(input);
    }
    return bytes;
}

void mp_input_consume(mp_input *input, size_t length)
{
    input->start += length;
    input->consumed += length;
}

/* --- lines --- */

bool mp_window_has_line(mp_input *input)
{
    size_t seen = 0;
    for (;;) {
        const char *from = input->bytes + input->start;
        size_t length = input->end - input->start;
        const char *newline = memchr(from + seen, '\n', length - seen);
        if (newline)
            return (size_t)(newline - from) <= input->longest_line;
        seen = length;
        if (length > MP_WINDOW || !refill(input))
            return false;
    }
}

/* Report NUL bytes, once. They are not part of any text format, but appear if a disk lost a
 * block. */
static void diagnose_nul(mp_input *input, mp_slice line)
{
    if (input->nul_told || !memchr(line.start, '\0', line.length))
        return;
    input->nul_told = true;
    mp_diagnose(
        input->diagnostics, MP_DIAG_NUL_BYTES, input->path, input->line_number,
        "has NUL bytes, the first in this line, expected text; the text they replace is lost");
}

/* Skip a line that exceeds the limit, with its newline. */
static void skip_long_line(mp_input *input)
{
    char size[MP_UNIT_TEXT];
    const char *newline = NULL;
    mp_format_bytes(size, (int64_t)input->longest_line, false, false);
    mp_diagnose(input->diagnostics, MP_DIAG_LONG_LINE, input->path, input->line_number + 1,
                "line of more than %s skipped, expected a recording in text lines", size);
    for (mp_slice bytes; !newline && (bytes = at_hand(input, 1)).length > 0;) {
        newline = memchr(bytes.start, '\n', bytes.length);
        mp_input_consume(input, newline ? (size_t)(newline + 1 - bytes.start) : bytes.length);
    }
    input->line_number++;
}

bool mp_input_line(mp_input *input, mp_slice *line)
{
    size_t seen = 0; /* bytes already searched for a newline */
    for (;;) {
        char *from = input->bytes + input->start;
        size_t length = input->end - input->start;
        char *newline = memchr(from + seen, '\n', length - seen);
        if (newline && (size_t)(newline - from) > input->longest_line) {
            skip_long_line(input);
            seen = 0;
            continue;
        }
        if (newline || (input->at_end && length)) {
            size_t taken = newline ? (size_t)(newline - from) : length;
            mp_input_consume(input, taken + (newline ? 1 : 0));
            input->line_number++;
            input->line_closed = newline != NULL;
            if (taken && from[taken - 1] == '\r')
                taken--;
            *line = (mp_slice){from, taken};
            if (input->has_nul)
                diagnose_nul(input, *line);
            return true;
        }
        seen = length;
        if (length > input->longest_line) {
            skip_long_line(input);
            seen = 0;
            continue; /* the data after the long line comes next; a growing file may deliver no more
                       * for now */
        }
        if (!refill(input) && input->start == input->end) {
            mp_input_tell_fault(input);
            diagnose_damage(input);
            return false;
        }
    }
}

char *mp_input_whole(mp_input *input, size_t *length)
{
    char *bytes = mp_alloc(0);
    size_t capacity = 0;
    *length = 0;
    for (mp_slice next; (next = mp_input_at_hand(input, 1)).length > 0;) {
        mp_grow(&bytes, &capacity, *length + next.length, 1);
        memcpy(bytes + *length, next.start, next.length);
        *length += next.length;
        mp_input_consume(input, next.length);
    }
    return bytes;
}

/* --- properties --- */

const char *mp_input_encoding(const mp_input *input)
{
    return mp_decode_name(input->stream);
}

const char *mp_input_packing(const mp_input *input, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (uint32_t i = 0; i < input->layers.count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                                 mp_packing_name(input->layers.layers[i]));
    return text;
}

bool mp_input_is_archive(const mp_input *input)
{
    return mp_packing_is_archive(input->archive);
}

bool mp_input_is_packed(const mp_input *input)
{
    /* for an unpacked member, the last layer is its archive */
    const mp_layers *layers = &input->layers;
    return mp_input_is_archive(input) ||
           (layers->count && !mp_packing_is_archive(layers->layers[layers->count - 1]));
}

bool mp_input_can_reopen(const mp_input *input)
{
    return input->is_file;
}

const struct stat *mp_input_origin(const mp_input *input)
{
    return &input->origin;
}

bool mp_input_is_plain(const mp_input *input)
{
    return input->is_file && input->stream == input->file;
}

int mp_input_descriptor(const mp_input *input)
{
    return mp_input_is_plain(input) ? mp_stream_descriptor(input->file) : -1;
}

bool mp_input_is_whole(const mp_input *input)
{
    return input->stream->fault == MP_FAULT_NONE;
}

const char *mp_input_refused(const mp_input *input)
{
    const mp_stream *file = input->file;
    bool refused = file->fault == MP_FAULT_READ && mp_stream_descriptor(file) >= 0;
    return refused ? file->why : NULL;
}

bool mp_input_line_closed(const mp_input *input)
{
    return input->line_closed;
}

uint64_t mp_input_line_number(const mp_input *input)
{
    return input->line_number;
}

uint64_t mp_input_bytes(const mp_input *input)
{
    return input->consumed;
}

const char *mp_input_path(const mp_input *input)
{
    return input->path;
}
