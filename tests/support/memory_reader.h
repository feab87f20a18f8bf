/* Run a reader on bytes in memory, and inspect its diagnostics. */
#pragma once

#include "readers/reader.h"

/* Open the reader and let it read `length` bytes as the input `name`, at most `window` bytes at a
 * time. Close it, and build the call tree. Call this once per model. Return the result of the
 * reader. */
bool read_memory(const mp_reader *reader, mp_model *model, mp_diagnostics *diagnostics,
                 const char *name, const void *bytes, size_t length, size_t window);

/* Result of one reading. */
typedef struct reading {
    mp_model *model;
    mp_diagnostics *diagnostics; /* keeps all diagnostics */
    bool ok;
} reading;

/* Read bytes, or a text, into a new model. Release with reading_free. */
reading read_bytes(const mp_reader *reader, const char *name, const char *bytes, size_t length,
                   size_t window);
reading read_text(const mp_reader *reader, const char *name, const char *text, size_t window);
/* Read a file. */
reading read_path(const char *path, const mp_load_options *options);
void reading_free(reading *r);

/* Return `text` with the first occurrence of `what` replaced; NULL if there is none. Release with
 * free(). */
char *replaced(const char *text, const char *what, const char *by);

/* Return the first stored diagnostic of this kind; NULL if there is none. */
const mp_diagnostic *find_diagnostic(const mp_diagnostics *diagnostics, mp_diagnostic_id id);

/* Return the number of diagnostics, of any kind. */
uint64_t count_diagnostics(const mp_diagnostics *diagnostics);
