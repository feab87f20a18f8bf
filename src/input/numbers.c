/* Rows of numbers, eight numbers at a time, for processors with AVX-512 (VBMI2).
 *
 * A comparison finds the bytes that end a number. Their offsets are compressed to the bytes of one
 * word, from which arithmetic computes where each number begins and how long it is. A permutation
 * then moves the last eight digits of each number to eight bytes of its own, with zeros before
 * them, and multiplications turn them into a value. */
#include "input/numbers.h"

#ifdef __x86_64__
#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

enum { GROUP = 8 }; /* numbers that are parsed at once */

static const uint64_t ONES = 0x0101010101010101u; /* 1 in each byte */

/* 64 bytes: their values as digits, and bit sets of those that end numbers, of blanks and of line
 * feeds. */
typedef struct wide_bytes {
    __m512i digits;
    uint64_t ends, blanks, lines;
} wide_bytes;

WIDE static inline wide_bytes bytes_at(const char *p)
{
    const __m512i bytes = _mm512_loadu_si512(p);
    const __m512i digits = _mm512_sub_epi8(bytes, _mm512_set1_epi8('0'));
    return (wide_bytes){
        .digits = digits,
        .ends = _cvtmask64_u64(_mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9))),
        .blanks = _cvtmask64_u64(_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(' '))),
        .lines = _cvtmask64_u64(_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n'))),
    };
}

/* Return the values of eight numbers of eight digits. The first digit is in the lowest byte. */
WIDE static inline __m512i values_of(__m512i digits)
{
    const __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(1 << 8 | 10));
    const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(1 << 16 | 100));
    return _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)),
                            _mm512_srli_epi64(fours, 32));
}

/* Parse the first `count` numbers of 64 bytes, at most 8. Those in the bit set `lines` must end
 * with a line feed, the others with a blank. Return the length of the numbers with their ends; 0 if
 * a number has another end, is empty, or has more than 16 digits. */
WIDE static inline size_t parse_group(const wide_bytes *bytes, unsigned count, uint64_t lines,
                                      uint64_t *numbers)
{
    static const uint8_t offsets[MP_STEP] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i spread = /* each byte of a word, eight times */
        _mm512_set_epi64(7 * (int64_t)ONES, 6 * (int64_t)ONES, 5 * (int64_t)ONES, 4 * (int64_t)ONES,
                         3 * (int64_t)ONES, 2 * (int64_t)ONES, (int64_t)ONES, 0);
    const __m512i back = _mm512_set1_epi64((int64_t)0xfffefdfcfbfaf9f8u); /* from -8 to -1 */
    const uint64_t chosen = (UINT64_C(1) << count) - 1;
    if ((_pext_u64(bytes->lines, bytes->ends) & chosen) != (lines & chosen) ||
        (_pext_u64(bytes->blanks, bytes->ends) & chosen) != (~lines & chosen))
        return 0;

    const __m512i packed =
        _mm512_maskz_compress_epi8(_cvtu64_mask64(bytes->ends), _mm512_loadu_si512(offsets));
    const uint64_t end = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(packed));
    const uint64_t begin = (end << 8) + (ONES ^ 1);
    const uint64_t longer = (end - begin - ONES) & UINT64_MAX >> (64 - 8 * count);
    if (longer & 0xf0 * ONES) /* lengths minus 1 */
        return 0;

    const __m512i begins = _mm512_shuffle_epi8(_mm512_set1_epi64((int64_t)begin), spread);
    const __m512i ends = _mm512_shuffle_epi8(_mm512_set1_epi64((int64_t)end), spread);
    const __m512i low = _mm512_add_epi8(ends, back);
    __m512i values = values_of(
        _mm512_maskz_permutexvar_epi8(_mm512_cmpge_epi8_mask(low, begins), low, bytes->digits));
    if (longer & 8 * ONES) {
        const __m512i high = _mm512_sub_epi8(low, _mm512_set1_epi8(8));
        const __m512i more = values_of(_mm512_maskz_permutexvar_epi8(
            _mm512_cmpge_epi8_mask(high, begins), high, bytes->digits));
        values = _mm512_add_epi64(values, _mm512_mul_epu32(more, _mm512_set1_epi64(100000000)));
    }
    _mm512_mask_storeu_epi64(numbers, (__mmask8)chosen, values);
    return (size_t)_tzcnt_u64(_pdep_u64(UINT64_C(1) << (count - 1), bytes->ends)) + 1;
}

