#include "compare/measures.h"

#include <math.h>
#include <string.h>

enum {
    HEAP = MP_BY_TYPE | MP_BY_SOURCE | MP_BY_NAME | MP_BY_SITE,
    PROFILE = MP_BY_METHOD | MP_BY_MODULE,
    ANY_COSTS = MP_HAS_COSTS | MP_HAS_SAMPLES | MP_HAS_TIMES,
};

/* A measure that is the sum of an amount over entries. */
#define SUM(words, told, done, noun, unit, has, by, field)                                         \
    {                                                                                              \
        words, told, done, noun, unit, has, by, .offset = offsetof(mp_amounts, field)              \
    }
/* A measure that counts the entries of a level. */
#define COUNT(words, told, done, noun, has, by, level, is_new)                                     \
    {                                                                                              \
        words, told, done, noun, MP_RULE_COUNT, has, by, false, is_new, true, level, 0             \
    }

static const char leaks[] = "leaked objects", living[] = "live objects",
                  births[] = "created objects", calls[] = "calls";

const mp_measure_row mp_measure_rows[MP_MEASURES] = {
    [MP_MEASURE_LEAKED] =
        SUM("leaked", leaks, "left behind", "", MP_RULE_BYTES, MP_HAS_HISTORY, HEAP, leaked_bytes),
    [MP_MEASURE_LEAKED_OBJECTS] = SUM("leaked objects", leaks, "left behind", "object",
                                      MP_RULE_OBJECTS, MP_HAS_HISTORY, HEAP, leaked_objects),
    [MP_MEASURE_LEAK_SITES] = COUNT("leaked sites", leaks, "with objects left behind", "site",
                                    MP_HAS_HISTORY, HEAP, MP_LEVEL_SITE, false),
    [MP_MEASURE_LIVE] = SUM("live", living, "alive", "", MP_RULE_BYTES, MP_HAS_LIVE, HEAP, bytes),
    [MP_MEASURE_LIVE_OBJECTS] =
        SUM("live objects", living, "alive", "object", MP_RULE_OBJECTS, MP_HAS_LIVE, HEAP, objects),
    [MP_MEASURE_PEAK] = {"peak", living, "at the peak", "", MP_RULE_BYTES, MP_HAS_LIVE,
                         .offset = 0},
    [MP_MEASURE_PEAK_OBJECTS] = {"peak objects", living, "at the peak", "object", MP_RULE_OBJECTS,
                                 MP_HAS_LIVE, .offset = 0},
    [MP_MEASURE_CREATED] =
        SUM("created", births, "created", "", MP_RULE_BYTES, MP_HAS_HISTORY, HEAP, created_bytes),
    [MP_MEASURE_CREATED_OBJECTS] = SUM("created objects", births, "created", "object",
                                       MP_RULE_OBJECTS, MP_HAS_HISTORY, HEAP, created),
    [MP_MEASURE_DELETED_OBJECTS] = SUM("deleted objects", "deleted objects", "deleted", "object",
                                       MP_RULE_OBJECTS, MP_HAS_HISTORY, HEAP, deleted),
    [MP_MEASURE_RETAINED] = {"retained", "retained sizes", "retained", "", MP_RULE_BYTES,
                             MP_HAS_RETAINED, MP_BY_TYPE, .selects = true,
                             .offset = offsetof(mp_amounts, retained_bytes)},
    [MP_MEASURE_GROWTH] =
        SUM("growth", living, "of growth", "", MP_RULE_BYTES, MP_HAS_LIVE, HEAP, bytes),
    [MP_MEASURE_TREND] =
        SUM("trend", leaks, "leaking", "", MP_RULE_BYTES, MP_HAS_LIVE, HEAP, leaked_bytes),
    [MP_MEASURE_PLATFORM] = {"platform memory", "platform memory", "of platform memory", "",
                             MP_RULE_BYTES, MP_HAS_LIVE, MP_BY_AREA, .offset = 0},
    [MP_MEASURE_PLATFORM_GROWTH] = {"platform growth", "platform memory", "of growth", "",
                                    MP_RULE_BYTES, MP_HAS_LIVE, MP_BY_AREA, .offset = 0},
    [MP_MEASURE_SECONDS] = SUM("seconds", "times", "spent", "", MP_RULE_US,
                               MP_HAS_COSTS | MP_HAS_TIMES, PROFILE, exclusive_us),
    [MP_MEASURE_CALLS] =
        SUM("calls", calls, "made", "call", MP_RULE_CALLS, MP_HAS_COSTS, PROFILE, calls),
    [MP_MEASURE_SAMPLES] = SUM("samples", "samples", "taken", "sample", MP_RULE_SAMPLES,
                               MP_HAS_SAMPLES, PROFILE, exclusive_us),
    [MP_MEASURE_COVERAGE] = {"coverage", "executable lines", "executed", "line", MP_RULE_LINES,
                             MP_HAS_COSTS, PROFILE, .offset = 0},
    [MP_MEASURE_SLOPE] = {"", "", "a build", "", MP_RULE_BYTES, MP_HAS_LIVE,
                          MP_BY_TYPE | MP_BY_SITE, .offset = 0},
    [MP_MEASURE_NEW_LEAK_SITES] =
        COUNT("leak site", leaks, "new", "site", MP_HAS_HISTORY, HEAP, MP_LEVEL_SITE, true),
    [MP_MEASURE_NEW_SITES] =
        COUNT("site", living, "new", "site", MP_HAS_LIVE, HEAP, MP_LEVEL_SITE, true),
    [MP_MEASURE_NEW_TYPES] =
        COUNT("type", living, "new", "type", MP_HAS_LIVE, MP_BY_TYPE, MP_LEVEL_TYPE, true),
    [MP_MEASURE_NEW_METHODS] =
        COUNT("method", calls, "new", "method", ANY_COSTS, PROFILE, MP_LEVEL_METHOD, true),
    [MP_MEASURE_NEW_MODULES] =
        COUNT("module", calls, "new", "module", ANY_COSTS, MP_BY_MODULE, MP_LEVEL_MODULE, true),
};

