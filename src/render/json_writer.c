#include "render/json_writer.h"

#include <inttypes.h>
#include <string.h>

static void put(mp_json *json, const char *text, size_t length)
{
    json->length += length;
    if (json->file)
        fwrite(text, 1, length, json->file);
}

void mp_json_next(mp_json *json)
{
    static const char blanks[] = "                ";
    if (json->begun)
        put(json, ",", 1);
    if (json->readable || (json->lines && json->begun && json->depth == 1))
        put(json, "\n", 1);
    json->begun = true;
    for (size_t left = json->readable ? 2 * (size_t)json->depth : 0, some; left; left -= some) {
        some = left < sizeof blanks - 1 ? left : sizeof blanks - 1;
        put(json, blanks, some);
    }
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
        mp_json_next(json); /* the line of the bracket: also of an empty array */
    json->begun = true;
    put(json, &bracket, 1);
}

void mp_json_put_text(mp_json *json, const char *text, size_t length)
{
    static const char named[] = "\b\n\r\t\f\"\\", letters[] = "bnrtf\"\\";
    size_t plain = 0; /* where what is written as it is begins */
    char escape[8];
    put(json, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte >= ' ' && byte != '"' && byte != '\\')
            continue;
        const char *found = byte ? strchr(named, byte) : NULL;
        put(json, text + plain, i - plain);
        if (found)
            snprintf(escape, sizeof escape, "\\%c", letters[found - named]);
        else
            snprintf(escape, sizeof escape, "\\u%04x", byte);
        mp_json_put_word(json, escape);
        plain = i + 1;
    }
    put(json, text + plain, length - plain);
    put(json, "\"", 1);
}

void mp_json_put_number(mp_json *json, int64_t number)
{
    char text[24];
    put(json, text, (size_t)snprintf(text, sizeof text, "%" PRId64, number));
}

void mp_json_put_word(mp_json *json, const char *word)
{
    put(json, word, strlen(word));
}