WIDE static inline uint64_t ends_at(const char *p)
{
    const __m512i digits = _mm512_sub_epi8(_mm512_loadu_si512(p), _mm512_set1_epi8('0'));
    return _cvtmask64_u64(_mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9)));
}

/* Return the length of the first `count` numbers of 128 bytes, with their ends. */
WIDE static inline size_t length_of(const char *p, unsigned count)
{
    const uint64_t first = ends_at(p), second = ends_at(p + MP_STEP);
    const unsigned before = (unsigned)_mm_popcnt_u64(first);
    const uint64_t last = UINT64_C(1) << (count - 1);
    const size_t near = (size_t)_tzcnt_u64(_pdep_u64(last, first));
    const size_t far = (size_t)_tzcnt_u64(_pdep_u64(last >> (before & 63), second));
    return near < MP_STEP ? near + 1 : MP_STEP + far + 1;
}

/* Parse one row of 9 to 16 columns, in two groups. The length is computed beside them, so that the
 * processor can begin with the next row. */
WIDE static inline size_t parse_long_row(const char *p, unsigned columns, uint64_t *row)
{
    const unsigned rest = columns - GROUP;
    wide_bytes bytes = bytes_at(p);
    const size_t first = parse_group(&bytes, GROUP, 0, row), length = length_of(p, columns);
    if (!first)
        return 0;
    bytes = bytes_at(p + first);
    const size_t second = parse_group(&bytes, rest, UINT64_C(1) << (rest - 1), row + GROUP);
    return second && first + second == length ? length : 0;
}

/* Parse rows of 1 to 8 columns: as many as 64 bytes contain, but at most *count, which becomes
 * their number. */
WIDE static inline size_t parse_short_rows(const char *p, unsigned columns, uint64_t *rows,
                                           size_t *count)
{
    const wide_bytes bytes = bytes_at(p);
    uint64_t lines = 0;
    size_t fit = (size_t)_mm_popcnt_u64(bytes.ends) / columns;
    fit = fit < GROUP / columns ? fit : GROUP / columns;
    *count = fit < *count ? fit : *count;
    for (unsigned i = columns; i <= GROUP; i += columns)
        lines |= UINT64_C(1) << (i - 1);
    return *count ? parse_group(&bytes, (unsigned)*count * columns, lines, rows) : 0;
}

WIDE static inline size_t parse_rows(mp_input *input, unsigned columns, uint64_t *rows, size_t most)
{
    const char *start = input->bytes + input->start, *end = input->bytes + input->end, *p = start;
    size_t count = 0;
    while (count < most && p < end) {
        size_t more = columns > GROUP ? 1 : most - count;
        const size_t length = columns > GROUP
                                  ? parse_long_row(p, columns, rows + count * columns)
                                  : parse_short_rows(p, columns, rows + count * columns, &more);
        if (!length || length > (size_t)(end - p))
            break;
        p += length;
        count += more;
    }
    if (count)
        mp_window_take_lines(input, (size_t)(p - start), count);
    return count;
}

WIDE size_t mp_input_wide_rows(mp_input *input, unsigned columns, uint64_t *rows, size_t most)
{
    if (!__builtin_cpu_supports("avx512vbmi2") || !__builtin_cpu_supports("avx512vbmi") ||
        !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("bmi2"))
        return 0;
    switch (columns) { /* the columns of long sections are known at compile time */
    case 2:
        return parse_rows(input, 2, rows, most);
    case 6:
        return parse_rows(input, 6, rows, most);
    case 16:
        return parse_rows(input, 16, rows, most);
    default:
        return columns && columns <= 16 ? parse_rows(input, columns, rows, most) : 0;
    }
}

#else

size_t mp_input_wide_rows(mp_input *input, unsigned columns, uint64_t *rows, size_t most)
{
    (void)input, (void)columns, (void)rows, (void)most;
    return 0;
}

#endif
