#include "compare/substitution.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pattern.h"
#include "base/text.h"

typedef struct substitution {
    mp_pattern *pattern;
    const char *text; /* borrowed */
    char *replacement;
    bool everywhere;
} substitution;

struct mp_substitutions {
    substitution *items;
    size_t count;
    mp_text_buffer buffers[2]; /* buffers that are used alternately for input and output */
};

/* Return the end of a part: the next delimiter that no backslash precedes. */
static const char *part_end(const char *cursor, char delimiter)
{
    while (*cursor && *cursor != delimiter)
        cursor += cursor[0] == '\\' && cursor[1] ? 2 : 1;
    return cursor;
}

static char *part_copy(const char *from, const char *end, char delimiter)
{
    char *copy = mp_alloc((size_t)(end - from) + 1), *to = copy;
    while (from < end) {
        bool escaped = from[0] == '\\' && from + 1 < end;
        if (escaped && from[1] != delimiter)
            *to++ = *from; /* keep the backslash, which belongs to the pattern */
        from += escaped;
        *to++ = *from++;
    }
    *to = '\0';
    return copy;
}

/* Parse a substitution. Return false with an error; nothing must be released then. */
static bool parse(const char *text, substitution *result, mp_error *error)
{
    char delimiter = text[0] == 's' ? text[1] : '\0';
    const char *middle = delimiter ? part_end(text + 2, delimiter) : "";
    const char *end = *middle ? part_end(middle + 1, delimiter) : "";
    bool everywhere = *end && strcmp(end + 1, "g") == 0;
    if (!mp_utf8_valid(mp_slice_of(text)))
        return mp_fail(error, MP_ERROR_ARGUMENT,
                       "the substitution is not UTF-8, expected s/REGEX/TEXT/ in UTF-8");
    /* As in sed, a backslash or a newline cannot be the delimiter. */
    if (!delimiter || strchr("\\\n", delimiter) || !*end || (end[1] && !everywhere) ||
        middle == text + 2)
        return mp_fail(error, MP_ERROR_ARGUMENT,
                       "\"%s\" is not a substitution, expected s/REGEX/TEXT/ or s/REGEX/TEXT/g",
                       text);
    char *pattern = part_copy(text + 2, middle, delimiter);
    char reason[256];
    result->pattern = mp_pattern_new(pattern, reason, sizeof reason);
    free(pattern);
    if (!result->pattern)
        return mp_fail(error, MP_ERROR_ARGUMENT, "\"%s\": %s", text, reason);
    result->replacement = part_copy(middle + 1, end, delimiter);
    result->everywhere = everywhere;
    result->text = text;
    return true;
}

static void release(substitution *rule)
{
    mp_pattern_free(rule->pattern);
    free(rule->replacement);
}

bool mp_substitution_check(const char *text, mp_error *error)
{
    substitution parsed;
    bool ok = parse(text, &parsed, error);
    if (ok)
        release(&parsed);
    return ok;
}

mp_substitutions *mp_substitutions_new(const char *const *texts, size_t count)
{
    mp_error error = {0};
    mp_substitutions *substitutions = mp_alloc_zero(1, sizeof *substitutions);
    substitutions->items = mp_alloc((count + 1) * sizeof *substitutions->items);
    for (size_t i = 0; i < count; i++)
        if (parse(texts[i], &substitutions->items[substitutions->count], &error))
            substitutions->count++;
    return substitutions;
}

void mp_substitutions_free(mp_substitutions *substitutions)
{
    for (size_t i = 0; i < substitutions->count; i++)
        release(&substitutions->items[i]);
    MP_FREE(substitutions->items, substitutions->buffers[0].text, substitutions->buffers[1].text,
            substitutions);
}

static void append_replacement(mp_text_buffer *buffer, const char *replacement, const char *text,
                               const mp_span *groups)
{
    for (const char *cursor = replacement; *cursor; cursor++) {
        bool escaped = cursor[0] == '\\' && cursor[1];
        int group = *cursor == '&'                                    ? 0
                    : escaped && cursor[1] >= '1' && cursor[1] <= '9' ? cursor[1] - '0'
                                                                      : -1;
        cursor += escaped;
        if (group < 0)
            mp_text_put(buffer, cursor, 1);
        else if (groups[group].begin != MP_NOWHERE)
            mp_text_put(buffer, text + groups[group].begin,
                        groups[group].end - groups[group].begin);
    }
}

/* Return true if a pattern takes too long. This happens if it has many matches, and each scans to
 * the end of the text. */
static bool took_too_long(size_t looked, size_t length)
{
    enum { FREE = 1 << 16, TIMES = 64 };
    return looked > FREE && looked / TIMES > length;
}

typedef enum rewriting {
    AS_IT_WAS,
    REWRITTEN,
    TOO_LONG,
} rewriting;

/* Apply a substitution. As in sed, an empty match is not replaced directly after another match:
 * s|b*|x|g changes "abc" to "xaxcx". */
static rewriting apply(const substitution *rule, const char *text, mp_text_buffer *buffer)
{
    enum { LONGEST = 1 << 20 };
    mp_span groups[MP_PATTERN_GROUPS];
    size_t from = 0, length = strlen(text), looked = 0, looked_now;
    bool matched = false, behind_match = false, over = false;
    buffer->length = 0;
    while (!over && mp_pattern_find(rule->pattern, text, from, groups, &looked_now)) {
        bool empty = groups[0].begin == groups[0].end;
        looked += looked_now - from;
        mp_text_put(buffer, text + from, groups[0].begin - from);
        if (!empty || !behind_match || groups[0].begin > from)
            append_replacement(buffer, rule->replacement, text, groups);
        if (took_too_long(looked, length) || buffer->length > LONGEST + length)
            return TOO_LONG;
        from = groups[0].end;
        over = !rule->everywhere || (empty && from == length);
        if (empty && from < length) { /* skip a whole character; nothing matches inside one */
            size_t one = mp_utf8_length(text + from, text + length);
            one += !one;
            mp_text_put(buffer, text + from, one);
            from += one;
        }
        behind_match = !empty;
        matched = true;
    }
    if (matched)
        mp_text_put(buffer, text + from, length - from);
    return matched ? REWRITTEN : AS_IT_WAS;
}

const char *mp_substitute(mp_substitutions *substitutions, const char *text, mp_error *error)
{
    enum { SHOWN = 40 };
    for (size_t i = 0, written = 0; i < substitutions->count; i++) {
        const substitution *rule = &substitutions->items[i];
        rewriting outcome = apply(rule, text, &substitutions->buffers[written]);
        if (outcome == TOO_LONG) {
            size_t shown = strnlen(text, SHOWN);
            while (((unsigned char)text[shown] & 0xc0) == 0x80)
                shown--;
            mp_fail(error, MP_ERROR_ARGUMENT,
                    "\"%.200s\": it takes too long or produces too much for a name of %zu bytes, "
                    "\"%.*s...\"",
                    rule->text, strlen(text), (int)shown, text);
            return NULL;
        }
        if (outcome == REWRITTEN) {
            text = substitutions->buffers[written].text;
            written = !written;
        }
    }
    return text;
}
