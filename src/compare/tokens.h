/* The tokens of a line of a policy. */
#ifndef MP_COMPARE_TOKENS_H
#define MP_COMPARE_TOKENS_H

#include "base/text.h"

typedef enum mp_token_kind {
    MP_TOKEN_END,    /* of the line, or a comment */
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

/* The token at or behind `at`, which lies in `line`. */
mp_token mp_token_at(mp_slice line, const char *at);
/* Where the next one may begin. */
static inline const char *mp_token_end(mp_token token)
{
    return token.text.at + token.text.length;
}

/* Whether it is this word (case ignored) or sign. */
bool mp_token_is(mp_token token, const char *text);

/* What stands between the quotes, with \" as a quote, in the arena. */
const char *mp_token_string(mp_arena *arena, mp_token token);

#endif
