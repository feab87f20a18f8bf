#include "reports/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "compare/digest.h"
#include "reports/report.h"

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
        if (table->at[i].kind == MP_ARGUMENT_SUBSTITUTIONS)
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
        ceiling->is_percent = mp_parse_percent(text, &ceiling->percent);
    if (ceiling->is_percent || mp_parse_bytes(text, &ceiling->bytes))
        return true;
    ceiling->is_time = kind == MP_ARGUMENT_CHANGE && mp_parse_time(text, &ceiling->bytes);
    return ceiling->is_time;
}

static bool add_substitution(const char *text, mp_argument_texts *texts)
{
    mp_error unheard = {0};
    mp_grow(&texts->at, &texts->capacity, texts->count + 1, sizeof *texts->at);
    texts->at[texts->count++] = text;
    return mp_substitution_check(text, &unheard);
}

bool mp_argument_parse(const mp_argument *row, const char *text, void *arguments)
{
    void *place = (char *)arguments + row->offset;
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
    case MP_ARGUMENT_SUBSTITUTIONS:
        return add_substitution(text, place);
    }
    return false;
}

bool mp_arguments_set(const mp_report *report, void *arguments, const char *name, const char *text,
                      mp_error *error)
{
    const mp_argument *row = mp_argument_find(&report->arguments, name);
    if (!row || row->kind == MP_ARGUMENT_SHARED)
        return mp_fail_unused(error, report->name, name, NULL);
    if (mp_argument_parse(row, text, arguments))
        return true;
    return mp_fail_argument(error, row->name, text, "is none that %s takes", report->name);
}

/* For reports that have no table yet; `variants` are bits of mp_honours. */
#define VIEW(name, kind, member, honours)                                                          \
    {                                                                                              \
        name, MP_ARGUMENT_##kind, offsetof(mp_view, member), MP_HONOURS_##honours                  \
    }
static const mp_argument view_rows[] = {
    VIEW("from", NAME, from, WINDOW),
    VIEW("to", NAME, to, WINDOW),
    VIEW("by", TEXT, by, BY),
    VIEW("sort", TEXT, sort, SORT),
    VIEW("limit", COUNT, limit, LIMIT),
    VIEW("stack-depth", COUNT, stack_depth, STACK_DEPTH),
    VIEW("depth", COUNT, depth, TREE),
    VIEW("min-percent", PERCENT, min_percent, TREE),
    VIEW("only", NAME, only, ONLY),
    VIEW("object", TEXT, object, OBJECT),
    VIEW("type", NAME, object_type, OBJECT_TYPE),
    VIEW("all-kinds", FLAG, all_kinds, ROOT_KINDS),
    VIEW("max-growth", GROWTH, max_growth, LIMITS),
    VIEW("max-leaked", CEILING, max_leaked, LIMITS),
    VIEW("max-live", CEILING, max_live, LIMITS),
    VIEW("min-size", SIZE, min_bytes, MIN_SIZE),
    VIEW("min-count", COUNT, min_count, MIN_COUNT),
    VIEW("min-change", CHANGE, min_change, COMPARE),
    VIEW("ignore-lines", FLAG, ignore_lines, COMPARE),
    VIEW("normalize", SUBSTITUTIONS, substitutions, COMPARE),
    {"selection", MP_ARGUMENT_SHARED, 0, MP_HONOURS_SELECT},
    {"suppress", MP_ARGUMENT_SHARED, 0, MP_HONOURS_SUPPRESS},
    {"base", MP_ARGUMENT_SHARED, 0, MP_HONOURS_BASE},
    {"at", MP_ARGUMENT_SHARED, 0, MP_HONOURS_AT},
    {"slices", MP_ARGUMENT_SHARED, 0, MP_HONOURS_SLICES},
    {"temporary", MP_ARGUMENT_SHARED, 0, MP_HONOURS_TEMPORARY},
    {"skip", MP_ARGUMENT_SHARED, 0, MP_HONOURS_SKIP},
    {"domain", MP_ARGUMENT_SHARED, 0, MP_HONOURS_DOMAIN},
    {"listings", MP_ARGUMENT_SHARED, 0, MP_HONOURS_SOURCES},
};
static const mp_view view_defaults = {
    .limit = -1, .stack_depth = -1, .depth = -1, .min_percent = -1};
const mp_argument_table mp_view_arguments = {view_rows, sizeof view_rows / sizeof *view_rows,
                                             sizeof view_defaults, &view_defaults};
