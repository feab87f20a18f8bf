/* Run one reader over bytes in memory, and look at what it said. */
#ifndef TESTS_SUPPORT_MEMORY_READER_H
#define TESTS_SUPPORT_MEMORY_READER_H

#include "readers/reader.h"

/* Open the reader, let it read `length` bytes, at most `window` at a time, as the input `name`;
 * close it and build its call tree, once for each model. Returns what the reader's read did. */
bool read_memory(const mp_reader *reader, mp_model *model, mp_diagnostics *diagnostics,
                 const char *name, const void *bytes, size_t length, size_t window);

/* Result of one reading. */
typedef struct reading {
    mp_model *model;
    mp_diagnostics *diagnostics; /* keeps all */
    bool ok;
} reading;

/* A new model with what the reader makes of the bytes. Release with reading_free. */
reading read_bytes(const mp_reader *reader, const char *name, const char *bytes, size_t length,
                   size_t window);
reading read_text(const mp_reader *reader, const char *name, const char *text, size_t window);
/* Read a file. */
reading read_path(const char *path, const mp_load_options *options);
void reading_free(reading *r);

/* `text` with the first `what` in it replaced; NULL if it is not there. The caller frees it. */
char *replaced(const char *text, const char *what, const char *by);

/* The first kept diagnostic of this kind; NULL if there is none. */
const mp_diagnostic *find_diagnostic(const mp_diagnostics *diagnostics, mp_diagnostic_id id);

/* How many diagnostics there are, of all kinds. */
uint64_t count_diagnostics(const mp_diagnostics *diagnostics);

#endif
