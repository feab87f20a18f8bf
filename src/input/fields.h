/* Fields: a cursor over one line of blank-separated numbers and quoted strings, as ABL's EXPORT
 * writes them and IMPORT reads them.
 *
 * Every function returns false, and leaves the cursor at the offending field, where the field is
 * not of its kind. "?" is nil: 0, or the empty string. */
#ifndef MP_INPUT_FIELDS_H
#define MP_INPUT_FIELDS_H

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

/* Over blanks and tabs, to the next field or the end. */
static inline void mp_fields_skip(mp_fields *fields)
{
    while (fields->cursor < fields->end && mp_is_gap(*fields->cursor))
        fields->cursor++;
}

/* The next word whatever it is; empty at the end. */
mp_slice mp_field_word(mp_fields *fields);

/* `count` whole numbers; the hot path of every reader. A negative number comes as two's complement.
 * Returns how many were read: fewer than `count` where one is not a number of 64 bits. */
size_t mp_fields_numbers(mp_fields *fields, uint64_t *values, size_t count);

bool mp_field_unsigned(mp_fields *fields, uint64_t *value);
bool mp_field_signed(mp_fields *fields, int64_t *value);

/* A decimal with at most `digits` digits behind its point, exact: 0.003155 with 6 is 3155. More
 * digits are rounded to even. The point may be a comma. */
bool mp_field_decimal(mp_fields *fields, int digits, int64_t *value);

/* A quoted string, its doubled quotes made single, or a bare word. Borrows from the line or, where
 * a quote was doubled, from `scratch`. */
bool mp_field_text(mp_fields *fields, mp_arena *scratch, mp_slice *text);

/* Nothing but blanks left. */
static inline bool mp_fields_end(mp_fields *fields)
{
    mp_fields_skip(fields);
    return fields->cursor == fields->end;
}
/* Return the text at the cursor, cut to a length that fits a message. */
mp_slice mp_fields_rest(const mp_fields *fields);

#endif
