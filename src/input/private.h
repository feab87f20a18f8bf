/* Members of an input, for the input layer only.
 *
 * The window: bytes[start, end) are read and not yet handed out.
 *
 *   0        start          end                capacity
 *   |  spent  |  to hand out |  room   |  slack  |
 *
 * Vector code may load up to MP_WINDOW_SLACK bytes after `end`. They are zeros once anything was
 * read; no result depends on them. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/load_options.h"
#include "input/unpack.h"
#include "memprof/diagnostics.h"

typedef struct mp_input mp_input;

enum { MP_WINDOW = 256 * 1024, MP_WINDOW_SLACK = 128 };

struct mp_input {
    mp_inputs *inputs; /* the set that it belongs to; NULL: none */
    mp_input *next;    /* next in the list of inputs that were put back */
    const char *path;
    struct stat origin; /* status of the file, or of the archive around the member */
    mp_diagnostics *diagnostics;
    mp_progress progress;
    uint64_t total, consumed, line_number;
    char *bytes;
    size_t start, end, capacity, longest_line;
    bool line_closed, at_end, is_file, fault_told, damage_told, has_nul, nul_told;
    mp_stream *stream, *file; /* top of the stream stack, and its bottom */
    mp_stream *places;        /* decompressed data for random access; NULL: use `file` */
    mp_layers layers;
    mp_packing archive; /* kind of archive; MP_UNPACKED: it is not an archive */
    mp_unpack_limits limits;
    const char *encoding; /* encoding given by the user; NULL: none */
};

/* Make an input of a stream, which it owns from now on. Nothing is decompressed. `encoding` may be
 * NULL. */
mp_input *mp_input_from_stream(const char *path, mp_stream *stream, const char *encoding,
                               mp_diagnostics *diagnostics);

/* Read until the next line is completely in the window. Return false at the end of the input, or if
 * the line is too long for the window or the limit. No diagnostic is reported. */
bool mp_window_has_line(mp_input *input);

/* Consume `count` lines of the window, which have `length` bytes with their newlines. */
static inline void mp_window_take_lines(mp_input *input, size_t length, size_t count)
{
    input->start += length;
    input->consumed += length;
    input->line_number += count;
    input->line_closed = true;
}
static inline void mp_window_take_line(mp_input *input, size_t length)
{
    mp_window_take_lines(input, length, 1);
}

/* Identity of a file that was read. */
typedef struct mp_read_file {
    dev_t device;
    ino_t number;
    bool is_database;
} mp_read_file;

struct mp_inputs {
    pthread_mutex_t lock; /* protects the members below; not held while an archive is read */
    mp_input *put_back;   /* inputs that were put back, with distinct paths */
    size_t open_files;    /* number of files among them */
    struct mp_members *archives;
    uint64_t uses; /* counter for the least recently used archive */
    mp_read_file *files;
    size_t count, capacity;
};

/* Return the input that was put back under this path, now owned by the caller; NULL: none. A file
 * that was changed or replaced since it was opened is closed instead. `inputs` may be NULL. */
mp_input *mp_inputs_take_back(mp_inputs *inputs, const char *path);
/* Like mp_input_note_read; `inputs` may be NULL. */
void mp_inputs_note_read(mp_inputs *inputs, const struct stat *file, bool is_database);

/* Report the progress of the reading. */
void mp_input_advance(mp_input *input);

/* --- reporting of problems --- */

/* Report that `doing` failed, with errno. Return false. */
bool mp_input_failed(mp_input *input, const char *doing);
/* Report the fault of the stream, unless it was reported before. */
void mp_input_tell_fault(mp_input *input);
void mp_input_tell_limit(mp_diagnostics *diagnostics, const char *path, uint64_t line,
                         const char *why);
