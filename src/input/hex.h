/* Hexadecimal words of a line, parsed 16 bytes at a time.
 *
 * The functions are inline because heap dumps consist mostly of such words. They may load up to
 * MP_HEX_SLACK bytes after the end of a line, so these bytes must be readable, as in the window of
 * an input; their values do not matter. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { MP_HEX_SLACK = 16 };

/* Return the number of hexadecimal digits at the start of 16 bytes. */
static inline unsigned mp_hex_length(const char *p)
{
#ifdef __SSE2__
    /* As signed bytes, digits become -128 to -119 and letters -128 to -123; all others are
     * larger. */
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i small = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    __m128i digit =
        _mm_cmplt_epi8(_mm_sub_epi8(bytes, _mm_set1_epi8((char)('0' + 128))), _mm_set1_epi8(-118));
    __m128i letter =
        _mm_cmplt_epi8(_mm_sub_epi8(small, _mm_set1_epi8((char)('a' + 128))), _mm_set1_epi8(-122));
    unsigned no = ~(unsigned)_mm_movemask_epi8(_mm_or_si128(digit, letter));
    return (unsigned)__builtin_ctz(no | 0x10000);
#else
    unsigned length = 0;
    for (; length < 16; length++) {
        unsigned byte = (unsigned char)p[length];
        if (byte - '0' > 9 && (byte | 32) - 'a' > 5)
            break;
    }
    return length;
#endif
}

/* Return the value of 1 to 8 digits at `p`. They are loaded as one word and combined into pairs,
 * into fours, then into eight. */
static inline uint64_t mp_hex_eight(const char *p, unsigned length)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    memcpy(&word, p, sizeof word);
    word <<= 64 - 8 * length;
    word = (word & 0x0f0f0f0f0f0f0f0fu) + 9 * (word >> 6 & 0x0101010101010101u);
    word = (word << 4 | word >> 8) & 0x00ff00ff00ff00ffu;
    word = (word << 8 | word >> 16) & 0x0000ffff0000ffffu;
    return (word << 16 | word >> 32) & 0xffffffffu;
#else
    uint64_t sum = 0;
    for (unsigned i = 0; i < length; i++) {
        unsigned byte = (unsigned char)p[i];
        sum = sum << 4 | ((byte & 15) + 9 * (byte >> 6));
    }
    return sum;
#endif
}

/* Parse the word at *cursor as a number of up to 16 digits, and advance *cursor past it. Return
 * false, and leave *cursor unchanged, if there is no digit, or if anything but a blank, a tab or
 * `end` follows. */
static inline bool mp_hex_word(const char **cursor, const char *end, uint64_t *value)
{
    const char *p = *cursor;
    if (p >= end)
        return false;
    unsigned length = mp_hex_length(p);
    if (length > (size_t)(end - p))
        length = (unsigned)(end - p);
    if (!length || (p + length < end && p[length] != ' ' && p[length] != '\t'))
        return false;
    *value = length <= 8 ? mp_hex_eight(p, length)
                         : mp_hex_eight(p, length - 8) << 32 | mp_hex_eight(p + length - 8, 8);
    *cursor = p + length;
    return true;
}
