#include "base/glob.h"

#include <string.h>

#include "base/characters.h"

/* Take what one character fits off the pattern, if this one does. */
static bool take_one(const char **glob, uint32_t code, unsigned flags)
{
    const char *at = *glob, *reason;
    bool fits = false, fold = flags & MP_GLOB_ANY_CASE;
    unsigned of_set = MP_SET_OF_GLOB | (flags & MP_GLOB_NO_ESCAPES ? 0u : MP_SET_ESCAPES) |
                      (fold ? (unsigned)MP_SET_ANY_CASE : 0u);
    if (*at == '?') {
        *glob = at + 1;
        return true;
    }
    const char *end = *at == '[' ? mp_set_read(at, code, of_set, &fits, &reason) : NULL;
    if (end) {
        *glob = end;
        return fits;
    }
    at += *at == '\\' && !(flags & MP_GLOB_NO_ESCAPES);
    if (!*at)
        return false;
    uint32_t wanted = mp_character_take(&at);
    *glob = at;
    return wanted == code || (fold && mp_character_lower(wanted) == mp_character_lower(code));
}

bool mp_glob_fits(const char *glob, const char *text, unsigned flags)
{
    /* The last star, and the end of the text it matches so far. If the rest does not match, the
     * star takes one more character. Earlier stars need not be tried again. */
    const char *star = NULL, *taken = NULL;
    while (*text || *glob == '*') {
        if (*glob == '*') {
            star = ++glob;
            taken = text;
            if (!*star)
                return true;
        }
        if (glob == star && !(flags & MP_GLOB_ANY_CASE) && !strchr("*?[\\", *star)) {
            /* the star ends where what follows it may begin */
            taken = text = strchr(text, *star);
            if (!text)
                return false;
        }
        if (*glob == '*')
            continue;
        if (!*text)
            return false;
        const char *next = text;
        if (take_one(&glob, mp_character_take(&next), flags)) {
            text = next;
            continue;
        }
        if (!star || !*taken)
            return false;
        mp_character_take(&taken);
        text = taken;
        glob = star;
    }
    return *glob == '\0';
}

mp_slice mp_glob_core(const char *glob)
{
    mp_slice core = {glob, 0};
    for (const char *at = glob; *at && *at != '[';) {
        const size_t length = strcspn(at, "*?[\\");
        if (length > core.length)
            core = (mp_slice){at, length};
        at += length;
        if (*at == '\\' && at[1])
            at += 2; /* skip the escaped character, or its first byte */
        else if (*at && *at != '[')
            at++;
    }
    return core;
}
