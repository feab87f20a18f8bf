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

const char *mp_token_end(mp_token token)
{
    return token.text.start + token.text.length;
}

mp_token mp_token_at(mp_slice line, const char *cursor)
{
    const char *end = line.start + line.length;
    while (cursor < end && (*cursor == ' ' || *cursor == '\t'))
        cursor++;
    mp_token_kind kind = MP_TOKEN_OTHER;
    const char *p = cursor;
    if (cursor == end || *cursor == '#') {
        kind = MP_TOKEN_END;
    } else if (is_digit(*cursor)) {
        kind = MP_TOKEN_NUMBER;
        while (p < end && is_digit(*p))
            p++;
        if (p + 1 < end && *p == '.' && is_digit(p[1]))
            for (p++; p < end && is_digit(*p);)
                p++;
    } else if (is_letter(*cursor)) {
        kind = MP_TOKEN_WORD;
        while (p < end && is_letter(*p))
            p++;
    } else if (*cursor == '"') {
        for (p++; p < end && *p != '"'; p++)
            p += *p == '\\' && p + 1 < end;
        kind = p < end ? MP_TOKEN_STRING : MP_TOKEN_OPEN;
        p += p < end;
    } else if (*cursor && strchr("<>=+-%:", *cursor)) {
        kind = MP_TOKEN_SIGN;
        p += strchr("<>=", *cursor) && cursor + 1 < end && cursor[1] == '=' ? 2 : 1;
    } else {
        p += mp_utf8_length(cursor, end); /* the text is UTF-8 */
    }
    return (mp_token){kind, {cursor, (size_t)(p - cursor)}};
}

bool mp_token_is(mp_token token, const char *text)
{
    return (token.kind == MP_TOKEN_WORD || token.kind == MP_TOKEN_SIGN) &&
           mp_slice_is(token.text, text);
}

const char *mp_token_string(mp_arena *arena, mp_token token)
{
    char *text = mp_arena_copy(arena, token.text.start + 1, token.text.length - 2), *out = text;
    for (const char *cursor = text; *cursor; cursor++) {
        cursor += cursor[0] == '\\' && cursor[1] == '"';
        *out++ = *cursor;
    }
    *out = '\0';
    return text;
}

const char *mp_token_millionths(mp_token number, int64_t *millionths)
{
    enum { DECIMALS = 6, LARGEST = 1000000 };
    mp_slice text = number.text;
    const char *point = memchr(text.start, '.', text.length);
    size_t decimals = point ? (size_t)(mp_token_end(number) - point) - 1 : 0;
    int64_t value = 0;
    if (decimals > DECIMALS)
        return "too many decimals, expected at most six";
    for (size_t i = 0; i < text.length + DECIMALS - decimals; i++) {
        char digit = i < text.length ? text.start[i] : '0';
        if (digit != '.')
            value = value * 10 + (digit - '0');
        if (value > (int64_t)LARGEST * 1000000)
            return "the number is too large, expected at most 1000000";
    }
    *millionths = value;
    return NULL;
}
