/* Fields: a cursor over one line of blank-separated numbers and quoted strings, as ABL's EXPORT
 * writes and IMPORT reads them.
 *
 * If a field is not of the requested kind, every function returns false and leaves the cursor at
 * that field. "?" is nil and is read as 0 or the empty string. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/slice.h"

typedef struct mp_fields {
    const char *cursor, *end;
} mp_fields;

static inline mp_fields mp_fields_of(mp_slice line)
{
    return (mp_fields){line.start, line.start + line.length};
}

/* Return true for a character that separates fields. */
static inline bool mp_is_gap(char sign)
{
    return sign == ' ' || sign == '\t';
}

/* Skip blanks and tabs. */
static inline void mp_fields_skip(mp_fields *fields)
{
    while (fields->cursor < fields->end && mp_is_gap(*fields->cursor))
        fields->cursor++;
}

/* Return the next word of any kind; empty at the end of the line. */
mp_slice mp_field_word(mp_fields *fields);

/* Read `count` whole numbers; this is the hot path of every reader. A negative number is stored as
 * two's complement. Return how many were read; fewer than `count` if a field is not a 64-bit
 * number. */
size_t mp_fields_numbers(mp_fields *fields, uint64_t *values, size_t count);

/* Read a whole number of 64 bits; "?" is 0. Return false if the next field is none. */
bool mp_field_unsigned(mp_fields *fields, uint64_t *value);
bool mp_field_signed(mp_fields *fields, int64_t *value);

/* Read a decimal number multiplied by 10 to the power of `digits`: with 6, 0.003155 is 3155. The
 * result is exact; further decimals are rounded half to even. The point may be a comma. */
bool mp_field_decimal(mp_fields *fields, int digits, int64_t *value);

/* Read a quoted string or a bare word. Doubled quotes inside a quoted string become single. The
 * text borrows from the line, or from `scratch` if a quote was doubled. */
bool mp_field_text(mp_fields *fields, mp_arena *scratch, mp_slice *text);

/* Return true if only blanks are left. */
static inline bool mp_fields_end(mp_fields *fields)
{
    mp_fields_skip(fields);
    return fields->cursor == fields->end;
}
/* Return the text at the cursor, cut to a length that fits a message. */
mp_slice mp_fields_rest(const mp_fields *fields);
