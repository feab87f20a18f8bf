/* Names that a reader gives to references. */
#pragma once

#include "readers/reader.h"

/* A reference, and the name that it should have. */
typedef struct expected_name {
    uint64_t from, to;
    const char *name;
} expected_name;

/* Let the reader name references, in ascending order, of an input in memory. The reader reads at
 * most `window` bytes at a time. Check that the names are correct, and that nothing is reported. */
void names_are(const mp_reader *reader, const void *bytes, size_t length, size_t window,
               const expected_name *expected, size_t count);
