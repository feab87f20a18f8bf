#include "base/checksum.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char kind[] = "xxh128:";

mp_checksum mp_checksum_of(size_t (*more)(void *opaque, char *buffer, size_t room), void *opaque)
{
    char block[64 * 1024];
    XXH3_state_t state;
    mp_checksum checksum = {.known = true};
    XXH3_128bits_reset(&state);
    for (size_t got; (got = more(opaque, block, sizeof block)) > 0; checksum.bytes += got)
        XXH3_128bits_update(&state, block, got);
    XXH128_hash_t hash = XXH3_128bits_digest(&state);
    checksum.high = hash.high64;
    checksum.low = hash.low64;
    return checksum;
}

mp_checksum mp_checksum_of_text(const char *text, size_t length)
{
    const XXH128_hash_t hash = XXH3_128bits(text, length);
    return (mp_checksum){.high = hash.high64, .low = hash.low64, .bytes = length, .known = true};
}

bool mp_checksum_equal(const mp_checksum *a, const mp_checksum *b)
{
    return a->known && b->known && a->high == b->high && a->low == b->low && a->bytes == b->bytes;
}

const char *mp_checksum_text(const mp_checksum *checksum, char text[MP_CHECKSUM_TEXT])
{
    snprintf(text, MP_CHECKSUM_TEXT, "%s%016" PRIx64 "%016" PRIx64, kind, checksum->high,
             checksum->low);
    return text;
}

bool mp_checksum_parse(const char *text, mp_checksum *checksum)
{
    char again[MP_CHECKSUM_TEXT];
    checksum->known =
        strlen(text) == MP_CHECKSUM_TEXT - 1 &&
        sscanf(text, "xxh128:%16" SCNx64 "%16" SCNx64, &checksum->high, &checksum->low) == 2 &&
        strcmp(mp_checksum_text(checksum, again), text) == 0;
    return checksum->known;
}
