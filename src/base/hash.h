/* Hashes under keys that each process draws anew, so that nobody can prepare numbers or texts that
 * meet in a table. No order of any output may depend on them.
 *
 * A key that is only added to what an invertible mix makes of a number would not do: what differs
 * by the right bits meets under any key. Here numbers are multiplied by keys, both halves of the
 * product folded into one, twice. */
#ifndef MP_BASE_HASH_H
#define MP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct mp_hash_keys {
    uint64_t number[4];
    uint64_t word[6];
    uint64_t even; /* odd, and its multiples 1, 2, 3 ... spread evenly over 64 bits */
} mp_hash_keys;

/* Drawn before main() begins. */
extern mp_hash_keys mp_keys;

/* The halves of the product, one upon the other. */
static inline uint64_t mp_fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 mp_product;
    mp_product product = (mp_product)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low, middle = a_high * b_low + (low >> 32);
    uint64_t carried = a_low * b_high + (uint32_t)middle;
    return (carried << 32 | (uint32_t)low) ^ (a_high * b_high + (middle >> 32) + (carried >> 32));
#endif
}

static inline uint64_t mp_hash64(uint64_t number)
{
    uint64_t once = mp_fold(number ^ mp_keys.number[0], mp_keys.number[1]);
    return mp_fold(once ^ mp_keys.number[2], mp_keys.number[3]);
}

/* Hash two, four or six numbers; every bit counts. */
static inline uint64_t mp_hash_words(const uint64_t *words, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i + 1 < count; i += 2)
        sum += mp_fold(words[i] ^ mp_keys.word[i], words[i + 1] ^ mp_keys.word[i + 1]);
    return mp_fold(sum ^ mp_keys.number[2], mp_keys.number[3]);
}

static inline uint64_t mp_hash_pair(uint64_t first, uint64_t second)
{
    const uint64_t words[] = {first, second};
    return mp_hash_words(words, 2);
}

/* Two numbers of 32 bits as one. */
static inline uint64_t mp_joined(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

uint64_t mp_hash_bytes(const void *bytes, size_t length);

/* 128 bits, which stand for the bytes: those of one fingerprint count as equal. */
typedef struct mp_fingerprint {
    uint64_t low, high;
} mp_fingerprint;
mp_fingerprint mp_fingerprint_of(const void *bytes, size_t length);

#endif
