#include "json.h"

#include <stddef.h>

static void json_string(Json *json, const char *text)
{
    writer_char(json->writer, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            writer_char(json->writer, '\\');
        }
        writer_char(json->writer, *text);
    }
    writer_char(json->writer, '"');
}

static void json_indent(Json *json)
{
    if (json->flat) {
        return;
    }
    writer_end_line(json->writer);
    for (int i = 0; i < json->depth; i++) {
        writer_text(json->writer, "  ");
    }
}

static void json_begin(Json *json, const char *key)
{
    if (json->comma) {
        writer_text(json->writer, json->flat ? ", " : ",");
    }
    if (json->depth) {
        json_indent(json);
    }
    if (key) {
        json_string(json, key);
        writer_text(json->writer, ": ");
    }
    json->comma = true;
}

void json_open(Json *json, const char *key, char bracket)
{
    json_begin(json, key);
    writer_char(json->writer, bracket);
    json->depth++;
    json->comma = false;
}

void json_close(Json *json, char bracket)
{
    json->depth--;
    json_indent(json);
    writer_char(json->writer, bracket);
    json->comma = true;
    if (!json->depth) {
        writer_end_line(json->writer);
    }
}

void json_number(Json *json, const char *key, int64_t number)
{
    json_begin(json, key);
    writer_signed(json->writer, number);
}

void json_seconds(Json *json, const char *key, int64_t microseconds)
{
    json_begin(json, key);
    writer_seconds(json->writer, microseconds, '.');
}

void json_ratio(Json *json, const char *key, int64_t dividend, int64_t divisor)
{
    int64_t whole = dividend / divisor;
    int64_t rest = dividend % divisor;
    int64_t digits = 0;
    for (int i = 0; i < 9; i++) {
        rest *= 10;
        digits = digits * 10 + rest / divisor;
        rest %= divisor;
    }
    digits += rest * 2 >= divisor;
    if (digits == 1000000000) {
        whole++;
        digits = 0;
    }
    json_begin(json, key);
    writer_signed(json->writer, whole);
    writer_char(json->writer, '.');
    for (int64_t place = 100000000; place > 0; place /= 10) {
        writer_char(json->writer, (char)('0' + (char)(digits / place % 10)));
    }
}

void json_null(Json *json, const char *key)
{
    json_begin(json, key);
    writer_text(json->writer, "null");
}

void json_text(Json *json, const char *key, const char *text)
{
    json_begin(json, key);
    json_string(json, text);
}
