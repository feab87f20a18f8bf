#include "render/frame_name.h"

#include <string.h>

#include "render/name.h"

typedef struct name_word {
    const char *from, *end;
} name_word;

/* The most informative word of a name (the last word of a type, otherwise the first), and the words
 * before and after it. */
typedef struct name_parts {
    name_word before, head, behind;
} name_parts;

static const char *after_blanks(const char *p)
{
    return p + strspn(p, " ");
}

static name_parts parts_of(const char *name, bool is_type)
{
    const char *from = after_blanks(name), *end = mp_word_end(from), *last = name + strlen(name);
    if (is_type)
        for (const char *next; *(next = after_blanks(end)); end = mp_word_end(from))
            from = next;
    return (name_parts){{name, from}, {from, end}, {end, last}};
}

/* Return the last component of a word: "…OrderService:97" for "shop.OrderService:97". */
static const char *innermost(mp_arena *arena, name_word word)
{
    const char *last = mp_last_component(word.from, word.end);
    return mp_arena_format(arena, "%s%.*s", last == word.from ? "" : MP_ELLIPSIS,
                           (int)(word.end - last), last);
}

/* Return the innermost part of each word, with the blanks between them. */
static const char *all_innermost(mp_arena *arena, name_word words)
{
    const char *text = "";
    for (const char *p = words.from; p < words.end;) {
        const char *from = after_blanks(p);
        const char *end = from < words.end ? mp_word_end(from) : from;
        text = mp_arena_format(arena, "%s%.*s%s", text, (int)(from - p), p,
                               innermost(arena, (name_word){from, end}));
        p = end;
    }
    return text;
}

size_t mp_frame_names(mp_arena *arena, const char *name, bool is_type,
                      const char *names[MP_FRAME_NAMES])
{
    const name_parts parts = parts_of(name, is_type);
    const name_word head = parts.head;
    const char *before = parts.before.from < parts.before.end ? MP_ELLIPSIS : "";
    const char *behind = *after_blanks(parts.behind.from) ? MP_ELLIPSIS : "";
    const int length = (int)(head.end - head.from);
    const char *around[] = {all_innermost(arena, parts.before), all_innermost(arena, parts.behind)};
    const char *last = mp_last_component(head.from, head.end), *inner = innermost(arena, head);
    size_t count = 0;
    names[count++] = name;
    names[count++] = mp_arena_format(arena, "%s%.*s%s", around[0], length, head.from, around[1]);
    names[count++] = mp_arena_format(arena, "%s%s%s", around[0], inner, around[1]);
    names[count++] = mp_arena_format(arena, "%s%.*s%s", before, length, head.from, behind);
    names[count++] =
        mp_arena_format(arena, "%s%s%s", last == head.from ? before : "", inner, behind);
    names[count++] = mp_arena_format(arena, "%.*s", (int)(head.end - last), last);
    return count;
}
