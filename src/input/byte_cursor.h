/* A cursor over binary records that are read from an input in one pass, so that memory use does not
 * depend on their lengths. Numbers are big-endian.
 *
 * Set `room` to the length of a record before it is read. Functions return false if the record ends
 * too early. If the input ends too early, they also set `torn`. */
#pragma once

#include "input/input.h"

/* Set the input, which must outlive the cursor, and zero all other members. */
typedef struct mp_byte_cursor {
    mp_input *input;
    const unsigned char *start, *next,
        *end;        /* bytes of the window; the bytes before `next` are already read */
    uint64_t before; /* bytes before `start` */
    uint64_t room;   /* bytes left in the record */
    bool torn;       /* the input ended within a record */
} mp_byte_cursor;

/* Return the number of bytes read. */
static inline uint64_t mp_bytes_offset(const mp_byte_cursor *cursor)
{
    return cursor->before + (uint64_t)(cursor->next - cursor->start);
}

/* Consume the bytes that were read, and get at least `bytes` more. Return false if the input ends
 * before that. */
bool mp_bytes_refill(mp_byte_cursor *cursor, size_t bytes);

/* Check that the record has this number of bytes at `next`. The caller then moves `next` on. */
static inline bool mp_bytes_take(mp_byte_cursor *cursor, size_t bytes)
{
    if (cursor->room < bytes)
        return false;
    if ((size_t)(cursor->end - cursor->next) < bytes && !mp_bytes_refill(cursor, bytes)) {
        cursor->torn = true;
        return false;
    }
    cursor->room -= bytes;
    return true;
}

/* Return the number in up to 8 bytes. */
static inline uint64_t mp_number_of(const unsigned char *bytes, size_t length)
{
    uint64_t number = 0;
    for (size_t i = 0; length == 8 && i < 8; i++) /* the compiler makes one instruction of this */
        number = number << 8 | bytes[i];
    for (size_t i = 0; length == 4 && i < 4; i++)
        number = number << 8 | bytes[i];
    for (size_t i = 0; length != 8 && length != 4 && i < length; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* Read a number of up to 8 bytes. */
static inline bool mp_bytes_number(mp_byte_cursor *cursor, size_t bytes, uint64_t *value)
{
    if (!mp_bytes_take(cursor, bytes))
        return false;
    *value = mp_number_of(cursor->next, bytes);
    cursor->next += bytes;
    return true;
}

static inline bool mp_bytes_u32(mp_byte_cursor *cursor, uint32_t *value)
{
    uint64_t wide = 0;
    const bool taken = mp_bytes_number(cursor, 4, &wide);
    *value = (uint32_t)wide;
    return taken;
}

/* Skip bytes of the record. If it has fewer, skip nothing. */
bool mp_bytes_skip(mp_byte_cursor *cursor, uint64_t bytes);
