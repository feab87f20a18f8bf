// JSON output: commas and indentation by themselves.
#ifndef GENERATOR_JSON_H
#define GENERATOR_JSON_H

#include "writer.h"

#include <stdint.h>

typedef struct Json {
    Writer *writer;
    int depth;
    bool comma; // something stands before on this level
    bool flat;  // on one line
} Json;

// A key of NULL is an element of an array.
void json_open(Json *json, const char *key, char bracket);
void json_close(Json *json, char bracket);
void json_number(Json *json, const char *key, int64_t number);
void json_seconds(Json *json, const char *key, int64_t microseconds);

// A quotient with nine decimals, rounded half up.
void json_ratio(Json *json, const char *key, int64_t dividend, int64_t divisor);
void json_null(Json *json, const char *key);
void json_text(Json *json, const char *key, const char *text);

#endif
