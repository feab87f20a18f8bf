#include "readers/pprof_wire.h"

enum { LONGEST_VARINT = 10 };

static bool fail(pb_wire *wire, pb_fault fault)
{
    if (wire->fault == PB_SOUND)
        wire->fault = fault;
    return false;
}

/* Make at least `least` bytes available, unless the input ends earlier. Return the number of
 * available bytes. */
static size_t fill(pb_wire *wire, size_t least)
{
    size_t have = (size_t)(wire->end - wire->cursor);
    if (have >= least)
        return have;
    mp_input_consume(wire->input, (size_t)(wire->cursor - wire->start));
    wire->before += (uint64_t)(wire->cursor - wire->start);
    mp_slice window = mp_input_at_hand(wire->input, least);
    wire->start = wire->cursor = (const unsigned char *)window.start;
    wire->end = wire->start + window.length;
    return window.length;
}

/* Move to an offset, which must not be before the current one. Return false if the input ends
 * before it. */
static bool skip(pb_wire *wire, uint64_t offset)
{
    uint64_t left = offset - pb_offset(wire);
    while (left) {
        const size_t have = fill(wire, 1);
        if (!have)
            return fail(wire, PB_TORN);
        const size_t step = left < have ? (size_t)left : have;
        wire->cursor += step;
        left -= step;
    }
    return true;
}

bool pb_number(pb_wire *wire, uint64_t end, uint64_t *value)
{
    const uint64_t room = end - pb_offset(wire);
    size_t have = fill(wire, room < LONGEST_VARINT ? (size_t)room : LONGEST_VARINT);
    const bool shortened = have > room;
    have = shortened ? (size_t)room : have;
    uint64_t number = 0;
    for (size_t i = 0; i < have && i < LONGEST_VARINT; i++) {
        const unsigned char byte = wire->cursor[i];
        number |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *value = number;
            wire->cursor += i + 1;
            return i < LONGEST_VARINT - 1 || byte <= 1 || fail(wire, PB_DAMAGED);
        }
    }
    return fail(wire, shortened || have >= LONGEST_VARINT || have == room ? PB_DAMAGED : PB_TORN);
}

/* Read a number of fixed size, little-endian. */
static bool fixed(pb_wire *wire, uint64_t end, size_t size, uint64_t *value)
{
    if (end - pb_offset(wire) < size)
        return fail(wire, PB_DAMAGED);
    if (fill(wire, size) < size)
        return fail(wire, PB_TORN);
    *value = 0;
    for (size_t i = size; i-- > 0;)
        *value = *value << 8 | wire->cursor[i];
    wire->cursor += size;
    return true;
}

/* Read the value of a field, or the length of the value. */
static bool read_value(pb_wire *wire, uint64_t end, pb_field *field)
{
    switch (field->type) {
    case PB_VARINT:
        return pb_number(wire, end, &field->value);
    case PB_FIXED64:
        return fixed(wire, end, 8, &field->value);
    case PB_FIXED32:
        return fixed(wire, end, 4, &field->value);
    case PB_BYTES:
        return pb_number(wire, end, &field->value) &&
               (field->value <= end - pb_offset(wire) || fail(wire, PB_DAMAGED));
    }
    return fail(wire, PB_DAMAGED);
}

bool pb_next(pb_wire *wire, uint64_t end, pb_field *field)
{
    uint64_t tag;
    if (wire->fault || (field->end && !skip(wire, field->end)))
        return false;
    if (pb_offset(wire) == end || (end == UINT64_MAX && !fill(wire, 1)))
        return false;
    if (!pb_number(wire, end, &tag))
        return false;
    *field = (pb_field){.number = (uint32_t)(tag >> 3), .type = (pb_type)(tag & 7)};
    if (tag >> 3 == 0 || tag > UINT32_MAX)
        return fail(wire, PB_DAMAGED);
    if (!read_value(wire, end, field))
        return false;
    field->end = pb_offset(wire) + (field->type == PB_BYTES ? field->value : 0);
    return true;
}

bool pb_repeated(pb_wire *wire, pb_field *field, uint64_t *value)
{
    if (wire->fault)
        return false;
    if (field->type == PB_BYTES)
        return pb_offset(wire) < field->end && pb_number(wire, field->end, value);
    if (field->type != PB_VARINT)
        return fail(wire, PB_DAMAGED);
    *value = field->value;
    const bool first = field->number != 0;
    field->number = 0; /* its value has been returned */
    return first;
}

mp_slice pb_text(pb_wire *wire, const pb_field *field, size_t most)
{
    const size_t wanted = field->value < most ? (size_t)field->value : most;
    if (field->type != PB_BYTES || fill(wire, wanted) < wanted) {
        fail(wire, field->type == PB_BYTES ? PB_TORN : PB_DAMAGED);
        return (mp_slice){"", 0};
    }
    return (mp_slice){(const char *)wire->cursor, wanted};
}

void pb_resume(pb_wire *wire, uint64_t end)
{
    if (wire->fault == PB_DAMAGED && end >= pb_offset(wire)) {
        wire->fault = PB_SOUND;
        skip(wire, end);
    }
}
