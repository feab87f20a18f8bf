#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "base/near.h"
#include "input/inside.h"

enum { WINDOW = 256 * 1024, LONGEST_LINE = 16 * 1024 * 1024 };

static mp_input *input_new(const char *path, mp_diagnostics *diagnostics)
{
    mp_input *input = mp_alloc_zero(1, sizeof *input);
    input->path = path;
    input->diagnostics = diagnostics;
    input->capacity = WINDOW + MP_WINDOW_SLACK;
    input->bytes = mp_alloc(input->capacity);
    input->file = -1;
    return input;
}

mp_input *mp_input_open(const char *path, mp_diagnostics *diagnostics, const mp_progress *progress)
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
    mp_input *input = input_new(standard ? "(standard input)" : path, diagnostics);
    input->file = file;
    input->is_file = S_ISREG(status.st_mode) && !standard;
    input->total = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    if (progress)
        input->progress = *progress;
    return input;
}

mp_input *mp_input_from_memory(const char *path, const void *bytes, size_t length, size_t window,
                               mp_diagnostics *diagnostics)
{
    mp_input *input = input_new(path, diagnostics);
    input->memory = input->memory_start = bytes;
    input->memory_left = length;
    input->step = window;
    input->total = length;
    return input;
}

void mp_input_close(mp_input *input)
{
    if (!input)
        return;
    if (input->file > STDIN_FILENO)
        close(input->file);
    if (input->map)
        munmap(input->map, input->map_length);
    free(input->bytes);
    free(input);
}

static size_t source_read(mp_input *input, char *into, size_t room)
{
    if (input->file < 0) {
        size_t got = room < input->step ? room : input->step;
        if (got > input->memory_left)
            got = input->memory_left;
        if (got)
            memcpy(into, input->memory, got);
        input->memory += got;
        input->memory_left -= got;
        return got;
    }
    for (;;) {
        ssize_t got = read(input->file, into, room);
        if (got >= 0)
            return (size_t)got;
        if (errno == EINTR)
            continue;
        input->failure = errno;
        return 0;
    }
}

mp_diagnostics *mp_input_diagnose_to(mp_input *input, mp_diagnostics *diagnostics)
{
    mp_diagnostics *before = input->diagnostics;
    input->diagnostics = diagnostics;
    return before;
}

static void diagnose_failure(mp_input *input)
{
    if (input->failure)
        mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, input->line_number,
                    "cannot read on: %s", strerror(input->failure));
    input->failure = 0;
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
    size_t got = source_read(input, input->bytes + input->end, room);
    input->end += got;
    input->at_end = got == 0;
    if (input->progress.advance)
        input->progress.advance(input->progress.opaque, input->path,
                                input->consumed + input->end - input->start, input->total);
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

mp_slice mp_input_look_ahead(mp_input *input)
{
    while (input->end - input->start < MP_LOOK_AHEAD && refill(input))
        ;
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

static bool is_kept(const mp_input *input)
{
    return input->file < 0 || input->is_file;
}

static bool failed(mp_input *input, const char *doing)
{
    mp_diagnose(input->diagnostics, MP_DIAG_CANNOT_READ, input->path, 0, "%s: %s", doing,
                strerror(errno));
    return false;
}

/* All bytes, those already in the window too, into a file without a name. */
static int spool(mp_input *input)
{
    char folder[4096];
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s", place && *place ? place : "/tmp");
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        return -1;
    do {
        while (input->start < input->end) {
            ssize_t put = write(file, input->bytes + input->start, input->end - input->start);
            if (put < 0 && errno != EINTR) {
                close(file);
                return -1;
            }
            input->start += put > 0 ? (size_t)put : 0;
        }
    } while (refill(input));
    return file;
}

bool mp_input_keep(mp_input *input)
{
    if (is_kept(input))
        return true;
    int file = spool(input);
    if (file < 0)
        return failed(input, "cannot keep what comes through a pipe in a temporary file");
    diagnose_failure(input);
    if (input->file > STDIN_FILENO)
        close(input->file);
    input->file = file;
    input->is_file = true;
    off_t end = lseek(file, 0, SEEK_END);
    input->total = end > 0 ? (uint64_t)end : 0;
    return mp_input_rewind(input);
}

bool mp_input_rewind(mp_input *input)
{
    if (!is_kept(input))
        return false;
    if (input->file < 0) {
        input->memory = input->memory_start;
        input->memory_left = (size_t)input->total;
    } else if (lseek(input->file, 0, SEEK_SET) < 0) {
        return failed(input, "cannot read again");
    }
    input->start = input->end = 0;
    input->consumed = input->line_number = 0;
    input->at_end = false;
    mp_input_look_ahead(input); /* passes over a byte order mark */
    return true;
}

size_t mp_input_tail(const mp_input *input, char *bytes, size_t size)
{
    size_t length = input->total < size ? (size_t)input->total : size, got = 0;
    if (input->file < 0) {
        memcpy(bytes, input->memory_start + input->total - length, length);
        return length;
    }
    while (is_kept(input) && got < length) {
        off_t from = (off_t)(input->total - length + got);
        ssize_t read = pread(input->file, bytes + got, length - got, from);
        if (read <= 0)
            break;
        got += (size_t)read;
    }
    return got;
}

char *mp_input_map(mp_input *input, size_t *length)
{
    *length = (size_t)input->total;
    if (!is_kept(input) || !*length || input->map)
        return input->map;
    bool memory = input->file < 0;
    char *map = mmap(NULL, *length, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | (memory ? MAP_ANONYMOUS : 0), input->file, 0);
    if (map == MAP_FAILED) {
        failed(input, "cannot map");
        return NULL;
    }
    if (memory)
        memcpy(map, input->memory_start, *length);
    input->map = map;
    input->map_length = *length;
    return map;
}

void mp_input_finish(mp_input *input)
{
    struct stat status;
    if (input->file >= 0 && fstat(input->file, &status) == 0)
        input->total = (uint64_t)status.st_size;
    input->consumed = input->total;
}

bool mp_input_can_reopen(const mp_input *input)
{
    return input->is_file;
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
