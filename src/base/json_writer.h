/* A streaming JSON writer that keeps nothing in memory. The output is either readable, with one
 * member per line and two spaces per level, or has no whitespace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

typedef struct mp_json {
    FILE *file;             /* NULL: only the length is measured */
    mp_text_buffer *buffer; /* second destination; NULL: none */
    size_t length;          /* number of bytes written */
    bool readable;
    bool lines;   /* each member of the outermost object gets its own line, unless `readable` */
    bool in_page; /* the JSON is inside an HTML element, and no text in it may close that element */
    bool begun;   /* the innermost open array or object has a member */
    unsigned depth; /* number of open arrays and objects */
} mp_json;

/* Write the name of a member. Its value must follow. */
void mp_json_name(mp_json *json, const char *name);
/* Start the next element of an array. Its value must follow. */
void mp_json_next(mp_json *json);
void mp_json_open(mp_json *json, char bracket);
void mp_json_close(mp_json *json, char bracket);

/* Write a string; `text` is UTF-8. */
void mp_json_put_text(mp_json *json, const char *text, size_t length);
void mp_json_put_number(mp_json *json, int64_t number);
/* Write a number, "true", "false" or "null" literally. */
void mp_json_put_word(mp_json *json, const char *word);

/* Write a member of an object: name and value. */
void mp_json_text(mp_json *json, const char *name, const char *text);
void mp_json_number(mp_json *json, const char *name, int64_t number);
void mp_json_word(mp_json *json, const char *name, const char *word);
void mp_json_flag(mp_json *json, const char *name, bool flag);
/* Open a member that is an array or an object. Close it with mp_json_close. */
void mp_json_open_member(mp_json *json, const char *name, char bracket);
