#include "input/fields.h"

#include <string.h>

static bool at_field_end(const char *p, const char *end)
{
    return p == end || mp_is_gap(*p);
}

mp_slice mp_field_word(mp_fields *fields)
{
    mp_fields_skip(fields);
    const char *start = fields->cursor;
    while (!at_field_end(fields->cursor, fields->end))
        fields->cursor++;
    return (mp_slice){start, (size_t)(fields->cursor - start)};
}

static bool nil(mp_fields *fields)
{
    if (fields->cursor < fields->end && *fields->cursor == '?' &&
        at_field_end(fields->cursor + 1, fields->end)) {
        fields->cursor++;
        return true;
    }
    return false;
}

/* Read digits. Return false if there is none, or if the number exceeds `limit`. */
static bool digits(const char **cursor, const char *end, uint64_t limit, uint64_t *value)
{
    const char *p = *cursor;
    uint64_t sum = 0;
    unsigned digit;
    for (; p < end && (digit = (unsigned)(*p - '0')) < 10; p++) {
        if (sum > limit / 16 && sum > (limit - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    bool any = p > *cursor;
    *cursor = p;
    *value = sum;
    return any;
}

bool mp_field_unsigned(mp_fields *fields, uint64_t *value)
{
    mp_fields_skip(fields);
    *value = 0;
    if (nil(fields))
        return true;
    const char *p = fields->cursor;
    if (!digits(&p, fields->end, UINT64_MAX, value) || !at_field_end(p, fields->end))
        return false;
    fields->cursor = p;
    return true;
}

bool mp_field_signed(mp_fields *fields, int64_t *value)
{
    mp_fields_skip(fields);
    *value = 0;
    if (nil(fields))
        return true;
    const char *p = fields->cursor;
    bool negative = p < fields->end && *p == '-';
    uint64_t magnitude;
    p += negative;
    if (!digits(&p, fields->end, INT64_MAX, &magnitude) || !at_field_end(p, fields->end))
        return false;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    fields->cursor = p;
    return true;
}

size_t mp_fields_numbers(mp_fields *fields, uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *p = fields->cursor, *end = fields->end;
        if (p < end && *p == ' ')
            p++;
        const char *first = p;
        uint64_t sum = 0;
        unsigned digit;
        while (p < end && (digit = (unsigned)(*p - '0')) < 10) {
            sum = sum * 10 + digit;
            p++;
        }
        /* 19 digits cannot overflow; unusual fields take the slow path. */
        if (p > first && p - first <= 19 && (p == end || *p == ' ')) {
            fields->cursor = p;
            values[i] = sum;
            continue;
        }
        int64_t negative;
        if (mp_field_unsigned(fields, &values[i]))
            continue;
        if (!mp_field_signed(fields, &negative))
            return i;
        values[i] = (uint64_t)negative;
    }
    return count;
}

/* Read a number in its usual form: digits, a point, and exactly `places` digits. Return false for
 * any other form. */
static bool plain_decimal(mp_fields *fields, int places, int64_t *value)
{
    const char *p = fields->cursor, *end = fields->end;
    uint64_t sum = 0;
    unsigned digit;
    for (; p < end && (digit = (unsigned)(*p - '0')) < 10; p++)
        sum = sum * 10 + digit;
    const char *point = p;
    if (p == fields->cursor || p == end || *p != '.')
        return false;
    for (p++; p < end && (digit = (unsigned)(*p - '0')) < 10; p++)
        sum = sum * 10 + digit;
    /* 17 digits cannot overflow. */
    if (p - point - 1 != places || p - fields->cursor > 18 || !at_field_end(p, end))
        return false;
    *value = (int64_t)sum;
    fields->cursor = p;
    return true;
}

bool mp_field_decimal(mp_fields *fields, int places, int64_t *value)
{
    mp_fields_skip(fields);
    *value = 0;
    if (plain_decimal(fields, places, value) || nil(fields))
        return true;
    const char *p = fields->cursor;
    bool negative = p < fields->end && *p == '-';
    p += negative;
    uint64_t whole = 0, limit = INT64_MAX / 10;
    bool any = digits(&p, fields->end, limit, &whole);
    bool point = p < fields->end && (*p == '.' || *p == ',');
    unsigned first_dropped = 0;
    bool more_dropped = false;
    p += point;
    for (int place = 0; place < places || (point && !at_field_end(p, fields->end)); place++) {
        unsigned digit = 0;
        if (point && !at_field_end(p, fields->end)) {
            digit = (unsigned)(*p++ - '0');
            if (digit > 9)
                return false;
            any = true;
        }
        if (place < places) {
            if (whole > (limit - digit) / 10)
                return false;
            whole = whole * 10 + digit;
        } else if (place == places) {
            first_dropped = digit;
        } else {
            more_dropped |= digit != 0;
        }
    }
    if (first_dropped > 5 || (first_dropped == 5 && (more_dropped || whole % 2)))
        whole++;
    if (!any || !at_field_end(p, fields->end))
        return false;
    *value = negative ? -(int64_t)whole : (int64_t)whole;
    fields->cursor = p;
    return true;
}

/* Return the text of a quoted string with its doubled quotes made single. */
static mp_slice undouble(mp_arena *scratch, const char *from, const char *to)
{
    char *out = mp_arena_alloc(scratch, (size_t)(to - from) + 1);
    size_t length = 0;
    for (const char *p = from; p < to; p++) {
        out[length++] = *p;
        if (*p == '"')
            p++;
    }
    return (mp_slice){out, length};
}

bool mp_field_text(mp_fields *fields, mp_arena *scratch, mp_slice *text)
{
    mp_fields_skip(fields);
    *text = (mp_slice){"", 0};
    if (nil(fields))
        return true;
    const char *p = fields->cursor, *end = fields->end;
    if (p == end)
        return false;
    if (*p != '"') {
        while (!at_field_end(p, end))
            p++;
        *text = (mp_slice){fields->cursor, (size_t)(p - fields->cursor)};
        fields->cursor = p;
        return true;
    }
    bool doubled = false;
    const char *from = ++p;
    for (;; p += 2) {
        p = memchr(p, '"', (size_t)(end - p));
        if (!p)
            return false;
        if (p + 1 == end || p[1] != '"')
            break;
        doubled = true;
    }
    if (!at_field_end(p + 1, end))
        return false;
    *text = doubled ? undouble(scratch, from, p) : (mp_slice){from, (size_t)(p - from)};
    fields->cursor = p + 1;
    return true;
}

mp_slice mp_fields_rest(const mp_fields *fields)
{
    size_t length = (size_t)(fields->end - fields->cursor);
    return (mp_slice){fields->cursor, length < 40 ? length : 40};
}
