#include "reports/arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "compare/decide.h"
#include "compare/substitution.h"

const mp_argument *mp_argument_find(const mp_argument_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->at[i].name, name) == 0)
            return &table->at[i];
    return NULL;
}

void *mp_arguments_new(const mp_argument_table *table)
{
    return table->size ? memcpy(mp_alloc(table->size), table->defaults, table->size) : NULL;
}

void mp_arguments_free(const mp_argument_table *table, void *arguments)
{
    for (size_t i = 0; arguments && i < table->count; i++)
        if (table->at[i].kind == MP_ARGUMENT_SUBSTITUTIONS ||
            table->at[i].kind == MP_ARGUMENT_NAMES)
            free(((mp_argument_texts *)((char *)arguments + table->at[i].offset))->at);
    free(arguments);
}

/* From 0 to 100, with or without a % behind it. */
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
    *ceiling = (mp_ceiling){.set = true, .text = text};
    if (kind != MP_ARGUMENT_CEILING)
        ceiling->is_percent = mp_parse_percent(text, &ceiling->bytes);
    if (ceiling->is_percent || mp_parse_bytes(text, &ceiling->bytes))
        return true;
    ceiling->is_time = kind == MP_ARGUMENT_CHANGE && mp_parse_time(text, &ceiling->bytes);
    return ceiling->is_time;
}

/* Exactly, as a rule of a policy has it: shares are in millionths of a percent. */
static mp_threshold threshold_of(const mp_ceiling *ceiling, int64_t from)
{
    const mp_bound share = {.reference = MP_OF_START, .share = ceiling->bytes};
    const mp_bound size = {.number = ceiling->bytes};
    return mp_bound_of(ceiling->is_percent ? &share : &size, from, 0);
}

int64_t mp_ceiling_bytes(const mp_ceiling *ceiling, int64_t from)
{
    return threshold_of(ceiling, from).number;
}

bool mp_ceiling_is_reached(const mp_ceiling *ceiling, int64_t from, int64_t number)
{
    return mp_threshold_holds(threshold_of(ceiling, from), MP_AT_LEAST, number);
}

static bool parse_floor(const char *text, mp_ceiling *floor)
{
    *floor = (mp_ceiling){.set = true, .is_percent = true, .text = text};
    bool ok = parse_percent(text, &floor->percent);
    floor->bytes = ok ? llround(floor->percent * 1e6) : 0;
    return ok;
}

void mp_argument_texts_add(mp_argument_texts *texts, const char *text)
{
    mp_grow(&texts->at, &texts->capacity, texts->count + 1, sizeof *texts->at);
    texts->at[texts->count++] = text;
}

bool mp_argument_parse(const mp_argument *row, const char *text, void *arguments)
{
    void *place = (char *)arguments + row->offset;
    mp_error unheard = {0};
    switch (row->kind) {
    case MP_ARGUMENT_SHARED:
        break;
    case MP_ARGUMENT_TEXT:
        *(const char **)place = text;
        return true;
    case MP_ARGUMENT_NAME:
        *(const char **)place = text;
        return *text != '\0';
    case MP_ARGUMENT_COUNT:
        return mp_parse_count(text, place);
    case MP_ARGUMENT_SIZE:
        return mp_parse_bytes(text, place);
    case MP_ARGUMENT_PERCENT:
        return parse_percent(text, place);
    case MP_ARGUMENT_FLAG:
        return *(bool *)place = true;
    case MP_ARGUMENT_CEILING:
    case MP_ARGUMENT_GROWTH:
    case MP_ARGUMENT_CHANGE:
        return parse_ceiling(row->kind, text, place);
    case MP_ARGUMENT_FLOOR:
        return parse_floor(text, place);
    case MP_ARGUMENT_NAMES:
        mp_argument_texts_add(place, text);
        return *text != '\0';
    case MP_ARGUMENT_SUBSTITUTIONS:
        mp_argument_texts_add(place, text);
        return mp_substitution_check(text, &unheard);
    }
    return false;
}
