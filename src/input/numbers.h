/* Rows of numbers, which are most of every large recording. They are parsed in the window, up to 64
 * bytes at a time.
 *
 * The functions are inline: with the columns known at compile time, a row costs a few instructions
 * for each column and no call. */
#pragma once

#include <string.h>

#include "input/hex.h"
#include "input/input.h"
#include "input/private.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { MP_STEP = 64 };

/* Bits of 64 bytes. A bit of `ends` is set if the byte is not a digit; a bit of `others` is set if
 * the byte is neither a digit nor a blank. */
typedef struct mp_byte_kinds {
    uint64_t ends, others;
} mp_byte_kinds;

static inline mp_byte_kinds mp_byte_kinds_of(const char *p)
{
    mp_byte_kinds kinds = {0, 0};
#ifdef __SSE2__
    /* As signed bytes, digits become -128 to -119, and every other byte is larger. */
    const __m128i shift = _mm_set1_epi8((char)('0' + 128)), most = _mm_set1_epi8(-119);
    const __m128i blank = _mm_set1_epi8(' ');
    for (int i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + i * 16));
        __m128i end = _mm_cmpgt_epi8(_mm_sub_epi8(bytes, shift), most);
        __m128i other = _mm_andnot_si128(_mm_cmpeq_epi8(bytes, blank), end);
        kinds.ends |= (uint64_t)(uint32_t)_mm_movemask_epi8(end) << (i * 16);
        kinds.others |= (uint64_t)(uint32_t)_mm_movemask_epi8(other) << (i * 16);
    }
#else
    for (int i = 0; i < MP_STEP; i++) {
        uint64_t end = (unsigned)(p[i] - '0') > 9;
        kinds.ends |= end << i;
        kinds.others |= (end & (p[i] != ' ')) << i;
    }
#endif
    return kinds;
}

/* Return the value of 1 to 8 digits at `p`. They are loaded as one word and combined into pairs,
 * into fours, then into eight. Bytes after the digits are shifted out. */
static inline uint64_t mp_eight_digits(const char *p, size_t length)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    memcpy(&word, p, sizeof word);
    word = (word << (64 - 8 * length)) & 0x0f0f0f0f0f0f0f0fu;
    word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffu;
    word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffu;
    return (word * 10000 + (word >> 32)) & 0xffffffffu;
#else
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum = sum * 10 + (uint64_t)(p[i] - '0');
    return sum;
#endif
}

static inline uint64_t mp_sixteen_digits(const char *p, size_t length)
{
    if (length <= 8)
        return mp_eight_digits(p, length);
    return mp_eight_digits(p, length - 8) * 100000000u + mp_eight_digits(p + length - 8, 8);
}

/* The parsing of a line of numbers, separated by one blank, that is completely in the window. */
typedef struct mp_row_scan {
    const char *line;
    size_t left, block;  /* bytes in the window from `line` on; offset of the current 64 of them */
    mp_byte_kinds kinds; /* kinds of these bytes, without the bits that were already passed */
    size_t begin, end;   /* offsets of the next number, and of the byte after the last one */
    size_t longest;      /* 16 or more: a number is empty or too long */
} mp_row_scan;

/* Begin with the next line of the window. */
static inline mp_row_scan mp_scan_of(const mp_input *input)
{
    mp_row_scan scan = {.line = input->bytes + input->start, .left = input->end - input->start};
    if (scan.left)
        scan.kinds = mp_byte_kinds_of(scan.line);
    return scan;
}

/* Move `end` to the next byte that is not a digit. Return false if there is none, or if a byte that
 * is neither a digit nor a blank was not passed. */
static inline bool mp_scan_end(mp_row_scan *scan)
{
    while (!scan->kinds.ends) {
        scan->block += MP_STEP;
        if (scan->block >= scan->left || scan->kinds.others)
            return false;
        scan->kinds = mp_byte_kinds_of(scan->line + scan->block);
    }
    scan->end = scan->block + (size_t)__builtin_ctzll(scan->kinds.ends);
    scan->kinds.ends &= scan->kinds.ends - 1;
    return true;
}

/* Return true if the first byte that is neither a digit nor a blank, of those that were not passed,
 * is at `end`. */
static inline bool mp_scan_ends_blanks(const mp_row_scan *scan)
{
    const uint64_t others = scan->kinds.others;
    return others && scan->block + (size_t)__builtin_ctzll(others) == scan->end;
}

/* Parse an unsigned number of 1 to 16 digits; set `value` if the number is `wanted`. Return false
 * if there is no number; mp_scan_length finds other faults. */
