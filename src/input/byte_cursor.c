#include "input/byte_cursor.h"

bool mp_bytes_refill(mp_byte_cursor *cursor, size_t bytes)
{
    const size_t used = (size_t)(cursor->next - cursor->start);
    mp_input_consume(cursor->input, used);
    cursor->before += used;
    const mp_slice window = mp_input_at_hand(cursor->input, bytes);
    cursor->start = cursor->next = (const unsigned char *)window.start;
    cursor->end = cursor->start + window.length;
    return window.length >= bytes;
}

bool mp_bytes_skip(mp_byte_cursor *cursor, uint64_t bytes)
{
    if (bytes > cursor->room)
        return false;
    while (bytes) {
        if (cursor->next == cursor->end && !mp_bytes_refill(cursor, 1)) {
            cursor->torn = true;
            return false;
        }
        const size_t have = (size_t)(cursor->end - cursor->next);
        const size_t step = bytes < have ? (size_t)bytes : have;
        cursor->next += step;
        cursor->room -= step;
        bytes -= step;
    }
    return true;
}
