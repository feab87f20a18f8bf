#include "input/json_cursor.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

bool mp_json_take(mp_slice *text, const char *token)
{
    const size_t length = strlen(token);
    while (text->length && text->start[0] && strchr(" \t\r\n", text->start[0]))
        *text = (mp_slice){text->start + 1, text->length - 1};
    if (!mp_slice_starts(*text, token))
        return false;
    *text = (mp_slice){text->start + length, text->length - length};
    return true;
}

bool mp_json_begins(mp_slice text, const char *const *tokens)
{
    while (*tokens && mp_json_take(&text, *tokens))
        tokens++;
    return !*tokens;
}

mp_json_cursor mp_scan_open(mp_input *input)
{
    return (mp_json_cursor){.input = input};
}

static void consume(mp_json_cursor *json)
{
    mp_input_consume(json->input, (size_t)(json->next - json->start));
    json->start = json->next = json->end = NULL;
}

void mp_scan_close(mp_json_cursor *json)
{
    consume(json);
    free(json->name.text);
    free(json->text.text);
    json->name = json->text = (mp_text_buffer){0};
}

uint64_t mp_scan_offset(const mp_json_cursor *json)
{
    return mp_input_bytes(json->input) + (uint64_t)(json->next - json->start);
}

bool mp_scan_refill(mp_json_cursor *json)
{
    consume(json);
    const mp_slice bytes = mp_input_at_hand(json->input, 1);
    json->start = json->next = bytes.start;
    json->end = bytes.start + bytes.length;
    return bytes.length > 0;
}

bool mp_scan_more(mp_json_cursor *json, char close)
{
    const bool begins = json->first;
    json->first = false;
    if (mp_scan_take(json, close))
        return false;
    json->bad = !begins && !mp_scan_take(json, ',');
    return !json->bad;
}

/* --- strings --- */

enum { REPLACEMENT = 0xfffd };

/* Text of a string that is being read. */
typedef struct decoded {
    mp_text_buffer *buffer; /* NULL: the text is not wanted */
    size_t most;            /* maximum length; after the text was cut, its length */
} decoded;

static void put_character(decoded *text, uint32_t character)
{
    char bytes[4];
    const size_t length =
        (size_t)utf8proc_encode_char((utf8proc_int32_t)character, (utf8proc_uint8_t *)bytes);
    if (text->buffer && text->buffer->length + length <= text->most)
        mp_text_put(text->buffer, bytes, length);
    else if (text->buffer)
        text->most = text->buffer->length;
}

/* Read four hexadecimal digits. */
static bool take_unit(mp_json_cursor *json, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, json->next++) {
        const int byte = mp_scan_byte(json), letter = byte | 0x20;
        if (byte >= '0' && byte <= '9')
            *unit = *unit << 4 | (uint32_t)(byte - '0');
        else if (byte > 0 && letter >= 'a' && letter <= 'f')
            *unit = *unit << 4 | (uint32_t)(letter - 'a' + 10);
        else
            return false;
    }
    return true;
}

static bool is_high(uint32_t unit)
{
    return unit >> 10 == 0xd800 >> 10;
}

static bool is_low(uint32_t unit)
{
    return unit >> 10 == 0xdc00 >> 10;
}

/* Read an escape after its backslash. *high is the first half of a surrogate pair that waits for
 * the second half; 0: none. */
static bool take_escape(mp_json_cursor *json, decoded *text, uint32_t *high)
{
    static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const int byte = mp_scan_byte(json);
    const char *letter = byte > 0 ? strchr(letters, byte) : NULL;
    uint32_t unit;
    if (letter)
        unit = (unsigned char)values[letter - letters];
    else if (byte != 'u')
        return false;
    json->next++;
    if (!letter && !take_unit(json, &unit))
        return false;
    if (*high && is_low(unit))
        unit = 0x10000 + ((*high & 0x3ff) << 10) + (unit & 0x3ff);
    else if (*high)
        put_character(text, REPLACEMENT);
    *high = is_high(unit) ? unit : 0;
    if (!*high)
        put_character(text, !unit || is_low(unit) ? REPLACEMENT : unit);
    return true;
}

