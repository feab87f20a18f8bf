#include "base/glob.h"

#include <string.h>

#include "base/characters.h"

/* Match one character with the next element of the glob. If it matches, advance *glob. */
static bool take_one(const char **glob, uint32_t code, unsigned flags)
{
    const char *cursor = *glob, *reason;
    bool fits = false, fold = flags & MP_GLOB_ANY_CASE;
    unsigned of_set = MP_SET_OF_GLOB | (flags & MP_GLOB_NO_ESCAPES ? 0u : MP_SET_ESCAPES) |
                      (fold ? (unsigned)MP_SET_ANY_CASE : 0u);
    if (*cursor == '?') {
        *glob = cursor + 1;
        return true;
    }
    const char *end = *cursor == '[' ? mp_set_read(cursor, code, of_set, &fits, &reason) : NULL;
    if (end) {
        *glob = end;
        return fits;
    }
    cursor += *cursor == '\\' && !(flags & MP_GLOB_NO_ESCAPES);
    if (!*cursor)
        return false;
    uint32_t wanted = mp_character_take(&cursor);
    *glob = cursor;
    return wanted == code || (fold && mp_character_lower(wanted) == mp_character_lower(code));
}

bool mp_glob_fits(const char *glob, const char *text, unsigned flags)
{
    /* Position after the last star, and the end of the text that this star matches so far. If the
     * text after it does not match, the star takes one more character. Earlier stars need no
     * backtracking. */
    const char *star = NULL, *taken = NULL;
    const unsigned char first = (unsigned char)*glob;
    if (first != (unsigned char)*text && first < 0x80 && !(flags & MP_GLOB_ANY_CASE) &&
        !strchr("*?[\\", first))
        return false; /* most names differ from most globs here */
    while (*text || *glob == '*') {
        if (*glob == '*') {
            star = ++glob;
            taken = text;
            if (!*star)
                return true;
        }
        if (glob == star && !(flags & MP_GLOB_ANY_CASE) && !strchr("*?[\\", *star)) {
            /* skip to the next place where the literal after the star can begin */
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
    for (const char *cursor = glob; *cursor && *cursor != '[';) {
        const size_t length = strcspn(cursor, "*?[\\");
        if (length > core.length)
            core = (mp_slice){cursor, length};
        cursor += length;
        if (*cursor == '\\' && cursor[1])
            cursor += 2; /* skip the escaped character, or its first byte */
        else if (*cursor && *cursor != '[')
            cursor++;
    }
    return core;
}
