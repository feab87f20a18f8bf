/* Tokens of a policy. */
#pragma once

#include "base/memory.h"
#include "base/slice.h"

typedef enum mp_token_kind {
    MP_TOKEN_END,    /* end of the line, or start of a comment */
    MP_TOKEN_WORD,   /* letters and underscores */
    MP_TOKEN_NUMBER, /* digits, optionally a point and digits */
    MP_TOKEN_STRING, /* string in double quotes, with closing quote */
    MP_TOKEN_OPEN,   /* string without closing quote */
    MP_TOKEN_SIGN,   /* comparison operator, or one of + - % : */
    MP_TOKEN_OTHER,  /* character that is not valid in a policy */
} mp_token_kind;

typedef struct mp_token {
    mp_token_kind kind;
    mp_slice text; /* text as written, including quotes */
} mp_token;

/* Return the position after the token. */
const char *mp_token_end(mp_token token);
/* Return the first token at or after `cursor`, which must be within the line. The line must be
 * UTF-8. */
mp_token mp_token_at(mp_slice line, const char *cursor);
/* Return true if the token is this word (ignoring case) or sign. */
bool mp_token_is(mp_token token, const char *text);
/* Return the text between the quotes. \" becomes a quote; other backslashes belong to the glob. */
const char *mp_token_string(mp_arena *arena, mp_token token);
/* Convert a number to millionths: "1.25" to 1250000. Return NULL, or an error message. */
const char *mp_token_millionths(mp_token number, int64_t *millionths);
