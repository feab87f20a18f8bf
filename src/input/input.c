#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/text.h"
#include "input/inside.h"
#include "input/unpack.h"

enum { WINDOW = 256 * 1024, LONGEST_LINE = 16 * 1024 * 1024 };

/* What is meant where no limit is given. */
enum { MOST_NESTED = 4, MOST_UNPACKED_GIB = 64, MOST_RATIO = 250 };

static mp_input *input_new(const char *path, mp_stream *file, mp_diagnostics *diagnostics)
{
    mp_input *input = mp_alloc_zero(1, sizeof *input);
    input->path = path;
    input->diagnostics = diagnostics;
    input->capacity = WINDOW + MP_WINDOW_SLACK;
    input->bytes = mp_alloc(input->capacity);
    input->file = input->stream = file;
    input->total = mp_stream_size(file);
    return input;
}

/* Undo packing after packing, from the outside. False after a diagnostic. */
static bool unpack(mp_input *input, const mp_limits *given)
{
    const mp_limits none = {0}, *limits = given ? given : &none;
    const char *why = "more packings in one another than the limit of ";
    mp_unpack_limits most = {limits->unpacked ? (uint64_t)limits->unpacked
                                              : (uint64_t)MOST_UNPACKED_GIB << 30,
                             limits->ratio ? (uint64_t)limits->ratio : MOST_RATIO};
    int64_t nested = limits->nesting ? limits->nesting : MOST_NESTED;
    for (;;) {
        mp_packing packing = mp_packing_of(mp_stream_peek(input->stream));
        if (packing == MP_UNPACKED || mp_packing_is_archive(packing))
            return true;
        if (input->packing_count == nested) {
            mp_diagnose(input->diagnostics, MP_DIAG_LIMIT, input->path, 0,
                        "has %s%lld: unpack it first, or %snesting allows more", why,
                        (long long)nested, mp_diagnostics_dashes(input->diagnostics));
            return false;
        }
        mp_stream *made = mp_unpack(input->stream, packing, &most, &why);
        if (!made) {
            mp_diagnose(input->diagnostics, MP_DIAG_FOREIGN_FILE, input->path, 0,
                        "is packed by %s, and %s: unpack it first", mp_packing_name(packing), why);
            return false;
        }
        input->stream = made;
        input->packings[input->packing_count++] = (uint8_t)packing;
    }
}

mp_input *mp_input_open(const char *path, mp_diagnostics *diagnostics,
                        const mp_load_options *options)
{
    bool standard = strcmp(path, "-") == 0;
    int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0) {
        char meant[1024] = "";
        int why = errno;
        mp_diagnose(diagnostics, MP_DIAG_CANNOT_OPEN, path, 0, "cannot open: %s%s", strerror(why),
                    why == ENOENT ? mp_near_file(path, meant, sizeof meant) : meant);
        if (file > STDIN_FILENO)
            close(file);
        return NULL;
    }
    if (S_ISDIR(status.st_mode)) {
        mp_diagnose(diagnostics, MP_DIAG_IS_DIRECTORY, path, 0,
                    "is a directory, expected a recording: name the files in it");
        if (!standard)
            close(file);
        return NULL;
    }
    mp_input *input =
        input_new(standard ? "(standard input)" : path, mp_stream_of_file(file), diagnostics);
    input->is_file = S_ISREG(status.st_mode) && !standard;
    if (options && options->progress)
        input->progress = *options->progress;
    if (unpack(input, options ? &options->limits : NULL))
        return input;
    mp_input_close(input);
    return NULL;
}

mp_input *mp_input_from_memory(const char *path, const void *bytes, size_t length, size_t window,
                               mp_diagnostics *diagnostics)
{
    mp_input *input = input_new(path, mp_stream_of_memory(bytes, length, window), diagnostics);
    if (unpack(input, NULL))
        return input;
    mp_input_close(input);
    return NULL;
}

mp_input *mp_input_from_stream(const char *path, mp_stream *stream, mp_diagnostics *diagnostics)
{
    return input_new(path, stream, diagnostics);
}

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

/* What is said once, though the fault stays. */
static void diagnose_failure(mp_input *input)
{
    const mp_stream *stream = input->stream;
    if (!stream->fault || input->fault_told || !input->at_end)
        return;
    input->fault_told = true;
    if (stream->fault == MP_FAULT_TORN)
        mp_diagnose(input->diagnostics, MP_DIAG_TORN, input->path, input->line_number,
                    "what is packed by %s breaks off: what could be unpacked is read", stream->why);
    else if (stream->fault == MP_FAULT_LIMIT)
        mp_diagnose(input->diagnostics, MP_DIAG_LIMIT, input->path, input->line_number,
                    "%s, which is its limit: what is behind it is not read", stream->why);
    else
        mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, input->line_number,
                    "cannot read on: %s", stream->why);
}

