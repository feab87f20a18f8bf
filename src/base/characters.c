#include "base/characters.h"

#include <string.h>

#include <utf8proc.h>

uint32_t mp_character_take(const char **p)
{
    const unsigned char *b = (const unsigned char *)*p;
    utf8proc_int32_t code = *b;
    utf8proc_ssize_t length =
        *b < 0x80 ? 1 : utf8proc_iterate(b, (utf8proc_ssize_t)strnlen(*p, 4), &code);
    *p += length > 0 ? length : 1;
    return length > 0 ? (uint32_t)code : (uint32_t)MP_NO_UTF8 + *b;
}

uint32_t mp_character_lower(uint32_t code)
{
    if (code < 0x80)
        return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
}

/* --- classes --- */

enum {
    UPPER = 1 << 0,
    LOWER = 1 << 1,
    OTHER_LETTER = 1 << 2, /* letters without case, and the marks and digits of other scripts */
    DIGIT = 1 << 3,        /* 0 to 9 only */
    HEX = 1 << 4,          /* a to f, A to F */
    PUNCTUATION = 1 << 5,
    BLANK = 1 << 6,
    OTHER_SPACE = 1 << 7, /* line ends and similar */
    CONTROL = 1 << 8,
    ONE_SPACE = 1 << 9, /* the blank 0x20: printable, but not graphic */
    ALPHA = UPPER | LOWER | OTHER_LETTER,
};

static const struct {
    const char *name;
    unsigned bits;
} classes[] = {
    {"alpha", ALPHA},
    {"digit", DIGIT},
    {"alnum", ALPHA | DIGIT},
    {"upper", UPPER},
    {"lower", LOWER},
    {"space", BLANK | OTHER_SPACE},
    {"blank", BLANK},
    {"punct", PUNCTUATION},
    {"cntrl", CONTROL},
    {"xdigit", DIGIT | HEX},
    {"graph", ALPHA | DIGIT | PUNCTUATION},
    {"print", ALPHA | DIGIT | PUNCTUATION | ONE_SPACE},
};

static unsigned bits_of_ascii(uint32_t code)
{
    if (code >= '0' && code <= '9')
        return DIGIT;
    if (code >= 'A' && code <= 'Z')
        return UPPER | (code <= 'F' ? HEX : 0u);
    if (code >= 'a' && code <= 'z')
        return LOWER | (code <= 'f' ? HEX : 0u);
    if (code == ' ')
        return BLANK | ONE_SPACE;
    if (code > ' ' && code < 0x7f)
        return PUNCTUATION;
    return CONTROL | (code == '\t' ? BLANK : code >= '\n' && code <= '\r' ? OTHER_SPACE : 0u);
}

static unsigned bits_of(uint32_t code)
{
    if (code < 0x80)
        return bits_of_ascii(code);
    switch (utf8proc_category((utf8proc_int32_t)code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
        return UPPER;
    case UTF8PROC_CATEGORY_LL:
        return LOWER;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
        return OTHER_LETTER;
    case UTF8PROC_CATEGORY_ZS: /* no-break spaces do not count as blanks */
        return code == 0xa0 || code == 0x2007 || code == 0x202f ? PUNCTUATION : BLANK;
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return OTHER_SPACE | CONTROL;
    case UTF8PROC_CATEGORY_CC:
        return CONTROL;
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CS:
        return 0;
    default:
        return PUNCTUATION;
    }
}

bool mp_character_in_word(uint32_t code)
{
    return code == '_' || (bits_of(code) & (ALPHA | DIGIT));
}

bool mp_character_is_space(uint32_t code)
{
    return bits_of(code) & (BLANK | OTHER_SPACE);
}

/* --- sets --- */

/* Read a class such as "[:alpha:]" at `cursor`, and set *in if it contains `code`. Return the
 * position after it, or NULL if no class has this name. */
static const char *read_class(const char *cursor, uint32_t code, unsigned flags, bool *in)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        size_t length = strlen(classes[i].name);
        if (strncmp(cursor + 2, classes[i].name, length) != 0 ||
            strncmp(cursor + 2 + length, ":]", 2) != 0)
            continue;
        unsigned bits = classes[i].bits;
        if ((flags & MP_SET_ANY_CASE) && (bits & (UPPER | LOWER)))
            bits |= UPPER | LOWER;
        *in |= (bits_of(code) & bits) != 0;
        return cursor + length + 4;
    }
    return NULL;
}

/* Read one end of a range: a character, "[.x.]" or "[=x=]". Return false if the end is
 * malformed. */
static bool take_end(const char **cursor, unsigned flags, uint32_t *code)
{
    const char *p = *cursor;
    char kind = p[0] == '[' && (p[1] == '.' || p[1] == '=') ? p[1] : '\0';
    p += kind ? 2 : *p == '\\' && (flags & MP_SET_ESCAPES);
    if (!*p)
        return false;
    *code = mp_character_take(&p);
    if (kind && (p[0] != kind || p[1] != ']'))
        return false;
    *cursor = p + (kind ? 2 : 0);
    return true;
}

const char *mp_set_read(const char *cursor, uint32_t code, unsigned flags, bool *in,
                        const char **reason)
{
    const char *no_end = "a [ without its ]";
    bool fold = flags & MP_SET_ANY_CASE, negated, found = false;
    if (fold)
        code = mp_character_lower(code);
    cursor++;
    negated = *cursor == '^' || (*cursor == '!' && (flags & MP_SET_OF_GLOB));
    cursor += negated;
    for (const char *first = cursor; *cursor && (*cursor != ']' || cursor == first);) {
        uint32_t low, high;
        if (cursor[0] == '[' && cursor[1] == ':') {
            cursor = read_class(cursor, code, flags, &found);
            *reason = "a class that is none of alpha, digit, alnum, upper, lower, space, blank, "
                      "punct, cntrl, xdigit, graph and print";
            if (!cursor)
                return NULL;
            continue;
        }
        *reason = *cursor == '[' ? "[. .] or [= =] around more than one character" : no_end;
        if (!take_end(&cursor, flags, &low))
            return NULL;
        high = low;
        if (cursor[0] == '-' && cursor[1] && cursor[1] != ']') {
            cursor++;
            if (!take_end(&cursor, flags, &high))
                return NULL;
        }
        *reason = "a range that ends before it begins";
        if (high < low && !(flags & MP_SET_OF_GLOB))
            return NULL;
        found |= (code >= low && code <= high) ||
                 (fold && low == high && code == mp_character_lower(low)) ||
                 (fold && mp_character_lower(low) <= code && code <= mp_character_lower(high));
    }
    *reason = no_end;
    if (!*cursor)
        return NULL;
    *in = found != negated;
    return cursor + 1;
}
