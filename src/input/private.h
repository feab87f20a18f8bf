/* Members of an input, for the input layer alone.
 *
 * The window: bytes[start, end) are read and not yet handed out.
 *
 *   0        start          end                capacity
 *   |  spent  |  to hand out |  room   |  slack  |
 *
 * Vector code may load up to MP_WINDOW_SLACK bytes behind `end`: zeros once something was read. No
 * result depends on them. */
#ifndef MP_INPUT_PRIVATE_H
#define MP_INPUT_PRIVATE_H

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
    mp_inputs *inputs; /* set that it belongs to; NULL: none are kept */
    mp_input *next;    /* the next input that was put back */
    const char *path;
    struct stat origin; /* the file that was opened, or the archive it is a member of */
    mp_diagnostics *diagnostics;
    mp_progress progress;
    uint64_t total, consumed, line_number;
    char *bytes;
    size_t start, end, capacity, longest_line;
    bool line_closed, at_end, is_file, fault_told, damage_told, has_nul, nul_told;
    mp_stream *stream, *file; /* and what is at the bottom of it */
    mp_stream *places;        /* packed data, readable at any place; NULL: there is none */
    mp_layers layers;
    mp_packing archive; /* MP_UNPACKED: none */
    mp_unpack_limits limits;
    const char *encoding; /* that its text is said to have; NULL: none */
};

/* Read a stream, which is the input's from now on: nothing is unpacked. `encoding` may be NULL. */
mp_input *mp_input_from_stream(const char *path, mp_stream *stream, const char *encoding,
                               mp_diagnostics *diagnostics);

/* Read on until the next line is wholly in the window; false at the end of the input, and where the
 * line is too long for that, or to be handed out. Diagnoses nothing. */
bool mp_window_has_line(mp_input *input);

/* A file that was read. */
typedef struct mp_read_file {
    dev_t device;
    ino_t number;
    bool is_database;
} mp_read_file;

struct mp_inputs {
    pthread_mutex_t lock; /* lock of all below; readers of two archives never wait for each other */
    mp_input *put_back;   /* each by a path of its own */
    size_t open_files;    /* number of those that are files */
    struct mp_members *archives;
    uint64_t uses; /* count of uses of those */
    mp_read_file *files;
    size_t count, capacity;
};

/* Return the input that was put back under this path, which the caller keeps, or NULL. A file that
 * has changed or was replaced since it was opened is closed instead. `inputs` may be NULL. */
mp_input *mp_inputs_take_back(mp_inputs *inputs, const char *path);
/* As mp_input_note_read; `inputs` may be NULL. */
void mp_inputs_note_read(mp_inputs *inputs, const struct stat *file, bool is_database);

/* Report how far the input has been read. */
void mp_input_advance(mp_input *input);

/* --- what is wrong --- */

/* Report a failure by errno; return false. */
bool mp_input_failed(mp_input *input, const char *doing);
/* Report the fault of the stream, once. */
void mp_input_tell_fault(mp_input *input);
void mp_input_tell_limit(mp_diagnostics *diagnostics, const char *path, uint64_t line,
                         const char *why);

#endif
