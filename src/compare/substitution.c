#include "compare/substitution.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pattern.h"
#include "base/text.h"

enum { GROUPS = 10 };

typedef struct substitution {
    regex_t regex;
    char *replacement;
    bool everywhere;
} substitution;

struct mp_substitutions {
    substitution *at;
    size_t count;
    mp_text_buffer buffers[2]; /* what is read, and what is written */
};

/* One of the parts up to the next delimiter; a backslash before one makes it a letter. */
static const char *part_end(const char *at, char delimiter)
{
    while (*at && *at != delimiter)
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return at;
}

static char *part_copy(const char *from, const char *end, char delimiter)
{
    char *copy = mp_alloc((size_t)(end - from) + 1), *to = copy;
    while (from < end) {
        bool escaped = from[0] == '\\' && from + 1 < end;
        if (escaped && from[1] != delimiter)
            *to++ = *from; /* what is escaped is no backslash of the next letter's */
        from += escaped;
        *to++ = *from++;
    }
    *to = '\0';
    return copy;
}

/* False with a message; then there is nothing to release. */
static bool parse(const char *text, substitution *result, mp_error *error)
{
    char delimiter = text[0] == 's' ? text[1] : '\0';
    const char *middle = delimiter ? part_end(text + 2, delimiter) : "";
    const char *end = *middle ? part_end(middle + 1, delimiter) : "";
    bool everywhere = *end && strcmp(end + 1, "g") == 0;
    if (!mp_utf8_valid(mp_slice_of(text)))
        return mp_fail(error, MP_ERROR_ARGUMENT,
                       "a substitution is no UTF-8, expected s/REGEX/TEXT/ in UTF-8");
    /* As in sed, a backslash or the end of a line parts nothing. */
    if (!delimiter || strchr("\\\n", delimiter) || !*end || (end[1] && !everywhere) ||
        middle == text + 2)
        return mp_fail(error, MP_ERROR_ARGUMENT,
                       "\"%s\" is no substitution, expected s/REGEX/TEXT/ or s/REGEX/TEXT/g", text);
    char *pattern = part_copy(text + 2, middle, delimiter);
    char reason[256];
    bool ok = mp_pattern_compile(&result->regex, pattern, 0, reason, sizeof reason);
    free(pattern);
    if (!ok)
        return mp_fail(error, MP_ERROR_ARGUMENT, "\"%s\": %s", text, reason);
    result->replacement = part_copy(middle + 1, end, delimiter);
    result->everywhere = everywhere;
    return true;
}

static void release(substitution *rule)
{
    regfree(&rule->regex);
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
    substitutions->at = mp_alloc((count + 1) * sizeof *substitutions->at);
    for (size_t i = 0; i < count; i++)
        if (parse(texts[i], &substitutions->at[substitutions->count], &error))
            substitutions->count++;
    return substitutions;
}

void mp_substitutions_free(mp_substitutions *substitutions)
{
    for (size_t i = 0; i < substitutions->count; i++)
        release(&substitutions->at[i]);
    free(substitutions->at);
    free(substitutions->buffers[0].at);
    free(substitutions->buffers[1].at);
    free(substitutions);
}

static void append_replacement(mp_text_buffer *buffer, const char *replacement, const char *text,
                               const regmatch_t *groups)
{
    for (const char *at = replacement; *at; at++) {
        bool escaped = at[0] == '\\' && at[1];
        int group = *at == '&' ? 0 : escaped && at[1] >= '1' && at[1] <= '9' ? at[1] - '0' : -1;
        at += escaped;
        if (group < 0)
            mp_text_put(buffer, at, 1);
        else if (groups[group].rm_so >= 0)
            mp_text_put(buffer, text + groups[group].rm_so,
                        (size_t)(groups[group].rm_eo - groups[group].rm_so));
    }
}

/* False where the expression does not match. As in sed, no empty match follows on another match:
 * "abc" becomes "xaxcx" by s|b*|x|g. */
static bool apply(const substitution *rule, const char *text, mp_text_buffer *buffer)
{
    regmatch_t groups[GROUPS];
    bool matched = false, behind_match = false, over = false;
    const char *end = text + strlen(text);
    buffer->length = 0;
    for (int flags = 0; !over && regexec(&rule->regex, text, GROUPS, groups, flags) == 0;
         flags = REG_NOTBOL) {
        bool empty = groups[0].rm_so == groups[0].rm_eo;
        mp_text_put(buffer, text, (size_t)groups[0].rm_so);
        if (!empty || !behind_match || groups[0].rm_so)
            append_replacement(buffer, rule->replacement, text, groups);
        text += groups[0].rm_eo;
        over = !rule->everywhere || (empty && !*text);
        if (empty && *text) { /* on by a character: within one there is nothing to be found */
            size_t length = mp_utf8_length(text, end);
            length += !length;
            mp_text_put(buffer, text, length);
            text += length;
        }
        behind_match = !empty;
        matched = true;
    }
    if (matched)
        mp_text_put(buffer, text, strlen(text));
    return matched;
}

const char *mp_substitute(mp_substitutions *substitutions, const char *text)
{
    for (size_t i = 0, into = 0; i < substitutions->count; i++)
        if (apply(&substitutions->at[i], text, &substitutions->buffers[into])) {
            text = substitutions->buffers[into].at;
            into = !into;
        }
    return text;
}
