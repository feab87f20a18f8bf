#include "render/name.h"

#include <stdbool.h>
#include <string.h>

#include "render/cell.h"

enum { LONGEST = 4096 }; /* bytes of a name that is looked at for its parts */
#define ELLIPSIS "\xe2\x80\xa6"

/* --- the parts of a word --- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* Whether the dot here begins a suffix of a file's name, as in "order.p:41" or "order.cpp". */
static bool is_suffix(const char *dot, const char *end)
{
    enum { SUFFIX = 3 };
    const char *p = dot + 1;
    while (p < end && *p >= 'a' && *p <= 'z')
        p++;
    return p > dot + 1 && p - dot - 1 <= SUFFIX && (p == end || *p == ':');
}

/* How long the separator at `p` is, between the first and the last letter of a word; 0: none is
 * there. */
static size_t separator(const char *p, const char *end)
{
    if (end - p > 2 && p[0] == ':' && p[1] == ':')
        return 2;
    if ((*p == '/' || *p == '\\') && p + 1 < end)
        return 1;
    return *p == '.' && p + 1 < end && is_letter(p[1]) && !is_suffix(p, end);
}

/* Where the next component begins; `end`: there is none. Separators within brackets are not the
 * word's own. */
static const char *next_component(const char *at, const char *end)
{
    int depth = 0;
    for (const char *p = at; p < end; p++) {
        size_t length = depth ? 0 : separator(p, end);
        if (length && p + length < end)
            return p + length;
        depth += strchr("(<[", *p) != NULL;
        depth -= strchr(")>]", *p) != NULL && depth;
    }
    return end;
}

const char *mp_last_component(const char *at, const char *end)
{
    const char *last = at;
    for (const char *next = next_component(at, end); next < end; next = next_component(next, end))
        last = next;
    return last;
}

/* --- what goes --- */

/* The name with "(…)" for what stands between such brackets behind a letter. */
static const char *collapse(mp_arena *arena, const char *name, char open, char close)
{
    char *text = mp_arena_alloc(arena, strlen(name) * 2 + 1), *out = text;
    for (const char *p = name; *p; p++) {
        *out++ = *p;
        if (*p != open || p == name || !(is_letter(p[-1]) || strchr(">)", p[-1])) || p[1] == close)
            continue;
        const char *q = p + 1;
        for (int depth = 1; *q; q++) {
            depth += (*q == open) - (*q == close);
            if (!depth)
                break;
        }
        if (!*q)
            continue; /* is not closed */
        out = stpcpy(out, ELLIPSIS);
        p = q - 1;
    }
    *out = '\0';
    return text;
}

/* The end of the word at `p`: blanks within brackets are part of it. */
static const char *word_end(const char *p)
{
    int depth = 0;
    for (; *p && (*p != ' ' || depth); p++) {
        depth += *p == '(' || *p == '<';
        depth -= (*p == ')' || *p == '>') && depth;
    }
    return p;
}

/* The name without the first component of its longest word that has several; NULL: none has. */
static const char *drop_component(mp_arena *arena, const char *name)
{
    const char *word = NULL, *rest = NULL, *end = NULL;
    for (const char *p = name; *p;) {
        const char *from = p + (strncmp(p, ELLIPSIS, 3) == 0 ? 3 : 0);
        const char *to = word_end(p), *next = next_component(from, to);
        if (next < to && (!word || to - p > end - word)) {
            word = p;
            end = to;
            rest = next;
        }
        for (p = to; *p == ' ';)
            p++;
    }
    if (!word)
        return NULL;
    return mp_arena_format(arena, "%.*s" ELLIPSIS "%s", (int)(word - name), name, rest);
}

/* The last so many columns of it, behind an ellipsis. */
static const char *keep_end(mp_arena *arena, const char *name, size_t width)
{
    const char *p = name;
    for (size_t all = mp_text_width(name); all + 1 > width && *p;)
        all -= mp_next_width(&p);
    while (*p && mp_next_width(&(const char *){p}) == 0)
        mp_next_width(&p); /* combines with what is gone */
    return mp_arena_format(arena, ELLIPSIS "%s", p);
}

static const char *keep_ends(mp_arena *arena, const char *name, size_t width)
{
    size_t head = (width - 1) / 2, seen = 0;
    const char *p = name;
    for (const char *next = p; *next && seen <= head; p = seen <= head ? next : p)
        seen += mp_next_width(&next);
    return mp_arena_format(arena, "%.*s%s", (int)(p - name), name,
                           keep_end(arena, p, width - head));
}

/* The longest of several words gives the rest, if enough of it stays; NULL if not. */
static const char *cut_word(mp_arena *arena, const char *name, size_t width)
{
    enum { LEAST = 6 };
    const char *word = NULL, *end = NULL;
    size_t words = 0, too_much = mp_text_width(name) - width;
    for (const char *p = name + strspn(name, " "); *p; words++) {
        const char *to = word_end(p);
        if (!word || to - p > end - word) {
            word = p;
            end = to;
        }
        p = to + strspn(to, " ");
    }
    if (words < 2)
        return NULL;
    const char *longest = mp_arena_format(arena, "%.*s", (int)(end - word), word);
    size_t room = mp_text_width(longest);
    if (room < too_much + LEAST)
        return NULL;
    room -= too_much;
    bool is_cut = strncmp(longest, ELLIPSIS, 3) == 0;
    return mp_arena_format(
        arena, "%.*s%s%s", (int)(word - name), name,
        is_cut ? keep_end(arena, longest + 3, room) : keep_ends(arena, longest, room), end);
}

const char *mp_shorten_name(mp_arena *arena, const char *name, size_t width)
{
    const char *shorter;
    bool is_name = strncmp(name, ELLIPSIS, 3) == 0;
    if (mp_text_width(name) <= width)
        return name;
    if (width < 2)
        return width ? ELLIPSIS : "";
    if (strlen(name) > LONGEST)
        return keep_end(arena, name, width);
    name = collapse(arena, name, '(', ')');
    if (mp_text_width(name) > width)
        name = collapse(arena, name, '<', '>');
    while (mp_text_width(name) > width && (shorter = drop_component(arena, name))) {
        is_name = true;
        name = shorter;
    }
    if (mp_text_width(name) > width && (shorter = cut_word(arena, name, width)))
        name = shorter;
    if (mp_text_width(name) <= width)
        return name;
    if (*name == ' ') /* too far to the right in its tree: the ellipsis stands for the levels */
        return mp_shorten_name(
            arena, mp_arena_format(arena, ELLIPSIS "%s", name + strspn(name, " ")), width);
    return is_name ? keep_end(arena, name, width) : keep_ends(arena, name, width);
}
