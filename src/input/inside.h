/* The inside of an input, for the input layer alone.
 *
 * The window: bytes[start, end) are read and not yet handed out.
 *
 *   0        start          end                capacity
 *   |  spent  |  to hand out |  room   |  slack  |
 *
 * Vector code may load up to MP_WINDOW_SLACK bytes behind `end`; they mean nothing. */
#ifndef MP_INPUT_INSIDE_H
#define MP_INPUT_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memprof/memprof.h"

typedef struct mp_input mp_input;

enum { MP_WINDOW_SLACK = 128 };

struct mp_input {
    const char *path;
    mp_diagnostics *diagnostics;
    mp_progress progress;
    uint64_t total, consumed, line_number;
    char *bytes;
    size_t start, end, capacity;
    bool line_closed, at_end, is_file;
    int failure; /* errno of a read that failed, until it is diagnosed */
    int file;    /* -1: memory */
    const char *memory, *memory_start;
    size_t memory_left, step;
    char *map; /* of map_length bytes; NULL: none */
    size_t map_length;
};

/* Read on until the next line is wholly in the window; false at the end of the input, and where the
 * line is too long for that. Diagnoses nothing. */
bool mp_window_has_line(mp_input *input);

#endif
