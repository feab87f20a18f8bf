/* Numbers of rules as people read them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "compare/evaluate.h"

static const char *noun_of(mp_measure measure)
{
    switch (measure) {
    case MP_MEASURE_NEW_TYPES:
        return "type";
    case MP_MEASURE_NEW_METHODS:
        return "method";
    case MP_MEASURE_NEW_MODULES:
        return "module";
    default:
        break;
    }
    switch (mp_measure_unit(measure)) {
    case MP_RULE_OBJECTS:
        return "object";
    case MP_RULE_CALLS:
        return "call";
    default:
        return "site";
    }
}

const char *mp_quantity_text(mp_arena *arena, mp_measure measure, int64_t number, bool exact)
{
    char text[MP_UNIT_TEXT];
    switch (mp_measure_unit(measure)) {
    case MP_RULE_BYTES:
        if (exact)
            return mp_arena_format(arena, "%lld B", (long long)number);
        mp_format_bytes(text, number, false, false);
        return mp_arena_copy(arena, text, strlen(text));
    case MP_RULE_US:
        mp_format_seconds(text, number, false);
        return mp_arena_format(arena, "%s s", text);
    default:
        mp_format_count(text, number, false);
        return mp_arena_format(arena, "%s %s%s", text, noun_of(measure), number == 1 ? "" : "s");
    }
}

const char *mp_share_text(mp_arena *arena, double percent)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", fabs(percent) < 10 ? 3 : 1, percent);
    size_t length = strlen(text);
    while (text[length - 1] == '0')
        length--;
    length -= text[length - 1] == '.';
    return mp_arena_format(arena, "%.*s %%", (int)length, text);
}

const char *mp_comparison_sign(mp_comparison comparison)
{
    static const char *const signs[] = {"<=", "<", ">=", ">", "=="};
    return signs[comparison];
}