/* Read once more behind what is there; false when nothing came. */
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
    input->end += got;
    input->at_end = got == 0 && !input->file->looks;
    if (input->progress.advance)
        input->progress.advance(input->progress.opaque, input->path, input->file->given,
                                input->total);
    return got > 0;
}

/* Editors put one in front of UTF-8; no format knows it. */
static void skip_byte_order_mark(mp_input *input)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (input->consumed == 0 && input->end - input->start >= 3 &&
        memcmp(input->bytes + input->start, mark, 3) == 0) {
        input->start += 3;
        input->consumed += 3;
    }
}

/* Whether what is there tells what it is, though more of it is still to be written. */
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
    diagnose_failure(input);
    skip_byte_order_mark(input);
    size_t length = input->end - input->start;
    return (mp_slice){input->bytes + input->start, length < MP_LOOK_AHEAD ? length : MP_LOOK_AHEAD};
}

bool mp_window_has_line(mp_input *input)
{
    size_t seen = 0;
    for (;;) {
        size_t length = input->end - input->start;
        if (memchr(input->bytes + input->start + seen, '\n', length - seen))
            return true;
        seen = length;
        if (length > WINDOW || !refill(input))
            return false;
    }
}

/* Drop a line that does not fit in any sane window, up to and with its newline. */
static void skip_long_line(mp_input *input)
{
    mp_diagnose(input->diagnostics, MP_DIAG_LONG_LINE, input->path, input->line_number + 1,
                "line of more than %d MiB skipped, expected a recording in text lines",
                LONGEST_LINE / (1024 * 1024));
    for (;;) {
        char *newline = memchr(input->bytes + input->start, '\n', input->end - input->start);
        size_t spent = newline ? (size_t)(newline + 1 - (input->bytes + input->start))
                               : input->end - input->start;
        input->start += spent;
        input->consumed += spent;
        if (newline || !refill(input))
            break;
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
        if (newline || (input->at_end && length)) {
            size_t taken = newline ? (size_t)(newline - from) : length;
            input->start += taken + (newline ? 1 : 0);
            input->consumed += taken + (newline ? 1 : 0);
            input->line_number++;
            input->line_closed = newline != NULL;
            if (taken && from[taken - 1] == '\r')
                taken--;
            *line = (mp_slice){from, taken};
            return true;
        }
        seen = length;
        if (length > LONGEST_LINE) {
            skip_long_line(input);
            seen = 0;
        }
        if (!refill(input) && input->start == input->end) {
            diagnose_failure(input);
            return false;
        }
    }
}

/* --- reading again --- */

static bool failed(mp_input *input, const char *doing)
{
    mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, 0, "%s: %s", doing,
                strerror(errno));
    return false;
}

bool mp_input_keep(mp_input *input)
{
    if (mp_stream_is_kept(input->file))
        return true;
    if (!mp_stream_keep(input->file))
        return failed(input, "cannot keep what comes through a pipe in a temporary file");
    input->total = mp_stream_size(input->file);
    return mp_input_rewind(input);
}

bool mp_input_rewind(mp_input *input)
{
    if (!mp_stream_is_kept(input->file))
        return false;
    mp_stream *again = mp_stream_again(input->stream);
    if (!again)
        return failed(input, "cannot read again");
    mp_stream_close(input->stream);
    input->stream = again;
    input->file = mp_stream_bottom(again);
    input->start = input->end = 0;
    input->consumed = input->line_number = 0;
    input->at_end = false;
    mp_input_look_ahead(input); /* passes over a byte order mark */
    return true;
}

/* Of what is packed, all goes by once more. */
static size_t tail_of_packed(const mp_input *input, char *bytes, size_t size)
{
    enum { BLOCK = 64 * 1024 };
    mp_stream *again = mp_stream_again(input->stream);
    char *block = mp_alloc(size + BLOCK);
    size_t length = 0, got;
    while (again && (got = mp_stream_read(again, block + length, BLOCK)) > 0) {
        length += got;
        if (length > size) {
            memmove(block, block + length - size, size);
            length = size;
        }
    }
    memcpy(bytes, block, length);
    mp_stream_close(again);
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
    mp_stream *again = mp_stream_again(input->stream);
    if (!again)
        return failed(input, "cannot read again");
    input->places = mp_stream_copy(again);
    if (!input->places)
        failed(input, "cannot unpack into a temporary file");
    mp_stream_close(input->stream); /* the other one was read to its end, with what faults it has */
    input->stream = again;
    input->file = mp_stream_bottom(again);
    input->at_end = true;
    diagnose_failure(input);
    return input->places != NULL;
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

bool mp_input_can_reopen(const mp_input *input)
{
    return input->is_file;
}

bool mp_input_is_plain(const mp_input *input)
{
    return input->is_file && input->stream == input->file;
}

bool mp_input_is_whole(const mp_input *input)
{
    return input->stream->fault == MP_FAULT_NONE;
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
