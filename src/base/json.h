/* json-c, with one difference: where there is no memory, its functions call the out-of-memory
 * handler. Its own answers, NULL and -1, would be asserted against by the next function or leave
 * something out. What it passes over itself, as a text that stops in its middle, is told by errno.
 */
#ifndef MP_BASE_JSON_H
#define MP_BASE_JSON_H

#include <errno.h>
#include <json-c/json.h>

#include "base/memory.h"

static inline struct json_object *mp_json_made(struct json_object *object)
{
    return object ? object : mp_out_of_memory();
}

static inline void mp_json_done(int status)
{
    if (status != 0)
        mp_out_of_memory();
}

static inline const char *mp_json_text(struct json_object *object, int how)
{
    errno = 0;
    const char *text = json_object_to_json_string_ext(object, how);
    return text && errno != ENOMEM ? text : mp_out_of_memory();
}

static inline struct json_tokener *mp_json_tokener(void)
{
    struct json_tokener *tokener = json_tokener_new();
    return tokener ? tokener : mp_out_of_memory();
}

/* NULL: this is no JSON. */
static inline struct json_object *mp_json_parsed(struct json_tokener *tokener, const char *text,
                                                 int length)
{
    errno = 0;
    struct json_object *object = json_tokener_parse_ex(tokener, text, length);
    return errno != ENOMEM ? object : mp_out_of_memory();
}

#define json_object_new_object() mp_json_made(json_object_new_object())
#define json_object_new_array() mp_json_made(json_object_new_array())
#define json_object_new_boolean(value) mp_json_made(json_object_new_boolean(value))
#define json_object_new_int(value) mp_json_made(json_object_new_int(value))
#define json_object_new_int64(value) mp_json_made(json_object_new_int64(value))
#define json_object_new_uint64(value) mp_json_made(json_object_new_uint64(value))
#define json_object_new_double(value) mp_json_made(json_object_new_double(value))
#define json_object_new_double_s(value, text) mp_json_made(json_object_new_double_s(value, text))
#define json_object_new_string(text) mp_json_made(json_object_new_string(text))
#define json_object_new_string_len(text, length)                                                   \
    mp_json_made(json_object_new_string_len(text, length))
#define json_object_object_add(object, name, value)                                                \
    mp_json_done(json_object_object_add(object, name, value))
#define json_object_array_add(list, value) mp_json_done(json_object_array_add(list, value))
#define json_object_to_json_string_ext(object, how) mp_json_text(object, how)
#define json_tokener_new() mp_json_tokener()
#define json_tokener_parse_ex(tokener, text, length) mp_json_parsed(tokener, text, length)

#endif
