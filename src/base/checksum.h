/* Checksums of recordings: XXH3 of 128 bits, without a key, so that it is the same everywhere and
 * `xxh128sum` prints it too. It tells damage, not forgery: another text of the same checksum can be
 * made by whoever wants to. */
#ifndef MP_BASE_CHECKSUM_H
#define MP_BASE_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mp_checksum {
    uint64_t high, low;
    uint64_t bytes; /* that it is of */
    bool known;
} mp_checksum;

/* Return the checksum of everything that `more` reads, up to `room` bytes at a time, until it
 * reads none. */
mp_checksum mp_checksum_of(size_t (*more)(void *opaque, char *buffer, size_t room), void *opaque);
/* Return the checksum of a text. */
mp_checksum mp_checksum_of_text(const char *text, size_t length);
/* Compare two known checksums. */
bool mp_checksum_equal(const mp_checksum *a, const mp_checksum *b);

/* "xxh128:" and 32 digits. */
enum { MP_CHECKSUM_TEXT = 40 };
const char *mp_checksum_text(const mp_checksum *checksum, char text[MP_CHECKSUM_TEXT]);
/* False where it is no such text. Its bytes are not set. */
bool mp_checksum_parse(const char *text, mp_checksum *checksum);

#endif
