/* JSON as it is made: nothing of it is held. Readable, a member a line and two blanks a level, or
 * with no blanks at all. */
#ifndef MP_BASE_JSON_WRITER_H
#define MP_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

typedef struct mp_json {
    FILE *file;             /* NULL: it is measured, and not written */
    mp_text_buffer *buffer; /* in which it stands, too; NULL: none */
    size_t length;          /* number of bytes written */
    bool readable;
    bool lines;     /* members of the outermost object get a line each, unless `readable` */
    bool in_page;   /* it stands in an element of HTML, which a text must not end */
    bool begun;     /* the innermost array or object that is open has something in it */
    unsigned depth; /* how many are open */
} mp_json;

/* A value stands alone, in an array, or behind its name in an object. */
void mp_json_name(mp_json *json, const char *name);
/* In an array, before each value. */
void mp_json_next(mp_json *json);
void mp_json_open(mp_json *json, char bracket);
void mp_json_close(mp_json *json, char bracket);

/* UTF-8. */
void mp_json_put_text(mp_json *json, const char *text, size_t length);
void mp_json_put_number(mp_json *json, int64_t number);
/* A number, "true", "false" or "null" as it is. */
void mp_json_put_word(mp_json *json, const char *word);

/* Members of an object: a name and its value. */
void mp_json_text(mp_json *json, const char *name, const char *text);
void mp_json_number(mp_json *json, const char *name, int64_t number);
void mp_json_word(mp_json *json, const char *name, const char *word);
void mp_json_flag(mp_json *json, const char *name, bool flag);
/* Begin a member that is an array or an object; mp_json_close ends it. */
void mp_json_open_member(mp_json *json, const char *name, char bracket);

#endif