static inline bool mp_scan_whole(mp_row_scan *scan, bool wanted, uint64_t *value)
{
    const size_t begin = scan->begin;
    if (!mp_scan_end(scan))
        return false;
    /* The length of an empty number wraps around, and exceeds every limit. */
    const size_t length = scan->end - begin;
    scan->longest |= length - 1;
    scan->begin = scan->end + 1;
    if (wanted)
        *value = length == 1 ? (unsigned char)scan->line[begin] & 15u
                             : mp_sixteen_digits(scan->line + begin, ((length - 1) & 15) + 1);
    return true;
}

/* Parse 1 to 8 digits, a point and 1 to 6 digits, as millionths. */
static inline bool mp_scan_decimal(mp_row_scan *scan, uint64_t *value)
{
    static const uint32_t scale[] = {0, 100000, 10000, 1000, 100, 10, 1};
    const size_t begin = scan->begin;
    if (!mp_scan_end(scan) || scan->line[scan->end] != '.' || !mp_scan_ends_blanks(scan))
        return false;
    const size_t point = scan->end;
    scan->kinds.others &= scan->kinds.others - 1;
    if (!mp_scan_end(scan) || point - begin - 1 >= 8)
        return false;
    const size_t places = scan->end - point - 1;
    if (places - 1 >= 6)
        return false;
    scan->begin = scan->end + 1;
    *value = mp_eight_digits(scan->line + begin, point - begin) * 1000000 +
             mp_eight_digits(scan->line + point + 1, places) * scale[places];
    return true;
}

/* Return true if another number follows. */
static inline bool mp_scan_more(const mp_row_scan *scan)
{
    return scan->end < scan->left && scan->line[scan->end] == ' ';
}

/* Return the length of the line with its newline, for mp_window_take_line, after all its numbers
 * were parsed. Return 0 if the line continues, has other faults, or is not completely in the
 * window; mp_input_line reads such a line. */
static inline size_t mp_scan_length(const mp_row_scan *scan)
{
    size_t end = scan->end;
    if (scan->longest >= 16 || !mp_scan_ends_blanks(scan))
        return 0;
    if (end < scan->left && scan->line[end] == '\r')
        end++;
    return end < scan->left && scan->line[end] == '\n' ? end + 1 : 0;
}

/* Read the next line if it consists of exactly `columns` unsigned numbers of 1 to 16 digits,
 * separated by one blank. All columns are checked; row[i] is set only for the columns in the bit
 * set `wanted`. For any other line, or one that is not completely in the window, return false and
 * consume nothing; mp_input_line reads it. */
static inline bool mp_input_numbers(mp_input *input, unsigned columns, uint32_t wanted,
                                    uint64_t *row)
{
    mp_row_scan scan = mp_scan_of(input);
#pragma GCC unroll 16
    for (unsigned column = 0; column < columns; column++)
        if (!mp_scan_whole(&scan, wanted >> column & 1, &row[column]))
            return false;
    const size_t length = mp_scan_length(&scan);
    if (length)
        mp_window_take_line(input, length);
    return length > 0;
}

/* Read rows as mp_input_numbers does, at most `most`, with instructions that only some processors
 * have. All columns are set. Return the number of rows; 0 on other processors. Reading stops at the
 * latest before the first row that mp_input_numbers does not take; it may stop before others. */
size_t mp_input_wide_rows(mp_input *input, unsigned columns, uint64_t *rows, size_t most);

/* Read rows until one is not taken or `most` are read. Return their number. */
static inline size_t mp_input_rows(mp_input *input, unsigned columns, uint32_t wanted,
                                   uint64_t *rows, size_t most)
{
    enum { SINGLE = 64 }; /* rows read one by one before the next attempt to read many */
    for (size_t count = 0;;) {
        count += mp_input_wide_rows(input, columns, rows + count * columns, most - count);
        for (int i = 0; i < SINGLE; i++, count++)
            if (count == most || !mp_input_numbers(input, columns, wanted, rows + count * columns))
                return count;
    }
}

/* Read the next line if it is a character, a blank and a hexadecimal number of up to 16 digits. For
 * any other line, or one near the end of the window, return false and consume nothing. */
static inline bool mp_input_hex_row(mp_input *input, char *letter, uint64_t *number)
{
    const char *line = input->bytes + input->start, *cursor = line + 2, *end = cursor;
    if (input->end - input->start < 2 + 16 + 1 + MP_HEX_SLACK || line[1] != ' ')
        return false;
    end += mp_hex_length(cursor);
    if (*end != '\n' || !mp_hex_word(&cursor, end, number))
        return false;
    *letter = *line;
    mp_window_take_line(input, (size_t)(end - line) + 1);
    return true;
}
