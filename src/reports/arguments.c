#include "reports/arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/substitution.h"

const mp_argument *mp_argument_find(const mp_argument_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->items[i].name, name) == 0)
            return &table->items[i];
    return NULL;
}

/* Parse a percentage from 0 to 100, with or without a % after it. */
static bool parse_percent(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (*end == '%')
        end++;
    return *text >= '0' && *text <= '9' && !*end && *value >= 0 && *value <= 100;
}

static bool parse_ceiling(mp_argument_kind kind, const char *text, mp_ceiling *ceiling)
{
    *ceiling = (mp_ceiling){.set = true, .bound.text = text};
    if (kind != MP_ARGUMENT_CEILING && mp_parse_percent(text, &ceiling->bound.share))
        ceiling->bound.reference = MP_OF_START;
    if (ceiling->bound.reference || mp_parse_bytes(text, &ceiling->bound.number))
        return true;
    ceiling->is_time = kind == MP_ARGUMENT_CHANGE && mp_parse_time(text, &ceiling->bound.number);
    return ceiling->is_time;
}

static bool parse_floor(const char *text, mp_ceiling *floor)
{
    double percent;
    bool ok = parse_percent(text, &percent);
    *floor = (mp_ceiling){.set = true,
                          .bound = {.reference = MP_OF_LINES,
                                    .share = ok ? llround(percent * ((double)MP_WHOLE / 100)) : 0,
                                    .text = text}};
    return ok;
}

void mp_argument_texts_add(mp_argument_texts *texts, const char *text)
{
    mp_grow(&texts->items, &texts->capacity, texts->count + 2, sizeof *texts->items);
    texts->items[texts->count++] = text;
    texts->items[texts->count] = NULL;
}

bool mp_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool mp_argument_parse(mp_argument_kind kind, const char *text, void *place)
{
    mp_error unheard = {0};
    int64_t *number = place;
    switch (kind) {
    case MP_ARGUMENT_TEXT:
        *(const char **)place = text;
        return true;
    case MP_ARGUMENT_NAME:
        *(const char **)place = text;
        return *text != '\0';
    case MP_ARGUMENT_FILE:
        *(const char **)place = text;
        return *text && !strchr(text, '/');
    case MP_ARGUMENT_COUNT:
        return mp_parse_count(text, number);
    case MP_ARGUMENT_NUMBER:
        return mp_parse_count(text, number) && *number > 0;
    case MP_ARGUMENT_SIZE:
        return mp_parse_bytes(text, number);
    case MP_ARGUMENT_ROOM:
        return mp_parse_bytes(text, number) && *number > 0;
    case MP_ARGUMENT_SPAN:
        return text[strspn(text, "0123456789.")] && mp_parse_time(text, number) && *number > 0;
    case MP_ARGUMENT_TIME:
        return mp_parse_moment(text, place);
    case MP_ARGUMENT_DAY:
        return mp_parse_date(text, place);
    case MP_ARGUMENT_PERCENT:
        return parse_percent(text, place);
    case MP_ARGUMENT_FLAG:
        return *(bool *)place = true;
    case MP_ARGUMENT_CEILING:
    case MP_ARGUMENT_GROWTH:
    case MP_ARGUMENT_CHANGE:
        return parse_ceiling(kind, text, place);
    case MP_ARGUMENT_FLOOR:
        return parse_floor(text, place);
    case MP_ARGUMENT_NAMES:
        mp_argument_texts_add(place, text);
        return *text != '\0';
    case MP_ARGUMENT_FOLDERS:
        mp_argument_texts_add(place, text);
        return mp_is_folder(text);
    case MP_ARGUMENT_SUBSTITUTIONS:
        mp_argument_texts_add(place, text);
        return mp_substitution_check(text, &unheard);
    case MP_ARGUMENT_PATTERN:
    case MP_ARGUMENT_KINDS:
        break;
    }
    return false;
}