/* Read bytes that need no decoding. */
static void take_plain(mp_json_cursor *json, decoded *text)
{
    const char *from = json->next;
    while (json->next < json->end && *json->next != '"' && *json->next != '\\' &&
           (unsigned char)*json->next >= ' ')
        json->next++;
    size_t length = (size_t)(json->next - from);
    if (!text->buffer)
        return;
    const size_t room = text->most - text->buffer->length;
    mp_text_put(text->buffer, from, length < room ? length : room);
}

/* Remove a character at the end of a text that was cut, because it may be incomplete. */
static void drop_part(const decoded *text)
{
    mp_text_buffer *buffer = text->buffer;
    if (!buffer || buffer->length < text->most)
        return;
    while (buffer->length && (buffer->text[buffer->length - 1] & 0xc0) == 0x80)
        buffer->length--;
    buffer->length -= buffer->length > 0;
}

/* Read a string into the buffer; NULL: nowhere. */
static bool read_string(mp_json_cursor *json, mp_text_buffer *buffer)
{
    uint32_t high = 0;
    decoded text = {buffer, MP_LONGEST_NAME};
    if (buffer)
        buffer->length = 0;
    if (!mp_scan_take(json, '"'))
        return false;
    for (;;) {
        const int byte = mp_scan_byte(json);
        if (byte < ' ') /* also a line break: the quote at the end of the string was lost */
            return false;
        if (byte == '\\') {
            json->next++;
            if (!take_escape(json, &text, &high))
                return false;
            continue;
        }
        if (high)
            put_character(&text, REPLACEMENT);
        high = 0;
        if (byte == '"') {
            json->next++;
            drop_part(&text);
            return true;
        }
        take_plain(json, &text);
    }
}

bool mp_scan_text(mp_json_cursor *json)
{
    return read_string(json, &json->text);
}

bool mp_scan_skip_text(mp_json_cursor *json)
{
    return read_string(json, NULL);
}

bool mp_scan_member(mp_json_cursor *json)
{
    if (!mp_scan_more(json, '}'))
        return false;
    json->bad = !read_string(json, &json->name) || !mp_scan_take(json, ':');
    return !json->bad;
}

/* --- values that are skipped --- */

/* Skip a number, true, false or null. */
static bool skip_word(mp_json_cursor *json)
{
    bool any = false;
    for (int byte = mp_scan_peek(json); byte > ' ' && !strchr(",:]}[{\"", byte);
         byte = mp_scan_byte(json)) {
        json->next++;
        any = true;
    }
    return any;
}

/* Inside an array or object, skip up to a string, a bracket, NUL or the end of the window. */
static void skip_inside(mp_json_cursor *json)
{
    static const bool stops[UCHAR_MAX + 1] = {
        ['\0'] = true, ['"'] = true, ['['] = true, [']'] = true, ['{'] = true, ['}'] = true};
    while (json->next < json->end && !stops[(unsigned char)*json->next])
        json->next++;
}

bool mp_scan_skip(mp_json_cursor *json)
{
    uint64_t depth = 0;
    do {
        const int byte = mp_scan_peek(json);
        if (byte < 0)
            return false;
        if (byte == '"') {
            if (!mp_scan_skip_text(json))
                return false;
        } else if (byte == '[' || byte == '{') {
            depth++;
            json->next++;
        } else if ((byte == ']' || byte == '}') && depth) {
            depth--;
            json->next++;
        } else if (depth && byte) {
            skip_inside(json);
        } else if (!skip_word(json)) {
            return false;
        }
    } while (depth);
    return true;
}

/* --- arrays of numbers that are skipped --- */

bool mp_scan_skip_commas(mp_json_cursor *json, uint64_t count)
{
    enum { BLOCK = 128 }; /* constant, so that the compiler uses vectors */
    while (count) {
        if (json->next == json->end && !mp_scan_refill(json))
            return false;
        while (json->end - json->next >= BLOCK) {
            unsigned char commas = 0;
            for (size_t i = 0; i < BLOCK; i++)
                commas = (unsigned char)(commas + (json->next[i] == ','));
            if (commas >= count)
                break;
            count -= commas;
            json->next += BLOCK;
        }
        for (; count && json->next < json->end; json->next++)
            count -= *json->next == ',';
    }
    return true;
}

bool mp_scan_skip_past(mp_json_cursor *json, char byte)
{
    while (json->next < json->end || mp_scan_refill(json)) {
        const char *found = memchr(json->next, byte, (size_t)(json->end - json->next));
        json->next = found ? found + 1 : json->end;
        if (found)
            return true;
    }
    return false;
}
