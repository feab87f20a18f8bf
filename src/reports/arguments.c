#include "reports/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "compare/digest.h"
#include "reports/report.h"

const mp_argument *mp_argument_find(const mp_report *report, const char *name)
{
    for (size_t i = 0; i < report->argument_count; i++)
        if (strcmp(report->arguments[i].name, name) == 0)
            return &report->arguments[i];
    return NULL;
}

void *mp_arguments_new(const mp_report *report)
{
    if (!report->arguments)
        return NULL;
    void *arguments = mp_alloc(report->arguments_size);
    memcpy(arguments, report->defaults, report->arguments_size);
    return arguments;
}

void mp_arguments_free(const mp_report *report, void *arguments)
{
    for (size_t i = 0; arguments && i < report->argument_count; i++)
        if (report->arguments[i].kind == MP_ARGUMENT_SUBSTITUTIONS)
            free(((mp_argument_texts *)((char *)arguments + report->arguments[i].offset))->at);
    free(arguments);
}

static bool parse_count(const char *text, int64_t *value)
{
    char *end;
    long long count = strtoll(text, &end, 10);
    *value = count;
    return *text >= '0' && *text <= '9' && !*end && count <= INT32_MAX;
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
        ceiling->is_percent = mp_parse_percent(text, &ceiling->percent);
    if (ceiling->is_percent || mp_parse_bytes(text, &ceiling->bytes))
        return true;
    ceiling->is_time = kind == MP_ARGUMENT_CHANGE && mp_parse_time(text, &ceiling->bytes);
    return ceiling->is_time;
}

bool mp_argument_parse(mp_argument_kind kind, const char *text, void *place)
{
    mp_error unheard = {0};
    mp_argument_texts *list = place;
    switch (kind) {
    case MP_ARGUMENT_SHARED:
        break;
    case MP_ARGUMENT_TEXT:
        *(const char **)place = text;
        return true;
    case MP_ARGUMENT_NAME:
        *(const char **)place = text;
        return *text != '\0';
    case MP_ARGUMENT_COUNT:
        return parse_count(text, place);
    case MP_ARGUMENT_SIZE:
        return mp_parse_bytes(text, place);
    case MP_ARGUMENT_PERCENT:
        return parse_percent(text, place);
    case MP_ARGUMENT_FLAG:
        return *(bool *)place = true;
    case MP_ARGUMENT_CEILING:
    case MP_ARGUMENT_GROWTH:
    case MP_ARGUMENT_CHANGE:
        return parse_ceiling(kind, text, place);
    case MP_ARGUMENT_SUBSTITUTIONS:
        mp_grow(&list->at, &list->capacity, list->count + 1, sizeof *list->at);
        list->at[list->count++] = text;
        return mp_substitution_check(text, &unheard);
    }
    return false;
}

bool mp_arguments_set(const mp_report *report, void *arguments, const char *name, const char *text,
                      mp_error *error)
{
    const mp_argument *row = mp_argument_find(report, name);
    if (!row || row->kind == MP_ARGUMENT_SHARED)
        return mp_fail_unused(error, report->name, name, NULL);
    if (mp_argument_parse(row->kind, text, (char *)arguments + row->offset))
        return true;
    return mp_fail_argument(error, name, text, "is none that %s takes", report->name);
}
