/* Hashes with random keys. Each process has its own keys, so inputs cannot be crafted to collide.
 * The order of output must never depend on hashes.
 *
 * Keys that are only added to an invertible mix would not be enough: inputs that differ in the
 * right bits would collide under every key. Instead, numbers are multiplied by keys twice, and each
 * 128-bit product is folded to 64 bits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct mp_hash_keys {
    uint64_t number[4];
    uint64_t word[6];
    uint64_t even; /* odd number whose multiples are spread evenly over 64 bits */
} mp_hash_keys;

/* Random keys of this process, set before main() begins. */
extern mp_hash_keys mp_keys;

/* Multiply two numbers, and return the XOR of both halves of the 128-bit product. */
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

/* Hash two, four or six numbers. Every bit of them affects the hash. */
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

/* Combine two 32-bit numbers into one of 64 bits. */
static inline uint64_t mp_joined(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* Hash bytes. The result depends on the keys of the process. */
uint64_t mp_hash_bytes(const void *bytes, size_t length);

/* A 128-bit hash of bytes. Texts with equal fingerprints are assumed to be equal. */
typedef struct mp_fingerprint {
    uint64_t low, high;
} mp_fingerprint;
mp_fingerprint mp_fingerprint_of(const void *bytes, size_t length);
