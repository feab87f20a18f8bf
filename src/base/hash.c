#include "base/hash.h"

#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

mp_hash_keys mp_keys;
static unsigned char secret[XXH3_SECRET_SIZE_MIN];

/* Fill `bytes` from the 16 random bytes that the kernel gives every process, for kernels without
 * getrandom or early at boot. */
static void spread(unsigned char *bytes, size_t length)
{
    uint64_t given[2], drawn;
    memcpy(given, (const void *)getauxval(AT_RANDOM),
           sizeof given); // NOLINT(performance-no-int-to-ptr)
    for (size_t i = 0; i < length; i += sizeof drawn) {
        given[0] += 0x9e3779b97f4a7c15u; /* golden ratio: repeated addition visits all 64-bit
                                          * numbers */
        drawn = mp_fold(given[0] ^ given[1], given[1] | 1);
        drawn = mp_fold(drawn ^ given[0], 0xc2b2ae3d27d4eb4fu);
        memcpy(bytes + i, &drawn, length - i < sizeof drawn ? length - i : sizeof drawn);
    }
}

/* Return true if the multiples of number / 2^64 are spread evenly. Multiples of the golden ratio
 * are spread most evenly (Knuth, TAOCP 6.4), because all terms of its continued fraction are 1.
 * Here it is enough if no term that affects the first 2^32 multiples exceeds 5. */
static bool spreads_evenly(uint64_t number)
{
    enum { MOST = 5 };
    uint64_t above = number, below = -number % number; /* 2^64 modulo the number */
    if (-number / number >= MOST)
        return false;
    while (below >> 32) {
        if (above / below > MOST)
            return false;
        uint64_t rest = above % below;
        above = below;
        below = rest;
    }
    return true;
}

/* Draw the keys. As a constructor this runs once, before any thread can use a table. */
__attribute__((constructor)) static void draw(void)
{
    unsigned char bytes[sizeof mp_keys + sizeof secret];
    if (getrandom(bytes, sizeof bytes, GRND_NONBLOCK) != (ssize_t)sizeof bytes)
        spread(bytes, sizeof bytes);
    memcpy(&mp_keys, bytes, sizeof mp_keys);
    memcpy(secret, bytes + sizeof mp_keys, sizeof secret);
    mp_keys.number[1] |= 1; /* factors must not be 0 */
    mp_keys.number[3] |= 1;
    mp_keys.even |= 1;
    while (!spreads_evenly(mp_keys.even)) /* one number in a hundred passes */
        mp_keys.even = mp_hash64(mp_keys.even) | 1;
}

/* Hash bytes. XXH3 of a short text can be inverted by anyone who knows its secret, so its result is
 * hashed again with the keys. */
uint64_t mp_hash_bytes(const void *bytes, size_t length)
{
    return mp_hash64(XXH3_64bits_withSecret(bytes, length, secret, sizeof secret));
}

mp_fingerprint mp_fingerprint_of(const void *bytes, size_t length)
{
    XXH128_hash_t hash = XXH3_128bits_withSecret(bytes, length, secret, sizeof secret);
    return (mp_fingerprint){hash.low64, hash.high64};
}
