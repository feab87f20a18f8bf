#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/text.h"
#include "base/units.h"
#include "input/decode.h"
#include "input/inside.h"
#include "input/members.h"
#include "input/pipes.h"

enum { WINDOW = 256 * 1024 };

static const char standard_input[] = "(standard input)";
#define LIMIT_TEXT "%s: what is behind it is not read"

/* What is meant where no limit is given. */
enum {
    MOST_NESTED = 4,
    MOST_UNPACKED_GIB = 64,
    MOST_RATIO = 250,
    MOST_FILES = 100000,
    LONGEST_LINE = 16 * 1024 * 1024,
};

static uint64_t given_or(int64_t given, uint64_t usual)
{
    return given > 0 ? (uint64_t)given : usual;
}

static mp_unpack_limits limits_of(const mp_load_options *options)
{
    const mp_limits given = options ? options->limits : (mp_limits){0};
    uint64_t nesting = given_or(given.nesting, MOST_NESTED);
    uint64_t files = given_or(given.files, MOST_FILES);
    return (mp_unpack_limits){
        .most = given_or(given.unpacked, (uint64_t)MOST_UNPACKED_GIB << 30),
        .ratio = given_or(given.ratio, MOST_RATIO),
        .nesting = (uint32_t)(nesting < MP_MOST_NESTED ? nesting : MP_MOST_NESTED),
        .files = (uint32_t)(files < UINT32_MAX ? files : UINT32_MAX),
    };
}

/* Of a stream, which it owns. */
static mp_input *input_new(const char *path, mp_stream *stream, mp_diagnostics *diagnostics,
                           const mp_load_options *options)
{
    mp_input *input = mp_alloc_zero(1, sizeof *input);
    input->path = path;
    input->diagnostics = diagnostics;
    input->capacity = WINDOW + MP_WINDOW_SLACK;
    input->bytes = mp_alloc(input->capacity);
    input->stream = stream;
    input->file = stream->bottom;
    input->limits = limits_of(options);
    input->longest_line = (size_t)given_or(options ? options->limits.line : 0, LONGEST_LINE);
    input->encoding = options ? options->encoding : NULL;
    if (options && options->progress)
        input->progress = *options->progress;
    return input;
}

/* With its packings undone, and its text in UTF-8. */
static mp_input *unpack(mp_input *input)
{
    input->archive = mp_unpack_all(&input->stream, &input->layers, &input->limits);
    if (!mp_input_is_archive(input))
        mp_decode(&input->stream, input->encoding);
    input->file = input->stream->bottom;
    input->total = mp_stream_size(input->file);
    return input;
}

/* Bytes of a file, of standard input or of what was kept of it. NULL after a diagnostic. */
static mp_stream *open_stream(const char *path, mp_diagnostics *diagnostics, bool *is_file)
{
    bool standard = strcmp(path, "-") == 0;
    mp_stream *put_back = mp_pipes_take(standard ? standard_input : path);
    *is_file = false;
    if (put_back)
        return put_back;
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
    *is_file = S_ISREG(status.st_mode) && !standard;
    return mp_stream_of_file(file);
}

static void diagnose_archive(mp_diagnostics *diagnostics, const char *path, mp_fault fault,
                             const char *why)
{
    char text[256];
    if (fault == MP_FAULT_TORN)
        mp_diagnose(diagnostics, MP_DIAG_TORN, path, 0,
                    "the archive breaks off (%s): what stands in front of that is read", why);
    else if (fault == MP_FAULT_LIMIT)
        mp_diagnose(diagnostics, MP_DIAG_LIMIT, path, 0, LIMIT_TEXT,
                    mp_spell(text, sizeof text, why, mp_diagnostics_dashes(diagnostics)));
    else if (fault)
        mp_diagnose(diagnostics, MP_DIAG_CANNOT_READ, path, 0, "cannot read all of the archive: %s",
                    why);
}

