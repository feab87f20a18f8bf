#include "base/json_writer.h"

#include <string.h>

static void put(mp_json *json, const char *text, size_t length)
{
    json->length += length;
    if (json->file)
        fwrite_unlocked(text, 1, length, json->file); /* the stream is used by this thread only */
    if (json->buffer)
        mp_text_put(json->buffer, text, length);
}

void mp_json_next(mp_json *json)
{
    static const char gap[] = ",\n                                ";
    const size_t blanks = sizeof gap - 3;
    bool breaks = json->readable || (json->lines && json->begun && json->depth == 1);
    size_t left = json->readable ? 2 * (size_t)json->depth : 0,
           some = left < blanks ? left : blanks;
    put(json, gap + !json->begun, json->begun + breaks + (breaks ? some : 0));
    for (left -= some; left; left -= some) {
        some = left < blanks ? left : blanks;
        put(json, gap + 2, some);
    }
    json->begun = true;
}

void mp_json_name(mp_json *json, const char *name)
{
    mp_json_next(json);
    mp_json_put_text(json, name, strlen(name));
    mp_json_put_word(json, json->readable ? ": " : ":");
}

void mp_json_open(mp_json *json, char bracket)
{
    put(json, &bracket, 1);
    json->depth++;
    json->begun = false;
}

void mp_json_close(mp_json *json, char bracket)
{
    json->depth--;
    json->begun = false;
    if (json->readable)
        mp_json_next(json); /* bracket on its own line, even without members */
    json->begun = true;
    put(json, &bracket, 1);
}

/* Return the end of the leading characters that need no escape in any context. The set is small so
 * that the test is fast. */
static const char *plain_end(const char *text, const char *end)
{
    while (text < end && *text >= ' ' && *text < 127 && *text != '"' && *text != '\\' &&
           *text != '<')
        text++;
    return text;
}

/* Write a string. Invisible characters are escaped, so that terminals ignore them; programs that
 * parse the JSON get the original characters. */
void mp_json_put_text(mp_json *json, const char *text, size_t length)
{
    static const char named[] = "\b\n\r\t\f\"\\", letters[] = "bnrtf\"\\";
    const char *end = text + length, *plain = text; /* start of the text not yet written */
    char escape[16];
    put(json, "\"", 1);
    for (size_t width; (text = plain_end(text, end)) < end; text += width + !width) {
        uint32_t code = mp_text_hidden(text, end, &width);
        bool ends_page = json->in_page && *text == '<';
        if (code == MP_SEEN && *text != '"' && *text != '\\' && !ends_page)
            continue;
        if (ends_page)
            code = '<';
        const char *found = *text ? strchr(named, *text) : NULL;
        put(json, plain, (size_t)(text - plain));
        if (found)
            snprintf(escape, sizeof escape, "\\%c", letters[found - named]);
        else if (code >= 0x10000)
            snprintf(escape, sizeof escape, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10 & 0x7ff),
                     0xdc00 + (code & 0x3ff));
        else
            snprintf(escape, sizeof escape, "\\u%04x", code & 0xffff);
        mp_json_put_word(json, escape);
        plain = text + width + !width;
    }
    put(json, plain, (size_t)(end - plain));
    put(json, "\"", 1);
}

void mp_json_put_number(mp_json *json, int64_t number)
{
    char text[24], *cursor = text + sizeof text;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        *--cursor = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        *--cursor = '-';
    put(json, cursor, (size_t)(text + sizeof text - cursor));
}

void mp_json_put_word(mp_json *json, const char *word)
{
    put(json, word, strlen(word));
}

void mp_json_text(mp_json *json, const char *name, const char *text)
{
    mp_json_name(json, name);
    mp_json_put_text(json, text, strlen(text));
}

void mp_json_number(mp_json *json, const char *name, int64_t number)
{
    mp_json_name(json, name);
    mp_json_put_number(json, number);
}

void mp_json_word(mp_json *json, const char *name, const char *word)
{
    mp_json_name(json, name);
    mp_json_put_word(json, word);
}

void mp_json_flag(mp_json *json, const char *name, bool flag)
{
    mp_json_word(json, name, flag ? "true" : "false");
}

void mp_json_open_member(mp_json *json, const char *name, char bracket)
{
    mp_json_name(json, name);
    mp_json_open(json, bracket);
}
