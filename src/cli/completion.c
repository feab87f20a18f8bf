#include "cli/completion.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void cli_completion_add(cli_completion *completion, const char *name, const char *table)
{
    *MP_APPEND(completion->words, completion->count, completion->capacity) =
        (cli_word){mp_arena_copy(&completion->texts, name, strlen(name)),
                   table ? mp_arena_copy(&completion->texts, table, strlen(table)) : NULL};
}

void cli_completion_free(cli_completion *completion)
{
    free(completion->words);
    mp_arena_free(&completion->texts);
}

/* Return the start of the name whose end is `end`. */
static size_t name_before(const char *line, size_t end)
{
    while (end && (isalnum((unsigned char)line[end - 1]) || line[end - 1] == '_'))
        end--;
    return end;
}

static bool is_text(const char *text, const char *start, size_t length)
{
    return text && strlen(text) == length && strncasecmp(text, start, length) == 0;
}

size_t cli_completion_find(const cli_completion *completion, const char *line, size_t length,
                           size_t *begun, const char ***names)
{
    const size_t start = name_before(line, length);
    const bool qualified = start && line[start - 1] == '.';
    const size_t table = qualified ? name_before(line, start - 1) : 0;
    const size_t table_length = qualified ? start - 1 - table : 0;
    bool is_table = false;
    size_t count = 0, unique = 0;
    *begun = length - start;
    *names = mp_alloc((completion->count + 1) * sizeof **names);
    for (size_t i = 0; qualified && i < completion->count; i++)
        is_table |= is_text(completion->words[i].table, line + table, table_length);
    for (size_t i = 0; i < completion->count; i++) {
        const cli_word *word = &completion->words[i];
        const bool is_column = word->table && *word->table;
        const bool fits = !qualified ? is_column || !word->table
                          : is_table ? is_text(word->table, line + table, table_length)
                                     : is_column;
        if (fits && strncasecmp(word->name, line + start, *begun) == 0)
            (*names)[count++] = word->name;
    }
    qsort(*names, count, sizeof **names, mp_text_order);
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp((*names)[i], (*names)[unique - 1]) != 0)
            (*names)[unique++] = (*names)[i];
    return unique;
}
