/* A cursor over JSON text that is read from an input in one pass, byte by byte, so that memory use
 * depends neither on the length of a line nor on that of the text.
 *
 * The functions skip white space before what they read. They check only what they read: a value
 * that is skipped may be malformed inside. After a function returned false, the cursor is at the
 * byte that it did not expect; mp_scan_peek shows if that is the end of the input. */
#pragma once

#include "base/text.h"
#include "input/input.h"

/* Take a token from a text in memory, with the white space before it. Return false, and leave the
 * token, if it is not next. */
bool mp_json_take(mp_slice *text, const char *token);
/* Return true if a text begins with these tokens. NULL ends the list. */
bool mp_json_begins(mp_slice text, const char *const *tokens);

typedef struct mp_json_cursor {
    mp_input *input;
    const char *start, *next,
        *end;                  /* bytes of the window; the bytes before `next` are already read */
    bool first;                /* the byte before is an opening bracket */
    bool bad;                  /* an array or object is malformed */
    mp_text_buffer name, text; /* of the last member, and of the last string */
} mp_json_cursor;

/* Return a cursor at the first byte that is not consumed. The input must outlive it. */
mp_json_cursor mp_scan_open(mp_input *input);
/* Consume the bytes that were read, and release the texts. */
void mp_scan_close(mp_json_cursor *json);
/* Return the number of bytes read. */
uint64_t mp_scan_offset(const mp_json_cursor *json);

/* Get more bytes. Return false at the end of the input. */
bool mp_scan_refill(mp_json_cursor *json);

/* Return the next byte, white space included, without reading it; -1: the input has ended. */
static inline int mp_scan_byte(mp_json_cursor *json)
{
    return json->next < json->end || mp_scan_refill(json) ? (unsigned char)*json->next : -1;
}

/* Return the next byte that is not white space, without reading it; -1: the input has ended. */
static inline int mp_scan_peek(mp_json_cursor *json)
{
    int byte = mp_scan_byte(json);
    while (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t') {
        json->next++;
        byte = mp_scan_byte(json);
    }
    return byte;
}

/* Read this byte if it is next. */
static inline bool mp_scan_take(mp_json_cursor *json, char byte)
{
    if (mp_scan_peek(json) != (unsigned char)byte)
        return false;
    json->next++;
    return true;
}

/* Read a number that has only digits. Return false if there is none, or it exceeds 64 bits. */
static inline bool mp_scan_unsigned(mp_json_cursor *json, uint64_t *value)
{
    int byte = mp_scan_peek(json);
    uint64_t number = 0;
    if (byte < '0' || byte > '9')
        return false;
    for (; byte >= '0' && byte <= '9'; byte = mp_scan_byte(json)) {
        const unsigned digit = (unsigned)byte - '0';
        if (number > (UINT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
        json->next++;
    }
    *value = number;
    return true;
}

/* Read the opening bracket of an array or object. */
static inline bool mp_scan_enter(mp_json_cursor *json, char open)
{
    return json->first = mp_scan_take(json, open);
}

/* Move to the next element of an array or member of an object, after mp_scan_enter or the element
 * before it. At the end, read the closing bracket and return false. If the text is malformed, set
 * json->bad and return false, with json->next at the unexpected byte. */
bool mp_scan_more(mp_json_cursor *json, char close);

/* Move to the next element of an array of numbers that have only digits, and read it. Results are
 * those of mp_scan_more; an element that is no such number is malformed. */
static inline bool mp_scan_more_numbers(mp_json_cursor *json, uint64_t *value)
{
    enum { WHOLE = 32, MOST_DIGITS = 18 };
    const char *next = json->next;
    if (!json->first && json->end - next >= WHOLE) { /* as V8 writes it: "\n,123" */
        next += *next == '\n';
        const char *digits = next + 1;
        uint64_t number = 0;
        if (*next == ',')
            for (next = digits; *next >= '0' && *next <= '9' && next - digits < MOST_DIGITS; next++)
                number = number * 10 + (uint64_t)(*next - '0');
        if (next > digits && (*next < '0' || *next > '9')) {
            json->next = next;
            *value = number;
            return true;
        }
    }
    if (!mp_scan_more(json, ']'))
        return false;
    json->bad = !mp_scan_unsigned(json, value);
    return !json->bad;
}

/* Read a string into json->text, with escapes resolved: at most MP_LONGEST_NAME bytes, whole
 * characters. Halves of surrogate pairs and NUL become U+FFFD. Return false if the value is not a
 * string, has a bad escape or a control character, or does not end. */
bool mp_scan_text(mp_json_cursor *json);
/* Read a string that is not wanted, with the same result. */
bool mp_scan_skip_text(mp_json_cursor *json);

/* Move to the next member of an object as mp_scan_more does, and read its name into json->name, and
 * the colon after it. */
bool mp_scan_member(mp_json_cursor *json);

/* Skip `count` commas and everything before them. It is for an array of numbers that was read
 * before, so nothing is checked. Return false if the input ends first. */
bool mp_scan_skip_commas(mp_json_cursor *json, uint64_t count);
/* Skip everything up to this byte, and the byte. Return false if the input ends first. */
bool mp_scan_skip_past(mp_json_cursor *json, char byte);

/* Skip a value of any kind and depth. Return false if the input ends inside it. */
bool mp_scan_skip(mp_json_cursor *json);
