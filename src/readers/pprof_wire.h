/* Protocol Buffers' wire format, read as a stream: no whole message is kept in memory.
 *
 * A message is a sequence of fields, each with a number and a value: a varint, 4 or 8 bytes, or a
 * length and that number of bytes, which may be a message, a text or packed numbers. Source:
 * "Encoding", Protocol Buffers documentation. */
#pragma once

#include "input/input.h"

/* Fault of the bytes read so far. */
typedef enum pb_fault {
    PB_SOUND,
    PB_DAMAGED, /* a message is not a sequence of fields, or is longer than the message that
                   contains it */
    PB_TORN,    /* the input ends within a field */
} pb_fault;

/* A cursor over an input. Zero-initialise, and set `input`. */
typedef struct pb_wire {
    mp_input *input;
    const unsigned char *start, *cursor, *end; /* window */
    uint64_t before;                           /* number of bytes before the window */
    pb_fault fault;
} pb_wire;

typedef enum pb_type { PB_VARINT, PB_FIXED64, PB_BYTES, PB_FIXED32 = 5 } pb_type;

/* A field of a message. Zero-initialise before the first field of a message. */
typedef struct pb_field {
    uint32_t number;
    pb_type type;
    uint64_t value; /* the number, or the length of the bytes */
    uint64_t end;   /* offset of the next field; bytes that were not read are skipped */
} pb_field;

/* Return the number of bytes read. */
static inline uint64_t pb_offset(const pb_wire *wire)
{
    return wire->before + (uint64_t)(wire->cursor - wire->start);
}

/* Read the next field of a message that ends at offset `end` (UINT64_MAX: at the end of the input).
 * Return false at the end of the message, or after setting wire->fault. */
bool pb_next(pb_wire *wire, uint64_t end, pb_field *field);
/* Read a number that ends at offset `end` at the latest. Return false after setting wire->fault. */
bool pb_number(pb_wire *wire, uint64_t end, uint64_t *value);
/* Read the next number of a repeated field, which has either one number or a packed list of
 * numbers. Return false after the last number. Any other type of field is damage. */
bool pb_repeated(pb_wire *wire, pb_field *field, uint64_t *value);
/* Return the first `most` bytes of the field's value, or all if it is shorter. They are valid until
 * the next read. */
mp_slice pb_text(pb_wire *wire, const pb_field *field, size_t most);
/* A damaged message ends at `end`. Skip its remaining bytes. */
void pb_resume(pb_wire *wire, uint64_t end);
