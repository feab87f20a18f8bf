#include "base/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHARACTERS = 20000, MOST_LEVELS = 200 };

/* How large the expression is with all repetitions written out. */
typedef struct extent {
    size_t sums[MOST_LEVELS + 1]; /* of the groups that are open */
    size_t level;
    size_t last; /* of what a repetition would repeat; it is in the sum already */
    bool too_large;
} extent;

static void add(extent *of, size_t size)
{
    of->last = size;
    of->sums[of->level] += size;
    of->too_large |= of->sums[of->level] > MOST_CHARACTERS;
}

static void repeat(extent *of, unsigned long times)
{
    size_t whole = of->last;
    if (times > MOST_CHARACTERS)
        of->too_large = true;
    else if (times > 1) {
        add(of, whole * (times - 1));
        of->last = whole * times;
    }
}

/* Behind "[...]". */
static const char *bracket_end(const char *at)
{
    at++;
    at += *at == '^';
    at += *at == ']';
    while (*at && *at != ']') {
        char kind = at[0] == '[' && at[1] && strchr(".:=", at[1]) ? at[1] : '\0';
        at++;
        if (!kind)
            continue;
        for (at++; *at && !(at[0] == kind && at[1] == ']');)
            at++;
        at += *at ? 2 : 0;
    }
    return at + (*at == ']');
}

/* Behind "{1,3}", with the larger number as often as glibc writes out; `at` itself: it is none. */
static const char *bounds_end(const char *at, unsigned long *times)
{
    char *end;
    if (!isdigit((unsigned char)at[1]) && at[1] != ',')
        return at;
    *times = strtoul(at + 1, &end, 10);
    if (*end == ',' && isdigit((unsigned char)end[1]))
        *times = strtoul(end + 1, &end, 10);
    else if (*end == ',') {
        end++;
        *times += *times < MOST_CHARACTERS; /* and any number more: a{2,} is aaa* */
    }
    return *end == '}' ? end + 1 : at;
}

static const char *measure_one(extent *of, const char *at)
{
    unsigned long times = 2;
    const char *end;
    switch (*at) {
    case '(':
        if (of->level == MOST_LEVELS)
            of->too_large = true;
        else
            of->sums[++of->level] = 1;
        return at + 1;
    case ')':
        add(of, of->level ? of->sums[of->level--] : 1);
        return at + 1;
    case '+': /* a+ is aa* */
        repeat(of, times);
        return at + 1;
    case '{':
        end = bounds_end(at, &times);
        if (end == at)
            break;
        repeat(of, times);
        return end;
    case '[':
        add(of, 1);
        return bracket_end(at);
    case '\\':
        at += at[1] != '\0';
        break;
    default:
        break;
    }
    add(of, 1);
    return at + 1;
}

bool mp_pattern_compile(regex_t *regex, const char *pattern, int flags, char *reason, size_t size)
{
    extent of = {.level = 0};
    for (const char *at = pattern; *at && !of.too_large;)
        at = measure_one(&of, at);
    if (of.too_large) {
        snprintf(reason, size,
                 "it has more than %d characters with all repetitions written out, or more than %d "
                 "levels",
                 MOST_CHARACTERS, MOST_LEVELS);
        return false;
    }
    int wrong = regcomp(regex, pattern, REG_EXTENDED | flags);
    if (wrong)
        regerror(wrong, regex, reason, size);
    return wrong == 0;
}
