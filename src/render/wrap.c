#include "render/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "render/cell.h"

/* Return true if the blank is within a number with its words: "29 objects", "12.5 %", "line 30",
 * "(from 131)", "<= 5". */
static bool joins(const char *text, const char *blank)
{
    const char *word = blank - (blank - text >= 4 ? 4 : 0);
    if (blank[-1] >= '0' && blank[-1] <= '9')
        return blank[1] == '%' || (blank[1] >= 'A' && blank[1] <= 'z');
    return strncmp(word, "line", 4) == 0 || strncmp(word, "from", 4) == 0 || blank[-1] == '=';
}

/* Return true if a part of a name ends here: "shop/", "node::", "shop.", "init_". */
static bool ends_part(const char *p)
{
    return strchr(",;/\\_>", *p) || (*p == ':' && p[-1] == ':') ||
           (*p == '.' && p[1] >= 'A' && p[1] <= 'Z');
}

/* Return the number of bytes of the text that fit into `room` columns. The line ends at a blank,
 * unless that leaves most of the line empty and a name can be broken at a part. */
static size_t line_length(const char *text, size_t room)
{
    const char *p = text, *blank = NULL, *part = NULL, *bracket = NULL;
    for (size_t used = 0, at_blank = 0; *p;) {
        const char *cursor = p;
        used += mp_next_width(&p);
        if (used > room && *cursor != ' ') {
            bool early = blank && part && at_blank * 2 < room;
            const char *end = blank && !early ? blank : part ? part : bracket;
            return (size_t)((end ? end : cursor > text ? cursor : p) - text);
        }
        if (*cursor == ' ' && cursor > text && !joins(text, cursor)) {
            blank = p;
            at_blank = used;
        } else if (cursor > text && ends_part(cursor) && *p && !strchr(" .,:;(", *p))
            part = p;
        else if (*p == '(')
            bracket = p;
    }
    return (size_t)(p - text);
}

/* Return true if the text fits into the line. A name may be much longer than the line, so do not
 * look beyond the line. */
static bool fits(const char *text, size_t used, size_t width)
{
    while (*text && used <= width)
        used += mp_next_width(&text);
    return used <= width;
}

const char *mp_wrap_text(mp_arena *arena, const char *text, size_t used, size_t hang, size_t width)
{
    mp_text_buffer lines = {0};
    hang = hang > width / 2 ? width / 2 : hang;
    if (!width || fits(text, used, width))
        return text;
    while (!fits(text, used, width)) {
        size_t length = line_length(text, width > used ? width - used : 1), kept = length;
        while (kept && text[kept - 1] == ' ')
            kept--;
        mp_text_put(&lines, text, kept);
        text += length;
        used = hang;
        if (!*text)
            break;
        mp_text_put(&lines, "\n", 1);
        for (size_t i = 0; i < hang; i++)
            mp_text_put(&lines, " ", 1);
    }
    mp_text_put(&lines, text, strlen(text));
    text = mp_arena_copy(arena, lines.text, lines.length);
    free(lines.text);
    return text;
}

const char *mp_line_of_text(mp_arena *arena, const char *text, size_t line, bool *further)
{
    size_t length;
    for (;; line--, text += length + 1) {
        length = strcspn(text, "\n");
        *further = text[length] != '\0';
        if (!line)
            return *further ? mp_arena_copy(arena, text, length) : text;
        if (!*further)
            return "";
    }
}
