/* Parsing of the description line. The part after the user resembles JSON but violates its rules:
 * it has raw backslashes before a closing quote, a duplicate key, and a nested object without its
 * first quote. So the parser only searches for known keys. */
#include "readers/prf.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "input/fields.h"

/* Return true if the text matches the pattern. '9' in the pattern matches any digit. */
static bool has_shape(mp_slice text, const char *pattern)
{
    if (text.length != strlen(pattern))
        return false;
    for (size_t i = 0; i < text.length; i++)
        if (pattern[i] == '9' ? !isdigit((unsigned char)text.start[i])
                              : text.start[i] != pattern[i])
            return false;
    return true;
}

bool prf_header_parse(mp_slice line, mp_arena *scratch, prf_header *header)
{
    mp_fields fields = mp_fields_of(mp_slice_without_mark(line));
    if (!mp_field_unsigned(&fields, &header->version) ||
        !mp_field_text(&fields, scratch, &header->date) || !has_shape(header->date, "99/99/9999") ||
        !mp_field_text(&fields, scratch, &header->description) ||
        !mp_field_text(&fields, scratch, &header->time) || !has_shape(header->time, "99:99:99") ||
        !mp_field_text(&fields, scratch, &header->user))
        return false;
    header->extra = (mp_slice){fields.cursor, (size_t)(fields.end - fields.cursor)};
    return true;
}

/* Return the text after the next `"key":` in `from`; empty if the key does not occur. */
static mp_slice behind_key(mp_slice from, const char *key)
{
    size_t length = strlen(key);
    const char *end = from.start + from.length;
    for (const char *p = from.start; p < end; p++) {
        p = memchr(p, '"', (size_t)(end - p));
        if (!p || (size_t)(end - p) < length + 3)
            break;
        if (memcmp(p + 1, key, length) == 0 && p[length + 1] == '"' && p[length + 2] == ':') {
            p += length + 3;
            while (p < end && *p == ' ')
                p++;
            return (mp_slice){p, (size_t)(end - p)};
        }
    }
    return (mp_slice){end, 0};
}

int64_t prf_header_total(mp_slice extra)
{
    mp_slice value = behind_key(extra, "TotTime");
    if (value.length && value.start[0] == '"')
        value = (mp_slice){value.start + 1, value.length - 1};
    size_t length = 0;
    bool point = false;
    for (; length < value.length; length++) {
        char c = value.start[length];
        /* A comma is a decimal sign only if it is between digits; otherwise the next key
         * follows. */
        bool comma = c == ',' && length + 1 < value.length &&
                     isdigit((unsigned char)value.start[length + 1]);
        if (!point && (c == '.' || comma))
            point = true;
        else if (!isdigit((unsigned char)c))
            break;
    }
    if (length < value.length && (value.start[length] == 'e' || value.start[length] == 'E'))
        return -1;
    mp_fields fields = mp_fields_of((mp_slice){value.start, length});
    int64_t total;
    return length && mp_field_decimal(&fields, 6, &total) ? total : -1;
}

int64_t prf_header_number(mp_slice extra, const char *key)
{
    mp_slice value = behind_key(extra, key);
    size_t length = 0;
    while (length < value.length && isdigit((unsigned char)value.start[length]))
        length++;
    mp_fields fields = mp_fields_of((mp_slice){value.start, length});
    int64_t number;
    return length && mp_field_signed(&fields, &number) ? number : -1;
}

mp_slice prf_header_text(mp_slice extra, const char *key)
{
    mp_slice found = {"", 0};
    mp_slice rest = behind_key(extra, key);
    while (rest.length) {
        if (rest.start[0] == '"') {
            const char *from = rest.start + 1, *end = rest.start + rest.length, *p = from;
            /* A backslash does not escape. A quote closes the string if a comma or a brace follows
             * it. */
            while ((p = memchr(p, '"', (size_t)(end - p))) && p + 1 < end && p[1] != ',' &&
                   p[1] != '}')
                p++;
            if (p && p > from)
                found = (mp_slice){from, (size_t)(p - from)};
        }
        rest = behind_key(rest, key);
    }
    return found;
}
