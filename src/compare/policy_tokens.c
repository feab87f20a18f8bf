#include "compare/policy_tokens.h"

#include <string.h>

#include "base/text.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

const char *mp_token_end(mp_token of)
{
    return of.text.at + of.text.length;
}

mp_token mp_token_at(mp_slice line, const char *at)
{
    const char *end = line.at + line.length;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    mp_token_kind kind = MP_TOKEN_OTHER;
    const char *p = at;
    if (at == end || *at == '#') {
        kind = MP_TOKEN_END;
    } else if (is_digit(*at)) {
        kind = MP_TOKEN_NUMBER;
        while (p < end && is_digit(*p))
            p++;
        if (p + 1 < end && *p == '.' && is_digit(p[1]))
            for (p++; p < end && is_digit(*p);)
                p++;
    } else if (is_letter(*at)) {
        kind = MP_TOKEN_WORD;
        while (p < end && is_letter(*p))
            p++;
    } else if (*at == '"') {
        for (p++; p < end && *p != '"'; p++)
            p += *p == '\\' && p + 1 < end;
        kind = p < end ? MP_TOKEN_STRING : MP_TOKEN_OPEN;
        p += p < end;
    } else if (*at && strchr("<>=+-%:", *at)) {
        kind = MP_TOKEN_SIGN;
        p += strchr("<>=", *at) && at + 1 < end && at[1] == '=' ? 2 : 1;
    } else {
        p += mp_utf8_length(at, end); /* the text is UTF-8 */
    }
    return (mp_token){kind, {at, (size_t)(p - at)}};
}

bool mp_token_is(mp_token of, const char *text)
{
    return (of.kind == MP_TOKEN_WORD || of.kind == MP_TOKEN_SIGN) && mp_slice_is(of.text, text);
}

const char *mp_token_string(mp_arena *arena, mp_token of)
{
    char *text = mp_arena_copy(arena, of.text.at + 1, of.text.length - 2), *out = text;
    for (const char *at = text; *at; at++) {
        at += at[0] == '\\' && at[1] == '"';
        *out++ = *at;
    }
    *out = '\0';
    return text;
}

const char *mp_token_millionths(mp_token number, int64_t *millionths)
{
    enum { DECIMALS = 6, LARGEST = 1000000 };
    mp_slice text = number.text;
    const char *point = memchr(text.at, '.', text.length);
    size_t decimals = point ? (size_t)(mp_token_end(number) - point) - 1 : 0;
    int64_t value = 0;
    if (decimals > DECIMALS)
        return "too many decimals, expected at most six";
    for (size_t i = 0; i < text.length + DECIMALS - decimals; i++) {
        char digit = i < text.length ? text.at[i] : '0';
        if (digit != '.')
            value = value * 10 + (digit - '0');
        if (value > (int64_t)LARGEST * 1000000)
            return "the number is too large, expected at most 1000000";
    }
    *millionths = value;
    return NULL;
}
