/* Lines of a policy, word by word. */
#ifndef MP_COMPARE_POLICY_TOKENS_H
#define MP_COMPARE_POLICY_TOKENS_H

#include "base/memory.h"
#include "base/slice.h"

typedef enum mp_token_kind {
    MP_TOKEN_END,    /* end of the line, or a comment */
    MP_TOKEN_WORD,   /* letters and underscores */
    MP_TOKEN_NUMBER, /* digits, perhaps a point and digits */
    MP_TOKEN_STRING, /* in double quotes; closed */
    MP_TOKEN_OPEN,   /* a string that nothing closes */
    MP_TOKEN_SIGN,   /* comparisons, + - % : */
    MP_TOKEN_OTHER,  /* one character that has no place in a policy */
} mp_token_kind;

typedef struct mp_token {
    mp_token_kind kind;
    mp_slice text; /* as written, quotes included */
} mp_token;

/* Behind it. */
const char *mp_token_end(mp_token token);
/* The token at or behind `cursor`, which lies in the line. The line is UTF-8. */
mp_token mp_token_at(mp_slice line, const char *cursor);
/* Return true if the token is this word (ignoring case) or sign. */
bool mp_token_is(mp_token token, const char *text);
/* Return the text between the quotes, with \" as a quote; other backslashes belong to the glob. */
const char *mp_token_string(mp_arena *arena, mp_token token);
/* A number as millionths: "1.25" as 1250000. Gives what is wrong with it, or NULL. */
const char *mp_token_millionths(mp_token number, int64_t *millionths);

#endif