int64_t mp_measure_of(mp_measure measure, const mp_amounts *amounts)
{
    int64_t amount;
    if (mp_measure_rows[measure].counts)
        return amounts->leaked_objects > 0 || amounts->leaked_bytes > 0;
    memcpy(&amount, (const char *)amounts + mp_measure_rows[measure].offset, sizeof amount);
    if (measure == MP_MEASURE_LIVE)
        amount -= amounts->accepted_bytes;
    if (measure == MP_MEASURE_LIVE_OBJECTS)
        amount -= amounts->accepted_objects;
    return amount;
}

bool mp_measure_is_of_left(mp_measure measure)
{
    return measure == MP_MEASURE_LEAKED || measure == MP_MEASURE_LEAKED_OBJECTS ||
           measure == MP_MEASURE_LEAK_SITES || measure == MP_MEASURE_NEW_LEAK_SITES;
}

bool mp_measure_is_of_leaks(mp_measure measure)
{
    return mp_measure_is_of_left(measure) || measure == MP_MEASURE_GROWTH ||
           measure == MP_MEASURE_TREND;
}

mp_measure mp_measure_weight(mp_measure measure)
{
    const mp_measure_row *row = &mp_measure_rows[measure];
    if (!row->counts)
        return measure;
    return row->has & MP_HAS_COSTS                               ? MP_MEASURE_SECONDS
           : row->is_new && measure != MP_MEASURE_NEW_LEAK_SITES ? MP_MEASURE_LIVE
                                                                 : MP_MEASURE_LEAKED;
}

mp_rule_unit mp_measure_unit(mp_measure measure)
{
    return mp_measure_rows[measure].unit;
}

const char *mp_select_by_name(mp_select_by by)
{
    static const char *const names[] = {
        [MP_BY_NOTHING] = "",      [MP_BY_TYPE] = "type", [MP_BY_SOURCE] = "source",
        [MP_BY_NAME] = "name",     [MP_BY_SITE] = "site", [MP_BY_METHOD] = "method",
        [MP_BY_MODULE] = "module", [MP_BY_AREA] = "area"};
    return names[by];
}

const char *mp_comparison_sign(mp_comparison comparison)
{
    static const char *const signs[MP_COMPARISONS] = {"<=", "<", ">=", ">", "=="};
    return signs[comparison];
}

const char *mp_quantity_text(mp_arena *arena, mp_measure measure, int64_t number, bool exact)
{
    const mp_measure_row *row = &mp_measure_rows[measure];
    char text[MP_UNIT_TEXT];
    switch (row->unit) {
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
        return mp_arena_format(arena, "%s %s%s", text, row->noun, number == 1 ? "" : "s");
    }
}

const char *mp_share_text(mp_arena *arena, double percent)
{
    char text[64];
    if (fabs(percent) >= 1000 && fabs(percent) < 1e15) { /* group the digits of large numbers */
        mp_format_count(text, llround(percent), false);
        return mp_arena_format(arena, "%s %%", text);
    }
    snprintf(text, sizeof text, "%.*f", fabs(percent) < 10 ? 3 : 1, percent);
    size_t length = strlen(text);
    while (text[length - 1] == '0')
        length--;
    length -= text[length - 1] == '.';
    return mp_arena_format(arena, "%.*s %%", (int)length, text);
}