/* "ARCHIVE:MEMBER", the archive `length` bytes long. NULL after a diagnostic. */
static mp_input *open_member(const char *path, size_t length, mp_diagnostics *diagnostics,
                             const mp_load_options *options)
{
    bool is_file;
    char text[512] = "", *archive = mp_alloc(length + 1);
    memcpy(archive, path, length);
    archive[length] = '\0';
    mp_stream *stream = mp_pipes_again(archive), *member = NULL;
    if (!stream)
        stream = open_stream(archive, diagnostics, &is_file);
    mp_layers layers = {.count = 0};
    mp_unpack_limits limits = limits_of(options);
    mp_packing packing = stream ? mp_unpack_all(&stream, &layers, &limits) : MP_UNPACKED;
    mp_fault fault = MP_FAULT_NONE;
    if (mp_packing_is_archive(packing)) {
        member = mp_members_open(path, length, stream, packing, &layers, &limits, &layers, &fault,
                                 text, sizeof text);
        diagnose_archive(diagnostics, archive, fault, text);
        if (!member && fault)
            mp_diagnose(diagnostics, MP_DIAG_CANNOT_OPEN, path, 0,
                        "cannot open: it is not in what can be read of the archive");
        else if (!member)
            mp_diagnose(diagnostics, MP_DIAG_CANNOT_OPEN, path, 0,
                        "there is no such member in the archive%s%s%s", *text ? ": is " : "", text,
                        *text ? " meant?" : "");
    } else if (stream) {
        mp_stream_close(stream);
        mp_diagnose(diagnostics, MP_DIAG_CANNOT_OPEN, path, 0, "cannot open: it is no archive");
    }
    free(archive);
    if (!member)
        return NULL;
    mp_input *input = input_new(path, member, diagnostics, options);
    input->layers = layers;
    input->is_file = true;
    return unpack(input);
}

mp_input *mp_input_open(const char *path, mp_diagnostics *diagnostics,
                        const mp_load_options *options)
{
    bool is_file;
    size_t archive = mp_input_archive_of(path);
    if (archive)
        return open_member(path, archive, diagnostics, options);
    mp_stream *stream = open_stream(path, diagnostics, &is_file);
    if (!stream)
        return NULL;
    mp_input *input =
        input_new(strcmp(path, "-") == 0 ? standard_input : path, stream, diagnostics, options);
    input->is_file = is_file;
    return unpack(input);
}

size_t mp_input_archive_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? 0 : mp_members_archive(path);
}

void mp_input_put_back(mp_input *input)
{
    if (!input->is_file && mp_stream_restart(input->file)) {
        for (mp_stream *top = input->stream; top && top != input->file; top = top->below)
            if (top->below == input->file)
                top->below = NULL;
        mp_pipes_put(input->path, input->file);
        if (input->stream == input->file)
            input->stream = NULL;
    }
    mp_input_close(input);
}

void mp_input_forget(void)
{
    mp_members_forget();
}

bool mp_input_exists(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return true;
    if (!mp_members_archive(path))
        return false;
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_input *input = mp_input_open(path, unheard, NULL);
    bool is = input != NULL;
    mp_input_close(input);
    mp_diagnostics_free(unheard);
    return is;
}

mp_input *mp_input_from_memory(const char *path, const void *bytes, size_t length, size_t window,
                               mp_diagnostics *diagnostics)
{
    return unpack(input_new(path, mp_stream_of_memory(bytes, length, window), diagnostics, NULL));
}

const char *mp_input_encoding(const mp_input *input)
{
    return mp_decode_name(input->stream);
}

/* --- archives --- */

const char *mp_input_packing(const mp_input *input, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (uint32_t i = 0; i < input->layers.count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                                 mp_packing_name(input->layers.at[i]));
    return text;
}

static bool failed(mp_input *input, const char *doing)
{
    mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, 0, "%s: %s", doing,
                strerror(errno));
    return false;
}

bool mp_input_is_archive(const mp_input *input)
{
    return mp_packing_is_archive(input->archive);
}

typedef struct member_visit {
    mp_input *archive;
    const mp_load_options *options;
    void (*visit)(void *opaque, mp_input *member);
    void *opaque;
} member_visit;

static void visit_member(void *opaque, const char *path, mp_member *member)
{
    const member_visit *own = opaque;
    mp_input *input = input_new(path, member->stream, own->archive->diagnostics, own->options);
    member->stream = NULL;
    input->layers = member->layers;
    input->is_file = true;
    own->visit(own->opaque, unpack(input));
    mp_input_close(input);
}

