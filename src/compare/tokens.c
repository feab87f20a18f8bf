#include "compare/tokens.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static mp_token token(mp_token_kind kind, const char *start, const char *end)
{
    return (mp_token){kind, {start, (size_t)(end - start)}};
}

static mp_token number(const char *start, const char *end)
{
    const char *p = start;
    while (p < end && is_digit(*p))
        p++;
    if (p + 1 < end && *p == '.' && is_digit(p[1]))
        for (p++; p < end && is_digit(*p);)
            p++;
    return token(MP_TOKEN_NUMBER, start, p);
}

static mp_token string(const char *start, const char *end)
{
    for (const char *p = start + 1; p < end; p++) {
        if (*p == '"')
            return token(MP_TOKEN_STRING, start, p + 1);
        if (*p == '\\' && p + 1 < end)
            p++;
    }
    return token(MP_TOKEN_OPEN, start, end);
}

mp_token mp_token_at(mp_slice line, const char *at)
{
    const char *end = line.at + line.length;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (at == end || *at == '#')
        return token(MP_TOKEN_END, at, at);
    if (is_digit(*at))
        return number(at, end);
    if (*at == '"')
        return string(at, end);
    if (is_letter(*at)) {
        const char *p = at;
        while (p < end && is_letter(*p))
            p++;
        return token(MP_TOKEN_WORD, at, p);
    }
    if (strchr("<>=", *at) && *at)
        return token(MP_TOKEN_SIGN, at, at + (at + 1 < end && at[1] == '=' ? 2 : 1));
    if (strchr("+-%:", *at) && *at)
        return token(MP_TOKEN_SIGN, at, at + 1);
    size_t length = mp_utf8_length(at, end);
    return token(MP_TOKEN_OTHER, at, at + (length ? length : 1));
}

bool mp_token_is(mp_token token, const char *text)
{
    return (token.kind == MP_TOKEN_WORD || token.kind == MP_TOKEN_SIGN) &&
           mp_slice_is(token.text, text);
}

const char *mp_token_string(mp_arena *arena, mp_token token)
{
    char *text = mp_arena_copy(arena, token.text.at + 1, token.text.length - 2), *out = text;
    for (const char *p = text; *p; p++) {
        if (p[0] == '\\' && p[1] == '"')
            p++;
        else if (p[0] == '\\' && p[1])
            *out++ = *p++; /* the glob's own */
        *out++ = *p;
    }
    *out = '\0';
    return text;
}
