#include "compare/measures.h"

#include <stddef.h>
#include <string.h>

enum {
    HEAP = MP_BY_TYPE | MP_BY_SOURCE | MP_BY_NAME | MP_BY_SITE,
    PROFILE = MP_BY_METHOD | MP_BY_MODULE,
};

#define AT(field) offsetof(mp_amounts, field)

const mp_measure_row mp_measure_rows[MP_MEASURES] = {
    [MP_MEASURE_LEAKED] = {"leaked", "what leaked", "leaked", MP_RULE_BYTES, MP_HAS_HISTORY, HEAP,
                           .offset = AT(leaked_bytes)},
    [MP_MEASURE_LEAKED_OBJECTS] = {"leaked objects", "what leaked", "leaked", MP_RULE_OBJECTS,
                                   MP_HAS_HISTORY, HEAP, .offset = AT(leaked_objects)},
    [MP_MEASURE_LEAK_SITES] = {"leak sites", "what leaked", "that leak", MP_RULE_COUNT,
                               MP_HAS_HISTORY, HEAP, .counts = true, .level = MP_LEVEL_SITE},
    [MP_MEASURE_LIVE] = {"live", "what is alive", "alive", MP_RULE_BYTES, MP_HAS_LIVE, HEAP,
                         .offset = AT(bytes)},
    [MP_MEASURE_LIVE_OBJECTS] = {"live objects", "what is alive", "alive", MP_RULE_OBJECTS,
                                 MP_HAS_LIVE, HEAP, .offset = AT(objects)},
    [MP_MEASURE_PEAK] = {"peak", "what is alive", "at the peak", MP_RULE_BYTES, MP_HAS_LIVE,
                         MP_BY_NOTHING, .selects = false},
    [MP_MEASURE_PEAK_OBJECTS] = {"peak objects", "what is alive", "at the peak", MP_RULE_OBJECTS,
                                 MP_HAS_LIVE, MP_BY_NOTHING, .selects = false},
    [MP_MEASURE_CREATED] = {"created", "what was created", "created", MP_RULE_BYTES, MP_HAS_HISTORY,
                            HEAP, .offset = AT(created_bytes)},
    [MP_MEASURE_CREATED_OBJECTS] = {"created objects", "what was created", "created",
                                    MP_RULE_OBJECTS, MP_HAS_HISTORY, HEAP, .offset = AT(created)},
    [MP_MEASURE_DELETED_OBJECTS] = {"deleted objects", "what was deleted", "deleted",
                                    MP_RULE_OBJECTS, MP_HAS_HISTORY, HEAP, .offset = AT(deleted)},
    [MP_MEASURE_RETAINED] = {"retained", "what is retained", "retained", MP_RULE_BYTES,
                             MP_HAS_RETAINED, MP_BY_TYPE, .selects = true,
                             .offset = AT(retained_bytes)},
    [MP_MEASURE_GROWTH] = {"growth", "what is alive", "of growth", MP_RULE_BYTES, MP_HAS_LIVE, HEAP,
                           .offset = AT(bytes)},
    [MP_MEASURE_SECONDS] = {"seconds", "times", "spent", MP_RULE_US, MP_HAS_COSTS, PROFILE,
                            .offset = AT(exclusive_us)},
    [MP_MEASURE_CALLS] = {"calls", "calls", "made", MP_RULE_CALLS, MP_HAS_COSTS, PROFILE,
                          .offset = AT(calls)},
    [MP_MEASURE_NEW_LEAK_SITES] = {"leak site", "what leaked", "new", MP_RULE_COUNT, MP_HAS_HISTORY,
                                   HEAP, .is_new = true, .counts = true, .level = MP_LEVEL_SITE},
    [MP_MEASURE_NEW_SITES] = {"site", "what is alive", "new", MP_RULE_COUNT, MP_HAS_LIVE, HEAP,
                              .is_new = true, .counts = true, .level = MP_LEVEL_SITE},
    [MP_MEASURE_NEW_TYPES] = {"type", "what is alive", "new", MP_RULE_COUNT, MP_HAS_LIVE,
                              MP_BY_TYPE, .is_new = true, .counts = true, .level = MP_LEVEL_TYPE},
    [MP_MEASURE_NEW_METHODS] = {"method", "calls", "new", MP_RULE_COUNT, MP_HAS_COSTS, PROFILE,
                                .is_new = true, .counts = true, .level = MP_LEVEL_METHOD},
    [MP_MEASURE_NEW_MODULES] = {"module", "calls", "new", MP_RULE_COUNT, MP_HAS_COSTS, MP_BY_MODULE,
                                .is_new = true, .counts = true, .level = MP_LEVEL_MODULE},
};

int64_t mp_measure_of(mp_measure measure, const mp_amounts *amounts)
{
    int64_t amount;
    if (mp_measure_rows[measure].counts)
        return amounts->leaked_objects > 0 || amounts->leaked_bytes > 0;
    memcpy(&amount, (const char *)amounts + mp_measure_rows[measure].offset, sizeof amount);
    return amount;
}

mp_rule_unit mp_measure_unit(mp_measure measure)
{
    return mp_measure_rows[measure].unit;
}

const char *mp_select_by_name(mp_select_by by)
{
    switch (by) {
    case MP_BY_TYPE:
        return "type";
    case MP_BY_SOURCE:
        return "source";
    case MP_BY_NAME:
        return "name";
    case MP_BY_SITE:
        return "site";
    case MP_BY_METHOD:
        return "method";
    case MP_BY_MODULE:
        return "module";
    case MP_BY_NOTHING:
        break;
    }
    return "";
}