bool mp_input_members(mp_input *input, const mp_load_options *options,
                      void (*visit)(void *opaque, mp_input *member), void *opaque)
{
    char why[256];
    if (!mp_stream_is_kept(input->file) && !mp_input_keep(input))
        return false;
    if (!input->is_file) {
        mp_stream *again = mp_stream_again(input->file);
        if (!again)
            return failed(input, "cannot read again");
        mp_pipes_put(input->path, again);
    }
    mp_stream *stream = mp_stream_again(input->stream);
    if (!stream)
        return failed(input, "cannot read again");
    member_visit own = {input, options, visit, opaque};
    mp_fault fault = mp_members_visit(input->path, stream, input->archive, &input->layers,
                                      &input->limits, visit_member, &own, why, sizeof why);
    diagnose_archive(input->diagnostics, input->path, fault, why);
    return fault == MP_FAULT_NONE || fault == MP_FAULT_TORN;
}

mp_input *mp_input_from_stream(const char *path, mp_stream *stream, const char *encoding,
                               mp_diagnostics *diagnostics)
{
    mp_decode(&stream, encoding);
    return input_new(path, stream, diagnostics, NULL);
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
    char text[256];
    if (!stream->fault || input->fault_told || !input->at_end)
        return;
    input->fault_told = true;
    if (stream->fault == MP_FAULT_TORN)
        mp_diagnose(input->diagnostics, MP_DIAG_TORN, input->path, input->line_number,
                    "what is packed by %s breaks off: what could be unpacked is read", stream->why);
    else if (stream->fault == MP_FAULT_LIMIT)
        mp_diagnose(
            input->diagnostics, MP_DIAG_LIMIT, input->path, input->line_number, LIMIT_TEXT,
            mp_spell(text, sizeof text, stream->why, mp_diagnostics_dashes(input->diagnostics)));
    else
        mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, input->line_number,
                    "cannot read on: %s", stream->why);
}

/* All of it was read. */
static void diagnose_damage(mp_input *input)
{
    uint64_t line, damage = mp_decode_damage(input->stream, &line);
    if (!damage || input->damage_told)
        return;
    input->damage_told = true;
    mp_diagnose(
        input->diagnostics, MP_DIAG_BAD_TEXT, input->path, line,
        "%llu character%s that %s does not have, the first one in this line: read as U+FFFD",
        (unsigned long long)damage, damage == 1 ? "" : "s", mp_decode_name(input->stream));
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
    char size[MP_UNIT_TEXT];
    mp_format_bytes(size, (int64_t)input->longest_line, false, false);
    mp_diagnose(input->diagnostics, MP_DIAG_LONG_LINE, input->path, input->line_number + 1,
                "line of more than %s skipped, expected a recording in text lines", size);
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
        if (newline && (size_t)(newline - from) > input->longest_line) {
            skip_long_line(input);
            seen = 0;
            continue;
        }
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
        if (length > input->longest_line) {
            skip_long_line(input);
            seen = 0;
        }
        if (!refill(input) && input->start == input->end) {
            diagnose_failure(input);
            diagnose_damage(input);
            return false;
        }
    }
}

char *mp_input_whole(mp_input *input, size_t *length)
{
    while (refill(input))
        ;
    diagnose_failure(input);
    diagnose_damage(input);
    skip_byte_order_mark(input);
    *length = input->end - input->start;
    char *bytes = mp_alloc(*length);
    memcpy(bytes, input->bytes + input->start, *length);
    input->consumed += *length;
    input->start = input->end;
    return bytes;
}

/* --- reading again --- */

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
    input->file = again->bottom;
    input->start = input->end = 0;
    input->consumed = input->line_number = 0;
    input->at_end = false;
    mp_input_look_ahead(input); /* passes over a byte order mark */
    return true;
}

static size_t read_more(void *stream, char *into, size_t room)
{
    return mp_stream_read(stream, into, room);
}

mp_checksum mp_input_checksum(mp_input *input)
{
    mp_checksum checksum = {.known = false};
    if (!mp_input_keep(input))
        return checksum;
    mp_stream *again = mp_stream_again(mp_decode_below(input->stream));
    if (!again) {
        failed(input, "cannot read again");
        return checksum;
    }
    checksum = mp_checksum_of(read_more, again);
    checksum.known = again->fault == MP_FAULT_NONE;
    if (again->fault == MP_FAULT_READ) /* what else is wrong is told when it is read */
        mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, 0, "cannot read: %s",
                    again->why);
    mp_stream_close(again);
    return checksum;
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
    mp_stream_close(input->stream); /* the other one was read to its end, with what faults it has */
    input->stream = again;
    input->file = again->bottom;
    input->at_end = true;
    diagnose_failure(input);
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

bool mp_input_can_reopen(const mp_input *input)
{
    return input->is_file;
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
