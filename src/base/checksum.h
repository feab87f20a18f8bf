/* Checksums of recordings: XXH3-128 without a key, so they are equal on every machine and
 * `xxh128sum` prints the same. They detect damage, not forgery: anyone can construct another file
 * with the same checksum. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mp_checksum {
    uint64_t high, low;
    uint64_t bytes; /* number of bytes that were summed */
    bool known;
} mp_checksum;

/* Return the checksum of all bytes that `more` delivers. `more` is called with a buffer of `room`
 * bytes and returns the number of bytes that it filled; 0 ends the input. */
mp_checksum mp_checksum_of(size_t (*more)(void *opaque, char *buffer, size_t room), void *opaque);
/* Return the checksum of a text. */
mp_checksum mp_checksum_of_text(const char *text, size_t length);
/* Return true if both checksums are known and equal. */
bool mp_checksum_equal(const mp_checksum *a, const mp_checksum *b);

/* Size of the text form: "xxh128:" and 32 hexadecimal digits. */
enum { MP_CHECKSUM_TEXT = 40 };
const char *mp_checksum_text(const mp_checksum *checksum, char text[MP_CHECKSUM_TEXT]);
/* Parse the text form. Return false if the text is malformed. `checksum->bytes` is not set. */
bool mp_checksum_parse(const char *text, mp_checksum *checksum);
