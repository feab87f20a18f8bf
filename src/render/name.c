#include "render/name.h"

#include <string.h>

#include "render/cell.h"

enum { LONGEST = 4096 }; /* maximum bytes of a name that is split into parts */

/* --- components of a word --- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* Return true if the dot begins a file's suffix, as in "order.p:41" or "order.cpp". */
static bool is_suffix(const char *dot, const char *end)
{
    enum { SUFFIX = 3 };
    const char *p = dot + 1;
    while (p < end && *p >= 'a' && *p <= 'z')
        p++;
    return p > dot + 1 && p - dot - 1 <= SUFFIX && (p == end || *p == ':');
}

/* Return true if the dot begins the suffix of a file that memprof reads. */
static bool is_of_recording(const char *dot, const char *end)
{
    static const char *const endings[] = {
        "oemp",  "taligent",  "gclog",       "gcdump",       "sqlite", "baseline", "policy",
        "hprof", "heaptrack", "heapprofile", "heapsnapshot", "massif", "memcheck", "folded",
        "pprof", "heap",      "cpuprofile",  "dhat",         "lsan",   "json"};
    size_t length = strcspn(dot + 1, ":");
    length = length < (size_t)(end - dot - 1) ? length : (size_t)(end - dot - 1);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strlen(endings[i]) == length && memcmp(dot + 1, endings[i], length) == 0)
            return true;
    return false;
}

/* Return true if the dot begins the suffix that a compiler adds to a copy: "find.part.0". */
static bool is_of_copy(const char *dot)
{
    static const char *const added[] = {".part.", ".constprop.", ".isra.", ".cold", ".lto_priv."};
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        if (strncmp(dot, added[i], strlen(added[i])) == 0)
            return true;
    return dot[1] >= '0' && dot[1] <= '9';
}

/* Return the length of the separator at `p`, which is within a word; 0 if it is not a separator. */
static size_t separator(const char *p, const char *end)
{
    if (end - p > 2 && p[0] == ':' && p[1] == ':')
        return 2;
    size_t slashes = 0; /* "file:///" */
    while (p + slashes < end && (p[slashes] == '/' || p[slashes] == '\\'))
        slashes++;
    if (slashes)
        return p + slashes < end ? slashes : 0;
    return *p == '.' && p + 1 < end && is_letter(p[1]) && !is_suffix(p, end) && !is_of_copy(p) &&
           !is_of_recording(p, end);
}

/* Return the start of the next component; `end` if there is none. Separators within brackets do not
 * count. */
static const char *next_component(const char *cursor, const char *end)
{
    int depth = 0;
    for (const char *p = cursor; p < end; p++) {
        size_t length = depth ? 0 : separator(p, end);
        if (length && p + length < end)
            return p + length;
        depth += strchr("(<[", *p) != NULL;
        depth -= strchr(")>]", *p) != NULL && depth;
    }
    return end;
}

const char *mp_last_component(const char *cursor, const char *end)
{
    const char *last = cursor;
    for (const char *next = next_component(cursor, end); next < end;
         next = next_component(next, end))
        last = next;
    return last;
}

/* --- shortening --- */

/* Return the name with "(…)" in place of the contents of these brackets, if the brackets follow a
 * letter. */
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
            continue; /* the bracket is not closed */
        out = stpcpy(out, MP_ELLIPSIS);
        p = q - 1;
    }
    *out = '\0';
    return text;
}

const char *mp_word_end(const char *p)
{
    int depth = 0;
    for (; *p && (*p != ' ' || depth); p++) {
        depth += strchr("(<[", *p) != NULL;
        depth -= strchr(")>]", *p) != NULL && depth;
    }
    return p;
}

/* Return the name without the first component of its longest word with several components, split at
 * dots and slashes; NULL if there is none. Text before "::" is kept. */
static const char *drop_component(mp_arena *arena, const char *name)
{
    const char *word = NULL, *rest = NULL, *end = NULL;
    for (const char *p = name; *p;) {
        const char *from = p + (strncmp(p, MP_ELLIPSIS, 3) == 0 ? 3 : 0);
        const char *to = mp_word_end(p), *next = next_component(from, to);
        if (next < to && next[-1] != ':' && (!word || to - p > end - word)) {
            word = p;
            end = to;
            rest = next;
        }
        for (p = to; *p == ' ';)
            p++;
    }
    if (!word)
        return NULL;
    return mp_arena_format(arena, "%.*s" MP_ELLIPSIS "%s", (int)(word - name), name, rest);
}

/* Return the last `width` columns of the name, including an ellipsis at the beginning. */
static const char *keep_end(mp_arena *arena, const char *name, size_t width)
{
    const char *p = name;
    for (size_t total = mp_text_width(name); total + 1 > width && *p;)
        total -= mp_next_width(&p);
    while (*p && mp_next_width(&(const char *){p}) == 0)
        mp_next_width(&p); /* combines with a character that was removed */
    return mp_arena_format(arena, MP_ELLIPSIS "%s", p);
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

const char *mp_collapse_name(mp_arena *arena, const char *name, size_t width)
{
    static const char brackets[][2] = {{'(', ')'}, {'<', '>'}, {'[', ']'}};
    for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++)
        if (mp_text_width(name) > width && strlen(name) <= LONGEST)
            name = collapse(arena, name, brackets[i][0], brackets[i][1]);
    return name;
}

const char *mp_shorten_name(mp_arena *arena, const char *name, size_t width, size_t lines)
{
    const char *shorter;
    bool is_name = false;
    if (mp_text_width(name) <= width)
        return name;
    name = mp_collapse_name(arena, name, width);
    while (mp_text_width(name) > width && strlen(name) <= LONGEST &&
           (shorter = drop_component(arena, name))) {
        is_name = true;
        name = shorter;
    }
    if (mp_text_width(name) <= width * lines)
        return name;
    width *= lines;
    if (width < 2)
        return width ? MP_ELLIPSIS : "";
    return is_name ? keep_end(arena, name, width) : keep_ends(arena, name, width);
}
